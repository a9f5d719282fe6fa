"""A table as text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def table(titles: Iterable[Any], rows: Iterable[Iterable[Any]]) -> str:
    """Columns as wide as they need be, under their titles, which have some room, and a line."""
    cells = [[str(cell) for cell in row] for row in (titles, *rows)]
    widths = [max(len(title) + 2, *map(len, column)) for title, *column in zip(*cells)]
    cells.insert(1, ["-" * width for width in widths])
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in cells)
