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

import gc
import operator
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._core import quiet, state
from .._core.pytree import tree_flatten, tree_unflatten
from .._core.strides import element_strides
from .._tensor import Tensor
from ..autograd.accumulate import AccumulateGrad
from ..autograd.graph import Node as GradNode
from ..autograd.graph import resolve, user_place
from ..autograd.meta import AutogradMeta
from ..fx.graph import Graph
from ..fx.node import Node
from ..ops.moving.copy import cast_op, clone_op
from . import program
from .traced import Storage, Traced


class Input:
    """An array that the program is given: of a tensor that was there before, or one that is the same in every call."""

    __slots__ = ("array", "is_constant", "node", "place", "storage", "tensor")

    def __init__(self, array: Any, node: Node, tensor: Tensor | None, is_constant: bool) -> None:
        self.place: Any = None
        """Of a number: the (dict, key) where it is looked up."""
        self.array = array
        self.node = node
        self.tensor = tensor
        self.is_constant = is_constant
        self.storage = Storage(array, node)
        if is_constant:
            self.keep()

    def keep(self) -> None:
        """Keep the value, which the function may write over, for the calls to come."""
        self.is_constant = True
        self.node.meta["value"] = self.array.copy(order="K")


class Met:
    """A tensor that was there before, as it was then."""

    __slots__ = ("edge", "grad", "input", "leaf", "meta", "needs_grad", "node", "tensor", "version")

    def __init__(self, tensor: Tensor, input: Input) -> None:
        self.tensor = tensor
        self.input = input
        self.needs_grad = tensor.requires_grad
        self.version = 0 if tensor._counter is None else tensor._counter[0]
        self.node, self.meta = tensor._node, tensor._meta
        self.grad = None if self.meta is None else self.meta.grad
        self.edge: Any = None
        self.leaf: Any = None
        if self.needs_grad and not tensor.is_leaf:
            self._cut_off()

    def _cut_off(self) -> None:
        """Let a tensor with history look like a leaf: what is derived ends here."""
        t = self.tensor
        self.edge = t._edge()
        t._node, t._meta = None, AutogradMeta()
        t._meta.requires_grad = True
        self.leaf = AccumulateGrad.of(t)

    def has_other_grad(self) -> bool:
        """Whether ``.grad`` has become another tensor, or None."""
        meta = self.tensor._meta
        return self.leaf is None and meta is not None and meta.grad is not self.grad

    def restore(self) -> None:
        if type(self.tensor._array) is Traced:
            self.tensor._array = self.tensor._array.plain
        if self.leaf is not None:
            self.tensor._node, self.tensor._meta = self.node, self.meta


class Reason:
    """Why a function cannot be captured, and where."""

    def __init__(self, what: str, place: Any, asked: bool) -> None:
        self.what = what
        self.place = place
        self.asked = asked
        """Whether that is what the user asked for."""

    def __str__(self) -> str:
        return f"{self.what} at {self.place}"


class Leak(BaseException):
    """A public function asks for elements: all of it becomes one step of the program, if that is possible."""

    def __init__(self, what: str) -> None:
        self.what = what


class Capture:
    """One run of a function that is written down. A context manager around it."""

    is_export = False

    def __init__(self, reads: Any) -> None:
        self.reads = reads
        self._numbers: dict[Any, Tensor] = {}
        self.names: dict[int, str] = reads.tensor_names
        """What the user calls tensors of before, by their id."""
        self.graph = Graph()
        self.values: dict[Node, Any] = {}
        """What each node came to in this run."""
        self.inputs: list[Input] = []
        self.met: dict[int, Met] = {}
        """Tensors of before, by their id."""
        self.storages: list[Storage] = []
        self.reason: Reason | None = None
        """Why the capture was given up, if it was."""
        self.is_postponed = False
        self.is_active = False
        self.drawn = False
        """Whether someone took a random stream, and what was drawn from it is not written down yet."""
        self.moved: Any = None
        self.depth = 0
        """How many public functions are being run, one inside the other."""
        self.writes = 0
        self._last_placeholder: Node | None = None
        self._by_array: dict[int, Traced] = {}
        self._thread = threading.get_ident()

    def __enter__(self) -> Capture:
        self._outer = state.modes.capture
        state.update(capture=self)
        self.is_active = True
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
        _unveil({met.leaf: met.edge for met in self.met.values() if met.leaf is not None})

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

    def leak(self, what: str) -> None:
        """Someone asks for elements who is no kernel."""
        if self.depth and self._thread == threading.get_ident():
            raise Leak(what)
        self.give_up(what)

    # ---- tensors and arrays

    def adopt(self, tensors: Sequence[Any], lists: Sequence[Any] = ()) -> None:
        """Make tensors known that an operator is about to work on."""
        for t in tensors:
            if isinstance(t, Tensor) and not t.wraps and type(t._array) is np.ndarray:
                self.meet(t)
        for values in lists:
            if isinstance(values, (tuple, list)):
                self.adopt(values)

    def meet(self, t: Tensor, is_constant: bool = False) -> Met:
        """A tensor of before, or one that a creation function has made, becomes an input."""
        found = self.met.get(id(t))
        if found is None:
            array = t._array
            shown = self._by_array.get(id(array))
            if shown is None:
                shown = self._given(array, t, is_constant)
            self.met[id(t)] = found = Met(t, shown.storage.origin)
            t._array = shown
        return found

    def _given(self, array: Any, t: Tensor | None, is_constant: bool) -> Traced:
        node = self._placeholder(array, self.names.get(id(t), "c" if is_constant else "x"))
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

    def _shown(self, array: Any, storage: Storage, steps: Any = ()) -> Traced:
        traced = array.view(Traced)
        traced.capture, traced.storage, traced.plain, traced.steps = self, storage, array, steps
        traced.seen = (-1, None, None)
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
        result = op.kernel(value, *attributes)
        made = self._called(op, (node, *attributes), result)
        return (made, result) if index is None else (self._part(made, index, result[index]), result[index])

    # ---- nodes

    def _called(self, target: Any, args: tuple[Any, ...], result: Any) -> Node:
        node = self.graph.create_node("call_function", target, args)
        node.meta["source"] = resolve(*user_place(3))
        if isinstance(result, (np.ndarray, np.generic)):
            self._describe(node, result)
        return node

    def _describe(self, node: Node, value: Any) -> None:
        value = value if isinstance(value, np.ndarray) else np.asarray(value)
        node.meta.update(shape=value.shape, dtype=value.dtype, strides=element_strides(value))
        self.values[node] = value

    def _part(self, node: Node, i: int, value: Any) -> Node:
        part = self.graph.create_node("call_function", operator.getitem, (node, i))
        self._describe(part, value)
        return part

    def _new(self, node: Node, value: Any) -> Traced:
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
        given = [self._attribute(a) for a in attributes]
        if not self.is_active:  # an operand could not be written down
            return self.run(op, [v for _, v in operands], attributes)
        nodes, values = [n for n, _ in operands], [v for _, v in operands]
        real = [v for _, v in given]
        token = quiet.begin()
        try:
            result = op.on_arrays(tuple(values), *real) if op.variadic else op.on_arrays(*values, *real)
        finally:
            quiet.end(token)
        shown = [n for n, _ in given]
        args = (tuple(nodes), *shown) if op.variadic else (*nodes, *shown)
        if op.is_random:
            self.drawn = False
        if op.is_view and type(arrays[0]) is Traced:
            return self._views(op, arrays[0], args, tuple(shown), result)
        if op.outputs == 1:
            result = result if isinstance(result, np.ndarray) else np.asarray(result)
            node = self._called(op, args, result)
            node.meta["random"] = op.is_random
            return self._new(node, result)
        node = self._called(op, args, None)
        node.meta["random"] = op.is_random
        parts = [r if isinstance(r, np.ndarray) else np.asarray(r) for r in result]
        return [self._new(self._part(node, i, part), part) for i, part in enumerate(parts)]

    def _attribute(self, value: Any) -> tuple[Any, Any]:
        """An attribute as the program has it, and as the kernel takes it."""
        if isinstance(value, Tensor):
            node, array = self.now(value._array)
            return node, array
        if type(value) is Traced:
            return self.now(value)
        if isinstance(value, (tuple, list)) and any(isinstance(v, (Tensor, Traced)) for v in value):
            pairs = [self._attribute(v) for v in value]
            return tuple([n for n, _ in pairs]), tuple([v for _, v in pairs])
        return value, value

    def _views(self, op: Any, base: Traced, args: Any, attributes: Any, result: Any) -> Any:
        """Views show the memory that their base is in, and its values as they are when asked."""
        version = base.storage.version
        looks = op.kernel(base.plain, *attributes)
        if op.outputs == 1:
            node = self._called(op, args, result)
            view = self._shown(looks, base.storage, (*base.steps, (op, attributes, None)))
            view.seen = (version, node, result)
            return view
        node = self._called(op, args, None)
        views = []
        for i, part in enumerate(result):
            view = self._shown(looks[i], base.storage, (*base.steps, (op, attributes, i)))
            view.seen = (version, self._part(node, i, part), part)
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
        shape, dtype = target.shape, target.dtype
        strides = target.strides

        def draw(*arrays: Any) -> Any:
            memory = np.empty(shape, dtype)
            if memory.strides != strides:
                memory = np.empty_like(np.lib.stride_tricks.as_strided(np.empty(1, dtype), shape, strides))
            write(memory, *arrays)
            return memory

        draw.__name__ = op.name
        operands = [self.now(a) for a in others]
        result = draw(*[v for _, v in operands])
        node = self._called(program.call, (draw, *[n for n, _ in operands]), result)
        node.meta["random"] = True
        self.drawn = False
        self.assign(target, self._new(node, result))

    def assign(self, target: Traced, source: Traced) -> None:
        """Let memory have another value from now on."""
        node, value = self.now(source)
        storage = target.storage
        if target.steps:
            chain = [(storage.node, storage.value)]
            for op, attributes, index in target.steps:
                chain.append(self._viewed(op, *chain[-1], attributes, index))
            for (outer, whole), step in zip(reversed(chain[:-1]), reversed(target.steps)):
                node, value = self._put(outer, whole, step, node, value)
        else:
            value = np.broadcast_to(value, target.shape)
        storage.node, storage.value = node, value
        storage.version += 1
        self.writes += 1

    def _put(self, outer: Node, whole: Any, step: Any, node: Node, value: Any) -> tuple[Node, Any]:
        """The whole of which a view is another value."""
        op, attributes, index = step

        def put(whole: Any, part: Any) -> Any:
            changed = whole.copy(order="K")
            view = op.kernel(changed, *attributes)
            np.copyto(view if index is None else view[index], part)
            return changed

        put.__name__ = f"put_{op.name}"
        result = put(whole, value)
        made = self._called(program.call, (put, outer, node), result)
        made.meta["put"] = step
        return made, result

    def cast(self, array: Traced, dtype: Any) -> Any:
        return self.run(cast_op, (array,), (dtype,))

    def clone(self, array: Traced) -> Any:
        return self.run(clone_op, (array,), ())

    def observed(self, array: Traced) -> Any:
        """A number that Python asks for: the program is for calls in which it is the same."""
        node, value = self.now(array)
        self._called(program.check, (node, value.item()), None)
        return value.reshape(())

    def test(self, t: Tensor, check: Callable[..., None], args: tuple[Any, ...]) -> None:
        """A look at elements that raises, or does nothing: the program does so, too."""
        self.adopt((t,))
        node, value = self.now(t._array)
        check(value, *args)

        def again(array: Any) -> None:
            check(array, *args)

        again.__name__ = check.__name__
        self._called(program.call, (again, node), None).meta["effect"] = True

    def learned(self, t: Tensor, fn: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """A look at elements that decides what to do: the program is for calls in which it finds the same."""
        self.adopt((t,))
        node, value = self.now(t._array)
        found = fn(value, *args)

        def again(array: Any) -> None:
            if fn(array, *args) != found:
                raise program.Mismatch

        again.__name__ = fn.__name__
        self._called(program.call, (again, node), None).meta["effect"] = True
        return found

    def computed(self, t: Tensor, fn: Callable[[Any], Tensor]) -> Tensor:
        """Something of a tensor's elements that has no derivative."""
        self.adopt((t,))
        node, value = self.now(t._array)
        result = fn(value)

        def again(array: Any) -> Any:
            return fn(array)._array

        again.__name__ = getattr(fn, "__name__", "computed")
        result._array = self._new(self._called(program.call, (again, node), result._array), result._array)
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

    def moves(self, generator: Any) -> None:
        """A random stream is put somewhere else, perhaps for a while only, as checkpoints do."""
        if self.is_active and self.moved is None and hasattr(generator, "_engine"):
            self.moved = (generator, generator.get_state()._array)

    def is_back(self) -> bool:
        """Whether the stream is where it would be without that."""
        if self.moved is not None and np.array_equal(self.moved[0].get_state()._array, self.moved[1]):
            self.moved = None
        return self.moved is None

    def draws(self) -> None:
        """Someone takes a random stream."""
        self.drawn = True
        if self.is_active and not self.is_back():
            self.give_up("random numbers from a stream that begins anew")

    def reads_settings(self, group: dict[str, Any]) -> None:
        """The function depends on the settings of a group of parameters."""
        self.reads.note_items(group, [key for key in group if key not in ("lr", "initial_lr")])
        self.reads.note_items(group["params"], range(len(group["params"])))

    def reads_state(self, states: Any, p: Tensor, state: dict[str, Any]) -> None:
        self.reads.note_items(states, [p])
        self.reads.note_items(state, list(state))

    # ---- public functions

    def function(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run a public function. What it makes by itself is a constant, or a draw; see also ``Leak``."""
        if not self.is_active:
            return fn(*args, **kwargs)
        last, writes, known = next(iter(reversed(self.graph.nodes)), None), self.writes, len(self.inputs)
        self.depth += 1
        try:
            result = fn(*args, **kwargs)
        except Leak as leak:
            if self.writes == writes and len(self.inputs) == known:
                self._rewind(last)
                return self._as_one_step(fn, args, kwargs, leak.what)
            self.give_up(leak.what)
            return fn(*args, **kwargs)
        finally:
            self.depth -= 1
        if self.is_active:
            self._made(fn, args, kwargs, result)
        return result

    def _rewind(self, last: Node | None) -> None:
        for node in list(reversed(self.graph.nodes)):
            if node is last or node.op == "placeholder":
                break
            self.values.pop(node, None)
            self.graph.erase_node(node)

    def _repeatable(self, fn: Callable[..., Any], args: Any, kwargs: Any) -> tuple[Callable[..., Any], list[Tensor]]:
        """A call as a function of the arrays of its tensors, which gives the leaves of its result and their plan."""
        leaves, plan = tree_flatten((args, kwargs))
        where = [i for i, leaf in enumerate(leaves) if isinstance(leaf, Tensor)]
        tensors = [leaves[i] for i in where]
        self.adopt(tensors)
        constant = [None if isinstance(leaf, Tensor) else leaf for leaf in leaves]

        def compute(*arrays: Any) -> Any:
            given = list(constant)
            for i, array in zip(where, arrays):
                given[i] = Tensor._wrap(array)
            positional, named = tree_unflatten(given, plan)
            before = state.modes.grad_enabled, state.modes.capture
            state.update(grad_enabled=False, capture=None)
            try:
                return tree_flatten(fn(*positional, **named))
            finally:
                state.update(grad_enabled=before[0], capture=before[1])

        return compute, tensors

    def _as_one_step(self, fn: Callable[..., Any], args: Any, kwargs: Any, what: str) -> Any:
        """A function that looks at elements, and of which no derivative is wanted, as a step of its own."""
        compute, tensors = self._repeatable(fn, args, kwargs)
        if any(t.wraps or type(t._array) is not Traced for t in tensors):
            self.give_up(what)
            return fn(*args, **kwargs)
        operands = [self.now(t._array) for t in tensors]
        versions = [t._version for t in tensors]
        found, plan = compute(*[value for _, value in operands])
        needs = state.grad_enabled() and any(t.requires_grad for t in tensors)
        is_float = any(isinstance(t, Tensor) and t._array.dtype.kind in "fcV" for t in found)
        shares = any(isinstance(t, Tensor) and np.may_share_memory(t._array, v) for t in found for _, v in operands)
        changed = versions != [t._version for t in tensors]
        if (needs and is_float) or shares or changed or not all(isinstance(t, Tensor) for t in found):
            self.give_up(what)
            return fn(*args, **kwargs)

        def again(*arrays: Any) -> tuple[Any, ...]:
            return tuple([t._array for t in compute(*arrays)[0]])

        again.__name__ = fn.__name__
        node = self._called(program.call, (again, *[n for n, _ in operands]), None)
        node.meta["random"] = self.drawn
        self.drawn = False
        for i, t in enumerate(found):
            t._array = self._new(self._part(node, i, t._array), t._array)
        return tree_unflatten(found, plan)

    def before_backward(self) -> None:
        """Someone calls backward: it may go beyond what is captured."""
        if any(met.leaf is not None for met in self.met.values()):
            self.give_up("backward() through an argument that has a history")

    def _made(self, fn: Callable[..., Any], args: Any, kwargs: Any, result: Any) -> None:
        for t in result if isinstance(result, (tuple, list)) else (result,):
            if not isinstance(t, Tensor) or t.wraps or type(t._array) is not np.ndarray or id(t) in self.met:
                continue
            if any(t is a for a in args) or any(t is a for a in kwargs.values()):
                continue
            if any(isinstance(a, np.ndarray) for a in (*args, *kwargs.values())):
                self.give_up("an array of NumPy's becomes a tensor")
                return
            if self.drawn:
                self._drawn_by(fn, args, kwargs, t)
            else:
                self.meet(t, is_constant=True)

    def _drawn_by(self, fn: Callable[..., Any], args: Any, kwargs: Any, t: Tensor) -> None:
        compute, tensors = self._repeatable(fn, args, kwargs)

        def draw(*arrays: Any) -> Any:
            return compute(*arrays)[0][0]._array

        draw.__name__ = fn.__name__
        node = self._called(program.call, (draw, *[self.now(each._array)[0] for each in tensors]), t._array)
        node.meta["random"] = True
        self.drawn = False
        t._array = self._new(node, t._array)


def _unveil(edges: dict[Any, Any]) -> None:
    """Give tensors and nodes of the graph plain arrays again, wherever they are, and nodes the edges they lacked."""
    for thing in gc.get_objects():
        if isinstance(thing, Tensor):
            try:
                array = thing._array
            except AttributeError:
                continue
            if type(array) is Traced:
                thing._array = _plain_of(array)
        elif isinstance(thing, GradNode):
            if edges and type(getattr(thing, "next", None)) is tuple and any(e in edges for e in thing.next):
                thing.next = tuple([edges.get(e, e) for e in thing.next])
            held = getattr(thing, "saved", None)
            if type(held) is Traced:
                thing.saved = _plain_of(held)
            elif type(held) is tuple and any(type(v) is Traced for v in held):
                thing.saved = tuple([_plain_of(v) if type(v) is Traced else v for v in held])


def _plain_of(array: Traced) -> Any:
    plain = getattr(array, "plain", None)
    return array.view(np.ndarray) if plain is None else plain

