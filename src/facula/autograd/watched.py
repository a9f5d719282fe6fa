"""Running a node that somebody watches: hooks, captured gradients, anomaly mode, the profiler, in PyTorch's order."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from .._core import state
from .._core.unresolved import resolved
from ..ops.arrays.sparse_array import SparseArray
from ..ops.machine.namespaces import ARRAYS
from . import anomaly
from .accumulate import AccumulateGrad
from .adapting import adapt, fit_shapes
from .graph import EMPTY
from .saved import unpack

Tensor_: Any = None  # set by _tensor, which imports this module


def run_watched(task: Any, node: Any, g: Any, edges: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    """One node with everything that may be attached to it."""
    if state.profiler is None:
        return _run_attached(task, node, g, edges, node.propagate)
    from ..profiler import _recorder  # it imports this module

    def propagate(g: Any, xp: Any, edges: tuple[Any, ...]) -> Any:
        span = _recorder.apply(node, g if node.multi else (g,))
        result = None
        try:
            result = node.propagate(g, xp, edges)
        finally:
            _recorder.applied(span, result, g)
        return result

    span = _recorder.evaluate(node)
    try:
        return _run_attached(task, node, g, edges, propagate)
    finally:
        _recorder.finish(span)


def measure_accumulator(task: Any, node: Any, g: Any, passing: int) -> None:
    """``_run_accumulator`` under a profiler, one call further from where the gradient was made."""
    if node.attached is not None or node.variable._meta.hooks or node in task.captures or anomaly.enabled:
        run_watched(task, node, g, ())
        return
    from ..profiler import _recorder  # it imports this module

    held = node.variable.grad
    around, span = _recorder.evaluate(node), _recorder.apply(node, (g,))
    try:
        node.add(g, task.xp, passing if passing > 1 else 0)
    finally:
        _recorder.applied(span, node.variable.grad, (g, held))
        _recorder.finish(around)


def _run_attached(
    task: Any, node: Any, g: Any, edges: tuple[Any, ...], propagate: Callable[..., Any]
) -> tuple[Any, tuple[Any, ...]]:
    """The same in PyTorch's order; ``propagate`` runs the node itself."""
    task.running = node
    xp = task.xp
    attached = node.attached
    grads = list(g) if node.multi else [g]
    if attached is not None and attached.shapes:
        fit_shapes(task, node, grads)
    needed = task.needed is None or node in task.needed
    captures = task.captures.get(node, ())
    if captures and needed:  # PyTorch: a tensor that the pass goes on through is captured before its own hooks
        for nr, index in captures:
            task.captured[index] = grads[nr]
    _run_tensor_hooks(task, node, attached, grads)
    if captures and not needed:
        for nr, index in captures:
            task.captured[index] = grads[nr]
    if not needed:
        return (), ()

    if attached is not None and attached.pre:
        for hook in list(attached.pre.values()):
            grads = _replaced(task, hook, grads)
    outputs = shown(task, grads) if attached is not None and attached.post else ()

    g = grads if node.multi else grads[0]
    if outputs and node.__class__ is AccumulateGrad and xp.is_raw:
        outputs, propagate = _kept_for_hooks(node, g)
    try:
        if edges and edges.count(None) == len(edges) and hasattr(getattr(node, "primitive", None), "rules"):
            unpack(node, xp)  # which fails where the node would, were its gradients wanted; a Function's own code runs
            result: Any = edges
        else:
            result = propagate(g, xp, edges)
    except BaseException:
        if anomaly.enabled:
            anomaly.tell(node)
        raise
    if node.adapt is not None:
        result = adapt(node, result, edges, xp)
    if anomaly.enabled and anomaly.checks_nan:
        anomaly.check(node, result, xp)
    attached = node.attached
    if attached is not None and attached.post:
        grads = list(result)
        for hook in list(attached.post.values()):
            grads = _replaced(task, hook, grads, outputs)
        result = grads
    if not task.keep_graph and node.saved is not EMPTY:  # not if a hook has failed
        node.free(task.by)
    return result, edges


def _run_tensor_hooks(task: Any, node: Any, attached: Any, grads: list[Any]) -> None:
    xp = task.xp
    tensor_hooks = attached.tensor if attached is not None else {}
    if node.__class__ is AccumulateGrad:
        meta: Any = node.variable._meta
        if meta is not None and meta.hooks:  # None: another tensor was swapped into its place
            tensor_hooks = {0: meta.hooks}
    for nr, hooks in tensor_hooks.items():
        (t,) = shown(task, [grads[nr]])
        for hook in list(hooks.values()):
            with _users_code(hook):
                result = hook(t)
            if result is not None:
                t = _checked(hook, result, t)
        grads[nr] = _kept(task, t)
    if attached is not None:
        for nr, reference in attached.retain.items():
            _retain(reference(), grads[nr], xp)


def _kept_for_hooks(node: Any, g: Any) -> tuple[tuple[Any, ...], Callable[..., Any]]:
    """A leaf's first gradient is one and the same for its ``.grad`` and for the hooks that come after."""
    if g is None or node.variable._meta.grad is not None:
        return as_tensors([g], ARRAYS), node.propagate
    kept = node.fitted(g)

    def take(g: Any, xp: Any, edges: tuple[Any, ...]) -> tuple[()]:
        node.add(kept, xp, sys.maxsize)
        return ()

    return as_tensors([kept], ARRAYS), take


class _users_code:
    """Around a hook: a change of the grad mode ends with it, and what it records has places of its own."""

    def __init__(self, hook: Any) -> None:
        self.hook = hook

    def __enter__(self) -> None:
        modes = state.modes
        if modes.capture is not None:
            modes.capture.calls_hook(self.hook)
        self.before = (modes.grad_enabled, modes.place)
        modes.place = None

    def __exit__(self, *exc: object) -> None:
        enabled, state.modes.place = self.before
        if state.modes.grad_enabled is not enabled:
            state.set_grad(enabled)


def shown(task: Any, grads: list[Any]) -> tuple[Any, ...]:
    """Gradients as hooks see them: Tensors, which are those that a user has given if nothing was done to them."""
    given = task.given
    if not given or not task.xp.is_raw:
        return as_tensors(grads, task.xp)
    return tuple([None if g is None else given[id(g)][1] if id(g) in given else as_tensor(g) for g in grads])


def _kept(task: Any, t: Any) -> Any:
    """The gradient that a hook was shown or has returned, and may have changed in place."""
    value = value_of(t, task.xp)
    if task.xp.is_raw and t is not None:
        if value.__class__ is np.ndarray and not value.ndim:
            value = value[()]
        if t.requires_grad:
            task.given = {**task.given, id(value): (value, t)}
    return value


def as_tensors(grads: list[Any], xp: Any) -> tuple[Any, ...]:
    """The same of gradients that nobody has given."""
    if not xp.is_raw:
        return tuple(grads)
    return tuple([None if g is None else as_tensor(g) for g in grads])


def as_tensor(g: Any) -> Any:
    """A gradient on arrays as a Tensor."""
    if type(g) is SparseArray:
        from ..ops.sparse import gradients  # loaded when first used

        return gradients.as_tensor(g)
    array = np.asanyarray(g)
    if array.__class__ is np.ndarray and not array.flags.writeable:
        array = array.copy()  # elements that were spread and have their own memory in PyTorch
    return Tensor_._wrap(array)


def value_of(t: Any, xp: Any) -> Any:
    """The other way round."""
    if not xp.is_raw or t is None:
        return t
    if t.is_sparse:
        from ..ops.sparse import gradients  # loaded when first used

        return gradients.as_array(t)
    return resolved(t._array)


def _replaced(task: Any, hook: Any, grads: list[Any], *outputs: Any) -> list[Any]:
    """The gradients after a node's hook, which may return a tuple of as many."""
    given = shown(task, grads)
    with _users_code(hook):
        result = hook(given, *outputs)
    if result is None:
        return [_kept(task, t) for t in given]
    if not isinstance(result, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(result).__name__}'")
    if len(result) != len(given):
        raise RuntimeError(
            f"hook '{_hook_name(hook)}' has returned an incorrect number of values (got {len(result)}, but expected "
            f"{len(given)})"
        )
    return [None if new is None else _kept(task, _checked(hook, new, old)) for new, old in zip(result, given)]


def _hook_name(hook: Any) -> str:
    return getattr(hook, "__name__", "__call__")


def _checked(hook: Any, new: Any, old: Any) -> Any:
    if old is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if not isinstance(new, Tensor_):
        raise TypeError(f"expected Variable, but hook returned '{type(new).__name__}'")
    wrong = _wrongness(_hook_name(hook), new, old)
    if wrong:
        from .._explain import errors  # loaded when something went wrong

        raise errors.wrong_hook(RuntimeError(wrong), hook)
    return new


def _wrongness(name: str, new: Any, old: Any) -> str:
    """What a hook has changed that it must not."""
    if new._array.dtype != old._array.dtype:
        return f"hook '{name}' has changed the type of value (was {_legacy_type(old)} got {_legacy_type(new)})"
    if new.device != old.device:
        return f"hook '{name}' has changed the device of value"
    if new._array.shape != old._array.shape:
        return f"hook '{name}' has changed the size of value"
    return ""


def _legacy_type(t: Any) -> str:
    """PyTorch's name of a type of tensors; those that came late have none in Python."""
    name: str = t._type_name()
    if t.is_complex() or name == "torch.BFloat16Tensor":
        return name.replace("torch.", "CPU").replace("Tensor", "Type")
    return name


def _retain(t: Any, g: Any, xp: Any) -> None:
    """``retain_grad``: sums are out of place, so what the user took before stays as it was."""
    if t is None or g is None:
        return
    meta = t._own_meta()
    if meta.grad is None or meta.grad.wraps:  # the gradient of a pass inside a transform, which has ended
        meta.grad = Tensor_._wrap(np.asanyarray(g).copy("K")) if xp.is_raw else g.clone()
    else:
        meta.grad = Tensor_._wrap(np.asanyarray(meta.grad._array + g)) if xp.is_raw else meta.grad + g
