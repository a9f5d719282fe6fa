"""Operators for which nobody has registered a gradient: what the graph gets of them, and what is said in its passes.

Results that a kernel has recorded keep their history, and the others get a node that sends on no gradient. Both warn.
"""

from __future__ import annotations

import re
from typing import Any

from .._core.pytree import tree_leaves
from .._tensor import Tensor
from ..autograd.graph import Node, new_node, warn_user

_mode = "warn"


def _get_autograd_fallback_mode() -> str:
    return _mode


def _set_autograd_fallback_mode(mode: str) -> None:
    """``"warn"``, or ``"nothing"``: results are as the kernel leaves them."""
    global _mode
    if mode == "error":
        raise RuntimeError("NYI: mode='error'")
    if mode not in ("nothing", "warn"):
        raise RuntimeError(f"Unsupported AutogradFallbackMode: {mode}")
    _mode = mode


class WarnNotImplemented(Node):
    """Warns, and sends on no gradient."""

    __slots__ = ("count", "multi", "name_of_operator")
    module = "torch::autograd::"
    count: int
    name_of_operator: str

    def output_count(self) -> int:
        return self.count

    def propagate(self, g: Any, xp: Any, edges: tuple[Any, ...]) -> list[Any]:
        _warn(self.name_of_operator)
        return [None] * len(edges)


def watch(operator: Any, inputs: list[Any], result: Any) -> Any:
    """The results of a kernel that was called with tensors that require gradients."""
    if _mode == "nothing":
        return result
    outputs = tree_leaves(result)
    written = _written(operator.schema, len(outputs))
    floating = [
        (t, is_written) for t, is_written in zip(outputs, written)
        if isinstance(t, Tensor) and (t.is_floating_point() or t.is_complex())
    ]  # fmt: skip
    constant: list[Any] = []
    for t, is_written in floating:
        if not t.requires_grad:
            if not is_written and not any(t is other for other in constant):
                constant.append(t)
            continue
        base = t._base if is_written else None
        for changed in (t, base):
            if changed is not None and changed.requires_grad:
                changed.register_hook(lambda g: _warn(operator.qualified))
    if constant:
        node: Any = new_node(WarnNotImplemented, tuple([t._edge() if t.requires_grad else None for t in inputs]))
        node.name_of_operator, node.count, node.multi = operator.qualified, len(constant), len(constant) > 1
        for nr, t in enumerate(constant):
            t._set_node(node, nr)
    return result


def _written(schema: Any, count: int) -> list[bool]:
    """For each result whether the schema says that it is an argument that was written into."""
    if schema is None:
        return [False] * count
    text = schema.returns.strip()
    parts = re.split(r",(?![^(]*\))", text[1:-1] if text.startswith("(") else text)
    told = ["!" in part for part in parts]
    return told if len(told) == count else [told[0]] * count


def _warn(name: str) -> None:
    warn_user(
        f"{name}: an autograd kernel was not registered to the Autograd key(s) but we are trying to backprop through "
        "it. This may lead to silently incorrect behavior. This behavior is deprecated and will be removed in a future "
        "version of PyTorch. If your operator is differentiable, please ensure you have registered an autograd kernel "
        "to the correct Autograd key (e.g. DispatchKey::Autograd, DispatchKey::CompositeImplicitAutograd). If your "
        "operator is not differentiable, or to squash this warning and use the previous behavior, please register "
        "torch::CppFunction::makeFallthrough() to DispatchKey::Autograd."
    )
