"""Calling a primitive of one tensor quickly: what ``Primitive.general`` does, for plain tensors in the plain state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _quiet, _state
from .._tensor import Tensor, cut_of
from ..autograd.graph import EMPTY, _is_internal, next_sequence_number, user_frame
from ..autograd.saved import inference_error
from ._nodes import own_code
from ._primitive import PLAIN, Primitive, _getframe, _new, ndarray

_INPUT, _OUT, _SHAPE, _DTYPE, _SIZE = range(-5, 0)
_SOURCES = {"input": _INPUT, "out": _OUT, "input_shape": _SHAPE, "input_dtype": _DTYPE, "input_size": _SIZE}


def call_of(op: Primitive) -> Callable[..., Any]:
    """The quickest way to call a primitive."""
    if op.outputs != 1 or op.variadic or op.is_view or op.tensor_names != ["input"]:
        return op.general
    known = [*_SOURCES, *op.attribute_names]
    if any(name not in known for name in op.slot_names) or "SavedList" in op.kernel.__annotations__.values():
        return op.general
    return _one_tensor(op)


def _one_tensor(op: Primitive) -> Callable[..., Any]:
    kernel = op.kernel
    general = op.general
    differentiable = bool(op.rules)
    # Where each saved value comes from: an attribute (its number), or one of the negative codes.
    plan = [_SOURCES[n] if n in _SOURCES else op.attribute_names.index(n) for n in op.slot_names]
    saves_tensor = _INPUT in plan or _OUT in plan
    node_class: Any = None

    def call(input: Any, *attributes: Any) -> Any:
        nonlocal node_class
        if (type(input) is not Tensor and type(input) not in PLAIN) or type(input._array) is not ndarray:
            return general(input, *attributes)
        recording = differentiable
        if _state.special:
            if _state.modes.dispatch or _state.anomaly:
                return general(input, *attributes)
            recording = recording and _state.modes.grad_enabled
        array = input._array
        token = _quiet.begin()
        try:
            result = kernel(array, *attributes)
        finally:
            _quiet.end(token)
        t = _new(Tensor)
        t._array = result if type(result) is ndarray else np.asarray(result)
        t._node = None
        t._counter = None
        edge = None
        if recording and (t._array.dtype is array.dtype or t._array.dtype.kind in "fcV"):
            edge = input._node if input._meta is None else input._edge()
        if edge is None:
            plain = input._node is None and input._meta is None
            t._meta = None if plain or not differentiable else cut_of((input,), not recording)
            return t
        t._meta = None
        if node_class is None:
            node_class = op.node_class
        node = node_class()
        node.next = (edge,)
        node.adapt = None
        node.attached = None
        node.versions = None
        if not plan:
            node.saved = EMPTY
        elif not saves_tensor:
            node.saved = tuple(
                [attributes[i] if i >= 0 else array.shape if i == _SHAPE else _aspect(array, i) for i in plan]
            )
        else:
            _save(node, plan, input, t, attributes)
        frame: Any = _getframe(1)
        while (internal := _is_internal.get(frame.f_code.co_filename)) is True and frame.f_back is not None:
            frame = frame.f_back
        if internal is None:
            frame = user_frame(2)
        node.code = frame.f_code
        node.instruction = frame.f_lasti
        node.seq = next_sequence_number()
        t._node = node
        return t

    return own_code(call)


def _aspect(array: Any, what: int) -> Any:
    return array.shape if what == _SHAPE else array.dtype if what == _DTYPE else array.size


def _save(node: Any, plan: list[int], input: Any, out: Any, attributes: tuple[Any, ...]) -> None:
    values: list[Any] = []
    array = input._array
    for at, i in enumerate(plan):
        if i >= 0:
            values.append(attributes[i])
        elif i == _INPUT:
            if input._meta is not None and input._meta.inference:
                raise inference_error()
            values.append(input)
            if input._counter is not None and input._counter[0]:
                node.versions = tuple([input._counter[0] if j == at else 0 for j in range(len(plan))])
        elif i == _OUT:
            twin = Tensor._wrap(out._array)
            twin._counter = out._counter = [0, None, 0]
            values.append(twin)
        else:
            values.append(_aspect(array, i))
    node.saved = tuple(values)
