"""Checks that PyTorch's own functions, and some packages, make by these names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._tensor import Tensor
from .overrides import call_override, overridden

_UNEXPLAINED = (
    "Expected cond to be True, but got False. (Could this error message be improved? If so, please report an "
    "enhancement request to PyTorch.)"
)


def _assert(condition: Any, message: str) -> Any:
    """``assert condition, message`` that also takes a tensor."""
    if type(condition) is not bool and overridden((condition,)):
        return call_override(_assert, _assert, (condition, message), {})
    if not condition:
        raise AssertionError(message)
    return None


def _assert_async(condition: Tensor, message: str = "Expected Tensor to be nonzero") -> None:
    """Raise unless a tensor of one element is true."""
    if not condition.item():
        raise RuntimeError(message)


def _check_with(error_type: type[Exception], cond: Any, message: Callable[[], str] | None = None) -> None:
    if not isinstance(cond, bool):
        raise TypeError(f"cond must be a bool, but got {type(cond)}")
    if cond:
        return
    if message is None:
        raise error_type(_UNEXPLAINED)
    if not callable(message):
        raise TypeError("message must be a callable")
    raise error_type(str(message()))


def _check(cond: Any, message: Callable[[], str] | None = None) -> None:
    _check_with(RuntimeError, cond, message)


def _check_index(cond: Any, message: Callable[[], str] | None = None) -> None:
    _check_with(IndexError, cond, message)


def _check_value(cond: Any, message: Callable[[], str] | None = None) -> None:
    _check_with(ValueError, cond, message)


def _check_type(cond: Any, message: Callable[[], str] | None = None) -> None:
    _check_with(TypeError, cond, message)


def _check_not_implemented(cond: Any, message: Callable[[], str] | None = None) -> None:
    _check_with(NotImplementedError, cond, message)


def _check_tensor_all(cond: Tensor, message: Callable[[], str] | None = None) -> None:
    _check_with(RuntimeError, bool(cond.all().item()), message)


def _check_is_size(i: int, message: Callable[[], str] | None = None, *, max: int | None = None) -> None:
    _check(i >= 0 and (max is None or i <= max), message)
