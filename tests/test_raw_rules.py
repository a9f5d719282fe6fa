"""Primitives that compute all their gradients at once on raw arrays agree with their rules."""

from __future__ import annotations

import numpy as np
import pytest

import facula as torch
from facula.ops.machine.primitive import REGISTRY

from .op_samples import SAMPLES

NAMES = [name for name, op in REGISTRY.items() if op.raw_rule is not None]


@pytest.mark.parametrize(("name", "i"), [(name, i) for name in NAMES for i in range(len(SAMPLES[name]))])
def test_raw_rule_equals_rules(name: str, i: int) -> None:
    fn, inputs = SAMPLES[name][i]
    leaves = [x.detach().clone().requires_grad_() for x in inputs]
    result = fn(*leaves)
    outs = list(result) if isinstance(result, (tuple, list)) else [result]
    draw = np.random.default_rng(0).standard_normal
    g = [torch.from_numpy(np.asarray(draw(out.shape))) for out in outs]
    raw = torch.autograd.grad(outs, leaves, g, retain_graph=True)
    pure = torch.autograd.grad(outs, leaves, g, create_graph=True)
    for a, b in zip(raw, pure, strict=True):
        assert a.dtype is b.dtype
        np.testing.assert_allclose(a.numpy(), b.detach().numpy(), rtol=1e-8, atol=1e-10)
