"""``facula.linalg``: linear algebra under PyTorch's names."""

from __future__ import annotations

from typing import Any

from ._tensor import Tensor
from .ops import decompositions as _decompositions
from .ops import matmul as _products
from .ops import norms as _norms
from .ops import parts as _parts
from .ops._forms import EXACT_OUT as _EXACT_OUT
from .ops._forms import FUNCTIONS as _FUNCTIONS
from .ops._forms import public as _public
from .ops.decompositions import LinAlgError


def _opened(name: str, fn: Any) -> Any:
    """A function as a public operator, which errors call ``linalg_<name>``."""
    title = f"linalg_{name}"
    _public(title, out=True)(fn)
    _EXACT_OUT.add(title)
    return _FUNCTIONS.pop(title)


def _diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """A view of the diagonal of matrices."""
    return _parts.diagonal(A, offset, dim1, dim2)


def _vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """Inner products of vectors along a dimension, the first one conjugated."""
    return (x.conj() * y).sum(dim)


cholesky = _opened("cholesky", _decompositions.cholesky)
cholesky_ex = _opened("cholesky_ex", _decompositions.cholesky_ex)
cross = _opened("cross", _products.linalg_cross)
det = _opened("det", _decompositions.det)
diagonal = _opened("diagonal", _diagonal)
eigh = _opened("eigh", _decompositions.eigh)
eigvalsh = _opened("eigvalsh", _decompositions.eigvalsh)
inv = _opened("inv", _decompositions.inv)
inv_ex = _opened("inv_ex", _decompositions.inv_ex)
matmul = _opened("matmul", _products.matmul)
matrix_norm = _opened("matrix_norm", _norms.matrix_norm)
matrix_power = _opened("matrix_power", _products.matrix_power)
multi_dot = _opened("multi_dot", _products.multi_dot)
norm = _opened("norm", _norms.linalg_norm)
qr = _opened("qr", _decompositions.qr)
slogdet = _opened("slogdet", _decompositions.linalg_slogdet)
solve = _opened("solve", _decompositions.solve)
solve_triangular = _opened("solve_triangular", _decompositions.solve_triangular)
svd = _opened("svd", _decompositions.svd)
svdvals = _opened("svdvals", _decompositions.svdvals)
vecdot = _opened("vecdot", _vecdot)
vector_norm = _opened("vector_norm", _norms.vector_norm)

__all__ = [
    "LinAlgError", "cholesky", "cholesky_ex", "cross", "det", "diagonal", "eigh", "eigvalsh", "inv", "inv_ex", "matmul",
    "matrix_norm", "matrix_power", "multi_dot", "norm", "qr", "slogdet", "solve", "solve_triangular", "svd", "svdvals",
    "vecdot", "vector_norm",
]  # fmt: skip
