"""Tensors that stand for others: duals (forward mode) and batches (``vmap``).

NOTE [levels]: each transform that is being run has a level, numbered from the outermost. A wrapped tensor belongs to
one level. A primitive that meets wrapped tensors goes to the highest level among them, which takes off its own
wrapping, calls primitives on what was inside, and wraps the results again. Tensors of lower levels, and plain ones, are
constants to it: that is why perturbations of different levels are never confused.

Reverse mode needs no wrapping. The graph is recorded on the plain tensors at the innermost, at full speed, and
``func`` finds its way to them and back (see ``func.reverse``).

A wrapped tensor's ``_array`` is a ``Standin``: operators may look at shape and dtype, as they do for every tensor, but
whoever asks it for elements gets ``NeedsValues``, never a wrong number.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np

from .._core import state
from .._tensor import Tensor
from ..autograd.saved import DIRECT
from ..ops.machine.any_state import transforms
from ..overrides import _disabled_torch_function_impl
from .needs_values import NeedsValues

_new = object.__new__
_getframe = sys._getframe


class Level:
    """One transform that is being run."""

    __slots__ = (
        "alive", "depth", "duals", "has_history", "has_lifted", "implicit", "opened", "randomness", "reverse",
        "same_values", "size", "tracks",
    )  # fmt: skip

    def __init__(self, depth: int, size: int, randomness: str) -> None:
        self.depth = depth
        self.size = size
        """How many items a batch has; -1 for a level of duals."""
        self.randomness = randomness
        self.alive = True
        self.implicit = False
        """Whether facula itself transforms, and its user does not know: what only users may not do is allowed."""
        self.has_history = False
        """Whether it began with duals whose values are in a graph of their own, outside of all transforms."""
        self.reverse = False
        """Whether it is one of reverse mode."""
        self.tracks = False
        """Whether its tensors are shown as tracked for gradients: those of ``grad``, ``vjp`` and ``jvp`` are."""
        self.opened: list[Any] = []
        """The nodes by which reverse mode's inputs begin anew, if they have a history themselves."""
        self.same_values = False
        """Whether all items of the batch have the same values, and only tangents differ: in ``jacfwd``."""
        self.has_lifted = False
        """Whether tensors that are the same for all items were made a batch, as the inputs of derivatives are."""
        self.duals: list[Any] = []
        """Weak references to its duals, of which some may be gone: those that are left become plain when it ends."""


def enter(size: int = -1, randomness: str = "same") -> Level:
    """Begin a transform."""
    levels = state.modes.levels
    level = Level(len(levels) + 1, size, randomness)
    state.modes.levels = (*levels, level)
    return level


def leave(level: Level) -> None:
    """End it. What still belongs to it is dead."""
    level.alive = False
    level.opened = []
    state.modes.levels = state.modes.levels[: level.depth - 1]
    if level.duals:
        from .links import restore  # it imports this module

        restore(level)


class _Flags:
    __slots__ = ("c_contiguous", "f_contiguous")
    writeable = True
    aligned = True

    def __init__(self, c: bool, f: bool) -> None:
        self.c_contiguous = c
        self.f_contiguous = f


class Standin:
    """What an array looks like, without its elements."""

    __slots__ = ("depth", "dtype", "ndim", "shape", "strides")

    def __init__(self, shape: tuple[int, ...], dtype: Any, strides: tuple[int, ...], depth: int) -> None:
        self.shape = shape
        self.ndim = len(shape)
        self.dtype = dtype
        self.strides = strides
        self.depth = depth

    base = None
    bits = 0
    size = property(lambda self: math.prod(self.shape))
    real = property(lambda self: Standin(self.shape, self.dtype.type(0).real.dtype, self.strides, self.depth))
    itemsize = property(lambda self: self.dtype.itemsize)
    nbytes = property(lambda self: math.prod(self.shape) * self.dtype.itemsize)

    @property
    def flags(self) -> _Flags:
        return _Flags(self._is_dense(range(len(self.shape) - 1, -1, -1)), self._is_dense(range(len(self.shape))))

    def _is_dense(self, order: Iterable[int]) -> bool:
        step = self.dtype.itemsize
        for i in order:
            if self.shape[i] != 1 and self.strides[i] != step:
                return 0 in self.shape
            step *= self.shape[i]
        return True

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name not in ("__array__", "__array_interface__", "__array_ufunc__"):
            raise AttributeError(name)
        raise NeedsValues(self.depth)

    def __array_function__(self, fn: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if fn in (np.zeros_like, np.ones_like) and len(args) == 1 and not kwargs:
            return (np.zeros if fn is np.zeros_like else np.ones)(self.shape, self.dtype)
        raise NeedsValues(self.depth)

    def _needs_values(self, *args: Any, **kwargs: Any) -> Any:
        raise NeedsValues(self.depth)

    __array_ufunc__ = __array__ = __getitem__ = __setitem__ = _needs_values
    __add__ = __radd__ = __mul__ = __rmul__ = __sub__ = __rsub__ = __truediv__ = __rtruediv__ = _needs_values
    __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __float__ = __int__ = __index__ = __len__ = _needs_values
    __eq__ = __ne__ = __neg__ = __abs__ = __pow__ = __mod__ = __floordiv__ = __invert__ = _needs_values
    __and__ = __or__ = __xor__ = __iter__ = __contains__ = __matmul__ = _needs_values
    __hash__ = None  # type: ignore[assignment]


class Wrapped(Tensor):
    """A tensor of one level of transforms: abstract; its kinds are ``Dual`` and ``Batched``.

    A kind keeps what it stands for in attributes of its own, is made with ``blank``, and says the nine things below.
    ``_run`` and ``_change`` are called as if the transforms from this level on were not being run (see ``below``), the
    others in whatever state.

    The methods raise instead of being ``abc`` ones: a metaclass would slow every ``isinstance(x, Tensor)``.
    """

    wraps = True
    __torch_function__ = _disabled_torch_function_impl  # type: ignore[assignment]
    _level: Level

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    @property
    def _inside(self) -> Any:
        """The tensor, of a lower level or plain, that gradients, versions and devices are those of."""
        raise NotImplementedError

    def _run(self, op: Any, tensors: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
        """Call a primitive with tensors of which this is the highest: the result of ``op``, wrapped.

        Take off this level's wrappings (others are constants), call primitives on what is inside, wrap the results. The
        caller links views with what they are views of.
        """
        raise NotImplementedError

    def _change(self, op: Any, target: Any, others: tuple[Any, ...], attributes: tuple[Any, ...], again: Any) -> Any:
        """Change ``target`` in place as ``op`` does, and return it; ``again(target, *others)`` does so to others.

        The target need not be wrapped: refuse, or make it so, if what it becomes does not fit into it.
        """
        raise NotImplementedError

    def _around(self, fn: Any, *tensors: Any) -> Any:
        """``fn`` of what is inside some tensors, wrapped again. ``fn`` is linear in all of them."""
        raise NotImplementedError

    def _made_like(self, name: str, fn: Any, rest: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What a factory makes in the likeness of this tensor: ``zeros_like(self)``, ``self.new_zeros(2)``.

        ``name`` is that of the public function ``fn``.
        """
        raise NotImplementedError

    def _reshaped(self, shape: tuple[int, ...]) -> Any:
        """``self.reshape(shape)``, passed through ``_linked``."""
        raise NotImplementedError

    def _outlived(self) -> Any:
        """What is left of the tensor when its level has ended; raise if nothing is that a user could mean."""
        raise NotImplementedError

    def _known(self) -> Any:
        """The tensor inside that has the values of this one, or itself if it has no single value for each element."""
        raise NotImplementedError

    def _computed(self, fn: Any) -> Any:
        """``fn`` of the array innermost in it, wrapped: for constants as indices. It works along leading dimensions."""
        raise NotImplementedError

    links_views = True
    """Whether views of it know what they are views of, and share its memory."""

    # ---- the rest follows, but for values (``item``, ``detach``, ``__repr__`` ...), which a kind shows or refuses

    _view_of: tuple[Tensor, Any, Any] | None = None
    """Of a view: what it is a view of; how to view something else the same way; how to put a part into the whole, if
    that is not done by writing into such a view."""
    _views: list[Any] | None = None
    """Weak references to its own views, of which some may be gone."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        DIRECT.add(cls)

    @property
    def requires_grad(self) -> bool:
        return self._inside.requires_grad

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        self._inside.requires_grad = value

    @property
    def grad_fn(self) -> Any:
        return self._inside.grad_fn

    @property
    def is_leaf(self) -> bool:
        return self._inside.is_leaf

    @property
    def _version(self) -> int:
        return self._inside._version

    @property
    def device(self) -> Any:
        return self._inside.device

    @property
    def is_meta(self) -> bool:
        return self._inside.is_meta

    def _edge(self) -> Any:
        return self._inside._edge()

    def _shared_counter(self) -> list[Any]:
        return self._inside._shared_counter()

    def _bump_version(self) -> None:
        self._inside._bump_version()

    def is_inference(self) -> bool:
        return self._inside.is_inference()

    def is_conj(self) -> bool:
        return self._inside.is_conj()

    def is_neg(self) -> bool:
        return self._inside.is_neg()

    def _became_view(self, base: Tensor, again: Any, put: Any = None) -> None:
        if self is not base:
            link(self, base, again, put)

    def _owner_of_memory(self) -> Any:
        """What it is a view of, through all views that leave the dtype as it is."""
        owner: Any = self
        while owner.wraps and owner._view_of is not None and owner._view_of[0]._array.dtype == self._array.dtype:
            owner = owner._view_of[0]
        return owner

    def _linked(self, reshaped: Any, shape: tuple[int, ...]) -> Any:
        """The result of ``reshape``, known as a view if it is one."""
        if share_memory(self, reshaped):
            reshaped._became_view(self, lambda t: t.reshape(shape))
        return reshaped


def link(view: Any, base: Any, again: Any, put: Any = None) -> None:
    """Have a wrapped view know what it is a view of, and that know it."""
    view._view_of = (base, again, put)
    if base._views is None:
        base._views = []
    remember(base._views, view)


def remember(held: list[Any], t: Any) -> None:
    """Add a weak reference to a tensor; those to what is gone are forgotten each time there are twice as many."""
    if held and len(held) & (len(held) - 1) == 0:
        held[:] = [each for each in held if each() is not None]
    held.append(ref(t))


def innermost(t: Any) -> Any:
    """The plain tensor within all wrappings."""
    while t.wraps:
        t = t._inside
    return t


def share_memory(a: Any, b: Any) -> bool:
    """Whether what is innermost in two tensors is one memory, or none at all."""
    memory = innermost(a)._array
    return not memory.size or np.may_share_memory(memory, innermost(b)._array)


def blank(cls: type, standin: Standin, level: Level) -> Any:
    """A wrapped tensor with nothing inside yet."""
    t: Any = _new(cls)
    t._array = standin
    t._node = None
    t._meta = None
    t._counter = None
    t._level = level
    return t


def standin_of(t: Any, depth: int) -> Standin:
    """What a tensor looks like."""
    array = t._array
    return Standin(array.shape, array.dtype, array.strides, depth)


# ---- dispatch


def highest(values: Iterable[Any]) -> Any:
    """The wrapped tensor of the highest level among values, lists of tensors included; None if there is none."""
    found = None
    depth = 0
    for v in values:
        if isinstance(v, (tuple, list)):
            v = highest(v)
            if v is None:
                continue
        elif not isinstance(v, Tensor) or not v.wraps:
            continue
        if v._level.depth > depth:
            found, depth = v, v._level.depth
    return found


def alive(value: Any) -> Any:
    """A value without the wrappings of transforms that have ended."""
    if isinstance(value, Tensor):
        while value.wraps and not value._level.alive:
            value = value._outlived()
        return value
    if isinstance(value, (tuple, list)) and any(isinstance(v, Tensor) and v.wraps for v in value):
        return type(value)([alive(v) for v in value])
    return value


def call(op: Any, tensors: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
    """Run a primitive on tensors of which some are wrapped."""
    top = None
    depth = 0
    for t in tensors:
        if isinstance(t, Wrapped):
            level = t._level
            if not level.alive:
                break
            if level.depth > depth:
                top, depth = t, level.depth
    else:
        if top is not None and not op.lists and op.composed is None:
            modes = state.modes.__dict__  # each look through the thread-local object itself takes as long as ten here
            outer, place = modes.get("levels", ()), modes.get("place")
            modes["levels"] = outer[: depth - 1]
            if place is None:
                modes["place"] = _getframe(1)
            try:
                result = top._run(op, tensors, attributes)
            finally:
                modes["levels"] = outer
                modes["place"] = place
            if op.is_view and top.links_views:
                _link(result, tensors[0], op, attributes)
            return result
    return _any_call(op, tensors, attributes)


def _any_call(op: Any, tensors: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
    tensors = tuple([alive(t) for t in tensors])
    if op.lists:
        attributes = tuple([alive(a) for a in attributes])
    top = highest((tensors, attributes) if op.lists else tensors)
    if top is None:
        return op(tensors, *attributes) if op.variadic else op(*tensors, *attributes)
    if op.composed is not None:
        return op.composed(*tensors, *attributes)
    result = below(top._level, top._run, op, tensors, attributes)
    if op.is_view and top.links_views:
        _link(result, tensors[0], op, attributes)
    return result


def _link(result: Any, base: Tensor, op: Any, attributes: tuple[Any, ...]) -> None:
    """Have views remember what they are views of."""
    if op.name.startswith("as_strided"):  # it tells where elements lie in memory: not in that of tangents
        from .links import by_geometry  # it imports this module

        *there, here = attributes
        result._became_view(base, *by_geometry(here, tuple(there)))
    elif op.outputs == 1:
        result._became_view(base, lambda t: op(t, *attributes))
    else:
        for i, out in enumerate(result):
            out._became_view(base, lambda t, i=i: op(t, *attributes)[i])


def below(level: Level, fn: Any, *args: Any, **kwargs: Any) -> Any:
    """Call a function as if the transforms from this level on were not being run: it works with what is inside."""
    modes = state.modes
    outer = modes.levels
    modes.levels = outer[: level.depth - 1]
    try:
        return fn(*args, **kwargs)
    finally:
        modes.levels = outer


def change(op: Any, self: Any, others: tuple[Any, ...], attributes: tuple[Any, ...], again: Any) -> Any:
    """Change a tensor in place where some are wrapped. ``again`` does the same to other tensors in their places."""
    given = [alive(t) for t in (self, *others)]
    top = highest(given)
    if top is None:
        again(*given)
    else:
        below(top._level, top._change, op, given[0], tuple(given[1:]), attributes, again)
    return self


transforms.call = staticmethod(call)
transforms.change = staticmethod(change)
