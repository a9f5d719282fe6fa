"""Starting processes: ``facula run --nproc N``, ``torchrun``, and what each rank does first.

MPI's launcher, mpiexec, starts the ranks, here or on other hosts. It ends all of them at once when one ends badly, so
that nobody could tell why. So a rank that ``facula run`` runs has a supervisor: the process that mpiexec started,
which has forked before anything else was done, says how its child ended, and gives the other ranks a moment for their
own errors.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections.abc import Sequence
from typing import Any

from . import monitor, mpi
from .monitor import GRACE
from .process_group import default_pg_timeout

USAGE = "facula run --nproc N [--hosts a,b,c | --hostfile path] script.py [args...], or -m module [args...]"


def take_place() -> None:
    """Say to the program who it is, as torchrun does: RANK, WORLD_SIZE, LOCAL_RANK and so on."""
    place = mpi.place()
    if place is None:
        return
    rank, size, local_rank, local_size = place
    told = {
        "RANK": rank, "WORLD_SIZE": size, "LOCAL_RANK": local_rank, "LOCAL_WORLD_SIZE": local_size,
        "GROUP_RANK": rank // local_size, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": 29500,
    }  # fmt: skip
    for name, value in told.items():
        os.environ.setdefault(name, str(value))
    if size > 1 and mpi.is_installed():
        supervise(rank)
        with mpi.no_longer_than(default_pg_timeout.total_seconds()):
            mpi.load()
        monitor.prepare()


def supervise(rank: int) -> None:
    """Fork: the child goes on as the rank, the parent stays until it has ended."""
    if not hasattr(os, "fork") or "FACULA_SUPERVISOR" in os.environ:
        return
    os.environ["FACULA_SUPERVISOR"] = str(os.getpid())
    launcher = os.getppid()
    child = os.fork()
    if child == 0:
        return
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def end_both(number: int, frame: Any) -> None:
        os.kill(child, signal.SIGKILL)
        os._exit(128 + number)

    signal.signal(signal.SIGTERM, end_both)
    talk = int(os.environ.get("PMI_FD", 2))  # if it were closed, mpiexec would take the rank for dead
    os.closerange(3, talk)
    os.closerange(talk + 1, 1024)
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            break
        if os.getppid() != launcher:
            os.kill(child, signal.SIGKILL)
            os._exit(1)
        time.sleep(0.02)
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        host = os.environ.get("PMI_HOSTNAME", "")
        name = signal.Signals(-code).name
        sys.stderr.write(f"facula: rank {rank} (pid {child}{f' on {host}' if host else ''}) was killed by {name}\n")
        sys.stderr.flush()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if code != 0:
        time.sleep(GRACE + 1)
    os._exit(code if code >= 0 else 128 - code)


def environment(count: int) -> dict[str, str]:
    """For ranks that share this machine: BLAS does not start more threads than there are cores for each."""
    found = dict(os.environ)
    for name in ("PMI_RANK", "PMI_SIZE", "PMI_FD", "RANK", "WORLD_SIZE", "LOCAL_RANK", "FACULA_SUPERVISOR"):
        found.pop(name, None)
    threads = str(max(1, (os.cpu_count() or 1) // count))
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        found.setdefault(name, threads)
    return found


def command(count: int, program: Sequence[str], hosts: str | None = None, hostfile: str | None = None) -> list[str]:
    """The command line that starts so many ranks of a program."""
    where = ["-hosts", hosts] if hosts else ["-f", hostfile] if hostfile else []
    return [mpi.launcher(), *where, "-n", str(count), *program]


def start(count: int, arguments: Sequence[str], hosts: str | None = None, hostfile: str | None = None) -> int:
    """Become mpiexec, which runs ``facula run`` of the arguments so many times."""
    if not mpi.is_installed():
        raise RuntimeError(mpi.MISSING)
    line = command(count, [sys.executable, "-m", "facula", "run", *arguments], hosts, hostfile)
    sys.stdout.flush()
    os.execve(line[0], line, environment(1 if hosts or hostfile else count))


def run(arguments: list[str]) -> int:
    """``facula run --nproc N ...``; the exit code is mpiexec's."""
    given: dict[str, str] = {}
    rest = list(arguments)
    while rest and rest[0].partition("=")[0] in ("--nproc", "--hosts", "--hostfile"):
        name, _, value = rest.pop(0).partition("=")
        given[name] = value or (rest.pop(0) if rest else "")
    if not rest or not given.get("--nproc", "").isdecimal() or int(given["--nproc"]) < 1:
        print(f"usage: {USAGE}", file=sys.stderr)
        return 2
    return _started(int(given["--nproc"]), rest, given.get("--hosts"), given.get("--hostfile"))


def _started(count: int, program: list[str], hosts: str | None = None, hostfile: str | None = None) -> int:
    try:
        return start(count, program, hosts, hostfile)
    except RuntimeError as error:
        print(f"facula: {error}", file=sys.stderr)
        return 1


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


def _count(text: str) -> int:
    return (os.cpu_count() or 1) if text in ("auto", "cpu", "gpu") else _positive(text)


def torchrun(arguments: list[str]) -> int:
    """``torchrun --nproc_per_node N script.py``, on this machine."""
    parser = argparse.ArgumentParser(prog="torchrun", allow_abbrev=False)
    parser.add_argument("--nproc-per-node", "--nproc_per_node", type=_count, default=1)
    parser.add_argument("--nnodes", default="1")
    parser.add_argument("--standalone", action="store_true")
    parser.add_argument("-m", "--module", action="store_true")
    parser.add_argument("--no-python", "--no_python", action="store_true")
    for ignored in (
        "node-rank", "master-addr", "master-port", "rdzv-backend", "rdzv-endpoint", "rdzv-id", "rdzv-conf",
        "max-restarts", "monitor-interval", "start-method", "role", "log-dir", "redirects", "tee", "local-addr",
    ):  # fmt: skip
        parser.add_argument(f"--{ignored}", f"--{ignored.replace('-', '_')}")
    parser.add_argument("--use-env", "--use_env", action="store_true")
    parser.add_argument("program", nargs=argparse.REMAINDER)
    given = parser.parse_args(arguments)
    if not given.program:
        parser.error("the following arguments are required: training_script")
    if given.nnodes.split(":")[-1] != "1":
        parser.error("for several hosts: facula run --nproc N --hosts a,b script.py, which is started on one of them")
    if given.no_python:
        parser.error("--no-python: ranks are programs in Python here")
    os.environ.setdefault("TORCHELASTIC_RUN_ID", given.rdzv_id or "none")
    for name, value in (("MASTER_ADDR", given.master_addr), ("MASTER_PORT", given.master_port)):
        if value is not None:
            os.environ[name] = value
    return _started(given.nproc_per_node, ["-m", *given.program] if given.module else given.program)


def main(arguments: Any = None) -> None:
    sys.exit(torchrun(list(sys.argv[1:] if arguments is None else arguments)))


if __name__ == "__main__":
    main()
