"""PyTorch's ``torch.optim.lr_scheduler``: how learning rates change over time."""

from __future__ import annotations

from ...docstrings import document_classes as _document_classes
from .base import (  # noqa: F401
    EPOCH_DEPRECATION_WARNING,
    LRScheduler,
    _format_param,
    _LRScheduler,
    _param_groups_val_list,
    _update_param_group_val,
    _warn_get_lr_called_within_step,
)
from .combined import ChainedScheduler, SequentialLR
from .cosine import CosineAnnealingLR, CosineAnnealingWarmRestarts
from .cycles import CyclicLR, OneCycleLR
from .factors import (
    ConstantLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    MultiplicativeLR,
    MultiStepLR,
    PolynomialLR,
    StepLR,
)
from .plateau import ReduceLROnPlateau

__all__ = [
    "ChainedScheduler", "ConstantLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts", "CyclicLR", "ExponentialLR",
    "LRScheduler", "LambdaLR", "LinearLR", "MultiStepLR", "MultiplicativeLR", "OneCycleLR", "PolynomialLR",
    "ReduceLROnPlateau", "SequentialLR", "StepLR",
]  # fmt: skip

for _name in [*__all__, "_LRScheduler"]:
    globals()[_name].__module__ = __name__

_document_classes("optim.lr_scheduler", globals())
