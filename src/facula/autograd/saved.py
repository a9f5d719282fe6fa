"""Saved tensors: what a node keeps for its backward, checked when it is taken out again.

NOTE [saved tensors]: a node saves an input as the Tensor itself and remembers its version. Of an output it saves a
shallow copy: without history, with the same array and version counter (the output itself holds the node: saving it
would make a cycle); when a pass on Tensors asks for it, a copy is attached to the node again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .._core import dtypes, state
from .._core.numbers import NUMBERS
from .._core.unresolved import bits_of, resolved
from .accumulate import AccumulateGrad
from .graph import Freed, Node, short_name

if TYPE_CHECKING:
    from .._tensor import Tensor

Tensor_: Any = None  # set by _tensor, which imports this module

PLAIN: set[type] = set()
"""Classes that operators treat as Tensor itself: no ``__torch_function__``, results are Tensors."""

DIRECT: set[type] = set()
"""Those, and the classes of tensors inside transforms: nobody need be asked whether he wants to handle a call."""


def shallow_copy(t: Tensor) -> Tensor:
    """The same values and version counter, no history."""
    if t.__class__ is not Tensor_ and t.dispatches:
        return t.detach()
    other: Tensor = Tensor_._wrap(t._array)
    other._counter = t._shared_counter()
    return other


def attached(t: Tensor, node: Node, nr: int = 0) -> Tensor:
    """A saved output as the output of its node again."""
    is_differentiable = _is_differentiable(t, node, nr)
    if t.dispatches and not is_differentiable:
        return t
    other = shallow_copy(t)
    if not is_differentiable:
        return other
    other._node = node
    if node.multi:
        other._own_meta().output_nr = nr
    return other


def _is_differentiable(t: Tensor, node: Any, nr: int) -> bool:
    """Whether an output of a node has its history: indices, counts and the like do not."""
    in_graph = node.in_graph if node.multi else 1
    return t._array.dtype.kind in "fcV" and (in_graph is None or nr < in_graph)


def version_of(t: Any) -> int:
    counter = t._counter
    return 0 if counter is None else counter[0]


class Slot:
    """What one saved value of a node is: an input tensor, an output (``index``: which one), or a plain attribute."""

    __slots__ = ("attribute", "index", "is_output", "is_tensor", "name")

    def __init__(self, name: str, *, is_tensor: bool, is_output: bool, index: int) -> None:
        self.name = name
        self.attribute = -1
        self.is_tensor = is_tensor
        self.is_output = is_output
        self.index = index


# ---- errors


def freed_error(node: Node) -> Exception:
    from .._explain import errors  # loaded when something went wrong

    return errors.freed(RuntimeError(
        "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
        "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). "
        "Specify retain_graph=True if you need to backward through the graph a second time or if you need to access "
        "saved tensors after calling backward."
    ), node)  # fmt: skip


def modified_error(node: Node, t: Any, expected: int, is_output: bool, nr: int = 0) -> Exception:
    shape = ", ".join(map(str, t._array.shape))
    maker = node if is_output else t.grad_fn
    origin = "" if maker is None else f", which is output {nr if is_output else 0} of {short_name(maker)},"
    hint = (
        "Hint: the backtrace further above shows the operation that failed to compute its gradient. The variable in "
        "question was changed in there or anywhere later. Good luck!"
        if state.anomaly
        else "Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
        "torch.autograd.set_detect_anomaly(True, check_nan=False)."
    )
    kind = dtypes.type_name(dtypes.of_array(t._array))
    message = (
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[{kind} [{shape}]]{origin} is at version {version_of(t)}; expected version {expected} instead. "
        + hint
    )
    from .._explain import errors  # loaded when something went wrong

    return errors.modified(RuntimeError(message), node, t)


def inference_error(t: Any = None) -> Exception:
    from .._explain import errors  # loaded when something went wrong

    error = RuntimeError(
        "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
        "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it "
        "in autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`."
    )
    return errors.inference_saved(error, t)


def _was_detached_in_place(node: Any, slot: Slot, t: Any) -> bool:
    """Whether a saved input that had a history has lost it by ``detach_()``."""
    if t._node is not None or t._meta is None or not t._meta.detached or slot.is_output:
        return False
    differentiable = node.primitive.differentiable
    if slot.index not in differentiable:
        return False
    edge = node.next[differentiable.index(slot.index)]
    return edge is not None and edge.__class__ is not AccumulateGrad


# ---- saving


def pack(values: list[Any], slots: list[Any], node: Any) -> tuple[tuple[Any, ...], tuple[int, ...] | None]:
    """What a node saves of these values, with their versions; the thread's saved-tensor hooks are applied."""
    hooks = state.modes.saved_hooks[-1] if state.special and state.modes.saved_hooks else None
    versions = None
    saved = []
    for i, (value, slot) in enumerate(zip(values, slots, strict=True)):
        if isinstance(value, Tensor_):
            if value._meta is not None and value._meta.inference:
                raise inference_error(value)
            if hooks is not None:
                value = Hooked(value, hooks[0], hooks[1], node, slot)
            else:
                version = version_of(value)
                if version:
                    versions = versions or [0] * len(values)
                    versions[i] = version
                if slot.is_output and (not value.dispatches or _is_differentiable(value, node, slot.index)):
                    value = shallow_copy(value)
                if value._array.__class__ is not np.ndarray and bits_of(value._array):
                    value = Unread(value)
        elif value.__class__ is SavedList:
            value = value.packed(node, slot, hooks)
        saved.append(value)
    return tuple(saved), None if versions is None else tuple(versions)


class Unread:
    """A saved tensor whose array is unresolved: of no class that a rule on arrays takes as it is."""

    __slots__ = ("tensor",)

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor


class SavedList(tuple[Any, ...]):
    """Several input tensors saved as one value (``einsum``, indices): pairs of (tensor, version) once packed."""

    __slots__ = ()

    def packed(self, node: Any, slot: Slot, hooks: Any) -> SavedList:
        return SavedList(
            [
                (t, 0)
                if not isinstance(t, Tensor_)
                else (t, version_of(t))
                if hooks is None
                else (Hooked(t, hooks[0], hooks[1], node, slot), 0)
                for t in self
            ]
        )

    def unpack(self, node: Any, slot: Slot, raw: bool) -> SavedList:
        return SavedList([_unpack_one(node, slot, t, version, raw) for t, version in self])


# ---- taking out again


def unpack_bare_value(node: Any) -> None:
    """Bring a node with a bare value into the general form; see NOTE [bare values]."""
    value = node.saved
    if value.__class__ is tuple or value.__class__ is Freed:
        return
    op = node.primitive
    at = 0
    if len(op.slots) > 1:
        at = op.keep(sum(1 << i for i, edge in enumerate(node.next) if edge is not None)).index(True)
    version = 0
    if op.slots[at].is_output and value.__class__ is np.ndarray:
        value = Tensor_._wrap(value)
        value._counter = node.versions or [0, None, 0]
    elif node.versions is not None:
        version = node.versions[0]
    node.versions = tuple([version if i == at else 0 for i in range(len(op.slots))]) if version else None
    node.saved = tuple([value if i == at else None for i in range(len(op.slots))])


def is_freed(node: Any, i: int) -> bool:
    """Whether a saved value has been freed, of a node in the general form."""
    return isinstance(node.saved, Freed) or isinstance(node.saved[i], Freed)


def unpack(node: Any, xp: Any) -> list[Any]:
    """The saved values of a node, as arrays or as Tensors, in the order of its primitive's slots."""
    raw = xp.is_raw
    saved = node.saved
    if type(saved) is not tuple:
        if node.saves_output and type(saved) is np.ndarray and not raw and not (node.versions and node.versions[0]):
            t = Tensor_._wrap(saved)  # NOTE [bare values]: its version counter is found through the node
            t._node = node
            return [t]
        unpack_bare_value(node)
        saved = node.saved
        if type(saved) is Freed:
            raise freed_error(node)
    versions = node.versions
    slots = node.primitive.slots
    values = list(saved)
    for i, s in enumerate(saved):
        if type(s) in PLAIN:
            counter = s._counter
            if (
                versions is None
                and (counter is None or not counter[0])
                and (s._meta is None or not s._meta.detached)
            ):  # the common case of what follows
                if raw:
                    values[i] = s._array
                elif slots[i].is_output:
                    values[i] = attached(s, node, slots[i].index)
                continue
        elif type(s) in _AS_THEY_ARE or (type(s) is np.ndarray and raw):
            continue
        values[i] = _unpack_one(node, slots[i], s, 0 if versions is None else versions[i], raw)
    return values


_AS_THEY_ARE = frozenset((int, float, bool, tuple, str, type(None), np.dtype))


def unpack_at(node: Any, i: int) -> Any:
    """One saved value, as a Tensor if it is one. Attributes can be read of freed nodes as well."""
    unpack_bare_value(node)
    saved = node.saved
    slot = node.primitive.slots[i]
    if saved.__class__ is Freed:
        raise freed_error(node)
    if saved[i].__class__ is np.ndarray:
        return saved[i]
    return _unpack_one(node, slot, saved[i], 0 if node.versions is None else node.versions[i], False, True)


def _unpack_one(node: Any, slot: Slot, s: Any, version: int, raw: bool, is_read: bool = False) -> Any:
    """``is_read``: by a program, which gets tensors that were detached in place as well."""
    if isinstance(s, Tensor_):
        if not is_read and _was_detached_in_place(node, slot, s):
            raise RuntimeError(
                "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_()."
                "This is not supported, please use out-of-place `.detach()` instead"
            )
        counter = s._counter
        if (0 if counter is None else counter[0]) != version:
            raise modified_error(node, s, version, slot.is_output, max(slot.index, 0))
        if raw:
            return resolved(s._array)
        return attached(s, node, slot.index) if slot.is_output else s
    if s.__class__ is Unread:
        return _unpack_one(node, slot, s.tensor, version, raw, is_read)
    if s.__class__ is Hooked:
        return s.take(node, slot, raw)
    if s.__class__ is Freed:
        raise freed_error(node)
    if s.__class__ is SavedList:
        return s.unpack(node, slot, raw)
    if s.__class__ is np.ndarray and slot.is_tensor and not raw:  # a number that stood for a tensor
        return Tensor_._wrap(s)
    return s


# ---- hooks


class Hooked:
    """A saved tensor in the keeping of a pair of saved-tensor hooks: packed once, unpacked on each access.

    A pack hook that returns its argument would close a cycle if that is an output of the node: a shallow copy is kept
    then, and attached to the node again for the unpack hook.
    """

    __slots__ = ("edge", "holds_output", "packed", "shape", "unpack_hook")

    def __init__(self, t: Any, pack: Callable[[Any], Any], unpack: Callable[[Any], Any], node: Any, slot: Slot) -> None:
        self.unpack_hook = unpack
        node.attachments()  # which the engine looks at again when the node has run: the unpack hook may add hooks to it
        self.shape = t._array.shape
        self.edge = None if slot.is_output or not t.requires_grad else t._edge()
        given = attached(t, node, slot.index) if slot.is_output else t
        version = version_of(given)
        enabled, hooks = state.grad_enabled(), state.modes.saved_hooks
        state.update(grad_enabled=False, saved_hooks=())
        try:
            self.packed = pack(given)
        finally:
            state.update(grad_enabled=enabled, saved_hooks=hooks)
        if version_of(given) != version:
            raise RuntimeError(
                "A saved tensor pack hook is modifying its input in place. "
                "Tensors provided as input to pack hook cannot be modified by in-place operations as this can lead to "
                "unexpected side-effects. Please open an issue if you need to perform in-place operations on the input "
                "to a pack hook."
            )
        self.holds_output = slot.is_output and self.packed is given
        if self.holds_output:
            self.packed = shallow_copy(given)

    def take(self, node: Any, slot: Slot, raw: bool) -> Any:
        place, state.modes.place = state.modes.place, None  # of the hook's own operations, see NOTE [provenance]
        hooks = state.modes.saved_hooks
        if state.modes.running is not None:
            state.modes.running.running = node
        try:
            t = self.unpack_hook(attached(self.packed, node, slot.index) if self.holds_output else self.packed)
        finally:
            state.modes.place = place
            if state.modes.saved_hooks is not hooks:
                state.update(saved_hooks=hooks)
        if not isinstance(t, Tensor_):
            raise TypeError(
                "Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
                f"{type(t).__name__}"
            )
        if t._array.shape != self.shape:
            from ..ops.machine.operands import common_shape  # it imports this module

            common_shape(self.shape, t._array.shape)
        if raw:
            return resolved(t._array)
        if slot.is_output:
            return attached(t, node, slot.index)
        if self.edge is None and not t.requires_grad:
            return t
        restored = shallow_copy(t)
        if self.edge is not None:
            restored._set_edge(self.edge)
        return restored


class SavedTensor:
    """``node._raw_saved_x``: a saved tensor as it lies there, to which a pair of hooks can be given."""

    __slots__ = ("_at", "_item", "_node")
    _node: Any
    _at: int
    _item: int | None
    """Which one, of a saved list."""

    def __new__(cls, *args: Any, **kwargs: Any) -> SavedTensor:
        raise RuntimeError("Trying to create a SavedTensor object from Python is forbidden.")

    @property
    def _value(self) -> Any:
        unpack_bare_value(self._node)
        saved = self._node.saved
        if is_freed(self._node, self._at):
            return None
        value = saved[self._at] if self._item is None else saved[self._at][self._item][0]
        return value.tensor if value.__class__ is Unread else value

    @property
    def data(self) -> Any:
        value = self._value
        return value.packed if value.__class__ is Hooked else as_tensor_value(value)

    @property
    def unpack_hook(self) -> Any:
        value = self._value
        return value.unpack_hook if value.__class__ is Hooked else None

    def unpack(self) -> Any:
        value = as_tensor_value(unpack_at(self._node, self._at))
        return value if self._item is None else value[self._item]

    def register_hooks(self, *hooks: Callable[[Any], Any]) -> None:
        """Pack what is saved now by the first, and unpack it by the second on each access."""
        if len(hooks) != 2 or not all(map(callable, hooks)):
            raise TypeError(
                "register_hooks(): incompatible function arguments. The following argument types are supported:\n"
                "    1. (self: torch._C._autograd.SavedTensor, arg0: collections.abc.Callable, arg1: "
                f"collections.abc.Callable) -> None\n\nInvoked with: {', '.join(map(repr, (self, *hooks)))}"
            )
        pack_hook, unpack_hook = hooks
        node, i = self._node, self._at
        unpack_bare_value(node)
        if is_freed(node, i):
            raise RuntimeError(
                "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the "
                "graph are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need "
                "to backward through the graph a second time or if you need to access saved variables after calling "
                "backward."
            )
        value = self._value
        if value is None:
            raise RuntimeError("Calling register_hooks on a saved tensor with value None is forbidden")
        if value.__class__ is Hooked:
            raise RuntimeError(
                "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair of "
                "hooks is allowed at a time."
            )
        t = as_tensor_value(value)
        hooked: Any = Hooked(t, pack_hook, unpack_hook, node, node.primitive.slots[i])
        if self._item is not None:
            items = node.saved[i]
            hooked = SavedList((*items[: self._item], (hooked, 0), *items[self._item + 1 :]))
        object.__setattr__(node, "saved", (*node.saved[:i], hooked, *node.saved[i + 1 :]))


def raw_saved(node: Any, i: int) -> Any:
    """The SavedTensor of a slot, or a tuple of them for a list."""
    unpack_bare_value(node)
    if not is_freed(node, i) and node.saved[i].__class__ is SavedList:
        return tuple([_raw(node, i, item) for item in range(len(node.saved[i]))])
    return _raw(node, i, None)


def _raw(node: Any, i: int, item: int | None) -> SavedTensor:
    raw = object.__new__(SavedTensor)
    raw._node, raw._at, raw._item = node, i, item
    return raw


def as_tensor_value(value: Any) -> Any:
    """A saved value as ``node._saved_x`` shows it: numbers that stood for tensors become 0-d tensors."""
    if isinstance(value, np.ndarray):
        number = NUMBERS.get(id(value))
        return Tensor_._wrap(value if number is None else np.asarray(number))
    return value
