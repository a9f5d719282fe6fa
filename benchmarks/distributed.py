"""``--group distributed``: two processes over MPI beside two over PyTorch's gloo, in turn, on this machine.

- ``all_reduce`` of 1 KB to 100 MB, and of 1 KB without the check of calls;
- a step of DistributedDataParallel, the same without communication (``no_sync``), and its communication alone: how
  much of that is hidden behind ``backward()``;
- the same step in one process on as much data as each of two has: the efficiency of two.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
SIZES = {"1 KB": 1 << 8, "32 KB": 1 << 13, "1 MB": 1 << 18, "4 MB": 1 << 20, "25 MB": 25 << 18, "100 MB": 100 << 18}
START, END = "<!-- figures -->", "<!-- end of figures -->"

Figures = dict[str, float]


# ---- in each rank


def least(
    step: Callable[[], Any], barrier: Callable[[], Any], seconds: float, clock: Callable[[], float] = time.perf_counter
) -> float:
    """Seconds of one step: the least of many."""
    step()
    times: list[float] = []
    until = time.perf_counter() + seconds
    for _ in range(300):
        barrier()
        begun = clock()
        step()
        times.append(clock() - begun)
        if _agreed(time.perf_counter() > until):
            break
    return min(times)


def _agreed(over: bool) -> bool:
    """All ranks make the same number of steps."""
    import torch

    dist = torch.distributed
    if not dist.is_initialized():
        return over
    flag = torch.tensor([int(over)])
    dist.all_reduce(flag)
    return bool(flag)


def figures_of_rank(torch: Any, seconds: float) -> Figures:
    dist, found = torch.distributed, {}
    size = dist.get_world_size()
    if size > 1:
        for name, count in SIZES.items():
            x = torch.ones(count)
            found[f"all_reduce of {name}"] = least(lambda: dist.all_reduce(x), dist.barrier, seconds)  # noqa: B023
    torch.manual_seed(0)
    widths = [512, 2048, 2048, 2048, 256]
    layers = [torch.nn.Linear(a, b) for a, b in itertools.pairwise(widths)]
    net = torch.nn.Sequential(*[each for layer in layers for each in (layer, torch.nn.ReLU())])
    model = torch.nn.parallel.DistributedDataParallel(net)
    x, y = torch.randn(128, widths[0]), torch.randn(128, widths[-1])

    def step() -> None:
        model.zero_grad()
        torch.nn.functional.mse_loss(model(x), y).backward()

    def alone() -> None:
        with model.no_sync():
            step()

    for _ in range(3):
        step()
    gradients = [torch.zeros(n) for n in _bucket_sizes(net)]

    def communicate() -> None:
        for work in [dist.all_reduce(g, async_op=True) for g in gradients]:
            work.wait()

    found["step"] = least(step, dist.barrier, 2 * seconds)
    found["step without communication"] = least(alone, dist.barrier, 2 * seconds)
    found["step, processor's time"] = least(step, dist.barrier, seconds, time.process_time)
    found["step without communication, processor's time"] = least(alone, dist.barrier, seconds, time.process_time)
    found["communication alone"] = least(communicate, dist.barrier, seconds)
    return found


def _bucket_sizes(net: Any) -> list[int]:
    """As DistributedDataParallel cuts them: 1 MB first, then 25 MB."""
    sizes, limit, now = [], 1 << 18, 0
    for p in reversed(list(net.parameters())):
        now += p.numel()
        if now >= limit:
            sizes.append(now)
            now, limit = 0, 25 << 18
    return [*sizes, now] if now else sizes


def rank_main(library: str, size: int, out: str, seconds: float) -> None:
    import torch

    torch.set_num_threads(1)
    if library == "facula":
        torch.distributed.init_process_group("mpi")
        _write(torch, out, seconds)
        return
    meeting = f"{out}.meeting"
    children = []
    for rank in range(size):
        child = os.fork()
        if child == 0:
            torch.distributed.init_process_group("gloo", f"file://{meeting}", rank=rank, world_size=size)
            _write(torch, out, seconds)
            torch.distributed.barrier()
            os._exit(0)
        children.append(child)
    sys.exit(max(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children))


def _write(torch: Any, out: str, seconds: float) -> None:
    found = figures_of_rank(torch, seconds)
    if torch.distributed.get_rank() == 0:
        Path(out).write_text(json.dumps(found))


# ---- outside


def measured(library: str, size: int, seconds: float, **more: str) -> Figures:
    """One run of one library."""
    with tempfile.TemporaryDirectory() as folder:
        out = str(Path(folder) / "figures.json")
        program = ["-m", "benchmarks.distributed", library, str(size), out, str(seconds)]
        start = (
            [sys.executable, "-m", "facula", "run", "--nproc", str(size)] if library == "facula" else [sys.executable]
        )
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", **more}
        environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
        subprocess.run([*start, *program], env=environment, check=True, cwd=folder, timeout=600)
        found: Figures = json.loads(Path(out).read_text())
        return found


def run(rounds: int, seconds: float, write: Path | None) -> int:
    """Each library in turn, the least of all rounds; the table is printed, and put into docs/distributed.md."""
    pairs: dict[tuple[str, int], Figures] = {}
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    for _ in range(rounds):
        for library in ("facula", "torch"):
            for size in (2, 1):
                found = measured(library, size, seconds)
                before = pairs.setdefault((library, size), found)
                pairs[library, size] = {name: min(value, before[name]) for name, value in found.items()}
    unchecked = measured("facula", 2, seconds, FACULA_DISTRIBUTED_CHECK="0")
    lines = table(pairs, unchecked, load)
    print(*lines, sep="\n")
    if write is not None:
        page = write / "distributed.md"
        text = page.read_text()
        before_, _, rest = text.partition(START)
        _, _, after = rest.partition(END)
        page.write_text("\n".join([f"{before_}{START}", *lines, f"{END}{after}"]))
    return 0


def shown(seconds: float) -> str:
    return f"{seconds * 1e6:.0f} µs" if seconds < 1e-3 else f"{seconds * 1e3:.1f} ms"


def table(pairs: dict[tuple[str, int], Figures], unchecked: Figures, load: float) -> list[str]:
    """The differences between wall times of two processes mean something only where nobody else runs."""
    ours, theirs = pairs["facula", 2], pairs["torch", 2]
    lines = ["", f"On {_cpu()}, two processes, one thread each, the least of many:", ""]
    lines += ["| | facula, MPI | PyTorch, gloo | ratio |", "|---|---|---|---|"]
    for name, value in ours.items():
        lines.append(f"| {name} | {shown(value)} | {shown(theirs[name])} | {value / theirs[name]:.2f} |")
    name = "all_reduce of 1 KB"
    lines.append(f"| {name}, calls not checked | {shown(unchecked[name])} | | |")
    if load > 1:
        lines += [
            "",
            f"Other work used the machine (load {load:.0f}): hidden communication and efficiency cannot be told.",
        ]
        return [*lines, ""]
    hidden, efficiency = [], []
    for library in ("facula", "torch"):
        two, one = pairs[library, 2], pairs[library, 1]
        seen = two["step"] - two["step without communication"]
        hidden.append(f"{100 * (1 - seen / two['communication alone']):.0f} %")
        efficiency.append(f"{100 * one['step without communication'] / two['step']:.0f} %")
    lines.append(f"| communication hidden behind backward | {hidden[0]} | {hidden[1]} | |")
    lines.append(
        f"| efficiency of two: 100 % is twice the data in the same time | {efficiency[0]} | {efficiency[1]} | |"
    )
    return [*lines, ""]


def _cpu() -> str:
    try:
        names = [line.partition(":")[2].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
                 if line.startswith("model name")]  # fmt: skip
        return f"{names[0]} ({os.cpu_count()} cores)"
    except (OSError, IndexError):
        return f"{os.cpu_count()} cores"


if __name__ == "__main__":
    rank_main(sys.argv[1], int(sys.argv[2]), sys.argv[3], float(sys.argv[4]))
