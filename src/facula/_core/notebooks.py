"""What IPython knows, if facula runs in it: whether there is a notebook, and which cell a file stands for."""

from __future__ import annotations

import os
import sys
from typing import Any


def shell() -> Any:
    """IPython's shell, or None."""
    return getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()


def in_notebook() -> bool:
    """Whether a notebook's kernel runs this: a shell of IPython that is no terminal."""
    return hasattr(shell(), "kernel")


def cell(filename: str) -> str:
    """``In[3]`` for the file that IPython runs a cell as, else nothing."""
    named = getattr(getattr(shell(), "compile", None), "format_code_name", lambda _: None)(filename)
    return named[1] if named else ""


def place(filename: str, line: int) -> str:
    """A line as it is told to users."""
    return f"{cell(filename) or filename}:{line}"


def short_name(filename: str) -> str:
    return cell(filename) or os.path.basename(filename) or filename
