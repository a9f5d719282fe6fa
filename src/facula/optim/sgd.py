"""Stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from .._tensor import Tensor
from ._arithmetic import TENSORS
from ._checks import check_fused, check_one_element, require
from ._elementwise import ElementwiseOptimizer, descent, number, run_each, zeros_like
from .optimizer import Optimizer, _use_grad_for_differentiable  # noqa: F401

__all__ = ["SGD", "sgd"]


class SGD(ElementwiseOptimizer):
    """Gradient descent, with momentum (also Nesterov's) and weight decay if wanted."""

    _native = "optimizers:sgd"
    _numbers: ClassVar[tuple[str, ...]] = ()
    _refuses_foreach = False

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float | Tensor = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_one_element(lr)
        require(not lr < 0.0, f"Invalid learning rate: {lr}")
        require(not momentum < 0.0, f"Invalid momentum value: {momentum}")
        require(not weight_decay < 0.0, f"Invalid weight_decay value: {weight_decay}")
        settings = {
            "lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay, "nesterov": nesterov,
            "maximize": maximize, "foreach": foreach, "differentiable": differentiable, "fused": fused,
        }  # fmt: skip
        require(
            not (nesterov and (momentum <= 0 or dampening != 0)),
            "Nesterov momentum requires a momentum and zero dampening",
        )
        super().__init__(params, settings)
        if fused:
            self._step_supports_amp_scaling = True
            check_fused(foreach, differentiable)

    @classmethod
    def _arrays(cls, group: dict[str, Any]) -> tuple[str, ...]:
        return ("momentum_buffer",) if group["momentum"] != 0 else ()

    @classmethod
    def _begin(cls, group: dict[str, Any], p: Tensor, state: dict[str, Any]) -> bool:
        if group["momentum"] == 0 or state.get("momentum_buffer") is not None:
            return False
        state["momentum_buffer"] = zeros_like(p)
        return True

    def _step_sparse(self, group: dict[str, Any], p: Tensor, grad: Tensor) -> None:
        if group["fused"]:
            raise RuntimeError("`_fused_sgd` does not support sparse gradients")
        state, momentum = self.state[p], group["momentum"]
        grad = descent(TENSORS, p, grad, group["maximize"], number(group["weight_decay"]))
        if momentum:
            velocity = state.get("momentum_buffer")
            if velocity is None:
                velocity = state["momentum_buffer"] = grad.clone()
            else:
                velocity.mul_(momentum).add_(grad, alpha=1 - group["dampening"])
            grad = grad.add(velocity, alpha=momentum) if group["nesterov"] else velocity
        p.add_(grad, alpha=-number(group["lr"]))

    @staticmethod
    def _advance(
        group: dict[str, Any], numbers: list[float], fresh: bool, read: Callable[[Any], Any]
    ) -> tuple[list[float], Any]:
        momentum = read(group["momentum"])
        share = None if fresh else 1 - group["dampening"]
        return [], (
            read(group["lr"]), momentum, share, read(group["weight_decay"]), group["nesterov"], group["maximize"]
        )  # fmt: skip

    @staticmethod
    def _update(k: Any, p: Any, g: Any, *rest: Any) -> None:
        lr, momentum, share, decay, nesterov, maximize = rest[-1]
        if len(rest) == 1:
            if maximize and not isinstance(decay, Tensor) and decay == 0:
                k.add_(p, g, lr)
            else:
                k.add_(p, descent(k, p, g, maximize, decay), -lr)
            return
        g = descent(k, p, g, maximize, decay)
        velocity = rest[0]
        if share is None:
            k.copy_(velocity, k.detached(g))
        else:
            k.scale_(velocity, momentum)
            k.add_(velocity, g, share)
        k.add_(p, k.add(g, velocity, momentum) if nesterov else velocity, -lr)


def sgd(
    params: list[Tensor],
    d_p_list: list[Tensor],
    momentum_buffer_list: list[Tensor | None],
    has_sparse_grad: bool = False,
    foreach: bool | None = None,
    fused: bool | None = None,
    grad_scale: Tensor | None = None,
    found_inf: Tensor | None = None,
    *,
    weight_decay: float,
    momentum: float,
    lr: float,
    dampening: float,
    nesterov: bool,
    maximize: bool,
) -> None:
    """The step of SGD on lists of tensors; missing momentum buffers are put into their list."""
    group = {
        "lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay, "nesterov": nesterov,
        "maximize": maximize,
    }  # fmt: skip
    fresh = [momentum != 0 and buffer is None for buffer in momentum_buffer_list]
    for i, new in enumerate(fresh):
        if new:
            momentum_buffer_list[i] = zeros_like(params[i])
    run_each(SGD, group, params, d_p_list, {"momentum_buffer": momentum_buffer_list}, {}, fresh)
