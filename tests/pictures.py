"""The pictures in docs/: ``python -m tests.pictures`` runs the code on the pages and takes them anew.

A picture is asked for on a page by a comment after the code that writes ``graph.html``::

    <!-- picture: name step=3 -->

``step``, ``select`` and the like are what may stand after the # of the page's address. ``run=...`` is a command to run
before, ``dark`` asks for a second picture, ``name-dark.png``.

Tutorials have drawings, ``tutorial-name.svg``, of what their code has made so far::

    <!-- drawing: name draw(loss) -->

``python -m tests.pictures drawings`` makes those alone, which needs no browser.
"""

from __future__ import annotations

import os
import re
import struct
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np

from .browser import Browser

ROOT = Path(__file__).parent.parent
PAGES = (ROOT / "docs" / "exploring.md", ROOT / "docs" / "gallery.md")
PART = re.compile(r"^```python\n(?P<code>.*?)^```$|^<!-- picture: (?P<name>[\w-]+)(?P<options>.*?) -->$", re.S | re.M)
SIZE = (1180, 700)
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
DRAWING = re.compile(r"^```python\n(?P<code>.*?)^```$|^<!-- drawing: (?P<name>[\w-]+) (?P<what>.*?) -->$", re.S | re.M)


def take(browser: Browser, page: Path, only: str | None) -> None:
    space: dict[str, Any] = {"__name__": "page"}
    waiting: list[str] = []
    for part in PART.finditer(page.read_text(encoding="utf-8")):
        if part["code"] is not None:
            waiting.append(part["code"])
            continue
        options = _options(part["options"])
        for number, code in enumerate(waiting, 1):
            program = Path(f"{part['name']}.py" if number == len(waiting) else "before.py")
            program.write_text(code)
            with redirect_stdout(None):
                exec(compile(code, str(program.absolute()), "exec"), space)
        waiting.clear()
        if only not in (None, part["name"]):
            continue
        if "run" in options:
            command = [sys.executable, "-m", "facula", *options.pop("run").split()]
            folder = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT / "examples")])}
            command = [word.replace("examples/", f"{ROOT}/examples/") for word in command]
            subprocess.run(command, check=True, env=folder, stdout=subprocess.DEVNULL)
        for theme in ("light", "dark") if options.pop("dark", None) is not None else ("light",):
            fragment = "&".join([f"{name}={value}" for name, value in options.items()])
            browser.open(Path("graph.html"), fragment, dark=theme == "dark")
            if browser.errors:
                raise RuntimeError(f"{part['name']}: {browser.errors}")
            name = part["name"] + ("-dark" if theme == "dark" else "")
            path = ROOT / "docs" / "pictures" / f"{name}.png"
            browser.picture(path)
            path.write_bytes(with_palette(path.read_bytes()))
            print(name, path.stat().st_size)


def with_palette(png: bytes) -> bytes:
    """A picture with 256 colours: a third of the bytes."""
    pixels = unpacked(png)
    packed = pixels.astype(np.uint32) @ np.array([1 << 16, 1 << 8, 1], np.uint32)
    colours, inverse, counts = np.unique(packed, return_inverse=True, return_counts=True)
    split = np.stack([colours >> 16, colours >> 8 & 255, colours & 255], 1).astype(np.int32)
    palette = split[[counts.argmax()]]
    missing = np.full(len(split), np.inf)
    while len(palette) < min(256, len(split)):  # next, the colour whose pixels are worst off
        missing = np.minimum(missing, ((split - palette[-1]) ** 2).sum(1))
        palette = np.concatenate([palette, split[[(missing * counts).argmax()]]])
    nearest = ((split[:, None] - palette) ** 2).sum(2).argmin(1).astype(np.uint8)
    rows = nearest[inverse].reshape(pixels.shape[:2])
    lines = np.pad(rows, ((0, 0), (1, 0))).tobytes()  # each begins with 0: no filter
    height, width = rows.shape
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    chunks = (
        (b"IHDR", header),
        (b"PLTE", palette.astype(np.uint8).tobytes()),
        (b"IDAT", zlib.compress(lines, 9)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )


def unpacked(png: bytes) -> Any:
    """The pixels of a picture as Chromium writes it: 8 bits, colours, with transparency or without."""
    at, data, header = 8, b"", b""
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        kind, content = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        header = content if kind == b"IHDR" else header
        data += content if kind == b"IDAT" else b""
        at += 12 + length
    width, height, depth, colours = struct.unpack(">IIBB", header[:10])
    assert depth == 8 and colours in (2, 6)
    size = 3 if colours == 2 else 4
    raw = np.frombuffer(zlib.decompress(data), np.uint8).reshape(height, 1 + width * size)
    above = np.zeros(width * size, np.int32)
    found = np.empty((height, width * size), np.uint8)
    for y in range(height):
        above = found[y] = unfiltered(int(raw[y, 0]), raw[y, 1:].astype(np.int32), above.astype(np.int32), size)
    return found.reshape(height, width, size)[..., :3]


def unfiltered(kind: int, line: Any, above: Any, size: int) -> Any:
    if kind == 0:
        return line.astype(np.uint8)
    if kind == 2:
        return (line + above).astype(np.uint8)
    result = [0] * len(line)
    values, over = line.tolist(), above.tolist()
    for i, value in enumerate(values):
        left = result[i - size] if i >= size else 0
        corner = over[i - size] if i >= size else 0
        if kind == 1:
            guess = left
        elif kind == 3:
            guess = (left + over[i]) // 2
        else:
            p = left + over[i] - corner
            guess = min((abs(p - left), 0, left), (abs(p - over[i]), 1, over[i]), (abs(p - corner), 2, corner))[2]
        result[i] = (value + guess) & 255
    return np.array(result, np.uint8)


def _options(text: str) -> dict[str, str]:
    return {name: quoted or plain for name, quoted, plain in re.findall(r'(\w+)(?:="([^"]*)"|=(\S+))?', text)}


NETWORK = """\
import facula as torch

w, v = (torch.ones(shape, requires_grad=True) for shape in ((3, 4), (4, 1)))
x = torch.ones(5, 3)
hidden = torch.tanh(x @ w)
loss = ((hidden @ v) * 0.1).sum()
drawing = torch.draw(loss)
"""


def network() -> Any:
    """The network of the essay, as facula draws it."""
    space: dict[str, Any] = {}
    exec(compile(NETWORK, "network.py", "exec"), space)
    return space["drawing"]


def drawings(page: Path) -> Iterator[tuple[Path, str]]:
    """The drawings of a tutorial: files, and what should be in them. All of its code is one program."""
    space: dict[str, Any] = {"__name__": "page"}
    lines = 0
    for part in DRAWING.finditer(page.read_text(encoding="utf-8")):
        program = part["code"] or f"drawing = torch.{part['what']}\n"
        with redirect_stdout(None):
            exec(compile("\n" * lines + program, f"{page.stem}.py", "exec"), space)
        if part["code"] is None:
            yield ROOT / "docs" / "pictures" / f"tutorial-{part['name']}.svg", space["drawing"].svg
        else:
            lines += program.count("\n")


def main() -> None:
    network().save(ROOT / "docs" / "pictures" / "network.svg")
    for page in TUTORIALS:
        for path, svg in drawings(page):
            path.write_text(svg, encoding="utf-8")
    if sys.argv[1:] == ["drawings"]:
        return
    only = sys.argv[1] if len(sys.argv) > 1 else None
    with tempfile.TemporaryDirectory() as folder, Browser(Path(folder) / "profile", *SIZE) as browser:
        os.chdir(folder)
        for page in PAGES:
            take(browser, page, only)


if __name__ == "__main__":
    main()
