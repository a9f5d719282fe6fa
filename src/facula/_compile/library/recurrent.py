"""LSTM and GRU, one layer and direction of padded sequences: all steps, and back.

As ``native.operators.recurrent`` does it: one product for the inputs of all steps, a kernel for what the steps have to
wait for, and one product for each gradient of weights.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..programs.lowering import dtype_of
from ..programs.steps import Buffer, Loop, Product, Shape, Value, dense
from .calls import Call, maker

_GATES = {"LSTM": 4, "GRU": 3}
_PLANES = {"LSTM": 6, "GRU": 5}
_STATES = ("hx", "cx")
_WEIGHTS = ("w_ih", "w_hh", "b_ih", "b_hh")


class _Layer:
    """The sizes of a layer, and arrays of which it is made."""

    def __init__(self, call: Call) -> None:
        self.call, self.mode = call, call["mode"]
        self.steps, self.batch, self.features = call.shape("input")
        self.width, self.rows, self.dtype = call.shape("hx")[1], self.steps * self.batch, dtype_of(call["input"])
        self.gates = _GATES[self.mode] * self.width
        self.states = _STATES if self.mode == "LSTM" else _STATES[:1]
        self.numbers = (self.steps, self.batch, self.width, self.rows)

    @classmethod
    def of(cls, call: Call) -> _Layer | None:
        """None if the kernels do not take it."""
        fits = call["mode"] in _GATES and call["batch_sizes"] is None and call["w_hr"] is None
        if not fits or not call.are_real("input", *_STATES, *_WEIGHTS):
            return None
        layer = cls(call)
        shapes = {
            **dict.fromkeys(layer.states, (layer.batch, layer.width)),
            "w_ih": (layer.gates, layer.features), "w_hh": (layer.gates, layer.width),
            **{name: (layer.gates,) for name in ("b_ih", "b_hh") if call[name] is not None},
        }  # fmt: skip
        return layer if all(call.shape(name) == shape for name, shape in shapes.items()) else None

    def order(self) -> list[Value]:
        """Where the rows of each step begin, in the order in which steps are taken, and how many they are."""
        start = np.arange(self.steps) * self.batch
        order = start[::-1].copy() if self.call["reverse"] else start
        return [self.call.scheduler.value(x) for x in (order, np.full(self.steps, self.batch))]

    def array(self, *shape: int) -> Value:
        return Value(Buffer("arena", self.dtype, math.prod(shape), name=self.call.node.name), 0, shape, dense(shape))

    def matrix(self, name: str) -> Value:
        """An argument as the rows of all steps, or as it is."""
        return _as(self.given(name), (-1, self.call.shape(name)[-1]))

    def given(self, name: str) -> Value:
        found = self.call.dense(name)
        assert found is not None
        return found

    def copied(self, value: Value, target: Value) -> None:
        self.call.scheduler.copied(_as(value, target.shape), target)

    def product(self, a: Value, b: Value, out: Value, bias: Value | None = None) -> None:
        self.call.scheduler.steps.append(Product(a, b, bias, out, self.call.scheduler.current))


def _as(value: Value, shape: Shape) -> Value:
    """A dense array in another shape, of which the first size may be -1."""
    known = math.prod(shape[1:])
    shape = (value.size // known, *shape[1:]) if shape and shape[0] == -1 else shape
    return Value(value.buffer, value.offset, shape, dense(shape))


def _turned(value: Value) -> Value:
    return Value(value.buffer, value.offset, value.shape[::-1], value.strides[::-1])


def _part(value: Value, dim: int, first: int, last: int) -> Value:
    shape = (*value.shape[:dim], last - first, *value.shape[dim + 1 :])
    return Value(value.buffer, value.offset + first * value.strides[dim], shape, value.strides)


# ---- forward


def _biases(layer: _Layer) -> tuple[Value | None, Value | None]:
    """What is added to the inputs' part of all gates; of a GRU also what is added to the hidden state's part of n."""
    call, both = layer.call, 2 * layer.width
    inner = layer.array(layer.width) if layer.mode == "GRU" else None
    if call["b_ih"] is None:
        if inner is not None:
            loop = Loop(inner.size)
            loop.stores.append((loop.number(0, layer.dtype), inner))
            call.loop(loop)
        return None, inner
    of_input, of_hidden, bias = layer.given("b_ih"), layer.given("b_hh"), layer.array(layer.gates)
    shared = layer.gates if inner is None else both
    loop = Loop(shared)
    a, b = (loop.load(_part(x, 0, 0, shared)) for x in (of_input, of_hidden))
    loop.stores.append((loop.add("add", (a, b), layer.dtype), _part(bias, 0, 0, shared)))
    call.loop(loop)
    if inner is not None:
        layer.copied(_part(of_input, 0, both, layer.gates), _part(bias, 0, both, layer.gates))
        layer.copied(_part(of_hidden, 0, both, layer.gates), inner)
    return bias, inner


def _forward(call: Call) -> bool:
    layer = _Layer.of(call)
    if layer is None or (not call["keep"] and {3, 4} & call.items.keys()) or (layer.mode == "GRU" and 2 in call.items):
        return False
    rows, width, dtype = layer.rows, layer.width, layer.dtype
    gates = layer.array(rows, layer.gates)
    bias, inner = _biases(layer)
    layer.product(layer.matrix("input"), _turned(layer.given("w_ih")), gates, bias)
    out = call.result(0, (layer.steps, layer.batch, width), dtype)
    states = [call.result(1 + i, (layer.batch, width), dtype) for i in range(len(layer.states))]
    for name, state in zip(layer.states, states):
        layer.copied(layer.given(name), state)
    kept = call.result(3, (_PLANES[layer.mode], rows, width), dtype) if call["keep"] else None
    given = [gates, layer.given("w_hh"), *([] if inner is None else [inner]), *layer.order()]
    arrays = [*given, out, *states, kept]
    call.kernel(layer.mode.lower(), arrays, tuple(range(len(given), len(arrays))), layer.numbers)
    if call.items.get(4) in call.scheduler.outputs:
        layer.copied(out, call.result(4, (rows, width), dtype))
    else:  # nobody outside could tell one from the other
        call.results[4] = _as(out, (rows, width))
    return call.done()


for _name in ("onednn", "padded", "packed"):
    maker(f"{_name}_recurrent_layer")(_forward)


# ---- back


def _states_before(layer: _Layer) -> Value:
    """For each row the hidden state that its step began with."""
    found, n = layer.array(layer.rows, layer.width), layer.batch
    after, first = layer.matrix("states"), layer.given("hx")
    own, rest = (0, layer.rows - n), (n, layer.rows)
    earlier, later, at = (rest, own, layer.rows - n) if layer.call["reverse"] else (own, rest, 0)
    if layer.steps > 1:
        layer.copied(_part(after, 0, *earlier), _part(found, 0, *later))
    layer.copied(first, _part(found, 0, at, at + n))
    return found


def _column_sums(layer: _Layer, x: Value, out: Value) -> None:
    layer.call.sums(x, (0,), Value(out.buffer, out.offset, (1, *out.shape), dense((1, *out.shape))))


def _by_gate(layer: _Layer) -> tuple[Value, list[tuple[int, int, int]]]:
    """The recurrent weights as the kernel wants them; and (first, last, where) of columns of the gates' gradients."""
    width, weight = layer.width, layer.given("w_hh")
    if layer.mode == "LSTM":
        return weight, [(0, layer.gates, 0)]
    turned = layer.array(*weight.shape)  # of n, r, z
    layer.copied(_part(weight, 0, 2 * width, 3 * width), _part(turned, 0, 0, width))
    layer.copied(_part(weight, 0, 0, 2 * width), _part(turned, 0, width, 3 * width))
    return turned, [(width, 3 * width, 0), (0, width, 2 * width)]


@maker("recurrent_layer_backward")
def backward(call: Call) -> bool:
    layer = _Layer.of(call)
    gradients: list[Any] = [call[name] for name in ("grad_out", "grad_hidden", "grad_cell")]
    if layer is None or not call.are_real("input", "grad_out", "grad_hidden", "factors", "states"):
        return False
    if layer.mode == "LSTM" and not call.are_real("input", "grad_cell"):
        return False
    given = [call[name] for name in ("input", *_STATES, *_WEIGHTS, "w_hr")]
    if any(not call["needs"][i] or given[i] is None for i in call.items):
        return False
    rows, width, dtype = layer.rows, layer.width, layer.dtype
    weight, columns = _by_gate(layer)
    gates = layer.array(rows, 4 * width)
    states = [call.result(1 + i, (layer.batch, width), dtype) for i in range(len(layer.states))]
    for name, gradient, state in zip(("grad_hidden", "grad_cell"), gradients[1:], states):
        if gradient is not None:
            layer.copied(layer.given(name), state)
    arrays = [call.dense("grad_out"), layer.given("factors"), weight, *layer.order(), gates, *states]
    zeroed = tuple([6 + i for i in range(len(states)) if gradients[1 + i] is None])
    call.kernel(f"{layer.mode.lower()}_backward", arrays, tuple(range(5, len(arrays))), layer.numbers, zeroed=zeroed)

    by_input = _part(gates, 1, 4 * width - layer.gates, 4 * width)
    if 0 in call.items:
        out = call.result(0, call.shape("input"), dtype)
        layer.product(by_input, layer.given("w_ih"), _as(out, (rows, layer.features)))
    if 3 in call.items:
        layer.product(_turned(by_input), layer.matrix("input"), call.result(3, call.shape("w_ih"), dtype))
    if 4 in call.items:
        before, out = _states_before(layer), call.result(4, call.shape("w_hh"), dtype)
        for first, last, to in columns:
            layer.product(_turned(_part(gates, 1, first, last)), before, _part(out, 0, to, to + last - first))
    sums = None
    if 5 in call.items:
        sums = call.result(5, call.shape("b_ih"), dtype)
        _column_sums(layer, by_input, sums)
    if 6 in call.items:
        out = call.result(6, call.shape("b_hh"), dtype)
        if sums is not None and layer.mode == "LSTM":
            layer.copied(sums, out)
        else:
            for first, last, to in columns:
                _column_sums(layer, _part(gates, 1, first, last), _part(out, 0, to, to + last - first))
    return call.done()
