"""What a program is given: arrays of tensors that were there before, and constants."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..._tensor import Tensor
from ...autograd.accumulate import AccumulateGrad
from ...autograd.graph import Node, new_node
from ...autograd.meta import AutogradMeta
from ...fx import node as fx
from .traced import Storage, Traced


def owner(array: Any) -> Any:
    """What the memory of an array belongs to. Arrays that share memory have the same one."""
    return array if array.base is None else array.base


class Input:
    """An array that the program is given: of a tensor that was there before, or one that is the same in every call."""

    __slots__ = ("argument", "array", "is_constant", "node", "place", "storage", "tensor")

    def __init__(self, array: Any, node: fx.Node, tensor: Tensor | None, is_constant: bool) -> None:
        self.place: Any = None
        """Of a number: the (dict, key) where it is looked up."""
        self.argument: int | None = None
        """Of a number that is an argument: which leaf of the arguments."""
        self.array = array
        self.node = node
        self.tensor = tensor
        self.is_constant = is_constant
        self.storage = Storage(array, node)
        if is_constant:
            self.keep()

    def let_go(self) -> None:
        """Forget the array and the tensor of the call that was captured."""
        self.array = self.tensor = self.storage = None  # type: ignore[assignment]

    @property
    def is_tensor(self) -> bool:
        """Whether it is the array of a tensor that was there before."""
        return not self.is_constant and self.tensor is not None and self.place is None and self.argument is None

    def keep(self) -> None:
        """Keep the value, which the function may write over, for the calls to come."""
        self.is_constant = True
        self.node.meta["value"] = self.array.copy(order="K")


class Boundary(Node):
    """The end of what is captured, at a tensor with history. Graphs that are left over lead on from here."""

    __slots__ = ()
    leads_outside = True

    def propagate(self, g: Any, xp: Any, edges: tuple[Any, ...]) -> tuple[Any, ...]:
        return (g,)


class Met:
    """A tensor that was there before, as it was then."""

    __slots__ = ("before", "edge", "grad", "input", "leaf", "meta", "needs_grad", "node", "tensor", "version")

    def __init__(self, tensor: Tensor, input: Input) -> None:
        self.tensor = tensor
        self.input = input
        self.needs_grad = tensor.requires_grad
        self.version = 0 if tensor._counter is None else tensor._counter[0]
        self.node, self.meta = tensor._node, tensor._meta
        self.grad = None if self.meta is None else self.meta.grad
        self.before = self.autograd()
        self.edge: Any = None
        self.leaf: Any = None

    def cut_off(self) -> None:
        """Let a tensor with history have a node of its own: what is derived ends there."""
        t = self.tensor
        if self.needs_grad and not t.is_leaf:
            self.edge = t._edge()
            self.leaf = new_node(Boundary, ())
            t._node, t._meta = self.leaf, AutogradMeta()

    @contextmanager
    def as_before(self) -> Iterator[None]:
        """The tensor as it was when met, for a while."""
        t = self.tensor
        now = t._array, t._node, t._meta
        t._array = self.input.array
        if self.leaf is not None:
            t._node, t._meta = self.node, self.meta
        try:
            yield
        finally:
            t._array, t._node, t._meta = now

    def end(self) -> Any:
        """Where gradients of it end."""
        return AccumulateGrad.of(self.tensor) if self.leaf is None else self.leaf

    def autograd(self) -> Any:
        """What a function may change about it, besides its elements and its gradient."""
        meta = self.tensor._meta
        if meta is None:
            return False, 0, 0
        return meta.requires_grad, len(meta.hooks or ()), len(meta.post_accumulate_hooks or ())

    def is_watched(self) -> bool:
        """Whether a gradient of it does more than be returned."""
        return self.meta is not None and bool(self.meta.hooks or self.meta.retains_grad)

    def has_other_grad(self) -> bool:
        """Whether ``.grad`` has become another tensor, or None."""
        meta = self.tensor._meta
        return self.leaf is None and meta is not None and meta.grad is not self.grad

    def restore(self) -> None:
        if type(self.tensor._array) is Traced:
            self.tensor._array = self.tensor._array.plain
        if self.leaf is not None:
            self.tensor._node, self.tensor._meta = self.node, self.meta
            self.leaf.next = (self.edge,)
