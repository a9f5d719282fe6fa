"""Write ``src/facula/_lazy_names.py``: ``python -m tests.lazy_names``, after an operator got a new name or a new file.

Every module of operators is loaded, without any promise, and what it adds to the functions, to ``nn.functional``, to
``linalg``, to Tensor and to the namespaces of derivative rules is written down. With ``--print`` the table goes to
standard output instead of into the file.
"""

from __future__ import annotations

import sys
import textwrap
from importlib import import_module
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

SOURCE = Path(__file__).parent.parent / "src" / "facula"
FILE = SOURCE / "_lazy_names.py"

HEADER = '''"""Which module provides which names. Written by ``python -m tests.lazy_names``, for ``_lazy``."""

# fmt: off
from __future__ import annotations
'''


def module_names() -> list[str]:
    """The modules that are loaded when one of their names is asked for, without ``facula.``"""
    files = [path.relative_to(SOURCE).with_suffix("") for path in (SOURCE / "ops").rglob("[!_]*.py")]
    return ["_core.storage", *sorted(".".join(file.parts) for file in files)]


def provided() -> dict[str, dict[str, str]]:
    """The module of every function, method and primitive. Needs a process that has not imported facula yet."""
    table: Any = ModuleType("facula._lazy_names")
    table.FUNCTIONS = table.FUNCTIONALS = table.LINALG = table.METHODS = table.PRIMITIVES = {}
    sys.modules[table.__name__] = table
    import facula
    from facula.ops.machine import namespaces, public

    places: dict[str, Any] = {
        "FUNCTIONS": public.FUNCTIONS,
        "FUNCTIONALS": public.FUNCTIONALS,
        "LINALG": public.LINALG,
        "METHODS": vars(facula.Tensor),
        "PRIMITIVES": vars(namespaces.TENSORS),
    }
    found = {kind: dict.fromkeys(names, "facula itself") for kind, names in places.items()}
    seen = {kind: dict(names) for kind, names in places.items()}

    def load_and_look(loader: SourceFileLoader, module: ModuleType) -> None:
        load(loader, module)  # what this one imports is loaded, and looked at, within
        for kind, names in places.items():
            for name, value in names.items():
                if name in found[kind] and seen[kind][name] is not value:
                    raise SystemExit(f"{found[kind][name]} and {module.__name__} both provide {name}")
                found[kind].setdefault(name, module.__name__.removeprefix("facula."))
                seen[kind][name] = value

    load = SourceFileLoader.exec_module
    SourceFileLoader.exec_module = load_and_look  # type: ignore[method-assign, assignment]
    for name in module_names():
        import_module(f"facula.{name}")
    return {kind: {n: m for n, m in names.items() if m != "facula itself"} for kind, names in found.items()}


def table() -> str:
    """The source of ``_lazy_names``."""
    parts = [HEADER]
    for kind, names in provided().items():
        parts.append(f"\n{kind} = {{\n")
        for module in sorted(set(names.values())):
            listed = textwrap.wrap(" ".join(sorted(n for n, m in names.items() if m == module)), 108)
            parts.append(f'    "{module}": (\n')
            parts += [f'        "{line}{" " * (line is not listed[-1])}"\n' for line in listed]
            parts.append("    ),\n")
        parts.append("}\n")
    return "".join(parts)


if __name__ == "__main__":
    if "--print" in sys.argv:
        print(table(), end="")
    else:
        FILE.write_text(table())
