"""A derivative is one text: a rule for each input, or a gradient operator for all. Kernels and rules are pure."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import facula as torch
from facula._core import state
from facula.autograd import saved
from facula.autograd.graph import walk
from facula.ops.machine.namespaces import ARRAYS, TENSORS
from facula.ops.machine.primitive import REGISTRY, Gradient
from facula.ops.machine.watcher import Watcher

from .op_samples import SAMPLES

OPS = Path(torch.__file__).parent / "ops"
CASES = [(name, i) for name, samples in SAMPLES.items() for i in range(len(samples))]


def composed_gradients(name: str) -> set[Gradient]:
    """The gradient operators of a primitive that are composed of others, too."""
    rules = REGISTRY[name].rules.values()
    return {rule for rule in rules if isinstance(rule, Gradient) and rule.op.composed is not None}


WITH_GRADIENT = [(name, i) for name, i in CASES if composed_gradients(name)]


def arrived(name: str, i: int) -> dict[Any, Any]:
    """The nodes of primitives in the graph of a sample, and what arrives at each: an array, or several."""
    fn, inputs = SAMPLES[name][i]
    leaves = [x.detach().clone().requires_grad_() for x in inputs]
    result = fn(*leaves)
    outs = [out for out in (result if isinstance(result, (tuple, list)) else [result]) if out.grad_fn is not None]
    found: dict[Any, Any] = {}

    def note(node: Any, gradients: tuple[Any, ...]) -> None:
        arrays = [None if g is None else g.numpy() for g in gradients]
        found[node] = arrays if node.multi else arrays[0]

    for node in {node for out in outs for node in walk(out.grad_fn)}:
        if hasattr(node, "primitive"):
            node.register_prehook(lambda gradients, node=node: note(node, gradients))
    draw = np.random.default_rng(0)
    given = [torch.from_numpy(np.asarray(draw.standard_normal(out.shape))).to(out.dtype) for out in outs]
    torch.autograd.grad(outs, leaves, given, retain_graph=True, allow_unused=True)
    return found


# ---- one text


def test_a_primitive_has_rules_or_a_gradient_operator() -> None:
    for op in REGISTRY.values():
        if op.gradients is not None:
            assert all(rule is op.gradients for rule in op.rules.values()), op
            assert op.gradients.op.composed is not None, op


WORDS = {
    "constant": "an array becomes a Tensor",
    "rule": "arrays become Tensors: a derivative by composition",
    "unsqueeze_reduced": "one view of an array, one node for each dimension as in PyTorch's graphs",
    "expand_reduced": "one view of an array in place of several",
    "left_gradient": "a product of real matrices without the steps of mm, in every linear layer",
    "right_gradient": "the same",
    "summed_to": "sums of columns as a product, in every linear layer",
}
"""The functions that may ask which namespace a rule computes in, and why."""


def test_rules_do_not_ask_where_they_run() -> None:
    asking = set()
    for path in OPS.rglob("*.py"):
        for fn in ast.walk(ast.parse(path.read_text())):
            if not isinstance(fn, (ast.FunctionDef, ast.Lambda)):
                continue
            used = {node.attr for node in ast.walk(fn) if isinstance(node, ast.Attribute)}
            parameters = {a.arg for a in fn.args.args}
            name = getattr(fn, "name", f"a lambda in {path.name}")
            if "is_raw" in used and name not in ("by_composition", "__init__"):
                asking.add(name)
            assert not ("wraps" in used and parameters & {"g", "xp"}), f"{path.name}: {name} looks for transforms"
    assert asking == WORDS.keys()


@pytest.mark.parametrize(("name", "i"), WITH_GRADIENT)
def test_gradients_equal_what_they_are_composed_of(name: str, i: int) -> None:
    """``test_gradcheck_ops`` holds the kernels against finite differences, and so this holds both."""
    nodes = {node: g for node, g in arrived(name, i).items() if node.primitive.name == name}
    assert nodes
    for node, g in nodes.items():
        needs = tuple(edge is not None for edge in node.next)
        on_arrays = dict(zip(node.primitive.slot_names, saved.unpack(node, ARRAYS)), needs=needs)
        on_tensors = dict(zip(node.primitive.slot_names, saved.unpack(node, TENSORS)), needs=needs)
        for at, each in enumerate(g if node.multi else [g]):
            key = f"g{at}" if node.multi else "g"
            on_arrays[key] = each
            on_tensors[key] = None if each is None else torch.from_numpy(np.asarray(each))
        for gradient in composed_gradients(name):
            found = gradient.op.kernel(*[on_arrays[a] for a in gradient.arguments])
            composed = gradient.op.composed(*[on_tensors[a] for a in gradient.arguments])  # type: ignore[misc]
            if gradient.op.outputs == 1:
                found, composed = [found], [composed]
            for a, b, need in zip(found, composed, needs):
                if need:
                    assert (a is None) is (b is None)
                if need and a is not None:
                    np.testing.assert_allclose(a, b.detach().numpy(), rtol=1e-8, atol=1e-10)


# ---- pure


class ReadOnly(Watcher):
    """Lets no kernel write into what it is given."""

    def before(self, op: Any, tensors: tuple[Any, ...], attributes: tuple[Any, ...]) -> None:
        arrays = [t._array for t in tensors if isinstance(t, torch.Tensor)]
        self.arrays = [a for a in arrays if a.flags.writeable]
        for a in self.arrays:
            a.flags.writeable = False

    def after(self, op: Any, outs: list[Any]) -> None:
        for a in [*self.arrays, *[out._array for out in outs]]:
            if not a.flags.writeable and (a.base is None or getattr(a.base, "flags", a.flags).writeable):
                a.flags.writeable = True


@pytest.mark.parametrize(("name", "i"), CASES)
def test_kernels_and_rules_write_nothing(name: str, i: int) -> None:
    fn, inputs = SAMPLES[name][i]
    leaves = [x.detach().clone().requires_grad_() for x in inputs]
    state.update(kernels=ReadOnly())
    try:
        fn(*leaves)
    finally:
        state.update(kernels=None)
    for node, g in arrived(name, i).items():
        for value in [*saved.unpack(node, ARRAYS), *(g if node.multi else [g])]:
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
        node.propagate(g, ARRAYS, node.next)
