"""Tensors without elements: shapes as those of real ones, no numbers drawn for them, nothing read from them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import facula as torch
from facula._core.devices import empty_meta
from facula.ops.machine.namespaces import TENSORS
from facula.ops.machine.rules import constant
from facula.utils._pytree import tree_flatten, tree_map

from . import (  # noqa: F401  # noqa: F401
    op_samples,
    op_samples_conv,
    op_samples_gradients,
    op_samples_linalg,
    op_samples_networks,
    op_samples_pooling,
    op_samples_recurrent,
    op_samples_rest,
)

F = torch.nn.functional


def meta(*size: int, **options: Any) -> Any:
    return torch.empty(*size, device="meta", **options)


# ---- shapes

_READS = {"unique_all", "unique_along", "unique_consecutive"}


def _is_tensor(value: Any) -> bool:
    return isinstance(value, torch.Tensor)


def _kinds(result: Any) -> list[Any]:
    return [(t.shape, t.dtype) for t in tree_flatten(result)[0] if _is_tensor(t)]


@pytest.mark.parametrize("name", [n for n in op_samples.SAMPLES if n not in _READS])
def test_results_are_like_those_of_real_tensors(name: str) -> None:
    fn, inputs = op_samples.SAMPLES[name][0]
    bare = tree_map(lambda t: t.detach().to("meta") if _is_tensor(t) else t, inputs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = fn(*bare)
        except RuntimeError as e:
            if "is not on the expected device" not in str(e):
                raise
            pytest.skip("the sample has real tensors of its own")
        assert _kinds(found) == _kinds(fn(*inputs))
    assert {t.device.type for t in tree_flatten(found)[0] if _is_tensor(t)} <= {"meta"}


def test_as_strided() -> None:
    assert meta(6).as_strided((2, 3), (1, 2)).stride() == (1, 2)


# ---- gradients

_STEPS: dict[str, Any] = {
    "elu": (F.elu, (3,)),
    "softplus": (F.softplus, (3,)),
    "mse_loss": (lambda x: F.mse_loss(x, meta(3, 4)), (3, 4)),
    "embedding": (lambda w: F.embedding(meta(2, 3, dtype=torch.long), w), (5, 4)),
    "index": (lambda x: x[meta(2, dtype=torch.long)], (3, 4)),
    "slice": (lambda x: x[1:], (3, 4)),
    "select": (lambda x: x[1], (3, 4)),
    "batch_norm": (lambda x: F.batch_norm(x, meta(3), meta(3), training=True), (2, 3, 4)),
    "max_pool2d": (lambda x: F.max_pool2d(x, 2), (1, 2, 4, 4)),
    "grid_sample": (lambda x: F.grid_sample(x, meta(1, 3, 3, 2), align_corners=False), (1, 2, 4, 4)),
    "affine_grid": (lambda t: F.affine_grid(t, [1, 2, 4, 4], align_corners=False), (1, 2, 3)),
    "reflection": (lambda x: F.pad(x, (1, 1), mode="reflect"), (1, 2, 4)),
    "bias": (lambda b: F.conv2d(meta(1, 2, 5, 5), meta(3, 2, 3, 3), b), (3,)),
}


@pytest.mark.parametrize("name", _STEPS)
def test_gradients_have_no_elements_either(name: str) -> None:
    fn, size = _STEPS[name]
    x = meta(*size, requires_grad=True)
    fn(x).sum().backward()
    assert x.grad.shape == size and x.grad.device.type == "meta"


# ---- draws

_DRAWS: dict[str, Any] = {
    "uniform_": lambda: meta(10**9).uniform_(),
    "normal_": lambda: meta(10).normal_(),
    "exponential_": lambda: meta(10).exponential_(),
    "random_": lambda: meta(10).random_(1, 5),
    "bernoulli_": lambda: meta(10).bernoulli_(),
    "bernoulli_ of a tensor": lambda: meta(10).bernoulli_(meta(10)),
    "bernoulli": lambda: torch.bernoulli(meta(10)),
    "bernoulli of a number": lambda: torch.bernoulli(meta(10), 0.5),
    "poisson": lambda: torch.poisson(meta(10)),
    "normal": lambda: torch.normal(meta(10), meta(10)),
    "normal of a mean": lambda: torch.normal(meta(10), 1.0),
    "normal of a deviation": lambda: torch.normal(1.0, meta(10)),
    "multinomial": lambda: torch.multinomial(meta(2, 10), 3),
    "dropout": lambda: F.dropout(meta(10)),
    "dropout2d": lambda: F.dropout2d(meta(2, 3, 4, 4)),
    "native_dropout": lambda: torch.native_dropout(meta(10), 0.5, True)[0],
    "rrelu": lambda: F.rrelu(meta(10), training=True),
    "gamma": lambda: torch._standard_gamma(meta(10)),
    "attention": lambda: torch.nn.MultiheadAttention(4, 2, 0.3, device="meta")(*[meta(2, 2, 4)] * 3)[0],
    "fractional": lambda: F.fractional_max_pool2d(meta(1, 1, 8, 8), 2, output_size=4),
    "linear": lambda: torch.nn.Linear(30, 40, device="meta").weight,
    "lstm": lambda: torch.nn.LSTM(3, 4, 2, dropout=0.5, device="meta")(meta(2, 2, 3))[0],
}


@pytest.mark.parametrize("name", _DRAWS)
def test_nothing_is_drawn(name: str) -> None:
    torch.manual_seed(0)
    expected = torch.rand(1).item()
    torch.manual_seed(0)
    assert _DRAWS[name]().device.type == "meta"
    assert torch.rand(1).item() == expected


# ---- what asks for elements

_READERS: dict[str, Any] = {
    "nonzero": (lambda: meta(3).nonzero(), NotImplementedError, "torch.nonzero"),
    "argwhere": (lambda: torch.argwhere(meta(3)), NotImplementedError, "torch.nonzero"),
    "where": (lambda: torch.where(meta(3) > 0), NotImplementedError, "torch.nonzero"),
    "mask": (lambda: meta(3)[meta(3) > 0], NotImplementedError, "torch.nonzero"),
    "unique": (lambda: meta(3).unique(), NotImplementedError, "aten::_unique2: attempted"),
    "bincount": (lambda: torch.bincount(meta(3, dtype=torch.long)), NotImplementedError, "aten::bincount: attempted"),
    "item": (lambda: meta(1).item(), RuntimeError, "cannot be called on meta"),
    "bool": (lambda: bool(meta(1)), RuntimeError, "cannot be called on meta"),
    "allclose": (lambda: torch.allclose(meta(2), meta(2)), RuntimeError, "cannot be called on meta"),
}


@pytest.mark.parametrize("name", _READERS)
def test_elements_are_refused(name: str) -> None:
    fn, kind, words = _READERS[name]
    with pytest.raises(kind, match=words):
        fn()


def test_a_constant_of_what_has_no_elements_is_zeros() -> None:
    """Whatever the memory held before that is reserved for it."""
    array = empty_meta((2, 3), np.float32)
    np.asarray(array)[...] = 7
    assert constant(array, TENSORS).tolist() == [[0.0] * 3] * 2
