"""What is said of wrong arguments, and which of two refusals is told."""

from __future__ import annotations

import warnings

import numpy as np

from tests.conformance.cases_arguments import complaints
from tests.conformance.observe import case


def told(call):
    try:
        call()
    except Exception as e:
        return type(e).__name__, str(e).split(". ")[0].split("\n")[0]
    return "fine"


def _spoiled(torch):
    """Views that may not be used any more."""
    for part in (lambda t: t.unbind(0)[0], lambda t: t[0].unbind(0)[0], lambda t: t.split([0, 2], 0)[0]):
        t = torch.tensor([[-1.5, -1.25], [1.75, 0.5]], requires_grad=True) * 1
        view = part(t)
        t.mul_(2)
        yield view
    t = torch.tensor([[-1.5, -1.25], [1.75, 0.5]], requires_grad=True) * 1
    with torch.no_grad():
        view = t[0]
    t.mul_(2)
    yield view


@case
def views_that_may_not_be_used_and_arguments_that_do_not_fit(torch):
    F = torch.nn.functional
    calls = [
        lambda v: torch.einsum("ijk->i", v), lambda v: v.tensor_split(2, 3), lambda v: v.chunk(2, 5),
        lambda v: v.argmax(dim=5), lambda v: v.argsort(0), lambda v: v.sort(5), lambda v: v.narrow(0, 5, 1),
        lambda v: v.unflatten(-1, (3, 3)) if v.dim() else None, lambda v: v.flatten(3), lambda v: v.movedim(4, 5),
        lambda v: v.any(5), lambda v: v.eq(torch.zeros(9)), lambda v: v + torch.zeros(9), lambda v: v.diff(dim=5),
        lambda v: torch.broadcast_tensors(v, torch.zeros(5)), lambda v: F.conv1d(v, v),
        lambda v: torch.fft.fft(v, dim=5), lambda v: v.quantile(2.0), lambda v: F.one_hot(v),
        lambda v: torch.tensordot(v, v, 5),
        lambda v: torch.cat([v, torch.zeros(1, 5)], 3), lambda v: torch.stack([v, torch.zeros(7)]),
        lambda v: torch.addcmul(v, v, v, out=v), lambda v: torch.exp(v, out=v), lambda v: v.count_nonzero(5),
        torch.logdet, lambda v: torch.matrix_power(v, 2), lambda v: torch.linalg.matrix_norm(v),
        lambda v: v.repeat_interleave(2, 5), lambda v: v.sum(5), lambda v: v.view(7), lambda v: v.retain_grad(),
    ]  # fmt: skip
    return [[told(lambda call=call, v=v: call(v)) for v in _spoiled(torch)] for call in calls]


@case
def views_of_views_of_inference_mode(torch):
    def part(kind, t):
        if kind == "split":
            return t.split(2)[0]
        with torch.inference_mode() if kind == "inference" else torch.no_grad():
            return t[:]

    found = []
    for first in ("inference", "no_grad", "split"):
        for second in ("inference", "no_grad", "split"):
            t = torch.ones(2, requires_grad=True) * 1
            view = part(second, part(first, t))
            found.append(told(lambda view=view: view.add_(1)))
            t.add_(1)
            found.append(told(lambda view=view: view.grad_fn))
    return found


@case
def gradient_edges_of_views_without_a_node(torch):
    leaf = torch.ones(2, 2, requires_grad=True)
    with torch.no_grad():
        views = [leaf[0], leaf.unbind(0)[0], (leaf * 1)[0]]
    with torch.inference_mode():
        views.append(leaf[1])
    return [told(lambda v=v: torch.autograd.graph.get_gradient_edge(v)) for v in views]


@case
def indices_and_values_that_do_not_fit(torch):
    x, empty = torch.zeros(3, 2, dtype=torch.float64), torch.zeros(0, 2, dtype=torch.int8)
    i, j = torch.tensor([0, 1]), torch.tensor([0, 1, 1])
    of_other_dtype = torch.tensor(1.5)

    def write(t, key, value):
        t[key] = value

    return [
        told(call)
        for call in (
            lambda: empty.index_put_((torch.tensor([0]),), of_other_dtype),
            lambda: empty.index_put_((torch.tensor([0]),), torch.zeros(7, dtype=torch.int8)),
            lambda: x.index_put_((i, j), of_other_dtype), lambda: x.index_put_((i, j), torch.zeros(7)),
            lambda: x.index_put_((i, i), of_other_dtype), lambda: x.index_put_((i, i), torch.zeros(7)),
            lambda: x.index_put((i, j), of_other_dtype), lambda: write(x, (i, j), of_other_dtype),
            lambda: write(empty, torch.tensor([0]), of_other_dtype),
            lambda: write(x, (torch.tensor([True, True, True]), i), of_other_dtype),
        )
    ]  # fmt: skip


@case
def bilinear_without_features(torch):
    n = [(0, 0, 2), (0, 2, 2), (2, 0, 2), (2, 2, 0)]
    bilinear = torch.nn.functional.bilinear
    return [
        told(lambda a=a, b=b, c=c: bilinear(torch.zeros(3, a), torch.zeros(3, b), torch.ones(c, a, b)))
        for a, b, c in n
    ]  # fmt: skip


@case
def methods_are_named_by_their_class(torch):
    nn, d = torch.nn, torch.distributions
    x = torch.ones(1, 1, 4)
    p = [torch.ones(1, requires_grad=True)]
    return complaints(
        lambda: nn.GRU(2, 2)(),
        lambda: nn.Conv1d(1, 1, 2)(),
        lambda: nn.ConvTranspose3d(1, 1, 2)(x, x, x),
        lambda: nn.AdaptiveMaxPool2d(2)(),
        lambda: nn.MaxUnpool1d(2)(),
        lambda: nn.Linear(1, 1).register_forward_hook(),
        lambda: nn.Linear(1, 1).register_state_dict_pre_hook(1, 2),
        lambda: nn.Linear(1, 1).share_memory(1),
        lambda: torch.optim.SGD(p).step(1, 2),
        lambda: torch.optim.AdamW(p).step(nonsense=1),
        lambda: d.Bernoulli(0.5).log_prob(),
        lambda: d.Bernoulli(0.5).enumerate_support(1, 2),
        lambda: d.Uniform(0.0, 1.0).rsample(1, 2, 3),
    )


@case
def layers_pass_their_settings_by_place(torch):
    nn = torch.nn
    x, image = torch.ones(1, 1, 4), torch.ones(1, 1, 4, 4)
    return complaints(
        lambda: nn.AvgPool1d(2, 2, 1j)(x),
        lambda: nn.AvgPool1d(2, 2, 1, "a")(x),
        lambda: nn.AvgPool2d(1j)(image),
        lambda: nn.AvgPool2d(2, divisor_override="a")(image),
        lambda: nn.MaxPool2d(2, 2, 1.5)(image),
        lambda: nn.MaxPool2d(2, dilation=1.5)(image),
        lambda: nn.LPPool1d("a", 2)(x),
        lambda: nn.LPPool2d(None, 2)(image),
        lambda: nn.ConvTranspose1d(1, 1, 2)(x, [9]),
    )


@case
def settings_of_optimizers_are_compared_with_numbers(torch):
    p = [torch.ones(1, requires_grad=True)]
    optim = torch.optim
    return complaints(
        lambda: optim.Adam(p, lr=None),
        lambda: optim.Adam(p, eps="a"),
        lambda: optim.RMSprop(p, weight_decay=[1]),
        lambda: optim.Adafactor(p, d=None),
        lambda: optim.SparseAdam(p, eps=None),
        lambda: optim.ASGD(p, lr=-1),
        lambda: optim.Muon([torch.ones(1, 1)], momentum=-1.0),
    )


@case
def devices_have_a_type_and_a_number(torch):
    return [
        *complaints(
            lambda: torch.device("cpu", {}),
            lambda: torch.device("cpu", 1.5),
            lambda: torch.device("cpu", True),
            lambda: torch.device("cpu", -5),
            lambda: torch.device("cpu", 2**70),
            lambda: torch.device({}, 0),
            lambda: torch.device(),
            lambda: torch.device(-1),
            lambda: torch.ones(1, device=-1),
            lambda: torch.Generator(device={}),
            lambda: torch.autocast("cpu", dtype=1, enabled=False).__enter__(),
            lambda: torch.autocast("cpu", enabled=1).__enter__(),
        ),
        str(torch.Generator(device=None).device),
    ]


@case
def memory_of_others_is_asked_for_by_kinds(torch):
    t, memory = torch.ones(2), bytearray(8)
    storage = torch.ones(3).untyped_storage()
    return [
        *complaints(
            lambda: torch.frombuffer(memory, dtype=None),
            lambda: torch.frombuffer(memory),
            lambda: torch.frombuffer(memory, dtype=torch.float32, count=None),
            lambda: torch.frombuffer(memory, dtype=torch.float32, offset=True),
            lambda: torch.frombuffer(memory, dtype=torch.float32, requires_grad=None),
            lambda: torch.asarray([1.0], copy="a"),
            lambda: torch.asarray([1.0], device={}),
            lambda: torch.asarray([1.0], requires_grad="a"),
            lambda: t.new_tensor([1.0], requires_grad=None),
            lambda: t.new_tensor([1.0], device={}),
            lambda: t.numpy(force="a"),
            lambda: t.map_(1j, max),
            lambda: t.set_(storage, 0, (1, 2), (1,)),
            lambda: t.set_(storage, -1, (3,), (1,)),
            lambda: t.set_(torch.ones(3), 2, (2,), (1,)),
            lambda: torch.ones(3) in torch.ones(2),
        ),
        torch.frombuffer(memory, dtype=float).tolist(),
        torch.ones(2).set_(storage, 0, (3,), ()).stride(),
    ]


@case
def graphs_are_asked_for_by_tensors(torch):
    x = torch.ones(1, requires_grad=True)
    graph = torch.autograd.graph
    x_by_generator = torch.ones(1, requires_grad=True)
    torch.autograd.backward(x_by_generator * 2, inputs=(t for t in [x_by_generator]))
    return [
        *complaints(
            lambda: graph.increment_version(1),
            lambda: graph.increment_version([1]),
            lambda: graph.increment_version("a"),
            lambda: torch.autograd.grad("abc", [x], [torch.ones(1)]),
            lambda: torch.autograd.grad([x, x], [x], [torch.ones(2)]),
            lambda: torch.autograd.grad([x, x], [x], [torch.ones(1)]),
            lambda: torch.autograd.backward(x, inputs=1),
            lambda: torch.autograd.backward(x, inputs=[]),
        ),
        x_by_generator.grad.tolist(),
    ]


@case
def levels_of_forward_mode_are_checked_first_to_last(torch):
    fw = torch.autograd.forward_ad
    x, whole = torch.ones(2), torch.ones(2).int()
    outside = complaints(
        lambda: fw.make_dual(x, x),
        lambda: fw.make_dual(x, x, level=0),
        lambda: fw.make_dual(x, x, level=1),
        lambda: fw.make_dual(x, x, level="a"),
        lambda: fw.make_dual(x, whole, level=0),
        lambda: fw.unpack_dual(1.0, level=0),
        lambda: fw.unpack_dual(x, level="a"),
        lambda: fw.exit_dual_level(level=0),
        lambda: fw.exit_dual_level(),
    )
    with fw.dual_level():
        inside = complaints(
            lambda: fw.make_dual(x, None),
            lambda: fw.make_dual(x, x, level=1),
            lambda: fw.make_dual(x, x, level="a"),
            lambda: fw.make_dual(x, x, level=-1),
            lambda: fw.unpack_dual(1.0),
            lambda: fw.unpack_dual(x, level="a"),
            lambda: fw.exit_dual_level(level=5),
        )
    return outside + inside


@case
def numbers_fit_the_integers_beside_them(torch):
    bytes_ = torch.tensor([2], dtype=torch.uint8)
    small = torch.tensor([2], dtype=torch.int8)
    no = torch.tensor([False])
    return [
        *complaints(
            lambda: torch.pow(bytes_, 2**40 + 3),
            lambda: bytes_**259,
            lambda: torch.pow(small, 130),
            lambda: torch.pow(torch.tensor([2], dtype=torch.int32), 2**33),
            lambda: torch.where(no, bytes_, 300),
            lambda: torch.where(no, 300, bytes_),
            lambda: torch.where(no, small, -129),
            lambda: torch.nanmean(torch.ones(2), dtype=torch.int32),
        ),
        torch.where(no, bytes_, -1).tolist(),
        (bytes_**7).tolist(),
        str(torch.nanmean(torch.ones(2), dtype=torch.float64).dtype),
    ]


@case
def numbers_beyond_a_dtype_are_infinite_in_silence(torch):
    half = torch.float16
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return [
            t.tolist()
            for t in (
                torch.tensor([1e6], dtype=half), torch.tensor(1e6, dtype=half), torch.as_tensor([1e39]),
                torch.tensor(np.array([1e39]), dtype=torch.float32), torch.ones(2).new_tensor([[1e39]]),
                torch.tensor([-1e39 + 1j]).real, torch.full((1,), 1e6, dtype=half), torch.Tensor([1e39]),
            )
        ]  # fmt: skip


@case
def activations_in_place_of_views_without_a_node(torch):
    F = torch.nn.functional
    found = []
    for dtype in (torch.float16, torch.float64):
        for call in (F.silu, F.relu, F.mish, F.hardtanh):
            leaf = torch.ones(2, 2, dtype=dtype, requires_grad=True)
            with torch.no_grad():
                view = leaf[:]
                view.mul_(2)
            found.append(told(lambda call=call, view=view: call(view, inplace=True)))
    return found


@case
def what_does_not_fit_into_joined_tensors(torch):
    number, into = torch.tensor(1.5), torch.tensor(1)
    calls = [
        lambda: torch.cat([number], 0, out=into), lambda: torch.cat([number[None]], 0, out=into),
        lambda: torch.stack([number], 0, out=into), lambda: torch.linalg.matrix_norm(torch.ones(2, 2).half()),
    ]  # fmt: skip
    return [told(call) for call in calls]


@case
def results_go_to_tensors_on_their_device(torch):
    x, nowhere = torch.ones(2, 2), torch.empty(2, 2, device="meta")
    return complaints(
        lambda: torch.add(x, 1, out=nowhere),
        lambda: torch.add(nowhere, 1, out=x),
        lambda: torch.mm(nowhere, nowhere, out=x),
        lambda: torch.sum(nowhere, out=torch.empty(())),
        lambda: torch.cat([x], out=nowhere),
        lambda: torch.sort(x, out=(nowhere, nowhere.long())),
        lambda: torch.any(x, out=torch.empty((), device="meta")),
        lambda: torch.mm(nowhere, nowhere, out=nowhere),
    )


@case
def what_is_created_into_a_tensor(torch):
    def leaf():
        return torch.empty(2, requires_grad=True)

    told = complaints(
        lambda: torch.zeros(2, out=leaf()),
        lambda: torch.full((2,), 1.0, out=leaf()),
        lambda: torch.linspace(0, 1, 2, out=leaf()),
        lambda: torch.randint(3, (2,), out=leaf()),
        lambda: torch.randperm(3, out=leaf()),
        lambda: torch.eye(2, out=leaf()),
    )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        shapes = [
            list(t.shape)
            for t in (
                torch.zeros(2, out=torch.empty(5)), torch.eye(2, out=torch.empty(5)), torch.rand(2, out=torch.empty(5)),
                torch.linspace(0, 1, 3, out=torch.empty(7)), torch.randperm(3, out=torch.empty(5).long()),
                torch.ones(2, out=torch.empty(5)[::2]),
            )
        ]  # fmt: skip
    return [told, shapes, len(caught)]


@case
def an_out_that_shares_memory_with_what_is_read_in_dtypes_that_will_not_do(torch):
    names = (
        "atan2 fmod remainder maximum hypot logaddexp nextafter copysign floor_divide bitwise_and bitwise_left_shift "
        "heaviside xlogy lcm div pow float_power sub isclose floor erf digamma bitwise_not sigmoid logit frac"
    )
    found = {}
    for name in names.split():
        function = getattr(torch, name)
        for dtype in (torch.complex128, torch.float32, torch.int64, torch.bool):
            x = torch.ones(2, 2, dtype=dtype)
            y = torch.ones(2, 2, dtype=torch.float64)
            calls = [lambda f=function, x=x: f(x.T, out=x)]
            if name not in ("floor", "erf", "digamma", "bitwise_not", "sigmoid", "logit", "frac"):
                calls = [lambda f=function, x=x: f(x.T, x, out=x), lambda f=function, x=x, y=y: f(y, x.T, out=x)]
            found[f"{name} {dtype}"] = [told(c) for c in calls]
    return found


@case
def rows_of_tables_that_may_not_be_used(torch):
    F = torch.nn.functional
    rows, far = torch.tensor([[0, 0]]), torch.tensor([[5, -3]])
    starts = torch.tensor([0])
    calls = [
        lambda w: F.embedding(far, w), lambda w: F.embedding(rows.float(), w), lambda w: torch.embedding(w, far),
        lambda w: F.embedding(rows, w, padding_idx=8), lambda w: F.embedding(far, w, max_norm=1.0),
        lambda w: F.embedding_bag(far, w), lambda w: F.embedding_bag(rows.float(), w),
        lambda w: F.embedding_bag(rows[0], w, starts + 1), lambda w: F.embedding_bag(rows[0], w, starts.float()),
        lambda w: F.embedding_bag(rows, w, mode="sums"), lambda w: F.embedding_bag(rows, w, padding_idx=7),
        lambda w: F.embedding_bag(rows.float(), w, max_norm=1.0), lambda w: F.embedding_bag(far, w, max_norm=1.0),
        lambda w: torch.embedding_bag(w, rows[0], starts, False, 7),
        lambda w: F.embedding(far, w[0], max_norm=1.0) if w.is_leaf else None,
    ]  # fmt: skip

    def spoiled():
        base = torch.ones(2, 1, requires_grad=True) * 1
        view = base.split(1, 0)[0]
        with torch.no_grad():
            base.mul_(2)
        return view

    return [[told(lambda c=c: c(spoiled())), told(lambda c=c: c(torch.ones(1, 1)))] for c in calls]


@case
def outer_products_of_views_that_may_not_be_used(torch):
    found = []
    for view in _spoiled(torch):
        for other in (torch.ones(2), torch.ones(2, 2), view):
            found.append([told(lambda v=view, o=other: torch.outer(v, o)), told(lambda v=view, o=other: o.ger(v))])
    return found
