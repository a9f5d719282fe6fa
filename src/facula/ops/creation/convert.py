"""Tensors to and from other forms: casts, devices, Python numbers, NumPy."""

from __future__ import annotations

import operator
from itertools import pairwise
from typing import Any

import numpy as np

from ..._core import devices, dtypes, layouts, state
from ..._core.unresolved import memory_of
from ..._lazy import set_methods
from ..._tensor import Tensor
from ...autograd import exits
from ..arrays.strides import is_channels_last
from ..arrays.types import Array
from ..machine import batching
from ..machine.any_state import subclasses
from ..machine.deprecated import warn_of_lost_parts, warn_once
from ..machine.errors import type_of
from ..machine.forms import forms
from ..machine.overloads import no_combination
from ..machine.overridable import overridable
from ..machine.primitive import primitive
from ..machine.public import FUNCTIONS, public
from ..machine.signatures import mistake
from ..moving.copy import cast_op
from .factories import PYTHON_TYPES, checked_dtype, finish, like_array
from .from_data import LEGACY_CLASSES, LegacyMeta

# ---- casts and devices


@public("", "to")
def to(input: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """This tensor with another dtype or on another device; itself if nothing changes."""
    if len(args) == 1 and not kwargs and args[0].__class__ is dtypes.dtype:
        dtype = args[0]
        array = input._array
        if array.dtype is dtype.numpy or (array.__class__ is not np.ndarray and array.dtype == dtype.numpy):
            return input
        return _cast(input, dtype.numpy)
    device, dtype, copy, memory_format = parsed_to(args, kwargs)
    return converted(input, device, dtype, copy, memory_format)


def parsed_to(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any, bool, Any]:
    """Device, dtype, whether to copy, and memory format, of arguments of ``to``."""
    wrong = None if _is_usual(args, kwargs) else mistake("to", (None, *args), kwargs, True)
    if wrong is None and len(args) > 1 and args[0] is None and args[1].__class__ is bool:
        wrong = no_combination("to", args, kwargs, forms("to", True))  # None is no dtype
    if wrong is not None:
        raise wrong
    device, dtype, other = kwargs.get("device"), kwargs.get("dtype"), kwargs.get("tensor")
    flags = list(args)
    if flags:
        first = flags.pop(0)
        if isinstance(first, Tensor):
            other = first
        elif isinstance(first, dtypes.dtype) or (isinstance(first, type) and first in PYTHON_TYPES):
            dtype = first
        else:
            device = first
            dtype = flags.pop(0) if flags else dtype
    if other is not None:
        device, dtype = other.device, other.dtype
    copy = flags[1] if len(flags) > 1 else kwargs.get("copy", False)
    return device, checked_dtype("to", dtype), bool(copy), kwargs.get("memory_format")


_USUAL: dict[str, tuple[type, ...]] = {
    "device": (str, devices.device, type(None)), "dtype": (dtypes.dtype, type(None)), "non_blocking": (bool,),
    "copy": (bool,), "memory_format": (layouts.memory_format, type(None)),
}  # fmt: skip
"""Classes of arguments of ``to``, in their order."""


def _is_usual(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether it is plain that a form of ``to`` takes these arguments."""
    for name, value in kwargs.items():
        if name not in _USUAL or value.__class__ not in _USUAL[name]:
            return False
    if not args:
        return True
    if args[0].__class__ not in _USUAL["device"]:
        args = (None, *args)
    return len(args) < 5 and all(v.__class__ in _USUAL[n] and n not in kwargs for n, v in zip(_USUAL, args))


@primitive("ToCopyBackward0", kind="linear", batch=batching.as_it_is)
def to_meta_op(input: Array, dtype: dtypes.dtype, memory_format: Any = None) -> Any:
    return like_array(input, dtype, "meta", memory_format)


to_meta_op.call = to_meta_op.any_state  # the way of plain tensors makes plain ones


@to_meta_op.vjp("input")
def to_meta_gradient(g: Any) -> Any:
    raise NotImplementedError("Cannot copy out of meta tensor; no data!")


def converted(
    input: Tensor, device: Any = None, dtype: dtypes.dtype | None = None, copy: bool = False, memory_format: Any = None
) -> Tensor:
    array = input._array
    if device is not None:
        is_meta = array.__class__ is devices.MetaArray
        target = devices.parse(device)
        if (target.type == "meta") != is_meta:
            if is_meta:
                raise NotImplementedError("Cannot copy out of meta tensor; no data!")
            return _to_meta(input, dtype or input.dtype, memory_format)
        copy = copy or target.index is not None  # "cpu:0" is another name than "cpu", so PyTorch copies
    copy = copy or (dtype is not None and array.dtype != dtype.numpy)
    if memory_format is not None and memory_format is not layouts.preserve_format:
        if copy or not _is_of_format(input, memory_format):
            return _cast(input, (dtype or input.dtype).numpy, memory_format)
        return input
    return _cast(input, (dtype or input.dtype).numpy) if copy else input


def _to_meta(input: Tensor, dtype: dtypes.dtype, memory_format: Any) -> Tensor:
    found: Tensor = to_meta_op(input, dtype, memory_format)
    return found


def _cast(input: Tensor, dtype: np.dtype[Any], *memory_format: Any) -> Tensor:
    array = input._array
    if array.dtype.kind == "c" and array.size and not input.is_meta:
        warn_of_lost_parts(array.dtype, dtype)
    found: Tensor = cast_op(input, dtype, *memory_format)
    return found


def _is_of_format(input: Tensor, memory_format: Any) -> bool:
    """Whether strides suggest a format; they need not be dense for that."""
    if input.wraps:
        return bool(input.is_contiguous(memory_format))
    has_last = is_channels_last(memory_of(input._array))
    if memory_format is layouts.contiguous_format:
        return not has_last
    return has_last and layouts.fits(memory_format, input._array.ndim)


def _cast_method(name: str, dtype: dtypes.dtype) -> None:
    np_name = dtype

    def cast(input: Tensor, memory_format: Any = None) -> Tensor:
        return converted(input, None, np_name, False, memory_format)

    cast.__name__ = cast.__qualname__ = name
    cast.__doc__ = f"This tensor as {dtype!r}."
    public("", name)(cast)


for _name, _target in {
    "float": dtypes.float32, "double": dtypes.float64, "half": dtypes.float16, "bfloat16": dtypes.bfloat16,
    "bool": dtypes.bool_, "byte": dtypes.uint8, "char": dtypes.int8, "short": dtypes.int16, "int": dtypes.int32,
    "long": dtypes.int64, "cfloat": dtypes.complex64, "cdouble": dtypes.complex128,
}.items():  # fmt: skip
    _cast_method(_name, _target)


@public("", "type")
def type_(input: Tensor, dtype: Any = None, non_blocking: bool = False, **_: Any) -> Any:
    """The name of this tensor's type; or, given one, this tensor converted to it."""
    if dtype is None:
        prefix = "torch.meta." if input.is_meta else "torch.sparse." if input.is_sparse else "torch."
        return prefix + dtypes.tensor_type_name(input.dtype).removeprefix("torch.")
    if isinstance(dtype, str):
        known = {dtypes.tensor_type_name(d): d for d in dtypes.SCALAR_TYPE_NAMES}
        if dtype == "torch.Tensor":
            return converted(input, None, dtypes.default)
        if dtype not in known:
            raise ValueError(f"invalid type: '{dtype}'")
        return converted(input, None, known[dtype])
    if isinstance(dtype, LegacyMeta):
        return converted(input, None, dtype.scalar)
    if isinstance(dtype, type):
        if dtype is not Tensor:
            raise ValueError(f"invalid type: '{dtype.__name__}'")
        return converted(input, None, dtypes.default)
    return converted(input, None, checked_dtype("type", dtype))


@public("", "type_as")
def type_as(input: Tensor, other: Tensor) -> Tensor:
    """This tensor with the other's dtype."""
    return converted(input, other.device, other.dtype)


@public("", "cpu")
def cpu(input: Tensor, memory_format: Any = None) -> Tensor:
    """This tensor on the CPU."""
    return converted(input, devices.cpu, None, False, memory_format)


@public("", "cuda")
def cuda(input: Tensor, device: Any = None, non_blocking: bool = False, memory_format: Any = None) -> Tensor:
    """There is no such device here."""
    raise AssertionError("Torch not compiled with CUDA enabled")


# ---- Python numbers


@public("", "item")
def item(input: Tensor) -> Any:
    """The only element, as a Python number."""
    array = input._array
    if state.dispatching and subclasses.among((input,)):
        return subclasses.number(input)
    if array.size != 1:
        raise RuntimeError(f"a Tensor with {array.size} elements cannot be converted to Scalar")
    if array.__class__ is devices.MetaArray:
        raise RuntimeError("Tensor.item() cannot be called on meta tensors")
    value = array.item()
    if value.__class__ not in (float, int, bool, complex):
        value = float(value)
    if input._node is not None or input._meta is not None:
        exits.leave_as_numbers(input, value, "item()")
        if state.watch is not None:
            state.watch.out(input, value)
    return value


@public("", "tolist")
def tolist(input: Tensor) -> Any:
    """The values in nested lists; a number for a 0-d tensor."""
    if input.dispatches:
        raise RuntimeError(f".tolist() is not supported for tensor subclasses, got {type(input).__name__}")
    array = input._array
    if array.__class__ is devices.MetaArray:
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")
    values = array.tolist() if array.dtype.kind in "fciub" else array.astype(np.float32).tolist()
    if input._node is not None or input._meta is not None:
        exits.leave_as_numbers(input, values, "tolist()")
    return values


def _only_element(t: Tensor, warn: bool = False) -> Any:
    if t._array.size != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    if warn and (t._node is not None or t._meta is not None):
        exits.warn_of_conversion(t)
    return t.item()


def _bool(self: Tensor) -> bool:
    n = self._array.size
    if n != 1:
        what = "no values" if n == 0 else "more than one value"
        raise RuntimeError(f"Boolean value of Tensor with {what} is ambiguous")
    return bool(self.item())


def _int(self: Tensor) -> int:
    value = _only_element(self)
    if isinstance(value, complex):
        if value.imag:
            raise RuntimeError("value cannot be converted to type int64_t without overflow")
        value = value.real
    return int(value)


def _float(self: Tensor) -> float:
    value = _only_element(self, warn=True)
    if isinstance(value, complex):
        if value.imag:
            raise RuntimeError("value cannot be converted to type double without overflow")
        value = value.real
    return float(value)


def _complex(self: Tensor) -> complex:
    return complex(_only_element(self, warn=True))


def _index(self: Tensor) -> int:
    if self._array.size != 1 or self._array.dtype.kind not in "iub":
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(self.item())


def _contains(self: Tensor, element: Any) -> bool:
    if isinstance(element, (Tensor, bool, int, float, complex, np.number)):
        return bool((element == self if isinstance(element, Tensor) else self == element).any().item())
    raise RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}.")


for _protocol, _function in {
    "__bool__": _bool, "__int__": _int, "__float__": _float, "__complex__": _complex, "__index__": _index,
    "__contains__": _contains,
}.items():  # fmt: skip
    _function.__name__ = _protocol
    set_methods(**{_protocol: _function})


def _reversed(self: Tensor) -> Tensor:
    """Reverses the first dimension."""
    return self if self._array.ndim == 0 else self.flip(0)


set_methods(__reversed__=_reversed)


# ---- NumPy


def numpy(self: Tensor, *, force: bool = False) -> Any:
    """An ndarray over the same memory. ``force`` detaches and resolves, where memory cannot be shared."""
    if self.dispatches:
        raise RuntimeError(".numpy() is not supported for tensor subclasses.")
    if force is not False and not isinstance(force, bool):
        raise TypeError(f"numpy(): argument 'force' must be bool, not {type_of(force)}")
    if force:
        return self.detach().resolve_conj().resolve_neg().numpy()
    state.refuse_capture("numpy()")
    array = self._array
    if array.__class__ is devices.MetaArray:
        raise TypeError(
            "can't convert meta device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first."
        )
    if self.requires_grad and state.grad_enabled():
        raise RuntimeError(
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
        )
    if self.is_conj():
        raise RuntimeError(
            "Can't call numpy() on Tensor that has conjugate bit set. Use tensor.resolve_conj().numpy() instead."
        )
    if self.is_neg():
        raise RuntimeError(
            "Can't call numpy() on Tensor that has negative bit set. Use tensor.resolve_neg().numpy() instead."
        )
    if array.dtype.kind not in "biufc":
        raise TypeError(f"Got unsupported ScalarType {dtypes.SCALAR_TYPE_NAMES[self.dtype]}")
    shared = array.view(np.ndarray)
    return shared if self._node is None and self._meta is None else exits.leave_as_array(self, shared)


def _array(self: Tensor, dtype: Any = None, copy: bool | None = None) -> Any:
    array = self.numpy()
    if dtype is not None and array.dtype != dtype:
        if copy is False:
            raise ValueError("a copy is needed to change the dtype")
        return array.astype(dtype)
    return array.copy() if copy else array


def _array_wrap(self: Tensor, array: Any, context: Any = None, return_scalar: bool = False) -> Tensor:
    """What NumPy's ufuncs make of their result when a tensor was among the arguments."""
    if array.dtype == np.bool_:
        array = array.astype(np.uint8)  # NumPy's comparisons came back as bytes before tensors had bool
    result = finish(np.asarray(array))
    result._meta = exits.cut_at_exit(self, "numpy()")
    return result


numpy.__name__ = "numpy"
set_methods(numpy=numpy, __array__=_array, __array_wrap__=_array_wrap)


# ---- questions about tensors and dtypes


def is_tensor(obj: Any, /) -> bool:
    """Whether an object is a Tensor."""
    return isinstance(obj, Tensor)


@public("numel")
def numel(input: Tensor) -> int:
    """The number of elements."""
    return input.numel()


@public("is_floating_point")
def is_floating_point(input: Tensor) -> bool:
    return input.is_floating_point()


@public("is_complex")
def is_complex(input: Tensor) -> bool:
    return input.is_complex()


@public("is_signed")
def is_signed(input: Tensor) -> bool:
    return input.is_signed()


@public("is_conj")
def is_conj(input: Tensor) -> bool:
    return input.is_conj()


@public("is_neg")
def is_neg(input: Tensor) -> bool:
    return input.is_neg()


@public("is_inference")
def is_inference(input: Tensor) -> bool:
    return input.is_inference()


@public("is_same_size")
def is_same_size(input: Tensor, other: Tensor) -> bool:
    return input.is_same_size(other)


@public("get_device")
def get_device(input: Tensor) -> int:
    return input.get_device()


@public("detach")
def detach(input: Tensor) -> Tensor:
    return input.detach()


@public("detach_")
def detach_(input: Tensor) -> Tensor:
    return input.detach_()


@public("is_nonzero", "is_nonzero")
def is_nonzero(input: Tensor) -> bool:
    """Whether the only element is not zero."""
    return bool(input)


def result_type(tensor: Any, other: Any) -> dtypes.dtype:
    """The dtype that an operation on these two would have."""
    wrong = mistake("result_type", (tensor, other), {}, False)
    if wrong is not None:
        raise wrong
    ranks: list[Any] = [None, None, None]
    for v in (tensor, other):
        if isinstance(v, Tensor):
            d, rank = v.dtype, 0 if v._array.ndim else 1
        else:
            d, rank = dtypes.of_scalar(v), 2
        ranks[rank] = d if ranks[rank] is None else dtypes.promote_types(ranks[rank], d)
    found = dtypes.result_dtype(*ranks)
    if found is dtypes.complex64 and dtypes.float16 in ranks and dtypes.complex64 not in ranks[:1]:
        above = next(d for d in ranks if d is not None)
        return dtypes.complex32 if above is dtypes.float16 else found
    return found


def can_cast(from_: dtypes.dtype, to: dtypes.dtype) -> bool:
    """Whether PyTorch's rules allow this conversion of a result."""
    if from_.__class__ is not dtypes.dtype or to.__class__ is not dtypes.dtype:
        wrong = mistake("can_cast", (from_, to), {}, False)
        if wrong is not None:
            raise wrong
        from_, to = (dtypes.PYTHON_TYPES.get(each, each) for each in (from_, to))
    return dtypes.can_cast(from_, to)


def set_default_device(device: Any) -> None:
    """The device of new tensors, where none is given; one that is not there is refused when it is to have a tensor."""
    found = None if device is None else devices.device(device)
    state.update(device=None if found == devices.device("cpu") else found)


def get_default_device() -> devices.device:
    return devices.parse(None)


def set_default_tensor_type(t: Any, /) -> None:
    """Deprecated: the default dtype, by the name or class of a legacy tensor type."""
    warn_once(
        "torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use torch.set_default_dtype() and "
        "torch.set_default_device() as alternatives."
    )
    if isinstance(t, str):
        t = LEGACY_CLASSES.get(t.removeprefix("torch."), t)
    if not isinstance(t, LegacyMeta):
        if getattr(t, "__module__", None) == "torch.cuda" or (isinstance(t, str) and t.startswith("torch.cuda.")):
            name = t if isinstance(t, str) else f"{t.__module__}.{t.__name__}"
            raise TypeError(f"type {name} not available. Torch not compiled with CUDA enabled.")
        raise TypeError("invalid type object: only floating-point types are supported as the default type")
    dtypes.set_default_dtype(t.scalar)


for _fn in (
    is_tensor, result_type, can_cast, set_default_device, get_default_device, set_default_tensor_type,
):  # fmt: skip
    FUNCTIONS[_fn.__name__] = _fn
overridable(result_type)


# ---- odds and ends


def apply_(self: Tensor, callable: Any) -> Tensor:
    """Replace each element by what a Python function makes of it. Slow."""
    if self.requires_grad:
        raise RuntimeError(
            "Can't call apply_() on Variable that requires grad. Use var.detach().apply_() instead."
        )
    return _replaced(self, callable)


def map_(self: Tensor, tensor: Tensor, callable: Any) -> Tensor:
    """Replace each element by what a Python function makes of it and another tensor's. Slow."""
    _check_mapped("map_", self, {"'other'": tensor})
    return _replaced(self, callable, tensor)


def map2_(self: Tensor, x: Tensor, y: Tensor, callable: Any) -> Tensor:
    """Replace each element by what a Python function makes of it and of two other tensors'. Slow."""
    _check_mapped("map2_", self, {"argument 'x'": x, "argument 'y'": y})
    return _replaced(self, callable, x, y)


def _check_mapped(name: str, self: Tensor, others: dict[str, Tensor]) -> None:
    for i, (argument, t) in enumerate(others.items()):
        if not isinstance(t, Tensor):
            quoted = argument.removeprefix("argument ")
            raise TypeError(f"{name}(): argument {quoted} (position {i + 1}) must be Tensor, not {type_of(t)}")
    if self.requires_grad or any(t.requires_grad for t in others.values()):
        raise RuntimeError(
            f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead."
        )
    for argument, t in others.items():
        if t.dtype is not self.dtype:
            raise TypeError(f"{name}: expected {type_(self)} for {argument} (got {type_(t)})")


def _replaced(self: Tensor, fn: Any, *others: Tensor) -> Tensor:
    shape = self._array.shape
    each = zip(*(t._array.reshape(-1).tolist() for t in (self, *(t.expand(shape) for t in others))))
    values = [_number_for(self.dtype, fn(*v)) for v in each]
    self._array[...] = np.array(values, self._array.dtype).reshape(shape)
    self._bump_version()
    return self


def _number_for(d: dtypes.dtype, value: Any) -> Any:
    if isinstance(value, (bool, int, float, complex, np.generic)):
        return value
    if isinstance(value, Tensor):
        return value.item()
    if d.category < dtypes.FLOAT:
        return operator.index(value)
    raise TypeError(f"must be real number, not {type(value).__name__}")


def dim_order(self: Tensor, *, ambiguity_check: Any = False) -> tuple[int, ...]:
    """The dimensions from the outermost in memory to the innermost.

    ``ambiguity_check``: True refuses tensors whose dimensions may lie in several orders; a list of memory formats those
    that are in none or in several of them.
    """
    formats = ambiguity_check if isinstance(ambiguity_check, list) else []
    if not isinstance(ambiguity_check, (bool, list)) or not all(isinstance(f, layouts.memory_format) for f in formats):
        raise TypeError("The ambiguity_check argument must be a bool or a list of memory formats.")
    strides = self.stride()
    several = 1 in self.shape or any(a == b for a, b in pairwise(strides))
    if ambiguity_check is not False and several and sum(self.is_contiguous(memory_format=f) for f in formats) != 1:
        raise RuntimeError(
            "The tensor does not have unique dim order, or cannot map to exact one of the given memory formats."
        )
    if ambiguity_check and (0 in strides or any(a == b for a, b in pairwise(zip(strides, self.shape)))):
        raise RuntimeError("The tensor does not have unique dim order.")
    moving = [i for i, s in enumerate(strides) if s]  # what is expanded stays where it is
    ordered = iter(sorted(moving, key=lambda i: -strides[i]))
    return tuple(next(ordered) if s else i for i, s in enumerate(strides))


set_methods(
    apply_=apply_, map_=map_, map2_=map2_, dim_order=dim_order,
    const_data_ptr=Tensor.data_ptr,
)  # fmt: skip
