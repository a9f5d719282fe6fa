"""``torch._dynamo.exc``: what compiling raises."""

from __future__ import annotations

from facula._compile.errors import (
    BackendCompilerFailed,
    FailOnRecompileLimitHit,
    InternalTorchDynamoError,
    InvalidBackend,
    RecompileError,
    TorchDynamoException,
    TorchRuntimeError,
    Unsupported,
    UserError,
)

__all__ = [
    "BackendCompilerFailed", "FailOnRecompileLimitHit", "InternalTorchDynamoError", "InvalidBackend", "RecompileError",
    "TorchDynamoException", "TorchRuntimeError", "Unsupported", "UserError",
]  # fmt: skip
