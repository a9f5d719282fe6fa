"""Operators of one's own inside compiled functions: each is one step, which nobody looks into."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import facula as torch


@torch.library.custom_op("compiled_tests::sine", mutates_args=())
def sine(x: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(np.sin(x.numpy()))


@torch.library.custom_op("compiled_tests::sine_", mutates_args={"x"})
def sine_(x: torch.Tensor) -> None:
    np.sin(x.numpy(), out=x.numpy())


@torch.library.custom_op("compiled_tests::counted", mutates_args=())
def counted(x: torch.Tensor, times: int = 2) -> tuple[torch.Tensor, int]:
    return torch.from_numpy(x.numpy() * times), int((x.numpy() > 0).sum())


@torch.library.custom_op("compiled_tests::positive", mutates_args=())
def positive(x: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(x.numpy()[x.numpy() > 0])


@torch.library.custom_op("compiled_tests::noise", mutates_args=())
def noise(x: torch.Tensor) -> torch.Tensor:
    return torch.rand(x.shape)


def _keep(ctx: Any, inputs: Any, output: Any) -> None:
    ctx.save_for_backward(*inputs)


def _slope(ctx: Any, g: Any) -> Any:
    return g * ctx.saved_tensors[0].cos()


sine.register_autograd(_slope, setup_context=_keep)


@pytest.fixture(params=["eager", "numpy", "auto"])
def compiled(request: Any) -> Any:
    return lambda fn, **options: torch.compile(fn, fullgraph=True, backend=request.param, **options)


@pytest.mark.parametrize("dynamic", [None, True])
def test_values_and_gradients(compiled: Any, dynamic: Any) -> None:
    fn = compiled(lambda x: sine(x) * 2, dynamic=dynamic)
    for n in (3, 3, 4, 5):
        x = torch.arange(float(n), requires_grad=True)
        y = fn(x)
        y.sum().backward()
        torch.testing.assert_close(y, 2 * x.sin())
        torch.testing.assert_close(x.grad, 2 * x.detach().cos())


def test_arguments_that_are_changed(compiled: Any) -> None:
    def both(x: Any) -> Any:
        seen = x[1:]
        sine_(x)
        return seen * 1

    fn = compiled(both)
    for start in range(3):
        x = torch.arange(3.0) + start
        expected, version = x.sin(), x._version
        y = fn(x)
        torch.testing.assert_close(x, expected)
        torch.testing.assert_close(y, expected[1:])
        assert x._version == version + 1


def test_numbers_and_shapes_of_results_are_looked_at(compiled: Any) -> None:
    fn = compiled(lambda x: (counted(x, 3)[1], positive(x) + 1))
    for given in ([1.0, 2.0], [1.0, -1.0], [3.0, 4.0]):
        count, rest = fn(torch.tensor(given))
        assert count == sum(v > 0 for v in given)
        assert rest.tolist() == [v + 1 for v in given if v > 0]


def test_what_it_draws(compiled: Any) -> None:
    fn = compiled(lambda x: noise(x) + x)
    torch.manual_seed(0)
    found = [fn(torch.zeros(3)).tolist() for _ in range(3)]
    torch.manual_seed(0)
    assert found == [torch.rand(3).tolist() for _ in range(3)]
