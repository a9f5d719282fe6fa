"""The hot path of products: plain matrices of one float dtype, their nodes made at once.

What comes out, nodes and saved values included, is what ``mm`` and ``addmm`` give.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import state
from ..._core.dtypes import F32, F64
from ..._tensor import Tensor
from ...autograd.graph import EMPTY, next_sequence_number, user_place
from ...autograd.views import element_strides
from ..machine.primitive import PLAIN
from ..views.transpose import t_op
from .addmm import addmm_op
from .matrix_products import mm_op

ndarray = np.ndarray
fresh = Tensor._wrap
_node_classes = t_op.node_class, mm_op.node_class, addmm_op.node_class


def is_plain_state() -> bool:
    """Whether no mode asks for more than the grad mode does."""
    return not (state.special and (state.modes.dispatch or state.anomaly))


def plain_matrices(input: Any, other: Any) -> bool:
    """Whether two operands are matrices that can be multiplied without any further question."""
    if type(input) not in PLAIN or type(other) not in PLAIN:
        return False
    a, b = input._array, other._array
    dt = a.dtype
    return (
        (dt is F32 or dt is F64)
        and b.dtype is dt
        and a.ndim == 2 == b.ndim
        and a.shape[1] == b.shape[0]
        and a.__class__ is ndarray is b.__class__
        and is_plain_state()
    )


def quick_node(
    node_class: Any, edges: tuple[Any, ...], saved: tuple[Any, ...], tensors: tuple[int, ...], twin: Any = None
) -> Any:
    """A node that saves these values; ``tensors`` tells which of them are Tensors, or None.

    It was made where its ``twin`` was, if one is given.
    """
    node = node_class()
    node.next = edges
    node.adapt = None
    node.attached = None
    node.saved = saved
    versions = None
    for i in tensors:
        t = saved[i]
        if t is not None and t._counter is not None and t._counter[0]:
            versions = versions or [0] * len(saved)
            versions[i] = t._counter[0]
    node.versions = versions
    if twin is None:
        node.code, node.instruction = user_place(3)
    else:
        node.code = twin.code
        node.instruction = twin.instruction
    node.seq = next_sequence_number()
    return node


def quick_mm(input: Any, mat2: Any) -> Any:
    """``mm`` of plain matrices."""
    a, b = input._array, mat2._array
    t = fresh(a.dot(b))
    if state.special and not state.modes.grad_enabled:
        return t
    left = input._node if input._meta is None else input._edge()
    right = mat2._node if mat2._meta is None else mat2._edge()
    if left is not None or right is not None:
        saved = (
            None if left is None else mat2, a.shape, element_strides(a),
            None if right is None else input, b.shape, element_strides(b),
        )  # fmt: skip
        t._node = quick_node(_node_classes[1], (left, right), saved, (0, 3))
    return t


assert mm_op.slot_names == ["mat2", "input_shape", "input_strides", "input", "mat2_shape", "mat2_strides"]


def quick_linear(input: Any, weight: Any, bias: Any) -> Any:
    """``addmm(bias, input, weight.t())`` for plain tensors, or ``mm``: the same two nodes, made at once."""
    x, w = input._array, weight._array
    columns = w.T
    result = x.dot(columns)
    to_bias = None
    if bias is not None:
        np.add(result, bias._array, result)
        to_bias = bias._node if bias._meta is None else bias._edge()
    out = fresh(result)
    if state.special and not state.modes.grad_enabled:
        return out
    to_input = input._node if input._meta is None else input._edge()
    to_weight = weight._node if weight._meta is None else weight._edge()
    if to_bias is None and to_input is None and to_weight is None:
        return out
    if to_weight is not None:
        transposed = _node_classes[0]()
        transposed.next = (to_weight,)
        transposed.adapt = None
        transposed.attached = None
        transposed.saved = EMPTY
        transposed.versions = None
        transposed.code, transposed.instruction = user_place(2)
        transposed.seq = next_sequence_number()
        to_weight = transposed
    mat2 = None
    if to_input is not None:
        mat2 = fresh(columns)
        mat2._node = to_weight
        mat2._counter = weight._shared_counter()
    left = None if to_weight is None else input
    saved: tuple[Any, ...]
    if bias is None:
        saved = (mat2, x.shape, element_strides(x), left, columns.shape, element_strides(columns))
        out._node = quick_node(_node_classes[1], (to_input, to_weight), saved, (0, 3), to_weight)
        return out
    saved = (
        1, bias._array.shape, mat2, x.shape, element_strides(x), 1, left, columns.shape, element_strides(columns),
    )  # fmt: skip
    out._node = quick_node(_node_classes[2], (to_bias, to_input, to_weight), saved, (2, 6), to_weight)
    return out


assert addmm_op.slot_names == [
    "beta", "input_shape", "mat2", "mat1_shape", "mat1_strides", "alpha", "mat1", "mat2_shape", "mat2_strides",
]  # fmt: skip
