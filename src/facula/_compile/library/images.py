"""Convolution and max pooling."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...native.kernels.convolution import _numbers as numbers_of_convolution
from ...native.kernels.pooling import _numbers as numbers_of_pooling
from ...native.operators.convolution import _pays as pays
from ...native.operators.pooling import _geometry as geometry
from ..passes.views import as_matrices
from ..programs.lowering import dtype_of
from ..programs.steps import Buffer, Loop, Product, Shape, Value, dense
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


def _is_pointwise(call: Call) -> bool:
    """Whether each position is multiplied by the same matrix."""
    plain = call["groups"] == 1 and not call["transposed"] and not any(call["padding"])
    return plain and {*call["stride"], *call.shape("weight")[2:]} == {1}


def _cube(value: Value) -> Value:
    """Samples, channels, positions."""
    shape = (*value.shape[:2], math.prod(value.shape[2:]))
    return Value(value.buffer, value.offset, shape, dense(shape))


def _matrix(value: Value) -> Value:
    return Value(value.buffer, value.offset, value.shape[:2], dense(value.shape[:2]))


def _turned(value: Value) -> Value:
    return Value(value.buffer, value.offset, *((*t[:-2], t[-1], t[-2]) for t in (value.shape, value.strides)))


def _product(call: Call, a: Value, b: Value, out: Value) -> None:
    sides = as_matrices(a, b)
    assert sides is not None
    left, right, shape = sides
    into = Value(out.buffer, out.offset, shape, dense(shape))
    call.scheduler.steps.append(Product(left, right, None, into, call.scheduler.current))


def _between(like: Value, shape: Shape, name: str) -> Value:
    return Value(Buffer("arena", like.dtype, math.prod(shape), name=name), 0, shape, dense(shape))


def _pointwise(call: Call) -> bool:
    x, weight, bias = (call.dense(name) for name in ("input", "weight", "bias"))
    assert x is not None and weight is not None
    out = _cube(call.out())
    if bias is None:
        _product(call, _matrix(weight), _cube(x), out)
        return True
    products = _between(out, out.shape, call.node.name)
    _product(call, _matrix(weight), _cube(x), products)
    loop = Loop(out.size)
    shifts = Value(bias.buffer, bias.offset, out.shape, (0, 1, 0))
    loop.stores.append((loop.add("add", (loop.load(products), loop.load(shifts)), out.dtype), out))
    call.loop(loop)
    return True


def _pointwise_backward(call: Call) -> bool:
    g, x, weight = (call.dense(name) for name in ("grad_output", "input", "weight"))
    assert g is not None and x is not None and weight is not None
    if 0 in call.items:
        _product(call, _turned(_matrix(weight)), _cube(g), _cube(call.result(0, x.shape, x.dtype)))
    if 1 in call.items:
        into = _matrix(call.result(1, weight.shape, x.dtype))
        samples, shape = x.shape[0], (x.shape[0], *into.shape)
        products = into if samples == 1 else _between(into, shape, call.node.name)
        _product(call, _cube(g), _turned(_cube(x)), products)
        if samples > 1:
            call.sums(products, (0,), Value(into.buffer, into.offset, (1, *into.shape), (0, *into.strides)))
    if 2 in call.items:
        _sums_of_channels(call, g, call.result(2, g.shape[1:2], g.dtype))
    return call.done()


@maker("convolution")
def convolution(call: Call) -> bool:
    if not call.are_real("input", "weight", "bias") or not _are_planes(call, call.node):
        return False
    if _is_pointwise(call):
        return _pointwise(call)
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
    if _is_pointwise(call):
        return _pointwise_backward(call)
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
    out = Value(into.buffer, into.offset, (1, shape[1], 1), (shape[1], 1, 1))
    call.sums(Value(g.buffer, g.offset, shape, dense(shape)), (0, 2), out)


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


def _average(spatial: int) -> None:
    def numbers(call: Call, shape: Shape) -> list[int] | None:
        size, stride, padding = (call[name] for name in ("kernel_size", "stride", "padding"))
        found = numbers_of_pooling(
            shape, *geometry(shape, spatial, size, stride, padding, (1,) * spatial, call["ceil_mode"])
        )
        return None if found is None else [*found, int(call["count_include_pad"]), call["divisor_override"] or 0]

    def make(call: Call, like: str, kernel: str) -> bool:
        found = numbers(call, call.shape(like))
        if found is None or not call.are_real("input") or not _are_planes(call, call.node):
            return False
        call.kernel(kernel, [call.dense("input"), call.out()], (1,), found)
        return True

    maker(f"avg_pool{spatial}d")(lambda call: make(call, "input", "average_pool"))
    maker(f"avg_pool{spatial}d_backward")(lambda call: make(call, "like", "average_pool_backward"))


for spatial in (2, 3):
    _pool(spatial)
    _average(spatial)
