"""``_chunk_cat``: tensors of different sizes cut into equally many chunks, and the chunks put side by side."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._tensor import Tensor
from ..arrays.types import Arrays
from ..machine import batching
from ..machine.primitive import primitive
from ..machine.public import public
from ..machine.refusals import no_aten_derivative
from .joining import cat_arrays


@primitive("NotImplemented", name="chunk_cat", kind="linear", batch=batching.item_by_item)
def chunk_cat_op(tensors: Arrays, dim: int, num_chunks: int) -> Any:
    parts = []
    for x in tensors:
        missing = -x.shape[dim] % num_chunks
        padded = np.pad(x, [(0, missing if d == dim else 0) for d in range(x.ndim)])
        parts.append(padded.reshape(*x.shape[:dim], num_chunks, -1))
    return cat_arrays(parts, dim + 1)


chunk_cat_op.vjp(tensors=no_aten_derivative("_chunk_cat"))


@public("_chunk_cat", out=True)
def chunk_cat(tensors: Any, dim: int, num_chunks: int) -> Tensor:
    """Each tensor, filled up with zeros, as ``num_chunks`` rows; the rows of all of them joined."""
    if not tensors:
        raise RuntimeError("_chunk_cat expects a non-empty input tensor list")
    if num_chunks < 1:
        raise RuntimeError("_chunk_cat expects positive num_chunks")
    if any(not t._array.size for t in tensors):
        raise RuntimeError("_chunk_cat expects non-empty tensor")
    ndims = {t._array.ndim for t in tensors}
    if dim < 0:
        if len(ndims) > 1:
            raise RuntimeError("_chunk_cat expects non-negative dim when input tensors have different ndims")
        dim += ndims.pop()
    elif dim >= min(ndims):
        raise RuntimeError("_chunk_cat expects dim < ndim for all input tensors")
    if len({t._array.shape[:dim] for t in tensors}) > 1:
        raise RuntimeError("_chunk_cat expects same sizes of 0,...,dim-1 dimensions for all tensors")
    return chunk_cat_op(tensors, dim, num_chunks)
