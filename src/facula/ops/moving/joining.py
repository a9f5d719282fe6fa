"""Tensors joined: cat, stack and their relatives, grids and combinations."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core import dtypes as _dtype
from ..._core import state
from ..._core.devices import empty_meta
from ..._core.dtypes import cast
from ..._core.size import Size
from ..._tensor import Tensor
from ...autograd.saved import PLAIN
from ...overrides import call_override, overridden
from ..arrays.strides import is_channels_last
from ..arrays.types import Arrays
from ..machine import batching
from ..machine.arguments import one_dim
from ..machine.deprecated import warn_once
from ..machine.errors import type_of
from ..machine.operands import common_shape
from ..machine.primitive import primitive
from ..machine.public import FUNCTIONS, public, refuse_recorded_out
from ..machine.rules import constant, in_both_namespaces, in_dtype, raw
from ..machine.write import history_first
from ..views.shape import expand_op, flatten, new_dim, reshape, unsqueeze_op, view

ndarray = np.ndarray


def _promoted(arrays: Any) -> Any:
    """Arrays of one dtype."""
    dt = arrays[0].dtype
    for a in arrays:
        if a.dtype is not dt and a.dtype != dt:
            break
    else:
        return arrays
    to = functools.reduce(_dtype.promote_types, [_dtype.of_array(a) for a in arrays]).numpy
    return [a if a.dtype == to else cast(a, to) for a in arrays]


def joined(arrays: Any, dim: int, keeps_channels_last: bool = True) -> Any:
    """Arrays of one dtype one after the other, in C order, or all channels last (NumPy would keep any order)."""
    for a in arrays:
        if not a.flags.c_contiguous:
            break
    else:
        return np.concatenate(arrays, dim)
    first = arrays[0]
    shape = list(first.shape)
    shape[dim] = sum(a.shape[dim] for a in arrays)
    if first.__class__ is not ndarray:
        return empty_meta(shape, first.dtype)
    out = np.empty(shape, first.dtype)
    if keeps_channels_last and len(shape) in (4, 5) and all(is_channels_last(a) for a in arrays):
        places = (0, *range(2, len(shape)), 1)
        out = np.empty([shape[i] for i in places], first.dtype).transpose(np.argsort(places))
    return np.concatenate(arrays, dim, out=out)


def _checked(name: str, tensors: Any) -> Any:
    if not isinstance(tensors, (tuple, list)):
        raise TypeError(
            f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not {type_of(tensors)}"
        )
    for i, t in enumerate(tensors):
        if not isinstance(t, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type_of(t)}")
    return tensors


_HIDDEN = {"ends": "", "dtypes": ""}
"""Attributes that PyTorch's nodes do not show."""


# ---- the quick way in, for lists of plain Tensors


def _quick(names: str, fn: Callable[..., Any], check_out: Any = None) -> None:
    """Let the public names skip the search for overrides in lists of plain Tensors."""
    slow = FUNCTIONS[names.split()[0]]

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        if state.how() != state.GENERAL and args and (not kwargs or (len(kwargs) == 1 and "dim" in kwargs)):
            tensors = args[0]
            if tensors.__class__ is list or tensors.__class__ is tuple:
                for t in tensors:
                    if t.__class__ not in PLAIN:
                        break
                else:
                    dim = args[1] if len(args) > 1 else kwargs.get("dim", 0)
                    if dim.__class__ is int and abs(dim) < 64 and len(args) + len(kwargs) <= 2:
                        try:
                            return fn(*args, **kwargs)
                        except (RuntimeError, IndexError) as e:
                            raise history_first(e, tensors) from None
        if overridden(args, kwargs):
            return call_override(slow, call, args, kwargs)
        listed = args and isinstance(args[0], (list, tuple)) and args[0] and all(isinstance(t, Tensor) for t in args[0])
        if check_out is not None and isinstance(kwargs.get("out"), Tensor) and listed:
            refuse_recorded_out(names.split()[0], slow.record, kwargs["out"], *args[0])
            check_out(args[0], kwargs["out"])
        return slow(*args, **kwargs)

    call.record = slow.record  # type: ignore[attr-defined]
    for each in names.split():
        FUNCTIONS[each] = call


def _dtypes(tensors: Any) -> tuple[Any, ...] | None:
    """The dtypes of the inputs if gradients must be cast to them."""
    dt = tensors[0]._array.dtype
    for t in tensors:
        if t._array.dtype is not dt and t._array.dtype != dt:
            return tuple([t._array.dtype for t in tensors])
    return None


# ---- cat


_LEGACY_EMPTY = (0,)
"""The shape of vectors without elements, which fit beside tensors of any shape, and add nothing."""


@primitive("CatBackward0", name="cat_op", kind="linear", saved_names=_HIDDEN, lowering="library")
def cat_op(tensors: Arrays, dim: int, ends: tuple[int, ...], dtypes: Any) -> Any:
    """``ends``: where along ``dim`` each tensor ends; ``dtypes``: those of the tensors if they differ."""
    return joined(tensors, dim) if dtypes is None and min(ends) >= 0 else cat_arrays(tensors, dim)


def cat_arrays(arrays: Any, dim: int = 0) -> Any:
    arrays = _promoted(arrays)
    ndim = max([a.ndim for a in arrays])
    for a in arrays:
        if a.ndim != ndim:
            arrays = [a for a in arrays if a.ndim == ndim]
            break
    return joined(arrays, dim)


@cat_op.vjp("tensors")
def cat_gradient(g: Any, position: Any, dim: Any, ends: Any, dtypes: Any, xp: Any) -> Any:
    start, end = ends[position - 1] if position else 0, ends[position]
    if start < 0 or end < 0:
        start = max(start, ~start)
        if end < 0:  # marks a vector without elements beside tensors of more dimensions
            part = constant(np.zeros(0, raw(g).dtype), xp)
            return part if dtypes is None else in_dtype(part, dtypes[position], xp)
    part = xp.slice(g, dim, start, end, 1)
    if raw(part).shape == (0,):
        part = constant(raw(part), xp)  # which depends on nothing
    return part if dtypes is None else in_dtype(part, dtypes[position], xp)


@cat_op.batch
def cat_batched(call: batching.Call) -> Any:
    kept = [call.full(i) for i, end in enumerate(call.attribute("ends")) if end >= 0]
    return cat(kept, call.attribute("dim") + 1)


@public("cat concat concatenate", "", out="separate", autocast="widest")
def cat(tensors: Any, dim: int = 0) -> Tensor:
    """Tensors one after the other along a dimension."""
    tensors = _checked("cat", tensors)
    if not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    shapes = [t._array.shape for t in tensors]
    like = shapes[0]
    for i, s in enumerate(shapes):
        if not s:
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
        if like == _LEGACY_EMPTY:
            like = s
    dim = 0 if like == _LEGACY_EMPTY else one_dim(dim, len(like))
    size = like[dim]
    if size and shapes.count(like) == len(shapes):
        return cat_op(tensors, dim, tuple([size * i for i in range(1, len(shapes) + 1)]), _dtypes(tensors))
    ends = []
    end = 0
    for i, s in enumerate(shapes):
        if s == like:
            end += s[dim]
        elif s == _LEGACY_EMPTY and len(like) > 1:
            ends.append(~end)
            continue
        else:
            _check_fits(like, s, dim, i)
            end += s[dim]
        ends.append(end)
    return cat_op(tensors, dim, tuple(ends), _dtypes(tensors))


def _check_cat_out(tensors: Any, out: Any) -> None:
    if all(t._array.shape for t in tensors):  # else that is told first
        _check_stack_out(tensors, out)


def _check_stack_out(tensors: Any, out: Any) -> None:
    result = functools.reduce(_dtype.promote_types, [t.dtype for t in tensors])
    if not _dtype.can_cast(result, out.dtype):
        raise TypeError(
            "torch.cat(): input types can't be cast to the desired output type "
            f"{_dtype.SCALAR_TYPE_NAMES[out.dtype]}"
        )


def _check_fits(like: tuple[int, ...], shape: tuple[int, ...], dim: int, position: int) -> None:
    if len(like) != len(shape):
        raise RuntimeError(f"Tensors must have same number of dimensions: got {len(like)} and {len(shape)}")
    for d, (n, m) in enumerate(zip(like, shape)):
        if d != dim and n != m:
            raise RuntimeError(
                f"Sizes of tensors must match except in dimension {dim}. Expected size {n} but got size {m} for tensor "
                f"number {position} in the list."
            )


_quick("cat concat concatenate", cat, _check_cat_out)
in_both_namespaces("cat", cat_arrays, cat)


# ---- stack


@primitive("StackBackward0", name="stack_op", kind="linear", saved_names=_HIDDEN, lowering="library")
def stack_op(tensors: Arrays, dim: int, dtypes: Any) -> Any:
    return stack_arrays(tensors, dim)


def stack_arrays(arrays: Any, dim: int = 0) -> Any:
    arrays = _promoted(arrays)
    shape = arrays[0].shape
    at = dim if dim >= 0 else dim + len(shape) + 1
    if at == len(shape):
        return joined([a.reshape(*shape, 1) for a in arrays], at, keeps_channels_last=False)
    return joined(arrays, at).reshape(*shape[:at], len(arrays), *shape[at:])


@stack_op.vjp("tensors")
def stack_gradient(g: Any, position: Any, dim: Any, dtypes: Any, xp: Any) -> Any:
    part = xp.select(g, dim, position)
    return part if dtypes is None else in_dtype(part, dtypes[position], xp)


stack_op.batch(lambda call: stack(call.all_full(), call.attribute("dim") + 1))


@public("stack", "", out="separate", autocast="widest")
def stack(tensors: Any, dim: int = 0) -> Tensor:
    """Tensors of one shape beside each other along a new dimension."""
    tensors = _checked("stack", tensors)
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    shape = tensors[0]._array.shape
    dim = new_dim(dim, len(shape))
    for i, t in enumerate(tensors):
        if t._array.shape != shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(shape)} at entry 0 and "
                f"{list(t._array.shape)} at entry {i}"
            )
    if dim < len(shape) and not state.modes.inference and _are_of_inference(tensors):
        joint: Tensor = cat(tensors, dim)
        return joint.view((*shape[:dim], len(tensors), *shape[dim:]))
    return stack_op(tensors, dim, _dtypes(tensors))


def _are_of_inference(tensors: Any) -> bool:
    """Whether autograd is not asked: then the view by which PyTorch makes a stack is seen."""
    return all(t._meta is not None and t._meta.inference for t in tensors)


_quick("stack", stack, _check_stack_out)
in_both_namespaces("stack", stack_arrays, stack)


# ---- stacks by the number of dimensions


def _some(name: str, tensors: Any) -> Any:
    tensors = _checked(name, tensors)
    if not tensors:
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    return tensors


@public("hstack", "", out=True)
def hstack(tensors: Any) -> Tensor:
    """Vectors one after the other; others side by side."""
    raised = [_atleast_1d(t) for t in _some("hstack", tensors)]
    return cat(raised, 0 if raised[0]._array.ndim == 1 else 1)


@public("vstack row_stack", "", out=True)
def vstack(tensors: Any) -> Tensor:
    """Tensors under each other; vectors are rows."""
    return cat([_atleast_2d(t) for t in _some("vstack", tensors)], 0)


@public("dstack", "", out=True)
def dstack(tensors: Any) -> Tensor:
    """Tensors behind each other."""
    return cat([_atleast_3d(t) for t in _some("dstack", tensors)], 2)


@public("column_stack", "", out=True)
def column_stack(tensors: Any) -> Tensor:
    """Tensors side by side; vectors are columns."""
    columns = [
        t if t._array.ndim > 1 else reshape(t, (t._array.size, 1)) for t in _some("column_stack", tensors)
    ]
    return hstack(columns)


def _atleast_1d(t: Tensor) -> Tensor:
    return t if t._array.ndim else reshape(t, (1,))


def _atleast_2d(t: Tensor) -> Tensor:
    ndim = t._array.ndim
    return t if ndim > 1 else unsqueeze_op(t, 0) if ndim else reshape(t, (1, 1))


def _atleast_3d(t: Tensor) -> Tensor:
    ndim = t._array.ndim
    if ndim > 2:
        return t
    if ndim == 0:
        return reshape(t, (1, 1, 1))
    return unsqueeze_op(unsqueeze_op(t, 0), 2) if ndim == 1 else unsqueeze_op(t, 2)


def _for_each(one: Any, tensors: tuple[Any, ...]) -> Any:
    if len(tensors) == 1 and not isinstance(tensors[0], (tuple, list)):
        return one(tensors[0])
    if len(tensors) == 1:
        tensors = tuple(tensors[0])
    return tuple(one(t) for t in tensors)


@public("atleast_1d")
def atleast_1d(*tensors: Any) -> Any:
    """Numbers as vectors."""
    return _for_each(_atleast_1d, tensors)


@public("atleast_2d")
def atleast_2d(*tensors: Any) -> Any:
    """Vectors as rows of a matrix."""
    return _for_each(_atleast_2d, tensors)


@public("atleast_3d")
def atleast_3d(*tensors: Any) -> Any:
    """Tensors with three dimensions at least."""
    return _for_each(_atleast_3d, tensors)


# ---- blocks


@primitive("BlockDiagBackward0", name="block_diag", kind="linear", batch=batching.item_by_item)
def block_diag_op(tensors: Arrays, corners: tuple[Any, ...]) -> Any:
    """``corners``: for each tensor its (top, left, height, width); at last the size of the whole."""
    arrays = _promoted(tensors)
    whole = np.zeros(corners[-1], arrays[0].dtype)
    for a, (top, left, height, width) in zip(arrays, corners):
        whole[top : top + height, left : left + width] = a
    return whole


@block_diag_op.vjp("tensors")
def block_diag_gradient(g: Any, position: Any, corners: Any, tensors_shape: Any, tensors_dtype: Any, xp: Any) -> Any:
    top, left, height, width = corners[position]
    if tensors_shape[position] == (0,):
        return constant(np.zeros(tensors_shape[position], tensors_dtype[position]), xp)
    part = xp.slice(xp.slice(g, 0, top, top + height, 1), 1, left, left + width, 1)
    return in_dtype(xp.reshape(part, tensors_shape[position]), tensors_dtype[position], xp)


@public("block_diag")
def block_diag(*tensors: Any) -> Tensor:
    """A matrix with the given ones along its diagonal."""
    for i, t in enumerate(tensors):
        if not isinstance(t, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type_of(t)}")
        if t._array.ndim > 2:
            raise RuntimeError(
                f"torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {i} has {t._array.ndim} "
                "dimensions"
            )
    if not tensors:
        return Tensor._wrap(np.zeros((1, 0), _dtype.get_default_dtype().numpy))
    corners: list[Any] = []
    top = left = 0
    for t in tensors:
        height, width = (1, 1, *t._array.shape)[-2:]
        corners.append((top, left, height, width))
        top, left = top + height, left + width
    return block_diag_op(tensors, (*corners, (top, left)))


# ---- grids


@public("broadcast_tensors", looks_first=True)
def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """Views of the tensors with one common shape."""
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tuple(tensors[0])
    target = common_shape(*[t._array.shape for t in tensors])
    return tuple(t if t._array.shape == target else expand_op(t, target) for t in tensors)


@public("broadcast_shapes")
def broadcast_shapes(*shapes: Any) -> Size:
    """The shape that tensors of these shapes broadcast to."""
    result: list[int] = []
    for i, given in enumerate(shapes):
        if not isinstance(given, (int, tuple, list)):
            raise RuntimeError(
                f"Input shapes should be of type ints, a tuple of ints, or a list of ints, got {given}"
            )
        shape = (given,) if isinstance(given, int) else tuple(given)
        if len(shape) > len(result):
            result = [1] * (len(shape) - len(result)) + result
        for d in range(-1, -len(shape) - 1, -1):
            n = shape[d]
            if n in (1, result[d]):
                continue
            if result[d] == 1 and n < 0:
                raise ValueError("Attempting to broadcast a dimension with negative length!")
            if result[d] != 1:
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {n} at {d}! Mismatching argument at index {i} had "
                    f"{shape}; but expected shape should be broadcastable to {result}"
                )
            result[d] = n
    return Size(result)


@public("meshgrid")
def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Grids of coordinates from vectors of them."""
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tuple(tensors[0])
    if not tensors:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    if indexing is None:
        _warn_about_indexing()
    elif indexing not in ("ij", "xy"):
        raise RuntimeError(
            f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}'
        )
    for t in tensors:
        if t.dtype != tensors[0].dtype:
            raise RuntimeError("meshgrid expects all tensors to have the same dtype")
        if t.device != tensors[0].device:
            raise RuntimeError("meshgrid expects all tensors to have the same device")
        if t._array.ndim > 1:
            raise RuntimeError(f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {t}")
    places = list(range(len(tensors)))
    if indexing == "xy" and len(tensors) > 1:
        places[:2] = 1, 0
    size = [1] * len(tensors)
    for t, place in zip(tensors, places):
        size[place] = t._array.size
    grids = []
    for t, place in zip(tensors, places):
        along = [1] * len(tensors)
        along[place] = t._array.size
        grids.append(expand_op(view(t, tuple(along)), tuple(size)))
    return tuple(grids)


def _warn_about_indexing() -> None:
    warn_once("torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.")


def _check_vector(t: Tensor) -> None:
    if t._array.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(t._array.shape)}")


@public("cartesian_prod")
def cartesian_prod(*tensors: Any) -> Tensor:
    """All tuples of one element of each vector, as rows."""
    for t in tensors:
        _check_vector(t)
    if len(tensors) == 1:
        return tensors[0]
    return stack([flatten(t) for t in meshgrid(*tensors, indexing="ij")], 1)


@public("combinations")
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """All ways to take ``r`` elements of a vector, as rows."""
    _check_vector(input)
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return Tensor._wrap(np.empty((0,), input._array.dtype))
    places = np.indices((input._array.size,) * r)
    in_order = (places[:-1] <= places[1:] if with_replacement else places[:-1] < places[1:]).all(0)
    mask = Tensor._wrap(np.asarray(in_order))
    return stack([grid.masked_select(mask) for grid in meshgrid(*[input] * r, indexing="ij")], 1)
