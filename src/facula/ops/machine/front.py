"""The front of a public function: calls whose arguments are plainly what they should be go straight on.

NOTE [plain arguments]: of every call the classes of its arguments are looked at, by a text that is compiled when it is
first called (``text``): a loop over arguments takes as long as a small kernel. An argument of another class than the
usual ones goes a slower way, where ``signatures`` tells whether PyTorch takes it, and what it says if not.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from ..._core import state
from ..._core.devices import device
from ..._core.dtypes import dtype
from ..._core.generator import Generator
from ..._core.layouts import layout, memory_format
from ..._core.size import Size
from ..._levels.needs_values import NeedsValues
from ..._tensor import Tensor
from ...autograd.saved import DIRECT
from .arguments import LARGEST, unscaled
from .forms import Form, Parameter, forms, known_name
from .handed import parameters, steps, wrong_handed
from .signatures import mistake
from .text import Text, compiled_when_called

_PLAIN: dict[str, tuple[type, ...]] = {
    "bool": (bool,), "int": (int,), "SymInt": (int,), "float": (float, int), "str": (str,),
    "Number": (float, int, bool, complex), "complex": (float, int, bool, complex),
    "ints": (tuple, list, Size), "floats": (tuple, list), "Numbers": (tuple, list), "Tensors": (tuple, list),
    "torch.dtype": (dtype, type), "torch.layout": (layout,), "torch.memory_format": (memory_format,),
    "torch.device": (device, str, int), "torch.Generator": (Generator,),
}  # fmt: skip
"""The usual classes of arguments of a kind."""

_NUMBERS = {"int", "SymInt", "float", "Number", "complex"}
"""Kinds for which a tensor without dimensions may be given."""


class Fronts:
    """Which classes the parameters of a function plainly take, as far as that is known: asked when first called."""

    def __init__(self, names: list[str], fn: Callable[..., Any], is_functional: bool = False) -> None:
        self.names = names
        """What PyTorch may call it: functions and methods first."""
        self.fn = fn
        self.is_functional = is_functional
        """Whether it is a function of ``nn.functional`` alone."""

    @cached_property
    def name(self) -> str:
        """What PyTorch calls it."""
        return known_name(*self.names)

    def handed(self, is_method: bool) -> str:
        """The name under which it is known what PyTorch does with the arguments; empty if it is a function of C++."""
        names = [*self.names, self.fn.__name__]
        if self.is_functional:
            names = [f"F.{n}" for n in names]
        if is_method:
            names = [*(f".{n}" for n in names), *names]
        return next((n for n in names if steps(n)), "")

    @cached_property
    def parameters(self) -> list[inspect.Parameter]:
        return list(inspect.signature(self.fn).parameters.values())

    @cached_property
    def known(self) -> list[Parameter]:
        """The parameters of PyTorch's forms; none if they may be others, as those of ``nn.functional``."""
        handed = {self.handed(False), self.handed(True)} - {""}
        if handed:
            return [p for name in sorted(handed) for p in parameters(name)]
        known = [p for form in self.forms for p in form.parameters]
        names = {"input", "self", "out", *(p.name for p in known)}
        own = [p for p in self.parameters[1:] if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
        return known if not self.is_functional or all(p.name in names for p in own) else []

    @cached_property
    def forms(self) -> tuple[Form, ...]:
        return forms(self.name, False) or forms(self.name, True)

    def mistake(self, args: tuple[Any, ...], kwargs: dict[str, Any], is_method: bool) -> Exception | None:
        """What PyTorch says of arguments that it does not take, if that is known."""
        name = self.handed(is_method)
        if name:
            try:
                bound = inspect.Signature(self.parameters).bind(*args, **kwargs)
            except TypeError as e:
                is_strange = is_method and "unexpected keyword" in str(e)
                return TypeError(f"Tensor.{name.lstrip('.')}() {e}") if is_strange else None
            bound.apply_defaults()
            return wrong_handed(name, bound.arguments)
        return mistake(self.name, args, kwargs, is_method) if self.known else None

    @cached_property
    def by_name(self) -> dict[str, Any]:
        """None where anything will do."""
        named = [p for p in self.parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
        return {p.name: _classes(p, self._meant(i, p.name)) for i, p in enumerate(named)}

    def _meant(self, i: int, name: str) -> list[Parameter]:
        """PyTorch's parameters for one of ours: of the same name, or at the same place where that has other names."""
        same = [k for k in self.known if k.name == name]
        return same or self._at(i)

    def _at(self, i: int) -> list[Parameter]:
        """PyTorch's parameters at a place, if it calls the same function."""
        if not self.known or self.handed(False) or self.is_functional:
            return []
        return [form.positional[i] for form in forms(self.name, False) if i < len(form.positional)]

    @cached_property
    def positional(self) -> list[Any]:
        return [self.by_name[p.name] for p in self.parameters if p.kind is p.POSITIONAL_OR_KEYWORD]

    @property
    def required(self) -> int:
        return sum(p.kind is p.POSITIONAL_OR_KEYWORD and p.default is p.empty for p in self.parameters)

    @property
    def is_open(self) -> bool:
        """Whether it takes any number of arguments."""
        return any(p.kind in (p.VAR_POSITIONAL, p.POSITIONAL_ONLY) for p in self.parameters)

    def fits(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Whether all arguments are plain."""
        for value, classes in zip(args, self.positional):
            if classes is not None and value.__class__ not in classes:
                return False
        for name, value in kwargs.items():
            classes = self.by_name.get(name)
            if classes is not None and value.__class__ not in classes:
                return False
        return True

    @cached_property
    def numbers(self) -> dict[str, tuple[bool, bool]]:
        """Parameters that are numbers in some of PyTorch's forms: whether integers, and whether never tensors."""
        found = {}
        for i, name in enumerate(self.by_name):
            meant = [*self._meant(i, name), *self._at(i)]
            kinds = {p.kind for p in meant}
            if kinds & _NUMBERS or any(p.size or p.or_number for p in meant):
                is_whole = not kinds & {"float", "Number", "complex", "Tensor"}
                found[name] = is_whole, kinds <= {*_NUMBERS, "str", "ints"}
        return found

    def widened(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
        """The arguments, with floats for integers beyond 64 bits where PyTorch takes floats; None if there are none."""
        places = [p.name for p in self.parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
        floats = {n for i, n in enumerate(places) if {p.kind for p in self._meant(i, n)} == {"float"}}
        named = {**dict(zip(places, args)), **kwargs}
        found = {n: float(named[n]) for n in floats if type(named.get(n)) is int and abs(named[n]) >= LARGEST}
        if not found:
            return None
        given = tuple(found.get(name, value) for name, value in zip(places, args)) + args[len(places) :]
        return given, {name: found.get(name, value) for name, value in kwargs.items()}

    def unwrapped(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments, with numbers in place of tensors and NumPy's scalars that stand for them."""
        if not any(isinstance(v, (Tensor, np.generic, np.ndarray)) for v in (*args[1:], *kwargs.values())):
            return args, kwargs
        places = [p.name for p in self.parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
        named = {**dict(zip(places, args)), **kwargs}
        found = {n: _number(named[n], *how) for n, how in self.numbers.items() if n in named}
        return (
            tuple(found.get(name, value) for name, value in zip(places, args)) + args[len(places) :],
            {name: found.get(name, value) for name, value in kwargs.items()},
        )


def _number(value: Any, is_whole: bool, is_no_tensor: bool) -> Any:
    """A number, where a tensor or a scalar of NumPy's stands for it; anything else as it is."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value if value.ndim else int(value) if is_whole else unscaled(value)
    if not is_no_tensor or not _stands_for_a_number(value):
        return value
    return int(value.item()) if is_whole else value.item()


def _stands_for_a_number(value: Any) -> bool:
    return isinstance(value, Tensor) and not value.wraps and not value.ndim and state.modes.capture is None


def _classes(p: inspect.Parameter, known: list[Parameter]) -> Any:
    """The usual classes of an argument: by PyTorch's forms of the function, or by its annotation."""
    kinds = {k.kind for k in known}
    nullable = any(k.nullable for k in known)
    if not known:
        kind, _, optional = str(p.annotation).partition(" | ")
        if optional not in ("", "None"):
            return None
        kinds, nullable = {kind}, bool(optional) or p.default is None
    if not kinds.issubset((*_PLAIN, "Tensor")):
        return None
    if kinds == {"Tensor"} and not nullable:
        return DIRECT
    plain = {cls for kind in kinds for cls in (DIRECT if kind == "Tensor" else _PLAIN[kind])}
    return frozenset([*plain, *[type(None)] * nullable, *[int] * any(k.size for k in known)])


def front(fronts: Fronts, **names: Any) -> Any:
    """``call(*args, **kwargs)``: ``_fn`` if all is plain and nothing is switched on, ``_any_call`` if not.

    ``_failed`` and ``_each_item`` take the errors of ``_fn``.
    """

    def text(given: dict[str, Any]) -> Callable[..., Any]:
        lines = Text(fronts)
        classes = fronts.positional
        given |= {"_by_name": fronts.by_name, **{f"_c{i}": c for i, c in enumerate(classes)}}
        lines.say(0, "def _call(*args, **kwargs):",
                     "    try:",
                     "        if _state.special and _state.modes.dispatch:",
                     "            pass",
                     "        elif kwargs:",
                     "            for _name, _value in kwargs.items():",
                     "                if _name not in _by_name:",
                     "                    break",
                     "                _classes = _by_name[_name]",
                     "                if _classes is not None and _value.__class__ not in _classes:",
                     "                    break",
                     "            else:",
                     f"                if args and _type(args[0]) in _direct{asked(classes)}:",
                     "                    return _fn(*args, **kwargs)")  # fmt: skip
        few = [] if fronts.is_open else range(max(fronts.required, 1), min(len(classes), 4) + 1)
        for n in few:  # a call without a star takes less time
            names = [f"_{i}" for i in range(n)]
            plain = [f" and _{i}.__class__ in _c{i}" for i in range(1, n) if classes[i] is not None]
            lines.say(2, f"elif _len(args) == {n}:",
                         f"    {', '.join(names)}, = args",
                         f"    if _type(_0) in _direct{''.join(plain)}:",
                         f"        return _fn({', '.join(names)})")  # fmt: skip
        lines.say(0, f"        elif args and _type(args[0]) in _direct{asked(classes)}:",
                     "            return _fn(*args)",
                     "    except _NeedsValues as _e:",
                     "        return _each_item(_e, args, kwargs)",
                     "    except Exception as _e:",
                     "        return _failed(_e, _self, args, kwargs, _is_method)",
                     "    return _any_call(_self, args, kwargs, _is_method)")  # fmt: skip
        return lines.compiled("_call", given)

    given = {"_type": type, "_len": len, "_state": state, "_NeedsValues": NeedsValues, **names}
    given["_self"] = made = compiled_when_called(text, given)
    return made


def asked(classes: list[Any]) -> str:
    """That arguments after the first, as many as there are, are of their classes."""
    whole = ""
    for i, each in reversed([*enumerate(classes)][1:]):
        if each is not None:
            whole = f" and (_len(args) <= {i} or args[{i}].__class__ in _c{i}{whole})"
    return whole
