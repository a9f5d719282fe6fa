"""Adamax: Adam with the largest recent gradient in place of the mean square."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._tensor import Tensor
from ._checks import check_adam
from ._elementwise import ElementwiseOptimizer, descent, run_each
from .optimizer import Optimizer, _use_grad_for_differentiable  # noqa: F401

__all__ = ["Adamax", "adamax"]


class Adamax(ElementwiseOptimizer):
    """Adam by the infinity norm (Kingma & Ba 2015)."""

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_adam(lr, eps, betas, weight_decay)
        settings = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable, "capturable": capturable,
        }  # fmt: skip
        super().__init__(params, settings)

    @classmethod
    def _arrays(cls, group: dict[str, Any]) -> tuple[str, ...]:
        return ("exp_avg", "exp_inf")

    @staticmethod
    def _advance(
        group: dict[str, Any], numbers: list[float], fresh: bool, read: Callable[[Any], Any]
    ) -> tuple[list[float], Any]:
        step = numbers[0] + 1
        beta1, beta2 = (read(beta) for beta in group["betas"])
        size = read(group["lr"]) / (1 - beta1**step)
        return [step], (1 - beta1, beta2, group["eps"], -size, group["weight_decay"], group["maximize"])

    @staticmethod
    def _update(k: Any, p: Any, g: Any, *rest: Any) -> None:
        mean, largest, (share, beta2, eps, size, decay, maximize) = rest
        g = descent(k, p, g, maximize, decay)
        k.lerp_(mean, g, share)
        k.scale_(largest, beta2)
        k.maximum_(largest, k.shift(k.abs(g), eps))
        k.addcdiv_(p, mean, largest, size)


def adamax(
    params: list[Tensor],
    grads: list[Tensor],
    exp_avgs: list[Tensor],
    exp_infs: list[Tensor],
    state_steps: list[Tensor],
    foreach: bool | None = None,
    maximize: bool = False,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    *,
    eps: float,
    beta1: float,
    beta2: float,
    lr: float,
    weight_decay: float,
) -> None:
    """The step of Adamax on lists of tensors."""
    group = {
        "lr": lr, "betas": (beta1, beta2), "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
        "differentiable": differentiable, "capturable": capturable,
    }  # fmt: skip
    run_each(Adamax, group, params, grads, {"exp_avg": exp_avgs, "exp_inf": exp_infs}, {"step": state_steps})
