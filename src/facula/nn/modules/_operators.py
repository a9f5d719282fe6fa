"""Operators that classes of modules keep as attributes, as in ``act = torch.tanh``.

PyTorch's are functions of C, to which Python hands no instance: ``self.act(x)`` calls ``tanh(x)``.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

from ..._lazy import load
from ...ops.machine.public import FUNCTIONALS, FUNCTIONS

_FAMILIES = ("linalg", "fft", "special")
_OF_FUNCTIONAL = frozenset("""
    avg_pool2d avg_pool3d celu_ elu_ gelu hardtanh_ leaky_relu_ linear logsigmoid one_hot scaled_dot_product_attention
    softplus
""".split())
"""Of ``nn.functional`` alone; what else is there PyTorch has written in Python."""


def is_operator(value: Any) -> bool:
    """Whether PyTorch has a function of C in its place."""
    if value.__class__ is not FunctionType:
        return False
    name = value.__name__
    if FUNCTIONS.get(name) is value:
        return name not in load("functional").__all__
    if FUNCTIONALS.get(name) is value:
        return name in _OF_FUNCTIONAL
    family, _, own = name.partition("_")
    return family in _FAMILIES and getattr(load(family), own, None) is value


def unbind_operators(cls: type) -> None:
    """Let instances have the operators in a class's body as they are."""
    for name, value in list(vars(cls).items()):
        if is_operator(value):
            setattr(cls, name, staticmethod(value))
