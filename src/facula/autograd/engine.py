"""THE loop: carries gradients from the roots to the leaves.

It runs on arrays or on Tensors. On arrays rules call NumPy: the common case. On Tensors (``create_graph=True``) the
same rules call facula's own operators, so the backward pass is recorded and can be differentiated again.

NOTE [order]: among the ready nodes the newest (greatest sequence number) runs first, except that a leaf's accumulator
runs as soon as it is ready. By NOTE [sequence numbers] all nodes that lead to a node are newer, so this comes to
running them by descending numbers. For each accumulator the edges are counted that have not brought a gradient yet.

NOTE [scalars]: on arrays NumPy scalars stand for 0-d arrays, as NumPy itself returns them: their arithmetic
takes 60 ns where that of 0-d arrays takes 450. They become arrays when a Tensor is made of them.

NOTE [ownership]: ``add`` hands one and the same array to both its inputs, so a gradient that arrives may be shared. The
first sum at a meeting point allocates; from then on the engine owns that array and adds in place.
"""

from __future__ import annotations

import heapq
import sys
import threading
from collections.abc import Callable
from math import isfinite
from operator import attrgetter
from typing import Any

import numpy as np

from .._core import quiet, state
from .._core.dtypes import F32, F64
from .._core.unresolved import resolved
from ..ops.machine.namespaces import ARRAYS, TENSORS
from . import anomaly, graph, logged
from .accumulate import AccumulateGrad
from .adapting import adapt, check_roots
from .graph import EMPTY, Freed, Node, Port, user_place
from .watched import as_tensors, measure_accumulator, run_watched, shown, value_of

# A backward call inside a backward call uses Python's stack. Beyond this many levels the work moves to a new thread,
# which has a stack of its own.
_LEVELS_PER_THREAD = 40

ndarray = np.ndarray
_new = object.__new__

# References to a gradient on its way from a rule to ``.grad`` (NOTE [stealing]): the rule's result, the pair that zip
# holds, the loop's variable, two arguments, and getrefcount's own. A sum made at a meeting point lacks the first two.
# Python 3.14 counts fewer on the way, so that a reference of someone else could hide among them: there all are copied.
_PASSING, _PASSING_JOINED = (6, 4) if sys.version_info < (3, 14) else (0, 0)
Tensor_: Any = None


_NONE_GIVEN: dict[int, Any] = {}


class Task:
    """One backward pass."""

    __slots__ = (
        "__weakref__", "by", "callbacks", "captured", "captures", "create_graph", "given", "keep_graph", "leaves",
        "needed", "order", "reached", "running", "watched", "xp",
    )  # fmt: skip

    def __init__(self, keep_graph: bool, create_graph: bool, depth: int = 4) -> None:
        self.keep_graph = keep_graph
        self.create_graph = create_graph
        self.xp = TENSORS if create_graph else ARRAYS
        self.by = by = _new(Freed)
        by.code, by.instruction = user_place(depth)
        self.callbacks: list[Callable[[], None]] = []
        self.reached: set[Node] = set()
        """The nodes that the roots lead to, leaves aside."""
        self.order: list[Node] = []
        """The same, in the order in which they run."""
        self.leaves: dict[Node, int] = {}
        """The accumulators that the roots lead to, and how many edges to each of them are still to bring something."""
        self.needed: set[Node] | None = None
        self.captures: dict[Node, list[tuple[int, int]]] = {}
        self.captured: list[Any] = []
        self.given: dict[int, tuple[Any, Any]] = _NONE_GIVEN
        """In a pass on arrays: gradients that users gave, array and Tensor, by the identity of the array."""
        self.running: Node | None = None
        self.watched = state.special != 0 and (
            anomaly.enabled or state.profiler is not None or state.modes.kernels is not None
        )


def run_backward(
    roots: list[tuple[Any, Any]],
    keep_graph: bool,
    create_graph: bool,
    inputs: list[Any] | None = None,
    accumulate: bool = False,
) -> list[Any]:
    """Run from ``roots``, pairs of (edge, gradient Tensor). ``inputs`` are edges: of interest alone, if given.

    With ``accumulate`` gradients end in ``.grad``, else those of ``inputs`` are returned, as Tensors or None.
    """
    task = Task(keep_graph, create_graph)
    if state.special and state.modes.capture is not None:
        task.xp = TENSORS  # operators are written down, kernels are not
    for _, g in roots:
        if g is not None and (g.wraps or (type(g) is not Tensor_ and getattr(g, "sees_gradients", False))):
            task.xp = TENSORS  # only operators know what to do with a gradient that is a dual or a batch, or has a mask
    if state.special and any(getattr(mode, "sees_gradients", False) for mode in state.modes.function_modes):
        task.xp = TENSORS  # and only they are seen
    if state.special and state.modes.kernels is not None and state.modes.kernels.sees_gradients:
        task.xp = TENSORS  # likewise
    _survey(task, [edge for edge, _ in roots])
    if len(roots) > 1:
        check_roots(roots)
    if state.dispatching and task.xp.is_raw:
        from ..ops import dispatch  # it imports this module

        if dispatch.involved(task, roots):
            task.xp = TENSORS
    xp = task.xp
    start = [(edge, _raw_start(g) if xp.is_raw else g) for edge, g in roots]
    if xp.is_raw:
        task.given = {id(value): (value, g) for (_, value), (_, g) in zip(start, roots) if g is not None}
    if inputs is not None:
        task.captured = [None] * len(inputs)
        _find_needed(task, inputs, accumulate)
    end_of_log = logged.begin([edge for edge, _ in roots]) if logged.is_wanted() else None
    watch = state.watch if state.special and not state.modes.backward_depth else None
    if watch is not None:
        watch.backward_begins(task, start)
    modes = state.modes
    outer = (modes.grad_enabled, modes.running, modes.backward_depth)
    levels = modes.levels
    if levels:  # the graph is about plain tensors, below all transforms
        modes.levels = ()
    try:
        if modes.backward_depth and modes.backward_depth % _LEVELS_PER_THREAD == 0:
            _in_new_thread(task, start)
        else:
            _enter(task, start, outer)
    finally:
        if levels:
            modes.levels = levels
        if end_of_log is not None:
            end_of_log()
    if watch is not None:
        watch.backward_ends(task, start, keep_graph)
    if not xp.is_raw:
        if not create_graph and modes.capture is not None:
            own = [g for _, g in roots]
            return [g if any(g is each for each in own) else _without_base(g) for g in task.captured]
        return task.captured
    return list(shown(task, task.captured))


def _without_base(g: Any) -> Any:
    """A gradient as it comes of arrays: no view of another tensor."""
    is_view = g is not None and g._meta is not None and g._meta.base is not None
    return Tensor_._wrap(g._array) if is_view else g


_ONE = {F32: np.float32(1), F64: np.float64(1)}


def run_plainly(root: Any, gradient: Any) -> bool:
    """What ``root.backward(gradient)`` does, where nothing is unusual; else nothing is done and the answer is False."""
    node = root._node
    array = root._array
    if node is None or node.multi or state.special or state.dispatching or type(array) is not ndarray:
        return False
    g: Any
    if gradient is None:
        g = None if array.ndim else _ONE.get(array.dtype)
        if g is None:
            return False
    else:
        if type(gradient) is not Tensor_:
            return False
        g = gradient._array
        if type(g) is not ndarray or g.shape != array.shape or g.dtype is not array.dtype:
            return False
        if not g.ndim:
            g = g[()]
    modes = state.modes
    if modes.levels or modes.backward_depth or logged.is_wanted():
        return False
    if gradient is None and not isfinite(array.item()):
        return False
    task = Task(False, False, 3)
    if gradient is not None:
        task.given = {id(g): (g, gradient)}
    _survey(task, [node])
    _enter(task, [(node, g)], (True, modes.running, 0))
    return True


def _raw_start(g: Any) -> Any:
    """A Tensor as a raw gradient; see NOTE [scalars]."""
    if g is None:
        return None
    array = resolved(g._array)
    return array if array.ndim or array.__class__ is not ndarray else array[()]


def _enter(
    task: Task, start: list[tuple[Any, Any]], outer: tuple[bool, Any, int], execute: Callable[..., None] | None = None
) -> None:
    """Run a pass, or what ``execute`` does of it, with the modes of this thread set as in a pass."""
    enabled, running, depth = outer
    modes = state.modes.__dict__
    place = modes.get("place")
    modes["running"] = task
    modes["backward_depth"] = depth + 1
    if not task.xp.is_raw:
        modes["place"] = (task.by.code, task.by.instruction)
    if enabled is not task.create_graph:
        state.set_grad(task.create_graph)
    token = quiet.begin()
    try:
        (execute or _execute)(task, start)
        while task.callbacks:
            for callback in _taken(task.callbacks):
                callback()
    finally:
        quiet.end(token)
        modes["running"] = running
        modes["backward_depth"] = depth
        modes["place"] = place
        if enabled is not task.create_graph:
            state.set_grad(enabled)


def _taken(callbacks: list[Any]) -> list[Any]:
    taken = callbacks[:]
    callbacks.clear()
    return taken


def _in_new_thread(task: Task, start: list[tuple[Any, Any]]) -> None:
    modes = state.snapshot()
    failure: list[BaseException] = []

    def work() -> None:
        state.update(**modes)
        try:
            _enter(task, start, (modes["grad_enabled"], modes["running"], modes["backward_depth"]))
        except BaseException as e:
            failure.append(e)
        finally:
            state.update(grad_enabled=True, inference=False, saved_hooks=(), saved_hooks_disabled=None,
                          function_modes=(), levels=(), dual=None)  # fmt: skip

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    if failure:
        raise failure[0]


def _survey(task: Task, roots: list[Any]) -> None:
    """Find what the roots lead to."""
    reached, leaves, order = task.reached, task.leaves, task.order
    add, append = reached.add, order.append
    for root in roots:
        node = root.node if type(root) is Port else root
        if type(node) is AccumulateGrad:
            leaves.setdefault(node, 0)
        elif node not in reached:
            add(node)
            append(node)
    for node in order:  # which grows meanwhile
        for edge in node.next:
            if edge is None:
                continue
            if type(edge) is AccumulateGrad:
                leaves[edge] = leaves.get(edge, 0) + 1
                continue
            if type(edge) is Port:
                edge = edge.node
            if edge not in reached:
                add(edge)
                append(edge)
    if graph.renumbered:
        _sort_by_readiness(order)
    else:
        order.sort(key=_sequence, reverse=True)


_sequence = attrgetter("seq")


def _sort_by_readiness(nodes: list[Any]) -> None:
    """NOTE [order] to the letter, for nodes whose numbers a user has changed."""
    leading = dict.fromkeys(nodes, 0)
    targets = {
        node: [edge.node if type(edge) is Port else edge for edge in node.next if edge is not None] for node in nodes
    }
    for node in nodes:
        for target in targets[node]:
            if target in leading:
                leading[target] += 1
    heap = [(-node.seq, node) for node in nodes if not leading[node]]
    heapq.heapify(heap)
    nodes.clear()
    while heap:
        node = heapq.heappop(heap)[1]
        nodes.append(node)
        for target in targets[node]:
            if target in leading:
                leading[target] -= 1
                if not leading[target]:
                    heapq.heappush(heap, (-target.seq, target))


def _find_needed(task: Task, inputs: list[Any], accumulate: bool) -> None:
    """Which nodes lie on a path to an input."""
    needed: set[Node] = set()
    wanted: set[Node] = set()
    for index, edge in enumerate(inputs):
        if edge is None:
            continue
        node, nr = (edge.node, edge.nr) if edge.__class__ is Port else (edge, 0)
        wanted.add(node)
        if accumulate:
            needed.add(node)
        else:
            task.captures.setdefault(node, []).append((nr, index))
    for node in reversed(task.order):
        for edge in node.next:
            target = edge.node if type(edge) is Port else edge
            if target in needed or target in wanted:
                needed.add(node)
                break
    task.needed = needed


def _edges_to_compute(wanted: set[Node], edges: tuple[Any, ...]) -> tuple[Any, ...]:
    """The edges that lead to nodes of interest; None in place of the others."""
    return tuple(
        [edge if edge is not None and (edge.node if type(edge) is Port else edge) in wanted else None for edge in edges]
    )


def _execute(task: Task, start: list[tuple[Any, Any]]) -> None:
    leaves = task.leaves
    keep = task.keep_graph
    by = task.by
    xp = task.xp
    raw = xp.is_raw
    captures = task.captures
    wanted = None if task.needed is None else task.needed.union(captures)
    if wanted is not None and wanted.issuperset(task.reached) and wanted.issuperset(leaves):
        wanted = None  # all nodes are
    watched = task.watched
    buffers: dict[Node, Any] = {}
    owned: set[Node] = set()
    take = buffers.pop

    if wanted is not None:
        if len(start) == 1:
            wanted.update(_heard(start[0][0]))
        start = [(edge, g) for edge, g in start if (edge.node if type(edge) is Port else edge) in wanted]
    for edge, g in start:
        _receive(buffers, owned, edge, g, raw)
    for edge, _ in start:
        if type(edge) is AccumulateGrad and not leaves[edge] and edge in buffers:
            _run_accumulator(task, edge, take(edge), 0)

    order = iter(task.order)
    for node in order:
        g = take(node, _NOTHING)
        while g is not _NOTHING:
            edges = node.next if wanted is None else _edges_to_compute(wanted, node.next)
            if node.attached is not None or watched or (captures and node in captures):
                grads, edges = run_watched(task, node, g, edges)
            else:
                grads = node.propagate(g, xp, edges)
                if not keep and node.saved is not EMPTY:
                    if node.always_frees:
                        node.saved = by
                    else:
                        node.free(by)
                if node.adapt is not None:
                    grads = adapt(node, grads, edges, xp)

            # The short way, for chains: a gradient for a node that waits for nothing else, and at most one for a leaf
            # that waits for more.
            n = len(edges)
            if n == 1 or n == 2:
                at = 0
                leaf = None
                if n == 2:
                    edge, leaf = edges
                    if edge is None or type(edge) is AccumulateGrad:
                        at = 1
                        edge, leaf = leaf, edge
                else:
                    edge = edges[0]
                if (
                    edge is not None
                    and type(edge) is not AccumulateGrad
                    and type(edge) is not Port
                    and (leaf is None or (type(leaf) is AccumulateGrad and leaves[leaf] > 1))
                    and edge not in buffers
                ):
                    if leaf is not None:
                        leaves[leaf] -= 1
                        _receive(buffers, owned, leaf, grads[1 - at], raw)
                    g = grads[at]
                    node = next(order)
                    if node is not edge:
                        buffers[edge] = g
                        g = take(node, _NOTHING)
                    continue

            for edge, g in zip(edges, grads):
                if edge is None:
                    continue
                if type(edge) is AccumulateGrad:
                    left = leaves[edge] - 1
                    if left:
                        leaves[edge] = left
                        _receive(buffers, owned, edge, g, raw)
                    elif edge in buffers:
                        g = _joined(take(edge), g, edge in owned)
                        _run_accumulator(task, edge, g, _PASSING_JOINED)
                    else:
                        _run_accumulator(task, edge, g, _PASSING)
                elif type(edge) is Port or edge in buffers:
                    _receive(buffers, owned, edge, g, raw)
                else:
                    buffers[edge] = g
            break
        grads = g = None


_NOTHING: Any = object()


def _heard(root: Any) -> list[Node]:
    """The only root if hooks listen to it: PyTorch calls them, even if it leads to nothing that is wanted."""
    node = root.node if type(root) is Port else root
    meta = node.variable._meta if type(node) is AccumulateGrad else None
    return [node] if node.attached is not None or (meta is not None and meta.hooks) else []


def _run_accumulator(task: Task, node: Any, g: Any, passing: int) -> None:
    if node.attached is not None or node.variable._meta.hooks or task.watched:
        if state.profiler is None:
            run_watched(task, node, g, ())
        else:
            measure_accumulator(task, node, g, passing + 1)
    elif node in task.captures:
        for _, index in task.captures[node]:
            task.captured[index] = g
    else:
        node.add(g, task.xp, passing)


def _receive(buffers: dict[Node, Any], owned: set[Node], edge: Any, g: Any, raw: bool) -> None:
    """Add a gradient to what waits at an edge. A node with several outputs has a list of gradients."""
    if type(edge) is not Port:
        before = buffers.get(edge)
        if before is None:
            if g is not None or edge not in buffers:
                buffers[edge] = g
        elif g is None:
            pass
        elif not raw or not before.ndim:
            buffers[edge] = before + g
        elif edge in owned:
            np.add(before, g, before)
        else:
            buffers[edge] = total = before + g
            if type(total) is ndarray:
                owned.add(edge)
        return
    node, nr = edge.node, edge.nr
    slots = buffers.get(node)
    if slots is None:
        slots = buffers[node] = [None] * node.output_count()
    if g is not None:
        before = slots[nr]
        slots[nr] = g if before is None else before + g


def _joined(before: Any, g: Any, owned: bool) -> Any:
    """The sum of two gradients of which one may be missing, in place if the engine owns the first."""
    if before is None or g is None:
        return g if before is None else before
    return np.add(before, g, before) if owned else before + g


# ---- calling a node by hand, and callbacks


def call_node(node: Node, grads: tuple[Any, ...]) -> Any:
    """``node(grad)``: apply one node's rule by itself: no hooks run, nothing is freed."""
    expected = node.output_count()
    if len(grads) != expected:
        raise TypeError(f"expected {expected} arguments, got {len(grads)} instead")
    for i, g in enumerate(grads):
        if g is not None and not isinstance(g, Tensor_):
            raise TypeError(f"argument {i} is not a Variable")
    xp = TENSORS if state.grad_enabled() else ARRAYS
    values = [value_of(g, xp) for g in grads]
    result = node.propagate(values if node.multi else values[0], xp, node.next)
    if node.adapt is not None:
        result = adapt(node, result, node.next, xp)
    shown = as_tensors(list(result), xp)
    return shown[0] if len(shown) == 1 else shown


def queue_callback(callback: Callable[[], None]) -> None:
    """Have ``callback`` called when the running backward pass has finished."""
    task = state.modes.running
    if task is None:
        raise RuntimeError("Final callbacks can only be installed during backward pass.")
    task.callbacks.append(callback)
