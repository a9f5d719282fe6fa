"""The front of a public function: calls whose arguments are plainly what they should be go straight on.

NOTE [plain arguments]: what a function's annotations say is asked of every call, by looking at classes alone, as text
that is compiled when it is first called (``text``): a loop over arguments takes as long as a small kernel. What is of
another class than the usual ones goes a slower way, where ``signatures`` tells what PyTorch takes.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ..._core import state
from ..._levels.needs_values import NeedsValues
from ...autograd.saved import DIRECT
from .text import Text, compiled_when_called

_PLAIN: dict[str, tuple[type, ...]] = {"bool": (bool,), "int": (int,), "float": (float, int), "str": (str,)}


class Fronts:
    """Which classes the parameters of a function plainly take."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        parameters = list(inspect.signature(fn).parameters.values())
        named = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
        self.by_name: dict[str, Any] = {p.name: _classes(p) for p in named}
        """None where anything will do."""
        self.positional = [_classes(p) for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]

    def fits(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Whether all arguments but the first are plain."""
        for value, classes in zip(args[1:], self.positional[1:]):
            if classes is not None and value.__class__ not in classes:
                return False
        for name, value in kwargs.items():
            classes = self.by_name.get(name)
            if classes is not None and value.__class__ not in classes:
                return False
        return True


def _classes(p: inspect.Parameter) -> Any:
    kind, _, optional = str(p.annotation).partition(" | ")
    if optional not in ("", "None"):
        return None
    none = (type(None),) if optional or p.default is None else ()
    if kind == "Tensor":
        return {*DIRECT, *none} if none else DIRECT
    return frozenset((*_PLAIN[kind], *none)) if kind in _PLAIN else None


def front(title: str, fronts: Fronts, **names: Any) -> Any:
    """``call(*args, **kwargs)``: ``_fn`` if all is plain and nothing is switched on, ``_any_call`` if not.

    ``_failed`` and ``_each_item`` take the errors of ``_fn``.
    """

    def text(given: dict[str, Any]) -> Callable[..., Any]:
        lines = Text(_Named(title))
        asked = ""
        for i, classes in reversed([*enumerate(fronts.positional)][1:]):
            inner = f" and {asked}" if asked else ""
            if classes is not None:
                asked = f"(_len(args) <= {i} or args[{i}].__class__ in _c{i}{inner})"
                given[f"_c{i}"] = classes
        lines.say(0, "def _call(*args, **kwargs):",
                     f"    if args and _type(args[0]) in _direct {f'and {asked} ' if asked else ''}"
                     "and (not _state.special or not _state.modes.dispatch):",
                     "        if kwargs:",
                     "            for _name in kwargs:",
                     "                if _name not in _by_name:",
                     "                    return _any_call(_self, args, kwargs, _is_method)",
                     "                _classes = _by_name[_name]",
                     "                if _classes is not None and kwargs[_name].__class__ not in _classes:",
                     "                    return _any_call(_self, args, kwargs, _is_method)",
                     "        try:",
                     "            return _fn(*args, **kwargs) if kwargs else _fn(*args)",
                     "        except _NeedsValues as _e:",
                     "            return _each_item(_e, args, kwargs)",
                     "        except Exception as _e:",
                     "            return _failed(_e, _self, args, kwargs, _is_method)",
                     "    return _any_call(_self, args, kwargs, _is_method)")  # fmt: skip
        return lines.compiled("_call", given)

    own = {"_type": type, "_len": len, "_state": state, "_NeedsValues": NeedsValues, "_by_name": fronts.by_name}
    given = {**own, **names}
    given["_self"] = made = compiled_when_called(text, given)
    return made


class _Named:
    """What a text asks of its operator."""

    def __init__(self, name: str) -> None:
        self.name = name
