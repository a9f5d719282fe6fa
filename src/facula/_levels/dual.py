"""Dual tensors: a value and its tangent, which every primitive carries forward.

NOTE [tangents from gradients]: nobody writes a rule for forward mode. A primitive's derivative rules say enough:

- an elementwise primitive multiplies the gradient by a derivative, and a tangent is multiplied by the same one (its
  conjugate, if complex: rules follow PyTorch's convention for gradients);
- a view, or any primitive that is linear in its tensors, is applied to the tangent as to the value;
- for all others, the rule is a linear map of ``g``, the transpose of the map that is wanted. The gradient of that
  linear map is its transpose: so ``rule(g)`` is recorded for some ``g``, and differentiated with respect to it.
"""

from __future__ import annotations

from typing import Any

from .._core import state
from .._core.dtypes import F32, is_half
from .._core.numbers import number_array
from .._printing import with_note
from .._tensor import Tensor, computed
from ..autograd.grad_mode import enable_grad
from ..ops.machine.namespaces import TENSORS
from .links import Link, become, unwrap, view_of
from .wrapped import Level, Wrapped, blank, highest, innermost, remember, share_memory, standin_of

_LACKING = (
    "Trying to use forward AD with {} that does not support it because it has not been implemented yet.\nPlease file "
    "an issue to PyTorch at https://github.com/pytorch/pytorch/issues/new?template=feature-request.yml so that we can "
    "prioritize its implementation or submit a PR adding the implementation to derivatives.yaml"
)


class Dual(Wrapped):
    """A tensor with a tangent."""

    _primal: Any
    _own: Any
    """Its tangent, as computed when that of what it is a view of was ``_seen``."""
    _seen: Any = None
    _given: bool = False
    """Whether the tangent is a tensor of the user's, who sees when the dual is changed in place."""

    @property
    def _tangent(self) -> Any:
        link: Any = self._view_of
        if link is not None and is_dual(link[0], self._level):
            whole = link[0]._tangent
            if whole is not self._seen:
                self._seen, self._own = whole, link[1](whole)
        return self._own

    @_tangent.setter
    def _tangent(self, value: Any) -> None:
        self._own = value

    def _became_view(self, base: Any, again: Any, put: Any = None) -> None:
        super()._became_view(base, again, put)
        if self is not base:
            self._seen = base._tangent if is_dual(base, self._level) else None

    @property
    def _inside(self) -> Any:
        return self._primal

    def _outlived(self) -> Any:
        return self._primal

    _known = _outlived

    def _computed(self, fn: Any) -> Any:
        return computed(self._primal, fn)

    def _run(self, op: Any, tensors: tuple[Any, ...], attributes: tuple[Any, ...]) -> Any:
        level = self._level
        primals, tangents = parts(tensors, level)
        result = op(primals, *attributes) if op.variadic else op(*primals, *attributes)
        if not op.rules or not (state.modes.forward_grad or op.is_view):
            return result
        outs = [result] if op.outputs == 1 else result
        try:
            derived = tangents_of(op, primals, tangents, attributes, outs)
        except NotImplementedError as e:
            raise NotImplementedError(_LACKING.format(op.name)) from e
        if level.has_history:
            derived[0] = _with_constants(op, derived[0], primals, tangents, attributes, outs)
        if not op.is_view and any(t.__class__ is Dual and t._given for t in tensors):
            derived = [t.clone() if any(_are_one(t, given) for given in tangents) else t for t in derived]
        wrapped = [
            out if t is None or not _is_differentiable(out) else make_dual(out, t, level)
            for out, t in zip(outs, derived, strict=True)
        ]
        return wrapped[0] if op.outputs == 1 else wrapped

    def _change(
        self, op: Any, target: Any, others: tuple[Any, ...], attributes: tuple[Any, ...], again: Any
    ) -> Any:
        """NOTE [in-place on wrapped]: the tangent is computed as it would be out of place, then both are written."""
        level = self._level
        primals, tangents = parts((target, *others), level)
        if not state.modes.forward_grad:
            again(*primals)
            return target
        derived = None
        if op.rules and _is_differentiable(primals[0]) and any(t is not None for t in tangents):
            before = primals[0].clone() if "input" in op.slot_names or op.kind != "elementwise" else primals[0]
            values = (before, *[p.clone() if _is_constant_beside(p, primals[0]) else p for p in primals[1:]])
            with_out = any(slot.is_output for slot in op.slots)
            out = op(*values, *attributes) if with_out or op.kind == "other" else before
            (derived,) = tangents_of(op, values, tangents, attributes, [out])
            if level.has_history:
                derived = _with_constants(op, derived, values, tangents, attributes, [out])
        again(*primals)
        if derived is not None:
            set_tangent(target, fitted(derived, primals[0]), level)
        elif tangents[0] is not None:
            set_tangent(target, primals[0].new_zeros(primals[0].shape), level)
        return target

    def _around(self, fn: Any, *tensors: Any) -> Any:
        primals, tangents = parts(tensors, self._level)
        slopes = [_or_zeros(t, p) for t, p in zip(tangents, primals)]
        return make_dual(fn(*primals), fn(*slopes), self._level)

    def _made_like(self, name: str, fn: Any, rest: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return getattr(fn, "public", fn)(self._primal, *rest, **kwargs)

    def _reshaped(self, shape: tuple[int, ...]) -> Any:
        dual = make_dual(self._primal.reshape(shape), self._tangent.reshape(shape), self._level)
        return self._linked(dual, shape)

    # ---- values are those of the primal

    def detach(self) -> Any:
        return self._primal.detach()

    def detach_(self) -> Any:
        self._primal.detach_()
        unwrap(self)
        return self

    @property
    def data(self) -> Any:
        return self._primal.data

    @data.setter
    def data(self, value: Any) -> None:
        self._primal.data = value

    @property
    def grad(self) -> Any:
        return self._primal.grad

    @grad.setter
    def grad(self, value: Any) -> None:
        self._primal.grad = value

    def register_hook(self, hook: Any) -> Any:
        return self._primal.register_hook(hook)

    def register_post_accumulate_grad_hook(self, hook: Any) -> Any:
        return self._primal.register_post_accumulate_grad_hook(hook)

    def retain_grad(self) -> None:
        self._primal.retain_grad()

    @property
    def retains_grad(self) -> bool:
        return bool(self._primal.retains_grad)

    def item(self) -> Any:
        return self._primal.item()

    def tolist(self) -> Any:
        return self._primal.tolist()

    def numpy(self, *args: Any, **kwargs: Any) -> Any:
        return self._primal.numpy(*args, **kwargs)

    def data_ptr(self) -> int:
        return int(self._primal.data_ptr())

    def untyped_storage(self) -> Any:
        return self._primal.untyped_storage()

    def storage(self) -> Any:
        return self._primal.storage()

    @property
    def _version(self) -> int:
        return int(self._primal._version)

    def storage_offset(self) -> int:
        return int(self._primal.storage_offset())

    def _is_view(self) -> bool:
        return bool(self._primal._is_view())

    @property
    def _base(self) -> Any:
        root: Any = self
        while (link := view_of(root)) is not None:
            root = link[0]
        below = root._primal._base if root.wraps else root._base
        return root if below is None and root is not self else below

    def __bool__(self) -> bool:
        return bool(self._primal)

    def __float__(self) -> float:
        return float(self._primal)

    def __int__(self) -> int:
        return int(self._primal)

    def __index__(self) -> int:
        return int(self._primal.__index__())

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        return self._primal.__array__(*args, **kwargs)

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]
        if self._level.tracks and self._level.alive:
            from .printed import text_of  # it imports this module

            return text_of(self)
        shown = repr(self._primal)
        if not self._level.alive:
            return shown
        return with_note(shown, f"tangent={self._tangent}")


def make_dual(primal: Any, tangent: Any, level: Level) -> Any:
    """A dual of one level. What belongs to higher levels stays outside: NOTE [levels]."""
    if primal.wraps or tangent.wraps:
        top = highest((primal, tangent))
        if top._level.depth > level.depth:
            return top._around(lambda p, t: make_dual(p, t, level), primal, tangent)
    dual = blank(Dual, standin_of(primal, level.depth), level)
    dual._primal = primal
    dual._tangent = read_alike(tangent, primal)
    remember(level.duals, dual)
    return dual


def read_alike(tangent: Any, primal: Any) -> Any:
    """A tangent that is a conjugate or negative view where the value is one: views are taken of the memory of both."""
    conj, neg = primal.is_conj(), primal.is_neg()
    if tangent.is_conj() is conj and tangent.is_neg() is neg:
        return tangent
    memory = tangent.resolve_conj().resolve_neg()
    if conj:
        memory = memory.conj_physical()
    if neg:
        memory = -memory
    shown = memory.conj() if conj else memory
    return shown._neg_view() if neg else shown


def begin_dual(primal: Any, tangent: Any, level: Level) -> Any:
    """A dual that a level begins with, which is told whether a user's graph leads to it."""
    inside = primal
    while inside.wraps:
        inside = inside._inside
    if inside.requires_grad and "_transform" not in inside.__dict__:
        level.has_history = True
    dual = make_dual(primal, tangent, level)
    dual._is_given = True
    return dual


def parts(tensors: tuple[Any, ...], level: Level) -> tuple[tuple[Any, ...], list[Any]]:
    """The values and the tangents (None for a constant) of tensors at a level."""
    primals, tangents = [], []
    for t in tensors:
        if t.__class__ is Dual and t._level is level:
            primals.append(t._primal)
            tangents.append(t._tangent)
        else:
            primals.append(t)
            tangents.append(None)
    return tuple(primals), tangents


def _are_one(t: Any, given: Any) -> bool:
    """Whether a tangent is the memory of one that was given."""
    return t is not None and given is not None and (t is given or (not t.wraps and t._array is given._array))


def _is_constant_beside(p: Any, target: Any) -> bool:
    """Whether a value without a history is in the memory that is changed: what it was, the tangent may need later."""
    if not isinstance(p, Tensor):
        return False
    inside, counter = innermost(p), innermost(target)._counter
    return counter is not None and inside._counter is counter and not inside.requires_grad


def _is_differentiable(t: Any) -> bool:
    return t._array.dtype.kind in "fcV"


def set_tangent(t: Any, tangent: Any, level: Level, through: Any = None) -> None:
    """Give a tensor that was changed in place its new tangent; if it is a view, what it is a view of too.

    Nothing is written into a tangent, unless its owner expects it: others may have it, graphs may have saved it, and it
    may lack the batches of the new one. ``through``: the view that ``t`` was changed through, if any.
    """
    tangent = read_alike(tangent, t)
    link = view_of(t)
    if link is None:
        if not is_dual(t, level):
            _become_dual(t, tangent, level, through)
        elif t._given and with_batches_of(t._own, tangent) is t._own:
            t._own.copy_(tangent)
        else:
            t._tangent = tangent if state.modes.grad_enabled else _written_over(t._own, tangent)
        return
    if not tangent.numel():  # what it is a view of has not changed
        return
    base, again, put = link
    whole = base._tangent if is_dual(base, level) else base.new_zeros(base.shape)
    if put is not None:
        whole = put(whole, tangent)
    else:
        whole = with_batches_of(whole, tangent).contiguous().clone()
        part = again(whole)
        if not share_memory(part, whole):
            raise RuntimeError("forward mode: a view of a tensor with unusual strides was changed in place")
        part.copy_(tangent)
    set_tangent(base, whole, level, t)


def _written_over(before: Any, tangent: Any) -> Any:
    """A tangent that takes other values while nothing is recorded: its history stays what it was."""
    with enable_grad():
        kept = with_batches_of(before, tangent).clone()
    return kept.copy_(tangent)


def _become_dual(t: Any, tangent: Any, level: Level, through: Any) -> None:
    """Turn a constant and all its views into duals; the views find their tangents when asked."""

    def dual(primal: Any, link: Link | None) -> Any:
        made = blank(Dual, standin_of(primal, level.depth), level)
        made._primal = primal
        made._own = tangent if link is None else None
        return made

    for each in become(t, dual, through):
        remember(level.duals, each)


def check_no_dual(name: str, *values: Any) -> None:
    """Refuse duals where ``out=`` is given, as PyTorch does."""
    top = highest(values)
    if top.__class__ is Dual and top._level.alive:
        raise NotImplementedError(
            f"Trying to use forward AD with {name} that does not support it because it is an out= function"
        )


def is_dual(t: Any, level: Level) -> bool:
    return t.__class__ is Dual and t._level is level


def with_batches_of(t: Any, other: Any) -> Any:
    """A tensor that has items of its own in every batch that another belongs to."""
    from .batched import Batched, batch, unbatch  # it imports this module

    def batches(t: Any) -> list[Level]:
        found = []
        while isinstance(t, Wrapped):
            if isinstance(t, Batched):
                found.append(t._level)
            t = t._inside
        return found

    for level in batches(other):
        if level not in batches(t):
            t = batch(unbatch(t, level), level)
    return t


# ---- tangents of results


def tangents_of(
    op: Any, primals: tuple[Any, ...], tangents: list[Any], attributes: tuple[Any, ...], outs: list[Any]
) -> list[Any]:
    """The tangents of a primitive's outputs: see NOTE [tangents from gradients]."""
    live = [
        i for i, t in enumerate(tangents)
        if t is not None and (op.variadic or op.tensor_names[i] in op.rules)
    ]  # fmt: skip
    if not live or not any(_is_differentiable(out) for out in outs):
        return [None] * len(outs)
    if op.tangent_rule is not None:
        found = op.tangent_rule(op, primals, tangents, attributes, outs)
        if found is not NotImplemented:  # of these arguments the rules say enough
            return _as_list(op, found, outs)
    if op.kind == "elementwise" and _is_holomorphic(op, primals, outs[0]):
        return [_elementwise_tangent(op, primals, tangents, live, attributes, outs[0])]
    if op.kind == "linear":
        return _as_list(op, _linear_tangent(op, primals, tangents, attributes), outs)
    if op.kind == "multilinear":
        return [_multilinear_tangent(op, primals, tangents, live, attributes)]
    return _transposed(op, primals, tangents, live, attributes, outs)


def _with_constants(
    op: Any, tangent: Any, primals: tuple[Any, ...], tangents: list[Any], attributes: tuple[Any, ...], outs: list[Any]
) -> Any:
    """A tangent that has a history where PyTorch's has one.

    It multiplies the zeros that constants have for tangents, too: so in reverse mode the tangent of ``x * 2`` depends
    on ``x``, by a gradient of zeros.
    """
    if tangent is None or op.variadic or op.kind == "linear" or not state.grad_enabled():
        return tangent
    for name, own in zip(op.tensor_names, tangents):
        rule = op.rules.get(name)
        if own is not None or rule is None:
            continue
        values = [rule_value(op, source, primals, attributes, outs) for source in rule.sources]
        if op.kind == "elementwise":
            values = [rule.on(TENSORS)(outs[0].new_zeros(outs[0].shape), *values)]
        for value in values:
            if isinstance(value, Tensor) and value.requires_grad:
                nothing = value.reshape(-1)[:0].sum()
                if nothing._array.dtype.kind == "c" and tangent._array.dtype.kind != "c":
                    nothing = nothing.real
                tangent = tangent + nothing
    return tangent


def _as_list(op: Any, result: Any, outs: list[Any]) -> list[Any]:
    """A tangent for each output, None for those that are not in the graph."""
    found = list(result) if isinstance(result, (list, tuple)) else [result]
    if op.outputs != 1 and not op.multi:
        found = found[:1]
    return found + [None] * (len(outs) - len(found))


def _is_holomorphic(op: Any, primals: tuple[Any, ...], out: Any) -> bool:
    complex_input = any(isinstance(t, Tensor) and t._array.dtype.kind == "c" for t in primals)
    if out._array.dtype.kind != "c":
        return not complex_input
    return bool(op.is_holomorphic)


def _elementwise_tangent(
    op: Any, primals: tuple[Any, ...], tangents: list[Any], live: list[int], attributes: tuple[Any, ...], out: Any
) -> Any:
    is_complex = out._array.dtype.kind == "c"
    total = None
    for i in live:
        rule = op.rules[op.tensor_names[i]]
        t = tangents[i]
        if t._array.dtype != out._array.dtype:
            t = t.to(out.dtype)
        values = [rule_value(op, name, primals, attributes, [out]) for name in rule.sources]
        fn = rule.on(TENSORS)
        part = fn(TENSORS.conj(t), *values).conj_physical() if is_complex else fn(t, *values)
        total = part if total is None else total + part
    return fitted(total, out)


def fitted(t: Any, out: Any) -> Any:
    """A tangent in the shape and dtype of the value it belongs to."""
    if t._array.dtype != out._array.dtype:
        t = t.to(out.dtype)
    return t if t._array.shape == out._array.shape else t.expand(out.shape)


def _linear_tangent(op: Any, primals: tuple[Any, ...], tangents: list[Any], attributes: tuple[Any, ...]) -> Any:
    if op.variadic:
        return op(tuple([_or_zeros(t, p) for t, p in zip(tangents, primals)]), *attributes)
    given = [
        _or_zeros(t, p) if name in op.rules else p
        for name, t, p in zip(op.tensor_names, tangents, primals, strict=True)
    ]
    return op(*given, *attributes)


def _or_zeros(tangent: Any, primal: Any) -> Any:
    return primal.new_zeros(primal.shape) if tangent is None and isinstance(primal, Tensor) else tangent


def _multilinear_tangent(
    op: Any, primals: tuple[Any, ...], tangents: list[Any], live: list[int], attributes: tuple[Any, ...]
) -> Any:
    total = None
    for i in live:
        part = op(*primals[:i], tangents[i], *primals[i + 1 :], *attributes)
        total = part if total is None else total + part
    return total


def _transposed(
    op: Any, primals: tuple[Any, ...], tangents: list[Any], live: list[int], attributes: tuple[Any, ...],
    outs: list[Any],
) -> list[Any]:  # fmt: skip
    """The transpose of what the rules do to ``g``, by differentiating them with respect to it."""
    from ..func.reverse import linear_transpose  # it imports this module

    several = op.multi
    like = [out for out in (outs if several else outs[:1]) if _is_differentiable(out)]

    def gradients(*gs: Any) -> list[Any]:
        if several:
            given = iter(gs)
            g: Any = [next(given) if _is_differentiable(out) else None for out in outs]
        else:
            (g,) = gs
        if op.gradients is not None:
            needs = tuple([i in live for i in op.differentiable])
            every = op.gradients.of_tensors(g, needs, lambda name: rule_value(op, name, primals, attributes, outs))
            return [x for x, need in zip(every, needs) if need]
        found = []
        for i in live:
            rule = op.rules["tensors" if op.variadic else op.tensor_names[i]]
            values = [rule_value(op, name, primals, attributes, outs, position=i) for name in rule.sources]
            found.append(rule.on(TENSORS)(g, *values))
        return found

    pushed = linear_transpose(gradients, like, [tangents[i] for i in live])
    results = iter(pushed)
    return [next(results) if _is_differentiable(out) and (several or i == 0) else None for i, out in enumerate(outs)]


def rule_value(
    op: Any, name: str, tensors: tuple[Any, ...], attributes: tuple[Any, ...], outs: list[Any], position: int = 0
) -> Any:
    """What a rule's parameter stands for, on Tensors."""
    if name == "xp":
        return TENSORS
    if name == "position":
        return position
    if name in op.attribute_names:
        return attributes[op.attribute_names.index(name)]
    slot = op.slots[op.slot_names.index(name)]
    if slot.is_output:
        return outs[slot.index]
    if slot.is_tensor and not op.variadic:
        value = tensors[slot.index]
        if op.kind == "elementwise" and not isinstance(value, Tensor):
            dt = outs[0]._array.dtype
            wide = getattr(op, "wide_numbers", False) and is_half(dt)
            return Tensor._wrap(number_array(value, F32 if wide else dt))
        return value
    return op._value(slot, tensors)
