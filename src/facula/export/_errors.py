"""What exporting raises, under PyTorch's names."""

from __future__ import annotations

_DRAFT = (
    "\n\nThe error above occurred when calling torch.export.export. If you would like to view some more information "
    "about "
    "this error, and get a list of all other errors that may occur in your export call, you can replace your "
    "`export()` "
    "call with `draft_export()`."
)


class GuardOnDataDependentSymNode(RuntimeError):
    """A decision depends on elements of a tensor."""


def data_dependent(expression: str, line: str | None = None) -> GuardOnDataDependentSymNode:
    """The error of a branch on data."""
    text = f"Could not guard on data-dependent expression {expression} (unhinted: {expression})."
    called = "" if line is None else f"\n\nThe following call raised this error:\n{line}\n"
    return GuardOnDataDependentSymNode(
        f"{text}  (Size-like symbols: none)\n\nfacula.where chooses by elements; cond is not exported.{called}"
    )


GuardOnDataDependentSymNode.__module__ = "torch.fx.experimental.symbolic_shapes"


def told(error: BaseException) -> None:
    """Say what else can be tried, as PyTorch does."""
    if error.args and isinstance(error.args[0], str):
        error.args = (error.args[0] + _DRAFT, *error.args[1:])
