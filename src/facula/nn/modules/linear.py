"""Linear and its relatives."""

from __future__ import annotations

import math
from typing import Any

from ..._tensor import Tensor
from .. import functional as F
from .. import init
from ..parameter import Parameter
from .lazy import LazyModuleMixin
from .module import Module


class Identity(Module):
    """Gives back its input, whatever arguments it was made with."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return input


class Linear(Module):
    """A linear layer: ``input @ weight.T + bias``, with a matrix and a vector that are learned."""

    __constants__ = ["in_features", "out_features"]
    bias: Parameter | None

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(_empty((out_features, in_features), device, dtype))
        self.register_parameter("bias", Parameter(_empty(out_features, device, dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        _draw_by_fan_in(self.weight, self.bias)

    def forward(self, input: Tensor) -> Tensor:
        own = self._parameters  # where they are found more quickly than as attributes, if there
        if "weight" in own and "bias" in own:
            return F.linear(input, own["weight"], own["bias"])
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class LazyLinear(LazyModuleMixin, Linear):
    """Linear, with as many inputs as the first one has."""

    cls_to_become = Linear

    def __init__(self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        from ..parameter import UninitializedParameter  # loaded when first used

        super().__init__(0, 0, False)
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_features = out_features
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        if not self.has_uninitialized_params() and self.in_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        features = input.shape[-1]
        if self.has_uninitialized_params():
            self.in_features = features
            self._give_shapes(weight=(self.out_features, features), bias=(self.out_features,))
        elif self.in_features == 0:  # the parameters were loaded
            if features != self.weight.shape[-1]:
                raise AssertionError(
                    f"The in_features inferred from input: {features} is not equal to in_features from "
                    f"self.weight: {self.weight.shape[-1]}"
                )
            self.in_features = features


class Bilinear(Module):
    """``input1ᵀ A input2 + bias`` for each output feature."""

    __constants__ = ["in1_features", "in2_features", "out_features"]

    def __init__(
        self, in1_features: int, in2_features: int, out_features: int, bias: bool = True, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        self.weight = Parameter(_empty((out_features, in1_features, in2_features), device, dtype))
        self.register_parameter("bias", Parameter(_empty(out_features, device, dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        if self.in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got (in1_features={self.in1_features})")
        bound = 1 / math.sqrt(self.weight.size(1))
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


def _draw_by_fan_in(weight: Tensor, bias: Tensor | None) -> None:
    """Both uniform within ±1/sqrt(number of inputs to each output)."""
    init.kaiming_uniform_(weight, a=math.sqrt(5))
    if bias is not None:
        inputs = math.prod(weight.shape[1:])
        bound = 1 / math.sqrt(inputs) if inputs else 0.0
        init.uniform_(bias, -bound, bound)


def _weight_and_bias(module: Any) -> tuple[Any, Any]:
    """The two, found where parameters are kept, which is quicker than to ask for attributes; else these."""
    own = module._parameters
    if "weight" in own and "bias" in own:
        return own["weight"], own["bias"]
    return module.weight, module.bias


def _empty(size: int | tuple[int, ...], device: Any, dtype: Any) -> Tensor:
    from ... import empty  # loaded when first used

    made: Tensor = empty(size, device=device, dtype=dtype)
    return made


def __getattr__(name: str) -> Any:
    """Where PyTorch keeps the last layer of its attention."""
    if name == "NonDynamicallyQuantizableLinear":
        from .attention import NonDynamicallyQuantizableLinear  # it imports this module

        return NonDynamicallyQuantizableLinear
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
