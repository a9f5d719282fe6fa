"""Sums, differences, products, quotients, remainders, signs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import devices, dtypes
from ..._core.missing import Missing
from ..._core.numbers import number_array, scalar
from ..._core.strides import copied
from ..._lazy import set_methods
from ..._tensor import Tensor
from ..arrays import half
from ..arrays.types import Array
from ..machine.arguments import is_number
from ..machine.deprecated import warn_of_number_first
from ..machine.elementwise import Elementwise, elementwise
from ..machine.errors import NoOverload
from ..machine.namespaces import TENSORS
from ..machine.operands import checked_number, promoted
from ..machine.overridable import overridable
from ..machine.public import FUNCTIONS, OTHER_THAN_FOUND, expose, public
from ..machine.refusals import only
from ..machine.rules import no_gradient, raw
from ..machine.write import inplace_form, refused_first


def number_like(value: Any, array: Any) -> Any:
    """A Python number as a 0-d array of an array's dtype; integers wrap around as in C."""
    dt = array.dtype
    return scalar(value, dt) if dt.kind == "f" and dt.itemsize >= 4 else number_array(value, dt)


def number_held(value: Any, array: Any) -> Any:
    """A Python number as a 0-d array of an array's dtype; an error if that cannot hold it."""
    dt = array.dtype
    if dt.kind == "f" and dt.itemsize >= 4 and -65504 < value < 65504:
        return scalar(value, dt)
    return number_array(checked_number(value, dtypes.of_array(array)), dt)


class Underivable(Elementwise):
    """An operator that PyTorch records but refuses to differentiate. Its node knows only inputs that require grad."""

    def make_node(self, outs: Any, tensors: Any, attributes: Any, edges: Any = None, like: Any = None) -> Any:
        node = super().make_node(outs, tensors, attributes, edges, like)
        if node is not None:
            node.next = tuple(e for e in node.next if e is not None)
            node.adapt = None
        return node


def underivable(name: str, kernel: Any, public_name: str, **options: Any) -> Elementwise:
    op = Underivable(name, kernel, "NotImplemented", fast=False, **options)
    for tensor in op.tensor_names:
        op.vjp(**{tensor: no_gradient})

    def propagate(node: Any, g: Any, xp: Any, edges: Any) -> Any:
        raise RuntimeError(f"derivative for aten::{public_name} is not implemented")

    op.node_class.propagate = propagate  # type: ignore[method-assign, assignment]
    return op.ready()


def not_two_numbers(input: Any, other: Any) -> None:
    """Refuse two numbers where PyTorch has forms for one of them only."""
    if not isinstance(input, Tensor) and not isinstance(other, Tensor):
        raise NoOverload


def tensor_first(name: str, input: Any, other: Any) -> None:
    """Refuse a number as first argument where PyTorch does."""
    if not isinstance(input, Tensor):
        kinds = f"{type(input).__name__}, {type(other).__name__}"
        raise TypeError(f"{name}() received an invalid combination of arguments - got ({kinds})")


# ---- addition and subtraction


add_op = elementwise("add", np.add, "AddBackward0", lowering="input + other", input=lambda g: g, other=lambda g: g)
mul_op = elementwise(
    "mul", np.multiply, "MulBackward0", lowering="input * other", quick={"input": np.multiply, "other": np.multiply},
    input=lambda g, other, xp: g * xp.conj(other),
    other=lambda g, input, xp: g * xp.conj(input),
)  # fmt: skip
mul_op.wide_numbers = True
expose(mul_op, "mul multiply", "mul multiply", "mul_ multiply_", "__mul__ __rmul__", "__imul__")

_TWO_BOOLS = (
    "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator "
    "instead."
)
_A_BOOL = (
    "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the "
    "`~` or `logical_not()` operator instead."
)


def _is_bool(value: Any) -> bool:
    return value._array.dtype == np.bool_ if isinstance(value, Tensor) else isinstance(value, bool)


def _refuse_bools(*values: Any) -> None:
    bools = [_is_bool(v) for v in values]
    if all(bools):
        raise RuntimeError(_TWO_BOOLS)
    if any(bools):
        raise RuntimeError(_A_BOOL)


sub_op = elementwise(
    "sub", np.subtract, "SubBackward0", quick={"other": np.negative}, input=lambda g: g, other=lambda g: -g,
    lowering="input - other",
)  # fmt: skip
sub_op.guard = _refuse_bools


def _scaled(input: Array, other: Array, alpha: object) -> Any:
    return np.add(input, np.multiply(other, number_held(alpha, other)))


def _minus_scaled(input: Array, other: Array, alpha: object) -> Any:
    return np.subtract(input, np.multiply(other, number_held(alpha, other)))


add_scaled_op = elementwise(
    "add_scaled", _scaled, "AddBackward0", lowering="input + other * alpha",
    input=lambda g: g, other=lambda g, alpha, xp: xp.times(g, alpha.conjugate()),
)  # fmt: skip
sub_scaled_op = elementwise(
    "sub_scaled", _minus_scaled, "SubBackward0", lowering="input - other * alpha",
    input=lambda g: g, other=lambda g, alpha, xp: xp.times(g, -alpha.conjugate()),
)  # fmt: skip
sub_scaled_op.guard = _refuse_bools


def _add_into(target: Any, other: Any, alpha: Any) -> None:
    np.add(target, np.multiply(other, number_held(alpha, other)), out=target)


def _subtract_out_of(target: Any, other: Any, alpha: Any) -> None:
    np.subtract(target, np.multiply(other, number_held(alpha, other)), out=target)


add_scaled_op.write, sub_scaled_op.write = _add_into, _subtract_out_of


def _check_alpha(alpha: Any, *args: Any) -> None:
    if alpha.__class__ in (float, int) and all(t.__class__ is Tensor and t._array.dtype.kind == "f" for t in args):
        return
    found = promoted(add_op, args)
    if found is None:
        return
    dt = found[1]
    if isinstance(alpha, bool) and dt.category != dtypes.BOOL:
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if dt.category <= dtypes.INT and not isinstance(alpha, int):
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    if dt.category != dtypes.COMPLEX and isinstance(alpha, complex):
        raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex number.")


def _number(value: Any) -> Any:
    """A Python number that was perhaps given as a 0-d tensor."""
    return value.item() if isinstance(value, (Tensor, np.generic)) else value


def _add_with_alpha(input: Any, other: Any, alpha: Any) -> Any:
    alpha = _number(alpha)
    _check_alpha(alpha, input, other)
    return add_scaled_op(input, other, alpha)


def _sub_with_alpha(input: Any, other: Any, alpha: Any) -> Any:
    alpha = _number(alpha)
    _check_alpha(alpha, input, other)
    return sub_scaled_op(input, other, alpha)


add_op.with_alpha = _add_with_alpha
sub_op.with_alpha = _sub_with_alpha
expose(add_op, "add", "add", "", "__add__ __radd__", "__iadd__")
expose(sub_op, "sub subtract", "sub subtract", "", "__sub__", "__isub__")


def _inplace_with_alpha(op: Elementwise, scaled: Elementwise) -> Any:
    plain, with_alpha = inplace_form(op), inplace_form(scaled)

    def change(self: Any, other: Any, *old: Any, alpha: Any = 1) -> Any:
        if old:
            other, alpha = _number_first(f"{op.name}_", other, *old)
        if alpha.__class__ is int and alpha == 1:
            return plain(self, other)
        alpha = _number(alpha)
        _check_alpha(alpha, self, other)
        return with_alpha(self, other, alpha)

    change.__name__ = change.__qualname__ = f"{op.name}_"
    return change


def _number_first(name: str, *given: Any) -> tuple[Any, Any]:
    """The arguments of PyTorch's older form, with ``alpha`` as a number before the tensor."""
    if len(given) != 2 or not is_number(given[0]):
        raise TypeError(f"{name}() takes 1 positional argument but {len(given)} were given")
    warn_of_number_first(name, is_method=True)
    return given[1], given[0]


_sub_ = _inplace_with_alpha(sub_op, sub_scaled_op)
set_methods(add_=_inplace_with_alpha(add_op, add_scaled_op), sub_=_sub_, subtract_=_sub_)


def _subtract_from(input: Array, other: object) -> Any:
    return np.subtract(number_like(other, input), input)


rsub_number_op = elementwise(
    "rsub_number", _subtract_from, "RsubBackward1", lowering="other - input", scalars=("other",), input=lambda g: -g
)
rsub_number_op.guard = lambda input: _refuse_bools(input, 1) if _is_bool(input) else None


def _from_number(input: Any, other: Any) -> Any:
    if other.__class__ is bool:
        _refuse_bools(input, other)
    return rsub_number_op(input, other)


def _rsub(input: Array, other: Array, alpha: object) -> Any:
    return np.subtract(other, np.multiply(input, number_held(alpha, input)))


rsub_tensor_op = elementwise(
    "rsub", _rsub, "RsubBackward0", input=lambda g, alpha: g * -alpha.conjugate(), other=lambda g: g,
    lowering="other - input * alpha",
)  # fmt: skip
rsub_tensor_op.guard = _refuse_bools
rsub_tensor_op.is_reflected = True
for _op in (add_scaled_op, sub_scaled_op, rsub_tensor_op):
    _op.rounded_numbers = (0,)  # alpha


for _op in (add_op, sub_op, rsub_number_op):
    _op.node_class._saved_alpha = 1  # type: ignore[attr-defined]


@public("rsub")
def rsub(input: Tensor, other: Any, *, alpha: Any = 1) -> Tensor:
    """``other - alpha * input``."""
    _check_alpha(alpha, input, other)
    if isinstance(other, Tensor):
        return rsub_tensor_op(input, other, alpha)
    return _from_number(input if alpha == 1 else input * alpha, other)


def _reflected_sub(self: Any, other: Any) -> Any:
    kind = type(other)
    if kind is int or kind is float:
        return rsub_number_op(self, other)
    if is_number(other):
        return _from_number(self, other)
    if isinstance(other, Tensor):
        return rsub_tensor_op(self, other, 1)
    return sub_op(other, self) if isinstance(other, np.generic) else NotImplemented


set_methods(__rsub__=_reflected_sub)
overridable(_reflected_sub)


# ---- division


div_op = elementwise(
    "div", np.true_divide, "DivBackward0", lowering="input / other", promote="float",
    input=lambda g, other, xp: g / xp.conj(other),
    other=lambda g, input, other, xp: -g * xp.conj((input / other) / other),
)  # fmt: skip
expose(div_op, "true_divide", "true_divide", "true_divide_", "__truediv__ __div__", "__itruediv__ __idiv__")


def _true(input: Array, other: Array) -> Any:
    return np.true_divide(input, other)


def _floored(input: Array, other: Array) -> Any:
    _refuse_zero(input, other)
    return np.floor_divide(input, other)


def _truncated(input: Array, other: Array) -> Any:
    _refuse_zero(input, other)
    if input.dtype.kind == "f":
        return np.trunc(np.true_divide(input, other))
    whole = np.floor_divide(input, other)
    return whole + ((np.less(input, 0) != np.less(other, 0)) & (whole * other != input)).astype(whole.dtype)


def _refuse_zero(input: Any, other: Any) -> None:
    if input.dtype.kind in "iu" and np.any(np.equal(other, 0)) and other.__class__ is np.ndarray:
        raise RuntimeError("ZeroDivisionError")


div_unrounded_op = elementwise(
    "div_unrounded", _true, "DivBackward2", lowering="input / other", promote="float",
    input=lambda g, other, xp: g / xp.conj(other),
    other=lambda g, input, other, xp: -g * xp.conj((input / other) / other),
)  # fmt: skip
_SAVES_OPERANDS: dict[str, Any] = {
    "input": lambda g, other, xp: no_gradient(g, xp),
    "other": lambda g, input, other, xp: no_gradient(g, xp),
}
"""As the quotient that is not rounded."""

div_floor_op = elementwise(
    "div_floor", _floored, "DivBackward2", check=only("div_floor_cpu", "if"), **_SAVES_OPERANDS
)
div_trunc_op = elementwise(
    "div_trunc", _truncated, "DivBackward2", check=only("div_trunc_cpu", "if"), **_SAVES_OPERANDS
)
div_floor_op.in_half, div_trunc_op.in_half = half.floored_quotient, half.truncated_quotient
for _op in (div_op, div_unrounded_op, div_floor_op, div_trunc_op):
    _op.wide_numbers = True
_ROUNDED = {None: div_unrounded_op, "floor": div_floor_op, "trunc": div_trunc_op}
for _mode, _op in _ROUNDED.items():
    _op.shown = {"rounding_mode": _mode}
_rounded_in_place = {mode: inplace_form(op) for mode, op in _ROUNDED.items()}
_div_in_place = inplace_form(div_op)
_PLAINLY: Any = Missing()


def _rounded(rounding_mode: Any) -> Elementwise:
    if rounding_mode not in _ROUNDED:
        raise RuntimeError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
        )
    return _ROUNDED[rounding_mode]


@public("div divide", "div divide", out=True)
def divide(input: Any, other: Any, *, rounding_mode: Any = _PLAINLY) -> Tensor:
    """The quotient; ``rounding_mode``: ``"trunc"`` or ``"floor"``."""
    if rounding_mode is _PLAINLY:
        return div_op(input, other)
    return _rounded(rounding_mode)(input, other)


def _divide_in_place(self: Any, other: Any, *, rounding_mode: Any = _PLAINLY) -> Any:
    if rounding_mode is _PLAINLY:
        return _div_in_place(self, other)
    _rounded(rounding_mode)
    return _rounded_in_place[rounding_mode](self, other)


set_methods(div_=_divide_in_place, divide_=_divide_in_place)


def reciprocal_array(input: Array) -> Any:
    found = np.reciprocal(input)
    if input.dtype.kind == "c":  # NumPy has NaN for both parts
        found = np.where(input == 0, input.dtype.type(complex(np.inf, np.nan)), found)
    return found


def _reciprocal_into(target: Any) -> None:
    np.reciprocal(target, target)


reciprocal_op = elementwise(
    "reciprocal", reciprocal_array, "ReciprocalBackward0", lowering="reciprocal(input)", promote="float",
    input=lambda g, out, xp: -g * xp.conj(out * out),
)  # fmt: skip
reciprocal_op.write = _reciprocal_into
expose(reciprocal_op, "reciprocal", "reciprocal", "reciprocal_")


def _reflected_div(self: Any, other: Any) -> Any:
    if is_number(other) or isinstance(other, (Tensor, np.ndarray)):
        return reciprocal_op(self) * other
    return div_op(other, self) if isinstance(other, np.generic) else NotImplemented


set_methods(__rtruediv__=_reflected_div, __rdiv__=_reflected_div)
overridable(_reflected_div)

floor_divide_op = underivable("floor_divide", _floored, "floor_divide", check=only("div_floor_cpu", "if"))
expose(floor_divide_op, "floor_divide", "floor_divide", operators="__floordiv__")
floor_divide_in_place_op = underivable("floor_divide_", _floored, "floor_divide_", check=only("div_floor_cpu", "if"))
floor_divide_op.in_half = floor_divide_in_place_op.in_half = half.floored_quotient
floor_divide_op.wide_numbers = floor_divide_in_place_op.wide_numbers = True
expose(floor_divide_in_place_op, inplace="floor_divide_", inplace_operators="__ifloordiv__")


def _remaining(input: Array, other: Array) -> Any:
    _refuse_zero(input, other)
    found = np.asanyarray(np.remainder(input, other))
    if found.dtype.kind == "f" and found.__class__ is not devices.MetaArray:
        # A zero has the sign of the dividend, in NumPy that of the divisor.
        np.copysign(found, input, out=found, where=found == 0)
    return found


def _c_remaining(input: Array, other: Array) -> Any:
    _refuse_zero(input, other)
    return np.fmod(input, other)


def _by_number(kernel: Any) -> Any:
    def by_number(input: Array, other: object) -> Any:
        return kernel(input, number_like(other, input))

    return by_number


_remainder = only("remainder_cpu", "if")
_fmod = only("fmod_cpu", "if")
remainder_number_op = elementwise(
    "remainder_number", _by_number(_remaining), "RemainderBackward0", scalars=("other",), check=_remainder,
    input=lambda g: g,
)  # fmt: skip
remainder_tensor_op = elementwise(
    "remainder", _remaining, "RemainderBackward1", check=_remainder, input=lambda g: g,
    other=lambda g, input, other, xp: -g * xp.div_floor(input, other),
)  # fmt: skip
remainder_of_number_op = elementwise(
    "remainder_of_number", _remaining, "NotImplemented", check=_remainder,
    other=lambda g, input, other, xp: -g * xp.div_floor(input, other),
)  # fmt: skip
fmod_number_op = elementwise(
    "fmod_number", _by_number(_c_remaining), "FmodBackward0", scalars=("other",), check=_fmod, input=lambda g: g
)
fmod_tensor_op = elementwise(
    "fmod", _c_remaining, "FmodBackward1", check=_fmod, input=lambda g: g,
    other=lambda g, input, other, xp: -g * xp.div_trunc(input, other),
)  # fmt: skip


@public("remainder", "remainder", out=True, overloads=True)
def remainder(input: Any, other: Any) -> Tensor:
    """The remainder with the divisor's sign, as Python's ``%``."""
    not_two_numbers(input, other)
    if is_number(other):
        return remainder_number_op(input, other)
    return remainder_of_number_op(input, other) if is_number(input) else remainder_tensor_op(input, other)


@public("fmod", "fmod", out=True)
def fmod(input: Any, other: Any) -> Tensor:
    """The remainder with the dividend's sign, as C's."""
    tensor_first("fmod", input, other)
    return fmod_number_op(input, other) if is_number(other) else fmod_tensor_op(input, other)


def by_kind(number_op: Elementwise, tensor_op: Elementwise, operator: bool = False) -> Any:
    """The in-place method of an operator that has one primitive for numbers and one for tensors."""
    with_number, with_tensor = inplace_form(number_op), inplace_form(tensor_op, operator)

    def change(self: Any, other: Any) -> Any:
        return with_number(self, other) if is_number(other) else with_tensor(self, other)

    change.__name__ = change.__qualname__ = f"{tensor_op.name}_"
    return change


def _mod(self: Any, other: Any) -> Any:
    return remainder_number_op(self, other) if is_number(other) else remainder_tensor_op.operator(self, other)


def _reflected_mod(self: Any, other: Any) -> Any:
    return remainder(other, self) if is_number(other) or isinstance(other, Tensor) else NotImplemented


def _reflected_floordiv(self: Any, other: Any) -> Any:
    return floor_divide_op(other, self) if is_number(other) else NotImplemented


set_methods(
    __mod__=_mod, __rmod__=_reflected_mod, __rfloordiv__=_reflected_floordiv,
    remainder_=by_kind(remainder_number_op, remainder_tensor_op), fmod_=by_kind(fmod_number_op, fmod_tensor_op),
    __imod__=by_kind(remainder_number_op, remainder_tensor_op, operator=True),
)  # fmt: skip
overridable(_mod, _reflected_mod, _reflected_floordiv)


# ---- signs


def _refuse_bool_negation(array: Any) -> None:
    if array.dtype == np.bool_:
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use "
            "the `~` or `logical_not()` operator instead."
        )


neg_op = elementwise(
    "neg", np.negative, "NegBackward0", lowering="-input", check=_refuse_bool_negation, quick={"input": np.negative},
    input=lambda g: -g,
)  # fmt: skip
expose(neg_op, "neg negative", "neg negative", "neg_ negative_", out_error=OTHER_THAN_FOUND)
set_methods(__neg__=neg_op.method)


@public("positive", "positive __pos__")
def positive(input: Tensor) -> Tensor:
    """The tensor itself."""
    if input._array.dtype == np.bool_:
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


def _real_sign(x: Any) -> Any:
    return np.subtract(np.greater(x, 0), np.less(x, 0), dtype=x.dtype, casting="unsafe")


def _sgn(input: Array) -> Any:
    if input.dtype.kind == "c":
        size = np.absolute(input)
        return np.divide(input, np.where(size == 0, 1, size).astype(size.dtype, copy=False))
    return copied(input) if input.dtype == np.bool_ else _real_sign(input)


_SIGN = "where(input > 0, 1, where(input < 0, -1, 0))"


def _sgn_rule(g: Any, input: Any, out: Any, xp: Any) -> Any:
    if raw(input).dtype.kind != "c":
        return no_gradient(g, xp)
    size = xp.abs(input)
    turned = (g - out * out * xp.conj(g)) / (size * 2)
    return xp.either(size == 0, 0, turned)


sgn_op = elementwise("sgn", _sgn, "SgnBackward0", lowering=_SIGN, holomorphic=False, input=_sgn_rule)
expose(sgn_op, "sgn", "sgn", "sgn_", out_error=OTHER_THAN_FOUND)


@sgn_op.tangent
def sgn_tangent(op: Any, primals: Any, tangents: Any, attributes: Any, outs: Any) -> Any:
    """Its derivative is symmetric; 0 at 0, too."""
    return _sgn_rule(tangents[0], primals[0], outs[0], TENSORS)


abs_op = elementwise(
    "abs", np.absolute, "AbsBackward0", check=only("abs_cpu", "ifc"), input=lambda g, input, xp: g * xp.sgn(input),
    lowering="abs(input)",
)  # fmt: skip
expose(abs_op, "abs absolute", "abs absolute __abs__", out_error=OTHER_THAN_FOUND)
_abs_in_place = inplace_form(abs_op)


def _abs_(self: Any) -> Any:
    if self._array.dtype.kind == "c":
        raise refused_first(RuntimeError("In-place abs is not supported for complex tensors."), self)
    return _abs_in_place(self)


set_methods(abs_=_abs_, absolute_=_abs_)
FUNCTIONS["abs_"] = _abs_
overridable(_abs_)


def _refuse_complex_sign(array: Any) -> None:
    if array.dtype.kind == "c":
        raise NotImplementedError(
            "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn instead."
        )


sign_op = elementwise("sign", _sgn, "SignBackward0", lowering=_SIGN, check=_refuse_complex_sign, input=no_gradient)
expose(sign_op, "sign", "sign", "sign_", out_error=OTHER_THAN_FOUND)
