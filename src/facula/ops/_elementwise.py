"""Elementwise primitives: PyTorch's promotion and broadcasting in front of a ufunc, and the hot path.

NOTE [hot path]: the closures below are what nearly every operation of a small model runs through. They handle Tensors
of one and the same float32 or float64 dtype (and Python numbers beside them) in the plain state, and hand everything
else to ``_general``, which knows all the rules. Both must give the same results; the tests hold them equal.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _dtype, _state
from .._tensor import Tensor
from ..autograd.graph import _is_internal, next_sequence_number, user_frame
from ._primitive import F32, F64, PLAIN, Primitive, _getframe, _new, mark_inference, ndarray, own_code, wrap
from ._xp import TENSOR

_scalars: dict[Any, dict[Any, np.ndarray[Any, Any]]] = {F32: {}, F64: {}}
_SCALARS_KEPT = 4096


def scalar(value: Any, dt: Any) -> np.ndarray[Any, Any]:
    """A Python number as a 0-d array. Kept for reuse: NumPy takes half as long with one as with a number."""
    kept = _scalars[dt]
    array = kept.get(value)
    if array is None:
        array = np.array(value, dt)
        array.flags.writeable = False
        if value != 0 and len(kept) < _SCALARS_KEPT:  # 0.0 == -0.0 must not share an entry
            kept[value] = array
    return array


class Elementwise(Primitive):
    """A primitive whose tensors are promoted to one dtype and broadcast together.

    ``promote``: ``"default"`` (PyTorch's result_type), ``"float"`` (integers become the default float dtype), ``"compare"``
    (like default, but the kernel answers in bool).
    """

    def __init__(
        self, name: str, kernel: Any, node: str | None, *, promote: str = "default", check: Any = None, **options: Any
    ) -> None:
        super().__init__(name, kernel, node, kind="elementwise", **options)
        self.promote = promote
        self.check = check
        self.call: Any = None

    def ready(self) -> Elementwise:
        """Build the fast callable, once all rules are given."""
        k = len(self.tensor_names)
        make = {1: _unary, 2: _binary}.get(k, _nary) if not self.attribute_names else _nary
        self.call = make(self, False)
        self.operator = make(self, True) if k == 2 else self.call
        setattr(TENSOR, self.name, self.call)
        return self

    def __call__(self, *args: Any) -> Any:
        return self.call(*args)


def elementwise(
    name: str, kernel: Any, node: str | None = None, *, promote: str = "default", check: Any = None,
    saved_names: dict[str, str] | None = None, **rules: Callable[..., Any],
) -> Elementwise:  # fmt: skip
    """Declare an elementwise primitive in one expression: kernel, node name, and a rule for each input."""
    op = Elementwise(name, kernel, node, promote=promote, check=check, saved_names=saved_names)
    op.vjp(**rules)
    return op.ready()


def _unary(op: Elementwise, _: bool) -> Callable[..., Any]:
    kernel = op.kernel
    differentiable = bool(op.rules)
    saves_input = "input" in op.slot_names
    saves_out = "out" in op.slot_names
    simple = len(op.slots) <= 1 and all(s.name in ("input", "out") for s in op.slots)
    node_class: Any = None

    def call(input: Any, *, out: Any = None) -> Any:
        nonlocal node_class
        if type(input) not in PLAIN or out is not None:
            return _general(op, (input,), out=out)
        array = input._array
        dt = array.dtype
        if dt is not F32 and dt is not F64 or not simple:
            return _general(op, (input,))
        recording = differentiable
        if _state.special:
            if _state.modes.dispatch:
                return _general(op, (input,))
            recording = recording and _state.modes.grad_enabled
        result = kernel(array)
        if type(result) is not ndarray and not isinstance(result, ndarray):
            result = np.asarray(result)
        t = _new(Tensor)
        t._array = result
        t._node = None
        t._meta = None
        t._counter = None
        if not recording:
            return t
        edge = input._node if input._meta is None else input._edge()
        if edge is None:
            return t
        if node_class is None:
            node_class = op.node_class
        node = node_class()
        node.next = (edge,)
        node.adapt = None
        node.attached = None
        node.versions = None
        if saves_input:
            node.saved = (input,)
            counter = input._counter
            if counter is not None and counter[0]:
                node.versions = (counter[0],)
        elif saves_out:
            twin = _new(Tensor)
            twin._array = result
            twin._node = None
            twin._meta = None
            t._counter = twin._counter = [0, None, 0]
            node.saved = (twin,)
        else:
            node.saved = ()
        frame = _getframe(1)
        code = frame.f_code
        if _is_internal.get(code.co_filename) is not False:
            frame = user_frame(2)
            code = frame.f_code
        node.code = code
        node.instruction = frame.f_lasti
        node.seq = next_sequence_number()
        t._node = node
        return t

    return _named(call, op)


def _binary(op: Elementwise, operator: bool) -> Callable[..., Any]:
    kernel = op.kernel
    differentiable = len(op.rules) == 2
    input_at = op.slot_names.index("input") if "input" in op.slot_names else -1
    other_at = op.slot_names.index("other") if "other" in op.slot_names else -1
    simple = all(s.name in ("input", "other") for s in op.slots) and len(op.rules) in (0, 2)
    input_first = input_at <= other_at
    saves = len(op.slots)
    keeps = [op.keep(mask) for mask in range(4)]
    node_class: Any = None

    def call(input: Any, other: Any, *, out: Any = None) -> Any:
        nonlocal node_class
        if type(input) not in PLAIN or out is not None or not simple:
            return _general(op, (input, other), operator, out)
        a = input._array
        dt = a.dtype
        if dt is not F32 and dt is not F64:
            return _general(op, (input, other), operator)
        kind = type(other)
        if kind in PLAIN:
            b = other._array
            if b.dtype is not dt:
                return _general(op, (input, other), operator)
            is_tensor = True
        elif kind is float or kind is int:
            b = scalar(other, dt)
            is_tensor = False
        else:
            return _general(op, (input, other), operator)
        recording = differentiable
        if _state.special:
            if _state.modes.dispatch:
                return _general(op, (input, other), operator)
            recording = recording and _state.modes.grad_enabled
        try:
            result = kernel(a, b)
        except ValueError:
            raise broadcast_error(a.shape, b.shape) from None
        if type(result) is not ndarray and not isinstance(result, ndarray):
            result = np.asarray(result)
        t = _new(Tensor)
        t._array = result
        t._node = None
        t._meta = None
        t._counter = None
        if not recording:
            return t
        edge_a = input._node if input._meta is None else input._edge()
        if is_tensor:
            edge_b = other._node if other._meta is None else other._edge()
            if edge_a is None and edge_b is None:
                return t
        elif edge_a is None:
            return t
        else:
            edge_b = None
            other = b
        if node_class is None:
            node_class = op.node_class
        node = node_class()
        node.next = (edge_a, edge_b)
        node.attached = None
        node.versions = None
        node.adapt = None
        if is_tensor and a.shape != b.shape:
            node.adapt = op._adaptations(t, (input, other))
        if not saves:
            node.saved = ()
        else:
            kept = keeps[(edge_a is not None) + 2 * (edge_b is not None)]
            x = input if input_at >= 0 and kept[input_at] else None
            y = other if other_at >= 0 and kept[other_at] else None
            version_x = version_y = 0
            if x is not None and x._counter is not None:
                version_x = x._counter[0]
            if y is not None and is_tensor and y._counter is not None:
                version_y = y._counter[0]
            if saves == 2:
                if input_first:
                    node.saved = (x, y)
                    if version_x or version_y:
                        node.versions = (version_x, version_y)
                else:
                    node.saved = (y, x)
                    if version_x or version_y:
                        node.versions = (version_y, version_x)
            else:
                node.saved = (x if input_at >= 0 else y,)
                if version_x or version_y:
                    node.versions = (version_x or version_y,)
        frame = _getframe(1)
        code = frame.f_code
        if _is_internal.get(code.co_filename) is not False:
            frame = user_frame(2)
            code = frame.f_code
        node.code = code
        node.instruction = frame.f_lasti
        node.seq = next_sequence_number()
        t._node = node
        return t

    return _named(call, op)


def _nary(op: Elementwise, _: bool) -> Callable[..., Any]:
    k = len(op.tensor_names)

    def call(*args: Any) -> Any:
        return _general(op, args[:k], attributes=args[k:])

    return _named(call, op)


def _named(call: Any, op: Elementwise) -> Any:
    own_code(call)
    call.__name__ = call.__qualname__ = op.name
    call.primitive = op
    return call


def broadcast_error(a: tuple[int, ...], b: tuple[int, ...]) -> RuntimeError:
    """PyTorch's sentence for two shapes that do not go together."""
    n = max(len(a), len(b))
    x, y = (1,) * (n - len(a)) + tuple(a), (1,) * (n - len(b)) + tuple(b)
    at = max(i for i in range(n) if x[i] != y[i] and 1 not in (x[i], y[i]))
    return RuntimeError(
        f"The size of tensor a ({x[at]}) must match the size of tensor b ({y[at]}) at non-singleton dimension {at}"
    )


# ---- the general way


def operands(op: Elementwise, args: tuple[Any, ...]) -> tuple[list[Any], list[Any], _dtype.dtype] | None:
    """(values as saved, arrays in the dtype to compute in, that dtype); None if an argument is no operand."""
    dimensioned = zero_dim = number = None
    values: list[Any] = []
    for v in args:
        if not isinstance(v, Tensor):
            if isinstance(v, (np.bool_, np.number)):
                v = v.item()
            elif isinstance(v, ndarray):
                v = wrap(v)
        if isinstance(v, Tensor):
            d = _dtype.of_array(v._array)
            if v._array.ndim:
                dimensioned = d if dimensioned is None else _dtype.promote_types(dimensioned, d)
            else:
                zero_dim = d if zero_dim is None else _dtype.promote_types(zero_dim, d)
        elif isinstance(v, (bool, int, float, complex)):
            d = _dtype.of_scalar(v)
            number = d if number is None else _dtype.promote_types(number, d)
        else:
            return None
        values.append(v)
    dt = _dtype.result_dtype(dimensioned, zero_dim, number)
    if op.promote == "float" and dt.category < _dtype.FLOAT:
        dt = _dtype.default
    np_dt = dt.numpy
    arrays = []
    for i, v in enumerate(values):
        if isinstance(v, Tensor):
            arrays.append(v._array if v._array.dtype == np_dt else cast(v._array, np_dt))
        else:
            array = number_array(v, np_dt)
            arrays.append(array)
            values[i] = array
    return values, arrays, dt


def number_array(v: Any, np_dt: np.dtype[Any]) -> np.ndarray[Any, Any]:
    if np_dt.kind in "iu" and isinstance(v, int):
        v = int(v) & (2 ** (8 * np_dt.itemsize) - 1)  # wraps around, as C does
        return np.array(v, f"u{np_dt.itemsize}").view(np_dt)
    return np.array(v).astype(np_dt)


def cast(array: np.ndarray[Any, Any], np_dt: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Conversion as C does it: complex drops its imaginary part, floats are cut to integers."""
    if array.dtype.kind == "c" and np_dt.kind != "c" and np_dt.kind != "b":
        array = array.real
    return array.astype(np_dt)


_HALVES = ("float16", "bfloat16")


def run_kernel(op: Elementwise, arrays: list[Any], dt: _dtype.dtype, attributes: tuple[Any, ...] = ()) -> Any:
    """The kernel on promoted arrays. Half precision is computed in float32 and rounded, which is exact and quicker."""
    try:
        if dt.name in _HALVES:
            result = op.kernel(*[a.astype(np.float32) for a in arrays], *attributes)
            if result.dtype == F32:
                result = result.astype(dt.numpy)
        else:
            result = op.kernel(*arrays, *attributes)
    except ValueError:
        shapes = [a.shape for a in arrays]
        try:
            np.broadcast_shapes(*shapes)
        except ValueError:
            raise broadcast_error(shapes[0], shapes[1]) from None
        raise
    return result if isinstance(result, ndarray) else np.asarray(result)


def _general(
    op: Elementwise, args: tuple[Any, ...], operator: bool = False, out: Any = None, attributes: tuple[Any, ...] = ()
) -> Any:
    from .. import overrides

    if overrides.overridden(args):
        return overrides.call_override(op.call, op.public or op.call, args, {} if out is None else {"out": out})
    found = operands(op, args)
    if found is None:
        if operator:
            return NotImplemented
        raise wrong_operand(op, args)
    values, arrays, dt = found
    if op.check is not None:
        op.check(*arrays)
    check_devices(arrays)
    t = wrap(run_kernel(op, arrays, dt, attributes))
    if out is not None:
        from ._forms import write_out

        return write_out(op.name, out, t, args)
    if op.rules and _state.grad_enabled():
        op.record([t], tuple(values), attributes)
    if _state.special and _state.modes.inference:
        mark_inference([t])
    return t


def check_devices(arrays: list[Any]) -> None:
    """0-d CPU tensors may meet meta tensors; others may not."""
    if any(a.__class__ is not ndarray for a in arrays) and any(a.__class__ is ndarray and a.ndim for a in arrays):
        raise RuntimeError(
            "Expected all tensors to be on the same device, but found at least two devices, "
            + ("cpu and meta!" if arrays[0].__class__ is ndarray else "meta and cpu!")
        )


def wrong_operand(op: Elementwise, args: tuple[Any, ...]) -> TypeError:
    for i, (name, v) in enumerate(zip(op.tensor_names, args, strict=False)):
        if not isinstance(v, (Tensor, bool, int, float, complex, np.generic, ndarray)):
            return TypeError(
                f"{op.name}(): argument '{name}' (position {i + 1}) must be Tensor, not {type(v).__name__}"
            )
    return TypeError(f"{op.name}(): wrong arguments")
