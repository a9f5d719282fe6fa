"""Tensors whose shape is not known yet. ``nn.parameter`` gives their names, and loads them when they are asked for."""

from __future__ import annotations

from typing import Any

from .._core import state
from .._tensor import Tensor
from ..overrides import DisableTorchFunctionSubclass, default_torch_function
from .parameter import Parameter


class UninitializedTensorMixin:
    """A tensor that gets its shape, and becomes a tensor like others, by ``materialize``."""

    __module__ = "facula.nn.parameter"
    cls_to_become: Any = Tensor

    def materialize(self, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Take a shape, with values that are not set."""
        from ..ops.creation import create  # loaded when first used

        if state.special and state.modes.capture is not None:
            state.modes.capture.postpone("a tensor that had no shape yet")
        t: Any = self
        t.data = create.empty(shape, device=t.data.device if device is None else device, dtype=dtype or t.data.dtype)
        t.__class__ = self.cls_to_become

    @property
    def shape(self) -> Any:
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
            "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call `forward` "
            "to initialize the parameters before accessing their attributes."
        )

    def share_memory_(self) -> Any:
        raise RuntimeError(
            "Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize the parameters "
            "before calling `module.share_memory()`."
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    def __reduce_ex__(self, protocol: Any) -> Any:
        t: Any = self
        return type(self), (t.requires_grad,)

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(func, "__name__", "")
        owner = getattr(func, "__self__", None)  # the property whose getter or setter this is
        allowed = name in _ALLOWED and func is getattr(Tensor, name, None)
        if allowed or (name in ("__get__", "__set__", "__delete__") and _property_name(owner) in _READABLE):
            if not issubclass(cls, Parameter):
                return default_torch_function(cls, func, types, args, kwargs)
            with DisableTorchFunctionSubclass():
                return func(*args, **(kwargs or {}))
        raise ValueError(
            f"Attempted to use an uninitialized parameter in {func}. This error happens when you are using a "
            f"`LazyModule` or explicitly manipulating `torch.nn.parameter.{cls.__name__}` objects. When using "
            "LazyModules Call `forward` with a dummy batch to initialize the parameters before calling torch functions"
        )


_ALLOWED = {
    "__hash__", "size", "copy_", "is_complex", "is_floating_point", "half", "float", "double", "char", "short", "int",
    "long", "cuda", "cpu", "to", "get_device", "_has_compatible_shallow_copy_type", "detach", "requires_grad_",
}  # fmt: skip
_READABLE = {"data", "dtype", "device", "grad", "is_leaf", "is_meta", "layout", "requires_grad", "is_cpu", "is_cuda"}


def _property_name(owner: Any) -> str:
    return next((name for name in _READABLE if getattr(Tensor, name, None) is owner), "")


class UninitializedParameter(UninitializedTensorMixin, Parameter):  # type: ignore[misc]
    """A parameter whose shape is found out at the first call of its lazy module."""

    __module__ = "facula.nn.parameter"
    cls_to_become = Parameter

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> Any:
        from ..ops.creation import create  # loaded when first used

        return Tensor._make_subclass(cls, create.empty(0, device=device, dtype=dtype), requires_grad)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, self.data.device, self.data.dtype)
        return memo[id(self)]


class UninitializedBuffer(UninitializedTensorMixin, Tensor):  # type: ignore[misc]
    """A buffer whose shape is found out at the first call of its lazy module."""

    __module__ = "facula.nn.parameter"
    cls_to_become = Tensor

    def __new__(
        cls, requires_grad: bool = False, device: Any = None, dtype: Any = None, persistent: bool = True
    ) -> Any:
        from ..ops.creation import create  # loaded when first used

        made = Tensor._make_subclass(cls, create.empty(0, device=device, dtype=dtype), requires_grad)
        made.persistent = persistent
        made._is_buffer = True
        return made
