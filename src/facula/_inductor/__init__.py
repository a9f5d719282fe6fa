"""``torch._inductor``: PyTorch's generator of code by name; facula has one of its own, see ``compile``."""

from __future__ import annotations

from typing import Any

from facula import compiler
from facula._compile.public import MODES
from facula.compiler import cudagraph_mark_step_begin

from . import config

__all__ = [
    "aot_compile", "aoti_compile_and_package", "aoti_load_package", "compile", "config", "cudagraph_mark_step_begin",
    "list_mode_options", "list_options", "standalone_compile",
]  # fmt: skip


def compile(gm: Any, example_inputs: Any = None, options: dict[str, Any] | None = None) -> Any:
    """A graph's module as a compiled function."""
    return compiler.compile(gm, options=options)


standalone_compile = compile


def list_mode_options(mode: str | None = None, dynamic: bool | None = None) -> dict[str, Any]:
    """What the modes of ``compile`` set: nothing, for there is one way to compile here."""
    options: dict[str, dict[str, Any]] = {name: {} for name in MODES}
    return options[mode] if mode else options


def list_options() -> list[str]:
    """The settings that have a name."""
    return [name for name in dir(config) if name != "patch"]


def _refuse(what: str) -> Any:
    raise NotImplementedError(
        f"{what} makes a library of an exported program, which facula does not: save programs by torch.export.save, "
        "and compile their modules"
    )


def aot_compile(*args: Any, **kwargs: Any) -> Any:
    """Not there: it raises."""
    return _refuse("aot_compile")


def aoti_compile_and_package(*args: Any, **kwargs: Any) -> Any:
    """Not there: it raises."""
    return _refuse("aoti_compile_and_package")


def aoti_load_package(*args: Any, **kwargs: Any) -> Any:
    """Not there: it raises."""
    return _refuse("aoti_load_package")
