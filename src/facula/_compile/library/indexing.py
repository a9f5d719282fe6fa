"""Rows that an index names, taken and added up; arrays joined; zeros around a part of an array."""

from __future__ import annotations

import math

import numpy as np

from ..programs.lowering import dtype_of, shape_of
from ..programs.scalars import C_TYPES, c_type
from ..programs.steps import Loop, Value
from .calls import Call, maker

_TAKE = """\
static int FUNCTION(const {real} *restrict table, const int64_t *restrict index, {real} *restrict out) {{
    for (int64_t i = 0; i < {count}; i++) {{
        if (index[i] < 0 || index[i] >= {rows}) return 1;
        memcpy(out + i * {width}, table + index[i] * {width}, {width} * sizeof({real}));
    }}
    return 0;
}}
"""


@maker("embedding")
def embedding(call: Call) -> bool:
    table, dtype = call.shape("weight"), dtype_of(call["weight"])
    if dtype not in C_TYPES or dtype_of(call["indices"]) != np.int64 or 0 in (*table, *call.shape("indices")):
        return False
    given = [call.dense("weight"), call.dense("indices")]
    count, width = math.prod(call.shape("indices")), math.prod(table[1:])
    text = _TAKE.format(real=c_type(dtype), count=count, rows=table[0], width=width)
    call.written(text, [*given, call.out()], (2,), 0.2 * count * width, may_decline=True)  # type: ignore[list-item]
    return True


@maker("embedding_rows_summed")
def rows_summed(call: Call) -> bool:
    if call["scale_grad_by_freq"] or call["padding_idx"] >= 0 or not call.are_real("input"):
        return False
    if dtype_of(call["indices"]) != np.int64:
        return False
    given = [call.dense("indices"), call.dense("input")]
    count, width = math.prod(call.shape("indices")), call.shape("input")[-1]
    whole = (1, call["rows"], count, width, 0)
    call.kernel("index_add", [call.out(), *given], (0,), whole, (1.0,), zeroed=(0,), may_decline=True)
    return True


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
        loop = Loop(source.size)
        target = Value(out.buffer, out.offset + start * out.strides[dim], source.shape, strides)
        loop.stores.append((loop.load(source), target))
        call.loop(loop)
        start += length
    return True


def _within_zeros(call: Call, dim: int, start: int, step: int) -> bool:
    """Zeros, and then the argument in every ``step``-th place of a dimension."""
    dtype, shape = dtype_of(call["input"]), tuple(call.node.meta["shape"])
    if dtype not in C_TYPES or dtype != call.node.meta["dtype"] or 0 in shape or 0 in call.shape("input"):
        return False
    part, out = call.value("input"), call.out()
    zeros = Loop(out.size)
    zeros.stores.append((zeros.number(0, dtype), out))
    call.loop(zeros)
    strides = [s * step if d == dim else s for d, s in enumerate(out.strides)]
    if len(part.shape) < len(shape):
        del strides[dim]
    loop = Loop(part.size)
    target = Value(out.buffer, out.offset + start * out.strides[dim], part.shape, tuple(strides))
    loop.stores.append((loop.load(part), target))
    call.loop(loop)
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
