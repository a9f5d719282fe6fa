"""Adadelta: steps as large as recent steps were, whatever the gradient's scale."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._tensor import Tensor
from ._checks import check_eps, check_lr, check_not_negative, require
from ._elementwise import ElementwiseOptimizer, descent, run_each
from .optimizer import Optimizer, _use_grad_for_differentiable  # noqa: F401

__all__ = ["Adadelta", "adadelta"]


class Adadelta(ElementwiseOptimizer):
    """Steps by the ratio of past changes to past gradients (Zeiler 2012)."""

    _capturable_on_xla = False

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        require(0.0 <= rho <= 1.0, f"Invalid rho value: {rho}")
        check_eps(eps)
        check_not_negative(weight_decay, "weight_decay")
        settings = {
            "lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
            "capturable": capturable, "foreach": foreach, "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, settings)

    @classmethod
    def _arrays(cls, group: dict[str, Any]) -> tuple[str, ...]:
        return ("square_avg", "acc_delta")

    @staticmethod
    def _advance(
        group: dict[str, Any], numbers: list[float], fresh: bool, read: Callable[[Any], Any]
    ) -> tuple[list[float], Any]:
        lr, rho = read(group["lr"]), read(group["rho"])
        return [numbers[0] + 1], (lr, rho, group["eps"], group["weight_decay"], group["maximize"])

    @staticmethod
    def _update(k: Any, p: Any, g: Any, *rest: Any) -> None:
        square, changes, (lr, rho, eps, decay, maximize) = rest
        g = descent(k, p, g, maximize, decay)
        k.scale_(square, rho)
        k.addcmul_(square, g, g, 1 - rho)
        scale = k.sqrt(k.shift(square, eps))
        change = k.product(k.quotient(k.sqrt(k.shift(changes, eps)), scale), g)
        k.scale_(changes, rho)
        k.addcmul_(changes, change, change, 1 - rho)
        k.add_(p, change, -lr)


def adadelta(
    params: list[Tensor],
    grads: list[Tensor],
    square_avgs: list[Tensor],
    acc_deltas: list[Tensor],
    state_steps: list[Tensor],
    capturable: bool = False,
    foreach: bool | None = None,
    differentiable: bool = False,
    has_complex: bool = False,
    *,
    lr: float,
    rho: float,
    eps: float,
    weight_decay: float,
    maximize: bool,
) -> None:
    """The step of Adadelta on lists of tensors."""
    group = {
        "lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
        "differentiable": differentiable, "capturable": capturable,
    }  # fmt: skip
    arrays: dict[str, list[Any]] = {"square_avg": square_avgs, "acc_delta": acc_deltas}
    run_each(Adadelta, group, params, grads, arrays, {"step": state_steps})
