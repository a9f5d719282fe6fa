"""Why no program is for a call: what is other than in the calls that were captured."""

from __future__ import annotations

import inspect
from typing import Any

from ..._core import dtypes
from ..._core.pytree import tree_flatten
from ..._tensor import Tensor

Looks = dict[str, Any]
"""Arguments by name: of a tensor its dtype, shape, strides and whether it requires a gradient; else the value."""


def looks(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Looks:
    """What can be told of the arguments of a call."""
    try:
        bound = inspect.signature(getattr(fn, "forward", fn)).bind(*args, **kwargs).arguments
    except (TypeError, ValueError):
        bound = {**{f"args[{i}]": arg for i, arg in enumerate(args)}, **kwargs}
    found: Looks = {}
    for name, value in bound.items():
        leaves, plan = tree_flatten(value)
        for i, leaf in enumerate(leaves):
            title = name if plan.is_leaf() else f"{name}[{i}]"
            if isinstance(leaf, Tensor):
                found[title] = (leaf.dtype, tuple(leaf.shape), leaf.stride(), leaf.requires_grad)
            elif leaf is None or isinstance(leaf, (bool, int, float, str)):
                found[title] = leaf
    return found


def difference(before: Looks, now: Looks) -> str:
    """The first thing that is other than before, in PyTorch's words."""
    for name, old in before.items():
        new = now.get(name)
        if old == new and type(old) is type(new):
            continue
        if not isinstance(old, tuple) or not isinstance(new, tuple):
            return f"type(L[{name!r}])" if isinstance(old, tuple) else f"{name} == {old!r}"
        if old[0] != new[0]:
            expected, actual = (dtypes.SCALAR_TYPE_NAMES.get(looked[0], str(looked[0])) for looked in (old, new))
            return f"tensor '{name}' dtype mismatch. expected {expected}, actual {actual}"
        if len(old[1]) != len(new[1]):
            return f"tensor '{name}' rank mismatch. expected {len(old[1])}, actual {len(new[1])}"
        for what, a, b in (("size", old[1], new[1]), ("stride", old[2], new[2])):
            for i, (x, y) in enumerate(zip(a, b)):
                if x != y:
                    return f"tensor '{name}' {what} mismatch at index {i}. expected {x}, actual {y}"
        return f"tensor '{name}' requires_grad mismatch. expected requires_grad={int(old[3])}"
    return "what it reads besides its arguments, a mode, or a number that it saw is another"


def place_of(fn: Any) -> str:
    """Where a function is written."""
    code = getattr(getattr(fn, "forward", fn), "__code__", None)
    return "an unknown place" if code is None else f"{code.co_filename}:{code.co_firstlineno}"
