"""Products of vectors and matrices, each with its own node: mm, bmm, mv, dot, vdot.

NOTE [layout of gradients]: the gradient of a matrix that lies in memory column by column is computed transposed, so
that it lies in memory as the matrix does. So a weight used as ``x @ w.t()`` gets a gradient in its own order, without a
copy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.devices import MetaArray
from ..._core.dtypes import F32, F64, beside_out, cpp_name, not_for, widened
from ..._core.quiet import safe
from ..._tensor import Tensor
from ..arrays.types import Array
from ..machine import batching, native
from ..machine.autocast import is_on, lowered
from ..machine.namespaces import TENSORS
from ..machine.primitive import primitive
from ..machine.public import public
from ..machine.refusals import no_dimensions, scalar_type
from ..machine.rules import raw
from ..views.shape import expand_error

ndarray = np.ndarray


# ---- kernels


@safe
def product(a: Any, b: Any) -> Any:
    """``a @ b`` for vectors and matrices: NumPy's method is its quickest way. Half precision is computed in float32."""
    dt = a.dtype
    if dt is F32 or dt is F64:
        if a.__class__ is MetaArray or b.__class__ is MetaArray:
            return np.matmul(a, b)
        return a.dot(b)
    return np.matmul(a, b) if dt.kind in "iuc" else np.matmul(widened(a), widened(b)).astype(dt)


def batch_product(a: Any, b: Any) -> Any:
    """``a @ b`` for batches of matrices."""
    if a.dtype.kind not in "iuc" and a.dtype.itemsize <= 2:
        return np.matmul(widened(a), widened(b), order="C").astype(a.dtype)
    if a.ndim == 3 == b.ndim and a.__class__ is ndarray is b.__class__ and len(a) == len(b) > 1 and a.size and b.size:
        if a.shape[2] == 1:  # columns times rows: einsum's loops are the best for these
            return np.einsum("bi,bj->bij", a[:, :, 0], b[:, 0], order="C")
        if not b.strides[0]:  # one matrix for all, as ``expand`` makes it: their rows are just more rows
            return a.reshape(-1, a.shape[2]).dot(b[0]).reshape(*a.shape[:2], b.shape[2])
        if not a.strides[0] and a.shape[1] == 1:
            return a[0, 0].dot(b)[:, None]
    return np.matmul(a, b, order="C")


# ---- what the rules share


def scaled(g: Any, by: Any) -> Any:
    if by == 1:
        return g
    return TENSORS.mul_number(g, by.conjugate()) if isinstance(g, Tensor) else g * by.conjugate()


def adjoint(x: Any, xp: Any) -> Any:
    return xp.t(xp.conj(x) if raw(x).dtype.kind == "c" else x)


def batch_adjoint(x: Any, xp: Any) -> Any:
    return xp.transpose(xp.conj(x), 1, 2)


def left_gradient(g: Any, right: Any, shape: Any, strides: Any, xp: Any) -> Any:
    """The gradient of ``left`` in ``left @ right``; see NOTE [layout of gradients]."""
    by_columns = strides[0] == 1 and strides[1] == shape[0] and shape[1] > 1
    if xp.is_raw and (g.dtype is F32 or g.dtype is F64) and type(g) is ndarray is type(right):
        return times(right, g.T).T if by_columns else times(g, right.T)
    if by_columns:
        return xp.t(xp.mm(xp.conj(right), xp.t(g)))
    return xp.mm(g, adjoint(right, xp))


def right_gradient(g: Any, left: Any, shape: Any, strides: Any, xp: Any) -> Any:
    by_columns = strides[0] == 1 and strides[1] == shape[0] and shape[1] > 1
    if xp.is_raw and (g.dtype is F32 or g.dtype is F64) and type(g) is ndarray is type(left):
        return times(g.T, left).T if by_columns else times(left.T, g)
    if by_columns:
        return xp.t(xp.mm(xp.t(g), xp.conj(left)))
    return xp.mm(adjoint(left, xp), g)


def outer_gradient(g: Any, vec: Any, xp: Any) -> Any:
    return xp.view(g, (g.shape[0], 1)) * xp.conj(vec)


# ---- checks, with PyTorch's sentences


def require_tensors(name: str, *given: tuple[str, Any]) -> None:
    for at, (argument, value) in enumerate(given):
        if not isinstance(value, Tensor):
            kind = "NoneType" if value is None else type(value).__name__
            raise TypeError(f"{name}(): argument '{argument}' (position {at + 1}) must be Tensor, not {kind}")


def refuse_bool(kernel: str, t: Tensor) -> None:
    if t._array.dtype.kind == "b" and (t._array.size or kernel == "dot"):
        raise not_for(kernel, t.dtype)


def shapes_cannot_be_multiplied(a: Any, b: Any) -> RuntimeError:
    return RuntimeError(
        f"mat1 and mat2 shapes cannot be multiplied ({a.shape[0]}x{a.shape[1]} and {b.shape[0]}x{b.shape[1]})"
    )


def require_expandable(input: Any, shape: tuple[int, ...]) -> None:
    """Of what is added to a product: its shape must be expandable to the product's."""
    here = input._array.shape
    if here != shape:
        lead = len(shape) - len(here)
        if lead < 0 or any(n not in (1, m) for n, m in zip(here, shape[lead:])):
            raise expand_error(shape, here, scalar_type(input))


def _wrong_ndim(name: str, tensors: tuple[Any, Any], wanted: tuple[int, int], text: str) -> Exception:
    """What is said of tensors with too few or too many dimensions; of those of a batch ``vmap`` says it."""
    if not any(t.wraps and t._level.size >= 0 for t in tensors):
        return RuntimeError(text)
    if not name:
        return RuntimeError("Got wrong shapes for dot")
    a, b = (t._array.ndim for t in tensors)
    return RuntimeError(
        f"Shape mismatch: Got incorrect dims for {name}(a, b). a has dim {a}and b has dim {b}but expected them to have "
        f"dim {wanted[0]} and dim {wanted[1]}"
    )


def check_mm(input: Any, mat2: Any) -> None:
    require_tensors("mm", ("input", input), ("mat2", mat2))
    a, b = input._array, mat2._array
    if a.ndim != 2:
        raise _wrong_ndim("mm", (input, mat2), (2, 2), "self must be a matrix")
    if b.ndim != 2:
        raise _wrong_ndim("mm", (input, mat2), (2, 2), "mat2 must be a matrix")
    if a.shape[1] != b.shape[0]:
        raise shapes_cannot_be_multiplied(a, b)
    if a.dtype != b.dtype:
        names = f"{cpp_name(input.dtype)} != {cpp_name(mat2.dtype)}"
        error = RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {names}")
        raise beside_out(error, input.dtype)
    refuse_bool("addmm_impl_cpu_", input)


def check_bmm(name: str, batch1: Any, batch2: Any) -> None:
    require_tensors(name, ("input", batch1), ("mat2", batch2))
    a, b = batch1._array, batch2._array
    if a.ndim != 3:
        raise _wrong_ndim("bmm", (batch1, batch2), (3, 3), "batch1 must be a 3D tensor")
    if b.ndim != 3:
        raise _wrong_ndim("bmm", (batch1, batch2), (3, 3), "batch2 must be a 3D tensor")
    if b.shape[0] != a.shape[0] or b.shape[1] != a.shape[2]:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{a.shape[0]}, {a.shape[2]}] but got: "
            f"[{b.shape[0]}, {b.shape[1]}]."
        )
    require_same_scalar_type(batch1, batch2)
    refuse_bool(name, batch1)


def require_same_scalar_type(a: Any, b: Any) -> None:
    if a._array.dtype != b._array.dtype:
        error = RuntimeError(f"expected scalar type {scalar_type(a)} but found {scalar_type(b)}")
        raise beside_out(error, b.dtype)


def check_dot(name: str, a: Any, b: Any) -> None:
    require_tensors(name, ("input", a), ("tensor" if name == "dot" else "other", b))
    x, y = a._array, b._array
    if x.ndim != 1 or y.ndim != 1:
        raise _wrong_ndim("", (a, b), (1, 1), f"1D tensors expected, but got {x.ndim}D and {y.ndim}D tensors")
    if x.dtype != y.dtype:
        names = f"{scalar_type(a)} and {scalar_type(b)}"
        error = RuntimeError(f"dot : expected both vectors to have same dtype, but found {names}")
        raise beside_out(error, a.dtype)
    if x.size != y.size:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{x.size}] and src [{y.size}] to have the same number of "
            f"elements, but got {x.size} and {y.size} elements respectively"
        )
    refuse_bool("dot", a)


def check_mv(mat: Any, vec: Any, input: Any = None) -> None:
    require_tensors("mv" if input is None else "addmv", ("input", mat), ("vec", vec))
    a, v = mat._array, vec._array
    added = None if input is None else input._array
    ndim = 1 if added is None else added.ndim
    if added is None and not a.ndim:
        raise no_dimensions(0)
    if ndim > 1 or a.ndim != 2 or v.ndim != 1:
        text = f"vector + matrix @ vector expected, got {ndim}, {a.ndim}, {v.ndim}"
        raise _wrong_ndim("mv", (mat, vec), (2, 1), text)
    size = a.shape[0] if added is None or added.size == 1 else added.shape[0]
    if a.shape[1] != v.shape[0] or size != a.shape[0]:
        raise RuntimeError(f"size mismatch, got input ({size}), mat ({a.shape[0]}x{a.shape[1]}), vec ({v.shape[0]})")
    first = vec if input is None else input
    if not a.dtype == v.dtype == first._array.dtype:
        raise RuntimeError(
            "addmv input tensors must have the same dtype, but got "
            f"{scalar_type(first)}, {scalar_type(mat)}, and {scalar_type(vec)}"
        )
    refuse_bool("addmv_impl_cpu", mat)


# ---- products of two


@primitive("MmBackward0", name="mm", kind="multilinear", native=("products:mm", 1024), lowering="input @ mat2")
@safe
def mm_op(input: Array, mat2: Array) -> Any:
    return product(input, mat2)


times: Any = native.kernel_of(mm_op, ndarray.dot)
"""The product of two float matrices."""

mm_op.vjp(
    input=lambda g, mat2, input_shape, input_strides, xp: left_gradient(g, mat2, input_shape, input_strides, xp),
    mat2=lambda g, input, mat2_shape, mat2_strides, xp: right_gradient(g, input, mat2_shape, mat2_strides, xp),
)


@primitive("BmmBackward0", name="bmm", kind="multilinear", native=("products:bmm", 1024), lowering="input @ mat2")
def bmm_op(input: Array, mat2: Array) -> Any:
    return batch_product(input, mat2)


bmm_op.vjp(
    input=lambda g, mat2, xp: xp.bmm(g, batch_adjoint(mat2, xp)),
    mat2=lambda g, input, xp: xp.bmm(batch_adjoint(input, xp), g),
)


@mm_op.batch
def mm_batched(call: batching.Call) -> Any:
    a, b = call.values
    if call.flags[1]:
        return bmm_batched(call)
    rows = mm_op(batching.joined(a), b)  # all items at once: their rows are just more rows
    return rows.reshape(*a.shape[:-1], b.shape[-1])


@bmm_op.batch
def bmm_batched(call: batching.Call) -> Any:
    return _any_product(call.full(0), call.full(1))


def _any_product(a: Any, b: Any) -> Any:
    return bmm_op(a, b) if a.dim() == 3 == b.dim() else TENSORS.matmul(a, b)


@primitive("MvBackward0", lowering="input @ vec", name="mv", kind="multilinear")
def mv_op(input: Array, vec: Array) -> Any:
    return product(input, vec)


mv_op.vjp(
    input=lambda g, vec, xp: outer_gradient(g, vec, xp),
    vec=lambda g, input, xp: xp.mv(adjoint(input, xp), g),
)


@mv_op.batch
def mv_batched(call: batching.Call) -> Any:
    a, x = call.values
    if not call.flags[0]:
        return mm_op(x, a.t())
    return _any_product(a, call.full(1).unsqueeze(-1)).squeeze(-1)


@primitive("DotBackward0", lowering="input @ tensor", name="dot", kind="multilinear")
def dot_op(input: Array, tensor: Array) -> Any:
    return product(input, tensor)


dot_op.vjp(input=lambda g, tensor, xp: g * xp.conj(tensor), tensor=lambda g, input, xp: g * xp.conj(input))


@primitive("VdotBackward0", lowering="input @ other", name="vdot", kind="multilinear")
def vdot_op(input: Array, other: Array) -> Any:
    return product(np.conjugate(input) if input.dtype.kind == "c" else input, other)


vdot_op.vjp(input=lambda g, other, xp: xp.conj(g) * other, other=lambda g, input: g * input)


@vdot_op.batch
def vdot_batched(call: batching.Call) -> Any:
    a, b = call.values
    return dot_batched(batching.Call(dot_op, call.level, [TENSORS.conj(a), b], call.flags, ()))


@dot_op.batch
def dot_batched(call: batching.Call) -> Any:
    a, b = call.values
    if not call.flags[1]:
        return mv_op(a, b)
    if not call.flags[0]:
        return mv_op(b, a)
    return _any_product(a.unsqueeze(1), b.unsqueeze(2)).reshape(call.size)


@public("mm spmm dsmm", "mm", out="exact", autocast="low")
def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices."""
    if is_on():
        input, mat2 = lowered(input, mat2)
    check_mm(input, mat2)
    return mm_op.call(input, mat2)


@public("bmm", "bmm", out="exact", autocast="low")
def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """The products of two batches of matrices."""
    if is_on():
        input, mat2 = lowered(input, mat2)
    check_bmm("bmm", input, mat2)
    return bmm_op.call(input, mat2)


@public("mv", "mv", out="exact")
def mv(input: Tensor, vec: Tensor) -> Tensor:
    """The product of a matrix and a vector."""
    check_mv(input, vec)
    return mv_op(input, vec)


@public("dot", "dot", out="exact", out_error="result dtype {1} does not match input dtype {0}")
def dot(input: Tensor, tensor: Tensor) -> Tensor:
    """The inner product of two vectors; nothing is conjugated."""
    check_dot("dot", input, tensor)
    return dot_op(input, tensor)


@public("vdot", "vdot", out="exact")
def vdot(input: Tensor, other: Tensor) -> Tensor:
    """The inner product of two vectors, the first one conjugated."""
    check_dot("vdot", input, other)
    return vdot_op(input, other)
