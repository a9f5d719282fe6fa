"""Families of operators on drawn shapes, layouts, dtypes and dimensions: beside PyTorch, if it is there, and NumPy.

``FACULA_EXAMPLES=50 python -m pytest tests/test_properties.py`` draws fifty times as many, other ones in each run.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from .drawing import (
    ALL,
    FLOATS,
    INTEGERS,
    LOW,
    Drawn,
    check,
    dims,
    examples,
    full_shapes,
    several_dims,
    shapes,
    tensors,
)

flags = st.booleans()

# ---- pointwise

UNARY: dict[str, Any] = {
    "abs": np.abs, "neg": np.negative, "exp": np.exp, "expm1": np.expm1, "sin": np.sin, "cos": np.cos, "tanh": np.tanh,
    "atan": np.arctan, "asinh": np.arcsinh, "sinh": np.sinh, "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc,
    "round": np.round, "sign": np.sign, "square": np.square, "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "relu": lambda x: np.maximum(x, 0), "erf": np.vectorize(math.erf, otypes=[float]),
    "frac": lambda x: x - np.trunc(x),
    "isnan": np.isnan, "logical_not": np.logical_not, "sinc": np.sinc, "exp2": np.exp2, "deg2rad": np.deg2rad,
}  # fmt: skip
POSITIVE: dict[str, Any] = {
    "log": np.log, "log2": np.log2, "log10": np.log10, "log1p": np.log1p, "sqrt": np.sqrt, "reciprocal": np.reciprocal,
    "rsqrt": lambda x: 1 / np.sqrt(x), "acosh": lambda x: np.arccosh(x + 1),
    "lgamma": np.vectorize(math.lgamma, otypes=[float]),
}  # fmt: skip


@examples(120)
@given(x=tensors(dtypes=FLOATS + LOW), name=st.sampled_from(sorted(UNARY)))
def test_functions_of_one_argument(x: Drawn, name: str) -> None:
    check(lambda torch, t: getattr(torch, name)(t), x, reference=UNARY[name])


@examples(40)
@given(x=tensors(dtypes=FLOATS, low=0.25, high=4.0), name=st.sampled_from(sorted(POSITIVE)))
def test_functions_of_a_positive_argument(x: Drawn, name: str) -> None:
    call = lambda torch, t: torch.acosh(t + 1) if name == "acosh" else getattr(torch, name)(t)
    check(call, x, reference=POSITIVE[name])


def refuses(name: str, *dtypes: str) -> bool:
    """Whether PyTorch has no such function of such numbers."""
    has_floats = any(d in FLOATS + LOW for d in dtypes)
    if name in ("frac", "hypot", "logaddexp"):
        return not has_floats
    if name in ("bitwise_and", "bitwise_or"):
        return has_floats
    if name == "sub":
        return "bool" in dtypes
    of_no_bool = ("abs", "neg", "floor", "ceil", "trunc", "round", "relu", "floor_divide", "fmod", "remainder", "pow")
    return name in of_no_bool and all(d == "bool" for d in dtypes)


def widely(fn: Any) -> Any:
    """A function of NumPy's in double precision or, of integers and bools, in 64 bits."""
    return lambda *xs: fn(*[x.astype(np.float64 if x.dtype.kind == "f" else np.int64) for x in xs])


@examples(60)
@given(x=tensors(dtypes=(*INTEGERS, "bool")), name=st.sampled_from(sorted(UNARY)))
def test_functions_of_integers(x: Drawn, name: str) -> None:
    call = lambda torch, t: getattr(torch, name)(t)
    check(call, x, reference=widely(UNARY[name]), refused=refuses(name, x.dtype))


@st.composite
def broadcasting(draw: Any, dtypes: Any, **how: Any) -> tuple[Drawn, Drawn]:
    """Two tensors whose shapes fit (nearly always): dimensions of size 1, and missing ones in front."""
    shape = draw(shapes)
    cut = draw(st.integers(0, len(shape)))
    ones = draw(st.lists(flags, min_size=len(shape), max_size=len(shape)))
    other = tuple(1 if one else n for one, n in zip(ones, shape))[cut:]
    pair = draw(tensors(shape, dtypes, **how)), draw(tensors(other, dtypes, **how))
    return pair if draw(flags) else (pair[1], pair[0])


BINARY: dict[str, Any] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "maximum": np.maximum, "minimum": np.minimum,
    "atan2": np.arctan2, "hypot": np.hypot, "copysign": np.copysign, "eq": np.equal, "ne": np.not_equal, "lt": np.less,
    "ge": np.greater_equal, "logical_and": np.logical_and, "logical_xor": np.logical_xor, "fmax": np.fmax,
    "logaddexp": np.logaddexp,
}  # fmt: skip
REST: dict[str, Any] = {"pow": np.power, "bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or}
DIVIDING = {"div": np.true_divide, "floor_divide": np.floor_divide, "fmod": np.fmod, "remainder": np.remainder}


@examples(120)
@given(pair=broadcasting(FLOATS), name=st.sampled_from(sorted(BINARY)))
def test_functions_of_two_arguments(pair: tuple[Drawn, Drawn], name: str) -> None:
    smooth = name not in ("atan2", "hypot", "copysign")  # at 0 finite differences are no help
    check(lambda torch, a, b: getattr(torch, name)(a, b), *pair, reference=BINARY[name], gradient=smooth)


@examples(60)
@given(pair=broadcasting(FLOATS, low=0.25), name=st.sampled_from(("atan2", "hypot", "copysign", "pow", *DIVIDING)))
def test_functions_of_two_positive_arguments(pair: tuple[Drawn, Drawn], name: str) -> None:
    check(lambda torch, a, b: getattr(torch, name)(a, b), *pair, gradient=name != "floor_divide")


@examples(100)
@given(pair=broadcasting(ALL), name=st.sampled_from((*sorted(BINARY), *DIVIDING, *REST)))
def test_functions_of_mixed_dtypes(pair: tuple[Drawn, Drawn], name: str) -> None:
    if name in DIVIDING or name == "pow":
        whole = pair[1].dtype in INTEGERS or pair[1].dtype == "bool"
        pair[1].base = np.abs(pair[1].base.astype(np.int64 if whole else np.float64)) + 1
    dtypes = [x.dtype for x in pair]
    jumps = name in DIVIDING and name != "div" and not set(dtypes).isdisjoint(FLOATS + LOW)  # at quotients nearly whole
    reference = None if jumps else widely((BINARY | DIVIDING | REST)[name])
    call = lambda torch, a, b: getattr(torch, name)(a, b)
    check(call, *pair, reference=reference, gradient=False, refused=refuses(name, *dtypes))


NUMBERS = (0, 1, 2, -3, 0.5, -1.25, True)


@examples(80)
@given(
    x=tensors(dtypes=ALL),
    number=st.sampled_from(NUMBERS),
    name=st.sampled_from(("add", "sub", "mul", "div", "pow", "gt", "fmod")),
)
def test_operators_with_numbers(x: Drawn, number: Any, name: str) -> None:
    ways = {
        "add": lambda t: t + number, "sub": lambda t: number - t, "mul": lambda t: number * t,
        "div": lambda t: t / (number or 3),
        "pow": lambda t: t ** abs(int(number)), "gt": lambda t: t > number, "fmod": lambda t: t % (abs(number) or 2),
    }  # fmt: skip
    check(lambda torch, t: ways[name](t), x, gradient=name != "fmod")


@examples(40)
@given(pair=broadcasting(FLOATS), seed=st.integers(0, 99), numbers=flags)
def test_where_and_clamp(pair: tuple[Drawn, Drawn], seed: int, numbers: bool) -> None:
    a, b = pair
    check(lambda torch, x, y: torch.where(x > y, x, y * 2), a, b, reference=lambda x, y: np.where(x > y, x, y * 2))
    low, high = -0.4 - seed / 1000, 0.7
    check(lambda torch, x: torch.clamp(x, low, high if numbers else None), a)
    check(lambda torch, x, y: torch.lerp(x, y.to(x.dtype), 0.3), a, b)


# ---- reductions

REDUCING: dict[str, Any] = {
    "sum": np.sum, "mean": np.mean, "prod": np.prod, "amax": np.amax, "amin": np.amin, "all": np.all, "any": np.any,
    "count_nonzero": None, "var": None, "std": None, "logsumexp": None, "nansum": np.nansum,
    "norm": lambda x, axis, keepdims: np.sqrt((x * x).sum(axis=axis, keepdims=keepdims)),
}  # fmt: skip


@examples(150)
@given(data=st.data(), x=tensors(dtypes=FLOATS, distinct=True), name=st.sampled_from(sorted(REDUCING)), keep=flags)
def test_reductions(data: Any, x: Drawn, name: str, keep: bool) -> None:
    n = x.array().ndim
    several = data.draw(several_dims(n))
    many = name not in ("prod", "all", "any") and len(several) > 0
    dim = several if many else data.draw(dims(n))
    kwargs = {} if name == "count_nonzero" else {"keepdim": keep}
    values = REDUCING[name]
    reference = (lambda a: values(a, axis=dim, keepdims=keep)) if values is not None and n else None
    check(lambda torch, t: getattr(torch, name)(t, dim=dim, **kwargs), x, reference=reference, gradient=name != "norm")


@examples(50)
@given(
    x=tensors(dtypes=ALL), name=st.sampled_from(("sum", "prod", "mean", "max", "min", "all", "any", "std", "argmax"))
)
def test_reductions_of_everything(x: Drawn, name: str) -> None:
    indices = name == "argmax" and len(set(x.array().ravel().tolist())) < x.array().size
    check(lambda torch, t: getattr(torch, name)(t) if not indices else t.max(), x, gradient=name not in ("max", "min"))


@examples(60)
@given(
    data=st.data(),
    x=tensors(dtypes=FLOATS, distinct=True, views=("as it is", "permuted", "with steps", "reversed")),
    keep=flags,
    name=st.sampled_from(("max", "min", "median", "argmax", "argmin", "mode", "kthvalue")),
)
def test_choices_along_a_dimension(data: Any, x: Drawn, keep: bool, name: str) -> None:
    dim = data.draw(dims(x.array().ndim))
    extra = (1,) if name == "kthvalue" else ()
    check(lambda torch, t: getattr(torch, name)(t, *extra, dim, keep), x)


# ---- scans


@examples(80)
@given(
    data=st.data(),
    x=tensors(dtypes=FLOATS, distinct=True, views=("as it is", "permuted", "with steps", "reversed")),
    name=st.sampled_from(("cumsum", "cumprod", "cummax", "cummin", "logcumsumexp")),
)
def test_scans(data: Any, x: Drawn, name: str) -> None:
    n = x.array().ndim
    dim = data.draw(dims(n))
    references: dict[str, Any] = {"cumsum": np.cumsum, "cumprod": np.cumprod, "logcumsumexp": np.logaddexp.accumulate}
    known = references.get(name) if n else None
    check(lambda torch, t: getattr(torch, name)(t, dim), x, reference=(lambda a: known(a, axis=dim)) if known else None)


@examples(50)
@given(data=st.data(), x=tensors(dtypes=ALL))
def test_flips_rolls_and_differences(data: Any, x: Drawn) -> None:
    n = x.array().ndim
    dim, by = data.draw(dims(n)), data.draw(st.integers(-3, 3))
    check(lambda torch, t: torch.roll(t, by, dim), x, reference=(lambda a: np.roll(a, by, dim)) if n else None)
    check(lambda torch, t: torch.flip(t, (dim,)), x, reference=(lambda a: np.flip(a, dim)) if n else None)
    check(lambda torch, t: torch.diff(t, dim=dim), x)
    check(lambda torch, t: torch.cumsum(t, dim), x)


# ---- shapes and views


@examples(120)
@given(data=st.data(), x=tensors(dtypes=("float64", "int64", "bool")))
def test_views(data: Any, x: Drawn) -> None:
    shape = x.array().shape
    n = len(shape)
    a, b = data.draw(dims(n)), data.draw(dims(n))
    order = data.draw(st.permutations(range(n)))
    start, length = data.draw(st.integers(-2, 3)), data.draw(st.integers(0, 3))
    kinds = {
        "transpose": lambda torch, t: t.transpose(a, b),
        "permute": lambda torch, t: t.permute(order),
        "movedim": lambda torch, t: torch.movedim(t, a, b),
        "unsqueeze": lambda torch, t: t.unsqueeze(a),
        "squeeze": lambda torch, t: t.squeeze(a),
        "squeeze all": lambda torch, t: t.squeeze(),
        "flatten": lambda torch, t: t.flatten(a, b),
        "reshape": lambda torch, t: t.reshape(-1, *shape[:1]),
        "narrow": lambda torch, t: t.narrow(a, start, length),
        "select": lambda torch, t: t.select(a, start),
        "unfold": lambda torch, t: t.unfold(a, length, 1 + abs(start)),
        "diagonal": lambda torch, t: t.diagonal(start, a, b),
        "expand": lambda torch, t: t.expand(2, *shape),
        "tril": lambda torch, t: t.tril(start),
        "rot90": lambda torch, t: torch.rot90(t, start, (a, b)),
        "view": lambda torch, t: t.view(math.prod(shape)),
        "contiguous": lambda torch, t: t.contiguous(),
        "swapaxes": lambda torch, t: t.swapaxes(a, b).reshape(-1),
        "unbind": lambda torch, t: t.unbind(a),
    }  # fmt: skip
    check(kinds[data.draw(st.sampled_from(sorted(kinds)))], x)


# ---- indexing


@st.composite
def keys(draw: Any, shape: tuple[int, ...]) -> Any:
    """An index of slices, integers, None, Ellipsis and lists (of one length) for most of the dimensions."""
    key: list[Any] = []
    n = draw(st.integers(1, 3))
    for size in shape[: draw(st.integers(0, len(shape)))]:
        inside = st.integers(-size, size - 1) if size else st.integers(0, 0)
        edge = st.none() | st.integers(-5, 5)
        one_list = st.lists(inside, min_size=n, max_size=n) if size else st.just([])
        key.append(
            draw(
                st.one_of(
                    st.builds(slice, edge, edge, st.none() | st.integers(1, 3)), inside, one_list, st.just(slice(None))
                )
            )
        )
        if draw(st.integers(0, 5)) == 0:
            key.append(None)
    if draw(st.integers(0, 3)) == 0:
        key.append(Ellipsis)
    return tuple(key)


def as_in_numpy(key: tuple[Any, ...]) -> bool:
    """NumPy treats integers beside lists as lists, which puts dimensions elsewhere."""
    kinds = {type(part) for part in key}
    return not {int, list} <= kinds


@examples(150)
@given(data=st.data(), x=tensors(dtypes=("float64", "int64")))
def test_indexing(data: Any, x: Drawn) -> None:
    key = data.draw(keys(x.array().shape))
    check(lambda torch, t: t[key], x, reference=(lambda a: a[key]) if as_in_numpy(key) else None)


@examples(60)
@given(data=st.data(), x=tensors(dtypes=("float64",), views=("as it is", "permuted", "with steps")))
def test_writing_by_index(data: Any, x: Drawn) -> None:
    key = data.draw(keys(x.array().shape))

    def write(torch: Any, t: Any) -> Any:
        t = t * 1.0
        t[key] = 7.0
        return t

    def wanted(a: Any) -> Any:
        a = a.copy()
        a[key] = 7.0
        return a

    check(write, x, reference=wanted if as_in_numpy(key) else None)


@examples(80)
@given(data=st.data(), x=tensors(full_shapes, dtypes=("float64",)), seed=st.integers(0, 999))
def test_gather_and_scatter(data: Any, x: Drawn, seed: int) -> None:
    shape = x.array().shape
    dim = data.draw(dims(len(shape)))
    rng = np.random.default_rng(seed)
    size = shape[dim] if shape else 1
    index = rng.integers(0, size, tuple(rng.integers(0, n + 1) for n in shape))
    whole = rng.integers(0, size, shape).tolist()
    some = rng.integers(0, size, 3).tolist()
    mask = (rng.random(shape) < 0.5).tolist()
    kinds = {
        "gather": lambda torch, t: torch.gather(t, dim, torch.as_tensor(index)),
        "take_along_dim": lambda torch, t: torch.take_along_dim(t, torch.tensor(whole), dim),
        "index_select": lambda torch, t: torch.index_select(t, dim, torch.tensor(some)),
        "scatter_add": lambda torch, t: torch.zeros_like(t).scatter_add(dim, torch.tensor(whole), t),
        "scatter": lambda torch, t: (t * 2).scatter(dim, torch.tensor(whole), 0.5),
        "scatter_reduce": lambda torch, t: (t * 0 + 0.3).scatter_reduce(dim, torch.tensor(whole), t, "mean"),
        "masked_select": lambda torch, t: torch.masked_select(t, torch.tensor(mask)),
        "masked_fill": lambda torch, t: t.masked_fill(torch.tensor(mask), 3.0),
        "index_add": lambda torch, t: torch.zeros_like(t).index_add(dim, torch.arange(size), t, alpha=2),
        "index_fill": lambda torch, t: t.index_fill(dim, torch.tensor(some), 1.5),
        "index_copy": lambda torch, t: torch.zeros_like(t).index_copy(dim, torch.arange(size), t),
        "take": lambda torch, t: torch.take(t, torch.tensor(some)),
        "nonzero": lambda torch, t: torch.nonzero(t),
    }  # fmt: skip
    check(kinds[data.draw(st.sampled_from(sorted(kinds)))], x)


# ---- orders


@examples(60)
@given(
    data=st.data(),
    x=tensors(
        dtypes=(*FLOATS, "int64", "float16"), distinct=True, views=("as it is", "permuted", "with steps", "reversed")
    ),
    descending=flags,
)
def test_orders(data: Any, x: Drawn, descending: bool) -> None:
    shape = x.array().shape
    dim = data.draw(dims(len(shape)))
    k = data.draw(st.integers(0, (shape[dim] if shape else 1)))
    check(lambda torch, t: torch.sort(t, dim, descending), x, gradient=True)
    check(lambda torch, t: torch.argsort(t, dim, descending), x)
    check(lambda torch, t: torch.topk(t, k, dim, descending), x)
    check(lambda torch, t: torch.unique(t), x, reference=np.unique, gradient=False)


# ---- softmax and its relatives


@examples(80)
@given(data=st.data(), x=tensors(dtypes=FLOATS + LOW), name=st.sampled_from(("softmax", "log_softmax", "logsumexp")))
def test_softmax(data: Any, x: Drawn, name: str) -> None:
    n = x.array().ndim
    dim = data.draw(dims(n))

    def wanted(a: Any) -> Any:
        a = a.astype(np.float64)
        total = np.exp(a).sum(dim, keepdims=True)
        if name == "logsumexp":
            return np.log(total).squeeze(dim)
        return np.exp(a) / total if name == "softmax" else a - np.log(total)

    check(lambda torch, t: getattr(torch, name)(t, dim), x, reference=wanted if n else None)


# ---- joining and splitting


@examples(60)
@given(data=st.data(), shape=shapes, count=st.integers(1, 3))
def test_joining(data: Any, shape: tuple[int, ...], count: int) -> None:
    dim = data.draw(dims(len(shape)))
    parts = []
    for _ in range(count):
        longer = list(shape)
        if shape:
            longer[dim] = data.draw(st.integers(0, 3))
        parts.append(data.draw(tensors(tuple(longer), ("float64", "float32", "int64"))))
    check(lambda torch, *given: torch.cat(given, dim), *parts)
    same = [data.draw(tensors(shape, ("float64",))) for _ in range(count)]
    check(lambda torch, *given: torch.stack(given, dim), *same, reference=lambda *a: np.stack(a, dim))
    check(lambda torch, *given: torch.hstack(given), *same)
    check(lambda torch, *given: torch.vstack(given), *same)


@examples(60)
@given(data=st.data(), x=tensors(dtypes=("float64",)), size=st.integers(1, 4))
def test_splitting_and_repeating(data: Any, x: Drawn, size: int) -> None:
    n = x.array().ndim
    dim = data.draw(dims(n))
    check(lambda torch, t: torch.split(t, size, dim), x)
    check(lambda torch, t: torch.chunk(t, size, dim), x)
    check(
        lambda torch, t: torch.tensor_split(t, size, dim),
        x,
        reference=(lambda a: np.array_split(a, size, dim)) if n else None,
    )
    if n:
        check(lambda torch, t: torch.repeat_interleave(t, size, dim), x, reference=lambda a: np.repeat(a, size, dim))
    check(lambda torch, t: torch.tile(t, (size, 2)), x, reference=lambda a: np.tile(a, (size, 2)))
