"""New tensors by recipe: filled ones, ranges, and the ``*_like`` and ``new_*`` forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core import dtypes, quiet
from ..._core.dtypes import not_for
from ..._core.missing import Missing
from ..._core.new_memory import unset
from ..._tensor import Tensor
from ...autograd import exits
from ...autograd.graph import warn_user
from ..arrays.draws import fused
from ..machine.arguments import is_number
from ..machine.errors import type_of, unconvertible
from ..machine.operands import checked_number
from ..machine.public import public
from .factories import (
    checked_dtype,
    creator,
    empty_array,
    finish,
    like_array,
    on_meta,
    out_dtype,
    permuted_empty,
    place,
    require_sizes,
    requiring,
    size_of,
)  # fmt: skip
from .from_data import (
    array_of,
    as_tensor,
    asarray,
    from_numpy,
    frombuffer,
    legacy_constructor,
    legacy_tensor,
    other_type,
    tensor,
    warn_of_construction,
)

# ---- filled


def _chosen(name: str, dtype: Any, out: Any = None) -> dtypes.dtype:
    if dtype is None and out is None:
        return dtypes.default
    return out_dtype(name, dtype, out) or dtypes.default


@creator()
def zeros(
    *size: Any, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: bool = False,
    pin_memory: bool = False, **named: Any,
) -> Tensor:  # fmt: skip
    """Zeros of a shape."""
    size = _size_argument("zeros", size, named)
    if size and min(size) < 0:
        if out is not None:
            raise RuntimeError("numel: integer multiplication overflow")
        require_sizes("empty" if on_meta(device) else "zeros", size)
    array = np.zeros(size, _chosen("zeros", dtype, out).numpy)
    return finish(place(array, device), requires_grad, out, layout, True)


@creator()
def ones(
    *size: Any, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: bool = False,
    pin_memory: bool = False, **named: Any,
) -> Tensor:  # fmt: skip
    """Ones of a shape."""
    size = _size_argument("ones", size, named)
    require_sizes("ones", size)
    array = np.empty(size, _chosen("ones", dtype, out).numpy)
    array.fill(1)  # np.ones does the same by functions written in Python
    return finish(place(array, device), requires_grad, out, layout)


@creator()
def empty(
    *size: Any, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: bool = False,
    pin_memory: bool = False, memory_format: Any = None, **named: Any,
) -> Tensor:  # fmt: skip
    """A tensor whose elements nobody has set."""
    size = _size_argument("empty", size, named)
    array = empty_array(size, _chosen("empty", dtype, out), device, memory_format)
    if isinstance(out, Tensor) and out._array.shape == array.shape:
        return requiring(out) if requires_grad else out
    return finish(array, requires_grad, out, layout, True)


def _size_argument(name: str, size: tuple[Any, ...], named: dict[str, Any]) -> tuple[int, ...]:
    """The size given by position or as ``size=``."""
    if named:
        for keyword in named:
            if keyword != "size":
                raise TypeError(f"{name}() got an unexpected keyword argument '{keyword}'")
        return size_of(name, (named["size"],))
    return size_of(name, size)


_NOTHING: Any = Missing()


@creator()
def full(
    size: Any, fill_value: Any = _NOTHING, *, out: Any = None, dtype: Any = None, layout: Any = None,
    device: Any = None, requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """One value everywhere; it decides the dtype unless ``dtype`` is given."""
    if fill_value is _NOTHING:
        raise TypeError('full() missing 1 required positional arguments: "fill_value"')
    shape = size_of("full", (size,), one_argument=True)
    require_sizes("full", shape)
    dtype = checked_dtype("full", dtype)
    if isinstance(fill_value, (Tensor, np.generic)):
        fill_value = fill_value.item()
    dtype = out_dtype("full", dtype, out) or dtypes.of_scalar(fill_value)
    return finish(place(_filled(shape, fill_value, dtype), device), requires_grad, out, layout)


def _filled(shape: tuple[int, ...], value: Any, dtype: dtypes.dtype) -> Any:
    array = np.empty(shape, dtype.numpy)
    before = quiet.begin()  # numbers beyond half precision are infinite
    try:
        array.fill(fitting(value, dtype))
    finally:
        quiet.end(before)
    return array


def fitting(value: Any, dtype: dtypes.dtype) -> Any:
    """A number as a tensor of this dtype holds it."""
    if dtype is dtypes.bool_:
        return bool(value)
    return checked_number(value, dtypes.float64 if dtype in (dtypes.float16, dtypes.bfloat16) else dtype)


@creator()
def empty_strided(
    size: Any, stride: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """An unset tensor with strides of one's own."""
    shape = size_of("empty_strided", (size,), one_argument=True)
    require_sizes("empty_strided", shape)
    return finish(_strided(shape, tuple(stride), _chosen("empty_strided", dtype), device), requires_grad, None, layout)


def _strided(shape: tuple[int, ...], stride: tuple[int, ...], dtype: dtypes.dtype, device: Any) -> Any:
    if len(shape) != len(stride):
        raise RuntimeError(
            f"dimensionality of sizes ({len(shape)}) must match dimensionality of strides ({len(stride)})"
        )
    if min(stride, default=0) < 0:
        raise RuntimeError(
            f"Storage size calculation overflowed with sizes={list(shape)} and strides={list(stride)}"
        )
    np_dt = dtype.numpy
    count = 0 if 0 in shape else 1 + sum((n - 1) * s for n, s in zip(shape, stride))
    array = np.ndarray(shape, np_dt, unset(np.empty(count, np_dt)), 0, tuple(s * np_dt.itemsize for s in stride))
    return place(array, device)


@creator()
def empty_permuted(
    size: Any, physical_layout: Any, *, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """An unset tensor whose dimensions lie in memory in the order ``physical_layout``."""
    shape = size_of("empty_permuted", (size,), one_argument=True)
    _check_layout(shape, tuple(physical_layout))
    array = permuted_empty(shape, tuple(physical_layout), _chosen("empty_permuted", dtype).numpy)
    return finish(place(array, device), requires_grad, None, layout)


def _check_layout(shape: tuple[int, ...], order: tuple[int, ...]) -> None:
    if len(order) != len(shape):
        raise RuntimeError(
            "Number of dimensions in size does not match the length of the physical_layout; i.e. len(size) = "
            f"{len(shape)} is not equal to len(physical_layout) = {len(order)}"
        )
    for i, d in enumerate(order):
        if not 0 <= d < len(shape):
            raise RuntimeError(
                f"Dimension out of range (expected to be between 0 and {len(shape) - 1}, but got {d} at index {i}).  NB: "  # noqa: E501
                "negative dims not currently supported; file an issue if you want it."
            )
        if d in order[:i]:
            raise RuntimeError("Duplicate dim not allowed")


@creator()
def eye(
    n: int, m: int | None = None, *, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """Ones on the diagonal."""
    if n < 0:
        raise RuntimeError(f"n must be greater or equal to 0, got {n}")
    if m is not None and m < 0:
        raise RuntimeError(f"m must be greater or equal to 0, got {m}")
    return finish(place(np.eye(n, m, dtype=_chosen("eye", dtype, out).numpy), device), requires_grad, out, layout)


@creator()
def scalar_tensor(
    s: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """A 0-d tensor of the default dtype."""
    chosen = _chosen("scalar_tensor", dtype)
    array = _filled((), s, chosen) if is_number(s) else array_of(s, chosen)
    return finish(place(array, device), requires_grad, None, layout)


# ---- ranges


def _number(name: str, argument: str, position: int, value: Any) -> Any:
    if is_number(value):
        return value
    if isinstance(value, np.generic) or (isinstance(value, Tensor) and value._array.ndim == 0):
        return value.item()
    raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be Number, not {type_of(value)}")


def _refuse_complex(*bounds: Any) -> None:
    if any(isinstance(each, complex) for each in bounds):
        raise unconvertible(dtypes.float64)


def _as_out(values: Any, out: Any) -> Any:
    """A row of numbers in the shape of an ``out=`` that has as many elements: that keeps it."""
    return values if out is None or out._array.size != values.size else values.reshape(out._array.shape)


@creator()
def arange(
    start: Any = 0, end: Any = None, step: Any = 1, *, out: Any = None, dtype: Any = None, layout: Any = None,
    device: Any = None, requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """``start, start + step, ...`` up to but without ``end``."""
    if start.__class__ is int and 0 <= start < 2**63 and end is None and dtype is None and step == 1 and out is None:
        return finish(place(np.arange(start), device), requires_grad, None, layout)
    if end is None:
        start, end = 0, _number("arange", "end", 1, start)
    start = _number("arange", "start", 1, start)
    end = _number("arange", "end", 2, end)
    step = _number("arange", "step", 3, step)
    _refuse_complex(start, end, step)
    dtype = checked_dtype("arange", dtype)
    if dtype is None:
        if out is not None:
            dtype = out.dtype
        else:
            dtype = dtypes.default if any(isinstance(v, float) for v in (start, end, step)) else dtypes.int64
    if dtype.category == dtypes.INT and all(math.isfinite(v) for v in (start, end, step)):
        if step and not int(step):
            raise ValueError("step must be nonzero")
        whole = [checked_number(v, dtypes.int64) for v in (start, end, step)]
        if dtype is dtypes.int64:  # others count in floating point
            start, end, step = whole
    n = _range_length(start, end, step, dtype, inclusive=False)
    if dtype is dtypes.bool_:
        raise not_for("arange_cpu", dtype)
    if out is not None and out._array.size != n:
        if out._array.size:
            warn_user(
                f"The number of elements in the out tensor of shape {list(out.shape)} is {out.numel()} which does not "
                f"match the computed number of elements {n}. Note that this may occur as a result of rounding error. "
                f"The out tensor will be resized to a tensor of shape ({n},)."
            )
        out.resize_(n)
    values = _as_out(_range_values(start, step, n, dtype), out)
    return finish(place(values, device), requires_grad, out, layout)


def _range_length(start: Any, end: Any, step: Any, dtype: dtypes.dtype, inclusive: bool) -> int:
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start:g} -> {end:g}")
    if (step > 0) != (end >= start) and end != start:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    if inclusive:
        return math.floor((end - start) / step) + 1
    if dtype.category == dtypes.INT and all(isinstance(v, int) for v in (start, end, step)):
        return -((start - end) // step)
    return math.ceil((float(end) - start) / step)


def _range_values(start: Any, step: Any, n: int, dtype: dtypes.dtype) -> Any:
    if dtype.category == dtypes.INT:
        start, step = int(start), int(step)
        return np.arange(start, start + n * step, step).astype(dtype.numpy, copy=False)
    if isinstance(start, int) and step == 1 and start + n < 2**24:
        return np.arange(start, start + n, dtype=np.float32 if dtype.itemsize <= 2 else dtype.numpy).astype(
            dtype.numpy, copy=False
        )
    wide = np.arange(n, dtype=np.float64)
    wide *= step
    wide += start
    return wide.astype(dtype.numpy, copy=False)


@creator()
def range(
    start: Any = 0, end: Any = None, step: Any = 1, *, out: Any = None, dtype: Any = None, layout: Any = None,
    device: Any = None, requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """Deprecated: like arange, but with ``end``."""
    warn_user(
        "torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with "
        "Python's range builtin. Instead, use torch.arange, which produces values in [start, end).",
    )
    if end is None:
        start, end = 0, start
    _refuse_complex(start, end, step)
    d = _chosen("range", dtype)
    n = _range_length(start, end, step, d, inclusive=True)
    return finish(place(_as_out(_range_values(start, step, n, d), out), device), requires_grad, out, layout)


@creator()
def linspace(
    start: Any, end: Any, steps: Any = None, *, out: Any = None, dtype: Any = None, layout: Any = None,
    device: Any = None, requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """``steps`` values from ``start`` to ``end``, both included, evenly spaced."""
    start, end, steps = _ends("linspace", start, end, steps)
    d = _spacing_dtype("linspace", dtype, out, start, end)
    return finish(place(_as_out(spaced(start, end, steps, d), out), device), requires_grad, out, layout)


def _ends(name: str, start: Any, end: Any, steps: Any) -> tuple[Any, Any, int]:
    if steps is None:
        raise TypeError(f"{name}() received an invalid combination of arguments")
    if any(isinstance(v, Tensor) and v._array.ndim for v in (start, end)):
        dims = [v._array.ndim if isinstance(v, Tensor) else 0 for v in (start, end)]
        raise RuntimeError(
            f"{name} only supports 0-dimensional start and end tensors, but got start with {dims[0]} dimension(s) and end "  # noqa: E501
            f"with {dims[1]} dimension(s)."
        )
    start, end = _number(name, "start", 1, start), _number(name, "end", 2, end)
    if isinstance(steps, Tensor):
        steps = int(steps.item())
    if isinstance(steps, float):
        raise TypeError(f"{name}() received an invalid combination of arguments - got (int, int, float), but expected:")
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    return start, end, int(steps)


def _spacing_dtype(name: str, dtype: Any, out: Any, *ends: Any) -> dtypes.dtype:
    dtype = out_dtype(name, dtype, out)
    inferred = dtypes.complex_of(dtypes.default) if any(isinstance(v, complex) for v in ends) else dtypes.default
    if dtype is not None and inferred.is_complex and not dtype.is_complex:
        if out is not None:
            raise RuntimeError(f"value cannot be converted to type {dtypes.cpp_name(dtype)} without overflow")
        raise RuntimeError(
            f"torch.{name}(): inferred dtype {dtypes.cpp_name(inferred)} can't be safely cast to passed dtype "
            f"{dtypes.SCALAR_TYPE_NAMES[dtype]}"
        )
    return dtype or inferred


def spaced(start: Any, end: Any, steps: int, d: dtypes.dtype) -> Any:
    """Counted from both ends, so that the values are symmetric and the ends exact."""
    if d.category == dtypes.INT:
        start, end = checked_number(int(start), d), checked_number(int(end), d)
    if steps == 1:
        return np.array([start]).astype(d.numpy)
    half = steps // 2
    found = np.empty(steps, d.numpy)
    if d.category == dtypes.COMPLEX:
        step = (end - start) / max(steps - 1, 1)
    elif d is dtypes.float32:
        start, end = np.float32(start), np.float32(end)
        step = float((end - start) / np.float32(max(steps - 1, 1)))
    else:
        step = (float(end) - float(start)) / max(steps - 1, 1)
    for part, count, way, origin in (
        (found[:half], np.arange(half), step, start), (found[half:], np.arange(steps - half)[::-1], -step, end),
    ):  # fmt: skip
        if d.category == dtypes.COMPLEX:
            part[...] = origin + way * count.astype(np.complex128)
        elif d is dtypes.float32 and steps < 1 << 29:  # products are exact in float64
            part[...] = count * way + float(origin)
        else:
            part[...] = fused(count.astype(np.float64), way, float(origin)).astype(d.numpy)
    return found


@creator()
def logspace(
    start: Any, end: Any, steps: Any = None, base: Any = 10.0, *, out: Any = None, dtype: Any = None,
    layout: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """``base`` to the powers ``linspace(start, end, steps)``."""
    start, end, steps = _ends("logspace", start, end, steps)
    d = _spacing_dtype("logspace", dtype, out, start, end)
    wide = dtypes.complex128 if d.category == dtypes.COMPLEX else dtypes.float64
    if d.category == dtypes.INT:
        start, end = int(start), int(end)
    values = np.power(base, spaced(start, end, steps, wide))
    return finish(place(_as_out(values.astype(d.numpy), out), device), requires_grad, out, layout)


# ---- like another


def _require_tensor(name: str, input: Any) -> None:
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type_of(input)}")


@public("zeros_like")
def zeros_like(
    input: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: bool = False,
    pin_memory: bool = False, memory_format: Any = None,
) -> Tensor:  # fmt: skip
    """Zeros of another tensor's shape, dtype and device."""
    _require_tensor("zeros_like", input)
    array = like_array(input._array, checked_dtype("zeros_like", dtype), device, memory_format)
    array.fill(0)
    return finish(array, requires_grad, None, layout, True)


@public("ones_like")
def ones_like(
    input: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: bool = False,
    pin_memory: bool = False, memory_format: Any = None,
) -> Tensor:  # fmt: skip
    """Ones of another tensor's shape, dtype and device."""
    _require_tensor("ones_like", input)
    array = like_array(input._array, checked_dtype("ones_like", dtype), device, memory_format)
    array.fill(1)
    return finish(array, requires_grad, None, layout)


@public("empty_like")
def empty_like(
    input: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: bool = False,
    pin_memory: bool = False, memory_format: Any = None,
) -> Tensor:  # fmt: skip
    """An unset tensor of another's shape, dtype and device."""
    _require_tensor("empty_like", input)
    array = like_array(input._array, checked_dtype("empty_like", dtype), device, memory_format)
    return finish(array, requires_grad, None, layout, True)


@public("full_like")
def full_like(
    input: Any, fill_value: Any, *, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, pin_memory: bool = False, memory_format: Any = None,
) -> Tensor:  # fmt: skip
    """One value everywhere, in another tensor's shape, dtype and device."""
    _require_tensor("full_like", input)
    array = like_array(input._array, checked_dtype("full_like", dtype), device, memory_format)
    if isinstance(fill_value, (Tensor, np.generic)):
        fill_value = fill_value.item()
    array.fill(fitting(fill_value, dtypes.of_array(array)))
    return finish(array, requires_grad, None, layout)


def _new_options(self: Tensor, name: str, dtype: Any, device: Any) -> tuple[dtypes.dtype, Any]:
    return checked_dtype(name, dtype) or self.dtype, self.device if device is None else device


@public("", "new_zeros")
def new_zeros(
    self: Tensor, *size: Any, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: bool = False,
    pin_memory: bool = False, **named: Any,
) -> Tensor:  # fmt: skip
    """Zeros of this tensor's dtype and device."""
    dtype, device = _new_options(self, "new_zeros", dtype, device)
    size = _size_argument("new_zeros", size, named)
    require_sizes("new_zeros", size)
    return zeros(size, dtype=dtype, device=device, requires_grad=requires_grad, layout=layout)


@public("", "new_ones")
def new_ones(
    self: Tensor, *size: Any, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: bool = False,
    pin_memory: bool = False, **named: Any,
) -> Tensor:  # fmt: skip
    """Ones of this tensor's dtype and device."""
    if dtype is None and device is None and not named and self._array.__class__ is np.ndarray:
        size = size_of("new_ones", size)
        require_sizes("new_ones", size)
        array = np.empty(size, self._array.dtype)
        array.fill(1)
        return finish(array, requires_grad, None, layout)
    dtype, device = _new_options(self, "new_ones", dtype, device)
    return ones(*size, dtype=dtype, device=device, requires_grad=requires_grad, layout=layout, **named)


@public("", "new_empty")
def new_empty(
    self: Tensor, *size: Any, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: bool = False,
    pin_memory: bool = False, **named: Any,
) -> Tensor:  # fmt: skip
    """An unset tensor of this one's dtype and device."""
    dtype, device = _new_options(self, "new_empty", dtype, device)
    return empty(*size, dtype=dtype, device=device, requires_grad=requires_grad, layout=layout, **named)


@public("", "new_full")
def new_full(
    self: Tensor, size: Any, fill_value: Any, *, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """One value everywhere, in this tensor's dtype and device."""
    dtype, device = _new_options(self, "new_full", dtype, device)
    return full(size, fill_value, dtype=dtype, device=device, requires_grad=requires_grad, layout=layout)


@public("", "new_empty_strided")
def new_empty_strided(
    self: Tensor, size: Any, stride: Any, *, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """An unset tensor with strides of one's own, in this tensor's dtype and device."""
    dtype, device = _new_options(self, "new_empty_strided", dtype, device)
    return empty_strided(size, stride, dtype=dtype, device=device, requires_grad=requires_grad, layout=layout)


@public("", "new_tensor")
def new_tensor(
    self: Tensor, data: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """A copy of ``data`` in this tensor's dtype and device."""
    dtype, device = _new_options(self, "new_tensor", dtype, device)
    if isinstance(data, Tensor):
        warn_of_construction("tensor.new_tensor(sourceTensor)")
    t = finish(place(array_of(data, dtype), device), requires_grad, None, layout)
    return exits.enter(t, data, "new_tensor()") if exits.left else t


@public("", "new")
def new(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """The legacy constructor of this tensor's type."""
    if len(args) == 1 and isinstance(args[0], Tensor) and "device" in kwargs:
        raise RuntimeError(
            "Legacy tensor new of the form tensor.new(tensor, device=device) is not supported.  Use "
            "torch.as_tensor(...) instead."
        )
    if len(args) == 1 and isinstance(args[0], Tensor) and args[0].dtype is not self.dtype:
        raise other_type(self.dtype, args[0])
    return legacy_tensor(args, self.dtype, kwargs)


__all__ = [
    "arange",
    "as_tensor",
    "asarray",
    "empty",
    "empty_like",
    "from_numpy",
    "frombuffer",
    "full",
    "full_like",
    "legacy_constructor",
    "linspace",
    "ones",
    "ones_like",
    "tensor",
    "zeros",
    "zeros_like",
]  # fmt: skip
