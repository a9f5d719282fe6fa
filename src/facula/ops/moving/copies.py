"""Views as copies: ``expand_copy``, ``permute_copy`` and their relatives, each with a node of its own.

A copy has the kernel and the rule of the view it is named after, and the view's checks of its arguments.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import dtypes, state, strides
from ..._core.devices import empty_meta
from ..._core.unresolved import memory_of
from ..._tensor import Tensor
from ..machine.arguments import as_int, one_dim, size_tuple
from ..machine.primitive import Primitive
from ..machine.public import public
from ..machine.refusals import no_dimensions
from ..pointwise.complex import view_as_complex, view_as_real, view_as_real_op
from ..views.shape import (
    expand,
    expand_op,
    new_dim,
    reshape,
    squeeze_all_op,
    squeeze_dims_op,
    squeeze_op,
    unsqueeze_op,
    view_dtype,
    view_op,
)  # fmt: skip
from ..views.slices import narrow, select, select_op, slice_op, unfold, unfold_op
from ..views.splitting import split, split_op, split_sizes_op, split_with_sizes, unbind_op
from ..views.strided import alias_op, as_strided, as_strided_op
from ..views.transpose import permute, permute_op, t, t_op, transpose_op


def _dense(array: Any) -> Any:
    return np.array(array, order="C", subok=True)


def copying(op: Primitive, name: str = "", node: str = "") -> Primitive:
    """The primitive that copies what a view primitive shows."""
    if op.outputs == 1:

        def kernel(*args: Any) -> Any:
            return _dense(op.kernel(*args))

    else:

        def kernel(*args: Any) -> Any:
            return [_dense(part) for part in op.kernel(*args)]

    kernel.__wrapped__, kernel.__annotations__ = op.kernel, op.kernel.__annotations__  # type: ignore[attr-defined]
    copy: Primitive = op.under(name or f"{op.name}_copy", node or f"{op.node_name}_copy", kernel, view=False)
    return copy


_alias_op, _as_strided_op, _expand_op = copying(alias_op), copying(as_strided_op), copying(expand_op)
_permute_op, _t_op, _transpose_op = copying(permute_op), copying(t_op), copying(transpose_op)
_select_op, _slice_op, _unfold_op = copying(select_op), copying(slice_op), copying(unfold_op)
_squeeze_all_op, _squeeze_one_op = copying(squeeze_all_op), copying(squeeze_op)
_squeeze_several_op = copying(squeeze_dims_op)
_unsqueeze_op, _view_op, _view_as_real_op = copying(unsqueeze_op), copying(view_op), copying(view_as_real_op)
_split_op, _split_sizes_op, _unbind_op = copying(split_op), copying(split_sizes_op), copying(unbind_op)
_narrow_op = copying(slice_op, "narrow_copy", "NarrowCopyBackward0")


def _plain(input: Tensor) -> Tensor:
    """The tensor without history, for the view's own function to look at."""
    return Tensor._wrap(empty_meta(input.shape, input._array.dtype) if input.wraps else memory_of(input._array))


@public("alias_copy", out=True)
def alias_copy(input: Tensor) -> Tensor:
    """A copy of the whole."""
    return _alias_op(input)


@public("as_strided_copy", out=True)
def as_strided_copy(input: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """A copy of the storage as sizes, strides and offset show it."""
    as_strided(_plain(input), size, stride, storage_offset)
    array = input._array
    here = strides.storage_offset(array)
    geometry = (array.shape, strides.element_strides(array), here)
    at = here if storage_offset is None else as_int(storage_offset)
    return _as_strided_op(input, size_tuple(size), size_tuple(stride), at, geometry)


@public("expand_copy", out=True)
def expand_copy(input: Tensor, size: Any, *, implicit: bool = False) -> Tensor:
    """A copy with dimensions of size 1 repeated."""
    return _expand_op(input, expand(_plain(input), size)._array.shape)


@public("permute_copy", out=True)
def permute_copy(input: Tensor, dims: Any) -> Tensor:
    """A copy with the dimensions in the given order."""
    permute(_plain(input), dims)
    return _permute_op(input, tuple(one_dim(d, input._array.ndim) for d in dims))


@public("t_copy", out=True)
def t_copy(input: Tensor) -> Tensor:
    """A copy of the transpose of a matrix."""
    t(_plain(input))
    return _t_op(input)


@public("transpose_copy", out=True)
def transpose_copy(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """A copy with two dimensions exchanged."""
    ndim = input._array.ndim
    return _transpose_op(input, one_dim(dim0, ndim), one_dim(dim1, ndim))


@public("select_copy", out=True)
def select_copy(input: Tensor, dim: int, index: Any) -> Tensor:
    """A copy of one index of a dimension, which disappears."""
    select(_plain(input), dim, index)
    return _select_op(input, one_dim(dim, input._array.ndim), as_int(index))


@public("slice_copy", out=True)
def slice_copy(
    input: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    """A copy of a slice of a dimension."""
    dim = one_dim(dim, input._array.ndim)
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    first, last, _ = slice(start, end).indices(input._array.shape[dim])
    return _slice_op(input, dim, first, max(first, last), step)


@public("narrow_copy", "narrow_copy", out=True)
def narrow_copy(input: Tensor, dim: int, start: Any, length: int) -> Tensor:
    """A copy of ``length`` elements of a dimension, from ``start`` on."""
    ndim = input._array.ndim
    if ndim and dim >= ndim:
        raise RuntimeError(
            "Expected dim < static_cast<int64_t>(self_sizes.size()) to be true, but got false.  (Could this error "
            "message be improved?  If so, please report an enhancement request to PyTorch.)"
        )
    if length < 0 and ndim:
        size = input._array.shape[dim]
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    narrow(_plain(input), dim, start, length)
    dim, start = one_dim(dim, ndim), as_int(start)
    first = start + input._array.shape[dim] if start < 0 else start
    return _narrow_op(input, dim, first, first + length, 1)


@public("unfold_copy", out=True)
def unfold_copy(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """A copy of all windows along a dimension."""
    unfold(_plain(input), dimension, size, step)
    return _unfold_op(input, one_dim(dimension, input._array.ndim), size, step)


@public("squeeze_copy", out=True)
def squeeze_copy(input: Tensor, dim: Any = None) -> Tensor:
    """A copy without dimensions of size 1."""
    ndim = input._array.ndim
    if dim is None:
        return _squeeze_all_op(input)
    if isinstance(dim, (tuple, list)):
        return _squeeze_several_op(input, tuple(one_dim(d, ndim) for d in dim))
    return _squeeze_one_op(input, one_dim(dim, ndim))


@public("unsqueeze_copy", out=True)
def unsqueeze_copy(input: Tensor, dim: int) -> Tensor:
    """A copy with a new dimension of size 1."""
    new_dim(dim, input._array.ndim)
    return _unsqueeze_op(input, dim)


@public("view_copy", out=True, overloads=True)
def view_copy(input: Tensor, size: Any = None, *, dtype: Any = None) -> Tensor:
    """A copy in another shape, or read as another dtype."""
    if isinstance(size, dtypes.dtype):
        dtype = size
    if dtype is not None:
        return Tensor._wrap(view_dtype(input.resolve_conj().resolve_neg(), dtype)._array.copy())
    return _view_op(input, reshape(_plain(input), size)._array.shape)


@public("view_as_real_copy", out=True)
def view_as_real_copy(input: Tensor) -> Tensor:
    """A copy as pairs of real and imaginary parts."""
    view_as_real(_plain(input))
    return _view_as_real_op(input)


@public("view_as_complex_copy", out=True)
def view_as_complex_copy(input: Tensor) -> Tensor:
    """A copy whose last dimension, of size 2, is taken as real and imaginary part."""
    if input.requires_grad and state.grad_enabled():
        raise RuntimeError(
            "view_as_complex_copy does not support automatic differentiation for outputs with complex dtype."
        )
    return Tensor._wrap(view_as_complex(_plain(input))._array.copy())


@public("split_copy", out=True)
def split_copy(input: Tensor, split_size: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Copies of parts of one size along a dimension."""
    split(_plain(input), split_size, dim)
    return tuple(_split_op(input, split_size, one_dim(dim, input._array.ndim)))


@public("split_with_sizes_copy", out=True)
def split_with_sizes_copy(input: Tensor, split_sizes: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Copies of parts of the given sizes along a dimension."""
    split_with_sizes(_plain(input), split_sizes, dim)
    return tuple(_split_sizes_op(input, tuple(split_sizes), one_dim(dim, input._array.ndim)))


@public("unbind_copy", out=True)
def unbind_copy(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """Copies of all indices of a dimension."""
    if not input._array.ndim:
        raise no_dimensions(0)
    return tuple(_unbind_op(input, one_dim(dim, input._array.ndim)))
