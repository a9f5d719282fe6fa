"""Compiled functions inside and around other things, against the functions as they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import facula as torch
from facula.utils.checkpoint import checkpoint

from .test_capture import Cube, same


def smooth(x: torch.Tensor) -> torch.Tensor:
    return (x.sin() * x.exp()).tanh()


def total(x: torch.Tensor) -> torch.Tensor:
    return smooth(x).square().sum()


def hooked(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    y.register_hook(lambda g: g * 3)
    return y.sin()


class Doubtful(torch.autograd.Function):
    """Its gradient is not that of what it computes."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * ctx.saved_tensors[0] ** 3


AROUND: dict[str, Callable[[Any, Any], Any]] = {
    "vmap": lambda f, x: torch.vmap(f)(x),
    "grad": lambda f, x: torch.func.grad(lambda t: f(t).sum())(x),
    "vmap of grad": lambda f, x: torch.vmap(torch.func.grad(lambda t: f(t).sum()))(x),
    "jvp": lambda f, x: torch.func.jvp(f, (x,), (torch.ones_like(x),)),
    "vjp": lambda f, x: torch.func.vjp(f, x)[1](torch.ones_like(x)),
    "jacrev": lambda f, x: torch.func.jacrev(f)(x),
    "jacfwd": lambda f, x: torch.func.jacfwd(f)(x),
    "hessian": lambda f, x: torch.func.hessian(lambda t: f(t).sum())(x),
    "checkpoint": lambda f, x: checkpoint(f, x, use_reentrant=False),
    "functional": lambda f, x: torch.autograd.functional.jacobian(f, x),
    "no_grad": lambda f, x: torch.no_grad()(f)(x),
    "compile": lambda f, x: torch.compile(lambda t: f(t) * 2, backend="eager")(x),
}

INSIDE: dict[str, Callable[[Any], Any]] = {
    "vmap": lambda x: torch.vmap(smooth)(x),
    "grad": lambda x: torch.func.grad(total)(x),
    "vmap of grad": lambda x: torch.vmap(torch.func.grad(total))(x),
    "jvp": lambda x: torch.func.jvp(smooth, (x,), (x,)),
    "checkpoint": lambda x: checkpoint(smooth, x, use_reentrant=False),
    "Function": lambda x: Cube.apply(x) + x,
    "hook": hooked,
    "own rule": lambda x: Doubtful.apply(x.sin()) * x,
    "compiled": lambda x: torch.compile(smooth, backend="eager")(x) * 2,
    "autograd.grad": lambda x: torch.autograd.grad(total(t := x.detach().requires_grad_()), t)[0],
    "no_grad": lambda x: torch.no_grad()(smooth)(x) * x.sin(),
    "detach": lambda x: smooth(x.detach() * x) * x,
}


def leaf(seed: int) -> torch.Tensor:
    torch.manual_seed(seed)
    return torch.randn(3, 4, requires_grad=True)


@pytest.mark.parametrize("name", AROUND)
def test_around(name: str) -> None:
    c = torch.compile(smooth, backend="eager")
    for seed in range(3):
        same(AROUND[name](c, leaf(seed)), AROUND[name](smooth, leaf(seed)), atol=1e-5)


@pytest.mark.parametrize("name", INSIDE)
def test_inside(name: str) -> None:
    fn = INSIDE[name]
    c = torch.compile(fn, backend="eager")
    for seed in range(3):
        x, y = leaf(seed), leaf(seed)
        a, b = torch.utils._pytree.tree_leaves(c(x))[0], torch.utils._pytree.tree_leaves(fn(y))[0]
        same(a, b, atol=1e-5)
        if b.requires_grad:
            a.sum().backward()
            b.sum().backward()
            same(x.grad, y.grad, atol=1e-5)


@pytest.mark.parametrize("name", ["vmap", "checkpoint", "grad", "Function", "own rule", "hook", "detach", "no_grad"])
def test_second_derivatives_of_what_is_inside(name: str) -> None:
    fn = INSIDE[name]
    c = torch.compile(fn, backend="eager")
    for seed in range(2):
        found = []
        for f in (c, fn):
            x = leaf(seed)
            (g,) = torch.autograd.grad(f(x).sum(), x, create_graph=True)
            found.append([g.detach(), *torch.autograd.grad(g.square().sum(), x)])
        same(found[0], found[1], atol=1e-4)
