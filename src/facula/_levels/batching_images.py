"""Batching rules of primitives on images, sequences and layers.

They have a batch of their own: that of ``vmap`` joins it (``folded``), or, where items have weights of their own, it
joins the channels, which then fall into as many groups (``_grouped``).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._tensor import Tensor
from ..ops.machine.namespaces import TENSORS
from .batching import RULES, Call, padded, rule

# ---- the batch joins the batch


def _spatial(name: str) -> int:
    return 3 if "3d" in name or "3D" in name else 1 if "1d" in name or "1D" in name else 2


def folded(call: Call) -> Any:
    """(batch, samples, …) as (batch * samples, …); without samples the batch takes their place."""
    own = _spatial(call.op.name) + 2
    has_samples = call.ndim() == own
    values = [v if v is None else _folded(call.full(i), has_samples) for i, v in enumerate(call.values)]
    attributes = tuple(
        [_folded_shape(v, call.size, has_samples) if name == "shape" else v
         for name, v in zip(call.op.attribute_names, call.attributes)]
    )  # fmt: skip
    result = call.run(values, attributes)
    if not has_samples:
        return result
    if isinstance(result, (tuple, list)):
        return [_unfolded(r, call.size) for r in result]
    return _unfolded(result, call.size)


def _folded(value: Any, has_samples: bool) -> Any:
    return value.reshape(-1, *value.shape[2:]) if has_samples else value


def _unfolded(value: Any, size: int) -> Any:
    return value.reshape(size, -1, *value.shape[1:])


def _folded_shape(shape: tuple[int, ...], size: int, has_samples: bool) -> tuple[int, ...]:
    return (size * shape[0], *shape[1:]) if has_samples else (size, *shape)


for _n in (2, 3):
    for _name in """
        adaptive_avg_pool{}d adaptive_avg_pool{}d_backward adaptive_max_pool{}d adaptive_max_pool{}d_backward
        adaptive_max_pool{}d_backward_backward avg_pool{}d avg_pool{}d_backward fractional_max_pool{}d_backward
        fractional_max_pool{}d_backward_backward max_pool{}d max_pool{}d_backward max_pool{}d_backward_backward
        max_unpool{}d max_unpool{}d_backward max_unpool{}d_backward_backward max_unpool{}d_backward_backward_backward
    """.split():
        RULES[_name.format(_n)] = folded
for _kind in """
    nearest1d nearest2d nearest3d nearest_exact1d nearest_exact2d nearest_exact3d linear1d bilinear2d bilinear2d_aa
    bicubic2d bicubic2d_aa lanczos2d_aa trilinear3d
""".split():
    RULES[f"upsample_{_kind}"] = RULES[f"upsample_{_kind}_backward"] = folded


def _first_dimension_folded(call: Call) -> Any:
    """For primitives whose tensors all have samples first."""
    result = call.run([v if v is None else _folded(call.full(i), True) for i, v in enumerate(call.values)])
    return _unfolded(result, call.size)


for _name in ("channel_shuffle", "grid_sampler_2d", "grid_sampler_3d", "take_points"):
    RULES[_name] = _first_dimension_folded


@rule("add_points")
def _(call: Call) -> Any:
    (shape,) = call.attributes
    values = [_folded(v, True) for v in call.all_full()]
    return _unfolded(call.run(values, ((call.size * shape[0], *shape[1:]),)), call.size)


@rule("affine_grid_generator", "affine_grid_adjoint")
def _(call: Call) -> Any:
    size, align_corners = call.attributes
    whole = (call.size * size[0], *size[1:])
    return _unfolded(call.run([_folded(call.full(0), True)], (whole, align_corners)), call.size)


@rule("im2col", "col2im")
def _(call: Call) -> Any:
    has_samples = call.ndim() == (4 if call.op.name == "im2col" else 3)
    result = call.run([_folded(call.full(0), has_samples)])
    return _unfolded(result, call.size) if has_samples else result


def _with_all(places: Any, size: int) -> Any:
    return (np.arange(size), *places)


def _padding(call: Call) -> Any:
    places, padding = call.attributes
    return call.run(call.all_full(), (_with_all(places, call.size), padding))


for _n in (1, 2, 3):
    for _kind in ("Reflection", "Replication"):
        RULES[f"pad_{_kind}Pad{_n}D"] = RULES[f"pad_{_kind}Pad{_n}D_backward"] = _padding


@rule("flash_attention")
def _(call: Call) -> Any:
    q, k, v = (_folded(call.full(i), True) for i in range(3))
    mask = call.values[3]
    if mask is not None and call.flags[3]:
        samples = call.shape(0)[0]
        mask = padded(mask, 4)
        mask = mask.expand(call.size, samples, *mask.shape[2:]).reshape(-1, *mask.shape[2:])
    elif mask is not None and mask.dim() == 4 and mask.shape[0] > 1:
        mask = _folded(mask.unsqueeze(0).expand(call.size, *mask.shape), True)
    return [_unfolded(r, call.size) for r in call.run([q, k, v, mask])]


# ---- convolutions


def _grouped(value: Any) -> Any:
    """(batch, samples, channels, …) as (samples, batch * channels, …)."""
    moved = value.transpose(0, 1)
    return moved.reshape(moved.shape[0], -1, *moved.shape[3:])


def _ungrouped(value: Any, size: int) -> Any:
    return value.reshape(value.shape[0], size, -1, *value.shape[2:]).transpose(0, 1)


@rule("convolution")
def _(call: Call) -> Any:
    x, w, b = call.values
    names = call.op.attribute_names
    if not call.flags[1] and not call.flags[2]:
        return _unfolded(call.run([_folded(x, True), w, b]), call.size)
    attributes = dict(zip(names, call.attributes))
    attributes["bias_sym_sizes_opt"] = None
    if call.flags[1]:
        attributes["groups"] *= call.size
        weight = w.reshape(-1, *w.shape[2:])
        result = _ungrouped(call.op(_grouped(call.full(0)), weight, None, *attributes.values()), call.size)
    else:
        result = _unfolded(call.op(_folded(call.full(0), True), w, None, *attributes.values()), call.size)
    if b is None:
        return result
    shift = call.full(2)
    return result + shift.reshape(call.size, 1, -1, *[1] * (result.dim() - 3))


@rule("convolution_input")
def _(call: Call) -> Any:
    g, w = call.values
    attributes = dict(zip(call.op.attribute_names, call.attributes))
    sizes = attributes["sizes"]
    if not call.flags[1]:
        samples = call.shape(0)[0]
        attributes["sizes"] = _whole_sizes(sizes, call, samples * call.size)
        return _unfolded(call.op(_folded(g, True), w, *attributes.values()), call.size)
    attributes["groups"] *= call.size
    return _ungrouped(call.op(_grouped(call.full(0)), w.reshape(-1, *w.shape[2:]), *attributes.values()), call.size)


def _whole_sizes(sizes: Any, call: Call, samples: int) -> Any:
    """``sizes`` may be those of the planes alone, or begin with samples and channels."""
    return sizes if len(sizes) == call.ndim(0) - 2 else (samples, *sizes[1:])


@rule("convolution_weight")
def _(call: Call) -> Any:
    attributes = dict(zip(call.op.attribute_names, call.attributes))
    attributes["groups"] *= call.size
    x, g = (_grouped(call.full(i)) for i in range(2))
    result = call.op(x, g, *attributes.values())
    return result.reshape(call.size, -1, *result.shape[1:])


# ---- normalization


def _affine(result: Any, call: Call, shape: Any) -> Any:
    """``result * weight + bias``, of which some are batched; ``shape`` makes each item broadcast."""
    for i, combine in ((1, lambda a, b: a * b), (2, lambda a, b: a + b)):
        v = call.values[i]
        if v is not None:
            result = combine(result, shape(v, call.flags[i]))
    return result


@rule("native_layer_norm")
def _(call: Call) -> Any:
    if not call.flags[1] and not call.flags[2]:
        return call.run(call.values)
    plain, mean, scale = call.run([call.full(0), None, None])
    ndim = call.ndim(0)
    return [_affine(plain, call, lambda v, flag: padded(v, ndim) if flag else v), mean, scale]


@rule("native_group_norm")
def _(call: Call) -> Any:
    n, *rest = call.attributes
    x = _folded(call.full(0), True)
    if not call.flags[1] and not call.flags[2]:
        found = call.run([x, *call.values[1:]], (n * call.size, *rest))
        return [_unfolded(r, call.size) for r in found]
    plain, mean, scale = (_unfolded(r, call.size) for r in call.run([x, None, None], (n * call.size, *rest)))
    spatial = plain.dim() - 3

    def shape(v: Any, flag: bool) -> Any:
        return v.reshape(v.shape[0] if flag else 1, 1, -1, *[1] * spatial)

    return [_affine(plain, call, shape), mean, scale]


@rule("native_batch_norm")
def _(call: Call) -> Any:
    training = call.attribute("training")
    if training and any(call.values[i] is not None and not call.flags[i] for i in (3, 4)):
        raise RuntimeError(
            "Batch norm got a batched tensor as input while the running_mean or running_var, which will be updated in "
            "place, were not batched.\nIf you are using a module and do not need eval mode, please set "
            "`track_running_stats` to be False.If you are using a prebuilt module and do not need eval mode, please "
            "see the functorch website for resources on how to patch your module to work with vmap"
        )
    x = _grouped(call.full(0))
    per_channel: list[Any] = [None if v is None else call.full(i).reshape(-1) for i, v in enumerate(call.values) if i]
    out, mean, scale = call.run([x, *per_channel])
    for i in (3, 4):
        v = call.values[i]
        if training and v is not None:
            v.copy_(per_channel[i - 1].reshape(v.shape))
    unfolded = [m.reshape(call.size, -1) for m in (mean, scale)]
    return [_ungrouped(out, call.size), *unfolded]


# ---- distances


@rule("cdist", "euclidean_dist")
def _(call: Call) -> Any:
    ndim = max(call.ndim(0), call.ndim(1))
    return call.run([padded(v, ndim) for v in call.all_full()])


@rule("dist")
def _(call: Call) -> Any:
    (p,) = call.attributes
    ndim = max(call.ndim(0), call.ndim(1))
    a, b = (padded(v, ndim) for v in call.all_full())
    return TENSORS.vector_norm_op((a - b).reshape(call.size, -1), p, (1,), False, None)


# ---- losses


def _with_gradient(call: Call) -> Any:
    """The backward of a loss: the gradient of each item is that of its own loss."""
    at = call.op.attribute_names.index("reduction")
    reduction = call.attributes[at]
    ndim = max(call.ndim(i) for i, v in enumerate(call.values) if i and isinstance(v, Tensor))
    values = [padded(call.full(i), ndim) if isinstance(v, Tensor) else v for i, v in enumerate(call.values)]
    if reduction == 1:
        count = 1
        for n in np.broadcast_shapes(*[tuple(v.shape[1:]) for v in values if isinstance(v, Tensor)]):
            count *= n
        values[0] = values[0] / max(count, 1)
    attributes = (*call.attributes[:at], 0, *call.attributes[at + 1 :])
    return call.run(values, attributes)


for _name in ("mse_loss", "huber_loss", "smooth_l1_loss", "soft_margin_loss", "binary_cross_entropy"):
    RULES[f"{_name}_backward"] = _with_gradient


@rule("multi_margin_loss", "multilabel_margin_loss")
def _(call: Call) -> Any:
    at = call.op.attribute_names.index("reduction")
    reduction = call.attributes[at]
    if call.ndim(0) < 2 or (len(call.values) > 2 and call.flags[2]):
        return None
    attributes = (*call.attributes[:at], 0, *call.attributes[at + 1 :])
    values = [_folded(call.full(i), True) if i < 2 else v for i, v in enumerate(call.values)]
    found = call.run(values, attributes)
    several = isinstance(found, (tuple, list))
    each = _unfolded(found[0] if several else found, call.size)
    if reduction:
        each = each.mean(1) if reduction == 1 else each.sum(1)
    return [each, _unfolded(found[1], call.size)] if several else each
