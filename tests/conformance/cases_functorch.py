"""What programs take from inside PyTorch's transforms: ``torch._functorch`` and ``torch._C._functorch``."""

from __future__ import annotations

from importlib import import_module

from .observe import case, error, see


def inside(torch, name):
    return import_module(f"{torch.__name__}.{name}")


@case
def dimensions_made_one_and_two(torch):
    f = inside(torch, "_C._functorch")
    x = torch.arange(24.0).reshape(2, 3, 4)
    return [
        *[see(torch, f.reshape_dim_into(a, b, x)) for a, b in ((0, 0), (0, 1), (2, 0), (0, -1), (-3, -2), (1, 1))],
        *[see(torch, f.reshape_dim_outof(a, n, x)) for a, n in ((0, 2), (2, 2), (-1, 4))],
        see(torch, f.reshape_dim_outof(-1, 3, torch.ones(2, 0))),
        error(lambda: f.reshape_dim_into(0, 2, x)), error(lambda: f.reshape_dim_into(3, 0, x)),
        error(lambda: f.reshape_dim_outof(3, 1, x)), f.dlevel(x),
    ]  # fmt: skip


@case
def batches_that_stay_where_they_are(torch):
    restore = inside(torch, "_functorch.vmap").restore_vmap
    x, y = torch.arange(6.0).reshape(2, 3), torch.arange(8.0).reshape(4, 2)
    first = restore(lambda x, y: {"a": x[0] + x[1], "b": y}, ((0, None), 1), 2, "error")((x, x[0]), y)
    none = restore(lambda x, y, z: (x, y * z, z), (None, None, None), 2, "error")(x, y, 5)
    free = restore(lambda x, y: (3 * y, y.sum(), None), (0, None), 2, "error")(x, y)
    found = [*first[0].values(), none[0][1], free[0][1]]
    return [see(torch, found), first[1], none[1], free[1]]


@case
def contexts_with_other_saved_tensors(torch):
    made = torch._functorch.autograd_function.CtxWithSavedTensors

    class Context:
        saved_tensors = (1,)
        needs_input_grad = (True,)

    class Taken(Context):
        _pt_inner_ctx = 1

    plain = Context()
    first = made(plain, (2, 3))
    second = made(first, (4,))
    second.said = "so"
    return [
        first.saved_tensors, second.saved_tensors, plain.saved_tensors, second.needs_input_grad, plain.said,
        error(lambda: made(Taken(), ())),
    ]  # fmt: skip


@case
def gradients_of_what_has_no_batch(torch):
    leaf = inside(torch, "_functorch.autograd_function").reductify_leaf
    g = torch.arange(24.0).reshape(2, 3, 4)
    given = [
        (0, None, 2), (1, None, 3, (4,)), (0, 0, 2, (4,)), (0, 0, 2, (1, 4)), (0, 1, 2), (0, 1, 2, (3, 1)),
        (None, 1, 2), (None, 1, 2, (4,)), (None, 3, 5, (2, 1, 4)), (None, None, 2, (4,)), (0, 1, 2, (4,)),
    ]  # fmt: skip
    return [leaf(None, None, 0, 2), *[see(torch, leaf(g, *rest).contiguous()) for rest in given]]


@case
def modules_made_as_functions(torch):
    make = inside(torch, "_functorch.make_functional")
    torch.manual_seed(0)
    weights, function, names = make.functional_init(torch.nn.Linear, (2,))(3, 4)
    one, alone, _ = make.functional_init(torch.nn.Linear)(3, 4)
    scales, buffers, _, named, buffered = make.functional_init_with_buffers(torch.nn.BatchNorm1d, (2,))(3)
    x = torch.arange(12.0).reshape(2, 2, 3)
    return [
        see(torch, list(weights)), names, see(torch, torch.vmap(function)(weights, (x,))),
        see(torch, alone(one, (x[0],))), see(torch, [*scales, *buffers]), named, buffered,
        error(lambda: make.functional_init(torch.nn.Linear, (2, 3))(3, 4)),
        error(lambda: make.functional_init(torch.nn.Linear, (-1,))(3, 4)),
    ]  # fmt: skip


@case
def parts_of_the_dispatcher_left_out(torch):
    c = torch._C
    key, keys = c.DispatchKey.FuncTorchBatched, c.DispatchKeySet(c.DispatchKey.FuncTorchBatched)
    asked = c._dispatch_tls_local_exclude_set
    with c._ExcludeDispatchKeyGuard(keys):
        within = asked().has(key), see(torch, torch.vmap(torch.sum)(torch.ones(2, 3)))
    return [*within, asked().has(key), (keys | c.DispatchKeySet(c.DispatchKey.CPU)).has(c.DispatchKey.CPU)]


@case
def what_programs_reach_for(torch):
    c, x = torch._C, torch.rand(4)
    c._set_cached_tensors_enabled(True)
    c._add_cached_tensor(x)
    cached = [c._is_cached_tensor(x)]
    c._remove_cached_tensor(x)
    cached.append(c._is_cached_tensor(x))
    c._set_cached_tensors_enabled(False)
    column = torch.nn.functional.unfold(torch.ones(1, 1, 3, 4, requires_grad=True), 2)
    functional, shapes = torch.nn.functional, inside(torch, "autograd")._calculate_shape
    return [
        cached, sorted(name for name in dir(column.grad_fn) if name.startswith("_saved")),
        column.grad_fn._saved_self_sym_argsize_minus_2, column.grad_fn._saved_self_sym_argsize_minus_1,
        functional.GRID_SAMPLE_INTERPOLATION_MODES, functional.GRID_SAMPLE_PADDING_MODES,
        [list(s) for s in shapes(torch.ones(2, 3), torch.ones(4, 2, 3), True)],
        [list(s) for s in shapes(torch.ones(2, 3), torch.ones(4, 3), False)],
        see(torch, torch.jit._wait(torch.jit._fork(torch.add, torch.ones(2), 1))),
    ]  # fmt: skip


@case
def tangents_inside_a_function_of_ones_own(torch):
    forward_ad = inside(torch, "autograd.forward_ad")
    seen = []

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(x):
            seen.append(forward_ad._is_fwd_grad_enabled())
            return x * x

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_forward(*inputs)
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, g):
            return 2 * g * ctx.saved_tensors[0]

        @staticmethod
        def jvp(ctx, t):
            return 2 * t * ctx.saved_tensors[0]

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    Square.apply(x).sum().backward()
    within = torch.func.jvp(Square.apply, (x.detach(),), (torch.ones(2),))
    with forward_ad.dual_level():
        dual = forward_ad.unpack_dual(Square.apply(forward_ad.make_dual(x.detach(), torch.ones(2))))
    return [seen, forward_ad._is_fwd_grad_enabled(), *[see(torch, t) for t in (x.grad, list(within), list(dual))]]


@case
def leaves_that_are_handed_through(torch):
    """Reverse mode gives a leaf back as it is, forward mode a view of it."""
    func = torch.func
    x, z = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 2.0])
    found = [
        func.vjp(lambda a, b: b, z, x)[0], func.vjp(lambda a: a, x)[0],
        func.grad(lambda a: (a.sum(), a), has_aux=True)(x)[1], func.grad(lambda a: (a.sum(), x), has_aux=True)(z)[1],
        func.jvp(lambda a: a, (x,), (z,))[0], func.jvp(lambda a: x, (z,), (z,))[0],
        func.jvp(lambda a: (a.sum(), a), (x,), (z,), has_aux=True)[2],
        func.jvp(lambda a: (a.sum(), x), (z,), (z,), has_aux=True)[2],
        func.jacfwd(lambda a: (a.sum(), a), has_aux=True)(x)[1],
        func.jacrev(lambda a: (a.sum(), a), has_aux=True)(x)[1], func.vmap(lambda a: a)(x),
    ]  # fmt: skip
    return [[t is x, t.is_leaf, t.requires_grad, t._is_view()] for t in found]


@case
def unpacked_values_are_views(torch):
    """Also of a tensor without a tangent."""
    x = torch.tensor([1.0, 2.0])
    with forward_ad_of(torch).dual_level():
        value, tangent = forward_ad_of(torch).unpack_dual(x)
        return [value is x, value._is_view(), value.data_ptr() == x.data_ptr(), tangent is None]


def forward_ad_of(torch):
    return torch.autograd.forward_ad


@case
def jacobians_that_must_depend_on_their_inputs(torch):
    """Strictly, and so that they can be differentiated again: the message has the number of the output."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    jacobian = torch.autograd.functional.jacobian
    return [
        error(lambda: jacobian(lambda a: (a.sin(), a * 2), x, create_graph=True, strict=True)),
        error(lambda: jacobian(lambda a, b: (a * 2, b * 2), (x, x), create_graph=True, strict=True)),
        error(lambda: jacobian(lambda a, b: (a.sin(), b), (x, x), strict=True)),
    ]


@case
def steps_of_vmap_that_packages_replace(torch):
    steps = import_module(f"{torch.__name__}._functorch.vmap")
    pytree = torch.utils._pytree

    class Pair:
        def __init__(self, first, second):
            self.both = [first, second]

    names = ("_process_batched_inputs", "_create_batched_inputs", "_unwrap_batched")
    own = {name: getattr(steps, name) for name in names}

    def process(in_dims, args, func):
        leaves, spec = pytree.tree_flatten(args)
        dims = list(in_dims) if isinstance(in_dims, tuple) else [in_dims] * len(leaves)
        first = leaves[0].both[0] if isinstance(leaves[0], Pair) else leaves[0]
        return first.shape[0], dims, leaves, spec

    def create(dims, leaves, level, spec):
        def inside(leaf, d):
            if isinstance(leaf, Pair):
                return Pair(*[steps._add_batch_dim(t, d, level) for t in leaf.both])
            return leaf if d is None else steps._add_batch_dim(leaf, d, level)

        return pytree.tree_unflatten([inside(leaf, d) for leaf, d in zip(leaves, dims)], spec)

    x, y, w = torch.arange(6.0).view(3, 2), torch.ones(3, 2), torch.tensor([1.0, 2.0])

    def dot(pair, w):
        return (pair.both[0] * pair.both[1] * w).sum()

    found = [error(lambda: torch.vmap(dot, (0, None))(Pair(x, y), w))["raises"]]
    try:
        steps._process_batched_inputs, steps._create_batched_inputs = process, create
        found.append(torch.vmap(dot, (0, None))(Pair(x, y), w).tolist())
        found.append(torch.vmap(torch.dot)(x, y).tolist())
    finally:
        for name, step in own.items():
            setattr(steps, name, step)
    return [*found, torch.vmap(torch.dot)(x, y).tolist()]
