"""Calling an operator with whatever tensors, in whatever state: what the hot calls of ``call`` leave aside.

Here ``__torch_function__``, transforms, the profiler, watched kernels, meta tensors and inference mode are seen to. The
node is made by the same writer as that of a hot call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core import quiet, state
from ..._core.devices import MetaArray, stay_meta
from ..._core.unresolved import Unresolved, resolved, viewed
from ..._tensor import Tensor
from ...autograd.meta import AutogradMeta, Cut, cut_of
from ...autograd.saved import PLAIN, SavedList
from ...autograd.views import INFERENCE, mark_view
from ...overrides import call_override, has_override

ndarray = np.ndarray
_wrap = Tensor._wrap


class transforms:
    """What to do with tensors that stand for others. ``_levels.wrapped``, where these are made, fills it in."""

    call: Callable[..., Any]
    change: Callable[..., Any]


class subclasses:
    """What to do with tensors whose class has ``__torch_dispatch__``. ``ops.dispatch`` fills it in."""

    among: Callable[[Any], bool]
    call: Callable[..., Any]
    write: Callable[..., None]
    factory: Callable[..., Any]
    function: Callable[..., Any]
    number: Callable[[Any], Any]
    copy: Callable[[Any], Any]


def any_state(op: Any, *args: Any) -> Any:
    """Call a primitive that is not elementwise."""
    if op.variadic:
        tensors: tuple[Any, ...] = tuple(args[0])
        attributes = args[1:]
    else:
        k = len(op.tensor_names)
        tensors = args[:k]
        attributes = args[k:]
    if state.special and state.modes.function_modes:
        return _through_override(op, args)
    capture = state.modes.capture if state.special else None
    if capture is not None:
        capture.adopt(tensors, attributes if op.lists else ())
    arrays = []
    for t in tensors:
        if t.__class__ not in PLAIN and isinstance(t, Tensor):
            if t.wraps:
                return transforms.call(op, tensors, attributes)
            if _has_override(t):
                return _through_override(op, args)
        arrays.append(t._array if isinstance(t, Tensor) else t)
    is_unresolved = bool(op.flips)
    for i, array in enumerate(arrays):
        if array.__class__ is Unresolved or (array.__class__ is MetaArray and array.bits):
            if op.is_view:
                is_unresolved = True
            else:
                arrays[i] = resolved(array)
    if op.is_fused and (
        (state.special and state.modes.kernels is not None and state.modes.kernels.sees_gradients)
        or (state.dispatching and subclasses.among(tensors))
    ):
        return op.composed(*args)
    if op.lists and any(isinstance(a, SavedList) and wrapped_in(a) for a in attributes):
        return transforms.call(op, tensors, attributes)
    if state.special and state.modes.profiled is not None:
        return _measured(op, tensors, attributes, args)

    def run() -> Any:
        if capture is not None:
            return capture.run(op, arrays, attributes)
        if is_unresolved:
            return viewed(op, arrays[0], attributes)
        token = quiet.begin()
        try:
            result = op.on_arrays(tuple(arrays), *attributes) if op.variadic else op.on_arrays(*arrays, *attributes)
        finally:
            quiet.end(token)
        if arrays and arrays[0].__class__ is not ndarray and isinstance(arrays[0], MetaArray):
            return stay_meta(result)
        return result

    return finished(op, run, tensors, attributes)


def finished(
    op: Any, run: Callable[[], Any], tensors: tuple[Any, ...], attributes: tuple[Any, ...], given: Any = None
) -> Any:
    """Compute by ``run``, and give the results their history. ``given``: the tensors, or what stood for them."""
    outs = outputs(op, run, tensors, attributes, given)
    give_history(op, outs, tensors, attributes)
    if state.watching:
        state.watch.operator(op, outs, tensors, attributes)
    return outs[0] if op.outputs == 1 else outs


def outputs(
    op: Any, run: Callable[[], Any], tensors: tuple[Any, ...], attributes: tuple[Any, ...], given: Any = None
) -> list[Any]:
    """The results as tensors. Who watches kernels may have them ready (``utils._selective``)."""
    watcher = state.modes.kernels if state.special else None
    result = None if watcher is None else watcher.before(op, given or tensors, attributes)
    if result is None and state.dispatching and subclasses.among((*tensors, *attributes) if op.lists else tensors):
        result = subclasses.call(op, given or tensors, attributes)
    if result is None:
        result = run()
    outs = [wrap(result)] if op.outputs == 1 else [wrap(r) for r in result]
    if watcher is not None:
        watcher.after(op, outs)
    return outs


def give_history(op: Any, outs: list[Any], tensors: tuple[Any, ...], attributes: tuple[Any, ...]) -> None:
    """Record the call, or tell what cut the history of its outputs; make views known as such."""
    recording = state.grad_enabled()
    if not op.rules or not (recording and op.record(outs, tensors, attributes)):
        cut = cut_of(tensors, op)
        if cut is not None:
            for out in outs:
                if out._meta is None:
                    out._meta = cut
    if op.is_view:
        for nr, out in enumerate(outs):
            replay = op._replay(attributes) or (_again(op, attributes, nr) if state.modes.view_replay else None)
            mark_view(out, tensors[0], replay, multi=op.outputs != 1)
    elif state.special and state.modes.inference:
        mark_inference(outs)


def _again(op: Any, attributes: tuple[Any, ...], nr: int) -> Callable[[Any], Any]:
    """Makes a view once more, of another tensor."""
    return lambda t: op(t, *attributes) if op.outputs == 1 else op(t, *attributes)[nr]


def wrap(array: Any) -> Tensor:
    """A Tensor of what a kernel returned: an array, or a NumPy scalar in place of a 0-d one."""
    if array.__class__ is not ndarray and not isinstance(array, ndarray):
        if isinstance(array, Tensor):
            return array
        array = np.asarray(array)
    return _wrap(array)


def constant_of(result: Tensor, name: str, input: Tensor) -> Tensor:
    """A result that has no derivative, of a function called ``name``: it knows that it is cut off."""
    if (input._node is not None or input._meta is not None) and not result.wraps:
        result._meta = cut_of((input,), name)
    return result


def attach_outputs(node: Any, outs: list[Any]) -> None:
    """Make a node the history of its differentiable outputs: of the first one, or of all."""
    if not node.multi:
        if outs and outs[0]._array.dtype.kind in "fcV":
            outs[0]._node = node
        return
    for nr, out in enumerate(outs[: node.in_graph]):
        if out._array.dtype.kind in "fcV":
            out._node = node
            if out._meta is None:
                out._meta = AutogradMeta()
            out._meta.output_nr = nr


def mark_inference(outs: list[Any]) -> None:
    for out in outs:
        meta = out._own_meta()
        meta.inference = True
        meta.creation = INFERENCE


def mark_new(results: Any, given: tuple[Any, ...]) -> None:
    """In inference mode: all tensors that a function has made are inference tensors, whatever it made them by."""
    made = results if isinstance(results, (tuple, list)) else (results,)
    new = [t for t in made if isinstance(t, Tensor) and all(t is not v for v in given)]
    mark_inference([t for t in new if (t._meta is None or type(t._meta) is Cut) and not t.wraps])


def wrapped_in(values: Any) -> bool:
    """Whether a list holds a tensor of a transform."""
    return any(isinstance(t, Tensor) and t.wraps for t in values)


def unusual_in(values: Any) -> bool:
    """Whether a list holds a tensor of a transform, or one whose class says itself what operators do."""
    for t in values:  # noqa: SIM110 (any() takes three times as long)
        if t.__class__ not in PLAIN and isinstance(t, Tensor) and (t.wraps or t.dispatches):
            return True
    return False


def _measured(op: Any, tensors: tuple[Any, ...], attributes: tuple[Any, ...], args: tuple[Any, ...]) -> Any:
    from ...profiler import _recorder  # loaded when first used

    return _recorder.operator(op, (tensors, *attributes) if op.variadic else args, op.call, *args)


def _has_override(t: Tensor) -> bool:
    return not state.modes.overrides_disabled and has_override(t)


def _through_override(op: Any, args: tuple[Any, ...]) -> Any:
    return call_override(op, op.public or op, args, {})
