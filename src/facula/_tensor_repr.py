"""The text of a tensor: what ``_repr`` needs to know, asked of the tensor."""

from __future__ import annotations

from typing import Any

from ._core import dtypes
from ._repr import format_tensor
from .autograd.saved import PLAIN


def tensor_repr(t: Any, *, tensor_contents: str | None = None) -> str:
    """PyTorch's text for ``t``; ``tensor_contents`` stands in place of the values."""
    suffixes = []
    node = t.grad_fn
    if node is not None:
        suffixes.append(f"grad_fn=<{node_name(node)}>")
    elif t.requires_grad:
        suffixes.append("requires_grad=True")
    is_meta = t.is_meta
    return format_tensor(
        None if is_meta else t._array,
        dtype=repr(t.dtype),
        default_dtype=repr(dtypes.default),
        shape=t._array.shape,
        device="meta" if is_meta else "cpu",
        name="tensor" if type(t) in PLAIN else type(t).__name__,
        suffixes=suffixes,
        contents=tensor_contents,
    )


def node_name(node: Any) -> str:
    return type(node).__name__
