"""``torch.cond``: one of two functions, by a condition that may be a tensor."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from .._tensor import Tensor
from ..utils._pytree import tree_leaves


def cond(
    pred: bool | int | float | Tensor, true_fn: Callable[..., Any], false_fn: Callable[..., Any],
    operands: tuple[Any, ...] | list[Any] = (),
) -> Any:  # fmt: skip
    """``true_fn(*operands)`` if ``pred`` holds, else ``false_fn(*operands)``.

    >>> import facula as torch
    >>> x = torch.tensor([1.0, 2.0])
    >>> torch.cond(x.sum() > 0, lambda x: x * 2, lambda x: -x, (x,))
    tensor([2., 4.])
    """
    if not isinstance(pred, (bool, int, float, Tensor)):
        raise RuntimeError(f"Expected pred to be bool or tensor, but got {pred}.")
    if isinstance(pred, Tensor) and pred.numel() != 1:
        raise RuntimeError(f"Expected pred to be bool or single-element tensor, but got {pred}.")
    if not callable(true_fn) or not callable(false_fn):
        raise RuntimeError("Expect both branches to be callable.")
    if not isinstance(pred, Tensor):
        warnings.warn(
            "Pred is a Python constant. When used with torch.cond, it specializes on one of the branches. If you want "
            "torch.cond to preserve two branches, please make the predicate a boolean tensor or a SymBool.",
            stacklevel=2,
        )
    elif not isinstance(operands, (tuple, list)) or not all(isinstance(t, Tensor) for t in tree_leaves(operands)):
        raise RuntimeError(
            "Expect operands to be a tuple of possibly nested dict/list/tuple that only consists of tensor leaves, "
            f"but got {operands}."
        )
    return true_fn(*operands) if pred else false_fn(*operands)
