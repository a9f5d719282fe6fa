"""The benchmarks measure what they say: workloads compute PyTorch's numbers, and readings are judged rightly."""

from __future__ import annotations

import string
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

import pytest

import facula
from benchmarks.clocks import Span, Stopwatch, peak_memory
from benchmarks.data import fingerprint, same
from benchmarks.fresh import TASKS
from benchmarks.groups import ALL, PEERS, made
from benchmarks.lettered import LETTERED, Entry, chosen
from benchmarks.measure import SCRIPTS, Failure, Plan, Reading, Result, Sample, environment, interleaved
from benchmarks.plot import Bar, plotted
from benchmarks.report import Row, facts, growth, line, write
from benchmarks.sizes import FAMILIES, SIZES

RECORDED = {
    "chain_mul": (0.9047933, 0.9047933),
    "chain_tanh_add": (2.763519e-11, 2.763519e-11),
    "scalar_graph": (1.238366, 1.238366),
    "tiny_mlp": (1.576498, 1.576498),
    "small_mlp": (2.414704, 2.414704),
    "gpt_step": (4.638059, 4.638059),
    "lstm_step": (2.272382, 2.272382),
    "hvp_of_tiny_mlp": (0.09912369, 0.258001),
    "hessian_of_rosenbrock": (-183.3331, 49.25702),
    "hessian_of_rosenbrock_by_func": (-183.3331, 49.25702),
    "wgan_gp_step": (2.051933, 2.051933),
    "per_sample_gradients": (0.01528779, 0.04579227),
}
"""Fingerprints of the first results on PyTorch."""


@pytest.mark.parametrize("name", RECORDED)
def test_first_results_are_those_of_pytorch(name: str) -> None:
    step, _ = made("facula", facula, name)
    assert same(fingerprint(step()), RECORDED[name])


def test_every_letter_is_there_and_every_name_is_known() -> None:
    assert {e.letter for e in LETTERED} == {*string.ascii_lowercase[:16], "s"}
    assert {e.task for e in LETTERED} <= ALL.keys() | TASKS.keys() | SCRIPTS.keys()
    assert len({e.title for e in LETTERED}) == len(LETTERED)
    assert all(workloads.keys() <= ALL.keys() for workloads in PEERS.values())


def test_choice_by_letter_name_and_task() -> None:
    assert {e.name for e in chosen(LETTERED, ["b", "cnn"])} == {"scalar_graph", "cnn"}
    assert len(chosen(LETTERED, ["long_chain"])) == 6
    assert chosen(LETTERED, []) == LETTERED
    with pytest.raises(SystemExit, match="no such workload: nothing"):
        chosen(LETTERED, ["nothing"])


def test_results_differ_only_by_rounding() -> None:
    assert same((1.0, 2.0), (1.00001, 2.00001))
    assert not same((1.0, 2.0), (1.1, 2.0))
    assert not same((1.0, 2.0), (1.0, 2.1))
    assert not same((float("nan"), 2.0), (1.0, 2.0))


def test_one_thread_that_waits_is_disturbed() -> None:
    watch = Stopwatch(1)
    time.sleep(0.05)
    assert watch.stop().disturbed
    assert Span(1.0, 0.99, 0.01).by("cpu") == 0.99
    assert not Span(1.0, 0.99, 0.01).disturbed


def test_peak_memory_sees_what_is_let_go_again() -> None:
    before = peak_memory()
    held = bytearray(before + 2**24)
    del held
    assert peak_memory() > before + 2**23


def test_quiet_rounds_count_if_there_are_enough() -> None:
    noisy = [Reading(1.0, True)] * 2
    assert Result.of([*noisy, *[Reading(3.0), Reading(2.0), Reading(4.0)]]) == Result(2.0, 3.0, 2, 5)
    assert Result.of([*noisy, Reading(2.0)]) == Result(1.0, 1.0, 2, 3)


def _taking(amounts: Iterator[tuple[float, bool]]) -> list[str]:
    order: list[str] = []

    def take(library: str) -> Sample:
        order.append(library)
        return Sample((1.0, 1.0), {"": Reading(*next(amounts))})

    interleaved(("facula", "torch"), take, Plan(rounds=2))
    return order


def test_rounds_take_turns_and_disturbed_ones_are_taken_again() -> None:
    quiet = iter([(1.0, False)] * 99)
    assert _taking(quiet) == ["facula", "torch"] * 2
    one_disturbed = iter([(1.0, True), *[(1.0, False)] * 99])
    assert _taking(one_disturbed) == ["facula", "torch"] * 3
    always = iter([(1.0, True)] * 99)
    assert _taking(always) == ["facula", "torch"] * 4


def test_different_results_stop_the_comparison() -> None:
    values = {"facula": (1.0, 1.0), "torch": (2.0, 2.0)}
    with pytest.raises(Failure, match=r"facula computes \(1.0, 1.0\), PyTorch \(2.0, 2.0\)"):
        interleaved(("facula", "torch"), lambda lib: Sample(values[lib], {"": Reading(1.0)}), Plan())


def test_all_libraries_get_the_same_threads() -> None:
    assert {environment(2)[f"{name}_NUM_THREADS"] for name in ("OMP", "OPENBLAS", "MKL")} == {"2"}


def _row(entry: Entry, ours: float, theirs: float, threads: int = 1) -> Row:
    return Row(entry, threads, {"facula": Result(ours, ours, 1, 15), "torch": Result(theirs, 2 * theirs, 0, 15)})


def test_rows_say_what_misses_its_target() -> None:
    entry = Entry("x", "it", "a title", (0.5, 0.7))
    assert line(_row(entry, 3e-6, 5e-6), []) == (
        "| x | a title | 3 µs (3 µs) | 5 µs (10 µs) | **0.60** | 0.30 | 0.50 | 1 + 0 of 15 |"
    )
    assert "| 0.60 |" in line(_row(entry, 3.0, 5.0, threads=2), [])
    noisy = Row(entry, 1, {"facula": Result(1.0, 1.0, 13, 15), "torch": Result(2.0, 2.0, 0, 15)})
    assert line(noisy, []).endswith("| 13 + 0 of 15 (!) |")
    memory = Entry("y", "it/peak", "memory")
    assert line(_row(memory, 2**20, 2**21), []) == (
        "| y | memory | 1 MiB (1 MiB) | 2 MiB (4 MiB) | 0.50 | 0.25 |  |  |"
    )


def test_growth_is_told_per_operation() -> None:
    chains = [e for e in LETTERED if e.letter == "s"]
    table = growth([_row(e, 1e-3 * 10**i, 2e-3 * 10**i) for i, e in enumerate(chains)])
    assert table[-2:] == ["| 1,000,000 | 1.00 | 2.00 |", "| the last to the first | 1.00 | 1.00 |"]
    assert growth([_row(LETTERED[0], 1.0, 1.0)]) == []


def test_page_and_plot_are_written(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="the page names the version that was compared with")
    rows = [_row(e, 0.3, 0.9, threads) for threads in (1, 2) for e in LETTERED]
    page, plot = write(tmp_path, "lettered", "a command", rows, "wall", [])
    text = page.read_text()
    assert text.count("| m | one tensor used") == 2 and "## 2 threads" in text and "benchmarks.svg" in text
    assert "Made by `a command`." in text
    assert all(fact in text for fact in facts("wall", [])[1:])
    bars = ElementTree.fromstring(plot.read_text()).findall(".//{http://www.w3.org/2000/svg}rect")
    assert len(bars) == 2 * len(LETTERED) + 1 + 2  # with the background and the legend


def test_sizes_have_a_picture_and_a_table_each(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="the page names the version that was compared with")
    rows = [_row(Entry("", name, name), 1e-6 * i, 1e-5 * i) for i, name in enumerate(SIZES, 1)]
    page, *pictures = write(tmp_path, "sizes", "a command", rows, "wall", [])
    text = page.read_text()
    assert [picture.stem for picture in pictures] == [f"size-{name}" for name in FAMILIES]
    assert all(f"(pictures/{picture.name})" in text for picture in pictures)
    assert text.count("| 0.10 |") == len(SIZES)
    for picture, family in zip(pictures, FAMILIES.values()):
        drawn = ElementTree.fromstring(picture.read_text())
        assert len(drawn.findall("{*}circle")) == 2 * len(family.sizes)


@pytest.mark.parametrize("family", FAMILIES)
def test_workloads_of_any_size_run(family: str) -> None:
    step, _ = made("facula", facula, f"{family}_of_{FAMILIES[family].sizes[0]}")
    assert fingerprint(step())[1] > 0


def test_plot_marks_titles_as_text() -> None:
    assert "a &lt; b &amp; c" in plotted([Bar("", "a < b & c", 1, 0.01, 100.0)])
