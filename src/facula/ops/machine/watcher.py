"""Who is told of the kernels that run in a thread: ``state.modes.kernels``.

It works below autograd: what is recorded, and what it is called, does not depend on it. Selective
checkpointing (``utils._selective``) and modes with ``__torch_dispatch__`` (``utils._python_dispatch``) are such.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._core import state


class Watcher:
    """Is told of kernels within a ``with`` block, and passes it on to the one outside."""

    outer: Watcher | None = None
    sees_gradients = False
    """Whether backward passes are to call operators, which can be watched, and not kernels."""

    def __enter__(self) -> Any:
        self.outer = state.modes.kernels
        state.update(kernels=self)
        return self

    def __exit__(self, *exc: object) -> None:
        state.update(kernels=self.outer)

    def before(self, op: Any, tensors: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
        """The result of a kernel, as arrays; None: it is to be computed."""
        return None if self.outer is None else self.outer.before(op, tensors, attributes)

    def after(self, op: Any, outs: list[Any]) -> None:
        """The results are there."""
        if self.outer is not None:
            self.outer.after(op, outs)

    def write(
        self, op: Any, target: Any, others: tuple[Any, ...], attributes: tuple[Any, ...], write: Callable[[], None]
    ) -> None:
        """A primitive's result is to be written into ``target``, which ``write`` does."""
        if self.outer is None:
            write()
        else:
            self.outer.write(op, target, others, attributes, write)

    def function(self, name: str, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What a function that makes tensors gives."""
        return fn(*args, **kwargs) if self.outer is None else self.outer.function(name, fn, args, kwargs)

    def custom(self, op: Any, run: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What a user's operator gives. The operators that its kernel calls are not told of."""
        before = state.modes.kernels
        state.update(kernels=self.outer)
        try:
            return run(*args, **kwargs) if self.outer is None else self.outer.custom(op, run, args, kwargs)
        finally:
            state.update(kernels=before)
