"""The arithmetic that update rules are written in, so that each is written once and runs on arrays and on Tensors.

``Arrays`` works on flat ndarrays with memory of its own for what comes in between: no Tensor is made, nothing is
recorded. ``Tensors`` works on tensors, for ``differentiable=True`` and for dtypes that NumPy does not compute in.

Names that end in ``_`` change their first operand; the others give a result that lives until the end of the rule. A
result that is given to one of them as first operand may be used up by it.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

_SLOTS = 4


class Arrays:
    """Arithmetic on flat arrays of one length and dtype."""

    def __init__(self, length: int, dtype: np.dtype[Any], scratch: Any, numbers: dict[Any, Any]) -> None:
        self.dtype = dtype
        self._free = [row[:length] for row in scratch]
        self._inner = self._free.pop()
        self._taken = 0
        self._numbers = numbers

    def begin(self) -> Arrays:
        """Forget all results so far."""
        self._taken = 0
        return self

    def _result(self, a: Any) -> Any:
        """Where to put a result: ``a`` itself if it is one."""
        for memory in self._free:
            if memory is a:
                return a
        memory = self._free[self._taken]
        self._taken += 1
        return memory

    def _number(self, value: float) -> Any:
        """A 0-d array: NumPy takes twice as long with Python numbers."""
        found = self._numbers.get(value)
        if found is None:
            if len(self._numbers) > 100:
                self._numbers.clear()
            found = self._numbers[value] = np.array(value, self.dtype)
        return found

    def detached(self, a: Any) -> Any:
        return a

    def neg(self, a: Any) -> Any:
        return np.negative(a, self._result(a))

    def abs(self, a: Any) -> Any:
        return np.absolute(a, self._result(a))

    def sign(self, a: Any) -> Any:
        return np.sign(a, self._result(a))

    def sqrt(self, a: Any) -> Any:
        return np.sqrt(a, self._result(a))

    def scale(self, a: Any, factor: float) -> Any:
        return np.multiply(a, self._number(factor), self._result(a))

    def shift(self, a: Any, number: float) -> Any:
        return np.add(a, self._number(number), self._result(a))

    def over(self, a: Any, number: float) -> Any:
        return np.multiply(a, self._number(1 / number), self._result(a))

    def product(self, a: Any, b: Any) -> Any:
        return np.multiply(a, b, self._result(a))

    def quotient(self, a: Any, b: Any) -> Any:
        return np.divide(a, b, self._result(a))

    def add(self, a: Any, b: Any, alpha: float = 1.0) -> Any:
        return np.add(a, self._times(b, alpha), self._result(a))

    def addcmul(self, a: Any, b: Any, c: Any, value: float) -> Any:
        inner = np.multiply(b, c, self._inner)
        return np.add(a, np.multiply(inner, self._number(value), inner), self._result(a))

    def by_sign(self, a: Any, positive: float, zero: float, negative: float) -> Any:
        """One of three numbers for each element."""
        above, below = a > 0, a < 0
        result = self._result(a)
        result.fill(zero)
        np.copyto(result, positive, where=above)
        np.copyto(result, negative, where=below)
        return result

    def unless_equal(self, a: Any, b: Any, number: float) -> Any:
        """``a``, but 0 where ``b`` is a number."""
        return np.multiply(a, b != self._number(number), self._result(a))

    def add_(self, a: Any, b: Any, alpha: float = 1.0) -> None:
        np.add(a, self._times(b, alpha), a)

    def scale_(self, a: Any, factor: float) -> None:
        np.multiply(a, self._number(factor), a)

    def multiply_(self, a: Any, b: Any) -> None:
        np.multiply(a, b, a)

    def addcmul_(self, a: Any, b: Any, c: Any, value: float) -> None:
        inner = np.multiply(b, c, self._inner)
        np.add(a, inner if value == 1 else np.multiply(inner, self._number(value), inner), a)

    def addcdiv_(self, a: Any, b: Any, c: Any, value: float) -> None:
        inner = np.divide(b, c, self._inner)
        np.add(a, inner if value == 1 else np.multiply(inner, self._number(value), inner), a)

    def lerp_(self, a: Any, b: Any, weight: float) -> None:
        inner = np.subtract(b, a, self._inner)
        if weight < 0.5:
            np.add(a, np.multiply(inner, self._number(weight), inner), a)
        else:
            np.subtract(b, np.multiply(inner, self._number(1 - weight), inner), a)

    def maximum_(self, a: Any, b: Any) -> None:
        np.maximum(a, b, out=a)

    def clip_(self, a: Any, low: float, high: float) -> None:
        np.minimum(np.maximum(a, self._number(low), out=a), self._number(high), out=a)

    def copy_(self, a: Any, b: Any) -> None:
        a[...] = b

    def _times(self, b: Any, alpha: float) -> Any:
        return b if alpha == 1 else np.multiply(b, self._number(alpha), self._inner)


class Scratch(threading.local):
    """Memory for in-between results, for each thread, and the arithmetics of several lengths that share it."""

    def __init__(self) -> None:
        self._memory: dict[Any, np.ndarray[Any, Any]] = {}
        self._made: dict[Any, Arrays] = {}
        self._numbers: dict[Any, dict[Any, Any]] = {}

    def arrays(self, length: int, dtype: np.dtype[Any]) -> Arrays:
        found = self._made.get((length, dtype))
        if found is None:
            memory = self._memory.get(dtype)
            if memory is None or memory.shape[1] < length:
                memory = self._memory[dtype] = np.empty((_SLOTS, length), dtype)
                self._made = {key: kept for key, kept in self._made.items() if key[1] != dtype}
            found = Arrays(length, dtype, memory, self._numbers.setdefault(dtype, {}))
            self._made[length, dtype] = found
        return found.begin()


class Tensors:
    """The same on tensors; operands that a graph may keep are copied, as the next step changes them in place."""

    def detached(self, a: Any) -> Any:
        return a.detach()

    def neg(self, a: Any) -> Any:
        return a.neg()

    def abs(self, a: Any) -> Any:
        return a.abs()

    def sign(self, a: Any) -> Any:
        return a.sign()

    def sqrt(self, a: Any) -> Any:
        return a.sqrt()

    def scale(self, a: Any, factor: Any) -> Any:
        return a * factor

    def shift(self, a: Any, number: Any) -> Any:
        return a + number

    def over(self, a: Any, number: Any) -> Any:
        return a / number

    def product(self, a: Any, b: Any) -> Any:
        return a * _kept(b)

    def quotient(self, a: Any, b: Any) -> Any:
        return a / _kept(b)

    def add(self, a: Any, b: Any, alpha: Any = 1) -> Any:
        return a + _kept(b) * alpha if _is_tensor(alpha) else a.add(b, alpha=alpha)

    def addcmul(self, a: Any, b: Any, c: Any, value: Any) -> Any:
        return a + _kept(b) * _kept(c) * value

    def by_sign(self, a: Any, positive: float, zero: float, negative: float) -> Any:
        above, below = (a > 0).to(a.dtype), (a < 0).to(a.dtype)
        return (above * positive).add(below, alpha=negative).add(1 - above - below, alpha=zero)

    def unless_equal(self, a: Any, b: Any, number: float) -> Any:
        return a * (b != number).to(a.dtype)

    def add_(self, a: Any, b: Any, alpha: Any = 1) -> None:
        if _is_tensor(alpha):
            a.add_(b * alpha)
        else:
            a.add_(b, alpha=alpha)

    def scale_(self, a: Any, factor: Any) -> None:
        a.mul_(factor)

    def multiply_(self, a: Any, b: Any) -> None:
        a.mul_(_kept(b))

    def addcmul_(self, a: Any, b: Any, c: Any, value: Any) -> None:
        if _is_tensor(value):
            a.add_(_kept(b) * _kept(c) * value)
        else:
            a.addcmul_(_kept(b), _kept(c), value=value)

    def addcdiv_(self, a: Any, b: Any, c: Any, value: Any) -> None:
        if _is_tensor(value):
            a.add_(_kept(b) / _kept(c) * value)
        else:
            a.addcdiv_(_kept(b), _kept(c), value=value)

    def lerp_(self, a: Any, b: Any, weight: Any) -> None:
        a.lerp_(b, weight.to(a.dtype) if _is_tensor(weight) else weight)

    def maximum_(self, a: Any, b: Any) -> None:
        a.copy_(_kept(a).maximum(b))

    def clip_(self, a: Any, low: float, high: float) -> None:
        a.copy_(_kept(a).clamp(low, high))

    def copy_(self, a: Any, b: Any) -> None:
        a.copy_(b)


TENSORS = Tensors()


def _is_tensor(value: Any) -> bool:
    return not isinstance(value, (int, float))


def _kept(a: Any) -> Any:
    return a.clone() if a.requires_grad else a
