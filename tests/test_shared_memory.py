"""``share_memory_()``: what one process writes, others see, and tensors that share memory go on to."""

from __future__ import annotations

import sys
from multiprocessing.reduction import ForkingPickler
from typing import Any

import pytest

import facula as torch
from facula import multiprocessing, nn

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="descriptors are sent by POSIX means")


def _double(t: Any, done: Any) -> None:
    t.mul_(2)
    done.put(t.is_shared())


def _train(model: Any, steps: int) -> None:
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(steps):
        optimizer.zero_grad()
        (model(torch.ones(4, 2)) - 1).pow(2).mean().backward()
        optimizer.step()


def _answer(asked: Any, answers: Any) -> None:
    whole, part, own = asked.get(timeout=60)
    whole[0] = 10.0
    own[0] = 10.0
    answers.put(part.tolist())
    asked.get(timeout=60)


@pytest.mark.parametrize("way", ["fork", "spawn"])
def test_writes_are_seen(way: str) -> None:
    context: Any = multiprocessing.get_context(way)
    t = torch.arange(3.0).share_memory_()
    done = context.Queue()
    process = context.Process(target=_double, args=(t, done))
    process.start()
    assert done.get(timeout=60) is True
    process.join()
    assert t.tolist() == [0.0, 2.0, 4.0] and t.is_shared()


def test_a_model_that_several_processes_train() -> None:
    torch.manual_seed(0)
    model = nn.Linear(2, 1)
    assert model.share_memory() is model and all(p.is_shared() and p.is_leaf for p in model.parameters())
    before = model.weight.tolist()
    context: Any = multiprocessing.get_context("fork")
    processes = [context.Process(target=_train, args=(model, 20)) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    assert model.weight.tolist() != before
    assert (model(torch.ones(4, 2)) - 1).abs().max().item() < 0.05


def test_through_a_queue() -> None:
    """Views keep sharing where they arrive; what is not shared is copied."""
    context: Any = multiprocessing.get_context("spawn")
    asked, answers = context.Queue(), context.Queue()
    process = context.Process(target=_answer, args=(asked, answers))
    process.start()
    whole, own = torch.zeros(4).share_memory_(), torch.zeros(2)
    asked.put((whole, whole[:2], own))
    assert answers.get(timeout=60) == [10.0, 0.0]
    asked.put(None)
    process.join()
    assert whole.tolist() == [10.0, 0.0, 0.0, 0.0] and own.tolist() == [0.0, 0.0]


def test_views_move_with_their_storage() -> None:
    x = torch.arange(6.0).reshape(2, 3)
    row, turned = x[1], x.t()
    x.share_memory_()
    x[1, 0] = 9.0
    assert row.tolist() == [9.0, 4.0, 5.0] and turned[0].tolist() == [0.0, 9.0]
    assert row.is_shared() and row.storage_offset() == 3 and turned.stride() == (1, 3)
    y = torch.arange(6.0)[2:]
    y.share_memory_()
    assert y.tolist() == [2.0, 3.0, 4.0, 5.0] and y.storage_offset() == 2 and y.untyped_storage().nbytes() == 24


def test_storages() -> None:
    x = torch.zeros(2)
    storage = x.untyped_storage()
    assert not storage.is_shared()
    storage.share_memory_()
    storage[0] = 1
    assert x.is_shared() and storage.is_shared() and x.untyped_storage().is_shared() and x[0].item() != 0


def test_empty_and_meta_tensors() -> None:
    assert torch.zeros(0).share_memory_().is_shared()
    assert torch.zeros(2, device="meta").share_memory_().device.type == "meta"


def test_what_has_a_history_is_not_sent() -> None:
    torch.zeros(1).share_memory_()
    x = torch.ones(2, requires_grad=True) * 2
    with pytest.raises(RuntimeError, match="Cowardly refusing to serialize non-leaf tensor"):
        ForkingPickler.dumps(x)
