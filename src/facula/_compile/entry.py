"""What one captured call becomes: programs, where their inputs come from, and what is done with what they give."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np

from .._core.pytree import tree_flatten
from .._tensor import Tensor
from ..autograd.accumulate import AccumulateGrad
from ..autograd.function import BackwardCFunction
from ..fx.node import map_aggregate, map_arg
from . import derive
from .capture import Capture
from .program import Program
from .reads import Reads
from .symbols import Symbol, has_symbols
from .traced import Traced


class Result(NamedTuple):
    """How one tensor among the results comes about."""

    value: int
    """Which value of the program it is, or lies in; -1 if it is an input, or lies in one."""
    given: int
    """Which input that is."""
    steps: tuple[Any, ...] | None
    """The views through which it lies there; None if it is the input itself."""
    slot: int
    """Its place among the differentiable results; -1 if it is none; ``RECORDED`` if it is a view of an input with
    history."""


RECORDED = -2


class Gradient:
    """A result that is the new ``.grad`` of an input."""

    def __init__(self, given: int) -> None:
        self.given = given


class Place:
    """A number that the program computes: which value of it."""

    def __init__(self, value: int) -> None:
        self.value = value


class Shape:
    """A shape that the program computes."""

    def __init__(self, sizes: list[Any]) -> None:
        self.sizes = sizes


def resolved(thing: Any, values: list[Any]) -> Any:
    """Views with the numbers that belong to them."""
    return map_aggregate(thing, lambda each: values[each.value] if type(each) is Place else each)


class Written(NamedTuple):
    """An input whose memory is written to, and how often."""

    given: int
    times: int


class Entry:
    """The programs for calls of one kind."""

    def __init__(self, capture: Capture, reads: Reads, result: Any) -> None:
        self.inputs = capture.inputs
        self.generators = capture.generators
        self._values: list[Any] = []
        """Nodes that the forward program gives."""
        leaves, self.plan = tree_flatten(result)
        self._settle_constants(capture, reads, leaves)
        self._leave_out_unused(capture, leaves)
        self.roots: list[Tensor] = []
        self.leaves: list[Any] = self._results(capture, leaves)
        self.commits = self._commits(capture)
        self.written = self._written(capture)
        self.grads = self._grads(capture)
        wanted = [met for met in capture.met.values() if met.needs_grad and self.roots and not met.input.is_constant]
        if any(met.tensor is not met.input.tensor for met in wanted):
            capture.give_up("two tensors in the same memory that require grad")
            return
        self.differentiable = [self.inputs.index(met.input) for met in wanted]
        self.root_results = sorted([r for r in self.leaves if type(r) is Result and r.slot >= 0], key=lambda r: r.slot)
        self.backward: Program | None = None
        self.kept_from = len(self._values)
        nodes = [given.node for given in self.inputs]
        self.is_freed = False
        self.has_own_rules = _has_own_rules([t._edge() for t in self.roots])
        """Whether hooks or custom Functions take part in its derivative."""
        derivative = None
        if self.roots:
            try:
                derivative = derive.Derivative(capture, self.roots, wanted)
            except RuntimeError as e:
                if not str(e).startswith("Trying to backward through the graph a second time"):
                    capture.give_up(f"its derivative: {e}")
                    return
                self.is_freed = True
            if not capture.is_active:
                return
        if derivative is not None:
            self.forward, self.backward, kept = derive.split(capture, derivative, self._values, self.commits)
            self._values += kept
        else:
            self.forward, _ = derive.extracted(capture.graph.nodes, nodes, self._values, self.commits)
        self.is_general = self.forward.is_general

    def values_now(self, capture: Capture) -> list[Any]:
        """What the forward program gives, as it came out in the captured call."""
        return [capture.values[node] for node in self._values]

    # ---- reading what was captured

    def _settle_constants(self, capture: Capture, reads: Reads, leaves: list[Any]) -> None:
        """Tensors that nobody else knows of were made on the way, by facula itself: they are constants."""
        for given in self.inputs:
            t = given.tensor
            if t is None or given.is_constant or given.place is not None or id(t) in reads.tensors:
                continue
            if any(t is leaf for leaf in leaves):
                continue
            if sys.getrefcount(t) <= _OURS:
                given.keep()

    def _leave_out_unused(self, capture: Capture, leaves: list[Any]) -> None:
        """Tensors that the function could have read, and did not."""
        arrays: list[Any] = [leaf._array for leaf in leaves if isinstance(leaf, Tensor)]
        returned = {id(array.storage) for array in arrays if type(array) is Traced}
        numbers = [leaf.node for leaf in leaves if type(leaf) is Symbol]
        for given in list(self.inputs):
            if given.node.users or given.storage.version or id(given.storage) in returned or given.node in numbers:
                continue
            mets = [met for met in capture.met.values() if met.input is given]
            if any(met.has_other_grad() for met in mets):
                continue
            for met in mets:
                met.restore()
                del capture.met[id(met.tensor)]
            self.inputs.remove(given)
            capture.graph.erase_node(given.node)

    def _results(self, capture: Capture, leaves: list[Any]) -> list[Any]:
        for leaf in leaves:
            if isinstance(leaf, Tensor) and not leaf.wraps and type(leaf._array) is np.ndarray:
                capture.meet(leaf)
        new_grads = {id(met.tensor.grad): met.input for met in capture.met.values() if met.has_other_grad()}
        seen: dict[int, Any] = {}
        bases: dict[int, int] = {}
        found: list[Any] = []
        for leaf in leaves:
            if type(leaf) is Symbol:
                leaf = self._place(leaf.node)
            elif has_symbols(leaf):
                leaf = Shape([self._place(n.node) if type(n) is Symbol else n for n in leaf])
            if isinstance(leaf, Tensor):
                if id(leaf) in new_grads and not leaf.requires_grad:
                    seen.setdefault(id(leaf), Gradient(self.inputs.index(new_grads[id(leaf)])))
                elif id(leaf) not in seen:
                    seen[id(leaf)] = self._result(capture, leaf, bases)
                leaf = seen[id(leaf)]
            found.append(leaf)
        return found

    def _place(self, node: Any) -> Place:
        self._values.append(node)
        return Place(len(self._values) - 1)

    def _result(self, capture: Capture, t: Tensor, bases: dict[int, int]) -> Result:
        array: Any = t._array
        if type(array) is not Traced:
            capture.give_up(f"a result of type {type(t).__name__}")
            return Result(-1, -1, None, -1)
        given = array.storage.origin
        steps = map_arg(array.steps, self._place) if capture.is_general else array.steps
        if given is not None and not given.is_constant:
            met = capture.met.get(id(t))
            is_itself = met is not None and met.tensor is t
            recorded = RECORDED if t.requires_grad else -1
            return Result(-1, self.inputs.index(given), None if is_itself else steps, recorded)
        slot = -1
        if t._node is not None:
            slot = len(self.roots)
            self.roots.append(t)
        elif t.requires_grad:
            capture.give_up("a new leaf is returned")
        key = id(array.storage)
        if key not in bases:
            bases[key] = len(self._values)
            self._values.append(array.storage.node)
        return Result(bases[key], -1, steps, slot)

    def _commits(self, capture: Capture) -> dict[int, int]:
        commits = {}
        for i, given in enumerate(self.inputs):
            if given.storage.version and not given.is_constant:
                commits[len(self._values)] = i
                self._values.append(given.storage.node)
        return commits

    def _written(self, capture: Capture) -> list[Written]:
        """How the version counters of tensors of before moved."""
        found = []
        for met in capture.met.values():
            if met.input.is_constant:
                continue
            times = (0 if met.tensor._counter is None else met.tensor._counter[0]) - met.version
            if times and met.tensor is met.input.tensor:
                found.append(Written(self.inputs.index(met.input), times))
            if met.tensor._node is not None and met.leaf is None and met.node is None:
                capture.give_up("a tensor of before is given a history")
        return found

    def _grads(self, capture: Capture) -> list[tuple[int, int]]:
        """(input, value or -1) for each ``.grad`` that has become another tensor, or None."""
        found = []
        for met in list(capture.met.values()):
            if not met.has_other_grad():
                continue
            at = self.inputs.index(met.input)
            grad: Any = met.tensor.grad
            if grad is None:
                found.append((at, -1))
                continue
            found.append((at, len(self._values)))
            self._values.append(capture.node_of(grad._array))
        return found


def _has_own_rules(edges: list[Any]) -> bool:
    seen: set[int] = set()
    while edges:
        node = edges.pop()
        node = getattr(node, "node", node)
        if node is None or id(node) in seen or isinstance(node, AccumulateGrad):
            continue
        seen.add(id(node))
        if node.attached is not None or isinstance(node, BackwardCFunction):
            return True
        edges.extend(node.next)
    return False


_OURS = 4
"""References to a tensor that a capture itself holds: the input, the tensor met, two variables."""
