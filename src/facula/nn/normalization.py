"""Layers that normalize by mean and variance."""

from __future__ import annotations

from typing import Any

from .._tensor import Tensor
from . import functional as F
from . import init
from .linear import _empty
from .module import Module
from .parameter import Parameter


def _parameters(module: Any, size: tuple[int, ...], weight: bool, bias: bool, device: Any, dtype: Any) -> None:
    for name, wanted in (("weight", weight), ("bias", bias)):
        module.register_parameter(name, Parameter(_empty(size, device, dtype)) if wanted else None)


def _to_ones_and_zeros(module: Any) -> None:
    if module.weight is not None:
        init.ones_(module.weight)
    if module.bias is not None:
        init.zeros_(module.bias)


class _NormBase(Module):
    """What batch and instance norm share: parameters and running statistics by channel."""

    _version = 2
    weight: Parameter | None
    bias: Parameter | None
    running_mean: Tensor | None
    running_var: Tensor | None
    num_batches_tracked: Tensor | None

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
        track_running_stats: bool = True, device: Any = None, dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        from .. import ones, tensor, zeros

        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        _parameters(self, (num_features,), affine, affine and bias, device, dtype)
        made: Any = {"running_mean": None, "running_var": None, "num_batches_tracked": None}
        if track_running_stats:
            made["running_mean"] = zeros(num_features, device=device, dtype=dtype)
            made["running_var"] = ones(num_features, device=device, dtype=dtype)
            made["num_batches_tracked"] = tensor(0)
        for name, value in made.items():
            self.register_buffer(name, value)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Back to mean 0 and variance 1."""
        if self.track_running_stats:
            assert self.running_mean is not None and self.running_var is not None
            assert self.num_batches_tracked is not None
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        self.reset_running_stats()
        if self.affine:
            _to_ones_and_zeros(self)

    def _check_input_dim(self, input: Tensor) -> None:
        raise NotImplementedError

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool, missing_keys: list[str],
        unexpected_keys: list[str], error_msgs: list[str],
    ) -> None:  # fmt: skip
        version = local_metadata.get("version", None)
        key = prefix + "num_batches_tracked"
        if (version is None or version < 2) and self.track_running_stats and key not in state_dict:
            from .. import tensor

            known = self.num_batches_tracked
            state_dict[key] = tensor(0) if known is None or known.is_meta else known
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )


def _check_rank(input: Tensor, *allowed: int) -> None:
    if input.dim() not in allowed:
        told = " or ".join(f"{n}D" for n in allowed)
        raise ValueError(f"expected {told} input (got {input.dim()}D input)")


# ---- batch norm


class _BatchNorm(_NormBase):
    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        factor = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                factor = 1.0 / float(self.num_batches_tracked)
        by_batch = self.training or (self.running_mean is None and self.running_var is None)
        keeps = not self.training or self.track_running_stats
        return F.batch_norm(
            input, self.running_mean if keeps else None, self.running_var if keeps else None, self.weight, self.bias,
            by_batch, factor, self.eps,
        )  # fmt: skip


class BatchNorm1d(_BatchNorm):
    """Batch norm of (n, channels) or (n, channels, length)."""

    def _check_input_dim(self, input: Tensor) -> None:
        _check_rank(input, 2, 3)


class BatchNorm2d(_BatchNorm):
    """Batch norm of (n, channels, height, width)."""

    def _check_input_dim(self, input: Tensor) -> None:
        _check_rank(input, 4)


class BatchNorm3d(_BatchNorm):
    """Batch norm of (n, channels, depth, height, width)."""

    def _check_input_dim(self, input: Tensor) -> None:
        _check_rank(input, 5)


# ---- instance norm


class _InstanceNorm(_NormBase):
    _rank: int

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float = 0.1, affine: bool = False,
        track_running_stats: bool = False, device: Any = None, dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def _check_input_dim(self, input: Tensor) -> None:
        _check_rank(input, self._rank, self._rank + 1)

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        at = input.dim() - self._rank
        if input.size(at) != self.num_features:
            if self.affine:
                raise ValueError(
                    f"expected input's size at dim={at} to match num_features ({self.num_features}), but got: "
                    f"{input.size(at)}."
                )
            import warnings

            warnings.warn(
                f"input's size at dim={at} does not match num_features. You can silence this warning by not passing in "
                "num_features, which is not used because affine=False",
                stacklevel=3,
            )
        if input.dim() == self._rank:
            return self._normalized(input.unsqueeze(0)).squeeze(0)
        return self._normalized(input)

    def _normalized(self, input: Tensor) -> Tensor:
        return F.instance_norm(
            input, self.running_mean, self.running_var, self.weight, self.bias,
            self.training or not self.track_running_stats, 0.0 if self.momentum is None else self.momentum, self.eps,
        )  # fmt: skip

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool, missing_keys: list[str],
        unexpected_keys: list[str], error_msgs: list[str],
    ) -> None:  # fmt: skip
        version = local_metadata.get("version", None)
        if version is None and not self.track_running_stats:
            found = [name for name in ("running_mean", "running_var") if prefix + name in state_dict]
            if found:
                names = " and ".join(f'"{prefix}{name}"' for name in found)
                kind = self.__class__.__name__
                error_msgs.append(
                    f"Unexpected running stats buffer(s) {names} for {kind} with track_running_stats=False. If "
                    "state_dict is a checkpoint saved before 0.4.0, this may be expected because "
                    f"{kind} does not track running stats by default since 0.4.0. Please remove these keys from "
                    "state_dict. If the running stats are actually needed, instead set track_running_stats=True in "
                    f"{kind} to enable them. See the documentation of {kind} for details."
                )
                for name in found:
                    state_dict.pop(prefix + name)
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )


class InstanceNorm1d(_InstanceNorm):
    """Instance norm of (n, channels, length) or (channels, length)."""

    _rank = 2


class InstanceNorm2d(_InstanceNorm):
    """Instance norm of (n, channels, height, width), also without n."""

    _rank = 3


class InstanceNorm3d(_InstanceNorm):
    """Instance norm of (n, channels, depth, height, width), also without n."""

    _rank = 4


# ---- layer, group, RMS and local response norm


class LayerNorm(Module):
    """Mean 0 and variance 1 over the last dimensions, then scaled and shifted."""

    weight: Parameter | None
    bias: Parameter | None

    def __init__(
        self, normalized_shape: Any, eps: float = 1e-5, elementwise_affine: bool = True, bias: bool = True,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.normalized_shape = _as_shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        _parameters(self, self.normalized_shape, elementwise_affine, elementwise_affine and bias, device, dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        if self.elementwise_affine:
            _to_ones_and_zeros(self)

    def forward(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
            f"bias={self.bias is not None}"
        )


class RMSNorm(Module):
    """Mean square 1 over the last dimensions, then scaled."""

    weight: Parameter | None

    def __init__(
        self, normalized_shape: Any, eps: float | None = None, elementwise_affine: bool = True, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.normalized_shape = _as_shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        made = Parameter(_empty(self.normalized_shape, device, dtype)) if elementwise_affine else None
        self.register_parameter("weight", made)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        if self.weight is not None:
            init.ones_(self.weight)

    def forward(self, x: Tensor) -> Tensor:
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


def _as_shape(normalized_shape: Any) -> tuple[int, ...]:
    return (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)


class GroupNorm(Module):
    """Mean 0 and variance 1 over groups of channels of each sample, then scaled and shifted by channel."""

    weight: Parameter | None
    bias: Parameter | None

    def __init__(
        self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True, device: Any = None,
        dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        _parameters(self, (num_channels,), affine, affine and bias, device, dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        if self.affine:
            _to_ones_and_zeros(self)

    def forward(self, input: Tensor) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


class LocalResponseNorm(Module):
    """Each value divided by a power of the mean square of its neighbours among the channels."""

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Tensor) -> Tensor:
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
