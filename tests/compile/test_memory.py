"""Programs keep nothing of the call that they were captured from."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import facula as torch

SIZE = 1000
weight = torch.ones(10, requires_grad=True)


def step(x: torch.Tensor) -> torch.Tensor:
    loss = (x[:10] * weight + x.sort()[0][:10]).square().sum()
    loss.backward()
    with torch.no_grad():
        weight.sub_(weight.grad * 0.01)  # type: ignore[operator]
    weight.grad = None
    return loss.detach()


def in_place(x: torch.Tensor) -> torch.Tensor:
    return x[1:].mul_(2).sum()


CASES: list[tuple[Callable[..., Any], Callable[[], list[torch.Tensor]]]] = [
    (lambda x: x.sin() * 2, lambda: [torch.rand(SIZE)]),
    (lambda x: (x.sin() * 2).exp(), lambda: [torch.rand(SIZE, requires_grad=True)]),
    (lambda x, y: (x[:10] * weight).sum() + (y * x).cumsum(0).sum(), lambda: [torch.rand(SIZE), torch.rand(SIZE)]),
    (lambda x: x * 2 if x.sum() > 0 else x, lambda: [torch.rand(SIZE)]),
    (lambda x: torch.dropout(x, 0.5, True), lambda: [torch.rand(SIZE)]),
    (in_place, lambda: [torch.rand(SIZE)]),
    (step, lambda: [torch.rand(SIZE)]),
]


@pytest.mark.parametrize("backend", ["eager", "numpy"])
@pytest.mark.parametrize("at", range(len(CASES)))
def test_arguments_are_free_after_the_call(at: int, backend: str) -> None:
    fn, make = CASES[at]
    weight.grad = None
    fast = torch.compile(fn, backend=backend)
    args = make()
    held = [weakref.ref(each) for t in args for each in (t, t._array)]
    out = fast(*args)
    if out.requires_grad:
        out.sum().backward()
    assert fast.compiled.programs
    del out, args
    gc.collect()
    assert not [each for each in held if each() is not None]
    fast(*make())
    assert len(fast.compiled.programs) == 1


def test_arguments_in_lists_are_free() -> None:
    fast = torch.compile(lambda pair, named: pair[0] * 2 + named["y"], backend="numpy")
    x, y = torch.ones(3), torch.ones(3)
    held = [weakref.ref(x), weakref.ref(y)]
    assert fast([x], {"y": y}).tolist() == [3, 3, 3]
    del x, y
    gc.collect()
    assert [each() for each in held] == [None, None]
    assert fast([torch.zeros(3)], {"y": torch.ones(3)}).tolist() == [1, 1, 1]
    assert len(fast.compiled.programs) == 1
