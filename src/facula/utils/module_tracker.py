"""``ModuleTracker``: which modules are at work, in forward and in backward passes."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from .. import nn
from .._tensor import Tensor
from ..autograd.engine import queue_callback
from ..autograd.hooks import register_multi_grad_hook
from ..nn.modules._hooks import register_module_forward_hook, register_module_forward_pre_hook
from ._pytree import tree_flatten

__all__ = ["ModuleTracker"]


class ModuleTracker:
    """Within it ``parents`` holds the names of the modules that are running, as ``"Net.body.0"``, and ``"Global"``.

    In a backward pass a module runs from the gradients of its outputs to those of its inputs, or to the end of the
    pass if no input needs one; ``is_bw`` is then True.
    """

    def __init__(self) -> None:
        self.parents: set[str] = {"Global"}
        self._names: WeakKeyDictionary[nn.Module, str] = WeakKeyDictionary()
        self._backward: set[str] = set()
        self._handles: list[Any] = []

    def __enter__(self) -> ModuleTracker:
        self._handles = [
            register_module_forward_pre_hook(self._begins),
            register_module_forward_hook(self._ends, always_call=True),
        ]
        return self

    def __exit__(self, *exc: object) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles = []

    @property
    def is_bw(self) -> bool:
        """Whether modules are running in a backward pass."""
        return bool(self._backward)

    def _name(self, module: nn.Module) -> str:
        """The name of a module within the one that was called first."""
        if module not in self._names:
            self._learn(module, type(module).__name__)
        return self._names[module]

    def _learn(self, module: nn.Module, name: str) -> None:
        is_new = module not in self._names
        self._names[module] = name
        if is_new:
            for part, child in module.named_children():
                self._learn(child, f"{name}.{part}")

    def _backward_ends(self, name: str) -> None:
        self.parents.discard(name)
        self._backward.discard(name)

    def _begins(self, module: nn.Module, args: Any) -> None:
        name = self._name(module)
        self.parents.add(name)
        inputs = _needing_gradients(args)
        if inputs:
            ends = register_multi_grad_hook(inputs, lambda _: self._backward_ends(name))
            self._handles.append(ends)

    def _ends(self, module: nn.Module, args: Any, output: Any) -> None:
        name = self._name(module)
        self.parents.discard(name)
        outputs = _needing_gradients(output)
        if not outputs:
            return
        at_the_end = not _needing_gradients(args)

        def begins(_: Any) -> None:
            self.parents.add(name)
            self._backward.add(name)
            if at_the_end:
                queue_callback(lambda: self._backward_ends(name))

        self._handles.append(register_multi_grad_hook(outputs, begins))


def _needing_gradients(values: Any) -> list[Tensor]:
    return [t for t in tree_flatten(values)[0] if isinstance(t, Tensor) and t.requires_grad]
