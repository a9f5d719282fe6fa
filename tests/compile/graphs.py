"""Graphs made by hand, for tests of passes and back ends: each node is run as it is added, so that shapes are known."""

from __future__ import annotations

import importlib
import operator
import pkgutil
from typing import Any

import numpy as np

from facula import ops
from facula._compile.programs import program
from facula._core import quiet
from facula.fx.graph import Graph
from facula.fx.node import Node
from facula.ops.machine.elementwise import Elementwise
from facula.ops.machine.primitive import REGISTRY


class Builder:
    """``b.input("x", array)``, ``b.call("mul", x, y)``, then ``b.program([out])``; ``b.values`` are NumPy's results."""

    def __init__(self) -> None:
        self.graph = Graph()
        self.values: dict[Node, Any] = {}

    def _known(self, node: Node, value: Any, name: str | None = None) -> Node:
        if isinstance(value, (tuple, list)):
            node.meta = {"source": None, "name": name}
        else:
            value = np.asarray(value)
            strides = tuple([s // value.itemsize for s in value.strides])
            node.meta = {"shape": value.shape, "dtype": value.dtype, "strides": strides, "source": None, "name": name}
        self.values[node] = value
        return node

    def input(self, name: str, value: Any) -> Node:
        return self._known(self.graph.placeholder(name), value, name)

    def inputs(self, **arrays: Any) -> list[Node]:
        return [self.input(name, value) for name, value in arrays.items()]

    @property
    def arrays(self) -> list[Any]:
        return [np.copy(self.values[node], order="K") for node in self.graph.nodes if node.op == "placeholder"]

    def call(self, name: str, *args: Any) -> Node:
        op = REGISTRY[name]
        given = [self._real(arg) for arg in args]
        if isinstance(op, Elementwise) and op.promote != "compare":
            k = len(op.tensor_names)
            dtype = np.result_type(*given[:k])
            given[:k] = [np.asarray(x, dtype) for x in given[:k]]
        token = quiet.begin()
        try:
            value = op.kernel(*given)
        finally:
            quiet.end(token)
        return self._known(self.graph.call_function(op, args), value)

    def item(self, node: Node, i: int) -> Node:
        return self._known(self.graph.call_function(operator.getitem, (node, i)), self.values[node][i])

    def check(self, node: Node) -> Node:
        made = self.graph.call_function(program.check, (node, self.values[node].item()))
        made.meta = {"source": None, "name": None}
        return made

    def _real(self, arg: Any) -> Any:
        if isinstance(arg, Node):
            return self.values[arg]
        return type(arg)([self._real(part) for part in arg]) if isinstance(arg, (tuple, list)) else arg

    def program(self, outputs: list[Node], commits: dict[int, int] | None = None) -> program.Program:
        self.graph.output(tuple(outputs))
        return program.Program(self.graph, commits)


def all_operators() -> None:
    """Load every family: ``import facula`` loads none."""
    for module in pkgutil.walk_packages(ops.__path__, "facula.ops."):
        importlib.import_module(module.name)
