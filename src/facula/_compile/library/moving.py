"""Elements that are only moved: arrays joined, flipped, rolled, with zeros around them."""

from __future__ import annotations

import itertools
import operator

from ..programs.lowering import dtype_of, shape_of
from ..programs.scalars import C_TYPES
from ..programs.steps import Loop, Shape, Value
from .calls import Call, maker


def _is_moved(call: Call) -> bool:
    """Whether there are elements, and loops know their dtype."""
    shape, dtype = tuple(call.node.meta["shape"]), call.node.meta["dtype"]
    return dtype in C_TYPES and dtype_of(call["input"]) == dtype and 0 not in (*shape, *call.shape("input"))


def _part(value: Value, starts: Shape, shape: Shape, signs: Shape | None = None) -> Value:
    """Some of an array; dimensions whose sign is -1 are read backwards."""
    strides = value.strides if signs is None else tuple([s * sign for s, sign in zip(value.strides, signs)])
    return Value(value.buffer, value.offset + sum(map(operator.mul, starts, value.strides)), shape, strides)


def _fill(call: Call, number: float, target: Value) -> None:
    loop = Loop(target.size)
    loop.stores.append((loop.number(number, target.dtype), target))
    call.loop(loop)


def _copy(call: Call, source: Value, target: Value) -> None:
    loop = Loop(source.size)
    loop.stores.append((loop.load(source), target))
    call.loop(loop)


@maker("cat_op")
def cat(call: Call) -> bool:
    shape = tuple(call.node.meta["shape"])
    dim = call["dim"] % len(shape)
    return _joined(call, dim, [len(shape_of(p)) == len(shape) and shape_of(p)[dim] for p in call["tensors"]])


MOST_STACKED = 100
"""Of more arrays than that, the program would be copies mostly."""


@maker("stack_op")
def stack(call: Call) -> bool:
    parts = call["tensors"]
    return len(parts) <= MOST_STACKED and _joined(call, call["dim"] % len(call.node.meta["shape"]), [1] * len(parts))


def _joined(call: Call, dim: int, lengths: list[int]) -> bool:
    """A copy for each of the arrays, into its part of the result: so much of a dimension, which may be missing."""
    node, parts = call.node, call["tensors"]
    shape, dtype = tuple(node.meta["shape"]), node.meta["dtype"]
    if call["dtypes"] is not None or dtype not in C_TYPES or 0 in shape or 0 in lengths:
        return False
    if any(dtype_of(p) != dtype or 0 in shape_of(p) for p in parts):
        return False
    sources = [call.scheduler.value(part) for part in parts]
    out = call.out()
    start = 0
    for source, length in zip(sources, lengths):
        whole = len(source.shape) == len(shape)
        strides = out.strides if whole else (*out.strides[:dim], *out.strides[dim + 1 :])
        _copy(call, source, Value(out.buffer, out.offset + start * out.strides[dim], source.shape, strides))
        start += length
    return True


def _within_zeros(call: Call, dim: int, start: int, step: int) -> bool:
    """Zeros, and then the argument in every ``step``-th place of a dimension."""
    dtype, shape = dtype_of(call["input"]), tuple(call.node.meta["shape"])
    if dtype not in C_TYPES or dtype != call.node.meta["dtype"] or 0 in shape or 0 in call.shape("input"):
        return False
    part, out = call.value("input"), call.out()
    _fill(call, 0, out)
    strides = [s * step if d == dim else s for d, s in enumerate(out.strides)]
    if len(part.shape) < len(shape):
        del strides[dim]
    _copy(call, part, Value(out.buffer, out.offset + start * out.strides[dim], part.shape, tuple(strides)))
    return True


@maker("select_backward")
def select_backward(call: Call) -> bool:
    dim = call["dim"] % len(call["size"])
    return _within_zeros(call, dim, call["index"] % call["size"][dim], 1)


@maker("slice_backward")
def slice_backward(call: Call) -> bool:
    dim = call["dim"] % len(call["size"])
    start, _, step = slice(call["start"], call["end"], call["step"]).indices(call["size"][dim])
    return _within_zeros(call, dim, start, step)


@maker("flip")
def flip(call: Call) -> bool:
    if not _is_moved(call):
        return False
    x, shape = call.value("input"), call.shape("input")
    signs = tuple([-1 if d in call["dims"] else 1 for d in range(len(shape))])
    _copy(call, _part(x, tuple([n - 1 if s < 0 else 0 for n, s in zip(shape, signs)]), shape, signs), call.out())
    return True


@maker("roll")
def roll(call: Call) -> bool:
    """Along each dimension two parts change places."""
    shape, dims = call.shape("input"), call["dims"]
    if not _is_moved(call) or not dims or len({*dims}) < len(dims) or len(dims) > 3:
        return False
    shifts = [0] * len(shape)
    for shift, d in zip(call["shifts"], dims):
        shifts[d] = shift % shape[d]
    x, out = call.value("input"), call.out()
    parts = [[(0, s, n - s), (n - s, 0, s)] if s else [(0, 0, n)] for n, s in zip(shape, shifts)]
    for cut in itertools.product(*parts):
        starts, ends, sizes = zip(*cut)
        _copy(call, _part(x, starts, sizes), _part(out, ends, sizes))
    return True


@maker("constant_pad_nd")
def constant_pad(call: Call) -> bool:
    if not _is_moved(call):
        return False
    shape, pad = call.shape("input"), call["pad"]
    starts, ends, sizes = [0] * len(shape), [0] * len(shape), list(shape)
    for i in range(len(pad) // 2):
        d, (before, after) = len(shape) - 1 - i, pad[2 * i : 2 * i + 2]
        starts[d], ends[d] = max(-before, 0), max(before, 0)
        sizes[d] += min(before, 0) + min(after, 0)
    x, out = call.value("input"), call.out()
    if max(pad, default=0) > 0:
        _fill(call, call["value"], out)
    if min(sizes) > 0:
        _copy(call, _part(x, tuple(starts), tuple(sizes)), _part(out, tuple(ends), tuple(sizes)))
    return True
