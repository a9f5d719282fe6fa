"""Arrays whose elements are the conjugates, or the negatives, of what lies in memory.

NOTE [unresolved arrays]: ``z.conj()`` shares the memory of ``z``. Its array is ``Unresolved``: it knows by its ``bits``
what is to be done to an element that is read, or written. No kernel sees one. Its class is not ndarray, and its dtype
equals one of NumPy's but is another object; every quick path asks for the one or the other, and so leaves it to the
general path, where there are few doors: operators are given ``resolved`` arrays (``any_state``, ``operands``), views
look through to the memory and keep the bits (``viewed``), in-place forms write what they computed back (``change``),
and so with saved tensors and with gradients that users give.

Whoever else asks such an array for elements, by NumPy's functions and methods, gets the right ones. NumPy asks nobody
in ``np.asarray(x)``, ``np.array(x)`` and ``plain[...] = x``: there ``resolved(x)`` must stand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import dtypes
from .devices import MetaArray, stay_meta

ndarray = np.ndarray

CONJ, NEG = 1, 2

_OWN: dict[Any, tuple[Any, Any]] = {}
"""NumPy's dtypes, and the equal ones of unresolved arrays."""


class Unresolved(np.ndarray[Any, Any]):
    """An array over memory whose elements are conjugated, negated or both when read."""

    bits: int = 0

    def __array_finalize__(self, of: Any) -> None:
        self.bits = getattr(of, "bits", 0)

    def __getitem__(self, key: Any) -> Any:
        found = super().__getitem__(key)
        return found if isinstance(found, ndarray) else _done(found, self.bits)

    def __setitem__(self, key: Any, value: Any) -> None:
        memory = memory_of(self)
        memory[key] = _done(np.asarray(resolved(value)).astype(memory.dtype, copy=False), self.bits)

    def fill(self, value: Any) -> None:
        self[...] = value

    @property  # type: ignore[misc]
    def real(self) -> Any:
        return resolved(self).real

    @property  # type: ignore[misc]
    def imag(self) -> Any:
        return resolved(self).imag

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        targets = [inputs[0]] if method == "at" else list(kwargs.get("out", ()))
        given = [resolved(x) for x in inputs]
        kwargs = _all_resolved(kwargs)
        result = getattr(ufunc, method)(*given, **kwargs)
        for target, found in zip(targets, [given[0]] if method == "at" else kwargs.get("out", ())):
            if found is not target:
                target[...] = found
        return targets[0] if len(targets) == 1 and targets[0] is not None else result

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if func in _OF_MEMORY:
            return func(*[memory_of(x) if type(x) is Unresolved else x for x in args], **kwargs)
        if func is np.copyto and type(args[0]) is Unresolved:
            changed = resolved(args[0])
            np.copyto(changed, *_all_resolved(args[1:]), **_all_resolved(kwargs))
            args[0][...] = changed
            return None
        return func(*_all_resolved(args), **_all_resolved(kwargs))


_OF_MEMORY = frozenset((np.may_share_memory, np.shares_memory, np.shape, np.ndim, np.empty_like, np.zeros_like,
                        np.ones_like, np.full_like))  # fmt: skip


def bits_of(array: Any) -> int:
    """What is to be done to the elements of an array when they are read."""
    return 0 if array.__class__ is ndarray else getattr(array, "bits", 0)


def memory_of(array: Any) -> Any:
    """The elements as they lie in memory: the same array, unless something is to be done to them."""
    if array.__class__ is Unresolved:
        return array.view(_OWN[array.dtype][0], ndarray)
    return array.view() if array.__class__ is MetaArray and array.bits else array


def resolved(array: Any) -> Any:
    """The elements as they are to be read: the same array, unless something is to be done to them."""
    if array.__class__ is Unresolved:
        return _done(memory_of(array), array.bits)
    return memory_of(array)


def seen_by(array: Any, bits: int) -> Any:
    """An array over the same memory to whose elements, as they lie there, that is to be done."""
    if array.__class__ is MetaArray:
        array = array.view()
        array.bits = bits
        return array
    if not bits:
        return array
    found = _OWN.get(array.dtype)
    if found is None:
        plain = dtypes.of_array(array).numpy
        found = _OWN[plain] = (plain, np.dtype(plain, metadata={"unresolved": True}))
    seen = array.view(found[1], Unresolved)
    seen.bits = bits
    return seen


def viewed(op: Any, array: Any, attributes: tuple[Any, ...]) -> Any:
    """What a view operator makes of an array of which elements are not to be read as they lie in memory, or no longer.

    ``op.flips`` says what is to be done besides, or not to be done, to the elements of the view.
    """
    memory, bits = memory_of(array), bits_of(array) ^ op.flips
    found = memory.view() if op.flips else op.kernel(memory, *attributes)
    if array.__class__ is MetaArray:
        found = stay_meta(found)
    return seen_by(found, bits) if op.outputs == 1 else [seen_by(each, bits) for each in found]


def _done(elements: Any, bits: int) -> Any:
    """A copy of elements in memory as they are to be read, or of elements that were read as they lie in memory."""
    order: Any = "C" if isinstance(elements, ndarray) and 0 in elements.strides else "K"
    if bits & NEG and elements.dtype.kind == "b":
        if not elements.size:
            return elements.copy()
        raise NotImplementedError("\"neg_cpu\" not implemented for 'Bool'")
    found: Any = elements
    if bits & CONJ:
        found = np.conjugate(found, order=order)
    if bits & NEG:
        found = np.negative(found, order=order)
    return np.asarray(found) if isinstance(elements, ndarray) else found


def _all_resolved(x: Any) -> Any:
    if type(x) is Unresolved:
        return resolved(x)
    if isinstance(x, (list, tuple)):
        return type(x)([_all_resolved(v) for v in x])
    if isinstance(x, dict):
        return {key: _all_resolved(v) for key, v in x.items()}
    return x


def _of_resolved(name: str) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(resolved(self), name)(*_all_resolved(args), **_all_resolved(kwargs))

    method.__name__ = name
    return method


for _name in (
    "__iter__", "__contains__", "__array__", "__bool__", "__float__", "__int__", "__index__", "__complex__", "__repr__",
    "__str__", "__format__", "__reduce__", "__deepcopy__", "all", "any", "argmax", "argmin", "argpartition", "argsort",
    "astype", "byteswap", "choose", "clip", "compress", "conj", "conjugate", "copy", "cumprod", "cumsum", "dot", "dump",
    "dumps", "flatten", "item", "max", "mean", "min", "nonzero", "prod", "repeat", "round", "searchsorted", "std",
    "sum", "take", "tobytes", "tofile", "tolist", "trace", "var",
):  # fmt: skip
    setattr(Unresolved, _name, _of_resolved(_name))
