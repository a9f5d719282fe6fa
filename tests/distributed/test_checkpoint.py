"""Checkpoints of several processes: another number reads them, and no interruption spoils them."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import facula as torch
from facula.distributed import checkpoint
from tests.distributed.ranks import environment, facula_command, needs_mpi, run

WRITER = """
import sys, torch, torch.distributed as dist
import torch.distributed.checkpoint as checkpoint
dist.init_process_group()
rank, path, rounds = dist.get_rank(), sys.argv[1], int(sys.argv[2])
for number in range(rounds):
    state = {"model": {"weight": torch.full((300, 200), float(number)), "bias": torch.full((7,), float(number))},
             "step": number, f"part {rank}": torch.full((5,), float(number))}
    checkpoint.save(state, checkpoint_id=path)
    if rank == 0:
        print(number, flush=True)
"""
READER = """
import sys, torch, torch.distributed as dist
import torch.distributed.checkpoint as checkpoint
dist.init_process_group()
state = {"model": {"weight": torch.zeros(300, 200), "bias": torch.zeros(7)}, "step": -1, "part 1": torch.zeros(5)}
checkpoint.load(state, checkpoint_id=sys.argv[1])
print(f"{state['step']} {state['model']['weight'].sum().item()} {state['part 1'].tolist()}")
"""


def loaded(path: Path) -> int:
    """The number of the checkpoint that is there, all of whose parts belong together."""
    state: dict[str, Any] = {
        "model": {"weight": torch.zeros(300, 200), "bias": torch.zeros(7)}, "step": -1, "part 1": torch.zeros(5),
    }  # fmt: skip
    checkpoint.load(state, checkpoint_id=path)
    step: int = state["step"]
    values = [state["model"]["weight"], state["model"]["bias"], state["part 1"]]
    assert all(bool((v == step).all()) for v in values)
    return step


@needs_mpi
def test_another_number_of_ranks_reads_it(tmp_path: Path) -> None:
    assert run(facula_command(2, "-c", WRITER, str(tmp_path), "2")).returncode == 0
    assert loaded(tmp_path) == 1
    assert len(list(tmp_path.glob("__*.distcp"))) == 2  # the older files are gone
    done = run(facula_command(3, "-c", READER, str(tmp_path)))
    assert done.stdout.count("1 60000.0 [1.0, 1.0, 1.0, 1.0, 1.0]") == 3, done.stderr


@needs_mpi
def test_killed_at_any_moment_it_is_whole(tmp_path: Path) -> None:
    draw = random.Random(3)
    for _ in range(4):
        writer = subprocess.Popen(
            facula_command(2, "-c", WRITER, str(tmp_path), "100000"), env=environment(), stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        assert writer.stdout is not None
        writer.stdout.readline()
        time.sleep(draw.random() * 0.3)
        os.set_blocking(writer.stdout.fileno(), False)
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        time.sleep(0.3)
        rest = (writer.stdout.read() or "").split()
        writer.stdout.close()
        last = int(rest[-1]) if rest else 0
        assert loaded(tmp_path) >= last


def test_a_full_disk_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkpoint.save({"a": torch.ones(3)}, checkpoint_id=tmp_path)

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(checkpoint.CheckpointException, match="No space left on device"):
        checkpoint.save({"a": torch.zeros(3)}, checkpoint_id=tmp_path)
    state = {"a": torch.zeros(3)}
    checkpoint.load(state, checkpoint_id=tmp_path)
    assert state["a"].tolist() == [1, 1, 1]
    assert len(list(tmp_path.iterdir())) == 2


def test_what_is_missing_or_of_another_shape_is_named(tmp_path: Path) -> None:
    checkpoint.save({"a": torch.ones(3), "b": {"c": [1, "two"]}}, checkpoint_id=tmp_path)
    with pytest.raises(checkpoint.CheckpointException, match="Missing key in checkpoint state_dict: x"):
        checkpoint.load({"x": torch.ones(3)}, checkpoint_id=tmp_path)
    with pytest.raises(checkpoint.CheckpointException, match="Size mismatch"):
        checkpoint.load({"a": torch.ones(4)}, checkpoint_id=tmp_path)
    state = {"b": {"c": [0, ""]}}
    checkpoint.load(state, checkpoint_id=tmp_path)
    assert state == {"b": {"c": [1, "two"]}}


def test_modules_and_optimizers_are_filled(tmp_path: Path) -> None:
    model = torch.nn.Linear(2, 3)
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    checkpoint.save({"model": model, "optimizer": optimizer}, checkpoint_id=tmp_path)
    other = torch.nn.Linear(2, 3)
    adam = torch.optim.Adam(other.parameters())
    other(torch.ones(1, 2)).sum().backward()
    adam.step()
    checkpoint.load({"model": other, "optimizer": adam}, checkpoint_id=tmp_path)
    np.testing.assert_array_equal(other.weight.detach().numpy(), model.weight.detach().numpy())
    assert adam.state_dict()["state"][0]["exp_avg"].tolist() == optimizer.state_dict()["state"][0]["exp_avg"].tolist()
