"""``--group compile``: rows, the page and the picture."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

import facula
from benchmarks.compiled import AIMS, END, SIZES, START, Aim, Found, line, written
from benchmarks.data import fingerprint, same
from benchmarks.groups import ALL, made
from benchmarks.measure import Result


def _found(aim: Aim, **times: float) -> Found:
    names = {"torch": "torch", "inductor": "torch:inductor", "c": "facula:c", "numpy": "facula:numpy"}
    results = {names[way]: Result(t, t, 0, 5) for way, t in times.items()}
    return Found(aim, results, dict.fromkeys(results, 1.5))


def test_every_name_is_known() -> None:
    assert {aim.name for aim in (*AIMS, *SIZES)} <= ALL.keys()


def test_compiled_workloads_compute_the_same() -> None:
    plain, _ = made("facula", facula, "expression_of_100")
    compiled, _ = made("facula:numpy", facula, "expression_of_100")
    assert same(fingerprint(plain()), fingerprint(compiled()))
    assert hasattr(compiled, "source") and not hasattr(plain, "source")


def test_rows_say_what_misses_its_aim() -> None:
    row = _found(Aim("x", "it", "a title", 0.5, 0.5, 0.5), torch=1e-3, inductor=2e-3, c=6e-4, numpy=4e-4)
    assert line(row, ["torch", "facula:c"]) == (
        "| x | a title | 1 ms | 600 µs | **0.60** (0.5) | 0.30 (0.5) | 0.40 (0.5) | 1.5 s, 1.5 s |"
    )
    assert line(_found(Aim("x", "it", "t"), torch=1.0), ["torch", "facula:c"]) == "| x | t | 1 s |  |  |  |  |  |"


def test_page_and_picture_are_written(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="the page names the version that was compared with")
    (tmp_path / "compiling.md").write_text(f"before\n{START}\nfigures of yesterday\n{END}\nafter\n")
    rows = [_found(aim, torch=1e-3 * (i + 1), c=1e-4) for i, aim in enumerate((AIMS[0], *SIZES))]
    page, picture = written(tmp_path, "a command", rows, ["torch", "facula:c"], "cpu")
    text = page.read_text()
    assert text.startswith("before\n") and text.endswith("after\n") and "yesterday" not in text
    assert "Made by `a command`" in text and "chain of 100 mul" in text and "expression on" not in text
    lines = ElementTree.fromstring(picture.read_text()).findall(".//{http://www.w3.org/2000/svg}polyline")
    assert [len(drawn.attrib["points"].split()) for drawn in lines] == [len(SIZES)] * 2
