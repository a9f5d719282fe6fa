"""Every differentiable operator, compiled: values and gradients of calls after the first, with other numbers."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import facula as torch
from facula.utils._pytree import tree_leaves

from ..op_samples import SAMPLES

LOOK_AT_ELEMENTS = {
    "take_points", "add_points", "segment_reduce", "scatter_reduce", "rows_from_bags", "embedding_bag", "pack_rows",
    "multilabel_margin_loss", "multi_margin_loss", "masked_index", "masked_unindex", "masked_scatter", "lu_unpack",
    "linalg_lu_solve", "linalg_lu_factor", "linalg_eigh", "linalg_eig", "grid_sampler_2d", "grid_sampler_3d",
    "_grid_sampler_2d_cpu_fallback", "flash_attention", "index_fill_tensor", "index_reduce", "linalg_svd",
    *[f"max_unpool{n}d{'_backward' * k}" for n in (2, 3) for k in range(4)],
    *[f"{kind}_recurrent_layer" for kind in ("padded", "packed", "onednn")],  # their samples count with next()
}  # fmt: skip
"""What is not captured if a derivative is wanted: Python decides something by the elements."""


def moved(t: Any) -> Any:
    """Near, but elsewhere."""
    if not isinstance(t, torch.Tensor) or not (t.is_floating_point() or t.is_complex()):
        return t
    return (t.detach() * (1 + 2**-10)).requires_grad_(t.requires_grad)


def outcome(fn: Any, given: Any) -> list[Any]:
    """The results of a function, and the gradients of their weighted sum."""
    given = [t.detach().clone().requires_grad_(t.requires_grad) if isinstance(t, torch.Tensor) else t for t in given]
    results = [t for t in tree_leaves(fn(*given)) if isinstance(t, torch.Tensor)]
    weights = np.random.default_rng(0)
    total: Any = None
    for t in results:
        if t.requires_grad:
            weight = torch.from_numpy(np.asarray(weights.uniform(0.5, 1, t.shape)))
            part = (t * weight).sum()
            part = part.abs() if part.is_complex() else part
            total = part if total is None else total + part
    leaves = [t for t in given if isinstance(t, torch.Tensor) and t.requires_grad]
    grads: Any = torch.autograd.grad(total, leaves, allow_unused=True) if total is not None and leaves else []
    return [*[t.detach() for t in results], *[None if g is None else g.detach() for g in grads]]


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_operator(name: str) -> None:
    for fn, inputs in SAMPLES[name]:
        given = [
            t.detach().clone().requires_grad_(t.is_floating_point() or t.is_complex())
            if isinstance(t, torch.Tensor) else t for t in inputs
        ]  # fmt: skip
        c = torch.compile(fn, backend="eager")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            outcome(c, given)
            for again in (given, [moved(t) for t in given]):
                for a, b in zip(outcome(c, again), outcome(fn, again), strict=True):
                    assert (a is None) == (b is None)
                    if a is not None:
                        assert a.dtype == b.dtype
                        np.testing.assert_allclose(a.numpy(force=True), b.numpy(force=True), rtol=1e-9, atol=1e-11)
        if name not in LOOK_AT_ELEMENTS:
            assert c.compiled.programs, f"{name} runs as it is: {c.compiled.reason}"


@pytest.mark.parametrize("backend", ["numpy", "c"])
def test_numbers_beside_integers_wrap_around(backend: str) -> None:
    for dtype in (torch.uint8, torch.int8):
        x = torch.tensor([1, 100], dtype=dtype)
        for fn in (
            lambda x: x.clamp(-1, 120) * 1, lambda x: x + (-1), lambda x: x.amax().clamp(-1, 1), lambda x: x - 300,
        ):  # fmt: skip
            assert torch.equal(torch.compile(fn, backend=backend)(x), fn(x))
