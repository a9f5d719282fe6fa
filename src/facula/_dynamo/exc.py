"""``torch._dynamo.exc``: what compiling raises."""

from __future__ import annotations

from facula._compile.errors import (
    BackendCompilerFailed,
    FailOnRecompileLimitHit,
    InvalidBackend,
    RecompileError,
    TorchDynamoException,
    Unsupported,
    UserError,
)

__all__ = [
    "BackendCompilerFailed", "FailOnRecompileLimitHit", "InvalidBackend", "RecompileError", "TorchDynamoException",
    "Unsupported", "UserError",
]  # fmt: skip
