"""Cross entropy right behind a linear layer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..._tensor import Tensor
from ...ops.products.linear import linear
from .class_loss import cross_entropy


@dataclass(frozen=True, slots=True)
class LinearCrossEntropyOptions:
    """How PyTorch would save memory by chunks of the batch. Accepted, without effect: all logits are there at once."""

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: str = "auto"
    acc_dtype: Any = None


def linear_cross_entropy(
    input: Tensor, linear_weight: Tensor, target: Tensor, *, linear_bias: Tensor | None = None,
    weight: Tensor | None = None, reduction: str = "mean", ignore_index: int | None = None,
    label_smoothing: float = 0.0, options: LinearCrossEntropyOptions | None = None,
) -> Tensor:  # fmt: skip
    """``cross_entropy(linear(input, linear_weight, linear_bias), target)``.

    A weight of more than two dimensions, (classes, d1, ..., in), gives a loss for each of the places d1, ...
    """
    x, w = tuple(input.shape), tuple(linear_weight.shape)
    if len(x) not in (1, 2):
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {len(x)}")
    if len(w) < 2:
        raise RuntimeError(f"expected linear_weight with dimensionality at least 2, got {len(w)}")
    if x[-1] != w[-1]:
        raise RuntimeError(
            f"expected equal input and linear_weight last dimensions (in_features), got {x[-1]} and {w[-1]}, "
            "respectively"
        )
    if linear_bias is not None and tuple(linear_bias.shape) != w[:-1]:
        raise RuntimeError(f"expected linear_bias shape {w[:-1]}, got {tuple(linear_bias.shape)}")
    if len(w) > 2 and len(x) == 1:
        raise RuntimeError(
            f"K-dimensional loss defined by linear_weight shape {w} requires batched input, (N, {x[-1]}), got "
            f"unbatched input with shape {x}"
        )
    shape = (*x[:-1], *w[:-1])
    if tuple(target.shape) == shape and ignore_index is not None:
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    if len(w) == 2:
        logits = linear(input, linear_weight, linear_bias)
    else:
        bias = None if linear_bias is None else linear_bias.flatten()
        logits = linear(input, linear_weight.flatten(0, -2), bias).reshape(shape)
    return cross_entropy(
        logits, target, weight, ignore_index=-100 if ignore_index is None else ignore_index, reduction=reduction,
        label_smoothing=label_smoothing,
    )  # fmt: skip
