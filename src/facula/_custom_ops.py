"""A redirect: ``torch._custom_ops``, an older name of ``torch.library``."""

from __future__ import annotations

from .library import custom_op, impl, impl_abstract

__all__ = ["custom_op", "impl", "impl_abstract"]
