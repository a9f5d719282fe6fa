"""Linear algebra where naive formulas fail: singular, rank-deficient, repeated eigenvalues, zeros, nothing at all."""

from __future__ import annotations

from .edges import INF, NAN, SINGLE, look
from .observe import case, error

ZEROS = [[0.0, 0.0], [0.0, 0.0]]
ONES = [[1.0, 1.0], [1.0, 1.0]]
UNIT = [[1.0, 0.0], [0.0, 1.0]]
REGULAR = [[2.0, 1.0], [0.5, 3.0]]
SYMMETRIC = [[2.0, 1.0], [1.0, 3.0]]
RANK_ONE = [[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [3.0, 6.0, 9.0]]
RANK_TWO = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]
TALL = [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]


def batch(torch, rows, dtype="float64"):
    return torch.tensor(rows, dtype=getattr(torch, dtype))


@case
def determinants_of_singular_matrices(torch):
    seen = {}
    for name, fn in {"det": torch.linalg.det, "old det": torch.det}.items():
        for what, rows in {"zeros": ZEROS, "unit": UNIT, "rank one": RANK_ONE, "regular": REGULAR}.items():
            seen[f"{name} {what}"] = look(torch, fn, rows, twice=what in ("unit", "regular"), signs=False)
    return seen | {
        "nothing": look(torch, lambda t: torch.linalg.det(t), torch.zeros(0, 0, requires_grad=True)),
        "several": look(torch, torch.linalg.det, [ZEROS, UNIT, REGULAR], twice=False),
        "not square": error(lambda: torch.linalg.det(torch.zeros(2, 3))),
    }


@case
def logarithms_of_determinants(torch):
    seen = {}
    for what, rows in {"zeros": ZEROS, "ones": ONES, "negative": [[0.0, 1.0], [1.0, 0.0]], "regular": REGULAR}.items():
        seen[f"slogdet {what}"] = look(torch, lambda: torch.linalg.slogdet(batch(torch, rows)))  # noqa: B023
        seen[f"logdet {what}"] = look(torch, lambda: torch.logdet(batch(torch, rows)))  # noqa: B023
    for fn in (torch.linalg.slogdet, torch.slogdet):
        seen[f"{len(seen)}"] = look(torch, lambda t: fn(t)[1], [REGULAR, SYMMETRIC])  # noqa: B023
    return seen | {
        "logdet": look(torch, torch.logdet, REGULAR),
        "huge": look(torch, lambda t: torch.linalg.slogdet(t)[1], [[1e200, 0.0], [0.0, 1e200]]),
        "nothing": look(torch, lambda: torch.linalg.slogdet(torch.zeros(0, 0))),
    }


@case
def inverses(torch):
    several = batch(torch, [UNIT, ZEROS])
    return {
        "singular": error(lambda: torch.linalg.inv(batch(torch, ZEROS))),
        "ones": error(lambda: torch.linalg.inv(batch(torch, ONES))),
        "one of several": error(lambda: torch.linalg.inv(several)),
        "old": error(lambda: torch.inverse(batch(torch, ZEROS))),
        "inv_ex": look(torch, lambda: torch.linalg.inv_ex(batch(torch, ZEROS))[1]),
        "checked": error(lambda: torch.linalg.inv_ex(batch(torch, ZEROS), check_errors=True)),
        "regular": look(torch, torch.linalg.inv, REGULAR),
        "nearly singular": look(torch, torch.linalg.inv, [[1.0, 1.0], [1.0, 1.0 + 1e-6]], twice=False),
        "nothing": look(torch, lambda: torch.linalg.inv(torch.zeros(0, 0))),
        "not square": error(lambda: torch.linalg.inv(torch.zeros(2, 3))),
        "half": error(lambda: torch.linalg.inv(torch.zeros(2, 2, dtype=torch.float16))),
    }


@case
def solutions(torch):
    right = [[1.0], [2.0]]
    return {
        "singular": error(lambda: torch.linalg.solve(batch(torch, ONES), batch(torch, right))),
        "solve_ex": look(torch, lambda: torch.linalg.solve_ex(batch(torch, ONES), batch(torch, right))[1]),
        "regular": look(torch, torch.linalg.solve, REGULAR, right),
        "triangular": look(
            torch, lambda a, b: torch.linalg.solve_triangular(a, b, upper=True), [[1.0, 2.0], [0.0, 4.0]], right
        ),
        "singular triangular": look(
            torch, lambda: torch.linalg.solve_triangular(batch(torch, ZEROS), batch(torch, right), upper=True)
        ),
        "unit triangular": look(
            torch, lambda a, b: torch.linalg.solve_triangular(a, b, upper=False, unitriangular=True), ONES, right
        ),
        "nothing": look(torch, lambda: torch.linalg.solve(torch.zeros(0, 0), torch.zeros(0, 2))),
        "lu": error(lambda: torch.linalg.lu_factor(batch(torch, ZEROS))),
        "lu_factor_ex": look(torch, lambda: torch.linalg.lu_factor_ex(batch(torch, ZEROS))),
    }


@case
def cholesky_of_what_is_not_positive(torch):
    negative = [[1.0, 2.0], [2.0, 1.0]]
    return {
        "negative": error(lambda: torch.linalg.cholesky(batch(torch, negative))),
        "zeros": error(lambda: torch.linalg.cholesky(batch(torch, ZEROS))),
        "one of several": error(lambda: torch.linalg.cholesky(batch(torch, [UNIT, negative]))),
        "cholesky_ex": look(torch, lambda: torch.linalg.cholesky_ex(batch(torch, [negative, UNIT, ZEROS]))[1]),
        "regular": look(torch, torch.linalg.cholesky, SYMMETRIC),
        "upper": look(torch, lambda t: torch.linalg.cholesky(t, upper=True), SYMMETRIC),
        "float32": look(torch, torch.linalg.cholesky, SYMMETRIC, precision=SINGLE),
        "not symmetric": look(torch, torch.linalg.cholesky, [[2.0, 100.0], [1.0, 3.0]], twice=False),
        "cholesky_inverse": look(torch, torch.cholesky_inverse, [[2.0, 0.0], [1.0, 3.0]]),
    }


@case
def repeated_eigenvalues(torch):
    """Values have gradients at repeated eigenvalues, vectors have none: what is not finite says so."""

    def vectors(rows):
        t = batch(torch, rows).requires_grad_()
        w, v = torch.linalg.eigh(t)
        both = (v.abs() ** 2 * torch.tensor([[1.0, 2.0], [3.0, 5.0]], dtype=torch.float64)).sum()
        (g,) = torch.autograd.grad(both, t)
        return [w.tolist(), torch.isfinite(g).tolist()]

    seen = {"vectors of the unit matrix": vectors(UNIT), "vectors of distinct": vectors(SYMMETRIC)}
    for what, rows in {"zeros": ZEROS, "unit": UNIT, "distinct": SYMMETRIC, "ones": ONES}.items():
        seen[f"eigvalsh {what}"] = look(torch, torch.linalg.eigvalsh, rows, twice=what == "distinct")
        seen[f"sum {what}"] = look(torch, lambda t: torch.linalg.eigvalsh(t).sum(), rows, twice=False)
        seen[f"eigvals {what}"] = look(
            torch, lambda t: torch.linalg.eigvals(t).real.sort()[0], rows, twice=False, signs=False
        )
    return seen | {
        "lower": look(torch, lambda t: torch.linalg.eigvalsh(t, UPLO="L"), [[2.0, 50.0], [1.0, 3.0]], twice=False),
        "upper": look(torch, lambda t: torch.linalg.eigvalsh(t, UPLO="U"), [[2.0, 1.0], [50.0, 3.0]], twice=False),
        "nothing": look(torch, lambda: torch.linalg.eigvalsh(torch.zeros(0, 0))),
        "not square": error(lambda: torch.linalg.eigh(torch.zeros(2, 3))),
    }


@case
def repeated_singular_values(torch):
    def product(t):
        u, s, vh = torch.linalg.svd(t, full_matrices=False)
        return (u * s) @ vh

    distinct = [[3.0, 0.0], [1.0, 1.0], [0.5, 2.0]]
    seen = {}
    for what, rows in {"unit": UNIT, "distinct": distinct, "tall": TALL}.items():
        seen[f"svdvals {what}"] = look(torch, torch.linalg.svdvals, rows, twice=what == "distinct", signs=False)
    # The vectors of a singular value of 0, and with them the gradient, are a matter of LAPACK's choice.
    for what, rows in {"zeros": ZEROS, "rank one": ONES}.items():
        seen[f"svdvals {what}"] = look(torch, lambda: 1.0 + torch.linalg.svdvals(batch(torch, rows)))  # noqa: B023
    return seen | {
        "product": look(torch, lambda t: product(t) + 1.0, distinct),
        "finite": [
            torch.isfinite(torch.autograd.grad(product(t).sum(), t)[0]).all().item()
            for t in (batch(torch, r).requires_grad_() for r in (distinct, UNIT, TALL))
        ],
        "ambiguous": error(
            lambda: torch.autograd.grad(torch.linalg.svd(batch(torch, TALL).requires_grad_())[0].sum(), [])
        ),
        "nothing": look(torch, lambda: torch.linalg.svdvals(torch.zeros(0, 3))),
        "nan": error(lambda: torch.linalg.svd(batch(torch, [[NAN, 1.0], [1.0, 1.0]]))),
    }


@case
def pseudo_inverses(torch):
    seen = {}
    for what, rows in {"zeros": ZEROS, "ones": ONES, "rank one": RANK_ONE, "tall": TALL, "regular": REGULAR}.items():
        seen[what] = look(torch, torch.linalg.pinv, rows, twice=what == "regular", signs=False)
    return seen | {
        "tolerance": look(torch, lambda t: torch.linalg.pinv(t, rtol=0.5), [[1.0, 0.0], [0.0, 0.1]], twice=False),
        "hermitian": look(torch, lambda t: torch.linalg.pinv(t, hermitian=True), SYMMETRIC, twice=False),
        "nothing": look(torch, lambda: torch.linalg.pinv(torch.zeros(0, 3))),
    }


@case
def ranks_and_conditions(torch):
    matrices = {"zeros": ZEROS, "ones": ONES, "unit": UNIT, "rank one": RANK_ONE, "rank two": RANK_TWO, "tall": TALL}
    seen = {w: look(torch, lambda r=r: torch.linalg.matrix_rank(batch(torch, r))) for w, r in matrices.items()}
    for p in (None, 1, -1, 2, -2, INF, -INF, "fro", "nuc"):
        for what in ("unit", "zeros"):
            seen[f"cond {p} {what}"] = error(lambda: torch.linalg.cond(batch(torch, matrices[what]), p).item())  # noqa: B023
    return seen | {
        "regular": look(torch, torch.linalg.cond, REGULAR),
        "nothing": error(lambda: torch.linalg.cond(torch.zeros(0, 0)).item()),
    }


@case
def matrix_norms_of_zeros(torch):
    seen = {}
    for p in ("fro", "nuc", 1, -1, 2, -2, INF, -INF):
        for what, rows in {"zeros": ZEROS, "unit": UNIT, "regular": REGULAR}.items():
            fn = lambda t: torch.linalg.matrix_norm(t, p)  # noqa: B023
            seen[f"{p} {what}"] = look(torch, fn, rows, twice=p in ("fro", 1, INF))
    for p in (None, 0, 1, 2, INF):
        seen[f"vector {p}"] = look(torch, lambda t: torch.linalg.norm(t, p), [0.0, 0.0, 0.0])  # noqa: B023
    return seen | {
        "all": look(torch, torch.linalg.norm, ZEROS),
        "order": error(lambda: torch.linalg.matrix_norm(torch.zeros(2, 2), 3)),
    }


@case
def least_squares(torch):
    tall, right = [[1.0, 0.0], [1.0, 1.0], [1.0, 3.0]], [[1.0], [2.0], [2.0]]
    wide = [[1.0, 2.0, 3.0], [0.0, 1.0, 1.0]]
    solve = lambda **how: lambda a, b: torch.linalg.lstsq(a, b, **how)
    return {
        "tall": look(torch, lambda a, b: solve()(a, b)[0], tall, right),
        "residuals": look(torch, lambda a, b: solve()(a, b)[1], tall, right, twice=False),
        "wide": look(torch, lambda a, b: solve()(a, b)[0], wide, right[:2], twice=False),
        "rank": look(torch, lambda: solve(driver="gelsd")(batch(torch, RANK_ONE), batch(torch, right))[2]),
        "deficient": look(torch, lambda: solve(driver="gelsd")(batch(torch, RANK_ONE), batch(torch, right))[0]),
        "deficient by y": look(torch, lambda: solve(driver="gelsy")(batch(torch, RANK_ONE), batch(torch, right))[0]),
        "rank by y": look(torch, lambda: solve(driver="gelsy")(batch(torch, RANK_TWO), batch(torch, right))[2]),
        "nothing": look(torch, lambda: solve()(torch.zeros(0, 2), torch.zeros(0, 1))[0]),
        "driver": error(lambda: solve(driver="other")(torch.zeros(2, 2), torch.zeros(2, 1))),
    }


@case
def qr_of_deficient_matrices(torch):
    product = lambda t: (lambda q, r: q @ r + 1.0)(*torch.linalg.qr(t))
    return {
        "product": look(torch, product, REGULAR),
        "tall": look(torch, product, [[1.0, 0.0], [1.0, 1.0], [1.0, 3.0]], twice=False),
        "zeros": look(torch, lambda: torch.linalg.qr(batch(torch, ZEROS))[1].abs()),
        "triangle": look(torch, lambda: torch.linalg.qr(batch(torch, REGULAR), mode="r")[1].abs()),
        "wide complete": error(
            lambda: torch.linalg.qr(torch.ones(2, 3, requires_grad=True), mode="complete")[0].sum().backward()
        ),
        "tall complete": error(
            lambda: torch.linalg.qr(torch.ones(3, 2, requires_grad=True), mode="complete")[0].sum().backward()
        ),
    }


@case
def matrix_functions(torch):
    return {
        "exp of zeros": look(torch, torch.linalg.matrix_exp, ZEROS),
        "exp": look(torch, torch.linalg.matrix_exp, REGULAR),
        "exp of large": look(torch, torch.linalg.matrix_exp, [[20.0, 1.0], [0.0, -20.0]], twice=False),
        "power 0": look(torch, lambda t: torch.linalg.matrix_power(t, 0), ZEROS),
        "power 3": look(torch, lambda t: torch.linalg.matrix_power(t, 3), ONES),
        "power -1": error(lambda: torch.linalg.matrix_power(batch(torch, ZEROS), -1)),
    }


@case
def products_with_nothing_and_infinity(torch):
    a, b = [[0.0, 1.0]], [[INF], [1.0]]
    none = torch.zeros
    return {
        "inf": look(torch, torch.matmul, a, b),
        "nothing inside": look(torch, lambda: torch.matmul(none(2, 0), none(0, 3))),
        "nothing outside": look(torch, lambda: torch.matmul(none(0, 2), none(2, 3))),
        "dot": look(torch, lambda: torch.dot(none(0), none(0))),
        "addmm with beta 0": look(torch, lambda: torch.addmm(torch.full((1, 1), NAN), none(1, 2), none(2, 1), beta=0)),
        "addmm of nothing": look(torch, lambda: torch.addmm(torch.ones(2, 3), none(2, 0), none(0, 3), beta=2)),
        "baddbmm with beta 0": look(
            torch, lambda: torch.baddbmm(torch.full((1, 1, 1), NAN), none(1, 1, 2), none(1, 2, 1), beta=0)
        ),
        "half": look(torch, torch.matmul, [[300.0, 300.0]], [[300.0], [300.0]], precision="float16"),
        "einsum": look(torch, lambda: torch.einsum("ij,jk->ik", none(2, 0), none(0, 2))),
        "cross": look(torch, lambda x, y: torch.linalg.cross(x, y), [[1.0, 2.0, 3.0]], [[2.0, 4.0, 6.0]]),
        "vander": look(torch, lambda t: torch.linalg.vander(t), [0.0, 1.0, -2.0]),
    }


@case
def factors_of_batches_in_any_order(torch):
    x = (torch.arange(90.0, dtype=torch.float64) ** 2 * 0.7).sin().reshape(3, 2, 3, 5).transpose(0, 1)
    square = x[..., :3]
    return {
        "lu_factor": look(torch, lambda: torch.linalg.lu_factor(x)[0]),
        "pivots": look(torch, lambda: torch.linalg.lu_factor(square)[1]),
        "lu": look(torch, lambda: torch.linalg.lu(x)[2]),
        "in vmap": look(torch, lambda: torch.func.vmap(lambda x: torch.linalg.lu_factor(x)[0], in_dims=1)(square.mT)),
    }


@case
def which_matrix_is_not_finite(torch):
    one = torch.ones(2, 2, 3, 3)
    one[1, 0, 0, 2] = NAN
    norm, vmap = torch.linalg.matrix_norm, torch.func.vmap
    ask = {
        "svd": torch.linalg.svd, "svdvals": torch.linalg.svdvals, "nuclear norm": lambda x: norm(x, "nuc"),
        "pinv": torch.linalg.pinv, "matrix_rank": torch.linalg.matrix_rank, "cond": torch.linalg.cond,
    }  # fmt: skip
    return {
        name: [look(torch, lambda f=f, x=x: f(x)) for f, x in ((f, one), (f, one[1]), (f, one[1, 0]), (vmap(f), one))]
        for name, f in ask.items()
    }


@case
def tolerances_of_pseudoinverses_have_no_derivative(torch):
    x, rtol = torch.tensor([[1.0, 2.0], [3.0, 4.5]]), torch.tensor(0.1)
    func = torch.func
    return {
        "grad": look(torch, lambda: func.grad(lambda r: torch.linalg.pinv(x, rtol=r).sum())(rtol)),
        "jvp": look(torch, lambda: func.jvp(lambda r: torch.linalg.pinv(x, rtol=r), (rtol,), (rtol,))[1]),
        "backward": look(torch, lambda: torch.linalg.pinv(x, atol=rtol.clone().requires_grad_())),
        "batch": look(torch, lambda: func.vmap(lambda r: torch.linalg.pinv(x, rtol=r))(torch.tensor([0.01, 0.9]))),
    }


@case
def second_tangents_of_complex_singular_values(torch):
    x = torch.arange(9.0, dtype=torch.float64).reshape(3, 3).sin()
    z, func = torch.complex(x, x.cos().mT), torch.func

    def slope(z):
        return func.jvp(torch.linalg.svdvals, (z,), (z * z,))[1]

    return {"jvp": look(torch, lambda: func.jvp(slope, (z,), (z.cos(),))[1])}
