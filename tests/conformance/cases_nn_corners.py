"""Corners of layers, losses and optimizers: empty input, channels that lie last, long rows, what may not be."""

from __future__ import annotations

import io
import pickle
import warnings
from contextlib import contextmanager

from .observe import case, error, name_of, see


def wave(torch, *shape, dtype=None):
    n = 1
    for d in shape:
        n *= d
    return torch.sin(torch.arange(n, dtype=torch.float64) * 0.7).reshape(shape).to(dtype or torch.float64)


@case
def results_lie_as_images_with_channels_last(torch):
    """Strides of results and gradients, as the input has its channels last in memory."""
    nn = torch.nn
    torch.manual_seed(0)
    layers = [
        nn.BatchNorm2d(4), nn.BatchNorm2d(4).eval(), nn.GroupNorm(2, 4), nn.InstanceNorm2d(4), nn.MaxPool2d(2),
        nn.AvgPool2d(2), nn.AdaptiveAvgPool2d(3), nn.Upsample(scale_factor=2),
        nn.Upsample(scale_factor=2, mode="bilinear"), nn.Upsample(scale_factor=2, mode="bicubic"), nn.Conv2d(4, 3, 3),
        nn.Conv2d(4, 4, 1, groups=2), nn.ConvTranspose2d(4, 3, 3), nn.PixelUnshuffle(2), nn.ChannelShuffle(2),
        nn.ReflectionPad2d(1), nn.ReplicationPad2d(1), nn.ZeroPad2d(1), nn.Dropout(0.0), nn.PReLU(4),
    ]  # fmt: skip
    told = []
    for layer in layers:
        x = wave(torch, 2, 4, 6, 6, dtype=torch.float32).contiguous(memory_format=torch.channels_last).requires_grad_()
        out = layer(x)
        out.sum().backward()
        told.append([type(layer).__name__, list(out.stride()), list(x.grad.stride())])
    return told


@case
def channels_last_where_dimensions_are_of_size_one(torch):
    """A plane one pixel wide, and images of one channel: strides alone tell what the program meant."""
    F = torch.nn.functional
    told = []
    for shape, order in (((1, 3, 2, 1), (0, 2, 1, 3)), ((2, 3, 2, 1), (0, 2, 1, 3)), ((2, 3, 2, 1), (0, 3, 1, 2))):
        x = wave(torch, *shape, dtype=torch.float32).permute(order)
        c = x.shape[1]
        zeros, ones = torch.zeros(c), torch.ones(c)
        found = [
            F.batch_norm(x, zeros, ones), F.batch_norm(x, zeros, ones, training=True), F.group_norm(x, 1),
            F.conv2d(x, torch.ones(2, c, 1, 1)), F.avg_pool2d(x, 1), F.max_pool2d(x, 1),
            F.interpolate(x, scale_factor=2), F.pixel_shuffle(x, 1), F.pad(x, (1, 1, 1, 1)),
        ]  # fmt: skip
        told.append([list(x.stride()), [list(out.stride()) for out in found]])
    return told


@case
def volumes_with_channels_last(torch):
    nn = torch.nn
    told = []
    for layer in (nn.GroupNorm(3, 6), nn.BatchNorm3d(6), nn.Upsample(scale_factor=2), nn.ReplicationPad3d(1)):
        x = wave(torch, 2, 6, 3, 4, 5).contiguous(memory_format=torch.channels_last_3d)
        told.append([type(layer).__name__, list(layer.double()(x).stride())])
    return told


@case
def a_weight_with_channels_last_decides_too(torch):
    conv = torch.nn.Conv2d(4, 3, 3).to(memory_format=torch.channels_last)
    return list(conv(wave(torch, 2, 4, 6, 6, dtype=torch.float32)).stride())


@case
def long_rows_are_normalized_exactly(torch):
    """The greatest error beside double precision is a few of float32's roundings."""
    n = 1 << 21
    x = torch.remainder(torch.arange(n, dtype=torch.float64) * 0.6180339887, 1.0).to(torch.float32)
    exact = (x.double() - x.double().mean()) / (x.double().var(unbiased=False) + 1e-5).sqrt()
    nn = torch.nn
    found = [
        nn.LayerNorm(n)(x), nn.GroupNorm(1, 1)(x.view(1, 1, -1)), nn.BatchNorm1d(1)(x.view(1, 1, -1)),
        nn.InstanceNorm1d(1)(x.view(1, 1, -1)),
    ]  # fmt: skip
    return [bool((t.detach().double().view(-1) - exact).abs().max() < 1e-6) for t in found]


@case
def gradients_of_margin_losses_of_nothing(torch):
    told = []
    for reduction in ("mean", "sum", "none"):
        x = torch.zeros(0, 10, requires_grad=True)
        loss = torch.nn.functional.multi_margin_loss(x, torch.ones(0).long(), reduction=reduction)
        loss.sum().backward()
        told.append([list(loss.shape), name_of(loss.grad_fn), list(x.grad.shape)])
    return told


@case
def padding_refuses_empty_channels(torch):
    nn = torch.nn
    told = []
    for layer, shape in (
        (nn.ReflectionPad1d(2), (3, 0, 10)), (nn.ReflectionPad1d(2), (0, 10)), (nn.ReflectionPad1d(2), (0, 3, 10)),
        (nn.ReflectionPad1d(2), (3, 4, 0)), (nn.ReflectionPad2d(2), (3, 0, 10, 10)), (nn.ReplicationPad1d(2), (0, 10)),
        (nn.ReplicationPad2d(2), (0, 10, 10)), (nn.ReplicationPad2d(2), (0, 3, 10, 10)),
        (nn.ReplicationPad3d(2), (3, 0, 10, 10, 10)), (nn.ReplicationPad1d(2), (3, 4, 0)),
        (nn.CircularPad1d(2), (3, 0, 10)),
        (nn.ZeroPad2d(2), (3, 0, 10, 10)),
    ):  # fmt: skip
        told.append(error(lambda layer=layer, shape=shape: list(layer(torch.zeros(shape)).shape)))
    return told


@case
def sparse_gradients_of_empty_tables(torch):
    told = []
    for rows, width, at in ((0, 0, []), (10, 0, []), (10, 3, []), (10, 0, [1, 2])):
        table = torch.nn.Embedding(rows, width, sparse=True)
        table(torch.tensor(at, dtype=torch.int64)).sum().backward()
        g = table.weight.grad
        told.append([g.is_sparse, list(g.shape), g._nnz(), list(g._values().shape)])
    return told


@case
def negative_slopes_in_place_have_no_gradient(torch):
    functional = torch.nn.functional
    told = []
    for f in (
        lambda x: functional.elu(x, -2.0, True), lambda x: functional.elu(x, -2.0),
        lambda x: functional.elu(x, 0.0, True),
        lambda x: functional.celu_(x, -2.0), lambda x: functional.leaky_relu_(x, -2.0),
        lambda x: functional.leaky_relu(x, -2.0), lambda x: functional.leaky_relu_(x, 0.0),
    ):  # fmt: skip
        x = torch.tensor([-1.0, 1.0], requires_grad=True)
        y = f(x.clone())
        told.append(error(lambda x=x, y=y: torch.autograd.grad(y.sum(), x)[0].tolist()))
    return told


@case
def windows_that_lie_in_the_padding_alone(torch):
    functional = torch.nn.functional
    x = torch.tensor([[1.0]])
    return [
        functional.max_pool1d(x, 2, 1, 1, 2, True).tolist(),
        functional.max_pool1d(x, 3, None, 1, 2, True).tolist(),
        functional.max_pool2d(x[None], 2, 1, 1, 2, True).tolist(),
        functional.max_pool1d(torch.tensor([[1.0, 2.0]]), 2, 1, 1, 2, True).tolist(),
    ]


@case
def attention_over_no_batch_at_all(torch):
    nn = torch.nn
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    attention = nn.MultiheadAttention(8, 2)
    q, k = torch.zeros(10, 0, 8, requires_grad=True), torch.zeros(20, 0, 8)
    out, weights = attention(q, k, k)
    out.sum().backward()
    return [
        list(layer(torch.zeros(3, 0, 8)).shape), list(layer(torch.zeros(0, 3, 8)).shape), list(out.shape),
        list(weights.shape), list(q.grad.shape), list(attention(q, k, k, need_weights=False)[0].shape),
        list(nn.Transformer(8, 2, 1, 1, 16, batch_first=True)(torch.zeros(0, 5, 8), torch.zeros(0, 6, 8)).shape),
    ]  # fmt: skip


@case
def settings_that_layers_refuse(torch):
    nn = torch.nn
    told = [error(lambda d=d: repr(nn.HuberLoss(delta=d))) for d in (1j, "a", None, True, 0)]
    for eps in (-1.0, 0.0):
        for training in (True, False):
            norm = nn.BatchNorm1d(2, eps=eps).train(training)
            told.append(error(lambda norm=norm: list(norm(torch.ones(3, 2)).shape)))
    told.append(error(lambda: nn.BatchNorm1d(2, eps=-1.0)(torch.ones(3, 2, dtype=torch.float64))))
    return told


@case
def instance_norm_without_a_batch(torch):
    x = wave(torch, 3, 4, 4).requires_grad_()
    return see(torch, torch.nn.InstanceNorm2d(3)(x))


@case
def functional_call_hands_back_what_forward_assigns(torch):
    class Counts(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", torch.zeros(()))

        def forward(self, x):
            self.count = self.count + 1
            return x + self.count

    module, given = Counts(), {"count": torch.zeros(())}
    out = torch.func.functional_call(module, given, torch.ones(()))
    return [out.item(), module.count.item(), given["count"].item()]


@case
def optimizers_that_refuse(torch):
    p = torch.nn.Parameter(torch.zeros(2, dtype=torch.complex64))
    dense = torch.nn.Parameter(torch.zeros(2))
    told = [error(lambda: torch.optim.SparseAdam([{"params": [dense]}, {"params": [dense.clone().detach(), p]}]))]
    dense.grad = torch.ones(2)
    adam = torch.optim.Adam([dense], capturable=True)
    told.append(error(adam.step))
    told.append(sorted(adam.state[dense]))
    return told


@case
def functions_are_pickled_by_name(torch):
    functional = torch.nn.functional
    functions = [
        torch.add, torch.relu, torch.acosh_, torch.matmul, torch.linalg.solve, torch.fft.fft, torch.special.erf,
        functional.gelu, functional.relu, functional.cross_entropy, functional.softmax, torch.nn.init.xavier_uniform_,
    ]  # fmt: skip
    told = [pickle.loads(pickle.dumps(f)) is f for f in functions]
    layer = pickle.loads(pickle.dumps(torch.nn.TransformerEncoderLayer(4, 2, 8, activation="gelu")))
    return [*told, layer.activation is functional.gelu]


@case
def old_files_are_read_into_memory(torch):
    class Reader(io.BytesIO):
        calls = 0

        def readinto(self, target):
            self.calls += 1
            return super().readinto(target)

    written = io.BytesIO()
    torch.save(wave(torch, 10, 10), written, _use_new_zipfile_serialization=False)
    reader = Reader(written.getvalue())
    same = bool((torch.load(reader) == wave(torch, 10, 10)).all())
    return [same, reader.calls > 0, torch.serialization._is_zipfile(io.BytesIO(written.getvalue()))]


@case
def futures_whose_callbacks_fail(torch):
    def fails(future):
        raise ValueError("not this one")

    first = torch.futures.Future()
    then = first.then(lambda: 1)
    first.add_done_callback(fails)
    first.set_result(2)
    failed, other = torch.futures.Future(), torch.futures.Future()
    every = torch.futures.collect_all([failed, other])
    failed.set_exception(ValueError("no"))
    other.set_result(1)
    return [
        first.wait(), error(then.wait)["raises"], error(lambda: first.set_result(3)), error(every.wait),
        error(lambda: torch.futures.wait_all([failed, other])), error(lambda: pickle.dumps(first)),
    ]  # fmt: skip


@case
def metadata_that_is_asserted(torch):
    check, x = torch._assert_tensor_metadata, torch.ones(5)
    return [
        error(lambda: check(x, [5], [1], torch.float32)), error(lambda: check(x, None, None, None)),
        error(lambda: check(x, [3])), error(lambda: check(x, None, [3])), error(lambda: check(x, dtype=torch.int32)),
        error(lambda: check(x.long(), dtype=torch.float16)), error(lambda: check(x, device=torch.device("meta"))),
    ]  # fmt: skip


@case
def triangles_of_nothing(torch):
    utils = torch.distributions.utils
    told = []
    for diag in range(-3, 3):
        x = wave(torch, 3, 3).tril(diag)
        told.append(bool((utils.vec_to_tril_matrix(utils.tril_matrix_to_vec(x, diag), diag) == x).all()))
    return told


@case
def values_that_are_annotated_in_a_graph(torch):
    from importlib import import_module

    annotate = import_module(f"{torch.fx.__name__}.annotate").annotate
    graph = torch.fx.Tracer().trace(lambda x: annotate(x + 1, int))
    twice = error(lambda: torch.fx.Tracer().trace(lambda x: annotate(annotate(x + 1, int), int)))
    return [[[n.name, str(n.type)] for n in graph.nodes], twice, annotate(3, int)]


@case
def cells_of_no_width_and_of_wrong_state(torch):
    nn = torch.nn
    told = [list(cell(3, 0)(torch.zeros(2, 3)).shape) for cell in (nn.RNNCell, nn.GRUCell)]
    told.append([list(h.shape) for h in nn.LSTMCell(3, 0)(torch.zeros(2, 3))])
    for width in (1, 4):
        state = torch.zeros(2, 5), torch.zeros(2, width)
        told.append(error(lambda state=state: nn.LSTMCell(3, 5)(torch.zeros(2, 3), state)))
    return told


@case
def batched_gradients_of_distances(torch):
    x = wave(torch, 4, 3).requires_grad_()
    return torch.autograd.gradcheck(torch.nn.functional.pdist, (x,), check_batched_grad=True)


@case
def what_modules_are_moved_by(torch):
    layer = torch.nn.Linear(2, 2)
    cpu = torch.device("cpu")
    given = [(cpu, True), (None, True), ([],)]
    wrong = [error(lambda a=a: layer.to(*a)) for a in given]
    copies = [error(lambda: layer.to("cpu", copy=True)), error(lambda: layer.to(cpu, torch.double, False, True))]
    return [*wrong, *copies, str(layer.to(cpu, torch.double, True).weight.dtype)]


@case
def a_buffer_takes_the_name_of_tensors_and_modules_only(torch):
    module = torch.nn.Module()
    module.number, module.weight, module.layer = 5, torch.nn.Parameter(torch.ones(1)), torch.nn.ReLU()
    seen = []
    for name in ("number", "weight", "layer"):
        seen.append(error(lambda name=name: setattr(module, name, torch.nn.Buffer(torch.ones(1)))))
    return [*seen, [n for n, _ in module.named_buffers()], [n for n, _ in module.named_parameters()]]


@case
def random_slopes_in_place_are_lost_if_negative(torch):
    seen = []
    for lower, upper in ((-5.0, 1.0), (0.1, 0.3)):
        x = torch.tensor([-1.0, 1.0], requires_grad=True)
        y = torch.nn.functional.rrelu_(x.clone(), lower, upper)
        seen.append([see(torch, y), error(lambda y=y: y.sum().backward()), see(torch, x.grad)])
    return seen


@case
def variances_that_are_numbers(torch):
    x = torch.zeros(3, 2)
    loss = torch.nn.functional.gaussian_nll_loss
    return [error(lambda: loss(x, x, -1.0)), see(torch, loss(x, x, 2.0)), see(torch, loss(x, x, torch.ones(3, 1)))]


@case
def statistics_alone(torch):
    mean, var, x = torch.zeros(2), torch.ones(2), torch.arange(12.0).reshape(2, 2, 3)
    found = torch.batch_norm_update_stats(x, mean, var, 0.1)
    empty = error(lambda: torch.batch_norm_update_stats(torch.ones(0, 1), torch.ones(1), torch.ones(1), 0.0))
    return [see(torch, list(found)), see(torch, [mean, var]), empty]


@case
def channels_shuffled_by_the_other_name(torch):
    return see(torch, torch.native_channel_shuffle(torch.arange(12.0).reshape(1, 6, 2), 2))


@case
def sums_where_positive(torch):
    a, b = torch.tensor([-1.0, 2.0]), torch.tensor([0.0, 1.0])
    return [see(torch, torch._VF._add_relu(a, b)), see(torch, torch._VF._add_relu_(a, b, alpha=2)), a.tolist()]


@case
def softmax_of_what_a_mask_leaves(torch):
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    mask = torch.tensor([[True, False, False], [False, False, False]])
    y = torch._masked_softmax(x, mask, 1, 2)
    (grad,) = torch.autograd.grad(y[:, 1].sum(), x)
    planes = torch.arange(16.0).reshape(2, 2, 2, 2)
    square = torch.tensor([[True, False], [False, False]])
    wrong = [(planes, square[:1], 0), (planes, square[:1], 1), (planes, square, 2), (planes, square, None)]
    return [
        see(torch, y), see(torch, grad), see(torch, torch._masked_softmax(planes, square, -1, 0)),
        see(torch, torch._masked_softmax(planes, square, None, 1)),
        torch._masked_softmax(torch.ones(2), torch.tensor([True, True]), 0, 2).isnan().tolist(),
        *(error(lambda a=a: torch._masked_softmax(a[0], a[1], -1, a[2])) for a in wrong),
        error(lambda: torch._masked_softmax(torch.ones(2), torch.ones(2), 0, 2)),
    ]  # fmt: skip


@case
def places_of_pools_that_are_changed(torch):
    x = torch.arange(16.0).reshape(1, 1, 4, 4).requires_grad_()
    seen = []
    for pool, given in ((torch.nn.MaxPool2d, x), (torch.nn.MaxPool1d, x[0]), (torch.nn.MaxPool3d, x[None])):
        y, places = pool(2 if pool is not torch.nn.MaxPool3d else (1, 2, 2), return_indices=True)(given)
        places.add_(1)
        seen.append([error(y.sum().backward)["raises"], places._version])
    return seen


@case
def convolutions_by_old_names(torch):
    inside, x = torch._C._nn, torch.arange(8.0).reshape(1, 1, 2, 2, 2)
    flat = torch.ones(1, 1)
    sizes = ([], [1, 1], [1, 1]), ([1, 1], [], [1, 1]), ([1, 1], [1, 1], [])
    return [
        see(torch, inside.slow_conv3d(x, torch.ones(1, 1, 1, 1, 1), 1)),
        error(lambda: inside.slow_conv3d(x, torch.empty(1, 0, 1), 1)),
        *(
            error(lambda s=s: inside.thnn_conv2d(x[0, :, :1], flat, kernel_size=s[0], stride=s[1], padding=s[2]))
            for s in sizes
        ),
        see(torch, inside.thnn_conv2d(x[0, :, :1], flat, kernel_size=[1, 1])),
    ]  # fmt: skip


@case
def batch_norm_of_duals_without_weights(torch):
    forward = torch.autograd.forward_ad
    x = torch.arange(6.0).reshape(3, 2)
    seen = []
    for training in (True, False):
        with forward.dual_level():
            dual = forward.make_dual(x, torch.ones(3, 2) + x * x)
            y = torch.nn.functional.batch_norm(dual, torch.zeros(2), torch.ones(2), training=training)
            seen.append(see(torch, forward.unpack_dual(y).tangent))
    return seen


@case
def pooled_images_lie_by_rows_or_with_channels_last(torch):
    F = torch.nn.functional
    y2 = wave(torch, 1, 3, 4, 4).contiguous(memory_format=torch.channels_last)
    y3 = wave(torch, 1, 3, 4, 4, 4).contiguous(memory_format=torch.channels_last_3d)
    seen = []
    for y in (y2, y2[0]):
        for k in (1, 2, 4):
            made = [*F.max_pool2d(y, k, return_indices=True), F.avg_pool2d(y, k), F.adaptive_avg_pool2d(y, 2)]
            seen.append([t.stride() for t in (*made, *F.adaptive_max_pool2d(y, 1, return_indices=True))])
    for y in (y3, y3[0]):
        for k in (1, 2, 4):
            made = [*F.max_pool3d(y, k, return_indices=True), F.avg_pool3d(y, k), F.adaptive_avg_pool3d(y, 2)]
            seen.append([t.stride() for t in (*made, *F.adaptive_max_pool3d(y, 1, return_indices=True))])
    return seen


@case
def weights_by_length_and_direction_are_rounded_once(torch):
    seen = []
    for dtype in (torch.bfloat16, torch.float16):
        for dim in (0, 1):
            v = wave(torch, 5, 4).to(dtype).requires_grad_()
            g = torch.linalg.vector_norm(v.detach().float(), dim=1 - dim, keepdim=True).to(dtype).requires_grad_()
            w = torch._weight_norm(v, g, dim)
            w.sin().sum().backward()
            seen.append([t.float().tolist() for t in (w.detach(), v.grad, g.grad)])
    return seen


@case
def modules_on_meta_are_moved_by_to_empty(torch):
    layer = torch.nn.Linear(2, 2, device="meta")
    told = [error(lambda to=to: layer.to(to)) for to in ("cpu", torch.device("cpu"))]
    return [*told, str(layer.to(torch.float64).weight.dtype), str(layer.to("meta").weight.device)]


@case
def corners_beyond_what_single_precision_counts(torch):
    """The place of the last element of so many is no float32."""
    x = torch.zeros(1, 1, 2**24 + 4, dtype=torch.float16)
    x[..., -1] = 1.0
    return torch.nn.functional.interpolate(x, 2, mode="linear", align_corners=True).tolist()


@case
def gated_halves_in_low_precision_are_rounded_once(torch):
    glu = torch.nn.functional.glu
    return [glu(wave(torch, 3, 8).to(dtype)).float().tolist() for dtype in (torch.bfloat16, torch.float16)]


@case
def gradients_of_activations_in_half_precision_are_rounded_once(torch):
    """How many of them differ from those in float32, rounded: none."""
    F = torch.nn.functional
    found = []
    for f in (F.hardswish, F.softplus, F.silu, F.mish, F.elu, F.celu, F.selu, F.leaky_relu):
        for dtype in (torch.float16, torch.bfloat16):
            x = (wave(torch, 64) * 4).to(dtype).requires_grad_()
            wide = x.detach().float().requires_grad_()
            up = wave(torch, 64).cos().to(dtype)
            f(x).backward(up)
            f(wide).backward(up.float())
            found.append([str(x.grad.dtype), int((x.grad != wide.grad.to(dtype)).sum())])
    return found


@case
def functions_behind_softmax_and_sampling(torch):
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    places = torch.tensor([[[[-0.5, 0.25], [0.75, -1.5]]]]).requires_grad_()
    image = wave(torch, 1, 2, 3, 4, dtype=torch.float32).requires_grad_()
    found = []
    for name in ("_softmax", "_log_softmax"):
        f = getattr(torch, name)
        wrong = ((x, True), (x.long(), False))
        found += [see(torch, f(x, 1, False)), *(error(lambda f=f, t=t, to=to: f(t, 1, to)) for t, to in wrong)]
    for mode in range(3):
        out = torch._grid_sampler_2d_cpu_fallback(image, places, mode, 1, False)
        found += [see(torch, out), see(torch, torch.autograd.grad(out.sum(), (image, places)))]
    found += [error(lambda: torch._grid_sampler_2d_cpu_fallback(image[0], places, 0, 0, True))]
    return found


@case
def losses_of_one_row_that_are_zero_have_no_sign(torch):
    F, row = torch.nn.functional, torch.zeros(1, 2)
    one = torch.zeros(1, dtype=torch.int64)
    return [
        [torch.signbit(F.nll_loss(row.to(dtype), one, weight, reduction=reduction)).tolist(),
         torch.signbit(F.cross_entropy(row[:, :1].to(dtype), one, reduction=reduction)).tolist()]
        for dtype in (torch.float32, torch.float64, torch.bfloat16)
        for weight in (None, torch.ones(2, dtype=dtype))
        for reduction in ("none", "sum", "mean")
    ]  # fmt: skip


@case
def windows_that_are_long_and_few(torch):
    functional = torch.nn.functional
    x = (wave(torch, 2, 3, 150) * 8).round()
    x[0, 1, 70] = x[0, 1, 90] = float("nan")
    planes = (wave(torch, 1, 2, 130, 5) * 8).round()

    def pooled(pool, x, *args, **options):
        leaf = x.clone().requires_grad_()
        found = pool(leaf, *args, **options)
        values = found[0] if isinstance(found, tuple) else found
        values.backward(torch.arange(1.0, values.numel() + 1, dtype=values.dtype).reshape(values.shape))
        places = found[1].tolist() if isinstance(found, tuple) else None
        return values.detach().nan_to_num(99).tolist(), places, leaf.grad.nan_to_num(99).sum(0).tolist()

    return [
        pooled(functional.max_pool1d, x, 100, 30, 20, return_indices=True),
        pooled(functional.max_pool1d, x, 70, 1, 0, 2, return_indices=True),
        pooled(functional.max_pool2d, planes, (80, 2), 40, (9, 1), ceil_mode=True, return_indices=True),
        pooled(functional.max_pool2d, planes.transpose(2, 3), (2, 80), (1, 40), return_indices=True),
        pooled(functional.adaptive_max_pool1d, x, 1, return_indices=True),
        pooled(functional.adaptive_max_pool2d, planes, (2, 3), return_indices=True),
        pooled(functional.avg_pool1d, x[1:], 100, 30, 20),
        pooled(functional.avg_pool2d, planes, (80, 2), 40, (9, 1), True, False),
        pooled(functional.adaptive_avg_pool2d, planes, (1, 2)),
        pooled(functional.avg_pool2d, (planes * 10).long().double(), (130, 5)),
    ]


@contextmanager
def ignored_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@case
def the_way_that_a_convolution_takes_without_onednn(torch):
    """What PyTorch's core names where it has neither oneDNN nor, for such small batches, NNPACK."""
    select = torch._C._select_conv_backend
    told = []
    with ignored_warnings(), torch.backends.mkldnn.flags(enabled=False):
        for shape in ((2, 4, 9), (2, 4, 9, 9), (2, 4, 9, 9, 9), (0, 4, 9)):
            n = len(shape) - 2
            x, w = torch.zeros(shape), torch.zeros(4, shape[1], *[3] * n)
            for transposed in (False, True):
                for dilation in (1, 2):
                    found = select(x, w, None, [1] * n, [0] * n, [dilation], transposed, [0], 1)
                    told.append([str(found), int(found)])
        x, w = torch.zeros(2, 4, 9, device="meta"), torch.zeros(4, 4, 3, device="meta")
        told.append(repr(select(x, w, None, [1], [0], [1], False, [0], 1)))
        bad = [(torch.zeros(4, 9), torch.zeros(4, 4, 3)), (torch.zeros(2, 5, 9), torch.zeros(4, 4, 3)),
               (torch.zeros(2, 4), torch.zeros(4, 4))]  # fmt: skip
        return told, [error(lambda x=x, w=w: select(x, w, None, [1], [0], [1], False, [0], 1)) for x, w in bad]


@case
def evaluation_leaves_running_statistics_as_they_are(torch):
    """Also those of instance norm, whose versions count."""
    x = wave(torch, 2, 2, 3, 3)
    told = []
    for m in (torch.nn.InstanceNorm2d(2, track_running_stats=True), torch.nn.BatchNorm2d(2)):
        m = m.double()
        m(x)
        before = m.running_mean._version
        m.eval()
        m(x)
        told.append([m.running_mean._version - before, m.running_var.tolist()])
    return told
