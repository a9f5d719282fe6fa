"""Measurements in a table."""

from __future__ import annotations

from collections.abc import Iterable

from .common import Measurement, select_unit, unit_to_english

__all__ = ["Compare"]


class Compare:
    """A table for each label: a row for each statement, a column for each description."""

    def __init__(self, results: Iterable[Measurement]) -> None:
        self._results = list(results)
        self._trims = False

    def extend_results(self, results: Iterable[Measurement]) -> None:
        """More to be shown; all must be Measurements."""
        results = list(results)
        for each in results:
            if not isinstance(each, Measurement):
                raise ValueError(f"Expected an instance of `Measurement`, got {type(each)} instead.")
        self._results += results

    def trim_significant_figures(self) -> None:
        self._trims = True

    def colorize(self, rowwise: bool = False) -> None:
        """Tables are plain text here."""

    def highlight_warnings(self) -> None:
        """Tables are plain text here."""

    def print(self) -> None:
        print(str(self))

    def __str__(self) -> str:
        labels = list(dict.fromkeys(each.label or each.stmt for each in self._results))
        return "\n".join(self._table(label) for label in labels)

    def _table(self, label: str) -> str:
        results = [each for each in self._results if (each.label or each.stmt) == label]
        unit, scale = select_unit(min(each.median for each in results))
        columns = list(dict.fromkeys(each.description or "" for each in results))
        blocks = dict.fromkeys(each.num_threads for each in results)
        digits = 0 if self._trims and min(each.median for each in results) / scale >= 100 else 1
        cells: dict[tuple[int, str, str], str] = {}
        for each in results:
            row = f"({each.env})  {each.as_row_name}" if each.env else each.as_row_name
            cells[each.num_threads, row, each.description or ""] = f"{each.median / scale:.{digits}f}"
        rows = list(dict.fromkeys(row for _, row, _ in cells))
        left = max(len(row) for row in rows) + 8
        wide = {c: max(len(c), *(len(text) for (_, _, at), text in cells.items() if at == c)) + 4 for c in columns}
        lines = ["".ljust(left) + "".join(f"|{c.center(wide[c])}" for c in columns)]
        for threads in blocks:
            lines.append(f"{threads} threads: ".ljust(len(lines[0]), "-"))
            for row in rows:
                values = [cells.get((threads, row, c)) for c in columns]
                if any(value is not None for value in values):
                    middle = "".join(f"|{(v or '').rjust(wide[c] - 2)}  " for v, c in zip(values, columns))
                    lines.append(f"      {row}".ljust(left) + middle)
        title = f" {label} ".center(max(len(lines[0]), len(label) + 4) - 2, "-")
        return "\n".join([f"[{title}]", *lines, "", f"Times are in {unit_to_english(unit)}s ({unit}).", ""])
