"""Where an array's elements lie in memory."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np


def address(array: np.ndarray[Any, Any]) -> int:
    pointer: int = array.__array_interface__["data"][0]
    return pointer


def root_of(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The array whose memory is the storage: the last one of NumPy's own."""
    while array.base.__class__ is np.ndarray:
        array = array.base
    return array


def storage_offset(array: np.ndarray[Any, Any]) -> int:
    root = root_of(array)
    return 0 if root is array else (address(array) - address(root)) // max(array.itemsize, 1)


def element_strides(array: np.ndarray[Any, Any]) -> tuple[int, ...]:
    if not array.size and not any(array.strides):  # as NumPy has it for arrays that are made empty
        strides = [1] * array.ndim
        for i in range(array.ndim - 1, 0, -1):
            strides[i - 1] = strides[i] * max(array.shape[i], 1)
        return tuple(strides)
    size = array.itemsize or 1
    if array.ndim == 2:
        rows, columns = array.strides
        return rows // size, columns // size
    return tuple([s // size for s in array.strides])


def is_dense(array: np.ndarray[Any, Any]) -> bool:
    """Whether an array's elements fill a stretch of memory without holes, in any order of dimensions."""
    if array.flags.c_contiguous or array.flags.f_contiguous:
        return True
    expected = array.itemsize
    for stride, n in sorted([(s, n) for s, n in zip(array.strides, array.shape) if n != 1]):
        if stride != expected:
            return False
        expected *= n
    return True


def geometry_of(array: np.ndarray[Any, Any]) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """Arguments for ``as_strided``."""
    return array.shape, element_strides(array), storage_offset(array)


def bytes_of(root: np.ndarray[Any, Any]) -> Any:
    """All of a root's memory as one array of bytes that keeps it alive."""
    if root.flags.c_contiguous:
        return root.reshape(-1).view(np.uint8)
    if root.flags.f_contiguous:
        return root.T.reshape(-1).view(np.uint8)
    n = 1 + sum((n - 1) * s for n, s in zip(root.shape, root.strides)) // root.itemsize
    return np.lib.stride_tricks.as_strided(root.view(), (n,), (root.itemsize,)).view(np.uint8)


def by_rows(array: Any) -> Any:
    """An array, or a copy of it, that lies in memory row by row."""
    return array if array.ndim < 2 or array.flags.c_contiguous else array.copy()


def by_columns(array: Any) -> Any:
    """The same matrices, each column by column in memory, as LAPACK has them."""
    return array.swapaxes(-1, -2).copy().swapaxes(-1, -2) if array.ndim > 1 else array


def lying_as(like: Any, array: Any) -> Any:
    """An array of the same shape, or a copy of it that lies in memory as ``like`` does, if that is dense."""
    if like.flags.c_contiguous or not is_dense(like):
        return by_rows(array)
    copy = np.empty_like(like, array.dtype)
    copy[...] = array
    return copy


def empty_as(array: Any, dtype: Any = None) -> Any:
    """A new array of the same shape without gaps, its dimensions in the order of this one's elementwise results."""
    if not array.size or array.__class__ is not np.ndarray or not _has_odd_strides(array):
        return np.empty_like(array, dtype)
    made = _empty_in(array.shape, _inner_first(array.shape, [array.strides]), dtype or array.dtype)
    if is_dense(array):
        made = _with_strides(made, tuple([s // array.itemsize * made.itemsize for s in array.strides]))
    return made


def _has_odd_strides(array: Any) -> bool:
    """Whether NumPy's copies lie otherwise than PyTorch's, along dimensions that were broadcast or are of size 1."""
    return 0 in array.strides or (array.base is not None and 1 in array.shape and not lies_by_rows(array))


def strides_as(array: Any, dtype: Any) -> tuple[int, ...]:
    """The strides, in bytes, of that."""
    return _strides_like(array, np.dtype(dtype).itemsize)


def _strides_like(array: Any, itemsize: int) -> tuple[int, ...]:
    if is_dense(array):
        return tuple([s * itemsize for s in element_strides(array)])
    return _strides_in(_inner_first(array.shape, [array.strides]), array.shape, itemsize)


def common_strides(shape: tuple[int, ...], dtype: Any, operands: list[Any]) -> tuple[int, ...] | None:
    """Those of an elementwise result of several arrays, None if it lies row by row."""
    if all(a.flags.c_contiguous for a in operands):
        return None
    inner_first = _inner_first(shape, [broadcast_strides(a, shape) for a in operands if a.ndim])
    return _strides_in(inner_first, shape, np.dtype(dtype).itemsize)


def filled_as(array: Any, value: Any, dtype: Any = None) -> Any:
    """The same, with one value for all elements."""
    made = empty_as(array, dtype)
    made.fill(value)
    return made


def copied(array: Any) -> Any:
    """A copy in that order."""
    return lying_as_copy_of(array, array.copy("K") if array.size else array.copy())


def lying_as_copy_of(array: Any, copy: Any) -> Any:
    """A copy made by NumPy, of whatever dtype, in that order."""
    if not array.size or array.__class__ is not np.ndarray or not _has_odd_strides(array):
        return copy
    made = empty_as(array, copy.dtype)
    made[...] = copy
    return made


def copied_as(like: Any, array: Any) -> Any:
    """An array, or a copy of it, in the order of another one of its shape, dense or not."""
    if like.flags.c_contiguous or array.__class__ is not np.ndarray:
        return by_rows(array)
    copy = empty_as(like, array.dtype)
    if copy.strides == array.strides:
        return array
    copy[...] = array
    return copy


def laid_out(result: Any, *operands: Any) -> Any:
    """What an elementwise operation came to, or a copy of it, in the order of dimensions that PyTorch gives it.

    Of two dimensions, the first operand decides in which they are told apart; in NumPy's own results, any operand in
    which they lie row by row. So both agree if the first one does and tells all apart, or leaves them to one other.
    """
    if result.ndim < 2 or result.__class__ is not np.ndarray:
        return result
    first = operands[0]
    if 1 not in result.shape and lies_by_rows(first):
        is_for_other = len(operands) == 2 and (first.ndim < 2 or result.ndim == 2) and 0 not in operands[1].strides
        if first.shape == result.shape or is_for_other:
            return result
    strides = _result_strides(result.shape, result.itemsize, *[(a.shape, a.strides, a.itemsize) for a in operands])
    return result if strides is None else _with_strides(result, strides)


@lru_cache(4096)
def _result_strides(shape: tuple[int, ...], itemsize: int, *geometries: Any) -> tuple[int, ...] | None:
    """The strides of what operands with these shapes, strides and sizes come to; None if they are NumPy's."""
    operands = tuple(_lying_so(*each) for each in geometries)
    if all(map(lies_by_rows, operands)):
        return None
    if all(a.shape == shape for a in operands) and (steps := _common_strides(operands)) is not None:
        return tuple([s // operands[0].itemsize * itemsize for s in steps])
    order = _inner_first(shape, [broadcast_strides(a, shape) for a in operands if a.ndim])
    return _strides_in(order, shape, itemsize)


def _lying_so(shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> Any:
    """An array that is only asked how it lies: it has no memory."""
    return np.lib.stride_tricks.as_strided(np.empty(0, f"V{itemsize}"), shape, strides)


def _common_strides(operands: tuple[Any, ...]) -> tuple[int, ...] | None:
    """Those of operands of one shape that all lie without gaps in one order, which their result has, too."""
    first = operands[0]
    if all(a.flags.c_contiguous for a in operands):
        return _strides_in(range(first.ndim - 1, -1, -1), first.shape, first.itemsize)
    if first.ndim in (4, 5):
        steps = _strides_in((1, *range(first.ndim - 1, 1, -1), 0), first.shape, first.itemsize)
        if all(_lie_alike(a, tuple([s // first.itemsize * a.itemsize for s in steps])) for a in operands):
            return steps
    steps = element_strides(first)
    if is_dense(first) and all(element_strides(a) == steps for a in operands[1:]):
        return first.strides
    return None


def lies_by_rows(array: Any) -> bool:
    """Whether all strides say so, those along dimensions of size 1 as well."""
    if not array.flags.c_contiguous or 1 not in array.shape or array.base is None:
        return bool(array.flags.c_contiguous)
    step = array.itemsize
    for n, stride in zip(array.shape[::-1], array.strides[::-1]):
        if stride != step:
            return False
        step *= n
    return True


def rows_of(result: Any) -> Any:
    """A result, or a copy of it, that lies row by row also by its strides along dimensions of size 1."""
    if result.ndim < 2 or result.__class__ is not np.ndarray:
        return np.ascontiguousarray(result) if result.ndim else result
    return _with_strides(result, _strides_in(range(result.ndim - 1, -1, -1), result.shape, result.itemsize))


def in_order_of(result: Any, operands: list[tuple[int, ...]]) -> Any:
    """The same, where the operands have these strides along the dimensions of the result; 0 tells nothing."""
    return _with_strides(result, _strides_in(_inner_first(result.shape, operands), result.shape, result.itemsize))


def _strides_in(inner_first: Iterable[int], shape: tuple[int, ...], step: int) -> tuple[int, ...]:
    strides = [0] * len(shape)
    for d in inner_first:
        strides[d] = step
        step *= shape[d]
    return tuple(strides)


def _lie_alike(result: Any, strides: tuple[int, ...]) -> bool:
    return all(s == t for n, s, t in zip(result.shape, result.strides, strides) if n != 1)


def _with_strides(result: Any, strides: tuple[int, ...]) -> Any:
    """A result with strides that leave no gaps, or a copy of it if not only those along dimensions of size 1 differ."""
    if result.strides == strides or not result.size:
        return result
    if not _lie_alike(result, strides):
        order = sorted(range(result.ndim), key=lambda d: (strides[d], result.shape[d] != 1))
        copy = _empty_in(result.shape, order, result.dtype)
        copy[...] = result
        result = copy
    if result.strides == strides or result.__class__ is not np.ndarray:
        return result
    offset = storage_offset(result) * result.itemsize
    return np.ndarray(result.shape, result.dtype, bytes_of(root_of(result)), offset, strides)


def _empty_in(shape: tuple[int, ...], inner_first: list[int], dtype: Any) -> Any:
    outer_first = inner_first[::-1]
    return np.empty([shape[d] for d in outer_first], dtype).transpose(np.argsort(outer_first))


def repeats_laid_out(result: Any, operand: Any) -> Any:
    """What a function of one operand came to, in that order also where the operand was broadcast or is of size 1."""
    if (0 not in operand.strides and 1 not in operand.shape) or operand.flags.c_contiguous:
        return result
    return _with_strides(result, _repeated_strides(operand.shape, operand.strides, operand.itemsize, result.itemsize))


@lru_cache(4096)
def _repeated_strides(shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int, made: int) -> tuple[int, ...]:
    operand = _lying_so(shape, strides, itemsize)
    channels_last = (1, *range(len(shape) - 1, 1, -1), 0)
    if len(shape) in (4, 5) and _lie_alike(operand, _strides_in(channels_last, shape, itemsize)):
        return _strides_in(channels_last, shape, made)
    return _strides_like(operand, made)


def laid_out_beside_number(result: Any, operand: Any) -> Any:
    """What a function of an operand and a number came to, in that order: PyTorch takes the number for a tensor."""
    if (0 not in operand.strides and 1 not in operand.shape) or lies_by_rows(operand):
        return result
    return in_order_of(result, [operand.strides])


def broadcast_strides(array: Any, shape: tuple[int, ...]) -> tuple[int, ...]:
    lead = len(shape) - array.ndim
    widened = [0 if n == 1 != whole else s for n, whole, s in zip(array.shape, shape[lead:], array.strides)]
    return (*(0,) * lead, *widened)


def _inner_first(shape: tuple[int, ...], strides: list[tuple[int, ...]]) -> list[int]:
    """The dimensions from the innermost in memory to the outermost, as operands of these strides have them."""

    def lies_farther_out(d: int, other: int) -> bool | None:
        for each in strides:
            mine, its = each[d], each[other]
            if mine and its and mine != its:
                return mine > its
            if mine and its and shape[d] > shape[other]:
                return True
        return None

    order = list(range(len(shape)))[::-1]
    for i in range(1, len(order)):
        at = i
        for before in reversed(range(i)):
            swaps = lies_farther_out(order[before], order[at])
            if swaps is False:
                break
            if swaps:
                order[before], order[at] = order[at], order[before]
                at = before
    return order


def deepcopied_root(root: Any, memo: dict[int, Any]) -> Any:
    """The copy of a whole memory, one for all that share it."""
    found = memo.get(id(root))
    if found is None:
        found = memo[id(root)] = root.copy(order="K")
        memo.setdefault(id(memo), []).append(root)  # alive as long as the memo, as copy.deepcopy does it
    return found
