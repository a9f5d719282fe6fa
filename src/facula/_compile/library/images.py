"""Convolution and max pooling."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...native.kernels.convolution import _numbers as numbers_of_convolution
from ...native.kernels.pooling import _numbers as numbers_of_pooling
from ...native.operators.convolution import _pays as pays
from ...native.operators.pooling import _geometry as geometry
from ..programs.lowering import dtype_of
from ..programs.steps import Loop, Reduction, Shape, Value, dense
from .calls import Call, maker

U8 = np.dtype(np.uint8)


def _are_planes(call: Call, *nodes: Any) -> bool:
    """Whether results lie plane by plane, row by row."""
    return all(call.scheduler.wanted(node) == dense(tuple(node.meta["shape"])) for node in nodes)


# ---- convolution: a kernel declines where numbers are not finite


def _numbers(call: Call, fewest: int) -> tuple[list[int], Shape] | None:
    """What the kernels are told, and the shape of the convolution's result."""
    names = ("stride", "padding", "dilation", "groups")
    if call["transposed"] or not pays(call.shape("weight"), call["groups"], fewest):
        return None
    return numbers_of_convolution(call.shape("input"), call.shape("weight"), *[call[name] for name in names])


@maker("convolution")
def convolution(call: Call) -> bool:
    if not call.are_real("input", "weight", "bias") or not _are_planes(call, call.node):
        return False
    found = _numbers(call, 2)
    if found is None or found[1] != tuple(call.node.meta["shape"]):
        return False
    arrays = [call.dense(name) for name in ("input", "weight", "bias")]
    call.kernel("convolution", [*arrays, call.out()], (3,), found[0], may_decline=True)
    return True


@maker("convolution_backward")
def convolution_backward(call: Call) -> bool:
    names, needs = ("grad_output", "input", "weight"), call["needs"]
    if not call.are_real(*names) or not _are_planes(call, *call.items.values()):
        return False
    if any(not needs[i] for i in call.items):
        return False
    found = _numbers(call, 2)
    if found is None or found[1] != call.shape("grad_output"):
        return False
    g, x, weight = (call.dense(name) for name in names)
    assert g is not None
    dtype = dtype_of(call["input"])
    if 0 in call.items:
        into = call.result(0, call.shape("input"), dtype)
        call.kernel("convolution_input_gradient", [g, weight, into], (2,), found[0], may_decline=True)
    if 1 in call.items:
        into = call.result(1, call.shape("weight"), dtype)
        call.kernel("convolution_weight_gradient", [g, x, into], (2,), found[0], may_decline=True)
    if 2 in call.items:
        _sums_of_channels(call, g, call.result(2, g.shape[1:2], dtype))
    return call.done()


def _sums_of_channels(call: Call, g: Value, into: Value) -> None:
    shape = (g.shape[0], g.shape[1], g.size // (g.shape[0] * g.shape[1]))
    loop = Loop(g.size)
    at = loop.load(Value(g.buffer, g.offset, shape, dense(shape)))
    out = Value(into.buffer, into.offset, (1, shape[1], 1), (shape[1], 1, 1))
    loop.reductions.append(Reduction("sum", at, shape, (0, 2), out))
    call.loop(loop)


# ---- pooling


def _pool(spatial: int) -> None:
    def numbers(call: Call) -> list[int] | None:
        how = [call[name] for name in ("kernel_size", "stride", "padding", "dilation", "ceil_mode")]
        return numbers_of_pooling(call.shape("input"), *geometry(call.shape("input"), spatial, *how))

    @maker(f"max_pool{spatial}d")
    def max_pool(call: Call) -> bool:
        if not call.are_real("input") or not _are_planes(call, *call.items.values()):
            return False
        if 1 in call.items and (not call["want"] or call.items[1].meta["dtype"] != U8):
            return False
        found, x = numbers(call), call.dense("input")
        if found is None or x is None or 0 not in call.items:
            return False
        shape = tuple(call.items[0].meta["shape"])
        results = [call.result(0, shape, x.dtype), call.result(1, shape, U8)]
        call.kernel("max_pool", [x, *results], (1, 2), found, may_decline=True)
        return call.done()

    @maker(f"max_pool{spatial}d_backward_by_number")
    def max_pool_backward(call: Call) -> bool:
        found = numbers(call)
        if found is None or not call.are_real("grad_output") or dtype_of(call["which"]) != U8:
            return False
        if call.shape("which") != call.shape("grad_output") or not _are_planes(call, call.node):
            return False
        arrays = [call.dense(name) for name in ("grad_output", "which")]
        call.kernel("max_pool_backward", [*arrays, call.out()], (2,), found, may_decline=True)
        return True


_pool(2)
_pool(3)
