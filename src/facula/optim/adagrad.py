"""Adagrad: steps divided by the root of all squared gradients so far."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._tensor import Tensor
from ..ops.machine.public import FUNCTIONS
from ._checks import check_eps, check_fused, check_lr, check_not_negative
from ._elementwise import ElementwiseOptimizer, descent, full_like, new_number, number, run_each, with_values
from .optimizer import Optimizer, _use_grad_for_differentiable  # noqa: F401

__all__ = ["Adagrad", "adagrad"]


class Adagrad(ElementwiseOptimizer):
    """Smaller steps for elements that have changed much (Duchi et al. 2011)."""

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_lr(lr)
        check_not_negative(lr_decay, "lr_decay")
        check_not_negative(weight_decay, "weight_decay")
        check_not_negative(initial_accumulator_value, "initial_accumulator_value")
        check_eps(eps)
        settings = {
            "lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "fused": fused,
        }  # fmt: skip
        super().__init__(params, settings)
        if fused:
            check_fused(foreach, differentiable)
            self._step_supports_amp_scaling = True
        for group in self.param_groups:
            for p in group["params"]:
                self._begin(group, p, self.state[p])

    @classmethod
    def _arrays(cls, group: dict[str, Any]) -> tuple[str, ...]:
        return ("sum",)

    @classmethod
    def _begin(cls, group: dict[str, Any], p: Tensor, state: dict[str, Any]) -> bool:
        if state:
            return False
        start = group["initial_accumulator_value"]
        state["step"] = new_number(0.0)
        state["sum"] = full_like(p, complex(start, start) if FUNCTIONS["is_complex"](p) else start)
        return True

    def share_memory(self) -> None:
        """Nothing to do: threads share memory, and facula's processes do not."""

    def _step_sparse(self, group: dict[str, Any], p: Tensor, grad: Tensor) -> None:
        """Only the rows that the gradient has are changed."""
        if group["weight_decay"] != 0:
            raise RuntimeError("weight_decay option is not compatible with sparse gradients")
        if group["fused"]:
            raise RuntimeError("`fused` does not support sparse gradients")
        state = self.state[p]
        state["step"] += 1
        size = number(group["lr"]) / (1 + (float(state["step"]) - 1) * group["lr_decay"])
        grad = (-grad if group["maximize"] else grad).coalesce()
        values = grad._values()
        state["sum"].add_(with_values(grad, values * values))
        scale = state["sum"].sparse_mask(grad)._values().sqrt().add_(group["eps"])
        p.add_(with_values(grad, values / scale), alpha=-size)

    @staticmethod
    def _advance(
        group: dict[str, Any], numbers: list[float], fresh: bool, read: Callable[[Any], Any]
    ) -> tuple[list[float], Any]:
        size = read(group["lr"]) / (1 + numbers[0] * group["lr_decay"])
        return [numbers[0] + 1], (-size, group["eps"], group["weight_decay"], group["maximize"])

    @staticmethod
    def _update(k: Any, p: Any, g: Any, *rest: Any) -> None:
        total, (size, eps, decay, maximize) = rest
        g = descent(k, p, g, maximize, decay)
        k.addcmul_(total, g, g, 1)
        k.addcdiv_(p, g, k.shift(k.sqrt(total), eps), size)


def adagrad(
    params: list[Tensor],
    grads: list[Tensor],
    state_sums: list[Tensor],
    state_steps: list[Tensor],
    fused: bool | None = None,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
    has_sparse_grad: bool = False,
    foreach: bool | None = None,
    differentiable: bool = False,
    has_complex: bool = False,
    *,
    lr: float,
    weight_decay: float,
    lr_decay: float,
    eps: float,
    maximize: bool,
) -> None:
    """The step of Adagrad on lists of tensors."""
    group = {
        "lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
        "differentiable": differentiable,
    }  # fmt: skip
    run_each(Adagrad, group, params, grads, {"sum": state_sums}, {"step": state_steps})
