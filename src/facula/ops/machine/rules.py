"""Words that derivative rules share: from arrays to Tensors and back, to an input's shape and dtype."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.devices import MetaArray
from ..._core.unresolved import resolved
from ..._tensor import Tensor
from ..arrays.sums import total
from .namespaces import ARRAYS, TENSORS


def in_both_namespaces(name: str, raw: Any, tensor: Any) -> None:
    """Let rules call ``xp.name`` for a function that is no primitive of its own."""
    setattr(ARRAYS, name, raw)
    setattr(TENSORS, name, tensor)


def raw(x: Any) -> Any:
    """The array behind a value of either namespace."""
    if not isinstance(x, Tensor):
        return x
    array = x._array
    return array if array.__class__ is np.ndarray else resolved(array)


def constant(array: Any, xp: Any) -> Any:
    """An array as a value of the namespace a rule runs in: for masks and counts, which have no derivative.

    What has no memory becomes zeros, as the elements are known to the tensor's class alone.
    """
    if xp.is_raw:
        return array
    if array.__class__ is MetaArray:
        return Tensor._wrap(np.zeros(array.shape, array.dtype))
    return Tensor._wrap(array if isinstance(array, np.ndarray) else np.asarray(array))


def of_shape(shape: tuple[int, ...], g: Any, xp: Any) -> Any:
    """Something of a shape, beside a gradient: what it holds does not matter."""
    return constant(np.broadcast_to(np.zeros((), raw(g).dtype), shape), xp)


def in_dtype(g: Any, dtype: np.dtype[Any], xp: Any) -> Any:
    """A gradient in its input's dtype."""
    return g if raw(g).dtype == dtype else xp.cast(g, dtype)


# ---- sums to a shape: the adjoint of broadcasting


def reduced_dims(shape: tuple[int, ...], target: tuple[int, ...]) -> tuple[int, ...]:
    """The dimensions along which broadcasting ``target`` to ``shape`` repeats it."""
    lead = len(shape) - len(target)
    return tuple([i for i, n in enumerate(shape) if i < lead or (target[i - lead] == 1 and n != 1)])


def sum_array_to(x: Any, shape: tuple[int, ...]) -> Any:
    if shape and shape == x.shape[1:]:  # of a bias, that is
        return total(x, (0,), False)
    return np.asanyarray(total(x, reduced_dims(x.shape, shape), False)).reshape(shape)


def sum_tensor_to(x: Tensor, shape: tuple[int, ...]) -> Tensor:
    here = x._array.shape
    if not shape:
        return TENSORS.sum_all(x) if here else x
    dims = (0,) if here[1:] == shape else reduced_dims(here, shape)
    if dims:
        x = TENSORS.sum_dim(x, dims, True)
    return x if x._array.shape == tuple(shape) else TENSORS.view(x, shape)


in_both_namespaces("sum_to", sum_array_to, sum_tensor_to)


def fit(g: Any, shape: tuple[int, ...], dtype: np.dtype[Any], xp: Any) -> Any:
    """A gradient brought to an input's shape and dtype, for primitives that broadcast without being elementwise."""
    return in_dtype(g if raw(g).shape == shape else xp.sum_to(g, shape), dtype, xp)


def no_gradient(g: Any, xp: Any) -> Any:
    """The rule of what is constant almost everywhere: zeros."""
    return constant(np.zeros_like(raw(g)), xp)
