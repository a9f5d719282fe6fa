"""Reverse mode inside transforms: record a function, then pull cotangents back through it.

NOTE [one graph]: ``func.grad`` and its kin record the same graph that ``backward()`` uses. Inputs become fresh
leaves, at the innermost plain tensor of whatever they are wrapped in; gradients are computed by the engine on raw
arrays. Only if the graph leads outside, to a tensor that some outer ``grad`` or ``backward`` will ask about, is the
way back recorded too. So nested transforms need no wrapping for reverse mode, and run at the speed of ``backward()``.

NOTE [tensors from outside]: a constant that the function captures may be written to, and gets a history that ends at
the transform's own leaves. Nothing can be done with it later, so such a tensor forgets it when the transform ends.
Which of the tensors that were written to come from outside nobody knows: all do that are still there.

How cotangents pass the wrappings of other transforms:

- a batch: items do not know of each other, so the gradient of what is inside is that of each item, as long as every
  input has an item of its own (``_lifted`` makes sure);
- a dual ``y + y' e`` with a cotangent ``v + v' e``: the gradient is ``J^T v + (J^T v' + J'^T v) e``, and ``J'^T v`` is
  the gradient of ``y'``, with the tangents as constants.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

from .._core import state
from .._levels.batched import Batched, batch, is_batched, unbatch
from .._levels.dual import Dual, make_dual, parts
from .._levels.wrapped import Wrapped, below, enter, highest, leave
from .._tensor import Tensor
from ..autograd import engine, views
from ..autograd.accumulate import AccumulateGrad
from ..autograd.graph import nodes_behind
from ..autograd.hooks import NO_HOOKS, OwnHooks


class Reverse:
    """One reverse-mode transform."""

    def __init__(self, inputs: Sequence[Any], implicit: bool = False) -> None:
        self.given = inputs
        self.stands_for: dict[Any, Any] = {}
        """Inputs that require a gradient outside, by the nodes of the leaves in their places."""
        self.implicit = implicit
        """Whether the user does not know of it; see ``Level.implicit``."""

    def __enter__(self) -> Reverse:
        if not self.implicit and any(not isinstance(hooks, OwnHooks) for hooks in state.modes.saved_hooks):
            raise RuntimeError(NO_HOOKS)
        self.outer = state.modes.grad_enabled
        self.inference = state.modes.inference
        self.level = enter()
        self.level.reverse = self.level.tracks = not self.implicit
        self.level.implicit = self.implicit
        self.leads_outside: bool | None = None
        """Whether the outputs' graph does, once it has been looked at."""
        if self.inference:
            state.update(inference=False)
        state.set_grad(True)
        self.outer_written = state.modes.written
        if not self.implicit:
            state.modes.written = []
        try:
            self.inputs = [self._opened(_lifted(t)) for t in self.given]
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *exc: object) -> None:
        written, state.modes.written = state.modes.written, self.outer_written
        if written and not self.implicit:
            self._forget_histories([t for ref in written if (t := ref()) is not None and t._node is not None])
        leave(self.level)
        state.set_grad(self.outer)
        if self.inference:
            state.update(inference=True)

    def _forget_histories(self, tensors: list[Any]) -> None:
        """See NOTE [tensors from outside]."""
        for t, leads_outside in [(t, self._leads_outside([t])) for t in tensors]:
            if not leads_outside:
                views.forget_history(t)
            elif self.outer_written is not None:
                self.outer_written.append(weakref.ref(t))

    def kept(self, outputs: Sequence[Any]) -> list[Any]:
        """Outputs, as they lead back when histories have been forgotten."""
        return [t.alias() if t.requires_grad else t for t in outputs] if state.modes.written else [*outputs]

    def _opened(self, t: Any) -> Any:
        if isinstance(t, Dual):
            return make_dual(self._opened(t._primal), t._tangent, t._level)
        if isinstance(t, Batched):
            opened = batch(self._opened(t._value), t._level)
            if (item := t.__dict__.get("_item")) is not None:
                opened.__dict__["_item"] = item
            return opened
        if t.requires_grad and not t.is_inference():
            leaf = t.alias()
            self.level.opened.append(leaf._node)
            self.stands_for[leaf._node] = t
        else:
            leaf = t.detach() if t.dispatches else Tensor._wrap(t._array)
            leaf._require_differentiable_dtype()
            leaf._own_meta().requires_grad = True
            leaf.__dict__["_transform"] = self.level
        return leaf

    def pull(self, outputs: Sequence[Any], cotangents: Sequence[Any], keep: bool = True) -> list[Any]:
        """The gradients of the inputs, or None."""
        found = pulled(outputs, self.inputs, cotangents, keep, self._plainly)
        if state.watch is not None and None in [None if g is None else 0 for g in found]:
            state.watch.unused_arguments(self.inputs, found, outputs)
        return [None if g is None else self.closed(g) for g in found]

    def closed(self, t: Any, is_output: bool = False) -> Any:
        """A result as the outside may see it: without the history that ends at this transform's own leaves."""
        if t.wraps:
            if isinstance(t, Dual):
                return make_dual(self.closed(t._primal, is_output), self.closed(t._tangent), t._level)
            return batch(self.closed(t._value, is_output), t._level)
        if not t.requires_grad:
            return t
        if state.grad_enabled() and not (is_output and self.leads_outside is False) and self._leads_outside([t]):
            return self.stands_for.get(t._node, t)
        return t.detach()

    def _plainly(self, ys: Sequence[Any], xs: Sequence[Any], vs: Sequence[Any], keep: bool) -> list[Any]:
        create = False
        if state.grad_enabled():
            self.leads_outside = self._leads_outside(ys)
            create = self.leads_outside or any(v.requires_grad for v in vs)
        return engine.run_backward(_roots(ys, vs), keep or create, create, [x._edge() for x in xs])

    def _leads_outside(self, tensors: Sequence[Any]) -> bool:
        """Whether a graph leads to a leaf that is neither this transform's own nor that of one that has ended."""
        for node in nodes_behind([t._edge() for t in tensors]):
            if type(node) is AccumulateGrad:
                owner = node.variable.__dict__.get("_transform")
                if owner is None or (owner.alive and owner is not self.level):
                    return True
            elif node.leads_outside:
                return True
        return False


Plainly = Callable[[Sequence[Any], Sequence[Any], Sequence[Any], bool], list[Any]]


def pulled(ys: Sequence[Any], xs: Sequence[Any], vs: Sequence[Any], keep: bool, plainly: Plainly) -> list[Any]:
    """Gradients of ``xs``, for cotangents ``vs`` of ``ys``, through all wrappings; ``plainly`` does it for plain ones.

    ``keep``: the graph will be needed again.
    """
    top = highest([*ys, *xs])
    if top is None:
        live = [(y, v) for y, v in zip(ys, vs) if v is not None and y.requires_grad]
        return plainly([y for y, _ in live], xs, [v for _, v in live], keep) if live else [None] * len(xs)
    level = top._level
    if isinstance(top, Batched):
        live = [(y._value, v) for y, v in zip(ys, vs) if is_batched(y, level) and v is not None]
        inputs = [unbatch(x, level) for x in xs]
        outputs, cotangents = [y for y, _ in live], [unbatch(v, level) for _, v in live]
        inside = below(level, pulled, outputs, inputs, cotangents, keep, plainly)
        return [None if g is None else batch(g, level) for g in inside]
    primals, tangents = parts(tuple(ys), level)
    inputs = list(parts(tuple(xs), level)[0])
    halves = [(None, None) if v is None else _halves(v, level) for v in vs]
    values = below(level, pulled, primals, inputs, [p for p, _ in halves], True, plainly)
    more = [(y, t) for y, (_, t) in zip(primals, halves) if t is not None]
    more += [(t, p) for t, (p, _) in zip(tangents, halves) if t is not None and p is not None]
    slopes = below(level, pulled, [y for y, _ in more], inputs, [v for _, v in more], keep, plainly)
    return [_joined(g, s, level) for g, s in zip(values, slopes)]


def _roots(ys: Sequence[Any], vs: Sequence[Any]) -> list[Any]:
    return [(y._edge(), v if v._array.dtype == y._array.dtype else v.to(y.dtype)) for y, v in zip(ys, vs)]


def grad_through(
    outputs: Sequence[Any], inputs: Sequence[Any], cotangents: Sequence[Any], keep: bool, create: bool
) -> list[Any]:
    """What ``autograd.grad`` does with tensors inside transforms."""
    for y in outputs:
        if isinstance(y, Batched) and not all(is_batched(x, y._level) for x in inputs):
            raise RuntimeError(
                "autograd.grad inside vmap: an output is batched and an input is not; use func.grad or func.vjp instead"
            )

    def plainly(ys: Sequence[Any], xs: Sequence[Any], vs: Sequence[Any], keep: bool) -> list[Any]:
        return engine.run_backward(_roots(ys, vs), keep, create, [x._edge() for x in xs])

    return pulled(outputs, inputs, cotangents, keep, plainly)


def _lifted(t: Any) -> Any:
    """A tensor that has its own item in every batch around it."""
    for level in state.modes.levels:
        if level.size >= 0:
            t = _lifted_to(t, level)
    return t


def _lifted_to(t: Any, level: Any) -> Any:
    if isinstance(t, Dual) and t._level.depth > level.depth:
        return make_dual(_lifted_to(t._primal, level), _lifted_to(t._tangent, level), t._level)
    if is_batched(t, level):
        return t
    whole = batch(unbatch(t, level), level)
    if whole._level is level:
        whole.__dict__["_item"] = t
        level.has_lifted = True
    return whole


def _halves(v: Any, level: Any) -> tuple[Any, Any]:
    """A cotangent's value and tangent at a level, below the wrappings of higher ones."""
    if isinstance(v, Wrapped) and v._level.depth >= level.depth:
        if v._level is level:
            return v._primal, v._tangent
        if isinstance(v, Batched):
            p, t = _halves(v._value, level)
            return batch(p, v._level), None if t is None else batch(t, v._level)
        p, t = _halves(v._primal, level)
        dp, dt = _halves(v._tangent, level)
        value = make_dual(p, dp, v._level)
        if t is None and dt is None:
            return value, None
        t = p.new_zeros(p.shape) if t is None else t
        return value, make_dual(t, t.new_zeros(t.shape) if dt is None else dt, v._level)
    return v, None


def _joined(value: Any, slope: Any, level: Any) -> Any:
    if slope is None:
        return value
    return make_dual(slope.new_zeros(slope.shape) if value is None else value, slope, level)


def linear_transpose(fn: Callable[..., list[Any]], like: list[Any], tangents: list[Any]) -> list[Any]:
    """For a linear map ``fn`` of tensors like ``like``: what its transpose makes of ``tangents``."""
    trace = Reverse([t.new_zeros(t.shape) for t in like], implicit=True)
    with trace:
        mapped = fn(*trace.inputs)
    pairs = [(y, _in_shape_of(t, y)) for y, t in zip(mapped, tangents, strict=True) if y is not None]
    found = trace.pull([y for y, _ in pairs], [t for _, t in pairs], keep=False)
    return [t.new_zeros(t.shape) if g is None else g for g, t in zip(found, like)]


def _in_shape_of(t: Any, y: Any) -> Any:
    """A tangent in the shape of the gradient it is weighed with, which may not have been summed to it yet."""
    return t if t._array.shape == y._array.shape else t.expand(y.shape)
