"""``addmm`` followed by an activation."""

from __future__ import annotations

from typing import Any

from ..._tensor import Tensor
from ..activations.gelu import gelu
from ..activations.relu import relu
from ..machine.public import public
from .addmm import addmm


@public("_addmm_activation", "_addmm_activation", out=True, autocast="low")
def _addmm_activation(
    self: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1, use_gelu: bool = False
) -> Tensor:
    """``relu`` of ``addmm``, or ``gelu`` of it."""
    product = addmm(self, mat1, mat2, beta=beta, alpha=alpha)
    return gelu(product) if use_gelu else relu(product)
