"""Where PyTorch has the class of compiled modules, and whether there is a compiler."""

from __future__ import annotations

from facula._compile.public import OptimizedModule

__all__ = ["OptimizedModule", "is_dynamo_supported"]


def is_dynamo_supported() -> bool:
    """Whether functions can be captured: always."""
    return True
