"""The space that a loop runs over: dimensions in which every array of it has strides.

The arrays of a loop count the same elements by different shapes: (8, 32, 64), (256, 64). The coarsest dimensions that
all of them are made of are found; then dimensions that every array passes through without a step are joined again.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from ..steps import Loop, Shape


def cuts(shape: Shape) -> set[int]:
    """The numbers of elements behind each dimension."""
    found, step = set(), 1
    for n in reversed(shape):
        found.add(step)
        step *= n
    found.add(step)
    return found


def refined(shapes: list[Shape], size: int) -> Shape | None:
    """Sizes of the coarsest dimensions of which all shapes are made; None if there are none."""
    points = sorted(set().union({1, size}, *[cuts(shape) for shape in shapes]))
    if any(b % a for a, b in pairwise(points)):
        return None
    return tuple([b // a for a, b in pairwise(points)][::-1])


def strides_in(space: Shape, shape: Shape, strides: Shape) -> Shape:
    """Strides of an array of a shape along the dimensions of a space that refines it."""
    found: list[int] = []
    dims = [(n, s) for n, s in zip(shape, strides) if n != 1]
    n, stride = dims.pop() if dims else (1, 0)
    done = 1
    for m in reversed(space):
        if done == n and dims:
            n, stride = dims.pop()
            done = 1
        found.append(stride * done)
        done *= m
    return tuple(reversed(found))


class Space(NamedTuple):
    sizes: Shape
    loads: list[Shape]
    stores: list[Shape]
    reduced: tuple[bool, ...]
    """Which dimensions the reductions take away."""
    outs: list[Shape]
    """Strides of the results of reductions; 0 where they are reduced."""


def space_of(loop: Loop, joined: bool = True) -> Space | None:
    """The space of a loop, outermost dimension first; None if its arrays do not fit together."""
    shapes = [v.shape for v in loop.loads] + [v.shape for _, v in loop.stores] + [r.shape for r in loop.reductions]
    sizes = refined(shapes, loop.size)
    if sizes is None:
        return None
    loads = [strides_in(sizes, v.shape, v.strides) for v in loop.loads]
    stores = [strides_in(sizes, v.shape, v.strides) for _, v in loop.stores]
    reduced: tuple[bool, ...] = (False,) * len(sizes)
    outs = []
    for i, r in enumerate(loop.reductions):
        marks = tuple([1 if d in r.dims else 0 for d in range(len(r.shape))])
        flags = _flags(sizes, r.shape, marks)
        if i and flags != reduced:
            return None
        reduced = flags
        kept = tuple([0 if d in r.dims else s for d, s in enumerate(r.out.strides)])
        outs.append(strides_in(sizes, r.shape, kept))
    found = Space(sizes, loads, stores, reduced, outs)
    return _joined(_ordered(found)) if joined else found


def _flags(space: Shape, shape: Shape, marks: tuple[int, ...]) -> tuple[bool, ...]:
    found: list[bool] = []
    dims = [(n, bool(m)) for n, m in zip(shape, marks) if n != 1]
    n, mark = dims.pop() if dims else (1, False)
    done = 1
    for m in reversed(space):
        if done == n and dims:
            n, mark = dims.pop()
            done = 1
        found.append(mark)
        done *= m
    return tuple(reversed(found))


def _ordered(space: Space) -> Space:
    """Large strides outside, small ones inside."""
    every = [*space.loads, *space.stores, *space.outs]
    order = sorted(range(len(space.sizes)), key=lambda d: -sum([abs(strides[d]) for strides in every]))
    if order == sorted(order):
        return space

    def moved(strides: Shape) -> Shape:
        return tuple([strides[d] for d in order])

    return Space(
        moved(space.sizes), [*map(moved, space.loads)], [*map(moved, space.stores)],
        tuple([space.reduced[d] for d in order]), [*map(moved, space.outs)],
    )  # fmt: skip


def _joined(space: Space) -> Space:
    every = [*space.loads, *space.stores, *space.outs]
    sizes, reduced = list(space.sizes), list(space.reduced)
    table = [list(strides) for strides in every]
    d = 0
    while d + 1 < len(sizes):
        fits = reduced[d] == reduced[d + 1] and all(row[d] == row[d + 1] * sizes[d + 1] for row in table)
        if not fits:
            d += 1
            continue
        sizes[d : d + 2] = [sizes[d] * sizes[d + 1]]
        del reduced[d + 1]
        for row in table:
            del row[d]
        d = max(d - 1, 0)
    rows = [tuple(row) for row in table]
    a, b = len(space.loads), len(space.loads) + len(space.stores)
    return Space(tuple(sizes), rows[:a], rows[a:b], tuple(reduced), rows[b:])
