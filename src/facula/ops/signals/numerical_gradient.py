"""``gradient``: derivatives of sampled functions, by differences of neighbours."""

from __future__ import annotations

from typing import Any

from ..._tensor import Tensor
from ..machine.arguments import is_number, one_dim
from ..machine.errors import NoOverload
from ..machine.public import public
from ..machine.refusals import no_dimensions
from ..moving.joining import cat
from ..pointwise.with_numbers import div_number_op, mul_number_op
from ..views.shape import view
from ..views.slices import slice_along


def _dims(dim: Any, ndim: int) -> list[int]:
    if dim is None:
        return list(range(ndim))
    found = [one_dim(d, ndim) for d in (dim if isinstance(dim, (tuple, list)) else [dim])]
    for i, d in enumerate(found):
        if d in found[:i]:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
    return found


def _spacings(input: Tensor, spacing: Any, dims: list[int], dim: Any) -> list[Any]:
    """For each dimension a number, or a vector of coordinates."""
    if isinstance(spacing, Tensor):
        if spacing._array.ndim:
            raise NoOverload
        spacing = spacing.item()
    if spacing is None or is_number(spacing):
        return [1 if spacing is None else spacing] * len(dims)
    if not isinstance(spacing, (tuple, list)):
        raise NoOverload
    if len(spacing) != len(dims):
        if dim is None:
            raise RuntimeError(
                "torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to 'self.dim() = "  # noqa: E501
                f"{len(dims)}', since dim argument was not given, but got a list of length {len(spacing)}"
            )
        raise RuntimeError(
            "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim arguments to have the "
            f"same length, but got a spacing argument of length {len(spacing)} and a dim argument of length {len(dims)}."  # noqa: E501
        )
    for each in spacing:
        if isinstance(each, Tensor) and each.device.type != input.device.type:
            raise RuntimeError(
                "torch.gradient expected each tensor to be on the same device, but got devices "
                f"{input.device} and {each.device}!"
            )
        if isinstance(each, Tensor) and each._array.ndim != 1:
            raise RuntimeError(
                "torch.gradient expected each element of spacing to have one dimension, but got an element with "
                f"{each._array.ndim} dimensions!"
            )
    return list(spacing)


def _even(x: Tensor, dim: int, step: Any, edge_order: int) -> Tensor:
    """Along a dimension whose samples are ``step`` apart."""

    def part(start: int, end: int | None) -> Tensor:
        return slice_along(x, dim, start, end)

    n = x._array.shape[dim]
    inner = div_number_op(div_number_op(part(2, None) - part(0, n - 2), 2), step)
    if edge_order == 1:
        first, last = part(1, 2) - part(0, 1), part(n - 1, n) - part(n - 2, n - 1)
    else:
        first = mul_number_op(part(0, 1), -1.5) + mul_number_op(part(1, 2), 2) - mul_number_op(part(2, 3), 0.5)
        last = mul_number_op(part(n - 3, n - 2), 0.5) - mul_number_op(part(n - 2, n - 1), 2)
        last = last + mul_number_op(part(n - 1, n), 1.5)
    return cat([div_number_op(first, step), inner, div_number_op(last, step)], dim)


def _uneven(x: Tensor, dim: int, at: Tensor, edge_order: int) -> Tensor:
    """Along a dimension whose samples lie at the given coordinates."""

    def part(start: int, end: int | None) -> Tensor:
        return slice_along(x, dim, start, end)

    def along(t: Tensor) -> Tensor:
        return view(t, (-1,) + (1,) * (x._array.ndim - dim - 1))

    def end(order: tuple[int, int, int], near: Any, far: Any) -> Tensor:
        """The derivative at the first of three samples, the others at distances of near and near + far behind it."""
        both = near + far
        here, next_, beyond = (part(k, k + 1) for k in order)
        return (
            here * ((2 * near + far) / (near * both)) - next_ * (both / (near * far)) + beyond * (near / (far * both))
        )

    n = x._array.shape[dim]
    steps = slice_along(at, 0, 1, None) - slice_along(at, 0, 0, at._array.shape[0] - 1)
    before, after = steps[:-1], steps[1:]
    total = before + after
    inner = (
        along(-after / (before * total)) * part(0, n - 2)
        + along((after - before) / (before * after)) * part(1, n - 1)
        + along(before / (after * total)) * part(2, None)
    )
    if edge_order == 1:
        first = (part(1, 2) - part(0, 1)) / steps[0]
        last = (part(n - 1, n) - part(n - 2, n - 1)) / steps[-1]
    else:
        first = -end((0, 1, 2), steps[0], steps[1])
        last = end((n - 1, n - 2, n - 3), steps[-1], steps[-2])
    return cat([first, inner, last], dim)


@public("gradient", overloads=True, looks_first=True)
def gradient(input: Tensor, *, spacing: Any = None, dim: Any = None, edge_order: int = 1) -> tuple[Tensor, ...]:
    """The derivative along each dimension: central differences inside, one-sided ones of ``edge_order`` at the ends."""
    dims = _dims(dim, input._array.ndim)
    spacings = _spacings(input, spacing, dims, dim)
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    for d in dims:
        if not input._array.ndim:
            raise no_dimensions(dim)
        if input._array.shape[d] < edge_order + 1:
            raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")
    return tuple(
        (_uneven if isinstance(each, Tensor) else _even)(input, d, each, edge_order) for d, each in zip(dims, spacings)
    )
