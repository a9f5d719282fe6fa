"""Function transforms against each other, against loops, and against finite differences."""

from __future__ import annotations

import threading
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import facula as torch
from facula import nn
from facula._core import state
from facula.func import (
    functional_call,
    grad,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    vjp,
    vmap,
)

F = nn.functional


def wave(*shape: int, k: float = 0.3) -> Any:
    n = int(np.prod(shape))
    return torch.sin(torch.arange(n, dtype=torch.float64) * 1.7 + k).reshape(shape)


def close(a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-8) -> bool:
    return bool(torch.allclose(a, b, rtol=rtol, atol=atol))


@pytest.fixture(autouse=True)
def nothing_is_left_behind() -> Any:
    yield
    assert state.modes.levels == ()
    assert state.modes.dual is None
    assert torch.is_grad_enabled()


# ---- second derivatives by all routes


def mlp(x: Any) -> Any:
    w1, w2 = wave(6, 4, k=0.1), wave(1, 6, k=0.7)
    return F.linear(torch.tanh(F.linear(x, w1)), w2).sum()


SCALAR_FUNCTIONS = {
    "cubic": lambda x: (x**3).sum(),
    "rosenbrock": lambda x: (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum(),
    "logsumexp": lambda x: torch.logsumexp(x, 0) * x.norm(),
    "softmax": lambda x: (F.softmax(x, 0) * x.cumsum(0)).sum(),
    "mlp": mlp,
    "determinant": lambda x: torch.linalg.det(x.reshape(2, 2) @ x.reshape(2, 2).T + torch.eye(2, dtype=x.dtype)),
    "inverse": lambda x: torch.linalg.inv(x.reshape(2, 2) + 3 * torch.eye(2, dtype=x.dtype)).prod(),
    "layer_norm": lambda x: (F.layer_norm(x, (4,)) ** 3).sum(),
    "indexed": lambda x: (x[[0, 2, 2]] * x.flip(0)[1:]).prod() + x.max() * x.min(),
}


@pytest.mark.parametrize("name", SCALAR_FUNCTIONS)
def test_hessians_by_all_routes_agree(name: str) -> None:
    f, x = SCALAR_FUNCTIONS[name], wave(4, k=0.4) + 0.2
    routes = [
        hessian(f)(x),
        jacrev(jacrev(f))(x),
        jacfwd(jacfwd(f))(x),
        jacrev(jacfwd(f))(x),
        jacfwd(grad(f))(x),
        torch.autograd.functional.hessian(f, x),
        torch.autograd.functional.hessian(f, x, vectorize=True),
        torch.autograd.functional.hessian(f, x, vectorize=True, outer_jacobian_strategy="forward-mode"),
    ]
    gradient = grad(f)
    unit = torch.eye(4, dtype=torch.float64) * 1e-6
    differences = torch.stack([(gradient(x + u) - gradient(x - u)) / 2e-6 for u in unit])
    for found in routes:
        assert found.shape == (4, 4)
        assert close(found, routes[0])
    assert close(routes[0], differences, rtol=1e-5, atol=1e-6)
    v = wave(4, k=2.0)
    for product in (
        jvp(grad(f), (x,), (v,))[1],
        grad(lambda x: (grad(f)(x) * v).sum())(x),
        vjp(grad(f), x)[1](v)[0],
        grad(lambda x: jvp(f, (x,), (v,))[1])(x),
        torch.autograd.functional.hvp(f, x, v)[1],
        torch.autograd.functional.vhp(f, x, v)[1],
        linearize(grad(f), x)[1](v),
    ):
        assert close(product, routes[0] @ v)


def test_hessian_of_several_arguments() -> None:
    def f(a: Any, b: Any) -> Any:
        return (torch.outer(a, b).exp() * a.sum()).sum()

    a, b = wave(2), wave(3)
    found = hessian(f, argnums=(0, 1))(a, b)
    wanted = torch.autograd.functional.hessian(f, (a, b))
    for row, expected in zip(found, wanted, strict=True):
        for block, other in zip(row, expected, strict=True):
            assert close(block, other)


def test_third_derivatives() -> None:
    def f(x: Any) -> Any:
        return (x**4).sum() + x.prod()

    x = wave(3)
    wanted = jacrev(jacrev(jacrev(f)))(x)
    assert wanted.shape == (3, 3, 3)
    for third in (jacfwd(jacfwd(jacfwd(f))), jacfwd(jacrev(jacfwd(f))), jacrev(hessian(f)), jacfwd(hessian(f))):
        assert close(third(x), wanted)


# ---- random nestings
#
# A transform takes a function of a vector into a function of a vector of the same length, and comes with a slow way to
# compute the same: loops for vmap, finite differences for derivatives. A nesting is compared with the slow way of its
# outermost transform on the fast way of the rest.

N = 3
STEP = 1e-5


def fixed(k: float) -> Any:
    return wave(N, k=k)


def vmapped(f: Any) -> Any:
    return lambda x: vmap(f)(torch.stack([x, x * 0.5, x + 0.1])).sum(0)


def looped(f: Any) -> Any:
    return lambda x: f(x) + f(x * 0.5) + f(x + 0.1)


def vmapped_partly(f: Any) -> Any:
    """The mapped dimension is not the first, and one argument is shared."""
    return lambda x: vmap(lambda a, b: f(a * b), in_dims=(1, None), out_dims=1)(torch.outer(x, fixed(2.0)), x).mean(1)


def looped_partly(f: Any) -> Any:
    return lambda x: sum((f(torch.outer(x, fixed(2.0))[:, i] * x) for i in range(N)), torch.zeros_like(x)) / N


def slope(f: Any, x: Any, v: Any) -> Any:
    return (f(x + STEP * v) - f(x - STEP * v)) / (2 * STEP)


def numerical_jacobian(f: Any, x: Any) -> Any:
    return torch.stack([slope(f, x, e) for e in torch.eye(N, dtype=x.dtype)], -1)


TRANSFORMS: dict[str, tuple[Any, Any]] = {
    "vmap": (vmapped, looped),
    "vmap_partly": (vmapped_partly, looped_partly),
    "grad": (
        lambda f: grad(lambda x: (f(x) * fixed(0.9)).sum()),
        lambda f: lambda x: numerical_jacobian(f, x).T @ fixed(0.9),
    ),
    "jvp": (lambda f: lambda x: jvp(f, (x,), (fixed(1.3),))[1], lambda f: lambda x: slope(f, x, fixed(1.3))),
    "jvp_of_itself": (lambda f: lambda x: jvp(f, (x,), (x * x,))[1], lambda f: lambda x: slope(f, x, x * x)),
    "vjp": (lambda f: lambda x: vjp(f, x)[1](x.sin())[0], lambda f: lambda x: numerical_jacobian(f, x).T @ x.sin()),
    "jacrev": (lambda f: lambda x: jacrev(f)(x).sum(1), lambda f: lambda x: numerical_jacobian(f, x).sum(1)),
    "jacfwd": (lambda f: lambda x: jacfwd(f)(x).sum(0), lambda f: lambda x: numerical_jacobian(f, x).sum(0)),
    "value_beside": (
        lambda f: lambda x: f(x) * grad(lambda y: (f(y) * x).sum())(x),
        lambda f: lambda x: f(x) * (numerical_jacobian(f, x).T @ x),
    ),
}  # fmt: skip


def written_to(x: Any) -> Any:
    y = x * 2
    y[1:] *= x[0]
    y[0] = x[2].cos()
    y.view(-1)[2] += y[0]
    return y


def into_zeros(x: Any) -> Any:
    y = torch.zeros(2, 3, dtype=x.dtype)
    y[0, 1:] = x[:2] * x[1:]
    y.t()[0] += x[0]
    y[1][2] = x.prod()
    return y.sum(0) * y[1]


BASES: dict[str, Any] = {
    "sine": lambda x: torch.sin(x) * x.sum(),
    "product": lambda x: x * torch.outer(x, fixed(0.5)).exp().sum(0) * 0.1,
    "network": lambda x: torch.tanh(F.linear(x, wave(N, N, k=0.2), fixed(0.1))),
    "attention": lambda x: F.softmax(torch.outer(x, x), -1) @ x,
    "written_to": written_to,
    "branches": lambda x: torch.where(x > 0, x**2, x.exp()),
}


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(sorted(TRANSFORMS)), min_size=1, max_size=3), st.sampled_from(sorted(BASES)))
def test_random_nestings(names: list[str], base: str) -> None:
    check_nesting(names, BASES[base])


@settings(max_examples=30, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from([n for n in sorted(TRANSFORMS) if "vmap" not in n]), min_size=1, max_size=3))
def test_random_nestings_that_write_into_constants(names: list[str]) -> None:
    check_nesting(names, into_zeros)


def check_nesting(names: list[str], inner: Any) -> None:
    for name in reversed(names[1:]):
        inner = TRANSFORMS[name][0](inner)
    fast, slow = TRANSFORMS[names[0]]
    x = fixed(0.3) * 0.6
    found, wanted = fast(inner)(x), slow(inner)(x)
    assert found.shape == (N,)
    assert close(found, wanted, rtol=1e-4, atol=1e-5 * (1 + float(wanted.abs().max())))


# ---- in-place operations


def test_in_place_operations_inside_grad() -> None:
    def in_place(x: Any) -> Any:
        y = x.clone()
        y[0] *= 3
        y.add_(x).mul_(y.detach() + 1)
        return y.sum()

    def out_of_place(x: Any) -> Any:
        y = torch.cat([x[:1] * 3, x[1:]]) + x
        return (y * (y.detach() + 1)).sum()

    x = wave(3)
    for transform in (grad, jacrev, jacfwd):
        assert close(transform(in_place)(x), transform(out_of_place)(x))


def test_in_place_operations_inside_vmap_and_under_derivatives() -> None:
    xs = wave(4, 3)
    for f in (written_to, lambda x: x.clone().clamp_(min=0).sqrt_().add_(x)):
        with np.errstate(all="ignore"):
            assert close(vmap(f)(xs), torch.stack([f(x) for x in xs]))
    assert close(vmap(jacrev(written_to))(xs), torch.stack([jacrev(written_to)(x) for x in xs]))
    assert close(vmap(jacfwd(written_to))(xs), torch.stack([jacrev(written_to)(x) for x in xs]))
    assert close(jacfwd(vmap(written_to))(xs), jacrev(vmap(written_to))(xs))


def into_zeros_like(x: Any) -> Any:
    y = torch.zeros_like(x)
    y[0] = x[0] * x[1]
    y.view(-1)[1:].copy_(y[:1].clone() * x[:2])
    return y


@pytest.mark.parametrize("f", [into_zeros, into_zeros_like])
def test_constants_that_are_written_to(f: Any) -> None:
    x = wave(3)
    wanted = torch.stack([slope(f, x, e) for e in torch.eye(3, dtype=x.dtype)], -1)
    assert close(jacfwd(f)(x), wanted, atol=1e-6) and close(jacrev(f)(x), wanted, atol=1e-6)
    second = jacrev(jacrev(f))(x)
    for other in (jacfwd(jacfwd(f)), jacfwd(jacrev(f)), jacrev(jacfwd(f))):
        assert close(other(x), second)
    if f is into_zeros_like:
        xs = wave(4, 3)
        assert close(vmap(jacfwd(f))(xs), torch.stack([jacrev(f)(x) for x in xs]))


def test_what_shares_a_tangent_is_not_changed_with_it() -> None:
    def f(x: Any) -> tuple[Any, Any]:
        y = x + 1
        y.mul_(3)
        return x * 1, y

    _, (of_x, of_y) = jvp(f, (wave(3),), (torch.ones(3, dtype=torch.float64),))
    assert of_x.tolist() == [1, 1, 1] and of_y.tolist() == [3, 3, 3]


def test_writing_into_views_of_batches_that_lie_anyhow_in_memory() -> None:
    xs = wave(3, 4)
    for f in (written_to, lambda x: vjp(written_to, x)[1](x.sin())[0], lambda x: jvp(written_to, (x,), (x,))[1]):
        assert close(vmap(f, in_dims=1)(xs), torch.stack([f(x) for x in xs.t()]))


def test_second_derivatives_after_writing_into_a_view_of_a_transposed_tensor() -> None:
    x = wave(2, 3).requires_grad_()

    def f(x: Any) -> Any:
        y = x.t() * 1.0
        y[0].mul_(x[:, 1])
        return (y * wave(3, 2)).sum()

    (first,) = torch.autograd.grad(f(x), x)
    (recorded,) = torch.autograd.grad(f(x), x, create_graph=True)
    assert close(first, recorded)
    assert torch.autograd.gradgradcheck(f, x)


def test_writing_through_as_strided() -> None:
    def f(x: Any) -> Any:
        y = x * 1.0
        y.as_strided((2,), (3,)).mul_(x[:, 1])
        return y

    x = wave(2, 3)
    assert close(jacfwd(f)(x), jacrev(f)(x))
    lies_otherwise = x.t().contiguous().t()
    found = jvp(lambda a: a.as_strided((6,), (1,)), (x,), (lies_otherwise,))[1]
    assert close(found, x.reshape(6))


def test_inputs_are_changed_by_functions_that_change_them() -> None:
    x = wave(2, 3)
    before = x.clone()
    vmap(lambda a: a.mul_(2))(x)
    assert close(x, before * 2)


def test_a_tensor_from_outside_cannot_take_a_batch() -> None:
    total = torch.zeros(3, dtype=torch.float64)
    with pytest.raises(RuntimeError, match="vmap: inplace arithmetic"):
        vmap(total.add_)(wave(2, 3))
    assert total.tolist() == [0, 0, 0]


# ---- perturbation confusion


def test_perturbations_are_not_confused() -> None:
    one, two = torch.tensor(1.0), torch.tensor(2.0)
    # d/dx (x * d/dy (x + y)) = 1; a confused tangent gives 2
    assert jacfwd(lambda x: x * jacfwd(lambda y: x + y)(one))(one) == 1
    assert jvp(lambda x: x * jvp(lambda y: x + y, (one,), (one,))[1], (one,), (one,))[1] == 1
    assert grad(lambda x: x * grad(lambda y: x + y)(one))(one) == 1
    assert grad(lambda x: x * jvp(lambda y: x * y, (two,), (one,))[1])(two) == 4
    assert jvp(lambda x: x * grad(lambda y: x * y)(two), (two,), (one,))[1] == 4
    # x is both differentiated outside and a tangent inside
    assert jvp(lambda x: jvp(lambda y: x * y**2, (x,), (x,))[1], (two,), (one,))[1] == 6 * two**2
    assert grad(lambda x: grad(lambda y: (x * y) ** 2)(x * 1))(two) == 6 * two**2


def test_a_dual_of_an_outer_level_is_a_constant_inside() -> None:
    x, y = torch.tensor(3.0), torch.tensor(5.0)

    def outer(a: Any) -> Any:
        inner = jvp(lambda b: a.detach() * b + a, (y,), (torch.ones(()),))[1]
        return inner * a

    value, slope = jvp(outer, (x,), (torch.ones(()),))
    assert value == 9 and slope == 3


def test_forward_ad_around_func_and_the_other_way_round() -> None:
    import facula.autograd.forward_ad as fwd

    x = wave(3)
    with fwd.dual_level():
        dual = fwd.make_dual(x, torch.ones_like(x))
        assert close(fwd.unpack_dual(grad(lambda a: (a**3).sum())(dual)).tangent, 6 * x)
        assert close(fwd.unpack_dual(jvp(lambda a: a**3, (dual,), (x,))[1]).tangent, 6 * x**2)
        assert close(fwd.unpack_dual(vmap(lambda a: a**2)(dual)).tangent, 2 * x)


# ---- modules: gradients per sample


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attend = nn.MultiheadAttention(4, 2, batch_first=True)

    def forward(self, x: Any) -> Any:
        return self.attend(x, x, x, need_weights=False)[0]


class Recurrent(nn.Module):
    def __init__(self, kind: Any) -> None:
        super().__init__()
        self.cells = kind(3, 4, num_layers=2, batch_first=True)

    def forward(self, x: Any) -> Any:
        return self.cells(x)[0]


class Embedded(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(7, 3)
        self.head = nn.Linear(3, 2)

    def forward(self, x: Any) -> Any:
        return self.head(self.table(x).mean(1))


def without_statistics(*layers: Any) -> Any:
    return torch.func.replace_all_batch_norm_modules_(nn.Sequential(*layers))


MODULES: dict[str, tuple[Any, Any]] = {
    "mlp": (lambda: nn.Sequential(nn.Linear(3, 5), nn.GELU(), nn.Linear(5, 2)), lambda: wave(4, 3)),
    "layer_norm": (lambda: nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4), nn.ReLU()), lambda: wave(4, 3)),
    "rms_norm": (lambda: nn.Sequential(nn.Linear(3, 4), nn.RMSNorm(4), nn.SiLU()), lambda: wave(4, 3)),
    "conv1d": (lambda: nn.Sequential(nn.Conv1d(2, 3, 3, padding=1), nn.Tanh()), lambda: wave(4, 2, 6)),
    "conv2d": (
        lambda: nn.Sequential(nn.Conv2d(2, 4, 3, stride=2, groups=2), nn.ReLU(), nn.MaxPool2d(2)),
        lambda: wave(3, 2, 9, 9),
    ),
    "conv_transpose": (lambda: nn.ConvTranspose2d(2, 3, 3, stride=2), lambda: wave(3, 2, 4, 4)),
    "batch_norm": (
        lambda: without_statistics(nn.Conv2d(2, 3, 2), nn.BatchNorm2d(3), nn.ReLU()), lambda: wave(3, 2, 4, 4)
    ),
    "group_norm": (lambda: nn.Sequential(nn.Conv2d(2, 4, 2), nn.GroupNorm(2, 4)), lambda: wave(3, 2, 4, 4)),
    "lstm": (lambda: Recurrent(nn.LSTM), lambda: wave(3, 5, 3)),
    "gru": (lambda: Recurrent(nn.GRU), lambda: wave(3, 5, 3)),
    "attention": (Attention, lambda: wave(3, 5, 4)),
    "transformer": (
        lambda: nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True), lambda: wave(3, 5, 4)
    ),
    "embedding": (Embedded, lambda: torch.arange(12).reshape(3, 4) % 7),
    "bilinear": (lambda: nn.Bilinear(3, 3, 2), lambda: wave(4, 3)),
}  # fmt: skip


@pytest.mark.parametrize("name", MODULES)
def test_gradients_per_sample(name: str) -> None:
    make, data = MODULES[name]
    module = make().double()
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            p.copy_(wave(*p.shape, k=k) * 0.5)
    inputs = data()
    parameters = {n: p.detach() for n, p in module.named_parameters()}

    def loss(parameters: Any, sample: Any) -> Any:
        batch_of_one = sample.unsqueeze(0)
        args = (batch_of_one, batch_of_one) if name == "bilinear" else (batch_of_one,)
        return (functional_call(module, parameters, args) ** 2).sum()

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = vmap(grad(loss), in_dims=(None, 0))(parameters, inputs)
    for i, sample in enumerate(inputs):
        module.zero_grad()
        loss(dict(module.named_parameters()), sample).backward()
        for n, p in module.named_parameters():
            assert close(found[n][i], p.grad if p.grad is not None else torch.zeros_like(p)), n


def test_an_ensemble_of_modules() -> None:
    models = [nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2)).double() for _ in range(3)]
    parameters, buffers = torch.func.stack_module_state(models)
    x = wave(5, 3)
    found = vmap(lambda p, b: functional_call(models[0], (p, b), (x,)))(parameters, buffers)
    assert close(found, torch.stack([m(x) for m in models]))
    per_model = vmap(lambda p, b, x: functional_call(models[0], (p, b), (x,)))(parameters, buffers, wave(3, 5, 3))
    assert close(per_model, torch.stack([m(x) for m, x in zip(models, wave(3, 5, 3))]))


# ---- nothing is left behind


class Stop(Exception):
    pass


@pytest.mark.parametrize("transform", [vmap, grad, jacrev, jacfwd, hessian, "jvp", "vjp", "nested"])
def test_nothing_is_left_behind_after_an_exception(transform: Any) -> None:
    def fails(x: Any) -> Any:
        assert state.modes.levels
        raise Stop

    runs: dict[str, Any] = {
        "jvp": lambda x: jvp(fails, (x,), (x,)),
        "vjp": lambda x: vjp(fails, x),
        "nested": vmap(grad(lambda x: jvp(jacrev(fails), (x,), (x,))[1].sum())),
    }
    run = runs[transform] if isinstance(transform, str) else transform(fails)
    with pytest.raises(Stop):
        run(wave(3, 2))
    with torch.no_grad(), pytest.raises(Stop):
        run(wave(3, 2))
    assert state.modes.levels == () and torch.is_grad_enabled()
    with pytest.raises(Stop):
        grad(lambda x: (vmap(fails)(x), x.sum())[1])(wave(3))
    assert grad(lambda x: (x * x).sum())(wave(3)).shape == (3,)


def test_an_exception_inside_an_inner_transform_can_be_caught_by_the_function() -> None:
    def refuses(x: Any) -> Any:
        raise Stop

    def recovers(x: Any) -> Any:
        depth = len(state.modes.levels)
        with pytest.raises(Stop):
            vmap(refuses)(x)
        assert len(state.modes.levels) == depth
        return (x**2).sum()

    assert close(grad(recovers)(wave(3)), 2 * wave(3))
    assert close(vmap(recovers)(wave(2, 3)), (wave(2, 3) ** 2).sum(1))


def test_tensors_that_escape() -> None:
    kept: list[Any] = []

    def keeps(x: Any) -> Any:
        kept.append(x * 2)
        return x

    vmap(keeps)(wave(2, 3))
    with pytest.raises(RuntimeError, match="escaped from inside a function being vmapped"):
        kept[0] + 1
    jvp(keeps, (wave(3),), (wave(3),))
    assert close(kept[1] + 1, wave(3) * 2 + 1)


def test_generators_and_callbacks_do_not_mix_levels() -> None:
    def outer(x: Any) -> Any:
        partial = vmap(lambda y: y * x.sum())
        return partial(x).sum()

    x = wave(3)
    assert close(grad(outer)(x), 2 * x.sum() * torch.ones(3, dtype=x.dtype))


# ---- threads


def test_threads_have_transforms_of_their_own() -> None:
    x = wave(16, 3)
    wanted = vmap(hessian(SCALAR_FUNCTIONS["logsumexp"]))(x)
    barrier = threading.Barrier(4)
    results: dict[int, Any] = {}

    def work(i: int) -> None:
        barrier.wait()
        if i % 2:
            results[i] = vmap(hessian(SCALAR_FUNCTIONS["logsumexp"]))(x)
        else:
            level_is_mine = grad(lambda a: (a * len(state.modes.levels)).sum())(x[0])
            results[i] = (level_is_mine == 1).all() and state.modes.levels == ()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert results[0] and results[2]
    assert close(results[1], wanted) and close(results[3], wanted)


def test_a_thread_started_inside_a_transform_is_outside_of_it() -> None:
    found = []

    def f(x: Any) -> Any:
        thread = threading.Thread(target=lambda: found.append(state.modes.levels))
        thread.start()
        thread.join()
        return x.sum()

    grad(f)(wave(3))
    assert found == [()]
