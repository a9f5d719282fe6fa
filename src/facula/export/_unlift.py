"""``ExportedProgram.module()``: the program as a module that has its state, and checks its arguments."""

from __future__ import annotations

from typing import Any

from .._core.pytree import TreeSpec, tree_flatten, tree_unflatten
from .._tensor import Tensor
from ..fx._aten import aten
from ..fx._codegen import CodeGen
from ..fx.graph import Graph
from ..fx.graph_module import GraphModule, _assign_attr
from ..fx.node import Node
from ..nn.modules.module import Module
from ._guards import GuardsFn
from .exported_program import ExportedProgram
from .graph_signature import InputKind, OutputKind


class ArgumentsCodeGen(CodeGen):
    """Code that takes positional and keyword arguments apart, and puts the result together."""

    def __init__(self, names: list[str], in_spec: TreeSpec, out_spec: TreeSpec) -> None:
        super().__init__()
        self.names = names
        self.in_spec = in_spec
        self.out_spec = out_spec

    def process_inputs(self, *args: Any) -> Any:
        return tree_flatten((args, {}))[0]

    def process_outputs(self, outputs: Any) -> Any:
        return tree_unflatten(list(outputs), self.out_spec)

    def gen_fn_def(self, free_vars: list[str], maybe_return_annotation: str, *, expanded_def: bool = False) -> str:
        leaves = [name.split(":")[0].split("=")[0].strip() for name in free_vars]
        head = super().gen_fn_def(list(self.names), maybe_return_annotation, expanded_def=expanded_def)
        if not leaves:
            return head
        count = self.in_spec.children_specs[0].num_children
        named = ", ".join(f"'{name}':{name}" for name in self.names[count:])
        given = f"([{', '.join(self.names[:count])}], {{{named}}})"
        return f"{head}\n    {', '.join(leaves)}, = fx_pytree.tree_flatten_spec({given}, self._in_spec)"

    def generate_output(self, output_args: Any, *, descs: Any = None, repr_fn: Any = None) -> str:
        return f"return pytree.tree_unflatten({(repr_fn or repr)(output_args)}, self._out_spec)"


def unlifted(program: ExportedProgram, check_guards: bool) -> GraphModule:
    """The module of a program."""
    in_spec, out_spec = program.call_spec
    signature = program.module_call_graph[0].signature
    assert signature is not None
    root = Module()
    for entry in program.module_call_graph[1:]:
        if any(name.startswith(f"{entry.fqn}.") for name in (*program.state_dict, *program.constants)):
            _inner(root, entry.fqn)
    graph, copies = Graph(), {}
    given: list[Node] = []
    for node, spec in zip(program.graph.nodes, program.graph_signature.input_specs):
        if spec.kind is InputKind.USER_INPUT:
            copies[node] = graph.placeholder(node.target)
            given.append(copies[node])
        else:
            target = spec.target or ""
            _place(root, target, program._tensor(target), spec.persistent is not False)
            copies[node] = graph.get_attr(target)
        copies[node].meta = dict(node.meta)
    if check_guards and program._guards:
        root._guards_fn = GuardsFn(program._guards, program._paths)
        graph.call_module("_guards_fn", tuple(given))
    specs = program.graph_signature.output_specs
    for node in list(program.graph.nodes)[len(program.graph_signature.input_specs) :]:
        if node.op != "output":
            copies[node] = graph.node_copy(node, copies.__getitem__)
            continue
        results = list(node.args[0])
        for result, value in zip(specs, results):
            if result.kind in _WRITTEN:
                _write(graph, program, result, copies[value], copies)
        kept = [copies[value] if isinstance(value, Node) else value for result, value in zip(specs, results)
                if result.kind is OutputKind.USER_OUTPUT]  # fmt: skip
        graph.output(tuple(kept))
    graph.set_codegen(ArgumentsCodeGen(list(signature.forward_arg_names or ()), in_spec, out_spec))
    module = GraphModule(root, graph)
    module._in_spec, module._out_spec = in_spec, out_spec
    module.register_forward_pre_hook(_Checked(in_spec), with_kwargs=True)
    type(module).train = _refuse_train  # type: ignore[method-assign, assignment]
    type(module).eval = _refuse_eval  # type: ignore[method-assign, assignment]
    return module


_WRITTEN = (OutputKind.BUFFER_MUTATION, OutputKind.PARAMETER_MUTATION, OutputKind.USER_INPUT_MUTATION)


def _write(graph: Graph, program: ExportedProgram, spec: Any, value: Node, copies: dict[Node, Node]) -> None:
    names = {s.target if s.target is not None else s.arg.name: s.arg.name for s in program.graph_signature.input_specs}
    into = next(copies[node] for node in program.graph.nodes if node.name == names[spec.target])
    graph.call_function(aten.copy_.default, (into, value), name="copy_")


def _inner(root: Module, path: str) -> Module:
    for part in path.split("."):
        if part not in root._modules:
            root.add_module(part, Module())
        found = root._modules[part]
        assert found is not None
        root = found
    return root


def _place(root: Module, path: str, value: Any, persistent: bool) -> None:
    prefix, _, name = path.rpartition(".")
    holder = _inner(root, prefix) if prefix else root
    if isinstance(value, Tensor) and type(value) is Tensor:
        holder.register_buffer(name, value, persistent)
    else:
        _assign_attr(value, root, path)


def _refuse_train(self: Any, mode: bool = True) -> None:
    raise NotImplementedError("Calling train() is not supported yet.")


def _refuse_eval(self: Any, mode: bool = True) -> None:
    raise NotImplementedError("Calling eval() is not supported yet.")


class _Checked:
    """Arguments must be nested as those of the example were."""

    def __init__(self, in_spec: TreeSpec) -> None:
        self.in_spec = in_spec
        self.names = list(in_spec.children_specs[1].context)

    def __call__(self, module: Any, args: Any, kwargs: Any) -> Any:
        if set(kwargs) != set(self.names):
            raise ValueError(
                f"Ran into a kwarg keyword mismatch: Got the following keywords {list(kwargs)} but expected "
                f"{self.names}"
            )
        kwargs = {name: kwargs[name] for name in self.names}
        found = tree_flatten((args, kwargs))[1]
        if found != self.in_spec:
            raise ValueError(
                f"Trying to flatten user inputs with exported input tree spec: \n{self.in_spec}\nbut actually got "
                "inputs "
                f"with tree spec of: \n{found}.\nPlease check that the inputs have the same number and type of args "
                "and "
                "kwargs as the ones you used when tracing."
            )
        return args, kwargs
