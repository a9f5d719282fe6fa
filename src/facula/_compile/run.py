"""Running a captured function: the programs, and what becomes of what they give."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core import state
from .._core.generator import default_generator
from .._core.pytree import tree_unflatten
from .._core.size import Size
from .._tensor import Tensor
from ..autograd.grad_mode import set_grad_enabled
from ..autograd.graph import Freed, Node, blank_node, new_node, next_sequence_number
from ..autograd.meta import AutogradMeta
from ..autograd.saved import freed_error
from ..ops.machine.any_state import mark_inference
from . import replay
from .entry import RECORDED, Entry, Gradient, Place, Result, Shape, resolved
from .guards import Guard
from .program import Declined, Mismatch, run
from .sized import Backend, sized


class CompiledFunctionBackward(Node):
    """The backward side of a compiled function: a program, too."""

    __slots__ = ("given", "place", "running", "shapes")
    running: Running
    shapes: list[Any]
    """Those of its outputs."""
    given: Any
    place: Any
    """Where the random stream was, if the program draws from it."""
    multi = True

    def output_count(self) -> int:
        return len(self.running.kinds)

    def propagate(self, g: Any, xp: Any, edges: tuple[Any, ...]) -> Any:
        if isinstance(self.saved, Freed):
            raise freed_error(self)
        if xp.is_raw:
            return self.running.gradients(self, g, edges)
        return self.running.gradients_as_tensors(self, g, edges)

    def free(self, by: Freed) -> None:
        self.saved = by
        self.given = None

    def __repr__(self) -> str:
        return f"<torch.autograd.function.CompiledFunctionBackward object at {id(self):#x}>"


class Running:
    """An entry that is ready to be run."""

    def __init__(self, entry: Entry, guard: Guard, backend: Backend) -> None:
        self.entry = entry
        self.guard = guard
        self.enter = guard.enter
        self.forward = sized(entry.forward, backend)
        self.backward = None if entry.backward is None else sized(entry.backward, backend)
        roots: list[Any] = [t._array for t in entry.roots]
        self.kinds = [(array.plain.shape, array.dtype) for array in roots]
        self.is_single = entry.plan.is_leaf() and isinstance(entry.leaves[0], Result)
        self.draws = entry.forward.is_random
        self.is_general = entry.is_general
        self.kept_from = entry.kept_from
        self.inference = state.modes.inference
        self.freed: Any = Freed() if entry.is_freed else None

    def call(self, arrays: list[Any], tensors: list[Any]) -> Any:
        """Run it. Raises ``Mismatch`` if a value is another than was observed, and then nothing has happened."""
        place = default_generator.place() if self.draws else None
        try:
            values = self.forward(arrays)
        except Mismatch:
            if place is not None:
                default_generator.go_back(place)
            raise
        except Declined:
            if place is not None:
                default_generator.go_back(place)
            values = run(self.entry.forward, arrays)
        self.repeat_effects(values, tensors)
        return self.results(values, tensors, place)

    def repeat_effects(self, values: list[Any], tensors: list[Any]) -> None:
        """Do what the function did besides computing."""
        entry = self.entry
        for at, times in entry.written:
            counter = tensors[at]._counter
            if counter is None:
                counter = tensors[at]._shared_counter()
            counter[0] += times
        for at, value in entry.grads:
            tensors[at]._meta.grad = None if value < 0 else Tensor._wrap(values[value])

    def results(self, values: list[Any], tensors: list[Any], place: Any) -> Any:
        """Put the results together."""
        entry = self.entry
        node = None
        if self.backward is not None or entry.is_freed:
            node = self._node(values, tensors, place)
        if self.is_single:
            return self._tensor(entry.leaves[0], values, tensors, node)
        made: dict[int, Any] = {}
        leaves = []
        for leaf in entry.leaves:
            if type(leaf) is Result:
                if id(leaf) not in made:
                    made[id(leaf)] = self._tensor(leaf, values, tensors, node)
                leaf = made[id(leaf)]
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
            node.running, node.saved, node.given, node.place = self, self.freed, None, None
            return node
        edges = tuple([tensors[at]._edge() for at in self.entry.differentiable])
        node = new_node(CompiledFunctionBackward, edges)
        node.running, node.place = self, place
        node.saved = tuple(values[self.kept_from :])
        node.shapes = self.kinds
        if self.is_general:
            node.shapes = [None] * len(self.kinds)
            node.given = [(t, t._version) if isinstance(t, Tensor) else t for t in tensors]
        else:
            node.given = [(t, 0 if t._counter is None else t._counter[0]) if t is not None else None for t in tensors]
        return node

    def _tensor(self, result: Result, values: list[Any], tensors: list[Any], node: Any) -> Any:
        if self.is_general and result.steps:
            result = result._replace(steps=resolved(result.steps, values))
        if result.value < 0:
            t = tensors[result.given]
            if result.steps is None:
                return t
            if result.slot == RECORDED:
                return replay.seen_through(t, result.steps)
            with set_grad_enabled(False):
                return replay.seen_through(t.detach(), result.steps)
        array = values[result.value]
        for op, attributes, index in result.steps or ():
            array = op.kernel(array, *attributes)
            array = array if index is None else array[index]
        t = Tensor._wrap(array)
        if result.slot >= 0 and node is not None:
            t._node = node
            t._meta = AutogradMeta()
            t._meta.output_nr = result.slot
            if self.is_general and self.backward is not None:
                node.shapes[result.slot] = array.shape, array.dtype
        elif self.inference:
            mark_inference([t])
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
        assert self.backward is not None and self.entry.backward is not None
        try:
            return self.backward([*node.saved, *tangents])
        except Declined:
            return run(self.entry.backward, [*node.saved, *tangents])
        except Mismatch:  # the derivative takes another branch in this call
            found = replay.gradients(self, node, [Tensor._wrap(t) for t in tangents], edges)
            return [None if t is None else t._array for t in found]

    def gradients_as_tensors(self, node: Any, g: Any, edges: tuple[Any, ...]) -> list[Any]:
        """The same on Tensors, recorded: the forward program is run again by operators, and differentiated."""
        return replay.gradients(self, node, g, edges)
