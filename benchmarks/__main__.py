"""``python -m benchmarks``: every workload on facula and on PyTorch, round by round in turn, and the ratios."""

from __future__ import annotations

import argparse
import math
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from .kernels import KERNELS
from .networks import NETWORKS
from .optimizers import OPTIMIZERS
from .workloads import WORKLOADS

GROUPS = {"operators": WORKLOADS, "kernels": KERNELS, "networks": NETWORKS, "optimizers": OPTIMIZERS}
PEERS = ("facula", "torch")
ROUND_SECONDS = 0.05


class Result(NamedTuple):
    """Seconds per step: least and median of the rounds, and how many rounds were visibly disturbed."""

    least: float
    median: float
    disturbed: int


class Worker:
    def __init__(self, library: str, threads: int, clock: str) -> None:
        environment = dict(os.environ)
        for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
            environment[name] = str(threads)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.worker", library, str(threads), clock],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
        )  # fmt: skip

    def round(self, name: str, steps: int) -> tuple[float, float]:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(f"{name} {steps}\n")
        self.process.stdin.flush()
        seconds, value = self.process.stdout.readline().split()
        return float(seconds), float(value)


def compare(workers: dict[str, Worker], name: str, rounds: int) -> dict[str, Result]:
    times: dict[str, list[float]] = {library: [] for library in workers}
    values = {}
    steps = {}
    for library, worker in workers.items():
        seconds, values[library] = worker.round(name, 1)
        steps[library] = max(1, int(ROUND_SECONDS / max(seconds, 1e-9)))
    ours, theirs = (values[p] for p in PEERS)
    if not math.isclose(ours, theirs, rel_tol=1e-4, abs_tol=1e-6):
        raise SystemExit(f"{name}: facula computes {ours}, PyTorch {theirs}")
    for _ in range(rounds):
        for library, worker in workers.items():
            times[library].append(worker.round(name, steps[library])[0])
    return {
        library: Result(min(t), statistics.median(t), sum(x > 1.5 * min(t) for x in t)) for library, t in times.items()
    }


def import_seconds(statement: str, times: int = 7) -> float:
    """Least time of a fresh interpreter that runs one statement; the first run leaves compiled files for the others."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}

    def once() -> float:
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", statement], check=True, env=environment)
        return time.perf_counter() - start

    return min(once() for _ in range(times + 1))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("workloads", nargs="*", help="which ones (default: all of the group)")
    parser.add_argument("--group", choices=GROUPS, default="operators", help="what to measure")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument(
        "--clock", choices=("wall", "cpu"), default="wall",
        help="cpu: the processor's time, for one thread on a machine that others use",
    )  # fmt: skip
    parser.add_argument("--write", type=Path, help="also write the table into this Markdown file")
    options = parser.parse_args()
    names = options.workloads or list(GROUPS[options.group])
    workers = {library: Worker(library, options.threads, options.clock) for library in PEERS}
    lines = [
        "| workload | facula, µs per op | PyTorch, µs per op | ratio (least) | ratio (median) | disturbed rounds |",
        "|---|---|---|---|---|---|",
    ]
    print("\n".join(lines))
    found: dict[str, Result] = {}
    for name in names:
        operations = _operations(name)
        results = compare(workers, name, options.rounds)
        ours, theirs = (results[p] for p in PEERS)
        found[name] = ours
        lines.append(
            f"| {name} | {ours.least / operations * 1e6:.2f} | {theirs.least / operations * 1e6:.2f} "
            f"| {ours.least / theirs.least:.2f} | {ours.median / theirs.median:.2f} "
            f"| {ours.disturbed} + {theirs.disturbed} of {options.rounds} |"
        )
        print(lines[-1], flush=True)
    if {"chain_of_1000", "chain_of_100000"} <= found.keys():
        growth = (found["chain_of_100000"].least / 100_000) / (found["chain_of_1000"].least / 1_000)
        lines.append(f"\nTime per operation, 100,000 against 1,000 operations: {growth:.2f}.")
    if not options.workloads and options.group == "operators":
        times = [f"`import {m}` {import_seconds(f'import {m}') * 1e3:.0f} ms" for m in ("numpy", "facula", "torch")]
        lines.append(f"\nFrom process start: {', '.join(times)}.")
    print("\n".join(line for line in lines if line.startswith("\n")))
    if options.write:
        group = "" if options.group == "operators" else f" --group {options.group}"
        made = f"Made by `python -m benchmarks{group}`, {options.threads} thread(s), float32. "
        title = f"# facula beside PyTorch\n\n{made}"
        note = "Ratios below 1 mean that facula is quicker.\n\n"
        options.write.write_text(title + note + "\n".join(lines) + "\n")


def _operations(name: str) -> int:
    if name in KERNELS or name in NETWORKS or name in OPTIMIZERS:
        return 1
    return {"tiny_mlp_step": 1, "scalar_graph": 1000, "chain_of_1000": 1000, "chain_of_100000": 100_000}.get(name, 100)


if __name__ == "__main__":
    main()
