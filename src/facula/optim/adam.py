"""Adam: steps scaled by running means of the gradient and of its square."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._tensor import Tensor
from ._checks import check_betas, check_fused, check_one_element, require
from ._elementwise import ElementwiseOptimizer, descent, run_each
from .optimizer import Optimizer, _use_grad_for_differentiable  # noqa: F401

__all__ = ["Adam", "adam"]


class Adam(ElementwiseOptimizer):
    """Steps scaled by running means of the gradient and of its square (Kingma & Ba 2015)."""

    _native = "optimizers:adam"

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
        alone = foreach and not capturable
        require(
            not (isinstance(lr, Tensor) and alone),
            "lr as a Tensor is not supported for capturable=False and foreach=True",
        )
        check_one_element(lr)
        require(0.0 <= lr, f"Invalid learning rate: {lr}")
        require(0.0 <= eps, f"Invalid epsilon value: {eps}")
        check_betas(betas)
        require(0.0 <= weight_decay, f"Invalid weight_decay value: {weight_decay}")
        require(
            isinstance(betas[0], Tensor) == isinstance(betas[1], Tensor),
            "betas must be either both floats or both Tensors",
        )
        for i, beta in enumerate(betas):
            require(
                not (isinstance(beta, Tensor) and alone),
                f"betas[{i}] as a Tensor is not supported for capturable=False and foreach=True",
            )
            check_one_element(beta, f"betas[{i}]")
        settings = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad,
            "maximize": maximize, "foreach": foreach, "capturable": capturable, "differentiable": differentiable,
            "fused": fused, "decoupled_weight_decay": decoupled_weight_decay,
        }  # fmt: skip
        super().__init__(params, settings)
        if fused:
            check_fused(None, differentiable)
            self._step_supports_amp_scaling = True
            check_fused(foreach, differentiable)

    @classmethod
    def _arrays(cls, group: dict[str, Any]) -> tuple[str, ...]:
        return ("exp_avg", "exp_avg_sq", "max_exp_avg_sq") if group["amsgrad"] else ("exp_avg", "exp_avg_sq")

    @staticmethod
    def _changes(group: dict[str, Any]) -> int:
        return 2 if group["decoupled_weight_decay"] and group["weight_decay"] != 0 else 1

    def _step_sparse(self, group: dict[str, Any], p: Tensor, grad: Tensor) -> None:
        raise RuntimeError("Adam does not support sparse gradients, please consider SparseAdam instead")

    @staticmethod
    def _advance(
        group: dict[str, Any], numbers: list[float], fresh: bool, read: Callable[[Any], Any]
    ) -> tuple[list[float], Any]:
        step = numbers[0] + 1
        lr, decay = read(group["lr"]), read(group["weight_decay"])
        beta1, beta2 = group["betas"]
        beta1, beta2 = read(beta1), read(beta2)
        shrink = None
        if decay != 0 and group["decoupled_weight_decay"]:
            shrink, decay = 1 - lr * decay, 0
        # size / (sqrt(square) / root + eps), with root moved out of what is done to every element
        root = (1 - beta2**step) ** 0.5
        size = -lr / (1 - beta1**step) * root
        return [step], (1 - beta1, beta2, group["eps"] * root, size, shrink, decay, group["maximize"])

    @staticmethod
    def _update(k: Any, p: Any, g: Any, *rest: Any) -> None:
        mean, square, *most, (share, beta2, eps, size, shrink, decay, maximize) = rest
        if shrink is not None:
            k.scale_(p, shrink)
        g = descent(k, p, g, maximize, decay)
        k.lerp_(mean, g, share)
        k.scale_(square, beta2)
        k.addcmul_(square, g, g, 1 - beta2)
        if most:
            square = most[0]
            k.maximum_(square, rest[1])
        k.addcdiv_(p, mean, k.shift(k.sqrt(square), eps), size)


def adam(
    params: list[Tensor],
    grads: list[Tensor],
    exp_avgs: list[Tensor],
    exp_avg_sqs: list[Tensor],
    max_exp_avg_sqs: list[Tensor],
    state_steps: list[Tensor],
    foreach: bool | None = None,
    capturable: bool = False,
    differentiable: bool = False,
    fused: bool | None = None,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
    has_complex: bool = False,
    decoupled_weight_decay: bool = False,
    *,
    amsgrad: bool,
    beta1: float | Tensor,
    beta2: float | Tensor,
    lr: float | Tensor,
    weight_decay: float,
    eps: float,
    maximize: bool,
) -> None:
    """The step of Adam on lists of tensors."""
    group = {
        "lr": lr, "betas": (beta1, beta2), "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad,
        "maximize": maximize, "capturable": capturable, "differentiable": differentiable,
        "decoupled_weight_decay": decoupled_weight_decay,
    }  # fmt: skip
    arrays: dict[str, list[Any]] = {
        "exp_avg": exp_avgs, "exp_avg_sq": exp_avg_sqs, "max_exp_avg_sq": max_exp_avg_sqs
    }  # fmt: skip
    run_each(Adam, group, params, grads, arrays, {"step": state_steps})


