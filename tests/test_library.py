"""Operators of one's own inside transforms, where facula does more than PyTorch, and what ``opcheck`` looks at."""

# The annotations of operators are looked at: they must not be strings of names that only exist inside tests.
import warnings
from typing import Any

import numpy as np
import pytest

import facula as torch
from facula import Tensor, library
from facula.func import grad, hessian, jacfwd, jacrev, jvp, vmap


@library.custom_op("tests::cube", mutates_args=())
def cube(x: Tensor, scale: float = 1.0) -> Tensor:
    return torch.from_numpy(np.asarray(x.detach().numpy() ** 3 * scale))


@cube.register_fake
def _(x: Any, scale: float = 1.0) -> Any:
    return torch.empty_like(x)


def _remember(ctx: Any, inputs: Any, output: Any) -> None:
    ctx.save_for_backward(inputs[0])
    ctx.scale = inputs[1]


cube.register_autograd(lambda ctx, g: (g * 3 * ctx.saved_tensors[0] ** 2 * ctx.scale, None), setup_context=_remember)


def values(*shape: int) -> Any:
    return torch.linspace(-1, 1, int(np.prod(shape)), dtype=torch.float64).reshape(shape)


@pytest.fixture(autouse=True)
def may_loop() -> Any:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "There is a performance drop")
        yield


def test_derivatives_of_all_kinds() -> None:
    x = values(3)
    assert torch.allclose(grad(lambda x: cube(x, 2.0).sum())(x), 6 * x**2)
    assert torch.allclose(jvp(cube, (x,), (x,))[1], 3 * x**3)
    assert torch.allclose(jacrev(cube)(x), torch.diag(3 * x**2))
    assert torch.allclose(jacfwd(cube)(x), torch.diag(3 * x**2))
    assert torch.allclose(hessian(lambda x: cube(x).sum())(x), torch.diag(6 * x))
    assert torch.allclose(jacfwd(jacfwd(lambda x: cube(x).sum()))(x), torch.diag(6 * x))
    x.requires_grad_()
    assert torch.autograd.gradcheck(cube, x, check_forward_ad=True, check_batched_grad=True)
    assert torch.autograd.gradgradcheck(cube, x, check_fwd_over_rev=True)


def test_batches_by_a_loop_and_by_a_rule() -> None:
    x = values(4, 3)
    assert torch.allclose(vmap(cube)(x), x**3)
    assert torch.allclose(vmap(cube, in_dims=1, out_dims=1)(x), x**3)
    assert torch.allclose(vmap(grad(lambda x: cube(x).sum()))(x), 3 * x**2)
    calls = []

    @library.custom_op("tests::with_rule", mutates_args=())
    def with_rule(x: Tensor) -> Tensor:
        return x * 2

    @with_rule.register_vmap
    def _(info: Any, in_dims: Any, x: Any) -> Any:
        calls.append((info.batch_size, in_dims))
        return with_rule(x), in_dims[0]

    assert torch.allclose(vmap(with_rule)(x), x * 2)
    assert calls == [(4, (0,))]


def test_a_loop_is_warned_about_once() -> None:
    @library.custom_op("tests::told_once", mutates_args=())
    def told_once(x: Tensor) -> Tensor:
        return x * 2

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        vmap(told_once)(values(4, 3))
        vmap(told_once)(values(4, 3))
    assert [str(w.message).split(":")[0] for w in seen] == [
        "There is a performance drop because facula has no batching rule for tests"
    ]


def test_without_a_formula_derivatives_are_refused_and_not_zero() -> None:
    @library.custom_op("tests::without", mutates_args=())
    def without(x: Tensor) -> Tensor:
        return x * 2

    x = values(3)
    with pytest.raises(RuntimeError, match=r"Trying to backward through tests.without.default but no autograd formula"):
        grad(lambda x: without(x).sum())(x)
    with pytest.raises(RuntimeError, match=r"tests.without.default in forward mode but no autograd formula"):
        jvp(without, (x,), (x,))


def test_results_that_alias_arguments_are_refused() -> None:
    @library.custom_op("tests::alias", mutates_args=())
    def alias(x: Tensor) -> Tensor:
        return x[:1]

    with pytest.raises(RuntimeError, match="may not alias any inputs to this custom operator"):
        alias(values(2))


def test_autocast() -> None:
    @library.custom_op("tests::cast", mutates_args=())
    def cast(x: Tensor) -> Tensor:
        return x * 2

    cast.register_autocast("cpu", torch.bfloat16)
    x = torch.ones(2)
    assert cast(x).dtype == torch.float32
    with torch.autocast("cpu"):
        assert cast(x).dtype == torch.bfloat16


def test_opcheck_finds_a_gradient_that_comes_from_a_kernel() -> None:
    with library._scoped_library("tests_recorded", "FRAGMENT") as lib:
        lib.define("twice(Tensor x) -> Tensor")
        lib.impl("twice", lambda x: x * 2, "CPU")
        op = torch.ops.tests_recorded.twice
        assert op(values(3).requires_grad_()).grad_fn is not None
        found = library.opcheck(op, (values(3).requires_grad_(),), raise_exception=False)
    assert found["test_schema"] == "SUCCESS"
    assert "does not have an autograd kernel defined at an autograd key" in str(found["test_autograd_registration"])
    assert isinstance(found["test_faketensor"], NotImplementedError)


def test_opcheck_compares_gradients_with_those_of_a_function() -> None:
    calls = []

    @library.custom_op("tests::unsteady", mutates_args=())
    def unsteady(x: Tensor) -> Tensor:
        return x * 2

    unsteady.register_fake(torch.empty_like)

    def backward(ctx: Any, g: Any) -> Any:
        calls.append(1)
        return g * len(calls)

    unsteady.register_autograd(backward)
    assert library.opcheck(cube, (values(3).requires_grad_(),))["test_aot_dispatch_dynamic"] == "SUCCESS"
    found = library.opcheck(unsteady, (values(3).requires_grad_(),), raise_exception=False)
    assert "gradients as a function differ" in str(found["test_aot_dispatch_dynamic"])


def test_functions_of_a_library_as_decorators() -> None:
    mine = torch.library.Library("decorated", "DEF")

    @torch.library.define(mine, "twice(Tensor x) -> Tensor")
    def twice(x: Any) -> Any:
        return x * 2

    mine.define("scaled(Tensor x, float by=2.0) -> Tensor")

    @torch.library.impl(mine, "scaled", "CPU")
    def scaled(x: Any, by: float = 2.0) -> Any:
        return x * by

    one = torch.ones(1)
    assert torch.ops.decorated.twice(one).item() == twice(one).item() == 2
    assert torch.ops.decorated.scaled(one, 3.0).item() == 3 and scaled(one).item() == 2
