"""Compiled functions in small programs that change things between calls: what is seen is what an eager run shows."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import facula as torch
from facula import nn
from facula.nn.modules.module import register_module_forward_pre_hook

from . import (  # noqa: F401
    stories_of_autograd,
    stories_of_models,
    stories_of_python,
    stories_of_reads,
    stories_of_sharing,
    stories_of_tasks,
)
from .stories import STORIES, assert_same, story, told

Compiled = Callable[..., Any]


@story
def the_order_of_keywords(compiled: Compiled, note: Compiled) -> None:
    names = compiled(lambda x, **named: [x * value for value in named.values()] + list(named))
    x = torch.ones(2)
    for named in ({"a": 2, "b": 3}, {"b": 3, "a": 2}, {"a": 2, "b": x}, {"b": x, "a": 2}):
        note(names(x, **named))


@story
def gradients_that_are_forgotten(compiled: Compiled, note: Compiled) -> None:
    layer = nn.Linear(2, 1)

    def forgetting(x: Any, to_none: bool) -> Any:
        layer.zero_grad(set_to_none=to_none)
        return layer(x).sum()

    fn = compiled(forgetting)
    for to_none in (True, False, True, False):
        fn(torch.ones(1, 2), to_none).backward()
        note(layer.weight, layer.bias)


@story
def gradients_that_are_clipped(compiled: Compiled, note: Compiled) -> None:
    layer = nn.Linear(2, 2)
    by_norm = compiled(lambda: nn.utils.clip_grad_norm_(layer.parameters(), 0.1))
    by_value = compiled(lambda: nn.utils.clip_grad_value_(layer.parameters(), 0.05))
    note(by_norm(), by_value())
    layer(torch.ones(2)).sum().backward()
    note(by_norm(), layer.weight, by_value(), layer.weight)
    layer.weight.grad = None
    note(by_norm(), by_value(), layer.bias)


@story
def draws_of_functions_that_look_at_elements(compiled: Compiled, note: Compiled) -> None:
    generator = torch.Generator().manual_seed(5)

    def draw(p: Any) -> Any:
        there = torch.multinomial(p, 2), torch.multinomial(p, 3, generator=generator)
        return *there, torch.bernoulli(p), torch.randperm(4), torch.normal(p, 0.1)

    fn = compiled(draw)
    for _ in range(3):
        note(fn(torch.tensor([0.2, 0.5, 0.9])))
    note(torch.rand(2))


@story
def tables_of_modules(compiled: Compiled, note: Compiled) -> None:
    module = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    fn, x = compiled(module), torch.ones(1, 2)
    note(fn(x))
    module._modules["1"] = nn.Tanh()
    note(fn(x))
    module[0]._parameters["weight"] = nn.Parameter(torch.ones(2, 2))
    note(fn(x))
    module[0].register_forward_hook(lambda layer, args, result: result * 2)
    note(fn(x))
    module[0]._forward_hooks.clear()
    note(fn(x))
    module[0]._parameters = dict(module[0]._parameters)
    note(fn(x))
    module[0]._parameters["weight"] = nn.Parameter(torch.zeros(2, 2))
    note(fn(x))


@story
def hooks_of_all_modules(compiled: Compiled, note: Compiled) -> None:
    fn, x = compiled(nn.Linear(2, 2)), torch.ones(2)
    note(fn(x))
    handle = register_module_forward_pre_hook(lambda module, args: (args[0] * 2,))
    note(fn(x))
    handle.remove()
    note(fn(x))


@story
def other_parameters_for_one_call(compiled: Compiled, note: Compiled) -> None:
    layer = nn.Linear(2, 1)
    fn, x = compiled(layer), torch.ones(2)
    prefix = "" if fn is layer else "_orig_mod."
    for i in range(3):
        others = {prefix + name: torch.full_like(p, float(i)) for name, p in layer.named_parameters()}
        note(torch.func.functional_call(fn, others, (x,)), fn(x))


@story
def half_precision_is_scaled_in_place(compiled: Compiled, note: Compiled) -> None:
    def scaled(x: Any) -> Any:
        y = x * 2
        y.mul_(1.5)
        y[0] *= 0.5
        return y

    fn = compiled(scaled)
    for dtype in (torch.float16, torch.bfloat16):
        for _ in range(2):
            x = torch.ones(3, dtype=dtype, requires_grad=True)
            fn(x).sum().backward()
            note(x)


@story
def a_cache_that_is_written_to_by_position(compiled: Compiled, note: Compiled) -> None:
    class Cache(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("kept", torch.zeros(4, 2))

        def forward(self, x: Any, position: Any) -> Any:
            self.kept[position] = x
            return self.kept[: position + 1].sum(0)

    cache = Cache()
    fn = compiled(cache)
    for i in range(4):
        note(fn(torch.full((2,), i + 1.0), i), cache.kept)
    for i in range(4):
        note(fn(torch.full((2,), i + 2.0), torch.tensor(i)), cache.kept)


@story
def results_of_other_classes(compiled: Compiled, note: Compiled) -> None:
    class Own(torch.Tensor):
        pass

    fn = compiled(lambda x: x * 2)
    x = torch.ones(2)
    for each in (x, x.as_subclass(Own), x, x.as_subclass(Own)):
        note(fn(each))


@story
def memory_of_another_size(compiled: Compiled, note: Compiled) -> None:
    def fewer(x: Any) -> Any:
        y = x.clone()
        y.resize_(3)
        return y.add_(1)

    fn = compiled(fewer)
    results = [fn(torch.full((5,), float(i))) for i in range(3)]
    note(results, len(set(map(id, results))))


@story
def the_device_of_new_tensors(compiled: Compiled, note: Compiled) -> None:
    fn = compiled(lambda: torch.ones(2))
    note(fn())
    with torch.device("meta"):
        with torch.no_grad():
            pass
        note(fn().device.type)
    note(fn())


@story
def versions_of_what_an_optimizer_keeps(compiled: Compiled, note: Compiled) -> None:
    params = [nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(3))]
    optimizer = torch.optim.AdamW(params, 0.1)

    def step() -> None:
        optimizer.zero_grad()
        (params[0].sum() * params[1].sum()).backward()
        optimizer.step()

    fn = compiled(step)
    for beta in (0.9, 0.9, 0.9, 0.8, 0.7):
        optimizer.param_groups[0]["betas"] = (beta, 0.999)
        fn()
        note(params, [optimizer.state[p] for p in params])


@story
def warnings_of_the_function(compiled: Compiled, note: Compiled) -> None:
    def warning(x: Any) -> Any:
        warnings.warn("careful", stacklevel=1)
        return x * 2

    fn = compiled(warning)
    for _ in range(3):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            note(fn(torch.ones(2)), len([each for each in told if str(each.message) == "careful"]))


@story
def sparse_tensors_on_the_way(compiled: Compiled, note: Compiled) -> None:
    fn = compiled(lambda x: x.to_sparse().to_dense() * 2)
    made = compiled(lambda x: torch.sparse_coo_tensor([[0, 1], [1, 0]], x, (2, 2)).to_dense() * 2)
    for i in range(2):
        note(fn(torch.eye(2) * i), made(torch.full((2,), float(i))))


@pytest.mark.parametrize(("backend", "dynamic"), [("numpy", None), ("c", None), ("numpy", True)])
@pytest.mark.parametrize("name", STORIES)
def test_story(name: str, backend: str, dynamic: bool | None) -> None:
    expected = told(STORIES[name], lambda fn: fn)
    assert expected
    assert_same(told(STORIES[name], functools.partial(torch.compile, backend=backend, dynamic=dynamic)), expected)
