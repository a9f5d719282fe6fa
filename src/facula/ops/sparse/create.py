"""Making sparse tensors: ``sparse_coo_tensor``, and others of the same layout."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core import layouts, state
from ..._core.dtypes import int64
from ..._tensor import Tensor
from ..arrays.sparse_array import numbered
from ..creation.create import tensor
from ..creation.factories import checked_dtype, creator, size_of
from ..machine.public import FUNCTIONS, public
from .coo import cannot_run, sparse
from .kernels import same_values_op

_OVERLOADS = (
    "sparse_coo_tensor() received an invalid combination of arguments - got ({}), but expected one of:\n"
    " * (object indices, object values, *, torch.dtype dtype = None, torch.device device = None, bool pin_memory = "
    "False, bool requires_grad = False, bool check_invariants = None, bool is_coalesced = None)\n"
    " * (object indices, object values, tuple of ints size, *, torch.dtype dtype = None, torch.device device = None, "
    "bool pin_memory = False, bool requires_grad = False, bool check_invariants = None, bool is_coalesced = None)\n"
    " * (tuple of ints size, *, torch.dtype dtype = None, torch.device device = None, bool requires_grad = False, bool "
    "check_invariants = None)\n"
)


@creator()
def sparse_coo_tensor(
    indices: Any = None, values: Any = None, size: Any = None, *, dtype: Any = None, device: Any = None,
    pin_memory: bool = False, requires_grad: bool = False, check_invariants: bool | None = None,
    is_coalesced: bool | None = None,
) -> Tensor:  # fmt: skip
    """A sparse tensor of ``values`` at ``indices``, which are columns; or, of a size alone, one without values."""
    state.refuse_capture("a sparse tensor")
    given = [v for v in (indices, values, size) if v is not None]
    dtype = checked_dtype("sparse_coo_tensor", dtype)
    if values is None and len(given) == 1:
        shape = given[0]
        if isinstance(shape, Tensor):
            shape = tuple(int(n) for n in shape.reshape(-1).tolist())
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        return _finished(empty(shape, len(shape), dtype), requires_grad)
    if indices is None or values is None or not (size is None or isinstance(size, (tuple, list))):
        raise TypeError(_OVERLOADS.format(", ".join(type(v).__name__ for v in given)))
    rows = values if isinstance(values, Tensor) else tensor(values)
    rows = rows if dtype is None else rows.to(dtype)
    if not rows._array.ndim:
        rows = rows.reshape(1)
    at = indices._array if isinstance(indices, Tensor) else tensor(indices, dtype=int64)._array
    at = at.astype(np.int64, copy=False)
    if at.ndim != 2:
        if at.ndim != 1 or size is None:
            raise RuntimeError(f"indices must be sparse_dim x nnz, but got: {list(at.shape)}")
        at = at.reshape(-1, 1) if rows._array.shape[0] == 1 else at.reshape(at.size, 1).repeat(rows._array.shape[0], 1)
    shape = _inferred(at, rows) if size is None else tuple(int(n) for n in size)
    _check(at, rows, shape, check_invariants, bool(is_coalesced))
    return _finished(sparse(at, same_values_op(rows), shape, bool(is_coalesced)), requires_grad)


def _finished(t: Any, requires_grad: bool) -> Any:
    if requires_grad:
        if t._array.dtype.kind in "biu":
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        t.requires_grad = True
    return t


def empty(shape: Any, sparse_dim: int, dtype: Any = None) -> Any:
    """A sparse tensor without values."""
    rows = FUNCTIONS["empty"]((0, *shape[sparse_dim:]), dtype=dtype)
    return sparse(np.empty((sparse_dim, 0), np.int64), rows, shape, True)


def _inferred(at: Any, rows: Any) -> tuple[int, ...]:
    """The smallest size that places fit into."""
    if not at.shape[1]:
        lead = (0,) * at.shape[0]
    else:
        for d, least in enumerate(at.min(1).tolist()):
            if least < 0:
                raise RuntimeError(f"found negative index {least} for dim {d}")
        lead = tuple(int(n) + 1 for n in at.max(1))
    return (*lead, *rows._array.shape[1:])


def _check(at: Any, rows: Any, shape: tuple[int, ...], check_invariants: bool | None, is_coalesced: bool) -> None:
    """Refuse parts that do not fit together; places outside of the shape too, unless checks are switched off."""
    values = rows._array.shape
    if len(shape) != at.shape[0] + len(values) - 1:
        raise RuntimeError(
            f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(shape)}, sparse_dim = "
            f"{at.shape[0]}, dense_dim = {len(values) - 1}"
        )
    if at.shape[1] != values[0]:
        raise RuntimeError(
            f"indices and values must have same nnz, but got nnz from indices: {at.shape[1]}, nnz from values: "
            f"{values[0]}"
        )
    wanted = (at.shape[1], *shape[at.shape[0] :])
    if wanted != values:
        raise RuntimeError(f"values has incorrect size, expected {list(wanted)}, got {list(values)}")
    if min(shape, default=0) < 0 or math.prod(shape) >= 2**63:
        raise RuntimeError("numel: integer multiplication overflow")
    if check_invariants is None:
        check_invariants = True
    if not check_invariants or not at.shape[1]:
        return
    for d, (least, most) in enumerate(zip(at.min(1).tolist(), at.max(1).tolist())):
        if least < 0:
            raise RuntimeError(f"found negative index {least} for dim {d}")
        if most >= shape[d]:
            raise RuntimeError(
                f"size is inconsistent with indices: for dim {d}, size is {shape[d]} but found index {most}"
            )
    if is_coalesced and (np.diff(numbered(at, shape)) <= 0).any():
        raise RuntimeError("cannot set is_coalesced to true if indices correspond to uncoalesced COO tensor")


@creator("_validate_sparse_coo_tensor_args")
def validate(
    indices: Tensor, values: Tensor, size: Any, is_coalesced: bool = False, check_pinning: bool = False
) -> None:
    """Raise if places, values and a size make no sparse tensor."""
    _check(indices._array, values, tuple(size), True, bool(is_coalesced))


@creator("_sparse_coo_tensor_unsafe")
def unchecked(indices: Tensor, values: Tensor, size: Any, **options: Any) -> Tensor:
    """``sparse_coo_tensor`` without a look at the places."""
    return sparse_coo_tensor(indices, values, tuple(size), check_invariants=False, **options)


# ---- like another


def made_like(t: Any, name: str, fn: Any, rest: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``zeros_like`` and its kin of a sparse tensor."""
    if name == "new_tensor":
        return fn(t._rows, *rest, **kwargs)
    kwargs = dict(kwargs)
    layout = kwargs.pop("layout", None)
    requires_grad = kwargs.pop("requires_grad", False)
    dtype = checked_dtype(name, kwargs.pop("dtype", None)) or t.dtype
    if name.endswith("_like"):
        if layout is layouts.strided:
            shaped = FUNCTIONS["empty"](tuple(t.shape), dtype=dtype, device="meta")
            kwargs["device"] = kwargs.get("device") or "cpu"
            return fn(shaped, *rest, requires_grad=requires_grad, **kwargs)
        if kwargs.get("memory_format") is not None:
            raise RuntimeError("memory format option is only supported by strided tensors")
        if name not in ("zeros_like", "empty_like"):
            raise cannot_run("uniform_" if name.startswith("rand") else "fill_.Scalar")
        return _finished(empty(t.shape, t.sparse_dim(), dtype), requires_grad)
    if name not in ("new_zeros", "new_empty"):
        raise cannot_run("fill_.Scalar")
    shape = size_of(name, (kwargs["size"],) if "size" in kwargs else rest)
    return _finished(empty(shape, len(shape), dtype), requires_grad)


def in_layout(array: Any, requires_grad: bool, layout: Any, is_zero: bool) -> Any:
    """What a factory makes in a layout that is not the strided one; ``array`` tells shape and dtype."""
    if layout is not layouts.sparse_coo:
        raise RuntimeError(f"facula has strided and sparse_coo tensors only, not {layout!r}")
    if not is_zero:
        raise RuntimeError("full(...) is not implemented for sparse layout")
    t = empty(array.shape, array.ndim, Tensor._wrap(array).dtype)
    return _finished(t, requires_grad)


# ---- from diagonals


@public("_spdiags")
def spdiags(diagonals: Tensor, offsets: Tensor, shape: Any, layout: Any = None) -> Tensor:
    """A sparse matrix of diagonals, which are rows."""
    if layout not in (None, layouts.sparse_coo):
        raise RuntimeError(f"Only output layouts (Sparse, SparseCsc, SparseCsr) are supported, got {layout!r}")
    rows = diagonals.reshape(1, -1) if diagonals.ndim == 1 else diagonals
    if rows.ndim != 2:
        raise RuntimeError("Diagonals must be vector or matrix")
    if len(shape) != 2:
        raise RuntimeError("Output shape must be 2d")
    at = offsets._array.reshape(-1)
    if at.size != rows.shape[0]:
        raise RuntimeError(
            f"Number of diagonals ({rows.shape[0]}) does not match the number of offsets ({at.size})"
        )
    if np.unique(at).size != at.size:
        raise RuntimeError("Offset tensor contains duplicate values")
    n, m = shape
    columns = np.arange(min(rows.shape[1], m))
    places = [columns[(columns - k >= 0) & (columns - k < n)] for k in at.tolist()]
    whole = np.concatenate([np.stack([c - k, c]) for c, k in zip(places, at.tolist())], 1)
    which = np.concatenate([c + i * rows.shape[1] for i, c in enumerate(places)])
    return sparse_coo_tensor(Tensor._wrap(whole), rows.reshape(-1)[Tensor._wrap(which)], tuple(shape))
