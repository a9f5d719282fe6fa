"""Other shapes over the same memory: view, reshape, flatten, squeeze, unsqueeze, expand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..._core import dtypes
from ..._core.strides import element_strides, storage_offset
from ..._tensor import Tensor
from ..arrays.strides import strided, viewed
from ..arrays.types import Array
from ..machine import batching
from ..machine.arguments import one_dim, size_tuple
from ..machine.errors import NoOverload, WrongArgument, type_of
from ..machine.primitive import primitive
from ..machine.public import public
from ..machine.rules import in_both_namespaces, sum_tensor_to
from ..machine.view import view_primitive

ndarray = np.ndarray


# ---- view, reshape


@view_primitive("ViewBackward0", "view")
def view_op(input: Array, shape: tuple[int, ...]) -> Any:
    return viewed(input, shape)


view_op.vjp(input=lambda g, input_shape, xp: xp.reshape(g, input_shape))
view_call = view_op.call


@view_primitive("ReshapeAliasBackward0", "reshape_alias")
def reshape_alias_op(input: Array, shape: tuple[int, ...]) -> Any:
    """What ``reshape`` does to a tensor that is not contiguous but need not be copied."""
    return viewed(input, shape)


reshape_alias_op.vjp(input=lambda g, input_shape, xp: xp.reshape(g, input_shape))


@primitive("UnsafeViewBackward0", lowering="view", name="unsafe_view", kind="linear")
def unsafe_view_op(input: Array, shape: tuple[int, ...]) -> Any:
    """The second half of a reshape that has to copy: its input is fresh, so that nobody can see that it is a view."""
    return input.reshape(shape)


unsafe_view_op.vjp(input=lambda g, input_shape, xp: xp.reshape(g, input_shape))


@view_op.batch
@reshape_alias_op.batch
@unsafe_view_op.batch
def view_batched(call: batching.Call) -> Any:
    return call.values[0].reshape(call.size, *call.attribute("shape"))


@primitive("CloneBackward0", lowering="input", name="dense_copy", kind="linear", batch=batching.last_dimensions)
def dense_copy_op(input: Array) -> Any:
    return input.copy()


dense_copy_op.vjp(input=lambda g: g)


def ints(function: str, argument: str, given: tuple[Any, ...]) -> tuple[int, ...]:
    """Sizes or dimensions given as ``f(2, 3)`` or ``f((2, 3))``."""
    try:
        return size_tuple(given)
    except TypeError:
        kind = type_of(given[0])
        raise TypeError(f"{function}(): argument '{argument}' (position 1) must be tuple of ints, not {kind}") from None


def _given(size: tuple[Any, ...]) -> Any:
    """A size given as ``f(2, 3)`` or ``f((2, 3))``, unchecked."""
    return size[0] if len(size) == 1 and isinstance(size[0], (tuple, list)) else size


def _infers_one(shape: Any) -> bool:
    """Whether no size is less than -1: NumPy would infer any negative one."""
    for n in shape:  # noqa: SIM110 (twice as quick as a generator)
        if n < -1:
            return False
    return True


def _shape_error(shape: Any, numel: int) -> Exception:
    """PyTorch's sentence for a shape that does not fit a number of elements."""
    shape = size_tuple((tuple(shape),))
    if shape.count(-1) > 1:
        return RuntimeError("only one dimension can be inferred")
    for i, n in enumerate(shape):
        if n < -1:
            return RuntimeError(f"invalid shape dimension {n} at index {i} of shape {list(shape)}")
    known = 1
    for n in shape:
        known *= n if n >= 0 else 1
    if -1 in shape and known == 0 and numel == 0:
        return RuntimeError(
            f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified dimension size -1 "
            "can be any value and is ambiguous"
        )
    return RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")


@public("reshape")
def reshape_function(input: Tensor, shape: Any) -> Tensor:
    """``reshape``, with the shape as one argument."""
    if not isinstance(shape, (tuple, list)):
        raise WrongArgument("shape", shape, "tuple of ints")
    return reshape(input, shape)


@public("", "reshape")
def reshape(input: Tensor, *size: Any, shape: Any = None) -> Tensor:
    """The same elements in another shape: a view if the strides allow it, else a copy."""
    if not size and shape is None:
        raise TypeError('reshape() missing 1 required positional arguments: "shape"')
    wanted = _given(size) if shape is None else shape
    if input.wraps:
        return input._reshaped(tuple(wanted))
    array = input._array
    try:
        if array.flags.c_contiguous:
            t = view_call(input, wanted)
            if t._array.shape == wanted or _infers_one(wanted):
                return t
            raise _shape_error(wanted, array.size)
        if min(wanted, default=0) < -1:
            raise _shape_error(wanted, array.size)
        try:
            array.reshape(wanted, copy=False)
        except ValueError:
            return unsafe_view_op(dense_copy_op(input), wanted)
        return reshape_alias_op(input, wanted)
    except ValueError:
        error = _shape_error(wanted, array.size)
    except TypeError:
        kind = next((type(n).__name__ for n in wanted if not isinstance(n, int)), "")
        error = TypeError(f"reshape(): argument 'shape' (position 1) must be tuple of ints, not {kind}")
    raise error


@public("", "view", overloads=True)
def view(input: Tensor, *shape: Any, size: Any = None, dtype: Any = None) -> Tensor:
    """The same memory in another shape, or read as another dtype."""
    if not shape:
        if dtype is not None:
            return view_dtype(input, dtype)
        if size is None:
            raise NoOverload
        shape = size
    elif size is not None or dtype is not None:
        raise NoOverload
    elif len(shape) == 1:
        first = shape[0]
        if first.__class__ is dtypes.dtype:
            return view_dtype(input, first)
        if isinstance(first, (tuple, list)):
            shape = first  # type: ignore[assignment]
    array = input._array
    wanted = shape
    try:
        if not array.flags.c_contiguous:
            if input.wraps:
                return _view_in_transform(input, tuple(wanted))
            array.reshape(wanted, copy=False)
        t = view_call(input, wanted)
        if t._array.shape == wanted or _infers_one(wanted):
            return t
        raise _shape_error(wanted, array.size)
    except ValueError:
        error = _view_error(array, wanted)
    except TypeError:
        raise NoOverload from None
    raise error


def _view_in_transform(input: Any, wanted: tuple[int, ...]) -> Tensor:
    from ..._levels.wrapped import share_memory  # loaded when first used

    result: Tensor = input._reshaped(wanted)
    if not share_memory(result, input):
        raise _view_error(input._array, wanted)
    return result


def _view_error(array: Any, wanted: Any) -> Exception:
    known = 1
    for n in wanted:
        known *= n if n >= 0 else 1
    fits = array.size % known == 0 if -1 in wanted and known else known == array.size and -1 not in wanted
    if fits and list(wanted).count(-1) <= 1:
        return RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
            "contiguous subspaces). Use .reshape(...) instead."
        )
    return _shape_error(wanted, array.size)


def view_dtype(input: Tensor, dtype: Any) -> Tensor:
    """The same bytes read as another dtype: no history, and no view that autograd would follow."""
    if input.is_conj() or input.is_neg():
        what = "conjugate view tensors" if input.is_conj() else "tensors with negative bit set"
        raise RuntimeError(f"torch.Tensor.view is not supported for {what} when converting to a different dtype.")
    array = input._array
    names = dtypes.SCALAR_TYPE_NAMES
    old, new = array.itemsize, dtype.numpy.itemsize
    if old != new:
        what = f"to view {names[input.dtype]} as {names[dtype]} (different element sizes)"
        if not array.ndim:
            raise RuntimeError(f"self.dim() cannot be 0 {what}")
        strides = element_strides(array)
        ratio = new // old
        offset = storage_offset(array) if type(array) is np.ndarray else 0
        if new > old and array.shape[-1] % ratio:
            raise RuntimeError(f"self.size(-1) must be divisible by {ratio} {what}, but got {array.shape[-1]}")
        if new > old and offset % ratio:
            raise RuntimeError(f"self.storage_offset() must be divisible by {ratio} {what}, but got {offset}")
        if strides[-1] != 1:
            raise RuntimeError(f"self.stride(-1) must be 1 {what}, but got {strides[-1]}")
        if new > old:
            for i, s in enumerate(strides[:-1]):
                if s % ratio:
                    raise RuntimeError(f"self.stride({i}) must be divisible by {ratio} {what}, but got {s}")
    t = Tensor._wrap(_reread(array, dtype.numpy))
    t._counter = input._shared_counter()
    return t


def _reread(array: Any, dtype: Any) -> Any:
    if array.size or array.itemsize == dtype.itemsize or array.__class__ is not np.ndarray:
        return array.view(dtype)
    # of an array without elements NumPy forgets the strides
    shape = (*array.shape[:-1], array.shape[-1] * array.itemsize // dtype.itemsize)
    outer = [s * array.itemsize for s in element_strides(array)[:-1]]
    return np.lib.stride_tricks.as_strided(np.empty(0, dtype), shape, (*outer, dtype.itemsize))


def _reshaped(input: Any, shape: tuple[int, ...]) -> Tensor:
    """``reshape`` for rules, whose shapes need no check."""
    if not input.wraps and input._array.flags.c_contiguous:
        return view_call(input, shape)
    return reshape(input, shape)


in_both_namespaces("reshape", view_op.kernel, _reshaped)
in_both_namespaces("view", view_op.kernel, _reshaped)  # a rule's gradient may lie anyhow in memory


@public("", "view_as")
def view_as(input: Tensor, other: Tensor) -> Tensor:
    """``view`` to another tensor's shape."""
    return view(input, other._array.shape)


@public("", "reshape_as")
def reshape_as(input: Tensor, other: Tensor) -> Tensor:
    """``reshape`` to another tensor's shape."""
    return reshape(input, other._array.shape)


@public("flatten", "flatten", looks_first=True)
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Merge a range of dimensions into one."""
    array = input._array
    ndim = array.ndim
    start, end = one_dim(start_dim, ndim), one_dim(end_dim, ndim)
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if ndim == 0:
        return reshape(input, (1,))
    if start == end:
        return input
    shape = array.shape
    merged = 1
    for n in shape[start : end + 1]:
        merged *= n
    return reshape(input, (*shape[:start], merged, *shape[end + 1 :]))


@public("ravel", "ravel")
def ravel(input: Tensor) -> Tensor:
    """The elements as a vector."""
    return view(contiguous(input), (-1,)) if input._array.size else view(contiguous(input), (0,))


@public("unflatten", "unflatten", looks_first=True)
def unflatten(input: Tensor, dim: int, sizes: Any) -> Tensor:
    """Split one dimension into several."""
    shape = input._array.shape
    at = one_dim(dim, len(shape))
    parts = size_tuple((tuple(sizes),))
    if not parts:
        raise RuntimeError("unflatten: sizes must be non-empty")
    known = 1
    for n in parts:
        known *= n if n != -1 else 1
    if parts.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    if -1 in parts and known and shape[at] % known == 0:
        parts = tuple(shape[at] // known if n == -1 else n for n in parts)
    elif known != shape[at]:
        raise RuntimeError(
            f"unflatten: Provided sizes {list(parts)} don't multiply up to the size of dim {at} ({shape[at]}) in the "
            "input tensor"
        )
    return view(input, (*shape[:at], *parts, *shape[at + 1 :]))


@public("", "contiguous")
def contiguous(input: Tensor, memory_format: Any = None) -> Tensor:
    """This tensor if it is dense in C order (or the memory format's), else a copy that is."""
    if memory_format is not None:
        return input if input.is_contiguous(memory_format) else input.clone(memory_format=memory_format)
    return input if input._array.flags.c_contiguous else dense_copy_op(input)


# ---- dimensions of size 1


@view_primitive("UnsqueezeBackward0", "unsqueeze")
def unsqueeze_op(input: Array, dim: int) -> Any:
    shape = input.shape
    at = dim if dim >= 0 else dim + len(shape) + 1
    longer = (*shape[:at], 1, *shape[at:])
    view = input.reshape(longer)
    if view.__class__ is np.ndarray:
        steps = input.strides
        new = shape[at] * steps[at] if at < len(shape) else input.itemsize
        if view.strides != (steps := (*steps[:at], new, *steps[at:])) and view.size:
            return strided(input, longer, steps)  # sizes of 1 have other strides in NumPy
    return view


unsqueeze_op.vjp(input=lambda g, dim, xp: xp.squeeze(g, dim))


@unsqueeze_op.batch
def unsqueeze_batched(call: batching.Call) -> Any:
    return unsqueeze_op(call.values[0], call.attribute("dim") % (call.ndim() + 1) + 1)


@public("unsqueeze", "unsqueeze")
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """A view with a new dimension of size 1."""
    new_dim(dim, input._array.ndim)
    return unsqueeze_op.call(input, dim)


def new_dim(dim: int, ndim: int) -> int:
    """Where a new dimension goes, counted from the front."""
    if 0 <= dim <= ndim:
        return dim
    if not -ndim - 1 <= dim < 0:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-ndim - 1}, {ndim}], but got {dim})")
    return dim + ndim + 1


@view_primitive("SqueezeBackward0", "squeeze_all")
def squeeze_all_op(input: Array) -> Any:
    return input.squeeze()


def _unsqueezed(g: Any, shape: tuple[int, ...], dims: Sequence[int], xp: Any) -> Any:
    """Those of the dimensions that had the size 1 back in place."""
    for d in sorted([d % len(shape) for d in dims] if shape else ()):
        if shape[d] == 1:
            g = xp.unsqueeze(g, d)
    return g


squeeze_all_op.vjp(input=lambda g, input_shape, xp: _unsqueezed(g, input_shape, range(len(input_shape)), xp))


@squeeze_all_op.batch
def squeeze_all_batched(call: batching.Call) -> Any:
    dims = tuple([i + 1 for i, n in enumerate(call.shape()) if n == 1])
    return call.values[0].squeeze(dims) if dims else call.values[0].alias()


@view_primitive("SqueezeBackward1", "squeeze", batch=batching.moved_dimensions)
def squeeze_op(input: Array, dim: int) -> Any:
    return input.squeeze(dim) if input.ndim and input.shape[dim] == 1 else input


squeeze_op.vjp(input=lambda g, dim, input_shape, xp: _unsqueezed(g, input_shape, (dim,), xp))


@view_primitive("SqueezeBackward2", "squeeze_dims", batch=batching.moved_dimensions)
def squeeze_dims_op(input: Array, dim: tuple[int, ...]) -> Any:
    drop = tuple(d for d in dim if input.shape[d] == 1) if input.ndim else ()
    return input.squeeze(drop) if drop else input


squeeze_dims_op.vjp(input=lambda g, dim, input_shape, xp: _unsqueezed(g, input_shape, dim, xp))


def _several_dims(dim: Any, ndim: int) -> tuple[int, ...]:
    found = tuple(one_dim(d, ndim) for d in dim)
    for i, d in enumerate(found):
        if d in found[:i]:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
    return found


@public("squeeze", "")
def squeeze_function(input: Tensor, dim: Any = None) -> Tensor:
    """A view without dimensions of size 1."""
    return squeeze(input, dim)


@public("", "squeeze")
def squeeze(input: Tensor, dim: Any = None, *more: Any) -> Tensor:
    """A view without dimensions of size 1."""
    if more:
        dim = ints("squeeze", "dim", (dim, *more))
    if dim is None:
        return squeeze_all_op.call(input)
    if isinstance(dim, (tuple, list)):
        return squeeze_dims_op.call(input, _several_dims(dim, input._array.ndim))
    return squeeze_op.call(input, one_dim(dim, input._array.ndim))


# ---- expand


_NAMED_TENSORS = frozenset("Float Double Half Byte Char Short Int Long".split())


def expand_error(target: tuple[int, ...], shape: tuple[int, ...], kind: str = "Float") -> RuntimeError:
    """PyTorch's sentence for a shape that cannot be expanded to another."""
    if len(shape) > len(target):
        known = f"torch.{kind}Tensor" if kind in _NAMED_TENSORS else f"CPU{kind}Type"
        return RuntimeError(
            f"expand({known}{{{list(shape)}}}, size={list(target)}): the number of sizes provided "
            f"({len(target)}) must be greater or equal to the number of dimensions in the tensor ({len(shape)})"
        )
    lead = len(target) - len(shape)
    at = max(i for i in range(len(shape)) if shape[i] not in (1, target[lead + i]))
    return RuntimeError(
        f"The expanded size of the tensor ({target[lead + at]}) must match the existing size ({shape[at]}) at "
        f"non-singleton dimension {lead + at}.  Target sizes: {list(target)}.  Tensor sizes: {list(shape)}"
    )


@view_primitive("ExpandBackward0", "expand")
def expand_op(input: Array, size: tuple[int, ...]) -> Any:
    if input.__class__ is not ndarray:
        if isinstance(input, ndarray):
            return np.broadcast_to(input, size, subok=True)
        input = np.asarray(input)  # of a NumPy scalar; what is broadcast could not be written to
    shape = input.shape
    if shape == size:
        return input.view()
    lead = len(size) - len(shape)
    if lead > 0 and size[lead:] == shape and 1 not in size[:lead] and input.flags.c_contiguous:
        return ndarray(size, input.dtype, input, 0, (0,) * lead + input.strides)
    strides = [s if n == m else 0 for n, m, s in zip(shape, size[lead:] if lead else size, input.strides)]
    for i in range(lead - 1, -1, -1):
        strides.insert(0, 0 if size[i] != 1 else size[i + 1] * strides[0] if strides else 0)
    return strided(input, size, tuple(strides))


@expand_op.vjp("input")
def expand_gradient_of_input(g: Any, input_shape: Any, xp: Any) -> Any:
    return g if g.shape == input_shape else xp.sum_to(g, input_shape)


@expand_op.batch
def expand_batched(call: batching.Call) -> Any:
    size = call.attribute("size")
    return batching.padded(call.values[0], len(size)).expand(call.size, *size)


@public("", "expand")
def expand(input: Tensor, *shape: Any, size: Any = None, implicit: bool = False) -> Tensor:
    """A view with dimensions of size 1 repeated; -1 keeps a size."""
    here = input._array.shape
    target = ints("expand", "size", shape if size is None else (size,))
    if target == here:
        return expand_op.call(input, target)
    lead = len(target) - len(here)
    if lead < 0:
        raise expand_error(target, here, input._type_name().removeprefix("torch.").removesuffix("Tensor"))
    if -1 in target:
        if -1 in target[:lead]:
            raise RuntimeError(
                f"The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension "
                f"{target.index(-1)}"
            )
        target = target[:lead] + tuple(h if n == -1 else n for n, h in zip(target[lead:], here))
    for n, t in zip(here, target[lead:]):
        if n != t and n != 1:
            raise expand_error(target, here)
    if min(target) < 0:
        raise RuntimeError("numel: integer multiplication overflow")
    return expand_op.call(input, target)


@public("", "expand_as")
def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """``expand`` to another tensor's shape."""
    return expand(input, other._array.shape)


@public("broadcast_to", "broadcast_to")
def broadcast_to(input: Tensor, *shape: Any, size: Any = None) -> Tensor:
    """``expand`` to a shape."""
    return expand(input, *shape, size=size)


@public("", "sum_to_size")
def sum_to_size(input: Tensor, *shape: Any, size: Any = None) -> Tensor:
    """Sum to a shape that could be broadcast to this tensor's."""
    if not shape and size is None:
        raise TypeError('sum_to_size() missing 1 required positional arguments: "size"')
    shape = size_tuple(shape if size is None else (size,))
    here = input._array.shape
    lead = len(here) - len(shape)
    if lead < 0 or any(s != n and s != 1 for s, n in zip(shape, here[lead:])):
        raise RuntimeError(f"size {{{list(shape)}}} is not expandable to size {{{list(here)}}}.")
    return sum_tensor_to(input, shape) if shape else input.sum()
