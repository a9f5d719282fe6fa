"""Names that programs reach into PyTorch's engine for: in ``torch._C``, its ``_autograd`` and its ``_functions``."""

from __future__ import annotations

import weakref
from itertools import count
from typing import Any

from .. import _lazy
from .._core import state
from .._tensor import Tensor
from ..ops.machine.primitive import REGISTRY
from .accumulate import AccumulateGrad
from .custom_node import Layout
from .function import Error
from .graph import Node, new_node
from .hooks import _will_run
from .saved import SavedTensor, Slot, pack, raw_saved
from .views import CopySlices

_ids: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
_next_id = count().__next__


def current_graph_task_id() -> int:
    """A number for the running backward pass, -1 outside of one."""
    task = state.modes.running
    if task is None:
        return -1
    if task not in _ids:
        _ids[task] = _next_id()
    return _ids[task]


def current_graph_task_execution_order() -> list[Any]:
    """The nodes that the running pass has still to run, in their order: a leaf's comes when nothing more will."""
    task = state.modes.running
    if task is None:
        raise RuntimeError("_current_graph_task_execution_order should only be called during the backward pass")
    if state.modes.multithreading:
        raise RuntimeError(
            "get_current_graph_task_execution_order expects the current backward to be executed with multithreading "
            "disabled, e.g. by running:\n\n>>> with torch.autograd.set_multithreading_enabled(False):\n"
            "...     torch.autograd.grad(...)\n"
        )
    left = task.order[task.order.index(task.running) :] if task.running in task.reached else task.order
    waiting = dict.fromkeys(task.leaves, 0)
    for node in left:
        for edge in node.next:
            if edge.__class__ is AccumulateGrad and edge in waiting:
                waiting[edge] += 1
    found: list[Any] = []
    for node in left:
        found.append(node)
        for edge in node.next:
            if edge.__class__ is AccumulateGrad:
                waiting[edge] -= 1
                if not waiting[edge]:
                    found.append(edge)
    return [node for node in found if task.needed is None or node in task.needed or node in task.captures]


def will_engine_execute_node(node: Any) -> bool:
    """Whether the running backward pass runs a node."""
    if not isinstance(node, Node):
        raise RuntimeError(f"_will_engine_execute_node expects an grad_fn, but got {type(node).__name__}")
    task = state.modes.running
    if task is None:
        raise RuntimeError("_get_should_execute_nodes should only be called during the backward pass")
    return _will_run(task, node)


def current_autograd_node() -> Any:
    """The node whose hooks, saved tensors or user's backward are being run; None outside of a backward pass."""
    task = state.modes.running
    return None if task is None else task.running


class WeakTensorRef:
    """A reference to a tensor that does not keep it alive."""

    def __init__(self, tensor: Tensor) -> None:
        self._reference = weakref.ref(tensor)

    def expired(self) -> bool:
        return self._reference() is None


class _Holder(Node):
    """Saves one tensor for who asks for a SavedTensor of his own."""

    __slots__ = ("primitive",)


class Autograd:
    """What ``torch._C._autograd`` has."""

    SavedTensor = SavedTensor

    @staticmethod
    def _saved_tensors_hooks_is_enabled() -> bool:
        return state.modes.saved_hooks_disabled is None

    @staticmethod
    def _make_saved_tensor(tensor: Tensor, is_output: bool = False) -> Any:
        node = new_node(_Holder, ())
        node.primitive = Layout([Slot("tensor", is_tensor=True, is_output=False, index=-1)])
        node.saved, node.versions = pack([tensor], node.primitive.slots, node)
        return raw_saved(node, 0)

    @staticmethod
    def _unsafe_set_version_counter(tensors: Any, versions: Any) -> None:
        for t, version in zip(tensors, versions, strict=True):
            if version < 0:
                raise RuntimeError(f"Cannot set a version_counter to a value below 0: {version}")
            t._shared_counter()[0] = version

    @staticmethod
    def _get_current_graph_task_keep_graph() -> bool:
        task = state.modes.running
        return True if task is None else bool(task.keep_graph)


class UndefinedGradBackward(Node):
    """Sends on no gradient."""

    __slots__ = ()
    module = "torch::autograd::"

    def propagate(self, g: Any, xp: Any, edges: tuple[Any, ...]) -> list[Any]:
        return [None] * len(edges)


class UndefinedGrad:
    """The tensor itself, whose gradient is lost."""

    def __call__(self, tensor: Tensor) -> Tensor:
        found = tensor.detach()
        if tensor.requires_grad and state.grad_enabled():
            found._set_node(new_node(UndefinedGradBackward, (tensor._edge(),)))
        return found


class DelayedError:
    """The tensors themselves, whose gradients raise."""

    def __init__(self, message: str, count: int) -> None:
        self.message = message
        self.count = count

    def __call__(self, *tensors: Tensor) -> Any:
        if len(tensors) != self.count:
            raise TypeError(f"expected {self.count} arguments, got {len(tensors)} instead")
        node: Any = new_node(Error, tuple([t._edge() if t.requires_grad else None for t in tensors]))
        node.message, node.count, node.multi = self.message, len(tensors), len(tensors) > 1
        found = []
        for nr, t in enumerate(tensors):
            t = t.detach()
            if node.multi:
                t._own_meta()
            t._set_node(node, nr)
            found.append(t)
        return tuple(found) if len(found) > 1 else found[0]


class Functions:
    """What ``torch._C._functions`` has: the classes of nodes by their names."""

    AccumulateGrad = AccumulateGrad
    CopySlices = CopySlices
    Error = Error
    UndefinedGrad = UndefinedGrad
    DelayedError = DelayedError

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        _lazy.load_all()
        for op in REGISTRY.values():
            if op.node_name == name:
                return op.node_class
        raise AttributeError(f"module 'torch._C._functions' has no attribute {name!r}")
