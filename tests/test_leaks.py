"""Graphs are freed by reference counting alone, long loops do not grow, and depth is no problem."""

from __future__ import annotations

import gc
import tracemalloc
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import facula as torch


@pytest.fixture(autouse=True)
def without_cycle_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


class Witness:
    """Lives as long as the node that it is attached to."""


def witness_of(node: Any) -> weakref.ref[Witness]:
    witness = Witness()
    node.metadata["witness"] = witness
    return weakref.ref(witness)


def witnesses_below(*outputs: Any) -> list[weakref.ref[Witness]]:
    """One for each node that leads from the outputs to the leaves."""
    found, stack, seen = [], [o.grad_fn for o in outputs], set()
    while stack:
        node = stack.pop()
        if node is None or id(node) in seen:
            continue
        seen.add(id(node))
        found.append(witness_of(node))
        stack += [n for n, _ in node.next_functions]
    return found


def leaf(*values: float) -> Any:
    return torch.tensor(values, requires_grad=True)


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any, factor: float) -> Any:
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * ctx.factor, None


class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        y = x.exp()
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * ctx.saved_tensors[1]


class Pair(torch.autograd.Function):
    @staticmethod
    def forward(x: Any) -> Any:
        return x * 2, x * 3

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(*inputs, *output)
        ctx.mark_non_differentiable()

    @staticmethod
    def backward(ctx: Any, g: Any, h: Any) -> Any:
        return g * 2 + h * 3


class DoubleInPlace(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * 2


class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g


class NamesOfTheEngine(torch.autograd.Function):
    """Its ctx has attributes that are called as the engine's own."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.saved, ctx.next, ctx.backward, ctx.name = x.detach() + 1, "next", "backward", "name"
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        assert (ctx.next, ctx.backward, ctx.name) == ("next", "backward", "name") and ctx.saved.shape == g.shape
        (x,) = ctx.saved_tensors
        return g * 2 + x * 0


def with_hooks(x: Any) -> Any:
    y = x * x
    y.register_hook(lambda g: g * 2)
    y.retain_grad()
    y.grad_fn.register_hook(lambda grads, outputs: None)
    y.grad_fn.register_prehook(lambda grads: None)
    return y.exp()


def changed_in_place(x: Any) -> Any:
    y = x * 1
    y.mul_(3)
    y += 1
    y.exp_()
    return y


def changed_through_a_view(x: Any) -> Any:
    y = x.clone()
    y[0:1].mul_(2)
    y[1] = 7.0
    y.view(-1)[0:1].exp_()
    return y


def views_of_views(x: Any) -> Any:
    a, b = (x * 2).view(2, 1).t().expand(3, 2).unbind(1)
    return a * b


def packed_by_hooks(x: Any) -> Any:
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        return (x * x).exp()


def checkpointed(x: Any) -> Any:
    from facula.utils.checkpoint import checkpoint

    return checkpoint(lambda t: (t * t).exp(), x, use_reentrant=False)


def recorded_gradient(x: Any) -> Any:
    y = (x * x).exp()
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    return g * y


GRAPHS: dict[str, Callable[[Any], Any]] = {
    "arithmetic": lambda x: (x * x + 2) * x - x / 3,
    "saved outputs": lambda x: x.exp().tanh().sigmoid().sqrt(),
    "reductions": lambda x: x.softmax(0) * x.sum() + x.mean(0, keepdim=True),
    "indexing": lambda x: x[torch.tensor([1, 0])] * x[0],
    "joining": lambda x: torch.cat([x, x * 2]) * torch.stack([x, x]).view(-1),
    "custom": lambda x: Scale.apply(x, 3.0),
    "custom with saved outputs": lambda x: Exp.apply(Exp.apply(x)),
    "custom with several outputs": lambda x: Pair.apply(x)[0] * Pair.apply(x)[1],
    "custom in place": lambda x: DoubleInPlace.apply(x * 1),
    "custom view": lambda x: Same.apply(x) * 2,
    "custom with names of the engine": NamesOfTheEngine.apply,
    "hooks": with_hooks,
    "in place": changed_in_place,
    "in place through views": changed_through_a_view,
    "views": views_of_views,
    "saved tensor hooks": packed_by_hooks,
    "checkpoint": checkpointed,
    "recorded gradient": recorded_gradient,
}


@pytest.mark.parametrize("name", GRAPHS)
def test_graph_that_never_ran_is_freed_with_its_result(name: str) -> None:
    x = leaf(0.5, 0.25)
    y = GRAPHS[name](x)
    alive = witnesses_below(y)
    assert alive and all(w() is not None for w in alive)
    result = weakref.ref(y)
    del y
    assert result() is None
    assert [w() for w in alive if w() is not None] == []


@pytest.mark.parametrize("name", GRAPHS)
def test_graph_that_ran_is_freed_with_its_result(name: str) -> None:
    x = leaf(0.5, 0.25)
    y = GRAPHS[name](x)
    alive = witnesses_below(y)
    y.sum().backward()
    assert x.grad is not None
    del y
    assert [w() for w in alive if w() is not None] == []


@pytest.mark.parametrize("name", GRAPHS)
def test_graph_is_freed_although_the_leaf_and_its_gradient_live(name: str) -> None:
    x = leaf(0.5, 0.25)
    alive = witnesses_below(y := GRAPHS[name](x))
    (g,) = torch.autograd.grad(y.sum(), x)
    del y
    assert [w() for w in alive if w() is not None] == [] and g.shape == x.shape


def test_saved_values_are_freed_by_the_backward_pass_not_only_with_the_graph() -> None:
    x = leaf(0.5, 0.25)
    h = x.exp()
    y = (h * h).sum()
    values = weakref.ref(h._array)
    del h
    assert values() is not None
    y.backward()
    assert values() is None and y.grad_fn is not None


def test_attributes_of_a_ctx_are_freed_with_the_graph() -> None:
    x = leaf(0.5)
    y = Scale.apply(x, 3.0)
    witness = Witness()
    y.grad_fn.note = witness
    reference = weakref.ref(witness)
    del witness
    y.backward()
    assert reference() is not None
    del y
    assert reference() is None


def test_forward_without_recording_frees_its_ctx() -> None:
    seen = []

    class Watched(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            seen.append(weakref.ref(ctx))
            return x * 2

    with torch.no_grad():
        y = Watched.apply(leaf(1.0))
    assert seen[0]() is None and y.tolist() == [2.0]


def test_training_loop_of_10000_steps_holds_memory_flat() -> None:
    torch.manual_seed(0)
    w, b = torch.randn(4, 3, requires_grad=True), torch.zeros(3, requires_grad=True)
    x, target = torch.randn(8, 4), torch.randn(8, 3)

    def step() -> float:
        h = torch.tanh(x @ w + b)
        h = Scale.apply(h, 0.5)
        h.register_hook(lambda g: g)
        loss = ((h - target) ** 2).mean() + Exp.apply(b).sum() * 1e-3
        loss.backward()
        with torch.no_grad():
            for p in (w, b):
                p -= 0.1 * p.grad  # type: ignore[operator]
                p.grad = None
        return loss.item()

    first = step()
    for _ in range(1_000):
        step()
    objects = len(gc.get_objects())
    for _ in range(8_000):
        step()
    assert abs(len(gc.get_objects()) - objects) < 50
    tracemalloc.start()
    for _ in range(1_000):
        last = step()
    left, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert left < 50_000
    assert last < first


def test_chain_of_a_million_operations() -> None:
    x = leaf(1.0)
    y = x
    for _ in range(500_000):
        y = y * 1.0000001
        y = y + 0.0
    alive = witness_of(y.grad_fn)
    y.backward()
    assert x.grad.item() == pytest.approx(1.0000001**500_000, rel=1e-1)
    del y
    assert alive() is None


def test_chain_of_custom_functions_in_place_changes_and_views_is_deep_as_well() -> None:
    x = leaf(1.0)
    y = x * 1
    for _ in range(20_000):
        y = Scale.apply(y, 1.0)
        y = y * 1
        y.add_(0.0)
        y = y.view(1)
    alive = witness_of(y.grad_fn)
    y.backward()
    assert x.grad.item() == 1.0
    del y
    assert alive() is None
