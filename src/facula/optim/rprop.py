"""Rprop: steps by the sign of the gradient alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._tensor import Tensor
from ._checks import check_lr, require
from ._elementwise import ElementwiseOptimizer, full_like, new_number, number, run_each, zeros_like
from .optimizer import Optimizer, _use_grad_for_differentiable  # noqa: F401

__all__ = ["Rprop", "rprop"]


class Rprop(ElementwiseOptimizer):
    """Each element's step grows while its gradient keeps its sign, and shrinks when it turns (Riedmiller 1993)."""

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_lr(lr)
        require(0.0 < etas[0] < 1.0 < etas[1], f"Invalid eta values: {etas[0]}, {etas[1]}")
        settings = {
            "lr": lr, "etas": etas, "step_sizes": step_sizes, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "capturable": capturable,
        }  # fmt: skip
        super().__init__(params, settings)

    @classmethod
    def _arrays(cls, group: dict[str, Any]) -> tuple[str, ...]:
        return ("prev", "step_size")

    @classmethod
    def _begin(cls, group: dict[str, Any], p: Tensor, state: dict[str, Any]) -> bool:
        if state:
            return False
        lr = number(group["lr"])
        state["step"] = new_number(0.0)
        state["prev"] = zeros_like(p)
        state["step_size"] = full_like(p, complex(lr, lr) if p.is_complex() else lr)
        return True

    @staticmethod
    def _advance(
        group: dict[str, Any], numbers: list[float], fresh: bool, read: Callable[[Any], Any]
    ) -> tuple[list[float], Any]:
        return [numbers[0] + 1], (*group["etas"], *group["step_sizes"], group["maximize"])

    @staticmethod
    def _update(k: Any, p: Any, g: Any, *rest: Any) -> None:
        previous, size, (less, more, smallest, largest, maximize) = rest
        if maximize:
            g = k.neg(g)
        factor = k.by_sign(k.product(previous, g), more, 1, less)
        k.multiply_(size, factor)
        k.clip_(size, smallest, largest)
        g = k.unless_equal(g, factor, less)
        k.copy_(previous, g)
        k.addcmul_(p, k.sign(g), size, -1)


def rprop(
    params: list[Tensor],
    grads: list[Tensor],
    prevs: list[Tensor],
    step_sizes: list[Tensor],
    state_steps: list[Tensor],
    foreach: bool | None = None,
    capturable: bool = False,
    maximize: bool = False,
    differentiable: bool = False,
    has_complex: bool = False,
    *,
    step_size_min: float,
    step_size_max: float,
    etaminus: float,
    etaplus: float,
) -> None:
    """The step of Rprop on lists of tensors."""
    group = {
        "etas": (etaminus, etaplus), "step_sizes": (step_size_min, step_size_max), "maximize": maximize,
        "differentiable": differentiable, "capturable": capturable,
    }  # fmt: skip
    run_each(Rprop, group, params, grads, {"prev": prevs, "step_size": step_sizes}, {"step": state_steps})
