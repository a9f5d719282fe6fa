"""matmul for all combinations of ranks, and the products that are made of other operators."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core import state
from ..._core.dtypes import cpp_name, widened
from ..._core.strides import by_rows, element_strides
from ..._lazy import set_methods
from ..._tensor import Tensor
from ...autograd.graph import warn_user
from ...autograd.meta import cut_of
from ...overrides import has_override
from ..arrays.types import Array
from ..machine import batching
from ..machine.arguments import as_int, one_dim
from ..machine.autocast import is_on, lowered
from ..machine.call import Call, made
from ..machine.errors import type_of
from ..machine.namespaces import TENSORS, show
from ..machine.operands import common_shape
from ..machine.primitive import primitive
from ..machine.public import linalg, not_safely_castable, public
from ..machine.refusals import no_dimensions
from ..machine.rules import in_both_namespaces
from ..moving.copy import clone
from ..views.shape import contiguous, expand_op, flatten, reshape, squeeze_op, unsafe_view_op, unsqueeze_op, view_op
from ..views.transpose import permute_op, t, transpose_op
from .matrix_products import (
    bmm,
    bmm_op,
    dot,
    mm,
    mm_op,
    mv,
    refuse_bool,
    require_same_scalar_type,
    require_tensors,
)

# ---- matmul


@primitive("SqueezeBackward4", lowering="view", name="squeeze_fresh", kind="linear", batch=batching.moved_dimensions)
def squeeze_fresh_op(input: Array, dim: int) -> Any:
    """Drops a dimension of size 1 of a result that nobody else holds: no view."""
    return input.reshape(input.shape[:dim] + input.shape[dim + 1 :])


squeeze_fresh_op.vjp(input=lambda g, dim, input_shape, xp: xp.reshape(g, input_shape))


def transposed(input: Tensor) -> Tensor:
    ndim = input._array.ndim
    return transpose_op(input, ndim - 2, ndim - 1)


def _matrices(call: Call) -> None:
    """The recipe of a product of two float matrices, which is most of what matmul is called for."""
    otherwise = "_any_state(input, mat2)"
    call.signature()
    call.guard(call.tensors, otherwise)
    call.arrays(call.tensors, otherwise)
    call.say(1, "_dt = _a_input.dtype",
                "if (_dt is not _F32 and _dt is not _F64) or _a_mat2.dtype is not _dt or (",
                "    _a_input.ndim != 2 or _a_mat2.ndim != 2 or _a_input.shape[1] != _a_mat2.shape[0]):",
                f"    return {otherwise}")  # fmt: skip
    call.state(otherwise, "input, mat2")
    call.say(call.natively(1, ["_a_input", "_a_mat2"]), "_result = _a_input.dot(_a_mat2)")
    call.wrap(1)
    call.edges(1, call.tensors, call.tensors)
    call.node(1)
    call.save(1)
    call.place(1)


@linalg
@public("matmul", "matmul", out="exact", autocast="low")
def matmul(input: Any, other: Any) -> Any:
    """The matrix product, by PyTorch's rules for vectors, matrices and batches."""
    return _hot_matmul(input, other)


def _any_matmul(input: Any, other: Any) -> Any:
    if is_on():
        input, other = lowered(input, other)
    require_tensors("matmul", ("input", input), ("other", other))
    a, b = input._array.ndim, other._array.ndim
    if a == 1 and b == 1:
        return dot(input, other)
    if a == 2 and b == 2:
        return mm(input, other)
    if a == 2 and b == 1:
        return mv(input, other)
    if a == 1 and b == 2:
        return squeeze_fresh_op(mm(unsqueeze_op(input, 0), other), 0)
    if a == 0 or b == 0:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {a}D and {b}D")
    return _batched(input, other, a, b)


_hot_matmul = made(mm_op, _matrices, _any_matmul)


def _batched(input: Any, other: Any, a: int, b: int) -> Any:
    recording = state.grad_enabled()
    records = recording and (input.requires_grad or other.requires_grad)
    if not records and _plain_batches(input._array, other._array):
        result = Tensor._wrap(bmm_op.on_arrays(input._array, other._array))
        result._meta = cut_of((input, other), mm_op)
        return result
    if a == b == 3:
        rows, columns = input._array.shape[0], other._array.shape[0]
        if columns == 1 and rows > 1 and other.requires_grad:
            return matmul(input, squeeze_op(other, 0))
        if rows == 1 and columns > 1 and input.requires_grad:
            return matmul(squeeze_op(input, 0), other)
    if _folds(input, other, a, b):
        return _folded(input, other, a >= b)
    x, y = input._array.shape, other._array.shape
    batch = x[:-2] if x[:-2] == y[:-2] else common_shape(x[:-2], y[:-2])
    n = x[-2] if a > 1 else 1
    if b == 1:
        other, y = unsqueeze_op(other, 1), (*y, 1)
    count = math.prod(batch)
    left = reshape(expand_op.call(input, (*batch, n, x[-1])), (count, n, x[-1]))
    right = reshape(expand_op.call(other, (*batch, *y[-2:])), (count, *y[-2:]))
    result = bmm(left, right)
    if b == 1:
        return unsafe_view_op(squeeze_op(result, 2), (*batch, n))
    return unsafe_view_op(result, (*batch, *((n,) if a > 1 else ()), y[-1]))


def _plain_batches(a: Any, b: Any) -> bool:
    """Whether NumPy may multiply two batches without any further question."""
    if not isinstance(a, np.ndarray) or not isinstance(b, np.ndarray):
        return False
    if a.dtype != b.dtype or a.dtype.kind == "b" or state.how() == state.GENERAL:
        return False
    if a.shape[-1] != b.shape[-2 if b.ndim > 1 else 0]:
        return False
    x, y = a.shape[:-2], b.shape[:-2]
    return x == y or all(n == m or n == 1 or m == 1 for n, m in zip(x[::-1], y[::-1]))


def _folds(input: Any, other: Any, a: int, b: int) -> bool:
    """Whether a batch times a single matrix or vector is computed as one product of a taller matrix."""
    if min(a, b) > 2:
        return False
    large, small = (input, other) if a > b else (other, input)
    if small.requires_grad or input.wraps or other.wraps:
        return True
    if a == 2:
        return False
    array = large._array if a > b else large._array.swapaxes(-1, -2)
    if not array.size:
        return True
    shape, strides = array.shape, element_strides(array)
    return all(strides[i] == strides[i + 1] * shape[i + 1] for i in range(array.ndim - 2))


def _folded(input: Any, other: Any, left_is_larger: bool) -> Any:
    if left_is_larger:
        large, small = input, other
    else:
        large, small = transposed(other), input if input._array.ndim == 1 else t(input)
    shape = large._array.shape
    tall = reshape(large, (math.prod(shape[:-1]), shape[-1]))
    if small._array.ndim == 1:
        return unsafe_view_op(mv(tall, small), shape[:-1])
    result = unsafe_view_op(mm(tall, small), (*shape[:-1], small._array.shape[1]))
    return result if left_is_larger else contiguous(transposed(result))


def _any_operator(input: Any, other: Any) -> Any:
    if not isinstance(other, Tensor) and not has_override(other):
        return NotImplemented
    return Tensor.matmul(input, other)


_operator = made(mm_op, _matrices, _any_operator)


def _reflected(other: Any, input: Any) -> Any:
    return _operator(input, other) if isinstance(input, Tensor) else NotImplemented


_operator.__name__ = _operator.__qualname__ = "__matmul__"
_reflected.__name__ = "__rmatmul__"
set_methods(__matmul__=_operator, __rmatmul__=_reflected)


def _raw_matmul(a: Any, b: Any) -> Any:
    return mm_op.on_arrays(a, b) if a.ndim == 2 == b.ndim else bmm_op.on_arrays(a, b)


in_both_namespaces("matmul", _raw_matmul, matmul)


# ---- products made of other operators


@public("outer ger", "outer ger", out=True, looks_first=True)
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """All products of an element of one vector and an element of the other."""
    require_tensors("outer", ("input", input), ("vec2", vec2))
    for name, v in (("self", input), ("vec2", vec2)):
        if v._array.ndim != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {v._array.ndim}-D")
    return reshape(input, (input._array.shape[0], 1)) * vec2


@public("inner", "inner", out=True, looks_first=True)
def inner(input: Tensor, other: Tensor) -> Tensor:
    """Sums of products over the last dimension of both."""
    require_tensors("inner", ("input", input), ("other", other))
    a, b = input._array.shape, other._array.shape
    if not a or not b:
        return input * other
    if a[-1] != b[-1]:
        raise RuntimeError(
            f"inner() the last dimension must match on both input tensors but got shapes {list(a)} and {list(b)}"
        )
    return contract(input, other, (-1,), (-1,))


@public("tensordot", out=True, looks_first=True)
def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    """Sums of products over some dimensions of both: ``dims`` is their number, or a list for each."""
    if isinstance(dims, Tensor):
        dims = dims.tolist() if dims._array.size > 1 else int(dims.item())
    if isinstance(dims, (tuple, list)):
        first, second = dims
        for which, given in (("self", first), ("other", second)):
            if isinstance(given, int):
                at = 3 if which == "self" else 4
                raise TypeError(f"tensordot(): argument 'dims_{which}' (position {at}) must be tuple of ints, not int")
        return contract(a, b, tuple(first), tuple(second))
    if not isinstance(dims, int):
        raise RuntimeError(
            "tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] containing two lists, "
            f"but got dims={dims}"
        )
    if dims < 0:
        raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
    if dims > min(a._array.ndim, b._array.ndim):
        raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
    return contract(a, b, tuple(range(-dims, 0)), tuple(range(dims)))


def contract(a: Any, b: Any, dims_a: tuple[int, ...], dims_b: tuple[int, ...]) -> Any:
    """Sums of products over pairs of dimensions, as one product of matrices."""
    x, y = a._array, b._array
    if len(dims_a) != len(dims_b):
        raise RuntimeError("both dimension lists should have same length")
    if x.dtype != y.dtype:
        raise RuntimeError("both inputs should have same dtype")
    at_a, at_b = _distinct(dims_a, x.ndim), _distinct(dims_b, y.ndim)
    alone_a, alone_b = [], []
    size = 1
    for i, j, given_i, given_j in zip(at_a, at_b, dims_a, dims_b):
        if y.shape[j] == 1 and x.shape[i] != 1:
            alone_a.append(i)
        elif x.shape[i] == 1 and y.shape[j] != 1:
            alone_b.append(j)
        elif x.shape[i] != y.shape[j]:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {x.shape[i]} in dim {given_i} and second has "
                f"size {y.shape[j]} in dim {given_j}"
            )
        else:
            size *= x.shape[i]
    if alone_a:
        a = a.sum(alone_a, keepdim=True, dtype=a.dtype)
    if alone_b:
        b = b.sum(alone_b, keepdim=True, dtype=b.dtype)
    free_a = [i for i in range(x.ndim) if i not in at_a]
    free_b = [j for j in range(y.ndim) if j not in at_b]
    rows, columns = (tuple(array.shape[i] for i in free) for array, free in ((x, free_a), (y, free_b)))
    a, b = permute_op(a, (*free_a, *at_a)), permute_op(b, (*at_b, *free_b))
    if math.prod(rows) == math.prod(columns) == 1:
        if a.is_contiguous() and b.is_contiguous():
            return reshape(dot(flatten(a), flatten(b)), (*rows, *columns))
        return reshape((a.squeeze() * b.squeeze()).sum(dtype=a.dtype), (*rows, *columns))
    return reshape(
        mm(reshape(a, (math.prod(rows), size)), reshape(b, (size, math.prod(columns)))), (*rows, *columns)
    )


def _distinct(dims: tuple[int, ...], ndim: int) -> list[int]:
    found: list[int] = []
    for d in dims:
        at = one_dim(d, ndim)
        if at in found:
            raise RuntimeError(f"dim {at} appears multiple times in the list of dims")
        found.append(at)
    return found


@public("kron", "kron", out=True)
def kron(input: Tensor, other: Tensor) -> Tensor:
    """The Kronecker product."""
    a, b = input._array.shape, other._array.shape
    n = max(len(a), len(b))
    a, b = (1,) * (n - len(a)) + a, (1,) * (n - len(b)) + b
    left = unsafe_view_op(input, tuple(size for m in a for size in (m, 1)))
    right = unsafe_view_op(other, tuple(size for m in b for size in (1, m)))
    return unsafe_view_op(left * right, tuple(m * k for m, k in zip(a, b)))


@linalg(out="exact", out_error="multi_dot(): expected out tensor to have dtype {3} but got {4}")
def multi_dot(tensors: Any) -> Tensor:
    """The product of a chain of matrices, in the order that takes the fewest multiplications."""
    tensors = list(tensors)
    n = len(tensors)
    if n < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {n}")
    first, last = tensors[0]._array.ndim, tensors[-1]._array.ndim
    for which, ndim in (("first", first), ("last", last)):
        if ndim not in (1, 2):
            raise RuntimeError(f"multi_dot(): the {which} tensor must be 1D or 2D but got {ndim}D")
    for i, x in enumerate(tensors[1:-1], 1):
        if x._array.ndim != 2:
            raise RuntimeError(f"multi_dot(): tensor {i} must be 2D but got {x._array.ndim}D")
    shapes = [x._array.shape for x in tensors]
    chain = list(tensors)
    if first == 1:
        chain[0] = unsqueeze_op(chain[0], 0)
    if last == 1:
        chain[-1] = unsqueeze_op(chain[-1], 1)
    _check_chain(chain, shapes)
    result = _multiplied(chain, _best_order([x._array.shape for x in chain]), 0, n - 1)
    shape = (*shapes[0][: first - 1], *shapes[-1][1:])
    return view_op(result, shape)


def _check_chain(chain: list[Any], shapes: list[Any]) -> None:
    for i, x in enumerate(chain):
        if x._array.dtype != chain[0]._array.dtype:
            raise RuntimeError(
                "multi_dot(): all tensors must have be the same dtype but tensor 0 is "
                f"{cpp_name(chain[0].dtype)} and tensor {i} {cpp_name(x.dtype)}"
            )
        if i and chain[i - 1]._array.shape[1] != x._array.shape[0]:
            raise RuntimeError(
                f"multi_dot(): tensors {i - 1} and {i} with shapes {list(shapes[i - 1])} and {list(shapes[i])} cannot "
                "be multiplied"
            )


def _best_order(shapes: list[Any]) -> dict[tuple[int, int], int]:
    """Where to split each part of a chain of matrices."""
    n = len(shapes)
    sizes = [s[0] for s in shapes] + [shapes[-1][1]]
    cost = {(i, i): 0 for i in range(n)}
    split: dict[tuple[int, int], int] = {}
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            costs = [
                (cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1], -k if n == 3 else k)
                for k in range(i, j)
            ]
            cost[i, j], k = min(costs)
            split[i, j] = abs(k)
    return split


def _multiplied(chain: list[Any], split: dict[tuple[int, int], int], i: int, j: int) -> Any:
    if i == j:
        return chain[i]
    k = split[i, j]
    return mm(_multiplied(chain, split, i, k), _multiplied(chain, split, k + 1, j))


@public("chain_matmul")
def chain_matmul(*matrices: Any) -> Tensor:
    """``linalg.multi_dot`` under its old name."""
    warn_user(
        "torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use torch.linalg.multi_dot "
        "instead, which accepts a list of two or more tensors rather than multiple parameters.",
    )
    if not matrices:
        raise RuntimeError("chain_matmul(): Expected one or more matrices")
    for x in matrices:
        if x._array.ndim != 2:
            raise RuntimeError(f"Tensor dimension is {x._array.ndim}, expected 2 instead.")
    return clone(matrices[0]) if len(matrices) == 1 else multi_dot(matrices)


@linalg(out="exact", out_error=not_safely_castable("matrix_power"), looks_first=True)
@public("matrix_power", "matrix_power", out="exact", out_error=not_safely_castable("matrix_power"), looks_first=True)
def matrix_power(input: Tensor, n: int) -> Tensor:
    """A square matrix multiplied with itself; for a negative ``n``, its inverse."""
    from ..creation.create import eye  # loaded when first used
    from ..linalg.inverse import inv  # loaded when first used
    from ..linalg.matrices import check_square  # loaded when first used

    if not isinstance(n, int):
        raise TypeError(f"matrix_power(): argument 'n' (position 2) must be int, not {type_of(n)}")
    n = as_int(n)
    check_square(input, "linalg.matrix_power")
    if n == 0:
        return clone(input).copy_(eye(input._array.shape[-1], dtype=input.dtype))
    if n == 1:
        return clone(input)
    square, n = (inv(input) if n < 0 else input), abs(n)
    if n == 3:
        return matmul(matmul(square, square), square)
    result = None
    while True:
        if n & 1:
            result = square if result is None else matmul(result, square)
        n >>= 1
        if not n:
            assert result is not None
            return result
        square = matmul(square, square)


@linalg(name="vecdot", autocast="low")
def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """Inner products of vectors along a dimension, the first one conjugated."""
    if x._array.ndim == 1 == y._array.ndim:
        return x.vdot(y)
    return (x.conj() * y).sum(dim)


# ---- trace, cross, bilinear


@primitive("TraceBackward0", name="trace", kind="linear")
def trace_op(input: Array) -> Any:
    return np.trace(input, dtype=np.int64 if input.dtype.kind in "iu" else None).astype(
        np.int64 if input.dtype.kind in "iu" else input.dtype
    )


@trace_op.vjp("input")
def trace_gradient_of_input(g: Any, input_shape: Any, xp: Any) -> Any:
    return xp.trace_backward(g, input_shape)


def _filled_diagonal(g: Tensor, shape: tuple[int, ...]) -> Tensor:
    rows, columns = shape
    diagonal = Tensor._wrap(np.arange(0, min(rows, columns) * (columns + 1), columns + 1))
    return TENSORS.view(TENSORS.index_fill_tensor(g.new_zeros(rows * columns), g, diagonal, 0), shape)


show(
    "trace_backward", _filled_diagonal,
    lambda g, shape, xp: xp.diagonal_backward(xp.expand(g, (min(shape),)), shape, 0, 0, 1),
)  # fmt: skip


trace_op.batch(lambda call: call.values[0].diagonal(0, 1, 2).sum(1))


@public("trace", "trace", autocast="full")
def trace(input: Tensor) -> Tensor:
    """The sum of the diagonal of a matrix."""
    if input._array.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {input._array.ndim}")
    refuse_bool("trace", input)
    return trace_op(input)


@primitive(
    "LinalgCrossBackward0", name="linalg_cross", kind="multilinear", batch=batching.moved_dimensions,
    saved_names={"input_shape": "", "other_shape": ""},
)  # fmt: skip
def cross_op(input: Array, other: Array, dim: int) -> Any:
    return by_rows(np.cross(input, other, axis=dim))


cross_op.vjp(
    input=lambda g, other, dim, input_shape, xp: xp.sum_to(xp.linalg_cross(xp.conj(other), g, dim), input_shape),
    other=lambda g, input, dim, other_shape, xp: xp.sum_to(xp.linalg_cross(g, xp.conj(input), dim), other_shape),
)


@linalg(name="cross")
def linalg_cross(input: Any, other: Any, *, dim: int = -1) -> Any:
    """The cross product of vectors of three elements."""
    a, b = input._array, other._array
    if a.ndim != b.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    at = one_dim(dim, a.ndim)
    if not a.ndim:
        raise no_dimensions(dim)
    if a.shape[at] != 3 or b.shape[at] != 3:
        raise RuntimeError(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got {a.shape[at]} and {b.shape[at]}"
        )
    require_same_scalar_type(input, other)
    common_shape(a.shape, b.shape)
    refuse_bool("cross", input)
    return cross_op(input, other, dim)


@public("cross", "cross", out="exact", looks_first=True)
def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """The cross product, along the first dimension of size 3 if none is given."""
    if dim is None:
        warn_user(
            "Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass the dim explicitly or "
            "simply use torch.linalg.cross.\nThe default value of dim will change to agree with that of linalg.cross "
            "in a future release.",
        )
        shape = input._array.shape
        if 3 not in shape:
            raise RuntimeError("no dimension of size 3 in input")
        dim = shape.index(3)
    return linalg_cross(input, other, dim=dim)


@primitive("TrilinearBackward0", name="trilinear", kind="multilinear")
def trilinear_op(first: Array, second: Array, third: Array, equation: tuple[str, str, str, str]) -> Any:
    """Sums of products of three, as ``np.einsum`` writes them."""
    *given, wanted = equation
    factors = (widened(x) for x in (first, second, third))
    result = np.einsum(f"{','.join(given)}->{wanted}", *factors, optimize=True)
    return result.astype(first.dtype, copy=False)


@trilinear_op.vjp("first")
def trilinear_gradient_of_first(g: Any, second: Any, third: Any, equation: Any, xp: Any) -> Any:
    a, b, c, out = equation
    return xp.trilinear(g, xp.conj(second), xp.conj(third), (out, b, c, a))


@trilinear_op.vjp("second")
def trilinear_gradient_of_second(g: Any, first: Any, third: Any, equation: Any, xp: Any) -> Any:
    a, b, c, out = equation
    return xp.trilinear(g, xp.conj(first), xp.conj(third), (out, a, c, b))


@trilinear_op.vjp("third")
def trilinear_gradient_of_third(g: Any, first: Any, second: Any, equation: Any, xp: Any) -> Any:
    a, b, c, out = equation
    return xp.trilinear(g, xp.conj(first), xp.conj(second), (out, a, b, c))


@trilinear_op.batch
def trilinear_batched(call: batching.Call) -> Any:
    *factors, result = call.attribute("equation")
    batch = next(letter for letter in "ZYXWVUTSRQPONM" if letter not in "".join((*factors, result)))
    named = [batch + part if flag else part for part, flag in zip(factors, call.flags)]
    return call.run(call.values, ((*named, batch + result),))


@public("bilinear", functionals="bilinear", looks_first=True)
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``input1 @ weight[k] @ input2 + bias[k]`` for each k."""
    given = {"input1": input1, "input2": input2, "weight": weight, **({} if bias is None else {"bias": bias})}
    if any(t.dtype is not input1.dtype for t in given.values()):
        told = ", ".join(f"{name}: {cpp_name(t.dtype)}" for name, t in given.items())
        raise RuntimeError(f"All tensors must have the same dtype, got {told}")
    a, b, w = input1._array.shape, input2._array.shape, weight._array.shape
    if len(a) != len(b):
        raise RuntimeError(f"bilinear(): input dimensions do not match: got {len(a)} and {len(b)}")
    for i, (m, n) in enumerate(zip(a[:-1], b[:-1])):
        if m != n:
            raise RuntimeError(f"bilinear(): input batch dimensions do not match at dim {i}: got {m} and {n}")
    if not a:
        raise no_dimensions(-1)
    for which, size, expected in (("input1", a[-1], weight.size(1)), ("input2", b[-1], weight.size(2))):
        if size != expected:
            raise RuntimeError(
                f"bilinear(): {which} size does not match weight size: got {size} but expected {expected}"
            )
    if bias is not None and bias._array.shape[0] != w[0]:
        raise RuntimeError(
            f"bilinear(): bias size does not match weight size: got {bias._array.shape[0]} but expected {w[0]}"
        )
    if 0 in (a[-1], b[-1]):
        raise RuntimeError(
            "cannot reshape tensor of 0 elements into shape [-1, 0] because the unspecified dimension size -1 can be "
            "any value and is ambiguous"
        )
    rows = math.prod(a[:-1])
    left, right = reshape(input1, (rows, a[-1])), reshape(input2, (rows, b[-1]))
    result = reshape(trilinear_op(left, weight, right, ("ni", "kij", "nj", "nk")), (*a[:-1], w[0]))
    return result if bias is None else result + bias


