"""Boxes and edges as an SVG picture that needs nothing else: light and dark, as its reader likes."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from .layout import layered, side_boxes

CHARACTER = 7.23
"""The width of a character of 12 px in a monospaced font."""
LINE = 16.0
PADDING = 9.0

STYLE = (
    """
.facula{font:12px "DejaVu Sans Mono",Menlo,Consolas,monospace;--ink:#1f2933;--dim:#6b7683;--line:#8d99a8;
--operation:#fff;--operation-edge:#c3cbd6;--leaf:#e4f0ff;--leaf-edge:#4a8fd6;--output:#e3f6e8;--output-edge:#3fa46a;
--saved:#fff2df;--saved-edge:#dd9b3d;--folded:#f1edfd;--folded-edge:#927ad3;--base:#d3ecd9;--base-edge:#3fa46a}
@media(prefers-color-scheme:dark){.facula{--ink:#e6ebf1;--dim:#93a0b0;--line:#76869a;--operation:#232b35;
--operation-edge:#48566a;--leaf:#15304d;--leaf-edge:#5aa2ec;--output:#15392a;--output-edge:#52bd83;--saved:#43301a;
--saved-edge:#dd9b3d;--folded:#2c2547;--folded-edge:#a48fe6;--base:#1d4a35;--base-edge:#52bd83}}
.facula text{fill:var(--ink);white-space:pre}.facula .dim{fill:var(--dim)}.facula .strong{font-weight:bold}
.facula .cut{fill:#d64545}.facula path{fill:none;stroke:var(--line);stroke-width:1.4}
.facula .none{stroke-dasharray:2 3}.facula .dotted{stroke-dasharray:5 4}
.facula marker path{fill:var(--line);stroke:none}
""".replace("\n", "")
    + "".join(
        f".facula .{kind} rect{{fill:var(--{kind});stroke:var(--{kind}-edge);stroke-width:1.3}}"
        for kind in ("operation", "leaf", "output", "saved", "folded", "base")
    )
)


class Box(NamedTuple):
    kind: str
    lines: Sequence[tuple[str, str]]
    """Text and its class: strong, dim, cut or nothing."""
    title: str = ""
    """What a pointer over it is told."""


class Arrow(NamedTuple):
    start: int
    end: int
    kind: str = ""
    """'none' for a line without a head, 'dotted'."""


def size(box: Box) -> tuple[float, float]:
    longest = max([len(text) for text, _ in box.lines])
    return longest * CHARACTER + 2 * PADDING, len(box.lines) * LINE + PADDING


def svg(boxes: Sequence[Box], arrows: Sequence[Arrow], title: str) -> str:
    """The picture; boxes come before those they lead to."""
    sizes = [size(box) for box in boxes]
    edges = [(arrow.start, arrow.end) for arrow in arrows]
    layout = layered(sizes, edges, side_boxes([box.kind in ("leaf", "saved") for box in boxes], edges))
    width, height = layout.width + 16, layout.height + 16
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="facula" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="-8 -8 {width:.0f} {height:.0f}" role="img" aria-label="{escape(title)}">',
        f"<title>{escape(title)}</title><style>{STYLE}</style>",
        '<marker id="facula-head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
        'orient="auto-start-reverse"><path d="M0 1.2 10 5 0 8.8z"/></marker>',
    ]
    for arrow, points in zip(arrows, layout.routes):
        head = "" if arrow.kind == "none" else ' marker-end="url(#facula-head)"'
        parts.append(f'<path class="{arrow.kind}" d="{curve(points)}"{head}/>')
    for box, (w, h), x, y in zip(boxes, sizes, layout.x, layout.y):
        round_ = 12 if box.kind in ("leaf", "output", "base") else 4
        told = f"<title>{escape(box.title)}</title>" if box.title else ""
        parts.append(f'<g class="{box.kind}">{told}')
        parts.append(f'<rect x="{x - w / 2:.1f}" y="{y - h / 2:.1f}" width="{w:.1f}" height="{h:.1f}" rx="{round_}"/>')
        for i, (text, kind) in enumerate(box.lines):
            at = y - h / 2 + PADDING / 2 + (i + 0.75) * LINE
            parts.append(f'<text x="{x:.1f}" y="{at:.1f}" text-anchor="middle" class="{kind}">{escape(text)}</text>')
        parts.append("</g>")
    return "\n".join([*parts, "</svg>"])


def curve(points: Sequence[tuple[float, float]]) -> str:
    """A smooth way through points that leaves and arrives vertically."""
    (x, y), *rest = points
    path = f"M{x:.1f} {y:.1f}"
    for px, py in rest:
        bend = (py - y) / 2
        path += f"C{x:.1f} {y + bend:.1f} {px:.1f} {py - bend:.1f} {px:.1f} {py:.1f}"
        x, y = px, py
    return path
