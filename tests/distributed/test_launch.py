"""Starting processes: every way gives the same group, and what is missing is said in a sentence."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from facula.distributed import mpi
from tests.distributed.ranks import ROOT, environment, facula_command, needs_mpi, needs_pytorch, run

TELL = """
import os
import torch.distributed as dist
assert not dist.is_initialized()
dist.init_process_group("gloo")
found = [None] * dist.get_world_size()
names = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_ADDR")
dist.all_gather_object(found, (dist.get_rank(), *(os.environ[name] for name in names)))
if dist.get_rank() == 0:
    print(found)
dist.destroy_process_group()
"""
TOLD = [(0, "0", "2", "0", "2", "127.0.0.1"), (1, "1", "2", "1", "2", "127.0.0.1")]

SPAWN = """
import sys
import facula as torch
import facula.distributed as dist
import facula.multiprocessing as mp

def work(rank, size, queue, fault):
    dist.init_process_group("gloo", init_method="tcp://localhost:29500", rank=rank, world_size=size)
    x = torch.ones(2) * rank
    dist.all_reduce(x)
    queue.put((rank, x.tolist()))
    if fault and rank == 1:
        raise ValueError("my mistake")
    dist.barrier()
    dist.destroy_process_group()

if __name__ == "__main__":
    queue = mp.get_context("spawn").SimpleQueue()
    mp.spawn(work, (2, queue, False), nprocs=2)
    print(sorted([queue.get(), queue.get()]))
    try:
        mp.spawn(work, (2, queue, True), nprocs=2)
    except mp.ProcessRaisedException as error:
        print(error.error_index, "my mistake" in str(error))
"""


@needs_mpi
@pytest.mark.parametrize("way", ["facula run", "facula torchrun", "torch.distributed.run", "mpiexec"])
def test_every_way_of_starting_gives_the_same_group(way: str, tmp_path: Path) -> None:
    script = tmp_path / "tell.py"
    script.write_text(TELL)
    python = [sys.executable, "-m", "facula"]
    command = {
        "facula run": [*python, "run", "--nproc", "2", str(script)],
        "facula torchrun": [*python, "torchrun", "--standalone", "--nproc_per_node=2", str(script)],
        "torch.distributed.run": [*python, "run", "-m", "torch.distributed.run", "--nproc-per-node", "2", str(script)],
        "mpiexec": [mpi.launcher() if mpi.can_launch() else "", "-n", "2", *python, "run", str(script)],
    }[way]
    done = run(command, 60)
    assert done.stdout == f"{TOLD}\n", done.stderr


@needs_mpi
def test_one_process_needs_no_launcher() -> None:
    code = """
import facula.distributed as dist, facula
dist.init_process_group("gloo", rank=0, world_size=1)
x = facula.ones(2)
dist.all_reduce(x)
print(x.tolist(), dist.get_rank(), dist.get_world_size())
"""
    assert run([sys.executable, "-c", code], 60).stdout == "[1.0, 1.0] 0 1\n"


@needs_mpi
def test_processes_that_mpi_did_not_start_are_told_so() -> None:
    code = "import facula.distributed as dist; dist.init_process_group('gloo', rank=1, world_size=2)"
    done = run([sys.executable, "-c", code], 60)
    assert (
        "world_size is 2, but MPI has started 1 process: start the program with `facula run --nproc 2`" in done.stderr
    )


@needs_mpi
def test_spawned_processes_form_a_group(tmp_path: Path) -> None:
    script = tmp_path / "spawn.py"
    script.write_text(SPAWN)
    done = run([sys.executable, str(script)], 90)
    assert done.stdout.splitlines()[:1] == ["[(0, [1.0, 1.0]), (1, [1.0, 1.0])]"], done.stderr
    assert "1 True" in done.stdout.splitlines(), done.stderr


def test_without_mpi_one_sentence_says_what_to_install() -> None:
    code = """
import sys
sys.modules["mpi4py"] = None
import facula.distributed as dist
print(dist.is_available(), dist.is_mpi_available())
try:
    dist.init_process_group("gloo", rank=0, world_size=1)
except RuntimeError as error:
    print(error)
"""
    done = run([sys.executable, "-c", code], 60)
    sentence = "facula.distributed needs MPI: pip install mpi4py mpich brings it, without root."
    assert done.stdout.splitlines() == ["False False", sentence], done.stderr


def test_without_a_launcher_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mpi.os.path, "exists", lambda path: False)
    monkeypatch.setattr(mpi.shutil, "which", lambda name: None)
    with pytest.raises(RuntimeError, match=re.escape("was not found: pip install mpich")):
        mpi.launcher()


def test_mpi_is_loaded_when_a_group_is_made() -> None:
    code = """
import sys, facula, facula.nn
assert not any(name.startswith("facula.distributed") for name in sys.modules)
import facula.distributed, facula.nn.parallel
assert "mpi4py" not in sys.modules
"""
    done = run([sys.executable, "-c", code], 60)
    assert done.returncode == 0, done.stderr


@needs_mpi
@needs_pytorch
def test_the_example_prints_on_facula_what_it_prints_on_pytorch() -> None:
    example = [str(ROOT / "examples" / "ddp_digits.py"), "--epochs", "2", "--digits", "200", "--tests", "20"]
    ours = run(facula_command(2, *example))
    theirs = run([sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2", *example])
    shown = [line for line in theirs.stdout.splitlines() if line.startswith("step")]
    assert len(shown) == 8, theirs.stderr
    for mine, other in zip(ours.stdout.splitlines(), shown):
        assert mine.split()[1] == other.split()[1]
        assert float(mine.split()[3]) == pytest.approx(float(other.split()[3]), rel=1e-3)


def test_the_helpers_see_the_tree_under_test() -> None:
    code = "import facula; print(facula.__file__)"
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True
    )  # fmt: skip
    assert done.stdout.startswith(str(ROOT))
