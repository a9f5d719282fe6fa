"""Running a captured function: the programs, and what becomes of what they give."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core import state
from ..._core.generator import default_generator
from ..._core.pytree import tree_unflatten
from ..._core.size import Size
from ..._core.unresolved import memory_of, viewed
from ..._tensor import Tensor
from ...autograd.accumulate import AccumulateGrad
from ...autograd.grad_mode import inference_mode, set_grad_enabled
from ...autograd.graph import Freed, Node, blank_node, new_node, next_sequence_number
from ...autograd.meta import AutogradMeta
from ...autograd.saved import freed_error, modified_error
from ...ops.machine.any_state import mark_inference
from ..programs.program import Declined, Mismatch, Raised, run
from . import replay
from .entry import DATA, DETACHED, INFERRED, UNRECORDED, Entry, Gradient, Place, Result, Shape, resolved
from .guards import Guard
from .sized import Backend, sized


class CompiledFunctionBackward(Node):
    """The backward side of a compiled function: a program, too."""

    __slots__ = ("edges", "given", "place", "results", "running", "shapes", "starts")
    results: Any
    """Those in memory that the backward program reads, without history: (tensor, version, which)."""
    edges: tuple[Any, ...]
    starts: tuple[Tensor, ...]
    """The tensors that its edges lead to, which are asked for them when needed: of a function that has called
    ``backward()`` itself hardly ever."""
    running: Running
    shapes: list[Any]
    """Those of its outputs."""
    given: Any
    place: Any
    """Where the random stream was, if the program draws from it."""
    multi = True

    @property
    def next(self) -> tuple[Any, ...]:
        return self.edges or tuple([t._edge() for t in self.starts])

    @next.setter
    def next(self, edges: tuple[Any, ...]) -> None:
        self.edges = edges

    def output_count(self) -> int:
        return len(self.running.kinds)

    def propagate(self, g: Any, xp: Any, edges: tuple[Any, ...]) -> Any:
        if isinstance(self.saved, Freed):
            raise freed_error(self)
        self.check_versions()
        if xp.is_raw:
            return self.running.gradients(self, g, edges)
        return self.running.gradients_as_tensors(self, g, edges)

    def check_versions(self) -> None:
        """See that what the backward program reads is what it was."""
        for at in self.running.entry.saved_inputs:
            t, version = self.given[at]
            counter = t._counter
            if (0 if counter is None else counter[0]) != version:
                raise modified_error(self, t, version, False)
        for t, version, slot in self.results:
            if t._counter[0] != version:
                raise modified_error(self, t, version, True, slot)

    def free(self, by: Freed) -> None:
        self.saved = by
        self.given = None
        self.results = ()

    def __repr__(self) -> str:
        return f"<torch.autograd.function.CompiledFunctionBackward object at {id(self):#x}>"


def _new_tensor(array: str, version: int) -> list[str]:
    """Lines that make a tensor, as ``Tensor._wrap`` does."""
    lines = ["t = new(Tensor)", f"t._array = {array}", "t._node = t._meta = t._counter = None"]
    return [*lines, f"t._shared_counter()[0] = {version}"] if version else lines


_FREED_NODE = [
    "n = new(CompiledFunctionBackward)",
    "n.running = running",
    "n.saved = freed",
    "n.code, n.instruction, n.seq = freed.code, freed.instruction, next_sequence_number()",
    "n.versions = n.adapt = n.attached = n.given = n.place = None",
    "n.edges = n.results = ()",
]
"""Lines that make the node of a function that has called ``backward()`` itself, as ``Running._node`` does."""


def _has_hooks(edge: Any) -> bool:
    node = getattr(edge, "node", edge)
    if node is None or node.attached is not None:
        return node is not None
    return isinstance(node, AccumulateGrad) and bool(node.variable._meta.hooks)  # type: ignore[union-attr]


def _view(t: Any, steps: Any, how: str) -> Any:
    """A view of a tensor, made as the function made it."""
    if how == DETACHED:
        t = t.detach()
    elif how == DATA:
        t = t.data
    modes = set_grad_enabled(how != UNRECORDED and state.grad_enabled())
    with modes if how != INFERRED else inference_mode():
        return replay.seen_through(t, steps)


class Running:
    """An entry that is ready to be run."""

    def __init__(self, entry: Entry, guard: Guard, backend: Backend) -> None:
        self.entry = entry
        self.guard = guard
        self.looks: dict[str, Any] = {}
        """The arguments of the call that was captured, see ``reasons``."""
        self.again: replay.Again | None = None
        """The function itself."""
        self.number = 0
        """Its how manieth program of the function it is."""
        self._handled = "Mismatch" if getattr(backend, "is_of_user", False) else "Exception"
        """What may go wrong in a program; errors of a user's back end are the user's."""
        self.forward = sized(entry.forward, backend)
        self.differentiable: Callable[[list[Any]], Any] | None = getattr(self.forward, "differentiable", None)
        """What a user's back end has made of the forward program, on tensors, where it is another function."""
        of_backward = getattr(backend, "of_backward", backend)
        self.backward = None if entry.backward is None else sized(entry.backward, of_backward)
        roots: list[Any] = [t._array for t in entry.roots]
        self.kinds = [(array.plain.shape, array.dtype) for array in roots]
        self.is_single = entry.plan.is_leaf() and isinstance(entry.leaves[0], Result)
        self.draws = entry.forward.is_random
        self.is_general = entry.is_general
        self.kept_from = entry.kept_from
        self.inference = state.modes.inference
        self.freed: Any = Freed() if entry.is_freed else None
        self.call = self._caller()
        """``call(args, kwargs)`` runs it, or gives ``MISSED``. Raises ``Mismatch`` if a value is another than was
        observed, and then nothing has happened."""

    def _caller(self) -> Callable[..., Any]:
        """The call, written out: the guards, the program, what the function did besides computing, the results."""
        entry, tensors = self.entry, self.guard.tensors
        all_of_them = f"({''.join([f'{t}, ' for t in tensors])})"
        result: Any = entry.leaves[0] if self.is_single else None
        place = "generator.place()" if self.draws else "None"
        lines = ["try:", "    values = forward(arrays)", f"except {self._handled} as error:",
                 f"    values = otherwise(arrays, error, place{', others' if entry.generators else ''})"]  # fmt: skip
        if entry.generators:
            lines.insert(0, "others = places()")
        for at, times in entry.written:
            t = tensors[at]
            lines += [f"c = {t}._counter", f"if c is None: c = {t}._shared_counter()", f"c[0] += {times}"]
        for at, value, requires_grad, version in entry.grads:
            if value >= 0:
                lines += _new_tensor(f"values[{value}]", version)
            meta = f"{tensors[at]}._meta" if requires_grad else f"{tensors[at]}._own_meta()"
            lines.append(f"{meta}.grad = {'t' if value >= 0 else None}")
        is_plain = result is not None and not self.is_general and not self.inference and self.backward is None
        if is_plain and result.value >= 0 and not result.steps and result.slot <= 0:
            lines += _new_tensor(f"values[{result.value}]", result.version)
            if result.slot == 0:
                lines += [*_FREED_NODE, f"n.starts = ({''.join([f'{tensors[at]}, ' for at in entry.differentiable])})"]
                lines.append("t._node = n")
            lines.append("return t")
        else:
            lines.append(f"return results(values, {all_of_them}, place)")
        names: dict[str, Any] = {
            "forward": getattr(self.forward, "run", self.forward), "generator": default_generator, "Tensor": Tensor,
            "Mismatch": Mismatch, "otherwise": self._otherwise, "new": object.__new__,
            "results": self.results, "places": lambda: [generator.place() for generator in entry.generators],
            "CompiledFunctionBackward": CompiledFunctionBackward, "running": self, "freed": self.freed,
            "next_sequence_number": next_sequence_number,
        }  # fmt: skip
        return self.guard.call([f"place = {place}", *lines], names)

    def _otherwise(self, arrays: list[Any], error: Exception, place: Any, others: Any = ()) -> list[Any]:
        """The program could not be run to its end."""
        if place is not None:
            default_generator.go_back(place)
        for generator, its_place in zip(self.entry.generators, others):
            generator.go_back(its_place)
        if isinstance(error, Mismatch):
            raise error
        try:
            if isinstance(error, Declined):
                return run(self.entry.forward, arrays)
        except Mismatch:
            raise
        except Exception as e:
            error = e
        raise Raised from error

    def results(self, values: list[Any], tensors: list[Any], place: Any) -> Any:
        """Put the results together."""
        entry = self.entry
        node = None
        if self.backward is not None or entry.is_freed:
            node = self._node(values, tensors, place)
        made: dict[int, Any] = {}
        if self.is_single:
            return self._tensor(entry.leaves[0], values, tensors, node, made)
        leaves = []
        for leaf in entry.leaves:
            if type(leaf) is Result:
                leaf = self._tensor(leaf, values, tensors, node, made)
            elif type(leaf) is Gradient:
                leaf = tensors[leaf.given]._meta.grad
            elif type(leaf) is Place:
                leaf = values[leaf.value]
            elif type(leaf) is Shape:
                leaf = Size(resolved(leaf.sizes, values))
            leaves.append(leaf)
        return tree_unflatten(leaves, entry.plan)

    def _node(self, values: list[Any], tensors: list[Any], place: Any) -> Any:
        if self.backward is None:
            node = blank_node(CompiledFunctionBackward)
            node.code, node.instruction, node.seq = self.freed.code, self.freed.instruction, next_sequence_number()
            node.running, node.saved, node.given, node.place, node.results = self, self.freed, None, None, ()
            node.starts = tuple([tensors[at] for at in self.entry.differentiable])
            return node
        edges = tuple([tensors[at]._edge() for at in self.entry.differentiable])
        node = new_node(CompiledFunctionBackward, edges)
        node.running, node.place, node.starts = self, place, ()
        node.saved = tuple(values[self.kept_from :])
        node.results = []
        node.shapes = self.kinds
        if self.is_general:
            node.shapes = [None] * len(self.kinds)
            node.given = [(t, t._version) if isinstance(t, Tensor) else t for t in tensors]
        else:
            node.given = [(t, 0 if t._counter is None else t._counter[0]) if t is not None else None for t in tensors]
        return node

    def _tensor(self, result: Result, values: list[Any], tensors: list[Any], node: Any, made: dict[int, Any]) -> Any:
        """The tensor of a result, which is ``made`` once."""
        found = made.get(id(result))
        if found is None:
            if self.is_general and result.steps:
                steps = resolved(result.steps, values)
            else:
                steps = result.steps or ()
            if result.base is not None:
                found = _view(self._tensor(result.base, values, tensors, node, made), steps, result.how)
            elif result.value < 0:
                t = tensors[result.given]
                found = t if result.steps is None else _view(t, steps, result.how)
            else:
                found = self._new(result, values[result.value], steps, node)
            made[id(result)] = found
        return found

    def _new(self, result: Result, array: Any, steps: Any, node: Any) -> Tensor:
        for op, attributes, index in steps:
            array = viewed(op, array, attributes)
            array = array if index is None else array[index]
        t = Tensor._wrap(array)
        if result.version and not self.inference:
            t._shared_counter()[0] = result.version
        if result.slot >= 0 and node is not None:
            t._node = node
            t._meta = AutogradMeta()
            t._meta.output_nr = result.slot
            if self.is_general and self.backward is not None:
                node.shapes[result.slot] = array.shape, memory_of(array).dtype
        elif self.inference:
            mark_inference([t])
        if node is not None and result.value in self.entry.saved_results:
            node.results.append((t.detach(), t._version, max(result.slot, 0)))
        return t

    def source(self) -> str:
        """Both programs, as text."""
        texts = [getattr(self.forward, "text", None) or str(self.entry.forward)]
        if self.entry.backward is not None:
            texts.append(getattr(self.backward, "text", None) or str(self.entry.backward))
        return "\n\n".join(texts)

    # ---- backward

    def gradients(self, node: Any, g: Any, edges: tuple[Any, ...]) -> list[Any]:
        tangents = [
            np.zeros(*kind) if each is None else np.asarray(each) for each, kind in zip(g, node.shapes)
        ]
        try:
            if self.differentiable is not None and self.entry.is_replayable:
                found = self._by_operators(node, g, edges)
            else:
                found = self._ran_backward([*node.saved, *tangents])
        except Exception as error:  # the derivative takes another branch in this call, or fails
            if self._handled == "Mismatch" and not isinstance(error, Mismatch):
                raise
            found = self._by_operators(node, tangents, edges)
        elsewhere = self.differentiable is None and any(each is None for each in g)
        if elsewhere and not all(t is None or np.isfinite(t).all() for t in found):
            with contextlib.suppress(RuntimeError):  # a result without a gradient has no part in it
                found = self._by_operators(node, g, edges)
        return found if len(g) == 1 else self._reached(found, g, edges)

    def _by_operators(self, node: Any, g: Any, edges: tuple[Any, ...]) -> list[Any]:
        given = [None if t is None else Tensor._wrap(np.asarray(t)) for t in g]
        return [None if t is None else t._array for t in replay.gradients(self, node, given, edges)]

    def _ran_backward(self, arrays: list[Any]) -> list[Any]:
        assert self.backward is not None and self.entry.backward is not None
        try:
            return self.backward(arrays)
        except Declined:
            return run(self.entry.backward, arrays)

    def _reached(self, found: list[Any], g: Any, edges: tuple[Any, ...]) -> list[Any]:
        """Inputs that no result with a gradient depends on have none; where hooks wait for one, it is zero."""
        there = {slot for slot, each in enumerate(g) if each is not None}
        if len(there) == len(g):
            return found
        return [each if slots & there or _has_hooks(edge) else None
                for each, slots, edge in zip(found, self.entry.reach, edges)]  # fmt: skip

    def gradients_as_tensors(self, node: Any, g: Any, edges: tuple[Any, ...]) -> list[Any]:
        """The same on Tensors, recorded: the forward program is run again by operators, and differentiated."""
        return self._reached(replay.gradients(self, node, g, edges), g, edges)
