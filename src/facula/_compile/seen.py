"""Which sizes a program is to be general in: those that the user names, and those that were seen to change."""

from __future__ import annotations

from typing import Any

from .._core.pytree import tree_flatten, tree_unflatten
from .._tensor import Tensor
from . import settings
from .errors import ConstraintViolationError


class Sizes:
    """The sizes of a function's arguments in the calls that were captured."""

    def __init__(self) -> None:
        self._seen: dict[Any, list[int | None]] = {}
        """By place among the arguments; None: it was seen to change."""
        self._numbers: dict[Any, Any] = {}
        """The same of numbers."""
        self.are_fixed = False

    def general(self, args: Any, kwargs: Any, dynamic: bool | None) -> dict[int, tuple[int, ...]]:
        """Tensors by their id, and the dimensions to be general in. Sizes of 0 and 1 never are."""
        if self.are_fixed:
            return {}
        leaves, plan = tree_flatten((args, kwargs))
        found = {}
        for i, leaf in enumerate(leaves):
            if isinstance(leaf, Tensor):
                changing = self._changing((plan, i, leaf.dtype, leaf.ndim), leaf)
                dims: Any = range(leaf.ndim) if dynamic else changing if settings.follows_sizes(dynamic) else ()
                if dynamic is not False:
                    dims = {*dims, *marked(leaf)} - getattr(leaf, "_dynamo_static_indices", set())
                chosen = tuple(sorted([d for d in dims if leaf.shape[d] > 1]))
                if chosen:
                    found[id(leaf)] = chosen
        return found

    def with_symbols(self, capture: Any, args: Any, kwargs: Any, dynamic: bool | None) -> tuple[Any, Any]:
        """The arguments, with symbols for numbers that were seen to change."""
        if self.are_fixed or not settings.follows_sizes(dynamic):
            return args, kwargs
        leaves, plan = tree_flatten((args, kwargs))
        for i, leaf in enumerate(leaves):
            if type(leaf) in (int, float):
                before = self._numbers.setdefault((plan, i, type(leaf)), leaf)
                if before is None or before != leaf:
                    self._numbers[plan, i, type(leaf)] = None
                    if leaf not in (0, 1) or type(leaf) is float:
                        leaves[i] = capture.argument(i, leaf)
        return tree_unflatten(leaves, plan) if capture.arguments else (args, kwargs)

    def _changing(self, place: Any, t: Tensor) -> list[int]:
        before = self._seen.setdefault(place, list(t.shape))
        for d, (old, new) in enumerate(zip(before, t.shape)):
            if old != new:
                before[d] = None
        return [d for d, old in enumerate(before) if old is None]


def marked(t: Tensor) -> set[int]:
    """The dimensions that ``mark_dynamic`` names."""
    strictly: set[int] = getattr(t, "_dynamo_dynamic_indices", set())
    perhaps: set[int] = getattr(t, "_dynamo_weak_dynamic_indices", set())
    return strictly | perhaps


def check_marks(capture: Any) -> None:
    """What ``mark_dynamic`` names must not have been settled."""
    for given in capture.inputs:
        for d in sorted(getattr(given.tensor, "_dynamo_dynamic_indices", ())):
            if (given.node, d) in capture.settled:
                raise ConstraintViolationError(f"L['{given.node.target}'].size()[{d}]", given.array.shape[d])
