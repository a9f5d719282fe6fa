"""Reductions, scans and orders where naive formulas fail: nothing, one element, ties, zeros, nan, overflow."""

from __future__ import annotations

from .edges import BRAIN, DOUBLE, HALF, INF, NAN, PRECISIONS, SINGLE, look
from .observe import case, error, plain, see

ROWS = [
    [1.0, 2.0, 3.0],
    [1000.0, 1000.0, 999.0],
    [-1000.0, -1001.0, -1000.0],
    [INF, 1.0, 0.0],
    [-INF, -INF, -INF],
    [-INF, 0.0, 1.0],
    [NAN, 1.0, 2.0],
    [INF, INF, -INF],
    [0.0, -0.0, 0.0],
]
TIES = [[1.0, 3.0, 3.0], [2.0, 2.0, 2.0], [NAN, 1.0, NAN], [-0.0, 0.0, -0.0], [INF, INF, 1.0], [-INF, -INF, -INF]]


def in_all(torch, fn, *inputs, precisions=PRECISIONS, **how):
    return {p: look(torch, fn, *inputs, precision=p, **how) for p in precisions}


def raised_or_value(torch, fn):
    """Type of what is raised and its message, or the numbers."""
    return error(lambda: plain(torch.as_tensor(fn()).tolist()))


@case
def logsumexp(torch):
    return in_all(torch, lambda t: torch.logsumexp(t, 1), ROWS)


@case
def logsumexp_of_nothing_and_of_one(torch):
    return {
        "nothing": look(torch, lambda: torch.logsumexp(torch.zeros(2, 0), 1)),
        "no rows": look(torch, lambda t: torch.logsumexp(t, 0), torch.zeros(0, 2, requires_grad=True)),
        "one": look(torch, lambda t: torch.logsumexp(t, 1, keepdim=True), [[5.0], [-INF], [INF], [NAN]]),
        "int": look(torch, lambda: torch.logsumexp(torch.tensor([1, 2]), 0)),
        "number": look(torch, lambda t: torch.logsumexp(t, 0), 3.0),
        "all": look(torch, lambda t: torch.logsumexp(t, (0, 1)), ROWS[:3]),
    }


@case
def softmax(torch):
    return in_all(torch, lambda t: torch.softmax(t, 1), ROWS)


@case
def log_softmax(torch):
    return in_all(torch, lambda t: torch.log_softmax(t, 1), ROWS)


@case
def softmin_and_one_element(torch):
    return {
        "softmin": look(torch, lambda t: torch.nn.functional.softmin(t, 1), ROWS),
        "softmax": look(torch, lambda t: torch.softmax(t, 1), [[3.0], [-INF], [INF], [NAN]]),
        "log_softmax": look(torch, lambda t: torch.log_softmax(t, 1), [[3.0], [-INF], [INF], [NAN]]),
        "number": look(torch, lambda t: torch.softmax(t, 0), 3.0),
        "nothing": look(torch, lambda t: torch.softmax(t, 1), torch.zeros(2, 0, requires_grad=True)),
        "int": raised_or_value(torch, lambda: torch.softmax(torch.tensor([1, 2]), 0)),
        "dtype": look(torch, lambda t: torch.softmax(t, 1, dtype=torch.float32), ROWS[:2], precision=HALF),
    }


@case
def logcumsumexp(torch):
    fn = lambda t: torch.logcumsumexp(t, 1)
    once = in_all(torch, fn, ROWS, precisions=(DOUBLE, SINGLE), twice=False)
    return once | {"twice": look(torch, fn, ROWS[:5] + ROWS[6:])}


@case
def variance_of_one_element(torch):
    one, rows = [[3.0]], [[1.0, 1.0, 1.0], [1e8, 1e8 + 1, 1e8 + 2], [INF, 1.0, 2.0], [NAN, 1.0, 2.0]]
    seen = {}
    for name in ("var", "std"):
        fn = getattr(torch, name)
        seen[f"{name} of one"] = in_all(torch, lambda t: fn(t, 1), one)  # noqa: B023
        seen[f"{name} of one, uncorrected"] = in_all(torch, lambda t: fn(t, 1, correction=0), one)  # noqa: B023
        seen[f"{name} of all"] = look(torch, lambda t: fn(t), one)  # noqa: B023
        seen[f"{name} of none"] = look(torch, lambda t: fn(t, 1), torch.zeros(2, 0, requires_grad=True))  # noqa: B023
        seen[f"{name} overcorrected"] = look(torch, lambda t: fn(t, 1, correction=5), rows)  # noqa: B023
        seen[name] = look(torch, lambda t: fn(t, 1), rows)  # noqa: B023
        seen[f"{name}_mean"] = look(torch, lambda t: getattr(torch, f"{name}_mean")(t, 1), rows[:2])  # noqa: B023
    return seen


@case
def variance_in_half_precision(torch):
    rows = [[1000.0, 1001.0, 1002.0, 999.0], [60000.0, 60000.0, -60000.0, 0.0], [0.1, 0.1, 0.1, 0.1]]
    return in_all(torch, lambda t: torch.var(t, 1), rows, precisions=(HALF, BRAIN)) | {
        "std": in_all(torch, lambda t: torch.std(t, 1), rows[:2], precisions=(HALF, BRAIN))
    }


@case
def product_with_zeros(torch):
    rows = [[1.0, 2.0, 3.0], [0.0, 2.0, 3.0], [0.0, 0.0, 3.0], [0.0, 0.0, 0.0]]
    odd = [[INF, 0.0, 1.0], [NAN, 0.0, 1.0]]
    return {
        "not finite": look(torch, lambda t: torch.prod(t, 1), odd, twice=False),
        "dim": in_all(torch, lambda t: torch.prod(t, 1), rows),
        "all": [look(torch, torch.prod, row) for row in rows],
        "nothing": look(torch, lambda t: torch.prod(t, 1), torch.zeros(2, 0, requires_grad=True)),
        "number": look(torch, torch.prod, 0.0),
        "overflow": look(torch, lambda: torch.prod(torch.tensor([2**62, 4]))),
    }


@case
def cumulative_product_with_zeros(torch):
    rows = [
        [1.0, 2.0, 3.0, 4.0],
        [2.0, 0.0, 3.0, 4.0],
        [0.0, 2.0, 0.0, 3.0],
        [0.0, 0.0, 0.0, 0.0],
        [2.0, 3.0, 4.0, 0.0],
    ]
    return in_all(torch, lambda t: torch.cumprod(t, 1), rows) | {
        "nothing": look(torch, lambda t: torch.cumprod(t, 1), torch.zeros(2, 0, requires_grad=True)),
        "number": look(torch, lambda t: torch.cumprod(t, 0), 0.0),
    }


@case
def sums_in_low_precision(torch):
    return {
        "cumsum": in_all(torch, lambda t: torch.cumsum(t, 0), [0.1] * 40 + [1000.0, 1.0], precisions=(HALF, BRAIN)),
        "sum": in_all(torch, torch.sum, [0.1] * 500, precisions=(HALF, BRAIN)),
        "sum of large": in_all(torch, torch.sum, [60000.0, 60000.0, -60000.0], precisions=(HALF,)),
        "mean": in_all(torch, torch.mean, [60000.0, 60000.0, 60000.0], precisions=(HALF,)),
        "prod": in_all(torch, torch.prod, [1.1] * 60, precisions=(HALF,)),
        "sum of infinities": look(torch, torch.sum, [INF, -INF]),
        "nansum": look(torch, lambda t: torch.nansum(t, 1), TIES),
        "nanmean": look(torch, lambda t: torch.nanmean(t, 1), TIES),
        "nanmean of nan": look(torch, torch.nanmean, [NAN, NAN]),
        "cumsum of uint8": look(torch, lambda: torch.cumsum(torch.tensor([200, 100], dtype=torch.uint8), 0)),
        "sum of bool": look(torch, lambda: torch.sum(torch.tensor([True, True]))),
        "mean of nothing": look(torch, lambda t: torch.mean(t), torch.zeros(0, requires_grad=True)),
        "mean of int": raised_or_value(torch, lambda: torch.mean(torch.tensor([1, 2]))),
        "mean of bool": raised_or_value(torch, lambda: torch.mean(torch.tensor([True]))),
        "mean of int along": raised_or_value(torch, lambda: torch.tensor([[1, 2]]).mean(1)),
        "std of int": raised_or_value(torch, lambda: torch.std(torch.tensor([1, 2]))),
    }


@case
def extrema_with_ties_and_nan(torch):
    seen = {}
    for name in ("max", "min", "amax", "amin", "aminmax", "median", "nanmedian", "mode", "argmax", "argmin"):
        fn = getattr(torch, name)
        along = (lambda t: torch.aminmax(t, dim=1)) if name == "aminmax" else lambda t: fn(t, 1)  # noqa: B023
        rows = [row for row in TIES if name != "mode" or row[0] == row[0]]
        seen[name] = in_all(torch, along, rows, precisions=(DOUBLE, HALF), signs=False)
    return seen


@case
def extrema_of_everything(torch):
    flat = [[1.0, 3.0, 3.0], [2.0, 1.0, NAN], [INF, INF, 1.0], [2.0, 2.0, 2.0, 2.0]]
    names = "max min amax amin median nanmedian".split()
    return {n: [look(torch, getattr(torch, n), row) for row in flat] for n in names}


@case
def extrema_of_nothing(torch):
    seen = {}
    for name in "max min amax amin median nanmedian mode argmax argmin".split():
        fn = getattr(torch, name)
        seen[name] = raised_or_value(torch, lambda: fn(torch.zeros(0)))  # noqa: B023
        seen[f"{name} along"] = error(lambda: str(fn(torch.zeros(2, 0), 1)))  # noqa: B023
        if name.startswith("a"):
            seen[f"{name} of no rows"] = error(lambda: list(fn(torch.zeros(0, 2), 1).shape))  # noqa: B023
    return seen


@case
def orders_with_nan(torch):
    x = [[3.0, NAN, -INF, 0.0, -0.0, INF, NAN, 3.0]]
    seen = {
        "sort": in_all(torch, lambda t: torch.sort(t, dim=1, stable=True), x),
        "descending": in_all(torch, lambda t: torch.sort(t, dim=1, descending=True, stable=True), x),
        "argsort": look(torch, lambda t: torch.argsort(t, dim=1, stable=True), x),
        "msort": look(torch, torch.msort, x),
        "topk": look(torch, lambda t: torch.topk(t, 3, 1)[0], x),
        "smallest": look(torch, lambda t: torch.topk(t, 3, 1, largest=False)[0], x, signs=False),
        "cummax": look(torch, lambda t: torch.cummax(t, 1), x, signs=False),
        "cummin": look(torch, lambda t: torch.cummin(t, 1), x, signs=False),
        "unique": look(torch, lambda: torch.unique(torch.tensor([3.0, NAN, 1.0, 3.0, INF]))),
        "quantile": look(
            torch, lambda t: torch.quantile(t, 0.5, dim=1), [[1.0, NAN, 2.0], [INF, 1.0, 2.0], [1.0, 5.0, 2.0]]
        ),
        "nanquantile": look(torch, lambda t: torch.nanquantile(t, 0.25, dim=1), [[1.0, NAN, 2.0], [NAN, NAN, NAN]]),
        "searchsorted": look(
            torch, lambda: torch.searchsorted(torch.tensor([1.0, 2.0, 2.0, INF]), torch.tensor([NAN, 2.0, INF, -INF]))
        ),
        "kthvalue": look(torch, lambda t: torch.kthvalue(t, 2, 1)[0], [[3.0, NAN, 1.0], [1.0, 5.0, 2.0]]),
    }
    return seen


@case
def counts_and_truth(torch):
    t = torch.tensor([NAN, 0.0, -0.0, INF])
    return {
        "any": look(torch, lambda: torch.any(t)),
        "all": look(torch, lambda: torch.all(t)),
        "any of nothing": look(torch, lambda: torch.any(torch.zeros(0))),
        "all of nothing": look(torch, lambda: torch.all(torch.zeros(0))),
        "count_nonzero": look(torch, lambda: torch.count_nonzero(t)),
        "bool": look(torch, lambda: t.bool()),
        "equal": [torch.equal(t, t.clone()), torch.equal(torch.zeros(1), -torch.zeros(1))],
    }


@case
def norms_of_zeros(torch):
    orders = (0, 0.5, 1, 1.5, 2, 3, -1, -2, INF, -INF)
    zeros = [[0.0, 0.0], [3.0, -4.0], [0.0, 2.0]]
    return {
        "norm": {p: look(torch, lambda t, p=p: torch.norm(t, p, dim=1), zeros) for p in orders},
        "vector_norm": {p: look(torch, lambda t, p=p: torch.linalg.vector_norm(t, p, dim=1), zeros) for p in orders},
        "all": {p: look(torch, lambda t, p=p: torch.norm(t, p), [0.0, 0.0]) for p in orders},
    }


@case
def norms_at_the_edges(torch):
    rows = [[INF, 1.0], [NAN, 1.0], [-INF, INF], [1e300, 1e300], [1e-300, 1e-300], [-0.0, 0.0]]
    seen = {
        p: look(torch, lambda t, p=p: torch.linalg.vector_norm(t, p, dim=1), rows[:3] + rows[5:])
        for p in (0, 1, 3, INF, -INF)
    }
    return seen | {
        "euclidean": look(torch, lambda t: torch.linalg.vector_norm(t, dim=1), rows[:3] + rows[5:]),
        "half": in_all(
            torch, lambda t: torch.norm(t, dim=1), [[300.0, 400.0], [6e-5, 6e-5], [0.0, 0.0]], precisions=(HALF, BRAIN)
        ),
        "ties": look(torch, lambda t: torch.norm(t, INF, dim=1), [[2.0, -2.0, 1.0], [1.0, 1.0, 1.0]]),
        "smallest": look(torch, lambda t: torch.norm(t, -INF, dim=1), [[2.0, -2.0, 1.0], [1.0, 1.0, 1.0]]),
        "nothing": [
            error(lambda p=p: torch.linalg.vector_norm(torch.zeros(0), p).item()) for p in (0, 1, 2, 0.5, INF, -1, -INF)
        ],
        "number": look(torch, torch.norm, 0.0),
        "dist": look(torch, torch.dist, [1.0, 2.0], [1.0, 2.0]),
        "dist 1": look(torch, lambda a, b: torch.dist(a, b, 1), [1.0, 2.0], [1.0, 2.0]),
    }


@case
def renorm_at_its_bound(torch):
    rows = [[3.0, 4.0], [0.0, 0.0], [0.3, 0.4], [30.0, 40.0], [5.0, 0.0]]
    return {p: look(torch, lambda t, p=p: torch.renorm(t, p, 0, 5.0), rows) for p in (1, 2, INF)} | {
        "half": look(torch, lambda t: torch.renorm(t, 2, 0, 5.0), rows, precision=HALF),
    }


@case
def distances_of_equal_points(torch):
    a, b = [[0.0, 0.0], [1.0, 2.0], [3.0, 4.0]], [[0.0, 0.0], [1.0, 2.0]]
    seen = {
        p: look(torch, lambda x, y, p=p: torch.cdist(x, y, p), a, b, twice=False)
        for p in (0.0, 0.5, 1.0, 2.0, 3.0, INF)
    }
    pairwise = torch.nn.functional.pairwise_distance
    return seen | {
        "pdist": {
            p: look(torch, lambda x, p=p: torch.pdist(x, p), [*a, [1.0, 2.0]], twice=False)
            for p in (0.0, 1.0, 2.0, 3.0, INF)
        },
        "nothing": look(torch, lambda: torch.cdist(torch.zeros(0, 2), torch.zeros(3, 2))),
        "no columns": look(torch, lambda: torch.cdist(torch.zeros(2, 0), torch.zeros(3, 0))),
        "pairwise": {p: look(torch, lambda x, y, p=p: pairwise(x, y, p), a, a) for p in (1.0, 2.0, INF)},
        "similarity": look(
            torch, lambda x, y: torch.cosine_similarity(x, y), [[0.0, 0.0], [1.0, 2.0]], [[1.0, 0.0], [0.0, 0.0]]
        ),
    }


@case
def histograms_and_bins(torch):
    x = torch.tensor([1.0, 1.0, 2.0, 3.0, 0.0])
    return {
        "histc": look(torch, lambda: torch.histc(x, 3)),
        "equal": look(torch, lambda: torch.histc(torch.ones(3), 2)),
        "bincount": look(torch, lambda: torch.bincount(torch.tensor([0, 2, 2]))),
        "negative": error(lambda: torch.bincount(torch.tensor([-1]))),
        "linspace": look(torch, lambda: torch.linspace(0, 1, 1)),
        "logspace": look(torch, lambda: torch.logspace(-2, 2, 5)),
        "arange": look(torch, lambda: torch.arange(0, 1, 0.1)),
        "trapezoid": look(torch, lambda t: torch.trapezoid(t), [1.0]),
        "diff": look(torch, lambda t: torch.diff(t), [INF, INF, 1.0]),
        "gradient": look(torch, lambda t: torch.gradient(t), [1.0, 4.0, 9.0]),
    }


@case
def deviations_whose_squares_do_not_fit(torch):
    found = []
    for values in ([1e20, 2e20, 4e20], [1e-30, 2e-30, 5e-30], [1e38, -1e38, 2e38], [3.0, 3.0, 3.0]):
        for dtype in (torch.float32, torch.complex64):
            x = torch.tensor(values, dtype=dtype, requires_grad=dtype is torch.float32)
            for f in (torch.std, lambda x: x.std(0, correction=0), lambda x: torch.std_mean(x)[0], torch.var):
                y = f(x)
                found.append(y.detach())
                if x.requires_grad:
                    found += torch.autograd.grad(y, x)
            found.append(torch.stack([x, x * 0.25]).detach().std(1, keepdim=True))
    return see(torch, found)
