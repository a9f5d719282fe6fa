"""More of what random programs (``tests/fuzz``, and others) found to differ: a case for each cause."""

from __future__ import annotations

from .observe import case, error, name_of, see


@case
def one_line_that_goes_back_through_a_graph_twice(torch):
    weight, bias = (torch.ones(2, 2, requires_grad=flag) for flag in (True, False))
    inputs = [torch.ones(3, 2, requires_grad=flag) for flag in (True, False)]
    found = []
    pairs = [(inputs[0], weight), (inputs[0], weight.detach()), (inputs[1], weight)]
    for y in [torch.addmm(bias[0], x, w) for x, w in pairs]:
        found += [error(lambda y=y: y.sum().backward()).get("message", "")[:60] for _ in range(2)]
    return found


@case
def the_dtype_of_out_is_computed_in(torch):
    x = torch.tensor([[1.8, 2.3], [1.2, 0.7]], dtype=torch.float64)
    found = []
    for dtype in (torch.int8, torch.int64, torch.bool, torch.float32, torch.complex64):
        for input in (x, x > 1, x.to(torch.int32)):
            for name in ("sum", "prod", "cumsum", "cumprod", "argmax", "norm"):
                out = torch.zeros((2, 2) if "cum" in name else 2, dtype=dtype)
                args = (input, 2, 0) if name == "norm" else (input, 0)
                found.append(error(lambda name=name, args=args, out=out: getattr(torch, name)(*args, out=out).tolist()))
    for name in ("cumsum", "cumprod", "nansum"):
        for dtype in (torch.bool, torch.complex64):
            found.append(error(lambda name=name, dtype=dtype: getattr(torch, name)(x, 0, dtype=dtype).tolist()))
    return found


@case
def a_spectrum_saves_the_signal(torch):
    found = []
    for transform in (torch.fft.rfft, torch.fft.fft, torch.fft.rfft2, torch.fft.irfft, torch.fft.ihfft):
        x = torch.tensor([[1.5, 0.2, -0.4, 2.0]], dtype=torch.float64, requires_grad=True)
        spectrum = transform(x * 1)
        spectrum.abs().sum().backward()
        found.append(see(torch, x.grad))
        found.append(error(lambda y=spectrum: y.abs().sum().backward()).get("message", "")[:60])
        signal = x * 1
        spectrum = transform(signal)
        signal.mul_(2)
        found.append(error(lambda y=spectrum: y.abs().sum().backward()).get("message", "")[:60])
    node = torch.fft.rfft(torch.ones(3, requires_grad=True)).grad_fn
    return [*found, see(torch, node._saved_self), [name for name in dir(node) if name.startswith("_saved")]]


@case
def spectra_inside_transforms(torch):
    x = torch.tensor([[1.5, 0.2, -0.4, 2.0], [0.3, -0.7, 1.1, 0.9]], dtype=torch.float64)
    func = torch.func

    def f(x):
        return torch.fft.rfft(x).abs().square().sum() + torch.fft.fft(x, norm="ortho").real.sin().sum()

    return see(torch, [
        func.vmap(func.grad(f))(x), func.hessian(f)(x[0]), func.vmap(func.hessian(f), in_dims=1)(x.t()),
        func.jacfwd(lambda x: torch.fft.irfft(torch.fft.rfft(x), n=4))(x), func.jacrev(func.jacrev(f))(x[1]),
    ])  # fmt: skip


@case
def a_layer_norm_of_a_dual(torch):
    forward = torch.autograd.forward_ad
    x = torch.tensor([[0.5, -1.0, 2.0]], dtype=torch.float64)
    with forward.dual_level():
        dual = forward.make_dual(x, x.cos())
        found = [
            *forward.unpack_dual(torch.nn.functional.layer_norm(dual, (3,))),
            *forward.unpack_dual(torch.nn.functional.group_norm(dual, 1)),
            *forward.unpack_dual(dual.sort()[0]), *forward.unpack_dual(dual.max(1)[0]),
        ]  # fmt: skip
    return see(torch, found)


@case
def what_runs_of_a_node_whose_output_backward_is_asked_for(torch):
    ran = []

    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            ran.append(list(ctx.needs_input_grad))
            return g * 2

    def asked(make, times=1):
        x = torch.ones(2, requires_grad=True)
        y = make(x)
        y.grad_fn.register_hook(lambda gi, go: ran.append(see(torch, [gi, go])))
        errors = [error(lambda: y.sum().backward(inputs=[y])).get("message", "")[:60] for _ in range(times)]
        return errors, see(torch, [y.grad, x.grad])

    checkpoint = torch.utils.checkpoint.checkpoint
    return [
        asked(Twice.apply), asked(lambda x: Twice.apply(x * 1), 2), asked(torch.exp, 2),
        asked(lambda x: checkpoint(torch.sin, x, use_reentrant=True)),
        asked(lambda x: checkpoint(torch.sin, x, use_reentrant=False)), ran,
    ]  # fmt: skip


@case
def batched_gradients_are_checked_by_the_first(torch):
    x = torch.ones(3, requires_grad=True)
    found = []
    shapes = ((2, 3), (2, 2), (3,), (), (0, 3), (2, 1, 3))
    for given in [torch.ones(shape) for shape in shapes] + [torch.ones(2, 3, dtype=torch.complex64)]:
        found.append(error(lambda g=given: see(torch, torch.autograd.grad(x * 2, x, g, is_grads_batched=True))))
    base = torch.ones(4, requires_grad=True) * 1
    view = base.unbind(0)[0]
    base[1:].neg_()
    for shape in ((2, 3), (2, 2), (3,)):
        g = torch.ones(shape)
        for batched in (True, False):
            found.append(error(lambda g=g, b=batched: torch.autograd.grad(x * 2, view, g, is_grads_batched=b)))
    return found


@case
def tensors_of_inference_mode_are_refused_before_shapes_and_dtypes(torch):
    x = torch.ones(3, requires_grad=True)
    with torch.inference_mode():
        short, numbers = torch.ones(2), torch.ones(3, dtype=torch.complex64)
    calls = (
        lambda: x * short, lambda: x + short, lambda: torch.maximum(x, short), lambda: torch.atan2(x, short),
        lambda: x.pow(short), lambda: torch.fmin(x, numbers), lambda: torch.xlogy(numbers, x), lambda: x.fmod(short),
        lambda: x.detach() * short, lambda: torch.where(x > 0, x, short), lambda: x / short,
    )  # fmt: skip
    return [error(call).get("message", "")[:60] for call in calls]


@case
def classes_that_are_all_ignored(torch):
    F = torch.nn.functional
    scores, target = torch.zeros(3, 0), torch.zeros(3, dtype=torch.int64)
    found = []
    for reduction in ("mean", "sum", "none"):
        x = scores.clone().requires_grad_()
        loss = F.cross_entropy(x, target, ignore_index=0, reduction=reduction)
        weighted = F.nll_loss(scores, target, weight=torch.ones(0), ignore_index=0, reduction=reduction)
        smoothed = F.cross_entropy(scores, target, ignore_index=0, reduction=reduction, label_smoothing=0.1)
        found += [see(torch, [loss, weighted, smoothed, torch.autograd.grad(loss.sum(), x)])]
        found += [error(lambda r=reduction: F.cross_entropy(scores, target, reduction=r))]
    return found


@case
def a_function_that_returns_its_input_gives_a_view_of_the_same_shape(torch):
    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, g):
            return g

    found = []
    for leaf in (torch.zeros(1, 2, 3, 2), torch.zeros(1, 2, 3, 2, requires_grad=True)):
        for x in (leaf * 1, leaf.swapdims(0, 1), leaf.permute(3, 2, 1, 0), (leaf * 1).swapdims(0, 1)):
            y = Same.apply(x)
            found.append([list(y.stride()), y._is_view(), y._base is x._base, y.is_leaf, y.data_ptr() == x.data_ptr()])
    return found


@case
def gaps_that_are_nan_are_none(torch):
    F = torch.nn.functional
    found = []
    for values in ([1.0, float("nan"), 2.0], [float("nan"), 1.0, 2.0]):
        x = torch.tensor([values], requires_grad=True)
        for loss in (
            F.multi_margin_loss(x, torch.tensor([0])), F.multi_margin_loss(x, torch.tensor([2]), p=2),
            F.multilabel_margin_loss(x, torch.tensor([[0, -1, -1]])),
            F.multilabel_margin_loss(x, torch.tensor([[2, 1, -1]]), reduction="none"),
        ):  # fmt: skip
            found.append([str(loss.tolist()), str(torch.autograd.grad(loss.sum(), x)[0].tolist())])
    return found


@case
def padding_that_cuts_off_more_than_there_is(torch):
    pads = ((1, -1), (-1, 1), (2, -1), (0, -1), (5, -4), (-4, 5), (-2, -2), (1, -1, 1, 1), (-1, -1))
    return [
        error(lambda shape=shape, pad=pad: torch.nn.functional.pad(torch.zeros(shape), pad).tolist())
        for shape in ((2, 0), (2, 3), (0, 2))
        for pad in pads
    ]


@case
def stacks_into_other_dtypes(torch):
    x = torch.tensor([1.5, 0.0])
    dtypes = (torch.bool, torch.int64, torch.float64, torch.complex64)
    found = [error(lambda d=d: torch.stack([x, x], out=torch.zeros(2, 2, dtype=d)).tolist()) for d in dtypes]
    for dtype in (torch.uint8, torch.bool, torch.float32):
        given = torch.tensor([[0, 1], [2, 0]], dtype=dtype)
        for out in (torch.uint8, torch.bool, torch.int8):
            found.append(error(lambda g=given, o=out: torch.any(g, 0, out=torch.zeros(2, dtype=o)).tolist()))
            found.append(error(lambda g=given, o=out: torch.all(g, 0, out=torch.zeros(2, dtype=o)).tolist()))
    return found


@case
def strides_of_ones_own_inside_vmap(torch):
    x, vmap = torch.zeros(4, 2, 3), torch.func.vmap
    found = []
    for stride in ((3, 1), (1, 2), (6, 1), (0, 1), (1, 1)):
        each = vmap(lambda a, s=stride: a.new_empty_strided((2, 3), s))(x)
        nested = vmap(vmap(lambda a, s=stride: a.new_empty_strided((3,), s[1:])))(x)
        found.append([list(each.shape), list(each.stride()), list(nested.shape), list(nested.stride())])
    return [*found, error(lambda: vmap(lambda a: a.new_empty_strided((2,), (3, 1)))(x))]


@case
def hessians_in_a_batch_of_what_a_function_made_and_a_constant_changed(torch):
    class Cube(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x):
            return x**3

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)
            ctx.save_for_forward(*inputs)

        @staticmethod
        def backward(ctx, g):
            return 3 * ctx.saved_tensors[0] ** 2 * g

        @staticmethod
        def jvp(ctx, t):
            return 3 * ctx.saved_tensors[0] ** 2 * t

    def f(x, y):
        z = Cube.apply(y)
        z.div_(x**2 + 1)
        return (z * z.cos()).sum()

    x = torch.tensor([[-1.9, 0.2, -0.5]], dtype=torch.float64)
    y = torch.tensor([[[0.1, 1.8, 1.2], [-0.4, 0.3, 0.9]]], dtype=torch.float64)
    return see(torch, torch.func.vmap(torch.func.hessian(f), in_dims=(None, 1))(x, y))


@case
def tangents_do_not_need_results_that_are_changed_afterwards(torch):
    func = torch.func
    x = torch.tensor([[1.3, 0.4, -0.7], [0.2, 0.9, 1.1]], dtype=torch.float64)
    operators = (
        lambda x: x.prod(0), lambda x: x.prod(), lambda x: x.prod(1, keepdim=True), lambda x: x.logsumexp(0),
        lambda x: x.logsumexp((0, 1), True), lambda x: x.log_softmax(1), lambda x: x.cumprod(0), lambda x: x.exp(),
    )  # fmt: skip

    def of(operator):
        def f(x):
            y = operator(x)
            y.add_(1)
            return (y * y.cos()).sum()

        def g(x):
            return func.jvp(f, (x,), (x.cos(),))[1]

        return [
            see(torch, g(x)), error(lambda: see(torch, func.grad(g)(x))).get("returned"),
            see(torch, func.jvp(g, (x,), (x,))), see(torch, func.vmap(lambda x: func.jvp(f, (x,), (x,)))(x[None])),
        ]  # fmt: skip

    zeros = torch.tensor([[1.3, 0.0, 0.0], [0.2, 0.9, 1.1]], dtype=torch.float64)
    products = [func.jacfwd(lambda x, d=d: x.prod(d))(zeros) for d in (0, 1)]
    return [*map(of, operators), see(torch, [*products, func.jacfwd(torch.prod)(zeros[0])])]


@case
def a_tangent_that_needs_a_constant_beside_what_is_changed(torch):
    func = torch.func
    x, y = (torch.tensor(v, dtype=torch.float64) for v in ([[0.5, -1.0], [2.0, 0.3]], [[0.8, 0.2], [-0.6, 1.5]]))

    def f(x, y):
        z = y * 1
        z[-1].mul_(z[0])
        return z.sum() + x.sum()

    def g(x, y):
        return func.jvp(f, (x, y), (y, x.cos()))[1]

    stacked = torch.stack([x, y])
    return see(torch, [func.grad(g)(x, y), func.vmap(func.grad(g), in_dims=(0, None))(stacked, y)])


@case
def softmax_of_nothing(torch):
    dtypes = (torch.int16, torch.bool, torch.complex64, torch.float32)
    return [
        error(lambda s=shape, d=dtype, n=name: see(torch, getattr(torch.zeros(s, dtype=d), n)(0)))
        for shape in ((0,), (2, 0), (2,))
        for dtype in dtypes
        for name in ("softmax", "log_softmax")
    ]


@case
def what_is_said_first_of_joins_and_clamps(torch):
    x = torch.ones(2, requires_grad=True)
    numbers, more = torch.zeros(2, dtype=torch.complex64), torch.zeros(3, dtype=torch.complex64)
    leaf = torch.zeros(2, dtype=torch.complex64, requires_grad=True)
    calls = (
        lambda: torch.cat([x * 1j], out=torch.zeros(2)), lambda: torch.stack([x], out=torch.zeros(2, dtype=torch.int8)),
        lambda: torch.cat([x.detach() * 1j], out=torch.zeros(2)), lambda: torch.cat([], out=torch.zeros(2)),
        lambda: numbers.clamp_(more, more), lambda: numbers.clamp_(0, 1), lambda: leaf.clamp_(more, more),
        lambda: (leaf * 1).clamp_(more, more), lambda: numbers.clamp_(min=more),
    )  # fmt: skip
    return [error(call) for call in calls]


@case
def tangents_of_the_angle_of_nothing(torch):
    forward = torch.autograd.forward_ad
    found = []
    for y, x in ((0.0, 0.0), (1.0, 0.0), (0.0, -1.0), (1.0, 2.0)):
        y, x, one = torch.tensor(y), torch.tensor(x), torch.tensor(1.0)
        with forward.dual_level():
            for angle in (
                torch.atan2(forward.make_dual(y, one), x), torch.atan2(y, forward.make_dual(x, one)),
                torch.atan2(forward.make_dual(y, one), forward.make_dual(x, one * 0.5)),
            ):  # fmt: skip
                found.append(str(forward.unpack_dual(angle).tangent))
    return found


@case
def parts_that_are_unrelated_are_views_in_inference_mode(torch):
    x, found = torch.zeros(3), []
    for split in (
        lambda x: x.unsafe_chunk(2), lambda x: x.unsafe_split(2), lambda x: torch.unsafe_split_with_sizes(x, [1, 2]),
        lambda x: x.chunk(2),
    ):  # fmt: skip
        for inference in (True, False):
            with torch.inference_mode(inference):
                part = split(x)[0]
                found.append([part.is_inference(), part._is_view(), part._base is x, part._version])
    return found


@case
def windows_along_a_line_that_need_no_gradient_make_no_view(torch):
    found = []
    for x in (torch.ones(2, 3, 4), torch.ones(2, 3, 4, requires_grad=True), torch.ones(3, 4)):
        for mode in (torch.no_grad, torch.enable_grad):
            with mode():
                y = torch.nn.functional.max_pool1d(x, 2, 1)
                found.append([y._is_view(), list(y.stride()), name_of(y.grad_fn), y.tolist()])
    return found


@case
def what_is_said_of_products_that_do_not_fit_what_they_are_added_to(torch):
    def zeros(*shape):
        return torch.zeros(shape)

    calls = (
        lambda: zeros(4, 3)[::2].addmm_(zeros(3, 2), zeros(2, 3)),
        lambda: zeros(1, 2, 3).addmm_(zeros(2, 2), zeros(2, 3)),
        lambda: zeros(3).addmm_(zeros(2, 2), zeros(2, 3)), lambda: zeros(2, 3).addmm_(zeros(2, 2), zeros(3, 3)),
        lambda: zeros(2, 3, 3, 1).baddbmm_(zeros(2, 3, 2), zeros(2, 3, 3)),
        lambda: zeros(3, 3).baddbmm_(zeros(2, 3, 2), zeros(2, 2, 3)),
        lambda: zeros(1, 3, 3).baddbmm_(zeros(2, 3, 2), zeros(2, 2, 3)),
        lambda: torch.baddbmm(zeros(5), zeros(4, 3, 4), zeros(4, 3, 4)),
        lambda: torch.baddbmm(zeros(7, 7, 7), zeros(4, 3), zeros(4, 3, 4)),
        lambda: torch.baddbmm(zeros(4), zeros(4, 3, 4), zeros(4, 3, 4)),
        lambda: torch.addmm(zeros(5), zeros(3, 4), zeros(4, 3)),
    )  # fmt: skip
    return [error(call) for call in calls]


@case
def nodes_of_sums_over_all_dimensions(torch):
    found = []
    for a, b, dims in (
        ((2, 3), (3, 2), ([0, 1], [1, 0])), ((2, 3), (2, 3), 2), ((2, 3), (2, 3), ([1, 0], [1, 0])), ((3,), (3,), 1),
        ((2, 1, 3), (3, 1, 2), ([0, 2], [2, 0])),
    ):  # fmt: skip
        x, y = torch.ones(a, requires_grad=True), torch.ones(b, requires_grad=True)
        z = torch.tensordot(x, y, dims)
        node = z.grad_fn.next_functions[0][0]
        found.append([see(torch, z), name_of(node), [name_of(n) for n, _ in node.next_functions]])
    ints = torch.ones(2, 3, dtype=torch.int32)
    return [*found, see(torch, torch.tensordot(ints, ints.t(), ([0, 1], [1, 0])))]


@case
def elements_are_taken_into_their_own_dtype_alone(torch):
    x, places = torch.arange(4), torch.tensor([0, 1])
    outs = [torch.zeros(2, dtype=dtype) for dtype in (torch.float32, torch.int64, torch.int32)]
    return [error(lambda out=out: torch.take(x, places, out=out).tolist()) for out in outs]


@case
def layers_of_no_features(torch):
    found = []
    for shape in ((0,), (2, 0), (2, 2, 0), (3,)):
        y = torch.nn.functional.linear(torch.ones(shape), torch.ones(2, shape[-1], requires_grad=True), torch.ones(2))
        found.append([see(torch, y), [name_of(n) for n, _ in y.grad_fn.next_functions], y._is_view()])
    return found


@case
def conversions_of_what_is_expanded_lie_row_by_row(torch):
    found = []
    for dtype in (torch.float32, torch.bfloat16, torch.int64):
        for shape in ((1,), (2, 1), (4, 1, 1), (3,), (4, 1, 3), (1, 2, 3)):
            x = torch.ones(shape, dtype=dtype).expand(4, 2, 3)
            half = x.to(torch.float16)
            results = (
                x.to(torch.float64), half, half.expand(5, 4, 2, 3) * 2, x + torch.ones(4, 2, 3, dtype=torch.float64),
                x.transpose(0, 1).to(torch.float64), x.permute(2, 0, 1).to(torch.float64), x.bfloat16().softmax(-1),
            )  # fmt: skip
            found += [[list(y.stride()), y.float().sum().item()] for y in results]
            found.append(list(x.double().view(-1).shape))
    return found


@case
def choices_are_written_into_their_own_dtype_alone(torch):
    whole = torch.tensor([1, 2])
    parts = whole.float()
    given = ((whole, whole), (parts, parts), (whole, parts), (parts, parts.double()))
    return [
        error(lambda a=a, b=b, d=d: torch.where(whole > 1, a, b, out=torch.zeros(2, dtype=d)).tolist())
        for a, b in given
        for d in (torch.int64, torch.float32, torch.float64)
    ]


@case
def a_wrong_dimension_is_told_before_a_dtype(torch):
    return [error(lambda d=d: torch.tensor([1, 2]).logcumsumexp(d)) for d in (0, -2)]
