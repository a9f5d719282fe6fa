"""Products of vectors and matrices, each with its own node: mm, bmm, mv, dot, and their sums with a third tensor.

NOTE [layout of gradients]: the gradient of a matrix that lies in memory column by column is computed transposed, so
that it lies in memory as the matrix does. So a weight used as ``x @ w.t()`` gets a gradient in its own order, without a
copy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.devices import MetaArray
from ..._core.dtypes import F32, F64, cpp_name, is_half, widened
from ..._core.quiet import safe
from ..._lazy import set_methods
from ..._tensor import Tensor
from ..arrays.types import Array
from ..machine.autocast import is_on, lowered
from ..machine.namespaces import TENSORS
from ..machine.primitive import Primitive, primitive
from ..machine.public import EXACT_OUT, public
from ..machine.refusals import not_for, scalar_type
from ..machine.write import check_result_type, inplace_form
from ..views.shape import expand_error

ndarray = np.ndarray
EXACT_OUT.update(("mm", "bmm", "mv", "dot", "vdot", "matmul", "addmm", "addmv", "addbmm", "baddbmm"))


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
        return np.matmul(widened(a), widened(b)).astype(a.dtype)
    if a.ndim == 3 == b.ndim and a.__class__ is ndarray is b.__class__ and len(a) == len(b) > 1 and a.size and b.size:
        if a.shape[2] == 1:  # columns times rows: einsum's loops are the best for these
            return np.einsum("bi,bj->bij", a[:, :, 0], b[:, 0])
        if not b.strides[0]:  # one matrix for all, as ``expand`` makes it: their rows are just more rows
            return a.reshape(-1, a.shape[2]).dot(b[0]).reshape(*a.shape[:2], b.shape[2])
        if not a.strides[0] and a.shape[1] == 1:
            return a[0, 0].dot(b)[:, None]
    return np.matmul(a, b)


def plus_product(multiply: Any, input: Any, a: Any, b: Any, beta: Any, alpha: Any) -> Any:
    """``beta * input + alpha * multiply(a, b)``; what ``input`` holds does not count if ``beta`` is 0."""
    dt = a.dtype
    if is_half(dt):
        return plus_product(multiply, widened(input), widened(a), widened(b), beta, alpha).astype(dt)
    result = np.asanyarray(multiply(a, b))
    if dt.kind in "iu":
        beta, alpha = int(beta), int(alpha)
    if alpha != 1:
        result = result * alpha
    if beta != 0:
        scaled = input if beta == 1 else input * beta
        if result.__class__ is ndarray:
            result += scaled
        else:
            result = np.add(result, scaled)
    return result


def summed_batches(a: Any, b: Any) -> Any:
    """The sum of the products of a batch, as one product."""
    n, rows, inner = a.shape
    return product(a.transpose(1, 0, 2).reshape(rows, n * inner), b.reshape(n * inner, b.shape[2]))


def vector_product(a: Any, b: Any) -> Any:
    return np.multiply(a[:, None], b)


# ---- what the rules share


def scaled(g: Any, by: Any) -> Any:
    if by == 1:
        return g
    return TENSORS.mul_number(g, by.conjugate()) if isinstance(g, Tensor) else g * by.conjugate()


def adjoint(x: Any, xp: Any) -> Any:
    return xp.t(xp.conj(x) if (x if xp.is_raw else x._array).dtype.kind == "c" else x)


def batch_adjoint(x: Any, xp: Any) -> Any:
    return xp.transpose(xp.conj(x), 1, 2)


def left_gradient(g: Any, right: Any, shape: Any, strides: Any, xp: Any) -> Any:
    """The gradient of ``left`` in ``left @ right``; see NOTE [layout of gradients]."""
    by_columns = strides[0] == 1 and strides[1] == shape[0] and shape[1] > 1
    if xp.is_raw and (g.dtype is F32 or g.dtype is F64) and type(g) is ndarray is type(right):
        return right.dot(g.T).T if by_columns else g.dot(right.T)
    if by_columns:
        return xp.t(xp.mm(xp.conj(right), xp.t(g)))
    return xp.mm(g, adjoint(right, xp))


def right_gradient(g: Any, left: Any, shape: Any, strides: Any, xp: Any) -> Any:
    by_columns = strides[0] == 1 and strides[1] == shape[0] and shape[1] > 1
    if xp.is_raw and (g.dtype is F32 or g.dtype is F64) and type(g) is ndarray is type(left):
        return g.T.dot(left).T if by_columns else left.T.dot(g)
    if by_columns:
        return xp.t(xp.mm(xp.t(g), xp.conj(left)))
    return xp.mm(adjoint(left, xp), g)


def outer_gradient(g: Any, vec: Any, xp: Any) -> Any:
    return xp.view(g, (g.shape[0], 1)) * xp.conj(vec)


_ones: dict[Any, Any] = {}


def summed_to(g: Any, shape: tuple[int, ...], xp: Any) -> Any:
    """A gradient summed to a bias's shape. Sums of columns are a product with ones: three times as quick."""
    if g.shape == shape:
        return g
    if xp.is_raw and g.ndim == 2 and shape == g.shape[1:] and (g.dtype is F32 or g.dtype is F64):
        key = g.shape[0], g.dtype
        ones = _ones.get(key)
        if ones is None:
            ones = np.ones(*key)
            if len(_ones) < 256 and key[0] <= 65536:
                _ones[key] = ones
        return ones.dot(g)
    return xp.sum_to(g, shape)


# ---- checks, with PyTorch's sentences


def require_tensors(name: str, *given: tuple[str, Any]) -> None:
    for at, (argument, value) in enumerate(given):
        if not isinstance(value, Tensor):
            kind = "NoneType" if value is None else type(value).__name__
            raise TypeError(f"{name}(): argument '{argument}' (position {at + 1}) must be Tensor, not {kind}")


def refuse_bool(kernel: str, t: Tensor) -> None:
    if t._array.dtype.kind == "b":
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


def check_mm(input: Any, mat2: Any) -> None:
    require_tensors("mm", ("input", input), ("mat2", mat2))
    a, b = input._array, mat2._array
    if a.ndim != 2:
        raise RuntimeError("self must be a matrix")
    if b.ndim != 2:
        raise RuntimeError("mat2 must be a matrix")
    if a.shape[1] != b.shape[0]:
        raise shapes_cannot_be_multiplied(a, b)
    if a.dtype != b.dtype:
        raise RuntimeError(
            f"expected m1 and m2 to have the same dtype, but got: {cpp_name(input.dtype)} != {cpp_name(mat2.dtype)}"
        )
    refuse_bool("addmm_impl_cpu_", input)


def check_bmm(name: str, batch1: Any, batch2: Any) -> None:
    require_tensors(name, ("input", batch1), ("mat2", batch2))
    a, b = batch1._array, batch2._array
    if a.ndim != 3:
        raise RuntimeError("batch1 must be a 3D tensor")
    if b.ndim != 3:
        raise RuntimeError("batch2 must be a 3D tensor")
    if b.shape[0] != a.shape[0] or b.shape[1] != a.shape[2]:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{a.shape[0]}, {a.shape[2]}] but got: "
            f"[{b.shape[0]}, {b.shape[1]}]."
        )
    require_same_scalar_type(batch1, batch2)
    refuse_bool("bmm", batch1)


def require_same_scalar_type(a: Any, b: Any) -> None:
    if a._array.dtype != b._array.dtype:
        raise RuntimeError(f"expected scalar type {scalar_type(a)} but found {scalar_type(b)}")


def check_dot(name: str, a: Any, b: Any) -> None:
    require_tensors(name, ("input", a), ("tensor" if name == "dot" else "other", b))
    x, y = a._array, b._array
    if x.ndim != 1 or y.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {x.ndim}D and {y.ndim}D tensors")
    if x.dtype != y.dtype:
        raise RuntimeError(
            f"dot : expected both vectors to have same dtype, but found {scalar_type(a)} and {scalar_type(b)}"
        )
    if x.size != y.size:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{x.size}] and src [{y.size}] to have the same number of "
            f"elements, but got {x.size} and {y.size} elements respectively"
        )
    refuse_bool(name, a)


def check_mv(mat: Any, vec: Any, input: Any = None) -> None:
    require_tensors("mv" if input is None else "addmv", ("input", mat), ("vec", vec))
    a, v = mat._array, vec._array
    added = None if input is None else input._array
    ndim = 1 if added is None else added.ndim
    if ndim > 1 or a.ndim != 2 or v.ndim != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {ndim}, {a.ndim}, {v.ndim}")
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


@primitive("MmBackward0", name="mm")
@safe
def mm_op(input: Array, mat2: Array) -> Any:
    return product(input, mat2)


mm_op.vjp(
    input=lambda g, mat2, input_shape, input_strides, xp: left_gradient(g, mat2, input_shape, input_strides, xp),
    mat2=lambda g, input, mat2_shape, mat2_strides, xp: right_gradient(g, input, mat2_shape, mat2_strides, xp),
)


@primitive("BmmBackward0", name="bmm")
def bmm_op(input: Array, mat2: Array) -> Any:
    return batch_product(input, mat2)


bmm_op.vjp(
    input=lambda g, mat2, xp: xp.bmm(g, batch_adjoint(mat2, xp)),
    mat2=lambda g, input, xp: xp.bmm(batch_adjoint(input, xp), g),
)


@primitive("MvBackward0", name="mv")
def mv_op(input: Array, vec: Array) -> Any:
    return product(input, vec)


mv_op.vjp(
    input=lambda g, vec, xp: outer_gradient(g, vec, xp),
    vec=lambda g, input, xp: xp.mv(adjoint(input, xp), g),
)


@primitive("DotBackward0", name="dot")
def dot_op(input: Array, tensor: Array) -> Any:
    return product(input, tensor)


dot_op.vjp(input=lambda g, tensor, xp: g * xp.conj(tensor), tensor=lambda g, input, xp: g * xp.conj(input))


@primitive("VdotBackward0", name="vdot")
def vdot_op(input: Array, other: Array) -> Any:
    return product(np.conjugate(input) if input.dtype.kind == "c" else input, other)


vdot_op.vjp(input=lambda g, other, xp: xp.conj(g) * other, other=lambda g, input: g * input)


@public("mm", "mm", out=True)
def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices."""
    if is_on():
        input, mat2 = lowered(input, mat2)
    check_mm(input, mat2)
    return mm_op.call(input, mat2)


@public("bmm", "bmm", out=True)
def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """The products of two batches of matrices."""
    if is_on():
        input, mat2 = lowered(input, mat2)
    check_bmm("bmm", input, mat2)
    return bmm_op.call(input, mat2)


@public("mv", "mv", out=True)
def mv(input: Tensor, vec: Tensor) -> Tensor:
    """The product of a matrix and a vector."""
    check_mv(input, vec)
    return mv_op(input, vec)


@public("dot", "dot", out=True)
def dot(input: Tensor, tensor: Tensor) -> Tensor:
    """The inner product of two vectors; nothing is conjugated."""
    check_dot("dot", input, tensor)
    return dot_op(input, tensor)


@public("vdot", "vdot", out=True)
def vdot(input: Tensor, other: Tensor) -> Tensor:
    """The inner product of two vectors, the first one conjugated."""
    check_dot("vdot", input, other)
    return vdot_op(input, other)


# ---- sums with a product

_HIDDEN = {"input_shape": ""}


@primitive("AddmmBackward0", name="addmm", saved_names=_HIDDEN)
def addmm_op(input: Array, mat1: Array, mat2: Array, beta: complex, alpha: complex) -> Any:
    return plus_product(product, input, mat1, mat2, beta, alpha)


@addmm_op.vjp("input")
def addmm_gradient_of_input(g: Any, beta: Any, input_shape: Any, xp: Any) -> Any:
    return summed_to(g if beta == 1 else scaled(g, beta), input_shape, xp)


@addmm_op.vjp("mat1")
def addmm_gradient_of_mat1(g: Any, mat2: Any, mat1_shape: Any, mat1_strides: Any, alpha: Any, xp: Any) -> Any:
    found = left_gradient(g, mat2, mat1_shape, mat1_strides, xp)
    return found if alpha == 1 else scaled(found, alpha)


@addmm_op.vjp("mat2")
def addmm_gradient_of_mat2(g: Any, mat1: Any, mat2_shape: Any, mat2_strides: Any, alpha: Any, xp: Any) -> Any:
    found = right_gradient(g, mat1, mat2_shape, mat2_strides, xp)
    return found if alpha == 1 else scaled(found, alpha)


@primitive("AddmvBackward0", name="addmv", saved_names=_HIDDEN)
def addmv_op(input: Array, mat: Array, vec: Array, beta: complex, alpha: complex) -> Any:
    return plus_product(product, input, mat, vec, beta, alpha)


addmv_op.vjp(
    input=lambda g, beta, input_shape, xp: summed_to(scaled(g, beta), input_shape, xp),
    mat=lambda g, vec, alpha, xp: scaled(outer_gradient(g, vec, xp), alpha),
    vec=lambda g, mat, alpha, xp: scaled(xp.mv(adjoint(mat, xp), g), alpha),
)


@primitive("AddrBackward0", name="addr", saved_names=_HIDDEN)
def addr_op(input: Array, vec1: Array, vec2: Array, beta: complex, alpha: complex) -> Any:
    return plus_product(vector_product, input, vec1, vec2, beta, alpha)


addr_op.vjp(
    input=lambda g, beta, input_shape, xp: summed_to(scaled(g, beta), input_shape, xp),
    vec1=lambda g, vec2, alpha, xp: scaled(xp.mv(g, xp.conj(vec2)), alpha),
    vec2=lambda g, vec1, alpha, xp: scaled(xp.mv(xp.t(g), xp.conj(vec1)), alpha),
)


@primitive("AddbmmBackward0", name="addbmm", saved_names={**_HIDDEN, "batch1_shape": "", "batch2_shape": ""})
def addbmm_op(input: Array, batch1: Array, batch2: Array, beta: complex, alpha: complex) -> Any:
    return plus_product(summed_batches, input, batch1, batch2, beta, alpha)


def _for_each(g: Any, n: int, xp: Any) -> Any:
    return xp.expand(g if xp.is_raw else xp.unsqueeze(g, 0), (n, *g.shape))


addbmm_op.vjp(
    input=lambda g, beta, input_shape, xp: summed_to(scaled(g, beta), input_shape, xp),
    batch1=lambda g, batch2, batch1_shape, alpha, xp: scaled(
        xp.bmm(_for_each(g, batch1_shape[0], xp), batch_adjoint(batch2, xp)), alpha
    ),
    batch2=lambda g, batch1, batch2_shape, alpha, xp: scaled(
        xp.bmm(batch_adjoint(batch1, xp), _for_each(g, batch2_shape[0], xp)), alpha
    ),
)


@primitive("BaddbmmBackward0", name="baddbmm", saved_names=_HIDDEN)
def baddbmm_op(input: Array, batch1: Array, batch2: Array, beta: complex, alpha: complex) -> Any:
    return plus_product(batch_product, input, batch1, batch2, beta, alpha)


baddbmm_op.vjp(
    input=lambda g, beta, input_shape, xp: summed_to(scaled(g, beta), input_shape, xp),
    batch1=lambda g, batch2, alpha, xp: scaled(xp.bmm(g, batch_adjoint(batch2, xp)), alpha),
    batch2=lambda g, batch1, alpha, xp: scaled(xp.bmm(batch_adjoint(batch1, xp), g), alpha),
)


def check_addmm(input: Any, mat1: Any, mat2: Any) -> tuple[int, ...]:
    require_tensors("addmm", ("input", input), ("mat1", mat1), ("mat2", mat2))
    a, b = mat1._array, mat2._array
    for name, x in (("mat1", a), ("mat2", b)):
        if x.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix, got {x.ndim}-D tensor")
    if a.shape[1] != b.shape[0]:
        raise shapes_cannot_be_multiplied(a, b)
    shape = (a.shape[0], b.shape[1])
    if input._array.dtype != b.dtype:
        raise RuntimeError(
            f"self and mat2 must have the same dtype, but got {scalar_type(input)} and {scalar_type(mat2)}"
        )
    require_expandable(input, shape)
    if a.dtype != b.dtype:
        raise RuntimeError(
            f"mat1 and mat2 must have the same dtype, but got {scalar_type(mat1)} and {scalar_type(mat2)}"
        )
    refuse_bool("addmm_impl_cpu_", mat1)
    return shape


def check_addmv(input: Any, mat: Any, vec: Any) -> tuple[int, ...]:
    require_tensors("addmv", ("input", input), ("mat", mat), ("vec", vec))
    check_mv(mat, vec, input)
    return (mat._array.shape[0],)


def check_addr(input: Any, vec1: Any, vec2: Any) -> tuple[int, ...]:
    require_tensors("addr", ("input", input), ("vec1", vec1), ("vec2", vec2))
    for name, v in (("vec1", vec1), ("vec2", vec2)):
        if v._array.ndim != 1:
            raise RuntimeError(f"addr: Expected 1-D argument {name}, but got {v._array.ndim}-D")
    shape = (vec1._array.shape[0], vec2._array.shape[0])
    require_expandable(input, shape)
    return shape


def check_addbmm(input: Any, batch1: Any, batch2: Any) -> tuple[int, ...]:
    require_tensors("addbmm", ("input", input), ("batch1", batch1), ("batch2", batch2))
    a, b = batch1._array, batch2._array
    if b.ndim != 3:
        raise RuntimeError("batch2 must be a 3D tensor")
    if a.ndim != 3:
        raise RuntimeError("batch1 must be a 3D tensor")
    if a.shape[0] != b.shape[0]:
        raise RuntimeError(
            f"batch1 and batch2 must have same number of batches, got {a.shape[0]} and {b.shape[0]}"
        )
    if a.shape[2] != b.shape[1]:
        raise RuntimeError(
            f"Incompatible matrix sizes for bmm ({a.shape[1]}x{a.shape[2]} and {b.shape[1]}x{b.shape[2]})"
        )
    shape = (a.shape[1], b.shape[2])
    require_expandable(input, shape)
    require_same_scalar_type(batch1, batch2)
    require_same_scalar_type(input, batch1)
    refuse_bool("baddbmm", batch1)
    return shape


def check_baddbmm(input: Any, batch1: Any, batch2: Any) -> tuple[int, ...]:
    require_tensors("baddbmm", ("input", input), ("batch1", batch1), ("batch2", batch2))
    check_bmm("baddbmm", batch1, batch2)
    if input._array.dtype != batch1._array.dtype:
        kinds = (cpp_name(t.dtype) for t in (input, batch1, batch2))
        raise RuntimeError("Input dtypes must be the same, got: input {}, batch1: {}, batch2: {}".format(*kinds))
    shape = (batch1._array.shape[0], batch1._array.shape[1], batch2._array.shape[2])
    require_expandable(input, shape)
    return shape


@public("addmm", "addmm", out=True)
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """``beta * input + alpha * (mat1 @ mat2)``."""
    check_addmm(input, mat1, mat2)
    return addmm_op.call(input, mat1, mat2, beta, alpha)


@public("addmv", "addmv", out=True)
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """``beta * input + alpha * (mat @ vec)``."""
    check_addmv(input, mat, vec)
    return addmv_op(input, mat, vec, beta, alpha)


@public("addr", "addr", out=True)
def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """``beta * input + alpha * outer(vec1, vec2)``."""
    check_addr(input, vec1, vec2)
    operands = promoted(input, vec1, vec2)
    if operands[0]._array.dtype == np.bool_:
        a, b, c = (t._array for t in operands)
        return _addr_of_bools(a, b, c, bool(beta), bool(alpha))
    return addr_op(*operands, beta, alpha)


def _addr_of_bools(input: Any, vec1: Any, vec2: Any, beta: bool, alpha: bool) -> Tensor:
    return Tensor._wrap((input & beta) | (vec1[:, None] & vec2 & alpha))


def promoted(*tensors: Tensor) -> list[Tensor]:
    """Tensors brought to their common dtype."""
    from ..._core.dtypes import promote_types

    dt = tensors[0].dtype
    for t in tensors[1:]:
        dt = promote_types(dt, t.dtype)
    return [t if t.dtype is dt else t.to(dt) for t in tensors]


@public("addbmm", "addbmm", out=True)
def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """``beta * input + alpha * (the sum of the products of the batches)``."""
    check_addbmm(input, batch1, batch2)
    return addbmm_op(input, batch1, batch2, beta, alpha)


@public("baddbmm", "baddbmm", out=True)
def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """``beta * input + alpha * (batch1 @ batch2)``."""
    if is_on():
        input, batch1, batch2 = lowered(input, batch1, batch2)
    check_baddbmm(input, batch1, batch2)
    return baddbmm_op(input, batch1, batch2, beta, alpha)


def _inplace(name: str, op: Primitive, check: Any) -> None:
    """The method that adds a product to its tensor."""
    write = inplace_form(op)

    def change(self: Any, a: Any, b: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
        shape = check(self, a, b)
        if shape != self._array.shape:
            if op is addr_op:
                raise RuntimeError(f"2D tensor expected, got {self._array.ndim}D tensor for input")
            raise RuntimeError(
                f"Bad in-place call: input tensor size {list(self._array.shape)} and output tensor size {list(shape)} "
                "should match"
            )
        if op is addr_op:
            self_like, a, b = promoted(self, a, b)
            check_result_type(self_like.dtype, self.dtype)
        return write(self, a, b, beta, alpha)

    change.__name__ = change.__qualname__ = name
    set_methods(**{name: change})


for _name, _op, _check in (
    ("addmm_", addmm_op, check_addmm), ("addmv_", addmv_op, check_addmv), ("addr_", addr_op, check_addr),
    ("addbmm_", addbmm_op, check_addbmm), ("baddbmm_", baddbmm_op, check_baddbmm),
):  # fmt: skip
    _inplace(_name, _op, _check)
