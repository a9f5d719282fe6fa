"""The forms in which an operator appears: function, method, in-place method, ``out=``.

``FUNCTIONS`` collects what becomes ``facula.<name>``; methods go onto Tensor.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _dtype, _state
from .._tensor import Tensor
from ..autograd import views
from ._elementwise import Elementwise, broadcast_error, cast, check_devices, operands, run_kernel, wrong_operand
from ._primitive import PLAIN, Primitive, _new, wrap

FUNCTIONS: dict[str, Any] = {}

_ALIASES = {"axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other"}
"""NumPy's argument names, which PyTorch takes as well."""


def expose(
    op: Any, functions: str = "", methods: str = "", inplace: str = "", operators: str = "", inplace_operators: str = ""
) -> Any:
    """Give a primitive its public names. An elementwise one already takes ``out=``."""
    call = op.call if isinstance(op, Elementwise) else op
    for name in functions.split():
        FUNCTIONS[name] = call
    for name in methods.split():
        setattr(Tensor, name, call if not isinstance(call, Primitive) else _as_method(call))
    for name in operators.split():
        setattr(Tensor, name, op.operator)
    if inplace or inplace_operators:
        change = inplace_form(op)
        for name in inplace.split():
            setattr(Tensor, name, change)
        if inplace_operators:
            operator = inplace_form(op, operator=True)
            for name in inplace_operators.split():
                setattr(Tensor, name, operator)
        for name in functions.split():
            FUNCTIONS.setdefault(f"{name}_", change)
    op.public = call
    return op


def _as_method(call: Any) -> Any:
    def method(self: Any, *args: Any) -> Any:
        return call(self, *args)

    return method


def public(
    functions: str = "", methods: str = "", *, out: bool = False, inplace: str = ""
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a Python function over primitives a public operator.

    The public form dispatches to ``__torch_function__``, understands NumPy's argument names and, with ``out=True``, takes
    ``out=``. ``inplace`` names methods that write the result into ``self`` (by ``copy_``, for functions without a primitive
    of their own in-place form). The plain function is returned for internal use.
    """

    def make(fn: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(fn)
        def call(*args: Any, **kwargs: Any) -> Any:
            if kwargs:
                kwargs = {(_ALIASES.get(k, k) if k not in accepted else k): v for k, v in kwargs.items()}
                if out and (target := kwargs.pop("out", None)) is not None:
                    return write_out(fn.__name__, target, fn(*args, **kwargs), args)
            if (args and args[0].__class__ not in PLAIN) or _state.special:
                from .. import overrides

                if overrides.overridden(args, kwargs):
                    return overrides.call_override(fn, call, args, kwargs)
            return fn(*args, **kwargs)

        accepted = set(fn.__code__.co_varnames[: fn.__code__.co_argcount + fn.__code__.co_kwonlyargcount])
        for name in functions.split():
            FUNCTIONS[name] = call
        for name in methods.split():
            setattr(Tensor, name, call)
        for name in inplace.split():
            setattr(Tensor, name, _inplace_by_copy(fn))
        return fn

    return make


def _inplace_by_copy(fn: Callable[..., Any]) -> Callable[..., Any]:
    def change(self: Any, *args: Any, **kwargs: Any) -> Any:
        return self.copy_(fn(self, *args, **kwargs))

    return change


# ---- out=


def write_out(name: str, out: Any, result: Any, args: tuple[Any, ...] = ()) -> Any:
    """Write a result into the tensor(s) given as ``out=``."""
    if isinstance(out, (tuple, list)):
        parts = [write_out(name, o, r) for o, r in zip(out, result, strict=True)]
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
    if not isinstance(out, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")
    if _state.grad_enabled() and (result.requires_grad or out.requires_grad):
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of the "
            "arguments requires grad."
        )
    check_result_type(result.dtype, out.dtype)
    if out._array.shape != result._array.shape:
        resize_output(out, result._array.shape)
    np.copyto(out._array, result._array, casting="unsafe")
    out._bump_version()
    return out


def resize_output(out: Any, shape: tuple[int, ...]) -> None:
    if out._array.size:
        old, new = (", ".join(map(str, s)) for s in (out._array.shape, shape))
        warnings.warn(
            f"An output with one or more elements was resized since it had shape [{old}], which does not match the "
            f"required output shape [{new}]. This behavior is deprecated, and in a future PyTorch release outputs will "
            "not be resized unless they have zero elements. You can explicitly reuse an out tensor t by resizing it, "
            "inplace, to zero elements with t.resize_(0).",
            stacklevel=3,
        )
    out._array = np.empty(shape, out._array.dtype)


def check_result_type(result: _dtype.dtype, target: _dtype.dtype) -> None:
    if not _dtype.can_cast(result, target):
        names = _dtype.SCALAR_TYPE_NAMES
        raise RuntimeError(f"result type {names[result]} can't be cast to the desired output type {names[target]}")


# ---- in place


def inplace_form(op: Any, operator: bool = False) -> Callable[..., Any]:
    """The method that writes a primitive's result into its first argument."""
    k = len(op.tensor_names)
    is_elementwise = isinstance(op, Elementwise)

    def change(self: Any, *args: Any) -> Any:
        from .. import overrides

        if (self.__class__ not in PLAIN or _state.special) and overrides.overridden((self, *args)):
            return overrides.call_override(change, change, (self, *args), {})
        recording = _state.grad_enabled()
        tensors = (self, *args[: k - 1])
        attributes = args[k - 1 :]
        if is_elementwise:
            found = operands(op, tensors)
            if found is None:
                if operator:
                    return NotImplemented
                raise wrong_operand(op, tensors)
            values, arrays, dt = found
            if op.check is not None:
                op.check(*arrays)
            check_devices(arrays)
            check_result_type(dt, self.dtype)
            return write_inplace(op, self, tuple(values), attributes, recording, arrays, dt)
        return write_inplace(op, self, tensors, attributes, recording)

    change.__name__ = change.__qualname__ = f"{op.name}_"
    return change


def write_inplace(
    op: Any, self: Any, tensors: tuple[Any, ...], attributes: tuple[Any, ...], recording: bool, arrays: Any = None,
    dt: Any = None,
) -> Any:  # fmt: skip
    """Compute, write into ``self``, bump its version and give it its new history."""
    requires = recording and any(isinstance(t, Tensor) and t.requires_grad for t in tensors)
    views.check_inplace(self, recording)
    edges = None
    original = self
    if requires and op.rules:
        views.check_view_change(self)
        edges = op.edges_of(tensors)
        if "input" in op.slot_names:
            original = _new(Tensor)
            original._array = self._array.copy()
            original._node, original._meta, original._counter = self._node, self._meta, None
    target = self._array
    check_no_overlap(target)
    if arrays is not None:
        shape = np.broadcast_shapes(*(a.shape for a in arrays)) if len(arrays) > 1 else target.shape
        if shape != target.shape:
            raise RuntimeError(
                f"output with shape {list(target.shape)} doesn't match the broadcast shape {list(shape)}"
            )
        if isinstance(op.kernel, np.ufunc) and op.promote == "default" and arrays[0] is target:
            op.kernel(*arrays, out=target)
        else:
            store(target, run_kernel(op, arrays, dt, attributes))
    else:
        raw = [t._array if isinstance(t, Tensor) else t for t in tensors]
        store(target, op.kernel(*raw, *attributes))
    self._bump_version()
    if edges is not None:
        node = op.make_node([self], (original, *tensors[1:]), attributes, edges)
        if node is not None:
            views.rebase_history(self, node)
    return self


def store(target: np.ndarray[Any, Any], result: Any) -> None:
    if result.dtype != target.dtype:
        result = cast(result, target.dtype)
    if result.shape != target.shape:
        raise RuntimeError(
            f"output with shape {list(target.shape)} doesn't match the broadcast shape {list(result.shape)}"
        )
    target[...] = result


def check_no_overlap(target: np.ndarray[Any, Any]) -> None:
    """A tensor made by ``expand`` has elements that share memory: writing to it is ambiguous."""
    if 0 in target.strides:
        for n, s in zip(target.shape, target.strides, strict=True):
            if s == 0 and n > 1:
                raise RuntimeError(
                    "unsupported operation: more than one element of the written-to tensor refers to a single memory "
                    "location. Please clone() the tensor before performing the operation."
                )


__all__ = ["FUNCTIONS", "broadcast_error", "expose", "inplace_form", "public", "wrap", "write_inplace", "write_out"]
