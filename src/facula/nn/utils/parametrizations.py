"""Ready parametrizations: by length and direction, by spectral norm, orthogonal."""

from __future__ import annotations

from enum import Enum, auto
from typing import Any

import facula

from ..._tensor import Tensor
from .. import functional as F
from ..modules.module import Module
from . import parametrize
from ._tensor_hooks import power_iteration_, unit_vector
from .spectral_norm import default_dim

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]


# ---- orthogonal


class _OrthMaps(Enum):
    matrix_exp = auto()
    cayley = auto()
    householder = auto()


def _is_orthogonal(Q: Tensor, eps: float | None = None) -> bool:
    """Whether the columns are orthonormal, but for rounding."""
    n, k = Q.size(-2), Q.size(-1)
    identity = facula.eye(k, dtype=Q.dtype, device=Q.device)
    tolerance = 10.0 * n * facula.finfo(Q.dtype).eps if eps is None else eps
    return bool((Q.mH @ Q).sub(identity).abs().le(tolerance).all())


def _make_orthogonal(A: Tensor) -> Tensor:
    """The orthogonal factor of A, with the signs that make it unique."""
    from ... import geqrf, linalg  # loaded when first used

    reflectors, tau = geqrf(A)
    signs = reflectors.diagonal(dim1=-2, dim2=-1).sgn()
    made: Tensor = linalg.householder_product(reflectors, tau) * signs[..., None, :]
    return made


def _completed(Q: Tensor) -> Tensor:
    """A square orthogonal matrix whose first columns span what those of Q do."""
    *batch, rows, columns = Q.shape
    if rows == columns and _is_orthogonal(Q):
        return Q.clone()
    more = facula.randn(*batch, rows, rows - columns, dtype=Q.dtype, device=Q.device)
    return _make_orthogonal(facula.cat([Q, more], dim=-1))


class _Orthogonal(Module):
    """An orthogonal matrix from any matrix; with a trivialization, relative to a base."""

    base: Tensor

    def __init__(self, weight: Tensor, orthogonal_map: _OrthMaps, *, use_trivialization: bool = True) -> None:
        if orthogonal_map is _OrthMaps.householder and weight.is_complex():
            raise ValueError("The householder parametrization does not support complex tensors.")
        super().__init__()
        self.shape, self.orthogonal_map = weight.shape, orthogonal_map
        if use_trivialization:  # an attribute only then: having it tells that there is one
            self.register_buffer("base", None)

    def forward(self, X: Tensor) -> Tensor:
        from ... import cat, eye, linalg, matrix_exp  # loaded when first used

        n, k = X.size(-2), X.size(-1)
        transposed = n < k
        if transposed:
            X = X.mT
            n, k = k, n
        if self.orthogonal_map == _OrthMaps.householder:
            A = X.tril(diagonal=-1)
            tau = 2.0 / (1.0 + (A * A).sum(dim=-2))
            Q = linalg.householder_product(A, tau)
            # the diagonal has the signs of the columns
            Q = Q * X.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)
        else:
            X = X.tril()
            if n != k:
                X = cat([X, X.new_zeros(n, n - k).expand(*X.shape[:-2], -1, -1)], dim=-1)
            A = X - X.mH
            if self.orthogonal_map == _OrthMaps.matrix_exp:
                Q = matrix_exp(A)
            else:
                identity = eye(n, dtype=A.dtype, device=A.device)
                Q = linalg.solve(identity.add(A, alpha=-0.5), identity.add(A, alpha=0.5))
            if n != k:
                Q = Q[..., :k]
        if hasattr(self, "base"):
            Q = self.base @ Q
        result: Tensor = Q.mT if transposed else Q
        return result

    def right_inverse(self, Q: Tensor) -> Tensor:
        if Q.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {Q.shape}."
            )
        wide = Q.size(-2) < Q.size(-1)
        tall = Q.mT if wide else Q
        if hasattr(self, "base"):
            self.base = _completed(tall)
            start: Tensor = facula.zeros_like(Q)
            start.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
            return start
        if self.orthogonal_map is not _OrthMaps.householder:
            raise NotImplementedError(
                "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                "use_trivialization=False."
            )
        reflectors, tau = facula.geqrf(tall)
        signs = reflectors.diagonal(dim1=-2, dim2=-1)
        signs.sign_().mul_(1 - 2 * (tau == 0.0).to(signs.dtype))
        made: Tensor = reflectors.mT if wide else reflectors
        return made


def orthogonal(
    module: Module, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True
) -> Module:
    """Keep a matrix (or a batch of them) orthogonal."""
    weight = _tensor_of(module, name)
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    *_, rows, columns = weight.shape
    usual = "matrix_exp" if rows == columns or weight.is_complex() else "householder"
    wanted = usual if orthogonal_map is None else orthogonal_map
    if wanted not in _OrthMaps.__members__:
        raise ValueError(f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {wanted}')
    made = _Orthogonal(weight, _OrthMaps[wanted], use_trivialization=use_trivialization)
    return parametrize.register_parametrization(module, name, made, unsafe=True)


def _tensor_of(module: Module, name: str) -> Tensor:
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    return weight


# ---- by length and direction


class _WeightNorm(Module):
    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        found: Tensor = facula._weight_norm(weight_v, weight_g, self.dim)
        return found

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        return facula.norm_except_dim(weight, 2, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int = 0) -> Module:
    """Learn length and direction of a parameter instead of the parameter."""
    parametrize.register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def _weight_norm_compat_hook(
        state_dict: Any, prefix: str, local_metadata: Any, strict: bool, missing_keys: list[str],
        unexpected_keys: list[str], error_msgs: list[str],
    ) -> None:  # fmt: skip
        """States of ``nn.utils.weight_norm`` can be loaded, too."""
        old = (f"{prefix}{name}_g", f"{prefix}{name}_v")
        if all(key in state_dict for key in old):
            for i, key in enumerate(old):
                state_dict[f"{prefix}parametrizations.{name}.original{i}"] = state_dict.pop(key)

    module._register_load_state_dict_pre_hook(_weight_norm_compat_hook)
    return module


# ---- by spectral norm


class _SpectralNorm(Module):
    _u: Tensor
    _v: Tensor

    def __init__(self, weight: Tensor, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        ndim = weight.ndim
        if not -ndim <= dim < ndim:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [-{ndim}, {ndim - 1}] but got {dim})"
            )
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        super().__init__()
        self.dim, self.eps = dim % ndim, eps
        if ndim == 1:
            return
        self.n_power_iterations = n_power_iterations
        matrix = self._reshape_weight_to_matrix(weight)
        for name, size in zip(("_u", "_v"), matrix.shape):
            self.register_buffer(name, unit_vector(matrix, size, eps))
        self._power_method(matrix, 15)

    def _reshape_weight_to_matrix(self, weight: Tensor) -> Tensor:
        if self.dim != 0:
            weight = weight.permute(self.dim, *(d for d in range(weight.dim()) if d != self.dim))
        return weight.flatten(1)

    def _power_method(self, weight_mat: Tensor, n_power_iterations: int) -> None:
        u, v = self._u, self._v
        power_iteration_([(weight_mat, v, u), (weight_mat.mH, u, v)], n_power_iterations, self.eps)

    def forward(self, weight: Tensor) -> Tensor:
        if weight.ndim == 1:
            one: Tensor = F.normalize(weight, dim=0, eps=self.eps)
            return one
        matrix = self._reshape_weight_to_matrix(weight)
        if self.training:
            self._power_method(matrix, self.n_power_iterations)
        # the buffers change at the next call, but backward needs them as they are now
        u, v = self._u.clone(), self._v.clone()
        found: Tensor = weight / facula.vdot(u, matrix.mv(v))
        return found

    def right_inverse(self, value: Tensor) -> Tensor:
        return value


def spectral_norm(
    module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Module:
    """Keep the largest singular value of a parameter at 1."""
    weight = _tensor_of(module, name)
    made = _SpectralNorm(weight, n_power_iterations, default_dim(module) if dim is None else dim, eps)
    return parametrize.register_parametrization(module, name, made)
