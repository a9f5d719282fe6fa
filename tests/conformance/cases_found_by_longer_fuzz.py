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
