"""The only magic: primitives.

A primitive is a NumPy kernel with one derivative rule per differentiable input, side by side::

    @primitive("GatherBackward0")
    def gather(input, index, dim: int):
        return np.take_along_axis(input, index, dim)

    gather.vjp(input=lambda g, index, dim, input_shape, xp: xp.scatter_add(xp.zeros_like_shape(g, input_shape), index, g, dim))

Unannotated parameters are tensors and come first, annotated ones are attributes. **The parameter names of a rule say
what a node saves**: ``g`` (first), any argument, ``out``, ``<arg>_shape``, ``<arg>_dtype``; ``xp`` is the world the rule
runs in (see ``_xp``) and is not saved. A name that does not exist fails at import.

A rule is pure: it never writes into what it is given. It may return a gradient that still has to be summed to its
input's shape or cast to its dtype if the primitive is elementwise: that happens once, on the graph's edge.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np

from .. import _state
from .._dtype import F32, F64
from .._tensor import AutogradMeta, Tensor
from ..autograd import anomaly, saved
from ..autograd.graph import Freed, Node, Port, is_internal, next_sequence_number, user_frame
from ..autograd.saved import SavedList, Slot
from ..autograd.views import INFERENCE, mark_view
from ._xp import RAW, TENSOR

ndarray = np.ndarray
_new = object.__new__
_getframe = sys._getframe

PLAIN: set[type] = {Tensor}
"""Classes that operators treat as Tensor itself: no ``__torch_function__``, results are Tensors."""

REGISTRY: dict[str, Primitive] = {}


class Rule:
    """A derivative rule and, for each of its parameters after ``g``, where to find it among the saved values."""

    __slots__ = ("fn", "sources", "takes")

    def __init__(self, fn: Callable[..., Any]) -> None:
        names = list(inspect.signature(fn).parameters)
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
        view: bool = False,
        saved_names: dict[str, str] | None = None,
    ) -> None:
        self.name = self.__name__ = name
        self.kernel = kernel
        self.node_name = node
        self.kind = kind
        self.is_view = view
        self.outputs = outputs
        """1; a number of outputs; ``"many"`` (a list whose length depends on the arguments)."""
        self.rules: dict[str, Rule] = {}
        self.slots: list[Slot] = []
        self.slot_names: list[str] = []
        self.saved_names = saved_names or {}
        self.public: Any = None
        self._node_class: type[Node] | None = None
        self._keep: dict[int, tuple[bool, ...]] = {}
        parameters = [] if isinstance(kernel, np.ufunc) else list(inspect.signature(kernel).parameters.values())
        if isinstance(kernel, np.ufunc):
            self.tensor_names = ["input", "other", "third"][: kernel.nin]
            self.attribute_names: list[str] = []
        else:
            self.tensor_names = [p.name for p in parameters if p.annotation is p.empty]
            self.attribute_names = [p.name for p in parameters if p.annotation is not p.empty]
            if [p.name for p in parameters] != self.tensor_names + self.attribute_names:
                raise TypeError(f"{name}: tensor parameters come before attributes")
        self.variadic = self.tensor_names == ["tensors"]
        self.differentiable: list[int] = []
        REGISTRY[name] = self
        setattr(RAW, name, kernel)
        setattr(TENSOR, name, self)

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
        rule = self.rules[name] = Rule(fn)
        for source in rule.sources:
            if source != "xp" and source not in self.slot_names:
                self.slots.append(self._slot(source))
                self.slot_names.append(source)
        self.differentiable = [i for i, n in enumerate(self.tensor_names) if n in self.rules]
        for each in self.rules.values():
            each.takes = tuple(-1 if s == "xp" else self.slot_names.index(s) for s in each.sources)
        self._keep.clear()

    def _slot(self, source: str) -> Slot:
        if source in self.tensor_names:
            return Slot(source, is_tensor=True, is_output=False, index=self.tensor_names.index(source))
        if source == "out" or (source.startswith("out") and source[3:].isdigit()):
            return Slot(source, is_tensor=True, is_output=True, index=int(source[3:] or 0))
        base, _, what = source.rpartition("_")
        known = source in self.attribute_names or (what in ("shape", "dtype") and base in self.tensor_names)
        if not known and not (self.variadic and source == "position"):
            raise TypeError(f"{self.name}: a rule asks for {source!r}, which is no argument of it")
        return Slot(source, is_tensor=False, is_output=False, index=-1)

    @property
    def node_class(self) -> type[Node]:
        if self._node_class is None:
            self._node_class = _make_node_class(self)
        return self._node_class

    def keep(self, mask: int) -> tuple[bool, ...]:
        """Which slots are needed if just the inputs in the bit mask (of differentiable ones) need a gradient."""
        found = self._keep.get(mask)
        if found is None:
            needed: set[str] = set()
            for bit, i in enumerate(self.differentiable):
                if mask >> bit & 1:
                    needed.update(self.rules[self.tensor_names[i]].sources)
            found = self._keep[mask] = tuple(name in needed for name in self.slot_names)
        return found

    # ---- calling

    def __call__(self, *args: Any) -> Any:
        if self.variadic:
            tensors: tuple[Any, ...] = tuple(args[0])
            attributes = args[1:]
        else:
            k = len(self.tensor_names)
            tensors = args[:k]
            attributes = args[k:]
        recording = True
        if _state.special:
            recording = _state.modes.grad_enabled
            if _state.modes.function_modes:
                return _through_override(self, args)
        arrays = []
        for t in tensors:
            if t.__class__ in PLAIN:
                arrays.append(t._array)
            elif isinstance(t, Tensor):
                if type(t).__torch_function__ is not _disabled():
                    return _through_override(self, args)
                arrays.append(t._array)
            else:
                arrays.append(t)
        result = self.kernel(tuple(arrays), *attributes) if self.variadic else self.kernel(*arrays, *attributes)
        if self.outputs == 1:
            outs = [wrap(result)]
        else:
            outs = [wrap(r) for r in result]
        if recording and self.rules:
            self.record(outs, tensors, attributes)
        if self.is_view:
            for out in outs:
                mark_view(out, tensors[0], self._replay(attributes), multi=self.outputs != 1)
        elif _state.special and _state.modes.inference:
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
        indices = range(len(tensors)) if self.variadic else self.differentiable
        return tuple(
            (t._node if t._meta is None else t._edge()) if isinstance(t, Tensor) else None
            for t in (tensors[i] for i in indices)
        )

    def make_node(
        self, outs: list[Any], tensors: tuple[Any, ...], attributes: tuple[Any, ...], edges: Any = None
    ) -> Any:
        if edges is None:
            edges = self.edges_of(tensors)
        mask = 0
        for bit, edge in enumerate(edges):
            if edge is not None:
                mask |= 1 << bit
        if not mask:
            return None
        node: Any = self.node_class()
        node.next = edges
        node.adapt = None
        node.attached = None
        self._save(node, 1 if self.variadic else mask, outs, tensors, attributes)
        if self.kind == "elementwise":
            node.adapt = self._adaptations(outs[0], tensors)
        if node.multi:
            node.count = len(outs)
        frame = user_frame(2)
        node.code = frame.f_code
        node.instruction = frame.f_lasti
        node.seq = next_sequence_number()
        if _state.special and _state.modes.anomaly:
            anomaly.remember(node)
        return node

    def _save(self, node: Any, mask: int, outs: Any, tensors: Any, attributes: Any) -> None:
        if not self.slots:
            node.saved = ()
            node.versions = None
            return
        values = [
            self._value(slot, outs, tensors, attributes) if kept else None
            for slot, kept in zip(self.slots, self.keep(mask))
        ]
        node.saved, node.versions = saved.pack(values, self.slots)

    def _value(self, slot: Slot, outs: Any, tensors: Any, attributes: Any) -> Any:
        if slot.is_output:
            return outs[slot.index]
        name = slot.name
        if slot.is_tensor:
            if self.variadic:
                return SavedList(tensors)
            value = tensors[slot.index]
            return value
        if name in self.attribute_names:
            return attributes[self.attribute_names.index(name)]
        base, _, what = name.rpartition("_")
        if self.variadic:
            return tuple(getattr(t._array, what) for t in tensors)
        t = tensors[self.tensor_names.index(base)]
        return getattr(t._array, what) if isinstance(t, Tensor) else getattr(np.asarray(t), what)

    def _adaptations(self, out: Any, tensors: Any) -> tuple[Any, ...] | None:
        shape, dtype = out._array.shape, out._array.dtype
        wanted = []
        for i in self.differentiable:
            t = tensors[i]
            if isinstance(t, Tensor) and (t._array.shape != shape or t._array.dtype != dtype):
                wanted.append((t._array.shape, t._array.dtype))
            else:
                wanted.append(None)
        return tuple(wanted) if any(w is not None for w in wanted) else None

    def __repr__(self) -> str:
        return f"<primitive {self.name}>"


def primitive(node: str | None = None, *, name: str | None = None, **options: Any) -> Callable[[Any], Primitive]:
    """Make a primitive of a kernel function. ``node`` is the name PyTorch's graph shows; None if not differentiable."""

    def make(kernel: Callable[..., Any]) -> Primitive:
        return Primitive(name or kernel.__name__.rstrip("_"), kernel, node, **options)

    return make


def wrap(array: Any) -> Tensor:
    if array.__class__ is not ndarray and not isinstance(array, ndarray):
        array = np.asarray(array)
    t = _new(Tensor)
    t._array = array
    t._node = None
    t._meta = None
    t._counter = None
    return t


def attach_outputs(node: Any, outs: list[Any]) -> None:
    if not node.multi:
        for out in outs:
            if out._array.dtype.kind in "fcV":
                out._node = node
                if out is not outs[0]:
                    out._node = None
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


def _disabled() -> Any:
    from ..overrides import _disabled_torch_function_impl

    return _disabled_torch_function_impl


def _through_override(op: Primitive, args: tuple[Any, ...]) -> Any:
    from ..overrides import call_override

    return call_override(op, op.public or op, args, {})


# ---- node classes


def _make_node_class(op: Primitive) -> type[Node]:
    name = op.node_name or f"{op.name.title()}Backward0"
    multi = op.outputs == "many" or (isinstance(op.outputs, int) and op.outputs > 1 and _several(op))
    tensor_slots = tuple(i for i, s in enumerate(op.slots) if s.is_tensor)
    body: dict[str, Any] = {
        "__slots__": ("count",) if multi else (),
        "__module__": "facula.autograd.graph",
        "primitive": op,
        "multi": multi,
        "backward": _backward_of(op),
        "free": _free_of(tensor_slots),
    }
    if multi:
        body["output_count"] = lambda self: self.count
    for i, slot in enumerate(op.slots):
        if slot.name == "position":
            continue
        shown = op.saved_names.get(slot.name) or _pytorch_slot_name(slot.name)
        body[f"_saved_{shown}"] = property(_saved_getter(i, slot))
        if slot.is_tensor:
            body[f"_raw_saved_{shown}"] = property(_raw_saved_getter(i))
    return type(name, (Node,), body)


def _several(op: Primitive) -> bool:
    """Whether more than one output is differentiable; the others (indices) stay out of the graph."""
    return op.kind != "values_and_indices"


def _pytorch_slot_name(name: str) -> str:
    name = {"input": "self", "out": "result"}.get(name, name)
    if name.endswith("_shape"):
        base = name.removesuffix("_shape")
        return f"{'self' if base == 'input' else base}_sym_sizes"
    return name


def _saved_getter(i: int, slot: Slot) -> Callable[[Any], Any]:
    def get(node: Any) -> Any:
        value = saved.unpack(node, TENSOR)[i]
        return saved.as_tensor_value(value) if slot.is_tensor else value

    return get


def _raw_saved_getter(i: int) -> Callable[[Any], Any]:
    def get(node: Any) -> Any:
        return saved.RawSaved(node, i)

    return get


def _free_of(tensor_slots: tuple[int, ...]) -> Callable[[Any, Freed], None]:
    def free(node: Any, by: Freed) -> None:
        held = node.saved
        if held.__class__ is tuple:
            for i in tensor_slots:
                if held[i] is not None:
                    node.saved = by
                    return

    return free


def _backward_of(op: Primitive) -> Callable[..., Any]:
    """The method ``backward`` of a primitive's node class."""
    if op.variadic:
        return _variadic_backward(op)
    if op.slots and all(s.name in ("input", "other", "out") for s in op.slots) and op.outputs == 1:
        return _pointwise_backward(op)
    return _general_backward(op)


def _general_backward(op: Primitive) -> Callable[..., Any]:
    rules = [op.rules[op.tensor_names[i]] for i in op.differentiable]
    calls = [(rule.fn, rule.takes) for rule in rules]
    several = op.outputs == "many" or (isinstance(op.outputs, int) and op.outputs > 1 and _several(op))

    def backward(node: Any, g: Any, xp: Any, edges: tuple[Any, ...]) -> list[Any]:
        if g is None or (several and all(x is None for x in g)):
            return [None] * len(edges)
        values = saved.unpack(node, xp) if node.saved else []
        values.append(xp)
        return [
            None if edge is None else fn(g, *[values[i] for i in takes])
            for edge, (fn, takes) in zip(edges, calls)
        ]

    return own_code(backward)


def _variadic_backward(op: Primitive) -> Callable[..., Any]:
    rule = op.rules["tensors"]
    fn, takes = rule.fn, rule.takes
    position = op.slot_names.index("position") if "position" in op.slot_names else None

    def backward(node: Any, g: Any, xp: Any, edges: tuple[Any, ...]) -> list[Any]:
        if g is None:
            return [None] * len(edges)
        values = saved.unpack(node, xp) if node.saved else []
        values.append(xp)
        grads = []
        for i, edge in enumerate(edges):
            if position is not None:
                values[position] = i
            grads.append(None if edge is None else fn(g, *[values[j] for j in takes]))
        return grads

    return own_code(backward)


def _pointwise_backward(op: Primitive) -> Callable[..., Any]:
    """The same for nodes that save nothing but inputs and output: no loop over kinds of slots."""
    calls = [(op.rules[op.tensor_names[i]].fn, op.rules[op.tensor_names[i]].takes) for i in op.differentiable]
    if len(calls) == 1:
        ((only, only_takes),) = calls
        if len(only_takes) == 1 and len(op.slots) == 1:

            def backward_one(node: Any, g: Any, xp: Any, edges: tuple[Any, ...]) -> Any:
                if g is None:
                    return (None,)
                held = node.saved
                if xp is RAW and held.__class__ is tuple:
                    s = held[0]
                    if s.__class__ in PLAIN:
                        counter = s._counter
                        if counter is None or counter[0] == (0 if node.versions is None else node.versions[0]):
                            return (only(g, s._array),)
                values = saved.unpack(node, xp)
                return (only(g, values[0]),)

            return own_code(backward_one)

        def backward_single(node: Any, g: Any, xp: Any, edges: tuple[Any, ...]) -> Any:
            if g is None:
                return (None,)
            values = saved.unpack(node, xp)
            values.append(xp)
            return (only(g, *[values[i] for i in only_takes]),)

        return own_code(backward_single)

    (fn_a, takes_a), (fn_b, takes_b) = calls
    if len(takes_a) not in (1, 2) or len(takes_b) not in (1, 2) or -1 not in (*takes_a[1:], *takes_b[1:], -1):
        return _general_backward(op)
    at_a, at_b = takes_a[0], takes_b[0]
    xp_a, xp_b = len(takes_a) == 2, len(takes_b) == 2
    general = _general_backward(op)

    def backward(node: Any, g: Any, xp: Any, edges: tuple[Any, ...]) -> Any:
        held = node.saved
        if xp is not RAW or g is None or held.__class__ is not tuple:
            return general(node, g, xp, edges)
        edge_a, edge_b = edges
        grad_a = grad_b = None
        if edge_a is not None:
            s = held[at_a]
            if s.__class__ in PLAIN:
                counter = s._counter
                if counter is not None and counter[0] != (0 if node.versions is None else node.versions[at_a]):
                    return general(node, g, xp, edges)
                s = s._array
            elif s.__class__ is not ndarray:
                return general(node, g, xp, edges)
            grad_a = fn_a(g, s, xp) if xp_a else fn_a(g, s)
        if edge_b is not None:
            s = held[at_b]
            if s.__class__ in PLAIN:
                counter = s._counter
                if counter is not None and counter[0] != (0 if node.versions is None else node.versions[at_b]):
                    return general(node, g, xp, edges)
                s = s._array
            elif s.__class__ is not ndarray:
                return general(node, g, xp, edges)
            grad_b = fn_b(g, s, xp) if xp_b else fn_b(g, s)
        return grad_a, grad_b

    return own_code(backward)


def own_code(fn: Any) -> Any:
    """Give a closure its own code object, and so its own inline caches: closures of one factory share theirs."""
    fn.__code__ = fn.__code__.replace()
    return fn


__all__ = ["F32", "F64", "FrameType", "PLAIN", "Port", "Primitive", "is_internal", "primitive", "wrap"]
