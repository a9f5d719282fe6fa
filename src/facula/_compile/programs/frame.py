"""The Python around the steps of a program, which both back ends write: arrays, calls, where lines come from."""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Callable
from typing import Any

import numpy as np

from .program import Declined, Mismatch
from .steps import Buffer, Loop, PythonCall, Step, Value, dense, memory_order, span, values_in

_numbers = itertools.count(1)


class Compiled:
    """A program that can be called: arrays in, arrays out; None for an output that was written into an input."""

    def __init__(self, run: Callable[[list[Any]], list[Any]], text: str, backend: str) -> None:
        self.run = run
        self.text = text
        self.backend = backend

    def __call__(self, arrays: list[Any]) -> list[Any]:
        return self.run(arrays)


def made(text: str, names: dict[str, Any], kind: str) -> Callable[[list[Any]], list[Any]]:
    """The function ``run`` of a text, which tracebacks and debuggers can show."""
    filename = f"<facula {kind} program {next(_numbers)}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    exec(compile(text, filename, "exec"), names)
    run: Callable[[list[Any]], list[Any]] = names["run"]
    return run


def described(source: Any) -> str:
    """A line of the user's, with where it stands."""
    if not source:
        return ""
    filename, line = source[0], source[1]
    text = linecache.getline(filename, line).strip()
    return f"{filename.rsplit('/', 1)[-1]}:{line}  {text}".rstrip()


def comment(step: Step) -> str:
    """The lines of the user's that a step comes from."""
    sources = step.sources if isinstance(step, Loop) else [step.source] if step.source else []
    said = list(dict.fromkeys([text for source in sources if (text := described(source))]))
    return "; ".join(said[:3]) + (f" and {len(said) - 3} more lines" if len(said) > 3 else "")


def python_call(
    step: PythonCall, i: int, names: dict[str, Any], variables: dict[Buffer, str], array: Any = None
) -> list[str]:
    """``array``: how an array is written, if not as a place of the arena."""
    names[f"call_{i}"] = step.function
    args = ", ".join([as_text(arg, names, variables, array) for arg in step.args])
    lines = [f"found = call_{i}({args})" + (f"  # {described(step.source)}" if step.source else "")]
    for k, value in enumerate(step.results):
        if value is not None:
            name = variables.setdefault(value.buffer, f"r{len(variables)}")
            source = f"found[{k}]" if step.several else "found"
            names[f"d_{value.dtype}"] = value.dtype
            names["as_captured"] = as_captured
            order = "" if value.is_dense else f", {memory_order(value.shape, value.strides)}"
            lines.append(f"{name} = as_captured({source}, d_{value.dtype}, {value.shape}{order})")
    return lines


def as_captured(
    found: Any, dtype: np.dtype[Any], shape: tuple[int, ...], order: tuple[int, ...] | None = None
) -> Any:
    """What a call of Python gave, dense, with its dimensions in the order in which they were while capturing.

    A program goes no further if it has another shape than then.
    """
    if order is not None:
        found, shape = found.transpose(order), tuple([shape[d] for d in order])
    found = np.asarray(found, dtype, order="C")
    if found.shape != shape:
        raise Mismatch
    return found


def fitted(array: Any, shape: tuple[int, ...], strides: tuple[int, ...], is_written: bool) -> Any:
    """An input laid out as the program expects it: a gradient may come in any layout."""
    if array.shape == shape and lie_alike(shape, array.strides, strides):
        return array if array.strides == strides else view(array, 0, shape, strides, array.dtype)
    if array.shape != shape or (is_written and array.size):
        raise ValueError(f"a compiled program got an array of shape {array.shape} and strides {array.strides} in place "
                         f"of {shape} and {strides}")  # fmt: skip
    size = span(shape, tuple([s // array.itemsize for s in strides]))
    own = view(np.empty(max(size, 1), array.dtype), 0, shape, strides, array.dtype)
    np.copyto(own, array)
    return own


def lie_alike(shape: tuple[int, ...], strides: tuple[int, ...], others: tuple[int, ...]) -> bool:
    """Whether two sets of strides mean the same for a shape."""
    return all(n == 1 or s == t for n, s, t in zip(shape, strides, others))


def as_text(thing: Any, names: dict[str, Any], variables: dict[Buffer, str], array: Any = None) -> str:
    """An argument of a call of Python: an array as an expression, anything else as a name or itself."""
    if isinstance(thing, Value):
        if array is not None:
            return str(array(thing))
        base = "arena" if thing.buffer.kind == "arena" else variables[thing.buffer]
        names[f"d_{thing.dtype}"] = thing.dtype
        if thing.buffer.kind == "arena":
            start = thing.buffer.index + thing.offset * thing.dtype.itemsize
            return f"view(arena, {start}, {thing.shape}, {_in_bytes(thing)}, d_{thing.dtype})"
        if thing.buffer.kind == "input" and thing.offset == 0 and thing.buffer.content == (thing.shape, thing.strides):
            return base
        return (
            f"view({base}, {thing.offset * thing.dtype.itemsize}, {thing.shape}, {_in_bytes(thing)}, d_{thing.dtype})"
        )
    if isinstance(thing, (tuple, list)) and any(True for _ in values_in(thing)):
        inner = ", ".join([as_text(part, names, variables, array) for part in thing])
        return f"[{inner}]" if isinstance(thing, list) else f"({inner},)"
    if thing is None or isinstance(thing, (bool, int, str)):
        return repr(thing)
    name = f"k{len(names)}"
    names[name] = thing
    return name


def _in_bytes(value: Value) -> tuple[int, ...]:
    return tuple([s * value.dtype.itemsize for s in value.strides])


def view(base: Any, offset: int, shape: tuple[int, ...], strides: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """An array at a place of another one's memory."""
    if base.flags.c_contiguous:
        return np.ndarray(shape, dtype, base, offset, strides)
    found = np.asarray(_View(base, offset, shape, strides, dtype))
    return found if found.dtype == dtype else found.view(dtype)  # the interface has no names for dtypes of others


class _View:
    """What NumPy asks of something that is an array by its interface: a view of what is not contiguous."""

    def __init__(self, base: Any, offset: int, shape: Any, strides: Any, dtype: np.dtype[Any]) -> None:
        self.base = base
        self.__array_interface__ = {
            "data": (base.__array_interface__["data"][0] + offset, not base.flags.writeable), "shape": shape,
            "strides": strides, "typestr": dtype.str, "version": 3,
        }  # fmt: skip


def allocation(value: Value, names: dict[str, Any]) -> str:
    """An expression that makes an output's array, with its strides."""
    names[f"d_{value.dtype}"] = value.dtype
    shape, strides = value.shape, value.strides
    if strides == dense(shape):
        return f"empty({shape}, d_{value.dtype})"
    order = sorted(range(len(shape)), key=lambda d: -strides[d])
    moved = tuple([shape[d] for d in order])
    if tuple([strides[d] for d in order]) == dense(moved):
        back = tuple([order.index(d) for d in range(len(shape))])
        return f"empty({moved}, d_{value.dtype}).transpose({back})"
    return f"view(empty({max(value.buffer.size, 1)}, d_{value.dtype}), 0, {shape}, {_in_bytes(value)}, d_{value.dtype})"


def new_arena(size: int) -> Any:
    memory = np.empty(size + 128, np.uint8)
    start = -memory.ctypes.data % 64
    return memory[start : start + max(size, 1)]


def fail(status: int) -> None:
    if status >= 0:
        raise Mismatch
    if status == -2:
        raise MemoryError
    raise Declined
