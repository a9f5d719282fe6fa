"""Batch norm and group norm."""

from __future__ import annotations

import math
from typing import Any

from ..programs.lowering import dtype_of
from ..programs.steps import Loop, Value, dense
from .calls import Call, maker


def _sizes(call: Call) -> tuple[int, int, int]:
    """Samples, channels, elements of each."""
    shape = call.shape("input")
    return shape[0], shape[1], math.prod(shape[2:])


def _lies_plainly(call: Call) -> bool:
    wanted = [call.items[0]] if 0 in call.items else []
    plain = all(call.scheduler.wanted(node) == dense(tuple(node.meta["shape"])) for node in wanted)
    return plain and len(call.shape("input")) > 1


def _inverse_deviations(call: Call, variance: Value, into: Value, mean: Value, kept: Value | None) -> None:
    """``1 / sqrt(variance + eps)``; and the means once more, if they are asked for."""
    loop = Loop(variance.size)
    widened = loop.add("add", (loop.load(variance), loop.number(call["eps"], variance.dtype)), variance.dtype)
    root = loop.add("sqrt", (widened,), variance.dtype)
    loop.stores.append((loop.add("div", (loop.number(1, variance.dtype), root), variance.dtype), into))
    if kept is not None:
        loop.stores.append((loop.load(mean), kept))
    call.loop(loop)


@maker("native_batch_norm")
def batch_norm(call: Call) -> bool:
    if not call.are_real("input", "weight", "bias", "running_mean", "running_var") or not _lies_plainly(call):
        return False
    if 0 not in call.items or not (call["training"] or len(call.items) == 1):
        return False
    sizes, dtype = _sizes(call), dtype_of(call["input"])
    x, channels = call.dense("input"), sizes[1:2]
    weight, bias = call.dense("weight"), call.dense("bias")
    mean: Any
    variance: Any
    if call["training"]:
        mean, variance = call.result(3, channels, dtype), call.result(4, channels, dtype)
        call.kernel("batch_moments", [x, mean, variance], (1, 2), sizes)
    else:
        mean, variance = call.dense("running_mean"), call.dense("running_var")
    inverse = call.result(2, channels, dtype)
    _inverse_deviations(call, variance, inverse, mean, call.result(1, channels, dtype) if 1 in call.items else None)
    out = call.result(0, call.shape("input"), dtype)
    call.kernel("batch_norm", [x, mean, inverse, weight, bias, out], (5,), sizes)
    return call.done()


@maker("native_batch_norm_backward")
def batch_norm_backward(call: Call) -> bool:
    names = ("grad_out", "input", "save_mean", "save_invstd", "weight")
    if not call["train"] or not call.are_real(*names) or not _lies_plainly(call):
        return False
    needs = [need and owner is not None for need, owner in zip(call["needs"], (0, call["weight"], 0))]
    if any(not needs[i] for i in call.items):
        return False
    sizes, dtype = _sizes(call), dtype_of(call["input"])
    arrays = [call.dense(name) for name in names]
    shapes = (call.shape("input"), sizes[1:2], sizes[1:2])
    results = [call.result(i, shapes[i], dtype) if i in call.items else None for i in range(3)]
    written = tuple([5 + i for i in call.items])
    call.kernel("batch_norm_backward", [*arrays, *results], written, (*sizes, 1))
    return call.done()


# ---- group norm


@maker("native_group_norm")
def group_norm(call: Call) -> bool:
    if call["mixed"] or not call.are_real("input", "weight", "bias") or not _lies_plainly(call):
        return False
    dtype, kept = dtype_of(call["input"]), (call["N"], call["group"])
    arrays = [call.dense(name) for name in ("input", "weight", "bias")]
    results = [call.result(i, shape, dtype) for i, shape in enumerate((call.shape("input"), kept, kept))]
    sizes = (call["N"], call["C"], call["HxW"], call["group"])
    call.kernel("group_norm", [*arrays, *results], (3, 4, 5), sizes, (call["eps"],))
    return call.done()


@maker("native_group_norm_backward")
def group_norm_backward(call: Call) -> bool:
    names = ("grad_out", "input", "mean", "rstd", "weight")
    if call["grad_out"] is None or call["grad_mean"] is not None or call["grad_rstd"] is not None:
        return False
    if not call.are_real(*names) or not _lies_plainly(call):
        return False
    needs = [need and owner is not None for need, owner in zip(call["needs"], (0, call["weight"], 0))]
    if any(not needs[i] for i in call.items):
        return False
    arrays, dtype = [call.dense(name) for name in names], dtype_of(call["input"])
    channels = (call["C"],)
    shapes = (call.shape("input"), channels, channels)
    results = [call.result(i, shapes[i], dtype) if i in call.items else None for i in range(3)]
    written = tuple([5 + i for i in call.items])
    sizes = (call["N"], *channels, call["HxW"], call["group"])
    call.kernel("group_norm_backward", [*arrays, *results], written, sizes)
    return call.done()
