"""Programs in a process of their own, thousands at a time: now and then one ends PyTorch's process."""

from __future__ import annotations

import gc
import multiprocessing
from collections.abc import Iterator
from typing import Any

from .judge import Judge

TOGETHER = 10_000
WARM = 300
"""After so many programs most of what is loaded and written when it is first used is there."""


def reports(judge: Judge, seed: int, first: int, count: int) -> Iterator[tuple[int, str | None]]:
    """Each program's number and what is to be told of it."""
    n, end = first, first + count
    while n < end:
        receiver, sender = multiprocessing.Pipe(duplex=False)
        context: Any = multiprocessing.get_context("fork")
        child = context.Process(target=_run, args=(judge, seed, range(n, min(n + TOGETHER, end)), sender))
        child.start()
        sender.close()
        made = False
        try:
            while n < end:
                message = receiver.recv()
                made = message is None
                if made:
                    continue
                report, judge.unstable = message
                yield n, report
                n += 1
        except EOFError:  # all are done, or one of them ended the process
            child.join()
        finally:
            child.kill()
        if child.exitcode:
            if made:  # both libraries had their turn
                yield n, f"# ---- seed {seed}, program {n}\n# ended the process: {child.exitcode}\n"
            else:
                judge.ended += 1
                yield n, None
            n += 1


def _run(judge: Judge, seed: int, numbers: range, sender: Any) -> None:
    for n in numbers:
        if n == numbers.start + WARM:  # what is there stays: nobody need look through it for garbage
            gc.collect()
            gc.freeze()
        made = judge.make(seed, n)
        made[1].observed()
        sender.send(None)
        sender.send((judge.report_of(seed, n, *made), judge.unstable))
