"""Write ``src/facula/_torch/reexports.py``: ``python -m tests.reexports``, beside PyTorch 2.13.0.

PyTorch's modules can be asked for what they import, too, and packages do so: ``from torch.distributions.normal import
Distribution``. The table says, for each public module that facula has, where it has such names itself.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
import textwrap
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import facula

FILE = Path(facula.__file__).parent / "_torch" / "reexports.py"

HEAD = '''"""What PyTorch's modules import and so have by name, and where it is: written by ``tests/reexports.py``.

``name=place`` is a module, ``name=place:attribute`` something of one; ``=place:attribute`` has its name.
"""

# fmt: off
from __future__ import annotations

from importlib import import_module
from typing import Any

REEXPORTS = {
'''

TAIL = '''}


def reexported(module: str, name: str) -> Any:
    """What one of PyTorch's modules has by a name because it imports it; raises AttributeError if it has none."""
    for entry in REEXPORTS.get(module, "").split():
        known, _, place = entry.partition("=")
        source, _, attribute = place.partition(":")
        if (known or attribute) == name:
            found = import_module(source)
            return getattr(found, attribute) if attribute else found
    raise AttributeError(name)
'''


def _imported(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except Exception:
        return None


def _text(value: Any, name: str) -> str:
    found = getattr(value, name, None)
    return found if isinstance(found, str) else ""


def _place(name: str, value: Any, torch: Any) -> str | None:
    """Where a value of PyTorch's is to be had, in the words of the table."""
    if isinstance(value, ModuleType):
        home = value.__name__
        if home.partition(".")[0] in sys.stdlib_module_names:
            return f"{name}={home}"
        twin = _imported("facula" + home.removeprefix("torch")) if home.partition(".")[0] == "torch" else None
        return None if twin is None else f"{name}={home}"
    try:
        home, known = _text(value, "__module__"), _text(value, "__name__") or name
    except Exception:  # an object that asks the GPU first
        return None
    if not home:
        home, known = "torch", name
    if home == "torch.return_types":  # whose names come with the operators
        return None
    if getattr(_imported(home), known, None) is not value:
        home, known = "torch", name
        if getattr(torch, name, None) is not value:
            return None
    if home.partition(".")[0] == "torch":
        twin = _imported("facula" + home.removeprefix("torch"))
        if twin is None or not hasattr(twin, known):
            return None
    elif home.partition(".")[0] not in sys.stdlib_module_names:
        return None
    return f"{'' if known == name else name}={home}:{known}"


def table() -> str:
    import torch

    lines = []
    for found in pkgutil.walk_packages(facula.__path__, "facula."):
        short = found.name.removeprefix("facula.")
        if any(part.startswith("_") for part in short.split(".")):
            continue
        theirs, ours = _imported(f"torch.{short}"), _imported(found.name)
        if theirs is None or ours is None:
            continue
        places = []
        for name in sorted(vars(theirs)):
            if name.startswith("__") or hasattr(ours, name):
                continue
            place = _place(name, vars(theirs)[name], torch)
            if place is not None and place != f"{name}=torch.{short}.{name}":
                places.append(place)
        if places:
            entry = f'"torch.{short}": """{" ".join(places)}""",'
            lines.append(textwrap.fill(
                entry, 118, initial_indent=" " * 4, subsequent_indent=" " * 8, break_long_words=False,
                break_on_hyphens=False,
            ))  # fmt: skip
    return HEAD + "\n".join(lines) + "\n" + TAIL


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    FILE.write_text(table())
