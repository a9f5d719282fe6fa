"""What one captured call becomes: programs, where their inputs come from, and what is done with what they give."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from types import BuiltinFunctionType, ModuleType
from typing import Any, NamedTuple, NoReturn

import numpy as np

from ..._core import state
from ..._core.pytree import tree_flatten
from ..._core.size import Size
from ..._tensor import Tensor
from ...autograd.accumulate import AccumulateGrad
from ...autograd.function import BackwardCFunction
from ...autograd.saved import Hooked, version_of
from ...autograd.views import INFERENCE, NO_GRAD
from ...fx.node import map_aggregate, map_arg
from ...ops.moving.copy import clone_op
from ...ops.views.splitting import unsafe_split_op, unsafe_split_sizes_op
from ..capture.capture import Capture
from ..capture.impure import is_library, may_change_things
from ..capture.inputs import Met
from ..capture.symbols import Symbol, has_symbols
from ..capture.traced import Storage, Traced
from ..programs import derive
from ..programs.program import Program
from .places import SIMPLE
from .reads import Reads


class GivenUp(Exception):
    """A call that was captured cannot become a program: the capture says why."""


def refuse(capture: Capture, what: str) -> NoReturn:
    capture.give_up(what)
    raise GivenUp


_SAME_IN_EVERY_CALL = (*SIMPLE, Size, type, ModuleType, BuiltinFunctionType)
"""Results that may be given again as they are. Other objects may hold tensors of the call that made them."""

RECORDED, UNRECORDED, INFERRED = "recorded", "under no_grad", "in inference mode"
DETACHED, DATA = "detached", "data"
"""How a result that shares the memory of another tensor was made from it."""


class Result(NamedTuple):
    """How one tensor among the results comes about."""

    value: int
    """Which value of the program it is, or lies in; -1 if it is an input, or lies in one."""
    given: int
    """Which input that is."""
    steps: tuple[Any, ...] | None
    """The views through which it lies there; None if it is the input itself."""
    slot: int = -1
    """Its place among the differentiable results; -1 if it is none."""
    base: Result | None = None
    """The result that it is a view of, if its memory is no input's, and shared with others."""
    how: str = RECORDED
    """How a view came about."""
    version: int = 0
    """How often it was written to, if its memory is its own."""


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


class Accumulated(NamedTuple):
    """An input whose ``.grad`` becomes another one."""

    given: int
    value: int
    """Which value of the program that is; -1: None."""
    requires_grad: bool
    """Whether the input does; what does not shares what is known of its history with others."""
    version: int = 0
    """How often it was written to."""


class Entry:
    """The programs for calls of one kind."""

    def __init__(self, capture: Capture, reads: Reads, result: Any) -> None:
        self.inputs = capture.inputs
        self.generators = capture.generators
        self._values: list[Any] = []
        """Nodes that the forward program gives."""
        leaves, self.plan = tree_flatten(result, lambda x: type(x) is Size or reads.holds(x))
        for leaf in leaves:
            if reads.is_given(leaf):
                refuse(capture, f"a {type(leaf).__name__} that it is given is returned")
            if not isinstance(leaf, (Tensor, Symbol, *_SAME_IN_EVERY_CALL)) and not reads.knows(leaf):
                refuse(capture, f"a result of type {type(leaf).__name__}")
            if isinstance(leaf, Tensor) and type(leaf) is not Tensor and id(leaf) not in capture.met:
                refuse(capture, f"a result of type {type(leaf).__name__}")
            if isinstance(leaf, Tensor) and not _may_be_used(leaf):
                refuse(capture, "a view is returned that may not be used any more")
            if isinstance(leaf, Tensor) and type(leaf._array) is Traced and not hasattr(leaf._array, "storage"):
                refuse(capture, "a result that was made outside of operators")
            if isinstance(leaf, Tensor) and id(leaf) not in capture.met and _has_grad(leaf):
                refuse(capture, "a result that was given a gradient")
        self._settle_constants(capture, reads, leaves)
        self._leave_out_unused(capture, leaves)
        self.roots: list[Tensor] = []
        self.root_results: list[Result] = []
        """How each of them comes about."""
        self.leaves: list[Any] = self._results(capture, leaves)
        self.commits = self._commits(capture)
        self.written = self._written(capture)
        self.grads = self._grads(capture)
        wanted = self._reached(capture)
        if any(met.tensor is not met.input.tensor for met in wanted):
            refuse(capture, "two tensors in the same memory that require grad")
        self.differentiable = [self.inputs.index(met.input) for met in wanted]
        self.backward: Program | None = None
        self.saved_inputs: list[int] = []
        """Inputs whose memory the backward program reads."""
        self.saved_results: set[int] = set()
        """Values of results whose memory it reads."""
        self.kept_from = len(self._values)
        nodes = [given.node for given in self.inputs]
        self.is_freed = False
        rules = list(_rules_of_user([t._edge() for t in self.roots]))
        are_alone = all(met.tensor is met.input.tensor for met in capture.met.values())
        has_unsafe = any(_writes_to_no_view(node) for node in capture.graph.nodes)
        self.is_replayable = not rules and not capture.has_cuts and are_alone and not has_unsafe
        """Whether its operators, run again on tensors, have the derivative that the function has. Not so with hooks,
        custom Functions, ``detach()``, be it that the function is given a tensor and what was detached from it, or
        writes to parts that ``unsafe_split`` gave."""
        if any(map(may_change_things, rules)):
            refuse(capture, "a hook or a backward function that may do more than compute")
        if not capture.is_active:
            raise GivenUp
        derivative = None
        made = list(capture.graph.nodes)
        if self.roots:
            try:
                derivative = derive.Derivative(capture, self.roots, wanted)
            except Exception as e:  # also what hooks and backward functions of the user raise
                if not str(e).startswith("Trying to backward through the graph a second time"):
                    refuse(capture, f"its derivative: {e}")
                self.is_freed = True
                del self.inputs[len(nodes) :]  # what the attempt has met
            if not capture.is_active:
                raise GivenUp
        if derivative is not None:
            self.forward, self.backward, kept = derive.split(capture, derivative, self._values, self.commits)
            self._values += kept
            memory = set(map(derive.memory_of, kept))
            self.saved_inputs = [at for at, each in enumerate(self.inputs) if each.is_tensor and each.node in memory]
            self.saved_results = {r.value for r in self.leaves if type(r) is Result and r.value >= 0
                                  and derive.memory_of(self._values[r.value]) in memory}  # fmt: skip
        else:
            self.forward, _ = derive.extracted(made, nodes, self._values, self.commits)
        self.is_general = self.forward.is_general

    def _reached(self, capture: Capture) -> list[Met]:
        """The tensors that results depend on."""
        behind = [set(map(id, _nodes_behind([t._edge()]))) for t in self.roots]
        self.reach: list[set[int]] = []
        """For each differentiable input, the results that depend on it."""
        wanted = []
        for met in capture.met.values():
            if met.needs_grad and not met.input.is_constant:
                leaf = id(met.end())
                slots = {slot for slot, nodes in enumerate(behind) if leaf in nodes}
                if slots:
                    wanted.append(met)
                    self.reach.append(slots)
        return wanted

    def let_go(self) -> None:
        """Forget the call that was captured; what is the same in every call stays."""
        self.roots = []
        for given in self.inputs:
            given.let_go()

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
        """Tensors that the function could have read, and did not; hooks and backward functions may read them yet."""
        results = [leaf for leaf in leaves if isinstance(leaf, Tensor) and leaf.requires_grad]
        if next(_rules_of_user([t._edge() for t in results]), None) is not None:
            return
        arrays: list[Any] = [leaf._array for leaf in leaves if isinstance(leaf, Tensor)]
        returned = {id(array.storage) for array in arrays if type(array) is Traced}
        numbers = [leaf.node for leaf in leaves if type(leaf) is Symbol]
        kept = {id(each.tensor) for each in self.inputs if each.tensor is not None}
        for given in self.inputs[: capture.offered]:
            if given.node.users or given.storage.version or id(given.storage) in returned or given.node in numbers:
                continue
            mets = [met for met in capture.met.values() if met.input is given]
            if any(met.has_other_grad() or met.before != met.autograd() or id(met.grad) in kept for met in mets):
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
        tensors = {id(leaf): leaf for leaf in leaves if isinstance(leaf, Tensor)}
        groups = _by_memory(tensors.values())
        new_grads = {id(met.tensor.grad): met.input for met in capture.met.values() if met.has_other_grad()}
        seen: dict[int, Any] = {}
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
                    group = groups.get(id(getattr(leaf._array, "storage", None)), [leaf])
                    if len(group) > 1:
                        seen.update(self._sharing(capture, group))
                    else:
                        seen[id(leaf)] = self._result(capture, leaf)
                leaf = seen[id(leaf)]
            found.append(leaf)
        return found

    def _place(self, node: Any) -> Place:
        self._values.append(node)
        return Place(len(self._values) - 1)

    def _result(self, capture: Capture, t: Tensor) -> Result:
        array: Any = t._array
        if type(array) is not Traced:
            refuse(capture, f"a result of type {type(t).__name__}")
        given = array.storage.origin
        if given is None or given.is_constant:
            return self._root(capture, t, self._own_memory(capture, array.storage))
        met = capture.met.get(id(t))
        at = self.inputs.index(given)
        if met is not None and met.tensor is t:
            _alone(capture, met)
            return Result(-1, at, None)
        return Result(-1, at, self._steps(capture, t), how=self._how(capture, t, given.tensor))

    def _own_memory(self, capture: Capture, storage: Storage) -> int:
        """The value that memory has in the end: of what is the same in every call, a copy each time."""
        node, value = storage.node, storage.value
        if node.op == "placeholder":
            node = capture.called(clone_op, (node,), value.copy(order="K"))
        self._values.append(node)
        return len(self._values) - 1

    def _steps(self, capture: Capture, t: Tensor) -> Any:
        array: Any = t._array
        if not capture.is_general or not array.steps:
            return array.steps
        capture.now(array)[0].meta["effect"] = True  # whether sizes allow it is found out before anything is done
        return map_arg(array.steps, self._place)

    def _root(self, capture: Capture, t: Tensor, value: int) -> Result:
        """A result of its own memory."""
        slot = -1
        if t.is_inference() != state.modes.inference:
            refuse(capture, "a tensor of another inference mode is returned")
        if t._node is not None:
            slot = len(self.roots)
            self.roots.append(t)
            if t.retains_grad:
                refuse(capture, "a result retains its gradient")
            if t._meta is not None and t._meta.hooks:
                refuse(capture, "a result has a hook")
        elif t.requires_grad:
            refuse(capture, "a new leaf is returned")
        result = Result(value, -1, self._steps(capture, t), slot, version=version_of(t))
        if slot >= 0:
            self.root_results.append(result)
        return result

    def _sharing(self, capture: Capture, group: list[Tensor]) -> dict[int, Result]:
        """Results in the same memory, which no input lies in: one is the base of the others, returned or not."""
        bases = [t for t in map(_base_of, group) if not t._array.steps]  # type: ignore[attr-defined]
        base = next((t for t in bases if t.requires_grad), bases[0] if bases else None)
        if base is None or any(t is not base and t.requires_grad for t in bases):
            refuse(capture, "results that share memory in an unusual way")
        array: Any = base._array
        root = self._root(capture, base, self._own_memory(capture, array.storage))
        made = {id(base): root}
        for t in group:
            if t is not base:
                how = self._how(capture, t, base)
                made[id(t)] = Result(root.value, -1, self._steps(capture, t), base=root, how=how)
        return made

    def _how(self, capture: Capture, t: Tensor, source: Any) -> str:
        """How a tensor came about that lies in the memory of another one."""
        creation = None if t._meta is None else t._meta.creation
        if not t.requires_grad:
            if t._counter is None or t._counter is not source._counter:
                return DATA
            if creation in (NO_GRAD, INFERENCE):
                return UNRECORDED if creation == NO_GRAD else INFERRED
            return DETACHED if source.requires_grad or _base_of(t) is not source else RECORDED
        node: Any = t.grad_fn
        if node is None:
            if t._own_meta().requires_grad:
                refuse(capture, "a new leaf is returned")
            return INFERRED if creation == INFERENCE else UNRECORDED
        if t.retains_grad or t._own_meta().hooks or not _leads_by_views(node, source._edge()):
            refuse(capture, "a view is returned whose gradient is more than that of a view")
        return RECORDED

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
        counters = set()
        others = {id(met.input): met for met in capture.met.values() if met.tensor is not met.input.tensor}
        for met in capture.met.values():
            if met.input.is_constant:
                continue
            counter = met.tensor._counter
            times = version_of(met.tensor) - met.version
            if times and id(counter) not in counters:
                _alone(capture, others.get(id(met.input), met))  # they may have one counter, or two
                counters.add(id(counter))  # views of no elements have that of what was written to
                found.append(Written(self.inputs.index(met.input), times))
            if met.tensor._node is not None and met.leaf is None and met.node is None:
                refuse(capture, "a tensor of before is given a history")
            if met.leaf is None and met.before != met.autograd():
                refuse(capture, "requires_grad or hooks of a tensor of before are changed")
        return found

    def _grads(self, capture: Capture) -> list[Accumulated]:
        """All ``.grad`` that have become another tensor, or None."""
        found = []
        for met in list(capture.met.values()):
            if not met.has_other_grad():
                continue
            _alone(capture, met)
            at = self.inputs.index(met.input)
            grad: Any = met.tensor.grad
            if grad is None:
                found.append(Accumulated(at, -1, met.needs_grad))
                continue
            if grad.requires_grad:
                refuse(capture, "a gradient with a history is left behind")
            found.append(Accumulated(at, len(self._values), met.needs_grad, version_of(grad)))
            self._values.append(capture.node_of(grad._array))
        return found


def _alone(capture: Capture, met: Met) -> None:
    """See that a tensor that is more than read is the one that its input is known by."""
    if met.tensor is not met.input.tensor:
        capture.postpone("a tensor that has its array in common with another one")
        raise GivenUp


def _may_be_used(t: Tensor) -> bool:
    """Not so, for instance, a view from ``split()`` of what was changed in place since."""
    try:
        if t.requires_grad:
            t._edge()
    except RuntimeError:
        return False
    return True


def _has_grad(t: Tensor) -> bool:
    return t._meta is not None and t._meta.grad is not None


def _base_of(t: Tensor) -> Tensor:
    return t if t._base is None else t._base


def _by_memory(tensors: Iterable[Tensor]) -> dict[int, list[Tensor]]:
    """Tensors that lie in memory of the program's, by its storage."""
    found: dict[int, list[Tensor]] = {}
    for t in tensors:
        array: Any = t._array
        if type(array) is Traced and (array.storage.origin is None or array.storage.origin.is_constant):
            found.setdefault(id(array.storage), []).append(t)
    return found


def _writes_to_no_view(node: Any) -> bool:
    return "put" in node.meta and node.meta["put"][0] in (unsafe_split_op, unsafe_split_sizes_op)


def _leads_by_views(node: Any, end: Any) -> bool:
    """Whether nodes of views alone, and without hooks, lead from one to another."""
    while node is not end and getattr(node, "node", node) is not getattr(end, "node", end):
        node = getattr(node, "node", node)
        if node is None or node.attached is not None or isinstance(node, BackwardCFunction) or len(node.next) != 1:
            return False
        node = node.next[0]
    return True


def _nodes_behind(edges: list[Any]) -> Iterator[Any]:
    seen: set[int] = set()
    while edges:
        node = edges.pop()
        node = getattr(node, "node", node)
        if node is not None and id(node) not in seen:
            seen.add(id(node))
            yield node
            edges.extend(node.next)


def _rules_of_user(edges: list[Any]) -> Iterator[Any]:
    """The hooks and backward functions of the user's behind some edges, also those by which saved tensors are found."""
    for node in _nodes_behind(edges):
        if isinstance(node, AccumulateGrad):
            continue
        if node.attached is not None:
            for hooks in (*node.attached.tensor.values(), node.attached.pre, node.attached.post):
                yield from hooks.values()
        if isinstance(node, BackwardCFunction):
            yield node._forward_cls.backward
        for each in node.saved if isinstance(node.saved, tuple) else ():
            if isinstance(each, Hooked) and not is_library(each.unpack_hook):
                yield each.unpack_hook


_OURS = 4
"""References to a tensor that a capture itself holds: the input, the tensor met, two variables."""
