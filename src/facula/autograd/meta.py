"""What only some tensors carry for autograd: flags, gradient, hooks, the base of a view, where history was cut off."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .._core import dtypes, state
from ..ops.machine.errors import type_of
from .graph import resolve, user_place
from .views import DEFAULT

if TYPE_CHECKING:
    from .._tensor import Tensor
    from .accumulate import AccumulateGrad

FROZEN = "requires_grad_(False)"
"""How the history of what is computed from frozen parameters was cut off, if nothing else did it."""
Tensor_: Any = None  # set by _tensor, which imports this module


class AutogradMeta:
    """What leaves, views, and tensors with hooks carry. Plain intermediate tensors have none."""

    requires_grad: bool = False
    grad: Tensor | None = None
    grad_dtype: Any = ...
    accumulator: weakref.ref[AccumulateGrad] | None = None
    hooks: OrderedDict[int, Any] | None = None
    post_accumulate_hooks: OrderedDict[int, Any] | None = None
    retains_grad: bool = False
    output_nr: int = 0
    base: Tensor | None = None
    replay: Callable[[Any], Any] | None = None
    tangent_of: Any = None
    """Of a view that shares not its base's tangent but another tensor's: that, or ``ITSELF``."""
    creation: int = DEFAULT
    attr_version: int = 0
    inference: bool = False
    counts: bool = False
    """Whether it has versions although it is of inference mode: cut off from one such outside of the mode."""
    summed: Any = None
    """Of the last time that a gradient was added to another: which, its version then, and the leaf's."""
    cleared: Any = None
    """Where the gradient was last set to None by hand."""
    clipped: Any = None
    """Of the last time that the gradient was clipped: which, the leaf's version, where, and whether in vain before."""
    cut: Cut | None = None
    origin: Any = None
    """Where a tensor without history was made; only a watch knows."""
    detached: bool = False
    """Whether ``detach_()`` was called: nothing that saved it before may use it any more."""
    name: str | None = None


def remember_shape(t: Tensor) -> None:
    """What gradients must have where a graph leads to a tensor that is about to get another shape, unrecorded."""
    meta, node = t._meta, t._node
    if node is None and meta is not None and meta.accumulator is not None:
        node = meta.accumulator()
    if node is not None:
        node.attachments().shapes.setdefault(t.output_nr, t._array.shape)


class Cut(AutogradMeta):
    """How and where a tensor lost its history. All that is computed from it shares this, so it is never changed.

    NOTE [cuts]: ``detach``, ``.data``, operations under ``no_grad``, operations that have no derivative, and values
    that went through Python numbers or NumPy leave a Cut; results that need no gradient inherit it from their operands.
    The error for a backward without history can then name the line to look at.
    """

    switch: Any = None
    """Where gradients had been switched off: (code, instruction)."""
    source: Any = None
    """What was cut off, as far as a watch knows: see ``_explain.watch``."""

    def __init__(self, how: str, of: Any = None, depth: int = 2) -> None:
        self.how = how
        self.code, self.instruction = user_place(depth)
        if state.special and state.modes.capture is not None:
            state.modes.capture.has_cuts = True
        if state.watch is not None:
            self.source = state.watch.cut_off(of)

    @property
    def cut(self) -> Cut:  # type: ignore[override]
        return self

    def __str__(self) -> str:
        return f"{self.how} at {resolve(self.code, self.instruction)}"


def cut_of(tensors: Any, op: Any) -> Cut | None:
    """The cut of a result without history: that of an operand, or a new one if an operand needs a gradient.

    Then recording is switched off, or ``op``, an operator or its name, has no derivative.
    """
    frozen = None
    for t in tensors:
        if isinstance(t, Tensor_):
            meta = t._meta
            if meta is not None and meta.cut is not None:
                if meta.cut.how != FROZEN:
                    return meta.cut
                frozen = frozen or meta.cut
            elif t._node is not None or (meta is not None and meta.requires_grad):
                if state.grad_enabled():
                    return Cut(f"{getattr(op, 'name', op)}()", t, 3)
                modes = state.modes
                cut = Cut("inference_mode()" if modes.inference else "no_grad()", t, 3)
                cut.switch = modes.switch
                return cut
    return frozen


def check_grad(t: Tensor, value: Any) -> None:
    """Refuse what PyTorch does not take as a tensor's ``.grad``."""
    if not isinstance(value, Tensor_):
        raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type_of(value)}")
    if value is t:
        raise RuntimeError("can't assign Variable as its own grad")
    own = t._meta.grad_dtype if t._node is None and t._meta is not None else ...
    here = t.dtype if own is ... else own
    if here is not None and value.dtype != here:
        raise RuntimeError(
            f"attempting to assign a gradient with dtype '{dtypes.cpp_name(value.dtype)}' to a tensor with grad_dtype "
            f"'{dtypes.SCALAR_TYPE_NAMES[here]}'. The gradient must match the tensor's grad_dtype (defaults to the "
            "tensor's dtype). You can set the tensor's grad_dtype attribute with a specific dtype, or None to allow "
            "any dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may break "
            "downstream systems that assume they match."
        )
    if value.device != t.device:
        raise RuntimeError(
            f"attempting to assign a gradient with device type '{value.device.type}' to a tensor with device type "
            f"'{t.device.type}'. Please ensure that the gradient and the tensor are on the same device"
        )
    if value._array.shape != t._array.shape:
        raise RuntimeError(
            f"attempting to assign a gradient of size '{list(value._array.shape)}' to a tensor of size "
            f"'{list(t._array.shape)}'. Please ensure that the gradient and the tensor are the same size"
        )


def refuse_inference(t: Tensor) -> None:
    """Refuse to let a tensor of inference mode require a gradient outside of the mode."""
    if t._meta is not None and t._meta.inference and not state.modes.inference:
        raise RuntimeError("Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.")


def stay_inference(t: Tensor, of: Tensor) -> None:
    """Mark what has just been cut off from another tensor, if that is of inference mode."""
    if of._meta is None or not of._meta.inference:
        return
    meta = t._own_meta()
    meta.inference = True
    if not (state.special and state.modes.inference):
        meta.counts = True
        t._counter = None
