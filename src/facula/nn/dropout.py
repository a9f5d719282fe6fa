"""Dropout layers: random in training, nothing in evaluation."""

from __future__ import annotations

from .._tensor import Tensor
from . import functional as F
from .module import Module


class _DropoutNd(Module):
    """``function`` is that of ``nn.functional`` which does it."""

    function: str

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        out: Tensor = getattr(F, self.function)(input, self.p, self.training, self.inplace)
        return out

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """Zeros at random, the rest scaled up."""

    function = "dropout"


class Dropout1d(_DropoutNd):
    """Whole channels of signals dropped."""

    function = "dropout1d"


class Dropout2d(_DropoutNd):
    """Whole channels of images dropped."""

    function = "dropout2d"


class Dropout3d(_DropoutNd):
    """Whole channels of volumes dropped."""

    function = "dropout3d"


class AlphaDropout(_DropoutNd):
    """Dropout that keeps mean and variance of what SELU gives."""

    def forward(self, input: Tensor) -> Tensor:
        out: Tensor = F.alpha_dropout(input, self.p, self.training)
        return out


class FeatureAlphaDropout(_DropoutNd):
    """Alpha dropout of whole channels."""

    def forward(self, input: Tensor) -> Tensor:
        out: Tensor = F.feature_alpha_dropout(input, self.p, self.training)
        return out
