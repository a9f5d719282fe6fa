"""Checks that PyTorch's own functions, and some packages, make by these names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._core.dtypes import SCALAR_TYPE_NAMES, bool_
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


def _assert_async(condition: Tensor, message: str = "Expected Tensor with single nonzero value, but got zero") -> None:
    """Raise unless a tensor of one element is true."""
    if not bool(condition):
        raise RuntimeError(message)


_IN_C = {
    "float32": "float", "float64": "double", "int64": "long int", "int32": "int", "int16": "short int",
    "int8": "signed char", "uint8": "unsigned char", "bool": "bool", "float16": "c10::Half",
    "bfloat16": "c10::BFloat16", "complex64": "c10::complex<float>", "complex128": "c10::complex<double>",
}  # fmt: skip
"""What elements are called in C++."""


def _assert_tensor_metadata(
    a: Tensor, size: Any = None, stride: Any = None, dtype: Any = None, *, device: Any = None, layout: Any = None
) -> None:
    """Raise unless a tensor is as told; None is whatever it may be."""
    name = str(a.dtype).rpartition(".")[2]
    for what, wanted, got in (
        ("sizes", None if size is None else list(size), list(a.shape)),
        ("strides", None if stride is None else list(stride), list(a.stride())),
    ):
        if wanted is not None and wanted != got:
            raise RuntimeError(f"Tensor {what} mismatch! Expected: {wanted}, Got: {got}")
    if dtype is not None and dtype != a.dtype:
        raise RuntimeError(
            f"Tensor dtype mismatch! Expected: {SCALAR_TYPE_NAMES[dtype]}, Got: {_IN_C.get(name, name)}"
        )
    if device is not None and device != a.device:
        raise RuntimeError(f"Tensor device mismatch! Expected: {device}, Got: {a.device}")
    if layout is not None and layout != a.layout:
        raise RuntimeError(f"Tensor layout mismatch! Expected: {layout}, Got: {a.layout}")


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
    if not isinstance(cond, Tensor):
        raise TypeError(f"cond must be a tensor, but got {type(cond)}")
    if cond.dtype is not bool_:
        raise TypeError(f"cond tensor must have dtype torch.bool, but got {cond.dtype}")
    _check_with(RuntimeError, bool(cond.all().item()), message)


def _check_is_size(i: int, message: Callable[[], str] | None = None, *, max: int | None = None) -> None:
    _check(i >= 0 and (max is None or i <= max), message)
