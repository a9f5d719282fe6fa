"""Muon: momentum whose matrices are made orthogonal before each step."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import facula

from .._tensor import Tensor
from ..autograd.grad_mode import no_grad
from ..ops.linalg.newton_schulz import newton_schulz_op
from ._checks import check_one_element, require
from ._elementwise import number, zeros_like
from ._helpers import loss_of
from .optimizer import Optimizer

__all__ = ["Muon"]

EPS = 1e-7
DEFAULT_A, DEFAULT_B, DEFAULT_C = 3.4445, -4.7750, 2.0315
DEFAULT_NS_STEPS = 5
_TOO_MANY_STEPS = 100


class Muon(Optimizer):
    """Steps along the orthogonal matrix nearest to the momentum, for 2-d parameters (Jordan et al. 2024)."""

    def __init__(
        self,
        params: Any,
        lr: float = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (DEFAULT_A, DEFAULT_B, DEFAULT_C),
        eps: float = EPS,
        ns_steps: int = DEFAULT_NS_STEPS,
        adjust_lr_fn: str | None = None,
    ) -> None:
        check_one_element(lr)
        require(0.0 <= lr, f"Learning rate should be >= 0 but is: {lr}")
        require(0.0 <= momentum, f"momentum should be >= 0 but is: {momentum}")
        require(0.0 <= weight_decay, f"weight decay should be >= 0 but is: {weight_decay}")
        require(
            adjust_lr_fn in (None, "original", "match_rms_adamw"),
            f"Adjust learning rate function {adjust_lr_fn} is not supported",
        )
        settings = {
            "lr": lr, "weight_decay": weight_decay, "momentum": momentum, "nesterov": nesterov,
            "ns_coefficients": ns_coefficients, "eps": eps, "ns_steps": ns_steps, "adjust_lr_fn": adjust_lr_fn,
        }  # fmt: skip
        super().__init__(params, settings)
        for group in self.param_groups:
            for p in group["params"]:
                require(
                    p.ndim == 2,
                    f"Muon only supports 2D parameters whereas we found a parameter with size: {p.size()}",
                )

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change the parameters by their gradients."""
        loss = loss_of(closure)
        for group in self.param_groups:
            settings = {name: number(value) for name, value in group.items() if name in self.defaults}
            for p in group["params"]:
                if p.grad is None:
                    continue
                if p.grad.is_sparse:
                    raise RuntimeError("Muon does not support sparse gradients")
                if p.is_complex():
                    raise RuntimeError("Muon does not support complex parameters")
                state = self.state[p]
                if "momentum_buffer" not in state:
                    state["momentum_buffer"] = zeros_like(p.grad)
                muon([p], [p.grad], [state["momentum_buffer"]], has_complex=False, **settings)
        return loss


@no_grad()
def muon(
    params: list[Tensor],
    grads: list[Tensor],
    muon_momentum_bufs: list[Tensor],
    *,
    foreach: bool | None = None,
    lr: float,
    weight_decay: float,
    momentum: float,
    nesterov: bool,
    ns_coefficients: tuple[float, float, float],
    ns_steps: int,
    eps: float,
    adjust_lr_fn: str | None,
    has_complex: bool,
) -> None:
    """The step of Muon on lists of tensors."""
    if foreach:
        raise RuntimeError("Foreach mode is not implemented for Muon yet")
    for p, grad, mean in zip(params, grads, muon_momentum_bufs):
        require(grad.ndim == 2, "Param gradient must be a 2D matrix")
        mean.lerp_(grad, 1 - momentum)
        change = grad.lerp(mean, momentum) if nesterov else mean
        change = _orthogonal(change, ns_coefficients, ns_steps, eps).to(p.dtype)
        p.mul_(1 - lr * weight_decay)
        p.add_(change, alpha=-_adjust_lr(lr, adjust_lr_fn, p.shape))


def _zeropower_via_newtonschulz(
    grad: Tensor, ns_coefficients: tuple[float, float, float], ns_steps: int, eps: float
) -> Tensor:
    """A matrix with its singular values brought near 1, in bfloat16."""
    return _orthogonal(grad, ns_coefficients, ns_steps, eps).to(facula.bfloat16)


def _orthogonal(grad: Tensor, coefficients: tuple[float, float, float], steps: int, eps: float) -> Tensor:
    """The same as float32 numbers."""
    require(steps < _TOO_MANY_STEPS, "Number of steps must be less than 100 for computational efficiency")
    require(grad.ndim == 2, "Input tensor gradient must be a 2D matrix")
    require(len(coefficients) == 3, "Coefficients must be a tuple of exactly 3 values")
    found: Tensor = newton_schulz_op(grad, tuple(coefficients), steps, eps)
    return found


def _adjust_lr(lr: float, adjust_lr_fn: str | None, param_shape: Any) -> float:
    """The learning rate for a matrix of some shape."""
    rows, columns = param_shape[:2]
    if adjust_lr_fn is None or adjust_lr_fn == "original":
        return lr * math.sqrt(max(1, rows / columns))
    if adjust_lr_fn == "match_rms_adamw":
        return lr * 0.2 * math.sqrt(max(rows, columns))
    return lr
