"""``torch._dynamo``: what can be said about capturing functions, under PyTorch's names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from facula import compiler
from facula._compile import backends as _registry
from facula._compile.public import OptimizedModule
from facula._core import state
from facula.compiler import (
    allow_in_graph,
    assume_constant_result,
    disable,
    is_compiling,
    list_backends,
    reset,
    set_stance,
)

from . import config, eval_frame, exc, utils
from ._explaining import explain
from .eval_frame import is_dynamo_supported

__all__ = [
    "OptimizedModule", "allow_in_graph", "assume_constant_result", "config", "disable", "disallow_in_graph",
    "eval_frame", "exc",
    "explain", "forbid_in_graph", "graph_break", "is_compiling", "is_dynamo_supported", "list_backends",
    "lookup_backend", "mark_dynamic", "mark_static", "mark_static_address", "maybe_mark_dynamic", "optimize",
    "optimize_assert", "register_backend", "reset", "reset_code_caches", "run", "set_stance", "utils",
]  # fmt: skip


def optimize(backend: Any = "inductor", *, nopython: bool = False, dynamic: bool | None = None, **_: Any) -> Any:
    """``compile`` as it was called before: a decorator."""
    return compiler.compile(backend=backend, fullgraph=nopython, dynamic=dynamic)


def optimize_assert(backend: Any, *, dynamic: bool | None = None, **_: Any) -> Any:
    """The same for functions that must be captured whole."""
    return compiler.compile(backend=backend, fullgraph=True, dynamic=dynamic)


def run(fn: Any = None) -> Any:
    """A compiled function that captures nothing new: what no program is for runs as it is."""
    return run if fn is None else set_stance("eager_on_recompile")(fn)


def disallow_in_graph(fn: Any) -> Any:
    """A function that is kept out of programs."""
    return [disallow_in_graph(each) for each in fn] if isinstance(fn, (list, tuple)) else disable(fn)


def forbid_in_graph(fn: Any) -> Any:
    """The same."""
    return disallow_in_graph(fn)


def graph_break(msg: str = "") -> None:
    """What is being captured is not: it runs as it is. Under ``fullgraph`` that is an error."""
    state.refuse_capture(msg or "graph_break()", asked=True)


def register_backend(compiler_fn: Any = None, name: str | None = None, tags: Any = ()) -> Any:
    """Let ``compile(backend=name)`` mean a function of a GraphModule and example inputs."""
    if compiler_fn is None:
        return lambda fn: register_backend(fn, name, tags)
    _registry.register(name or compiler_fn.__name__, compiler_fn, tags)
    return compiler_fn


def lookup_backend(compiler_fn: Any) -> Callable[..., Any]:
    """A back end by its name: a function of a graph module and examples."""
    if callable(compiler_fn):
        given: Callable[..., Any] = compiler_fn
        return given
    own = _registry.of_user(compiler_fn)
    if own is not None:
        return own

    def compiled(gm: Any, example_inputs: Any) -> Any:
        return compiler.compile(gm, backend=compiler_fn)

    return compiled


def reset_code_caches() -> None:
    """Forget all programs."""
    reset()


def mark_dynamic(t: Any, index: Any, *, hint_override: Any = None, min: Any = None, max: Any = None, **_: Any) -> None:
    """A size of a tensor is another one in other calls: programs are to be general in it, or it is an error."""
    _mark(t, index, "_dynamo_dynamic_indices")


def maybe_mark_dynamic(t: Any, index: Any) -> None:
    """The same, but programs may be for one size after all."""
    _mark(t, index, "_dynamo_weak_dynamic_indices")


def mark_static(t: Any, index: Any = None) -> None:
    """A size of a tensor, or all of them, is never general."""
    _mark(t, range(t.ndim) if index is None else index, "_dynamo_static_indices")


def mark_static_address(t: Any, guard: bool = True) -> None:
    """Addresses need no mark."""


def _mark(t: Any, index: Any, kind: str) -> None:
    dims = {index} if isinstance(index, int) else set(index)
    setattr(t, kind, getattr(t, kind, set()) | dims)
