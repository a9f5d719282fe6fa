"""``torch.compiler``: compiling functions, and what can be said about it."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

from ._core import state

__all__ = [
    "allow_in_graph", "assume_constant_result", "compile", "cudagraph_mark_step_begin", "disable",
    "get_default_backend", "is_compiling", "is_dynamo_compiling", "is_exporting", "keep_portable_guards_unsafe",
    "keep_tensor_guards_unsafe", "list_backends", "load_cache_artifacts", "load_compiled_function",
    "nested_compile_region", "reset", "save_cache_artifacts", "set_default_backend", "set_enable_guard_collectives",
    "set_stance", "skip_all_guards_unsafe", "skip_guard_on_all_nn_modules_unsafe", "skip_guard_on_globals_unsafe",
    "skip_guard_on_inbuilt_nn_modules_unsafe", "substitute_in_graph", "wrap_numpy",
]  # fmt: skip


def compile(
    model: Any = None, *, fullgraph: bool = False, dynamic: bool | None = None, backend: Any = "auto",
    mode: str | None = None, options: Any = None, name: str | None = None, disable: bool = False,
    recompile_limit: int | None = None, isolate_recompiles: bool = False, shapes_spec: Any = None,
) -> Any:  # fmt: skip
    """The same function, or module, as programs without an interpreter: the same answers, sooner.

    Its first call is an ordinary run that is written down; later calls of the same kind run what was written. Call it
    without a function to get a decorator. ``backend``: ``"auto"`` (C where there is a compiler, else NumPy), ``"c"``,
    ``"numpy"``, ``"eager"``, or a function of a GraphModule and example inputs. ``fullgraph``: raise where a function
    cannot be captured, in place of running it as it is. ``source()`` of the result shows the programs.
    """
    from ._compile import public, settings  # loaded when first used

    if backend is None or (isinstance(backend, str) and backend == "auto"):
        backend = "auto" if settings.default_backend is None else settings.default_backend
    chosen = {"fullgraph": fullgraph, "dynamic": dynamic, "backend": backend, "mode": mode, "options": options}
    if model is None:
        return lambda model: compile(model, disable=disable, **chosen)
    return public.compiled(model, disable=disable, **chosen)


def is_compiling() -> bool:
    """Whether a function is being captured, or a module exported, now."""
    return bool(state.special) and (state.modes.capture is not None or is_exporting())


def is_dynamo_compiling() -> bool:
    """Whether a function is being compiled right now."""
    return is_compiling() and not is_exporting()


def is_exporting() -> bool:
    """Whether a module is being exported now."""
    return bool(state.special) and any(getattr(mode, "is_export", False) for mode in state.modes.function_modes)


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """Keep a function out of programs: whatever calls it runs as it is. ``@disable`` or ``@disable()``."""
    if fn is None:
        return lambda fn: disable(fn, recursive, reason=reason)
    if not callable(fn):
        raise AssertionError("fn must be callable")
    if isinstance(fn, type):
        return fn
    call = fn.__call__ if hasattr(fn, "_modules") else fn

    @functools.wraps(call)
    def disabled(*args: Any, **kwargs: Any) -> Any:
        state.refuse_capture(f"{getattr(fn, '__name__', type(fn).__name__)}, which is kept out", asked=True)
        return call(*args, **kwargs)

    disabled._torchdynamo_disable = True  # type: ignore[attr-defined]
    return disabled


def _disable_dynamo(fn: Any = None, recursive: bool = True) -> Any:
    """``disable``, as it is called inside PyTorch."""
    return disable(fn, recursive)


def allow_in_graph(fn: Any) -> Any:
    """The function itself: programs call whatever they meet."""
    if isinstance(fn, (list, tuple)):
        return [allow_in_graph(each) for each in fn]
    if not callable(fn):
        raise AssertionError("allow_in_graph expects a callable")
    return fn


def assume_constant_result(fn: Any) -> Any:
    """The function itself."""
    fn._dynamo_marked_constant = True
    return fn


def reset() -> None:
    """Forget all programs."""
    from ._compile.calls import function  # loaded when first used

    function.forget_all()


def cudagraph_mark_step_begin() -> None:
    """There are no CUDA graphs."""


def list_backends(exclude_tags: Any = ("debug", "experimental")) -> list[str]:
    """The back ends by name."""
    from ._compile import backends  # loaded when first used

    return backends.names(exclude_tags)


def set_default_backend(backend: Any) -> None:
    """The back end of functions that are compiled without naming one; None: the usual one."""
    from ._compile import backends, settings  # loaded when first used

    if backend is not None and not callable(backend):
        backends.chosen(backend)
    settings.default_backend = backend


def get_default_backend() -> Any:
    """The back end of functions that are compiled without naming one."""
    from ._compile import settings  # loaded when first used

    return "inductor" if settings.default_backend is None else settings.default_backend


def substitute_in_graph(
    original_fn: Callable[..., Any], *, can_constant_fold_through: bool = False, skip_signature_check: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator that gives back its function: programs run the original, whatever it is written in."""
    if not callable(original_fn):
        raise TypeError(f"substitute_in_graph expects a function but got {type(original_fn)!r}")
    return lambda traceable_fn: traceable_fn


def nested_compile_region(fn: Any = None, **_: Any) -> Any:
    """The function itself: programs are compiled as a whole."""
    return (lambda fn: fn) if fn is None else fn


def wrap_numpy(fn: Callable[..., Any]) -> Callable[..., Any]:
    """A function of NumPy's arrays as one of tensors."""
    import numpy as np  # loaded when first used

    from . import Tensor, from_numpy  # loaded when first used
    from ._core.pytree import tree_map  # loaded when first used

    @functools.wraps(fn)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        given = tree_map(lambda v: v.numpy() if isinstance(v, Tensor) else v, (args, kwargs))
        result = fn(*given[0], **given[1])
        return tree_map(lambda v: from_numpy(np.asarray(v)) if isinstance(v, (np.ndarray, np.generic)) else v, result)

    return wrapped


def save_cache_artifacts() -> None:
    """None: programs are not kept beyond a process; libraries of C are, by themselves."""
    return


def load_cache_artifacts(serialized_artifacts: bytes) -> None:
    """None: there is nothing to load."""
    return


def load_compiled_function(file: Any, *, f_globals: Any = None, external_data: Any = None) -> Any:
    """Not there: it raises. ``export.load`` reads programs of modules."""
    raise NotImplementedError("facula writes no compiled functions to files; torch.export.save keeps programs")


_collectives = False


def set_enable_guard_collectives(enabled: bool) -> bool:
    """Whether processes agree on what they capture, without effect here. Gives what was set before."""
    global _collectives
    before, _collectives = _collectives, bool(enabled)
    return before


def keep_portable_guards_unsafe(guard_entries: Any) -> list[bool]:
    """A filter for ``options={"guard_filter_fn": ...}``, which has no effect: all that matters is looked at."""
    return [True for _ in guard_entries]


def keep_tensor_guards_unsafe(guard_entries: Any, keep_parameters: bool = False) -> list[bool]:
    """The same, of what is looked at besides tensors."""
    return [getattr(entry, "guard_type", None) == "TENSOR_MATCH" for entry in guard_entries]


def skip_guard_on_inbuilt_nn_modules_unsafe(guard_entries: Any) -> list[bool]:
    """The same, of layers."""
    return [True for _ in guard_entries]


def skip_guard_on_all_nn_modules_unsafe(guard_entries: Any) -> list[bool]:
    """The same, of modules."""
    return [True for _ in guard_entries]


def skip_guard_on_globals_unsafe(guard_entries: Any) -> list[bool]:
    """The same, of globals."""
    return [not getattr(entry, "is_global", False) for entry in guard_entries]


def skip_all_guards_unsafe(guard_entries: Any) -> list[bool]:
    """The same, of everything."""
    return [False for _ in guard_entries]


class set_stance:
    """What compiled functions do: ``default``, ``force_eager``, ``eager_on_recompile``, ``fail_on_recompile``.

    Also a context manager and a decorator.
    """

    def __init__(
        self, stance: str = "default", *, skip_guard_eval_unsafe: bool = False, force_backend: Any = None
    ) -> None:
        from ._compile import settings  # loaded when first used

        if stance not in settings.STANCES:
            raise RuntimeError(f"invalid torch.compile stance '{stance}'")
        self.stance = stance
        self.settings = settings
        self.before = settings.stance
        settings.stance = stance

    def __call__(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        self.settings.stance = self.before

        @functools.wraps(fn)
        def call(*args: Any, **kwargs: Any) -> Any:
            with self._for_a_while():
                return fn(*args, **kwargs)

        return call

    @contextlib.contextmanager
    def _for_a_while(self) -> Iterator[None]:
        before, self.settings.stance = self.settings.stance, self.stance
        try:
            yield
        finally:
            self.settings.stance = before

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        self.settings.stance = self.before
