"""NAdam: Adam with Nesterov's momentum."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from .._tensor import Tensor
from ._checks import check_adam, check_not_negative
from ._elementwise import ElementwiseOptimizer, descent, new_number, number, run_each
from ._helpers import shrink_and_decay
from .optimizer import Optimizer, _use_grad_for_differentiable  # noqa: F401

__all__ = ["NAdam", "nadam"]


class NAdam(ElementwiseOptimizer):
    """Adam that looks ahead along its momentum (Dozat 2016)."""

    _numbers: ClassVar[tuple[str, ...]] = ("step", "mu_product")
    _needs_capture = "params, mu_products and state_steps"

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_adam(lr, eps, betas, weight_decay)
        check_not_negative(momentum_decay, "momentum_decay")
        settings = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay, "maximize": maximize, "foreach": foreach,
            "capturable": capturable, "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, settings)

    @classmethod
    def _arrays(cls, group: dict[str, Any]) -> tuple[str, ...]:
        return ("exp_avg", "exp_avg_sq")

    @classmethod
    def _begin(cls, group: dict[str, Any], p: Tensor, state: dict[str, Any]) -> bool:
        fresh = super()._begin(group, p, state)
        if fresh:
            state["mu_product"] = new_number(1.0)
        return fresh

    @staticmethod
    def _changes(group: dict[str, Any]) -> int:
        return 3 if group["decoupled_weight_decay"] and group["weight_decay"] != 0 else 2

    @staticmethod
    def _advance(
        group: dict[str, Any], numbers: list[float], fresh: bool, read: Callable[[Any], Any]
    ) -> tuple[list[float], Any]:
        step = numbers[0] + 1
        lr = read(group["lr"])
        beta1, beta2 = (read(beta) for beta in group["betas"])
        mu, mu_next = (beta1 * (1 - 0.5 * 0.96 ** (t * group["momentum_decay"])) for t in (step, step + 1))
        product: Any
        if isinstance(numbers[1], Tensor):
            product = numbers[1] * mu
        else:
            product = float(np.float32(numbers[1]) * np.float32(number(mu)))
        shrink, decay = shrink_and_decay(group, lr)
        by_gradient = -lr * (1 - mu) / (1 - product)
        by_mean = -lr * mu_next / (1 - product * mu_next)
        correction = 1 - beta2**step
        coefficients = (
            1 - beta1, beta2, correction, group["eps"], by_gradient, by_mean, shrink, decay, group["maximize"]
        )  # fmt: skip
        return [step, product], coefficients

    @staticmethod
    def _update(k: Any, p: Any, g: Any, *rest: Any) -> None:
        mean, square, coefficients = rest
        share, beta2, correction, eps, by_gradient, by_mean, shrink, decay, maximize = coefficients
        if shrink is not None:
            k.scale_(p, shrink)
        g = descent(k, p, g, maximize, decay)
        k.lerp_(mean, g, share)
        k.scale_(square, beta2)
        k.addcmul_(square, g, g, 1 - beta2)
        scale = k.shift(k.sqrt(k.over(square, correction)), eps)
        k.addcdiv_(p, g, scale, by_gradient)
        k.addcdiv_(p, mean, scale, by_mean)


def nadam(
    params: list[Tensor],
    grads: list[Tensor],
    exp_avgs: list[Tensor],
    exp_avg_sqs: list[Tensor],
    mu_products: list[Tensor],
    state_steps: list[Tensor],
    decoupled_weight_decay: bool = False,
    foreach: bool | None = None,
    capturable: bool = False,
    differentiable: bool = False,
    has_complex: bool = False,
    maximize: bool = False,
    *,
    beta1: float,
    beta2: float,
    lr: float,
    weight_decay: float,
    momentum_decay: float,
    eps: float,
) -> None:
    """The step of NAdam on lists of tensors."""
    group = {
        "lr": lr, "betas": (beta1, beta2), "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
        "momentum_decay": momentum_decay, "decoupled_weight_decay": decoupled_weight_decay,
        "differentiable": differentiable, "capturable": capturable,
    }  # fmt: skip
    numbers = {"step": state_steps, "mu_product": mu_products}
    run_each(NAdam, group, params, grads, {"exp_avg": exp_avgs, "exp_avg_sq": exp_avg_sqs}, numbers)
