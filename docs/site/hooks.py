"""What mkdocs does besides: the reference and the page of names are written from facula itself.

Nothing of it is kept in files. Links of pages to what is not part of the site, sources and tests, become plain text.
"""

from __future__ import annotations

import importlib
import inspect
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from facula import docstrings

ROOT = Path(__file__).parent.parent.parent

REFERENCE = {
    "torch": "facula", "tensor": "facula.Tensor", "nn": "facula.nn", "nn-functional": "facula.nn.functional",
    "optim": "facula.optim", "optim-lr-scheduler": "facula.optim.lr_scheduler",
    "optim-swa-utils": "facula.optim.swa_utils", "nn-init": "facula.nn.init", "nn-utils": "facula.nn.utils",
    "linalg": "facula.linalg", "fft": "facula.fft", "special": "facula.special",
    "func": "facula.func", "autograd": "facula.autograd", "utils-data": "facula.utils.data",
    "distributions": "facula.distributions",
}  # fmt: skip


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that are written from facula."""
    from mkdocs.structure.files import File  # which runs this

    pages = {page: reference(page, path) for page, path in REFERENCE.items()}
    for name, text in (pages | {"is-it-there": is_it_there()}).items():
        files.append(File.generated(config, f"api/{name}.md", content=text))
    worker = (Path(__file__).parent / "iframe-worker.js").read_text(encoding="utf-8")
    files.append(File.generated(config, "assets/iframe-worker.js", content=worker))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links out of the site as plain text."""
    folder = posixpath.dirname(page.file.src_uri)

    def kept(link: re.Match[str]) -> str:
        leads_out = posixpath.normpath(posixpath.join(folder, link[2])).startswith("..")
        return link[1] if leads_out else link[0]

    return re.sub(r"(?<!!)\[([^\]]+)\]\(([^):]+)\)", kept, markdown)


def owner_of(path: str) -> Any:
    if path == "facula.Tensor":
        return importlib.import_module("facula").Tensor
    return importlib.import_module(path)


def public(owner: Any) -> Iterator[tuple[str, Any]]:
    """The functions, classes and properties of a module, or of a class, in order of the alphabet."""
    names = dir(owner) if isinstance(owner, type) else getattr(owner, "__all__", None) or dir(owner)
    for name in sorted(names):
        if not name.startswith("_"):
            getattr(owner, name)
            value = inspect.getattr_static(owner, name) if isinstance(owner, type) else getattr(owner, name)
            if (callable(value) or isinstance(value, property)) and (not isinstance(owner, type) or name[-1] != "_"):
                yield name, value


def reference(page: str, path: str) -> str:
    """The page of a module: signature, meaning, shapes, node and example of everything public."""
    owner = owner_of(path)
    shown = path.replace("facula", "torch", 1)
    first = 2 if page in ("torch", "tensor", "nn") else 1
    about = formatted(inspect.cleandoc(owner.__doc__ or ""))
    parts = [f"---\nsearch: {{boost: {first}}}\n---\n# {shown}\n\n{about}\n\n{EXAMPLES}\n"]
    for name, value in public(owner):
        prefix = f"{path.removeprefix('facula').lstrip('.')}.".lstrip(".")
        told = inspect.cleandoc(value.__doc__ or "")
        more = docstrings.texts().get(f"{prefix}{name}", "")
        text = told if not more or more in told else f"{told}\n\n{more}"
        called = signature(f"{shown}.{name}", value)
        parts.append(f"## {name}\n\n``` {{ .text data-search-exclude }}\n{called}\n```\n\n{formatted(text)}\n")
    return "\n".join(parts)


EXAMPLES = "In the examples, `torch` is facula, `nn` is `torch.nn` and `F` is `torch.nn.functional`."


class Told(str):
    """An annotation as it stands in the source, without quotes around it."""

    def __repr__(self) -> str:
        return str(self)


def signature(name: str, value: Any) -> str:
    """How something is called; on several lines if it is long."""
    if not callable(value):
        return name
    try:
        told = inspect.signature(value)
    except (TypeError, ValueError):
        return f"{name}(...)"
    returned = told.empty if isinstance(value, type) else plain(told.return_annotation)
    parameters = [p.replace(annotation=plain(p.annotation)) for p in told.parameters.values()]
    shown = str(told.replace(parameters=parameters, return_annotation=returned))
    if len(name + shown) < 80 or len(parameters) < 2:
        return name + shown
    end = shown.rindex(")")
    one_each = [f"    {part},\n" for part in re.split(r", (?=\*|/|\w+(?:: |=|, |$))", shown[1:end])]
    return f"{name}(\n{''.join(one_each)}{shown[end:]}"


def plain(annotation: Any) -> Any:
    return Told(annotation) if isinstance(annotation, str) else annotation


def formatted(text: str) -> str:
    """A docstring as Markdown: examples in blocks, names in single backticks."""
    prose, mark, example = text.partition(">>> ")
    prose = prose.replace("``", "`").replace("<", "&lt;").replace("::\n", ":\n")
    return f"{prose}\n\n```pycon\n{mark}{example}\n```" if mark else prose


def is_it_there() -> str:
    """A table of every public name of PyTorch 2.13, and whether facula has it."""
    lines = ["# Is it there?\n", "Every public name of PyTorch 2.13, by module, and what of it facula has.\n"]
    for line in (ROOT / "tests/data/pytorch_names.txt").read_text(encoding="utf-8").splitlines():
        module, _, names = line.partition(": ")
        try:
            owner = owner_of(f"facula.{module}".rstrip(".")) if module else owner_of("facula")
        except ImportError:
            owner = None
        there = [name for name in names.split() if is_there(owner, name)]
        absent = [name for name in names.split() if name not in there]
        title = f"torch.{module}".rstrip(".")
        lines.append(f"## {title}\n\n{len(there)} of {len(there) + len(absent)}.\n")
        for what, listed in (("There", there), ("Not there", absent)):
            if listed:
                lines.append(f"**{what}:** {', '.join(f'`{name}`' for name in listed)}\n")
    return "\n".join(lines)


def is_there(owner: Any, name: str) -> bool:
    try:
        return owner is not None and hasattr(owner, name)
    except Exception:  # modules that only answer "no"
        return False
