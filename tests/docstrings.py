"""Write what the examples of docstrings print, their shapes and nodes: ``python -m tests.docstrings``.

The texts are in ``src/facula/docstrings``. An entry is written as a line of names, what there is to say, and statements
after ``>>>``; the rest is found by running them.
"""

from __future__ import annotations

import ast
import contextlib
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOM = Path(__file__).parent.parent / "src" / "facula" / "docstrings"
MAKERS = ("arange", "eye", "ones", "tensor", "zeros")
"""Functions whose results are leaves when the nodes of examples are looked for."""

HEADER = "Docstrings; see __init__.py. Outputs, shapes and nodes: python -m tests.docstrings\n"


class Entry(NamedTuple):
    names: list[str]
    meaning: str
    statements: list[str]
    text: str
    """All of it, as it stands in the file."""


def entries(path: Path) -> Iterator[Entry]:
    for part in path.read_text(encoding="utf-8").split("\n== ")[1:]:
        head, _, text = part.partition("\n")
        meaning = re.split(r"^(?:Shapes|Node|>>>)", text, maxsplit=1, flags=re.MULTILINE)[0].strip()
        statements = [line[4:] for line in text.splitlines() if line.startswith(">>> ")]
        yield Entry(head.split(), meaning, statements, text.strip())


def space_of(torch: Any) -> dict[str, Any]:
    return {"torch": torch, "F": torch.nn.functional, "nn": torch.nn}


def shown(torch: Any, statements: list[str]) -> list[str]:
    """What a Python prompt prints after each statement."""
    space, printed = space_of(torch), []
    for statement in statements:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(ast.Interactive(ast.parse(statement).body), "<example>", "single"), space)
        printed.append(out.getvalue().rstrip())
    return printed


def facts(library: Any, names: list[str], statements: list[str]) -> str:
    """The shapes and the nodes of what the example calls."""
    for torch in (_Leaves(library), library):
        with contextlib.suppress(Exception), contextlib.redirect_stdout(io.StringIO()), recorded(library) as calls:
            space = space_of(torch)
            for statement in statements:
                exec(statement, space)
        wanted = {name.rpartition(".")[2] for name in names} | {own_name(library, name) for name in names}
        own = [call for call in calls if call.name in wanted]
        if own:
            break
    else:
        return ""
    shapes = dict.fromkeys(f"{', '.join(call.given) or '()'} -> {', '.join(call.made)}" for call in own if call.made)
    nodes = dict.fromkeys(call.node for call in own if call.made and call.differs and torch is not library)
    told = [f"Shapes: {'; '.join(shapes)}."] if any(call.given for call in own) and shapes else []
    return " ".join([*told, *([f"Node: {', '.join(nodes)}."] if nodes else [])])


def own_name(library: Any, name: str) -> str:
    """What a public function calls itself."""
    value = library
    for part in name.split("."):
        value = getattr(value, part, None)
    return getattr(value, "__name__", "")


class Call(NamedTuple):
    name: str
    given: list[str]
    made: list[str]
    node: str
    differs: bool
    """Whether an argument requires a gradient."""


@contextlib.contextmanager
def recorded(library: Any) -> Iterator[list[Call]]:
    """The calls of public functions that a block makes itself."""
    calls: list[Call] = []
    mode: Any = library.overrides.TorchFunctionMode

    class Recorder(mode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            given = tensors([*args, *(kwargs or {}).values()])
            shapes = [str(tuple(t.shape)) for t in given]
            differs = any(t.requires_grad for t in given)
            result = func(*args, **(kwargs or {}))
            made = tensors(result)
            node = next((t.grad_fn.name() for t in made if t.grad_fn is not None), "none")
            node = node.replace("torch::autograd::NotImplemented", "none")
            calls.append(Call(func.__name__, shapes, [str(tuple(t.shape)) for t in made], node, differs))
            return result

    def tensors(value: Any) -> list[Any]:
        if isinstance(value, (list, tuple)):
            return [t for v in value for t in tensors(v)]
        return [value] if isinstance(value, library.Tensor) else []

    with Recorder():
        yield calls


class _Leaves:
    """A library with leaves that require gradients wherever they can."""

    def __init__(self, library: Any) -> None:
        self._library = library

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._library, name)
        if name not in MAKERS:
            return value

        def make(*args: Any, **kwargs: Any) -> Any:
            made = value(*args, **kwargs)
            return made.requires_grad_() if made.dtype.is_floating_point or made.dtype.is_complex else made

        return make


def written(path: Path) -> str:
    """The text of a file as it should be."""
    import facula

    parts = [HEADER]
    for entry in entries(path):
        lines = []
        for statement, output in zip(entry.statements, shown(facula, entry.statements)):
            lines += [f">>> {statement}", *([output] if output else [])]
        text = [entry.meaning, facts(facula, entry.names, entry.statements), "\n".join(lines)]
        parts.append("\n".join([f"\n== {' '.join(entry.names)}", "\n\n".join(filter(None, text))]).rstrip() + "\n")
    return "".join(parts)


if __name__ == "__main__":
    for file in sorted(ROOM.glob("*.txt")):
        file.write_text(written(file), encoding="utf-8")
