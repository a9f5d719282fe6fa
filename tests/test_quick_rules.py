"""Quick rules give what the rules give; see NOTE [quick rules] in ``machine.node``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import facula as torch
from facula import _lazy
from facula.ops.machine.namespaces import ARRAYS
from facula.ops.machine.primitive import REGISTRY, Primitive

_lazy.load_all()

SHAPES = [(), (1,), (5,), (2, 3)]
DTYPES = [np.float32, np.float64]
QUICK = [(op, name) for op in REGISTRY.values() for name in op.quick]

each_quick_rule = pytest.mark.parametrize(("op", "name"), QUICK, ids=[f"{op.name}-{name}" for op, name in QUICK])
each_shape = pytest.mark.parametrize("shape", SHAPES, ids=str)
each_dtype = pytest.mark.parametrize("dtype", DTYPES, ids=lambda d: d.__name__)


def drawn(rng: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """From the inside of every domain: roots, logarithms and results of tanh are all defined there."""
    return np.asarray(rng.uniform(0.1, 0.9, shape)).astype(dtype)


def assert_same(a: Any, b: Any, dtype: Any) -> None:
    assert (np.shape(a), a.dtype) == (np.shape(b), b.dtype)
    np.testing.assert_allclose(a, b, rtol=4 * np.finfo(dtype).eps, atol=0)


def test_quick_rules_are_ufuncs_of_common_operators() -> None:
    assert {op.name for op, _ in QUICK} == {"mul", "sub", "neg", "exp", "log"}
    assert all(isinstance(op.quick[name], np.ufunc) for op, name in QUICK)


@each_quick_rule
@each_shape
@each_dtype
def test_a_quick_rule_equals_the_rule(op: Primitive, name: str, shape: tuple[int, ...], dtype: Any) -> None:
    rng = np.random.default_rng(0)
    rule, quick = op.rules[name], op.quick[name]
    saved = [drawn(rng, shape, dtype) for source in rule.sources if source != "xp"]
    assert len(saved) <= 1
    g = np.asarray(rng.normal(size=shape)).astype(dtype)
    expected = rule.fn(g, *saved, *([ARRAYS] if "xp" in rule.sources else []))
    assert_same(quick(g, *saved), expected, dtype)


@pytest.mark.parametrize("op", {op.name: op for op, _ in QUICK}.values(), ids=lambda op: op.name)
@each_shape
@each_dtype
def test_gradients_are_the_same_on_arrays_and_on_tensors(op: Any, shape: tuple[int, ...], dtype: Any) -> None:
    rng = np.random.default_rng(1)
    inputs = [torch.from_numpy(drawn(rng, shape, dtype)).requires_grad_() for _ in op.tensor_names]
    g = torch.from_numpy(np.asarray(rng.normal(size=shape)).astype(dtype))
    result = op(*inputs)
    result.backward(g, retain_graph=True)
    for t, grad in zip(inputs, torch.autograd.grad(result, inputs, g, create_graph=True)):
        assert t.grad is not None
        assert_same(t.grad.numpy(), grad.detach().numpy(), dtype)
