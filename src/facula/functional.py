"""A redirect: ``torch.functional``, the file in which PyTorch has some functions of ``torch``."""

from __future__ import annotations

from typing import Any

import facula

_NAMES = (
    "Tensor", "atleast_1d", "atleast_2d", "atleast_3d", "block_diag", "broadcast_shapes", "broadcast_tensors",
    "cartesian_prod", "cdist", "chain_matmul", "einsum", "istft", "lu", "meshgrid", "norm", "pca_lowrank", "split",
    "stft", "svd_lowrank", "tensordot", "unique", "unique_consecutive", "unravel_index",
)  # fmt: skip

__all__ = [*_NAMES[1:]]


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        return getattr(facula, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
