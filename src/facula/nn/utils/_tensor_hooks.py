"""Forward pre-hooks that compute a tensor of a module, and what they share."""

from __future__ import annotations

from typing import Any

from ..._tensor import Tensor
from ...autograd.grad_mode import no_grad
from .. import functional as F
from ..modules.module import Module


def hooks_for(module: Module, kind: type, name: str, called: str = "name") -> dict[int, Any]:
    """A module's hooks of a kind, by key, that compute the tensor of that name."""
    hooks = module._forward_pre_hooks
    return {key: hook for key, hook in hooks.items() if isinstance(hook, kind) and getattr(hook, called) == name}


def take_away(module: Module, kind: type, name: str, complaint: str, called: str = "name") -> None:
    """Have the first such hook leave the module as it was, and forget it."""
    found = hooks_for(module, kind, name, called)
    if not found:
        raise ValueError(complaint)
    key = min(found)
    found[key].remove(module)
    del module._forward_pre_hooks[key]


def unit_vector(like: Tensor, size: int, eps: float) -> Tensor:
    """A random direction."""
    drawn: Tensor = F.normalize(like.new_empty(size).normal_(0, 1), dim=0, eps=eps)
    return drawn


def power_iteration_(steps: list[tuple[Tensor, Tensor, Tensor]], times: int, eps: float) -> None:
    """Again and again, for each (matrix, source, target): the target becomes the direction of matrix · source."""
    with no_grad():
        for _ in range(times):
            for matrix, source, target in steps:
                F.normalize(matrix.mv(source), dim=0, eps=eps, out=target)
