"""A program run by operators on Tensors: recorded, so that it can be differentiated as often as one likes."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Iterator, Sequence
from typing import Any

from .._core.generator import default_generator
from .._tensor import Tensor
from ..autograd.differentiate import grad
from ..autograd.grad_mode import set_grad_enabled
from ..autograd.saved import version_of
from ..fx.node import Node
from .entry import resolved
from .program import ASPECTS, Program, as_array, call, check


def replayed(program: Program, tensors: Sequence[Any]) -> list[Any]:
    """What the program gives, as Tensors with history."""
    values: dict[Any, Any] = dict(zip(program.placeholders, tensors, strict=True))

    def of(value: Any) -> Any:
        if isinstance(value, (tuple, list)):
            return tuple([of(v) for v in value])
        if type(value) is slice:
            return slice(of(value.start), of(value.stop), of(value.step))
        return values[value] if isinstance(value, Node) else value

    for node in program.graph.nodes:
        if node.op != "call_function" or node.target is check:
            continue
        args = [of(value) for value in node.args]
        if node.target is operator.getitem:
            values[node] = args[0][args[1]]
        elif node.target is call:
            values[node] = _put(node.meta["put"], *args[1:]) if "put" in node.meta else _called(*args)
        elif node.target in ASPECTS:
            values[node] = node.target(args[0]._array, *args[1:])
        elif node.target is as_array:
            values[node] = Tensor._wrap(as_array(*args))
        else:
            values[node] = node.target(*args)
    return [None if node is None else values[node] for node in program.outputs]


def _put(step: Any, whole: Any, part: Any, *sizes: Any) -> Any:
    """A tensor of which a view is another one."""
    if sizes:
        step = (step[0], sizes, step[2])
    changed = whole.clone()
    seen_through(changed, (step,)).copy_(part)
    return changed


def _called(fn: Any, *given: Any) -> Any:
    """What is no operator has no derivative."""
    found = fn(*[t._array if isinstance(t, Tensor) else t for t in given])
    if isinstance(found, tuple):
        return tuple([Tensor._wrap(array) for array in found])
    return None if found is None else Tensor._wrap(found)


def gradients(running: Any, node: Any, g: Any, edges: tuple[Any, ...]) -> list[Any]:
    entry = running.entry
    if entry.has_own_rules:
        raise RuntimeError(
            "torch.compile with aot_autograd does not currently support double backward: hooks or custom Functions "
            "take part in this compiled function"
        )
    tensors: list[Any] = []
    for given, held in zip(entry.inputs, node.given):
        if held is None:
            tensors.append(Tensor._wrap(given.node.meta["value"]))
            continue
        if not isinstance(held, tuple):
            tensors.append(held)
            continue
        t, version = held
        if version_of(t) != version:
            raise RuntimeError(
                "one of the variables needed for gradient computation has been modified by an inplace operation: an "
                "input of a compiled function, which is run again for its second derivative"
            )
        tensors.append(t)
    with set_grad_enabled(True), _drawing_again(node.place):
        outs = replayed(entry.forward, tensors)
        roots = [seen_through(outs[r.value], resolved(r.steps, outs)) for r in entry.root_results]
        wanted = [tensors[at] for at, edge in zip(entry.differentiable, edges) if edge is not None]
        pairs = [(r, each) for r, each in zip(roots, g) if each is not None]
        found = grad([r for r, _ in pairs], wanted, [each for _, each in pairs], create_graph=True, allow_unused=True)
    rest = iter(found)
    return [None if edge is None else next(rest) for edge in edges]


@contextlib.contextmanager
def _drawing_again(place: Any) -> Iterator[None]:
    """The random numbers that the call drew, which was there in the stream then."""
    if place is None:
        yield
        return
    now = default_generator.place()
    default_generator.go_back(place)
    try:
        yield
    finally:
        default_generator.go_back(now)


def seen_through(t: Any, steps: Any) -> Any:
    """A tensor through a chain of views."""
    for op, attributes, index in steps or ():
        t = op(t, *attributes)
        t = t if index is None else t[index]
    return t
