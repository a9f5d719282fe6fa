"""Operators that copy and write into part of the copy; without copying, the write is their in-place form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core.devices import MetaArray
from ..._tensor import Tensor
from .primitive import Primitive
from .write import change


class PartialWrite(Primitive):
    """A primitive whose kernel copies its input and calls ``write`` on the copy."""

    write: Callable[..., None]

    def _again(self, name: str, kernel: Any, node: str | None, options: dict[str, Any]) -> PartialWrite:
        return partial_write(node, name, **options)(self.write)

    def apply(
        self, input: Tensor, tensors: tuple[Any, ...], attributes: tuple[Any, ...], in_place: bool,
        overlap: bool = False,
    ) -> Tensor:  # fmt: skip
        """Call it, or change ``input`` itself and record that. ``overlap``: its elements may share memory."""
        if not in_place:
            return self(input, *tensors, *attributes)

        def write(target: Any, *arrays: Any) -> None:
            if target.__class__ is not MetaArray:
                self.write(target, *arrays, *attributes)

        return change(self, input, tensors, write, attributes, overlap)


def partial_write(node: str | None, name: str, **options: Any) -> Callable[[Callable[..., None]], PartialWrite]:
    """Make a primitive of a function that writes into its first argument."""

    def make(write: Callable[..., None]) -> PartialWrite:
        def kernel(input: Any, *rest: Any) -> Any:
            if input.__class__ is MetaArray:
                return input.copy()
            changed = np.array(input)
            write(changed, *rest)
            return changed

        kernel.__wrapped__ = write  # type: ignore[attr-defined]  # whose parameters it passes on
        op = PartialWrite(name, kernel, node, **options)
        op.write = write
        return op

    return make


# ---- adding where indices may repeat


