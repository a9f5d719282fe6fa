"""Methods under the name that a program knows them by: what Python says of wrong arguments begins with it."""

from __future__ import annotations

from types import FunctionType
from typing import Any


def named_as_in(cls: type, functions: dict[str, Any]) -> None:
    """Methods that were made elsewhere take the name of the class that has them."""
    for name, function in functions.items():
        if isinstance(function, FunctionType) and not name.startswith("__"):
            function.__qualname__ = f"{cls.__qualname__}.{name}"


def own(name: str, *classes: type) -> None:
    """Classes that inherit a method from one without a public name each have it as theirs."""
    for cls in classes:
        f: FunctionType = getattr(cls, name)
        made = FunctionType(f.__code__, f.__globals__, name, f.__defaults__, f.__closure__)
        made.__kwdefaults__, made.__annotations__, made.__doc__ = f.__kwdefaults__, f.__annotations__, f.__doc__
        made.__module__ = cls.__module__
        made.__qualname__ = f"{cls.__qualname__}.{name}"
        setattr(cls, name, made)
