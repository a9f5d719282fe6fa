"""Samples of linear algebra and of Fourier transforms; ``op_samples`` imports them."""

from __future__ import annotations

from typing import Any

import facula as torch

from .op_samples import WITHOUT_NUMBERS, complex_, direct, quiet, real, regular, sample

linalg = torch.linalg

# PyTorch records these and refuses to differentiate them.
WITHOUT_NUMBERS.update(("geqrf", "linalg_ldl_factor", "linalg_ldl_solve"))


def definite(a: Any) -> Any:
    return regular(a @ a.mH)


def hermitian(a: Any) -> Any:
    return a + a.mH


def projections(vectors: Any) -> Any:
    """What does not change with the signs and phases of vectors."""
    return vectors.unsqueeze(-2) * vectors.conj().unsqueeze(-3)


# ---- solving, decompositions

for _kind in (real, complex_):
    sample("linalg_inv_where_possible", lambda a: direct("linalg_inv_where_possible")(regular(a)), _kind(2, 2, 2))
    sample(
        "linalg_solve_where_possible",
        lambda a, b: direct("linalg_solve_where_possible", True, False)(regular(a), b), _kind(2, 2), _kind(2, 2, 3),
    )  # fmt: skip
    sample(
        "linalg_solve_where_possible_with_factors",
        lambda a, b: direct("linalg_solve_where_possible_with_factors", True, False)(regular(a), b)[0],
        _kind(2, 2), _kind(2, 3),
    )  # fmt: skip
    sample("linalg_slogdet_with_factors", lambda a: torch.logdet(definite(a)), _kind(2, 2, 2))
    sample("linalg_slogdet_with_factors", lambda a: tuple(linalg.slogdet(regular(a))), _kind(2, 2))
    sample("linalg_slogdet", lambda a: tuple(direct("linalg_slogdet")(regular(a))), _kind(2, 2))
    for _upper in (False, True):
        sample("linalg_cholesky", lambda a, u=_upper: linalg.cholesky(definite(a), upper=u), _kind(2, 2, 2))
        sample("cholesky", quiet(lambda a, u=_upper: torch.cholesky(definite(a), upper=u)), _kind(2, 2))
        sample(
            "linalg_cholesky_where_possible",
            lambda a, u=_upper: direct("linalg_cholesky_where_possible", u)(definite(a)), _kind(2, 2),
        )  # fmt: skip

        def _triangle(a: Any, u: bool = _upper) -> Any:
            return regular(a).triu() if u else regular(a).tril()

        sample("cholesky_inverse", lambda a, f=_triangle, u=_upper: torch.cholesky_inverse(f(a), u), _kind(2, 2, 2))
        sample(
            "cholesky_solve", lambda b, a, f=_triangle, u=_upper: torch.cholesky_solve(b, f(a), u),
            _kind(2, 2, 3), _kind(2, 2),
        )  # fmt: skip
        for _turned in (False, True):
            sample(
                "triangular_solve",
                quiet(lambda b, a, u=_upper, t=_turned: tuple(torch.triangular_solve(b, regular(a), u, t))),
                _kind(2, 2, 3), _kind(2, 2),
            )  # fmt: skip
            sample(
                "linalg_lu_solve",
                lambda a, b, left=_upper, t=_turned: linalg.lu_solve(
                    *linalg.lu_factor(regular(a)), b, left=left, adjoint=t  # type: ignore[misc]
                ),
                _kind(2, 2), _kind(3, 2, 2),
            )  # fmt: skip
    for _shape in ((3, 3), (2, 3), (3, 2), (2, 2, 3)):
        sample("linalg_lu_factor", lambda a: linalg.lu_factor(a)[0], _kind(*_shape))
        sample("linalg_lu", lambda a: tuple(linalg.lu(a))[1:], _kind(*_shape))
        sample("lu_unpack", lambda a: tuple(torch.lu_unpack(*linalg.lu_factor(a)))[1:], _kind(*_shape))
        sample("linalg_qr", lambda a: tuple(linalg.qr(a)), _kind(*_shape))
        sample("linalg_pinv", lambda a: linalg.pinv(a), _kind(*_shape))
        sample("linalg_svd", lambda a: linalg.svdvals(a), _kind(*_shape))

        def _svd(a: Any) -> Any:
            u, s, vh = linalg.svd(a, full_matrices=False)
            return projections(u), s, projections(vh.mT), u @ vh

        sample("linalg_svd", _svd, _kind(*_shape))
    sample("linalg_pinv", lambda a: linalg.pinv(hermitian(a), hermitian=True), _kind(3, 3))
    sample("linalg_eigh", lambda a: linalg.eigvalsh(hermitian(a)), _kind(2, 3, 3))
    sample("linalg_eigh", lambda a: projections(linalg.eigh(hermitian(a))[1]), _kind(3, 3))
    sample("linalg_eig", lambda a: linalg.eigvals(a), _kind(2, 3, 3))
    sample("linalg_eig", lambda a: projections(linalg.eig(a)[1]), _kind(3, 3))
    sample("linalg_lstsq", lambda a, b: linalg.lstsq(a, b)[0], _kind(3, 2), _kind(3, 2))
    sample("linalg_lstsq", lambda a, b: linalg.lstsq(a, b)[0], _kind(2, 3), _kind(2, 2))
    sample("linalg_lstsq", lambda a, b: tuple(linalg.lstsq(a, b, driver="gelsd"))[:2], _kind(3, 2), _kind(3, 2))
    sample("linalg_matrix_exp", linalg.matrix_exp, _kind(2, 2, 2))
    sample("linalg_householder_product", linalg.householder_product, _kind(2, 3, 2), _kind(2, 2))
    for _left in (True, False):
        for _turned in (False, True):
            sample(
                "ormqr", lambda a, tau, c, left=_left, t=_turned: torch.ormqr(a, tau, c, left, t),
                _kind(3, 2), _kind(2), _kind(3, 3),
            )  # fmt: skip


# ---- Fourier transforms

for _norm in (0, 1, 2):
    sample("fft_c2c", direct("fft_c2c", (0, 1), _norm, True), complex_(3, 4))
    sample("fft_c2c", direct("fft_c2c", (1,), _norm, False), complex_(2, 3))
    for _n in (1, 2, 4, 5):
        sample("fft_r2c", direct("fft_r2c", (0, 1), _norm, True), real(3, _n))
        sample("fft_c2r", direct("fft_c2r", (0, 1), _norm, _n), complex_(3, _n // 2 + 1))
    sample("fft_r2c", direct("fft_r2c", (1,), _norm, False), real(3, 4))
sample("conj_physically", torch.fft.ihfft2, real(3, 4))
sample("frames", lambda x: torch.stft(x, 4, 2, window=torch.ones(4), center=False, return_complex=True), real(2, 9))
