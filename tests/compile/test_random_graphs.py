"""Random graphs of fused chains, broadcasts, reductions, products and views: both back ends against the kernels."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import facula  # noqa: F401  (its operators)
from facula._compile.c.build import has_compiler
from facula._compile.programs import emit

from .graphs import Builder, all_operators

all_operators()
pytestmark = pytest.mark.usefixtures("with_library")

UNARY = ("neg", "exp", "tanh", "sigmoid", "relu", "abs", "sin", "floor", "clone")
BINARY = ("add", "sub", "mul", "maximum", "minimum")
COMPARED = ("gt", "le", "eq")
SHAPES: tuple[tuple[int, ...], ...] = (
    (3, 4), (4,), (1, 4), (3, 1), (), (2, 3, 4), (4, 3), (12,), (2, 6), (6, 2), (2, 2, 3), (3, 2, 2),
)  # fmt: skip


def grown(data: st.DataObject, dtype: Any) -> tuple[Builder, list[Any], dict[int, int]]:
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    b = Builder()
    nodes = []
    for i in range(data.draw(st.integers(1, 4))):
        shape = data.draw(st.sampled_from(SHAPES))
        value = rng.standard_normal(shape).astype(dtype)
        if len(shape) > 1 and data.draw(st.booleans()):
            value = np.asfortranarray(value)
        nodes.append(b.input(f"x{i}", value))
    for _ in range(data.draw(st.integers(1, 14))):
        kind = data.draw(
            st.sampled_from(("unary", "binary", "binary", "number", "reduce", "view", "where", "product", "cat"))
        )
        a = data.draw(st.sampled_from(nodes))
        node = _step(data, b, kind, a, nodes)
        if node is not None:
            nodes.append(node)
    outputs = data.draw(st.lists(st.sampled_from(nodes), min_size=1, max_size=5))
    if nodes[-1] not in outputs:
        outputs.append(nodes[-1])
    commits: dict[int, int] = {}
    for i, node in enumerate(outputs):
        for at, place in enumerate([n for n in nodes if n.op == "placeholder"]):
            same = node.meta["shape"] == place.meta["shape"] and node.meta["dtype"] == place.meta["dtype"]
            if same and node.op != "placeholder" and at not in commits.values() and data.draw(st.booleans()):
                commits[i] = at
                break
    return b, outputs, commits


def _step(data: st.DataObject, b: Builder, kind: str, a: Any, nodes: list[Any]) -> Any:
    shape = b.values[a].shape
    if kind == "unary":
        return b.call(data.draw(st.sampled_from(UNARY)), a)
    if kind == "number":
        return b.call(data.draw(st.sampled_from(("mul_number", "add_number", "sub_number", "div_number"))), a,
                      data.draw(st.sampled_from((0.0, 1.0, -1.0, 2.0, 0.3, 1))))  # fmt: skip
    if kind in ("binary", "where"):
        others = [n for n in nodes if _broadcasts(shape, b.values[n].shape)]
        other = data.draw(st.sampled_from(others))
        if kind == "binary":
            return b.call(data.draw(st.sampled_from(BINARY)), a, other)
        condition = b.call(data.draw(st.sampled_from(COMPARED)), a, other)
        return b.call("where", condition, a, other, b.values[a].dtype)
    if kind == "reduce":
        if not shape:
            return None
        dims = tuple(sorted(data.draw(st.sets(st.integers(0, len(shape) - 1), min_size=1))))
        name = data.draw(st.sampled_from(("sum_dim", "mean_dim", "amax", "amin")))
        more = (None,) if name in ("sum_dim", "mean_dim") else ()
        return b.call(name, a, dims, data.draw(st.booleans()), *more)
    if kind == "view":
        return _view(data, b, a, shape)
    if kind == "product":
        others = [n for n in nodes if len(shape) == 2 and b.values[n].ndim == 2 and b.values[n].shape[0] == shape[1]]
        return b.call("mm", a, data.draw(st.sampled_from(others))) if others else None
    if kind == "cat" and shape:
        others = [n for n in nodes if b.values[n].shape == shape]
        chosen = tuple(data.draw(st.lists(st.sampled_from(others), min_size=1, max_size=3)))
        ends = tuple(np.cumsum([shape[0]] * len(chosen)).tolist())
        return b.call("cat_op", chosen, 0, ends, None)
    return None


def _broadcasts(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    return all(x == y or 1 in (x, y) for x, y in zip(a[::-1], b[::-1]))


def _view(data: st.DataObject, b: Builder, a: Any, shape: tuple[int, ...]) -> Any:
    which = data.draw(st.sampled_from(("t", "reshape", "unsqueeze", "expand", "slice", "select", "permute")))
    if which == "t" and len(shape) == 2:
        return b.call("t", a)
    if which == "reshape":
        fits = [s for s in SHAPES if math.prod(s) == math.prod(shape)]
        return b.call("view", a, data.draw(st.sampled_from(fits))) if fits else None
    if which == "unsqueeze":
        return b.call("unsqueeze", a, data.draw(st.integers(0, len(shape))))
    if which == "expand":
        return b.call("expand", a, (2, *shape)) if len(shape) < 3 else None
    if which == "slice" and shape:
        return b.call("slice", a, 0, 0, max(shape[0] - 1, 1), data.draw(st.integers(1, 2)))
    if which == "select" and shape:
        return b.call("select", a, 0, shape[0] - 1)
    if which == "permute" and len(shape) == 3:
        return b.call("permute", a, data.draw(st.permutations((0, 1, 2)).map(tuple)))
    return None


def check(b: Builder, outputs: list[Any], commits: dict[int, int], build: Any) -> None:
    program = b.program(outputs, commits)
    compiled = build(program)
    arrays = b.arrays
    for _ in range(2):  # the second time the arena holds something
        given_arrays = [np.copy(a, order="K") for a in arrays]
        results = compiled(given_arrays)
        for i, (node, found) in enumerate(zip(outputs, results, strict=True)):
            wanted = b.values[node]
            if node.op == "placeholder" and program.placeholders.index(node) in commits.values():
                continue  # the array itself, which holds something new by now
            if i in commits:
                assert found is None
                found = given_arrays[commits[i]]
            tolerance = 3e-6 if wanted.dtype == np.float32 else 1e-12
            np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance, err_msg=compiled.text)
            assert found.dtype == wanted.dtype
            if i not in commits and node.op != "placeholder":
                assert not any(np.may_share_memory(found, x) for x in given_arrays)
                assert not any(np.may_share_memory(found, x) for x in results[:i] if x is not None)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data(), st.sampled_from((np.float32, np.float64)))
def test_numpy(data: st.DataObject, dtype: Any) -> None:
    check(*grown(data, dtype), emit.build_numpy)


@pytest.mark.skipif(not has_compiler(), reason="needs a C compiler")
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data(), st.sampled_from((np.float32, np.float64)))
def test_c(data: st.DataObject, dtype: Any) -> None:
    check(*grown(data, dtype), emit.build_c)
