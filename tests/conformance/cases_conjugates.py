"""Conjugates and negatives that are not computed yet: views of the same memory, by a bit."""

from __future__ import annotations

from tests.conformance.observe import case, error, see


def z_of(torch):
    return torch.tensor([[1 + 2j, 3 - 4j], [0.5j, -2 + 0j]])


def leaf(torch):
    return z_of(torch).requires_grad_()


def bits(torch, t):
    """What a tensor shows, and how."""
    return {
        "conj": t.is_conj(),
        "neg": t.is_neg(),
        "view": t._is_view(),
        "version": t._version,
        "stride": list(t.stride()),
        "offset": t.storage_offset(),
        "seen": see(torch, t),
    }


def shares(a, b):
    return a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr()


# ---- the views


@case
def conj_is_a_view(torch):
    z = z_of(torch)
    c = z.conj()
    return bits(torch, c), c._base is z, c.data_ptr() == z.data_ptr(), torch.is_conj(c), torch.is_conj(z)


@case
def conj_twice(torch):
    z = z_of(torch)
    c = z.conj().conj()
    return bits(torch, c), c._base is z, c is z


@case
def transposed_conjugates(torch):
    z = z_of(torch)
    return [bits(torch, t) for t in (z.mH, z.H, z.adjoint(), torch.adjoint(z), z.conj().mT, z.T.conj())]


@case
def parts_of_a_conjugate(torch):
    z = z_of(torch)
    c = z.conj()
    return bits(torch, c.real), bits(torch, c.imag), bits(torch, torch.imag(c)), c.imag._base is z, shares(c.imag, z)


@case
def parts_of_a_negative(torch):
    n = torch._neg_view(z_of(torch))
    return bits(torch, n.real), bits(torch, n.imag), bits(torch, torch.view_as_real(n)), bits(torch, n.conj().imag)


@case
def negative_views(torch):
    x = torch.tensor([1.0, -2.0, 0.5])
    n = torch._neg_view(x)
    z = z_of(torch)
    return {
        "of floats": bits(torch, n),
        "shared": n._base is x,
        "twice": bits(torch, torch._neg_view(n)),
        "of integers": bits(torch, torch._neg_view(torch.tensor([1, -2]))),
        "of half": bits(torch, torch._neg_view(x.half())),
        "of bfloat16": bits(torch, torch._neg_view(x.bfloat16())),
        "of complex": bits(torch, z._neg_view()),
        "of a conjugate": bits(torch, torch._neg_view(z.conj())),
        "and conjugated": bits(torch, torch._neg_view(z).conj()),
        "is_neg": [torch.is_neg(n), torch.is_neg(x)],
        "read": error(lambda: torch._neg_view(torch.tensor([True])).tolist()),
    }


@case
def as_complex_of_a_negative(torch):
    return bits(torch, torch.view_as_complex(torch._neg_view(torch.tensor([[1.0, 2.0], [3.0, -4.0]]))))


@case
def real_tensors_have_no_conjugate_view(torch):
    x = torch.tensor([1.0, 2.0])
    n = torch._neg_view(x)
    return x.conj() is x, n.conj() is n, x.resolve_conj() is x, x.resolve_neg() is x, bits(torch, n.real)


@case
def views_keep_the_bits(torch):
    c = z_of(torch).conj()
    n = torch._neg_view(torch.arange(12.0).reshape(3, 4))
    made = {
        "slice": lambda t: t[1:],
        "select": lambda t: t[0],
        "element": lambda t: t[0, 1],
        "step": lambda t: t[:, ::2],
        "none": lambda t: t[None],
        "expand": lambda t: t.expand(2, *t.shape),
        "transpose": lambda t: t.transpose(0, 1),
        "T": lambda t: t.T,
        "permute": lambda t: t.permute(1, 0),
        "view": lambda t: t.view(-1),
        "reshape": lambda t: t.reshape(-1, 1),
        "flatten": lambda t: t.flatten(),
        "unsqueeze": lambda t: t.unsqueeze(0),
        "squeeze": lambda t: t[:1].squeeze(0),
        "diagonal": lambda t: t.diagonal(),
        "unfold": lambda t: t.unfold(1, 2, 1),
        "as_strided": lambda t: t.as_strided((2,), (1,), 1),
        "chunk": lambda t: t.chunk(2)[1],
        "split": lambda t: t.split(1)[0],
        "unbind": lambda t: t.unbind(0)[1],
        "narrow": lambda t: t.narrow(1, 0, 1),
        "detach": lambda t: t.detach(),
        "data": lambda t: t.data,
        "view_as": lambda t: t.view_as(t),
        "movedim": lambda t: t.movedim(0, 1),
        "parameter": torch.nn.Parameter,
    }
    return {name: [bits(torch, fn(c)), bits(torch, fn(n))] for name, fn in made.items()}


@case
def what_computes_drops_them(torch):
    z = z_of(torch)
    c = z.conj()
    n = c.imag
    made = {
        "add": lambda t: t + t,
        "neg": lambda t: -t,
        "clone": lambda t: t.clone(),
        "sum": lambda t: t.sum(),
        "cat": lambda t: torch.cat([t, t]),
        "stack": lambda t: torch.stack([t, t.resolve_conj()]),
        "copied reshape": lambda t: t.T.reshape(-1),
        "dense": lambda t: t.T.contiguous(),
        "index": lambda t: t[[1, 0]],
        "mask": lambda t: t[torch.tensor([True, False])],
        "zeros_like": torch.zeros_like,
        "ones_like": torch.ones_like,
        "where": lambda t: torch.where(torch.tensor([True, False]), t, t),
        "abs": lambda t: t.abs(),
        "to": lambda t: t.to(torch.complex128),
        "copied": lambda t: t.to(t.dtype, copy=True),
        "tensor": lambda t: t.detach().clone(),
        "flip": lambda t: t.flip(0),
        "roll": lambda t: t.roll(1),
        "cumsum": lambda t: t.cumsum(0),
        "matmul": lambda t: t @ t,
        "addmm": lambda t: torch.addmm(t, t, t),
        "new_zeros": lambda t: t.new_zeros(2),
    }
    return {name: [bits(torch, fn(c)), bits(torch, fn(n))] for name, fn in made.items()}


@case
def what_returns_itself(torch):
    c = z_of(torch).conj()
    n = c.imag
    return [
        [t.contiguous() is t, t.to(t.dtype) is t, t.cpu() is t, torch.as_tensor(t) is t, t.is_contiguous()]
        for t in (c, n, c.real)
    ]


@case
def resolved(torch):
    z = z_of(torch)
    c = z.conj()
    both = torch._neg_view(c)
    return {
        "conj": bits(torch, c.resolve_conj()),
        "neg": bits(torch, c.imag.resolve_neg()),
        "both by conj": bits(torch, both.resolve_conj()),
        "both by neg": bits(torch, both.resolve_neg()),
        "itself": [z.resolve_conj() is z, c.resolve_neg() is c, c.imag.resolve_conj() is c.imag],
        "function": bits(torch, torch.resolve_conj(c)),
        "negative by function": bits(torch, torch.resolve_neg(c.imag)),
    }


@case
def physical(torch):
    z = z_of(torch)
    changed = z.clone()
    changed.conj().conj_physical_()
    return {
        "plain": bits(torch, z.conj_physical()),
        "of conj": bits(torch, z.conj().conj_physical()),
        "private": bits(torch, torch._conj_physical(z.conj())),
        "in place": bits(torch, z.clone().conj().conj_physical_()),
        "seen by the base": see(torch, changed),
        "private view": bits(torch, torch._conj(z)),
        "out": see(torch, torch.conj_physical(z, out=torch.zeros_like(z).conj())),
    }


@case
def empty_and_single(torch):
    return [
        bits(torch, torch.zeros(0, dtype=torch.complex64).conj()),
        bits(torch, torch.tensor(1 + 2j).conj()),
        bits(torch, torch.tensor(1 + 2j).conj().imag),
        bits(torch, torch.zeros(2, 0, dtype=torch.complex128).conj()),
    ]


@case
def of_meta_tensors(torch):
    m = torch.zeros(2, 3, dtype=torch.complex64, device="meta")
    c = m.conj()
    made = (c, c.conj(), c.imag, c.real, c[0], c.mT, c.clone(), c * 2, c.resolve_conj(), torch._neg_view(m))
    return [[t.is_conj(), t.is_neg(), list(t.shape), str(t.dtype), str(t.device)] for t in made]


# ---- reading


@case
def elements(torch):
    c = z_of(torch).conj()
    n = c.imag
    return {
        "tolist": see(torch, [c.tolist(), n.tolist()]),
        "item": see(torch, [c[0, 1].item(), n[0, 1].item()]),
        "numbers": see(torch, [complex(c[0, 0]), float(n[0, 0]), bool(c[0, 0]), int(n[0, 0])]),
        "in": [(1 - 2j) in c, (1 + 2j) in c, -2.0 in n, 2.0 in n],
        "equal": [torch.equal(c, z_of(torch)), torch.equal(c, c.clone()), torch.equal(n, n.clone())],
        "allclose": torch.allclose(c, c.clone()),
        "forced": see(torch, c.numpy(force=True).tolist()),
        "iterated": [bits(torch, t) for t in c],
        "formatted": [f"{c[0, 0]}", f"{n[0, 0]:.2f}"],
    }


@case
def printed(torch):
    z = leaf(torch)
    c = z.conj()
    n = torch._neg_view(torch.tensor([1, 2]))
    return [repr(t) for t in (c.detach(), c, c.imag, c.detach().imag, n, c.mH[0, 0])]


@case
def refusals(torch):
    c = z_of(torch).conj()
    n = c.imag
    return {
        "numpy": error(lambda: c.numpy()),
        "numpy of a negative": error(lambda: n.numpy()),
        "numpy of both": error(lambda: torch._neg_view(c).numpy()),
        "array": error(lambda: c.__array__()),
        "view_as_real": error(lambda: torch.view_as_real(c)),
        "view(dtype)": error(lambda: c.view(torch.float32)),
        "view(its dtype)": error(lambda: c.view(torch.complex64)),
        "view(dtype) of a negative": error(lambda: n.view(torch.int32)),
        "dlpack": error(lambda: c.__dlpack__()),
        "from_dlpack": error(lambda: torch.from_dlpack(c)),
        "imag of a negative": error(lambda: n.imag),
        "detach_": error(lambda: c.detach_()),
        "expanded": error(lambda: c[0, :1].expand(3).fill_(1)),
        "zeroed": error(lambda: c[0, :1].expand(3).zero_()),
        "history": error(lambda: leaf(torch).conj().numpy()),
    }


@case
def bytes_read_anew(torch):
    c = z_of(torch).conj()
    return see(torch, torch.view_copy(c, torch.float32)), see(torch, torch.view_as_real_copy(c))


@case
def storage_is_what_lies_in_memory(torch):
    z = z_of(torch)
    c = z.conj()
    s = c.untyped_storage()
    return s.nbytes(), s.data_ptr() == z.untyped_storage().data_ptr(), c.is_set_to(z), c.is_set_to(z.conj())


@case
def set_and_resized(torch):
    z = z_of(torch)
    c = z.clone().conj()
    c.set_(z)
    other = torch.zeros(0, dtype=torch.complex64)
    other.set_(z.conj())
    resized = z.clone().conj().resize_(3)
    grown = torch.zeros(0, dtype=torch.complex64).conj()
    torch.add(z, z, out=grown)
    return [bits(torch, t) for t in (c, other, resized, grown)]


# ---- writing


@case
def written_through(torch):
    c = z_of(torch).conj()
    writes = {
        "mul_": lambda t: t.mul_(2j if t.is_complex() else 2),
        "add_ itself": lambda t: t.add_(t.clone()),
        "number": lambda t: t.__setitem__((0, 1), 7),
        "row": lambda t: t.__setitem__(0, torch.tensor([1.0, 2.0], dtype=t.dtype)),
        "list": lambda t: t.__setitem__([1], t[:1].clone()),
        "conjugates": lambda t: t.__setitem__(0, t[1].conj()),
        "mask": lambda t: t.__setitem__(torch.tensor([[True, False], [False, True]]), 3),
        "copy_": lambda t: t.copy_(torch.arange(4.0).reshape(2, 2)),
        "copy_ of a conjugate": lambda t: t.copy_(c if t.is_complex() else c.imag),
        "fill_": lambda t: t.fill_(5),
        "fill_ by a tensor": lambda t: t.fill_(torch.tensor(2.0, dtype=t.dtype)),
        "zero_": lambda t: t.zero_(),
        "neg_": lambda t: t.neg_(),
        "sub_": lambda t: t.sub_(1),
        "div_": lambda t: t.div_(4),
        "addcmul_": lambda t: t.addcmul_(t, t),
        "masked_fill_": lambda t: t.masked_fill_(torch.tensor([[True, False], [False, False]]), 9),
        "index_add_": lambda t: t.index_add_(0, torch.tensor([0, 0]), t.clone()),
        "index_fill_": lambda t: t.index_fill_(1, torch.tensor([1]), 6),
        "scatter_": lambda t: t.scatter_(1, torch.tensor([[0], [1]]), t.clone()),
        "t_": lambda t: t.t_(),
        "tril_": lambda t: t.tril_(),
        "addmm_": lambda t: t.addmm_(t.clone(), t.clone()),
        "lerp_": lambda t: t.lerp_(torch.zeros_like(t), 0.25),
        "transposed": lambda t: t.mT.mul_(3),
    }  # fmt: skip
    found = {}
    for name, write in writes.items():
        z, y, x = z_of(torch), z_of(torch), torch.tensor([[1.0, 2.0], [-3.0, 4.0]])
        views = z.conj(), y.conj().imag, torch._neg_view(x)
        for t in views:
            write(t)
        found[name] = [bits(torch, t) for t in (z, y, x, *views)]
    return found


@case
def parts_are_set(torch):
    z = z_of(torch)
    c = z.conj()
    c.imag = torch.tensor([7.0, 8.0])
    c.real = torch.tensor([[1.0], [2.0]])
    return bits(torch, z), bits(torch, c)


@case
def a_base_and_its_conjugate(torch):
    z = z_of(torch)
    y, x, w, v = (z.clone() for _ in range(4))
    y.copy_(y.conj())
    x.add_(x.conj())
    w.conj().mul_(w)
    v.conj()[0] = v[1]
    c = z.conj()
    z.mul_(2j)
    return [bits(torch, t) for t in (y, x, w, v, c)]


@case
def drawn_into(torch):
    torch.manual_seed(3)
    z, x = torch.zeros(4, dtype=torch.complex64), torch.zeros(4)
    z.conj().normal_()
    torch._neg_view(x).uniform_()
    return see(torch, z), see(torch, x)


@case
def given_as_out(torch):
    z = z_of(torch)
    found = {}
    for name, fn in {
        "add": lambda out: torch.add(z, z.conj(), out=out),
        "mm": lambda out: torch.mm(z, z.mH, out=out),
        "exp": lambda out: torch.exp(z.conj(), out=out),
        "cat": lambda out: torch.cat([z[:1], z.conj()[1:]], out=out),
        "index_select": lambda out: torch.index_select(z.conj(), 0, torch.tensor([1, 0]), out=out),
    }.items():
        memory = torch.zeros(2, 2, dtype=torch.complex64)
        out = memory.conj()
        found[name] = [fn(out) is out, bits(torch, out), bits(torch, memory)]
    x = torch.zeros(2, 2)
    torch.abs(z, out=torch._neg_view(x))
    torch.linspace(0, 1, 4, out=torch._neg_view(y := torch.zeros(4)))
    return found, see(torch, x), see(torch, y)


# ---- operators that read


@case
def products(torch):
    z = z_of(torch)
    w = torch.tensor([[2 - 1j, 1j], [1 + 1j, -3 + 0j]])
    v = z[0]
    return see(torch, {
        "mm": torch.mm(z.conj(), w.mH),
        "matmul": z.mH @ w.conj(),
        "bmm": torch.bmm(z.conj()[None], w.mH[None]),
        "mv": z.mH @ v.conj(),
        "dot": torch.dot(v.conj(), w[0]),
        "vdot": torch.vdot(v.conj(), w[0].conj()),
        "inner": torch.inner(z.conj(), w),
        "outer": torch.outer(v, v.conj()),
        "einsum": torch.einsum("ij,kj->ik", z, w.conj()),
        "addmm": torch.addmm(z.conj(), z, w.conj(), beta=2, alpha=1j),
        "kron": torch.kron(z.conj(), w),
        "tensordot": torch.tensordot(z.conj(), w.mH, 1),
        "linear": torch.nn.functional.linear(z.conj(), w.conj()),
        "matrix_power": torch.linalg.matrix_power(z.mH, 3),
    })  # fmt: skip


@case
def decompositions(torch):
    z = z_of(torch) + 3 * torch.eye(2)
    h = z @ z.mH
    return see(torch, {
        "det": torch.linalg.det(z.conj()),
        "inv": torch.linalg.inv(z.mH),
        "solve": torch.linalg.solve(z.conj(), z.mH),
        "cholesky": torch.linalg.cholesky(h.conj()),
        "eigvalsh": torch.linalg.eigvalsh(h.mH),
        "svdvals": torch.linalg.svdvals(z.conj()),
        "norm": torch.linalg.norm(z.conj()),
        "pinv": torch.linalg.pinv(z.mH),
        "triangular": torch.linalg.solve_triangular(z.mH, z.conj(), upper=False),
        "lu_factor": list(torch.linalg.lu_factor(z.conj())),
        "matrix_exp": torch.matrix_exp(z.conj()),
    })  # fmt: skip


@case
def negatives_in_operators(torch):
    x = torch._neg_view(torch.tensor([[-1.0, 2.0, -0.5], [0.25, -3.0, 1.0]]))
    i = torch._neg_view(torch.tensor([-1, 0, -2]))
    f = torch.nn.functional
    torch.manual_seed(0)
    return see(torch, {
        "softmax": x.softmax(1),
        "relu": x.relu(),
        "gelu": f.gelu(x),
        "sort": list(x.sort(1)),
        "max": list(x.max(1)),
        "argmax": x.argmax(),
        "cumsum": x.cumsum(1),
        "linear": f.linear(x, x),
        "layer_norm": f.layer_norm(x, (3,)),
        "conv1d": f.conv1d(x[None], x[None]),
        "cross_entropy": f.cross_entropy(x, i[:2]),
        "mse_loss": f.mse_loss(x, x.relu()),
        "embedding": f.embedding(i, x.T),
        "gather": x.gather(1, i[None]),
        "index_select": x.index_select(1, i),
        "bincount": torch.bincount(i),
        "one_hot": f.one_hot(i),
        "unique": x.unique(),
        "clamp": x.clamp(0, 1),
        "pow": x.abs() ** x,
        "where": torch.where(x > 0, x, -x),
        "complex": torch.complex(x, x),
        "nonzero": x.nonzero(),
        "searchsorted": torch.searchsorted(x.flatten().sort()[0], x),
        "histc": torch.histc(x, 3),
        "bernoulli": torch.bernoulli(torch._neg_view(torch.tensor([-1.0, 0.0]))),
        "multinomial": torch.multinomial(torch._neg_view(torch.tensor([-1.0, 0.0])), 1),
        "dropout": f.dropout(x, 0.5),
    })  # fmt: skip
