"""PyTorch's ``torch.nn.functional``: layers, activations and losses as plain functions.

Operators come from ``facula.ops``: those of ``FUNCTIONALS``, and some that are functions of ``facula`` itself too.
What is made of operators is in the files beside this one.
"""

from __future__ import annotations

from typing import Any

from ... import _lazy
from ...ops import activations, matmul
from ...ops import dropouts as _dropouts  # noqa: F401  (fills FUNCTIONALS)
from ...ops import fold as _fold
from ...ops import grid_sample as _grid_sample  # noqa: F401
from ...ops import resample as _resample  # noqa: F401
from ...ops import unpool as _unpool  # noqa: F401
from ...ops._forms import FUNCTIONALS, FUNCTIONS
from ...ops.embedding import embedding, one_hot
from ...ops.padding import pad
from .activation import dropout, gumbel_softmax, log_softmax, sigmoid, softmax, softmin, tanh
from .attention import multi_head_attention_forward
from .class_loss import (
    cross_entropy,
    ctc_loss,
    multi_margin_loss,
    multilabel_margin_loss,
    multilabel_soft_margin_loss,
    nll_loss,
)  # fmt: skip
from .distance import cosine_similarity, normalize, pairwise_distance
from .embedding_loss import (
    cosine_embedding_loss,
    hinge_embedding_loss,
    margin_ranking_loss,
    triplet_margin_loss,
    triplet_margin_with_distance_loss,
)  # fmt: skip
from .linear_loss import linear_cross_entropy
from .loss import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    gaussian_nll_loss,
    huber_loss,
    kl_div,
    l1_loss,
    mse_loss,
    poisson_nll_loss,
    smooth_l1_loss,
    soft_margin_loss,
)  # fmt: skip
from .normalization import batch_norm, group_norm, instance_norm, layer_norm, local_response_norm, rms_norm
from .sparse import embedding_bag

_SHARED = (
    "bilinear", "celu_", "channel_shuffle", "conv1d", "conv2d", "conv3d", "conv_tbc", "conv_transpose1d", "conv_transpose2d",  # noqa: E501
    "conv_transpose3d", "pdist", "pixel_shuffle", "pixel_unshuffle", "relu_",
    "selu_", "threshold_",
)  # fmt: skip
"""Functions of ``facula`` that are here under the same name."""

linear = matmul.linear
relu = activations.relu
unfold, fold = _fold.unfold.public, _fold.fold.public  # type: ignore[attr-defined]
globals().update({name: FUNCTIONS[name] for name in _SHARED if name in _lazy.FUNCTIONS})
globals().update({name: fn for name, fn in FUNCTIONALS.items() if name not in globals()})

__all__ = [
    "batch_norm", "binary_cross_entropy", "binary_cross_entropy_with_logits", "cosine_embedding_loss",
    "cosine_similarity", "cross_entropy", "ctc_loss", "dropout", "embedding", "embedding_bag", "gaussian_nll_loss",
    "group_norm", "gumbel_softmax", "hinge_embedding_loss", "huber_loss", "instance_norm", "kl_div", "l1_loss",
    "layer_norm", "linear", "linear_cross_entropy", "local_response_norm", "log_softmax", "margin_ranking_loss",
    "mse_loss", "multi_head_attention_forward", "multi_margin_loss", "multilabel_margin_loss", "multilabel_soft_margin_loss",  # noqa: E501
    "nll_loss", "normalize", "one_hot", "pad", "pairwise_distance", "poisson_nll_loss", "relu", "rms_norm", "sigmoid",
    "smooth_l1_loss", "soft_margin_loss", "softmax", "softmin", "tanh", "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
]  # fmt: skip
__all__ += [name for name in (*FUNCTIONALS, *_SHARED) if name in globals() and name not in __all__]


def __getattr__(name: str) -> Any:
    """Operators whose module has been loaded since."""
    if name in FUNCTIONALS:
        return FUNCTIONALS[name]
    raise AttributeError(f"module 'facula.nn.functional' has no attribute {name!r}")
