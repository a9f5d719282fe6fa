"""PyTorch's table of profiler events: its columns, its units, its line breaks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_GAP = "  "
_NUMBERS = 12
"""The width of a column of numbers."""


def format_time(us: float) -> str:
    """Microseconds with the unit in which people would say it."""
    if us >= 1_000_000.0:
        return f"{us / 1_000_000.0:.3f}s"
    if us >= 1000.0:
        return f"{us / 1000.0:.3f}ms"
    return f"{us:.3f}us"


def format_memory(nbytes: int) -> str:
    """Bytes with the unit in which people would say it."""
    for unit, size in (("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)):
        if abs(nbytes) >= size:
            return f"{nbytes / size:.2f} {unit}"
    return f"{nbytes} B"


def format_time_share(us: float, total_us: float) -> str:
    """A time in percent of the whole."""
    if total_us == 0:
        assert us == 0, f"Expected time_us == 0 but got {us}"
        return "NaN"
    return f"{us * 100.0 / total_us:.2f}%"


_UNITS = {"s": 1_000_000.0, "ms": 1000.0, "us": 1.0}


def _time_formatter(unit: str | None) -> Any:
    if unit not in _UNITS:
        return format_time
    return lambda us: f"{us / _UNITS[unit]:.3f}{unit}"


class _Column:
    __slots__ = ("left", "title", "width")

    def __init__(self, title: str, width: int = _NUMBERS, left: bool = False) -> None:
        self.title, self.width, self.left = title, width, left

    def cell(self, text: str) -> str:
        return (f"{text: <{self.width}}" if self.left else f"{text: >{self.width}}") + _GAP


def _width(texts: list[str], most: int | None) -> int:
    needed = max([len(text) for text in texts], default=0) + 4
    return needed if most is None else min(needed, most)


def build_table(
    events: Sequence[Any], sort_by: str | None, row_limit: int, max_src_column_width: int,
    max_name_column_width: int | None, max_shapes_column_width: int | None, header: str | None,
    top_level_events_only: bool, time_unit: str | None, profile_memory: bool, with_flops: bool,
) -> str:  # fmt: skip
    """See ``EventList.table``."""
    if not events:
        return ""
    total = sum(event.self_cpu_time_total for event in events)
    if sort_by is not None:
        by = sort_by.replace("cuda", "device").replace("xpu", "device").replace("privateuse1", "device")
        events = sorted(events, key=lambda event: getattr(event, by), reverse=True)
    shapes = [str(event.input_shapes) for event in events if event.input_shapes]
    sources = [entry for event in events if event.stack for entry in event.stack]
    columns = [_Column("Name", _width([event.key for event in events], max_name_column_width))]
    columns += map(_Column, ("Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg"))
    if profile_memory:
        columns += map(_Column, ("CPU Mem", "Self CPU Mem"))
    columns.append(_Column("# of Calls"))
    if shapes:
        columns.append(_Column("Input Shapes", _width(shapes, max_shapes_column_width)))
    if sources:
        columns.append(_Column("Source Location", _width(sources, max_src_column_width), left=True))
    if with_flops:
        columns.append(_Column("Total FLOPs"))

    rule = "".join("-" * column.width + _GAP for column in columns)
    double_rule = "=" * (len(rule) - len(_GAP))
    time = _time_formatter(time_unit)
    lines: list[str] = []
    if header is not None:
        lines += [double_rule, header]
    if top_level_events_only:
        lines += [double_rule, "This report only display top-level ops statistics"]
    lines += [rule, "".join(column.cell(column.title) for column in columns), rule]
    shown = 0
    for event in events:
        if shown == row_limit:
            break
        if top_level_events_only and event.cpu_parent is not None:
            continue
        shown += 1
        cells = [
            _cut(event.key, max_name_column_width),
            format_time_share(event.self_cpu_time_total, total), time(event.self_cpu_time_total),
            "0" if event.is_async else format_time_share(event.cpu_time_total, total), time(event.cpu_time_total),
            time(event.cpu_time),
        ]  # fmt: skip
        if profile_memory:
            cells += [format_memory(event.cpu_memory_usage), format_memory(event.self_cpu_memory_usage)]
        cells.append(str(event.count))
        if shapes:
            cells.append(str(event.input_shapes)[: columns[len(cells)].width])
        at = len(cells)
        if sources:
            stack = [_tail(entry, columns[at].width) for entry in event.stack or []]
            cells.append(stack[0] if stack else "")
        if with_flops:
            cells.append(f"{event.flops:8.3f}".strip() if event.flops > 0 else "--")
        lines.append("".join(column.cell(text) for column, text in zip(columns, cells, strict=True)))
        if sources:
            for entry in [*stack[1:], ""]:
                blank = [""] * len(columns)
                blank[at] = entry
                lines.append("".join(column.cell(text) for column, text in zip(columns, blank, strict=True)))
    lines += [rule, f"Self CPU time total: {time(total)}", ""]
    return "\n".join(lines)


def _cut(name: str, width: int | None) -> str:
    return name if width is None or len(name) < width else name[: width - 3] + "..."


def _tail(path: str, width: int) -> str:
    return path if len(path) <= width else "..." + path[-(width - 3) :]
