"""Saved tensors: what is saved, the modification errors, hooks on saved tensors, and freed graphs."""

from __future__ import annotations

from typing import Any

from .observe import case, error, name_of, see


def leaf(torch: Any, *values: float) -> Any:
    return torch.tensor(values, requires_grad=True)


def saved_names(node: Any) -> list[str]:
    return sorted(a for a in dir(node) if a.startswith(("_saved", "_raw_saved")))


@case
def result_changed_after_exp(torch):
    y = leaf(torch, 1.0, 2.0).exp()
    y.add_(1)
    return error(lambda: y.sum().backward())


@case
def result_changed_for_each_operator_that_saves_its_result(torch):
    seen = {}
    for name in ("exp", "sqrt", "tanh", "sigmoid", "relu", "reciprocal", "rsqrt", "tan", "softmax", "log_softmax"):
        x = leaf(torch, 0.5, 0.25)
        y = getattr(x, name)(0) if "softmax" in name else getattr(x, name)()
        y.mul_(2)
        seen[name] = error(lambda y=y: y.sum().backward())
    return seen


@case
def input_changed_for_each_operator_that_saves_its_input(torch):
    seen = {}
    for name in ("log", "sin", "cos", "abs", "square", "sinh", "cosh", "atan", "erf", "log1p"):
        y = leaf(torch, 0.5, 0.25) * 1
        z = getattr(y, name)()
        y.mul_(2)
        seen[name] = error(lambda z=z: z.sum().backward())
    return seen


@case
def operators_that_save_no_values_survive_changes(torch):
    seen = {}
    for name, op in {
        "add": lambda y: y + y,
        "neg": lambda y: -y,
        "sum": lambda y: y.sum(),
        "mean": lambda y: y.mean(),
        "mul_constant": lambda y: y * 3,
        "div_constant": lambda y: y / 3,
        "view": lambda y: y.view(1, 2),
        "cat": lambda y: torch.cat([y, y]),
        "cumsum": lambda y: y.cumsum(0),
        "index": lambda y: y[0],
        "clone": lambda y: y.clone(),
        "expand": lambda y: y.expand(3, 2),
        "sub_recorded": lambda y: y - y * 2,
    }.items():
        x = leaf(torch, 1.0, 2.0)
        y = x * 1
        z = op(y).clone()
        y.mul_(10)
        z.sum().backward()
        seen[name] = x.grad.tolist()
    return seen


@case
def first_factor_changed(torch):
    x, w = leaf(torch, 1.0, 2.0) * 1, leaf(torch, 3.0, 4.0)
    y = x * w
    x.add_(1)
    return error(lambda: y.sum().backward())


@case
def constant_factor_changed(torch):
    x, w = leaf(torch, 1.0, 2.0), torch.tensor([3.0, 4.0])
    y = x * w
    w.add_(1)
    return error(lambda: y.sum().backward())


@case
def leaf_factor_changed_under_no_grad(torch):
    x, w = leaf(torch, 1.0, 2.0), leaf(torch, 3.0, 4.0)
    y = x * w
    with torch.no_grad():
        w.add_(1)
    return error(lambda: y.sum().backward())


@case
def factor_that_is_not_needed_may_change(torch):
    x, w = leaf(torch, 1.0, 2.0), torch.tensor([3.0, 4.0])
    c = torch.tensor([5.0, 6.0])
    y = (x * w) + c
    c.add_(1)
    y.sum().backward()
    return see(torch, x.grad)


@case
def multiplied_constant_does_not_save_the_recorded_side(torch):
    x = leaf(torch, 1.0, 2.0)
    h = x * 1
    y = h * torch.tensor([3.0, 4.0])
    h.add_(100)
    y.sum().backward()
    return see(torch, x.grad)


@case
def message_names_the_current_node_of_a_changed_intermediate(torch):
    h = leaf(torch, 1.0, 2.0).clone()
    y = h * h
    h.exp_()
    h.add_(1)
    return error(lambda: y.sum().backward())


@case
def message_for_a_detached_write(torch):
    h = leaf(torch, 1.0, 2.0).clone()
    y = h * h
    h.detach().zero_()
    return error(lambda: y.sum().backward())


@case
def message_names_shapes_and_dtypes(torch):
    seen = []
    for dtype in (torch.float64, torch.float16, torch.bfloat16, torch.complex64, torch.complex128):
        w = torch.ones(2, 3, dtype=dtype)
        y = torch.ones(2, 3, dtype=dtype, requires_grad=True) * w
        w.zero_()
        seen.append(error(lambda y=y: y.backward(torch.ones_like(y))))
    return seen


@case
def message_for_a_saved_scalar_and_for_an_index(torch):
    x, s = leaf(torch, 1.0, 2.0), torch.tensor(3.0)
    y = x * s
    s.add_(1)
    index = torch.tensor([0, 1])
    z = x[index]
    index.zero_()
    return error(lambda: y.sum().backward()), error(lambda: z.sum().backward())


@case
def message_for_a_saved_mask(torch):
    x, mask = leaf(torch, 1.0, 2.0), torch.tensor([True, False])
    y = torch.where(mask, x, 0.0)
    mask.fill_(True)
    return error(lambda: y.sum().backward())


@case
def message_says_output_0_of_whatever_for_every_saved_input(torch):
    _, mean = torch.var_mean(leaf(torch, 1.0, 2.0, 6.0))
    y = mean * mean
    mean.detach().add_(1)
    values, _ = leaf(torch, 3.0, 1.0, 2.0).sort()
    z = values * values
    values.detach().add_(1)
    return error(lambda: y.backward()), error(lambda: z.sum().backward())


@case
def saved_multi_view_changed_under_no_grad(torch):
    _, b = leaf(torch, 1.0, 2.0).clone().unbind()
    z = b * b
    with torch.no_grad():
        b.add_(1)
    return error(lambda: z.backward())


@case
def message_for_a_view_changed_through_its_base(torch):
    h = leaf(torch, 1.0, 2.0).clone()
    v = h[0:1]
    y = v * v
    h.mul_(2)
    return error(lambda: y.sum().backward())


@case
def message_for_a_base_changed_through_its_view(torch):
    h = leaf(torch, 1.0, 2.0).clone()
    y = h * h
    h[0] = 5.0
    return error(lambda: y.sum().backward())


@case
def message_counts_versions(torch):
    h = leaf(torch, 1.0, 2.0).clone()
    h.add_(1)
    y = h * h
    h.add_(1)
    h.add_(1)
    return error(lambda: y.sum().backward())


@case
def matmul_operand_changed(torch):
    a = torch.ones(2, 2)
    b = torch.ones(2, 2, requires_grad=True)
    y = a @ b
    a.mul_(2)
    return error(lambda: y.sum().backward())


@case
def transposed_operand_of_matmul_changed(torch):
    a = torch.ones(2, 3)
    w = torch.ones(2, 3, requires_grad=True)
    y = a @ w.t()
    a.mul_(2)
    return error(lambda: y.sum().backward())


@case
def restored_values_still_fail(torch):
    x, w = leaf(torch, 1.0, 2.0), torch.tensor([3.0, 4.0])
    y = x * w
    w.add_(1)
    w.sub_(1)
    return error(lambda: y.sum().backward())["raises"]


@case
def retained_graph_catches_a_change_between_two_backwards(torch):
    x, w = leaf(torch, 1.0, 2.0), torch.tensor([3.0, 4.0])
    y = (x * w).sum()
    y.backward(retain_graph=True)
    w.add_(1)
    return error(lambda: y.backward()), see(torch, x.grad)


@case
def gan_like_order_of_updates_is_caught(torch):
    w1, w2 = leaf(torch, 1.0, 2.0), leaf(torch, 3.0, 4.0)
    h = torch.tensor([1.0, 1.0]) * w1
    loss1 = (h * w2).sum()
    loss1.backward(retain_graph=True)
    with torch.no_grad():
        w2 -= 0.1
    loss2 = loss1 * 2
    return error(lambda: loss2.backward())


@case
def reading_a_saved_tensor_that_was_changed(torch):
    w = torch.tensor([3.0, 4.0])
    y = leaf(torch, 1.0, 2.0) * w
    w.add_(1)
    return error(lambda: y.grad_fn._saved_other)


@case
def second_backward(torch):
    x = leaf(torch, 1.0, 2.0)
    y = (x * x).sum()
    y.backward()
    return error(lambda: y.backward()), see(torch, x.grad)


@case
def second_backward_through_nodes_that_saved_nothing(torch):
    x = leaf(torch, 1.0, 2.0)
    y = (x + 1).sum()
    y.backward()
    y.backward()
    return see(torch, x.grad)


@case
def second_backward_through_multiplication_by_a_number(torch):
    x = leaf(torch, 1.0, 2.0)
    y = (x * 2).sum()
    y.backward()
    return error(lambda: y.backward()), see(torch, x.grad)


@case
def which_operators_allow_a_second_backward(torch):
    x = leaf(torch, 1.0, 2.0)
    seen = {}
    for name, op in {
        "view": lambda: x.view(1, 2).sum(),
        "div": lambda: (x / 2).sum(),
        "neg": lambda: (-x).sum(),
        "mean": lambda: x.mean(),
        "pow": lambda: x.pow(2).sum(),
        "cat": lambda: torch.cat([x, x]).sum(),
        "select": lambda: x[0],
        "max": lambda: x.max(),
        "expand": lambda: x.expand(2, 2).sum(),
        "sub": lambda: (x - x).sum(),
        "index": lambda: x[[0, 1]].sum(),
        "clamp": lambda: x.clamp(0, 1).sum(),
        "where": lambda: torch.where(x > 1, x, 0.0).sum(),
        "cumsum": lambda: x.cumsum(0).sum(),
        "double": lambda: x.double().sum(),
        "clone": lambda: x.clone().sum(),
        "unbind": lambda: x.unbind()[1] + 1,
        "stack": lambda: torch.stack([x, x]).sum(),
        "permute": lambda: x.view(1, 2).permute(1, 0).sum(),
        "std": lambda: x.std(),
        "norm": lambda: x.norm(),
        "logsumexp": lambda: x.logsumexp(0),
    }.items():
        y = op()
        y.backward()
        seen[name] = error(lambda y=y: y.backward()).get("raises")
    return seen


@case
def shared_part_freed_by_the_first_of_two_losses(torch):
    x = leaf(torch, 1.0, 2.0)
    h = x * x
    a, b = h.sum(), h.mean()
    a.backward()
    return error(lambda: b.backward())


@case
def saved_attributes_after_free(torch):
    x = leaf(torch, 1.0, 2.0)
    y = x * x
    node = y.grad_fn
    y.sum().backward()
    return error(lambda: node._saved_self), error(lambda: node._saved_other)


@case
def which_attributes_nodes_offer(torch):
    x, w = leaf(torch, 1.0, 2.0), leaf(torch, 3.0, 4.0)
    m = torch.ones(2, 2, requires_grad=True)
    return {
        "mul": saved_names((x * w).grad_fn),
        "div": saved_names((x / w).grad_fn),
        "add": saved_names((x + w).grad_fn),
        "exp": saved_names(x.exp().grad_fn),
        "pow": saved_names(x.pow(2).grad_fn),
        "pow_tensor": saved_names(x.pow(w).grad_fn),
        "sum": saved_names(x.sum().grad_fn),
        "sum_dim": saved_names(x.sum(0).grad_fn),
        "mean": saved_names(x.mean().grad_fn),
        "mm": saved_names((m @ m).grad_fn),
        "softmax": saved_names(x.softmax(0).grad_fn),
        "clamp": saved_names(x.clamp(0, 1).grad_fn),
        "cat": saved_names(torch.cat([x, x]).grad_fn),
        "select": saved_names(x[0].grad_fn),
        "index": saved_names(x[[0]].grad_fn),
        "expand": saved_names(x.expand(2, 2).grad_fn),
        "where": saved_names(torch.where(x > 1, x, w).grad_fn),
    }


@case
def mul_saves_only_what_is_needed(torch):
    x, w = leaf(torch, 1.0, 2.0), torch.tensor([3.0, 4.0])
    y, z, u = x * w, w * x, x * x
    return (
        [y.grad_fn._saved_self, y.grad_fn._saved_other.tolist()],
        [z.grad_fn._saved_self.tolist(), z.grad_fn._saved_other],
        [u.grad_fn._saved_self.tolist(), u.grad_fn._saved_other.tolist()],
    )


@case
def saved_input_is_the_very_tensor(torch):
    x, w = leaf(torch, 1.0, 2.0), leaf(torch, 3.0, 4.0)
    h = x * 1
    y = h * w
    return y.grad_fn._saved_self is h, y.grad_fn._saved_other is w


@case
def saved_constant_is_the_very_tensor(torch):
    x, w = leaf(torch, 1.0, 2.0), torch.tensor([3.0, 4.0])
    y = x * w
    return y.grad_fn._saved_other is w


@case
def saved_result_is_a_new_tensor_with_the_same_node(torch):
    y = leaf(torch, 1.0, 2.0).exp()
    saved = y.grad_fn._saved_result
    return saved is y, saved.grad_fn is y.grad_fn, saved.data_ptr() == y.data_ptr(), saved.requires_grad, saved.is_leaf


@case
def saved_numbers(torch):
    x = leaf(torch, 1.0, 2.0)
    m = torch.ones(2, 3, requires_grad=True)
    return {
        "pow": x.pow(3).grad_fn._saved_exponent,
        "clamp": [x.clamp(0, 1).grad_fn._saved_min, x.clamp(0, 1).grad_fn._saved_max],
        "clamp_min_only": [x.clamp(min=0).grad_fn._saved_min],
        "add_alpha": torch.add(x, x, alpha=2).grad_fn._saved_alpha,
        "sum_dim": [list(m.sum(1).grad_fn._saved_dim), m.sum(1).grad_fn._saved_keepdim],
        "sum_sizes": list(m.sum().grad_fn._saved_self_sym_sizes),
        "cat_dim": torch.cat([x, x]).grad_fn._saved_dim,
        "softmax_dim": m.softmax(-1).grad_fn._saved_dim,
        "std_correction": x.std().grad_fn._saved_correction,
        "mean_dim": list(m.mean(0).grad_fn._saved_dim),
    }


@case
def saved_number_as_tensor(torch):
    y = leaf(torch, 1.0, 2.0) * 3
    return see(torch, y.grad_fn._saved_other), y.grad_fn._saved_self


@case
def saved_indices(torch):
    x = leaf(torch, 1.0, 2.0)
    node = x[torch.tensor([1])].grad_fn
    return see(torch, node._saved_indices), len(node._raw_saved_indices)


@case
def saved_attributes_are_read_only(torch):
    y = leaf(torch, 1.0, 2.0) * 3

    def assign():
        y.grad_fn._saved_self = 1

    return error(assign)["raises"], error(lambda: y.grad_fn._saved_nothing)


@case
def raw_saved_tensor_class_and_attributes(torch):
    x = leaf(torch, 1.0, 2.0)
    y = x.log()
    raw = y.grad_fn._raw_saved_self
    return type(raw).__name__, raw.unpack_hook, raw.data is x, raw.unpack() is x


@case
def saved_input_detached_in_place(torch):
    x = leaf(torch, 1.0, 2.0)
    h = x * 2
    y = h * h
    h.detach_()
    return error(lambda: y.sum().backward()), see(torch, x.grad)


@case
def saved_result_detached_in_place(torch):
    x = leaf(torch, 1.0, 2.0)
    y = x.exp()
    z = y.sum()
    y.detach_()
    z.backward()
    return see(torch, x.grad)


@case
def raw_saved_tensor_data_is_detached_for_results(torch):
    y = leaf(torch, 1.0, 2.0).exp()
    raw = y.grad_fn._raw_saved_result
    return raw.data is y, raw.data.requires_grad, raw.data.data_ptr() == y.data_ptr()


@case
def raw_saved_tensor_data_is_the_tensor_for_inputs(torch):
    x = leaf(torch, 1.0, 2.0)
    y = x.log()
    return y.grad_fn._raw_saved_self.data is x


@case
def raw_saved_tensor_of_nothing(torch):
    y = leaf(torch, 1.0, 2.0) * 3
    raw = y.grad_fn._raw_saved_self
    return raw.data, y.grad_fn._saved_self


@case
def raw_saved_tensor_cannot_be_made(torch):
    y = leaf(torch, 1.0, 2.0).exp()
    raw = y.grad_fn._raw_saved_result
    return error(lambda: type(raw)())["raises"]


@case
def hooks_registered_on_one_saved_tensor(torch):
    x = leaf(torch, 1.0, 2.0)
    y = x.log()
    calls = []

    def pack(t):
        calls.append(["pack", t.tolist()])
        return t.detach() * 2

    def unpack(t):
        calls.append(["unpack", t.tolist()])
        return t

    raw = y.grad_fn._raw_saved_self
    raw.register_hooks(pack, unpack)
    before, kept = list(calls), raw.unpack_hook is unpack
    y.sum().backward()
    return before, calls, see(torch, x.grad), kept


@case
def hooks_registered_twice(torch):
    y = leaf(torch, 1.0, 2.0).exp()
    raw = y.grad_fn._raw_saved_result
    raw.register_hooks(lambda t: t, lambda t: t)
    return error(lambda: raw.register_hooks(lambda t: t, lambda t: t))


@case
def hooks_registered_after_free(torch):
    y = leaf(torch, 1.0, 2.0).exp()
    y.sum().backward()
    raw = y.grad_fn._raw_saved_result
    return raw.data, error(lambda: raw.register_hooks(lambda t: t, lambda t: t))


@case
def hooks_registered_on_nothing(torch):
    y = leaf(torch, 1.0, 2.0) * 3
    raw = y.grad_fn._raw_saved_self
    return error(lambda: raw.register_hooks(lambda t: t, lambda t: t))


@case
def hooks_registered_where_default_hooks_are(torch):
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        y = leaf(torch, 1.0, 2.0).exp()
    return error(lambda: y.grad_fn._raw_saved_result.register_hooks(lambda t: t, lambda t: t))


@case
def hooks_that_are_not_callable(torch):
    y = leaf(torch, 1.0, 2.0).exp()
    raw = y.grad_fn._raw_saved_result
    return error(lambda: raw.register_hooks(1, 2))["raises"], error(lambda: raw.register_hooks(lambda t: t))["raises"]


def recording_hooks(torch: Any, calls: list[Any]) -> tuple[Any, Any]:
    def pack(t):
        calls.append(["pack", t.tolist(), t.requires_grad, name_of(t.grad_fn), torch.is_grad_enabled()])
        return t

    def unpack(t):
        calls.append(["unpack", t.tolist(), t.requires_grad, torch.is_grad_enabled()])
        return t

    return pack, unpack


@case
def default_hooks_order_and_modes(torch):
    x, calls = leaf(torch, 1.0, 2.0), []
    with torch.autograd.graph.saved_tensors_hooks(*recording_hooks(torch, calls)):
        y = x * x
        z = y.log()
    packed = list(calls)
    z.sum().backward()
    return packed, calls[len(packed) :]


@case
def default_hooks_on_a_saved_result(torch):
    x, calls = leaf(torch, 1.0, 2.0), []
    with torch.autograd.graph.saved_tensors_hooks(*recording_hooks(torch, calls)):
        y = x.exp()
    same = y.grad_fn._saved_result is y
    y.sum().backward()
    return same, calls, see(torch, x.grad)


@case
def default_hooks_pack_sees_the_very_input(torch):
    x, seen = leaf(torch, 1.0, 2.0), []

    def pack(t):
        seen.append(t is x)
        return t

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        x * x
    return seen


@case
def pack_is_called_once_unpack_on_each_access(torch):
    x, calls = leaf(torch, 1.0, 2.0), []
    with torch.autograd.graph.saved_tensors_hooks(
        lambda t: calls.append("pack") or t, lambda t: calls.append("unpack") or t
    ):
        y = x.log()
    for _ in range(3):
        y.grad_fn._saved_self
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    return calls


@case
def hooks_are_those_of_the_forward_not_of_the_backward(torch):
    x, calls = leaf(torch, 1.0, 2.0), []
    y = x.log()
    with torch.autograd.graph.saved_tensors_hooks(
        lambda t: calls.append("pack") or t, lambda t: calls.append("unpack") or t
    ):
        y.sum().backward()
    return calls


@case
def hooks_run_on_what_a_differentiable_backward_saves(torch):
    x, calls = leaf(torch, 1.0, 2.0), []
    y = x.log().sum()
    with torch.autograd.graph.saved_tensors_hooks(
        lambda t: calls.append("pack") or t, lambda t: calls.append("unpack") or t
    ):
        (g,) = torch.autograd.grad(y, x, create_graph=True)
    packs = calls.count("pack")
    g.sum().backward()
    return packs > 0, calls.count("unpack") > 0, see(torch, x.grad)


@case
def nothing_is_packed_without_gradients(torch):
    calls = []
    x = leaf(torch, 1.0, 2.0)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: calls.append("pack") or t, lambda t: t):
        torch.ones(2) * torch.ones(2)
        with torch.no_grad():
            x * x
        x + x
        x.sum()
        x.detach() * 2
    return calls


@case
def constant_tensors_are_packed_but_python_numbers_are_not(torch):
    seen = []
    x, w = leaf(torch, 1.0, 2.0), torch.tensor([3.0, 4.0])
    with torch.autograd.graph.saved_tensors_hooks(lambda t: seen.append(t.tolist()) or t, lambda t: t):
        x * w
        x * 3
        x[torch.tensor([1])]
    return seen


@case
def hooks_may_change_the_values(torch):
    x = leaf(torch, 1.0, 2.0)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach() * 10, lambda t: t + 1):
        y = x * torch.tensor([3.0, 4.0])
    y.sum().backward()
    return see(torch, x.grad)


@case
def hooks_may_pack_into_anything(torch):
    x = leaf(torch, 1.0, 2.0)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: ("packed", t.tolist()), lambda p: torch.tensor(p[1])):
        y = (x * x).exp()
    raw = y.grad_fn._raw_saved_result
    y.sum().backward()
    return see(torch, x.grad), name_of(raw)


@case
def raw_data_with_hooks_is_the_packed_object(torch):
    with torch.autograd.graph.saved_tensors_hooks(lambda t: "packed", lambda p: torch.ones(2)):
        y = leaf(torch, 1.0, 2.0).exp()
    return y.grad_fn._raw_saved_result.data, see(torch, y.grad_fn._saved_result)


@case
def unpacked_tensor_must_fit_the_formula(torch):
    x = leaf(torch, 1.0, 2.0)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: None, lambda p: torch.ones(3)):
        y = x * torch.tensor([3.0, 4.0])
    return error(lambda: y.sum().backward())


@case
def unpack_returning_no_tensor(torch):
    x = leaf(torch, 1.0, 2.0)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda p: 3):
        y, z = x.log(), x.exp()
    return error(lambda: y.sum().backward()), error(lambda: z.grad_fn._saved_result)


@case
def unpack_returning_none(torch):
    x = leaf(torch, 1.0, 2.0)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda p: None):
        y = x.log()
    return error(lambda: y.sum().backward())


@case
def errors_in_hooks_are_passed_on(torch):
    x = leaf(torch, 1.0, 2.0)

    def fail(_):
        raise ValueError("not today")

    def packing():
        with torch.autograd.graph.saved_tensors_hooks(fail, lambda t: t):
            x.log()

    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, fail):
        y = x.log()
    after = x.log()
    after.sum().backward()
    return error(packing), error(lambda: y.sum().backward()), see(torch, x.grad)


@case
def hook_modifying_its_input_in_place(torch):
    x = leaf(torch, 1.0, 2.0)

    def constant():
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t.add_(1), lambda t: t):
            x * torch.tensor([3.0, 4.0])

    def recorded():
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t.mul_(2), lambda t: t):
            x.clone().log()

    def result():
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t.mul_(2), lambda t: t):
            x.exp()

    return error(constant), error(recorded), error(result)


@case
def hook_modifying_its_input_in_place_by_registration(torch):
    y = leaf(torch, 1.0, 2.0).exp()
    return error(lambda: y.grad_fn._raw_saved_result.register_hooks(lambda t: t.mul_(2), lambda t: t))


@case
def inner_hooks_win(torch):
    x, calls = leaf(torch, 1.0, 2.0), []
    graph = torch.autograd.graph
    with graph.saved_tensors_hooks(lambda t: calls.append("outer") or t, lambda t: t):
        x.log()
        with graph.saved_tensors_hooks(lambda t: calls.append("inner") or t, lambda t: t):
            x.log()
        x.log()
    x.log()
    return calls


@case
def hooks_object_can_be_reused(torch):
    x, calls = leaf(torch, 1.0, 2.0), []
    hooks = torch.autograd.graph.saved_tensors_hooks(lambda t: calls.append("pack") or t, lambda t: t)
    with hooks:
        x.log()
    with hooks:
        x.log()
    return calls


@case
def hooks_are_gone_after_an_error_in_the_block(torch):
    x, calls = leaf(torch, 1.0, 2.0), []

    def block():
        with torch.autograd.graph.saved_tensors_hooks(lambda t: calls.append("pack") or t, lambda t: t):
            raise KeyError("out")

    raised = error(block)
    x.log()
    return raised["raises"], calls


@case
def hooks_switch_the_version_check_off(torch):
    x, w = leaf(torch, 1.0, 2.0), torch.tensor([3.0, 4.0])
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        y = x * w
    w.add_(1)
    y.sum().backward()
    return see(torch, x.grad)


@case
def hooks_that_clone_allow_changes(torch):
    x = leaf(torch, 1.0, 2.0)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        y = x.exp()
    y.add_(1)
    y.sum().backward()
    return see(torch, x.grad)


@case
def double_backward_through_hooks(torch):
    x = leaf(torch, 1.0, 2.0)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        y = (x * x * x).sum()
        (g,) = torch.autograd.grad(y, x, create_graph=True)
    (gg,) = torch.autograd.grad(g.sum(), x)
    return see(torch, g), see(torch, gg)


@case
def double_backward_through_a_saved_result_with_hooks(torch):
    x = leaf(torch, 1.0, 2.0)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        (g,) = torch.autograd.grad(x.exp().sum(), x, create_graph=True)
    (gg,) = torch.autograd.grad(g.sum(), x)
    return see(torch, gg)


@case
def save_on_cpu_changes_nothing_on_cpu(torch):
    x = leaf(torch, 1.0, 2.0)
    with torch.autograd.graph.save_on_cpu():
        y = (x * x).exp()
    y.sum().backward()
    return see(torch, x.grad)


@case
def save_on_cpu_keeps_cpu_tensors_by_reference(torch):
    x, w = leaf(torch, 1.0, 2.0), torch.tensor([3.0, 4.0])
    with torch.autograd.graph.save_on_cpu():
        y = x * w
    w.add_(100)
    y.sum().backward()
    return see(torch, x.grad)


@case
def disabled_hooks_refuse_new_hooks(torch):
    graph = torch.autograd.graph

    def inner():
        with graph.disable_saved_tensors_hooks("no hooks here"), graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            pass

    def outer():
        with graph.saved_tensors_hooks(lambda t: t, lambda t: t), graph.disable_saved_tensors_hooks("no hooks here"):
            pass

    return error(inner), error(outer)


@case
def disabled_hooks_nest_and_end(torch):
    graph = torch.autograd.graph
    x, calls = leaf(torch, 1.0, 2.0), []

    def use():
        with graph.saved_tensors_hooks(lambda t: calls.append("pack") or t, lambda t: t):
            x.log()

    with graph.disable_saved_tensors_hooks("outer"):
        with graph.disable_saved_tensors_hooks("inner"):
            first = error(use)
        second = error(use)
    use()
    return first, second, calls


@case
def disabled_hooks_allow_ordinary_use(torch):
    x = leaf(torch, 1.0, 2.0)
    with torch.autograd.graph.disable_saved_tensors_hooks("no hooks here"):
        (x * x).sum().backward()
    return see(torch, x.grad)


@case
def mutation_allowed_on_saved_tensors(torch):
    x = leaf(torch, 1.0, 2.0)
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        y = x.clone()
        z = y * y
        y.mul_(100)
        z.sum().backward()
    return see(torch, x.grad), see(torch, y)


@case
def mutation_allowed_on_saved_results_and_views(torch):
    x = leaf(torch, 1.0, 2.0)
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        y = x.exp()
        y.mul_(2)
        h = x.clone()
        v = h[0:1]
        z = v * v
        h.zero_()
        (y.sum() + z.sum()).backward()
    return see(torch, x.grad)


@case
def mutation_allowed_only_inside_the_context(torch):
    x = leaf(torch, 1.0, 2.0)
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        z = x.clone().log()
    return error(lambda: z.sum().backward())


@case
def mutation_context_does_not_nest(torch):
    graph = torch.autograd.graph

    def nested():
        with graph.allow_mutation_on_saved_tensors(), graph.allow_mutation_on_saved_tensors():
            pass

    return error(nested)


@case
def mutation_context_does_not_help_earlier_saves(torch):
    h = leaf(torch, 1.0, 2.0).clone()
    y = h * h
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        h.add_(1)
        return error(lambda: y.sum().backward())


@case
def checkpoint_recomputes_with_the_same_gradients(torch):
    from importlib import import_module

    checkpoint = import_module(f"{torch.__name__}.utils.checkpoint").checkpoint
    x, calls = leaf(torch, 1.0, 2.0), []

    def f(t):
        calls.append(torch.is_grad_enabled())
        return (t * t).exp()

    y = checkpoint(f, x, use_reentrant=False)
    before = list(calls)
    y.sum().backward()
    return before, calls, see(torch, x.grad)


@case
def graph_is_freed_node_by_node_even_if_a_later_node_fails(torch):
    x = leaf(torch, 1.0, 2.0)
    h = x * x
    h.register_hook(lambda g: (_ for _ in ()).throw(ValueError("stop")))
    y = h.exp().sum()
    first = error(lambda: y.backward())
    return first, error(lambda: y.backward())


@case
def autograd_grad_frees_only_what_it_ran(torch):
    x, w = leaf(torch, 1.0, 2.0), leaf(torch, 3.0, 4.0)
    h = x * x
    y = (h * w).sum()
    torch.autograd.grad(y, w)
    return error(lambda: h.sum().backward()), see(torch, x.grad), error(lambda: y.backward())


@case
def second_derivatives_by_the_first_of_several_outputs(torch):
    """Which was saved by a checkpoint, by hooks, or as the copy that an operation in place keeps."""
    ck = torch.utils.checkpoint.checkpoint
    double = torch.float64

    class Two(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x, x * x * x

        @staticmethod
        def backward(ctx, a, b):
            (x,) = ctx.saved_tensors
            return 2 * x * a + 3 * x * x * b

    outputs = (
        lambda x: x.split(1)[0], lambda x: x.unbind(0)[0], lambda x: x.chunk(2)[0], lambda x: x[0].unbind(0)[0],
        lambda x: torch.aminmax(x, dim=0)[0], lambda x: torch.var_mean(x, 0)[0], lambda x: torch.std_mean(x, 0)[0],
        lambda x: torch.linalg.eigh(x @ x.T)[0], lambda x: torch.linalg.qr(x)[0], lambda x: Two.apply(x)[0],
        lambda x: torch.linalg.svd(x)[0], lambda x: torch.linalg.slogdet(x)[1], lambda x: x.max(0)[0],
    )  # fmt: skip

    def with_hooks(a):
        with torch.autograd.graph.save_on_cpu():
            return a**3

    ways = (
        lambda a: ck(lambda q: q**3, a, use_reentrant=False),
        with_hooks,
        lambda a: a.pow_(3),
        lambda a: a.pow_(torch.full((), 3.0, dtype=double)),
        lambda a: torch.nn.functional.hardtanh(a, -5, 5, inplace=True) ** 2,
    )

    def twice(output, way):
        x = torch.tensor([[1.0, 2.0], [3.0, 5.0]], dtype=double, requires_grad=True)
        (g,) = torch.autograd.grad(way(output(x)).sum(), x, create_graph=True)
        (g * g).sum().backward()
        return see(torch, x.grad)

    return [[error(lambda: twice(output, way)) for way in ways] for output in outputs]  # noqa: B023


@case
def single_sizes_that_are_saved(torch):
    a, b, c = torch.ones(2, 3), torch.ones(4, 2, 5), torch.ones(4, 5, 3)
    names = ("batch1_sym_argsize_0", "batch1_sym_argsize_1", "batch2_sym_argsize_2")
    found = []
    for leaf in (a, b, c):
        leaf.requires_grad_()
        out = torch.addbmm(a, b, c)
        found.append([getattr(out.grad_fn, f"_saved_{name}") for name in names])
        out.sum().backward()
        found.append([getattr(out.grad_fn, f"_saved_{name}") for name in names])
        leaf.requires_grad_(False)
    x = torch.ones(1, 1, 6, 4, requires_grad=True)
    (g,) = torch.autograd.grad(torch.nn.functional.adaptive_avg_pool2d(x, (3, 2)).pow(2).sum(), x, create_graph=True)
    heights_and_widths = [getattr(g.grad_fn, f"_saved_grad_output_sym_argsize_minus_{i}") for i in (2, 1)]
    return [found, name_of(g.grad_fn), heights_and_widths]


@case
def save_on_cpu_in_pinned_memory_copies(torch):
    x = leaf(torch, 1.0, 2.0)
    with torch.autograd.graph.save_on_cpu(True):
        y = x.exp()
    y.mul_(3)
    y.sum().backward()
    return see(torch, x.grad)


@case
def numbers_beside_half_precision_are_not_packed(torch):
    found = []
    for dtype in (torch.float16, torch.bfloat16, torch.float32):
        x = torch.ones(2, dtype=dtype, requires_grad=True)
        packed = []

        def pack(t, packed=packed):
            packed.append([list(t.shape), str(t.dtype)])
            return t

        with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
            ys = [x * 2, 2.5 * x, x / 2, 2 / x, x * True, (x * 1).mul_(2), x * torch.tensor(2.0)]
        (g,) = torch.autograd.grad(sum(y.sum() for y in ys), x, create_graph=True)
        found.append([packed, see(torch, g.detach())])
    return found


@case
def tensors_are_packed_by_their_names_and_whichever_gradient_needs_them(torch):
    def packed(op, *wanted):
        given = [torch.tensor([1.0 + i, 2.5 - i], requires_grad=i in wanted) for i in range(3)]
        log = []
        with torch.autograd.graph.saved_tensors_hooks(lambda t: log.append(t.tolist()) or t, lambda t: t):
            op(*given)
        return log

    pair = {
        "fmin": lambda x, y, z: torch.fmin(x, y),
        "maximum": lambda x, y, z: torch.maximum(x, y),
        "atan2": lambda x, y, z: torch.atan2(x, y),
        "pow": lambda x, y, z: x**y,
        "xlogy": lambda x, y, z: torch.xlogy(x, y),
        "logaddexp": lambda x, y, z: torch.logaddexp(x, y),
        "clamp": lambda x, y, z: torch.clamp(x, y, z),
        "addcdiv": lambda x, y, z: torch.addcdiv(x, y, z),
        "addcmul": lambda x, y, z: torch.addcmul(x, y, z),
        "lerp": lambda x, y, z: torch.lerp(x, y, z),
        "gather": lambda x, y, z: torch.gather(x, 0, torch.tensor([0, 1])),
        "cdist": lambda x, y, z: torch.cdist(x[None], y[None], p=1),
        "scatter_reduce": lambda x, y, z: x.scatter_reduce(0, torch.tensor([0, 0]), y, "prod"),
        "layer_norm": lambda x, y, z: torch.nn.functional.layer_norm(x, (2,), y, z),
        "bilinear": lambda x, y, z: torch.nn.functional.bilinear(x[None], y[None], z[None, :, None] * y.detach()),
    }
    ways = (0,), (1,), (2,), (0, 1, 2)
    return {name: [packed(op, *wanted) for wanted in ways] for name, op in pair.items()}


@case
def what_is_saved_without_need_may_not_be_of_inference_mode(torch):
    with torch.inference_mode():
        t = torch.tensor([2.0])
    x = leaf(torch, 1.0)
    return [error(lambda: torch.addcdiv(x, t, t)), error(lambda: (x * 1).addcdiv_(t, t)), see(torch, torch.add(x, t))]


@case
def copies_of_what_is_gone_are_not_taken_for_others(torch):
    a = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        total = sum((a * float(i)).sin().sum() for i in range(20))
        (g,) = torch.autograd.grad(total, a)
    return see(torch, g)


@case
def what_is_saved_where_changes_are_allowed(torch):
    seen = []
    with torch.autograd.graph.allow_mutation_on_saved_tensors() as context:

        def look():
            seen.append([len(context.tid_to_weakhandle), len(context.cloned)])

        b = torch.ones(2, requires_grad=True).clone()
        c, d = b.sin(), b.cos()
        look()
        b.add_(1)
        look()
        e = b.sin()
        look()
        del c, d
        look()
        del e
        look()
    return seen


@case
def quotients_show_how_they_were_rounded(torch):
    x = leaf(torch, 5.0)
    seen = []
    for mode in ("trunc", "floor", None):
        for other in (2.0, torch.tensor([2.0]), leaf(torch, 2.0)):
            node = torch.div(x, other, rounding_mode=mode).grad_fn
            seen.append([name_of(node), node._saved_rounding_mode, saved_names(node)])
        node = x.clone().div_(2.0, rounding_mode=mode).grad_fn
        seen.append([name_of(node), node._saved_rounding_mode, saved_names(node)])
    return seen


@case
def what_was_saved_and_then_detached_in_place(torch):
    def of_part(t):
        t[:1].mul_(2)
        t.detach_()

    changes = {"detached": lambda t: t.detach_(), "changed": lambda t: t.mul_(2).detach_(), "in part": of_part}
    changes["changed later"] = lambda t: t.detach_().mul_(2)
    operators = {"erfc": torch.erfc, "mul": lambda t: t * t, "addcmul": lambda t: torch.addcmul(t, t, t)}
    seen = {}
    for name, operator in operators.items():
        for how, change in changes.items():
            for again in (False, True):
                leaf = torch.ones(2, requires_grad=True)
                x = leaf * 1
                y = operator(x).sum()
                change(x)
                told = error(lambda y=y, leaf=leaf, again=again: torch.autograd.grad(y, leaf, create_graph=again))
                seen[f"{name} {how} {again}"] = told
    x = torch.ones(2, requires_grad=True) * 1
    y = x.erfc()
    x.detach_()
    return [seen, see(torch, y.grad_fn._saved_self.detach())]
