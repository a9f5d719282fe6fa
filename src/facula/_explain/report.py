"""What an explanation says: findings, each with a cause, the lines it points at, and how to mend it.

A finding's ``kind`` says what went wrong in a word; ``node`` and ``tensor`` are what it is about, if that still exists,
so that pictures can mark them. A report reads as text in pipes, with colours in terminals, as HTML in notebooks.
"""

from __future__ import annotations

import html
import linecache
import os
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .._core.notebooks import place
from ..autograd.graph import Source

KINDS = (
    "cut", "switched off", "frozen", "unreached", "not a leaf", "changed", "freed", "not finite", "zero", "huge",
    "summed", "optimizer", "shape", "alive", "unused", "loss", "copy", "order", "mode",
    "nothing",
)  # fmt: skip
"""What a finding may be about."""

_started = time.time()


class Line(NamedTuple):
    """A line of the user's program and what happened there."""

    filename: str
    line: int
    text: str
    """The line itself, or in brackets why it cannot be shown."""
    role: str = ""

    def __str__(self) -> str:
        return place(self.filename, self.line)


def line_at(source: Source | None, role: str = "") -> list[Line]:
    """The line of a place, as a list; an empty one if the place is not known."""
    return [] if source is None else [Line(source.filename, source.line, text_of(source.filename, source.line), role)]


def text_of(filename: str, line: int) -> str:
    """A line's text. If its file has vanished, or changed since the program began, it says so instead."""
    linecache.checkcache(filename)
    text = linecache.getline(filename, line).strip()
    if filename.startswith("<"):
        return text or "(its source was not kept)"
    try:
        changed = os.stat(filename).st_mtime
    except OSError:
        return text or "(the file is not there any more)"
    if not text:
        return "(the file has changed: it has no such line any more)" if changed > _started else ""
    return f"{text}  (the file has changed since it was loaded)" if changed > _started else text


@dataclass
class Finding:
    """One thing that went wrong."""

    kind: str
    cause: str
    """A sentence or two: what happened, and why it has the effect that was seen."""
    lines: list[Line] = field(default_factory=list)
    """The lines to look at, the guilty one first."""
    mend: str = ""
    """What to write instead."""
    node: Any = None
    tensor: Any = None

    def __str__(self) -> str:
        return Report([self]).text()


_BOLD, _DIM, _BLUE, _GREEN, _OFF = "\033[1m", "\033[2m", "\033[34m", "\033[32m", "\033[0m"
MOST_LINES = 5
"""A report names no more lines than this."""


class Report:
    """Findings, the most telling first. It is true if there are any."""

    def __init__(self, findings: Iterable[Finding] = (), silence: str = "Nothing unusual was found.") -> None:
        self.findings = list(findings)
        self.silence = silence
        """What to say if nothing was found."""

    @property
    def kind(self) -> str:
        return self.findings[0].kind if self.findings else "nothing"

    @property
    def cause(self) -> str:
        return self.findings[0].cause if self.findings else self.silence

    @property
    def mend(self) -> str:
        return self.findings[0].mend if self.findings else ""

    @property
    def lines(self) -> list[Line]:
        """The lines of all findings, each once."""
        return list(
            {(each.filename, each.line): each for f in reversed(self._shown()) for each in reversed(f.lines)}.values()
        )[::-1]

    @property
    def node(self) -> Any:
        return self.findings[0].node if self.findings else None

    @property
    def tensor(self) -> Any:
        return self.findings[0].tensor if self.findings else None

    def _shown(self) -> list[Finding]:
        """As many findings as their lines leave room for, one at least."""
        shown: list[Finding] = []
        named: set[tuple[str, int]] = set()
        for finding in self.findings:
            named |= {(each.filename, each.line) for each in finding.lines}
            if shown and len(named) > MOST_LINES:
                break
            shown.append(finding)
        return shown

    def text(self, colour: bool = False) -> str:
        """The report as text."""
        bold, dim, blue, green, off = (_BOLD, _DIM, _BLUE, _GREEN, _OFF) if colour else ("",) * 5
        if not self.findings:
            return self.silence
        shown = self._shown()
        parts = []
        for finding in shown:
            rows = [f"{bold}{finding.cause}{off}"]
            width = max((len(str(each)) for each in finding.lines), default=0)
            for each in finding.lines:
                role = f"  {dim}# {each.role}{off}" if each.role else ""
                rows.append(f"  {blue}{str(each).ljust(width)}{off}  {each.text}{role}")
            if finding.mend:
                rows.append(f"{green}To mend it:{off} {finding.mend}")
            parts.append("\n".join(rows))
        if len(shown) < len(self.findings):
            parts.append(f"{dim}({len(self.findings) - len(shown)} more: see .findings){off}")
        return "\n\n".join(parts)

    def __str__(self) -> str:
        return self.text(in_terminal(sys.stdout))

    __repr__ = __str__

    def __bool__(self) -> bool:
        return bool(self.findings)

    def _repr_html_(self) -> str:
        if not self.findings:
            return f"<p>{html.escape(self.silence)}</p>"
        parts = []
        for finding in self._shown():
            rows = "".join(
                f"<tr><td><code>{html.escape(str(each))}</code></td><td><code>{html.escape(each.text)}</code></td>"
                f"<td><em>{html.escape(each.role)}</em></td></tr>"
                for each in finding.lines
            )
            mend = f"<p><b>To mend it:</b> {html.escape(finding.mend)}</p>" if finding.mend else ""
            parts.append(f"<p><b>{html.escape(finding.cause)}</b></p><table>{rows}</table>{mend}")
        return f'<div class="facula-report">{"".join(parts)}</div>'


def in_terminal(stream: Any) -> bool:
    """Whether colours can be seen there, and are wanted."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(getattr(stream, "isatty", bool)())
