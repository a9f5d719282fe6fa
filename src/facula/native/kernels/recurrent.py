"""LSTM and GRU, one layer and direction: all steps, and back.

``gates`` is what the inputs of all steps give, with all biases that are added to it; rows of a step lie at its start,
one for each sequence that is that long, the longest first.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..library import I64, kernel

_lstm = kernel("lstm", "wfiiwwwwwnnk", 1.0)
_lstm_backward = kernel("lstm_backward", "Fffiifffwwwnnk", 1.0)
_gru = kernel("gru", "wfFiiwwwnnk", 1.0)
_gru_backward = kernel("gru_backward", "Fffiifffwwwnnk", 1.0)


class Steps(NamedTuple):
    """Where the rows of each step begin and how many they are, in the order in which steps are taken."""

    start: Any
    size: Any

    @classmethod
    def of(cls, batch_sizes: Any, reverse: bool = False) -> Steps:
        size = np.array(batch_sizes, I64)
        start = np.cumsum(size, dtype=I64) - size
        return cls(*(np.ascontiguousarray(x[::-1] if reverse else x) for x in (start, size)))

    def fit(self, rows: int, batch: int) -> bool:
        if self.start.shape != self.size.shape or self.size.ndim != 1 or not self.size.size:
            return False
        ends = self.start + self.size
        return bool(self.start.min() >= 0 and self.size.min() >= 0 and self.size.max() <= batch and ends.max() <= rows)


class Kept(NamedTuple):
    """Of an LSTM's forward pass: i, f, g, o of each row, the cells, and tanh of these."""

    gates: Any
    cells: Any
    curves: Any


def _fits(gates: Any, weight: Any, steps: Steps, many: int, *states: Any) -> bool:
    batch, width = states[0].shape
    shapes_fit = gates.ndim == 2 and gates.shape[1] == many * width and weight.shape == (many * width, width)
    if not shapes_fit or not width or not batch or any(x.shape != (batch, width) for x in states):
        return False
    return steps.fit(len(gates), batch)


def lstm(gates: Any, weight: Any, h0: Any, c0: Any, steps: Steps) -> tuple[Any, Any, Any, Kept] | None:
    """(outputs, last h, last c, what the backward pass needs)."""
    if not _fits(gates, weight, steps, 4, h0, c0):
        return None
    shape = (len(gates), h0.shape[1])
    kept = Kept(gates.copy(), np.empty(shape, gates.dtype), np.empty(shape, gates.dtype))
    out, h, c = np.empty(shape, gates.dtype), h0.copy(), c0.copy()
    done = _lstm(kept.gates, weight, *steps, out, kept.cells, kept.curves, h, c, len(steps.size), *h0.shape)
    return (out, h, c, kept) if done else None


def lstm_backward(
    g_out: Any, g_h: Any, g_c: Any, weight: Any, c0: Any, steps: Steps, kept: Kept
) -> tuple[Any, Any, Any] | None:
    """The gradients of the gates, of h0 and of c0."""
    if not _fits(kept.gates, weight, steps, 4, g_h, g_c, c0):
        return None
    if g_out is not None and g_out.shape != kept.cells.shape:
        return None
    gates, h, c = np.empty_like(kept.gates), g_h.copy(), g_c.copy()
    done = _lstm_backward(
        g_out, kept.gates, weight, *steps, kept.cells, kept.curves, c0, gates, h, c, len(steps.size), *c0.shape
    )
    return (gates, h, c) if done else None


def gru(gates: Any, weight: Any, bias: Any, h0: Any, steps: Steps) -> tuple[Any, Any, Any, Any] | None:
    """(outputs, last h, r z n of each row, what h gave to n). ``bias``: the hidden one of n."""
    if not _fits(gates, weight, steps, 3, h0) or (bias is not None and bias.shape != h0.shape[1:]):
        return None
    shape = (len(gates), h0.shape[1])
    gates, out, inner, h = gates.copy(), np.empty(shape, gates.dtype), np.empty(shape, gates.dtype), h0.copy()
    done = _gru(gates, weight, bias, *steps, out, inner, h, len(steps.size), *h0.shape)
    return (out, h, gates, inner) if done else None


def gru_backward(
    g_out: Any, g_h: Any, weight: Any, h0: Any, out: Any, steps: Steps, gates: Any, inner: Any
) -> tuple[Any, Any, Any] | None:
    """The gradients of what the inputs and what h gave to the gates, and of h0."""
    if not _fits(gates, weight, steps, 3, g_h, h0) or out.shape != (len(gates), h0.shape[1]):
        return None
    if inner.shape != out.shape or (g_out is not None and g_out.shape != out.shape):
        return None
    by_input, by_hidden, h = np.empty_like(gates), np.empty_like(gates), g_h.copy()
    done = _gru_backward(
        g_out, gates, weight, *steps, out, inner, h0, by_input, by_hidden, h, len(steps.size), *h0.shape
    )
    return (by_input, by_hidden, h) if done else None
