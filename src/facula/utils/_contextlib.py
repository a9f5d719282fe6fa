"""``torch.utils._contextlib``: context managers that decorate functions, too."""

from __future__ import annotations

from ..autograd.grad_mode import _Decorating as _DecoratorContextManager

__all__ = ["_DecoratorContextManager"]
