"""Operands of elementwise operators: what may be one, promotion, broadcasting, and the errors about all that."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._core import dtypes, quiet, state
from ..._core.dtypes import F32, cast, widened
from ..._core.numbers import _scalars, number_array, scalar, whole
from ..._core.strides import laid_out, repeats_laid_out
from ..._core.unresolved import resolved
from ..._tensor import Tensor
from ...autograd.saved import inference_error
from .any_state import ndarray, wrap
from .arguments import is_number
from .errors import type_of, unconvertible
from .forms import known_name
from .signatures import mistake

if TYPE_CHECKING:
    from .elementwise import Elementwise

# ---- numbers and arrays


def checked_number(value: Any, d: dtypes.dtype) -> Any:
    """A Python number for a tensor of this dtype, or PyTorch's error if it does not fit."""
    if isinstance(value, Tensor):
        value = value.item()
    if d.category in (dtypes.BOOL, dtypes.COMPLEX):
        return value
    if isinstance(value, complex):
        if value.imag:
            raise unconvertible(d)
        value = value.real
    if d.category == dtypes.FLOAT:
        if isinstance(value, float) and (abs(value) < 65504 or math.isinf(value)):
            return value
        if abs(whole(value)) > dtypes.finfo(d).max and not math.isinf(value):
            raise unconvertible(d)
        return value
    info = np.iinfo(d.numpy)
    wraps = not d.is_signed and not isinstance(value, float)
    if not (-info.max if wraps else info.min) <= value <= info.max:
        raise unconvertible(d)
    value = int(value)
    return value if d.is_signed or value >= 0 else value + info.max + 1


def broadcast_error(a: tuple[int, ...], b: tuple[int, ...]) -> RuntimeError:
    """PyTorch's sentence for two shapes that do not go together."""
    n = max(len(a), len(b))
    x, y = (1,) * (n - len(a)) + tuple(a), (1,) * (n - len(b)) + tuple(b)
    at = max(i for i in range(n) if x[i] != y[i] and 1 not in (x[i], y[i]))
    return RuntimeError(
        f"The size of tensor a ({x[at]}) must match the size of tensor b ({y[at]}) at non-singleton dimension {at}"
    )


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """NumPy's, for numbers of a captured program, too."""
    if all(type(n) is int for shape in shapes for n in shape):
        return np.broadcast_shapes(*shapes)
    found: list[int] = [1] * max(map(len, shapes))
    for shape in shapes:
        for d, n in enumerate(shape, len(found) - len(shape)):
            if n != 1 and found[d] == 1:
                found[d] = n
            elif n != 1 and n != found[d]:
                raise ValueError("shapes cannot be broadcast")
    return tuple(found)


def common_shape(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that shapes are broadcast to."""
    common: tuple[int, ...] = ()
    for shape in shapes:
        if shape != common:
            try:
                common = broadcast_shapes(common, shape)
            except ValueError:
                raise broadcast_error(common, shape) from None
    return common


# ---- promotion


def promoted(
    op: Elementwise, args: tuple[Any, ...], attributes: tuple[Any, ...] = ()
) -> tuple[list[Any], dtypes.dtype] | None:
    """(values, the dtype to compute in); None if an argument is no operand."""
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
    return values, dt


def operands(
    op: Elementwise, args: tuple[Any, ...], attributes: tuple[Any, ...] = ()
) -> tuple[list[Any], list[Any], dtypes.dtype] | None:
    """(values as saved, arrays in the dtype to compute in, that dtype); None if an argument is no operand."""
    found = promoted(op, args, attributes)
    if found is None:
        return None
    values, dt = found
    np_dt = dt.numpy
    arrays = []
    for i, v in enumerate(values):
        if isinstance(v, Tensor):
            array = v._array if v._array.__class__ is ndarray else resolved(v._array)
            arrays.append(array if array.dtype == np_dt else cast(array, np_dt))
        else:
            if np_dt in _scalars and type(v) in (int, float):
                array = scalar(v, np_dt)
            elif hasattr(v, "hint"):  # a number of a captured program
                arrays.append(v.capture.as_operand(v, np_dt) if v.capture.is_active else number_array(v.hint, np_dt))
                values[i] = wrap(arrays[-1])
                continue
            else:
                array = number_array(v, np_dt)
            arrays.append(array)
            values[i] = array
    if op.wide_numbers and dtypes.is_half(np_dt):
        _leave_number_wide(args[-1], values, arrays)
    return values, arrays, dt


def _leave_number_wide(given: Any, values: list[Any], arrays: list[Any]) -> None:
    """A number, or a tensor without dimensions, as the last of half precision's operands: in float32, as PyTorch's."""
    if isinstance(given, Tensor):
        if not given._array.ndim and given._array.dtype in _scalars:
            arrays[-1] = cast(resolved(given._array), F32)
    elif not hasattr(given, "hint"):
        values[-1] = arrays[-1] = number_array(given, F32)


def check_dtypes(op: Elementwise, args: tuple[Any, ...], arrays: list[Any]) -> None:
    """Refuse dtypes that an operator is not for; PyTorch speaks of shapes that do not go together before that."""
    if op.check is not None:
        try:
            op.check(*arrays)
        except NotImplementedError:
            refuse_inference(op, args)
            common_shape(*[a.shape for a in arrays])
            raise
        except RuntimeError:
            refuse_inference(op, args)
            raise


def shapes_error(op: Elementwise, x: Tensor, y: Tensor) -> RuntimeError:
    """What is said of two tensors whose shapes do not go together."""
    if op.rules:
        refuse_inference(op, (x, y))
    return broadcast_error(x._array.shape, y._array.shape)


def refuse_inference(op: Elementwise, args: tuple[Any, ...]) -> None:
    """Refuse views that may not be used any more, and tensors of inference mode that a node would save.

    PyTorch asks for histories, and saves, before it computes.
    """
    ask_histories(args)
    if not state.grad_enabled():
        return
    given = dict(zip(op.tensor_names, args))
    wanted = [x for x in op.rules if isinstance(given[x], Tensor) and given[x].requires_grad]
    for slot in op.slots if wanted else ():
        t = given.get(slot.name)
        is_saved = op.is_shared(slot) or any(slot.name in op.rules[x].sources for x in wanted)
        if is_saved and isinstance(t, Tensor) and t.is_inference():
            raise inference_error(t)


def ask_histories(args: Iterable[Any]) -> None:
    """Ask tensors for their histories: views that may not be used any more are refused."""
    if state.grad_enabled():
        for t in args:
            if isinstance(t, (tuple, list)):
                ask_histories(t)
            elif isinstance(t, Tensor) and not t.wraps and t._meta is not None and t._meta.base is not None:
                t._edge()


def run_kernel(op: Elementwise, arrays: list[Any], dt: dtypes.dtype, attributes: tuple[Any, ...] = ()) -> Any:
    """The kernel on promoted arrays. Half precision is computed in float32 and rounded, which is exact and quicker."""
    capture = state.modes.capture if state.special else None
    token = quiet.begin()
    try:
        kernel = op.on_arrays if capture is None else capture.kernel(op)
        if dtypes.is_half(dt.numpy):
            if op.in_half is not None and capture is None and arrays[-1].dtype != F32:  # no number that is left wide
                kernel = partial(op.in_half, dt.numpy)
            if op.rounded_numbers:
                attributes = _rounded(attributes, op.rounded_numbers, dt)
            result = kernel(*[widened(a) for a in arrays], *attributes)
            if result.dtype == F32:
                result = result.astype(dt.numpy)
        else:
            result = kernel(*arrays, *attributes)
    except ValueError:
        common_shape(*[a.shape for a in arrays])
        raise
    finally:
        quiet.end(token)
    if not isinstance(result, ndarray):
        return np.asarray(result)
    if capture is not None:
        return result
    if op.lays_out:
        return result
    if len(arrays) == 1:
        return repeats_laid_out(result, arrays[0])
    return laid_out(result, *(arrays[::-1] if op.is_reflected else arrays))


def _rounded(attributes: tuple[Any, ...], which: tuple[int, ...], dt: dtypes.dtype) -> tuple[Any, ...]:
    """Attributes with some of their numbers rounded to a dtype of half precision."""
    found = list(attributes)
    for i in which:
        if isinstance(found[i], (int, float)):
            found[i] = float(number_array(found[i], dt.numpy))
    return tuple(found)


# ---- errors


def wrong_operand(op: Elementwise, args: tuple[Any, ...], form: str = "function", at: int = -1) -> TypeError:
    """What PyTorch says of an argument of the wrong type. A method does not count its own tensor."""
    own = known_name(op.name)
    known = mistake(f"{own}_" if form == "inplace" else own, args, {}, form != "function")
    if isinstance(known, TypeError):
        return known
    for i, (name, v) in enumerate(zip(op.tensor_names, args, strict=False)):
        if i == at or not isinstance(v, (Tensor, bool, int, float, complex, np.generic)):
            position = i + 1 - (form != "function")
            shown = f"{op.name}_" if form == "inplace" else op.name
            return TypeError(f"{shown}(): argument '{name}' (position {position}) must be Tensor, not {type_of(v)}")
    return TypeError(f"{op.name}(): wrong arguments")
