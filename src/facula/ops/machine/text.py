"""Functions that are compiled from a text.

A loop over the tensors of a call, or over what a node saves, takes as long as a small kernel. So each primitive gets
functions of its own in which these loops are written out: ``call`` and ``node`` write their texts.
"""

from __future__ import annotations

import linecache
import warnings
from collections.abc import Callable
from types import FunctionType
from typing import Any


class Text:
    """Lines of a function, to which the names that it uses are given at the end.

    ``op`` is what it belongs to, and has a name. Names of the text's own begin with an underscore, which no parameter
    of a primitive does.
    """

    def __init__(self, op: Any) -> None:
        self.op = op
        self.lines: list[str] = []

    def say(self, depth: int, *lines: str) -> None:
        self.lines += ["    " * depth + line for line in lines]

    def compiled(self, name: str, names: dict[str, Any]) -> Callable[..., Any]:
        """The function. Tracebacks show its lines, and NOTE [provenance] takes it for facula's own."""
        text = "\n".join(self.lines)
        filename = f"{__file__}: {name} of {self.op.name}"
        linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
        names["__name__"] = __name__
        exec(compile(text, filename, "exec"), names)
        made: Callable[..., Any] = names[name]
        return made


def compiled_when_called(text: Callable[[dict[str, Any]], Callable[..., Any]], names: dict[str, Any]) -> Any:
    """A function that is compiled when it is first called: by ``text``, with these names as its globals.

    It is one and the same function before and after, as many may hold it: it gets the other one's code.
    """

    def compile_it() -> Any:
        made: Any = text(names)
        call.__code__, call.__defaults__ = made.__code__, made.__defaults__
        return made

    names["_compile_it"] = compile_it
    call: Any = FunctionType(_first_call.__code__, names)
    return call


def _first_call(*args: Any, **kwargs: Any) -> Any:
    return _compile_it()(*args, **kwargs)  # type: ignore[name-defined]  # noqa: F821


def as_it_was(fn: Any) -> Any:
    """A function with the code that another one has now, before that gets other code."""
    plain = FunctionType(fn.__code__, fn.__globals__, fn.__name__, fn.__defaults__)
    plain.__kwdefaults__ = fn.__kwdefaults__
    plain.__annotations__ = fn.__annotations__
    plain.__dict__.update(fn.__dict__)
    return plain


def replaced_code(lines: list[str], fn: Any, meant: dict[str, Any]) -> Any:
    """Code for a function, from a text, where strings such as ``'<plain>'`` stand for values.

    The values become constants of the code: its globals are those of the function.
    """
    made: dict[str, Any] = {}
    with warnings.catch_warnings():  # of calls of strings, which the constants are for now
        warnings.simplefilter("ignore", SyntaxWarning)
        exec(compile("\n".join(lines), fn.__code__.co_filename, "exec"), made)
    code = made[fn.__name__].__code__
    constants = tuple([meant.get(c, c) if isinstance(c, str) else c for c in code.co_consts])
    return code.replace(co_consts=constants, co_firstlineno=fn.__code__.co_firstlineno)
