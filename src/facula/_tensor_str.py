"""A redirect: ``torch._tensor_str``, where PyTorch has print options."""

from __future__ import annotations

from ._printing import PRINT_OPTS, get_printoptions, printoptions, set_printoptions
from ._printing import format_contents as _tensor_str

__all__ = ["PRINT_OPTS", "_tensor_str", "get_printoptions", "printoptions", "set_printoptions"]
