"""What operators on sparse tensors come to: rows of values that are brought to places, taken from them, and multiplied.

Rows are counted along the first dimensions of a tensor, as many as ``lead`` says, taken together. Each of these
primitives is linear in every tensor, and their rules lead from one to the other: all derivatives of sparse operators
are here.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core.numbers import number_array
from ..arrays.scatter_add import add_rows
from ..arrays.types import Array
from ..machine import batching
from ..machine.primitive import primitive

_HIDDEN = dict.fromkeys("at at_other at_out lead leads input_shape other_shape places".split(), "")
"""What nodes save and PyTorch's do not show: they have the sparse tensor itself."""


def _as_rows(array: Any, lead: int) -> Any:
    return array.reshape(math.prod(array.shape[:lead]), *array.shape[lead:])


def _brought(values: Any, places: Any, shape: tuple[int, ...], lead: int) -> Any:
    out = np.zeros((math.prod(shape[:lead]), *shape[lead:]), values.dtype)
    add_rows(out, places, values, True)
    return out.reshape(shape)


@primitive(
    "ToDenseBackward0", name="scatter_values", kind="linear", batch=batching.item_by_item, saved_names=_HIDDEN
)
def scatter_values_op(values: Array, places: Any, shape: tuple[int, ...], lead: int) -> Any:
    """Zeros of a shape, to which rows are added at places."""
    return _brought(values, places, shape, lead)


@primitive(
    "SparseMaskBackward0", name="gather_values", kind="linear", batch=batching.item_by_item, saved_names=_HIDDEN
)
def gather_values_op(input: Array, places: Any, lead: int) -> Any:
    """The rows at some places."""
    return _as_rows(input, lead).take(places, 0)


scatter_values_op.vjp(values=lambda g, places, lead, xp: xp.gather_values(g, places, lead))
gather_values_op.vjp(input=lambda g, places, lead, input_shape, xp: xp.scatter_values(g, places, input_shape, lead))


def scaled(rows: Array, alpha: Any) -> Any:
    """Rows times a number, in their dtype."""
    return rows if alpha == 1 else (rows * number_array(alpha, rows.dtype)).astype(rows.dtype)


@primitive(
    "AddBackward0", name="sum_at_places", kind="linear", batch=batching.item_by_item, saved_names=_HIDDEN
)
def sum_at_places_op(
    input: Array, other: Array, at: Any, at_other: Any, shape: tuple[int, ...], lead: int, alpha: Any
) -> Any:
    """The rows of two tensors, brought to places of one; ``at`` is None if the first has all rows in order."""
    out = input.reshape(shape).copy() if at is None else _brought(input, at, shape, lead)
    add_rows(_as_rows(out, lead), at_other, scaled(other, alpha))
    return out


@sum_at_places_op.vjp("input")
def sum_at_places_gradient_of_input(g: Any, at: Any, lead: int, input_shape: Any, xp: Any) -> Any:
    return xp.reshape(g, input_shape) if at is None else xp.gather_values(g, at, lead)


@sum_at_places_op.vjp("other")
def sum_at_places_gradient_of_other(g: Any, at_other: Any, lead: int, alpha: Any, xp: Any) -> Any:
    brought = xp.gather_values(g, at_other, lead)
    return brought if alpha == 1 else brought * alpha.conjugate()


@primitive(
    "MulBackward0", name="pair_products", kind="multilinear", batch=batching.item_by_item, saved_names=_HIDDEN
)
def pair_products_op(
    input: Array, other: Array, at: Any, at_other: Any, at_out: Any, shape: tuple[int, ...], leads: tuple[int, int, int]
) -> Any:
    """Products of pairs of rows, added at places of the result.

    NOTE [pairs]: ``out[at_out[p]] += input[at[p]] * other[at_other[p]]`` for all p is what products of sparse tensors
    with others come to, whether elementwise or of matrices. Rows are broadcast, or summed to the shape of the result's
    rows. Its derivatives are the same thing with the roles exchanged. None in place of ``at`` means all rows in order.
    """
    a, b = _as_rows(input, leads[0]), _as_rows(other, leads[1])
    a = a if at is None else a.take(at, 0)
    b = b if at_other is None else b.take(at_other, 0)
    ndim = max(a.ndim, b.ndim)
    product = _aligned(a, ndim) * _aligned(b, ndim)
    rows = shape[leads[2] :]
    if product.ndim - 1 > len(rows):
        product = product.sum(tuple(range(1, product.ndim - len(rows))), dtype=product.dtype)
    narrow = tuple([i for i, n in enumerate(rows, 1) if n == 1 and product.shape[i] != 1])
    if narrow:
        product = product.sum(narrow, keepdims=True, dtype=product.dtype)
    return product.reshape(shape) if at_out is None else _brought(product, at_out, shape, leads[2])


def _aligned(rows: Any, ndim: int) -> Any:
    """Rows with as many dimensions as others, to be broadcast against them."""
    return rows.reshape(rows.shape[0], *(1,) * (ndim - rows.ndim), *rows.shape[1:])


pair_products_op.vjp(
    input=lambda g, other, at, at_other, at_out, leads, input_shape, xp: xp.pair_products(
        g, xp.conj(other), at_out, at_other, at, input_shape, (leads[2], leads[1], leads[0])
    ),
    other=lambda g, input, at, at_other, at_out, leads, other_shape, xp: xp.pair_products(
        g, xp.conj(input), at_out, at, at_other, other_shape, (leads[2], leads[0], leads[1])
    ),
)


@primitive("SparseCooTensorWithDimsAndTensorsBackward0", name="same_values", kind="linear", batch=batching.as_it_is)
def same_values_op(input: Array) -> Any:
    """The values of a sparse tensor as they are, under a node of the operator that left them so."""
    return input


same_values_op.vjp(input=lambda g: g)
