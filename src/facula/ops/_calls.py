"""Calling a primitive quickly: what ``Primitive.general`` does, for plain tensors in the plain state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _quiet, _state
from .._state import GENERAL, RECORDING
from .._tensor import Tensor
from ..autograd.graph import EMPTY, _is_internal, next_sequence_number, user_frame
from ..autograd.meta import cut_of
from ..autograd.saved import SavedList, inference_error, version_of
from ..autograd.views import element_strides
from ._nodes import own_code
from ._primitive import PLAIN, Primitive, _getframe, _new, ndarray


def call_of(op: Primitive) -> Callable[..., Any]:
    """The quickest way to call a primitive."""
    if op.variadic or op.is_view or (op.outputs != 1 and op.kind != "values_and_indices"):
        return op.general
    return _one_tensor(op) if op.outputs == 1 and op.tensor_names == ["input"] else _several_tensors(op)


def _one_tensor(op: Primitive) -> Callable[..., Any]:
    """One tensor in, one out."""
    kernel = op.kernel
    general = op.general
    differentiable = bool(op.rules)
    record = recorder(op)

    def call(input: Any, *attributes: Any) -> Any:
        if (type(input) is not Tensor and type(input) not in PLAIN) or type(input._array) is not ndarray:
            return general(input, *attributes)
        recording = differentiable
        if _state.special:
            how = _state.modes.how
            if how == GENERAL or _state.anomaly:
                return general(input, *attributes)
            recording = recording and how == RECORDING
        array = input._array
        token = _quiet.begin()
        try:
            result = kernel(array, *attributes)
        finally:
            _quiet.end(token)
        t = _new(Tensor)
        t._array = result if type(result) is ndarray else np.asarray(result)
        t._node = None
        t._meta = None
        t._counter = None
        if input._node is None and input._meta is None:
            return t
        edge = None
        if recording and (t._array.dtype is array.dtype or t._array.dtype.kind in "fcV"):
            edge = input._node if input._meta is None else input._edge()
        if edge is not None:
            record((t,), (edge,), 1, (input,), attributes)
        elif differentiable:
            t._meta = cut_of((input,), not recording)
        return t

    return own_code(call)


def _several_tensors(op: Primitive) -> Callable[..., Any]:
    """Several tensors in, or values and indices out."""
    kernel = op.kernel
    general = op.general
    k = len(op.tensor_names)
    single = op.outputs == 1
    differentiable = op.differentiable
    record = recorder(op)
    # Optional tensors may be None, unless a node saves something about each tensor.
    may_lack = all(slot.is_tensor or slot.attribute >= 0 for slot in op.slots)

    def call(*args: Any) -> Any:
        tensors = args[:k]
        arrays: list[Any] = []
        plain = True
        for t in tensors:
            if type(t) not in PLAIN or type(t._array) is not ndarray:
                if t is None and may_lack:
                    arrays.append(None)
                    continue
                return general(*args)
            if t._node is not None or t._meta is not None:
                plain = False
            arrays.append(t._array)
        recording = True
        if _state.special:
            how = _state.modes.how
            if how == GENERAL or _state.anomaly:
                return general(*args)
            recording = how == RECORDING
        attributes = args[k:]
        token = _quiet.begin()
        try:
            result = kernel(*arrays, *attributes)
        finally:
            _quiet.end(token)
        outs = []
        for array in (result,) if single else result:
            t = _new(Tensor)
            t._array = array if type(array) is ndarray else np.asarray(array)
            t._node = None
            t._meta = None
            t._counter = None
            outs.append(t)
        if not plain and differentiable:
            mask = 0
            if recording and outs[0]._array.dtype.kind in "fcV":
                edges = []
                bit = 1
                for i in differentiable:
                    t = tensors[i]
                    edge = None if t is None else t._node if t._meta is None else t._edge()
                    edges.append(edge)
                    if edge is not None:
                        mask |= bit
                    bit += bit
            if mask:
                record(outs, tuple(edges), mask, tensors, attributes)
            else:
                cut = cut_of(tensors, not recording)
                if cut is not None:
                    for t in outs:
                        t._meta = cut
        return outs[0] if single else outs

    return own_code(call)


# ---- recording


def recorder(op: Primitive) -> Callable[..., None]:
    """Makes the node of a call, as ``Primitive.make_node`` does, and gives it to the first output."""
    tensor_slots = [i for i, slot in enumerate(op.slots) if slot.is_tensor and not slot.is_output]
    elementwise, single = op.kind == "elementwise", not op.variadic
    savers: dict[int, Callable[..., tuple[Any, ...]]] = {}
    node_class: Any = None

    def record(outs: Any, edges: tuple[Any, ...], mask: int, tensors: Any, attributes: Any) -> None:
        nonlocal node_class
        if node_class is None:
            node_class = op.node_class
        node = node_class()
        node.next = edges
        if elementwise or (single and outs[0]._array.dtype.itemsize == 2):
            node.adapt = op._adaptations(outs[0], tensors)
        else:
            node.adapt = None
        node.attached = None
        node.versions = None
        save = savers.get(mask)
        if save is None:
            save = savers[mask] = saver(op, mask)
        node.saved = held = save(tensors, attributes, outs)
        for i in tensor_slots:
            t = held[i]
            if t is not None:
                if t._meta is not None and t._meta.inference:
                    raise inference_error()
                if t._counter is not None and t._counter[0]:
                    versions = [0] * len(held) if node.versions is None else list(node.versions)
                    versions[i] = t._counter[0]
                    node.versions = tuple(versions)
        frame: Any = _getframe(2)
        while (internal := _is_internal.get(frame.f_code.co_filename)) is True and frame.f_back is not None:
            frame = frame.f_back
        if internal is None:
            frame = user_frame(3)
        node.code = frame.f_code
        node.instruction = frame.f_lasti
        node.seq = next_sequence_number()
        outs[0]._node = node

    return own_code(record)


def saver(op: Primitive, mask: int) -> Callable[..., tuple[Any, ...]]:
    """What a node saves if just the inputs in the mask need a gradient: a function of (tensors, attributes, outs).

    It is compiled from one expression for each slot, which takes a third of the time of a loop over them.
    """
    if not op.slots:
        return lambda tensors, attributes, outs: EMPTY
    parts = [_source(op, slot) if keep else "None" for slot, keep in zip(op.slots, op.keep(mask), strict=True)]
    names = {"twin": _twin, "packed": _packed, "element_strides": element_strides}
    made: Callable[..., tuple[Any, ...]] = eval(f"lambda tensors, attributes, outs: ({', '.join(parts)},)", names)
    return made


def _source(op: Primitive, slot: Any) -> str:
    """Where a slot's value comes from, as an expression."""
    if slot.attribute >= 0:
        value = f"attributes[{slot.attribute}]"
        return f"packed({value})" if slot.name in op.lists else value
    if slot.is_tensor:
        return f"twin(outs[{slot.index}])" if slot.is_output else f"tensors[{slot.index}]"
    if slot.name == "position":
        return "None"
    base, _, what = slot.name.rpartition("_")
    array = f"tensors[{op.tensor_names.index(base)}]._array"
    return f"element_strides({array})" if what == "strides" else f"{array}.{what}"


def _twin(out: Any) -> Any:
    """``saved.twin`` of a tensor that has just been made."""
    t = _new(Tensor)
    t._array = out._array
    t._node = None
    t._meta = None
    t._counter = out._counter = [0, None, 0]
    return t


def _packed(values: Any) -> SavedList:
    """``SavedList.packed`` without hooks."""
    return SavedList([(t, version_of(t)) if isinstance(t, Tensor) else (t, 0) for t in values])
