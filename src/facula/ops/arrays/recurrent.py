"""Recurrent layers on arrays: one direction of one layer, all its steps, and back.

The steps' rows lie one after the other in an array of all rows; a step has as many rows as there are sequences that
long. A state has a row for each sequence, and a step changes the first rows of it: what lies behind them has come to
its end already (or, backwards in time, has not begun).

What the forward pass keeps is not the gates but the factors by which the backward pass multiplies, so that a step back
is a few products of arrays and one matrix product. Products with the weights of inputs, and the gradients of weights,
are taken for all steps at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..._core.dtypes import F32, is_half, widened

Step = tuple[slice, int]
"""The rows of a step, and how many they are."""

_SEVERAL = 8
"""Steps from which on weights are copied into the order in which they are used."""
_AT_ONCE = 16384
"""About how many elements are turned from gates into factors at once, so that they stay in the cache."""


def steps_of(batch_sizes: tuple[int, ...], reverse: bool) -> list[Step]:
    """The steps, in the order in which they are taken."""
    steps, start = [], 0
    for size in batch_sizes:
        steps.append((slice(start, start + size), size))
        start += size
    return steps[::-1] if reverse else steps


class Weights(NamedTuple):
    """The parameters of a layer and direction, as arrays."""

    of_input: Any
    of_hidden: Any
    input_bias: Any
    hidden_bias: Any
    projection: Any


class Result(NamedTuple):
    """Of a forward pass: the outputs of all steps, the last states, and what the backward pass needs."""

    out: Any
    hidden: Any
    cell: Any
    kept: Any


class Gradients(NamedTuple):
    """Of a backward pass: by the states, by what the weights of inputs and of hidden states gave, by the projection.

    A GRU's hidden gates have the last one first.
    """

    hidden: Any
    cell: Any
    input_gates: Any
    hidden_gates: Any
    projection: Any


def _blocks(weight: Any, gates: int) -> Any:
    """The weights of each gate, transposed: (gates, features, width)."""
    return weight.reshape(gates, -1, weight.shape[1]).transpose(0, 2, 1)


def _recurrent(weight: Any, gates: int, steps: list[Step]) -> Any:
    """The same for all steps: copied if there are many, as a small product with a transpose takes twice as long."""
    blocks = _blocks(weight, gates)
    return blocks if len(steps) < _SEVERAL else np.ascontiguousarray(blocks)


def _input_part(x: Any, weight: Any, bias: Any, out: Any) -> Any:
    """What the inputs of all steps give to each gate, into ``out``: (gates, rows, width)."""
    np.matmul(x, _blocks(weight, len(out)), out=out)
    if bias is not None:
        out += bias.reshape(len(out), 1, -1)
    return out


def _sum_of(a: Any, b: Any) -> Any:
    return None if a is None else a + b


def _logistic_of_negative(x: Any, one: Any) -> None:
    """``1 / (1 + exp(x))`` in place: the weights have the minus sign already."""
    np.exp(x, out=x)
    x += one
    np.divide(one, x, out=x)


def _parts(rows: int, width: int) -> list[slice]:
    """Some rows at a time."""
    n = max(_AT_ONCE // max(width, 1), 1)
    return [slice(start, start + n) for start in range(0, rows, n)]


# ---- LSTM


_OIFG = [3, 0, 1, 2]
"""PyTorch has the gates as i, f, g, o. As o, i, f, g those with sigmoids are neighbours; those by the cell, too."""


def _signed(array: Any) -> Any:
    """An LSTM's weights or biases in the order of gates above, those of sigmoids negated."""
    found = array.reshape(4, -1, *array.shape[1:])[_OIFG]
    np.negative(found[:3], out=found[:3])
    return found.reshape(array.shape)


def lstm_forward(x: Any, hidden: Any, cell: Any, w: Weights, steps: list[Step], keep: bool) -> Result:
    shape = (len(x), cell.shape[1])
    one = np.ones(1, x.dtype)
    bias = _sum_of(w.input_bias, w.hidden_bias)
    kept = np.empty((6 if w.projection is None else 7, *shape) if keep else (0,), x.dtype)
    all_gates = kept[:4] if keep else np.empty((4, *shape), x.dtype)
    _input_part(x, _signed(w.of_input), None if bias is None else _signed(bias), all_gates)
    recurrent = _recurrent(_signed(w.of_hidden), 4, steps)
    out = np.empty((len(x), hidden.shape[1]), x.dtype)
    h, c = hidden.copy(), cell.copy()
    product = np.empty((4, *c.shape), x.dtype)
    for rows, n in steps:
        h_n, c_n, p, gates = h[:n], c[:n], product[:, :n], all_gates[:, rows]
        np.matmul(h_n, recurrent, out=p)
        gates += p
        _logistic_of_negative(gates[:3], one)
        o, i, f, g = gates
        np.tanh(g, out=g)
        if keep:
            kept[5, rows] = c_n
        c_n *= f
        c_n += np.multiply(i, g, out=p[0])
        curve = np.tanh(c_n, out=kept[4, rows] if keep else p[0])
        if w.projection is None:
            np.multiply(o, curve, out=out[rows])
        else:
            full = np.multiply(o, curve, out=kept[6, rows] if keep else p[1])
            np.matmul(full, w.projection.T, out=out[rows])
        h_n[...] = out[rows]
    if keep:
        _lstm_factors(kept, out if w.projection is None else kept[6])
    return Result(out, h, c, kept)


def _lstm_factors(kept: Any, full: Any) -> None:
    """In place of (o, i, f, g, tanh of cell, cell before): what the backward pass multiplies by, and f.

    The factors of o and of the cell multiply the hidden state's gradient, those of i, f and g the cell's. ``full`` is
    the hidden states before projection.
    """
    for part in _parts(*kept.shape[1:]):
        o, i, f, g, curve, before = kept[:6, part]
        h, new, old = full[part], i * g, f * before
        np.subtract(i, new * g, out=g)
        np.subtract(new, new * i, out=i)
        curve *= h
        np.subtract(o, curve, out=curve)
        np.subtract(h, h * o, out=o)
        before[...] = f
        np.subtract(old, old * f, out=f)


def lstm_backward(
    g_out: Any, g_hidden: Any, g_cell: Any, out: Any, w: Weights, steps: list[Step], kept: Any
) -> Gradients:
    rows_of_all, width = kept.shape[1:]
    found = np.empty((rows_of_all, 4, width), kept.dtype)
    flat = found.reshape(rows_of_all, 4 * width)
    by_gate = found.transpose(1, 0, 2)
    of_o, of_ifg, of_cell, forgotten = kept[0], kept[1:4], kept[4], kept[5]
    dh, dc = g_hidden.copy(), g_cell.copy()
    here = np.empty_like(dc)
    raw_h = np.empty((rows_of_all, dh.shape[1]), kept.dtype) if w.projection is not None else None
    for rows, n in reversed(steps):
        dh_n, dc_n, by_cell = dh[:n], dc[:n], here[:n]
        if g_out is not None:
            dh_n += g_out[rows]
        by_h = dh_n
        if raw_h is not None:
            raw_h[rows] = dh_n
            by_h = np.matmul(dh_n, w.projection)
        np.multiply(by_h, of_o[rows], out=by_gate[3, rows])
        np.multiply(by_h, of_cell[rows], out=by_cell)
        dc_n += by_cell
        np.multiply(dc_n, of_ifg[:, rows], out=by_gate[:3, rows])
        dc_n *= forgotten[rows]
        np.matmul(flat[rows], w.of_hidden, out=dh_n)
    projection = None if raw_h is None else raw_h.T @ kept[6]
    return Gradients(dh, dc, flat, flat, projection)


# ---- GRU


def gru_forward(x: Any, hidden: Any, cell: Any, w: Weights, steps: list[Step], keep: bool) -> Result:
    width = hidden.shape[1]
    one = np.ones(1, x.dtype)
    weights, recurrent_weights = w.of_input.copy(), w.of_hidden.copy()
    bias, inner_bias = w.input_bias, None
    if bias is not None:
        inner_bias = w.hidden_bias[2 * width :]
        bias = bias + np.concatenate([w.hidden_bias[: 2 * width], np.zeros_like(inner_bias)])
        np.negative(bias[: 2 * width], out=bias[: 2 * width])
    for weight in (weights, recurrent_weights):
        np.negative(weight[: 2 * width], out=weight[: 2 * width])
    kept = np.empty((5, len(x), width) if keep else (0,), x.dtype)
    all_gates = kept[:3] if keep else np.empty((3, len(x), width), x.dtype)
    _input_part(x, weights, bias, all_gates)
    recurrent = _recurrent(recurrent_weights, 3, steps)
    out = np.empty((len(x), width), x.dtype)
    h = hidden.copy()
    product = np.empty((3, *h.shape), x.dtype)
    for rows, n in steps:
        h_n, p, gates = h[:n], product[:, :n], all_gates[:, rows]
        np.matmul(h_n, recurrent, out=p)
        r_z = gates[:2]
        r_z += p[:2]
        _logistic_of_negative(r_z, one)
        (r, z, new), inner = gates, p[2]
        if inner_bias is not None:
            inner += inner_bias
        new += np.multiply(r, inner, out=p[0])
        np.tanh(new, out=new)
        h_n -= new
        if keep:
            kept[3, rows] = inner
            kept[4, rows] = h_n
        h_n *= z
        h_n += new
        out[rows] = h_n
    if keep:
        _gru_factors(kept)
    return Result(out, h, None, kept)


def _gru_factors(kept: Any) -> None:
    """In place of (r, z, n, n's part from the hidden state, h - n): the factors of (that part, r, z, n), and z."""
    for part in _parts(*kept.shape[1:]):
        r, z, n, inner, difference = kept[:, part]
        of_n, of_z = 1 - n * n, z - z * z
        of_n *= 1 - z
        of_z *= difference
        of_inner = of_n * r
        of_r = 1 - r
        of_r *= of_inner
        of_r *= inner
        difference[...] = z
        for block, factor in zip(kept[:, part], (of_inner, of_r, of_z, of_n)):
            block[...] = factor


def gru_backward(
    g_out: Any, g_hidden: Any, g_cell: Any, out: Any, w: Weights, steps: list[Step], kept: Any
) -> Gradients:
    rows_of_all, width = kept.shape[1:]
    found = np.empty((rows_of_all, 4, width), kept.dtype)
    by_gate = found.transpose(1, 0, 2)
    flat = found.reshape(rows_of_all, 4 * width)
    inner_r_z = flat[:, : 3 * width]
    recurrent = np.concatenate([w.of_hidden[2 * width :], w.of_hidden[: 2 * width]])
    dh = g_hidden.copy()
    product = np.empty_like(dh)
    for rows, n in reversed(steps):
        dh_n, p = dh[:n], product[:n]
        if g_out is not None:
            dh_n += g_out[rows]
        np.multiply(dh_n, kept[:4, rows], out=by_gate[:, rows])
        dh_n *= kept[4, rows]
        np.matmul(inner_r_z[rows], recurrent, out=p)
        dh_n += p
    return Gradients(dh, None, flat[:, width:], inner_r_z, None)


# ---- plain recurrent layers


def _plain_forward(curve: Callable[[Any], Any]) -> Callable[..., Result]:
    def forward(x: Any, hidden: Any, cell: Any, w: Weights, steps: list[Step], keep: bool) -> Result:
        out = np.empty((1, len(x), hidden.shape[1]), x.dtype)
        out = _input_part(x, w.of_input, _sum_of(w.input_bias, w.hidden_bias), out)[0]
        recurrent = _recurrent(w.of_hidden, 1, steps)[0]
        product = np.empty_like(hidden)
        h = hidden.copy()
        for rows, n in steps:
            h_n, o = h[:n], out[rows]
            o += np.matmul(h_n, recurrent, out=product[:n])
            curve(o)
            h_n[...] = o
        return Result(out, h, None, np.empty(0, x.dtype))

    return forward


def _plain_backward(slopes: Callable[[Any], Any]) -> Callable[..., Gradients]:
    def backward(
        g_out: Any, g_hidden: Any, g_cell: Any, out: Any, w: Weights, steps: list[Step], kept: Any
    ) -> Gradients:
        factors = slopes(out)
        dh = g_hidden.copy()
        for rows, n in reversed(steps):
            dh_n = dh[:n]
            if g_out is not None:
                dh_n += g_out[rows]
            by_gate = factors[rows]
            by_gate *= dh_n
            np.matmul(by_gate, w.of_hidden, out=dh_n)
        return Gradients(dh, None, factors, factors, None)

    return backward


def _tanh(x: Any) -> None:
    np.tanh(x, out=x)


def _relu(x: Any) -> None:
    np.maximum(x, np.zeros(1, x.dtype), out=x)


def _tanh_slopes(out: Any) -> Any:
    found = out * out
    np.subtract(1, found, out=found)
    return found


def _relu_slopes(out: Any) -> Any:
    return (out > 0).astype(out.dtype)


FORWARD: dict[str, Callable[..., Result]] = {
    "LSTM": lstm_forward, "GRU": gru_forward,
    "RNN_TANH": _plain_forward(_tanh), "RNN_RELU": _plain_forward(_relu),
}  # fmt: skip
BACKWARD: dict[str, Callable[..., Gradients]] = {
    "LSTM": lstm_backward, "GRU": gru_backward,
    "RNN_TANH": _plain_backward(_tanh_slopes), "RNN_RELU": _plain_backward(_relu_slopes),
}  # fmt: skip


def states_before(out: Any, hidden: Any, steps: list[Step]) -> Any:
    """For each row the hidden state that its step began with."""
    found = np.empty_like(out)
    state = hidden.copy()
    for rows, n in steps:
        found[rows] = state[:n]
        state[:n] = out[rows]
    return found


# ---- a whole layer


def _wide(a: Any) -> Any:
    return None if a is None else widened(a)


def layer(
    forward: Callable[..., Result], input: Any, hx: Any, cx: Any, weights: tuple[Any, ...], batch_sizes: Any,
    reverse: bool, keep: bool,
) -> tuple[Any, ...]:  # fmt: skip
    """(outputs, last hidden state, last cell state or something empty, factors and states for the backward pass).

    The states are the outputs once more: users may change those in place.
    """
    x, h, c, *rest = (_wide(a) for a in (input, hx, cx, *weights))
    steps = steps_of(batch_sizes or input.shape[1:2] * input.shape[0], reverse)
    found = forward(x.reshape(-1, x.shape[-1]), h, c, Weights(*rest), steps, keep)
    cell = np.empty(0, x.dtype) if c is None else found.cell
    results = [found.out.reshape(*input.shape[:-1], h.shape[1]), found.hidden, cell]
    if is_half(input.dtype):
        results = [a.astype(input.dtype) for a in results]
    return (*results, found.kept, found.out.copy() if keep else found.kept)


def layer_gradients(
    backward: Callable[..., Gradients], times: Callable[[Any, Any], Any], mode: str, gradients: tuple[Any, ...],
    input: Any, hx: Any, cx: Any, weights: tuple[Any, ...], factors: Any, states: Any, batch_sizes: Any, reverse: bool,
    needs: tuple[bool, ...],
) -> list[Any]:  # fmt: skip
    """The gradients of input, states and weights, those that are needed. ``times``: the product of two matrices."""
    given = (input, hx, cx, *weights)
    x, h, c, *rest = (_wide(a) for a in given)
    w = Weights(*rest)
    steps = steps_of(batch_sizes or input.shape[1:2] * input.shape[0], reverse)
    rows = x.reshape(-1, x.shape[-1])
    g_out, g_hidden, g_cell = (_wide(a) for a in gradients)
    found = backward(
        None if g_out is None else g_out.reshape(states.shape),
        np.zeros_like(h) if g_hidden is None else g_hidden,
        None if c is None else np.zeros_like(c) if g_cell is None else g_cell,
        states, w, steps, factors,
    )  # fmt: skip
    by_inputs, by_hidden = found.input_gates, found.hidden_gates
    by_weight = times(by_hidden.T, states_before(states, h, steps)) if needs[4] else None
    by_bias = _column_sums(by_hidden) if needs[6] else None
    if mode == "GRU":
        by_weight, by_bias = (None if a is None else np.roll(a, -h.shape[1], 0) for a in (by_weight, by_bias))
    results = [
        times(by_inputs, w.of_input).reshape(input.shape) if needs[0] else None,
        found.hidden,
        found.cell,
        times(by_inputs.T, rows) if needs[3] else None,
        by_weight,
        _column_sums(by_inputs) if needs[5] else None,
        by_bias,
        found.projection,
    ]
    return [
        r.astype(a.dtype, copy=False) if need and a is not None else None
        for r, a, need in zip(results, given, needs)
    ]


def _column_sums(x: Any) -> Any:
    return np.ones(len(x), x.dtype) @ x if x.dtype == F32 else x.sum(0)
