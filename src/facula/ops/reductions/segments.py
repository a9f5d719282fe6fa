"""``segment_reduce``: reductions of consecutive parts of different lengths."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import dtypes
from ..._core.dtypes import not_for
from ..._tensor import Tensor
from ..arrays.meta import by_zeros
from ..arrays.types import Array
from ..machine import batching
from ..machine.arguments import one_dim
from ..machine.errors import unconvertible
from ..machine.primitive import primitive
from ..machine.public import public
from ..machine.rules import constant, raw

_UFUNCS: dict[str, Any] = {
    "sum": np.add, "mean": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum,
}  # fmt: skip
_STARTS = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "max": -np.inf, "min": np.inf}


class Segments:
    """Where the parts lie: along the dimension after those that ``lengths`` has before its last."""

    def __init__(self, shape: tuple[int, ...], offsets: Any) -> None:
        self.shape = shape
        axis = offsets.ndim - 1
        n = shape[axis]
        self.count = int(np.prod(shape[: axis + 1]))
        """Of all rows."""
        self.rest = shape[axis + 1 :]
        starts, ends = offsets[..., :-1], offsets[..., 1:]
        batch = np.arange(int(np.prod(shape[:axis]))).reshape(*shape[:axis], 1) * n
        self.result_shape = (*shape[:axis], starts.shape[-1], *self.rest)
        self.lengths = (ends - starts).reshape(-1)
        self.segment_of_row = np.repeat(np.arange(self.lengths.size), self.lengths)
        first = np.cumsum(self.lengths) - self.lengths
        within = np.arange(self.segment_of_row.size) - first[self.segment_of_row]
        self.rows = (starts + batch).reshape(-1)[self.segment_of_row] + within
        self.first = first

    def column(self, values: Any) -> Any:
        """A value for each segment, to be broadcast along what is not reduced."""
        return values.reshape(-1, *(1,) * len(self.rest))

    def for_rows(self, g: Any, xp: Any) -> Any:
        """For each row in a segment what there is for the segment."""
        return xp.index(xp.reshape(g, (self.lengths.size, *self.rest)), (self.segment_of_row,))

    def take(self, x: Any, xp: Any) -> Any:
        """The rows that are in a segment."""
        return xp.index(xp.reshape(x, (self.count, *self.rest)), (self.rows,))

    def put(self, rows: Any, xp: Any) -> Any:
        """Rows in segments, back to where they were taken."""
        return xp.reshape(xp.unindex(rows, (self.rows,), (self.count, *self.rest)), self.shape)


@primitive("SegmentReduceBackward0", name="segment_reduce", batch=batching.item_by_item)
@by_zeros
def segment_reduce_op(input: Array, reduce: str, segments: Any, initial: Any) -> Any:
    rows = input.reshape(segments.count, *segments.rest)[segments.rows]
    start = _STARTS[reduce] if initial is None else initial
    out = np.full((segments.lengths.size, *segments.rest), start, input.dtype)
    filled = segments.lengths > 0
    if filled.any():
        out[filled] = _UFUNCS[reduce](out[filled], _UFUNCS[reduce].reduceat(rows, segments.first[filled], 0))
    if reduce == "mean":
        count = segments.column(segments.lengths.astype(input.dtype))
        out = np.where(count > 0, out / np.maximum(count, 1), out if initial is not None else np.nan)
    return out.reshape(segments.result_shape).astype(input.dtype, copy=False)


@segment_reduce_op.vjp("input")
def segment_reduce_gradient_of_input(
    g: Any, input: Any, out: Any, reduce: str, segments: Any, initial: Any, xp: Any
) -> Any:
    dtype = raw(g).dtype
    if reduce == "sum":
        return segments.put(segments.for_rows(g, xp), xp)
    if reduce == "mean":
        share = 1 / np.maximum(segments.column(segments.lengths), 1)[segments.segment_of_row]
        return segments.put(segments.for_rows(g, xp) * constant(share.astype(dtype), xp), xp)
    if reduce == "prod":
        return segments.put(segments.for_rows(g, xp) * _others(input, out, segments, initial, xp), xp)
    rows = raw(input).reshape(segments.count, *segments.rest)[segments.rows]
    best = raw(out).reshape(segments.lengths.size, *segments.rest)[segments.segment_of_row]
    chosen = (rows == best) | (np.isnan(rows) & np.isnan(best))
    count = np.zeros((segments.lengths.size, *segments.rest))
    np.add.at(count, segments.segment_of_row, chosen)
    share = chosen / np.maximum(count[segments.segment_of_row], 1)
    return segments.put(segments.for_rows(g, xp) * constant(share.astype(dtype), xp), xp)


def _others(input: Any, out: Any, segments: Any, initial: Any, xp: Any) -> Any:
    """For each row the product of the others of its segment. Rows of 0 and NaN are counted anew, by hand."""
    rows = segments.take(input, xp)
    values = raw(rows)
    if not ((values == 0) | np.isnan(values)).any():
        return segments.for_rows(out, xp) / rows
    result = np.empty_like(values)
    for start, n in zip(segments.first, segments.lengths):
        for i in range(n):
            rest = np.delete(values[start : start + n], i, 0)
            result[start + i] = np.multiply.reduce(rest, 0) * (1 if initial is None else initial)
    return constant(result, xp)


@public("segment_reduce _segment_reduce")
def segment_reduce(
    data: Tensor, reduce: str, *, lengths: Tensor | None = None, indices: Any = None, offsets: Tensor | None = None,
    axis: int = 0, unsafe: bool = False, initial: Any = None,
) -> Tensor:  # fmt: skip
    """The sum, mean, product, maximum or minimum of consecutive parts along a dimension."""
    at = one_dim(axis, data._array.ndim)
    name = {"amax": "max", "amin": "min"}.get(reduce, reduce)
    if name not in _UFUNCS:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    if indices is not None:
        raise RuntimeError("segment_reduce(): indices based reduction is not supported yet.")
    if isinstance(initial, complex):
        raise unconvertible(dtypes.float64)
    if lengths is None and offsets is None:
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")
    given: Any = (lengths if offsets is None else offsets)._array  # type: ignore[union-attr]
    if given.ndim - 1 != at:
        what = "lengths" if offsets is None else "offsets"
        raise RuntimeError(f"segment_reduce(): Expected axis to be the last dimension of {what} but got {axis}.")
    if data._array.dtype.kind not in "fV":
        raise not_for("_segment_reduce_cpu", data.dtype)
    if offsets is None:
        if given.dtype.kind not in "iu":
            assert lengths is not None
            raise not_for("_segment_reduce_lengths_cpu_kernel1", lengths.dtype)
        if not unsafe:
            if (given < 0).any():
                raise RuntimeError("lengths contains negative value!")
            if (given.sum(-1) != data._array.shape[at]).any():
                raise RuntimeError(
                    "segment_reduce(): Expected all rows of lengths along axis to sum to data.size(lengths.dim()-1) when "  # noqa: E501
                    "!unsafe."
                )
        given = np.concatenate([np.zeros((*given.shape[:-1], 1), given.dtype), np.cumsum(given, -1)], -1)
    segments = Segments(data._array.shape, given)
    return segment_reduce_op(data, name, segments, initial)
