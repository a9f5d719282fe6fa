"""Reading and writing by index, and the functions around it: gather, scatter, index_*, masked_*, take, where."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from .cases_conversion import quietly
from .cases_creation import brief
from .observe import case, error, graph, see, warned


def brick(torch: Any) -> Any:
    """0..23 of shape (2, 3, 4)."""
    return torch.arange(24).reshape(2, 3, 4)


def leaf(torch: Any) -> Any:
    """0..11 of shape (3, 4), a leaf that requires grad."""
    return torch.arange(12.0).reshape(3, 4).clone().requires_grad_()


def facts(t: Any) -> list[Any]:
    return [list(t.shape), t.tolist()]


def name(t: Any) -> Any:
    return None if t.grad_fn is None else type(t.grad_fn).__name__


# ---- basic indexing ---------------------------------------------------------------------------------------------


@case
def index_by_integers(torch):
    x = brick(torch)
    return {
        "one": facts(x[1]),
        "negative": facts(x[-1]),
        "two": facts(x[1, 2]),
        "three": see(torch, x[1, 2, 3]),
        "negatives": see(torch, x[-1, -3, -4]),
        "chained": see(torch, x[1][0][2]),
        "numpy_int": facts(x[np.int64(1)]),
        "zero_dim_tensor": facts(x[torch.tensor(1)]),
        "zero_dim_int32": facts(x[torch.tensor(-1, dtype=torch.int32)]),
        "bool_is_no_integer": list(x[True].shape),
    }


@case
def index_by_slices(torch):
    x = torch.arange(10)
    return {
        "all": x[:].tolist(),
        "from": x[7:].tolist(),
        "to": x[:3].tolist(),
        "both": x[2:5].tolist(),
        "step": x[1:9:3].tolist(),
        "negative_start": x[-3:].tolist(),
        "negative_end": x[:-8].tolist(),
        "beyond": x[8:100].tolist(),
        "far_below": x[-100:2].tolist(),
        "empty": x[5:2].tolist(),
        "outside": x[20:30].tolist(),
        "big_step": x[::7].tolist(),
        "tensor_bounds": x[torch.tensor(2) : torch.tensor(4)].tolist(),
        "numpy_bounds": x[np.int64(2) : np.int32(4)].tolist(),
        "step_stride": x[::3].stride(),
        "slice_object": x[slice(1, 4)].tolist(),
        "none_bounds": x[slice(None, None, 5)].tolist(),
    }


@case
def index_by_slices_of_many_dims(torch):
    x = brick(torch)
    return {
        "second": facts(x[:, 1:]),
        "last": facts(x[..., ::2]),
        "mixed": facts(x[0, 1:, -1]),
        "empty": [list(x[:, 3:].shape), x[:, 3:].stride()],
        "all": list(x[:, :, :].shape),
    }


@case
def index_by_none_and_ellipsis(torch):
    x = brick(torch)
    return {
        "none": [list(x[None].shape), x[None].stride()],
        "none_inside": list(x[:, None].shape),
        "none_last": list(x[..., None].shape),
        "many_nones": list(x[None, :, None, None].shape),
        "ellipsis": list(x[...].shape),
        "ellipsis_int": facts(x[..., 1]),
        "int_ellipsis": facts(x[1, ...]),
        "both": facts(x[1, ..., None, 2]),
        "ellipsis_for_nothing": see(torch, x[1, 2, ..., 3]),
        "two_ellipses": list(x[..., ...].shape),
        "empty_tuple": list(x[()].shape),
        "newaxis": list(x[np.newaxis].shape),
    }


@case
def index_of_zero_dim_tensors(torch):
    z = torch.tensor(5)
    return {
        "ellipsis": see(torch, z[...]),
        "empty_tuple": see(torch, z[()]),
        "none": see(torch, z[None]),
        "true": see(torch, z[True]),
        "false": see(torch, z[False]),
        "mask": see(torch, z[torch.tensor(True)]),
        "integer": brief(lambda: z[0]),
        "slice": brief(lambda: z[:]),
    }


@case
def basic_indexing_gives_views(torch):
    x = torch.zeros(3, 4)
    x[0].fill_(1)
    x[:, 1].fill_(2)
    x[1:, 2:].fill_(3)
    x[None][0, 2, 0] = 4
    x[...].add_(10)
    x[2, 3].mul_(2)
    return see(torch, x)


@case
def view_flags_of_basic_indexing(torch):
    x = torch.zeros(3, 4)
    return [
        x[0]._is_view(),
        x[0]._base is x,
        x[:]._is_view(),
        x[:] is x,
        x[...] is x,
        x[[0]]._is_view(),
        x[x > 5]._is_view(),
        x[torch.tensor(0)]._is_view(),
    ]


@case
def basic_index_errors(torch):
    x = brick(torch)
    return {
        "out_of_range": brief(lambda: x[5]),
        "negative_out_of_range": brief(lambda: x[-3]),
        "second_dim": brief(lambda: x[0, 3]),
        "too_many": brief(lambda: x[0, 0, 0, 0]),
        "too_many_slices": brief(lambda: x[:, :, :, :]),
        "negative_step": brief(lambda: x[::-1]),
        "zero_step": brief(lambda: x[::0]),
        "float": brief(lambda: x[1.0]),
        "float_in_tuple": brief(lambda: x[0, 1.5]),
        "float_slice": brief(lambda: x[0:1.5]),
        "object": brief(lambda: x[object]),
        "string_in_tuple": error(lambda: x[0, "a"])["raises"],
        "of_tensor_beyond": brief(lambda: x[torch.tensor(7)]),
    }


# ---- advanced indexing ------------------------------------------------------------------------------------------


@case
def index_by_integer_tensors(torch):
    x = brick(torch)
    return {
        "one": facts(x[torch.tensor([1, 0, 1])]),
        "negative": facts(x[torch.tensor([-1])]),
        "two_dim": list(x[torch.tensor([[0, 1], [1, 0]])].shape),
        "pair": facts(x[torch.tensor([0, 1]), torch.tensor([2, 0])]),
        "broadcast": facts(x[torch.tensor([[0], [1]]), torch.tensor([0, 2]), 0]),
        "triple": facts(x[torch.tensor([0, 1]), torch.tensor([0, 1]), torch.tensor([0, 1])]),
        "int32": list(x[torch.tensor([1], dtype=torch.int32)].shape),
        "empty": list(x[torch.tensor([], dtype=torch.int64)].shape),
        "list": facts(x[[1, 0]][:, 0]),
        "empty_list": list(x[[]].shape),
        "list_negative": facts(x[[-1], [-1], [-1]]),
        "range": list(x[range(2)].shape),
        "ndarray": list(x[np.array([1, 1, 1])].shape),
        "list_of_zero_dim_tensors": quietly(lambda: list(x[[torch.tensor(0), torch.tensor(1)]].shape)),
        "tuple_of_lists": facts(x[([0, 1], [1, 1])]),
        "nested_list_second": list(x[:, [[0, 1], [1, 2]]].shape),
    }


@case
def place_of_advanced_dims(torch):
    x = torch.arange(120).reshape(2, 3, 4, 5)
    i, j = torch.tensor([0, 1]), torch.tensor([1, 0])
    return {
        "adjacent_first": list(x[i, j].shape),
        "adjacent_middle": list(x[:, i, j].shape),
        "adjacent_last": list(x[:, :, i, j].shape),
        "separated": list(x[i, :, j].shape),
        "separated_far": list(x[i, :, :, j].shape),
        "separated_middle": list(x[:, i, :, j].shape),
        "none_between": list(x[i, None, j].shape),
        "none_before": list(x[None, i, j].shape),
        "int_then_slice_then_tensor": list(x[0, :, i].shape),
        "int_between": list(x[:, 0, i].shape),
        "tensor_slice_int": list(x[i, :, 0].shape),
        "zero_dim_tensor_slice_tensor": list(x[torch.tensor(0), :, i].shape),
        "two_dim_index_middle": list(x[:, torch.zeros(3, 6, dtype=torch.int64)].shape),
        "ellipsis": list(x[..., i, j].shape),
        "ellipsis_between": list(x[i, ..., j].shape),
        "slice_step_and_tensor": list(x[:, ::2, :, i].shape),
        "mask_middle": list(x[:, torch.tensor([True, False, True]), :, i].shape),
        "true_and_tensor": list(x[True, i].shape),
    }


@case
def values_of_mixed_advanced_indices(torch):
    x = brick(torch)
    return {
        "int_slice_tensor": x[1, :, torch.tensor([0, 3])].tolist(),
        "separated": x[torch.tensor([0, 1]), :, torch.tensor([0, 3])].tolist(),
        "middle": x[:, torch.tensor([2, 0]), 1:3].tolist(),
        "list_and_slice": x[:, [0, 2], ::3].tolist(),
        "column_of_rows": x[torch.arange(2)[:, None], torch.tensor([0, 2])].tolist(),
        "none_and_tensor": x[:, None, torch.tensor([1, 1]), 0].tolist(),
    }


@case
def advanced_indexing_copies(torch):
    x = torch.zeros(3, 2)
    x[[0, 1]].fill_(1)
    x[x == 0].fill_(2)
    x[torch.tensor([0])][0] = 3
    return see(torch, x)


@case
def index_by_masks(torch):
    x = torch.arange(6).reshape(2, 3)
    return {
        "full": facts(x[x > 2]),
        "none_true": facts(x[x > 100]),
        "rows": facts(x[torch.tensor([False, True])]),
        "columns": facts(x[:, torch.tensor([True, False, True])]),
        "list": facts(x[[True, False]]),
        "column_list": facts(x[:, [True, False, True]]),
        "ndarray": facts(x[np.array([True, False])]),
        "ndarray_full": facts(x[np.array([[True, False, True], [False, False, True]])]),
        "with_integer": facts(x[torch.tensor([True, True]), torch.tensor([0, 2])]),
        "mask_and_int": facts(x[torch.tensor([True, False]), 1]),
        "zero_dim_true": facts(x[torch.tensor(True)]),
        "zero_dim_false": facts(x[torch.tensor(False)]),
        "python_true": facts(x[True]),
        "python_false": facts(x[False]),
        "true_in_tuple": list(x[0, True].shape),
        "partial_of_three": list(brick(torch)[torch.ones(2, 3, dtype=torch.bool)].shape),
        "inverted": facts(x[~(x > 2)]),
    }


@case
def uint8_mask_warns_and_masks(torch):
    x = torch.arange(3)
    m = torch.tensor([1, 0, 1], dtype=torch.uint8)
    found = warned(lambda: x[m])
    return [quietly(lambda: x[m].tolist()), sorted({w[1][:80] for w in found})]


@case
def list_of_lists_is_read_as_a_tuple_and_warns(torch):
    x = brick(torch)
    found = warned(lambda: x[[[0, 1], [1, 0]]])
    return [quietly(lambda: facts(x[[[0, 1], [1, 0]]])), sorted({w[1][:73] for w in found})]


@case
def advanced_index_errors(torch):
    x = brick(torch)
    return {
        "beyond": brief(lambda: x[torch.tensor([0, 5])]),
        "below": brief(lambda: x[[-3]]),
        "second_dim": brief(lambda: x[:, torch.tensor([3])]),
        "float_tensor": brief(lambda: x[torch.tensor([1.0])]),
        "int16_tensor": brief(lambda: x[torch.tensor([1], dtype=torch.int16)]),
        "no_broadcast": brief(lambda: x[[0, 1], [0, 1, 2]]),
        "mask_shape": brief(lambda: x[torch.tensor([True, False, True])]),
        "mask_shape_second": brief(lambda: x[torch.ones(2, 4, dtype=torch.bool)]),
        "mask_too_many_dims": brief(lambda: x[torch.ones(2, 3, 4, 5, dtype=torch.bool)]),
        "too_many": brief(lambda: x[[0], [0], [0], [0]]),
    }


@case
def list_of_floats_is_truncated(torch):
    return torch.arange(4)[[0.5, 2.9]].tolist()


@case
def one_element_of_a_vector_by_tensor(torch):
    x = torch.tensor([1.0, 2.0, 3.0])
    return [see(torch, x[torch.tensor([1])]), see(torch, x[torch.tensor(1)]), see(torch, x[[1]]), see(torch, x[1])]


# ---- gradients of indexing --------------------------------------------------------------------------------------


@case
def grad_fn_names_of_indexing(torch):
    x = leaf(torch)
    return {
        "int": name(x[0]),
        "ints": name(x[0, 1]),
        "slice": name(x[1:]),
        "full_slice": name(x[:]),
        "full_slices": name(x[:, :]),
        "slices": name(x[1:, ::2]),
        "column": name(x[:, 1]),
        "none": name(x[None]),
        "slice_none": name(x[:, None]),
        "ellipsis": name(x[...]),
        "ellipsis_int": name(x[..., 0]),
        "empty_tuple": name(x[()]),
        "list": name(x[[0, 1]]),
        "mask": name(x[x > 3]),
        "tensor": name(x[torch.tensor([0])]),
        "zero_dim_tensor": name(x[torch.tensor(0)]),
        "int_list": name(x[0, [1]]),
        "true": name(x[True]),
        "take": name(x.take(torch.tensor([0]))),
        "select": name(x.select(0, 1)),
        "narrow": name(x.narrow(0, 0, 2)),
        "unsqueeze": name(x.unsqueeze(0)),
    }


@case
def graphs_of_chained_indexing(torch):
    x = leaf(torch)
    return [graph(x[0, 1].grad_fn), graph(x[1:, 2].grad_fn), graph(x[1:, [0, 2]].grad_fn), graph(x[0, :, None].grad_fn)]


@case
def gradients_of_indexing(torch):
    def grad_of(index):
        x = leaf(torch)
        y = x[index]
        (y * torch.arange(1.0, y.numel() + 1).reshape(y.shape)).sum().backward()
        return x.grad.tolist()

    return {
        "int": grad_of(1),
        "ints": grad_of((1, 2)),
        "slice": grad_of(slice(1, None)),
        "step": grad_of((slice(None), slice(0, 4, 2))),
        "none": grad_of((None, 0, slice(1, 3))),
        "ellipsis": grad_of((Ellipsis, 3)),
        "list": grad_of([0, 2]),
        "mixed": grad_of((slice(0, 2), [0, 3])),
        "pair": grad_of(([0, 1, 2], [3, 2, 1])),
        "mask": grad_of(torch.tensor([True, False, True])),
    }


@case
def gradient_accumulates_over_duplicate_indices(torch):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    x[torch.tensor([0, 0, 2, 0])].backward(torch.tensor([1.0, 2.0, 3.0, 4.0]))
    y = leaf(torch)
    y[[0, 0], [1, 1]].sum().backward()
    return [see(torch, x.grad), y.grad.tolist()]


@case
def double_backward_through_indexing(torch):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = (x[[0, 0, 1]] ** 3).sum() + (x[2] ** 3) + (x[:2] ** 2).sum()
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x)
    return [see(torch, g), see(torch, h)]


# ---- assignment -------------------------------------------------------------------------------------------------


def assigned(torch: Any, index: Any, value: Any, dtype: Any = None) -> Any:
    x = torch.zeros(3, 4, dtype=dtype)
    x[index] = value
    return x.tolist()


@case
def assign_by_basic_indices(torch):
    s = slice
    return {
        "int": assigned(torch, 1, 5),
        "negative": assigned(torch, -1, 5),
        "ints": assigned(torch, (1, 2), 5),
        "slice": assigned(torch, s(1, None), 5),
        "slices": assigned(torch, (s(0, 2), s(1, 3)), 5),
        "step": assigned(torch, (s(None), s(0, None, 3)), 5),
        "ellipsis": assigned(torch, ..., 5),
        "ellipsis_int": assigned(torch, (..., 0), 5),
        "none": assigned(torch, (None, 0), 5),
        "empty_tuple": assigned(torch, (), 5),
        "true": assigned(torch, True, 5),
        "false": assigned(torch, False, 5),
        "zero_dim_tensor": assigned(torch, torch.tensor(1), 5),
        "empty_slice": assigned(torch, s(2, 1), 5),
    }


@case
def assign_by_advanced_indices(torch):
    s = slice
    return {
        "list": assigned(torch, [0, 2], 5),
        "tensor": assigned(torch, torch.tensor([0, 2]), 5),
        "ndarray": assigned(torch, np.array([0, 2]), 5),
        "pair": assigned(torch, ([0, 1, 2], [3, 2, 1]), 5),
        "mixed": assigned(torch, (s(1, None), [0, 3]), 5),
        "int_list": assigned(torch, (1, [0, 3]), 5),
        "rows_mask": assigned(torch, torch.tensor([True, False, True]), 5),
        "full_mask": assigned(torch, torch.eye(3, 4, dtype=torch.bool), 5),
        "column_mask": assigned(torch, (s(None), torch.tensor([True, False, False, True])), 5),
        "zero_dim_mask": assigned(torch, torch.tensor(True), 5),
        "zero_dim_false_mask": assigned(torch, torch.tensor(False), 5),
        "empty_list": assigned(torch, [], 5),
        "range": assigned(torch, range(2), 5),
        "mask_list": assigned(torch, [True, False, True], 5),
        "outer": assigned(torch, (torch.tensor([[0], [2]]), torch.tensor([1, 3])), 5),
    }


@case
def assign_tensors_and_sequences(torch):
    s = slice
    t = torch.tensor
    return {
        "row": assigned(torch, 0, t([1.0, 2.0, 3.0, 4.0])),
        "broadcast_row": assigned(torch, s(1, None), t([1.0, 2.0, 3.0, 4.0])),
        "broadcast_column": assigned(torch, s(None), t([[1.0], [2.0], [3.0]])),
        "zero_dim": assigned(torch, (0, 1), t(7.0)),
        "one_element_into_scalar": assigned(torch, (0, 1), t([7.0])),
        "leading_ones": assigned(torch, 0, t([[[1.0, 2.0, 3.0, 4.0]]])),
        "list_index": assigned(torch, [2, 0], t([[1.0], [2.0]])),
        "mask": assigned(torch, torch.eye(3, 4, dtype=torch.bool), t([1.0, 2.0, 3.0])),
        "mask_one": assigned(torch, torch.eye(3, 4, dtype=torch.bool), t([9.0])),
        "mask_zero_dim": assigned(torch, torch.eye(3, 4, dtype=torch.bool), t(9.0)),
        "duplicates_last_wins": assigned(torch, ([0], [0]), t([8.0])),
        "numpy_array": brief(lambda: assigned(torch, 0, np.array([1.0, 2.0, 3.0, 4.0]))),
        "numpy_scalar": assigned(torch, 0, np.float64(2.5)),
        "list": brief(lambda: assigned(torch, 0, [1.0, 2.0, 3.0, 4.0])),
        "bool": assigned(torch, 0, True),
    }


@case
def assign_casts_to_the_dtype_of_the_target(torch):
    return {
        "float_into_int": assigned(torch, (0, 0), 2.9, torch.int64),
        "negative_float_into_int": assigned(torch, (0, 0), -2.9, torch.int64),
        "float_tensor_into_int": assigned(torch, 0, torch.tensor([1.9, -1.9, 0.5, 3.0]), torch.int64),
        "int_tensor_into_float": assigned(torch, 0, torch.tensor([1, 2, 3, 4])),
        "number_into_bool": assigned(torch, (0, 0), 3, torch.bool),
        "double_into_float": assigned(torch, 0, torch.tensor([0.5] * 4, dtype=torch.float64)),
        "float_tensor_by_list": brief(lambda: assigned(torch, [0], torch.ones(4, dtype=torch.float64))),
        "int_tensor_by_list": brief(lambda: assigned(torch, [0], torch.ones(4, dtype=torch.int64))),
        "float_tensor_by_mask": brief(
            lambda: assigned(torch, torch.eye(3, 4, dtype=torch.bool), torch.ones(3), torch.int64)
        ),
        "float_by_list_into_int": brief(lambda: assigned(torch, [0], 2.5, torch.int64)),
        "zero_dim_double_by_list": brief(lambda: assigned(torch, [0], torch.tensor(2.5, dtype=torch.float64))),
        "complex_into_float": error(lambda: assigned(torch, (0, 0), 1j))["raises"],
    }


@case
def assign_errors(torch):
    t = torch.tensor
    return {
        "shape": brief(lambda: assigned(torch, 0, t([1.0, 2.0, 3.0]))),
        "shape_slice": brief(lambda: assigned(torch, slice(0, 2), torch.ones(3, 4))),
        "scalar_from_many": brief(lambda: assigned(torch, (0, 0), t([1.0, 2.0]))),
        "list_index": brief(lambda: assigned(torch, [0, 1], torch.ones(3, 4))),
        "mask_count": brief(lambda: assigned(torch, torch.eye(3, 4, dtype=torch.bool), t([1.0, 2.0]))),
        "beyond": brief(lambda: assigned(torch, 7, 0)),
        "beyond_list": brief(lambda: assigned(torch, [7], 0)),
        "too_many": brief(lambda: assigned(torch, (0, 0, 0), 0)),
        "float_index": brief(lambda: assigned(torch, 0.5, 0)),
        "string_value": error(lambda: assigned(torch, 0, "a"))["raises"],
        "none_value": error(lambda: assigned(torch, 0, None))["raises"],
        "negative_step": brief(lambda: assigned(torch, slice(None, None, -1), 0)),
        "zero_dim": brief(lambda: torch.tensor(1).__setitem__(0, 5)),
        "mask_shape": brief(lambda: assigned(torch, torch.tensor([True, False]), 0)),
    }


@case
def delete_by_index_is_an_error(torch):
    def go():
        x = torch.ones(2)
        del x[0]

    return error(go)["raises"]


@case
def augmented_assignment_by_index(torch):
    x = torch.arange(6.0).reshape(2, 3)
    x[0] += 10
    x[:, 1] *= 2
    x[x > 11] -= 1
    x[[0, 0]] += 100
    x[1, 2] /= 2
    x[1] **= 2
    return see(torch, x)


@case
def overlapping_self_assignment(torch):
    x = torch.arange(6)
    x[2:] = x[:4].clone()
    y = torch.arange(4)
    y[[0, 1, 2, 3]] = y[[3, 2, 1, 0]]
    return [x.tolist(), y.tolist()]


@case
def swap_rows(torch):
    x = torch.arange(6).reshape(3, 2)
    x[[0, 2]] = x[[2, 0]]
    return x.tolist()


@case
def assignment_autograd_of_value_and_base(torch):
    a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    v = torch.tensor(5.0, requires_grad=True)
    b = a * 2
    b[1] = v
    out = (b * torch.tensor([1.0, 10.0, 100.0])).sum()
    out.backward()
    return [see(torch, b), graph(b.grad_fn), see(torch, a.grad), see(torch, v.grad)]


@case
def assignment_autograd_broadcasts_value(torch):
    a = torch.ones(2, 3, requires_grad=True)
    v = torch.tensor([1.0, 2.0], requires_grad=True)
    b = a.clone()
    b[:, 1:] = v
    (b * torch.arange(6.0).reshape(2, 3)).sum().backward()
    return [see(torch, a.grad), see(torch, v.grad)]


@case
def assignment_autograd_by_advanced_index(torch):
    a = torch.ones(4, requires_grad=True)
    v = torch.tensor([5.0, 6.0], requires_grad=True)
    b = a * 1
    b[torch.tensor([3, 1])] = v
    (b * torch.tensor([1.0, 2.0, 3.0, 4.0])).sum().backward()
    return [see(torch, b), see(torch, a.grad), see(torch, v.grad)]


@case
def assignment_autograd_by_mask(torch):
    a = torch.ones(2, 2, requires_grad=True)
    v = torch.tensor([5.0, 6.0], requires_grad=True)
    b = a * 1
    b[torch.tensor([[True, False], [False, True]])] = v
    (b * torch.tensor([[1.0, 2.0], [3.0, 4.0]])).sum().backward()
    c = a * 1
    c[torch.tensor([[True, False], [False, True]])] = 0.0
    return [name(b), see(torch, a.grad), see(torch, v.grad), name(c)]


@case
def grad_fn_names_after_assignment(torch):
    def after(index, value):
        b = leaf(torch) * 1
        b[index] = value
        return name(b)

    v = torch.tensor(1.0, requires_grad=True)
    return {
        "int_number": after(0, 5),
        "int_tensor": after(0, v),
        "slice_number": after(slice(1, 2), 5),
        "all_number": after(..., 5),
        "all_tensor": after(..., v),
        "list_number": after([0], 5),
        "list_tensor": after([0], v),
        "mask_number": after(torch.eye(3, 4, dtype=torch.bool), 5),
        "mask_tensor": after(torch.eye(3, 4, dtype=torch.bool), v),
        "mixed": after((0, [1, 2]), 5),
    }


@case
def assignment_into_plain_tensor_makes_it_require_grad(torch):
    x = torch.zeros(3)
    v = torch.tensor(2.0, requires_grad=True)
    x[1] = v * 3
    x.sum().backward()
    return [see(torch, x), x.is_leaf, see(torch, v.grad)]


@case
def assignment_to_leaf_is_an_error(torch):
    x = leaf(torch)

    def go(index):
        x[index] = 1.0

    def without_grad():
        with torch.no_grad():
            x[0] = 7.0
        return [x[0].tolist(), x.requires_grad, x.is_leaf]

    return [
        brief(lambda: go(0)),
        brief(lambda: go([0])),
        brief(lambda: go(x > 3)),
        brief(lambda: go(...)),
        without_grad(),
    ]


@case
def assignment_to_a_leaf_that_is_a_view_is_an_error(torch):
    x = torch.arange(4.0).reshape(2, 2).requires_grad_()

    def go(index):
        x[index] = 1.0

    return [x._is_view(), x.is_leaf, brief(lambda: go(0)), brief(lambda: go([0]))]


@case
def assignment_bumps_version(torch):
    x = torch.zeros(3)
    v = x[1:]
    versions = [x._version]
    for index in (0, slice(0, 2), [0], torch.tensor([True, False, False]), ...):
        x[index] = 1
        versions.append(x._version)
    return [versions, v._version]


@case
def assignment_invalidates_saved_tensors(torch):
    x = torch.ones(3, requires_grad=True)
    y = x.exp()
    z = y.sum()
    y[0] = 0
    found = error(lambda: z.backward())
    return [found["raises"], "modified by an inplace operation" in found["message"]]


# ---- index_* and friends ----------------------------------------------------------------------------------------


@case
def index_put_forms(torch):
    x = torch.zeros(3)
    i = torch.tensor([0, 0, 2])
    v = torch.tensor([1.0, 2.0, 3.0])
    y = torch.zeros(2, 3)
    y.index_put_((torch.tensor([0, 1]), torch.tensor([2, 0])), torch.tensor(4.0))
    return {
        "accumulate": see(torch, x.index_put((i,), v, accumulate=True)),
        "accumulate_scalar": see(torch, x.index_put((i,), torch.tensor(1.0), accumulate=True)),
        "in_place": see(torch, y),
        "mask": see(torch, torch.zeros(3).index_put_((torch.tensor([True, False, True]),), torch.tensor([5.0, 6.0]))),
        "dtype": brief(lambda: x.index_put_((i,), v.double())),
        "unchanged": x.tolist(),
        "torch": see(torch, torch.index_put(x, (torch.tensor([1]),), torch.tensor([9.0]))),
    }


@case
def index_put_gradients(torch):
    x = torch.ones(3, requires_grad=True)
    v = torch.tensor([1.0, 2.0], requires_grad=True)
    i = torch.tensor([1, 1])
    y = x.index_put((i,), v, accumulate=True)
    (y * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
    return [see(torch, y), see(torch, x.grad), see(torch, v.grad)]


@case
def take_forms(torch):
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    y = torch.take(x, torch.tensor([[0, 5], [-1, 5]]))
    y.sum().backward()
    return [see(torch, y), see(torch, x.grad), brief(lambda: x.take(torch.tensor([6]))), brief(lambda: x.take([0]))]


@case
def take_along_dim_forms(torch):
    x = torch.tensor([[3.0, 1.0, 2.0], [9.0, 8.0, 7.0]], requires_grad=True)
    i = x.detach().argsort(1)
    y = torch.take_along_dim(x, i, 1)
    y[:, 0].sum().backward()
    return [
        see(torch, y),
        see(torch, x.grad),
        see(torch, torch.take_along_dim(x, torch.tensor([0, 5]))),
        see(torch, torch.take_along_dim(x, torch.tensor([[1]]), dim=1)),
        brief(lambda: torch.take_along_dim(x, torch.tensor([0]), dim=1)),
        brief(lambda: torch.take_along_dim(x, torch.tensor([[0.0]]), dim=1)),
    ]


@case
def gather_forms(torch):
    x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
    i = torch.tensor([[0, 0, 2], [1, 1, 1]])
    y = x.gather(1, i)
    y.sum().backward()
    return {
        "dim1": see(torch, y),
        "grad": see(torch, x.grad),
        "dim0": see(torch, torch.gather(x, 0, torch.tensor([[1, 0, 1]]))),
        "negative_dim": see(torch, x.gather(-1, torch.tensor([[2], [0]]))),
        "smaller": see(torch, x.gather(1, torch.tensor([[2]]))),
        "keyword": see(torch, torch.gather(x, dim=1, index=torch.tensor([[0]]))),
        "zero_dim": see(torch, torch.tensor(5.0).gather(0, torch.tensor(0))),
    }


@case
def gather_errors(torch):
    x = torch.ones(2, 3)
    return {
        "dtype": brief(lambda: x.gather(1, torch.tensor([[0.0]]))),
        "dims": brief(lambda: x.gather(1, torch.tensor([0]))),
        "beyond": brief(lambda: x.gather(1, torch.tensor([[3]]))),
        "negative": brief(lambda: x.gather(1, torch.tensor([[-1]]))),
        "size": brief(lambda: x.gather(1, torch.zeros(3, 1, dtype=torch.int64))),
        "dim": brief(lambda: x.gather(2, torch.tensor([[0]]))),
        "int32": error(lambda: x.gather(1, torch.tensor([[0]], dtype=torch.int32)).tolist()),
    }


@case
def scatter_forms(torch):
    x = torch.zeros(2, 3)
    i = torch.tensor([[0, 2], [1, 1]])
    src = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    return {
        "src": x.scatter(1, i[:1], src).tolist(),
        "value": see(torch, x.scatter(1, torch.tensor([[2], [0]]), 7.0)),
        "dim0": see(torch, x.scatter(0, torch.tensor([[1, 0, 1]]), src)),
        "add": see(torch, x.scatter_add(1, i, src)),
        "in_place": see(torch, torch.zeros(2, 3).scatter_(1, torch.tensor([[0], [1]]), 1)),
        "reduce_add": quietly(lambda: see(torch, torch.ones(2, 3).scatter(1, i, src, reduce="add"))),
        "reduce_multiply": quietly(lambda: torch.full((2, 3), 2.0).scatter(1, i, src, reduce="multiply").tolist()),
        "one_hot": see(
            torch, torch.zeros(3, 4, dtype=torch.int64).scatter_(1, torch.tensor([2, 0, 3]).unsqueeze(1), 1)
        ),
        "int_value_into_float": see(torch, x.scatter(1, torch.tensor([[0]]), 3)),
        "untouched": x.tolist(),
    }


@case
def scatter_reduce_forms(torch):
    x = torch.tensor([10.0, 20.0, 30.0])
    i = torch.tensor([0, 0, 1, 1])
    src = torch.tensor([1.0, 2.0, 3.0, 40.0])
    out = {}
    for r in ("sum", "prod", "mean", "amax", "amin"):
        for include in (True, False):
            out[f"{r}_{include}"] = x.scatter_reduce(0, i, src, reduce=r, include_self=include).tolist()
    return out


@case
def scatter_errors(torch):
    x = torch.zeros(2, 3)
    i = torch.tensor([[0, 1]])
    return {
        "dtype": brief(lambda: x.scatter(1, i, torch.ones(2, 3, dtype=torch.float64))),
        "index_dtype": brief(lambda: x.scatter(1, i.float(), 1.0)),
        "beyond": brief(lambda: x.scatter(1, torch.tensor([[3]]), 1.0)),
        "dims": brief(lambda: x.scatter(1, torch.tensor([0]), torch.ones(2, 3))),
        "src_size": brief(lambda: x.scatter(1, torch.tensor([[0, 1, 2]]), torch.ones(1, 2))),
        "reduce": brief(lambda: x.scatter_reduce(1, i, torch.ones(1, 2), reduce="foo")),
    }


@case
def scatter_gradients(torch):
    x = torch.ones(2, 3, requires_grad=True)
    src = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    i = torch.tensor([[0, 1], [2, 2]])
    w = torch.arange(1.0, 7.0).reshape(2, 3)
    j = torch.tensor([[0, 1], [2, 0]])
    a, b = x.scatter(1, j, src), x.scatter_add(1, i, src)
    return {
        "scatter": [name(a), see(torch, torch.autograd.grad((a * w).sum(), (x, src)))],
        "scatter_add": [name(b), see(torch, torch.autograd.grad((b * w).sum(), (x, src)))],
        "value": see(torch, torch.autograd.grad((x.scatter(1, j, 3.0) * w).sum(), x)),
    }


@case
def index_select_forms(torch):
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    y = x.index_select(1, torch.tensor([2, 0, 2]))
    y.sum().backward()
    return {
        "values": see(torch, y),
        "grad": see(torch, x.grad),
        "rows": see(torch, torch.index_select(x, 0, torch.tensor([1]))),
        "int32": see(torch, x.index_select(0, torch.tensor([0], dtype=torch.int32))),
        "zero_dim_index": see(torch, x.index_select(0, torch.tensor(1))),
        "empty": list(x.index_select(0, torch.tensor([], dtype=torch.int64)).shape),
        "beyond": brief(lambda: x.index_select(0, torch.tensor([2]))),
        "negative": error(lambda: x.index_select(0, torch.tensor([-1])))["raises"],
        "float": brief(lambda: x.index_select(0, torch.tensor([0.0]))),
        "matrix_index": brief(lambda: x.index_select(0, torch.tensor([[0]]))),
    }


@case
def index_add_copy_fill_forms(torch):
    x = torch.ones(3, 2)
    i = torch.tensor([0, 2, 0])
    src = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    return {
        "add": see(torch, x.index_add(0, i, src)),
        "add_alpha": see(torch, x.index_add(0, i, src, alpha=-1)),
        "add_columns": see(torch, x.index_add(1, torch.tensor([1]), torch.tensor([[1.0], [2.0], [3.0]]))),
        "copy": see(torch, x.index_copy(0, torch.tensor([2, 0]), src[:2])),
        "fill": see(torch, x.index_fill(1, torch.tensor([1]), -1)),
        "fill_tensor": see(torch, x.index_fill(0, torch.tensor([0]), torch.tensor(9.0))),
        "in_place": see(torch, x.clone().index_add_(0, i, src)),
        "in_place_fill": see(torch, x.clone().index_fill_(0, torch.tensor([1]), 4)),
        "reduce": quietly(lambda: see(torch, x.index_reduce(0, i, src, "prod"))),
        "add_shape": brief(lambda: x.index_add(0, i, src[:2])),
        "add_dtype": brief(lambda: x.index_add(0, i, src.double())),
        "copy_shape": brief(lambda: x.index_copy(0, torch.tensor([0]), src)),
        "fill_matrix": brief(lambda: x.index_fill(0, torch.tensor([0]), torch.ones(2))),
    }


@case
def index_add_and_copy_gradients(torch):
    x = torch.ones(3, requires_grad=True)
    s = torch.tensor([1.0, 2.0], requires_grad=True)
    w = torch.tensor([1.0, 2.0, 3.0])
    i = torch.tensor([2, 0])
    a, c, f = x.index_add(0, i, s, alpha=2), x.index_copy(0, i, s), x.index_fill(0, i, 0.0)
    return {
        "add": [name(a), see(torch, torch.autograd.grad((a * w).sum(), (x, s)))],
        "copy": [name(c), see(torch, torch.autograd.grad((c * w).sum(), (x, s)))],
        "fill": [name(f), see(torch, torch.autograd.grad((f * w).sum(), x))],
    }


@case
def masked_select_forms(torch):
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    y = x.masked_select(x > 2)
    y.sum().backward()
    return {
        "values": see(torch, y),
        "grad": see(torch, x.grad),
        "broadcast_mask": see(torch, torch.masked_select(x, torch.tensor([True, False, True]))),
        "broadcast_input": see(torch, torch.tensor([1, 2]).masked_select(torch.tensor([[True, False], [True, True]]))),
        "not_bool": brief(lambda: x.masked_select(torch.tensor([1, 0, 1]))),
    }


@case
def masked_fill_forms(torch):
    x = torch.zeros(2, 2, requires_grad=True)
    m = torch.tensor([[True, False], [False, True]])
    v = torch.tensor(3.0, requires_grad=True)
    y = x.masked_fill(m, v)
    y.sum().backward()
    return {
        "values": see(torch, y),
        "grad": see(torch, x.grad),
        "value_grad": see(torch, v.grad),
        "number": see(torch, x.masked_fill(m, -float("inf"))),
        "broadcast": see(torch, x.masked_fill(torch.tensor([True, False]), 1)),
        "in_place": see(torch, torch.zeros(2, 2).masked_fill_(m, 5)),
        "int_of_float": see(torch, torch.zeros(2, dtype=torch.int64).masked_fill(torch.tensor([True, False]), 2.0)),
        "not_bool": brief(lambda: x.masked_fill(m.long(), 1)),
        "vector_value": brief(lambda: x.masked_fill(m, torch.ones(2))),
        "shape": brief(lambda: x.masked_fill(torch.ones(3, dtype=torch.bool), 1)),
        "result_broadcasts_up": see(torch, torch.zeros(2).masked_fill(m, 1)),
    }


@case
def masked_scatter_forms(torch):
    x = torch.zeros(2, 3, requires_grad=True)
    s = torch.arange(1.0, 5.0).requires_grad_()
    m = torch.tensor([[True, False, True], [False, True, False]])
    y = x.masked_scatter(m, s)
    (y * 2).sum().backward()
    return {
        "values": see(torch, y),
        "grad": see(torch, x.grad),
        "source_grad": see(torch, s.grad),
        "too_short": brief(lambda: x.masked_scatter(m, torch.ones(2))),
        "dtype": brief(lambda: x.masked_scatter(m, torch.ones(3, dtype=torch.int64))),
    }


@case
def nonzero_forms(torch):
    x = torch.tensor([[0, 1, 0], [2, 0, 3]])
    return {
        "plain": see(torch, x.nonzero()),
        "tuple": see(torch, x.nonzero(as_tuple=True)),
        "torch": see(torch, torch.nonzero(x)),
        "argwhere": see(torch, torch.argwhere(x)),
        "bool": see(torch, (x > 1).nonzero()),
        "none": see(torch, torch.zeros(2, 2).nonzero()),
        "none_tuple": see(torch, torch.zeros(2, 2).nonzero(as_tuple=True)),
        "zero_dim": see(torch, torch.tensor(5).nonzero()),
        "zero_dim_false": see(torch, torch.tensor(0).nonzero()),
        "zero_dim_tuple": see(torch, torch.tensor(5).nonzero(as_tuple=True)),
        "count": see(torch, torch.count_nonzero(x, dim=0)),
        "type_of_tuple": type(x.nonzero(as_tuple=True)).__name__,
    }


@case
def where_forms(torch):
    c = torch.tensor([[True, False], [False, True]])
    a, b = torch.ones(2, 2, requires_grad=True), torch.zeros(2, 2, requires_grad=True)
    y = torch.where(c, a * 2, b)
    (y * torch.tensor([[1.0, 2.0], [3.0, 4.0]])).sum().backward()
    return {
        "values": see(torch, y),
        "grads": see(torch, [a.grad, b.grad]),
        "one_argument": see(torch, torch.where(c)),
        "numbers": see(torch, torch.where(c, 1.0, 0.0)),
        "tensor_number": see(torch, torch.where(c, a, 0)),
        "number_tensor": see(torch, torch.where(c, 5, torch.tensor([7, 8]))),
        "broadcast": see(torch, torch.where(torch.tensor([[True], [False]]), torch.tensor([1, 2]), torch.tensor(9))),
        "method": see(torch, torch.tensor([1, 2]).where(torch.tensor([True, False]), torch.tensor([7, 8]))),
        "method_number": see(torch, torch.tensor([1.0, 2.0]).where(torch.tensor([True, False]), 0)),
        "zero_dim": see(torch, torch.where(torch.tensor(True), 1, 2)),
        "condition_int": brief(lambda: torch.where(torch.tensor([1, 0]), 1, 2)),
        "shape": brief(lambda: torch.where(c, torch.ones(3), torch.ones(3))),
    }


@case
def where_gradient_masks_nan_of_the_other_branch_only_outside(torch):
    x = torch.tensor([0.0, 4.0], requires_grad=True)
    torch.where(x > 0, x.sqrt(), torch.zeros(2)).sum().backward()
    return see(torch, x.grad)


@case
def select_narrow_and_friends(torch):
    x = brick(torch)
    return {
        "select": facts(x.select(1, -1)),
        "narrow": facts(x.narrow(2, 1, 2)),
        "narrow_negative": facts(torch.narrow(x, 2, -2, 2)),
        "narrow_error": brief(lambda: x.narrow(0, 1, 2)),
        "select_error": brief(lambda: x.select(0, 2)),
        "unbind": facts(x.unbind(2)[0]),
        "select_scatter": facts(x.select_scatter(torch.zeros(2, 4, dtype=torch.int64), 1, 0)),
        "slice_scatter": facts(x.slice_scatter(torch.zeros(2, 1, 4, dtype=torch.int64), 1, 1, 2)),
        "diagonal_scatter": facts(torch.zeros(2, 2).diagonal_scatter(torch.ones(2))),
    }


@case
def put_underscore(torch):
    x = torch.zeros(2, 3)
    x.put_(torch.tensor([0, 5]), torch.tensor([1.0, 2.0]))
    y = torch.zeros(3).put_(torch.tensor([1, 1]), torch.tensor([1.0, 2.0]), accumulate=True)
    return [see(torch, x), see(torch, y)]


@case
def indexing_expanded_and_noncontiguous(torch):
    x = torch.arange(3).expand(2, 3)
    y = torch.arange(6).reshape(2, 3).t()

    def write_to_expanded():
        z = torch.zeros(1).expand(3)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            z[:] = torch.tensor([1.0, 2.0, 3.0])

    return [facts(x[:, 1]), facts(x[[0, 1], [2, 0]]), facts(y[1:, 0]), facts(y[y > 2]), brief(write_to_expanded)]


@case
def write_through_transposed_view(torch):
    x = torch.zeros(2, 3)
    x.t()[1] = torch.tensor([5.0, 6.0])
    x.t()[[0, 2]] = 1.0
    x.view(-1)[1:3] = 9.0
    return see(torch, x)


@case
def index_of_bool_and_complex_tensors(torch):
    b = torch.tensor([True, False, True])
    z = torch.tensor([1j, 2.0, 3j])
    return [see(torch, b[b]), see(torch, z[b]), see(torch, z[[0, 2]]), see(torch, b[1:])]


@case
def masked_mean_by_index_has_the_right_gradient(torch):
    x = torch.tensor([1.0, float("nan"), 3.0], requires_grad=True)
    m = ~torch.isnan(x)
    x[m].mean().backward()
    return see(torch, x.grad)


@case
def embedding_like_lookup(torch):
    w = torch.arange(8.0).reshape(4, 2).requires_grad_()
    idx = torch.tensor([[0, 3], [3, 3]])
    y = w[idx]
    y.sum().backward()
    return [list(y.shape), y.tolist(), w.grad.tolist()]


@case
def cross_entropy_style_pick(torch):
    x = leaf(torch)
    t = torch.tensor([3, 0, 1])
    y = x[torch.arange(3), t]
    y.sum().backward()
    return [see(torch, y), x.grad.tolist()]


@case
def searchsorted_and_bucketize(torch):
    s = torch.tensor([1.0, 3.0, 5.0])
    v = torch.tensor([0.0, 1.0, 3.5, 9.0])
    return [
        see(torch, torch.searchsorted(s, v)),
        see(torch, torch.searchsorted(s, v, right=True)),
        see(torch, torch.bucketize(v, s)),
        see(torch, torch.searchsorted(s, 3)),
    ]


@case
def a_number_is_indexed_by_place_and_by_slice(torch):
    def put(t, key):
        t[key] = 1

    x = torch.tensor(3.0)
    keys = (0, 1, -1, slice(None), slice(None, None, -1))
    return [[error(lambda key=key: x[key]), error(lambda key=key: put(x, key))] for key in keys]


@case
def what_is_read_lies_in_memory_as_what_is_indexed_and_the_indices(torch):
    x = torch.arange(120).reshape(2, 3, 4, 5)
    columns, mixed, parts = x.permute(3, 2, 1, 0), x.permute(2, 0, 3, 1), x.permute(1, 3, 0, 2)[..., ::2]
    line, square = torch.tensor([1, 0, 1]), torch.tensor([[0, 1], [1, 0], [1, 1]])
    found = []
    for t in (x, columns, mixed, parts):
        small = [i % 2 for i in (line, square, square.t())]
        made = [t[i] for i in small] + [t[:, i] for i in small] + [t[..., i] for i in small]
        made += [t[i, :, i] for i in small] + [t[:, i, i] for i in small] + [t[-2:, i] for i in small]
        made += [t[square, square.t()[:1, :2]], t[:2, :2][:, square.t(), ..., 0], t[t > 60]]
        found.append([list(r.stride()) for r in made] + [see(torch, made[1])])
    return found
