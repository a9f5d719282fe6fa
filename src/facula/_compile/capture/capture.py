"""Capturing: the first call of a function is an ordinary run, and writes down which kernels ran on what.

NOTE [capture]: while it goes on, all tensors of this thread's operators hold ``Traced`` arrays. Kernels run on real
values, so that Python sees real numbers and takes real branches; memory is left alone. A write into memory makes a
new value, and whoever looks at that memory afterwards, through whatever view, is given the new one: so the program
never changes a value. When the function has returned, or something is met that cannot be written down, what was written
is put into memory, all tensors get their plain arrays back, and everything is as after an eager call.

Tensors that were there before become inputs of the program when an operator first meets them: arguments, parameters,
buffers, tensors in closures. Those that creation functions make meanwhile are constants, or draws.
"""

from __future__ import annotations

import inspect
import operator
import threading
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from ..._core import quiet, state
from ..._core.strides import element_strides, geometry_of, laid_out
from ..._core.unresolved import Unresolved, memory_of, viewed
from ..._tensor import Tensor
from ...autograd.graph import next_sequence_number, resolve, user_place
from ...fx.graph import Graph
from ...fx.node import Node
from ...ops.machine.elementwise import Elementwise
from ...ops.moving.copy import cast_op, clone_op
from ...ops.pointwise.comparison import signbit_op
from ...ops.views.strided import as_strided_op
from ..programs import program
from ..programs.frame import lie_alike
from . import functions, unveil
from .general import General
from .impure import may_change_things
from .inputs import Input, Met, owner
from .layouts import copied, gives_views, may_overlap, order_of
from .streams import Streams
from .symbols import as_hints, as_nodes, has_symbols
from .traced import Storage, Traced


class Reason:
    """Why a function cannot be captured, and where."""

    def __init__(self, what: str, place: Any, asked: bool) -> None:
        self.what = what
        self.place = place
        self.asked = asked
        """Whether that is what the user asked for."""

    def __str__(self) -> str:
        return f"{self.what} at {self.place}"


class Capture(General, Streams):
    """One run of a function that is written down. A context manager around it."""

    def __init__(self, reads: Any, sizes: dict[int, tuple[int, ...]] | None = None) -> None:
        General.__init__(self, sizes)
        Streams.__init__(self)
        self.reads = reads
        self._numbers: dict[Any, Tensor] = {}
        self.names: dict[int, str] = reads.tensor_names
        """What the user calls tensors of before, by their id."""
        self.graph = Graph()
        self.values: dict[Node, Any] = {}
        """What each node came to in this run."""
        self.inputs: list[Input] = []
        self.offered = 0
        """How many of them are what the function could read; the rest it has met."""
        self.met: dict[int, Met] = {}
        """Tensors of before, by their id."""
        self.storages: list[Storage] = []
        self.reason: Reason | None = None
        """Why the capture was given up, if it was."""
        self.is_postponed = False
        self.is_active = False
        self.runs_backward = False
        """Whether gradients are computed inside: hooks of tensors of before take part."""
        self.has_cuts = False
        """Whether something was computed from a tensor that needs a gradient, and its history left out."""
        self.depth = 0
        """How many public functions are being run, one inside the other."""
        self.writes = 0
        self._last_placeholder: Node | None = None
        self._by_array: dict[int, Traced] = {}
        self._thread = threading.get_ident()

    def __enter__(self) -> Capture:
        self._outer = state.modes.capture
        self._began = next_sequence_number()
        state.update(capture=self)
        self.is_active = True
        unveil.begin()
        return self

    def __exit__(self, *exc: object) -> None:
        self.end()

    def end(self) -> None:
        """Put what was written into memory, and give all tensors their plain arrays back."""
        if not self.is_active:
            return
        self.is_active = False
        if self._thread == threading.get_ident():
            state.update(capture=self._outer)
        for storage in self.storages:
            if storage.version:
                np.copyto(storage.array, storage.value)
        for met in self.met.values():
            met.restore()
        cut_off = [met for met in self.met.values() if met.leaf is not None]
        views = {id(met.tensor): met.tensor for met in cut_off if met.meta is not None and met.meta.base is not None}
        unveil.end({met.leaf: met.edge for met in cut_off}, views)

    def give_up(self, what: str, asked: bool = False) -> None:
        """Go on as an ordinary run: this cannot be captured."""
        if self.is_active:
            code, instruction = user_place(2)
            self.reason = Reason(what, resolve(code, instruction), asked)
            self.end()

    def postpone(self, what: str) -> None:
        """Go on as an ordinary run: another call may be captured."""
        self.is_postponed = True
        self.give_up(what)

    def is_here(self) -> bool:
        """Whether it goes on, in this thread."""
        return self.is_active and self._thread == threading.get_ident()

    def leak(self, what: str) -> None:
        """Someone asks for elements who is no kernel."""
        if self.depth:
            raise functions.Leak(what)
        self.give_up(what)

    # ---- tensors and arrays

    def adopt(self, tensors: Sequence[Any], lists: Sequence[Any] = ()) -> None:
        """Make tensors known that an operator is about to work on."""
        for t in tensors:
            if isinstance(t, Tensor) and not t.wraps and self.is_active:
                if type(t._array) is np.ndarray:
                    self.meet(t)
                elif type(t._array) is Unresolved:
                    self.postpone("a conjugate of before that was not computed yet")
        for values in lists:
            if isinstance(values, (tuple, list)):
                self.adopt(values)

    def meet(self, t: Tensor, is_constant: bool = False) -> Met:
        """A tensor of before, or one that a creation function has made, becomes an input."""
        found = self.met.get(id(t))
        if found is None:
            array = t._array
            if t._node is not None and t._node.seq > self._began:
                self.give_up("an array that was made outside of operators")
                return Met(t, Input(array, self.graph.create_node("placeholder", "x"), t, is_constant))
            if self.writes and not is_constant and self._sharing(array, lambda storage: storage.version):
                self.postpone("a tensor that shares memory with one that was written to")
                return Met(t, Input(array, self.graph.create_node("placeholder", "x"), t, is_constant))
            shown = self._by_array.get(id(array))
            if shown is None:
                shown = self._given(array, t, is_constant)
            self._refresh(t)
            self.met[id(t)] = found = Met(t, shown.storage.origin)
            found.cut_off()
            t._array = shown
        return found

    def _refresh(self, t: Tensor) -> None:
        """Have the history of a view be that of its base as it is now; this is no part of the function."""
        if t._meta is not None and t._meta.base is not None:
            base = self.met.get(id(t._meta.base))
            state.update(capture=None)
            try:
                with nullcontext() if base is None else base.as_before():
                    t._edge()
            finally:
                state.update(capture=self if self.is_active else self._outer)

    def _given(self, array: Any, t: Tensor | None, is_constant: bool) -> Traced:
        node = self._placeholder(array, self.names.get(id(t), "c" if is_constant else "x"))
        if id(t) in self.sizes:
            node.meta["general"] = self.sizes[id(t)]
        given = Input(array, node, t, is_constant)
        given.storage.origin = given
        self.inputs.append(given)
        self.storages.append(given.storage)
        self.values[node] = array
        shown = self._by_array[id(array)] = self._shown(array, given.storage)
        return shown

    def _placeholder(self, array: Any, name: str) -> Node:
        graph = self.graph
        first = next(iter(graph.nodes), None) if self._last_placeholder is None else None
        if self._last_placeholder is not None:
            with graph.inserting_after(self._last_placeholder):
                node = graph.create_node("placeholder", name)
        elif first is not None:
            with graph.inserting_before(first):
                node = graph.create_node("placeholder", name)
        else:
            node = graph.create_node("placeholder", name)
        self._last_placeholder = node
        node.meta = {"shape": array.shape, "dtype": array.dtype, "strides": element_strides(array), "source": None}
        return node

    @staticmethod
    def _generalize(traced: Traced, node: Node) -> None:
        general = node.meta.get("general")
        if general:
            traced.general = tuple(range(traced.ndim)) if general is True else general

    def _shown(self, array: Any, storage: Storage, steps: Any = (), node: Node | None = None) -> Traced:
        traced = memory_of(array).view(Traced)
        traced.capture, traced.storage, traced.plain, traced.steps = self, storage, array, steps
        traced.seen = (-1, None, None)
        if self.is_general:
            self._generalize(traced, node or storage.node)
        return traced

    def node_of(self, array: Any) -> Node:
        """The node that an array stands for: of a plain one, whatever its shape, an input."""
        node: Node = self.now(array, False)[0]
        return node

    def now(self, array: Any, numbers: bool = True) -> tuple[Any, Any]:
        """The (node, value) that an array stands for; of a plain one of no dimensions itself, if ``numbers``."""
        if type(array) is not Traced:
            if isinstance(array, np.generic) and not numbers:
                array = np.asarray(array)
            if isinstance(array, np.ndarray) and (array.ndim or not numbers):
                shown = self._by_array.get(id(array))
                shown = self._given(array, None, True) if shown is None else shown
                return shown.storage.node, shown.storage.value
            return (array.item() if isinstance(array, (np.ndarray, np.generic)) else array), array
        if getattr(array, "storage", None) is None:
            self.give_up("an array that was made outside of operators")
            return None, array.view(np.ndarray)
        storage = array.storage
        if not array.steps:
            return storage.node, storage.value
        if array.seen[0] != storage.version:
            node, value = storage.node, storage.value
            for op, attributes, index in array.steps:
                node, value = self._viewed(op, node, value, attributes, index)
            array.seen = (storage.version, node, value)
        return array.seen[1], array.seen[2]

    def _viewed(self, op: Any, node: Any, value: Any, attributes: Any, index: int | None) -> tuple[Any, Any]:
        result = op.kernel(value, *self.hints(attributes))
        made = self.called(op, (node, *attributes), result)
        return (made, result) if index is None else (self.part(made, index, result[index]), result[index])

    def exposes(self, t: Tensor) -> None:
        """Someone asks for the history of a tensor, or changes it: one that was there before does not show it."""
        met = self.met.get(id(t))
        if met is not None and met.leaf is not None:
            self.give_up("the history of an argument is asked for")

    def changes(self, t: Tensor, recorded: bool) -> None:
        """A tensor is about to be changed in place."""
        self.exposes(t)
        if may_overlap(memory_of(getattr(t._array, "plain", t._array))):
            self.give_up("a write into memory that elements share")
        if not recorded and t.requires_grad:
            self.has_cuts = True

    def rebind(self, t: Tensor) -> None:
        """A tensor is about to be given another array: the program does not repeat that for one of before."""
        if type(t._array) is not Traced or id(t) in self.met:
            self.give_up("a tensor of before is given other memory")

    # ---- nodes

    def called(self, target: Any, args: tuple[Any, ...], result: Any) -> Node:
        node = self.graph.create_node("call_function", target, args)
        self.has_cuts = self.has_cuts or not state.grad_enabled()
        node.meta["source"] = resolve(*user_place(3))
        if self.is_general and any(each.meta.get("general") for each in node.all_input_nodes):
            node.meta["general"] = True
        if isinstance(result, (np.ndarray, np.generic)):
            self._describe(node, result)
        return node

    def _describe(self, node: Node, value: Any) -> None:
        value = value if isinstance(value, np.ndarray) else np.asarray(value)
        node.meta.update(shape=value.shape, dtype=value.dtype, strides=element_strides(value))
        self.values[node] = value

    def part(self, node: Node, i: int, value: Any) -> Node:
        part = self.graph.create_node("call_function", operator.getitem, (node, i))
        part.meta["general"] = node.meta.get("general")
        self._describe(part, value)
        return part

    def new(self, node: Node, value: Any) -> Traced:
        storage = Storage(value, node)
        self.storages.append(storage)
        return self._shown(value, storage)

    # ---- what is done

    def kernel(self, op: Any) -> Callable[..., Any]:
        """The kernel of an elementwise operator, written down when called."""
        k = len(op.tensor_names)
        return lambda *args: self.run(op, args[:k], args[k:])

    def run(self, op: Any, arrays: Sequence[Any], attributes: Sequence[Any]) -> Any:
        """Run a kernel, and write it down."""
        if not self.is_active:
            return op.on_arrays(tuple(arrays), *attributes) if op.variadic else op.on_arrays(*arrays, *attributes)
        numbers = op.kind == "elementwise"
        operands = [self.now(a, numbers) if a is not None else (None, None) for a in arrays]
        given = [self._attribute(a.item() if numbers and isinstance(a, Tensor) else a) for a in attributes]
        if not self.is_active:  # an operand could not be written down
            return self.run(op, [v for _, v in operands], attributes)
        nodes, values = [n for n, _ in operands], [v for _, v in operands]
        if op is as_strided_op and type(arrays[0]) is Traced:
            value: Any = values[0]
            if geometry_of(value) != geometry_of(arrays[0].plain):
                self.give_up("as_strided() of what lies otherwise in memory by now")
                return op.on_arrays(arrays[0].plain, *attributes)
        real = [v for _, v in given]
        token = quiet.begin()
        try:
            result = op.on_arrays(tuple(values), *real) if op.variadic else op.on_arrays(*values, *real)
        finally:
            quiet.end(token)
        if isinstance(op, Elementwise) and len(values) > 1 and isinstance(result, np.ndarray):
            result = laid_out(result, *values)
        shown = [n for n, _ in given]
        args = (tuple(nodes), *shown) if op.variadic else (*nodes, *shown)
        if op.is_random:
            self.drawn = False
        if arrays and type(arrays[0]) is Traced and gives_views(op, arrays[0].plain, real):
            return self._views(op, arrays[0], args, tuple(shown), result)
        if op.outputs == 1:
            result = result if isinstance(result, np.ndarray) else np.asarray(result)
            node = self.called(op, args, result)
            node.meta["random"] = op.is_random
            return self.new(node, result)
        node = self.called(op, args, None)
        node.meta.update(random=op.is_random, parts=len(result))
        parts = [r if isinstance(r, np.ndarray) else np.asarray(r) for r in result]
        return [self.new(self.part(node, i, part), part) for i, part in enumerate(parts)]

    def _attribute(self, value: Any) -> tuple[Any, Any]:
        """An attribute as the program has it, and as the kernel takes it."""
        if isinstance(value, Tensor):
            node, array = self.now(value._array)
            return node, array
        if type(value) is Traced:
            return self.now(value)
        if self.is_general and has_symbols(value):
            return as_nodes(value), as_hints(value)
        if isinstance(value, (tuple, list)) and any(isinstance(v, (Tensor, Traced)) for v in value):
            pairs = [self._attribute(v) for v in value]
            return tuple([n for n, _ in pairs]), tuple([v for _, v in pairs])
        return value, value

    def _views(self, op: Any, base: Traced, args: Any, attributes: Any, result: Any) -> Any:
        """Views show the memory that their base is in, and its values as they are when asked."""
        version = base.storage.version
        looks = viewed(op, base.plain, self.hints(attributes))
        if op.outputs == 1:
            node = self.called(op, args, result)
            view = self._shown(looks, base.storage, (*base.steps, (op, attributes, None)), node)
            view.seen = (version, node, result)
            return view
        node = self.called(op, args, None)
        node.meta["parts"] = len(result)
        views = []
        for i, part in enumerate(result):
            view = self._shown(looks[i], base.storage, (*base.steps, (op, attributes, i)), node)
            view.seen = (version, self.part(node, i, part), part)
            views.append(view)
        return views

    def write(self, op: Any, target: Any, others: Sequence[Any], attributes: Any, write: Callable[..., None]) -> None:
        """Change what is in memory, by ``write`` if the operator's kernel does something else."""
        if not self.is_active or type(target) is not Traced:
            write(target, *others)
            return
        if op.is_random:
            self._draw_into(op, target, others, write)
            return
        result = self.run(op, (target, *others), attributes)
        if not self.is_active:
            write(target.view(np.ndarray), *others)
            return
        if result.dtype != target.dtype:
            result = self.cast(result, target.dtype)
        self.assign(target, result)

    def _draw_into(self, op: Any, target: Traced, others: Sequence[Any], write: Callable[..., None]) -> None:
        shape, dtype, strides = target.plain.shape, target.dtype, target.plain.strides
        is_general = target.general is not None

        def draw(*arrays: Any) -> Any:
            if is_general:
                like, *arrays = arrays  # type: ignore[assignment]
                memory = np.empty_like(like)
                write(memory, *arrays)
                return memory
            memory = np.empty(shape, dtype)
            if memory.strides != strides:
                memory = np.empty_like(np.lib.stride_tricks.as_strided(np.empty(1, dtype), shape, strides))
            write(memory, *arrays)
            return memory

        draw.__name__ = op.name
        operands = [self.now(a) for a in ((target, *others) if is_general else others)]
        result = draw(*[v for _, v in operands])
        node = self.called(program.call, (draw, *[n for n, _ in operands]), result)
        node.meta["random"] = True
        self.drawn = False
        self.assign(target, self.new(node, result))

    def assign(self, target: Traced, source: Traced) -> None:
        """Let memory have another value from now on."""
        node, value = self.now(source)
        storage = target.storage
        if storage.origin is not None and self._sharing(storage.array, lambda other: other is not storage):
            self.postpone("a write into memory that another tensor shares")
        elif any(op is as_strided_op for op, _, _ in target.steps[1:]):
            self.give_up("a write through as_strided() of a view")
        if not self.is_active:
            np.copyto(target.plain, value)
            return
        if target.steps:
            chain = [(storage.node, storage.value)]
            for op, attributes, index in target.steps:
                chain.append(self._viewed(op, *chain[-1], attributes, index))
            if any(may_overlap(whole) for _, whole in chain):
                self.give_up("a write into memory that elements share")
                return np.copyto(target.plain, value)
            for (outer, whole), step in zip(reversed(chain[:-1]), reversed(target.steps)):
                node, value = self._put(outer, whole, step, node, value)
        elif value.shape != target.plain.shape:
            value = np.broadcast_to(value, target.plain.shape)
        elif not lie_alike(value.shape, value.strides, target.plain.strides):
            node, value = self._laid_out(target.plain, node, value)
        storage.node, storage.value = node, value
        storage.version += 1
        self.writes += 1

    def _laid_out(self, like: Any, node: Node, value: Any) -> tuple[Node, Any]:
        """A value that lies in memory as what it is written over."""
        order = order_of(like)

        def laid_out(array: Any) -> Any:
            return copied(array, order)

        result = laid_out(value)
        return self.called(program.call, (laid_out, node), result), result

    def _sharing(self, array: Any, which: Callable[[Storage], Any]) -> bool:
        """Whether other inputs lie in the memory of an array."""
        root = id(owner(array))
        return any(
            id(owner(given.array)) == root and which(given.storage) and np.may_share_memory(given.array, array)
            for given in self.inputs if isinstance(given.array, np.ndarray)
        )

    def _put(self, outer: Node, whole: Any, step: Any, node: Node, value: Any) -> tuple[Node, Any]:
        """The whole of which a view is another value."""
        op, attributes, index = step
        if op.flips:  # what undoes it is the same
            return self._viewed(op, node, value, (), None)
        sizes = attributes if self.is_general else ()
        order = order_of(whole)

        def put(whole: Any, part: Any, *sizes: Any) -> Any:
            changed = copied(whole, order)  # laid out so that the view is one
            view = op.kernel(changed, *(sizes or attributes))
            np.copyto(view if index is None else view[index], part)
            return changed

        put.__name__ = f"put_{op.name}"
        result = put(whole, value, *self.hints(sizes))
        made = self.called(program.call, (put, outer, node, *sizes), result)
        made.meta["put"] = step
        return made, result

    def cast(self, array: Traced, dtype: Any) -> Any:
        return self.run(cast_op, (array,), (dtype,))

    def clone(self, array: Traced) -> Any:
        return self.run(clone_op, (array,), ())

    def observed(self, array: Traced) -> Any:
        """A number that Python asks for: the program is for calls in which it is the same."""
        node, value = self.now(array)
        self.called(program.check, (node, value.item()), None)
        if type(value.item()) is float and not value:  # the checks of programs do not tell 0 from -0
            sign, found = self.now(self.run(signbit_op, (array,), ()), False)
            self.called(program.check, (sign, bool(found)), None)
        return value.reshape(())

    def test(self, t: Tensor, check: Callable[..., None], args: tuple[Any, ...]) -> None:
        """A look at elements that raises, or does nothing: the program does so, too."""
        self.adopt((t,))
        node, value = self.now(t._array)
        check(value, *as_hints(args))
        sizes = as_nodes(args) if self.is_general else ()

        def again(array: Any, *sizes: Any) -> None:
            check(array, *(sizes or args))

        again.__name__ = check.__name__
        self.called(program.call, (again, node, *sizes), None).meta.update(effect=True, passes=_passing(check, args))

    def learned(self, t: Tensor, fn: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """A look at elements that decides what to do: the program is for calls in which it finds the same."""
        self.adopt((t,))
        node, value = self.now(t._array)
        found = fn(value, *as_hints(args))
        sizes = as_nodes(args) if self.is_general else ()

        def again(array: Any, *sizes: Any) -> None:
            if fn(array, *(sizes or args)) != found:
                raise program.Mismatch

        again.__name__ = fn.__name__
        made = self.called(program.call, (again, node, *sizes), None)
        made.meta.update(effect=True, passes=_passing(fn, args) if found is None or found is False else None)
        return found

    def computed(self, t: Tensor, fn: Callable[[Any], Tensor]) -> Tensor:
        """Something of a tensor's elements that has no derivative."""
        self.adopt((t,))
        node, value = self.now(t._array)
        result = fn(value)

        def again(array: Any) -> Any:
            return fn(array)._array

        again.__name__ = getattr(fn, "__name__", "computed")
        result._array = self.new(self.called(program.call, (again, node), result._array), result._array)
        return result

    # ---- optimizers

    def number(self, holder: Any, key: Any) -> Tensor:
        """A number that is looked up in every call."""
        place = (id(holder), key)
        if place not in self._numbers:
            t = Tensor._wrap(np.array(holder[key], np.float64))
            self.meet(t).input.place = (holder, key)
            self._numbers[place] = t
        return self._numbers[place]

    # ---- public functions

    def function(
        self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], makes: bool = False
    ) -> Any:
        """Run a public function: see ``functions``. ``makes``: it makes a tensor of a size."""
        return functions.run(self, fn, args, kwargs, makes)

    def opaque(
        self, fn: Callable[..., Any], name: str, args: tuple[Any, ...], kwargs: dict[str, Any], written: list[Tensor]
    ) -> Any:
        """Run a function as one step: see ``functions``."""
        return functions.opaque(self, fn, name, args, kwargs, written) if self.is_active else fn(*args, **kwargs)

    def calls_hook(self, hook: Any) -> None:
        """A hook is about to be run by a backward pass inside."""
        if self.is_active and may_change_things(hook):
            self.give_up("a hook that may do more than compute")

    def before_backward(self, wanted: Sequence[Any] | None) -> None:
        """Someone calls backward, or asks for gradients of ``wanted``: it may go beyond what is captured."""
        self.runs_backward = True
        cut = [met for met in self.met.values() if met.leaf is not None]
        reached = [self.met[id(t)] for t in wanted or () if id(t) in self.met]
        stays = wanted is not None and (not reached or (len(cut) == 1 and all(met is cut[0] for met in reached)))
        has_edges = not all(isinstance(t, Tensor) for t in wanted or ())  # which may be of an argument, or beyond one
        if cut and (has_edges or not stays):
            self.give_up("backward() through an argument that has a history")
        elif any(met.leaf is not None and met.is_watched() for met in reached):
            self.give_up("a gradient of an argument that has a hook, or retains it")


def _passing(look: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """(expression, the name of the array in it, numbers by name) of a look at elements that says when it passes."""
    where = getattr(look, "passes", None)
    if where is None or not all(type(arg) in (int, bool) for arg in args):
        return None
    name, *others = inspect.signature(look).parameters
    return where, name, dict(zip(others, args))
