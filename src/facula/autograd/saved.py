"""Saved tensors: what a node keeps for its backward, checked when it is taken out again.

NOTE [saved tensors]: a node saves an input as the Tensor itself and remembers its version. An output it saves as a twin
Tensor without history that shares array and version counter (the output itself holds the node: saving it would make
a cycle); when the Tensor world asks for it, a copy is attached to the node again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _state
from .graph import Freed, Node, resolve

if TYPE_CHECKING:
    from .._tensor import Tensor

Tensor_: Any = None  # set by _tensor, which imports this module


def twin(t: Tensor) -> Tensor:
    """The same values and version counter, no history."""
    other: Tensor = Tensor_._wrap(t._array)
    other._counter = t._shared_counter()
    return other


def attached(t: Tensor, node: Node, nr: int = 0) -> Tensor:
    """A saved output as the output of its node again."""
    other = twin(t)
    other._node = node
    if node.multi:
        other._own_meta().output_nr = nr
    return other


def version_of(t: Any) -> int:
    counter = t._counter
    return 0 if counter is None else counter[0]


def freed_error(node: Node) -> RuntimeError:
    where = f"\nThe graph was freed by the backward call at {node.saved}." if isinstance(node.saved, Freed) else ""
    made = resolve(node.code, node.instruction)
    where += f"\nThe operation whose saved tensors are gone ({node.name()}) was recorded at {made}." if made else ""
    return RuntimeError(
        "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
        "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). "
        "Specify retain_graph=True if you need to backward through the graph a second time or if you need to access "
        "saved tensors after calling backward." + where
    )


def modified_error(node: Node, t: Tensor, expected: int, is_output: bool, nr: int = 0) -> RuntimeError:
    shape = ", ".join(map(str, t._array.shape))
    maker = node if is_output else t._node
    if not is_output and maker is not None:
        nr = 0 if t._meta is None else t._meta.output_nr
    origin = "" if maker is None else f", which is output {nr} of {maker.name()},"
    hint = (
        "Hint: the backtrace further above shows the operation that failed to compute its gradient. The variable in "
        "question was changed in there or anywhere later. Good luck!"
        if _state.modes.anomaly
        else "Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
        "torch.autograd.set_detect_anomaly(True)."
    )
    message = (
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[{t._type_name()} [{shape}]]{origin} is at version {version_of(t)}; expected version {expected} instead. {hint}"
    )
    counter = t._counter
    saved_at = resolve(node.code, node.instruction)
    changed_at = None if counter is None else resolve(counter[1], counter[2])
    if saved_at is not None:
        message += f"\nIt was saved for the backward of {node.name()} at {saved_at}"
        message += f", and changed in place at {changed_at}." if changed_at is not None else "."
        message += "\nTo mend it: make the change out of place (y = y + 1 instead of y += 1), or on a clone()."
    return RuntimeError(message)


class Hooked:
    """A saved tensor in the keeping of a pair of saved-tensor hooks: packed once, unpacked on each access."""

    __slots__ = ("is_leaf_input", "packed", "unpack_hook", "version", "witness")

    def __init__(self, t: Tensor, pack: Callable[[Any], Any], unpack: Callable[[Any], Any], is_output: bool) -> None:
        self.version = version_of(t)
        self.unpack_hook = unpack
        self.is_leaf_input = not is_output and t._node is None
        self.witness = twin(t)
        before = self.version
        given = self.witness if is_output or t._node is not None else t
        if not is_output and t._node is not None:
            given = twin(t)
            given._node = t._node
            if t._meta is not None:
                given._own_meta().output_nr = t._meta.output_nr
        enabled = _state.grad_enabled()
        hooks = _state.modes.saved_hooks
        _state.update(grad_enabled=False, saved_hooks=())
        try:
            self.packed = pack(given)
        finally:
            _state.update(grad_enabled=enabled, saved_hooks=hooks)
        if version_of(self.witness) != before:
            raise RuntimeError(
                "A saved tensor pack hook is modifying its input in place. "
                "Tensors provided as input to pack hook can not be modified by in-place operations as this can lead to "
                "unexpected side-effects. Please open an issue if you need to perform in-place operations on the input "
                "to a pack hook."
            )
        if given is self.packed:
            self.witness = self.packed

    def unpack(self) -> Tensor:
        t = self.unpack_hook(self.packed)
        if not isinstance(t, Tensor_):
            raise TypeError(
                "Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
                f"{type(t).__name__}"
            )
        return t


class Slot:
    """What one saved value of a primitive is: an input tensor, an output, or a plain attribute."""

    __slots__ = ("index", "is_output", "is_tensor", "name")

    def __init__(self, name: str, *, is_tensor: bool, is_output: bool, index: int) -> None:
        self.name = name
        self.is_tensor = is_tensor
        self.is_output = is_output
        self.index = index


def unpack(node: Any, xp: Any) -> list[Any]:
    """The saved values of a node, as arrays or as Tensors, in the order of its primitive's slots."""
    saved = node.saved
    if saved.__class__ is Freed:
        raise freed_error(node)
    raw = xp.is_raw
    versions = node.versions
    values = []
    for i, s in enumerate(saved):
        if isinstance(s, Tensor_):
            slot = node.primitive.slots[i]
            counter = s._counter
            expected = 0 if versions is None else versions[i]
            if (0 if counter is None else counter[0]) != expected:
                raise modified_error(node, s, expected, slot.is_output, max(slot.index, 0))
            if raw:
                s = s._array
            elif slot.is_output:
                s = attached(s, node, slot.index)
        elif s.__class__ is Hooked:
            s = unpack_hooked(node, i, s, raw)
        elif s.__class__ is SavedList:
            s = s.unpack(node, i, raw)
        values.append(s)
    return values


def unpack_hooked(node: Any, i: int, s: Hooked, raw: bool) -> Any:
    t = s.unpack()
    if raw:
        return t._array
    slot = node.primitive.slots[i]
    if slot.is_output:
        return attached(t, node, slot.index)
    if s.is_leaf_input:
        return t
    restored = twin(t)
    edge = node.next[slot.index] if 0 <= slot.index < len(node.next) else None
    if edge is not None:
        restored._set_edge(edge)
    return restored


class SavedList(tuple[Any, ...]):
    """Several input tensors saved as one value (``cat``, ``einsum``)."""

    __slots__ = ()

    def unpack(self, node: Any, i: int, raw: bool) -> tuple[Any, ...]:
        return tuple(t._array if raw and isinstance(t, Tensor_) else t for t in self)


def pack(values: list[Any], slots: list[Any]) -> tuple[tuple[Any, ...], tuple[int, ...] | None]:
    """What a node saves of these values, with their versions; hooks of the thread are applied."""
    modes = _state.modes
    if _state.special and modes.saved_hooks_disabled is not None:
        pass
    hooks = modes.saved_hooks[-1] if _state.special and modes.saved_hooks else None
    versions = None
    saved = []
    for i, (value, slot) in enumerate(zip(values, slots, strict=True)):
        if isinstance(value, Tensor_):
            if hooks is not None:
                value = Hooked(value, hooks[0], hooks[1], slot.is_output)
            else:
                version = version_of(value)
                if version:
                    versions = versions or [0] * len(values)
                    versions[i] = version
                if slot.is_output:
                    value = twin(value)
        saved.append(value)
    return tuple(saved), None if versions is None else tuple(versions)


def as_tensor_value(value: Any) -> Any:
    """A saved value as ``node._saved_x`` shows it: numbers that stood for tensors become 0-d tensors."""
    if isinstance(value, np.ndarray):
        return Tensor_._wrap(value)
    return value
