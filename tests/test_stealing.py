"""A leaf's first gradient becomes its ``.grad`` without a copy only if nobody else sees it.

See NOTE [stealing] in ``autograd/accumulate.py``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import facula as torch
from facula.autograd import Function, accumulate


def leaf(*shape: int) -> Any:
    return torch.from_numpy(np.random.default_rng(len(shape)).normal(size=shape)).requires_grad_()


def shared(a: Any, b: Any) -> bool:
    return np.shares_memory(a._array, b._array)


def assert_apart(*tensors: Any) -> None:
    assert all(t is not None for t in tensors)
    assert not any(shared(a, b) for i, a in enumerate(tensors) for b in tensors[:i])


@pytest.fixture
def copies(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The gradients that were copied on their way into ``.grad``."""
    seen: list[Any] = []
    copy = accumulate._copy_in_layout

    def counted(g: Any, like: Any) -> Any:
        seen.append(g.shape)
        return copy(g, like)

    monkeypatch.setattr(accumulate, "_copy_in_layout", counted)
    return seen


# ---- taken over


if_any_is_taken_over = pytest.mark.skipif(sys.version_info >= (3, 14), reason="there every gradient is copied")

COMMON: dict[str, Callable[[Any], Any]] = {
    "times a number": lambda x: x * 2,
    "squared": lambda x: x * x,
    "used twice": lambda x: x * 2 + x * 3,
    "through a chain": lambda x: (x * 2).tanh().exp(),
    "matrix product": lambda x: x @ x,
    "transposed product": lambda x: x @ x.t(),
    "broadcast": lambda x: x * torch.ones(5, 4, 4),
}


@if_any_is_taken_over
@pytest.mark.parametrize("fn", COMMON.values(), ids=COMMON.keys())
def test_common_gradients_are_taken_over(fn: Callable[[Any], Any], copies: list[Any]) -> None:
    x = leaf(4, 4)
    fn(x).sum().backward()
    assert x.grad is not None and x.grad.shape == (4, 4)
    assert copies == []


@if_any_is_taken_over
def test_both_sides_of_a_product_are_taken_over(copies: list[Any]) -> None:
    x, w = leaf(5, 4), leaf(4, 3)
    (x @ w).sum().backward()
    assert copies == []
    assert_apart(x.grad, w.grad, x, w)


@if_any_is_taken_over
def test_a_layer_takes_its_gradients_over(copies: list[Any]) -> None:
    layer = torch.nn.Linear(4, 3)
    layer(torch.ones(5, 4)).tanh().sum().backward()
    assert copies == []
    assert_apart(layer.weight.grad, layer.bias.grad)


# ---- never shared


def test_two_leaves_get_gradients_of_their_own() -> None:
    g = torch.ones(4, dtype=torch.float64)
    for combined in (lambda x, y: x + y, lambda x, y: (x + y) * 2, lambda x, y: x * 1 + y):
        x, y = leaf(4), leaf(4)
        combined(x, y).backward(g)
        assert_apart(x.grad, y.grad, g)
        before = y.grad.tolist()
        x.grad.add_(1)
        assert y.grad.tolist() == before and g.tolist() == [1.0] * 4


PASSING: dict[str, Callable[[Any], Any]] = {
    "leaf": lambda x: x,
    "clone": lambda x: x.clone(),
    "plus a number": lambda x: x + 1,
    "view": lambda x: x.view(2, 2),
    "transposed": lambda x: x.view(2, 2).t(),
    "reshaped twice": lambda x: x.reshape(2, 2).reshape(4),
    "unsqueezed": lambda x: x.unsqueeze(0),
    "double": lambda x: x.double(),
    "parts": lambda x: torch.cat(x.split(2)),
}


@pytest.mark.parametrize("fn", PASSING.values(), ids=PASSING.keys())
def test_what_the_user_passes_stays_the_users(fn: Callable[[Any], Any]) -> None:
    x = leaf(4)
    y = fn(x)
    g = torch.full(y.shape, 2.0, dtype=torch.float64)
    y.backward(g)
    assert_apart(x.grad, g)
    x.grad.zero_()
    assert g.sum() == 8


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_what_the_user_passes_for_one_element_stays_the_users(shape: tuple[int, ...]) -> None:
    for fn in (lambda x: x.sum(), lambda x: x.view(()), lambda x: x + 0, lambda x: x.expand(1, *shape)):
        x = leaf(*shape)
        y = fn(x)
        g = torch.full(y.shape, 3.0, dtype=torch.float64)
        y.backward(g)
        assert_apart(x.grad, g)


@pytest.mark.parametrize("fn", PASSING.values(), ids=PASSING.keys())
def test_what_a_hook_kept_stays_as_it_was(fn: Callable[[Any], Any]) -> None:
    kept: list[Any] = []
    x = leaf(4)
    y = fn(x * 1)
    x.register_hook(lambda g: kept.append(g))
    y.register_hook(lambda g: kept.append(g))
    y.grad_fn.register_hook(lambda inputs, outputs: kept.extend([g for g in (*inputs, *outputs) if g is not None]))
    y.grad_fn.register_prehook(lambda outputs: kept.extend(outputs))
    (y * 2).sum().backward()
    assert len(kept) >= 5
    for g in kept:
        assert_apart(x.grad, g)


def test_what_a_hook_returned_stays_as_it_was() -> None:
    mine = torch.ones(4, dtype=torch.float64)
    x, y = leaf(4), leaf(4)
    x.register_hook(lambda g: mine)
    (x * y).sum().backward()
    assert_apart(x.grad, mine)


@pytest.mark.parametrize("fn", PASSING.values(), ids=PASSING.keys())
def test_a_retained_gradient_is_a_copy(fn: Callable[[Any], Any]) -> None:
    x = leaf(4)
    middle = x * 1
    y = fn(middle)
    middle.retain_grad()
    if y is not middle:
        y.retain_grad()
    (y * 2).sum().backward()
    assert_apart(*{id(t): t for t in (x.grad, y.grad, middle.grad)}.values())


def test_what_a_function_of_the_users_returns_stays_the_users() -> None:
    mine = torch.ones(4, dtype=torch.float64)

    class Given(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return mine

    x = leaf(4)
    Given.apply(x).sum().backward()
    assert_apart(x.grad, mine)


def test_saved_values_are_never_given_away() -> None:
    x = leaf(4)
    w = torch.full((4,), 3.0, dtype=torch.float64)
    (x * w).backward(torch.ones(4, dtype=torch.float64))
    assert_apart(x.grad, w, x)


def test_later_gradients_are_added_to_the_same_tensor() -> None:
    x = leaf(4)
    (x * 2).sum().backward()
    first = x.grad
    (x * 3).sum().backward()
    assert x.grad is first and first.tolist() == [5.0] * 4


def test_the_gradient_of_a_sum_of_one_element_can_be_changed() -> None:
    x = leaf(1)
    x.sum().backward()
    x.grad.mul_(3)
    assert x.grad.tolist() == [3.0]
