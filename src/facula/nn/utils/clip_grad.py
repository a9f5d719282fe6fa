"""Keeping gradients from growing too large."""

from __future__ import annotations

import types
import warnings
from collections.abc import Iterable
from typing import Any

from ..._tensor import Tensor
from ...autograd.grad_mode import no_grad

Tensors = Tensor | Iterable[Tensor]


def _listed(tensors: Tensors) -> list[Tensor]:
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)


def _note(clipped: list[Tensor]) -> None:
    """Remember that gradients were clipped: it is to be seen whether that was of any use."""
    from ..._explain import unasked  # loaded when first used

    unasked.clipped([p for p in clipped if p.grad is not None])


def get_total_norm(
    tensors: Tensors, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: bool | None = None
) -> Tensor:
    """The norm of all the tensors' elements together."""
    from ... import linalg, stack, tensor  # loaded when first used

    norm_type = float(norm_type)
    listed = _listed(tensors)
    if not listed:
        nothing: Tensor = tensor(0.0)
        return nothing
    with no_grad():
        norms = [linalg.vector_norm(t, norm_type) for t in listed]
        total: Tensor = linalg.vector_norm(stack([n.to(norms[0].device) for n in norms]), norm_type)
    if error_if_nonfinite and not bool(total.isfinite().all()):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be "
            "clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`"
        )
    return total


def clip_grads_with_norm_(
    parameters: Tensors, max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """Scale the gradients down by ``max_norm / total_norm``, if that is less than one."""
    with no_grad():
        factor = (float(max_norm) / (total_norm + 1e-6)).clamp(max=1.0)
        for p in _listed(parameters):
            if p.grad is not None:
                p.grad.mul_(factor.to(p.grad.device))


def clip_grad_norm_(
    parameters: Tensors, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:  # fmt: skip
    """Scale the gradients down so that their norm, all together, is at most ``max_norm``; the norm they had."""
    clipped = _listed(parameters)
    if not clipped and isinstance(parameters, types.GeneratorType):
        warnings.warn("`parameters` is an empty generator, no gradient clipping will occur.", stacklevel=2)
    gradients = [p.grad for p in clipped if p.grad is not None]
    norm = get_total_norm(gradients, norm_type, error_if_nonfinite)
    clip_grads_with_norm_(clipped, max_norm, norm)
    _note(clipped)
    return norm


def clip_grad_norm(
    parameters: Tensors, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:  # fmt: skip
    """The old name of ``clip_grad_norm_``."""
    warnings.warn(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.",
        FutureWarning,
        stacklevel=2,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


def clip_grad_value_(parameters: Tensors, clip_value: float, foreach: bool | None = None) -> None:
    """Bring each element of the gradients into [-clip_value, clip_value]."""
    bound = float(clip_value)
    clipped = _listed(parameters)
    with no_grad():
        for p in clipped:
            if p.grad is not None:
                p.grad.clamp_(min=-bound, max=bound)
    _note(clipped)


_get_total_norm: Any = get_total_norm
_clip_grads_with_norm_: Any = clip_grads_with_norm_
