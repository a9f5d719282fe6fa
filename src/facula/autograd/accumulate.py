"""The ends of the graph: what adds arriving gradients to the leaves' ``.grad``."""

from __future__ import annotations

import math
import sys
import threading
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from .._core import state
from .._core.strides import is_dense
from .._core.unresolved import Unresolved
from ..ops.arrays.sparse_array import SparseArray
from ..ops.machine.namespaces import ARRAYS
from .graph import EMPTY, Node, user_place

if TYPE_CHECKING:
    from .._tensor import Tensor

Tensor_: Any = None  # set by _tensor, which imports this module
_lock = threading.RLock()


class AccumulateGrad(Node):
    """The end of the graph at a leaf: adds what arrives to the leaf's ``.grad``.

    The leaf knows it weakly, it holds the leaf strongly: it lives as long as some graph leads to it.
    """

    __slots__ = ("__weakref__", "variable")
    module = "torch::autograd::"
    variable: Tensor
    # One is made for each leaf in each step. What is the same for all of them, the class holds in place of the slots.
    next = ()
    saved = EMPTY
    versions = None
    adapt = None
    code = None
    instruction = 0

    @staticmethod
    def of(variable: Tensor) -> AccumulateGrad:
        meta = variable._meta
        assert meta is not None
        reference = meta.accumulator
        node = None if reference is None else reference()
        if node is None:
            with _lock:
                reference = meta.accumulator
                node = None if reference is None else reference()
                if node is None:
                    node = AccumulateGrad()
                    node.variable = variable
                    node.attached = None
                    node.seq = math.inf
                    meta.accumulator = weakref.ref(node)
        return node

    def propagate(self, g: Any, xp: Any, edges: tuple[Any, ...]) -> tuple[()]:
        self.add(g, xp, 0)
        return ()

    def add(self, g: Any, xp: Any, passing: int) -> None:
        """Add a gradient. ``passing``: the references to it that the way here accounts for; see NOTE [stealing]."""
        variable = self.variable
        meta = variable._meta
        assert meta is not None
        if not meta.requires_grad:
            if variable._node is not None:
                raise RuntimeError("leaf variable has been moved into the graph interior")
            self._tell_hooks(meta)
            return
        if g is not None:
            if not passing or meta.grad_dtype is not ...:
                g = _in_grad_dtype(g, self.grad_dtype(variable._array.dtype), xp)
            with _lock:
                if not xp.is_raw:
                    is_alone = sys.getrefcount(g) <= passing
                    _add_tensor(variable, meta, g, is_alone)
                elif meta.grad is not None:
                    _note_sum(variable, meta)
                    _add_array(meta, g)
                else:
                    if type(g) is not np.ndarray and not isinstance(g, np.ndarray):
                        if type(g) is SparseArray:
                            is_alone = sys.getrefcount(g) <= passing and sys.getrefcount(g.rows) <= 2
                            meta.grad = _as_sparse(g if is_alone and g.rows.base is None else g.copy())
                            return self._tell_hooks(meta)
                        g = np.asarray(g)  # of a NumPy scalar: a new array
                        passing += 1
                    if self.attached is not None and g.shape != variable._array.shape:
                        g = _spread(g, variable._array)
                    stolen = (
                        sys.getrefcount(g) <= passing
                        and (g.base is None or _is_all_that_is_left(g))
                        and (
                            g.strides == variable._array.strides
                            or (g.flags.c_contiguous and variable._array.flags.c_contiguous)
                        )
                    )
                    meta.grad = grad = Tensor_._wrap(g if stolen else _copy_in_layout(g, variable._array))
                    if state.special and state.modes.inference:
                        grad._own_meta().inference = True
        if meta.post_accumulate_hooks:
            self._tell_hooks(meta)

    def _tell_hooks(self, meta: Any) -> None:
        told: Any = self.variable
        for hook in list((meta.post_accumulate_hooks or {}).values()):
            if state.special and state.modes.capture is not None:
                state.modes.capture.calls_hook(hook)
            result = hook(told)
            if result is not None and not isinstance(result, Tensor_):
                raise TypeError(f"expected Variable, but hook returned '{type(result).__name__}'")
            if result is not None:
                told = result  # what PyTorch tells the hooks that follow
        if told is not self.variable:
            raise RuntimeError("Tensor post accumulate grad hooks should return None.")

    def grad_dtype(self, dtype: Any) -> Any:
        """The NumPy dtype that a gradient of ``dtype`` is to have here; None if any will do."""
        meta = self.variable._meta
        if meta is None or meta.grad_dtype is ...:
            return dtype
        return None if meta.grad_dtype is None else meta.grad_dtype.numpy

    def fitted(self, g: Any) -> Any:
        """A gradient's array as a ``.grad`` that nobody else has."""
        array = self.variable._array
        return _copy_in_layout(_in_grad_dtype(g, self.grad_dtype(array.dtype), ARRAYS), array)


def _in_grad_dtype(g: Any, dtype: Any, xp: Any) -> Any:
    if dtype is None or (g if xp.is_raw else g._array).dtype == dtype:
        return g
    return xp.cast(g, dtype)


# NOTE [stealing]: the first gradient of a leaf becomes its ``.grad`` as it is if nobody else can see it, which its
# reference count tells: the engine says how many references its own way to here accounts for. Else it is copied.


def _note_sum(variable: Tensor, meta: Any) -> None:
    """See whether the leaf was changed since the last sum, and its gradient left as it was: it was not cleared.

    That is told when the sum is used: the loss of another model may lead here, too, before all is cleared.
    """
    grad = meta.grad._counter[0] if meta.grad._counter is not None else 0
    counter: Any = variable._counter
    leaf = counter[0] if counter is not None else 0
    before = meta.summed
    stale = None
    if before is not None and before[0] == id(meta.grad) and before[1] == grad and before[2] != leaf:
        if before[3] is not None:
            from .._explain import unasked  # loaded when something is unusual

            unasked.stale(before[3])
        stale = (*user_place(2), *counter[1:3])
    meta.summed = (id(meta.grad), grad + 1, leaf, stale)


def _add_array(meta: Any, g: Any) -> None:
    old = meta.grad
    array = old._array
    if array.flags.writeable and (array.__class__ is np.ndarray or array.__class__ is Unresolved):
        if g.shape != array.shape or 0 in array.strides:
            old.add_(Tensor_._wrap(np.asarray(g)))  # which may be refused
            return
        np.add(array, g, out=array, casting="same_kind")
        old._bump_version()
    elif old.is_sparse and type(g) is SparseArray:
        old.add_(_as_sparse(g))
    elif old.is_sparse:
        meta.grad = Tensor_._wrap(np.array(g)).add_(old)
    else:
        meta.grad = Tensor_._wrap(np.asarray(array + g))


def _as_sparse(g: SparseArray) -> Any:
    from ..ops.sparse import gradients  # loaded when first used

    return gradients.as_tensor(g)


def _is_all_that_is_left(g: Any) -> bool:
    """Whether nobody else can see the memory of a view, as of a gradient that was transposed on its way.

    What was broadcast, if only from one element to one, must be copied.
    """
    if not g.flags.writeable or 0 in g.strides:
        return False
    return g.base.__class__ is np.ndarray and g.base.nbytes == g.nbytes and sys.getrefcount(g.base) <= 2


def _spread(g: Any, like: Any) -> Any:
    """A gradient for a leaf that got another shape in place, if it fits."""
    if not is_dense(like):
        return g
    try:
        return np.broadcast_to(g, like.shape)
    except ValueError:
        return g


def _copy_in_layout(g: Any, like: Any) -> Any:
    """A dense copy with the leaf's own order of dimensions, so that optimizers walk both alike."""
    if g.__class__ is not np.ndarray:
        return g.copy() if isinstance(g, np.ndarray) else np.array(g)
    if like.flags.c_contiguous or not is_dense(like):
        return np.array(g, order="C")
    copy = np.empty_like(like, g.dtype)
    copy[...] = g
    return copy


def _empty_for(variable: Tensor, dtype: Any) -> Tensor:
    array = variable._array
    if not isinstance(array, np.ndarray) or array.flags.c_contiguous or not is_dense(array):
        return variable.new_empty(variable.shape, dtype=dtype)
    return variable.new_empty_strided(variable.shape, variable.stride(), dtype=dtype)


def _add_tensor(variable: Tensor, meta: Any, g: Tensor, is_alone: bool) -> None:
    old = meta.grad
    recording = state.grad_enabled()
    if old is None:
        if g.dispatches and is_alone:
            meta.grad = g if recording else g.detach()
        elif g.is_sparse:
            meta.grad = g.clone() if recording else g.detach().clone()
        elif recording:
            meta.grad = _empty_for(variable, g.dtype).copy_(g)
        elif variable.is_sparse or variable.stride() == g.stride():
            meta.grad = g.detach().clone()
        else:
            meta.grad = _empty_for(variable, g.dtype).copy_(g.detach())
            meta.grad._shared_counter()[0] = 0  # nobody has seen it yet
    elif recording or (old.is_sparse and not g.is_sparse):
        meta.grad = g + old if old.is_sparse and not g.is_sparse else old + g
    else:
        old.add_(g)
