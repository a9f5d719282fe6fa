"""PyTorch's ``torch.nn.functional``: layers, activations and losses as plain functions.

Operators come from ``facula.ops``: those of ``FUNCTIONALS``, and some that are functions of ``facula`` itself too.
What is made of operators is in the files beside this one.
"""

from __future__ import annotations

from typing import Any

from ... import _lazy
from ...ops import activations, dropouts, matmul
from ...ops import fold as _fold
from ...ops import grid_sample as _grid_sample  # noqa: F401
from ...ops import resample as _resample  # noqa: F401
from ...ops import unpool as _unpool  # noqa: F401
from ...ops._forms import FUNCTIONALS, FUNCTIONS
from ...ops.embedding import embedding, one_hot
from ...ops.padding import pad
from .activation import dropout, log_softmax, sigmoid, softmax, softmin, tanh
from .distance import cosine_similarity, normalize, pairwise_distance
from .loss import l1_loss, mse_loss

_SHARED = (
    "bilinear", "celu_", "channel_shuffle", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d",
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
    "cosine_similarity", "dropout", "embedding", "l1_loss", "linear", "log_softmax", "mse_loss", "normalize",
    "one_hot", "pad", "pairwise_distance", "relu", "sigmoid", "softmax", "softmin", "tanh",
]  # fmt: skip
__all__ += [name for name in (*FUNCTIONALS, *_SHARED) if name in globals() and name not in __all__]


def __getattr__(name: str) -> Any:
    """Operators whose module has been loaded since."""
    if name in FUNCTIONALS:
        return FUNCTIONALS[name]
    raise AttributeError(f"module 'facula.nn.functional' has no attribute {name!r}")
