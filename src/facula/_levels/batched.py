"""Batched tensors: one tensor that stands for all items of a batch at once, inside ``vmap``.

The first dimension of what is inside is the batch; the tensor looks as if it were not there. A primitive on batched
tensors becomes a primitive on what is inside, by its batching rule (see ``ops.machine.batching``). Where there is none
it is run for each item alone, which is slow but right, and says so once.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

from .._core import state
from .._core.dtypes import bool_
from .._core.generator import check_randomness
from .._tensor import Tensor, computed
from ..autograd.saved import SavedList
from ..ops.machine.batching import Call, aligned, more_items_than
from ..ops.views.shape import expand_op
from .dual import Dual, make_dual
from .links import Link, become, view_of
from .needs_values import DrawsDiffer, NeedsValues
from .wrapped import Level, Standin, Wrapped, below, blank, highest


class Batched(Wrapped):
    """A tensor of which each item of a batch has its own."""

    _value: Any
    _given_at: tuple[Any, int] = (None, 0)
    """The tensor that a user gave, and which dimension of it is the batch, if that is not the first."""

    @property
    def _inside(self) -> Any:
        return self._value

    def _outlived(self) -> Any:
        if self._level.same_values:
            return self._value.select(0, 0)
        raise RuntimeError(
            "Either your tensor may have escaped from inside a function being vmapped and this is a user error (see "
            "https://pytorch.org/functorch/stable/ux_limitations.html), or there is an internal functorch error in "
            "`gen_vmap_plumbing` Please file an issue if it looks like the latter"
        )

    def _known(self) -> Any:
        return self

    def _computed(self, fn: Any) -> Any:
        return batch(computed(self._value, fn), self._level)

    def _run(self, op: Any, tensors: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
        level = self._level
        ndim = self._array.ndim
        if op.kind == "elementwise" and ndim:
            if len(tensors) == 1:
                return batch(op.call(self._value, *attributes), level)
            if len(tensors) == 2 and tensors[0] is self:
                other = tensors[1]
                if type(other) is float:
                    return batch(op.call(self._value, other, *attributes), level)
                if type(other) is Batched and other._level is level and other._array.ndim == ndim:
                    return batch(op.call(self._value, other._value, *attributes), level)
        flags = [t.__class__ is Batched and t._level is level for t in tensors]
        values = [t._value if flag else t for t, flag in zip(tensors, flags)]
        if op.kind == "elementwise":
            return batch(op.call(*aligned(tensors, values, flags), *attributes), level)
        result: Any = None
        rule = op.batching_rule
        if rule is not None:
            result = rule(Call(op, level, values, flags, attributes))
        if result is None:
            return self._one_by_one(op, tensors, attributes)
        return batch(result, level) if op.outputs == 1 else [batch(r, level) for r in result]

    def _one_by_one(self, op: Any, tensors: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
        def one(*given: Any) -> Any:
            tensors, attributes = given
            return op(tensors, *attributes) if op.variadic else op(*tensors, *attributes)

        return one_by_one(op.name, one, (tensors, attributes), {}, self._level)

    def _change(
        self, op: Any, target: Any, others: tuple[Any, ...], attributes: tuple[Any, ...], again: Any
    ) -> Any:
        """NOTE [in-place on wrapped]: computed out of place, then copied, unless it is elementwise."""
        level = self._level
        if not is_batched(target, level) and not (level.same_values and _become_batched(target, level)):
            raise RuntimeError(more_items_than("inplace arithmetic"))
        tensors = (target, *others)
        if op.is_random:  # the same for all items, as the caller has made sure
            item = target._value.new_empty(target.shape)
            again(item, *others)
            target._value.copy_(item)
        elif op.kind == "elementwise":
            values = [t._value if is_batched(t, level) else t for t in tensors]
            again(*aligned(tensors, values, [is_batched(t, level) for t in tensors]))
        else:
            if op.tensor_names[0] in op.slot_names and target.requires_grad and state.grad_enabled():
                tensors = (target.clone(), *others)  # its value from before is needed
            result = op(*tensors, *attributes)
            target._value.copy_(unbatch(result, level))
        return target

    def _around(self, fn: Any, *tensors: Any) -> Any:
        return batch(fn(*[None if t is None else unbatch(t, self._level) for t in tensors]), self._level)

    def _made_like(self, name: str, fn: Any, rest: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """``zeros_like(self)``, ``self.new_zeros(...)`` and such are batched too, so that they can be written to."""
        level = self._level
        call = getattr(fn, "public", fn)
        if name.startswith("rand") and level.randomness != "different":
            check_randomness((level,))
            return below(level, call, self._value.select(0, 0), *rest, **kwargs)
        if name == "new_empty_strided":
            rest, kwargs = _with_items_apart(level.size, *rest, **kwargs)
        elif name.startswith("new_") and name != "new_tensor":
            if "size" in kwargs:
                kwargs = {**kwargs, "size": (level.size, *kwargs["size"])}
            elif rest and isinstance(rest[0], (tuple, list)):
                rest = ((level.size, *rest[0]), *rest[1:])
            else:
                rest = (level.size, *rest)
        made = below(level, call, self._value, *rest, **kwargs)
        return made if name == "new_tensor" else batch(made, level)

    def _reshaped(self, shape: tuple[int, ...]) -> Any:
        return self._linked(batch(self._value.reshape(self._level.size, *shape), self._level), shape)

    # ---- what only single items have

    def _needs_values(self, *args: Any, **kwargs: Any) -> Any:
        raise NeedsValues(self._level.depth)

    item = tolist = numpy = __bool__ = __float__ = __int__ = __index__ = __complex__ = __array__ = _needs_values
    __contains__ = _needs_values

    def data_ptr(self) -> int:
        return int(self._value.data_ptr())

    def storage_offset(self) -> int:
        return int(self._value.storage_offset())

    def detach(self) -> Any:
        item = self.__dict__.get("_item")  # of what only the gradients of a transform make a batch of
        return batch(self._value.detach(), self._level) if item is None else item.detach()

    def _is_a_derivatives_input(self) -> bool:
        """Whether some derivative is taken inside the batch: what it is taken of may be looked at."""
        levels = state.modes.levels
        return self._level not in levels or any(each.size < 0 for each in levels[levels.index(self._level) :])

    @property
    def data(self) -> Any:
        if not self._is_a_derivatives_input():
            raise RuntimeError("accessing `data` under vmap transform is not allowed")
        return batch(self._value.data, self._level)

    @data.setter
    def data(self, value: Any) -> None:
        raise RuntimeError("mutating directly with `.data` under vmap transform is not allowed.")

    def _is_view(self) -> bool:
        return bool(self._value._is_view())

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]
        if self._level.alive:
            from .printed import text_of  # it imports this module

            return text_of(self)
        inside = "\n".join("    " + line for line in repr(self._value).splitlines())
        return f"BatchedTensor(lvl={self._level.depth}, bdim=0, value=\n{inside}\n)"


def _become_batched(t: Any, level: Level) -> bool:
    """Give each item of a batch a tensor of its own, where it is: others hold it. Whether that is possible."""

    def batched(before: Any, link: Link | None) -> Any:
        if link is None:
            size, stride = before.shape, before.stride()
            apart = max(1 + sum((n - 1) * s for n, s in zip(size, stride)), 1)
            items = before.unsqueeze(0).expand(level.size, *size)
            return batch(before.new_empty_strided(items.shape, (apart, *stride)).copy_(items), level)
        base, again, put = link
        if put is None:
            return again(base)
        (_, _, start), (size, stride, offset) = put
        each = base._value.stride(0)
        return batch(base._value.as_strided((level.size, *size), (each, *stride), offset - start), level)

    root = t
    while (link := view_of(root)) is not None:
        root = link[0]
    if not is_batched(root, level):
        become(root, batched, None if root is t else t)
    return is_batched(t, level)


def is_batched(t: Any, level: Level) -> bool:
    return t.__class__ is Batched and t._level is level


def batch(value: Any, level: Level) -> Any:
    """Hide the first dimension of a tensor: it is the batch of a level. Higher levels stay outside: NOTE [levels]."""
    if value.__class__ is not Tensor and isinstance(value, Wrapped) and value._level.depth > level.depth:
        if isinstance(value, Dual):
            return make_dual(batch(value._primal, level), batch(value._tangent, level), value._level)
        return batch(batch(value._value.transpose(0, 1), level), value._level)
    array = value._array
    t = blank(Batched, Standin(array.shape[1:], array.dtype, array.strides[1:], level.depth), level)
    t._value = value
    return t


def unbatch(t: Any, level: Level) -> Any:
    """Show the batch of a level as the first dimension; made by ``expand`` if the tensor is the same for all items."""
    if isinstance(t, Wrapped):
        if t._level is level:
            return t._value
        if t._level.depth > level.depth:
            if isinstance(t, Dual):
                return make_dual(unbatch(t._primal, level), unbatch(t._tangent, level), t._level)
            return batch(unbatch(t._value, level).transpose(0, 1), t._level)
    return expand_op.call(t, (level.size, *t._array.shape))


# ---- items one by one


def _with_items_apart(n: int, size: Any, stride: Any, **options: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of ``new_empty_strided`` for as many items, one behind the other."""
    if len(size) != len(stride):
        raise RuntimeError(
            f"new_empty_strided(sizes, strides): dimensionality of sizes ({len(size)}) must match dimensionality of "
            f"strides ({len(stride)})"
        )
    extent = 0 if 0 in size else 1 + sum((k - 1) * s for k, s in zip(size, stride))
    return ((n, *size), (extent, *stride)), options


fallback_enabled = True
"""Whether operators without a batching rule may be run item by item."""

_told: set[str] = set()


def _tell(name: str) -> None:
    if not fallback_enabled:
        raise RuntimeError(f"aten::{name} hit the vmap fallback which is currently disabled")
    if name not in _told:
        _told.add(name)
        warnings.warn(
            f"There is a performance drop because facula has no batching rule for {name}: it is run for each item of "
            "the batch alone.",
            stacklevel=4,
        )


_ANY_SHAPE = (
    "vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over aten::{}. Please "
    "file an issue at https://github.com/pytorch/pytorch/issues if you need this feature."
)
_OF_ANY_SHAPE = {
    "nonzero": "nonzero", "unique_all": "_unique2", "unique_along": "unique_dim",
    "unique_consecutive": "unique_consecutive",
}  # fmt: skip
"""Operators whose results are of a shape that only their elements tell, by facula's name and by PyTorch's."""

_BY_MASK = {
    "index": "vmap: We do not support batching operators that can support dynamic shape. Attempting to batch over "
    "indexing with a boolean mask.",
    "masked_select": "vmap: Attempted to vmap over `mask` in torch.masked_select(self, mask) We cannot support this "
    "because for each batch this would return a differently shaped Tensor. Please file an issue at "
    "https://github.com/pytorch/pytorch/issues if you need this feature.",
}
"""What PyTorch says of operators by masks that differ from item to item."""


def _tensors_in(values: Any) -> Iterator[Tensor]:
    for v in values:
        if isinstance(v, Tensor):
            yield v
        elif isinstance(v, (tuple, list, SavedList)):
            yield from _tensors_in(v)


def _is_mapped(tensors: Iterator[Tensor], level: Level) -> bool:
    """Whether there is a mask, after what it is a mask of, that differs from item to item."""
    return any(t.dtype is bool_ and _has_level(t, level) for t in list(tensors)[1:])


def _is_of_one_item(args: Any, level: Level) -> bool:
    """Whether all items are the same, as they are where only a derivative inside has made a batch of them."""
    if level.same_values:
        return True
    if not level.has_lifted:
        return False
    values = [unbatch(t, level) for t in _tensors_in(args) if is_batched(t, level)]
    if any(isinstance(v, Wrapped) for v in values):
        return False
    return all(v._array.tobytes() == v._array[:1].tobytes() * len(v._array) for v in values)


def one_by_one(name: str, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any], level: Level) -> Any:
    """Call a function for each item of the batch, and stack what it returns; for none, what an item of zeros has."""
    from .._core.pytree import tree_flatten, tree_map, tree_unflatten  # loaded when first used
    from ..ops.moving.joining import stack  # loaded when first used

    if name in _OF_ANY_SHAPE or (name in _BY_MASK and _is_mapped(_tensors_in(args), level)):
        if not _is_of_one_item(args, level):
            raise RuntimeError(_BY_MASK.get(name) or _ANY_SHAPE.format(_OF_ANY_SHAPE[name]))
        if level.has_lifted:
            name = ""  # in PyTorch there is no batch here
    if name:
        _tell(name)
    results = []
    for i in range(level.size or 1):

        def item(v: Any, i: int = i) -> Any:
            if isinstance(v, SavedList):
                return SavedList([item(each) for each in v])
            if not isinstance(v, Tensor) or not _has_level(v, level):
                return v
            whole = unbatch(v, level)
            return whole.select(0, i) if level.size else whole.new_zeros(whole.shape[1:])

        results.append(fn(*tree_map(item, args), **tree_map(item, kwargs)))
    leaves = [tree_flatten(r) for r in results]
    spec = leaves[0][1]
    joined = [
        batch(stack(list(column))[: level.size], level) if isinstance(column[0], Tensor) else column[0]
        for column in zip(*[found for found, _ in leaves])
    ]
    return tree_unflatten(joined, spec)


def _has_level(t: Any, level: Level) -> bool:
    while isinstance(t, Wrapped):
        if t._level is level:
            return True
        if isinstance(t, Dual):
            return _has_level(t._primal, level) or _has_level(t._tangent, level)
        t = t._inside
    return False


def each_item_of(error: NeedsValues, name: str, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Answer a public operator that needs elements, by calling it on items or, if it is about duals, on values."""
    if isinstance(error, DrawsDiffer):
        if name.endswith("_") and not is_batched(args[0], error.level):
            raise RuntimeError(
                "vmap: Cannot ask for different inplace randomness on an unbatched tensor. This will appear like same "
                "randomness. If this is necessary for your usage, please file an issue with functorch."
            )
        level = error.level
        if any(isinstance(v, Tensor) and not is_batched(v, level) for v in args):  # all are drawn at once
            given = [batch(unbatch(v, level), level) if isinstance(v, Tensor) else v for v in args]
            return fn(*given, **kwargs)
        return below(error.level, one_by_one, "", fn, args, kwargs, error.level)
    top = highest((*args, *kwargs.values()))
    if top is None or top._level.depth != error.depth:
        raise error
    if top.is_sparse:
        raise top._cannot_run(name)

    def within(*args: Any, **kwargs: Any) -> Any:
        """The function below this level, where other transforms may be in the way of elements, too."""
        try:
            return fn(*args, **kwargs)
        except NeedsValues as e:
            return each_item_of(e, name, fn, args, kwargs)

    if isinstance(top, Batched):
        return below(top._level, one_by_one, name, within, args, kwargs, top._level)
    primals = [v._primal if v.__class__ is Dual and v._level is top._level else v for v in args]
    result = within(*primals, **kwargs)
    for r in result if isinstance(result, (tuple, list)) else (result,):
        if isinstance(r, Tensor) and r._array.dtype.kind in "fcV":
            raise NotImplementedError(f"{name} has no forward-mode derivative")
    return result
