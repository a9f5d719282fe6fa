"""One library in a process of its own: runs the workloads it is told to, one round at a time.

Reads lines ``<workload> <steps>``; answers ``<seconds per step> <value>``. A round of few steps is short enough that
the two libraries' rounds lie side by side in time.
"""

from __future__ import annotations

import importlib
import sys
import time
from typing import Any

from .kernels import KERNELS
from .networks import NETWORKS
from .optimizers import OPTIMIZERS
from .workloads import WORKLOADS

ALL = {**WORKLOADS, **KERNELS, **NETWORKS, **OPTIMIZERS}


def main() -> None:
    library = importlib.import_module(sys.argv[1])
    library.set_num_threads(int(sys.argv[2]))
    clock = time.process_time if sys.argv[3] == "cpu" else time.perf_counter
    prepared: dict[str, Any] = {}
    for line in sys.stdin:
        name, steps = line.split()
        if name not in prepared:
            prepared[name] = ALL[name](library)[0]
            prepared[name]()
        step = prepared[name]
        value = float(step().detach().reshape(-1)[0])
        start = clock()
        for _ in range(int(steps)):
            step()
        print(repr((clock() - start) / int(steps)), repr(value), flush=True)


if __name__ == "__main__":
    main()
