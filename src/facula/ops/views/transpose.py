"""Views with the dimensions in another order."""

from __future__ import annotations

from typing import Any

from ..._lazy import set_methods
from ..._tensor import Tensor
from ..arrays.types import Array
from ..machine import batching
from ..machine.arguments import one_dim
from ..machine.deprecated import warn_once
from ..machine.errors import NoOverload
from ..machine.public import public
from ..machine.view import view_primitive
from ..pointwise.complex import conj_tensor
from .shape import ints
from .strided import alias_op


@view_primitive("TransposeBackward0", "transpose", batch=batching.moved_dimensions)
def transpose_op(input: Array, dim0: int, dim1: int) -> Any:
    return input.swapaxes(dim0, dim1) if input.ndim > 1 else input


transpose_op.vjp(input=lambda g, dim0, dim1, xp: xp.transpose(g, dim0, dim1))


@public("transpose swapdims", "transpose swapdims")
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """A view with two dimensions exchanged."""
    ndim = input._array.ndim
    return transpose_op.call(input, one_dim(dim0, ndim), one_dim(dim1, ndim))


@public("swapaxes", "swapaxes")
def swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """``transpose`` under NumPy's name."""
    return transpose(input, axis0, axis1)


@view_primitive("TBackward0", "t")
def t_op(input: Array) -> Any:
    return input.T


t_op.vjp(input=lambda g, xp: xp.t(g))


@t_op.batch
def t_batched(call: batching.Call) -> Any:
    return transpose_op(call.values[0], 1, 2) if call.ndim() == 2 else call.values[0].alias()


@public("t", "t")
def t(input: Tensor) -> Tensor:
    """The transpose of a matrix; vectors and numbers stay as they are."""
    if input._array.ndim > 2:
        raise more_than_a_matrix(input, "t")
    return t_op.call(input)


def more_than_a_matrix(input: Tensor, name: str) -> RuntimeError:
    if input.is_sparse:
        return RuntimeError(
            f"{name}() expects a tensor with <= 2 sparse and 0 dense dimensions, but got {input.sparse_dim()} sparse "
            f"and {input.dense_dim()} dense dimensions"
        )
    return RuntimeError(f"{name}() expects a tensor with <= 2 dimensions, but self is {input._array.ndim}D")


@view_primitive("PermuteBackward0", "permute")
def permute_op(input: Array, dims: tuple[int, ...]) -> Any:
    return input.transpose(dims)


@permute_op.vjp("input")
def permute_gradient_of_input(g: Any, dims: Any, xp: Any) -> Any:
    return xp.permute(g, inverse_order(dims))


@permute_op.batch
def permute_batched(call: batching.Call) -> Any:
    n = max(call.ndim(), 1)
    return call.values[0].permute(0, *[d % n + 1 for d in call.attribute("dims")])


def inverse_order(dims: tuple[int, ...]) -> tuple[int, ...]:
    """The order that undoes an order."""
    inverse = [0] * len(dims)
    for i, d in enumerate(dims):
        inverse[d] = i
    return tuple(inverse)


@public("permute", "permute")
def permute(input: Tensor, *order: Any, dims: Any = None) -> Tensor:
    """A view with the dimensions in the given order."""
    ndim = input._array.ndim
    order = ints("permute", "dims", order if dims is None else (dims,))
    if len(order) != ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            f"ordering of dimensions i.e. input.dim() = {ndim} is not equal to len(dims) = {len(order)}"
        )
    order = tuple([one_dim(d, ndim) for d in order])
    if len(set(order)) != ndim:
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return permute_op.call(input, order)


@public("movedim moveaxis", "movedim moveaxis", overloads=True, looks_first=True)
def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    """A view with some dimensions moved to other places."""
    ndim = input._array.ndim
    if isinstance(source, int) != isinstance(destination, int):
        raise NoOverload
    sources = (source,) if isinstance(source, int) else tuple(source)
    targets = (destination,) if isinstance(destination, int) else tuple(destination)
    if len(sources) != len(targets):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({list(sources)} dims) should contain the same "
            f"number of dims as destination ({list(targets)} dims)"
        )
    sources = tuple(one_dim(d, ndim) for d in sources)
    targets = tuple(one_dim(d, ndim) for d in targets)
    for name, normal, given in (("source", sources, source), ("destination", targets, destination)):
        if len(set(normal)) != len(normal):
            raise RuntimeError(f"movedim: repeated dim in `{name}` ({list(given)})")
    if ndim == 0:
        return alias_op(input)
    order = [d for d in range(ndim) if d not in sources]
    for target, d in sorted(zip(targets, sources)):
        order.insert(target, d)
    return permute_op.call(input, tuple(order))


def _of_matrices(input: Tensor, name: str) -> bool:
    """Whether there is anything to transpose: numbers stay as they are."""
    ndim = input._array.ndim
    if not ndim:
        advice = "This function is the identity in these cases." if name == "mT" else "Consider using x.conj()."
        warn_once(f"{name if '(' in name else f'Tensor.{name}'} is deprecated on 0-D tensors. {advice}")
    if ndim == 1:
        raise RuntimeError(f"tensor.{name} is only supported on matrices or batches of matrices. Got 1-D tensor.")
    return ndim > 1


def _all_reversed(input: Tensor) -> Tensor:
    """A view with the dimensions in reverse order."""
    if not input._array.ndim:
        warn_once("Tensor.T is deprecated on 0-D tensors. This function is the identity in these cases.")
    elif input._array.ndim != 2:
        warn_once(
            "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will "
            "throw an error in a future release. Consider `x.mT` to transpose batches of matrices or "
            "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor."
        )
    return permute_op.call(input, tuple(range(input._array.ndim - 1, -1, -1)))


def _matrices_transposed(input: Tensor) -> Tensor:
    """A view with the last two dimensions exchanged."""
    ndim = input._array.ndim
    return transpose_op.call(input, ndim - 2, ndim - 1) if _of_matrices(input, "mT") else input


@public("adjoint", "adjoint")
def adjoint(input: Tensor) -> Tensor:
    """Matrices transposed and conjugated."""
    return conj_tensor(_matrices_transposed(input) if _of_matrices(input, "adjoint()") else input)


def _matrices_adjoint(input: Tensor, name: str = "mH") -> Tensor:
    """Matrices transposed and conjugated."""
    return conj_tensor(_matrices_transposed(input) if _of_matrices(input, name) else input)


def _matrix_adjoint(input: Tensor) -> Tensor:
    """A matrix transposed and conjugated."""
    ndim = input._array.ndim
    if ndim in (0, 2):
        return _matrices_adjoint(input, "H")
    advice = " For batches of matrices, consider using tensor.mH" if ndim > 2 else ""
    raise RuntimeError(f"tensor.H is only supported on matrices (2-D tensors). Got {ndim}-D tensor.{advice}")


set_methods(
    T=property(_all_reversed), mT=property(_matrices_transposed), H=property(_matrix_adjoint),
    mH=property(_matrices_adjoint),
)  # fmt: skip
