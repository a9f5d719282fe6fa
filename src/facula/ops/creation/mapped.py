"""Tensors whose memory is a file."""

from __future__ import annotations

from typing import Any

from ..._core import devices, dtypes
from ..._core.storage import UntypedStorage, elements_of
from ..._tensor import Tensor
from ..machine.errors import type_of
from .factories import checked_dtype, creator, finish


@creator()
def from_file(
    filename: Any, shared: bool | None = None, size: int | None = 0, *, dtype: Any = None, layout: Any = None,
    device: Any = None, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """A tensor of ``size`` elements in the memory of a file; if ``shared``, changes are written to the file."""
    if not isinstance(filename, str):
        raise TypeError(f"from_file(): argument 'filename' (position 1) must be str, not {type_of(filename)}")
    if device is not None and devices.parse(device).type != "cpu":
        raise NotImplementedError("aten::from_file: only tensors on the CPU can be in the memory of a file")
    d = checked_dtype("from_file", dtype) or dtypes.default
    nbytes = (size or 0) * d.itemsize
    if nbytes < 0:
        raise RuntimeError(f"unable to mmap {nbytes} bytes from file <{filename}>: Cannot allocate memory (12)")
    return finish(elements_of(UntypedStorage.from_file(filename, bool(shared), nbytes), d), layout=layout)
