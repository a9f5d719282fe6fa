"""Elementwise primitives: PyTorch's promotion and broadcasting in front of a ufunc, and the hot path.

NOTE [hot path]: nearly every operation of a small model runs through the functions that are compiled here (see
``_text``), one for each primitive. They handle Tensors of one and the same float32 or float64 dtype (and Python numbers
beside them) in the plain state, and hand everything else to ``general`` (in ``_operands``), which knows all the rules.
Both must give the same results; the tests hold them equal. A function call costs a tenth of such an operation, so all
is written out. In short, for ``mul``::

    def _call(input, other):
        if type(input) is not Tensor: ...
        a = input._array
        if type(other) is Tensor:
            b = other._array
            if a.dtype is not b.dtype: ...
            result = multiply(a, b)
            ...
            node = MulBackward0()
            node.next = (edge_a, edge_b)
            node.saved = other if edge_b is None else (None if edge_a is None else other, input)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from ..._core import quiet
from ..._core.dtypes import F32, F64
from ...autograd.graph import _is_internal
from ...autograd.meta import Cut
from ...autograd.saved import inference_error
from ..arrays.tiles import HEAVY, SHARED, shared_ufunc
from .call import note_versions
from .namespaces import TENSORS
from .operands import MISSING, broadcast_error, general, irregular, scalar
from .primitive import Primitive, _getframe
from .text import NAMES, Text, compiled_when_called, unusual


class Elementwise(Primitive):
    """A primitive whose tensors are promoted to one dtype and broadcast together.

    ``promote``: ``"default"`` (PyTorch's result_type), ``"float"`` (integers become the default float dtype),
    ``"compare"`` (the kernel answers in bool). ``scalars``: attributes that count as Python numbers in promotion.
    ``numbers``: whether a Python number may stand for a tensor. ``fast=False``: float tensors need ``check`` as well.
    """

    def __init__(
        self, name: str, kernel: Any, node: str | None, *, promote: str = "default", check: Any = None,
        scalars: tuple[str, ...] = (), numbers: bool = True, fast: bool = True, **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(name, kernel, node, kind="elementwise", **options)
        self.promote = promote
        self.check = check
        self.scalars = tuple(self.attribute_names.index(s) for s in scalars)
        self.numbers = numbers
        self.fast = fast
        self.call: Any = None
        self.guard: Any = None
        """Called with the tensors as given, before promotion; raises if it refuses them."""
        self.write: Any = None
        """For kernels that are no ufuncs: ``write(target, *others, *attributes)`` computes into its first argument."""
        self.with_alpha: Any = None
        """What takes over when ``alpha=`` is given: ``with_alpha(input, other, alpha)``."""

    def ready(self) -> Elementwise:
        """Build the fast callable, once all rules are given."""
        self.call = self._form("function")
        setattr(TENSORS, self.name, self._form("rule"))
        return self

    @cached_property
    def method(self) -> Any:
        return self._form("method")

    @cached_property
    def operator(self) -> Any:
        return self._form("operator")

    def _form(self, form: str) -> Any:
        k = len(self.tensor_names)
        make = {1: _unary, 2: _binary}.get(k, _nary)
        if self.attribute_names:
            make = _attributed if k == 1 else _nary
        return make(self, form)

    def __call__(self, *args: Any) -> Any:
        return self.call(*args)

    def under(self, name: str, node: str | None, kernel: Any = None, **changes: Any) -> Elementwise:
        op: Elementwise = super().under(name, node, kernel, **changes)
        return op.ready()

    def _again(self, name: str, kernel: Any, node: str | None, options: dict[str, Any]) -> Elementwise:
        del options["kind"]
        return Elementwise(
            name, kernel, node, promote=self.promote, check=self.check, numbers=self.numbers, fast=self.fast,
            scalars=tuple(self.attribute_names[i] for i in self.scalars), **options,
        )  # fmt: skip


def elementwise(
    name: str, kernel: Any, node: str | None = None, *, promote: str = "default", check: Any = None,
    scalars: tuple[str, ...] = (), numbers: bool = True, fast: bool = True,
    holomorphic: bool = True, saved_names: dict[str, str] | None = None, quick: dict[str, Any] | None = None,
    **rules: Callable[..., Any],
) -> Elementwise:  # fmt: skip
    """Declare an elementwise primitive in one expression: kernel, node name, and a rule for each input.

    ``quick`` may give rules once more for real arrays; see NOTE [quick rules] in ``_nodes``.
    """
    op = Elementwise(
        name, kernel, node, promote=promote, check=check, scalars=scalars, numbers=numbers, fast=fast,
        holomorphic=holomorphic, saved_names=saved_names,
    )  # fmt: skip
    op.vjp(**rules)
    op.quick = quick or {}
    return op.ready()


def _unary(op: Elementwise, form: str) -> Callable[..., Any]:
    if not op.fast or (op.slots and (len(op.slots) > 1 or op.slots[0].name not in ("input", "out"))):
        return _slow(op, form)
    return _hot(op, form, _HotText.unary)


def _binary(op: Elementwise, form: str) -> Callable[..., Any]:
    if not op.fast or len(op.rules) not in (0, 2) or any(s.name not in ("input", "other") for s in op.slots):
        return _slow(op, form)
    call = _hot(op, form, _HotText.binary)
    return call if form in ("operator", "rule") else _named(_with_keywords(op, call, form), op)


def _with_keywords(op: Elementwise, quick: Callable[..., Any], form: str) -> Callable[..., Any]:
    """The function or method form: operators need no keywords, and are quicker without."""

    def call(*args: Any, **more: Any) -> Any:
        if not more and len(args) == 2:
            return quick(args[0], args[1], 2)
        given = (*args, MISSING, MISSING)[:2]
        return irregular(op, given, args[2:], more, form)

    return call


def _slow(op: Elementwise, form: str) -> Callable[..., Any]:
    k = len(op.tensor_names)

    def call(*args: Any, **more: Any) -> Any:
        given = args if len(args) >= k else args + (MISSING,) * (k - len(args))
        return irregular(op, given[:k], args[k:], more, form)

    return _named(call, op)


def _attributed(op: Elementwise, form: str) -> Callable[..., Any]:
    """One tensor and attributes, which public functions have put in order."""
    if not op.fast:
        return _named(lambda input, *attributes: general(op, (input,), attributes=attributes), op)
    return _hot(op, form, _HotText.attributed)


def _nary(op: Elementwise, _: str) -> Callable[..., Any]:
    k = len(op.tensor_names)

    def call(*args: Any, out: Any = None) -> Any:
        return general(op, args[:k], out=out, attributes=args[k:])

    return _named(call, op)


def _named(call: Any, op: Elementwise) -> Any:
    call.__name__ = call.__qualname__ = op.name
    call.primitive = op
    return call


# ---- the text


def _hot(op: Elementwise, form: str, write: Callable[[_HotText], None]) -> Any:
    """A function whose text ``write`` writes."""

    def text(names: dict[str, Any]) -> Callable[..., Any]:
        made = _HotText(op)
        write(made)
        return made.compiled("_call", names)

    own = {"_op": op, "_form": form, "_is_operator": form == "operator", "_kernel": quiet.silenced(op.kernel)}
    return _named(compiled_when_called(text, {**_NAMES, **own}), op)


class _HotText(Text):
    op: Elementwise

    def __init__(self, op: Elementwise) -> None:
        super().__init__(op)
        self.rules = bool(op.rules)
        self.is_ufunc = isinstance(op.kernel, np.ufunc)

    def unary(self) -> None:
        say, names = self.say, self.op.slot_names
        say(0, "def _call(input=_MISSING, *_rest, **_more):")
        say(1, "global _node_class, _known_code",
               "if (_type(input) is not _Tensor and _type(input) not in _PLAIN) or _rest or _more:",
               "    return _irregular(_op, (input,), _rest, _more, _form)",
               "_a = input._array",
               "_dt = _a.dtype",
               "if _dt is not _F32 and _dt is not _F64:",
               "    return _general(_op, (input,))")  # fmt: skip
        self.say_mode("_general(_op, (input,))")
        if self.op.kernel in HEAVY:
            say(1, f"if _a.size >= {SHARED}:",
                   "    _result = _shared_ufunc(_kernel, _a)",
                   "else:",
                   "    _result = _kernel(_a) if _a.ndim else _kernel(_a, out=...)")  # fmt: skip
        else:
            self.say_kernel(1, "_a")
        self.say_tensor(1)
        say(1, "_meta_a = input._meta",
               "_edge_a = input._node")  # fmt: skip
        if not self.say_edges(1, "a", cut="input"):
            return
        self.say_node(1, "(_edge_a,)")
        say(1, "_node.adapt = None")
        if names == ["input"]:
            self.say_bare(1, "input", "_meta_a")
        else:
            say(1, f"_node.saved = {'_result' if names == ['out'] else '_EMPTY'}",
                   "_node.versions = None")  # fmt: skip
        self.say_place(1, 1)

    def binary(self) -> None:
        op, say = self.op, self.say
        say(0, "def _call(input, other, _depth=1):")
        say(1, '"""``_depth``: how many frames up the caller is."""',
               "global _node_class, _known_code",
               "if _type(input) is not _Tensor and _type(input) not in _PLAIN:",
               "    return _irregular(_op, (input, other), (), {}, _form)",
               "_a = input._array",
               "_dt = _a.dtype",
               "if _dt is not _F32 and _dt is not _F64:",
               "    return _general(_op, (input, other), _is_operator)")  # fmt: skip
        self.say_mode("_general(_op, (input, other), _is_operator)")
        say(1, "if _type(other) is _Tensor or _type(other) in _PLAIN:",
               "    _b = other._array",
               "    if _b.dtype is not _dt:",
               "        return _general(_op, (input, other), _is_operator)",
               "    try:")  # fmt: skip
        self.say_kernel(3, "_a, _b")
        say(2, "except ValueError:",
               "    raise _broadcast_error(_a.shape, _b.shape) from None")  # fmt: skip
        self.say_tensor(2)
        say(2, "_meta_a = input._meta",
               "_edge_a = input._node",
               "_meta_b = other._meta",
               "_edge_b = other._node")  # fmt: skip
        if self.say_edges(2, "a", "b", cut="input, other"):
            self.say_node(2, "(_edge_a, _edge_b)")
            say(2, "_node.adapt = None if _a.shape == _b.shape else _op._adaptations(_t, (input, other))")
            self.say_saved_pair(2)
            self.say_place(2, "_depth")
        if not op.numbers:
            say(1, "return _irregular(_op, (input, other), (), {}, _form)")
            return
        say(1, "if _type(other) is not float and _type(other) is not int:",
               "    return _irregular(_op, (input, other), (), {}, _form)",
               "_b = _scalar(other, _dt)")  # fmt: skip
        self.say_kernel(1, "_a, _b")
        self.say_tensor(1)
        say(1, "_meta_a = input._meta",
               "_edge_a = input._node")  # fmt: skip
        if self.say_edges(1, "a", cut="input, other"):
            self.say_node(1, "(_edge_a, None)")
            say(1, "_node.adapt = None")
            self.say_saved_with_number(1)
            self.say_place(1, "_depth")

    def attributed(self) -> None:
        op, say = self.op, self.say
        (tensor,) = op.tensor_names
        defaults = getattr(op.kernel, "__defaults__", None) or ()
        bare = len(op.attribute_names) - len(defaults)
        optional = [f"{name}=_op.kernel.__defaults__[{i}]" for i, name in enumerate(op.attribute_names[bare:])]
        given = ", ".join(op.attribute_names)
        otherwise = f"_general(_op, ({tensor},), attributes=({given},))"
        say(0, f"def _call({', '.join([tensor, *op.attribute_names[:bare], *optional])}):")
        say(1, "global _node_class, _known_code",
               f"if _type({tensor}) not in _PLAIN:",
               f"    return {otherwise}",
               f"_a = {tensor}._array",
               "_dt = _a.dtype",
               "if _dt is not _F32 and _dt is not _F64:",
               f"    return {otherwise}")  # fmt: skip
        self.say_mode(otherwise)
        say(1, "try:")
        self.say_kernel(2, f"_a, {given}")
        say(1, "except TypeError:",  # a complex number beside a real tensor
               f"    return {otherwise}",
               "if _result.dtype is not _dt:",
               f"    return {otherwise}")  # fmt: skip
        self.say_tensor(1)
        say(1, f"_meta_a = {tensor}._meta",
               f"_edge_a = {tensor}._node")  # fmt: skip
        if not self.say_edges(1, "a", cut=tensor):
            return
        if any(slot.name not in (*op.attribute_names, tensor) for slot in op.slots):
            say(1, "_t._node = _t._meta = None",
                   f"_op.record([_t], ({tensor},), ({given},))",
                   "return _t")  # fmt: skip
            return
        self.say_node(1, "(_edge_a,)")
        say(1, "_node.adapt = None",
               "_node.versions = None",
               f"_node.saved = ({', '.join(op.slot_names)},)" if op.slots else "_node.saved = _EMPTY")  # fmt: skip
        if tensor in op.slot_names:
            say(1, f"if {unusual(tensor, '_meta_a')}:",
                   f"    _note_versions(_node, ({op.slot_names.index(tensor)},))")  # fmt: skip
        say(1, "_node.code, _node.instruction = _place(2)",
               "_node.seq = _number()",
               "_t._node = _node",
               "return _t")  # fmt: skip

    # ---- what they share

    def say_kernel(self, depth: int, given: str) -> None:
        if self.is_ufunc:  # which gives a scalar for 0-d arrays unless told otherwise
            self.say(depth, f"_result = _kernel({given}) if _a.ndim else _kernel({given}, out=...)")
        else:
            self.say(depth, f"_result = _kernel({given})",
                            "if _type(_result) is not _ndarray and not _isinstance(_result, _ndarray):",
                            "    _result = _asarray(_result)")  # fmt: skip

    def say_tensor(self, depth: int) -> None:
        self.say(depth, "_t = _new(_Tensor)",
                        "_t._array = _result",
                        "_t._counter = None")  # fmt: skip

    def say_edges(self, depth: int, *which: str, cut: str) -> bool:
        """The edges to the inputs; without any the tensor is done, and knows what cut its history, if anything.

        Returns whether there may be any.
        """
        none = " and ".join([f"_edge_{x} is None" for x in which])
        plain = " and ".join([f"_meta_{x} is None" for x in which])
        tensors = dict(zip("ab", cut.split(", ")))
        if not self.rules:
            self.say(depth, "_t._node = None",
                            "_t._meta = None",
                            "return _t")  # fmt: skip
            return False
        self.say(depth, f"if {none} and {plain}:",
                        "    _t._node = None",
                        "    _t._meta = None",
                        "    return _t",
                        "if _recording:")  # fmt: skip
        for x in which:
            self.say(depth + 1, f"if _meta_{x} is not None:",
                                f"    _edge_{x} = {tensors[x]}._edge()")  # fmt: skip
        self.say(depth, f"if not _recording or ({none}):",
                        "    _t._node = None",
                        f"    _t._meta = _meta_a if _type(_meta_a) is _Cut else _cut_of(({cut},), not _recording)",
                        "    return _t")  # fmt: skip
        return True

    def say_node(self, depth: int, edges: str) -> None:
        self.say(depth, "_t._meta = None",
                        "if _node_class is None:",
                        "    _node_class = _op.node_class",
                        "_node = _node_class()",
                        f"_node.next = {edges}",
                        "_node.attached = None")  # fmt: skip

    def say_bare(self, depth: int, name: str, meta: str) -> None:
        """Save one tensor, without a tuple around it: NOTE [bare values]."""
        self.say(depth, f"_node.saved = {name}",
                        f"_counter = {name}._counter",
                        "_node.versions = None if _counter is None or not _counter[0] else (_counter[0],)",
                        f"if {meta} is not None and {meta}.inference:",
                        "    raise _inference_error()")  # fmt: skip

    def users(self, name: str) -> list[str]:
        """The edges whose rules need an operand."""
        return [x for x, rule in (("a", "input"), ("b", "other")) if name in self.op.rules[rule].sources]

    def needs_one_each(self) -> bool:
        """Whether each rule needs one operand: then a node with one live edge holds it bare."""
        names = self.op.slot_names
        return len(names) == 2 and all(sum(x in self.users(name) for name in names) == 1 for x in "ab")

    def say_saved_pair(self, depth: int) -> None:
        names = self.op.slot_names
        if not names:
            self.say(depth, "_node.saved = _EMPTY",
                            "_node.versions = None")  # fmt: skip
            return
        metas = {"input": "_meta_a", "other": "_meta_b"}
        if self.needs_one_each():
            kept = next(name for name in names if "a" in self.users(name))
            self.say(depth, "if _edge_b is None:")
            self.say_bare(depth + 1, kept, metas[kept])
            self.say(depth, "else:")
            depth += 1
        values = []
        for name in names:
            users = self.users(name)
            none = " and ".join([f"_edge_{x} is None" for x in users])
            values.append(name if len(users) == 2 else f"None if {none} else {name}")
        changed = " or ".join([unusual(name, metas[name]) for name in names])
        self.say(depth, f"_node.saved = ({', '.join(values)},)",
                        "_node.versions = None",
                        f"if {changed}:",
                        f"    _note_versions(_node, {tuple(range(len(names)))})")  # fmt: skip

    def say_saved_with_number(self, depth: int) -> None:
        names = self.op.slot_names
        kept = [name for name in names if "a" in self.users(name)]
        if not kept:
            held = ", ".join(["None"] * len(names))
            self.say(depth, f"_node.saved = ({held},)" if names else "_node.saved = _EMPTY",
                            "_node.versions = None")  # fmt: skip
        elif self.needs_one_each() and kept == ["input"]:
            self.say_bare(depth, "input", "_meta_a")
        elif self.needs_one_each():
            self.say(depth, "_node.saved = _b",
                            "_node.versions = None")  # fmt: skip
        else:
            held = ", ".join(["None" if n not in kept else "input" if n == "input" else "_b" for n in names])
            self.say(depth, f"_node.saved = ({held},)",
                            "_node.versions = None")  # fmt: skip
            if "input" in kept:
                self.say(depth, f"if {unusual('input', '_meta_a')}:",
                                f"    _note_versions(_node, ({names.index('input')},))")  # fmt: skip

    def say_place(self, depth: int, frames: int | str) -> None:
        """Where the node was made. The last caller that was seen to be outside facula is known at once."""
        self.say(depth, f"_frame = _getframe({frames})",
                        "_node.code = _code = _frame.f_code",
                        "_node.instruction = _frame.f_lasti",
                        "if _code is not _known_code:",
                        "    if _is_internal.get(_code.co_filename) is False:",
                        "        _known_code = _code",
                        "    else:",
                        f"        _node.code, _node.instruction = _place({frames} + 1)",
                        "_node.seq = _number()",
                        "_t._node = _node",
                        "return _t")  # fmt: skip


_NAMES: dict[str, Any] = {
    **NAMES, "_isinstance": isinstance, "_F32": F32, "_F64": F64, "_MISSING": MISSING, "_irregular": irregular,
    "_general": general, "_scalar": scalar, "_broadcast_error": broadcast_error, "_shared_ufunc": shared_ufunc,
    "_Cut": Cut, "_inference_error": inference_error, "_note_versions": note_versions, "_getframe": _getframe,
    "_is_internal": _is_internal, "_known_code": None,
}  # fmt: skip
