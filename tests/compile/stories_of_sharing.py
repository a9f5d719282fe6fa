"""Stories about what tensors, lists and numbers have in common with others: memory, arrays, identity."""

from __future__ import annotations

import abc
import copy
import functools
import math
import pickle
import sys
import types
from collections.abc import Callable
from typing import Any

import facula as torch
from facula import nn

from .stories import attempted, story

Compiled = Callable[..., Any]
F = nn.functional


def x2() -> Any:
    return torch.tensor([-1.0, 2.0])


def leaf(*values: float) -> Any:
    return torch.tensor(values, requires_grad=True)


# ---- tensors


@story
def two_tensors_of_one_array(compiled: Compiled, note: Compiled) -> None:
    fast = compiled(lambda p, q: [p * 2 + q, q])
    t, w = torch.ones(2), leaf(1.0, 2.0)
    for p, q in ((t, t.detach()), (t, torch.zeros(2)), (torch.zeros(2), t), (w, w.detach()), (w, w.data), (w, x2())):
        results = fast(p, q)
        note(results, results[1] is q)


@story
def a_tensor_that_had_the_array_of_an_argument(compiled: Compiled, note: Compiled) -> None:
    t = torch.ones(2)
    w = t.detach()
    fast = compiled(lambda p: [p * 2 + w, p])
    note(fast(t), fast(torch.zeros(2)))
    w.data = torch.full((2,), 7.0)
    note(fast(t))


@story
def writes_through_one_of_two(compiled: Compiled, note: Compiled) -> None:
    def fn(p: Any, q: Any) -> Any:
        q.mul_(2)
        return p + q

    fast = compiled(fn)
    for other in (torch.Tensor.detach, lambda t: t.data, lambda t: t[:], torch.clone):
        t, u = torch.ones(2), torch.ones(2)
        q, r = other(t), other(u)
        note(fast(t, q), t, q, fast(r, u), r, u)


@story
def a_gradient_given_to_one_of_two(compiled: Compiled, note: Compiled) -> None:
    def fn(p: Any, q: Any) -> Any:
        q.grad = p * 3
        return p

    fast = compiled(fn)
    for _ in range(2):
        t = torch.ones(2)
        q = t.detach()
        note(fast(t, q) is t, t, q)


@story
def gradients_in_one_memory(compiled: Compiled, note: Compiled) -> None:
    kept, v, w = torch.zeros(4), leaf(1.0, 2.0), leaf(3.0, 4.0)
    v.grad, w.grad = kept[:2], kept[1:3]
    fast = compiled(lambda x: (x * v * w).sum().backward())
    for _ in range(3):
        fast(x2())
        note(kept, v, w)


@story
def leaves_and_others_are_given(compiled: Compiled, note: Compiled) -> None:
    def fn(x: Any) -> Any:
        (x * x).sum().backward()
        return x * 1

    fast = compiled(fn)
    a, b = leaf(1.0, 2.0), leaf(3.0, 4.0)
    for x in (a, b * 2, a, b * 3):
        note(fast(x), a, b)


@story
def inference_tensors_are_given(compiled: Compiled, note: Compiled) -> None:
    def fn(x: Any) -> Any:
        x.add_(1)
        return x * 2

    w = leaf(1.0, 2.0)
    fast, other = compiled(fn), compiled(lambda x: x * w)
    with torch.inference_mode():
        z = torch.ones(2)
    note(fast(x2()), other(x2()))
    for given in (z, x2(), z):
        found = [attempted(each, given) for each in (fast, other)]
        note([str(each).partition("\n")[0] if isinstance(each, Exception) else each for each in found], given.tolist())
    with torch.inference_mode():
        note(fast(z).tolist(), z.tolist())


@story
def versions_of_what_is_new(compiled: Compiled, note: Compiled) -> None:
    layer = nn.Linear(2, 2)

    def fn(x: Any) -> Any:
        layer.zero_grad()
        layer(x).sum().backward()
        y = x.clone().mul_(2).add_(1)
        return nn.utils.clip_grad_norm_(layer.parameters(), 0.1), y, y[:1]

    fast = compiled(fn)
    for _ in range(3):
        note(fast(x2()), layer.weight, layer.bias)


@story
def transposed_memory_that_is_written_to(compiled: Compiled, note: Compiled) -> None:
    def fn(x: Any, y: Any) -> Any:
        x.index_add_(0, torch.tensor([1, 0, 2]), x * 2)
        y.copy_(x + 1)
        return x * 2, y * 2

    fast = compiled(fn)
    for _ in range(2):
        x, y = torch.arange(6.0).reshape(2, 3).t(), torch.zeros(3, 2)
        note(fast(x, y), x, y)


# ---- lists, dicts and numbers


@story
def lists_and_dicts_that_are_returned(compiled: Compiled, note: Compiled) -> None:
    kept: dict[str, Any] = {"a": 1.0}
    given, own = compiled(lambda x, values: (x * 2, values)), compiled(lambda x: (x * 2, kept))
    for _ in range(3):
        values = [x2()]
        result, found = given(x2(), values), own(x2())
        result[1].append(found[1].setdefault("n", 0))
        found[1]["n"] += 1
        note(result[1] is values, len(values), found[1] is kept, kept)


@story
def numbers_in_lists_that_are_changed(compiled: Compiled, note: Compiled) -> None:
    def fn(x: Any, values: list[Any]) -> Any:
        values.append(values[0] + 1)
        return x * values[0]

    changing, giving = compiled(fn), compiled(lambda x, values: (x * values[0], values))
    for n in (2, 3, 4, 5):
        one, two = [n], [n]
        note(changing(x2(), one), one, [*map(type, one)])
        found = giving(x2(), two)[1]
        note(found is two, two, [*map(type, two)])


@story
def numbers_that_are_kept(compiled: Compiled, note: Compiled) -> None:
    class Kept:
        def __init__(self, n: Any) -> None:
            self.n = n

    kept, last = Kept(0), 0

    def fn(x: Any, n: int) -> Any:
        nonlocal last
        kept.n = last = x.shape[0] * n
        return x * n

    fast, other = compiled(fn), compiled(lambda x, n: Kept(x.shape[0] * n))
    for n in (2, 3, 4, 5):
        note(fast(torch.ones(n), n), kept.n, last, type(kept.n), type(last), type(other(torch.ones(n), n).n))


@story
def what_python_makes_of_numbers(compiled: Compiled, note: Compiled) -> None:
    def of_float(x: Any, n: float) -> Any:
        return [x * each for each in (math.floor(n), math.ceil(n), round(n), n // 1, int(n), n % 1, math.trunc(n))]

    def of_int(x: Any, n: int) -> Any:
        return [x * each for each in (round(n, -1), n.bit_length(), -n, n**2, n // 2, n % 3, n & 3, n << 1, n / 2)]

    for fn, numbers in ((of_float, (2.5, 3.25, -4.75, -5.5, 7.0)), (of_int, (12, 17, 123, 55, -3))):
        fast = compiled(fn)
        for n in numbers:
            note(fast(x2(), n))


# ---- what is read


@story
def one_attribute_goes_and_another_comes(compiled: Compiled, note: Compiled) -> None:
    class Thing:
        scale = 5.0

    thing = Thing()
    thing.other = 1.0  # type: ignore[attr-defined]
    fast = compiled(lambda x: x * thing.scale)
    note(fast(x2()))
    del thing.other  # type: ignore[attr-defined]
    thing.scale = 7.0
    note(fast(x2()))


@story
def attributes_that_tensors_get(compiled: Compiled, note: Compiled) -> None:
    w = x2()
    given, own = compiled(lambda x: x * getattr(x, "scale", 1.0)), compiled(lambda x: x * getattr(w, "scale", 1.0))
    a = x2()
    note(given(a), own(a))
    for scale in (3.0, 4.0):
        a.scale = w.scale = scale
        note(given(a), own(a), given(x2()))
    del a.scale, w.scale
    note(given(a), own(a))


@story
def subclasses_that_are_registered(compiled: Compiled, note: Compiled) -> None:
    class Abstract(abc.ABC):  # noqa: B024
        pass

    class Own:
        pass

    thing = Own()
    fast = compiled(lambda x: x * 2 if isinstance(thing, Abstract) else x * 3)
    note(fast(x2()))
    Abstract.register(Own)
    note(fast(x2()))


@story
def modules_that_are_imported_inside(compiled: Compiled, note: Compiled) -> None:
    def fn(x: Any) -> Any:
        import one_of_a_story  # type: ignore[import-not-found]

        return x * one_of_a_story.scale

    fast = compiled(fn)
    for scale in (2.0, 2.0, 3.0):
        sys.modules["one_of_a_story"] = types.ModuleType("one_of_a_story")
        sys.modules["one_of_a_story"].scale = scale  # type: ignore[attr-defined]
        note(fast(x2()))
    del sys.modules["one_of_a_story"]
    note(attempted(fast, x2()))


@story
def backward_functions_that_are_replaced(compiled: Compiled, note: Compiled) -> None:
    class Scaled(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    fast = compiled(lambda x: Scaled.apply(x).sum())
    for by in (2, 3):
        Scaled.backward = staticmethod(functools.partial(lambda ctx, g, by: g * by, by=by))  # type: ignore[method-assign]
        x = leaf(1.0, 2.0)
        fast(x).backward()
        note(x)


@story
def the_default_device(compiled: Compiled, note: Compiled) -> None:
    fast = compiled(lambda: torch.zeros(2))
    for device in (None, "meta", "cpu", "meta", None):
        torch.set_default_device(device)
        note(fast().device, torch.get_default_device())


@story
def functions_that_hold_themselves(compiled: Compiled, note: Compiled) -> None:
    known: dict[str, Any] = {}

    def fn(x: Any, n: int) -> Any:
        return x if n < 2 else known["fn"](x, n - 1) + known["fn"](x, n - 2)

    known["fn"] = compiled(fn)
    for n in (1, 5, 3, 6):
        note(known["fn"](x2(), n))


# ---- elements


@story
def copies_of_tensors(compiled: Compiled, note: Compiled) -> None:
    for fn in (copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))):
        fast = compiled(lambda x, fn=fn: fn(x) * 2)
        for i in range(3):
            note(fast(torch.full((2,), float(i))))


@story
def elements_that_are_refused(compiled: Compiled, note: Compiled) -> None:
    functions = (
        lambda x: torch.linalg.cholesky(x.view(2, 2)), lambda x: torch.linalg.inv(x.view(2, 2)),
        lambda x: F.binary_cross_entropy(x, x), lambda x: x.view(2, 2).logdet(), lambda x: torch.bernoulli(x),
        lambda x: (x == x.max()).nonzero()[0], lambda x: x.long() // (x.long() - 1),
    )  # fmt: skip
    given = (1.0, 0, 0, 1), (0.5, 0, 0, 0.5), (1.0, 1, 1, 1), (4.0, 7, 1, -1), (float("nan"), 0, 0, 1)
    for fn in functions:
        fast = compiled(fn)
        for x in given:
            found = attempted(fast, torch.tensor(x))
            note(type(found), str(found).partition("\n")[0] if isinstance(found, Exception) else found)


@story
def draws_of_layers_that_look_at_elements(compiled: Compiled, note: Compiled) -> None:
    fast = compiled(nn.Sequential(nn.Dropout(0.5), nn.Linear(3, 3), nn.RReLU()))
    for _ in range(3):
        note(fast(torch.ones(2, 3)), torch.rand(2))
