"""Sparse tensors: random ones beside PyTorch's, and beside dense tensors of the same elements."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import facula
import facula.nn.functional as F
from facula.autograd import gradcheck, gradgradcheck
from facula.ops.arrays.sparse_array import SparseArray

try:
    import torch
except ImportError:
    torch = None

pytestmark = pytest.mark.filterwarnings("ignore:Sparse invariant checks")  # PyTorch says so once
beside_pytorch = pytest.mark.skipif(torch is None, reason="PyTorch is not installed")


class Parts:
    """A random sparse tensor, to be made by either library."""

    def __init__(
        self, random: np.random.Generator, shape: tuple[int, ...], sparse_dim: int, is_coalesced: bool
    ) -> None:
        nnz = int(random.integers(0, 12))
        self.at = np.stack([random.integers(0, n, nnz) for n in shape[:sparse_dim]])
        if is_coalesced:
            self.at = np.unique(self.at, axis=1)
        self.rows = random.normal(size=(self.at.shape[1], *shape[sparse_dim:]))
        self.shape = shape
        self.is_coalesced = is_coalesced

    def made(self, library: Any, rows: Any = None) -> Any:
        rows = library.tensor(self.rows) if rows is None else rows
        return library.sparse_coo_tensor(library.tensor(self.at), rows, self.shape, is_coalesced=self.is_coalesced)


Operator = Callable[[Any, Any, Any, Any], Any]

MATRICES: dict[str, Operator] = {
    "to_dense": lambda lib, a, b, d: a.to_dense(),
    "coalesce": lambda lib, a, b, d: a.coalesce(),
    "add": lambda lib, a, b, d: a + b,
    "sub": lambda lib, a, b, d: lib.sub(a, b, alpha=2),
    "dense_add": lambda lib, a, b, d: d + a,
    "dense_sub": lambda lib, a, b, d: d - a,
    "mul": lambda lib, a, b, d: a * b,
    "times_dense": lambda lib, a, b, d: a * d,
    "dense_times": lambda lib, a, b, d: d * a,
    "times_row": lambda lib, a, b, d: a * d[0],
    "times_number": lambda lib, a, b, d: a * 3 - a / 7,
    "tanh": lambda lib, a, b, d: a.tanh(),
    "square": lambda lib, a, b, d: a**2,
    "neg": lambda lib, a, b, d: -a,
    "t": lambda lib, a, b, d: a.t(),
    "mm": lambda lib, a, b, d: a @ d.t(),
    "sparse.mm": lambda lib, a, b, d: lib.sparse.mm(a, d.t()),
    "left_mm": lambda lib, a, b, d: d.t() @ a,
    "both": lambda lib, a, b, d: lib.sparse.mm(a, b.t()),
    "mv": lambda lib, a, b, d: a @ d[0],
    "addmm": lambda lib, a, b, d: lib.sparse.addmm(d @ d.t(), a, d.t(), beta=0.5, alpha=2),
    "sum": lambda lib, a, b, d: a.sum(),
    "sum_rows": lambda lib, a, b, d: lib.sparse.sum(a, 1),
    "softmax": lambda lib, a, b, d: lib.sparse.softmax(a, 1),
    "log_softmax": lambda lib, a, b, d: lib.sparse.log_softmax(a, 0),
    "select": lambda lib, a, b, d: a[1],
    "select_column": lambda lib, a, b, d: a.select(1, 2),
    "index_select": lambda lib, a, b, d: a.index_select(1, lib.tensor([2, 0, 2])),
    "narrow_copy": lambda lib, a, b, d: a.narrow_copy(1, 1, 2),
    "cat": lambda lib, a, b, d: lib.cat([a, b], 1),
    "stack": lambda lib, a, b, d: lib.stack([a, b], 1),
    "unsqueeze": lambda lib, a, b, d: a.unsqueeze(1),
    "mask": lambda lib, a, b, d: a.sparse_mask(b.detach().coalesce()),
    "mask_of_dense": lambda lib, a, b, d: d.sparse_mask(a.detach()),
    "bmm": lambda lib, a, b, d: lib.bmm(lib.stack([a, b]), lib.stack([d.t(), d.t() * 2])),
}

NO_GRADIENT_IN_PYTORCH = frozenset(
    ["cat", "index_select", "narrow_copy", "select", "select_column", "tanh", "times_row", "unsqueeze"]
)


def dense(t: Any) -> Any:
    return t.to_dense() if t.is_sparse else t


@beside_pytorch
@pytest.mark.filterwarnings("ignore:Sparse:UserWarning")
@pytest.mark.parametrize("name", [name for name in MATRICES if name != "both"])  # PyTorch's has wrong rows
def test_as_in_pytorch(name: str) -> None:
    """Values, layouts and gradients of values."""
    for seed in range(12):
        random = np.random.default_rng(seed)
        parts = [Parts(random, (4, 5), 2, seed % 3 > i) for i in range(2)]
        matrix = random.normal(size=(4, 5))
        seen = []
        for library in (torch, facula):
            leaves = [library.tensor(p.rows, requires_grad=True) for p in parts]
            d = library.tensor(matrix, requires_grad=True)
            a, b = (p.made(library, leaf) for p, leaf in zip(parts, leaves))
            out = MATRICES[name](library, a, b, d)
            told = [out.is_sparse, tuple(out.shape), str(out.dtype), dense(out).detach().numpy()]
            if library is facula or name not in NO_GRADIENT_IN_PYTORCH:
                weights = library.tensor(np.random.default_rng(seed).normal(size=tuple(out.shape)))
                (dense(out) * weights).sum().backward()
                told.append([None if t.grad is None else dense(t.grad).numpy() for t in (*leaves, d)])
            seen.append(told)
        theirs, ours = seen
        assert ours[:3] == theirs[:3]
        np.testing.assert_allclose(ours[3], theirs[3], rtol=1e-10, atol=1e-12)
        if len(theirs) > 4:
            for mine, other in zip(ours[4], theirs[4]):
                if other is None or mine is None:  # PyTorch has None for what it finds no place for
                    assert not np.any(mine if other is None else other)
                else:
                    np.testing.assert_allclose(mine, other, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", MATRICES)
def test_derivatives(name: str) -> None:
    """First and second derivatives with respect to values and to a dense operand, by finite differences."""
    random = np.random.default_rng(3)
    a, b = (Parts(random, (4, 5), 2, False) for _ in range(2))

    def fn(rows: Any, others: Any, d: Any) -> Any:
        return dense(MATRICES[name](facula, a.made(facula, rows), b.made(facula, others), d))

    leaves = [facula.tensor(x, requires_grad=True) for x in (a.rows, b.rows, random.normal(size=(4, 5)))]
    assert gradcheck(fn, leaves)
    assert gradgradcheck(fn, leaves)


@pytest.mark.parametrize("seed", range(5))
def test_product_of_sparse_matrices(seed: int) -> None:
    random = np.random.default_rng(seed)
    a, b = (Parts(random, (4, 5), 2, bool(seed % 2)).made(facula) for _ in range(2))
    facula.testing.assert_close(facula.sparse.mm(a, b.t()).to_dense(), a.to_dense() @ b.to_dense().t())


@pytest.mark.parametrize("lead", [1, 2, 3])
def test_hybrid_tensors_are_as_dense_ones(lead: int) -> None:
    """Any number of sparse dimensions before dense ones."""
    for seed in range(10):
        random = np.random.default_rng(seed)
        a, b = (Parts(random, (3, 4, 2), lead, False).made(facula) for _ in range(2))
        x, y = a.to_dense(), b.to_dense()
        pairs = [
            (a.coalesce(), x), (a + b, x + y), (x - b, x - y), (a * b, x * y), (a * y, x * y), (a * 2, x * 2),
            (a.sum(), x.sum()), (a.sum(0), x.sum(0)), (a.sum((1, 2)), x.sum((1, 2))),
            (a.sum(-1, keepdim=True), x.sum(-1, keepdim=True)),
            (a[1], x[1]), (a.select(2, 1), x.select(2, 1)), (a.unsqueeze(-1), x.unsqueeze(-1)),
            (a.unsqueeze(0), x.unsqueeze(0)), (facula.cat([a, b], 2), facula.cat([x, y], 2)),
            (facula.stack([a, b], 3), facula.stack([x, y], 3)), (x.to_sparse(lead), x),
            (a.index_select(1, facula.tensor([3, 1])), x[:, [3, 1]]),
        ]  # fmt: skip
        for ours, wanted in pairs:
            assert ours.shape == wanted.shape
            facula.testing.assert_close(dense(ours), wanted)


def test_places_that_repeat_are_masked_each_by_itself() -> None:
    mask = facula.sparse_coo_tensor([[0, 0]], [1.0, 1.0], (2,))
    assert facula.tensor([3.0, 4.0]).sparse_mask(mask)._values().tolist() == [3.0, 3.0]


# ---- forward mode and transforms go through values


@pytest.mark.filterwarnings("ignore:There is a performance drop")
def test_forward_mode_and_vmap_through_values() -> None:
    d = facula.arange(6.0, dtype=facula.float64).reshape(3, 2)

    def fn(rows: Any) -> Any:
        return facula.sparse.mm(facula.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], rows, (2, 3)), d).pow(2).sum()

    rows = facula.tensor([1.0, 2.0, 3.0], dtype=facula.float64)
    by_hand = facula.func.grad(fn)(rows)
    value, tangent = facula.func.jvp(fn, (rows,), (facula.ones(3, dtype=facula.float64),))
    assert value == fn(rows)
    facula.testing.assert_close(tangent, by_hand.sum())
    batch = facula.stack([rows, rows * 2])
    facula.testing.assert_close(facula.vmap(fn)(batch), facula.stack([fn(rows), fn(rows * 2)]))
    facula.testing.assert_close(facula.func.hessian(fn)(rows), facula.func.jacfwd(facula.func.grad(fn))(rows))


# ---- sparse gradients


def test_sparse_gradient_of_a_table_that_is_no_leaf() -> None:
    """Whatever an operator makes of it has the numbers of the dense one."""
    w = facula.arange(12.0).reshape(4, 3).requires_grad_()
    index = facula.tensor([1, 1, 3])
    for fn in (lambda t: t * 2, lambda t: t.sin(), lambda t: t.t().contiguous().t(), lambda t: t @ t.new_ones(3, 3)):
        sparse, whole = (
            facula.autograd.grad(F.embedding(index, fn(w), sparse=flag).pow(2).sum(), w)[0] for flag in (True, False)
        )
        facula.testing.assert_close(dense(sparse), whole)


def test_sparse_gradients_meet() -> None:
    """Sums of sparse and dense gradients at a leaf, in whatever order they come."""
    index = facula.tensor([0, 2])
    for first in range(3):
        w = facula.ones(3, 2, requires_grad=True)
        terms = [F.embedding(index, w, sparse=True).sum(), (w * 3).sum(), F.embedding(index + 0, w, sparse=True).sum()]
        (terms[first] + terms[first - 1] + terms[first - 2]).backward()
        assert w.grad is not None and not w.grad.is_sparse
        assert w.grad.tolist() == [[5.0, 5.0], [3.0, 3.0], [5.0, 5.0]]
    w = facula.ones(3, 2, requires_grad=True)
    sum(F.embedding(index, w, sparse=True).sum() for _ in range(4)).backward()
    assert w.grad is not None and w.grad.is_sparse and w.grad._nnz() == 2
    F.embedding(index, w).sum().backward()
    assert w.grad.tolist() == [[5.0, 5.0], [0.0, 0.0], [5.0, 5.0]]


def test_array_of_a_sparse_gradient() -> None:
    g = SparseArray(np.array([[2, 0, 2]]), np.ones((3, 2), np.float32), (3, 2))
    assert np.asarray(g).tolist() == [[1, 1], [0, 0], [2, 2]]
    assert (g + g).rows.shape == (6, 2)
    assert (np.ones((3, 2), np.float32) + g).tolist() == [[2, 2], [1, 1], [3, 3]]
    target = np.zeros((2, 3), np.float32).T
    np.add(target, g, target)
    assert target.tolist() == [[1, 1], [0, 0], [2, 2]]
    assert (-g * 2).rows.tolist() == [[-2, -2]] * 3
    assert np.sqrt(g).tolist() == np.sqrt(np.asarray(g)).tolist()


def test_a_step_touches_only_rows_of_the_gradient() -> None:
    w = facula.full((4, 2), float("nan")).requires_grad_()
    with facula.no_grad():
        w[1] = 1.0
    optimizer = facula.optim.SGD([w], lr=1.0)
    F.embedding(facula.tensor([1]), w, sparse=True).sum().backward()
    optimizer.step()
    assert w[1].tolist() == [0.0, 0.0]
    assert w._version == 2


# ---- files


@beside_pytorch
def test_files_both_ways() -> None:
    parts = Parts(np.random.default_rng(1), (4, 5, 2), 2, False)
    for writer, reader in ((torch, facula), (facula, torch)):
        for weights_only in (True, False):
            file = io.BytesIO()
            writer.save({"a": parts.made(writer), "b": parts.made(writer).coalesce()}, file)
            file.seek(0)
            found = reader.load(file, weights_only=weights_only)
            for name, t in found.items():
                assert t.is_sparse and t.is_coalesced() == (name == "b")
                np.testing.assert_array_equal(t.to_dense().numpy(), parts.made(reader).to_dense().numpy())


def test_places_in_files_are_not_believed() -> None:
    t = facula.sparse_coo_tensor([[9]], [1.0], (2,), check_invariants=False)
    file = io.BytesIO()
    facula.save(t, file)
    file.seek(0)
    with pytest.raises(RuntimeError, match="size is inconsistent with indices"):
        facula.load(file)
