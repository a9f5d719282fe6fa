"""Found by random programs of statements, a hundred thousand of them."""

from __future__ import annotations

from tests.conformance.observe import case, error, see


def look(torch, *tensors):
    return [[see(torch, t), t._version, t._is_view(), type(t).__name__] for t in tensors]


@case
def duals_are_plain_tensors_when_their_level_has_ended(torch):
    ad = torch.autograd.forward_ad

    def after(change):
        a = torch.tensor([1.0, 2.0, 3.0])
        with ad.dual_level():
            d = ad.make_dual(a, a * 2)
            w = d * 3
            v, u = d[:1], w.view(-1)
        done = error(lambda: (change(a, d, v, w, u), None)[1])
        return [done, look(torch, a, d, v, w, u), d._base is a, v._base is a, u._base is w]

    return [
        after(lambda a, d, v, w, u: torch.add(a, a, out=d)),
        after(lambda a, d, v, w, u: torch.neg(w, out=d)),
        after(lambda a, d, v, w, u: d.unsqueeze_(0)),
        after(lambda a, d, v, w, u: v.mul_(2)),
        after(lambda a, d, v, w, u: w.mul_(2)),
        after(lambda a, d, v, w, u: w.resize_(2).zero_()),
        after(lambda a, d, v, w, u: (w.requires_grad_() * w).sum().backward()),
        after(lambda a, d, v, w, u: setattr(w, "data", a[:1])),
        after(lambda a, d, v, w, u: w.set_(a)),
        after(lambda a, d, v, w, u: d.numpy().fill(7)),
    ]


@case
def a_dual_that_is_detached_leaves_its_views_their_tangents(torch):
    ad = torch.autograd.forward_ad
    a = torch.tensor([1.0, 2.0, 3.0])
    found = []
    with ad.dual_level():
        d = ad.make_dual(a.clone(), a * 2) * 1
        v = d[:1]
        d.detach_()
        found.append([see(torch, ad.unpack_dual(t).tangent) for t in (d, v)])
        v.mul_(2)
        found.append([see(torch, ad.unpack_dual(t).tangent) for t in (d, v)])
    d.add_(1)
    return [found, look(torch, d, v), v._base is d]


@case
def gradients_of_duals_that_have_outlived_their_level(torch):
    ad = torch.autograd.forward_ad
    a = torch.tensor([1.0, 2.0, 3.0])
    with ad.dual_level():
        d = (ad.make_dual(a.clone(), a * 2) * 1).requires_grad_()
        z = (d * d) * 1
        z.retain_grad()
        hooked = []
        d.register_hook(hooked.append)
    z.sum().backward()
    return [see(torch, d.grad), see(torch, z.grad), see(torch, hooked)]


def lies(t):
    """Where elements are, along dimensions of more than one."""
    return [s for s, n in zip(t.stride(), t.shape) if n > 1]


@case
def strides_of_results_along_dimensions_of_size_1(torch):
    found = []
    orders = ((0, 2, 3, 1), (0, 3, 2, 1), (3, 1, 0, 2), (2, 0, 1, 3), (1, 0, 3, 2))
    for shape in ((2, 2, 2, 1), (2, 1, 3, 2), (1, 2, 3, 1), (2, 1, 1, 3)):
        for order in orders:
            back = [order.index(d) for d in range(4)]
            x = torch.ones([shape[d] for d in order]).permute(back)
            gaps = torch.ones(*[shape[d] for d in order], 2)[..., 0].permute(back)
            for t in (x, gaps):
                for f in (lambda t: t * 2, torch.exp, lambda t: t > 2, torch.relu, torch.isnan):
                    found.append(list(f(t).stride()))
    return found


@case
def convolutions_of_sequences_lie_as_their_weights(torch):
    f = torch.nn.functional
    x, w = torch.ones(2, 3, 5), torch.ones(4, 3, 2)
    inputs = [x, x.mT.contiguous().mT, x.expand(2, 3, 5), x[0], x.transpose(0, 1).contiguous().transpose(0, 1)]
    weights = [w, w.mT.contiguous().mT, w[:1].expand_as(w), torch.ones(4, 3, 4)[..., ::2], w[..., :1], w.mT[:, :1].mT]
    found = [lies(f.conv1d(x, w, padding=1)) for x in inputs for w in weights]
    found += [lies(f.conv_transpose1d(x, w)) for x in inputs for w in (torch.ones(3, 4, 2), torch.ones(3, 2, 4).mT)]
    images = torch.ones(2, 2, 2, 1).contiguous(memory_format=torch.channels_last)
    found.append(lies(f.conv2d(torch.ones(2, 2, 2, 1), images * 2, padding=1)))
    return found
