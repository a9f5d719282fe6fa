"""Node classes of primitives: how a node calls its rules, and lets go of what it saved.

``propagate(node, g, xp, edges)`` returns a gradient for each edge that is not None. The general form takes the saved
values out one by one, with all checks. On arrays each primitive has a form of its own, compiled from a text
(see ``text``): the hot path of backward passes. In short, for ``mm``::

    def _propagate(node, g, xp, edges):
        s0, s1, s2, s3, s4, s5 = node.saved
        ...
        return None if edges[0] is None else rule_0(g, s0, s1, s2, xp), None if edges[1] is None else ...

Whenever something is unusual (freed, changed, packed by hooks) it leaves the work to the general form.

NOTE [quick rules]: where a rule comes to one ufunc of (g, saved value) on real arrays, as that of ``mul`` does, the
compiled form calls this, the primitive's ``quick`` rule: the steps of the rule would take as long again.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._core.dtypes import F32, F64
from ...autograd import saved
from ...autograd.graph import EMPTY, Freed, Node
from ...autograd.saved import PLAIN
from .namespaces import ARRAYS, TENSORS, Namespace
from .rule import Gradient, Rule
from .text import Text

if TYPE_CHECKING:
    from .primitive import Primitive


def make_node_class(op: Primitive) -> type[Node]:
    name = op.node_name or f"{op.name.title()}Backward0"
    multi = op.multi
    tensor_slots = tuple(i for i, s in enumerate(op.slots) if s.is_tensor)
    has_attributes = len(tensor_slots) < len(op.slots)
    masks = range(1, 2 ** len(op.differentiable)) if len(op.differentiable) < 4 else ()
    body: dict[str, Any] = {
        "__slots__": ("count",) if multi else (),
        "__module__": "builtins",
        "primitive": op,
        "multi": multi,
        "in_graph": op.in_graph,
        "saves_output": [slot.name for slot in op.slots] == ["out"],
        "propagate": _propagation_of(op),
        "free": _free_of(op, tensor_slots),
        "always_frees": bool(masks)
        and not has_attributes
        and all(any(op.keep(m)[i] for i in tensor_slots) for m in masks),
    }
    if multi:
        body["output_count"] = lambda self: self.count
    for i, slot in enumerate(op.slots):
        for shown, at in shown_names(op, slot):
            body[f"_saved_{shown}"] = property(_saved_getter(i, slot) if at is None else _saved_part_getter(i, at))
            if slot.is_tensor:
                body[f"_raw_saved_{shown}"] = property(_raw_saved_getter(i))
    body.update({f"_saved_{shown}": value for shown, value in op.shown.items()})
    if name in ("CopyBackwards", "NotImplemented"):
        body["module"] = "torch::autograd::"
    return type(name, (Node,), body)


def shown_names(op: Primitive, slot: Any) -> list[tuple[str, int | None]]:
    """By which names a node shows what it has saved, each with the part of it that it is: None for all of it."""
    shown = op.saved_names.get(slot.name, _pytorch_slot_name(slot.name))
    if slot.name == "position" or not shown:
        return []
    return [(shown, None)] if isinstance(shown, str) else [(name, at) for at, name in shown.items()]


def _pytorch_slot_name(name: str) -> str:
    """What PyTorch calls a saved value; nothing for those that it does not show."""
    name = {"input": "self", "out": "result"}.get(name, name)
    if name.endswith("_dtype") or name == "needs":
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


def _saved_part_getter(i: int, at: int) -> Callable[[Any], Any]:
    def get(node: Any) -> Any:
        return saved.unpack_at(node, i)[at]

    return get


def _raw_saved_getter(i: int) -> Callable[[Any], Any]:
    def get(node: Any) -> Any:
        return saved.raw_saved(node, i)

    return get


def _free_of(op: Primitive, tensor_slots: tuple[int, ...]) -> Callable[[Any, Freed], None]:
    """Lets go of the saved tensors, if there are any; attributes stay."""
    text = Text(op)
    text.say(0, "def _free(node, by):",
                "    held = node.saved")  # fmt: skip
    if not tensor_slots:
        text.say(1, "pass")
    else:
        left = ", ".join(["by" if i in tensor_slots else f"held[{i}]" for i in range(len(op.slots))])
        saves = " or ".join([f"held[{i}] is not None" for i in tensor_slots])
        text.say(1, "if _type(held) is not _tuple:",
                    "    if held is not _EMPTY:",
                    "        node.saved = by",
                    f"elif {saves}:",
                    f"    node.saved = {'by' if len(tensor_slots) == len(op.slots) else f'({left},)'}")  # fmt: skip
    return text.compiled("_free", {"_type": type, "_tuple": tuple, "_EMPTY": EMPTY})


# ---- calling the rules


def _propagation_of(op: Primitive) -> Callable[..., Any]:
    return _variadic(op) if op.variadic else _PropagateText(op).made()


def _general(op: Primitive) -> Callable[..., Any]:
    """In either namespace, whatever was saved, and however."""
    rules = _rules_of(op)
    several = op.multi

    def propagate(node: Any, g: Any, xp: Any, edges: tuple[Any, ...]) -> list[Any]:
        values = saved.unpack(node, xp) if node.saved is not EMPTY else []  # and see that nothing was changed
        if _all_none(g) if several else g is None:
            return [None] * len(edges)
        values.append(xp)
        grads: list[Any] = []
        for edge, (on_arrays, on_tensors, pick) in zip(edges, rules):
            if edge is None:
                grads.append(None)
            else:
                fn = on_arrays if xp is ARRAYS else on_tensors
                grads.append(fn(g, *(values if pick is None else pick(values))))
        return grads

    return own_code(propagate)


def _rules_of(op: Primitive) -> list[tuple[Any, Any, Any]]:
    """For each differentiable input its rule in both namespaces, and what picks its arguments from saved values and xp.

    That is None for a rule that takes them all, in their order.
    """
    rules = [op.rules[op.tensor_names[i]] for i in op.differentiable]
    every = (*range(len(op.slots)), -1)
    return [(r.on(ARRAYS), r.on(TENSORS), None if r.takes == every else _picker(r.takes)) for r in rules]


class _PropagateText(Text):
    def __init__(self, op: Primitive) -> None:
        super().__init__(op)
        self.inputs = [op.tensor_names[i] for i in op.differentiable]
        self.rules = [op.rules[name] for name in self.inputs]
        self.tensor_slots = [i for i, slot in enumerate(op.slots) if slot.is_tensor]
        self.names: dict[str, Any] = {
            "_ARRAYS": ARRAYS, "_PLAIN": PLAIN, "_ndarray": np.ndarray, "_changed": is_changed, "_type": type,
            "_tuple": tuple, "_F32": F32, "_F64": F64, "_unpack": saved.unpack, "_general": _general(op),
            "_all_none": _all_none,
        }  # fmt: skip

    def made(self) -> Callable[..., Any]:
        op, say = self.op, self.say
        say(0, "def _propagate(node, g, xp, edges):")
        if op.gradients is not None:
            self.say_gradients(op.gradients)
        elif not op.slots and not op.lists and not op.multi:
            self.say_bare()
        else:
            if op.slots and not op.lists and not op.multi:
                self.say_tensors()
            say(1, f"if xp is not _ARRAYS or {self.is_none()}:",
                   "    return _general(node, g, xp, edges)",
                   "_held = node.saved")  # fmt: skip
            if op.lists.intersection(op.slot_names) or not op.slots:
                say(1, "return _general(node, g, xp, edges)")
            elif self.may_be_bare():
                self.say_elementwise()
            else:
                self.say_values()
                self.say_rules(1, ARRAYS)
        return self.compiled("_propagate", self.names)

    def is_none(self) -> str:
        """That there is no gradient."""
        return "_all_none(g)" if self.op.multi else "g is None"

    def say_tensors(self) -> None:
        """Gradients on Tensors, if all that was saved is plain and as it was."""
        plain = [_is_plain(f"_s{i}", i) for i in self.tensor_slots]
        values = ", ".join([f"_s{i}" for i in range(len(self.op.slots))])
        self.say(1, "if xp is not _ARRAYS and g is not None and _type(node.saved) is _tuple:",
                    f"    {values}, = node.saved",
                    f"    if {' and '.join(plain) or 'True'}:")  # fmt: skip
        for i in self.tensor_slots:
            slot = self.op.slots[i]
            if slot.is_output:
                self.say(3, f"if _s{i} is not None:",
                            f"    _s{i} = _attached(_s{i}, node, {slot.index})")  # fmt: skip
        self.names["_attached"] = saved.attached
        self.say_rules(3, TENSORS)

    def say_bare(self) -> None:
        """Nothing saved: the gradient alone decides, in both namespaces."""
        self.say(1, "if g is None:",
                    f"    return ({'None, ' * len(self.rules)})")  # fmt: skip
        results = []
        for i, (name, rule) in enumerate(zip(self.inputs, self.rules)):
            call = self.rule(i, rule, "g, xp" if rule.takes else "g")
            if name in self.op.quick:
                self.names[f"_quick_{i}"] = self.op.quick[name]
                call = f"_quick_{i}(g) if _type(g) is _ndarray else {call}"
            results.append(f"None if edges[{i}] is None else {call}")
        self.say(1, f"return ({', '.join(results)},)")

    def may_be_bare(self) -> bool:
        """Whether a node may hold a value without a tuple around it; see NOTE [bare values]."""
        return (
            len(self.rules) <= 2
            and not self.op.multi
            and not (len(self.rules) > 1 and any(slot.is_output for slot in self.op.slots))
            and all(slot.is_tensor and slot.name in ("input", "other", "out") for slot in self.op.slots)
            and all(len(rule.takes) - (-1 in rule.takes) == 1 and rule.takes[0] >= 0 for rule in self.rules)
        )

    def say_checked(self, depth: int, value: str, at: str) -> None:
        """A saved tensor as an array, if it is as it was."""
        self.say(depth, f"if _type({value}) in _PLAIN:",
                        f"    _counter = {value}._counter",
                        f"    if _counter is not None and _counter[0] and _changed(node, {value}, {at}):",
                        "        return _general(node, g, xp, edges)",
                        f"    if {value}._meta is not None and {value}._meta.detached:",
                        "        return _general(node, g, xp, edges)",
                        f"    {value} = {value}._array",
                        f"elif _type({value}) is not _ndarray:",
                        "    return _general(node, g, xp, edges)")  # fmt: skip

    def say_elementwise(self) -> None:
        """One saved value for each rule, and quick rules."""
        say = self.say
        if not all(isinstance(rule, Gradient) for rule in self.rules):
            say(1, "_is_array = _type(g) is _ndarray",
                   "_dt = g.dtype",
                   "_quick = _is_array and (_dt is _F32 or _dt is _F64)")  # fmt: skip
        for i, (name, rule) in enumerate(zip(self.inputs, self.rules)):
            at = rule.takes[0]
            call = self.rule(i, rule, "g, _s, xp" if len(rule.takes) == 2 else "g, _s", ARRAYS)
            say(1, f"if edges[{i}] is None:")
            if len(self.rules) > 1:  # a gradient that is not wanted now: what was saved for it must be as it was
                say(2, f"if node.next[{i}] is not None:",
                       "    return _general(node, g, xp, edges)")  # fmt: skip
            say(1, f"    _grad_{i} = None",
                   "else:",
                   f"    _s = _held[{at}] if _type(_held) is _tuple else _held")  # fmt: skip
            if self.op.slots[at].is_output:  # whose version counter may be in ``versions``
                say(2, "if _type(_s) is _ndarray and node.versions is not None and node.versions[0]:",
                       "    return _general(node, g, xp, edges)")  # fmt: skip
            self.say_checked(2, "_s", f"{at} if _type(_held) is _tuple else 0")
            if isinstance(rule, Gradient):
                say(2, f"_grad_{i} = {call}")
                continue
            quick = self.op.quick.get(name)
            if quick is not None:
                self.names[f"_quick_{i}"] = quick
                say(2, "if _quick:",
                       f"    _grad_{i} = _quick_{i}(g, _s)",
                       "else:")  # fmt: skip
            depth = 2 if quick is None else 3
            say(depth, "if not _is_array and not _s.ndim:",
                       "    _s = _s[()]",
                       f"_grad_{i} = {call}")  # fmt: skip
        say(1, f"return ({', '.join([f'_grad_{i}' for i in range(len(self.rules))])},)")

    def say_values(self) -> None:
        """All saved values, in variables of their own."""
        self.say(1, "if _type(_held) is not _tuple:",
                    "    return _general(node, g, xp, edges)",
                    f"{', '.join([f'_s{i}' for i in range(len(self.op.slots))])}, = _held")  # fmt: skip
        for i in self.tensor_slots:
            self.say(1, f"if _s{i} is not None:")
            self.say_checked(2, f"_s{i}", str(i))

    def say_rules(self, depth: int, xp: Namespace) -> None:
        results = []
        for i, rule in enumerate(self.rules):
            results.append(f"None if edges[{i}] is None else {self.rule(i, rule, _arguments(rule), xp)}")
        self.say(depth, f"return ({', '.join(results)},)")

    def say_gradients(self, rule: Gradient) -> None:
        """All gradients by one primitive, in both namespaces; see ``Primitive.gradient``."""
        op, say, count = self.op, self.say, len(self.rules)
        self.names.update(_on_arrays=rule.on(ARRAYS), _on_tensors=rule.on(TENSORS), _attached=saved.attached)
        values = ", ".join([f"_s{i}" for i in range(len(op.slots))])
        say(1, f"if {self.is_none()}:",
               *["    _unpack(node, xp)"] * bool(values),
               f"    return ({'None, ' * count})",
               "_needs = (" + "".join([f"edges[{i}] is not None, " for i in range(count)]) + ")")  # fmt: skip
        if op.lists.intersection(op.slot_names):
            say(1, f"{values}, = _unpack(node, xp)")
        elif values:
            plain = " and ".join([_is_plain(f"_s{i}", i) for i in self.tensor_slots]) or "True"
            say(1, "_held = node.saved",
                   f"{values}, = _held if _type(_held) is _tuple else _unpack(node, xp)",
                   f"if {plain}:")  # fmt: skip
            for i in self.tensor_slots:
                slot = op.slots[i]
                attached = f"_attached(_s{i}, node, {slot.index})" if slot.is_output else f"_s{i}"
                say(2, f"if _s{i} is not None:",
                       f"    _s{i} = _s{i}._array if xp is _ARRAYS else {attached}")  # fmt: skip
            say(1, "else:",
                   f"    {values}, = _unpack(node, xp)")  # fmt: skip
        given = ", ".join([self.argument(name) for name in rule.arguments])
        if rule.op.outputs == 1:
            say(1, f"return ((_on_arrays if xp is _ARRAYS else _on_tensors)({given}),)")
        else:
            say(1, f"_found = (_on_arrays if xp is _ARRAYS else _on_tensors)({given})",
                   "return [_x if _need else None for _x, _need in zip(_found, _needs)]")  # fmt: skip

    def rule(self, i: int, rule: Rule, arguments: str, xp: Namespace | None = None) -> str:
        """A call of a rule, in one of the namespaces or in both."""
        if not isinstance(rule, Gradient):
            self.names[f"_rule_{i}"] = rule.fn
            return f"_rule_{i}({arguments})"
        self.names[f"_rule_{i}"], self.names[f"_kernel_{i}"] = rule.on(TENSORS), rule.on(ARRAYS)
        if xp is None:
            return f"(_kernel_{i} if xp is _ARRAYS else _rule_{i})({arguments})"
        return f"_kernel_{i}({arguments})" if xp is ARRAYS else f"_rule_{i}({arguments})"

    def argument(self, name: str) -> str:
        """An argument of a gradient's primitive."""
        if name in self.op.slot_names:
            return f"_s{self.op.slot_names.index(name)}"
        return {"needs": "_needs", "g": "g"}.get(name) or f"g[{name[1:]}]"


def _is_plain(value: str, at: int) -> str:
    """That a saved tensor is a plain one, and as it was."""
    return (
        f"({value} is None or (_type({value}) in _PLAIN"
        f" and ({value}._counter is None or not {value}._counter[0] or not _changed(node, {value}, {at}))"
        f" and ({value}._meta is None or not {value}._meta.detached)))"
    )


def _arguments(rule: Rule) -> str:
    return ", ".join(["g", *["xp" if i < 0 else f"_s{i}" for i in rule.takes]])


def _all_none(g: Any) -> bool:
    return g is None or all(x is None for x in g)


def _picker(takes: tuple[int, ...]) -> Callable[[list[Any]], Any]:
    if len(takes) > 1:
        return itemgetter(*takes)
    return lambda values: [values[i] for i in takes]


def _variadic(op: Primitive) -> Callable[..., Any]:
    rule = op.rules["tensors"]
    fn, takes = rule.fn, rule.takes
    position = op.slot_names.index("position") if "position" in op.slot_names else None

    def propagate(node: Any, g: Any, xp: Any, edges: tuple[Any, ...]) -> list[Any]:
        values = saved.unpack(node, xp) if node.saved is not EMPTY else []
        if g is None:
            return [None] * len(edges)
        values.append(xp)
        grads = []
        for i, edge in enumerate(edges):
            if position is not None:
                values[position] = i
            grads.append(None if edge is None else fn(g, *[values[j] for j in takes]))
        return grads

    return own_code(propagate)


def is_changed(node: Any, t: Any, at: int) -> bool:
    """Whether a saved tensor was changed in place since. Versions only grow: one of 0 was never changed."""
    return bool(t._counter[0] != (0 if node.versions is None else node.versions[at]))


def own_code(fn: Any) -> Any:
    """Give a closure its own code object, and so its own inline caches: closures of one factory share theirs."""
    fn.__code__ = fn.__code__.replace()
    return fn
