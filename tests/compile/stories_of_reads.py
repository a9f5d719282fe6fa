"""Stories about what functions read: closures, globals, classes, objects, arguments."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import enum
import functools
import itertools
import threading
import types
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import facula as torch
from facula.nn import functional as F

from .stories import attempted, story

Compiled = Callable[..., Any]
SCALE: Any = 2.0


def x2() -> Any:
    return torch.tensor([-1.0, 2.0])


@contextlib.contextmanager
def replaced(holder: Any, name: str, value: Any) -> Iterator[None]:
    """An attribute that is another one for a while."""
    before = getattr(holder, name)
    setattr(holder, name, value)
    try:
        yield
    finally:
        setattr(holder, name, before)


@story
def closures_that_are_set_again(compiled: Compiled, note: Compiled) -> None:
    scale: Any = 2.0

    def fn(x: Any) -> Any:
        return x * scale

    fast = compiled(fn)
    for each in (2.0, 3, True, torch.tensor(4.0), 2.0, None):
        scale = each
        note(attempted(fast, x2()))


@story
def globals_that_are_set_again(compiled: Compiled, note: Compiled) -> None:
    global SCALE
    fast = compiled(lambda x: x * SCALE if SCALE else x)
    for each in (2.0, 0.0, -0.0, 3.0, 2, torch.tensor([1.0, 5.0]), 2.0):
        SCALE = each
        note(attempted(fast, x2()))
    SCALE = 2.0


@story
def defaults_that_are_replaced(compiled: Compiled, note: Compiled) -> None:
    def fn(x: Any, by: Any = 2.0, *, plus: Any = 1.0) -> Any:
        return x * by + plus

    fast = compiled(fn)
    note(fast(x2()))
    fn.__defaults__ = (3.0,)
    note(fast(x2()))
    fn.__kwdefaults__ = {"plus": 5.0}
    note(fast(x2()), fast(x2(), plus=6.0), fast(x2(), 7.0))
    fn.__kwdefaults__["plus"] = 8.0
    note(fast(x2()))


@story
def defaults_that_are_changed(compiled: Compiled, note: Compiled) -> None:
    def fn(x: Any, factors: Any = [2.0, 3.0]) -> Any:  # noqa: B006
        return x * sum(factors)

    fast = compiled(fn)
    note(fast(x2()))
    fn.__defaults__[0].append(4.0)  # type: ignore[index]
    note(fast(x2()), fast(x2(), [1.0]))


@story
def code_that_is_replaced(compiled: Compiled, note: Compiled) -> None:
    def inner(x: Any) -> Any:
        return x * 2

    def other(x: Any) -> Any:
        return x * 3

    fast = compiled(lambda x: inner(x) + 1)
    note(fast(x2()))
    inner.__code__ = other.__code__
    note(fast(x2()))


@story
def attributes_of_classes_in_a_chain(compiled: Compiled, note: Compiled) -> None:
    class Base:
        factor = 2.0

    class Middle(Base):
        pass

    class Last(Middle):
        pass

    thing = Last()
    fast = compiled(lambda x: x * thing.factor)
    note(fast(x2()))
    Base.factor = 3.0
    note(fast(x2()))
    Middle.factor = 4.0
    note(fast(x2()))
    Last.factor = 5.0
    note(fast(x2()))
    thing.factor = 6.0
    note(fast(x2()))
    del thing.factor, Last.factor
    note(fast(x2()))


@story
def properties_and_descriptors(compiled: Compiled, note: Compiled) -> None:
    class Stored:
        def __get__(self, thing: Any, kind: Any = None) -> Any:
            return thing.kept * 2

    class Thing:
        stored = Stored()

        def __init__(self) -> None:
            self.kept = 2.0

        @property
        def twice(self) -> float:
            return self.kept * 2

    thing = Thing()
    fast = compiled(lambda x: x * thing.twice + thing.stored)
    note(fast(x2()))
    thing.kept = 3.0
    note(fast(x2()))
    Thing.twice = property(lambda self: 10.0)  # type: ignore[assignment, method-assign]
    note(fast(x2()))
    Stored.__get__ = lambda self, thing, kind=None: 0.5  # type: ignore[method-assign]
    note(fast(x2()))


@story
def attributes_that_are_made_up(compiled: Compiled, note: Compiled) -> None:
    class Thing:
        def __init__(self) -> None:
            self.table = {"a": 2.0}

        def __getattr__(self, name: str) -> Any:
            try:
                return self.__dict__["table"][name]
            except KeyError:
                raise AttributeError(name) from None

    thing: Any = Thing()
    fast = compiled(lambda x: x * thing.a + getattr(thing, "b", 0.0))
    note(fast(x2()))
    thing.table["a"] = 3.0
    note(fast(x2()))
    thing.table["b"] = 4.0
    note(fast(x2()))
    thing.b = 7.0
    note(fast(x2()))


@story
def every_attribute_is_asked(compiled: Compiled, note: Compiled) -> None:
    class Thing:
        scale = 2.0

        def __getattribute__(self, name: str) -> Any:
            found = object.__getattribute__(self, name)
            return found * 2 if name == "scale" else found

    thing = Thing()
    fast = compiled(lambda x: x * thing.scale)
    note(fast(x2()))
    thing.scale = 3.0
    note(fast(x2()))


@dataclasses.dataclass
class Settings:
    scale: float = 2.0
    shift: Any = None
    names: list[str] = dataclasses.field(default_factory=list)


@story
def dataclasses_of_others(compiled: Compiled, note: Compiled) -> None:
    settings = Settings()
    fast = compiled(lambda x: x * settings.scale + (0 if settings.shift is None else settings.shift))
    given = compiled(lambda x, s: x * s.scale + len(s.names))
    for change in (
        lambda: None, lambda: setattr(settings, "scale", 3.0), lambda: setattr(settings, "shift", torch.ones(2)),
        lambda: settings.names.append("a"), lambda: settings.shift.mul_(4),
    ):  # fmt: skip
        change()
        note(fast(x2()), given(x2(), settings), given(x2(), Settings(5.0)), given(x2(), dataclasses.replace(settings)))


class Pair(NamedTuple):
    a: Any
    b: Any


@story
def named_tuples_that_are_given_and_returned(compiled: Compiled, note: Compiled) -> None:
    fast = compiled(lambda pair: Pair(pair.a * 2, pair.b + 1))
    for pair in (Pair(x2(), 1), Pair(x2(), 2.0), Pair(x2(), x2()), Pair(x2(), 3)):
        found = fast(pair)
        note(type(found).__name__, found.a, found.b)


class Mode(enum.Enum):
    TWICE = 2.0
    THRICE = 3.0


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 10


@story
def enumerations(compiled: Compiled, note: Compiled) -> None:
    fast = compiled(lambda x, mode, level: x * mode.value + level if mode is Mode.TWICE else x * level)
    for mode, level in itertools.product(Mode, (*Level, 10)):
        note(fast(x2(), mode, level))


@story
def numbers_that_look_alike(compiled: Compiled, note: Compiled) -> None:
    fast = compiled(lambda x, n: (x * n, torch.full((2,), n)))
    for n in (1, 1.0, True, 0, 0.0, -0.0, False, float("nan"), float("inf"), 2**40, 1):
        note(fast(x2(), n))


@story
def dicts_and_lists_inside_each_other(compiled: Compiled, note: Compiled) -> None:
    tree: dict[str, Any] = {"a": [1.0, {"b": 2.0}], "c": (torch.ones(2), 3)}
    fast = compiled(lambda x: x * tree["a"][0] + tree["a"][1]["b"] * tree["c"][0] + tree["c"][1])
    note(fast(x2()))
    tree["a"][1]["b"] = 5.0
    note(fast(x2()))
    tree["c"][0].add_(1)
    note(fast(x2()))
    tree["c"] = (torch.zeros(2), 4)
    note(fast(x2()))
    tree["a"].insert(0, 9.0)
    note(attempted(fast, x2()))


@story
def other_kinds_of_dicts(compiled: Compiled, note: Compiled) -> None:
    counts: Any = collections.Counter(a=2)
    missing: Any = collections.defaultdict(lambda: 4.0, b=3.0)
    chain = collections.ChainMap({"c": 1.0}, {"d": 2.0})
    fast = compiled(lambda x: x * counts["a"] + counts["z"] + missing["b"] + chain["d"])
    note(fast(x2()))
    counts["a"] += 1
    counts["z"] = 2
    note(fast(x2()))
    missing["b"] = 5.0
    chain.maps.insert(0, {"d": 7.0})
    note(fast(x2()))


@story
def partials_and_wrappers(compiled: Compiled, note: Compiled) -> None:
    by = [2.0]

    def scaled(x: Any, *factors: Any, plus: float = 0.0) -> Any:
        for each in (*factors, *by):
            x = x * each
        return x + plus

    @functools.wraps(scaled)
    def around(*args: Any, **kwargs: Any) -> Any:
        return scaled(*args, **kwargs) * 2

    part = functools.partial(scaled, plus=1.0)
    fast, wrapped = compiled(part), compiled(around)
    note(fast(x2()), wrapped(x2(), 3.0))
    by.append(5.0)
    note(fast(x2()), wrapped(x2(), 3.0), wrapped(x2(), 3.0, 4.0))
    part.keywords["plus"] = 2.0
    note(fast(x2()), fast(x2(), plus=3.0))


@story
def bound_methods_of_two_objects(compiled: Compiled, note: Compiled) -> None:
    class Thing:
        def __init__(self, scale: float) -> None:
            self.scale = scale

        def times(self, x: Any) -> Any:
            return x * self.scale

        def __call__(self, x: Any) -> Any:
            return self.times(x) + 1

    one, two = Thing(2.0), Thing(3.0)
    fast, first, called = compiled(lambda x, fn: fn(x)), compiled(one.times), compiled(two)
    note(fast(x2(), one.times), fast(x2(), two.times), first(x2()), called(x2()))
    one.scale = two.scale = 4.0
    note(fast(x2(), one.times), fast(x2(), two.times), first(x2()), called(x2()))
    one.times = lambda x: x  # type: ignore[method-assign]
    note(fast(x2(), one.times), first(x2()))


@story
def methods_of_tensors_that_are_replaced(compiled: Compiled, note: Compiled) -> None:
    def fn(x: Any) -> Any:
        return x.relu() + torch.sigmoid(x) * F.gelu(x) - abs(x)

    fast = compiled(fn)
    note(fast(x2()))
    for holder, name in ((torch.Tensor, "relu"), (torch, "sigmoid"), (F, "gelu"), (torch.Tensor, "__abs__"),
                         (torch.Tensor, "__sub__")):  # fmt: skip
        with replaced(holder, name, lambda x, *others: x * 7):
            note(fast(x2()))
        note(fast(x2()))


@story
def methods_of_modules_that_are_replaced(compiled: Compiled, note: Compiled) -> None:
    nn = torch.nn
    module = nn.Sequential(nn.ReLU(), nn.Tanh())
    fast = compiled(module)
    note(fast(x2()))
    with replaced(nn.ReLU, "forward", lambda self, x: x * 3):
        note(fast(x2()))
    with replaced(F, "relu", lambda x, *others, **named: x * 5):
        note(fast(x2()))
    with replaced(nn.Module, "__call__", lambda self, x: x * 9):
        note(fast(x2()))
    module[0].forward = lambda x: x * 11
    note(fast(x2()))


@story
def iterators_that_are_given(compiled: Compiled, note: Compiled) -> None:
    fast = compiled(lambda xs: sum(x * 2 for x in xs))
    for _ in range(2):
        note(fast(iter([x2(), x2()])), fast(x for x in (x2(), x2(), x2())), fast([x2()]), fast((x2(), x2())))
        note(fast({"a": x2()}.values()), fast(map(torch.neg, [x2()])), fast(range(3)))
    shared = itertools.count(1)
    counting = compiled(lambda x: x * next(shared))
    note(counting(x2()), counting(x2()), counting(x2()))


@story
def generators_of_values(compiled: Compiled, note: Compiled) -> None:
    parts = [1.0, 2.0]

    def produce(x: Any) -> Iterator[Any]:
        for each in parts:
            yield x * each

    fast = compiled(lambda x: sum(produce(x)))
    note(fast(x2()))
    parts.append(3.0)
    note(fast(x2()))
    lazily = compiled(produce)
    note(list(lazily(x2())), list(lazily(x2())))


@story
def any_number_of_arguments(compiled: Compiled, note: Compiled) -> None:
    def fn(*args: Any, **kwargs: Any) -> Any:
        return sum(args) * len(args) + sum(value * (i + 1) for i, value in enumerate(kwargs.values()))

    fast = compiled(fn)
    a, b = x2(), torch.ones(2)
    note(fast(a), fast(a, b), fast(a, b, 2), fast(a, p=b, q=a), fast(a, q=a, p=b), fast(a, a), fast(a, b, p=3.0))


@story
def arguments_by_name_and_by_place(compiled: Compiled, note: Compiled) -> None:
    def fn(x: Any, /, y: Any, *, z: Any = 3.0) -> Any:
        return x - y * z

    fast = compiled(fn)
    a, b = x2(), torch.ones(2)
    note(fast(a, b), fast(a, y=b), fast(b, a), fast(a, b, z=a), fast(a, z=2.0, y=b))
    note(attempted(fast, a), attempted(lambda: fast(x=a, y=b)), attempted(lambda: fast(a, b, b)))


@story
def caches_of_results(compiled: Compiled, note: Compiled) -> None:
    by = [2.0]

    @functools.cache
    def factor(n: int) -> float:
        return by[0] * n

    known: dict[str, Any] = {}

    def fn(x: Any) -> Any:
        if "mask" not in known:
            known["mask"] = torch.tensor([1.0, 0.0])
        return x * factor(2) * known["mask"]

    fast = compiled(fn)
    note(fast(x2()))
    by[0] = 3.0
    note(fast(x2()))
    known["mask"] = torch.ones(2)
    note(fast(x2()))
    factor.cache_clear()
    note(fast(x2()))
    known.clear()
    note(fast(x2()))


@story
def classes_that_are_exchanged(compiled: Compiled, note: Compiled) -> None:
    class Two:
        def times(self, x: Any) -> Any:
            return x * 2

    class Three:
        def times(self, x: Any) -> Any:
            return x * 3

    thing: Any = Two()
    fast = compiled(lambda x: thing.times(x))
    note(fast(x2()))
    thing.__class__ = Three
    note(fast(x2()))
    Three.times = types.FunctionType(Two.times.__code__, {})  # type: ignore[method-assign]
    note(fast(x2()))


@story
def bases_that_are_exchanged(compiled: Compiled, note: Compiled) -> None:
    class Two:
        scale = 2.0

    class Three:
        scale = 3.0

    class Own(Two):
        pass

    thing = Own()
    fast = compiled(lambda x: x * thing.scale)
    note(fast(x2()))
    Own.__bases__ = (Three,)
    note(fast(x2()))


@story
def slots_and_class_methods(compiled: Compiled, note: Compiled) -> None:
    class Slotted:
        __slots__ = ("kept",)
        shared = 1.0

        @classmethod
        def of_class(cls) -> float:
            return cls.shared

        @staticmethod
        def of_none(x: Any) -> Any:
            return x * 2

    thing: Any = Slotted()
    thing.kept = 2.0
    fast = compiled(lambda x: thing.of_none(x) * thing.kept + thing.of_class())
    note(fast(x2()))
    thing.kept = 3.0
    note(fast(x2()))
    Slotted.shared = 4.0
    note(fast(x2()))
    Slotted.of_none = staticmethod(lambda x: x * 5)  # type: ignore[method-assign]
    note(fast(x2()))


@story
def threads_that_call_at_once(compiled: Compiled, note: Compiled) -> None:
    weight = torch.tensor([1.0, 2.0], requires_grad=True)
    fast = compiled(lambda x, n: (x * weight).sum() * n)
    found: dict[int, Any] = {}

    def work(n: int) -> None:
        for _ in range(5):
            with torch.set_grad_enabled(n % 2 == 0):
                found[n] = fast(torch.full((2,), float(n)), n)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    note([found[n] for n in range(6)])
    for n in range(0, 6, 2):
        found[n].backward()
    note(weight)


@story
def errors_in_the_middle(compiled: Compiled, note: Compiled) -> None:
    kept = torch.zeros(2)

    def fn(x: Any, fails: bool) -> Any:
        kept.add_(x)
        y = x * 2
        if fails:
            raise ValueError("in the middle")
        x.mul_(3)
        return y @ x

    fast = compiled(fn)
    for fails in (False, True, False, True, True, False):
        x = x2()
        note(attempted(fast, x, fails), x, kept)
    note(attempted(fast, torch.ones(3), False), kept)
    note(attempted(fast, x2(), False), kept)


@story
def errors_that_are_caught_inside(compiled: Compiled, note: Compiled) -> None:
    def fn(x: Any, other: Any) -> Any:
        try:
            return x @ other
        except RuntimeError:
            return x.sum() * other.sum()
        finally:
            x.add_(1)

    fast = compiled(fn)
    for other in (torch.ones(2), torch.ones(3), torch.ones(2), torch.ones(3)):
        x = x2()
        note(fast(x, other), x)


@story
def compiled_functions_inside_each_other(compiled: Compiled, note: Compiled) -> None:
    by = [2.0]
    inner = compiled(lambda x: x * by[0])
    outer = compiled(lambda x: inner(x) + inner(x * 2))
    outermost = compiled(lambda x: outer(x).sum())
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    for each in (2.0, 3.0, 2.0):
        by[0] = each
        outermost(x).backward()
        note(inner(x), outer(x), outermost(x), x)
