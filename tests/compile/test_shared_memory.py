"""Views of what programs make, of what they are given, and of what lies on itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import facula as torch
from facula.nn import functional as F

BACKENDS = ["eager", "numpy", "c"]
pytestmark = pytest.mark.usefixtures("with_library")


def both(fn: Any, make: Callable[[int], Any], backend: str) -> None:
    """Calls with and without ``compile``, and what they do to what they are given."""
    fast = torch.compile(fn, backend=backend)
    for n in range(3):
        given, same = make(n), make(n)
        torch.testing.assert_close(fast(same), fn(given), equal_nan=True)
        torch.testing.assert_close(same, given)


@pytest.mark.parametrize("backend", BACKENDS)
def test_views_that_only_python_makes_keep_their_memory(backend: str) -> None:
    def fn(x: torch.Tensor) -> torch.Tensor:
        y = x.sin()
        return torch.autograd.grad((y.real * y.imag).sum(), [y])[0]

    both(fn, lambda n: torch.complex(torch.arange(12.0).reshape(3, 4) + n, torch.ones(3, 4)).requires_grad_(), backend)


def halves(x: torch.Tensor) -> Any:
    x.unsafe_chunk(2)[0].mul_(3)
    return x * 1


def halves_of_its_own(x: torch.Tensor) -> Any:
    y = x + 1
    first, _ = y.unsafe_split(2)
    y.mul_(2)
    first.add_(1)
    return y, first * 1


def unsafely_viewed(x: torch.Tensor) -> Any:
    torch.ops.aten._unsafe_view(x, (4, 1)).add_(1)  # type: ignore[attr-defined]
    return x * 2


def repeated(x: torch.Tensor) -> Any:
    y = x.reshape(2, 2).repeat_interleave(2, -2)
    y[()] *= y
    return y


def written_through_expand(x: torch.Tensor) -> Any:
    y = x.reshape(4, 1).expand(4, 2)
    y[:, 0:1] = 1.25
    return y


def written_through_unfold(x: torch.Tensor) -> Any:
    x.unfold(0, 2, 1)[0].mul_(5)
    return x + 1


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    "fn", [halves, halves_of_its_own, unsafely_viewed, repeated, written_through_expand, written_through_unfold]
)
@pytest.mark.filterwarnings("ignore:compile")
def test_writes(fn: Any, backend: str) -> None:
    both(fn, lambda n: torch.arange(4.0) + n, backend)


@pytest.mark.parametrize("backend", BACKENDS)
def test_numbers_of_16_bits_with_gaps(backend: str) -> None:
    def fn(x: torch.Tensor) -> Any:
        return F.leaky_relu_(x[None, ::2])

    both(fn, lambda n: (torch.arange(12.0).reshape(1, 3, 4) - n).bfloat16().permute(2, 0, 1)[:3], backend)


def test_versions_of_views_of_nothing() -> None:
    def fn(x: torch.Tensor, y: torch.Tensor) -> Any:
        y[0:1] = 1
        return x.sum()

    fast = torch.compile(fn, backend="numpy")
    for _ in range(2):
        x = torch.ones(3)
        fast(x, x.split_with_sizes([0, 3])[0])
        assert x._version == 1


@pytest.mark.filterwarnings("ignore:compile")
def test_a_view_that_may_not_be_used_any_more() -> None:
    def fn(x: torch.Tensor) -> Any:
        y = x * 2
        part = y.split(2)[0]
        y.mul_(1.5)
        return y, part

    y, part = torch.compile(fn, backend="numpy")(torch.ones(4, requires_grad=True))
    assert y.tolist() == [3, 3, 3, 3]
    with pytest.raises(RuntimeError, match="Output 0 of Split is a view and its base or another view of its base"):
        part * 2


@pytest.mark.filterwarnings("ignore:compile")
def test_a_view_with_a_history_that_is_changed_through_a_view() -> None:
    def fn(x: torch.Tensor) -> Any:
        x[0].mul_(3)
        return x.sum()

    fast = torch.compile(fn, backend="numpy")
    for _ in range(2):
        leaf = torch.ones(3, requires_grad=True)
        base = leaf * 2
        view = base[:2]
        fast(view)
        assert view.grad_fn.name() == "AsStridedBackward0"
        base.sum().backward()
        assert leaf.grad.tolist() == [6, 2, 2]


def test_a_view_made_without_recording() -> None:
    def fn(x: torch.Tensor) -> Any:
        with torch.no_grad():
            return x.t()

    fast = torch.compile(fn, backend="numpy")
    for _ in range(2):
        with pytest.raises(RuntimeError, match="A view was created in no_grad mode"):
            fast(torch.ones(2, 2)).mul_(torch.ones(2, 2, requires_grad=True))


@pytest.mark.filterwarnings("ignore:compile")
def test_tensors_of_another_inference_mode() -> None:
    def fn(x: torch.Tensor) -> Any:
        with torch.inference_mode():
            y = x * 2
        return y, x * 3

    fast = torch.compile(fn, backend="numpy")
    for _ in range(2):
        assert [t.is_inference() for t in fast(torch.ones(2))] == [True, False]


def test_gradients_inside_of_a_tensor_with_a_history() -> None:
    def fn(x: torch.Tensor) -> Any:
        return torch.func.grad(lambda p: torch.func.grad(lambda q: q.cos().sum())(p).sum())(x)

    fast = torch.compile(fn, backend="numpy")
    for _ in range(2):
        leaf = torch.arange(3.0, requires_grad=True)
        fast(leaf * 2).sum().backward()
        expected = 2 * torch.sin(2 * leaf)
        torch.testing.assert_close(leaf.grad, expected.detach())


@pytest.mark.filterwarnings("ignore:Using backward")
def test_gradients_for_results_alone() -> None:
    out = torch.compile(lambda x: F.celu(x), backend="numpy")(torch.ones(2, requires_grad=True))
    out.sin().sum().backward(inputs=[out], create_graph=True)
    torch.testing.assert_close(out.grad, out.cos())


def test_constants_that_lie_otherwise_where_that_does_not_matter() -> None:
    def fn(x: torch.Tensor) -> Any:
        y = x.swapdims(0, -1)[2:3]
        return torch.autograd.grad(y, [x], torch.stack([torch.ones_like(y), y.detach()]), is_grads_batched=True)

    both(fn, lambda n: (torch.arange(18.0) + n).reshape(1, 3, 2, 3).requires_grad_(), "numpy")


def test_second_derivatives_of_views_of_what_is_not_returned() -> None:
    def fn(x: torch.Tensor) -> Any:
        y = torch.einsum("...ij,...kj->...ik", x, x)
        torch.autograd.grad(x.abs().sum(), [y], allow_unused=True)
        return y, y[()]

    def second(fn: Any) -> Any:
        x = torch.arange(6.0).reshape(3, 2).requires_grad_()
        (first,) = torch.autograd.grad(fn(x)[0].square().sum(), x, create_graph=True)
        return torch.autograd.grad(first.sum(), x)[0]

    torch.testing.assert_close(second(torch.compile(fn, backend="numpy")), second(fn))


@pytest.mark.filterwarnings("ignore:compile")
@pytest.mark.parametrize("reduce", ["sum", "prod", "mean", "amax"])
def test_derivatives_by_indices_that_the_program_computes(reduce: str) -> None:
    def gradient(fn: Any, values: list[float]) -> Any:
        x = torch.tensor(values, requires_grad=True)
        fn(x).square().sum().backward()
        return x.grad

    def fn(x: torch.Tensor) -> torch.Tensor:
        return x.scatter_reduce(0, x.argsort() // 2, x, reduce)

    fast = torch.compile(fn, backend="numpy")
    for values in ([0.5, 1.5, 2.5, 3.5], [3.5, 1.5, 0.5, 2.5]):
        torch.testing.assert_close(gradient(fast, values), gradient(fn, values))
