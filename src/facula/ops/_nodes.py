"""Node classes of primitives: how a node calls its rules.

``propagate(node, g, xp, edges)`` returns a gradient for each edge that is not None. The general form takes the saved
values out one by one, with all checks. The special forms below do the same for nodes that save at most their inputs
or their output, in the raw world: the hot path of backward passes; ``_with_attributes`` for all others. Whenever
something is unusual (freed, changed, packed by hooks) they leave it to the general form.

NOTE [quick rules]: in place of a rule the special forms call the primitive's ``quick`` rule, if it has one, for arrays
of float32 or float64: a ufunc of (g, saved value), or, for small arrays, a function from ``_quick_rules``.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import Any

import numpy as np

from .._dtype import F32, F64
from ..autograd import saved
from ..autograd.graph import EMPTY, Freed, Node
from ._primitive import PLAIN, Primitive, Rule, ndarray
from ._xp import RAW

SMALL = 16384
"""Above this many elements rules themselves are used instead of quick ones: they may go in tiles."""


def make_node_class(op: Primitive) -> type[Node]:
    name = op.node_name or f"{op.name.title()}Backward0"
    multi = has_several_outputs(op)
    tensor_slots = tuple(i for i, s in enumerate(op.slots) if s.is_tensor)
    has_attributes = len(tensor_slots) < len(op.slots)
    masks = range(1, 2 ** len(op.differentiable)) if len(op.differentiable) < 4 else ()
    body: dict[str, Any] = {
        "__slots__": ("count",) if multi else (),
        "__module__": "facula.autograd.graph",
        "primitive": op,
        "multi": multi,
        "saves_output": [slot.name for slot in op.slots] == ["out"],
        "propagate": _propagation_of(op),
        "free": _free_of(tensor_slots, has_attributes),
        "always_frees": bool(masks)
        and not has_attributes
        and all(any(op.keep(m)[i] for i in tensor_slots) for m in masks),
    }
    if multi:
        body["output_count"] = lambda self: self.count
    for i, slot in enumerate(op.slots):
        shown = op.saved_names.get(slot.name, _pytorch_slot_name(slot.name))
        if slot.name == "position" or not shown:
            continue
        body[f"_saved_{shown}"] = property(_saved_getter(i, slot))
        if slot.is_tensor:
            body[f"_raw_saved_{shown}"] = property(_raw_saved_getter(i))
    if name in ("CopyBackwards", "NotImplemented"):
        body["module"] = "torch::autograd::"
    return type(name, (Node,), body)


def has_several_outputs(op: Primitive) -> bool:
    """Whether more than one output is differentiable: indices beside values stay out of the graph."""
    return op.outputs != 1 and op.kind != "values_and_indices"


def _pytorch_slot_name(name: str) -> str:
    """What PyTorch calls a saved value; nothing for those that it does not show."""
    name = {"input": "self", "out": "result"}.get(name, name)
    if name.endswith("_dtype"):
        return ""
    for ours, theirs in (("_shape", "_sym_sizes"), ("_strides", "_sym_strides")):
        if name.endswith(ours):
            base = name.removesuffix(ours)
            return f"{'self' if base == 'input' else base}{theirs}"
    return "self_sym_numel" if name == "input_size" else name


_SIGNED = ("dim", "dims", "dim0", "dim1", "dim2", "index", "start", "end", "ignore_index", "padding_idx")


def _as_unsigned(value: Any) -> Any:
    """PyTorch shows a negative dimension that a node saved as an unsigned number."""
    if isinstance(value, (tuple, list)):
        return tuple(_as_unsigned(v) for v in value)
    return value + 2**64 if isinstance(value, int) and value < 0 else value


def _saved_getter(i: int, slot: Any) -> Callable[[Any], Any]:
    def get(node: Any) -> Any:
        value = saved.unpack_at(node, i)
        if slot.is_tensor:
            return saved.as_tensor_value(value)
        return _as_unsigned(value) if slot.name in _SIGNED else value

    return get


def _raw_saved_getter(i: int) -> Callable[[Any], Any]:
    def get(node: Any) -> Any:
        return saved.raw_saved(node, i)

    return get


def _free_of(tensor_slots: tuple[int, ...], has_attributes: bool) -> Callable[[Any, Freed], None]:
    def free(node: Any, by: Freed) -> None:
        held = node.saved
        if held.__class__ is tuple:
            for i in tensor_slots:
                if held[i] is not None:
                    if has_attributes:
                        attributes = list(held)
                        for j in tensor_slots:
                            attributes[j] = None
                        by = by.keeping(tuple(attributes))
                    node.saved = by
                    return
        elif held.__class__ is not Freed:
            node.saved = by

    return free


# ---- calling the rules


def _propagation_of(op: Primitive) -> Callable[..., Any]:
    if op.variadic:
        return _variadic(op)
    general = _general(op)
    if op.raw_rule is not None:
        return _at_once(op, op.raw_rule, general)
    calls = [(op.rules[op.tensor_names[i]].fn, op.rules[op.tensor_names[i]].takes) for i in op.differentiable]
    if has_several_outputs(op) or any(s.name not in ("input", "other", "out") for s in op.slots):
        return _with_attributes(op, general, calls)
    if not op.slots and len(calls) <= 2:
        return _bare(op, calls)
    if any(takes not in ((i,), (i, -1)) for _, takes in calls for i in takes[:1]) or not all(t for _, t in calls):
        return _with_attributes(op, general, calls)
    if len(calls) == 1:
        return _one_input(op, general, *calls[0])
    if len(calls) == 2:
        return _two_inputs(op, general, *calls)
    return _with_attributes(op, general, calls)


def _general(op: Primitive) -> Callable[..., Any]:
    calls = [(op.rules[op.tensor_names[i]].fn, op.rules[op.tensor_names[i]].takes) for i in op.differentiable]
    several = has_several_outputs(op)

    def propagate(node: Any, g: Any, xp: Any, edges: tuple[Any, ...]) -> list[Any]:
        if g is None or (several and all(x is None for x in g)):
            return [None] * len(edges)
        values = saved.unpack(node, xp) if node.saved is not EMPTY else []
        values.append(xp)
        return [
            None if edge is None else fn(g, *[values[i] for i in takes])
            for edge, (fn, takes) in zip(edges, calls)
        ]

    return own_code(propagate)


def _at_once(op: Primitive, rule: Rule, general: Any) -> Callable[..., Any]:
    """All gradients by one function in the raw world; see ``Primitive.raw_vjp`` and ``joint_vjp``."""
    tensor_slots = [i for i, s in enumerate(op.slots) if s.is_tensor]
    joint = op.joint_rule

    def propagate(node: Any, g: Any, xp: Any, edges: tuple[Any, ...]) -> Any:
        if xp is not RAW or g is None:
            if joint is None or g is None:
                return general(node, g, xp, edges)
            values: Any = [*saved.unpack(node, xp), tuple([edge is not None for edge in edges]), xp]
            return joint.fn(g, *[values[i] for i in joint.takes])
        values = None if op.lists else _raw_values(node, tensor_slots)
        if values is None:
            values = saved.unpack(node, xp)
        values += (tuple([edge is not None for edge in edges]), xp)
        return rule.fn(g, *[values[i] for i in rule.takes])

    return own_code(propagate)


def _with_attributes(op: Primitive, general: Any, calls: list[Any]) -> Callable[..., Any]:
    """Any number of tensors and attributes saved, in the raw world, if every tensor is as it was."""
    tensor_slots = [i for i, s in enumerate(op.slots) if s.is_tensor]
    several = has_several_outputs(op)
    if not op.slots or op.lists.intersection(op.slot_names):
        return general
    # The values come first, then xp (-1): a rule that takes them in this order gets them all, else those it names.
    rules = [(fn, None if takes == (*range(len(op.slots)), -1) else _picker(takes)) for fn, takes in calls]
    whole = rules[0][0] if len(rules) == 1 and rules[0][1] is None else None

    def propagate(node: Any, g: Any, xp: Any, edges: tuple[Any, ...]) -> Any:
        if xp is not RAW or g is None or (several and all(x is None for x in g)):
            return general(node, g, xp, edges)
        values = _raw_values(node, tensor_slots)
        if values is None:
            return general(node, g, xp, edges)
        values.append(xp)
        if whole is not None:
            return (None if edges[0] is None else whole(g, *values),)
        return [
            None if edge is None else fn(g, *(values if pick is None else pick(values)))
            for edge, (fn, pick) in zip(edges, rules)
        ]

    return own_code(propagate)


def _raw_values(node: Any, tensor_slots: list[int]) -> list[Any] | None:
    """What a node saved, as arrays; None if anything about it is unusual."""
    held = node.saved
    if type(held) is not tuple:
        return None
    values = list(held)
    for i in tensor_slots:
        s = held[i]
        if type(s) in PLAIN:
            counter = s._counter
            if counter is not None and counter[0] and is_changed(node, s, i):
                return None
            if s._meta is not None and s._meta.cut is not None:
                return None
            values[i] = s._array
        elif s is not None and type(s) is not ndarray:
            return None
    return values


def _picker(takes: tuple[int, ...]) -> Callable[[list[Any]], Any]:
    if len(takes) > 1:
        return itemgetter(*takes)
    return lambda values: [values[i] for i in takes]


def _variadic(op: Primitive) -> Callable[..., Any]:
    rule = op.rules["tensors"]
    fn, takes = rule.fn, rule.takes
    position = op.slot_names.index("position") if "position" in op.slot_names else None

    def propagate(node: Any, g: Any, xp: Any, edges: tuple[Any, ...]) -> list[Any]:
        if g is None:
            return [None] * len(edges)
        values = saved.unpack(node, xp) if node.saved is not EMPTY else []
        values.append(xp)
        grads = []
        for i, edge in enumerate(edges):
            if position is not None:
                values[position] = i
            grads.append(None if edge is None else fn(g, *[values[j] for j in takes]))
        return grads

    return own_code(propagate)


def _bare(op: Primitive, calls: list[Any]) -> Callable[..., Any]:
    """Nothing saved: the gradient alone decides."""
    names = [op.tensor_names[i] for i in op.differentiable]
    first, takes = calls[0]
    first_xp = bool(takes)
    quick_first = op.quick.get(names[0])
    if len(calls) == 1:

        def propagate_one(node: Any, g: Any, xp: Any, edges: tuple[Any, ...]) -> Any:
            if g is None:
                return (None,)
            if quick_first is not None and type(g) is ndarray:
                return (quick_first(g),)
            return (first(g, xp) if first_xp else first(g),)

        return own_code(propagate_one)
    second, takes = calls[1]
    second_xp = bool(takes)
    quick_second = op.quick.get(names[1])

    def propagate(node: Any, g: Any, xp: Any, edges: tuple[Any, ...]) -> Any:
        if g is None:
            return (None, None)
        a, b = edges
        if b is None:
            return (first(g, xp) if first_xp else first(g), None)
        if quick_second is not None and type(g) is ndarray:
            grad_b = quick_second(g)
        else:
            grad_b = second(g, xp) if second_xp else second(g)
        return (None if a is None else first(g, xp) if first_xp else first(g), grad_b)

    return own_code(propagate)


def _one_input(op: Primitive, general: Any, rule: Any, takes: tuple[int, ...]) -> Callable[..., Any]:
    with_xp = len(takes) == 2
    quick = op.quick.get("input")
    is_ufunc = isinstance(quick, np.ufunc)

    def propagate(node: Any, g: Any, xp: Any, edges: tuple[Any, ...]) -> Any:
        s = node.saved
        if xp is not RAW or g is None:
            return general(node, g, xp, edges)
        if type(s) is ndarray:
            if node.versions is not None and node.versions[0]:
                return general(node, g, xp, edges)
        elif type(s) in PLAIN:
            counter = s._counter
            if counter is not None and counter[0] != (0 if node.versions is None else node.versions[0]):
                return general(node, g, xp, edges)
            if s._meta is not None and s._meta.cut is not None:
                return general(node, g, xp, edges)
            s = s._array
        else:
            return general(node, g, xp, edges)
        if quick is not None:
            dt = g.dtype
            if (dt is F32 or dt is F64) and g.size <= SMALL:
                if not is_ufunc or type(g) is ndarray:
                    return (quick(g, s),)
                s = s[()]
        return (rule(g, s, xp) if with_xp else rule(g, s),)

    return own_code(propagate)


def _two_inputs(op: Primitive, general: Any, call_a: Any, call_b: Any) -> Callable[..., Any]:
    (rule_a, takes_a), (rule_b, takes_b) = call_a, call_b
    at_a, at_b = takes_a[0], takes_b[0]
    xp_a, xp_b = len(takes_a) == 2, len(takes_b) == 2
    name_a, name_b = (op.tensor_names[i] for i in op.differentiable)
    quick_a, quick_b = op.quick.get(name_a), op.quick.get(name_b)

    def propagate(node: Any, g: Any, xp: Any, edges: tuple[Any, ...]) -> Any:
        held = node.saved
        if xp is not RAW or g is None or type(held) is Freed:
            return general(node, g, xp, edges)
        edge_a, edge_b = edges
        grad_a = grad_b = None
        dt = g.dtype
        is_scalar = type(g) is not ndarray
        plain = (dt is F32 or dt is F64) and not is_scalar
        is_tuple = type(held) is tuple
        if edge_a is not None:
            s = held[at_a] if is_tuple else held
            if type(s) in PLAIN:
                counter = s._counter
                if counter is not None and counter[0] and is_changed(node, s, at_a if is_tuple else 0):
                    return general(node, g, xp, edges)
                if s._meta is not None and s._meta.cut is not None:
                    return general(node, g, xp, edges)
                s = s._array
            elif type(s) is not ndarray:
                return general(node, g, xp, edges)
            if plain and quick_a is not None:
                grad_a = quick_a(g, s)
            else:
                if is_scalar and not s.ndim:
                    s = s[()]
                grad_a = rule_a(g, s, xp) if xp_a else rule_a(g, s)
        if edge_b is not None:
            s = held[at_b] if is_tuple else held
            if type(s) in PLAIN:
                counter = s._counter
                if counter is not None and counter[0] and is_changed(node, s, at_b if is_tuple else 0):
                    return general(node, g, xp, edges)
                if s._meta is not None and s._meta.cut is not None:
                    return general(node, g, xp, edges)
                s = s._array
            elif type(s) is not ndarray:
                return general(node, g, xp, edges)
            if plain and quick_b is not None:
                grad_b = quick_b(g, s)
            else:
                if is_scalar and not s.ndim:
                    s = s[()]
                grad_b = rule_b(g, s, xp) if xp_b else rule_b(g, s)
        return grad_a, grad_b

    return own_code(propagate)


def is_changed(node: Any, t: Any, at: int) -> bool:
    """Whether a saved tensor was changed in place since. Versions only grow: one of 0 was never changed."""
    return bool(t._counter[0] != (0 if node.versions is None else node.versions[at]))


def own_code(fn: Any) -> Any:
    """Give a closure its own code object, and so its own inline caches: closures of one factory share theirs."""
    fn.__code__ = fn.__code__.replace()
    return fn
