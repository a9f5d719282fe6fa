"""Every case on facula, against the golden record and, where PyTorch is installed, against PyTorch itself."""

from __future__ import annotations

import importlib.util
import sys
from typing import Any

import pytest

import facula
from facula._explain import unasked

from ..oracle import as_at_first
from .compare import differences
from .observe import cases_of
from .record import load, module_names, observe, recorded

CASES = [(module, name, case) for module in module_names() for name, case in cases_of(load(module)).items()]
IDS = [f"{module.removeprefix('cases_')}-{name}" for module, name, _ in CASES]

_GELU_OF_INFINITY = "oneDNN's gelu of inf is nan where it uses AVX-512, inf elsewhere"
DEPENDS_ON_THE_CPU = {
    "smooth_activations_at_the_edges.nn.functional.gelu float32.out[0].values[14]": _GELU_OF_INFINITY,
    "smooth_activations_in_half_precision.nn.functional.gelu bfloat16.out[0].values[14]": _GELU_OF_INFINITY,
    "smooth_activations_in_half_precision.nn.functional.gelu float16.out[0].values[14]": _GELU_OF_INFINITY,
}
"""Where PyTorch itself does not do the same on every CPU, and why. facula does what is recorded, everywhere."""


@pytest.mark.parametrize(("module", "name", "case"), CASES, ids=IDS)
def test_case(module: str, name: str, case: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unasked, "_tell", lambda what, finding: None)  # warnings that PyTorch does not have
    found = differences(recorded(module)[name], observe(case, facula))
    assert not found, "\n".join(found)


@pytest.mark.skipif(
    importlib.util.find_spec("torch") is None or sys.version_info[:2] != (3, 11), reason="the oracle is not installed"
)
@pytest.mark.parametrize("module", module_names())
def test_golden_record_is_what_pytorch_does(module: str) -> None:
    import torch

    as_at_first(torch)
    expected = recorded(module)
    cases = cases_of(load(module))
    assert expected.keys() == cases.keys()
    found = [d for name, case in cases.items() for d in differences(expected[name], observe(case, torch), name)]
    found = [d for d in found if d.partition(":")[0] not in DEPENDS_ON_THE_CPU]
    assert not found, "\n".join(found)
