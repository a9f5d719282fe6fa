"""The one writer of calls.

A call of an operator takes these steps, of which each is a method of ``Call`` that writes lines of a function:

- **guard**: all tensors are plain, and nothing is switched on but the grad mode; else the call goes to ``any_state``;
- **arrays**: what is inside the tensors;
- **promote**: one dtype for all of them, in elementwise calls;
- **kernel**: the work;
- **wrap**: the result as a Tensor, which knows its base if it is a view;
- **edges**: where gradients go. Without any the result is done, and knows what cut its history, if anything did;
- **save**: the node, and what its rules need;
- **place**: the line of the user's program.

A recipe (``recipes``) puts steps together for operators of a kind. In short, what ``plain`` writes for ``mm``::

    def _call(input, mat2):
        if type(input) is not Tensor and type(input) not in PLAIN or ...:    # guard
            return any_state(input, mat2)
        a_input, a_mat2 = input._array, mat2._array                          # arrays
        result = kernel(a_input, a_mat2)                                     # kernel
        t = new(Tensor); t._array = result; ...                              # wrap
        e_input = input._node if input._meta is None else input._edge()      # edges
        ...
        node = MmBackward0(); node.next = (e_input, e_mat2)                  # save
        node.saved = (None if e_input is None else mat2, a_input.shape, ...)
        node.code, node.instruction = frame.f_code, frame.f_lasti            # place

NOTE [hot path]: nearly every operation of a small model runs through such a function. A function call costs a tenth of
it, so all is written out. What a recipe does not handle goes to ``any_state``; both must give the same, and
``tests/test_paths_agree.py`` holds them to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from sys import _getframe
from typing import Any

import numpy as np

from ..._core import quiet, state
from ..._core.dtypes import F32, F64
from ..._core.numbers import scalar
from ..._core.state import GENERAL, RECORDING
from ..._core.strides import element_strides, laid_out, laid_out_beside_number, repeats_laid_out
from ..._tensor import Tensor
from ...autograd import anomaly, saved
from ...autograd.graph import EMPTY, _is_internal, next_sequence_number, user_place
from ...autograd.meta import AutogradMeta, Cut, cut_of
from ...autograd.saved import PLAIN, SavedList, inference_error, version_of
from ...autograd.views import INFERENCE, MULTI_OUTPUT, NO_GRAD, mark_view
from ..arrays.tiles import HEAVY, SHARED, shared_ufunc
from . import native
from .any_state import unusual_in
from .errors import memory_error
from .operands import shapes_error
from .text import Text, compiled_when_called

ndarray = np.ndarray
_new = object.__new__


def made(op: Any, recipe: Callable[[Call], None], any_state: Callable[..., Any], **own: Any) -> Any:
    """The function that a recipe writes. ``any_state`` is what it calls when something is unusual."""

    def text(names: dict[str, Any]) -> Callable[..., Any]:
        names["_kernel"] = op.kernel
        names["_defaults"] = getattr(getattr(op.kernel, "__wrapped__", op.kernel), "__defaults__", None) or ()
        if native.is_wanted(op):
            names["_native"] = native.found_when_called(op, names)
        call = Call(op)
        recipe(call)
        call.refuse_what_is_too_large()
        return call.compiled("_call", names)

    call = compiled_when_called(text, {**NAMES, "_op": op, "_any_state": any_state, **own})
    call.__name__ = call.__qualname__ = op.name
    call.primitive = op
    return call


def _too_large(e: MemoryError) -> Exception:
    return memory_error(e, ()) or e


class Call(Text):
    """The text of a call. A tensor ``x`` has its array in ``_a_x``, its meta in ``_m_x``, its edge in ``_e_x``."""

    op: Any

    def __init__(self, op: Any) -> None:
        super().__init__(op)
        self.tensors: list[str] = op.tensor_names
        self.attributes: list[str] = op.attribute_names
        self.differentiable: list[str] = [op.tensor_names[i] for i in op.differentiable]
        self.optional = False
        """Whether tensors may be None. They may not be if a node saves something about each of them."""
        self.packed = "_packed({})"
        """How a list of tensors is saved."""
        self.is_array = False
        """Whether the result is known to be an array, not a NumPy scalar."""

    def refuse_what_is_too_large(self) -> None:
        """Say what PyTorch says where there is no memory for a result; where there is, this takes no time."""
        first, *body = self.lines
        self.lines = [first, "    try:", *[f"    {line}" for line in body]]
        self.say(1, "except _MemoryError as _e:",
                    "    raise _too_large(_e) from None")  # fmt: skip

    # ---- the steps

    def signature(self) -> None:
        """The parameters are those of the kernel."""
        kernel = self.op.kernel
        bare = len(self.attributes) - len(getattr(getattr(kernel, "__wrapped__", kernel), "__defaults__", None) or ())
        optional = [f"{name}=_defaults[{i}]" for i, name in enumerate(self.attributes[bare:])]
        self.say(0, f"def _call({', '.join([*self.tensors, *self.attributes[:bare], *optional])}):",
                    "    global _node_class, _known_code")  # fmt: skip

    def guard(self, tensors: Sequence[str], otherwise: str, *unless: str) -> None:
        """All of these are plain tensors."""
        there = "{0} is not None and " if self.optional else ""
        foreign = [f"({there}_type({{0}}) is not _Tensor and _type({{0}}) not in _PLAIN)".format(x) for x in tensors]
        self.say(1, f"if {' or '.join([*foreign, *unless])}:",
                    f"    return {otherwise}")  # fmt: skip

    def state(self, otherwise: str, given: str) -> None:
        """Whether to record. Nothing else is switched on: the one place that asks.

        A watch calls it again, with what was ``given``, and looks at the result.
        """
        self.say(1, "_recording = True",
                    "if _state.special:",
                    "    _how = _state.modes.how",
                    "    if _how == _GENERAL or _state.general:",
                    "        if _state.watching:",
                    f"            return _state.watch.call(_op, _call, ({given},))",
                    f"        return {otherwise}",
                    "    _recording = _how == _RECORDING")  # fmt: skip

    def to_record(self, x: str) -> str:
        """That a tensor keeps an in-place change from being a mere write: ``needs_record``, inline."""
        history = f"_recording and {x}._node is not None"
        return f"({history} or {x}._meta is not None and (_recording or {x}._meta.inference))"

    def arrays(self, tensors: Sequence[str], otherwise: str) -> None:
        """What is inside the tensors: arrays with elements."""
        there, lacks = ("{0} is not None and ", "None if {0} is None else ") if self.optional else ("", "")
        self.say(1, *[f"_a_{{0}} = {lacks}{{0}}._array".format(x) for x in tensors])
        odd = [f"({there}_type(_a_{{0}}) is not _ndarray)".format(x) for x in tensors]
        self.say(1, f"if {' or '.join(odd)}:",
                    f"    return {otherwise}")  # fmt: skip

    def promote(self, otherwise: str) -> None:
        """The first tensor is of float32 or float64, which all the others must be, too."""
        x = self.tensors[0]
        self.say(1, f"_a_{x} = {x}._array",
                    f"_dt = _a_{x}.dtype",
                    "if _dt is not _F32 and _dt is not _F64:",
                    f"    return {otherwise}")  # fmt: skip

    def kernel(self, depth: int, given: str, first: str = "") -> None:
        """Run it, in silence unless it is known to be silent. ``first``: the array of an elementwise call."""
        self.numpy_kernel(self.natively(depth, given.split(", ")), given, first)

    def lay_out(self, x: str, *, beside_number: bool = False) -> None:
        """The only operand decides how the result lies."""
        if self.op.lays_out:
            return
        fn = "_laid_out_beside_number" if beside_number else "_repeats_laid_out"
        self.say(1, f"if _a_{x}.ndim > 2 or _a_{x}.base is not None and _a_{x}.ndim == 2:",
                    f"    _result = {fn}(_result, _a_{x})")  # fmt: skip

    def natively(self, depth: int, given: list[str]) -> int:
        """Try the native kernel first, if there may be one; returns how deep the other one stands."""
        if not native.is_wanted(self.op):
            return depth
        self.say(depth, native.otherwise(self.op, given, self.optional))
        return depth + 1

    def numpy_kernel(self, depth: int, given: str, first: str = "", in_place: bool = False) -> None:
        """The same by NumPy. A kernel that is known to be silent may still warn of infinities, which the filter of
        ``facula`` hides; where a user has made warnings errors it is run once more, in silence."""
        self.is_array = bool(first)
        if not quiet.is_safe(self.op.kernel):
            self.say_silently(depth, given, first)
        else:
            self.say(depth, "try:")
            self.say_kernel(depth + 1, given, first)
            self.say(depth, "except RuntimeWarning:")
            if in_place:  # NumPy warns when all has been written
                self.say(depth + 1, "pass")
            else:
                self.say_silently(depth + 1, given, first)
        if first and not isinstance(self.op.kernel, np.ufunc):
            self.say(depth, "if _type(_result) is not _ndarray and not isinstance(_result, _ndarray):",
                            "    _result = _asarray(_result)")  # fmt: skip

    def say_silently(self, depth: int, given: str, first: str) -> None:
        self.say(depth, "_token = _begin()",
                        "try:")  # fmt: skip
        self.say_kernel(depth + 1, given, first)
        self.say(depth, "finally:",
                        "    _end(_token)")  # fmt: skip

    def say_kernel(self, inner: int, given: str, first: str) -> None:
        if first and isinstance(self.op.kernel, np.ufunc):  # which gives a scalar for 0-d arrays unless told otherwise
            if given == first and self.op.kernel in HEAVY:
                self.say(inner, f"if {first}.size >= {SHARED}:",
                                f"    _result = _shared_ufunc(_kernel, {first})",
                                "else:")  # fmt: skip
                inner += 1
            self.say(inner, f"_result = _kernel({given}) if {first}.ndim else _kernel({given}, out=...)")
        else:
            self.say(inner, f"_result = _kernel({given})")

    def wrap(self, depth: int) -> None:
        """The result as a tensor, to which ``edges`` gives node and meta."""
        whole = "_result" if self.is_array else "_result if _type(_result) is _ndarray else _asarray(_result)"
        self.say(depth, "_t = _new(_Tensor)",
                        f"_t._array = {whole}",
                        "_t._counter = None")  # fmt: skip

    def edges(
        self, depth: int, which: Sequence[str], tensors: Sequence[str], done: str = "_t", if_only: str = ""
    ) -> bool:
        """The edges to the inputs; without any the tensor is done, and knows what cut its history, if anything.

        ``tensors``: all from which it may inherit a cut; ``if_only``: what else recording depends on. Returns whether
        there may be edges.
        """
        lacks = "None if {0} is None else " if self.optional else ""
        if not self.op.rules:
            plain = " and ".join([f"({x} is None or {x}._meta is None and {x}._node is None)" if self.optional
                                  else f"{x}._meta is None and {x}._node is None" for x in tensors])  # fmt: skip
            self.say(depth, "_t._node = None")
            given = f"_cut_of(({', '.join(tensors)},), _op)"
            if done == "_t":
                self.say(depth, f"_t._meta = None if {plain or 'True'} else {given}")
            else:
                self.say(depth, f"if not ({plain or 'True'}):",
                                f"    _cut = {given}",
                                "    for _t in _outs:",
                                "        _t._meta = _cut")  # fmt: skip
            self.say(depth, f"return {done}")
            return False
        for x in tensors:
            self.say(depth, f"_m_{{0}} = {lacks}{{0}}._meta".format(x),
                            f"_e_{{0}} = {lacks}{{0}}._node".format(x))  # fmt: skip
        none = " and ".join([f"_e_{x} is None" for x in which])
        history = " and ".join([f"_e_{x} is None and _m_{x} is None" for x in tensors])
        self.say(depth, f"if {history}:",
                        "    _t._node = None",
                        "    _t._meta = None",
                        f"    return {done}",
                        f"if _recording{f' and {if_only}' if if_only else ''}:")  # fmt: skip
        for x in which:
            self.say(depth + 1, f"if _m_{x} is not None:",
                                f"    _e_{x} = {x}._edge()")  # fmt: skip
        given = f"({', '.join(tensors)},)"
        cut = f"_m_{tensors[0]} if _type(_m_{tensors[0]}) is _Cut else _cut_of({given}, _op)"
        if if_only:
            self.say(depth, "else:",
                            f"    {' = '.join([f'_e_{x}' for x in which])} = None")  # fmt: skip
        self.say(depth, f"if not _recording or ({none}):",
                        "    _t._node = None")  # fmt: skip
        if done == "_t":
            self.say(depth + 1, f"_t._meta = {cut}")
        else:
            self.say(depth + 1, f"_cut = {cut}",
                                "for _t in _outs:",
                                "    _t._meta = _cut")  # fmt: skip
        self.say(depth + 1, f"return {done}")
        self.say(depth, "_t._meta = None")
        return True

    def node(self, depth: int, adapt: str = "None", edges: str | None = None, op: str = "_op") -> None:
        """A node with its edges. ``adapt``: what gradients must be brought to; see ``Node.adapt``."""
        if edges is None:
            edges = ", ".join([f"_e_{x}" for x in self.differentiable])
        kind = "_node_class" if op == "_op" else f"{op}_class"
        self.say(depth, f"if {kind} is None:",
                        f"    {kind} = {op}.node_class",
                        f"_node = {kind}()",
                        f"_node.next = ({edges},)",
                        "_node.attached = None",
                        f"_node.adapt = {adapt}")  # fmt: skip

    def save(self, depth: int, instead: dict[str, str] | None = None, outs: str = "") -> None:
        """What the rules need of this call, and the versions that it is in.

        ``instead``: arrays in place of tensors, for numbers. A node may hold a single value without a tuple around it:
        NOTE [bare values].
        """
        op, given = self.op, instead or {}
        slots = op.slots
        self.say(depth, "_node.versions = None")
        if not slots:
            self.say(depth, "_node.saved = _EMPTY")
            return
        if op.holds_bare and len(slots) == 1:
            self.bare(depth, "_result" if slots[0].is_output else given.get(slots[0].name, slots[0].name))
            return
        if op.holds_bare:
            last = self.differentiable[-1]
            alone = next(s.name for s in slots if s.name in op.rules[self.differentiable[0]].sources)
            if given:
                self.bare(depth, given.get(alone, alone))
                return
            self.say(depth, f"if _e_{last} is None:")
            self.bare(depth + 1, alone)
            self.say(depth, "else:")
            depth += 1
        values = [self.kept(slot, given, f"_twin({outs or '(_t,)'}[{slot.index}])") for slot in slots]
        self.say(depth, f"_node.saved = ({', '.join(values)},)")
        tensors = {i: s.name for i, s in enumerate(slots) if s.is_tensor and not s.is_output and s.name not in given}
        if tensors and not op.variadic:
            lacks = "{0} is not None and " if self.optional else ""
            unusual = (
                f"{lacks}({{0}}._counter is not None and {{0}}._counter[0]"
                " or _m_{0} is not None and _m_{0}.inference)"
            )
            self.say(depth, f"if {' or '.join([unusual.format(x) for x in tensors.values()])}:",
                            f"    _note_versions(_node, {(*tensors,)})")  # fmt: skip

    def bare(self, depth: int, value: str) -> None:
        self.say(depth, f"_node.saved = {value}")
        if not value.startswith("_"):
            self.say(depth, f"_counter = {value}._counter",
                            "if _counter is not None and _counter[0]:",
                            "    _node.versions = (_counter[0],)",
                            f"if _m_{value} is not None and _m_{value}.inference:",
                            f"    raise _inference_error({value})")  # fmt: skip

    def kept(self, slot: Any, instead: dict[str, str], output: str) -> str:
        """What a node saves in a slot: nothing, if only one gradient, which is not asked for, needs it.

        Outputs, shapes, attributes and what several gradients need are saved anyway, as in PyTorch, but for strides.
        """
        value = self.source(slot, instead, output)
        op = self.op
        is_strides = slot.name.endswith("_strides")
        if not (slot.is_tensor or is_strides) or slot.is_output or op.variadic:
            return value
        users = [x for x in self.differentiable if slot.name in op.rules[x].sources]
        if users == self.differentiable or op.is_shared(slot):
            return value
        users = [x for x in users if x not in instead]
        if not users:
            return "None"
        nothing = "()" if is_strides else "None"
        return f"({nothing} if {' and '.join([f'_e_{x} is None' for x in users])} else {value})"

    def source(self, slot: Any, instead: dict[str, str], output: str) -> str:
        """Where a slot's value comes from, as an expression."""
        op, name = self.op, slot.name
        if name in self.attributes:
            return self.packed.format(name) if name in op.lists else str(name)
        if slot.is_output:
            return output
        if slot.is_tensor:
            return self.packed.format("tensors") if op.variadic else instead.get(name, name)
        if name == "position":
            return "None"
        base, _, what = name.rpartition("_")
        if op.variadic:
            return f"tuple([_x._array.{what} for _x in tensors])"
        return f"_strides(_a_{base})" if what == "strides" else f"_a_{base}.{what}"

    def place(self, depth: int, frames: str = "", done: str = "_t") -> None:
        """Where the node was made.

        ``frames``: how many frames up the caller is, who may be the user: the last one that was seen to be outside
        facula is known at once. Without it a public function has called, and the user is sought further up.
        """
        if frames:
            self.say(depth, f"_frame = _getframe({frames})",
                            "_node.code = _code = _frame.f_code",
                            "_node.instruction = _frame.f_lasti",
                            "if _code is not _known_code:",
                            "    if _is_internal.get(_code.co_filename) is False:",
                            "        _known_code = _code",
                            "    else:",
                            f"        _node.code, _node.instruction = _place({frames} + 1)")  # fmt: skip
        else:
            self.say(depth, "_node.code, _node.instruction = _place(2)")
        self.number(depth, done)

    def number(self, depth: int, done: str = "_t") -> None:
        self.say(depth, "_node.seq = _number()")
        if done:
            self.say(depth, "_t._node = _node",
                            f"return {done}")  # fmt: skip


# ---- what the texts call


def note_versions(node: Any, at: tuple[int, ...]) -> None:
    """Remember which of the saved tensors had been changed in place before they were saved."""
    held = node.saved
    versions = [0] * len(held)
    for i in at:
        t = held[i]
        if t is not None:
            if t._meta is not None and t._meta.inference:
                raise inference_error(t)
            versions[i] = version_of(t)
    node.versions = tuple(versions) if any(versions) else None


def _twin(out: Any) -> Any:
    """``saved.shallow_copy`` of a tensor that has just been made."""
    t = _new(Tensor)
    t._array = out._array
    t._node = None
    t._meta = None
    t._counter = out._counter = [0, None, 0]
    return t


def needs_record(t: Any, recording: bool) -> bool:
    """Whether a tensor keeps an in-place change from being a mere write."""
    meta = t._meta
    if recording:
        return meta is not None or t._node is not None
    return meta is not None and meta.inference


def is_apart(target: Any, source: Any) -> bool:
    """Whether two arrays certainly share no memory, or are the same elements."""
    return (target.base is None and source.base is None) or not np.may_share_memory(target, source)


def _packed(values: Any) -> SavedList:
    """``SavedList.packed`` without hooks."""
    return SavedList([(t, version_of(t)) if isinstance(t, Tensor) else (t, 0) for t in values])


NAMES: dict[str, Any] = {
    "_type": type, "_Tensor": Tensor, "_PLAIN": PLAIN, "_new": _new, "_ndarray": ndarray, "_asarray": np.asarray,
    "_F32": F32, "_F64": F64, "_scalar": scalar, "_shapes_error": shapes_error, "_shared_ufunc": shared_ufunc,
    "_state": state, "_GENERAL": GENERAL, "_RECORDING": RECORDING, "_begin": quiet.begin, "_end": quiet.end,
    "_AutogradMeta": AutogradMeta, "_Cut": Cut, "_cut_of": cut_of, "_mark_view": mark_view, "_NO_GRAD": NO_GRAD,
    "_INFERENCE": INFERENCE,
    "_MULTI_OUTPUT": MULTI_OUTPUT, "_EMPTY": EMPTY, "_twin": _twin, "_packed": _packed, "_strides": element_strides,
    "_laid_out": laid_out,
    "_repeats_laid_out": repeats_laid_out,
    "_laid_out_beside_number": laid_out_beside_number,
    "_note_versions": note_versions, "_inference_error": inference_error, "_pack": saved.pack,
    "_MemoryError": MemoryError, "_too_large": _too_large,
    "_SavedList": SavedList, "_unusual_in": unusual_in, "_is_apart": is_apart,
    "_place": user_place, "_getframe": _getframe, "_is_internal": _is_internal, "_known_code": None,
    "_number": next_sequence_number, "_remember": anomaly.remember, "_node_class": None,
}  # fmt: skip
"""What the texts of calls use, besides their operator."""
