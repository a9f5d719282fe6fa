"""``torch.func``: derivatives of functions, nested, with pytrees; what they refuse and how."""

from __future__ import annotations

import warnings
from typing import Any

from .observe import case, error, see


def seen(torch: Any, *trials: Any) -> list[Any]:
    """What each function returns, or how it fails. Names of nodes are left out: they belong to how it is done."""
    return [without_nodes(error(lambda f=f: see(torch, f()))) for f in trials]


def without_nodes(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: without_nodes(v) for k, v in value.items() if k != "grad_fn"}
    return [without_nodes(v) for v in value] if isinstance(value, list) else value


def vector(torch: Any, n: int = 2) -> Any:
    return torch.arange(1.0, n + 1)


def cubed(x):
    return (x**3).sum()


@case
def grad_of_simple_functions(torch):
    grad, grad_and_value = torch.func.grad, torch.func.grad_and_value
    x = vector(torch)
    return seen(
        torch,
        lambda: grad(cubed)(x),
        lambda: grad(lambda x, y: (x * y).sum(), argnums=(0, 1))(x, x + 1),
        lambda: grad(lambda x, y: (x * y).sum(), argnums=-1)(x, x + 1),
        lambda: grad(lambda x, k=2: (x * k).sum())(x, k=5),
        lambda: grad(lambda x: (x.sum(), x * 2), has_aux=True)(x),
        lambda: grad_and_value(lambda x: (x.sum(), {"a": x * 2}), has_aux=True)(x),
        lambda: grad_and_value(cubed)(x),
        lambda: grad(lambda d: (d["a"] * d["b"][0]).sum())({"a": x, "b": (x + 1, x)}),
        lambda: grad(lambda x: x.abs().sum())(torch.tensor([1 + 1j, 2.0])),
        lambda: grad(lambda x: (x.detach() * x).sum())(x),
    )


@case
def grad_refuses(torch):
    grad = torch.func.grad
    x = vector(torch)
    return seen(
        torch,
        lambda: grad(lambda x: x)(x),
        lambda: grad(lambda x: 3)(x),
        lambda: grad(lambda x: (x.sum(), 1))(x),
        lambda: grad(lambda x: x.sum())(torch.tensor([1, 2])),
        lambda: grad(lambda x: x.sum())(3),
        lambda: grad(lambda x: x.sum(), has_aux=True)(x),
        lambda: grad(lambda x: x.sum(), argnums=5)(x),
        lambda: grad(lambda x: x.sum(), argnums="a")(x),
        lambda: grad(lambda x: (x * 2j).sum())(x),
        lambda: grad(lambda x: x.requires_grad_().sum())(x),
        lambda: grad(lambda x: [x.sum().backward(), x.sum()][1])(x),
    )


@case
def grad_nests(torch):
    grad = torch.func.grad
    x, s = vector(torch), torch.tensor(2.0)
    return seen(
        torch,
        lambda: grad(grad(lambda x: x**3))(s),
        lambda: grad(grad(grad(lambda x: x**4)))(s),
        lambda: grad(lambda x: x * grad(lambda y: x * y**2)(torch.tensor(3.0)))(s),
        lambda: grad(lambda x: grad(lambda y: (x * y**2).sum())(x).sum())(x),
        lambda: grad(lambda x: torch.autograd.grad((x**3).sum(), x, create_graph=True)[0].sum())(x),
    )


@case
def grad_sees_what_is_outside(torch):
    grad, grad_and_value = torch.func.grad, torch.func.grad_and_value
    x = vector(torch)
    r = torch.tensor([1.0, 2.0], requires_grad=True)
    results = seen(
        torch,
        lambda: grad(cubed)(r),
        lambda: grad(lambda x: (x * r).sum())(x),
        lambda: grad(lambda x: (x * x).sum() + r.sum())(x),
        lambda: grad_and_value(lambda x: (x * r).sum())(x),
        lambda: torch.func.vjp(lambda x: x * r, x)[0],
        lambda: torch.func.jvp(lambda x: x * r, (x,), (x,)),
    )
    grad(lambda x: (x * r * r).sum())(x).sum().backward()
    with torch.no_grad():
        quiet = grad(lambda x: (x * r).sum())(x)
    return results, see(torch, r.grad), quiet.requires_grad


@case
def vjp_pulls_back(torch):
    vjp = torch.func.vjp
    x = vector(torch)
    return seen(
        torch,
        lambda: vjp(lambda x: x * 2, x)[1](x),
        lambda: vjp(lambda x: (x * 2, x.sum()), x)[1]((x, torch.tensor(1.0))),
        lambda: vjp(lambda x: {"a": x * 2, "b": x.sum()}, x)[1]({"a": x, "b": torch.tensor(1.0)}),
        lambda: vjp(lambda x, y: x * 2, x, x)[1](x),
        lambda: vjp(lambda x: (x * 2, x), x, has_aux=True)[2],
        lambda: vjp(lambda x: x * 2, x)[1](torch.ones(3)),
        lambda: vjp(lambda x: (x * 2, x.sum()), x)[1](x),
        lambda: vjp(lambda x: 3, x),
        lambda: vjp(lambda x: x * 2, x)[1](x.double()),
        lambda: [f(x) for f in [vjp(cubed, x)[1]] if False],
        lambda: (lambda f: [f(torch.tensor(1.0)), f(torch.tensor(2.0))])(vjp(cubed, x)[1]),
    )


@case
def jvp_pushes_forward(torch):
    jvp = torch.func.jvp
    x = vector(torch)
    return seen(
        torch,
        lambda: jvp(lambda x: x.sin() * x, (x,), (x,)),
        lambda: jvp(lambda x, y: x * y, (x, x + 1), (x, x)),
        lambda: jvp(lambda x: (x * 2, {"a": x}), (x,), (x,)),
        lambda: jvp(lambda x: (x * 2, x), (x,), (x,), has_aux=True),
        lambda: jvp(lambda x: torch.ones(2), (x,), (x,)),
        lambda: jvp(lambda x: x.detach() * x, (x,), (x,)),
        lambda: jvp(lambda x: x * 2, (x,), (torch.ones(3),)),
        lambda: jvp(lambda x: x * 2, x, x),
        lambda: jvp(lambda x: x * 2, (x,), x),
        lambda: jvp(lambda x: x * 2, (x,), (x, x)),
        lambda: jvp(lambda x: 3, (x,), (x,)),
    )


@case
def jvp_nests_without_confusion(torch):
    jvp, grad = torch.func.jvp, torch.func.grad
    s, one = torch.tensor(2.0), torch.tensor(1.0)
    x = vector(torch)

    def confusing(x):
        return x * jvp(lambda y: x * y, (one,), (one,))[1]

    return seen(
        torch,
        lambda: jvp(confusing, (s,), (one,)),
        lambda: jvp(lambda x: jvp(lambda y: y**3 * x, (x,), (one,))[1], (s,), (one,)),
        lambda: jvp(grad(cubed), (x,), (torch.ones(2),)),
        lambda: grad(lambda x: jvp(cubed, (x,), (torch.ones(2),))[1])(x),
        lambda: jvp(lambda x: x[0] * x[1], (x,), (torch.ones(2),)),
    )


@case
def jacobians_by_all_routes(torch):
    jacrev, jacfwd, hessian = torch.func.jacrev, torch.func.jacfwd, torch.func.hessian
    x = vector(torch, 3)

    def f(x):
        return torch.stack([x[0] * x[1], x[2].exp() * x[0], x.sum() ** 2, x[1]])

    def g(x):
        return (x**3).sum() * x[0]

    return seen(
        torch,
        lambda: jacrev(f)(x),
        lambda: jacfwd(f)(x),
        lambda: jacrev(f, chunk_size=2)(x),
        lambda: hessian(g)(x),
        lambda: jacrev(jacrev(g))(x),
        lambda: jacfwd(jacfwd(g))(x),
        lambda: jacrev(jacfwd(g))(x),
        lambda: jacrev(lambda x, y: (x**2, x * y), argnums=(0, 1))(x, x + 1),
        lambda: jacfwd(lambda x, y: {"a": x * y}, argnums=1)(x, x + 1),
        lambda: jacrev(lambda d: d["a"] * d["b"])({"a": x, "b": x + 1}),
        lambda: hessian(lambda x, y: (x * y * y).sum(), argnums=(0, 1))(x, x + 1),
        lambda: jacrev(lambda x: (x**2, x), has_aux=True)(x),
        lambda: jacfwd(lambda x: (x**2, x), has_aux=True)(x),
        lambda: jacrev(f, argnums=3)(x),
        lambda: jacfwd(f, argnums=3)(x),
        lambda: jacrev(f, chunk_size=0)(x),
        lambda: jacrev(lambda x: 3)(x),
        lambda: jacfwd(lambda x: 3)(x),
        lambda: jacfwd(lambda x: x)(torch.tensor([1, 2])),
        lambda: jacrev(lambda x: x.view(3, 1) * x)(x),
    )


@case
def linearize_is_a_linear_map(torch):
    linearize = torch.func.linearize
    x = vector(torch)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch warns about its own tracing
        value, push = linearize(lambda x: x**2 * x.sum(), x)
    return seen(torch, lambda: value, lambda: push(x), lambda: push(x * 2), lambda: push(torch.ones(3)))


@case
def per_sample_gradients(torch):
    grad, vmap = torch.func.grad, torch.func.vmap
    w = torch.arange(6.0).reshape(3, 2) / 5
    xs = torch.sin(torch.arange(12.0)).reshape(4, 3)
    ys = torch.cos(torch.arange(8.0)).reshape(4, 2)

    def loss(w, x, y):
        return ((torch.tanh(x @ w) - y) ** 2).sum()

    found = vmap(grad(loss), in_dims=(None, 0, 0))(w, xs, ys)
    looped = torch.stack([grad(loss)(w, x, y) for x, y in zip(xs, ys)])
    return seen(torch, lambda: found, lambda: looped), bool(torch.allclose(found, looped))


@case
def maml_like_inner_loop(torch):
    grad, vmap = torch.func.grad, torch.func.vmap
    xs = torch.sin(torch.arange(12.0)).reshape(3, 4)
    ys = torch.cos(torch.arange(12.0)).reshape(3, 4)
    w = torch.tensor([0.3, -0.2])

    def predict(w, x):
        return torch.tanh(x * w[0] + w[1])

    def inner(w, x, y):
        for _ in range(2):
            w = w - 0.1 * grad(lambda w: ((predict(w, x) - y) ** 2).mean())(w)
        return ((predict(w, x) - y) ** 2).mean()

    def outer(w):
        return vmap(inner, in_dims=(None, 0, 0))(w, xs, ys).mean()

    return seen(torch, lambda: outer(w), lambda: grad(outer)(w))


@case
def laplacian_by_jvp_of_grad(torch):
    grad, jvp, vmap = torch.func.grad, torch.func.jvp, torch.func.vmap
    xs = torch.sin(torch.arange(6.0)).reshape(2, 3)

    def f(x):
        return (x**4).sum() + x[0] * x[1] ** 2

    def laplacian(x):
        basis = torch.eye(3)
        return sum((jvp(grad(f), (x,), (basis[i],))[1] * basis[i]).sum() for i in range(3))

    return seen(torch, lambda: vmap(laplacian)(xs))


@case
def jacobian_of_an_ode_step(torch):
    jacrev, jacfwd, vmap = torch.func.jacrev, torch.func.jacfwd, torch.func.vmap
    state = torch.tensor([0.5, -0.3])

    def field(s):
        return torch.stack([s[1], (1 - s[0] ** 2) * s[1] - s[0]])

    def step(s, h=0.1):
        k1 = field(s)
        k2 = field(s + h / 2 * k1)
        k3 = field(s + h / 2 * k2)
        k4 = field(s + h * k3)
        return s + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)

    batch = torch.stack([state, state * 2, -state])
    return seen(torch, lambda: jacrev(step)(state), lambda: jacfwd(step)(state), lambda: vmap(jacrev(step))(batch))


def implicit(torch):
    class FixedPoint(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(a):
            x = torch.ones_like(a)
            for _ in range(60):
                x = torch.cos(a * x)
            return x

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs, output)

        @staticmethod
        def backward(ctx, g):
            a, x = ctx.saved_tensors
            s = torch.sin(a * x)
            return g * (-s * x) / (1 + a * s)

    return FixedPoint


@case
def implicit_differentiation_by_a_function(torch):
    fixed = implicit(torch).apply
    a = torch.tensor([0.5, 0.8])
    grad, vmap, jacrev = torch.func.grad, torch.func.vmap, torch.func.jacrev
    return seen(
        torch,
        lambda: grad(lambda a: fixed(a).sum())(a),
        lambda: vmap(grad(fixed))(a),
        lambda: jacrev(fixed)(a),
        lambda: grad(lambda a: vmap(fixed)(a).sum())(a),
    )


@case
def functional_calls_of_modules(torch):
    func = torch.func
    model = torch.nn.Linear(2, 3)
    with torch.no_grad():
        for i, p in enumerate(model.parameters()):
            p.copy_(torch.arange(float(p.numel())).reshape(p.shape) / 7 + i)
    params = {k: v.detach() * 2 for k, v in model.named_parameters()}
    x = torch.arange(4.0).reshape(2, 2)
    models = [torch.nn.Linear(2, 1) for _ in range(3)]
    with torch.no_grad():
        for i, m in enumerate(models):
            m.weight.fill_(i + 1.0)
            m.bias.fill_(i / 2)
    stacked, buffers = func.stack_module_state(models)
    return seen(
        torch,
        lambda: func.functional_call(model, params, (x,)),
        lambda: func.functional_call(model, [{"weight": params["weight"]}, {"bias": params["bias"]}], x),
        lambda: func.grad(lambda p: func.functional_call(model, p, (x,)).sum())(params),
        lambda: func.vmap(lambda p: func.functional_call(models[0], p, (x,)))(stacked),
        lambda: sorted(stacked),
        lambda: buffers,
        lambda: func.functional_call(model, 3, (x,)),
        lambda: func.functional_call(model, [{"weight": params["weight"]}, {"weight": params["weight"]}], x),
        lambda: func.stack_module_state([]),
        lambda: func.functionalize(lambda x: x.clone().add_(1))(x),
        lambda: func.functionalize(lambda x: x, remove="x")(x),
        lambda: func.functionalize(torch.nn.functional.softsign).__name__,
    )


@case
def texts_of_tensors_in_transforms(torch):
    func, x, xs = torch.func, torch.tensor([0.5, 2.0]), torch.arange(4.0).reshape(2, 2)
    w, said = torch.ones(2, requires_grad=True), []

    def told(x):
        said.extend(map(repr, (x, x * 2, x.sum(), w, x * w)))
        return (x * w).sum()

    func.grad(told)(x)
    func.jvp(told, (x,), (x,))
    func.vmap(told)(xs)
    func.vmap(func.vmap(lambda x: (said.append(repr(x)), x)[1], in_dims=1), in_dims=1)(torch.zeros(2, 1, 2))
    func.vmap(func.grad(told))(xs)
    func.grad(lambda x: func.grad(told)(x).sum())(x)
    func.grad(lambda x: func.vmap(told)(x).sum())(xs)
    func.jvp(func.grad(told), (x,), (x,))
    func.grad(lambda x: func.jvp(told, (x,), (x,))[1])(x)
    said.append(repr(func.grad(told)(x)))
    return said


@case
def forward_derivatives_of_gradients_where_tangents_are_negative(torch):
    func, x = torch.func, torch.tensor([0.3, -0.2, 0.9], dtype=torch.float64)

    def pulled(x):
        value, pull = func.vjp(lambda x: torch.polar(x.cos(), x.sin()), x)
        return pull(value.cos())[0]

    return seen(torch, lambda: func.jvp(pulled, (x,), (x.cos(),)), lambda: func.jvp(pulled, (x,), (-x.cos(),)))


@case
def tangents_of_what_chooses(torch):
    func, nan = torch.func, float("nan")
    x, q = torch.tensor([1.0, nan, 3.0, 7.0]), torch.tensor([0.3, 0.5])
    ys = torch.tensor([1.0, 5.0, 3.0, 7.0])
    return seen(
        torch,
        lambda: func.jvp(torch.nansum, (x,), (x.cos(),)),
        lambda: func.jvp(lambda x: x[None].nanmean(1), (x,), (x,)),
        lambda: func.jvp(lambda q: torch.quantile(ys, q), (q,), (q + 1,)),
        lambda: func.jvp(lambda q: torch.nanquantile(x, q), (q,), (q + 1,)),
        lambda: func.jacfwd(lambda q: torch.quantile(ys, q, interpolation="midpoint"))(q),
        lambda: func.jacfwd(lambda q: torch.quantile(ys, q))(q),
    )


@case
def auxiliary_values_of_forward_jacobians_of_gradients(torch):
    func, x = torch.func, torch.tensor([0.5, 2.0])

    def with_more(f):
        return lambda x: (lambda out: (out, out + 1))(f(x))

    def loss(x):
        return (x.sin() * x).sum()

    return seen(
        torch,
        lambda: func.jacfwd(with_more(func.grad(loss)), has_aux=True)(x),
        lambda: func.jacfwd(with_more(func.hessian(loss)), has_aux=True)(x),
        lambda: func.jacfwd(with_more(func.vmap(func.grad(torch.sin))), has_aux=True)(x),
        lambda: func.jacfwd(with_more(func.jacfwd(with_more(torch.sin), has_aux=True)), has_aux=True)(x),
        lambda: func.vmap(with_more(func.grad(torch.sin)), out_dims=(0, None))(x),
    )


@case
def weights_of_binary_cross_entropy_in_transforms(torch):
    func, loss = torch.func, torch.nn.functional.binary_cross_entropy_with_logits
    x, t = torch.tensor([[0.3, -0.6], [0.2, 2.0]]), torch.tensor([[0.1, 0.7], [0.4, 0.2]])
    w = torch.tensor([[0.5, 2.0], [1.0, 3.0]])
    asks = [
        lambda w: loss(x, t, weight=w), lambda w: loss(x, t, pos_weight=w[0], reduction="sum"),
        lambda w: loss(x, t, weight=w, pos_weight=w * 2, reduction="none").pow(2).sum(), lambda w: loss(w, t, weight=w),
    ]  # fmt: skip
    trials = []
    for f in asks:
        trials += [
            lambda f=f: func.grad(f)(w), lambda f=f: func.jvp(f, (w,), (w.cos(),)), lambda f=f: func.hessian(f)(w),
            lambda f=f: func.vmap(func.grad(f))(torch.stack([w, w + 1])), lambda f=f: f(w.clone().requires_grad_()),
        ]  # fmt: skip
    return seen(torch, *trials)


@case
def jacobians_of_complex_tensors_by_forward_mode(torch):
    jacobian = torch.autograd.functional.jacobian
    z, x = torch.tensor([1j, 2.0]), torch.tensor([1.0, 2.0])
    found = []
    for f, at in ((lambda z: z * z, z), (lambda z: z.abs(), z), (lambda x: torch.complex(x, x), x)):
        found.append(see(torch, jacobian(f, at, vectorize=True, strategy="forward-mode")))
    return found


@case
def a_standard_basis_is_of_as_many_tensors_as_sizes(torch):
    basis = torch.autograd.functional._construct_standard_basis_for
    return [error(lambda: basis((), ())), error(lambda: basis((torch.ones(2),), (2, 3)))]


@case
def what_pulls_back_takes_one_argument_and_two_options(torch):
    x = vector(torch)
    _, one = torch.func.vjp(lambda x: x**3, x)
    _, two = torch.func.vjp(lambda x: (x**2, x**3), x)
    _, named = torch.func.vjp(lambda x: {"a": x**2}, x)
    return seen(
        torch, lambda: one(x, True, True), lambda: one(x, retain_graph=False), lambda: two((x, x), True),
        lambda: two([x, x]), lambda: two((x,)), lambda: two(x), lambda: named(x), lambda: named({"b": x}),
        lambda: named([(x, {"c": x})]), lambda: one((x,)), lambda: one(x, create_graph=False),
    )  # fmt: skip


@case
def transforms_of_forward_mode_end_inference_mode(torch):
    func, x = torch.func, torch.tensor([1.0, 2.0, 3.0])

    def cubes(x):
        return (x**3).sum()

    def inferred(fn):
        with torch.inference_mode():
            return fn()

    with torch.inference_mode():
        outside = [
            func.hessian(cubes)(x), func.jacfwd(func.grad(cubes))(x), func.jacfwd(func.jacfwd(cubes))(x),
            func.jacrev(func.jacfwd(cubes))(x), *func.jvp(cubes, (x,), (x,)),
        ]
        on = func.jvp(lambda x: x * torch.is_inference_mode_enabled(), (x,), (x,))[1]
    inside = [
        func.jacfwd(lambda x: inferred(lambda: cubes(x)))(x), func.hessian(lambda x: inferred(lambda: cubes(x)))(x),
        *func.jvp(lambda x: x * inferred(lambda: x * 2), (x,), (x,)),
    ]
    return [see(torch, outside), [t.is_inference() for t in outside[:3]], see(torch, inside), see(torch, on)]
