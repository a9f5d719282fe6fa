"""Operators that choose between values: extrema, clamp, where; and signs and values that replace others."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import dtypes
from ..._core.dtypes import cast
from ..._core.numbers import number_array
from ..._core.strides import copied, laid_out
from ..._lazy import set_methods
from ..._tensor import Tensor
from ...autograd.saved import PLAIN
from ..arrays import half
from ..arrays.masks import select
from ..arrays.types import Array
from ..machine.arguments import is_number, unscaled
from ..machine.deprecated import warn_once
from ..machine.elementwise import elementwise
from ..machine.namespaces import TENSORS
from ..machine.operands import checked_number, common_shape, promoted
from ..machine.overridable import overridable
from ..machine.primitive import primitive
from ..machine.public import FUNCTIONS, OTHER_THAN_FOUND, expose, public
from ..machine.refusals import only
from ..machine.rules import no_gradient
from ..machine.signatures import mistake
from ..machine.write import inplace_form, leave_elements, needs_gradient, refused_first
from .arithmetic import by_kind, number_held, number_like, tensor_first, underivable

# ---- maximum and minimum


def _no_complex(name: str) -> Any:
    def check(*arrays: Any) -> None:
        if arrays[0].dtype.kind == "c":
            raise RuntimeError(f"{name} not implemented for complex tensors.")

    return check


def _halved_at_ties(g: Any, input: Any, other: Any, xp: Any) -> Any:
    return xp.either(input == other, xp.over(g, 2), g)


maximum_op = elementwise(
    "maximum", np.maximum, "MaximumBackward0", check=_no_complex("maximum"), numbers=False,
    lowering="maximum(input, other)",
    input=lambda g, input, other, xp: xp.cleared(_halved_at_ties(g, input, other, xp), input < other),
    other=lambda g, input, other, xp: xp.cleared(_halved_at_ties(g, input, other, xp), input > other),
)  # fmt: skip
expose(maximum_op, "maximum", "maximum")
minimum_op = elementwise(
    "minimum", np.minimum, "MinimumBackward0", check=_no_complex("minimum"), numbers=False,
    lowering="minimum(input, other)",
    input=lambda g, input, other, xp: xp.cleared(_halved_at_ties(g, input, other, xp), input > other),
    other=lambda g, input, other, xp: xp.cleared(_halved_at_ties(g, input, other, xp), input < other),
)  # fmt: skip
expose(minimum_op, "minimum", "minimum")


def _shared(of_input: Any, tangents: Any, out: Any) -> Any:
    """The tangent of which ``of_input`` is the part that comes from ``input``; the rest comes from ``other``."""
    slopes = [None if t is None else t.to(out.dtype) for t in tangents]
    parts = [t * part for t, part in zip(slopes, (of_input, 1 - of_input)) if t is not None]
    return parts[0] if len(parts) == 1 else parts[0] + parts[1]


@maximum_op.tangent
def maximum_tangent(op: Any, primals: Any, tangents: Any, attributes: Any, outs: Any) -> Any:
    """Beside NaN that of ``other``, where both get the gradient."""
    a, b = primals
    return _shared(TENSORS.either(a == b, 0.5, (a > b).to(outs[0].dtype)), tangents, outs[0])


@minimum_op.tangent
def minimum_tangent(op: Any, primals: Any, tangents: Any, attributes: Any, outs: Any) -> Any:
    a, b = primals
    return _shared(TENSORS.either(a == b, 0.5, (a < b).to(outs[0].dtype)), tangents, outs[0])


def _first_is_greatest(input: Any, other: Any, xp: Any) -> Any:
    return xp.logical_or(input >= other, xp.isnan(other))


def _first_is_least(input: Any, other: Any, xp: Any) -> Any:
    return xp.logical_or(input <= other, xp.isnan(other))


fmax_op = elementwise(
    "fmax", np.fmax, "FmaxBackward0", lowering="fmax(input, other)", check=_no_complex("fmax"), numbers=False,
    input=lambda g, input, other, xp: xp.cleared(g, xp.logical_not(_first_is_greatest(input, other, xp))),
    other=lambda g, input, other, xp: xp.cleared(g, _first_is_greatest(input, other, xp)),
)  # fmt: skip
expose(fmax_op, "fmax", "fmax")


@fmax_op.tangent
def fmax_tangent(op: Any, primals: Any, tangents: Any, attributes: Any, outs: Any) -> Any:
    """Of equal elements that of ``other``, where a gradient goes to ``input``: as in PyTorch."""
    a, b = primals
    return _shared(((a > b) | b.isnan()).to(outs[0].dtype), tangents, outs[0])


fmin_op = elementwise(
    "fmin", np.fmin, "FminBackward0", lowering="fmin(input, other)", check=_no_complex("fmin"), numbers=False,
    input=lambda g, input, other, xp: xp.cleared(g, xp.logical_not(_first_is_least(input, other, xp))),
    other=lambda g, input, other, xp: xp.cleared(g, _first_is_least(input, other, xp)),
)  # fmt: skip
expose(fmin_op, "fmin", "fmin")


@fmin_op.tangent
def fmin_tangent(op: Any, primals: Any, tangents: Any, attributes: Any, outs: Any) -> Any:
    a, b = primals
    return _shared(((a <= b) | b.isnan()).to(outs[0].dtype), tangents, outs[0])


# ---- clamp


_SMALL = 2048


def clip(x: Any, low: Any, high: Any) -> Any:
    """Bounds are Python numbers or None. ``np.clip`` is the fastest at size and slow to start."""
    if low is not None:
        low = number_held(low, x)
    if high is not None:
        high = number_held(high, x)
        if low is not None and x.size > _SMALL:
            return np.clip(x, low, high)
    elif x.dtype.kind == "f" and x.size > _SMALL:
        return np.clip(x, low, number_like(np.inf, x))
    if low is not None:
        x = np.maximum(x, low)
    return x if high is None else np.minimum(x, high)


def _clamp_numbers(input: Array, min: object, max: object) -> Any:
    return clip(input, min, max)


def _within(input: Any, low: Any, high: Any) -> Any:
    if low is None:
        return input <= high
    return input >= low if high is None else (input >= low) & (input <= high)


def _refuse_complex(*arrays: Any) -> None:
    if arrays[0].dtype.kind == "c":
        raise NotImplementedError("clamp is not supported for complex types")


def _clamped(min: Any, max: Any) -> str:
    text = "input" if min is None else "maximum(input, min)"
    return text if max is None else f"minimum({text}, max)"


clamp_numbers_op = elementwise(
    "clamp_numbers", _clamp_numbers, "ClampBackward1", lowering=_clamped, scalars=("min", "max"), check=_refuse_complex,
    input=lambda g, input, min, max, xp: xp.keep(g, _within(input, min, max)),
)  # fmt: skip

def _at_least(input: Array, min: object) -> Any:
    return clip(input, min, None)


def _at_most(input: Array, max: object) -> Any:
    return clip(input, None, max)


clamp_min_number_op = elementwise(
    "clamp_min_number", _at_least, "ClampMinBackward0", scalars=("min",), check=_refuse_complex,
    lowering="maximum(input, min)",
    input=lambda g, input, min, xp: xp.keep(g, input >= min),
)  # fmt: skip
clamp_max_number_op = elementwise(
    "clamp_max_number", _at_most, "ClampMaxBackward0", scalars=("max",), check=_refuse_complex,
    lowering="minimum(input, max)",
    input=lambda g, input, max, xp: xp.keep(g, input <= max),
)  # fmt: skip


def _tensor_at_least(input: Array, min: Array) -> Any:
    return np.maximum(input, min)


def _tensor_at_most(input: Array, max: Array) -> Any:
    return np.minimum(input, max)


def _tensor_between(input: Array, min: Array, max: Array) -> Any:
    return np.minimum(np.maximum(input, min), max)


clamp_min_tensor_op = elementwise(
    "clamp_min_tensor", _tensor_at_least, "ClampMinBackward1", lowering="maximum(input, min)", check=_refuse_complex,
    input=lambda g, input, min, xp: xp.keep(g, input >= min),
    min=lambda g, input, min, xp: xp.keep(g, input < min),
)  # fmt: skip
clamp_max_tensor_op = elementwise(
    "clamp_max_tensor", _tensor_at_most, "ClampMaxBackward1", lowering="minimum(input, max)", check=_refuse_complex,
    input=lambda g, input, max, xp: xp.keep(g, input <= max),
    max=lambda g, input, max, xp: xp.keep(g, input > max),
)  # fmt: skip
clamp_tensors_op = elementwise(
    "clamp_tensors", _tensor_between, "ClampBackward0", check=_refuse_complex,
    lowering="minimum(maximum(input, min), max)",
    input=lambda g, input, min, max, xp: xp.keep(g, (input >= min) & (input <= max)),
    min=lambda g, input, min, max, xp: xp.keep(g, (input < min) & (min < max)),
    max=lambda g, input, min, max, xp: xp.keep(g, (input > max) | (max < min)),
)  # fmt: skip


def _pick(condition: Any, tangents: Any, out: Any) -> Any:
    """A choice of two tangents, of which one may be None."""
    a, b = [0 if t is None else t for t in tangents]
    found = where_op(condition, a, b, out._array.dtype)
    return found if found.shape == out.shape else found.expand(out.shape)


@clamp_min_tensor_op.tangent
def clamp_min_tangent(op: Any, primals: Any, tangents: Any, attributes: Any, outs: Any) -> Any:
    """Beside NaN that of the bound, where no one gets the gradient."""
    return _pick(primals[0] >= primals[1], tangents, outs[0])


@clamp_max_tensor_op.tangent
def clamp_max_tangent(op: Any, primals: Any, tangents: Any, attributes: Any, outs: Any) -> Any:
    return _pick(primals[0] <= primals[1], tangents, outs[0])


@clamp_tensors_op.tangent
def clamp_tangent(op: Any, primals: Any, tangents: Any, attributes: Any, outs: Any) -> Any:
    """Where ``input`` equals the only bound it is that of the bound, where the gradient goes to ``input``."""
    x, low, high = primals
    of_x, of_low, of_high = tangents
    if not isinstance(high, Tensor):
        return _pick(x > low, (of_x, of_low), outs[0])
    if not isinstance(low, Tensor):
        return _pick(x < high, (of_x, of_high), outs[0])
    within = _pick(x < low, (of_low, _pick(x > high, (of_high, of_x), outs[0])), outs[0])
    return _pick(low > high, (of_high, within), outs[0])


def invalid(name: str, *args: Any) -> TypeError:
    kinds = ", ".join(type(a).__name__ for a in args if a is not None)
    return TypeError(f"{name}() received an invalid combination of arguments - got ({kinds})")


def _as_number(value: Any) -> Any:
    """A number for what PyTorch takes for one, as 0-d tensors that need no gradient; anything else as it is."""
    if isinstance(value, np.generic):
        return unscaled(value)
    return value.item() if isinstance(value, Tensor) and not value._array.ndim and not value.requires_grad else value


def _clamp_form(input: Any, min: Any, max: Any) -> tuple[Any, tuple[Any, ...]]:
    """The primitive for these bounds, and its arguments after ``input``."""
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    if (min is None or is_number(min)) and (max is None or is_number(max)):
        return clamp_numbers_op, (min, max)
    if not all(b is None or isinstance(b, Tensor) for b in (min, max)):
        bounds = tuple(b if b is None or is_number(b) else _as_number(b) for b in (min, max))
        if any(b is not None and not is_number(b) for b in bounds):
            raise invalid("clamp", input, min, max)
        return clamp_numbers_op, bounds
    dt = (promoted(maximum_op, (input, max if min is None else min)) or (0, input.dtype))[1]
    if dt.category == dtypes.BOOL and (min is None or max is None):
        return (clamp_min_tensor_op, (min,)) if max is None else (clamp_max_tensor_op, (max,))
    if min is None:
        min = _lowest(dt)
    if max is None:
        max = -_lowest(dt) if dt.category == dtypes.FLOAT else ~_lowest(dt)
    return clamp_tensors_op, (min, max)


def _lowest(dt: dtypes.dtype) -> Any:
    """A number of this dtype that bounds nothing from below; its negative or complement bounds nothing from above."""
    if dt.category == dtypes.INT:
        return int(np.iinfo(dt.numpy).min)
    return -np.inf if dt.category == dtypes.FLOAT else 0


@public("clamp clip", "clamp clip", out="exact", out_error=OTHER_THAN_FOUND)
def clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """Values below ``min`` become ``min``, values above ``max`` become ``max``."""
    op, bounds = _clamp_form(input, min, max)
    return op(input, *bounds)


@public("clamp_min", "clamp_min", out="exact", out_error=OTHER_THAN_FOUND)
def clamp_min(input: Tensor, min: Any) -> Tensor:
    """Values below ``min`` become ``min``."""
    return clamp_min_number_op(input, min) if is_number(min) else clamp_min_tensor_op(input, min)


@public("clamp_max", "clamp_max", out="exact", out_error=OTHER_THAN_FOUND)
def clamp_max(input: Tensor, max: Any) -> Tensor:
    """Values above ``max`` become ``max``."""
    return clamp_max_number_op(input, max) if is_number(max) else clamp_max_tensor_op(input, max)


_in_place = {
    op: inplace_form(op)
    for op in (
        clamp_numbers_op, clamp_tensors_op,
        clamp_min_number_op, clamp_min_tensor_op, clamp_max_number_op, clamp_max_tensor_op,
    )
}  # fmt: skip


def _clamp_in_place(op: Any, self: Any, *bounds: Any) -> Any:
    if isinstance(self, Tensor) and op not in (clamp_min_tensor_op, clamp_max_tensor_op):  # asked before shapes
        try:
            _refuse_complex(self._array)
        except NotImplementedError as e:
            raise refused_first(e, self, *bounds) from None
    numbers = [dtypes.of_scalar(b) for b in bounds if is_number(b)]
    by_numbers = len(numbers) == sum(b is not None for b in bounds)
    if by_numbers and isinstance(self, Tensor) and self.dtype.category <= dtypes.INT:
        result = dtypes.result_dtype(self.dtype, None, max(numbers, key=lambda d: d.category))
        if not dtypes.can_cast(result, self.dtype):
            raise RuntimeError(
                f"result type {dtypes.SCALAR_TYPE_NAMES[result]} can't be cast to the desired output type "
                f"{dtypes.cpp_name(self.dtype)}"
            )
    return _in_place[op](self, *bounds)


def clamp_(self: Any, min: Any = None, max: Any = None) -> Any:
    try:
        op, bounds = _clamp_form(self, min, max)
    except (TypeError, RuntimeError) as e:
        given = (self, min) if max is None else (self, min, max)
        raise mistake("clamp_", given, {}, True) or refused_first(e, self, min, max) from None
    return _clamp_in_place(op, self, *bounds)


def clamp_min_(self: Any, min: Any) -> Any:
    return _clamp_in_place(clamp_min_number_op if is_number(min) else clamp_min_tensor_op, self, min)


def clamp_max_(self: Any, max: Any) -> Any:
    return _clamp_in_place(clamp_max_number_op if is_number(max) else clamp_max_tensor_op, self, max)


set_methods(clamp_=clamp_, clip_=clamp_, clamp_min_=clamp_min_, clamp_max_=clamp_max_)
for _name, _fn in {"clamp_": clamp_, "clip_": clamp_, "clamp_min_": clamp_min_, "clamp_max_": clamp_max_}.items():
    FUNCTIONS[_name] = _fn
overridable(clamp_, clamp_min_, clamp_max_)


# ---- where

_BOOL = np.dtype(np.bool_)


@primitive("WhereBackward0", lowering="where(condition, input, other)", name="where", kind="elementwise")
def where_op(condition: Array, input: Array, other: Array, dtype: np.dtype[Any]) -> Any:
    a, b = [
        (x if x.dtype == dtype else cast(x, dtype)) if isinstance(x, np.ndarray) else number_array(x, dtype)
        for x in (input, other)
    ]
    try:
        return laid_out(select(condition, a, b), condition, a, b)
    except ValueError:
        common_shape(condition.shape, a.shape, b.shape)
        raise


where_op.vjp(
    input=lambda g, condition, xp: xp.keep(g, condition),
    other=lambda g, condition, xp: xp.drop(g, condition),
)


@where_op.tangent
def where_tangent(op: Any, primals: Any, tangents: Any, attributes: Any, outs: Any) -> Any:
    """A choice of tangents, in the dtype of the result: a real one may stand beside a complex one."""
    chosen = [0 if t is None else t for t in tangents[1:]]
    return op(primals[0], *chosen, *attributes).expand(outs[0].shape)


@public("where", "", out="exact", out_error="Expected out type to be {0} but got {1}")
def where(condition: Any, input: Any = None, other: Any = None) -> Any:
    """``input`` where ``condition``, else ``other``. With the condition alone: the indices where it holds."""
    if type(input) in PLAIN and type(other) in PLAIN and type(condition) in PLAIN:  # the common case of what follows
        dtype = input._array.dtype
        if dtype is other._array.dtype and condition._array.dtype is _BOOL:
            return where_op.call(condition, input, other, dtype)
    if input is None and other is None and isinstance(condition, Tensor):
        return condition.nonzero(as_tuple=True)
    values = [v.item() if isinstance(v, np.generic) else v for v in (input, other)]
    if not isinstance(condition, Tensor) or not all(isinstance(v, Tensor) or is_number(v) for v in values):
        raise invalid("where", condition, input, other)
    dt = condition._array.dtype
    if dt == np.uint8:
        warn_once(
            "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future "
            "version of PyTorch. Use a boolean condition instead."
        )
        condition = condition != 0
    elif dt != np.bool_:
        name = dtypes.SCALAR_TYPE_NAMES[condition.dtype]
        raise RuntimeError(f"where expected condition to be a boolean tensor, but got a tensor with dtype {name}")
    a, b = values
    if isinstance(a, Tensor) and isinstance(b, Tensor) and a._array.dtype is b._array.dtype:
        return where_op(condition, a, b, a._array.dtype)
    found = promoted(maximum_op, (a, b))
    assert found is not None
    if found[1].category == dtypes.INT:
        a, b = (v if isinstance(v, Tensor) else checked_number(v, found[1]) for v in (a, b))
    return where_op(condition, a, b, found[1].numpy)


@public("", "where")
def where_method(input: Tensor, condition: Tensor, other: Any) -> Tensor:
    """This tensor where ``condition``, else ``other``."""
    return where(condition, input, other)


# ---- signs and special values


def _copied_sign(input: Array, other: Array) -> Any:
    return np.copysign(input, other)


def _copied_sign_of_number(input: Array, other: object) -> Any:
    return np.copysign(input, number_like(other, input))


def _copysign_rule(g: Any, input: Any, out: Any, xp: Any) -> Any:
    return g * xp.cleared(out / input, input == 0)


_copysign = only("copysign_cpu", "f")
copysign_tensor_op = elementwise(
    "copysign", _copied_sign, "CopysignBackward0", promote="float", check=_copysign,
    input=_copysign_rule, other=no_gradient,
)  # fmt: skip
copysign_number_op = elementwise(
    "copysign_number", _copied_sign_of_number, "CopysignBackward1", promote="float", scalars=("other",),
    check=_copysign, input=_copysign_rule,
)  # fmt: skip


@public("copysign", "copysign", out=True)
def copysign(input: Any, other: Any) -> Tensor:
    """The magnitude of ``input`` with the sign of ``other``."""
    tensor_first("copysign", input, other)
    return copysign_number_op(input, other) if is_number(other) else copysign_tensor_op(input, other)


set_methods(copysign_=by_kind(copysign_number_op, copysign_tensor_op))


def _step(input: Array, values: Array) -> Any:
    return np.where(input == 0, values, (input > 0).astype(values.dtype))


def _heaviside_guard(input: Any, values: Any) -> None:
    kinds = [v.dtype for v in (input, values) if isinstance(v, Tensor)]
    if any(d.is_complex for d in kinds) or any(d is not kinds[0] for d in kinds):
        raise RuntimeError(_no_heaviside(kinds[0], kinds[-1], ""))


def _no_heaviside(wanted: dtypes.dtype, given: dtypes.dtype, field: str) -> str:
    kind = "complex tensors" if wanted.is_complex or given.is_complex else "tensors with different dtypes"
    return f"heaviside is not yet implemented for {kind}."


heaviside_op = underivable("heaviside", _step, "heaviside", numbers=False)
heaviside_op.guard = _heaviside_guard
expose(heaviside_op, "heaviside", "heaviside", "heaviside_", out_error=_no_heaviside)
nextafter_op = elementwise(
    "nextafter", np.nextafter, "NextafterBackward0", check=only("nextafter_cpu", "f"), numbers=False, fast=False,
    input=lambda g, input, other, xp: xp.either(input == other, 0, g), other=no_gradient,
)  # fmt: skip
nextafter_op.in_half = half.next_number
expose(nextafter_op, "nextafter", "nextafter", "nextafter_")


def _without_nan(input: Array, nan: Any, posinf: Any, neginf: Any) -> Any:
    if input.dtype.kind not in "fc":
        return copied(input)
    return np.nan_to_num(copied(input), copy=False, nan=nan, posinf=posinf, neginf=neginf)


nan_to_num_op = elementwise(
    "nan_to_num", _without_nan, "NanToNumBackward0", input=lambda g, input, xp: g * xp.isfinite(input)
)
_nan_to_num_in_place = inplace_form(nan_to_num_op)


@public(
    "nan_to_num", "nan_to_num", out="exact", out_error="nan_to_num: dtype of out: {1} should be same as input: {0}"
)
def nan_to_num(input: Tensor, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Tensor:
    """NaN and the infinities replaced; by 0 and the greatest and least finite values unless given."""
    if input.is_complex() and needs_gradient(input):
        raise RuntimeError("nan_to_num does not support automatic differentiation for outputs with complex dtype.")
    return nan_to_num_op(input, *_replacements(input, nan, posinf, neginf))


def _replacements(input: Tensor, nan: Any, posinf: Any, neginf: Any) -> tuple[Any, Any, Any]:
    if input.dtype.category >= dtypes.FLOAT and (posinf is None or neginf is None):
        info = dtypes.finfo(input.dtype)
        posinf = info.max if posinf is None else posinf
        neginf = info.min if neginf is None else neginf
    return 0.0 if nan is None else nan, posinf, neginf


def nan_to_num_(self: Any, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Any:
    if self.dtype.category < dtypes.FLOAT:
        return leave_elements(nan_to_num_op, self, 0.0, None, None)
    return _nan_to_num_in_place(self, *_replacements(self, nan, posinf, neginf))


set_methods(nan_to_num_=nan_to_num_)
FUNCTIONS["nan_to_num_"] = nan_to_num_
overridable(nan_to_num_)
