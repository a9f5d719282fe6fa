"""``__torch_dispatch__``: classes of tensors that say themselves what operators do with them, below autograd.

NOTE [dispatch]: a call that meets such a tensor is recorded as any other is. In place of the kernel its class is asked,
with the operator as ``torch.ops.aten`` names it and the arguments as PyTorch hands them on; what the class returns is
the result, and gets the history. So a graph leads through such tensors, and nodes save them. A backward pass that meets
one calls operators in place of kernels (``involved``), so that the class sees gradients, too.

A wrapper has no memory: its array only knows shape, strides and dtype, and what is done is for its class to say.
Modes (``utils._python_dispatch``) are asked before classes are. Plain tensors pay nothing for either.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .._core import devices, dtypes, state
from .._core.layouts import strided
from .._tensor import Tensor
from ..overrides import _disabled_torch_function_impl, default_torch_function
from . import aten
from .aten_calls import call_of, overload_of
from .machine.any_state import subclasses

_new = object.__new__


def take_in(cls: type) -> None:
    """Make a class known that has ``__torch_dispatch__``. Unless it has ``__torch_function__``, too, that is off."""
    state.dispatching = True
    cls.dispatches = True  # type: ignore[attr-defined]
    if getattr(cls.__torch_function__, "__func__", None) is default_torch_function:  # type: ignore[attr-defined]
        cls.__torch_function__ = _disabled_torch_function_impl  # type: ignore[attr-defined]


def wrapper(
    cls: type, size: Any, strides: Any = None, storage_offset: int | None = None, memory_format: Any = None,
    dtype: Any = None, layout: Any = strided, device: Any = None, pin_memory: bool = False,
    requires_grad: bool = False, dispatch_sizes_strides_policy: str | None = None, dispatch_device: bool = False,
    dispatch_layout: bool = False, **_: Any,
) -> Any:  # fmt: skip
    """A tensor without memory, of a class that has ``__torch_dispatch__``."""
    if not getattr(cls, "dispatches", False):
        raise TypeError(f"{cls.__name__} must define __torch_dispatch__")
    dt = (dtypes.default if dtype is None else dtype).numpy
    steps = None if strides is None else tuple([n * dt.itemsize for n in strides])
    array = devices.empty_meta(tuple(size), dt, steps)
    array.on = devices.cpu if device is None else devices.device(device)
    t: Any = _new(cls)
    t._array, t._node, t._meta, t._counter = array, None, None, None
    if requires_grad:
        t._require_differentiable_dtype()
        t._own_meta().requires_grad = True
    return t


# ---- asking


def _asked(values: Iterable[Any]) -> list[Any]:
    """One tensor of each class that wants to be asked, classes before those they are derived from."""
    found: list[Any] = []
    for v in values:
        if isinstance(v, Tensor):
            if v.dispatches and all(type(v) is not type(other) for other in found):
                at = next((i for i, other in enumerate(found) if issubclass(type(v), type(other))), len(found))
                found.insert(at, v)
        elif isinstance(v, (list, tuple)):
            for other in _asked(v):
                if all(type(other) is not type(known) for known in found):
                    found.append(other)
    return found


def types_of(args: Iterable[Any], kwargs: dict[str, Any]) -> tuple[type, ...]:
    """The classes among arguments that want to be asked."""
    return tuple([type(t) for t in _asked((*args, *kwargs.values()))]) if state.dispatching else ()


def among(values: Iterable[Any]) -> bool:
    """Whether a tensor's class is to be asked."""
    if state.modes.dispatch_disabled:
        return False
    for v in values:
        if isinstance(v, Tensor):
            if v.dispatches:
                return True
        elif isinstance(v, (list, tuple)) and among(v):
            return True
    return False


_count = 0
"""How often classes were asked."""


def ask(func: Any, args: Iterable[Any], kwargs: dict[str, Any]) -> Any:
    """What the classes of the arguments make of a call. They work below autograd."""
    global _count
    _count += 1
    asked = _asked((*args, *kwargs.values()))
    types = tuple([type(t) for t in asked])
    for t in asked:
        result = below_autograd(t.__torch_dispatch__, func, types, tuple(args), kwargs)
        if result is not NotImplemented:
            return result
    raise not_implemented(func, [f"tensor subclass {t}" for t in types])


def below_autograd(handler: Any, *args: Any) -> Any:
    """Call a handler, and record nothing of what it does."""
    recording = state.modes.grad_enabled
    if not recording:
        return handler(*args)
    state.set_grad(False)
    try:
        return handler(*args)
    finally:
        state.set_grad(True)


def not_implemented(func: Any, asked: list[str]) -> TypeError:
    """What is said where nobody would handle a call."""
    told = "".join([f"  - {each}\n" for each in asked])
    return TypeError(
        f"Multiple dispatch failed for 'torch._ops.{func}'; all __torch_dispatch__ handlers returned "
        f"NotImplemented:\n\n{told}\nFor more information, try re-running with TORCH_LOGS=not_implemented"
    )


# ---- what asks


def _operator(name: str) -> Any:
    return getattr(aten, name).default


def _call(op: Any, tensors: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
    return ask(*call_of(op, tensors, attributes))  # type: ignore[misc]


def _write(op: Any, target: Any, others: tuple[Any, ...], attributes: tuple[Any, ...]) -> None:
    counter = target._shared_counter()
    version = counter[0]
    in_place = call_of(op, (target, *others), attributes, "_")
    if in_place is None:
        ask(_operator("copy_"), (target, _call(op, (target, *others), attributes)), {})
    else:
        ask(*in_place)
    counter[0] = version  # who called this counts the change


def factory(name: str, args: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]] | None:
    """The overload and arguments by which PyTorch calls a function that makes tensors; None if it is no operator."""
    packet = None if name in _LIFTED else getattr(aten, name, None)
    if packet is None:
        return None
    first = next((i for i, a in enumerate(args) if type(a) is int), len(args))
    if name in _OF_SIZES and first < len(args):
        args = (*args[:first], list(args[first:]))
    elif name in _OF_SIZES or name == "full":
        args = tuple([list(a) if isinstance(a, tuple) else a for a in args])
    return getattr(packet, "memory_format" if name == "empty" else "default"), args


_LIFTED = ("tensor", "as_tensor", "asarray", "from_numpy", "frombuffer", "new_tensor")
"""What makes tensors of other things: no operators."""

_OF_SIZES = ("zeros", "ones", "empty", "rand", "randn", "new_zeros", "new_ones", "new_empty")


def _factory(name: str, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    call = factory(name, args)
    if call is None:
        return fn(*args, **kwargs)
    given = {**kwargs, "pin_memory": False}
    ordered = [k for k in _ORDER if k in given] + [k for k in given if k not in _ORDER and k != "requires_grad"]
    return ask(*call, {k: given[k] for k in ordered})


_ORDER = ("dtype", "layout", "device", "pin_memory", "memory_format")


def _function(name: str, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A public function. If it is no operator here, nor made of such, what a wrapper looks like tells it nothing."""
    before = _count
    packet = None if name in _OF_PYTHON else getattr(aten, name, None)
    try:
        result = fn(*args, **kwargs)
    except TypeError:
        raise
    except Exception:
        if _count != before or packet is None or not _is_hollow((*args, *kwargs.values())):
            raise
    else:
        is_lost = (name.endswith("_") or _has_tensors(result)) and not among((result,))
        if _count != before or packet is None or not is_lost or not _is_hollow((*args, *kwargs.values())):
            return result
    return ask(getattr(packet, overload_of(name, args)), args, kwargs)


_OF_PYTHON = ("tolist",)
"""What is no operator."""


def _is_hollow(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return any(_is_hollow(v) for v in value)
    return isinstance(value, Tensor) and value._array.__class__ is devices.MetaArray


def _has_tensors(value: Any) -> bool:
    return any(map(_has_tensors, value)) if isinstance(value, (tuple, list)) else isinstance(value, Tensor)


def detached(t: Any, cut: Any, counts: bool = True) -> Any:
    """``t.detach()``, as its class makes it. ``counts``: changes of either are changes of both."""
    other = ask(_operator("detach"), (t,), {}) if among((t,)) else Tensor._wrap(t._array)
    if other._counter is None and counts:
        other._counter = t._shared_counter()
    if other._meta is None:
        other._meta = cut
    return other


def _copy(t: Any) -> Any:
    return ask(_operator("clone"), (t,), {}) if among((t,)) else Tensor._wrap(t._array.copy())


def number_of(t: Any) -> Any:
    """``t.item()``, as its class makes it."""
    return ask(_operator("_local_scalar_dense"), (t,), {})


def involved(task: Any, start: list[tuple[Any, Any]]) -> bool:
    """Whether a backward pass meets such a tensor: as a gradient, at a leaf, or among what nodes have saved."""
    if among([g for _, g in start]) or among([node.variable for node in task.leaves]):
        return True
    return any(_saves(node) for node in task.order)


def _saves(node: Any) -> bool:
    held = getattr(node, "saved", None)
    return isinstance(held, tuple) and among([getattr(v, "packed", v) for v in held])


subclasses.among = staticmethod(among)
subclasses.call = staticmethod(_call)
subclasses.write = staticmethod(_write)
subclasses.factory = staticmethod(_factory)
subclasses.function = staticmethod(_function)
subclasses.number = staticmethod(number_of)
subclasses.copy = staticmethod(_copy)
