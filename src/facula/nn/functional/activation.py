"""Activations that choose a dimension, and dropout."""

from __future__ import annotations

import sys
import warnings
from typing import Any

from ..._core import state
from ..._tensor import Tensor
from ...autograd.graph import warn_user


def tanh(input: Tensor) -> Tensor:
    return input.tanh()


def sigmoid(input: Tensor) -> Tensor:
    return input.sigmoid()


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """exp(x) divided by its sum along ``dim``."""
    return input.softmax(_chosen_dim("softmax", input, dim, _stacklevel), dtype=dtype)


def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """softmax of -x."""
    return (-input).softmax(_chosen_dim("softmin", input, dim, _stacklevel), dtype=dtype)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """The logarithm of softmax."""
    return input.log_softmax(_chosen_dim("log_softmax", input, dim, _stacklevel), dtype=dtype)


def _chosen_dim(name: str, input: Tensor, dim: int | None, stacklevel: int) -> int:
    if dim is not None:
        return dim
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.",
        stacklevel=stacklevel,
    )
    return 0 if input.dim() in (0, 1, 3) else 1


def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """A softened random choice by logarithms of probabilities; ``hard``: exactly one 1, with soft derivatives."""
    if eps != 1e-10:
        warn_user("`eps` parameter is deprecated and has no effect.")
    noise = -logits.new_empty(logits.shape).exponential_().log()
    soft = ((logits + noise) / tau).softmax(dim)
    if not hard:
        return soft
    index = soft.max(dim, keepdim=True)[1]
    chosen = logits.new_zeros(logits.shape).scatter_(dim, index, 1.0)
    return chosen - soft.detach() + soft


def _in_training() -> None:
    """See whether dropout is meant to be: its caller may be a module in evaluation mode, or an evaluation."""
    if getattr(sys._getframe(2).f_locals.get("self"), "training", True) is False:
        from ..._explain import unasked  # loaded when something is unusual

        unasked.despite_evaluation("dropout")
    if state.watch is not None and not state.grad_enabled():
        state.watch.evaluated("Dropout")


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeros at random with probability p, the rest scaled up."""
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    from ...ops.activations.dropout import dropped  # loaded when first used

    if training:
        _in_training()
    return dropped(input, p, training, inplace)
