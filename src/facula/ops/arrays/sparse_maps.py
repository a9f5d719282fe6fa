"""Sparse linear maps along one dimension: each row of the result is a weighted sum of a few rows of the input.

Resampling and average pooling are such maps, one for each dimension, known from sizes alone. So is the adjoint of one:
whoever can apply them has their derivatives, too.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..._core.devices import MetaArray, empty_meta

Array = np.ndarray[Any, Any]
Rows = slice | Array
Tap = tuple[Rows, Rows, "Array | None"]


def compact(rows: Array) -> Rows:
    """Numbers of rows as a slice, if they are evenly spaced: slices are views, and much quicker."""
    if rows.size == 0:
        return slice(0, 0, 1)
    step = int(rows[1] - rows[0]) if rows.size > 1 else 1
    first = int(rows[0])
    if step > 0 and np.array_equal(rows, np.arange(first, first + step * rows.size, step)):
        return slice(first, first + step * (rows.size - 1) + 1, step)
    return rows


def _numbers(rows: Rows) -> Array:
    return np.arange(rows.start, rows.stop, rows.step) if isinstance(rows, slice) else rows


class SparseMap:
    """The map as steps ``result[to] += weights * input[source]``; within a step no row of the result occurs twice.

    ``once``: no row of the result occurs twice in all steps together, and each does occur.
    """

    def __init__(self, inputs: int, outputs: int, steps: Iterable[Tap]) -> None:
        self.inputs = inputs
        self.outputs = outputs
        self.steps = tuple(steps)
        self.weighted = any(weights is not None for _, _, weights in self.steps)
        rows = np.concatenate([_numbers(to) for to, _, _ in self.steps] or [np.zeros(0, int)])
        self.once = rows.size == outputs == np.unique(rows).size
        self._adjoint: SparseMap | None = None
        self._matrices: dict[Any, Array] = {}

    @property
    def adjoint(self) -> SparseMap:
        """The map with inputs and outputs exchanged."""
        if self._adjoint is None:
            if all(isinstance(source, slice) for _, source, _ in self.steps):
                steps: Iterable[Tap] = [(source, to, weights) for to, source, weights in self.steps]
            else:
                steps = _regrouped(self.steps)
            self._adjoint = SparseMap(self.outputs, self.inputs, steps)
            self._adjoint._adjoint = self
        return self._adjoint

    def matrix(self, dtype: Any) -> Array:
        """The map as a matrix."""
        if dtype not in self._matrices:
            found = np.zeros((self.outputs, self.inputs), dtype)
            for to, source, weights in self.steps:
                found[_numbers(to), _numbers(source)] += 1 if weights is None else weights.astype(dtype)
            self._matrices[dtype] = found
        return self._matrices[dtype]


def _regrouped(steps: tuple[Tap, ...]) -> list[Tap]:
    """The steps of the adjoint: the terms of each input row numbered, those of one number taken together."""
    sources = np.concatenate([_numbers(source) for _, source, _ in steps])
    to = np.concatenate([_numbers(to) for to, _, _ in steps])
    weighted = steps[0][2] is not None
    order = np.argsort(sources, kind="stable")
    sources, to = sources[order], to[order]
    weights = np.concatenate([np.asarray(w) for _, _, w in steps])[order] if weighted else None
    begins = np.flatnonzero(np.r_[True, sources[1:] != sources[:-1]])
    rank = np.arange(sources.size) - np.repeat(begins, np.diff(np.r_[begins, sources.size]))
    found = []
    for r in range(int(rank.max(initial=-1)) + 1):
        at = np.flatnonzero(rank == r)
        found.append((compact(sources[at]), compact(to[at]), None if weights is None else weights[at]))
    return found


def from_table(inputs: int, places: Array, weights: Array | None, valid: Array | None = None) -> SparseMap:
    """``places[i, j]``: the row that the j-th term of result row i takes; ``valid`` says which terms there are."""
    steps: list[Tap] = []
    for j in range(places.shape[1]):
        column, weight = places[:, j], None if weights is None else weights[:, j]
        if valid is None or valid[:, j].all():
            steps.append((slice(0, places.shape[0], 1), compact(column), weight))
        else:
            at = np.flatnonzero(valid[:, j])
            if at.size:
                steps.append((compact(at), compact(column[at]), None if weight is None else weight[at]))
    return SparseMap(inputs, places.shape[0], steps)


_DENSE = 32
"""A map of that many inputs for each step is quicker as a product with its matrix."""


def along(x: Any, dim: int, sparse: SparseMap) -> Any:
    """A map applied along one dimension of an array."""
    shape = (*x.shape[:dim], sparse.outputs, *x.shape[dim + 1 :])
    if x.__class__ is MetaArray:
        return empty_meta(shape, x.dtype)
    if sparse.weighted and sparse.inputs <= _DENSE * len(sparse.steps) and np.isfinite(x).all():
        return _by_matrix(x, dim, sparse.matrix(x.dtype)).reshape(shape)
    if sparse.once:
        return _written(x, dim, sparse, shape)
    lead = (slice(None),) * dim
    out: Any = None
    ours = True
    for to, source, weights in sparse.steps:
        part = _part(x, dim, source, weights)
        whole = isinstance(to, slice) and to.step == 1 and to.stop - to.start == sparse.outputs
        if out is None and whole:
            out = part
            ours = weights is not None or not isinstance(source, slice)
            continue
        if out is None:
            out = np.zeros(shape, x.dtype)
        elif not ours and not whole:
            out = out.copy()
        if whole:
            out = np.add(out, part, out=out if ours else None)
        elif isinstance(to, slice):
            target = out[(*lead, to)]
            np.add(target, part, out=target)
        else:
            out[(*lead, to)] += part
        ours = True
    if out is None:
        return np.zeros(shape, x.dtype)
    return out if ours else out.copy()


def _part(x: Any, dim: int, source: Rows, weights: Array | None) -> Any:
    part = x[(*(slice(None),) * dim, source)] if isinstance(source, slice) else x.take(source, dim)
    if weights is None:
        return part
    return part * weights.astype(x.dtype).reshape(-1, *(1,) * (x.ndim - dim - 1))


def _written(x: Any, dim: int, sparse: SparseMap, shape: tuple[int, ...]) -> Any:
    """Nothing to add: each row of the result is written once."""
    out = np.empty(shape, x.dtype)
    for to, source, weights in sparse.steps:
        out[(*(slice(None),) * dim, to)] = _part(x, dim, source, weights)
    return out


def _by_matrix(x: Any, dim: int, matrix: Array) -> Any:
    n = x.shape[dim]
    after = 1
    for size in x.shape[dim + 1 :]:
        after *= size
    if after == 1:
        return np.matmul(x.reshape(-1, n), matrix.T)
    return np.matmul(matrix, x.reshape(-1, n, after))
