"""Attention, and halves that gate each other."""

from __future__ import annotations

import math
from typing import Any

from ..programs.lowering import dtype_of
from ..programs.scalars import parsed
from ..programs.steps import Loop, Value
from .calls import Call, maker

_NAMES = ("query", "key", "value")


def _layout(value: Value | None) -> list[int]:
    """Four sizes and four strides, as the kernel is told of an array."""
    if value is None:
        return [0] * 8
    lead = 4 - len(value.shape)
    return [*(1,) * lead, *value.shape, *(0,) * lead, *value.strides]


def _are_heads(call: Call) -> bool:
    q, k, v = (call.shape(name) for name in _NAMES)
    if not call.are_real(*_NAMES, "attn_mask") or call["dropout_p"] or not len(q) == len(k) == len(v) == 4:
        return False
    return q[:2] == k[:2] == v[:2] and k[2] == v[2] and q[3] == k[3]


def _by_rows(call: Call, name: str) -> Any:
    """An array whose last dimension is dense."""
    if call[name] is None:
        return None
    found = call.value(name)
    fits = min(found.strides) >= 0 and (found.strides[-1] == 1 or name == "attn_mask")
    return found if fits else call.dense(name)


def _scale(call: Call) -> float:
    return 1 / math.sqrt(call.shape("query")[3]) if call["scale"] is None else call["scale"]


@maker("flash_attention")
def attention(call: Call) -> bool:
    if not _are_heads(call) or (2 in call.items and 0 not in call.items[2].meta["shape"]):
        return False
    arrays = [_by_rows(call, name) for name in (*_NAMES, "attn_mask")]
    dtype, shape = dtype_of(call["query"]), call.shape("query")
    out = call.laid_out(0, (*shape[:3], call.shape("value")[3]), dtype)
    logs = call.result(1, shape[:3], dtype)
    call.result(2, (shape[0], 0), dtype)
    whole = [n for v in (*arrays, out) for n in _layout(v)]
    call.kernel("attention", [*arrays, out, logs], (4, 5), [*whole, int(call["is_causal"])], (_scale(call),))
    return call.done()


@maker("flash_attention_backward")
def attention_backward(call: Call) -> bool:
    names = (*_NAMES, "attn_mask", "out", "grad_out")
    if not _are_heads(call) or 0 not in call.shape("shares") or not call.are_real("query", "out", "grad_out"):
        return False
    arrays = [_by_rows(call, name) for name in names]
    logs = call.dense("logsumexp")
    results = [call.laid_out(i, call.shape(name), dtype_of(call[name])) for i, name in enumerate(_NAMES)]
    whole = [n for v in (*arrays, *results) for n in _layout(v)]
    whole.append(int(call["is_causal"]))
    call.kernel("attention_backward", [*arrays, *results, logs], (6, 7, 8), whole, (_scale(call),))
    return call.done()


# ---- gated linear units


def _halves(value: Value, dim: int) -> tuple[Value, Value]:
    n = value.shape[dim] // 2
    shape = (*value.shape[:dim], n, *value.shape[dim + 1 :])
    first, second = (value.offset + at * value.strides[dim] for at in (0, n))
    return Value(value.buffer, first, shape, value.strides), Value(value.buffer, second, shape, value.strides)


@maker("glu")
def glu(call: Call) -> bool:
    if not call.are_real("input"):
        return False
    a, b = _halves(call.value("input"), call["dim"])
    loop = Loop(a.size)
    names = {"a": loop.load(a), "b": loop.load(b)}
    loop.stores.append((loop.expression(parsed("a * sigmoid(b)"), names, a.dtype), call.out()))
    call.loop(loop)
    return True


@maker("glu_backward")
def glu_backward(call: Call) -> bool:
    if not call.are_real("input", "other"):
        return False
    g = call.value("input")
    a, b = _halves(call.value("other"), call["dim"])
    to_a, to_b = _halves(call.out(), call["dim"])
    loop = Loop(a.size)
    names = {"g": loop.load(g), "a": loop.load(a), "b": loop.load(b)}
    for text, target in (("g * sigmoid(b)", to_a), ("g * a * (sigmoid(b) * (1 - sigmoid(b)))", to_b)):
        loop.stores.append((loop.expression(parsed(text), names, a.dtype), target))
    call.loop(loop)
    return True
