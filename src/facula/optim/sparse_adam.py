"""SparseAdam: Adam for sparse gradients."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .._tensor import Tensor
from ..autograd.grad_mode import set_grad_enabled
from ._checks import check_betas, check_one_element, require
from ._elementwise import number, with_values, zeros_like
from ._helpers import loss_of
from .optimizer import Optimizer

__all__ = ["SparseAdam"]


class SparseAdam(Optimizer):
    """Adam that changes only the rows a sparse gradient names; it refuses dense gradients."""

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        check_one_element(lr)
        require(0.0 < lr, f"Invalid learning rate: {lr}")
        require(0.0 < eps, f"Invalid epsilon value: {eps}")
        check_betas(betas)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})
        places = [(p, [i, j]) for i, group in enumerate(self.param_groups) for j, p in enumerate(group["params"])]
        sparse = [place for p, place in places if p.is_sparse]
        complex = [place for p, place in places if p.is_complex()]
        require(not sparse, f"Sparse params at indices {sparse}: SparseAdam requires dense parameter tensors")
        require(not complex, f"Complex params at indices {complex}: SparseAdam does not support complex parameters")

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change the parameters by their gradients, which must be sparse."""
        loss = loss_of(closure)
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None and not p.grad.is_sparse:
                    raise RuntimeError(
                        "SparseAdam does not support dense gradients, please consider Adam instead"
                    )
            for p in group["params"]:
                if p.grad is not None:
                    with set_grad_enabled(False):
                        self._step_one(group, p, self.state[p])
        return loss

    @staticmethod
    def _step_one(group: dict[str, Any], p: Tensor, state: dict[str, Any]) -> None:
        if not state:
            state.update(step=0, exp_avg=zeros_like(p), exp_avg_sq=zeros_like(p))
        state["step"] += 1
        grad = (-p.grad if group["maximize"] else p.grad).coalesce()  # type: ignore[operator, union-attr]
        values = grad._values()
        if not values.numel():
            return
        first, second = group["betas"]
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        for average, new, share in ((mean, values, 1 - first), (square, values * values, 1 - second)):
            before = average.sparse_mask(grad)._values()
            average.add_(with_values(grad, (new - before).mul_(share)))
        rate = number(group["lr"]) * math.sqrt(1 - second ** state["step"]) / (1 - first ** state["step"])
        scale = square.sparse_mask(grad)._values().sqrt_().add_(group["eps"])
        p.add_(with_values(grad, mean.sparse_mask(grad)._values().div_(scale).mul_(-rate)))
