"""One library in a process of its own: runs the rounds it is told to.

Reads lines of JSON. ``["prepare", workload]`` makes a workload ready and answers with the fingerprint of its first
result and the seconds of a step; ``["round", steps]`` answers with the span of that many steps. Rounds of few steps are
short enough that those of the libraries lie side by side in time.
"""

from __future__ import annotations

import gc
import importlib
import json
import sys
import time
from collections.abc import Callable
from typing import Any

from .clocks import Span, Stopwatch
from .data import fingerprint
from .groups import made, module_of


def load(library: str, threads: int) -> Any:
    """A library that uses so many threads; the environment has told its BLAS already."""
    module = importlib.import_module(module_of(library))
    if hasattr(module, "set_num_threads"):
        module.set_num_threads(threads)
    return module


def prepared(library: str, module: Any, name: str) -> tuple[Callable[[], Any], dict[str, Any]]:
    """A step of a workload, done for the first times, and what is known of it.

    The second step of a program may be another one than the first: of gradients that were not there before.
    """
    step, operations = made(library, module, name)
    begun = time.perf_counter()
    value = fingerprint(step())
    step()
    if ":" in library:
        step()
    start = time.perf_counter()
    step()
    end = time.perf_counter()
    return step, {"value": value, "seconds": end - start, "first": start - begun, "operations": operations}


def round_of(step: Callable[[], Any], steps: int, threads: int) -> Span:
    if steps > 1:
        step()  # fills the caches again that others have used meanwhile
    watch = Stopwatch(threads)
    for _ in range(steps):
        step()
    return watch.stop()


def main() -> None:
    library, threads = sys.argv[1], int(sys.argv[2])
    module = load(library, threads)
    step: Callable[[], Any] | None = None
    answer: Any
    for line in sys.stdin:
        order, argument = json.loads(line)
        if order == "prepare":
            step = None  # lets go of the last one's memory first
            gc.collect()
            step, answer = prepared(library, module, argument)
        else:
            assert step is not None
            answer = round_of(step, argument, threads)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
