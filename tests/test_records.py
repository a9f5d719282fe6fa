"""Operators are declared once: what forward mode, ``vmap``, autocast and ``out=`` need is in the record."""

from __future__ import annotations

import ast
import textwrap
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import facula as torch
from facula._core import state
from facula.ops.arrays.types import Array
from facula.ops.machine import batching
from facula.ops.machine.namespaces import ARRAYS, TENSORS
from facula.ops.machine.primitive import REGISTRY, Primitive, primitive
from facula.ops.machine.public import FUNCTIONS, public
from facula.ops.machine.watcher import Watcher

from .op_samples import SAMPLES

SOURCE = Path(torch.__file__).parent
DIFFERENTIABLE = {name: op for name, op in REGISTRY.items() if op.rules}


# ---- complete


def test_every_primitive_says_how_it_batches() -> None:
    """What is run for each item alone says so: ``batch=batching.item_by_item``. What is composed need not."""
    unsaid = [op for op in REGISTRY.values() if op.batching_rule is None and op.composed is None]
    assert [op.name for op in unsaid if op.kind != "elementwise"] == []


def test_no_kind_but_the_four() -> None:
    with pytest.raises(TypeError, match="kind is one of elementwise, linear, multilinear, other, not 'linaer'"):
        Primitive("misspelled", np.cumsum, None, kind="linaer")
    assert "misspelled" not in REGISTRY


@pytest.mark.parametrize("options", [{"autocast": "half"}, {"out": "exakt"}])
def test_no_class_but_those_that_there_are(options: Any) -> None:
    with pytest.raises(TypeError, match="misspelled: autocast="):

        @public("", name="misspelled", **options)
        def misspelled(input: torch.Tensor) -> Any: ...


class Watch(Watcher):
    """Keeps the arguments of a primitive's calls."""

    def __init__(self, op: Primitive) -> None:
        self.op = op
        self.calls: list[tuple[list[Any], tuple[Any, ...]]] = []

    def before(self, op: Any, tensors: tuple[Any, ...], attributes: tuple[Any, ...]) -> None:
        if op is self.op:
            self.calls.append(([t._array.copy() if isinstance(t, torch.Tensor) else t for t in tensors], attributes))


def calls_of(op: Primitive) -> list[tuple[list[Any], tuple[Any, ...]]]:
    """The calls of a primitive in its samples, and in their gradients."""
    watch = Watch(op)
    for fn, inputs in SAMPLES[op.name]:
        given = [x.detach().clone().requires_grad_() for x in inputs]
        state.update(kernels=watch)
        try:
            result = fn(*[x * 1 for x in given])
            outs = [out for out in (result if isinstance(result, (tuple, list)) else [result]) if out.requires_grad]
            ones = [torch.ones_like(out) for out in outs]
            torch.autograd.grad(outs, given, ones, create_graph=True, allow_unused=True)
        finally:
            state.update(kernels=None)
    return watch.calls


def kind_of(op: Primitive, tensors: list[Any], attributes: tuple[Any, ...]) -> str:
    """What one call looks like, by sums of random values in the place of differentiable tensors."""
    rng = np.random.default_rng(0)
    inputs = range(len(tensors)) if op.variadic else op.differentiable
    live = [i for i in inputs if isinstance(tensors[i], np.ndarray) and tensors[i].dtype.kind in "fc"]

    def values_at(values: dict[int, Any]) -> list[Any]:
        given = [values.get(i, t) for i, t in enumerate(tensors)]
        result = op.kernel(tuple(given), *attributes) if op.variadic else op.kernel(*given, *attributes)
        outs = [result] if op.outputs == 1 else list(result)
        return [np.asarray(out) for out in (outs if op.multi else outs[:1])]

    def is_linear_in(which: list[int]) -> bool:
        x, y = ({i: rng.uniform(-1, 1, tensors[i].shape).astype(tensors[i].dtype) for i in which} for _ in range(2))
        z = {i: 2 * x[i] - 3 * y[i] for i in which}
        return all(
            a.shape == b.shape == c.shape and np.allclose(2 * a - 3 * b, c, rtol=1e-6, atol=1e-6)
            for a, b, c in zip(*map(values_at, (x, y, z)), strict=True)
            if a.dtype.kind in "fc"
        )

    if is_linear_in(live):
        return "linear"
    return "multilinear" if all(is_linear_in([i]) for i in live) else "other"


NOT_ALWAYS = {"nansum", "segment_reduce", "masked_index", "cholesky", "linalg_cholesky"}
"""Linear in their samples, but not for NaN, maxima or other fillings than 0; or only for some matrices."""


@pytest.mark.parametrize("name", [n for n, op in DIFFERENTIABLE.items() if n in SAMPLES and op.kind != "elementwise"])
def test_kinds_are_what_kernels_do(name: str) -> None:
    op = REGISTRY[name]
    if name in NOT_ALWAYS:
        assert op.kind == "other"
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seen = {kind_of(op, *call) for call in calls_of(op)}
    if op.kind == "multilinear":
        seen.discard("linear")  # with one differentiable tensor both are the same
    if op.kind == "other" and len(seen) > 1:
        seen = {"other"} & seen
    assert seen <= {op.kind}


# ---- no tables


def lists_of_strings(tree: ast.AST) -> Iterator[tuple[int, list[str]]]:
    """(line, strings) of every literal list, tuple, set or dict, and of long strings to be split."""
    for node in ast.walk(tree):
        strings: list[str] = []
        line = getattr(node, "lineno", 0)
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            strings = [e.value for e in node.elts if isinstance(e, ast.Constant) and isinstance(e.value, str)]
        elif isinstance(node, ast.Dict):
            strings = [k.value for k in node.keys if isinstance(k, ast.Constant) and isinstance(k.value, str)]
        elif isinstance(node, ast.Attribute) and node.attr == "split" and isinstance(node.value, ast.Constant):
            strings = str(node.value.value).split()
        if strings:
            yield line, strings


@pytest.mark.parametrize("room", ["_levels", "ops/machine", "autograd", "func", "amp", "_core"])
def test_no_table_of_operators_outside_their_declarations(room: str) -> None:
    """Layers read records. A list with many names of primitives would be one more place to tell of each operator."""
    public_names = {name for name in torch._lazy.FUNCTIONS if not name.startswith("_")}
    found = []
    for file in sorted((SOURCE / room).glob("*.py")):
        for line, strings in lists_of_strings(ast.parse(file.read_text())):
            for names in (REGISTRY.keys(), public_names):
                if sum(s in names for s in strings) > max(4, len(strings) // 2):
                    found.append(f"{file.name}:{line}: {strings[:5]}")
    assert found == []


def test_the_search_for_tables_finds_one() -> None:
    table = textwrap.dedent('''
        LINEAR = frozenset("""sum_all mean_all cumsum flip roll gather""".split())
        LOW = {"mm": 1, "bmm": 2, "addmm": 3, "mv": 4, "dot": 5}
    ''')
    for _, strings in lists_of_strings(ast.parse(table)):
        assert sum(s in REGISTRY for s in strings) > 4


# ---- an operator in five lines


@pytest.fixture
def running() -> Iterator[Any]:
    """An operator as CONTRIBUTING tells it; undone afterwards."""

    @primitive("RunningBackward0", name="running", kind="linear", batch=batching.moved_dimensions)
    def running_op(input: Array, dim: int) -> Any:
        return np.cumsum(input, dim, dtype=input.dtype)

    running_op.vjp(input=lambda g, dim, xp: xp.flip(xp.running(xp.flip(g, (dim,)), dim), (dim,)))

    @public("running", "running", out="exact", autocast="full", inplace="running_")
    def running(input: torch.Tensor, dim: int = 0) -> Any:
        return running_op(input, dim)

    yield FUNCTIONS["running"]
    del REGISTRY["running"], FUNCTIONS["running"]
    for namespace in (ARRAYS, TENSORS):
        delattr(namespace, "running")
    for method in ("running", "running_"):
        delattr(torch.Tensor, method)


def test_an_operator_in_five_lines_has_it_all(
    running: Any, capsys: pytest.CaptureFixture[str], recwarn: pytest.WarningsRecorder
) -> None:
    x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], dtype=torch.float64, requires_grad=True)
    y = running(x, 1)
    assert y.tolist() == [[1.0, 3.0, 6.0], [4.0, 9.0, 15.0]]
    assert y.grad_fn.name() == "RunningBackward0"
    assert torch.autograd.gradcheck(running, (x, 1)) and torch.autograd.gradgradcheck(running, (x, 1))
    x = x.detach()

    value, tangent = torch.func.jvp(lambda x: running(x, 1), (x,), (torch.ones_like(x),))
    assert value.tolist() == y.tolist() and tangent.tolist() == [[1.0, 2.0, 3.0]] * 2

    assert torch.vmap(running)(x).tolist() == y.tolist()
    assert [str(w.message) for w in recwarn if "performance drop" in str(w.message)] == []

    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert running(x.to(torch.bfloat16)).dtype is torch.float32

    changed: Any = x.clone()
    assert changed.running_(1) is changed and changed.tolist() == y.tolist()

    out = torch.empty(2, 3, dtype=torch.float64)
    assert running(x, 1, out=out) is out and out.tolist() == y.tolist()
    with pytest.raises(RuntimeError, match="Expected out tensor to have dtype double, but got float instead"):
        running(x, 1, out=torch.empty(2, 3))

    meta = running(x.to("meta"), 1)
    assert meta.is_meta and meta.shape == (2, 3)

    assert x.running(1).tolist() == y.tolist()  # type: ignore[attr-defined]
    from facula.__main__ import main

    assert main(["ops", "running"]) == 0
    printed = capsys.readouterr().out
    for text in ("node RunningBackward0", "kind linear", "batching moved_dimensions", "autocast float32", "out= exact"):
        assert text in [" ".join(line.split()) for line in printed.splitlines()]
