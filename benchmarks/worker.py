"""One library in a process of its own: runs the workloads it is told to, one round at a time.

Reads lines ``<workload> <steps>``; answers ``<seconds per step> <value>``. A round of few steps is short enough that
the two libraries' rounds lie side by side in time.
"""

from __future__ import annotations

import importlib
import sys
import time
from typing import Any

from .workloads import WORKLOADS


def main() -> None:
    library = importlib.import_module(sys.argv[1])
    library.set_num_threads(int(sys.argv[2]))
    prepared: dict[str, Any] = {}
    for line in sys.stdin:
        name, steps = line.split()
        if name not in prepared:
            prepared[name] = WORKLOADS[name](library)[0]
            prepared[name]()
        step = prepared[name]
        value = float(step().detach().reshape(-1)[0])
        start = time.perf_counter()
        for _ in range(int(steps)):
            step()
        print(repr((time.perf_counter() - start) / int(steps)), repr(value), flush=True)


if __name__ == "__main__":
    main()
