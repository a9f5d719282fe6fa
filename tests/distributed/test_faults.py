"""What becomes of the other ranks when something goes wrong in one: they stop, soon, and say why; nothing is left."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.distributed.ranks import environment, facula_command, needs_mpi, run

PROGRAM = str(Path(__file__).parent / "faulty.py")
SLEEPER = """
import time, torch.distributed
torch.distributed.init_process_group()
print(1, flush=True)
time.sleep(60)
"""
CALL = "all_reduce(float32 [4], SUM)"

SAID = {
    "killed": ["facula: rank 1 (pid", "was killed by SIGKILL", f"{CALL} on rank 0: rank 1 (pid", "has died"],
    "raises": ["ValueError: my mistake", f"{CALL} on rank 2: rank 1 (pid", "raised ValueError: my mistake"],
    "sleeps": [f"{CALL} on rank 0 timed out after 3 s: rank 1 is in no call"],
    "stopped": [f"{CALL} on rank 2 timed out after 3 s", "rank 1 does not answer"],
    "ends": [f"{CALL} on rank 0: rank 1 (pid", "has ended"],
    "other shape": [f"same order, but got {CALL} on ranks 0, 2; all_reduce(float32 [5], SUM) on rank 1"],
    "other dtype": [f"same order, but got {CALL} on ranks 0, 2; all_reduce(float64 [4], SUM) on rank 1"],
    "other call": [f"same order, but got {CALL} on ranks 0, 2; broadcast(float32 [4], src=0) on rank 1"],
    "short message": ["recv(float32 [4], src=1) on rank 0 wants 16 bytes, but rank 1 has sent 12"],
    "never starts": ["init_process_group on rank 0 timed out after 3 s: MPI's ranks 1 of 3 have not called it"],
    "late at a barrier": ["Rank 1 failed to pass monitoredBarrier in 1000 ms"],
}


def processes_of(mark: str) -> list[int]:
    """Those whose environment has a word in it."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark.encode() in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def until_gone(mark: str, seconds: float) -> list[int]:
    until = time.monotonic() + seconds
    while (left := processes_of(mark)) and time.monotonic() < until:
        time.sleep(0.1)
    return left


@needs_mpi
@pytest.mark.parametrize("fault", SAID)
def test_everybody_stops_and_says_why(fault: str) -> None:
    mark = f"fault-{os.getpid()}-{time.monotonic_ns()}"
    begun = time.monotonic()
    done = run(facula_command(3, PROGRAM, fault), 60, FACULA_TEST_MARK=mark)
    assert time.monotonic() - begun < 30
    assert done.returncode != 0
    for words in SAID[fault]:
        assert words in done.stderr, done.stderr
    assert not until_gone(mark, 5)


@needs_mpi
def test_ranks_end_with_their_launcher() -> None:
    mark = f"launcher-{os.getpid()}-{time.monotonic_ns()}"
    launcher = subprocess.Popen(
        facula_command(2, "-c", SLEEPER),
        env={**environment(), "FACULA_TEST_MARK": mark}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert launcher.stdout is not None
    launcher.stdout.readline()
    assert len(processes_of(mark)) > 2
    launcher.send_signal(signal.SIGKILL)
    launcher.wait()
    launcher.stdout.close()
    assert not until_gone(mark, 10)
