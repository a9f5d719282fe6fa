"""``facula.steps``: the backward pass, one node at a time.

Order, rules, hooks and accumulation are the engine's own; only the loop is another, which stops after each node and
keeps a journal by which it can go back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .._core import state
from . import differentiate, engine
from .accumulate import AccumulateGrad
from .engine import Task
from .graph import EMPTY, Freed, Node, Port, Source
from .saved import freed_error
from .watched import as_tensors, run_watched, value_of

_NOTHING: Any = object()


def steps(tensor: Any, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False) -> Steps:
    """Run ``tensor.backward()`` one node at a time: an iterator of ``Step``.

    The gradients that a step computed go on when the next one is asked for, so they can be changed before, by giving
    ``step.outgoing`` another value. ``back()`` returns to the step before, ``rewind()`` to the beginning.

    Whoever leaves early finds in ``.grad`` what had arrived by then, and the graph as it was. At the end the graph is
    freed, as ``backward()`` does.
    """
    if not isinstance(tensor, engine.Tensor_):
        raise TypeError(f"steps() takes the tensor to go backward from, but got {type(tensor).__name__}")
    if state.modes.levels and state.modes.levels != (state.modes.dual,):
        raise RuntimeError("steps() cannot be called inside a transform, as backward() cannot")
    if gradient is None and tensor.requires_grad and tensor._array.size != 1:
        raise RuntimeError(
            "grad can be implicitly created only for scalar outputs\n"
            f"The tensor is of shape {list(tensor.shape)}. Pass a gradient of that shape as the second argument, or go "
            "backward from one number: its sum() or mean()."
        )
    roots = differentiate._root_edges((tensor,), differentiate._starting_grads((tensor,), (gradient,)))
    return Steps(roots, create_graph if retain_graph is None else retain_graph, create_graph)


class Step:
    """One node of a backward pass that has just run. What it computed has not gone on yet."""

    def __init__(self, index: int, node: Any, incoming: list[Any], outgoing: Any, edges: Any, xp: Any) -> None:
        self.index = index
        """How many steps came before."""
        self.node: Node = node
        self._xp = xp
        self._edges: tuple[Any, ...] = edges
        self._incoming = incoming
        self._outgoing: list[Any] = list(outgoing)
        self._shown: tuple[Any, ...] | None = None

    @property
    def source(self) -> Source | None:
        """The line of the user's program that made the node."""
        return self.node.source

    @property
    def incoming(self) -> tuple[Any, ...]:
        """The gradient that arrived, for each output of the operation; None where none did."""
        return _copies(self._incoming, self._xp)

    @property
    def outgoing(self) -> tuple[Any, ...]:
        """The gradient that goes on along each edge of ``node.next_functions``; it can be set, or changed in place."""
        if self._shown is None:
            self._shown = _copies(self._outgoing, self._xp)
        return self._shown

    @outgoing.setter
    def outgoing(self, gradients: Any) -> None:
        given = (gradients,) if gradients is None or isinstance(gradients, engine.Tensor_) else tuple(gradients)
        if len(given) != len(self._outgoing):
            count = len(self._outgoing)
            raise ValueError(f"{_name(self.node)} sends {count} gradients on, but {len(given)} were given")
        for i, (new, old) in enumerate(zip(given, self._outgoing)):
            if new is None:
                continue
            if not isinstance(new, engine.Tensor_):
                raise TypeError(f"gradient {i} must be a Tensor or None, but is {type(new).__name__}")
            array = old._array if isinstance(old, engine.Tensor_) else old
            if array is not None and (new._array.shape != array.shape or new._array.dtype != array.dtype):
                raise ValueError(
                    f"gradient {i} of {_name(self.node)} has shape {list(array.shape)} and dtype {array.dtype}, but "
                    f"the one given has shape {list(new.shape)} and dtype {new._array.dtype}"
                )
        self._shown = given

    @property
    def saved(self) -> dict[str, Any]:
        """What the node kept for this, by PyTorch's names."""
        return saved_values(self.node)

    def _values(self) -> list[Any]:
        return self._outgoing if self._shown is None else [value_of(t, self._xp) for t in self._shown]

    def __repr__(self) -> str:
        where = f" of {self.source}" if self.source is not None else ""
        return f"<step {self.index}: {_name(self.node)}{where}>"


class Steps(Iterator[Step]):
    """A backward pass that stops after each node."""

    def __init__(self, roots: list[tuple[Any, Any]], keep_graph: bool, create_graph: bool) -> None:
        self._keep_graph = keep_graph
        self._task = task = Task(True, create_graph)
        if any(g is not None and g.wraps for _, g in roots):
            task.xp = engine.TENSORS
        engine._survey(task, [edge for edge, _ in roots])
        for node in task.order:
            held = node.saved
            if type(held) is Freed or (type(held) is tuple and any(type(value) is Freed for value in held)):
                raise freed_error(node)
        self._buffers: dict[Any, Any] = {}
        self._ready: list[Any] = []
        """Accumulators that have got all their gradients."""
        self._at = 0
        """How far the engine's order has been gone through."""
        self._past: list[tuple[Step, _Journal]] = []
        self._count = 0
        self._ran: set[Any] = set()
        self._callbacks: list[Callable[[], None]] = []
        self._ended = False
        raw = task.xp.is_raw
        for edge, g in roots:
            engine._receive(self._buffers, set(), edge, engine._raw_start(g) if raw else g, False)
            if type(edge) is AccumulateGrad and not task.leaves[edge]:
                self._ready.append(edge)

    def __iter__(self) -> Steps:
        return self

    @property
    def current(self) -> Step | None:
        """The step at which the pass stands; None before the first."""
        return self._past[-1][0] if self._past else None

    @property
    def total(self) -> int:
        """How many nodes the graph has."""
        return len(self._task.order) + len(self._task.leaves)

    def __next__(self) -> Step:
        if self._ended:
            raise StopIteration
        journal = _Journal(self)
        try:
            if self._past:
                self._pass_on(self._past[-1][0], journal)
            node = self._next_node()
            if node is None:
                self._end()
                raise StopIteration
            step = self._run(node, journal)
        except StopIteration:
            raise
        except BaseException:
            journal.undo(self)
            raise
        self._past.append((step, journal))
        self._count += 1
        return step

    def back(self) -> Step | None:
        """Undo the current step, also in ``.grad``, and return to the one before: None before the first.

        What hooks did is not undone; they run again on the way forward.
        """
        if self._ended and not self._keep_graph:
            raise RuntimeError(
                f"the pass has ended and freed its graph (it began at {self._task.by}): there is no way back. "
                "Use steps(..., retain_graph=True) to keep it."
            )
        self._ended = False
        if self._past:
            self._past.pop()[1].undo(self)
            self._count -= 1
        return self.current

    def rewind(self) -> None:
        """Undo all steps: ``.grad`` is as it was before the first."""
        while self._past:
            self.back()

    def forget(self) -> None:
        """Let go of the steps before the current one, and of their gradients: going back ends here."""
        del self._past[:-1]

    def _next_node(self) -> Any:
        if self._ready:
            return self._ready.pop(0)
        order = self._task.order
        while self._at < len(order):
            node = order[self._at]
            self._at += 1
            if node in self._buffers:
                return node
        return None

    def _pass_on(self, step: Step, journal: _Journal) -> None:
        """Send the gradients of a step along its edges; sums are out of place, so that they can be undone."""
        leaves = self._task.leaves
        for edge, g in zip(step._edges, step._values()):
            if edge is None:
                continue
            journal.note(self._buffers, edge.node if type(edge) is Port else edge)
            engine._receive(self._buffers, set(), edge, g, False)
            if type(edge) is AccumulateGrad:
                journal.note(leaves, edge)
                leaves[edge] -= 1
                if not leaves[edge]:
                    self._ready.append(edge)

    def _run(self, node: Any, journal: _Journal) -> Step:
        task = self._task
        journal.note(self._buffers, node)
        g = self._buffers.pop(node)
        journal.note_gradients(node)
        found: list[Any] = [(), ()]
        if type(node) is AccumulateGrad:
            self._inside(lambda: engine._run_accumulator(task, node, g, 0))
        else:
            self._inside(lambda: found.__setitem__(slice(None), run_watched(task, node, g, node.next)))
        self._ran.add(node)
        return Step(self._count, node, list(g) if node.multi else [g], found[0], found[1], task.xp)

    def _inside(self, work: Callable[[], None]) -> None:
        """Do a part of the pass with the modes of a pass. Callbacks wait for its end."""
        task, modes = self._task, state.modes

        def execute(*_: Any) -> None:
            work()
            self._callbacks += task.callbacks
            task.callbacks.clear()

        outer = (modes.grad_enabled, modes.running, modes.backward_depth)
        levels, modes.levels = modes.levels, ()
        try:
            engine._enter(task, [], outer, execute)
        finally:
            modes.levels = levels

    def _end(self) -> None:
        self._ended = True
        task, modes = self._task, state.modes
        if not self._keep_graph:
            for node in self._ran:
                if node.saved is not EMPTY:
                    node.free(task.by)
        if self._callbacks:
            task.callbacks, self._callbacks = self._callbacks, []
            outer = (modes.grad_enabled, modes.running, modes.backward_depth)
            engine._enter(task, [], outer, lambda *_: None)


class _Journal:
    """What one step changes, to be put back."""

    def __init__(self, steps: Steps) -> None:
        self.at = steps._at
        self.ready = steps._ready[:]
        self.changed: list[tuple[dict[Any, Any], Any, Any]] = []
        self.gradients: list[tuple[Any, Any, Any]] = []

    def note(self, held: dict[Any, Any], key: Any) -> None:
        value = held.get(key, _NOTHING)
        self.changed.append((held, key, value))
        if type(value) is list:  # of the gradients of several outputs
            held[key] = value[:]

    def note_gradients(self, node: Any) -> None:
        """The ``.grad`` that a node will write to: of a leaf, or of tensors that retain theirs."""
        if type(node) is AccumulateGrad:
            self._note_gradient(node.variable._meta)
        if node.attached is not None:
            for reference in node.attached.retain.values():
                if (t := reference()) is not None:
                    self._note_gradient(t._own_meta())

    def _note_gradient(self, meta: Any) -> None:
        grad = meta.grad
        self.gradients.append((meta, grad, None if grad is None else grad._array.copy()))

    def undo(self, steps: Steps) -> None:
        for held, key, value in reversed(self.changed):
            if value is _NOTHING:
                held.pop(key, None)
            else:
                held[key] = value
        for meta, grad, array in self.gradients:
            if grad is not None and not np.array_equal(grad._array, array, equal_nan=array.dtype.kind in "fc"):
                np.copyto(grad._array, array)
                grad._bump_version()
            meta.grad = grad
        steps._at, steps._ready = self.at, self.ready


def saved_values(node: Any) -> dict[str, Any]:
    """What a node saved, by PyTorch's names: tensors and plain values."""
    found = {
        name.removeprefix("_saved_"): getattr(node, name)
        for name in sorted(dir(type(node)))
        if name.startswith("_saved_")
    }
    if hasattr(type(node), "_raw_saved_tensors"):  # of a custom Function
        found = {f"saved_tensors[{i}]": t.unpack() for i, t in enumerate(node._raw_saved_tensors)}
    return {name: value for name, value in found.items() if value is not None}


def _copies(grads: list[Any], xp: Any) -> tuple[Any, ...]:
    """Gradients as Tensors of their own: the engine may hand one array to several edges."""
    return as_tensors([np.array(g) if g is not None and xp.is_raw else g for g in grads], xp)


def _name(node: Any) -> str:
    return type(node).__name__
