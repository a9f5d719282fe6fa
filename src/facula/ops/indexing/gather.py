"""gather and scatter: an index tensor that names, for each of its elements, a place along one dimension."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import dtypes, natively
from ..._core.devices import MetaArray, empty_meta
from ..._core.looks import passes
from ..._tensor import Tensor, check_elements, elements
from ...autograd.graph import warn_user
from ..arrays.scatter_add import SMALL, add_at, first_outside, places_along, places_in
from ..arrays.tiles import TILE, each_rows
from ..arrays.types import Array
from ..machine import batching
from ..machine.arguments import one_dim
from ..machine.errors import NoOverload, type_of
from ..machine.operands import checked_number
from ..machine.partial_write import partial_write
from ..machine.primitive import primitive
from ..machine.public import public
from ..machine.refusals import no_dimensions
from ..machine.rules import in_both_namespaces

INTEGERS = (np.dtype(np.int64), np.dtype(np.int32))


# ---- kernels


def flat_places(shape: tuple[int, ...], index: Any, dim: int) -> Any:
    """For each element of ``index``, where it points in a dense array of this shape."""
    if not shape:
        return np.zeros(index.shape, np.intp)
    return places_in(shape, index.shape, index, dim)


def _part(array: Any, shape: tuple[int, ...]) -> Any:
    """The front part of a source that is larger than its index."""
    if array.shape == shape:
        return array
    return array[tuple(map(slice, shape))] if array.ndim == len(shape) else array.reshape(shape)


def _each_places(shape: tuple[int, ...], index: Any, dim: int, job: Any) -> None:
    """``job(part, places)`` for parts along the first dimension of ``index``, so that places stay in the cache."""
    n = index.shape[0] if index.ndim else 1
    if index.size <= TILE or len(shape) < 2 or n == 1:
        job(..., flat_places(shape, index, dim))
        return
    starts, step = places_along(shape, index.shape, dim)

    def part(rows: slice) -> None:
        along = index[rows] if step == 1 else np.multiply(index[rows], step)
        job(rows, np.add(starts if dim == 0 else starts[rows], along))

    each_rows(n, index.size // n, part)


def _write_by(target: Any, index: Any, dim: int, write: Any) -> None:
    """Call ``write(flat, places, part of the index)`` on a target, dense or not."""
    dense = target if target.flags.c_contiguous else np.array(target, order="C")
    flat = dense.reshape(-1)
    if dim and index.size > TILE:  # places of different parts are different
        _each_places(target.shape, index, dim, lambda part, places: write(flat, places, part))
    else:
        write(flat, flat_places(target.shape, index, dim), ...)
    if dense is not target:
        target[...] = dense


def _add_by(target: Any, index: Any, dim: int, values: Any) -> None:
    if index.size > SMALL and natively.tried("indexing:scatter_add", target, dim, index, values):
        return
    _write_by(target, index, dim, lambda flat, places, part: add_at(flat, places, values[part]))


@primitive("GatherBackward0", name="gather", kind="linear", batch=batching.moved_dimensions)
def gather_op(input: Array, index: Array, dim: int, sparse_grad: bool) -> Any:
    if input.__class__ is MetaArray:
        return empty_meta(index.shape, input.dtype)
    if not index.size:
        return np.empty(index.shape, input.dtype)
    flat = input.ravel()
    if index.size <= TILE:
        return flat.take(flat_places(input.shape, index, dim))
    out = np.empty(index.shape, input.dtype)
    # Places have been checked; a mode that raises would go through a buffer.
    _each_places(input.shape, index, dim, lambda part, places: flat.take(places, out=out[part], mode="wrap"))
    return out


@gather_op.vjp("input")
def gather_gradient_of_input(g: Any, input: Any, index: Any, dim: int, sparse_grad: bool, xp: Any) -> Any:
    if sparse_grad:
        return xp.picked_elements(g, index, tuple(input.shape), dim)
    return xp.ungather(g, index, tuple(input.shape), dim)


def ungather(input: Any, index: Any, shape: tuple[int, ...], dim: int) -> Any:
    """Zeros of a shape with elements added to the places that ``gather`` takes them from."""
    whole = np.zeros(shape, input.dtype)
    if index.size:
        _add_by(whole, index, dim, np.asarray(input))
    return whole


@partial_write("ScatterBackward0", "scatter", kind="linear", by_rows=True, batch=batching.moved_dimensions)
def scatter_op(input: Array, src: Array, index: Array, dim: int) -> None:
    if index.size:
        src = _part(src, index.shape)
        _write_by(input, index, dim, lambda flat, places, part: flat.__setitem__(places, src[part]))


@partial_write("ScatterBackward1", "scatter_value", by_rows=True, batch=batching.moved_dimensions)
def scatter_value_op(input: Array, index: Array, dim: int, value: object) -> None:
    if index.size:
        _write_by(input, index, dim, lambda flat, places, part: flat.__setitem__(places, value))


@partial_write("ScatterAddBackward0", "scatter_add", kind="linear", by_rows=True, batch=batching.moved_dimensions)
def scatter_add_op(input: Array, src: Array, index: Array, dim: int) -> None:
    if index.size:
        _add_by(input, index, dim, _part(src, index.shape))


scatter_op.saved_names = scatter_add_op.saved_names = {"src_shape": ""}
in_both_namespaces(
    "ungather", ungather, lambda g, index, shape, dim: scatter_add_op(g.new_zeros(shape), g, index, dim)
)
scatter_op.vjp(
    input=lambda g, index, dim, xp: xp.scatter_value(g, index, dim, 0),
    src=lambda g, index, dim, src_shape, xp: source_gradient("ScatterBackward0", g, index, dim, src_shape, xp),
)
scatter_value_op.vjp(input=lambda g, index, dim, xp: xp.scatter_value(g, index, dim, 0))
scatter_add_op.vjp(
    input=lambda g: g,
    src=lambda g, index, dim, src_shape, xp: source_gradient("ScatterAddBackward0", g, index, dim, src_shape, xp),
)


def source_gradient(name: str, g: Any, index: Any, dim: int, shape: tuple[int, ...], xp: Any) -> Any:
    """What was scattered gets what lies at its places; a source larger than its index has no gradient in PyTorch."""
    got = tuple(index.shape)
    is_larger = len(got) != len(shape) or any(n not in (1, m) for n, m in zip(shape, got))
    if is_larger and shape and index.ndim:
        raise RuntimeError(
            f"Function {name} returned an invalid gradient at index 1 - got {list(got)} but expected shape "
            f"compatible with {list(shape)}"
        )
    found = xp.gather(g, index, dim, False)
    if got == shape:
        return found
    return xp.sum_to(found, shape) if len(got) == len(shape) else xp.reshape(found, shape)


_REDUCTIONS = {"add": np.add, "multiply": np.multiply}


@partial_write("NotImplemented", "scatter_by", batch=batching.moved_dimensions)
def scatter_by_op(input: Array, src: Array, index: Array, dim: int, reduce: str) -> None:
    if index.size:
        src = np.broadcast_to(src, index.shape) if not src.ndim else _part(src, index.shape)
        ufunc = _REDUCTIONS[reduce]
        _write_by(input, index, dim, lambda flat, places, part: ufunc.at(flat, places.ravel(), src[part].ravel()))


@scatter_by_op.vjp("input")
def scatter_by_gradient_of_input(g: Any) -> Any:
    raise RuntimeError("derivative for aten::scatter is not implemented")


# ---- checks


def require_tensor(name: str, argument: str, position: int, value: Any) -> None:
    if not isinstance(value, Tensor):
        raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be Tensor, not {type_of(value)}")


@passes("(index >= 0) & (index < n)")
def _check_places(index: Any, dim: int, n: int) -> None:
    if index.__class__ is MetaArray:
        return
    found = first_outside(index, 0, n)
    if found is not None:
        raise RuntimeError(f"index {found} is out of bounds for dimension {dim} with size {n}")


def _with_dims(shape: tuple[int, ...]) -> tuple[int, ...]:
    return shape or (1,)


def _check_index_dtype(name: str, index: Tensor) -> None:
    if index._array.dtype not in INTEGERS:
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")


def _check_scatter(self: Tensor, dim: int, index: Tensor, src: Tensor | None) -> int:
    at = one_dim(dim, self._array.ndim)
    _check_index_dtype("scatter", index)
    if src is not None and src._array.dtype != self._array.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    here, there = _with_dims(self._array.shape), _with_dims(index._array.shape)
    if not index._array.size:
        return at
    if len(there) != len(here):
        raise RuntimeError("Index tensor must have the same number of dimensions as self tensor")
    fits = all(n <= here[d] for d, n in enumerate(there) if d != at)
    if src is None:
        if not fits:
            raise RuntimeError(
                f"Expected index {list(index._array.shape)} to be no larger than self {list(self._array.shape)} apart "
                f"from dimension {at}"
            )
    else:
        given = _with_dims(src._array.shape)
        if len(given) != len(there):
            raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
        if not fits or any(n > m for n, m in zip(there, given)):
            raise RuntimeError(
                f"Expected index {list(index._array.shape)} to be no larger than self {list(self._array.shape)} apart "
                f"from dimension {at} and to be no larger size than src {list(src._array.shape)}"
            )
    check_elements(index, _check_places, at, here[at])
    return at


# ---- the functions


@public("gather", "gather", out="exact separate")
def gather(input: Tensor, dim: int, index: Any, *, sparse_grad: bool = False) -> Tensor:
    """``out[i][j] = input[index[i][j]][j]``, for dim 0."""
    require_tensor("gather", "index", 2, index)
    at = one_dim(dim, input._array.ndim)
    if index._array.size:
        _check_index_dtype("gather", index)
    shape, wanted = _with_dims(input._array.shape), _with_dims(index._array.shape)
    if index._array.size:
        if len(shape) != len(wanted):
            raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
        for d, n in enumerate(wanted if wanted != shape else ()):
            if d != at and n > shape[d]:
                raise RuntimeError(
                    f"Size does not match at dimension {d} expected index {list(wanted)} to be no larger than self "
                    f"{list(shape)} apart from dimension {at}"
                )
        check_elements(index, _check_places, at, shape[at])
    return gather_op.call(input, index, at, sparse_grad)


def _scatter(
    name: str, self: Tensor, dim: int, index: Any, src: Any, value: Any, reduce: str | None, in_place: bool
) -> Tensor:
    require_tensor(name, "index", 2, index)
    if value is None:
        value = src
    elif src is not None:
        raise NoOverload
    elif isinstance(value, Tensor) and not value._array.ndim:
        value = value._array.item()
    if reduce is not None and reduce not in _REDUCTIONS:
        raise RuntimeError("reduce argument must be either add or multiply.")
    if isinstance(value, Tensor):
        at = _check_scatter(self, dim, index, value)
        if reduce is None:
            return scatter_op.apply(self, (value, index), (at,), in_place)
        warn_user(
            "The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a future "
            "PyTorch release. Use torch.scatter_reduce instead for more reduction options.",
        )
        return scatter_by_op.apply(self, (value, index), (at, reduce), in_place)
    if not isinstance(value, (bool, int, float, complex, np.number)):
        raise NoOverload
    at = _check_scatter(self, dim, index, None)
    number = checked_number(value, self.dtype)
    if reduce is None:
        return scatter_value_op.apply(self, (index,), (at, number), in_place)
    filler = Tensor._wrap(np.array(number).astype(self._array.dtype))
    return scatter_by_op.apply(self, (filler, index), (at, reduce), in_place)


@public("scatter", "scatter", out=True)
def scatter(input: Tensor, dim: int, index: Any, src: Any = None, *, value: Any = None, reduce: Any = None) -> Tensor:
    """A copy with elements of ``src``, or a number, written to the places that ``index`` names along ``dim``."""
    return _scatter("scatter", input, dim, index, src, value, reduce, False)


@public("", "scatter_")
def scatter_(input: Tensor, dim: int, index: Any, src: Any = None, *, value: Any = None, reduce: Any = None) -> Tensor:
    """``scatter`` in place."""
    return _scatter("scatter_", input, dim, index, src, value, reduce, True)


def _scatter_add(name: str, self: Tensor, dim: int, index: Any, src: Any, in_place: bool) -> Tensor:
    require_tensor(name, "index", 2, index)
    require_tensor(name, "src", 3, src)
    at = _check_scatter(self, dim, index, src)
    return scatter_add_op.apply(self, (src, index), (at,), in_place)


@public("scatter_add", "scatter_add", out=True)
def scatter_add(input: Tensor, dim: int, index: Any, src: Any) -> Tensor:
    """A copy with elements of ``src`` added at the places that ``index`` names along ``dim``."""
    return _scatter_add("scatter_add", input, dim, index, src, False)


@public("", "scatter_add_")
def scatter_add_(input: Tensor, dim: int, index: Any, src: Any) -> Tensor:
    """``scatter_add`` in place."""
    return _scatter_add("scatter_add_", input, dim, index, src, True)


@public("take_along_dim", "take_along_dim", out=True, looks_first=True)
def take_along_dim(input: Tensor, indices: Any, dim: int | None = None) -> Tensor:
    """``gather`` with indices that are broadcast, and taken modulo the size."""
    require_tensor("take_along_dim", "indices", 2, indices)
    if indices._array.dtype != np.int64:
        kind = dtypes.SCALAR_TYPE_NAMES[indices.dtype]
        raise RuntimeError(f"torch.take_along_dim(): dtype of indices should be Long but got {kind}")
    if dim is None:
        return gather(input.reshape(-1), 0, indices.reshape(-1))
    shape, wanted = input._array.shape, indices._array.shape
    if len(shape) != len(wanted):
        raise RuntimeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{len(shape)} dimensions for input, and {len(wanted)} dimensions for indices"
        )
    at = one_dim(dim, len(shape))
    if not shape:
        raise no_dimensions(at)
    for d, (n, m) in enumerate(zip(shape, wanted, strict=True)):
        if d != at and n != m and 1 not in (n, m):
            raise RuntimeError(
                f"The size of tensor a ({n}) must match the size of tensor b ({m}) at non-singleton dimension {d}"
            )
    common = tuple(m if n == 1 else n for n, m in zip(shape, wanted, strict=True))
    here = tuple(shape[d] if d == at else n for d, n in enumerate(common))
    there = tuple(wanted[d] if d == at else n for d, n in enumerate(common))
    index = _wrapped_around(indices, shape[at])
    return gather(input.expand(here), at, index.expand(there))


def _wrapped_around(indices: Tensor, n: int) -> Tensor:
    array = elements(indices)
    if n and array.__class__ is not MetaArray and first_outside(array, 0, n) is not None:
        return indices % n
    return indices

