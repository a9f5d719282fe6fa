"""Small programs with a mistake that people make: the guilty line is named, and the mended program is left alone."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from tests.mishaps.run import INNOCENT, PROGRAMS, Outcome, expected, guilty, mended, named, run


@cache
def broken(path: Path, asked: bool) -> Outcome:
    return run(path, path.read_text(), asked)


def test_there_are_many() -> None:
    assert len(PROGRAMS) >= 45
    assert all(guilty(path) for path in PROGRAMS)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_symptom_is_there(path: Path) -> None:
    """With a check of its own, or an error, or (of what is told by a warning alone) nothing but the mended program."""
    error = broken(path, False).error
    wanted = expected(path)
    if wanted is None:
        assert error is None
    else:
        assert type(error).__name__ == wanted[0] and wanted[1] in str(error)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_line_is_named_when_asked(path: Path) -> None:
    outcome = broken(path, True)
    assert named(outcome, path), outcome.said


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_mended_program_is_left_alone(path: Path) -> None:
    for asked in (False, True):
        outcome = run(path, mended(path), asked)
        assert outcome.error is None
        assert not outcome.lines, outcome.said


@pytest.mark.parametrize("path", INNOCENT, ids=lambda path: path.stem)
def test_the_innocent_are_left_alone(path: Path) -> None:
    for asked in (False, True):
        outcome = run(path, path.read_text(), asked)
        assert outcome.error is None
        assert not outcome.lines, outcome.said


def test_how_many_are_named() -> None:
    asked = [path.stem for path in PROGRAMS if named(broken(path, True), path)]
    unasked = [path.stem for path in PROGRAMS if named(broken(path, False), path)]
    assert len(asked) >= 0.9 * len(PROGRAMS)
    assert len(unasked) >= 0.55 * len(PROGRAMS)
