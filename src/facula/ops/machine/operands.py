"""Elementwise calls in general: what may be an operand, promotion, broadcasting, and the errors about all that.

``general`` takes whatever tensors and numbers, in whatever state; ``irregular`` also calls that are written unusually.
The hot path in ``_elementwise`` and the in-place forms come here with what they do not handle themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..._core import dtypes, quiet, state
from ..._core.dtypes import F32, F64, cast
from ..._tensor import Tensor
from ...autograd.meta import cut_of
from ...autograd.saved import DIRECT, NUMBERS, PLAIN
from .arguments import NUMPY_NAMES, is_number
from .deprecated import warn_of_old_overload
from .errors import type_of
from .primitive import mark_inference, ndarray, transforms, wrap

if TYPE_CHECKING:
    from .elementwise import Elementwise

MISSING: Any = object()
"""Stands for an argument that was not given."""

# ---- numbers and arrays

_scalars: dict[Any, dict[Any, np.ndarray[Any, Any]]] = {F32: {}, F64: {}}
_whole: dict[Any, dict[Any, np.ndarray[Any, Any]]] = {F32: {}, F64: {}}
_SCALARS_KEPT = 4096


def scalar(value: Any, dt: Any) -> np.ndarray[Any, Any]:
    """A Python number as a 0-d array. Kept for reuse: NumPy takes half as long with one as with a number."""
    kept = _scalars[dt] if value.__class__ is float else _whole[dt]
    array = kept.get(value)
    if array is None:
        array = np.array(value, dt)
        array.flags.writeable = False
        if len(kept) < _SCALARS_KEPT and (value != 0 or value.__class__ is int):  # 0.0 == -0.0 must not share an entry
            kept[value] = array
            NUMBERS[id(array)] = value
    return array


def number_array(v: Any, np_dt: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """A Python number as a 0-d array of any dtype."""
    if np_dt.kind in "iu" and isinstance(v, int):
        v = int(v) & (2 ** (8 * np_dt.itemsize) - 1)  # wraps around, as C does
        return np.array(v, f"u{np_dt.itemsize}").view(np_dt)
    return np.array(v).astype(np_dt)


def broadcast_error(a: tuple[int, ...], b: tuple[int, ...]) -> RuntimeError:
    """PyTorch's sentence for two shapes that do not go together."""
    n = max(len(a), len(b))
    x, y = (1,) * (n - len(a)) + tuple(a), (1,) * (n - len(b)) + tuple(b)
    at = max(i for i in range(n) if x[i] != y[i] and 1 not in (x[i], y[i]))
    return RuntimeError(
        f"The size of tensor a ({x[at]}) must match the size of tensor b ({y[at]}) at non-singleton dimension {at}"
    )


def common_shape(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that shapes are broadcast to."""
    common: tuple[int, ...] = ()
    for shape in shapes:
        if shape != common:
            try:
                common = np.broadcast_shapes(common, shape)
            except ValueError:
                raise broadcast_error(common, shape) from None
    return common


# ---- the general call


def operands(
    op: Elementwise, args: tuple[Any, ...], attributes: tuple[Any, ...] = ()
) -> tuple[list[Any], list[Any], dtypes.dtype] | None:
    """(values as saved, arrays in the dtype to compute in, that dtype); None if an argument is no operand."""
    dimensioned = zero_dim = number = None
    for i in op.scalars:
        if attributes[i] is not None:
            d = dtypes.of_scalar(attributes[i])
            number = d if number is None else dtypes.promote_types(number, d)
    values: list[Any] = []
    for v in args:
        if not isinstance(v, Tensor):
            if isinstance(v, np.number):
                v = v.item()
            elif isinstance(v, np.bool_):
                v = float(v)  # PyTorch takes it for a float
            elif isinstance(v, ndarray) and op.name in ("eq", "ne"):
                v = wrap(v)  # other operators leave arrays to NumPy, which comes back with a tensor
        if isinstance(v, Tensor):
            d = dtypes.of_array(v._array)
            if v._array.ndim:
                dimensioned = d if dimensioned is None else dtypes.promote_types(dimensioned, d)
            else:
                zero_dim = d if zero_dim is None else dtypes.promote_types(zero_dim, d)
        elif is_number(v):
            d = dtypes.of_scalar(v)
            number = d if number is None else dtypes.promote_types(number, d)
        else:
            return None
        values.append(v)
    dt = dtypes.result_dtype(dimensioned, zero_dim, number)
    if op.promote == "float" and dt.category < dtypes.FLOAT:
        dt = dtypes.default
    np_dt = dt.numpy
    arrays = []
    for i, v in enumerate(values):
        if isinstance(v, Tensor):
            arrays.append(v._array if v._array.dtype == np_dt else cast(v._array, np_dt))
        else:
            array = scalar(v, np_dt) if np_dt in _scalars and type(v) in (int, float) else number_array(v, np_dt)
            arrays.append(array)
            values[i] = array
    return values, arrays, dt


def run_kernel(op: Elementwise, arrays: list[Any], dt: dtypes.dtype, attributes: tuple[Any, ...] = ()) -> Any:
    """The kernel on promoted arrays. Half precision is computed in float32 and rounded, which is exact and quicker."""
    token = quiet.begin()
    try:
        if dtypes.is_half(dt.numpy):
            result = op.kernel(*[a.astype(np.float32) for a in arrays], *attributes)
            if result.dtype == F32:
                result = result.astype(dt.numpy)
        else:
            result = op.kernel(*arrays, *attributes)
    except ValueError:
        common_shape(*[a.shape for a in arrays])
        raise
    finally:
        quiet.end(token)
    return result if isinstance(result, ndarray) else np.asarray(result)


def general(
    op: Elementwise, args: tuple[Any, ...], operator: bool = False, out: Any = None, attributes: tuple[Any, ...] = (),
    form: str = "function",
) -> Any:  # fmt: skip
    if not (state.special and state.modes.function_modes):
        for v in args:
            if type(v) not in PLAIN and isinstance(v, Tensor) and v.wraps:
                return _in_transform(op, args, attributes, operator, out)
    from ... import overrides

    if overrides.overridden(args):
        return overrides.call_override(
            op.call, op.public or op.call, args + attributes, {} if out is None else {"out": out}
        )
    if state.special and state.modes.profiled is not None:
        return _measured(op, args, operator, out, attributes, form)
    found = operands(op, args, attributes)
    if found is None:
        if operator:
            return NotImplemented
        raise wrong_operand(op, args, form)
    if not op.numbers:
        for i, v in enumerate(args):
            if isinstance(v, (bool, int, float, complex, np.generic)):
                raise wrong_operand(op, args, form, i)
    if op.guard is not None:
        op.guard(*args)
    values, arrays, dt = found
    if op.check is not None:
        op.check(*arrays)
    check_devices(arrays)
    watcher = state.modes.kernels if state.special else None
    ready = None if watcher is None else watcher.before(op, tuple(values), attributes)
    t = wrap(run_kernel(op, arrays, dt, attributes) if ready is None else ready)
    if watcher is not None:
        watcher.after(op, [t])
    if out is not None:
        from .public import write_out

        return write_out(op.name, out, t, args)
    if op.rules:
        recording = state.grad_enabled()
        if not (recording and op.record([t], tuple(values), attributes)):
            t._meta = cut_of(values, not recording)
    if state.special and state.modes.inference:
        mark_inference([t])
    return t


def _measured(
    op: Elementwise, args: tuple[Any, ...], operator: bool, out: Any, attributes: tuple[Any, ...], form: str
) -> Any:
    from ...profiler import _recorder

    if operator:
        return _recorder.operator(op, args, op.operator, *args)
    if out is None and form == "function":
        return _recorder.operator(op, args + attributes, op.call, *args, *attributes)
    return _recorder.operator(op, args + attributes, general, op, args, operator, out, attributes, form)


def _in_transform(
    op: Elementwise, args: tuple[Any, ...], attributes: tuple[Any, ...], operator: bool, out: Any
) -> Any:
    """The same for tensors that stand for others."""
    for i, v in enumerate(args):
        if type(v) not in DIRECT and not isinstance(v, (Tensor, float, int)) and not is_number(v):
            if operator:
                return NotImplemented
            raise wrong_operand(op, args, at=i)
    if op.guard is not None:
        op.guard(*args)
    result = transforms.call(op, args, attributes)
    if out is None:
        return result
    from .public import write_out

    return write_out(op.name, out, result, args)


def irregular(op: Elementwise, args: tuple[Any, ...], rest: tuple[Any, ...], more: dict[str, Any], form: str) -> Any:
    """A call that is not plainly (tensor) or (tensor, tensor): keywords, subclasses, numbers first, mistakes."""
    out = alpha = None
    first, last = type(args[0]), type(args[-1])
    if first in DIRECT and (last in DIRECT or last is float) and not rest and not more and len(args) <= 2:
        if (first in PLAIN and (last in PLAIN or last is float)) or (state.special and state.modes.function_modes):
            return general(op, args, form == "operator", form=form)
        if op.guard is not None:
            op.guard(*args)
        return transforms.call(op, args, ())
    given = list(args)
    if rest or more or args[-1] is MISSING:
        k = len(args) - (form == "method")
        if len(rest) == 1 and op.with_alpha is not None and is_number(given[1]) and isinstance(rest[0], Tensor):
            warn_of_old_overload(
                op.name, "Tensor input, Number alpha, Tensor other", "Tensor input, Tensor other, *, Number alpha = 1"
            )
            given, rest, more = [given[0], rest[0]], (), {"alpha": given[1], **more}
        if rest:
            raise TypeError(
                f"{op.name}() takes {k} positional argument{'s' * (k != 1)} but {k + len(rest)} were given"
            )
        for key, value in more.items():
            name = key if key in op.tensor_names else NUMPY_NAMES.get(key, key)
            if key == "out" and form != "method":
                out = value
            elif key == "alpha" and op.with_alpha is not None:
                alpha = value
            elif name in op.tensor_names and given[op.tensor_names.index(name)] is MISSING:
                given[op.tensor_names.index(name)] = value
            else:
                raise TypeError(f"{op.name}() got an unexpected keyword argument '{key}'")
        missing = [name for name, v in zip(op.tensor_names, given) if v is MISSING]
        if missing and op.with_alpha is not None:
            kinds = ", ".join(type(v).__name__ for v in given[form == "method" :] if v is not MISSING)
            raise TypeError(f"{op.name}() received an invalid combination of arguments - got ({kinds})")
        if missing:
            shown = ", ".join(f'"{name}"' for name in missing)
            raise TypeError(f"{op.name}() missing {len(missing)} required positional arguments: {shown}")
        if out is not None and not isinstance(out, Tensor):
            raise TypeError(f"{op.name}(): argument 'out' must be Tensor, not {type(out).__name__}")
    if form == "operator" and not isinstance(given[0], Tensor):
        kind = type(given[0]).__name__
        raise TypeError(f"descriptor of {op.name} for 'torch._C.TensorBase' objects doesn't apply to a '{kind}' object")
    if alpha is not None and not (alpha.__class__ is int and alpha == 1):
        result = op.with_alpha(*given, alpha)
        if out is None:
            return result
        from .public import write_out

        return write_out(op.name, out, result, args)
    if len(given) == 1 and isinstance(given[0], (bool, int, float, complex, np.generic)):
        raise wrong_operand(op, tuple(given), form, 0)
    return general(op, tuple(given), form == "operator", out, form=form)


# ---- errors


def check_devices(arrays: list[Any]) -> None:
    """0-d CPU tensors may meet meta tensors; others may not."""
    if any(a.__class__ is not ndarray for a in arrays) and any(a.__class__ is ndarray and a.ndim for a in arrays):
        raise RuntimeError(
            "Expected all tensors to be on the same device, but found at least two devices, "
            + ("cpu and meta!" if arrays[0].__class__ is ndarray else "meta and cpu!")
        )


def wrong_operand(op: Elementwise, args: tuple[Any, ...], form: str = "function", at: int = -1) -> TypeError:
    """What PyTorch says of an argument of the wrong type. A method does not count its own tensor."""
    for i, (name, v) in enumerate(zip(op.tensor_names, args, strict=False)):
        if i == at or not isinstance(v, (Tensor, bool, int, float, complex, np.generic)):
            position = i + 1 - (form != "function")
            shown = f"{op.name}_" if form == "inplace" else op.name
            return TypeError(
                f"{shown}(): argument '{name}' (position {position}) must be Tensor, not {type_of(v)}"
            )
    return TypeError(f"{op.name}(): wrong arguments")
