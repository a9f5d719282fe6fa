"""Losses, normalizations and attention where naive formulas fail: masked rows, zero probabilities, constant rows."""

from __future__ import annotations

from .edges import BRAIN, DOUBLE, HALF, INF, NAN, PRECISIONS, SINGLE, look
from .observe import case, error, see

REDUCTIONS = ("none", "mean", "sum")


def in_all(torch, fn, *inputs, precisions=PRECISIONS, **how):
    return {p: look(torch, fn, *inputs, precision=p, **how) for p in precisions}


LOGITS = [[1000.0, 0.0, -1000.0], [0.0, 0.0, 0.0], [-INF, 0.0, 1.0], [1.0, 2.0, 3.0]]


@case
def cross_entropy_of_huge_logits(torch):
    target = torch.tensor([0, 1, 0, 2])
    return {
        r: in_all(torch, lambda t, r=r: torch.nn.functional.cross_entropy(t, target, reduction=r), LOGITS)
        for r in REDUCTIONS
    } | {
        "half": look(
            torch,
            lambda t: torch.nn.functional.cross_entropy(t, target),
            LOGITS[:2] + LOGITS[3:] + LOGITS[3:],
            precision=HALF,
        )
    }


@case
def cross_entropy_with_smoothing_and_ignored(torch):
    f = torch.nn.functional.cross_entropy
    x, target, ignored = LOGITS[:2] + LOGITS[3:], torch.tensor([0, -100, 2]), torch.tensor([-100, -100, -100])
    weight = torch.tensor([0.5, 0.0, 2.0], dtype=torch.float64)
    seen = {}
    for r in REDUCTIONS:
        seen[r] = {
            "some ignored": look(torch, lambda t: f(t, target, reduction=r), x),  # noqa: B023
            "all ignored": look(torch, lambda t: f(t, ignored, reduction=r), x),  # noqa: B023
            "smoothed": look(torch, lambda t: f(t, target, reduction=r, label_smoothing=0.1), x),  # noqa: B023
            "smoothed, all ignored": look(torch, lambda t: f(t, ignored, reduction=r, label_smoothing=0.1), x),  # noqa: B023
            "weighted": look(torch, lambda t: f(t, target, weight, reduction=r, label_smoothing=0.1), x),  # noqa: B023
            "weight zero": look(torch, lambda t: f(t, torch.tensor([1, 1, 1]), weight, reduction=r), x),  # noqa: B023
            "nothing": look(
                torch,
                lambda t: f(t, torch.zeros(0, dtype=torch.int64), reduction=r),  # noqa: B023
                torch.zeros(0, 3, requires_grad=True),
            ),
        }
    certain = torch.tensor([[1.0, 0.0, 0.0]] * 3, dtype=torch.float64)
    return seen | {
        "probabilities": look(torch, lambda t: f(t, certain), x),
        "out of range": error(lambda: f(torch.zeros(1, 3), torch.tensor([3]))),
        "smoothing": error(lambda: f(torch.zeros(1, 3), torch.tensor([1]), label_smoothing=1.5)),
    }


@case
def nll_of_ignored(torch):
    f = torch.nn.functional.nll_loss
    x = [[-1.0, -INF, 0.0], [-2.0, -0.5, NAN]]
    return {
        r: [
            look(torch, lambda t, r=r, v=v: f(t, torch.tensor(v), reduction=r), x)
            for v in ([1, 0], [-100, 1], [-100, -100])
        ]
        for r in REDUCTIONS
    }


@case
def binary_cross_entropy_at_its_ends(torch):
    x, y = [0.0, 1.0, 0.0, 1.0, 0.5, 1e-50], [0.0, 1.0, 1.0, 0.0, 0.5, 1.0]
    f = torch.nn.functional.binary_cross_entropy
    seen = {r: look(torch, lambda a, b, r=r: f(a, b, reduction=r), x, y) for r in REDUCTIONS}
    return seen | {
        "float32": look(torch, f, x[:5], y[:5], precision=SINGLE),
        "outside": error(lambda: f(torch.tensor([1.5]), torch.tensor([1.0]))),
        "nan": error(lambda: f(torch.tensor([NAN]), torch.tensor([1.0]))),
    }


@case
def binary_cross_entropy_of_huge_logits(torch):
    f = torch.nn.functional.binary_cross_entropy_with_logits
    x = [1000.0, -1000.0, 1000.0, -1000.0, 0.0, INF, -INF, NAN, 40.0]
    y = [1.0, 0.0, 0.0, 1.0, 0.5, 1.0, 0.0, 1.0, 1.0]
    weight = torch.tensor(3.0, dtype=torch.float64)
    return in_all(torch, lambda a, b: f(a, b, reduction="none"), x, y) | {
        "mean": look(torch, f, x[:5], y[:5]),
        "weighted": look(torch, lambda a, b: f(a, b, pos_weight=weight, reduction="none"), x[:5], y[:5]),
    }


@case
def divergence_at_zero(torch):
    f = torch.nn.functional.kl_div
    x, y = [-1.0, -2.0, -INF, -INF, 0.0], [0.0, 0.5, 0.0, 0.5, 1.0]
    return {r: look(torch, lambda a, b, r=r: f(a, b, reduction=r), x, y) for r in ("none", "sum", "batchmean")} | {
        "log": look(torch, lambda a, b: f(a, b, reduction="none", log_target=True), x, [-INF, -1.0, -1.0, -INF, 0.0])
    }


@case
def robust_losses_at_their_corners(torch):
    x, y = [0.0, 1.0, -1.0, 2.0, -2.0, 1e200, INF, NAN], [0.0] * 8
    f = torch.nn.functional
    return {
        "huber": in_all(torch, lambda a, b: f.huber_loss(a, b, reduction="none"), x[:5], y[:5]),
        "huber 2": look(torch, lambda a, b: f.huber_loss(a, b, reduction="none", delta=2.0), x, y),
        "smooth": in_all(torch, lambda a, b: f.smooth_l1_loss(a, b, reduction="none"), x[:5], y[:5]),
        "smooth 0": look(torch, lambda a, b: f.smooth_l1_loss(a, b, reduction="none", beta=0.0), x, y),
        "smooth 2": look(torch, lambda a, b: f.smooth_l1_loss(a, b, reduction="none", beta=2.0), x, y),
        "absolute": look(torch, lambda a, b: f.l1_loss(a, b, reduction="none"), x, y),
        "square": look(torch, lambda a, b: f.mse_loss(a, b, reduction="none"), x[:5], y[:5]),
        "delta": error(lambda: f.huber_loss(torch.ones(1), torch.ones(1), delta=0.0)),
        "beta": error(lambda: f.smooth_l1_loss(torch.ones(1), torch.ones(1), beta=-1.0)),
    }


@case
def losses_of_nothing(torch):
    f = torch.nn.functional
    none = torch.zeros(0, requires_grad=True)
    names = "mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy binary_cross_entropy_with_logits".split()
    return {
        n: {r: look(torch, lambda t, n=n, r=r: getattr(f, n)(t, torch.zeros(0), reduction=r), none) for r in REDUCTIONS}
        for n in names
    }


@case
def margin_losses_at_their_corners(torch):
    f = torch.nn.functional
    y = torch.tensor([1.0, -1.0, 1.0], dtype=torch.float64)
    x = [0.0, 1.0, -1.0]
    return {
        "ranking": look(torch, lambda a, b: f.margin_ranking_loss(a, b, y, reduction="none"), x, x),
        "hinge": look(torch, lambda a: f.hinge_embedding_loss(a, y, reduction="none"), [1.0, 1.0, 0.0]),
        "soft": look(torch, lambda a: f.soft_margin_loss(a, y, reduction="none"), [1000.0, 0.0, 0.0]),
        "cosine": look(
            torch,
            lambda a, b: f.cosine_embedding_loss(a, b, y[:2], reduction="none"),
            [[0.0, 0.0], [1.0, 0.0]],
            [[1.0, 0.0], [1.0, 0.0]],
        ),
        "triplet": look(torch, lambda a: f.triplet_margin_loss(a, a, a, reduction="none"), [[1.0, 2.0], [0.0, 0.0]]),
        "multi": look(
            torch, lambda a: f.multi_margin_loss(a, torch.tensor([0, 1]), reduction="none"), [[1.0, 0.0], [1.0, 1.0]]
        ),
        "poisson": look(
            torch,
            lambda a, b: f.poisson_nll_loss(a, b, full=True, reduction="none"),
            [0.0, 1.0, 2.0],
            [0.0, 1.0, 2.0],
            twice=False,
        ),
        "gaussian": look(
            torch,
            lambda a, b: f.gaussian_nll_loss(a, torch.zeros(3, dtype=torch.float64), b, reduction="none"),
            x,
            [0.0, 1e-9, 1.0],
        ),
        "negative variance": error(lambda: f.gaussian_nll_loss(torch.ones(1), torch.ones(1), -torch.ones(1))),
    }


@case
def ctc_without_a_way(torch):
    """Targets longer than the input have no alignment: an infinite loss, or zero on request."""
    x = [[[-0.5, -1.5, -2.0]], [[-0.7, -1.0, -1.8]]]
    targets = torch.tensor([[1, 1]])
    loss = torch.nn.functional.ctc_loss
    seen = {}
    for zero in (False, True):
        for n in (1, 2):
            how = {"reduction": "sum", "zero_infinity": zero}
            call = lambda t, n=n, how=how: loss(t.log_softmax(2), targets[:, :n], (2,), (n,), **how)
            seen[f"{n} {zero}"] = look(torch, call, x, twice=False)
    return seen


@case
def normalize_at_zero(torch):
    rows = [[0.0, 0.0], [3.0, 4.0], [1e-20, 0.0], [INF, 1.0]]
    f = torch.nn.functional.normalize
    return in_all(torch, lambda t: f(t), rows[:2]) | {p: look(torch, lambda t, p=p: f(t, p), rows) for p in (1, 2, INF)}


@case
def layer_norm_of_constants(torch):
    f = torch.nn.functional
    rows = [[2.0, 2.0, 2.0], [0.0, 0.0, 0.0], [1e4, 1e4 + 2, 1e4 + 4], [1.0, 2.0, 4.0]]
    odd = [[INF, 1.0, 2.0], [NAN, 1.0, 2.0]]
    return {
        "layer": in_all(torch, lambda t: f.layer_norm(t, (3,)), rows, precisions=(DOUBLE, SINGLE)),
        "half": in_all(torch, lambda t: f.layer_norm(t, (3,)), rows[:2] + rows[3:], precisions=(HALF, BRAIN)),
        "one element": look(torch, lambda t: f.layer_norm(t, (1,)), [[3.0], [INF]]),
        "without eps": look(torch, lambda t: f.layer_norm(t, (3,), eps=0.0), [rows[3]]),
        "not finite": look(torch, lambda t: f.layer_norm(t, (3,)), odd, twice=False),
        "rms": in_all(torch, lambda t: f.rms_norm(t, (3,)), rows[:2] + rows[3:]),
        "group": look(torch, lambda t: f.group_norm(t, 1), rows),
        "one group each": look(torch, lambda t: f.group_norm(t, 3), rows[:2]),
    }


@case
def batch_norm_of_one_element(torch):
    f = torch.nn.functional
    x, stats = [[1.0, 2.0]], lambda: (torch.zeros(2, dtype=torch.float64), torch.ones(2, dtype=torch.float64))

    def training(t):
        mean, var = stats()
        return [f.batch_norm(t, mean, var, training=True), mean, var]

    constant = [[[2.0, 2.0]], [[2.0, 2.0]]]
    return {
        "refused": error(lambda: f.batch_norm(torch.ones(1, 2), None, None, training=True)),
        "instance refused": error(lambda: f.instance_norm(torch.ones(1, 2, 1))),
        "evaluated": look(torch, lambda t: f.batch_norm(t, *stats()), x),
        "two": look(torch, training, [[1.0, 2.0], [3.0, 2.0]]),
        "constant": look(torch, lambda t: f.batch_norm(t, None, None, training=True), constant),
        "instance": look(torch, lambda t: f.instance_norm(t), [[[2.0, 2.0], [1.0, 3.0]]]),
        "group refused": error(lambda: f.group_norm(torch.ones(1, 2), 2)),
    }


@case
def attention_with_rows_masked_entirely(torch):
    f = torch.nn.functional.scaled_dot_product_attention
    q, k, v = [[[1.0, 0.0], [0.0, 1.0]]], [[[1.0, 2.0], [0.5, -1.0]]], [[[1.0, 2.0], [3.0, 4.0]]]
    mask = torch.tensor([[True, False], [False, False]])
    added = torch.tensor([[0.0, -INF], [-INF, -INF]], dtype=torch.float64)
    masked = lambda t: torch.softmax(t.masked_fill(torch.tensor([[False, True], [True, True]]), -INF), 1)
    return {
        "mask": look(torch, lambda *a: f(*a, attn_mask=mask), q, k, v, twice=False),
        "added": look(torch, lambda *a: f(*a, attn_mask=added), q, k, v, twice=False),
        "causal": look(torch, lambda *a: f(*a, is_causal=True), q, k, v, twice=False),
        "huge": look(torch, lambda *a: f(*a, scale=1e4), q, k, v, twice=False),
        "by hand": look(torch, masked, [[1.0, 2.0], [3.0, 4.0]]),
    }


@case
def pooling_with_nan_and_ties(torch):
    f = torch.nn.functional
    x = [[[1.0, NAN, 3.0, 3.0, 2.0, 2.0, -INF, -INF]]]
    return {
        "max": look(torch, lambda t: f.max_pool1d(t, 2), x),
        "max with indices": look(torch, lambda t: f.max_pool1d(t, 2, return_indices=True), x),
        "padded": look(torch, lambda t: f.max_pool1d(t, 3, 2, 1), x),
        "average": look(torch, lambda t: f.avg_pool1d(t, 2), x),
        "power": look(torch, lambda t: f.lp_pool1d(t, 2, 2), [[[0.0, 0.0, 3.0, 4.0]]]),
        "adaptive": look(torch, lambda t: f.adaptive_max_pool1d(t, 3), x),
        "half": look(torch, lambda t: f.avg_pool1d(t, 4), [[[60000.0] * 4]], precision=HALF),
    }


@case
def gates_and_gumbel(torch):
    f = torch.nn.functional
    x = [[1000.0, -1000.0, INF, -INF], [0.0, NAN, 1.0, 2.0]]
    return {
        "glu": look(torch, lambda t: f.glu(t, 1), x),
        "prelu": look(torch, f.prelu, [[0.0, -0.0, -1.0, INF]], [0.5]),
        "threshold": look(torch, lambda t: f.threshold(t, 0.0, -7.0), [0.0, 1.0, -1.0, NAN]),
        "rrelu": look(torch, lambda t: f.rrelu(t), [0.0, 1.0, -1.0]),
        "dropout": look(torch, lambda t: f.dropout(t, 1.0), [1.0, INF]),
        "no dropout": look(torch, lambda t: f.dropout(t, 0.0), [1.0, INF]),
    }


@case
def gradients_of_activations_in_half_precision_far_from_zero(torch):
    functional = torch.nn.functional
    found = []
    for dtype in (torch.float16, torch.bfloat16):
        for f in (
            functional.gelu, lambda x: functional.gelu(x, approximate="tanh"), functional.softplus,
            functional.logsigmoid, functional.softsign, functional.tanhshrink, functional.hardswish,
        ):  # fmt: skip
            x = torch.tensor([300.0, -300.0, 6e4, -6e4, 100.0, -100.0], dtype=dtype, requires_grad=True)
            f(x).sum().backward()
            found.append(x.grad.abs())
    return see(torch, found)


@case
def thresholds_of_integers_are_integers(torch):
    return see(torch, [
        torch.nn.functional.threshold(torch.tensor([-2, -1, 0, 1, 2], dtype=dtype), low, value)
        for dtype in (torch.int32, torch.int64) for low, value in ((-1.32, 0.82), (1.5, 2.7), (1, 2), (-1, -2.5))
    ])  # fmt: skip


@case
def samples_at_pixels_lie_on_the_same_side_of_the_kink(torch):
    """A spatial transformer begins with the identity, whose samples are at pixels but for rounding."""
    F, found = torch.nn.functional, []
    for n in (5, 6, 16, 28, 33):
        x = torch.linspace(0, 3, n * n).square().reshape(1, 1, n, n)
        for align_corners in (False, True):
            grid = F.affine_grid(torch.eye(2, 3)[None], (1, 1, n, n), align_corners=align_corners).requires_grad_()
            F.grid_sample(x, grid, align_corners=align_corners).sum().backward()
            found.append(grid.grad.abs().sum((0, 1)))
    return see(torch, found)


@case
def infinite_weights_of_transposed_convolutions(torch):
    """Each of them reaches what it is multiplied with, and no zeros around."""
    F = torch.nn.functional
    told = []
    for dtype in (torch.float32, torch.float64):
        x = torch.ones(1, 1, 3, dtype=dtype, requires_grad=True)
        for weight in (float("inf"), float("nan")):
            w = torch.tensor([[[weight, 1.0]]], dtype=dtype)
            images = F.conv_transpose2d(x[None].detach(), w[None])
            (g,) = torch.autograd.grad(F.conv1d(x, w).sum(), x)
            told.append([see(torch, t) for t in (F.conv_transpose1d(x.detach(), w, stride=1), images, g)])
    return told
