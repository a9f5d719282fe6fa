"""Running a captured function: the programs, and what becomes of what they give."""

from __future__ import annotations

from collections.abc import Callable
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


def _new_tensor(array: str) -> list[str]:
    """Lines that make a tensor, as ``Tensor._wrap`` does."""
    return ["t = new(Tensor)", f"t._array = {array}", "t._node = t._meta = t._counter = None"]


class Running:
    """An entry that is ready to be run."""

    def __init__(self, entry: Entry, guard: Guard, backend: Backend) -> None:
        self.entry = entry
        self.guard = guard
        self.looks: dict[str, Any] = {}
        """The arguments of the call that was captured, see ``reasons``."""
        self.number = 0
        """Its how manieth program of the function it is."""
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
        self.call = self._caller()
        """``call(arrays, tensors)`` runs it. Raises ``Mismatch`` if a value is another than was observed, and then
        nothing has happened."""

    def _caller(self) -> Callable[[list[Any], Any], Any]:
        """The call, written out: the program, what the function did besides computing, the results."""
        entry = self.entry
        result: Any = entry.leaves[0] if self.is_single else None
        place = "generator.place()" if self.draws else "None"
        lines = ["try:", "    values = forward(arrays)", "except (Mismatch, Declined) as error:",
                 f"    values = otherwise(arrays, error, place{', others' if entry.generators else ''})"]  # fmt: skip
        if entry.generators:
            lines.insert(0, "others = places()")
        for at, times in entry.written:
            lines += [f"t = tensors[{at}]", "c = t._counter", "if c is None: c = t._shared_counter()",
                      f"c[0] += {times}"]  # fmt: skip
        for at, value in entry.grads:
            if value >= 0:
                lines += _new_tensor(f"values[{value}]")
            lines.append(f"tensors[{at}]._meta.grad = {'t' if value >= 0 else None}")
        is_plain = result is not None and not self.is_general and not self.inference and self.backward is None
        if is_plain and result.value >= 0 and not result.steps and result.slot <= 0:
            lines += [*_new_tensor(f"values[{result.value}]"), *(["t._node = freed_node()"] * (result.slot == 0))]
            lines.append("return t")
        else:
            lines.append("return results(values, tensors, place)")
        text = "".join([f"    {line}\n" for line in (f"place = {place}", *lines)])
        names: dict[str, Any] = {
            "forward": getattr(self.forward, "run", self.forward), "generator": default_generator, "Tensor": Tensor,
            "Mismatch": Mismatch, "Declined": Declined, "otherwise": self._otherwise, "new": object.__new__,
            "freed_node": self._freed_node, "results": self.results,
            "places": lambda: [generator.place() for generator in entry.generators],
        }  # fmt: skip
        exec(f"def call(arrays, tensors):\n{text}", names)
        call: Callable[[list[Any], Any], Any] = names["call"]
        return call

    def _otherwise(self, arrays: list[Any], error: Exception, place: Any, others: Any = ()) -> list[Any]:
        """The program could not be run to its end."""
        if place is not None:
            default_generator.go_back(place)
        for generator, its_place in zip(self.entry.generators, others):
            generator.go_back(its_place)
        if isinstance(error, Mismatch):
            raise error
        return run(self.entry.forward, arrays)

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

    def _freed_node(self) -> Any:
        node = blank_node(CompiledFunctionBackward)
        node.code, node.instruction, node.seq = self.freed.code, self.freed.instruction, next_sequence_number()
        node.running, node.saved, node.given, node.place = self, self.freed, None, None
        return node

    def _node(self, values: list[Any], tensors: list[Any], place: Any) -> Any:
        if self.backward is None:
            return self._freed_node()
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
