"""Views inside transforms: what a tensor is a view of, which views it has, and how they become wrapped together.

NOTE [wrapped where they are]: a constant that a dual is written into becomes a dual itself, where it is, as others hold
it; and so do all its views, whenever they were made. A wrapped tensor knows its views. A plain one does not, as making
views must cost nothing, but they hold one version counter: who refers to it is looked up, should anybody do so. When
the level ends, plain tensors are what they were before.
"""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

from .._core.strides import geometry_of
from .._tensor import Tensor
from ..autograd.views import ITSELF, put_part
from ..ops.views.strided import restride_op
from .wrapped import Level, innermost, link

_new = object.__new__

Link = tuple[Any, Any, Any]


def view_of(t: Any) -> Link | None:
    """What ``Wrapped._view_of`` says, for plain tensors too."""
    if t.wraps:
        found: Link | None = t._view_of
        return found
    base = _source_of(t)
    if base is None:
        return None
    if t._meta.replay is not None and t._meta.tangent_of is None:
        return base, t._meta.replay, None
    if base.dtype != t.dtype:
        raise RuntimeError("forward mode: an unpacked value and a view of it with another dtype cannot share a tangent")
    return base, *by_geometry(geometry_of(innermost(base)._array), geometry_of(t._array))


def _source_of(t: Any) -> Any:
    """The tensor that a plain view shares its tangent with."""
    meta = t._meta
    if meta is None or meta.base is None or meta.base is t or meta.tangent_of is ITSELF:
        return None
    return meta.base if meta.tangent_of is None else meta.tangent_of


def by_geometry(base: tuple[Any, ...], view: tuple[Any, ...]) -> tuple[Any, Any]:
    """How to view something like a base as one of its views does, and how to put such a part into a whole."""
    return lambda whole: restride_op(whole, *base, *view), PutPart(base, view)


class PutPart(NamedTuple):
    """How a part is put into a whole, by what both look like in memory."""

    base: tuple[Any, ...]
    view: tuple[Any, ...]

    def __call__(self, whole: Any, part: Any) -> Any:
        return put_part(whole, part, self.base, self.view)


def views_of(t: Any, known: Any = None) -> list[Any]:
    """The views of a tensor that somebody holds. ``known``: one of them, if the caller has it."""
    if t.wraps:
        found = [ref() for ref in t._views or ()]
        return [v for v in found if v is not None and v._view_of is not None and v._view_of[0] is t]
    if t._counter is None or _source_of(t) is not None:  # views of a plain view are views of its base
        return []
    if _references_to_counter(t) == _ALONE + (known is not None):
        return [] if known is None else [known]
    if gc.get_freeze_count():  # who is frozen is not looked at
        gc.unfreeze()
    return [v for v in gc.get_referrers(t._counter) if isinstance(v, Tensor) and _source_of(v) is t]


def _references_to_counter(t: Any) -> int:
    return sys.getrefcount(t._counter)


class _Alone:
    def __init__(self) -> None:
        self._counter = [0]


_ALONE = _references_to_counter(_Alone())


def replica(t: Any) -> Any:
    """Another tensor that is the same in all respects, to take a tensor's place when it becomes something else."""
    if not t.wraps:
        t._shared_counter()
    other = _new(t.__class__)
    take(other, t)
    return other


def take(t: Any, other: Any) -> None:
    """Let a tensor be what another is."""
    t.__class__ = other.__class__
    t.__dict__.clear()
    t.__dict__.update(other.__dict__)
    t._array, t._node, t._meta, t._counter = other._array, other._node, other._meta, other._counter


def relink(view: Any, base: Any) -> None:
    """Make a view one of another tensor, which is like the one it was a view of."""
    if view.wraps:
        link(view, base, *view._view_of[1:])
    elif view._meta.tangent_of is None:
        view._meta.base = base
    else:
        view._meta.tangent_of = base


def _receive_gradients(t: Any) -> None:
    """Have the nodes that knew the tensor whose place a plain one has taken, put their gradients into this one."""
    meta = t._meta
    if t.wraps or meta is None:
        return
    accumulator = None if meta.accumulator is None else meta.accumulator()
    if accumulator is not None:
        accumulator.variable = t
    if meta.retains_grad and t._node is not None:
        t._node.attachments().retain[meta.output_nr] = weakref.ref(t)


def become(t: Any, wrapped: Callable[[Any, Link | None], Any], known: Any = None) -> list[Any]:
    """Turn a tensor and all its views into what ``wrapped`` makes of them, where they are; return them all.

    ``wrapped`` is given what the tensor was and, for a view, its link to what ``t`` has become. ``known``: as above.
    """
    changed: list[Any] = []

    def turn(t: Any, to: Link | None, known: Any) -> Any:
        views = [(v, view_of(v)) for v in views_of(t, known)]
        before = replica(t)
        _receive_gradients(before)
        take(t, wrapped(before, to))
        changed.append(t)
        if to is not None:
            link(t, *to)
        for v, its_link in views:
            assert its_link is not None
            relink(turn(v, (t, *its_link[1:]), None), before)
        return before

    turn(t, None, known)
    return changed


def _give_place(t: Any, inside: Any) -> None:
    """Let a dual be what it stands for, and get its gradients, unless a user has that as well."""
    is_given = "_is_given" in t.__dict__
    take(t, inside)
    if not is_given:
        _receive_gradients(t)


def restore(level: Level) -> None:
    """Let the duals of a level that has ended be the tensors that they stand for, where they are.

    Those of a class with slots of its own stay duals: no other tensor can become one of these.
    """
    held = [t for ref in level.duals if (t := ref()) is not None]
    found = [(t, t._inside) for t in held if t.wraps and t._level is level]
    found = [(t, i) for t, i in found if t.__class__.__basicsize__ == i.__class__.__basicsize__]
    level.duals = []
    outer = {id(inside): t for t, inside in found}
    for t, inside in found:
        _give_place(t, inside)
    for t, _ in found:
        base = t._view_of and t._view_of[0] if t.wraps else _source_of(t)
        if id(base) in outer:
            relink(t, outer[id(base)])


def unwrap(t: Any) -> None:
    """Let a dual be the tensor that it stands for, where it is; its views keep the tangents that they have."""
    inside = t._inside
    for view in views_of(t):
        view._tangent, view._view_of = view._tangent, None
        if not inside.wraps:
            relink(view._inside, t)
    _give_place(t, inside)
