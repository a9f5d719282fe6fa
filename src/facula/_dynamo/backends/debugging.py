"""What ``explain`` tells."""

from __future__ import annotations

from .._explaining import ExplainOutput, GraphCompileReason

__all__ = ["ExplainOutput", "GraphCompileReason"]
