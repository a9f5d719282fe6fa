"""Which sizes a program is to be general in: those that the user names, and those that were seen to change."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from types import CellType
from typing import Any

import numpy as np

from ..._core.generator import default_generator
from ..._core.pytree import kind_of, tree_flatten
from ..._tensor import Tensor
from .. import settings
from ..capture.symbols import Symbol
from ..errors import ConstraintViolationError
from ..programs import program
from .places import cell_contents


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

    def with_symbols(
        self, capture: Any, args: Any, kwargs: Any, dynamic: bool | None, changed: list[Any]
    ) -> tuple[Any, Any]:
        """The arguments, with symbols for numbers that were seen to change. Lists and dicts with such numbers are
        ``changed``: what the function does to them is done to the user's."""
        if self.are_fixed or not (dynamic or settings.follows_sizes(dynamic)):
            return args, kwargs
        leaves, plan = tree_flatten((args, kwargs))
        for i, leaf in enumerate(leaves):
            if type(leaf) in (int, float):
                before = self._numbers.setdefault((plan, i, type(leaf)), None if dynamic else leaf)
                if before is None or before != leaf:
                    self._numbers[plan, i, type(leaf)] = None
                    if leaf not in (0, 1) or type(leaf) is float:
                        leaves[i] = capture.argument(i, leaf)
        found: tuple[Any, Any] = _replaced((args, kwargs), iter(leaves), changed)
        return found

    def _changing(self, place: Any, t: Tensor) -> list[int]:
        before = self._seen.setdefault(place, list(t.shape))
        for d, (old, new) in enumerate(zip(before, t.shape)):
            if old != new:
                before[d] = None
        return [d for d, old in enumerate(before) if old is None]


def _replaced(tree: Any, leaves: Iterator[Any], changed: list[Any]) -> Any:
    """A nested container with other leaves."""
    kind = kind_of(tree)
    if kind is None:
        return next(leaves)
    children, context = kind.flatten(tree)
    new = [_replaced(child, leaves, changed) for child in children]
    if all(map(operator.is_, children, new)):
        return tree
    if not isinstance(tree, (list, dict)):
        return kind.unflatten(new, context)
    changed.append(tree)
    for key, value in zip(tree if isinstance(tree, dict) else range(len(tree)), new):
        tree[key] = value
    return tree


def without_symbols(holder: Any) -> None:
    """Have a list, a dict or an object hold plain numbers."""
    if isinstance(holder, CellType):
        if type(cell_contents(holder, None)) is Symbol:
            holder.cell_contents = holder.cell_contents.hint
        return
    held = holder if isinstance(holder, (list, dict)) else getattr(holder, "__dict__", {})
    if isinstance(held, (list, dict)):
        for key, value in [*(held.items() if isinstance(held, dict) else enumerate(held))]:
            if type(value) is Symbol:
                held[key] = value.hint


def marked(t: Tensor) -> set[int]:
    """The dimensions that ``mark_dynamic`` names."""
    strictly: set[int] = getattr(t, "_dynamo_dynamic_indices", set())
    perhaps: set[int] = getattr(t, "_dynamo_weak_dynamic_indices", set())
    return strictly | perhaps


def check_marks(capture: Any, entry: Any) -> None:
    """What ``mark_dynamic`` names must not have been settled, or be one number by what is checked."""
    for given in capture.inputs:
        for d in sorted(getattr(given.tensor, "_dynamo_dynamic_indices", ())):
            if (given.node, d) in capture.settled or _is_one_number(entry, given, d):
                raise ConstraintViolationError(f"L['{given.node.target}'].size()[{d}]", given.array.shape[d])


def _is_one_number(entry: Any, given: Any, d: int) -> bool:
    """Whether a program refuses every other size that is tried."""
    size = given.array.shape[d]
    place = default_generator.place()
    tried = [_runs_with(entry, given, d, n) for n in (size + 1, 2 * size, 3 * size) if size > 1]
    default_generator.go_back(place)
    return bool(tried) and not any(tried)


def _runs_with(entry: Any, given: Any, d: int, size: int) -> bool:
    """Whether a program goes through with another size, as far as sizes tell."""
    other = np.take(given.array, np.arange(size) % given.array.shape[d], axis=d)
    values = {node: other if each is given else each.array
              for node, each in zip(entry.forward.placeholders, entry.inputs)}  # fmt: skip
    for node in entry.forward.graph.nodes:
        if node.op != "call_function":
            continue
        if node.target is program.check:
            found = values[node.args[0]]
            if not isinstance(found, np.ndarray) and found != node.args[1]:
                return False
            continue
        try:
            values[node] = program.evaluated(node, values)
        except Exception:
            return False
    return True
