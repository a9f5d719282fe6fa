"""Shapes and dtypes of all values, found by running the graph once."""

from __future__ import annotations

from typing import Any, NamedTuple

import facula

from ..graph_module import GraphModule
from ..interpreter import Interpreter
from ..node import Node, map_aggregate

__all__ = ["ShapeProp", "TensorMetadata"]


class TensorMetadata(NamedTuple):
    """What a tensor is like, without its values."""

    shape: facula.Size
    dtype: facula.dtype
    requires_grad: bool
    stride: tuple[int, ...]
    memory_format: facula.memory_format | None
    is_quantized: bool
    qparams: dict[str, Any]


_FORMATS = (facula.contiguous_format, facula.channels_last, facula.channels_last_3d)


def _extract_tensor_metadata(result: facula.Tensor, include_contiguity: bool = True) -> TensorMetadata:
    dims = {facula.channels_last: 4, facula.channels_last_3d: 5}
    fitting = [f for f in _FORMATS if result.dim() == dims.get(f, result.dim())] if include_contiguity else []
    memory_format = next((f for f in fitting if result.is_contiguous(memory_format=f)), None)
    return TensorMetadata(
        result.shape, result.dtype, result.requires_grad, result.stride(), memory_format, False, {}
    )  # fmt: skip


class ShapeProp(Interpreter):
    """Runs a graph, and writes what tensors are like into ``node.meta["tensor_meta"]``, their types into ``"type"``."""

    def __init__(self, gm: GraphModule, fake_mode: Any = None) -> None:
        super().__init__(gm)
        if fake_mode is not None:
            raise NotImplementedError("facula has no fake tensors: run it with tensors, or with such as are on meta")

    def run_node(self, n: Node) -> Any:
        try:
            result = super().run_node(n)
        except Exception as e:
            raise RuntimeError(f"ShapeProp error for: node={n.format_node()} with meta={n.meta}") from e
        found = False

        def extract(x: Any) -> Any:
            nonlocal found
            if not isinstance(x, facula.Tensor):
                return x
            found = True
            return _extract_tensor_metadata(x)

        meta = map_aggregate(result, extract)
        if found:
            n.meta["tensor_meta"] = meta
        n.meta["type"] = type(result)
        return result

    def propagate(self, *args: Any) -> Any:
        """Run with these arguments."""
        return super().run(*args)
