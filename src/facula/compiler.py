"""``torch.compiler``: compiling functions, and what can be said about it."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

from ._core import state

__all__ = [
    "allow_in_graph", "assume_constant_result", "compile", "cudagraph_mark_step_begin", "disable", "is_compiling",
    "is_dynamo_compiling", "is_exporting", "list_backends", "reset", "set_stance",
]  # fmt: skip


def compile(
    model: Any = None, *, fullgraph: bool = False, dynamic: bool | None = None, backend: Any = "auto",
    mode: str | None = None, options: Any = None, disable: bool = False, **_: Any,
) -> Any:  # fmt: skip
    """The same function, or module, as programs without an interpreter: the same answers, sooner.

    Its first call is an ordinary run that is written down; later calls of the same kind run what was written. Call it
    without a function to get a decorator. ``backend``: ``"auto"`` (C where there is a compiler, else NumPy), ``"c"``,
    ``"numpy"``, ``"eager"``, or a function of a GraphModule and example inputs. ``fullgraph``: raise where a function
    cannot be captured, in place of running it as it is. ``source()`` of the result shows the programs.
    """
    from ._compile import public  # loaded when first used

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
    if isinstance(fn, type):
        return fn
    call = fn.__call__ if hasattr(fn, "_modules") else fn

    @functools.wraps(call)
    def disabled(*args: Any, **kwargs: Any) -> Any:
        state.refuse_capture(f"{getattr(fn, '__name__', type(fn).__name__)}, which is kept out", asked=True)
        return call(*args, **kwargs)

    disabled._torchdynamo_disable = True  # type: ignore[attr-defined]
    return disabled


def allow_in_graph(fn: Any) -> Any:
    """The function itself: programs call whatever they meet."""
    return fn


def assume_constant_result(fn: Any) -> Any:
    """The function itself."""
    return fn


def reset() -> None:
    """Forget all programs."""
    from ._compile import function  # loaded when first used

    function.forget_all()


def cudagraph_mark_step_begin() -> None:
    """There are no CUDA graphs."""


def list_backends(exclude_tags: Any = ("debug", "experimental")) -> list[str]:
    """The back ends by name."""
    from ._compile import backends  # loaded when first used

    return backends.names(exclude_tags)


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
