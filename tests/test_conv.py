"""Convolutions: each way of laying columns out against plain loops; layers; errors."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import facula as torch
import facula.nn as nn
import facula.nn.functional as F
from facula.ops.arrays.images import convolution as kernels
from facula.ops.arrays.images import depthwise, patches, winograd


def by_loops(x: Any, w: Any, stride: Any, padding: Any, dilation: Any, groups: int) -> Any:
    x = np.pad(x, [(0, 0), (0, 0), *[(p, p) for p in padding]])
    kernel = w.shape[2:]
    out = [(n - d * (k - 1) - 1) // s + 1 for n, k, s, d in zip(x.shape[2:], kernel, stride, dilation)]
    y = np.zeros((x.shape[0], w.shape[0], *out))
    ins, outs = x.shape[1] // groups, w.shape[0] // groups
    for g in range(groups):
        part = x[:, g * ins : (g + 1) * ins]
        for at in product(*map(range, out)):
            seen = [slice(i * s, i * s + d * (k - 1) + 1, d) for i, s, d, k in zip(at, stride, dilation, kernel)]
            patch: Any = part[(..., *seen)]
            weights = w[g * outs : (g + 1) * outs].reshape(outs, -1)
            place: Any = (slice(None), slice(g * outs, (g + 1) * outs), *at)
            y[place] = patch.reshape(x.shape[0], -1) @ weights.T
    return y


GEOMETRIES = [
    # input, weight, stride, padding, dilation, groups
    ((2, 3, 9), (4, 3, 3), (1,), (1,), (1,), 1),
    ((2, 3, 9), (4, 3, 3), (2,), (0,), (2,), 1),
    ((3, 8, 6, 5), (4, 8, 3, 2), (1, 1), (1, 0), (1, 1), 1),
    ((3, 8, 7, 7), (4, 8, 3, 3), (2, 1), (2, 1), (1, 2), 1),
    ((2, 20, 6, 5), (3, 20, 3, 3), (1, 1), (0, 3), (2, 1), 1),
    ((2, 4, 6, 5), (6, 2, 2, 3), (1, 2), (1, 1), (1, 1), 2),
    ((2, 4, 6, 5), (8, 1, 2, 3), (1, 1), (1, 1), (2, 1), 4),
    ((2, 4, 6, 5), (4, 1, 3, 3), (2, 2), (1, 1), (1, 1), 4),
    ((2, 4, 6, 5), (3, 4, 1, 1), (2, 1), (0, 1), (1, 1), 1),
    ((1, 2, 4, 5, 4), (3, 2, 2, 3, 2), (1, 1, 2), (1, 0, 1), (1, 1, 1), 1),
]

WAYS: dict[str, dict[str, Any]] = {
    "as chosen": {},
    "joined": {"_is_joinable": lambda *_: True},
    "by rows": {"_is_joinable": lambda *_: False, "_goes_by_rows": lambda c, k, s: s[0] == 1},
    "by samples": {"_is_joinable": lambda *_: False, "_goes_by_rows": lambda *_: False},
    "turned": {"_is_worth_turning": lambda *_: True},
    "patches added": {"_is_worth_turning": lambda *_: False},
    "in small blocks": {"_MANY_ROWS": 600},
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("geometry", GEOMETRIES, ids=str)
def test_all_layouts_agree(way: str, geometry: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in WAYS[way].items():
        monkeypatch.setattr(kernels, name, value)
    if way == "in small blocks":
        monkeypatch.setattr(patches, "_CACHED", 600)
        monkeypatch.setattr(depthwise, "_CACHED", 600)
    shape, weight_shape, *how = geometry
    rng = np.random.default_rng(0)
    x, w = rng.standard_normal(shape), rng.standard_normal(weight_shape)
    y = kernels.convolve(x, w, *how)
    np.testing.assert_allclose(y, by_loops(x, w, *how), atol=1e-12)
    # <g, conv(x, w)> is linear in each of the three
    g = rng.standard_normal(y.shape)
    dx = kernels.convolve_input(g, w, shape[2:], *how)
    dw = kernels.convolve_weight(g, x, weight_shape[2:], *how)
    assert dx.shape == shape
    assert dw.shape == weight_shape
    other_x, other_w = rng.standard_normal(shape), rng.standard_normal(weight_shape)
    assert np.sum(dx * other_x) == pytest.approx(np.sum(g * kernels.convolve(other_x, w, *how)))
    assert np.sum(dw * other_w) == pytest.approx(np.sum(g * kernels.convolve(x, other_w, *how)))


@pytest.mark.parametrize("at_once", [20, 900])
@pytest.mark.parametrize("sizes", [(1, 6, 6), (3, 7, 10), (5, 12, 5)])
@pytest.mark.parametrize("padding", [(0, 0), (1, 2), (3, 1)])
def test_by_tiles(at_once: int, sizes: Any, padding: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(winograd, "_COLUMNS", at_once)
    monkeypatch.setattr(winograd, "suits", lambda x, kernel, *_: True)
    n, *spatial = sizes
    how = (1, 1), padding, (1, 1), 1
    rng = np.random.default_rng(0)
    x, w = rng.standard_normal((n, 3, *spatial)), rng.standard_normal((4, 3, 3, 3))
    y = kernels.convolve(x, w, *how)
    np.testing.assert_allclose(y, by_loops(x, w, *how), atol=1e-12)
    g = rng.standard_normal(y.shape)
    found = [kernels.convolve_input(g, w, x.shape[2:], *how), kernels.convolve_weight(g, x, (3, 3), *how)]
    monkeypatch.setattr(winograd, "suits", lambda *_: False)
    wanted = [kernels.convolve_input(g, w, x.shape[2:], *how), kernels.convolve_weight(g, x, (3, 3), *how)]
    for one, other in zip(found, wanted):
        np.testing.assert_allclose(one, other, atol=1e-12)


@pytest.mark.parametrize("value", [np.inf, np.nan, 3e38])
def test_tiles_keep_infinities_where_they_belong(value: float) -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((2, 32, 40, 40)).astype(np.float32)
    w = rng.standard_normal((32, 32, 3, 3)).astype(np.float32)
    assert winograd.suits(x, (3, 3), (40, 40), (1, 1), (1, 1), 32)
    clean = F.conv2d(torch.from_numpy(x), torch.from_numpy(w), padding=1)
    x[1, 4, 10, 20] = value
    found = F.conv2d(torch.from_numpy(x), torch.from_numpy(w), padding=1)
    seen = np.zeros(found.shape, bool)
    seen[1, :, 9:12, 19:22] = True
    np.testing.assert_allclose(found.numpy()[~seen], clean.numpy()[~seen], rtol=1e-4, atol=1e-4)
    assert (np.isnan(found.numpy()[seen]) if value != value else np.abs(found.numpy()[seen]) > 1e30).all()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.int32, torch.uint8])
def test_dtypes(dtype: Any) -> None:
    x, w = torch.ones(1, 2, 4, 4, dtype=dtype), torch.ones(3, 2, 2, 2, dtype=dtype)
    y = F.conv2d(x, w)
    assert y.dtype is dtype
    assert y.eq(8).all()


def test_transposed_convolution_is_the_adjoint() -> None:
    x, w = torch.randn(2, 3, 5, 6), torch.randn(4, 3, 3, 3)
    y = F.conv2d(x, w, stride=2, padding=1)
    g = torch.randn_like(y)
    back = F.conv_transpose2d(g, w, stride=2, padding=1, output_padding=(0, 1))
    assert torch.allclose((y * g).sum(), (x * back).sum(), rtol=1e-4)


def test_saves_input_and_weight_whatever_needs_gradients() -> None:
    x, w = torch.randn(1, 2, 4, 4), torch.randn(3, 2, 3, 3, requires_grad=True)
    y = F.conv2d(x, w)
    assert type(y.grad_fn).__name__ == "ConvolutionBackward0"
    assert y.grad_fn._saved_weight is w
    assert y.grad_fn._saved_bias_sym_sizes_opt == (0,)
    with torch.no_grad():
        w.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_same_padding() -> None:
    x = torch.randn(2, 3, 8, requires_grad=True)
    with pytest.warns(UserWarning, match="zero-padded copy") if not _told() else _nothing():
        y = F.conv1d(x, torch.randn(4, 3, 4), padding="same")
    assert y.shape == (2, 4, 8)
    assert type(y.grad_fn.next_functions[0][0]).__name__ == "ConstantPadNdBackward0"


def _told() -> bool:
    from facula.ops.images import convolution

    return convolution._told_of_copies


def _nothing() -> Any:
    from contextlib import nullcontext

    return nullcontext()


@pytest.mark.parametrize(
    ("x", "w", "how", "message"),
    [
        ((2, 3, 8, 8), (4, 2, 3, 3), {}, r"expected input\[2, 3, 8, 8\] to have 2 channels, but got 3 channels"),
        ((3, 8), (4, 3, 3, 3), {}, r"Expected 3D \(unbatched\) or 4D \(batched\) input to conv2d"),
        ((2, 3, 8, 8), (4, 3, 3, 3), {"padding": -1}, "negative padding is not supported"),
        ((2, 3, 8, 8), (4, 3, 3, 3), {"stride": 0}, "non-positive stride is not supported"),
        ((2, 3, 8, 8), (4, 3, 3, 3), {"groups": 0}, "non-positive groups is not supported"),
        ((2, 4, 8, 8), (5, 2, 3, 3), {"groups": 2}, "expected weight to be divisible by 2 at dimension 0"),
        ((2, 3, 2, 2), (4, 3, 3, 3), {}, r"Kernel size: \(3 x 3\). Kernel size can't be greater than"),
        ((2, 3, 8, 8), (4, 3, 3, 3), {"padding": "same", "stride": 2}, "not supported for strided convolutions"),
    ],
)
def test_errors(x: Any, w: Any, how: Any, message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        F.conv2d(torch.randn(x), torch.randn(w), **how)


def test_layers() -> None:
    layer = nn.Conv2d(4, 8, (3, 5), stride=2, padding=(1, 2), dilation=2, groups=2, bias=False, padding_mode="reflect")
    assert repr(layer) == (
        "Conv2d(4, 8, kernel_size=(3, 5), stride=(2, 2), padding=(1, 2), dilation=(2, 2), groups=2, bias=False, "
        "padding_mode=reflect)"
    )
    assert layer(torch.randn(2, 4, 9, 9)).shape == (2, 8, 4, 3)
    up = nn.ConvTranspose2d(4, 3, 3, stride=2)
    assert up.weight.shape == (4, 3, 3, 3)
    assert up(torch.randn(1, 4, 5, 5), output_size=(12, 12)).shape == (1, 3, 12, 12)
    with pytest.raises(ValueError, match="valid sizes range from"):
        up(torch.randn(1, 4, 5, 5), output_size=(20, 20))
    bound = 1 / (3 * 3 * 3) ** 0.5
    assert up.weight.abs().max() <= bound
    for mode in ("zeros", "reflect", "replicate", "circular"):
        assert nn.Conv1d(2, 3, 4, padding="same", padding_mode=mode)(torch.randn(2, 9)).shape == (3, 9)


def test_fold_counts_how_often_unfold_sees_each_pixel() -> None:
    ones = torch.ones(1, 2, 4, 5)
    seen = F.fold(F.unfold(ones, 3, padding=1), (4, 5), 3, padding=1)
    assert seen[0, 0].tolist()[0] == [4, 6, 6, 6, 4]
    assert seen[0, 0].tolist()[1] == [6, 9, 9, 9, 6]


def test_shuffles_undo_each_other() -> None:
    x = torch.randn(2, 8, 3, 4)
    assert torch.pixel_unshuffle(torch.pixel_shuffle(x, 2), 2).equal(x)
    assert torch.channel_shuffle(torch.channel_shuffle(x, 2), 4).equal(x)
