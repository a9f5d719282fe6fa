"""Normalization by mean and variance, and by neighbours."""

from __future__ import annotations

import math
from typing import Any

from ..._core import state
from ..._tensor import Tensor
from ...ops.networks import batch_norm as _batch
from ...ops.networks import group_norm as _group
from ...ops.networks import layer_norm as _layer

_batch_norm: Any = _batch.batch_norm.public  # type: ignore[attr-defined]
_instance_norm: Any = _batch.instance_norm.public  # type: ignore[attr-defined]
_layer_norm: Any = _layer.layer_norm.public  # type: ignore[attr-defined]
_group_norm: Any = _group.group_norm.public  # type: ignore[attr-defined]
_rms_norm: Any = _layer.rms_norm.public  # type: ignore[attr-defined]


def _check_values_per_channel(shape: Any, told: Any) -> None:
    if shape[0] * math.prod(shape[2:]) == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {told}")


def batch_norm(
    input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Tensor | None = None,
    bias: Tensor | None = None, training: bool = False, momentum: float = 0.1, eps: float = 1e-5,
) -> Tensor:  # fmt: skip
    """Mean 0 and variance 1 over each channel, by the batch's own statistics in training, else by the running ones."""
    if training:
        _check_values_per_channel(input.size(), input.size())
        if state.watch is not None and not state.grad_enabled() and running_mean is not None:
            state.watch.evaluated("Batch norm")
    if eps <= 0 and (training or eps < 0):
        least = "positive during training" if training else "non-negative"
        raise ValueError(f"batch_norm eps must be {least}, but got {eps}")
    found: Tensor = _batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, True)
    return found


def instance_norm(
    input: Tensor, running_mean: Tensor | None = None, running_var: Tensor | None = None, weight: Tensor | None = None,
    bias: Tensor | None = None, use_input_stats: bool = True, momentum: float = 0.1, eps: float = 1e-5,
) -> Tensor:  # fmt: skip
    """Mean 0 and variance 1 over each channel of each sample."""
    if use_input_stats and math.prod(input.size()[2:]) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {input.size()}")
    found: Tensor = _instance_norm(
        input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, True
    )
    return found


def layer_norm(
    input: Tensor, normalized_shape: Any, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """Mean 0 and variance 1 over the last dimensions."""
    found: Tensor = _layer_norm(input, normalized_shape, weight, bias, eps)
    return found


def rms_norm(input: Tensor, normalized_shape: Any, weight: Tensor | None = None, eps: float | None = None) -> Tensor:
    """Mean square 1 over the last dimensions."""
    found: Tensor = _rms_norm(input, normalized_shape, weight, eps)
    return found


def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """Mean 0 and variance 1 over groups of channels of each sample."""
    shape = input.size()
    if len(shape) < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {len(shape)}")
    _check_values_per_channel([shape[0] * shape[1] // num_groups, num_groups, *shape[2:]], list(shape))
    found: Tensor = _group_norm(input, num_groups, weight, bias, eps)
    return found


def local_response_norm(input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """Each value divided by a power of the mean square of its neighbours among the channels."""
    dim = input.dim()
    if dim < 3:
        gap = " " * 25
        raise ValueError(f"Expected 3D or higher dimensionality {gap}input (got {dim} dimensions)")
    if input.numel() == 0:
        return input
    from ... import nn  # loaded when first used

    avg_pool2d: Any = nn.functional.avg_pool2d
    avg_pool3d: Any = nn.functional.avg_pool3d
    pad: Any = nn.functional.pad

    squares = input.mul(input)
    before, after = size // 2, (size - 1) // 2
    if dim == 3:
        padded = pad(squares.unsqueeze(1), (0, 0, before, after))
        means = avg_pool2d(padded, (size, 1), stride=1).squeeze(1)
    else:
        sizes = input.size()
        padded = pad(squares.view(sizes[0], 1, sizes[1], sizes[2], -1), (0, 0, 0, 0, before, after))
        means = avg_pool3d(padded, (size, 1, 1), stride=1).squeeze(1).view(sizes)
    found: Tensor = input / means.mul(alpha).add(k).pow(beta)
    return found
