"""Python numbers as arrays without dimensions, kept for reuse."""

from __future__ import annotations

from typing import Any

import numpy as np

from .dtypes import F32, F64

NUMBERS: dict[int, Any] = {}
"""Of the 0-d arrays that stand for Python numbers and are kept for good: the number, by the array's id."""

_scalars: dict[Any, dict[Any, np.ndarray[Any, Any]]] = {F32: {}, F64: {}}
_whole: dict[Any, dict[Any, np.ndarray[Any, Any]]] = {F32: {}, F64: {}}
_SCALARS_KEPT = 4096

LARGEST = 2**63
"""Integers whose size is below it are numbers in every case."""


def scalar(value: Any, dt: Any) -> np.ndarray[Any, Any]:
    """A Python number as a 0-d array. Kept for reuse: NumPy takes half as long with one as with a number."""
    kept = _scalars[dt] if value.__class__ is float else _whole[dt]
    array = kept.get(value)
    if array is None:
        if hasattr(value, "shape"):  # a tensor that is given for a number: what it holds now
            return scalar(value.item(), dt)
        array = np.array(whole(value), dt)
        array.flags.writeable = False
        if len(kept) < _SCALARS_KEPT and (value != 0 or value.__class__ is int):  # 0.0 == -0.0 must not share an entry
            kept[value] = array
            NUMBERS[id(array)] = value
    return array


def number_array(v: Any, np_dt: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """A Python number as a 0-d array of any dtype."""
    if np_dt.kind in "iu" and isinstance(v, int):
        v = int(whole(v)) & (2 ** (8 * np_dt.itemsize) - 1)  # wraps around, as C does
        return np.array(v, f"u{np_dt.itemsize}").view(np_dt)
    return np.array(whole(v)).astype(np_dt)


def whole(value: Any) -> Any:
    """A number, unless it is an integer that needs more than 64 bits."""
    error = too_big(value) if isinstance(value, int) else None
    if error is not None:
        raise error
    return value


def too_big(value: int) -> OverflowError | None:
    """What PyTorch says of an integer that needs more than 64 bits."""
    if -(2**63) <= value < 2**64:
        return None
    return OverflowError("int too big to convert" if value > 0 else "can't convert negative int to unsigned")
