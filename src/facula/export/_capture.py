"""Exporting: a module runs once, and each public function that it calls is written down as PyTorch's operator.

The module runs on real tensors, which look like any others; their sizes may be symbols, see NOTE [export sizes]. What
it changes, buffers and the random stream, is put back at the end.
"""

from __future__ import annotations

import linecache
import operator
import sys
from collections.abc import Callable
from typing import Any

import facula

from .._core import state
from .._core.pytree import tree_flatten, tree_map
from .._core.size import Size
from .._tensor import Tensor
from ..fx import _aten, _indexing
from ..fx._aten import aten
from ..fx.experimental.proxy_tensor import _composed
from ..fx.graph import Graph
from ..fx.node import Node, map_aggregate
from ..nn.modules.module import Module
from ..ops import prims
from ..ops.machine.primitive import Primitive
from ..overrides import TorchFunctionMode, _disabled_torch_function_impl
from ._symbols import Number, Sizes, Specialized, Symbol, Unified, Unknown

_READING = ("tolist", "numpy", "equal", "allclose", "is_nonzero")
_ABOUT = ("is_floating_point", "is_complex", "dim", "size", "stride", "numel", "is_contiguous", "requires_grad_")


class Exported(Tensor):
    """A tensor of a module that is being exported."""

    __torch_function__ = _disabled_torch_function_impl  # type: ignore[assignment]
    plain: Tensor
    node: Node
    shadows: list[Tensor | None]
    """The same at the points, if it could be computed there."""
    recorder: Recorder

    def _sizes(self, of: Callable[[Tensor], tuple[int, ...]], target: str) -> list[Any]:
        at = [of(self.plain), *[None if t is None else of(t) for t in self.shadows]]
        return [self._number(tuple([None if v is None else v[d] for v in at]), target, d)
                for d in range(len(at[0] or ()))]  # fmt: skip

    def _number(self, values: tuple[Any, ...], target: str, d: int) -> Any:
        recorder, node = self.recorder, self.node
        return recorder.sizes.number(values, None, lambda: recorder.size_node(node, target, d))

    @property
    def shape(self) -> Any:
        return tuple.__new__(Size, self._sizes(lambda t: tuple(t.shape), "sym_size"))

    def size(self, dim: int | None = None) -> Any:
        return self.shape if dim is None else self.shape[dim]

    def stride(self, dim: int | None = None) -> Any:
        found = tuple(self._sizes(lambda t: tuple(t.stride()), "sym_stride"))
        return found if dim is None else found[dim]

    def numel(self) -> Any:
        found: Any = 1
        for n in self.shape:
            found = n * found
        return found

    nelement = numel

    @property
    def nbytes(self) -> Any:
        return self.numel() * self.itemsize

    def __len__(self) -> int:
        return operator.index(self.shape[0])

    def __iter__(self) -> Any:
        return iter(self.unbind(0))

    def numpy(self, *, force: bool = False) -> Any:
        raise RuntimeError(".numpy() is not supported for tensor subclasses.")

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        return self.numpy()

    def tolist(self) -> Any:
        raise RuntimeError(".tolist() is not supported for tensor subclasses.")


class Value:
    """What a graph knows of a value: dtype and shape, with symbols in it, or that it is a number."""

    def __init__(self, dtype: Any, shape: list[Any], device: Any = None) -> None:
        self.dtype = dtype
        self.shape = tuple.__new__(Size, shape)
        self.device = device

    def __repr__(self) -> str:
        return f"FakeTensor(..., size=({', '.join(map(str, self.shape))}{',' if len(self.shape) == 1 else ''}))"


class Recorder(TorchFunctionMode):
    """Writes down what a module does."""

    is_export = True

    def __init__(self, root: Module, graph: Graph, sizes: Sizes) -> None:
        self.root = root
        self.graph = graph
        self.sizes = sizes
        sizes.node_of, sizes.computed = self.number_node, self.computed
        self.known: dict[int, Node] = {}
        """Parameters and buffers by their id."""
        self.shadows: dict[int, list[Tensor]] = {}
        """Those of buffers."""
        self.shells: dict[int, Exported] = {}
        """Tensors of the program by the id of the plain one."""
        self.constants: dict[str, Tensor] = {}
        self.first_input: Node | None = None
        self.sources: dict[Symbol, tuple[Node, int]] = {}
        self.size_nodes: dict[Any, Node] = {}
        self.last_size: Node | None = None
        self.open: list[Any] = []
        """Functions that are being looked into."""
        self.modules: list[Any] = []
        self.unknowns: list[Unknown] = []
        self.grad_enabled = state.modes.grad_enabled

    # ---- values

    def shell(self, plain: Tensor, node: Node, shadows: list[Any]) -> Exported:
        """A tensor as the module sees it."""
        found = Tensor._make_subclass(Exported, plain)
        found._node, found._meta, found._counter = plain._node, plain._meta, plain._counter
        found.plain, found.node, found.shadows, found.recorder = plain, node, shadows, self
        self.shells[id(plain)] = found
        node.meta["val"] = Value(plain.dtype, list(found.shape), plain.device)
        result: Exported = found
        return result

    def node_of(self, t: Tensor) -> Node:
        if isinstance(t, Exported):
            return t.node
        if id(t) in self.shells:
            return self.shells[id(t)].node
        if id(t) not in self.known:
            self.constant(t)
        return self.known[id(t)]

    def constant(self, t: Tensor, name: str | None = None) -> Node:
        """A tensor that is neither given nor registered: the program keeps it."""
        if name is None:
            name = next((f"{prefix}.{key}" if prefix else key for prefix, module in self.root.named_modules()
                         for key, value in vars(module).items() if value is t), None)  # fmt: skip
        if name is None:
            name = f"lifted_tensor_{self.literals()}"
        self.constants[name] = t
        if self.first_input is not None:
            with self.graph.inserting_before(self.first_input):
                node = self.graph.placeholder(f"c_{name.replace('.', '_')}")
        else:
            first = next(iter(self.graph.nodes), None)
            with self.graph.inserting_before(first) if first is not None else self.graph.inserting_after(None):
                node = self.graph.placeholder(f"c_{name.replace('.', '_')}")
        node.meta["constant"] = name
        node.meta["val"] = Value(t.dtype, list(t.shape), t.device)
        self.known[id(t)] = node
        return node

    def size_node(self, of: Node, target: str, dim: int) -> Node:
        node = self.size_nodes.get((of, target, dim))
        if node is None:
            overload = getattr(aten, target).int
            if of.op == "placeholder":
                last = self.last_size or [n for n in self.graph.nodes if n.op == "placeholder"][-1]
                with self.graph.inserting_after(last):
                    node = self.last_size = self.graph.call_function(overload, (of, dim), name=f"{target}_int")
            else:
                node = self.graph.call_function(overload, (of, dim), name=f"{target}_int")
            self.size_nodes[of, target, dim] = node
        return node

    def number_node(self, number: Number) -> Node:
        """The node of a number."""
        made = number._node if callable(number._node) else None
        if isinstance(number.tree, Symbol) and number.tree in self.sources:
            of, dim = self.sources[number.tree]
            node = of if dim < 0 else self.size_node(of, "sym_size", dim)
        else:
            if made is None:
                self.sizes.specialize(number)
            node = made()  # type: ignore[misc]
        node.meta.setdefault("val", number)
        return node

    def computed(self, op: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """What Python computes from numbers."""
        if any(type(a) is Unknown for a in args):
            value = op(*[getattr(a, "hint", a) for a in args])
            node = self.graph.call_function(op, tuple([self.argument(a) for a in args]))
            return self.unknown(value, node)
        columns = [a.values if type(a) is Number else (a,) * (1 + len(self.sizes.points)) for a in args]
        values = tuple([None if None in given else op(*given) for given in zip(*columns)])
        tree = (op.__name__, *[a.tree if type(a) is Number else a for a in args])
        found = self.sizes.number(values, tree)
        if type(found) is Number:
            found._node = self.graph.call_function(op, tuple(map(self.argument, args)))
            found._node.meta["val"] = found
            self.place(found._node)
        return found

    def unknown(self, value: Any, node: Node) -> Unknown:
        kind = "zuf" if isinstance(value, float) else "u"
        found = Unknown(self.sizes, value, f"{kind}{len(self.unknowns)}", node)
        self.unknowns.append(found)
        node.meta["val"] = found
        self.place(node)
        return found

    def argument(self, value: Any) -> Any:
        if isinstance(value, Tensor):
            return self.node_of(value)
        if type(value) in (Number, Unknown):
            return value.node if not callable(value._node) else self._made(value)
        return value

    def _made(self, number: Number) -> Node:
        number._node = self.number_node(number)
        return number._node

    # ---- calls

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = _aten.public_name(func)
        if name == "item":
            return self.item(args[0])
        if name in _READING:
            from ._errors import data_dependent  # loaded when first used

            raise data_dependent(f"{name}()", self.user_line())
        if name in _ABOUT:
            is_own = isinstance(args[0], Exported) and name in ("size", "stride", "numel")
            return getattr(args[0], name)(*args[1:], **kwargs) if is_own else func(*args, **kwargs)
        if name == "__getitem__":
            return _indexing.get(self.run, *args)
        if name == "__setitem__":
            x, key, value = args
            return _indexing.put(self.run, x, key, value if isinstance(value, Tensor) else self.scalar(x, value))
        if name in ("tensor", "as_tensor", "scalar_tensor", "from_numpy") and not self.has_values(args, kwargs):
            return self.literal(func(*args, **kwargs))
        found = None if func in self.open else _aten.call_of(func, args, kwargs)
        if found is None:
            composed = None if func in self.open else _composed(func)
            if composed is not None:
                self.open.append(func)
                try:
                    with self:
                        return composed(*args, **kwargs)
                finally:
                    self.open.pop()
            target = prims.of(func) or func if isinstance(func, Primitive) else func
            found = (target, list(args), dict(kwargs))
        target, positional, named = found
        return self.record(func, args, kwargs, target, positional, named)

    def run(self, operator: str, overload: str, *args: Any, name: str | None = None) -> Any:
        """Run one of PyTorch's operators, and write it down."""
        target = getattr(getattr(aten, operator), overload)
        return self.record(target, args, {}, target, args, {}, name)

    def has_values(self, args: Any, kwargs: Any) -> bool:
        leaves = tree_flatten((args, kwargs))[0]
        return any(isinstance(v, Exported) or type(v) in (Number, Unknown) for v in leaves)

    def item(self, t: Any) -> Any:
        node = self.graph.call_function(aten.item.default, (self.node_of(t),), name="item")
        return self.unknown(self.plainly(t).item(), node)

    def literal(self, t: Tensor) -> Any:
        """A tensor that the module makes of numbers."""
        node = self.constant(t, f"lifted_tensor_{self.literals()}")
        copy = self.graph.call_function(aten.lift_fresh_copy.default, (node,), name="lift_fresh_copy")
        self.place(copy)
        copy.meta["val"] = node.meta["val"]
        last = self.graph.call_function(aten.detach_.default, (copy,), name="detach_")
        self.place(last)
        return self.shell(t.clone(), last, [t.clone() for _ in self.sizes.points])

    def scalar(self, x: Tensor, value: Any) -> Any:
        """A number as a tensor like another one."""
        if type(value) in (Number, Unknown):
            return self.run("scalar_tensor", "default", value)
        t = facula.tensor(value, dtype=x.dtype)
        node = self.constant(t, f"lifted_tensor_{self.literals()}")
        copy = self.graph.call_function(aten.lift_fresh_copy.default, (node,), name="lift_fresh_copy")
        self.place(copy)
        return self.shell(t.clone(), copy, [t.clone() for _ in self.sizes.points])

    def literals(self) -> int:
        return sum(name.startswith("lifted_tensor_") for name in self.constants)

    @staticmethod
    def plainly(value: Any) -> Any:
        if isinstance(value, Exported):
            return value.plain
        return value.hint if type(value) in (Number, Unknown) else value

    def at(self, point: int, value: Any) -> Any:
        """A value at a point."""
        if isinstance(value, Exported):
            if value.shadows[point] is None:
                raise LookupError
            return value.shadows[point]
        if isinstance(value, Tensor):
            return self.shadows[id(value)][point] if id(value) in self.shadows else value
        if type(value) in (Number, Unknown):
            if value.values[point + 1] is None:
                raise LookupError
            return value.values[point + 1]
        return value

    def record(
        self, func: Any, args: Any, kwargs: Any, target: Any, positional: Any, named: Any, name: str | None = None
    ) -> Any:
        self.keep_grad_mode()
        nodes = tuple([map_aggregate(a, self.argument) for a in positional])
        by_name = {key: map_aggregate(v, self.argument) for key, v in named.items()}
        real = tree_map(self.plainly, (args, kwargs))
        result = func(*real[0], **real[1])
        shadows: list[Any] = []
        for i in range(len(self.sizes.points)):
            try:
                given = tree_map(lambda v: self.at(i, v), (args, kwargs))  # noqa: B023
                shadows.append(func(*given[0], **given[1]))
            except LookupError:
                shadows.append(None)
            except Exception as error:
                if self.sizes.required[i]:
                    self.fails_at(i, error)
                self.sizes.refusals.setdefault(self.sizes.changed_at(i), (i, error))
                shadows.append(None)
        made = [v for v in tree_flatten(result)[0] if isinstance(v, Tensor)]
        if not made:
            return self.without_tensors(result, shadows)
        if _aten.public_name(func) in ("contiguous", "requires_grad_") and any(result is a for a in real[0]):
            return args[0]
        if name is None:
            has_overloads = hasattr(target, "overloadpacket")
            name = target.__name__.partition(".")[0] if has_overloads else _aten.public_name(func)
        node = self.graph.call_function(target, nodes, by_name, name=name)
        self.place(node)
        return self.wrapped(result, node, shadows)

    def without_tensors(self, result: Any, shadows: list[Any]) -> Any:
        """What a function tells of tensors: a number may depend on sizes, anything else must not."""
        if type(result) in (int, float):
            return self.sizes.number((result, *shadows))
        for i, shadow in enumerate(shadows):
            if shadow is not None and shadow != result:
                raise Specialized(self.sizes.changed_at(i))
        return result

    def keep_grad_mode(self) -> None:
        """Write down that gradients are switched off, or on again."""
        now = state.modes.grad_enabled
        if now != self.grad_enabled:
            self.grad_enabled = now
            self.place(self.graph.call_function(facula._C._set_grad_enabled, (now,)))

    def wrapped(self, result: Any, node: Node, shadows: list[Any]) -> Any:
        if isinstance(result, Tensor):
            if id(result) in self.known:  # a buffer was changed in place
                node.meta["val"] = Value(result.dtype, list(result.shape), result.device)
                self.known[id(result)] = node
                return result
            if id(result) in self.shells:
                shell = self.shells[id(result)]
                shell.node = node
                shell._array, shell.shadows = result._array, [
                    s if isinstance(s, Tensor) else None for s in shadows] or shell.shadows  # fmt: skip
                shell._node, shell._meta = result._node, result._meta
                node.meta["val"] = Value(result.dtype, list(shell.shape), result.device)
                return shell
            return self.shell(result, node, shadows)
        if isinstance(result, (tuple, list)):
            for i, shadow in enumerate(shadows):
                if shadow is not None and len(shadow) != len(result):  # as many as a size
                    raise Specialized(self.sizes.changed_at(i))
            parts = []
            for i, part in enumerate(result):
                if isinstance(part, (Tensor, tuple, list)):
                    of = self.graph.call_function(operator.getitem, (node, i))
                    self.place(of)
                    part = self.wrapped(part, of, [None if s is None else s[i] for s in shadows])
                parts.append(part)
            return type(result)(*parts) if hasattr(result, "_fields") and not hasattr(type(result), "n_fields") else (
                type(result)(parts))  # fmt: skip
        return result

    def fails_at(self, point: int, error: Exception) -> None:
        """An operator does not take other values of a symbol."""
        symbol = self.sizes.changed_at(point)
        equal = [s for s in self.sizes.symbols if s is not symbol and s.hint == symbol.hint]
        if equal:
            raise Unified(equal[-1], symbol) from error
        raise Specialized(symbol) from error

    # ---- where

    def place(self, node: Node) -> None:
        line = self.user_line()
        if line is not None:
            node.meta["stack_trace"] = line
        node.meta["nn_module_stack"] = dict(self.modules)

    def user_line(self) -> str | None:
        """The line that calls, of the module or of one inside it."""
        frame: Any = sys._getframe(2)
        while frame is not None:
            name = frame.f_code.co_filename
            if "forward" in frame.f_code.co_name and not _is_machinery(name):
                code = linecache.getline(name, frame.f_lineno).strip()
                return f'  File "{name}", line {frame.f_lineno}, in {frame.f_code.co_name}\n    {code}'
            frame = frame.f_back
        return None


_HERE = __file__.rpartition("export")[0]


def _is_machinery(file: str) -> bool:
    return file.startswith(_HERE) and not file.startswith(_HERE + "nn")


