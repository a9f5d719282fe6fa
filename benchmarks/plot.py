"""Ratios as bars on a logarithmic axis, as SVG text."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape


class Bar(NamedTuple):
    letter: str
    title: str
    threads: int
    ratio: float
    target: float | None

    @property
    def label(self) -> str:
        return f"({self.letter}) {self.title}" if self.letter else self.title


LABELS, AXIS, MARGIN = 430, 420, 60
THICK, GAP, TOP = 11, 8, 64
COLOURS = ("#3b6fb6", "#e08a2c", "#5b9e5b", "#9c6bb0")
TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)


def plotted(bars: Sequence[Bar]) -> str:
    """Bars that begin at 1: to the left facula needs less than PyTorch, to the right more; a tick is the target."""
    threads = sorted({bar.threads for bar in bars})
    labels = list(dict.fromkeys(bar.label for bar in bars))
    ratios = [ratio for bar in bars for ratio in (bar.ratio, bar.target) if ratio is not None]
    low, high = min([0.1, *ratios]) / 1.25, max([2.0, *ratios]) * 1.25

    def place(ratio: float) -> float:
        return LABELS + AXIS * math.log(ratio / low) / math.log(high / low)

    height = len(threads) * THICK + GAP
    bottom = TOP + len(labels) * height
    width = LABELS + AXIS + MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {bottom + 40}" width="{width}" '
        f'height="{bottom + 40}" font-family="sans-serif" font-size="11" fill="#222222">',
        f'<rect width="{width}" height="{bottom + 40}" fill="#ffffff"/>',
        '<text x="12" y="22" font-size="15">facula / PyTorch: ratio of the least times (or memory)</text>',
        *_legend(threads),
        *[part for tick in TICKS if low <= tick <= high for part in _tick(tick, place(tick), bottom)],
    ]
    for number, label in enumerate(labels):
        middle = TOP + (number + 0.5) * height - GAP / 2 + 4
        parts.append(f'<text x="{LABELS - 10}" y="{middle:.1f}" text-anchor="end">{escape(label)}</text>')
    for bar in bars:
        which = threads.index(bar.threads)
        parts += _bar(bar, TOP + labels.index(bar.label) * height + which * THICK, place, COLOURS[which % len(COLOURS)])
    parts.append(
        f'<text x="{place(1):.1f}" y="{bottom + 32}" text-anchor="middle">'
        "facula needs less &#8592; 1 &#8594; PyTorch needs less</text>"
    )
    return "\n".join([*parts, "</svg>"]) + "\n"


def _legend(threads: Sequence[int]) -> list[str]:
    parts = []
    for number, count in enumerate(threads):
        x = 12 + 90 * number
        parts.append(f'<rect x="{x}" y="34" width="12" height="10" fill="{COLOURS[number % len(COLOURS)]}"/>')
        parts.append(f'<text x="{x + 17}" y="43">{count} thread{"s" * (count > 1)}</text>')
    x = 12 + 90 * len(threads)
    return [*parts, _mark(x, 33, 12), f'<text x="{x + 7}" y="43">target</text>']


def _tick(ratio: float, x: float, bottom: int) -> list[str]:
    colour, thick = ("#333333", 1.5) if ratio == 1 else ("#dddddd", 1.0)
    return [
        f'<path d="M{x:.1f} {TOP - 6}V{bottom}" stroke="{colour}" stroke-width="{thick}"/>',
        f'<text x="{x:.1f}" y="{bottom + 15}" text-anchor="middle">{ratio:g}</text>',
    ]


def _bar(bar: Bar, y: int, place: Callable[[float], float], colour: str) -> list[str]:
    left, right = sorted((place(bar.ratio), place(1)))
    beside = LABELS + AXIS + 10
    parts = [
        f'<rect x="{left:.1f}" y="{y}" width="{max(right - left, 0.5):.1f}" height="{THICK - 1}" fill="{colour}"/>',
        f'<text x="{beside}" y="{y + THICK - 2}" font-size="10">{bar.ratio:.2f}</text>',
    ]
    return parts if bar.target is None else [*parts, _mark(place(bar.target), y - 1, THICK + 1)]


def _mark(x: float, y: int, length: int) -> str:
    return f'<path d="M{x:.1f} {y}v{length}" stroke="#111111" stroke-width="2"/>'
