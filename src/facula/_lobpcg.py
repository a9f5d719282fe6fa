"""A redirect: ``torch._lobpcg``, the file in which PyTorch has ``lobpcg`` and the class that its trackers are shown."""

from __future__ import annotations

import facula

from .ops.linalg.lobpcg import LOBPCG, LOBPCGAutogradFunction

lobpcg = facula.lobpcg

__all__ = ["LOBPCG", "LOBPCGAutogradFunction", "lobpcg"]
