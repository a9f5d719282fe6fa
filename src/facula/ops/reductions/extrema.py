"""Maxima and minima, and where they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import return_types
from ..._core import dtypes
from ..._core.dtypes import not_for, widened
from ..._core.strides import by_rows
from ..._tensor import Tensor, computed
from ..arrays.gather import unpick
from ..arrays.sums import maximum_reduce, minimum_reduce, with_ones
from ..arrays.types import Array
from ..machine import batching
from ..machine.any_state import constant_of
from ..machine.errors import NoOverload
from ..machine.primitive import Primitive, primitive
from ..machine.public import FUNCTIONS, public
from ..machine.rules import in_both_namespaces
from ..views.slices import zeros_beside
from .reducing import axes, check_dim, check_dims
from .sums import _FULL

__all__ = ["unpick"]


# ---- ties


def _ties(x: Any, value: Any, dim: Any, nan: bool) -> tuple[Any, Any]:
    """Which elements equal the reduced value, and how many do. ``nan``: NaN counts as equal to NaN."""
    same = x == value
    if nan and not same.any():
        same = (x != x) & (value != value)
    if x.__class__ is not np.ndarray:
        return same, same
    n = np.count_nonzero(same, axis=axes(dim, x.ndim), keepdims=True)
    return same, np.asarray(n if dim is not None and len(dim) else n.reshape(()), x.dtype)


def _ties_of_tensors(x: Any, value: Any, dim: Any, nan: bool) -> tuple[Tensor, Tensor]:
    same = x == value
    if nan:
        same = same | ((x != x) & (value != value))
    counted = same.to(x.dtype)
    return same, counted.sum(dim, keepdim=True) if dim is not None and len(dim) else counted.sum()


in_both_namespaces("ties", _ties, _ties_of_tensors)


def shared(g: Any, x: Any, value: Any, dim: Any, nan: bool, xp: Any) -> Any:
    """A gradient for the elements that equal the reduced value, in equal parts."""
    same, n = xp.ties(x, value, dim, nan)
    if dim is None:
        return xp.masked_fill_tensor(zeros_beside(g, x.shape, xp), g / n, same)
    return g / n * same


def chosen_of_all(name: str, node: str, choose: Any, lowering: str | None = None) -> Primitive:
    """A primitive that gives one of its input's elements; all that equal it share the gradient."""

    def kernel(input: Array) -> Any:
        return choose(input)

    op = Primitive(name, kernel, node, lowering=lowering)
    op.vjp(input=lambda g, input, out, xp: shared(g, input, out, None, True, xp))
    return op


max_all_op = chosen_of_all("max_all", "MaxBackward1", lambda x: maximum_reduce(x, None), "amax(input)")
min_all_op = chosen_of_all("min_all", "MinBackward1", lambda x: minimum_reduce(x, None), "amin(input)")


@max_all_op.batch
def max_all_batched(call: batching.Call) -> Any:
    return amax_op(call.rows(), (1,), False)


@min_all_op.batch
def min_all_batched(call: batching.Call) -> Any:
    return amin_op(call.rows(), (1,), False)


# ---- along a dimension


def _first(x: Any, dim: int, keepdim: bool, arg: Any) -> tuple[Any, Any]:
    """The extreme values along a dimension and the first places where they are."""
    if not x.ndim:
        return x.copy(), np.zeros((), np.int64)
    ordered = widened(x)
    if x.size <= 8192 and ordered is x:
        if arg is np.argmax:
            return by_rows(maximum_reduce(x, dim, keepdims=keepdim)), x.argmax(dim, keepdims=keepdim)
        return by_rows(minimum_reduce(x, dim, keepdims=keepdim)), x.argmin(dim, keepdims=keepdim)
    where = np.asanyarray(arg(ordered, dim, keepdims=True))
    values = np.take_along_axis(x, where, dim)
    return (values, where) if keepdim else (values.squeeze(dim), where.squeeze(dim))


BY_INDEX: dict[str, Any] = {
    "outputs": 2, "differentiable_outputs": "first", "batch": batching.moved_dimensions,
    "saved_names": {"out1": "indices"},
}  # fmt: skip


def by_index(op: Primitive) -> Primitive:
    """Give its rule to a primitive that returns (values, indices) of elements chosen along a dimension."""
    op.vjp(
        input=lambda g, out1, dim, keepdim, input_shape, xp: xp.unpick(g, out1, dim, keepdim, True, input_shape)
    )
    return op


def _extremum_along(name: str, node: str, arg: Any) -> Primitive:
    def kernel(input: Array, dim: int, keepdim: bool) -> Any:
        return _first(input, dim, keepdim, arg)

    return by_index(Primitive(name, kernel, node, **BY_INDEX))


max_dim_op = _extremum_along("max_dim", "MaxBackward0", np.argmax)
min_dim_op = _extremum_along("min_dim", "MinBackward0", np.argmin)


def _extremum(
    name: str, binary: str, full: Primitive, along: Primitive, input: Any, dim: Any, keepdim: Any, other: Any
) -> Any:
    """``max(x)``, ``max(x, dim)`` and ``max(x, other)`` are three operators of one name."""
    array = input._array
    if other is not None and not (dim is _FULL and keepdim is _FULL):
        raise NoOverload
    if dim is _FULL and other is None:
        if keepdim is not _FULL:
            raise NoOverload
        if array.size == 0:
            raise RuntimeError(
                f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim "
                "with the 'dim' argument."
            )
        if array.dtype.kind == "c":
            raise not_for(f"{name}_all", input.dtype)
        return full.call(input)
    if other is not None:
        return FUNCTIONS[binary](input, other)
    at = check_dim(dim, array.ndim)
    require_elements(name, array.shape, at)
    if array.dtype.kind == "c":
        raise RuntimeError(f"{name}(): does not support complex input")
    return getattr(return_types, name)(along.call(input, at, keepdim is not _FULL and bool(keepdim)))


def require_elements(name: str, shape: tuple[int, ...], dim: int) -> None:
    if shape and shape[dim] == 0:
        raise IndexError(f"{name}(): Expected reduction dim {dim % len(shape)} to have non-zero size.")


@public("max", "max", out=True, overloads=True)
def max(input: Tensor, dim: Any = _FULL, keepdim: bool = _FULL, *, other: Any = None) -> Any:
    """The greatest element; along ``dim`` as (values, indices); or, given another tensor, the elementwise maximum."""
    if isinstance(dim, Tensor):
        dim, other = _FULL, dim
    return _extremum("max", "maximum", max_all_op, max_dim_op, input, dim, keepdim, other)


@public("min", "min", out=True, overloads=True)
def min(input: Tensor, dim: Any = _FULL, keepdim: bool = _FULL, *, other: Any = None) -> Any:
    """The least element; along ``dim`` as (values, indices); or, given another tensor, the elementwise minimum."""
    if isinstance(dim, Tensor):
        dim, other = _FULL, dim
    return _extremum("min", "minimum", min_all_op, min_dim_op, input, dim, keepdim, other)


# ---- amax, amin, aminmax


def _with_ones(x: Any, shape: tuple[int, ...], dim: Any, xp: Any) -> Any:
    """``unsqueeze_reduced``, by a view of all dimensions at once."""
    return xp.view(x, with_ones(shape, dim))


def _extreme_values(name: str, node: str, reduce: Any) -> Primitive:
    def kernel(input: Array, dim: Any, keepdim: bool) -> Any:
        return by_rows(reduce(input, axes(dim, input.ndim), keepdims=keepdim))

    op = Primitive(name, kernel, node, batch=batching.reduced_dimensions, lowering=f"{name}(input)")

    @op.vjp("input")
    def rule(g: Any, input: Any, out: Any, dim: Any, keepdim: bool, xp: Any) -> Any:
        if not keepdim and input.shape:
            g, out = (_with_ones(t, input.shape, dim, xp) for t in (g, out))
        return shared(g, input, out, dim, False, xp)

    return op


_OTHER_DTYPE = (
    "Expected the dtype for input and out to match, but got {0} for input's dtype and {1} for out's dtype."
)
"""What ``out=`` of another dtype is told."""

amax_op = _extreme_values("amax", "AmaxBackward0", np.maximum.reduce)
amin_op = _extreme_values("amin", "AminBackward0", np.minimum.reduce)


def _extreme(name: str, op: Primitive, kernel: str, input: Tensor, dim: Any, keepdim: bool) -> Any:
    array = input._array
    dims = check_dims(dim, array.ndim)
    if array.size == 0:
        if not dims:
            raise RuntimeError(
                f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim "
                "with the 'dim' argument."
            )
        for given, d in zip((dim,) if isinstance(dim, int) else dim, dims):
            if array.shape and array.shape[d] == 0:
                raise IndexError(f"{name}(): Expected reduction dim {given} to have non-zero size.")
    if array.dtype.kind == "c" and array.size:
        raise not_for(kernel, input.dtype)
    return op(input, dims, keepdim)


@public("amax", "amax", out="exact", out_error=_OTHER_DTYPE)
def amax(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    """The greatest elements; equal ones share the gradient."""
    return _extreme("amax", amax_op, "max_values_cpu", input, dim, keepdim)


@public("amin", "amin", out="exact", out_error=_OTHER_DTYPE)
def amin(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    """The least elements; equal ones share the gradient."""
    return _extreme("amin", amin_op, "min_values_cpu", input, dim, keepdim)


@primitive("AminmaxBackward0", outputs=2, saved_names={"out0": "min", "out1": "max"})
def aminmax_op(input: Array, dim: Any, keepdim: bool) -> tuple[Array, ...]:
    axis = axes(None if dim is None else (dim,), input.ndim)
    found = minimum_reduce(input, axis, keepdims=keepdim), maximum_reduce(input, axis, keepdims=keepdim)
    return by_rows(found[0]), by_rows(found[1])


@aminmax_op.vjp("input")
def aminmax_gradient_of_input(g: Any, input: Any, dim: Any, keepdim: bool, out0: Any, out1: Any, xp: Any) -> Any:
    dims = tuple(range(len(input.shape))) if dim is None else (dim,)
    grad = None
    for each, out in zip(g, (out0, out1)):
        if each is not None:
            if not keepdim and input.shape:
                each, out = (_with_ones(t, input.shape, dims, xp) for t in (each, out))
            part = shared(each, input, out, dims, False, xp)
            grad = part if grad is None else grad + part
    return grad


@aminmax_op.batch
def aminmax_batched(call: batching.Call) -> Any:
    dim, keepdim = call.attributes
    if dim is not None:
        return batching.moved_dimensions(call)
    found = call.run([call.rows()], (1, False))
    return [r.reshape(call.size, *[1] * call.ndim()) for r in found] if keepdim else found


@public("aminmax", "aminmax", out=True)
def aminmax(input: Tensor, *, dim: Any = None, keepdim: bool = False) -> Any:
    """The least and the greatest elements."""
    array = input._array
    if dim is None:
        if array.size == 0:
            raise RuntimeError(
                "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."
            )
    else:
        dim = check_dim(dim, array.ndim)
        if array.ndim and array.shape[dim] == 0:
            raise IndexError(f"aminmax: Expected reduction dim {dim % array.ndim} to have non-zero size.")
    if array.dtype.kind == "c":
        raise not_for("aminmax_cpu", input.dtype)
    return return_types.aminmax(aminmax_op(input, dim, keepdim))


# ---- argmax, argmin


def _place(name: str, arg: Any, input: Tensor, dim: Any, keepdim: bool) -> Tensor:
    array = input._array
    if array.dtype.kind in "bc":
        kind = "bool" if input.dtype is dtypes.bool_ else "complex"
        raise RuntimeError(f"{name}(): does not support {kind} input")
    if dim is not None:
        dim = check_dim(dim, array.ndim)
        require_elements(name, array.shape, dim)
    elif array.size == 0:
        raise IndexError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.")
    if not array.ndim:
        return Tensor._wrap(np.zeros((), np.int64))
    ndim, axis = array.ndim, None if dim is None else dim % array.ndim - array.ndim

    def place(array: Any) -> Tensor:
        """Of the last dimensions: those before them are the items of a batch."""
        lead = array.shape[: array.ndim - ndim]
        if axis is not None:
            found = arg(widened(array), axis, keepdims=keepdim)
        else:
            found = arg(widened(array).reshape(*lead, -1), -1).reshape(lead + (1,) * (ndim if keepdim else 0))
        return Tensor._wrap(np.asanyarray(found))

    return constant_of(computed(input, place), name, input)


@public("argmax", "argmax", out="constant exact", looks_first=True)
def argmax(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Where the (first) greatest element is."""
    return _place("argmax", np.argmax, input, dim, keepdim)


@public("argmin", "argmin", out="constant exact", looks_first=True)
def argmin(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Where the (first) least element is."""
    return _place("argmin", np.argmin, input, dim, keepdim)
