"""Conjugates and negatives that are not computed yet: their gradients, transforms, copies and files."""

from __future__ import annotations

import copy
import io
import pickle

from tests.conformance.cases_conjugates import bits, leaf, shares, z_of
from tests.conformance.observe import case, error, graph, see

# ---- gradients


@case
def graphs(torch):
    z = leaf(torch)
    c = z.conj()
    return {
        "conj": graph(c.grad_fn),
        "twice": graph(c.conj().grad_fn),
        "imag": graph(c.imag.grad_fn),
        "real": graph(c.real.grad_fn),
        "clone": graph(c.clone().grad_fn),
        "resolve_conj": graph(c.resolve_conj().grad_fn),
        "resolve_neg": graph(c.imag.resolve_neg().grad_fn),
        "neg view": graph(torch._neg_view(z).grad_fn),
        "mH": graph(z.mH.grad_fn),
        "adjoint": graph(z.adjoint().grad_fn),
        "physical": graph(c.conj_physical().grad_fn),
        "sum": graph((c * z).sum().grad_fn),
    }


FUNCTIONS = {
    "conj": lambda z: z.conj(),
    "twice": lambda z: z.conj().conj(),
    "times itself": lambda z: z.conj() * z,
    "imag": lambda z: z.conj().imag,
    "real": lambda z: z.conj().real * z.conj().imag,
    "negative": lambda z: z._neg_view() * z,
    "negative of conj": lambda z: z.conj()._neg_view() ** 2,
    "product": lambda z: z @ z.mH,
    "mv": lambda z: z.mH @ z[0].conj(),
    "abs": lambda z: z.conj().abs(),
    "exp": lambda z: z.conj().exp(),
    "power": lambda z: z.conj() ** 3,
    "divided": lambda z: z / z.conj(),
    "slices": lambda z: z.conj()[0] * z[1].conj(),
    "resolved": lambda z: z.conj().resolve_conj() * z.conj().imag.resolve_neg(),
    "indexed": lambda z: z.conj()[:, [1, 0, 1]] * 2j,
    "sum": lambda z: (z.conj() * z.imag).sum(0),
    "inverse": lambda z: z.mH.inverse(),
    "cumprod": lambda z: z.conj().cumprod(1),
    "to": lambda z: z.conj().to(z.dtype.to_complex().to_real().to_complex()).imag,
}


@case
def gradients_of_conjugates(torch):
    found = {}
    for name, fn in FUNCTIONS.items():
        z = leaf(torch).detach().to(torch.complex128).requires_grad_()
        y = fn(z)
        g = torch.linspace(0.5, 2, y.numel(), dtype=torch.float64).reshape(y.shape).to(y.dtype)
        g = (g * (1 - 2j) if y.is_complex() else g).requires_grad_()
        (first,) = torch.autograd.grad(y, z, g, create_graph=True)
        second = torch.autograd.grad(first.abs().pow(2).sum(), (z, g), allow_unused=True) if first.requires_grad else ()
        z.grad = None
        fn(z).backward(g.detach())
        found[name] = see(torch, [y, first, list(second), z.grad])
    return found


@case
def gradients_that_are_conjugates(torch):
    """Given by users: to backward, as ``.grad``, by hooks, by Functions."""
    g = z_of(torch) * (1 - 1j)

    class Conjugated(torch.autograd.Function):
        @staticmethod
        def forward(ctx, z):
            return z * 2j

        @staticmethod
        def backward(ctx, g):
            return (g * 2j).conj()

    a, b, c, d, e = (leaf(torch) for _ in range(5))
    (a * 2j).backward(g.conj())
    b.grad = g.conj()
    before = b.grad
    (b * 2j).backward(g)
    y = c * 2j
    y.register_hook(lambda g: g.conj())
    y.backward(g)
    Conjugated.apply(d).backward(g)
    (e.conj().imag * 2).backward(g.conj().imag)
    return [see(torch, t.grad) for t in (a, b, c, d, e)], b.grad is before, b.grad.is_conj(), before._version


@case
def functions_of_conjugates(torch):
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, z):
            ctx.save_for_backward(z)
            return z * z

        @staticmethod
        def backward(ctx, g):
            (z,) = ctx.saved_tensors
            return g * 2 * z.conj()

    z = leaf(torch)
    y = Square.apply(z.conj())
    y.backward(z_of(torch))
    return see(torch, y), see(torch, z.grad)


@case
def saved_conjugates(torch):
    z = leaf(torch)
    c = z.conj()
    y = c * z
    saved = y.grad_fn._saved_self, y.grad_fn._saved_other
    seen = [[t.is_conj(), see(torch, t)] for t in saved]
    z2 = leaf(torch)
    w = z2 * 1
    v = w.conj()
    p = v * z2
    w.mul_(2)
    return seen, error(lambda: p.sum().backward(torch.tensor(1j)))


@case
def packed_conjugates(torch):
    seen = []

    def pack(t):
        seen.append([t.is_conj(), see(torch, t)["values"]])
        return t

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        z = leaf(torch)
        y = z.conj() * z.conj()
    y.backward(z_of(torch))
    return seen, see(torch, z.grad)


@case
def written_with_history(torch):
    found = {}
    for name, write in {
        "mul_": lambda t, s: t.conj().mul_(s),
        "row": lambda t, s: t.conj().__setitem__(0, s[1]),
        "element": lambda t, s: t.conj()[0].__setitem__(1, 5j),
        "copy_": lambda t, s: t.conj()[1:].copy_(s[:1]),
        "copy_ of a conjugate": lambda t, s: t.mH.copy_(s.conj()),
        "fill_": lambda t, s: t.conj()[0].fill_(s[0, 0]),
        "imag": lambda t, s: t.conj().imag.mul_(3),
        "imag row": lambda t, s: t.conj().imag[0].copy_(s.imag[1]),
        "negative": lambda t, s: t._neg_view().add_(s),
        "base": lambda t, s: t.add_(s.conj()),
    }.items():
        z = z_of(torch).to(torch.complex128).requires_grad_()
        s = (z_of(torch).to(torch.complex128) * (2 - 1j)).requires_grad_()
        w = z * 1
        c = w.conj()
        write(w, s)
        y = (w * w).sum().abs() + c.imag.sum()
        first = torch.autograd.grad(y, (z, s), create_graph=True, allow_unused=True)
        of = sum(g.abs().pow(2).sum() for g in first if g is not None and g.requires_grad)
        second = torch.autograd.grad(of, (z, s), allow_unused=True)
        nodes = [graph(t.grad_fn) for t in (w, c)]
        found[name] = [see(torch, [w, c, list(first), list(second)]), bits(torch, c), nodes, w._version]
    return found


@case
def leaves_are_not_written(torch):
    z = leaf(torch)
    with torch.no_grad():
        c = z.conj()
        z.conj().mul_(2j)
    return error(lambda: z.conj().mul_(2)), see(torch, z), error(lambda: c.grad_fn), error(lambda: c.mul_(2))


@case
def leaf_that_is_a_conjugate(torch):
    p = torch.nn.Parameter(z_of(torch).conj())
    (p * p).abs().sum().backward()
    q = z_of(torch).conj().requires_grad_()
    (q @ q.mH).abs().sum().backward()
    return bits(torch, p), bits(torch, q), q.is_leaf, [[t.grad.is_conj(), see(torch, t.grad)] for t in (p, q)]


# ---- transforms


@case
def forward_mode(torch):
    z, t = z_of(torch).to(torch.complex128), z_of(torch).to(torch.complex128) * (1 - 3j)
    found = {}
    for name, fn in FUNCTIONS.items():
        found[name] = see(torch, list(torch.func.jvp(fn, (z,), (t,))))
    out, tangent = torch.func.jvp(lambda z: z.conj(), (z,), (t,))
    return found, out.is_conj(), tangent.is_conj()


@case
def batches(torch):
    z = torch.stack([z_of(torch), z_of(torch) * 2j])
    names = ("conj", "times itself", "product", "mv", "exp", "slices", "inverse", "sum")
    found = {name: see(torch, torch.func.vmap(FUNCTIONS[name])(z)) for name in names}
    of_conjugates = torch.func.vmap(lambda t: t * t)(z.conj())
    return found, torch.func.vmap(lambda z: z.conj())(z).is_conj(), see(torch, of_conjugates)


@case
def written_in_transforms(torch):
    def write(z):
        y = z.clone()
        y.conj().mul_(2j)
        y.conj()[0] = 1j
        return y

    z = z_of(torch)
    return see(torch, [
        torch.func.vmap(write)(torch.stack([z, z * 1j])),
        list(torch.func.jvp(write, (z,), (z * 1j,))),
        torch.func.grad(lambda z: write(z).abs().sum())(z),
        torch.func.vjp(write, z)[1](z)[0],
    ])  # fmt: skip


@case
def inside_grad(torch):
    seen = []

    def f(z):
        seen.append(z.conj().is_conj())
        return (z.conj() * z).real.sum()

    z = z_of(torch)
    first = torch.func.grad(f)(z)
    second = torch.func.vjp(torch.func.grad(f), z)[1](z * 1j)[0]
    return see(torch, [first, second]), seen


# ---- copies and files


def loaded(torch, value, **options):
    file = io.BytesIO()
    torch.save(value, file, **options)
    file.seek(0)
    return torch.load(file)


@case
def saved_and_loaded(torch):
    z = z_of(torch)
    c = z.conj()
    found = loaded(torch, {"z": z, "c": c, "imag": z.clone().conj().imag, "mH": z.mH, "both": torch._neg_view(c)[1:]})
    seen = {name: [t.is_conj(), t.is_neg(), list(t.stride()), see(torch, t)] for name, t in found.items()}
    found["z"].mul_(1j)
    old = loaded(torch, c, _use_new_zipfile_serialization=False)
    p = loaded(torch, torch.nn.Parameter(c))
    return seen, see(torch, found), old.is_conj(), see(torch, old), p.is_conj(), see(torch, p)


@case
def pickled_and_copied(torch):
    z = z_of(torch)
    c = z.conj()
    p = pickle.loads(pickle.dumps(c))
    pair = copy.deepcopy([z, c, c.imag])
    n = pickle.loads(pickle.dumps(c.imag))
    return {
        "pickle": [p.is_conj(), see(torch, p), n.is_neg(), see(torch, n)],
        "deepcopy": [[t.is_conj(), t.is_neg(), list(t.stride()), see(torch, t)] for t in pair],
        "shared": shares(pair[0], pair[1]),
        "copy": [copy.copy(c).is_conj(), see(torch, copy.copy(c))],
    }


@case
def state_of_modules(torch):
    m = torch.nn.ParameterList([torch.nn.Parameter(z_of(torch).conj())])
    m.register_buffer("b", z_of(torch).mH)
    other = copy.deepcopy(m)
    other.load_state_dict({name: t * 2 for name, t in m.state_dict().items()})
    return {
        "state": [[t.is_conj(), see(torch, t)] for t in m.state_dict().values()],
        "copied": [[t.is_conj(), see(torch, t)] for t in other.state_dict().values()],
    }
