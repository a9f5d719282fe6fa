"""Every case on facula, against the golden record and, where PyTorch is installed, against PyTorch itself."""

from __future__ import annotations

import importlib.util
import sys
from typing import Any

import pytest

import facula

from ..oracle import only_the_cpu
from .compare import differences
from .observe import cases_of
from .record import load, module_names, observe, recorded

CASES = [(module, name, case) for module in module_names() for name, case in cases_of(load(module)).items()]
IDS = [f"{module.removeprefix('cases_')}-{name}" for module, name, _ in CASES]


@pytest.mark.parametrize(("module", "name", "case"), CASES, ids=IDS)
def test_case(module: str, name: str, case: Any) -> None:
    found = differences(recorded(module)[name], observe(case, facula))
    assert not found, "\n".join(found)


@pytest.mark.skipif(
    importlib.util.find_spec("torch") is None or sys.version_info[:2] != (3, 11), reason="the oracle is not installed"
)
@pytest.mark.parametrize("module", module_names())
def test_golden_record_is_what_pytorch_does(module: str) -> None:
    import torch

    only_the_cpu(torch)
    expected = recorded(module)
    cases = cases_of(load(module))
    assert expected.keys() == cases.keys()
    found = [d for name, case in cases.items() for d in differences(expected[name], observe(case, torch), name)]
    assert not found, "\n".join(found)
