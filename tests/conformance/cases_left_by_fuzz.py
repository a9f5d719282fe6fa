"""What random programs had told of for long: corners of single operators, see ``tests/fuzz/README.md``."""

from __future__ import annotations

import warnings

from tests.conformance.observe import case, error, see


def strides(t):
    """Those that tell where elements are."""
    return [s for s, n in zip(t.stride(), t.shape) if n > 1]


@case
def changes_in_place_that_change_no_element(torch):
    found = []
    for t in (torch.ones(1), torch.ones(1, dtype=torch.int32), torch.ones(1, dtype=torch.bool), torch.ones(1) * 1j):
        for change in ("conj_physical_", "nan_to_num_"):
            expanded = t.clone().expand(3)
            found.append([error(lambda e=expanded, c=change: see(torch, getattr(e, c)())), expanded._version])
    x = torch.ones(1, requires_grad=True)
    found.append(see(torch, (x * 1).expand(3).conj_physical_()))
    found.append(see(torch, (x * 1).conj_physical_()))
    found.append(error(x.conj_physical_))
    return found


@case
def strides_of_results_where_both_operands_are_broadcast(torch):
    a = torch.arange(9.0).reshape(3, 1, 3)
    b = a.rot90()[None]
    calls = [
        lambda x, y: x + y, torch.logical_and, torch.eq, torch.maximum, torch.atan2, torch.isclose, torch.pow,
        lambda x, y: torch.where(a > 1, x, y), lambda x, y: torch.lerp(x, y, x), torch.complex, torch.clamp,
    ]  # fmt: skip
    found = [strides(f(*args)) for f in calls for args in ((a, b), (b, a))]
    c = torch.arange(24.0).reshape(2, 3, 4)
    for x, y in ((c[:, :1], c[:1]), (c[0, :, :1], c), (c[0], c.transpose(0, 2)[:, :, :1]), (c[..., :1], c[:, :1])):
        found += [error(lambda x=x, y=y: strides(x * y)), error(lambda x=x, y=y: strides(y > x))]
    return found


@case
def strides_of_copies_of_expanded_tensors(torch):
    x = torch.arange(6.0).reshape(3, 2).expand(2, 3, 2)
    calls = [
        torch.nan_to_num, lambda t: t.flip(0), lambda t: t.flip(0, 1), lambda t: t.rot90(), lambda t: t.rot90(2),
        lambda t: t.rot90(3), lambda t: t.rot90(4), torch.fliplr, torch.flipud, lambda t: torch.nan_to_num(t * 1j),
    ]  # fmt: skip
    return [strides(f(t)) for f in calls for t in (x, x.transpose(0, 2), x[:, None], x.contiguous().mT)]


@case
def strides_of_cross_and_addr(torch):
    x = torch.arange(6.0).reshape(3, 2).expand(2, 3, 2)
    found = []
    for t in (x, x.mT):
        for u in (torch.ones(2, 3, 2), torch.ones(2, 2, 3).mT, t):
            for d in (0, 1, 2):
                found.append(error(lambda t=t, u=u, d=d: strides(t.cross(u, dim=d))))
    m, v, w = torch.arange(6.0).reshape(2, 3).t(), torch.ones(3), torch.ones(4)[::2]
    for a in (m, m[:1].expand(3, 2), m.int(), m > 2, m.half(), w, m[:, :1]):
        for factor in (1, 0):
            vectors = [v.to(a.dtype), w.to(a.dtype)]
            found.append(see(torch, torch.addr(a, *vectors, beta=factor)))
            found.append(strides(torch.addr(a, *vectors, alpha=factor)))
    return found


@case
def strides_of_sums_of_products(torch):
    y, x = torch.arange(6.0).reshape(2, 3), torch.arange(9.0).reshape(3, 3)
    found = []
    for equation, *operands in (
        ("ij,jk->ki", y, x), ("ij,jk->ki", y, x[:, :1]), ("ij,jk->ki", y[:1], x), ("ij,jk->ik", y, x),
        ("ijk,kl->ilj", y[None], x), ("ijk,kl->lij", y[None], x), ("ik,kj->ji", y, x),
    ):  # fmt: skip
        result = torch.einsum(equation, *operands)
        found.append([see(torch, result), strides(result), None if result._base is None else list(result._base.shape)])
    return found


@case
def tangents_of_extrema_of_ties_and_nan(torch):
    nan = float("nan")
    a = torch.tensor([nan, 1.0, 1.0, 2.0, nan, 0.0, 5.0])
    b = torch.tensor([1.0, nan, 1.0, 3.0, nan, -1.0, -9.0])
    s, t = torch.arange(1.0, 8.0), torch.arange(1.0, 8.0) * -3
    found = []
    for name in ("minimum", "maximum", "fmin", "fmax", "clamp", "clamp_min", "clamp_max"):
        f = getattr(torch, name)
        found.append((torch.func.jvp(f, (a, b), (s, t))[1] + 0).tolist())
        found.append((torch.func.jvp(lambda x, f=f: f(x, b), (a,), (s,))[1] + 0).tolist())
        found.append((torch.func.jvp(lambda y, f=f: f(a, y), (b,), (t,))[1] + 0).tolist())
    between = [
        torch.func.jvp(torch.clamp, (a, b, b + 1), (s, t, 2 * s))[1],
        torch.func.jvp(lambda x, y: torch.clamp(x, max=y), (a, b), (s, t))[1],
        torch.func.jvp(lambda x: torch.clamp(x, b, b + 1), (a,), (s,))[1],
        torch.func.jvp(lambda y: torch.clamp(a, y, b), (b + 1,), (s,))[1],
        torch.func.jvp(lambda x: torch.maximum(x, torch.ones(2, 1)), (a.double(),), (s.double(),))[1],
        torch.func.jvp(lambda x: torch.clamp(x, min=torch.ones(2, 1)), (a,), (s,))[1],
        torch.func.vmap(lambda x, y: torch.func.jvp(torch.minimum, (x, y), (x, y))[1])(a, b),
    ]
    return found + [(each + 0).tolist() for each in between]


@case
def dtypes_of_out_that_will_not_do(torch):
    x = torch.arange(6.0).reshape(2, 3)
    found = []
    for t in (x, x.int(), x.half(), x > 2, x * 1j):
        for dtype in (torch.float32, torch.int64, torch.complex64, torch.float64, torch.bool, torch.float16):
            for call in _with_out(torch, t, dtype):
                told = error(lambda call=call: [str(each.dtype) for each in _several(call())])
                found.append(told.get("message", "\n").split("\n")[0] or told)
    return found


def _with_out(torch, t, given):
    def new(*shape, dtype=given):
        return torch.empty(shape, dtype=dtype)

    i, j = new(2, dtype=torch.int64), new(2, 3, dtype=torch.int64)
    calls = [
        lambda: torch.median(t, 1, out=(new(2), i)), lambda: torch.nanmedian(t, 1, out=(new(2), i)),
        lambda: torch.kthvalue(t, 1, out=(new(2), i)), lambda: torch.renorm(t, 1, 0, 1.0, out=new(2, 3)),
        lambda: torch.cummax(t, 1, out=(new(2, 3), j)), lambda: torch.heaviside(t, t, out=new(2, 3)),
        lambda: torch.msort(t, out=new(2, 3)), lambda: torch.float_power(t, 2, out=new(2, 3)),
        lambda: torch.cross(t, t, dim=1, out=new(2, 3)), lambda: torch.abs(t, out=new(2, 3)),
    ]  # fmt: skip
    if not t.is_complex():
        calls.append(lambda: torch.logsumexp(t, 1, out=new(2)))
        if t.dtype is not torch.bool:
            calls.append(lambda: torch.median(t, 1, out=(new(2, dtype=t.dtype), new(2))))
    if t.dtype is torch.float32:
        calls.append(lambda: torch.histc(t, 2, out=new(2)))
        calls.append(lambda: torch.frexp(t, out=(new(2, 3), j.int())))
    return calls


def _several(result):
    return list(result) if isinstance(result, tuple) else [result]


def _told(fn):
    """The first line of what is raised, or what is returned."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        told = error(fn)
    return told.get("message", "\n").split("\n")[0] or told


@case
def gradients_of_tensors_that_have_got_another_shape(torch):
    found = []

    def by_data(t):
        t.data = torch.ones(2, 2)

    def by_out(t):
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.add(torch.ones(2, 2), 1, out=t)

    for change in (by_data, by_out):
        z = torch.ones(3, requires_grad=True) * 2
        change(z)
        found.append([_told(lambda z=z: z.sum().backward()), _told(lambda z=z: z.backward(torch.ones(2, 2)))])
        leaf = torch.ones(3, requires_grad=True)
        leaf.sum().backward()
        change(leaf)
        found.append([_told(lambda leaf=leaf: (leaf * 2).sum().backward()), see(torch, leaf.grad)])
        leaf.grad = None
        (leaf * 2).sum().backward()
        found.append(see(torch, leaf.grad))
        leaf = torch.ones(3, requires_grad=True)
        twice = leaf * 2
        change(leaf)
        found.append(_told(lambda twice=twice: twice.sum().backward()))
    x = torch.ones(3, requires_grad=True)
    x.grad = torch.zeros(1).expand(3)
    found.append([_told(lambda: (x * 2).sum().backward()), see(torch, x.grad)])
    return found


@case
def set_of_tensors_with_a_history(torch):
    found = []
    for made, source in (
        (torch.ones(3, requires_grad=True) * 2, torch.ones(2, 2)), (torch.ones(3), torch.ones(3, requires_grad=True)),
        (torch.ones(3), torch.ones(3, requires_grad=True) * 2), (torch.ones(3), torch.ones(2)),
        (torch.ones(3, requires_grad=True) * 2, torch.ones(3).untyped_storage()),
    ):  # fmt: skip
        made.set_(source)
        found.append([see(torch, made), made._version, _told(lambda made=made: made.sum().backward())])
    with torch.no_grad():
        z = (torch.ones(3, requires_grad=True) * 2).set_(torch.ones(2, 2))
        found.append([see(torch, z), _told(lambda: z.sum().backward())])
    leaf = torch.ones(3, requires_grad=True)
    return [*found, _told(lambda: leaf.set_(torch.ones(3)))]


@case
def packed_by_covariances_closeness_and_prelu(torch):
    packed = []

    def pack(t):
        packed.append([str(t.dtype), [[[v.real, v.imag] for v in t.detach().flatten().tolist()]], list(t.shape)])
        return t

    x = torch.tensor([[1.0, 2.0, 4.0], [3.0, 5.0, 7.0]], requires_grad=True)
    weights = {"fweights": torch.tensor([1, 2, 3]), "aweights": torch.tensor([1.0, 2.0, 3.0])}
    found = []
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        for call in (
            lambda: torch.cov(x), lambda: torch.cov(x, correction=0), lambda: torch.cov(x, **weights),
            lambda: torch.cov(x, aweights=weights["aweights"]), lambda: torch.cov(x, fweights=weights["fweights"]),
            lambda: torch.cov(x[0]), lambda: torch.corrcoef(x), lambda: torch.corrcoef(x * (1 + 1j)),
            lambda: torch.cov(x, aweights=weights["aweights"] * 0), lambda: torch.isclose(x, x * 2),
            lambda: torch.isclose(x, x * 2, equal_nan=True), lambda: torch.isclose(x, x, rtol=0, atol=0),
            lambda: torch.isclose(x.detach(), x * 2), lambda: torch.allclose(x, x * 2),
            lambda: torch.prelu(x.detach(), x[0, :1]), lambda: torch.prelu(x, x.detach()[0]),
            lambda: torch.prelu(x.detach()[0], x[0, 0]),
        ):  # fmt: skip
            packed.clear()
            found.append([error(lambda call=call: see(torch, call())), list(packed)])
    return found


@case
def half_precision_and_integers_in_linear_algebra(torch):
    found = []
    names = "det inv cholesky eigh eigvalsh eigvals svd svdvals qr lu_factor pinv cond ldl_factor lstsq"
    for dtype in (torch.float16, torch.bfloat16, torch.int64, torch.bool):
        for shape in ((2, 2), (0, 0), (0, 3)):
            t = torch.ones(shape).tril().to(dtype)
            for name in names.split():
                args = (t, t) if name == "lstsq" else (t,)
                found.append(_told(lambda name=name, args=args: _kinds(getattr(torch.linalg, name)(*args))))
            calls = [
                torch.geqrf, torch.cholesky_inverse, lambda a: torch.cholesky_solve(a, a), torch.cholesky,
                lambda a: torch.triangular_solve(a, a), lambda a: torch.linalg.solve(a, a), torch.logdet, torch.svd,
                lambda a: torch.linalg.householder_product(a, a[..., 0]), lambda a: torch.ormqr(a, a[..., 0], a),
            ]  # fmt: skip
            found += [_told(lambda call=call, t=t: _kinds(call(t))) for call in calls if shape != (0, 3)]
    return found


def _kinds(result):
    return [[str(each.dtype), list(each.shape)] for each in _several(result)]


@case
def the_old_cholesky_of_nothing(torch):
    shapes = ((0, 3), (3, 0), (2, 0, 3), (0, 2, 3), (2, 3), (0,), (), (0, 0), (0, 2, 2))
    dtypes = (torch.float32, torch.int64)
    return [_told(lambda s=s, d=d: _kinds(torch.cholesky(torch.ones(s, dtype=d)))) for s in shapes for d in dtypes]


@case
def nothing_is_joined_into_itself(torch):
    e, f, x = torch.empty(0), torch.empty(0, 2), torch.ones(3)
    calls = [
        lambda: torch.cat([e, e], out=e), lambda: torch.cat([e, torch.empty(0)], out=e),
        lambda: torch.cat([f, f], out=f), lambda: torch.cat([x, e], out=x),
    ]  # fmt: skip
    return [_told(lambda call=call: see(torch, call())) for call in calls]


@case
def parameters_of_tensors_of_inference_mode(torch):
    class Own(torch.Tensor):
        pass

    with torch.inference_mode():
        x = torch.ones(2)
        p = torch.nn.Parameter(x)
        layer = torch.nn.Linear(2, 2)
        found = [p.is_inference(), p.requires_grad, layer.weight.is_inference()]
    calls = [
        lambda: torch.nn.Parameter(x), lambda: torch.nn.Parameter(x, requires_grad=False),
        lambda: torch.nn.Parameter(x.detach()), lambda: torch.nn.Parameter(x.clone()), lambda: torch.nn.Parameter(p),
        lambda: torch.nn.Buffer(x), lambda: x.as_subclass(Own), lambda: torch.nn.Parameter(x.as_subclass(Own)),
        lambda: torch.Tensor._make_subclass(torch.nn.Parameter, x, True), lambda: torch.nn.Parameter(layer.weight),
        lambda: torch.Tensor._make_subclass(torch.nn.Parameter, x, False), lambda: layer(torch.ones(2)),
    ]  # fmt: skip
    for call in calls:
        found.append(_told(lambda call=call: [(t := call()).is_inference(), t.requires_grad]))
    return found
