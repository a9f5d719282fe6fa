"""``python -m tests.fuzz --seed S --programs N [--minutes M]``: random programs; those that differ are told."""

from __future__ import annotations

import argparse
import sys
import time

from . import apart
from .compiled import Compiled
from .judge import Judge
from .kinds import KINDS


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--minutes", type=float, default=None, help="stop after so many")
    parser.add_argument("--first", type=int, default=0, help="the number of the first program")
    parser.add_argument("--program", type=int, default=None, help="print and run this one only")
    parser.add_argument("--kind", choices=list(KINDS), default=None)
    parser.add_argument("--compiled", choices=["numpy", "c", "eager"], help="compile parts of programs")
    parser.add_argument("--alone", action="store_true", help="without PyTorch, even if it is installed")
    parser.add_argument("--most", type=int, default=5, help="stop after so many differing programs")
    options = parser.parse_args()
    if options.compiled is not None:
        return compiled(options)
    judge = Judge(alone=options.alone, kind=options.kind)
    if options.program is not None:
        print(judge.program(options.seed, options.program).script())
        print("\n".join(judge.verdict(options.seed, options.program) or ["# no difference"]))
        return 0
    started, failed, done = time.monotonic(), 0, 0
    for _, report in apart.reports(judge, options.seed, options.first, options.programs):
        done += 1
        if report is not None:
            failed += 1
            print(report, flush=True)
        if failed >= options.most:
            break
        if options.minutes is not None and time.monotonic() - started > 60 * options.minutes:
            break
    seconds = time.monotonic() - started
    print(f"seed {options.seed}: {done} programs against {judge.against}, {failed} differ")
    print(f"{judge.unstable} left out as rounding decides them, {judge.ended} ended PyTorch's process, {seconds:.0f} s")
    return int(failed > 0)


def compiled(options: argparse.Namespace) -> int:
    judge, started, failed, done = Compiled(options.compiled), time.monotonic(), 0, 0
    if options.program is not None:
        options.first, options.programs = options.program, 1
    for n in range(options.first, options.first + options.programs):
        report = judge.report(options.seed, n)
        done += 1
        if report is not None:
            failed += 1
            print(report, flush=True)
        if failed >= options.most or (
            options.minutes is not None and time.monotonic() - started > 60 * options.minutes
        ):
            break
    seconds = time.monotonic() - started
    print(f"seed {options.seed}: {done} programs with a part compiled, {failed} differ, {seconds:.0f} s")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
