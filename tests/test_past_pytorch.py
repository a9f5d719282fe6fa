"""Derivatives that PyTorch has not implemented, against finite differences.

Where PyTorch is installed it is also asked whether it still refuses; docs/past-pytorch.md has the same list.
"""

from __future__ import annotations

import importlib.util
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import facula
from facula.autograd import gradcheck, gradgradcheck

PAGE = Path(__file__).parent.parent / "docs" / "past-pytorch.md"

Refused = dict[str, tuple[str, Callable[..., Any], list[Any]]]
"""By name: what PyTorch says is missing, a function of a library and tensors, and the tensors' numbers."""


def draw(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng([seed, *shape]).standard_normal(shape)


def attention(**how: Any) -> Callable[..., Any]:
    return lambda torch, q, k, v: torch.nn.functional.scaled_dot_product_attention(
        q, k, v, **{name: torch.tensor(value) if isinstance(value, list) else value for name, value in how.items()}
    )


def heads(torch: Any, x: Any, w: Any, b: Any) -> Any:
    """Self-attention in two heads, as ``nn.MultiheadAttention`` calls it."""
    out, _ = torch.nn.functional.multi_head_attention_forward(
        x, x, x, 4, 2, w, b, None, None, False, 0.0, torch.eye(4, dtype=x.dtype), None, need_weights=False
    )
    return out


def ctc(reduction: str, lengths: tuple[int, int] = (5, 4)) -> Callable[..., Any]:
    return lambda torch, x: torch.nn.functional.ctc_loss(
        x.log_softmax(2), torch.tensor([[1, 2, 2], [3, 1, 1]]), lengths, (3, 1), reduction=reduction
    )


def bag(torch: Any, weight: Any, each: Any) -> Any:
    indices = torch.tensor([0, 2, 2, 4, 1])
    return torch.nn.functional.embedding_bag(indices, weight, torch.tensor([0, 2]), mode="sum", per_sample_weights=each)


def segments(reduce: str) -> Callable[..., Any]:
    return lambda torch, x: torch.segment_reduce(x, reduce, lengths=torch.tensor([2, 1, 3]), axis=0)


def distances(p: float) -> Callable[..., Any]:
    return lambda torch, x, y: torch.cdist(x, y, p)


QKV = [draw(2, 3, 4), draw(2, 5, 4, seed=1), draw(2, 5, 3, seed=2)]
SAME_SIZE = [draw(1, 2, 3, 4), draw(1, 2, 3, 4, seed=1), draw(1, 2, 3, 4, seed=2)]
FLASH = "_scaled_dot_product_flash_attention_for_cpu_backward"

SECOND: Refused = {
    "scaled_dot_product_attention": (FLASH, attention(), SAME_SIZE),
    "scaled_dot_product_attention, causal": (FLASH, attention(is_causal=True), SAME_SIZE),
    "scaled_dot_product_attention, masked": (FLASH, attention(attn_mask=[[True, False, True]] * 3), SAME_SIZE),
    "multi_head_attention_forward": (FLASH, heads, [draw(3, 1, 4), draw(12, 4), draw(12)]),
    "ctc_loss": ("_ctc_loss_backward", ctc("mean"), [draw(5, 2, 4)]),
    "ctc_loss, each": ("_ctc_loss_backward", ctc("none"), [draw(5, 2, 4)]),
    "cdist": ("_cdist_backward", distances(2.0), [draw(3, 2), draw(4, 2)]),
    "cdist, p = 1": ("_cdist_backward", distances(1.0), [draw(3, 2), draw(4, 2)]),
    "cdist, p = 3": ("_cdist_backward", distances(3.0), [draw(3, 2), draw(4, 2)]),
    "cdist, p = 1.5": ("_cdist_backward", distances(1.5), [draw(3, 2), draw(4, 2)]),
    "cdist, p = inf": ("_cdist_backward", distances(float("inf")), [draw(3, 2), draw(4, 2)]),
    "pdist": ("_pdist_backward", lambda torch, x: torch.pdist(x), [draw(4, 3)]),
    "pdist, p = 3": ("_pdist_backward", lambda torch, x: torch.pdist(x, 3.0), [draw(4, 3)]),
    "embedding_bag, per_sample_weights": (
        "_embedding_bag_per_sample_weights_backward", bag, [draw(5, 3), draw(5)],
    ),
    "hardsigmoid": (
        "hardsigmoid_backward", lambda torch, x: torch.nn.functional.hardsigmoid(x) ** 2, [draw(4, 3)],
    ),
    "multi_margin_loss": (
        "multi_margin_loss_backward",
        lambda torch, x: torch.nn.functional.multi_margin_loss(x, torch.tensor([0, 2]), reduction="none"),
        [draw(2, 3)],
    ),
    "multi_margin_loss, p = 2": (
        "multi_margin_loss_backward",
        lambda torch, x: torch.nn.functional.multi_margin_loss(x, torch.tensor([0, 2]), p=2),
        [draw(2, 3)],
    ),
    "multilabel_margin_loss": (
        "multilabel_margin_loss_backward",
        lambda torch, x: torch.nn.functional.multilabel_margin_loss(x, torch.tensor([[1, 0, -1], [2, -1, 0]])) ** 2,
        [draw(2, 3)],
    ),
    **{
        f"segment_reduce, {reduce}": ("_segment_reduce_backward", segments(reduce), [draw(6, 2)])
        for reduce in ("sum", "mean", "max", "min", "prod")
    },
}  # fmt: skip
"""PyTorch has a first derivative of these, but raises in the second."""

FIRST: Refused = {
    "remainder of a number": ("remainder", lambda torch, x: torch.remainder(5.3, x), [np.array([1.7, -2.3, 0.4])]),
}
"""PyTorch has no derivative of these at all."""

ALL = {**SECOND, **FIRST}


def leaves(torch: Any, arrays: list[Any]) -> tuple[Any, ...]:
    return tuple(torch.tensor(a).requires_grad_() for a in arrays)


@pytest.mark.parametrize("name", ALL)
def test_first_derivative(name: str) -> None:
    _, fn, arrays = ALL[name]
    assert gradcheck(lambda *given: fn(facula, *given), leaves(facula, arrays), atol=1e-5)


@pytest.mark.parametrize("name", ALL)
def test_second_derivative(name: str) -> None:
    _, fn, arrays = ALL[name]
    assert gradgradcheck(lambda *given: fn(facula, *given), leaves(facula, arrays), atol=1e-4)


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="the oracle is not installed")
@pytest.mark.parametrize("name", ALL)
def test_pytorch_still_refuses(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import torch

        missing, fn, arrays = ALL[name]
        given = leaves(torch, arrays)
        out = fn(torch, *given)
        with pytest.raises(RuntimeError, match=f"derivative for .*{missing}.* is not implemented"):
            first = torch.autograd.grad(out, given, torch.ones_like(out), create_graph=True)
            torch.autograd.grad([g for g in first if g.requires_grad], given, [torch.ones_like(g) for g in first])


def test_the_page_has_the_same_list() -> None:
    page = PAGE.read_text()
    missing = {what for what, _, _ in ALL.values()}
    assert set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) == missing
