"""What the user calls his tensors: found among the variables of the frame that asks."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import FrameType
from typing import Any

from .._tensor import Tensor
from ..autograd.graph import is_internal

_LONGEST_LIST = 64


class Names:
    """The names of tensors, and the modules that were found on the way."""

    def __init__(self) -> None:
        self._tensors: dict[int, str] = {}
        self._nodes: dict[Any, str] = {}
        self.modules: dict[str, Any] = {}
        """Modules by the name of their variable; '' for the object whose method asks."""
        self._modules_of: dict[int, tuple[str, ...]] = {}
        self._kept: list[Any] = []

    def of_tensor(self, tensor: Any) -> str:
        return self._tensors.get(id(tensor)) or (tensor._meta.name if tensor._meta is not None else "") or ""

    def of_node(self, node: Any) -> str:
        return self._nodes.get(node, "")

    def module_of(self, tensor: Any) -> tuple[str, ...] | None:
        """The path of the module that holds a parameter."""
        return self._modules_of.get(id(tensor))

    def add(self, name: str, value: Any) -> None:
        """Note a tensor, the tensors of a short list or dict, or the parameters of a module."""
        if isinstance(value, Tensor):
            self._add_tensor(name, value)
        elif isinstance(value, (list, tuple)) and len(value) <= _LONGEST_LIST:
            for i, item in enumerate(value):
                if isinstance(item, Tensor):
                    self._add_tensor(f"{name}[{i}]", item)
        elif isinstance(value, dict) and len(value) <= _LONGEST_LIST:
            for key, item in value.items():
                if isinstance(item, Tensor):
                    self._add_tensor(f"{name}[{key!r}]", item)
        elif _is_module(value):
            self.add_module("" if name == "self" else name, value)

    def add_module(self, name: str, module: Any) -> None:
        if any(known is module for known in self.modules.values()):
            return
        self.modules[name] = module
        for path, tensor in [*module.named_parameters(prefix=name), *module.named_buffers(prefix=name)]:
            self._add_tensor(path, tensor)
            self._modules_of.setdefault(id(tensor), tuple(path.split(".")[:-1]))

    def _add_tensor(self, name: str, tensor: Any) -> None:
        self._kept.append(tensor)  # so that no other object gets its id
        self._tensors.setdefault(id(tensor), name)
        if tensor._node is not None:
            self._nodes.setdefault(tensor._node, name)


def names(frame: FrameType | None, given: Mapping[str, Any] | None = None) -> Names:
    """The names in a frame and its module; those that are given come first, then local variables."""
    found = Names()
    for name, value in (given or {}).items():
        found.add(name, value)
    if frame is not None:
        spaces = [frame.f_locals] if frame.f_locals is frame.f_globals else [frame.f_locals, frame.f_globals]
        for space in spaces:
            for name, value in list(space.items()):
                if not name.startswith("_"):
                    found.add(name, value)
    return found


def caller() -> FrameType | None:
    """The nearest frame outside facula, if there is one."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and is_internal(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def _is_module(value: Any) -> bool:
    nn = sys.modules.get("facula.nn.modules.module")
    return nn is not None and isinstance(value, nn.Module)
