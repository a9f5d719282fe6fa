"""DataLoader with worker processes: order, errors, deaths, early stops. Each test has a time after which it fails."""

from __future__ import annotations

import gc
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import facula
from facula.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset, get_worker_info

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="uses signals and fork"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:This DataLoader will create:UserWarning"),
]


@pytest.fixture(autouse=True)
def time_limit() -> Iterator[None]:
    def ring(*_: Any) -> None:
        raise TimeoutError("the test hangs")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(60)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
        gc.collect()
        assert [p for p in multiprocessing.active_children() if p.is_alive()] == []


class Doing(Dataset[Any]):
    """Does something at index 2."""

    def __init__(self, action: Any = None, length: int = 6) -> None:
        self.action = action
        self.length = length

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, i: int) -> Any:
        if i == 2 and self.action is not None:
            self.action()
        return i


class Shards(IterableDataset[int]):
    """Each worker gives its own numbers."""

    def __init__(self, end: int) -> None:
        self.end = end

    def __iter__(self) -> Iterator[int]:
        info = get_worker_info()
        start, step = (0, 1) if info is None else (info.id, info.num_workers)
        return iter(range(start, self.end, step))


def flat(loader: Any) -> list[Any]:
    return [x for batch in loader for x in batch.tolist()]


@pytest.mark.parametrize("workers", [1, 3])
def test_batches_come_in_order(workers: int) -> None:
    def slow_first(i: int) -> None:
        if i == 0:
            time.sleep(0.05)

    loader: Any = DataLoader(Doing(length=20), batch_size=3, num_workers=workers, worker_init_fn=slow_first)
    assert [b.tolist() for b in loader] == [list(range(i, min(i + 3, 20))) for i in range(0, 20, 3)]
    assert len(loader) == 7 and flat(loader) == list(range(20))


def test_batches_as_they_come() -> None:
    came = multiprocessing.Event()
    loader: Any = DataLoader(Doing(lambda: came.wait(30)), num_workers=2, in_order=False)
    found: list[int] = []
    for batch in loader:
        found.append(batch.item())
        if found[-1] == 3:
            came.set()
    assert sorted(found) == list(range(6)) and found.index(2) > found.index(3)


def test_shuffled_and_samplers() -> None:
    assert sorted(flat(DataLoader(Doing(length=30), batch_size=4, shuffle=True, num_workers=2))) == list(range(30))
    assert flat(DataLoader(Doing(length=30), sampler=[5, 3, 7], num_workers=2)) == [5, 3, 7]
    assert [b.tolist() for b in DataLoader(Doing(), batch_sampler=[[5, 1], [3]], num_workers=2)] == [[5, 1], [3]]
    assert list(DataLoader(Doing(), batch_size=None, num_workers=2)) == list(range(6))
    assert [b.tolist() for b in DataLoader(Doing(), batch_size=4, drop_last=True, num_workers=1)] == [[0, 1, 2, 3]]


@pytest.mark.parametrize("prefetch", [1, 2, 5])
def test_iterable_datasets(prefetch: int) -> None:
    loader: Any = DataLoader(Shards(11), batch_size=2, num_workers=2, prefetch_factor=prefetch)
    assert [b.tolist() for b in loader] == [[0, 2], [1, 3], [4, 6], [5, 7], [8, 10], [9]]
    assert sorted(flat(DataLoader(Shards(11), num_workers=3, in_order=False))) == list(range(11))
    assert flat(DataLoader(Shards(0), num_workers=2)) == []


def test_tensors_arrive_whole() -> None:
    big = facula.arange(600_000.0).view(6, 100, 1000)
    loader: Any = DataLoader(TensorDataset(big, facula.arange(6)), batch_size=2, num_workers=2)
    for i, (x, y) in enumerate(loader):
        assert facula.equal(x, big[2 * i : 2 * i + 2]) and y.tolist() == [2 * i, 2 * i + 1]
        x.add_(1)  # it is the consumer's own
    kinds = {"b": facula.tensor([True]), "h": facula.tensor([1.5], dtype=facula.bfloat16), "e": facula.empty(0, 2)}
    found = next(iter(DataLoader([kinds], batch_size=None, num_workers=1)))
    assert {k: (v.dtype, v.shape) for k, v in found.items()} == {k: (v.dtype, v.shape) for k, v in kinds.items()}
    view = next(iter(DataLoader([big[1].t()], batch_size=None, num_workers=1)))
    assert facula.equal(view, big[1].t()) and view.untyped_storage().nbytes() == view.nbytes
    leaf = next(iter(DataLoader([facula.ones(2, requires_grad=True)], batch_size=None, num_workers=1)))
    assert leaf.requires_grad and leaf.is_leaf


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_start_methods(method: str) -> None:
    dataset = TensorDataset(facula.arange(6))
    loader: Any = DataLoader(dataset, batch_size=3, num_workers=1, multiprocessing_context=method)
    assert [b[0].tolist() for b in loader] == [[0, 1, 2], [3, 4, 5]]


# ---- what a worker knows


class Known(Doing):
    def __getitem__(self, i: int) -> Any:
        info = get_worker_info()
        assert info is not None
        return info.id, info.num_workers, info.seed == facula.initial_seed(), info.dataset is self


def test_worker_info_and_init_fn() -> None:
    found = list(DataLoader(Known(), batch_size=None, num_workers=2))
    assert [list(f) for f in found] == [[i % 2, 2, True, True] for i in range(6)]
    assert get_worker_info() is None

    def double(worker: int) -> None:
        info = get_worker_info()
        assert info is not None and info.id == worker
        info.dataset.length = 3

    assert flat(DataLoader(Doing(), num_workers=1, worker_init_fn=double)) == list(range(6))


class Drawn(Doing):
    def __getitem__(self, i: int) -> Any:
        return facula.rand(1).item(), random.random(), float(np.random.rand())


def test_every_worker_and_epoch_draws_its_own_numbers() -> None:
    loader: Any = DataLoader(Drawn(length=4), batch_size=None, num_workers=2)
    facula.manual_seed(3)
    first, second = list(loader), list(loader)
    facula.manual_seed(3)
    assert [list(x) for x in loader] == [list(x) for x in first]
    drawn = [x for item in first + second for x in item]
    assert len(set(drawn)) == len(drawn)


# ---- persistent workers


class Pid(Doing):
    def __getitem__(self, i: int) -> int:
        return os.getpid()


def test_persistent_workers_stay() -> None:
    loader: Any = DataLoader(Pid(length=4), num_workers=2, persistent_workers=True)
    first = flat(loader)
    assert flat(loader) == first and len(set(first)) == 2
    iterator = iter(loader)
    next(iterator)
    assert flat(loader) == first  # also after a start that was not finished
    shards: Any = DataLoader(Shards(6), num_workers=2, persistent_workers=True)
    assert [flat(shards) for _ in range(3)] == [[0, 1, 2, 3, 4, 5]] * 3
    assert set(flat(DataLoader(Pid(length=4), num_workers=2))) != set(first)


# ---- errors


class Odd(Exception):
    def __init__(self, one: int, two: int) -> None:
        super().__init__(one, two)


def fail(error: Exception) -> Any:
    def action() -> None:
        raise error

    return action


@pytest.mark.parametrize(
    ("error", "kind"), [(ValueError("boom"), ValueError), (KeyError("boom"), KeyError), (Odd(1, 2), RuntimeError)]
)
def test_errors_arrive_with_their_traceback(error: Exception, kind: type[Exception]) -> None:
    iterator = iter(DataLoader(Doing(fail(error)), num_workers=2))
    assert [next(iterator).item() for _ in range(2)] == [0, 1]
    with pytest.raises(kind) as caught:
        next(iterator)
    message = str(caught.value)
    name = type(error).__name__
    assert message.startswith(f"Caught {name} in DataLoader worker process 0.\nOriginal Traceback (most recent call ")
    assert "in action\n    raise error" in message and message.rstrip().endswith(f"{name}: {error}")
    assert [b.item() for b in iterator] == [3, 4, 5]


def test_errors_at_the_start() -> None:
    def init(worker: int) -> None:
        raise ValueError("not today")

    with pytest.raises(ValueError, match=r"Caught ValueError in DataLoader worker process 0\.(.|\n)*not today"):
        list(DataLoader(Doing(), num_workers=1, worker_init_fn=init))
    with pytest.raises(ZeroDivisionError, match="Caught ZeroDivisionError"):
        list(DataLoader(Doing(), num_workers=1, collate_fn=lambda batch: 1 / 0))


def test_what_cannot_be_sent() -> None:
    with pytest.raises(Exception, match=r"in DataLoader worker process 0(.|\n)*(pickle|local object)"):
        list(DataLoader(Doing(), batch_size=None, num_workers=1, collate_fn=lambda i: lambda: i))
    with pytest.raises(RuntimeError, match="Cowardly refusing to serialize non-leaf tensor which requires_grad"):
        list(DataLoader([facula.ones(1, requires_grad=True) * 2], batch_size=None, num_workers=1))


def test_an_error_class_that_only_the_worker_knows() -> None:
    def action() -> None:
        class Local(Exception):
            pass

        raise Local("here")

    with pytest.raises(RuntimeError, match="Caught Local in DataLoader worker process 0"):
        list(DataLoader(Doing(action), num_workers=1))


# ---- ends


def test_a_killed_worker() -> None:
    with pytest.raises(RuntimeError, match=r"DataLoader worker \(pid \d+\) is killed by signal: Killed"):
        list(DataLoader(Doing(lambda: os.kill(os.getpid(), signal.SIGKILL)), num_workers=2))


def test_a_worker_that_leaves() -> None:
    with pytest.raises(RuntimeError, match=r"DataLoader worker \(pid\(s\) \d+\) exited unexpectedly"):
        list(DataLoader(Doing(lambda: os._exit(3)), num_workers=2))


def test_a_worker_that_is_killed_while_it_sends() -> None:
    big = TensorDataset(facula.zeros(4, 1_000_000))
    iterator = iter(DataLoader(big, num_workers=1))
    time.sleep(0.3)  # the pipe is full
    os.kill(iterator._pool[0].process.pid, signal.SIGKILL)
    with pytest.raises(RuntimeError, match="is killed by signal"):
        list(iterator)


def test_timeouts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("facula.utils.data._iterators._PATIENCE", 0.3)
    loader: Any = DataLoader(Doing(lambda: time.sleep(30)), num_workers=1, timeout=0.3)
    found = []
    with pytest.raises(RuntimeError, match=r"DataLoader timed out after 0\.3 seconds"):
        for batch in loader:
            found.append(batch.item())
    assert found == [0, 1]


@pytest.mark.parametrize("persistent", [True, False])
def test_a_consumer_that_stops_early(persistent: bool) -> None:
    big = TensorDataset(facula.zeros(50, 100_000))
    loader: Any = DataLoader(big, num_workers=2, prefetch_factor=4, persistent_workers=persistent)
    for _ in loader:
        break
    assert len(multiprocessing.active_children()) == (2 if persistent else 0)
    del loader, _
    gc.collect()
    assert multiprocessing.active_children() == []


def test_an_exception_in_the_loop_stops_the_workers() -> None:
    def consume() -> None:
        for _ in DataLoader(Doing(length=1000), num_workers=2):
            raise KeyError("mine")

    with pytest.raises(KeyError):
        consume()
    gc.collect()
    assert multiprocessing.active_children() == []


PROGRAM = """
import os, sys, time
import facula
from facula.utils.data import DataLoader, TensorDataset
loader = DataLoader(TensorDataset(facula.zeros(100, 100_000)), num_workers=2, persistent_workers=True)
iterator = iter(loader)
next(iterator)
print(*[w.process.pid for w in iterator._pool], flush=True)
if sys.argv[1] == "killed":
    os.kill(os.getpid(), 9)
"""


@pytest.mark.parametrize("how", ["ends", "killed"])
def test_workers_do_not_outlive_the_program(how: str, tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    done = subprocess.run(
        [sys.executable, str(script), how], stdout=subprocess.PIPE, text=True, timeout=40, env=environment
    )
    assert done.returncode == {"ends": 0, "killed": -9}[how]
    pids = [int(p) for p in done.stdout.split()]
    deadline = time.monotonic() + 10
    while any(alive(p) for p in pids) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(pids) == 2 and not any(alive(p) for p in pids)


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_too_many_workers() -> None:
    with pytest.warns(UserWarning, match="This DataLoader will create 2000 worker processes in total"):
        DataLoader(Doing(), num_workers=2000)
