"""Rows of a table by number: ``embedding``, ``one_hot``."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.looks import passes
from ..._tensor import Tensor, check_elements, computed, elements
from ..arrays.meta import by_zeros
from ..arrays.scatter_add import add_rows
from ..arrays.types import Array
from ..machine import batching
from ..machine.any_state import constant_of, wrap
from ..machine.primitive import primitive
from ..machine.public import FUNCTIONALS, public
from ..machine.refusals import no_rows
from ..machine.write import history_first


@primitive("EmbeddingBackward0", name="embedding", kind="linear", lowering="library")
def embedding_op(weight: Array, indices: Array, padding_idx: int, scale_grad_by_freq: bool, sparse: bool) -> Any:
    return weight.take(indices, 0) if weight.__class__ is np.ndarray else weight[indices]


@primitive(
    "EmbeddingDenseBackwardBackward0", name="embedding_rows_summed", kind="linear",
    saved_names={"scale_grad_by_freq": ""}, lowering="library",
)  # fmt: skip
@by_zeros
def rows_summed_op(input: Array, indices: Array, rows: int, padding_idx: int, scale_grad_by_freq: bool) -> Any:
    """Each row of ``input`` added to the row of a table that its index says; the padding row stays 0."""
    flat = indices.reshape(-1)
    if scale_grad_by_freq:
        counts = np.bincount(flat, minlength=rows).astype(input.dtype)
        input = input / counts[indices][..., None]
    table = np.zeros((rows, input.shape[-1]), input.dtype)
    add_rows(table, flat, input.reshape(flat.size, input.shape[-1]), True)
    if padding_idx >= 0:
        table[padding_idx] = 0
    return table


@primitive("EmbeddingBackward0", name="embedding_unpadded", kind="linear")
@by_zeros
def unpadded_op(weight: Array, indices: Array, padding_idx: int, scale_grad_by_freq: bool) -> Any:
    """The adjoint of ``rows_summed``."""
    found = weight[indices]
    if scale_grad_by_freq:
        counts = np.bincount(indices.reshape(-1), minlength=weight.shape[0]).astype(weight.dtype)
        found = found / counts[indices][..., None]
    if padding_idx >= 0:
        found[indices == padding_idx] = 0
    return found


@embedding_op.vjp("weight")
def embedding_gradient_of_weight(
    g: Any, indices: Any, weight_shape: Any, padding_idx: int, scale_grad_by_freq: bool, sparse: bool, xp: Any
) -> Any:
    if sparse:
        if scale_grad_by_freq:
            raise RuntimeError("embedding_backward: scale_grad_by_freq not supported with sparse gradients")
        return xp.picked_rows(g, indices, weight_shape, padding_idx)
    return xp.embedding_rows_summed(g, indices, weight_shape[0], padding_idx, scale_grad_by_freq)


rows_summed_op.vjp(
    input=lambda g, indices, padding_idx, scale_grad_by_freq, xp: xp.embedding_unpadded(
        g, indices, padding_idx, scale_grad_by_freq
    )
)
unpadded_op.vjp(
    weight=lambda g, indices, weight_shape, padding_idx, scale_grad_by_freq, xp: xp.embedding_rows_summed(
        g, indices, weight_shape[0], padding_idx, scale_grad_by_freq
    )
)


@embedding_op.batch
@unpadded_op.batch
def embedding_batched(call: batching.Call) -> Any:
    weight, indices = call.values
    if not call.flags[0]:
        return call.run([weight, indices])
    if call.attribute("padding_idx") >= 0 or call.attribute("scale_grad_by_freq"):
        return None
    rows = weight.shape[1]
    places = indices if call.flags[1] else indices.unsqueeze(0)
    return call.run([batching.joined(weight), places + batching.item_numbers(call, call.ndim(1)) * rows])


@rows_summed_op.batch
def rows_summed_batched(call: batching.Call) -> Any:
    rows, padding_idx, by_freq = call.attributes
    if padding_idx >= 0 or by_freq:
        return None
    g = call.full(0)
    indices = call.values[1] if call.flags[1] else call.values[1].unsqueeze(0)
    places = indices + batching.item_numbers(call, call.ndim(1)) * rows
    summed = call.run([g, places.expand(g.shape[:-1])], (call.size * rows, padding_idx, by_freq))
    return summed.reshape(call.size, rows, g.shape[-1])


def embedding(
    input: Tensor, weight: Tensor, padding_idx: int | None = None, max_norm: float | None = None,
    norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False,
) -> Tensor:  # fmt: skip
    """The rows of ``weight`` that ``input`` numbers. Rows longer than ``max_norm`` are first shortened, in place."""
    rows = weight._array.shape[0] if weight.ndim else 0
    if padding_idx is not None:
        if not -rows <= padding_idx < rows:
            raise AssertionError("Padding_idx must be within num_embeddings")
        padding_idx %= rows
    if max_norm is not None:
        shorten_rows(weight, input, max_norm, norm_type)
    try:
        if weight.ndim != 2:
            raise RuntimeError("'weight' must be 2-D")
        _check_indices(input, 1, "embedding")
        check_elements(input, _check_rows, rows)
    except (RuntimeError, IndexError) as e:
        raise history_first(e, weight) from None
    return embedding_op(weight, input, -1 if padding_idx is None else padding_idx, scale_grad_by_freq, sparse)


def _check_indices(indices: Tensor, number: int, name: str) -> None:
    if indices._array.dtype not in (np.int64, np.int32):
        raise RuntimeError(
            f"Expected tensor for argument #{number} 'indices' to have one of the following scalar types: Long, Int; "
            f"but got {indices._type_name()} instead (while checking arguments for {name})"
        )


@passes("(indices >= 0) & (indices < rows)")
def _check_rows(indices: Any, rows: int) -> None:
    if indices.size and (indices.min() < 0 or indices.max() >= rows):
        raise IndexError("index out of range in self") if rows else no_rows()


def shorten_rows(weight: Any, indices: Tensor, max_norm: float, norm_type: float) -> None:
    if weight.ndim != 2:
        raise RuntimeError(
            f"Expected 2-dimensional tensor, but got {weight.ndim}-dimensional tensor for argument #1 'self' (while "
            "checking arguments for embedding_renorm_)"
        )
    _check_indices(indices, 2, "embedding_renorm_")
    which = np.unique(elements(indices))
    for i in which[(which < -len(weight)) | (which >= len(weight))]:
        raise IndexError(f"select(): index {i} out of range for tensor of size {list(weight.shape)} at dimension 0")
    while weight.wraps and weight._known() is not weight:  # the values change, their tangents do not
        weight = weight._known()
    rows = weight._array[which]
    norms = np.linalg.norm(rows, norm_type, axis=1, keepdims=True)
    scale = np.where(norms > max_norm, max_norm / (norms + 1e-7), 1).astype(rows.dtype)
    weight._array[which] = rows * scale
    weight._bump_version()


def _check_classes(numbers: Any, num_classes: int) -> None:
    if numbers.size and numbers.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    if numbers.size and num_classes != -1 and numbers.max() >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")


@public(functionals="one_hot", looks_first=True)
def one_hot(input: Tensor, num_classes: int = -1) -> Tensor:
    """For each number a row of zeros with a 1 at its place."""
    if input._array.dtype != np.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if input._array.size == 0 and num_classes <= 0:
        raise RuntimeError("Can not infer total number of classes from empty tensor.")
    check_elements(input, _check_classes, num_classes)
    if num_classes == -1:
        num_classes = int(elements(input).max()) + 1
    classes = np.arange(num_classes)
    found = computed(input, lambda numbers: wrap((numbers[..., None] == classes).astype(np.int64, "C")))
    return constant_of(found, "one_hot", input)


FUNCTIONALS.update(embedding=embedding)
