"""Files of exported programs: a zip archive with the graph as JSON, and all tensors as ``facula.save`` writes them.

Nothing in a file is believed: the graph may only call operators, records are not compressed, and tensors are read as
``load(weights_only=True)`` reads them.
"""

from __future__ import annotations

import io
import json
import operator
import zipfile
from collections import OrderedDict
from typing import Any

import facula

from .._core.pytree import LEAF, TreeSpec, tree_flatten, tree_unflatten
from .._tensor import Tensor
from ..fx import _aten, _names
from ..fx.graph import Graph
from ..fx.graph_module import GraphModule
from ..fx.node import Node
from ..nn.modules.module import Module
from ..ops.machine.public import FUNCTIONS
from ..return_types import Result
from . import graph_signature
from ._capture import Value
from .exported_program import VR, ExportedProgram, ModuleCallEntry, ModuleCallSignature
from .graph_signature import ExportGraphSignature, InputKind, InputSpec, OutputKind, OutputSpec

_GRAPH, _TENSORS, _EXTRA = "program.json", "tensors.pt", "extra/"
_PYTHON = "add floordiv getitem mod mul pow sub truediv".split()
_BESIDES = frozenset("""
    _native_batch_norm_legit_functional alias copy cross_entropy_loss index item lift_fresh_copy nll_loss_nd slice
    sym_size sym_stride
""".split())
"""Operators that have no signature in the table."""
_CONTAINERS: dict[str, Any] = {"tuple": tuple, "list": list, "dict": dict, "OrderedDict": OrderedDict}
CLASSES: dict[str, type] = {}
"""Those that ``register_dataclass`` has made containers of."""


class Spoken(str):
    """A size that depends on others, as it is printed."""

    sizes = None
    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def write(program: ExportedProgram, file: Any, extra_files: dict[str, Any] | None) -> None:
    """Write a program to a path or a file."""
    tensors: dict[str, Any] = {"state": program.state_dict, "constants": program.constants, "inputs": []}
    told = _Writer(program, tensors).told()
    kept = io.BytesIO()
    facula.save(tensors, kept)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(_GRAPH, json.dumps(told))
        archive.writestr(_TENSORS, kept.getvalue())
        for name, content in (extra_files or {}).items():
            archive.writestr(_EXTRA + name, content if isinstance(content, bytes) else str(content).encode())


def read(file: Any, extra_files: dict[str, Any] | None) -> ExportedProgram:
    """Read a program from a path or a file."""
    with zipfile.ZipFile(file) as archive:
        for record in archive.infolist():
            if record.compress_type != zipfile.ZIP_STORED or record.file_size != record.compress_size:
                raise RuntimeError(f"the record {record.filename!r} is compressed, which records of programs are not")
        try:
            told = json.loads(archive.read(_GRAPH))
            tensors = facula.load(io.BytesIO(archive.read(_TENSORS)), weights_only=True)
            program = _Reader(told, tensors).program()
        except (KeyError, IndexError, ValueError, TypeError, AttributeError, RecursionError) as error:
            raise RuntimeError(f"this is no file of an exported program: {type(error).__name__}: {error}") from error
        for name in extra_files or ():
            extra_files[name] = archive.read(_EXTRA + name).decode()  # type: ignore[index]
    return program


# ---- values


def _plain(value: Any) -> Any:
    """A value of a graph in JSON's words."""
    if value is None or (isinstance(value, (bool, int, str)) and type(value) in (bool, int, str)):
        return value
    if type(value) is float:
        return value if value == value and abs(value) != float("inf") else {"float": repr(value)}
    if isinstance(value, Node):
        return {"node": value.name}
    if isinstance(value, (tuple, list)):
        items = [_plain(v) for v in value]
        return {"tuple": items} if isinstance(value, tuple) else items
    if isinstance(value, dict):
        return {"dict": [[_plain(k), _plain(v)] for k, v in value.items()]}
    if isinstance(value, slice):
        return {"slice": [_plain(v) for v in (value.start, value.stop, value.step)]}
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    for kind in ("dtype", "device", "layout", "memory_format"):
        if isinstance(value, getattr(facula, kind)):
            return {kind: str(value).removeprefix("torch.")}
    raise ValueError(f"a program with {value!r} in it cannot be written to a file")


def _value(told: Any, nodes: dict[str, Node]) -> Any:
    if isinstance(told, list):
        return [_value(v, nodes) for v in told]
    if not isinstance(told, dict):
        return told
    ((kind, inner),) = told.items()
    if kind == "node":
        return nodes[inner]
    if kind == "tuple":
        return tuple([_value(v, nodes) for v in inner])
    if kind == "dict":
        return {_value(k, nodes): _value(v, nodes) for k, v in inner}
    if kind == "slice":
        return slice(*[_value(v, nodes) for v in inner])
    if kind == "float":
        return {"inf": float("inf"), "-inf": float("-inf"), "nan": float("nan")}[inner]
    if kind == "complex":
        return complex(*inner)
    if kind == "device":
        return facula.device(str(inner))
    if kind in ("dtype", "layout", "memory_format"):
        found = getattr(facula, str(inner))
        if isinstance(found, getattr(facula, kind)):
            return found
    raise ValueError(f"{kind} is no kind of value")


def _target(target: Any) -> str:
    packet = getattr(target, "overloadpacket", None)
    if packet is not None:
        return f"{target._qualified_op_name}"
    if target in [getattr(operator, name) for name in _PYTHON]:
        return f"operator.{target.__name__}"
    if target is facula._C._set_grad_enabled:
        return "torch._C._set_grad_enabled"
    name = _names.of_facula(target)
    if name is not None and _public(name) is target:
        return name
    raise ValueError(f"a program that calls {target} cannot be written to a file")


def _public(name: str) -> Any:
    """A function of facula's by its public name, if it is an operator."""
    place, _, last = name.rpartition(".")
    if place == "torch" and last in FUNCTIONS and last not in ("load", "save", "from_file"):
        return FUNCTIONS[last]
    if place in ("torch.nn.functional", "torch._C._nn") and last in facula.nn.functional.__all__:
        return getattr(facula.nn.functional, last)
    return None


def _called(name: str) -> Any:
    """What a node of a file calls: an operator, or the file is refused."""
    if "::" in name:
        namespace, _, rest = name.partition("::")
        op, _, overload = rest.partition(".")
        is_known = namespace == "prims" or op in _BESIDES or op in _aten._schemas()
        if namespace == "aten" and (not is_known or op == "from_file"):
            raise ValueError(f"{name} is no operator of programs")
        if op.startswith("__") or overload.startswith("_"):
            raise ValueError(f"{name} is no operator of programs")
        return getattr(getattr(getattr(facula.ops, namespace), op), overload or "default")
    if name.startswith("operator.") and name.removeprefix("operator.") in _PYTHON:
        return getattr(operator, name.removeprefix("operator."))
    found = facula._C._set_grad_enabled if name == "torch._C._set_grad_enabled" else _public(name)
    if found is None:
        raise ValueError(f"{name} is no operator of programs")
    return found


def _spec(spec: TreeSpec | None) -> Any:
    if spec is None or spec.is_leaf():
        return None
    if issubclass(spec.type, Result):
        return [f"return_types.{spec.type.__name__}", None, [_spec(child) for child in spec.children_specs]]
    name = next((name for name, cls in (*_CONTAINERS.items(), *CLASSES.items()) if cls is spec.type), None)
    if name is None:
        raise ValueError(f"a program with {spec.type} among its arguments or results cannot be written to a file")
    return [name, _plain(spec.context), [_spec(child) for child in spec.children_specs]]


def _spec_of(told: Any) -> TreeSpec:
    if told is None:
        return LEAF
    name, context, children = told
    if name.startswith("return_types."):
        cls = getattr(facula.return_types, name.removeprefix("return_types."))
        if not issubclass(cls, Result):
            raise ValueError(f"{name} is no container")
        return TreeSpec(cls, cls, [_spec_of(child) for child in children])
    cls = _CONTAINERS.get(name) or CLASSES[name]
    return TreeSpec(cls, _value(context, {}), [_spec_of(child) for child in children])


def _described(value: Any) -> Any:
    if isinstance(value, Value):
        shape = [n if type(n) is int else str(n) for n in value.shape]
        return {"tensor": [str(value.dtype).removeprefix("torch."), shape]}
    return {"number": str(value)} if hasattr(value, "sizes") else None


class _Writer:
    def __init__(self, program: ExportedProgram, tensors: dict[str, Any]) -> None:
        self.program = program
        self.tensors = tensors

    def told(self) -> dict[str, Any]:
        program, signature = self.program, self.program.graph_signature
        return {
            "version": 1,
            "nodes": [self._node(node) for node in program.graph.nodes],
            "inputs": [[s.kind.name, *self._argument(s.arg), s.target, s.persistent] for s in signature.input_specs],
            "outputs": [[s.kind.name, *self._argument(s.arg), s.target] for s in signature.output_specs],
            "ranges": [[str(k), *[b if type(b) is int else None for b in (v.lower, v.upper)],
                        isinstance(v.upper, float)] for k, v in program.range_constraints.items()],
            "modules": [self._module(entry) for entry in program.module_call_graph],
            "guards": _plain(program._guards),
            "paths": program._paths,
            "example": self._example(),
        }  # fmt: skip

    def _node(self, node: Node) -> list[Any]:
        target = node.target if isinstance(node.target, str) else _target(node.target)
        about: dict[str, Any] = {key: node.meta[key] for key in ("stack_trace", "constant") if key in node.meta}
        about["val"] = _described(node.meta.get("val"))
        about["modules"] = [[key, *value] for key, value in node.meta.get("nn_module_stack", {}).items()]
        return [node.op, node.name, target, _plain(tuple(node.args)), _plain(dict(node.kwargs)), about]

    @staticmethod
    def _argument(arg: Any) -> list[Any]:
        return [type(arg).__name__, arg.name, _plain(getattr(arg, "value", None))]

    @staticmethod
    def _module(entry: ModuleCallEntry) -> list[Any]:
        s = entry.signature
        return [entry.fqn, None if s is None else [_spec(s.in_spec), _spec(s.out_spec), s.forward_arg_names]]

    def _example(self) -> Any:
        if self.program.example_inputs is None:
            return None
        leaves, _ = tree_flatten(self.program.example_inputs)
        told = []
        for leaf in leaves:
            if isinstance(leaf, Tensor):
                told.append(["tensor", len(self.tensors["inputs"])])
                self.tensors["inputs"].append(leaf.detach())
            else:
                told.append(["value", _plain(leaf)])
        return told


class _Reader:
    def __init__(self, told: dict[str, Any], tensors: dict[str, Any]) -> None:
        self.told = told
        self.tensors = tensors
        if told["version"] != 1:
            raise ValueError(f"version {told['version']} of the format is not known")

    def program(self) -> ExportedProgram:
        told = self.told
        graph = Graph()
        nodes: dict[str, Node] = {}
        for op, name, target, args, kwargs, about in told["nodes"]:
            nodes[name] = self._node(graph, op, name, target, _value(args, nodes), _value(kwargs, nodes))
            nodes[name].meta.update(self._about(about))
        graph.lint()
        inputs = [InputSpec(InputKind[kind], self._argument(*arg), target, persistent)
                  for kind, *arg, target, persistent in told["inputs"]]  # fmt: skip
        outputs = [OutputSpec(OutputKind[kind], self._argument(*arg), target) for kind, *arg, target in told["outputs"]]
        modules = [self._module(*entry) for entry in told["modules"]]
        assert modules[0].signature is not None
        state, constants = dict(self.tensors["state"]), dict(self.tensors["constants"])
        for spec in inputs:
            if spec.kind is not InputKind.USER_INPUT and spec.target not in state and spec.target not in constants:
                raise KeyError(spec.target)
        return ExportedProgram(
            root=GraphModule(Module(), graph), graph=graph, graph_signature=ExportGraphSignature(inputs, outputs),
            state_dict=state, range_constraints={
                Spoken(k): VR(low, up, float if is_float else int) for k, low, up, is_float in told["ranges"]},
            module_call_graph=modules, example_inputs=self._example(modules[0].signature.in_spec), constants=constants,
            guards=[tuple(guard) for guard in _value(told["guards"], {})], paths=[str(path) for path in told["paths"]],
        )  # fmt: skip

    @staticmethod
    def _node(graph: Graph, op: str, name: str, target: str, args: Any, kwargs: Any) -> Node:
        if op == "output":
            return graph.output(args[0])
        if op == "placeholder" and str(target).isidentifier():
            return graph.create_node("placeholder", target, name=name)
        if op != "call_function" or not str(name).isidentifier():
            raise ValueError(f"{op} {name!r} is no node of programs")
        return graph.create_node("call_function", _called(target), args, kwargs, name=name)

    @staticmethod
    def _about(told: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = {key: str(told[key]) for key in ("stack_trace", "constant") if key in told}
        match told.get("val"):
            case {"tensor": [dtype, shape]}:
                kind = _value({"dtype": dtype}, {})
                found["val"] = Value(kind, [n if type(n) is int else Spoken(n) for n in shape], facula.device("cpu"))
            case {"number": text}:
                found["val"] = Spoken(text)
        found["nn_module_stack"] = {key: tuple(value) for key, *value in told["modules"]}
        return found

    @staticmethod
    def _argument(kind: str, name: str, value: Any) -> Any:
        cls = {k: getattr(graph_signature, k) for k in graph_signature.__all__ if k.endswith("Argument")}[kind]
        return cls(name, _value(value, {})) if kind == "ConstantArgument" else cls(name)

    @staticmethod
    def _module(name: str, told: Any) -> ModuleCallEntry:
        if told is None:
            return ModuleCallEntry(name)
        names = [str(n) for n in told[2]]
        if not all(n.isidentifier() for n in names):
            raise ValueError(f"{names} are no names of parameters")
        return ModuleCallEntry(name, ModuleCallSignature([], [], _spec_of(told[0]), _spec_of(told[1]), names))

    def _example(self, spec: TreeSpec) -> Any:
        if self.told["example"] is None:
            return None
        leaves = [self.tensors["inputs"][v] if kind == "tensor" else _value(v, {}) for kind, v in self.told["example"]]
        return tree_unflatten(leaves, spec)
