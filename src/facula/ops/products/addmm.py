"""A tensor plus a product of two others, each with its own node: addmm, addmv, addr, addbmm, baddbmm."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..._core import dtypes
from ..._core.dtypes import F32, F64, cpp_name, is_half, promote_types, widened
from ..._core.numbers import whole
from ..._core.strides import laid_out
from ..._lazy import set_methods
from ..._tensor import Tensor
from ...overrides import call_override, overridden
from ..arrays.types import Array
from ..machine import batching
from ..machine.autocast import is_on, lowered
from ..machine.deprecated import numbers_moved
from ..machine.errors import NoOverload
from ..machine.operands import checked_number
from ..machine.primitive import Primitive, primitive
from ..machine.public import public
from ..machine.refusals import scalar_type
from ..machine.write import check_result_type, explaining, inplace_form
from .matrix_products import (
    adjoint,
    batch_adjoint,
    batch_product,
    bmm_op,
    check_bmm,
    check_mv,
    left_gradient,
    mm_op,
    mv_op,
    outer_gradient,
    product,
    refuse_bool,
    require_expandable,
    require_same_scalar_type,
    require_tensors,
    right_gradient,
    scaled,
    shapes_cannot_be_multiplied,
)

ndarray = np.ndarray


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


_HIDDEN = {"input_shape": ""}


def _written_sum(product: str, beta: Any, alpha: Any) -> str | None:
    if isinstance(beta, complex) or isinstance(alpha, complex):
        return None
    scaled = product if alpha == 1 else f"alpha * ({product})"
    return scaled if beta == 0 else f"input + {scaled}" if beta == 1 else f"beta * input + {scaled}"


def _written(beta: Any, alpha: Any) -> str | None:
    return _written_sum("mat1 @ mat2", beta, alpha)


def _written_batches(beta: Any, alpha: Any) -> str | None:
    return _written_sum("batch1 @ batch2", beta, alpha)


def _written_vector(beta: Any, alpha: Any) -> str | None:
    return _written_sum("mat @ vec", beta, alpha)


@primitive(
    "AddmmBackward0", name="addmm", saved_names=_HIDDEN, native=("products:addmm", 1024, "mat1"), lowering=_written
)
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


@primitive("AddmvBackward0", lowering=_written_vector, name="addmv", saved_names=_HIDDEN)
def addmv_op(input: Array, mat: Array, vec: Array, beta: complex, alpha: complex) -> Any:
    return plus_product(product, input, mat, vec, beta, alpha)


addmv_op.vjp(
    input=lambda g, beta, input_shape, xp: summed_to(scaled(g, beta), input_shape, xp),
    mat=lambda g, vec, alpha, xp: scaled(outer_gradient(g, vec, xp), alpha),
    vec=lambda g, mat, alpha, xp: scaled(xp.mv(adjoint(mat, xp), g), alpha),
)


@primitive("AddrBackward0", name="addr", saved_names=_HIDDEN)
def addr_op(input: Array, vec1: Array, vec2: Array, beta: complex, alpha: complex) -> Any:
    return _plus_outer_product(input, vec1, vec2, beta, alpha)


def _plus_outer_product(input: Any, a: Any, b: Any, beta: Any, alpha: Any) -> Any:
    if is_half(a.dtype):
        return laid_out(_addr_in_half(input, a, b, beta, alpha), input, a[:, None], b)
    if a.dtype.kind in "iu":
        alpha = int(alpha)
    found = plus_product(vector_product, input, a if alpha == 1 else a * alpha, b, beta, 1)
    return laid_out(found, input, a[:, None], b)


def _addr_in_half(input: Any, a: Any, b: Any, beta: Any, alpha: Any) -> Any:
    """PyTorch computes this one in half precision: the numbers, both products and the sum are rounded."""
    dt = a.dtype

    def rounded(x: Any) -> Any:
        return widened(np.asarray(x, F32).astype(dt))

    result = rounded(vector_product(rounded(rounded(alpha) * widened(a)), widened(b)))
    return (result if beta == 0 else rounded(rounded(beta) * widened(input)) + result).astype(dt)


addr_op.vjp(
    input=lambda g, beta, input_shape, xp: summed_to(scaled(g, beta), input_shape, xp),
    vec1=lambda g, vec2, alpha, xp: scaled(xp.mv(g, xp.conj(vec2)), alpha),
    vec2=lambda g, vec1, alpha, xp: scaled(xp.mv(xp.t(g), xp.conj(vec1)), alpha),
)


@primitive(
    "AddbmmBackward0", name="addbmm",
    saved_names={
        **_HIDDEN, "batch1_shape": {0: "batch1_sym_argsize_0", 1: "batch1_sym_argsize_1"},
        "batch2_shape": {2: "batch2_sym_argsize_2"},
    },
)  # fmt: skip
def addbmm_op(input: Array, batch1: Array, batch2: Array, beta: complex, alpha: complex) -> Any:
    return plus_product(summed_batches, input, batch1, batch2, beta, alpha)


def _for_each(g: Any, n: int, xp: Any) -> Any:
    return xp.expand(xp.unsqueeze(g, 0), (n, *g.shape))


addbmm_op.vjp(
    input=lambda g, beta, input_shape, xp: summed_to(scaled(g, beta), input_shape, xp),
    batch1=lambda g, batch2, batch1_shape, alpha, xp: scaled(
        xp.bmm(_for_each(g, batch1_shape[0], xp), batch_adjoint(batch2, xp)), alpha
    ),
    batch2=lambda g, batch1, batch2_shape, alpha, xp: scaled(
        xp.bmm(batch_adjoint(batch1, xp), _for_each(g, batch2_shape[0], xp)), alpha
    ),
)


@primitive("BaddbmmBackward0", lowering=_written_batches, name="baddbmm", saved_names=_HIDDEN)
def baddbmm_op(input: Array, batch1: Array, batch2: Array, beta: complex, alpha: complex) -> Any:
    return plus_product(batch_product, input, batch1, batch2, beta, alpha)


baddbmm_op.vjp(
    input=lambda g, beta, input_shape, xp: summed_to(scaled(g, beta), input_shape, xp),
    batch1=lambda g, batch2, alpha, xp: scaled(xp.bmm(g, batch_adjoint(batch2, xp)), alpha),
    batch2=lambda g, batch1, alpha, xp: scaled(xp.bmm(batch_adjoint(batch1, xp), g), alpha),
)


@addmm_op.tangent
@addmv_op.tangent
@addr_op.tangent
@addbmm_op.tangent
@baddbmm_op.tangent
def sum_with_product_tangent(op: Any, primals: Any, tangents: Any, attributes: Any, outs: Any) -> Any:
    """The product rule on top of a sum."""
    beta, alpha = attributes
    (c, a, b), (dc, da, db) = primals, tangents
    parts = [op(c.new_zeros(c.shape), *pair, 0, alpha) for t, pair in ((da, (da, b)), (db, (a, db))) if t is not None]
    if dc is not None:
        parts.append((dc if beta == 1 else dc * beta).expand(outs[0].shape))
    return sum(parts[1:], parts[0])


@addmm_op.batch
def addmm_batched(call: batching.Call) -> Any:
    if not call.flags[2]:
        return _plus(call, _batched_product(mm_op, call))
    c = batching.padded(call.values[0], 2) if call.flags[0] else call.values[0]
    return baddbmm_op(c, call.full(1), call.values[2], *call.attributes)


baddbmm_op.batch(lambda call: _plus(call, _batched_product(bmm_op, call)))
addbmm_op.batch(lambda call: _plus(call, _batched_product(bmm_op, call).sum(1)))
addmv_op.batch(lambda call: _plus(call, _batched_product(mv_op, call)))
addr_op.batch(lambda call: _plus(call, call.full(1).unsqueeze(-1) * call.full(2).unsqueeze(-2)))


def _batched_product(op: Any, call: batching.Call) -> Any:
    """The product of the last two tensors of a call, with the batch first even if it is the same for all items."""
    _, *values = call.values
    _, *flags = call.flags
    if not any(flags):
        return op(*values).unsqueeze(0)
    return op.batching_rule(batching.Call(op, call.level, values, flags, ()))


def _plus(call: batching.Call, product: Any) -> Any:
    beta, alpha = call.attributes
    if alpha != 1:
        product = product * alpha
    if beta == 0:
        return product
    c = batching.padded(call.values[0], product.dim() - 1) if call.flags[0] else call.values[0]
    return product + (c if beta == 1 else c * beta)


def _number(value: Any, like: Any, *, in_half: bool = False) -> Any:
    """A factor: a tensor of no dimension stands for its number if it needs no gradient.

    ``in_half``: beside numbers of half precision it must be one itself.
    """
    if isinstance(value, Tensor):
        if value._array.ndim or value.requires_grad:
            raise NoOverload
        value = value.item()
    wide = is_half(like._array.dtype) and not in_half
    return checked_number(whole(value), dtypes.float32 if wide else like.dtype)


def check_addmm(input: Any, mat1: Any, mat2: Any, in_place: bool = False) -> tuple[int, ...]:
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
    if not in_place:  # which must have the very shape, and says so
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
    refuse_bool("addmm_impl_cpu_", batch1)
    return shape


def check_baddbmm(input: Any, batch1: Any, batch2: Any) -> tuple[int, ...]:
    require_tensors("baddbmm", ("input", input), ("batch1", batch1), ("batch2", batch2))
    if batch1._array.ndim > 1 and batch2._array.ndim > 2:  # of what is added PyTorch speaks first
        require_expandable(input, (*batch1._array.shape[:2], batch2._array.shape[2]))
    check_bmm("baddbmm", batch1, batch2)
    if input._array.dtype != batch1._array.dtype:
        kinds = (cpp_name(t.dtype) for t in (input, batch1, batch2))
        raise RuntimeError("Input dtypes must be the same, got: input {}, batch1: {}, batch2: {}".format(*kinds))
    return batch1._array.shape[0], batch1._array.shape[1], batch2._array.shape[2]


@public("addmm", "addmm", out="exact", autocast="low", numbers_first="beta alpha")
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """``beta * input + alpha * (mat1 @ mat2)``."""
    check_addmm(input, mat1, mat2)
    return addmm_op.call(input, mat1, mat2, _number(beta, input), _number(alpha, input))


@public("addmv", "addmv", out="exact", numbers_first="beta alpha")
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """``beta * input + alpha * (mat @ vec)``."""
    check_addmv(input, mat, vec)
    return addmv_op(input, mat, vec, _number(beta, input, in_half=True), _number(alpha, input, in_half=True))


@public("addr", "addr", out=True, numbers_first="beta alpha")
def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """``beta * input + alpha * outer(vec1, vec2)``."""
    check_addr(input, vec1, vec2)
    operands = promoted(input, vec1, vec2)
    kind = operands[0]._array.dtype.kind
    for name, factor in (("beta", beta), ("alpha", alpha)):
        if isinstance(factor, bool) and kind != "b":
            raise RuntimeError(f"Boolean {name} only supported for Boolean results.")
        if isinstance(factor, (float, complex)) and kind in "iub":
            raise RuntimeError(f"For integral input tensors, argument {name} must not be a floating point number.")
    if kind == "b":
        a, b, c = (t._array for t in operands)
        return _addr_of_bools(a, b, c, bool(beta), bool(alpha))
    return addr_op(*operands, _number(beta, input, in_half=True), _number(alpha, input, in_half=True))


def _addr_of_bools(input: Any, vec1: Any, vec2: Any, beta: bool, alpha: bool) -> Tensor:
    return Tensor._wrap(laid_out((input & beta) | (vec1[:, None] & vec2 & alpha), input, vec1[:, None], vec2))


def promoted(*tensors: Tensor) -> list[Tensor]:
    """Tensors brought to their common dtype."""
    dt = tensors[0].dtype
    for t in tensors[1:]:
        dt = promote_types(dt, t.dtype)
    return [t if t.dtype is dt else t.to(dt) for t in tensors]


@public("addbmm", "addbmm", out="exact", autocast="low", numbers_first="beta alpha")
def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """``beta * input + alpha * (the sum of the products of the batches)``."""
    check_addbmm(input, batch1, batch2)
    return addbmm_op(input, batch1, batch2, _number(beta, input), _number(alpha, input))


@public("baddbmm", "baddbmm", out="exact", autocast="low", numbers_first="beta alpha")
def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """``beta * input + alpha * (batch1 @ batch2)``."""
    if is_on():
        input, batch1, batch2 = lowered(input, batch1, batch2)
    check_baddbmm(input, batch1, batch2)
    return baddbmm_op(input, batch1, batch2, _number(beta, input), _number(alpha, input))


def _inplace(name: str, op: Primitive, check: Any) -> None:
    """The method that adds a product to its tensor."""
    write = inplace_form(op)
    factors_of = tuple(op.tensor_names[1:])

    def change(self: Any, *given: Any, beta: Any = 1, alpha: Any = 1, **named: Any) -> Any:
        if named or len(given) < 2:
            given = (*given, *(named.pop(n) for n in factors_of[len(given) :] if n in named))
            for key in named:
                raise TypeError(f"{name}() got an unexpected keyword argument '{key}'")
            if missing := ", ".join(f'"{n}"' for n in factors_of[len(given) :]):
                raise TypeError(f"{name}() missing {2 - len(given)} required positional arguments: {missing}")
        a, b, *old = given
        if old:
            moved = numbers_moved(name, tuple(op.tensor_names), ("beta", "alpha"), (self, a, b, *old), True)
            if moved is None:
                raise TypeError(f"{name}() takes 2 positional arguments but {2 + len(old)} were given")
            return change(*moved[0], **moved[1])
        if overridden((self, a, b)):
            factors = {n: v for n, v in (("beta", beta), ("alpha", alpha)) if type(v) is not int or v != 1}
            return call_override(change, getattr(Tensor, name), (self, a, b), factors)
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
        return write(self, a, b, _number(beta, self), _number(alpha, self))

    set_methods(**{name: explaining(name, change)})


for _name, _op, _check in (
    ("addmm_", addmm_op, partial(check_addmm, in_place=True)), ("addmv_", addmv_op, check_addmv),
    ("addr_", addr_op, check_addr), ("addbmm_", addbmm_op, check_addbmm), ("baddbmm_", baddbmm_op, check_baddbmm),
):  # fmt: skip
    _inplace(_name, _op, _check)
