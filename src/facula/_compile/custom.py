"""Back ends that users write: they are given the program as a GraphModule, and give back a function of tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._tensor import Tensor
from ..fx.graph_module import GraphModule
from ..nn.modules.module import Module
from .errors import BackendCompilerFailed
from .programs.program import Program
from .programs.readable import readable


def backend(fn: Callable[..., Any], options: Any = None) -> Callable[[Program], Callable[[list[Any]], list[Any]]]:
    """``fn(graph_module, example_inputs)`` as a back end."""

    def build(program: Program) -> Callable[[list[Any]], list[Any]]:
        module = as_module(program)
        examples = [Tensor._wrap(_example(node)) for node in program.placeholders]
        try:
            call = fn(module, examples, **({"options": options} if options else {}))
        except Exception as error:
            raise BackendCompilerFailed(getattr(fn, "__name__", type(fn).__name__), error) from error

        def run(arrays: list[Any]) -> list[Any]:
            found = call(*[Tensor._wrap(a) if isinstance(a, np.ndarray) else a for a in arrays])
            values = [t._array if isinstance(t, Tensor) else t for t in found]
            for i, at in program.commits.items():
                arrays[at][...] = values[i]
            return values

        return run

    return build


def as_module(program: Program) -> GraphModule:
    """A program as PyTorch shows one: see ``readable``."""
    return GraphModule(Module(), readable(program))


def _example(node: Any) -> Any:
    """An array like those that the program will be given."""
    found = node.meta.get("value")
    return np.zeros(node.meta["shape"], node.meta["dtype"]) if found is None else found
