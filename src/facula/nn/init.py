"""Filling tensors with initial values, in place and unrecorded."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

from .._tensor import Tensor
from ..autograd.grad_mode import no_grad


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor by which a nonlinearity asks the standard deviation of the weights before it to be scaled."""
    if nonlinearity in _LINEAR:
        return 1
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        if param is None:
            slope = 0.01
        elif isinstance(param, (int, float)) and not isinstance(param, bool):
            slope = param
        else:
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + slope**2))
    if nonlinearity == "selu":
        return 3.0 / 4
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


_LINEAR = (
    "linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "sigmoid",
)  # fmt: skip


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Tensor:
    """Uniform on [a, b)."""
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Tensor:
    """Normal with this mean and standard deviation."""
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)


def trunc_normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0, generator: Any = None
) -> Tensor:
    """Normal, with values outside [a, b] drawn anew."""

    def below(x: float) -> float:
        return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0

    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be "
            "incorrect.",
            stacklevel=2,
        )
    if tensor.is_meta:
        return tensor
    with no_grad():
        if below((b - mean) / std) - below((a - mean) / std) > 0.3:
            return _drawn_until_within(tensor, mean, std, a, b, generator)
        return _drawn_in_a_tail(tensor, mean, std, a, b, generator)


def _drawn_until_within(tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Any) -> Tensor:
    """As long as any number lies outside [a, b] all are drawn again, and those outside replaced."""
    low, high = tensor.new_tensor([a, b]).tolist()
    tensor.normal_(mean, std, generator=generator)
    while (outside := (tensor < low) | (tensor > high)).any():
        again = tensor.clone().normal_(mean, std, generator=generator)
        tensor.copy_(again.where(outside, tensor))
    return tensor


def _drawn_in_a_tail(tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Any) -> Tensor:
    """Where a normal number would seldom be within [a, b]: uniform ones, kept with the probability of their density."""
    peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2
    pending: Tensor | None = None
    while pending is None or pending.any():
        candidates = tensor.clone().uniform_(a, b, generator=generator)
        tensor.copy_(candidates if pending is None else candidates.where(pending, tensor))
        density = candidates.sub_(mean).div_(std).pow_(2).mul_(-0.5).sub_(peak)
        refused = tensor.clone().uniform_(generator=generator).log_().gt(density)
        pending = refused if pending is None else refused & pending
    return tensor


def constant_(tensor: Tensor, val: float) -> Tensor:
    """One value everywhere."""
    with no_grad():
        return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """Fill with ones."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Fill with zeros."""
    with no_grad():
        return tensor.zero_()


def eye_(tensor: Tensor) -> Tensor:
    """Ones on the diagonal of a matrix."""
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with no_grad():
        tensor.zero_()
        for i in range(min(tensor.shape)):
            tensor[i, i] = 1
    return tensor


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    field = math.prod(tensor.shape[2:])
    return tensor.size(1) * field, tensor.size(0) * field


def _calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    return _calculate_fan_in_and_fan_out(tensor)[mode == "fan_out"]


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Uniform, scaled by fan in and fan out (Glorot & Bengio 2010)."""
    bound = math.sqrt(3.0) * _xavier_std(tensor, gain)
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Normal, scaled by fan in and fan out (Glorot & Bengio 2010)."""
    return normal_(tensor, 0.0, _xavier_std(tensor, gain), generator)


def _xavier_std(tensor: Tensor, gain: float) -> float:
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return gain * math.sqrt(2.0 / float(fan_in + fan_out))


def kaiming_uniform_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Tensor:
    """Uniform, scaled for layers followed by (leaky) relu (He et al. 2015)."""
    if 0 in tensor.shape:
        return _nothing_to_do(tensor)
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Tensor:
    """Normal, scaled for layers followed by (leaky) relu (He et al. 2015)."""
    if 0 in tensor.shape:
        return _nothing_to_do(tensor)
    return normal_(tensor, 0.0, _kaiming_std(tensor, a, mode, nonlinearity), generator)


def _kaiming_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    fan = _calculate_correct_fan(tensor, mode)
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def _nothing_to_do(tensor: Tensor) -> Tensor:
    warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
    return tensor


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Weights of a convolution that passes its input through, as far as there are channels."""
    if tensor.ndimension() not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if tensor.size(0) % groups:
        raise ValueError("dim 0 must be divisible by groups")
    per_group = tensor.size(0) // groups
    middle = tuple(size // 2 for size in tensor.shape[2:])
    with no_grad():
        tensor.zero_()
        for g in range(groups):
            for i in range(min(per_group, tensor.size(1))):
                tensor[(g * per_group + i, i, *middle)] = 1
    return tensor


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Any = None) -> Tensor:
    """Rows or columns (whichever are fewer) that are orthogonal, each of length ``gain`` (Saxe et al. 2013)."""
    if tensor.ndimension() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    from ..linalg import qr  # loaded when first used

    rows = tensor.size(0)
    columns = tensor.numel() // rows
    with no_grad():
        drawn = tensor.new_empty((rows, columns)).normal_(0, 1, generator=generator)
        q, r = qr(drawn.T if rows < columns else drawn)
        q = q * r.diagonal().sign()  # else QR favours some of the orthogonal matrices
        tensor.copy_((q.T if rows < columns else q).reshape(tensor.shape)).mul_(gain)
    return tensor


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Any = None) -> Tensor:
    """Normal, with this part of each column set to zero (Martens 2010)."""
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    from ..ops.machine.public import FUNCTIONS  # loaded when first used

    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    with no_grad():
        tensor.normal_(0, std, generator=generator)
        for column in range(columns):
            tensor[FUNCTIONS["randperm"](rows)[:zeros], column] = 0
    return tensor


# ---- old names


def _make_deprecate(meth: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The same function under its name without underscore, with a warning."""
    name = meth.__name__
    message = f"`nn.init.{name[:-1]}` is now deprecated in favor of `nn.init.{name}`."

    def deprecated(*args: Any, **kwargs: Any) -> Tensor:
        warnings.warn(message, FutureWarning, stacklevel=2)
        return meth(*args, **kwargs)

    deprecated.__name__, deprecated.__doc__ = name[:-1], f"The old name of ``{name}``."
    deprecated.__wrapped__ = meth  # type: ignore[attr-defined]  # whose parameters it passes on
    return deprecated


uniform = _make_deprecate(uniform_)
normal = _make_deprecate(normal_)
constant = _make_deprecate(constant_)
eye = _make_deprecate(eye_)
dirac = _make_deprecate(dirac_)
xavier_uniform = _make_deprecate(xavier_uniform_)
xavier_normal = _make_deprecate(xavier_normal_)
kaiming_uniform = _make_deprecate(kaiming_uniform_)
kaiming_normal = _make_deprecate(kaiming_normal_)
orthogonal = _make_deprecate(orthogonal_)
sparse = _make_deprecate(sparse_)

_no_grad_uniform_ = uniform_
_no_grad_normal_ = normal_
_no_grad_trunc_normal_ = trunc_normal_
_no_grad_fill_ = constant_
_no_grad_zero_ = zeros_
