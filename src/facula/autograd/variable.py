"""``Variable``, PyTorch's former name of Tensor, and the handle on the engine that hangs from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._tensor import Tensor
from . import engine
from .graph import GradientEdge, node_edge

__all__ = ["Variable", "VariableMeta"]


class _Engine:
    """What PyTorch's ``Variable._execution_engine`` offers."""

    def queue_callback(self, callback: Callable[[], None]) -> None:
        """Have ``callback`` called when the running backward pass has finished."""
        engine.queue_callback(callback)

    def run_backward(
        self,
        tensors: Sequence[Any],
        grad_tensors: Sequence[Any],
        keep_graph: bool,
        create_graph: bool,
        inputs: Sequence[Any] | None = None,
        allow_unreachable: bool = False,
        accumulate_grad: bool = False,
    ) -> tuple[Any, ...]:
        """Run from ``tensors``; the gradients of ``inputs`` are returned unless ``accumulate_grad``."""
        if len(tensors) != len(grad_tensors):
            raise RuntimeError(
                f"got {len(tensors)} tensors and {len(grad_tensors)} gradients",
            )
        roots = []
        for i, (t, g) in enumerate(zip(tensors, grad_tensors)):
            edge = _edge(t)
            if edge is None:
                raise RuntimeError(f"element {i} of tensors does not require grad and does not have a grad_fn")
            roots.append((edge, g))
        edges = [_edge(t) for t in inputs] if inputs else None
        found = engine.run_backward(roots, keep_graph, create_graph, edges, accumulate=accumulate_grad)
        if not accumulate_grad and not allow_unreachable and any(g is None for g in found):
            raise RuntimeError(
                "One of the differentiated Tensors appears to not have been used in the graph. Set allow_unused=True "
                "if this is the desired behavior."
            )
        return tuple(found)

    def is_checkpoint_valid(self) -> bool:
        return True


def _edge(t: Any) -> Any:
    if isinstance(t, GradientEdge):
        return node_edge(t.node, t.output_nr)
    return t._edge() if t.requires_grad else None


class VariableMeta(type):
    def __instancecheck__(cls, other: object) -> bool:
        return isinstance(other, Tensor)


class Variable(metaclass=VariableMeta):
    """``Variable(tensor)`` returns a Tensor: the two have been one since PyTorch 0.4."""

    _execution_engine = _Engine()

    def __new__(cls, data: Any = None, requires_grad: bool = False, volatile: bool = False) -> Any:
        if data is None:
            return Tensor._wrap(np.empty(0, np.float32))
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        t = data.detach()
        if requires_grad:
            t.requires_grad_()
        return t
