# Written by python -m tests.stubs.
# ruff: noqa
from facula import return_types
from facula._tensor import Tensor
from typing import Any

__all__: list[str]
from facula.ops.linalg.matrices import LinAlgError as LinAlgError
def cholesky(input: Tensor, *, upper: bool = False, out: Tensor | None = None) -> Tensor:
    """The triangular factor of a positive definite matrix."""
def cholesky_ex(input: Tensor, *, upper: bool = False, check_errors: bool = False, out: Any = None) -> return_types.linalg_cholesky_ex:
    """The triangular factor, and for each matrix 0 or the order of the first minor that is not positive definite."""
def cond(input: Tensor, p: Any = None, *, out: Tensor | None = None) -> Tensor:
    """The norm of a matrix times the norm of its inverse."""
def cross(input: Any, other: Any, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    """The cross product of vectors of three elements."""
def det(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The determinant of square matrices."""
def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1, out: Tensor | None = None) -> Tensor:
    """A view of the diagonal of matrices."""
def eig(input: Tensor, *, out: Any = None) -> return_types.linalg_eig:
    """Eigenvalues and eigenvectors of square matrices, always complex."""
def eigh(input: Tensor, UPLO: str = 'L', *, out: Any = None) -> return_types.linalg_eigh:
    """Eigenvalues, ascending, and eigenvectors of symmetric or Hermitian matrices."""
def eigvals(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Eigenvalues of square matrices."""
def eigvalsh(input: Tensor, UPLO: str = 'L', *, out: Tensor | None = None) -> Tensor:
    """Eigenvalues of symmetric or Hermitian matrices, ascending."""
def householder_product(input: Tensor, tau: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The first columns of a product of reflections."""
def inv(A: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The inverse of square matrices."""
def inv_ex(A: Tensor, *, check_errors: bool = False, out: Any = None) -> return_types.linalg_inv_ex:
    """The inverse, and for each matrix 0 or which diagonal element was found to be zero."""
def ldl_factor(input: Tensor, *, hermitian: bool = False, out: Any = None) -> return_types.linalg_ldl_factor:
    """``L`` and ``D`` in one matrix, and the exchanges of rows."""
def ldl_factor_ex(input: Tensor, *, hermitian: bool = False, check_errors: bool = False, out: Any = None) -> return_types.linalg_ldl_factor_ex:
    """``L`` and ``D`` in one matrix, the exchanges of rows, and for each matrix 0 or where ``D`` is 0."""
def ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: bool = False, out: Tensor | None = None) -> Tensor:
    """The solution of a system of which ``ldl_factor`` is known."""
def lstsq(input: Tensor, b: Tensor, rcond: float | None = None, *, driver: str | None = None, out: Any = None) -> return_types.linalg_lstsq:
    """The ``X`` for which ``input @ X`` is nearest to ``b``; of several, the shortest."""
def lu(A: Tensor, *, pivot: bool = True, out: Any = None) -> return_types.linalg_lu:
    """The factors of ``A = P @ L @ U``."""
def lu_factor(A: Tensor, *, pivot: bool = True, out: Any = None) -> return_types.linalg_lu_factor:
    """The factors in one matrix, and the exchanges of rows."""
def lu_factor_ex(A: Tensor, *, pivot: bool = True, check_errors: bool = False, out: Any = None) -> return_types.linalg_lu_factor_ex:
    """``lu_factor``, and for each matrix 0 or where U has its first 0 on the diagonal."""
def lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False, out: Tensor | None = None) -> Tensor:
    """The solution of a system of which ``lu_factor`` is known."""
def matmul(input: Any, other: Any, *, out: Tensor | None = None) -> Tensor:
    """The matrix product, by PyTorch's rules for vectors, matrices and batches."""
def matrix_exp(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The exponential series of square matrices."""
def matrix_norm(A: Tensor, ord: Any = 'fro', dim: Any = ..., keepdim: bool = False, *, dtype: Any = None, out: Tensor | None = None) -> Tensor:
    ...
def matrix_power(input: Tensor, n: int, *, out: Tensor | None = None) -> Tensor:
    """A square matrix multiplied with itself; for a negative ``n``, its inverse."""
def matrix_rank(input: Tensor, tol: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None, out: Tensor | None = None) -> Tensor:
    """How many singular values are larger than ``max(atol, rtol * largest)``."""
def multi_dot(tensors: Any, *, out: Tensor | None = None) -> Tensor:
    """The product of a chain of matrices, in the order that takes the fewest multiplications."""
def norm(A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, out: Tensor | None = None) -> Tensor:
    """The norm of a vector, or of a matrix if there are two dimensions and an ``ord``."""
def pinv(input: Tensor, rcond: Any = None, hermitian: bool = False, *, atol: Any = None, rtol: Any = None, out: Tensor | None = None) -> Tensor:
    """The pseudoinverse; singular values up to ``max(atol, rtol * largest)`` count as 0."""
def qr(A: Tensor, mode: str = 'reduced', *, out: Any = None) -> return_types.linalg_qr:
    """The decomposition into an orthogonal and an upper triangular matrix."""
def slogdet(A: Tensor, *, out: Any = None) -> return_types.linalg_slogdet:
    """The sign of the determinant, and the logarithm of its absolute value."""
def solve(A: Tensor, B: Tensor, *, left: bool = True, out: Tensor | None = None) -> Tensor:
    """The solution of ``A @ X = B``, or, with ``left=False``, of ``X @ A = B``."""
def solve_ex(A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False, out: Any = None) -> return_types.linalg_solve_ex:
    """The solution, and for each matrix 0 or which diagonal element was found to be zero."""
def solve_triangular(input: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False, out: Tensor | None = None) -> Tensor:
    """The solution of a system whose matrix is triangular; the other triangle is not looked at."""
def svd(A: Tensor, full_matrices: bool = True, *, driver: str | None = None, out: Any = None) -> return_types.linalg_svd:
    """The singular value decomposition: ``A = U @ diag(S) @ Vh``."""
def svdvals(A: Tensor, *, driver: str | None = None, out: Tensor | None = None) -> Tensor:
    """The singular values, descending."""
def tensorinv(input: Tensor, ind: int = 2, *, out: Tensor | None = None) -> Tensor:
    """The inverse of what ``tensordot`` with the first ``ind`` dimensions does."""
def tensorsolve(input: Tensor, other: Tensor, dims: Any = None, *, out: Tensor | None = None) -> Tensor:
    """The ``X`` for which ``tensordot(A, X, X.ndim)`` is ``B``."""
def vander(x: Tensor, *, N: int | None = None, out: Tensor | None = None) -> Tensor:
    """Matrices whose columns are the powers of vectors, from 0 on."""
def vecdot(x: Tensor, y: Tensor, *, dim: int = -1, out: Tensor | None = None) -> Tensor:
    """Inner products of vectors along a dimension, the first one conjugated."""
def vector_norm(x: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: Any = None, out: Tensor | None = None) -> Tensor:
    """``sum(|x|**ord) ** (1 / ord)`` of all elements, or along ``dim``."""
