"""What random programs (``tests/fuzz``) found later: layouts of copies and gradients, duals after their level, NaN."""

from __future__ import annotations

import gc
import warnings
import weakref

from tests.conformance.observe import case, see


def layouts(torch):
    t = torch.tensor([1.0, 2.0, 3.0])
    return t.expand(2, 3), t.expand(3, 3), torch.arange(6.0).view(2, 3).t(), torch.arange(12.0).view(3, 4)[:, ::2]


@case
def copies_of_expanded_tensors_that_are_written_in_part_lie_by_rows(torch):
    at = torch.tensor([0])
    found = []
    for t in layouts(torch):
        whole = [
            t.index_fill(0, at, 1.0), t.index_put((at,), t[0]), t.put(at, t[0, :1]), t.nan_to_num(),
            t.index_add(0, at, t[:1]), t.index_copy(0, at, t[:1]), t.masked_fill(t > 1, 0.0), t.clone(),
        ]  # fmt: skip
        found.append([each.stride() for each in whole])
    return found


@case
def one_hot_lies_by_rows_whatever_its_input_does(torch):
    return [torch.nn.functional.one_hot(t.long()).stride() for t in layouts(torch)]


@case
def extrema_beside_nan_have_the_tangent_of_the_other(torch):
    fw = torch.autograd.forward_ad
    nan = float("nan")
    a, b = torch.tensor([1.0, 2.0, 3.0, nan, nan, 2.0]), torch.tensor([2.0, 2.0, 1.0, 1.0, nan, nan])
    found = []
    with fw.dual_level():
        for name in ("maximum", "minimum", "fmax", "fmin", "clamp_min", "clamp_max"):
            fn = getattr(torch, name)
            x, y = fw.make_dual(a, torch.full_like(a, 3.0)), fw.make_dual(b, torch.full_like(b, 7.0))
            found.append([see(torch, fw.unpack_dual(fn(*pair)).tangent) for pair in ((x, y), (x, b), (a, y))])
    return found


@case
def second_tangents_of_complex_zeros(torch):
    z = torch.tensor([0j, 1 + 1j], dtype=torch.complex128)
    found = []
    for fn in (torch.abs, torch.sgn, torch.angle):

        def once(z, fn=fn):
            return torch.func.jvp(fn, (z,), (z.cos(),))[1]

        found.append([see(torch, once(z)), see(torch, torch.func.jvp(once, (z,), (torch.ones_like(z),))[1])])
    return found


@case
def duals_after_their_level_in_batched_passes_and_functions(torch):
    class DoubleInPlace(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            x.mul_(2)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 2

    fw = torch.autograd.forward_ad
    leaf = torch.tensor([1.0, 2.0], requires_grad=True)
    with fw.dual_level():
        dual = fw.make_dual(leaf, torch.ones(2))
        of_other = fw.make_dual(leaf * 1, torch.ones(2))
    batch = torch.tensor([[1.0, 1.0], [0.5, 2.0]])
    found = [
        see(torch, torch.autograd.grad(dual.log(), [leaf, dual], batch, is_grads_batched=True)),
        see(torch, torch.autograd.grad(leaf.log(), [dual], batch, is_grads_batched=True, allow_unused=True)),
    ]
    changed = DoubleInPlace.apply(of_other)
    found += [changed is of_other, see(torch, torch.autograd.grad(changed.sum(), leaf))]
    try:
        DoubleInPlace.apply(dual)
    except RuntimeError as e:
        found.append(str(e))
    return found


@case
def what_is_saved_of_a_checkpoint_s_arguments_may_not_be_detached(torch):
    found = []
    for change in (lambda t: t.detach_(), lambda t: t.detach_().requires_grad_()):
        leaf = torch.tensor([1.0, 2.0], requires_grad=True)
        x = leaf * 2
        out = torch.utils.checkpoint.checkpoint(torch.exp, x, use_reentrant=False)
        change(x)
        try:
            out.sum().backward()
        except RuntimeError as e:
            found.append(str(e))
    return found


@case
def gradients_that_are_recorded_lie_as_their_leaves_do(torch):
    found = []
    for base in (*layouts(torch)[2:], torch.arange(6.0).view(3, 2)):
        for create_graph in (False, True):
            x = base.detach().requires_grad_()
            for _ in range(2):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # of a cycle
                    (x * x).sum().backward(create_graph=create_graph)
                found.append(x.grad.stride())
    return found


@case
def numbers_written_in_place_have_gradients(torch):
    at, found = torch.tensor([0]), []
    for change in (
        lambda t: t.index_copy_(0, at, t.clone()), lambda t: t.index_fill_(0, at, 2.0), lambda t: t.put_(at, t.clone()),
        lambda t: t.index_add_(0, at, t.clone()),
    ):  # fmt: skip
        x = torch.tensor(1.5, requires_grad=True)
        change(x * 1).sin().sum().backward()
        found.append(see(torch, x.grad))
    return found


@case
def changes_that_are_refused_keep_no_tensors(torch):
    found = []
    gc.disable()
    try:
        for change in (
            lambda t: t.mul_(2), lambda t: t.flatten().mul_(2), lambda t: (t * 2).add_(torch.ones(7)),
            lambda t: t[0].fill_(1), lambda t: t.copy_(torch.ones(7)), lambda t: t.clamp_(0, 1),
        ):  # fmt: skip
            x = torch.ones(3, 1, requires_grad=True)
            kept = weakref.ref(x)
            try:
                change(x)
            except RuntimeError as e:
                found.append(str(e)[:40])
            del x
            found.append(kept() is None)
    finally:
        gc.enable()
    return found


@case
def results_of_what_was_broadcast_within_lie_as_it_does(torch):
    base = torch.arange(24.0).reshape(2, 3, 4) / 7
    found = []
    for t in (base[:, :1].expand(2, 3, 4).permute(2, 1, 0), base[:, :, :1].expand(2, 3, 4).transpose(0, 2)):
        whole = [
            t.sin(), t * 2, t**2, t.clamp(0, 1), t.clone(), t.nan_to_num(), torch.rand_like(t), t > 1, t.half(),
            torch.nn.functional.gelu(t), torch.nn.functional.leaky_relu(t), t.sgn(), t.round(), t.frac(), 1 - t,
            t.select_scatter(t[0], 0, 0), t.index_fill(0, torch.tensor([0]), 2.0), t.masked_fill(t > 1, 0.0),
        ]  # fmt: skip
        found.append([each.stride() for each in whole])
    return found
