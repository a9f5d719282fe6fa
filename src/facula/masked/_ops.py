"""Operators under a mask: what the mask leaves out is replaced by a value that changes nothing, then reduced."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._core import dtypes
from .._core.dtypes import not_for
from .._tensor import Tensor
from ..ops.machine.arguments import one_dim
from ..ops.machine.public import FUNCTIONS


def _mask_of(input: Tensor, mask: Any) -> Any:
    """A mask of the input's shape, or None."""
    if mask is None:
        return None
    if len(mask.shape) > input.ndim:
        raise IndexError("_input_mask expected broadcastable mask (got mask dimensionality higher than of the input)")
    if mask.shape != input.shape:
        mask = mask.broadcast_to(input.shape)
    return mask if mask._array.dtype == np.bool_ else mask.bool()


def _input_mask(input: Tensor, *args: Any, mask: Any = None, **kwargs: Any) -> Tensor:
    """The mask among the arguments of an operation, in the input's shape."""
    if mask is None:
        raise ValueError("_input_mask requires explicit mask")
    found: Tensor = _mask_of(input, mask)
    return found


_REDUCTIONS = frozenset("sum prod amax amin argmax argmin mean median norm var std logsumexp".split())
_NORMALIZATIONS = frozenset("softmax log_softmax softmin normalize cumsum cumprod".split())


def _output_mask(op: Any, input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Where the result of one of these functions counts: where any of what it is made of does."""
    if not callable(op):
        raise ValueError(f"_output_mask expected masked operation (got {type(op).__name__} object)")
    name = op.__name__
    if name in _NORMALIZATIONS:
        return _input_mask(input, *args, **kwargs)
    if name not in _REDUCTIONS:
        raise ValueError(f"_output_mask expected masked operation (got callable {op.__module__}.{name})")
    given = args[1:] if name == "norm" else args  # the first is ``ord``
    dims = _canonical_dim(given[0] if given else kwargs.get("dim"), input.dim())
    found = _input_mask(input, *args, **kwargs)
    for dim in sorted(dims, reverse=True):
        found = found.any(dim, bool(kwargs.get("keepdim", False)))
    return found


def _filled(input: Tensor, mask: Any, value: Any) -> Tensor:
    """The input with a value where the mask is False."""
    mask = _mask_of(input, mask)
    if mask is None:
        return input
    fill = Tensor._wrap(np.asarray(value).astype(input._array.dtype))
    result: Tensor = FUNCTIONS["where"](mask, input, fill)
    return result


def _lowest(d: Any) -> Any:
    if d is dtypes.bool_:
        return False
    return -math.inf if d.is_floating_point or d.is_complex else dtypes.iinfo(d).min


def _highest(d: Any) -> Any:
    if d is dtypes.bool_:
        return True
    return math.inf if d.is_floating_point or d.is_complex else dtypes.iinfo(d).max


_IDENTITIES: dict[str, Any] = {
    **dict.fromkeys(("sum", "cumsum"), lambda d: 0),
    **dict.fromkeys(("prod", "cumprod"), lambda d: 1),
    **dict.fromkeys(("amax", "argmax", "logaddexp", "logsumexp"), _lowest),
    **dict.fromkeys(("amin", "argmin"), _highest),
}


def _reduction_identity(op_name: str, input: Tensor, *args: Any) -> Tensor | None:
    """What changes nothing in a reduction, as a tensor; None where there is no such value."""
    d = input.dtype
    op_name = op_name.rpartition(".")[2]
    if op_name in ("mean", "var", "std"):
        return None
    if op_name == "median":
        floating = d if d.is_floating_point else dtypes.float32
        return FUNCTIONS["tensor"](math.nan, dtype=floating)
    if op_name == "norm":
        found = math.inf if args and args[0] == -math.inf else 0
    elif op_name not in _IDENTITIES or (d is dtypes.bool_ and _IDENTITIES[op_name] in (_lowest, _highest)):
        raise NotImplementedError(f"identity of {op_name} on {d} input")
    else:
        found = _IDENTITIES[op_name](d)
    return FUNCTIONS["tensor"](found, dtype=d)


def _canonical_dim(dim: Any, ndim: int) -> tuple[int, ...]:
    """Dimensions counted from the front, in order; none given means all."""
    if dim is None or dim == ():
        return tuple(range(ndim))
    found: list[int] = []
    for d in (dim,) if isinstance(dim, int) else dim:
        at = one_dim(d, ndim)
        if at in found:
            raise RuntimeError(f"dim={at} appears multiple times in the list of dims")
        found.append(at)
    return tuple(sorted(found))


def _first_dim(dim: Any, ndim: int) -> int:
    return _canonical_dim(dim, ndim)[0] if ndim else 0


def _chosen(dtype: Any, input: Tensor) -> Any:
    return input.dtype if dtype is None else dtype


def _sum_dtype(dtype: Any, input: Tensor) -> Any:
    if dtype is not None:
        return dtype
    return input.dtype if input.dtype.is_floating_point or input.dtype.is_complex else dtypes.int64


# ---- reductions


def sum(input: Tensor, dim: Any = None, *, keepdim: bool | None = False, dtype: Any = None, mask: Any = None) -> Tensor:
    """The sum of the elements under the mask."""
    filled, dims = _filled(input, mask, 0), _canonical_dim(dim, input.ndim)
    found: Tensor = FUNCTIONS["sum"](filled, dims, bool(keepdim), dtype=_sum_dtype(dtype, input))
    return found


def prod(
    input: Tensor, dim: Any = None, *, keepdim: bool | None = False, dtype: Any = None, mask: Any = None
) -> Tensor:
    """The product of the elements under the mask."""
    result = _filled(input, mask, 1)
    wanted = _sum_dtype(dtype, input)
    for d in reversed(_canonical_dim(dim, input.ndim)):
        result = result.prod(d, bool(keepdim), dtype=wanted)
    return result.to(dtype=wanted)


def amax(
    input: Tensor, dim: Any = None, *, keepdim: bool | None = False, dtype: Any = None, mask: Any = None
) -> Tensor:
    """The largest element under the mask."""
    filled, dims = _filled(input, mask, _lowest(input.dtype)), _canonical_dim(dim, input.ndim)
    result: Tensor = FUNCTIONS["amax"](filled, dims, bool(keepdim))
    return result.to(dtype=_chosen(dtype, input))


def amin(
    input: Tensor, dim: Any = None, *, keepdim: bool | None = False, dtype: Any = None, mask: Any = None
) -> Tensor:
    """The smallest element under the mask."""
    filled, dims = _filled(input, mask, _highest(input.dtype)), _canonical_dim(dim, input.ndim)
    result: Tensor = FUNCTIONS["amin"](filled, dims, bool(keepdim))
    return result.to(dtype=_chosen(dtype, input))


def argmax(
    input: Tensor, dim: int | None = None, *, keepdim: bool | None = False, dtype: Any = None, mask: Any = None
) -> Tensor:
    """Where the largest element under the mask is (in the dtype of the input)."""
    found: Tensor = FUNCTIONS["argmax"](_filled(input, mask, _lowest(input.dtype)), dim, bool(keepdim))
    return found.to(dtype=_chosen(dtype, input))


def argmin(
    input: Tensor, dim: int | None = None, *, keepdim: bool | None = False, dtype: Any = None, mask: Any = None
) -> Tensor:
    """Where the smallest element under the mask is (in the dtype of the input)."""
    found: Tensor = FUNCTIONS["argmin"](_filled(input, mask, _highest(input.dtype)), dim, bool(keepdim))
    return found.to(dtype=_chosen(dtype, input))


def _count(input: Tensor, dim: Any, keepdim: bool, mask: Any) -> Tensor:
    """How many elements there are under the mask."""
    ones = Tensor._wrap(np.ones(input._array.shape, np.int64))
    return sum(ones, dim, keepdim=keepdim, mask=mask)


def mean(
    input: Tensor, dim: Any = None, *, keepdim: bool | None = False, dtype: Any = None, mask: Any = None
) -> Tensor:
    """The mean of the elements under the mask."""
    wanted = _chosen(dtype, input)
    if not (wanted.is_floating_point or wanted.is_complex):
        raise ValueError(
            "mean(): Could not infer output dtype. Input dtype must be either a floating point or complex dtype. "
            f"Got: {input.dtype}"
        )
    total = sum(input, dim, keepdim=keepdim, dtype=wanted, mask=mask)
    return total / _count(input, dim, bool(keepdim), mask)


def median(input: Tensor, dim: int = -1, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Tensor:
    """The median of the elements under the mask."""
    at = _first_dim(dim, input.ndim)
    is_float = FUNCTIONS["is_floating_point"](input)
    floating = input if is_float else input.float()
    found: Tensor = FUNCTIONS["nanmedian"](_filled(floating, mask, math.nan), at, keepdim).values
    if is_float:
        return found
    if found.isnan().any():
        raise ValueError("masked median expects no fully masked out rows if dtype is not floating point")
    return found.to(dtype=_chosen(dtype, input))


def logsumexp(input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Tensor:
    """The logarithm of the sum of the exponentials of the elements under the mask."""
    result = _filled(input, mask, _lowest(input.dtype)).logsumexp(_canonical_dim(dim, input.ndim), keepdim=keepdim)
    return result.to(dtype=_chosen(dtype, input))


def norm(
    input: Tensor, ord: float | None = 2.0, dim: Any = None, *, keepdim: bool | None = False, dtype: Any = None,
    mask: Any = None,
) -> Tensor:  # fmt: skip
    """The norm of the elements under the mask."""
    from ..linalg import vector_norm  # loaded when first used

    fill = math.inf if isinstance(ord, (int, float)) and ord < 0 else 0
    result: Tensor = vector_norm(
        _filled(input, mask, fill), ord, _canonical_dim(dim, input.ndim), bool(keepdim), dtype=_chosen(dtype, input)
    )
    return result


def var(
    input: Tensor, dim: Any = None, unbiased: bool | None = None, *, correction: float | None = None,
    keepdim: bool | None = False, dtype: Any = None, mask: Any = None,
) -> Tensor:  # fmt: skip
    """The variance of the elements under the mask."""
    if unbiased is not None and correction is not None:
        raise AssertionError("Only one of unbiased and correction may be given")
    less = correction if correction is not None else 0.0 if unbiased is False else 1.0
    wanted = _chosen(dtype, input)
    computing = wanted if wanted.is_floating_point or wanted.is_complex else dtypes.float32
    total = sum(input, dim, keepdim=True, dtype=computing, mask=mask)
    middle = total / _count(input, dim, True, mask)
    apart = input - middle if input._array.dtype != np.bool_ else input - input
    squares = apart * apart.conj() if apart.is_complex() else apart * apart
    spread = sum(squares, dim, keepdim=keepdim, dtype=computing, mask=mask)
    count = _count(input, dim, bool(keepdim), mask)
    if less:
        real = spread.real if spread.is_complex() else spread
        count = FUNCTIONS["maximum"](count.to(real.dtype) - less, real.new_zeros(()))
    return spread / count


def std(
    input: Tensor, dim: Any = None, unbiased: bool | None = None, *, correction: int | None = None,
    keepdim: bool | None = False, dtype: Any = None, mask: Any = None,
) -> Tensor:  # fmt: skip
    """The standard deviation of the elements under the mask."""
    return var(input, dim, unbiased, correction=correction, keepdim=keepdim, dtype=dtype, mask=mask).sqrt()


# ---- along a dimension


def cumsum(input: Tensor, dim: int, *, dtype: Any = None, mask: Any = None) -> Tensor:
    """Sums of the elements so far under the mask."""
    if input._array.dtype == np.bool_ and dtype is None:
        raise not_for("cumsum_out_cpu", input.dtype)
    return _filled(input, mask, 0).cumsum(_first_dim(dim, input.ndim), dtype=_chosen(dtype, input))


def cumprod(input: Tensor, dim: int, *, dtype: Any = None, mask: Any = None) -> Tensor:
    """Products of the elements so far under the mask."""
    if input._array.dtype == np.bool_ and dtype is None:
        raise not_for("cumprod_out_cpu", input.dtype)
    return _filled(input, mask, 1).cumprod(_first_dim(dim, input.ndim), dtype=_chosen(dtype, input))


def softmax(input: Tensor, dim: int, *, dtype: Any = None, mask: Any = None) -> Tensor:
    """Softmax of the elements under the mask."""
    return _filled(input, mask, _lowest(input.dtype)).softmax(_first_dim(dim, input.ndim), dtype=_chosen(dtype, input))


def log_softmax(input: Tensor, dim: int, *, dtype: Any = None, mask: Any = None) -> Tensor:
    """Log-softmax of the elements under the mask."""
    filled = _filled(input, mask, _lowest(input.dtype))
    return filled.log_softmax(_first_dim(dim, input.ndim), dtype=_chosen(dtype, input))


def softmin(input: Tensor, dim: int, *, dtype: Any = None, mask: Any = None) -> Tensor:
    """Softmax of the negated elements under the mask."""
    filled = _filled(input, mask, _highest(input.dtype))
    return (-filled).softmax(_first_dim(dim, input.ndim), dtype=_chosen(dtype, input))


def normalize(
    input: Tensor, ord: float, dim: int, *, eps: float = 1e-12, dtype: Any = None, mask: Any = None
) -> Tensor:
    """The elements under the mask divided by their norm, which counts as ``eps`` at least."""
    length = norm(input, ord, dim, keepdim=True, dtype=_chosen(dtype, input), mask=mask)
    return _filled(input, mask, 0) / FUNCTIONS["maximum"](length, length.new_full((), eps))


def logaddexp(
    input: Tensor, other: Tensor, *, dtype: Any = None, input_mask: Any = None, other_mask: Any = None
) -> Tensor:
    """The logarithm of the sum of two exponentials, each under its mask."""
    parts = (_filled(t, mask, _lowest(t.dtype)) for t, mask in ((input, input_mask), (other, other_mask)))
    result: Tensor = FUNCTIONS["logaddexp"](*parts)
    return result.to(dtype=_chosen(dtype, input))
