"""First and second derivatives of every primitive, against finite differences."""

from __future__ import annotations

from typing import Any

import pytest

from facula.autograd import gradcheck, gradgradcheck
from facula.autograd.graph import walk
from facula.ops.machine.primitive import REGISTRY

from .op_samples import ONLY_FIRST, SAMPLES, WITHOUT_NUMBERS, Sample

CASES = [(name, i) for name, samples in SAMPLES.items() for i in range(len(samples))]
IDS = [f"{name}-{i}" for name, i in CASES]


def leaves(sample: Sample) -> tuple[Any, ...]:
    return tuple(x.detach().clone().requires_grad_() for x in sample[1])


def is_sparse(name: str, kernel: Any) -> bool:
    """Whether a primitive takes sparse tensors, or the parts of one: ``test_sparse.py`` checks these."""
    return name.startswith("sparse_") or kernel.__module__.startswith("facula.ops.sparse")


def test_every_primitive_with_rules_has_samples() -> None:
    differentiable = {name for name, op in REGISTRY.items() if op.rules and not is_sparse(name, op.kernel)}
    missing = differentiable - SAMPLES.keys() - WITHOUT_NUMBERS
    assert not missing, f"no samples in op_samples.py for {sorted(missing)}"
    gone = (SAMPLES.keys() | WITHOUT_NUMBERS | ONLY_FIRST) - differentiable
    assert not gone, f"op_samples.py knows of no longer existing primitives: {sorted(gone)}"


@pytest.mark.parametrize(("name", "i"), CASES, ids=IDS)
def test_sample_uses_its_primitive(name: str, i: int) -> None:
    fn, _ = sample = SAMPLES[name][i]
    result = fn(*leaves(sample))
    outs = result if isinstance(result, (tuple, list)) else [result]
    used = {node.primitive.name for out in outs for node in walk(out.grad_fn) if hasattr(node, "primitive")}
    assert name in used


@pytest.mark.parametrize(("name", "i"), CASES, ids=IDS)
def test_first_derivatives(name: str, i: int) -> None:
    fn, _ = sample = SAMPLES[name][i]
    assert gradcheck(fn, leaves(sample), fast_mode=True)


@pytest.mark.parametrize(("name", "i"), [c for c in CASES if c[0] not in ONLY_FIRST])
def test_second_derivatives(name: str, i: int) -> None:
    fn, _ = sample = SAMPLES[name][i]
    assert gradgradcheck(fn, leaves(sample), fast_mode=True, atol=1e-4)
