"""What was captured: a straight-line program of primitives, as an fx graph.

Every value is made once and never changed. A view is a value like others; what was a write into memory is a new value
of that memory, which ends in it when the whole program has run: ``commits``.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..._core import quiet
from ...fx.graph import Graph
from ...fx.node import Node
from ...ops.machine.primitive import Primitive


class Mismatch(Exception):
    """A value is another one than was observed while capturing: this program is not for this call."""


class Raised(Mismatch):
    """Something in a program has failed: the function itself says what."""


class Declined(Exception):
    """A kernel did not take what a program gave it; nothing has been changed."""


def size(array: Any, dim: int) -> Any:
    """A node: a size of an array."""
    return array.shape[dim]


def stride(array: Any, dim: int) -> Any:
    """A node: a stride of an array, in bytes."""
    return array.strides[dim]


def flag(array: Any, name: str) -> Any:
    """A node: how an array is laid out."""
    return getattr(array.flags, name)


def can_view(array: Any, shape: Any) -> bool:
    """A node: whether an array can be seen in another shape without a copy."""
    try:
        array.reshape(shape, copy=False)
    except ValueError:
        return False
    return True


ASPECTS = (size, stride, flag, can_view)
"""What is asked about an array, not of its elements."""


def as_array(number: Any, dtype: Any) -> Any:
    """A node: a number as an operand of a kernel."""
    return np.asarray(number, dtype)


def check(value: Any, expected: Any) -> None:
    """A node: go on only if a number is what it was."""
    if isinstance(value, np.ndarray) and value.size != 1:
        raise Mismatch
    found = value.item() if isinstance(value, np.ndarray) else value
    if found != expected and not (found != found and expected != expected):
        raise Mismatch


def call(fn: Callable[..., Any], *arrays: Any) -> Any:
    """A node: whatever is done by a function of arrays that is no primitive."""
    return fn(*arrays)


class Program:
    """A graph with its inputs, its outputs, and which outputs end in the memory of which inputs."""

    def __init__(self, graph: Graph, commits: dict[int, int] | None = None) -> None:
        self.graph = graph
        self.commits = commits or {}
        self.placeholders: list[Node] = [node for node in graph.nodes if node.op == "placeholder"]
        self.outputs: tuple[Any, ...] = tuple(graph.output_node().args[0])

    @property
    def is_random(self) -> bool:
        return any(node.meta.get("random") for node in self.graph.nodes)

    @property
    def is_general(self) -> bool:
        """Whether it is for more sizes than those that were captured."""
        return any(node.meta.get("general") for node in self.graph.nodes)

    @property
    def has_checks(self) -> bool:
        """Whether it may turn out not to be for a call."""
        return any(node.target in (check, call) for node in self.graph.nodes)

    def __str__(self) -> str:
        return "\n".join(_line(node) for node in self.graph.nodes)


def _line(node: Node) -> str:
    if node.op == "output":
        return f"return {_shown(node.args[0])}"
    dtype, shape = node.meta.get("dtype"), node.meta.get("shape")
    kind = "" if dtype is None else f": {dtype.name}{list(shape or ())}"
    if node.op == "placeholder":
        return f"{node.name}{kind}"
    if node.target is operator.getitem:
        return f"{node.name}{kind} = {node.args[0]}[{node.args[1]}]"
    source = node.meta.get("source")
    place = "" if source is None else f"  # {source}"
    return f"{node.name}{kind} = {_name(node.target)}({', '.join(map(_shown, node.args))}){place}"


def _name(target: Any) -> str:
    return str(getattr(target, "name", None) or getattr(target, "__name__", target))


def _shown(value: Any) -> str:
    if isinstance(value, (tuple, list)):
        return f"({', '.join(map(_shown, value))}{',' if len(value) == 1 else ''})"
    return str(value) if isinstance(value, Node) else getattr(value, "__name__", None) or repr(value)


def evaluated(node: Node, values: dict[Node, Any]) -> Any:
    """What a node computes, by its kernel."""

    def of(value: Any) -> Any:
        if isinstance(value, Node):
            return values[value]
        if isinstance(value, (tuple, list)):
            return tuple([of(v) for v in value])
        if type(value) is slice:
            return slice(of(value.start), of(value.stop), of(value.step))
        return value

    args = [of(value) for value in node.args]
    if node.target is operator.getitem:
        return args[0][args[1]]
    if not isinstance(node.target, Primitive):
        return node.target(*args)
    if node.target.kind == "elementwise" and not isinstance(node.target.kernel, np.ufunc):
        args = _as_arrays(args, len(node.target.tensor_names))
    return node.target.on_arrays(*args)


def _as_arrays(args: list[Any], count: int) -> list[Any]:
    """Numbers among the tensors as arrays, which kernels in Python expect."""
    found = [a.dtype for a in args[:count] if isinstance(a, np.ndarray)]
    dtype = next((each for each in found if each.kind != "b"), None)  # a condition tells nothing about the rest
    return [np.asarray(a, dtype) if i < count and isinstance(a, (bool, int, float, complex)) else a
            for i, a in enumerate(args)]  # fmt: skip


def _as_captured(node: Node, value: Any) -> Any:
    """What a node came to, if it looks like what was captured: a program goes no further otherwise."""
    shape = node.meta.get("shape")
    if shape is None:
        if isinstance(value, (tuple, list)) and len(value) != node.meta.get("parts", len(value)):
            raise Mismatch
        return value
    if not isinstance(value, np.ndarray):
        value = np.asarray(value)
    if value.ndim != len(shape) or (value.shape != shape and not node.meta.get("general")):
        raise Mismatch
    return value


def evaluate(program: Program, arrays: Sequence[Any]) -> dict[Node, Any]:
    """What all nodes of a program come to, by their kernels."""
    values: dict[Node, Any] = dict(zip(program.placeholders, arrays, strict=True))
    token = quiet.begin()
    try:
        for node in program.graph.nodes:
            if node.op == "call_function":
                values[node] = _as_captured(node, evaluated(node, values))
    finally:
        quiet.end(token)
    return values


def finished(program: Program, arrays: Sequence[Any], values: dict[Node, Any]) -> list[Any]:
    """The results, and memory that is written to."""
    given = {id(a) for a in arrays}
    results: list[Any] = []
    for i, node in enumerate(program.outputs):
        value = None if node is None else values[node]
        if not isinstance(value, np.ndarray):
            pass
        elif i in program.commits:
            value = value if value.base is None and id(value) not in given else value.copy()
        elif node.op != "placeholder":
            value = as_own(value, node.meta["strides"], arrays, bool(node.meta.get("general")))
        results.append(value)
    for i, at in program.commits.items():
        np.copyto(arrays[at], results[i])
        results[i] = None
    return results


def run(program: Program, arrays: Sequence[Any]) -> list[Any]:
    """Run a program by its kernels, one after the other: what other ways to run it are compared with."""
    return finished(program, arrays, evaluate(program, arrays))


def as_own(value: Any, strides: tuple[int, ...], others: Sequence[Any], is_general: bool = False) -> Any:
    """A result in memory that nobody else has, laid out as it was while capturing."""
    is_own = value.base is None and value.flags.writeable and not any(value is other for other in others)
    if is_own and (is_general or value.strides == tuple([s * value.itemsize for s in strides])):
        return value
    order = sorted(range(value.ndim), key=lambda i: -strides[i])
    dense = np.empty([value.shape[i] for i in order], value.dtype)
    own = dense.transpose([order.index(i) for i in range(value.ndim)])
    np.copyto(own, value)
    return own
