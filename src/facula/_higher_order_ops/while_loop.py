"""``torch.while_loop``: a function again and again, while a condition of its results holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._tensor import Tensor
from ..utils._pytree import tree_leaves


def while_loop(cond_fn: Callable[..., Any], body_fn: Callable[..., Any], carried_inputs: Any) -> Any:
    """``carried = body_fn(*carried)``, beginning with ``carried_inputs``, while ``cond_fn(*carried)`` holds.

    >>> import facula as torch
    >>> torch.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (torch.tensor(0), torch.ones(2)))
    (tensor(3), tensor([8., 8.]))
    """
    if not callable(cond_fn) or not callable(body_fn):
        raise RuntimeError("Expect cond_fn and body_fn to be callable.")
    if not isinstance(carried_inputs, (tuple, list)) or not all(
        isinstance(leaf, (Tensor, int)) for leaf in tree_leaves(carried_inputs)
    ):
        raise RuntimeError(
            "Expect carried_inputs to be a tuple of possibly nested dict/list/tuple that onlyconsists of tensor or int "
            f"leaves, but got {carried_inputs}."
        )
    carried: Any = tuple(carried_inputs)
    while _holds(cond_fn(*_several(carried))):
        carried = body_fn(*_several(carried))
        if len(_several(carried)) != len(carried_inputs):
            raise AssertionError(
                "body_fn should return the same number of elements as carried_inputs, got "
                f"{len(_several(carried))} vs {len(carried_inputs)}"
            )
    return carried


def _several(carried: Any) -> tuple[Any, ...]:
    return tuple(carried) if isinstance(carried, (tuple, list)) else (carried,)


def _holds(pred: Any) -> bool:
    if not isinstance(pred, bool) and not (isinstance(pred, Tensor) and pred.numel() == 1):
        raise RuntimeError(f"cond_fn must return a boolean scalar tensor or a boolean but got {pred}")
    return bool(pred)
