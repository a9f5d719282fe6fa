"""Programs that are general in sizes and numbers: the answers of the function itself, whatever the sizes."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import facula as torch
from facula import _dynamo, nn
from facula._compile import settings
from facula._compile.errors import ConstraintViolationError
from facula.nn import functional as F
from facula.utils._pytree import tree_leaves

torch.manual_seed(0)
LINEAR, NORM, LAYER_NORM, CONV = nn.Linear(4, 3), nn.BatchNorm1d(4), nn.LayerNorm(4), nn.Conv1d(4, 5, 3, padding=1)
ATTENTION, LSTM, EMBEDDING = nn.MultiheadAttention(4, 2, batch_first=True), nn.LSTM(4, 5), nn.Embedding(9, 4)


def parts(x: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    y[0] = 1.0
    y[1:] = y[1:] * 2
    return y


def masked(x: torch.Tensor) -> torch.Tensor:
    n = x.shape[0]
    return (x @ x.T).masked_fill(torch.ones(n, n).triu(1).bool(), -1e9).softmax(-1)


ROWS = (None, 4)
GENERAL: dict[str, tuple[Callable[..., Any], tuple[int | None, ...]]] = {
    "arithmetic": (lambda x: x * 2 + 1, ROWS),
    "mean": (lambda x: (x * x).mean(), ROWS),
    "by size": (lambda x: x.sum(0) / x.shape[0], ROWS),
    "softmax": (lambda x: x.softmax(0), ROWS),
    "reshape": (lambda x: x.reshape(x.shape[0] * 2, 2).sum(1), ROWS),
    "view": (lambda x: x.view(-1, 2) * x.numel(), ROWS),
    "flatten": (lambda x: x.flatten(), ROWS),
    "cat": (lambda x: torch.cat([x, x * 2], 0), ROWS),
    "slice": (lambda x: x[1:] - x[:-1], ROWS),
    "half": (lambda x: x[: x.shape[0] // 2].sum(), ROWS),
    "linear": (lambda x: LINEAR(x).relu(), ROWS),
    "matmul": (lambda x: x @ x.T, ROWS),
    "transpose": (lambda x: x.t().contiguous(), ROWS),
    "zeros": (lambda x: x + torch.zeros(x.shape[0], 1), ROWS),
    "arange": (lambda x: x * torch.arange(x.shape[0]).unsqueeze(1), ROWS),
    "zeros_like": (lambda x: x + torch.zeros_like(x) + torch.ones_like(x), ROWS),
    "new_ones": (lambda x: x + x.new_ones(x.shape[0], 1), ROWS),
    "expand": (lambda x: torch.ones(1, 4).expand(x.shape[0], 4) * x, ROWS),
    "BatchNorm1d": (lambda x: NORM(x), ROWS),
    "LayerNorm": (lambda x: LAYER_NORM(x), ROWS),
    "Conv1d": (lambda x: CONV(x), (2, 4, None)),
    "LSTM": (lambda x: LSTM(x)[0], (3, None, 4)),
    "attention": (lambda x: F.scaled_dot_product_attention(x, x, x, is_causal=True), (2, None, 4)),
    "MultiheadAttention": (lambda x: ATTENTION(x, x, x)[0], (2, None, 4)),
    "Embedding": (lambda x: EMBEDDING((x.detach().abs() * 2).long().clamp(max=8)) * x.sum(), ROWS),
    "index_put": (lambda x: torch.zeros(x.shape).index_put((torch.tensor([0]),), x[1]), ROWS),
    "parts": (parts, ROWS),
    "cross_entropy": (lambda x: F.cross_entropy(x, torch.zeros(x.shape[0], dtype=torch.long)), ROWS),
    "dropout": (lambda x: F.dropout(x, 0.5), ROWS),
    "rand": (lambda x: x + torch.rand(x.shape), ROWS),
    "randn_like": (lambda x: x * torch.randn_like(x), ROWS),
    "sizes": (lambda x: (x * 2, x.shape[0], x.shape, x.shape[0] * 2.5), ROWS),
    "std": (lambda x: x.std(0) + x.var(), ROWS),
    "cumsum": (lambda x: x.cumsum(0), ROWS),
    "max": (lambda x: x.max(0).values, ROWS),
    "sort": (lambda x: x.sort(0).values, ROWS),
    "pad": (lambda x: F.pad(x, (1, 1)), ROWS),
    "pool": (lambda x: F.max_pool1d(x, 2), (2, 3, None)),
    "chunk": (lambda x: x.chunk(2)[0], ROWS),
    "split": (lambda x: x.split(x.shape[0] // 2)[0], ROWS),
    "einsum": (lambda x: torch.einsum("ij,kj->ik", x, x), ROWS),
    "unfold": (lambda x: x.unfold(0, 2, 1).sum(-1), ROWS),
    "where": (lambda x: torch.where(x > 0, x, torch.zeros(())), ROWS),
    "masked": (masked, ROWS),
    "permute": (lambda x: x.permute(1, 0, 2).reshape(x.shape[1], -1), (2, None, 4)),
    "repeat": (lambda x: x.repeat(2, 1), ROWS),
    "norm": (lambda x: x / x.norm(dim=1, keepdim=True), ROWS),
    "gather": (lambda x: x.gather(1, torch.zeros(x.shape[0], 1, dtype=torch.long)), ROWS),
    "index": (lambda x: x[torch.arange(x.shape[0]), 0], ROWS),
    "flip": (lambda x: x.flip(0).roll(1, 0), ROWS),
    "outer": (lambda x: x[:, 0].outer(x[:, 1]), ROWS),
    "bmm": (lambda x: torch.bmm(x, x.transpose(1, 2)), (None, 3, 4)),
    "logsumexp": (lambda x: x.logsumexp(0), ROWS),
}
"""Functions, and the shapes they are given; None: a size that changes. Two programs serve all sizes."""

SPECIAL: dict[str, tuple[Callable[..., Any], tuple[int | None, ...]]] = {
    "length": (lambda x: x * len(x), ROWS),
    "rows": (lambda x: sum(row.sum() for row in x), ROWS),
    "number": (lambda x: x * int(x.shape[0]), ROWS),
    "text": (lambda x: x * len(f"{x.shape[0]}"), ROWS),
    "array": (lambda x: x + torch.from_numpy(np.ones(x.shape, np.float32)), ROWS),
    "written columns": (lambda x: parts(x * 1)[:, 1].mul_(x[:, 0]), ROWS),
    "hash": (lambda x: x * {5: 2}.get(x.shape[0], 3), ROWS),
}
"""What asks for a size as a number has a program for each size."""


def outcome(fn: Any, shape: tuple[int | None, ...], n: int, needs_grad: bool) -> tuple[list[Any], Any]:
    torch.manual_seed(n)
    x = torch.randn(*[n if s is None else s for s in shape], requires_grad=needs_grad)
    found = tree_leaves(fn(x))
    gradient = None
    if found[0].requires_grad and needs_grad:
        torch.manual_seed(1)
        (gradient,) = torch.autograd.grad((found[0] * torch.randn(found[0].shape)).sum(), x)
    return found, gradient


def same(a: tuple[list[Any], Any], b: tuple[list[Any], Any]) -> None:
    for x, y in zip(a[0], b[0], strict=True):
        assert not isinstance(y, torch.Tensor) or x.stride() == y.stride()
    for x, y in zip([*a[0], a[1]], [*b[0], b[1]], strict=True):
        if isinstance(y, torch.Tensor):
            assert (x.dtype, x.shape) == (y.dtype, y.shape)
            np.testing.assert_allclose(x.detach().numpy(), y.detach().numpy(), rtol=1e-4, atol=1e-5)
        else:
            assert type(x) is type(y) and x == y


@pytest.mark.parametrize("needs_grad", [False, True], ids=["values", "gradients"])
@pytest.mark.parametrize("name", [*GENERAL, *SPECIAL])
def test_functions(name: str, needs_grad: bool) -> None:
    fn, shape = (GENERAL | SPECIAL)[name]
    c = torch.compile(fn, backend="numpy")
    with warnings.catch_warnings():
        warnings.simplefilter("error" if name in GENERAL else "default")
        for n in (4, 6, 8, 10, 14, 6, 6, 6, 6, 4, 2, 1, 3 if name != "half" else 4):
            if n < 3 and name in ("unfold", "chunk", "split", "half", "flip", "slice", "pool", "std", "BatchNorm1d",
                                  "arange", "parts", "index_put", "written columns"):  # fmt: skip
                continue
            same(outcome(c, shape, n, needs_grad), outcome(fn, shape, n, needs_grad))
            if n == 14 and name in GENERAL and not (needs_grad and name == "parts"):
                assert len(c.compiled.programs) == 2


def test_sizes_that_come_often_get_a_program_of_the_back_end() -> None:
    c = torch.compile(lambda x: x * 2 + x.shape[0], backend="numpy", dynamic=True)
    for n in (4, 5, 6, 6, 6, 6):
        assert c(torch.ones(n)).tolist() == [2.0 + n] * n
    (running,) = c.compiled.programs
    assert len(running.forward.ready) == 1
    assert "multiply" in c.source() and "size" in c.source()


def test_branches_on_sizes() -> None:
    c = torch.compile(lambda x: x * 2 if x.shape[0] > 6 else -x, backend="eager", fullgraph=True)
    for n in (4, 5, 6, 7, 8, 9, 3):
        assert c(torch.ones(n)).tolist() == ([2] * n if n > 6 else [-1] * n)
    assert len(c.compiled.programs) == 3


def test_dynamic_true_false_and_none() -> None:
    def count(dynamic: bool | None) -> int:
        c = torch.compile(lambda x: x * 2, backend="eager", dynamic=dynamic)
        for n in (2, 3, 4, 5):
            assert c(torch.ones(n)).tolist() == [2] * n
        return len(c.compiled.programs)

    assert [count(True), count(None), count(False)] == [1, 2, 4]


def test_zero_and_one_are_special() -> None:
    c = torch.compile(lambda x, y: x + y, backend="eager", dynamic=True)
    for n, m in ((3, 3), (5, 5), (5, 1), (1, 4), (0, 0), (0, 1), (7, 7)):
        assert c(torch.ones(n), torch.ones(m)).shape == torch.broadcast_shapes((n,), (m,))
    with pytest.raises(RuntimeError, match=r"The size of tensor a \(3\) must match the size of tensor b \(4\)"):
        c(torch.ones(3), torch.ones(4))


def test_errors_are_those_of_the_function() -> None:
    c = torch.compile(lambda x: x.reshape(6, 2), backend="eager", dynamic=True)
    assert c(torch.ones(3, 4)).shape == c(torch.ones(2, 6)).shape == (6, 2)
    with pytest.raises(RuntimeError, match=r"shape '\[6, 2\]' is invalid for input of size 16"):
        c(torch.ones(4, 4))


def test_layouts() -> None:
    c = torch.compile(lambda x: (x.reshape(-1), x.is_contiguous(), x.stride()), backend="eager", dynamic=True)
    for make in (lambda n: torch.arange(n * 4).view(n, 4), lambda n: torch.arange(n * 4).view(4, n).t(),
                 lambda n: torch.arange(n * 8).view(n, 8)[:, ::2], lambda n: torch.arange(4).expand(n, 4)):  # fmt: skip
        for n in (3, 5, 7):
            flat, is_contiguous, stride = c(make(n))
            assert flat.tolist() == make(n).flatten().tolist()
            assert (is_contiguous, stride) == (make(n).is_contiguous(), make(n).stride())


def test_the_same_tensor_twice() -> None:
    @torch.compile(backend="eager", dynamic=True)
    def fn(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        a.add_(1)
        return a * b

    x = torch.ones(4)
    assert fn(torch.ones(3), torch.ones(3)).tolist() == [2] * 3
    assert fn(x, x).tolist() == [4] * 4
    assert fn(torch.ones(5), torch.ones(5)).tolist() == [2] * 5


NUMBERS: dict[str, tuple[Callable[..., Any], list[Any], int]] = {
    "product": (lambda x, n: x * n, [3, 4, 5, 6], 2),
    "floats": (lambda x, n: x * n + n / 2, [0.5, 1.0, 0.0, -2.5, 1e300], 2),
    "kinds": (lambda x, n: x * n, [3, 4, 2.5, 3.5, True, 1, 0, 5, 4.5], 7),
    "results": (lambda x, n: (x.sum() * n, n + 1, n * 2.5, {"n": n}), [3, 4, 5, 6], 2),
    "shapes": (lambda x, n: x.repeat(n, 1)[: n - 1], [3, 4, 5, 9], 2),
    "branches": (lambda x, n: x if n > 4 else -x, [3, 4, 5, 6, 2], 3),
    "creation": (lambda x, n: torch.full((n,), n) + n, [3, 4, 5, 9], 2),
    "loops": (lambda x, n: sum([x] * n), [3, 4, 5, 3], 3),
    "not used": (lambda x, n: x, [3, 4, 5, 6], 2),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_among_the_arguments(name: str) -> None:
    fn, values, count = NUMBERS[name]
    c = torch.compile(fn, backend="numpy")
    x = torch.arange(12.0).view(3, 4)
    for value in values:
        for _ in range(4):
            same((tree_leaves(c(x, value)), None), (tree_leaves(fn(x, value)), None))
    assert len(c.compiled.programs) == count


def test_second_derivatives_with_sizes_and_numbers() -> None:
    def fn(x: torch.Tensor, scale: float) -> torch.Tensor:
        return ((x * scale) ** 3 / x.shape[0]).sum()

    c = torch.compile(fn, backend="eager")
    for n, scale in ((2, 0.5), (3, 1.5), (4, 2.5), (5, 3.5)):
        found = []
        for f in (c, fn):
            x = torch.arange(1.0, n + 1).requires_grad_()
            (g,) = torch.autograd.grad(f(x, scale), x, create_graph=True)
            found.append((g.detach(), torch.autograd.grad(g.square().sum(), x)[0]))
        same((list(found[0]), None), (list(found[1]), None))
    assert len(c.compiled.programs) == 2


def test_whole_steps_with_batches_of_any_size() -> None:
    torch.manual_seed(0)
    model: Any = nn.Sequential(nn.Embedding(7, 8), nn.LayerNorm(8), nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 7))
    other = copy.deepcopy(model)

    def stepping(model: Any) -> Any:
        optimizer = torch.optim.AdamW(model.parameters(), 0.01)

        def step(i: torch.Tensor) -> torch.Tensor:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(i[:, :-1]).reshape(-1, 7), i[:, 1:].reshape(-1))
            loss.backward()
            optimizer.step()
            return loss

        return step

    step, expected = torch.compile(stepping(model), backend="numpy"), stepping(other)
    for n, m in ((4, 5), (4, 6), (3, 7), (5, 5), (2, 9), (6, 4), (6, 4), (6, 4), (6, 4)):
        i = torch.randint(0, 7, (n, m))
        np.testing.assert_allclose(step(i).item(), expected(i).item(), rtol=1e-4)
    assert len(step.compiled.programs) == 3
    for p, q in zip(model.parameters(), other.parameters(), strict=True):
        np.testing.assert_allclose(p.detach().numpy(), q.detach().numpy(), rtol=1e-3, atol=1e-5)


def test_marks() -> None:
    c = torch.compile(lambda x: x * 2, backend="eager")
    x = torch.ones(3, 4)
    _dynamo.mark_dynamic(x, 0)
    c(x)
    c(torch.ones(5, 4))
    assert len(c.compiled.programs) == 1
    with pytest.raises(ConstraintViolationError, match=r"specialized it to be a constant \(3\)"):
        torch.compile(lambda x: x * len(x), backend="eager")(x)
    y = torch.ones(3, 4)
    _dynamo.maybe_mark_dynamic(y, 0)
    torch.compile(lambda x: x * len(x), backend="eager")(y)
    fixed = torch.compile(lambda x: x * 2, backend="eager", dynamic=True)
    z = torch.ones(3, 4)
    _dynamo.mark_static(z, 1)
    fixed(z)
    fixed(torch.ones(5, 4))
    fixed(torch.ones(5, 6))
    assert len(fixed.compiled.programs) == 2


def test_automatic_dynamic_shapes_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "automatic_dynamic_shapes", False)
    c = torch.compile(lambda x: x * 2, backend="eager")
    for n in (2, 3, 4):
        c(torch.ones(n))
    assert len(c.compiled.programs) == 3


def test_symbols_are_numbers_to_python() -> None:
    seen: list[Any] = []

    def fn(x: torch.Tensor) -> torch.Tensor:
        n = x.shape[0]
        seen.append((isinstance(n, int), n == 5, n in (4, 5), max(n, 3), divmod(n, 2), -n, abs(n), n**2, n % 3))
        return x

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.compile(fn, backend="eager", dynamic=True)(torch.ones(5))
    fn(torch.ones(5))
    assert seen[0] == seen[1]


@pytest.mark.parametrize(("dynamic", "counts"), [(None, [1, 1, 2, 2, 2]), (True, [1] * 5), (False, [1, 1, 2, 3, 4])])
def test_back_ends_of_users_get_general_programs_at_once(dynamic: bool | None, counts: list[int]) -> None:
    given: list[Any] = []

    def backend(module: Any, examples: list[Any]) -> Any:
        given.append(examples)
        return module.forward

    c = torch.compile(lambda x: x.sin().cos(), backend=backend, dynamic=dynamic)
    found = []
    for n in (3, 3, 4, 5, 6):
        x = torch.arange(float(n))
        assert c(x).equal(x.sin().cos())
        found.append(len(given))
    assert found == counts


def test_general_programs_of_back_ends_of_users_have_derivatives_and_refuse_sizes() -> None:
    def fn(x: torch.Tensor, w: torch.Tensor, n: int) -> Any:
        return (x @ w).relu().reshape(-1, n).sum(0) * x.shape[0], x.shape[0]

    given: list[Any] = []

    def backend(module: Any, examples: list[Any]) -> Any:
        given.extend(examples)
        return module.forward

    c = torch.compile(fn, backend=backend, dynamic=True)
    w = torch.rand(3, 6)
    for rows, n in ((4, 2), (6, 2), (6, 3), (5, 5)):
        x = torch.rand(rows, 3, requires_grad=True)
        (found, size), (expected, _) = c(x, w, n), fn(x, w, n)
        assert size == rows and torch.allclose(found, expected)
        slopes = [torch.autograd.grad(each.sum(), x)[0] for each in (found, expected)]
        assert torch.allclose(slopes[0], slopes[1])
    assert any(isinstance(each, int) for each in given)
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        c(torch.rand(4, 5), w, 2)
