"""An exported program with its modules again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from ..nn.modules.module import Module
from ._unlift import unlifted
from .exported_program import ExportedProgram

__all__ = ["FlatArgsAdapter", "UnflattenedModule", "unflatten"]


class FlatArgsAdapter(ABC):
    """Makes arguments of one nest into those of another, for programs that are called otherwise than exported."""

    @abstractmethod
    def adapt(
        self, target_spec: Any, input_spec: Any, input_args: list[Any], metadata: Any = None, obj: Any = None
    ) -> Any:
        """The leaves that a program takes, from those that it was given."""


class UnflattenedModule(Module):
    """A program as a module whose parameters and buffers are in modules of their names. The graph is one."""

    def __init__(self, export_module: ExportedProgram, flat_args_adapter: FlatArgsAdapter | None = None) -> None:
        super().__init__()
        inner = unlifted(export_module, True)
        self.flat_args_adapter = flat_args_adapter
        self.module_call_graph = export_module.module_call_graph
        self.graph_module = inner
        for name, child in inner._modules.items():
            if name != "_guards_fn":
                self.add_module(name, child)
        for name, parameter in inner._parameters.items():
            self.register_parameter(name, parameter)
        for name, buffer in inner._buffers.items():
            self.register_buffer(name, buffer, name not in inner._non_persistent_buffers_set)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "graph_module":
            object.__setattr__(self, name, value)  # its state is here already
        else:
            super().__setattr__(name, value)

    @property
    def graph(self) -> Any:
        """The graph."""
        return self.graph_module.graph

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run the program."""
        if self.flat_args_adapter is not None:
            args, kwargs = self._adapted(self.flat_args_adapter, args, kwargs)
        return self.graph_module(*args, **kwargs)

    def _adapted(self, adapter: FlatArgsAdapter, args: Any, kwargs: Any) -> Any:
        from .._core.pytree import tree_flatten, tree_unflatten  # loaded when first used

        wanted = self.graph_module._in_spec
        leaves, found = tree_flatten((args, kwargs))
        if found != wanted:
            leaves = adapter.adapt(target_spec=wanted, input_spec=found, input_args=leaves)
        return tree_unflatten(leaves, wanted)


def unflatten(module: ExportedProgram, flat_args_adapter: FlatArgsAdapter | None = None) -> UnflattenedModule:
    """A module of a program, with modules inside that hold parameters and buffers as before."""
    return UnflattenedModule(module, flat_args_adapter)
