"""Operators are loaded by family, when first asked for: ``import facula`` loads none.

``_lazy_names`` tells which module provides which function, method and primitive. ``facula.__getattr__`` finds functions
there and ``nn.functional`` its own, the two namespaces of derivative rules find primitives, and Tensor has a
``Promised`` in the place of every method, property and operator until the first of its module is used.

A module's methods are put onto Tensor when all of it has been run, so that no other thread meets half a family.
"""

from __future__ import annotations

from importlib import import_module
from sys import modules
from types import FunctionType
from typing import Any

from . import _lazy_names
from .docstrings import document


def _providers(table: dict[str, str]) -> dict[str, str]:
    return {name: module for module, names in table.items() for name in names.split()}


FUNCTIONS = _providers(_lazy_names.FUNCTIONS)
FUNCTIONALS = _providers(_lazy_names.FUNCTIONALS)
LINALG = _providers(_lazy_names.LINALG)
PRIMITIVES = _providers(_lazy_names.PRIMITIVES)


def load(module: str) -> Any:
    """One of facula's modules; if another thread is loading it, wait until that is done."""
    return import_module(f"facula.{module}")


def at_home(value: Any, place: str, name: str) -> Any:
    """A function as it is found by users: pickle looks for it where ``__module__`` says, which may be a family that has
    another function by that name."""
    if type(value) is FunctionType:
        home = modules.get(value.__module__ or "")
        if home is None or vars(home).get(value.__qualname__) is not value:
            value.__module__, value.__qualname__ = place, name
    return value


def load_all() -> None:
    """Load every operator."""
    for table in (_lazy_names.FUNCTIONS, _lazy_names.METHODS, _lazy_names.PRIMITIVES):
        for module in table:
            load(module)


class Promised:
    """Stands on Tensor for what a module will provide. Python asks descriptors for operators, too."""

    __slots__ = ("kept", "module", "name", "value")

    def __init__(self, module: str, name: str) -> None:
        self.module = module
        self.name = name
        self.value: Any = None
        self.kept = False

    def keep(self) -> Any:
        """Load the module, and put all that it promised where it belongs."""
        load(self.module)
        for name in _lazy_names.METHODS[self.module].split():
            promised = _promises[name]
            if promised.value is not None and not promised.kept:
                if vars(_owner).get(name) is promised:  # and not what a user has put there
                    setattr(_owner, name, promised.value)
                promised.kept = True
        if self.value is None:
            raise AttributeError(f"facula.{self.module} does not provide Tensor.{self.name}")
        return self.value

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self.keep().__get__(instance, owner)

    def __set__(self, instance: Any, value: Any) -> None:
        self.keep()
        setattr(instance, self.name, value)

    def __delete__(self, instance: Any) -> None:
        self.keep()
        delattr(instance, self.name)


_promises: dict[str, Promised] = {}
_owner: Any = None


def promise(cls: type) -> None:
    """Fill Tensor with promises."""
    global _owner
    _owner = cls
    for each in cls.__mro__[:-1]:
        for name, value in [*vars(each).items()]:
            if isinstance(value, property):
                setattr(each, name, _guarded(name, value))
    for module, names in _lazy_names.METHODS.items():
        for name in names.split():
            _promises[name] = Promised(module, name)
            setattr(cls, name, _promises[name])


def _guarded(name: str, value: Any) -> Any:
    """A property that cannot be set, or not be deleted, says so in PyTorch's words."""
    if not isinstance(value, property):
        return value

    def refuse(*_: Any) -> None:
        raise AttributeError(f"attribute '{name}' of 'torch._C.TensorBase' objects is not writable")

    return property(value.fget, value.fset or refuse, value.fdel or (None if value.fset else refuse), value.__doc__)


def set_methods(**methods: Any) -> None:
    """Give Tensor methods and properties: at once, or, if they are promised, when their module has been run."""
    for name, value in methods.items():
        document(value, f"Tensor.{name}", name)
        value = _guarded(name, value)
        promised = _promises.get(name)
        if promised is None or promised.kept:
            setattr(_owner, name, value)
        else:
            promised.value = value
