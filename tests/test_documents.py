"""Programs from tutorials about autograd print with facula, character by character, what they print with PyTorch."""

from __future__ import annotations

import pytest

import facula

from .documents.record import HERE, PROGRAMS, golden, output_of


@pytest.mark.parametrize("program", PROGRAMS)
def test_program_prints_what_pytorch_prints(program: str) -> None:
    assert output_of(program, facula) == golden(program)


@pytest.mark.parametrize("program", PROGRAMS)
def test_golden_text_is_what_pytorch_prints(program: str) -> None:
    torch = pytest.importorskip("torch")
    assert output_of(program, torch) == golden(program)


def test_no_program_is_forgotten() -> None:
    found = {p.stem for p in HERE.glob("*.py")} - {"__init__", "record"}
    assert found == set(PROGRAMS)
    assert found == {p.stem for p in (HERE / "golden").glob("*.txt")}
