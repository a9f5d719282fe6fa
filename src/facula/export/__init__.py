"""``torch.export``: a module as a program of operators, without Python, to look at, to keep and to run elsewhere."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from .._core.pytree import register
from ..nn.modules.module import Module
from . import dynamic_shapes, exported_program, graph_signature
from .dynamic_shapes import AdditionalInputs, Constraint, Dim, ShapesCollection, dims
from .exported_program import (
    CustomDecompTable,
    ExportedProgram,
    ModuleCallEntry,
    ModuleCallSignature,
    default_decompositions,
)
from .graph_signature import ExportBackwardSignature, ExportGraphSignature
from .unflatten import FlatArgsAdapter, UnflattenedModule, unflatten

__all__ = [
    "AdditionalInputs", "Constraint", "CustomDecompTable", "Dim", "ExportBackwardSignature", "ExportGraphSignature",
    "ExportedProgram", "FlatArgsAdapter", "ModuleCallEntry", "ModuleCallSignature", "ShapesCollection",
    "UnflattenedModule", "default_decompositions", "dims", "draft_export", "dynamic_shapes", "export",
    "exported_program", "graph_signature", "load", "register_dataclass", "save", "unflatten",
]  # fmt: skip


def export(
    mod: Module, args: tuple[Any, ...], kwargs: Mapping[str, Any] | None = None, *,
    dynamic_shapes: Any = None, strict: bool = False, preserve_module_call_signature: tuple[str, ...] = (),
    prefer_deferred_runtime_asserts_over_guards: bool = False,
) -> ExportedProgram:  # fmt: skip
    """The program that a module is for arguments like these.

    The module runs once. ``dynamic_shapes`` says which sizes are other ones in other calls, by parameter of ``forward``
    and dimension: ``{"x": {0: Dim("batch")}}``. What depends on elements of tensors cannot be exported.
    """
    from ._errors import told  # loaded when first used
    from ._trace import export_module  # loaded when first used

    if not isinstance(mod, Module):
        raise ValueError(f"Expected `mod` to be an instance of `torch.nn.Module`, got {type(mod)}.")
    try:
        return export_module(mod, args, kwargs, dynamic_shapes)
    except Exception as error:
        told(error)
        raise


def draft_export(
    mod: Module, args: tuple[Any, ...], kwargs: Mapping[str, Any] | None = None, *, dynamic_shapes: Any = None,
    preserve_module_call_signature: tuple[str, ...] = (), strict: bool = False,
    prefer_deferred_runtime_asserts_over_guards: bool = False,
) -> ExportedProgram:  # fmt: skip
    """The same as ``export``: there is nothing that it would pass over."""
    return export(mod, args, kwargs, dynamic_shapes=dynamic_shapes, strict=strict)


def save(
    ep: ExportedProgram, f: Any, *, extra_files: dict[str, Any] | None = None,
    opset_version: dict[str, int] | None = None, pickle_protocol: int = 2,
) -> None:  # fmt: skip
    """Write a program to a path or a file. The format is facula's own: a zip archive of JSON and tensors."""
    from ._files import write  # loaded when first used

    if not isinstance(ep, ExportedProgram):
        kind = type(ep).__name__
        raise TypeError(f"The 'ep' parameter must be an instance of 'ExportedProgram', got '{kind}' instead.")
    write(ep, f, extra_files)


def load(
    f: Any, *, extra_files: dict[str, Any] | None = None, expected_opset_version: dict[str, int] | None = None
) -> ExportedProgram:
    """Read a program that ``save`` wrote. A file can only call operators; nothing in it is run while it is read."""
    from ._files import read  # loaded when first used

    return read(f, extra_files)


def register_dataclass(cls: type, *, serialized_type_name: str | None = None) -> None:
    """Let objects of a dataclass be arguments and results of programs."""
    if not dataclasses.is_dataclass(cls):
        raise AssertionError(f"Only dataclasses can be registered with this function: {cls}")
    from ._files import CLASSES  # loaded when first used

    names = [field.name for field in dataclasses.fields(cls) if field.init]

    def flatten(thing: Any) -> tuple[list[Any], Any]:
        given = [name for name in names if getattr(thing, name) is not None]
        return [getattr(thing, name) for name in given], (given, [name for name in names if name not in given])

    def put_together(values: list[Any], context: Any) -> Any:
        return cls(**dict(zip(context[0], values)), **dict.fromkeys(context[1]))

    register(cls, flatten, put_together)
    CLASSES[serialized_type_name or f"{cls.__module__}.{cls.__qualname__}"] = cls
