"""Back ends that users write: they are given the program as a GraphModule, and give back a function of tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._tensor import Tensor
from ..fx.graph_module import GraphModule
from ..nn.modules.module import Module
from .errors import BackendCompilerFailed
from .programs.program import Mismatch, Program
from .programs.program import run as run_by_kernels
from .programs.readable import readable


def backend(fn: Callable[..., Any], options: Any = None) -> Callable[[Program], Callable[[list[Any]], list[Any]]]:
    """``fn(graph_module, example_inputs)`` as a back end. Backward programs it is not given: see ``aot_autograd``."""

    def build(program: Program) -> Callable[[list[Any]], list[Any]]:
        module = as_module(program)
        examples = [_example(node) for node in program.placeholders]
        as_captured = module.code
        try:
            call = fn(module, examples, **({"options": options} if options else {}))
        except Exception as error:
            raise BackendCompilerFailed(getattr(fn, "__name__", type(fn).__name__), error) from error

        is_general = program.is_general

        def on_tensors(given: list[Any]) -> Any:
            return call(given) if getattr(call, "_boxed_call", False) else call(*given)

        def run(arrays: list[Any]) -> list[Any]:
            try:
                found = on_tensors([Tensor._wrap(a) if isinstance(a, np.ndarray) else a for a in arrays])
            except (RuntimeError, IndexError, ValueError) as error:
                if is_general:  # these sizes do not go together: the function itself says so
                    raise Mismatch from error
                raise
            values = [t._array if isinstance(t, Tensor) else t for t in found]
            for i, at in program.commits.items():
                arrays[at][...] = values[i]
            return values

        is_same = getattr(call, "__self__", call) is module and module.code == as_captured
        run.differentiable = None if is_same or other is not None else on_tensors  # type: ignore[attr-defined]
        return run

    other = getattr(fn, "of_backward", None)
    build.takes_general = build.is_of_user = True  # type: ignore[attr-defined]
    build.of_backward = eager if other is None else backend(other)  # type: ignore[attr-defined]
    return build


def eager(captured: Program) -> Callable[[list[Any]], list[Any]]:
    """Kernel by kernel."""
    return lambda arrays: run_by_kernels(captured, arrays)


def as_module(program: Program) -> GraphModule:
    """A program as PyTorch shows one: see ``readable``."""
    return GraphModule(Module(), readable(program))


def _example(node: Any) -> Any:
    """A tensor like those that the program will be given, or a number."""
    if "shape" not in node.meta:
        return node.meta["hint"]
    found = node.meta.get("value")
    return Tensor._wrap(np.zeros(node.meta["shape"], node.meta["dtype"]) if found is None else found)
