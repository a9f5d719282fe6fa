"""Activations as modules: each calls the function of ``nn.functional`` with the settings it was made with."""

from __future__ import annotations

from typing import Any

from ..._tensor import Tensor
from ...ops.machine.public import FUNCTIONS
from .. import functional as F
from .. import init
from ..parameter import Parameter
from . import _activation_kinds as _kinds
from .linear import _empty
from .module import Module

# ---- without settings


class Tanh(Module):
    """``tanh(x)``."""

    def forward(self, input: Tensor) -> Tensor:
        found: Tensor = FUNCTIONS["tanh"](input)
        return found


class Sigmoid(Module):
    """``1 / (1 + exp(-x))``."""

    def forward(self, input: Tensor) -> Tensor:
        found: Tensor = FUNCTIONS["sigmoid"](input)
        return found


class LogSigmoid(Module):
    """``log(sigmoid(x))``."""

    def forward(self, input: Tensor) -> Tensor:
        return F.logsigmoid(input)


class Softsign(Module):
    """``x / (1 + |x|)``."""

    def forward(self, input: Tensor) -> Tensor:
        return F.softsign(input)


class Tanhshrink(Module):
    """``x - tanh(x)``."""

    def forward(self, input: Tensor) -> Tensor:
        return F.tanhshrink(input)


class Softmax2d(Module):
    """Softmax over the channels of images."""

    def forward(self, input: Tensor) -> Tensor:
        if input.dim() not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
        return F.softmax(input, -3, _stacklevel=5)


# ---- in place or not


class ReLU(_kinds.InPlace):
    """``max(0, x)``."""

    def forward(self, input: Tensor) -> Tensor:
        return F.relu(input, self.inplace)


class SELU(_kinds.InPlace):
    """``elu`` scaled so that it keeps means at 0 and variances at 1."""

    def forward(self, input: Tensor) -> Tensor:
        return F.selu(input, self.inplace)


class SiLU(_kinds.InPlace):
    """``x * sigmoid(x)``."""

    def forward(self, input: Tensor) -> Tensor:
        return F.silu(input, self.inplace)


class Mish(_kinds.InPlace):
    """``x * tanh(softplus(x))``."""

    def forward(self, input: Tensor) -> Tensor:
        return F.mish(input, self.inplace)


class Hardsigmoid(_kinds.InPlace):
    """``min(max(0, x + 3), 6) / 6``."""

    extra_repr = Module.extra_repr

    def forward(self, input: Tensor) -> Tensor:
        return F.hardsigmoid(input, self.inplace)


class Hardswish(_kinds.InPlace):
    """``x * hardsigmoid(x)``."""

    extra_repr = Module.extra_repr

    def forward(self, input: Tensor) -> Tensor:
        return F.hardswish(input, self.inplace)


# ---- with a shape of their own


class ELU(_kinds.Exponential):
    """``x`` if positive, else ``alpha * (exp(x) - 1)``."""

    def forward(self, input: Tensor) -> Tensor:
        return F.elu(input, self.alpha, self.inplace)


class CELU(_kinds.Exponential):
    """``max(0, x) + min(0, alpha * (exp(x / alpha) - 1))``."""

    def forward(self, input: Tensor) -> Tensor:
        return F.celu(input, self.alpha, self.inplace)


class LeakyReLU(Module):
    """``x`` if positive, else ``negative_slope * x``."""

    __constants__ = ["inplace", "negative_slope"]

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        return _kinds.and_inplace(f"negative_slope={self.negative_slope}", self.inplace)


class RReLU(Module):
    """x, or a multiple of it where negative: a random one in training, the middle one in evaluation."""

    __constants__ = ["lower", "upper", "inplace"]

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        return _kinds.and_inplace(f"lower={self.lower}, upper={self.upper}", self.inplace)


class Threshold(Module):
    """``x`` where it is above ``threshold``, else ``value``."""

    __constants__ = ["threshold", "value", "inplace"]

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        return _kinds.and_inplace(f"threshold={self.threshold}, value={self.value}", self.inplace)


class Hardtanh(Module):
    """``x`` clamped to [min_val, max_val]."""

    __constants__ = ["min_val", "max_val", "inplace"]

    def __init__(
        self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False, min_value: float | None = None,
        max_value: float | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        min_val = _renamed("min_value", "min_val", min_value, min_val)
        max_val = _renamed("max_value", "max_val", max_value, max_val)
        self.min_val = min_val
        self.max_val = max_val
        self.inplace = inplace
        if max_val <= min_val:
            raise AssertionError(f"max_val ({max_val}) must be greater than min_val ({min_val})")

    def forward(self, input: Tensor) -> Tensor:
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        return _kinds.and_inplace(f"min_val={self.min_val}, max_val={self.max_val}", self.inplace)


def _renamed(old: str, new: str, given: float | None, default: float) -> float:
    if given is None:
        return default
    import warnings  # loaded when first used

    warnings.warn(
        f"keyword argument `{old}` is deprecated and renamed to `{new}`", FutureWarning, stacklevel=3
    )
    return given


class ReLU6(Hardtanh):
    """``min(max(0, x), 6)``."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self) -> str:
        return _kinds.and_inplace("", self.inplace)


class GELU(Module):
    """``x`` times the normal distribution function of ``x``, or an approximation by tanh."""

    __constants__ = ["approximate"]

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"


class Softplus(Module):
    """``log(1 + exp(beta * x)) / beta``."""

    __constants__ = ["beta", "threshold"]

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Tensor) -> Tensor:
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        return f"beta={self.beta}, threshold={self.threshold}"


class Softshrink(_kinds.Shrink):
    """``x`` moved towards 0 by ``lambd``, and 0 nearer than that."""

    def forward(self, input: Tensor) -> Tensor:
        return F.softshrink(input, self.lambd)


class Hardshrink(_kinds.Shrink):
    """``x``, or 0 within [-lambd, lambd]."""

    def forward(self, input: Tensor) -> Tensor:
        return F.hardshrink(input, self.lambd)


# ---- along a dimension


class GLU(Module):
    """The first half along ``dim`` times the sigmoid of the second."""

    __constants__ = ["dim"]

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        return F.glu(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmax(_kinds.OverDimension):
    """exp(x) divided by its sum along ``dim``."""

    def forward(self, input: Tensor) -> Tensor:
        return F.softmax(input, self.dim, _stacklevel=5)


class LogSoftmax(_kinds.OverDimension):
    """The logarithm of softmax along ``dim``."""

    def forward(self, input: Tensor) -> Tensor:
        return F.log_softmax(input, self.dim, _stacklevel=5)


class Softmin(_kinds.OverDimension):
    """softmax of -x along ``dim``."""

    def forward(self, input: Tensor) -> Tensor:
        return F.softmin(input, self.dim, _stacklevel=5)


# ---- learned


class PReLU(Module):
    """x, or a learned multiple of it where negative."""

    __constants__ = ["num_parameters"]

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(_empty(num_parameters, device, dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        init.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


def __getattr__(name: str) -> Any:
    """Where PyTorch keeps attention."""
    if name == "MultiheadAttention":
        from .attention import MultiheadAttention  # loaded when first used

        return MultiheadAttention
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
