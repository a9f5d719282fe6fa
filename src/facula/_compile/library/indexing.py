"""Rows that an index names, taken and added up."""

from __future__ import annotations

import math

import numpy as np

from ..programs.lowering import dtype_of
from ..programs.scalars import C_TYPES, c_type
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
