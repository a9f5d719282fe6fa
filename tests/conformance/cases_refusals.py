"""Which of two refusals is told."""

from __future__ import annotations

from tests.conformance.observe import case


def _told(call):
    try:
        call()
    except Exception as e:
        return type(e).__name__, str(e).split(". ")[0].split("\n")[0]
    return "fine"


def _spoiled(torch):
    """Views that may not be used any more."""
    for part in (lambda t: t.unbind(0)[0], lambda t: t[0].unbind(0)[0], lambda t: t.split([0, 2], 0)[0]):
        t = torch.tensor([[-1.5, -1.25], [1.75, 0.5]], requires_grad=True) * 1
        view = part(t)
        t.mul_(2)
        yield view
    t = torch.tensor([[-1.5, -1.25], [1.75, 0.5]], requires_grad=True) * 1
    with torch.no_grad():
        view = t[0]
    t.mul_(2)
    yield view


@case
def views_that_may_not_be_used_and_arguments_that_do_not_fit(torch):
    F = torch.nn.functional
    calls = [
        lambda v: torch.einsum("ijk->i", v), lambda v: v.tensor_split(2, 3), lambda v: v.chunk(2, 5),
        lambda v: v.argmax(dim=5), lambda v: v.argsort(0), lambda v: v.sort(5), lambda v: v.narrow(0, 5, 1),
        lambda v: v.unflatten(-1, (3, 3)) if v.dim() else None, lambda v: v.flatten(3), lambda v: v.movedim(4, 5),
        lambda v: v.any(5), lambda v: v.eq(torch.zeros(9)), lambda v: v + torch.zeros(9), lambda v: v.diff(dim=5),
        lambda v: torch.broadcast_tensors(v, torch.zeros(5)), lambda v: F.conv1d(v, v),
        lambda v: torch.fft.fft(v, dim=5), lambda v: v.quantile(2.0), lambda v: F.one_hot(v),
        lambda v: torch.tensordot(v, v, 5),
        lambda v: torch.cat([v, torch.zeros(1, 5)], 3), lambda v: torch.stack([v, torch.zeros(7)]),
        lambda v: torch.addcmul(v, v, v, out=v), lambda v: torch.exp(v, out=v), lambda v: v.count_nonzero(5),
        lambda v: v.repeat_interleave(2, 5), lambda v: v.sum(5), lambda v: v.view(7), lambda v: v.retain_grad(),
    ]  # fmt: skip
    return [[_told(lambda call=call, v=v: call(v)) for v in _spoiled(torch)] for call in calls]


@case
def views_of_views_of_inference_mode(torch):
    def part(kind, t):
        if kind == "split":
            return t.split(2)[0]
        with torch.inference_mode() if kind == "inference" else torch.no_grad():
            return t[:]

    found = []
    for first in ("inference", "no_grad", "split"):
        for second in ("inference", "no_grad", "split"):
            t = torch.ones(2, requires_grad=True) * 1
            view = part(second, part(first, t))
            found.append(_told(lambda view=view: view.add_(1)))
            t.add_(1)
            found.append(_told(lambda view=view: view.grad_fn))
    return found


@case
def gradient_edges_of_views_without_a_node(torch):
    leaf = torch.ones(2, 2, requires_grad=True)
    with torch.no_grad():
        views = [leaf[0], leaf.unbind(0)[0], (leaf * 1)[0]]
    with torch.inference_mode():
        views.append(leaf[1])
    return [_told(lambda v=v: torch.autograd.graph.get_gradient_edge(v)) for v in views]


@case
def indices_and_values_that_do_not_fit(torch):
    x, empty = torch.zeros(3, 2, dtype=torch.float64), torch.zeros(0, 2, dtype=torch.int8)
    i, j = torch.tensor([0, 1]), torch.tensor([0, 1, 1])
    of_other_dtype = torch.tensor(1.5)

    def write(t, key, value):
        t[key] = value

    return [
        _told(call)
        for call in (
            lambda: empty.index_put_((torch.tensor([0]),), of_other_dtype),
            lambda: empty.index_put_((torch.tensor([0]),), torch.zeros(7, dtype=torch.int8)),
            lambda: x.index_put_((i, j), of_other_dtype), lambda: x.index_put_((i, j), torch.zeros(7)),
            lambda: x.index_put_((i, i), of_other_dtype), lambda: x.index_put_((i, i), torch.zeros(7)),
            lambda: x.index_put((i, j), of_other_dtype), lambda: write(x, (i, j), of_other_dtype),
            lambda: write(empty, torch.tensor([0]), of_other_dtype),
            lambda: write(x, (torch.tensor([True, True, True]), i), of_other_dtype),
        )
    ]  # fmt: skip


@case
def bilinear_without_features(torch):
    n = [(0, 0, 2), (0, 2, 2), (2, 0, 2), (2, 2, 0)]
    bilinear = torch.nn.functional.bilinear
    return [
        _told(lambda a=a, b=b, c=c: bilinear(torch.zeros(3, a), torch.zeros(3, b), torch.ones(c, a, b)))
        for a, b, c in n
    ]  # fmt: skip
