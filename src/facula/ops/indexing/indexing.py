"""``tensor[key]`` and ``tensor[key] = value``.

NOTE [keys]: the basic parts of a key (integers, slices, None, ``...``) become a chain of views, one node each, as
PyTorch makes them; what remains are tensors that index dimensions of the last view, and one ``index`` or ``index_put``
for all of them.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import overrides
from ..._core import state
from ..._lazy import set_methods
from ..._tensor import Tensor
from ...autograd.graph import warn_user
from ...autograd.saved import PLAIN
from ..machine.any_state import wrap
from ..machine.errors import memory_error, type_of
from ..machine.write import refused_first
from ..moving.fill import number_tensor
from ..views.shape import unsqueeze_op
from ..views.slices import select_op, slice_op
from ..views.strided import alias_op
from .advanced import checked, index_op, put

ndarray = np.ndarray
END = 2**63 - 1
"""The end of a slice that has none."""

_MAX_TUPLE = 32


# ---- the parts of a key


def _out_of_range(index: int, position: int, size: int) -> Exception:
    if not -(2**63) <= index < 2**63:
        return ValueError("Overflow when unpacking long long")
    return IndexError(f"index {index} is out of bounds for dimension {position} with size {size}")


def _bound(value: Any) -> int:
    if value.__class__ is int:
        return value
    if isinstance(value, Tensor) and value._array.size == 1 and value._array.dtype.kind in "iu":
        return _number(value, int)
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError("slice indices must be integers or None or have an __index__ method") from None


def _number(t: Tensor, kind: type) -> Any:
    """The one element of a tensor."""
    return kind(t.item()) if t.dispatches else kind(t._array.reshape(()))


def slice_bounds(key: slice) -> tuple[int, int, int]:
    """Start, end and step as PyTorch keeps them: not yet cut to the size of a dimension."""
    start, end, step = key.start, key.stop, key.step
    step = 1 if step is None else _bound(step)
    if step <= 0:
        raise ValueError("step must be greater than zero" if step else "slice step cannot be zero")
    return 0 if start is None else _bound(start), END if end is None else _bound(end), step


def _index_tensor(part: Any) -> Tensor:
    """A list or an array of a key as a tensor: masks stay masks, anything else becomes int64."""
    if isinstance(part, ndarray):
        array = part
    elif isinstance(part, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(part).__name__}'")
    elif all(v.__class__ is int for v in part):
        array = np.array(part, np.int64)
    else:
        from ..creation.create import tensor  # loaded when first used

        array = tensor(part)._array
    if array.dtype.kind != "b" and array.dtype != np.uint8 and array.dtype != np.int64:
        array = array.astype(np.int64)
    return wrap(array)


def _other_part(part: Any) -> Any:
    """An integer or a tensor for a part that is neither of them, nor a slice, None, a bool or ``...``."""
    if isinstance(part, (ndarray, Sequence)):
        return _index_tensor(part)
    try:
        return operator.index(part)
    except TypeError:
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices "
            f"(got {type_of(part)})"
        ) from None


def _as_tuple(key: Any) -> tuple[Any, ...]:
    """A key as the tuple of its parts. A short list that holds more than numbers counts as a tuple, with a warning."""
    if key.__class__ is tuple:
        return key
    if isinstance(key, tuple):
        return tuple(key)
    if isinstance(key, Sequence) and len(key) < _MAX_TUPLE:
        for part in key:
            if part is None or part is Ellipsis or isinstance(part, (Tensor, slice, Sequence, ndarray)):
                warn_user(
                    "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in "
                    "pytorch 2.9; use x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as "
                    "tensor index, x[torch.tensor(seq)], which will result either in an error or a different result",
                )
                return tuple(key) if not isinstance(key, str) else (key,)
    return (key,)


def _spanned(part: Any) -> int:
    """How many dimensions a part of a key takes."""
    if part is None or part is Ellipsis or part is True or part is False:
        return 0
    if isinstance(part, Tensor) and (part._array.dtype.kind == "b" or part._array.dtype == np.uint8):
        return part._array.ndim
    return 1


def apply_basic(self: Tensor, key: tuple[Any, ...]) -> tuple[Tensor, list[Any]]:
    """The view that the basic parts of a key make, and the tensors that are to index its dimensions."""
    ndim = self._array.ndim
    specified = 0
    for part in key:
        specified += 1 if part.__class__ is int or part.__class__ is slice else _spanned(part)
    if specified > ndim:
        raise IndexError(f"too many indices for tensor of dimension {ndim}")
    view = self
    dim = 0
    tensors: list[Any] = []
    covered = 0
    for position, part in enumerate(key):
        kind = part.__class__
        if kind is slice:
            start, end, step = slice_bounds(part)
            if start or step != 1 or dim >= view._array.ndim or end < view._array.shape[dim]:
                view = slice_op.call(view, dim, start, end, step)
            dim += 1
            continue
        if part is Ellipsis:
            dim += ndim - specified
            continue
        if part is None:
            view = _with_dim(view, dim)
            dim += 1
            continue
        if kind is not int and kind is not bool and not isinstance(part, Tensor):
            part = _other_part(part)
            kind = part.__class__
        # A number for each item of a batch is a tensor still: there is no one number.
        if isinstance(part, Tensor) and not part.wraps and not part._array.ndim and part is key[position]:
            number = part._array.dtype
            if number.kind in "iub":
                kind = bool if number.kind == "b" or number == np.uint8 else int
                part = _number(part, kind)
        if kind is int:
            try:
                view = select_op.call(view, dim, part)
            except (IndexError, OverflowError):
                raise _out_of_range(part, position, view._array.shape[dim]) from None
            continue
        if kind is bool:
            view = _with_dim(view, dim)
            part = wrap(np.zeros(1 if part else 0, np.int64))
        while covered < dim:
            tensors.append(None)
            covered += 1
        tensors.append(part)
        span = _spanned(part)
        covered += span
        dim += span
    return view, tensors


def _with_dim(view: Tensor, dim: int) -> Tensor:
    try:
        return unsqueeze_op(view, dim)
    except ValueError as e:
        raise memory_error(e, ()) or e from None


# ---- reading


def getitem(self: Any, key: Any) -> Any:
    """The part of a tensor that a key names: a view if the key holds no tensors or lists, else a copy."""
    special = self.__class__ not in PLAIN or state.how() == state.GENERAL
    if special and _overridden((self, key)):
        return _call_override(getitem, Tensor.__getitem__, (self, key))
    kind = key.__class__
    if kind is int:
        try:
            return select_op.call(self, 0, key)
        except (IndexError, OverflowError):
            raise _integer_error(self, key) from None
    if kind is slice:
        bounds = slice_bounds(key)
        if not self._array.ndim:
            raise IndexError("slice() cannot be applied to a 0-dim tensor.")
        return slice_op.call(self, 0, *bounds)
    if key is Ellipsis:
        return alias_op(self)
    if kind is not tuple:
        if kind is Tensor and key._array.ndim and self._array.ndim:
            found = index_op.call(self, checked([key], self._array.shape))
            if key._meta is not None and found._node is None and found._meta is None:
                found._meta = key._meta.cut  # chosen by something that was cut off
            return found
        if isinstance(key, np.integer):
            return getitem(self, int(key))
        key = _as_tuple(key)
    view, tensors = apply_basic(self, key)
    if tensors:
        return index_op(view, checked(tensors, view._array.shape))
    return alias_op(self) if view is self else view


def _integer_error(self: Tensor, index: int) -> Exception:
    if not self._array.ndim and index:
        return _out_of_range(index, 0, 0)
    if not self._array.ndim:
        return IndexError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a "
            "0-dim tensor to a number"
        )
    return _out_of_range(index, 0, self._array.shape[0])


def _overridden(args: tuple[Any, ...]) -> bool:
    return overrides.overridden(args)


def _call_override(implementation: Any, public: Any, args: tuple[Any, ...]) -> Any:
    return overrides.call_override(implementation, public, args, {})


# ---- writing


def setitem(self: Any, key: Any, value: Any) -> None:
    """Write a number or a tensor, broadcast, to the part that a key names."""
    simple = self.__class__ in PLAIN and state.how() == state.RECORDING and value.__class__ in _SIMPLE
    if not simple:
        if _overridden((self, key, value)):
            _call_override(setitem, Tensor.__setitem__, (self, key, value))
            return
    elif self._meta is None and self._node is None and _write_directly(self, key, value):
        return
    if not isinstance(value, Tensor):
        value = number_tensor(self, value)
    if key is False:
        return
    kind = key.__class__
    if kind is int:
        try:
            view = select_op(self, 0, key)
        except (IndexError, OverflowError):
            raise _integer_error(self, key) from None
        _copy_to(view, value)
        return
    if kind is slice and not self._array.ndim:
        slice_bounds(key)
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    if key is None or key is True:
        _copy_to(_with_dim(self, 0), value)
        return
    if kind is not tuple:
        if isinstance(key, np.integer):
            setitem(self, int(key), value)
            return
        key = _as_tuple(key)
    view, tensors = apply_basic(self, key)
    if not tensors:
        _copy_to(view, value)
        return
    try:
        indices = checked(tensors, view._array.shape)
    except IndexError as e:
        raise refused_first(e, view, value) from None
    shape = _without_leading_ones(value._array.shape)
    put(view, indices, value if shape == value._array.shape else value.view(shape), False, True)


_SIMPLE: set[type] = {Tensor, float, int, bool}
_INT64, _BOOL = np.dtype(np.int64), np.dtype(np.bool_)
_FLOATS: Any = (np.dtype(np.float32), np.dtype(np.float64))


def _write_directly(self: Tensor, key: Any, value: Any) -> bool:
    """The common case without views: nothing is recorded, and NumPy would do just what PyTorch does."""
    array = self._array
    if array.__class__ is not ndarray or 0 in array.strides:
        return False
    kind = key.__class__
    if kind is Tensor:
        key = key._array
        fits = key.dtype is _INT64 or (key.dtype is _BOOL and key.shape == array.shape)
        if not fits or not key.ndim:
            return False
    elif kind is tuple:
        for part in key:
            if part.__class__ is not int and (part.__class__ is not slice or part.step is not None):
                return False
    elif kind is not int and (kind is not slice or key.step is not None):
        return False
    if value.__class__ is Tensor:
        if value._meta is not None or value._node is not None or value._array.dtype is not array.dtype:
            return False
        value = value._array
        if value.__class__ is not ndarray or (value.ndim and (kind is not int or value.ndim >= array.ndim)):
            return False
    elif array.dtype not in _FLOATS or not -1e38 < value < 1e38:
        return False
    try:
        if kind is Tensor and key.dtype is _BOOL:
            np.copyto(array, value, where=key)
        else:
            array[key] = value
    except (IndexError, ValueError, TypeError, OverflowError):
        return False
    self._bump_version()
    return True


def _without_leading_ones(shape: tuple[int, ...]) -> tuple[int, ...]:
    first = 0
    while first < len(shape) and shape[first] == 1:
        first += 1
    return shape[first:]


def _copy_to(target: Tensor, value: Tensor) -> None:
    shape = target._array.shape
    if value._array.shape == shape:
        target.copy_(value)
    elif not value._array.ndim:
        target.fill_(value)
    else:
        value = value.view(_without_leading_ones(value._array.shape))
        target.copy_(value if value._array.shape == shape else value.expand(shape))


def _show_unsigned(node_class: Any, *names: str) -> None:
    """PyTorch's nodes show places that are counted from the end as unsigned 64-bit numbers."""
    for name in names:
        setattr(node_class, name, property(_unsigned(getattr(node_class, name).fget)))


def _unsigned(shown: Any) -> Any:
    return lambda node: shown(node) % 2**64


_show_unsigned(select_op.node_class, "_saved_index")
_show_unsigned(slice_op.node_class, "_saved_start", "_saved_end")


def _delitem(self: Any, key: Any) -> None:
    raise TypeError("Tensor does not support deleting items")


getitem.__name__, setitem.__name__ = "__getitem__", "__setitem__"
set_methods(__getitem__=getitem, __setitem__=setitem, __delitem__=_delitem)
