"""Compiled functions of conjugates: results and arguments are the views that they are without it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import facula as torch
import facula.export
from facula.fx.experimental.proxy_tensor import make_fx


def made(x: Any) -> Any:
    return x.conj() * x, x.conj(), x.conj().imag, x.conj()[1:], x.conj().conj()


def written(x: Any) -> Any:
    y = x * 2
    y.conj().mul_(1j)
    return y, y.conj()


def seen_after_a_write(x: Any) -> Any:
    y = x * 2j
    c = y.conj()
    y.mul_(3)
    c[0] = 5j
    return c * 1, y, c


def argument_written(x: Any) -> Any:
    x.conj().mul_(1j)
    x.conj().imag.add_(1)
    return x + 1, x.conj()


def plain() -> Any:
    return torch.tensor([1 + 2j, 3 - 4j])


def conjugate() -> Any:
    return plain().conj()


def shown(t: Any) -> Any:
    return t.tolist(), t.is_conj(), t.is_neg()


@pytest.mark.parametrize("given", [plain, conjugate])
@pytest.mark.parametrize("fn", [made, written, seen_after_a_write, argument_written])
def test_compiled(fn: Callable[[Any], Any], given: Callable[[], Any]) -> None:
    compiled = torch.compile(fn)
    for make in (given, given, given, plain, conjugate, plain):
        x, y = make(), make()
        assert [shown(t) for t in compiled(x)] == [shown(t) for t in fn(y)]
        assert (shown(x), x._version) == (shown(y), y._version)


@pytest.mark.filterwarnings("ignore:compile. seen_after_a_write runs eagerly")  # gradients are written by as_strided
@pytest.mark.parametrize("given", [plain, conjugate])
@pytest.mark.parametrize("fn", [made, written, seen_after_a_write])
def test_compiled_gradients(fn: Callable[[Any], Any], given: Callable[[], Any]) -> None:
    compiled = torch.compile(fn)
    for _ in range(3):
        x, y = given().requires_grad_(), given().requires_grad_()
        for a, b in zip(compiled(x), fn(y)):
            (g,) = torch.autograd.grad(a.abs().sum(), x, retain_graph=True)
            (h,) = torch.autograd.grad(b.abs().sum(), y, retain_graph=True)
            assert torch.allclose(g, h)


@pytest.mark.parametrize("fn", [made, written, seen_after_a_write])
def test_traced_by_make_fx(fn: Callable[[Any], Any]) -> None:
    graph = make_fx(fn)(plain())
    other = plain() * (2 - 1j)
    assert [shown(t) for t in graph(other)] == [shown(t) for t in fn(other)]


@pytest.mark.parametrize("given", [plain, conjugate])
def test_exported(given: Callable[[], Any]) -> None:
    class Made(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            return made(x)

    program = facula.export.export(Made(), (given(),))
    assert "torch.ops.aten._conj.default" in program.graph_module.code
    for make in (plain, conjugate):
        assert [shown(t) for t in program.module()(make())] == [shown(t) for t in made(make())]
