"""Public functions inside a captured one: what they make by themselves, and those that look at elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core import state
from ..._core.generator import Generator, default_generator
from ..._core.pytree import tree_flatten, tree_unflatten
from ..._tensor import Tensor
from ...fx.node import Node
from ..programs import program
from .symbols import as_hints, as_nodes, has_symbols
from .traced import Traced


class Leak(BaseException):
    """A public function asks for elements: all of it becomes one step of the program, if that is possible."""

    def __init__(self, what: str) -> None:
        self.what = what


def run(
    capture: Any, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], makes: bool = False
) -> Any:
    """Run a public function. What it makes by itself is a constant, or a draw; see also ``Leak``."""
    if not capture.is_active:
        return fn(*args, **kwargs)
    if makes and capture.is_general and _depends_on_sizes(capture, args, kwargs):
        return _as_one_step(capture, fn, args, kwargs, fn.__name__, True)
    last, writes, known = next(iter(reversed(capture.graph.nodes)), None), capture.writes, len(capture.inputs)
    taken = len(capture.taken)
    capture.depth += 1
    try:
        result = fn(*args, **kwargs)
    except Leak as leak:
        for source, place in reversed(capture.taken[taken:]):
            source.go_back(place)
        if capture.writes == writes and len(capture.inputs) == known:
            _rewind(capture, last)
            return _as_one_step(capture, fn, args, kwargs, leak.what)
        capture.give_up(leak.what)
        return fn(*args, **kwargs)
    finally:
        capture.depth -= 1
        del capture.taken[taken:]
    if capture.is_active:
        _made(capture, fn, args, kwargs, result)
    return result


def _rewind(capture: Any, last: Node | None) -> None:
    for node in list(reversed(capture.graph.nodes)):
        if node is last or node.op == "placeholder":
            break
        capture.values.pop(node, None)
        capture.graph.erase_node(node)


def _depends_on_sizes(capture: Any, args: Any, kwargs: Any) -> bool:
    leaves, _ = tree_flatten((args, kwargs))
    tensors = [leaf for leaf in leaves if isinstance(leaf, Tensor)]
    capture.adopt(tensors)
    return has_symbols(leaves) or any(getattr(t._array, "general", None) is not None for t in tensors)


def _repeatable(
    capture: Any, fn: Callable[..., Any], args: Any, kwargs: Any
) -> tuple[Callable[..., Any], list[Any]]:
    """A call as a function of arrays and sizes, which gives the leaves of its result and their plan."""
    leaves, plan = tree_flatten((args, kwargs))
    where = [i for i, leaf in enumerate(leaves) if isinstance(leaf, Tensor) or has_symbols(leaf)]
    given = [leaves[i] for i in where]
    capture.adopt(given)
    constant = [None if i in where else leaf for i, leaf in enumerate(leaves)]

    def compute(*arrays: Any) -> Any:
        given = list(constant)
        for i, array in zip(where, arrays):
            given[i] = Tensor._wrap(array) if isinstance(array, np.ndarray) else array
        positional, named = tree_unflatten(given, plan)
        before = state.modes.grad_enabled, state.modes.capture
        state.update(grad_enabled=False, capture=None)
        try:
            return tree_flatten(fn(*positional, **named))
        finally:
            state.update(grad_enabled=before[0], capture=before[1])

    return compute, given


def _operand(capture: Any, value: Any) -> tuple[Any, Any]:
    return capture.now(value._array) if isinstance(value, Tensor) else (as_nodes(value), as_hints(value))


def _locked(value: Any) -> Any:
    """An array that cannot be written to."""
    if isinstance(value, np.ndarray):
        value = value.view()
        value.flags.writeable = False
    return value


def _as_one_step(
    capture: Any, fn: Callable[..., Any], args: Any, kwargs: Any, what: str, makes: bool = False
) -> Any:
    """A function that looks at elements, and of which no derivative is wanted, as a step of its own."""
    compute, given = _repeatable(capture, fn, args, kwargs)
    tensors = [t for t in given if isinstance(t, Tensor)]
    sources = [default_generator, *[v for v in (*args, *kwargs.values()) if isinstance(v, Generator)]]
    places = [source.place() for source in sources]

    def as_it_is() -> Any:
        for source, place in zip(sources, places):
            source.go_back(place)
        capture.give_up(what)
        return fn(*args, **kwargs)

    if any(t.wraps or type(t._array) is not Traced for t in tensors):
        return as_it_is()
    operands = [_operand(capture, each) for each in given]
    try:
        found, plan = compute(*[_locked(value) for _, value in operands])
    except ValueError:  # it writes to its arguments
        return as_it_is()
    if not all(isinstance(t, Tensor) and type(t._array) is np.ndarray for t in found):
        return as_it_is()
    needs = not makes and state.grad_enabled() and any(t.requires_grad for t in tensors)
    is_float = any(t._array.dtype.kind in "fcV" for t in found)
    shares = any(np.may_share_memory(t._array, v) for t in found for _, v in operands if isinstance(v, np.ndarray))
    if (needs and is_float) or shares:
        return as_it_is()

    def again(*arrays: Any) -> tuple[Any, ...]:
        return tuple([t._array for t in compute(*arrays)[0]])

    again.__name__ = fn.__name__
    _written_down(capture, again, operands, found, capture.drawn or places[0] != default_generator.place())
    return tree_unflatten(found, plan)


def _written_down(capture: Any, again: Callable[..., Any], operands: Any, found: Any, random: bool) -> None:
    """``again`` is a step of the program, and gave the tensors ``found``."""
    node = capture.called(program.call, (again, *[n for n, _ in operands]), None)
    node.meta.update(random=random, parts=len(found))
    capture.drawn = False
    for i, t in enumerate(found):
        t._array = capture.new(capture.part(node, i, t._array), t._array)


def opaque(capture: Any, fn: Callable[..., Any], name: str, args: Any, kwargs: Any, written: list[Tensor]) -> Any:
    """A function that nobody looks into, as a step of its own. ``written``: the arguments that it changes."""
    compute, given = _repeatable(capture, fn, args, kwargs)
    changed = [i for i, each in enumerate(given) if any(each is t for t in written)]
    operands = [_operand(capture, each) for each in given]

    def run(*arrays: Any) -> tuple[list[Any], list[Any], Any]:
        """The tensors that it makes and those that it changes; all leaves of its result, and their plan."""
        fresh = [a.copy(order="K") if i in changed else a for i, a in enumerate(arrays)]
        leaves, plan = compute(*fresh)
        return [*filter(_is_tensor, leaves), *(Tensor._wrap(fresh[i]) for i in changed)], leaves, plan

    def kind(tensors: list[Any], leaves: list[Any]) -> Any:
        """What has to be the same in each call."""
        numbers = [None if _is_tensor(leaf) else leaf for leaf in leaves]
        return numbers, None if capture.is_general else [t._array.shape for t in tensors]

    def again(*arrays: Any) -> tuple[Any, ...]:
        tensors, leaves, _ = run(*arrays)
        if kind(tensors, leaves) != expected:
            raise program.Mismatch
        return tuple([t._array for t in tensors])

    again.__name__ = name
    place = default_generator.place()
    tensors, leaves, plan = run(*[value for _, value in operands])
    expected = kind(tensors, leaves)
    _written_down(capture, again, operands, tensors, place != default_generator.place())
    for i, t in zip(changed, tensors[len(tensors) - len(changed) :]):
        capture.assign(given[i]._array, t._array)
    return tree_unflatten(leaves, plan)


def _is_tensor(value: Any) -> bool:
    return isinstance(value, Tensor)


def _made(capture: Any, fn: Callable[..., Any], args: Any, kwargs: Any, result: Any) -> None:
    for t in result if isinstance(result, (tuple, list)) else (result,):
        if not isinstance(t, Tensor) or t.wraps or type(t._array) is not np.ndarray or id(t) in capture.met:
            continue
        if any(t is a for a in args) or any(t is a for a in kwargs.values()):
            continue
        if any(isinstance(a, np.ndarray) for a in (*args, *kwargs.values())):
            capture.give_up("an array of NumPy's becomes a tensor")
            return
        if capture.drawn:
            _drawn_by(capture, fn, args, kwargs, t)
        else:
            capture.meet(t, is_constant=True)


def _drawn_by(capture: Any, fn: Callable[..., Any], args: Any, kwargs: Any, t: Tensor) -> None:
    compute, given = _repeatable(capture, fn, args, kwargs)

    def draw(*arrays: Any) -> Any:
        return compute(*arrays)[0][0]._array

    draw.__name__ = fn.__name__
    node = capture.called(program.call, (draw, *[_operand(capture, each)[0] for each in given]), t._array)
    node.meta["random"] = True
    capture.drawn = False
    t._array = capture.new(node, t._array)
