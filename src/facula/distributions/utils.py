"""What distributions share: broadcasting, probabilities and logits, triangles, properties that are computed once."""

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

Number = (bool, int, float)


def broadcast_all(*values: Any) -> Any:
    """Tensors and numbers as tensors of one shape; numbers take the dtype of the first tensor."""
    numbers = [v for v in values if not is_tensor_like(v)]
    if not all(isinstance(v, Number) for v in numbers):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__."
        )
    if numbers:
        first = next((v for v in values if isinstance(v, Tensor)), None)
        made = facula.get_default_dtype() if first is None else first.dtype
        place = None if first is None else first.device
        values = tuple(facula.tensor(v, dtype=made, device=place) if isinstance(v, Number) else v for v in values)
    return facula.broadcast_tensors(*values)


def _standard_normal(shape: Any, dtype: Any, device: Any) -> Any:
    return facula.randn(shape, dtype=dtype, device=device)


def _sum_rightmost(value: Any, dim: int) -> Any:
    """The sum over the last ``dim`` dimensions."""
    return value if dim == 0 else value.reshape((*value.shape[:-dim], -1)).sum(-1)


def logits_to_probs(logits: Any, is_binary: bool = False) -> Any:
    """Probabilities from log-odds (binary) or from unnormalised log-probabilities."""
    return logits.sigmoid() if is_binary else logits.softmax(-1)


def clamp_probs(probs: Any) -> Any:
    """Probabilities kept away from 0 and 1, where logits are infinite."""
    least = facula.finfo(probs.dtype).eps
    return probs.clamp(least, 1 - least)


def probs_to_logits(probs: Any, is_binary: bool = False) -> Any:
    """Log-odds (binary) or log-probabilities from probabilities."""
    return log_odds(clamp_probs(probs)) if is_binary else clamp_probs(probs).log()


def log_odds(probs: Any) -> Any:
    """log(p / (1 - p))."""
    return probs.log() - (-probs).log1p()


class lazy_property:
    """A property that is computed when first read, and from then on is an attribute of the instance."""

    def __init__(self, wrapped: Callable[..., Any]) -> None:
        self.wrapped = wrapped
        update_wrapper(self, wrapped)  # type: ignore[arg-type]

    def __set_name__(self, owner: type, name: str) -> None:
        self.__name__ = name

    def __get__(self, instance: Any, obj_type: Any = None) -> Any:
        return _lazy_property_and_property(self.wrapped) if instance is None else self._fill(instance)

    def _fill(self, instance: Any) -> Any:
        with facula.enable_grad():
            vars(instance)[self.__name__] = value = self.wrapped(instance)
        return value


class _lazy_property_and_property(lazy_property, property):
    """What the class itself shows of a lazy property: something that is a property, too."""

    def __init__(self, wrapped: Callable[..., Any]) -> None:
        property.__init__(self, wrapped)


def the_one_given(otherwise: Exception, **alternatives: Any) -> tuple[str, Any]:
    """Of several ways to say the same the one that is not None, with its name."""
    given = [item for item in alternatives.items() if item[1] is not None]
    if len(given) != 1:
        raise otherwise
    return given[0]


def broadcastable(shape: Any, other: Any) -> bool:
    """Whether two shapes go together."""
    return all(a == b or 1 in (a, b) for a, b in zip(reversed(shape), reversed(other)))


# ---- triangles


def _triangle(size: int, diag: int) -> Any:
    """Where a square matrix is on or below a diagonal."""
    return facula.ones(size, size, dtype=facula.bool).tril(diag)


def tril_matrix_to_vec(mat: Any, diag: int = 0) -> Any:
    """The lower triangle of matrices, row after row."""
    n = mat.shape[-1]
    if not -n <= diag < n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    return mat[..., _triangle(n, diag)]


def vec_to_tril_matrix(vec: Any, diag: int = 0) -> Any:
    """Lower triangular matrices from their rows' elements, one after the other."""
    wanted = vec.shape[-1]
    size = _size_of_triangle(wanted, diag)
    if size is None:
        raise ValueError(
            f"The size of last dimension is {wanted} which cannot be expressed as the lower triangular part of "
            "a square D x D matrix."
        )
    matrix = vec.new_zeros((*vec.shape[:-1], size, size))
    matrix[..., _triangle(size, diag)] = vec
    return matrix


def _size_of_triangle(count: int, diag: int) -> int | None:
    """The size of a square matrix that has ``count`` elements on or below a diagonal."""
    size, elements = max(-diag, 0), 0
    while elements < count:
        size += 1
        elements = sum(max(0, min(size, row + diag)) for row in range(1, size + 1))
    return size if elements == count else None


# ---- functions that many formulas have in common

HALF_LOG_TAU = math.log(math.tau) / 2


def log_beta(a: Any, b: Any) -> Any:
    """The logarithm of Euler's beta function."""
    return facula.lgamma(a) + facula.lgamma(b) - facula.lgamma(a + b)


def log_diagonal(matrix: Any) -> Any:
    """The sum of the logarithms on the diagonal: of a triangular matrix the logarithm of the determinant."""
    return matrix.diagonal(dim1=-2, dim2=-1).log().sum(-1)


def uniform(shape: Any, like: Any) -> Any:
    return facula.rand(shape, dtype=like.dtype, device=like.device)


def normal(shape: Any, like: Any) -> Any:
    return _standard_normal(shape, like.dtype, like.device)


def positive_part(x: Any) -> Any:
    """The same tensor, in which zeros (by rounding) are made the least positive number, without a gradient."""
    x.detach().clamp_(min=facula.finfo(x.dtype).tiny)
    return x
