"""A program as a list of nodes."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from . import _names
from ._codegen import CodeGen, PythonCode
from ._namespace import _Namespace, snake_case
from ._table import table
from .node import Argument, Node, Target, map_aggregate, map_arg

if TYPE_CHECKING:
    from .graph_module import GraphModule

__all__ = ["CodeGen", "Graph", "PythonCode"]

_NONE_GIVEN: Any = object()


class _node_list:
    """The nodes of a graph, in order. The graph may be changed while they are gone through."""

    def __init__(self, graph: Graph, direction: str = "_next") -> None:
        self.graph = graph
        self.direction = direction

    def __len__(self) -> int:
        return self.graph._len

    def __iter__(self) -> Iterator[Node]:
        node = getattr(self.graph._root, self.direction)
        while node is not self.graph._root:
            if not node._erased:
                yield node
            node = getattr(node, self.direction)

    def __reversed__(self) -> _node_list:
        return _node_list(self.graph, "_prev" if self.direction == "_next" else "_next")


class _InsertPoint:
    """Where new nodes go, until it is left."""

    def __init__(self, graph: Graph, insert: Callable[[Node], None]) -> None:
        self.graph = graph
        self.before = graph._insert
        graph._insert = insert

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        self.graph._insert = self.before


class Graph:
    """A program as a list of nodes: placeholders first, the output last."""

    def __init__(
        self, owning_module: GraphModule | None = None, tracer_cls: Any = None,
        tracer_extras: dict[str, Any] | None = None,
    ) -> None:  # fmt: skip
        self._len = 0
        self._order: dict[Node, int] | None = None
        self._root = Node(self, "", "root", "", (), {})
        self._insert: Callable[[Node], None] = self._root.prepend
        self._graph_namespace = _Namespace()
        self._owning_module: Any = owning_module
        self._tracer_cls = tracer_cls
        self._tracer_extras = tracer_extras
        self._codegen = CodeGen()
        self._traced_from: str | None = None
        """The function that was traced: ``file:line in name``."""

    @property
    def owning_module(self) -> GraphModule | None:
        """The module that runs this graph; the last one that was given it."""
        owner: GraphModule | None = self._owning_module
        return owner

    @owning_module.setter
    def owning_module(self, mod: GraphModule | None) -> None:
        self._owning_module = mod

    # ---- nodes

    @property
    def nodes(self) -> _node_list:
        return _node_list(self)

    def output_node(self) -> Node:
        """The last node, which tells what is returned."""
        last = self._root._prev
        if last.op != "output":
            raise AssertionError(f"Expected output node, got op={last.op}")
        return last

    def find_nodes(self, *, op: str, target: Target | None = None, sort: bool = True) -> list[Node]:
        """The nodes of a kind, and with a target."""
        if op == "call_function" and target is None:
            raise AssertionError("target must not be None for call_function op")
        return [n for n in self.nodes if n.op == op and (target is None or n.target == target)]

    def _moved(self) -> None:
        self._order = None

    def _positions(self) -> dict[Node, int]:
        if self._order is None:
            self._order = {node: i for i, node in enumerate(self.nodes)}
        return self._order

    def create_node(
        self, op: str, target: Target, args: tuple[Argument, ...] | None = None,
        kwargs: dict[str, Argument] | None = None, name: str | None = None, type_expr: Any = None,
    ) -> Node:  # fmt: skip
        """Add a node where nodes are added now: at the end, or see ``inserting_before``."""
        args = () if args is None else args
        kwargs = {} if kwargs is None else kwargs
        if not isinstance(args, tuple):
            raise AssertionError(f"args must be a tuple, got {type(args)}")
        if not isinstance(kwargs, dict):
            raise AssertionError(f"kwargs must be a dict, got {type(kwargs)}")
        name = self._graph_namespace.create_name(name or self._target_to_str(target), None)
        node = Node(self, name, op, target, args, kwargs, type_expr)
        self._graph_namespace.associate_name_with_obj(name, node)
        self._insert(node)
        self._len += 1
        return node

    def _target_to_str(self, target: Target | None) -> str:
        if not callable(target) and not isinstance(target, str):
            raise AssertionError(f"Expected target to be str, got {type(target)}")
        name = target if isinstance(target, str) else _names.short_name(target)
        if name.startswith("__") and name.endswith("__") and len(name) > 4:
            name = name[2:-2]
        return snake_case(name)

    def placeholder(self, name: str, type_expr: Any = None, default_value: Any = _NONE_GIVEN) -> Node:
        """A parameter of the program."""
        args = () if default_value is _NONE_GIVEN else (default_value,)
        return self.create_node("placeholder", name, args=args, type_expr=type_expr)

    def get_attr(self, qualified_name: str, type_expr: Any = None) -> Node:
        """A parameter, buffer or other attribute of the module."""
        if not isinstance(qualified_name, str):
            raise AssertionError(f"Expected target to be str, got {type(qualified_name)}")
        if self.owning_module is not None and not _has_attribute(self.owning_module, qualified_name):
            warnings.warn(
                "Attempted to insert a get_attr Node with no underlying reference in the owning GraphModule! Call "
                "GraphModule.add_submodule to add the necessary submodule, GraphModule.add_parameter to add the "
                "necessary Parameter, or nn.Module.register_buffer to add the necessary buffer",
                stacklevel=2,
            )
        return self.create_node("get_attr", qualified_name, type_expr=type_expr)

    def call_module(
        self, module_name: str, args: tuple[Argument, ...] | None = None, kwargs: dict[str, Argument] | None = None,
        type_expr: Any = None,
    ) -> Node:  # fmt: skip
        if self.owning_module is not None and not _has_attribute(self.owning_module, module_name):
            warnings.warn(
                "Attempted to insert a call_module Node with no underlying reference in the owning GraphModule! Call "
                "GraphModule.add_submodule to add the necessary submodule",
                stacklevel=2,
            )
        return self.create_node("call_module", module_name, args, kwargs, type_expr=type_expr)

    def call_method(
        self, method_name: str, args: tuple[Argument, ...] | None = None, kwargs: dict[str, Argument] | None = None,
        type_expr: Any = None,
    ) -> Node:  # fmt: skip
        return self.create_node("call_method", method_name, args, kwargs, type_expr=type_expr)

    def call_function(
        self, the_function: Callable[..., Any], args: tuple[Argument, ...] | None = None,
        kwargs: dict[str, Argument] | None = None, type_expr: Any = None, name: str | None = None,
    ) -> Node:  # fmt: skip
        return self.create_node("call_function", the_function, args, kwargs, name=name, type_expr=type_expr)

    def output(self, result: Argument, type_expr: Any = None) -> Node:
        """What the program returns."""
        return self.create_node("output", "output", args=(result,), type_expr=type_expr)

    # ---- changing it

    def inserting_before(self, n: Node | None = None) -> _InsertPoint:
        """New nodes go before ``n`` (before all, if it is None) from now on, or inside ``with`` only."""
        if n is None:
            return _InsertPoint(self, lambda new: self._root._next.prepend(new))
        if n.graph is not self:
            raise AssertionError("Node to insert before is not in graph.")
        return _InsertPoint(self, n.prepend)

    def inserting_after(self, n: Node | None = None) -> _InsertPoint:
        """New nodes go after ``n`` (after all, if it is None) from now on, or inside ``with`` only."""
        if n is None:
            return _InsertPoint(self, self._root.prepend)
        if n.graph is not self:
            raise AssertionError("Node to insert after is not in graph.")
        return _InsertPoint(self, n.append)

    def erase_node(self, to_erase: Node) -> None:
        """Take out a node that nobody uses."""
        if to_erase.users:
            raise RuntimeError(
                f"Tried to erase Node {to_erase} but it still had {len(to_erase.users)} users in the graph: "
                f"{to_erase.users}!"
            )
        if to_erase.graph is not self:
            raise RuntimeError(f"Attempting to remove {to_erase} from wrong graph!")
        if to_erase._erased:
            warnings.warn(f"erase_node({to_erase}) on an already erased node", stacklevel=2)
            return
        to_erase._remove_from_list()
        to_erase._erased = True
        self._len -= 1
        self._moved()
        to_erase._update_args_kwargs((), {})

    def node_copy(self, node: Node, arg_transform: Callable[[Node], Argument] = lambda x: x) -> Node:
        """A node like one of another graph. ``arg_transform`` tells which nodes here stand for those there."""
        args = map_arg(node.args, arg_transform)
        kwargs = map_arg(node.kwargs, arg_transform)
        if not isinstance(args, tuple):
            raise AssertionError(f"Expected args to be tuple, got {type(args)}")
        new = self.create_node(node.op, node.target, args, dict(kwargs), node.name, node.type)
        new.meta = copy.copy(node.meta)
        return new

    def graph_copy(self, g: Graph, val_map: dict[Node, Node], return_output_node: bool = False) -> Argument | None:
        """Add copies of all nodes of another graph but its output, and return what that would return.

        ``val_map`` is filled with which node is the copy of which; nodes that are in it before are not copied.
        """
        for node in g.nodes:
            if node in val_map:
                continue
            if node.op == "output":
                result = map_arg(node.args[0], lambda n: val_map[n])
                return (result, node) if return_output_node else result
            val_map[node] = self.node_copy(node, lambda n: val_map[n])
        return None

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Graph:
        """A copy with the same targets; what nodes know (``meta``) is shared."""
        g = Graph(tracer_cls=self._tracer_cls, tracer_extras=self._tracer_extras)
        g._traced_from = self._traced_from
        copies: dict[Node, Node] = {}
        found = g.graph_copy(self, copies, return_output_node=True)
        g._codegen = copy.deepcopy(self._codegen)
        if found is not None:
            result, old = found
            new = g.output(result, old.type)
            new.meta = copy.copy(old.meta)
            copies[old] = new
        if memo is not None:
            memo.update({id(old): new for old, new in copies.items()})
            memo[id(self)] = g
        return g

    def eliminate_dead_code(self, is_impure_node: Callable[[Node], bool] | None = None) -> bool:
        """Take out what nobody uses and what does nothing else; returns whether there was any."""
        self.lint()
        found = False
        for node in reversed(self.nodes):
            impure = node.is_impure() if is_impure_node is None else is_impure_node(node)
            if not impure and not node.users:
                self.erase_node(node)
                found = True
        return found

    def lint(self) -> None:
        """Raise if something is wrong: an argument that comes later, a name or a target that is not there."""
        names: set[str] = set()
        seen: set[Node] = set()

        def check(arg: Node, user: Node) -> None:
            if arg.graph is not self:
                raise RuntimeError(
                    f"Argument '{arg}' of Node '{user}' does not belong to this Graph, but was used as an argument! If "
                    "you are copying nodes from another graph, make sure to use ``arg_transform`` on node_copy() to "
                    f"remap values\n{self}"
                )
            if arg not in seen:
                raise RuntimeError(
                    f"Argument '{arg}' of Node '{user}' was used before it has been defined! Please check that Nodes "
                    f"in the graph are topologically ordered\n{self}"
                )

        for node in self.nodes:
            for argument in node._input_nodes:
                check(argument, node)
            seen.add(node)
            if node.name in names:
                raise RuntimeError(f"Node redefined name {node.name}!")
            names.add(node.name)
        if self.owning_module is not None:
            for node in self.nodes:
                if node.op in ("get_attr", "call_module"):
                    _check_target(self.owning_module, node)

    # ---- code and text

    def set_codegen(self, codegen: CodeGen) -> None:
        self._codegen = codegen

    def on_generate_code(self, make_transformer: Callable[[Any], Any]) -> Any:
        """Have a function change the lines of the code. ``make_transformer`` gets the one that was there before.

        It stays, or is there inside ``with`` only.
        """
        before = self._codegen._body_transformer
        self._codegen._body_transformer = make_transformer(before)

        @contextmanager
        def until_left() -> Iterator[None]:
            try:
                yield
            finally:
                self._codegen._body_transformer = before

        return until_left()

    def process_inputs(self, *args: Any) -> Any:
        return self._codegen.process_inputs(*args)

    def process_outputs(self, out: Any) -> Any:
        return self._codegen.process_outputs(out)

    def python_code(self, root_module: str, **style: Any) -> PythonCode:
        """The program as a function ``forward``; ``root_module`` is how it calls the module."""
        namespace = _Namespace()
        return self._codegen._gen_python_code(self.nodes, root_module, namespace, **style)

    def __str__(self) -> str:
        return "".join(["graph():", *(f"\n    {node.format_node()}" for node in self.nodes)])

    def print_tabular(self) -> None:
        """Print the nodes as a table."""
        rows = [[node.op, node.name, node.target, node.args, node.kwargs] for node in self.nodes]
        print(table("opcode name target args kwargs".split(), rows))

    # ---- pickling

    def __getstate__(self) -> dict[str, Any]:
        return {
            **{name: value for name, value in vars(self).items() if name in _KEPT},
            "nodes": [
                (n.op, n.name, _names.Reference.to(n.target), *_numbered((n.args, n.kwargs), self), n.type, n.meta)
                for n in self.nodes
            ],
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        Graph.__init__(self)
        vars(self).update({name: value for name, value in state.items() if name in _KEPT})
        made: list[Node] = []
        for op, name, target, args, kwargs, kind, meta in state["nodes"]:
            node = self.create_node(
                op, target, _by_number(args, made), dict(_by_number(kwargs, made)), name, kind
            )
            node.meta = meta
            made.append(node)


_KEPT = ("_tracer_cls", "_tracer_extras", "_codegen", "_traced_from")


class _Numbered:
    """A node, while its graph is pickled."""

    def __init__(self, number: int) -> None:
        self.number = number


def _numbered(args: Any, graph: Graph) -> Any:
    return map_arg(args, lambda n: _Numbered(graph._positions()[n]))


def _by_number(args: Any, nodes: list[Node]) -> Any:
    return map_aggregate(args, lambda x: nodes[x.number] if isinstance(x, _Numbered) else x)


def _has_attribute(module: Any, path: str) -> bool:
    for part in path.split("."):
        if not hasattr(module, part):
            return False
        module = getattr(module, part)
    return True


def _check_target(module: Any, node: Node) -> None:
    at = ""
    for part in node.target.split("."):
        if not hasattr(module, part):
            raise RuntimeError(f"Node {node} target {node.target} references nonexistent attribute {part} of {at}")
        module = getattr(module, part)
        at = f"{at}.{part}" if at else part
