"""Refusing dtypes and derivatives in PyTorch's words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._core import dtypes, state
from ..._core.dtypes import not_for
from ..._tensor import Tensor


def scalar_type(t: Tensor) -> str:
    """A tensor's dtype as PyTorch's error messages call it."""
    return dtypes.SCALAR_TYPE_NAMES[t.dtype]


def no_derivative(name: str) -> Callable[[Any], Any]:
    """The rule of what PyTorch records but cannot differentiate."""

    def rule(g: Any) -> Any:
        raise NotImplementedError(f"the derivative for '{name}' is not implemented.")

    return rule


def no_aten_derivative(name: str) -> Callable[[Any], Any]:
    """The rule of what PyTorch records as ``NotImplemented``."""

    def rule(g: Any) -> Any:
        raise RuntimeError(f"derivative for aten::{name} is not implemented")

    return rule


def only(label: str, kinds: str) -> Callable[..., None]:
    """A check that refuses other dtypes the way PyTorch's kernels do. ``kinds``: bool, integer, float, complex."""
    allowed = {"bifc".index(kind) for kind in kinds}

    def check(*arrays: Any) -> None:
        d = dtypes.of_array(arrays[0])
        if d.category not in allowed:
            raise not_for(label, d)

    return check


def refuse_gradient(function: str, **tensors: Tensor | None) -> None:
    """Refuse tensors that require a gradient as arguments which the function has no derivative for."""
    for name, t in tensors.items():
        if t is not None and t.requires_grad and state.grad_enabled():
            raise RuntimeError(
                f"The function '{function}' is not differentiable with respect to argument '{name}'. This input cannot "
                "have requires_grad True."
            )


def in_function_transform() -> bool:
    """Whether one of ``func``'s transforms is being run, by a user: PyTorch has other operators there."""
    return any(level.tracks or (level.size >= 0 and not level.implicit) for level in state.modes.levels)


def no_rows() -> RuntimeError:
    """What is said of places in a dimension without any."""
    return RuntimeError("index_select(): self indexing axis dim should be positive")


def no_dimensions(dim: Any) -> IndexError:
    """What is said of the size of a number along a dimension."""
    return IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
