"""L-BFGS: steps by a model of the curvature that is built from recent gradients."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .._core.unresolved import resolved
from .._tensor import Tensor
from ..autograd.grad_mode import enable_grad, no_grad
from ._checks import check_lr, require
from ._line_search import _cubic_interpolate, _strong_wolfe  # noqa: F401
from .optimizer import Optimizer

__all__ = ["LBFGS"]


class LBFGS(Optimizer):
    """A quasi-Newton method with limited memory; its ``step`` evaluates the closure several times."""

    def __init__(
        self,
        params: Any,
        lr: float | Tensor = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        check_lr(lr)
        settings = {
            "lr": lr, "max_iter": max_iter, "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad, "tolerance_change": tolerance_change, "history_size": history_size,
            "line_search_fn": line_search_fn,
        }  # fmt: skip
        super().__init__(params, settings)
        require(len(self.param_groups) == 1, "LBFGS doesn't support per-parameter options (parameter groups)")
        self._params = self.param_groups[0]["params"]

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._params = self.param_groups[0]["params"]

    # ---- all parameters as one vector; complex numbers as two

    def _gather_flat_grad(self) -> Tensor:
        grads = [p._array if p.grad is None else p.grad.to_dense()._array for p in self._params]
        parts = [_flat(np.zeros_like(g) if p.grad is None else resolved(g)) for p, g in zip(self._params, grads)]
        return Tensor._wrap(np.concatenate(parts))

    def _add_grad(self, step_size: float, direction: Tensor) -> None:
        start = 0
        for p in self._params:
            size = p._array.size * (2 if p.is_complex() else 1)
            part = direction._array[start : start + size]
            part = part.view(p._array.dtype) if p.is_complex() else part
            p.add_(Tensor._wrap(part.reshape(p._array.shape)), alpha=step_size)
            start += size

    def _clone_param(self) -> list[Tensor]:
        return [p.clone() for p in self._params]

    def _set_param(self, params_data: list[Tensor]) -> None:
        for p, value in zip(self._params, params_data):
            p.copy_(value)

    def _directional_evaluate(
        self, closure: Callable[[], Any], x: list[Tensor], t: float, d: Tensor
    ) -> tuple[float, Tensor]:
        """Loss and gradient at a point of the search line; the parameters come back to its start."""
        self._add_grad(t, d)
        loss = float(closure())
        gradient = self._gather_flat_grad()
        self._set_param(x)
        return loss, gradient

    # ---- stepping

    @no_grad()
    def step(self, closure: Callable[[], Any]) -> Any:
        """Up to ``max_iter`` iterations; ``closure`` computes the loss and its gradients."""
        closure = enable_grad()(closure)
        group = self.param_groups[0]
        lr = group["lr"].item() if isinstance(group["lr"], Tensor) else group["lr"]
        tolerance_change = group["tolerance_change"]
        state = self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)

        first_loss = closure()
        loss = float(first_loss)
        evaluations = 1
        state["func_evals"] += 1
        gradient = self._gather_flat_grad()
        settled = _largest(gradient) <= group["tolerance_grad"]
        if settled:
            return first_loss

        d, t, previous, loss_before = (state.get(name) for name in ("d", "t", "prev_flat_grad", "prev_loss"))
        memory = _Memory(state, group["history_size"])
        iterations = 0
        while iterations < group["max_iter"]:
            iterations += 1
            state["n_iter"] += 1
            if state["n_iter"] == 1:
                d = gradient.neg()
                memory.forget()
            else:
                assert previous is not None
                d = memory.direction(gradient, gradient - previous, d * t)
            previous = gradient.clone() if previous is None else previous.copy_(gradient)
            loss_before = loss
            total = float(gradient.abs().sum())
            t = min(1.0, 1.0 / total if total else math.inf) * lr if state["n_iter"] == 1 else lr
            slope = gradient.dot(d)
            if slope > -tolerance_change:
                break
            searched = 0
            if group["line_search_fn"] is not None:
                if group["line_search_fn"] != "strong_wolfe":
                    raise RuntimeError("only 'strong_wolfe' is supported")
                start = self._clone_param()
                loss, gradient, t, searched = _strong_wolfe(
                    lambda x, t, d: self._directional_evaluate(closure, x, t, d), start, t, d, loss, gradient, slope,
                    max_ls=group["max_eval"] - evaluations,
                )  # fmt: skip
                self._add_grad(t, d)
                settled = _largest(gradient) <= group["tolerance_grad"]
            else:
                self._add_grad(t, d)
                if iterations != group["max_iter"]:
                    loss = float(closure())
                    gradient = self._gather_flat_grad()
                    settled = _largest(gradient) <= group["tolerance_grad"]
                    searched = 1
            evaluations += searched
            state["func_evals"] += searched
            if (
                iterations == group["max_iter"]
                or evaluations >= group["max_eval"]
                or settled
                or _largest(d * t) <= tolerance_change
                or abs(loss - loss_before) < tolerance_change
            ):
                break
        state["d"], state["t"] = d, t
        memory.keep(state)
        state["prev_flat_grad"], state["prev_loss"] = previous, loss_before
        return first_loss


class _Memory:
    """Recent changes of the gradient and the steps that made them: what is known of the curvature."""

    def __init__(self, state: dict[str, Any], size: int) -> None:
        self.state = state
        self.size = size
        self.changes, self.steps, self.ro, self.scale = (
            state.get(name) for name in ("old_dirs", "old_stps", "ro", "H_diag")
        )

    def forget(self) -> None:
        self.changes, self.steps, self.ro, self.scale = [], [], [], 1

    def keep(self, state: dict[str, Any]) -> None:
        state["old_dirs"], state["old_stps"], state["ro"] = self.changes, self.steps, self.ro
        state["H_diag"] = self.scale

    def direction(self, gradient: Tensor, change: Tensor, step: Tensor) -> Tensor:
        """Learn from the last step, then apply the inverse curvature to the negative gradient (two loops)."""
        changes: list[Tensor] = self.changes  # type: ignore[assignment]
        steps: list[Tensor] = self.steps  # type: ignore[assignment]
        ro: list[Any] = self.ro  # type: ignore[assignment]
        curvature = change.dot(step)
        if curvature > 1e-10:
            if len(changes) == self.size:
                for values in (changes, steps, ro):
                    values.pop(0)
            changes.append(change)
            steps.append(step)
            ro.append(1.0 / curvature)
            self.scale = curvature / change.dot(change)
        weights = self.state.setdefault("al", [None] * self.size)
        q = gradient.neg()
        for i in reversed(range(len(changes))):
            weights[i] = steps[i].dot(q) * ro[i]
            q.add_(changes[i], alpha=-weights[i])
        r = q * self.scale
        for i in range(len(changes)):
            r.add_(steps[i], alpha=weights[i] - changes[i].dot(r) * ro[i])
        return r


def _flat(array: Any) -> Any:
    array = np.ascontiguousarray(array).reshape(-1)
    return array.view(array.real.dtype) if array.dtype.kind == "c" else array


def _largest(vector: Tensor) -> float:
    return float(vector.abs().max())
