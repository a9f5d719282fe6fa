"""A program run by operators on Tensors: recorded, so that it can be differentiated as often as one likes."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Iterator, Sequence
from typing import Any

from ..._core import state, unresolved
from ..._core.generator import default_generator
from ..._core.pytree import tree_flatten, tree_unflatten
from ..._tensor import Tensor
from ...autograd.differentiate import grad
from ...autograd.grad_mode import set_grad_enabled
from ...autograd.saved import version_of
from ...fx.node import Node
from ...ops.views.shape import unsafe_view_op, view_op
from ..programs.derive import hooks_left_out
from ..programs.program import ASPECTS, Program, as_array, call, check
from .entry import Result, resolved
from .guards import MISSED


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
    op, attributes, index = step
    if op is unsafe_view_op:  # nobody else sees the whole, so it may have the history of its part
        op = view_op
    changed = whole.clone()
    seen_through(changed, ((op, sizes or attributes, index),)).copy_(part)
    return changed


def _called(fn: Any, *given: Any) -> Any:
    """What is no operator has no derivative."""
    found = fn(*[unresolved.resolved(t._array) if isinstance(t, Tensor) else t for t in given])
    if isinstance(found, tuple):
        return tuple([Tensor._wrap(array) for array in found])
    return None if found is None else Tensor._wrap(found)


class Again:
    """A function that can be called as it was called: with the tensors and numbers of a call."""

    def __init__(
        self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], inputs: Sequence[Any], met: dict[int, Any]
    ) -> None:
        self.fn = fn
        self.leaves, self.plan = tree_flatten((args, kwargs))
        self.places: list[tuple[int, int, bool]] = []
        """Which leaf of the arguments is which input, and whether it is another tensor with the same array."""
        for i, leaf in enumerate(self.leaves):
            its: Any = met[id(leaf)].input if isinstance(leaf, Tensor) and id(leaf) in met else None
            for at, given in enumerate(inputs):
                if given.argument == i or given is its:
                    self.places.append((i, at, given is its and its.tensor is not leaf))
        for i, *_ in self.places:
            self.leaves[i] = None

    def arguments(self, given: Sequence[Any]) -> Any:
        leaves = list(self.leaves)
        for i, at, is_other in self.places:
            leaves[i] = given[at].detach() if is_other else given[at]
        return tree_unflatten(leaves, self.plan)

    def takes(self, at: int) -> bool:
        """Whether an input is an argument."""
        return any(place == at for _, place, _ in self.places)


def gradients(running: Any, node: Any, g: Any, edges: tuple[Any, ...]) -> list[Any]:
    """The gradients as tensors with a history: the program, or the function, is run again, recorded."""
    entry = running.entry
    tensors = _as_given(entry, node)
    wanted = [at for at, edge in zip(entry.differentiable, edges) if edge is not None]
    if not wanted:
        return [None] * len(edges)
    is_recorded = state.grad_enabled()
    with set_grad_enabled(True), _drawing_again(node.place):
        if entry.is_replayable:
            starts = _apart(tensors, wanted)
            outs = _run_again(running, starts)
            roots = [seen_through(outs[r.value], resolved(r.steps, outs)) for r in entry.root_results]
        else:
            starts = _apart(tensors, [at for at in wanted if running.again.takes(at)])
            roots = _results_again(running, tensors, starts)
        pairs = [(r, each) for r, each in zip(roots, g) if each is not None]
        with hooks_left_out([starts[at] for at in wanted if starts[at].is_leaf]):
            found = grad(
                [r for r, _ in pairs], [starts[at] for at in wanted], [each for _, each in pairs],
                create_graph=is_recorded, allow_unused=True,
            )  # fmt: skip
    rest = iter(found)
    return [None if edge is None else next(rest) for edge in edges]


def _run_again(running: Any, starts: list[Any]) -> Any:
    """What the forward program gives, or what a user's back end has made of it, if that has a history."""
    if running.differentiable is not None:
        outs = running.differentiable(starts)
        if all(outs[r.value].requires_grad for r in running.entry.root_results):
            return outs
    return replayed(running.entry.forward, starts)


def _as_given(entry: Any, node: Any) -> list[Any]:
    """The inputs of a call, if they are what they were then."""
    tensors: list[Any] = []
    needed = _needed([entry.forward.outputs[r.value] for r in entry.root_results])
    for given, held in zip(entry.inputs, node.given):
        if held is None:
            tensors.append(Tensor._wrap(given.node.meta["value"]))
        elif not isinstance(held, tuple):
            tensors.append(held)
        elif version_of(held[0]) != held[1] and given.node.name in needed:
            raise RuntimeError(
                "one of the variables needed for gradient computation has been modified by an inplace operation: an "
                "input of a compiled function, which is run again for its second derivative"
            )
        else:
            tensors.append(held[0])
    return tensors


def _needed(outputs: list[Any]) -> set[str]:
    """The names of the nodes that some depend on."""
    found: set[str] = set()
    while outputs:
        node = outputs.pop()
        if node.name not in found:
            found.add(node.name)
            outputs.extend(node.all_input_nodes)
    return found


def _apart(tensors: list[Any], places: list[int]) -> list[Any]:
    """Tensors of which some have a node of their own, so that gradients end there and no hook sees them yet."""
    return [t.view_as(t) if at in places else t for at, t in enumerate(tensors)]


def _results_again(running: Any, tensors: list[Any], starts: list[Any]) -> list[Any]:
    """The differentiable results of the function itself."""
    entry, again = running.entry, running.again
    if entry.written or entry.commits or entry.grads or any(r.base is not None for r in entry.root_results):
        raise _refusal("it changes tensors that it is given")
    if running.guard.enter(*again.arguments(tensors)) is MISSED:
        raise _refusal("something that it reads is no longer what it was")
    args, kwargs = again.arguments(starts)
    try:
        leaves = tree_flatten(again.fn(*args, **kwargs))[0]
    except Exception as error:
        raise _refusal("it fails with tensors that have a history") from error
    by_slot = {r.slot: t for r, t in zip(entry.leaves, leaves) if type(r) is Result and r.slot >= 0}
    for r, t in zip(entry.leaves, leaves):
        if type(r) is Result and r.base is not None:  # which may not be returned itself
            by_slot.setdefault(r.base.slot, t._base)
    if any(by_slot.get(r.slot) is None for r in entry.root_results):
        raise _refusal("it returns views of something that it keeps")
    return [by_slot[slot] for slot in range(len(entry.root_results))]


def _refusal(why: str) -> RuntimeError:
    return RuntimeError(
        "torch.compile with aot_autograd does not currently support double backward of a function with detach(), "
        f"no_grad(), hooks or custom Functions that cannot be run again: {why}"
    )


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
