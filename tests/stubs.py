"""Write the stubs by which type checkers and editors know what is loaded late: ``python -m tests.stubs``.

Modules whose names come from families that are loaded when first asked for have a ``.pyi`` beside them, and Tensor has
its methods from ``_methods.pyi``. All is read from the functions themselves, their records and their examples. With
``--check`` the stubs that are out of date are named instead.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
import types
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import facula
from facula import _lazy, _lazy_names, overrides
from facula._core import dtypes, layouts

from . import docstrings

SOURCE = Path(__file__).parent.parent / "src"
MODULES = {
    "facula": "facula/__init__.pyi",
    "facula.nn": "facula/nn/__init__.pyi",
    "facula.nn.modules": "facula/nn/modules/__init__.pyi",
    "facula.nn.functional": "facula/nn/functional/__init__.pyi",
    "facula.nn.utils": "facula/nn/utils/__init__.pyi",
    "facula.utils": "facula/utils/__init__.pyi",
    "facula.linalg": "facula/linalg.pyi",
    "facula.fft": "facula/fft.pyi",
    "facula.special": "facula/special.pyi",
    "facula.return_types": "facula/return_types.pyi",
}
METHODS = "facula/_methods.pyi"

HEADER = "# Written by python -m tests.stubs.\n# ruff: noqa\n"

_IMPORTS = {
    "Any": "from typing import Any",
    "Callable": "from collections.abc import Callable",
    "Generator": "from facula._core.generator import Generator",
    "Iterable": "from collections.abc import Iterable",
    "Iterator": "from collections.abc import Iterator",
    "Sequence": "from collections.abc import Sequence",
    "Size": "from facula._core.size import Size",
    "Tensor": "from facula._tensor import Tensor",
    "TypedStorage": "from facula._core.storage import TypedStorage",
    "UntypedStorage": "from facula._core.storage import UntypedStorage",
    "builtins": "import builtins",
    "devices": "from facula._core import devices",
    "dtypes": "from facula._core import dtypes",
    "final": "from typing import final",
    "overload": "from typing import overload",
    "return_types": "from facula import return_types",
}
"""What annotations name, and where it is."""

_BUILT_IN = {"None", "bool", "int", "float", "complex", "str", "tuple", "list", "dict", "type", "object"}

_OUT = "out: Tensor | None = None"

_OVERLOADS = {
    name: [
        ("*, {out}", "Tensor"),
        ("dim: int, keepdim: bool = False, *, out: Any = None", f"return_types.{name}"),
        *([("other: Tensor, *, {out}", "Tensor")] if name in ("max", "min") else []),
    ]
    for name in ("max", "min", "median", "nanmedian")
}
"""Functions that return one thing or another: (parameters after the first, result)."""


def annotation(text: Any) -> str:
    """An annotation in builtin syntax; Any where it names what a stub does not know."""
    if text is inspect.Parameter.empty:
        return "Any"
    shown = text if isinstance(text, str) else getattr(text, "__name__", "Any")
    names = re.findall(r"[A-Za-z_]\w*", re.sub(r"(?<=\w)\.\w+", "", shown))
    return shown if all(name in _IMPORTS or name in _BUILT_IN for name in names) else "Any"


def default(value: Any) -> str:
    if value is None or isinstance(value, (bool, int, str)):
        return repr(value)
    return repr(value) if isinstance(value, float) and value == value and abs(value) != float("inf") else "..."


@cache
def result_types() -> dict[str, set[str]]:
    """The types of what the functions of the docstrings' examples return."""
    found: dict[str, set[str]] = {}

    class Recorder(overrides.TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            result = func(*args, **(kwargs or {}))
            kind = type(result)
            name = f"return_types.{kind.__name__}" if kind.__module__ == "facula.return_types" else kind.__name__
            found.setdefault(getattr(func, "__name__", ""), set()).add(name)
            return result

    for file in sorted(docstrings.ROOM.glob("*.txt")):
        for entry in docstrings.entries(file):
            if isinstance(docstrings.named(facula, entry.names[0]), type):
                continue  # which may call functions in other ways
            with warnings.catch_warnings(), Recorder():
                warnings.simplefilter("ignore")
                docstrings.shown(facula, entry.statements)
    return found


def result(value: Any, name: str, shown: inspect.Signature) -> str:
    """What a function returns: as it says, or as in its examples if it does not say."""
    told = annotation(shown.return_annotation)
    if told != "Any":
        return told
    if name.endswith("_") and not name.startswith("__"):
        return "Tensor"
    kinds = result_types().get(getattr(value, "__name__", ""), set())
    kind = next(iter(kinds)) if len(kinds) == 1 else ""
    return kind if kind == "Tensor" or kind.startswith("return_types.") else "Any"


def written_def(name: str, value: Any, is_method: bool = False) -> Iterator[str]:
    """The lines of a function in a stub."""
    try:
        shown = inspect.signature(value)
    except (TypeError, ValueError):
        yield f"{name}: Any"
        return
    if name in _OVERLOADS:
        first = "self" if is_method else "input: Tensor"
        for parameters, returned in _OVERLOADS[name]:
            yield "@overload"
            yield f"def {name}({first}, {parameters.format(out=_OUT)}) -> {returned}: ..."
        return
    parts, keyword_only = [], False
    for i, p in enumerate(shown.parameters.values()):
        if is_method and i == 0 and p.kind is not p.VAR_POSITIONAL:
            parts.append("self")
            continue
        if p.kind is p.VAR_POSITIONAL:
            keyword_only = True
            parts.append(f"*{p.name}: {annotation(p.annotation)}")
            continue
        if p.kind is p.VAR_KEYWORD:
            parts.append(f"**{p.name}: {annotation(p.annotation)}")
            continue
        if p.kind is p.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            parts.append("*")
        given = "" if p.default is p.empty else f" = {default(p.default)}"
        parts.append(f"{p.name}: {annotation(p.annotation)}{given}")
        if p.kind is p.POSITIONAL_ONLY:
            parts.append("/")
    if not is_method and getattr(getattr(value, "record", None), "out", False) and "out" not in shown.parameters:
        at = len(parts) - any(part.startswith("**") for part in parts)
        out = "out: Any = None" if result(value, name, shown) != "Tensor" else _OUT
        parts[at:at] = [*([] if keyword_only else ["*"]), out]
    if is_method and "self" not in parts:
        parts.insert(0, "self")
    yield f"def {name}({', '.join(parts)}) -> {result(value, name, shown)}:"
    yield f"    {meaning(value)}"


def meaning(value: Any) -> str:
    """The body of a function in a stub: what it says first, for editors to show."""
    first = " ".join(inspect.cleandoc(value.__doc__ or "").partition("\n\n")[0].split())
    has_to_be_quoted = {'"', "\\"} & set(first)
    if not first or has_to_be_quoted or first.startswith((">>>", "Shapes: ")):
        return "..."
    return f'"""{first}"""'


# ---- modules


@cache
def definitions(module: str) -> set[str]:
    """What a module of facula's defines itself."""
    file = getattr(sys.modules[module], "__file__", None)
    tree = ast.parse(Path(file).read_text(encoding="utf-8")) if file else ast.Module([], [])
    return {node.name for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}


def home(name: str, value: Any) -> str | None:
    """The module that defines a class or function under this very name."""
    places = [getattr(value, "__module__", None) or "", *sorted(sys.modules)]
    for place in places:
        module = sys.modules.get(place)
        if not place.startswith("facula") or module is None or not is_typed(module):
            continue
        if vars(module).get(name) is value and name in definitions(place):
            return place
    return None


def is_typed(module: types.ModuleType) -> bool:
    """Whether type checkers find a module: not on paths that are added when facula runs."""
    file = Path(getattr(module, "__file__", None) or "")
    return file.is_relative_to(Path(facula.__file__).parent) and {"absent", "_old_paths"}.isdisjoint(file.parts)


def is_operator(value: Any) -> bool:
    is_one = hasattr(value, "record") or hasattr(value, "primitive") or hasattr(value, "documented")
    return is_one and not isinstance(value, type)


def line(module: str, name: str, value: Any) -> Iterator[str]:
    """The lines that declare a name of a module."""
    if isinstance(value, types.ModuleType):
        if is_typed(value):
            yield f"from {value.__name__.rpartition('.')[0]} import {name} as {name}"
        else:
            yield f"{name}: Any"
    elif isinstance(value, type) and type(value).__name__ in ("LegacyMeta", "_LegacyStorageMeta"):
        base = "Tensor" if type(value).__name__ == "LegacyMeta" else "TypedStorage"
        if base == "Tensor":
            yield "@final"
        yield f"class {name}({base}):"
        yield "    def __init__(self, *args: Any, **kwargs: Any) -> None: ..."
    elif callable(value) and not is_operator(value) and (place := home(name, value)) and place != module:
        yield f"from {place} import {name} as {name}"
    elif inspect.isroutine(value) or is_operator(value):
        yield from written_def(name, value)
    elif isinstance(value, (dtypes.dtype, layouts.layout, layouts.memory_format, bool, int, float, str)):
        yield f"{name}: {type(value).__name__}"
    else:
        yield f"{name}: Any"


def names_of(module: str) -> list[str]:
    owner = importlib.import_module(module)
    listed = {n for n in dir(owner) if not n.startswith("_")} | set(getattr(owner, "__all__", ()))
    own = vars(facula)
    late = {"__version__", *_lazy.FUNCTIONS, *own["_NAMES"], *own["_SUBMODULES"]} - {"__future__"}
    more = late if module == "facula" else set()
    return sorted((listed | more) - {"Any", "FunctionType", "annotations", "import_module"})


def module_stub(module: str) -> str:
    owner = importlib.import_module(module)
    if module == "facula.return_types":
        return _return_types()
    lines = ["__all__: list[str]"] if hasattr(owner, "__all__") else []
    for name in names_of(module):
        try:
            value = getattr(owner, name)
        except (AttributeError, ImportError):
            continue
        lines += line(module, name, value)
    return finished(lines)


def finished(lines: list[str]) -> str:
    """A stub with the imports that it needs."""
    lines = "\n".join(lines).splitlines()
    told = [line for line in lines if line.lstrip().startswith(_QUOTES)]
    text = "\n".join(_QUOTES if line in told else line for line in lines)
    for word in sorted(_BUILT_IN - {"None"}):
        if re.search(rf"^ *(?:def {word}\(|{word}: )", text, re.M):  # which hides Python's own
            text = re.sub(rf"(?<=[:|>\[,] ){word}\b|(?<=\[){word}\b", f"builtins.{word}", text)
    used = [m for word, m in _IMPORTS.items() if re.search(rf"\b{word}\b", re.sub(r"^from .*$", "", text, flags=re.M))]
    declared = {m[1] for m in re.finditer(r" as (\w+)$|^class (\w+)", text, re.M) if m[1]}
    used = [m for m in used if m.rpartition(" ")[2] not in declared]
    meanings = iter(told)
    text = re.sub(rf"^{_QUOTES}$", lambda _: next(meanings), text, flags=re.M)
    return "\n".join([HEADER + "\n".join(sorted(used)), "", text, ""])


_QUOTES = '"' * 3
"""What the docstrings of a stub, lines of their own, begin with."""


def _return_types() -> str:
    lines = [
        "class Result(tuple[Any, ...]):", "    n_fields: int", "    __match_args__: tuple[str, ...]",
        "    out: type[Result]",
        "    def __new__(cls, sequence: Any = (), extra: dict[str, Any] | None = None) -> Result: ...",
        "all_return_types: list[type[Result]]", "def define(name: str, *fields: str) -> type[Result]: ...",
    ]  # fmt: skip
    for cls in sorted(facula.return_types.all_return_types, key=lambda cls: cls.__name__):
        lines.append(f"class {cls.__name__}(Result):")
        lines += [f"    @property\n    def {field}(self) -> Tensor: ..." for field in cls.__match_args__]
    return finished(lines)


# ---- methods


_BINARY = re.compile(
    r"__(?:i|r)?(?:add|sub|mul|truediv|div|floordiv|mod|pow|matmul|and|or|xor|lshift|rshift)__|__[lg][te]__"
)


def methods_stub() -> str:
    lines = ["class Methods:"]
    for name in sorted(n for table in _lazy_names.METHODS.values() for n in table.split()):
        getattr(facula.Tensor, name)
        value = inspect.getattr_static(facula.Tensor, name)
        if isinstance(value, property):
            told = annotation(inspect.signature(value.fget).return_annotation) if value.fget is not None else "Any"
            lines += ["    @property", f"    def {name}(self) -> {told}: ..."]
            if value.fset is not None:
                lines += [f"    @{name}.setter", f"    def {name}(self, value: Any) -> None: ..."]
        elif name in ("__eq__", "__ne__"):
            lines.append(f"    def {name}(self, other: Any) -> Tensor: ...  # type: ignore[override]")
        elif _BINARY.fullmatch(name):
            lines.append(f"    def {name}(self, other: Any) -> Tensor: ...")
        elif name in ("__neg__", "__pos__", "__invert__", "__abs__"):
            lines.append(f"    def {name}(self) -> Tensor: ...")
        elif callable(value):
            lines += [f"    {text}" for text in written_def(name, value, is_method=True)]
        else:
            lines.append(f"    {name}: Any")
    return finished(lines)


def stubs() -> Iterator[tuple[Path, str]]:
    _lazy.load_all()
    for module, file in MODULES.items():
        yield SOURCE / file, module_stub(module)
    yield SOURCE / METHODS, methods_stub()


if __name__ == "__main__":
    for path, text in stubs():
        if "--check" not in sys.argv:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            print(path.relative_to(SOURCE))
