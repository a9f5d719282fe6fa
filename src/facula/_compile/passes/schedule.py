"""Fusion: from a graph to steps.

Nodes are taken in order. What works on elements is put into an *open* loop, where values stay single numbers; a loop is
closed, and becomes a step, when something outside it needs one of its arrays. Open loops do not depend on each other,
and all that they read is already there: so two of them over the same elements can always be joined.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..._core.numbers import number_array
from ...ops.machine.elementwise import Elementwise
from ...ops.machine.primitive import Primitive
from ..library import calls
from ..programs import program as programs
from ..programs.lowering import (
    Lowered,
    dtype_of,
    is_bare,
    lowered,
    names_conditions,
    reduction_in,
    shape_of,
)  # fmt: skip
from ..programs.scalars import BOOL, C_TYPES, names_in, parsed, product_in, replaced, with_numbers
from ..programs.steps import (
    Buffer,
    Check,
    Copy,
    Loop,
    Plan,
    Product,
    PythonCall,
    Reduction,
    Shape,
    Step,
    Value,
    dense,
    is_dense,
    memory_order,
    span,
)  # fmt: skip
from .space import space_of
from .views import all_viewed, as_matrices, may_be_within, same_order, viewed

MOST_ARRAYS = 24
"""More than so many arrays of its own does not make a loop faster."""


@dataclass(eq=False)
class Open:
    """A loop that is not closed yet."""

    loop: Loop
    nodes: dict[Any, tuple[int, Shape]] = field(default_factory=dict)
    """The nodes that are statements of it, with the shape they count elements by."""
    results: dict[Any, Reduction] = field(default_factory=dict)


@dataclass(eq=False)
class Scheduler:
    program: Any
    with_library: bool = True
    steps: list[Step] = field(default_factory=list)
    values: dict[Any, Value] = field(default_factory=dict)
    open: list[Open] = field(default_factory=list)
    inside: dict[Any, Open] = field(default_factory=dict)
    """In which open loop a node is."""
    outputs: dict[Any, int] = field(default_factory=dict)
    """Nodes that an output buffer is still to be made for."""
    arrays: dict[int, Value] = field(default_factory=dict)
    checks: int = 0
    current: Any = None
    processed: set[Any] = field(default_factory=set)
    inlined: dict[Any, set[Any]] = field(default_factory=dict)
    """Which users took a node as a number."""
    at: Any = None
    """The node that is being scheduled."""

    # ---- the whole

    def plan(self) -> Plan:
        graph, commits = self.program.graph, self.program.commits
        nodes = list(graph.nodes)
        out_nodes = list(next(n for n in nodes if n.op == "output").args[0])
        inputs: list[Value] = []
        for node in nodes:
            if node.op == "placeholder":
                strides = tuple(node.meta["strides"])
                size = span(node.meta["shape"], tuple(map(abs, strides)))
                buffer = Buffer("input", node.meta["dtype"], size, len(inputs), node.meta.get("name") or node.name)
                self.values[node] = Value(buffer, 0, tuple(node.meta["shape"]), strides)
                inputs.append(self.values[node])
        for i, node in enumerate(out_nodes):
            if node is not None and i not in commits and node.op != "placeholder" and node not in self.outputs:
                self.outputs[node] = i
        for node in nodes:
            if node.op == "call_function":
                self.current, self.at = node.meta.get("source"), node
                self.node(node)
                self.processed.add(node)
        found: list[Value | int | None] = []
        copies: list[Step] = []
        for i, node in enumerate(out_nodes):
            if node is None:
                found.append(None)
            elif i in commits:
                target = inputs[commits[i]]
                if node is not self.program.placeholders[commits[i]] and target.size:
                    value = self.value(node)
                    if any(value.buffer.touches(inputs[at].buffer) for at in commits.values()):
                        value = self.dense_value(value)  # it may have been written by another copy before
                    copies.append(Copy(value.broadcast(target.shape), target, node.meta.get("source")))
                found.append(None)
            elif node.op == "placeholder":
                found.append(inputs.index(self.values[node]))
            else:
                value = self.value(node)
                if value.buffer.kind != "output" or value.buffer.index != i or value.strides != self.wanted(node):
                    value = self.copied(value, self.output_value(node, i))
                found.append(value)
        self.close_all()
        return Plan(self.steps + copies, inputs, found, checks=self.checks)

    # ---- nodes

    def node(self, node: Any) -> None:
        target = node.target
        if target is operator.getitem:
            return self.getitem(node)
        if target is programs.check:
            value = self.value(node.args[0])
            self.steps.append(Check(value, node.args[1], self.checks, self.current))
            self.checks += 1
            return None
        if target is programs.call:
            if self.with_library and node.meta.get("passes") is not None and self.passing(node):
                return None
            return self.python(node, node.args[0], node.args[1:], getattr(node.args[0], "__name__", "call"))
        assert isinstance(target, Primitive), target
        shape = node.meta.get("shape")
        if not target.is_random and shape is not None and 0 not in shape:
            if (target.is_view or target.lowering == "view") and self.view(node):
                return None
            found = lowered(node)
            if found is not None and all(0 not in shape_of(t) for t in found.operands.values()):
                return self.lowered(node, found)
        if target.is_view and target.outputs != 1 and self.views(node):
            return None
        if isinstance(target.lowering, tuple):
            items = [u for u in node.users if u.target is operator.getitem]
            if len(items) == len(node.users) and all(0 not in u.meta["shape"] and lowered(node, u) for u in items):
                return None  # each result by itself
        if self.with_library and target.lowering == "library" and calls.add(self, node):
            return None
        return self.kernel(node)

    def passing(self, node: Any) -> bool:
        """A look at elements as a loop. Where not all of them pass, the program declines, and Python looks."""
        where, name, numbers = node.meta["passes"]
        looked_at = node.args[1]
        if not hasattr(looked_at, "meta") or dtype_of(looked_at).kind not in "iu" or 0 in shape_of(looked_at):
            return False
        if dtype_of(looked_at) not in C_TYPES:
            return False
        tree = with_numbers(parsed(where), numbers)
        found = Lowered(("all", tree), {name: looked_at}, np.dtype(np.int64))
        all_pass = _Made({"shape": (), "dtype": BOOL}, f"{node.name}_passes")
        all_pass.users[node] = None
        self.reduction(all_pass, found, found.tree)
        self.steps.append(Check(self.value(all_pass), True, -1, self.current))
        return True

    def getitem(self, node: Any) -> None:
        whole = node.args[0]
        if whole not in self.values:
            found = lowered(whole, node)
            assert found is not None
            return self.lowered(node, found)
        self.values[node] = self.values[whole][node.args[1]]  # type: ignore[index]
        return None

    def lowered(self, node: Any, found: Lowered) -> None:
        found = found._replace(operands={name: self.known(operand) for name, operand in found.operands.items()})
        if product_in(found.tree) is not None:
            return self.product(node, found)
        inner = reduction_in(found.tree)
        if inner is not None and any(shape_of(found.operands[name]) for name in names_in(inner)):
            return self.reduction(node, found, inner)
        if inner is not None:  # of a single number
            found = found._replace(tree=replaced(found.tree, inner, inner[1]))
        if is_bare(found.tree):
            (only,) = found.operands.values()
            if dtype_of(only) == node.meta["dtype"] and shape_of(only) == tuple(node.meta["shape"]):
                return self.same(node, only)
        self.elementwise(node, found)
        return None

    def same(self, node: Any, other: Any) -> None:
        """Another name for a node."""
        inside = self.inside.get(other)
        if inside is not None and other in inside.nodes:
            inside.nodes[node] = inside.nodes[other]
            self.inside[node] = inside
        else:
            self.values[node] = self.value(other)

    # ---- loops

    def elementwise(self, node: Any, found: Lowered) -> None:
        shape = tuple(node.meta["shape"])
        into, at = self.statement(found, shape, node.meta["dtype"])
        into.nodes[node] = (at, shape)
        self.inside[node] = into
        if self.current is not None and self.current not in into.loop.sources:
            into.loop.sources.append(self.current)

    def statement(self, found: Lowered, shape: Shape, result: np.dtype[Any] | None) -> tuple[Open, int]:
        """An expression in the open loop that suits it, and where its last statement is."""
        into = self.loop_for(list(found.operands.values()), shape)
        loop, names = into.loop, {}
        for name, operand in found.operands.items():
            at = self.operand(into, operand, shape)
            names[name] = loop.cast(at, BOOL if names_conditions(name) else found.dtype)
        at = loop.expression(found.tree, names, found.dtype)
        return into, at if result is None else loop.cast(at, result)

    def constant(self, operand: Any) -> Any:
        """The statement of a node that is the same number everywhere, or None."""
        home = self.inside.get(operand)
        if home is None or operand not in home.nodes:
            return None
        found = home.loop.statements[home.nodes[operand][0]]
        return found if found.op == "const" else None

    def operand(self, into: Open, operand: Any, shape: Shape) -> int:
        number = self.constant(operand)
        if number is not None:
            self.inlined.setdefault(operand, set()).add(self.at)
            return into.loop.add(*number)
        if self.inside.get(operand) is into and operand in into.nodes:
            return into.nodes[operand][0]
        return into.loop.load(self.value(operand).broadcast(shape))

    def loop_for(self, operands: list[Any], shape: Shape) -> Open:
        """The open loop over a shape in which the operands are, or which reads the same arrays, or a new one."""
        size = math.prod(shape)
        homes: list[Open] = []
        for operand in operands:
            home = self.inside.get(operand)
            if home is None or self.constant(operand) is not None:
                continue
            fits = operand in home.nodes and home.loop.size == size and math.prod(shape_of(operand)) == size
            if fits and shape_of(operand) != shape and not same_order(shape_of(operand), shape):
                fits = False
            if not fits:
                self.close(home)
                homes = [h for h in homes if h is not home]
            elif home not in homes:
                homes.append(home)
        loads = [
            self.values[o].broadcast(shape) for o in operands if o in self.values and not isinstance(o, np.ndarray)
        ]
        if not homes:
            for candidate in self.open:
                reads = {v.key() for v in candidate.loop.loads if v.size > 1 or size == 1}
                if candidate.loop.size == size and (size == 1 or any(v.key() in reads for v in loads)):
                    homes = [candidate]
                    break
        for home in homes:
            trial = Loop(size, loads=[*home.loop.loads, *loads], reductions=home.loop.reductions)
            too_many = len(home.loop.loads) + len(loads) > MOST_ARRAYS and size > 1
            if too_many or space_of(trial, False) is None:
                for other in homes:
                    self.close(other)
                homes = []
                break
        while len(homes) > 1:
            if not self.joined(homes[0], homes[1]):
                self.close(homes[1])
                # what was inside is an array now, which the first may read
            del homes[1]
        if not homes:
            homes = [Open(Loop(size))]
            self.open.append(homes[0])
        return homes[0]

    def joined(self, a: Open, b: Open) -> bool:
        trial = Loop(a.loop.size, loads=[*a.loop.loads, *b.loop.loads],
                     reductions=[*a.loop.reductions, *b.loop.reductions])  # fmt: skip
        if len(trial.loads) > MOST_ARRAYS or space_of(trial, False) is None:
            return False
        places = a.loop.merge(b.loop)
        for node, (at, shape) in b.nodes.items():
            a.nodes[node] = (places[at], shape)
            self.inside[node] = a
        for node in b.results:
            self.inside[node] = a
        a.results.update(b.results)
        self.open.remove(b)
        return True

    def reduction(self, node: Any, found: Lowered, inner: Any) -> None:
        """A reduction as the end of a loop; what is made of it is the beginning of another one."""
        operands = {name: found.operands[name] for name in names_in(inner)}
        if found.tree is not inner:
            part = _Made(node.meta, node.name)
            self.reduction(part, found._replace(tree=inner, operands=operands), inner)
            rest = replaced(found.tree, inner, ("name", "reduced"))
            others = {n: t for n, t in found.operands.items() if n in names_in(rest)}
            return self.elementwise(node, found._replace(tree=rest, operands={**others, "reduced": part}))
        shape = np.broadcast_shapes(*[shape_of(t) for t in operands.values()])
        dims = tuple(range(len(shape))) if found.dims is None else found.dims
        into, at = self.statement(found._replace(tree=inner[1]), shape, None)
        at = into.loop.cast(at, found.dtype)
        if math.prod([shape[d] for d in dims]) == 1:  # each element is its own sum
            into.nodes[node] = (at, tuple(node.meta["shape"]))
            self.inside[node] = into
            return None
        ones = tuple([1 if d in dims else n for d, n in enumerate(shape)])
        trial = Reduction(inner[0], at, shape, dims, Value(Buffer("arena", BOOL, 1), 0, ones, dense(ones)))
        into.loop.reductions.append(trial)
        if space_of(into.loop, False) is None:
            into.loop.reductions.remove(trial)
            stand_in = object()
            into.nodes[stand_in] = (at, shape)
            value = self.store(into, stand_in)
            del into.nodes[stand_in]
            self.close(into)
            into = Open(Loop(value.size))
            self.open.append(into)
            trial.statement = into.loop.load(value)
            into.loop.reductions.append(trial)
        trial.out = self.made(node, ones)
        self.inside[node] = into
        into.results[node] = trial
        if self.current is not None and self.current not in into.loop.sources:
            into.loop.sources.append(self.current)

    def close(self, home: Open) -> None:
        """Make a step of a loop: every node of it that is needed elsewhere becomes an array."""
        if home not in self.open:
            return
        self.open.remove(home)
        for node in list(home.nodes):
            outside = node in self.outputs or any(
                not (user in self.processed and (self.inside.get(user) is home or user in self.inlined.get(node, ())))
                for user in node.users
            )
            if outside and node not in self.values:
                self.values[node] = self.store(home, node)
        for node, r in home.results.items():
            self.values[node] = Value(r.out.buffer, 0, tuple(node.meta["shape"]), dense(tuple(node.meta["shape"])))
        for node in (*home.nodes, *home.results):
            self.inside.pop(node, None)
        if home.loop.stores or home.loop.reductions:
            self.steps.append(home.loop)

    def store(self, home: Open, node: Any) -> Value:
        at, shape = home.nodes[node]
        for other, value in home.loop.stores:
            if other == at and value.is_dense and node not in self.outputs:
                return Value(value.buffer, 0, shape, dense(shape))
        i = self.outputs.pop(node, None)
        if i is not None:
            value = self.output_value(node, i)
            home.loop.stores.append((at, value))
            if space_of(home.loop, False) is not None:
                return value
            home.loop.stores.pop()  # its strides want a loop of their own, which copies it
        dtype = home.loop.statements[at].dtype
        named = getattr(node, "meta", {})
        buffer = Buffer("arena", dtype, math.prod(shape), name=str(named.get("name") or getattr(node, "name", "t")))
        buffer.source = named.get("source")
        value = Value(buffer, 0, shape, dense(shape))
        home.loop.stores.append((at, value))
        return value

    def close_all(self) -> None:
        for home in list(self.open):
            self.close(home)

    # ---- arrays

    def known(self, operand: Any) -> Any:
        """A node, or what stands for a constant array."""
        if not isinstance(operand, np.ndarray):
            return operand
        value = self.value(operand)
        stand_in = _Made({"shape": operand.shape, "dtype": operand.dtype}, "constant")
        self.values[stand_in] = value
        return stand_in

    def value(self, node: Any) -> Value:
        """Where an array lies; if it is inside an open loop, that is closed."""
        if isinstance(node, np.ndarray):
            found = self.arrays.get(id(node))
            if found is None:
                content = np.ascontiguousarray(node).reshape(node.shape)
                buffer = Buffer("constant", node.dtype, node.size, name="constant", content=content)
                found = self.arrays[id(node)] = Value(buffer, 0, node.shape, dense(node.shape))
            return found
        if node not in self.values:
            self.close(self.inside[node])
            if node not in self.values:  # nobody else needed it
                raise AssertionError(f"{node} was not stored")
        return self.values[node]

    def wanted(self, node: Any) -> Shape:
        """The strides of an output, as eager gave it; dense where nobody could see the difference."""
        shape, strides = tuple(node.meta["shape"]), tuple(node.meta.get("strides") or dense(tuple(node.meta["shape"])))
        return dense(shape) if is_dense(shape, strides) or min(strides, default=0) < 0 else strides

    def output_value(self, node: Any, i: int) -> Value:
        shape, strides = tuple(node.meta["shape"]), self.wanted(node)
        buffer = Buffer("output", node.meta["dtype"], span(shape, strides), i, node.meta.get("name") or node.name)
        buffer.source = node.meta.get("source")
        return Value(buffer, 0, shape, strides)

    def made(self, node: Any, shape: Shape | None = None) -> Value:
        """A dense array for the result of a step: an output's memory, or a piece of the arena."""
        own = tuple(node.meta["shape"])
        shape = own if shape is None else shape
        for other, (seen, strides) in self.copies(node, own, dense(own)):
            if other in self.outputs and (seen, strides) == (tuple(other.meta["shape"]), self.wanted(other)):
                value = self.output_value(other, self.outputs.pop(other))
                return Value(value.buffer, 0, shape, dense(shape))
        buffer = Buffer("arena", node.meta["dtype"], math.prod(shape), name=node.meta.get("name") or node.name)
        buffer.source = node.meta.get("source")
        return Value(buffer, 0, shape, dense(shape))

    def copies(self, node: Any, shape: Shape, strides: Shape) -> Iterator[tuple[Any, tuple[Shape, Shape]]]:
        """A node and the clones of it or of views of it, with the layouts in which they would see its memory."""
        yield node, (shape, strides)
        for user in node.users:
            op = user.target
            if not isinstance(op, Primitive) or op.outputs != 1 or user.args[0] is not node:
                continue
            if op.lowering == "input" and user.meta["dtype"] == node.meta["dtype"]:
                yield user, (shape, strides)
            elif op.is_view:
                found = viewed(op, shape, strides, user.args[1:])
                if found is not None and found[2] == 0 and math.prod(found[0]) == math.prod(shape):
                    yield from [(other, seen) for other, seen in self.copies(user, *found[:2]) if other is not user]

    def copied(self, value: Value, target: Value) -> Value:
        loop = Loop(value.size)
        if value.size:
            loop.stores.append((loop.load(value), target))
            self.steps.append(loop)
        return target

    def densely(self, node: Any) -> Value:
        """The array of a node with dense rows, copied if it must be."""
        value = self.value(node)
        if value.is_dense:
            return value
        buffer = Buffer("arena", value.dtype, value.size, name=value.buffer.name)
        return self.copied(value, Value(buffer, 0, value.shape, dense(value.shape)))

    # ---- views

    def view(self, node: Any) -> bool:
        op, source = node.target, node.args[0]
        if not hasattr(source, "meta"):
            return False
        shape = tuple(node.meta["shape"])
        home = self.inside.get(source)
        number = self.constant(source)
        if number is not None:  # any view of it is the same number
            self.inlined.setdefault(source, set()).add(node)
            into = Open(Loop(math.prod(shape)))
            into.nodes[node] = (into.loop.add(*number), shape)
            self.open.append(into)
            self.inside[node] = into
            return True
        if home is not None and source in home.nodes:
            found = viewed(op, tuple(source.meta["shape"]), dense(tuple(source.meta["shape"])), node.args[1:])
            is_whole = math.prod(shape) == home.loop.size
            if is_whole and found is not None and found[0] == shape and found[2] == 0 and is_dense(shape, found[1]):
                home.nodes[node] = (home.nodes[source][0], shape)
                self.inside[node] = home
                return True
        value = self.value(source)
        found = viewed(op, value.shape, value.strides, node.args[1:])
        if found is None:
            value = self.densely(source)
            found = viewed(op, value.shape, value.strides, node.args[1:])
        if found is None or found[0] != shape:
            return False
        self.values[node] = Value(value.buffer, value.offset + found[2], found[0], found[1])
        return True

    def views(self, node: Any) -> bool:
        """A view that gives several arrays: ``split``."""
        source = node.args[0]
        if not hasattr(source, "meta") or 0 in source.meta["shape"]:
            return False
        value = self.value(source)
        found = all_viewed(node.target, value.shape, value.strides, node.args[1:])
        if found is None:
            return False
        self.values[node] = [Value(value.buffer, value.offset + at, shape, strides) for shape, strides, at in found]  # type: ignore[assignment]
        return True

    # ---- products

    def product(self, node: Any, found: Lowered) -> None:
        """``a @ b``, and what is added to it: a bias in the kernel if it is one, a loop otherwise."""
        tree = found.tree
        path = product_in(tree)
        a, b = (found.operands[t[1]] for t in path[1:])
        shape = tuple(node.meta["shape"])
        if found.dtype.kind != "f":
            return self.kernel(node)
        if shape_of(a)[-1] == 1 and len(shape_of(a)) > 1 and len(shape_of(b)) > 1:  # columns times rows
            return self.elementwise(node, found._replace(tree=replaced(tree, path, ("mul", *path[1:]))))
        sides = as_matrices(self.value(a), self.value(b))
        if sides is None or math.prod(shape) == 0:
            return self.kernel(node)
        left, right, full = sides
        bias = None
        is_row = len(full) == 2 and full[-1:] == shape[-1:]  # not so if a matrix is applied to a vector
        if is_row and tree[0] == "add" and tree[2] is path and tree[1][0] == "name":
            added = found.operands[tree[1][1]]
            if shape_of(added) in (shape[-1:], (1,) * (len(shape) - 1) + shape[-1:]):
                bias = added
        whole = tree is path or bias is not None
        lone = None if bias is None else self.densely(bias)
        if not (left.strides[-1] == 1 or left.strides[-2] == 1 or left.shape[-1] == 1 or left.shape[-2] == 1):
            left = self.dense_value(left)
        left, right = (self.dense_value(v) if min(v.strides) < 0 else v for v in (left, right))
        if whole:
            out = self.made(node)
            self.values[node] = out
        else:
            buffer = Buffer("arena", found.dtype, math.prod(full), name=node.name)
            out = Value(buffer, 0, shape, dense(shape))
        inner = Value(out.buffer, 0, full, dense(full))
        self.steps.append(Product(left, right, lone, inner, self.current))
        if not whole:
            stand_in = _Made(node.meta, node.name)
            self.values[stand_in] = out
            rest = replaced(tree, path, ("name", "product"))
            self.elementwise(node, found._replace(tree=rest, operands={
                **{n: t for n, t in found.operands.items() if n in names_in(rest)}, "product": stand_in}))  # fmt: skip
        return None

    def dense_value(self, value: Value) -> Value:
        buffer = Buffer("arena", value.dtype, value.size, name=value.buffer.name)
        return self.copied(value, Value(buffer, 0, value.shape, dense(value.shape)))

    # ---- calls of Python

    def kernel(self, node: Any) -> None:
        op, args = node.target, node.args
        if isinstance(op, Elementwise):  # a number beside tensors has their dtype
            k = len(op.tensor_names)
            tensors = [a for a in args[:k] if hasattr(a, "meta") or isinstance(a, np.ndarray)]
            dtype = dtype_of(tensors[0]) if tensors else node.meta["dtype"]
            own = [number_array(a, dtype) if isinstance(a, (bool, int, float, complex)) else a for a in args[:k]]
            args = (*own, *args[k:])
        return self.python(node, op.kernel if op.native is None else op.on_arrays, args, op.name)

    def python(self, node: Any, function: Any, args: tuple[Any, ...], name: str) -> None:
        given = self.given(args)
        within = may_be_within(node, given)
        items = {u.args[1]: u for u in node.users if u.target is operator.getitem}
        single = "shape" in node.meta and not isinstance(node.meta["shape"], list) and not items
        if single:
            results: list[Value | None] = [self.result(node, within)]
            self.values[node] = results[0]  # type: ignore[assignment]
        else:
            results = [None] * (max(items, default=-1) + 1)
            for i, user in items.items():
                results[i] = self.result(user, within)
            self.values[node] = results  # type: ignore[assignment]
        self.steps.append(PythonCall(function, given, results, not single, name, self.current))

    def result(self, node: Any, within: tuple[Buffer, ...]) -> Value:
        """As eager gave it, if it lies densely in some order of its dimensions: what follows may count on that."""
        shape, strides = tuple(node.meta["shape"]), self.wanted(node)
        buffer = Buffer("result", node.meta["dtype"], math.prod(shape), name=node.meta.get("name") or node.name)
        buffer.within = within
        return Value(buffer, 0, shape, dense(shape) if memory_order(shape, strides) is None else strides)

    def given(self, thing: Any) -> Any:
        if isinstance(thing, (tuple, list)):
            return type(thing)([self.given(part) for part in thing])
        if hasattr(thing, "meta") and hasattr(thing, "users"):
            return self.value(thing)
        return self.value(thing) if isinstance(thing, np.ndarray) and thing.dtype in C_TYPES else thing


class _Made:
    """Stands for an array that no node of the graph is."""

    op = "made"

    def __init__(self, meta: dict[str, Any], name: str) -> None:
        self.meta, self.name = meta, name
        self.users: dict[Any, None] = {}


def schedule(program: Any, with_library: bool = True) -> Plan:
    return Scheduler(program, with_library).plan()
