"""``run_decompositions``: a program whose operators write nowhere.

What was written into memory becomes a new value of it. A view of memory is made anew from that value when it is next
looked at; what is written through a view is put into the value that it is a view of.
"""

from __future__ import annotations

import operator
from itertools import pairwise
from typing import Any

import facula

from ..fx._aten import aten
from ..fx.graph import Graph
from ..fx.graph_module import GraphModule
from ..fx.node import Node, map_arg
from ..nn.modules.module import Module
from .exported_program import ExportedProgram
from .graph_signature import ExportGraphSignature, InputKind, OutputKind, OutputSpec, TensorArgument

_VIEWS = frozenset("select slice unsqueeze squeeze transpose permute t view detach alias diagonal expand".split())
_SCATTERED = frozenset("select slice diagonal".split())


def functional(program: ExportedProgram, table: Any = None) -> ExportedProgram:
    """The same program without writes."""
    if table:
        program = _replaced(program, table)
    return _Functional(program).program()


def _replaced(program: ExportedProgram, table: Any) -> ExportedProgram:
    """Operators by what a table says that they are made of: the program is exported again."""
    from ._trace import export_module  # loaded when first used

    if program.range_constraints or program.example_inputs is None:
        raise NotImplementedError("a decomp_table is for programs of fixed sizes that have their example inputs")
    module = program.module(check_guards=False)
    for node in module.graph.nodes:
        if node.op == "call_function" and node.target in table:
            node.target = table[node.target]
    module.recompile()
    args, kwargs = program.example_inputs
    return export_module(module, args, kwargs, None)


class _Functional:
    def __init__(self, program: ExportedProgram) -> None:
        self.old = program
        self.graph = Graph()
        self.new: dict[Node, Any] = {}
        """The node of a value, as it was last seen."""
        self.views: dict[Node, tuple[Node, Any, tuple[Any, ...]]] = {}
        """What a value is a view of, by which operator and arguments."""
        self.versions: dict[Node, int] = {}
        """How often memory was written to."""
        self.seen: dict[Node, int] = {}
        self.written: dict[Node, None] = {}

    def program(self) -> ExportedProgram:
        for node in self.old.graph.nodes:
            if node.op == "output":
                return self._finished(node)
            if node.op == "placeholder":
                self._keep(node, self.graph.placeholder(node.target))
            else:
                self._call(node)
        raise AssertionError("a graph without output")

    def _keep(self, node: Node, new: Any) -> None:
        self.new[node] = new
        self.seen[node] = self.versions.get(self._base(node), 0)
        if isinstance(new, Node):
            new.meta.update(node.meta)

    def _base(self, node: Node) -> Node:
        while node in self.views:
            node = self.views[node][0]
        return node

    def value(self, node: Node) -> Any:
        """A value as it is now."""
        version = self.versions.get(self._base(node), 0)
        if self.seen[node] != version and node in self.views:
            of, target, rest = self.views[node]
            self._keep(node, self.graph.call_function(target, (self.value(of), *rest), name=_name(target)))
        return self.new[node]

    def _call(self, node: Node) -> None:
        name = _name(node.target)
        args = map_arg(node.args, self.value)
        kwargs = {key: map_arg(v, self.value) for key, v in node.kwargs.items()}
        if name == "lift_fresh_copy":
            self._keep(node, self.graph.call_function(aten.clone.default, args, name="clone"))
        elif name in ("detach_", "contiguous_") or node.target is facula._C._set_grad_enabled:
            self._same(node)
        elif name == "batch_norm" and node.args[5] and node.args[3] is not None:
            self._batch_norm(node, args)
        elif name.endswith("_") and not name.endswith("__"):
            self._write(node, name, args, kwargs)
        else:
            self._keep(node, self.graph.call_function(node.target, args, kwargs, name=name))
            if name in _VIEWS and isinstance(node.args[0], Node):
                self.views[node] = (node.args[0], node.target, tuple(args[1:]))
                self.seen[node] = self.versions.get(self._base(node), 0)

    def _same(self, node: Node) -> None:
        if node.args and isinstance(node.args[0], Node):
            self.views[node] = (node.args[0], aten.alias.default, ())
            self._keep(node, self.value(node.args[0]))
        else:
            self.new[node], self.seen[node] = None, 0

    def _write(self, node: Node, name: str, args: tuple[Any, ...], kwargs: Any) -> None:
        into, plain = node.args[0], name[:-1]
        if name == "copy_" and _looks(node.args[1]) == _looks(into):
            value = args[1]
        elif name in ("zero_", "fill_"):
            what = args[1] if name == "fill_" else 0
            value = self.graph.call_function(aten.full_like.default, (args[0], what), name="full_like")
        elif name == "copy_":
            value = self.graph.call_function(aten.copy.default, args, name="copy")
        elif name in ("uniform_", "normal_", "bernoulli_", "random_", "exponential_") or not hasattr(aten, plain):
            raise NotImplementedError(f"{node.target} has no form here that writes nowhere")
        else:
            overload = getattr(getattr(aten, plain), node.target.__name__.partition(".")[2])
            value = self.graph.call_function(overload, args, kwargs, name=plain)
        if isinstance(value, Node) and "val" not in value.meta:
            value.meta.update(node.meta)
        self._put(into, value)
        self.views[node] = (into, aten.alias.default, ())
        self._keep(node, value)

    def _put(self, node: Any, value: Any) -> None:
        """Memory has another value from now on, where a node looks at it."""
        chain = [node]
        while chain[-1] in self.views:
            chain.append(self.views[chain[-1]][0])
        befores = {n: self.value(n) for n in chain[1:]}
        base = chain[-1]
        self.versions[base] = self.versions.get(base, 0) + 1
        self.written[base] = None
        self._set(node, value)
        for inner, outer in pairwise(chain):
            _, target, rest = self.views[inner]
            value = self._into(befores[outer], outer, _name(target), rest, value)
            self._set(outer, value)

    def _set(self, node: Node, value: Any) -> None:
        self.new[node] = value
        self.seen[node] = self.versions[self._base(node)]

    def _into(self, whole: Any, outer: Node, name: str, rest: tuple[Any, ...], part: Any) -> Any:
        """The value of a whole, a view of which has become another one."""
        if name in ("alias", "detach"):
            return part
        if name in _SCATTERED:
            target = getattr(aten, f"{name}_scatter").default
            made = self.graph.call_function(target, (whole, part, *rest), name=f"{name}_scatter")
        elif name in ("transpose", "t"):
            target = aten.transpose.int if rest else aten.t.default
            made = self.graph.call_function(target, (part, *rest), name=name)
        elif name == "permute":
            back = [rest[0].index(d) for d in range(len(rest[0]))]
            made = self.graph.call_function(aten.permute.default, (part, back), name="permute")
        elif name in ("unsqueeze", "squeeze", "view"):
            shape = [n if isinstance(n, int) else -1 for n in outer.meta["val"].shape]
            made = self.graph.call_function(aten.reshape.default, (part, shape), name="reshape")
        else:
            raise NotImplementedError(f"a write through {name}() has no form here that writes nowhere")
        made.meta.update(outer.meta)
        return made

    def _batch_norm(self, node: Node, args: tuple[Any, ...]) -> None:
        target = aten._native_batch_norm_legit_functional.default
        made = self.graph.call_function(target, args[:8], name="_native_batch_norm_legit_functional")
        parts = {i: self.graph.call_function(operator.getitem, (made, i)) for i in (0, 3, 4)}
        for i, at in ((3, 3), (4, 4)):
            buffer: Any = node.args[at]
            parts[i].meta.update(buffer.meta)
            self._put(buffer, parts[i])
        self._keep(node, parts[0])

    def _finished(self, output: Node) -> ExportedProgram:
        signature = self.old.graph_signature
        results: list[Any] = []
        specs: list[OutputSpec] = []
        kinds = {
            InputKind.BUFFER: OutputKind.BUFFER_MUTATION, InputKind.PARAMETER: OutputKind.PARAMETER_MUTATION,
            InputKind.USER_INPUT: OutputKind.USER_INPUT_MUTATION,
        }  # fmt: skip
        for node, spec in zip(self.old.graph.nodes, signature.input_specs):
            if node in self.written and spec.kind in kinds:
                value = self.value(node)
                results.append(value)
                specs.append(OutputSpec(kinds[spec.kind], TensorArgument(value.name), spec.target or spec.arg.name))
        for result, value in zip(signature.output_specs, output.args[0]):
            found = self.value(value) if isinstance(value, Node) else value
            results.append(found)
            arg = type(result.arg)(found.name) if isinstance(found, Node) else result.arg
            specs.append(OutputSpec(result.kind, arg, result.target))
        self.graph.output(tuple(results))
        for node in reversed(list(self.graph.nodes)):
            if not node.users and node.op == "call_function" and not node.is_impure():
                self.graph.erase_node(node)
        self.graph.lint()
        module = GraphModule(Module(), self.graph)
        return self.old._update(module, ExportGraphSignature(list(signature.input_specs), specs))


def _name(target: Any) -> str:
    found = target.__name__ if hasattr(target, "overloadpacket") else getattr(target, "__name__", "")
    return str(found).partition(".")[0]


def _looks(value: Any) -> Any:
    known = value.meta.get("val") if isinstance(value, Node) else None
    return None if known is None else (known.dtype, [str(n) for n in known.shape])
