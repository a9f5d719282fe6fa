"""An exported program: a graph of operators, the state it works with, and what its arguments must be."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Iterator
from typing import Any, NamedTuple

from .._core.pytree import tree_flatten
from .._tensor import Tensor
from ..fx.graph import Graph
from ..fx.graph_module import GraphModule
from ..nn.parameter import Parameter
from .dynamic_shapes import int_oo
from .graph_signature import ExportGraphSignature, InputKind

__all__ = ["CustomDecompTable", "ExportedProgram", "ModuleCallEntry", "ModuleCallSignature", "default_decompositions"]


@dataclasses.dataclass
class ModuleCallSignature:
    """How a module inside a program is called."""

    inputs: list[Any]
    outputs: list[Any]
    in_spec: Any
    out_spec: Any
    forward_arg_names: list[str] | None = None


@dataclasses.dataclass
class ModuleCallEntry:
    """A module inside a program, by its path."""

    fqn: str
    signature: ModuleCallSignature | None = None


class _Spoken(float):
    """A number without end, as it is printed."""

    def __neg__(self) -> _Spoken:
        return _Spoken(-float(self))

    def __repr__(self) -> str:
        return "oo" if self > 0 else "-oo"


_OO = _Spoken("inf")


class VR:
    """The values that a size may have."""

    def __init__(self, lower: int | None, upper: int | None, kind: type = int) -> None:
        infinite: Any = int_oo if kind is int else _OO
        self.lower: Any = -infinite if lower is None else lower
        self.upper: Any = infinite if upper is None else upper

    def __eq__(self, other: object) -> bool:
        return isinstance(other, VR) and (self.lower, self.upper) == (other.lower, other.upper)

    def __hash__(self) -> int:
        return hash((self.lower, self.upper))

    def __repr__(self) -> str:
        return f"VR[{self.lower}, {self.upper}]"


class CallSpec(NamedTuple):
    """How arguments and results are nested."""

    in_spec: Any
    out_spec: Any


class ExportedProgram:
    """What ``export`` gives: a graph without Python, the parameters, buffers and constants it takes, and its guards.

    ``module()`` makes a module of it that can be called. ``print`` shows graph and signature.
    """

    def __init__(
        self, root: Any, graph: Graph, graph_signature: ExportGraphSignature, state_dict: dict[str, Any],
        range_constraints: dict[Any, Any], module_call_graph: list[ModuleCallEntry], example_inputs: Any = None,
        constants: dict[str, Any] | None = None, *, verifiers: Any = None, guards: list[Any] | None = None,
        paths: list[str] | None = None,
    ) -> None:  # fmt: skip
        graph._codegen = type(graph._codegen)()
        self._graph_module = root if isinstance(root, GraphModule) and root.graph is graph else GraphModule(root, graph)
        self._graph_signature = graph_signature
        self._state_dict = state_dict
        self._range_constraints = range_constraints
        self._module_call_graph = module_call_graph
        self._example_inputs = example_inputs
        self._constants = constants or {}
        self._guards = guards or []
        self._paths = paths or []

    @property
    def graph_module(self) -> GraphModule:
        """The graph as a module that takes all of its inputs."""
        return self._graph_module

    @property
    def graph(self) -> Graph:
        """The graph: placeholders for parameters, buffers, constants and arguments, then operators."""
        return self._graph_module.graph

    @property
    def graph_signature(self) -> ExportGraphSignature:
        """What the inputs and outputs of the graph are."""
        return self._graph_signature

    @property
    def state_dict(self) -> dict[str, Any]:
        """Parameters and buffers: those of the module that was exported."""
        return self._state_dict

    @property
    def constants(self) -> dict[str, Any]:
        """Tensors that are neither parameters nor persistent buffers."""
        return self._constants

    @property
    def tensor_constants(self) -> dict[str, Any]:
        """The same."""
        return self._constants

    @property
    def range_constraints(self) -> dict[Any, Any]:
        """The values that sizes may have, by symbol."""
        return self._range_constraints

    @property
    def module_call_graph(self) -> list[ModuleCallEntry]:
        """The modules inside."""
        return self._module_call_graph

    @property
    def example_inputs(self) -> Any:
        """The arguments that it was exported with."""
        return self._example_inputs

    @property
    def call_spec(self) -> CallSpec:
        """How arguments and results are nested."""
        signature = self._module_call_graph[0].signature
        assert signature is not None
        return CallSpec(signature.in_spec, signature.out_spec)

    @property
    def dialect(self) -> str:
        """Which operators the graph may have: training's, or ATen's."""
        return "TRAINING"

    @property
    def verifiers(self) -> list[Any]:
        """What checks graphs: nothing else."""
        return []

    def _tensor(self, name: str) -> Any:
        return self._state_dict[name] if name in self._state_dict else self._constants[name]

    def parameters(self) -> Iterator[Parameter]:
        """The parameters."""
        for _, parameter in self.named_parameters():
            yield parameter

    def named_parameters(self) -> Iterator[tuple[str, Parameter]]:
        """The parameters by name."""
        for name in self.graph_signature.parameters:
            yield name, self._state_dict[name]

    def buffers(self) -> Iterator[Tensor]:
        """The buffers."""
        for _, buffer in self.named_buffers():
            yield buffer

    def named_buffers(self) -> Iterator[tuple[str, Tensor]]:
        """The buffers by name."""
        for name in self.graph_signature.buffers:
            yield name, self._tensor(name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(
            "Unable to call ExportedProgram directly. You should use `exported_program.module()` instead."
        )

    def __str__(self) -> str:
        text = self.graph_module.print_readable(print_output=False).replace("\n", "\n    ")
        signature = str(self.graph_signature).replace("\n", "\n    ")
        return (
            f"ExportedProgram:\n    {text}\nGraph signature: {signature}\nRange constraints: {self.range_constraints}\n"
        )

    __repr__ = object.__repr__

    def module(self, check_guards: bool = True) -> GraphModule:
        """A module that runs the program. It shares parameters and buffers with this."""
        from ._unlift import unlifted  # loaded when first used

        return unlifted(self, check_guards)

    def run_decompositions(
        self, decomp_table: Any = None, decompose_custom_triton_ops: bool = False
    ) -> ExportedProgram:
        """A program without operators that write: buffers that change are outputs, as ``BUFFER_MUTATION``.

        ``decomp_table`` gives functions by operator, which are written in the place of these.
        """
        from ._functional import functional  # loaded when first used

        return functional(self, decomp_table)

    def validate(self) -> None:
        """Check that the graph is sound."""
        self.graph.lint()

    def _validate(self) -> None:
        self.validate()

    def _update(
        self, graph_module: GraphModule, graph_signature: ExportGraphSignature, **others: Any
    ) -> ExportedProgram:
        """A copy with another graph."""
        given = {
            "state_dict": self._state_dict, "constants": self._constants, "example_inputs": self._example_inputs,
            **others,
        }  # fmt: skip
        return ExportedProgram(
            root=graph_module, graph=graph_module.graph, graph_signature=graph_signature,
            range_constraints=copy.copy(self._range_constraints), module_call_graph=list(self._module_call_graph),
            guards=self._guards, paths=self._paths, **given,
        )  # fmt: skip

    def _graph_module_flat_inputs(self, args: Any, kwargs: Any) -> tuple[Any, ...]:
        """What the graph takes, in its order."""
        given = iter(tree_flatten((args, kwargs or {}))[0])
        found = []
        for spec in self.graph_signature.input_specs:
            found.append(next(given) if spec.kind is InputKind.USER_INPUT else self._tensor(spec.target or ""))
        return tuple(found)


for _name in (
    "graph_module", "graph", "graph_signature", "state_dict", "range_constraints", "module_call_graph", "call_spec",
    "constants", "dialect", "verifiers", "tensor_constants",
):  # fmt: skip

    def _refuse(self: Any, value: Any, name: str = _name) -> None:
        raise RuntimeError(f"Unable to set ExportedProgram's {name} attribute.")

    setattr(ExportedProgram, _name, getattr(ExportedProgram, _name).setter(_refuse))


class CustomDecompTable(dict[Any, Any]):
    """Functions by operator, for ``run_decompositions``; operators that are not in it stay as they are."""

    def pop(self, op: Any, *default: Any) -> Any:
        """Take an operator out, which may not be in it."""
        return super().pop(op, *(default or (None,)))

    def __delitem__(self, op: Any) -> None:
        self.pop(op)

    def copy(self) -> CustomDecompTable:
        """Another table with the same content."""
        return CustomDecompTable(self)

    def materialize(self) -> dict[Any, Any]:
        """The same as a dict."""
        return dict(self)


def default_decompositions() -> CustomDecompTable:
    """The table of ``run_decompositions``: empty, for operators stay as they are."""
    return CustomDecompTable()
