"""``torch.types``: names for annotations."""

from __future__ import annotations

import builtins
import os
from collections.abc import Sequence
from typing import IO, Any, Union

from ._core.devices import device as _device
from ._core.dtypes import dtype as _dtype  # noqa: F401
from ._core.layouts import layout as _layout  # noqa: F401
from ._core.size import Size
from ._core.storage import TypedStorage, UntypedStorage
from ._tensor import Tensor

__all__ = ["Device", "FileLike", "Number", "Storage"]

_int = builtins.int
_float = builtins.float
_bool = builtins.bool
_complex = builtins.complex
_TensorOrTensors = Union[Tensor, Sequence[Tensor]]  # noqa: UP007
_size = Union[Size, list[int], tuple[int, ...]]  # noqa: UP007
_symsize = _size
_dispatchkey = Union[str, Any]  # noqa: UP007
SymInt = builtins.int
IntLikeType = builtins.int
FloatLikeType = builtins.float
BoolLikeType = builtins.bool
py_sym_types = (builtins.int, builtins.float, builtins.bool)
PySymType = Union[builtins.int, builtins.float, builtins.bool]  # noqa: UP007
Number = Union[builtins.int, builtins.float, builtins.bool]  # noqa: UP007
Device = Union[_device, str, builtins.int, None]  # noqa: UP007
FileLike = Union[str, os.PathLike[str], IO[bytes]]  # noqa: UP007
Storage = Union[TypedStorage, UntypedStorage]  # noqa: UP007
