"""Stories about what programs are made of: containers, classes, closures, errors."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import enum
import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import facula as torch
from facula import nn

from .stories import attempted, story

Compiled = Callable[..., Any]
F = nn.functional


def x23() -> Any:
    return torch.arange(6.0).reshape(2, 3) / 4 - 0.5


def leaf(*shape: int) -> Any:
    return torch.randn(shape, requires_grad=True)


class Batch(NamedTuple):
    x: Any
    y: Any = None


@dataclasses.dataclass
class Settings:
    width: int = 2
    rate: float = 0.5
    names: tuple[str, ...] = ("a", "b")


class Kind(enum.Enum):
    SUM = "sum"
    MEAN = "mean"


@story
def named_tuples_dataclasses_and_enums(compiled: Compiled, note: Compiled) -> None:
    def fn(batch: Batch, settings: Settings, kind: Kind) -> Any:
        y = batch.x * settings.rate
        if batch.y is not None:
            y = y + batch.y
        y = y.sum() if kind is Kind.SUM else y.mean()
        return batch._replace(x=y, y={name: y * i for i, name in enumerate(settings.names)})

    fast, settings = compiled(fn), Settings()
    for change in (
        lambda: None, lambda: setattr(settings, "rate", 0.25), lambda: setattr(settings, "names", ("c",)), lambda: None,
    ):  # fmt: skip
        change()
        for kind in Kind:
            found = fast(Batch(x23()), settings, kind)
            note(type(found).__name__, found.x, found.y, fast(Batch(x23(), torch.ones(3)), settings, kind).x)


@story
def defaults_that_are_lists(compiled: Compiled, note: Compiled) -> None:
    def fn(x: Any, scales: list[float] = [1.0, 2.0]) -> Any:  # noqa: B006
        return sum(x * s for s in scales)

    fast, kept = compiled(fn), fn.__defaults__
    assert kept is not None
    note(fast(x23()))
    kept[0].append(3.0)
    note(fast(x23()), fast(x23(), [0.5]), fast(x23(), scales=(1.0,)))
    kept[0][0] = 5.0
    note(fast(x23()))


@story
def functions_by_name(compiled: Compiled, note: Compiled) -> None:
    known: dict[str, Any] = {"relu": F.relu, "square": torch.square}

    def fn(x: Any, names: tuple[str, ...]) -> Any:
        for name in names:
            x = known[name](x)
        return x

    fast = compiled(fn)
    for names in (("relu",), ("relu", "square"), ("square", "relu"), ()):
        note(fast(x23(), names))
    known["relu"] = torch.sigmoid
    note(fast(x23(), ("relu",)), attempted(fast, x23(), ("none",)))


@story
def methods_and_properties(compiled: Compiled, note: Compiled) -> None:
    class Scaler:
        by = 2.0

        def __init__(self, shift: float) -> None:
            self._shift = shift

        @property
        def shift(self) -> float:
            return self._shift * 10

        @staticmethod
        def rounded(x: Any) -> Any:
            return x.round(decimals=1)

        @classmethod
        def scaled(cls, x: Any) -> Any:
            return x * cls.by

        def __call__(self, x: Any) -> Any:
            return self.rounded(self.scaled(x)) + self.shift

    class Other(Scaler):
        by = 3.0

    for scaler in (Scaler(0.1), Other(0.2)):
        fast, method = compiled(scaler), compiled(scaler.scaled)
        note(fast(x23()), method(x23()))
        scaler._shift = 0.5
        note(fast(x23()))
        type(scaler).by = 4.0
        note(fast(x23()), method(x23()))


@story
def closures_that_share_a_variable(compiled: Compiled, note: Compiled) -> None:
    def make() -> Any:
        n = 1.0

        def more(by: float) -> None:
            nonlocal n
            n += by

        return compiled(lambda x: x * n), more

    (first, more), (second, _) = make(), make()
    for by in (0.0, 1.0, 0.0, 0.5):
        more(by)
        note(first(x23()), second(x23()))


@story
def decorators_around(compiled: Compiled, note: Compiled) -> None:
    calls = collections.Counter[str]()

    def counted(fn: Any) -> Any:
        @functools.wraps(fn)
        def call(*args: Any, **kwargs: Any) -> Any:
            calls[fn.__name__] += 1
            return fn(*args, **kwargs)

        return call

    @compiled
    @counted
    def inside(x: Any) -> Any:
        return x * 2

    @counted
    @compiled
    @torch.no_grad()
    def outside(x: Any) -> Any:
        return x * 3

    for _ in range(3):
        x = leaf(2)
        note(inside(x), outside(x), dict(calls))


@story
def context_managers_of_ones_own(compiled: Compiled, note: Compiled) -> None:
    depth = [0]

    @contextlib.contextmanager
    def deeper() -> Any:
        depth[0] += 1
        try:
            yield depth[0]
        finally:
            depth[0] -= 1

    def fn(x: Any) -> Any:
        with deeper() as n, torch.no_grad():
            y = x * n
        return y, depth[0]

    fast = compiled(fn)
    for depth[0] in (0, 0, 2):
        note(fast(leaf(2)))


@story
def exceptions_that_are_caught(compiled: Compiled, note: Compiled) -> None:
    def fn(x: Any, strict: bool) -> Any:
        try:
            if strict and (x < 0).any():
                raise ValueError("negative")
            return x.view(3, 2)
        except ValueError as error:
            if "again" in str(error):
                raise
            return x.abs()
        except RuntimeError:
            return x.flatten()

    fast = compiled(fn)
    y = x23()
    for x, strict in ((y, False), (y, True), (y.abs(), True), (torch.ones(5), False), (-torch.ones(2), True)):
        note(fast(x, strict))


@story
def comprehensions_and_generators(compiled: Compiled, note: Compiled) -> None:
    def fn(x: Any, n: int) -> Any:
        rows = [row * i for i, row in enumerate(x)]
        pairs = {i: a + b for i, (a, b) in enumerate(zip(rows, reversed(rows)))}
        total = functools.reduce(torch.add, (pairs[i] for i in sorted(pairs, reverse=True)))
        return total, [*map(torch.sum, rows)], max(pairs), any(i > n for i in pairs)

    fast = compiled(fn)
    for n in (0, 1, 5):
        note(fast(x23(), n), fast(torch.ones(3, 2), n))


@story
def strings_that_depend_on_shapes(compiled: Compiled, note: Compiled) -> None:
    fast = compiled(lambda x: (x * 2, f"{x.shape[0]}x{x.shape[1]} {x.dtype} {tuple(x.shape)}", len(x), x.dim()))
    for shape in ((2, 3), (2, 3), (4, 3), (5, 1), (4, 3)):
        note(fast(torch.ones(shape)))


@story
def arguments_in_any_order(compiled: Compiled, note: Compiled) -> None:
    def fn(x: Any, *rest: Any, scale: float = 1.0, bias: Any = None, **more: Any) -> Any:
        y = x * scale + sum(rest)
        y = y if bias is None else y + bias
        for name in sorted(more):
            y = y + more[name] * len(name)
        return y

    fast = compiled(fn)
    one = torch.ones(3)
    for args, named in (
        ((x23(),), {}), ((x23(), one), {}), ((x23(), one, 2.0), {}), ((x23(),), {"bias": one}),
        ((x23(),), {"bias": one, "scale": 3.0}), ((x23(),), {"b": one, "aa": 2.0}), ((x23(),), {"aa": 2.0, "b": one}),
    ):  # fmt: skip
        note(fast(*args, **named))


@story
def tables_that_are_filled_when_first_asked(compiled: Compiled, note: Compiled) -> None:
    kept: dict[str, Any] = {}

    def scale_of(name: str) -> float:
        if name not in kept:
            kept[name] = len(name) + 0.5
        return float(kept[name])

    fast = compiled(lambda x, name: x * scale_of(name))
    for name in ("a", "a", "bb", "a", "bb"):
        note(fast(x23(), name), dict(kept))
    kept["a"] = 7.0
    note(fast(x23(), "a"))
    kept.clear()
    note(fast(x23(), "a"), fast(x23(), "a"), kept)
