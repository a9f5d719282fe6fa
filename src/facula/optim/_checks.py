"""What optimizers refuse when they are made."""

from __future__ import annotations

from typing import Any

from .._tensor import Tensor


def require(condition: Any, message: str) -> None:
    """ValueError unless a condition holds."""
    if not condition:
        raise ValueError(message)


def check_one_element(value: Any, name: str = "lr") -> None:
    """A setting that is a tensor must be one number."""
    require(not isinstance(value, Tensor) or value.numel() == 1, f"Tensor {name} must be 1-element")


def check_lr(lr: Any) -> None:
    """Refuse a learning rate that is negative, or a tensor of several."""
    check_one_element(lr)
    require(0.0 <= lr, f"Invalid learning rate: {lr}")


def check_not_negative(value: Any, name: str) -> None:
    require(0.0 <= value, f"Invalid {name} value: {value}")


def check_eps(eps: Any) -> None:
    require(0.0 <= eps, f"Invalid epsilon value: {eps}")


def check_betas(betas: Any) -> None:
    for i in range(2):
        require(0.0 <= betas[i] < 1.0, f"Invalid beta parameter at index {i}: {betas[i]}")


def check_adam(lr: Any, eps: Any, betas: Any, weight_decay: Any) -> None:
    """What Adam and its kin have in common, in PyTorch's order."""
    check_lr(lr)
    check_eps(eps)
    check_betas(betas)
    check_not_negative(weight_decay, "weight_decay")


def check_fused(foreach: bool | None, differentiable: bool) -> None:
    """Refuse what cannot go together with ``fused=True``."""
    if differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")
    if foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")
