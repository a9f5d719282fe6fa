"""Random calls of all kernels, held against formulas of NumPy: ``python -m facula.native.check [calls]``.

Shapes, layouts and special values are drawn; what a kernel declines it must decline without having changed anything.
Under a sanitizer (``.ci/native-sanitize``) the same calls look for memory that is not ours.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from .._core.generator import Generator
from . import kernels as K
from . import library
from . import references as R

Rng = np.random.Generator
Case = Callable[[Rng, Any], None]
CASES: dict[str, Case] = {}


class Differs(Exception):
    """A kernel gave something else than the formula."""


def case(function: Case) -> Case:
    CASES[function.__name__] = function
    return function


def same(name: str, found: Any, expected: Any, d: Any, ulps: float = 64, scale: Any = None) -> None:
    """Equal up to so many roundings of the expected value, or of a scale."""
    if found is None:
        raise Differs(f"{name}: not handled")
    if not isinstance(found, np.ndarray) or found.dtype != d or found.shape != np.shape(expected):
        raise Differs(f"{name}: {type(found)} {getattr(found, 'dtype', '')} {np.shape(found)} for {np.shape(expected)}")
    with np.errstate(all="ignore"):
        right = np.asarray(expected).astype(d).astype(np.float64)
        size = np.maximum(np.abs(right), np.finfo(d).tiny if scale is None else scale)
        near = np.abs(found.astype(np.float64) - right) <= ulps * np.finfo(d).eps * size
    wrong = ~(near | (found == right) | (np.isnan(found) & np.isnan(right)))
    if wrong.any():
        at = tuple(np.argwhere(wrong)[0])
        raise Differs(f"{name} {d} {found.shape}: {found[at]!r} at {at}, not {right[at]!r}")


def floats(rng: Rng, d: Any, *shape: int, special: bool = False) -> Any:
    x = (rng.standard_normal(shape) * rng.choice([0.1, 1.0, 5.0])).astype(d)
    if special and x.size and rng.random() < 0.5:
        odd = [np.inf, -np.inf, np.nan, -0.0, 0.0, 1e-40, -1e-40, 88.5, -90.0, 1e30, -1e30, 3.95, 0.55, 1.0]
        places = rng.integers(0, x.size, max(1, x.size // 5))
        x.reshape(-1)[places] = rng.choice(np.array(odd, d), len(places))
    return x


def size(rng: Rng, most: int, least: int = 0) -> int:
    return int(rng.integers(least, rng.choice([min(8, most), most]) + 1))


def maybe(rng: Rng, x: Any) -> Any:
    return x if rng.random() < 0.5 else None


def unhandled(name: str, found: Any) -> None:
    if found is not None and found is not False:
        raise Differs(f"{name}: should have been declined")


@case
def elementwise(rng: Rng, d: Any) -> None:
    x = floats(rng, d, size(rng, 300), special=True)
    name = str(rng.choice([*R.FUNCTIONS]))
    with np.errstate(all="ignore"):
        expected = R.FUNCTIONS[name](R.wide(x))
        # gelu's factor (1 + erf) cancels far below 0, as it does in NumPy and PyTorch.
        scale = np.abs(R.wide(x)) if name.startswith("gelu") else None
    found = getattr(K, name)(x)
    same(name, found, expected, d, 8, scale)
    zeros = (x == 0) & (found == 0) & (name != "relu")
    if (np.signbit(found) != np.signbit(expected))[zeros].any():
        raise Differs(f"{name} {d}: the sign of 0")
    if x.size > 2:
        unhandled(name, getattr(K, name)(x[::2]))
        unhandled(name, getattr(K, name)(x.view(np.int32)))


@case
def elementwise_gradients(rng: Rng, d: Any) -> None:
    n = size(rng, 300)
    name = str(rng.choice([*R.GRADIENTS]))
    # The tanh form's gradient is NaN where x * x overflows, in PyTorch too.
    g, x = floats(rng, d, n), floats(rng, d, n, special=name != "gelu_tanh_backward")
    if name in ("tanh_backward", "sigmoid_backward"):
        x = np.tanh(x)
    with np.errstate(all="ignore"):
        expected, scale = R.GRADIENTS[name](R.wide(g), R.wide(x)), np.abs(R.wide(g)) * (1 + np.abs(R.wide(x)))
    same(name, getattr(K, name)(g, x), expected, d, 32, scale)
    if name == "gelu_backward":
        both: Any = K.gelu_and_derivative(x)
        same("gelu", both[0], R.gelu(R.wide(x)), d, 8, np.abs(R.wide(x)))
        same("the derivative of gelu", both[1], R.gelu_slope(R.wide(x)), d, 32, 1 + np.abs(R.wide(x)))
    unhandled(name, getattr(K, name)(g, x.astype(np.float64 if d == np.float32 else np.float32)))


@case
def dropout(rng: Rng, d: Any) -> None:
    x = floats(rng, d, size(rng, 300), special=True)
    mask = rng.random(x.shape) < 0.5
    with np.errstate(all="ignore"):
        same("scale_masked", K.scale_masked(x, mask, 2.5), x * (mask * d.type(2.5)), d, 2)


@case
def sums(rng: Rng, d: Any) -> None:
    x = floats(rng, d, size(rng, 40), size(rng, 3000 if rng.random() < 0.1 else 200))
    scale = np.abs(R.wide(x))
    same("sum", K.sum_all(x), R.wide(x).sum(), d, 4, scale.sum())
    same("sum_rows", K.sum_rows(x), R.wide(x).sum(1), d, 4, scale.sum(1))
    same("sum_columns", K.sum_columns(x), R.wide(x).sum(0), d, 8, scale.sum(0))
    unhandled("sum_rows", K.sum_rows(x.T) if min(x.shape) > 1 else None)


@case
def softmax(rng: Rng, d: Any) -> None:
    shape = size(rng, 6), size(rng, 5), size(rng, 200, 1)
    x, g = floats(rng, d, *shape, special=True), floats(rng, d, *shape)
    with np.errstate(all="ignore"):
        y, logs = R.softmax(R.wide(x)), R.log_softmax(R.wide(x))
        same("softmax", K.softmax(x), y, d, 128, 1e-37)  # exp makes of a rounding of x - m a hundred
        finite = np.where(np.isfinite(x), np.abs(R.wide(x)), 0).max(-1, keepdims=True, initial=1)
        same("log_softmax", K.log_softmax(x), logs, d, 16, finite)
        x = floats(rng, d, *shape)
        y, logs = R.softmax(R.wide(x)), R.log_softmax(R.wide(x))
        scale = np.abs(R.wide(g)).sum(-1, keepdims=True) + 1
        same("softmax_backward", K.softmax_backward(g, y.astype(d)), R.softmax_backward(R.wide(g), y), d, 16, scale)
        found = K.log_softmax_backward(g, logs.astype(d))
        same("log_softmax_backward", found, R.log_softmax_backward(R.wide(g), logs), d, 64, scale)


@case
def losses(rng: Rng, d: Any) -> None:
    rows, classes = size(rng, 60), size(rng, 90, 1)
    x = floats(rng, d, rows, classes)
    target = rng.integers(0, classes, rows)
    ignore = -100
    if rng.random() < 0.5 and rows:
        ignore = int(rng.choice([-100, 0]))
        target[rng.integers(0, rows)] = ignore
    weight = maybe(rng, rng.random(classes).astype(d))
    w, scale = R.wide(weight), float(rng.random())
    logs = R.log_softmax(R.wide(x)) if rows else R.wide(x)
    top = np.abs(logs).sum() + rows + 1
    same("nll", K.nll(logs.astype(d), target, weight, ignore), R.nll(logs, target, w, ignore), d, 16, top)
    for keep in (False, True):
        found = K.cross_entropy(x, target, weight, ignore, keep)
        same("cross_entropy", found and found[0], R.nll(logs, target, w, ignore), d, 16, top)
    same("nll_backward", K.nll_backward(x.shape, x.dtype, target, scale, weight, ignore),
         R.nll_backward(x.shape, target, scale, w, ignore), d, 4)  # fmt: skip
    if rows:
        shares = found[1] if found else None
        same("cross_entropy_backward", K.cross_entropy_backward(shares, target, scale, weight, ignore),
             R.cross_entropy_backward(R.wide(x), target, scale, w, ignore), d, 32, scale)  # fmt: skip
        target[rng.integers(0, rows)] = classes
        unhandled("nll", K.nll(x, target, weight, ignore))
        unhandled("cross_entropy", K.cross_entropy(x, target, weight, ignore))
        unhandled("cross_entropy_backward", K.cross_entropy_backward(x, target, scale, weight, ignore))


@case
def layer_norm(rng: Rng, d: Any) -> None:
    rows, width = size(rng, 50), size(rng, 300, 1)
    x, g = floats(rng, d, rows, width) + d.type(rng.choice([0, 3])), floats(rng, d, rows, width)
    weight, bias = maybe(rng, floats(rng, d, width)), maybe(rng, floats(rng, d, width))
    found = K.layer_norm(x, weight, bias, 1e-2)
    y, mean, inverse = R.layer_norm(R.wide(x), R.wide(weight), R.wide(bias), 1e-2)
    if found is None:
        raise Differs("layer_norm: not handled")
    spread = 1 + np.abs(R.wide(x)).max(initial=0)
    size_of = spread * 10 * (1 + (0 if weight is None else np.abs(weight).max()))
    same("layer_norm", found[0], y, d, 64, size_of)
    same("layer_norm mean", found[1], mean, d, 16, spread)
    same("layer_norm inverse", found[2], inverse, d, 256)
    needs = (bool(rng.random() < 0.8), bool(rng.random() < 0.8), True)
    back = K.layer_norm_backward(g, x, mean.astype(d), inverse.astype(d), weight, needs)
    if back is None:
        raise Differs("layer_norm_backward: not handled")
    expected = R.layer_norm_backward(R.wide(g), R.wide(x), mean, inverse, R.wide(weight))
    scale = (1 + np.abs(g).max(initial=0)) * size_of * 10
    for part, right, need in zip(back, expected, needs):
        if need:
            same("layer_norm_backward", part, right, d, 64, scale * (1 + (rows if right.ndim == 1 else 0)))


@case
def channel_norms(rng: Rng, d: Any) -> None:
    groups, each = size(rng, 4, 1), size(rng, 5, 1)
    shape = size(rng, 6, 1), groups * each, size(rng, 60, 1)
    x, g = floats(rng, d, *shape), floats(rng, d, *shape)
    weight, bias = maybe(rng, floats(rng, d, shape[1])), maybe(rng, floats(rng, d, shape[1]))
    wx, wg, ww = R.wide(x), R.wide(g), R.wide(weight)
    found = K.batch_moments(x)
    mean, variance = wx.mean((0, 2)), wx.var((0, 2))
    spread = 1 + np.abs(wx).max()
    if found is None:
        raise Differs("batch_moments: not handled")
    same("batch mean", found[0], mean, d, 16, spread)
    same("batch variance", found[1], variance, d, 64, spread**2)
    inverse = 1 / np.sqrt(variance + 0.1)
    m, i = mean.astype(d), inverse.astype(d)
    top = spread * 20 * (1 + (0 if weight is None else np.abs(weight).max()))
    same("batch_norm", K.batch_norm(x, m, i, weight, bias), R.batch_norm(wx, m, i, ww, R.wide(bias)), d, 16, top)
    back_scale = top * (1 + np.abs(g).max()) * 10
    for train in (True, False):
        back = K.batch_norm_backward(g, x, m, i, weight, train)
        for part, right in zip(back or (None,), R.batch_norm_backward(wg, wx, mean, inverse, ww, train)):
            same("batch_norm_backward", part, right, d, 64, back_scale * (1 + (x.size if right.ndim == 1 else 0)))
    group = K.group_norm(x, groups, weight, bias, 0.1)
    right_group = R.group_norm(wx, groups, ww, R.wide(bias), 0.1)
    for part, right in zip(group or (None,), right_group):
        same("group_norm", part, right, d, 64, top)
    _, m, i = right_group
    back = K.group_norm_backward(g, x, m.astype(d), i.astype(d), groups, weight)
    for part, right in zip(back or (None,), R.group_norm_backward(wg, wx, m, i, groups, ww)):
        same("group_norm_backward", part, right, d, 64, back_scale * (1 + (x.size if right.ndim == 1 else 0)))


@case
def products(rng: Rng, d: Any) -> None:
    m, n, k = (size(rng, 150) for _ in range(3))
    batch = [size(rng, 3, 1) for _ in range(rng.integers(0, 3))]

    def matrix(rows: int, columns: int) -> Any:
        own = [b if rng.random() < 0.8 else 1 for b in batch]
        layout = rng.random()
        if layout < 0.4:
            return floats(rng, d, *own, rows, columns)
        if layout < 0.7:
            return floats(rng, d, *own, columns, rows).swapaxes(-1, -2)
        return floats(rng, d, *own, rows, columns + 3)[..., 1 : columns + 1]  # rows apart, as columns of a larger one

    a, b, bias = matrix(m, k), matrix(k, n), maybe(rng, floats(rng, d, n))
    with np.errstate(all="ignore"):
        expected = R.wide(a) @ R.wide(b) + (0 if bias is None else bias)
        scale = np.abs(R.wide(a)) @ np.abs(R.wide(b)) + 10
    same("matmul", K.matmul(a, b, bias), expected, d, 4 + 0.2 * k, scale)


@case
def attention(rng: Rng, d: Any) -> None:
    batch, heads, length, keys, width, v_width = (size(rng, n, 1) for n in (3, 3, 150, 150, 20, 20))
    is_causal = bool(rng.random() < 0.5)
    if rng.random() < 0.3:
        keys, v_width = length, width
        x = floats(rng, d, batch, length, 3, heads, width)
        q, k, v = (x[:, :, i].swapaxes(1, 2) for i in range(3))
    else:
        q, k = floats(rng, d, batch, heads, length, width), floats(rng, d, batch, heads, keys, width)
        v = floats(rng, d, batch, heads, keys, v_width)
    g = floats(rng, d, batch, heads, length, v_width)
    wq, wk, wv, wg = map(R.wide, (q, k, v, g))
    mask = maybe(rng, floats(rng, d, *[int(rng.choice([1, n])) for n in (batch, heads, length, k.shape[2])]))
    if mask is not None and rng.random() < 0.5:
        mask[rng.random(mask.shape) < 0.3] = -np.inf
    out, logs, shares = R.attention(wq, wk, wv, is_causal, mask)
    found = K.attention(q, k, v, mask, is_causal)
    if found is None:
        raise Differs("attention: not handled")
    big = (1 + np.abs(q).max() * np.abs(k).max() * width) * 4
    same("attention", found[0], out, d, 64, (1 + np.abs(v).max()) * big)
    same("attention logs", found[1], logs, d, 64, big)
    back = K.attention_backward(g, q, k, v, out.astype(d), logs.astype(d), mask, is_causal)
    scale = big * (1 + np.abs(g).max()) * (1 + np.abs(v).max()) * (1 + max(np.abs(q).max(), np.abs(k).max())) * length
    for part, right in zip(back or (None,), R.attention_backward(wg, wq, wk, wv, shares)):
        same("attention_backward", part, right, d, 64, scale)


@case
def convolution(rng: Rng, d: Any) -> None:
    n = int(rng.integers(1, 4))
    groups = int(rng.choice([1, 1, 2, 3]))
    weight_size = tuple([size(rng, (5, 3, 2)[n - 1], 1) for _ in range(n)])
    stride, dilation = (tuple([int(rng.choice([1, 1, 2, 3])) for _ in range(n)]) for _ in range(2))
    padding = tuple([size(rng, 3) for _ in range(n)])
    image = tuple([size(rng, (60, 20, 8)[n - 1], 1) for _ in range(n)])
    samples, channels, outs = size(rng, 10, 1), size(rng, 5 if n > 1 else 20, 1), size(rng, 11, 1)
    if rng.random() < 0.2:  # so many that they become products
        samples, channels, outs = size(rng, 3, 1), int(rng.integers(16, 36)), int(rng.integers(16, 72))
    if n == 2 and rng.random() < 0.03:  # kernels and images for Winograd's algorithm
        samples, channels, outs, groups = size(rng, 3, 2), int(rng.choice([16, 32])), int(rng.choice([32, 48, 80])), 1
        weight_size, stride, dilation = (3, 3), (1, 1), (1, 1)
        image = (int(rng.integers(7, 15)), int(rng.choice([19, 34, 130])))
    x = floats(rng, d, samples, groups * channels, *image)
    weight = floats(rng, d, groups * outs, channels, *weight_size)
    bias = maybe(rng, floats(rng, d, len(weight)))
    y = K.convolution(x, weight, bias, stride, padding, dilation, groups)
    out = K.output_size(image, weight_size, stride, padding, dilation)
    if min(out) < 1:
        unhandled("convolution", y)
        return
    g = floats(rng, d, len(x), len(weight), *out)
    given = R.wide(x), R.wide(weight), R.wide(bias), R.wide(g)
    right = R.convolution_and_gradients(*given, out, stride, padding, dilation, groups)
    scale = (1 + np.abs(x).max() * np.abs(weight).max()) * weight[0].size
    same("convolution", y, right[0], d, 16, scale)
    scale = (1 + np.abs(g).max() * np.abs(weight).max()) * weight.size
    found = K.convolution_input_gradient(g, weight, x.shape, stride, padding, dilation, groups)
    if found is not None:  # windows that are much larger than images are declined
        same("convolution_input_gradient", found, right[1], d, 16, scale)
    scale = (1 + np.abs(g).max() * np.abs(x).max()) * g[:, 0].size
    found = K.convolution_weight_gradient(g, x, weight.shape, stride, padding, dilation, groups)
    same("convolution_weight_gradient", found, right[2], d, 16, scale)


@case
def pooling(rng: Rng, d: Any) -> None:
    n = int(rng.integers(1, 4))
    window = tuple([2] * n) if rng.random() < 0.4 else tuple([size(rng, 4, 1) for _ in range(n)])
    stride = window if rng.random() < 0.5 else tuple([size(rng, 3, 1) for _ in range(n)])
    padding = (0,) * n if rng.random() < 0.5 else tuple([size(rng, k // 2) for k in window])
    image = tuple([size(rng, (60, 20, 8)[n - 1], 1) for _ in range(n)])
    out = K.output_size(image, window, stride, padding, (1,) * n)
    x = floats(rng, d, size(rng, 3, 1), size(rng, 4, 1), *image, special=True)
    found = K.max_pool(x, out, window, stride, padding, (1,) * n)
    if min(out) < 1:
        unhandled("max_pool", found)
        return
    values, which, index = R.max_pool(x, out, window, stride, padding, (1,) * n)
    if found is None:
        raise Differs("max_pool: not handled")
    same("max_pool", found[0], values, d, 0)
    if (found[1] != which).any():
        raise Differs("max_pool: which")
    g = floats(rng, d, *found[0].shape)
    g_x = np.zeros((x.shape[0] * x.shape[1], int(np.prod(image))))
    np.add.at(g_x, (np.arange(len(g_x))[:, None], index.reshape(len(g_x), -1)), R.wide(g).reshape(len(g_x), -1))
    back = K.max_pool_backward(g, found[1], x.shape, window, stride, padding, (1,) * n)
    same("max_pool_backward", back, g_x.reshape(x.shape), d, 8, 100)
    x = floats(rng, d, *x.shape)
    include, divisor = bool(rng.random() < 0.5), maybe(rng, 3)
    y, g_x = R.average_pool_and_gradient(R.wide(x), R.wide(g), window, stride, padding, include, divisor)
    same("average_pool", K.average_pool(x, out, window, stride, padding, include, divisor), y, d, 16, 100)
    back = K.average_pool_backward(g, x.shape, window, stride, padding, include, divisor)
    same("average_pool_backward", back, g_x, d, 16, 100)


@case
def recurrent(rng: Rng, d: Any) -> None:
    batch, width, length = size(rng, 40, 1), size(rng, 40, 1), size(rng, 8, 1)
    sizes = np.sort(rng.integers(1, batch + 1, length))[::-1]
    sizes[0] = batch
    steps = K.Steps.of(sizes, reverse=bool(rng.random() < 0.5))
    rows = int(sizes.sum())
    h, c, g_h, g_c = (floats(rng, d, batch, width) for _ in range(4))
    g_out = floats(rng, d, rows, width)
    gates, weight = floats(rng, d, rows, 4 * width), floats(rng, d, 4 * width, width) / d.type(width)
    found = K.lstm(gates, weight, h, c, steps)
    if found is None:
        raise Differs("lstm: not handled")
    back = K.lstm_backward(g_out, g_h, g_c, weight, steps, found[3])
    alone = K.lstm(gates, weight, h, c, steps, keep=False)
    wh, w_up, w_gh = R.wide(h), R.wide(g_out), R.wide(g_h)
    right = R.lstm(R.wide(gates), R.wide(weight), wh, R.wide(c), steps, w_up, w_gh, R.wide(g_c))
    names = "out", "h", "c", "g_gates", "g_h", "g_c"
    for name, part, expected in zip(names, (*found[:3], *(back or (None,))), right):
        same(f"lstm {name}", part, expected, d, 512, 10 * (1 + np.abs(expected).max()))
    same("lstm that keeps nothing", alone and alone[0], right[0], d, 512, 10)
    gates, weight, bias = gates[:, : 3 * width].copy(), weight[: 3 * width], maybe(rng, floats(rng, d, width))
    made = K.gru(gates, weight, bias, h, steps)
    if made is None:
        raise Differs("gru: not handled")
    only = K.gru(gates, weight, bias, h, steps, keep=False)
    found_back = K.gru_backward(g_out, g_h, weight, steps, made[2])
    if found_back is None or only is None:
        raise Differs("gru: not handled")
    by_h, by_gates, g_h0 = found_back[0][:, :width], found_back[0][:, width:], found_back[1]
    parts = *made[:2], by_gates, np.concatenate((by_gates[:, : 2 * width], by_h), 1), g_h0
    right = R.gru(R.wide(gates), R.wide(weight), R.wide(bias), wh, steps, w_up, w_gh)
    for name, part, expected in zip(("out", "h", "by input", "by h", "g_h"), parts, right):
        same(f"gru {name}", part, expected, d, 512, 10 * (1 + np.abs(expected).max()))
    same("gru that keeps nothing", only[0], right[0], d, 512, 10)


@case
def optimizers(rng: Rng, d: Any) -> None:
    n = size(rng, 300)
    p, g, m, v, top = (floats(rng, d, n) for _ in range(5))
    v, top = np.abs(v), maybe(rng, np.abs(top))
    options: Any = {"share": 0.1, "beta2": 0.99, "eps": 1e-3, "size": -0.01, "shrink": 0.999, "decay": 0.01}
    maximize = bool(rng.random() < 0.5)
    wp, wg, wm, wv, wt = map(R.wide, (p, g, m, v, top))
    wp = wp * 0.999
    wg = (-wg if maximize else wg) + 0.01 * wp
    wm, wv = wm + 0.1 * (wg - wm), 0.99 * wv + 0.01 * wg * wg
    wt = None if wt is None else np.maximum(wt, wv)
    wp = wp - 0.01 * wm / (np.sqrt(wv if wt is None else wt) + 1e-3)
    if not K.adam_(p, g, m, v, top, **options, maximize=maximize):
        raise Differs("adam: not handled")
    for found, right in ((p, wp), (m, wm), (v, wv), (top, wt)):
        if right is not None:
            same("adam", found, right, d, 16, 100)
    buffer, nesterov, first = maybe(rng, floats(rng, d, n)), bool(rng.random() < 0.5), bool(rng.random() < 0.3)
    momentum = 0.0 if buffer is None else 0.9
    wp, wg, wb = R.wide(p), R.wide(g), R.wide(buffer)
    wg = wg + 0.1 * wp
    if wb is not None:
        wb = wg if first else 0.9 * wb + 0.8 * wg
        wg = wg + 0.9 * wb if nesterov else wb
    wp = wp - 0.01 * wg
    if not K.sgd_(p, g, buffer, lr=0.01, momentum=momentum, dampening=0.2, decay=0.1, nesterov=nesterov, first=first):
        raise Differs("sgd: not handled")
    same("sgd", p, wp, d, 16, 100)
    if wb is not None:
        same("sgd buffer", buffer, wb, d, 16, 100)
    if n > 2:
        unhandled("adam of overlapping arrays", K.adam_(p[1:], p[:-1], m[1:], v[1:], None, **options))


@case
def indexing(rng: Rng, d: Any) -> None:
    shape = [size(rng, 6, 1) for _ in range(rng.integers(1, 4))]
    dim = int(rng.integers(0, len(shape)))
    count = size(rng, 9)
    out = floats(rng, d, *shape)
    source = floats(rng, d, *shape[:dim], count, *shape[dim + 1 :])
    index = rng.integers(0, shape[dim], count)
    right = R.wide(out)
    at: Any = (*[slice(None)] * dim, index)
    np.add.at(right, at, 0.5 * R.wide(source))
    if not K.index_add_(out, dim, index, source, 0.5):
        raise Differs("index_add: not handled")
    same("index_add", out, right, d, 16, 100)
    places = rng.integers(0, shape[dim], source.shape)
    where = list(np.indices(source.shape))
    where[dim] = places
    right = R.wide(out)
    np.add.at(right, tuple(where), R.wide(source))
    if not K.scatter_add_(out, dim, places, source):
        raise Differs("scatter_add: not handled")
    same("scatter_add", out, right, d, 16, 100)
    if count:
        before = out.copy()
        for wrong in (shape[dim], -1):
            index[-1] = places.reshape(-1)[-1] = wrong
            unhandled("index_add", K.index_add_(out, dim, index, source))
            unhandled("scatter_add", K.scatter_add_(out, dim, places, source))
        if (out != before).any():
            raise Differs("index_add: changed what it declined")


class Pure(Generator):
    """A generator that never asks the library."""

    def natively(self, name: str, *given: Any) -> bool:
        return False


@case
def draws(rng: Rng, d: Any) -> None:
    """One draw after the other, from a place in the middle of a stream: the numbers, and where they leave it."""
    streams = Pure().manual_seed(int(rng.integers(2**40))), Generator()
    streams[0].words(size(rng, 1300, 1))
    if rng.random() < 0.5:
        streams[0].next_normal = 0.5
    streams[1].set_state(streams[0].get_state())
    for _ in range(5):
        name, n = str(rng.choice([*R.DRAWS])), size(rng, 3000 if rng.random() < 0.1 else 70)
        given = floats(rng, d, n), floats(rng, d, n)
        expected, found = (R.DRAWS[name](stream, *[x.copy() for x in given]) for stream in streams)
        for part, right in zip(found, expected):
            if part.dtype.kind != "f":
                part, right = part.astype(d), right.astype(d)
            ulps = 0 if name in R.EXACT_DRAWS else 8
            same(name, part, right, part.dtype, ulps, 1 + np.abs(right))
        pure, fast = (stream.get_state().numpy().copy() for stream in streams)
        waiting = slice(5024, 5032)
        same("normal that waits", fast[waiting].view("f8"), pure[waiting].view("f8"), np.dtype("f8"), 4)
        pure[waiting] = fast[waiting]
        if (pure != fast).any():
            raise Differs(f"{name}: another place in the stream")
        streams[1].set_state(streams[0].get_state())


def run(calls: int, seed: int, only: str | None = None) -> int:
    """So many draws; 0 if all agree."""
    rng = np.random.default_rng(seed)
    names = [only] if only else [*CASES]
    loaded = library.load()
    if loaded is None:
        print(f"facula: the native library is not in use: {library.why_not()}", file=sys.stderr)
        return 1
    for i in range(calls):
        name, d = names[i % len(names)], np.dtype(rng.choice(["f4", "f8"]))
        loaded.set_threads(int(rng.integers(1, 4)))
        state = rng.bit_generator.state
        try:
            CASES[name](rng, d)
        except Differs as error:
            print(f"call {i}, {name}: {error}\n{state}", file=sys.stderr)
            return 1
    print(f"{calls} random calls of {len(names)} kinds agree with NumPy")
    return 0


if __name__ == "__main__":
    options = argparse.ArgumentParser(prog="python -m facula.native.check", description=__doc__)
    options.add_argument("calls", type=int, nargs="?", default=2000)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--only", choices=[*CASES])
    given = options.parse_args()
    sys.exit(run(given.calls, given.seed, given.only))
