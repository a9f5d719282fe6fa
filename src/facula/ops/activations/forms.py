"""What activation functions share: their in-place forms, and where they are found."""

from __future__ import annotations

from typing import Any

from ..._tensor import Tensor
from ..machine.public import FUNCTIONALS

OF_ACTIVATION = {"input": "grad_output", "other": "self"}
"""What nodes of gradients call what they save: the gradient that arrives, and what the activation was applied to."""


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
        result: Tensor = fn(input, *args, **kwargs, inplace=True)
        return result

    change.__name__ = change.__qualname__ = f"{fn.__name__}_"
    return change
