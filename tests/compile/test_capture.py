"""Compiled functions give what they give when run as they are: values, gradients, effects, random numbers, aliasing."""

from __future__ import annotations

import copy
import gc
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import facula as torch
from facula import nn
from facula.nn import functional as F


def compiled(fn: Any, backend: str = "eager", **options: Any) -> Any:
    return torch.compile(fn, backend=backend, **options)


def programs(fn: Any) -> int:
    return len(fn.compiled.programs)


def same(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-6) -> None:
    a_leaves, b_leaves = torch.utils._pytree.tree_leaves(a), torch.utils._pytree.tree_leaves(b)
    assert len(a_leaves) == len(b_leaves)
    for x, y in zip(a_leaves, b_leaves, strict=True):
        if not isinstance(x, torch.Tensor):
            assert x == y
            continue
        assert (x.dtype, x.shape, x.requires_grad) == (y.dtype, y.shape, y.requires_grad)
        np.testing.assert_allclose(
            x.detach().float().numpy(), y.detach().float().numpy(), rtol=rtol, atol=atol
        )


def draw(*shape: int) -> Callable[[], torch.Tensor]:
    return lambda: torch.randn(*shape)


def numbers(n: int, *shape: int) -> Callable[[], torch.Tensor]:
    return lambda: torch.randint(0, n, shape)


def set_parts(x: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    y[0] = 1.0
    y[:, 1] += x[:, 0]
    y[1, 2] = x.sum()
    return y


def accumulate(x: torch.Tensor) -> torch.Tensor:
    total = torch.zeros(4)
    for row in x:
        total += row
    return total


FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "index": (lambda x: x[torch.tensor([0, 1])], draw(3, 4)),
    "mask": (lambda x: x * (x > 0), draw(3, 4)),
    "where": (lambda x: torch.where(x > 0, x, 0.0), draw(3, 4)),
    "parts": (set_parts, draw(3, 4)),
    "accumulate": (accumulate, draw(3, 4)),
    "cat": (lambda x: torch.cat([x, x], 1), draw(3, 4)),
    "chunk": (lambda x: x.chunk(2, 1)[1], draw(3, 4)),
    "einsum": (lambda x: torch.einsum("ij,kj->ik", x, x), draw(3, 4)),
    "norm": (lambda x: x.norm() + torch.linalg.norm(x, dim=1).sum(), draw(3, 4)),
    "topk": (lambda x: x.topk(2), draw(3, 4)),
    "argmax": (lambda x: x.argmax(1), draw(3, 4)),
    "gather": (lambda x: x.gather(1, torch.zeros(3, 1, dtype=torch.long)), draw(3, 4)),
    "scatter": (lambda x: torch.zeros(3, 4).scatter_add(1, torch.zeros(3, 4, dtype=torch.long), x), draw(3, 4)),
    "one_hot": (lambda i: F.one_hot(i, 5), numbers(5, 3)),
    "solve": (lambda x: torch.linalg.solve(x @ x.T + torch.eye(3), x), draw(3, 4)),
    "int": (lambda x: (x * 10).int().float() / 3, draw(3, 4)),
    "half": (lambda x: (x.half() * 2).float(), draw(3, 4)),
    "attention": (lambda x: F.scaled_dot_product_attention(x, x, x, is_causal=True), draw(1, 2, 3, 4)),
    "arange": (lambda x: x + torch.arange(4), draw(3, 4)),
    "tensor": (lambda x: x + torch.tensor([1.0, 2, 3, 4]), draw(3, 4)),
    "new": (lambda x: x + x.new_ones(4) + torch.zeros_like(x), draw(3, 4)),
    "power": (lambda x: x**2 + x.abs() ** 1.5 + 2**x, draw(3, 4)),
    "dense": (lambda x: x.t().contiguous().view(-1), draw(3, 4)),
    "rows": (lambda x: sum(row.sum() for row in x), draw(3, 4)),
    "random": (lambda x: x + torch.rand(3, 4) + torch.randn_like(x), draw(3, 4)),
    "dropout": (lambda x: F.dropout(F.dropout(x.transpose(0, 1), 0.5) @ torch.ones(3, 3), 0.5), draw(3, 4)),
}
WITHOUT_GRADIENT = ("argmax", "one_hot", "random", "dropout", "int")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name: str) -> None:
    fn, *makers = FUNCTIONS[name]
    c = compiled(fn, fullgraph=True)
    for seed in range(3):
        torch.manual_seed(seed)
        given = [make() for make in makers]
        state = torch.get_rng_state()
        found = c(*given)
        torch.set_rng_state(state)
        same(found, fn(*given))
    assert programs(c) == 1


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in WITHOUT_GRADIENT])
def test_gradients(name: str) -> None:
    fn, make = FUNCTIONS[name]
    c = compiled(fn)
    for seed in range(2):
        torch.manual_seed(seed)
        x = make().requires_grad_()
        y = x.detach().clone().requires_grad_()
        a, b = (torch.utils._pytree.tree_leaves(f(t))[0] for f, t in ((c, x), (fn, y)))
        weights = torch.randn(a.shape)
        (a * weights).sum().backward()
        (b * weights).sum().backward()
        same(x.grad, y.grad, atol=1e-5)
        assert type(a.grad_fn).__name__ == ("SplitBackward0" if name == "chunk" else "CompiledFunctionBackward")


MODULES: dict[str, tuple[Any, ...]] = {
    "Linear": (lambda: nn.Linear(4, 3), draw(2, 4)),
    "BatchNorm1d": (lambda: nn.BatchNorm1d(4), draw(6, 4)),
    "BatchNorm2d": (lambda: nn.BatchNorm2d(3), draw(2, 3, 4, 4)),
    "InstanceNorm2d": (lambda: nn.InstanceNorm2d(3, affine=True), draw(2, 3, 4, 4)),
    "LayerNorm": (lambda: nn.LayerNorm(4), draw(2, 4)),
    "GroupNorm": (lambda: nn.GroupNorm(2, 4), draw(2, 4, 5)),
    "Conv1d": (lambda: nn.Conv1d(2, 3, 3, padding=1), draw(2, 2, 6)),
    "Conv2d": (lambda: nn.Conv2d(2, 4, 3, groups=2), draw(2, 2, 6, 6)),
    "ConvTranspose2d": (lambda: nn.ConvTranspose2d(2, 3, 3), draw(2, 2, 4, 4)),
    "MaxPool2d": (lambda: nn.MaxPool2d(2), draw(2, 2, 6, 6)),
    "AdaptiveAvgPool2d": (lambda: nn.AdaptiveAvgPool2d(2), draw(2, 2, 6, 6)),
    "LSTM": (lambda: nn.LSTM(4, 5, 2, batch_first=True), draw(2, 3, 4)),
    "GRU": (lambda: nn.GRU(4, 5, bidirectional=True), draw(3, 2, 4)),
    "RNN": (lambda: nn.RNN(4, 5), draw(3, 2, 4)),
    "Embedding": (lambda: nn.Embedding(10, 4), numbers(10, 2, 3)),
    "Dropout": (lambda: nn.Dropout(0.5), draw(3, 4)),
    "AlphaDropout": (lambda: nn.AlphaDropout(0.5), draw(3, 4)),
    "MultiheadAttention": (lambda: nn.MultiheadAttention(8, 2), draw(2, 3, 8), draw(2, 3, 8), draw(2, 3, 8)),
    "TransformerEncoderLayer": (lambda: nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), draw(2, 3, 8)),
    "TransformerDecoderLayer": (lambda: nn.TransformerDecoderLayer(8, 2, 16), draw(2, 3, 8), draw(2, 3, 8)),
    "PReLU": (lambda: nn.PReLU(), draw(3, 4)),
    "CrossEntropyLoss": (lambda: nn.CrossEntropyLoss(), draw(3, 4), numbers(4, 3)),
    "CTCLoss": (
        lambda: nn.CTCLoss(), lambda: torch.randn(6, 2, 5).log_softmax(2), lambda: torch.randint(1, 5, (2, 3)),
        lambda: torch.tensor([6, 6]), lambda: torch.tensor([3, 3]),
    ),
    "Upsample": (lambda: nn.Upsample(scale_factor=2, mode="bilinear"), draw(1, 2, 3, 3)),
    "ReflectionPad2d": (lambda: nn.ReflectionPad2d(1), draw(1, 2, 3, 3)),
    "Fold": (lambda: nn.Fold((4, 4), 2), draw(1, 8, 9)),
    "Bilinear": (lambda: nn.Bilinear(3, 4, 2), draw(2, 3), draw(2, 4)),
}  # fmt: skip


@pytest.mark.parametrize("name", MODULES)
@pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])
def test_modules(name: str, training: bool) -> None:
    """Results, gradients and buffers, with parameters that change between calls."""
    make, *makers = MODULES[name]
    torch.manual_seed(0)
    module = make().train(training)
    other = copy.deepcopy(module)
    c = compiled(module, fullgraph=True)
    for seed in range(3):
        torch.manual_seed(seed)
        given = [each() for each in makers]
        state = torch.get_rng_state()
        a = c(*given)
        torch.set_rng_state(state)
        b = other(*given)
        same(a, b)
        for m, result in ((module, a), (other, b)):
            leaves = [t for t in torch.utils._pytree.tree_leaves(result) if t.requires_grad]
            if leaves:
                sum(t.square().sum() for t in leaves).backward()
            with torch.no_grad():
                for p in m.parameters():
                    p -= 0.1 * p.grad
                    p.grad = None
        same(list(module.state_dict().values()), list(other.state_dict().values()), atol=1e-5)
    assert len(c.compiled.programs) == 1


OPTIMIZERS: dict[str, Callable[[Any], Any]] = {
    "SGD": lambda p: torch.optim.SGD(p, 0.1),
    "momentum": lambda p: torch.optim.SGD(p, 0.1, momentum=0.9, nesterov=True, weight_decay=0.01),
    "maximize": lambda p: torch.optim.SGD(p, 0.1, maximize=True),
    "Adam": lambda p: torch.optim.Adam(p, 0.01),
    "AdamW": lambda p: torch.optim.AdamW(p, 0.01, amsgrad=True),
    "RMSprop": lambda p: torch.optim.RMSprop(p, 0.01, momentum=0.9, centered=True),
    "Adagrad": lambda p: torch.optim.Adagrad(p, 0.01),
    "Adadelta": lambda p: torch.optim.Adadelta(p),
    "Adamax": lambda p: torch.optim.Adamax(p),
    "NAdam": lambda p: torch.optim.NAdam(p),
    "RAdam": lambda p: torch.optim.RAdam(p),
    "ASGD": lambda p: torch.optim.ASGD(p),
    "Rprop": lambda p: torch.optim.Rprop(p),
    "Muon": lambda p: torch.optim.Muon([each for each in p if each.ndim == 2]),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("scheduled", [False, True], ids=["plain", "scheduled"])
def test_whole_steps(name: str, scheduled: bool) -> None:
    """Forward, backward, clipping and the optimizer's step in one function, twenty times."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8, bias=False), nn.BatchNorm1d(8), nn.Tanh(), nn.Dropout(0.2), nn.Linear(8, 3))
    other = copy.deepcopy(model)

    def stepping(model: nn.Module) -> tuple[Any, Any]:
        optimizer = OPTIMIZERS[name](model.parameters())

        def step(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            if scheduled:
                nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            optimizer.step()
            return loss

        return optimizer, step

    (optimizer, step), (other_optimizer, other_step) = stepping(model), stepping(other)
    c = compiled(step)
    began = [p._version - q._version for p, q in zip(model.parameters(), other.parameters(), strict=True)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in range(20):
            torch.manual_seed(seed)
            x, y = torch.randn(16, 4), torch.randint(0, 3, (16,))
            if scheduled:
                for group in (*optimizer.param_groups, *other_optimizer.param_groups):
                    group["lr"] *= 0.95
            state = torch.get_rng_state()
            a = c(x, y)
            torch.set_rng_state(state)
            b = other_step(x, y)
            same(a, b, atol=1e-4, rtol=1e-3)
            same(list(model.state_dict().values()), list(other.state_dict().values()), atol=1e-3, rtol=1e-2)
            for p, q, ahead in zip(model.parameters(), other.parameters(), began, strict=True):
                same(p.grad, q.grad, atol=1e-3, rtol=1e-2)
                assert p._version == q._version + ahead
                assert optimizer.state[p].keys() == other_optimizer.state[q].keys()
    assert programs(c) >= 1


def test_one_program_serves_all_later_steps() -> None:
    model = nn.Linear(4, 3)
    optimizer = torch.optim.Adam(model.parameters(), 0.1)

    @torch.compile(backend="eager", fullgraph=True)
    def step(x: torch.Tensor) -> torch.Tensor:
        optimizer.zero_grad()
        loss = model(x).square().mean()
        loss.backward()
        optimizer.step()
        return loss

    losses = [step(torch.ones(2, 4)).item() for _ in range(30)]
    assert losses[-1] < losses[0] / 10
    assert programs(step) == 1
    with pytest.raises(RuntimeError, match="second time"):
        step(torch.ones(2, 4)).backward()


def test_branches_on_data() -> None:
    @torch.compile(backend="eager", fullgraph=True)
    def fn(x: torch.Tensor) -> torch.Tensor:
        if x.sum() > 0:
            return x * 2
        return x - int(x[0].item())

    assert fn(torch.ones(2)).tolist() == [2, 2]
    assert fn(-torch.ones(2)).tolist() == [0, 0]
    assert fn(torch.ones(2) * 3).tolist() == [6, 6]
    assert fn(torch.tensor([-2.0, -1.0])).tolist() == [0, 1]
    assert fn(-torch.ones(2)).tolist() == [0, 0]
    assert programs(fn) == 3


def test_a_program_that_is_not_for_a_call_changes_nothing() -> None:
    counts = torch.zeros(3)

    @torch.compile(backend="eager")
    def fn(x: torch.Tensor) -> torch.Tensor:
        noise = torch.rand(3)
        counts.add_(1)
        return x + noise if x.sum() > 0 else x - noise

    torch.manual_seed(0)
    found = [fn(x) for x in (torch.ones(3), -torch.ones(3), torch.ones(3))]
    torch.manual_seed(0)
    expected = [torch.ones(3) + torch.rand(3), -torch.ones(3) - torch.rand(3), torch.ones(3) + torch.rand(3)]
    same(found, expected)
    assert counts.tolist() == [3, 3, 3]


def test_memory() -> None:
    """Writes to arguments, through views; results that are arguments, or views of them, or of one another."""

    def fn(x: torch.Tensor, y: torch.Tensor) -> Any:
        x[1:].mul_(2)
        x.t()[0] += 1
        z = y + 1
        return x, y.view(-1), z, z[0], z

    c = compiled(fn, fullgraph=True)
    for seed in range(3):
        torch.manual_seed(seed)
        x, y = torch.randn(3, 3), torch.randn(2, 2)
        x2, y2 = x.clone(), y.clone()
        version = x._version
        a, b = c(x, y), fn(x2, y2)
        same(a, b)
        same(x, x2)
        assert a[0] is x
        assert a[2] is a[4]
        assert x._version - version == x2._version
        a[1][0] = 7
        assert y[0, 0] == 7
        a[2][0, 1] = 9
        assert a[3][1] == 9


def test_random_streams_go_on() -> None:
    fn = compiled(lambda x: F.dropout(x, 0.5) * torch.rand(4))
    torch.manual_seed(3)
    found = [fn(torch.ones(4)) for _ in range(4)]
    found.append(torch.rand(2))
    torch.manual_seed(3)
    expected = [F.dropout(torch.ones(4), 0.5) * torch.rand(4) for _ in range(4)]
    expected.append(torch.rand(2))
    same(found, expected)


def test_second_derivatives() -> None:
    def fn(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return (x @ w).tanh().pow(2).sum()

    c = compiled(fn)
    for seed in range(2):
        found = []
        for f in (c, fn):
            torch.manual_seed(seed)
            x, w = torch.randn(2, 3, requires_grad=True), torch.randn(3, 2, requires_grad=True)
            gx, gw = torch.autograd.grad(f(x, w), (x, w), create_graph=True)
            found.append([gx, gw, *torch.autograd.grad(gx.square().sum() + gw.sum(), (x, w))])
        same(found[0], found[1])


def plain(x: torch.Tensor) -> torch.Tensor:
    return (x.exp() * x).sum()


def test_inside_transforms() -> None:
    fn = compiled(plain)
    x = torch.tensor([1.0, 2.0])
    same(torch.func.grad(fn)(x), torch.func.grad(plain)(x))
    same(torch.vmap(fn)(torch.ones(3, 2)), torch.vmap(plain)(torch.ones(3, 2)))
    same(torch.func.jvp(fn, (x,), (x,)), torch.func.jvp(plain, (x,), (x,)))
    same(torch.func.hessian(fn)(x), torch.func.hessian(plain)(x))


def test_transforms_inside() -> None:
    def fn(x: torch.Tensor) -> Any:
        return torch.func.grad(plain)(x), torch.vmap(torch.sin)(x), torch.func.jvp(plain, (x,), (x,))

    c = compiled(fn, fullgraph=True)
    for seed in range(2):
        torch.manual_seed(seed)
        x = torch.randn(3)
        same(c(x), fn(x))
    assert programs(c) == 1


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_tensors
        return g * 3 * x**2


def test_custom_functions_checkpoints_and_hooks_inside() -> None:
    def fn(x: torch.Tensor) -> torch.Tensor:
        y = Cube.apply(x)
        y.register_hook(lambda g: g * 2)
        return torch.utils.checkpoint.checkpoint(lambda t: (t * 2).tanh(), y, use_reentrant=False).sum()

    c = compiled(fn, fullgraph=True)
    for seed in range(2):
        torch.manual_seed(seed)
        x = torch.randn(3, requires_grad=True)
        y = x.detach().clone().requires_grad_()
        c(x).backward()
        fn(y).backward()
        same(x.grad, y.grad)


def test_hooks_on_leaves_run_once_per_backward() -> None:
    fn = compiled(lambda x: (x * 2).sum())
    x = torch.ones(2, requires_grad=True)
    seen: list[Any] = []
    x.register_hook(lambda g: seen.append(g.tolist()))
    for _ in range(3):
        fn(x).backward()
    assert seen == [[2, 2]] * 3
    assert x.grad.tolist() == [6, 6]


def test_arguments_with_history() -> None:
    fn = compiled(lambda x, y: (x * y).sum())
    for _ in range(2):
        x = torch.ones(2, requires_grad=True)
        h = x * 3
        fn(h, h + x).backward()
        assert x.grad.tolist() == [24, 24]  # of 3x * 4x


def test_backward_inside_goes_on_to_the_history_of_arguments() -> None:
    w = torch.full((2,), 3.0, requires_grad=True)

    def fn(h: torch.Tensor) -> None:
        (h * w).sum().backward()

    c = compiled(fn)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i in range(1, 4):
            x = torch.ones(2, requires_grad=True)
            c(x * 2)
            assert x.grad.tolist() == [6, 6]
            assert w.grad.tolist() == [2 * i, 2 * i]


def test_errors_are_those_of_the_function() -> None:
    fn = compiled(lambda x, i: x[i])
    assert fn(torch.arange(3), torch.tensor([1])).tolist() == [1]
    with pytest.raises(IndexError, match="out of bounds"):
        fn(torch.arange(3), torch.tensor([7]))
    embed = compiled(nn.Embedding(3, 2))
    embed(torch.tensor([1]))
    with pytest.raises(IndexError, match="out of range in self"):
        embed(torch.tensor([5]))
    with pytest.raises(IndexError, match="out of range in self"):
        embed(torch.tensor([-1]))
    with pytest.raises(ZeroDivisionError):
        compiled(lambda x: x / (1 // 0))(torch.ones(1))


def test_sizes_that_depend_on_values() -> None:
    fn = compiled(lambda x: x[x > 0] * 2)
    assert fn(torch.tensor([1.0, -1.0, 2.0])).tolist() == [2, 4]
    assert fn(torch.tensor([1.0, 5.0, 2.0])).tolist() == [2, 10, 4]
    assert fn(torch.tensor([-1.0, 3.0, 2.0])).tolist() == [6, 4]
    assert programs(fn) == 2


def test_module_compile() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    x = torch.randn(3, 2)
    expected = model(x)
    model.compile(backend="eager")
    same(model(x), expected)
    assert type(model(x).grad_fn).__name__ == "CompiledFunctionBackward"


def test_threads() -> None:
    fn = compiled(lambda x: (x @ x).tanh().sum(1))
    given = [torch.randn(8, 8) for _ in range(40)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(fn, given))
    same(found, [(x @ x).tanh().sum(1) for x in given])


def test_second_derivatives_of_draws_and_writes() -> None:
    def drawn(x: torch.Tensor) -> torch.Tensor:
        return (F.dropout(x, 0.5) * torch.rand(3, 3)) ** 3

    def written(x: torch.Tensor) -> torch.Tensor:
        y = x.clone()
        y[0] = x[1] * x[1]
        y[:, 1] *= x[:, 0]
        return y**2

    for fn in (drawn, written):
        c = compiled(fn, fullgraph=True)
        for seed in range(2):
            found = []
            for f in (c, fn):
                torch.manual_seed(seed)
                x = torch.randn(3, 3, requires_grad=True)
                (g,) = torch.autograd.grad(f(x).sum(), x, create_graph=True)
                found.append([g.detach(), *torch.autograd.grad(g.square().sum(), x), torch.rand(2)])
            same(found[0], found[1])


def test_only_new_objects_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where captures overlap, and where a user has frozen objects."""
    looked: list[int] = []
    plain = gc.get_objects

    def get_objects() -> list[Any]:
        found = plain()
        looked.append(len(found))
        return found

    monkeypatch.setattr(gc, "get_objects", get_objects)
    kept = [[i] for i in range(100_000)]
    fn = compiled(lambda x: x * 2)
    fn(torch.ones(3))
    fn(torch.ones(3, 1))
    assert looked[1] < 50_000 and len(kept) == 100_000
    assert gc.get_freeze_count() == 0
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        assert fn(torch.ones(1, 4)).tolist() == [[2] * 4]
        assert gc.get_freeze_count() >= frozen - 10
    finally:
        gc.unfreeze()


def test_other_memory_for_a_tensor_of_before() -> None:
    w = torch.ones(2)

    def fn(x: torch.Tensor) -> torch.Tensor:
        w.data = x * 2
        return w + 1

    c = compiled(fn)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for i in range(3):
            assert c(torch.ones(2) * i).tolist() == [2 * i + 1] * 2
            assert w.tolist() == [2 * i] * 2


@pytest.mark.parametrize("backend", ["eager", "numpy"])
def test_a_gradient_that_is_returned_is_the_gradient(backend: str) -> None:
    x: Any = torch.randn(3, requires_grad=True)

    @torch.compile(backend=backend, fullgraph=True)
    def step() -> Any:
        x.grad = None
        x.sin().sum().backward()
        return {"slope": x.grad, "twice": x.grad * 2, "again": x.grad}

    for _ in range(3):
        found = step()
        assert found["slope"] is x.grad and found["again"] is x.grad
        torch.testing.assert_close(x.grad, x.detach().cos())
        torch.testing.assert_close(found["twice"], 2 * x.detach().cos())
    assert step.compiled.programs


@pytest.mark.parametrize("backend", ["eager", "numpy", "auto"])
def test_parts_of_complex_numbers(backend: str) -> None:
    z = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
    fn = torch.compile(lambda z: (z.conj() * z).real.sum() + torch.view_as_real(z).sum(), backend=backend)
    for _ in range(2):
        y = fn(z)
        (found,) = torch.autograd.grad(y, z)
        assert y.item() == 20.0
        torch.testing.assert_close(found, 2 * z.detach() + (1 + 1j))
