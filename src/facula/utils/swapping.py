"""Exchanging what two tensors are."""

from __future__ import annotations

import weakref
from typing import Any

from .._tensor import Tensor


def swap_tensors(t1: Tensor, t2: Tensor) -> None:
    """Exchange all that two tensors hold, their classes and attributes included; who knows either of them sees that."""
    for name, t in (("t1", t1), ("t2", t2)):
        if not isinstance(t, Tensor):
            raise TypeError(f"swap_tensors(): argument '{name}' must be Tensor, not {type(t).__name__}")
        if weakref.getweakrefs(t):
            raise RuntimeError(f"Cannot swap {name} because it has weakref associated with it")
    t1.__class__, t2.__class__ = t2.__class__, t1.__class__
    t1.__dict__, t2.__dict__ = t2.__dict__, t1.__dict__
    for name in ("_array", "_node", "_meta", "_counter"):
        mine, theirs = getattr(t1, name), getattr(t2, name)
        setattr(t1, name, theirs)
        setattr(t2, name, mine)
    for t in (t1, t2):
        if t._meta is not None and t._meta.accumulator is not None:
            accumulator = t._meta.accumulator()
            if accumulator is not None:
                accumulator.register_prehook(_poisoned)  # it would add gradients to the other one
            t._own_meta().accumulator = None


def _poisoned(grad_outputs: Any) -> None:
    raise RuntimeError(
        "Trying to execute AccumulateGrad node that was poisoned by swap_tensors this can happen when you try to run "
        "backward on a tensor that was swapped. For a module m with "
        "`torch.__future__.set_swap_module_params_on_conversion(True)` you should not change the device or dtype of "
        "the module (e.g. `m.cpu()` or `m.half()`) between running forward and backward. To resolve this, please only "
        "change the device/dtype before running forward (or after both forward and backward)."
    )
