"""How far something is: a bar in a notebook, a line that is written over on a terminal, nothing elsewhere."""

from __future__ import annotations

import sys
from html import escape
from typing import Any

from .notebooks import in_notebook


class Progress:
    """Call it with what is done so far. ``total`` may not be known."""

    def __init__(self, what: str, total: int | None) -> None:
        self.what = what
        self.total = total
        self.done = 0
        self.shown = -1
        self.handle: Any = None
        """What shows it in a notebook."""

    def __call__(self, done: int) -> None:
        self.done = done
        step = 100 * done // self.total if self.total else done >> 20
        if step == self.shown:
            return
        self.shown = step
        if self.handle is not None:
            self.handle.update(self)
        elif in_notebook():
            self.handle = sys.modules["IPython"].display.display(self, display_id=True)
        elif sys.stderr.isatty():
            end = "\n" if done == self.total else ""
            print(f"\r{self}", end=end, file=sys.stderr, flush=True)

    def __repr__(self) -> str:
        return f"{self.what}: {self.shown} {'%' if self.total else 'MiB'}"

    def _repr_html_(self) -> str:
        value = f' value="{self.done}" max="{self.total}"' if self.total else ""
        return f"<div>{escape(repr(self))} <progress{value}></progress></div>"
