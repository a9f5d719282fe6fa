"""Running cases in several processes, on facula and on PyTorch.

A case is a function ``case(torch, rank, size)`` of ``cases.py`` or a neighbour; what it returns in each rank is
pickled. Cases of one run share its processes, for starting these takes longer than most of what they do.
"""

from __future__ import annotations

import atexit
import fcntl
import hashlib
import os
import pickle
import subprocess
import sys
import tempfile
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from facula.distributed import mpi

ROOT = Path(__file__).parent.parent.parent
SECONDS = 240

needs_mpi = pytest.mark.skipif(not mpi.can_launch(), reason="mpi4py or mpiexec is not installed")
needs_pytorch = pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not installed")


def environment() -> dict[str, str]:
    here = os.pathsep.join([str(ROOT / "src"), str(ROOT), *os.environ.get("PYTHONPATH", "").split(os.pathsep)])
    return {**os.environ, "PYTHONPATH": here, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def facula_command(size: int, *program: str) -> list[str]:
    return [sys.executable, "-m", "facula", "run", "--nproc", str(size), *program]


def run(command: list[str], seconds: float = SECONDS, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, env={**environment(), **more}, capture_output=True, text=True, timeout=seconds, check=False,
        stdin=subprocess.DEVNULL, cwd=ROOT,
    )  # fmt: skip


def _results(command: list[str], size: int, cases: tuple[str, ...]) -> dict[str, list[Any]]:
    """Of a run that the workers of pytest-xdist make once: the first makes it, the others wait for its file."""
    session = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    if session is None:
        return _made_results(command, size, cases)
    digest = hashlib.sha1(repr((session, command, cases)).encode()).hexdigest()
    path = Path(tempfile.gettempdir()) / f"facula-ranks-{digest}.pickle"
    with open(path, "a+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        known = file.read()
        if known:
            found: dict[str, list[Any]] = pickle.loads(known)
            return found
        made = _made_results(command, size, cases)
        atexit.register(path.unlink, missing_ok=True)
        file.write(pickle.dumps(made))
        return made


def _made_results(command: list[str], size: int, cases: tuple[str, ...]) -> dict[str, list[Any]]:
    with tempfile.TemporaryDirectory() as directory:
        done = run([*command, directory, *cases])
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        by_rank = [pickle.loads((Path(directory) / f"{rank}.pickle").read_bytes()) for rank in range(size)]
    return {case: [results[case] for results in by_rank] for case in cases}


@cache
def on_facula(size: int, *cases: str) -> dict[str, list[Any]]:
    """What cases return, rank by rank."""
    return _results(facula_command(size, "-m", "tests.distributed.run_cases", "facula", str(size)), size, cases)


@cache
def on_pytorch(size: int, *cases: str) -> dict[str, list[Any]]:
    """The same, on gloo."""
    return _results([sys.executable, "-m", "tests.distributed.run_cases", "pytorch", str(size)], size, cases)
