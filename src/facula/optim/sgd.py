"""Stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._tensor import Tensor
from .optimizer import Optimizer, check_implementation, check_lr, number


class SGD(Optimizer):
    """Gradient descent, with momentum (also Nesterov's) and weight decay if wanted."""

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float | Tensor = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_lr(lr)
        if momentum < 0.0:
            raise ValueError(f"Invalid momentum value: {momentum}")
        if number(weight_decay) < 0.0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        check_implementation(foreach, fused, differentiable)
        settings = {
            "lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay, "nesterov": nesterov,
            "maximize": maximize, "foreach": foreach, "differentiable": differentiable, "fused": fused,
        }  # fmt: skip
        super().__init__(params, settings)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change the parameters by their gradients."""
        return self._step_all(closure)

    def _direction(self, group: dict[str, Any], key: Tensor, p: Any, grad: Any, xp: Any) -> Any:
        if group["maximize"]:
            grad = -grad
        decay = number(group["weight_decay"])
        if decay != 0:
            grad = grad + p * decay
        momentum = number(group["momentum"])
        if momentum != 0:
            velocity = self._kept(key, "momentum_buffer", xp)
            if velocity is None:
                velocity = grad.copy() if xp.is_raw else grad.detach().clone()
            else:
                velocity = velocity * momentum + grad * (1 - group["dampening"])
            velocity = self._keep(key, "momentum_buffer", velocity, xp)
            grad = grad + velocity * momentum if group["nesterov"] else velocity
        lr = group["lr"]
        return grad * (number(lr) if xp.is_raw else lr)
