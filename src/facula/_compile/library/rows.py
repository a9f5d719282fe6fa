"""Kernels of rows: softmax and log_softmax, layer norm, the negative log likelihood of classes."""

from __future__ import annotations

import math

import numpy as np

from ..programs.lowering import dtype_of
from ..programs.scalars import c_type
from ..programs.steps import Buffer, Loop, Value, dense
from .calls import Call, Maker, maker

_NONE, _MEAN, _SUM = 0, 1, 2

_EACH = """\
static int FUNCTION(const {real} *restrict x, const int64_t *restrict target{given}, {real} *restrict out) {{
    for (int64_t r = 0; r < {rows}; r++) {{
        int64_t c = target[r];
        if (c != {ignored} && (c < 0 || c >= {classes})) return 1;
        out[r] = c == {ignored} ? 0 : -x[r * {classes} + c]{weight};
    }}
    return 0;
}}
"""
_EACH_BACKWARD = """\
static int FUNCTION(const {real} *restrict g, const int64_t *restrict target{given}, {real} *restrict out) {{
    memset(out, 0, {rows} * {classes} * sizeof({real}));
    for (int64_t r = 0; r < {rows}; r++) {{
        int64_t c = target[r];
        if (c == {ignored}) continue;
        if (c < 0 || c >= {classes}) return 1;
        out[r * {classes} + c] = -g[r]{weight};
    }}
    return 0;
}}
"""


def _with_last(value: Value, dim: int) -> Value:
    """The same array with a dimension behind all others."""
    shape, strides = ((*t[:dim], *t[dim + 1 :], t[dim]) for t in (value.shape, value.strides))
    return Value(value.buffer, value.offset, shape, strides)


def _rows(kernel: str, *names: str) -> Maker:
    """Arrays of one shape, and a result of that shape, along one dimension: if it is not the last one, by copies."""

    def make(call: Call) -> bool:
        shape = tuple(call.node.meta["shape"])
        alike = call.are_real(*names) and all(call.shape(name) == shape for name in names)
        if not alike or dtype_of(call[names[0]]) != call.node.meta["dtype"] or not shape:
            return False
        dim = call["dim"] % len(shape)
        sizes = (math.prod(shape) // shape[dim], shape[dim])
        if dim == len(shape) - 1:
            arrays = [call.dense(name) for name in names]
            call.kernel(kernel, [*arrays, call.out()], (len(arrays),), sizes)
            return True
        arrays = [call.scheduler.dense_value(_with_last(call.value(name), dim)) for name in names]
        out = _with_last(call.out(), dim)
        rows = Value(Buffer("arena", out.dtype, out.size, name=call.node.name), 0, out.shape, dense(out.shape))
        call.kernel(kernel, [*arrays, rows], (len(arrays),), sizes)
        call.scheduler.copied(rows, out)
        return True

    return make


maker("softmax")(_rows("softmax", "input"))
maker("log_softmax")(_rows("log_softmax", "input"))
maker("softmax_backward_data")(_rows("softmax_backward", "input", "output"))
maker("log_softmax_backward_data")(_rows("log_softmax_backward", "input", "output"))


# ---- layer norm


@maker("native_layer_norm")
def layer_norm(call: Call) -> bool:
    shape, inner = call.shape("input"), tuple(call["normalized_shape"])
    if call["mixed"] or not call.are_real("input", "weight", "bias"):
        return False
    lead = shape[: len(shape) - len(inner)]
    arrays = [call.dense(name) for name in ("input", "weight", "bias")]
    dtype = dtype_of(call["input"])
    kept = lead + (1,) * len(inner)
    results = [call.result(0, shape, dtype), call.result(1, kept, dtype), call.result(2, kept, dtype)]
    call.kernel("layer_norm", [*arrays, *results], (3, 4, 5), (math.prod(lead), math.prod(inner)), (call["eps"],))
    return call.done()


@maker("native_layer_norm_backward")
def layer_norm_backward(call: Call) -> bool:
    names = ("grad_out", "input", "mean", "rstd", "weight")
    if not call.are_real(*names):
        return False
    shape, inner = call.shape("input"), tuple(call["normalized_shape"])
    needs = [need and owner is not None for need, owner in zip(call["needs"], (0, call["weight"], call["bias"]))]
    if any(i in call.items and not needs[i] for i in range(3)):
        return False
    arrays = [call.dense(name) for name in names]
    dtype, width = dtype_of(call["input"]), math.prod(inner)
    results = [call.result(i, (shape, inner, inner)[i], dtype) if needs[i] else None for i in range(3)]
    written = tuple([5 + i for i in range(3) if needs[i]])
    call.kernel("layer_norm_backward", [*arrays, *results], written, (math.prod(shape) // width, width))
    return call.done()


# ---- losses


def _are_classes(call: Call, input: str) -> bool:
    rows, target = call.shape(input), call["target"]
    if len(rows) != 2 or not call.are_real(input, "weight") or dtype_of(target) != np.int64:
        return False
    return call.shape("target") == rows[:1]


def _of_each(call: Call, text: str, of: str, out: Value) -> None:
    """Losses, or gradients, row by row."""
    rows, classes = call.shape("input")
    real, weight = c_type(dtype_of(call["input"])), call.dense("weight")
    given, times = (f", const {real} *restrict weight", " * weight[c]") if weight is not None else ("", "")
    text = text.format(real=real, rows=rows, classes=classes, ignored=call["ignore_index"], given=given, weight=times)
    arrays = [v for v in (call.dense(of), call.dense("target"), weight, out) if v is not None]
    call.written(text, arrays, (len(arrays) - 1,), 1.0 * rows * classes, may_decline=True)


@maker("nll_loss")
def nll_loss(call: Call) -> bool:
    if not _are_classes(call, "input"):
        return False
    dtype = dtype_of(call["input"])
    if call["reduction"] == _NONE:
        loop = Loop(1)
        loop.stores.append((loop.number(0, dtype), call.result(1, (), dtype)))
        call.loop(loop)
        _of_each(call, _EACH, "input", call.result(0, call.shape("target"), dtype))
        return call.done()
    arrays = [call.dense(name) for name in ("input", "target", "weight")]
    sums = Buffer("arena", dtype, 2, name=call.node.name)
    whole = (*call.shape("input"), call["ignore_index"])
    call.kernel("nll", [*arrays, Value(sums, 0, (2,), (1,))], (3,), whole, may_decline=True)
    losses, weights = Value(sums, 0, (), ()), Value(sums, 1, (), ())
    loop = Loop(1)
    total = loop.load(weights)
    mean = loop.add("div", (loop.load(losses), total), dtype)
    loop.stores.append((mean if call["reduction"] == _MEAN else loop.load(losses), call.result(0, (), dtype)))
    loop.stores.append((total, call.result(1, (), dtype)))
    call.loop(loop)
    return call.done()


@maker("nll_loss_backward")
def nll_loss_backward(call: Call) -> bool:
    if not _are_classes(call, "input") or not call.are_real("input", "grad_output", "total_weight"):
        return False
    dtype = dtype_of(call["input"])
    if call["reduction"] == _NONE:
        if call.shape("grad_output") != call.shape("target"):
            return False
        _of_each(call, _EACH_BACKWARD, "grad_output", call.out())
        return True
    arrays = [call.dense("target"), call.dense("weight")]
    scale = call.dense("grad_output")
    if call["reduction"] == _MEAN:
        over = call.dense("total_weight")
        assert scale is not None and over is not None
        loop = Loop(1)
        share = loop.add("div", (loop.load(scale), loop.load(over)), dtype)
        scale = Value(Buffer("arena", dtype, 1, name="share"), 0, (), ())
        loop.stores.append((share, scale))
        call.loop(loop)
    whole = (*call.shape("input"), call["ignore_index"])
    call.kernel("nll_backward", [*arrays, call.out()], (2,), whole, (scale,), may_decline=True)
    return True
