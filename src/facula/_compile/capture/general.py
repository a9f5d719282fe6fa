"""What a capture knows about the sizes that its program is general in; see NOTE [sizes] in ``symbols``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...fx.graph import Graph
from ...fx.node import Node, map_arg
from ..programs import program
from .inputs import Input
from .symbols import Symbol, as_hints, as_nodes


class General:
    """The part of a capture that makes symbols, and writes down what is done with them."""

    graph: Graph
    values: dict[Node, Any]
    inputs: list[Input]

    def __init__(self, sizes: dict[int, tuple[int, ...]] | None = None) -> None:
        self.sizes: dict[int, tuple[int, ...]] = sizes or {}
        """Tensors whose sizes are other ones in other calls, by their id, and in which dimensions they are."""
        self.settled: set[tuple[Node, int]] = set()
        """Sizes of inputs that the program is for one value of after all; -1: a number."""
        self.arguments: dict[int, Node] = {}
        """Numbers among the arguments that are symbols."""
        self._aspects: dict[Any, Node] = {}
        self._compared: dict[Any, Node] = {}
        self._expected: dict[Node, Node] = {}

    def aspect(self, array: Any, what: str, plain: Any) -> Any:
        """Something about the sizes of an array."""
        if what == "memory":  # addresses tell of all sizes
            self._settle_all()
            return plain
        if what == "flags":
            return _Flags(self, array, plain)
        if what == "size":
            found: Any = 1
            for n in array.shape:
                found = n * found
            return found
        known = array.__dict__.get(what)
        if known is None:
            fn = program.size if what == "shape" else program.stride
            dims = array.general if what == "shape" else range(len(plain))
            known = list(plain)
            for d in dims:
                known[d] = Symbol(self, plain[d], None, self._maker(fn, array, d))
            known = array.__dict__[what] = tuple(known)
        return known

    def _maker(self, fn: Callable[..., Any], array: Any, at: Any) -> Callable[[], Node]:
        return lambda: self._aspect(fn, self.node_of(array), at)

    def node_of(self, array: Any) -> Node:
        raise NotImplementedError

    def _aspect(self, fn: Callable[..., Any], node: Node, at: Any) -> Node:
        key = (fn, node, at)
        found = self._aspects.get(key)
        if found is None or found._erased:
            found = self._aspects[key] = self.number_node(fn, (node, at), fn(self.values[node], at))
        return found

    def number_node(self, fn: Callable[..., Any], args: tuple[Any, ...], value: Any) -> Node:
        node = self.graph.create_node("call_function", fn, args)
        node.meta.update(general=True, source=None, hint=value)
        self.values[node] = value
        return node

    def number_made(self, op: Callable[..., Any], args: tuple[Any, ...], hint: Any) -> Symbol:
        """What Python computes from symbols."""
        return Symbol(self, hint, None, lambda: self.number_node(op, as_nodes(args), hint))

    def argument(self, at: int, value: Any) -> Symbol:
        """A number among the arguments that is another one in other calls."""
        node = self._placeholder(np.asarray(value), "n")
        node.meta = {"general": True, "source": None, "hint": value}
        given = Input(value, node, None, False)
        given.argument = at
        self.arguments[at] = node
        self.inputs.append(given)
        self.values[node] = value
        return Symbol(self, value, node)

    def _placeholder(self, array: Any, name: str) -> Node:
        raise NotImplementedError

    def settle(self, symbol: Symbol) -> None:
        """The program is for one value of a number."""
        node = symbol.node
        source = node.args[0] if node.target is program.size else None
        if node.op == "placeholder":
            self.settled.add((node, -1))
        elif isinstance(source, Node) and source.op == "placeholder" and not source.meta.get("tangent"):
            self.settled.add((source, node.args[1]))
        else:
            self._expect(node, symbol.hint)

    def _settle_all(self) -> None:
        for node in [node for node in self.graph.nodes if node.op == "placeholder"]:
            general = node.meta.get("general") or ()
            self.settled.update([(node, d) for d in ((-1,) if general is True else general)])

    def compare(self, op: Callable[..., Any], a: Symbol, b: Any, found: bool) -> None:
        """The program is for calls in which a comparison comes out the same."""
        key = (op, a.node, b.node if type(b) is Symbol else (type(b), b))
        known = self._compared.get(key)
        if a.node is not key[2] and (known is None or known._erased):
            self._compared[key] = self.number_node(op, as_nodes((a, b)), found)
            self._expect(self._compared[key], found)

    def _expect(self, node: Node, found: Any) -> None:
        known = self._expected.get(node)
        if known is None or known._erased:
            self._expected[node] = self.graph.create_node("call_function", program.check, (node, found))

    def reshaped(self, array: Any, shape: Any) -> Any:
        """Another shape of the same memory, or an error; which of them is checked."""
        node, hints = self.node_of(array), as_hints(shape)
        found = program.can_view(array.plain, hints)
        made = self.number_node(program.can_view, (node, as_nodes(shape)), found)
        self._expect(made, found)
        return array.plain.reshape(hints, copy=False)

    def as_operand(self, symbol: Symbol, dtype: Any) -> Any:
        """A number as an operand of a kernel."""
        value = program.as_array(symbol.hint, dtype)
        return self.new(self.called(program.as_array, (symbol.node, dtype), value), value)

    def new(self, node: Node, value: Any) -> Any:
        raise NotImplementedError

    def called(self, target: Any, args: tuple[Any, ...], result: Any) -> Node:
        raise NotImplementedError

    def hints(self, attributes: Any) -> Any:
        """Attributes with what nodes in them come to in this call."""
        return map_arg(attributes, self.values.__getitem__) if self.is_general else attributes

    @property
    def is_general(self) -> bool:
        return bool(self.sizes or self.arguments)


class _Flags:
    """How an array is laid out; what is asked becomes a check."""

    def __init__(self, capture: Any, array: Any, plain: Any) -> None:
        self._capture, self._array, self._plain = capture, array, plain

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._plain, name)
        if name not in ("writeable", "owndata", "aligned"):
            capture = self._capture
            node = capture._aspect(program.flag, capture.node_of(self._array), name)
            capture._expect(node, found)
        return found

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name.lower())
