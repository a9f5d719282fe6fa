"""Batch norm, in evaluation, as part of the layer before it."""

from __future__ import annotations

import copy
from typing import Any, TypeVar

import facula

from ..._tensor import Tensor
from ..parameter import Parameter

ConvT = TypeVar("ConvT")
LinearT = TypeVar("LinearT")


def _statistics(layer: Any, bn: Any) -> list[Any]:
    """What a fused layer is made from; only in evaluation that does not change."""
    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")
    return [layer.weight, layer.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias]


def fuse_conv_bn_eval(conv: ConvT, bn: Any, transpose: bool = False) -> ConvT:
    """A convolution that does what the two do in evaluation."""
    fused: Any = copy.deepcopy(conv)
    fused.weight, fused.bias = fuse_conv_bn_weights(*[*_statistics(fused, bn), transpose])
    result: ConvT = fused
    return result


def fuse_conv_bn_weights(
    conv_w: Tensor, conv_b: Tensor | None, bn_rm: Tensor, bn_rv: Tensor, bn_eps: float, bn_w: Tensor | None,
    bn_b: Tensor | None, transpose: bool = False,
) -> tuple[Parameter, Parameter]:  # fmt: skip
    """Weight and bias of the fused convolution."""
    gain = facula.ones_like(bn_rm) if bn_w is None else bn_w
    shift = facula.zeros_like(bn_rm) if bn_b is None else bn_b
    scale = gain * (bn_rv + bn_eps).rsqrt()
    shape = [1] * conv_w.dim()
    shape[1 if transpose else 0] = -1
    weight = (conv_w * scale.reshape(shape)).to(dtype=conv_w.dtype)
    return Parameter(weight, conv_w.requires_grad), _fused_bias(conv_w, conv_b, bn_rm, scale, shift)


def _fused_bias(weight: Tensor, bias: Tensor | None, mean: Tensor, scale: Tensor, shift: Tensor) -> Parameter:
    dtype = (weight if bias is None else bias).dtype
    moved = ((0 if bias is None else bias) - mean) * scale + shift
    return Parameter(moved.to(dtype=dtype), bias is not None and bias.requires_grad)


def fuse_linear_bn_eval(linear: LinearT, bn: Any) -> LinearT:
    """A linear layer that does what the two do in evaluation."""
    fused: Any = copy.deepcopy(linear)
    given = _statistics(fused, bn)
    if fused.out_features != bn.num_features and bn.num_features != 1:
        raise AssertionError(
            "To fuse, linear.out_features == bn.num_features or bn.num_features == 1, got "
            f"linear.out_features={fused.out_features} and bn.num_features={bn.num_features}"
        )
    fused.weight, fused.bias = fuse_linear_bn_weights(*given)
    result: LinearT = fused
    return result


def fuse_linear_bn_weights(
    linear_w: Tensor, linear_b: Tensor | None, bn_rm: Tensor, bn_rv: Tensor, bn_eps: float, bn_w: Tensor, bn_b: Tensor
) -> tuple[Parameter, Parameter]:
    """Weight and bias of the fused linear layer."""
    scale = bn_w * (bn_rv + bn_eps).rsqrt()
    weight = linear_w * scale.unsqueeze(-1).to(dtype=linear_w.dtype)
    return Parameter(weight, linear_w.requires_grad), _fused_bias(linear_w, linear_b, bn_rm, scale, bn_b)
