"""A program as PyTorch shows one: Python's operators, PyTorch's functions, and names that say where inputs come from.

Operators that PyTorch has no function for are those of ``torch.ops.prims``.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

import facula

from ..._tensor import Tensor
from ...fx.graph import Graph
from ...fx.node import Node, map_arg
from ...ops import prims
from ...ops.machine.primitive import Primitive
from .program import ASPECTS, Program, as_array, call, check, size

_OPERATORS = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv, "neg": operator.neg,
    "mul_number": operator.mul, "add_number": operator.add, "pow_number": operator.pow, "mm": operator.matmul,
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
}  # fmt: skip
_FUNCTIONS = frozenset("""
    abs acos asin atan bmm ceil cos cosh erf exp expm1 floor isnan log log1p log2 log10 logical_not maximum minimum
    reciprocal relu round rsqrt sigmoid sign sin sinh sqrt t tan tanh transpose trunc unsqueeze
""".split())
"""Operators that take the arguments of the function of their name."""


def readable(program: Program) -> Graph:
    """The same graph, in names that users of PyTorch know."""
    graph = Graph()
    new: dict[Node, Any] = {}
    for node in program.graph.nodes:
        if node.op == "placeholder":
            new[node] = graph.placeholder(f"L_{node.target}_")
        elif node.op == "output":
            new[node] = graph.output(map_arg(node.args[0], new.__getitem__))
        else:
            target, name = _target(node)
            args = map_arg(node.args, new.__getitem__)
            if node.target is call:
                args = args[1:]
            if _has_constants(args):
                target, args = _bound(target, args, name)
            new[node] = graph.create_node("call_function", target, args, name=name)
        new[node].meta = dict(node.meta)
    return graph


def _has_constants(args: Any) -> bool:
    """Whether there is something in arguments that Python's text has no word for."""
    if isinstance(args, (tuple, list)):
        return any(map(_has_constants, args))
    return isinstance(args, (np.dtype, np.ndarray, np.generic))


def _bound(target: Any, args: Any, name: str) -> tuple[Any, tuple[Node, ...]]:
    """A function of the nodes among some arguments, which has the others."""
    nodes: dict[Node, None] = {}
    map_arg(args, lambda node: nodes.setdefault(node))

    def bound(*given: Any) -> Any:
        values = dict(zip(nodes, given))
        return target(*map_arg(args, values.__getitem__))

    bound.__name__ = bound.__qualname__ = name
    return bound, tuple(nodes)


def _target(node: Node) -> tuple[Any, str]:
    op: Any = node.target
    if isinstance(op, Primitive):
        if op.name in _OPERATORS and len(node.args) == len(op.tensor_names) + ("number" in op.name):
            found: Any = _OPERATORS[op.name]
            return found, op.name.partition("_")[0]
        if op.name in _FUNCTIONS:
            return getattr(facula, op.name), op.name
        return prims.of(op) or op, op.name
    if op is call:
        return _on_tensors(node.args[0]), getattr(node.args[0], "__name__", "call")
    if op is as_array:
        return _as_tensor, "number"
    if op is size:
        return _size, "size"
    if op in ASPECTS:
        return _about(op), op.__name__
    if op is check:
        return _check, "check"
    return op, getattr(op, "__name__", "call")


def _on_tensors(fn: Any) -> Any:
    def on_tensors(*given: Any) -> Any:
        found = fn(*[t._array if isinstance(t, Tensor) else t for t in given])
        if isinstance(found, tuple):
            return tuple([Tensor._wrap(array) for array in found])
        return None if found is None else Tensor._wrap(np.asarray(found))

    on_tensors.__name__ = on_tensors.__qualname__ = getattr(fn, "__name__", "call")
    return on_tensors


def _about(fn: Any) -> Any:
    def about(t: Any, *rest: Any) -> Any:
        return fn(t._array, *rest)

    about.__name__ = about.__qualname__ = fn.__name__
    return about


def _as_tensor(number: Any, dtype: Any) -> Tensor:
    return Tensor._wrap(as_array(number, dtype))


def _size(t: Tensor, dim: int) -> int:
    found: int = t._array.shape[dim]
    return found


def _check(value: Any, expected: Any) -> None:
    check(value._array if isinstance(value, Tensor) else value, expected)
