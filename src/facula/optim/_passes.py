"""How parameters lie in memory while they are updated.

Small parameters of one dtype are gathered side by side, updated in one go, and put back; their state lies side by side
for good, so that only values and gradients are moved. A large parameter is updated where it is. Both go tile by tile,
so that what a rule reads and writes several times stays in the processor's cache, and in several threads if wanted.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from operator import attrgetter, is_, itemgetter
from typing import Any

import numpy as np

from .._core import natively
from .._tensor import Tensor
from ..native import presence
from ..ops.arrays.tiles import each_tile
from ._arithmetic import Scratch

SMALL = 16384
"""Up to so many elements a parameter is updated together with others."""

TILE = 131072
"""So many elements are updated at once: on half as many the calls themselves would cost more than the cache saves."""

NATIVE = 1024
"""From so many elements on the native kernel is used, where there is one."""

_REAL: dict[np.dtype[Any], np.dtype[Any]] = {np.dtype(c): np.dtype(r) for c, r in (("c8", "f4"), ("c16", "f8"))}
_PLAIN = {np.dtype(np.float32), np.dtype(np.float64), *_REAL}
_array_of = attrgetter("_array")


def is_plain(p: Tensor, kept: Sequence[Any], grad: Any = None) -> bool:
    """Whether a parameter, its gradient and its state are arrays that NumPy computes with as they are."""
    array = p._array
    grad = p.grad if grad is None else grad
    if type(array) is not np.ndarray or array.dtype not in _PLAIN or not array.flags.writeable:
        return False
    if type(grad._array) is not np.ndarray or grad._array.dtype != array.dtype or grad.is_sparse:
        return False
    return all(
        isinstance(t, Tensor)
        and type(t._array) is np.ndarray
        and t._array.dtype == array.dtype
        and t._array.shape == array.shape
        and t._array.flags.c_contiguous
        and not t.requires_grad
        for t in kept
    )


def overlap(arrays: list[Any]) -> bool:
    """Whether some of these may lie in the same memory."""
    ends = sorted(_bounds(a) for a in arrays if type(a) is np.ndarray and a.size)
    return any(low < high for (_, high), (low, _) in pairwise(ends))


def _bounds(array: Any) -> tuple[int, int]:
    return np.lib.array_utils.byte_bounds(array)


class Pass:
    """Parameters that are updated in one go, with their state."""

    __slots__ = (
        "arrays", "dtype", "flat", "fresh", "gathered", "grads_flat", "kept", "kept_arrays", "number_names", "numbers",
        "params", "parts", "parts_of_flat", "put", "real", "scratch", "states",
    )  # fmt: skip

    def __init__(
        self, params: list[Tensor], states: list[dict[str, Any]], kinds: tuple[str, ...], numbers: tuple[str, ...],
        fresh: bool, scratch: Scratch,
    ) -> None:  # fmt: skip
        self.params = params
        self.arrays = [p._array for p in params]
        self.states = states
        self.fresh = fresh
        self.scratch = scratch
        self.dtype: np.dtype[Any] = self.arrays[0].dtype
        self.real: np.dtype[Any] = _REAL.get(self.dtype, self.dtype)
        self.gathered = len(params) > 1 or not self.arrays[0].flags.c_contiguous
        self.kept = [(name, [state[name] for state in states]) for name in kinds]
        self.number_names = numbers
        if len(params) > 1:
            self.parts = [self._side_by_side(tensors) for _, tensors in self.kept]
            self.numbers = [self._side_by_side([state[name] for state in states]) for name in numbers]
        else:
            self.parts = [tensors[0]._array.reshape(-1) for _, tensors in self.kept]
            self.numbers = [states[0][name]._array.reshape(1) for name in numbers]
        self.parts = [part.view(self.real) for part in self.parts]
        self.kept += [(name, [state[name] for state in states]) for name in numbers]
        self.kept_arrays = [[t._array for t in tensors] for _, tensors in self.kept]
        if self.gathered:
            size = sum(a.size for a in self.arrays)
            flat = np.empty(size, self.dtype)
            self.flat: Any = flat
            self.grads_flat: Any = np.empty(size, self.dtype)
            self.put = list(zip(self.arrays, _cut(flat, self.arrays)))
            in_order = all(a.flags.c_contiguous for a in self.arrays)
            self.parts_of_flat: Any = [a.reshape(-1) for a in self.arrays] if in_order else None
        else:
            self.flat = self.arrays[0].reshape(-1)
            self.grads_flat = self.parts_of_flat = None
            self.put = []

    @staticmethod
    def _side_by_side(tensors: list[Tensor]) -> Any:
        """Move the memory of tensors into one array, and have them share its version."""
        arrays = [t._array for t in tensors]
        flat = np.concatenate(arrays, axis=None)
        counter: list[Any] = [max(t._version for t in tensors), None, 0]
        for t, part in zip(tensors, _cut(flat, arrays)):
            t._array = part
            t._counter = counter
        return flat

    def run(self, rule: Any, group: dict[str, Any], place: Any, grads: list[Any] | None = None) -> bool:
        """Update all; False, and nothing is done, if something is no longer as it was."""
        if grads is None:
            grads = self._gradients()
            if grads is None:
                return False
        numbers = []
        for buffer in self.numbers:
            values = buffer.tolist()
            if values.count(values[0]) != len(values):
                return False
            numbers.append(values[0])
        numbers, coefficients = rule._advance(group, numbers, self.fresh, _number)
        self.fresh = False
        flat = self.flat
        if self.gathered:
            if self.parts_of_flat is None:
                np.concatenate(self.arrays, None, flat)
            else:
                np.concatenate(self.parts_of_flat, 0, flat)
            grad = np.concatenate(grads, 0, self.grads_flat)
        else:
            grad = grads[0]
        if self.real is not self.dtype:
            flat, grad = flat.view(self.real), grad.view(self.real)
        update, parts, scratch = rule._update, self.parts, self.scratch
        size = flat.size
        if _is_done_natively(rule, flat, grad, *parts, coefficients):
            pass
        elif size <= TILE:
            update(scratch.arrays(size, self.real), flat, grad, *parts, coefficients)
        else:

            def job(tile: slice) -> None:
                arithmetic = scratch.arrays(tile.stop - tile.start, self.real)
                update(arithmetic, flat[tile], grad[tile], *[part[tile] for part in parts], coefficients)

            each_tile(size, job, TILE)
        for array, part in self.put:
            array[...] = part
        for buffer, value in zip(self.numbers, numbers):
            buffer.fill(value)
        self._count(rule._changes(group), place.f_code, place.f_lasti)
        return True

    def _gradients(self) -> list[Any] | None:
        """The gradients, flat, if parameters and state are where they were."""
        dtype = self.dtype
        grads = []
        for p, array in zip(self.params, self.arrays):
            meta = p._meta
            if meta is None or meta.grad is None or p._array is not array:
                return None
            grad = meta.grad._array
            if (grad.dtype is not dtype and grad.dtype != dtype) or grad.__class__ is not np.ndarray:
                return None
            grads.append(grad.ravel())
        for (name, tensors), arrays in zip(self.kept, self.kept_arrays):
            if not all(map(is_, map(itemgetter(name), self.states), tensors)):
                return None
            if not all(map(is_, map(_array_of, tensors), arrays)):
                return None
        return grads

    def _count(self, changes: int, code: Any, instruction: int) -> None:
        for p in self.params:
            counter = p._counter
            if counter is None:
                counter = p._shared_counter()
            counter[0] += changes
            counter[1] = code
            counter[2] = instruction
        for _, tensors in self.kept:
            counter = tensors[0]._counter
            if counter is None:
                counter = tensors[0]._shared_counter()
            counter[0] += 1
            counter[1] = code
            counter[2] = instruction


def _is_done_natively(rule: Any, flat: Any, *rest: Any) -> bool:
    if not natively.expected or not rule._native or (flat.size < NATIVE and not presence.always):
        return False
    return bool(natively.native_function(rule._native)(flat, *rest))


def _cut(flat: Any, like: list[Any]) -> list[Any]:
    """Parts of a flat array, in the shapes of others."""
    parts = []
    start = 0
    for array in like:
        parts.append(flat[start : start + array.size].reshape(array.shape))
        start += array.size
    return parts


def _number(value: Any) -> Any:
    return value.item() if isinstance(value, Tensor) else value
