"""Forward mode through memory that is shared: views made before a tangent is written into what they are views of."""

from __future__ import annotations

from typing import Any

from .cases_func import seen, without_nodes
from .observe import case, error, see

# Each of these makes views of a constant, writes ``d`` (four numbers with tangents) somewhere, and returns tensors.


def base_seen_through_slices(torch, d):
    base = torch.zeros(4)
    views = [base[1:3], base[::2], base[0], base.view(2, 2), base.t(), base[None], base.view_as(base)]
    base.copy_(d)
    return [base, *views]


def views_of_views(torch, d):
    base = torch.zeros(2, 4)
    row = base[1]
    part = row[1:]
    last = part[-1]
    across = base.t()
    corner = across[2:]
    base[1] = d
    return [base, row, part, last, across, corner]


def write_through_a_view(torch, d):
    base = torch.zeros(2, 4)
    row, other, across = base[1], base[0], base.transpose(0, 1)
    first = base[:, 0]
    row.copy_(d)
    return [base, row, other, across, first]


def write_through_a_deep_view(torch, d):
    base = torch.zeros(12)
    square = base.view(3, 4)
    middle = square[1]
    twin = base[4:8]
    ends = base[::11]
    middle.mul_(0).add_(d)
    return [base, square, middle, twin, ends]


def two_writes(torch, d):
    base = torch.zeros(2, 4)
    up, down, all_of_it = base[0], base[1], base.view(8)
    up.copy_(d)
    down.copy_(d * d)
    return [base, up, down, all_of_it]


def write_again_after_use(torch, d):
    base = torch.ones(4)
    view = base[1:3]
    base.mul_(d)
    before = view * 2
    base.mul_(d)
    after = view * 2
    view.zero_()
    return [before, after, base, view]


def by_as_strided(torch, d):
    base = torch.zeros(4)
    view = base.as_strided((2, 2), (1, 2), 0)
    shifted = base.as_strided((2,), (1,), 2)
    overlapping = base.as_strided((3, 2), (1, 1), 0)
    base.copy_(d)
    return [base, view, shifted, overlapping]


def write_by_as_strided(torch, d):
    base = torch.zeros(9)
    sibling = base[2:7]
    base.as_strided((4,), (2,), 1).copy_(d)
    return [base, sibling]


def several_outputs(torch, d):
    base = torch.zeros(4)
    halves, ones, parts = base.chunk(2), base.unbind(), base.split([1, 3])
    base.copy_(d)
    return [base, *halves, *ones, *parts]


def write_through_one_of_several(torch, d):
    base = torch.zeros(8)
    halves = base.chunk(2)
    halves[0].copy_(d)
    return [base, *halves]


def detached(torch, d):
    base = torch.zeros(4)
    apart, of_view = base.detach(), base[1:].detach()
    below = apart[1:3]
    base.copy_(d)
    return [base, apart, of_view, below]


def write_through_detached(torch, d):
    base = torch.zeros(4)
    view = base[1:3]
    apart = base.detach()
    apart.copy_(d)
    return [base, view, apart]


def by_data(torch, d):
    base = torch.zeros(4)
    view, shown = base[1:3], base.data
    base.copy_(d)
    return [base, view, shown]


def made_without_grad(torch, d):
    base = torch.zeros(4)
    with torch.no_grad():
        view = base[1:3]
    base.copy_(d)
    return [base, view]


def written_without_grad(torch, d):
    base = torch.zeros(4)
    view = base[1:3]
    with torch.no_grad():
        base.copy_(d)
    return [base, view]


def by_out(torch, d):
    base = torch.zeros(4)
    view = base[1:3]
    torch.mul(d, 3.0, out=base)
    return [base, view]


def out_is_a_view(torch, d):
    base = torch.zeros(2, 4)
    row, across = base[1], base.t()
    torch.add(d, d, out=row)
    return [base, row, across]


def by_index_put(torch, d):
    base = torch.zeros(4)
    view = base[1:3]
    base.index_put_((torch.tensor([3, 1, 0, 2]),), d)
    return [base, view]


def by_setitem(torch, d):
    base = torch.zeros(4)
    view, whole = base[1:3], base.view(2, 2)
    base[1] = d[0]
    base[2:] = d[:2]
    base[torch.tensor([True, False, False, False])] = d[3]
    return [base, view, whole]


def by_other_operators(torch, d):
    found = []
    for write in (
        lambda b: b.index_add_(0, torch.tensor([0, 0, 1, 2]), d),
        lambda b: b.scatter_(0, torch.tensor([3, 2, 1, 0]), d),
        lambda b: b.masked_scatter_(torch.tensor([False, True, True, True]), d),
        lambda b: b.masked_fill_(torch.tensor([False, True, True, True]), d[2]),
        lambda b: b.addcmul_(d, d),
        lambda b: b.lerp_(d, 0.5),
        lambda b: b.fill_(d[1]),
        lambda b: b.sub_(d).exp_(),
        lambda b: b.index_copy_(0, torch.tensor([3, 2, 1, 0]), d),
    ):
        base = torch.ones(4)
        view = base[1:3]
        write(base)
        found += [base, view]
    return found


def as_a_complex_number(torch, d):
    base = torch.zeros(2, dtype=torch.complex64)
    numbers = torch.view_as_real(base)
    imaginary = base.imag
    numbers.copy_(d.view(2, 2))
    return [base, numbers, imaginary]


def as_real_numbers(torch, d):
    base = torch.zeros(2, 2)
    together = torch.view_as_complex(base)
    base.copy_(d.view(2, 2))
    return [base, together]


def expanded(torch, d):
    base = torch.zeros(4)
    wide, turned, flat = base.expand(2, 4), base.view(2, 2).movedim(0, 1), base.reshape(-1)
    diagonal = base.view(2, 2).diagonal()
    windows = base.unfold(0, 2, 1)
    base.copy_(d)
    return [wide, turned, flat, diagonal, windows]


def shape_changed_in_place(torch, d):
    base = torch.zeros(2, 4)
    view = base[0]
    view.unsqueeze_(0)
    turned = base.t()
    base[0].copy_(d)
    turned.t_()
    return [base, view, turned]


def constant_written_into_a_view(torch, d):
    base = torch.zeros(4)
    view = base[1:3]
    base.copy_(d)
    view.fill_(5.0)
    return [base, view]


def view_given_another_tangent(torch, d):
    base = torch.zeros(4)
    view, other = base[1:3], base[2:]
    base.copy_(d)
    view.mul_(d[2:])
    other.add_(d[:2])
    return [base, view, other]


def whole_numbers_too(torch, d):
    base = torch.zeros(4)
    bits = base.view(torch.int32)
    base.copy_(d)
    return [base, (bits != 0).float()]


def parameters_of_a_module(torch, d):
    base = torch.nn.Parameter(torch.zeros(4), requires_grad=False)
    view = base[1:3]
    base.copy_(d)
    return [view * 2]


def kept_where_others_hold_it(torch, d):
    base = torch.zeros(4)
    held = {"view": base[1:3], "list": [base[:2]]}
    base.copy_(d)
    return [held["view"].sum(), held["list"][0].prod()]


def view_of_what_was_computed(torch, d):
    base = torch.ones(4) * 3
    view = base[1:3]
    sine = view.sin()
    base.mul_(d)
    return [sine, view.sin()]


SCENES = (
    base_seen_through_slices, views_of_views, write_through_a_view, write_through_a_deep_view, two_writes,
    write_again_after_use, by_as_strided, write_by_as_strided, several_outputs, write_through_one_of_several, detached,
    write_through_detached, by_data, made_without_grad, written_without_grad, by_out, out_is_a_view, by_index_put,
    by_setitem, by_other_operators, as_a_complex_number, as_real_numbers, expanded, shape_changed_in_place,
    constant_written_into_a_view, view_given_another_tangent, whole_numbers_too, parameters_of_a_module,
    kept_where_others_hold_it, view_of_what_was_computed,
)  # fmt: skip


def numbers(torch: Any) -> tuple[Any, Any]:
    return torch.tensor([0.5, 1.5, -2.0, 3.0]), torch.tensor([1.0, 10.0, 100.0, 1000.0])


def by_hand(torch: Any, scene: Any) -> Any:
    """What ``forward_ad`` finds: values and tangents."""
    fw = torch.autograd.forward_ad

    def run() -> Any:
        with fw.dual_level():
            outs = scene(torch, fw.make_dual(*numbers(torch)))
            found = []
            for out in outs:
                value, tangent = fw.unpack_dual(out)
                found.append([see(torch, value.detach()), None if tangent is None else see(torch, tangent.detach())])
        return found

    return without_nodes(error(run))


@case
def scenes_by_hand(torch):
    return {scene.__name__: by_hand(torch, scene) for scene in SCENES}


@case
def scenes_in_jvp(torch):
    x, t = numbers(torch)
    return {
        scene.__name__: seen(torch, lambda s=scene: torch.func.jvp(lambda d: tuple(s(torch, d)), (x,), (t,)))
        for scene in SCENES
    }


def unpacked(torch: Any, *tensors: Any) -> list[Any]:
    pairs = [torch.autograd.forward_ad.unpack_dual(t) for t in tensors]
    return [[p.tolist(), None if t is None else t.tolist()] for p, t in pairs]


@case
def values_and_unpacked_values_have_tangents_of_their_own(torch):
    fw = torch.autograd.forward_ad
    x, t = numbers(torch)
    found = []
    with fw.dual_level():
        other = fw.make_dual(x * 2, t + 1)
        value = x.clone()
        view, dual = value[1:], fw.make_dual(value, t)
        value.copy_(other)
        found.append(unpacked(torch, value, view, dual))
        value = x.clone()
        view, dual = value[1:], fw.make_dual(value, t)
        dual.copy_(other)
        found.append(unpacked(torch, value, view, dual, dual[1:]))
        value = x.clone()
        dual = fw.make_dual(value, t)
        primal = fw.unpack_dual(dual).primal
        part, deep = primal[1:], primal.view(2, 2)[1]
        primal.copy_(other)
        found.append(unpacked(torch, value, dual, primal, part, deep))
        value = x.clone()
        dual = fw.make_dual(value, t)
        primal = fw.unpack_dual(dual).primal
        part, deep = primal[1:], primal.view(2, 2)[1]
        deep.copy_(other[:2])
        found.append(unpacked(torch, value, dual, primal, part, deep))
        base = torch.zeros(8)
        half = base[2:6]
        dual = fw.make_dual(half, t)
        base[:4] = other
        found.append(unpacked(torch, base, half, dual))
    return found


@case
def tensors_made_before_the_level(torch):
    fw = torch.autograd.forward_ad
    x, t = numbers(torch)
    base = torch.zeros(4)
    view = base[1:3]
    weight = torch.nn.Parameter(torch.zeros(4))
    part = weight.detach()[:2]
    found = []
    for _ in range(2):
        with fw.dual_level():
            found.append(unpacked(torch, base, view))
            base.add_(fw.make_dual(x, t))
            with torch.no_grad():
                weight.copy_(fw.make_dual(x, t))
            found.append([unpacked(torch, base, view, weight, part), repr(view), view._base is base, view._is_view()])
        view.mul_(2)
        found.append([see(torch, base), see(torch, view), view._base is base, view._version, repr(view)])
        found.append([type(base) is torch.Tensor, type(view) is torch.Tensor, type(weight) is torch.nn.Parameter])
    return found


@case
def reverse_mode_over_shared_memory(torch):
    fw = torch.autograd.forward_ad
    found = []
    for through_view in (False, True):
        weight = torch.ones(2, requires_grad=True)
        base = torch.zeros(4)
        view, other = base[:2], base[1:]
        with fw.dual_level():
            squared = fw.make_dual(weight, torch.tensor([1.0, 10.0])) ** 2
            if through_view:
                view.add_(squared)
            else:
                base.index_add_(0, torch.tensor([0, 1]), squared)
            loss = (other * other).sum() + (view * base[2:]).sum()
            found.append(unpacked(torch, loss.detach(), fw.unpack_dual(loss).tangent.detach()))
            (gradient,) = torch.autograd.grad(loss, weight, retain_graph=True)
            found.append(unpacked(torch, gradient))
        base.mul_(3)
        (view.sum() + other.sum()).backward()
        found.append(see(torch, weight.grad))
    return without_nodes(found)


@case
def gradients_of_what_became_a_dual(torch):
    fw = torch.autograd.forward_ad
    weight = torch.nn.Parameter(torch.ones(3))
    before = (weight * 2).sum()
    found = []
    with fw.dual_level():
        with torch.no_grad():
            weight.copy_(fw.make_dual(torch.zeros(3), torch.ones(3)))
        found.append([weight.is_leaf, weight.grad, fw.unpack_dual(weight * 3).tangent.tolist()])
        before.backward()
        found.append(weight.grad.tolist())
        (weight * 3).sum().backward()
        found.append(weight.grad.tolist())
        weight.grad = None
    found.append([weight.grad, weight.requires_grad])
    (weight * 5).sum().backward()
    found.append(weight.grad.tolist())
    leaf = torch.ones(3, requires_grad=True)
    doubled = leaf * 2
    doubled.retain_grad()
    view = doubled[1:]
    with fw.dual_level():
        doubled.mul_(fw.make_dual(torch.full((3,), 2.0), torch.ones(3)))
        loss = (view * view).sum()
        found.append(unpacked(torch, loss.detach(), fw.unpack_dual(loss).tangent.detach()))
    (view * view).sum().backward()
    found.append([doubled.grad.tolist(), leaf.grad.tolist(), type(doubled.grad_fn).__name__])
    return found


def through_older_views(torch: Any, x: Any, base: Any) -> Any:
    view, flat = base[1:], base.view(-1)
    deep = view[-1:]
    base.copy_(x * x)
    first = (view * 2).sum()
    base.add_(x.sin())
    return first + (flat**3).sum() + (view * deep).sum()


@case
def nested_transforms(torch):
    f = torch.func
    x = torch.tensor([0.5, 1.5, -1.0])

    def plain(x):
        return through_older_views(torch, x, torch.zeros(3))

    def like(x):
        return through_older_views(torch, x, torch.zeros_like(x))

    def inner(y):
        def fn(z):
            base = y * 3
            view = base[1:]
            sine = view.sin()
            base.mul_(z)
            return (view * view).sum() + sine.sum()

        return f.jvp(fn, (y,), (y * 2,))[1]

    xs = torch.stack([x, x * 2])
    return seen(
        torch,
        lambda: f.jacfwd(plain)(x),
        lambda: f.jacfwd(f.jacfwd(plain))(x),
        lambda: f.hessian(plain)(x),
        lambda: f.jacrev(f.jacfwd(plain))(x),
        lambda: f.grad(plain)(x),
        lambda: f.jvp(f.grad(plain), (x,), (x,)),
        lambda: f.vmap(f.jacfwd(like))(xs),
        lambda: f.vmap(f.hessian(like))(xs),
        lambda: f.jvp(f.vmap(like), (xs,), (xs + 1,)),
        lambda: f.jacfwd(f.vmap(like))(xs),
        lambda: f.jvp(inner, (x,), (x + 1,)),
        lambda: f.jacfwd(inner)(x),
        lambda: f.vmap(f.jacfwd(inner))(xs),
        lambda: torch.autograd.functional.jvp(plain, x, x + 1),
    )
