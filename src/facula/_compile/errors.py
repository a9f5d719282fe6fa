"""What can go wrong, under PyTorch's names."""

from __future__ import annotations


class TorchDynamoException(RuntimeError):
    """The base of what compiling raises."""


class Unsupported(TorchDynamoException):
    """A function was to be captured whole, and cannot be."""


class InvalidBackend(TorchDynamoException):
    """There is no back end of this name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Invalid backend: {name!r}, see `torch._dynamo.list_backends()` for available backends.")


class BackendCompilerFailed(TorchDynamoException):
    """A back end of the user's raised."""

    def __init__(self, name: str, error: Exception) -> None:
        self.inner_exception = error
        super().__init__(f"backend={name!r} raised:\n{type(error).__name__}: {error}")


class InternalTorchDynamoError(TorchDynamoException):
    """The compiler itself went wrong. Not raised here: what cannot be captured runs as it is."""


class TorchRuntimeError(TorchDynamoException):
    """An operator refused what it was given. Not raised here: the operator's own error is."""


class FailOnRecompileLimitHit(Exception):
    """A function has as many programs as it may."""


class RecompileError(TorchDynamoException):
    """No program is for a call, and that is to be an error."""


class UserError(TorchDynamoException):
    """What the user asked for cannot be done. ``case``: where PyTorch's pages tell of it."""

    def __init__(self, what: str, case: str | None = None) -> None:
        page = "https://pytorch.org/docs/main/generated/exportdb/index.html"
        told = "" if case is None else f"\nFor more information about this error, see: {page}#{case}"
        super().__init__(what + told)


class ConstraintViolationError(RuntimeError):
    """A size that was to be general is not."""

    def __init__(self, what: str, size: int) -> None:
        super().__init__(
            f"Constraints violated ({what})! For more information, run with TORCH_LOGS=\"+dynamic\".\n"
            f"  - You marked {what} as dynamic but your code specialized it to be a constant ({size}). If you're using "
            "mark_dynamic, either remove it or use maybe_mark_dynamic. If you're using Dim.DYNAMIC, replace it with "
            "either Dim.STATIC or Dim.AUTO."
        )


ConstraintViolationError.__module__ = "torch.fx.experimental.symbolic_shapes"
for _error in (TorchDynamoException, Unsupported, InvalidBackend, BackendCompilerFailed, FailOnRecompileLimitHit,
               RecompileError, UserError, InternalTorchDynamoError, TorchRuntimeError):
    _error.__module__ = "torch._dynamo.exc"
