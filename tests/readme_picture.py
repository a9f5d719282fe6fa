"""Draw the README's picture, ``docs/pictures/facula.svg``: ``python -m tests.readme_picture``.

On the left, times beside PyTorch's by size of the workload, as in docs/benchmarks.md; on the right,
what facula says of a mishap.
"""

from __future__ import annotations

import contextlib
import re
import tempfile
import textwrap
from html import escape
from pathlib import Path

import facula

ROOT = Path(__file__).parent.parent
FILE = ROOT / "docs/pictures/facula.svg"

WORKLOADS = {
    "100 mul on 4 floats, forward + backward": "100 products of 4 floats",
    "tiny MLP step": "tiny network, a step",
    "small MLP step": "small network, a step",
    "large MLP step": "large network, a step",
    "CNN step": "convolutional network",
    "character GPT step": "character GPT",
    "sigmoid(x)*tanh(y)+exp(-x*x) on 10M": "10 million floats",
}

MISHAP = "w = torch.ones(3, requires_grad=True)\ny = w.exp()\ny.add_(1)\ny.sum().backward()\n"


def ratios() -> dict[str, tuple[float, float]]:
    """facula's time by PyTorch's, with NumPy alone and with the native library."""
    found = {}
    table = (ROOT / "docs/benchmarks.md").read_text(encoding="utf-8")
    for begins, shown in WORKLOADS.items():
        row = next(line for line in table.splitlines() if f"| {begins}" in line).split("|")
        native = re.search(r", \**([\d.]+)", row[-2])
        assert native is not None
        found[shown] = float(row[5].strip(" *")), float(native[1])
    return found


def report() -> list[str]:
    """What facula says when a saved tensor was changed, after PyTorch's own sentence."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("train.py").write_text(MISHAP, encoding="utf-8")
        try:
            exec(compile(MISHAP, "train.py", "exec"), {"torch": facula})
        except RuntimeError as error:
            return [line for line in str(error).splitlines()[1:] if line.strip()]
    raise AssertionError("nothing went wrong")


def picture() -> str:
    rows = ratios()
    scale, left = 190, 190
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 330" font-family="sans-serif" font-size="14">',
        '<rect width="1000" height="330" rx="8" fill="#fafafa"/>',
        '<text x="20" y="30" font-weight="bold">Time beside PyTorch: below 1, facula is faster</text>',
        '<rect x="20" y="42" width="12" height="10" fill="#e8833a"/><text x="38" y="52">NumPy alone</text>',
        '<rect x="140" y="42" width="12" height="10" fill="#3a6ea8"/><text x="158" y="52">with its library in C</text>',
    ]
    for i, (name, values) in enumerate(rows.items()):
        y = 70 + 32 * i
        parts.append(f'<text x="{left - 8}" y="{y + 16}" text-anchor="end">{escape(name)}</text>')
        for k, (value, color) in enumerate(zip(values, ("#e8833a", "#3a6ea8"))):
            parts.append(f'<rect x="{left}" y="{y + 11 * k}" width="{value * scale:.0f}" height="10" fill="{color}"/>')
            parts.append(f'<text x="{left + value * scale + 5:.0f}" y="{y + 9 + 11 * k}" font-size="10">{value}</text>')
    x = left + scale
    parts.append(f'<path d="M{x} 62V300" stroke="#555" stroke-dasharray="4 3"/>')
    parts.append(f'<text x="{x}" y="316" text-anchor="middle" font-size="12">PyTorch = 1</text>')
    parts.append('<text x="520" y="30" font-weight="bold">What it says when something goes wrong</text>')
    lines = [*MISHAP.splitlines(), ""]
    for line in report():
        lines += textwrap.wrap(line, 58, subsequent_indent="    " if line.startswith(" ") else "")
    for i, line in enumerate(lines):
        color = "#333" if i < 4 else "#a02020"
        shown = escape(line).replace(" ", "\u00a0")
        parts.append(
            f'<text x="520" y="{56 + 19 * i}" font-family="monospace" font-size="13" fill="{color}">{shown}</text>'
        )
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    FILE.write_text(picture(), encoding="utf-8")
