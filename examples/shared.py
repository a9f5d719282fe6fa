"""What the examples share: a progress bar, a table of losses, pictures."""

import struct
import sys
import time
import zlib
from collections.abc import Iterator, Sequence

import numpy as np


def progress(steps: int, losses: Sequence[float] = ()) -> Iterator[int]:
    """``range(steps)`` with a bar, the time left and the newest loss; on a terminal only."""
    if not sys.stdout.isatty():
        yield from range(steps)
        return
    start = shown = time.monotonic()
    for step in range(steps):
        yield step
        now, done = time.monotonic(), step + 1
        if now - shown > 0.1 or done == steps:
            shown = now
            bar = "█" * (30 * done // steps)
            left = (now - start) / done * (steps - done)
            loss = f"  loss {losses[-1]:.4g}" if losses else ""
            print(f"\r{bar:░<30} {done}/{steps}  {left:.0f} s left{loss}\033[K", end="", flush=True)
    print("\r\033[K", end="")


def report(rows: int = 10, **columns: Sequence[float]) -> None:
    """A table with a few of the steps, evenly spread, the first and the last among them."""
    steps = len(next(iter(columns.values())))
    for step in np.unique(np.linspace(0, steps - 1, min(rows, steps)).round().astype(int)):
        numbers = (f"{name} {values[step] + 0.0:<12.6g}" for name, values in columns.items())
        print("  ".join([f"step {step:5d}", *numbers]).rstrip())


def write_png(path: str, pixels: np.ndarray) -> None:
    """Write a picture of shape (height, width, 3), or (height, width) if it is grey, with values from 0 to 1."""
    data = (np.clip(pixels, 0, 1) * 255).round().astype(np.uint8)
    height, width = data.shape[:2]
    lines = b"".join(b"\0" + line.tobytes() for line in data)  # 0: the line is stored unfiltered
    header = struct.pack(">IIBBBBB", width, height, 8, 2 if data.ndim == 3 else 0, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        for kind, content in ((b"IHDR", header), (b"IDAT", zlib.compress(lines)), (b"IEND", b"")):
            checksum = zlib.crc32(kind + content)
            file.write(struct.pack(">I", len(content)) + kind + content + struct.pack(">I", checksum))
