"""A short run of the random programs; ``python -m tests.fuzz`` makes long ones."""

from __future__ import annotations

import importlib.util

import pytest

from .judge import Judge
from .program import Program
from .shrink import shrink

has_torch = importlib.util.find_spec("torch") is not None


@pytest.mark.parametrize("seed", [201, 202])
@pytest.mark.skipif(not has_torch, reason="compares with PyTorch")
def test_programs_do_what_they_do_in_pytorch(seed: int) -> None:
    judge = Judge()
    reports = [report for n in range(100) if (report := judge.report(seed, n)) is not None]
    assert not reports, "\n".join(reports)


def test_programs_do_the_same_in_other_ways() -> None:
    judge = Judge(alone=True)
    reports = [report for n in range(100) if (report := judge.report(7, n)) is not None]
    assert not reports, "\n".join(reports)


def test_a_program_of_a_seed_is_always_the_same() -> None:
    assert Judge(alone=True).program(3, 5).script() == Judge(alone=True).program(3, 5).script()


def test_what_does_not_matter_is_left_out() -> None:
    program = Program([f"a{i} = {i}" for i in range(9)] + ["with m:\n    b = 1"], inputs=2)
    smaller = shrink(program, lambda p: "a4 = 4" in p.statements and any("b = 1" in s for s in p.statements))
    assert smaller.statements == ["a4 = 4", "b = 1"] and smaller.inputs == 0
