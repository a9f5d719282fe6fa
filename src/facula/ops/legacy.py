"""Older and lesser known names of tensors' methods and of some functions."""

from __future__ import annotations

from typing import Any

from .._lazy import set_methods
from .._levels.wrapped import innermost
from .._tensor import Tensor
from ..autograd.graph import warn_user
from .indexing.embedding import embedding as _embedding
from .machine.public import FUNCTIONS, public
from .moving.copy import clone


def _pin_memory(self: Tensor, device: Any = None) -> Tensor:
    """Raises, as PyTorch does without an accelerator."""
    raise RuntimeError("Cannot access accelerator device when none is available.")


def _is_distributed(self: Tensor) -> bool:
    """Whether it is spread over several processes; never."""
    return False


def _resize(self: Tensor, *sizes: Any) -> Tensor:
    """A tensor of these sizes, resized with a graph as ``view``."""
    warn_user("non-inplace resize is deprecated")
    return self.view(*sizes)


def _resize_as(self: Tensor, tensor: Tensor) -> Tensor:
    """``resize`` to another tensor's shape."""
    warn_user("non-inplace resize_as is deprecated")
    return self.view(tensor.size())


def _record_stream(self: Tensor, s: Any) -> None:
    """There are no streams whose work a tensor could outlive."""


def _xpu(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """There is no such device here."""
    raise AssertionError("Torch not compiled with XPU enabled")


def _volatile(self: Tensor) -> bool:
    """False: what it meant is gone from PyTorch."""
    warn_user("volatile was removed (Variable.volatile is always False)")
    return False


def _set_volatile(self: Tensor, value: Any = None) -> None:
    warn_user("volatile was removed and now has no effect. Use `with torch.no_grad():` instead.")


def _is_all_true(self: Tensor) -> Tensor:
    """Whether all of these truths hold; inside vmap, for all items."""
    return innermost(self).all()


def _is_any_true(self: Tensor) -> Tensor:
    """Whether one of these truths holds; inside vmap, for one item."""
    return innermost(self).any()


def _keep_history(self: Tensor) -> None:
    raise RuntimeError("Deletion of _grad_fn not allowed. Detach tensor instead!")


set_methods(
    pin_memory=_pin_memory, is_distributed=_is_distributed, resize=_resize, resize_as=_resize_as,
    record_stream=_record_stream, xpu=_xpu,
    _is_all_true=_is_all_true, _is_any_true=_is_any_true, volatile=property(_volatile, _set_volatile, _set_volatile),
    _cdata=property(id), _grad_fn=property(lambda self: self.grad_fn, None, _keep_history),
)  # fmt: skip
FUNCTIONS["is_distributed"] = _is_distributed
FUNCTIONS["_is_all_true"] = _is_all_true
FUNCTIONS["_is_any_true"] = _is_any_true


@public("embedding")
def embedding(
    weight: Tensor, indices: Tensor, padding_idx: int = -1, scale_grad_by_freq: bool = False, sparse: bool = False
) -> Tensor:
    """Rows of a table by their numbers; ``nn.functional.embedding`` has its arguments the other way round."""
    padding = None if padding_idx < 0 else padding_idx
    return _embedding(indices, weight, padding, scale_grad_by_freq=scale_grad_by_freq, sparse=sparse)


@public("detach_copy", out=True)
def detach_copy(input: Tensor) -> Tensor:
    """A copy without history."""
    copy: Tensor = clone(input.detach())
    return copy
