"""Full backward hooks of a Module: its inputs and outputs pass through a node each, where the hooks look on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._tensor import Tensor
from ..autograd.function import Function

if TYPE_CHECKING:
    from .module import Module


class BackwardHookFunction(Function):
    """Hands tensors and gradients through."""

    @staticmethod
    def forward(ctx: Any, *args: Any) -> Any:
        ctx.mark_non_differentiable(*[a for a in args if not a.requires_grad])
        return args

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return grads


class Watch:
    """One call of a module with backward hooks."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.hooks = list(module._backward_hooks.values())
        self.pre_hooks = list(module._backward_pre_hooks.values())
        self.grad_outputs: Any = None
        self.input_places: list[int] | None = None
        self.inputs = 0

    def arguments(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        self.inputs = len(args)
        passed, places, node = _through_node(args)
        if node is not None:
            self.input_places = places
            node.register_hook(lambda grads, _: self._at_inputs(grads))
        return tuple(passed)

    def output(self, result: Any) -> Any:
        several = isinstance(result, (tuple, list))
        values = list(result) if several else [result]
        passed, places, node = _through_node(values)
        if node is None:
            return result
        node.register_prehook(lambda grads: self._at_outputs(grads, places, len(values)))
        return type(result)(passed) if several else passed[0]

    def _at_outputs(self, grads: Any, places: list[int], n: int) -> Any:
        shown = tuple(_placed(grads, places, n))
        for hook in self.pre_hooks:
            changed = hook(self.module, shown)
            if changed is not None:
                shown = changed if isinstance(changed, tuple) else (changed,)
        self.grad_outputs = shown
        if self.input_places is None:
            for hook in self.hooks:
                if hook(self.module, (None,) * self.inputs, shown) is not None:
                    raise RuntimeError(
                        "Backward hook for Modules where no input requires gradient should always return None or None "
                        "for all gradients."
                    )
        return tuple(shown[i] for i in places)

    def _at_inputs(self, grads: Any) -> Any:
        assert self.input_places is not None
        shown = tuple(_placed(grads, self.input_places, self.inputs))
        for hook in self.hooks:
            changed = hook(self.module, shown, self.grad_outputs)
            if changed is not None:
                changed = changed if isinstance(changed, tuple) else (changed,)
                if len(changed) != len(shown):
                    raise RuntimeError(
                        f"Backward hook returned an invalid number of grad_input, got {len(changed)}, "
                        f"but expected {len(shown)}"
                    )
                shown = changed
        self.grad_outputs = None
        return tuple(shown[i] for i in self.input_places)


def _through_node(values: Any) -> tuple[list[Any], list[int], Any]:
    """The values with their tensors passed through one common node; where these are; the node, if there is one."""
    places = [i for i, v in enumerate(values) if isinstance(v, Tensor)]
    result = list(values)
    if not any(values[i].requires_grad for i in places):
        return result, places, None
    passed = BackwardHookFunction.apply(*[values[i] for i in places])
    node = next((t.grad_fn for t in passed if t.grad_fn is not None), None)
    for i, t in zip(places, passed):
        result[i] = t
    return result, places, node


def _placed(grads: Any, places: list[int], n: int) -> list[Any]:
    shown: list[Any] = [None] * n
    for i, g in zip(places, grads):
        shown[i] = g
    return shown
