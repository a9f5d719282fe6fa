"""Calls that give something else each time, or do something that a program does not repeat."""

from __future__ import annotations

import dis
import gc
import sys
from types import CodeType, FrameType
from typing import Any

from ...autograd.graph import RemovableHandle, is_internal
from ...nn.modules._hooks import _handle
from ...nn.modules.module import Module
from .asked import Asked

_MODULES = ("time", "random", "numpy.random", "datetime", "secrets", "uuid", "_io", "posix", "_random")
_BUILTINS = ("print", "input", "open", "breakpoint", "exec", "eval", "setattr", "delattr", "globals", "vars")


def impurity(called: Any) -> str | None:
    """What is impure about a function that is written in C; None if nothing is known."""
    owner = getattr(called, "__self__", None)
    name = getattr(called, "__name__", "")
    module = getattr(called, "__module__", None) or ""
    if module == "builtins" or (owner is not None and getattr(owner, "__name__", "") == "builtins"):
        return f"{name}()" if name in _BUILTINS else None
    if module in ("warnings", "_warnings") and name == "warn":
        return "warn()"
    if owner is not None and not isinstance(owner, type(sys)):
        kind = owner if isinstance(owner, type) else type(owner)
        module = kind.__module__
    if any(module == m or module.startswith(f"{m}.") for m in _MODULES):
        return f"{module}.{name}()"
    return None


_GRAPH_BREAKS = (
    "print()", "input()", "open()", "breakpoint()", "exec()", "eval()", "tolist()", "random numbers",
    *[f"{module}." for module in _MODULES],
)  # fmt: skip


def breaks_graphs(what: str) -> bool:
    """Whether PyTorch cannot capture that either: under ``fullgraph`` it is an error. All else is a limit of this
    library's, and code that is right for PyTorch runs."""
    return what.startswith(_GRAPH_BREAKS)


def numpy_stream() -> Any:
    """Where NumPy's own random stream is: its functions are not seen as calls."""
    module: Any = sys.modules.get("numpy.random")
    if module is None:
        return None
    kind, words, *rest = module.get_state()
    return kind, words.tobytes(), *rest


def may_change_things(fn: Any) -> bool:
    """Whether a function of the user's may do more than compute, as far as its code tells."""
    code = getattr(getattr(fn, "__func__", fn), "__code__", None)
    return code is None or _code_may(code)


def is_library(fn: Any) -> bool:
    """Whether a function is one of this library's."""
    code = getattr(getattr(fn, "__func__", fn), "__code__", None)
    return code is not None and is_internal(code.co_filename)


def _code_may(code: CodeType) -> bool:
    if not _CHANGING.isdisjoint(code.co_names):
        return True
    for instruction in dis.get_instructions(code):
        stores = instruction.opname.startswith(("STORE_", "DELETE_"))
        if stores and instruction.opname.endswith(("_GLOBAL", "_ATTR", "_SUBSCR", "_SLICE")):
            return True
        if stores and instruction.opname.endswith("_DEREF") and instruction.argval in code.co_freevars:
            return True
    return any(_code_may(inner) for inner in code.co_consts if isinstance(inner, CodeType))


_CHANGING = frozenset(
    ("append", "extend", "insert", "add", "update", "setdefault", "pop", "popitem", "remove", "discard", "clear",
     "write", "put", "send", *_BUILTINS)
)  # fmt: skip
"""Names of methods and functions that change something."""


_BEGINS = id(Module.__init__.__code__)
_METHODS = (
    Module.__setattr__, Module.__delattr__, Module.register_parameter, Module.register_buffer, Module.add_module,
    RemovableHandle.remove, _handle,
)  # fmt: skip
_CHANGES = {id(fn.__code__) for fn in _METHODS}
"""All that say that modules have changed."""


class Watch:
    """Looks at the functions that the user's code calls while a program is captured: in C, and those that tell."""

    def __init__(self, capture: Any, reads: Any) -> None:
        self.capture = capture
        self.reads = reads
        self.asked = Asked(capture)
        self.changes_modules = False
        """Whether a module of before, or its hooks, was changed."""
        self._new: dict[int, Any] = {}

    def __enter__(self) -> Watch:
        self.outer = sys.getprofile()
        self.collected = gc.isenabled()
        gc.disable()  # others may have it call functions of theirs
        sys.setprofile(self._event)
        return self

    def __exit__(self, *exc: object) -> None:
        sys.setprofile(self.outer)
        if self.collected:
            gc.enable()

    def _event(self, frame: FrameType, event: str, arg: Any) -> None:
        if not self.capture.is_active:
            return
        if event == "return":
            self.asked.note(frame, arg)
            self._module_event(id(frame.f_code), frame)
        if event == "call" and not self._knows(frame):
            self.capture.give_up(f"{frame.f_code.co_name}(), whose closure is not known")
        if event != "c_call" or is_internal(frame.f_code.co_filename):
            return
        found = impurity(arg)
        if found is not None and _is_of_user(frame):
            self.capture.give_up(found)

    def _knows(self, frame: FrameType) -> bool:
        """Whether what code reads that is about to be run is known, or is no code of the user's."""
        filename = frame.f_code.co_filename
        known: bool = is_internal(filename) or _is_standard(filename) or self.reads.runs(frame.f_code, frame.f_globals)
        return known

    def _module_event(self, code: int, frame: FrameType) -> None:
        if code == _BEGINS:
            self._new[id(frame.f_locals["self"])] = frame.f_locals["self"]
        elif code in _CHANGES and id(frame.f_locals.get("self")) not in self._new:
            self.changes_modules = True


def _is_of_user(frame: FrameType | None) -> bool:
    """Whether the user's code called: itself, or through Python's own library; and not to import something."""
    nearest = None
    while frame is not None:
        filename = frame.f_code.co_filename
        if filename.startswith("<frozen importlib"):
            return False
        if nearest is None and not _is_standard(filename):
            nearest = filename
            if is_internal(filename):
                return False
        frame = frame.f_back
    return nearest is not None


_HIDDEN = [f"site-packages/{name}/" for name in ("numpy", "scipy", "ml_dtypes")]
_STANDARD = sys.prefix, sys.base_prefix


def _is_standard(filename: str) -> bool:
    if filename.startswith("<frozen ") or any(name in filename for name in _HIDDEN):
        return True
    return filename.startswith(_STANDARD) and "site-packages" not in filename
