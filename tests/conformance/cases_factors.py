"""What nodes of linear algebra save: LU decompositions beside matrix and result, and what hooks see of them."""

from __future__ import annotations

from tests.conformance.observe import case, see


def matrices(torch):
    a = torch.tensor([[1.0, 2.0, 0.5], [3.0, 5.0, -1.0], [0.25, 1.0, 4.0]], dtype=torch.float64)
    b = a.flip(0) + torch.eye(3, dtype=torch.float64)
    z = torch.complex(a, b)
    return a, a.mT, torch.stack([a, b]), z, z.mH


def functions(torch):
    linalg = torch.linalg

    def right(A):
        rows = [[1.0, 2.0, 0.5, 0.0], [3.0, 4.0, 1.0, 2.0], [5.0, 7.0, 0.0, 1.0]]
        return torch.tensor(rows, dtype=torch.float64).to(A.dtype)

    return (
        linalg.det, torch.det, linalg.slogdet, torch.slogdet, torch.logdet, linalg.lu, linalg.lu_factor,
        lambda A: linalg.solve(A, right(A)), lambda A: linalg.solve(A, right(A).mT, left=False),
        lambda A: linalg.solve(A, right(A)[:, 0]) if A.ndim == 2 else linalg.solve(A, right(A)[:, 0].expand(2, 3)),
        lambda A: linalg.solve_ex(A, right(A))[0], lambda A: linalg.inv(A),
    )  # fmt: skip


def results(found):
    return list(found) if isinstance(found, (tuple, list)) else [found]


@case
def decompositions_that_are_packed(torch):
    found = []
    for matrix in matrices(torch):
        for fn in functions(torch):
            packed = []

            def pack(t, packed=packed):
                packed.append([see(torch, t.detach()), t.requires_grad, t.is_leaf, t.stride()])
                return t

            with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
                made = results(fn(matrix.clone().requires_grad_()))
            names = [[n for n in dir(t.grad_fn) if n.startswith("_saved")] for t in made if t.grad_fn is not None]
            found.append([packed, names, [[t.requires_grad, t.output_nr] for t in made]])
    return found


@case
def gradients_by_decompositions_that_hooks_change(torch):
    found = []
    for matrix in matrices(torch):
        for fn in functions(torch):
            for create_graph in (False, True):
                leaf = matrix.clone().requires_grad_()
                with torch.autograd.graph.saved_tensors_hooks(
                    lambda t: t, lambda t: t * 1.5 if t.dtype.is_floating_point or t.dtype.is_complex else t
                ):
                    made = results(fn(leaf))
                total = sum((t * t).real.sum() for t in made if t.requires_grad)
                found.append(see(torch, torch.autograd.grad(total, leaf, create_graph=create_graph)))
    return found


@case
def gradients_after_a_matrix_is_changed_unseen(torch):
    found = []
    for matrix in matrices(torch):
        for fn in functions(torch):
            leaf = matrix.clone().requires_grad_()
            made = results(fn(leaf))
            leaf.data.mul_(2)
            total = sum((t * t).real.sum() for t in made if t.requires_grad)
            found.append(see(torch, torch.autograd.grad(total, leaf)))
    return found


@case
def recorded_gradients_at_singular_matrices(torch):
    found = []
    for rows in ([[1.0, 2.0], [2.0, 4.0]], [[0.0, 0.0], [1.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]]):
        a = torch.tensor(rows, dtype=torch.float64)
        for matrix in (a, a.mT.clone().mT, a + 0j, torch.stack([a, a + torch.eye(2, dtype=a.dtype)])):
            leaf = matrix.clone().requires_grad_()
            recorded = torch.autograd.grad(torch.linalg.det(leaf).sum().real, leaf, create_graph=True)[0]
            second = torch.autograd.grad((recorded * recorded.conj()).real.sum(), leaf)
            found.append([see(torch, recorded.detach()), see(torch, second)])
    return found
