"""``vmap`` and what it meets: operators whose results vary from item to item, random numbers, views in forward mode."""

from __future__ import annotations

import warnings

from .cases_func import seen
from .observe import case, error, see


def without_warnings(f):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return f()


@case
def results_of_varying_shape(torch):
    """Those that PyTorch calls for each item are joined, if they can be."""
    vmap = torch.func.vmap
    even, uneven = torch.tensor([[1, 0, 2], [0, 3, 4]]), torch.tensor([[1, 0, 2], [0, 0, 4]])
    functions = (
        torch.argwhere, lambda x: x.bincount(minlength=5), lambda x: torch.repeat_interleave(x, output_size=None),
    )  # fmt: skip
    of_mask = (lambda x: x[x > 0], lambda x: x.masked_select(x > 0))
    refused = (torch.nonzero, torch.unique, torch.unique_consecutive, *of_mask)
    return [
        without_warnings(lambda: seen(torch, lambda: vmap(f)(x)))  # noqa: B023
        for f, inputs in [*((f, (even, uneven)) for f in functions), *((f, (uneven,)) for f in refused)]
        for x in inputs
    ]


@case
def indices_that_are_mapped(torch):
    vmap = torch.func.vmap
    x, i = torch.arange(24.0).reshape(2, 2, 3, 2), torch.tensor([[0, 1], [1, 1]])
    mask = torch.tensor([True, False])

    def write(x, *index):
        x = x.clone()
        x[index] = -1.0
        return x

    return seen(
        torch,
        lambda: vmap(lambda x, i: x[mask, i])(x, i),
        lambda: vmap(lambda x, i: x[:, i])(x, i),
        lambda: vmap(lambda x, i: x[i, :, i])(x, i),
        lambda: vmap(lambda x, i: write(x, slice(None), i))(x, i),
        lambda: vmap(lambda x, i: write(x, i, slice(None), i))(x, i),
        lambda: vmap(lambda x, i: write(x, slice(None), i, torch.tensor([1, 0])))(x, i),
        lambda: vmap(lambda x, i: write(x, i, None, 1))(x, i),
    )


@case
def numbers_drawn_by_items(torch):
    vmap, F = torch.func.vmap, torch.nn.functional
    weights, one = torch.tensor([[0.1, 0.5, 0.4], [0.3, 0.3, 0.4]]), torch.full((1, 4), 0.5)
    functions = (
        lambda x: torch.multinomial(x, 2),
        lambda x: torch.multinomial(x, 4, replacement=True),
        lambda x: x.clone().bernoulli_(x),
        lambda x: torch.multinomial(one[0], 2) + x.sum(),
        lambda x: F.dropout(one) + x.sum(),
        lambda x: F.dropout(one),
        lambda x: F.dropout1d(one),
        lambda x: F.dropout2d(one[None, None]),
        lambda x: F.alpha_dropout(one),
        lambda x: torch.dropout(x, 0.5, True),
    )
    found = []
    for how in ("error", "same", "different"):
        for f in functions:
            torch.manual_seed(3)
            found.append(seen(torch, lambda: vmap(f, randomness=how)(weights)))  # noqa: B023
    return found


@case
def diagonals_of_views_in_forward_mode(torch):
    func = torch.func
    x = torch.arange(1.0, 7.0).reshape(3, 2)

    def filled(x, wrap=False):
        x = torch.stack([x, x + 1]) * 1
        x[1, 1:].fill_diagonal_(0.5, wrap)
        x[-1:, 2:, 1].fill_diagonal_(7.0)
        return x

    def tall(x):
        x = x.repeat(3, 1)
        x[1:].fill_diagonal_(0.5, wrap=True)
        return x

    return seen(
        torch,
        *(lambda f=f: func.jvp(f, (x,), (x,)) for f in (filled, tall)),
        *(lambda f=f: without_warnings(lambda: func.vmap(f)(torch.stack([x, x * 2]))) for f in (filled, tall)),
        *(lambda f=f: func.grad(lambda x: (f(x) * torch.arange(12.0).reshape(f(x).shape)).sum())(x) for f in (filled,)),
        lambda: without_warnings(lambda: func.vmap(lambda x: func.jvp(filled, (x,), (x,))[1])(torch.stack([x, x * 2]))),
    )


@case
def linearized_although_reverse_mode_refuses(torch):
    x = torch.arange(1.0, 5.0).reshape(2, 2)

    def parts(x):
        y = x * 2
        first, second = y.unbind()
        y.add_(1)
        return first * 3 + second

    def kept(x):
        y = x * 2
        with torch.no_grad():
            view = y[0]
        view.mul_(1)
        return y.sum()

    def slopes(f):
        return without_warnings(lambda: torch.func.linearize(f, x)[1](x.cos()))

    def overwritten(x):
        return x.scatter(1, torch.tensor([[1, 1], [0, 0]]), x * 3)

    def equal(x):
        return torch.fmax(x, x.detach()) + x.clamp_max(2) ** x.sub(1).clamp_min(0)

    return seen(torch, *(lambda f=f: slopes(f) for f in (parts, kept, overwritten, equal)))


@case
def numbers_drawn_at_once(torch):
    """Those of a tensor that is not mapped are drawn as for one that is expanded to the batch."""
    vmap = torch.func.vmap
    half, batch = torch.full((18,), 0.5), torch.ones(2)
    functions = (
        lambda: torch.multinomial(half, 3),
        lambda: torch.bernoulli(half),
        lambda: torch.bernoulli(half, 0.25),
        lambda: torch.poisson(half * 9),
        lambda: torch.nn.functional.alpha_dropout(half, training=True).gt(1),
        lambda: torch.nn.functional.feature_alpha_dropout(half[None], training=True).gt(1),
    )
    found = []
    for f in functions:
        torch.manual_seed(4)
        found.append(seen(torch, lambda: vmap(lambda x: f() + x, randomness="different")(batch)))  # noqa: B023
    torch.manual_seed(4)
    found.append(seen(torch, lambda: torch.multinomial(half.expand(3, 18), 4)))
    where = torch.rand(2, 3, 4)
    for dims in ((0, 0), (-1, 0), (1, None), (None, 0)):
        p = where if dims[1] is None else where.movedim(dims[0] or 0, 0)
        p = p[0] if dims[1] is None else p
        x = torch.zeros(2, 3, 4) if dims[0] is not None else torch.zeros(3, 4)
        p = p if dims[1] is not None or dims[0] != 1 else torch.full((2, 4), 0.5)
        torch.manual_seed(5)
        found.append(seen(torch, lambda: vmap(lambda x, p: x.bernoulli_(p), dims, randomness="different")(x, p)))  # noqa: B023
    return found


@case
def chunks_that_draw_the_same(torch):
    vmap, x = torch.func.vmap, torch.zeros(5, 2)
    found = []
    for size in (1, 2, 5, 9):
        torch.manual_seed(6)
        found += seen(torch, lambda: vmap(lambda x: x + torch.rand(2), randomness="same", chunk_size=size)(x))  # noqa: B023
        found += seen(torch, lambda: torch.rand(1))
    return found


@case
def random_numbers_for_out(torch):
    vmap, x, y = torch.func.vmap, torch.ones(2), torch.zeros(3)
    return seen(
        torch,
        *(
            lambda f=f: vmap(lambda x: f(), randomness="same")(x)
            for f in (
                lambda: torch.randn(3, out=y), lambda: torch.rand(3, out=y), lambda: torch.bernoulli(y, out=y),
                lambda: torch.normal(0.0, torch.ones(3), out=y), lambda: torch.randperm(3, out=y.long()),
                lambda: torch.randint(3, (3,), out=y.long()), lambda: torch.multinomial(y + 1, 1, out=y.long()),
            )
        ),
    )  # fmt: skip


@case
def products_of_wrong_dimensions(torch):
    vmap, a, plain = torch.func.vmap, torch.ones(2, 3, 3), torch.ones(3, 3)
    functions = (
        lambda a: torch.mm(a[0], a), lambda a: torch.mm(a, a[None]), lambda a: torch.mm(plain, a[0]),
        lambda a: torch.mv(a, a), lambda a: torch.mv(a[0], a[0]), lambda a: torch.dot(a, a[0]),
        lambda a: torch.bmm(a, a[None]), lambda a: torch.bmm(a[None], a), lambda a: torch.addmv(a[0], a, a),
        lambda a: torch.vdot(plain, a[0]), lambda a: a.as_strided((2,), (1, 1)),
    )  # fmt: skip
    return seen(torch, *(lambda f=f: vmap(f)(a) for f in functions))


@case
def modules_stacked_although_they_differ(torch):
    nn, stack = torch.nn, torch.func.stack_module_state
    frozen = nn.Linear(2, 2).requires_grad_(False)
    return seen(torch, lambda: stack([nn.Linear(2, 2), frozen]), lambda: [len(part) for part in stack([frozen] * 2)])


@case
def saved_values_that_are_changed_in_place(torch):
    func, x = torch.func, torch.arange(1.0, 7.0).reshape(2, 3) / 4
    xs = torch.stack([x, x + 1])

    def multiplied(x):
        y = x * 1
        view = y.transpose(0, 1)
        y.cumprod_(1)
        return view

    def softened(x):
        y = x * 1
        y.logit_(0.1)
        return y.cumsum_(0)

    return seen(
        torch,
        lambda: without_warnings(lambda: func.vmap(func.grad(lambda x: multiplied(x).sum()))(xs)),
        lambda: without_warnings(lambda: func.vmap(func.grad(lambda x: softened(x).sum()))(xs)),
        lambda: without_warnings(lambda: func.jacfwd(lambda x: func.vjp(multiplied, x)[1](torch.ones(3, 2))[0])(x)),
    )


@case
def products_of_three_in_nested_batches(torch):
    func, F = torch.func, torch.nn.functional
    x, w = torch.tensor([[0.5, -1.5]]), torch.arange(8.0).reshape(2, 2, 2)
    second = func.hessian(lambda x: F.bilinear(x, x, w).pow(2).sum())
    fourth = func.hessian(lambda x: second(x).pow(2).sum())
    return seen(torch, lambda: without_warnings(lambda: second(x)), lambda: without_warnings(lambda: fourth(x)))


@case
def forward_derivatives_of_corners(torch):
    func = torch.func
    x = torch.tensor([-0.75, -0.25, 0.5], dtype=torch.float64)
    index = torch.tensor([0, 0, 1])

    def written_to_nothing(x):
        y = (x[:1] * 1).expand(2)
        y[2:].cumprod_(-1)
        return x * 2

    functions = (
        lambda x: torch.clamp(x.float().tanh(), x, x + 1),
        lambda x: torch.clamp(x.float(), x),
        lambda x: x.scatter_reduce(0, index, x, "amin", include_self=False),
        lambda x: x.scatter_reduce(0, index, x, "amax"),
        written_to_nothing,
        lambda x: torch.fmax(x, x.detach()),
        lambda x: torch.fmax(x.detach(), x),
        lambda x: torch.fmax(x.float(), torch.full((3, 1), float("nan"))),
        lambda x: torch.fmin(x, x.detach()),
        lambda x: torch.maximum(x, x.detach()),
    )
    return seen(
        torch,
        *(lambda f=f: func.jvp(f, (x,), (x.cos(),)) for f in functions),
        *(lambda f=f: func.vmap(lambda x: func.jvp(f, (x,), (x,))[1])(torch.stack([x, -x])) for f in functions[:3]),
        lambda: without_warnings(lambda: func.linearize(lambda x: x.clamp_min(0) ** x.clamp_min(0), x)[1](x)),
    )


@case
def forward_derivatives_of_reflections(torch):
    func, x = torch.func, torch.arange(1.0, 7.0, dtype=torch.float64).reshape(3, 2).cos()

    def reflected(x):
        return torch.linalg.householder_product(x, x[0])

    def slope(x):
        return func.jvp(reflected, (x,), (x * 0.5,))[1]

    return seen(
        torch,
        lambda: slope(x),
        lambda: without_warnings(lambda: func.vmap(slope)(torch.stack([x, x + 1]))),
        lambda: func.jvp(func.grad(lambda x: reflected(x).pow(2).sum()), (x,), (x,)),
    )


@case
def batches_without_items(torch):
    func, F, x = torch.func, torch.nn.functional, torch.zeros(0, 3)
    trials = [
        lambda x: x.view(3, 1), lambda x: x.unflatten(0, (3, -1)), lambda x: x @ torch.ones(3, 2),
        lambda x: F.huber_loss(x, x * 2), lambda x: F.mse_loss(x, x * 2, reduction="sum"), lambda x: x.reshape(-1),
    ]  # fmt: skip
    seen_of = []
    for f in trials:
        seen_of += [lambda f=f: func.vmap(f)(x), lambda f=f: func.jacfwd(func.vmap(f, in_dims=1))(torch.zeros(3, 0))]
    return seen(torch, *seen_of)


@case
def batches_of_no_samples_and_no_columns(torch):
    func, F = torch.func, torch.nn.functional
    x, w, places = torch.ones(3, 0, 4, 8), torch.ones(3, 2, 4, 3), torch.zeros(2, dtype=torch.long)
    q, mask = torch.ones(2, 0, 2, 3, 4), torch.ones(2, 3, 3, dtype=torch.bool)
    return seen(
        torch,
        lambda: func.vmap(F.conv1d)(x, w),
        lambda: func.vmap(F.conv_transpose1d)(x, w.transpose(1, 2)),
        lambda: func.vmap(lambda x, w: func.grad(lambda w: F.conv1d(x, w).sum())(w))(x, w),
        lambda: func.vmap(lambda x: F.batch_norm(x, torch.zeros(4), torch.ones(4)))(x),
        lambda: func.vmap(func.grad(lambda w: F.embedding(places[:0], w).sum()))(torch.ones(2, 0, 3)),
        lambda: func.vmap(func.grad(lambda w: F.embedding(places, w).sum()))(torch.ones(2, 4, 0)),
        lambda: func.grad(lambda w: F.embedding(places, w).sum())(torch.ones(4, 0)),
        lambda: func.vmap(lambda q, m: F.scaled_dot_product_attention(q, q, q, attn_mask=m))(q, mask),
    )


@case
def results_whose_shape_the_elements_tell(torch):
    vmap = torch.func.vmap
    x = torch.tensor([[1.0, 0.0, 2.0], [3.0, 0.0, 4.0]])
    full = torch.ones(2, 3)
    return seen(
        torch,
        lambda: vmap(torch.nonzero)(x), lambda: vmap(torch.nonzero)(full),
        lambda: vmap(torch.unique)(full), lambda: vmap(lambda x: torch.unique(x, dim=0))(full),
        lambda: vmap(torch.unique_consecutive)(full), lambda: vmap(lambda x: x[x > 0])(full),
        lambda: vmap(lambda x: torch.masked_select(x, x > 0))(full),
        lambda: vmap(lambda x: torch.masked_select(x, full[0] > 0))(x),
        lambda: vmap(lambda x: x[full[0] > 0])(x),
    )  # fmt: skip


@case
def masks_beside_indices_that_are_mapped(torch):
    vmap = torch.func.vmap
    x, i = torch.arange(24.0).reshape(2, 2, 3, 2), torch.tensor([[0, 1], [1, 1]])
    mask = torch.tensor([True, False])

    def write(x, *index):
        x = x.clone()
        x[index] = -1.0
        return x

    def gradient(f):
        return torch.func.grad(lambda x: vmap(f)(x, i).pow(2).sum())(x)

    functions = (lambda x, i: x[mask, i], lambda x, i: x[i, :, mask], lambda x, i: write(x, mask, i))
    return seen(
        torch, *[lambda f=f: vmap(f)(x, i) for f in functions], *[lambda f=f: gradient(f) for f in functions]
    )


@case
def operators_without_a_rule_may_be_refused(torch):
    transforms = torch._C._functorch
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    before = transforms._is_vmap_fallback_enabled()
    transforms._set_vmap_fallback_enabled(False)
    try:
        found = seen(torch, lambda: torch.func.vmap(torch.histc)(x), lambda: torch.func.vmap(torch.sin)(x))
    finally:
        transforms._set_vmap_fallback_enabled(before)
    return [before, found, transforms._is_vmap_fallback_enabled()]


@case
def same_draws_from_what_is_cut_off_inside_a_gradient(torch):
    func = torch.func
    p, directions = torch.tensor([0.2, 0.3, 0.5]), torch.arange(12.0).reshape(4, 3)

    def with_multinomial(q):
        return (q * q).sum() * q.detach().multinomial(2, replacement=True).sum()

    def with_bernoulli(q):
        return (q * q).sum() * q.detach().softmax(0).bernoulli().sum()

    seen = []
    for f in (with_multinomial, with_bernoulli):
        for g in (f, func.jacrev(f), func.jacrev(func.grad(f))):
            torch.manual_seed(0)
            seen.append(func.vmap(lambda v, g=g: func.jvp(g, (p,), (v,))[1], randomness="same")(directions))
        torch.manual_seed(0)
        scaled = func.vmap(lambda v, f=f: func.grad(lambda q: f(q) * v.sum())(p), randomness="same")
        seen.append(scaled(directions))
    return [see(torch, s) for s in seen]


@case
def pivots_that_are_mapped_or_not(torch):
    vmap = torch.func.vmap
    lu = torch.arange(1.0, 19.0).reshape(2, 3, 3)
    pivots = torch.tensor([[2, 3, 3], [1, 3, 3]], dtype=torch.int32)
    nested = vmap(vmap(torch.lu_unpack))(torch.stack([lu, -lu]), torch.stack([pivots, pivots]))
    return [
        *[see(torch, list(vmap(torch.lu_unpack, dims)(*given))) for dims, given in (
            ((0, 0), (lu, pivots)), ((0, None), (lu, pivots[0])), ((None, 0), (lu[0], pivots)),
        )],
        see(torch, list(nested)),
    ]  # fmt: skip


@case
def masks_inside_jacobians_are_not_mapped(torch):
    x = torch.tensor([1.0, 3.0, 2.0])
    functions = (
        lambda x: x[x > 1].pow(2), lambda x: torch.masked_select(x, x > 1).pow(2),
        lambda x: x[x.nonzero().squeeze(1)].pow(2),
    )  # fmt: skip
    transforms = (torch.func.jacfwd, torch.func.jacrev, torch.func.hessian)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what is slow
        return seen(torch, *[lambda t=t, f=f: t(f)(x) for t in transforms for f in functions])


@case
def places_of_the_batch_are_told_by_tuples(torch):
    x = torch.tensor([1.0, 2.0])
    vmap = torch.vmap
    return [error(lambda f=f: see(torch, f())) for f in (
        lambda: vmap(torch.mul, [0, 0])(x, x), lambda: vmap(torch.mul, (0, [0]))(x, x), lambda: vmap(torch.sin, {0})(x),
        lambda: vmap(lambda pair: pair[0] * pair[1], ([0, 0],))([x, x]), lambda: vmap(torch.sin, 0, [0])(x),
        lambda: vmap(torch.sin, 0, (0,))(x), lambda: vmap(torch.sin, None)(x),
    )]  # fmt: skip


@case
def data_of_a_batch_are_not_to_be_had(torch):
    def put(t, value):
        t.data = value
        return value

    x = torch.tensor([1.0, 2.0])
    w = x * 2
    vmap, func = torch.vmap, torch.func
    return [error(lambda f=f: see(torch, f())) for f in (
        lambda: vmap(lambda a: a.data)(x), lambda: vmap(lambda a: put(a, a))(x), lambda: vmap(lambda a: put(a, w))(x),
        lambda: vmap(lambda a: a * w.data.sum())(x), lambda: vmap(lambda a: vmap(lambda b: a.data * b)(x))(x),
        lambda: func.grad(lambda a: vmap(lambda b: b.data * b)(a).sum())(x),
        lambda: func.jvp(lambda a: vmap(lambda b: b.data * b)(a), (x,), (x,))[0],
        lambda: vmap(func.grad(lambda a: a.data * a))(x), lambda: func.grad(lambda a: (a.data * a).sum())(x),
    )]  # fmt: skip


@case
def convolutions_of_a_batch_can_be_viewed(torch):
    """Each item lies in memory as one that is computed alone."""
    F = torch.nn.functional
    x = torch.arange(12, dtype=torch.float64).reshape(2, 2, 3).sin()

    def f(x):
        y = F.conv_transpose1d(x, x.transpose(0, 1)[..., :2])
        return y.view(-1).sin().sum(), F.conv1d(x, x[..., :1], bias=x[:, 0, 0]).view(-1)

    return [seen(torch, torch.func.hessian(lambda x: f(x)[0])(x)), seen(torch, torch.func.jacfwd(lambda x: f(x)[1])(x))]


@case
def places_along_a_dimension_by_item(torch):
    """Each item has places, values or both of its own; vmap's fallback is off, so each is computed at once."""
    vmap, core = torch.vmap, torch._C._functorch
    x, source = torch.arange(24.0).reshape(2, 3, 4), torch.arange(16.0).reshape(2, 2, 4) + 100
    same, own, values = torch.tensor([0, 2]), torch.tensor([[0, 1], [2, 1]]), torch.tensor([7.0, 8.0])
    calls = [
        lambda: vmap(lambda t, i: t.index_fill(0, i, 5.0))(x, own),
        lambda: vmap(lambda i: x[0].index_fill(-2, i, 5.0))(own),
        lambda: vmap(lambda t, i: t.index_fill(0, i, 5.0))(x, own[:, 0]),
        lambda: vmap(lambda t, v: t.index_fill(0, same, v))(x, values),
        lambda: vmap(lambda t, i, v: t.index_fill(0, i, v))(x, own, values),
        lambda: vmap(lambda t: t.index_fill(0, same, torch.tensor(3.0)))(x),
        lambda: vmap(lambda t, i, v: t.clone().index_fill_(0, i, v))(x, own, values),
        lambda: vmap(lambda t, i, s: t.index_add(-2, i, s))(x, own, source),
        lambda: vmap(lambda t, i, s: t.index_add(0, i, s, alpha=2))(x, own * 0, source),
        lambda: vmap(lambda i: x[0].index_add(0, i, source[0]))(own),
        lambda: vmap(lambda t, i, s: t.clone().index_add_(0, i, s))(x, own, source),
        lambda: vmap(lambda t, i, s: t.index_copy(0, i, s))(x, own, source),
        lambda: torch.func.grad(lambda s: vmap(lambda t, i, s: t.index_add(0, i, s))(x, own, s).pow(2).sum())(source),
        lambda: torch.func.grad(lambda v: vmap(lambda t, i, v: t.index_fill(0, i, v))(x, own, v).pow(2).sum())(values),
        lambda: torch.func.grad(lambda t: vmap(lambda t, i: t.index_fill(0, i, 4.0))(t, own).pow(2).sum())(x),
    ]  # fmt: skip
    enabled = core._is_vmap_fallback_enabled()
    core._set_vmap_fallback_enabled(False)
    try:
        return [see(torch, call()) for call in calls]
    finally:
        core._set_vmap_fallback_enabled(enabled)


@case
def as_strided_stays_within_an_item(torch):
    vmap = torch.vmap
    x, part = torch.arange(12.0).reshape(3, 4), torch.arange(40.0).reshape(4, 10)[:3, 2:6]
    views = [((5,), (1,), 0), ((2,), (1,), 3), ((2,), (1,), 2), ((2, 2), (2, 1), 0), ((0,), (1,), 99), ((2,), (1,))]
    found = [error(lambda v=v, t=t: see(torch, vmap(lambda t: t.as_strided(*v))(t))) for v in views for t in (x, part)]
    columns = [((4,), (3,), 0), ((4,), (3,), 1), ((3,), (1,), 0)]
    found += [error(lambda v=v: see(torch, vmap(lambda t: t.as_strided(*v), in_dims=1)(x.T))) for v in columns]
    return [*found, error(lambda: see(torch, vmap(lambda t: t.as_strided((3,), (1,), 0))(torch.zeros(2, 0))))]


@case
def contiguous_copies_of_items(torch):
    x = torch.arange(24.0).reshape(3, 2, 4)
    formats = (torch.contiguous_format, torch.preserve_format)
    found = [torch.vmap(lambda t, f=f: t.clone(memory_format=f), in_dims=1)(x) for f in formats]
    return [[list(t.stride()), see(torch, t)] for t in found]


@case
def results_of_varying_shape_of_what_is_no_batch(torch):
    """Where only a derivative makes a batch of a tensor that is the same for all items."""
    x, y = torch.tensor([[0.75, -1.16], [0.16, -0.83]]), torch.ones(2, 2)

    def f(x, y):
        picked, distinct = x.masked_select(x > 0), x[:1].detach().unique()
        return y.sin() + 0 * picked.sum() + distinct.sum() + x[x > 0].sum() + len(x.detach().nonzero())

    def g(x, y):
        value, pull = torch.func.vjp(f, x, y)
        return value, pull(y)[1]

    varies = error(lambda: torch.func.vmap(torch.func.grad(lambda x: x.masked_select(x > 0).sum()))(x))
    return [seen(torch, t) for t in torch.func.vmap(g, in_dims=(None, 0))(x, y)], varies["raises"]
