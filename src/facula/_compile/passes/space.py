"""The space that a loop runs over: dimensions in which every array of it has strides.

The arrays of a loop count the same elements by different shapes: (8, 32, 64), (256, 64). A shape says only as much as
strides need: a dense array has one dimension, whatever its shape. The coarsest dimensions that all of them are made of
are found; then dimensions that every array passes through without a step are joined again.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from ..programs.steps import Loop, Reduction, Shape, Value


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


Marks = tuple[bool, ...]


def coarse(shape: Shape, strides: Shape, marks: Marks | None = None) -> tuple[Shape, Shape, Marks]:
    """The fewest dimensions of an array in which its elements have the same order and places; equal marks join."""
    found: list[tuple[int, int, bool]] = []
    for n, stride, mark in zip(shape, strides, marks or (False,) * len(shape)):
        if n == 1:
            continue
        if found and found[-1][1] == stride * n and found[-1][2] == mark:
            found[-1] = (found[-1][0] * n, stride, mark)
        else:
            found.append((n, stride, mark))
    sizes, steps, kept = zip(*found) if found else ((), (), ())
    return sizes, steps, kept


def strides_in(space: Shape, shape: Shape, strides: Shape) -> Shape:
    """Strides of an array of a coarse shape along the dimensions of a space that refines it."""
    found: list[int] = []
    dims = list(zip(shape, strides))
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
    loads, stores = [_placed(v) for v in loop.loads], [_placed(v) for _, v in loop.stores]
    ends = [_reduced(r) for r in loop.reductions]
    sizes = refined([shape for shape, _, _ in (*loads, *stores, *ends)], loop.size)
    if sizes is None:
        return None
    flags = {_flags(sizes, shape, marks) for shape, _, marks in ends} or {(False,) * len(sizes)}
    if len(flags) > 1:
        return None
    each = [[strides_in(sizes, shape, strides) for shape, strides, _ in those] for those in (loads, stores, ends)]
    found = Space(sizes, each[0], each[1], flags.pop(), each[2])
    return _joined(_ordered(found)) if joined else found


def _placed(value: Value) -> tuple[Shape, Shape, Marks]:
    return coarse(value.shape, value.strides)


def _reduced(r: Reduction) -> tuple[Shape, Shape, Marks]:
    marks = tuple([d in r.dims for d in range(len(r.shape))])
    return coarse(r.shape, tuple([0 if gone else s for gone, s in zip(marks, r.out.strides)]), marks)


def _flags(space: Shape, shape: Shape, marks: Marks) -> Marks:
    found: list[bool] = []
    dims = list(zip(shape, marks))
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
