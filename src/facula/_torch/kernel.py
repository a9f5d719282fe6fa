"""``facula kernel``: a kernel for Jupyter in which ``import torch`` is facula.

A kernel is a folder with a ``kernel.json`` where Jupyter looks for such folders; writing it takes nothing of Jupyter.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

USAGE = """usage: facula kernel install|remove [options]

A kernel for Jupyter, in whose notebooks `import torch` is facula.

  --user                 for you alone, in Jupyter's folder in your home; so it is if nothing is said
  --sys-prefix           for everybody who uses this Python
  --prefix FOLDER        in FOLDER/share/jupyter/kernels
  --name NAME            the folder of the kernel: facula, if nothing is said
  --display-name TEXT    what Jupyter shows
"""


def run(arguments: list[str]) -> int:
    """Write or remove a kernel; the exit code is 0, 1 if there is none to remove, or 2 if the command line is wrong."""
    if arguments[:1] in (["-h"], ["--help"]):
        print(USAGE, end="")
        return 0
    if arguments[:1] not in (["install"], ["remove"]):
        return _complain("kernel takes install or remove")
    prefix: Path | None = None
    name, shown = "facula", f"Python {sys.version_info.major} (facula)"
    rest = iter(arguments[1:])
    for option in rest:
        option, _, value = option.partition("=")
        if option in ("--prefix", "--name", "--display-name") and not value:
            value = next(rest, "")
        if option == "--prefix" and value:
            prefix = Path(value) / "share" / "jupyter"
        elif option == "--sys-prefix":
            prefix = Path(sys.prefix) / "share" / "jupyter"
        elif option == "--name" and value:
            name = value
        elif option == "--display-name" and value:
            shown = value
        elif option != "--user":
            return _complain(f"kernel {arguments[0]} does not know {option}, or lacks what belongs to it")
    if not re.fullmatch(r"[A-Za-z0-9._-]+", name) or not name.strip("."):
        return _complain(f"a kernel's name consists of letters, digits, '.', '-' and '_', not {name}")
    folder = (prefix or user_folder()) / "kernels" / name
    return install(folder, shown) if arguments[0] == "install" else remove(folder)


def user_folder() -> Path:
    """Where Jupyter looks for what belongs to a user."""
    if given := os.environ.get("JUPYTER_DATA_DIR"):
        return Path(given)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Jupyter"
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming") / "jupyter"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "jupyter"


def install(folder: Path, shown: str) -> int:
    """Write the kernel, over an older one of facula's, if there is one."""
    if (folder / "kernel.json").exists() and not _is_ours(folder):
        print(f"facula: {folder} is a kernel of another kind; choose another --name", file=sys.stderr)
        return 1
    launch = [sys.executable, "-m", "facula", "run", "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec = {"argv": launch, "display_name": shown, "language": "python", "metadata": {"debugger": True}}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "kernel.json").write_text(json.dumps(spec, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        print(f"facula: can't write the kernel: {error}", file=sys.stderr)
        return 1
    print(f"The kernel {shown!r} is in {folder}")
    if find_spec("ipykernel") is None:
        print("It needs ipykernel: pip install ipykernel")
    return 0


def remove(folder: Path) -> int:
    """Remove a kernel that ``install`` wrote."""
    if not _is_ours(folder):
        print(f"facula: there is no kernel of facula's in {folder}", file=sys.stderr)
        return 1
    shutil.rmtree(folder)
    print(f"The kernel in {folder} is removed")
    return 0


def _is_ours(folder: Path) -> bool:
    try:
        launch = json.loads((folder / "kernel.json").read_text(encoding="utf-8"))["argv"]
    except (OSError, ValueError, TypeError, KeyError):
        return False
    return isinstance(launch, list) and launch[1:4] == ["-m", "facula", "run"]


def _complain(message: str) -> int:
    print(f"facula: {message}\n\n{USAGE}", end="", file=sys.stderr)
    return 2
