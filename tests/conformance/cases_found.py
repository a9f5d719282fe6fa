"""What random programs (``tests/fuzz``) found to differ: a case for each cause."""

from __future__ import annotations

import warnings

from .observe import case, error, graph, name_of, see, warned


def with_next(torch, t):
    return see(torch, t), [name_of(n) for n, _ in t.grad_fn.next_functions] if t.grad_fn is not None else None


# ---- what nodes save, and which nodes there are


@case
def an_output_is_saved_even_if_only_the_gradient_of_another_input_needs_it(torch):
    matrix, ones = torch.tensor([[2.0, 0.0], [0.0, 4.0]]), torch.ones(2, 2)

    def changed(make):
        x = ones.clone().requires_grad_()
        y = make(x)
        y.add_(1)
        return error(lambda: y.sum().backward()).get("message", "")[:80]

    return [
        changed(make)
        for make in (
            lambda x: torch.copysign(ones, x),
            lambda x: x.pow(ones),
            lambda x: torch.ldexp(x, ones),
            lambda x: torch.linalg.solve(matrix, x),
            lambda x: torch.linalg.solve_triangular(matrix, x, upper=True),
            lambda x: torch.cholesky_solve(x, matrix),
            lambda x: torch.linalg.det(x + matrix),
            lambda x: x * ones,
        )
    ]


@case
def a_rounded_quotient_saves_its_operands(torch):
    found = []
    for mode in ("floor", "trunc", None):
        x, y = torch.ones(2, requires_grad=True), torch.full((2,), 3.0, requires_grad=True)
        one, both = x.div(3, rounding_mode=mode), x.div(y, rounding_mode=mode)
        saved = see(torch, [both.grad_fn._saved_self, both.grad_fn._saved_other])
        one.sum().backward()
        with torch.no_grad():
            y.add_(1)
        found.append([saved, *(error(lambda t=t: t.sum().backward())["message"][:60] for t in (one, both))])
    return found


@case
def complex_saves_its_parts(torch):
    x = torch.ones(2, requires_grad=True)
    real, imag, constant = x * 2, x * 3, torch.ones(2)
    z, half = torch.complex(real, imag), torch.complex(constant, imag)
    constant.add_(1)
    saved = see(torch, [z.grad_fn._saved_real, z.grad_fn._saved_imag])
    torch.view_as_real(half).sum().backward()
    real.add_(1)
    return saved, see(torch, x.grad), error(lambda: torch.view_as_real(z).sum().backward())["message"][:80]


@case
def what_was_saved_is_looked_at_even_without_a_gradient(torch):
    class Nothing(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return y * 2

        @staticmethod
        def backward(ctx, g):
            return None, g * 2

    found = []
    for make in (lambda x: x.softmax(0), lambda x: x.exp(), lambda x: x.std(0, keepdim=True)):
        x = torch.tensor([0.5, 1.5], requires_grad=True)
        y = make(x)
        y.add_(1)
        z = Nothing.apply(y, x)
        found.append(error(lambda: z.sum().backward()).get("message", "")[:80])  # noqa: B023
    return found


@case
def the_determinant_saves_its_result(torch):
    y = torch.linalg.det(torch.tensor([[1.0, 2.0], [3.0, 5.0]], dtype=torch.float64, requires_grad=True))
    return see(torch, [y.grad_fn._saved_result, y.grad_fn._saved_A])


@case
def second_derivatives_of_the_determinant(torch):
    a = torch.tensor([[1.0, 2.0], [3.0, 5.0]], dtype=torch.float64, requires_grad=True)
    (g,) = torch.autograd.grad(torch.linalg.det(a), a, create_graph=True)
    (g * g).sum().backward()
    return see(torch, a.grad)


@case
def losses_of_two_dtypes_are_one_node(torch):
    F = torch.nn.functional
    single = torch.tensor([1.0, 2.5], requires_grad=True)
    double = torch.tensor([1.5, -2.0], dtype=torch.float64, requires_grad=True)
    integers = torch.tensor([1, 3])
    found = []
    for loss in (F.mse_loss, F.smooth_l1_loss, F.huber_loss, F.l1_loss, torch.dist):
        for pair in ((single, double), (double, single), (single, integers), (integers, double)):
            try:
                y = loss(*pair)
            except RuntimeError as e:
                found.append(str(e))
                continue
            grads = torch.autograd.grad(y, [t for t in pair if t.requires_grad]) if loss is not F.huber_loss else None
            found.append([with_next(torch, y), see(torch, grads)])
    return found


@case
def second_derivatives_of_losses_of_two_dtypes(torch):
    F = torch.nn.functional
    found = []
    for loss in (F.mse_loss, F.smooth_l1_loss):
        x = torch.tensor([1.0, 2.5], requires_grad=True)
        y = torch.tensor([1.5, 2.0], dtype=torch.float64, requires_grad=True)
        g = torch.autograd.grad(loss(x, y), [x, y], create_graph=True)
        (g[0] * g[0]).sum().backward()
        found.append([[t.detach().tolist(), str(t.dtype), t.requires_grad] for t in (*g, x.grad, y.grad)])
    return found


@case
def losses_save_what_they_are_given(torch):
    target = torch.tensor([1, 3])
    x = torch.tensor([1.0, 2.5], requires_grad=True)
    y = torch.nn.functional.mse_loss(x, target)
    target[0] = 2
    return error(lambda: y.backward())["message"][:80]


@case
def losses_refuse_complex_numbers(torch):
    F = torch.nn.functional
    x, z = torch.ones(2), torch.tensor([1 + 1j, 2])
    return [error(lambda f=f: f(z, x)) for f in (F.mse_loss, F.smooth_l1_loss, F.cosine_similarity)]


@case
def a_product_of_one_row_and_one_column_is_a_dot_product(torch):
    a = torch.tensor([[1.0, 2.0, 3.0]], requires_grad=True)
    return [
        with_next(torch, torch.tensordot(x, y, dims))
        for x, y, dims in ((a, a, ([1], [1])), (a[0], a, ([0], [1])), (a, a, ([0], [0])), (a, a, 2))
    ]


@case
def the_gradient_of_hardsigmoid_depends_on_its_input(torch):
    x = torch.tensor([0.5, 4.0, -3.5], requires_grad=True)
    (g,) = torch.autograd.grad(torch.nn.functional.hardsigmoid(x).sum(), x, create_graph=True)
    return g.requires_grad, g.tolist()


# ---- views and changes in place


@case
def a_view_that_was_not_asked_since_its_base_got_a_history_counts_as_a_leaf(torch):
    def changed(look, change):
        base, factor = torch.ones(4), torch.tensor(2.0, requires_grad=True)
        view = base.view(2, 2)
        base *= factor
        look(view)
        return error(lambda: name_of(change(view).grad_fn))

    looks = (lambda v: None, lambda v: v.requires_grad, lambda v: v.grad_fn, lambda v: v.is_leaf, lambda v: v * 2)
    changes = (lambda v: v.mul_(2), lambda v: v.copy_(torch.ones(2, 2)), lambda v: v.t_())
    return [changed(look, change) for look in looks for change in changes]


@case
def a_view_that_takes_another_shape_without_gradients_is_made_anew(torch):
    x = torch.ones(2, 3, requires_grad=True) * 2
    found = []
    for change in (lambda v: v.t_(), lambda v: v.unsqueeze_(0), lambda v: v.squeeze_(), lambda v: v.transpose_(0, 1)):
        view = x.view(3, 2)
        with torch.no_grad():
            change(view)
        found.append([name_of(view.grad_fn), list(view.shape)])
    return found


@case
def a_function_that_changes_a_leaf_or_its_view(torch):
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            x.mul_(2)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 2

    leaf = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        alone = leaf[()]
    return [error(lambda t=t: Double.apply(t)) for t in (leaf, alone, leaf[:1])]


@case
def a_view_of_what_requires_a_gradient_no_longer(torch):
    base = torch.ones(2, 3, requires_grad=True)
    view = base.T
    base.requires_grad_(False)
    base.mul_(2)
    view.sum().backward()
    return name_of(view.grad_fn), view.requires_grad, view.is_leaf, see(torch, base.grad)


@case
def a_leaf_that_became_part_of_the_graph(torch):
    leaf = torch.ones(2, requires_grad=True)
    y = leaf[...] * 2
    leaf.requires_grad_(False)
    leaf[:1] *= torch.tensor(3.0, requires_grad=True)
    return error(lambda: y.sum().backward())


@case
def gradients_that_were_broadcast_can_be_written_to(torch):
    found = []
    for shape in ((1,), (0,), (1, 1)):
        y = torch.ones(shape, requires_grad=True) * 1
        (g,) = torch.autograd.grad(y.sum(), y)
        found.append(see(torch, g.mul_(2)))
    return found


@case
def one_number_may_be_written_to_elements_that_share_memory(torch):
    number, mask, index = torch.tensor(0.5), torch.tensor([True, False, True]), torch.tensor([1])
    found = []
    for change in (
        lambda t: t.index_fill_(0, index, 0.5), lambda t: t.index_fill_(1, index, number),
        lambda t: t.masked_fill_(mask, 0.5), lambda t: t.masked_fill_(mask, number),
        lambda t: t.index_put_((index,), number), lambda t: t.index_copy_(0, index, torch.ones(1, 3)),
    ):  # fmt: skip
        t = torch.ones(1, 3).expand(2, 3)
        told = [text.partition(" (Trig")[0] for _, text in warned(lambda: error(lambda: change(t)))]  # noqa: B023
        found.append([told, see(torch, t)])
    return found


@case
def what_overlaps_is_refused_before_shapes_and_dtypes(torch):
    integers = torch.tensor([[3], [4], [-3]], dtype=torch.int32)
    column = torch.tensor([[-2, 3, -3], [3, -3, -3]]).select(-1, 0)

    def put():
        column[torch.tensor([True, True])] = column

    return [
        error(lambda: integers.unflatten(0, (-1, 1)).hypot_(integers)),
        error(lambda: integers.hypot_(integers.swapdims(0, 1))),
        error(put),
    ]


# ---- numbers and dtypes


@case
def reciprocals_of_complex_zeros(torch):
    zeros = torch.zeros(3, dtype=torch.complex64)
    return see(torch, [zeros.reciprocal(), zeros.clone().reciprocal_(), zeros**-1, zeros.rsqrt()])


@case
def single_numbers_of_any_dtype_are_in_order(torch):
    found = []
    for t in (torch.tensor(1 + 2j), torch.tensor(True), torch.zeros(0, dtype=torch.complex64), torch.tensor([1 + 2j])):
        for f in (
            lambda t: t.cummax(0), lambda t: t.cummin(0), lambda t: t.kthvalue(1, 0), lambda t: t.mode(0),
        ):  # fmt: skip
            found.append(error(lambda: see(torch, f(t))))  # noqa: B023
    return found


@case
def sums_of_single_numbers_in_vmap(torch):
    vmap, jacfwd = torch.func.vmap, torch.func.jacfwd
    return see(
        torch,
        [
            vmap(lambda x: x.sum())(torch.tensor([1, 2], dtype=torch.int32)),
            vmap(lambda x: x.sum(dtype=torch.float64))(torch.tensor([1, 2], dtype=torch.int32)),
            vmap(lambda x: x.mean(dtype=torch.float64))(torch.tensor([1.0, 2.0])),
            jacfwd(lambda x: torch.view_as_real(x.sum(dtype=torch.complex64)))(torch.tensor(1.0)),
        ],
    )


@case
def choices_between_two_dtypes_have_tangents(torch):
    jvp = torch.func.jvp
    x, y = torch.tensor(-1.5), torch.tensor([[-0.5, -1.75], [0.75, -1.5]])
    mixed = [
        jvp(lambda x, y: torch.view_as_real(torch.where(x > 0, x, torch.view_as_complex(y))), (t, y), (t, y * 2))[1]
        for t in (x, -x)
    ]
    return see(torch, [*mixed, jvp(lambda y: torch.where(y > 0, y.double(), y), (y,), (y,))[1]])


# ---- refusals


@case
def texts_of_changes_that_do_not_fit(torch):
    F = torch.nn.functional
    integers, leaf = torch.zeros(2, 3, dtype=torch.int32), torch.zeros(2, 3, requires_grad=True)
    bytes_ = torch.tensor([1, 2, 3], dtype=torch.uint8)
    return [
        error(f)
        for f in (
            lambda: integers.clamp_(0.6), lambda: integers.clamp_max_(0.6), lambda: integers.long().clamp_min_(0.6),
            lambda: integers.clamp_(max=torch.tensor(0.6)), lambda: leaf.fill_diagonal_(1),
            lambda: leaf[0].fill_diagonal_(1), lambda: torch.square(leaf, out=torch.zeros(2, 3)),
            lambda: F.hardtanh(bytes_), lambda: F.hardtanh(bytes_, 0, 2).tolist(), lambda: F.relu6(bytes_).tolist(),
            lambda: torch.std_mean(integers, dim=3), lambda: integers.var(dim=3),
            lambda: torch.tensor(1.0).unbind(-1), lambda: torch.tensor(1.0).unbind(1),
            lambda: torch.ones(0).put_(torch.tensor([0]), torch.ones(1)),
            lambda: leaf.detach().index_add_(1, torch.tensor([0]), torch.ones(2)),
            lambda: leaf.detach().index_add_(0, torch.tensor([0]), torch.tensor(1.0)),
            lambda: leaf.detach().index_add_(0, torch.tensor([0, 1]), torch.tensor(1.0)),
        )
    ]  # fmt: skip


@case
def backward_asks_for_one_number_before_all_else(torch):
    x = torch.ones(3, 2, requires_grad=True) * 2
    part = x.split(1)[0]
    x -= 1
    return error(lambda: part.backward())


# ---- where results lie in memory


@case
def matrices_of_decompositions_lie_column_by_column(torch):
    a = torch.tensor([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]], dtype=torch.float64)
    b = torch.arange(6.0, dtype=torch.float64).reshape(3, 2)
    many = torch.stack([a, a + torch.eye(3, dtype=torch.float64)])
    linalg = torch.linalg
    found = []
    for results in (
        linalg.qr(a), linalg.qr(b), linalg.qr(b, mode="complete"), linalg.qr(many), [linalg.solve(a, b)],
        [linalg.solve(a, b.mT, left=False)], [linalg.solve(many, many)], [linalg.solve(many, b.mT[0])],
        [linalg.inv(a)], [linalg.inv(many)], [linalg.cholesky(a)], [linalg.cholesky(a, upper=True)],
        [torch.cholesky_inverse(a)], [torch.cholesky_solve(b, a)], linalg.eigh(a), linalg.eig(a), linalg.svd(b),
        linalg.svd(b, full_matrices=False), linalg.lu_factor(a), [linalg.lu_solve(*linalg.lu_factor(a), b)],
        linalg.lu(a), linalg.ldl_factor(a), [linalg.lstsq(a, b).solution], [linalg.pinv(b)], [linalg.matrix_exp(a)],
        [linalg.solve_triangular(a, b, upper=True)], [linalg.solve_triangular(a, b.mT, upper=True, left=False)],
        torch.geqrf(b),
    ):  # fmt: skip
        found.append([list(t.stride()) for t in results])
    return found


@case
def results_of_what_is_transposed(torch):
    a = torch.arange(6.0).reshape(2, 3).mT
    cube = torch.arange(24.0).reshape(2, 3, 4).transpose(0, 2)
    index = torch.tensor([[0, 1], [1, 0], [2, 1]])
    results = (
        a.cumsum(0), a.cumprod(1), *a.cummax(0), *a.cummin(1), a.logcumsumexp(0), a.scatter(0, index, 1.0),
        a.scatter(0, index, a), a.scatter_add(0, index, a), a.index_copy(0, index[0], a[:2]),
        a.index_add(0, index[0], a[:2]), a.index_fill(0, index[0], 1.0), a.masked_fill(a > 0, 1.0),
        a.masked_scatter(a > 0, a), *a.sort(0), *a.sort(1, descending=True), a.argsort(0), torch.complex(a, a),
        torch.polar(a, a), torch.nn.functional.logsigmoid(a), a.renorm(2, 0, 1.0), torch.cdist(a, a),
        cube.sum(1), cube.mean(1, keepdim=True), cube.amax(1), cube.amin(1), *cube.max(1), *cube.aminmax(dim=1),
        cube.prod(1), cube.var(1), cube.std(1), cube.logsumexp(1), cube.norm(dim=1), (cube > 1).any(1),
        (cube > 1).all(1), cube.long().sum(1), cube.half().sum(1), torch.linalg.vector_norm(cube, float("inf"), 1),
    )  # fmt: skip
    return [list(t.stride()) for t in results]


# ---- out= and what requires a gradient


@case
def out_is_refused_for_what_requires_a_gradient_before_all_else(torch):
    x = torch.ones(2, requires_grad=True)
    y, integers = torch.zeros(2), torch.zeros(2, dtype=torch.int64)
    return [
        error(call)
        for call in (
            lambda: torch.mm(x, x, out=y), lambda: torch.floor(x * 1j, out=y), lambda: torch.amax(x * 1j, out=y),
            lambda: torch.add(x, torch.zeros(3), out=y), lambda: torch.cat([x, x[None]], out=y),
            lambda: torch.gather(x, 0, x, out=y), lambda: torch.dot(x, integers, out=y[0]),
            lambda: torch.sum(x, 5, out=y), lambda: torch.masked_select(y, y > 0, out=integers),
            lambda: torch.ones(2).set_(torch.ones(2, dtype=torch.int8)),
        )
    ]  # fmt: skip


@case
def out_of_what_nobody_differentiates(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    flags, numbers = torch.zeros(2, dtype=torch.bool), torch.zeros((), dtype=torch.int64)
    found = [
        see(torch, f(*args, out=out))
        for f, args, out in (
            (torch.eq, (x, x), flags), (torch.lt, (x, 1), flags), (torch.logical_not, (x,), flags),
            (torch.argmax, (x,), numbers), (torch.any, (x, 0), flags[0]), (torch.eq, (x, x), y), (torch.eq, (x, x), x),
        )
    ]  # fmt: skip
    return found, y._version, x._version


# ---- errors of what was changed, and of what is empty


@case
def products_ask_whether_a_leaf_may_be_changed_first(torch):
    x = torch.ones(2, 2, requires_grad=True)
    return [
        error(call)
        for call in (
            lambda: x.addmm_(x, torch.ones(3, 3)), lambda: x.baddbmm_(x, x), lambda: x.addmv_(x, x),
            lambda: x.addr_(x, x), lambda: x.t().addmm_(x, torch.ones(3, 3)), lambda: x.fill_(torch.ones(2)),
        )
    ]  # fmt: skip


@case
def nothing_written_into_itself(torch):
    empty, rows = torch.zeros(0), torch.zeros(2, 0)
    nowhere = torch.tensor([], dtype=torch.int64)
    return [
        error(call)
        for call in (
            lambda: empty.index_put_((nowhere,), empty), lambda: empty.__setitem__(empty > 0, empty),
            lambda: rows.__setitem__([0, 0], rows), lambda: rows.scatter_(0, rows.long(), rows),
        )
    ]  # fmt: skip


@case
def refusals_of_reductions_and_samples(torch):
    number, halves = torch.tensor(1.0), torch.ones(2).half()
    return [
        error(call)
        for call in (
            lambda: torch.ones(0, 2).amax(-2), lambda: torch.ones(2, 0).amin((-1, 0)),
            lambda: torch.nanquantile(halves, 0.5), lambda: torch.nanquantile(torch.ones(2), 1.5),
            lambda: torch.cumulative_trapezoid(number), lambda: torch.trapezoid(number, number),
            lambda: torch.gradient(number, dim=-1), lambda: torch.linalg.matrix_norm(halves[None], "nuc"),
            lambda: torch.linalg.det(halves[None, :1]), lambda: torch.linalg.eigvalsh(halves[None, :1]),
            lambda: torch.linalg.qr(halves[None]), lambda: torch.ones(2).combinations(), lambda: torch.ones(2).rsub(1),
        )
    ]  # fmt: skip


@case
def a_leaf_that_wants_no_gradient_any_more_tells_its_hooks(torch):
    x = torch.tensor(0.5, requires_grad=True)
    y, seen = x * x, []
    x.register_post_accumulate_grad_hook(lambda t: seen.append(t.grad))
    x.requires_grad_(False)
    y.backward()
    return seen, x.grad


# ---- nodes


@case
def nodes_of_norms_and_samples(torch):
    x = torch.tensor([[1.0, 2.0, 4.0], [3.0, 5.0, 1.0]], requires_grad=True)
    F = torch.nn.functional
    return [
        graph(t.grad_fn)
        for t in (
            F.group_norm(x[None] * 1, 2, x[:, 0]), F.group_norm(x[None] * 1, 2, None, x[:, 0]),
            F.rms_norm(x.t(), (2,), x[:, 0]), F.rms_norm(x.t(), (2,)), F.rms_norm(x, (3,), x[0]),
            torch.gradient(x, dim=-1)[0], torch.gradient(x, dim=-1, edge_order=2)[0],
            torch.gradient(x, spacing=3, dim=-1)[0],
        )
    ]  # fmt: skip


@case
def cumprod_of_one_element_passes_gradients_on(torch):
    x = torch.tensor([[1.5, 2.0]], dtype=torch.float64, requires_grad=True)
    y = torch.tensor([[1 + 1j, 2.0]], requires_grad=True)
    (grad,) = torch.autograd.grad(x.cumprod(0).sum(), x, create_graph=True)
    (turned,) = torch.autograd.grad(y.cumprod(0).abs().sum(), y)
    return see(torch, grad), see(torch, turned)


@case
def square_within_a_checkpoint_that_ends_early(torch):
    from importlib import import_module

    checkpoint = import_module(f"{torch.__name__}.utils.checkpoint").checkpoint
    x = torch.tensor(0.5, requires_grad=True)
    y = x * 3
    z = checkpoint(lambda p, q: q.square(), x, y, use_reentrant=False)
    return see(torch, torch.autograd.grad((z - z * 0.5).sin(), y)[0]), error(lambda: torch.square("x"))


# ---- transforms


@case
def pullbacks_are_of_numbers_with_a_fraction(torch):
    x = torch.tensor([1.0, 2.0])
    func = torch.func
    return [
        error(call)
        for call in (
            lambda: func.jacrev(torch.argmax)(x), lambda: func.vjp(lambda p: p > 0, x),
            lambda: func.hessian(torch.argmax)(x), lambda: func.vmap(func.jacrev(lambda p: p.argmax()))(x[None]),
        )
    ]  # fmt: skip


@case
def tangents_of_products_depend_on_their_values(torch):
    """The zeros that stand for the tangents of constants are multiplied, too."""
    x = torch.tensor([0.5, -1.5], dtype=torch.float64, requires_grad=True)
    v, c = torch.ones(2, dtype=torch.float64), torch.tensor([2.0, 3.0], dtype=torch.float64)
    w = torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=torch.float64)
    F = torch.nn.functional
    functions = (
        lambda p: p * 2, lambda p: p * c, lambda p: p / 2, lambda p: p + c, lambda p: p.dot(c), lambda p: w @ p,
        lambda p: torch.lerp(p, c, 0.3), lambda p: torch.addcmul(c, p, c), lambda p: torch.addcmul(p, c, c),
        lambda p: torch.maximum(p, c), lambda p: torch.where(c > 0, p, c), lambda p: F.linear(p, w),
        lambda p: torch.addmv(p, w, c), lambda p: torch.addmv(c, w, p), lambda p: p.clone().mul_(c), lambda p: p.sum(),
    )  # fmt: skip
    found = []
    for f in functions:
        slope = torch.func.jvp(f, (x,), (v,))[1]
        found.append((slope.tolist(), slope.requires_grad))
    slope = torch.func.jacfwd(lambda p: p * 2)(x)
    found.append((slope.tolist(), slope.requires_grad, (torch.autograd.grad(slope.sum(), x)[0] + 1).tolist()))
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x, v)
        slope = torch.autograd.forward_ad.unpack_dual(dual * 3).tangent
        found.append((slope.tolist(), slope.requires_grad))
    hessian = torch.autograd.functional.hessian
    forward = hessian(lambda p: (p**3).sum(), c, vectorize=True, outer_jacobian_strategy="forward-mode")
    return found, forward.tolist(), forward.requires_grad


@case
def strict_products_with_hessians(torch):
    x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 1.0])
    functional = torch.autograd.functional
    inf = float("inf")

    def refusal(f, product, create):
        return error(lambda: product(f, (x, y), (x, y), strict=True, create_graph=create))

    return [
        refusal(f, product, create)
        for f in (lambda p, q: (p * q).sum(), lambda p, q: p.norm(inf) + q.norm(inf))
        for product, create in (
            (functional.vhp, True), (functional.hvp, True), (functional.hvp, False),
        )
    ]  # fmt: skip


@case
def extreme_places_of_scatter_reduce_in_nested_transforms(torch):
    x = torch.tensor([[-0.16, -1.88], [1.3, -0.67]], dtype=torch.float64)
    func, found = torch.func, []
    for reduce in ("amax", "amin"):
        for include in (True, False):

            def f(p, reduce=reduce, include=include):
                return p.sin().scatter_reduce(-1, torch.tensor([0, 0]), p * 2, reduce, include_self=include).sum()

            found.append(func.jvp(func.vmap(func.jacfwd(f)), (x,), (x,))[1].tolist())
            found.append(func.jacrev(func.vmap(func.jacrev(f)))(x).tolist())
    return found


# ---- a second round


@case
def a_node_whose_tensor_is_asked_for_is_run(torch):
    """``backward(inputs=[y])`` runs the node of ``y`` for its hooks: so it needs what that has saved."""

    def refusal(before):
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        y = x.sin()
        z = y * y
        before(x, y)
        message = error(lambda: z.sum().backward(inputs=[y])).get("message", "")[:60]
        return message, None if y.grad is None else see(torch, y.grad)

    def change(x, y):
        with torch.no_grad():
            x.mul_(2)

    return [refusal(lambda x, y: y.sum().backward()), refusal(change), refusal(lambda x, y: None)]


@case
def nodes_of_quantiles_and_combinations(torch):
    x, rows = torch.tensor([1.0, 2.0, 3.0], requires_grad=True), torch.ones(2, 3, requires_grad=True)
    scalar, weights = torch.tensor(1.0, requires_grad=True), torch.tensor([0.2], requires_grad=True)
    prelu = torch.nn.functional.prelu
    return [
        graph(t.grad_fn)
        for t in (
            x.quantile(0.6), rows.quantile(0.6), rows.quantile(0.6, dim=1, keepdim=True), torch.nanquantile(x, 0.7),
            torch.combinations(x, 2), torch.combinations(x, 3, True), prelu(scalar, weights[0]), prelu(scalar, scalar),
        )
    ]  # fmt: skip


@case
def values_of_quantiles_and_combinations(torch):
    x, cube = torch.tensor([3.0, 1.0, 2.0]), torch.arange(24.0).reshape(2, 3, 4).flip(1)
    q = torch.tensor([0.2, 0.5])
    return [
        see(torch, t)
        for t in (
            cube.quantile(0.3), cube.quantile(0.3, keepdim=True), cube.quantile(q), cube.quantile(q, dim=1),
            cube.quantile(q, dim=1, keepdim=True), cube.quantile(0.3, dim=-1), x.quantile(q, interpolation="lower"),
            torch.combinations(x, 2), torch.combinations(x, 2, True), torch.combinations(x, 1),
            torch.combinations(x[:0], 2),
        )
    ]  # fmt: skip


@case
def dtypes_and_dimensions_that_are_refused(torch):
    number, bytes_ = torch.tensor(1.0), torch.ones(2, 2, dtype=torch.uint8)
    return [
        error(call)
        for call in (
            lambda: torch.triu(torch.ones(2, 2), out=torch.zeros(2, 2, dtype=torch.float64)),
            lambda: torch.tril(bytes_, out=torch.zeros(2, 2)), lambda: number.cummax(-2), lambda: number.cummin(3),
            lambda: torch.nn.functional.normalize(bytes_, dim=5), lambda: torch.linalg.pinv(torch.eye(2).half()),
            lambda: torch.linalg.matrix_rank(torch.eye(2).half()),
        )
    ]  # fmt: skip


@case
def nan_to_num_of_complex_numbers_that_are_not_recorded(torch):
    x = torch.tensor([1 + 1j], requires_grad=True) * 1
    with torch.no_grad():
        found = torch.nan_to_num(x)
    return see(torch, found), error(lambda: torch.nan_to_num(x))


@case
def tangents_are_not_the_given_ones(torch):
    forward_ad = torch.autograd.forward_ad
    x = torch.tensor([[1.0, 2.0]])
    with forward_ad.dual_level():
        slope = forward_ad.unpack_dual(forward_ad.make_dual(x, x).cumprod(0)).tangent
    slope -= 2
    return see(torch, x), see(torch, slope)


@case
def products_of_scattered_elements_with_zeros(torch):
    found = []
    for values in ([0.0, 2.0, 3.0], [0.0, 0.0, 3.0], [1.0, 2.0, 3.0]):
        for include in (True, False):
            x = torch.tensor([1.0, 0.0, 2.0], requires_grad=True)
            y = torch.tensor(values, requires_grad=True)
            z = x.scatter_reduce(0, torch.tensor([0, 0, 1]), y, "prod", include_self=include)
            grads = torch.autograd.grad((z * z).sum(), [x, y], create_graph=True)
            found.append([g.tolist() for g in grads])
            found.append(error(lambda: torch.autograd.grad(sum((g * g).sum() for g in grads), [x, y])))  # noqa: B023
    return found


@case
def linearize_of_what_changes_its_own_results(torch):
    def f(x):
        y = x.exp()
        z = y * y
        y.mul_(2)
        return z + y

    x = torch.tensor([0.5, -1.0], dtype=torch.float64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value, push = torch.func.linearize(f, x)
        return see(torch, value), see(torch, push(x.cos()))


@case
def expanded_tensors_copied_into_themselves(torch):
    x = torch.ones(()).expand(2)
    x[None] = x
    x.copy_(x.view(2))
    flags = torch.ones(3, requires_grad=True)
    return see(torch, x), x._version, error(lambda: x.copy_(x.clone())), error(
        lambda: flags.logical_and_(torch.ones(1, 3))
    )


@case
def what_only_moves_elements_has_its_own_memory(torch):
    F, x = torch.nn.functional, torch.arange(8.0).reshape(1, 4, 1, 2)
    makers = (
        lambda: F.channel_shuffle(x, 1), lambda: F.channel_shuffle(x[:, :2], 2), lambda: F.unfold(x, 1),
        lambda: F.pixel_shuffle(x, 1), lambda: F.pixel_unshuffle(x, 1), lambda: x.roll(0, 0), lambda: F.pad(x, (0, 0)),
    )  # fmt: skip
    return [(make().mul_(2).tolist(), x.tolist()) for make in makers]


@case
def a_tensor_from_a_checkpoint_is_asked_for(torch):
    from importlib import import_module

    checkpoint = import_module(f"{torch.__name__}.utils.checkpoint").checkpoint
    x = torch.tensor([0.5, 2.0], requires_grad=True)
    y = checkpoint(lambda p: p.sin() * p, x, use_reentrant=False)
    y.cos().sum().backward(inputs=[y], retain_graph=True)
    return see(torch, y.grad), x.grad
