"""What the inputs and outputs of an exported program are."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from enum import Enum, auto
from types import MappingProxyType
from typing import Any

__all__ = [
    "ConstantArgument", "CustomObjArgument", "ExportBackwardSignature", "ExportGraphSignature", "InputKind",
    "InputSpec", "OutputKind", "OutputSpec", "SymBoolArgument", "SymFloatArgument", "SymIntArgument", "TensorArgument",
    "TokenArgument",
]  # fmt: skip


@dataclasses.dataclass
class TensorArgument:
    """A tensor, by its node."""

    name: str


@dataclasses.dataclass
class TokenArgument:
    """What orders effects; there is none here."""

    name: str


@dataclasses.dataclass
class SymIntArgument:
    """An integer that the program computes."""

    name: str


@dataclasses.dataclass
class SymFloatArgument:
    """A float that the program computes."""

    name: str


@dataclasses.dataclass
class SymBoolArgument:
    """A truth that the program computes."""

    name: str


@dataclasses.dataclass
class CustomObjArgument:
    """Another object."""

    name: str
    class_fqn: str
    fake_val: Any = None


@dataclasses.dataclass
class ConstantArgument:
    """A value that is always the same."""

    name: str
    value: Any


class InputKind(Enum):
    """Where an input comes from."""

    USER_INPUT = auto()
    PARAMETER = auto()
    BUFFER = auto()
    CONSTANT_TENSOR = auto()
    CUSTOM_OBJ = auto()
    TOKEN = auto()


class OutputKind(Enum):
    """What becomes of an output."""

    USER_OUTPUT = auto()
    LOSS_OUTPUT = auto()
    BUFFER_MUTATION = auto()
    PARAMETER_MUTATION = auto()
    GRADIENT_TO_PARAMETER = auto()
    GRADIENT_TO_USER_INPUT = auto()
    USER_INPUT_MUTATION = auto()
    TOKEN = auto()


@dataclasses.dataclass
class InputSpec:
    """An input of the graph. ``target``: the name of a parameter, a buffer or a constant."""

    kind: InputKind
    arg: Any
    target: str | None
    persistent: bool | None = None

    def __post_init__(self) -> None:
        if self.kind is InputKind.BUFFER and self.persistent is None:
            raise AssertionError("Failed to specify persistent flag on BUFFER.")

    def __str__(self) -> str:
        persistent = "" if self.persistent is None else f" persistent={self.persistent}"
        return f"{self.arg.name}: {self.kind.name}{_target(self.target)}{persistent}"


@dataclasses.dataclass
class OutputSpec:
    """An output of the graph. ``target``: what it is the new value of."""

    kind: OutputKind
    arg: Any
    target: str | None

    def __str__(self) -> str:
        return f"{self.arg.name}: {self.kind.name}{_target(self.target)}"


def _target(target: str | None) -> str:
    return "" if target is None else f" target='{target}'"


@dataclasses.dataclass
class ExportBackwardSignature:
    """Which outputs are gradients."""

    gradients_to_parameters: dict[str, str]
    gradients_to_user_inputs: dict[str, str]
    loss_output: str


@dataclasses.dataclass
class ExportGraphSignature:
    """Inputs and outputs of an exported graph, in their order: parameters, buffers, constants and arguments."""

    input_specs: list[InputSpec]
    output_specs: list[OutputSpec]

    def _inputs(self, kind: InputKind) -> list[InputSpec]:
        return [spec for spec in self.input_specs if spec.kind is kind]

    def _targets(self, kind: InputKind) -> tuple[str, ...]:
        return tuple([spec.target for spec in self._inputs(kind) if spec.target is not None])

    def _named(self, kind: InputKind) -> Mapping[str, str]:
        return MappingProxyType({s.arg.name: s.target for s in self._inputs(kind) if s.target is not None})

    def _written(self, kind: OutputKind) -> Mapping[str, str]:
        found = {spec.arg.name: spec.target for spec in self.output_specs if spec.kind is kind and spec.target}
        return MappingProxyType(found)

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of parameters."""
        return self._targets(InputKind.PARAMETER)

    @property
    def buffers(self) -> tuple[str, ...]:
        """The names of buffers."""
        return self._targets(InputKind.BUFFER)

    @property
    def non_persistent_buffers(self) -> tuple[str, ...]:
        """The names of buffers that the state does not have."""
        return tuple([s.target for s in self._inputs(InputKind.BUFFER) if not s.persistent and s.target is not None])

    @property
    def lifted_tensor_constants(self) -> tuple[str, ...]:
        """The names of constants."""
        return self._targets(InputKind.CONSTANT_TENSOR)

    @property
    def lifted_custom_objs(self) -> tuple[str, ...]:
        """The names of other objects."""
        return self._targets(InputKind.CUSTOM_OBJ)

    @property
    def user_inputs(self) -> tuple[Any, ...]:
        """The arguments: nodes by name, and values that are always the same."""
        return tuple([_shown(spec.arg) for spec in self._inputs(InputKind.USER_INPUT)])

    @property
    def user_outputs(self) -> tuple[Any, ...]:
        """The results: nodes by name, and values that are always the same."""
        return tuple([_shown(spec.arg) for spec in self.output_specs if spec.kind is OutputKind.USER_OUTPUT])

    @property
    def inputs_to_parameters(self) -> Mapping[str, str]:
        """Parameters by the name of their node."""
        return self._named(InputKind.PARAMETER)

    @property
    def inputs_to_buffers(self) -> Mapping[str, str]:
        """Buffers by the name of their node."""
        return self._named(InputKind.BUFFER)

    @property
    def inputs_to_lifted_tensor_constants(self) -> Mapping[str, str]:
        """Constants by the name of their node."""
        return self._named(InputKind.CONSTANT_TENSOR)

    @property
    def inputs_to_lifted_custom_objs(self) -> Mapping[str, str]:
        """Other objects by the name of their node."""
        return self._named(InputKind.CUSTOM_OBJ)

    @property
    def buffers_to_mutate(self) -> Mapping[str, str]:
        """Buffers by the name of the node that is their new value."""
        return self._written(OutputKind.BUFFER_MUTATION)

    @property
    def parameters_to_mutate(self) -> Mapping[str, str]:
        """Parameters by the name of the node that is their new value."""
        return self._written(OutputKind.PARAMETER_MUTATION)

    @property
    def user_inputs_to_mutate(self) -> Mapping[str, str]:
        """Arguments by the name of the node that is their new value."""
        return self._written(OutputKind.USER_INPUT_MUTATION)

    @property
    def backward_signature(self) -> ExportBackwardSignature | None:
        """Which outputs are gradients, if there is a loss among them."""
        loss = [spec for spec in self.output_specs if spec.kind is OutputKind.LOSS_OUTPUT]
        if not loss:
            return None
        return ExportBackwardSignature(
            dict(self._written(OutputKind.GRADIENT_TO_PARAMETER)),
            dict(self._written(OutputKind.GRADIENT_TO_USER_INPUT)), loss[0].arg.name,
        )  # fmt: skip

    @property
    def assertion_dep_token(self) -> None:
        """What orders assertions: nothing."""
        return None

    def replace_all_uses(self, old: str, new: str) -> None:
        """Give a node another name."""
        specs: list[Any] = [*self.input_specs, *self.output_specs]
        for spec in specs:
            if spec.arg.name == old:
                spec.arg.name = new

    def __str__(self) -> str:
        inputs, outputs = (
            "\n".join(map(str, specs)) for specs in (self.input_specs, self.output_specs)
        )
        return f"\n# inputs\n{inputs}\n\n# outputs\n{outputs}\n"


def _shown(arg: Any) -> Any:
    return arg.value if isinstance(arg, ConstantArgument) else arg.name
