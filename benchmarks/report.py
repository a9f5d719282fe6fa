"""Results as a table: on the terminal, and with the machine's facts and a plot in the documentation."""

from __future__ import annotations

import contextlib
import importlib.metadata
import os
import platform
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from facula._core import blas

from .curves import Curve, curves
from .groups import LIBRARIES, NATIVE
from .lettered import Entry
from .measure import Result
from .plot import Bar, plotted
from .sizes import FAMILIES, size_of
from .workloads import CHAINS


class Row(NamedTuple):
    """What was found of one entry, with a given number of threads."""

    entry: Entry
    threads: int
    results: dict[str, Result]

    @property
    def ratio(self) -> float:
        return self.results["facula"].least / self.results["torch"].least

    @property
    def ratio_of_medians(self) -> float:
        return self.results["facula"].median / self.results["torch"].median

    @property
    def target(self) -> float | None:
        return self.entry.target(self.threads)


def header(peers: Sequence[str]) -> list[str]:
    columns = [
        "", "workload", "facula: least (median)", "PyTorch: least (median)", "ratio (least)", "ratio (median)",
        "target", "disturbed rounds",
        *[_of_peer(peer) for peer in peers],
    ]  # fmt: skip
    return [table_line(columns), "|" + "---|" * len(columns)]


def _of_peer(peer: str) -> str:
    if peer == NATIVE:
        return "with the native library: least (median), ratio to PyTorch (target)"
    return f"{peer}{' (compiled)' * (peer == 'jax')}: least, facula's ratio"


def _native(row: Row, found: Result, unit: Callable[[float], str]) -> str:
    ratio, target = found.least / row.results["torch"].least, row.entry.target(row.threads, native=True)
    shown = f"**{ratio:.2f}**" if target is not None and ratio > target else f"{ratio:.2f}"
    aim = "" if target is None else f" ({target:.2f})"
    return f"{unit(found.least)} ({unit(found.median)}), {shown}{aim}"


def line(row: Row, peers: Sequence[str]) -> str:
    ours, theirs = (row.results[library] for library in LIBRARIES)
    unit = _bytes if row.entry.in_bytes else time_text
    ratio = f"{row.ratio:.2f}"
    target = ""
    if row.target is not None:
        target = f"{row.target:.2f}"
        ratio = f"**{ratio}**" if row.ratio > row.target else ratio
    disturbed = "" if row.entry.in_bytes else f"{ours.disturbed} + {theirs.disturbed} of {ours.rounds}"
    disturbed += " (!)" * (ours.doubtful or theirs.doubtful)
    others = [(peer, row.results.get(peer)) for peer in peers]
    return table_line([
        row.entry.letter, row.entry.title, f"{unit(ours.least)} ({unit(ours.median)})",
        f"{unit(theirs.least)} ({unit(theirs.median)})", ratio, f"{row.ratio_of_medians:.2f}", target, disturbed,
        *["" if found is None else _native(row, found, unit) if peer == NATIVE
          else f"{unit(found.least)}, {ours.least / found.least:.2f}" for peer, found in others],
    ])  # fmt: skip


def growth(rows: Sequence[Row]) -> list[str]:
    """Time per operation against the size of the graph, where chains of several lengths were measured."""
    chains = [row for row in rows if row.entry.name in CHAINS]
    if len(chains) < 2:
        return []
    columns = ["operations in the graph", "facula, µs per operation", "PyTorch, µs per operation"]
    lines = ["", table_line(columns), "|---|---|---|"]
    for row in chains:
        n = CHAINS[row.entry.name]
        lines.append(table_line([f"{n:,}", *[f"{row.results[library].least / n * 1e6:.2f}" for library in LIBRARIES]]))
    first, last = chains[0], chains[-1]
    longer = CHAINS[last.entry.name] / CHAINS[first.entry.name]
    grown = [last.results[library].least / first.results[library].least / longer for library in LIBRARIES]
    return [*lines, table_line(["the last to the first", *[f"{factor:.2f}" for factor in grown]])]


def write(
    directory: Path, group: str, command: str, rows: Sequence[Row], clock: str, peers: Sequence[str]
) -> list[Path]:
    """The documentation page of a group, made by a command, and its plots; returns their paths."""
    if group == "sizes":
        return _write_sizes(directory, command, rows, clock, peers)
    stem = "benchmarks" if group == "lettered" else f"benchmarks-{group}"
    text = [
        "# facula beside PyTorch", "",
        f"Made by `{command}`.", "",
        "Every workload runs on both libraries, each in a process of its own with the same number of threads, in",
        "rounds that take turns; both must have computed the same first loss or gradient. A ratio is facula's time (or",
        "memory) divided by PyTorch's: below 1 facula needs less. Ratios of the least times are the ones to look at;",
        "bold ones miss their target. A round counts as disturbed if its process had to wait for a processor for more",
        "than a small share of it; by the clock on the wall it is then taken again, up to twice as many rounds.",
        "Disturbed rounds are left out if there were at least three others; rows that need them are marked (!).",
        "Random numbers (`--group random`) have their figures [elsewhere](notes/native.md#random-numbers), and so has",
        "[time against size](benchmarks-sizes.md).", "",
        *[f"- {fact}" for fact in facts(clock, peers)], "",
        f"![Ratios of facula to PyTorch]({stem}.svg)",
    ]  # fmt: skip
    for threads in sorted({row.threads for row in rows}):
        those = [row for row in rows if row.threads == threads]
        text += ["", f"## {_threads(threads)}", "", *header(peers), *[line(row, peers) for row in those]]
        more = growth(those)
        if more:
            text += ["", "Time per operation against the size of the graph:", *more]
    page, plot = directory / f"{stem}.md", directory / f"{stem}.svg"
    page.write_text("\n".join(text) + "\n")
    plot.write_text(plotted([Bar(r.entry.letter, r.entry.title, r.threads, r.ratio, r.target) for r in rows]))
    return [page, plot]


_CURVES = {"torch": "PyTorch", "facula": "facula, NumPy alone", NATIVE: "facula with its library in C"}


def _write_sizes(
    directory: Path, command: str, rows: Sequence[Row], clock: str, peers: Sequence[str]
) -> list[Path]:
    """Time against size: a picture and a table for each family of workloads and number of threads."""
    shown = [library for library in ("torch", "facula", *peers) if any(library in row.results for row in rows)]
    names = [_CURVES.get(library, library) for library in shown]
    text = [
        "# Time against size", "",
        f"Made by `{command}`; how it is measured stands [beside the other figures](benchmarks.md).",
        "Ratios are to PyTorch's least time: below 1 facula needs less.", "",
        *[f"- {fact}" for fact in facts(clock, peers)],
    ]  # fmt: skip
    pictures: list[Path] = []
    (directory / "pictures").mkdir(exist_ok=True)
    for name, family in FAMILIES.items():
        for threads in sorted({row.threads for row in rows}):
            those = [row for row in rows if row.threads == threads and size_of(row.entry.name)[0] == name]
            if not those:
                continue
            title = f"{family.title} ({_threads(threads)})"
            picture = directory / "pictures" / f"size-{name}{'' if threads == 1 else f'-{threads}'}.svg"
            drawn = [
                Curve(label, [(size_of(r.entry.name)[1], r.results[of].least) for r in those if of in r.results])
                for of, label in zip(shown, names)
            ]
            picture.write_text(curves(title, [curve for curve in drawn if curve.points], family.counted))
            pictures.append(picture)
            columns = [family.counted, *[cell for label in names for cell in (label, "ratio")]]
            del columns[2]  # PyTorch's to itself
            heading = title.replace("*", r"\*")
            text += ["", f"## {heading}", "", f"![Time against {family.counted}](pictures/{picture.name})", ""]
            text += [table_line(columns), "|" + "---|" * len(columns), *[_sized(row, shown) for row in those]]
    page = directory / "benchmarks-sizes.md"
    page.write_text("\n".join(text) + "\n")
    return [page, *pictures]


def _sized(row: Row, shown: Sequence[str]) -> str:
    cells = [f"{size_of(row.entry.name)[1]:,}"]
    theirs = row.results["torch"].least
    for library in shown:
        found = row.results.get(library)
        cells.append("" if found is None else time_text(found.least))
        if library != "torch":
            cells.append("" if found is None else f"{found.least / theirs:.2f}")
    return table_line(cells)


def facts(clock: str, peers: Sequence[str]) -> list[str]:
    """What the figures depend on."""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    versions = [f"{name} {_version(name)}" for name in (*LIBRARIES, *peers) if name != NATIVE]
    about = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    kernels = f", kernels for {name}" if (name := blas.kernels()) else ""
    load = f"; load {os.getloadavg()[0]:.1f} at the end" if hasattr(os, "getloadavg") else ""
    return [
        f"{_processor()}, {os.cpu_count()} processors{_memory()}, {platform.system()} {platform.machine()}{load}",
        f"{python}, NumPy {np.__version__} ({about['name']} {about['version']}{kernels}), {', '.join(versions)}",
        "float32; " + ("the processor's time" if clock == "cpu" else "time by the clock on the wall"),
    ]


def _version(library: str) -> str:
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        return importlib.metadata.version(library)
    return getattr(importlib.import_module(library), "__version__", "of unknown version")


def _processor() -> str:
    with contextlib.suppress(OSError):
        for entry in Path("/proc/cpuinfo").read_text().splitlines():
            if entry.startswith("model name"):
                return entry.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _memory() -> str:
    try:
        return f", {os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB"
    except (AttributeError, ValueError, OSError):
        return ""


def _threads(threads: int) -> str:
    return "1 thread" if threads == 1 else f"{threads} threads"


def table_line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def time_text(amount: float) -> str:
    for factor, unit in ((1, "s"), (1e3, "ms")):
        if amount * factor >= 1:
            return f"{amount * factor:.3g} {unit}" if amount * factor < 1000 else f"{amount * factor:.0f} {unit}"
    return f"{amount * 1e6:.3g} µs"


def _bytes(amount: float) -> str:
    return f"{amount / 2**20:.0f} MiB"
