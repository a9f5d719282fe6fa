"""What is given in place of something else: switches, tolerances, levels, numbers of NumPy's, backends."""

from __future__ import annotations

import io
import warnings

import numpy as np

from tests.conformance.cases_arguments import complaints
from tests.conformance.observe import case, error


def found(*calls):
    """What each call gives, or the error that it ends with."""
    told = []
    for call in calls:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                value = call()
            told.append([list(value.shape), str(value.dtype).replace("facula.", "torch."), value.tolist()])
        except Exception as e:
            told.append(f"{type(e).__name__}: {' '.join(str(e).split())[:120]}".replace("facula.", "torch."))
    return told


def kinds(*calls):
    """The classes of errors whose texts are Python's own, which depend on its version."""
    return [error(call)["raises"] for call in calls]


@case
def anomaly_mode_is_a_bool(torch):
    A = torch.autograd
    wrong = (None, "abc", 1, 1.5, np.bool_(True), np.ones(2), torch.tensor(True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        told = [
            complaints(
                lambda: A.set_detect_anomaly(v), lambda: A.set_detect_anomaly(True, v),  # noqa: B023
                lambda: A.detect_anomaly(v).__enter__(),  # noqa: B023
            )
            for v in wrong
        ]  # fmt: skip
    return told, torch.is_anomaly_enabled()


@case
def tolerances_of_gradcheck_are_numbers(torch):
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    check = torch.autograd.gradcheck
    return complaints(
        *(lambda name=name, v=v: check(torch.square, x, **{name: v})
          for name in ("eps", "atol", "rtol", "nondet_tol") for v in ("abc", None, object)),
        lambda: check(torch.square, x, atol=2**70), lambda: check(torch.square, x, rtol=np.float32(0.001)),
    )  # fmt: skip


@case
def cotangents_are_tensors(torch):
    vjp, x = torch.func.vjp, torch.ones(2)
    two = lambda x: (x, x * 2)
    return complaints(
        *(lambda v=v: vjp(torch.square, x)[1](v) for v in (None, "abc", 1, 1.5, np.ones(2))),
        lambda: vjp(two, x)[1]((x, "abc")), lambda: vjp(two, x)[1]((torch.ones(3), "abc")),
    )  # fmt: skip


@case
def transforms_of_wrong_numbers(torch):
    x, double = torch.ones(2, 3), lambda x: x * 2
    F = torch.func
    return found(
        *(lambda v=v: F.vmap(double, chunk_size=v)(x) for v in (np.int64(1), torch.tensor(2), 0, -1)),
        lambda: F.vmap(double, in_dims=True)(x), lambda: F.vmap(double, in_dims=(False,))(x),
        lambda: F.linearize(double, x.long())[0], lambda: F.linearize(double, x > 0)[0],
        lambda: F.stack_module_state(n for n in range(2)), lambda: F.stack_module_state(None),
    )  # fmt: skip


@case
def levels_of_duals(torch):
    fa, x = torch.autograd.forward_ad, torch.ones(2)
    with fa.dual_level():
        return found(
            *(lambda v=v: fa.make_dual(x, x, level=v) for v in (None, 0, 1, 5, -1, True, 1.5, np.int64(0), np.bool_(0)))
        )


@case
def numbers_of_numpy_are_numbers(torch):
    x, i = torch.linspace(-1, 1, 6).reshape(2, 3), torch.tensor([1, 2, 3])
    F = torch.nn.functional
    image, weight = torch.ones(1, 2, 4, 4), torch.ones(2, 1, 2, 2)
    two, half, yes = np.int64(2), np.float32(0.5), np.bool_(True)
    return found(
        lambda: x.clamp(half), lambda: x.clamp(np.float64(-0.5), half), lambda: x.clamp(max=np.int64(0)),
        lambda: i.clamp(two), lambda: i.clamp(half), lambda: torch.clamp(i, yes), lambda: x.clamp_(min=half),
        lambda: x.masked_fill(x > 0, yes), lambda: i.masked_fill(i > 1, yes), lambda: torch.quantile(x, half),
        lambda: torch.quantile(x, np.int64(1), 0), lambda: torch.nanquantile(x, half, 1),
        lambda: F.conv2d(image, weight, groups=two), lambda: F.conv2d(image, weight, None, 1, "same", 1, two),
        lambda: torch.conv2d(image, weight, None, two, 0, 1, two), lambda: torch.nn.Conv2d(4, 2, 2, groups=two)(image),
        lambda: F.conv_transpose2d(image, weight, groups=two), lambda: F.avg_pool1d(image[0], 2, two),
        lambda: F.avg_pool1d(image[0], two), lambda: F.lp_pool1d(image[0], 2, two),
        lambda: F.lp_pool2d(image, 2, two, two), lambda: x.repeat_interleave(two, 0), lambda: torch.histc(x, bins=two),
        lambda: torch.linalg.matrix_power(x[:, :2], two), lambda: torch.searchsorted(x[0], half),
        lambda: x.amax(dim=torch.tensor(1)), lambda: torch.fft.fftn(x, s=torch.tensor(2)).abs(),
        lambda: x.sum(np.int64(1)),
        lambda: torch.gradient(x[0], spacing=half)[0], lambda: torch.full((2,), half), lambda: x.add(x, alpha=half),
        lambda: torch.zeros(2).lerp_(torch.ones(2), half), lambda: torch.zeros(2).lerp(torch.ones(2), yes),
    )  # fmt: skip


@case
def widths_of_padding_are_integers(torch):
    F, nn, x = torch.nn.functional, torch.nn, torch.ones(1, 2, 4, 4)
    wrong = (True, 1.5, np.float32(1), np.int64(1), np.bool_(True), torch.tensor(1.0), torch.tensor(1), "a", None)
    return [
        found(
            lambda: F.pad(x, (p, p)), lambda: F.pad(x, (1, p)), lambda: F.pad(x, [p, p, p, p], "replicate"),  # noqa: B023
            lambda: F.pad(x, (p, p, p, p), "circular"), lambda: F.pad(x, p),  # noqa: B023
            lambda: nn.ReflectionPad2d((p, 1, 1, 1))(x), lambda: nn.ConstantPad1d((p, p), 2.0)(x[0]),  # noqa: B023
        )
        for p in wrong
    ]  # fmt: skip


@case
def windows_of_wrong_sizes(torch):
    F, x = torch.nn.functional, torch.linspace(-1, 1, 16).reshape(1, 1, 4, 4)
    half = torch.full((1, 1, 3), 0.5)
    return found(
        *(lambda k=k, o=o: F.fractional_max_pool2d(x, k, o, _random_samples=half[..., :2])
          for k, o in ((-1, 2), (-3, (2, 3)), (2, -1), (0, 2), (2, 0), (5, 1), (-1, -1), (2, (2, -2)))),
        *(lambda k=k, o=o: F.fractional_max_pool3d(x[None].expand(1, 1, 4, 4, 4), k, o, _random_samples=half)
          for k, o in ((-1, 2), (2, -1), (-1, -1))),
        *(lambda p=p, f=f, c=c: f(x[0, :, :3, :3] if f is F.lp_pool2d else x[0], p, 2, ceil_mode=c)
          for p in (float("inf"), -float("inf")) for f in (F.lp_pool1d, F.lp_pool2d) for c in (False, True)),
        lambda: F.avg_pool1d(x[0], 2, []), lambda: F.lp_pool1d(x[0], 2, 2, []),
        lambda: F.lp_pool2d(x, 2, 2, np.ones(2)),
        lambda: F.lp_pool1d(x[0], 2, 2, np.ones(1)),
    )  # fmt: skip


@case
def settings_that_make_no_sense(torch):
    F, nn, x = torch.nn.functional, torch.nn, torch.ones(2, 3)
    return found(
        *(lambda e=e: F.cosine_similarity(x, x, eps=e) for e in (-1, -1.5, float("nan"), -0.0)),
        lambda: F.cosine_similarity(x.long(), x.long(), eps=-1), lambda: F.cosine_similarity(x, x[:, :2], eps=-1),
        *(lambda n=n: x.repeat_interleave(2, 0, output_size=n) for n in (4, 5, 0, -1, np.int64(1))),
        lambda: x.repeat_interleave(-2, output_size=5), lambda: nn.Embedding(4, 3, padding_idx=float("nan")).weight,
        lambda: nn.Embedding(4, 3, padding_idx=9).weight, lambda: nn.EmbeddingBag(4, 3, padding_idx=-5).weight,
        lambda: nn.Linear(1, 1)._apply(lambda t: None).weight, lambda: nn.Linear(1, 1)._apply(lambda t: "abc").weight,
        lambda: nn.Linear(1, 1).type(None).weight,
        lambda: nn.TripletMarginWithDistanceLoss()(np.ones((2, 3)), x, x),
        *(lambda v=v: nn.utils.rnn.PackedSequence(x[0], torch.tensor([2, 1]), v)[3]
          for v in ("abc", [], 3, object(), torch.tensor([1.5]), torch.tensor([1, 0, 2]))),
    )  # fmt: skip


@case
def calls_of_aten_with_no_tensors(torch):
    aten, x = torch.ops.aten, torch.ones(2, 3)
    return [
        each.partition(":")[0]
        for each in complaints(
            *(lambda v=v: aten._batch_norm_with_update(x, v, None, x[0], x[0], 0.1, 1e-5) for v in ("abc", 1, [], {})),
            lambda: aten._batch_norm_with_update("abc", None, None, x[0], x[0], 0.1, 1e-5),
        )
    ]


@case
def what_is_compiled_and_how(torch):
    twice, compiled = (lambda x: x * 2), torch.compile
    C = torch.compiler
    return complaints(
        lambda: compiled(twice, foo=1), *(lambda v=v: compiled(twice, dynamic=v) for v in ("abc", 1, 1.5, [])),
        lambda: compiled(3), lambda: compiled(twice, mode="abc"), lambda: compiled(twice, mode="default", options={}),
        lambda: compiled(twice, mode="abc", backend="eager")(torch.ones(2)),
        lambda: compiled(twice, backend=None, disable=True), lambda: compiled(twice, backend="abc"),
        *(lambda v=v, f=f: f(v) for v in (1, "abc", 3.5, {}) for f in (C.disable, C.allow_in_graph)),
        lambda: C.allow_in_graph([print, 1]), lambda: C.allow_in_graph((twice, print)),
    ), kinds(*(lambda v=v: C.assume_constant_result(v) for v in (1, "abc", None, 3.5)))  # fmt: skip


@case
def integers_beyond_64_bits_are_floats_where_floats_are_taken(torch):
    F, x, n = torch.nn.functional, torch.linspace(-1, 1, 6).reshape(2, 3), 10**25
    return found(
        lambda: torch.isclose(x, x + 1, atol=n), lambda: torch.isclose(x, x + 1, rtol=n, atol=0),
        lambda: F.layer_norm(x, (3,), eps=n), lambda: F.group_norm(x, 1, eps=n), lambda: F.rms_norm(x, (3,), eps=n),
        lambda: F.cosine_similarity(x, x, eps=n), lambda: F.pairwise_distance(x, x, eps=n).isfinite(),
        lambda: F.triplet_margin_loss(x, x, x, margin=n), lambda: F.hinge_embedding_loss(x, x, margin=n),
        lambda: F.layer_norm(x, (3,), eps=10**400), lambda: torch.isclose(x, x, atol=10**400),
        lambda: torch.logit(x.abs(), n), lambda: x.fill_(n), lambda: torch.full((2,), n), lambda: F.dropout(x, n),
    )  # fmt: skip


@case
def recurrent_layers_and_packing_of_wrong_switches(torch):
    nn, x = torch.nn, torch.ones(2, 3, 4)
    pack = nn.utils.rnn
    return [
        [each[:90] for each in found(
            *(lambda cls=cls: cls(4, 2, bidirectional=v)(x)[0] for cls in (nn.RNN, nn.GRU, nn.LSTM)),  # noqa: B023
            lambda: pack.pad_sequence([x[0], x[0, :2]], v), lambda: pack.pad_sequence([x[0]], padding_side=v),  # noqa: B023
            lambda: pack.pad_packed_sequence(pack.pack_sequence([x[0], x[0, :2]]), v)[0],  # noqa: B023
        )]
        for v in (None, "abc", 1, [], 1.5)
    ]  # fmt: skip


@case
def loaders_without_workers_do_not_wait(torch):
    loader = torch.utils.data.DataLoader
    return complaints(*(lambda t=t: list(loader([1, 2], timeout=t)) for t in (0, 0.0, 1, True, 2**70, -1)))


@case
def tensors_or_numbers_of_methods(torch):
    x = torch.arange(3.0)
    return complaints(
        *(lambda v=v: x.is_set_to(v) for v in (None, 3, "abc", [x], x)),
        *(lambda v=v: v in x for v in (np.int64(1), np.float32(7), np.bool_(True), np.array(1), "a")),
        *(lambda v=v: x.clone().copy_(v) for v in (np.int64(2), np.float32(0.5), np.bool_(True), np.array(2), "a")),
    ), found(*(lambda v=v: x.clone().copy_(v) for v in (np.int64(2), np.float32(0.5), np.bool_(True), 2)))


@case
def files_are_loaded_with_known_options(torch):
    def load(**options):
        file = io.BytesIO()
        torch.save({"a": torch.ones(2)}, file)
        file.seek(0)
        return torch.load(file, **options)["a"]

    return found(
        lambda: load(foo=1), lambda: load(fix_imports=False), lambda: load(encoding="utf-8"),
        lambda: load(encoding="utf-8", weights_only=False),
    ), kinds(lambda: load(foo=1, weights_only=False))  # fmt: skip


@case
def questions_about_what_is_no_tensor(torch):
    names = "numel is_floating_point is_complex is_signed is_conj is_neg is_inference get_device detach".split()
    x = torch.ones(2, 3)
    dims = (np.ones(2), np.array(1), True, "a", 1.5, [0], torch.tensor(1.0), 5)
    return complaints(
        *(lambda n=n, v=v: getattr(torch, n)(v) for n in names for v in (None, 3, [1])),
        lambda: torch.is_same_size(x, None), lambda: torch.utils.dlpack.to_dlpack(None),
        torch.numel, lambda: torch.numel(x, 1), lambda: torch.Generator().graphsafe_set_state(3),
        *(lambda n=n, d=d: getattr(x, n)(d) for n in ("size", "stride") for d in dims),
    ), [getattr(x, n)(d) for n in ("size", "stride") for d in (np.int64(1), torch.tensor(1), -1)]
