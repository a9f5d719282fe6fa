"""Activations as modules: each calls the function of ``nn.functional`` with the settings it was made with."""

from __future__ import annotations

from typing import Any

from .._tensor import Tensor
from . import functional as F
from . import init
from .module import Module
from .parameter import Parameter


class _Activation(Module):
    """``settings`` are the attributes that the function gets after its input."""

    function: str
    settings: tuple[str, ...] = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        out: Tensor = getattr(F, self.function)(input, **{name: getattr(self, name) for name in self.settings})
        return out


class _Inplace(_Activation):
    """Activations whose only setting is ``inplace``."""

    settings = ("inplace",)

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class Tanh(_Activation):
    function = "tanh"


class Sigmoid(_Activation):
    function = "sigmoid"


class LogSigmoid(_Activation):
    function = "logsigmoid"


class Softsign(_Activation):
    function = "softsign"


class Tanhshrink(_Activation):
    function = "tanhshrink"


class ReLU(_Inplace):
    function = "relu"


class SELU(_Inplace):
    function = "selu"


class SiLU(_Inplace):
    function = "silu"


class Mish(_Inplace):
    function = "mish"


class Hardsigmoid(_Inplace):
    function = "hardsigmoid"

    def extra_repr(self) -> str:
        return ""


class Hardswish(_Inplace):
    function = "hardswish"

    def extra_repr(self) -> str:
        return ""


class ELU(_Activation):
    function = "elu"
    settings = ("alpha", "inplace")

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def extra_repr(self) -> str:
        return f"alpha={self.alpha}" + (", inplace=True" if self.inplace else "")


class CELU(ELU):
    function = "celu"


class LeakyReLU(_Activation):
    function = "leaky_relu"
    settings = ("negative_slope", "inplace")

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def extra_repr(self) -> str:
        return f"negative_slope={self.negative_slope}" + (", inplace=True" if self.inplace else "")


class Threshold(_Activation):
    function = "threshold"
    settings = ("threshold", "value", "inplace")

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def extra_repr(self) -> str:
        return f"threshold={self.threshold}, value={self.value}" + (", inplace=True" if self.inplace else "")


class Hardtanh(_Activation):
    function = "hardtanh"
    settings = ("min_val", "max_val", "inplace")

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.min_val = min_val
        self.max_val = max_val
        self.inplace = inplace
        if max_val <= min_val:
            raise AssertionError(f"max_val ({max_val}) must be greater than min_val ({min_val})")

    def extra_repr(self) -> str:
        return f"min_val={self.min_val}, max_val={self.max_val}" + (", inplace=True" if self.inplace else "")


class ReLU6(Hardtanh):
    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class GELU(_Activation):
    function = "gelu"
    settings = ("approximate",)

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"


class Softplus(_Activation):
    function = "softplus"
    settings = ("beta", "threshold")

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def extra_repr(self) -> str:
        return f"beta={self.beta}, threshold={self.threshold}"


class Softshrink(_Activation):
    function = "softshrink"
    settings = ("lambd",)

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def extra_repr(self) -> str:
        return str(self.lambd)


class Hardshrink(Softshrink):
    function = "hardshrink"


class GLU(_Activation):
    function = "glu"
    settings = ("dim",)

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmax(_Activation):
    function = "softmax"

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        out: Tensor = getattr(F, self.function)(input, self.dim, _stacklevel=5)
        return out

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class LogSoftmax(Softmax):
    function = "log_softmax"


class Softmin(Softmax):
    function = "softmin"


class PReLU(Module):
    """x, or a learned multiple of it where negative."""

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
        from .. import empty

        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(empty(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        init.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        out: Tensor = F.prelu(input, self.weight)
        return out

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


class Flatten(Module):
    """Joins dimensions."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"
