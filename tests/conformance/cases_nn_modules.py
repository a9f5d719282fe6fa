"""Modules' machinery: hooks of every kind and their order, states, moving, copying, walking."""

from __future__ import annotations

import copy
import gc
import pickle
from collections import OrderedDict, namedtuple

from .observe import case, error, name_of, see, warned


def linear(torch, n=2, m=2, **settings):
    layer = torch.nn.Linear(n, m, **settings)
    with torch.no_grad():
        for p in layer.parameters():
            p.copy_(torch.arange(p.numel(), dtype=p.dtype).reshape(p.shape) / 4 - 0.3)
    return layer


def calling(torch, function):
    """A module that calls a function."""

    class Calling(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.function = function

        def forward(self, *args, **kwargs):
            return self.function(*args, **kwargs)

    return Calling()


# ---- hooks


@case
def hooks_in_order(torch):
    layer = linear(torch)
    log = []
    layer.register_forward_pre_hook(lambda m, a: log.append("pre 1"))
    layer.register_forward_pre_hook(lambda m, a, k: log.append(f"pre 2 {sorted(k)}"), with_kwargs=True)
    layer.register_forward_pre_hook(lambda m, a: log.append("pre 0"), prepend=True)
    layer.register_forward_hook(lambda m, a, o: log.append("post 1"))
    layer.register_forward_hook(lambda m, a, k, o: log.append(f"post 2 {len(a)} {sorted(k)}"), with_kwargs=True)
    layer.register_forward_hook(lambda m, a, o: log.append("post 0"), prepend=True)
    layer.register_full_backward_pre_hook(lambda m, g: log.append(f"backward pre 1 {len(g)}"))
    layer.register_full_backward_pre_hook(lambda m, g: log.append("backward pre 0"), prepend=True)
    layer.register_full_backward_hook(lambda m, i, o: log.append(f"backward 1 {[list(t.shape) for t in (*i, *o)]}"))
    layer.register_full_backward_hook(lambda m, i, o: log.append("backward 0"), prepend=True)
    x = torch.ones(3, 2, requires_grad=True)
    layer(x).sum().backward()
    layer(input=x)
    return [log, see(torch, x.grad)]


@case
def global_hooks_come_first(torch):
    module = torch.nn.modules.module
    layer = linear(torch)
    log = []
    layer.register_forward_pre_hook(lambda m, a: log.append("own pre"))
    layer.register_forward_hook(lambda m, a, o: log.append("own post"))
    layer.register_full_backward_hook(lambda m, i, o: log.append("own backward"))
    layer.register_full_backward_pre_hook(lambda m, o: log.append("own backward pre"))
    handles = [
        module.register_module_forward_pre_hook(lambda m, a: log.append(f"pre {type(m).__name__}")),
        module.register_module_forward_hook(lambda m, a, o: log.append("post")),
        module.register_module_forward_hook(lambda m, a, k, o: log.append(f"post {k}"), with_kwargs=True),
        module.register_module_full_backward_hook(lambda m, i, o: log.append("backward")),
        module.register_module_full_backward_pre_hook(lambda m, o: log.append("backward pre")),
    ]
    try:
        mixed = error(lambda: module.register_module_backward_hook(lambda *a: None))
        x = torch.ones(1, 2, requires_grad=True)
        torch.nn.Sequential(layer, torch.nn.ReLU())(x).sum().backward()
    finally:
        for handle in handles:
            handle.remove()
        module._global_is_full_backward_hook = None
    layer(x)
    return [log, mixed]


@case
def global_hooks_can_change_things(torch):
    module = torch.nn.modules.module
    layer = linear(torch)
    seen = []
    with module.register_module_forward_pre_hook(lambda m, a: (a[0] * 2,)):
        seen.append(see(torch, layer(torch.ones(1, 2))))
    with module.register_module_forward_hook(lambda m, a, o: o + 1):
        seen.append(see(torch, layer(torch.ones(1, 2))))
    seen.append(see(torch, layer(torch.ones(1, 2))))
    return seen


@case
def registration_hooks(torch):
    nn = torch.nn
    module = nn.modules.module
    log = []
    handles = [
        module.register_module_parameter_registration_hook(lambda m, n, p: log.append(["parameter", n, p is None])),
        module.register_module_buffer_registration_hook(lambda m, n, b: log.append(["buffer", n, b is None])),
        module.register_module_module_registration_hook(lambda m, n, s: log.append(["module", n, type(s).__name__])),
    ]
    try:
        net = nn.Module()
        net.layer = nn.Linear(1, 2)
        net.add_module("norm", nn.BatchNorm1d(2, affine=False))
        net.register_parameter("p", None)
        net.p = nn.Parameter(torch.ones(1))
        net.b = nn.Buffer(torch.ones(1))
        net.b = torch.zeros(1)
        net.layer = None
        nn.Sequential(nn.ReLU())
    finally:
        for handle in handles:
            handle.remove()
    with module.register_module_parameter_registration_hook(lambda m, n, p: nn.Parameter(p * 0 + 7)):
        net = nn.Module()
        net.p = nn.Parameter(torch.ones(2))
    return [log, see(torch, net.p)]


@case
def hooks_that_are_always_called(torch):
    log = []

    def fails(*args):
        raise ValueError("no")

    module = calling(torch, fails)
    module.register_forward_hook(lambda m, a, o: log.append(["own", o]), always_call=True)
    module.register_forward_hook(lambda m, a, k, o: log.append(["own with", sorted(k)]), always_call=True,
                                 with_kwargs=True)
    module.register_forward_hook(lambda m, a, o: log.append("never"))
    with torch.nn.modules.module.register_module_forward_hook(
        lambda m, a, o: log.append(["global", o]), always_call=True
    ):
        first = error(lambda: module(1))
    second = calling(torch, fails)
    second.register_forward_hook(lambda m, a, o: 1 / 0, always_call=True)
    silenced = warned(lambda: error(lambda: second(1)))
    third = calling(torch, lambda x: x)
    third.register_forward_hook(lambda m, a, o: log.append("first"), always_call=True)
    third.register_forward_hook(fails)
    return [first, silenced, error(lambda: third(1)), log]


@case
def full_backward_hooks_that_change_gradients(torch):
    seen = []
    for hook in (
        lambda m, i, o: (i[0] * 2,), lambda m, i, o: i[0] * 3, lambda m, i, o: None, lambda m, i, o: (i[0], i[0]),
    ):  # fmt: skip
        layer = linear(torch)
        layer.register_full_backward_hook(hook)
        x = torch.ones(1, 2, requires_grad=True)
        seen.append([error(lambda x=x, layer=layer: layer(x).sum().backward()), see(torch, x.grad)])
    for hook in (lambda m, o: (o[0] * 2,), lambda m, o: o[0] * 3, lambda m, o: (o[0], o[0])):
        layer = linear(torch)
        layer.register_full_backward_pre_hook(hook)
        x = torch.ones(1, 2, requires_grad=True)
        seen.append([error(lambda x=x, layer=layer: layer(x).sum().backward()), see(torch, x.grad),
                     see(torch, layer.bias.grad)])  # fmt: skip
    return seen


@case
def full_backward_hooks_and_kinds_of_outputs(torch):
    pair = namedtuple("pair", "a b")
    seen = []
    for function in (
        lambda x: (x * 2, None, 3), lambda x: pair(x * 2, x * 3), lambda x: [x * 2], lambda x: {"a": x * 2},
    ):  # fmt: skip
        module = calling(torch, function)
        log = []
        module.register_full_backward_hook(
            lambda m, i, o, log=log: log.append([[see(torch, t) for t in i], [see(torch, t) for t in o]])
        )
        x = torch.ones(2, requires_grad=True)
        out = []
        told = warned(lambda x=x, out=out, module=module: out.append(module(x)))
        first = out[0]["a"] if isinstance(out[0], dict) else out[0][0]
        first.sum().backward()
        seen.append([type(out[0]).__name__, name_of(first.grad_fn), told, log, see(torch, x.grad)])
    return seen


@case
def full_backward_hook_without_gradients_of_inputs(torch):
    layer = linear(torch)
    log = []
    layer.register_full_backward_hook(lambda m, i, o: log.append([i, see(torch, o)]))
    told = warned(lambda: layer(torch.ones(1, 2)).sum().backward())
    layer.register_full_backward_hook(lambda m, i, o: (o[0],))
    wrong = []
    warned(lambda: wrong.append(error(lambda: layer(torch.ones(1, 2)).sum().backward())))
    return [log[0], told, wrong]


@case
def backward_hooks_at_the_last_node(torch):
    log = []
    seen = []
    for function, args in (
        (lambda x: x * 2, 1), (lambda x: (x * 2).sum() * 3, 1), (lambda x: (x * 2, x * 3), 1), (lambda x: [x * 2], 1),
        (lambda x, y: x * y, 2),
    ):  # fmt: skip
        module = calling(torch, function)
        module.register_backward_hook(
            lambda m, i, o: log.append([[see(torch, t) for t in i], [see(torch, t) for t in o]])
        )
        inputs = [torch.ones(2, requires_grad=True) * 1.5 for _ in range(args)]
        out = []
        seen.append(warned(lambda m=module, i=inputs, out=out: out.append(m(*i))))
        first = out[0][0] if isinstance(out[0], (tuple, list)) else out[0]
        first.sum().backward()
    layer = linear(torch)
    layer.register_backward_hook(lambda m, i, o: None)
    seen.append(error(lambda: layer.register_full_backward_hook(lambda *a: None)))
    layer = linear(torch)
    layer.register_full_backward_hook(lambda m, i, o: None)
    seen.append(error(lambda: layer.register_backward_hook(lambda *a: None)))
    return [log, seen]


@case
def hooks_with_wrong_results(torch):
    layer = linear(torch)
    layer.register_forward_pre_hook(lambda m, a, k: 3, with_kwargs=True)
    return error(lambda: layer(torch.ones(1, 2)))


@case
def removed_hooks(torch):
    layer = linear(torch)
    log = []
    handles = [
        layer.register_forward_hook(lambda m, a, k, o: log.append(1), with_kwargs=True, always_call=True),
        layer.register_forward_pre_hook(lambda m, a, k: log.append(2), with_kwargs=True),
        layer.register_full_backward_hook(lambda m, i, o: log.append(3)),
    ]
    for handle in handles:
        handle.remove()
    layer(torch.ones(1, 2)).sum().backward()
    kept = [len(layer._forward_hooks), len(layer._forward_hooks_with_kwargs), len(layer._forward_hooks_always_called),
            len(layer._forward_pre_hooks), len(layer._forward_pre_hooks_with_kwargs),
            len(layer._backward_hooks)]  # fmt: skip
    return [log, kept]


# ---- states


@case
def hooks_of_states(torch):
    nn = torch.nn
    net = nn.Sequential(linear(torch), nn.ReLU())
    log = []
    net.register_state_dict_pre_hook(lambda m, prefix, keep: log.append(["pre", prefix, keep]))
    net[0].register_state_dict_pre_hook(lambda m, prefix, keep: log.append(["pre", prefix, keep]))
    net.register_state_dict_post_hook(lambda m, s, prefix, meta: log.append(["post", sorted(s), prefix, meta]))
    net[0]._register_state_dict_hook(lambda m, s, prefix, meta: log.append(["old post", prefix]))
    net.register_load_state_dict_pre_hook(lambda m, s, prefix, *rest: log.append(["load pre", prefix, len(rest)]))
    net[0]._register_load_state_dict_pre_hook(lambda s, prefix, *rest: s.setdefault(prefix + "more", torch.ones(1)))
    net.register_load_state_dict_post_hook(lambda m, keys: log.append(["load post", list(keys.unexpected_keys)]))
    state = net.state_dict()
    found = net.load_state_dict(state, strict=False)
    wrong = linear(torch)
    wrong.register_state_dict_post_hook(lambda *a: 3)
    also_wrong = linear(torch)
    also_wrong.register_load_state_dict_post_hook(lambda m, keys: keys)
    return [log, str(found), error(wrong.state_dict),
            error(lambda: also_wrong.load_state_dict(linear(torch).state_dict()))]


@case
def a_post_hook_may_accept_missing_keys(torch):
    layer = linear(torch)
    layer.register_load_state_dict_post_hook(lambda m, keys: keys.missing_keys.clear())
    return str(layer.load_state_dict({"weight": torch.zeros(2, 2)}))


@case
def state_metadata_and_old_arguments(torch):
    nn = torch.nn
    net = nn.Sequential(nn.BatchNorm1d(2), nn.Sequential(nn.Linear(2, 1)))
    into = OrderedDict()
    return [
        {k: dict(v) for k, v in net.state_dict()._metadata.items()}, sorted(net.state_dict(prefix="a.")),
        warned(lambda: net.state_dict(into, "b.")), sorted(into),
    ]  # fmt: skip


@case
def states_that_do_not_fit(torch):
    nn = torch.nn
    net = nn.Sequential(OrderedDict(first=nn.Linear(2, 2), rest=nn.Sequential(nn.BatchNorm1d(2), nn.ReLU())))
    good = net.state_dict()
    wrong = [
        {}, {**good, "more": torch.ones(1)}, {**good, "rest.0.more": torch.ones(1)},
        {**good, "rest.1.x": torch.ones(1)},
        {**good, "first": torch.ones(1)}, {**good, "first.weight": torch.ones(3, 3), "first.bias": torch.ones(1)},
        {**good, "first.weight": 3}, {**good, "rest.0.running_mean": torch.ones(5), "z": 1},
        {k: v for k, v in good.items() if "running" not in k}, 3, [("first.weight", 1)],
    ]  # fmt: skip
    return [error(lambda s=s: net.load_state_dict(s)) for s in wrong] + [
        str(net.load_state_dict({"more": 1}, strict=False)), str(net.load_state_dict(good)),
    ]  # fmt: skip


@case
def states_of_meta_modules(torch):
    nn = torch.nn
    layer = nn.Linear(2, 2, device="meta")
    told = warned(lambda: layer.load_state_dict(linear(torch).state_dict()))
    before = layer.weight.is_meta
    layer.load_state_dict(linear(torch).state_dict(), assign=True)
    given = nn.Parameter(torch.ones(2, 2), requires_grad=False)
    other = linear(torch)
    other.load_state_dict({"weight": given, "bias": torch.zeros(2)}, assign=True)
    empty = nn.Linear(2, 2, device="meta").to_empty(device="cpu")
    return [told, before, see(torch, layer.weight), other.weight is given, given.requires_grad, see(torch, other.bias),
            str(empty.weight.device), type(empty.weight).__name__]  # fmt: skip


@case
def prefixes_of_states(torch):
    nn = torch.nn

    class Wrapped(nn.Module):
        def __init__(self):
            super().__init__()
            self.module = nn.Sequential(nn.Linear(1, 1))

    state = Wrapped().state_dict()
    nn.modules.utils.consume_prefix_in_state_dict_if_present(state, "module.")
    return [sorted(state), sorted(state._metadata)]


@case
def non_persistent_buffers(torch):
    nn = torch.nn
    net = nn.Module()
    net.register_buffer("a", torch.ones(1))
    net.register_buffer("b", torch.ones(1), persistent=False)
    net.c = nn.Buffer(torch.ones(1), persistent=False)
    net.register_buffer("d", None)
    seen = [sorted(net.state_dict()), [n for n, _ in net.named_buffers()], sorted(net._non_persistent_buffers_set)]
    net.register_buffer("b", torch.zeros(1))
    net.c = torch.ones(2)
    del net.a
    return [seen, sorted(net.state_dict()), sorted(net._non_persistent_buffers_set), error(lambda: net.a)]


# ---- machinery


@case
def modules_that_are_made_wrongly(torch):
    nn = torch.nn

    class Passing(nn.Module):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)

    class Lazybones(nn.Module):
        def __init__(self):
            self.x = 1

    return [error(fn) for fn in (
        lambda: Passing(1), lambda: Passing(a=1), lambda: nn.Module(3), lambda: Lazybones()(1),
        lambda: nn.Module()(1, 2), lambda: Lazybones().x, lambda: nn.ModuleList()(1), lambda: nn.Linear(3),
        lambda: nn.Linear(2, 2)(torch.ones(1, 2), 1), lambda: nn.Linear(2, 2)(1),
    )]  # fmt: skip


@case
def call_super_init(torch):
    class Mixin:
        def __init__(self, more=0):
            self.more = more

    class Both(torch.nn.Module, Mixin):
        call_super_init = True

    return [Both(more=3).more, Both.dump_patches]


@case
def wrong_dtypes_for_linear(torch):
    nn = torch.nn
    return [error(fn) for fn in (
        lambda: nn.Linear(3, 2)(torch.ones(2, 3, dtype=torch.float64)),
        lambda: nn.Linear(3, 2)(torch.ones(2, 3).long()),
        lambda: nn.Linear(3, 2)(torch.ones(2, 4)), lambda: nn.Linear(3, 2)(torch.ones(2, 2, 4)),
        lambda: nn.Linear(3, 2)(torch.ones(4)), lambda: nn.Linear(3, 2)([1, 2, 3]),
        lambda: nn.Linear(3, 2, bias=False)(torch.ones(2, 4)),
    )]  # fmt: skip


@case
def setting_submodules(torch):
    nn = torch.nn
    net = nn.Sequential(nn.Sequential(nn.Linear(1, 1)), nn.ReLU())
    net.set_submodule("0.0", nn.Tanh())
    net.set_submodule("0.more", nn.Sigmoid())
    return [repr(net), [error(fn) for fn in (
        lambda: net.set_submodule("", nn.ReLU()), lambda: net.set_submodule("5.0", nn.ReLU()),
        lambda: net.set_submodule("0.x", nn.ReLU(), strict=True), lambda: net.set_submodule("0.0", 3),
        lambda: net.get_submodule("0.7"), lambda: net.get_parameter("0.7"), lambda: net.get_buffer("training"),
        lambda: net.get_parameter("0.0.training"),
    )]]  # fmt: skip


@case
def moving_and_casting(torch):
    nn = torch.nn
    net = nn.Sequential(linear(torch), nn.BatchNorm1d(2))
    net(torch.ones(3, 2)).sum().backward()
    weight, grad = net[0].weight, net[0].weight.grad
    seen = []
    for change in (
        lambda m: m.double(), lambda m: m.to(torch.float32), lambda m: m.half(), lambda m: m.bfloat16(),
        lambda m: m.float(),
        lambda m: m.to("cpu"), lambda m: m.to(torch.ones(1, dtype=torch.float64)), lambda m: m.cpu(),
        lambda m: m.to(device="cpu", dtype=torch.float32), lambda m: m.type(torch.float64), lambda m: m.share_memory(),
    ):  # fmt: skip
        same = change(net) is net
        dtypes = sorted({str(t.dtype) for t in [*net.parameters(), *net.buffers()]})
        seen.append([same, dtypes, net[0].weight is weight, net[0].weight.grad is grad, str(grad.dtype)])
    seen += [error(lambda: net.to(torch.int32)), warned(lambda: nn.Linear(1, 1).to(torch.complex64)),
             error(lambda: net.cuda())]  # fmt: skip
    return seen


@case
def copies_of_modules(torch):
    nn = torch.nn
    net = nn.Sequential(linear(torch), nn.BatchNorm1d(2))
    net[1].weight = None
    net.tied = net[0]
    net.register_forward_hook(print)
    seen = []
    for made in (copy.deepcopy(net), copy.copy(net)):
        seen.append([repr(made), made[0] is net[0], made.tied is made[0], made[0].weight is net[0].weight,
                     len(made._forward_hooks), sorted(made.state_dict())])  # fmt: skip
    plain = pickle.loads(pickle.dumps(linear(torch)))
    old = linear(torch)
    state = {k: v for k, v in vars(old).items() if "with_kwargs" not in k and "always" not in k}
    fresh = nn.Linear.__new__(nn.Linear)
    fresh.__setstate__(state)
    seen += [see(torch, plain.weight), see(torch, fresh(torch.ones(1, 2))), sorted(set(vars(old)) - set(vars(fresh)))]
    return seen


@case
def compiling_is_accepted(torch):
    layer = linear(torch)
    before = see(torch, layer(torch.ones(1, 2)))["values"]
    layer.eval()
    return [before, layer.compile.__name__, torch.nn.Module._compiled_call_impl is None]


@case
def directory_of_a_module(torch):
    net = torch.nn.Sequential(linear(torch))
    net.extra = torch.nn.Parameter(torch.ones(1))
    names = dir(net)
    return ["extra" in names, "0" in names, "forward" in names, names == sorted(names), "weight" in dir(net[0])]


@case
def walking_with_duplicates(torch):
    nn = torch.nn
    shared = linear(torch)
    net = nn.Sequential(shared, nn.Sequential(shared), nn.ReLU())
    return [
        [n for n, _ in net.named_modules()], [n for n, _ in net.named_modules(remove_duplicate=False)],
        [n for n, _ in net.named_parameters(remove_duplicate=False)], [n for n, _ in net.named_parameters(prefix="p")],
        [n for n, _ in net.named_parameters(recurse=False)], [n for n, _ in net.named_children()],
        len(list(net.parameters())), sorted(net.state_dict()), [n for n, _ in net[1].named_parameters(prefix="x")],
    ]  # fmt: skip


@case
def handles_that_are_copied_with_a_module_remove_the_hooks_of_the_copy(torch):
    nn = torch.nn
    module = nn.Linear(2, 2)
    handles = [
        module.register_forward_hook(called), module.register_forward_pre_hook(called),
        module.register_full_backward_hook(called), module.register_full_backward_pre_hook(called),
    ]  # fmt: skip
    tables = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
    seen = []
    for twice in (copy.deepcopy((module, handles)), pickle.loads(pickle.dumps((module, handles)))):
        for other in (twice, copy.deepcopy(twice)):
            for handle in other[1]:
                handle.remove()
                seen.append([len(getattr(other[0], table)) for table in tables])
        seen.append([len(getattr(module, table)) for table in tables])
    return seen


def called(*args: object) -> None:
    """A hook that does nothing."""


@case
def lazy_modules_are_as_new_after_pickling(torch):
    nn = torch.nn
    seen = []
    for made, shape in ((nn.LazyLinear(3), (2, 2)), (nn.LazyConv1d(2, 1), (1, 2, 3)), (nn.LazyBatchNorm1d(), (2, 3))):
        module = pickle.loads(pickle.dumps(made))
        module(torch.ones(shape))
        again = pickle.loads(pickle.dumps(module))
        seen.append([type(again).__name__, len(module._forward_pre_hooks), len(module._load_state_dict_pre_hooks)])
        seen.append([list(again(torch.ones(shape)).shape), {k: list(v.shape) for k, v in again.state_dict().items()}])
    return seen


@case
def states_ask_the_classes_of_tensors_for_detached_ones(torch):
    class Mine(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            with torch._C.DisableTorchFunctionSubclass():
                result = func(*args, **(kwargs or {}))
            if func is torch.Tensor.detach:
                seen.append("detach")
                return cls(result)
            return result

    seen: list[object] = []
    module = torch.nn.Linear(2, 2)
    module.weight = torch.nn.Parameter(Mine(torch.ones(2, 2)))
    module.register_buffer("steps", Mine(torch.ones(1)))
    seen.clear()
    for keep in (False, True):
        state = module.state_dict(keep_vars=keep)
        seen.append({name: [type(t).__name__, t.requires_grad] for name, t in state.items()})
    return seen


@case
def classes_keep_operators_as_attributes(torch):
    F = torch.nn.functional

    def doubled(self, x):
        return x * 2

    class Net(torch.nn.Module):
        tanh, conv, solve, whole, made = torch.tanh, torch.conv2d, torch.linalg.inv, torch.fft.fft, torch.zeros
        special, gelu, pool, linear = torch.special.erf, F.gelu, F.avg_pool2d, F.linear
        relu, einsum, own, softmax = F.relu, torch.einsum, doubled, F.softmax

    class Below(Net):
        act = torch.sigmoid

    net, x = Below(), torch.eye(2)
    image = torch.ones(1, 1, 2, 2)
    found = [
        net.tanh(x), net.conv(image, image), net.solve(x), net.whole(x).real, net.made(2), net.special(x),
        net.gelu(x), net.pool(image, 2), net.linear(x, x), net.own(x), net.act(x),
    ]  # fmt: skip
    bound = lambda: net.relu(x), lambda: net.einsum("ij->i", x), lambda: net.softmax(x, -1)
    return [
        [see(torch, t) for t in found],
        [error(call)["raises"] for call in bound],
        [Net.tanh is torch.tanh, Net.relu is F.relu, callable(vars(Below)["act"])],
    ]


@case
def copies_of_modules_leave_no_cycles(torch):
    m = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
    m.register_state_dict_pre_hook(print)
    for _ in range(2):  # the first time, what is imported leaves some
        gc.collect()
        copy.deepcopy(m)
    return gc.collect()
