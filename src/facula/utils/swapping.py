"""Exchanging what two tensors are."""

from __future__ import annotations

from .._tensor import Tensor


def swap_tensors(t1: Tensor, t2: Tensor) -> None:
    """Exchange all that two tensors hold, their classes and attributes included; who knows either of them sees that."""
    t1.__class__, t2.__class__ = t2.__class__, t1.__class__
    t1.__dict__, t2.__dict__ = t2.__dict__, t1.__dict__
    for name in ("_array", "_node", "_meta", "_counter"):
        mine, theirs = getattr(t1, name), getattr(t2, name)
        setattr(t1, name, theirs)
        setattr(t2, name, mine)
    for t in (t1, t2):
        if t._meta is not None and t._meta.accumulator is not None:
            t._own_meta().accumulator = None  # it would add gradients to the other one
