"""What other packages put around indexing in functions that are mapped over batches."""

from __future__ import annotations

from facula.overrides import TorchFunctionMode

__all__ = ["TransformGetItemToIndex"]


class TransformGetItemToIndex(TorchFunctionMode):
    """``x[i]`` with a tensor ``i`` stays an index in mapped functions, which it always does here."""

    def __enter__(self) -> TransformGetItemToIndex:
        return self

    def __exit__(self, *exc: object) -> None:
        pass
