"""Instance norm."""

from __future__ import annotations

import warnings
from typing import Any

from ..._tensor import Tensor
from .. import functional as F
from .batchnorm import _check_rank, _LazyNormBase, _NormBase


class _InstanceNorm(_NormBase):
    _rank: int

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float = 0.1, affine: bool = False,
        track_running_stats: bool = False, device: Any = None, dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def _get_no_batch_dim(self) -> int:
        """How many dimensions an input without a batch has."""
        return self._rank

    def _check_input_dim(self, input: Tensor) -> None:
        _check_rank(input, self._rank, self._rank + 1)

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        batched = int(input.dim() > self._rank)
        channels = input.size(batched)
        if channels != self.num_features:
            self._tell_of_other_channels(batched, channels)
        return self._normalized(input) if batched else self._normalized(input.unsqueeze(0)).squeeze(0)

    def _tell_of_other_channels(self, at: int, channels: int) -> None:
        """Wrong if each channel has parameters; else ``num_features`` says nothing."""
        if self.affine:
            raise ValueError(
                f"expected input's size at dim={at} to match num_features ({self.num_features}), but got: {channels}."
            )
        warnings.warn(
            f"input's size at dim={at} does not match num_features. You can silence this warning by not passing in "
            "num_features, which is not used because affine=False",
            stacklevel=4,
        )

    def _normalized(self, input: Tensor) -> Tensor:
        return F.instance_norm(
            input, self.running_mean, self.running_var, self.weight, self.bias,
            self.training or not self.track_running_stats, 0.0 if self.momentum is None else self.momentum, self.eps,
        )  # fmt: skip

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool, missing_keys: list[str],
        unexpected_keys: list[str], error_msgs: list[str],
    ) -> None:  # fmt: skip
        if not self.track_running_stats and local_metadata.get("version") is None:
            keys = (f"{prefix}running_mean", f"{prefix}running_var")
            if old := [key for key in keys if state_dict.pop(key, None) is not None]:
                error_msgs.append(_unexpected_statistics(type(self).__name__, old))
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )


def _unexpected_statistics(kind: str, keys: list[str]) -> str:
    names = " and ".join(f'"{key}"' for key in keys)
    return (
        f"Unexpected running stats buffer(s) {names} for {kind} with track_running_stats=False. If state_dict is a "
        f"checkpoint saved before 0.4.0, this may be expected because {kind} does not track running stats by default "
        "since 0.4.0. Please remove these keys from state_dict. If the running stats are actually needed, instead set "
        f"track_running_stats=True in {kind} to enable them. See the documentation of {kind} for details."
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


class LazyInstanceNorm1d(_LazyNormBase, _InstanceNorm):
    """InstanceNorm1d, with as many channels as the first input has."""

    cls_to_become = InstanceNorm1d
    _rank = 2


class LazyInstanceNorm2d(_LazyNormBase, _InstanceNorm):
    """InstanceNorm2d, with as many channels as the first input has."""

    cls_to_become = InstanceNorm2d
    _rank = 3


class LazyInstanceNorm3d(_LazyNormBase, _InstanceNorm):
    """InstanceNorm3d, with as many channels as the first input has."""

    cls_to_become = InstanceNorm3d
    _rank = 4
