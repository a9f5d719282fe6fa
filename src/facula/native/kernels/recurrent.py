"""LSTM and GRU, one layer and direction: all steps, and back.

``gates`` is what the inputs of all steps give, with all biases that are added to it; rows of a step lie at its start,
one for each sequence that is that long, the longest first. What the forward pass keeps are the factors that the NumPy
kernels keep (``ops/arrays/recurrent.py``), so that either backward pass can follow either forward pass.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..library import I64, kernel

_lstm = kernel("lstm", "ffiiwwwWnnnn", 1.0)
_lstm_backward = kernel("lstm_backward", "Fffiiwwwnnnn", 1.0)
_gru = kernel("gru", "fffiiwwWnnnn", 1.0)
_gru_backward = kernel("gru_backward", "Fffiiwwnnnn", 1.0)


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


def _fits(rows: int, weight: Any, steps: Steps, many: int, *states: Any) -> bool:
    batch, width = states[0].shape
    if weight.shape != (many * width, width) or not width or not batch or not rows:
        return False
    return all(x.shape == (batch, width) for x in states) and steps.fit(rows, batch)


def lstm(
    gates: Any, weight: Any, h0: Any, c0: Any, steps: Steps, keep: bool = True
) -> tuple[Any, Any, Any, Any] | None:
    """(outputs, last h, last c, factors or None)."""
    rows, width = len(gates), h0.shape[1]
    if gates.shape[1:] != (4 * width,) or not _fits(rows, weight, steps, 4, h0, c0):
        return None
    out, h, c = np.empty((rows, width), gates.dtype), h0.copy(), c0.copy()
    kept = np.empty((6, rows, width), gates.dtype) if keep else None
    done = _lstm(gates, weight, *steps, out, h, c, kept, len(steps.size), *h0.shape, rows)
    return (out, h, c, kept) if done else None


def lstm_backward(
    g_out: Any, g_h: Any, g_c: Any, weight: Any, steps: Steps, kept: Any
) -> tuple[Any, Any, Any] | None:
    """The gradients of the gates, of h0 and of c0."""
    rows, width = kept.shape[1:]
    if width != g_h.shape[1] or not _fits(rows, weight, steps, 4, g_h, g_c) or not _is_like(g_out, (rows, width)):
        return None
    gates, h, c = np.empty((rows, 4 * width), kept.dtype), g_h.copy(), g_c.copy()
    done = _lstm_backward(g_out, kept, weight, *steps, gates, h, c, len(steps.size), *g_h.shape, rows)
    return (gates, h, c) if done else None


def gru(
    gates: Any, weight: Any, bias: Any, h0: Any, steps: Steps, keep: bool = True
) -> tuple[Any, Any, Any] | None:
    """(outputs, last h, factors or None). ``bias``: the hidden one of n."""
    rows, width = len(gates), h0.shape[1]
    if gates.shape[1:] != (3 * width,) or not _fits(rows, weight, steps, 3, h0):
        return None
    if bias is None:
        bias = np.zeros(width, gates.dtype)
    if bias.shape != (width,):
        return None
    out, h = np.empty((rows, width), gates.dtype), h0.copy()
    kept = np.empty((5, rows, width), gates.dtype) if keep else None
    done = _gru(gates, weight, bias, *steps, out, h, kept, len(steps.size), *h0.shape, rows)
    return (out, h, kept) if done else None


def gru_backward(g_out: Any, g_h: Any, weight: Any, steps: Steps, kept: Any) -> tuple[Any, Any] | None:
    """(the gradients of what h gave to n, and of r, z, n, side by side; that of h0)."""
    rows, width = kept.shape[1:]
    if width != g_h.shape[1] or not _fits(rows, weight, steps, 3, g_h) or not _is_like(g_out, (rows, width)):
        return None
    gates, h = np.empty((rows, 4 * width), kept.dtype), g_h.copy()
    by_gate = np.concatenate([weight[2 * width :], weight[: 2 * width]])
    done = _gru_backward(g_out, kept, by_gate, *steps, gates, h, len(steps.size), *g_h.shape, rows)
    return (gates, h) if done else None


def _is_like(g: Any, shape: tuple[int, ...]) -> bool:
    return g is None or g.shape == shape
