"""What ``gradcheck`` asks of a backward pass besides its numbers: to be linear in its gradient, to do without one where
none arrives, and to work on batches of gradients."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import grad
from ..gradcheck import GradcheckError
from ..graph import Node, new_node
from .finite_differences import as_tensor, differentiable, requiring_grad, same_in_batches, two_like
from .perturbed import values_of


def check_zeros_give_zeros(outputs: tuple[Any, ...], inputs: tuple[Any, ...]) -> None:
    wanted = requiring_grad(inputs)
    zeros = [as_tensor(np.zeros(o.shape, o._array.dtype)) for o in outputs]
    for g, t in zip(grad(outputs, wanted, zeros, allow_unused=True), wanted):
        if g is None:
            continue
        if values_of(g).any():
            raise GradcheckError("backward not multiplied by grad_output")
        for what, x, y in (("type", g.dtype, t.dtype), ("device", g.device, t.device), ("size", g.shape, t.shape)):
            if x != y:
                raise GradcheckError(f"grad is incorrect {what}")


# ---- gradients that do not arrive


class UndefinedGrad(Node):
    """Passes no gradient on."""

    __slots__ = ()

    def propagate(self, g: Any, xp: Any, edges: tuple[Any, ...]) -> list[Any]:
        return [None]


def _without_gradient(t: Any) -> Any:
    cut = t.detach()
    cut._set_node(new_node(UndefinedGrad, (t._edge(),)))
    return cut


def check_undefined(func: Callable[..., Any], inputs: tuple[Any, ...]) -> None:
    """A backward must work, and give zeros or nothing, if no gradient arrives at one or at any of its outputs."""
    count = len(differentiable(func(*inputs)))
    choices = [set(range(count))]
    if count > 1:
        choices += [{i} for i in range(count)]
    for cut in choices:
        outputs = differentiable(func(*inputs))
        if outputs:
            roots = [_without_gradient(o) if i in cut else o for i, o in enumerate(outputs)]
            _check_zero(roots, requiring_grad(inputs))


def _check_zero(outputs: list[Any], wanted: list[Any]) -> None:
    zeros = [as_tensor(np.zeros(o.shape, o._array.dtype)) for o in outputs]
    notes = 'Please look at "Notes about undefined output gradients" in "tools/autograd/derivatives.yaml"'
    try:
        grads = grad(outputs, wanted, zeros, allow_unused=True)
    except RuntimeError as e:
        _warn_about_undefined()
        raise GradcheckError(f"Expected backward function to handle undefined output grads. {notes}") from e
    if any(g is not None and values_of(g).any() for g in grads):
        _warn_about_undefined()
        raise GradcheckError(
            "Expected all input grads to be undefined or zero when all output grads are undefined or zero. " + notes
        )


def _warn_about_undefined() -> None:
    warnings.warn(
        "Backwards compatibility: New undefined gradient support checking feature is enabled by default, but it may "
        "break existing callers of this function. If this is true for you, you can call this function with "
        '"check_undefined_grad=False" to disable the feature',
        stacklevel=5,
    )


# ---- batches of gradients


_BATCHED = (
    "\ngradcheck or gradgradcheck failed while testing batched gradient computation.\nThe backward pass was run inside "
    "vmap, on a batch of two gradients; check_batched_grad=False leaves this out.\n"
)


def check_batched(inputs: tuple[Any, ...], output: Any, nr: int) -> None:
    """The gradients for two starts at once must be those for each of them alone."""
    wanted = requiring_grad(inputs)
    weights = two_like(output)
    options: dict[str, Any] = {"retain_graph": True, "allow_unused": True}
    single = [grad(output, wanted, w, **options) for w in weights]
    try:
        batched = grad(output, wanted, weights, is_grads_batched=True, **options)
    except RuntimeError as e:
        raise GradcheckError(f"While computing batched gradients, got: {e}\n{_BATCHED}") from e
    for i, (together, *alone) in enumerate(zip(batched, *single)):
        same_in_batches(together, alone, nr, i, _BATCHED)
