"""Sums, means and maxima of bags of rows of a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.dtypes import widened
from ..._tensor import Tensor
from ..arrays.meta import by_zeros
from ..arrays.types import Array
from ..machine import batching
from ..machine.primitive import primitive
from ..machine.public import public
from ..machine.rules import constant, raw
from ..machine.write import history_first

SUM, MEAN, MAX = 0, 1, 2


def _bags(indices: Any, offsets: Any, last: bool, padding_idx: int) -> tuple[Any, int]:
    """(the bag of each index, the number of bags). With padding the last offset is not looked at, as in PyTorch."""
    n = offsets.size - 1 if last else offsets.size
    end = offsets[n] if last and padding_idx < 0 else indices.size
    return np.repeat(np.arange(n), np.diff(np.append(offsets[:n], end))), n


def _summed(rows: Any, bags: Any, n: int) -> Any:
    """Rows added up by bag; bags are in order."""
    found = np.zeros((n, rows.shape[1]), rows.dtype)
    if bags.size:
        first = np.flatnonzero(np.append(True, bags[1:] != bags[:-1]))
        found[bags[first]] = np.add.reduceat(rows, first, axis=0)
    return found


def _kept(indices: Any, padding_idx: int) -> Any:
    return slice(None) if padding_idx < 0 else np.flatnonzero(indices != padding_idx)


@primitive(
    "EmbeddingBagBackward0", name="embedding_bag", outputs=4, differentiable_outputs="first",
    saved_names={
        "out1": "result1", "out2": "result2", "out3": "result3", "rows": "weight_sym_argsize_0",
        "include_last_offset": "",
    }, batch=batching.item_by_item,
)  # fmt: skip
@by_zeros
def embedding_bag_op(
    weight: Array, per_sample_weights: Array | None, indices: Array, offsets: Array, scale_grad_by_freq: bool,
    mode: int, sparse: bool, include_last_offset: bool, padding_idx: int, rows: int,
) -> tuple[Array, ...]:  # fmt: skip
    """(bags, the bag of each index, sizes of bags, indices of maxima)."""
    bags, n = _bags(indices, offsets, include_last_offset, padding_idx)
    kept = _kept(indices, padding_idx)
    used = indices[: bags.size][kept]
    of = bags[kept]
    sizes = np.bincount(of, minlength=n).astype(indices.dtype)
    numbers = bags.astype(indices.dtype)
    nothing = np.zeros(n, indices.dtype)
    if mode == MAX:
        found, where = _maxima(weight, used, of, n)
        return found, numbers, sizes, where.astype(indices.dtype)
    parts = weight[used]
    if per_sample_weights is not None:
        parts = parts * per_sample_weights[: bags.size][kept][:, None]
    found = _summed(parts, of, n)
    if mode == MEAN:
        found /= np.maximum(sizes, 1).astype(found.dtype)[:, None]
        return found, numbers, sizes, sizes.copy()
    if padding_idx < 0 and weight.itemsize < 8:
        numbers = np.empty(0, indices.dtype)  # as in PyTorch, whose quickest way goes without them
    return found, numbers, nothing, nothing.copy()


def _maxima(weight: Any, used: Any, of: Any, n: int) -> tuple[Any, Any]:
    width = weight.shape[1]
    found = np.zeros((n, width), weight.dtype)
    where = np.zeros((n, width), np.int64)
    for i, bag in enumerate(of):
        row = weight[used[i]]
        if i == 0 or bag != of[i - 1]:
            found[bag], where[bag] = row, used[i]
        else:
            better = row > found[bag]
            found[bag, better] = row[better]
            where[bag, better] = used[i]
    return found, where


def _places(
    indices: Any, offsets: Any, last: bool, padding_idx: int, scale_grad_by_freq: bool, mode: int, dtype: Any
) -> tuple[Any, Any, Any, Any]:
    """(indices that count, their bags, their factors or None, which of all they are)."""
    bags, n = _bags(indices, offsets, last, padding_idx)
    kept = _kept(indices[: bags.size], padding_idx)
    used, of = indices[: bags.size][kept], bags[kept]
    factors = None
    if mode == MEAN:
        factors = 1 / np.maximum(np.bincount(of, minlength=n), 1).astype(dtype)[of]
    if scale_grad_by_freq and used.size:
        often = 1 / _frequencies(indices[: bags.size], used).astype(dtype)
        factors = often if factors is None else factors * often
    return used, of, factors, kept


def _frequencies(indices: Any, used: Any) -> Any:
    """By what PyTorch divides the gradients of rows: for the i-th different row, how often the i-th index occurs."""
    ordered = np.sort(indices)
    return np.bincount(ordered)[ordered[np.searchsorted(np.unique(ordered), used)]]


@primitive("EmbeddingBagBackwardBackward0", name="rows_from_bags", batch=batching.item_by_item, kind="multilinear")
@by_zeros
def rows_from_bags_op(
    input: Array, per_sample_weights: Array | None, indices: Array, offsets: Array, rows: int, scale_grad_by_freq: bool,
    mode: int, include_last_offset: bool, padding_idx: int,
) -> Any:  # fmt: skip
    """The adjoint of sums and means with respect to the table."""
    used, of, factors, kept = _places(
        indices, offsets, include_last_offset, padding_idx, scale_grad_by_freq, mode, input.dtype
    )
    values = input[of]
    if factors is not None:
        values = values * factors[:, None]
    if per_sample_weights is not None:
        values = values * per_sample_weights[kept][: used.size, None]
    table = np.zeros((rows, input.shape[1]), input.dtype)
    order = np.argsort(used, kind="stable")
    if order.size:
        ordered = used[order]
        first = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
        table[ordered[first]] = np.add.reduceat(values[order], first, axis=0)
    return table


@primitive("EmbeddingBagBackward0", name="bags_from_rows", batch=batching.item_by_item, kind="multilinear")
@by_zeros
def bags_from_rows_op(
    input: Array, per_sample_weights: Array | None, indices: Array, offsets: Array, scale_grad_by_freq: bool, mode: int,
    include_last_offset: bool, padding_idx: int,
) -> Any:  # fmt: skip
    """The adjoint of ``rows_from_bags``: sums and means, weighted by frequency as their gradient is."""
    used, of, factors, kept = _places(
        indices, offsets, include_last_offset, padding_idx, scale_grad_by_freq, mode, input.dtype
    )
    values = input[used]
    if factors is not None:
        values = values * factors[:, None]
    if per_sample_weights is not None:
        values = values * per_sample_weights[kept][: used.size, None]
    return _summed(values, of, offsets.size - include_last_offset)


@primitive(
    "EmbeddingBagPerSampleWeightsBackwardBackward0", name="bag_weight_slopes", batch=batching.item_by_item,
    kind="multilinear",
)  # fmt: skip
@by_zeros
def bag_weight_slopes_op(
    bags: Array, weight: Array, indices: Array, offsets: Array, include_last_offset: bool, padding_idx: int
) -> Any:
    """For each index the product of its row and a row for its bag."""
    used, of, _, kept = _places(indices, offsets, include_last_offset, padding_idx, False, SUM, weight.dtype)
    found = np.zeros(indices.shape, weight.dtype)
    found[: len(found)][kept] = np.einsum("ij,ij->i", widened(weight[used]), widened(bags[of]))
    return found


@embedding_bag_op.vjp("weight")
def embedding_bag_gradient_of_weight(
    g: Any, per_sample_weights: Any, indices: Any, offsets: Any, out1: Any, out2: Any, out3: Any, rows: int,
    scale_grad_by_freq: bool, mode: int, sparse: bool, include_last_offset: bool, padding_idx: int, xp: Any,
) -> Any:  # fmt: skip
    if mode == MAX:
        return xp.unpick(xp.keep(g, (out2 > 0)[:, None]), out3, 0, True, False, (rows, g.shape[1]))
    if sparse:
        return _picked(g, per_sample_weights, indices, offsets, rows, mode, include_last_offset, padding_idx, xp)
    return xp.rows_from_bags(
        g, per_sample_weights, indices, offsets, rows, scale_grad_by_freq, mode, include_last_offset, padding_idx
    )  # fmt: skip


def _picked(
    g: Any, per_sample_weights: Any, indices: Any, offsets: Any, rows: int, mode: int, last: bool, padding_idx: int,
    xp: Any,
) -> Any:  # fmt: skip
    """The same as a sparse gradient: a row for each index."""
    used, of, factors, kept = _places(raw(indices), raw(offsets), last, padding_idx, False, mode, raw(g).dtype)
    values = xp.gather_values(g, of, 1)
    if factors is not None:
        values = values * constant(factors[:, None], xp)
    if per_sample_weights is not None:
        weights = xp.gather_values(per_sample_weights, np.arange(used.size) if isinstance(kept, slice) else kept, 1)
        values = values * xp.reshape(weights, (used.size, 1))
    return xp.picked_rows(values, constant(used, xp), (rows, raw(g).shape[1]), -1)


@embedding_bag_op.vjp("per_sample_weights")
def embedding_bag_gradient_of_per_sample_weights(
    g: Any, weight: Any, indices: Any, offsets: Any, include_last_offset: bool, padding_idx: int, xp: Any
) -> Any:
    return xp.bag_weight_slopes(g, weight, indices, offsets, include_last_offset, padding_idx)


@rows_from_bags_op.vjp("input")
def rows_from_bags_gradient_of_input(
    g: Any, per_sample_weights: Any, indices: Any, offsets: Any, scale_grad_by_freq: bool, mode: int,
    include_last_offset: bool, padding_idx: int, xp: Any,
) -> Any:  # fmt: skip
    return xp.bags_from_rows(
        g, per_sample_weights, indices, offsets, scale_grad_by_freq, mode, include_last_offset, padding_idx
    )


@rows_from_bags_op.vjp("per_sample_weights")
def rows_from_bags_gradient_of_per_sample_weights(
    g: Any, input: Any, indices: Any, offsets: Any, include_last_offset: bool, padding_idx: int, xp: Any
) -> Any:
    return xp.bag_weight_slopes(input, g, indices, offsets, include_last_offset, padding_idx)


@bags_from_rows_op.vjp("input")
def bags_from_rows_gradient_of_input(
    g: Any, per_sample_weights: Any, indices: Any, offsets: Any, input_shape: Any, scale_grad_by_freq: bool, mode: int,
    include_last_offset: bool, padding_idx: int, xp: Any,
) -> Any:  # fmt: skip
    return xp.rows_from_bags(
        g, per_sample_weights, indices, offsets, input_shape[0], scale_grad_by_freq, mode, include_last_offset,
        padding_idx,
    )  # fmt: skip


@bags_from_rows_op.vjp("per_sample_weights")
def bags_from_rows_gradient_of_per_sample_weights(
    g: Any, input: Any, indices: Any, offsets: Any, include_last_offset: bool, padding_idx: int, xp: Any
) -> Any:
    return xp.bag_weight_slopes(g, input, indices, offsets, include_last_offset, padding_idx)


@bag_weight_slopes_op.vjp("bags")
def bag_weight_slopes_gradient_of_bags(
    g: Any, weight: Any, indices: Any, offsets: Any, include_last_offset: bool, padding_idx: int, xp: Any
) -> Any:
    return xp.bags_from_rows(weight, g, indices, offsets, False, SUM, include_last_offset, padding_idx)


@bag_weight_slopes_op.vjp("weight")
def bag_weight_slopes_gradient_of_weight(
    g: Any, bags: Any, indices: Any, offsets: Any, weight_shape: Any, include_last_offset: bool, padding_idx: int,
    xp: Any,
) -> Any:  # fmt: skip
    return xp.rows_from_bags(
        bags, g, indices, offsets, weight_shape[0], False, SUM, include_last_offset, padding_idx
    )


# ---- arguments


def _check_dimensions(weight: Tensor, indices: Tensor, offsets: Tensor) -> None:
    for name, t, allowed in (("input", indices, (1, 2)), ("offsets", offsets, (1,)), ("weight", weight, (2,))):
        if t._array.ndim not in allowed:
            wanted = " or ".join([f"{n}D" for n in allowed])
            raise RuntimeError(f"{name} has to be a {wanted} Tensor, but got Tensor of dimension {t._array.ndim}")


def _check(
    weight: Tensor, indices: Tensor, offsets: Tensor, per_sample_weights: Tensor | None, mode: int,
    include_last_offset: bool, has_padding: bool,
) -> None:  # fmt: skip
    what = "(while checking arguments for embedding_bag)"
    for t in (indices, offsets):
        if t._array.dtype not in (np.int64, np.int32):
            raise RuntimeError(
                f"Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; "
                f"but got {t._type_name()} instead {what}"
            )
    if weight._array.dtype.kind not in "fV":
        raise RuntimeError(
            "Expected tensor for argument #1 'weight' to have one of the following scalar types: Half, BFloat16, "
            f"Float, Double; but got {weight._type_name()} instead {what}"
        )
    if per_sample_weights is not None and per_sample_weights.dtype is not weight.dtype:
        raise RuntimeError(
            "Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 "
            f"'per_sample_weights'; but type {weight._type_name()} does not equal {per_sample_weights._type_name()} "
            f"{what}"
        )
    if mode not in (SUM, MEAN, MAX):
        raise RuntimeError("`mode` must be sum, mean, or max.")
    if per_sample_weights is not None:
        _check_weights(per_sample_weights, indices, mode)
    x, starts, rows = indices._array, offsets._array, weight._array.shape[0]
    if include_last_offset and not starts.size:
        raise RuntimeError("include_last_offset: number of offset should be at least 1")
    if starts.size:
        if starts[0] != 0:
            raise RuntimeError(
                "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. "
                f"However, got {starts[0]}"
            )
        if starts[-1] > x.size:
            raise RuntimeError(
                f"offsets[-1] can not be greater than input's length {x.size} but got offsets[-1] of {starts[-1]}"
            )
        if (np.diff(starts) < 0).any():
            raise RuntimeError("offsets have to be in order")
    if x.size and (x.min() < 0 or x.max() >= rows):
        at = int(np.flatnonzero((x < 0) | (x >= rows))[0])
        if weight._array.itemsize == 8 or has_padding:
            raise RuntimeError(
                f"embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be {x[at]}"
            )
        raise RuntimeError(
            f"Index {at} of input takes value {x[at]} which is not in the valid range [0, {rows})"
        )


def _check_weights(per_sample_weights: Tensor, indices: Tensor, mode: int) -> None:
    if mode != SUM:
        raise RuntimeError("embedding_bag: per_sample_weights only supported with mode='sum'")
    for fits, what in (
        (per_sample_weights._array.ndim == 1, "dim() == 1"),
        (per_sample_weights._array.size == indices._array.size, "numel() == indices.numel()"),
    ):
        if not fits:
            raise RuntimeError(
                f"Expected per_sample_weights.value().{what} to be true, but got false.  (Could this error message be "
                "improved?  If so, please report an enhancement request to PyTorch.)"
            )


@public("embedding_bag")
def embedding_bag(
    weight: Tensor, indices: Tensor, offsets: Tensor, scale_grad_by_freq: bool = False, mode: int = SUM,
    sparse: bool = False, per_sample_weights: Tensor | None = None, include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Any:  # fmt: skip
    """(bags, the bag of each index, sizes of bags, indices of maxima)."""
    rows = weight._array.shape[0] if weight._array.ndim else 0
    if padding_idx is not None:
        if not -rows <= padding_idx < rows:
            raise RuntimeError(
                f"padding_idx must be within the number of embeddings, -{rows} through {rows - 1}, but got "
                f"{padding_idx}"
            )
        padding_idx %= rows
    try:
        _check_dimensions(weight, indices, offsets)
        indices = indices.reshape(-1) if indices._array.ndim == 2 else indices
        _check(weight, indices, offsets, per_sample_weights, mode, include_last_offset, padding_idx is not None)
    except RuntimeError as e:
        raise history_first(e, weight, per_sample_weights) from None
    if indices.dtype is not offsets.dtype:
        indices, offsets = indices.long(), offsets.long()
    at = -1 if padding_idx is None else padding_idx
    found = embedding_bag_op(
        weight, per_sample_weights, indices, offsets, scale_grad_by_freq, mode, sparse, include_last_offset, at, rows
    )
    return tuple(found)
