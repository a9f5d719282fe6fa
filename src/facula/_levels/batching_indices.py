"""Batching rules of primitives that take or put elements at places given by tensors."""

from __future__ import annotations

import math
from typing import Any

from ..autograd.saved import PLAIN, SavedList
from ..ops.machine.namespaces import TENSORS
from ..ops.machine.primitive import REGISTRY
from .batched import is_batched
from .batching import Call, padded, rule


def _item_numbers(size: int, ndim: int) -> Any:
    """0, 1, 2, … along the batch, to be broadcast against indices of ``ndim`` dimensions."""
    from ..ops.creation.create import arange

    return arange(size).reshape(size, *[1] * ndim)


def _places(call: Call, indices: Any) -> SavedList | None:
    """Indices for what is inside: the number of the item first. None if there are masks, whose results vary in size."""
    found = [None if i is None else i._value if is_batched(i, call.level) else i for i in indices]
    batched = [i is not None and is_batched(i, call.level) for i in indices]
    if any(i is not None and i._array.dtype.kind == "b" for i in found):
        return None if any(batched) else SavedList([None, *found])
    if not any(batched):
        return SavedList([None, *found])
    ndim = max(i._array.ndim - b for i, b in zip(found, batched) if i is not None)
    aligned = [padded(i, ndim) if b else i for i, b in zip(found, batched)]
    return SavedList([_item_numbers(call.size, ndim), *aligned])


def _indexed_apart(indices: Any) -> bool:
    """Whether there is a whole dimension between indices: then the indexed dimensions come first in the result."""
    at = [d for d, i in enumerate(indices) if i is not None]
    return bool(at) and at[-1] - at[0] + 1 != len(at)


def _result_order(call: Call, indices: Any, places: Any) -> tuple[int, int] | None:
    """(where the indexed dimensions are, how many) if putting the batch's index first has moved them to the front."""
    if places[0] is None:
        return None
    at = [d for d, i in enumerate(indices) if i is not None]
    if at[0] == 0 or _indexed_apart(indices):
        return None
    ndim = max(i._array.ndim for i in indices if i is not None)
    return at[0], ndim


@rule("index", "unsafe_index")
def _(call: Call) -> Any:
    indices = call.attribute("indices")
    places = _places(call, indices)
    if places is None:
        return None
    x = call.full(0)
    if places[0] is None and _indexed_apart(indices):
        first = call.run([x], (places,))
        n = max(i._array.ndim for i in indices if i is not None)
        return first.movedim(n, 0)  # the indexed dimensions came first, before the batch
    result = call.run([x], (places,))
    order = _result_order(call, indices, places)
    if order is not None:
        start, n = order
        result = result.movedim(tuple(range(1, n + 1)), tuple(range(start + 1, start + n + 1)))
    return result


@rule("unindex")
def _(call: Call) -> Any:
    indices, shape = call.attributes
    places = _places(call, indices)
    if places is None:
        return None
    g = call.full(0)
    if places[0] is None and _indexed_apart(indices):
        n = max(i._array.ndim for i in indices if i is not None)
        return call.run([g.movedim(0, n)], (places, (call.size, *shape)))
    order = _result_order(call, indices, places)
    if order is not None:
        start, n = order
        g = g.movedim(tuple(range(start + 1, start + n + 1)), tuple(range(1, n + 1)))
    return call.run([g], (places, (call.size, *shape)))


@rule("index_put")
def _(call: Call) -> Any:
    indices, accumulate = call.attributes
    places = _places(call, indices)
    if places is None or _indexed_apart(indices) or _result_order(call, indices, places) is not None:
        return None
    values = call.values[1]
    if call.flags[1]:
        n = max((i._array.ndim for i in indices if i is not None), default=0)
        indexed = sum(i is not None for i in indices)
        values = padded(values, n + call.ndim(0) - indexed)
    return call.run([call.full(0), values], (places, accumulate))


@rule("index_select")
def _(call: Call) -> Any:
    dim = call.attribute("dim") % max(call.ndim(), 1)
    if not call.flags[1]:
        if not call.ndim():
            return call.values[0].clone()
        return call.run(call.values, (dim + 1,))
    index = call.values[1]
    if index.dim() == 1:
        index = index.unsqueeze(1)
    shape = list(call.shape())
    if not shape:
        return call.full(0).clone()
    shape[dim] = index.shape[1]
    spread = index.reshape(call.size, *[1] * dim, -1, *[1] * (len(shape) - dim - 1)).expand(call.size, *shape)
    return TENSORS.gather(call.full(0), spread, dim + 1, False)


@rule("index_unselect")
def _(call: Call) -> Any:
    shape, dim = call.attributes
    if not call.flags[1]:
        return call.run(call.values, ((call.size, *shape), dim % max(len(shape), 1) + 1)) if shape else None
    g, index = call.full(0), call.values[1]
    dim %= len(shape)
    spread = index.reshape(call.size, *[1] * dim, -1, *[1] * (len(shape) - dim - 1)).expand(g.shape)
    return TENSORS.ungather(g, spread, (call.size, *shape), dim + 1)


@rule("index_add", "index_copy", "index_fill_number", "index_fill_tensor")
def _(call: Call) -> Any:
    at = call.op.tensor_names.index("index")
    if call.flags[at] or not call.ndim() or call.values[at].dim() == 0:
        return None
    values = [call.values[i] if name == "index" else call.full(i) for i, name in enumerate(call.op.tensor_names)]
    if call.op.name == "index_fill_tensor":
        return None
    dim = call.attribute("dim") % call.ndim() + 1
    return call.run(values, (dim, *call.attributes[1:]))


@rule("embedding", "embedding_unpadded")
def _(call: Call) -> Any:
    weight, indices = call.values
    if not call.flags[0]:
        return call.run([weight, indices])
    if call.attribute("padding_idx") >= 0 or call.attribute("scale_grad_by_freq"):
        return None
    rows = weight.shape[1]
    flat = weight.reshape(call.size * rows, weight.shape[2])
    ndim = call.ndim(1)
    places = indices if call.flags[1] else indices.unsqueeze(0)
    return call.run([flat, places + _item_numbers(call.size, ndim) * rows])


@rule("embedding_rows_summed")
def _(call: Call) -> Any:
    rows, padding_idx, by_freq = call.attributes
    if padding_idx >= 0 or by_freq:
        return None
    g = call.full(0)
    indices = call.values[1] if call.flags[1] else call.values[1].unsqueeze(0)
    places = indices + _item_numbers(call.size, call.ndim(1)) * rows
    summed = call.run([g, places.expand(g.shape[:-1])], (call.size * rows, padding_idx, by_freq))
    return summed.reshape(call.size, rows, -1)


@rule("restride")
def _(call: Call) -> Any:
    size, stride, offset, to_size, to_stride, to_offset = call.attributes
    apart = 1 + max(
        start + sum((n - 1) * s for n, s in zip(shape, strides) if n)
        for shape, strides, start in ((size, stride, offset), (to_size, to_stride, to_offset))
    )
    here = ((call.size, *size), (apart, *stride), offset)
    there = ((call.size, *to_size), (apart, *to_stride), to_offset)
    return call.run(call.values, (*here, *there))


@rule("take")
def _(call: Call) -> Any:
    x, index = call.values
    if not call.flags[0]:
        return call.run([x, index])
    rows = x.reshape(call.size, -1)
    ndim = call.ndim(1)
    index = index if call.flags[1] else index.unsqueeze(0)
    n = max(rows.shape[1], 1)
    return call.run([rows, index % n + _item_numbers(call.size, ndim) * n])


@rule("untake")
def _(call: Call) -> Any:
    g, index = call.full(0), call.values[1]
    (shape,) = call.attributes
    n = max(math.prod(shape), 1)
    index = index if call.flags[1] else index.unsqueeze(0)
    places = index % n + _item_numbers(call.size, call.ndim(1)) * n
    return call.run([g, places.expand(g.shape)], ((call.size, *shape),))


@rule("nll_loss", "nll_loss2d")
def _(call: Call) -> Any:
    """The loss of each element of each item first, then what the reduction makes of each item's."""
    reduction, ignore_index = call.attributes
    x, target, weight = call.values
    if call.flags[2]:
        return None
    ndim = call.ndim(0)
    x, target = call.full(0), call.full(1)
    single = ndim == 1
    if single:
        x, target = x.unsqueeze(1), target.unsqueeze(1)
    shape = target.shape
    flat = x.reshape(-1, *x.shape[2:])
    op = REGISTRY["nll_loss2d"] if len(x.shape) > 3 else REGISTRY["nll_loss"]
    each, _ = op(flat, target.reshape(-1, *target.shape[2:]), weight, 0, ignore_index)
    each = each.reshape(shape)
    if reduction and weight is None and type(target) in PLAIN and not (target._array == ignore_index).any():
        n = math.prod(shape[1:])
        dims = tuple(range(1, len(shape)))
        found = each.reshape(shape[:1]) if n == 1 else each.mean(dims) if reduction == 1 else each.sum(dims)
        return [found, each.new_full(shape[:1], n)]
    counted = (target != ignore_index).to(each.dtype)
    if weight is not None:
        counted = counted * weight[target.clamp(0, weight.shape[0] - 1)]
    dims = tuple(range(1, each.dim()))
    total = counted.sum(dims)
    if reduction == 0:
        return [each.squeeze(1) if single else each, total * 0]
    summed = each.sum(dims)
    return [summed / total if reduction == 1 else summed, total]

