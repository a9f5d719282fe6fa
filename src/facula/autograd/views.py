"""Views and in-place changes: who is a view of whom, and how history follows a write.

NOTE [views]: a view knows its root base (a view of a view points at the root too) and shares its version counter. An
in-place change through any of them bumps the counter. A view remembers the counter's value when its ``grad_fn`` was
made; if they differ when it is asked for, the ``grad_fn`` is made anew from the base, by ``as_strided`` (or, if the
view changes the dtype, as ``real`` does, by replaying the view).

NOTE [copy slices]: a change through a view replaces part of the base. The base's new node, CopySlices, sends the part of
the gradient that was overwritten through the operation that wrote it, and the rest on to the base's old node.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _state
from .graph import Node, Port, new_node

if TYPE_CHECKING:
    from .._tensor import Tensor

Tensor_: Any = None

DEFAULT, MULTI_OUTPUT, NO_GRAD, INFERENCE, IN_FUNCTION = range(5)


def mark_view(view: Tensor, source: Tensor, replay: Callable[[Tensor], Tensor] | None, multi: bool = False) -> None:
    """Make ``view`` known as a view of ``source``'s root base."""
    meta = view._own_meta()
    above = source._meta
    base = source if above is None or above.base is None else above.base
    meta.base = base
    inherited = None if above is None else above.replay
    if replay is not None or inherited is not None:
        meta.replay = _compose(inherited, _strided_step(source, base, inherited), replay, view, source)
    view._counter = source._shared_counter()
    meta.attr_version = view._counter[0]
    if _state.special:
        modes = _state.modes
        if modes.inference:
            meta.creation = INFERENCE
            return
        if not modes.grad_enabled:
            meta.creation = NO_GRAD
            return
    if multi:
        meta.creation = MULTI_OUTPUT
    elif above is not None:
        meta.creation = above.creation if above.base is not None else DEFAULT


def _strided_step(source: Tensor, base: Tensor, inherited: Any) -> Callable[[Any], Any] | None:
    if inherited is not None or source is base:
        return None
    geometry = relative_geometry(base, source)
    return lambda t: t.as_strided(*geometry)


def _compose(inherited: Any, to_source: Any, replay: Any, view: Tensor, source: Tensor) -> Callable[[Any], Any]:
    if replay is None:
        geometry = relative_geometry(source, view)
        last: Callable[[Any], Any] = lambda t: t.as_strided(*geometry)  # noqa: E731
    else:
        last = replay
    first = inherited or to_source
    return last if first is None else (lambda t: last(first(t)))


def address(array: np.ndarray[Any, Any]) -> int:
    pointer: int = array.__array_interface__["data"][0]
    return pointer


def root_of(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The array whose memory is the storage; see ``_tensor.StorageRoot``."""
    while array.base.__class__ is np.ndarray:
        array = array.base  # type: ignore[assignment]
    return array


def storage_offset(array: np.ndarray[Any, Any]) -> int:
    return (address(array) - address(root_of(array))) // max(array.itemsize, 1)


def element_strides(array: np.ndarray[Any, Any]) -> tuple[int, ...]:
    size = max(array.itemsize, 1)
    return tuple(s // size for s in array.strides)


def relative_geometry(base: Any, view: Any) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """Arguments for ``base.as_strided`` that give ``view``."""
    return view._array.shape, element_strides(view._array), storage_offset(view._array)


def refreshed_node(view: Tensor) -> Node | None:
    """A view's grad_fn, made anew if the memory was written to since it was made."""
    meta = view._meta
    assert meta is not None and meta.base is not None
    counter = view._counter
    if counter is None or counter[0] == meta.attr_version:
        return view._node
    base = meta.base
    if view._node is None and not base.requires_grad:
        return None
    if meta.creation in (NO_GRAD, INFERENCE, MULTI_OUTPUT, IN_FUNCTION) and view._node is None and meta.requires_grad:
        return None
    enabled = _state.grad_enabled()
    if not enabled:
        _state.update(grad_enabled=True)
    try:
        if meta.replay is not None:
            again = meta.replay(base)
        else:
            again = base.as_strided(*relative_geometry(base, view))
    finally:
        if not enabled:
            _state.update(grad_enabled=False)
    view._node = again._node
    meta.output_nr = 0 if again._meta is None else again._meta.output_nr
    meta.attr_version = counter[0]
    _move_retained(view, meta)
    return view._node


def _move_retained(t: Tensor, meta: Any) -> None:
    """retain_grad follows a tensor to its new node; other hooks stay with the old one."""
    meta.hooks = None
    if meta.retains_grad and t._node is not None:
        import weakref

        t._node.attachments().retain[meta.output_nr] = weakref.ref(t)


def check_inplace(t: Tensor, recording: bool) -> None:
    """Refuse an in-place change that PyTorch refuses. ``recording``: grad mode is on."""
    meta = t._meta
    if meta is None:
        return
    if meta.inference and not (_state.special and _state.modes.inference):
        raise RuntimeError(
            "Inplace update to inference tensor outside InferenceMode is not allowed."
            "You can make a clone to get a normal tensor before doing inplace update."
            "See https://github.com/pytorch/rfcs/pull/17 for more details."
        )
    if not recording or not t.requires_grad:
        return
    if meta.base is not None:
        if meta.creation != DEFAULT:
            _refuse(t, meta)
        if meta.base._is_leaf_requiring_grad():
            raise RuntimeError(
                "a view of a leaf Variable that requires grad is being used in an in-place operation."
            )
    if t._is_leaf_requiring_grad():
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")


def check_view_change(t: Tensor) -> None:
    """A view that may not carry history may not be given one either (the other operand requires grad)."""
    meta = t._meta
    if meta is not None and meta.base is not None:
        if meta.creation != DEFAULT:
            _refuse(t, meta)
        if meta.base._is_leaf_requiring_grad():
            raise RuntimeError(
                "a view of a leaf Variable that requires grad is being used in an in-place operation."
            )


def _refuse(t: Tensor, meta: Any) -> None:
    maker = t._node
    output = meta.output_nr
    if maker is not None:
        start = f"Output {output} of {maker.name()} is a view and is being modified inplace."
    else:
        start = "A view was created in no_grad mode and is being modified inplace with grad mode enabled."
    if meta.creation == MULTI_OUTPUT:
        end = (
            " This view is the output of a function that returns multiple views. Such functions do not allow the "
            "output views to be modified inplace. You should replace the inplace operation by an out-of-place one."
        )
    elif meta.creation == NO_GRAD:
        start = start if maker is None else (
            f"Output {output} of {maker.name()} is a view and is being modified inplace."
        )
        end = (
            " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by "
            "moving both the view and the inplace either both inside the no_grad block (if you don't want the inplace "
            "to be tracked) or both outside (if you want the inplace to be tracked)."
        )
    elif meta.creation == INFERENCE:
        if maker is None:
            start = "A view was created in inference mode and is being modified inplace in normal mode."
        end = (
            " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by "
            "moving both the view and the inplace either both inside the inference_mode block (if you don't want the "
            "inplace to be tracked) or both outside (if you want the inplace to be tracked)."
        )
    else:
        end = (
            " This view was created inside a custom Function (or because an input was returned as-is) and the autograd "
            "logic to handle view+inplace would override the custom backward associated with the custom Function, "
            "leading to incorrect gradients. This behavior is forbidden. You can fix this by cloning the output of the "
            "custom Function."
        )
    raise RuntimeError(start + end)


def rebase_history(t: Tensor, node: Node) -> None:
    """``node`` has just written ``t`` in place: make it t's history."""
    meta = t._meta
    if meta is not None and meta.base is not None:
        base = meta.base
        copy = _copy_slices(base, t, meta, node)
        base._set_node(copy)
        if base._meta is not None:
            _move_retained(base, base._meta)
        t._node = copy  # stands for "requires grad" until the view's own node is made from the base
        meta.attr_version = -1
        refreshed_node(t)
        return
    t._set_node(node)
    if meta is not None:
        _move_retained(t, meta)


class CopySlices(Node):
    """The base's node after a change through a view; see NOTE [copy slices]."""

    __slots__ = ("fn", "geometry", "replay")
    fn: Any
    geometry: Any
    replay: Any

    def backward(self, g: Any, xp: Any, edges: tuple[Any, ...]) -> list[Any]:
        if g is None:
            return [None] * len(edges)
        base_shape, base_strides, base_offset, view_geometry = self.geometry
        inner_edges = (self.next[0] if self.fn.next[0] is not None else None, *edges[1:])
        if xp.is_raw:
            rest = _like_base(np.asarray(g), base_shape, base_strides)
            part = self._part_of(Tensor_._wrap(rest), base_offset)._array
            inner = self.fn.backward(np.array(part), xp, inner_edges)
            if self.fn.adapt is not None:
                from .engine import adapt

                inner = adapt(self.fn, inner, inner_edges, xp)
            part[...] = 0 if inner[0] is None else inner[0]
        else:
            rest = g.clone()
            part = self._part_of(rest, 0)
            inner = self.fn.backward(part.clone(), xp, inner_edges)
            if self.fn.adapt is not None:
                from .engine import adapt

                inner = adapt(self.fn, inner, inner_edges, xp)
            if inner[0] is None:
                part.zero_()
            else:
                part.copy_(inner[0])
        first = rest if edges[0] is not None else None
        return [first, *list(inner)[1:]]

    def _part_of(self, t: Any, base_offset: int) -> Any:
        if self.replay is not None:
            return self.replay(t)
        _, _, offset, (shape, strides, at) = self.geometry
        return t.as_strided(shape, strides, at - offset + storage_offset(t._array))

    def free(self, by: Any) -> None:
        self.fn.free(by)

    @property
    def saved(self) -> Any:
        return self.fn.saved if self.fn is not None else ()

    @saved.setter
    def saved(self, value: Any) -> None:
        pass


def _like_base(g: Any, shape: tuple[int, ...], strides: tuple[int, ...]) -> Any:
    """A copy of the gradient with the base's strides, so that the view's geometry fits it."""
    dense = np.empty(shape, g.dtype)
    if element_strides(dense) != strides and dense.size:
        order = np.argsort([-s for s in strides], kind="stable")
        dense = np.empty([shape[i] for i in order], g.dtype).transpose(np.argsort(order))
    dense[...] = g
    return dense


def _copy_slices(base: Tensor, view: Tensor, meta: Any, node: Node) -> CopySlices:
    base_edge = base._edge()
    copy = CopySlices()
    copy.fn = None
    made = new_node(CopySlices, (base_edge, *node.next[1:]))
    assert isinstance(made, CopySlices)
    made.fn = node
    made.replay = meta.replay
    array = base._array
    made.geometry = (
        array.shape, element_strides(array), storage_offset(array), relative_geometry(base, view),
    )  # fmt: skip
    made.code, made.instruction = node.code, node.instruction
    return made


def edge_of_output(node: Node, nr: int) -> Node | Port:
    return Port(node, nr) if node.multi else node
