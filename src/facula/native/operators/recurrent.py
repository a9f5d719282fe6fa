"""LSTM and GRU: the steps natively, and around them what ``ops/arrays/recurrent.py`` does for all."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ops.arrays.recurrent import Gradients, Result, Step, Weights, layer_gradients
from ...ops.arrays.recurrent import layer as layer_of
from ..kernels import recurrent as kernels
from ..kernels.products import matmul

_dense = np.ascontiguousarray


class _Declined(Exception):
    pass


def _times(a: Any, b: Any, bias: Any = None) -> Any:
    found = matmul(a, b, bias)
    if found is None:
        found = np.matmul(a, b) if bias is None else np.matmul(a, b) + bias
    return found


def _steps(steps: list[Step]) -> kernels.Steps:
    return kernels.Steps(*(np.array(x, np.int64) for x in zip(*[(rows.start, n) for rows, n in steps])))


def _lstm(x: Any, hidden: Any, cell: Any, w: Weights, steps: list[Step], keep: bool) -> Result:
    bias = None if w.input_bias is None else w.input_bias + w.hidden_bias
    gates = _times(_dense(x), w.of_input.T, bias)
    found = kernels.lstm(gates, _dense(w.of_hidden), _dense(hidden), _dense(cell), _steps(steps), keep)
    if found is None:
        raise _Declined
    return Result(*found[:3], found[3] if keep else np.empty(0, x.dtype))


def _gru(x: Any, hidden: Any, cell: Any, w: Weights, steps: list[Step], keep: bool) -> Result:
    inner, bias = None, w.input_bias
    if bias is not None:
        both = 2 * hidden.shape[1]
        inner, bias = _dense(w.hidden_bias[both:]), bias.copy()
        bias[:both] += w.hidden_bias[:both]
    found = kernels.gru(
        _times(_dense(x), w.of_input.T, bias), _dense(w.of_hidden), inner, _dense(hidden), _steps(steps), keep
    )
    if found is None:
        raise _Declined
    return Result(*found[:2], None, found[2] if keep else np.empty(0, x.dtype))


def _lstm_backward(g_out: Any, g_hidden: Any, g_cell: Any, out: Any, w: Weights, steps: Any, kept: Any) -> Gradients:
    up = None if g_out is None else _dense(g_out)
    found = kernels.lstm_backward(up, _dense(g_hidden), _dense(g_cell), _dense(w.of_hidden), _steps(steps), kept)
    if found is None:
        raise _Declined
    gates, hidden, cell = found
    return Gradients(hidden, cell, gates, gates, None)


def _gru_backward(g_out: Any, g_hidden: Any, g_cell: Any, out: Any, w: Weights, steps: Any, kept: Any) -> Gradients:
    up = None if g_out is None else _dense(g_out)
    found = kernels.gru_backward(up, _dense(g_hidden), _dense(w.of_hidden), _steps(steps), kept)
    if found is None:
        raise _Declined
    gates, hidden = found
    width = hidden.shape[1]
    return Gradients(hidden, None, gates[:, width:], gates[:, : 3 * width], None)


_FORWARD = {"LSTM": _lstm, "GRU": _gru}
_BACKWARD = {"LSTM": _lstm_backward, "GRU": _gru_backward}


def layer(
    input: Any, hx: Any, cx: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any, w_hr: Any, mode: str, batch_sizes: Any,
    reverse: bool, keep: bool,
) -> Any:  # fmt: skip
    if mode not in _FORWARD or w_hr is not None or input.dtype not in (np.float32, np.float64) or not input.size:
        return None
    try:
        return layer_of(_FORWARD[mode], input, hx, cx, (w_ih, w_hh, b_ih, b_hh, None), batch_sizes, reverse, keep)
    except _Declined:
        return None


def layer_backward(
    grad_out: Any, grad_hidden: Any, grad_cell: Any, input: Any, hx: Any, cx: Any, w_ih: Any, w_hh: Any, b_ih: Any,
    b_hh: Any, w_hr: Any, factors: Any, states: Any, mode: str, batch_sizes: Any, reverse: bool, needs: Any,
) -> Any:  # fmt: skip
    if mode not in _BACKWARD or w_hr is not None or input.dtype not in (np.float32, np.float64) or not input.size:
        return None
    try:
        return layer_gradients(
            _BACKWARD[mode], _times, mode, (grad_out, grad_hidden, grad_cell), input, hx, cx,
            (w_ih, w_hh, b_ih, b_hh, None), factors, states, batch_sizes, reverse, needs,
        )  # fmt: skip
    except _Declined:
        return None
