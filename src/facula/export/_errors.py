"""What exporting raises, under PyTorch's names."""

from __future__ import annotations

from .._compile.errors import TorchDynamoException

_DRAFT = (
    "\n\nThe error above occurred when calling torch.export.export. If you would like to view some more information "
    "about "
    "this error, and get a list of all other errors that may occur in your export call, you can replace your "
    "`export()` "
    "call with `draft_export()`."
)
_CASES = "For more information about this error, see: https://pytorch.org/docs/main/generated/exportdb/index.html#"


class UserError(TorchDynamoException):
    """What the user asked for cannot be done."""

    def __init__(self, what: str, case: str | None = None) -> None:
        super().__init__(what if case is None else f"{what}\n{_CASES}{case}")


class GuardOnDataDependentSymNode(RuntimeError):
    """A decision depends on elements of a tensor."""


def data_dependent(expression: str, line: str | None = None) -> GuardOnDataDependentSymNode:
    """The error of a branch on data."""
    text = f"Could not guard on data-dependent expression {expression} (unhinted: {expression})."
    called = "" if line is None else f"\n\nThe following call raised this error:\n{line}\n"
    return GuardOnDataDependentSymNode(
        f"{text}  (Size-like symbols: none)\n\nfacula.where chooses by elements; facula.cond is not there.{called}"
    )


UserError.__module__ = "torch._dynamo.exc"
GuardOnDataDependentSymNode.__module__ = "torch.fx.experimental.symbolic_shapes"


def told(error: BaseException) -> None:
    """Say what else can be tried, as PyTorch does."""
    if error.args and isinstance(error.args[0], str):
        error.args = (error.args[0] + _DRAFT, *error.args[1:])
