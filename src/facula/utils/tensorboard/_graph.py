"""The graph of a model for TensorBoard: the functions that a call of it calls, in the modules that call them."""

from __future__ import annotations

import inspect
from typing import Any

from tensorboard.compat.proto.attr_value_pb2 import AttrValue
from tensorboard.compat.proto.config_pb2 import RunMetadata
from tensorboard.compat.proto.graph_pb2 import GraphDef
from tensorboard.compat.proto.node_def_pb2 import NodeDef
from tensorboard.compat.proto.step_stats_pb2 import DeviceStepStats, StepStats
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto
from tensorboard.compat.proto.versions_pb2 import VersionDef

from ... import no_grad
from ..._tensor import Tensor
from ...nn import Module
from ...overrides import TorchFunctionMode
from .._pytree import tree_leaves


def graph(model: Module, args: Any, verbose: bool = False, use_strict_trace: bool = True) -> tuple[Any, Any]:
    """Call a model and write down what it does: a graph, and what TensorBoard wants to know of the run."""
    inputs = args if isinstance(args, (tuple, list)) else (args,)
    recorder = _Recorder(model)
    names = list(inspect.signature(model.forward).parameters)
    for i, given in enumerate(inputs):
        for each in (leaf for leaf in tree_leaves(given) if isinstance(leaf, Tensor)):
            recorder.add(f"input/{names[min(i, len(names) - 1)]}", "IO Node", [], each)
    with no_grad(), recorder:
        result = model(*inputs)
    for i, each in enumerate(leaf for leaf in tree_leaves(result) if isinstance(leaf, Tensor)):
        recorder.add(f"output/output.{i + 1}", "IO Node", recorder.made_by([each]), each)
    if verbose:
        print("\n".join(f"{node.name} = {node.op}({', '.join(node.input)})" for node in recorder.nodes))
    step = StepStats(dev_stats=[DeviceStepStats(device="/device:CPU:0")])
    return GraphDef(node=recorder.nodes, versions=VersionDef(producer=22)), RunMetadata(step_stats=step)


class _Recorder(TorchFunctionMode):
    """Writes down functions of tensors that are called while it is on."""

    def __init__(self, model: Module) -> None:
        super().__init__()
        self.nodes: list[Any] = []
        self.names: set[str] = set()
        self.makers: dict[int, str] = {}
        self.alive: list[Tensor] = []
        """An id is a tensor's own only as long as the tensor lives."""
        self.scopes = [type(model).__name__]
        self.handles: list[Any] = []
        self.homes: dict[int, str] = {}
        self._enter(model, self.scopes[0])

    def _enter(self, module: Module, scope: str) -> None:
        """Have the module's calls tell when they begin and end; its parameters have a place from the beginning."""
        for name, own in (*module.named_parameters(recurse=False), *module.named_buffers(recurse=False)):
            self.homes[id(own)] = f"{scope}/{name}"
        for name, part in module.named_children():
            inner = f"{scope}/{type(part).__name__}[{name}]"
            self.handles.append(part.register_forward_pre_hook(lambda *_, at=inner: self.scopes.append(at)))
            self.handles.append(part.register_forward_hook(lambda *_: self.scopes.pop() and None, always_call=True))
            self._enter(part, inner)

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        for handle in self.handles:
            handle.remove()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        made = [leaf for leaf in tree_leaves(result) if isinstance(leaf, Tensor)]
        given = [leaf for leaf in tree_leaves((args, kwargs or {})) if isinstance(leaf, Tensor)]
        if made and not all(id(each) in self.makers for each in made):
            name = getattr(func, "__name__", "function").strip("_")
            place = f"{self.scopes[-1]}/{name}"
            self.add(place, f"aten::{name}", self.made_by(given), *made)
        return result

    def made_by(self, given: list[Tensor]) -> list[str]:
        """The nodes that tensors come from; what nothing has made yet is a parameter, or a constant."""
        for each in given:
            if id(each) not in self.makers:
                home = self.homes.get(id(each))
                self.add(home or f"{self.scopes[-1]}/constant", "prim::GetAttr" if home else "prim::Constant", [], each)
        return [self.makers[id(each)] for each in given]

    def add(self, name: str, op: str, inputs: list[str], *made: Tensor) -> None:
        shapes = [TensorShapeProto(dim=[TensorShapeProto.Dim(size=n) for n in each.shape]) for each in made]
        taken, number = name, 0
        while taken in self.names:
            number += 1
            taken = f"{name}_{number}"
        self.names.add(taken)
        attr = {"_output_shapes": AttrValue(list=AttrValue.ListValue(shape=shapes))}
        self.nodes.append(NodeDef(name=taken, op=op, input=inputs, attr=attr))
        for each in made:
            self.makers.setdefault(id(each), taken)
            self.alive.append(each)
