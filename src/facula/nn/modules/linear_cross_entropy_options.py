"""Where PyTorch keeps the options of ``linear_cross_entropy``."""

from ..functional.linear_loss import LinearCrossEntropyOptions

__all__ = ["LinearCrossEntropyOptions"]
