"""Run by ``ranks.py``: one process of facula's, or the parent of PyTorch's, which it forks after the import."""

from __future__ import annotations

import os
import pickle
import sys
import tempfile
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Any


def run_rank(torch: Any, rank: int, size: int, directory: str, cases: list[str]) -> None:
    found = {}
    for case in cases:
        module, _, name = case.rpartition(".")
        found[case] = getattr(import_module(f"tests.distributed.{module}"), name)(torch, rank, size)
    (Path(directory) / f"{rank}.pickle").write_bytes(pickle.dumps(found))


def main() -> None:
    library, count, directory, *cases = sys.argv[1:]
    size = int(count)
    import torch  # of the name, whichever it is

    torch.set_num_threads(1)
    if library == "facula":
        torch.distributed.init_process_group("gloo")
        run_rank(torch, torch.distributed.get_rank(), size, directory, cases)
        torch.distributed.destroy_process_group()
        return
    meeting = tempfile.mktemp()
    children = []
    for rank in range(size):
        child = os.fork()
        if child == 0:
            torch.distributed.init_process_group(
                "gloo", f"file://{meeting}", timedelta(seconds=20), rank=rank, world_size=size
            )
            run_rank(torch, rank, size, directory, cases)
            torch.distributed.barrier()
            os._exit(0)
        children.append(child)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    Path(meeting).unlink(missing_ok=True)
    sys.exit(max(map(abs, codes)))


if __name__ == "__main__":
    main()
