"""Windows that slide over the last dimensions: where they lie, and the greatest element in each.

``Windows`` describes one dimension. The elements of a window are numbered along it, those of a window over several
dimensions in the order of memory: ``which`` arrays hold such numbers, in a byte if they fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import product
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ...._core.devices import MetaArray, empty_meta
from ..scatter_add import add_at
from ..sparse_maps import Rows, SparseMap, along, compact
from ..types import Array
from . import long_windows

_TOGETHER = 4
"""Windows of up to so many elements are searched at once, larger ones dimension by dimension."""
_LONG = 64
"""Windows of so many elements may be long, see ``long_windows``."""


class Windows:
    """The windows along one dimension of ``inputs`` elements.

    Window i begins at ``starts[i]``, possibly before the first element; its j-th element is at ``starts[i] + j * step``
    and counts if ``low[i] <= j < high[i]``. ``padded[i]`` is the number of elements if padding counts.
    """

    def __init__(
        self, inputs: int, size: int, step: int, starts: Array, low: Array, high: Array, padded: Array
    ) -> None:
        self.inputs = inputs
        self.outputs = len(starts)
        self.size = size
        self.step = step
        self.starts = starts
        self.low, self.high = low, high
        self.first = low if low.any() else None
        self.counts = high - low
        self.padded = padded
        self.disjoint = bool(step == 1 and (np.diff(starts) >= size).all())
        self.long = bool(size >= _LONG and size > 4 * self.outputs and (self.counts > 0).all())

    @cached_property
    def steps(self) -> list[tuple[Rows, Rows]]:
        """For each number within a window: the windows that have it, and where it lies in them."""
        found = []
        for j in range(self.size):
            at = np.flatnonzero((self.low <= j) & (j < self.high))
            found.append((compact(at), compact(self.starts[at] + j * self.step)))
        return found

    @cached_property
    def regular(self) -> bool:
        return all(isinstance(rows, slice) for pair in self.steps for rows in pair)

    @cached_property
    def adding(self) -> SparseMap:
        """Adds up the elements of each window."""
        return SparseMap(self.inputs, self.outputs, [(to, source, None) for to, source in self.steps])


def pooled_size(n: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool) -> int:
    """How many windows there are. With ``ceil_mode`` the last may end, but not begin, beyond the padded input."""
    out = (n + 2 * padding - dilation * (kernel - 1) - 1 + (stride - 1 if ceil_mode else 0)) // stride + 1
    if ceil_mode and (out - 1) * stride >= n + padding:
        out -= 1
    return out


@lru_cache(512)
def sliding(n: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool) -> Windows:
    """Windows of one size, evenly spaced."""
    starts = np.arange(pooled_size(n, kernel, stride, padding, dilation, ceil_mode)) * stride - padding
    low = np.maximum(0, -(starts // dilation))
    high = np.minimum(kernel, -((starts - n) // dilation))
    padded = np.minimum(starts + kernel, n + padding) - starts
    return Windows(n, kernel, dilation, starts, low, high, padded)


@lru_cache(512)
def adaptive(n: int, outputs: int) -> Windows:
    """As many windows as are wanted, which cover everything and overlap as little as they can."""
    numbers = np.arange(outputs)
    starts = numbers * n // max(outputs, 1)
    length = -((numbers + 1) * -n // max(outputs, 1)) - starts
    return Windows(n, int(length.max(initial=0)), 1, starts, np.zeros_like(starts), length, length)


# ---- sums


def sums(x: Any, dim: int, w: Windows) -> Any:
    """The sum of each window along a dimension."""
    if w.long and x.__class__ is not MetaArray:
        return long_windows.sums(x, dim, w)
    return along(x, dim, w.adding)


def sums_adjoint(g: Any, dim: int, w: Windows) -> Any:
    if w.long and g.__class__ is not MetaArray:
        return long_windows.sums_adjoint(g, dim, w)
    return along(g, dim, w.adding.adjoint)


# ---- the greatest element


def greatest(x: Any, windows: tuple[Windows, ...], want: bool) -> tuple[Any, Any]:
    """The greatest element of each window over the last dimensions, and, if wanted, which one it is.

    Of equal ones it is the first; of NaNs, which are greater than all, the last.
    """
    shape = (*x.shape[: -len(windows)], *[w.outputs for w in windows])
    if x.__class__ is MetaArray:
        return empty_meta(shape, x.dtype), empty_meta(shape, np.uint8)
    if 0 in shape:
        return np.empty(shape, x.dtype), np.empty(shape, np.uint8)
    code, groups = _plan(windows)
    which: Any = None
    for group in groups:
        if isinstance(group, LongGroup):
            x, which = _search_each(x, which, group, code, want)
        else:
            x, which = _search(x, which, group, code, want)
    return x if x.base is None else x.copy(), which


class LongGroup(NamedTuple):
    """A dimension whose windows are long, counted from the end; ``inner``: the size of windows searched before."""

    window: Windows
    behind: int
    inner: int


class Group:
    """Dimensions that are searched together, counted from the end; ``inner``: the size of windows searched before."""

    def __init__(self, windows: tuple[Windows, ...], behind: int, inner: int) -> None:
        self.windows = windows
        self.behind = behind
        self.inner = inner
        after = (slice(None),) * behind
        numbers = product(*(range(w.size) for w in windows))
        steps = [list(zip(*(w.steps[j] for w, j in zip(windows, js)))) for js in numbers]
        self.steps: list[tuple[Any, Any]] = [((..., *to, *after), (..., *source, *after)) for to, source in steps]
        self.padded = any(w.first is not None for w in windows)
        self.regular = all(w.regular for w in windows)


@lru_cache(512)
def _plan(windows: tuple[Windows, ...]) -> tuple[Any, list[Group | LongGroup]]:
    total = prod(w.size for w in windows)
    code = np.min_scalar_type(total - 1)
    if total <= _TOGETHER and all(w.regular for w in windows):
        return code, [Group(windows, 0, 1)]
    groups: list[Group | LongGroup] = []
    inner = 1
    for behind, w in enumerate(reversed(windows)):
        groups.append(LongGroup(w, behind, inner) if w.long else Group((w,), behind, inner))
        inner *= w.size
    return code, groups


def _search_each(x: Any, earlier: Any, group: LongGroup, code: Any, want: bool) -> tuple[Any, Any]:
    """``_search``, window by window."""
    w, dim = group.window, x.ndim - group.behind - 1
    best, numbers = long_windows.greatest(x, dim, w)
    if not want:
        return best, None
    which = (numbers * group.inner).astype(code)
    if earlier is not None:
        places = w.starts.reshape(-1, *(1,) * group.behind) + numbers * w.step
        which += np.take_along_axis(earlier, places, dim)
    return best, which


def _search(x: Any, earlier: Any, group: Group, code: Any, want: bool) -> tuple[Any, Any]:
    """One step of ``greatest``. ``earlier``: which element of their windows the elements of x have been."""
    steps = group.steps
    dim = x.ndim - group.behind - 1

    def there(array: Any, source: Any) -> Any:
        return array[source] if group.regular else array.take(source[1], dim) if _is_array(source[1]) else array[source]

    def update(to: Any, i: int, newer: Any) -> None:
        number = code.type(i * group.inner)
        codes = np.multiply(newer, number if earlier is None else there(earlier, steps[i][1]) + number)
        target = which[to]
        if group.regular:
            np.maximum(target, codes, out=target)
        else:
            which[to] = np.maximum(target, codes)

    which: Any = None
    ours = group.padded
    if ours:
        best, which = _first_elements(x, earlier, group, code)
    else:
        best = there(x, steps[0][1])
        if want:
            which = np.zeros(best.shape, code) if earlier is None else there(earlier, steps[0][1]).copy()
    for i, (to, source) in enumerate(steps):
        if i == 0 and not ours:
            continue
        part = there(x, source)
        if part.shape == best.shape:
            if want:
                update(..., i, part > best)
            best = np.maximum(best, part, out=best if ours else None)
        else:
            if not ours:
                best = best.copy()
            target = best[to]
            if want:
                update(to, i, part > target)
            if group.regular:
                np.maximum(target, part, out=target)
            else:
                best[to] = np.maximum(target, part)
        ours = True
    if want and best.dtype.kind == "f" and np.isnan(best.max()):
        for i, (to, source) in enumerate(steps):
            update(to, i, np.isnan(there(x, source)))
    return best, which


def _lowest(d: np.dtype[Any]) -> Any:
    return np.iinfo(d).min if d.kind in "iu" else -np.inf


def _is_array(rows: Any) -> bool:
    return not isinstance(rows, slice)


def _first_elements(x: Any, earlier: Any, group: Group, code: Any) -> tuple[Any, Any]:
    """The first element of each window that is not padding, and its number."""
    which: Any = np.zeros((), code)
    for i, w in enumerate(group.windows):
        dim = x.ndim - group.behind - len(group.windows) + i
        first = np.zeros(w.outputs, np.intp) if w.first is None else np.minimum(w.first, w.size - 1)
        places = np.clip(w.starts + first * w.step, 0, w.inputs - 1)
        x = x.take(places, dim)
        if not w.counts.all():  # windows that lie in the padding alone
            x.swapaxes(dim, -1)[..., w.counts <= 0] = _lowest(x.dtype)
        if earlier is not None:
            earlier = earlier.take(places, dim)
        which = which[..., None] * code.type(w.size) + first.astype(code)
    which = which * code.type(group.inner)
    which = which.reshape(which.shape + (1,) * group.behind)
    return x, (np.zeros(x.shape, code) if earlier is None else earlier) + which


# ---- places in planes


def places_of(which: Any, windows: Sequence[Windows]) -> Any:
    """Where the chosen elements are in the last dimensions, flattened."""
    if which.__class__ is MetaArray:
        return empty_meta(which.shape, np.int64)
    strides = [prod(other.inputs for other in windows[i + 1 :]) for i in range(len(windows))]
    base: Any = np.zeros((), np.int64)
    for w, stride in zip(windows, strides):
        base = np.add.outer(base, w.starts * stride)
    sizes = [w.size for w in windows]
    if prod(sizes) > which.size:
        numbers = np.unravel_index(which, sizes)
        return base + sum(n * (w.step * stride) for n, w, stride in zip(numbers, windows, strides))
    displacement: Any = np.zeros((), np.int64)
    for w, stride in zip(windows, strides):
        displacement = np.add.outer(displacement, np.arange(w.size) * (w.step * stride))
    return displacement.reshape(-1).take(which) + base


def flat_places(index: Any, planes: int, size: int) -> Any:
    """Places in each of some planes as places in all of them together."""
    by_plane = index.reshape(planes, index.size // max(planes, 1))
    return by_plane + (np.arange(planes) * size)[:, None]


def take_from_planes(x: Any, index: Any, spatial: int) -> Any:
    """The elements at the places of ``index`` within the last ``spatial`` dimensions."""
    planes, size = prod(x.shape[:-spatial]), prod(x.shape[-spatial:])
    return np.ravel(x).take(flat_places(index, planes, size)).reshape(index.shape)


def add_to_planes(x: Any, index: Any, shape: tuple[int, ...], spatial: int) -> Any:
    """The adjoint: elements added to their places in zeros of a shape."""
    planes, size = prod(shape[:-spatial]), prod(shape[-spatial:])
    out = np.zeros(planes * size, x.dtype)
    if index.size:
        add_at(out, flat_places(index, planes, size), x)
    return out.reshape(shape)
