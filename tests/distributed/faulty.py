"""A program in which something goes wrong in rank 1; the test says what. The group's timeout is three seconds."""

from __future__ import annotations

import os
import signal
import sys
import time
from datetime import timedelta

import torch
import torch.distributed as dist


def main(fault: str) -> None:
    if fault == "never starts" and os.environ["RANK"] == "1":
        time.sleep(100)
    dist.init_process_group("gloo", timeout=timedelta(seconds=3))
    rank, x = dist.get_rank(), torch.ones(4)
    dist.all_reduce(x)
    if rank == 1:
        if fault == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        if fault == "raises":
            raise ValueError("my mistake")
        if fault == "sleeps":
            time.sleep(100)
        if fault == "stopped":
            os.kill(os.getpid(), signal.SIGSTOP)
        if fault == "ends":
            sys.exit(0)
        if fault == "other shape":
            x = torch.ones(5)
        if fault == "other dtype":
            x = x.double()
        if fault == "other call":
            dist.broadcast(x, 0)
        if fault == "short message":
            dist.send(torch.ones(3), 0)
    if fault == "short message" and rank == 0:
        dist.recv(x, 1)
    if fault == "late at a barrier":
        if rank == 1:
            time.sleep(100)
        dist.monitored_barrier(timeout=timedelta(seconds=1))
    dist.all_reduce(x)


main(sys.argv[1])
