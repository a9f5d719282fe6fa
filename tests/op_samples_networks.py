"""Samples of normalization, losses, attention and bags of embeddings."""

from __future__ import annotations

from typing import Any

import facula as torch
from facula.ops.machine.primitive import REGISTRY

from .op_samples import adjoint, direct, draw, far_apart, functional, integers, positive, real, sample

# ---- arithmetic with a number

for _name in ("add_number", "sub_number", "mul_number", "div_number"):
    sample(_name, direct(_name, 1.7), real(2, 3))

# ---- normalization

for _training in (True, False):
    def _batch_norm(x: Any, w: Any, b: Any, training: bool = _training) -> Any:
        mean, var = torch.full((2,), 0.3, dtype=torch.float64), torch.full((2,), 1.4, dtype=torch.float64)
        return functional.batch_norm(x, mean, var, w, b, training)

    sample("native_batch_norm", _batch_norm, real(3, 2), real(2), real(2))
    sample("native_batch_norm", _batch_norm, real(2, 2, 3), real(2), real(2))
sample("native_batch_norm", lambda x: functional.batch_norm(x, None, None, training=True), real(3, 2))
sample(
    "native_layer_norm", lambda x, w, b: functional.layer_norm(x, (2, 3), w, b), real(2, 2, 3), real(2, 3), real(2, 3)
)
sample("native_layer_norm", lambda x: functional.layer_norm(x, (3,)), real(2, 3))
sample("native_layer_norm", lambda x, w: functional.layer_norm(x, (3,), w), real(2, 3), real(3))
sample("native_group_norm", lambda x, w, b: functional.group_norm(x, 2, w, b), real(2, 4, 3), real(4), real(4))
sample("native_group_norm", lambda x: torch.native_group_norm(x, None, None, 2, 4, 1, 2, 1e-5), real(2, 4))

# ---- losses of pairs of values



def _probability(*shape: int) -> Any:
    return draw(*shape, low=0.2, high=0.8)


_REDUCTIONS = ("none", "mean", "sum")
_signs = torch.tensor([1.0, -1.0, 1.0], dtype=torch.float64)
_weight, _target = positive(3), _probability(2, 3)
for _i, _reduction in enumerate(_REDUCTIONS):
    for _loss, _parameter in (("smooth_l1_loss", "beta"), ("huber_loss", "delta")):
        def _bounded(a: Any, b: Any, loss: str = _loss, how: str = _reduction, name: str = _parameter) -> Any:
            return getattr(functional, loss)(a, b, reduction=how, **{name: 0.7})

        sample(_loss, _bounded, real(2, 3), real(2, 3) + 0.05)
        sample(f"{_loss}_backward", direct(f"{_loss}_backward", 2, 0.7), real(), real(3), real(3) + 0.05)
    sample(
        "soft_margin_loss", lambda x, how=_reduction: functional.soft_margin_loss(x, _signs, reduction=how), real(2, 3)
    )
    sample(
        "soft_margin_loss_backward",
        lambda g, x, how=_i: REGISTRY["soft_margin_loss_backward"](g, x, _signs, how),
        real(3) if _i == 0 else real(), real(3),
    )  # fmt: skip
    sample(
        "binary_cross_entropy",
        lambda x, t, how=_reduction: functional.binary_cross_entropy(x, t, reduction=how),
        _probability(2, 3), _probability(2, 3),
    )  # fmt: skip
    sample(
        "binary_cross_entropy_backward",
        lambda g, x, t, how=_i: REGISTRY["binary_cross_entropy_backward"](g, x, t, _weight, how),
        real(3) if _i == 0 else real(), _probability(3), _probability(3),
    )  # fmt: skip
    for _positive in (None, positive(3)):
        sample(
            "binary_cross_entropy_with_logits",
            lambda x, t, how=_reduction, p=_positive: functional.binary_cross_entropy_with_logits(
                x, t, _weight, pos_weight=p, reduction=how
            ),
            real(2, 3), _probability(2, 3),
        )  # fmt: skip
sample("binary_cross_entropy", lambda x: functional.binary_cross_entropy(x, _target, _weight), _probability(2, 3))
sample("norm_along", functional.pairwise_distance, real(2, 3), real(2, 3) + 0.05)
sample("norm_along", lambda a, b: functional.pairwise_distance(a, b, 3.0, keepdim=True), real(2, 3), real(2, 3) + 0.05)

# ---- losses of scores of classes

_classes = integers([0, 2, -100])
_maps = integers([[[0, 1]], [[2, -100]]])
for _i, _reduction in enumerate(_REDUCTIONS):
    for _heavy in (None, positive(3)):
        def _nll(x: Any, w: Any = _heavy, how: str = _reduction) -> Any:
            return functional.nll_loss(x, _classes, w, reduction=how)

        def _nll2d(x: Any, w: Any = _heavy, how: str = _reduction) -> Any:
            return functional.nll_loss(x, _maps, w, reduction=how)

        sample("nll_loss", _nll, real(3, 3))
        sample("nll_loss_backward", adjoint(_nll, real(3, 3)), _nll(real(3, 3)))
        sample("nll_loss2d", _nll2d, real(2, 3, 1, 2))
        sample("nll_loss2d_backward", adjoint(_nll2d, real(2, 3, 1, 2)), _nll2d(real(2, 3, 1, 2)))
        for _p in (1, 2):
            sample(
                "multi_margin_loss",
                lambda x, p=_p, w=_heavy, how=_reduction: functional.multi_margin_loss(
                    x, integers([0, 2]), p, 0.97, w, reduction=how
                ),
                far_apart(2, 3),
            )
    sample(
        "multilabel_margin_loss",
        lambda x, how=_reduction: functional.multilabel_margin_loss(x, integers([0, 2, -1], [1, -1, 0]), reduction=how),
        far_apart(2, 3),
    )
sample("multi_margin_loss", lambda x: functional.multi_margin_loss(x, integers(1), 2), far_apart(3))
_labels = integers([1, 2, 1], [1, 1, 0])


def _ctc(x: Any, how: str = "none") -> Any:
    return functional.ctc_loss(x.log_softmax(2), _labels, (5, 4), (3, 2), reduction=how)


sample("ctc_loss", _ctc, real(5, 2, 3))
sample("ctc_loss", lambda x: _ctc(x, "mean"), real(5, 2, 3))

# ---- attention

sample("safe_softmax", direct("safe_softmax", -1), real(2, 3))
_seen = torch.ones(2, 3).tril(1).bool()
for _options in ({}, {"is_causal": True}, {"attn_mask": _seen}, {"attn_mask": real(2, 3), "scale": 0.4}):
    def _attention(q: Any, k: Any, v: Any, options: Any = _options) -> Any:
        return functional.scaled_dot_product_attention(q, k, v, **options)

    sample("flash_attention", _attention, real(1, 2, 2, 2), real(1, 2, 3, 2), real(1, 2, 3, 2))
sample(
    "flash_attention", lambda q, k, v: functional.scaled_dot_product_attention(q, k, v, enable_gqa=True),
    real(1, 4, 2, 2), real(1, 2, 3, 2), real(1, 2, 3, 2),
)  # fmt: skip

# ---- bags of embeddings

_indices, _offsets = integers([0, 2, 2, 1]), integers([0, 2, 2])
for _mode in ("sum", "mean", "max"):
    def _bag(table: Any, mode: str = _mode) -> Any:
        return functional.embedding_bag(_indices, table, _offsets, mode=mode)

    sample("embedding_bag", _bag, far_apart(3, 2))
    if _mode != "max":
        sample("rows_from_bags", adjoint(_bag, real(3, 2)), real(3, 2))


def _weighted_bag(table: Any, weights: Any) -> Any:
    return functional.embedding_bag(
        _indices, table, _offsets, mode="sum", per_sample_weights=weights, padding_idx=1
    )


sample("embedding_bag", _weighted_bag, real(3, 2), real(4))
for _name, _attributes in (
    ("rows_from_bags", (3, False, 0, False, 1)), ("bags_from_rows", (False, 0, False, 1)),
):  # fmt: skip
    sample(
        _name, lambda x, w, name=_name, more=_attributes: REGISTRY[name](x, w, _indices, _offsets, *more),
        real(3, 2), real(4),
    )  # fmt: skip
sample(
    "bag_weight_slopes", lambda bags, table: REGISTRY["bag_weight_slopes"](bags, table, _indices, _offsets, False, 1),
    real(3, 2), real(3, 2),
)  # fmt: skip

# ---- weights by direction and length

for _dim, _shape in ((0, (2, 1, 1)), (2, (1, 1, 4))):
    sample(
        "weight_norm_interface", lambda v, g, dim=_dim: REGISTRY["weight_norm_interface"](v, g, dim), real(2, 3, 4),
        real(*_shape),
    )  # fmt: skip
