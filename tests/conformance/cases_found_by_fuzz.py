"""What random programs (``tests/fuzz``) found: corners where values, histories or refusals were not PyTorch's."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from tests.conformance.observe import case, error, graph, name_of, see


def quietly(fn: Callable[[], Any]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return error(fn)


@case
def gradients_have_the_shape_from_before_an_unrecorded_change(torch):
    found = []
    for change in ("unsqueeze_", "squeeze_", "t_"):
        for shape in ((3,), (1, 3), (4, 2), (2, 2)):
            a = torch.ones(shape, requires_grad=True)
            b = a * 2
            with torch.no_grad():
                b.unsqueeze_(0) if change == "unsqueeze_" else getattr(b, change)()
            b.register_hook(lambda g: found.append(list(g.shape)))
            found.append(error(lambda a=a, b=b: torch.autograd.grad((b * b).sum(), a)[0].tolist()))
            found.append(error(lambda b=b: torch.autograd.grad(b.sum(), b)[0].tolist()))
    return found


@case
def leaves_that_get_another_shape_while_a_graph_leads_to_them(torch):
    found = []
    for change in ("unsqueeze_", "squeeze_", "t_"):
        for shape in ((1, 3), (4, 2)):
            x = torch.ones(shape, requires_grad=True)
            kept = x.sin()
            with torch.no_grad():
                x.unsqueeze_(0) if change == "unsqueeze_" else getattr(x, change)()
            found.append(error(lambda x=x: (x * x).sum().backward()))
            found += [None if x.grad is None else x.grad.tolist(), list(kept.shape)]
    return found


@case
def requires_grad_of_views_that_may_not_be_used_any_more(torch):
    a = torch.ones(2, 3, requires_grad=True)
    part = a.split(1, -1)[-1]
    with torch.no_grad():
        a.fill_(0.5)
    return [
        error(lambda: part.requires_grad_(False)), error(lambda: part.requires_grad_() is part),
        error(lambda: setattr(part, "requires_grad", False)), error(lambda: part.is_leaf),
    ]  # fmt: skip


@case
def histories_of_what_is_written_are_asked_for_before_shapes(torch):
    a = torch.ones(2, 3, requires_grad=True) * 1
    old = a.split(1, -1)[-1]
    a.mul_(2)
    v, n = torch.ones(5), torch.tensor(1, dtype=torch.uint8)
    return [
        error(f)["raises"] + error(f)["message"][:40]
        for f in (
            lambda: n.mul_(old), lambda: v.mul_(old), lambda: v.copy_(old), lambda: v.masked_scatter_(v > 0, old),
            lambda: v.index_put_((torch.tensor([0]),), old), lambda: torch.ones(2, 2).fliplr().add_(old.flatten()),
        )
    ]  # fmt: skip


@case
def tensors_of_inference_mode_are_refused_before_shapes_and_dtypes(torch):
    with torch.inference_mode():
        i, j = torch.complex(torch.ones(3), torch.ones(3)), torch.ones(3)
    x = torch.ones(3, requires_grad=True) * 2
    return [
        error(f)["message"][:40]
        for f in (
            lambda: x[-3].mul_(i), lambda: x.mul_(i), lambda: x[0].mul_(j), lambda: x[0].div_(i), lambda: x[0].add_(i),
            lambda: x[:2].atan2_(j), lambda: x[:2] * j,
        )
    ]  # fmt: skip


@case
def convolutions_of_nothing(torch):
    F = torch.nn.functional
    shapes = ((1, 2, 0), (2, 0, 1), (0, 2, 1), (0, 0, 1), (2, 1, 2))
    weights = ((1, 1, 0), (2, 2, 0), (1, 2, 0), (0, 2, 2), (2, 0, 1), (2, 0, 0))
    found = []
    for x in shapes:
        for w in weights:
            a, b = torch.zeros(x, dtype=torch.float64), torch.zeros(w, dtype=torch.float64)
            for f, wide in (
                (F.conv1d, 0),
                (F.conv_transpose1d, 0),
                (F.conv2d, 1),
                (F.conv_transpose2d, 1),
                (F.conv3d, 2),
            ):
                p, q = a, b
                for _ in range(wide):
                    p, q = p[None], q[None]
                found.append(error(lambda f=f, p=p, q=q: list(f(p, q).shape)))
    return found


@case
def complex_powers_of_zero(torch):
    found = []
    for dtype in (torch.complex64, torch.complex128):
        for e in (0, 1j, 1, -1, 2, 0.5, -1 + 1j):
            z, p = torch.zeros(1, dtype=dtype), torch.tensor([e], dtype=dtype)
            found.append([str(y.abs().tolist()) for y in (z**p, z**e, torch.pow(0, p), torch.pow(0j, p), p**z)])
    return found


@case
def attention_to_nothing(torch):
    found = []
    for q, k, v in (
        ((2, 0), (3, 0), (3, 4)), ((2, 3), (0, 3), (0, 4)), ((0, 3), (2, 3), (2, 4)), ((2, 3), (2, 3), (2, 0)),
        ((1, 2, 2, 3), (1, 2, 0, 3), (1, 2, 0, 3)),
    ):  # fmt: skip
        for dtype in (torch.float16, torch.float64):
            a, b, c = (torch.ones(s, dtype=dtype, requires_grad=True) for s in (q, k, v))
            y = torch.nn.functional.scaled_dot_product_attention(a, b, c)
            found.append([see(torch, y), graph(y.grad_fn)])
            found.append([list(g.shape) for g in torch.autograd.grad(y.sum(), [a, b, c])])
    return found


@case
def segments_of_no_width(torch):
    found = []
    for kind in ("sum", "mean", "min", "max", "prod"):
        for shape, lengths in (((0, 0), [0]), ((2, 0), [1, 1]), ((0, 2), [0, 0])):
            x = torch.zeros(shape, requires_grad=True)
            y = torch.segment_reduce(x, kind, lengths=torch.tensor(lengths))
            found.append([list(y.shape), list(torch.autograd.grad(y.sum(), x)[0].shape)])
    return found


@case
def batches_of_gradients_through_views_that_overlap(torch):
    x = torch.arange(6.0, requires_grad=True)
    y = (x / 5).unfold(-1, 2, 1).as_strided((2, 2), (1, 1))
    return see(torch, torch.autograd.grad(y, x, torch.ones(3, 2, 2), is_grads_batched=True))


@case
def clamps_of_complex_numbers_that_are_expanded(torch):
    z = torch.ones(2, dtype=torch.complex64).expand(3, 2)
    one = torch.ones(2)
    return [
        error(f)
        for f in (
            lambda: z.clamp_(-1, 1), lambda: z.clamp_min_(1), lambda: z.clamp_max_(1), lambda: z.clamp_(one, one),
            lambda: z.clamp_min_(one), lambda: z.clip_(-1, 1),
        )
    ]  # fmt: skip


@case
def losses_with_probabilities_of_nothing(torch):
    found = []
    for shape in ((1, 0), (0, 3)):
        for reduction in ("mean", "sum", "none"):
            x = torch.zeros(shape, requires_grad=True)
            y = torch.nn.functional.cross_entropy(x, x.softmax(-1), reduction=reduction)
            found.append([str(y.tolist()), graph(y.grad_fn)])
    return found


@case
def copies_with_a_part_replaced_lie_as_the_original_does(torch):
    x = torch.arange(12.0).reshape(4, 3)
    found = []
    for v in (x.select(0, 2), x[1:], x.t(), x[:, 1], x[:1].expand(3, 3), x[::2], x.t()[1:]):
        results = [
            v.slice_scatter(v.narrow(-1, 0, 1), -1, 0, 1), v.select_scatter(v.select(0, 0), 0, 0),
            v.as_strided_scatter(v.reshape(-1)[:2].clone(), (2,), (1,)),
            *([v.diagonal_scatter(v.diagonal())] if v.dim() > 1 else []),
        ]  # fmt: skip
        found += [
            [y.tolist(), list(y.stride()), y.storage_offset(), y.untyped_storage().size(), y._is_view()]
            for y in results
        ]
    return found


@case
def gradients_of_strided_parts_that_are_replaced(torch):
    found = []
    for turn in (lambda t: t, lambda t: t[1:]):
        x = torch.arange(12.0).reshape(4, 3).requires_grad_()
        src = torch.ones(2, requires_grad=True)
        v = turn(x * 1)
        y = v.as_strided_scatter(src, (2,), (2,))
        weights = torch.arange(1.0, y.numel() + 1).reshape(y.shape)
        found.append(see(torch, [y, *torch.autograd.grad((y * weights).sum(), [src])]))  # the other is wrong in PyTorch
    return found


@case
def stacks_of_tensors_of_inference_mode_are_views(torch):
    with torch.inference_mode():
        i = torch.ones(2, 3)
    found = []
    for d in (0, 1, 2, -1, -2):
        for y in (torch.stack([i, i], d), torch.stack([i, torch.ones(2, 3)], d)):
            found.append([list(y.shape), y._is_view(), list(y._base.shape) if y._is_view() else None, y.is_inference()])
    return found


@case
def unsafe_parts_have_versions_of_their_own_in_inference_mode_too(torch):
    n = torch.ones(4, 3)
    with torch.inference_mode():
        parts = [
            n.unsafe_chunk(2)[0], n.unsafe_split(2)[0], n.unsafe_split_with_sizes([2, 2])[0], n.chunk(2)[0], n.view(-1)
        ]  # fmt: skip
    n.add_(1)
    return [[t._version, t._is_view(), t.is_inference()] for t in parts]


@case
def places_in_dimensions_without_elements(torch):
    embedding = torch.nn.functional.embedding
    none, zero = torch.tensor([], dtype=torch.int64), torch.tensor([0])
    return [
        error(f)
        for f in (
            lambda: embedding(zero, torch.zeros(0, 2)), lambda: embedding(none, torch.zeros(0, 2)).tolist(),
            lambda: torch.zeros(0, 2).index_select(0, zero), lambda: torch.zeros(2, 0).index_select(1, zero),
            lambda: torch.zeros(0, 2).index_select(0, none).tolist(), lambda: torch.zeros(0).index_select(0, zero),
        )
    ]  # fmt: skip


@case
def what_is_written_to_expanded_tensors_from_themselves(torch):
    g = torch.ones(()).expand(2, 1)
    one, two = torch.tensor([0]), torch.tensor([[0]])
    return [
        error(f)
        for f in (
            lambda: g.index_add_(1, one, g),
            lambda: g.index_copy_(1, one, g), lambda: g.scatter_(1, two, g), lambda: g.scatter_add_(1, two, g),
            lambda: g.scatter_reduce_(1, two, g, "amax"),
        )
    ]  # fmt: skip


@case
def reductions_at_places_take_the_dtypes_that_pytorchs_loops_take(torch):
    found = []
    for dtype in (torch.complex64, torch.bool):
        for kind in ("prod", "mean", "amax", "amin"):
            for include in (True, False):
                for shape in ((3,), (1, 3)):
                    x = torch.tensor([1, 2, 3]).to(dtype).reshape(shape)
                    found.append(
                        quietly(
                            lambda x=x, k=kind, i=include: see(
                                torch, x.index_reduce(-1, torch.tensor([0]), x[..., :1], k, include_self=i)
                            )["values"]
                        )
                    )
    return found


@case
def probabilities_that_are_none_are_refused(torch):
    bce = torch.nn.functional.binary_cross_entropy
    return [
        error(lambda p=p, y=y: bce(torch.tensor([p]), torch.tensor([y])).item())
        for p in (0.5, float("nan"), 2.0)
        for y in (0.5, 1.5, -0.1, float("nan"))
    ]


@case
def gradients_of_the_variance_of_one_complex_number(torch):
    found = []
    for name in ("var", "std"):
        for n in (1, 2):
            x = torch.tensor([1.0 + 1j, 2.0 - 1j][:n], dtype=torch.complex128, requires_grad=True)
            found.append(quietly(lambda x=x, name=name: str(torch.autograd.grad(getattr(x, name)(), x)[0].tolist())))
    return found


@case
def memory_that_overlaps_is_told_before_dtypes_and_complex_numbers_before_that(torch):
    o = torch.ones(3, 3, dtype=torch.int16)
    z = torch.ones(2, dtype=torch.complex64).expand(3, 2)
    return [
        error(f)["message"][:60]
        for f in (
            lambda: torch.sin(o, out=o.t()), lambda: torch.atan2(o, o, out=o.t()), lambda: torch.sin(o, out=o),
            lambda: z.floor_(), lambda: z.ceil_(), lambda: z.trunc_(), lambda: z.erf_(), lambda: z.deg2rad_(),
        )
    ]  # fmt: skip


@case
def results_made_of_tensors_of_inference_mode_show_how_they_are_made(torch):
    with torch.inference_mode():
        i = torch.ones(2, 3)
    made = (
        i.repeat(2, 1), torch.tile(i, (2,)), i.slice_scatter(i[:1], 0, 0, 1), i.select_scatter(i[0], 0, 0),
        i.diagonal_scatter(i.diagonal()), i.roll(1), i.roll(1, 0), i.flip(0), i.tril(),
    )  # fmt: skip
    return [[y._is_view(), list(y._base.shape) if y._is_view() else None, y.is_inference(), y.tolist()] for y in made]


@case
def diagonals_of_views_that_may_not_be_changed(torch):
    x = torch.ones(2, 3, 3, requires_grad=True) * 1
    return [error(lambda v=v: v.fill_diagonal_(0.5).tolist()) for v in (x.unbind(0)[0], x[0], torch.ones(2, 2))]


@case
def greatest_so_far_of_nothing(torch):
    return [error(lambda d=d: list(torch.zeros(2, 0).cummax(d)[0].shape)) for d in (0, 1, 2, -3)]


@case
def transforms_of_views_that_require_a_gradient_by_their_base_alone(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.no_grad():
        v = x.view(2)
    grad, f = torch.func.grad, lambda p: (p**3).sum()
    found = []
    for t in (v, v * 1):
        results = [
            grad(f)(t), grad(lambda p: grad(f)(p).sum())(t), torch.func.jacrev(grad(f))(t), torch.func.hessian(f)(t),
            torch.func.jvp(grad(f), (t,), (t,))[1], torch.func.vmap(grad(lambda p: p**3))(t),
        ]  # fmt: skip
        found += [[y.tolist(), y.requires_grad] for y in results]
    return found


@case
def gradients_beside_small_integers_have_all_digits(torch):
    found = []
    for dtype in (torch.int8, torch.uint8, torch.int16):
        x = torch.tensor([0.5, 1.3, -0.7], dtype=torch.float64, requires_grad=True)
        y = torch.tensor([1, 3, 2], dtype=dtype)
        results = (torch.special.xlog1py(x, y), torch.xlogy(x, y), torch.logaddexp(x, y), torch.hypot(x, y), x / y)
        found += [torch.autograd.grad(z.sum(), x)[0].tolist() for z in results]
    return found


@case
def pseudoinverses_of_what_is_not_finite(torch):
    a = torch.full((2, 2), float("nan"))
    return [error(lambda f=f: f(a)) for f in (torch.linalg.pinv, torch.pinverse, torch.linalg.matrix_rank)]


@case
def decompositions_of_nothing(torch):
    return [
        [list(t.shape) for t in f(torch.zeros(shape))]
        for f in (torch.linalg.lu, torch.linalg.lu_factor)
        for shape in ((0, 0), (0, 3), (3, 0), (2, 0, 0))
    ] + [
        see(torch, torch.linalg.cond(torch.zeros(0, 0, dtype=d), p))
        for d in (torch.float16, torch.int64)
        for p in (None, 1)
    ]


@case
def products_of_reflections_notice_that_they_were_changed(torch):
    x = torch.tensor([[-0.47], [-0.34], [0.79]], requires_grad=True)
    y = torch.linalg.householder_product(x, x[0])
    y[()].div_(2)
    return error(lambda: torch.autograd.grad(y.sum(), x))["message"][:60]


@case
def gradients_of_empty_parts_depend_on_nothing(torch):
    found = []
    for shape in ((0,), (0, 3), (3, 0)):
        e, c = torch.zeros(shape, requires_grad=True), torch.ones(2, requires_grad=True)
        b = torch.block_diag(c, e)
        found.append([g.requires_grad for g in torch.autograd.grad((b * b).sum(), [c, e], create_graph=True)])
    b = torch.cat([c, torch.zeros(0, requires_grad=True)])
    return [*found, [g.requires_grad for g in torch.autograd.grad((b * b).sum(), [c], create_graph=True)]]


@case
def second_derivatives_of_units_keep_what_is_not_a_number(torch):
    F = torch.nn.functional
    found = []
    for f in (F.elu, F.celu, F.selu):
        for inplace in (False, True):
            x = torch.tensor([-7.0, -0.3, 2.0], dtype=torch.float64, requires_grad=True)
            w = torch.ones(3, dtype=torch.float64, requires_grad=True)
            (d,) = torch.autograd.grad(f(x * 1, inplace=inplace), x, w, create_graph=True)
            for v in (float("nan"), 3.0):
                given = torch.full((3,), v, dtype=torch.float64)
                found += [
                    str(g.tolist()) if v != v else g.tolist()
                    for g in torch.autograd.grad(d, [x, w], given, retain_graph=True)
                ]
    return found


@case
def signs_of_complex_numbers_by_what_was_saved(torch):
    z = torch.tensor([1.35 - 0.69j, -1.57 + 0.61j], dtype=torch.complex128, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach().real.clone(), lambda t: t.to(torch.complex128)):
        y = z.sgn()
    (g,) = torch.autograd.grad(torch.view_as_real(y).sum(), z)
    return [see(torch, g), name_of(y.grad_fn)]


@case
def remainders_that_are_zero_have_the_sign_of_the_dividend(torch):
    x = torch.tensor([-3.0, 3.0, -0.0, 0.0, -4.0])
    found = []
    for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.int32):
        t = x.to(dtype)
        found += [t.remainder(1.5), t % -1.5, t.remainder(torch.tensor(1.5)), torch.remainder(3.0, x[:2].to(dtype))]
    return [torch.signbit(t).tolist() for t in (*found, x.clone().remainder_(1.5))]


@case
def results_lie_as_what_is_computed_first(torch):
    x = torch.arange(12.0).reshape(3, 4)
    p, q = x.T, torch.ones(4, 3)
    windows = x.unfold(0, 2, 1)
    wide = x.expand(2, 3, 4).mT
    made = [torch.rsub(p, q), torch.rsub(q, p), torch.rsub(p, q, alpha=2), p.__rsub__(q)]
    made += [*windows.sort(dim=2), *windows.sort(dim=0), *wide.sort(dim=-1), windows.argsort(1), wide.argsort(0)]
    return [t.stride() for t in made]


@case
def repeated_columns_are_views_of_a_copy_by_rows(torch):
    x = torch.arange(12.0).reshape(3, 4)
    made = [x.repeat_interleave(2, -1), x.mT.repeat_interleave(2, -1), x[None].mT.repeat_interleave(2, 1)]
    return [see(torch, t) for t in made] + [tuple(t._base.shape) for t in made]


@case
def medians_of_no_integers(torch):
    names = ("uint8", "int8", "int16", "int32", "int64")
    return [[torch.empty(0, 3, dtype=getattr(torch, n)).median().item() for n in names],
            [torch.empty(0, dtype=getattr(torch, n)).nanmedian().item() for n in names]]  # fmt: skip


@case
def functions_at_a_dual_level_have_nodes_of_their_own_name(torch):
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.autograd.forward_ad.dual_level():
        return name_of(Twice.apply(x).grad_fn)


@case
def views_that_may_not_be_used_are_refused_before_dtypes_and_shapes(torch):
    x = torch.tensor([1.0 + 1j, 2.0], requires_grad=True)
    with torch.no_grad():
        z = x.view(2)
        w = torch.view_as_real(x)[..., 0]
        z[:1].add_(1)
    asked = [
        lambda: z.cummax(0), lambda: torch.minimum(z, z), lambda: z.renorm(1, 0, 0.5), lambda: w + torch.ones(3),
        lambda: w @ torch.ones(3), lambda: w.sum(3), lambda: w.gather(0, torch.tensor([7])), lambda: z.floor(),
        lambda: w.amax(5), lambda: w.index_select(0, torch.tensor([9])),
    ]  # fmt: skip
    return [error(fn) for fn in asked]


@case
def a_node_whose_hook_fails_keeps_what_it_saved(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    handle = y.grad_fn.register_hook(lambda gi, go: 1)
    found = [error(lambda: y.sum().backward()), error(lambda: y.sum().backward())]
    handle.remove()
    y.sum().backward()
    return [*found, see(torch, x.grad), error(lambda: y.sum().backward())]


@case
def what_is_conjugated_may_be_read_while_it_is_written(torch):
    found = []
    for z in (torch.tensor([1 + 2j, 2 - 1j]).conj(), torch.tensor([1.0, 2.0])._neg_view(), torch.zeros(0)):
        index = torch.arange(len(z))
        found.append(error(lambda z=z, index=index: see(torch, z.scatter_add_(0, index, z))))
        found.append(error(lambda z=z, index=index: see(torch, z.index_add_(0, index, z))))
    x = torch.tensor([1.0, 2.0])
    return [*found, error(lambda: x.scatter_add_(0, torch.tensor([0, 1]), x))]
