"""What reductions share: reading ``dim``, summing well and quickly, and bringing gradients back to an input's shape."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import dtypes, state
from ..._tensor import Tensor
from ..arrays.sums import with_ones
from ..machine.deprecated import warn_of_lost_parts
from ..machine.errors import WrongArgument
from ..machine.namespaces import TENSORS

# ---- arguments


def check_dim(dim: Any, ndim: int, name: str = "dim") -> int:
    """One dimension as it was given (nodes show it so), or PyTorch's error."""
    if dim.__class__ is not int:
        if isinstance(dim, Tensor) and dim._array.ndim == 0 and dim._array.dtype.kind in "iu":
            dim = int(dim._array)
        elif isinstance(dim, np.integer):
            dim = int(dim)
        else:
            raise WrongArgument(name, dim, "int")
    n = ndim or 1
    if not -n <= dim < n:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})")
    found: int = dim
    return found


def check_dims(dim: Any, ndim: int) -> tuple[int, ...] | None:
    """Dimensions to reduce as they were given. None and () mean all of them."""
    if dim is None:
        return None
    if dim.__class__ is int and -ndim <= dim < ndim:
        return (dim,)
    if not isinstance(dim, (tuple, list)):
        if isinstance(dim, (str, float, bool)) or (isinstance(dim, Tensor) and dim._array.ndim):
            raise WrongArgument("dim", dim, "tuple of ints")
        return (check_dim(dim, ndim),)
    dims = tuple(check_dim(d, ndim) for d in dim)
    if len(dims) > 1:
        n = ndim or 1
        seen = set()
        for d in dims:
            if d % n in seen:
                raise RuntimeError(f"dim {d % n} appears multiple times in the list of dims")
            seen.add(d % n)
    return dims


def axes(dim: tuple[int, ...] | None, ndim: int) -> tuple[int, ...] | None:
    """What NumPy calls the same dimensions: None for all."""
    return dim if dim and ndim else None


def count(shape: tuple[int, ...], dim: tuple[int, ...] | None) -> int:
    """How many elements go into one."""
    n = 1
    for d in range(len(shape)) if not dim or not shape else dim:
        n *= shape[d]
    return n


def unsqueeze_reduced(g: Any, shape: tuple[int, ...], dim: tuple[int, ...] | None, keepdim: bool, xp: Any) -> Any:
    """The gradient of a reduction's result with its dimensions of size 1 back, ready to be broadcast."""
    if keepdim or not shape:
        return g
    if xp.is_raw:
        return xp.view(np.asanyarray(g), with_ones(shape, dim))
    for d in sorted([d % len(shape) for d in dim or ()]):  # a result without dimensions broadcasts as it is
        g = xp.unsqueeze(g, d)
    return g


def expand_reduced(g: Any, shape: tuple[int, ...], dim: tuple[int, ...] | None, keepdim: bool, xp: Any) -> Any:
    """The gradient of a sum's result for each of its elements: all that went into one get the same."""
    if xp.is_raw and shape and 1 not in shape and 0 not in shape and (not dim or len(dim) == 1):
        g = np.asanyarray(g)
        if g.__class__ is np.ndarray and g.flags.c_contiguous:
            # What the general way below comes to, in one call.
            if not dim:
                strides: tuple[int, ...] = (0,) * len(shape)
            else:
                at = dim[0] % len(shape)
                strides = (*g.strides[:at], 0, *g.strides[at + 1 if keepdim else at :])
            return np.ndarray(shape, g.dtype, g, 0, strides)
    return xp.expand(unsqueeze_reduced(g, shape, dim, keepdim, xp), shape)


def summed_tangent(slopes: Any, tangent: Any, dim: tuple[int, ...] | None, keepdim: bool, out: Tensor) -> Any:
    """The tangent of a reduction's result, given the gradient of each element for a gradient of 1.

    The rule transposed would come to the same, but to 0 / 0 where it divides and then clears.
    """
    parts = TENSORS.conj(slopes) * tangent
    return TENSORS.real(parts).sum(dim, keepdim).to(out.dtype)


def refuse_narrowing(input: Tensor, dtype: dtypes.dtype | None) -> None:
    """A differentiable tensor cannot be reduced into integers. Of complex numbers a real dtype takes half."""
    if dtype is None:
        return
    if dtype.category < dtypes.FLOAT and input.requires_grad and state.grad_enabled():
        raise RuntimeError(f"Autograd not support dtype: {dtypes.SCALAR_TYPE_NAMES[dtype]}")
    warn_of_lost_parts(input._array.dtype, dtype.numpy)


# ---- sums


