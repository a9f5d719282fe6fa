"""What all distributions share: broadcasting, probabilities and logits, properties that are computed once."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import update_wrapper
from typing import Any

import facula

from .._tensor import Tensor
from ..overrides import is_tensor_like

__all__ = [
    "broadcast_all", "clamp_probs", "lazy_property", "logits_to_probs", "probs_to_logits", "tril_matrix_to_vec",
    "vec_to_tril_matrix",
]  # fmt: skip

euler_constant = 0.57721566490153286060


def broadcast_all(*values: Any) -> Any:
    """Tensors and numbers as tensors of one shape; numbers take the dtype of the first tensor."""
    if not all(is_tensor_like(v) or isinstance(v, (bool, int, float)) for v in values):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__."
        )
    if not all(is_tensor_like(v) for v in values):
        options: dict[str, Any] = {"dtype": facula.get_default_dtype()}
        for v in values:
            if isinstance(v, Tensor):
                options = {"dtype": v.dtype, "device": v.device}
                break
        values = tuple(v if is_tensor_like(v) else facula.tensor(v, **options) for v in values)
    return facula.broadcast_tensors(*values)


def _standard_normal(shape: Any, dtype: Any, device: Any) -> Any:
    return facula.randn(shape, dtype=dtype, device=device)


def _sum_rightmost(value: Any, dim: int) -> Any:
    """The sum over the last ``dim`` dimensions."""
    return value if dim == 0 else value.reshape((*value.shape[:-dim], -1)).sum(-1)


def logits_to_probs(logits: Any, is_binary: bool = False) -> Any:
    """Probabilities from log-odds (binary) or from unnormalised log-probabilities."""
    return facula.sigmoid(logits) if is_binary else facula.nn.functional.softmax(logits, dim=-1)


def clamp_probs(probs: Any) -> Any:
    """Probabilities kept away from 0 and 1, where logits are infinite."""
    eps = facula.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs: Any, is_binary: bool = False) -> Any:
    """Log-odds (binary) or log-probabilities from probabilities."""
    clamped = clamp_probs(probs)
    return facula.log(clamped) - facula.log1p(-clamped) if is_binary else facula.log(clamped)


class lazy_property:
    """A property that is computed when first read, and from then on is an attribute of the instance."""

    def __init__(self, wrapped: Callable[..., Any]) -> None:
        self.wrapped = wrapped
        update_wrapper(self, wrapped)  # type: ignore[arg-type]

    def __get__(self, instance: Any, obj_type: Any = None) -> Any:
        if instance is None:
            return _lazy_property_and_property(self.wrapped)
        with facula.enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value


class _lazy_property_and_property(lazy_property, property):
    """What the class itself shows of a lazy property: something that is a property, too."""

    def __init__(self, wrapped: Callable[..., Any]) -> None:
        property.__init__(self, wrapped)


def probabilities_or_logits(probs: Any, logits: Any) -> bool:
    """Whether ``probs`` is the one that is given, of the two."""
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")
    return probs is not None


def tril_matrix_to_vec(mat: Any, diag: int = 0) -> Any:
    """The lower triangle of matrices, row after row."""
    n = mat.shape[-1]
    if not -n <= diag < n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    places = facula.arange(n)
    return mat[..., places < places.view(-1, 1) + (diag + 1)]


def vec_to_tril_matrix(vec: Any, diag: int = 0) -> Any:
    """Lower triangular matrices from their rows' elements, one after the other."""
    n = (-(1 + 2 * diag) + math.sqrt((1 + 2 * diag) ** 2 + 8 * vec.shape[-1] + 4 * abs(diag) * (diag + 1))) / 2
    if not round(n) - n <= facula.finfo(vec.dtype).eps:
        raise ValueError(
            f"The size of last dimension is {vec.shape[-1]} which cannot be expressed as the lower triangular part of "
            "a square D x D matrix."
        )
    n = round(n)
    mat = vec.new_zeros((*vec.shape[:-1], n, n))
    places = facula.arange(n)
    mat[..., places < places.view(-1, 1) + (diag + 1)] = vec
    return mat
