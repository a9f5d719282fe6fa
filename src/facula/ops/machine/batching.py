"""Batching rules: what a primitive on batched tensors is, in terms of the tensors inside.

The batch is the first dimension of what is inside. Elementwise primitives need no rule: they broadcast (``aligned``).
Most others belong to a kind, which their declaration names: ``batch=moved_dimensions`` for those with dimensions as
attributes, ``reduced_dimensions`` for reductions, ``last_dimensions`` for those on the last ones, ``broadcast``,
``joined_samples``, ``as_it_is``. A rule of a single primitive stands beside it::

    @trace_op.batch
    def trace_batched(call: Call) -> Any:
        return call.values[0].diagonal(0, 1, 2).sum(1)

A rule returns None for a call that it cannot take: then the primitive is run for each item alone, which is slow and is
said once. ``item_by_item`` is the rule of primitives that always are.
"""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any

import numpy as np

from ..._core import dtypes
from ..._core.generator import check_randomness
from ..._levels.needs_values import DrawsDiffer
from ..._tensor import Tensor
from .arguments import is_number
from .namespaces import TENSORS


class Call:
    """One call of a primitive inside ``vmap``."""

    __slots__ = ("attributes", "flags", "level", "op", "values")

    def __init__(
        self, op: Any, level: Any, values: list[Any], flags: list[bool], attributes: tuple[Any, ...]
    ) -> None:
        self.op = op
        self.level = level
        self.values = values
        """The tensors, those that are batched with the batch as their first dimension."""
        self.flags = flags
        """Which of them are."""
        self.attributes = attributes

    @property
    def size(self) -> int:
        size: int = self.level.size
        return size

    def attribute(self, name: str) -> Any:
        return self.attributes[self.op.attribute_names.index(name)]

    def ndim(self, i: int = 0) -> int:
        """How many dimensions a tensor has to those inside ``vmap``."""
        return int(self.values[i].dim()) - self.flags[i]

    def shape(self, i: int = 0) -> tuple[int, ...]:
        return tuple(self.values[i].shape[self.flags[i] :])

    def full(self, i: int) -> Any:
        """A tensor with the batch as its first dimension, expanded if it is the same for all items."""
        v = self.values[i]
        if self.flags[i] or not isinstance(v, Tensor):
            return v
        return TENSORS.expand(v, (self.size, *v._array.shape))

    def all_full(self) -> list[Any]:
        return [self.full(i) for i in range(len(self.values))]

    def rows(self, i: int = 0) -> Any:
        """All elements of each item as a row."""
        return self.values[i].reshape(self.size, math.prod(self.shape(i)))

    def run(self, values: list[Any], attributes: tuple[Any, ...] | None = None) -> Any:
        given = self.attributes if attributes is None else attributes
        return self.op(tuple(values), *given) if self.op.variadic else self.op(*values, *given)

    def changed(self, **attributes: Any) -> tuple[Any, ...]:
        """The attributes, some of them others."""
        return tuple([attributes.get(name, v) for name, v in zip(self.op.attribute_names, self.attributes)])


def item_by_item(call: Call) -> None:
    """There is no way to do it for all items at once."""


def as_it_is(call: Call) -> Any:
    """The primitive does not mind one more dimension in front of its tensors."""
    return call.run(call.values)


# ---- broadcasting


def aligned(tensors: tuple[Any, ...], values: list[Any], flags: list[bool]) -> list[Any]:
    """What is inside, with dimensions put behind the batch so that shapes broadcast as they do outside."""
    ndim = 0
    has_zero_dim = False
    for t, flag in zip(tensors, flags):
        if isinstance(t, Tensor):
            n = t._array.ndim
            if n > ndim:
                ndim = n
            elif flag and not n:
                has_zero_dim = True
    if has_zero_dim:
        found = [padded(v, ndim) if flag else v for v, flag in zip(values, flags)]
        return _promoted(tensors, found, flags)
    return [padded(v, ndim) if flag else v for v, flag in zip(values, flags)]


def padded(value: Any, ndim: int) -> Any:
    """A batch of tensors with dimensions of size 1 in front of each, up to ``ndim``."""
    shape = value._array.shape
    missing = ndim + 1 - len(shape)
    return value if missing <= 0 else TENSORS.reshape(value, (shape[0], *[1] * missing, *shape[1:]))


def _promoted(tensors: tuple[Any, ...], values: list[Any], flags: list[bool]) -> list[Any]:
    """0-d tensors count less in promotion. A batch of them is not 0-d any more, so it is cast beforehand."""
    outside, inside = _dtype_of(tensors), _dtype_of(tuple(values))
    if outside is inside:
        return values
    return [
        v.to(outside) if flag and t._array.ndim == 0 and t.dtype is not outside else v
        for v, t, flag in zip(values, tensors, flags)
    ]


def _dtype_of(tensors: tuple[Any, ...]) -> Any:
    kinds: list[Any] = [None, None, None]
    for t in tensors:
        at = (0 if t._array.ndim else 1) if isinstance(t, Tensor) else 2
        if at == 2 and not is_number(t):
            continue
        d = t.dtype if at < 2 else dtypes.of_scalar(t)
        kinds[at] = d if kinds[at] is None else dtypes.promote_types(kinds[at], d)
    return dtypes.result_dtype(*kinds)


def broadcast(call: Call) -> Any:
    """Several tensors that broadcast together, by a primitive that is not elementwise in every respect."""
    ndim = max(call.ndim(i) for i in range(len(call.values)))
    values = [padded(v, ndim) if flag else v for v, flag in zip(call.values, call.flags)]
    if not call.flags[0] and call.op.tensor_names[0] == "input":
        values[0] = padded(call.full(0), ndim)
    return call.run(values)


def broadcast_fully(call: Call) -> Any:
    """The same for matrices and rows of points: all tensors get the batch."""
    ndim = max(call.ndim(i) for i in range(len(call.values)))
    return call.run([padded(v, ndim) for v in call.all_full()])


def different_draws(call: Call) -> Any:
    """Random numbers that depend on tensors: drawn for all items at once."""
    _check_own_draws(call.level)
    return broadcast(call)


def more_items_than(name: str) -> str:
    """What is said where a change in place would give a tensor a value for each item."""
    return (
        f"vmap: {name}(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args that has "
        "more elements than `self`. This happened due to `other` being vmapped over but `self` not being vmapped over "
        f"in a vmap. Please try to use out-of-place operators instead of {name}. If said operator is being called "
        "inside the PyTorch framework, please file a bug report instead."
    )


def check_own_draws(t: Any) -> None:
    """Before an operator draws for each item of a tensor: that all batches it belongs to allow it."""
    while t.wraps:
        if t._level.size >= 0:
            _check_own_draws(t._level)
        t = t._inside


def _check_own_draws(level: Any) -> None:
    if level.randomness == "same":
        raise RuntimeError(
            "Vmap does not currently support same randomness with a batched tensor input. Please file an issue with "
            "functorch"
        )
    with suppress(DrawsDiffer):
        check_randomness((level,))


# ---- dimensions as attributes

_DIMS = frozenset(["dim", "dims", "dim0", "dim1", "dim2", "dimension"])
_SHAPES = frozenset(["shape", "size", "input_sizes"])


def moved_dimensions(call: Call, added: int = 0) -> Any:
    """All tensors get the batch, all dimensions move up by one, all shapes get the batch's size.

    ``added``: how many more dimensions the result has, if dimensions are counted in it.
    """
    values = call.all_full()
    shapes = [v for name, v in zip(call.op.attribute_names, call.attributes) if name in _SHAPES]
    ndim = max([call.ndim(i) for i in range(len(values))])
    out_ndim = len(shapes[0]) if shapes and isinstance(shapes[0], (tuple, list)) else ndim
    scalars = ndim == 0 and out_ndim == 0
    if scalars:  # a dimension may be given for a tensor that has none
        values = [v.unsqueeze(1) for v in values]
        out_ndim = 1
    span = max(out_ndim, 1) + added
    attributes = tuple(
        [_moved(v, span, out_ndim) if name in _DIMS else _with_batch(v, call.size, scalars) if name in _SHAPES else v
         for name, v in zip(call.op.attribute_names, call.attributes)]
    )  # fmt: skip
    result = call.run(values, attributes)
    if scalars:
        several = isinstance(result, (tuple, list))
        squeezed = [r.squeeze(1) if r.dim() > 1 else r for r in (result if several else [result])]
        result = squeezed if several else squeezed[0]
    return result


def reduced_dimensions(call: Call) -> Any:
    """The same for reductions, which reduce all dimensions of an item if they are given none."""
    if call.attribute("dim") == ():
        call.attributes = call.changed(dim=None)
    return moved_dimensions(call)


def _moved(dims: Any, span: int, ndim: int) -> Any:
    if dims is None:
        return tuple(range(1, ndim + 1))
    if isinstance(dims, (tuple, list)):
        return tuple([d % span + 1 for d in dims])
    return dims % span + 1


def _with_batch(shape: Any, size: int, scalars: bool) -> Any:
    if not isinstance(shape, (tuple, list)):  # a number of elements, as in ``unfold``
        return shape
    return (size, 1) if scalars else (size, *shape)


# ---- the last dimensions


def last_dimensions(call: Call) -> Any:
    """The primitive is about the last dimensions of its tensors, whatever comes before."""
    return call.run(call.all_full())


# ---- the batch joins another dimension


def joined(value: Any) -> Any:
    """(batch, samples, …) as (batch * samples, …)."""
    first, second, *rest = value.shape
    return value.reshape(first * second, *rest)


def parted(value: Any, size: int) -> Any:
    """The reverse."""
    return value.reshape(size, value.shape[0] // max(size, 1), *value.shape[1:])


def joined_samples(spatial: int) -> Any:
    """The rule of a primitive on images of so many dimensions: the batch joins the samples, or takes their place."""

    def joined_with_samples(call: Call) -> Any:
        has_samples = call.ndim() == spatial + 2
        if not has_samples:
            values = call.all_full()
        else:
            values = [v if v is None else joined(call.full(i)) for i, v in enumerate(call.values)]
        attributes = tuple(
            [(call.size * v[0], *v[1:]) if name == "shape" and has_samples
             else (call.size, *v) if name == "shape" else v
             for name, v in zip(call.op.attribute_names, call.attributes)]
        )  # fmt: skip
        result = call.run(values, attributes)
        if not has_samples:
            return result
        if isinstance(result, (tuple, list)):
            return [parted(r, call.size) for r in result]
        return parted(result, call.size)

    return joined_with_samples


def joined_first(call: Call) -> Any:
    """The batch joins the first dimension, which all tensors have."""
    result = call.run([v if v is None else joined(call.full(i)) for i, v in enumerate(call.values)])
    return parted(result, call.size)


def grouped(value: Any) -> Any:
    """(batch, samples, channels, …) as (samples, batch * channels, …): items fall into groups of channels."""
    swapped = value.transpose(0, 1)
    return swapped.flatten(1, 2)


def ungrouped(value: Any, size: int) -> Any:
    """The reverse; each item lies in memory as one that was computed alone."""
    parts = value.reshape(value.shape[0], size, value.shape[1] // max(size, 1), *value.shape[2:])
    return parts.transpose(0, 1).contiguous()


def item_numbers(call: Call, ndim: int) -> Any:
    """0, 1, 2, … along the batch, to be broadcast against indices of ``ndim`` dimensions."""
    return Tensor._wrap(np.arange(call.size).reshape(call.size, *[1] * ndim))
