"""Slices along one dimension, named by a vector of places: index_select, index_add, index_copy, index_fill."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.devices import MetaArray
from ..._core.dtypes import is_half
from ..._tensor import Tensor, learned
from ..arrays.meta import by_zeros
from ..arrays.scatter_add import SMALL, add_at, add_rows, as_column, first_outside, places_in, rounded_at
from ..arrays.types import Array
from ..machine import batching
from ..machine.arguments import one_dim
from ..machine.namespaces import TENSORS, show
from ..machine.operands import checked_number
from ..machine.partial_write import is_expanded, partial_write
from ..machine.primitive import primitive
from ..machine.public import public
from ..machine.refusals import no_dimensions, no_rows, scalar_type
from ..machine.rules import constant, fit, raw
from .gather import INTEGERS, require_tensor

_ALL = slice(None)


def _key(dim: int, index: Any) -> tuple[Any, ...]:
    return (_ALL,) * dim + (index,)


# ---- kernels


@primitive("IndexSelectBackward0", name="index_select", kind="linear")
def index_select_op(input: Array, index: Array, dim: int) -> Any:
    if not input.ndim:
        return input.copy()
    return input.take(index if index.ndim else index.reshape(1), dim)


@primitive("IndexAddBackward0", name="index_unselect", kind="linear")
@by_zeros
def index_unselect_op(input: Array, index: Array, shape: tuple[int, ...], dim: int) -> Any:
    """Zeros of a shape with slices added where ``index_select`` takes them from."""
    whole = np.zeros(shape, input.dtype)
    _add_slices(whole, dim, index, input, fresh=True)
    return whole


index_select_op.vjp(input=lambda g, index, dim, input_shape, xp: xp.index_unselect(g, index, input_shape, dim))


@index_select_op.batch
def index_select_batched(call: batching.Call) -> Any:
    dim = call.attribute("dim") % max(call.ndim(), 1)
    if not call.flags[1]:
        return call.run(call.values, (dim + 1,)) if call.ndim() else call.values[0].clone()
    shape = list(call.shape())
    if not shape:
        return call.full(0).clone()
    index = call.values[1]
    shape[dim] = 1 if index.dim() == 1 else index.shape[1]
    return TENSORS.gather(call.full(0), _index_of_items(call, dim, (call.size, *shape)), dim + 1, False)


def _index_of_items(call: batching.Call, dim: int, shape: Any, at: int = 1) -> Any:
    """The index of each item, expanded to the shape of what it takes along a dimension."""
    return call.full(at).reshape(call.size, *[1] * dim, -1, *[1] * (len(shape) - dim - 2)).expand(shape)


index_unselect_op.vjp(input=lambda g, index, dim, xp: xp.index_select(g, index, dim))


@index_unselect_op.batch
def index_unselect_batched(call: batching.Call) -> Any:
    shape, dim = call.attributes
    if not call.flags[1]:
        return call.run(call.values, ((call.size, *shape), dim % max(len(shape), 1) + 1)) if shape else None
    g = call.full(0)
    dim %= len(shape)
    return TENSORS.ungather(g, _index_of_items(call, dim, g.shape), (call.size, *shape), dim + 1)


def _unselected(g: Any, index: Any, shape: tuple[int, ...], dim: int) -> Any:
    return index_add_op(g.new_zeros(shape), g, index, dim, 1) if shape else index_unselect_op(g, index, shape, dim)


show("index_unselect", _unselected)


def _add_slices(target: Any, dim: int, index: Any, values: Any, fresh: bool = False) -> None:
    if not target.ndim:
        target += np.asarray(values).reshape(())
        return
    rows = index.reshape(-1)
    if not dim:
        add_rows(target, rows, values, fresh)
        return
    if values.size <= SMALL and target.flags.c_contiguous:
        where = places_in(target.shape, values.shape, as_column(rows, target.ndim, dim), dim)
        add_at(target.reshape(-1), where, values)
        return
    sums = np.zeros((target.shape[dim], *target.shape[:dim], *target.shape[dim + 1 :]), target.dtype)
    add_rows(sums, rows, np.moveaxis(values, dim, 0), fresh=True)
    target += np.moveaxis(sums, 0, dim)


@partial_write("IndexAddBackward0", "index_add", kind="linear", by_rows=True)
def index_add_op(input: Array, source: Array, index: Array, dim: int, alpha: object) -> None:
    if alpha != 1:
        source = source * np.asarray(alpha).astype(source.dtype)
    if is_half(input.dtype) and input.ndim and (alpha != 1 or input.ndim == 1):  # else PyTorch sums, then rounds
        flat = input.ravel()
        where = places_in(input.shape, source.shape, as_column(index, input.ndim, dim), dim)
        rounded_at(np.add, flat, where, source)
        input[...] = flat.reshape(input.shape)
        return
    _add_slices(input, dim, index, source)


@index_add_op.vjp("source")
def index_add_gradient_of_source(g: Any, index: Any, source: Any, dim: int, alpha: Any, xp: Any) -> Any:
    found = xp.index_select(g, index, dim)
    found = _in_shape(found, tuple(source.shape), xp)
    return found if alpha == 1 else xp.times(found, alpha)


def _in_shape(found: Any, shape: tuple[int, ...], xp: Any) -> Any:
    if raw(found).shape != shape:
        return xp.reshape(found, shape)
    return xp.expand(found, shape) if shape else found


index_add_op.vjp(input=lambda g: g)


@partial_write("IndexCopyBackward0", "index_copy", kind="linear", by_rows=True)
def index_copy_op(input: Array, source: Array, index: Array, dim: int) -> None:
    if input.ndim:
        input[_key(dim, index.reshape(-1))] = source
    else:
        input[...] = np.asarray(source).reshape(())


@index_copy_op.vjp("source")
def index_copy_gradient_of_source(g: Any, index: Any, source: Any, dim: int, xp: Any) -> Any:
    return _in_shape(xp.index_select(g, index, dim), tuple(source.shape), xp)


index_copy_op.vjp(input=lambda g, index, dim, xp: xp.index_fill_number(g, index, dim, 0))


@partial_write("IndexFillBackward0", "index_fill_number")
def index_fill_number_op(input: Array, index: Array, dim: int, value: object) -> None:
    input[_key(dim, index.reshape(-1)) if input.ndim else ...] = value


@partial_write("IndexFillBackward1", "index_fill_tensor", kind="linear")
def index_fill_tensor_op(input: Array, value: Array, index: Array, dim: int) -> None:
    input[_key(dim, index.reshape(-1)) if input.ndim else ...] = value


@index_fill_tensor_op.vjp("value")
def index_fill_tensor_gradient_of_value(g: Any, index: Any, value_dtype: Any, dim: int, xp: Any) -> Any:
    return fit(xp.index_select(g, constant(np.unique(raw(index)), xp), dim), (), value_dtype, xp)


index_fill_number_op.vjp(input=lambda g, index, dim, xp: xp.index_fill_number(g, index, dim, 0))
index_fill_tensor_op.vjp(input=lambda g, index, dim, xp: xp.index_fill_number(g, index, dim, 0))


@index_add_op.batch
@index_copy_op.batch
@index_fill_number_op.batch
@index_fill_tensor_op.batch
def index_along_batched(call: batching.Call) -> Any:
    at = call.op.tensor_names.index("index")
    if not call.ndim() or call.values[at].dim() == 0:
        return None
    dim = call.attribute("dim") % call.ndim()
    if call.flags[at] or (call.op is index_fill_tensor_op and call.flags[1]):
        return _along_places_of_items(call, dim, at)
    kept = ("index", "value")
    values = [call.values[i] if name in kept else call.full(i) for i, name in enumerate(call.op.tensor_names)]
    return call.run(values, (dim + 1, *call.attributes[1:]))


def _along_places_of_items(call: batching.Call, dim: int, at: int) -> Any:
    """The same where each item has places or a value of its own: element by element."""
    shape = [call.size, *call.shape()]
    n, shape[dim + 1] = shape[dim + 1], call.shape(at)[0] if call.ndim(at) else 1
    places = _index_of_items(call, dim, shape, at)
    if call.op is index_fill_number_op:
        return TENSORS.scatter_value(call.full(0), places % n, dim + 1, call.attribute("value"))
    if call.op is index_fill_tensor_op:
        values = call.full(1).reshape(call.size, *[1] * call.ndim()).expand(shape)
        return TENSORS.scatter(call.full(0), values, places % n, dim + 1)
    source = call.full(1)
    if list(source.shape) != shape:
        return None
    if call.op is index_copy_op:
        return TENSORS.scatter(call.full(0), source, places, dim + 1)
    return TENSORS.scatter_add(call.full(0), source * call.attribute("alpha"), places, dim + 1)


for _op in (index_add_op, index_copy_op):
    _op.node_class._saved_source_dim = property(lambda node: node._saved_source.dim())  # type: ignore[attr-defined]


# ---- checks


def outside(self: Tensor, at: int, index: Tensor, low: int = 0) -> int | None:
    if index._array.__class__ is MetaArray:
        return None
    n = self._array.shape[at] if self._array.ndim else 1
    found: int | None = learned(index, first_outside, -n if low else 0, n)
    return found


def check_vector(name: str, self: Tensor, at: int, index: Tensor, source: Tensor) -> None:
    """What index_add and index_reduce ask of their arguments."""
    places = index._array
    if places.ndim > 1:
        raise IndexError(
            f"{name}(): Index is supposed to be a vector, but got dim: {places.ndim} with type: {scalar_type(index)} "
            f"and size: {list(places.shape)}"
        )
    if places.dtype not in INTEGERS:
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index but got: {scalar_type(index)}")
    shape, given = self._array.shape, source._array.shape
    if at >= max(len(given), 1):
        raise RuntimeError(
            f"{name}(): Indexing dim {at} is out of bounds of the source tensor with dim {len(given)}"
        )
    if shape and not given and places.size != 1:
        raise no_dimensions(at)
    count = given[at] if at < len(given) else 1
    if places.size != count and len(shape) == len(given):
        raise RuntimeError(
            f"{name}(): Number of indices ({places.size}) should be equal to source.size(dim): ({count}), for dim: {at}"
        )
    if len(shape) != len(given) or shape[:at] != given[:at] or shape[at + 1 :] != given[at + 1 :]:
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = "
            f"{list(shape)} source.shape = {list(given)}"
        )


# ---- the functions


_OTHER_DTYPE = "index_select(): self and result must have the same scalar type"


@public("index_select", "index_select", out="exact separate", out_error=_OTHER_DTYPE)
def index_select(input: Tensor, dim: int, index: Any) -> Tensor:
    """The slices along ``dim`` that ``index`` names, in its order."""
    require_tensor("index_select", "index", 2, index)
    at = one_dim(dim, input._array.ndim)
    places = index._array
    if places.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if places.dtype not in INTEGERS:
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    if not input._array.ndim and places.size != 1:
        raise RuntimeError(f"index_select(): Index to scalar can have only 1 value, got {places.size} value(s)")
    found = outside(input, at, index)
    if found is not None:
        if input._array.ndim > 1 and not input._array.shape[at]:
            raise no_rows()
        if at == 1:
            raise RuntimeError(
                f"INDICES element is out of DATA bounds, id={found} axis_dim={input._array.shape[1]}"
            )
        raise IndexError("index out of range in self")
    return index_select_op.call(input, index, at)


def _index_add(name: str, self: Tensor, dim: int, index: Any, source: Any, alpha: Any, in_place: bool) -> Tensor:
    require_tensor(name, "index", 2, index)
    require_tensor(name, "source", 3, source)
    at = one_dim(dim, self._array.ndim)
    if self._array.dtype != source._array.dtype:
        raise RuntimeError(
            f"index_add_(): self ({scalar_type(self)}) and source ({scalar_type(source)}) must have the same scalar "
            "type"
        )
    check_vector("index_add_", self, at, index, source)
    found = outside(self, at, index)
    if found is not None:
        if self._array.ndim <= 1:
            raise IndexError("index out of range in self")
        raise RuntimeError(f"index {found} is out of bounds for dimension {at} with size {self._array.shape[at]}")
    return index_add_op.apply(self, (source, index), (at, checked_number(alpha, self.dtype)), in_place)


@public("index_add", "index_add", out=True)
def index_add(input: Tensor, dim: int, index: Any, source: Any, *, alpha: Any = 1) -> Tensor:
    """A copy with slices of ``source``, times ``alpha``, added to the slices along ``dim`` that ``index`` names."""
    return _index_add("index_add", input, dim, index, source, alpha, False)


@public("", "index_add_")
def index_add_(input: Tensor, dim: int, index: Any, source: Any, *, alpha: Any = 1) -> Tensor:
    """``index_add`` in place."""
    return _index_add("index_add_", input, dim, index, source, alpha, True)


def _index_copy(name: str, self: Tensor, dim: int, index: Any, source: Any, in_place: bool) -> Tensor:
    require_tensor(name, "index", 2, index)
    require_tensor(name, "source", 3, source)
    at = one_dim(dim, self._array.ndim)
    places, shape, given = index._array, self._array.shape, source._array.shape
    if places.ndim > 1:
        raise IndexError(f"index_copy_(): Index should have dimension 1 or 0 (got {places.ndim})")
    if not given and places.size != 1:
        raise IndexError(f"index_copy_(): When source is scalar, index should have one element (got {places.size})")
    if len(given) != len(shape) and given and shape:
        raise IndexError(
            "index_copy_(): When source and destination are not scalars, their dimensionality must match. Source "
            f"dimensionality ({len(given)}), destination dimensionality ({len(shape)})"
        )
    if places.dtype != np.int64:
        raise RuntimeError(f"index_copy_(): Expected a long tensor for index, but got {scalar_type(index)}")
    if self._array.dtype != source._array.dtype:
        raise RuntimeError(
            "index_copy_(): self and source expected to have the same dtype, but got (self) "
            f"{scalar_type(self)} and (source) {scalar_type(source)}"
        )
    here, there = shape[:at] + shape[at + 1 :], given[:at] + given[at + 1 :]
    if here != there:
        first, second = (" ".join(map(str, s)) for s in (here, there))
        raise RuntimeError(
            "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: "
            f"{first} at dimension {at} and source slice shape: {second} at dimension 0."
        )
    if given and places.size != given[at]:
        raise IndexError(
            f"index_copy_(): Number of indices ({places.size}) should be equal to source.size(dim) ({given[at]})"
        )
    found = outside(self, at, index)
    if found is not None:
        raise IndexError(
            f"index_copy_(): index {found} is out of bounds for dimension {at} with size {shape[at] if shape else 1}"
        )
    return index_copy_op.apply(self, (source, index), (at,), in_place)


@public("index_copy", "index_copy", out=True, autocast="widest")
def index_copy(input: Tensor, dim: int, index: Any, source: Any) -> Tensor:
    """A copy with slices of ``source`` in place of the slices along ``dim`` that ``index`` names."""
    return _index_copy("index_copy", input, dim, index, source, False)


@public("", "index_copy_")
def index_copy_(input: Tensor, dim: int, index: Any, source: Any) -> Tensor:
    """``index_copy`` in place."""
    return _index_copy("index_copy_", input, dim, index, source, True)


def _index_fill(name: str, self: Tensor, dim: int, index: Any, value: Any, in_place: bool) -> Tensor:
    require_tensor(name, "index", 2, index)
    at = one_dim(dim, self._array.ndim)
    if isinstance(value, Tensor) and value._array.ndim:
        raise RuntimeError(
            "index_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{value._array.ndim} dimension(s)."
        )
    if index._array.dtype != np.int64:
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    if index._array.ndim > 1:
        raise RuntimeError("Index has to be a vector/scalar")
    found = outside(self, at, index, low=-1)
    if found is not None:
        n = self._array.shape[at] if self._array.ndim else 1
        raise IndexError(f"index {found} is out of bounds for dimension {at} with size {n}")
    expanded = in_place and is_expanded(self._array, "index_fill_", "tensor[mask] = scalar")
    if isinstance(value, Tensor):
        return index_fill_tensor_op.apply(self, (value, index), (at,), in_place, expanded)
    if isinstance(value, complex) and self._array.dtype.kind != "c":
        raise RuntimeError("index_fill_(): Converting complex Scalar to non-complex type is not supported")
    return index_fill_number_op.apply(self, (index,), (at, checked_number(value, self.dtype)), in_place, expanded)


@public("index_fill", "index_fill")
def index_fill(input: Tensor, dim: int, index: Any, value: Any) -> Tensor:
    """A copy with a number in all slices along ``dim`` that ``index`` names."""
    return _index_fill("index_fill", input, dim, index, value, False)


@public("", "index_fill_")
def index_fill_(input: Tensor, dim: int, index: Any, value: Any) -> Tensor:
    """``index_fill`` in place."""
    return _index_fill("index_fill_", input, dim, index, value, True)
