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

A rule may also be another primitive, whose kernel computes the gradient: see ``Gradient``. And one call of such a
primitive may be the rule of several inputs: see ``Primitive.gradient``.

A rule is pure: it never writes into what it is given. It may return a gradient that still has to be summed to its
input's shape or cast to its dtype if the primitive is elementwise: that happens once, on the graph's edge.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from ..._core import state
from ..._core.strides import element_strides
from ..._tensor import Tensor
from ...autograd import saved
from ...autograd.graph import Node
from ...autograd.saved import SavedList, Slot
from . import native as natives
from . import recipes
from .any_state import any_state, attach_outputs, subclasses
from .call import made
from .namespaces import ARRAYS, TENSORS
from .node import make_node_class, shown_names
from .rule import Gradient, Rule, parameter_names, rule_of, unwrapped

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


_TENSORS = ("Array", "Array | None", "Arrays", None)
"""How a kernel annotates its tensors; a lambda need not."""

_ASPECTS = ("shape", "dtype", "size", "strides")
"""What a rule may ask of an argument without saving it."""


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
        differentiable_outputs: str | int = "all",
        view: bool = False,
        batch: Batching | None = None,
        holomorphic: bool = True,
        random: bool = False,
        saved_names: Mapping[str, str | dict[int, str]] | None = None,
        native: natives.Native | None = None,
        lowering: Any = None,
    ) -> None:
        self.name = self.__name__ = name
        self.kernel = kernel
        self.node_name = node
        self.kind = "linear" if view else kind
        """How it depends on its differentiable tensors: NOTE [kinds]."""
        self.is_view = view
        self.outputs = outputs
        """1; a number of outputs; ``"many"`` (a list whose length depends on the arguments)."""
        self.multi = outputs != 1 and differentiable_outputs != "first"
        """Whether more than one output is in the graph; otherwise only the first is, and indices beside it are not."""
        self.in_graph = differentiable_outputs if isinstance(differentiable_outputs, int) else None
        """How many of them are, if not all that have a derivative by their dtype."""
        self.batching_rule = batch
        """What it is on batches; see ``batch``. Elementwise primitives need none."""
        self.tangent_rule: Callable[..., Any] | None = None
        """See ``tangent``."""
        self.is_holomorphic = holomorphic
        """Of an elementwise function of complex numbers into complex numbers: whether it has a complex derivative."""
        self.is_random = random
        """Whether it draws random numbers."""
        self.lowering = lowering
        """How a compiler writes it: an expression in the names of its parameters, or a function of its attributes that
        returns one (see ``_compile.programs.lowering``); None: as a call of the kernel."""
        self.native = native
        """Its native kernel, and from what size of the first array on that pays: see ``native``."""
        self.on_arrays = natives.kernel_of(self)
        """What to call with arrays: the kernel, with its native one in front if there is a library."""
        self.rules: dict[str, Rule] = {}
        self.gradients: Gradient | None = None
        """The primitive that is the rule of all inputs, if there is one."""
        self.slots: list[Slot] = []
        self.slot_names: list[str] = []
        self.quick: dict[str, np.ufunc] = {}
        """What rules come to on real arrays, where it is one ufunc; see NOTE [quick rules] in ``node``."""
        self.saved_names = saved_names or {}
        self.composed: Callable[..., Any] | None = None
        """The same as a function of other operators: what transforms use in place of a fused kernel."""
        self.is_fused = False
        """Whether it is several operators in PyTorch: who watches operators is shown those."""
        self.public: Any = None
        """The public function that it is itself, and what is declared of that: see ``expose``."""
        self.public_record: Any = None
        self._node_class: type[Node] | None = None
        self.shown: dict[str, Any] = {}
        """What its nodes show as saved and need not save."""
        self._keep: dict[int, tuple[bool, ...]] = {}
        self.lists: set[str] = set()
        """The attributes that are lists of tensors, to be saved as such."""
        if isinstance(kernel, np.ufunc):
            self.tensor_names = ["input", "other", "third"][: kernel.nin]
            self.attribute_names: list[str] = []
        else:
            names = parameter_names(kernel)
            annotated = unwrapped(kernel).__annotations__
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
            "holomorphic": holomorphic, "random": random, "saved_names": saved_names, "native": native,
        }  # fmt: skip
        self.call: Callable[..., Any] = self._hot()
        """The quickest way to call it; ``op.call(...)`` saves the step through ``op(...)``."""
        REGISTRY[name] = self
        setattr(ARRAYS, name, self.on_arrays)
        setattr(TENSORS, name, self.call)

    # ---- declaration

    def vjp(self, *names: str, **rules: Callable[..., Any] | Gradient) -> Any:
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

    def _add_rule(self, name: str, rule: Callable[..., Any] | Rule) -> None:
        if name not in self.tensor_names:
            raise TypeError(f"{self.name}: a rule for {name!r}, which is none of {self.tensor_names}")
        self.rules[name] = self._prepared(rule if isinstance(rule, Rule) else rule_of(rule))
        self.differentiable = [i for i, n in enumerate(self.tensor_names) if n in self.rules]
        if self.composed is not None:
            setattr(TENSORS, self.name, self.call)

    def gradient(self, op: Primitive, *names: str, **renamed: str) -> None:
        """Let one call of another primitive be the rule of all the named inputs: see ``Gradient``.

        It gives a gradient for each. It may ask for ``needs``: whether each of them is wanted; in place of one that is
        not it may give anything.
        """
        self.gradients = Gradient(op, **renamed)
        self.gradients.sources.sort(key=lambda name: bool(re.fullmatch(r"out\d*", name)))  # saved last, as in PyTorch
        for name in names:
            self._add_rule(name, self.gradients)

    def compose(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        """A decorator: the same as a function of other operators. It is what is recorded if there are no rules."""
        self.composed = fn
        if not self.rules:
            setattr(TENSORS, self.name, self._composed_if_recorded)
        return fn

    def _composed_if_recorded(self, *args: Any) -> Any:
        """While a program is captured, or watched, nothing is recorded, and the kernel itself is what is wanted."""
        if state.dispatching and not state.grad_enabled() and subclasses.among(args):
            return self.call(*args)
        if state.special and not state.grad_enabled():
            watcher = state.modes.kernels
            if state.modes.capture is not None or (watcher is not None and watcher.sees_gradients):
                return self.call(*args)
        assert self.composed is not None
        return self.composed(*args)

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
        options = {**self._options, "native": None} if kernel else self._options
        op = self._again(name, kernel or self.kernel, node, {**options, **changes})
        op.batching_rule, op.tangent_rule, op.quick = self.batching_rule, self.tangent_rule, self.quick
        op.lowering = self.lowering
        op.gradients = None if self.gradients is None else self.gradients.again()
        for each, rule in self.rules.items():
            op._add_rule(each, op.gradients if op.gradients and rule is self.gradients else rule.again())
        return op

    def _again(self, name: str, kernel: Any, node: str | None, options: dict[str, Any]) -> Primitive:
        return Primitive(name, kernel, node, **options)

    def _prepared(self, rule: Rule) -> Rule:
        for source in rule.sources:
            if source != "xp" and source not in self.slot_names:
                slot = self._slot(source)
                if source in self.attribute_names:
                    slot.attribute = self.attribute_names.index(source)
                self.slots.append(slot)
        self.slots.sort(key=self._saved_order)
        self.slot_names = [slot.name for slot in self.slots]
        for each in (*self.rules.values(), rule):
            each.takes = tuple([-1 if s == "xp" else self.slot_names.index(s) for s in each.sources])
        self._keep.clear()
        return rule

    def _saved_order(self, slot: Slot) -> tuple[bool, list[str]]:
        """PyTorch saves inputs, then outputs, each by their names in the alphabet: so hooks see them packed."""
        return slot.is_output, [name for name, _ in shown_names(self, slot)]

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
            self._node_class = make_node_class(self)
        return self._node_class

    def keep(self, mask: int) -> tuple[bool, ...]:
        """Which slots are kept if just the inputs in the bit mask (of differentiable ones) need a gradient.

        Outputs always are, as in PyTorch, so a change of one is noticed.
        """
        found = self._keep.get(mask)
        if found is None:
            needed: set[str] = set()
            for bit, i in enumerate(self.differentiable):
                if mask >> bit & 1:
                    needed.update(self.rules[self.tensor_names[i]].sources)
            found = self._keep[mask] = tuple(
                [s.name in needed or s.is_output or not s.is_tensor or self.is_shared(s) for s in self.slots]
            )
        return found

    def is_shared(self, slot: Slot) -> bool:
        """Whether several gradients need a tensor: PyTorch saves it whichever is wanted, but for factors."""
        users = [rule for rule in self.rules.values() if slot.name in rule.sources]
        return slot.is_tensor and len(users) > 1 and self.kind != "multilinear"

    # ---- calling

    def __call__(self, *args: Any) -> Any:
        return self.call(*args)

    def _hot(self) -> Callable[..., Any]:
        """The way for plain tensors in the plain state, by the recipe of its kind; see ``call``."""
        return made(self, _recipe, self.any_state)

    def any_state(self, *args: Any) -> Any:
        """Call it with whatever tensors, in whatever state."""
        return any_state(self, *args)

    replayed = False
    """Whether a view changes the dtype, and so must be made anew by ``_replay``; see NOTE [views]."""

    flips = 0
    """What a view has done to elements when they are read, or no longer done: see ``_core.unresolved``."""

    def _replay(self, attributes: tuple[Any, ...]) -> Any:
        return None

    holds_bare = False
    """Whether a hot call saves a single value without a tuple around it; see NOTE [bare values]."""

    def record(self, outs: list[Any], tensors: tuple[Any, ...], attributes: tuple[Any, ...]) -> Node | None:
        """Make the node for this call, if any input needs a gradient, and give the outputs their history."""
        node = self.make_node(outs, tensors, attributes)
        if node is not None:
            attach_outputs(node, outs)
        return node

    def make_node(
        self, outs: Any, tensors: tuple[Any, ...], attributes: tuple[Any, ...], edges: Any = None, like: Any = None
    ) -> Any:
        """The node of a call, or None if no input needs a gradient.

        ``outs`` is None if there is no output yet (NOTE [in-place order]); ``like`` then has its shape and dtype.
        """
        if edges is None:
            edges = self.edges_of(tensors)
        for edge in edges:
            if edge is not None:
                return self._recorded(outs, tensors, attributes, edges, like)
        return None

    @cached_property
    def _recorded(self) -> Callable[..., Any]:
        return made(self, recipes.record, self.any_state)

    def edges_of(self, tensors: tuple[Any, ...]) -> tuple[Any, ...]:
        if not self.variadic:
            tensors = tuple([tensors[i] for i in self.differentiable])
        return tuple([(t._node if t._meta is None else t._edge()) if isinstance(t, Tensor) else None for t in tensors])

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
        if len(shape) == 2 and shape[0] == shape[1] > 1 and self.name == "sub":
            self._grew(out, tensors)
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

    def _grew(self, out: Any, tensors: Any) -> None:
        """A difference that is a square matrix: see whether it was meant to be."""
        dims = [t._array.ndim for t in tensors if isinstance(t, Tensor) and t._array.__class__ is np.ndarray]
        if len(dims) == 2 and dims[0] != dims[1]:
            from ..._explain import unasked  # loaded when something is unusual

            unasked.grew(self, out, tensors)

    def __repr__(self) -> str:
        return f"<primitive {self.name}>"


def primitive(node: str | None = None, *, name: str | None = None, **options: Any) -> Callable[[Any], Primitive]:
    """Make a primitive of a kernel function. ``node`` is the name PyTorch's graph shows; None if not differentiable."""

    def make(kernel: Callable[..., Any]) -> Primitive:
        return Primitive(name or kernel.__name__.removesuffix("_op").rstrip("_"), kernel, node, **options)

    return make


def _recipe(call: Any) -> None:
    op = call.op
    starred = not isinstance(op.kernel, np.ufunc) and unwrapped(op.kernel).__code__.co_flags & 4
    if op.is_view and not op.replayed:
        recipes.view(call)
    elif op.multi or op.is_view or starred:
        recipes.through(call)
    elif op.variadic:
        recipes.joined(call)
    else:
        recipes.plain(call)
