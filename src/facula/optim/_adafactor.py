"""Adafactor: steps scaled by a mean square that is kept as one column and one row per matrix."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .._core.dtypes import finfo
from .._tensor import Tensor
from ..autograd.grad_mode import no_grad
from ._checks import check_one_element, require
from ._elementwise import new_number, number, zeros_like
from ._helpers import loss_of
from .optimizer import Optimizer

__all__ = ["Adafactor", "adafactor"]


class Adafactor(Optimizer):
    """Adaptive steps with state of sublinear size (Shazeer & Stern 2018)."""

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        check_one_element(lr)
        require(0.0 <= lr, f"Learning rate should be >= 0 but is: {lr}")
        require(beta2_decay <= 0.0, f"beta2_decay should be <= 0 but is: {beta2_decay}")
        require(eps[0] is None or 0.0 <= eps[0], f"epsilon1 should be >= 0 but is: {eps[0]}")
        require(0.0 <= eps[1], f"epsilon2 should be >= 0 but is: {eps[1]}")
        require(1.0 <= d, f"Clipping threshold d should be >= 1 but is: {d}")
        require(0.0 <= weight_decay, f"weight_decay should be >= 0 but is: {weight_decay}")
        settings = {
            "lr": lr, "beta2_decay": beta2_decay, "eps": eps, "d": d, "weight_decay": weight_decay, "foreach": foreach,
            "maximize": maximize,
        }  # fmt: skip
        super().__init__(params, settings)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """State may have a plain number for a count."""
        super().__setstate__(state)
        for kept in self.state.values():
            if not isinstance(kept["step"], Tensor):
                kept["step"] = new_number(float(kept["step"]))

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change the parameters by their gradients."""
        loss = loss_of(closure)
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    if p.grad.is_sparse:
                        raise RuntimeError("Adafactor does not support sparse gradients")
                    if p.is_complex():
                        raise RuntimeError("Adafactor does not support complex parameters")
                    state = self.state[p]
                    if not state:
                        _begin(p, state)
                    _step(p, p.grad, state, *_settings(group))
        return loss


def _settings(group: dict[str, Any]) -> tuple[Any, ...]:
    eps1, eps2 = group["eps"]
    return (
        group["d"], number(group["lr"]), group["beta2_decay"], group["weight_decay"], eps1, eps2, group["maximize"]
    )  # fmt: skip


def _begin(p: Tensor, state: dict[str, Any]) -> None:
    state["step"] = new_number(0.0)
    if p.dim() > 1:
        state["row_var"] = p.new_zeros((*p.shape[:-1], 1))
        state["col_var"] = p.new_zeros((*p.shape[:-2], 1, p.shape[-1]))
    else:
        state["variance"] = zeros_like(p)


@no_grad()
def _step(
    p: Tensor, grad: Any, state: dict[str, Any], d: float, lr: float, beta2_decay: float, decay: float,
    eps1: float | None, eps2: float, maximize: bool,
) -> None:  # fmt: skip
    if eps1 is None:
        eps1 = finfo(p.dtype).eps
    if maximize:
        grad = -grad
    state["step"] += 1
    step = state["step"].item()
    share = step**beta2_decay
    root_of_count = math.sqrt(p.numel())
    size = max(eps2, p.norm(2).item() / root_of_count) * min(lr, 1 / math.sqrt(step))
    if decay != 0:
        p.mul_(1 - lr * decay)
    if grad.dim() > 1:
        row, column = state["row_var"], state["col_var"]
        row.lerp_(grad.norm(dim=-1, keepdim=True).square() / grad.size(-1), share)
        column.lerp_(grad.norm(dim=-2, keepdim=True).square() / grad.size(-2), share)
        square = (row @ column) / row.mean(dim=-2, keepdim=True).clamp(min=eps1)
    else:
        square = state["variance"].lerp_(grad * grad, share)
    change = square.clamp(min=eps1 * eps1).rsqrt() * grad
    clipping = max(1.0, change.norm(2).item() / (root_of_count * d))
    p.add_(change, alpha=-size / clipping)


def adafactor(
    params: list[Tensor],
    grads: list[Tensor],
    row_vars: list[Tensor | None],
    col_vars: list[Tensor | None],
    variances: list[Tensor | None],
    state_steps: list[Tensor],
    foreach: bool | None = None,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
    has_complex: bool = False,
    *,
    d: float,
    lr: float | Tensor,
    beta2_decay: float,
    weight_decay: float,
    eps1: float,
    eps2: float,
    maximize: bool,
) -> None:
    """The step of Adafactor on lists of tensors."""
    for i, (p, grad) in enumerate(zip(params, grads)):
        state = {"row_var": row_vars[i], "col_var": col_vars[i], "variance": variances[i], "step": state_steps[i]}
        _step(p, grad, state, d, number(lr), beta2_decay, weight_decay, eps1, eps2, maximize)
