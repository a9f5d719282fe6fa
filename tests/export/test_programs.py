"""Exported programs: the graphs are PyTorch's, and they compute what the modules do."""

from __future__ import annotations

import copy
import io
from typing import Any

import numpy as np
import pytest

import facula
from facula.export import export
from facula.utils._pytree import tree_leaves

from .models import Case, cases

CASES = cases(facula)
OTHERWISE = {
    "losses": "broadcast_tensors stands before losses in PyTorch's graphs",
    "arithmetic": "& is __and__ there",
    "reductions": "norm() is linalg_vector_norm there",
    "dtypes": "conversions assert the dtype of what they are given there",
    "any_size": "slices of a whole dimension of unknown size stay there",
}
"""Graphs that are not PyTorch's, and why."""


def exported(case: Case) -> Any:
    return export(case.module, case.args, case.kwargs, dynamic_shapes=case.shapes)


def outcome(module: Any, case: Case) -> tuple[list[Any], list[Any], list[Any]]:
    """Results, gradients and buffers of a call."""
    args = copy.deepcopy(case.args)
    facula.manual_seed(1)
    results = tree_leaves(module(*args, **case.kwargs))
    parameters = list(module.parameters())
    floats = [t for t in results if isinstance(t, facula.Tensor) and t.requires_grad]
    gradients: Any = []
    if floats and parameters:
        gradients = facula.autograd.grad(sum(t.sum() for t in floats), parameters, allow_unused=True)
    return results, list(gradients), list(module.buffers())


def assert_same(found: list[Any], expected: list[Any]) -> None:
    for a, b in zip(found, expected, strict=True):
        if isinstance(b, facula.Tensor):
            assert (a.dtype, a.shape) == (b.dtype, b.shape)
            np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=1e-5, atol=1e-6)
        else:
            assert a == b


@pytest.mark.parametrize("name", CASES)
def test_a_program_computes_what_the_module_does(name: str) -> None:
    case = CASES[name]
    expected = outcome(copy.deepcopy(case.module), case)
    program = exported(case._replace(module=copy.deepcopy(case.module)))
    plain, changed = outcome(program.module(), case), outcome(
        exported(case._replace(module=copy.deepcopy(case.module))).run_decompositions().module(), case)  # fmt: skip
    for a, b in zip(plain[:2], expected[:2]):
        assert_same(a, b)
    for a, b in zip(changed[:2], expected[:2]):
        assert_same(a, b)
    names = dict(case.module.named_buffers())
    for name in names:
        assert_same([program.module().get_buffer(name)], [expected[2][list(names).index(name)]])


@pytest.mark.parametrize("name", CASES)
def test_a_program_is_written_and_read(name: str) -> None:
    case = CASES[name]
    program = exported(case._replace(module=copy.deepcopy(case.module)))
    file = io.BytesIO()
    facula.export.save(program, file)
    again = facula.export.load(file)
    assert str(again) == str(program)
    assert list(again.state_dict) == list(program.state_dict)
    assert_same(*[outcome(each.module(), case)[0] for each in (again, program)])


@pytest.mark.parametrize("name", CASES)
def test_the_module_is_as_before(name: str) -> None:
    case = CASES[name]
    state, stream = copy.deepcopy(case.module.state_dict()), facula.get_rng_state()
    inputs = copy.deepcopy(case.args)
    exported(case)
    assert_same(list(case.module.state_dict().values()), list(state.values()))
    assert_same(tree_leaves(case.args), tree_leaves(inputs))
    assert facula.equal(facula.get_rng_state(), stream)


@pytest.mark.parametrize("name", CASES)
def test_graphs_are_pytorchs(name: str) -> None:
    torch = pytest.importorskip("torch")
    case = cases(torch)[name]
    theirs = torch.export.export(case.module, case.args, case.kwargs, dynamic_shapes=case.shapes)
    ours = exported(CASES[name])
    assert str(ours.graph_signature).count("USER_INPUT") == str(theirs.graph_signature).count("USER_INPUT")
    if name in OTHERWISE:
        assert ours.graph_module.code != theirs.graph_module.code, "it is PyTorch's by now"
        return
    assert ours.graph_module.code == theirs.graph_module.code
    assert str(ours.graph_signature) == str(theirs.graph_signature)
    assert ours.module().code == theirs.module().code
    assert repr(ours.range_constraints) == repr(theirs.range_constraints)
    assert repr(ours.call_spec) == repr(theirs.call_spec)
