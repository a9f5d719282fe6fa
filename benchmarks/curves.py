"""Curves in a plane with two logarithmic axes, as SVG text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 720, 420, 70, 50, 190, 50
COLOURS = ("#888888", "#e08a2c", "#9c6bb0", "#3b6fb6", "#5b9e5b", "#b03a3a")


class Curve(NamedTuple):
    label: str
    points: list[tuple[float, float]]


def curves(title: str, drawn: Sequence[Curve], counted: str = "elements") -> str:
    """Lines at powers of ten; a label stands where its curve ends, moved down if another is there."""
    xs, ys = zip(*[point for curve in drawn for point in curve.points])
    x_low, x_high = math.log10(min(xs)), math.log10(max(xs))
    y_low, y_high = math.floor(math.log10(min(ys))), math.ceil(math.log10(max(ys)) + 1e-9)
    inner, tall = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def place(x: float, y: float) -> tuple[float, float]:
        across = (math.log10(x) - x_low) / ((x_high - x_low) or 1)
        up = (math.log10(y) - y_low) / max(y_high - y_low, 1)
        return LEFT + inner * across, TOP + tall * (1 - up)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        'font-family="sans-serif" font-size="11" fill="#222222">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        f'<text x="12" y="24" font-size="14">{escape(title)}</text>',
    ]
    for power in range(math.ceil(x_low - 1e-9), math.floor(x_high + 1e-9) + 1):
        x, _ = place(10.0**power, 10.0**y_low)
        parts.append(f'<path d="M{x:.1f} {TOP}V{TOP + tall}" stroke="#dddddd"/>')
        parts.append(f'<text x="{x:.1f}" y="{TOP + tall + 18}" text-anchor="middle">{10**power:,}</text>')
    middle, below = LEFT + inner / 2, TOP + tall + 36
    parts.append(f'<text x="{middle}" y="{below}" text-anchor="middle">{escape(counted)}</text>')
    for power in range(y_low, y_high + 1):
        _, y = place(10.0**x_low, 10.0**power)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{LEFT + inner}" stroke="#dddddd"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{_unit(power)}</text>')
    taken: list[float] = []
    ends = sorted(range(len(drawn)), key=lambda i: place(*drawn[i].points[-1])[1])
    for i in ends:
        colour = COLOURS[i % len(COLOURS)]
        at = [place(*point) for point in drawn[i].points]
        line = " ".join([f"{x:.1f},{y:.1f}" for x, y in at])
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in at]
        y = max([at[-1][1] + 4, *[other + 14 for other in taken]])
        taken.append(y)
        parts.append(f'<text x="{at[-1][0] + 10:.1f}" y="{y:.1f}" fill="{colour}">{escape(drawn[i].label)}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _unit(power: int) -> str:
    unit, factor = next((u, f) for u, f in (("s", 0), ("ms", -3), ("µs", -6), ("ns", -9)) if power >= f or f == -9)
    return f"{10 ** (power - factor):,} {unit}"
