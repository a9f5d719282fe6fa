"""Tangents of memory that is shared: forward mode against reverse mode on programs of views and writes."""

from __future__ import annotations

import gc
import random
from typing import Any

import pytest

import facula as torch
from facula._levels import links
from facula.autograd import forward_ad as fw

VIEWS: list[Any] = [
    lambda t: t[1:],
    lambda t: t[:-1],
    lambda t: t[::2],
    lambda t: t.view(-1) if t.is_contiguous() else t[-1:],
    lambda t: t.t() if t.ndim == 2 else t[None],
    lambda t: t[0] if t.ndim > 1 else t[None, :],
    lambda t: t.as_strided(t.shape, t.stride(), t.storage_offset()),
    lambda t: t.unsqueeze(-1),
]


def asked(t: Any) -> Any:
    """A tensor that was asked for its history: views are refused that were not, since their base has got one."""
    assert t.grad_fn is None or t.requires_grad
    return t


def program(seed: int) -> Any:
    """A function that makes views of constants, old and new, and writes into any of them what depends on its input."""

    def run(x: Any) -> Any:
        choose = random.Random(seed)
        shapes = choose.choice([(4,), (2, 4), (3, 2, 2)])
        base = torch.ones(shapes, dtype=torch.float64)
        if choose.random() < 0.3:
            base = torch.ones_like(x).repeat(2) * 2
        held = [base]
        total = x.sum() * 0
        for _ in range(14):
            source = choose.choice(held)
            kind = choose.random()
            if kind < 0.45:
                view = choose.choice(VIEWS)(source)
                if view.numel():
                    held.append(view)
            elif kind < 0.85:
                number, source = x[choose.randrange(4)], asked(source)
                change = choose.choice(["mul", "add", "fill", "put", "lerp"])
                if change == "mul":
                    source.mul_(number.sin())
                elif change == "add":
                    source.add_(number * number)
                elif change == "fill":
                    source.copy_(number.cos())
                elif change == "lerp":
                    source.lerp_(number.expand(source.shape).contiguous(), 0.25)
                elif source.ndim:
                    source[0] = number.exp() / 4
            else:
                total = total + source.clone().sin().sum()
        return total + sum((t.clone() ** 2).sum() for t in held)

    return run


X = torch.tensor([0.5, -0.25, 0.75, 1.25], dtype=torch.float64)


@pytest.mark.parametrize("seed", range(60))
def test_forward_and_reverse_mode_agree(seed: int) -> None:
    f = program(seed)
    expected = torch.func.grad(f)(X)
    direction = torch.tensor([1.0, -2.0, 3.0, 0.5], dtype=torch.float64)
    _, tangent = torch.func.jvp(f, (X,), (direction,))
    torch.testing.assert_close(tangent, expected.dot(direction))
    torch.testing.assert_close(torch.func.jacfwd(f)(X), expected)


@pytest.mark.parametrize("seed", range(0, 60, 4))
def test_second_derivatives_agree(seed: int) -> None:
    f = program(seed)
    expected = torch.func.jacrev(torch.func.grad(f))(X)
    torch.testing.assert_close(torch.func.hessian(f)(X), expected)
    torch.testing.assert_close(torch.func.jacfwd(torch.func.jacfwd(f))(X), expected)


def test_constants_with_other_strides() -> None:
    def f(x: Any) -> Any:
        base = torch.ones(3, 2, dtype=torch.float64).t() + 0
        assert base.stride() == (1, 2)
        row, corner, column = base[1], base[1:, 1:], base[:, 2]
        base.mul_(x[0])
        asked(row).add_(x[:3].sin())
        asked(column).copy_(x[1] * x[2])
        return (base.clone() ** 3).sum() + (row.clone() ** 2).sum() + corner.clone().sin().sum()

    torch.testing.assert_close(torch.func.jacfwd(f)(X), torch.func.grad(f)(X))
    torch.testing.assert_close(torch.func.hessian(f)(X), torch.func.jacrev(torch.func.grad(f))(X))


def test_views_are_looked_for_only_if_there_may_be_some(monkeypatch: pytest.MonkeyPatch) -> None:
    searches = []
    search = gc.get_referrers

    def counted(*objects: Any) -> list[Any]:
        searches.append(objects)
        return search(*objects)

    monkeypatch.setattr(links.gc, "get_referrers", counted)

    def alone(x: Any) -> Any:
        base = torch.zeros(4, dtype=torch.float64)
        base[1] = x[0]
        base[2:] = x[:2]
        other = torch.ones(4, dtype=torch.float64)
        other.mul_(x)
        return base + other

    torch.func.jvp(alone, (X,), (X,))
    assert searches == []

    def shared(x: Any) -> Any:
        base = torch.zeros(4, dtype=torch.float64)
        views = base.unbind()
        base.copy_(x)
        base.mul_(x)
        return torch.stack(views)

    _, tangent = torch.func.jvp(shared, (X,), (X,))
    torch.testing.assert_close(tangent, 2 * X * X)
    assert len(searches) == 1


def test_views_that_the_garbage_collector_leaves_alone_are_found() -> None:
    base = torch.zeros(4, dtype=torch.float64)
    view = base[1:3]
    gc.freeze()
    try:
        with fw.dual_level():
            base.copy_(fw.make_dual(X, X * 2))
            assert fw.unpack_dual(view).tangent.tolist() == (X * 2)[1:3].tolist()
    finally:
        gc.unfreeze()


def test_a_view_that_is_gone_is_forgotten() -> None:
    def f(x: Any) -> Any:
        base = x * 1
        for i in range(1000):
            base[i % 4].add_(x[0])
        assert len(base._views) < 20
        return base

    _, tangent = torch.func.jvp(f, (X,), (torch.ones_like(X),))
    torch.testing.assert_close(tangent, torch.full((4,), 251.0, dtype=torch.float64))


def test_tensors_are_plain_again_after_nested_levels() -> None:
    base = torch.zeros(4, dtype=torch.float64)
    view = base[1:3]

    def inner(y: Any) -> Any:
        base.mul_(y)
        assert type(view) is not torch.Tensor
        return view * 1

    with fw.dual_level():
        base.add_(fw.make_dual(X, X * 0 + 1))
        outer = type(view)
        _, tangent = torch.func.jvp(inner, (X,), (X * 0 + 10,))
        assert type(view) is outer
        assert fw.unpack_dual(view).tangent.tolist() == X[1:3].tolist()
        assert fw.unpack_dual(tangent).tangent.tolist() == [10, 10]
        view.zero_()
        assert fw.unpack_dual(base).tangent.tolist() == [X[0].item(), 0, 0, X[3].item()]
    assert type(base) is type(view) is torch.Tensor
    assert view._base is base
    base.fill_(7)
    assert view.tolist() == [7, 7]


def test_turning_a_dual_leaves_its_views_as_they_are() -> None:
    with fw.dual_level():
        dual = fw.make_dual(torch.zeros(2, 3), torch.arange(6.0).view(2, 3))
        row = dual[1]
        dual.t_()
        assert fw.unpack_dual(dual).tangent.tolist() == [[0, 3], [1, 4], [2, 5]]
        assert fw.unpack_dual(row).tangent.tolist() == [3, 4, 5]
        row.mul_(2)
        assert fw.unpack_dual(dual).tangent.tolist() == [[0, 6], [1, 8], [2, 10]]
        dual.zero_()
        assert fw.unpack_dual(row).tangent.tolist() == [0, 0, 0]
