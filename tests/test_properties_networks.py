"""Families for networks and linear algebra on drawn sizes: beside PyTorch, if it is there, and plain loops in NumPy."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from .drawing import FLOATS, LOW, Drawn, check, dims, examples, full_shapes, shapes, tensors
from .test_properties import broadcasting, flags

sizes = st.sampled_from((0, 1, 2, 3))
small = st.integers(1, 3)

# ---- products of matrices


@examples(120)
@given(data=st.data(), n=sizes, m=sizes, k=sizes)
def test_matmul(data: Any, n: int, m: int, k: int) -> None:
    batch = data.draw(
        st.sampled_from((((), ()), ((2,), ()), ((), (3,)), ((2,), (2,)), ((2, 1), (3,)), ((1, 2), (3, 1)), ((0,), ())))
    )
    left = data.draw(st.sampled_from(((k,), (*batch[0], n, k))))
    right = data.draw(st.sampled_from(((k,), (*batch[1], k, m))))
    dtypes = (data.draw(st.sampled_from((*FLOATS, *LOW, "int64"))),)
    x, y = data.draw(tensors(left, dtypes)), data.draw(tensors(right, dtypes))
    check(lambda torch, a, b: torch.matmul(a, b), x, y, reference=None if dtypes[0] in LOW else np.matmul)


@examples(50)
@given(data=st.data(), n=sizes, m=sizes, k=sizes)
def test_products_by_name(data: Any, n: int, m: int, k: int) -> None:
    dtypes = FLOATS[:1]
    a, b, c = (data.draw(tensors(shape, dtypes)) for shape in ((n, k), (k, m), (n, m)))
    v, w = data.draw(tensors((k,), dtypes)), data.draw(tensors((n,), dtypes))
    check(
        lambda torch, x, y, z: torch.addmm(z, x, y, beta=0.5, alpha=2),
        a,
        b,
        c,
        reference=lambda x, y, z: 0.5 * z + 2 * x @ y,
    )
    check(lambda torch, x, y: torch.mv(x, y), a, v, reference=np.matmul)
    check(lambda torch, x, y: torch.outer(x, y), v, w, reference=np.outer)
    check(lambda torch, x, y: torch.einsum("ij,jk->ki", x, y), a, b, reference=lambda x, y: (x @ y).T)
    check(lambda torch, x, y: torch.tensordot(x, y, dims=1), a, b, reference=np.matmul)
    check(lambda torch, x, y: torch.nn.functional.linear(x, y.mT), a, b, reference=np.matmul)
    check(lambda torch, x, y: torch.kron(x.contiguous(), y.contiguous()), a, b, reference=np.kron)


# ---- normalizations


@examples(50)
@given(data=st.data(), x=tensors(st.tuples(sizes, small, st.sampled_from((2, 3))), FLOATS + LOW), keep=flags)
def test_normalizations(data: Any, x: Drawn, keep: bool) -> None:
    last = x.array().shape[-1]

    def layer(a: Any) -> Any:
        a = a.astype(np.float64)
        away = a - a.mean(-1, keepdims=True)
        return away / np.sqrt((away * away).mean(-1, keepdims=True) + 0.1)

    f = lambda torch: torch.nn.functional
    check(lambda torch, t: f(torch).layer_norm(t, (last,), eps=0.1), x, reference=layer)
    check(lambda torch, t: f(torch).rms_norm(t, (last,), eps=0.1), x)
    check(lambda torch, t: f(torch).group_norm(t, 1, eps=0.1), x)
    check(lambda torch, t: f(torch).batch_norm(t, None, None, training=True, eps=0.1), x)
    check(lambda torch, t: f(torch).normalize(t + 5.0, dim=-1), x)


@examples(60)
@given(
    data=st.data(),
    x=tensors(dtypes=FLOATS, distinct=True),
    order=st.sampled_from((0, 0.5, 1, 2, 3, float("inf"), -float("inf"))),
    keep=flags,
)
def test_norms_of_vectors(data: Any, x: Drawn, order: float, keep: bool) -> None:
    n = x.array().ndim
    dim = data.draw(dims(n))
    reference = (lambda a: np.linalg.norm(a, order, dim, keep)) if n and 0 not in x.array().shape else None
    check(lambda torch, t: torch.linalg.vector_norm(t, order, dim, keep), x, reference=reference, gradient=order > 0.5)


# ---- convolutions and pooling


def convolved(x: Any, w: Any, stride: int, padding: int, dilation: int, groups: int) -> Any:
    """A convolution of any number of dimensions, output by output."""
    spatial = x.ndim - 2
    x = np.pad(x, [(0, 0), (0, 0), *[(padding, padding)] * spatial])
    reach = [dilation * (k - 1) + 1 for k in w.shape[2:]]
    size = [(n - r) // stride + 1 for n, r in zip(x.shape[2:], reach)]
    out: Any = np.zeros((x.shape[0], w.shape[0], *size))
    per = w.shape[0] // groups
    for at in product(*map(range, size)):
        window = tuple(slice(i * stride, i * stride + r, dilation) for i, r in zip(at, reach))
        for o in range(w.shape[0]):
            first = o // per * w.shape[1]
            part = x[(slice(None), slice(first, first + w.shape[1]), *window)]
            out[(slice(None), o, *at)] = (part * w[o]).sum(tuple(range(1, part.ndim)))
    return out


@examples(60)
@given(
    data=st.data(),
    spatial=st.sampled_from((1, 1, 2, 2, 3)),
    groups=st.integers(1, 2),
    stride=small,
    padding=st.integers(0, 2),
    dilation=st.integers(1, 2),
)
def test_convolutions(data: Any, spatial: int, groups: int, stride: int, padding: int, dilation: int) -> None:
    n, c, o = data.draw(sizes), data.draw(small) * groups, data.draw(small) * groups
    size = data.draw(st.lists(st.integers(1, 6), min_size=spatial, max_size=spatial))
    kernel = data.draw(st.lists(small, min_size=spatial, max_size=spatial))
    dtypes = (data.draw(st.sampled_from(FLOATS)),)
    x, w = data.draw(tensors((n, c, *size), dtypes)), data.draw(tensors((o, c // groups, *kernel), dtypes))
    b = data.draw(tensors((o,), dtypes))
    name = f"conv{spatial}d"
    check(
        lambda torch, *a: getattr(torch.nn.functional, name)(*a, stride, padding, dilation, groups), x, w, b,
        reference=lambda x, w, b: convolved(x, w, stride, padding, dilation, groups) + b.reshape(-1, *[1] * spatial),
    )  # fmt: skip
    more = data.draw(st.integers(0, max(stride, dilation) - 1))
    if not n or any((i - 1) * stride - 2 * padding + dilation * (k - 1) + more < 0 for i, k in zip(size, kernel)):
        return  # some of PyTorch's libraries refuse outputs of size 0, others do not
    back = data.draw(tensors((c, o // groups, *kernel), dtypes))
    name = f"conv_transpose{spatial}d"
    check(lambda torch, *a: getattr(torch.nn.functional, name)(*a, stride, padding, more, groups, dilation), x, back, b)


def pooled(x: Any, kernel: int, stride: int, padding: int, reduce: Any, fill: float) -> Any:
    """Pooling of the last dimension, window by window."""
    x = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(padding, padding)], constant_values=fill)
    size = (x.shape[-1] - kernel) // stride + 1
    return np.stack([reduce(x[..., i * stride : i * stride + kernel], -1) for i in range(size)], -1)


@examples(60)
@given(data=st.data(), kernel=small, stride=small, ceil=flags, spatial=st.sampled_from((1, 2, 3)))
def test_pooling(data: Any, kernel: int, stride: int, ceil: bool, spatial: int) -> None:
    padding = data.draw(st.integers(0, kernel // 2))
    size = data.draw(st.lists(st.integers(1, 6), min_size=spatial, max_size=spatial))
    x = data.draw(
        tensors(
            (data.draw(small), data.draw(small), *size),
            FLOATS,
            distinct=True,
            views=("as it is", "permuted", "with steps"),
        )
    )
    f = lambda torch, name: getattr(torch.nn.functional, f"{name}{spatial}d")
    whole = spatial == 1 and not ceil and size[0] + 2 * padding >= kernel
    largest = (lambda a: pooled(a, kernel, stride, padding, np.max, -np.inf)) if whole else None
    average = (lambda a: pooled(a, kernel, stride, padding, np.mean, 0.0)) if whole else None
    check(lambda torch, t: f(torch, "max_pool")(t, kernel, stride, padding, ceil_mode=ceil), x, reference=largest)
    check(lambda torch, t: f(torch, "avg_pool")(t, kernel, stride, padding, ceil), x, reference=average)
    check(lambda torch, t: f(torch, "adaptive_avg_pool")(t, kernel), x)
    check(lambda torch, t: f(torch, "adaptive_max_pool")(t, kernel), x)


@examples(40)
@given(
    data=st.data(),
    mode=st.sampled_from(("constant", "reflect", "replicate", "circular")),
    x=tensors(st.tuples(small, small, small, small), ("float64",)),
)
def test_padding_and_resizing(data: Any, mode: str, x: Drawn) -> None:
    pad = data.draw(st.lists(st.integers(-1 if mode == "constant" else 0, 2), min_size=4, max_size=4))
    names = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}
    widths = ((0, 0), (0, 0), tuple(pad[2:]), tuple(pad[:2]))
    plain = min(pad) >= 0 and mode != "reflect" and mode != "circular"
    reference = (lambda a: np.pad(a, widths, names[mode])) if plain else None  # type: ignore[call-overload]
    check(lambda torch, t: torch.nn.functional.pad(t, pad, mode), x, reference=reference)
    way = data.draw(st.sampled_from(("nearest", "bilinear", "bicubic", "area")))
    size = (data.draw(small), data.draw(small))
    check(lambda torch, t: torch.nn.functional.interpolate(t, size, mode=way), x)
    check(lambda torch, t: torch.nn.functional.unfold(t, 2, padding=1), x)


# ---- losses


LOSSES: dict[str, Any] = {
    "mse_loss": lambda x, y: (x - y) ** 2,
    "l1_loss": lambda x, y: np.abs(x - y),
    "smooth_l1_loss": lambda x, y: np.where(np.abs(x - y) < 1, (x - y) ** 2 / 2, np.abs(x - y) - 0.5),
    "huber_loss": lambda x, y: np.where(np.abs(x - y) < 1, (x - y) ** 2 / 2, np.abs(x - y) - 0.5),
    "binary_cross_entropy_with_logits": lambda x, y: np.logaddexp(0, x) - x * y,
    "soft_margin_loss": lambda x, y: np.logaddexp(0, -x * y),
    "poisson_nll_loss": lambda x, y: np.exp(x) - x * y,
    "kl_div": lambda x, y: np.where(y > 0, y * (np.log(np.where(y > 0, y, 1)) - x), 0),
}


@examples(80)
@given(
    data=st.data(),
    shape=shapes,
    name=st.sampled_from(sorted(LOSSES)),
    reduction=st.sampled_from(("none", "mean", "sum")),
)
def test_losses(data: Any, shape: tuple[int, ...], name: str, reduction: str) -> None:
    dtypes = (data.draw(st.sampled_from(FLOATS)),)
    x, y = data.draw(tensors(shape, dtypes)), data.draw(tensors(shape, dtypes, low=0.125, high=1.0, constant=True))
    reduce: Any = {"none": lambda a: a, "mean": np.mean, "sum": np.sum}[reduction]
    call = lambda torch, a, b: getattr(torch.nn.functional, name)(a, b, reduction=reduction)
    check(call, x, y, reference=lambda a, b: reduce(LOSSES[name](a, b)), gradient=name != "l1_loss")


@examples(60)
@given(
    data=st.data(),
    n=sizes,
    c=small,
    extra=st.lists(small, max_size=2),
    reduction=st.sampled_from(("none", "mean", "sum")),
    smoothing=st.sampled_from((0.0, 0.2)),
)
def test_cross_entropy(data: Any, n: int, c: int, extra: list[int], reduction: str, smoothing: float) -> None:
    x = data.draw(tensors((n, c, *extra), FLOATS))
    target = np.random.default_rng(data.draw(st.integers(0, 999))).integers(0, c, (n, *extra))
    ignore = data.draw(st.sampled_from((-100, 0)))

    def wanted(a: Any) -> Any:
        a = a.astype(np.float64)
        logs = a - np.log(np.exp(a).sum(1, keepdims=True))
        picked = -np.take_along_axis(logs, target[:, None], 1)[:, 0]
        losses = (1 - smoothing) * picked - smoothing * logs.mean(1)
        losses = np.where(target == ignore, 0, losses)
        if reduction == "mean":
            return losses.sum() / (target != ignore).sum()
        return losses.sum() if reduction == "sum" else losses

    check(
        lambda torch, t: torch.nn.functional.cross_entropy(
            t, torch.tensor(target), ignore_index=ignore, reduction=reduction, label_smoothing=smoothing
        ),
        x, reference=wanted,
    )  # fmt: skip


# ---- Fourier transforms


@examples(60)
@given(
    data=st.data(),
    x=tensors(full_shapes.filter(bool), ("float64", "float32", "complex128")),
    norm=st.sampled_from((None, "ortho", "forward")),
    name=st.sampled_from(("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")),
)
def test_fourier_transforms(data: Any, x: Drawn, norm: Any, name: str) -> None:
    dim, n = data.draw(dims(x.array().ndim)), data.draw(st.none() | st.integers(1, 6))
    check(lambda torch, t: getattr(torch.fft, name)(t, n, dim, norm), x)
    real = x.dtype != "complex128"
    several = "rfftn" if real and name[0] != "i" else "fftn"
    reference = lambda a: getattr(np.fft, several)(a, norm=norm)
    check(lambda torch, t: getattr(torch.fft, several)(t, norm=norm), x, reference=reference)
    check(lambda torch, t: torch.fft.fftshift(t), x, reference=np.fft.fftshift)


# ---- linear algebra


@examples(60)
@given(data=st.data(), n=st.integers(1, 3), batch=st.sampled_from(((), (2,), (2, 1), (0,))))
def test_linear_algebra(data: Any, n: int, batch: tuple[int, ...]) -> None:
    views = ("as it is", "permuted", "with steps")
    x = data.draw(tensors((*batch, n, n), ("float64",), views=views))
    b = data.draw(tensors((*batch, n, 2), ("float64",)))
    regular = lambda torch, t: t @ t.mT + torch.eye(n, dtype=t.dtype) * (1 + torch.arange(n))
    raw = lambda a: a @ np.swapaxes(a, -1, -2) + np.eye(n) * (1 + np.arange(n))
    kinds: dict[str, tuple[Any, Any]] = {
        "det": (lambda torch, t: torch.linalg.det(regular(torch, t)), lambda a: np.linalg.det(raw(a))),
        "slogdet": (
            lambda torch, t: torch.linalg.slogdet(regular(torch, t))[1],
            lambda a: np.linalg.slogdet(raw(a))[1],
        ),
        "inv": (lambda torch, t: torch.linalg.inv(regular(torch, t)), lambda a: np.linalg.inv(raw(a))),
        "cholesky": (lambda torch, t: torch.linalg.cholesky(regular(torch, t)), lambda a: np.linalg.cholesky(raw(a))),
        "matrix_power": (lambda torch, t: torch.linalg.matrix_power(t, 3), lambda a: a @ a @ a),
        "matrix_exp": (lambda torch, t: torch.linalg.matrix_exp(t), None),
        "svdvals": (lambda torch, t: torch.linalg.svdvals(t), None),
        "eigvalsh": (lambda torch, t: torch.linalg.eigvalsh(t), None),
        "trace": (lambda torch, t: t.diagonal(dim1=-2, dim2=-1).sum(-1), lambda a: np.trace(a, axis1=-2, axis2=-1)),
        "triu": (lambda torch, t: torch.triu(t, 1), lambda a: np.triu(a, 1)),
        "fro": (lambda torch, t: torch.linalg.matrix_norm(t), None),
    }
    name = data.draw(st.sampled_from(sorted(kinds)))
    fn, reference = kinds[name]
    check(fn, x, reference=reference, gradient=name not in ("svdvals", "eigvalsh", "fro"))
    check(
        lambda torch, t, r: torch.linalg.solve(regular(torch, t), r),
        x,
        b,
        reference=lambda a, r: np.linalg.solve(raw(a), r),
    )


@examples(30)
@given(pair=broadcasting(("float64",), low=0.25))
def test_similarity(pair: tuple[Drawn, Drawn]) -> None:
    check(lambda torch, a, b: torch.cosine_similarity(a, b, dim=-1), *pair)
