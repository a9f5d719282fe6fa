"""The tour runs, fits the page, and shows what it promises."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import cache

import facula as torch
from facula.tour import picture


@cache
def tour(encoding: str = "utf-8") -> str:
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "facula", "tour"], capture_output=True, encoding=encoding, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_fits_80_columns() -> None:
    assert [line for line in tour().splitlines() if len(line) > 80] == []


def test_has_no_escape_codes_when_not_on_a_terminal() -> None:
    assert "\x1b" not in tour()
    assert "\r" not in tour()


def test_works_in_ascii() -> None:
    assert tour("ascii").isascii()


def test_shows_the_graph_as_a_tree() -> None:
    lines = [re.sub("  +<tour.*", "", line) for line in tour().splitlines()]
    start = lines.index("└─ AddBackward0")
    assert lines[start + 1 : start + 3] == ["   ├─ SumBackward0", "   │  └─ MulBackward0"]
    assert "AccumulateGrad  (leaf x of shape [2, 2])" in tour()


def test_shows_accumulation() -> None:
    assert "tensor([5., 4.])" in tour()
    assert "tensor([ 9., 10.])" in tour()


def test_shows_hooks_functions_and_second_derivatives() -> None:
    assert "gradient of y: [[2.0, 2.0], [2.0, 2.0]]" in tour()
    assert "ClipBackward" in tour()
    assert "tensor([10.])" in tour()
    assert "(27.0, 18.0)" in tour()


def test_in_place_error_names_both_lines() -> None:
    assert "modified by an inplace" in tour()
    assert "model.py:2" in tour()
    assert "model.py:3" in tour()


def test_training_ends_at_the_target() -> None:
    lines = tour().splitlines()
    start = next(i for i, line in enumerate(lines) if line.split() == ["before", "after", "target"])
    rows = [line.ljust(58) for line in lines[start + 1 : start + 9]]
    assert [row[22:38] for row in rows] == [row[42:58] for row in rows]
    assert [row[2:18] for row in rows] != [row[42:58] for row in rows]
    assert "] step  60/60" in tour()


def test_picture() -> None:
    assert picture(torch.tensor([[0.0, 1.0], [2.0, 0.5]]), unicode=False) == ["  ##", "##::"]
