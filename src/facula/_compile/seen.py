"""Which sizes a program is to be general in: those that the user names, and those that were seen to change."""

from __future__ import annotations

from typing import Any

from .._core.pytree import tree_flatten
from .._tensor import Tensor
from . import settings


class Sizes:
    """The sizes of a function's arguments in the calls that were captured."""

    def __init__(self) -> None:
        self._seen: dict[Any, list[int | None]] = {}
        """By place among the arguments; None: it was seen to change."""
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
                dims = range(leaf.ndim) if dynamic else changing if settings.follows_sizes(dynamic) else ()
                if dynamic is not False:
                    dims = {*dims, *marked(leaf)} - getattr(leaf, "_dynamo_static_indices", set())
                chosen = tuple(sorted([d for d in dims if leaf.shape[d] > 1]))
                if chosen:
                    found[id(leaf)] = chosen
        return found

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
