"""What wants a fresh process for every reading: peak memory, and a graph of a million nodes from first to last.

Prints one JSON object: ``value`` (the fingerprint of the result), ``spans`` (of time) and ``bytes``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from .clocks import Span, Stopwatch, peak_memory
from .data import fingerprint
from .groups import made
from .worker import load

Task = Callable[[Any, int], dict[str, Any]]

LENGTH = 1_000_000


def long_chain(torch: Any, threads: int) -> dict[str, Any]:
    """A chain of a million multiplications: made, gone back through, and let go."""
    x, b, one = torch.ones(4, requires_grad=True), torch.full((4,), 0.999999), torch.ones(4)
    (x * b).backward(one)
    x.grad = None
    before = peak_memory()
    spans = {}
    watch = Stopwatch(threads)
    z = x
    for _ in range(LENGTH):
        z = z * b
    spans["forward"] = watch.stop()
    watch = Stopwatch(threads)
    z.backward(one)
    spans["backward"] = watch.stop()
    watch = Stopwatch(threads)
    del z
    spans["deletion"] = watch.stop()
    spans["total"] = Span(*map(sum, zip(*spans.values())))
    peak = peak_memory()
    return {"value": fingerprint(x.grad), "spans": spans, "bytes": {"peak": peak, "graph": peak - before}}


def _peak_of(name: str) -> Task:
    """Peak memory of a few steps of a workload."""

    def task(torch: Any, threads: int) -> dict[str, Any]:
        before = peak_memory()
        step, _ = made("torch", torch, name)
        value = fingerprint(step())
        for _ in range(3):
            step()
        peak = peak_memory()
        return {"value": value, "spans": {}, "bytes": {"peak": peak, "above": peak - before}}

    return task


TASKS: dict[str, Task] = {
    "long_chain": long_chain,
    "memory_of_large_mlp": _peak_of("large_mlp"),
    "memory_of_gpt": _peak_of("gpt_step"),
}


def main() -> None:
    library, threads, name = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    print(json.dumps(TASKS[name](load(library, threads), threads)))


if __name__ == "__main__":
    main()
