"""Each kind of thing that a function can read is changed between calls: the next call sees it."""

from __future__ import annotations

import array
import collections
import contextvars
import ctypes
import functools
import math
import operator
import sys
import types
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import facula as torch
from facula import nn
from facula.nn import functional as F

Case = tuple[Callable[..., Any], Callable[[], Any]]
"""A function of a tensor, and a change."""
CASES: dict[str, Callable[[], Case]] = {}


def case(make: Callable[[], Case]) -> Callable[[], Case]:
    CASES[make.__name__] = make
    return make


@case
def a_module_imported_inside() -> Case:
    sys.modules["imported_inside"] = module = types.ModuleType("imported_inside")
    module.scale = 2.0  # type: ignore[attr-defined]

    def fn(x: Any) -> Any:
        import imported_inside  # type: ignore[import-not-found]

        return x * imported_inside.scale

    return fn, lambda: setattr(module, "scale", 5.0)


@case
def a_name_imported_inside() -> Case:
    sys.modules["imported_inside"] = module = types.ModuleType("imported_inside")
    module.scale = 2.0  # type: ignore[attr-defined]

    def fn(x: Any) -> Any:
        from imported_inside import scale

        return x * scale

    return fn, lambda: setattr(module, "scale", 5.0)


@case
def an_attribute_that_a_subclass_hides() -> Case:
    class Base:
        scale = 2.0

    class Derived(Base):
        pass

    thing = Derived()
    return lambda x: x * thing.scale, lambda: setattr(Derived, "scale", 5.0)


@case
def a_method_of_a_class() -> Case:
    class Thing:
        def scaled(self, x: Any) -> Any:
            return x * 2

    thing = Thing()
    return lambda x: thing.scaled(x), lambda: setattr(Thing, "scaled", lambda self, x: x * 5)


@case
def the_forward_of_a_class_of_modules() -> Case:
    class Scale(nn.Module):
        def forward(self, x: Any) -> Any:
            return x * 2

    module = Scale()
    return lambda x: module(x), lambda: setattr(Scale, "forward", lambda self, x: x * 5)


@case
def a_descriptor() -> Case:
    class Described:
        def __init__(self) -> None:
            self.value = 2.0

        def __get__(self, instance: Any, owner: Any) -> float:
            return self.value

    described = Described()

    class Thing:
        scale = described

    thing = Thing()
    return lambda x: x * thing.scale, lambda: setattr(described, "value", 5.0)


@case
def a_property_of_a_metaclass() -> Case:
    class Meta(type):
        @property
        def scale(cls) -> float:
            return cls._scale  # type: ignore[attr-defined]

    class Thing(metaclass=Meta):
        _scale = 2.0

    return lambda x: x * Thing.scale, lambda: setattr(Thing, "_scale", 5.0)


@case
def lists_in_lists() -> Case:
    outermost: list[Any] = []
    inner = outermost
    for _ in range(12):
        inner.append([])
        inner = inner[0]
    inner.append(2.0)

    def fn(x: Any) -> Any:
        found = outermost
        for _ in range(12):
            found = found[0]
        return x * found[0]

    return fn, lambda: inner.__setitem__(0, 5.0)


@case
def a_long_list() -> Case:
    values = [1.0] * 1500
    return lambda x: x * values[1400], lambda: values.__setitem__(1400, 5.0)


@case
def a_long_dict() -> Case:
    values = dict.fromkeys(range(1500), 1.0)
    return lambda x: x * values[1400], lambda: values.__setitem__(1400, 5.0)


@case
def a_list_in_a_long_tuple() -> Case:
    values = tuple([[1.0] for _ in range(1500)])
    return lambda x: x * values[1400][0], lambda: values[1400].__setitem__(0, 5.0)


@case
def a_generator_of_numpys() -> Case:
    generator = [np.random.default_rng(0)]
    return lambda x: x * generator[0].random(), lambda: generator.__setitem__(0, np.random.default_rng(1))


@case
def an_attribute_by_attrgetter() -> Case:
    thing, get = types.SimpleNamespace(hidden=2.0), operator.attrgetter("hidden")
    return lambda x: x * get(thing), lambda: setattr(thing, "hidden", 5.0)


@case
def an_attribute_whose_name_is_computed() -> Case:
    thing = types.SimpleNamespace(w1=2.0, w2=3.0)
    return lambda x: x * getattr(thing, f"w{len([1, 2])}"), lambda: setattr(thing, "w2", 5.0)


@case
def all_attributes() -> Case:
    thing = types.SimpleNamespace(hidden=2.0)
    return lambda x: x * sum(thing.__dict__.values()), lambda: setattr(thing, "hidden", 5.0)


@case
def a_weak_reference() -> Case:
    class Thing:
        scale = 1.0

    thing = Thing()
    reference = weakref.ref(thing)

    def fn(x: Any) -> Any:
        found = reference()
        return x * (0 if found is None else found.scale)

    return fn, lambda: setattr(thing, "scale", 5.0)


@case
def a_dict_behind_a_proxy() -> Case:
    values = {"scale": 2.0}
    proxy = types.MappingProxyType(values)
    return lambda x: x * proxy["scale"], lambda: values.__setitem__("scale", 5.0)


@case
def a_chain_of_dicts() -> Case:
    values = {"scale": 2.0}
    chain = collections.ChainMap({}, values)
    return lambda x: x * chain["scale"], lambda: values.__setitem__("scale", 5.0)


@case
def a_dict_of_a_users() -> Case:
    values = collections.UserDict(scale=2.0)
    return lambda x: x * values["scale"], lambda: values.__setitem__("scale", 5.0)


@case
def a_method_of_a_dict() -> Case:
    values = {"scale": 2.0}
    get = values.get
    return lambda x: x * get("scale"), lambda: values.__setitem__("scale", 5.0)


@case
def an_array_of_pythons() -> Case:
    values = array.array("f", [2.0])
    return lambda x: x * values[0], lambda: values.__setitem__(0, 5.0)


@case
def memory_seen_by_a_view() -> Case:
    memory = bytearray(b"\x02")
    view = memoryview(memory)
    return lambda x: x * view[0], lambda: memory.__setitem__(0, 5)


@case
def a_number_of_cs() -> Case:
    number = ctypes.c_float(2.0)
    return lambda x: x * number.value, lambda: setattr(number, "value", 5.0)


@case
def a_context_variable() -> Case:
    variable = contextvars.ContextVar("variable", default=2.0)
    return lambda x: x * variable.get(), lambda: variable.set(5.0)


@case
def an_attribute_of_a_tensor() -> Case:
    t: Any = torch.ones(2)
    t.tag = 2.0
    return lambda x: x * t.tag, lambda: setattr(t, "tag", 5.0)


@case
def the_sign_of_zero() -> Case:
    values = [0.0]
    return lambda x: x * values[0], lambda: values.__setitem__(0, -0.0)


@case
def the_sign_of_zero_in_a_tuple() -> Case:
    values = [(0.0,)]
    return lambda x: x * values[0][0], lambda: values.__setitem__(0, (-0.0,))


@case
def the_sign_of_zero_in_a_tensor() -> Case:
    t = torch.tensor(0.0)
    return lambda x: x * t.item(), lambda: t.fill_(-0.0)


@case
def attributes_of_numbers() -> Case:
    class Number(int):
        pass

    number: Any = Number(3)
    number.scale = 2.0
    return lambda x: x * number.scale, lambda: setattr(number, "scale", 5.0)


@case
def what_a_hook_reads() -> Case:
    module, settings = nn.Identity(), types.SimpleNamespace(scale=2.0)
    module.register_forward_hook(lambda module, args, out: out * settings.scale)
    return lambda x: module(x), lambda: setattr(settings, "scale", 5.0)


@case
def what_distributions_hold() -> Case:
    normal = torch.distributions.Normal(torch.zeros(2), torch.ones(2))
    return lambda x: normal.log_prob(x), lambda: setattr(normal, "loc", torch.ones(2))


@case
def questions_about_backends() -> Case:
    enabled = torch.backends.cuda.flash_sdp_enabled()
    change = functools.partial(torch.backends.cuda.enable_flash_sdp, not enabled)
    return lambda x: x * (1 + torch.backends.cuda.flash_sdp_enabled()), change


@pytest.mark.parametrize("backend", ["eager", "numpy"])
@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore:compile")
def test_what_is_changed_is_seen(name: str, backend: str) -> None:
    sdp = torch.backends.cuda.flash_sdp_enabled()
    try:
        expected = answers(*CASES[name]())
        torch.backends.cuda.enable_flash_sdp(sdp)
        fn, change = CASES[name]()
        assert answers(torch.compile(fn, backend=backend), change) == expected
    finally:
        torch.backends.cuda.enable_flash_sdp(sdp)


def answers(fn: Callable[..., Any], change: Callable[[], Any]) -> list[Any]:
    """Those of some calls, with a change in between; signs of zero count."""
    found = []
    for n in range(4):
        if n == 2:
            change()
        result = fn(torch.arange(1.0, 3.0))
        found.append((result.tolist(), result.signbit().tolist()))
    return found


def test_functions_of_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    fast = torch.compile(lambda x: F.relu(torch.tanh(x)) * math.pi, backend="numpy")
    assert fast(torch.zeros(1)).item() == 0
    monkeypatch.setattr(torch, "tanh", lambda x: x + 1)
    assert fast(torch.zeros(1)).item() == torch.tensor([math.pi]).item()
    monkeypatch.setattr(F, "relu", lambda x: x * 0)
    assert fast(torch.zeros(1)).item() == 0
    monkeypatch.setattr(math, "pi", 3.0)
    monkeypatch.undo()
    assert fast(torch.ones(1)).item() == (torch.tanh(torch.ones(1)) * math.pi).item()


def test_the_sign_of_an_argument_that_is_zero() -> None:
    fast = torch.compile(lambda x, y: x * y, backend="numpy", dynamic=False)
    for number in (0.0, -0.0, 0.0, complex(0, 0.0), complex(0, -0.0)):
        found, expected = fast(torch.ones(1), number), torch.ones(1) * number
        assert str(found) == str(expected)


@pytest.mark.filterwarnings("ignore:compile")
def test_anomalies_are_found_in_calls_that_have_a_program() -> None:
    fast = torch.compile(lambda x: x.sqrt().sum(), backend="numpy")
    x = torch.zeros(1, requires_grad=True)
    fast(x)
    with torch.autograd.set_detect_anomaly(True), pytest.raises(RuntimeError, match="returned nan values"):
        (fast(x) * 0).backward()


@pytest.mark.filterwarnings("ignore:compile")
def test_a_scaler_of_gradients() -> None:
    def steps(compiles: bool) -> list[float]:
        torch.manual_seed(0)
        model = nn.Linear(2, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        scaler = torch.amp.GradScaler("cpu", init_scale=4.0, growth_interval=2)

        def step(x: torch.Tensor) -> torch.Tensor:
            optimizer.zero_grad()
            loss = model(x).square().sum()
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            return loss

        run = torch.compile(step, backend="numpy") if compiles else step
        return [value for _ in range(6) for value in (run(torch.ones(2)).item(), scaler.get_scale())]

    np.testing.assert_allclose(steps(True), steps(False), rtol=1e-6)


def test_empty_tensors_are_written_to() -> None:
    fast = torch.compile(lambda x: x.bitwise_not_(), backend="c")
    for _ in range(2):
        assert fast(torch.zeros(1, 0, dtype=torch.int16)).shape == (1, 0)
