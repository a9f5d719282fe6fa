"""The harness tells passing, failing, differing, hanging and dying tests apart, and remembers; without PyTorch."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.pytorch_suites import __main__ as harness
from tests.pytorch_suites.outcomes import Outcomes
from tests.pytorch_suites.worker import first_line

TINY = Path(__file__).parent / "tiny"
DIFFERING = {
    "sample.Tiny.test_differs": "fail sample.Tiny.test_differs: ValueError: first",
    "sample.Tiny.test_ends": "died sample.Tiny.test_ends: status 3: ",
    "sample.Tiny.test_hangs": "hang sample.Tiny.test_hangs: no answer within 3 s",
    "sample.Tiny.test_is_skipped": "skip sample.Tiny.test_is_skipped: not here",
}


def told(out: Path, *patterns: str, failing: bool = False) -> list[str]:
    chosen = harness.chosen_by(list(patterns))
    return harness.suite(Outcomes(out), TINY, "sample", chosen, limit=3, failing=failing).splitlines()


def test_counts_and_failing_tests(tmp_path: Path) -> None:
    counts, *failing = told(tmp_path / "out.json")
    assert counts == "sample: 7 pass on PyTorch, 3 of these on facula"
    assert [line.strip() for line in failing] == [line.strip() for line in DIFFERING.values()]


def test_what_pytorch_said_is_remembered_until_the_file_changes(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    told(out, "passes")
    kept = json.loads(out.read_text())
    assert set(kept["outcomes"]["torch"]["sample"]) == {f"sample.Tiny.test_{name}passes" for name in ("", "zuletzt_")}
    kept["outcomes"]["torch"]["sample"]["sample.Tiny.test_passes"] = ["fail", "as remembered"]
    out.write_text(json.dumps(kept))
    assert told(out, "passes") == ["sample: 1 pass on PyTorch, 1 of these on facula"]
    kept["digests"]["sample"] = "another file"
    out.write_text(json.dumps(kept))
    assert told(out, "passes") == ["sample: 2 pass on PyTorch, 2 of these on facula"]


def test_a_file_that_cannot_be_loaded(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("import unittest\nraise ValueError('no')\n")
    answer = harness.suite(Outcomes(tmp_path / "o"), tmp_path, "broken", harness.chosen_by(None), 3, False)
    assert answer == "broken: it cannot be loaded: died status 1: ValueError: no"


@pytest.mark.parametrize(
    ("traceback", "line"),
    [
        ("Traceback (most recent call last):\n  File x\n    f()\nValueError: one\ntwo", "ValueError: one"),
        (
            "Traceback (most recent call last):\n  a\nKeyError: 1\n\nDuring:\n\nTraceback (most\n  b\nOSError: 2",
            "OSError: 2",
        ),
    ],
)
def test_first_line_of_an_error(traceback: str, line: str) -> None:
    assert first_line(traceback) == line
