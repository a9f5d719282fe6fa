"""View primitives: a Tensor that shows the same memory, made with as little work as possible.

NOTE [view kernels]: a kernel of a view primitive returns an array that shares its input's memory, and whose chain of
``.base`` leads to the input's root. On raw gradients it may copy, as nobody can see the difference.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core import state
from ..._tensor import Tensor
from ...autograd import views
from ...autograd.graph import EMPTY, new_node, next_sequence_number, user_place
from ...autograd.meta import AutogradMeta
from .namespaces import TENSORS
from .node import own_code
from .primitive import PLAIN, Primitive, _new

_SHAPE, _DTYPE = -1, -2
_ONLY_SHAPE = (_SHAPE,)


class ViewPrimitive(Primitive):
    """A primitive with one tensor whose result (or results) share its memory. Its node saves no tensor."""

    def __init__(
        self, name: str, kernel: Any, node: str | None, outputs: int | str = 1, **options: Any
    ) -> None:
        super().__init__(name, kernel, node, view=True, outputs=outputs, **options)
        self.call = own_code(_fast_call(self) if outputs == 1 else _fast_multi_call(self))
        setattr(TENSORS, name, self.call)

    def __call__(self, input: Any, *attributes: Any) -> Any:
        return self.call(input, *attributes)

    def _again(self, name: str, kernel: Any, node: str | None, options: dict[str, Any]) -> Primitive:
        return (ViewPrimitive if options.pop("view") else Primitive)(name, kernel, node, **options)

    def plan(self) -> tuple[int, ...]:
        """Where each saved value comes from: an attribute, or the input's shape or dtype."""
        own = {"input_shape": _SHAPE, "input_dtype": _DTYPE}
        return tuple(own[n] if n in own else self.attribute_names.index(n) for n in self.slot_names)


def _fast_call(op: ViewPrimitive) -> Callable[..., Any]:
    """What ``Primitive.__call__`` does, for the one kind of primitive and the states in which it is short."""
    kernel = op.kernel
    general = Primitive.general
    node_class: Any = None
    plan: tuple[int, ...] = ()

    def call(input: Any, *attributes: Any) -> Any:
        nonlocal node_class, plan
        if type(input) not in PLAIN:
            return general(op, input, *attributes)
        recording = True
        if state.special:
            modes = state.modes
            if modes.dispatch:
                return general(op, input, *attributes)
            recording = modes.grad_enabled
        array = input._array
        t = _new(Tensor)
        t._array = kernel(array, *attributes)
        t._node = None
        t._meta = meta = AutogradMeta()
        counter = input._counter
        if counter is None:
            counter = input._counter = input._new_counter()
        t._counter = counter
        above = input._meta
        if above is None:
            meta.base = input
            edge = input._node
        else:
            if above.inference or above.replay is not None:
                views.mark_view(t, input)
            elif above.base is None:
                meta.base = input
            else:
                meta.base = above.base
                if above.creation:
                    meta.creation = above.creation
            edge = input._edge() if recording else None
        if counter[0]:
            meta.attr_version = counter[0]
        if not recording:
            meta.creation = views.NO_GRAD
            return t
        if edge is None:
            return t
        if node_class is None:
            node_class, plan = op.node_class, op.plan()
        t._node = node = node_class()
        node.next = (edge,)
        node.adapt = None
        node.attached = None
        node.versions = None
        if not plan:
            node.saved = EMPTY
        elif plan == _ONLY_SHAPE:
            node.saved = (array.shape,)
        else:
            node.saved = tuple(
                [attributes[i] if i >= 0 else array.shape if i == _SHAPE else array.dtype for i in plan]
            )
        node.code, node.instruction = user_place(2)
        node.seq = next_sequence_number()
        return t

    return call


def _fast_multi_call(op: ViewPrimitive) -> Callable[..., Any]:
    """The same for views with several outputs."""
    kernel = op.kernel
    general = Primitive.general

    def call(input: Any, *attributes: Any) -> Any:
        if type(input) not in PLAIN or state.special:
            return general(op, input, *attributes)
        above = input._meta
        if above is not None and (above.inference or above.replay is not None):
            return general(op, input, *attributes)
        array = input._array
        edge = input._node if above is None else input._edge()
        base = input if above is None or above.base is None else above.base
        counter = input._shared_counter()
        node: Any = None
        parts = kernel(array, *attributes)
        if edge is not None:
            node = new_node(op.node_class, (edge,))
            node.count = len(parts)
            node.saved = tuple(
                [attributes[i] if i >= 0 else array.shape if i == _SHAPE else array.dtype for i in op.plan()]
            )
        outs = []
        for nr, part in enumerate(parts):
            t = _new(Tensor)
            t._array = part
            t._node = node
            t._counter = counter
            t._meta = meta = AutogradMeta()
            meta.base = base
            meta.creation = views.MULTI_OUTPUT
            if nr:
                meta.output_nr = nr
            if counter[0]:
                meta.attr_version = counter[0]
            outs.append(t)
        return outs

    return call


def view_primitive(
    node: str, name: str, outputs: int | str = 1, **options: Any
) -> Callable[[Any], ViewPrimitive]:
    """Make a view primitive of a kernel function."""

    def make(kernel: Callable[..., Any]) -> ViewPrimitive:
        return ViewPrimitive(name, kernel, node, outputs, **options)

    return make


def strided(array: Any, shape: tuple[int, ...], strides: tuple[int, ...], skip: int = 0) -> Any:
    """The memory of ``array``, from ``skip`` bytes on, by another shape and other strides in bytes."""
    if array.__class__ is not np.ndarray:
        return np.lib.stride_tricks.as_strided(array, shape, strides, subok=True)
    if array.flags.c_contiguous:
        return np.ndarray(shape, array.dtype, array, skip, strides)
    from ..moving.basic import _bytes_of

    root = views.root_of(array)
    return np.ndarray(
        shape, array.dtype, _bytes_of(root), views.address(array) - views.address(root) + skip, strides
    )
