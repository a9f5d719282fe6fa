"""More of what random programs (``tests/fuzz``) found: hooks, retained gradients, layouts, refusals."""

from __future__ import annotations

import warnings

from tests.conformance.cases_found_by_fuzz import quietly
from tests.conformance.observe import case, graph, see


@case
def hooks_change_gradients_in_place(torch):
    found = []
    for shape in ((), (2,)):
        for place in ("tensor", "leaf", "before", "after"):
            x = torch.full(shape, 2.0, requires_grad=True)
            y = x * 3
            if place in ("tensor", "leaf"):
                (x if place == "leaf" else y).register_hook(lambda g: g.mul_(2) is None or None)
            elif place == "before":
                y.grad_fn.register_prehook(lambda g: g[0].mul_(2) is None or None)
            else:
                y.grad_fn.register_hook(lambda g, o: g[0].mul_(2) is None or None)
            (y * y).sum().backward()
            found.append(see(torch, x.grad))
    return found


@case
def hooks_and_functions_are_given_the_gradients_themselves(torch):
    class Look(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            found.append((g.requires_grad, g.is_leaf))
            return g

    found = []
    for shape in ((), (2,)):
        x = torch.ones(shape, requires_grad=True)
        g = torch.full(shape, 2.0, requires_grad=True)
        for y in (x * 1, Look.apply(x), x + 0):
            y.register_hook(lambda h, g=g: found.append((h is g, h.requires_grad, h.is_leaf)))
            y.backward(g)
        y = x * 1
        y.register_hook(lambda h, g=g: g)
        y.register_hook(lambda h, g=g: found.append((h is g, h.requires_grad)))
        y.backward(torch.ones(shape))
    return found


@case
def views_in_place_leave_hooks_and_retained_gradients_where_they_were(torch):
    found = []
    for change in (lambda t: t.squeeze_(), lambda t: t.unsqueeze_(0), lambda t: t.transpose_(0, 1), lambda t: t.t_()):
        x = torch.ones(2, 1, requires_grad=True)
        y = x * 2
        y.retain_grad()
        y.register_hook(lambda g: found.append(list(g.shape)))
        change(y)
        y.register_hook(lambda g: found.append(list(g.shape)))
        (y * y).sum().backward()
        found.append((see(torch, y.grad), see(torch, x.grad)))
    return found


@case
def functions_are_recorded_in_inference_mode_if_gradients_are_enabled(torch):
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * ctx.saved_tensors[0]

    x = torch.tensor([1.0, 3.0], requires_grad=True)
    with torch.inference_mode(), torch.enable_grad():
        y = Double.apply(x)
        other = x * 2
        of_inference = quietly(lambda: Double.apply(y))
    (y * 2).sum().backward()
    return [graph(y.grad_fn), y.is_inference(), y.requires_grad, other.requires_grad, of_inference, see(torch, x.grad)]


@case
def what_was_saved_for_gradients_that_are_not_wanted_must_be_as_it_was(torch):
    found = []
    for operator in (torch.mul, torch.div, torch.atan2, torch.mm):
        for create_graph in (False, True):
            x, y = (torch.ones(2, 2, requires_grad=True) for _ in range(2))
            a, b = x + 1.5, y * 3
            c = operator(a, b)
            b.mul_(2)
            found.append(quietly(lambda c=c, y=y, g=create_graph: torch.autograd.grad(c.sum(), y, create_graph=g)))
    return found


@case
def gradients_of_means_can_be_changed(torch):
    found = []
    for reduce in (lambda x: x.mean(), lambda x: x.mean(0).sum(), lambda x: torch.std_mean(x, 1)[1].sum()):
        x = torch.ones(2, 3, requires_grad=True)
        (g,) = torch.autograd.grad(reduce(x), x)
        found.extend([g.stride(), see(torch, g.mul_(2))])
        x.register_hook(lambda g: found.append(see(torch, g.add_(1))))
        reduce(x).backward()
        found.append(see(torch, x.grad))
    return found


@case
def roots_of_another_shape_are_refused_first(torch):
    x = torch.ones(2, 1, 3, requires_grad=True)
    kept = x.sin()
    with torch.no_grad():
        x.unsqueeze_(-3)
    ones = torch.ones_like(x)
    return [quietly(lambda: torch.autograd.backward([x.sum(), x], [None, ones])), kept.shape]


@case
def negative_sizes(torch):
    x = torch.ones(2, 3)
    makers = [
        lambda: x.new_zeros(-1), lambda: x.new_zeros(-1, 2), lambda: x.new_ones(2, -1), lambda: x.new_empty(-1),
        lambda: torch.zeros(-1, device="meta"), lambda: torch.zeros(2, -3, out=torch.ones(1)), lambda: torch.Tensor(-1),
        lambda: torch.randint(3, (-1,)), lambda: torch.empty_permuted((2, -1), (0, 1)), lambda: x.expand(-2, 2, 3),
        lambda: torch.zeros(-1),
    ]  # fmt: skip
    return [quietly(make) for make in makers]


@case
def expanded_elements_are_added_to_one_after_the_other(torch):
    x = torch.arange(6.0).view(2, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x.expand(2, 2, 3).index_put_((torch.tensor([0, 0]),), torch.ones(2, 3), accumulate=True)
    return see(torch, x)


@case
def how_fourier_transforms_lie_in_memory(torch):
    found = []
    for dtype in (torch.float32, torch.complex64):
        x = torch.ones(2, 3, 4, dtype=dtype)
        for t in (x, x.permute(2, 0, 1), x.transpose(0, 1)):
            for dim in (0, 1, 2):
                found += [list(f(t, dim=dim).stride()) for f in (torch.fft.fft, torch.fft.ifft, torch.fft.irfft)]
            for dims in ((0, 1), (1, 0), (0, 2), (2, 1), (0, 1, 2)):
                found += [list(f(t, dim=dims).stride()) for f in (torch.fft.fftn, torch.fft.irfftn)]
                if dtype is torch.float32:
                    found.append(list(torch.fft.rfftn(t, dim=dims).stride()))
    return found


@case
def names_of_refused_matrices_and_norms(torch):
    x, bad = torch.ones(2, 3), torch.ones(2, 2, dtype=torch.int64)
    linalg = torch.linalg
    calls = [
        lambda: linalg.cholesky_ex(x), lambda: linalg.inv_ex(x), lambda: linalg.inv_ex(bad),
        lambda: linalg.eigvals(bad), lambda: linalg.eigvals(x),
        lambda: linalg.eigvals(torch.ones(2, 3, requires_grad=True)),
        lambda: linalg.norm(torch.ones(2, 2, 2), "fro"), lambda: linalg.norm(torch.tensor(2.0), 2),
        lambda: linalg.norm(torch.ones(2, 2, 2), 1, dim=(0, 1, 2)),
        lambda: linalg.norm(torch.ones(2, 2, 2), None, dim=()),
        lambda: linalg.norm(torch.ones(2, 2, 2), "fro", dim=[0]),
        lambda: linalg.matrix_norm(torch.zeros(0, 3, requires_grad=True), 2).requires_grad,
        lambda: linalg.matrix_norm(torch.zeros(3, 0, requires_grad=True), 1).requires_grad,
    ]  # fmt: skip
    return [quietly(call) for call in calls]


@case
def dtypes_of_out_are_looked_at_before_those_that_kernels_lack(torch):
    operators = [
        lambda a, b, o: torch.amax(a, 0, out=o), lambda a, b, o: torch.hypot(a, b, out=o),
        lambda a, b, o: torch.mm(a, b, out=o), lambda a, b, o: torch.bmm(a[None], b[None], out=o),
        lambda a, b, o: torch.dot(a[0], b[0], out=o), lambda a, b, o: torch.fmod(a, b, out=o),
        lambda a, b, o: torch.floor(a, out=o), lambda a, b, o: torch.erf(a, out=o),
        lambda a, b, o: torch.lt(a, b, out=o), lambda a, b, o: torch.bitwise_and(a, b, out=o),
        lambda a, b, o: torch.index_select(a, 0, b[0, :1].long(), out=o),
        lambda a, b, o: torch.softmax(a, 0, out=o), lambda a, b, o: torch.isin(a, b, out=o),
    ]  # fmt: skip
    dtypes = [torch.float64, torch.complex64, torch.int64, torch.bool]
    found = []
    for operator in operators:
        for first in dtypes:
            for second, out in ((first, torch.float32), (first, torch.int64), (torch.float32, torch.int64)):
                a, b = torch.zeros(2, 2, dtype=first), torch.zeros(2, 2, dtype=second)
                o = torch.zeros(0, dtype=out)
                found.append(quietly(lambda f=operator, a=a, b=b, o=o: str(f(a, b, o).dtype)))
    return found


@case
def packed_by_cosines_means_and_argsort(torch):
    found = []
    x = torch.tensor([[-1.0, 2.0], [0.5, 3.0]], requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: found.append(see(torch, t)) or t, lambda t: t):
        torch.nn.functional.cosine_similarity(x, x + 1)
        x.nanmean(0)
        x.argsort(-1)
    return found


@case
def boolean_products_of_nothing(torch):
    x = torch.zeros(1, 0, dtype=torch.bool)
    calls = [
        lambda: x @ x.t(), lambda: torch.tensordot(x, x, 0), lambda: torch.bmm(x[None].mT, x[None]),
        lambda: torch.mv(x, x[0]), lambda: torch.dot(x[0], x[0]), lambda: torch.ones(2, 2, dtype=torch.bool) @ x.t(),
    ]  # fmt: skip
    return [quietly(lambda call=call: call().tolist()) for call in calls]


@case
def batches_of_gradients_that_are_zero_can_be_written_to(torch):
    x = torch.ones(3, requires_grad=True)
    (g,) = torch.autograd.grad(x.sign(), x, torch.eye(3), is_grads_batched=True)
    return [list(g.stride()), see(torch, g.add_(1))]


@case
def versions_of_what_is_cut_off_from_tensors_of_inference_mode(torch):
    with torch.inference_mode():
        x = torch.ones(2, 3)
        inside = [x.detach(), x.data, x[:1]]
    found = []
    for t in (x, *inside, x.detach(), x.data, x.detach()[:1], x.detach().detach(), x[:1].detach(), x.view_as(x)):
        found.append([t.is_inference(), quietly(lambda t=t: t._version), quietly(lambda t=t: t.mul_(1)._version)])
    return found
