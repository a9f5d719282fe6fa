"""Adam, and Adam with decoupled weight decay."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .._tensor import Tensor
from .optimizer import Optimizer, check_implementation, check_lr, number


class Adam(Optimizer):
    """Steps scaled by running means of the gradient and of its square (Kingma & Ba 2015)."""

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-3,
        betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        if isinstance(lr, Tensor) and foreach and not capturable:
            raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
        check_lr(lr)
        if eps < 0.0:
            raise ValueError(f"Invalid epsilon value: {eps}")
        for i, beta in enumerate(betas):
            if not 0.0 <= number(beta) < 1.0:
                raise ValueError(f"Invalid beta parameter at index {i}: {beta}")
        if weight_decay < 0.0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        if isinstance(betas[0], Tensor) != isinstance(betas[1], Tensor):
            raise ValueError("betas must be either both floats or both Tensors")
        check_implementation(foreach, fused, differentiable)
        settings = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad,
            "maximize": maximize, "foreach": foreach, "capturable": capturable, "differentiable": differentiable,
            "fused": fused, "decoupled_weight_decay": decoupled_weight_decay,
        }  # fmt: skip
        super().__init__(params, settings)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change the parameters by their gradients."""
        return self._step_all(closure)

    def _direction(self, group: dict[str, Any], key: Tensor, p: Any, grad: Any, xp: Any) -> Any:
        state = self.state[key]
        if not state:
            state["step"] = Tensor._wrap(np.zeros((), np.float32))
            zeros = np.zeros(key._array.shape, key._array.dtype)
            state["exp_avg"] = Tensor._wrap(zeros)
            state["exp_avg_sq"] = Tensor._wrap(zeros.copy())
            if group["amsgrad"]:
                state["max_exp_avg_sq"] = Tensor._wrap(zeros.copy())
        state["step"]._array += 1
        t = float(state["step"]._array)
        beta1, beta2 = (number(b) for b in group["betas"])
        lr, decay = number(group["lr"]), group["weight_decay"]
        if group["maximize"]:
            grad = -grad
        if decay != 0 and not group["decoupled_weight_decay"]:
            grad = grad + p * decay
        mean = self._kept(key, "exp_avg", xp)
        mean = self._keep(key, "exp_avg", mean + (grad - mean) * (1 - beta1), xp)
        variance = self._kept(key, "exp_avg_sq", xp) * beta2 + grad * grad * (1 - beta2)
        variance = self._keep(key, "exp_avg_sq", variance, xp)
        if group["amsgrad"]:
            before = self._kept(key, "max_exp_avg_sq", xp)
            variance = np.maximum(before, variance) if xp.is_raw else before.maximum(variance)
            variance = self._keep(key, "max_exp_avg_sq", variance, xp)
        root = np.sqrt(variance) if xp.is_raw else variance.sqrt()
        scale = root * (1 / math.sqrt(1 - beta2**t)) + group["eps"]
        direction = mean / scale * (lr / (1 - beta1**t))
        if decay != 0 and group["decoupled_weight_decay"]:
            # The parameter is shrunk first: p * (1 - lr * decay) - direction.
            direction = direction + p * (lr * decay)
        return direction


class AdamW(Adam):
    """Adam with weight decay apart from the gradient (Loshchilov & Hutter 2019)."""

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-3,
        betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize, capturable=capturable,
            differentiable=differentiable, fused=fused, decoupled_weight_decay=True,
        )  # fmt: skip
