"""Full backward hooks of a Module: its inputs and outputs pass through a node each, where the hooks look on."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

from ..._tensor import Tensor
from ...autograd.function import Function
from ...autograd.graph import warn_user

Hook = Callable[..., Any]


class BackwardHookFunction(Function):
    """Hands tensors and gradients through."""

    @staticmethod
    def forward(ctx: Any, *args: Any) -> Any:
        ctx.mark_non_differentiable(*[a for a in args if not a.requires_grad])
        return args

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return grads


class BackwardHook:
    """One call of a module with full backward hooks."""

    def __init__(self, module: Any, user_hooks: list[Hook], user_pre_hooks: list[Hook]) -> None:
        self.module = module
        self.user_hooks = user_hooks
        self.user_pre_hooks = user_pre_hooks
        self.grad_outputs: Any = None
        self.input_places: list[int] | None = None
        self.n_inputs = -1

    def setup_input_hook(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments, with the hooks waiting for their gradients."""
        self.n_inputs = len(args)
        passed, places, node = _through_node(args)
        if node is not None:
            self.input_places = places

            def hook(grads: Any, _: Any) -> Any:
                return self._at_inputs(grads)

            node.register_hook(hook)
        return tuple(passed)

    def setup_output_hook(self, result: Any) -> Any:
        """The result, with the hooks waiting for its gradients."""
        values = result if isinstance(result, tuple) else (result,)
        passed, places, node = _through_node(values)
        if node is None:
            return result

        def hook(grads: Any) -> Any:
            return self._at_outputs(grads, places, len(values))

        node.register_prehook(hook)
        if not isinstance(result, tuple):
            return passed[0]
        kind = type(result)
        return kind(*passed) if hasattr(kind, "_fields") else tuple(passed)

    def _at_outputs(self, grads: Any, places: list[int], n: int) -> Any:
        shown = tuple(_placed(grads, places, n))
        for hook in self.user_pre_hooks:
            changed = hook(self.module, shown)
            if changed is not None:
                if len(changed) != n:
                    raise RuntimeError(
                        f"Backward pre hook returned an invalid number of grad_output, got {len(changed)}, "
                        f"but expected {n}"
                    )
                shown = changed
        self.grad_outputs = shown
        if self.input_places is None and self.user_hooks:
            warn_user(
                "Full backward hook is firing when gradients are computed with respect to module outputs since no "
                "inputs require gradients. See "
                "https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module."
                "register_full_backward_hook for more details."
            )
            for hook in self.user_hooks:
                given = hook(self.module, (None,) * self.n_inputs, shown)
                if given is not None and not (isinstance(given, tuple) and all(g is None for g in given)):
                    raise RuntimeError(
                        "Backward hook for Modules where no input requires gradient should always return None or None "
                        "for all gradients."
                    )
            self.grad_outputs = None
        return tuple(shown[i] for i in places)

    def _at_inputs(self, grads: Any) -> Any:
        assert self.input_places is not None
        if self.grad_outputs is None:
            return None  # an input that leads past this module's outputs
        shown = tuple(_placed(grads, self.input_places, self.n_inputs))
        for hook in self.user_hooks:
            changed = hook(self.module, shown, self.grad_outputs)
            if changed is not None:
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


# ---- hooks at the last node: what modules had before full backward hooks


def hook_last_node(module: Any, hooks: list[Hook], args: Any, result: Any) -> None:
    """Let hooks look on at the node that made (the first tensor of) the result."""
    first = result
    while not isinstance(first, Tensor):
        first = next(v for v in first.values() if isinstance(v, Tensor)) if isinstance(first, dict) else first[0]
    node = first.grad_fn
    if node is None:
        return
    for hook in hooks:
        node.register_hook(partial(hook, module))
    problem = _why_incomplete(args, result, node)
    if problem:
        warnings.warn(
            f"Using {problem} Please use register_full_backward_hook to get the documented behavior.",
            FutureWarning,
            stacklevel=5,
        )


def _why_incomplete(args: Any, result: Any, node: Any) -> str | None:
    soon = "is deprecated and will be removed in future versions. This hook will be missing some"
    results = result if isinstance(result, tuple) else (result,)
    if not all(isinstance(r, Tensor) for r in results):
        return (
            "non-full backward hooks on a Module that does not return a single Tensor or a tuple of Tensors "
            f"{soon} of the grad_output."
        )
    inputs = args if isinstance(args, tuple) else (args,)
    if not all(isinstance(i, Tensor) for i in inputs):
        return (
            "non-full backward hooks on a Module that does not take as input a single Tensor or a tuple of Tensors "
            f"{soon} of the grad_input."
        )
    if len({r.grad_fn for r in results if r.grad_fn is not None}) > 1:
        return f"a non-full backward hook when outputs are generated by different autograd Nodes {soon} grad_output."
    starts = {i.grad_fn for i in inputs if i.grad_fn is not None}
    if {below for below, _ in node.next_functions} != starts:
        return f"a non-full backward hook when the forward contains multiple autograd Nodes {soon} grad_input."
    return None
