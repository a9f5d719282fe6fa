"""Tensors in pickles, copies and DLPack capsules."""

from __future__ import annotations

import copy
from types import MemberDescriptorType
from typing import Any

import numpy as np

from ..._core import devices, dtypes, state
from ..._core.strides import address, bytes_of, deepcopied_root, root_of
from ..._core.unresolved import bits_of, memory_of, seen_by
from ..._lazy import set_methods
from ..._tensor import Tensor
from ...autograd.grad_mode import no_grad
from ..machine.errors import type_of
from ..machine.public import FUNCTIONS
from .factories import finish
from .from_data import checked_ndarray, shared

# ---- copies and pickles
#
# Both keep what is shared: the array that owns the memory is pickled (or copied) as an object of its own, once, and
# each tensor as a way to look at it.


def view_of(root: np.ndarray[Any, Any], shape: tuple[int, ...], strides: tuple[int, ...], offset: int) -> Any:
    """The array at a byte offset of a root's memory; the root itself if that is what it comes to."""
    if offset == 0 and root.shape == shape and root.strides == strides:
        return root
    if 0 in shape:
        return np.empty(shape, root.dtype)
    return np.ndarray(shape, root.dtype, bytes_of(root), offset, strides)


def geometry(array: Any) -> tuple[Any, tuple[int, ...], tuple[int, ...], int]:
    """Arguments of ``view_of`` that give an array."""
    root = root_of(array)
    if root.dtype != array.dtype:
        root = bytes_of(root).view(array.dtype)
    return root, array.shape, array.strides, address(array) - address(root)


def _reduce_ex(self: Tensor, protocol: Any) -> Any:
    from ...utils.hooks import warn_if_has_hooks  # loaded when first used

    warn_if_has_hooks(self)
    if state.special and state.modes.capture is not None:
        state.modes.capture.leak("pickling")
    has_state = state_of(self) or None
    if self.is_meta:
        return _rebuild_meta_tensor, (type(self), self._array.shape, self.dtype, self.requires_grad), has_state
    bits = bits_of(self._array)
    given = (type(self), geometry(memory_of(self._array)), self.requires_grad, *[bits] * bool(bits))
    return _rebuild_tensor, given, has_state


def _rebuild_tensor(cls: type, where: tuple[Any, ...], requires_grad: bool, bits: int = 0) -> Any:
    array = view_of(*where)
    d = dtypes.of_array(array)
    if array.dtype is not d.numpy:
        array = array.view(d.numpy)
    return _as_class(finish(seen_by(array, bits)), cls, requires_grad)


def _rebuild_meta_tensor(cls: type, shape: tuple[int, ...], dtype: dtypes.dtype, requires_grad: bool) -> Any:
    return _as_class(finish(devices.empty_meta(shape, dtype.numpy)), cls, requires_grad)


_rebuild_tensor.__module__ = _rebuild_meta_tensor.__module__ = "facula._utils"  # where pickles find them


def _as_class(t: Tensor, cls: type, requires_grad: bool) -> Any:
    if cls is not Tensor:
        t = Tensor._make_subclass(cls, t)
    if requires_grad:
        t.requires_grad_()
    return t


def slots_of(cls: type) -> dict[str, Any]:
    """The slots that a subclass of tensors adds, by name."""
    classes = cls.__mro__[: cls.__mro__.index(Tensor)]
    return {k: v for c in reversed(classes) for k, v in vars(c).items() if isinstance(v, MemberDescriptorType)}


def state_of(t: Tensor) -> Any:
    """What a subclass has beside the tensor: what it says itself, or attributes, and in a second dict slots."""
    if type(t).__getstate__ is not object.__getstate__:
        return t.__getstate__()
    attributes = dict(t.__dict__)
    slots = {name: getattr(t, name) for name in slots_of(type(t)) if hasattr(t, name)}
    return (attributes or None, slots) if slots else attributes


def _setstate(self: Tensor, held: Any) -> None:
    attributes, slots = held if isinstance(held, tuple) else (held, None)
    self.__dict__.update(attributes or {})
    for name, value in (slots or {}).items():
        setattr(self, name, value)


def _deepcopy(self: Tensor, memo: dict[int, Any]) -> Any:
    """A leaf with memory of its own; what shared memory before shares it in the copy."""
    if self.grad_fn is not None:
        from ..._explain import errors  # loaded when something went wrong

        error = RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  "
            "If you were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, "
            "see https://github.com/pytorch/pytorch/pull/103001"
        )
        raise errors.not_a_leaf(error, self, "The tensor to be copied has a history", "copy x.detach(), or a leaf.")
    if id(self) in memo:
        return memo[id(self)]
    if state.special and state.modes.capture is not None:
        state.modes.capture.leak("deepcopy()")
    if self.dispatches:
        t = memo[id(self)] = self.detach().clone().requires_grad_(self.requires_grad)
        return t
    if self.is_meta and type(self).clone is not Tensor.clone:  # a wrapper, which has its own way
        with no_grad():
            t = self.clone().requires_grad_(self.requires_grad)
    else:
        if self.is_meta or bits_of(self._array):
            array: Any = self._array.copy()
        else:
            root, shape, strides, offset = geometry(self._array)
            array = view_of(deepcopied_root(root, memo), shape, strides, offset)
        t = _as_class(finish(array), type(self), self.requires_grad)
    memo[id(self)] = t
    if self._meta is not None and self._meta.grad is not None:
        t.grad = copy.deepcopy(self._meta.grad, memo)
    if self.__dict__:
        t.__dict__.update(copy.deepcopy(self.__dict__, memo))
    if type(self) is not Tensor:
        for name in slots_of(type(self)):
            if hasattr(self, name):
                setattr(t, name, copy.deepcopy(getattr(self, name), memo))
    return t


set_methods(__reduce_ex__=_reduce_ex, __setstate__=_setstate, __deepcopy__=_deepcopy)


# ---- DLPack


def _dlpack(
    self: Tensor, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: bool | None = None
) -> Any:
    """A capsule with which other libraries share this tensor's memory."""
    _check_exported(self)
    if self.is_meta:
        raise BufferError("Cannot pack tensors on meta")
    if stream is not None and not isinstance(stream, int):
        raise TypeError("stream must be ``int`` or ``none``")
    if stream is not None and stream != -1:
        raise AssertionError("stream should be None on cpu.")
    memory = memory_of(self._array)
    return memory.__dlpack__(max_version=max_version, dl_device=dl_device, copy=copy)


def _check_exported(t: Tensor) -> None:
    if t.requires_grad:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    if t.is_conj():
        raise BufferError("Can't export tensors with the conjugate bit set")


def _dlpack_device(self: Tensor) -> tuple[int, int]:
    if self.is_meta:
        raise BufferError("Cannot pack tensors on meta")
    return 1, 0


set_methods(__dlpack__=_dlpack, __dlpack_device__=_dlpack_device)


class _Capsule:
    """A bare capsule, in the clothes that NumPy expects."""

    def __init__(self, capsule: Any) -> None:
        self.capsule = capsule

    def __dlpack__(self, **_: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


class _Writable:
    """The same memory, open to writing: NumPy closes it if the capsule is of the first version of DLPack."""

    def __init__(self, array: Any) -> None:
        self.array = checked_ndarray(array)
        interface = dict(self.array.__array_interface__)
        interface["data"] = (interface["data"][0], False)
        self.__array_interface__ = interface


def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """A tensor over the memory of another library's array, or of a DLPack capsule."""
    if isinstance(ext_tensor, Tensor):
        ext_tensor.__dlpack_device__()
        _check_exported(ext_tensor)
        memory = memory_of(ext_tensor._array)
        return finish(memory.copy() if copy else shared(memory))
    if not hasattr(ext_tensor, "__dlpack__"):
        if type(ext_tensor).__name__ != "PyCapsule":
            raise RuntimeError(
                "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only once, so "
                "you might have already constructed a tensor from it once."
            )
        ext_tensor = _Capsule(ext_tensor)
    if isinstance(ext_tensor, np.ndarray):
        return finish(ext_tensor.copy() if copy else shared(ext_tensor))
    array = np.from_dlpack(ext_tensor)
    return finish(array.copy() if copy else np.asarray(_Writable(array)))


def to_dlpack(tensor: Tensor) -> Any:
    """A DLPack capsule of a tensor."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"_to_dlpack(): argument 'data' (position 1) must be Tensor, not {type_of(tensor)}")
    return tensor.__dlpack__()


FUNCTIONS["from_dlpack"] = from_dlpack
FUNCTIONS["to_dlpack"] = to_dlpack
