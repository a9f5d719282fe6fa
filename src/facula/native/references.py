"""The kernels once more, as short formulas of NumPy in double precision: what the library is held against."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from ..ops.arrays import draws, rejections


def wide(x: Any) -> Any:
    return None if x is None else np.asarray(x, np.float64)


def erf(x: Any) -> Any:
    return np.vectorize(math.erf, otypes=[np.float64])(x) if x.size else x


def sigmoid(x: Any) -> Any:
    z = np.exp(-np.abs(x))
    return np.where(x < 0, z, 1.0) / (1 + z)


def gelu(x: Any) -> Any:
    return 0.5 * x * (1 + erf(x / math.sqrt(2)))


def gelu_tanh(x: Any) -> Any:
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def gelu_slope(x: Any) -> Any:
    return 0.5 * (1 + erf(x / math.sqrt(2))) + x * np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)


def gelu_tanh_slope(x: Any) -> Any:
    t = np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * x * x)


FUNCTIONS: dict[str, Any] = {
    "exp": np.exp, "log": np.log, "tanh": np.tanh, "sigmoid": sigmoid, "erf": erf, "gelu": gelu, "gelu_tanh": gelu_tanh,
    "relu": lambda x: np.maximum(x, 0), "silu": lambda x: x * sigmoid(x),
}  # fmt: skip
GRADIENTS: dict[str, Any] = {
    "tanh_backward": lambda g, y: g * (1 - y * y),
    "sigmoid_backward": lambda g, y: g * ((1 - y) * y),
    "relu_backward": lambda g, y: np.where(y <= 0, 0.0, g),
    "erf_backward": lambda g, x: g * (2 / math.sqrt(math.pi) * np.exp(-x * x)),
    "silu_backward": lambda g, x: g * (sigmoid(x) * (1 + x * (1 - sigmoid(x)))),
    "gelu_backward": lambda g, x: g * gelu_slope(x),
    "gelu_tanh_backward": lambda g, x: g * gelu_tanh_slope(x),
}


def softmax(x: Any) -> Any:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def log_softmax(x: Any) -> Any:
    x = x - x.max(-1, keepdims=True)
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


def softmax_backward(g: Any, y: Any) -> Any:
    return y * (g - (g * y).sum(-1, keepdims=True))


def log_softmax_backward(g: Any, y: Any) -> Any:
    return g - np.exp(y) * g.sum(-1, keepdims=True)


def nll(x: Any, target: Any, weight: Any, ignore: int) -> Any:
    used = target != ignore
    weights = (np.ones(x.shape[1]) if weight is None else weight)[target[used]]
    return np.array([-(x[used, target[used]] * weights).sum(), weights.sum()])


def nll_backward(shape: Any, target: Any, scale: float, weight: Any, ignore: int) -> Any:
    out = np.zeros(shape)
    for r, t in enumerate(target):
        if t != ignore:
            out[r, t] = -scale * (1 if weight is None else weight[t])
    return out


def cross_entropy_backward(x: Any, target: Any, scale: float, weight: Any, ignore: int) -> Any:
    g = nll_backward(x.shape, target, scale, weight, ignore)
    return g - softmax(x) * g.sum(1, keepdims=True)


def layer_norm(x: Any, weight: Any, bias: Any, eps: float) -> tuple[Any, Any, Any]:
    mean = x.mean(-1)
    inverse = 1 / np.sqrt(x.var(-1) + eps)
    normal = (x - mean[..., None]) * inverse[..., None]
    return normal * (1 if weight is None else weight) + (0 if bias is None else bias), mean, inverse


def layer_norm_backward(g: Any, x: Any, mean: Any, inverse: Any, weight: Any) -> tuple[Any, Any, Any]:
    normal = (x - mean[:, None]) * inverse[:, None]
    t = g * (1 if weight is None else weight)
    along = (t * normal).mean(1, keepdims=True)
    return inverse[:, None] * (t - t.mean(1, keepdims=True) - normal * along), (g * normal).sum(0), g.sum(0)


def _column(x: Any, default: float) -> Any:
    return default if x is None else x[None, :, None]


def batch_norm(x: Any, mean: Any, inverse: Any, weight: Any, bias: Any) -> Any:
    return (x - _column(mean, 0)) * _column(inverse, 1) * _column(weight, 1) + _column(bias, 0)


def batch_norm_backward(g: Any, x: Any, mean: Any, inverse: Any, weight: Any, train: bool) -> tuple[Any, Any, Any]:
    normal = (x - _column(mean, 0)) * _column(inverse, 1)
    g_weight, g_bias = (g * normal).sum((0, 2)), g.sum((0, 2))
    n = x.shape[0] * x.shape[2]
    scale = _column(inverse, 1) * _column(weight, 1)
    if not train:
        return g * scale, g_weight, g_bias
    return scale * (g - _column(g_bias, 0) / n - normal * _column(g_weight, 0) / n), g_weight, g_bias


def group_norm(x: Any, groups: int, weight: Any, bias: Any, eps: float) -> tuple[Any, Any, Any]:
    parts = x.reshape(len(x), groups, -1)
    normal, mean, inverse = layer_norm(parts, None, None, eps)
    return normal.reshape(x.shape) * _column(weight, 1) + _column(bias, 0), mean, inverse


def group_norm_backward(g: Any, x: Any, mean: Any, inverse: Any, groups: int, weight: Any) -> tuple[Any, Any, Any]:
    shape = (len(x) * groups, -1)
    normal = ((x.reshape(shape) - mean.reshape(-1, 1)) * inverse.reshape(-1, 1)).reshape(x.shape)
    t = g * _column(weight, 1)
    g_x = layer_norm_backward(t.reshape(shape), x.reshape(shape), mean.reshape(-1), inverse.reshape(-1), None)[0]
    return g_x.reshape(x.shape), (g * normal).sum((0, 2)), g.sum((0, 2))


def attention(q: Any, k: Any, v: Any, is_causal: bool, mask: Any = None) -> tuple[Any, Any, Any]:
    """(attention, logarithms of sums, shares); zeros where a query sees no key."""
    scores = q @ k.swapaxes(2, 3) / math.sqrt(q.shape[3])
    if mask is not None:
        scores = scores + mask
    if is_causal:
        scores = np.where(np.tri(*scores.shape[2:]) > 0, scores, -np.inf)
    top = scores.max(-1, keepdims=True)
    top = np.where(top == -np.inf, 0, top)
    e = np.exp(scores - top)
    total = e.sum(-1, keepdims=True)
    seen = np.where(total == 0, 1, total)
    return e / seen @ v, np.where(total == 0, 0, np.log(seen) + top)[..., 0], e / seen


def attention_backward(g: Any, q: Any, k: Any, v: Any, shares: Any) -> tuple[Any, Any, Any]:
    d = softmax_backward(g @ v.swapaxes(2, 3), shares) / math.sqrt(q.shape[3])
    return d @ k, d.swapaxes(2, 3) @ q, shares.swapaxes(2, 3) @ g


# ---- windows


def _taps(size: Any, out: Any, stride: Any, dilation: Any) -> Any:
    """For each place in a window: that place, and the slices of the padded input that all windows have there."""
    for place in itertools.product(*map(range, size)):
        starts = [p * d for p, d in zip(place, dilation)]
        yield place, tuple([slice(a, a + (n - 1) * s + 1, s) for a, n, s in zip(starts, out, stride)])


def _padded(x: Any, padding: Any, extra: Any, value: float = 0.0) -> Any:
    widths = [(0, 0)] * (x.ndim - len(padding)) + [(p, p + e) for p, e in zip(padding, extra)]
    return np.pad(x, widths, constant_values=value)


def convolution_and_gradients(
    x: Any, weight: Any, bias: Any, g: Any, out: Any, stride: Any, padding: Any, dilation: Any, groups: int
) -> tuple[Any, Any, Any]:
    """(the convolution, the gradients of x and of the weight by g)."""
    n, o = len(x), weight.shape[0] // groups
    p = _padded(x, padding, [0] * len(out))
    parts = p.reshape(n, groups, -1, *p.shape[2:])
    w = weight.reshape(groups, o, *weight.shape[1:])
    up = g.reshape(n, groups, o, *g.shape[2:])
    y, g_p, g_w = np.zeros(up.shape), np.zeros(parts.shape), np.zeros(w.shape)
    for place, at in _taps(weight.shape[2:], out, stride, dilation):
        here = (slice(None), slice(None), slice(None), *at)
        tap = (slice(None), slice(None), slice(None), *place)
        y += np.einsum("ngc...,goc->ngo...", parts[here], w[tap])
        g_p[here] += np.einsum("ngo...,goc->ngc...", up, w[tap])
        g_w[tap] += np.einsum("ngcp,ngop->goc", parts[here].reshape(n, groups, -1, math.prod(out)),
                              up.reshape(n, groups, o, -1))  # fmt: skip
    y = y.reshape(g.shape)
    if bias is not None:
        y = y + bias.reshape(-1, *[1] * len(out))
    inner = tuple([slice(q, q + s) for q, s in zip(padding, x.shape[2:])])
    return y, g_p.reshape(p.shape)[(slice(None), slice(None), *inner)], g_w.reshape(weight.shape)


def max_pool(x: Any, out: Any, size: Any, stride: Any, padding: Any, dilation: Any) -> tuple[Any, Any, Any]:
    """(largest values, which element of its window each is, and which of its plane)."""
    extra = [s * n + d * k for s, n, d, k in zip(stride, out, dilation, size)]
    n = len(size)
    index = np.broadcast_to(np.arange(math.prod(x.shape[-n:])).reshape(x.shape[-n:]), x.shape)
    p, at_p = _padded(x, padding, extra, -np.inf), _padded(index, padding, extra, -1)
    best = np.full((*x.shape[:-n], *out), -np.inf)
    which, where = np.full(best.shape, -1), np.full(best.shape, -1)
    for number, (_, at) in enumerate(_taps(size, out, stride, dilation)):
        v, i = p[(..., *at)], at_p[(..., *at)]
        better = (i >= 0) & ((v > best) | np.isnan(v) | (where < 0))
        best, which, where = np.where(better, v, best), np.where(better, number, which), np.where(better, i, where)
    return best, which, where


def average_pool_and_gradient(
    x: Any, g: Any, size: Any, stride: Any, padding: Any, count_pad: bool, divisor: int | None
) -> tuple[Any, Any]:
    n = len(size)
    out = g.shape[-n:]
    extra = [s * o + k for s, o, k in zip(stride, out, size)]
    p = _padded(x, padding, extra)
    inside = _padded(np.ones(x.shape), padding, extra)
    with_border = np.pad(np.ones(tuple([s + 2 * q for s, q in zip(x.shape[-n:], padding)])), [(0, e) for e in extra])
    y, count = np.zeros(g.shape), np.zeros(g.shape)
    for _, at in _taps(size, out, stride, (1,) * n):
        y += p[(..., *at)]
        count += with_border[at] if count_pad else inside[(..., *at)]
    if divisor:
        count = np.full(g.shape, divisor)
    g_p: Any = np.zeros(p.shape)
    for _, at in _taps(size, out, stride, (1,) * n):
        g_p[(..., *at)] += g / count
    return y / count, g_p[(..., *[slice(q, q + s) for q, s in zip(padding, x.shape[-n:])])]


# ---- recurrent layers


def lstm(gates: Any, weight: Any, h: Any, c: Any, steps: Any, g_out: Any, g_h: Any, g_c: Any) -> tuple[Any, ...]:
    """(outputs, h, c; the gradients of the gates, of h and of c)."""
    out, kept = np.zeros((len(gates), h.shape[1])), []
    h, c = h.copy(), c.copy()
    for start, n in zip(*steps):
        i, f, g, o = np.split(gates[start : start + n] + h[:n] @ weight.T, 4, 1)
        i, f, g, o = sigmoid(i), sigmoid(f), np.tanh(g), sigmoid(o)
        before = c[:n].copy()
        c[:n] = f * before + i * g
        h[:n] = o * np.tanh(c[:n])
        out[start : start + n] = h[:n]
        kept.append((start, n, i, f, g, o, before, np.tanh(c[:n])))
    d_gates, dh, dc = np.zeros(gates.shape), g_h.copy(), g_c.copy()
    for start, n, i, f, g, o, before, curve in reversed(kept):
        up = dh[:n] + g_out[start : start + n]
        cell = dc[:n] + up * o * (1 - curve**2)
        parts = cell * g * i * (1 - i), cell * before * f * (1 - f), cell * i * (1 - g * g), up * curve * o * (1 - o)
        d_gates[start : start + n] = np.concatenate(parts, 1)
        dc[:n] = cell * f
        dh[:n] = d_gates[start : start + n] @ weight
    return out, h, c, d_gates, dh, dc


def gru(gates: Any, weight: Any, bias: Any, h: Any, steps: Any, g_out: Any, g_h: Any) -> tuple[Any, ...]:
    """(outputs, h; the gradients of both kinds of gates, and of h)."""
    out, kept, width = np.zeros((len(gates), h.shape[1])), [], h.shape[1]
    h = h.copy()
    for start, n in zip(*steps):
        x, inner = gates[start : start + n], h[:n] @ weight.T
        r, z = sigmoid(x[:, :width] + inner[:, :width]), sigmoid(x[:, width : 2 * width] + inner[:, width : 2 * width])
        hidden = inner[:, 2 * width :] + (0 if bias is None else bias)
        new, before = np.tanh(x[:, 2 * width :] + r * hidden), h[:n].copy()
        h[:n] = (1 - z) * new + z * before
        out[start : start + n] = h[:n]
        kept.append((start, n, r, z, new, hidden, before))
    by_input, by_hidden, dh = np.zeros(gates.shape), np.zeros(gates.shape), g_h.copy()
    for start, n, r, z, new, hidden, before in reversed(kept):
        up = dh[:n] + g_out[start : start + n]
        d_new, d_z = up * (1 - z) * (1 - new * new), up * (before - new) * z * (1 - z)
        d_r = d_new * hidden * r * (1 - r)
        by_input[start : start + n] = np.concatenate((d_r, d_z, d_new), 1)
        by_hidden[start : start + n] = np.concatenate((d_r, d_z, d_new * r), 1)
        dh[:n] = up * z + by_hidden[start : start + n] @ weight
    return out, h, by_input, by_hidden, dh


# ---- random numbers: the draws themselves, by streams that ask the library or do not

Drawn = tuple[Any, ...]


def _filled(draw: Any, *arguments: Any) -> Any:
    def drawn(stream: Any, x: Any, y: Any) -> Drawn:
        draw(stream, x, *arguments)
        return (x,)

    return drawn


def _integers(draw: Any, *arguments: Any) -> Any:
    def drawn(stream: Any, x: Any, y: Any) -> Drawn:
        out = np.zeros(x.size, np.int64)
        draw(stream, out, *arguments)
        return (out,)

    return drawn


def _mask(stream: Any, x: Any, y: Any) -> Drawn:
    out = np.zeros(x.size, bool)
    draws.draw_bernoulli(stream, out, 0.7)
    return (out,)


DRAWS: dict[str, Any] = {
    "uniform": _filled(draws.draw_uniform),
    "uniform between": _filled(draws.draw_uniform, -0.3, 0.8),
    "uniform up to": _filled(draws.draw_uniform, 0.0, 3.0),
    "bernoulli": _filled(draws.draw_bernoulli, 0.3),
    "mask": _mask,
    "integers": _integers(draws.draw_integers, -5, 100),
    "long integers": _integers(draws.draw_integers, -(2**62), 2**62 + 7),
    "all integers": _integers(draws.draw_integers, -(2**63), 2**63),
    "permutation": _integers(draws.draw_permutation),
    "poisson": lambda stream, x, y: (rejections.draw_poisson(stream, np.abs(x) * 5),),
    "binomial": lambda stream, x, y: (rejections.draw_binomial(stream, np.abs(x) * 9 // 1, np.abs(y) % 1),),
    "normal": _filled(draws.draw_normal),
    "normal around": _filled(draws.draw_normal, 0.3, 1.7),
    "normal pairs": lambda stream, x, y: (draws.normals(stream, x.size),),
    "log normal": _filled(draws.draw_log_normal, 0.3, 0.4),
    "exponential": _filled(draws.draw_exponential, 1.3),
    "geometric": _filled(draws.draw_geometric, 0.3),
    "cauchy": _filled(draws.draw_cauchy, 0.3, 2.0),
    "gamma": lambda stream, x, y: rejections.draw_gamma(stream, np.abs(x) + x.dtype.type(0.01)),
}
EXACT_DRAWS = [*DRAWS][: [*DRAWS].index("normal")]
"""Those that take no logarithm, sine or power."""
