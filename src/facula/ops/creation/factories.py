"""What all functions that make tensors share: their common arguments, and the last steps."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import overrides
from ..._core import devices, dtypes, layouts, many_dims, state
from ..._core.dtypes import PYTHON_TYPES
from ..._core.new_memory import unset
from ..._core.strides import empty_as, strides_as
from ..._levels.needs_values import DrawsDiffer
from ..._tensor import Tensor
from ...autograd.meta import remember_shape
from ...autograd.views import check_inplace
from ..arrays.strides import resized
from ..machine.any_state import mark_inference, wrap
from ..machine.errors import memory_error, type_of
from ..machine.front import Fronts
from ..machine.public import FUNCTIONS
from ..machine.write import check_no_overlap


def _refuse_recorded(name: str, out: Any) -> None:
    if isinstance(out, Tensor) and out.requires_grad and state.grad_enabled():
        raise RuntimeError(
            f"aten::{name}(): functions with out=... arguments don't support automatic differentiation, but one of the "
            "arguments requires grad."
        )


def creator(names: str = "") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a function that takes no tensors public: function modes see the call."""

    def make(fn: Callable[..., Any]) -> Callable[..., Any]:
        fronts = Fronts([fn.__name__], fn)

        @functools.wraps(fn)
        def call(*args: Any, **kwargs: Any) -> Any:
            if state.special:
                if state.modes.function_modes and overrides.overridden(args, kwargs):
                    return overrides.call_override(fn, call, args, kwargs)
                if state.modes.profiled is not None:
                    from ...profiler import _recorder  # loaded when first used

                    return _recorder.function(f"aten::{fn.__name__}", args, fn, kwargs)
            if not fronts.fits(args, kwargs):
                wrong = fronts.mistake(args, kwargs, False)
                if wrong is not None:
                    raise wrong
            if kwargs.get("out") is not None:
                _refuse_recorded(fn.__name__, kwargs["out"])
            try:
                if state.special and state.modes.capture is not None:
                    return state.modes.capture.function(fn, args, kwargs, True)
                if state.special and state.modes.kernels is not None:
                    return state.modes.kernels.function(fn.__name__, fn, args, kwargs)
                return fn(*args, **kwargs)
            except DrawsDiffer as e:
                from ..._levels.batched import each_item_of  # loaded when first used

                return each_item_of(e, fn.__name__, fn, args, kwargs)
            except Exception as e:
                raise fronts.mistake(args, kwargs, False) or memory_error(e, args) or e from None

        for name in (names or fn.__name__).split():
            FUNCTIONS[name] = call
        return call

    return make


def checked_dtype(name: str, dtype: Any) -> dtypes.dtype | None:
    """``dtype=`` of a function called ``name``: a dtype, or None. Python's own types stand for dtypes, too."""
    if dtype is None or dtype.__class__ is dtypes.dtype:
        found: dtypes.dtype | None = dtype
        return found
    if isinstance(dtype, type) and dtype in PYTHON_TYPES:
        return PYTHON_TYPES[dtype]
    raise TypeError(f"{name}(): argument 'dtype' must be torch.dtype, not {type_of(dtype)}")


def out_dtype(name: str, dtype: Any, out: Any) -> dtypes.dtype | None:
    """The dtype that ``dtype=`` and ``out=`` together ask for; they may not disagree."""
    d = checked_dtype(name, dtype)
    if isinstance(out, Tensor):
        if d is not None and d is not out.dtype:
            names = dtypes.SCALAR_TYPE_NAMES
            raise RuntimeError(f"dtype {names[d]} does not match dtype of out parameter ({names[out.dtype]})")
        return out.dtype
    return d


def size_of(name: str, size: tuple[Any, ...], position: int = 1, *, one_argument: bool = False) -> tuple[int, ...]:
    """The shape that ``name(*size)`` means; with ``one_argument`` a bare number is refused."""
    if not size:
        raise TypeError(f'{name}() missing 1 required positional arguments: "size"')
    first = size[0]
    if one_argument or (len(size) == 1 and isinstance(first, (tuple, list))):
        if not isinstance(first, (tuple, list)):
            raise TypeError(
                f"{name}(): argument 'size' (position {position}) must be tuple of ints, not {type_of(first)}"
            )
        size = tuple(first)
        inside = True
    else:
        inside = False
    if all(n.__class__ is int for n in size):
        return size
    return tuple(_one_size(name, n, i, position, inside) for i, n in enumerate(size))


def _one_size(name: str, n: Any, at: int, position: int, inside: bool) -> int:
    if isinstance(n, (int, np.integer)) and (at or not isinstance(n, bool)):  # of the class the first one is asked
        return int(n)
    if isinstance(n, np.ndarray) and n.dtype.kind in "iu" and n.ndim == 0:
        return int(n)
    if isinstance(n, Tensor) and n._array.dtype.kind in "iu" and n._array.size == 1:
        return int(n._array.item())
    if not inside and at == 0:
        raise TypeError(
            f"{name}(): argument 'size' (position {position}) must be tuple of ints, not {type_of(n)}"
        )
    raise TypeError(
        f"{name}(): argument 'size' (position {position}) must be tuple of ints, but found element of type "
        f"{type_of(n)} at pos {at}"
    )


def require_sizes(name: str, size: tuple[int, ...]) -> None:
    """Refuse negative sizes, in the words of the function called ``name``."""
    for n in size:
        if n < 0:
            if name == "zeros":
                raise RuntimeError("zeros: Dimension size must be non-negative.")
            raise RuntimeError(f"Trying to create tensor with negative dimension {n}: {list(size)}")


def empty_array(shape: tuple[int, ...], dtype: dtypes.dtype, device: Any = None, memory_format: Any = None) -> Any:
    """A fresh array of a device, in a memory format."""
    np_dt = dtype.numpy
    require_sizes("empty", shape)
    if on_meta(device):
        if memory_format is None or memory_format in (layouts.contiguous_format, layouts.preserve_format):
            return devices.empty_meta(shape, np_dt)
        return permuted_empty(shape, layouts.axis_order(memory_format, len(shape)), np_dt, devices.empty_meta)
    if len(shape) > many_dims.MOST:
        return many_dims.shown(unset(np.empty(math.prod(shape), np_dt)), shape)
    if memory_format is None or memory_format in (layouts.contiguous_format, layouts.preserve_format):
        return unset(np.empty(shape, np_dt))
    order = layouts.axis_order(memory_format, len(shape))
    return permuted_empty(shape, order, np_dt)


def permuted_empty(
    shape: tuple[int, ...], order: tuple[int, ...], np_dt: Any, empty: Callable[..., Any] = np.empty
) -> Any:
    """An array whose dimensions lie in memory in the given order, outermost first."""
    require_sizes("empty", shape)
    dense = unset(empty([shape[i] for i in order], np_dt))
    return dense.transpose([order.index(i) for i in range(len(order))])


def on_meta(device: Any) -> bool:
    if device is None and state.modes.device is None:
        return False
    return devices.parse(device).type == "meta"


def place(array: Any, device: Any) -> Any:
    """A freshly made array, brought to a device."""
    return devices.empty_meta(array.shape, array.dtype) if on_meta(device) else array


def finish(
    array: Any, requires_grad: bool = False, out: Any = None, layout: Any = None, is_zero: bool = False
) -> Any:
    """The tensor around a new array; or, with ``out=``, that tensor filled with the values.

    ``is_zero``: it is known to be zeros, or may be, so that it can be made sparse.
    """
    if layout is not None and layout is not layouts.strided:
        if isinstance(out, Tensor):
            names = {layouts.strided: "Strided", layouts.sparse_coo: "Sparse"}
            raise RuntimeError(
                f"layout {names.get(layout, layout)} does not match layout of out parameter ({names[out.layout]})"
            )
        from ..sparse.create import in_layout  # it imports this module

        return in_layout(array, requires_grad, layout, is_zero)
    if out is not None:
        fill_out(array, out)
        return requiring(out) if requires_grad else out
    t = wrap(array)
    if requires_grad:
        requiring(t)
    if state.special:
        if state.modes.inference:
            mark_inference([t])
        if state.watch is not None:
            state.watch.made(t)
    return t


def requiring(t: Any) -> Any:
    """A tensor that was asked for as one that requires a gradient."""
    if t._array.dtype.kind in "biu":
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    if t._node is None:
        t._own_meta().requires_grad = True
    return t


def fill_out(array: Any, out: Any) -> Any:
    if not isinstance(out, Tensor):
        raise TypeError(f"argument 'out' must be Tensor, not {type_of(out)}")
    if (array.__class__ is devices.MetaArray) != out.is_meta:
        given = "meta" if array.__class__ is devices.MetaArray else "cpu"
        raise RuntimeError(
            f"device type {given} does not match device type of out parameter ({out.device.type})"
        )
    check_inplace(out, False)
    if out._array.shape != array.shape:
        remember_shape(out)
        out._array = resized(out._array, array.shape)
    check_no_overlap(out._array)
    out._array[...] = array
    out._bump_version()
    return out


def like_array(array: Any, dtype: Any, device: Any, memory_format: Any) -> Any:
    """A fresh array of another's shape and, where that is dense, its order in memory."""
    d = dtypes.of_array(array) if dtype is None else dtype
    np_dt = d.numpy
    if device is None:
        is_meta = array.__class__ is devices.MetaArray
    else:
        is_meta = on_meta(device)
    if is_meta:
        if memory_format is None or memory_format is layouts.preserve_format:
            strides = strides_as(array, np_dt) if isinstance(array, np.ndarray) else None
            return devices.empty_meta(array.shape, np_dt, strides)
        return empty_array(array.shape, d, "meta", memory_format)
    if memory_format is None or memory_format is layouts.preserve_format:
        if not isinstance(array, np.ndarray) or array.__class__ is devices.MetaArray:
            return unset(np.empty(array.shape, np_dt))
        return unset(empty_as(array, np_dt))
    return empty_array(array.shape, d, devices.cpu, memory_format)
