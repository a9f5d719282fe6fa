"""Small programs, one behaviour each: what they print, and the error that ends them.

They stand in ``programs/*.txt``, each below a line ``## its name``. ``torch`` is the library, ``nn``, ``F`` and
``fwAD`` are its ``nn``, ``nn.functional`` and ``autograd.forward_ad``; ``checkpoint`` is the function of
``utils.checkpoint``.
"""

from __future__ import annotations

import contextlib
import gc
import io
import warnings
from pathlib import Path
from typing import Any

from .observe import Case, case, warned


def _program(code: Any) -> Case:
    def run(torch: Any) -> Any:
        names = {
            "__name__": "program", "torch": torch, "nn": torch.nn, "F": torch.nn.functional, "warned": warned,
            "fwAD": torch.autograd.forward_ad, "checkpoint": torch.utils.checkpoint.checkpoint,
        }  # fmt: skip
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                exec(code, names)
            except Exception as e:
                return {"printed": printed.getvalue().splitlines(), "end": _told(e)}
            finally:
                gc.enable()  # which some of them switch off
        return {"printed": printed.getvalue().splitlines()}

    return case(run)


def _told(e: Exception) -> dict[str, str]:
    return {"raises": type(e).__name__, "message": str(e)}


for path in sorted(Path(__file__).parent.glob("programs/*.txt")):
    for text in path.read_text().split("## ")[1:]:
        title, _, program = text.partition("\n")
        name = f"{path.stem}_{title.strip()}"
        if name in globals():
            raise ValueError(f"two programs are called {name}")
        globals()[name] = _program(compile(program, f"{path.name}: {title}", "exec"))
