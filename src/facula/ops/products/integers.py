"""Products of bytes, summed in 32 bits."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import dtypes
from ..._core.dtypes import cpp_name
from ..._tensor import Tensor
from ..arrays.types import Array
from ..machine import batching
from ..machine.primitive import primitive
from ..machine.public import public


@primitive("NotImplemented", name="_int_mm", batch=batching.item_by_item)
def int_mm_op(input: Array, mat2: Array) -> Any:
    return np.matmul(input.astype(np.int32), mat2.astype(np.int32))


@public("_int_mm")
def _int_mm(input: Tensor, mat2: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The product of two matrices of bytes, in int32."""
    for name, t in (("self", input), ("mat2", mat2)):
        if t._array.ndim != 2:
            raise _wrong(f"Expected {name} to be of dimension 2 but got {t._array.ndim}")
    rows, columns = input._array.shape[0], mat2._array.shape[1]
    if input._array.shape[1] != mat2._array.shape[0]:
        raise _wrong(
            f"self.size(1) needs to match mat2.size(0) but got {input._array.shape[1]} and {mat2._array.shape[0]}"
        )
    if input.dtype not in (dtypes.int8, dtypes.uint8):
        raise _wrong(f"Expected self dtype to be int8 or uint8 but got {cpp_name(input.dtype)}")
    if mat2.dtype is not dtypes.int8:
        raise _wrong(f"Expected mat2 dtype to be of type int8 but got {cpp_name(mat2.dtype)}")
    if out is None:
        return int_mm_op(input, mat2)
    if out.dtype is not dtypes.int32:
        raise _wrong(f"Expected result dtype to be of type kInt but got {cpp_name(out.dtype)}")
    for i, n in enumerate((rows, columns)):
        if out._array.shape[i] != n:
            raise _wrong(f"Expected result.size({i}) to be {n} but got {out._array.shape[i]}")
    return out.copy_(int_mm_op(input, mat2))


def _wrong(what: str) -> RuntimeError:
    return RuntimeError(f"int_mm_out_cpu: {what}")
