"""What PyTorch says of arguments that its functions do not take."""

import warnings

from tests.conformance.observe import case, error, see


def complaints(*calls):
    """The error of each call, with all of its text."""
    told = []
    for call in calls:
        try:
            call()
            told.append("no error")
        except Exception as e:
            told.append(f"{type(e).__name__}: {e}".replace("facula.", "torch."))
    return told


@case
def overloads_are_listed_with_what_does_not_match(torch):
    x = torch.ones(2)
    return complaints(
        lambda: torch.hsplit(x, foo=2),
        lambda: torch.hsplit(bar=x, foo=2),
        lambda: torch.hsplit(input=3, sections="a"),
        lambda: torch.hsplit(torch.nn.Parameter(x), "a"),
        lambda: torch.hsplit((x,), (1, 2.0)),
        lambda: torch.tensor_split(x, "a", 0),
        lambda: torch.where(x > 0, "a", x),
        lambda: torch.where(x, other=2, bar=3),
        lambda: torch.clamp(x, "a", "b"),
        lambda: torch.max(x, foo=1),
        lambda: torch.squeeze(x, "a"),
        lambda: torch.quantile(x, q="a"),
        lambda: torch.sum(),
        lambda: torch.std(x, unbiased="a", dim=0),
        lambda: x.view("a"),
        lambda: x.view(),
        lambda: x.sum("a"),
        lambda: x.sum(0, 1, 2, 3, 4),
        lambda: x.masked_fill(x > 0, []),
        lambda: x.masked_fill_(x > 0, [[]]),
        lambda: x.scatter_(0, "a", "b", reduce="x"),
        lambda: x.random_("a"),
    )


@case
def functions_in_python_say_what_those_say_that_get_their_arguments(torch):
    F = torch.nn.functional
    x, classes = torch.ones(2, 3), torch.tensor([0, 1])
    image = torch.ones(1, 1, 4, 4)
    return complaints(
        lambda: F.cross_entropy(None, classes),
        lambda: F.cross_entropy(x, "abc"),
        lambda: F.cross_entropy(x, classes, ignore_index=True),
        lambda: F.cross_entropy(x, classes, label_smoothing="abc"),
        lambda: F.cross_entropy(x, classes, reduction=[]),
        lambda: F.nll_loss(None, classes),
        lambda: F.mse_loss(x, None),
        lambda: F.kl_div(-1, x, reduction="none"),
        lambda: F.binary_cross_entropy_with_logits(x, x, pos_weight="abc"),
        lambda: F.triplet_margin_loss(x, x, None),
        lambda: F.cosine_embedding_loss(None, x, classes),
        lambda: F.multi_margin_loss(x, None),
        lambda: F.embedding(None, x),
        lambda: F.embedding(classes, x, padding_idx=True),
        lambda: F.embedding_bag(classes, None),
        lambda: F.one_hot(classes, 1.5),
        lambda: F.one_hot(None),
        lambda: F.one_hot(classes, num_classes="abc"),
        lambda: F.pad(None, (1, 1)),
        lambda: F.pad(x, "abc"),
        lambda: F.pad(x, (1, 1), value="abc"),
        lambda: F.dropout(None, 0.0),
        lambda: F.dropout(x, "abc"),
        lambda: F.dropout(x, 0.5, "abc"),
        lambda: F.alpha_dropout(x, 0.5, 1),
        lambda: F.glu(None),
        lambda: F.glu(x, None),
        lambda: F.softsign("abc"),
        lambda: F.rrelu(None),
        lambda: F.logsigmoid(None),
        lambda: F.max_pool1d(None, 2),
        lambda: F.max_pool2d(image, "abc"),
        lambda: F.adaptive_avg_pool2d(None, 2),
        lambda: F.grid_sample(None, image, align_corners=False),
        lambda: F.grid_sample(image, image, mode=[]),
        lambda: F.interpolate(None, 2),
        lambda: F.unfold(image, "abc"),
        lambda: F.batch_norm(None, None, None),
        lambda: F.batch_norm(x, None, None, training=True, eps=-1.0),
        lambda: F.scaled_dot_product_attention(None, x, x),
        lambda: F.normalize(None),
        lambda: F.elu(x, 1j),
    )


@case
def functions_around_others_say_what_those_say(torch):
    x = torch.ones(2, 3)
    return complaints(
        lambda: torch.split(None, 1),
        lambda: torch.split(x, "abc"),
        lambda: x.split(1.5),
        lambda: torch.norm(None),
        lambda: torch.norm(x, []),
        lambda: x.norm(2, "abc"),
        lambda: torch.unique(x, sorted="abc"),
        lambda: x.unique(dim="abc"),
        lambda: torch.stft(None, 4),
        lambda: torch.stft(x, "abc", center=False),
        lambda: torch.meshgrid(None, indexing="ij"),
        lambda: torch.meshgrid(x[0], indexing=3),
        lambda: torch.broadcast_tensors(x, None),
        lambda: torch.cartesian_prod(None),
        lambda: torch.atleast_1d("abc"),
        lambda: torch.atleast_2d(x, None),
        lambda: torch.tensordot(None, x, 1),
        lambda: torch.cdist(x, None),
        lambda: torch.cdist(x, x, compute_mode=None),
        lambda: torch.cat([x], None),
        lambda: torch.stack([x], dim=True),
        lambda: torch.tril_indices(True, 2),
        lambda: torch.resize_as_(None, x),
        lambda: torch.set_grad_enabled(1),
    )


@case
def arguments_of_several_forms_do_not_go_together(torch):
    x, places = torch.ones(2, 3), torch.zeros(2, 3, dtype=torch.long)
    return complaints(
        lambda: x.std(0, True, correction=2),
        lambda: torch.var(x, dim=0, unbiased=True, correction=None),
        lambda: x.scatter(0, places, x, value=3.0),
        lambda: x.hsplit(1, sections=1),
        lambda: x.max(0, True, other=x),
        lambda: x.view((6,), size=[6]),
    )


@case
def numbers_that_do_not_fit(torch):
    x = torch.ones(2, 2)
    return complaints(
        lambda: x.fill_(2**70),
        lambda: torch.full((2,), 2**70, dtype=torch.float64),
        lambda: x.masked_fill(x > 0, 2**70),
        lambda: torch.addmm(x, x, x, alpha=2**70),
        lambda: torch.addmm(x, x, x, beta=1j),
        lambda: x.addmm_(x.long(), x.long(), alpha=1j),
        lambda: torch.lerp(x, x, 1j),
        lambda: x.roll(2**70, 0),
        lambda: torch.atan2(2**70, x),
        lambda: torch.empty((1, True)),
        lambda: torch.empty((True, 1)),
        lambda: torch.zeros(2, requires_grad=None),
        lambda: torch.zeros(2, device=2**70),
    )


@case
def changes_in_place_tell_of_arguments_before_leaves_and_of_leaves_before_shapes(torch):
    leaf = torch.ones(2, 2, requires_grad=True)
    x, vector, whole = torch.ones(2, 2), torch.ones(3), torch.ones(2, 2, dtype=torch.long)
    told = []
    for t in (leaf, leaf[0:2], x):
        told += complaints(
            lambda t=t: t.addmm_(5, x),
            lambda t=t: t.addmm_(vector, x),
            lambda t=t: t.addmv_(x, None),
            lambda t=t: t.baddbmm_(x, "abc"),
            lambda t=t: t.lerp_(5, 1),
            lambda t=t: t.lerp_(x, None),
            lambda t=t: t.lerp_(whole, 1),
            lambda t=t: t.polygamma_(1.5),
            lambda t=t: t.mvlgamma_(x),
            lambda t=t: t.set_(5),
            lambda t=t: t.fill_("abc"),
            lambda t=t: t.fill_(vector),
            lambda t=t: t.clamp_("abc"),
            lambda t=t: t.clamp_(None),
            lambda t=t: t.pow_("abc"),
            lambda t=t: t.eq_(None),
            lambda t=t: t.add_(vector),
            lambda t=t: t.add_("abc"),
            lambda t=t: t.copy_(vector),
            lambda t=t: t.masked_fill_(vector > 0, 1),
        )
    return [line.partition("\n")[0] for line in told]


@case
def conversions_take_flags_and_formats_of_their_kind_only(torch):
    x, y, f64 = torch.ones(2), torch.ones(2).double(), torch.float64
    taken = [
        x.to(tensor=y).dtype, x.to(y, False, True).dtype, x.to("cpu", f64, False, True).dtype, x.to(None, f64).dtype,
        x.to(f64, memory_format=None).dtype, x.to(float).dtype,
    ]  # fmt: skip
    told = complaints(
        *(lambda bad=bad: x.to("cpu", f64, True, bad) for bad in (None, 1, "a")),
        *(lambda bad=bad: x.to(f64, bad) for bad in (None, 1, f64)),
        *(lambda bad=bad: x.to(y, copy=bad) for bad in (None, 1.5)),
        *(lambda bad=bad: x.to(f64, memory_format=bad) for bad in (1, "a")),
        lambda: x.to(f64, dtype=f64),
        lambda: x.to("cpu", device="cpu"),
        lambda: x.to(other=y),
        lambda: x.to("cpu", f64, False, False, False),
        lambda: torch.nn.Linear(1, 1).to(f64, f64),
    )
    return [*map(str, taken), *told]


@case
def dtypes_may_be_types_of_python(torch):
    found = [torch.promote_types(float, torch.int8), torch.promote_types(bool, int), torch.can_cast(int, torch.int8)]
    told = complaints(
        lambda: torch.promote_types(None, None),
        lambda: torch.promote_types(torch.float32, 1),
        lambda: torch.can_cast(None, torch.int8),
        lambda: torch.result_type(None, 1),
    )
    return [*map(str, found), *told]


@case
def errors_of_values_are_those_of_pytorch(torch):
    x, nan = torch.arange(6.0).reshape(2, 3), float("nan")
    pad, windows = torch.nn.functional.pad, torch.signal.windows
    warnings.simplefilter("ignore")  # that index_reduce is in beta
    return complaints(
        lambda: torch.dist(torch.ones(2), torch.ones(5)),
        lambda: torch.dist(torch.tensor([True]), torch.ones(1)),
        lambda: torch.dist(x, x, 1j),
        lambda: torch.cdist(x, x, nan),
        lambda: torch.nn.functional.glu(torch.ones(2, 2, dtype=torch.int64)),
        lambda: torch.ones(2).bool().index_reduce(0, torch.tensor([0, 1]), torch.ones(2).bool(), "mean"),
        lambda: pad(torch.zeros(1, 2, 2), (-1, -1), mode="reflect"),
        lambda: pad(torch.zeros(0, 2, 2), (-1, -2), mode="replicate"),
        lambda: pad(torch.zeros(1, 2, 2, 2), (-1, -1, 0, 0), mode="replicate"),
        lambda: torch.as_strided(x, (2,), (1,), -1),
        lambda: torch.trapezoid(x, x, dx=1),
        lambda: torch.cumulative_trapezoid(x, x, dx=1),
        lambda: torch.tril_indices(2, 2, device="abc"),
        lambda: torch.arange(1, 2, 1j),
        lambda: torch.addr(x, torch.ones(2), torch.ones(3), beta=True),
        lambda: torch.nn.functional.max_unpool1d(x[None], x[None].long(), 2, padding={}),
        lambda: x.norm(foo=1),
        lambda: x.split(2, foo=1),
        lambda: windows.hann(1.5),
        lambda: windows.hann(True, sym=torch.ones(2)),
        lambda: windows.kaiser(0, layout=None),
    )


@case
def indices_of_triangles_on_meta_have_no_values(torch):
    made = torch.tril_indices(3, 2, device="meta"), torch.triu_indices(3, 2, -1, dtype=torch.int32, device="meta")
    return [f"{t.device} {tuple(t.shape)} {t.dtype}" for t in made]


def _texts(call):
    """All that is warned of, but for where in PyTorch's code."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        call()
    return [str(w.message).partition(" (Triggered")[0] for w in seen]


@case
def numbers_before_what_they_multiply_are_warned_of(torch):
    x = torch.ones(2)
    always = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    try:
        return [
            _texts(call)
            for call in (
                lambda: torch.add(x, 2, x), lambda: torch.sub(x, 2, x), lambda: x.add(2, x), lambda: x.sub(2, x),
                lambda: x.add_(2, x), lambda: x.sub_(2, x), lambda: torch.addcmul(x, 2, x, x),
            )
        ]  # fmt: skip
    finally:
        torch.set_warn_always(always)


def _assignments(torch, **values):
    """What is said of each value when it is assigned to the attribute."""
    x, y = torch.ones(2), torch.ones(2, requires_grad=True) * 2
    told = []
    for t in (x, y, torch.ones(2, dtype=torch.complex64)):
        for name, given in values.items():
            for value in given:
                told += complaints(lambda t=t, name=name, value=value: setattr(t, name, value))
    return told


@case
def attributes_that_cannot_be_set(torch):
    names = (
        "shape dtype device layout grad_fn is_leaf T mT H ndim nbytes itemsize is_cuda is_meta output_nr retains_grad"
    )
    x = torch.ones(2, 2)
    return [
        *_assignments(torch, **{name: [None, 1] for name in names.split()}),
        *complaints(*(lambda name=name: delattr(x, name) for name in names.split())),
    ]


@case
def attributes_that_are_set_to_something_else(torch):
    meta = torch.ones(2, device="meta")
    return _assignments(
        torch, requires_grad=[True, False, 1], data=[None, meta, 3], grad=[None, 3, torch.ones(3)],
        real=[None, "a", 1j, [1], torch.ones(3), 2], imag=[None, "a", 1j, torch.ones(3), 2],
    )  # fmt: skip


@case
def tensors_stand_for_numbers(torch):
    x, t = torch.tensor([-1.0, 1.0, 3.0]), torch.tensor
    F = torch.nn.functional
    weight = torch.ones(3, 2)
    return [
        see(torch, found)
        for found in (
            F.softplus(x, 1, t(1)), F.softplus(x, t(2.0), t(1)), F.hardshrink(x, t(1)), F.softshrink(x, t(1.0)),
            F.elu(x, t(2.0)), F.leaky_relu(x, t(0.5)), F.threshold(x, t(0.5), t(7)), F.hardtanh(x, t(-0.5), t(0.5)),
            F.conv1d(torch.ones(1, 2, 5), torch.ones(2, 1, 3), groups=t(2)), F.group_norm(torch.ones(2, 4), t(2)),
            F.embedding(t([1, 2]), weight.clone(), max_norm=t(1)), torch.linalg.norm(x, t(3.0)),
            F.layer_norm(torch.ones(2, 3), (3,), eps=t(1.0)), F.huber_loss(x, x * 2, delta=t(1.0)),
            torch.renorm(weight, t(1), t(0), t(0.5)), torch.dist(x, x * 2, t(3.0)), torch.std(x, correction=t(0)),
            torch.nan_to_num(x, t(1.0)), torch.topk(x, t(1))[0], torch.fft.fft(x, t(4)),
        )
    ]  # fmt: skip


@case
def results_of_another_kind(torch):
    x, m = torch.tensor([3.0, 1.0, 2.0]), torch.eye(2) + 1
    calls = (
        lambda out: torch.max(x, 0, out=out), lambda out: torch.sort(x, out=out),
        lambda out: torch.cat([x, x], out=out), lambda out: torch.cumsum(x, 0, out=out),
        lambda out: torch.where(x > 0, x, x, out=out), lambda out: torch.linalg.qr(m, out=out),
        lambda out: torch.svd(m, out=out), lambda out: torch.stack([x, x], out=out),
    )  # fmt: skip
    given = ("a", [], (), ["a"], [1, 2], {})
    told = complaints(*(lambda call=call, out=out: call(out) for call in calls for out in given))
    return [text.partition(", but expected ")[0] for text in told]


@case
def sizes_of_layers_are_those_of_any_iterable(torch):
    nn, x = torch.nn, torch.ones(1, 2, 5, 5)
    return complaints(
        lambda: nn.Conv2d(2, 4, torch.tensor(1)),
        lambda: nn.Conv2d(2, 4, 3, stride={})(x),
        lambda: nn.Conv2d(2, 4, 3, padding_mode=[]),
        lambda: nn.ConvTranspose2d(2, 4, 3, output_padding={})(x),
        lambda: nn.FractionalMaxPool2d(torch.tensor(1), output_ratio=0.5),
        lambda: nn.BatchNorm2d([])(x),
        lambda: nn.BatchNorm2d(None),
        lambda: nn.PReLU("a"),
        lambda: nn.Parameter(x, "a"),
    )


@case
def flags_of_a_backward_pass(torch):
    def run(**flags):
        torch.ones(2, requires_grad=True).sum().backward(**flags)

    return complaints(
        *(
            lambda name=name, value=value: run(**{name: value})
            for name in ("create_graph", "retain_graph")
            for value in ("a", [], {}, 1.5, 2**70, -1)
        ),
        lambda: run(create_graph=None),
    )


@case
def indices_beside_leaves_and_bytes(torch):
    p = torch.ones(2, 3, requires_grad=True)
    return complaints(
        lambda: p.__setitem__(torch.ones(2, 2), 1),
        lambda: p.__setitem__(torch.tensor([True]), 1),
        lambda: p.__setitem__([True, False, True], 1),
        lambda: torch.ones(2).__setitem__(torch.tensor([True]), 1),
        lambda: torch.ones(2)[b"a"],
    )


@case
def transposing_what_is_no_matrix_is_warned_of(torch):
    always = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    try:
        zero = torch.ones(())
        return [
            _texts(call)
            for call in (
                lambda: torch.ones(2).T, lambda: torch.ones(2, 2, 2).T, lambda: torch.ones(2, 2).T, lambda: zero.T,
                lambda: zero.mT, lambda: zero.mH, lambda: zero.H, lambda: zero.adjoint(),
            )
        ]  # fmt: skip
    finally:
        torch.set_warn_always(always)


@case
def limits_that_are_not_numbers(torch):
    x, nan = torch.ones(2, 2), float("nan")
    F = torch.nn.functional
    return complaints(
        lambda: F.huber_loss(x, x, delta=nan),
        lambda: F.smooth_l1_loss(x, x, beta=nan),
        lambda: F.pdist(x, nan),
        lambda: torch.renorm(x, nan, 0, 1.0),
        lambda: torch.normal(x, nan),
        lambda: x.clone().normal_(0, nan),
    )


@case
def sequences_and_paths_of_another_kind(torch):
    rnn, m = torch.nn.utils.rnn, torch.nn.Sequential(torch.nn.ReLU())
    return complaints(
        lambda: rnn.pack_padded_sequence(None, [2]),
        lambda: rnn.pack_padded_sequence("abc", [2]),
        lambda: rnn.pack_sequence(None),
        lambda: rnn.pack_sequence(["abc"]),
        lambda: rnn.pack_sequence(3),
        lambda: m.get_submodule(None),
        lambda: m.get_submodule([]),
        lambda: m.get_submodule("a.b"),
    )


@case
def methods_by_their_parameters_names(torch):
    """Those in place, too."""
    x = torch.arange(4, dtype=torch.float64).reshape(2, 2)
    found = [
        x.clone().copy_(other=x + 1), x.sum_to_size(size=(1, 2)), x.clone().addmm_(mat1=x, mat2=x, alpha=2),
        x.clone().addmm_(x, mat2=x), x[0].clone().addmv_(mat=x, vec=x[0]), x.clone().addr_(vec1=x[0], vec2=x[1]),
        x[None].clone().baddbmm_(batch1=x[None], batch2=x[None]), x.clone().addbmm_(batch1=x[None], batch2=x[None]),
    ]  # fmt: skip
    wrong = [error(lambda: x.clone().addmm_(x, x, other=x))]
    types = [str(torch.result_type(x, other=torch.ones(1))), str(torch.result_type(tensor=x, other=1j))]
    return [[see(torch, t) for t in found], wrong, types]


@case
def out_of_nothing_lies_as_the_operands(torch):
    """An ``out=`` that gets its shape from an elementwise operator."""
    x = torch.arange(6, dtype=torch.float64).reshape(2, 3).t()
    calls = [
        lambda out: torch.add(x, x, out=out), lambda out: torch.exp(x, out=out), lambda out: torch.div(x, 2.0, out=out),
        lambda out: torch.clamp(x, 0, 1, out=out), lambda out: torch.lerp(x, x, 0.5, out=out),
        lambda out: torch.pow(x, 2, out=out), lambda out: torch.cumsum(x, 0, out=out),
        lambda out: torch.sum(x[None], 0, out=out), lambda out: torch.cat([x, x], out=out),
        lambda out: torch.nn.functional.normalize(x, out=out), lambda out: torch.where(x > 2, x, x, out=out),
    ]  # fmt: skip
    return [[see(torch, t := f(torch.empty(0, dtype=torch.float64))), list(t.stride())] for f in calls]
