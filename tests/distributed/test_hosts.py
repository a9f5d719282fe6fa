"""Two hosts: network namespaces with a cable between them, in each of which mpiexec starts ranks by a stand-in for ssh.

Data must go over the cable, which its counters tell; MPICH's wheel would otherwise find that they share memory.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from facula.distributed import mpi
from tests.distributed.ranks import environment, needs_mpi

SSH = """#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
host=$1; shift
exec ip netns exec "%s-${host##*.}" sh -c "$*"
"""
PROGRAM = """
import os, signal, sys, torch, torch.distributed as dist
from datetime import timedelta
dist.init_process_group(timeout=timedelta(seconds=20))
x = torch.full((1 << 20,), float(dist.get_rank() + 1))
dist.all_reduce(x)
hosts = [None] * dist.get_world_size()
dist.all_gather_object(hosts, (os.environ["PMI_HOSTNAME"], os.environ["LOCAL_RANK"]))
if dist.get_rank() == 0:
    print(x[0].item(), x.sum().item() / x.numel(), hosts, flush=True)
if sys.argv[1] == "killed" and dist.get_rank() == 1:
    os.kill(os.getpid(), signal.SIGKILL)
dist.all_reduce(x)
"""


def ip(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["ip", *words], capture_output=True, text=True, check=True)


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The name of two namespaces, without -1 and -2, and what is to be called in the place of ssh."""
    name = f"fac{os.getpid()}"
    try:
        for i in (1, 2):
            ip("netns", "add", f"{name}-{i}")
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("network namespaces cannot be made here")
    try:
        ip("link", "add", f"{name}a", "type", "veth", "peer", "name", f"{name}b")
        for i, end in ((1, "a"), (2, "b")):
            inside = ("-n", f"{name}-{i}")
            ip("link", "set", f"{name}{end}", "netns", f"{name}-{i}")
            ip(*inside, "addr", "add", f"10.77.0.{i}/24", "dev", f"{name}{end}")
            for link in ("lo", f"{name}{end}"):
                ip(*inside, "link", "set", link, "up")
        ssh = tmp_path_factory.mktemp("hosts") / "ssh"
        ssh.write_text(SSH % name)
        ssh.chmod(0o755)
        yield name, ssh
    finally:
        for i in (1, 2):
            ip("netns", "del", f"{name}-{i}")


def on_two_hosts(hosts: tuple[str, Path], size: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    name, ssh = hosts
    command = [
        "ip", "netns", "exec", f"{name}-1", mpi.launcher(), "-launcher", "ssh", "-launcher-exec", str(ssh), "-hosts",
        "10.77.0.1,10.77.0.2", "-ppn", "2", "-n", str(size), sys.executable, "-m", "facula", "run", "-c", PROGRAM,
        *arguments,
    ]  # fmt: skip
    return subprocess.run(
        command, env={**environment(), "UCX_TLS": "tcp,self", "FI_PROVIDER": "tcp"}, capture_output=True, text=True,
        timeout=90, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def carried(hosts: tuple[str, Path]) -> int:
    counters = ip("netns", "exec", f"{hosts[0]}-1", "cat", "/proc/net/dev").stdout
    (line,) = [line for line in counters.splitlines() if line.strip().startswith(f"{hosts[0]}a")]
    return int(line.split()[1])


@needs_mpi
def test_two_hosts_form_a_group(hosts: tuple[str, Path]) -> None:
    before = carried(hosts)
    done = on_two_hosts(hosts, 4, "")
    places = [("10.77.0.1", "0"), ("10.77.0.1", "1"), ("10.77.0.2", "0"), ("10.77.0.2", "1")]
    assert done.stdout == f"10.0 10.0 {places}\n", done.stderr
    assert carried(hosts) - before > 4 << 20


@needs_mpi
def test_the_other_host_hears_of_a_death(hosts: tuple[str, Path]) -> None:
    done = on_two_hosts(hosts, 3, "killed")
    assert done.returncode != 0
    assert "rank 1 (pid" in done.stderr and "on 10.77.0.1) was killed by SIGKILL" in done.stderr
    # MPICH itself may end the other host's process before it can say so
    heard = "all_reduce(float32 [1048576], SUM) on rank 2: rank 1 (pid" in done.stderr
    assert heard or "rank 2 (pid" in done.stderr
