"""Gathering, scattering and indexing by tensors: values, gradients where indices repeat, graph names, errors."""

from __future__ import annotations

import warnings

from .cases_pointwise import examine, fixed, short
from .observe import case, error, graph, see

M = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
V = [1.0, 2.0, 3.0, 4.0]
SRC = [[0.5, -1.0, 2.0], [7.0, 8.0, 9.0]]


def ints(torch, *numbers):
    return torch.tensor(list(numbers))


# -- gather and scatter -------------------------------------------------------------------------------------------


@case
def gather_dim_1(torch):
    return examine(torch, lambda x: torch.gather(x, 1, ints(torch, [0, 0], [2, 1])), M)


@case
def gather_dim_0(torch):
    return examine(torch, lambda x: x.gather(0, ints(torch, [1, 0, 1])), M)


@case
def gather_index_smaller_than_input(torch):
    return examine(torch, lambda x: torch.gather(x, dim=1, index=ints(torch, [2])), M)


@case
def gather_of_a_number(torch):
    return examine(torch, lambda x: torch.gather(x, 0, torch.tensor([0])), 3.0)


@case
def gather_errors(torch):
    return [
        error(lambda: torch.gather(torch.ones(2, 3), 1, torch.tensor([0]))),
        error(lambda: torch.gather(torch.ones(3), 0, torch.tensor([3]))),
        error(lambda: torch.gather(torch.ones(3), 0, torch.tensor([0.0]))),
        error(lambda: torch.gather(torch.ones(2, 3), 1, torch.zeros(3, 1, dtype=torch.int64))),
        error(lambda: torch.gather(torch.ones(3), 0, torch.tensor([-1]))),
    ]


@case
def take_along_dim(torch):
    return examine(torch, lambda x: torch.take_along_dim(x, torch.argsort(x, dim=1, descending=True), dim=1), M)


@case
def take_along_dim_broadcasts(torch):
    return examine(torch, lambda x: torch.take_along_dim(x, ints(torch, [1]), 1), M, names=False)


@case
def take_along_dim_flattens(torch):
    return examine(torch, lambda x: torch.take_along_dim(x, ints(torch, 5, 0)), M, names=False)


@case
def scatter_src(torch):
    return examine(torch, lambda x, s: torch.scatter(x, 1, ints(torch, [2, 0, 1], [1, 0, 2]), s), M, SRC)


@case
def scatter_index_smaller_than_src_fails_only_in_backward(torch):
    return examine(torch, lambda x, s: torch.scatter(x, 1, ints(torch, [2, 0]), s), M, SRC)


@case
def scatter_value(torch):
    return examine(torch, lambda x: torch.scatter(x, 1, ints(torch, [2], [0]), 9.0), M)


@case
def scatter_value_keyword(torch):
    return examine(torch, lambda x: x.scatter(0, ints(torch, [1, 0, 1]), value=7), M)


@case
def scatter_value_reduce(torch):
    return [
        see(torch, torch.scatter(fixed(torch, V), 0, ints(torch, 1, 3), 5.0, reduce=r)) for r in ("add", "multiply")
    ]


@case
def scatter_inplace_on_zeros(torch):
    return examine(
        torch, lambda s: torch.zeros(2, 3, dtype=torch.float64).scatter_(1, ints(torch, [2, 0, 1], [0, 1, 2]), s), SRC
    )


@case
def scatter_makes_one_hot(torch):
    return see(torch, torch.zeros(3, 4).scatter_(1, ints(torch, [1], [3], [0]), 1.0))


@case
def scatter_add_repeated_indices(torch):
    return examine(torch, lambda x, s: torch.scatter_add(x, 0, ints(torch, 1, 1, 0), s), V, [10.0, 20.0, 30.0])


@case
def scatter_add_dim_1(torch):
    return examine(torch, lambda x, s: x.scatter_add(1, ints(torch, [0, 0, 2], [1, 1, 1]), s), M, SRC)


@case
def scatter_add_inplace(torch):
    return examine(
        torch, lambda s: torch.zeros(2, dtype=torch.float64).scatter_add_(0, ints(torch, 1, 1, 0), s), [1.0, 2.0, 3.0]
    )


@case
def scatter_reduce_sum(torch):
    return examine(
        torch,
        lambda x, s: torch.scatter_reduce(x, 0, ints(torch, 1, 1, 0), s, reduce="sum"),
        [1.0, 2.0],
        [10.0, 20.0, 30.0],
    )


@case
def scatter_reduce_prod(torch):
    return examine(
        torch,
        lambda x, s: torch.scatter_reduce(x, 0, ints(torch, 1, 1, 0), s, reduce="prod"),
        [1.0, 2.0],
        [3.0, 4.0, 5.0],
    )


@case
def scatter_reduce_mean(torch):
    return examine(
        torch,
        lambda x, s: torch.scatter_reduce(x, 0, ints(torch, 1, 1, 0), s, reduce="mean"),
        [1.0, 2.0],
        [3.0, 4.0, 5.0],
    )


@case
def scatter_reduce_amax_ties(torch):
    return examine(
        torch,
        lambda x, s: torch.scatter_reduce(x, 0, ints(torch, 1, 1, 0), s, reduce="amax"),
        [1.0, 4.0],
        [3.0, 4.0, 0.5],
    )


@case
def scatter_reduce_amin(torch):
    return examine(
        torch, lambda x, s: x.scatter_reduce(0, ints(torch, 1, 1, 0), s, "amin"), [1.0, 4.0], [3.0, 4.0, 0.5]
    )


@case
def scatter_reduce_without_self(torch):
    return examine(
        torch,
        lambda x, s: torch.scatter_reduce(x, 0, ints(torch, 1, 1), s, reduce="sum", include_self=False),
        [1.0, 2.0, 3.0],
        [10.0, 20.0],
    )


@case
def scatter_reduce_mean_without_self(torch):
    return examine(
        torch,
        lambda x, s: torch.scatter_reduce(x, 0, ints(torch, 1, 1), s, reduce="mean", include_self=False),
        [1.0, 2.0, 3.0],
        [10.0, 20.0],
    )


@case
def scatter_errors(torch):
    return [
        error(lambda: torch.scatter(torch.ones(3), 0, ints(torch, 3), torch.ones(1))),
        error(lambda: torch.scatter(torch.ones(3), 0, ints(torch, 0, 1), torch.ones(1))),
        error(lambda: torch.scatter(torch.ones(3), 0, ints(torch, 0), torch.ones(1, dtype=torch.float64))),
        error(lambda: torch.scatter_add(torch.ones(2, 2), 0, ints(torch, 0), torch.ones(1))),
    ]


@case
def scatter_reduce_unknown(torch):
    return error(lambda: torch.scatter_reduce(torch.ones(2), 0, ints(torch, 0), torch.ones(1), reduce="nonsense"))


# -- the index family ---------------------------------------------------------------------------------------------


@case
def index_select(torch):
    return examine(torch, lambda x: torch.index_select(x, 1, ints(torch, 2, 0, 2)), M)


@case
def index_select_dim_0(torch):
    return examine(torch, lambda x: x.index_select(0, ints(torch, 1)), M)


@case
def index_select_errors(torch):
    return [
        error(lambda: torch.index_select(torch.ones(2), 0, ints(torch, 2))),
        error(lambda: torch.index_select(torch.ones(2), 0, torch.tensor([0.0]))),
        error(lambda: torch.index_select(torch.ones(2), 0, torch.tensor([[0]]))),
        error(lambda: torch.index_select(torch.ones(2), 1, ints(torch, 0))),
    ]


@case
def index_add(torch):
    return examine(torch, lambda x, s: torch.index_add(x, 0, ints(torch, 1, 1), s), M, SRC)


@case
def index_add_alpha_dim_1(torch):
    return examine(torch, lambda x, s: x.index_add(1, ints(torch, 2, 0), s, alpha=2), M, [[1.0, 2.0], [3.0, 4.0]])


@case
def index_add_inplace(torch):
    return examine(
        torch, lambda s: torch.zeros(2, dtype=torch.float64).index_add_(0, ints(torch, 1, 1, 0), s), [1.0, 2.0, 3.0]
    )


@case
def index_copy(torch):
    return examine(torch, lambda x, s: torch.index_copy(x, 0, ints(torch, 1), s), M, [[7.0, 8.0, 9.0]])


@case
def index_copy_dim_1(torch):
    return examine(torch, lambda x, s: x.index_copy(1, ints(torch, 2, 0), s), M, [[7.0, 8.0], [9.0, 10.0]])


@case
def index_fill_number(torch):
    return examine(torch, lambda x: torch.index_fill(x, 1, ints(torch, 0, 2), -1), M)


@case
def index_fill_tensor(torch):
    return examine(torch, lambda x, v: torch.index_fill(x, 1, ints(torch, 0, 2), v), M, -1.0)


@case
def index_put(torch):
    return examine(torch, lambda x, v: torch.index_put(x, (ints(torch, 0, 2),), v), V, [8.0, 9.0])


@case
def index_put_accumulate_repeats(torch):
    return examine(torch, lambda x, v: x.index_put((ints(torch, 1, 1),), v, accumulate=True), V, [8.0, 9.0])


@case
def index_put_broadcast_value(torch):
    return examine(torch, lambda x, v: torch.index_put(x, (ints(torch, 0, 1), ints(torch, 2, 1)), v), M, 7.0)


@case
def index_put_bool_mask(torch):
    return examine(
        torch, lambda x, v: torch.index_put(x, (torch.tensor([True, False, True, False]),), v), V, [8.0, 9.0]
    )


@case
def index_errors(torch):
    return [
        error(lambda: torch.ones(2)[ints(torch, 2)]),
        error(lambda: torch.ones(2)[torch.tensor([0.0])]),
        error(lambda: torch.ones(2)[ints(torch, 0), ints(torch, 0)]),
        error(lambda: torch.ones(2, 2)[ints(torch, 0, 1), ints(torch, 0, 1, 0)]),
        error(lambda: torch.ones(2)[torch.tensor([True, False, True])]),
    ]


@case
def index_add_errors(torch):
    return [
        error(lambda: torch.ones(2).index_add(0, ints(torch, 0, 1), torch.ones(3))),
        error(lambda: torch.ones(2).index_copy(0, ints(torch, 2), torch.ones(1))),
        error(lambda: torch.ones(2).index_add(0, ints(torch, 0), torch.ones(1, dtype=torch.float64))),
    ]


# -- masks, take, put, counting -----------------------------------------------------------------------------------


@case
def masked_fill_broadcasts(torch):
    return examine(torch, lambda x: x.masked_fill(torch.tensor([True, False, True]), 0.0), M)


@case
def masked_fill_tensor(torch):
    return examine(torch, lambda x, v: torch.masked_fill(x, torch.tensor([True, False, True]), v), M, 9.0)


@case
def masked_fill_softmax_of_attention(torch):
    return examine(
        torch, lambda x: torch.softmax(x.masked_fill(torch.tensor([False, True, False]), float("-inf")), -1), M
    )


@case
def masked_select(torch):
    return examine(torch, lambda x: torch.masked_select(x, x > 2), M)


@case
def masked_select_broadcasts(torch):
    return examine(torch, lambda x: x.masked_select(torch.tensor([True, False, True])), M)


@case
def masked_select_broadcasts_the_input(torch):
    return examine(torch, lambda x: torch.masked_select(x, torch.tensor([[True, False], [True, True]])), [1.0, 2.0])


@case
def masked_scatter(torch):
    return examine(
        torch, lambda x, s: torch.masked_scatter(x, torch.tensor([True, False, True]), s), M, [7.0, 8.0, 9.0, 10.0]
    )


@case
def masked_scatter_with_too_many_sources(torch):
    return examine(torch, lambda x, s: x.masked_scatter(torch.tensor([False, True]), s), [1.0, 2.0], [7.0, 8.0])


@case
def masked_errors(torch):
    return [
        error(lambda: torch.ones(2).masked_fill(torch.tensor([1, 0]), 1.0)),
        error(lambda: torch.ones(2).masked_fill(torch.tensor([True]), torch.ones(2))),
        error(lambda: torch.masked_select(torch.ones(2), torch.tensor([1, 0]))),
        error(lambda: torch.ones(2).masked_fill(torch.tensor([True, False, True]), 0.0)),
    ]


@case
def take_flattens(torch):
    return examine(torch, lambda x: torch.take(x, ints(torch, [0, 5], [5, 2])), M)


@case
def take_negative(torch):
    return examine(torch, lambda x: x.take(ints(torch, -1)), M)


@case
def put(torch):
    return examine(torch, lambda x, v: torch.put(x, ints(torch, 0, 5), v), M, [8.0, 9.0])


@case
def put_accumulate(torch):
    return examine(torch, lambda x, v: x.put(ints(torch, 1, 1), v, accumulate=True), M, [8.0, 9.0])


@case
def nonzero(torch):
    return [
        see(torch, torch.nonzero(torch.tensor([[0, 1], [2, 0]]))),
        see(torch, torch.nonzero(torch.tensor([0.0, 1.5]), as_tuple=True)),
        see(torch, torch.nonzero(torch.tensor(3))),
        see(torch, torch.zeros(2).nonzero()),
    ]


@case
def argwhere(torch):
    return see(torch, torch.argwhere(torch.tensor([[True, False], [True, True]])))


@case
def one_hot(torch):
    return [
        see(torch, torch.nn.functional.one_hot(ints(torch, 0, 2))),
        see(torch, torch.nn.functional.one_hot(ints(torch, [1], [0]), num_classes=3)),
        error(lambda: torch.nn.functional.one_hot(ints(torch, 3), 2)),
        error(lambda: torch.nn.functional.one_hot(torch.tensor([0.0]))),
    ]


@case
def unravel_index(torch):
    return see(torch, torch.unravel_index(ints(torch, 0, 5), (2, 3)))


@case
def embedding_repeats_add_up(torch):
    return examine(
        torch,
        lambda w: torch.nn.functional.embedding(ints(torch, [0, 2], [2, 1]), w),
        [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]],
    )


@case
def embedding_padding_gets_no_gradient(torch):
    return examine(
        torch, lambda w: torch.nn.functional.embedding(ints(torch, 0, 1, 0), w, padding_idx=0), [[1.0, 2.0], [3.0, 4.0]]
    )


@case
def embedding_errors(torch):
    return [
        error(lambda: torch.nn.functional.embedding(ints(torch, 2), torch.ones(2, 2))),
        error(lambda: torch.nn.functional.embedding(torch.tensor([0.0]), torch.ones(2, 2))),
    ]


# -- square brackets ----------------------------------------------------------------------------------------------


@case
def getitem_number(torch):
    return examine(torch, lambda x: x[1], M)


@case
def getitem_two_numbers(torch):
    return examine(torch, lambda x: x[1, -1], M)


@case
def getitem_slice(torch):
    return examine(torch, lambda x: x[:, 1:], M)


@case
def getitem_slice_step(torch):
    return examine(torch, lambda x: x[::2], V)


@case
def getitem_none_and_ellipsis(torch):
    return examine(torch, lambda x: x[None, ..., 0], M)


@case
def getitem_list(torch):
    return examine(torch, lambda x: x[[1, 0, 1]], M)


@case
def getitem_tensor_repeats(torch):
    return examine(torch, lambda x: x[ints(torch, 1, 1, 0)], V)


@case
def getitem_two_tensors(torch):
    return examine(torch, lambda x: x[ints(torch, 0, 1), ints(torch, 2, 0)], M)


@case
def getitem_two_tensors_broadcast(torch):
    return examine(torch, lambda x: x[ints(torch, [0], [1]), ints(torch, 2, 0)], M)


@case
def getitem_tensor_after_slice(torch):
    return examine(torch, lambda x: x[:, ints(torch, 2, 0)], M)


@case
def getitem_tensors_split_by_a_slice_go_first(torch):
    return see(torch, torch.arange(8).reshape(2, 2, 2)[ints(torch, 0, 1, 1), :, ints(torch, 0, 1, 0)])


@case
def getitem_bool_mask(torch):
    return examine(torch, lambda x: x[x > 2], M)


@case
def getitem_bool_row_mask(torch):
    return examine(torch, lambda x: x[torch.tensor([True, False])], M)


@case
def getitem_bool_list(torch):
    return examine(torch, lambda x: x[[True, False, True, False]], V)


@case
def getitem_zero_dim_tensor_is_a_number(torch):
    return examine(torch, lambda x: x[torch.tensor(1)], V)


@case
def getitem_zero_dim_bool(torch):
    return examine(torch, lambda x: (x[True], x[torch.tensor(False)]), V, names=False)


@case
def getitem_negative_tensor(torch):
    return examine(torch, lambda x: x[ints(torch, -1, -2)], V)


@case
def getitem_uint8_and_int32_indices(torch):
    return [see(torch, torch.arange(3)[torch.tensor([2, 0], dtype=torch.int32)])]


@case
def getitem_number_errors(torch):
    return [
        error(lambda: torch.ones(2)[2]),
        error(lambda: torch.ones(2)[0, 0]),
        error(lambda: torch.tensor(1.0)[0]),
        error(lambda: torch.ones(2)[0.0]),
        error(lambda: torch.ones(2)[::-1]),
        error(lambda: torch.ones(2, 2)[:, 3]),
    ]


@case
def setitem_forms(torch):
    x = torch.zeros(2, 3)
    x[0] = 1
    x[1, 1:] = torch.tensor([2.0, 3.0])
    x[:, 0] += 10
    x[x > 10.5] = -1.0
    x[ints(torch, 1, 1), ints(torch, 1, 1)] = torch.tensor([5.0, 6.0])
    return see(torch, x)


@case
def setitem_gradients_reach_value_and_base(torch):
    x = torch.tensor(V, dtype=torch.float64, requires_grad=True)
    v = torch.tensor([7.0, 8.0], dtype=torch.float64, requires_grad=True)
    y = x * 1
    y[1:3] = v
    (y * fixed(torch, V)).sum().backward()
    return [short(see(torch, [y, x.grad, v.grad])), graph(y.grad_fn)]


@case
def setitem_by_tensor_and_mask_is_index_put(torch):
    x = torch.tensor(V, dtype=torch.float64, requires_grad=True)
    v = torch.tensor([7.0, 8.0], dtype=torch.float64, requires_grad=True)
    y = x * 1
    y[ints(torch, 0, 3)] = v
    z = x * 1
    z[torch.tensor([True, False, True, False])] = v
    w = x * 1
    w[w > 2] = 0.0
    (y * z * w).sum().backward()
    return [short(see(torch, [y, z, w, x.grad, v.grad])), graph(y.grad_fn), graph(z.grad_fn), graph(w.grad_fn)]


@case
def setitem_errors(torch):
    x = torch.zeros(2, 3)

    def put(key, value):
        x[key] = value

    return [
        error(lambda: put(0, torch.ones(2))),
        error(lambda: put(2, 1.0)),
        error(lambda: put(slice(None), torch.ones(3, 3))),
        error(lambda: put(ints(torch, 0, 1), torch.ones(3, 3))),
        error(lambda: put(torch.tensor([True, False]), torch.ones(2, 2))),
        error(lambda: put(0, "a")),
    ]


@case
def setitem_on_a_leaf_that_requires_grad_fails(torch):
    x = torch.zeros(2, requires_grad=True)

    def put():
        x[0] = 1.0

    return error(put)


@case
def setitem_casts_to_the_dtype_of_the_target(torch):
    x = torch.zeros(3, dtype=torch.int64)
    x[0] = 2.7
    x[1:] = torch.tensor([1.5, -1.5])
    return see(torch, x)


@case
def inplace_index_functions_return_self(torch):
    x = torch.zeros(3)
    i = ints(torch, 1)
    one = torch.ones(1)
    return [
        x.scatter_(0, i, one) is x,
        x.scatter_add_(0, i, one) is x,
        x.index_add_(0, i, one) is x,
        x.index_copy_(0, ints(torch, 0), one) is x,
        x.index_fill_(0, ints(torch, 2), 5.0) is x,
        x.masked_fill_(x == 5.0, 6.0) is x,
        x.index_put_((ints(torch, 0),), one * 4) is x,
        x.put_(ints(torch, 0), one) is x,
        x.masked_scatter_(x == 6.0, one * 8) is x,
        see(torch, x),
    ]


@case
def segment_sum_by_index_add_has_second_derivatives(torch):
    x = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
    sums = torch.zeros(2, dtype=torch.float64).index_add(0, ints(torch, 0, 1, 0), x)
    (g,) = torch.autograd.grad((sums**3).sum(), x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x)
    return short(see(torch, [g.detach(), h]))


@case
def what_falls_on_one_place_in_half_precision_is_rounded_as_in_pytorch(torch):
    warnings.simplefilter("ignore")  # that index_reduce is in beta
    found = []
    for dtype in (torch.float16, torch.bfloat16):
        x = (torch.arange(12) * 7 % 13 / 13 + 0.5).reshape(4, 3).to(dtype)
        y = (torch.arange(60) * 11 % 17 / 17 + 0.5).reshape(20, 3).to(dtype)
        at = torch.arange(20) * 3 % 7 % 4
        for reduce in ("prod", "mean", "amax"):
            for include in (True, False):
                found.append(see(torch, x.index_reduce(0, at, y, reduce, include_self=include)))
                found.append(see(torch, x.t().index_reduce(1, at, y.t(), reduce, include_self=include)))
                places = at[:, None].expand(20, 3)
                found.append(see(torch, x.scatter_reduce(0, places, y, reduce, include_self=include)))
        found.append(see(torch, x.index_add(0, at, y, alpha=0.3)))
        found.append(see(torch, x[:, 0].index_add(0, at, y[:, 0])))
        found.append(see(torch, x.put(at, y[:, 0], accumulate=True)))
        leaf = x.clone().requires_grad_()
        leaf.take(at).backward(y[:, 1])
        found.append(see(torch, leaf.grad))
    return found


@case
def gradient_of_what_is_scattered_nowhere(torch):
    x = torch.tensor([[1.0], [2.0]], requires_grad=True)
    y = x.scatter_add(1, torch.tensor([[], []], dtype=torch.int64), x)
    return see(torch, torch.autograd.grad(y.sum(), x)[0])
