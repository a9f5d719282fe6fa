"""Write what the examples of docstrings print, their shapes and nodes: ``python -m tests.docstrings``.

The texts are in ``src/facula/docstrings``. An entry is written as a line of names, what there is to say, and statements
after ``>>>``, longer ones with further lines after ``...``; the rest is found by running them.
"""

from __future__ import annotations

import ast
import contextlib
import io
import re
from collections.abc import Callable, Iterator
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
        statements = [m[0][4:].replace("\n... ", "\n") for m in _STATEMENT.finditer(text)]
        yield Entry(head.split(), meaning, statements, text.strip())


_STATEMENT = re.compile(r"^>>> .*(?:\n\.\.\. .*)*", re.MULTILINE)


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


def example(torch: Any, statements: list[str]) -> str:
    """The statements and what they print, as in a Python prompt."""
    lines = []
    for statement, output in zip(statements, shown(torch, statements)):
        lines += [">>> " + statement.replace("\n", "\n... "), *([output] if output else [])]
    return "\n".join(lines)


def facts(library: Any, names: list[str], statements: list[str]) -> str:
    """The shapes and the nodes of what the example calls."""
    classes = [value for name in names if isinstance(value := named(library, name), type)]
    for torch in (_Leaves(library), library):
        space = space_of(torch)
        silent = contextlib.redirect_stdout(io.StringIO())
        with contextlib.suppress(Exception), silent, recorded(library, classes) as calls:
            for statement in statements:
                exec(statement, space)
        if batch := next((v for v in space.values() if classes and is_distribution(v, classes[0])), None):
            return f"Shapes: batch {tuple(batch.batch_shape)}, event {tuple(batch.event_shape)}."
        wanted = {name.rpartition(".")[2] for name in names}
        wanted |= {getattr(named(library, name), "__name__", "") for name in names}
        own = [call for call in calls if call.name in wanted]
        if own:
            break
    else:
        return ""
    shapes = dict.fromkeys(f"{', '.join(call.given) or '()'} -> {', '.join(call.made)}" for call in own if call.made)
    composed = any(not issubclass(cls, library.nn.Module) for cls in classes)  # which PyTorch may compose otherwise
    known = torch is not library and not composed
    nodes = dict.fromkeys(call.node for call in own if call.made and call.differs and known)
    told = [f"Shapes: {'; '.join(shapes)}."] if any(call.given for call in own) and shapes else []
    return " ".join([*told, *([f"Node: {', '.join(nodes)}."] if nodes else [])])


def named(library: Any, name: str) -> Any:
    """What has a public name."""
    for part in name.split("."):
        library = getattr(library, part, None)
    return library


def is_distribution(value: Any, cls: type) -> bool:
    return isinstance(value, cls) and hasattr(value, "event_shape")


class Call(NamedTuple):
    name: str
    given: list[str]
    made: list[str]
    node: str
    differs: bool
    """Whether an argument requires a gradient."""


@contextlib.contextmanager
def recorded(library: Any, classes: list[type]) -> Iterator[list[Call]]:
    """The calls of public functions, and of instances of classes, that a block makes itself."""
    calls: list[Call] = []
    mode: Any = library.overrides.TorchFunctionMode

    class Recorder(mode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return noted(func.__name__, lambda: func(*args, **(kwargs or {})), [*args, *(kwargs or {}).values()])

    def noted(name: str, call: Callable[[], Any], arguments: list[Any]) -> Any:
        given = tensors(arguments)
        shapes = [str(tuple(t.shape)) for t in given]
        differs = any(t.requires_grad for t in given)
        result = call()
        made = tensors(result)
        node = next((t.grad_fn.name() for t in made if t.grad_fn is not None), "none")
        node = node.replace("torch::autograd::NotImplemented", "none")
        calls.append(Call(name, shapes, [str(tuple(t.shape)) for t in made], node, differs))
        return result

    def of_instances(cls: Any) -> None:
        call = cls.__call__
        cls.__call__ = lambda self, *args: noted(cls.__name__, lambda: call(self, *args), [*args])

    def tensors(value: Any) -> list[Any]:
        if isinstance(value, (list, tuple)):
            return [t for v in value for t in tensors(v)]
        return [value] if isinstance(value, library.Tensor) else []

    called = [cls for cls in classes if any("__call__" in vars(base) for base in cls.__mro__)]
    own = {cls: vars(cls).get("__call__") for cls in called}
    try:
        for cls in called:
            of_instances(cls)
        with Recorder():
            yield calls
    finally:
        for each, call in own.items():
            if call is None:
                del each.__call__
            else:
                setattr(each, "__call__", call)  # noqa: B010


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
        text = [entry.meaning, facts(facula, entry.names, entry.statements), example(facula, entry.statements)]
        parts.append("\n".join([f"\n== {' '.join(entry.names)}", "\n\n".join(filter(None, text))]).rstrip() + "\n")
    return "".join(parts)


if __name__ == "__main__":
    for file in sorted(ROOM.glob("*.txt")):
        file.write_text(written(file), encoding="utf-8")
