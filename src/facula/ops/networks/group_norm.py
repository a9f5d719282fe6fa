"""Group norm: over groups of channels of each sample."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core.dtypes import not_for, widened
from ..._tensor import Tensor
from ..arrays.meta import by_zeros
from ..arrays.normalization import channel_products, channel_sums, normalize_rows, row_gradients
from ..arrays.strides import is_channels_last, lying_as
from ..arrays.types import Array
from ..machine import batching
from ..machine.namespaces import TENSORS
from ..machine.primitive import primitive
from ..machine.public import public
from .normalization import added, affine, check_dtypes, gradient_of_normalized, like


@primitive(
    "NativeGroupNormBackward0", name="native_group_norm", outputs=3,
    saved_names={"input": "input", "out1": "result1", "out2": "result2"}, native=("norms:group_norm", 64),
    lowering="library",
)  # fmt: skip
@by_zeros
def group_norm_op(
    input: Array, weight: Array | None, bias: Array | None, N: int, C: int, HxW: int, group: int, eps: float,
    mixed: bool,
) -> tuple[Array, ...]:  # fmt: skip
    rows = widened(input).reshape(N * group, C // group * HxW)
    out, mean, inverse = normalize_rows(rows, eps)
    cubes = out.reshape(N, C, HxW)
    if weight is not None:
        cubes *= widened(weight)[:, None]
    if bias is not None:
        cubes += widened(bias)[:, None]
    moments = inverse.dtype if mixed else input.dtype
    return (
        lying_as(like(out, input.dtype).reshape(input.shape), input),
        like(mean, moments).reshape(N, group),
        like(inverse, moments).reshape(N, group),
    )


@primitive(
    name="native_group_norm_backward", outputs=3, native=("norms:group_norm_backward", 64), lowering="library"
)
@by_zeros
def group_norm_backward_op(
    grad_out: Array | None, grad_mean: Array | None, grad_rstd: Array | None, input: Array, weight: Array | None,
    mean: Array, rstd: Array, N: int, C: int, HxW: int, group: int, eps: float, needs: tuple[bool, ...],
) -> list[Array | None]:  # fmt: skip
    to_input, to_weight, to_bias = needs
    found: list[Any] = [None, None, None]
    if grad_out is None:
        to_weight = to_bias = False
    middle, inverse = (widened(m).reshape(-1, 1) for m in (mean, rstd))
    rows = widened(input).reshape(middle.shape[0], input.size // max(middle.shape[0], 1))
    cubes = widened(np.zeros_like(input) if grad_out is None else grad_out).reshape(N, C, HxW)
    if to_bias:
        found[2] = like(channel_sums(np.ascontiguousarray(cubes)), mean.dtype)
    if weight is not None and to_weight:
        normal = rows - middle
        normal *= inverse
        found[1] = like(channel_products(cubes, normal.reshape(N, C, HxW)), weight.dtype)
    if to_input:
        if weight is not None:
            cubes = cubes * widened(weight)[:, None]
        by_input, _ = row_gradients(cubes.reshape(rows.shape), rows, middle, inverse, None, True, False)
        n = rows.shape[1] or 1
        if grad_mean is not None:
            by_input += widened(grad_mean).reshape(-1, 1) / n
        if grad_rstd is not None:
            by_input -= widened(grad_rstd).reshape(-1, 1) * inverse * inverse * inverse * (rows - middle) / n
        found[0] = lying_as(like(by_input, input.dtype).reshape(input.shape), input)
    return found


group_norm_op.gradient(
    group_norm_backward_op, "input", "weight", "bias", grad_out="g0", grad_mean="g1", grad_rstd="g2", mean="out1",
    rstd="out2",
)  # fmt: skip


@group_norm_backward_op.compose
def group_norm_gradients(
    grad_out: Any, grad_mean: Any, grad_rstd: Any, input: Any, weight: Any, mean: Any, rstd: Any, N: int, C: int,
    HxW: int, group: int, eps: float, needs: Any,
) -> list[Any]:  # fmt: skip
    xp = TENSORS
    to_input, to_weight, to_bias = (need and grad_out is not None for need in needs)
    rows = (*mean.shape, math.prod(input.shape) // max(math.prod(mean.shape), 1))
    column, cubes, n = (*mean.shape, 1), (N, C, HxW), rows[-1] or 1
    inverse = xp.view(rstd, column)
    normal = (xp.reshape(input, rows) - xp.view(mean, column)) * inverse
    up = None if grad_out is None else xp.reshape(grad_out, cubes)
    by_input = None
    if to_input:
        scaled = up if weight is None else up * xp.view(weight, (C, 1))
        by_input = gradient_of_normalized(xp.reshape(scaled, rows), normal, inverse, (2,), xp)
    if needs[0]:
        by_mean = None if grad_mean is None else xp.expand(xp.view(grad_mean, column) / n, rows)
        by_rstd = None if grad_rstd is None else xp.view(grad_rstd, column) * inverse * inverse * normal / -n
        by_input = added(by_input, by_mean, by_rstd)
    return [
        None if by_input is None else xp.reshape(by_input, input.shape),
        xp.sum_dim(up * xp.reshape(normal, cubes), (0, 2), False) if to_weight else None,
        xp.sum_dim(up, (0, 2), False) if to_bias else None,
    ]


@group_norm_op.batch
def group_norm_batched(call: batching.Call) -> Any:
    n, *rest = call.attributes
    attributes = (n * call.size, *rest)
    x = batching.joined(call.full(0))
    if not call.flags[1] and not call.flags[2]:
        return [batching.parted(r, call.size) for r in call.run([x, *call.values[1:]], attributes)]
    plain, mean, scale = (batching.parted(r, call.size) for r in call.run([x, None, None], attributes))
    spatial = plain.dim() - 3

    def shape(v: Any, flag: bool) -> Any:
        return v.reshape(v.shape[0] if flag else 1, 1, -1, *[1] * spatial)

    return [affine(plain, call, shape), mean, scale]


@public("native_group_norm")
def native_group_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, N: int, C: int, HxW: int, group: int, eps: float
) -> Any:
    """(normalized, mean, 1 / deviation) of groups of channels."""
    shape = input._array.shape
    if C % group:
        raise RuntimeError(
            f"Expected number of channels in input to be divisible by num_groups, but got input of shape {list(shape)} "
            f"and num_groups={group}"
        )
    for name, p in (("weight", weight), ("bias", bias)):
        if p is not None and p._array.shape != (C,):
            told = p if name == "weight" or weight is None else weight
            size = list(told._array.shape) if name == "weight" or weight is not None else [0]
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got {name} of "
                f"shape {size} and input of shape {list(shape)}"
            )
    mixed = check_dtypes(input, (weight, bias))
    if input._array.dtype.kind not in "fV":
        raise not_for("GroupNormKernelImpl", input.dtype)
    return tuple(group_norm_op(input, weight, bias, N, C, HxW, group, eps, mixed))


@public("group_norm")
def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5,
    cudnn_enabled: bool = True,
) -> Tensor:  # fmt: skip
    """Mean 0 and variance 1 over groups of channels of each sample, then scaled and shifted by channel."""
    shape = input._array.shape
    if len(shape) < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {len(shape)}")
    if num_groups <= 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {num_groups}")
    n, c = shape[:2]
    if not (input._array.flags.c_contiguous or is_channels_last(input._array)):
        input = input.contiguous()
    weight, bias = (None if t is None else t.contiguous() for t in (weight, bias))
    found: Tensor = native_group_norm(input, weight, bias, n, c, math.prod(shape[2:]), num_groups, eps)[0]
    return found
