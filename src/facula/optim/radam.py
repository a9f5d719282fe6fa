"""RAdam: Adam that waits with its scaling until the variance is known well enough."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._tensor import Tensor
from ._checks import check_adam
from ._elementwise import ElementwiseOptimizer, descent, run_each
from ._helpers import shrink_and_decay
from .optimizer import Optimizer, _use_grad_for_differentiable  # noqa: F401

__all__ = ["RAdam", "radam"]


class RAdam(ElementwiseOptimizer):
    """Rectified Adam (Liu et al. 2020)."""

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_adam(lr, eps, betas, weight_decay)
        settings = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
            "foreach": foreach, "capturable": capturable, "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, settings)

    @classmethod
    def _arrays(cls, group: dict[str, Any]) -> tuple[str, ...]:
        return ("exp_avg", "exp_avg_sq")

    @staticmethod
    def _changes(group: dict[str, Any]) -> int:
        return 2 if group["decoupled_weight_decay"] and group["weight_decay"] != 0 else 1

    @staticmethod
    def _advance(
        group: dict[str, Any], numbers: list[float], fresh: bool, read: Callable[[Any], Any]
    ) -> tuple[list[float], Any]:
        step = numbers[0] + 1
        lr = read(group["lr"])
        beta1, beta2 = (read(beta) for beta in group["betas"])
        correction1, correction2 = 1 - beta1**step, 1 - beta2**step
        shrink, decay = shrink_and_decay(group, lr)
        longest = 2 / (1 - beta2) - 1
        length = longest - 2 * step * beta2**step / correction2
        size, root = -lr / correction1, None
        if length > 5.0:
            rectification = (length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)
            root = rectification**0.5 * correction2**0.5
        return [step], (1 - beta1, beta2, size, root, group["eps"], shrink, decay, group["maximize"])

    @staticmethod
    def _update(k: Any, p: Any, g: Any, *rest: Any) -> None:
        mean, square, (share, beta2, size, root, eps, shrink, decay, maximize) = rest
        if shrink is not None:
            k.scale_(p, shrink)
        g = descent(k, p, g, maximize, decay)
        k.lerp_(mean, g, share)
        k.scale_(square, beta2)
        k.addcmul_(square, g, g, 1 - beta2)
        if root is None:
            k.add_(p, mean, size)
        else:
            k.addcdiv_(p, mean, k.shift(k.sqrt(square), eps), size * root)


def radam(
    params: list[Tensor],
    grads: list[Tensor],
    exp_avgs: list[Tensor],
    exp_avg_sqs: list[Tensor],
    state_steps: list[Tensor],
    decoupled_weight_decay: bool = False,
    foreach: bool | None = None,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    maximize: bool = False,
    *,
    beta1: float,
    beta2: float,
    lr: float,
    weight_decay: float,
    eps: float,
) -> None:
    """The step of RAdam on lists of tensors."""
    group = {
        "lr": lr, "betas": (beta1, beta2), "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
        "decoupled_weight_decay": decoupled_weight_decay, "differentiable": differentiable, "capturable": capturable,
    }  # fmt: skip
    arrays: dict[str, list[Any]] = {"exp_avg": exp_avgs, "exp_avg_sq": exp_avg_sqs}
    run_each(RAdam, group, params, grads, arrays, {"step": state_steps})
