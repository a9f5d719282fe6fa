"""Masks, and places in a flattened tensor: masked_fill, masked_select, masked_scatter, take, put, nonzero."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..._core import dtypes
from ..._core.strides import by_rows
from ..._tensor import Tensor, learned
from ..arrays.masks import select
from ..arrays.scatter_add import add_at, first_outside, from_front, rounded_at
from ..arrays.types import Array
from ..machine import batching
from ..machine.any_state import constant_of, wrap
from ..machine.arguments import as_int
from ..machine.errors import WrongArgument
from ..machine.namespaces import ARRAYS, TENSORS, show
from ..machine.operands import checked_number, common_shape
from ..machine.partial_write import is_expanded, partial_write
from ..machine.primitive import primitive
from ..machine.public import public, write_out
from ..machine.refusals import scalar_type
from ..machine.rules import constant, fit, raw
from ..views.splitting import unbind
from .gather import require_tensor

# ---- masked_fill


@partial_write(
    "MaskedFillBackward0",
    "masked_fill_number",
    lowering="where(mask, value, input)",
    batch=batching.broadcast,
    apart=False,
)
def masked_fill_number_op(input: Array, mask: Array, value: Any) -> None:
    np.copyto(input, value, where=mask)


def _filled(input: Any, mask: Any, value: Any) -> Any:
    """The same out of place, without a branch for each element; see ``arrays.masks``."""
    return by_rows(select(mask, np.asarray(value, input.dtype), input))


masked_fill_number_op.kernel = masked_fill_number_op.on_arrays = _filled
ARRAYS.masked_fill_number = _filled  # type: ignore[attr-defined]


@partial_write(
    "MaskedFillBackward1", "masked_fill_tensor", lowering="where(mask, value, input)", kind="linear", apart=False,
    by_rows=True,
)  # fmt: skip
def masked_fill_tensor_op(input: Array, value: Array, mask: Array) -> None:
    np.copyto(input, value, where=mask, casting="unsafe")


@masked_fill_tensor_op.vjp("value")
def masked_fill_tensor_gradient_of_value(g: Any, mask: Any, value_dtype: Any, xp: Any) -> Any:
    return fit(xp.part_under_mask(g, mask), (), value_dtype, xp)


show(
    "part_under_mask", lambda g, mask: TENSORS.masked_select(g, mask),
    lambda g, mask, xp: xp.masked_fill_number(g, xp.logical_not(mask), 0),
)  # fmt: skip


masked_fill_number_op.vjp(input=lambda g, mask, xp: xp.masked_fill_number(g, mask, 0))
masked_fill_tensor_op.vjp(input=lambda g, mask, xp: xp.masked_fill_number(g, mask, 0))


@masked_fill_tensor_op.batch
def masked_fill_batched(call: batching.Call) -> Any:
    from ..pointwise.selection import where  # loaded when first used

    ndim = max(call.ndim(0), call.ndim(2))
    x, value, mask = (batching.padded(v, ndim) if flag else v for v, flag in zip(call.values, call.flags))
    return where(mask, value.to(x.dtype), x)


def _masked_fill(name: str, self: Tensor, mask: Any, value: Any, in_place: bool) -> Tensor:
    if not isinstance(mask, Tensor) or not isinstance(value, (Tensor, bool, int, float, complex, np.number)):
        given = ", ".join(type(v).__name__ for v in (mask, value))
        raise TypeError(f"{name}() received an invalid combination of arguments - got ({given}), but expected one of:")
    if isinstance(value, Tensor) and value._array.ndim:
        raise RuntimeError(
            "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{value._array.ndim} dimension(s)."
        )
    shape = self._array.shape
    if mask._array.shape != shape:
        shape = common_shape(shape, mask._array.shape) if in_place else common_shape(mask._array.shape, shape)
    if mask._array.dtype != np.bool_:
        kind = dtypes.cpp_name(mask.dtype)
        raise RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {kind}")
    if shape != self._array.shape:
        if in_place:
            raise RuntimeError(
                f"output with shape {list(self._array.shape)} doesn't match the broadcast shape {list(shape)}"
            )
        self = self.expand(shape)
    expanded = in_place and is_expanded(self._array, "masked_fill_", "tensor[mask] = scalar")
    if isinstance(value, Tensor):
        if value._array.dtype.kind == "c" and self._array.dtype.kind != "c":
            checked_number(value.item(), self.dtype)
        return masked_fill_tensor_op.apply(self, (value, mask), (), in_place, expanded)
    number, dt = checked_number(value, self.dtype), self._array.dtype
    number = np.array(number, dt) if dt.kind == "f" else np.array(number).astype(dt)
    return masked_fill_number_op.apply(self, (mask,), (number,), in_place, expanded)


@public("masked_fill", "masked_fill")
def masked_fill(input: Tensor, mask: Any, value: Any) -> Tensor:
    """A copy with a number wherever ``mask`` is True."""
    return _masked_fill("masked_fill", input, mask, value, False)


@public("", "masked_fill_")
def masked_fill_(input: Tensor, mask: Any, value: Any) -> Tensor:
    """``masked_fill`` in place."""
    return _masked_fill("masked_fill_", input, mask, value, True)


# ---- masked_select


@primitive("MaskedSelectBackward0", name="masked_select", kind="linear")
def masked_select_op(input: Array, mask: Array) -> Any:
    if input.shape != mask.shape:
        input, mask = np.broadcast_arrays(input, mask)
    return input[mask]


@masked_select_op.batch
def masked_select_batched(call: batching.Call) -> Any:
    """By one mask for all items; masks of their own select as many as they will."""
    mask = call.values[1]
    if call.flags[1] or mask.wraps:
        return None
    shape = common_shape(call.shape(0), mask.shape)
    rows = batching.padded(call.full(0), len(shape)).expand(call.size, *shape).reshape(call.size, math.prod(shape))
    return rows.index_select(1, mask.expand(shape).reshape(-1).nonzero().squeeze(1))


@masked_select_op.vjp("input")
def masked_select_gradient_of_input(g: Any, input: Any, mask: Any, xp: Any) -> Any:
    here = raw(input).shape
    return fit(xp.unmask(g, mask, np.broadcast_shapes(here, raw(mask).shape)), here, raw(g).dtype, xp)


@primitive("MaskedScatterBackward0", name="unmask", kind="linear", batch=batching.item_by_item)
def unmask_op(input: Array, mask: Array, shape: tuple[int, ...]) -> Any:
    """Zeros of a shape, with elements where the mask is True."""
    whole = np.zeros(shape, input.dtype)
    whole[np.broadcast_to(mask, shape)] = input
    return whole


unmask_op.vjp(input=lambda g, mask, xp: xp.masked_select(g, mask))


def _unmasked(g: Any, mask: Any, shape: tuple[int, ...]) -> Any:
    return masked_scatter_op(g.new_zeros(shape), g, mask)


show("unmask", _unmasked)


@public(
    "masked_select", "masked_select", out="exact separate",
    out_error="masked_select(): self and result must have the same scalar type",
)  # fmt: skip
def masked_select(input: Tensor, mask: Any) -> Tensor:
    """The elements where ``mask`` is True, as a vector."""
    require_tensor("masked_select", "mask", 1, mask)
    if mask._array.dtype != np.bool_:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    common_shape(mask._array.shape, input._array.shape)
    return masked_select_op(input, mask)


# ---- masked_scatter


@partial_write(
    "MaskedScatterBackward0", "masked_scatter", kind="linear", by_rows=True, batch=batching.item_by_item, apart=False
)
def masked_scatter_op(input: Array, source: Array, mask: Array) -> None:
    mask = np.broadcast_to(mask, input.shape)
    input[mask] = source.ravel()[: np.count_nonzero(mask)]


masked_scatter_op.vjp(
    input=lambda g, mask, xp: xp.masked_fill_number(g, mask, 0),
    source=lambda g, mask, source_shape, xp: xp.front_of_mask(g, mask, source_shape),
)


@primitive(
    "MaskedScatterBackwardBackward0", name="front_of_mask", kind="linear", batch=batching.item_by_item,
    saved_names={"input_shape": ""},
)  # fmt: skip
def front_of_mask_op(input: Array, mask: Array, shape: tuple[int, ...]) -> Any:
    """The elements where the mask is True at the front of zeros of a shape."""
    found = input[np.broadcast_to(mask, input.shape)]
    whole = np.zeros(shape, input.dtype)
    whole.reshape(-1)[: found.size] = found
    return whole


@primitive(
    "MaskedScatterBackward0", name="mask_of_front", kind="linear", batch=batching.item_by_item,
    saved_names={"input_shape": ""},
)  # fmt: skip
def mask_of_front_op(input: Array, mask: Array, shape: tuple[int, ...]) -> Any:
    """Its adjoint: the front elements where the mask is True, in zeros of a shape."""
    whole = np.zeros(shape, input.dtype)
    places = np.broadcast_to(mask, shape)
    whole[places] = input.ravel()[: np.count_nonzero(places)]
    return whole


front_of_mask_op.vjp(input=lambda g, mask, input_shape, xp: xp.mask_of_front(g, mask, input_shape))
mask_of_front_op.vjp(input=lambda g, mask, input_shape, xp: xp.front_of_mask(g, mask, input_shape))


def _masked_scatter(name: str, self: Tensor, mask: Any, source: Any, in_place: bool) -> Tensor:
    require_tensor(name, "mask", 1, mask)
    require_tensor(name, "source", 2, source)
    shape = self._array.shape
    if in_place:
        mask = mask.expand(shape)
    else:
        shape = common_shape(mask._array.shape, self._array.shape)
    if self._array.dtype != source._array.dtype:
        raise RuntimeError(
            "masked_scatter: expected self and source to have same dtypes but got"
            f"{scalar_type(self)} and {scalar_type(source)}"
        )
    if mask._array.dtype != np.bool_:
        raise RuntimeError(f"masked_scatter_ only supports boolean masks, but got mask with dtype {scalar_type(mask)}")
    if shape != self._array.shape:
        self = self.expand(shape)
    if np.count_nonzero(np.broadcast_to(mask._array, shape)) > source._array.size:
        raise RuntimeError("Number of elements of source < number of ones in mask")
    return masked_scatter_op.apply(self, (source, mask), (), in_place)


@public("masked_scatter", "masked_scatter")
def masked_scatter(input: Tensor, mask: Any, source: Any) -> Tensor:
    """A copy with elements of ``source``, in order, where ``mask`` is True."""
    return _masked_scatter("masked_scatter", input, mask, source, False)


@public("", "masked_scatter_")
def masked_scatter_(input: Tensor, mask: Any, source: Any) -> Tensor:
    """``masked_scatter`` in place."""
    return _masked_scatter("masked_scatter_", input, mask, source, True)


# ---- take and put


def _check_flat_places(index: Tensor, size: int) -> None:
    found = learned(index, first_outside, -size, size)
    if found is not None:
        raise IndexError(f"out of range: tried to access index {found} on a tensor of {size} elements.")


@primitive("TakeBackward0", name="take", kind="linear")
def take_op(input: Array, index: Array) -> Any:
    return np.ravel(input).take(index)


@take_op.vjp("input")
def take_gradient_of_input(g: Any, input: Any, index: Any, xp: Any) -> Any:
    return xp.untake(g, index, tuple(raw(input).shape))


@take_op.batch
def take_batched(call: batching.Call) -> Any:
    x, index = call.values
    if not call.flags[0]:
        return call.run([x, index])
    rows = call.rows()
    n = max(rows.shape[1], 1)
    index = index if call.flags[1] else index.unsqueeze(0)
    return call.run([rows, index % n + batching.item_numbers(call, call.ndim(1)) * n])


def _accumulate(flat: Any, places: Any, values: Any) -> None:
    if dtypes.is_half(flat.dtype):
        rounded_at(np.add, flat, places, values)
    else:
        add_at(flat, places, values)


@primitive("PutBackward0", name="untake", kind="linear")
def untake_op(input: Array, index: Array, shape: tuple[int, ...]) -> Any:
    """Zeros of a shape with elements added to the places that ``take`` takes them from."""
    whole = np.zeros(shape, input.dtype)
    if index.size:
        _accumulate(whole.reshape(-1), from_front(index, whole.size), np.asarray(input))
    return whole


untake_op.vjp(input=lambda g, index, xp: xp.take(g, index))


@untake_op.batch
def untake_batched(call: batching.Call) -> Any:
    g, index = call.full(0), call.values[1]
    (shape,) = call.attributes
    n = max(math.prod(shape), 1)
    index = index if call.flags[1] else index.unsqueeze(0)
    places = index % n + batching.item_numbers(call, call.ndim(1)) * n
    return call.run([g, places.expand(g.shape)], ((call.size, *shape),))


def _untaken(g: Any, index: Any, shape: tuple[int, ...]) -> Any:
    return put_op(g.new_zeros(shape), g, index, True)


show("untake", _untaken)


@public(
    "take", "take", out="separate exact",
    out_error="take(): self and out expected to have the same dtype, but got self.dtype = {0} and out.dtype = {1}",
)  # fmt: skip
def take(input: Tensor, index: Any) -> Tensor:
    """The elements of the flattened tensor at these places."""
    require_tensor("take", "index", 1, index)
    if index._array.dtype != np.int64:
        raise RuntimeError(f"take(): Expected a long tensor for index, but got {scalar_type(index)}")
    if not input._array.size and index._array.size:
        raise IndexError("take(): tried to take from an empty tensor")
    _check_flat_places(index, input._array.size)
    return take_op(input, index)


@partial_write("PutBackward0", "put", kind="linear", batch=batching.item_by_item)
def put_op(input: Array, source: Array, index: Array, accumulate: bool) -> None:
    flat = input.reshape(-1) if input.flags.c_contiguous else input.ravel()
    places = from_front(index.reshape(-1), flat.size)
    if accumulate:
        _accumulate(flat, places, source)
    else:
        flat[places] = source.ravel()
    if not input.flags.c_contiguous:
        input[...] = flat.reshape(input.shape)


@put_op.vjp("input")
def put_gradient_of_input(g: Any, index: Any, accumulate: bool, xp: Any) -> Any:
    if accumulate:
        return g
    return xp.put(g, constant(np.zeros(raw(index).shape, raw(g).dtype), xp), index, False)


@put_op.vjp("source")
def put_gradient_of_source(g: Any, source: Any, index: Any, xp: Any) -> Any:
    found = xp.take(g, index)
    shape = tuple(raw(source).shape)
    return found if raw(found).shape == shape else xp.reshape(found, shape)


def _put(name: str, self: Tensor, index: Any, source: Any, accumulate: bool, in_place: bool) -> Tensor:
    require_tensor(name, "index", 1, index)
    require_tensor(name, "source", 2, source)
    if index._array.dtype != np.int64:
        raise RuntimeError(f"put_(): Expected a long tensor for index, but got {scalar_type(index)}")
    if self._array.dtype != source._array.dtype:
        raise RuntimeError(
            "put_(): self and source expected to have the same dtype, but got self.dtype = "
            f"{scalar_type(self)} and source.dtype = {scalar_type(source)}"
        )
    if index._array.size != source._array.size:
        raise IndexError(
            "put_(): Expected source and index to have the same number of elements, but got source.numel() = "
            f"{source._array.size}, index.numel() = {index._array.size}"
        )
    if index._array.size and not self._array.size:
        raise IndexError("put_(): Tried to put elements into an empty tensor")
    _check_flat_places(index, self._array.size)
    return put_op.apply(self, (source, index), (accumulate,), in_place)


@public("put", "put")
def put(input: Tensor, index: Any, source: Any, accumulate: bool = False) -> Tensor:
    """A copy with elements of ``source`` written, or added, to places of the flattened tensor."""
    return _put("put", input, index, source, accumulate, False)


@public("", "put_")
def put_(input: Tensor, index: Any, source: Any, accumulate: bool = False) -> Tensor:
    """``put`` in place."""
    return _put("put_", input, index, source, accumulate, True)


# ---- nonzero


@public("nonzero", "nonzero")
def nonzero(input: Tensor, *, as_tuple: bool = False, out: Any = None) -> Any:
    """The places of all elements that are not zero: a row each, or a tuple of a vector per dimension."""
    array = input._array
    if out is not None:
        if not isinstance(out, Tensor):
            raise WrongArgument("out", out, "Tensor")
        if as_tuple:
            raise RuntimeError("nonzero does not support the out kwarg when as_tuple is True")
        if out._array.dtype != np.int64:
            raise RuntimeError(
                f"nonzero: Expected out tensor to have scalar type Long but got scalar type{scalar_type(out)}"
            )
        return write_out("nonzero", out, wrap(np.argwhere(array)), (input.detach(),))
    if as_tuple:
        return unbind(constant_of(wrap(np.argwhere(np.atleast_1d(array))), "nonzero", input), 1)
    return constant_of(wrap(np.argwhere(array)), "nonzero", input)


@public("argwhere", "argwhere")
def argwhere(input: Tensor) -> Tensor:
    """The places of all elements that are not zero, a row each."""
    return constant_of(wrap(np.argwhere(input._array)), "argwhere", input)


@public("nonzero_static", "nonzero_static")
def nonzero_static(input: Tensor, *, size: int, fill_value: int = -1) -> Tensor:
    """The first ``size`` rows of ``nonzero``, filled up with ``fill_value``."""
    rows = np.full((size, input._array.ndim), fill_value, np.int64)
    found = np.argwhere(input._array)[:size]
    rows[: len(found)] = found
    return wrap(rows)


@public("unravel_index")
def unravel_index(indices: Tensor, shape: Any) -> tuple[Tensor, ...]:
    """Places in a flattened tensor of a shape as places along each of its dimensions."""
    if indices._array.dtype.kind not in "iu":
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    if not isinstance(shape, (int, Sequence)):
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type(shape)}")
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    for n in sizes:
        if not isinstance(n, int):
            raise TypeError(f"expected 'shape' sequence to only contain ints, but got {type(n)}")
    if any(n < 0 for n in sizes):
        raise ValueError(f"'shape' cannot have negative values, but got {sizes}")
    sizes = tuple([as_int(n) for n in sizes])
    rest = indices._array
    places = []
    for n in reversed(sizes):
        places.append(wrap(rest % n))
        rest = rest // n
    return tuple(reversed(places))
