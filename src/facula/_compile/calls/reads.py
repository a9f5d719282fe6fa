"""What a function can read besides its arguments: closures, globals, defaults, attributes, lists.

The code objects that a function leads to name what they read. From the function on, whatever they name is followed:
cells, globals, attributes of modules and of other objects, elements of lists, dicts and sets. Numbers, strings and the
like are compared by value, arrays by their elements, all else by identity. What a function does not find, a name or an
attribute that is not there, counts too. Code that is found only when it is run is followed from then on.
"""

from __future__ import annotations

import abc
import contextvars
import functools
import gc
import io
import operator
import os
import sys
import types
import weakref
from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..._core.pytree import kind_of
from ..._tensor import Tensor
from ...autograd.function import Function
from ...autograd.graph import is_internal
from ...nn.modules.module import Module
from ...ops.machine.primitive import Primitive
from ...optim._elementwise import ElementwiseOptimizer
from ...optim.optimizer import Optimizer
from . import patched
from .code import globals_of, imported, looked_up, reads_any_attribute
from .places import HOOKS, MISSING, SIMPLE, Read, cell_contents, elements

_OPAQUE = (Tensor, Primitive, np.generic, types.BuiltinFunctionType, types.CodeType, types.FrameType)
_PLAIN = (list, tuple, dict, set, frozenset, deque, bytearray)
_CONTAINERS = (list, dict, deque)
"""Those that results may be nested in, and that can be changed."""
BY_NAME = frozenset(("getattr", "hasattr", "setattr", "delattr", "vars", "__dict__", "attrgetter"))
"""With these, attributes are read whose names are texts."""
_NO_METHODS = frozenset(
    ("__dict__", "__weakref__", "__module__", "__doc__", "__qualname__", "__annotations__", "__annotate__", "__slots__",
     "__static_attributes__", "__firstlineno__", "__annotations_cache__", "__annotate_func__", "__parameters__",
     "__orig_bases__", "__repr__", "__str__", "__match_args__")
)  # fmt: skip
"""What Python itself writes into classes, or calls to show things."""
_MADE_BY_CLASS_STATEMENT = 1 << 9
"""The flag of types whose instances may be given another class."""
_OWN = ("facula", "torch", "numpy", "math", "operator", "functools", "itertools", "typing", "builtins", "collections")
_LIBRARY = ("facula", "torch")
_OF_FUNCTIONS = ("forward", "backward", "setup_context", "jvp", "vmap")
"""What is called of a custom Function."""
_CODE = (types.FunctionType, types.MethodType, types.ModuleType, type)
_DEPTH = 8
"""Code that is farther away is followed when it is run."""
_MANY = 1000
_MOST = 20_000
_ATTRIBUTES_ELSEWHERE = (Module, Optimizer, Tensor, *_CODE)
"""Things to which attributes may be added without a look at them; of modules, see ``Snapshot``."""
_WHOLE = ("collections", "weakref", "facula.amp", "facula.distributions", "facula.optim.swa_utils")
"""Where classes are from whose methods, which are not followed, may read all attributes."""

def _is_of_others(module: types.ModuleType) -> bool:
    """Whether a module is the library's, or Python's own: what it does is known, or takes no part."""
    return module.__name__.partition(".")[0] in _OWN or module.__name__ in sys.stdlib_module_names


def _stream(source: Any) -> Any:
    """Where a source of NumPy's random numbers is."""
    bits = getattr(source, "bit_generator", source)
    return getattr(bits, "state", None) or getattr(source, "get_state", lambda: None)()


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
        self.streams: list[tuple[Any, Any]] = []
        """NumPy's sources of random numbers, and where they are."""
        self.has_all = True
        """Whether there was not too much to look at."""
        self._library: dict[tuple[int, str], tuple[Any, str]] = {}
        """Names that are looked up in modules of the library's and of Python's own."""
        self._of_library: dict[type, None] = {}
        """Classes of the library's that things have, in the order in which they were met."""
        self._operators: set[str] = set()
        """Methods that are called by signs."""
        self._knows_abstract = False
        """Whether there are abstract classes, which others may be registered as subclasses of."""
        self._any_attribute = False
        """Whether attributes are read by names that are computed."""
        self._seen: dict[int, Any] = {}
        self._codes: set[types.CodeType] = set()
        self._classes: set[type] = set()
        self._objects: list[tuple[Any, int]] = []
        self._given = {id(each) for each in _parts((args, kwargs or {})) if isinstance(each, (*_CONTAINERS, Tensor))}
        """Tensors, lists and dicts among the arguments, by their id."""
        self._follow(fn, 0)
        self._name_arguments(fn, args, kwargs or {})
        known = len(self.reads)
        for value in (*args, *(kwargs or {}).values()):
            if not isinstance(value, (Tensor, *SIMPLE)):
                self._follow(value, 0)
        self._passing = [read for read in self.reads[known:] if type(read.holder) in (list, dict)]
        """Lists and dicts that are given: other calls have others, whose elements are looked at as arguments."""
        of_objects = [read for read in self.reads[known:] if type(read.holder) not in (list, dict)]
        if not of_objects:
            del self.reads[known:]
        if not self.names.isdisjoint(("environ", "getenv")):
            self.reads.append(Read("keys", os.environ.items(), None, tuple(os.environ.items())))
        self._settle()

    def _settle(self) -> None:
        """Look at attributes, as far as they are named by now."""
        known = None
        while known != (known := (len(self.names), len(self._objects))):
            for thing, depth in list(self._objects):
                self._attributes(thing, depth)

    def runs(self, code: types.CodeType, namespace: dict[str, Any]) -> bool:
        """Some code is about to be run; False if it has a closure that is not known."""
        if code in self._codes:
            return True
        self._code(code, namespace, 0)
        self._settle()
        return not code.co_freevars

    def note_library(self) -> None:
        """The function depends on what it looked up in modules and classes of others, which it has loaded by now."""
        self.reads += [read for thing, _ in self._objects for read in self._absent_attributes(thing)]
        if not BY_NAME.isdisjoint(self.names):  # attributes that tensors do not have may have been asked for
            own = [t for t in self.tensors.values() if id(t) not in self._given]
            self.reads += [Read("attributes", t, None, len(vars(t))) for t in own]
        if self._knows_abstract and not self.names.isdisjoint(("isinstance", "issubclass")):
            self.reads.append(Read("registered", abc, None, abc.get_cache_token()))
        self.reads += [Read("cache", fn, fn.cache_info().misses, True) for fn, before in self.caches
                       if fn.cache_info() != before]  # fmt: skip
        self.reads += patched.methods(self._of_library, self.names | self._operators)
        for module, name in patched.functions_of(self._of_library):
            self._library[id(module), name] = module, name
        for module, name in self._library.values():
            found = getattr(module, name, MISSING)
            if isinstance(found, (list, set, dict)):
                self.reads.append(Read("keys", found, None, tuple(found)))
            elif isinstance(found, (*SIMPLE, *_CODE)):
                self.reads.append(Read("slot", module, name, found))

    def used_up(self) -> Any:
        """A source of random numbers that is no longer where it was."""
        return next((each for each, place in self.streams if repr(_stream(each)) != place), None)

    def knows(self, value: Any) -> bool:
        """Whether it was there before, as far as the function can have read it."""
        return id(value) in self._seen

    def holds(self, value: Any) -> bool:
        """Whether it is a list or a dict that was there before."""
        return isinstance(value, _CONTAINERS) and (self.knows(value) or self.is_given(value))

    def is_given(self, value: Any) -> bool:
        """Whether it is a list or a dict among the arguments."""
        return isinstance(value, _CONTAINERS) and id(value) in self._given

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
        return [read for read in (*self.reads, *self._passing) if not read.holds()]

    def begins(self, changed: list[Read]) -> bool:
        """Whether all that has changed is that tables are no longer empty: states of optimizers, what is kept."""
        return all(read.expression == "keys" and not read.value for read in changed)

    # ---- following

    def _note(self, expression: str, holder: Any, key: Any, value: Any, depth: int) -> None:
        self.reads.append(Read(expression, holder, key, value))
        self._follow(value, depth + 1)

    def _follow(self, value: Any, depth: int) -> None:
        if isinstance(value, Tensor):
            self.tensors[id(value)] = value
            if vars(value) and id(value) not in self._seen:
                self._objects.append((value, depth))
        if isinstance(value, types.BuiltinMethodType) and not isinstance(value.__self__, types.ModuleType):
            value = value.__self__  # a method of a list, say
        if type(value) in SIMPLE or isinstance(value, _OPAQUE) or id(value) in self._seen:
            return
        if depth > _DEPTH and isinstance(value, _CODE):
            return
        self._seen[id(value)] = value
        if len(self.reads) > _MOST:
            self.has_all = False
            return
        if isinstance(value, type):
            self._knows_abstract = self._knows_abstract or isinstance(value, abc.ABCMeta)
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
            if not _is_of_others(value):
                self._objects.append((value, depth))
        elif isinstance(value, np.ndarray):
            self.reads.append(Read("elements", value, None, elements(value)))
        elif isinstance(value, functools.partial):
            for part in (value.func, value.args, value.keywords):
                self._follow(part, depth)
        elif isinstance(value, (operator.attrgetter, operator.methodcaller)):
            texts = [text for text in value.__reduce__()[1] if isinstance(text, str)]
            self.names.update([name for text in texts for name in text.split(".")])
        elif isinstance(value, weakref.ref):
            self._note("referent", value, None, value(), depth)
        elif isinstance(value, contextvars.ContextVar):
            self._note("context", value, None, value.get(MISSING), depth)
        elif type(value).__module__.startswith("numpy.random"):
            self.streams.append((value, repr(_stream(value))))
        else:
            self._elements_of(value, depth)
            if type(value) not in _PLAIN and (hasattr(value, "__dict__") or hasattr(type(value), "__slots__")):
                self._object(value, depth)

    def _elements_of(self, value: Any, depth: int) -> None:
        if isinstance(value, (list, tuple)):
            self._sequence(value, depth)
        elif isinstance(value, (dict, types.MappingProxyType)):
            self._dict(value, depth)
        elif isinstance(value, (set, frozenset, deque, bytearray)):
            self.reads.append(Read("keys", value, None, tuple(value)))
            for each in value:
                self._follow(each, depth + 1)
        elif hasattr(type(value), "__next__") and not isinstance(value, io.IOBase):
            self.iterators.append(value)
        elif _is_buffer(value):
            self.reads.append(Read("bytes", value, None, memoryview(value).tobytes()))

    def _object(self, value: Any, depth: int) -> None:
        inner = getattr(value, "__dict__", {}).get("__wrapped__")
        if inner is not None:
            self._follow(inner, depth)
        if hasattr(type(value), "cache_info"):
            self.caches.append((value, value.cache_info()))
        call = vars(type(value)).get("__call__")
        if isinstance(call, types.FunctionType):
            self._function(call, depth)
        if type(value).__flags__ & _MADE_BY_CLASS_STATEMENT:
            self.reads.append(Read("slot", value, "__class__", type(value)))
        self._class(type(value), depth)
        self._objects.append((value, depth))

    def _function(self, fn: types.FunctionType, depth: int) -> None:
        code = fn.__code__
        if is_internal(code.co_filename):
            self._follow(getattr(fn, "__wrapped__", None), depth)  # what a decorator was given
            return
        for name, cell in zip(code.co_freevars, fn.__closure__ or ()):
            if cell_contents(cell, None) is MISSING:
                self.reads.append(Read("empty", cell, name, True))
            else:
                self._name(cell.cell_contents, name)
                self._note("cell", cell, name, cell.cell_contents, depth)
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
            parts = [part for each in code.co_consts for part in (each if type(each) is tuple else (each,))]
            self.names.update([text for text in parts if isinstance(text, str) and text.isidentifier()])
            self._any_attribute = self._any_attribute or reads_any_attribute(code)
        self._operators.update(patched.operators_of(code))
        for name, module in imported(code):
            self._note("item", sys.modules, name, module, depth)
        for module, name in looked_up(code, namespace):
            if _is_of_others(module):
                self._library[id(module), name] = module, name
        used = globals_of(code)
        absent = frozenset([name for name in used if name not in namespace])
        if absent:
            self.reads.append(Read("absent", namespace, absent, True))
        for name in used:
            if name in namespace:
                self._name(namespace[name], name)
                self._note("item", namespace, name, namespace[name], depth)
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                self._code(constant, namespace, depth)

    def _class(self, cls: type, depth: int) -> None:
        """The methods that a user wrote, and attributes."""
        knows_library = False
        for each in (*cls.__mro__, *type(cls).mro(type(cls))):
            if each in (object, type) or each in self._classes:
                continue
            origin = str(each.__module__).partition(".")[0]  # of builtins of C's it may be something else
            if origin in _OWN:
                if origin in _LIBRARY and not knows_library:
                    self._of_library[each] = None
                    knows_library = True
                continue
            self._classes.add(each)
            self._objects.append((each, depth))
            if issubclass(each, Function):
                self.names.update(_OF_FUNCTIONS)
            for value in list(vars(each).values()):
                if isinstance(value, (staticmethod, classmethod)):
                    value = value.__func__
                if isinstance(value, property):
                    value = value.fget
                if isinstance(value, types.FunctionType):
                    self._function(value, depth)

    def _attributes_of_class(self, cls: type, depth: int) -> None:
        """Those that are named; and those of its bases that it does not hide so far."""
        own = vars(cls)
        inherited: dict[str, Any] = {}
        for each in cls.__mro__[1:]:
            if each in self._classes:
                inherited.update(vars(each))
        for name in (self.names & (own.keys() | inherited.keys())) | set(filter(_is_called_by_python, own)):
            if (id(cls), name) not in self._seen:
                self._seen[id(cls), name] = None  # type: ignore[index]
                value = own.get(name, MISSING)
                self.reads.append(Read("attribute", cls, name, value))
                if value is not MISSING and not isinstance(value, (staticmethod, classmethod, property, *_CODE)):
                    self._follow(value, depth + 1)

    def _module(self, module: Module, depth: int) -> None:
        for name, named in (*module.named_parameters(), *module.named_buffers()):
            self._name(named, name.replace(".", "_"))
        for each in module.modules():
            if id(each) not in self.modules:
                self.modules[id(each)] = each
                self.names.add("forward")
                self._class(type(each), depth)
                for hooks in HOOKS:
                    for hook in getattr(each, hooks).values():
                        self._follow(hook, depth + 1)
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
        self._class(type(optimizer), depth)
        self._objects.append((optimizer, depth))

    def _attributes(self, thing: Any, depth: int) -> None:
        if isinstance(thing, type):
            self._attributes_of_class(thing, depth)
            return
        if isinstance(thing, types.FunctionType) and (thing.__name__ in self.names or id(thing) in self._seen):
            self._once("slot", thing, "__code__", thing.__code__)
        own = vars(thing) if hasattr(thing, "__dict__") else {}
        has_others = not isinstance(thing, _ATTRIBUTES_ELSEWHERE)
        if hasattr(thing, "__dict__") and has_others:
            self._once("attributes", thing, None, len(own))
        is_whole = has_others and type(thing).__module__.startswith(_WHOLE)
        for name, value in list(own.items()):
            is_read = name in self.names or is_whole or (self._any_attribute and has_others and _is_data(value))
            if is_read and (id(thing), name) not in self._seen:
                self._seen[id(thing), name] = None  # type: ignore[index]
                self._note("attribute", thing, name, value, depth)
        for slots in [getattr(cls, "__slots__", ()) for cls in type(thing).__mro__]:
            for name in (slots,) if isinstance(slots, str) else slots:
                if name in self.names and not name.startswith("__") and (id(thing), name) not in self._seen:
                    self._seen[id(thing), name] = None  # type: ignore[index]
                    self._note("slot", thing, name, getattr(thing, name, MISSING), depth)

    def _absent_attributes(self, thing: Any) -> Iterator[Read]:
        """That a thing has none by other names; the number of its attributes tells it if all of them are looked at."""
        if isinstance(thing, _ATTRIBUTES_ELSEWHERE) or not hasattr(thing, "__dict__"):
            return
        own = vars(thing)
        if self._any_attribute:
            yield Read("attribute_names", thing, None, tuple(own))
        elif not all((id(thing), name) in self._seen for name in own):
            yield Read("absent_attributes", thing, frozenset(self.names - own.keys()), True)

    def _once(self, expression: str, holder: Any, key: Any, value: Any) -> None:
        if (id(holder), key) not in self._seen:
            self._seen[id(holder), key] = None  # type: ignore[index]
            self.reads.append(Read(expression, holder, key, value))

    def _sequence(self, values: Any, depth: int) -> None:
        if isinstance(values, list) and _are_many(values):
            self.reads.append(Read("keys", values, None, tuple(values)))
            return
        if isinstance(values, list):
            self.reads.append(Read("length", values, None, len(values)))
        for i, value in enumerate(values):
            if isinstance(values, list):
                self._note("item", values, i, value, depth)
            else:
                self._follow(value, depth + 1)

    def _dict(self, values: Any, depth: int) -> None:
        self.reads.append(Read("keys", values, None, tuple(values)))
        if _are_many(values.values()):
            self.reads.append(Read("values", values, None, tuple(values.values())))
            return
        for key, value in list(values.items()):
            self._note("item", values, key, value, depth)


def _parts(value: Any) -> Iterator[Any]:
    """A nested container, and all that it is made of."""
    yield value
    kind = kind_of(value)
    if kind is not None:
        for each in kind.flatten(value)[0]:
            yield from _parts(each)


def _are_many(values: Any) -> bool:
    """Whether there are so many numbers and texts, and nothing else, that they are compared at once."""
    return len(values) > _MANY and all(type(value) in SIMPLE for value in values)


def _is_buffer(value: Any) -> bool:
    """Whether a thing shows its memory, as arrays of Python's and C's do."""
    try:
        memoryview(value)
    except TypeError:
        return False
    return True


def _is_called_by_python(name: str) -> bool:
    """Whether a method is called without being named: ``__get__``, ``__len__``, ``__add__``."""
    return name.startswith("__") and name.endswith("__") and name not in _NO_METHODS


def _is_data(value: Any) -> bool:
    return isinstance(value, (*SIMPLE, list, tuple, dict, Tensor, np.ndarray))


def caches_of_tensors(caches: list[tuple[Any, Any]]) -> str | None:
    """A ``functools.cache`` that was asked meanwhile and knows its results by tensors: other ones have others."""
    for fn, before in caches:
        if fn.cache_info() != before:
            kept = [each for each in gc.get_referents(fn) if isinstance(each, dict)]
            keys = [part for each in kept for key in each for part in (*gc.get_referents(key), key)]
            if any(isinstance(key, Tensor) for key in keys):
                return f"the results of {getattr(fn, '__name__', 'a function')}() are kept by tensors"
    return None
