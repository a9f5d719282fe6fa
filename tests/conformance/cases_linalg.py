"""Products of vectors and matrices: every combination of ranks, gradients of first and second order, graph names."""

from __future__ import annotations

import warnings

from .cases_pointwise import examine, fixed, short, single, z
from .observe import case, error, graph, see

V2 = [1.0, -2.0]
V3 = [0.5, 2.0, -1.0]
A23 = [[1.0, 2.0, -1.0], [0.5, -3.0, 4.0]]
A32 = [[1.0, -1.0], [2.0, 0.5], [-0.5, 3.0]]
A22 = [[2.0, 1.0], [-0.5, 3.0]]
B22 = [[1.0, -1.0], [0.25, 2.0]]
B223 = [A23, [[-1.0, 0.0, 2.0], [3.0, 1.0, 0.5]]]
B232 = [A32, [[0.5, 0.0], [1.0, -2.0], [0.25, 1.5]]]


# -- matmul for all ranks -----------------------------------------------------------------------------------------


@case
def matmul_1d_1d_is_dot(torch):
    return examine(torch, torch.matmul, V3, V3)


@case
def matmul_2d_1d_is_mv(torch):
    return examine(torch, torch.matmul, A23, V3)


@case
def matmul_1d_2d(torch):
    return examine(torch, torch.matmul, V2, A23)


@case
def matmul_2d_2d_is_mm(torch):
    return examine(torch, torch.matmul, A23, A32)


@case
def matmul_3d_1d(torch):
    return examine(torch, torch.matmul, B223, V3)


@case
def matmul_1d_3d(torch):
    return examine(torch, torch.matmul, V2, B223, names=False)


@case
def matmul_3d_2d(torch):
    return examine(torch, torch.matmul, B223, A32)


@case
def matmul_2d_3d(torch):
    return examine(torch, torch.matmul, A23, B232, names=False)


@case
def matmul_3d_3d(torch):
    return examine(torch, torch.matmul, B223, B232)


@case
def matmul_3d_3d_broadcast_left(torch):
    return examine(torch, torch.matmul, [A23], B232, names=False)


@case
def matmul_3d_3d_broadcast_right(torch):
    return examine(torch, torch.matmul, B223, [A32], names=False)


@case
def matmul_4d_1d(torch):
    return examine(torch, torch.matmul, [B223], V3)


@case
def matmul_1d_4d(torch):
    return examine(torch, torch.matmul, V2, [B223], names=False)


@case
def matmul_4d_2d(torch):
    return examine(torch, torch.matmul, [B223], A32)


@case
def matmul_2d_4d(torch):
    return examine(torch, torch.matmul, A23, [B232], names=False)


@case
def matmul_4d_3d_broadcasts(torch):
    return examine(torch, torch.matmul, [[A23], [A23]], B232, twice=False, names=False)


@case
def matmul_4d_4d_broadcasts_both(torch):
    return examine(torch, torch.matmul, [[A23], [A23]], [B232], twice=False, names=False)


@case
def matmul_operator(torch):
    return examine(torch, lambda a, b: a @ b, A23, A32)


@case
def rmatmul_with_constant(torch):
    return examine(torch, lambda a: fixed(torch, A23) @ a, A32)


@case
def matmul_with_itself(torch):
    return examine(torch, lambda a: a @ a, A22)


@case
def matmul_with_transposed_self(torch):
    return examine(torch, lambda a: a @ a.T, A23)


@case
def matmul_complex_uses_conjugates(torch):
    return examine(torch, torch.matmul, z(torch, [[1 + 1j, 2j], [0.5, -1j]]), z(torch, [[1j], [2 - 1j]]))


@case
def matmul_float32(torch):
    return examine(torch, torch.matmul, single(torch, A22), single(torch, B22))


@case
def matmul_of_integers(torch):
    return see(torch, torch.tensor([[1, 2], [3, 4]]) @ torch.tensor([1, -1]))


@case
def matmul_of_nothing(torch):
    return [see(torch, torch.zeros(2, 0) @ torch.zeros(0, 3)), see(torch, torch.zeros(0, 2) @ torch.zeros(2, 3))]


@case
def matmul_shape_errors(torch):
    return [
        error(lambda a=a, b=b: torch.matmul(torch.ones(*a), torch.ones(*b)))
        for a, b in (
            ((2,), (3,)),
            ((2, 3), (2, 3)),
            ((2, 3), (2,)),
            ((2,), (3, 2)),
            ((2, 2, 3), (3, 3, 2)),
            ((2, 2, 3), (2, 2)),
            ((2, 2, 3), (2, 2, 3)),
        )
    ]


@case
def matmul_of_numbers_fails(torch):
    return error(lambda: torch.matmul(torch.tensor(1.0), torch.ones(2)))


@case
def matmul_dtype_errors(torch):
    return [
        error(lambda: torch.ones(2, 2) @ torch.ones(2, 2, dtype=torch.float64)),
        error(lambda: torch.ones(2, dtype=torch.int64) @ torch.ones(2)),
    ]


# -- the single products ------------------------------------------------------------------------------------------


@case
def mm(torch):
    return examine(torch, torch.mm, A23, A32)


@case
def mm_of_transposes(torch):
    return examine(torch, lambda a, b: torch.mm(a.t(), b.t()), A23, A32)


@case
def bmm(torch):
    return examine(torch, torch.bmm, B223, B232)


@case
def mv(torch):
    return examine(torch, torch.mv, A23, V3)


@case
def dot(torch):
    return examine(torch, torch.dot, V3, [2.0, 1.0, -1.0])


@case
def dot_with_itself(torch):
    return examine(torch, lambda a: torch.dot(a, a), V3)


@case
def vdot_real_is_dot(torch):
    return examine(torch, torch.vdot, V3, V3)


@case
def vdot_complex_conjugates_the_first(torch):
    return examine(torch, torch.vdot, z(torch, [1 + 2j, 3j]), z(torch, [2 - 1j, 1 + 1j]))


@case
def dot_complex(torch):
    return examine(torch, torch.dot, z(torch, [1 + 2j, 3j]), z(torch, [2 - 1j, 1 + 1j]))


@case
def inner_vectors(torch):
    return examine(torch, torch.inner, V3, V3, names=False)


@case
def inner_matrices(torch):
    return examine(torch, torch.inner, A23, A23, names=False)


@case
def inner_with_a_number(torch):
    return examine(torch, torch.inner, A23, 2.0)


@case
def outer(torch):
    return examine(torch, torch.outer, V2, V3)


@case
def ger_is_outer(torch):
    return examine(torch, torch.ger, V2, V3)


@case
def outer_complex_does_not_conjugate(torch):
    return see(torch, torch.outer(z(torch, [1j]), z(torch, [1 + 1j])))


@case
def addmm(torch):
    return examine(torch, torch.addmm, B22, A23, A32)


@case
def addmm_alpha_beta(torch):
    return examine(torch, lambda c, a, b: torch.addmm(c, a, b, beta=0.5, alpha=2), B22, A23, A32)


@case
def addmm_bias_broadcasts(torch):
    return examine(torch, torch.addmm, V2, A23, A32)


@case
def addmm_beta_0_ignores_nan(torch):
    return examine(torch, lambda a, b: torch.addmm(fixed(torch, [float("nan")]), a, b, beta=0), A23, A32)


@case
def addmm_beta_0_gives_the_bias_a_gradient_of_zeros(torch):
    return examine(torch, lambda c, a: torch.addmm(c, a, a, beta=0), V2, A22)


@case
def addmv(torch):
    return examine(torch, lambda c, a, v: torch.addmv(c, a, v, beta=0.5, alpha=-1), V2, A23, V3)


@case
def addr(torch):
    return examine(torch, lambda c, a, b: torch.addr(c, a, b, beta=0.5, alpha=2), A23, V2, V3)


@case
def batches_of_products_lie_row_by_row(torch):
    x = torch.arange(1.0, 25).reshape(4, 3, 2).permute(2, 1, 0)
    made = (x.bmm(x.mT), x.half().bmm(x.half().mT), x @ x.mT, x[..., :1].bmm(x[:, :1]), x.long().bmm(x.long().mT))
    return [list(t.stride()) for t in made]


@case
def addbmm(torch):
    return examine(torch, lambda c, a, b: torch.addbmm(c, a, b, beta=0.5, alpha=2), B22, B223, B232, twice=False)


@case
def baddbmm(torch):
    return examine(torch, lambda c, a, b: torch.baddbmm(c, a, b, beta=0.5, alpha=2), [B22, A22], B223, B232)


@case
def baddbmm_bias_broadcasts(torch):
    return examine(torch, torch.baddbmm, [[V2]], B223, B232, twice=False)


@case
def linear_1d_input(torch):
    return examine(torch, torch.nn.functional.linear, V3, A23)


@case
def linear_1d_input_bias(torch):
    return examine(torch, torch.nn.functional.linear, V3, A23, V2)


@case
def linear_2d_input(torch):
    return examine(torch, torch.nn.functional.linear, A23, A23)


@case
def linear_2d_input_bias(torch):
    return examine(torch, torch.nn.functional.linear, A23, [[1.0, 2.0, 3.0]], [0.5])


@case
def linear_3d_input(torch):
    return examine(torch, torch.nn.functional.linear, B223, A23)


@case
def linear_3d_input_bias(torch):
    return examine(torch, torch.nn.functional.linear, B223, A23, V2)


@case
def linear_1d_weight(torch):
    return examine(torch, torch.nn.functional.linear, A23, V3)


@case
def linear_float32_bias(torch):
    return examine(torch, torch.nn.functional.linear, single(torch, A23), single(torch, A23), single(torch, V2))


@case
def bilinear(torch):
    return examine(torch, torch.nn.functional.bilinear, [[1.0, 2.0]], [[0.5, -1.0]], [A22], [0.25], names=False)


@case
def linear_errors(torch):
    return [
        error(lambda: torch.nn.functional.linear(torch.ones(2, 3), torch.ones(2, 2))),
        error(lambda: torch.nn.functional.linear(torch.ones(2, 3), torch.ones(2, 3), torch.ones(3))),
        error(lambda: torch.nn.functional.linear(torch.ones(3), torch.ones(2, 2))),
    ]


@case
def mm_errors(torch):
    return [
        error(lambda: torch.mm(torch.ones(2, 3), torch.ones(2, 3))),
        error(lambda: torch.mm(torch.ones(3), torch.ones(2, 3))),
        error(lambda: torch.mm(torch.ones(2, 3), torch.ones(3, 1, dtype=torch.float64))),
    ]


@case
def bmm_errors(torch):
    return [
        error(lambda: torch.bmm(torch.ones(2, 3), torch.ones(2, 3))),
        error(lambda: torch.bmm(torch.ones(2, 2, 3), torch.ones(3, 3, 2))),
        error(lambda: torch.bmm(torch.ones(2, 2, 3), torch.ones(2, 2, 3))),
    ]


@case
def dot_errors(torch):
    return [
        error(lambda: torch.dot(torch.ones(2), torch.ones(3))),
        error(lambda: torch.dot(torch.ones(2, 1), torch.ones(2))),
        error(lambda: torch.dot(torch.ones(2), torch.ones(2, dtype=torch.float64))),
    ]


@case
def mv_errors(torch):
    return [
        error(lambda: torch.mv(torch.ones(2, 3), torch.ones(2))),
        error(lambda: torch.mv(torch.ones(2), torch.ones(2))),
    ]


@case
def outer_errors(torch):
    return error(lambda: torch.outer(torch.ones(2, 2), torch.ones(2)))


@case
def addmm_errors(torch):
    return [
        error(lambda: torch.addmm(torch.ones(3), torch.ones(2, 3), torch.ones(3, 2))),
        error(lambda: torch.addmm(torch.ones(2), torch.ones(2, 3), torch.ones(2, 3))),
    ]


# -- einsum and friends -------------------------------------------------------------------------------------------


@case
def einsum_matrix_product(torch):
    return examine(torch, lambda a, b: torch.einsum("ij,jk->ik", a, b), A23, A32, names=False)


@case
def einsum_implicit_output_is_alphabetical(torch):
    return examine(torch, lambda a, b: torch.einsum("bj,ja", a, b), A23, A32, names=False)


@case
def einsum_trace(torch):
    return examine(torch, lambda a: torch.einsum("ii", a), A22, names=False)


@case
def einsum_diagonal(torch):
    return examine(torch, lambda a: torch.einsum("ii->i", a), A22, names=False)


@case
def einsum_transpose(torch):
    return examine(torch, lambda a: torch.einsum("ij->ji", a), A23, names=False)


@case
def einsum_implicit_transpose(torch):
    return examine(torch, lambda a: torch.einsum("ba", a), A23, names=False)


@case
def einsum_sum(torch):
    return examine(torch, lambda a: torch.einsum("ij->", a), A23, names=False)


@case
def einsum_column_sum(torch):
    return examine(torch, lambda a: torch.einsum("ij->j", a), A23, names=False)


@case
def einsum_hadamard(torch):
    return examine(torch, lambda a, b: torch.einsum("ij,ij->ij", a, b), A22, B22, names=False)


@case
def einsum_inner(torch):
    return examine(torch, lambda a, b: torch.einsum("i,i", a, b), V3, V3, names=False)


@case
def einsum_outer(torch):
    return examine(torch, lambda a, b: torch.einsum("i,j->ij", a, b), V2, V3, names=False)


@case
def einsum_bilinear_of_three(torch):
    return examine(torch, lambda a, b, c: torch.einsum("i,ijk,k->j", a, b, c), V2, B223, V3, names=False)


@case
def einsum_batched(torch):
    return examine(torch, lambda a, b: torch.einsum("bij,bjk->bik", a, b), B223, B232, names=False, twice=False)


@case
def einsum_ellipsis(torch):
    return examine(torch, lambda a, b: torch.einsum("...ij,...jk->...ik", a, b), B223, A32, names=False, twice=False)


@case
def einsum_ellipsis_implicit(torch):
    return examine(torch, lambda a: torch.einsum("...ij", a), B223, names=False)


@case
def einsum_ellipsis_summed_away(torch):
    return examine(torch, lambda a: torch.einsum("...i->i", a), B223, names=False)


@case
def einsum_ellipsis_moved_last(torch):
    return examine(torch, lambda a: torch.einsum("i...->...i", a), A23, names=False)


@case
def einsum_spaces_and_list_of_operands(torch):
    return examine(torch, lambda a, b: torch.einsum(" i j , j k -> i k", [a, b]), A23, A32, names=False)


@case
def einsum_sublist_format(torch):
    return examine(torch, lambda a, b: torch.einsum(a, [0, 1], b, [1, 2], [0, 2]), A23, A32, names=False)


@case
def einsum_broadcasts_size_one(torch):
    return examine(torch, lambda a, b: torch.einsum("ij,ij->i", a, b), [[2.0], [3.0]], A22, names=False)


@case
def einsum_upper_case(torch):
    return examine(torch, lambda a: torch.einsum("Ai->iA", a), A23, names=False)


@case
def einsum_repeated_in_two_operands(torch):
    return examine(torch, lambda a, b: torch.einsum("ii,i->i", a, b), A22, V2, names=False)


@case
def einsum_number_operand(torch):
    return examine(torch, lambda a, b: torch.einsum(",i->i", a, b), 2.0, V3, names=False)


@case
def einsum_chain_of_four(torch):
    return examine(torch, lambda a: torch.einsum("ij,jk,kl,lm->im", a, a, a, a), A22, names=False)


@case
def einsum_attention_scores(torch):
    return examine(torch, lambda q, k: torch.einsum("bhid,bhjd->bhij", q, k), [B223], [B223], names=False, twice=False)


@case
def einsum_errors(torch):
    return [
        error(lambda e=e, s=s: torch.einsum(e, *[torch.ones(*x) for x in s]))
        for e, s in (
            ("ij,jk->ik", ((2, 3), (2, 3))),
            ("ij", ((2,),)),
            ("ij,jk", ((2, 3),)),
            ("ij->ik", ((2, 3),)),
            ("ij->ii", ((2, 3),)),
            ("i1", ((2, 3),)),
            ("ii", ((2, 3),)),
        )
    ]


@case
def tensordot_default_dims(torch):
    return examine(torch, torch.tensordot, A23, [[1.0, 2.0, 0.5], [0.0, -1.0, 3.0]], names=False)


@case
def tensordot_one_dim(torch):
    return examine(torch, lambda a, b: torch.tensordot(a, b, dims=1), A23, A32, names=False)


@case
def tensordot_no_dims_is_outer(torch):
    return examine(torch, lambda a, b: torch.tensordot(a, b, dims=0), V2, V3, names=False)


@case
def tensordot_lists(torch):
    return examine(
        torch, lambda a, b: torch.tensordot(a, b, dims=([0, 2], [0, 1])), B223, B232, names=False, twice=False
    )


@case
def tensordot_errors(torch):
    return error(lambda: torch.tensordot(torch.ones(2, 3), torch.ones(2, 3), dims=1))


@case
def kron(torch):
    return examine(torch, torch.kron, A22, [[1.0, -1.0]], names=False)


@case
def kron_of_vectors(torch):
    return examine(torch, torch.kron, V2, V3, names=False)


@case
def trace(torch):
    return examine(torch, torch.trace, A22)


@case
def trace_of_a_wide_matrix(torch):
    return examine(torch, torch.trace, A23)


@case
def trace_of_a_vector_fails(torch):
    return error(lambda: torch.trace(torch.ones(2)))


@case
def cross(torch):
    return examine(torch, lambda a, b: torch.cross(a, b, dim=0), V3, [1.0, -1.0, 2.0])


@case
def cross_rows(torch):
    return examine(torch, lambda a, b: torch.linalg.cross(a, b), A23, [V3], twice=False)


@case
def multi_dot(torch):
    return examine(torch, lambda a, b, c: torch.linalg.multi_dot([a, b, c]), A23, A32, B22, names=False)


@case
def multi_dot_with_vectors(torch):
    return examine(torch, lambda a, b, c: torch.linalg.multi_dot([a, b, c]), V2, A23, V3, names=False)


@case
def matrix_power(torch):
    return examine(torch, lambda a: (torch.linalg.matrix_power(a, 3), torch.matrix_power(a, 0)), A22, names=False)


@case
def det(torch):
    return examine(torch, torch.det, A22, names=False)


@case
def inverse(torch):
    return examine(torch, torch.inverse, A22, names=False)


@case
def solve(torch):
    return examine(torch, torch.linalg.solve, A22, V2, names=False)


@case
def cholesky(torch):
    return examine(torch, torch.linalg.cholesky, [[4.0, 1.0], [1.0, 3.0]], names=False, twice=False)


@case
def logdet(torch):
    return examine(torch, torch.logdet, A22, names=False)


@case
def slogdet(torch):
    return examine(torch, lambda a: torch.linalg.slogdet(a)[1], A22, names=False, twice=False)


@case
def eigvalsh(torch):
    return examine(torch, torch.linalg.eigvalsh, [[2.0, 1.0], [1.0, 5.0]], names=False, twice=False)


@case
def svdvals(torch):
    return examine(torch, torch.linalg.svdvals, A23, names=False, twice=False)


@case
def names_of_the_decompositions(torch):
    return [
        type(f(torch.tensor(A22, requires_grad=True)).grad_fn).__name__
        for f in (torch.det, torch.inverse, torch.linalg.inv)
    ]


@case
def graphs_of_folding_and_broadcasting_matmul(torch):
    shapes = (((2,), (1, 2, 3)), ((2, 3), (2, 3, 2)), ((1, 2, 3), (2, 3, 2)), ((2, 1, 2, 3), (2, 3, 2)))
    leaf = lambda size: torch.ones(size, requires_grad=True)
    return [graph(torch.matmul(leaf(a), leaf(b)).grad_fn) for a, b in shapes]


@case
def graph_of_inner(torch):
    a = torch.tensor(V3, requires_grad=True)
    return graph(torch.inner(a, a).grad_fn)


@case
def graph_of_einsum(torch):
    a = torch.tensor(A23, requires_grad=True)
    b = torch.tensor(A32, requires_grad=True)
    return graph(torch.einsum("ij,jk->ik", a, b).grad_fn)


@case
def matmul_of_a_strided_operand(torch):
    a = torch.tensor([A23, A23], dtype=torch.float64)[:, :, ::2].requires_grad_()
    b = torch.tensor(A22, dtype=torch.float64, requires_grad=True)
    return examine(torch, lambda x, y: x @ y.t(), a, b, names=False, twice=False)


@case
def matmul_of_an_expanded_operand(torch):
    a = torch.tensor(V3, dtype=torch.float64, requires_grad=True)
    out = a.expand(2, 3) @ torch.tensor(A32, dtype=torch.float64)
    out.sum().backward()
    return short(see(torch, [out, a.grad]))


@case
def gradient_only_for_who_asks(torch):
    a = torch.tensor(A23, requires_grad=True)
    b = torch.tensor(A32)
    out = a @ b
    out.sum().backward()
    return [graph(out.grad_fn), see(torch, a.grad), b.grad]


@case
def jacobian_vector_of_matmul_by_double_backward(torch):
    a = torch.tensor(A22, dtype=torch.float64, requires_grad=True)
    u = torch.ones(2, 2, dtype=torch.float64, requires_grad=True)
    (g,) = torch.autograd.grad(a @ a, a, u, create_graph=True)
    (jvp,) = torch.autograd.grad(g, u, torch.tensor(B22, dtype=torch.float64))
    return short(see(torch, jvp))


@case
def cholesky_of_what_is_no_number(torch):
    nan = float("nan")
    found = []
    for a, b, c, d in ((nan, 0.0, 0.0, 1.0), (1.0, 0.0, nan, 1.0), (1.0, nan, 0.0, 1.0), (1.0, 0.0, 0.0, nan)):
        for dtype in (torch.float32, torch.float64):
            matrix = torch.tensor([[a, b], [c, d]], dtype=dtype)
            pair = torch.stack([torch.eye(2, dtype=dtype), matrix])
            for upper in (False, True):
                found += [error(lambda: see(torch, torch.linalg.cholesky(matrix, upper=upper)))]  # noqa: B023
                found += [error(lambda: see(torch, torch.linalg.cholesky(pair, upper=upper)))]  # noqa: B023
                found += [see(torch, torch.linalg.cholesky_ex(pair, upper=upper).info)]
    return found


@case
def results_of_linear_algebra_are_cast_safely(torch):
    x, i, n = torch.eye(2), torch.empty(2, 2, dtype=torch.int32), torch.empty(2, dtype=torch.int32)
    la, zero = torch.linalg, torch.empty((), dtype=torch.int32)
    calls = (
        lambda: torch.cholesky_solve(x, x, out=i), lambda: torch.cholesky_inverse(x, out=i), lambda: la.pinv(x, out=i),
        lambda: la.tensorinv(torch.eye(4).view(2, 2, 2, 2), out=i), lambda: la.tensorsolve(x, x[0], out=n),
        lambda: la.matrix_power(x, 2, out=i), lambda: la.multi_dot([x, x], out=i), lambda: la.norm(x, out=zero),
        lambda: la.cond(x, out=zero), lambda: la.householder_product(x, x[0], out=i),
        lambda: la.eig(x, out=(x[0].clone(), x.clone())), lambda: la.eigvals(x, out=torch.empty(2)),
    )  # fmt: skip
    return [error(f) for f in calls]


@case
def vectors_are_no_matrices_and_orders_no_complex_numbers(torch):
    v, la = torch.ones(2), torch.linalg
    calls = (
        lambda: la.pinv(v), lambda: la.pinv(v, hermitian=True), lambda: la.matrix_rank(v),
        lambda: la.matrix_norm(torch.eye(2), 1 + 2j),
    )  # fmt: skip
    return [error(f) for f in calls]


@case
def what_norms_of_matrices_ask_first(torch):
    x, norm = torch.arange(9.0).view(3, 3), torch.linalg.matrix_norm
    calls = [
        lambda t=t, ord=ord, dim=dim: norm(t, ord, dim)
        for t in (x, x.int(), x.half(), x[0].int())
        for ord in ("fro", "nuc", 1, 2, 3, 1j)
        for dim in ((0, 0), (0, -3), (0,), (0, 1, 1), (0, 5), (1, 0))
    ]
    calls += [
        lambda: norm(x, 2, (0, 0), dtype=torch.int32), lambda: norm(x, "bad", (0, 5)),
        lambda: torch.norm(x, "nuc", (0, 0)), lambda: torch.norm(x, "fro", (0, 0)), lambda: x.norm("nuc", (1, 1)),
        lambda: torch.linalg.norm(x, 2, (1, -2)), lambda: torch.linalg.norm(x, None, (0, 0)),
    ]  # fmt: skip
    return [error(f) if not isinstance(error(f), torch.Tensor) else "a norm" for f in calls]


@case
def products_of_bytes(torch):
    a, b = torch.arange(6, dtype=torch.int8).view(2, 3), torch.arange(12, dtype=torch.int8).view(3, 4) * 10
    mm = torch._int_mm
    long = torch.full((1, 4000), 127, dtype=torch.int8)
    out = torch.empty(2, 4, dtype=torch.int32)
    results = [mm(a, b), mm(a.byte(), b), mm(long, long.t()), mm(a[:0], b), mm(a, b, out=out)]
    calls = (
        lambda: mm(a.int(), b.int()), lambda: mm(a, b.int()), lambda: mm(a, a), lambda: mm(a[0], b),
        lambda: mm(a, b, out=torch.empty(2, 4)), lambda: mm(a, b, out=torch.empty(1, dtype=torch.int32)),
    )  # fmt: skip
    return [see(torch, results), [error(f) for f in calls]]


@case
def factors_of_matrices_without_elements(torch):
    shapes = ((0, 0), (2, 0, 0), (0, 3, 3), (0, 3), (3, 0), (0, 0, 0), (2, 3, 0))
    made = [torch.zeros(shape) for shape in shapes]
    return [[[list(t.shape) for t in f(A)] for f in (torch.linalg.lu, torch.linalg.lu_factor)] for A in made]


@case
def condition_numbers_of_singular_matrices(torch):
    infinity = float("inf")
    singular = torch.tensor([[1.0, 2.0], [2.0, 4.0]], dtype=torch.float64)
    matrices = (singular, torch.zeros(2, 2), torch.stack([singular, torch.eye(2, dtype=torch.float64)]))
    orders = ("fro", infinity, -infinity, 1, -1)
    regular = torch.tensor([[2.0, 1.0], [1.0, 3.0]])
    return see(torch, [torch.linalg.cond(A, p) for A in matrices for p in orders] + [torch.linalg.cond(regular, "nuc")])


@case
def norms_of_all_elements_keep_dimensions(torch):
    x, z = torch.tensor([[1.0, -2.0], [3.0, 0.5]], requires_grad=True), torch.tensor([1 + 1j, 2 - 1j])
    seen = [t.norm(p, keepdim=True) for t in (x, z) for p in (0, 1, 2, float("inf"), -1, "fro")]
    seen += [torch.norm(x, "nuc", keepdim=True), torch.norm(x, 2, keepdim=True, dtype=torch.float64)]
    (g,) = torch.autograd.grad(x.norm(3, keepdim=True).sum(), x)
    return [see(torch, [t.detach() for t in seen]), see(torch, g), x.norm(2, keepdim=True).grad_fn.name()]


@case
def what_norms_and_solvers_refuse(torch):
    x, z, m, la = torch.ones(2), torch.ones(2) + 1j, torch.eye(2), torch.linalg
    LU, pivots = la.lu_factor(torch.eye(3) + 1)
    B, whole = torch.ones(3, 1), torch.ones(2, dtype=torch.int16)
    low, high = (torch.tensor([n, 2, 3], dtype=torch.int32) for n in (0, 9))
    calls = (
        lambda: la.vector_norm(x, 1j), lambda: la.vector_norm(z, 2 + 0j), lambda: la.norm(x, 1j),
        lambda: la.norm(z, 2, dtype=torch.float64), lambda: la.norm(x, 2, dtype=torch.complex128),
        lambda: la.matrix_norm(m, 2, dtype=torch.complex128), lambda: la.norm(x, "nuc"),
        lambda: la.matrix_norm(m.double(), 1, dtype=torch.float32), lambda: la.lu_solve(LU, low, B),
        lambda: la.lu_solve(LU, high, B, adjoint=True), lambda: torch.lu_solve(B, LU, low),
        lambda: la.lu_solve(LU, pivots, B), lambda: torch.chain_matmul(),
        lambda: torch.addr(whole.diag(), whole, whole, beta=2.5),
        lambda: torch.addr(whole.diag(), whole, whole, alpha=0.5),
        lambda: torch.addr(whole.diag(), whole, whole, beta=2, alpha=3),
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [error(lambda f=f: see(torch, f())) for f in calls]


@case
def least_squares_with_bounds_for_singular_values(torch):
    A = torch.tensor([[2.0, 1.0], [0.0, 0.5], [1.0, 1.0]], dtype=torch.float64)
    b = torch.tensor([[1.0], [2.0], [3.0]], dtype=torch.float64)
    lstsq = torch.linalg.lstsq
    return see(torch, [list(lstsq(A, b, rcond=r, driver=d)) for d in ("gelsd", "gelss") for r in (-1, 0.5, 1.0, 1.5)])


@case
def mv_of_a_number(torch):
    number, vector = torch.tensor(2.0), torch.ones(2)
    pairs = ((number, number), (number, vector), (vector, number), (vector, vector))
    return [error(lambda a=a, b=b: a.mv(b)) for a, b in pairs]


# -- some extreme eigenpairs, by iteration -------------------------------------------------------------------------


def positive(torch):
    """A matrix of which all eigenvalues differ, and vectors to start from."""
    i = torch.arange(9, dtype=torch.float64)
    A = torch.diag(i.square() + 1) + (i[:, None] * 0.7 + i * 0.7).cos()
    return A, torch.stack([(i * k + 0.5).sin() for k in (1.1, 2.3)], 1)


@case
def extreme_eigenvalues(torch):
    A, X = positive(torch)
    B = torch.eye(9, dtype=torch.float64) * 2 + 0.1
    found = [
        torch.lobpcg(A, X=X), torch.lobpcg(A, 1, X=X), torch.lobpcg(A, 2, largest=False), torch.lobpcg(A, 2, B),
        torch.lobpcg(A, 2, iK=torch.linalg.inv(A)), torch.lobpcg(A, 2, method="basic", tol=1e-9, n=3),
        torch.lobpcg(torch.stack([A, B + A]), 2),
    ]  # fmt: skip
    return see(torch, [[values.mul(1e6).round(), list(vectors.shape)] for values, vectors in found])


@case
def gradients_of_extreme_eigenpairs(torch):
    A, X = positive(torch)
    A.requires_grad_()
    values, vectors = torch.lobpcg(A, X=X, tol=1e-13)
    loss = values.log().sum() * (vectors.square() * torch.arange(18.0).reshape(9, 2)).sum()
    (g,) = torch.autograd.grad(loss, A, create_graph=True)
    (second,) = torch.autograd.grad(g.square().sum(), A)
    names = [values.grad_fn.name(), vectors.grad_fn.name(), values.grad_fn.next_functions[0][0].name()]
    return see(torch, [names, g.detach().mul(1e6).round(), second.mul(1e4).round()])


@case
def what_iterated_eigenpairs_refuse(torch):
    A, X = positive(torch)
    weighted = torch.lobpcg(A.clone().requires_grad_(), 1, torch.eye(9, dtype=torch.float64))[0]
    calls = [
        lambda: torch.lobpcg(A, 4), lambda: torch.lobpcg(torch.ones(3, 4)), lambda: torch.lobpcg(A.int()),
        lambda: torch.lobpcg(A, X=X[1:]), lambda: torch.lobpcg(torch.ones(3)), lambda: torch.lobpcg(A.half()),
        lambda: weighted.sum().backward(),
    ]  # fmt: skip
    return [error(call) for call in calls]


@case
def trackers_of_iterated_eigenpairs(torch):
    A, X = positive(torch)
    steps = []

    def stop_at_three(run):
        steps.append((run.ivars["istep"], run.iparams["n"], run.bparams["largest"], list(run.R.shape)))
        run.bvars["force_stop"] = len(steps) == 3

    torch.lobpcg(A, X=X, tracker=stop_at_three)
    return steps


@case
def addr_in_half_precision_is_rounded_at_each_step(torch):
    found = []
    for dtype in (torch.float16, torch.bfloat16):
        a, b = (torch.arange(5) / 7 + 0.3).to(dtype), (torch.arange(6) / 11 - 0.4).to(dtype)
        m = (torch.arange(30) * 7 % 13 / 13 - 0.5).reshape(5, 6).to(dtype)
        for beta, alpha in ((1, 1), (0.5, 2), (0.3, 0.7), (0, 0.7)):
            found.append(see(torch, torch.addr(m, a, b, beta=beta, alpha=alpha)))
    return found


@case
def iterated_eigenpairs_have_a_file_of_their_own(torch):
    home = torch._lobpcg
    seen = []
    torch.lobpcg(positive(torch)[0], 1, niter=1, tracker=lambda run: seen.append(isinstance(run, home.LOBPCG)))
    return [home.lobpcg is torch.lobpcg, issubclass(home.LOBPCGAutogradFunction, torch.autograd.Function), *seen]


@case
def products_that_bool_has_not(torch):
    row, batch = torch.tensor([True, False, True]), torch.ones(1, 1, 1, dtype=torch.bool)
    return [
        error(lambda: torch.cross(row, row, dim=0)), error(lambda: torch.linalg.cross(row, row)),
        error(lambda: torch.vdot(row, row)), error(lambda: torch.dot(row, row)),
        error(lambda: torch.baddbmm(batch, batch, batch)), error(lambda: torch.bmm(batch, batch)),
        error(lambda: torch.addbmm(batch[0], batch, batch)),
    ]


@case
def cholesky_inverse_of_singular_factors(torch):
    singular = torch.tensor([[1.0, 0.0], [0.0, 0.0]])
    factors = (singular, singular.flip(0, 1), torch.stack([torch.eye(2), singular]))
    return [error(lambda f=f: torch.cholesky_inverse(f)) for f in factors]


@case
def raw_unique_along_a_dimension_gives_all_three(torch):
    x = torch.tensor([[3, 1], [3, 1], [2, 1]])
    return [see(torch, torch._VF.unique_dim(x, d, True, False, False)) for d in (0, 1)]


@case
def outputs_that_results_can_be_cast_to(torch):
    square, la = torch.tensor([[2.0, 1.0], [1.0, 3.0]]), torch.linalg
    told = []
    for dtype in (torch.float64, torch.complex64, torch.int32, torch.float16):

        def out(*size, dtype=dtype):
            return torch.empty(size, dtype=dtype)

        told += [
            error(lambda f=f: str(f().dtype))
            for f in (
                lambda: la.householder_product(square, torch.ones(2), out=out(2, 2)),
                lambda: la.cond(square, out=out()),
                lambda: la.tensorinv(square, 1, out=out(2, 2)), lambda: la.pinv(square, out=out(2, 2)),
                lambda: la.tensorsolve(square, torch.ones(2), out=out(2)), lambda: la.matrix_rank(square, out=out()),
                lambda: la.eigvals(square, out=out(2)), lambda: la.norm(square, out=out()),
                lambda: la.matrix_norm(square, out=out()), lambda: la.inv(square, out=out(2, 2)),
                lambda: la.eig(square, out=(out(2), out(2, 2, dtype=torch.complex128)))[0],
                lambda: la.eigh(square, out=(out(2), out(2, 2)))[0], lambda: la.multi_dot([square] * 2, out=out(2, 2)),
            )
        ]  # fmt: skip
    for name in ("rcond", "rtol", "atol"):
        told.append(error(lambda name=name: la.pinv(square, **{name: torch.tensor(1j)})))
    return told


@case
def norms_by_old_names(torch):
    x = torch.arange(12.0).reshape(3, 2, 2).sin()
    refused = (
        lambda: torch.nuclear_norm(torch.ones(3)), lambda: torch.nuclear_norm(x, dim=(0,)),
        lambda: torch.frobenius_norm(x), lambda: torch.frobenius_norm(x, (0, 1, 2)),
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [
            torch.nuclear_norm(x), torch.nuclear_norm(x[0], True), torch.nuclear_norm(x, (0, 2), True),
            torch.frobenius_norm(x, (0, 1)), torch.frobenius_norm(x, 0, True), torch.frobenius_norm(x[0], []),
        ]  # fmt: skip
        return [see(torch, found), *(error(f) for f in refused)]


@case
def functions_that_were_removed(torch):
    square = torch.eye(2)
    calls = (
        lambda: torch.solve(square, square), lambda: torch.lstsq(square, square), lambda: torch.eig(square),
        lambda: torch.symeig(square), lambda: torch.matrix_rank(square), lambda: square.solve(square), square.eig,
        square.symeig, lambda: square.lstsq(square),
    )  # fmt: skip
    return [error(f)["message"][:60] for f in calls]


@case
def factors_with_a_zero_on_their_diagonal_have_no_inverse(torch):
    a = torch.tensor([[0.8, -1.3, 0.4], [-0.7, 0.0, 1.1], [0.3, 2.2, -1.4]])
    return [
        error(lambda t=t, upper=upper: torch.cholesky_inverse(t, upper=upper))
        for t in (a, a.double(), a.to(torch.complex64), torch.stack([torch.eye(3), a])) for upper in (False, True)
    ]  # fmt: skip
