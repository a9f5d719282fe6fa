"""Write what PyTorch's functions take, as it tells itself: ``python -m tests.signatures``.

PyTorch names all forms of a function when none of them fits a call. Where there is one form only, its schema has it.
With ``--check`` nothing is written, and the file is said to be out of date if it is.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

import facula
from facula.ops.machine.handed import natives

FILE = Path(__file__).parent.parent / "src/facula/ops/machine/signatures.txt"
ROOMS = {"_VariableFunctions": "", "_nn": "", "_linalg": "linalg_", "_special": "special_", "_fft": "fft_"}
"""Where PyTorch keeps its functions, and how their names begin there."""

_KINDS = {
    "Scalar": "Number", "number": "Number", "ScalarType": "torch.dtype", "Layout": "torch.layout",
    "Device": "torch.device", "MemoryFormat": "torch.memory_format", "Generator": "torch.Generator",
    "List[Tensor]": "Tensors", "List[int]": "ints", "List[float]": "floats", "List[number]": "Numbers",
}  # fmt: skip
CASTS = "bfloat16 bool byte cdouble cfloat char cpu double float half int long short"
"""Methods that have no schema."""

WRITTEN = {
    ".new_tensor": "object data, *, torch.dtype? dtype=, torch.device? device=, bool requires_grad=",
    ".numpy": "*, bool force=",
    "as_tensor": "object data, *, torch.dtype? dtype=, torch.device? device=",
    "asarray": "object obj, *, torch.dtype? dtype=, torch.device? device=, bool? copy=, bool? requires_grad=",
    "frombuffer": "object buffer, *, torch.dtype dtype, int count=, int offset=, bool requires_grad=",
    "nonzero": "Tensor input, *, bool as_tuple=, Tensor? out=",
    "tensor": "object data, *, torch.dtype? dtype=, torch.device? device=, bool pin_memory=, bool? requires_grad=",
}
"""Functions whose forms are told nowhere."""

OPERANDS = {
    f"{name}{mark}"
    for name in "add sub subtract mul multiply div divide true_divide floor_divide".split()
    for mark in ("", "_")
}
"""Functions that take numbers in place of tensors."""

_SAID = {"tuple of ints": "ints", "tuple of Tensors": "Tensors", "tuple of floats": "floats",
         "tuple of Scalars": "Numbers"}  # fmt: skip


def written() -> Iterator[str]:
    """The lines of the file."""
    import torch

    known: dict[str, list[str]] = {}
    handed = natives()
    for room in ROOMS:
        space = getattr(torch._C, room)
        for name in sorted(vars(space) if room != "_VariableFunctions" else dir(space)):
            fn = getattr(space, name)
            is_asked = name in handed or is_plain(torch, name, fn)
            if not name.startswith("__") and name not in known and is_asked:
                told = forms(torch, name, fn, [object()] * 60)
                known[name] = [WRITTEN[name]] if name in WRITTEN else list(told)
                yield from (f"{name}({operands(name, line)})" for line in known[name])
    for name in sorted(dir(torch._C.TensorBase)):
        fn = getattr(torch._C.TensorBase, name)
        is_same = getattr(torch.Tensor, name) is fn and hasattr(facula.Tensor, name)
        if name.startswith("__") or not callable(fn) or not is_same:
            continue
        told = forms(torch, name, fn, [torch.ones(()), *[object()] * 60])
        lines = [WRITTEN[f".{name}"]] if f".{name}" in WRITTEN else list(told)
        if [*map(shape, lines)] != [*map(shape, filter(None, map(as_method, known.get(name, ()))))]:
            yield from (f".{name}({operands(name, line)})" for line in lines)
    yield from (f".{name}(*, torch.memory_format? memory_format=)" for name in CASTS.split())


def operands(name: str, form: str) -> str:
    return form.replace("Tensor ", "Tensor+ ") if name in OPERANDS else form


def as_method(form: str) -> str | None:
    """What is left of a function's form for the method."""
    parts = form.split(", ")
    if "Tensor input" not in parts:
        return None
    rest = [part for part in parts if part != "Tensor input" and " out=" not in part]
    return ", ".join(rest[:-1] if rest[-1:] == ["*"] else rest)


def shape(form: str) -> str:
    """A form without the values of what is left out: PyTorch tells them where it has several forms."""
    return re.sub(r"=(?:\{.*?\}|[^,]*)", "=", form)


def is_plain(torch: Any, name: str, fn: Any) -> bool:
    """Whether users call it by this name, and not a function in Python around it; and facula has it."""
    shown = getattr(torch, name, None) or getattr(torch.nn.functional, name, None)
    if not callable(fn) or isinstance(shown, FunctionType):
        return False
    room, _, bare = name.partition("_")
    spaces = (facula, facula.Tensor, facula.nn.functional)
    return any(hasattr(space, name) for space in spaces) or hasattr(getattr(facula, room, None), bare)


def forms(torch: Any, name: str, fn: Any, given: list[Any]) -> Iterator[str]:
    schemas = [s for s in torch._C._jit_get_schemas_for_operator(f"aten::{name}") if is_ours(torch, s, given)]
    try:
        fn(*given)
    except Exception as e:
        text = str(e)
    else:
        return
    listed = re.findall(r"^ \* \((.*)\)$", text, re.M) or re.findall(r"but expected \((.*)\)", text)
    if listed:
        for form in listed:
            yield ", ".join(parameter(torch, said, schemas) for said in form.split(", ") if said)
        return
    takes = re.search(r"takes (?:from (\d+) to )?(\d+) positional argument", text)
    if takes:
        most = int(takes[2]) + (isinstance(given[0], torch.Tensor))
        fitting = [s for s in schemas if sum(not a.kwarg_only for a in s.arguments) == most]
        tensors = [s for s in fitting if not any(_kind(a, s)[0] == "Number" for a in s.arguments[:2])]
        if fitting:
            given_outs = [[a for a in s.arguments if a.is_out] for s in schemas_of(torch, name)]
            outs = max(sum(1 + ("List" in str(a.type)) for a in each) for each in given_outs)
            yield of_schema((tensors or fitting)[0], given, 0 if name.endswith("_") else outs)


def schemas_of(torch: Any, name: str) -> list[Any]:
    return list(torch._C._jit_get_schemas_for_operator(f"aten::{name}"))


def is_ours(torch: Any, schema: Any, given: list[Any]) -> bool:
    """Not for results that are given, nor one of TorchScript's for lists and numbers."""
    kinds = [str(a.type) for a in schema.arguments]
    if any(a.is_out for a in schema.arguments) or "t" in kinds or "str" in kinds[:1]:
        return False
    return not isinstance(given[0], torch.Tensor) or kinds[:1] == ["Tensor"]


def _kind(argument: Any, schema: Any) -> tuple[str, bool]:
    kind = str(argument.real_type)
    nullable = kind.startswith("Optional[")
    kind = kind.removeprefix("Optional[").removesuffix("]") if nullable else kind
    kind = kind.replace("List[SymInt", "List[int").replace("Optional[Tensor]", "Tensor")
    kind = _KINDS.get(kind, kind)
    if kind == "int" and re.search(rf"SymInt\?? {argument.name}\b", str(schema)):
        kind = "SymInt"
    left_out = argument.has_default_value() and argument.default_value == []
    return f"{kind}{argument.N or ''}", nullable or left_out


def of_schema(schema: Any, given: list[Any], outs: int) -> str:
    """A schema as a form. What makes tensors takes ``requires_grad`` as well, and what computes ``out``."""
    shown, keyword_only = [], False
    arguments = schema.arguments[isinstance(given[0], object) and type(given[0]).__name__ == "Tensor" :]
    for a in arguments:
        if a.kwarg_only and not keyword_only:
            keyword_only = True
            shown.append("*")
        kind, nullable = _kind(a, schema)
        name = "input" if a.name == "self" else a.name
        shown.append(f"{kind}{'?' * nullable} {name}{'=' * a.has_default_value()}")
    if any(a.name == "pin_memory" for a in arguments):
        shown.append("bool? requires_grad=")
    if outs:
        shown += [*([] if keyword_only else ["*"]), f"Tensor{'s' * (outs > 1)}? out="]
    return ", ".join(shown)


def parameter(torch: Any, said: str, schemas: list[Any]) -> str:
    """A parameter as PyTorch prints it, with what it does not print: None and single numbers in place of lists."""
    if said == "*":
        return said
    said, equals, default = said.partition(" = ")
    kind, _, name = said.rpartition(" ")
    kind = _SAID.get(kind, kind)
    own = [_kind(a, s) for s in schemas for a in s.arguments if a.name == ("self" if name == "input" else name)]
    same = [k for k in own if k[0].rstrip("0123456789").replace("SymInt", "int") == kind]
    if same:
        kind = max(k for k, _ in same)
    nullable = any(n for _, n in same) or default == "None" or name == "requires_grad"
    return f"{kind}{'?' * nullable} {name}{'=' * bool(equals)}{default}"


def main() -> None:
    lines = list(written())
    if "--check" in sys.argv:
        if FILE.read_text().splitlines() != lines:
            raise SystemExit(f"{FILE.name} is out of date: python -m tests.signatures")
        return
    FILE.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
