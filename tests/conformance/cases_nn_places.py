"""What takes the place of what in modules: tensors that are swapped or loaded, hooks, buffers; other devices."""

from __future__ import annotations

import io
import os
import warnings
import weakref
from importlib import import_module

from .observe import case, error, name_of, see


class _Swapping:
    """Within it, modules exchange what their parameters are."""

    def __init__(self, torch):
        self.torch = torch

    def __enter__(self):
        self.torch.__future__.set_swap_module_params_on_conversion(True)

    def __exit__(self, *exc):
        self.torch.__future__.set_swap_module_params_on_conversion(False)


@case
def what_is_loaded_into_a_tensor(torch):
    a, b = torch.zeros(2), torch.ones(2)
    taken = a.module_load(b, assign=True)
    copied = a.module_load(b)
    return [
        see(torch, taken), taken is b, taken.data_ptr() == b.data_ptr(), see(torch, a), copied is a,
        copied.data_ptr() == a.data_ptr(),
    ]  # fmt: skip


@case
def shared_parameters_are_loaded_by_swapping(torch):
    net = torch.nn.Module()
    net.first = net.second = torch.nn.Linear(2, 2)
    state = net.state_dict()
    state["first.weight"] = torch.ones(2, 2)
    with _Swapping(torch):
        net.load_state_dict(state)
    return see(torch, net.first.weight)


@case
def swapping_is_asked_of_classes(torch):
    asked = []

    class Mine(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            asked.append(func.__name__)
            with torch._C.DisableTorchFunctionSubclass():
                found = func(*args, **(kwargs or {}))
            return found.as_subclass(cls) if func == torch.Tensor.detach else found

    layer = torch.nn.Linear(2, 2, bias=False)
    layer.weight = torch.nn.Parameter(torch.zeros(2, 2).as_subclass(Mine))
    made = [name for name in asked if name in ("detach", "module_load")]
    with _Swapping(torch):
        layer.load_state_dict({"weight": torch.ones(2, 2)})
    loaded = [name for name in asked if name == "module_load"]
    weight = layer.weight
    return [made, loaded, type(weight).__name__, isinstance(weight, torch.nn.Parameter), weight.tolist()]


@case
def one_of_both_can_not_be_loaded(torch):
    class Mine(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            if func is torch.Tensor.module_load:
                return args[1]
            return super().__torch_function__(func, types, args, kwargs)

    layer = torch.nn.Linear(2, 2, bias=False)
    layer.weight = torch.nn.Parameter(torch.zeros(2, 2).as_subclass(Mine))
    with _Swapping(torch):
        return error(lambda: layer.load_state_dict({"weight": torch.ones(2, 2)}))


@case
def what_was_swapped_can_not_be_gone_back_through(torch):
    a, b = (torch.nn.Parameter(torch.full((2,), n)) for n in (1.0, 2.0))
    loss = (a * 2).sum()
    torch.utils.swap_tensors(a, b)
    found = [error(loss.backward), a.tolist(), b.tolist()]
    (a * 2).sum().backward()
    kept = weakref.ref(a)
    found += [a.grad.tolist(), b.grad, error(lambda: torch.utils.swap_tensors(a, b))]
    found += [error(lambda: torch.utils.swap_tensors(b, a)), kept() is a]
    return found


@case
def a_module_swapped_between_forward_and_backward(torch):
    layer = torch.nn.Linear(2, 2)
    with _Swapping(torch):
        loss = layer(torch.ones(1, 2)).sum()
        layer.double()
        first = error(loss.backward)
        layer(torch.ones(1, 2, dtype=torch.double)).sum().backward()
        layer.float()
    return [first, str(layer.weight.dtype), str(layer.weight.grad.dtype)]


@case
def tables_of_hooks_can_be_replaced(torch):
    module, called = torch.nn.modules.module, []
    before, empty = module._global_forward_hooks, type(module._global_forward_hooks)
    module._global_forward_hooks = empty()
    torch.nn.modules.module.register_module_forward_hook(lambda *args: called.append("hook"))
    torch.nn.ReLU()(torch.ones(1))
    seen = [len(module._global_forward_hooks), bool(module._has_any_global_hook())]
    module._global_forward_hooks = empty()
    torch.nn.ReLU()(torch.ones(1))
    module._global_forward_hooks = before
    return [*seen, called]


@case
def hooks_of_states_know_who_registered_them(torch):
    def hook(module, state, prefix, metadata):
        return {}

    layer = torch.nn.Linear(2, 2)
    first = layer._register_state_dict_hook(hook)
    seen = [layer.state_dict(), hasattr(hook, "_from_public_api")]
    first.remove()
    layer.register_state_dict_post_hook(hook)
    return [*seen, hook._from_public_api, error(layer.state_dict), error(lambda: layer._register_state_dict_hook(hook))]


@case
def buffers_of_modules_that_register_them_otherwise(torch):
    class Old(torch.nn.Module):
        def register_buffer(self, name, value):
            super().register_buffer(name, value)

    module = Old()
    module.kept = torch.nn.Buffer(torch.ones(1))

    def lost():
        module.lost = torch.nn.Buffer(torch.ones(1), persistent=False)

    return [sorted(module.state_dict()), error(lost)]


@case
def a_conversion_to_another_layout_makes_other_parameters(torch):
    layer = torch.nn.Linear(2, 2, bias=False)
    before = layer.weight
    layer._apply(lambda t: torch.sparse_coo_tensor(torch.zeros([2, 1]), torch.ones([1]), (2, 2), check_invariants=True))
    return [str(layer.weight.layout), str(before.layout), layer.weight is before]


@case
def a_parameter_without_a_shape_has_no_sum_of_squares(torch):
    message = error(lambda: torch.optim.Adagrad([torch.nn.UninitializedParameter()]))
    return [message["raises"], message["message"][:47]]


@case
def instances_without_a_batch(torch):
    return [getattr(torch.nn, f"InstanceNorm{n}d")(4)._get_no_batch_dim() for n in (1, 2, 3)]


@case
def devices_that_do_not_meet(torch):
    here, there = torch.ones(3), torch.ones(3, device="meta")
    matrix = torch.ones(3, 3, device="meta")
    return [
        error(lambda: here + there), error(lambda: there + here), error(lambda: torch.cat([here, there])),
        error(lambda: torch.cat([there, here])), error(lambda: here.clone().copy_(there)),
        error(lambda: torch.nn.functional.mse_loss(here, there)), (there * 2 + torch.tensor(1.0)).device.type,
        torch.mm(torch.ones(2, 3), matrix).device.type, torch.mm(matrix, torch.ones(3, 2)).device.type,
        torch.nn.functional.linear(torch.ones(2, 3), matrix).shape,
    ]  # fmt: skip


@case
def batch_norm_of_nothing_takes_any_dtype(torch):
    norm = torch.nn.BatchNorm2d(3)
    x = torch.ones(0, 3, 2, 2, dtype=torch.double, requires_grad=True)
    y = norm(x)
    y.backward(torch.ones_like(y))
    return [str(y.dtype), name_of(y.grad_fn), see(torch, [x.grad, norm.weight.grad, norm.running_mean])]


@case
def sizes_to_interpolate_to_are_integers(torch):
    x = torch.arange(16.0).reshape(1, 1, 4, 4)
    F = torch.nn.functional
    kinds = [error(lambda s=s: list(F.interpolate(x, s).shape)) for s in (torch.tensor(2), (torch.tensor(2), 2))]
    pairs = ((2.0, 2.0), (torch.tensor(2.0), 2))
    wrong = [error(lambda s=s: F.interpolate(x, s))["raises"] for s in (torch.tensor(2.0), 2.0, *pairs)]
    return [kinds, wrong]


@case
def padding_by_number_of_dimensions(torch):
    x = torch.arange(12.0).reshape(1, 3, 4).requires_grad_()
    inside = torch._C._nn
    found = [torch.ops.aten.reflection_pad1d(x, [1, 2]), inside.replication_pad1d(x, [1, 2])]
    found.append(inside.replication_pad2d(x, [1, 0, 0, 1]))
    wrong = [(inside.replication_pad1d, []), (inside.reflection_pad2d, [1]), (inside.replication_pad3d, [1, 1])]
    return [see(torch, found), *(error(lambda f=f, p=p: f(torch.ones(2), padding=p)) for f, p in wrong)]


@case
def the_environment_decides_what_is_safe(torch):
    file = io.BytesIO()
    torch.save(torch.nn.ReLU(), file)
    seen = []
    for name in ("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"):
        os.environ[name] = "1"
        try:
            for asked in (None, True, False):
                file.seek(0)
                with warnings.catch_warnings(record=True) as told:
                    warnings.simplefilter("always")
                    found = error(lambda asked=asked: type(torch.load(file, weights_only=asked)).__name__)
                seen.append([found.get("raises", found.get("returned")), *(str(w.message) for w in told)])
        finally:
            del os.environ[name]
    return seen


@case
def a_leaf_that_a_plain_tensor_was_swapped_into(torch):
    leaf, plain = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 4.0])
    out = leaf * 2
    torch.utils.swap_tensors(leaf, plain)
    return [leaf.requires_grad, plain.requires_grad, error(lambda: out.sum().backward()), leaf.grad, plain.grad]


@case
def parameters_of_classes_of_ones_own(torch):
    class Own(torch.Tensor):
        pass

    class OwnParameter(torch.nn.Parameter):
        pass

    ones = torch.ones(2, 2).as_subclass(Own)
    parameters = [torch.nn.Parameter(ones), torch.nn.Parameter(ones, requires_grad=False), OwnParameter(ones[0])]
    return [repr(p) for p in [ones, *parameters, torch.nn.Parameter(ones.to("meta")), OwnParameter(torch.ones(2))]]


@case
def a_class_is_asked_what_takes_a_parameters_place(torch):
    asked = []

    class Own(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            if func is torch.Tensor.module_load:
                asked.append([[type(a).__name__ for a in args], kwargs])
            return super().__torch_function__(func, types, args, kwargs)

    layer = torch.nn.Linear(2, 1, bias=False)
    torch.__future__.set_swap_module_params_on_conversion(True)
    try:
        for assign in (False, True):
            layer.load_state_dict({"weight": torch.ones(1, 2).as_subclass(Own)}, assign=assign)
            asked.append([type(layer.weight).__name__, repr(layer.weight)])
    finally:
        torch.__future__.set_swap_module_params_on_conversion(False)
    return asked


@case
def classes_and_trees_of_a_modules_own_dicts_are_plain(torch):
    pytree = torch.utils._pytree

    module = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))
    names = ("_parameters", "_buffers", "_modules", "_forward_hooks", "_backward_hooks", "_forward_pre_hooks")
    found = []
    for name in names:
        own = getattr(module[1], name)
        made = (type(own)(), type(own)({"a": 1}), type(own)(a=1), type(own).fromkeys("ab"), own.copy())
        found.append([type(each).__name__ for each in made] + [list(made[1]), list(made[3])])
    shapes = pytree.tree_map(lambda t: list(t.shape), (module[0]._parameters, module[1]._buffers))
    leaves, spec = pytree.tree_flatten([module[1]._modules, module[1]._forward_hooks, module[0]._parameters])
    return found, shapes, len(leaves), str(spec), pytree.tree_structure([{}, module[1]._forward_hooks]) == spec


@case
def tables_of_hooks_of_all_modules_by_import(torch):
    module = import_module(f"{torch.__name__}.nn.modules.module")
    given: dict[str, object] = {}
    names = ("parameter_registration_hooks", "forward_hooks", "backward_pre_hooks")
    exec(f"from {torch.__name__}.nn.modules.module import {', '.join(f'_global_{name}' for name in names)}", given)
    handle = module.register_module_parameter_registration_hook(lambda m, name, value: None)
    found = [len(given[f"_global_{name}"]) for name in names]
    handle.remove()
    return found, [given[f"_global_{name}"] is getattr(module, f"_global_{name}") for name in names]


@case
def activations_are_the_only_modules_of_their_module(torch):
    found = {name for name, value in vars(torch.nn.modules.activation).items()
             if isinstance(value, type) and issubclass(value, torch.nn.Module)}  # fmt: skip
    return sorted(found - {"MultiheadAttention", "NonDynamicallyQuantizableLinear"})


@case
def plans_of_leaves_are_of_a_class(torch):
    pytree = torch.utils._pytree

    def told(plan):
        return [isinstance(plan, pytree.LeafSpec), isinstance(plan, pytree.TreeSpec), plan.is_leaf(), repr(plan)]

    leaf = pytree.tree_structure(1)
    inside = pytree.tree_structure({"a": [1]}).child(0).child(0)
    plans = [leaf, inside, pytree.tree_structure([])]
    return [[told(plan) for plan in plans], leaf == inside, issubclass(pytree.LeafSpec, pytree.TreeSpec)]
