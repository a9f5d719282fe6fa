"""Every differentiable operator, compiled: values and gradients of both back ends against eager."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import facula as torch
from facula._compile.c.build import has_compiler
from facula.ops.machine.primitive import REGISTRY

from ..op_samples import SAMPLES

pytestmark = pytest.mark.usefixtures("with_library")
LOWERED = [name for name in sorted(SAMPLES) if name in REGISTRY and REGISTRY[name].lowering]


def leaves(result: Any) -> list[Any]:
    return [t for t in (result if isinstance(result, (tuple, list)) else [result]) if isinstance(t, torch.Tensor)]


def near(found: Any, wanted: Any) -> None:
    assert (found is None) == (wanted is None)
    if wanted is not None:
        a, b = found.numpy(force=True), wanted.numpy(force=True)
        assert a.dtype == b.dtype and a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=1e-8, atol=1e-10)


def check(backend: str, fn: Any, inputs: tuple[Any, ...]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled = torch.compile(fn, backend=backend)
        compiled(*inputs)
        wanted, found = leaves(fn(*inputs)), leaves(compiled(*inputs))
    assert len(found) == len(wanted)
    for a, b in zip(found, wanted):
        near(a, b)
    given = [t for t in inputs if isinstance(t, torch.Tensor) and t.requires_grad]
    roots = [(a, b) for a, b in zip(found, wanted) if b.requires_grad]
    if given and roots:
        ones = [torch.ones_like(b) * 0.7 for _, b in roots]
        gradients = [torch.autograd.grad([pair[i] for pair in roots], given, ones, allow_unused=True) for i in (0, 1)]
        for a, b in zip(*gradients):
            near(a, b)


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_numpy(name: str) -> None:
    for fn, inputs in SAMPLES[name]:
        check("numpy", fn, inputs)


@pytest.mark.skipif(not has_compiler(), reason="needs a C compiler")
@pytest.mark.parametrize("name", LOWERED)
def test_c(name: str) -> None:
    for fn, inputs in SAMPLES[name]:
        check("c", fn, inputs)
