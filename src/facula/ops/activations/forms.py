"""What activation functions share: their in-place forms, and where they are found."""

from __future__ import annotations

from typing import Any

from ... import overrides
from ..._core import state
from ..._tensor import Tensor
from ...autograd.saved import DIRECT
from ..machine.public import FUNCTIONALS

OF_ACTIVATION = {"input": "grad_output", "other": "self"}
"""What nodes of gradients call what they save: the gradient that arrives, and what the activation was applied to."""


def slope_is_lost(name: str, more: str = "") -> RuntimeError:
    """In place, a negative slope makes results positive on both sides: which side it was cannot be told from them."""
    return RuntimeError(
        f"In-place {name} backward calculation is triggered with a negative slope which is not supported. This is "
        "caused by calling in-place forward function with a negative slope, please call out-of-place version "
        f"instead.{more}"
    )


def leaky_slope_is_lost() -> RuntimeError:
    return slope_is_lost(
        "leakyReLu",
        " File an issue at https://github.com/pytorch/pytorch if you do require supporting in-place leakRelu backward "
        "calculation with negative slope",
    )


def apply(op: Any, change: Any, inplace: bool, input: Tensor, *attributes: Any) -> Any:
    return change(input, *attributes) if inplace else op(input, *attributes)


def in_functional(*activations: Any) -> None:
    """Offer activations in ``nn.functional``."""
    for fn in activations:
        FUNCTIONALS[fn.__name__] = fn.public


def in_place_in_functional(*activations: Any) -> None:
    """Offer them there, and functions of their own that write into the input."""
    in_functional(*activations)
    for fn in activations:
        FUNCTIONALS[f"{fn.__name__}_"] = _in_place_of(fn)


def _in_place_of(fn: Any) -> Any:
    def change(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """The same, written into the input."""
        if (input.__class__ not in DIRECT or state.special) and overrides.overridden((input, *args), kwargs):
            return overrides.call_override(change, change, (input, *args), kwargs)
        result: Tensor = fn(input, *args, **kwargs, inplace=True)
        return result

    change.__name__ = change.__qualname__ = f"{fn.__name__}_"
    change.__wrapped__ = fn  # type: ignore[attr-defined]  # whose parameters it passes on
    return change
