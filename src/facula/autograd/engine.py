"""THE loop: carries gradients from the roots to the leaves.

It runs in one of two worlds. In the raw world gradients are ndarrays and rules call NumPy: the common case. In the
Tensor world (``create_graph=True``) gradients are Tensors and the same rules call facula's own operators, so the
backward pass is recorded and can be differentiated again.

NOTE [order]: among the ready nodes the newest (greatest sequence number) runs first, except that a leaf's accumulator
runs as soon as it is ready. By NOTE [sequence numbers] the newest discovered node is always ready once the nodes that
lead to it are done; counts of dependencies are kept to know the same for accumulators.

NOTE [ownership]: ``add`` hands one and the same array to both its inputs, so a gradient that arrives may be shared. The
first sum at a meeting point allocates; from then on the engine owns that array and adds in place.
"""

from __future__ import annotations

import heapq
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _state
from ..ops._xp import RAW, TENSOR
from . import anomaly
from .graph import AccumulateGrad, Freed, Node, Port

# A backward call inside a backward call uses Python's stack. Beyond this many levels the work moves to a new thread,
# which has a stack of its own.
_LEVELS_PER_THREAD = 40

_MISSING = object()
Tensor_: Any = None


class Task:
    """One backward pass."""

    __slots__ = (
        "by", "callbacks", "captured", "captures", "create_graph", "dependencies", "keep_graph", "needed", "running", "xp",
    )  # fmt: skip

    def __init__(self, keep_graph: bool, create_graph: bool) -> None:
        self.keep_graph = keep_graph
        self.create_graph = create_graph
        self.xp = TENSOR if create_graph else RAW
        self.by = Freed(4)
        self.callbacks: list[Callable[[], None]] = []
        self.dependencies: dict[Node, int] = {}
        self.needed: set[Node] | None = None
        self.captures: dict[Node, list[tuple[int, int]]] = {}
        self.captured: list[Any] = []
        self.running: Node | None = None


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
    xp = task.xp
    start = [(edge, g if g is None or not xp.is_raw else g._array) for edge, g in roots]
    order = _count_dependencies(task, [edge for edge, _ in roots])
    if inputs is not None:
        task.captured = [None] * len(inputs)
        _find_needed(task, order, inputs, accumulate)
    modes = _state.modes
    outer = (modes.grad_enabled, modes.running, modes.backward_depth)
    if modes.backward_depth and modes.backward_depth % _LEVELS_PER_THREAD == 0:
        _in_new_thread(task, start)
    else:
        _enter(task, start, outer)
    if not xp.is_raw:
        return task.captured
    return [None if g is None else Tensor_._wrap(np.asarray(g)) for g in task.captured]


def _enter(task: Task, start: list[tuple[Any, Any]], outer: tuple[bool, Any, int]) -> None:
    enabled, running, depth = outer
    _state.modes.running = task
    _state.modes.backward_depth = depth + 1
    if enabled is not task.create_graph:
        _state.update(grad_enabled=task.create_graph)
    try:
        _execute(task, start)
        while task.callbacks:
            for callback in _taken(task.callbacks):
                callback()
    finally:
        _state.modes.running = running
        _state.modes.backward_depth = depth
        if enabled is not task.create_graph:
            _state.update(grad_enabled=enabled)


def _taken(callbacks: list[Any]) -> list[Any]:
    taken = callbacks[:]
    callbacks.clear()
    return taken


def _in_new_thread(task: Task, start: list[tuple[Any, Any]]) -> None:
    modes = _state.snapshot()
    failure: list[BaseException] = []

    def work() -> None:
        _state.update(**modes)
        try:
            _enter(task, start, (modes["grad_enabled"], modes["running"], modes["backward_depth"]))
        except BaseException as e:
            failure.append(e)
        finally:
            _state.update(grad_enabled=True, **dict.fromkeys(("inference", "anomaly"), False), saved_hooks=(),
                          saved_hooks_disabled=None, function_modes=(), dual_level=-1)  # fmt: skip

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    if failure:
        raise failure[0]


def _count_dependencies(task: Task, roots: list[Any]) -> list[Node]:
    """How many edges lead to each node that the roots reach. Returns these nodes."""
    counts = task.dependencies
    stack: list[Node] = []
    for root in roots:
        node = root.node if root.__class__ is Port else root
        if node not in counts:
            counts[node] = 0
            stack.append(node)
    found = stack[:]
    while stack:
        for edge in stack.pop().next:
            if edge is not None:
                if edge.__class__ is Port:
                    edge = edge.node
                if edge in counts:
                    counts[edge] += 1
                else:
                    counts[edge] = 1
                    stack.append(edge)
                    found.append(edge)
    return found


def _find_needed(task: Task, reached: list[Node], inputs: list[Any], accumulate: bool) -> None:
    """Which nodes lie on a path to an input. Children come before parents in ascending sequence numbers."""
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
    for node in sorted(reached, key=_sequence):
        for edge in node.next:
            target = edge.node if edge.__class__ is Port else edge
            if target is not None and (target in needed or target in wanted):
                needed.add(node)
                break
    task.needed = needed


def _sequence(node: Node) -> float:
    return node.seq


def _edges_to_compute(task: Task, node: Node) -> tuple[Any, ...]:
    needed = task.needed
    if needed is None:
        return node.next
    captures = task.captures
    return tuple(
        edge
        if edge is not None and ((n := edge.node if edge.__class__ is Port else edge) in needed or n in captures)
        else None
        for edge in node.next
    )


def _execute(task: Task, start: list[tuple[Any, Any]]) -> None:
    counts = task.dependencies
    keep = task.keep_graph
    by = task.by
    xp = task.xp
    raw = xp.is_raw
    pruned = task.needed is not None
    watching = bool(task.captures) or _state.modes.anomaly
    buffers: dict[Node, Any] = {}
    owned: set[Node] = set()
    heap: list[tuple[float, Node]] = []

    for edge, g in start:
        node = edge.node if edge.__class__ is Port else edge
        _receive(buffers, owned, edge, g, raw)
        if counts[node] == 0 and all(node is not n for _, n in heap):
            heapq.heappush(heap, (-node.seq, node))
    if not heap:
        return
    node = heapq.heappop(heap)[1]
    g = buffers.pop(node)

    while True:
        if pruned or watching or node.attached is not None or node.__class__ is AccumulateGrad:
            edges = node.next if not pruned else _edges_to_compute(task, node)
            grads, edges = _run_watched(task, node, g, edges)
        else:
            edges = node.next
            grads = node.backward(g, xp, edges)
            if not keep and node.saved:
                node.free(by)
            if node.adapt is not None:
                grads = adapt(node, grads, edges, xp)

        following = None
        for edge, g in zip(edges, grads):
            if edge is None:
                continue
            if edge.__class__ is Port:
                target = edge.node
                _receive(buffers, owned, edge, g, raw)
                left = counts[target] - 1
                if left:
                    counts[target] = left
                    continue
                g = buffers.pop(target)
            else:
                target = edge
                left = counts[target] - 1
                if left:
                    counts[target] = left
                    _receive(buffers, owned, target, g, raw)
                    continue
                if target in buffers:
                    before = buffers.pop(target)
                    if before is not None:
                        g = before if g is None else _sum(before, g, target in owned, raw)
                        before = None
            if following is None and target.__class__ is not AccumulateGrad:
                following, following_g = target, g
            elif target.__class__ is AccumulateGrad:
                _run_accumulator(task, target, g, pruned, watching, xp)
            else:
                buffers[target] = g
                heapq.heappush(heap, (-target.seq, target))
        grads = g = None
        if following is not None:
            if not heap or -following.seq <= heap[0][0]:
                node, g = following, following_g
                following_g = None
                continue
            heapq.heappush(heap, (-following.seq, following))
            buffers[following] = following_g
            following_g = None
        elif not heap:
            return
        node = heapq.heappop(heap)[1]
        g = buffers.pop(node)


def _run_accumulator(task: Task, node: Any, g: Any, pruned: bool, watching: bool, xp: Any) -> None:
    if watching or pruned or node.attached is not None or node.variable._meta.hooks:
        _run_watched(task, node, g, ())
    else:
        node.backward(g, xp, ())


def _receive(buffers: dict[Node, Any], owned: set[Node], edge: Any, g: Any, raw: bool) -> None:
    """Add a gradient to what waits at an edge. A node with several outputs has a list of gradients."""
    if edge.__class__ is not Port:
        if g is None:
            buffers.setdefault(edge, None)
            return
        before = buffers.get(edge)
        if before is None:
            buffers[edge] = g
        else:
            buffers[edge] = _sum(before, g, edge in owned, raw)
            owned.add(edge)
        return
    node, nr = edge.node, edge.nr
    slots = buffers.get(node)
    if slots is None:
        slots = buffers[node] = [None] * node.output_count()
    if g is not None:
        before = slots[nr]
        slots[nr] = g if before is None else _sum(before, g, False, raw)


def _sum(a: Any, b: Any, owned: bool, raw: bool) -> Any:
    if owned and raw:
        a += b
        return a
    return a + b


def adapt(node: Node, grads: Any, edges: tuple[Any, ...], xp: Any) -> list[Any]:
    """Bring each gradient to the shape and dtype of the input it belongs to, where they were seen to differ."""
    wanted = node.adapt
    assert wanted is not None
    adapted = list(grads)
    for i, (g, want) in enumerate(zip(grads, wanted)):
        if g is None or want is None or edges[i] is None:
            continue
        shape, dtype = want
        if xp.is_raw:
            if g.shape != shape:
                g = xp.sum_to(g, shape)
            if g.dtype != dtype:
                g = g.real.astype(dtype) if g.dtype.kind == "c" and dtype.kind != "c" else g.astype(dtype)
        else:
            if g._array.shape != shape:
                g = xp.sum_to(g, shape)
            if g._array.dtype != dtype:
                if g._array.dtype.kind == "c" and dtype.kind != "c":
                    g = xp.real(g)
                g = xp.cast(g, dtype)
        adapted[i] = g
    return adapted


# ---- nodes with hooks, captures, or under anomaly mode


def _run_watched(task: Task, node: Node, g: Any, edges: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    """One node with everything that may be attached to it, in PyTorch's order."""
    task.running = node
    xp = task.xp
    attached = node.attached
    is_leaf = node.__class__ is AccumulateGrad
    tensor_hooks = attached.tensor if attached is not None else {}
    if is_leaf and node.variable._meta.hooks:  # type: ignore[attr-defined]
        tensor_hooks = {0: node.variable._meta.hooks}  # type: ignore[attr-defined]

    grads = list(g) if node.multi else [g]
    if tensor_hooks:
        for nr, hooks in tensor_hooks.items():
            grads[nr] = _call_tensor_hooks(list(hooks.values()), grads[nr], xp)
    if attached is not None:
        for nr, reference in attached.retain.items():
            _retain(reference(), grads[nr], xp)
    for nr, index in task.captures.get(node, ()):
        task.captured[index] = grads[nr]
    if task.needed is not None and node not in task.needed:
        return (), ()

    if attached is not None and attached.pre:
        for hook in list(attached.pre.values()):
            given = _wrapped(grads, xp)
            result = hook(given)
            if result is not None:
                grads = _checked_replacement(result, given, grads, xp)
    given_outputs = _wrapped(grads, xp) if attached is not None and attached.post else None

    g = grads if node.multi else grads[0]
    if _state.modes.anomaly:
        result = anomaly.run(node, g, xp, edges)
    else:
        result = node.backward(g, xp, edges)
    if not task.keep_graph and node.saved:
        node.free(task.by)
    if node.adapt is not None:
        result = adapt(node, result, edges, xp)
    if _state.modes.anomaly and _state.modes.anomaly_checks_nan:
        anomaly.check(node, result, xp)
    if given_outputs is not None:
        assert attached is not None
        grads = list(result)
        for hook in list(attached.post.values()):
            given = _wrapped(grads, xp)
            replaced = hook(given, given_outputs)
            if replaced is not None:
                grads = _checked_replacement(replaced, given, grads, xp)
        result = grads
    return result, edges


def _wrapped(grads: list[Any], xp: Any) -> tuple[Any, ...]:
    if not xp.is_raw:
        return tuple(grads)
    return tuple(None if g is None else Tensor_._wrap(np.asarray(g)) for g in grads)


def _call_tensor_hooks(hooks: list[Any], g: Any, xp: Any) -> Any:
    t = g if g is None or not xp.is_raw else Tensor_._wrap(np.asarray(g))
    for hook in hooks:
        result = hook(t)
        if result is not None:
            t = _checked_one(result, t)
    return t._array if xp.is_raw and t is not None else t


def _checked_replacement(result: Any, given: tuple[Any, ...], grads: list[Any], xp: Any) -> list[Any]:
    if not isinstance(result, tuple):
        result = (result,)
    if len(result) != len(given):
        raise RuntimeError(
            f"hook has returned an incorrect number of values (got {len(result)}, but expected {len(given)})"
        )
    replaced = []
    for new, old in zip(result, given, strict=True):
        t = None if new is None else _checked_one(new, old)
        replaced.append(t._array if xp.is_raw and t is not None else t)
    return replaced


def _checked_one(new: Any, old: Any) -> Any:
    if not isinstance(new, Tensor_):
        raise TypeError(f"expected Tensor, but hook returned '{type(new).__name__}'")
    if old is not None:
        if new._array.dtype != old._array.dtype:
            raise RuntimeError(
                f"hook has changed the type of value (was {old._type_name()} got {new._type_name()})"
            )
        if new.device != old.device:
            raise RuntimeError("hook has changed the device of value")
        if new._array.shape != old._array.shape:
            raise RuntimeError("hook has changed the size of value")
    return new


def _retain(t: Any, g: Any, xp: Any) -> None:
    if t is None or g is None:
        return
    meta = t._own_meta()
    if xp.is_raw:
        g = Tensor_._wrap(np.array(g, copy=True))
        if meta.grad is not None:
            g = Tensor_._wrap(np.asarray(meta.grad._array + g._array))
    else:
        g = g.clone() if meta.grad is None else meta.grad + g
    meta.grad = g


# ---- calling a node by hand, and callbacks


def call_node(node: Node, grads: tuple[Any, ...]) -> Any:
    """``node(grad)``: apply one node's rule, outside of any backward pass."""
    grads_list = [None if g is None else g for g in grads]
    expected = node.output_count()
    if len(grads_list) != expected:
        raise RuntimeError(f"expected {expected} gradients, got {len(grads_list)}")
    create = _state.grad_enabled()
    xp = TENSOR if create else RAW
    values = [g._array if xp.is_raw and g is not None else g for g in grads_list]
    task = Task(True, create)
    result, _ = _run_watched(task, node, values if node.multi else values[0], node.next)
    shown = _wrapped(list(result), xp)
    return shown[0] if len(shown) == 1 else shown if shown else None


def queue_callback(callback: Callable[[], None]) -> None:
    """Have ``callback`` called when the running backward pass has finished."""
    task = _state.modes.running
    if task is None:
        raise RuntimeError(
            "Final callbacks can only be installed during backward pass."
        )
    task.callbacks.append(callback)
