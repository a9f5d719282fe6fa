"""Arguments by the parameters that they are given for."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

__all__ = ["ArgsKwargsPair", "normalize_function", "normalize_module"]


class ArgsKwargsPair(NamedTuple):
    """What a function can be called with."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]


def normalize_function(
    target: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any] | None = None, arg_types: Any = None,
    kwarg_types: Any = None, normalize_to_only_use_kwargs: bool = False,
) -> ArgsKwargsPair | None:  # fmt: skip
    """The arguments of a call with defaults filled in; all by name, if wanted. None if they fit no known signature."""
    try:
        signature = inspect.signature(target)
    except (TypeError, ValueError):
        return None
    return _normalized(signature, args, kwargs or {}, normalize_to_only_use_kwargs)


def normalize_module(
    root: Any, target: str, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None,
    normalize_to_only_use_kwargs: bool = False,
) -> ArgsKwargsPair | None:  # fmt: skip
    """The same for a call of the module that is at a path."""
    module = root.get_submodule(target)
    signature = inspect.signature(module.forward)
    return _normalized(signature, args, kwargs or {}, normalize_to_only_use_kwargs)


def by_parameter(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments without a default by position, the others by name, all of them."""
    signature = inspect.signature(function)
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    positional: tuple[Any, ...] = ()
    named: dict[str, Any] = {}
    for name, value in bound.arguments.items():
        parameter = signature.parameters[name]
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            positional += value
        elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
            named.update(value)
        elif parameter.default is inspect.Parameter.empty:
            positional += (value,)
        else:
            named[name] = value
    return positional, named


def _normalized(
    signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any], only_kwargs: bool
) -> ArgsKwargsPair | None:
    named = [p for p in signature.parameters.values() if p.kind in _NAMED]
    if len(named) != len(signature.parameters):
        return None
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError:
        return None
    bound.apply_defaults()
    if only_kwargs:
        return ArgsKwargsPair((), dict(bound.arguments))
    return ArgsKwargsPair(bound.args, bound.kwargs)


_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
