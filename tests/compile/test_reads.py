"""Each kind of thing that a function can read or ask is changed between calls: it answers as it does eagerly."""

from __future__ import annotations

import collections
import functools
import os
import types
import unittest
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import facula as torch
from facula import _dynamo, nn


def answers(fn: Callable[..., Any], *steps: Callable[[], Any], args: Callable[[], Any] = lambda: ()) -> None:
    """``fn`` compiled and not, before the steps and after each."""
    compiled = torch.compile(fn, backend="eager")
    for step in (lambda: None, *steps):
        step()
        x = torch.ones(2)
        assert compiled(x, *args()).tolist() == fn(x, *args()).tolist()


def test_sets_deques_and_bytes() -> None:
    some, queue, raw = {1, 2}, collections.deque([1.0, 2.0]), bytearray(b"ab")
    answers(
        lambda x: x * len(some) + sum(queue) + raw[0] + (3 in some),
        lambda: some.add(3), lambda: queue.append(5.0), lambda: queue.rotate(), lambda: raw.__setitem__(0, 1),
    )  # fmt: skip


def test_a_set_that_is_given() -> None:
    some = {1, 2}
    answers(lambda x, given: x * len(given), lambda: some.add(3), args=lambda: (some,))


def test_arrays_of_numpy() -> None:
    table = np.array([1.0, 2.0])
    answers(lambda x: x * float(table[0]), lambda: table.__setitem__(0, 7.0))


class Base:
    scale = 2.0

    def times(self, x: Any) -> Any:
        return x * self.scale


def test_classes_and_what_hides_their_attributes(monkeypatch: pytest.MonkeyPatch) -> None:
    thing = Base()
    answers(lambda x: x * Base.scale, lambda: monkeypatch.setattr(Base, "scale", 3.0))
    answers(
        lambda x: thing.times(x), lambda: monkeypatch.setattr(Base, "scale", 4.0), lambda: setattr(thing, "scale", 5.0),
        lambda: monkeypatch.setattr(Base, "times", lambda self, x: x),
    )  # fmt: skip


def test_attributes_that_come_and_go() -> None:
    class Slots:
        __slots__ = ("a",)

    def come_and_go(thing: Any) -> None:
        answers(
            lambda x: x * thing.a if hasattr(thing, "a") else x,
            lambda: setattr(thing, "a", 4.0), lambda: delattr(thing, "a"),
        )  # fmt: skip

    come_and_go(types.SimpleNamespace())
    come_and_go(Slots())


def test_names_that_come() -> None:
    namespace: dict[str, Any] = {"__builtins__": __builtins__}
    exec("def fn(x):\n    try:\n        return x * SCALE\n    except NameError:\n        return x", namespace)
    answers(namespace["fn"], lambda: namespace.update(SCALE=3.0))


def test_defaults_code_and_attributes_of_functions() -> None:
    by_default = [2.0]

    def multiply(x: Any, by: Any = by_default) -> Any:
        return x * by[0]

    inner: Any = multiply
    inner.more = 1.0
    answers(
        lambda x: inner(x) + inner.more,
        lambda: by_default.__setitem__(0, 3.0),
        lambda: setattr(inner, "__defaults__", ([5.0],)),
        lambda: setattr(inner, "__code__", (lambda x, by: x).__code__),
        lambda: setattr(inner, "more", 7.0),
    )


def test_parts_of_partial_functions() -> None:
    part = functools.partial(lambda x, by: x * by, by=3.0)
    answers(lambda x: part(x), lambda: part.keywords.update(by=5.0))


def test_subclasses_of_containers() -> None:
    class Items(list[float]):
        scale = 1.0

    items = Items([1.0, 2.0])
    answers(lambda x: x * len(items) * items.scale, lambda: items.append(1.0), lambda: setattr(items, "scale", 3.0))


def test_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FACULA_TEST_READS", raising=False)
    answers(
        lambda x: x * 2 if os.environ.get("FACULA_TEST_READS") else x,
        lambda: monkeypatch.setenv("FACULA_TEST_READS", "1"),
    )


def test_learning_rates_that_the_function_reads() -> None:
    optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.5)
    answers(lambda x: x * optimizer.param_groups[0]["lr"], lambda: optimizer.param_groups[0].update(lr=0.25))


def test_attributes_of_tensors() -> None:
    t: Any = torch.ones(2)
    t.scale = 2.0
    answers(lambda x, t: x * t.scale, lambda: setattr(t, "scale", 3.0), args=lambda: (t,))
    answers(lambda x, t: x * 2 if hasattr(t, "tag") else x, lambda: setattr(t, "tag", 1), args=lambda: (t,))


def inference() -> Any:
    with torch.inference_mode():
        return torch.ones(2)


@pytest.mark.parametrize(
    ("ask", "other"),
    [
        (lambda t: t.storage_offset(), lambda: torch.ones(6)[4:]),
        (lambda t: t._is_view(), lambda: torch.ones(6)[:2]),
        (lambda t: t._base is None, lambda: torch.ones(6)[:2]),
        (lambda t: t.is_inference(), inference),
    ],
    ids=["storage_offset", "_is_view", "_base", "is_inference"],
)
def test_what_tensors_are_asked(ask: Any, other: Any) -> None:
    given = [torch.ones(2)]
    answers(lambda x, t: x * (2 + int(ask(t))) + t, lambda: given.__setitem__(0, other()), args=lambda: (given[0],))


@pytest.mark.parametrize(
    ("ask", "other"),
    [
        (lambda t: t.is_leaf, lambda t: t * 1),
        (lambda t: t.grad is None, lambda t: with_grad(t)),
        (lambda t: t.grad_fn is None, lambda t: t * 1),
    ],
    ids=["is_leaf", "grad", "grad_fn"],
)
def test_what_tensors_with_gradients_are_asked(ask: Any, other: Any) -> None:
    def fn(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
        return x * (2 + int(ask(t)))

    compiled = torch.compile(fn, backend="eager")
    leaf = torch.ones(2, requires_grad=True)
    assert compiled(torch.ones(2), leaf).tolist() == fn(torch.ones(2), leaf).tolist()
    t = other(leaf)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the history of an argument is not captured
        assert compiled(torch.ones(2), t).tolist() == fn(torch.ones(2), t).tolist()


def with_grad(t: torch.Tensor) -> torch.Tensor:
    t.grad = torch.ones(2)
    return t


def test_versions_and_addresses_are_not_captured() -> None:
    t = torch.ones(2)
    compiled = torch.compile(lambda x: x * (1 + x._version), backend="eager")
    with pytest.warns(UserWarning, match="_version of a tensor of before"):
        assert compiled(t).tolist() == [1, 1]
    t.add_(0)
    assert compiled(t).tolist() == [2, 2]


def test_what_the_library_is_asked() -> None:
    try:
        answers(
            lambda x: x * 2 if torch.are_deterministic_algorithms_enabled() else x,
            lambda: torch.use_deterministic_algorithms(True),
        )
    finally:
        torch.use_deterministic_algorithms(False)


@pytest.mark.parametrize("make", [lambda: iter([1.0, 2.0, 3.0]), lambda: (float(i) for i in range(3))])
def test_iterators_that_are_used_up(make: Any) -> None:
    numbers = make()

    def fn(x: torch.Tensor) -> torch.Tensor:
        for number in numbers:
            return x * number
        return x + 10

    compiled = torch.compile(fn, backend="eager")
    with pytest.warns(UserWarning, match="may use up a"):
        found = [compiled(torch.ones(1)).item()]
    found += [compiled(torch.ones(1)).item() for _ in range(3)]
    expected = [*make(), 11.0]
    assert found == expected


def test_iterators_of_its_own_are_captured() -> None:
    @torch.compile(backend="eager", fullgraph=True)
    def fn(x: torch.Tensor) -> torch.Tensor:
        return x * next(iter([3.0])) + next(reversed([x, x + 1]))

    assert fn(torch.ones(1)).item() == 5
    assert len(fn.compiled.programs) == 1


def test_results_kept_by_tensors() -> None:
    @functools.cache
    def more(x: torch.Tensor) -> torch.Tensor:
        return x + 1

    @functools.cache
    def number(n: int) -> float:
        return n * 2.0

    compiled = torch.compile(lambda x: more(x) * 2, backend="eager")
    x, y = torch.ones(1), torch.zeros(1)
    more(x)
    with pytest.warns(UserWarning, match=r"results of more\(\) are kept by tensors"):
        assert compiled(x).item() == 4
    assert compiled(y).item() == 2
    of_numbers = torch.compile(lambda x: x * number(3), backend="eager", fullgraph=True)
    assert of_numbers(x).item() == of_numbers(x).item() == 6


def test_tensors_that_hooks_read() -> None:
    scale = torch.tensor(3.0)

    @torch.compile(backend="eager", fullgraph=True)
    def fn(x: torch.Tensor) -> torch.Tensor:
        y = x * 2
        y.register_hook(lambda g: g * scale)
        return y.sum()

    for factor in (3.0, 7.0):
        scale.fill_(factor)
        x = torch.ones(2, requires_grad=True)
        fn(x).backward()
        assert x.grad is not None
        assert x.grad.tolist() == [2 * factor] * 2


@pytest.mark.parametrize("backend", ["eager", "numpy"])
def test_tensors_for_numbers(backend: str) -> None:
    compiled = torch.compile(lambda x, s: x.addcmul(x, x, value=s), backend=backend, fullgraph=True)
    for number in (0.5, 0.5, 4.0):
        assert compiled(torch.ones(2), torch.tensor(number)).tolist() == [1 + number] * 2


def test_modules_that_are_made_inside() -> None:
    @torch.compile(backend="eager", fullgraph=True)
    def fn(x: torch.Tensor) -> torch.Tensor:
        return nn.Softmax(dim=-1)(x)

    assert fn(torch.zeros(2)).tolist() == [0.5, 0.5]


def test_settings_around_a_class_of_tests() -> None:
    config: Any = _dynamo.config

    @config.patch(recompile_limit=3)
    class Tests(unittest.TestCase):
        def test(self) -> None:
            self.assertEqual(config.recompile_limit, 3)

    before = config.recompile_limit
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Tests).run(result)
    assert result.testsRun == 1
    assert result.wasSuccessful()
    assert config.recompile_limit == before


class Holder:
    def __init__(self, value: Any) -> None:
        self.value = value


@pytest.mark.parametrize(
    ("make", "look"),
    [(lambda x: Holder(x + 1), lambda found: found.value), (lambda x: lambda: x + 1, lambda found: found())],
    ids=["object", "closure"],
)
def test_results_that_hold_tensors_are_new_in_each_call(make: Any, look: Any) -> None:
    compiled = torch.compile(make, backend="eager")
    with pytest.warns(UserWarning, match="a result of type"):
        assert look(compiled(torch.ones(1))).item() == 2
    assert look(compiled(torch.zeros(1))).item() == 1


def test_objects_that_are_given_are_given_back() -> None:
    given = Holder(1)
    compiled = torch.compile(lambda x, o: (x + 1, o, Holder), backend="eager", fullgraph=True)
    for _ in range(2):
        _, o, cls = compiled(torch.ones(1), given)
        assert o is given
        assert cls is Holder


@pytest.mark.parametrize("dynamic", [False, True])
def test_sizes_are_sizes(dynamic: bool) -> None:
    compiled = torch.compile(lambda x: (x.size(), x.size() + x.shape), backend="eager", dynamic=dynamic)
    for rows in (2, 5, 7):
        found = compiled(torch.ones(rows, 3))
        assert found == ((rows, 3), (rows, 3, rows, 3))
        assert [type(each) for each in found] == [torch.Size, torch.Size]


def test_lists_of_one_element() -> None:
    compiled = torch.compile(lambda x: x.tolist(), backend="eager")
    for given in (3, [4], [[5]]):
        assert compiled(torch.tensor(given)) == given


def test_dicts_by_tensors() -> None:
    compiled = torch.compile(lambda d: [v * 2 for v in d.values()], backend="eager")
    d = {torch.ones(2): torch.ones(1), torch.ones(3): torch.zeros(1)}
    assert [v.item() for v in compiled(d)] == [v.item() for v in compiled(d)] == [2, 0]
    assert [v.item() for v in compiled(dict(reversed(d.items())))] == [0, 2]


def test_objects_that_answer_for_any_attribute() -> None:
    class Odd:
        def __getattr__(self, name: str) -> Any:
            return {"scale": 3.0}[name]

    odd = Odd()
    answers(lambda x: x * odd.scale)


def test_names_that_a_function_sets_first() -> None:
    namespace: dict[str, Any] = {}
    exec("def keep(x):\n    global kept\n    kept = x + 1\n    return x * 2", namespace)
    compiled = torch.compile(namespace["keep"], backend="eager")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for value in (1.0, 5.0):
            compiled(torch.tensor(value))
            assert namespace["kept"].item() == value + 1


def test_a_variable_around_that_a_function_sets_first() -> None:
    text = "def around():\n    def keep(x):\n        nonlocal kept\n        kept = x + 1\n        return x * 2\n"
    namespace: dict[str, Any] = {}
    exec(f"{text}    def get():\n        return kept\n    return keep, get\n    kept = None", namespace)
    keep, get = namespace["around"]()
    compiled = torch.compile(keep, backend="eager")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for value in (1.0, 5.0):
            compiled(torch.tensor(value))
            assert get().item() == value + 1


def test_attributes_are_not_taken_for_globals() -> None:
    namespace: dict[str, Any] = {"scale": 1.0}
    exec("def times(x, given):\n    return x * given.scale", namespace)
    compiled, thing = torch.compile(namespace["times"], backend="eager"), Base()
    with _dynamo.config.patch(error_on_recompile=True):
        for namespace["scale"] in (1.0, 2.0, 3.0):
            assert compiled(torch.ones(2), thing).tolist() == [Base.scale] * 2


def test_a_table_that_is_filled_once_is_read_from_then_on() -> None:
    kept: dict[str, float] = {}
    fast = torch.compile(lambda x: x * kept.setdefault("scale", 2.0), backend="eager")
    for _ in range(3):
        assert fast(torch.ones(2)).tolist() == [2, 2]
    assert len(fast.compiled.programs) == 1 and not fast.compiled.is_eager
    kept["scale"] = 3.0
    assert fast(torch.ones(2)).tolist() == [3, 3]
