"""Averaged stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from .._tensor import Tensor
from ._checks import check_lr, check_not_negative
from ._elementwise import ElementwiseOptimizer, descent, new_number, number, run_each
from .optimizer import Optimizer, _use_grad_for_differentiable  # noqa: F401

__all__ = ["ASGD", "asgd"]


class ASGD(ElementwiseOptimizer):
    """Gradient descent that also keeps the mean of its path, in the state ``ax`` (Polyak & Juditsky 1992)."""

    _numbers: ClassVar[tuple[str, ...]] = ("step", "eta", "mu")
    _needs_capture = "params, mus, etas, and state_steps"

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_lr(lr)
        check_not_negative(weight_decay, "weight_decay")
        settings = {
            "lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable, "capturable": capturable,
        }  # fmt: skip
        super().__init__(params, settings)

    @classmethod
    def _arrays(cls, group: dict[str, Any]) -> tuple[str, ...]:
        return ("ax",)

    @classmethod
    def _begin(cls, group: dict[str, Any], p: Tensor, state: dict[str, Any]) -> bool:
        fresh = super()._begin(group, p, state)
        if fresh:
            state["eta"] = new_number(number(group["lr"]))
            state["mu"] = new_number(1.0)
        return fresh

    @staticmethod
    def _changes(group: dict[str, Any]) -> int:
        return 1 if group.get("foreach") else 2

    @staticmethod
    def _advance(
        group: dict[str, Any], numbers: list[float], fresh: bool, read: Callable[[Any], Any]
    ) -> tuple[list[float], Any]:
        step, eta, mu = numbers
        step += 1
        lr, lambd = group["lr"], group["lambd"]
        if not isinstance(step, Tensor):
            lr = number(lr)
        next_eta = lr / (1 + lambd * lr * step) ** group["alpha"]
        next_mu = 1 / max(1, step - group["t0"])
        return [step, next_eta, next_mu], (eta, mu, 1 - lambd * eta, group["weight_decay"], group["maximize"])

    @staticmethod
    def _update(k: Any, p: Any, g: Any, *rest: Any) -> None:
        mean, (eta, mu, shrink, decay, maximize) = rest
        g = descent(k, p, g, maximize, decay)
        k.scale_(p, shrink)
        k.add_(p, g, -eta)
        if mu == 1:
            k.copy_(mean, p)
        else:
            k.lerp_(mean, p, mu)


def asgd(
    params: list[Tensor],
    grads: list[Tensor],
    axs: list[Tensor],
    mus: list[Tensor],
    etas: list[Tensor],
    state_steps: list[Tensor],
    foreach: bool | None = None,
    maximize: bool = False,
    differentiable: bool = False,
    capturable: bool = False,
    has_complex: bool = False,
    *,
    lambd: float,
    lr: float,
    t0: float,
    alpha: float,
    weight_decay: float,
) -> None:
    """The step of ASGD on lists of tensors."""
    group = {
        "lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay, "maximize": maximize,
        "differentiable": differentiable, "capturable": capturable,
    }  # fmt: skip
    run_each(ASGD, group, params, grads, {"ax": axs}, {"step": state_steps, "eta": etas, "mu": mus})
