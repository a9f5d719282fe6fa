"""A program run by operators on Tensors: recorded, so that it can be differentiated as often as one likes."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from .._tensor import Tensor
from ..autograd.differentiate import grad
from ..autograd.grad_mode import set_grad_enabled
from ..autograd.saved import version_of
from .program import Program, call, check


def replayed(program: Program, tensors: Sequence[Any]) -> list[Any]:
    """What the program gives, as Tensors with history."""
    values: dict[Any, Any] = dict(zip(program.placeholders, tensors, strict=True))

    def of(value: Any) -> Any:
        if isinstance(value, (tuple, list)):
            return tuple([of(v) for v in value])
        return values[value] if value.__class__.__name__ == "Node" else value

    for node in program.graph.nodes:
        if node.op != "call_function" or node.target is check:
            continue
        args = [of(value) for value in node.args]
        if node.target is operator.getitem:
            values[node] = args[0][args[1]]
        elif node.target is call:
            raise RuntimeError("this program cannot be differentiated twice: it holds what is no operator")
        else:
            values[node] = node.target(*args)
    return [values[node] for node in program.outputs if node is not None]


def gradients(running: Any, node: Any, g: Any, edges: tuple[Any, ...]) -> list[Any]:
    entry = running.entry
    tensors: list[Any] = []
    for given, held in zip(entry.inputs, node.given):
        if held is None:
            tensors.append(Tensor._wrap(given.node.meta["value"]))
            continue
        t, version = held
        if version_of(t) != version:
            raise RuntimeError(
                "one of the variables needed for gradient computation has been modified by an inplace operation: an "
                "input of a compiled function, which is run again for its second derivative"
            )
        tensors.append(t)
    with set_grad_enabled(True):
        outs = replayed(entry.forward, tensors)
        roots = [seen_through(outs[r.value], r.steps) for r in entry.root_results]
        wanted = [tensors[at] for at, edge in zip(entry.differentiable, edges) if edge is not None]
        pairs = [(r, each) for r, each in zip(roots, g) if each is not None]
        found = grad([r for r, _ in pairs], wanted, [each for _, each in pairs], create_graph=True, allow_unused=True)
    rest = iter(found)
    return [None if edge is None else next(rest) for edge in edges]


def seen_through(t: Any, steps: Any) -> Any:
    """A tensor through a chain of views."""
    for op, attributes, index in steps or ():
        t = op(t, *attributes)
        t = t if index is None else t[index]
    return t
