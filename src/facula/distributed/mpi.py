"""MPI, through mpi4py: the one file that touches it, loaded when first used.

A ``Communicator`` starts MPI's non-blocking calls on contiguous NumPy arrays and gives back their requests; ``work.py``
waits for them. Nothing here blocks but the making of communicators.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np

from .reduce_op import RedOpType

Array = np.ndarray[Any, Any]
Requests = list[Any]

MISSING = "facula.distributed needs MPI: pip install mpi4py mpich brings it, without root."


def is_installed() -> bool:
    return find_spec("mpi4py") is not None


@cache
def load() -> Any:
    """The module ``mpi4py.MPI``, initialized. We end it ourselves (``monitor.leave``): after a fault it would wait."""
    if not is_installed():
        raise RuntimeError(MISSING)
    import mpi4py  # optional

    mpi4py.rc.finalize = False
    try:
        from mpi4py import MPI  # optional
    except (ImportError, RuntimeError) as error:
        raise RuntimeError(f"{MISSING} (mpi4py is there, but: {error})") from error
    MPI.COMM_WORLD.Set_errhandler(MPI.ERRORS_RETURN)
    return MPI


@contextlib.contextmanager
def no_longer_than(seconds: float) -> Iterator[None]:
    """End the process if MPI holds it longer: it waits for other processes in a way that nothing else can end."""
    place_here = place()
    if place_here is None or place_here[1] == 1:
        yield
        return
    faulthandler.dump_traceback_later(seconds, exit=True)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


def launcher() -> str:
    """The program that starts processes for MPI: that of the environment which Python runs in, or of the path."""
    beside = os.path.join(os.path.dirname(sys.executable), "mpiexec")
    found = beside if os.path.exists(beside) else shutil.which("mpiexec")
    if found is None:
        raise RuntimeError("mpiexec, which starts processes for MPI, was not found: pip install mpich")
    return found


def can_launch() -> bool:
    try:
        return is_installed() and bool(launcher())
    except RuntimeError:
        return False


def place() -> tuple[int, int, int, int] | None:
    """Rank, world size, local rank and local size by the launcher's word, without loading MPI."""
    for names in (
        ("PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"),
        ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"),
    ):
        if names[0] in os.environ:
            rank, size = int(os.environ[names[0]]), int(os.environ[names[1]])
            return rank, size, int(os.environ.get(names[2], rank)), int(os.environ.get(names[3], size))
    return None


def can_reduce(dtype: np.dtype[Any]) -> bool:
    return dtype in _datatypes()


@cache
def _datatypes() -> dict[np.dtype[Any], Any]:
    mpi = load()
    names = {
        "float32": "FLOAT", "float64": "DOUBLE", "int8": "INT8_T", "uint8": "UINT8_T", "int16": "INT16_T",
        "uint16": "UINT16_T", "int32": "INT32_T", "uint32": "UINT32_T", "int64": "INT64_T", "uint64": "UINT64_T",
        "bool": "C_BOOL", "complex64": "C_FLOAT_COMPLEX", "complex128": "C_DOUBLE_COMPLEX",
    }  # fmt: skip
    return {np.dtype(name): getattr(mpi, mpi_name) for name, mpi_name in names.items()}


@cache
def _operation(op: RedOpType, is_bool: bool) -> Any:
    mpi = load()
    if is_bool:
        return {RedOpType.BXOR: mpi.LXOR}.get(op, mpi.LOR if op.name in ("SUM", "MAX", "BOR") else mpi.LAND)
    name = {"PRODUCT": "PROD", "AVG": "SUM", "PREMUL_SUM": "SUM"}.get(op.name, op.name)
    return getattr(mpi, name)


def _bytes(array: Array) -> list[Any]:
    """As MPI takes what is only moved."""
    return [array.reshape(-1).view(np.uint8), load().BYTE]


def _numbers(array: Array) -> list[Any]:
    """As MPI takes what is computed with."""
    return [array, _datatypes()[array.dtype]]


def testall(requests: Requests) -> bool:
    """Whether all are done; any call of it lets all communication of the process go on."""
    return bool(load().Request.Testall(requests))


def test_receive(request: Any) -> tuple[int, int] | None:
    """Source and bytes of a message that has come."""
    mpi = load()
    status = mpi.Status()
    if not request.Test(status):
        return None
    return status.Get_source(), status.Get_count(mpi.BYTE)


def error_type() -> type[BaseException]:
    return load().Exception


class Communicator:
    """Some processes of MPI, in an order."""

    def __init__(self, comm: Any) -> None:
        self._comm = comm
        self.rank: int = comm.rank
        self.size: int = comm.size

    @staticmethod
    def world() -> Communicator:
        return Communicator(load().COMM_WORLD)

    def part(self, ranks: Sequence[int], tag: int = 0) -> Communicator:
        """Of some of the ranks, in their order; only these call it."""
        comm = self._comm.Create_group(self._comm.Get_group().Incl(list(ranks)), tag)
        comm.Set_errhandler(load().ERRORS_RETURN)
        return Communicator(comm)

    def free(self) -> None:
        self._comm.Free()

    # ---- collectives

    def barrier(self) -> Requests:
        return [self._comm.Ibarrier()]

    def broadcast(self, array: Array, root: int) -> Requests:
        return [self._comm.Ibcast(_bytes(array), root)]

    def all_reduce(self, array: Array, op: RedOpType) -> Requests:
        """In place."""
        reduction = _operation(op, array.dtype == bool)
        return [self._comm.Iallreduce(load().IN_PLACE, _numbers(array), reduction)]

    def reduce(self, array: Array, root: int, op: RedOpType) -> Requests:
        """In place, at the root; the others' stay as they are."""
        reduction = _operation(op, array.dtype == bool)
        if self.rank == root:
            return [self._comm.Ireduce(load().IN_PLACE, _numbers(array), reduction, root)]
        return [self._comm.Ireduce(_numbers(array), None, reduction, root)]

    def reduce_scatter(self, given: Array, result: Array, counts: Sequence[int], op: RedOpType) -> Requests:
        reduction = _operation(op, given.dtype == bool)
        return [self._comm.Ireduce_scatter(_numbers(given), _numbers(result), list(counts), reduction)]

    def all_gather(self, given: Array, result: Array) -> Requests:
        return [self._comm.Iallgather(_bytes(given), _bytes(result))]

    def all_gather_parts(self, given: Array, result: Array, counts: Sequence[int]) -> Requests:
        """Of another length from each."""
        width = result.dtype.itemsize
        sizes = [n * width for n in counts]
        return [self._comm.Iallgatherv(_bytes(given), [*_bytes(result)[:1], (sizes, _starts(sizes)), load().BYTE])]

    def gather(self, given: Array, result: Array | None, root: int) -> Requests:
        return [self._comm.Igather(_bytes(given), None if result is None else _bytes(result), root)]

    def scatter(self, given: Array | None, result: Array, root: int) -> Requests:
        return [self._comm.Iscatter(None if given is None else _bytes(given), _bytes(result), root)]

    def all_to_all(self, given: Array, result: Array, sent: Sequence[int], received: Sequence[int]) -> Requests:
        """``sent[i]`` elements go to rank i, ``received[i]`` come from it."""
        width = given.dtype.itemsize
        there, here = [n * width for n in sent], [n * width for n in received]
        return [
            self._comm.Ialltoallv(
                [_bytes(given)[0], (there, _starts(there)), load().BYTE],
                [_bytes(result)[0], (here, _starts(here)), load().BYTE],
            )
        ]

    # ---- point to point

    def send(self, array: Array, to: int, tag: int) -> Requests:
        return [self._comm.Isend(_bytes(array), to, tag)]

    def receive(self, array: Array, source: int | None, tag: int) -> Requests:
        mpi = load()
        return [self._comm.Irecv(_bytes(array), mpi.ANY_SOURCE if source is None else source, tag)]

    def post(self, value: Any, to: int, tag: int = 0) -> Any:
        """Send a small Python object."""
        return self._comm.isend(value, to, tag)

    def collect(self, tag: int = 0) -> tuple[int, Any] | None:
        """A Python object that somebody has posted, and who; None if there is none."""
        mpi = load()
        status = mpi.Status()
        message = self._comm.improbe(mpi.ANY_SOURCE, tag, status)
        return None if message is None else (status.Get_source(), message.recv())


def _starts(sizes: Sequence[int]) -> list[int]:
    starts, at = [], 0
    for n in sizes:
        starts.append(at)
        at += n
    return starts


def is_over() -> bool:
    return bool(load().Is_finalized())


def finalize() -> None:
    load().Finalize()
