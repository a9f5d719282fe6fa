"""Reductions, orderings and scans: values, indices, gradients of first and second order, graph names per overload."""

from __future__ import annotations

import warnings

from .cases_pointwise import INF, NAN, examine, fixed, short, single, z
from .observe import case, error, see

M = [[1.0, -2.0, 0.5], [3.0, 0.25, -1.0]]
TIES = [[1.0, 3.0, 3.0], [2.0, 2.0, 0.5]]
CUBE = [[[1.0, 2.0], [-3.0, 0.5]], [[4.0, -1.0], [0.25, 2.5]]]


# -- sum, mean, prod ----------------------------------------------------------------------------------------------


@case
def sum_all(torch):
    return examine(torch, torch.sum, M)


@case
def sum_dim(torch):
    return examine(torch, lambda x: torch.sum(x, 1), M)


@case
def sum_negative_dim_keepdim(torch):
    return examine(torch, lambda x: x.sum(-1, keepdim=True), M)


@case
def sum_dims(torch):
    return examine(torch, lambda x: torch.sum(x, (0, 2)), CUBE)


@case
def sum_dims_keepdim(torch):
    return examine(torch, lambda x: torch.sum(x, dim=(0, 2), keepdim=True), CUBE)


@case
def sum_empty_dims_is_everything(torch):
    return examine(torch, lambda x: torch.sum(x, dim=()), M)


@case
def sum_dim_none(torch):
    return examine(torch, lambda x: torch.sum(x, dim=None), M)


@case
def sum_of_a_number_dim_0(torch):
    return examine(torch, lambda x: torch.sum(x, 0), 2.0)


@case
def sum_dtype(torch):
    return examine(torch, lambda x: torch.sum(x, dtype=torch.float64), single(torch, [1.5, 2.5]))


@case
def sum_dim_dtype(torch):
    return examine(torch, lambda x: torch.sum(x, 0, dtype=torch.float64), single(torch, [[1.5, 2.5]]))


@case
def sum_of_bools_and_integers(torch):
    return [
        see(torch, t.sum())
        for t in (
            torch.tensor([True, True]),
            torch.tensor([1, 2], dtype=torch.int32),
            torch.tensor([1, 2], dtype=torch.uint8),
        )
    ]


@case
def sum_of_nothing(torch):
    return [
        see(torch, torch.zeros(0).sum()),
        see(torch, torch.zeros(2, 0).sum(1)),
        see(torch, torch.zeros(0, 2).sum(0, keepdim=True)),
    ]


@case
def sum_complex(torch):
    return examine(torch, torch.sum, z(torch, [1 + 2j, 3j]))


@case
def sum_repeated_dims_fail(torch):
    return error(lambda: torch.sum(torch.ones(2, 2), (0, 0)))


@case
def nansum(torch):
    return examine(torch, torch.nansum, [1.0, NAN, 2.0])


@case
def nansum_dim(torch):
    return examine(torch, lambda x: torch.nansum(x, 1), [[1.0, NAN], [NAN, NAN]])


@case
def mean_all(torch):
    return examine(torch, torch.mean, M)


@case
def mean_dim(torch):
    return examine(torch, lambda x: torch.mean(x, 1), M)


@case
def mean_dim_keepdim(torch):
    return examine(torch, lambda x: x.mean(0, keepdim=True), M)


@case
def mean_dims(torch):
    return examine(torch, lambda x: x.mean((0, 2)), CUBE)


@case
def mean_empty_dims(torch):
    return examine(torch, lambda x: x.mean(dim=()), M)


@case
def mean_dtype(torch):
    return examine(torch, lambda x: x.mean(dtype=torch.float64), single(torch, [1.5, 2.5]))


@case
def mean_of_nothing_is_nan(torch):
    return see(torch, torch.zeros(0).mean())


@case
def mean_of_integers_fails(torch):
    return [
        error(lambda: torch.tensor([1, 2]).mean()),
        error(lambda: torch.tensor([[1, 2]]).mean(1)),
        error(lambda: torch.tensor([True]).mean()),
        see(torch, torch.tensor([1, 2]).mean(dtype=torch.float32)),
    ]


@case
def nanmean(torch):
    return examine(torch, torch.nanmean, [1.0, NAN, 2.0], names=False)


@case
def prod_all(torch):
    return examine(torch, torch.prod, M)


@case
def prod_one_zero(torch):
    return examine(torch, torch.prod, [2.0, 0.0, 3.0])


@case
def prod_two_zeros(torch):
    return examine(torch, torch.prod, [2.0, 0.0, 0.0])


@case
def prod_dim(torch):
    return examine(torch, lambda x: torch.prod(x, 1), M)


@case
def prod_dim_with_zeros(torch):
    return examine(torch, lambda x: torch.prod(x, dim=1), [[2.0, 0.0, 3.0], [0.0, 4.0, 0.0], [1.0, 2.0, 3.0]])


@case
def prod_dim_keepdim(torch):
    return examine(torch, lambda x: x.prod(0, keepdim=True), M)


@case
def prod_of_a_number(torch):
    return examine(torch, torch.prod, 3.0)


@case
def prod_dtype(torch):
    return [
        see(torch, torch.tensor([2, 3]).prod()),
        see(torch, torch.tensor([2, 3]).prod(dtype=torch.float64)),
        see(torch, torch.tensor([True, False]).prod()),
    ]


@case
def prod_of_nothing(torch):
    return see(torch, torch.zeros(0).prod())


@case
def cumsum(torch):
    return examine(torch, lambda x: torch.cumsum(x, 1), M)


@case
def cumsum_dim_0_dtype(torch):
    return examine(torch, lambda x: torch.cumsum(x, dim=0, dtype=torch.float64), single(torch, [1.0, 2.0]))


@case
def cumsum_of_integers(torch):
    return [
        see(torch, torch.tensor([1, 2], dtype=torch.int32).cumsum(0)),
        see(torch, torch.tensor([True, True]).cumsum(-1)),
    ]


@case
def cumprod(torch):
    return examine(torch, lambda x: torch.cumprod(x, 1), M)


@case
def cumprod_one_zero(torch):
    return examine(torch, lambda x: torch.cumprod(x, 0), [2.0, 0.0, 3.0, 4.0])


@case
def cumprod_two_zeros(torch):
    return examine(torch, lambda x: torch.cumprod(x, 0), [2.0, 0.0, 3.0, 0.0, 5.0])


@case
def cumprod_zeros_in_rows(torch):
    return examine(torch, lambda x: torch.cumprod(x, dim=1), [[2.0, 0.0, 3.0], [1.0, 4.0, 5.0]])


@case
def logcumsumexp(torch):
    return examine(torch, lambda x: torch.logcumsumexp(x, 0), [1.0, -2.0, 3.0])


@case
def cummax_ties_take_the_last(torch):
    return examine(torch, lambda x: torch.cummax(x, 0), [1.0, 3.0, 3.0, 2.0, 4.0])


@case
def cummin_ties_take_the_last(torch):
    return examine(torch, lambda x: torch.cummin(x, 0), [3.0, 1.0, 1.0, 2.0, 0.0])


@case
def cummax_with_nan(torch):
    return see(torch, torch.cummax(fixed(torch, [1.0, NAN, 2.0]), 0))


@case
def cummax_rows(torch):
    return examine(torch, lambda x: torch.cummax(x, dim=1), TIES)


@case
def diff(torch):
    return examine(torch, torch.diff, [1.0, 4.0, 9.0], names=False)


@case
def diff_twice_along_dim(torch):
    return examine(torch, lambda x: torch.diff(x, n=2, dim=1), [[1.0, 4.0, 9.0, 2.0]], names=False)


@case
def trapezoid(torch):
    return examine(torch, lambda y: torch.trapezoid(y, dx=0.5), [1.0, 2.0, 4.0], names=False)


# -- maxima and minima --------------------------------------------------------------------------------------------


@case
def max_all(torch):
    return examine(torch, torch.max, M)


@case
def max_all_ties_share_the_gradient(torch):
    return examine(torch, torch.max, [1.0, 3.0, 3.0])


@case
def min_all_ties_share_the_gradient(torch):
    return examine(torch, torch.min, [1.0, 1.0, 3.0])


@case
def max_all_nan(torch):
    return examine(torch, torch.max, [1.0, NAN, 3.0])


@case
def max_dim(torch):
    return examine(torch, lambda x: torch.max(x, 1), M)


@case
def max_dim_ties_take_one(torch):
    return examine(torch, lambda x: torch.max(x, dim=1), TIES)


@case
def max_dim_keepdim(torch):
    return examine(torch, lambda x: x.max(0, keepdim=True), M)


@case
def max_dim_nan_wins(torch):
    return see(torch, torch.max(fixed(torch, [[1.0, NAN, 3.0]]), 1))


@case
def max_dim_of_a_number(torch):
    return examine(torch, lambda x: torch.max(x, 0), 3.0)


@case
def min_dim(torch):
    return examine(torch, lambda x: torch.min(x, 1), TIES)


@case
def min_dim_keepdim(torch):
    return examine(torch, lambda x: x.min(-1, True), M)


@case
def amax_all_ties_share_the_gradient(torch):
    return examine(torch, torch.amax, [1.0, 3.0, 3.0])


@case
def amax_dim_ties_share_the_gradient(torch):
    return examine(torch, lambda x: torch.amax(x, 1), TIES)


@case
def amax_dims_keepdim(torch):
    return examine(torch, lambda x: torch.amax(x, dim=(0, 2), keepdim=True), CUBE)


@case
def amin_dim(torch):
    return examine(torch, lambda x: torch.amin(x, 0), TIES)


@case
def aminmax_all(torch):
    return examine(torch, torch.aminmax, [1.0, 3.0, 3.0])


@case
def aminmax_dim(torch):
    return examine(torch, lambda x: torch.aminmax(x, dim=1), TIES)


@case
def argmax_argmin(torch):
    return [
        see(torch, f(torch.tensor(TIES), *a)) for f in (torch.argmax, torch.argmin) for a in ((), (0,), (1,), (1, True))
    ]


@case
def argmax_first_of_ties(torch):
    return see(torch, torch.argmax(torch.tensor([1, 5, 5, 2])))


@case
def argmax_of_nan(torch):
    return see(torch, torch.argmax(fixed(torch, [1.0, NAN, 3.0])))


@case
def argmax_keepdim_without_dim(torch):
    return see(torch, torch.argmax(torch.tensor(TIES), keepdim=True))


@case
def max_returns_a_named_tuple(torch):
    return [
        type(torch.max(torch.tensor(M), 0)).__name__,
        isinstance(torch.max(torch.tensor(M), 0), tuple),
        len(torch.sort(torch.tensor(M))),
    ]


@case
def named_results_have_fields(torch):
    x = torch.tensor(M)
    r = torch.max(x, dim=1)
    s = torch.sort(x, dim=1)
    values, indices = torch.topk(x, 1)
    m = torch.aminmax(x)
    return see(torch, [r.values, r.indices, r[0], s.values, s.indices, values, indices, m.min, m.max])


@case
def max_of_nothing_fails(torch):
    return [
        error(lambda: torch.zeros(0).max()),
        error(lambda: torch.zeros(0).max(0)),
        error(lambda: torch.zeros(0).argmax()),
        error(lambda: torch.zeros(0).amax()),
        see(torch, torch.zeros(0, 2).max(1)),
    ]


@case
def max_of_integers_and_bools(torch):
    return [
        see(torch, torch.tensor([3, 7]).max()),
        see(torch, torch.tensor([True, False]).min()),
        see(torch, torch.tensor([[3, 7]]).amax(1)),
    ]


# -- variance and norms -------------------------------------------------------------------------------------------


@case
def var_all(torch):
    return examine(torch, torch.var, M)


@case
def var_unbiased_false(torch):
    return examine(torch, lambda x: torch.var(x, unbiased=False), M)


@case
def var_dim(torch):
    return examine(torch, lambda x: torch.var(x, 1), M)


@case
def var_dim_unbiased_positional(torch):
    return examine(torch, lambda x: torch.var(x, 1, False), M)


@case
def var_correction_keepdim(torch):
    return examine(torch, lambda x: torch.var(x, dim=1, correction=2, keepdim=True), M)


@case
def var_dims_correction_0(torch):
    return examine(torch, lambda x: x.var((0, 2), correction=0), CUBE)


@case
def std_all(torch):
    return examine(torch, torch.std, M)


@case
def std_dim_unbiased_false(torch):
    return examine(torch, lambda x: torch.std(x, 1, unbiased=False), M)


@case
def std_correction_0(torch):
    return examine(torch, lambda x: x.std(dim=1, correction=0, keepdim=True), M)


@case
def std_of_equal_values_has_finite_gradient_zero(torch):
    return examine(torch, lambda x: torch.std(x), [2.0, 2.0], twice=False)


@case
def var_mean_dim(torch):
    return examine(torch, lambda x: torch.var_mean(x, 1), M)


@case
def std_mean_all(torch):
    return examine(torch, torch.std_mean, M)


@case
def norm_default(torch):
    return examine(torch, torch.norm, M)


@case
def norm_at_zero_has_gradient_zero(torch):
    return examine(torch, torch.norm, [0.0, 0.0], twice=False)


@case
def norm_one(torch):
    return examine(torch, lambda x: torch.norm(x, 1), [3.0, -4.0, 0.0])


@case
def norm_three_dim(torch):
    return examine(torch, lambda x: torch.norm(x, 3, dim=1), M)


@case
def norm_inf(torch):
    return examine(torch, lambda x: torch.norm(x, INF), [3.0, -4.0, 4.0])


@case
def norm_minus_inf(torch):
    return examine(torch, lambda x: torch.norm(x, -INF), [3.0, -4.0, 4.0])


@case
def norm_zero(torch):
    return examine(torch, lambda x: torch.norm(x, 0), [3.0, 0.0, 4.0])


@case
def norm_half(torch):
    return examine(torch, lambda x: torch.norm(x, 0.5), [3.0, 4.0])


@case
def norm_fro_dim_keepdim(torch):
    return examine(torch, lambda x: torch.norm(x, p="fro", dim=1, keepdim=True), M)


@case
def norm_method_dim(torch):
    return examine(torch, lambda x: x.norm(dim=0), M)


@case
def norm_dims(torch):
    return examine(torch, lambda x: x.norm(2, (1, 2)), CUBE)


@case
def norm_rows_with_a_zero_row(torch):
    return examine(torch, lambda x: x.norm(dim=1), [[0.0, 0.0], [3.0, 4.0]], twice=False)


@case
def norm_complex(torch):
    return examine(torch, torch.norm, z(torch, [3 + 4j, 1j]))


@case
def vector_norm(torch):
    return examine(torch, torch.linalg.vector_norm, M)


@case
def vector_norm_one_dim(torch):
    return examine(torch, lambda x: torch.linalg.vector_norm(x, 1, dim=1), M)


@case
def vector_norm_inf(torch):
    return examine(torch, lambda x: torch.linalg.vector_norm(x, ord=INF, dim=1, keepdim=True), TIES)


@case
def vector_norm_zero(torch):
    return examine(torch, lambda x: torch.linalg.vector_norm(x, 0), [3.0, 0.0])


@case
def matrix_norm_fro(torch):
    return examine(torch, torch.linalg.matrix_norm, M)


@case
def matrix_norm_one_and_inf(torch):
    return examine(torch, lambda x: (torch.linalg.matrix_norm(x, 1), torch.linalg.matrix_norm(x, INF)), M, names=False)


@case
def linalg_norm_default_and_ord(torch):
    return examine(torch, lambda x: (torch.linalg.norm(x), torch.linalg.norm(x, 1)), M, names=False)


@case
def dist(torch):
    return examine(torch, torch.dist, [1.0, 2.0], [4.0, 6.0], names=False)


@case
def cdist(torch):
    return examine(torch, torch.cdist, [[1.0, 2.0]], [[4.0, 6.0], [0.0, 1.0]], names=False, twice=False)


@case
def renorm(torch):
    return examine(torch, lambda x: torch.renorm(x, 2, 0, 1.0), [[3.0, 4.0], [0.1, 0.2]], names=False, twice=False)


# -- log-sum-exp, any, all, counting ------------------------------------------------------------------------------


@case
def logsumexp(torch):
    return examine(torch, lambda x: torch.logsumexp(x, 1), M)


@case
def logsumexp_keepdim_dims(torch):
    return examine(torch, lambda x: torch.logsumexp(x, dim=(0, 2), keepdim=True), CUBE)


@case
def logsumexp_is_stable(torch):
    return examine(torch, lambda x: torch.logsumexp(x, 0), [1000.0, 1000.0])


@case
def logsumexp_with_minus_inf(torch):
    return examine(torch, lambda x: torch.logsumexp(x, 0), [-INF, 1.0])


@case
def logsumexp_of_only_minus_inf(torch):
    return examine(torch, lambda x: torch.logsumexp(x, 0), [-INF, -INF])


@case
def logsumexp_with_plus_inf(torch):
    return examine(torch, lambda x: torch.logsumexp(x, 0), [INF, 1.0])


@case
def logsumexp_of_integers(torch):
    return see(torch, torch.logsumexp(torch.tensor([1, 2]), 0))


@case
def any_all(torch):
    return [
        see(torch, r)
        for t in (torch.tensor([[True, False], [True, True]]),)
        for r in (t.any(), t.all(), t.any(0), t.all(1), t.all(1, keepdim=True), torch.all(t, dim=(0, 1)))
    ]


@case
def any_all_of_floats_and_uint8(torch):
    return [
        see(torch, torch.tensor([0.0, 2.0]).any()),
        see(torch, torch.tensor([0.0, 2.0]).all()),
        see(torch, torch.tensor([1, 2], dtype=torch.uint8).all()),
    ]


@case
def any_all_of_nothing(torch):
    return [see(torch, torch.zeros(0).any()), see(torch, torch.zeros(0).all())]


@case
def count_nonzero(torch):
    return [
        see(torch, torch.count_nonzero(torch.tensor([[0, 1], [2, 3]]))),
        see(torch, torch.count_nonzero(torch.tensor([[0, 1], [2, 3]]), dim=0)),
    ]


# -- order --------------------------------------------------------------------------------------------------------


@case
def median_all_takes_the_lower(torch):
    return examine(torch, torch.median, [3.0, 1.0, 4.0, 2.0])


@case
def median_dim(torch):
    return examine(torch, lambda x: torch.median(x, 1), M)


@case
def median_dim_keepdim(torch):
    return examine(torch, lambda x: x.median(dim=0, keepdim=True), M)


@case
def median_with_nan(torch):
    return examine(torch, torch.median, [3.0, NAN, 1.0])


@case
def nanmedian(torch):
    return examine(torch, torch.nanmedian, [3.0, NAN, 1.0, 2.0])


@case
def median_all_ties_share_the_gradient(torch):
    return examine(torch, torch.median, [3.0, 2.0, 2.0, 1.0])


@case
def mode_takes_the_smallest_most_frequent(torch):
    return examine(torch, lambda x: torch.mode(x, 0), [2.0, 1.0, 2.0, 1.0, 3.0])


@case
def kthvalue(torch):
    return examine(torch, lambda x: torch.kthvalue(x, 2, dim=1), M)


@case
def kthvalue_keepdim(torch):
    return examine(torch, lambda x: torch.kthvalue(x, 1, 1, True), M)


@case
def kthvalue_out_of_range(torch):
    return error(lambda: torch.kthvalue(torch.tensor([1.0]), 2))


@case
def quantile(torch):
    return examine(torch, lambda x: torch.quantile(x, 0.3), [3.0, 1.0, 4.0, 2.0], names=False)


@case
def quantile_several_dim(torch):
    return examine(torch, lambda x: torch.quantile(x, fixed(torch, [0.25, 0.5]), dim=1), M, names=False)


@case
def quantile_interpolations(torch):
    return examine(
        torch,
        lambda x: tuple(torch.quantile(x, 0.4, interpolation=i) for i in ("lower", "higher", "nearest", "midpoint")),
        [3.0, 1.0, 4.0],
        names=False,
    )


@case
def sort(torch):
    return examine(torch, torch.sort, M)


@case
def sort_descending_dim_0(torch):
    return examine(torch, lambda x: torch.sort(x, 0, descending=True), M)


@case
def sort_stable_keeps_ties_in_order(torch):
    return examine(torch, lambda x: torch.sort(x, stable=True), [2.0, 1.0, 2.0, 1.0])


@case
def sort_stable_descending(torch):
    return see(torch, torch.sort(torch.tensor([2, 1, 2, 1]), stable=True, descending=True))


@case
def sort_puts_nan_last(torch):
    return [see(torch, torch.sort(fixed(torch, [NAN, 1.0, INF]), descending=d)) for d in (False, True)]


@case
def sort_bools_and_numbers(torch):
    return [see(torch, torch.sort(torch.tensor([True, False]))), see(torch, torch.sort(torch.tensor(3.0)))]


@case
def msort(torch):
    return examine(torch, torch.msort, [3.0, 1.0], names=False)


@case
def argsort(torch):
    return [
        see(torch, torch.argsort(torch.tensor([3.0, 1.0, 2.0]))),
        see(torch, torch.argsort(torch.tensor([[3.0, 1.0], [1.0, 2.0]]), dim=0, descending=True)),
        see(torch, torch.argsort(torch.tensor([1, 0, 1, 0]), stable=True)),
    ]


@case
def topk(torch):
    return examine(torch, lambda x: torch.topk(x, 2), M)


@case
def topk_smallest_dim_0(torch):
    return examine(torch, lambda x: x.topk(1, dim=0, largest=False), M)


@case
def topk_too_many(torch):
    return error(lambda: torch.topk(torch.tensor([1.0, 2.0]), 3))


@case
def indices_of_orderings_have_no_graph(torch):
    x = torch.tensor([3.0, 1.0, 2.0], requires_grad=True)
    pairs = (x.sort(), x.topk(2), x.max(0), x.median(0), x.kthvalue(1), x.cummax(0), x.mode())
    return [[i.requires_grad, i.grad_fn is None, str(i.dtype)] for _, i in pairs]


@case
def unique_sorted_with_inverse_and_counts(torch):
    x = torch.tensor([3, 1, 3, 2, 1])
    return see(torch, [torch.unique(x), *torch.unique(x, return_inverse=True, return_counts=True)])


@case
def unique_of_a_matrix_and_along_dim(torch):
    x = torch.tensor([[1, 2], [1, 2], [0, 3]])
    return see(torch, [torch.unique(x), *torch.unique(x, dim=0, return_inverse=True, return_counts=True)])


@case
def unique_consecutive(torch):
    x = torch.tensor([1, 1, 2, 2, 1])
    return see(torch, [torch.unique_consecutive(x), *torch.unique_consecutive(x, return_counts=True)])


@case
def bincount(torch):
    return [
        see(torch, torch.bincount(torch.tensor([0, 2, 2]))),
        see(torch, torch.bincount(torch.tensor([0, 2]), minlength=5)),
        see(torch, torch.bincount(torch.tensor([0, 2, 2]), weights=fixed(torch, [0.5, 1.0, 2.0]))),
    ]


@case
def bincount_refuses_negatives(torch):
    return error(lambda: torch.bincount(torch.tensor([-1])))


@case
def histc(torch):
    return see(torch, torch.histc(torch.tensor([1.0, 2.0, 1.0, 4.0]), bins=4, min=0, max=4))


@case
def histc_without_range(torch):
    return see(torch, torch.histc(torch.tensor([1.0, 2.0, 5.0]), bins=2))


@case
def searchsorted_left_and_right(torch):
    edges, v = torch.tensor([1, 3, 5]), torch.tensor([[0, 3, 6], [1, 5, 4]])
    return see(torch, [torch.searchsorted(edges, v), torch.searchsorted(edges, v, right=True)])


@case
def searchsorted_rows_numbers_and_int32(torch):
    edges = torch.tensor([[1.0, 3.0], [2.0, 4.0]])
    one = torch.tensor([1.0, 3.0])
    return see(
        torch,
        [
            torch.searchsorted(edges, torch.tensor([[2.0], [4.0]]), side="right"),
            torch.searchsorted(one, 3.0),
            torch.searchsorted(one, torch.tensor([2.0]), out_int32=True),
        ],
    )


@case
def bucketize_left_and_right(torch):
    v = torch.tensor([[3, 6], [1, 5]])
    edges = torch.tensor([1, 3, 5])
    return see(torch, [torch.bucketize(v, edges), torch.bucketize(v, edges, right=True), torch.bucketize(2, edges)])


@case
def bucketize_right_is_the_other_way_round_than_numpy(torch):
    edges = torch.tensor([1.0, 2.0])
    return see(torch, [torch.bucketize(torch.tensor([1.0, 2.0]), edges, right=r) for r in (False, True)])


@case
def cov_and_corrcoef(torch):
    return examine(torch, lambda x: (torch.cov(x), torch.corrcoef(x)), M, names=False, twice=False)


@case
def backward_of_a_reduction_expands_without_copying(torch):
    x = torch.tensor(M, dtype=torch.float64, requires_grad=True)
    (g,) = torch.autograd.grad(x.sum(), x)
    return [g.stride() == (0, 0), list(g.shape), short(g.tolist())]


@case
def reductions_of_nothing(torch):
    e = torch.zeros(0, 3)
    return [
        see(torch, e.sum(0)),
        see(torch, e.prod(0)),
        see(torch, e.mean(0)),
        see(torch, e.logsumexp(0)),
        see(torch, e.norm()),
        error(lambda: e.max(0)),
        error(lambda: e.argmin(0)),
        see(torch, e.cumsum(0)),
        see(torch, e.sort(0)),
        see(torch, e.all(1)),
    ]


@case
def gradients_of_variances_of_a_number(torch):
    found = []
    for name in ("var", "std", "var_mean"):
        for correction in (0, 1, 2):
            for dim in (None, 0, -1):
                x = torch.tensor(0.5, requires_grad=True)
                with warnings.catch_warnings():  # of degrees of freedom
                    warnings.simplefilter("ignore")
                    y = getattr(torch, name)(x, dim=dim, correction=correction)
                (y[0] if isinstance(y, tuple) else y).backward()
                found.append(see(torch, x.grad))
    return found


@case
def extrema_and_medians_of_empty_tensors_without_an_order(torch):
    empty, rows = torch.zeros(0, dtype=torch.complex64), torch.zeros(2, 0, dtype=torch.complex64)
    calls = [
        *[lambda f=f, t=t: see(torch, f(t, 0)) for f in (torch.max, torch.min) for t in (empty, rows)],
        *[lambda f=f, t=t: see(torch, f(t, 0)) for f in (torch.amax, torch.amin, torch.mode) for t in (empty, rows)],
        *[lambda f=f, t=t: see(torch, f(t)) for f in (torch.median, torch.nanmedian) for t in (rows, rows.bool())],
        *[lambda t=t: torch.quantile(t, 5.0) for t in (empty, torch.zeros(0), torch.ones(2))],
    ]
    return [error(call) for call in calls]


@case
def gradients_of_aminmax_of_nan(torch):
    def gradients(values, **options):
        x = torch.tensor(values, requires_grad=True)
        return see(torch, [torch.autograd.grad(m.sum(), x, retain_graph=True)[0] for m in torch.aminmax(x, **options)])

    nan = float("nan")
    return [
        gradients([nan, 1.0, 2.0]), gradients([nan, 1.0, 2.0], dim=0),
        gradients([[1.0, nan], [0.0, 0.0]], dim=1, keepdim=True),
        gradients([[1.0, 1.0], [0.0, 0.0]]), gradients(3.0), gradients(nan),
    ]


@case
def variances_whose_squares_add_up_beyond_single_precision(torch):
    x = torch.arange(24.0) * 1e18
    y, z = x.reshape(4, 6), torch.complex(x, x.flip(0))
    found = [x.var(), x.var(correction=0), *torch.var_mean(x), *torch.std_mean(y, 1), y.var(1), z.var(), z.std()]
    found += [(x * 1e3).var(), (x * 1e3).std(), torch.zeros(4).var(), torch.ones(2, 3).var(1), x.bfloat16().var()]
    leaf = x.clone().requires_grad_()
    (leaf.var() * 1e-20).backward()
    return [see(torch, t) for t in (*found, leaf.grad)]
