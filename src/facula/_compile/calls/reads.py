"""What a function can read besides its arguments: closures, globals, defaults, attributes, lists.

The code objects that a function leads to name what they read. From the function on, whatever they name is followed:
cells, globals, attributes of modules and of other objects, elements of lists, dicts and sets. Numbers, strings and the
like are compared by value, arrays by their elements, all else by identity. What a function does not find, a name or an
attribute that is not there, counts too.
"""

from __future__ import annotations

import dis
import functools
import gc
import io
import os
import sys
import types
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..._core.devices import device
from ..._core.dtypes import dtype
from ..._tensor import Tensor
from ...autograd.graph import is_internal
from ...nn.modules.module import Module
from ...ops.machine.primitive import Primitive
from ...optim._elementwise import ElementwiseOptimizer
from ...optim.optimizer import Optimizer

_SIMPLE = (bool, int, float, complex, str, bytes, type(None), dtype, device, slice, range)
_OPAQUE = (Tensor, Primitive, np.generic, types.BuiltinFunctionType, types.CodeType, types.FrameType)
_PLAIN = (list, tuple, dict, set, frozenset, deque, bytearray)
BY_NAME = frozenset(("getattr", "hasattr", "setattr", "delattr", "vars", "__dict__", "attrgetter"))
"""With these, attributes are read whose names are texts."""
_OWN = ("facula", "torch", "numpy", "math", "operator", "functools", "itertools", "typing", "builtins", "collections")
_DEPTH = 8
_MANY = 1000
_ATTRIBUTES_ELSEWHERE = (Module, Optimizer, type, types.ModuleType, types.FunctionType)
"""Things to which attributes may be added without a look at them; of modules, see ``Snapshot``."""
MISSING: Any = object()


class Read:
    """One thing that was found in a place: ``look()`` finds it again."""

    __slots__ = ("expression", "holder", "key", "value")

    def __init__(self, expression: str, holder: Any, key: Any, value: Any) -> None:
        self.expression = expression
        """How to look, in terms of ``holder`` and ``key``."""
        self.holder = holder
        self.key = key
        self.value = value

    def look(self) -> Any:
        return _LOOK[self.expression](self.holder, self.key)

    def holds(self) -> bool:
        return is_same(self.look(), self.value)


def _cell(cell: Any, _: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


def _attribute(holder: Any, name: str) -> Any:
    return getattr(holder, "__dict__", {}).get(name, MISSING)


def _slot(holder: Any, name: str) -> Any:
    return getattr(holder, name, MISSING)


def _item(holder: Any, key: Any) -> Any:
    try:
        return holder[key]
    except (KeyError, IndexError):
        return MISSING


_LOOK: dict[str, Callable[[Any, Any], Any]] = {
    "cell": _cell, "attribute": _attribute, "slot": _slot, "item": _item, "length": lambda holder, _: len(holder),
    "keys": lambda holder, _: tuple(holder), "attributes": lambda holder, _: len(holder.__dict__),
    "absent": lambda holder, names: holder.keys().isdisjoint(names), "elements": lambda holder, _: _elements(holder),
}  # fmt: skip


def _elements(array: Any) -> Any:
    """What an array of NumPy's holds, to be compared."""
    return array.shape, array.dtype.str, tuple(array.flat) if array.dtype.hasobject else array.tobytes()


def _globals_of(code: types.CodeType) -> set[str]:
    """Names that it looks up in its module, or among Python's own."""
    return {i.argval for i in dis.get_instructions(code) if i.opname in ("LOAD_GLOBAL", "LOAD_NAME")}


def is_same(found: Any, expected: Any) -> bool:
    """Whether a value is the one that was read."""
    if found is expected:
        return True
    kind = type(expected)
    if kind not in _SIMPLE and kind is not tuple:
        return False
    if type(found) is not kind:
        return False
    if kind is tuple:
        return len(found) == len(expected) and all(map(is_same, found, expected))
    return bool(found == expected) or (kind is float and found != found and expected != expected)


class Reads:
    """All that a function may read."""

    def __init__(self, fn: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> None:
        self.names: set[str] = set()
        self.reads: list[Read] = []
        self.modules: dict[int, Module] = {}
        self.tensors: dict[int, Tensor] = {}
        self.parameters: dict[int, Tensor] = {}
        """Those of optimizers."""
        self.tensor_names: dict[int, str] = {}
        """What the user calls them."""
        self.iterators: list[Any] = []
        """Things that calls may use up."""
        self.caches: list[tuple[Any, Any]] = []
        """Functions that keep their results, and what they say about it."""
        self._seen: dict[int, Any] = {}
        self._states: set[int] = set()
        self._codes: set[types.CodeType] = set()
        self._classes: set[type] = set()
        self._objects: list[tuple[Any, int]] = []
        self._follow(fn, 0)
        self._name_arguments(fn, args, kwargs or {})
        for value in (*args, *(kwargs or {}).values()):
            if not isinstance(value, (Tensor, *_SIMPLE)):
                self._follow(value, 0)
        if not self.names.isdisjoint(("environ", "getenv")):
            self.reads.append(Read("keys", os.environ.items(), None, tuple(os.environ.items())))
        while self._objects:  # attributes are looked at once all names are known
            objects, self._objects = self._objects, []
            before = len(self.names)
            for thing, depth in objects:
                self._attributes(thing, depth)
            if len(self.names) != before:
                for thing, depth in objects:
                    self._attributes(thing, depth)

    def knows(self, value: Any) -> bool:
        """Whether it was there before, as far as the function can have read it."""
        return id(value) in self._seen

    def note_items(self, holder: Any, keys: Any) -> None:
        """The function depends on some items of a list or a dict."""
        if isinstance(holder, list):
            self.reads.append(Read("length", holder, None, len(holder)))
        self.reads.extend([Read("item", holder, key, holder[key]) for key in keys])

    def note_step(self, optimizer: Optimizer) -> None:
        """An optimizer steps by its settings. A learning rate that is a float is an input of the program."""
        self._follow(optimizer, 0)
        for group in optimizer.param_groups:
            left_out = ("params", "initial_lr", "lr") if type(group["lr"]) is float else ("params", "initial_lr")
            self.note_items(group, [key for key in group if key not in left_out])

    def note_state(self, states: Any, p: Tensor) -> None:
        """An optimizer has something for a parameter."""
        self.note_items(states, [p])
        self.note_items(states[p], list(states[p]))

    def _name_arguments(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        function = fn.forward if isinstance(fn, Module) else fn
        code = getattr(getattr(function, "__func__", function), "__code__", None)
        names = code.co_varnames[isinstance(function, types.MethodType) : code.co_argcount] if code is not None else ()
        for name, value in (*zip(names, args), *kwargs.items()):
            if isinstance(value, Tensor):
                self.tensor_names[id(value)] = name

    def _name(self, t: Any, name: str) -> None:
        if isinstance(t, Tensor) and name:
            self.tensor_names.setdefault(id(t), name)

    def changed(self) -> list[Read]:
        return [read for read in self.reads if not read.holds()]

    def begins(self, changed: list[Read]) -> bool:
        """Whether all that has changed is that optimizers have a state now."""
        return all(read.expression == "keys" and not read.value and id(read.holder) in self._states for read in changed)

    # ---- following

    def _note(self, expression: str, holder: Any, key: Any, value: Any, depth: int) -> None:
        self.reads.append(Read(expression, holder, key, value))
        self._follow(value, depth + 1)

    def _follow(self, value: Any, depth: int) -> None:
        if isinstance(value, Tensor):
            self.tensors[id(value)] = value
        if value is None or isinstance(value, (*_SIMPLE, *_OPAQUE)) or id(value) in self._seen or depth > _DEPTH:
            return
        self._seen[id(value)] = value
        if isinstance(value, type):
            if value.__module__.partition(".")[0] not in sys.stdlib_module_names:
                self._class(value, depth)
        elif isinstance(value, types.MethodType):
            self._follow(value.__func__, depth)
            self._follow(value.__self__, depth)
        elif isinstance(value, types.FunctionType):
            self._function(value, depth)
        elif isinstance(value, Module):
            self._module(value, depth)
        elif isinstance(value, Optimizer):
            self._optimizer(value, depth)
        elif isinstance(value, types.ModuleType):
            if value.__name__.partition(".")[0] not in _OWN and value.__name__ not in sys.stdlib_module_names:
                self._objects.append((value, depth))
        elif isinstance(value, np.ndarray):
            self.reads.append(Read("elements", value, None, _elements(value)))
        elif isinstance(value, functools.partial):
            for part in (value.func, value.args, value.keywords):
                self._follow(part, depth)
        else:
            self._elements_of(value, depth)
            if type(value) not in _PLAIN and (hasattr(value, "__dict__") or hasattr(type(value), "__slots__")):
                self._object(value, depth)

    def _elements_of(self, value: Any, depth: int) -> None:
        if isinstance(value, (list, tuple)):
            self._sequence(value, depth)
        elif isinstance(value, dict):
            self._dict(value, depth)
        elif isinstance(value, (set, frozenset, deque, bytearray)):
            self.reads.append(Read("keys", value, None, tuple(value)))
            for each in list(value)[:_MANY]:
                self._follow(each, depth + 1)
        elif hasattr(type(value), "__next__") and not isinstance(value, io.IOBase):
            self.iterators.append(value)

    def _object(self, value: Any, depth: int) -> None:
        inner = getattr(value, "__dict__", {}).get("__wrapped__")
        if inner is not None:
            self._follow(inner, depth)
        if hasattr(type(value), "cache_info"):
            self.caches.append((value, value.cache_info()))
        call = vars(type(value)).get("__call__")
        if isinstance(call, types.FunctionType):
            self._function(call, depth)
        self._class(type(value), depth)
        self._objects.append((value, depth))

    def _function(self, fn: types.FunctionType, depth: int) -> None:
        code = fn.__code__
        if is_internal(code.co_filename):
            self._follow(getattr(fn, "__wrapped__", None), depth)  # what a decorator was given
            return
        for name, cell in zip(code.co_freevars, fn.__closure__ or ()):
            if _cell(cell, None) is not MISSING:
                self._name(cell.cell_contents, name)
                self._note("cell", cell, None, cell.cell_contents, depth)
        for name in ("__defaults__", "__kwdefaults__"):
            if getattr(fn, name):
                self._note("slot", fn, name, getattr(fn, name), depth)
        self._objects.append((fn, depth))
        self._code(code, fn.__globals__, depth)

    def _code(self, code: types.CodeType, namespace: dict[str, Any], depth: int) -> None:
        if code in self._codes:
            return
        self._codes.add(code)
        self.names.update(code.co_names)
        if not BY_NAME.isdisjoint(code.co_names):
            self.names.update([text for text in code.co_consts if isinstance(text, str) and text.isidentifier()])
        absent = frozenset([name for name in code.co_names if name not in namespace and name in _globals_of(code)])
        if absent:
            self.reads.append(Read("absent", namespace, absent, True))
        for name in code.co_names:
            if name in namespace:
                self._name(namespace[name], name)
                self._note("item", namespace, name, namespace[name], depth)
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                self._code(constant, namespace, depth)

    def _class(self, cls: type, depth: int) -> None:
        """The methods that a user wrote."""
        for each in cls.__mro__:
            if each is object or each.__module__.partition(".")[0] in _OWN or each in self._classes:
                continue
            self._classes.add(each)
            for name, value in list(vars(each).items()):
                if isinstance(value, (staticmethod, classmethod)):
                    value = value.__func__
                if isinstance(value, property):
                    value = value.fget
                if isinstance(value, types.FunctionType):
                    self._function(value, depth)
                elif isinstance(value, (*_SIMPLE, list, dict, tuple, Tensor)) and not name.startswith("__"):
                    self._objects.append((each, depth))

    def _module(self, module: Module, depth: int) -> None:
        for name, named in (*module.named_parameters(), *module.named_buffers()):
            self._name(named, name.replace(".", "_"))
        for each in module.modules():
            if id(each) not in self.modules:
                self.modules[id(each)] = each
                self._class(type(each), depth)
                for t in (*each._parameters.values(), *each._buffers.values()):
                    if t is not None:
                        self.tensors[id(t)] = t
                self._objects.append((each, depth))

    def _optimizer(self, optimizer: Optimizer, depth: int) -> None:
        """Which parameters it has; of one that does not say itself what it reads, everything."""
        groups = optimizer.param_groups
        for p in [p for group in groups for p in group["params"]]:
            self.tensors[id(p)] = self.parameters[id(p)] = p
        for name in ("param_groups", "state"):
            self.reads.append(Read("attribute", optimizer, name, getattr(optimizer, name)))
        for hooks in (optimizer._optimizer_step_pre_hooks, optimizer._optimizer_step_post_hooks):
            self._follow(hooks, depth)
        is_own = type(optimizer).step.__module__.partition(".")[0] in _OWN
        if is_own and isinstance(optimizer, ElementwiseOptimizer):
            self.note_items(groups, range(len(groups)))
            for group in groups:
                self.note_items(group, ["params"])
                self.note_items(group["params"], range(len(group["params"])))
        else:
            self._follow(groups, depth)
            self._follow(optimizer.state, depth)
            self._states.add(id(optimizer.state))
        self._class(type(optimizer), depth)
        self._objects.append((optimizer, depth))

    def _attributes(self, thing: Any, depth: int) -> None:
        if isinstance(thing, types.FunctionType) and (thing.__name__ in self.names or id(thing) in self._seen):
            self._once("slot", thing, "__code__", thing.__code__)
        own = vars(thing) if hasattr(thing, "__dict__") else {}
        if hasattr(thing, "__dict__") and not isinstance(thing, _ATTRIBUTES_ELSEWHERE):
            self._once("attributes", thing, None, len(own))
        for name, value in list(own.items()):
            if name in self.names and (id(thing), name) not in self._seen:
                self._seen[id(thing), name] = None  # type: ignore[index]
                self._note("attribute", thing, name, value, depth)
        for slots in [getattr(cls, "__slots__", ()) for cls in type(thing).__mro__]:
            for name in (slots,) if isinstance(slots, str) else slots:
                if name in self.names and not name.startswith("__") and (id(thing), name) not in self._seen:
                    self._seen[id(thing), name] = None  # type: ignore[index]
                    self._note("slot", thing, name, getattr(thing, name, MISSING), depth)

    def _once(self, expression: str, holder: Any, key: Any, value: Any) -> None:
        if (id(holder), key) not in self._seen:
            self._seen[id(holder), key] = None  # type: ignore[index]
            self.reads.append(Read(expression, holder, key, value))

    def _sequence(self, values: Any, depth: int) -> None:
        if isinstance(values, list):
            self.reads.append(Read("length", values, None, len(values)))
        for i, value in enumerate(values[:_MANY]):
            if isinstance(values, list):
                self._note("item", values, i, value, depth)
            else:
                self._follow(value, depth + 1)

    def _dict(self, values: dict[Any, Any], depth: int) -> None:
        self.reads.append(Read("keys", values, None, tuple(values)))
        for key, value in list(values.items())[:_MANY]:
            self._note("item", values, key, value, depth)


def caches_of_tensors(caches: list[tuple[Any, Any]]) -> str | None:
    """A ``functools.cache`` that was asked meanwhile and knows its results by tensors: other ones have others."""
    for fn, before in caches:
        if fn.cache_info() != before:
            kept = [each for each in gc.get_referents(fn) if isinstance(each, dict)]
            keys = [part for each in kept for key in each for part in (*gc.get_referents(key), key)]
            if any(isinstance(key, Tensor) for key in keys):
                return f"the results of {getattr(fn, '__name__', 'a function')}() are kept by tensors"
    return None


_HELD = (
    "_parameters", "_buffers", "_modules", "_forward_hooks", "_forward_pre_hooks", "_backward_hooks",
    "_backward_pre_hooks",
)  # fmt: skip


class Snapshot:
    """What modules hold, so that a change of any of them can be told."""

    def __init__(self, modules: Iterator[Module] | list[Module]) -> None:
        self.modules = [(m, self._of(m)) for m in modules]

    @staticmethod
    def _of(module: Module) -> tuple[Any, ...]:
        own = vars(module)
        named = [(name, value) for name, value in own.items() if not isinstance(value, dict)]
        held = [own.get(name, {}) for name in _HELD]
        return tuple(named), tuple([tuple(each.items()) for each in held])

    def holds(self) -> bool:
        return all(_equal(self._of(module), before) for module, before in self.modules)


def _equal(a: Any, b: Any) -> bool:
    if type(a) is tuple and type(b) is tuple:
        return len(a) == len(b) and all(map(_equal, a, b))
    return is_same(a, b)
