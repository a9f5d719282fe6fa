"""scatter_reduce and index_reduce: sums, products, means and extrema of what falls on the same place."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import dtypes
from ..._core.devices import MetaArray
from ..._tensor import Tensor
from ...autograd.graph import warn_user
from ..arrays.scatter_add import rounded_at
from ..arrays.types import Array
from ..machine import batching
from ..machine.arguments import one_dim
from ..machine.primitive import primitive
from ..machine.public import public
from ..machine.rules import constant, in_both_namespaces, raw
from ..machine.write import check_no_overlap, check_no_partial_overlap, inplace_form
from .gather import _check_scatter, _part, flat_places, require_tensor
from .index_along import check_vector, outside

_UFUNCS = {"sum": np.add, "mean": np.add, "prod": np.multiply, "amax": np.maximum, "amin": np.minimum}


def reduce_into(
    input: Any, src: Any, index: Any, dim: int, reduce: str, include_self: bool, rounded: bool = False
) -> Any:
    """A copy of ``input`` in which each place also holds what is scattered to it, by a reduction.

    ``rounded``: half precision is rounded after each element, not at the end alone.
    """
    if input.__class__ is MetaArray:
        return input.copy()
    half = dtypes.is_half(input.dtype)
    out = np.array(input, np.float32 if half and not rounded else input.dtype, order="C")
    if not index.size:
        return out.astype(input.dtype)
    places = flat_places(input.shape, index, dim).ravel()
    values = _part(src, index.shape).ravel().astype(out.dtype)
    flat = out.reshape(-1)
    if not include_self:
        flat[places] = np.asarray(_identity(reduce, out.dtype)).astype(out.dtype)
    if half and rounded:
        rounded_at(_UFUNCS[reduce], flat, places, values)
    else:
        _UFUNCS[reduce].at(flat, places, values)
    if reduce == "mean":
        count = _counts(input.shape, index, dim, include_self)
        if half:
            out = dtypes.widened(out.astype(input.dtype)) / dtypes.widened(count.astype(np.float32).astype(input.dtype))
        elif out.dtype.kind in "iu":
            out //= count.astype(out.dtype)
        else:
            out /= count.astype(out.real.dtype)
    return out.astype(input.dtype) if half else out


def _identity(reduce: str, dtype: np.dtype[Any]) -> Any:
    if reduce in ("sum", "mean"):
        return 0
    if reduce == "prod":
        return 1
    if dtype.kind == "b":
        return reduce == "amin"
    if dtype.kind in "iu":
        return np.iinfo(dtype).min if reduce == "amax" else np.iinfo(dtype).max
    return -np.inf if reduce == "amax" else np.inf


def _counts(shape: tuple[int, ...], index: Any, dim: int, include_self: bool) -> Any:
    """How many elements a mean at each place is of; at least 1."""
    size = 1
    for n in shape:
        size *= n
    count = np.bincount(flat_places(shape, index, dim).ravel(), minlength=size) + include_self
    return np.maximum(count, 1).reshape(shape)


def _gradients(
    name: str, wanted: str, g: Any, input: Any, src: Any, out: Any, index: Any, dim: int, reduce: str,
    include_self: bool, xp: Any,
) -> Any:  # fmt: skip
    """The gradient of a scatter_reduce for its ``input`` or its ``src``."""
    at = constant(raw(index), xp)
    shape = tuple(raw(input).shape)
    places, given = raw(index).shape, raw(src).shape
    if wanted == "src" and 0 in shape:
        return constant(np.zeros_like(raw(src)), xp)
    if wanted == "src" and places != given and places and given:
        raise RuntimeError(
            f"Function ScatterReduceBackward0 returned an invalid gradient at index 1 - got {list(places)} but "
            f"expected shape compatible with {list(given)}"
        )
    dtype = raw(g).dtype

    def gathered(x: Any) -> Any:
        return xp.gather(x, at, dim, False)

    if not raw(index).size:  # nothing comes to any place, whatever the shape of the index
        return g if wanted == "input" else gathered(g)
    if reduce == "sum":
        grad = g if wanted == "input" else gathered(g)
    elif reduce == "mean":
        grad = g / constant(_counts(shape, raw(index), dim, include_self).astype(dtype), xp)
        grad = grad if wanted == "input" else gathered(grad)
    elif reduce == "prod":
        grad = _product_gradient(name, wanted, g, input, src, out, index, dim, include_self, gathered, xp)
    else:
        from_self, from_src, ties = xp.extreme_places(input, src, out, index, dim)
        share = g / ties
        grad = share * from_self if wanted == "input" else gathered(share) * from_src
    if wanted == "input" and not include_self:
        grad = xp.scatter_value(grad, at, dim, 0)
    return grad


def _extreme_places(input: Any, src: Any, out: Any, index: Any, dim: int) -> tuple[Any, Any, Any]:
    """1 where ``input``, and where ``src``, have what was chosen; how many share each place."""
    places = flat_places(input.shape, index, dim)
    from_self = (input == out).astype(out.dtype)
    from_src = (_part(src, index.shape) == np.ravel(out).take(places)).astype(out.dtype)
    ties = np.array(from_self)
    np.add.at(ties.reshape(-1), places.ravel(), from_src.ravel())
    return from_self, from_src, ties


def _extreme_places_of_tensors(input: Any, src: Any, out: Any, index: Any, dim: int) -> tuple[Any, Any, Any]:
    input, src, out = (t.detach() for t in (input, src, out))
    for d, n in enumerate(index.shape):
        src = src.narrow(d, 0, n)
    from_self, from_src = (input == out).to(out.dtype), (src == out.gather(dim, index)).to(out.dtype)
    return from_self, from_src, from_self.scatter_add(dim, index, from_src)


in_both_namespaces("extreme_places", _extreme_places, _extreme_places_of_tensors)


def _product_gradient(
    name: str, wanted: str, g: Any, input: Any, src: Any, out: Any, index: Any, dim: int, include_self: bool,
    gathered: Any, xp: Any,
) -> Any:  # fmt: skip
    """A product's derivative without dividing by zero: where a factor is 0, the product of the others."""
    if wanted == "input":
        filled = xp.masked_fill_number(input, xp.zeros_in(input), 1)
        return g * xp.scatter_reduce(filled, src, index, dim, "prod", include_self) / filled
    is_zero, single, is_refused = xp.single_zeros(input, src, index, dim)
    filled = xp.masked_fill_number(src, single, 1)
    others = gathered(g * xp.scatter_reduce(input, filled, index, dim, "prod", include_self))
    plain = gathered(g * out) / xp.masked_fill_number(src, is_zero, 1)
    grad = xp.either(single, others, plain)
    if is_refused:
        of = "src" if name == "scatter_reduce" else "source"
        return xp.refuse_backward(
            grad,
            f"{name}(): Double backward is unsupported for {of} when >1 zeros in {of} are scattered to the same "
            "position in self",
        )
    return grad


def _single_zeros(input: Any, src: Any, index: Any, dim: int) -> tuple[Any, Any, bool]:
    """Where ``src`` is 0, where it is so alone among what comes to a place, and whether there are places with more."""
    is_zero = src == 0
    places = flat_places(input.shape, index, dim)
    count = np.bincount(places.ravel(), is_zero.ravel(), input.size)
    return is_zero, is_zero & (count[places] == 1), bool((is_zero & (count[places] > 1)).any())


def _single_zeros_of_tensors(input: Any, src: Any, index: Any, dim: int) -> tuple[Any, Any, bool]:
    is_zero = src.detach() == 0
    count = input.new_zeros(input.shape).scatter_add(dim, index, is_zero.to(input.dtype)).gather(dim, index)
    several = is_zero & (count > 1)
    return is_zero, is_zero & (count == 1), not several.wraps and bool(several.any())


in_both_namespaces("single_zeros", _single_zeros, _single_zeros_of_tensors)
in_both_namespaces("zeros_in", lambda x: x == 0, lambda x: x.detach() == 0)


@primitive("Error", name="refuse_backward", batch=batching.item_by_item)
def refuse_backward_op(input: Array, message: str) -> Any:
    """The input as it is; its derivative is an error."""
    return input


@refuse_backward_op.vjp("input")
def refuse_backward_gradient_of_input(g: Any, message: str) -> Any:
    raise RuntimeError(message)


# ---- scatter_reduce


@primitive("ScatterReduceBackward0", name="scatter_reduce", batch=batching.moved_dimensions)
def scatter_reduce_op(input: Array, src: Array, index: Array, dim: int, reduce: str, include_self: bool) -> Any:
    return reduce_into(input, src, index, dim, reduce, include_self)


@scatter_reduce_op.vjp("input")
def scatter_reduce_gradient_of_input(
    g: Any, input: Any, src: Any, index: Any, out: Any, dim: int, reduce: str, include_self: bool, xp: Any
) -> Any:
    return _gradients("scatter_reduce", "input", g, input, src, out, index, dim, reduce, include_self, xp)


@scatter_reduce_op.vjp("src")
def scatter_reduce_gradient_of_src(
    g: Any, input: Any, src: Any, index: Any, out: Any, dim: int, reduce: str, include_self: bool, xp: Any
) -> Any:
    return _gradients("scatter_reduce", "src", g, input, src, out, index, dim, reduce, include_self, xp)


@scatter_reduce_op.tangent
def scatter_reduce_tangent(op: Any, primals: Any, tangents: Any, attributes: Any, outs: Any) -> Any:
    """Of extrema without the input itself, those that share a place are counted without it; not so by gradients."""
    input, src, index = primals
    dim, reduce, include_self = attributes
    if include_self or reduce not in ("amax", "amin"):
        return NotImplemented
    part = src[tuple(slice(n) for n in index.shape)]
    is_chosen = [(input == outs[0]).to(input.dtype), (part == outs[0].gather(dim, index)).to(input.dtype)]
    slopes = [
        chosen * 0 if t is None else chosen * t[tuple(slice(n) for n in chosen.shape)]
        for chosen, t in zip(is_chosen, tangents)
    ]
    total, count = (op(*each, index, dim, "sum", False) for each in (slopes, is_chosen))
    return total / count


_scatter_reduce_inplace = inplace_form(scatter_reduce_op)


def _scatter_arguments(name: str, self: Tensor, dim: int, index: Any, src: Any, reduce: str) -> tuple[int, str]:
    """The dimension, and the name of the reduction: "max" and "min" are other names of two."""
    require_tensor(name, "index", 2, index)
    require_tensor(name, "src", 3, src)
    reduction = {"max": "amax", "min": "amin"}.get(reduce, reduce)
    if reduction not in _UFUNCS:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    return _check_scatter(self, dim, index, src), reduction


@public("scatter_reduce", "scatter_reduce", out=True)
def scatter_reduce(input: Tensor, dim: int, index: Any, src: Any, reduce: str, *, include_self: bool = True) -> Tensor:
    """A copy in which each place named by ``index`` is reduced with what ``src`` brings to it."""
    at, reduction = _scatter_arguments("scatter_reduce", input, dim, index, src, reduce)
    return scatter_reduce_op(input, src, index, at, reduction, include_self)


@public("", "scatter_reduce_")
def scatter_reduce_(input: Tensor, dim: int, index: Any, src: Any, reduce: str, *, include_self: bool = True) -> Tensor:
    """``scatter_reduce`` in place."""
    at, reduction = _scatter_arguments("scatter_reduce_", input, dim, index, src, reduce)
    check_no_overlap(input._array)
    check_no_partial_overlap(input._array, src._array, at_all=True)
    return _scatter_reduce_inplace(input, src, index, at, reduction, include_self)


# ---- index_reduce


def _as_index_tensor(index: Any, shape: tuple[int, ...], dim: int) -> Any:
    """A vector of places along one dimension as the index tensor that scatter_reduce takes."""
    if not shape:
        return index.reshape(())
    return np.broadcast_to(index.reshape((-1,) + (1,) * (len(shape) - dim - 1)), shape)


@primitive("IndexReduceBackward0", name="index_reduce", batch=batching.item_by_item)
def index_reduce_op(input: Array, source: Array, index: Array, dim: int, reduce: str, include_self: bool) -> Any:
    return reduce_into(input, source, _as_index_tensor(index, source.shape, dim), dim, reduce, include_self, True)


@index_reduce_op.vjp("input")
def index_reduce_gradient_of_input(
    g: Any, input: Any, source: Any, index: Any, out: Any, dim: int, reduce: str, include_self: bool, xp: Any
) -> Any:
    spread = constant(_as_index_tensor(raw(index), raw(source).shape, dim), xp)
    return _gradients("index_reduce", "input", g, input, source, out, spread, dim, reduce, include_self, xp)


@index_reduce_op.vjp("source")
def index_reduce_gradient_of_source(
    g: Any, input: Any, source: Any, index: Any, out: Any, dim: int, reduce: str, include_self: bool, xp: Any
) -> Any:
    spread = constant(_as_index_tensor(raw(index), raw(source).shape, dim), xp)
    return _gradients("index_reduce", "src", g, input, source, out, spread, dim, reduce, include_self, xp)


_index_reduce_inplace = inplace_form(index_reduce_op)


def _index_arguments(
    name: str, self: Tensor, dim: int, index: Any, source: Any, reduce: str, include_self: bool
) -> int:
    require_tensor(name, "index", 2, index)
    require_tensor(name, "source", 3, source)
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.")
    warn_user("index_reduce() is in beta and the API may change at any time.")
    at = one_dim(dim, self._array.ndim)
    if self._array.dtype != source._array.dtype:
        here, there = (dtypes.SCALAR_TYPE_NAMES[t.dtype] for t in (self, source))
        raise RuntimeError(f"index_reduce_(): self ({here}) and source ({there}) must have the same scalar type")
    check_vector("index_reduce_", self, at, index, source)
    found = outside(self, at, index)
    if found is not None:
        if include_self:
            raise IndexError("index out of range in self")
        n = self._array.shape[at] if self._array.ndim else 1
        raise IndexError(f"index {found} is out of bounds for dimension {at} with size {n}")
    return at


def _check_kind(self: Tensor, reduce: str, include_self: bool) -> None:
    """PyTorch goes over single elements or over slices, with kernels for other dtypes."""
    kind = self._array.dtype.kind
    if kind not in "bc":
        return
    if not include_self:
        raise dtypes.not_for("index_reduce_func_exclude_input_init", self.dtype)
    if self._array.ndim <= 1:
        raise dtypes.not_for("index_func_", self.dtype)
    kernels = {"c": {"amax": "maximum_cpu", "amin": "minimum_cpu"}, "b": {"mean": "div_floor_cpu"}}
    if reduce in kernels[kind]:
        raise dtypes.not_for(kernels[kind][reduce], self.dtype)


@public("index_reduce", "index_reduce", out=True)
def index_reduce(input: Tensor, dim: int, index: Any, source: Any, reduce: str, *, include_self: bool = True) -> Tensor:
    """A copy whose slices along ``dim`` that ``index`` names are reduced with slices of ``source``."""
    at = _index_arguments("index_reduce", input, dim, index, source, reduce, include_self)
    _check_kind(input, reduce, include_self)
    return index_reduce_op(input, source, index, at, reduce, include_self)


@public("", "index_reduce_")
def index_reduce_(
    input: Tensor, dim: int, index: Any, source: Any, reduce: str, *, include_self: bool = True
) -> Tensor:
    """``index_reduce`` in place."""
    at = _index_arguments("index_reduce_", input, dim, index, source, reduce, include_self)
    check_no_overlap(input._array)
    check_no_partial_overlap(input._array, source._array, at_all=True)
    _check_kind(input, reduce, include_self)
    return _index_reduce_inplace(input, source, index, at, reduce, include_self)
