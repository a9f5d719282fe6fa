"""Views and in-place changes: who is a view of whom, and how history follows a write.

NOTE [views]: a view knows its root base (a view of a view points at the root too) and shares its version counter. An
in-place change through any of them bumps the counter. A view remembers the counter's value when its ``grad_fn`` was
made; if they differ when it is asked for, the ``grad_fn`` is made anew from the base, by ``as_strided`` (or, if the
view changes the dtype, as ``view_as_real`` does, by replaying the view).

NOTE [copy slices]: a change through a view replaces part of the base. The base's new node, CopySlices, sends the part
of the gradient that was overwritten through the operation that wrote it, and the rest on to the base's old node.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .._core import state
from .._core.strides import element_strides, geometry_of, storage_offset
from . import anomaly
from .graph import Freed, Node, Port, new_node, short_name

if TYPE_CHECKING:
    from .._tensor import Tensor

Tensor_: Any = None

DEFAULT, MULTI_OUTPUT, NO_GRAD, INFERENCE, IN_FUNCTION = range(5)
"""How a view came about: all but the first may not be given a history by an in-place change."""

ITSELF: Any = object()
"""Of a view that is the base of a tangent of its own; see ``set_apart``."""


def mark_view(view: Tensor, source: Tensor, replay: Callable[[Any], Any] | None = None, multi: bool = False) -> None:
    """Make ``view`` known as a view of ``source``'s root base.

    ``replay`` makes the view again from a tensor like ``source``; needed only if the view changes the dtype.
    """
    meta = view._own_meta()
    above = source._meta
    base = source if above is None or above.base is None else above.base
    view._counter = source._shared_counter()
    if above is not None and above.inference:
        meta.inference = True
        view._node = None
        return
    meta.base = base
    if above is not None:
        meta.cut = above.cut
        if above.tangent_of is not None:
            meta.tangent_of = source if above.tangent_of is ITSELF else above.tangent_of
    meta.attr_version = view._counter[0]
    if replay is not None or (above is not None and above.replay is not None):
        meta.replay = _chain(source, base, view, replay)
    is_kept = above is not None and above.base is not None and above.creation == INFERENCE
    if is_kept or (state.special and state.modes.inference):
        meta.creation = INFERENCE
    elif state.special and not state.modes.grad_enabled:
        meta.creation = NO_GRAD
    elif multi:
        meta.creation = MULTI_OUTPUT
    elif above is not None and above.base is not None:
        meta.creation = above.creation


def mark_view_of_view(view: Tensor, source: Tensor) -> None:
    """Let what was made a view of ``source``, when that was not known to be a view itself, be one of its base."""
    meta, above = view._meta, source._meta
    assert meta is not None and above is not None
    if meta.replay is not None or above.replay is not None:
        first, second = above.replay or _strided(source), meta.replay or _strided(view)
        meta.replay = lambda t: second(first(t))
    meta.base = above.base
    if meta.creation == DEFAULT:
        meta.creation = above.creation


def set_apart(view: Tensor, source: Tensor) -> None:
    """Let a plain alias of ``source`` have no part in its tangent, and views of the alias have part in that of it."""
    meta = view._own_meta()
    if meta.base is not None:
        meta.tangent_of = ITSELF
        meta.replay = _chain(source, meta.base, view, lambda t: t.view_as(t))  # which has all views of it be marked


def _chain(source: Tensor, base: Tensor, view: Tensor, replay: Callable[[Any], Any] | None) -> Callable[[Any], Any]:
    """From the base to the source, then from the source to the view."""
    above = source._meta
    to_source: Callable[[Any], Any] | None = None
    if source is not base:
        to_source = (above.replay if above is not None else None) or _strided(source)
    to_view = replay or _strided(view)
    if to_source is None:
        return to_view
    first = to_source
    return lambda t: to_view(first(t))


def _strided(view: Tensor) -> Callable[[Any], Any]:
    geometry = geometry_of(view._array)
    return lambda t: t.as_strided(*geometry)


# ---- where things lie in memory


# ---- grad_fn of a view


def refreshed_node(view: Tensor) -> Node | None:
    """A view's grad_fn, made anew if the memory was written to since it was made."""
    meta = view._meta
    assert meta is not None and meta.base is not None
    counter = view._counter
    assert counter is not None
    if counter[0] == meta.attr_version:
        return view._node
    base = meta.base
    if view._node is None and not base.requires_grad:
        return None
    if meta.creation != DEFAULT:
        raise _refusal(view, meta, indirect=True)
    with _Recording():
        again = meta.replay(base) if meta.replay is not None else base.as_strided(*geometry_of(view._array))
    _drop_retained(view, meta)
    view._node = again._node or _without_base(view, base)
    meta.output_nr = 0 if again._meta is None else again._meta.output_nr
    meta.attr_version = counter[0]
    _move_retained(view, meta)
    return view._node


def _without_base(view: Tensor, base: Tensor) -> Node:
    """The node of a view with a history, of a base that requires a gradient no longer: it leads nowhere."""
    from ..ops.views.strided import as_strided_op  # it imports this module

    node: Node = as_strided_op._recorded(
        None, (base,), (*geometry_of(view._array), geometry_of(base._array)), (None,), view
    )
    return node


class _Recording:
    """Grad mode on for a moment, whatever the user's mode is."""

    def __enter__(self) -> None:
        self.before = state.grad_enabled()
        if not self.before:
            state.update(grad_enabled=True)

    def __exit__(self, *exc: object) -> None:
        if not self.before:
            state.update(grad_enabled=False)


def _drop_retained(t: Tensor, meta: Any) -> None:
    node: Any = t._node if meta.retains_grad else None
    while node is not None:  # if t is a view of itself by now, a node before this one has it
        held = {} if node.attached is None else node.attached.retain
        for nr in [nr for nr, reference in held.items() if reference() is t]:
            del held[nr]
            return
        edge = node.next[0] if len(node.next) == 1 else None
        node = edge.node if edge.__class__ is Port else edge


def _move_retained(t: Tensor, meta: Any) -> None:
    """retain_grad follows a tensor to its new node; other hooks stay with the old one."""
    meta.hooks = None
    if meta.retains_grad and t._node is not None:
        t._node.attachments().retain[meta.output_nr] = weakref.ref(t)


# ---- what may be changed in place


def check_inplace(t: Tensor, requires: bool) -> None:
    """Refuse an in-place change that PyTorch refuses. ``requires``: it would be recorded."""
    if state.special and state.modes.capture is not None:
        state.modes.capture.changes(t, requires)
    meta = t._meta
    if meta is None:
        return
    if meta.inference and not meta.counts and not (state.special and state.modes.inference):
        raise RuntimeError(
            "Inplace update to inference tensor outside InferenceMode is not allowed."
            "You can make a clone to get a normal tensor before doing inplace update."
            "See https://github.com/pytorch/rfcs/pull/17 for more details."
        )
    if not requires:
        return
    if meta.base is not None:
        if meta.creation != DEFAULT:
            from .._explain import errors  # loaded when something went wrong

            raise errors.view_changed(_refusal(t, meta, indirect=False), t)
        if t.requires_grad and meta.base.is_leaf:
            message = "a view of a leaf Variable that requires grad is being used in an in-place operation."
            raise _leaf_changed(message, t)
    if t.requires_grad and t._node is None:  # so may a view have none that was not asked for it since its base got one
        raise _leaf_changed("a leaf Variable that requires grad is being used in an in-place operation.", t)


def _leaf_changed(message: str, t: Tensor) -> Exception:
    from .._explain import errors  # loaded when something went wrong

    return errors.leaf_changed(RuntimeError(message), t)


def _refusal(t: Tensor, meta: Any, indirect: bool) -> RuntimeError:
    changed = "its base or another view of its base has been" if indirect else "is being"
    maker = None if t._node is None else f"Output {meta.output_nr} of {short_name(t._node)} is a view"
    if meta.creation in (INFERENCE, NO_GRAD) or maker is None:
        start = "A view was created in" if maker is None else f"{maker} of a view which was created in"
        if meta.creation == INFERENCE:
            start += f" inference mode and {changed} modified inplace in normal mode."
        else:
            start += f" no_grad mode and {changed} modified inplace with grad mode enabled."
    else:
        start = f"{maker} and {changed} modified inplace."
    return RuntimeError(start + _ADVICE[meta.creation])


_ADVICE = {
    MULTI_OUTPUT: (
        " This view is the output of a function that returns multiple views. Such functions do not allow the output "
        "views to be modified inplace. You should replace the inplace operation by an out-of-place one."
    ),
    NO_GRAD: (
        " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving "
        "both the view and the inplace either both inside the no_grad block (if you don't want the inplace to be "
        "tracked) or both outside (if you want the inplace to be tracked)."
    ),
    INFERENCE: (
        " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving "
        "both the view and the inplace either both inside the inference_mode block (if you don't want the inplace to "
        "be tracked) or both outside (if you want the inplace to be tracked)."
    ),
    IN_FUNCTION: (
        " This view was created inside a custom Function (or because an input was returned as-is) and the autograd "
        "logic to handle view+inplace would override the custom backward associated with the custom Function, leading "
        "to incorrect gradients. This behavior is forbidden. You can fix this by cloning the output of the custom "
        "Function."
    ),
}


# ---- giving a changed tensor its new history


def rebase_history(t: Tensor, node: Node) -> None:
    """``node`` has just written ``t`` in place (and the version was bumped): make it t's history."""
    if t._node is None and state.modes.written is not None:
        state.modes.written.append(weakref.ref(t))
    meta = t._meta
    if meta is None or meta.base is None:
        _set_history(t, node)
        return
    base = meta.base
    if base._node is None and state.modes.written is not None:
        state.modes.written.append(weakref.ref(base))
    _set_history(base, _copy_slices(base, t, meta, node))
    meta.attr_version = -1  # whoever asked for the node since the write has seen the old history
    refreshed_node(t)


def _set_history(t: Tensor, node: Node) -> None:
    meta = t._meta
    if meta is None:
        t._node = node
        return
    _drop_retained(t, meta)
    t._set_node(node)
    _move_retained(t, meta)


def forget_history(t: Tensor) -> None:
    """Let a tensor that got a history by being written to be without one, as it was."""
    meta = t._meta
    if meta is not None:
        _drop_retained(t, meta)
        meta.output_nr = 0
        if meta.base is not None:
            meta.attr_version = t._shared_counter()[0]
    t._node = None


class CopySlices(Node):
    """The base's node after a change through a view; see NOTE [copy slices]."""

    __slots__ = ("base_geometry", "fn", "replay", "view_geometry")
    module = "torch::autograd::"
    fn: Any
    replay: Any
    base_geometry: tuple[Any, ...]
    view_geometry: tuple[Any, ...]

    def propagate(self, g: Any, xp: Any, edges: tuple[Any, ...]) -> list[Any]:
        from .saved import freed_error  # it imports this module

        if self.saved.__class__ is Freed:
            raise freed_error(self)
        if g is None:
            return [None] * len(edges)
        fn = self.fn
        inner_edges = (edges[0] if fn.next[0] is not None else None, *edges[1:])
        if xp.is_raw:
            rest = Tensor_._wrap(_with_strides(np.asarray(g), *self.base_geometry[:2]))
        elif g.wraps and self.replay is None:
            return self._without_writing(g, xp, edges, inner_edges)
        else:
            rest = g.clone()
            if not g.wraps and element_strides(rest._array) != self.base_geometry[1]:
                rest = g.new_empty_strided(*self.base_geometry[:2]).copy_(g)
        part = self._part_of(rest)
        inner = fn.propagate(part._array.copy() if xp.is_raw else part.clone(), xp, inner_edges)
        if fn.adapt is not None:
            from .adapting import adapt  # it imports this module

            inner = adapt(fn, inner, inner_edges, xp)
        if inner[0] is None:
            part.zero_()
        else:
            part.copy_(Tensor_._wrap(np.asarray(inner[0])) if xp.is_raw else inner[0])
        first = None if edges[0] is None else rest._array if xp.is_raw else rest
        return [first, *list(inner)[1:]]

    def _without_writing(self, g: Any, xp: Any, edges: tuple[Any, ...], inner_edges: tuple[Any, ...]) -> list[Any]:
        """The same for a gradient inside a transform, whose strides say nothing."""
        fn = self.fn
        inner = fn.propagate(xp.restride(g, *self.base_geometry, *self.view_geometry), xp, inner_edges)
        if fn.adapt is not None:
            from .adapting import adapt  # it imports this module

            inner = adapt(fn, inner, inner_edges, xp)
        first = None
        if edges[0] is not None:
            part = g.new_zeros(self.view_geometry[0]) if inner[0] is None else inner[0]
            first = put_part(g, part, self.base_geometry, self.view_geometry)
        return [first, *list(inner)[1:]]

    def _part_of(self, t: Any) -> Any:
        if self.replay is not None:
            return self.replay(t)
        shape, strides, offset = self.view_geometry
        return t.as_strided(shape, strides, offset - self.base_geometry[2] + storage_offset(t._array))

    def free(self, by: Freed) -> None:
        self.saved = by
        task = state.modes.running
        if task is None or self.fn not in task.reached:  # else the engine runs it by itself, and frees it then
            self.fn.free(by)


def put_part(whole: Any, part: Any, base_geometry: tuple[Any, ...], view_geometry: tuple[Any, ...]) -> Any:
    """``whole`` with ``part`` in place of a view, by what base and view look like in memory; nothing is written."""
    from ..ops.pointwise.selection import where  # loaded when first used
    from ..ops.views.strided import restride_op  # it imports this module

    inside = restride_op.kernel(np.ones(view_geometry[0], bool), *view_geometry, *base_geometry)
    return where(Tensor_._wrap(inside), restride_op(part, *view_geometry, *base_geometry), whole)


def _with_strides(g: Any, shape: tuple[int, ...], strides: tuple[int, ...]) -> Any:
    """A copy of the gradient with the base's strides, so that the view's geometry fits it."""
    dense = np.empty(shape, g.dtype)
    if element_strides(dense) != strides and dense.size:
        order = np.argsort([-s for s in strides], kind="stable")
        dense = np.empty([shape[i] for i in order], g.dtype).transpose(np.argsort(order))
    dense[...] = g
    return dense


def _copy_slices(base: Tensor, view: Tensor, meta: Any, node: Node) -> CopySlices:
    copy: CopySlices = new_node(CopySlices, (base._edge(), *node.next[1:]))
    copy.fn = node
    copy.saved = (node,)
    copy.replay = meta.replay
    copy.base_geometry = geometry_of(base._array)
    copy.view_geometry = geometry_of(view._array)
    copy.code, copy.instruction = node.code, node.instruction
    if state.anomaly:
        anomaly.remember(copy)
    return copy
