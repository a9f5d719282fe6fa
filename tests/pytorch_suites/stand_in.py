"""facula as ``torch`` for PyTorch's tests: with PyTorch's ``torch.testing._internal``, and stand-ins for what it needs.

The tests' tools come from the installed PyTorch, as files: PyTorch itself is not loaded. What they or the tests name
while they are loaded and facula lacks is an ``Absent`` there, so that the file can be read; a test that uses it fails.
So are names that older tests import and the installed PyTorch lacks.
"""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Callable
from dis import opname
from functools import wraps
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import FrameType, ModuleType, SimpleNamespace
from typing import Any

TOOLS = ("torch.testing._internal", "torch.testing._comparison", "torch.utils._import_utils", "torch._vendor")
"""What is read from PyTorch's files, with what is below."""

GIVEN: dict[str, dict[str, Any]] = {
    "torch.backends": {
        "disable_global_flags": lambda: None,
        "quantized": SimpleNamespace(supported_engines=[], engine="none"),
        "python_native": SimpleNamespace(available_dsls=[]),
    },
    "torch.cpu": {"get_capabilities": dict, "_is_avx2_supported": lambda: True},
    "torch._C": {
        "_get_cpu_capability": lambda: "DEFAULT",
        "_TorchFunctionState": SimpleNamespace(ENABLED=0),
        "_get_torch_function_state": lambda: 0,
    },
    "torch._custom_op.impl": {"global_registry": {}},
    "torch._export.wrappers": {"mark_subclass_constructor_exportable_experimental": lambda constructor: constructor},
    "torch._logging.scribe": {"open_source_signpost": lambda **_: None},
    "torch._utils": {"_is_privateuse1_backend_available": lambda: False},
    "torch._utils_internal": {"IS_FBSOURCE": False, "get_file_path_2": os.path.join},
}
"""What the tools call, and facula lacks."""

MODULES = (
    "torch._custom_op.impl", "torch._export.wrappers", "torch._logging.scribe", "torch._refs", "torch._utils_internal",
)  # fmt: skip
"""Modules that the tools ask for names, and facula lacks."""


def be_torch() -> None:
    """From now on ``torch`` is facula in this process, with PyTorch's tools for tests."""
    answering: Any = import_module("facula._torch.as_torch")
    answering.Torch.__getattr__ = leniently(answering.Torch.__getattr__)
    plain = answering._explaining

    @wraps(plain)
    def explaining(torch_name: str, own: Any) -> Any:
        return leniently(plain(torch_name, own))

    answering._explaining = explaining
    answering.as_torch()
    functions: Any = import_module("torch._C")._Functions
    functions.__getattr__ = leniently(functions.__getattr__)
    operators: Any = import_module("torch.ops.aten")
    operators.__getattr__ = leniently(operators.__getattr__)
    pytorch = PathFinder.find_spec("torch")
    if pytorch is not None and pytorch.origin is not None:
        sys.meta_path.insert(0, _Finder(Path(pytorch.origin).parent.parent))
    for module in (*MODULES, *GIVEN):
        provide_module(module)
    for module, names in GIVEN.items():
        for name, value in names.items():
            if isinstance(getattr(import_module(module), name, MISSING), Absent):
                setattr(import_module(module), name, value)


class Absent(type):
    """What PyTorch has and facula lacks: it can be named and inherited from, but not used."""

    __all__ = ()

    def __new__(cls, name: str, bases: tuple[type, ...] = (), body: dict[str, Any] | None = None) -> Absent:
        return super().__new__(cls, name, bases, body or {})

    def __init__(cls, name: str, bases: tuple[type, ...] = (), body: dict[str, Any] | None = None) -> None:
        super().__init__(name, bases, body or {})

    def __getattr__(cls, name: str) -> Absent:
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent(f"{cls.__name__}.{name}")

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if ReadWithStandIns.files_being_read:
            return Absent(f"{cls.__name__}()")
        raise NotImplementedError(f"facula lacks {cls.__name__}")


MISSING = Absent("missing")


def absent(module: str, name: str) -> Absent:
    if name.startswith("__"):
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    return Absent(f"{module}.{name}")


def leniently(ask: Callable[..., Any]) -> Callable[..., Any]:
    """A module's ``__getattr__`` that gives an ``Absent`` to files that are just being read."""

    @wraps(ask)
    def __getattr__(*asked: Any) -> Any:
        try:
            return ask(*asked)
        except AttributeError as error:
            if not _may_be_absent(sys._getframe(1)):
                raise
            return absent(getattr(error.obj, "__name__", "torch"), asked[-1])

    return __getattr__


def _may_be_absent(asker: FrameType) -> bool:
    """Whether it is the operator database that asks, or a file that is being read; ``hasattr`` is told the truth."""
    if asker.f_code.co_name == "_getattr_qual":
        return True
    reader = asker.f_globals.get("__loader__")
    is_attribute = opname[asker.f_code.co_code[asker.f_lasti]] in ("LOAD_ATTR", "LOAD_METHOD")
    return isinstance(reader, ReadWithStandIns) and reader.is_reading and is_attribute


class _Finder:
    """Finds the tools."""

    def __init__(self, packages: Path) -> None:
        self.packages = packages

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if not any(f"{fullname}.".startswith(f"{tool}.") for tool in TOOLS):
            return None
        base = self.packages.joinpath(*fullname.split("."))
        package = base / "__init__.py"
        if package.exists():
            reader = ReadWithStandIns(fullname, str(package))
            return spec_from_file_location(fullname, package, loader=reader, submodule_search_locations=[str(base)])
        file = base.with_suffix(".py")
        return spec_from_file_location(fullname, file, loader=ReadWithStandIns(fullname, str(file)))


class ReadWithStandIns(SourceFileLoader):
    """Reads a module of tests or tools, and sees to it that what it imports is there."""

    is_reading = False
    files_being_read = 0

    def exec_module(self, module: ModuleType) -> None:
        for statement in ast.parse(self.get_data(self.path)).body:
            if isinstance(statement, ast.Import):
                for alias in statement.names:
                    provide_module(alias.name)
            elif isinstance(statement, ast.ImportFrom) and not statement.level and statement.module:
                provide_module(statement.module)
                for alias in statement.names:
                    provide_name(statement.module, alias.name)
        self.is_reading = True
        ReadWithStandIns.files_being_read += 1
        super().exec_module(module)
        ReadWithStandIns.files_being_read -= 1
        self.is_reading = False


def provide_module(name: str) -> None:
    """Have an import of this module succeed."""
    if not name.startswith("torch."):
        return
    parent, _, last = name.rpartition(".")
    provide_module(parent)
    try:
        import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        module = ModuleType(name)
        vars(module).update(__path__=[], __getattr__=lambda attribute: absent(name, attribute))
        sys.modules[name] = module
        setattr(sys.modules[parent], last, module)


def provide_name(module: str, name: str) -> None:
    """Have an import of this name from this module succeed."""
    if module.partition(".")[0] not in ("torch", "functorch") or name == "*" or hasattr(import_module(module), name):
        return
    try:
        import_module(f"{module}.{name}")
    except ModuleNotFoundError:
        setattr(sys.modules[module], name, absent(module, name))
