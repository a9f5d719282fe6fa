"""Warnings that PyTorch gives once in the life of a program, unless ``set_warn_always(True)``."""

from __future__ import annotations

from ...autograd import differentiate
from ...autograd.graph import warn_user

_given: set[str] = set()


def warn_once(text: str) -> None:
    """Warn at the user's line."""
    if text not in _given or differentiate.warns_always:
        _given.add(text)
        warn_user(text)


def warn_of_old_overload(name: str, old: str, new: str) -> None:
    """A number may stand before the tensors that it multiplies. PyTorch warns of the first such call in a program."""
    if "overload" not in _given or differentiate.warns_always:
        _given.add("overload")
        warn_user(
            f"This overload of {name} is deprecated:\n\t{name}({old})\nConsider using one of the following signatures "
            f"instead:\n\t{name}({new})",
        )
