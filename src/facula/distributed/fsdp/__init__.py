"""Parameters that lie in parts on several processes: there are none here, and whoever asks for them is told so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

from ..._core.dtypes import dtype
from ...nn import Module

__all__ = [
    "CPUOffloadPolicy", "FSDPModule", "FullyShardedDataParallel", "MixedPrecisionPolicy", "OffloadPolicy",
    "fully_shard",
]  # fmt: skip


def _refuse(name: str) -> NoReturn:
    raise NotImplementedError(
        f"{name}: facula does not shard parameters. DistributedDataParallel and ZeroRedundancyOptimizer are there."
    )


@dataclass(frozen=True)
class MixedPrecisionPolicy:
    """The dtypes that ``fully_shard`` is to compute and to reduce in."""

    param_dtype: dtype | None = None
    reduce_dtype: dtype | None = None
    output_dtype: dtype | None = None
    cast_forward_inputs: bool = True


@dataclass
class OffloadPolicy:
    """Nothing is moved to other memory."""


@dataclass
class CPUOffloadPolicy(OffloadPolicy):
    """Parameters are kept in the memory of the CPU."""

    pin_memory: bool = True


class FSDPModule:
    """PyTorch's class of modules whose parameters are sharded. None can be made."""

    def __new__(cls, *args: Any, **kwargs: Any) -> FSDPModule:
        _refuse("FSDPModule")


class FullyShardedDataParallel(Module):
    """PyTorch's module whose parameters are sharded. None can be made."""

    def __new__(cls, *args: Any, **kwargs: Any) -> FullyShardedDataParallel:
        _refuse("FullyShardedDataParallel")


def fully_shard(*args: Any, **kwargs: Any) -> Any:
    """Refuses: see ``FSDPModule``."""
    _refuse("fully_shard")
