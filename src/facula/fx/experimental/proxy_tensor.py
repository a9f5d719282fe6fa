"""``make_fx``: a function as a graph of the operators that it ran, gradients inside it included.

It is run once, with real tensors. A function mode sees each operator, of a backward pass as well, and writes down which
values went in and came out. Values are known by where they lie in memory: a tensor without history, or one that was
saved, is another object than the one that an operator gave.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

import facula

from ..._core.unresolved import bits_of
from ..._tensor import Tensor
from ...autograd.function import BackwardCFunction
from ...nn import Module, Parameter
from ...ops import aten_calls
from ...ops.machine.primitive import Primitive
from ...overrides import TorchFunctionMode
from ...utils._pytree import tree_flatten, tree_unflatten
from .. import _aten, _indexing, _names
from .._arguments import PyTreeCodeGen
from .._symbolic_trace import annotation_of
from ..graph import Graph
from ..graph_module import GraphModule
from ..node import Node, map_aggregate
from ..passes.shape_prop import _extract_tensor_metadata

__all__ = ["get_proxy_mode", "make_fx"]

_READING = tuple("item tolist numpy is_nonzero equal allclose __bool__ __float__ __int__ __index__".split())


_WRITTEN = (
    bool, int, float, complex, str, type(None), type(...), facula.dtype, facula.device, facula.layout,
    facula.memory_format,
)  # fmt: skip
"""What code can say."""


def get_proxy_mode() -> Any:
    """What records at the moment, if anything does."""
    return next((m for m in facula._core.state.modes.function_modes if isinstance(m, _Recorder)), None)


def make_fx(
    f: Callable[..., Any], decomposition_table: Any = None, tracing_mode: str = "real", *_: Any, **__: Any
) -> Callable[..., GraphModule]:
    """A function that, given arguments, traces ``f`` with them into a graph of operators.

    Conditions and shapes are those of these arguments. Tensors neither among them nor made inside are constants.
    """
    if tracing_mode not in ("real", "fake", "symbolic"):
        raise AssertionError(f'tracing_mode must be one of "real", "fake", "symbolic", got {tracing_mode}')
    if tracing_mode != "real":
        raise NotImplementedError(f"facula traces with real tensors; tracing_mode={tracing_mode!r} is not there")

    def traced(*args: Any) -> GraphModule:
        root = Module()
        graph = Graph()
        recorder = _Recorder(graph, root)
        names = _parameter_names(f, len(args))
        leaves, spec = tree_flatten(list(args))
        nested = len(leaves) != len(args) or any(a is not b for a, b in zip(leaves, args))
        placed = [recorder.placeholder(name, leaf) for name, leaf in _leaf_names(names, args)]
        given = tree_unflatten(placed, spec)
        with recorder:
            result = f(*given)
        if nested:
            codegen = PyTreeCodeGen(names, spec)
            result, codegen.out_spec = tree_flatten(result)
            graph.set_codegen(codegen)
        graph.output(map_aggregate(result, recorder.argument), None if nested else _returned(f))
        return GraphModule(root, graph, getattr(f, "__name__", "<lambda>"))

    return traced


def _parameter_names(f: Callable[..., Any], count: int) -> list[str]:
    if isinstance(f, FunctionType):
        parameters = list(inspect.signature(f).parameters.values())
        if len(parameters) >= count and all(p.kind is p.POSITIONAL_OR_KEYWORD for p in parameters[:count]):
            return [p.name for p in parameters[:count]]
    return [f"arg{i}" for i in range(count)]


def _returned(f: Callable[..., Any]) -> Any:
    """What a function says that it returns."""
    if not isinstance(f, FunctionType):
        return None
    return annotation_of(inspect.unwrap(f), f.__annotations__.get("return"))


def _leaf_names(names: list[str], args: tuple[Any, ...]) -> Any:
    for name, arg in zip(names, args):
        for i, leaf in enumerate(tree_flatten(arg)[0]):
            yield f"{name}_{i + 1}", leaf


def _place(value: Tensor) -> Any:
    array = value._array
    return array.__array_interface__["data"][0], array.shape, array.strides, array.dtype, bits_of(array)


class _Recorder(TorchFunctionMode):
    """Writes down the operators that run within it."""

    sees_gradients = True

    def __init__(self, graph: Graph, root: Module) -> None:
        self.graph = graph
        self.root = root
        self.nodes: dict[Any, Node] = {}
        self.kept: list[Any] = []
        """Arrays whose places in memory are known stay alive."""
        self.constants = {"_param_constant": 0, "_tensor_constant": 0}
        self.objects = 0
        self.open: list[Any] = []
        """The functions that are being looked into."""

    # ---- values

    def placeholder(self, name: str, value: Any) -> Any:
        node = self.graph.placeholder(name)
        if not isinstance(value, Tensor):
            return value
        self.know(value, node)
        return value

    def know(self, value: Tensor, node: Node) -> None:
        self.nodes[_place(value)] = node
        self.kept.append(value._array)
        node.meta["val"] = facula.empty_strided(value.shape, value.stride(), dtype=value.dtype, device="meta")
        node.meta["tensor_meta"] = _extract_tensor_metadata(value)

    def argument(self, value: Any) -> Any:
        """A value as an argument of nodes: a tensor that no node has made is a constant."""
        if not isinstance(value, Tensor):
            value = value.item() if isinstance(value, np.generic) else value
            return value if isinstance(value, _WRITTEN) else self.kept_object(value)
        if _place(value) not in self.nodes:
            kind = "_param_constant" if isinstance(value, Parameter) else "_tensor_constant"
            name = f"{kind}{self.constants[kind]}"
            self.constants[kind] += 1
            setattr(self.root, name, value if isinstance(value, Parameter) else value.detach())
            self.know(value, self.graph.get_attr(name))
        return self.nodes[_place(value)]

    def kept_object(self, value: Any) -> Node:
        """Something that code cannot say: the module keeps it."""
        name = f"_object{self.objects}"
        self.objects += 1
        setattr(self.root, name, value)
        return self.graph.get_attr(name)

    # ---- calls

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        given = [v for v in tree_flatten((args, kwargs))[0] if isinstance(v, Tensor)]
        if any(t.wraps for t in given):
            raise NotImplementedError("make_fx does not see into vmap and forward mode; trace what they are given to")
        name = (_names.method_name(func) or _names.of_facula(func) or "").rpartition(".")[2]
        if name == "__getitem__" and _indexing.is_known(args[1]):
            return _indexing.get(self.run, *args)
        if name == "tensor" and not given:
            return self.literal(func(*args, **kwargs))
        if name in _READING and any(_place(t) in self.nodes for t in given):
            raise RuntimeError(
                f"It appears that you're trying to get value out of a tracing tensor with {name} - erroring out! It's "
                "likely that this is caused by data-dependent control flow or similar."
            )
        whole = _is_whole(name) or "out" in kwargs or func in self.open
        composed = None if whole else _composed(func)
        before = self.call(func, args, kwargs) if _changes(name) else None  # it may lie otherwise afterwards
        if composed is None:
            result = func(*args, **kwargs)
        else:  # it is made of operators, which are recorded in its place
            self.open.append(func)
            try:
                with self:
                    result = composed(*args, **kwargs)
            finally:
                self.open.pop()
        if name == "__setitem__":
            self.record(operator.setitem, args, kwargs, args[0])
            return result
        made = [v for v in tree_flatten(result)[0] if isinstance(v, Tensor)]
        if composed is not None:
            made = [t for t in made if _place(t) not in self.nodes]
        itself = any(result is t for t in given)  # what gives back its argument has either changed it or done nothing
        if made and (not itself or "out" in kwargs or _changes(name)):
            self.record(func, args, kwargs, result, before)
        return result

    def run(self, name: str, overload: str, *args: Any) -> Any:
        """Run an operator of ``torch.ops.aten``, and write it down."""
        target = getattr(getattr(facula.ops.aten, name), overload)
        result = target(*args)
        node = self.graph.call_function(target, map_aggregate(args, self.argument), name=name)
        self.know(result, node)
        return result

    def literal(self, value: Tensor) -> Tensor:
        """A tensor that the code itself gives: a copy of a constant, each time."""
        name = f"_tensor_constant{self.constants['_tensor_constant']}"
        self.constants["_tensor_constant"] += 1
        setattr(self.root, name, value.detach().clone())
        target = _aten.aten.lift_fresh_copy.default
        self.know(value, self.graph.call_function(target, (self.graph.get_attr(name),), name="lift_fresh_copy"))
        return value

    def call(self, func: Any, args: Any, kwargs: dict[str, Any]) -> tuple[Any, Any, Any]:
        """What a node calls, and its arguments as nodes."""
        target, args, kwargs = _operator(func, args, kwargs)
        return target, map_aggregate(tuple(args), self.argument), dict(map_aggregate(kwargs, self.argument))

    def record(self, func: Any, args: Any, kwargs: dict[str, Any], result: Any, call: Any = None) -> None:
        target, nodes, named = call or self.call(func, args, kwargs)
        name = target.__name__.partition(".")[0] if hasattr(target, "overloadpacket") else None
        node = self.graph.call_function(target, nodes, named, name=name)
        if isinstance(result, Tensor):
            self.know(result, node)
            return
        for i, part in enumerate(result):
            if isinstance(part, Tensor):
                self.know(part, self.graph.call_function(operator.getitem, (node, i)))


def _changes(name: str) -> bool:
    return name.endswith("_") and not name.endswith("__")


def _is_whole(name: str) -> bool:
    """Whether a function is one step though it is written in Python: it writes into its tensor, or makes a new one."""
    return _changes(name) or name.startswith("new_") or name.endswith("_like")


def _composed(func: Any) -> Callable[..., Any] | None:
    """The function of other operators that a public one is; None for an operator."""
    plain = getattr(func, "plain", None)
    if plain is None and hasattr(func, "record") and not hasattr(func, "primitive"):
        plain = getattr(func, "__wrapped__", None)
    found: Callable[..., Any] | None = plain
    return found


def _operator(func: Any, args: Any, kwargs: dict[str, Any]) -> tuple[Any, Any, dict[str, Any]]:
    """What a node calls, and with what: an overload of ``torch.ops.aten``, of ``torch.ops.prims``, or the function."""
    if func is operator.setitem:
        return func, args, kwargs
    op = func if isinstance(func, Primitive) else getattr(func, "primitive", None)
    known = None if isinstance(func, Primitive) else _names.of_facula(func)
    name = (_names.method_name(func) or known or "").rpartition(".")[2]
    if op is not None and known is None and not _changes(name) and not kwargs:
        count = len(op.tensor_names)
        tensors, attributes = (args[0], args[1:]) if op.variadic else (args[:count], args[count:])
        return aten_calls.call_of(op, tensors, attributes) or (func, args, kwargs)
    found = _aten.call_of(func, args, kwargs)
    if found is not None:
        return _by_number(*found) if _is_rule() else found
    if name.startswith("__") or not name or not hasattr(facula.ops.aten, name):
        return (operator.getitem if name == "__getitem__" else func), args, kwargs
    return getattr(getattr(facula.ops.aten, name), aten_calls.overload_of(name, args)), args, kwargs


def _is_rule() -> bool:
    """Whether an operator's derivative is being computed."""
    task = facula._core.state.modes.running
    return task is not None and not isinstance(task.running, BackwardCFunction)


def _by_number(target: Any, args: list[Any], kwargs: dict[str, Any]) -> tuple[Any, list[Any], dict[str, Any]]:
    """Arithmetic with a number, as PyTorch's derivatives call it; Python makes a tensor of the number."""
    if target in _ARITHMETIC and not isinstance(args[1], Tensor):
        target = target.overloadpacket.Scalar
    return target, args, kwargs


_ARITHMETIC = tuple([getattr(facula.ops.aten, name).Tensor for name in ("add", "sub", "mul", "div")])
