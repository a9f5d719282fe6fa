"""Batch norm."""

from __future__ import annotations

from typing import Any

from ..._tensor import Tensor
from .. import functional as F
from .. import init
from ..parameter import Parameter
from .lazy import LazyModuleMixin
from .linear import _empty, _weight_and_bias
from .module import Module


def _parameters(module: Any, size: int | tuple[int, ...], weight: bool, bias: bool, device: Any, dtype: Any) -> None:
    for name, wanted in (("weight", weight), ("bias", bias)):
        module.register_parameter(name, Parameter(_empty(size, device, dtype)) if wanted else None)


def _to_ones_and_zeros(module: Any) -> None:
    if module.weight is not None:
        init.ones_(module.weight)
    if module.bias is not None:
        init.zeros_(module.bias)


class _NormBase(Module):
    """What batch and instance norm share: parameters and running statistics by channel."""

    __constants__ = ["track_running_stats", "momentum", "eps", "num_features", "affine"]

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
        from ... import ones, tensor, zeros  # loaded when first used

        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        _parameters(self, num_features, affine, affine and bias, device, dtype)
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
            from ... import tensor  # loaded when first used

            known = self.num_batches_tracked
            state_dict[key] = tensor(0) if known is None or known.is_meta else known
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )


def _check_rank(input: Tensor, *allowed: int) -> None:
    if input.dim() not in allowed:
        told = " or ".join(f"{n}D" for n in allowed)
        raise ValueError(f"expected {told} input (got {input.dim()}D input)")


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
            input, self.running_mean if keeps else None, self.running_var if keeps else None, *_weight_and_bias(self),
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


class SyncBatchNorm(_BatchNorm):
    """Mean and variance by channel, over the batches of a group of processes.

    They are sums over the group, which have derivatives (``distributed.nn.functional``), and so the gradients are right
    without a word.
    """

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
        track_running_stats: bool = True, process_group: Any = None, device: Any = None, dtype: Any = None, *,
        bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self.process_group = process_group

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")

    def _check_non_zero_input_channels(self, input: Tensor) -> None:
        if input.size(1) == 0:
            raise ValueError("SyncBatchNorm number of input channels should be non-zero")

    def forward(self, input: Tensor) -> Tensor:
        from ... import distributed  # loaded when first used

        self._check_input_dim(input)
        self._check_non_zero_input_channels(input)
        uses_batch = self.training or (self.running_mean is None and self.running_var is None)
        if not (uses_batch and distributed.is_initialized() and distributed.get_world_size(self.process_group) > 1):
            return super().forward(input)
        return self._normalized_over_group(input)

    def _normalized_over_group(self, input: Tensor) -> Tensor:
        from ... import cat, full, rsqrt  # loaded when first used
        from ...distributed.nn.functional import all_reduce  # loaded when first used

        others = [0, *range(2, input.dim())]
        shape = [1, -1] + [1] * (input.dim() - 2)
        own_count = full((1,), float(input.numel() // input.size(1)), dtype=input.dtype)
        sums = all_reduce(cat([input.sum(others), own_count]), group=self.process_group)
        count = sums[-1].detach()
        mean = sums[:-1] / count
        centred = input - mean.view(shape)
        variance = all_reduce((centred * centred).sum(others), group=self.process_group) / count
        if self.training and self.track_running_stats:
            self._follow(mean.detach(), variance.detach(), count)
        found = centred * rsqrt(variance + self.eps).view(shape)
        if self.weight is not None:
            found = found * self.weight.view(shape)
        if self.bias is not None:
            found = found + self.bias.view(shape)
        return found

    def _follow(self, mean: Tensor, variance: Tensor, count: Tensor) -> None:
        """The running statistics, by the unbiased variance."""
        assert self.num_batches_tracked is not None and self.running_mean is not None and self.running_var is not None
        self.num_batches_tracked.add_(1)
        step = 1.0 / float(self.num_batches_tracked) if self.momentum is None else self.momentum
        self.running_mean.mul_(1 - step).add_(mean * step)
        self.running_var.mul_(1 - step).add_(variance * (count / (count - 1)) * step)

    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: Any = None) -> Module:
        """The module with a SyncBatchNorm in the place of each batch norm."""
        made = module
        if isinstance(module, _BatchNorm):
            made = SyncBatchNorm(
                module.num_features, module.eps, module.momentum, module.affine, module.track_running_stats,
                process_group, bias=module.bias is not None,
            )  # fmt: skip
            if module.affine:
                made.weight, made.bias = module.weight, module.bias
            for name in ("running_mean", "running_var", "num_batches_tracked"):
                setattr(made, name, getattr(module, name))
            made.training = module.training
        for name, child in module.named_children():
            made.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return made


# ---- with the number of channels of the first input


class _LazyNormBase(LazyModuleMixin, _NormBase):
    def __init__(
        self, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True, track_running_stats: bool = True,
        device: Any = None, dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        from ... import tensor  # loaded when first used
        from ..parameter import UninitializedBuffer, UninitializedParameter  # loaded when first used

        super().__init__(0, eps, momentum, False, False, device, dtype)
        self.affine = affine
        self.track_running_stats = track_running_stats
        if affine:
            self.weight = UninitializedParameter(device=device, dtype=dtype)
            if bias:
                self.bias = UninitializedParameter(device=device, dtype=dtype)
        if track_running_stats:
            self.running_mean = UninitializedBuffer(device=device, dtype=dtype)
            self.running_var = UninitializedBuffer(device=device, dtype=dtype)
            self.num_batches_tracked = tensor(0, device=device)

    def reset_parameters(self) -> None:
        if not self.has_uninitialized_params() and self.num_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        if not self.has_uninitialized_params():
            return
        self.num_features = input.shape[1]
        names = ("weight", "bias", "running_mean", "running_var")
        self._give_shapes(**dict.fromkeys(names, (self.num_features,)))


class LazyBatchNorm1d(_LazyNormBase, _BatchNorm):
    """BatchNorm1d, with as many channels as the first input has."""

    cls_to_become = BatchNorm1d

    def _check_input_dim(self, input: Tensor) -> None:
        _check_rank(input, 2, 3)


class LazyBatchNorm2d(_LazyNormBase, _BatchNorm):
    """BatchNorm2d, with as many channels as the first input has."""

    cls_to_become = BatchNorm2d

    def _check_input_dim(self, input: Tensor) -> None:
        _check_rank(input, 4)


class LazyBatchNorm3d(_LazyNormBase, _BatchNorm):
    """BatchNorm3d, with as many channels as the first input has."""

    cls_to_become = BatchNorm3d

    def _check_input_dim(self, input: Tensor) -> None:
        _check_rank(input, 5)
