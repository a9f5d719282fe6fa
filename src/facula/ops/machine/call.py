"""Calling a primitive quickly: what ``Primitive.general`` does, for plain tensors in the plain state.

Each primitive's function is compiled from a text (see ``_text``), which reads in short, for ``mm``::

    def _call(input, mat2):
        if type(input) not in PLAIN or type(mat2) not in PLAIN:
            return general(input, mat2)
        result = kernel(input._array, mat2._array)
        ...
        node.next = (edge_input, edge_mat2)
        node.saved = (None if edge_input is None else mat2, array_input.shape, ...)

A call of ``mm`` takes two thirds of the time by it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._core import quiet
from ..._tensor import Tensor
from ...autograd.saved import SavedList, inference_error, version_of
from ...autograd.views import element_strides
from .primitive import Primitive, _new
from .text import NAMES, Text, unusual


def call_of(op: Primitive) -> Callable[..., Any]:
    """The quickest way to call a primitive."""
    if op.variadic or op.is_view or op.multi or _has_rest(op.kernel):
        return op.general
    return _CallText(op).made()


def _has_rest(kernel: Any) -> bool:
    """Whether a kernel takes ``*rest``."""
    return bool(hasattr(kernel, "__code__") and kernel.__code__.co_flags & 4)


# ---- what the text calls


def note_versions(node: Any, at: tuple[int, ...]) -> None:
    """Remember which of the saved tensors had been changed in place before they were saved."""
    held = node.saved
    versions = [0] * len(held)
    for i in at:
        t = held[i]
        if t is not None:
            if t._meta is not None and t._meta.inference:
                raise inference_error()
            versions[i] = version_of(t)
    node.versions = tuple(versions) if any(versions) else None


def _twin(out: Any) -> Any:
    """``saved.twin`` of a tensor that has just been made."""
    t = _new(Tensor)
    t._array = out._array
    t._node = None
    t._meta = None
    t._counter = out._counter = [0, None, 0]
    return t


def _packed(values: Any) -> SavedList:
    """``SavedList.packed`` without hooks."""
    return SavedList([(t, version_of(t)) if isinstance(t, Tensor) else (t, 0) for t in values])


_NAMES: dict[str, Any] = {
    **NAMES, "_begin": quiet.begin, "_end": quiet.end, "_twin": _twin, "_packed": _packed,
    "_strides": element_strides, "_note_versions": note_versions,
}  # fmt: skip


# ---- the text


class _CallText(Text):
    def __init__(self, op: Primitive) -> None:
        super().__init__(op)
        self.tensors = op.tensor_names
        self.differentiable = [op.tensor_names[i] for i in op.differentiable]
        self.may_lack = len(self.tensors) > 1 and all(slot.is_tensor or slot.attribute >= 0 for slot in op.slots)
        """Optional tensors may be None, unless a node saves something about each tensor."""

    def made(self) -> Callable[..., Any]:
        op = self.op
        self.say_call()
        own = {"_op": op, "_general": op.general, "_kernel": op.kernel}
        return self.compiled("_call", {**_NAMES, **own})

    def any(self, condition: str, names: list[str]) -> str:
        """That a condition holds for one of the tensors, and that it is there."""
        optional = "{0} is not None and " if self.may_lack else ""
        return " or ".join([f"({optional}{condition})".format(name) for name in names])

    def say_call(self) -> None:
        op, say = self.op, self.say
        defaults = getattr(op.kernel, "__defaults__", None) or ()
        bare = len(op.attribute_names) - len(defaults)
        optional = [f"{name}=_kernel.__defaults__[{i}]" for i, name in enumerate(op.attribute_names[bare:])]
        given = ", ".join([*self.tensors, *op.attribute_names])
        say(0, f"def _call({', '.join([*self.tensors, *op.attribute_names[:bare], *optional])}):")
        say(1, f"if {self.any('_type({0}) not in _PLAIN', self.tensors)}:",
               f"    return _general({given})")  # fmt: skip
        for name in self.tensors:
            lacks = f"None if {name} is None else " if self.may_lack else ""
            say(1, f"_array_{name} = {lacks}{name}._array")
        say(1, f"if {self.any('_type(_array_{0}) is not _ndarray', self.tensors)}:",
               f"    return _general({given})")  # fmt: skip
        self.say_mode(f"_general({given})")
        say(1, "_token = _begin()",
               "try:",
               f"    _result = _kernel({', '.join([*[f'_array_{n}' for n in self.tensors], *op.attribute_names])})",
               "finally:",
               "    _end(_token)")  # fmt: skip
        if op.outputs == 1:
            self.say_tensor(1, "_result")
            say(1, "_outs = (_t,)")
        else:
            say(1, "_outs = []",
                   "for _part in _result:")  # fmt: skip
            self.say_tensor(2, "_part")
            say(1, "    _outs.append(_t)",
                   "_t = _outs[0]")  # fmt: skip
        returns = "return _t" if op.outputs == 1 else "return _outs"
        if self.differentiable:
            self.say_record(returns)
        say(1, returns)

    def say_tensor(self, depth: int, array: str) -> None:
        self.say(depth, "_t = _new(_Tensor)",
                        f"_t._array = {array} if _type({array}) is _ndarray else _asarray({array})",
                        "_t._node = None",
                        "_t._meta = None",
                        "_t._counter = None")  # fmt: skip

    def say_record(self, returns: str) -> None:
        """Make the node, as ``Primitive.make_node`` does, and give it to the first output."""
        op, say, names = self.op, self.say, self.differentiable
        say(1, f"if not ({self.any('({0}._node is not None or {0}._meta is not None)', self.tensors)}):",
               f"    {returns}",
               "if _recording and _t._array.dtype.kind in 'fcV':")  # fmt: skip
        for name in names:
            lacks = f"None if {name} is None else " if self.may_lack else ""
            say(2, f"_edge_{name} = {lacks}{name}._node if {name}._meta is None else {name}._edge()")
        tensors = f"({', '.join(self.tensors)},)"
        say(1, "else:",
               f"    {' = '.join([f'_edge_{name}' for name in names])} = None",
               f"if {_none_of(names)}:",
               f"    _cut = _cut_of({tensors}, not _recording)",
               "    if _cut is not None:",
               "        for _t in _outs:",
               "            _t._meta = _cut",
               f"    {returns.replace('_t', '_outs[0]')}",
               "global _node_class",
               "if _node_class is None:",
               "    _node_class = _op.node_class",
               "_node = _node_class()",
               f"_node.next = ({', '.join([f'_edge_{name}' for name in names])},)",
               "_node.attached = None",
               "_node.versions = None",
               f"_node.adapt = _op._adaptations(_t, {tensors})"
               + ("" if op.kind == "elementwise" else " if _t._array.dtype.itemsize == 2 else None"))  # fmt: skip
        values = [self.saved(slot) for slot in op.slots]
        say(1, f"_node.saved = ({', '.join(values)},)" if values else "_node.saved = _EMPTY")
        inputs = {i: slot.name for i, slot in enumerate(op.slots) if slot.is_tensor and not slot.is_output}
        if inputs:
            say(1, f"if {self.any(unusual('{0}', '{0}._meta'), [*inputs.values()])}:",
                   f"    _note_versions(_node, {(*inputs,)})")  # fmt: skip
        say(1, "_node.code, _node.instruction = _place(2)",
               "_node.seq = _number()",
               "_t._node = _node")  # fmt: skip

    def saved(self, slot: Any) -> str:
        """What a node saves in a slot: nothing, if only gradients that are not asked for need it."""
        value = source(self.op, slot)
        raw_rule = self.op.raw_rule
        if not slot.is_tensor or (raw_rule is not None and slot.name in raw_rule.sources):
            return value
        users = [name for name in self.differentiable if slot.name in self.op.rules[name].sources]
        return value if users == self.differentiable else f"(None if {_none_of(users)} else {value})"


def _none_of(names: list[str]) -> str:
    return " and ".join([f"_edge_{name} is None" for name in names])


def source(op: Primitive, slot: Any) -> str:
    """Where a slot's value comes from, as an expression."""
    if slot.name in op.attribute_names:
        return f"_packed({slot.name})" if slot.name in op.lists else str(slot.name)
    if slot.is_tensor:
        return f"_twin(_outs[{slot.index}])" if slot.is_output else str(slot.name)
    if slot.name == "position":
        return "None"
    base, _, what = slot.name.rpartition("_")
    return f"_strides(_array_{base})" if what == "strides" else f"_array_{base}.{what}"
