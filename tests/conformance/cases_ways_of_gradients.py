"""Gradients, tangents and NaN that must find their way: beside views without a node, expanded tensors, duals."""

from __future__ import annotations

import warnings

from tests.conformance.cases_refusals import told
from tests.conformance.observe import case, error, name_of, see


@case
def triangles_of_expanded_tensors_in_place(torch):
    found = []
    for shape, of in (((3, 3), (1, 3)), ((3, 3), (3, 1)), ((2, 3, 3), (1, 3, 3)), ((3, 3), ()), ((1, 3), (1, 1))):
        for diagonal in (-1, 0, 1):
            for name in ("tril_", "triu_"):
                x = torch.full(of, 2.0)
                y = getattr(x.expand(shape), name)(diagonal)
                found.append([y.tolist(), x.tolist(), y._version])
    x = torch.ones(1, 3, requires_grad=True) * 2
    found.append(see(torch, x.expand(3, 3).tril_()))
    return found


@case
def gradients_retained_by_what_forward_mode_was_given(torch):
    leaf = torch.ones(2, 4, requires_grad=True)
    found = []
    for make in (lambda: leaf * 1, lambda: leaf[0], lambda: leaf.unfold(0, 2, 2)):
        x = make()
        y = x * 2
        x.retain_grad()
        torch.func.jacfwd(lambda p: p * p)(x)
        torch.func.jvp(lambda p: p * p, (x,), (x.detach(),))
        y.sum().backward()
        found.append(see(torch, x.grad))
        jacobian = torch.autograd.functional.jacobian(torch.sin, x, vectorize=True, strategy="forward-mode")
        torch.autograd.grad(jacobian.sum(), [x])
        found.append(see(torch, x.grad))
    return found


@case
def extremes_scattered_of_what_is_not_a_number(torch):
    nan, found = float("nan"), []
    for reduce in ("amax", "amin"):
        for include_self in (True, False):
            x = torch.tensor([[1.0, 2.0], [nan, 3.0], [4.0, 4.0]], requires_grad=True)
            s = torch.tensor([[1.0, 5.0], [2.0, nan], [4.0, 4.0]], requires_grad=True)
            i = torch.tensor([[0, 1], [1, 1], [0, 0]])
            r = x.scatter_reduce(1, i, s, reduce, include_self=include_self)
            found.append(see(torch, torch.autograd.grad(r.sum(), (x, s), retain_graph=True)))
            found.append(see(torch, torch.autograd.grad((r * r).sum(), (x, s), create_graph=True)))
    x = torch.tensor([[1.0, 2.0]], requires_grad=True)
    r = x.scatter_reduce(0, torch.tensor([[0, 0]]), x, "amax")
    r.untyped_storage().fill_(0)
    r.sum().backward()
    return found, see(torch, x.grad)


@case
def what_is_not_finite_stays_where_it_is(torch):
    x = torch.tensor([[1.5, float("nan")], [float("inf"), 2.0]])
    w = torch.tensor([[[1.5, float("nan")]], [[1.0, 2.0]]])
    conv = torch.nn.functional.conv_transpose1d
    return see(torch, [conv(x[:1], w[:1]), conv(x, w), conv(x[:1, :1], w[:1]), torch.tensor([0.0, 1.0]).logit(0.6)])


@case
def gradients_are_assigned_without_asking_views(torch):
    class Part(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x[:1]

        @staticmethod
        def backward(ctx, g):
            return torch.cat([g, g])

    leaf = torch.ones(2, requires_grad=True)
    view = Part.apply(leaf)
    with torch.no_grad():
        leaf[None].mul_(3)
    found = [told(lambda g=g: setattr(view, "grad", g)) for g in (torch.zeros(1, 1), torch.zeros(1))]
    with torch.inference_mode():
        part = leaf[:1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        alike = torch.asarray(part)
    found.append([alike is part, [name_of(n) for n, _ in torch.hypot(alike, leaf).grad_fn.next_functions]])
    return found


@case
def tangents_that_lie_as_their_values_are_written_to(torch):
    a = torch.tensor([[1.5, -1.5]])
    t = a.slice_scatter(a.narrow(0, 0, 1), 0, 0, 1)
    with torch.autograd.forward_ad.dual_level():
        torch.autograd.forward_ad.make_dual(t.detach().clone(), t.detach()).mul_(2)
    return see(torch, t), t._version


@case
def what_is_asked_of_numbers_is_shown_to_hooks(torch):
    log, found = [], []
    sources = (
        torch.tensor(-1.5, requires_grad=True), torch.tensor([1.0, 2.0], requires_grad=True) * 1,
        torch.tensor([1.0, 2.0]), torch.tensor([1 + 1j], requires_grad=True), torch.tensor([1, 2]),
    )  # fmt: skip
    for x in sources:
        with torch.autograd.graph.saved_tensors_hooks(lambda t: (log.append(see(torch, t.detach().clone())), t)[1], id):
            for f in (torch.isfinite, torch.isnan, torch.isinf, lambda x: torch.isclose(x, x)):
                log.clear()
                found.append([f(x).tolist(), list(log)])
    return found


@case
def inputs_of_a_pass_that_does_not_begin_are_not_retained(torch):
    x = torch.ones(2, 3, requires_grad=True)
    y, part = x.exp(), x.chunk(2)[0]
    with torch.no_grad():
        x[1] = 2.0
    failed = error(lambda: torch.autograd.backward(part, part, inputs=[y]))
    torch.autograd.grad(y.sum(), [y])
    return failed, y.retains_grad


@case
def gradients_of_what_is_scattered_to_no_places(torch):
    told = []
    for shape in ((1, 3, 0), (2, 3)):
        for reduce in ("sum", "mean", "amin", "amax", "prod"):
            x = torch.zeros(shape, dtype=torch.float64, requires_grad=True)
            y = (x * 1).scatter_reduce(-2, torch.tensor([], dtype=torch.int64), torch.zeros(shape).double(), reduce)
            if 0 in shape or reduce in ("sum", "mean"):  # the others PyTorch refuses
                y.sum().backward()
                told.append(see(torch, x.grad))
    return told
