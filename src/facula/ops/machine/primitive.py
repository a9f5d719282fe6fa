"""The only magic: primitives.

A primitive is a NumPy kernel with one derivative rule per differentiable input, side by side::

    @primitive("GatherBackward0")
    def gather(input: Array, index: Array, dim: int) -> Array:
        return np.take_along_axis(input, index, dim)

    gather.vjp(input=lambda g, index, dim, input_shape, xp: xp.ungather(g, index, input_shape, dim))

Parameters that are an ``Array`` (or ``Array | None``) are tensors and come first, all others are attributes. **The
parameter names of a rule say what a node saves**: ``g`` (first), any argument, ``out``, ``<arg>_shape``,
``<arg>_dtype``, ``<arg>_size``, ``<arg>_strides`` (in elements); ``xp`` is the namespace of what the rule computes with
(see ``namespaces``) and is not saved. A name that does not exist fails when the primitive is declared.

A rule is pure: it never writes into what it is given. It may return a gradient that still has to be summed to its
input's shape or cast to its dtype if the primitive is elementwise: that happens once, on the graph's edge.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core import quiet, state
from ..._core.devices import MetaArray, stay_meta
from ..._tensor import Tensor
from ...autograd import anomaly, saved
from ...autograd.graph import Node, blank_node, place_node
from ...autograd.meta import AutogradMeta, cut_of
from ...autograd.saved import PLAIN, SavedList, Slot
from ...autograd.views import INFERENCE, element_strides, mark_view
from .namespaces import ARRAYS, TENSORS

ndarray = np.ndarray
_new = object.__new__
_wrap = Tensor._wrap
_getframe = sys._getframe

REGISTRY: dict[str, Primitive] = {}

KINDS = ("elementwise", "linear", "multilinear", "other")
"""NOTE [kinds]: how a primitive depends on its differentiable tensors, for forward mode and ``vmap``.

- elementwise: each element of the result comes from one element of each tensor, broadcast;
- linear: jointly linear in all of them, so that the tangent goes the same way as the value, as through a view;
- multilinear: linear in each of them while the others stand still;
- other: all else. Nothing is assumed.
"""

Batching = Callable[[Any], Any]
"""A batching rule: it takes a ``batching.Call``."""


class transforms:
    """What to do with tensors that stand for others. ``_wrapped``, where these are made, fills it in."""

    call: Callable[..., Any]
    change: Callable[..., Any]


_TENSORS = ("Array", "Array | None", "Arrays", None)
"""How a kernel annotates its tensors; a lambda need not."""

_ASPECTS = ("shape", "dtype", "size", "strides")
"""What a rule may ask of an argument without saving it."""


def parameter_names(fn: Any) -> list[str]:
    """The names of a function's parameters, ``*rest`` included. ``inspect.signature`` takes 30 times as long."""
    fn = getattr(fn, "__wrapped__", fn)
    code = fn.__code__
    n = code.co_argcount
    starred = code.co_varnames[n + code.co_kwonlyargcount :][: code.co_flags >> 2 & 1]
    return [*code.co_varnames[:n], *starred]


class Rule:
    """A derivative rule and, for each of its parameters after ``g``, where to find it among the saved values."""

    __slots__ = ("fn", "sources", "takes")

    def __init__(self, fn: Callable[..., Any]) -> None:
        names = parameter_names(fn)
        if not names or names[0] != "g":
            raise TypeError(f"the first parameter of a rule is g, not {names[:1]}")
        self.fn = fn
        self.sources = names[1:]
        self.takes: tuple[int, ...] = ()


class Primitive:
    """A kernel, its rules, and the node class that stands for it in graphs. Call it with Tensors."""

    def __init__(
        self,
        name: str,
        kernel: Callable[..., Any],
        node: str | None,
        *,
        kind: str = "other",
        outputs: int | str = 1,
        differentiable_outputs: str = "all",
        view: bool = False,
        batch: Batching | None = None,
        holomorphic: bool = True,
        random: bool = False,
        saved_names: dict[str, str] | None = None,
    ) -> None:
        self.name = self.__name__ = name
        self.kernel = kernel
        self.node_name = node
        self.kind = "linear" if view else kind
        """How it depends on its differentiable tensors: NOTE [kinds]."""
        self.is_view = view
        self.outputs = outputs
        """1; a number of outputs; ``"many"`` (a list whose length depends on the arguments)."""
        self.multi = outputs != 1 and differentiable_outputs == "all"
        """Whether more than one output is in the graph; otherwise only the first is, and indices beside it are not."""
        self.batching_rule = batch
        """What it is on batches; see ``batch``. Elementwise primitives need none."""
        self.tangent_rule: Callable[..., Any] | None = None
        """See ``tangent``."""
        self.is_holomorphic = holomorphic
        """Of an elementwise function of complex numbers into complex numbers: whether it has a complex derivative."""
        self.is_random = random
        """Whether it draws random numbers."""
        self.lowering: Any = None
        """How a compiler writes it; None: as a call of the kernel."""
        self.native: Any = None
        """Its native kernel, and from what size on that pays; None: it has none."""
        self.rules: dict[str, Rule] = {}
        self.raw_rule: Rule | None = None
        """The rules of all inputs in one, for raw arrays; see ``raw_vjp``."""
        self.joint_rule: Rule | None = None
        """The same for Tensors; see ``joint_vjp``."""
        self.slots: list[Slot] = []
        self.slot_names: list[str] = []
        self.quick: dict[str, Callable[..., Any]] = {}
        """Rules once more, for small float32 and float64 arrays; see NOTE [quick rules] in ``_nodes``."""
        self.saved_names = saved_names or {}
        self.composed: Callable[..., Any] | None = None
        """The same as a function of other operators: what transforms use in place of a fused kernel."""
        self.public: Any = None
        """The public function that it is itself, and what is declared of that: see ``expose``."""
        self.public_record: Any = None
        self._node_class: type[Node] | None = None
        self.call: Callable[..., Any] = self._first_call
        """The quickest way to call it; ``op.call(...)`` saves the step through ``op(...)``."""
        self._keep: dict[int, tuple[bool, ...]] = {}
        self.lists: set[str] = set()
        """The attributes that are lists of tensors, to be saved as such."""
        if isinstance(kernel, np.ufunc):
            self.tensor_names = ["input", "other", "third"][: kernel.nin]
            self.attribute_names: list[str] = []
        else:
            names = parameter_names(kernel)
            annotated = kernel.__annotations__
            self.tensor_names = [n for n in names if annotated.get(n) in _TENSORS]
            self.attribute_names = [n for n in names if annotated.get(n) not in _TENSORS]
            self.lists.update([n for n in names if annotated.get(n) == "SavedList"])
            if names != self.tensor_names + self.attribute_names:
                raise TypeError(f"{name}: tensor parameters come before attributes")
        self.variadic = self.tensor_names == ["tensors"]
        self.differentiable: list[int] = []
        if self.kind not in KINDS:
            raise TypeError(f"{name}: kind is one of {', '.join(KINDS)}, not {kind!r}")
        self._options = {
            "kind": self.kind, "outputs": outputs, "differentiable_outputs": differentiable_outputs, "view": view,
            "holomorphic": holomorphic, "random": random, "saved_names": saved_names,
        }  # fmt: skip
        REGISTRY[name] = self
        setattr(ARRAYS, name, kernel)
        setattr(TENSORS, name, self)

    # ---- declaration

    def vjp(self, *names: str, **rules: Callable[..., Any]) -> Any:
        """Give rules by keyword, or use as a decorator: ``@op.vjp("input")``."""
        if names:

            def add(fn: Callable[..., Any]) -> Callable[..., Any]:
                for name in names:
                    self._add_rule(name, fn)
                return fn

            return add
        for name, fn in rules.items():
            self._add_rule(name, fn)
        return self

    def _add_rule(self, name: str, fn: Callable[..., Any]) -> None:
        if name not in self.tensor_names:
            raise TypeError(f"{self.name}: a rule for {name!r}, which is none of {self.tensor_names}")
        self.rules[name] = self._prepared(Rule(fn))
        self.differentiable = [i for i, n in enumerate(self.tensor_names) if n in self.rules]

    def raw_vjp(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        """A decorator: the gradients of all inputs at once, on raw arrays, for kernels whose rules share much work.

        Besides saved values it may ask for ``needs``: for each differentiable input, whether its gradient is wanted. It
        must agree with the rules, which are still what higher derivatives are made of.
        """
        self.raw_rule = self._prepared(Rule(fn))
        return fn

    def joint_vjp(self, *names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """A decorator: the gradients of all these inputs at once, on Tensors, in place of a rule for each.

        It may ask for ``needs``, too. Such a primitive has a ``raw_vjp`` besides.
        """

        def add(fn: Callable[..., Any]) -> Callable[..., Any]:
            self.joint_rule = self._prepared(Rule(fn))
            self.rules.update(dict.fromkeys(names, self.joint_rule))
            self.differentiable = [i for i, n in enumerate(self.tensor_names) if n in self.rules]
            return fn

        return add

    def batch(self, rule: Batching) -> Batching:
        """A decorator: what it is on batches, in terms of the tensors inside (see ``batching``).

        If the rule returns None, or there is none, it is run for each item alone.
        """
        self.batching_rule = rule
        return rule

    def tangent(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """A decorator: the tangent of its output, where what its kind and its rules say takes longer or does not do.

        The rule takes ``(op, primals, tangents, attributes, outs)``; a constant's tangent is None.
        """
        self.tangent_rule = rule
        return rule

    def under(self, name: str, node: str | None, kernel: Any = None, **changes: Any) -> Any:
        """The same operator under another name and node, with all rules that it has by now.

        ``kernel``: another one that does the same, with the same parameters; ``changes``: other options.
        """
        op = self._again(name, kernel or self.kernel, node, {**self._options, **changes})
        op.batching_rule, op.tangent_rule, op.quick = self.batching_rule, self.tangent_rule, self.quick
        for each, rule in self.rules.items():
            op._add_rule(each, rule.fn)
        return op

    def _again(self, name: str, kernel: Any, node: str | None, options: dict[str, Any]) -> Primitive:
        return Primitive(name, kernel, node, **options)

    def _prepared(self, rule: Rule) -> Rule:
        for source in rule.sources:
            if source not in ("xp", "needs") and source not in self.slot_names:
                slot = self._slot(source)
                if source in self.attribute_names:
                    slot.attribute = self.attribute_names.index(source)
                self.slots.append(slot)
                self.slot_names.append(source)
        special = {"xp": -1, "needs": -2}
        rule.takes = tuple([special[s] if s in special else self.slot_names.index(s) for s in rule.sources])
        self._keep.clear()
        return rule

    def _slot(self, source: str) -> Slot:
        if source in self.tensor_names:
            return Slot(source, is_tensor=True, is_output=False, index=self.tensor_names.index(source))
        if source == "out" or (source.startswith("out") and source[3:].isdigit()):
            return Slot(source, is_tensor=True, is_output=True, index=int(source[3:] or 0))
        base, _, what = source.rpartition("_")
        known = source in self.attribute_names or (what in _ASPECTS and base in self.tensor_names)
        if not known and not (self.variadic and source == "position"):
            raise TypeError(f"{self.name}: a rule asks for {source!r}, which is no argument of it")
        return Slot(source, is_tensor=False, is_output=False, index=-1)

    @property
    def node_class(self) -> type[Node]:
        if self._node_class is None:
            from .node import make_node_class

            self._node_class = make_node_class(self)
        return self._node_class

    def keep(self, mask: int) -> tuple[bool, ...]:
        """Which slots are needed if just the inputs in the bit mask (of differentiable ones) need a gradient."""
        found = self._keep.get(mask)
        if found is None:
            needed: set[str] = set() if self.raw_rule is None else set(self.raw_rule.sources)
            for bit, i in enumerate(self.differentiable):
                if mask >> bit & 1:
                    needed.update(self.rules[self.tensor_names[i]].sources)
            found = self._keep[mask] = tuple(s.name in needed or not s.is_tensor for s in self.slots)
        return found

    # ---- calling

    def __call__(self, *args: Any) -> Any:
        return self.call(*args)

    def _first_call(self, *args: Any) -> Any:
        """Find the quickest way, now that all rules are given."""
        from .call import call_of

        self.call = call_of(self)
        if getattr(TENSORS, self.name) is self:
            setattr(TENSORS, self.name, self.call)
        return self.call(*args)

    def general(self, *args: Any) -> Any:
        """Call it with whatever tensors, in whatever state."""
        if self.variadic:
            tensors: tuple[Any, ...] = tuple(args[0])
            attributes = args[1:]
        else:
            k = len(self.tensor_names)
            tensors = args[:k]
            attributes = args[k:]
        recording = True
        if state.special:
            recording = state.modes.grad_enabled and not state.modes.inference
            if state.modes.function_modes:
                return _through_override(self, args)
        arrays = []
        for t in tensors:
            if t.__class__ not in PLAIN and isinstance(t, Tensor):
                if t.wraps:
                    return transforms.call(self, tensors, attributes)
                if _has_override(t):
                    return _through_override(self, args)
            arrays.append(t._array if isinstance(t, Tensor) else t)
        if self.lists and any(isinstance(a, SavedList) and any(_wraps(t) for t in a) for a in attributes):
            return transforms.call(self, tensors, attributes)
        if state.special and state.modes.profiled is not None:
            return _measured(self, tensors, attributes, args)
        watcher = state.modes.kernels if state.special else None
        result = None if watcher is None else watcher.before(self, tensors, attributes)
        if result is None:
            token = quiet.begin()
            try:
                result = self.kernel(tuple(arrays), *attributes) if self.variadic else self.kernel(*arrays, *attributes)
            finally:
                quiet.end(token)
        if arrays and arrays[0].__class__ is not ndarray and isinstance(arrays[0], MetaArray):
            result = stay_meta(result)
        if self.outputs == 1:
            outs = [wrap(result)]
        else:
            outs = [wrap(r) for r in result]
        if watcher is not None:
            watcher.after(self, outs)
        if self.rules and not (recording and self.record(outs, tensors, attributes)):
            cut = cut_of(tensors, not recording)
            if cut is not None:
                for out in outs:
                    out._meta = cut
        if self.is_view:
            for out in outs:
                mark_view(out, tensors[0], self._replay(attributes), multi=self.outputs != 1)
        elif state.special and state.modes.inference:
            mark_inference(outs)
        return outs[0] if self.outputs == 1 else outs

    def _replay(self, attributes: tuple[Any, ...]) -> Any:
        return None

    def record(self, outs: list[Any], tensors: tuple[Any, ...], attributes: tuple[Any, ...]) -> Node | None:
        """Make the node for this call, if any input needs a gradient, and give the outputs their history."""
        node = self.make_node(outs, tensors, attributes)
        if node is not None:
            attach_outputs(node, outs)
        return node

    def edges_of(self, tensors: tuple[Any, ...]) -> tuple[Any, ...]:
        if not self.variadic:
            indices = self.differentiable
            if len(indices) == 1:
                t = tensors[indices[0]]
                return ((t._node if t._meta is None else t._edge()) if isinstance(t, Tensor) else None,)
            tensors = tuple([tensors[i] for i in indices])
        return tuple([(t._node if t._meta is None else t._edge()) if isinstance(t, Tensor) else None for t in tensors])

    def make_node(
        self, outs: Any, tensors: tuple[Any, ...], attributes: tuple[Any, ...], edges: Any = None, like: Any = None
    ) -> Any:
        """The node of a call, or None if no input needs a gradient.

        ``outs`` is None if there is no output yet (NOTE [in-place order]); ``like`` then has its shape and dtype.
        """
        if edges is None:
            edges = self.edges_of(tensors)
        mask = 0
        bit = 1
        for edge in edges:
            if edge is not None:
                mask |= bit
            bit += bit
        if not mask:
            return None
        node = blank_node(self.node_class, edges)
        self._save(node, 1 if self.variadic else mask, outs, tensors, attributes)
        first = like if like is not None else outs[0] if outs else None
        if first is not None and (
            self.kind == "elementwise" or (first._array.dtype.itemsize == 2 and not self.variadic)
        ):
            node.adapt = self._adaptations(first, tensors)
        if node.multi:
            node.count = len(outs)
        place_node(node, 2)
        if state.anomaly:
            anomaly.remember(node)
        return node

    def _save(self, node: Any, mask: int, outs: Any, tensors: Any, attributes: Any) -> None:
        slots = self.slots
        if not slots:
            return
        keep = self.keep(mask)
        values: list[Any] = []
        plain = not state.special
        for i, slot in enumerate(slots):
            value = None
            if keep[i]:
                if slot.attribute >= 0:
                    value = attributes[slot.attribute]
                    plain = plain and value.__class__ is not SavedList
                elif slot.is_tensor and not slot.is_output and not self.variadic:
                    value = tensors[slot.index]
                    if isinstance(value, Tensor):
                        plain = plain and value._meta is None and value._counter is None
                elif slot.is_output:
                    value = None if outs is None else outs[slot.index]
                    plain = False
                else:
                    value = self._value(slot, tensors)
                    plain = plain and value.__class__ is not SavedList
            values.append(value)
        if plain:
            node.saved = tuple(values)
        else:
            node.saved, node.versions = saved.pack(values, slots, node)

    def save_outputs(self, node: Any, outs: list[Any]) -> None:
        """Save the outputs of an in-place operation, now that they are written."""
        if any(slot.is_output for slot in self.slots) and node.saved.__class__ is tuple:
            keep = self.keep(sum(1 << i for i, edge in enumerate(node.next) if edge is not None))
            values = list(node.saved)
            versions = list(node.versions or [0] * len(values))
            for i, slot in enumerate(self.slots):
                if slot.is_output and keep[i]:
                    (values[i],), version = saved.pack([outs[slot.index]], [slot], node)
                    versions[i] = 0 if version is None else version[0]
            node.saved, node.versions = tuple(values), tuple(versions)

    def _value(self, slot: Slot, tensors: Any) -> Any:
        """Whatever a slot holds besides attributes, single inputs and outputs."""
        if slot.is_tensor:
            return SavedList(tensors)
        base, _, what = slot.name.rpartition("_")
        if slot.name == "position":
            return None
        if self.variadic:
            return tuple([getattr(t._array, what) for t in tensors])
        t = tensors[self.tensor_names.index(base)]
        array = t._array if isinstance(t, Tensor) else np.asarray(t)
        return element_strides(array) if what == "strides" else getattr(array, what)

    def _adaptations(self, out: Any, tensors: Any) -> tuple[Any, ...] | None:
        """For each input what its gradient must be brought to; None if nothing was broadcast or promoted.

        Half precision is always brought back, by primitives of all kinds: NumPy leaves it for something wider.
        """
        shape, dtype = out._array.shape, out._array.dtype
        if dtype.itemsize != 2:
            for i in self.differentiable:
                if isinstance(tensors[i], Tensor):
                    a = tensors[i]._array
                    if a.shape != shape or (a.dtype is not dtype and a.dtype != dtype):
                        break
            else:
                return None
        return tuple(
            [(tensors[i]._array.shape, tensors[i]._array.dtype) if isinstance(tensors[i], Tensor) else None
             for i in self.differentiable]
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"<primitive {self.name}>"


def primitive(node: str | None = None, *, name: str | None = None, **options: Any) -> Callable[[Any], Primitive]:
    """Make a primitive of a kernel function. ``node`` is the name PyTorch's graph shows; None if not differentiable."""

    def make(kernel: Callable[..., Any]) -> Primitive:
        return Primitive(name or kernel.__name__.rstrip("_"), kernel, node, **options)

    return make


def wrap(array: Any) -> Tensor:
    """A Tensor of what a kernel returned: an array, or a NumPy scalar in place of a 0-d one."""
    if array.__class__ is not ndarray and not isinstance(array, ndarray):
        array = np.asarray(array)
    return _wrap(array)


def attach_outputs(node: Any, outs: list[Any]) -> None:
    """Make a node the history of its differentiable outputs: of the first one, or of all."""
    if not node.multi:
        if outs and outs[0]._array.dtype.kind in "fcV":
            outs[0]._node = node
        return
    for nr, out in enumerate(outs):
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


def _wraps(value: Any) -> bool:
    return isinstance(value, Tensor) and value.wraps


def _measured(op: Primitive, tensors: tuple[Any, ...], attributes: tuple[Any, ...], args: tuple[Any, ...]) -> Any:
    from ...profiler import _recorder

    return _recorder.operator(op, (tensors, *attributes) if op.variadic else args, op.call, *args)


def _has_override(t: Tensor) -> bool:
    from ...overrides import has_override

    return not state.modes.overrides_disabled and has_override(t)


def _through_override(op: Primitive, args: tuple[Any, ...]) -> Any:
    from ...overrides import call_override

    return call_override(op, op.public or op, args, {})
