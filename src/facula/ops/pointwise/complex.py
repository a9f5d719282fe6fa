"""Complex numbers: their parts as views, and making them of parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import dtypes, state
from ..._core.devices import MetaArray, empty_meta
from ..._core.layouts import strided
from ..._core.strides import by_rows, element_strides, repeats_laid_out, storage_offset
from ..._core.unresolved import CONJ, NEG
from ..._lazy import set_methods
from ..._tensor import Tensor
from ..arrays.types import Array
from ..machine import batching
from ..machine.elementwise import elementwise
from ..machine.namespaces import TENSORS
from ..machine.primitive import Primitive
from ..machine.public import FUNCTIONS, OTHER_THAN_FOUND, expose, public
from ..machine.rules import in_both_namespaces, no_gradient, raw
from ..machine.write import inplace_form, leave_elements
from ..moving.fill import number_tensor

# ---- views that change the dtype


class ReplayedView(Primitive):
    """A view that as_strided cannot make again, because its elements are of another dtype than its base's."""

    replayed = True

    def _replay(self, attributes: tuple[Any, ...]) -> Any:
        return lambda t: self(t, *attributes)


_PARTS = {np.dtype(np.complex64): np.dtype(np.float32), np.dtype(np.complex128): np.dtype(np.float64)}
_WHOLES: dict[Any, Any] = {part: whole for whole, part in _PARTS.items()}


def _parts(input: Array) -> Any:
    return input[..., None].view(_PARTS[input.dtype])


def _joined(input: Array) -> Any:
    if input.strides[-1] != input.itemsize:  # a gradient that was broadcast, in a program
        input = np.ascontiguousarray(input)
    return input.view(_WHOLES[input.dtype])[..., 0]


view_as_real_op = ReplayedView("view_as_real", _parts, "ViewAsRealBackward0", view=True, batch=batching.last_dimensions)
view_as_complex_op = ReplayedView(
    "view_as_complex", _joined, "ViewAsComplexBackward0", view=True, batch=batching.last_dimensions
)
view_as_real_op.vjp(input=lambda g, xp: xp.view_as_complex(xp.dense(g)))
view_as_complex_op.vjp(input=lambda g, xp: xp.view_as_real(g))
in_both_namespaces("dense", np.ascontiguousarray, lambda t: t.contiguous())


@public("view_as_real")
def view_as_real(input: Tensor) -> Tensor:
    """A view with one more dimension, of size 2: the real and the imaginary part."""
    if not input.is_complex():
        raise RuntimeError("view_as_real is only supported for complex tensors")
    if input.is_conj():
        raise RuntimeError(
            "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate tensor so you can "
            "view it as real, use self.resolve_conj(); however, be warned that the resulting tensor will NOT alias the "
            "original."
        )
    return view_as_real_op(input)


@public("view_as_complex", autocast="full")
def view_as_complex(input: Tensor) -> Tensor:
    """A view whose last dimension, of size 2, is taken as real and imaginary part."""
    array = input._array
    if array.dtype not in _WHOLES:
        name = dtypes.SCALAR_TYPE_NAMES[input.dtype]
        raise RuntimeError(
            "view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar type: "
            f"{name}"
        )
    if array.ndim == 0:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if array.shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    strides = element_strides(array)
    if strides[-1] != 1:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    if any(s % 2 for s, n in zip(strides[:-1], array.shape) if n != 1):
        raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
    if storage_offset(array) % 2:
        raise RuntimeError("Tensor must have a storage_offset divisible by 2")
    return view_as_complex_op(input)


def _real(input: Tensor) -> Tensor:
    """A view of the real part; a real tensor is its own."""
    if input._array.dtype.kind != "c":
        return input
    return view_as_real_op(conj_op(input) if input.is_conj() else input).select(-1, 0)


def _imag(input: Tensor) -> Tensor:
    """A view of the imaginary part."""
    if input._array.dtype.kind != "c":
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    if input.is_conj():
        return neg_view_op(view_as_real_op(conj_op(input))).select(-1, 1)
    return view_as_real_op(input).select(-1, 1)


@public("real")
def real(input: Tensor) -> Tensor:
    """A view of the real part; a real tensor is its own."""
    return _real(input)


@public("imag")
def imag(input: Tensor) -> Tensor:
    """A view of the imaginary part."""
    return _imag(input)


def _real_part(self: Tensor) -> Tensor:
    """A view of the real part; a real tensor is its own."""
    return FUNCTIONS["real"](self) if state.special and state.modes.function_modes else _real(self)


def _imaginary_part(self: Tensor) -> Tensor:
    """A view of the imaginary part."""
    return FUNCTIONS["imag"](self) if state.special and state.modes.function_modes else _imag(self)


def _set_real(self: Tensor, value: Any) -> None:
    real = _real(self)
    real.copy_(value if isinstance(value, Tensor) else number_tensor(real, value))


def _set_imag(self: Tensor, value: Any) -> None:
    imag = _imag(self)
    imag.copy_(value if isinstance(value, Tensor) else number_tensor(imag, value))


set_methods(real=property(_real_part, _set_real), imag=property(_imaginary_part, _set_imag))
in_both_namespaces("real", lambda x: x.real if x.dtype.kind == "c" else x, _real)
in_both_namespaces("imag", lambda x: x.imag, _imag)


# ---- the conjugate and the negative as views


class FlippedView(ReplayedView):
    """A view whose elements are computed from those in memory each time they are read; see ``_core.unresolved``.

    The kernel, which computes them, is for gradients and for programs.
    """

    def __init__(self, name: str, kernel: Any, node: str, flips: int) -> None:
        super().__init__(name, kernel, node, view=True, batch=batching.last_dimensions)
        self.flips = flips


def conj_array(x: Any) -> Any:
    """np.conjugate copies real arrays; this returns them as they are."""
    return np.conjugate(x) if x.dtype.kind == "c" else x


conj_op = FlippedView("_conj", np.conjugate, "ConjBackward0", CONJ)
neg_view_op = FlippedView("_neg_view", np.negative, "NegViewBackward0", NEG)
conj_op.vjp(input=lambda g, xp: xp.conj(g))
neg_view_op.vjp(input=lambda g: -g)


@public("_conj", "_conj")
def _conj(input: Tensor) -> Tensor:
    """A view that shows conjugates."""
    if input._array.dtype.kind != "c":
        raise RuntimeError(f"_conj is for complex tensors, but got one of {input.dtype}")
    return conj_op(input)


@public("_neg_view", "_neg_view")
def _neg_view(input: Tensor) -> Tensor:
    """A view that shows negatives."""
    return neg_view_op(input)


@public("conj", "conj")
def conj_tensor(input: Tensor) -> Tensor:
    """The complex conjugate, a view of the same memory; a real tensor is returned as it is."""
    if input._array.dtype.kind != "c":
        return input
    return conj_op(input) if input.layout is strided else conj_physical(input)


@public("resolve_conj", "resolve_conj")
def resolve_conj(input: Tensor) -> Tensor:
    """The tensor itself, or a copy with conjugates in memory if it is a view that shows them."""
    return input.clone() if input.is_conj() else input


@public("resolve_neg", "resolve_neg")
def resolve_neg(input: Tensor) -> Tensor:
    """The tensor itself, or a copy with negatives in memory if it is a view that shows them."""
    return input.clone() if input.is_neg() else input


in_both_namespaces("conj", conj_array, conj_tensor)


# ---- the conjugate as numbers of its own


conj_physically_op = elementwise(
    "conj_physically", np.conjugate, "ConjPhysicalBackward0", holomorphic=False, input=lambda g, xp: xp.conj(g)
)
_conjugate_here_op = conj_physically_op.under("conj_physically_", "ConjPhysicalBackward1")
_conj_in_place = inplace_form(_conjugate_here_op)


@public("_conj_physical", "_conj_physical")
def _conj_physical(input: Tensor) -> Tensor:
    """The complex conjugate; a real tensor is returned as it is."""
    return conj_physical(input)


@public("conj_physical", "conj_physical", out="exact", out_error=OTHER_THAN_FOUND)
def conj_physical(input: Tensor) -> Tensor:
    """The complex conjugate; a real tensor is returned as it is."""
    return conj_physically_op(input) if input._array.dtype.kind == "c" else input


@public("conj_physical_", "conj_physical_")
def conj_physical_(input: Tensor) -> Tensor:
    """``conj_physical`` in place."""
    changed: Tensor = _conj_in_place(input) if input.is_complex() else leave_elements(_conjugate_here_op, input)
    return changed


# ---- modulus and argument


def _angle(input: Array) -> Any:
    if input.dtype.kind == "c":
        return by_rows(np.arctan2(input.imag, input.real))
    found = np.where(np.isnan(input), input, np.where(input < 0, input.dtype.type(np.pi), input.dtype.type(0)))
    return repeats_laid_out(found, input)


def _angle_rule(g: Any, input: Any, xp: Any) -> Any:
    if raw(input).dtype.kind != "c":
        return no_gradient(g, xp)
    size = xp.abs(input)
    return xp.either(input == 0, 0, g * (input * 1j) / (size * size))


angle_op = elementwise("angle", _angle, "AngleBackward0", promote="float", input=_angle_rule)
angle_op.lays_out = True
expose(angle_op, "angle", "angle")


@angle_op.tangent
def angle_tangent(op: Any, primals: Any, tangents: Any, attributes: Any, outs: Any) -> Any:
    """0 at 0."""
    (x,), (t,) = primals, tangents
    if raw(x).dtype.kind != "c":
        return no_gradient(t, TENSORS)
    size = x.abs()
    return TENSORS.either(x == 0, 0, (x.conj() * t).imag / (size * size))


# ---- making complex numbers


def _check_parts(a: Any, b: Any) -> None:
    names = dtypes.SCALAR_TYPE_NAMES
    floats = (dtypes.float16, dtypes.float32, dtypes.float64)
    if a.dtype not in floats or b.dtype not in floats:
        raise RuntimeError(
            f"Expected both inputs to be Half, Float or Double tensors but got {names[a.dtype]} and {names[b.dtype]}"
        )
    if a.dtype is not b.dtype:
        raise RuntimeError(
            f"Expected object of scalar type {names[a.dtype]} but got scalar type {names[b.dtype]} for second argument"
        )


def _of_parts(input: Array, other: Array) -> Any:
    shape = np.broadcast_shapes(input.shape, other.shape)
    if input.__class__ is MetaArray:
        return empty_meta(shape, _WHOLES[input.dtype])
    is_alike = input.shape == other.shape and input.strides == other.strides
    result = np.empty_like(input, _WHOLES[input.dtype]) if is_alike else np.empty(shape, _WHOLES[input.dtype])
    result.real = input
    result.imag = other
    return result


def _of_angle(input: Array, other: Array) -> Any:
    return _of_parts(input * np.cos(other), input * np.sin(other))


complex_op = elementwise(
    "complex", _of_parts, "ComplexBackward0", holomorphic=False, numbers=False, fast=False,
    saved_names={"input": "real", "other": "imag"},
    input=lambda g, input, xp: xp.real(g), other=lambda g, other, xp: xp.imag(g),
)  # fmt: skip
complex_op.guard = _check_parts
polar_op = elementwise(
    "polar", _of_angle, "PolarBackward0", holomorphic=False, numbers=False, fast=False,
    input=lambda g, out, xp: xp.real(xp.conj(g) * xp.sgn(out)),
    other=lambda g, out, xp: xp.real(xp.conj(g) * (out * 1j)),
)  # fmt: skip
polar_op.guard = _check_parts


@polar_op.tangent
def polar_tangent(op: Any, primals: Any, tangents: Any, attributes: Any, outs: Any) -> Any:
    """True of negative moduli as well, of which PyTorch's gradient is not: so no tangent is a modulus."""
    (angle, (out,)), (by_modulus, by_angle) = (primals[1], outs), tangents
    parts = [] if by_modulus is None else [complex_op(by_modulus * angle.cos(), by_modulus * angle.sin())]
    if by_angle is not None:
        parts.append(out * 1j * by_angle)
    return sum(parts[1:], parts[0]).expand(out.shape)


_OTHER_OUT = "Expected object of scalar type {0} but got scalar type {1} for argument 'out'"


@public("complex", out="exact", out_error=_OTHER_OUT)
def complex(real: Tensor, imag: Tensor) -> Tensor:
    """Complex numbers of their real and imaginary parts."""
    return complex_op(real, imag)


@public("polar", out="exact", out_error=_OTHER_OUT, autocast="full")
def polar(abs: Tensor, angle: Tensor) -> Tensor:
    """Complex numbers of their moduli and arguments."""
    return polar_op(abs, angle)
