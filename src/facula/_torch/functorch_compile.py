"""``functorch.compile``."""

from __future__ import annotations

from .._functorch.aot_autograd import make_boxed_compiler, make_boxed_func

__all__ = ["make_boxed_compiler", "make_boxed_func"]
