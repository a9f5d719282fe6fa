"""Back ends that users write: how often they are called, and with what."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import pytest

import facula as torch
from facula import _dynamo
from facula._dynamo.backends.common import aot_autograd
from facula._functorch.aot_autograd import make_boxed_compiler, make_boxed_func


def counting(calls: list[int]) -> Callable[..., Any]:
    def backend(gm: Any, example_inputs: list[Any]) -> Any:
        calls.append(len(example_inputs))
        return gm.forward

    return backend


def ones(*sizes: int) -> Any:
    return torch.ones(*sizes)


@pytest.mark.parametrize(
    ("fn", "given", "dynamic", "expected"),
    [
        (lambda x: x * 2, [(ones(2, 3),), (ones(3, 4),), (ones(1, 4),), (ones(7, 8),)], True, [1, 1, 2, 2]),
        (lambda x: x * 2, [(ones(2, 3),), (ones(3, 4),), (ones(1, 4),), (ones(7, 8),)], None, [1, 2, 3, 3]),
        (lambda x, n: x * n, [(ones(2), 2), (ones(2), 3), (ones(2), 4), (ones(2), 2.5), (ones(2), 3.5)], True,
         [1, 1, 1, 2, 2]),
    ],
)  # fmt: skip
def test_calls(fn: Any, given: list[Any], dynamic: bool | None, expected: list[int]) -> None:
    """As many as of PyTorch's."""
    calls: list[int] = []
    fast = torch.compile(fn, backend=counting(calls), dynamic=dynamic)
    seen = []
    for args in given:
        assert torch.equal(fast(*args), fn(*args))
        seen.append(len(calls))
    assert seen == expected


def test_forward_programs_only() -> None:
    calls: list[int] = []
    w = torch.ones(3, requires_grad=True)
    fast = torch.compile(lambda x: (x * w).sum(), backend=counting(calls))
    for _ in range(3):
        fast(torch.ones(3)).backward()
    assert len(calls) == 1 and w.grad.tolist() == [3, 3, 3]


@pytest.mark.parametrize("boxed", [False, True])
def test_two_compilers(boxed: bool) -> None:
    told = []

    def forward(gm: Any, example_inputs: list[Any]) -> Any:
        told.append("forward")
        return make_boxed_func(gm.forward) if boxed else gm.forward

    def backward(gm: Any, example_inputs: list[Any]) -> Any:
        told.append("backward")
        return gm.forward

    backend = aot_autograd(fw_compiler=forward, bw_compiler=make_boxed_compiler(backward) if boxed else backward)
    fast = torch.compile(lambda x: (x.sin() * x).sum(), backend=backend)
    x, y = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    fast(x).backward()
    (y.sin() * y).sum().backward()
    assert x.grad is not None and y.grad is not None and torch.allclose(x.grad, y.grad)
    assert told == ["forward", "backward"]


def test_back_ends_that_call_others() -> None:
    def backend(gm: Any, example_inputs: list[Any]) -> Any:
        return _dynamo.lookup_backend("numpy")(gm, example_inputs)

    fast = torch.compile(lambda x: x * 2 + 1, backend=backend)
    assert fast(torch.ones(2)).tolist() == [3, 3]
    with pytest.raises(_dynamo.exc.InvalidBackend):
        _dynamo.lookup_backend("nobody's")


def test_errors_of_a_back_end_are_its_own() -> None:
    def backend(gm: Any, example_inputs: list[Any]) -> Any:
        def call(*args: Any) -> Any:
            raise KeyError("mine")

        return call

    fast = torch.compile(lambda x: x * 2, backend=backend)
    for _ in range(2):
        with pytest.raises(KeyError, match="mine"):
            fast(torch.ones(2))


def with_sums_for_products(gm: Any, example_inputs: list[Any]) -> Any:
    for node in gm.graph.find_nodes(op="call_function", target=operator.mul):
        node.target = operator.add
    gm.recompile()
    return gm.forward


def around(gm: Any, example_inputs: list[Any]) -> Any:
    return lambda *args: [t * 2 if t.dim() == 0 else t for t in gm(*args)]


@pytest.mark.parametrize(
    ("backend", "meant"),
    [
        (with_sums_for_products, lambda a, b: (a + b).sin().sum()),
        (around, lambda a, b: 2 * (a * b).sin().sum()),
        (lambda gm, example_inputs: gm.forward, lambda a, b: (a * b).sin().sum()),
        (lambda gm, example_inputs: _dynamo.lookup_backend("numpy")(gm, example_inputs),
         lambda a, b: (a * b).sin().sum()),
    ],
    ids=["changed", "around", "as it is", "another"],
)  # fmt: skip
def test_what_a_back_end_makes_is_what_is_differentiated(backend: Any, meant: Any) -> None:
    fast = torch.compile(lambda a, b: (a * b).sin().sum(), backend=backend)
    for i in range(3):
        seen = []
        for fn in (fast, meant):
            a, b = (torch.tensor([k, k + 1.0 + i], requires_grad=True) for k in (1.0, 3.0))
            y = fn(a, b)
            first = torch.autograd.grad(y, (a, b), create_graph=True)
            second = torch.autograd.grad(first[0].sum() + first[1].sum(), (a, b))
            fn(a, b).backward()
            seen.append([y, *first, *second, a.grad, b.grad])
        torch.testing.assert_close(*seen)
