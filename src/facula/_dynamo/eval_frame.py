"""Where PyTorch has the class of compiled modules."""

from __future__ import annotations

from facula._compile.public import OptimizedModule

__all__ = ["OptimizedModule"]
