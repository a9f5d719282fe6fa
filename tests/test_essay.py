"""The essay that builds a small library: its code runs from top to bottom, and what it asserts holds."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

ESSAY = Path(__file__).parent.parent / "docs" / "autograd-from-scratch.md"


def blocks() -> list[tuple[int, str]]:
    """The Python code of the essay: (line number, text)."""
    text = ESSAY.read_text(encoding="utf-8")
    return [(text[: m.start(1)].count("\n") + 1, m[1]) for m in re.finditer(r"```python\n(.*?)```", text, re.DOTALL)]


def test_the_code_runs_in_order() -> None:
    found = blocks()
    assert len(found) > 10
    assert sum(code.count("assert ") for _, code in found) > 15
    space: dict[str, Any] = {"__name__": "essay"}
    for line, code in found:
        exec(compile("\n" * (line - 1) + code, str(ESSAY), "exec"), space)
    assert space["LEVELS"] == []
    assert "facula" not in "".join(code for _, code in found)


def test_it_stays_short() -> None:
    lines = [line for _, code in blocks() for line in code.splitlines() if line.strip()]
    assert len(lines) < 400
    assert max(map(len, lines)) <= 125
