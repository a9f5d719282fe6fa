"""Corners of the interface that programs lean on without saying so."""

from __future__ import annotations

import functools
import warnings
from unittest import mock

from .observe import case, error, see

# ---- modes and settings


@case
def a_partial_application_is_decorated_like_its_function(torch):
    x = torch.ones(2, requires_grad=True)

    def steps(factor, t):
        yield (t * factor).requires_grad
        yield torch.is_grad_enabled()

    def step(factor, t):
        return (t * factor).requires_grad

    generator, function = functools.partial(steps, 2), functools.partial(functools.partial(step), 3)
    return list(torch.no_grad()(generator)(x)), torch.no_grad()(function)(x), torch.is_grad_enabled()


@case
def settings_of_compiling_are_patched_by_mock(torch):
    import importlib

    config = importlib.import_module(f"{torch.__name__}._dynamo.config")
    with mock.patch.object(config, "suppress_errors", True):
        within = config.suppress_errors
    return within, config.suppress_errors


@case
def layouts_have_names(torch):
    return [str(getattr(torch, name)) for name in ("sparse_csc", "sparse_bsr", "sparse_bsc", "jagged")]


# ---- what cannot be taken away from tensors


@case
def what_a_tensor_must_have_is_not_deleted(torch):
    x = torch.ones(2, requires_grad=True)
    names = ("data", "requires_grad", "_grad_fn", "_backward_hooks")
    return [error(lambda name=name: delattr(x, name)) for name in names]


@case
def data_of_another_layout_is_refused(torch):
    dense, sparse = torch.ones(2), torch.ones(2).to_sparse()
    return [error(lambda: setattr(dense, "data", sparse)), error(lambda: setattr(sparse, "data", dense))]


@case
def hooks_of_saved_tensors_are_two_functions(torch):
    y = torch.ones(2, requires_grad=True).exp()
    saved = y.grad_fn._raw_saved_result
    wrong = ((1, 1), (len,), (), (len, 1), (len, len, len))
    return [error(lambda hooks=hooks: saved.register_hooks(*hooks))["message"][:60] for hooks in wrong]


@case
def only_nodes_are_asked_whether_they_run(torch):
    y = torch.ones(2, requires_grad=True) * 2
    return [error(lambda v=v: torch._C._will_engine_execute_node(v)) for v in (y, None, 3, y.grad_fn)]


# ---- forward mode


@case
def a_dual_detached_in_place_has_no_tangent(torch):
    forward_ad = torch.autograd.forward_ad
    x, t = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(x, t).clone()
        returned = dual.detach_()
        value, tangent = forward_ad.unpack_dual(dual * 2)
        return returned is dual, see(torch, dual), see(torch, value), tangent


def _with_jvp(torch, forward, jvp, change=False):
    forward_ad = torch.autograd.forward_ad

    class Custom(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            if change:
                ctx.mark_dirty(x)
            return forward(x)

        @staticmethod
        def jvp(ctx, x):
            return jvp(x)

    tangent = torch.ones(2, 2)
    with forward_ad.dual_level():
        out = Custom.apply(forward_ad.make_dual(torch.ones(2, 2), tangent))
        found = forward_ad.unpack_dual(out).tangent
        return see(torch, found), found is tangent, found._base is tangent


@case
def the_tangent_of_a_view_is_a_view_of_the_tangent(torch):
    ways = [
        (lambda x: x, lambda t: t),
        (lambda x: x, lambda t: t.view_as(t)),
        (lambda x: x, lambda t: t * 2),
        (lambda x: x[:1], lambda t: t[:1]),
        (lambda x: x[:1], lambda t: t),
        (lambda x: x[:1], lambda t: t[:1].clone()),
        (lambda x: x * 2, lambda t: t),
    ]
    return [error(lambda way=way: _with_jvp(torch, *way)) for way in ways]


@case
def the_tangent_of_what_is_changed_in_place_is_changed_in_place(torch):
    ways = (
        lambda t: t.mul_(2),
        lambda t: t * 2,
        lambda t: t,
        lambda t: t.clone().mul_(2),
        lambda t: t.mul_(2).view_as(t),
    )
    return [error(lambda way=way: _with_jvp(torch, lambda x: x.mul_(2), way, True)) for way in ways]


@case
def gradcheck_asks_for_tangents_of_what_has_none(torch):
    calls = []

    class Custom(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x.clone(), y.clone()

        @staticmethod
        def jvp(ctx, x, y):
            calls.append(1)
            return x, y

    def count(y, **options):
        calls.clear()
        x = torch.ones(1, dtype=torch.float64, requires_grad=True)
        options = {"check_forward_ad": True, "check_backward_ad": False, "check_batched_grad": False, **options}
        torch.autograd.gradcheck(Custom.apply, (x, y), **options)
        return len(calls)

    y = torch.ones(1, dtype=torch.float64)
    return [
        count(v, check_undefined_grad=undefined, check_batched_forward_grad=batched)
        for v in (y, y.clone().requires_grad_())
        for undefined in (False, True)
        for batched in (False, True)
    ]


# ---- sparse gradients and sums


def _sparse(torch):
    places = torch.tensor([[0, 1], [0, 2]])
    return torch.sparse_coo_tensor(places, torch.tensor([[1.0, 2.0], [3.0, 4.0]]), (3, 3, 2), check_invariants=True)


@case
def a_function_may_return_sparse_gradients(torch):
    class Given(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, g):
            ctx.save_for_backward(g)
            return x

        @staticmethod
        def backward(ctx, g):
            return ctx.saved_tensors[0], None

    given = {"s": _sparse(torch), "d": torch.ones(3, 3, 2)}

    def summed(order):
        x = torch.ones(3, 3, 2, requires_grad=True)
        sum(Given.apply(x, given[c]) for c in order).sum().backward()
        return str(x.grad.layout), x.grad.to_dense().tolist()

    return [summed(order) for order in ("s", "d", "ss", "sd", "ds", "sds")]


@case
def a_function_sees_sparse_gradients(torch):
    seen = []

    class Seen(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x + y

        @staticmethod
        def backward(ctx, g):
            seen.append((str(g.layout), g._values().tolist()))
            return g, g

    x, y = torch.ones(4, 2, requires_grad=True), torch.ones(4, 2, requires_grad=True)
    places = torch.tensor([1, 2, 1])
    torch.nn.functional.embedding(places, Seen.apply(x, y), sparse=True).sum().backward()
    return seen, [(str(t.grad.layout), t.grad.to_dense().tolist()) for t in (x, y)]


@case
def sums_of_sparse_gradients_that_are_in_order_list_each_place_once(torch):
    class Given(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, g):
            ctx.g = g
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            return ctx.g, None

    def summed(*given):
        x = torch.ones(3, 3, 2, requires_grad=True)
        sum(Given.apply(x, g) for g in given).sum().backward()
        return x.grad.is_coalesced(), x.grad._indices().tolist(), x.grad._values().tolist()

    def told(g):
        return type(g.grad_fn).__name__, g._values().tolist()

    one = _sparse(torch)
    other = torch.sparse_coo_tensor(torch.tensor([[0, 0], [0, 1]]), torch.ones(2, 2), (3, 3, 2), check_invariants=True)
    a, b = one.coalesce(), other.coalesce()
    w, factor = torch.ones(3, 2, requires_grad=True), torch.tensor(2.0, requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (torch.nn.functional.embedding(torch.tensor([1, 2]), w, sparse=True) * factor).sum().backward(create_graph=True)
    return [summed(*given) for given in ((one,), (a,), (one, other), (a, b), (a, other), (a, b, a))], told(w.grad)


@case
def sparse_gradients_share_no_memory(torch):
    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y, g):
            ctx.g = g
            return x + y

        @staticmethod
        def backward(ctx, g):
            return ctx.g, ctx.g, None

    told = []
    for create_graph in (False, True):
        for hooked in (False, True):
            x, y = torch.ones(3, 3, 2, requires_grad=True), torch.ones(3, 3, 2, requires_grad=True)
            if hooked:
                x.register_hook(lambda g: g)
            given = _sparse(torch)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                Same.apply(x, y, given).sum().backward(create_graph=create_graph)
            x.grad._values().zero_()
            y.grad._indices().zero_()
            told.append([see(torch, t) for g in (x.grad, y.grad, given) for t in (g._indices(), g._values())])
    return told


@case
def a_sparse_gradient_is_added_in_place_to_a_sparse_one(torch):
    def kept(before, g):
        x = torch.ones(3, 3, 2, requires_grad=True)
        x.grad = before
        x.backward(g)
        return x.grad is before, str(x.grad.layout), x.grad.to_dense().tolist()

    kinds = (lambda: _sparse(torch), lambda: torch.ones(3, 3, 2))
    return [kept(before(), g()) for before in kinds for g in kinds]


@case
def sparse_gradients_of_gathered_numbers(torch):
    def gradient(x, places):
        x.requires_grad_()
        torch.gather(x, 0, places, sparse_grad=True).sum().backward()
        return list(x.grad._indices().shape), x.grad._values().tolist(), x.grad.to_dense().tolist()

    return [
        gradient(torch.tensor(3.0), torch.tensor(0)),
        gradient(torch.tensor(3.0), torch.tensor([0, 0])),
        gradient(torch.ones(3), torch.tensor(1)),
        gradient(torch.ones(3), torch.tensor([], dtype=torch.int64)),
    ]


@case
def sums_of_sparse_tensors_of_several_dtypes(torch):
    def tensor(dtype, is_sparse):
        t = torch.tensor([1, 0, 1]).to(dtype)
        return t.to_sparse() if is_sparse else t

    def computed(name, a, b, layouts):
        t = getattr(tensor(a, layouts[0]), name)(tensor(b, layouts[1]))
        return str(t.dtype), str(t.layout), t.to_dense().tolist()

    kinds = (torch.float32, torch.int64, torch.uint8, torch.bool)
    return {
        f"{name} {a} {b} {layouts}": error(lambda name=name, a=a, b=b, layouts=layouts: computed(name, a, b, layouts))
        for name in ("add", "sub", "mul", "add_", "sub_", "mul_")
        for a in kinds
        for b in kinds
        for layouts in ((True, True), (False, True))
    }


# ---- transforms


@case
def what_a_function_returns_beside_must_be_tensors(torch):
    func, x = torch.func, torch.tensor([1.0, 2.0])
    ways = (
        lambda aux: func.grad(lambda x: (x.sum(), aux), has_aux=True)(x),
        lambda aux: func.grad_and_value(lambda x: (x.sum(), aux), has_aux=True)(x),
        lambda aux: func.vjp(lambda x: (x, aux), x, has_aux=True)[2],
        lambda aux: func.jvp(lambda x: (x, aux), (x,), (x,), has_aux=True)[2],
        lambda aux: func.jacrev(lambda x: (x, aux), has_aux=True)(x)[1],
        lambda aux: func.jacfwd(lambda x: (x, aux), has_aux=True)(x)[1],
    )
    beside = (1, "a", None, [x, 1], (x,))
    return [error(lambda way=way, aux=aux: see(torch, way(aux))) for way in ways for aux in beside]


@case
def transforms_of_reverse_mode_refuse_hooks_of_saved_tensors(torch):
    func, x = torch.func, torch.tensor([1.0, 2.0])
    hooks = torch.autograd.graph.save_on_cpu

    def plain(x):
        return x.sin().sum()

    def hooked(x):
        with hooks():
            return plain(x)

    ways = (
        lambda f: func.grad(f)(x),
        lambda f: func.vjp(f, x)[0],
        lambda f: func.jacrev(f)(x),
        lambda f: func.hessian(f)(x),
        lambda f: func.jvp(f, (x,), (x,)),
        lambda f: func.vmap(f)(x),
    )

    def around(way):
        with hooks():
            return see(torch, way(plain))

    return [
        (error(lambda way=way: see(torch, way(hooked))), error(lambda way=way: around(way))) for way in ways
    ]


@case
def gradients_are_not_retained_inside_transforms(torch):
    func, x = torch.func, torch.tensor([1.0, 2.0])

    def f(x):
        y = x.sin()
        y.retain_grad()
        return y.sum()

    ways = (lambda: func.grad(f)(x), lambda: func.vjp(f, x)[0], lambda: func.vmap(f)(x))
    return [error(lambda way=way: see(torch, way())) for way in ways]


# ---- forms of operators


@case
def sizes_must_be_given(torch):
    t = torch.ones(2, 2)
    return [error(lambda name=name: getattr(t, name)()) for name in ("flip", "tile", "sum_to_size", "resize_")]


@case
def memory_formats_of_other_ranks(torch):
    names = ("channels_last", "channels_last_3d", "contiguous_format", "preserve_format")
    shapes = ((2, 3), (2, 3, 4, 4), (2, 3, 2, 4, 4), (1, 1, 1, 1))
    asked = [
        torch.ones(shape).is_contiguous(memory_format=getattr(torch, name)) for shape in shapes for name in names
    ]
    like = torch.ones(2, 3, 2, 4, 4).contiguous(memory_format=torch.channels_last_3d)
    resized = torch.ones(like.numel()).resize_as_(like, memory_format=torch.preserve_format)
    refused = error(lambda: torch.ones(4).resize_((2, 2), memory_format=torch.preserve_format))
    return asked, list(resized.stride()), refused


@case
def out_of_all_and_any_holds_booleans(torch):
    t = torch.tensor([[1.0, 0.0], [1.0, 1.0]])
    kinds = (torch.bool, torch.uint8, torch.int8, torch.int64, torch.float32)
    return [
        error(lambda fn=fn, kind=kind, dim=dim: see(torch, fn(t, *dim, out=torch.empty(0, dtype=kind))))
        for fn in (torch.all, torch.any)
        for kind in kinds
        for dim in ((), (0,))
    ]


@case
def unique_by_its_old_name(torch):
    t = torch.tensor([[3, 1, 3]])
    return see(torch, [torch._unique2(t), torch._unique2(t, True, True, True), torch._unique2(t, return_counts=True)])


@case
def rows_of_numbers_keep_the_shape_of_an_out_with_as_many_elements(torch):
    ways = (
        lambda out: torch.arange(0, 4, out=out),
        lambda out: torch.linspace(0, 3, 4, out=out),
        lambda out: torch.logspace(0, 3, 4, base=2, out=out),
    )
    views = (lambda t: t[:, 1:], lambda t: t.t()[:2], lambda t: t[:, :2].t(), lambda t: t[:0])

    def written(way, view):
        t = torch.zeros(2, 3)
        out = view(t)
        return way(out) is out, list(out.shape), t.tolist()

    return [written(way, view) for way in ways for view in views]


@case
def the_adjoint_of_a_number_is_its_conjugate(torch):
    names = ("H", "mH", "adjoint")

    def seen(number):
        t = torch.tensor(number, requires_grad=isinstance(number, complex))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            adjoints = [t.H, t.mH, t.adjoint()]
        return dict(zip(names, see(torch, adjoints))), [a is t for a in adjoints]

    return [seen(1 + 2j), seen(2.0)]


@case
def resampling_of_tensors_without_data_makes_no_tables(torch):
    F = torch.nn.functional
    shapes = [list(F.interpolate(torch.empty(2 * 10**8, 3, 2 * 10**8, device="meta"), scale_factor=2).shape)]
    for mode in ("bilinear", "nearest", "nearest-exact", "bicubic"):
        x = torch.empty(2, 3, 10**8, 10**8, device="meta", requires_grad=True)
        y = F.interpolate(x, size=(7, 2 * 10**8), mode=mode)
        y.backward(torch.empty_like(y))
        shapes.append([list(y.shape), str(y.device), list(x.grad.shape), str(x.grad.device)])
    return shapes


@case
def tensors_without_elements_are_set_to_each_other_by_their_storage(torch):
    e, x = torch.tensor([]), torch.ones(3)
    fresh = torch.empty(0, 3), torch.empty(0, 3)
    pairs = ((e, e), (e, torch.tensor([])), (x[:0], x[:0]), fresh, (x, x[:]), (x, x[:2]))
    return [a.is_set_to(b) for a, b in pairs]


@case
def scales_of_losses_do_not_grow_to_infinity(torch):
    seen = []
    for start, factor in ((1e38, 16.0), (3.0, 1.1)):
        weight = torch.ones(2, requires_grad=True)
        optimizer = torch.optim.SGD([weight], lr=0.0)
        scaler = torch.GradScaler("cpu", growth_interval=1, growth_factor=factor, init_scale=start)
        for _ in range(3):
            scaler.scale((weight * 1e-30).sum()).backward()
            scaler.step(optimizer)
            scaler.update()
            seen.append([scaler.get_scale(), scaler._get_growth_tracker()])
    return seen


@case
def division_by_its_old_names(torch):
    x = torch.tensor([3.0, 4.0], requires_grad=True)
    y = x.clone()
    return see(torch, [x.__div__(2), x.__div__(x), y.__idiv__(2), y])
