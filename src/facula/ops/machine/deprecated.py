"""Warnings that PyTorch gives once in the life of a program, unless ``set_warn_always(True)``."""

from __future__ import annotations

import warnings

from ...autograd import differentiate

_given: set[str] = set()


def warn_once(text: str, depth: int = 0) -> None:
    """Warn the caller of a public function; ``depth`` counts what stands between it and this call."""
    if text not in _given or differentiate.warns_always:
        _given.add(text)
        warnings.warn(text, stacklevel=4 + depth)


def warn_of_old_overload(name: str, old: str, new: str) -> None:
    """A number may stand before the tensors that it multiplies. PyTorch warns of the first such call in a program."""
    if "overload" not in _given or differentiate.warns_always:
        _given.add("overload")
        warnings.warn(
            f"This overload of {name} is deprecated:\n\t{name}({old})\nConsider using one of the following signatures "
            f"instead:\n\t{name}({new})",
            stacklevel=4,
        )
