"""Running a graph node by node, in ways that subclasses choose, and making another graph so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..nn import Module
from ._codegen import last_uses
from ._symbolic_trace import Tracer
from .graph import Graph
from .graph_module import GraphModule
from .node import Argument, Node, Target, map_aggregate, map_arg
from .proxy import GraphAppendingTracer, Proxy
from .traceback import preserve_node_meta, set_current_meta

__all__ = ["Interpreter", "Transformer"]


class Interpreter:
    """Runs a graph. Each kind of node has a method, which a subclass may override.

    Values are let go of after their last use, unless ``garbage_collect_values`` is False; then ``env`` has all.
    """

    def __init__(self, module: Module, garbage_collect_values: bool = True, graph: Graph | None = None) -> None:
        self.module = module
        self.submodules = dict(module.named_modules())
        self.graph: Graph = graph if graph is not None else module.graph
        self.env: dict[Node, Any] = {}
        self.name = "Interpreter"
        self.garbage_collect_values = garbage_collect_values
        self.extra_traceback = True
        self.user_to_last_uses = last_uses(list(self.graph.nodes)) if garbage_collect_values else {}

    def run(self, *args: Any, initial_env: dict[Node, Any] | None = None, enable_io_processing: bool = True) -> Any:
        """Run all nodes and return the value of the output. ``initial_env``: values of nodes that are not run."""
        self.env = initial_env if initial_env is not None else {}
        if enable_io_processing:
            args = self.graph.process_inputs(*args)
        self.args_iter: Iterator[Any] = iter(args)
        for node in self.graph.nodes:
            if node in self.env:
                continue
            try:
                self.env[node] = self.run_node(node)
            except Exception as e:
                if self.extra_traceback:
                    _tell_node(e, node)
                raise
            for done in self.user_to_last_uses.get(node, ()):
                del self.env[done]
            if node.op == "output":
                value = self.env[node]
                return self.graph.process_outputs(value) if enable_io_processing else value
        return None

    def boxed_run(self, args_list: list[Any]) -> Any:
        """Run with the arguments of a list, which is emptied, so that nobody else holds them."""
        if not isinstance(args_list, list):
            raise AssertionError(f"args_list must be a list, got {type(args_list)}")
        placeholders = [n for n in self.graph.nodes if n.op == "placeholder"]
        values = dict(zip(placeholders, args_list))
        args_list.clear()
        return self.run(initial_env=values)

    def run_node(self, n: Node) -> Any:
        """The value of a node: its method, called with its target and the values of its arguments."""
        with set_current_meta(n):
            args, kwargs = self.fetch_args_kwargs_from_env(n)
            if not isinstance(args, tuple):
                raise AssertionError(f"Expected args to be tuple, got {type(args)}")
            return getattr(self, n.op)(n.target, args, kwargs)

    # ---- the kinds of nodes

    def placeholder(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        """The next argument of ``run``, or its default."""
        if not isinstance(target, str):
            raise AssertionError(f"Expected target to be str, got {type(target)}")
        if target.startswith("*"):
            return list(self.args_iter)
        for value in self.args_iter:
            return value
        if args:
            return args[0]
        raise RuntimeError(f"Expected positional argument for parameter {target}, but one was not passed in!")

    def get_attr(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        return self.fetch_attr(target)

    def call_function(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        return target(*args, **kwargs)

    def call_method(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        of, *rest = args
        return getattr(of, target)(*rest, **kwargs)

    def call_module(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        return self.fetch_attr(target)(*args, **kwargs)

    def output(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        return args[0]

    # ---- values

    def fetch_attr(self, target: str) -> Any:
        """What the module has at a path."""
        value: Any = self.module
        parts = target.split(".")
        for i, part in enumerate(parts):
            if not hasattr(value, part):
                raise RuntimeError(f"Node referenced nonexistent target {'.'.join(parts[: i + 1])}")
            value = getattr(value, part)
        return value

    def fetch_args_kwargs_from_env(self, n: Node) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of a node, with values in the place of nodes."""
        return self.map_nodes_to_values(n.args, n), self.map_nodes_to_values(n.kwargs, n)

    def map_nodes_to_values(self, args: Argument, n: Node) -> Any:
        def value(node: Node) -> Any:
            if node not in self.env:
                raise RuntimeError(
                    f"Node {n} referenced nonexistent value {node}! Run Graph.lint() to diagnose such issues"
                )
            return self.env[node]

        return map_arg(args, value)


class _Copying(GraphAppendingTracer, Tracer):
    """Adds to the new graph; modules are called as they were, whatever they are."""

    def __init__(self, graph: Graph) -> None:
        Tracer.__init__(self)
        self.graph = graph
        self.tensor_attrs = {}

    def is_leaf_module(self, m: Any, module_qualified_name: str) -> bool:
        return True


class Transformer(Interpreter):
    """Runs a graph on proxies, and so makes another. Methods that are overridden make other nodes."""

    def __init__(self, module: GraphModule) -> None:
        super().__init__(module)
        self.new_graph = Graph()
        self.new_graph.set_codegen(module.graph._codegen)
        self.tracer = _Copying(self.new_graph)
        self.tracer.root = module

    def placeholder(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Proxy:
        node = self.new_graph.create_node("placeholder", target, args)
        return Proxy(node, self.tracer)

    def get_attr(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Proxy:
        return self.tracer.create_proxy("get_attr", target, args, kwargs)

    def call_module(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        return self.tracer.create_proxy("call_module", target, args, kwargs)

    def call_function(self, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Any]) -> Any:
        return self.tracer.create_proxy("call_function", target, args, kwargs)

    def transform(self) -> GraphModule:
        """The new module."""
        with preserve_node_meta():
            result = super().run(enable_io_processing=False)
        if result is not None:
            old = self.graph.output_node()
            nodes = map_aggregate(result, lambda x: x.node if isinstance(x, Proxy) else x)
            self.new_graph.output(nodes, old.type).meta.update(old.meta)
        return GraphModule(self.module, self.new_graph)


def _tell_node(e: Exception, node: Node) -> None:
    """Add to an error's message which node it was."""
    told = f"While executing {node.format_node()}"
    if e.args and told in str(e.args[0]):
        return
    text = f"{e.args[0]}\n\n{told}" if e.args else told
    e.args = (f"{text}\nOriginal traceback:\n{node.stack_trace}", *e.args[1:])
