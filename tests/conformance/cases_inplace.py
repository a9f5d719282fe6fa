"""In-place operators: gradients through them, their errors, and how they meet hooks, leaves, dtypes and memory."""

from __future__ import annotations

from typing import Any

from .observe import case, error, graph, name_of, see


def leaf(torch: Any, *shape: int) -> Any:
    """1, 2, 3, ... in a shape, as a leaf that requires grad."""
    n = 1
    for s in shape:
        n *= s
    return torch.arange(1.0, n + 1).view(shape).clone().requires_grad_()


def first_part(fn: Any, end: str) -> Any:
    """The error of ``fn``, its message cut before ``end``."""
    seen = error(fn)
    if "message" in seen:
        seen["message"] = seen["message"].split(end)[0]
    return seen


@case
def inplace_chain_gradient(torch):
    x = leaf(torch, 3)
    y = x * 2
    y.add_(1).mul_(3).sub_(x)
    y.sum().backward()
    return see(torch, y), see(torch, x.grad)


@case
def inplace_rebases_history(torch):
    x = leaf(torch, 2)
    y = x * 2
    old = y.grad_fn
    y.add_(1)
    return graph(y.grad_fn), y.grad_fn.next_functions[0][0] is old, y.is_leaf, y.output_nr


@case
def inplace_returns_self(torch):
    y = leaf(torch, 2).clone()
    return y.add_(1) is y, torch.relu_(y) is y, y.copy_(y.detach()) is y, y.zero_() is y


@case
def inplace_turns_a_constant_into_a_recorded_tensor(torch):
    x = leaf(torch, 2)
    y = torch.zeros(2)
    y.add_(x)
    result = see(torch, y), y.is_leaf, graph(y.grad_fn)
    (y * y).sum().backward()
    return result, see(torch, x.grad), error(lambda: y.requires_grad_(False))


@case
def row_assignment_gradient(torch):
    x, w = leaf(torch, 2, 2), leaf(torch, 2)
    y = x.clone()
    y[0] = w
    (y * y).sum().backward()
    return see(torch, y), see(torch, x.grad), see(torch, w.grad)


@case
def column_scaling_gradient(torch):
    x = leaf(torch, 2, 3)
    y = x.clone()
    y[:, 1] *= 2
    (y * y).sum().backward()
    return see(torch, y), see(torch, x.grad)


@case
def scalar_assignment_cuts_the_gradient(torch):
    x = leaf(torch, 2, 2)
    y = x.clone()
    y[0] = 5.0
    (y * y).sum().backward()
    return see(torch, y), see(torch, x.grad), graph(y.grad_fn)


@case
def view_used_again_after_its_own_change(torch):
    x = leaf(torch, 2, 2)
    y = x.clone()
    v = y[0]
    v.mul_(3)
    (v * v).sum().backward()
    return see(torch, v), see(torch, x.grad)


@case
def base_used_again_after_change_of_view(torch):
    x = leaf(torch, 2, 2)
    y = x.clone()
    y[0].mul_(3)
    (y * y).sum().backward()
    return see(torch, y), see(torch, x.grad)


@case
def view_and_base_used_together(torch):
    x = leaf(torch, 2, 2)
    y = x.clone()
    v = y[0]
    v.mul_(3)
    y.mul_(2)
    v.add_(1)
    (y.sum() + (v * v).sum()).backward()
    return see(torch, v), see(torch, y), see(torch, x.grad)


@case
def change_of_a_view_of_a_view(torch):
    x = leaf(torch, 2, 3)
    y = x.clone()
    a = y.t()
    b = a[1:]
    b.mul_(10)
    (a * a).sum().backward()
    return see(torch, a), see(torch, x.grad), name_of(y.grad_fn), name_of(a.grad_fn), name_of(b.grad_fn)


@case
def change_through_transposed_diagonal(torch):
    x = leaf(torch, 3, 3)
    y = x.clone()
    y.t().diagonal(1).copy_(torch.tensor([100.0, 200.0]))
    (y * x.detach()).sum().backward()
    return see(torch, y), see(torch, x.grad)


@case
def diagonal_of_a_recorded_matrix_multiplied(torch):
    x, w = leaf(torch, 3, 3), leaf(torch, 3)
    y = x.clone()
    y.diagonal().mul_(w)
    (y * y).sum().backward()
    return see(torch, y), see(torch, x.grad), see(torch, w.grad)


@case
def broadcasting_operand_gradient_is_reduced(torch):
    x, w = leaf(torch, 2, 3), leaf(torch, 3)
    y = x.clone()
    y.mul_(w)
    y += leaf(torch, 2, 1)
    y.sum().backward()
    return see(torch, x.grad), see(torch, w.grad)


@case
def broadcasting_row_into_matrix_by_assignment(torch):
    x, w = leaf(torch, 2, 3), leaf(torch, 1)
    y = x.clone()
    y[:, 1:] = w
    (y * y).sum().backward()
    return see(torch, x.grad), see(torch, w.grad)


@case
def assignment_drops_leading_ones_of_the_source(torch):
    w = leaf(torch, 1, 1, 3)
    y = torch.zeros(2, 3)
    y[0] = w
    (y * 2).sum().backward()
    return see(torch, y), see(torch, w.grad)


@case
def copy_with_recorded_source(torch):
    x, w = leaf(torch, 2), leaf(torch, 2)
    y = x * 3
    y.copy_(w)
    result = see(torch, y), graph(y.grad_fn)
    (y * y).sum().backward()
    return result, see(torch, x.grad), see(torch, w.grad)


@case
def copy_broadcasts_and_casts_its_source(torch):
    w = torch.tensor([1.5, 2.5], dtype=torch.float64, requires_grad=True)
    y = torch.zeros(2, 2)
    y.copy_(w)
    y.sum().backward()
    return see(torch, y), see(torch, w.grad)


@case
def copy_into_integer_tensor_has_no_history(torch):
    w = torch.tensor([1.5, 2.5], requires_grad=True)
    y = torch.zeros(2, dtype=torch.int64)
    y.copy_(w)
    return see(torch, y)


@case
def masked_assignment_gradient(torch):
    x = leaf(torch, 4)
    y = x * 2
    y[y > 4] = 0.0
    result = see(torch, y)
    (y * y).sum().backward()
    return result, see(torch, x.grad)


@case
def masked_assignment_with_recorded_values(torch):
    x, w = leaf(torch, 4), leaf(torch, 2)
    y = x * 2
    y[torch.tensor([True, False, False, True])] = w * 10
    result = see(torch, y)
    (y * y).sum().backward()
    return result, see(torch, x.grad), see(torch, w.grad)


@case
def masked_fill_and_masked_scatter_gradients(torch):
    x, w, s = leaf(torch, 4), torch.tensor(7.0, requires_grad=True), leaf(torch, 4)
    mask = torch.tensor([True, False, False, True])
    y = x * 2
    y.masked_fill_(mask, w)
    names = [name_of(y.grad_fn)]
    y.masked_scatter_(~mask, s)
    names.append(name_of(y.grad_fn))
    (y * y).sum().backward()
    return names, see(torch, y), [see(torch, t.grad) for t in (x, w, s)]


@case
def index_put_by_index_list(torch):
    x, w = leaf(torch, 4), leaf(torch, 2)
    y = x * 2
    y[[0, 2]] = w
    name = name_of(y.grad_fn)
    (y * y).sum().backward()
    return name, see(torch, y), see(torch, x.grad), see(torch, w.grad)


@case
def index_put_accumulate_with_repeats(torch):
    x, w = leaf(torch, 3), leaf(torch, 3)
    y = x * 2
    y.index_put_((torch.tensor([0, 0, 2]),), w, accumulate=True)
    name = name_of(y.grad_fn)
    (y * y).sum().backward()
    return name, see(torch, y), see(torch, x.grad), see(torch, w.grad)


@case
def augmented_assignment_with_repeated_indices_counts_once(torch):
    x = leaf(torch, 3)
    y = x.clone()
    y[[0, 0, 1]] += 10
    name = name_of(y.grad_fn)
    (y * y).sum().backward()
    return name, see(torch, y)


@case
def assignment_mixing_slices_and_index_tensors(torch):
    x, w = leaf(torch, 3, 4), leaf(torch, 2, 2)
    y = x.clone()
    y[1:, [0, 3]] = w
    (y * y).sum().backward()
    return graph(y.grad_fn), see(torch, y), see(torch, x.grad), see(torch, w.grad)


@case
def assignment_to_a_view_by_mask(torch):
    x = leaf(torch, 2, 3)
    y = x.clone()
    v = y[0]
    v[v > 1] = 0.0
    y.sum().backward()
    return name_of(y.grad_fn), name_of(v.grad_fn), see(torch, y), see(torch, x.grad)


@case
def scatter_index_add_and_index_copy_gradients(torch):
    x, s, a, c = leaf(torch, 3, 2), leaf(torch, 1, 2), leaf(torch, 2, 2), leaf(torch, 1, 2)
    y = x * 1
    y.scatter_(0, torch.tensor([[2, 1]]), s)
    names = [name_of(y.grad_fn)]
    y.index_add_(0, torch.tensor([0, 0]), a, alpha=2)
    names.append(name_of(y.grad_fn))
    y.index_copy_(0, torch.tensor([1]), c)
    names.append(name_of(y.grad_fn))
    (y * y).sum().backward()
    return names, see(torch, y), [see(torch, t.grad) for t in (x, s, a, c)]


@case
def fill_with_a_recorded_scalar(torch):
    x, w = leaf(torch, 2), torch.tensor(4.0, requires_grad=True)
    y = x * 2
    y.fill_(w)
    name = name_of(y.grad_fn)
    (y * y).sum().backward()
    return name, see(torch, x.grad), see(torch, w.grad)


@case
def zero_and_fill_cut_the_gradient(torch):
    x = leaf(torch, 2)
    y = x * 2
    y.zero_()
    first = name_of(y.grad_fn)
    y.fill_(3.0)
    second = name_of(y.grad_fn)
    y.sum().backward()
    return first, second, y.requires_grad, see(torch, x.grad)


@case
def random_fill_cuts_the_gradient(torch):
    x = leaf(torch, 2)
    y = x * 2
    y.normal_()
    first = name_of(y.grad_fn)
    y.uniform_()
    second = name_of(y.grad_fn)
    y.sum().backward()
    return first, second, see(torch, x.grad)


@case
def inplace_names_of_unary_operators(torch):
    seen = {}
    for name in [
        "exp_",
        "log_",
        "sqrt_",
        "abs_",
        "neg_",
        "sin_",
        "cos_",
        "tan_",
        "tanh_",
        "sigmoid_",
        "relu_",
        "reciprocal_",
        "square_",
        "rsqrt_",
        "sinh_",
        "cosh_",
        "atan_",
        "asin_",
        "erf_",
        "floor_",
        "round_",
        "sign_",
        "expm1_",
        "log1p_",
        "log2_",
        "trunc_",
    ]:
        x = torch.tensor([0.25, 0.5], requires_grad=True)
        y = x * 1
        getattr(y, name)()
        node = name_of(y.grad_fn)
        y.sum().backward()
        seen[name] = [node, y.tolist(), x.grad.tolist()]
    return seen


@case
def inplace_names_of_binary_operators(torch):
    seen = {}
    for name in ["add_", "sub_", "mul_", "div_", "pow_", "copy_", "atan2_", "remainder_", "hypot_"]:
        x = torch.tensor([0.25, 0.5], requires_grad=True)
        w = torch.tensor([2.0, 4.0], requires_grad=True)
        y = x * 1
        getattr(y, name)(w)
        node = name_of(y.grad_fn)
        y.sum().backward()
        seen[name] = [node, y.tolist(), x.grad.tolist(), w.grad.tolist()]
    return seen


@case
def add_with_alpha_and_self(torch):
    x = leaf(torch, 2)
    y = x * 1
    y.add_(y, alpha=3)
    y.sum().backward()
    return see(torch, y), see(torch, x.grad)


@case
def mul_by_itself_in_place(torch):
    x = leaf(torch, 2)
    y = x * 1
    y.mul_(y)
    return see(torch, y), error(lambda: y.sum().backward())


@case
def addmm_baddbmm_addcmul_in_place(torch):
    x, a, b = leaf(torch, 2, 2), leaf(torch, 2, 2), leaf(torch, 2, 2)
    y = x * 1
    y.addmm_(a, b, beta=2, alpha=3)
    y.addcmul_(a, b, value=2)
    y.addcdiv_(a, b)
    y.lerp_(a, 0.25)
    name = name_of(y.grad_fn)
    y.sum().backward()
    return name, see(torch, y), [see(torch, t.grad) for t in (x, a, b)]


@case
def clamp_in_place_gradient(torch):
    x = torch.tensor([-2.0, -1.0, 0.5, 1.0, 3.0], requires_grad=True)
    y = x * 1
    y.clamp_(-1, 1)
    y.sum().backward()
    return name_of(y.grad_fn), see(torch, x.grad)


@case
def relu_in_place_then_used(torch):
    x = torch.tensor([-1.0, 0.0, 2.0], requires_grad=True)
    y = torch.relu_(x * 1)
    (y * y).sum().backward()
    return name_of(y.grad_fn), see(torch, x.grad)


@case
def squeeze_family_in_place(torch):
    x = leaf(torch, 1, 2, 3)
    seen = []
    y = x.clone()
    for change in (
        lambda: y.squeeze_(0),
        lambda: y.unsqueeze_(-1),
        lambda: y.squeeze_(),
        lambda: y.t_(),
        lambda: y.transpose_(0, 1),
        lambda: y.swapdims_(0, 1),
    ):
        change()
        seen.append([name_of(y.grad_fn), list(y.shape), y._is_view(), y._version])
    (y * torch.arange(6.0).view(3, 2)).sum().backward()
    return seen, see(torch, x.grad)


@case
def squeeze_in_place_on_a_view(torch):
    x = leaf(torch, 2, 1, 2)
    y = x.clone()
    v = y[0]
    v.squeeze_(0)
    names = [name_of(y.grad_fn), name_of(v.grad_fn), list(v.shape), list(y.shape)]
    v.mul_(3)
    y.sum().backward()
    return names, see(torch, y), see(torch, x.grad)


@case
def transpose_in_place_on_a_leaf(torch):
    x = leaf(torch, 2, 3)
    return error(lambda: x.t_()), error(lambda: x.squeeze_()), list(x.shape)


@case
def expanded_tensor_refuses_writes_except_fills(torch):
    x = leaf(torch, 2)
    y = x.clone().expand(3, 2)
    return (
        error(lambda: y.add_(1)),
        error(lambda: y.zero_().tolist()),
        error(lambda: y.copy_(torch.ones(3, 2))),
        error(lambda: torch.ones(1).expand(2).fill_(3).tolist()),
    )


@case
def expanded_tensor_and_assignment(torch):
    y = torch.zeros(1).expand(3)

    def assign():
        y[0] = 1.0

    assign()
    return see(torch, y), error(lambda: y.__setitem__(slice(None), 1.0))


@case
def overlapping_source_and_destination(torch):
    y = torch.arange(4.0)
    return error(lambda: y[1:].copy_(y[:-1])), error(lambda: y[1:].add_(y[:-1])), error(lambda: y.add_(y).tolist())


@case
def out_argument_overlapping_with_input(torch):
    y = torch.arange(4.0)
    return error(lambda: torch.add(y[1:], 1, out=y[:-1]))


@case
def leaf_refuses_every_inplace_change(torch):
    x = leaf(torch, 2)

    def setitem():
        x[0] = 1.0

    def iadd():
        y = x
        y += 1

    return [
        error(f)
        for f in (
            lambda: x.add_(1),
            lambda: x.zero_(),
            lambda: x.copy_(torch.ones(2)),
            lambda: x.fill_(1.0),
            lambda: x.normal_(),
            lambda: x.clamp_(0, 1),
            lambda: x.masked_fill_(torch.tensor([True, False]), 0.0),
            setitem,
            iadd,
        )
    ]


@case
def leaf_index_put_is_refused_as_leaf(torch):
    x = leaf(torch, 3)

    def setitem():
        x[torch.tensor([0])] = 1.0

    def setmask():
        x[x > 1] = 1.0

    return error(setitem), error(setmask)


@case
def leaf_changed_under_no_grad(torch):
    x = leaf(torch, 2)
    same = x
    with torch.no_grad():
        x += 1
        x[0] = 10.0
        x.mul_(2)
    return x is same, x.is_leaf, see(torch, x), x._version


@case
def leaf_out_of_place_update_makes_a_non_leaf(torch):
    x = leaf(torch, 2)
    x = x - 0.1
    return x.is_leaf, see(torch, x)


@case
def no_grad_update_out_of_place_loses_requires_grad(torch):
    x = leaf(torch, 2)
    with torch.no_grad():
        x = x - 0.1
    return x.is_leaf, see(torch, x)


@case
def leaf_used_twice_and_updated_between(torch):
    x = leaf(torch, 2)
    first = x * 3
    with torch.no_grad():
        x.add_(1)
    second = x * x
    (first + second).sum().backward()
    return see(torch, x.grad)


@case
def requires_grad_false_on_a_non_leaf(torch):
    y = leaf(torch, 2) * 2

    def assign():
        y.requires_grad = False

    return error(lambda: y.requires_grad_(False)), error(assign), y.requires_grad_(True) is y


@case
def requires_grad_on_integers(torch):
    t = torch.tensor([1, 2])

    def assign():
        t.requires_grad = True

    return (
        error(lambda: t.requires_grad_()),
        error(assign),
        error(lambda: torch.tensor([1], requires_grad=True)),
        error(lambda: torch.tensor([True], requires_grad=True)),
        error(lambda: torch.zeros(2, dtype=torch.int32, requires_grad=True)),
        error(lambda: torch.arange(3, requires_grad=True)),
    )


@case
def requires_grad_of_a_wrong_type(torch):
    t = torch.zeros(2)

    def assign():
        t.requires_grad = "yes"

    return error(assign)


@case
def requires_grad_turned_off_and_on_again_on_a_leaf(torch):
    x = leaf(torch, 2)
    (x * 2).sum().backward()
    x.requires_grad_(False)
    constant = x * 3
    x.requires_grad_()
    return see(torch, constant), see(torch, x), see(torch, x.grad)


@case
def leaf_frozen_after_use_receives_no_gradient(torch):
    x = leaf(torch, 2)
    y = (x * 2).sum()
    x.requires_grad_(False)
    y.backward()
    return see(torch, x.grad), x.requires_grad


@case
def requires_grad_set_on_a_tensor_after_use_comes_too_late(torch):
    x = torch.ones(2)
    y = x * 2
    x.requires_grad_()
    return see(torch, y), error(lambda: y.sum().backward())


@case
def grad_mode_does_not_stop_requires_grad(torch):
    with torch.no_grad():
        a = torch.ones(2, requires_grad=True)
        b = torch.ones(2).requires_grad_()
        c = a * 2
    return a.requires_grad, b.requires_grad, c.requires_grad, c.is_leaf


@case
def detach_inplace_makes_a_leaf(torch):
    x = leaf(torch, 2)
    y = x * 2
    z = y * 3
    same = y.detach_() is y
    z.sum().backward()
    return same, y.is_leaf, see(torch, y), see(torch, x.grad)


@case
def detach_inplace_on_a_leaf_clears_requires_grad(torch):
    x = leaf(torch, 2)
    x.detach_()
    return see(torch, x), x.is_leaf


@case
def detach_shares_memory_and_writes_are_caught(torch):
    x = leaf(torch, 2)
    y = x * 2
    out = y * y
    y.detach().zero_()
    return see(torch, y), error(lambda: out.sum().backward())


@case
def data_shares_memory_and_writes_are_not_caught(torch):
    x = leaf(torch, 2)
    y = x * 2
    out = y * y
    y.data.zero_()
    out.sum().backward()
    return see(torch, x.grad), see(torch, y.data)


@case
def detach_and_data_can_change_shape_without_changing_the_original(torch):
    x = leaf(torch, 2, 3)
    d, e = x.detach(), x.data
    d.t_()
    e.unsqueeze_(0)
    return list(d.shape), list(e.shape), list(x.shape), list(x.detach().resize_(4).shape)


@case
def resize_of_a_tensor_that_requires_grad(torch):
    return error(lambda: leaf(torch, 2).resize_(4)), error(lambda: (leaf(torch, 2) * 2).resize_(4))


@case
def data_assignment_with_another_shape(torch):
    x = leaf(torch, 2)
    x.data = torch.zeros(3, 2)
    (x * 2).sum().backward()
    return see(torch, x), see(torch, x.grad), x.is_leaf


@case
def data_assignment_with_another_dtype(torch):
    x = leaf(torch, 2)
    x.data = torch.zeros(2, dtype=torch.float64)
    (x * 2).sum().backward()
    return see(torch, x), see(torch, x.grad)


@case
def data_assignment_of_integers_to_a_leaf_that_requires_grad(torch):
    x = leaf(torch, 2)

    def assign():
        x.data = torch.zeros(2, dtype=torch.int64)

    return error(assign), see(torch, x)


@case
def data_assignment_of_no_tensor(torch):
    x = leaf(torch, 2)

    def assign():
        x.data = 3.0

    return error(assign)


@case
def data_assignment_shares_memory_and_drops_history(torch):
    x = leaf(torch, 2)
    w = torch.ones(2, requires_grad=True)
    x.data = w * 5
    x.data.add_(1)
    return see(torch, x), x.is_leaf


@case
def data_assignment_keeps_hooks_and_graph_of_a_non_leaf(torch):
    x = leaf(torch, 2)
    y = x * 2
    y.data = torch.tensor([10.0, 20.0])
    (y * y).sum().backward()
    return see(torch, y), see(torch, x.grad)


@case
def data_of_a_view_is_no_view(torch):
    y = leaf(torch, 2, 2).clone()
    d = y[0].data
    d.mul_(5)
    return d._is_view(), see(torch, y)


@case
def grad_assignment_checks(torch):
    x = leaf(torch, 2)

    def give(g):
        x.grad = g

    return [
        error(lambda: give(torch.ones(3))),
        error(lambda: give(torch.ones(2, dtype=torch.float64))),
        error(lambda: give(1.0)),
        error(lambda: give(x)),
        error(lambda: give(torch.ones(2))),
        error(lambda: give(None)),
    ]


@case
def result_type_cannot_be_cast_to_destination(torch):
    i, f, b = torch.tensor([1]), torch.tensor([1.0]), torch.tensor([True])
    return {
        "int_add_float": error(lambda: i.add_(1.5)),
        "int_mul_float_tensor": error(lambda: i.mul_(f)),
        "int_div": error(lambda: i.div_(2)),
        "bool_add_int": error(lambda: b.add_(1)),
        "bool_mul_float": error(lambda: b.mul_(f)),
        "float_add_complex": error(lambda: f.add_(1j)),
        "float_mul_complex_tensor": error(lambda: f.mul_(torch.tensor([1j]))),
        "int_sqrt": error(lambda: i.sqrt_()),
        "int_exp": error(lambda: i.exp_()),
        "int_pow_negative": error(lambda: i.pow_(-1)),
        "int_fill_float": error(lambda: i.fill_(1.7).tolist()),
        "int_copy_float": error(lambda: i.copy_(f).tolist()),
        "float_add_double_tensor": error(lambda: f.add_(torch.tensor([1.0], dtype=torch.float64)).tolist()),
        "float_add_int_tensor": error(lambda: f.add_(torch.tensor([2])).tolist()),
        "int_floor_divide": error(lambda: i.floor_divide_(2).tolist()),
    }


@case
def augmented_true_division_of_integers(torch):
    i = torch.tensor([4])

    def divide():
        j = i
        j /= 2

    return error(divide), i.tolist()


@case
def half_precision_destination_keeps_its_dtype(torch):
    x = torch.tensor([1.0, 2.0], dtype=torch.float32, requires_grad=True)
    y = torch.zeros(2, dtype=torch.float16)
    y.add_(x)
    y.sum().backward()
    return see(torch, y), see(torch, x.grad)


@case
def double_operand_into_float_destination(torch):
    x = leaf(torch, 2)
    w = torch.tensor([3.0, 4.0], dtype=torch.float64, requires_grad=True)
    y = x * 1
    y.mul_(w)
    y.sum().backward()
    return see(torch, y), see(torch, x.grad), see(torch, w.grad)


@case
def broadcast_shape_errors(torch):
    y = torch.zeros(2, 3)
    return (
        error(lambda: y.add_(torch.ones(4))),
        error(lambda: torch.zeros(3).add_(torch.ones(2, 3))),
        error(lambda: torch.zeros(1).add_(torch.ones(3))),
        error(lambda: y.copy_(torch.ones(2, 4))),
        error(lambda: torch.zeros(3).copy_(torch.ones(2, 3))),
        error(lambda: torch.tensor(1.0).mul_(torch.ones(2))),
    )


@case
def assignment_shape_errors(torch):
    y = torch.zeros(2, 3)

    def put(index, value):
        y[index] = value

    return (
        error(lambda: put(0, torch.ones(2))),
        error(lambda: put(slice(None), torch.ones(3, 3))),
        error(lambda: put(5, 1.0)),
        error(lambda: put((0, 0, 0), 1.0)),
        error(lambda: put(torch.tensor([0, 1]), torch.ones(3, 3))),
        error(lambda: put(torch.tensor([True, False, True]), 1.0)),
        error(lambda: put(torch.tensor([2]), 1.0)),
        error(lambda: put(y > 1, torch.ones(2, 3))),
    )


@case
def masked_fill_value_errors(torch):
    y = torch.zeros(2)
    return (
        error(lambda: y.masked_fill_(torch.tensor([1.0, 0.0]), 1.0)),
        first_part(lambda: y.masked_fill_(torch.tensor([True, False]), torch.ones(2)), "\n"),
    )


@case
def hook_before_inplace_stays_with_the_old_value(torch):
    x = leaf(torch, 2)
    y = x * 2
    seen = []
    y.register_hook(lambda g: seen.append(["before", g.tolist()]))
    y.mul_(3)
    y.register_hook(lambda g: seen.append(["after", g.tolist()]))
    y.sum().backward()
    return seen, see(torch, x.grad)


@case
def hook_that_replaces_before_inplace(torch):
    x = leaf(torch, 2)
    y = x * 2
    y.register_hook(lambda g: g * 10)
    y.mul_(3)
    y.sum().backward()
    return see(torch, x.grad)


@case
def hook_removed_after_inplace(torch):
    x = leaf(torch, 2)
    y = x * 2
    seen = []
    handle = y.register_hook(lambda g: seen.append(g.tolist()))
    y.mul_(3)
    handle.remove()
    y.sum().backward()
    return seen


@case
def retain_grad_before_inplace_follows_the_tensor(torch):
    x = leaf(torch, 2)
    y = x * 2
    y.retain_grad()
    y.mul_(3)
    (y * 5).sum().backward()
    return see(torch, y.grad), y.retains_grad


@case
def retain_grad_after_inplace(torch):
    x = leaf(torch, 2)
    y = x * 2
    y.mul_(3)
    y.retain_grad()
    (y * 5).sum().backward()
    return see(torch, y.grad)


@case
def retain_grad_on_a_view_then_inplace_on_the_view(torch):
    x = leaf(torch, 2, 2)
    y = x * 2
    v = y[0]
    v.retain_grad()
    v.mul_(3)
    (v * 5).sum().backward()
    return see(torch, v.grad), see(torch, x.grad)


@case
def retain_grad_on_a_base_then_inplace_on_the_view(torch):
    x = leaf(torch, 2, 2)
    y = x * 2
    y.retain_grad()
    y[0].mul_(3)
    (y * 5).sum().backward()
    return see(torch, y.grad), see(torch, x.grad)


@case
def retain_grad_on_a_view_then_inplace_on_the_base(torch):
    x = leaf(torch, 2, 2)
    y = x * 2
    v = y[0]
    v.retain_grad()
    y.mul_(3)
    (v * 5).sum().backward()
    return see(torch, v.grad), see(torch, x.grad)


@case
def hook_on_a_view_before_inplace_on_the_base_stays_with_the_old_node(torch):
    x = leaf(torch, 2, 2)
    y = x * 2
    v = y[0]
    seen = []
    v.register_hook(lambda g: seen.append(g.tolist()))
    y.mul_(3)
    (v * 5).sum().backward()
    return seen, see(torch, x.grad)


@case
def hook_on_a_view_after_inplace_on_the_base_runs(torch):
    x = leaf(torch, 2, 2)
    y = x * 2
    v = y[0]
    seen = []
    y.mul_(3)
    v.grad_fn  # PyTorch 2.13 crashes without
    v.register_hook(lambda g: seen.append(g.tolist()))
    (v * 5).sum().backward()
    return seen


@case
def hook_on_base_then_inplace_on_view(torch):
    x = leaf(torch, 2, 2)
    y = x * 2
    seen = []
    y.register_hook(lambda g: seen.append(g.tolist()))
    y[0].mul_(3)
    y.sum().backward()
    return seen


@case
def hook_on_leaf_survives_no_grad_inplace(torch):
    x = leaf(torch, 2)
    seen = []
    x.register_hook(lambda g: seen.append(g.tolist()))
    with torch.no_grad():
        x.add_(1)
    (x * 2).sum().backward()
    return seen


@case
def hook_on_a_constant_is_refused(torch):
    return error(lambda: torch.ones(2).register_hook(lambda g: g)), error(lambda: torch.ones(2).retain_grad())


@case
def retain_grad_under_several_inplace_changes(torch):
    x = leaf(torch, 2)
    y = x * 2
    y.retain_grad()
    y.add_(1)
    y.mul_(x.detach())
    y.pow_(2)
    y.sum().backward()
    return see(torch, y.grad), see(torch, x.grad)


@case
def inplace_after_use_by_a_node_that_saved_nothing(torch):
    x = leaf(torch, 2)
    y = x * 2
    z = y + 1
    y.mul_(5)
    (z + y).sum().backward()
    return see(torch, x.grad)


@case
def inplace_then_double_backward(torch):
    x = leaf(torch, 2)
    y = x * x
    y.mul_(x)
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    (gg,) = torch.autograd.grad(g.sum(), x)
    return see(torch, g), see(torch, gg)


@case
def inplace_on_view_then_double_backward(torch):
    x = leaf(torch, 2, 2)
    y = x * x
    y[0].mul_(x[1])
    (g,) = torch.autograd.grad((y * y).sum(), x, create_graph=True)
    (gg,) = torch.autograd.grad(g.sum(), x)
    return see(torch, g), see(torch, gg)


@case
def loop_that_fills_a_buffer_row_by_row(torch):
    x = leaf(torch, 2)
    out = torch.zeros(3, 2)
    for i in range(3):
        out[i] = x * (i + 1)
    (out * out).sum().backward()
    return see(torch, out), see(torch, x.grad)


@case
def loop_that_reads_what_it_wrote_is_caught(torch):
    x = leaf(torch, 3)
    out = torch.zeros(3)
    out[0] = x[0]
    for i in (1, 2):
        out[i] = out[i - 1] * x[i]
    return error(lambda: out.sum().backward())


@case
def loop_that_reads_a_clone_of_what_it_wrote(torch):
    x = leaf(torch, 3)
    out = torch.zeros(3)
    out[0] = x[0]
    for i in (1, 2):
        out[i] = out[i - 1].clone() * x[i]
    out.sum().backward()
    return see(torch, out), see(torch, x.grad)


@case
def swapping_rows_through_a_clone(torch):
    x = leaf(torch, 2, 2)
    y = x.clone()
    y[0], y[1] = y[1].clone(), y[0].clone()
    (y * torch.arange(4.0).view(2, 2)).sum().backward()
    return see(torch, y), see(torch, x.grad)


@case
def swapping_rows_by_index_list(torch):
    x = leaf(torch, 2, 2)
    y = x.clone()
    y[[0, 1]] = y[[1, 0]]
    (y * torch.arange(4.0).view(2, 2)).sum().backward()
    return see(torch, y), see(torch, x.grad)


@case
def chained_indexing_writes_through_views_only(torch):
    y = torch.zeros(3, 3)
    y[0][1] = 5.0
    y[[0, 1]][0] = 7.0
    return see(torch, y)


@case
def inplace_on_a_broadcast_operand_of_itself(torch):
    x = leaf(torch, 2, 2)
    y = x * 1
    y.sub_(y.mean(0))
    (y * y).sum().backward()
    return see(torch, y), see(torch, x.grad)


@case
def out_argument_with_gradients_is_refused(torch):
    x = leaf(torch, 2)
    return (
        error(lambda: torch.add(x, 1, out=torch.zeros(2))),
        error(lambda: torch.add(torch.ones(2), 1, out=x)),
        error(lambda: torch.matmul(x, x, out=torch.tensor(0.0))),
    )


@case
def out_argument_with_gradients_under_no_grad(torch):
    x = leaf(torch, 2)
    out = torch.zeros(2)
    with torch.no_grad():
        torch.add(x, 1, out=out)
    return see(torch, out)


@case
def inplace_with_undefined_gradient_of_base(torch):
    x = leaf(torch, 2, 2)
    y = x.clone()
    v = y[0]
    v.mul_(2)
    (g,) = torch.autograd.grad(v.sum(), x)
    return see(torch, g)


@case
def backward_from_before_and_after_the_change(torch):
    x = leaf(torch, 2)
    y = x * 2
    z = y.sum()
    y.add_(1)
    w = (y * 3).sum()
    z.backward(retain_graph=True)
    first = see(torch, x.grad)
    w.backward()
    return first, see(torch, x.grad)


@case
def requires_grad_on_buffer_filled_under_no_grad(torch):
    x = leaf(torch, 2)
    y = torch.zeros(2)
    with torch.no_grad():
        y.copy_(x)
    y.requires_grad_()
    (y * y).sum().backward()
    return see(torch, y.grad), x.grad


@case
def inplace_function_api_and_functional_inplace_flag(torch):
    x = leaf(torch, 2)
    y = x * -1
    z = torch.nn.functional.relu(y, inplace=True)
    return z is y, name_of(z.grad_fn), y._version, error(lambda: torch.nn.functional.relu(x, inplace=True))


@case
def bernoulli_dropout_like_mask_in_place(torch):
    x = leaf(torch, 4)
    mask = torch.tensor([1.0, 0.0, 1.0, 0.0])
    y = x * 3
    y.mul_(mask).div_(0.5)
    y.sum().backward()
    return see(torch, x.grad)


@case
def where_in_place_alternative_keeps_the_gradient(torch):
    x = leaf(torch, 3)
    y = x.clone()
    y = torch.where(y > 1, y, torch.zeros_like(y))
    y[0] = x[2]
    (y * y).sum().backward()
    return see(torch, x.grad)


@case
def setting_a_single_element_from_python_number_of_another_type(torch):
    y = torch.zeros(2, dtype=torch.int64)
    y[0] = 1.9
    y[1] = True
    b = torch.zeros(2, dtype=torch.bool)
    b[0] = 2
    return see(torch, y), see(torch, b)


@case
def assigning_complex_to_real_is_refused(torch):
    y = torch.zeros(2)

    def put():
        y[0] = 1j

    return error(put)


@case
def assigning_a_tensor_to_an_int_scalar_index_out_of_range(torch):
    y = torch.zeros(2)

    def put():
        y[2] = 1.0

    return error(put), error(lambda: y[-3])


@case
def second_derivatives_through_a_view_whose_change_saves_its_result(torch):
    changes = [lambda y, name=name: getattr(y[0:2], name)() for name in (
        "exp_", "tanh_", "sigmoid_", "reciprocal_", "sqrt_", "rsqrt_", "tan_", "expm1_", "relu_", "sin_", "square_",
    )]  # fmt: skip
    changes += [lambda y: torch.nn.functional.elu(y[1:], inplace=True)]
    found = []
    for change in changes:
        x = torch.tensor([0.1, 0.7, -0.4], dtype=torch.float64, requires_grad=True)
        y = x * 1
        change(y)
        (g,) = torch.autograd.grad(y.sin().sum(), x, create_graph=True)
        (h,) = torch.autograd.grad(g.pow(2).sum(), x, create_graph=True)
        h.sum().backward()
        again = error(lambda: torch.autograd.grad(y.sum(), x))  # noqa: B023
        found.append([see(torch, x.grad), again.get("message", "")[:40]])
    return found


@case
def neg_in_place_of_every_column(torch):
    found = []
    for dtype in (torch.float32, torch.float64, torch.int32, torch.int64):
        for width in (3, 4, 8, 16):
            x = torch.arange(1, 1 + 3 * width).to(dtype).reshape(3, width)
            for column in range(width):
                x[:, column].neg_()
            torch.neg(x[:, 0], out=x[:, -1])
            found.append(x.tolist())
    return found


@case
def detach_in_place_does_nothing_in_inference_mode(torch):
    x, y = torch.ones(2, 2), torch.ones(2, requires_grad=True) * 2
    with torch.inference_mode():
        view = x.view(-1)
        same = view.detach_() is view
        y.detach_()
    return [same, view._is_view(), view._version, y.requires_grad, name_of(y.grad_fn)]


@case
def inference_tensors_are_resized_in_inference_mode_only(torch):
    with torch.inference_mode():
        x = torch.ones(2, 3)
        y = torch.ones(2, 3).resize_(7)
    refused = [error(lambda n=n: x.resize_(n)) for n in ((7,), (2, 3))]
    return refused, error(lambda: x.resize_as_(torch.ones(7))), list(y.shape)


@case
def views_whose_base_needs_no_gradient_may_have_other_memory(torch):
    def viewed(make, context):
        with context:
            view = make(torch.arange(6.0).reshape(2, 3))
        view.set_(torch.ones(2))
        view.add_(1)
        return see(torch, view)

    makers = (lambda b: b.unbind()[0], lambda b: b.split(1)[0], lambda b: b.view(-1))
    return [viewed(make, context()) for make in makers for context in (torch.enable_grad, torch.no_grad)]
