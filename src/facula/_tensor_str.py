"""A redirect: ``torch._tensor_str``, where PyTorch has print options."""

from __future__ import annotations

from ._printing import get_printoptions, printoptions, set_printoptions

__all__ = ["get_printoptions", "printoptions", "set_printoptions"]
