"""``facula.linalg``: linear algebra under PyTorch's names."""

from __future__ import annotations

from typing import Any

from ._lazy import load as _load
from ._tensor import Tensor
from .ops.linalg.matrices import LINALG as _LINALG
from .ops.linalg.matrices import LinAlgError as LinAlgError
from .ops.linalg.matrices import linalg as _opened
from .ops.products import matmul as _products
from .ops.reductions import norms as _norms
from .ops.views import slices as _parts


def _diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """A view of the diagonal of matrices."""
    return _parts.diagonal(A, offset, dim1, dim2)


def _vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """Inner products of vectors along a dimension, the first one conjugated."""
    if x._array.ndim == 1 == y._array.ndim:
        return x.vdot(y)
    return (x.conj() * y).sum(dim)


for _name, _fn in (
    ("cross", _products.linalg_cross), ("diagonal", _diagonal), ("matmul", _products.matmul),
    ("matrix_norm", _norms.matrix_norm), ("matrix_power", _products.matrix_power), ("norm", _norms.linalg_norm),
    ("multi_dot", _products.multi_dot), ("vector_norm", _norms.vector_norm),
):  # fmt: skip
    _opened(_fn, _name)
_opened(_vecdot, "vecdot", autocast="low")

_PROVIDERS = {
    name: module
    for module, names in {
        "cholesky": "cholesky cholesky_ex",
        "eigen": "eig eigh eigvals eigvalsh",
        "inverse": "det inv inv_ex slogdet",
        "ldl": "ldl_factor ldl_factor_ex ldl_solve",
        "least_squares": "lstsq",
        "lu": "lu lu_factor lu_factor_ex lu_solve",
        "matrix_functions": "matrix_exp vander",
        "qr": "householder_product qr",
        "singular": "cond matrix_rank pinv svd svdvals",
        "solving": "solve solve_ex solve_triangular tensorinv tensorsolve",
    }.items()
    for name in names.split()
}
"""Which module of operators provides a function; it is loaded when the function is first asked for."""

__all__ = sorted(["LinAlgError", *_LINALG.keys() - _PROVIDERS.keys(), *_PROVIDERS])


def __getattr__(name: str) -> Any:
    if name in _PROVIDERS:
        _load(f"ops.linalg.{_PROVIDERS[name]}")
    if name in _LINALG:
        return _LINALG[name]
    raise AttributeError(f"module 'facula.linalg' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
