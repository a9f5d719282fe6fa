"""Tensors that lie in parts on several processes: there are none here, and whoever asks for one is told so."""

from __future__ import annotations

from typing import Any, NoReturn

from ..._tensor import Tensor
from .placement_types import Partial, Placement, Replicate, Shard

__all__ = ["DTensor", "Partial", "Placement", "Replicate", "Shard", "distribute_module", "distribute_tensor"]


def _refuse(name: str) -> NoReturn:
    raise NotImplementedError(
        f"{name}: facula has no distributed tensors. DistributedDataParallel and ZeroRedundancyOptimizer are there."
    )


class DTensor(Tensor):
    """PyTorch's class of distributed tensors. None can be made."""

    def __new__(cls, *args: Any, **kwargs: Any) -> DTensor:
        _refuse("DTensor")

    @staticmethod
    def from_local(*args: Any, **kwargs: Any) -> DTensor:
        _refuse("DTensor.from_local")


def distribute_tensor(*args: Any, **kwargs: Any) -> DTensor:
    """Refuses: see ``DTensor``."""
    _refuse("distribute_tensor")


def distribute_module(*args: Any, **kwargs: Any) -> Any:
    """Refuses: see ``DTensor``."""
    _refuse("distribute_module")
