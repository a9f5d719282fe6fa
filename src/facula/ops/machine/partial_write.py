"""Operators that copy and write into part of the copy; without copying, the write is their in-place form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core.devices import MetaArray
from ..._core.strides import copied
from ..._tensor import Tensor
from ...autograd.graph import warn_user
from .primitive import Primitive
from .write import change, check_no_overlap, check_no_partial_overlap


class PartialWrite(Primitive):
    """A primitive whose kernel copies its input and calls ``write`` on the copy."""

    write: Callable[..., None]
    apart = True
    """Whether nothing that it reads may lie in the memory that it writes to."""
    by_rows = False

    def _again(self, name: str, kernel: Any, node: str | None, options: dict[str, Any]) -> PartialWrite:
        return partial_write(node, name, apart=self.apart, by_rows=self.by_rows, **options)(self.write)

    def apply(
        self, input: Tensor, tensors: tuple[Any, ...], attributes: tuple[Any, ...], in_place: bool,
        overlap: bool = False,
    ) -> Tensor:  # fmt: skip
        """Call it, or change ``input`` itself and record that. ``overlap``: its elements may share memory."""
        if not in_place:
            return self(input, *tensors, *attributes)

        if self.apart and not overlap:
            check_no_overlap(input._array)
        for name, t in zip(self.tensor_names[1:], tensors):
            if isinstance(t, Tensor) and name not in ("value", "values"):  # one number; ``index_put`` asks itself
                self.check_apart(input._array, t._array)

        def write(target: Any, *arrays: Any) -> None:
            if target.__class__ is not MetaArray:
                self.write(target, *arrays, *attributes)

        return change(self, input, tensors, write, attributes, overlap)

    def check_apart(self, target: Any, read: Any) -> None:
        """Refuse to read from what is being written. A mask may be the very tensor that it is a mask of."""
        if self.apart or read.dtype.kind == "b":
            check_no_partial_overlap(target, read, at_all=self.apart)


def partial_write(
    node: str | None, name: str, *, apart: bool = True, by_rows: bool = False, **options: Any
) -> Callable[[Callable[..., None]], PartialWrite]:
    """Make a primitive of a function that writes into its first argument.

    The copy lies in memory as the argument does, or ``by_rows``.
    """

    def make(write: Callable[..., None]) -> PartialWrite:
        def kernel(input: Any, *rest: Any) -> Any:
            if input.__class__ is MetaArray:
                return input.copy()
            changed = np.array(input, order="C") if by_rows or not input.ndim else copied(input)
            write(changed, *rest)
            return changed

        kernel.__wrapped__ = write  # type: ignore[attr-defined]  # whose parameters it passes on
        op = PartialWrite(name, kernel, node, **options)
        op.write = write
        op.apart = apart
        op.by_rows = by_rows
        return op

    return make


def is_expanded(array: Any, name: str, example: str) -> bool:
    """Whether elements of an array that is to be written share memory; that is told to the user."""
    if 0 not in array.strides or not array.size:
        return False
    if not any(n > 1 and s == 0 for n, s in zip(array.shape, array.strides)):
        return False
    warn_user(
        f"Use of {name} on expanded tensors is deprecated. Please clone() the tensor before performing this operation. "
        f"This also applies to advanced indexing e.g. {example}",
    )
    return True


# ---- adding where indices may repeat
