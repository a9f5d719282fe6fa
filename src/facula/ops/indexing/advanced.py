"""Indexing by tensors: reading, writing and adding at places given by integers and masks."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import dtypes, state
from ..._core.devices import MetaArray, empty_meta
from ..._core.strides import broadcast_strides, in_order_of, lies_by_rows, rows_of
from ..._tensor import Tensor
from ...autograd import saved
from ...autograd.graph import Node, warn_user
from ...autograd.saved import SavedList
from ..arrays.scatter_add import SMALL, add_rows, first_outside, from_front
from ..arrays.strides import viewed
from ..arrays.types import Array
from ..machine import batching
from ..machine.any_state import subclasses, wrap
from ..machine.errors import type_of
from ..machine.namespaces import show
from ..machine.operands import checked_number
from ..machine.partial_write import is_expanded, partial_write
from ..machine.primitive import primitive
from ..machine.public import public
from ..machine.rules import constant, fit, raw
from ..machine.write import refused_first
from .gather import INTEGERS

_ALL = slice(None)


class Places:
    """The indices of one access, made ready for NumPy.

    They go from the first dimension on; None takes a whole dimension, a mask stands for as many as it has.
    """

    __slots__ = ("is_mask", "key", "single")

    key: tuple[Any, ...]
    single: int
    """The dimension that is indexed, if there is just one and it is indexed by integers; else -1."""
    is_mask: bool
    """Just one mask, whose places cannot repeat."""

    def __init__(self, indices: Any) -> None:
        self.key = tuple([_ALL if i is None else raw(i) for i in indices])
        indexed = [d for d, part in enumerate(self.key) if part is not _ALL]
        alone = self.key[indexed[0]] if len(indexed) == 1 else None
        self.is_mask = alone is not None and alone.dtype.kind == "b"
        self.single = indexed[0] if alone is not None and not self.is_mask else -1

    def by_dim(self) -> tuple[list[int], list[Any]]:
        """The indexed dimensions and for each an array of integers; a mask becomes one per dimension of it."""
        dims, arrays = [], []
        dim = 0
        for part in self.key:
            if part is _ALL:
                dim += 1
                continue
            for places in part.nonzero() if part.dtype.kind == "b" else (part,):
                dims.append(dim)
                arrays.append(places)
                dim += 1
        return dims, arrays

    def error(self, shape: tuple[int, ...]) -> IndexError:
        """Why these indices do not fit a shape."""
        dims, arrays = self.by_dim()
        try:
            np.broadcast_shapes(*(a.shape for a in arrays))
        except ValueError:
            shapes = ", ".join(str(list(a.shape)) for a in arrays)
            return IndexError(f"shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}")
        if self.in_nothing(shape):
            return IndexError("index is out of bounds for dimension with size 0")
        for i, (dim, array) in enumerate(zip(dims, arrays, strict=True)):
            n = shape[dim]
            found = first_outside(array, -n, n)
            if found is not None:
                return IndexError(f"index {found} is out of bounds for dimension {i} with size {n}")
        return IndexError("these indices do not fit the tensor")

    def in_nothing(self, shape: tuple[int, ...]) -> bool:
        """Whether a dimension without elements is indexed."""
        return any(not shape[dim] and array.size for dim, array in zip(*self.by_dim(), strict=True))

    def result_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of ``tensor[indices]`` for a tensor of this shape."""
        dims, arrays = self.by_dim()
        try:
            common = np.broadcast_shapes(*(a.shape for a in arrays))
        except ValueError:
            raise self.error(shape) from None
        rest = [n for i, n in enumerate(shape) if i not in dims]
        at = dims[0] if dims and _adjacent(dims) else 0
        return (*rest[:at], *common, *rest[at:])


def _adjacent(dims: list[int]) -> bool:
    return dims == list(range(dims[0], dims[0] + len(dims)))


def checked(tensors: list[Any], shape: tuple[int, ...], count: bool = False) -> SavedList:
    """Check the tensors of an index against the shape they are to index."""
    dim = 0
    for i, t in enumerate(tensors):
        if t is None:
            dim += 1
            continue
        array = t._array
        if array.dtype in INTEGERS:
            dim += 1
            continue
        if array.dtype == np.uint8:
            warn_user(
                "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead.",
            )
            tensors[i] = wrap(array != 0)
        elif array.dtype != np.bool_:
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        for j, n in enumerate(array.shape):
            if dim + j >= len(shape):
                raise IndexError(f"too many indices for tensor of dimension {len(shape)}")
            if n != shape[dim + j]:
                raise IndexError(
                    f"The shape of the mask {list(array.shape)} at index {j} does not match the shape of the indexed "
                    f"tensor {list(shape)} at index {dim + j}"
                )
        dim += array.ndim
    if dim > len(shape):
        got = f" (got {dim})" if count else ""
        raise IndexError(f"too many indices for tensor of dimension {len(shape)}{got}")
    return SavedList(tensors)


# ---- reading


@primitive("IndexBackward0", name="index", kind="linear")
def index_op(input: Array, indices: SavedList) -> Any:
    if len(indices) == 1 and input.__class__ is np.ndarray:
        only = raw(indices[0])
        if only.dtype in INTEGERS and _is_by_rows(input, only):
            try:
                return input.take(only, 0)
            except IndexError:
                pass  # told below
    places = Places(indices)
    if input.__class__ is MetaArray:
        return empty_meta(places.result_shape(input.shape), input.dtype)
    try:
        if places.single >= 0:
            found = input.take(places.key[places.single], places.single)
        else:
            found = input[places.key]
    except IndexError:
        result = places.result_shape(input.shape)
        if 0 in result and not places.in_nothing(input.shape):  # PyTorch looks at no index if nothing is to be read
            return np.empty(result, input.dtype)
        raise places.error(input.shape) from None
    return _laid_out(found, input, places)


def _is_by_rows(input: Any, index: Any) -> bool:
    """Whether what one index reads along the first dimension lies row by row."""
    return (input.ndim < 3 or input.flags.c_contiguous) and (index.ndim < 2 or lies_by_rows(index))


def _laid_out(found: Any, input: Any, places: Places) -> Any:
    """What was read, in the order of dimensions that PyTorch gives it: that of what is read, then of the indices."""
    ordered = all(part is _ALL or part.dtype.kind == "b" or lies_by_rows(part) for part in places.key)
    if found.ndim < 2 or (ordered and lies_by_rows(input)):
        return rows_of(found)
    dims, arrays = places.by_dim()
    rest = [step for d, step in enumerate(input.strides) if d not in dims]
    at = dims[0] if _adjacent(dims) else 0
    count = found.ndim - len(rest)
    read = (*rest[:at], *(0,) * count, *rest[at:])
    common = found.shape[at : at + count]
    around = (*(1,) * at, *common, *(1,) * (len(rest) - at))
    seen = [viewed(a if a.shape == common else np.broadcast_to(a, common), around) for a in arrays]
    return in_order_of(found, [read, *(broadcast_strides(a, found.shape) for a in seen)])


@primitive("IndexPutImplBackward0", name="unindex", kind="linear")
def unindex_op(input: Array, indices: SavedList, shape: tuple[int, ...]) -> Any:
    """Zeros of a shape, with elements added at the places of an index: the adjoint of reading them."""
    if input.__class__ is MetaArray:
        return empty_meta(shape, input.dtype)
    whole = np.zeros(shape, input.dtype)
    if len(indices) == 1 and input.size <= SMALL:
        only = raw(indices[0])
        if only.dtype in INTEGERS and shape[0]:
            rows = only.reshape(-1) if only.ndim != 1 else only
            add_rows(whole, from_front(rows, shape[0]), input.reshape(rows.size, *shape[1:]), fresh=True)
            return whole
    places = Places(indices)
    if places.is_mask:
        whole[places.key] = input
    else:
        accumulate_into(whole, places, np.asarray(input), fresh=True)
    return whole


index_op.vjp(input=lambda g, indices, input_shape, xp: xp.unindex(g, indices, input_shape))
unindex_op.vjp(input=lambda g, indices, xp: xp.index(g, indices))


def _array_of(index: Any) -> Any:
    """Rules index with arrays, users with tensors."""
    return index if isinstance(index, np.ndarray) else index._array


def _places_of_items(call: batching.Call, indices: Any) -> SavedList | None:
    """Indices for what is inside: the number of the item first. None if masks are mapped: results vary in size."""
    from ..._levels.batched import is_batched  # loaded when first used

    found = [None if i is None else i._value if is_batched(i, call.level) else i for i in indices]
    batched = [i is not None and is_batched(i, call.level) for i in indices]
    if not any(batched):
        return SavedList([None, *found])
    if any(i is not None and _array_of(i).dtype.kind == "b" for i in found):
        if any(b and _array_of(i).dtype.kind == "b" for i, b in zip(found, batched)):
            return None
        by_place = [(p, b) for i, b in zip(found, batched) for p in _without_mask(i)]
        found, batched = [p for p, _ in by_place], [b for _, b in by_place]
    ndim = max(_array_of(i).ndim - b for i, b in zip(found, batched) if i is not None)
    aligned = [batching.padded(i, ndim) if b else i for i, b in zip(found, batched)]
    return SavedList([batching.item_numbers(call, ndim), *aligned])


def _without_mask(index: Any) -> list[Any]:
    """An index; or for a mask those that mean the same, one for each of its dimensions."""
    if index is None or _array_of(index).dtype.kind != "b":
        return [index]
    if isinstance(index, np.ndarray):
        return list(index.nonzero())
    return list(index.nonzero().unbind(1))


def _index_ndim(indices: Any) -> int:
    """How many dimensions indices have together; a mask has one."""
    arrays = [i._array for i in indices if i is not None]
    return max((1 if array.dtype.kind == "b" else array.ndim for array in arrays), default=0)


def _spanned(index: Any) -> int:
    """How many dimensions of a tensor an index stands for."""
    if index is None:
        return 0
    return int(index._array.ndim) if index._array.dtype.kind == "b" else 1


def _indexed_apart(indices: Any) -> bool:
    """Whether there is a whole dimension between indices: then the indexed dimensions come first in the result."""
    at = [d for d, i in enumerate(indices) if i is not None]
    return bool(at) and at[-1] - at[0] + 1 != len(at)


def _moved_to_front(indices: Any, places: Any) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """(where the indexed dimensions are, where they belong) if the batch's index has moved them to the front."""
    at = [d for d, i in enumerate(indices) if i is not None]
    if places[0] is None or at[0] == 0 or _indexed_apart(indices):
        return None
    start, n = at[0], _index_ndim(indices)
    return tuple(range(1, n + 1)), tuple(range(start + 1, start + n + 1))


@index_op.batch
def index_batched(call: batching.Call) -> Any:
    indices = call.attribute("indices")
    places = _places_of_items(call, indices)
    if places is None:
        return None
    result = call.run([call.full(0)], (places,))
    if places[0] is None and _indexed_apart(indices):  # the indexed dimensions came first, before the batch
        return result.movedim(_index_ndim(indices), 0)
    order = _moved_to_front(indices, places)
    return result if order is None else result.movedim(*order)


@unindex_op.batch
def unindex_batched(call: batching.Call) -> Any:
    indices, shape = call.attributes
    places = _places_of_items(call, indices)
    if places is None:
        return None
    g = call.full(0)
    order = _moved_to_front(indices, places)
    if places[0] is None and _indexed_apart(indices):
        g = g.movedim(0, _index_ndim(indices))
    elif order is not None:
        g = g.movedim(*reversed(order))
    return call.run([g], (places, (call.size, *shape)))


def accumulate_into(target: Any, places: Places, values: Any, fresh: bool = False) -> None:
    """``target[places] += values``, each of repeated places counted."""
    if places.is_mask:
        target[places.key] += values
        return
    shape = target.shape
    dims, arrays = places.by_dim()
    result = places.result_shape(shape)
    if 0 in result:
        return
    common = np.broadcast_shapes(*(a.shape for a in arrays))
    rows: Any = 0
    count = 1
    for dim, array in zip(dims, arrays, strict=True):
        n = shape[dim]
        if first_outside(array, -n, n) is not None:
            raise places.error(shape)
        rows = rows * n + from_front(array, n)
        count *= n
    rest = [i for i in range(len(shape)) if i not in dims]
    at = dims[0] if _adjacent(dims) else 0
    given = values
    values = np.broadcast_to(values, result)
    if at:
        values = np.moveaxis(values, range(at, at + len(common)), range(len(common)))
    rows = np.broadcast_to(rows, common).reshape(-1)
    tail = tuple(shape[i] for i in rest)
    values = values.reshape(rows.size, *tail)
    if dims == list(range(len(dims))) and target.flags.c_contiguous:
        add_rows(target.reshape(count, *tail), rows, values, fresh)
        return
    if 0 in target.strides and target.size > 1:  # elements may be one in memory: one after the other
        np.add.at(target, places.key, np.broadcast_to(given, result))
        return
    sums = np.zeros((count, *tail), target.dtype)
    add_rows(sums, rows, values, fresh=True)
    by_dims = sums.reshape(*(shape[d] for d in dims), *tail)
    order = [*dims, *rest]
    if fresh:
        target.transpose(order)[...] = by_dims
    else:
        moved = target.transpose(order)
        moved += by_dims


# ---- writing


@partial_write("IndexPutBackward0", "index_put", kind="linear", saved_names={"values_shape": ""})
def index_put_op(input: Array, values: Array, indices: SavedList, accumulate: bool) -> None:
    places = Places(indices)
    try:
        if accumulate:
            accumulate_into(input, places, values)
        elif places.is_mask and not values.ndim and places.key[0] is not _ALL and places.key[0].ndim == input.ndim:
            np.copyto(input, values, where=places.key[0], casting="unsafe")
        else:
            input[places.key] = values
    except IndexError:
        if 0 not in places.result_shape(input.shape) or places.in_nothing(input.shape):
            raise places.error(input.shape) from None


def _unindexed(g: Any, indices: Any, shape: tuple[int, ...]) -> Any:
    return index_put_impl_op(g.new_zeros(shape), g, indices, True)


show("unindex", _unindexed)


@index_put_op.vjp("input")
def index_put_gradient_of_input(g: Any, indices: Any, accumulate: bool, xp: Any) -> Any:
    if accumulate:
        return g
    return xp.index_put(g, constant(np.zeros((), raw(g).dtype), xp), indices, False)


@index_put_op.vjp("values")
def index_put_gradient_of_values(g: Any, indices: Any, values_shape: Any, values_dtype: Any, xp: Any) -> Any:
    return fit(xp.index(g, indices), values_shape, values_dtype, xp)


@index_put_op.batch
def index_put_batched(call: batching.Call) -> Any:
    indices, accumulate = call.attributes
    places = _places_of_items(call, indices)
    if places is None:
        return None
    values, n = call.values[1], _index_ndim(indices)
    order = _moved_to_front(indices, places)
    if places[0] is None and _indexed_apart(indices):  # the indexed dimensions come first, before the batch
        order = (n,), (0,)
    if call.flags[1] or order is not None:
        values = batching.padded(call.full(1), n + call.ndim(0) - sum(map(_spanned, indices)))
    if order is not None:
        values = values.movedim(*reversed(order))
    return call.run([call.full(0), values], (places, accumulate))


index_put_impl_op = index_put_op.under("index_put_impl", "IndexPutImplBackward0")
"""The same under the name that the derivative of reading by index has in PyTorch's graphs."""


def _free_indices(op: Any) -> None:
    """Let a node's saved indices be seen and freed like saved tensors."""
    node_class = op.node_class
    at = op.slot_names.index("indices")
    node_class.free = Node.free
    node_class.always_frees = True
    node_class._raw_saved_indices = property(lambda node: saved.raw_saved(node, at))


for _op in (index_op, index_put_op, index_put_impl_op, unindex_op):
    _free_indices(_op)


def put(self: Tensor, indices: SavedList, values: Tensor, accumulate: bool, in_place: bool) -> Tensor:
    """Write ``values`` to the places of an index, once everything else is checked."""
    try:
        return _put(self, indices, values, accumulate, in_place)
    except RuntimeError as e:
        raise refused_first(e, self, values) if in_place else e from None


def _put(self: Tensor, indices: SavedList, values: Tensor, accumulate: bool, in_place: bool) -> Tensor:
    if state.dispatching and subclasses.among((values, *indices)):  # whose classes say what fits
        return index_put_op.apply(self, (values,), (indices, accumulate), in_place)
    if in_place:
        for read in (*([] if _fills_mask(indices, values) else [values]), *indices):
            if read is not None:
                index_put_op.check_apart(self._array, read._array)
    is_other = values._array.dtype != self._array.dtype and not _fits_mask(self, indices, values)
    if values._array.ndim or is_other:
        places = Places(indices)
        result = places.result_shape(self._array.shape)
        if places.in_nothing(self._array.shape):
            raise places.error(self._array.shape)
        given = values._array.shape
        lead = len(result) - len(given)
        if lead < 0 or any(n != 1 and n != r for n, r in zip(given, result[lead:])):
            raise RuntimeError(
                f"shape mismatch: value tensor of shape {list(given)} cannot be broadcast to indexing result of shape "
                f"{list(result)}"
            )
    if is_other:
        here, there = (dtypes.SCALAR_TYPE_NAMES[t.dtype] for t in (self, values))
        raise RuntimeError(
            "Index put requires the source and destination dtypes match, "
            f"got {here} for the destination and {there} for the source."
        )
    expanded = in_place and is_expanded(self._array, "index_put_", "tensor[indices] = tensor")
    return index_put_op.apply(self, (values,), (indices, accumulate), in_place, expanded)


def _index_put(name: str, self: Tensor, indices: Any, values: Any, accumulate: bool, in_place: bool) -> Tensor:
    if not isinstance(indices, (tuple, list)):
        raise TypeError(
            f"{name}(): argument 'indices' (position 1) must be tuple of Tensors, not {type_of(indices)}"
        )
    for i, t in enumerate(indices):
        if not isinstance(t, Tensor) and t is not None:
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type_of(t)}")
    if not isinstance(values, Tensor):
        raise TypeError(f"{name}(): argument 'values' (position 2) must be Tensor, not {type_of(values)}")
    return put(self, checked(list(indices), self._array.shape, count=True), values, accumulate, in_place)


def _fills_mask(indices: SavedList, value: Tensor) -> bool:
    given = [t for t in indices if t is not None]
    return value._array.size == 1 and len(given) == 1 and given[0]._array.dtype == np.bool_


def _fits_mask(self: Tensor, indices: SavedList, value: Tensor) -> bool:
    """One element that is written to where a mask is true, alone or beside slices, may be of any dtype that fits."""
    if not _fills_mask(indices, value):
        return False
    if not value.wraps:
        checked_number(value.item(), self.dtype)
    return True


@public("index_put", "index_put")
def index_put(input: Tensor, indices: Any, values: Any, accumulate: bool = False) -> Tensor:
    """A copy with ``values`` written, or added, to the places that the tensors ``indices`` give."""
    return _index_put("index_put", input, indices, values, accumulate, False)


@public("index_put_", "index_put_")
def index_put_(input: Tensor, indices: Any, values: Any, accumulate: bool = False) -> Tensor:
    """``index_put`` in place."""
    return _index_put("index_put_", input, indices, values, accumulate, True)
