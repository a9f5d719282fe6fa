"""The graph: nodes, the edges between them, the handles of hooks, and where each node was made.

A ``Node`` is the backward side of one operation. ``next[i]`` is where the gradient of forward input ``i`` goes: a node,
a ``Port`` (one of several outputs of a node), or None for an input that needs no gradient.

NOTE [sequence numbers]: a node takes its number after its edges are known, from one counter for all threads. So a
node's number is greater than those of all nodes it leads to: descending numbers are a topological order.

NOTE [provenance]: a node keeps the code object and the instruction of the first caller outside facula, never the
frame, which would keep the caller's variables alive. They become a line only when someone asks. What rules record in
a pass on Tensors was asked for by the backward call, whose place the engine has in ``modes.place`` meanwhile; what an
operator records inside a transform, by whoever called it.
"""

from __future__ import annotations

import math
import os.path
import re
import sys
import warnings
import weakref
from abc import ABCMeta
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from .._core import state as _state

if TYPE_CHECKING:
    from .._tensor import Tensor

next_sequence_number = count().__next__
renumbered = False
"""Whether a user has ever given a node another number: then numbers need not be a topological order any more."""

EMPTY: tuple[()] = ()
"""What a node that saves nothing holds as ``saved``."""

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_is_internal: dict[str, bool] = {}


def is_internal(filename: str) -> bool:
    """Whether a file is one of facula's own."""
    found = _is_internal.get(filename)
    if found is None:
        found = _is_internal[filename] = filename.startswith(PACKAGE)
    return found


def user_frame(depth: int = 1) -> FrameType:
    """The nearest frame outside facula, or the outermost one."""
    frame = sys._getframe(depth)
    while True:
        internal = _is_internal.get(frame.f_code.co_filename)
        if internal is None:
            internal = is_internal(frame.f_code.co_filename)
        if not internal or frame.f_back is None:
            return frame
        frame = frame.f_back


def user_place(depth: int = 1) -> tuple[CodeType, int]:
    """The code and the instruction of the nearest frame outside facula, or of the running backward call."""
    place: Any = _state.modes.place
    if place is not None:
        if type(place) is not tuple:  # the frame of an operation that is not done yet
            frame = place
            while is_internal(frame.f_code.co_filename) and frame.f_back is not None:
                frame = frame.f_back
            place = _state.modes.place = (frame.f_code, frame.f_lasti)
        found: tuple[CodeType, int] = place
        return found
    frame = sys._getframe(depth)
    code = frame.f_code
    while _is_internal.get(code.co_filename) is True and frame.f_back is not None:
        frame = frame.f_back
        code = frame.f_code
    if code.co_filename not in _is_internal:
        frame = user_frame(depth + 1)
    return frame.f_code, frame.f_lasti


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the nearest line outside facula, however deep inside it the reason was found."""
    frame = user_frame(2)
    registry = frame.f_globals.setdefault("__warningregistry__", {})
    name = frame.f_globals.get("__name__") or "<unknown>"
    warnings.warn_explicit(message, category, frame.f_code.co_filename, frame.f_lineno, name, registry)


class Source(NamedTuple):
    """A place in the user's program."""

    filename: str
    line: int
    function: str

    def __str__(self) -> str:
        from .._core.notebooks import place  # loaded when first used

        return place(self.filename, self.line)


def resolve(code: CodeType | None, instruction: int) -> Source | None:
    """The line of an instruction."""
    if code is None:
        return None
    for start, end, line in code.co_lines():
        if start <= instruction < end and line is not None:
            return Source(code.co_filename, line, code.co_name)
    return Source(code.co_filename, code.co_firstlineno, code.co_name)


class Place:
    """A place kept cheaply: resolved to a line when printed."""

    __slots__ = ("code", "instruction")

    def __init__(self, depth: int = 1) -> None:
        self.code, self.instruction = user_place(depth + 1)

    def __str__(self) -> str:
        return str(resolve(self.code, self.instruction))


class Freed(Place):
    """Stands where a node's saved tensors were: freed by the backward call at this place.

    It takes the place of each of them, if there are attributes beside, which stay readable.
    """

    __slots__ = ()


class Port:
    """An edge into one output of a node with several."""

    __slots__ = ("node", "nr")

    def __init__(self, node: Node, nr: int) -> None:
        self.node = node
        self.nr = nr


def nodes_behind(edges: Iterable[Any]) -> Iterator[Node]:
    """All nodes that some edges lead to, each once."""
    stack, seen = list(edges), set()
    while stack:
        edge = stack.pop()
        node = edge.node if type(edge) is Port else edge
        if node is not None and node not in seen:
            seen.add(node)
            yield node
            stack += node.next


class Attachments:
    """What only some nodes carry: hooks, and metadata (where anomaly mode keeps the stack)."""

    __slots__ = ("metadata", "post", "pre", "retain", "shapes", "tensor")

    def __init__(self) -> None:
        self.shapes: dict[int, tuple[int, ...]] = {}
        """Of outputs that have got another shape since, unrecorded: gradients must still have this one."""
        self.tensor: dict[int, OrderedDict[int, Any]] = {}
        self.retain: dict[int, weakref.ref[Tensor]] = {}
        self.pre: OrderedDict[int, Any] = OrderedDict()
        self.post: OrderedDict[int, Any] = OrderedDict()
        self.metadata: dict[Any, Any] = {}


class Node(metaclass=ABCMeta):
    """One operation, seen from behind. Concrete classes bear PyTorch's names, such as ``MulBackward0``."""

    __slots__ = ("adapt", "attached", "code", "instruction", "next", "saved", "seq", "versions")

    next: tuple[Any, ...]
    saved: Any
    """What the rules need, aligned with the primitive's list; EMPTY if nothing; a ``Freed`` once freed.

    NOTE [bare values]: a node that saves a single value may hold just this, without a tuple around it: fewer objects
    for the garbage collector to walk through. An output is held as its array; whoever first needs its version counter
    puts it into ``versions`` (``Tensor._new_counter``). ``saved.unpack_bare_value`` gives it the general form.
    """
    versions: tuple[int, ...] | None
    """The versions of the saved tensors; None if all were 0."""
    adapt: tuple[Any, ...] | None
    """For each input its (shape, dtype) if its gradient must be brought to that; see ``adapting``."""
    seq: float
    code: CodeType | None
    instruction: int
    attached: Attachments | None

    multi: ClassVar[bool] = False
    """Whether the node has several outputs, and so gets a tuple of gradients."""
    in_graph: ClassVar[int | None] = None
    """How many of them have their history, if those behind them have none whatever their dtype."""
    saves_output: ClassVar[bool] = False
    """Whether it may hold its output as a bare array; see NOTE [bare values]."""
    always_frees: ClassVar[bool] = False
    """Whether every such node saves a tensor, so that freeing it needs no look at what it saved."""
    leads_outside: ClassVar[bool] = False
    """Whether there is a graph behind it that its edges do not show."""
    module: ClassVar[str] = ""

    def propagate(self, g: Any, xp: Any, edges: tuple[Any, ...]) -> Any:
        """The gradients for ``edges``, in their order; None for those that are None."""
        raise NotImplementedError(f"{type(self).__name__} has no derivative rule")

    def output_count(self) -> int:
        return 1

    def free(self, by: Freed) -> None:
        if self.saved is not EMPTY:
            self.saved = by

    # ---- what users see

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        return tuple(
            (e.node, e.nr) if e.__class__ is Port else (None if e is NOWHERE else e, 0) for e in self.next
        )

    def name(self) -> str:
        return self.module + type(self).__name__

    @property
    def metadata(self) -> dict[Any, Any]:
        return self.attachments().metadata

    @property
    def source(self) -> Source | None:
        """The line of the user's program that made this node."""
        return resolve(self.code, self.instruction)

    def attachments(self) -> Attachments:
        if self.attached is None:
            self.attached = Attachments()
        return self.attached

    @property
    def requires_grad(self) -> bool:
        return True

    def register_hook(self, fn: Callable[..., Any]) -> RemovableHandle:
        """After this node has run call ``fn(grad_inputs, grad_outputs)``; a tuple it returns replaces the first."""
        return RemovableHandle(self.attachments().post, fn)

    def register_prehook(self, fn: Callable[..., Any]) -> RemovableHandle:
        """Call ``fn(grad_outputs)`` before this node runs; a tuple that it returns replaces them."""
        return RemovableHandle(self.attachments().pre, fn)

    def _register_hook_dict(self, hooks: OrderedDict[int, Any]) -> None:
        self.attachments().tensor[0] = hooks

    def _sequence_nr(self) -> int:
        return 2**64 - 1 if self.seq == math.inf else int(self.seq)

    def _set_sequence_nr(self, nr: int) -> None:
        global renumbered
        renumbered = True
        self.seq = nr

    def __call__(self, *grads: Any) -> Any:
        from . import engine  # it imports this module

        return engine.call_node(self, grads)

    def __lt__(self, other: Node) -> bool:
        """Any order will do for two nodes with one sequence number, which only ``_set_sequence_nr`` can make."""
        return id(self) < id(other)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object at {id(self):#x}>"


def full_name(node: Any) -> str:
    """What ``node.name()`` says, also if a custom Function has given its ctx an attribute ``name``."""
    return str(node.module) + type(node).__name__


def short_name(node: Node) -> str:
    """A node's name as error messages tell it: ``Mul`` for ``MulBackward0``, ``Sum1`` for ``SumBackward1``."""
    return re.sub(r"Backward0?(\d*)$", r"\1", full_name(node))


def blank_node(cls: type[Node], edges: tuple[Any, ...] = ()) -> Any:
    """A node that saves nothing and was made nowhere in particular."""
    node = cls()
    node.next = edges
    node.saved = EMPTY
    node.versions = None
    node.adapt = None
    node.attached = None
    node.code = None
    node.instruction = 0
    node.seq = math.inf
    return node


def place_node(node: Node, depth: int = 1) -> None:
    """Note where a node was made, and give it its number."""
    node.code, node.instruction = user_place(depth + 1)
    node.seq = next_sequence_number()


def new_node(cls: type[Node], edges: tuple[Any, ...]) -> Any:
    """A node that saves nothing yet. The hot path of the operators does the same inline."""
    node = blank_node(cls, edges)
    place_node(node, 2)
    return node


class Nowhere(Node):
    """Where gradients of a view end that requires grad only because its base does: it was made under no_grad."""

    __slots__ = ()
    leads_outside = True

    def propagate(self, g: Any, xp: Any, edges: tuple[Any, ...]) -> tuple[()]:
        return ()


NOWHERE = blank_node(Nowhere)
NOWHERE.seq = -1


class RemovableHandle:
    """Removes a hook; also a context manager. Who gives no hook puts it into the table by the handle's ``id``."""

    next_id: ClassVar[int] = 0

    def __init__(self, hooks_dict: OrderedDict[int, Any], fn: Any = None, *, extra_dict: Any = None) -> None:
        self.hooks_dict_ref: Any = weakref.ref(hooks_dict)
        self.id = RemovableHandle.next_id
        RemovableHandle.next_id += 1
        if fn is not None:
            hooks_dict[self.id] = fn
        _state.hooks += 1
        marks = extra_dict if isinstance(extra_dict, (list, tuple)) else (extra_dict,)
        self.extra_dict_ref: Any = tuple(weakref.ref(d) for d in marks if d is not None)

    def remove(self) -> None:
        _state.changes += 1
        _state.hooks += 1
        for reference in (self.hooks_dict_ref, *self.extra_dict_ref):
            hooks = _in_use(reference())
            if hooks is not None:
                hooks.pop(self.id, None)

    def __getstate__(self) -> Any:
        return (_in_use(self.hooks_dict_ref()), self.id, [d() for d in self.extra_dict_ref])

    def __setstate__(self, state: Any) -> None:
        hooks, self.id, extra = state
        self.hooks_dict_ref = weakref.ref(OrderedDict() if hooks is None else hooks)
        self.extra_dict_ref = tuple(weakref.ref(d) for d in extra if d is not None)
        RemovableHandle.next_id = max(RemovableHandle.next_id, self.id + 1)

    def follow(self, table: Any, other: Any) -> None:
        """Remove the hook from another table from now on, if it was in this one."""
        if self.hooks_dict_ref() is table:
            self.hooks_dict_ref = weakref.ref(other)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


def _in_use(hooks: Any) -> Any:
    """A dict of hooks, or what has taken its place in a module that was copied or read from a file."""
    table = hooks.table() if hasattr(hooks, "table") else None
    return hooks if table is None else table


class _GradientEdge(NamedTuple):
    node: Node
    output_nr: int
    ownership_token: Any = None


class GradientEdge(_GradientEdge):
    """A place in the graph that gradients can be asked for, without holding the tensor."""

    def witness(self) -> Any:
        """A tensor without elements of its own that has the shape and dtype of the gradient."""
        return self.__dict__["like"]


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """The edge along which this tensor's gradient comes."""
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    if _state.special:
        tensor._show_history()
    edge = tensor._edge()
    if edge is NOWHERE:
        raise AssertionError("Expected gradient function to be set")
    found = GradientEdge(edge.node, edge.nr) if edge.__class__ is Port else GradientEdge(edge, 0)
    array = np.broadcast_to(np.zeros((), tensor._array.dtype), tensor._array.shape)
    found.__dict__["like"] = type(tensor)._wrap(array)
    return found


def walk(*roots: Any) -> Iterator[Node]:
    """Each node that the roots lead to, once. No recursion: graphs may be a million nodes deep."""
    seen = set()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node.__class__ is Port:
            node = node.node
        if node is None or node in seen:
            continue
        seen.add(node)
        yield node
        stack.extend(node.next)


def node_edge(node: Node, nr: int) -> Any:
    """The edge into one of a node's outputs."""
    return Port(node, nr) if node.multi else node


def increment_version(tensor: Any) -> None:
    """Say that a tensor was modified by means that facula cannot see."""
    if not isinstance(tensor, Iterable):
        raise RuntimeError("increment_version expect a Iterable[Tensor] as input")
    for t in (tensor,) if hasattr(tensor, "_bump_version") else tensor:
        if not hasattr(t, "_bump_version"):
            raise RuntimeError("increment_version expects each element of the iterable to be a tensor")
        t._bump_version()


def set_warn_on_accumulate_grad_stream_mismatch(enabled: bool) -> None:
    """Accepted and without effect: there are no streams on the CPU."""
    if not isinstance(enabled, bool):
        raise TypeError(f"enabled must be a bool, but got {type(enabled)}")


_IN_HOOKS = (
    "allow_mutation_on_saved_tensors", "disable_saved_tensors_hooks", "register_multi_grad_hook", "save_on_cpu",
    "saved_tensors_hooks",
)  # fmt: skip


def __getattr__(name: str) -> Any:
    if name == "alive":
        from .._explain.alive import alive  # it imports this module

        return alive
    if name not in _IN_HOOKS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import hooks  # it imports this module

    return getattr(hooks, name)
