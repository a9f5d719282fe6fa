"""Forward mode and ``vmap`` of every differentiable primitive, at the samples its gradients are checked at.

Gradients are held to finite differences elsewhere; here tangents are held to gradients, and batches to single items.
"""

from __future__ import annotations

import re
import warnings
from contextlib import nullcontext
from typing import Any

import pytest

import facula as torch
from facula.func import jvp, vjp, vmap

from .op_samples import SAMPLES

CASES = [(name, i) for name, samples in SAMPLES.items() for i in range(len(samples))]
IDS = [f"{name}-{i}" for name, i in CASES]


def flat(result: Any) -> list[Any]:
    outs = result if isinstance(result, (tuple, list)) else [result]
    return [out for out in outs if out.is_floating_point() or out.is_complex()]


def direction(t: Any, k: float) -> Any:
    n = max(t.numel(), 1)
    wave = torch.sin(torch.arange(n, dtype=torch.float64) * 1.7 + k)[: t.numel()].reshape(t.shape)
    if t.is_complex():
        return torch.complex(wave, torch.cos(wave * 3 + k))
    return wave.to(t.dtype)


def inner(a: Any, b: Any) -> float:
    return float((a.conj() * b).real.sum() if a.is_complex() else (a * b).sum())


@pytest.mark.parametrize(("name", "i"), CASES, ids=IDS)
def test_tangents_agree_with_gradients(name: str, i: int) -> None:
    fn, inputs = SAMPLES[name][i]
    inputs = tuple(x.detach() for x in inputs)

    def floats(*args: Any) -> Any:
        return tuple(flat(fn(*[a.clone() for a in args])))

    outs, pull = vjp(floats, *inputs)
    cotangents = tuple(direction(o, 0.3) for o in outs)
    grads = pull(cotangents)
    tangents = tuple(direction(x, 0.9) for x in inputs)
    values, slopes = jvp(floats, inputs, tangents)
    for value, out, slope in zip(values, outs, slopes, strict=True):
        assert torch.allclose(value, out, equal_nan=True)
        assert slope.shape == out.shape
        assert slope.dtype == out.dtype
    pushed = sum(inner(v, s) for v, s in zip(cotangents, slopes))
    pulled = sum(inner(g, t) for g, t in zip(grads, tangents))
    assert pushed == pytest.approx(pulled, rel=1e-6, abs=1e-7)


def items(inputs: tuple[Any, ...], size: int = 3) -> tuple[Any, ...]:
    return tuple(torch.stack([x * (1 - 0.003 * k) for k in range(size)]) for x in inputs)


WRITE_TO_THE_FIRST = {
    "eq_tensor", "ne_tensor", "lt_tensor", "le_tensor", "gt_tensor", "ge_tensor", "copy", "fill_tensor",
}  # fmt: skip
WRITE_TO_STATISTICS = {
    ("native_batch_norm", 0), ("native_batch_norm", 1), ("native_batch_norm_backward", 0),
    ("native_batch_norm_legit", 0), ("batch_norm_with_update", 0),
}  # fmt: skip


def refusal(name: str, i: int, dims: tuple[Any, ...]) -> str | None:
    """How PyTorch refuses to write into a tensor that all items share, here as there."""
    if (name, i) in WRITE_TO_STATISTICS:
        return "Batch norm got a batched tensor as input"
    if name in WRITE_TO_THE_FIRST and dims[0] is None:
        return "vmap: inplace arithmetic(self, *extra_args) is not possible"
    return None


def compare(name: str, i: int, fn: Any, batched: tuple[Any, ...], dims: tuple[Any, ...]) -> None:
    message = refusal(name, i, dims)
    with nullcontext() if message is None else pytest.raises(RuntimeError, match=re.escape(message)):
        _compare(fn, batched, dims)


def _compare(fn: Any, batched: tuple[Any, ...], dims: tuple[Any, ...]) -> None:
    def floats(*args: Any) -> Any:
        return tuple(flat(fn(*[a.clone() for a in args])))

    size = next(b.shape[0] for b, d in zip(batched, dims) if d is not None)
    found = vmap(floats, in_dims=dims)(*batched)
    wanted = [floats(*[b if d is None else b[k] for b, d in zip(batched, dims)]) for k in range(size)]
    for column, result in zip(zip(*wanted, strict=True), found, strict=True):
        assert torch.allclose(result, torch.stack(list(column)), equal_nan=True, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize(("name", "i"), CASES, ids=IDS)
def test_vmap_is_a_loop(name: str, i: int) -> None:
    fn, inputs = SAMPLES[name][i]
    inputs = tuple(x.detach() for x in inputs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compare(name, i, fn, items(inputs), (0,) * len(inputs))
        if len(inputs) > 1:
            for k in range(len(inputs)):
                mixed = tuple(items((x,))[0] if j == k else x for j, x in enumerate(inputs))
                compare(name, i, fn, mixed, tuple(0 if j == k else None for j in range(len(inputs))))


@pytest.mark.parametrize(("name", "i"), CASES, ids=IDS)
def test_gradients_of_items(name: str, i: int) -> None:
    fn, inputs = SAMPLES[name][i]
    inputs = tuple(x.detach() for x in inputs)

    def gradients(*args: Any) -> Any:
        outs, pull = vjp(lambda *a: tuple(flat(fn(*[x.clone() for x in a]))), *args)
        return pull(tuple(direction(o, 0.3) for o in outs))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compare(name, i, gradients, items(inputs), (0,) * len(inputs))
