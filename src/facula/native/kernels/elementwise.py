"""Functions of each element, and their gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..library import kernel

Unary = Callable[[Any], Any]
Binary = Callable[[Any, Any], Any]


def _unary(name: str) -> Unary:
    run = kernel(name, "fwn", 0.6)

    def function(x: Any) -> Any:
        if x.__class__ is not np.ndarray:
            return None
        out = np.empty(x.shape, x.dtype)
        return out if run(x, out, x.size) else None

    function.__name__ = function.__qualname__ = name
    return function


def _gradient(name: str) -> Binary:
    """Of ``g``, and of what the function was given, or (tanh, sigmoid, relu) of what it gave."""
    run = kernel(name, "ffwn", 0.8)

    def function(g: Any, x: Any) -> Any:
        if x.__class__ is not np.ndarray:
            return None
        out = np.empty(x.shape, x.dtype)
        return out if g.shape == x.shape and run(g, x, out, x.size) else None

    function.__name__ = function.__qualname__ = name
    return function


exp, log, tanh, sigmoid, erf = map(_unary, ("exp", "log", "tanh", "sigmoid", "erf"))
relu, silu, gelu, gelu_tanh = map(_unary, ("relu", "silu", "gelu", "gelu_tanh"))
tanh_backward, sigmoid_backward, relu_backward = map(_gradient, ("tanh_backward", "sigmoid_backward", "relu_backward"))
erf_backward, silu_backward = map(_gradient, ("erf_backward", "silu_backward"))
gelu_backward, gelu_tanh_backward = map(_gradient, ("gelu_backward", "gelu_tanh_backward"))

_gelu_and_derivative = kernel("gelu_and_derivative", "fwwn", 1.0)


def gelu_and_derivative(x: Any) -> tuple[Any, Any] | None:
    out, derivative = np.empty(x.shape, x.dtype), np.empty(x.shape, x.dtype)
    return (out, derivative) if _gelu_and_derivative(x, out, derivative, x.size) else None


_scale_masked = kernel("scale_masked", "fbwns", 0.4)


def scale_masked(x: Any, mask: Any, scale: float) -> Any:
    """``x * (mask * scale)``: dropout with a drawn mask, and its gradient."""
    out = np.empty(x.shape, x.dtype)
    return out if mask.shape == x.shape and _scale_masked(x, mask, out, x.size, scale) else None
