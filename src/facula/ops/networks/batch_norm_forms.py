"""Batch norm under the names of the operators behind it, each with a node of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._tensor import Tensor
from ..arrays.types import Array
from ..machine import batching
from ..machine.primitive import Primitive
from ..machine.public import public
from .normalization import _check_batch, batch_norm_op


def _again(name: str, node: str, kernel: Any = None, outputs: int = 3, **hidden: str) -> Primitive:
    """Batch norm with another node."""
    shown = {**batch_norm_op.saved_names, **hidden}
    op = Primitive(
        name, kernel or batch_norm_op.kernel, node, outputs=outputs, differentiable_outputs="first",
        batch=batching.item_by_item, saved_names=shown,
    )  # fmt: skip
    op.vjp(**{name: rule.fn for name, rule in batch_norm_op.rules.items()})
    if batch_norm_op.raw_rule is not None:
        op.raw_vjp(batch_norm_op.raw_rule.fn)
    return op


def _with_reserve(
    input: Array, weight: Array, bias: Array, running_mean: Array, running_var: Array, training: bool, momentum: float,
    eps: float,
) -> tuple[Array, ...]:  # fmt: skip
    found = batch_norm_op.kernel(input, weight, bias, running_mean, running_var, training, momentum, eps)
    return (*found, np.empty(0, np.uint8))


_with_statistics_op = _again("native_batch_norm_legit", "NativeBatchNormLegitBackward0")
_without_statistics_op = _again(
    "native_batch_norm_legit_no_stats", "NativeBatchNormLegitBackward1", running_mean="", running_var=""
)
_with_update_op = _again("batch_norm_with_update", "BatchNormWithUpdateBackward0", _with_reserve, 4, training="")


@public("_native_batch_norm_legit", out=True, overloads=True)
def _native_batch_norm_legit(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, *rest: Any, **named: Any
) -> Any:
    """(normalized, mean, 1 / deviation) of each channel, with or without running statistics to move."""
    statistics = ("running_mean", "running_var")
    has_statistics = isinstance(rest[0], Tensor) if rest else statistics[0] in named
    names = (*(statistics if has_statistics else ()), "training", "momentum", "eps")
    given = {**dict(zip(names, rest)), **named}
    mean, var = given.get("running_mean"), given.get("running_var")
    training = bool(given["training"])
    _check_batch(input, weight, bias, mean, var, training)
    op = _with_statistics_op if has_statistics else _without_statistics_op
    return tuple(op(input, weight, bias, mean, var, training, given["momentum"], given["eps"]))


def _batch_norm_with_update(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor, running_var: Tensor,
    momentum: float, eps: float,
) -> Any:  # fmt: skip
    """Batch norm in training; a fourth result, empty, is what other devices keep for the way back."""
    _check_batch(input, weight, bias, running_mean, running_var, True)
    return tuple(_with_update_op(input, weight, bias, running_mean, running_var, True, momentum, eps))
