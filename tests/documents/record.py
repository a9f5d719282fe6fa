"""Run the programs beside this file, and record what PyTorch prints: ``python -m tests.documents.record``.

Needs the oracle (torch==2.13.0). Writes ``golden/<program>.txt``, with which the tests compare facula.
A program sees the library as ``torch`` and prints; addresses are masked, and warnings are listed at the end.
"""

from __future__ import annotations

import contextlib
import io
import re
import warnings
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
GOLDEN = HERE / "golden"
PROGRAMS = ("basics", "breadcrumbs", "deep_dive", "drawing", "grad_fn", "representation")


def output_of(program: str, library: Any) -> str:
    """What a program prints when ``torch`` is this library."""
    path = HERE / f"{program}.py"
    library.manual_seed(0)
    printed = io.StringIO()
    with warnings.catch_warnings(record=True) as seen, contextlib.redirect_stdout(printed):
        warnings.simplefilter("always", UserWarning)
        exec(compile(path.read_text(), str(path), "exec"), {"torch": library, "__name__": program})
    lines = [re.sub(r"0x[0-9a-f]+", "0x...", printed.getvalue())]
    lines += [f"{w.category.__name__}: {str(w.message).splitlines()[0][:120]}\n" for w in seen]
    return "".join(lines)


def golden(program: str) -> str:
    return (GOLDEN / f"{program}.txt").read_text()


def main() -> None:
    import torch

    GOLDEN.mkdir(exist_ok=True)
    for program in PROGRAMS:
        (GOLDEN / f"{program}.txt").write_text(output_of(program, torch))
        print(f"{program}.txt")


if __name__ == "__main__":
    main()
