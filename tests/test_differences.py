"""What ``docs/differences.md`` says that facula does otherwise than PyTorch is so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import facula
from facula.autograd.graph import Node


def test_nodes_have_one_base_class() -> None:
    node = facula.ones(2, requires_grad=True).exp().grad_fn
    assert isinstance(node, Node) and Node in type(node).mro()


def test_complex32_is_a_name() -> None:
    half = facula.ones(2, dtype=facula.float16)
    for other in 1j, facula.tensor(1j):
        assert facula.result_type(half, other) is facula.complex32
        assert (half + other).dtype is (half * other).dtype is facula.complex64
    with pytest.raises(NotImplementedError, match="knows complex32 by name only"):
        facula.tensor([1.25, 3.0], dtype=facula.complex32)


def test_tensors_of_many_dimensions_can_be_made_only() -> None:
    x = facula.empty((1,) * 65)
    assert x.dim() == 65
    for refused in (lambda: x.sum(0), lambda: x + 1, lambda: facula.ones((1,) * 65), lambda: x.unsqueeze(0)):
        with pytest.raises(RuntimeError, match="only tensors with up to 64 dims are supported"):
            refused()


class Number(facula.autograd.Function):
    @staticmethod
    def forward(x: Any) -> Any:
        return x.clone()

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * (2 if g.sum().item() > 0 else 1)


@pytest.mark.parametrize("chunk_size", [None, 1, 2])
@pytest.mark.filterwarnings("ignore:There is a performance drop")
def test_rows_of_a_jacobian_may_ask_for_numbers(chunk_size: int | None) -> None:
    found = facula.func.jacrev(Number.apply, chunk_size=chunk_size)(facula.ones(2))
    assert found.tolist() == [[2, 0], [0, 2]]


WRITES: dict[str, Callable[[Any, Any], Any]] = {
    "copy_": lambda c, x: c.copy_(x),
    "add_": lambda c, x: c.add_(x),
    "an item": lambda c, x: c.__setitem__(0, x[0]),
    "a view": lambda c, x: c[1:].copy_(x[1:]),
    "a row of unbind": lambda c, x: c.view(1, 3)[0].add_(x),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
@pytest.mark.parametrize("transform", ["grad", "vjp", "jacrev", "jvp", "jacfwd"])
def test_captured_tensors_that_are_written_to_have_no_history_later(transform: str, write: Any) -> None:
    captured = facula.zeros(3)
    view = captured[1:]
    x = facula.tensor([1.0, 2.0, 3.0])

    def f(x: Any) -> Any:
        write(captured, x)
        return (x * captured).sum()

    if transform == "jvp":
        facula.func.jvp(f, (x,), (x,))
    else:
        found = getattr(facula.func, transform)(f, *[x] * (transform == "vjp"))
        gradient = found[1](facula.tensor(1.0))[0] if transform == "vjp" else found(x)
        assert gradient.tolist() == (2 * captured).tolist()
    for t in captured, view, captured.view(-1):
        assert type(t) is facula.Tensor and not t.requires_grad and t.grad_fn is None
    captured.requires_grad_()


def test_what_an_outer_transform_asks_about_is_kept() -> None:
    def f(x: Any) -> Any:
        between = facula.zeros(())

        def g(y: Any) -> Any:
            between.copy_(x * y)
            return between * y

        return facula.func.grad(g)(x) * between

    x = facula.tensor(3.0)
    assert facula.func.grad(f)(x) == 4 * 2 * x**3  # of 2 x^2 times x^2
    assert facula.func.jacrev(f)(x) == 4 * 2 * x**3


def test_results_that_were_written_to_lead_back() -> None:
    def f(x: Any) -> Any:
        out = facula.zeros(3)
        out.copy_(x * x)
        return out, out[:2]

    (whole, part), pull = facula.func.vjp(f, facula.tensor([1.0, 2.0, 3.0]))
    assert not whole.requires_grad and not part.requires_grad
    for _ in range(2):
        (g,) = pull((facula.ones(3), facula.ones(2)))
        assert g.tolist() == [4, 8, 6]
