"""Parameter and Buffer: the tensors that a Module keeps track of."""

from __future__ import annotations

import sys
from collections import OrderedDict
from typing import Any

from .._core import state
from .._tensor import Tensor
from ..autograd.graph import user_frame
from ..autograd.meta import Cut
from ..autograd.saved import DIRECT, PLAIN
from ..ops.machine.errors import type_of
from ..overrides import _disabled_torch_function_impl, asked_of_classes


class _ParameterMeta(type):
    """A tensor of a subclass of its own counts as a Parameter if it is marked as one."""

    def __instancecheck__(self, instance: Any) -> bool:
        if type.__instancecheck__(self, instance):
            return True
        return self is Parameter and isinstance(instance, Tensor) and getattr(instance, "_is_param", False)


def _something(data: Any) -> Any:
    """What is given; a tensor without elements for nothing."""
    if data is not None:
        return data
    from ..ops.creation import create  # loaded when first used

    return create.tensor([])


def _marked(data: Tensor, requires_grad: bool) -> Tensor:
    """A tensor of a subclass as a Parameter, without ceasing to be of that class."""
    leaf = asked_of_classes("detach", data).requires_grad_(requires_grad)
    if type(leaf) is not type(data):
        raise RuntimeError(
            f"Creating a Parameter from an instance of type {type(data).__name__} requires that detach() returns an "
            f"instance of the same type, but return type {type(leaf).__name__} was found instead. To use the type as a "
            "Parameter, please correct the detach() semantics defined by its __torch_dispatch__() implementation."
        )
    leaf._is_param = True  # type: ignore[attr-defined]
    return leaf


class Parameter(Tensor, metaclass=_ParameterMeta):
    """A leaf tensor that, assigned to an attribute of a Module, becomes one of its parameters."""

    __torch_function__ = staticmethod(_disabled_torch_function_impl)

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Any:
        data = _something(data)
        if type(data) is Tensor or type(data) is Parameter:
            if requires_grad.__class__ is not bool:
                kind = type_of(requires_grad)
                raise TypeError(f"_make_subclass(): argument 'require_grad' (position 3) must be bool, not {kind}")
            if requires_grad and data._array.dtype.kind in "biu":
                raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
            t = Tensor._make_subclass(cls, data, requires_grad)
            if data._node is not None:
                t._own_meta().cut = Cut("nn.Parameter()", data)
            if state.watch is not None:
                state.watch.made(t)
            frame = user_frame(2)
            if requires_grad and frame.f_code.co_name == "forward" and hasattr(frame.f_locals.get("self"), "_modules"):
                from .._explain import unasked  # loaded when something is unusual

                unasked.made_in_forward(t, frame)
            return t
        return _marked(data, requires_grad)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) in memo:
            return memo[id(self)]
        copy = type(self)(self.data.clone(), self.requires_grad)
        memo[id(self)] = copy
        return copy

    def __repr__(self) -> str:  # type: ignore[override]
        text = super().__repr__()
        return "Parameter containing:\n" + (text if type(self) is Parameter else f"Parameter({text})")

    def __reduce_ex__(self, protocol: Any) -> Any:
        state = dict(self.__dict__)
        if state:
            return _rebuild_parameter_with_state, (self.data, self.requires_grad, OrderedDict(), state)
        return _rebuild_parameter, (self.data, self.requires_grad, OrderedDict())


def _rebuild_parameter(data: Any, requires_grad: bool, backward_hooks: Any) -> Parameter:
    parameter: Parameter = Parameter(data, requires_grad)
    parameter._backward_hooks = backward_hooks or None
    return parameter


def _rebuild_parameter_with_state(data: Any, requires_grad: bool, backward_hooks: Any, state: Any) -> Parameter:
    parameter = _rebuild_parameter(data, requires_grad, backward_hooks)
    parameter.__dict__.update(state)
    return parameter


class _BufferMeta(_ParameterMeta):
    def __instancecheck__(self, instance: Any) -> bool:
        return isinstance(instance, Tensor) and bool(getattr(instance, "_is_buffer", False))


class Buffer(Tensor, metaclass=_BufferMeta):
    """Makes a plain tensor that, assigned to an attribute of a Module, becomes one of its buffers."""

    __torch_function__ = staticmethod(_disabled_torch_function_impl)
    persistent: bool

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Any:
        data = _something(data)
        marked = data.detach().requires_grad_(data.requires_grad)
        marked._is_buffer, marked.persistent = True, persistent
        return marked


PLAIN.add(Parameter)
DIRECT.add(Parameter)


def is_lazy(param: Any) -> bool:
    """Whether a tensor still waits for its shape."""
    waiting = sys.modules.get("facula.nn._uninitialized")
    return waiting is not None and isinstance(param, waiting.UninitializedTensorMixin)


_UNINITIALIZED = ("UninitializedBuffer", "UninitializedParameter", "UninitializedTensorMixin")


def __getattr__(name: str) -> Any:
    if name in _UNINITIALIZED:
        from . import _uninitialized  # it imports this module

        return getattr(_uninitialized, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_UNINITIALIZED})
