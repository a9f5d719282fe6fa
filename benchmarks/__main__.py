"""``python -m benchmarks``: every workload on facula and on PyTorch, round by round in turn, and the ratios."""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import sys
from collections.abc import Iterator
from pathlib import Path

from facula import native

from .groups import GROUPS, LIBRARIES, NATIVE, PEERS
from .lettered import LETTERED, Entry, chosen
from .measure import Bench, Failure, Plan
from .report import Row, growth, header, line, write

DOCUMENTATION = Path(__file__).parent.parent / "docs"


def main() -> int:
    """The exit status: 1 if a workload could not be compared."""
    options = _options()
    if options.group == "distributed":
        from . import distributed  # several processes: another way to measure

        return distributed.run(1 if options.quick else 3, 0.5 if options.quick else 2.0, options.write)
    if options.group == "compile":
        from . import compiled  # other columns

        plan = Plan(5, 1, 1.5, options.clock) if options.quick else Plan(rounds=options.rounds, clock=options.clock)
        wanted, threads = options.workloads, options.threads[0]
        return compiled.run(options.quick, plan, threads, wanted, options.write, _command(options))
    entries = LETTERED if options.group == "lettered" else [Entry("", name, name) for name in GROUPS[options.group]]
    entries = chosen(entries, options.workloads)
    peers = [peer for peer, known in PEERS.items() if _installed(peer) and {e.task for e in entries} & known.keys()]
    if options.quick:
        plan = Plan(rounds=5, least=1, seconds=1.5, clock=options.clock)
    else:
        plan = Plan(rounds=options.rounds, clock=options.clock)
    rows: list[Row] = []
    for threads in options.threads:
        print(f"\nthreads: {threads}, clock: {options.clock}\n", *header(peers), sep="\n")
        those = []
        for row in measured(entries, threads, plan, peers):
            print(line(row, peers), flush=True)
            those.append(row)
        print(*growth(those), sep="\n")
        rows += those
    if options.write:
        print(*write(options.write, options.group, _command(options), rows, options.clock, peers))
    return int(len(rows) < len(entries) * len(options.threads))


def measured(entries: list[Entry], threads: int, plan: Plan, peers: list[str]) -> Iterator[Row]:
    """Rows as they are found; a task that gives several of them is done once. What fails is told and left out."""
    bench = Bench(threads, plan, peers)
    try:
        for task, those in itertools.groupby(entries, lambda e: e.task):
            try:
                results = bench.measure(task)
            except Failure as failure:
                print(f"{task}: {failure}", file=sys.stderr)
                continue
            for entry in those:
                yield Row(entry, threads, results[entry.reading])
    finally:
        bench.close()


def _installed(library: str) -> bool:
    if library == NATIVE:
        return native.in_use()
    return importlib.util.find_spec(library) is not None


def _command(options: argparse.Namespace) -> str:
    """What to say in order to measure the same again."""
    said = ["python -m benchmarks", *options.workloads]
    said += [f"--group {options.group}"] * (options.group != "lettered")
    said += [f"--threads {','.join(map(str, options.threads))}"]
    said += ["--quick"] if options.quick else [f"--rounds {options.rounds}"]
    return " ".join([*said, f"--clock {options.clock}", "--write"])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("workloads", nargs="*", help="letters or names (default: all of the group)")
    groups = ["lettered", *GROUPS, "compile", "distributed"]
    parser.add_argument("--group", choices=groups, default="lettered", help="what to measure")
    parser.add_argument("--threads", help="one or more numbers, as in 1,2 (default: 1,2; with --clock cpu: 1)")
    parser.add_argument("--rounds", type=int, default=15, help="quiet rounds of each library (default: 15)")
    parser.add_argument("--quick", action="store_true", help="few and short rounds, for a first look")
    parser.add_argument(
        "--clock", choices=("wall", "cpu"), default="wall",
        help="cpu: the processor's time, for one thread on a machine that others use",
    )  # fmt: skip
    parser.add_argument(
        "--write", type=Path, nargs="?", const=DOCUMENTATION, metavar="DIRECTORY",
        help="also write the table and a plot into the documentation, or into another directory",
    )  # fmt: skip
    options = parser.parse_args()
    options.threads = [int(n) for n in (options.threads or ("1" if options.clock == "cpu" else "1,2")).split(",")]
    if options.clock == "cpu" and options.threads != [1]:
        parser.error("the processor's time compares single threads only")
    for library in LIBRARIES:
        if not _installed(library):
            parser.error(f"{library} is not installed")
    return options


if __name__ == "__main__":
    sys.exit(main())
