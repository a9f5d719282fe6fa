"""RMSprop: steps divided by the root of the mean squared gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._tensor import Tensor
from ._checks import check_eps, check_lr, check_not_negative
from ._elementwise import ElementwiseOptimizer, descent, run_each
from .optimizer import Optimizer, _use_grad_for_differentiable  # noqa: F401

__all__ = ["RMSprop", "rmsprop"]


class RMSprop(ElementwiseOptimizer):
    """Gradients normalised by their recent size (Hinton's lectures), centred and with momentum if wanted."""

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        check_eps(eps)
        check_not_negative(momentum, "momentum")
        check_not_negative(weight_decay, "weight_decay")
        check_not_negative(alpha, "alpha")
        settings = {
            "lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered,
            "weight_decay": weight_decay, "capturable": capturable, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, settings)

    @classmethod
    def _arrays(cls, group: dict[str, Any]) -> tuple[str, ...]:
        names = ["square_avg"]
        if group["momentum"] > 0:
            names.append("momentum_buffer")
        if group["centered"]:
            names.append("grad_avg")
        return tuple(names)

    @staticmethod
    def _advance(
        group: dict[str, Any], numbers: list[float], fresh: bool, read: Callable[[Any], Any]
    ) -> tuple[list[float], Any]:
        return [numbers[0] + 1], (
            read(group["lr"]), group["alpha"], group["eps"], group["momentum"], group["centered"],
            group["weight_decay"], group["maximize"],
        )  # fmt: skip

    @staticmethod
    def _update(k: Any, p: Any, g: Any, *rest: Any) -> None:
        square, *more, (lr, alpha, eps, momentum, centered, decay, maximize) = rest
        g = descent(k, p, g, maximize, decay)
        k.scale_(square, alpha)
        k.addcmul_(square, g, g, 1 - alpha)
        if centered:
            mean = more[-1]
            k.lerp_(mean, g, 1 - alpha)
            square = k.addcmul(square, mean, mean, -1)
        scale = k.shift(k.sqrt(square), eps)
        if momentum > 0:
            velocity = more[0]
            k.scale_(velocity, momentum)
            k.addcdiv_(velocity, g, scale, 1)
            k.add_(p, velocity, -lr)
        else:
            k.addcdiv_(p, g, scale, -lr)


def rmsprop(
    params: list[Tensor],
    grads: list[Tensor],
    square_avgs: list[Tensor],
    grad_avgs: list[Tensor],
    momentum_buffer_list: list[Tensor],
    state_steps: list[Tensor],
    foreach: bool | None = None,
    maximize: bool = False,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    *,
    lr: float,
    alpha: float,
    eps: float,
    weight_decay: float,
    momentum: float,
    centered: bool,
) -> None:
    """The step of RMSprop on lists of tensors."""
    group = {
        "lr": lr, "alpha": alpha, "eps": eps, "weight_decay": weight_decay, "momentum": momentum, "centered": centered,
        "maximize": maximize, "differentiable": differentiable, "capturable": capturable,
    }  # fmt: skip
    arrays: dict[str, list[Any]] = {
        "square_avg": square_avgs, "grad_avg": grad_avgs, "momentum_buffer": momentum_buffer_list
    }  # fmt: skip
    run_each(RMSprop, group, params, grads, arrays, {"step": state_steps})
