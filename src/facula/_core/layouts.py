"""Layouts and memory formats: named constants. Tensors are strided or ``sparse_coo``; the others are known by name."""

from __future__ import annotations


class _Constant:
    """Known by its name; copies and pickles give the same object again."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return self.name


class layout(_Constant):
    """How a tensor's elements are stored."""

    __module__ = "facula"

    __slots__ = ()


class memory_format(_Constant):
    """In which order a tensor's dimensions lie in memory."""

    __module__ = "facula"

    __slots__ = ()


strided = layout("strided")
sparse_coo = layout("sparse_coo")
sparse_csr = layout("sparse_csr")
sparse_csc = layout("sparse_csc")
sparse_bsr = layout("sparse_bsr")
sparse_bsc = layout("sparse_bsc")
jagged = layout("jagged")
_mkldnn = layout("_mkldnn")

contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last")
channels_last_3d = memory_format("channels_last_3d")
legacy_contiguous_format = contiguous_format


def fits(format: memory_format, ndim: int) -> bool:
    """Whether tensors of so many dimensions can have a memory format, other than the usual one."""
    return ndim == (4 if format is channels_last else 5 if format is channels_last_3d else -1)


def axis_order(format: memory_format | None, ndim: int) -> tuple[int, ...]:
    """The dimensions from the outermost in memory to the innermost."""
    if format is channels_last or format is channels_last_3d:
        wanted = 4 if format is channels_last else 5
        if ndim != wanted:
            raise RuntimeError(f"required rank {wanted} tensor to use {format.name} format")
        return (0, *range(2, ndim), 1)
    return tuple(range(ndim))
