"""``torch.autograd.forward_ad``: duals, in place, through views, over reverse mode; ``autograd.functional``."""

from __future__ import annotations

from .cases_func import seen, without_nodes
from .observe import case, error, see


def pair(torch, dual):
    unpacked = torch.autograd.forward_ad.unpack_dual(dual)
    return see(torch, unpacked.primal.detach()), without_nodes(see(torch, unpacked.tangent))


@case
def duals(torch):
    fw = torch.autograd.forward_ad
    x, t = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
    with fw.dual_level() as level:
        d = fw.make_dual(x, t)
        made = (d, d.sin(), d * d, d.sum(), d[0], d.reshape(2, 1), d.detach(), x * 2, d > 1)
        results = [pair(torch, v) for v in made]
        printed = [repr(d), repr(d.exp()), repr(fw.unpack_dual(d))]
        with torch.no_grad():
            results.append(pair(torch, d * 3))
        states = [d.requires_grad, d.is_leaf, d.shape == x.shape, level, d._is_view()]
    return results, printed, states, see(torch, fw.unpack_dual(d)[1]), repr(d)


@case
def in_place_and_views(torch):
    fw = torch.autograd.forward_ad
    found = []
    with fw.dual_level():
        x, t = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
        z = torch.zeros(2)
        z.copy_(fw.make_dual(x, t))
        found.append(pair(torch, z))
        z = torch.zeros(2, 2)
        z[0].copy_(fw.make_dual(x, t))
        found.append(pair(torch, z))
        d = fw.make_dual(x.clone(), t.clone())
        d.mul_(2)
        found.append(pair(torch, d))
        d[0].mul_(5)
        found.append(pair(torch, d))
        d.exp_()
        found.append(pair(torch, d))
        d[1] = 4.0
        found.append(pair(torch, d))
        d.add_(fw.make_dual(x, t)) if False else d.zero_()
        found.append(pair(torch, d))
        shared = fw.make_dual(x, t)
        shared.mul_(10)
        found.append([see(torch, x), see(torch, t)])
    return found


@case
def forward_over_reverse(torch):
    fw = torch.autograd.forward_ad
    with fw.dual_level():
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        d = fw.make_dual(x, torch.tensor([3.0, 4.0]))
        y = (d**3).sum()
        (g,) = torch.autograd.grad(y, d, create_graph=True)
        found = [pair(torch, y), pair(torch, g)]
        (d**2).sum().backward()
        found.append(see(torch, x.grad))
    return found


@case
def reverse_over_forward(torch):
    fw = torch.autograd.forward_ad
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with fw.dual_level():
        y = (fw.make_dual(x, torch.tensor([1.0, 0.0])) ** 3).sum()
        tangent = fw.unpack_dual(y).tangent
    tangent.backward()
    return tangent.requires_grad, see(torch, x.grad)


@case
def forward_ad_refusals(torch):
    fw = torch.autograd.forward_ad
    x = torch.ones(2)

    def nested():
        with fw.dual_level(), fw.dual_level():
            pass

    def twice():
        with fw.dual_level():
            fw.make_dual(fw.make_dual(x, x), x)

    def wrong_size():
        with fw.dual_level():
            fw.make_dual(x, torch.ones(3))

    def integers():
        with fw.dual_level():
            fw.make_dual(torch.tensor([1, 2]), x)

    return [error(f) for f in (nested, twice, wrong_size, integers, lambda: fw.make_dual(x, x), fw.exit_dual_level)]


@case
def functions_with_jvp(torch):
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, k):
            ctx.save_for_forward(x)
            ctx.k = k
            return k * x**3

        @staticmethod
        def jvp(ctx, t, k_t):
            (x,) = ctx.saved_tensors
            return ctx.k * 3 * x**2 * t

    class NoJvp(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

    fw = torch.autograd.forward_ad
    x, t = torch.tensor([1.0, 2.0]), torch.tensor([1.0, -1.0])
    with fw.dual_level():
        return pair(torch, Cube.apply(fw.make_dual(x, t), 2.0)), error(lambda: NoJvp.apply(fw.make_dual(x, t)))


def cubed(x):
    return x**3


def total(x):
    return (x**3).sum()


@case
def functional_first_derivatives(torch):
    A = torch.autograd.functional
    x, y, v = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]), torch.tensor([1.0, -1.0])

    def outs(x, y):
        return x * y, x.sum()

    def constant(x):
        return torch.ones(2)

    one = torch.tensor(1.0)
    return seen(
        torch,
        *[lambda f=f, kw=kw: f(cubed, x, v, **kw) for f in (A.vjp, A.jvp) for kw in ({}, {"create_graph": True})],
        *[lambda f=f: f(total, x) for f in (A.vjp, A.jvp)],
        *[lambda f=f: f(cubed, x) for f in (A.vjp, A.jvp)],
        lambda: A.vjp(outs, (x, y), (v, one)),
        lambda: A.jvp(outs, (x, y), (v, v)),
        *[lambda f=f: f(cubed, x, torch.ones(3)) for f in (A.vjp, A.jvp)],
        *[lambda f=f, s=s: f(constant, x, v, strict=s) for f in (A.vjp, A.jvp) for s in (False, True)],
        lambda: A.vjp(lambda x: 3, x, v),
        lambda: A.vjp(cubed, 3, v),
        lambda: A.vjp(cubed, (x, 3), v),
        lambda: A.vjp(cubed, x, 3),
        lambda: A.vjp(cubed, x, (v, v)),
        lambda: A.vjp(lambda x, y: x * 2, (x, y), v, strict=True),
        lambda: A.jvp(lambda x: x * 2, x, v, strict=True, create_graph=True),
    )


@case
def functional_jacobians(torch):
    A = torch.autograd.functional
    x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])

    def outs(x, y):
        return x * y, x.sum()

    return seen(
        torch,
        lambda: A.jacobian(cubed, x),
        lambda: A.jacobian(outs, (x, y)),
        lambda: A.jacobian(cubed, x, create_graph=True),
        lambda: A.jacobian(cubed, x, vectorize=True),
        lambda: A.jacobian(outs, (x, y), vectorize=True),
        lambda: A.jacobian(cubed, x, vectorize=True, strategy="forward-mode"),
        lambda: A.jacobian(outs, (x, y), vectorize=True, strategy="forward-mode"),
        lambda: A.jacobian(cubed, x, strategy="forward-mode"),
        lambda: A.jacobian(cubed, x, strategy="a"),
        lambda: A.jacobian(cubed, x, strict=True, vectorize=True),
        lambda: A.jacobian(lambda x: torch.ones(2), x),
        lambda: A.jacobian(lambda x: torch.ones(2), x, strict=True),
        lambda: A.jacobian(lambda x, y: x * 2, (x, y), strict=True),
        lambda: A.jacobian(cubed, x, create_graph=True, strategy="forward-mode", vectorize=True),
    )


@case
def functional_second_derivatives(torch):
    A = torch.autograd.functional
    x, y, v = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]), torch.tensor([1.0, -1.0])

    def product(x, y):
        return (x * y).sum()

    def linear(x):
        return x.sum()

    return seen(
        torch,
        lambda: A.hessian(total, x),
        lambda: A.hessian(product, (x, y)),
        lambda: A.hessian(total, x, vectorize=True),
        lambda: A.hessian(total, x, create_graph=True),
        lambda: A.hessian(linear, x),
        lambda: A.hessian(linear, x, strict=True),
        lambda: A.hessian(cubed, x),
        lambda: A.hessian(lambda x: (x.sum(), x.sum()), x),
        lambda: A.hessian(lambda x: 3, x),
        lambda: A.hessian(total, x, outer_jacobian_strategy="forward-mode"),
        lambda: A.hessian(total, x, outer_jacobian_strategy="x"),
        *[lambda f=f: f(total, x, v) for f in (A.vhp, A.hvp)],
        *[lambda f=f: f(product, (x, y), (v, v)) for f in (A.vhp, A.hvp)],
        *[lambda f=f: f(total, x) for f in (A.vhp, A.hvp)],
        *[lambda f=f: f(cubed, x, v) for f in (A.vhp, A.hvp)],
        *[lambda f=f: f(total, x, v, create_graph=True) for f in (A.vhp, A.hvp)],
        *[lambda f=f, s=s: f(linear, x, v, strict=s) for f in (A.vhp, A.hvp) for s in (False, True)],
    )


@case
def gradients_in_a_batch(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x**3
    basis = torch.eye(2)
    z = (x.exp() * 2, x.sum())
    return seen(
        torch,
        lambda: torch.autograd.grad(y, x, basis, is_grads_batched=True, retain_graph=True),
        lambda: torch.autograd.grad(y, x, basis, is_grads_batched=True, create_graph=True),
        lambda: torch.autograd.grad(z, x, (basis, torch.ones(2)), is_grads_batched=True),
    )


@case
def norms_and_deviations_at_zero(torch):
    jvp = torch.func.jvp
    zeros, ones, some = torch.zeros(2), torch.ones(2), torch.tensor([[0.0, 1.0], [0.0, 2.0]])
    found = []
    for p in (0, 0.5, 1, 1.5, 2, 2.5, 3, float("inf"), -1, -float("inf")):
        norm = lambda x, **kw: torch.linalg.vector_norm(x, p, **kw)  # noqa: B023
        found += [
            jvp(lambda x: x.norm(p), (zeros,), (ones,)),  # noqa: B023
            jvp(norm, (some,), (torch.ones(2, 2),)),
            jvp(lambda x: norm(x, dim=0, keepdim=True), (some,), (some + 1,)),  # noqa: B023
            jvp(lambda x: norm(x, dim=1), (torch.complex(some, some - 1),), (torch.complex(some + 1, some),)),  # noqa: B023
            jvp(lambda x, y: torch.dist(x, y, p=p), (some, some), (some + 1, some * 2)),  # noqa: B023
            jvp(lambda x: torch.dist(x, some[1], p=p), (some,), (some + 1,)),  # noqa: B023
            torch.func.vmap(lambda x: jvp(norm, (x,), (ones,)))(some),  # noqa: B023
        ]
        if p > 0:
            found.append(jvp(lambda x: x.renorm(p, 0, 1.0), (some,), (some + 1,)))  # noqa: B023
    for std in (torch.std, torch.std_mean):
        found += [
            jvp(lambda x: std(x, correction=0), (torch.tensor([2.0]),), (torch.ones(1),)),  # noqa: B023
            jvp(lambda x: std(x, 0, keepdim=True), (some,), (some + 3,)),  # noqa: B023
            jvp(std, (torch.complex(some, some - 1),), (torch.complex(some + 1, some),)),
            torch.func.jacfwd(torch.func.jacrev(lambda x: torch.stack(torch.broadcast_tensors(std(x)))[0].sum()  # noqa: B023
                                                if std is torch.std else std(x)[0]))(some),  # noqa: B023
        ]  # fmt: skip
    return see(torch, found)


@case
def moduli_below_zero(torch):
    w = torch.tensor([5.0, 6.0], dtype=torch.float64)
    f = lambda x: (torch.view_as_real(torch.polar(x, x)) * w).sum()
    found = []
    for value in (-0.5, 0.0, 0.7):
        x = torch.tensor(value, dtype=torch.float64)
        one = torch.ones_like(x)
        found += [torch.func.jvp(f, (x,), (one,)), torch.func.jvp(torch.func.grad(f), (x,), (one,))]
        found += [torch.func.hessian(f)(x), torch.func.jacfwd(torch.func.jacfwd(f))(x)]
        found += [torch.func.jvp(lambda a: torch.polar(a, w), (x,), (one,))]
        found += [torch.func.jvp(lambda a: torch.polar(w, a), (x,), (one,))]
    return see(torch, found)


@case
def tangents_of_what_is_written_into_a_tensor_of_another_dtype(torch):
    def written(put):
        def f(y, v):
            y = y * 1
            put(y, v)
            return y

        y = torch.ones(3, dtype=torch.float64)
        return [t.dtype for t in torch.func.jvp(f, (y, torch.tensor(0.359)), (y, torch.tensor(1.0)))]

    return [str(written(put)).replace(torch.__name__, "torch") for put in (
        lambda y, v: y.copy_(v), lambda y, v: y.fill_(v), lambda y, v: y[1].copy_(v), lambda y, v: y[1][()].copy_(v),
        lambda y, v: y.add_(v), lambda y, v: y.mul_(v), lambda y, v: y.masked_fill_(y > 0, v),
    )]  # fmt: skip


@case
def jacobians_of_tensors_without_dimensions(torch):
    functional = torch.autograd.functional
    x, v = torch.tensor(1.5), torch.tensor([1.0, 2.0])
    found = []
    for options in ({}, {"vectorize": True}, {"vectorize": True, "strategy": "forward-mode"}):
        found += [
            functional.jacobian(lambda x: x * 2, x, **options),
            functional.jacobian(lambda x: x * v, x, **options),
            functional.jacobian(lambda v: v.sum(), v, **options),
            functional.jacobian(lambda x, v: (x * v, x * v.sum()), (x, v), **options),
        ]
    for options in ({}, {"vectorize": True}):
        found += [
            functional.hessian(lambda x: x**3, x, **options),
            functional.hessian(lambda x, v: x**3 * v.prod(), (x, v), **options),
        ]
    return see(torch, found)


@case
def a_tangent_that_is_written_without_recording_keeps_its_history(torch):
    forward, reverse = torch.func.jacfwd, torch.func.jacrev
    y = torch.tensor([1.5, -0.8, 0.3], dtype=torch.float64)

    def of(change):
        def f(y):
            z = y * y * y
            with torch.no_grad():
                change(z, y)
            return z.sum()

        return [
            forward(f)(y), reverse(f)(y), forward(forward(f))(y), reverse(forward(f))(y), forward(reverse(f))(y),
            forward(reverse(forward(f)))(y), torch.func.vmap(reverse(forward(f)))(torch.stack([y, y.sin()])),
        ]  # fmt: skip

    changes = (
        lambda z, y: z.mul_(2), lambda z, y: z.sin_(), lambda z, y: z.clamp_min_(0.1), lambda z, y: z.mul_(y.sum()),
        lambda z, y: z[1:].mul_(3), lambda z, y: z.zero_(), lambda z, y: z.copy_(y),
    )  # fmt: skip
    return see(torch, [of(change) for change in changes])


@case
def derivatives_of_the_angle_to_oneself(torch):
    forward, reverse = torch.func.jacfwd, torch.func.jacrev
    y = torch.tensor([[1.5, -0.8, -1.3, -1.9]], dtype=torch.float64)

    def f(y):
        return torch.nn.functional.cosine_similarity(y, y * y, dim=-1)

    return see(torch, [reverse(forward(f))(y), forward(reverse(f))(y), forward(forward(f))(y)])


@case
def tangents_of_complex_results_are_read_from_memory_as_the_results_are(torch):
    fwAD = torch.autograd.forward_ad
    z, t = torch.tensor([1 + 2j, 3 + 4j]), torch.tensor([2j, 1 - 1j])
    functions = (
        lambda d: d * 2, lambda d: d.exp(), lambda d: d**2, lambda d: d.sin(), lambda d: d.conj().exp(),
        lambda d: d.sqrt(), lambda d: d.conj() * 2, lambda d: d.tanh(), lambda d: d.clone().mul_(3),
        lambda d: d.reciprocal(),
    )  # fmt: skip
    seen = []
    with fwAD.dual_level():
        d = fwAD.make_dual(z, t)
        for f in functions:
            for part in (torch.view_as_real, torch.real, torch.imag):
                seen.append(fwAD.unpack_dual(part(f(d))).tangent)
    seen += [torch.func.jvp(lambda z, f=f: f(z).imag, (z,), (t,))[1] for f in functions]
    seen += [torch.func.jvp(lambda x: (x * 1j).imag, (z.real,), (t.real,))[1]]
    return see(torch, seen)


@case
def tangents_are_conjugate_and_negative_views_where_the_values_are(torch):
    fwAD = torch.autograd.forward_ad
    views = (
        lambda x: x, lambda x: x.conj(), lambda x: x._neg_view(), lambda x: x.conj()._neg_view(),
    )  # fmt: skip
    seen = []
    for of_value in views:
        for of_tangent in views:
            value, tangent = of_value(torch.tensor([1 + 2j, 3 + 4j])), of_tangent(torch.tensor([5 + 6j, 7 - 8j]))
            with fwAD.dual_level():
                d = fwAD.make_dual(value, tangent)
                found = fwAD.unpack_dual(d).tangent
                parts = [fwAD.unpack_dual(part(d)).tangent for part in (torch.real, torch.imag)]
                seen.append([found is tangent, found.is_conj(), found.is_neg(), str(found.tolist())])
                seen.append([p.tolist() for p in parts])
    return seen


@case
def running_statistics_have_no_tangents(torch):
    fw, F = torch.autograd.forward_ad, torch.nn.functional
    x, mean, var = torch.arange(12.0).reshape(2, 3, 2), torch.arange(3.0), torch.ones(3)
    found = []
    for duals in ((0,), (1,), (1, 2), (0, 1), (0, 2)):
        for training in (False, True):
            with fw.dual_level():
                given = [fw.make_dual(t.clone(), t + 1) if i in duals else t for i, t in enumerate((x, mean, var))]
                told = error(lambda given=given, training=training: (F.batch_norm(*given, training=training), None)[1])
                found.append([list(duals), training, told])
    return found


@case
def strict_jvp_of_functions_whose_gradient_is_zero(torch):
    x, A = torch.tensor([1.0, -2.0]), torch.autograd.functional
    functions = (torch.sgn, torch.floor, lambda x: x * 0, lambda x: x.detach())
    return [error(lambda f=f: see(torch, A.jvp(f, x, x, strict=True))) for f in functions]


@case
def tangents_that_do_not_fit_are_printed_below(torch):
    fwAD, seen = torch.autograd.forward_ad, []
    with fwAD.dual_level():
        for shape in ((), (2,), (6,), (2, 3), (5, 2)):
            for requires_grad in (False, True):
                x = torch.full(shape, 0.25, requires_grad=requires_grad)
                d = fwAD.make_dual(x, torch.full(shape, 1e-3))
                seen += [str(d), str(d * 2)]
    return seen


def inferred(torch, fn):
    with torch.inference_mode():
        return fn()


@case
def inference_mode_drops_tangents(torch):
    fw = torch.autograd.forward_ad
    x = torch.tensor([1.0, 2.0])
    with fw.dual_level():
        d = fw.make_dual(x, x)
        found = [inferred(torch, lambda: d * 2), inferred(torch, lambda: fw.make_dual(x, x))]
        found += [inferred(torch, lambda: d.view(2, 1))]
        found += [inferred(torch, lambda: d.clone()) + d, inferred(torch, lambda: d.clone().mul_(d))]
        return [inferred(torch, fw._is_fwd_grad_enabled), see(torch, [fw.unpack_dual(t).tangent for t in found])]


@case
def views_have_tangents_where_forward_gradients_are_off(torch):
    fw = torch.autograd.forward_ad
    with fw.dual_level():
        d = fw.make_dual(torch.ones(2, 2), torch.full((2, 2), 3.0))
        with fw._set_fwd_grad_enabled(False):
            views = [d.view(4), d[0], d.t(), *d.unbind(), d.reshape(4), d.detach(), d * 2]
        d.mul_(2)
        return see(torch, [list(fw.unpack_dual(v)) for v in views])


@case
def tangents_of_own_functions_must_fit(torch):
    fw = torch.autograd.forward_ad

    def tangent(jvp):
        class Twice(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2

        Twice.jvp = staticmethod(jvp)
        with fw.dual_level():
            return see(torch, fw.unpack_dual(Twice.apply(fw.make_dual(torch.ones(2), torch.ones(2)))).tangent)

    return [
        error(lambda: tangent(lambda ctx, t: t[:1])), error(lambda: tangent(lambda ctx, t: t.expand(3, 2))),
        error(lambda: tangent(lambda ctx, t: 3)), error(lambda: tangent(lambda ctx, t: (t, t))),
        error(lambda: tangent(lambda ctx, t: t * 2)),
    ]


@case
def only_tensors_have_tangents(torch):
    fw = torch.autograd.forward_ad
    with fw.dual_level():
        return [error(lambda v=v: fw.unpack_dual(v)) for v in (3, None, [torch.ones(1)])]
