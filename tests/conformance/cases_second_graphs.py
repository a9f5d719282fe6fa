"""The graphs that gradients have with ``create_graph=True``: names of nodes, edges, names of what is saved.

Graphs are told as text: ``Name#number[saved names](edges)``, where an edge is a node, the number of one that was told
before (``~number``), a letter for a leaf (``g`` is what arrives, then ``x``, ``y``, ``z``) or ``-`` for nothing;
``:1`` behind it is the number of the output that it leads to. Second derivatives are told beside.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .observe import case

Operators = dict[str, Callable[..., Any]]


def _told(node: Any, seen: dict[int, tuple[int, Any]], leaves: dict[int, str]) -> str:
    if node is None:
        return "-"
    if id(node) in seen:
        return f"~{seen[id(node)][0]}"
    if node.name() == "torch::autograd::AccumulateGrad":
        return leaves[id(node.variable)]
    number = len(seen)
    seen[id(node)] = number, node
    saved = ",".join(sorted(name.removeprefix("_saved_") for name in dir(node) if name.startswith("_saved_")))
    edges = [
        _told(following, seen, leaves) + (f":{output}" if output else "") for following, output in node.next_functions
    ]
    return f"{node.name()}#{number}[{saved}]({', '.join(edges)})"


def _second(torch: Any, fn: Callable[..., Any], given: tuple[Any, ...]) -> Any:
    inputs = [(t + 0).requires_grad_() for t in given]
    result = fn(*inputs)
    arriving = torch.ones_like(result).requires_grad_()
    gradients = torch.autograd.grad(result, inputs, arriving, create_graph=True, allow_unused=True)
    leaves = {id(t): name for t, name in zip((arriving, *inputs), "gxyz")}
    seen: dict[int, tuple[int, Any]] = {}
    graphs = [None if t is None else _told(t.grad_fn, seen, leaves) for t in gradients]
    return {"graphs": graphs, "second": _derivatives(torch, gradients, (arriving, *inputs))}


def _derivatives(torch: Any, gradients: Any, inputs: Any) -> Any:
    """The sums of the second derivatives, weighted so that they tell elements apart."""
    outs = [t for t in gradients if t is not None and t.requires_grad]
    if not outs:
        return None
    try:
        found = torch.autograd.grad(outs, inputs, [_wave(torch, t) for t in outs], allow_unused=True)
    except RuntimeError as e:
        return type(e).__name__
    return [None if t is None else round((t.double() * _wave(torch, t).double()).sum().item(), 4) for t in found]


def _wave(torch: Any, like: Any) -> Any:
    return (torch.arange(like.numel(), dtype=like.dtype) * 0.7 + 0.3).sin().reshape(like.shape)


def _all(torch: Any, operators: Operators, *given: Any) -> dict[str, Any]:
    return {name: _second(torch, fn, given) for name, fn in operators.items()}


def _matrix(torch: Any) -> Any:
    return torch.linspace(-2, 2, 12).reshape(3, 4)


def _positive(torch: Any) -> Any:
    return (torch.arange(12.0) * 1.7).sin().reshape(3, 4) + 1.5


def _image(torch: Any) -> Any:
    return torch.linspace(-2, 2, 32).reshape(1, 2, 4, 4)


def _batch(torch: Any) -> Any:
    return torch.linspace(-1, 2, 24).reshape(2, 3, 4)


@case
def units(torch: Any) -> Any:
    f = torch.nn.functional
    names = (
        "relu leaky_relu gelu silu elu celu selu softplus hardtanh relu6 logsigmoid hardswish softsign softshrink "
        "hardshrink tanhshrink tanh sigmoid glu rrelu"
    )
    by_name = {name: getattr(f, name) for name in names.split()}
    return _all(
        torch,
        {
            **by_name,
            "gelu by tanh": lambda x: f.gelu(x, approximate="tanh"),
            "threshold": lambda x: f.threshold(x, 0.1, 1.0),
            "softplus of 3": lambda x: f.softplus(x, 3, 2),
            "glu of rows": lambda x: f.glu(torch.cat([x, x]), 0),
            "prelu of a constant": lambda x: f.prelu(x, torch.tensor([0.2])),
            "softmax": lambda x: f.softmax(x, -1),
            "softmax of columns": lambda x: f.softmax(x, 0),
            "log_softmax": lambda x: f.log_softmax(x, -1),
            "softmin": lambda x: f.softmin(x, 1),
            "relu_": lambda x: (x * 1).relu_(),
            "elu_": lambda x: f.elu(x * 1, inplace=True),
            "leaky_relu_": lambda x: f.leaky_relu(x * 1, inplace=True),
            "sigmoid_": lambda x: (x * 1).sigmoid_(),
        },
        _matrix(torch),
    )


@case
def functions(torch: Any) -> Any:
    names = (
        "exp exp2 expm1 sin cos tan atan sinh cosh asinh erf erfc abs neg sgn sign floor round trunc frac sinc square "
        "deg2rad rad2deg nan_to_num"
    )
    of_any = {name: getattr(torch, name) for name in names.split()}
    powers: Operators = {
        "x ** 2": lambda x: x**2, "x ** 3": lambda x: x**3, "2 ** x": lambda x: 2**x, "x / 3": lambda x: x / 3,
        "1 - x": lambda x: 1 - x, "x + 1": lambda x: x + 1, "fmod": lambda x: torch.fmod(x, 3),
        "clamp": lambda x: x.clamp(-1, 1), "clamp_min": lambda x: x.clamp(min=0),
        "asin": lambda x: (x / 3).asin(), "acos": lambda x: (x / 3).acos(), "atanh": lambda x: (x / 3).atanh(),
        "erfinv": lambda x: (x / 3).erfinv(), "logit": lambda x: torch.sigmoid(x).logit(),
        "clamp_": lambda x: (x * 1).clamp_(0, 1), "exp_": lambda x: (x * 1).exp_(),
    }  # fmt: skip
    of_positive = "sqrt rsqrt log log2 log10 log1p reciprocal lgamma digamma".split()
    return {
        "any": _all(torch, {**of_any, **powers}, _matrix(torch)),
        "positive": _all(
            torch,
            {
                **{name: getattr(torch, name) for name in of_positive},
                "acosh": lambda x: (x + 1).acosh(),
                "x ** 0.5": lambda x: x**0.5,
                "1 / x": lambda x: 1 / x,
            },
            _positive(torch),
        ),
    }


@case
def pairs(torch: Any) -> Any:
    a, b, row = _matrix(torch), _positive(torch), torch.linspace(0.5, 2, 4)
    of_two: Operators = {
        "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y, "div": lambda x, y: x / y,
    }  # fmt: skip
    named = "hypot maximum minimum fmax fmin logaddexp xlogy copysign clamp_min".split()
    return {
        "alike": _all(
            torch,
            {
                **of_two,
                **{name: getattr(torch, name) for name in named},
                "pow": lambda x, y: y**x,
                "lerp": lambda x, y: torch.lerp(x, y, 0.3),
                "where": lambda x, y: torch.where(x > 0, x, y),
                "scaled add": lambda x, y: torch.add(x, y, alpha=2),
            },
            a, b,
        ),
        "broadcast": _all(torch, of_two, a, row),
        "three": _all(
            torch,
            {
                "lerp": torch.lerp,
                "addcmul": lambda x, y, z: torch.addcmul(x, y, z, value=2),
                "addcdiv": lambda x, y, z: torch.addcdiv(x, y, z, value=2),
                "clamp": torch.clamp,
            },
            a, b, b * 2,
        ),
    }  # fmt: skip


@case
def reductions(torch: Any) -> Any:
    inf = float("inf")
    return _all(
        torch,
        {
            "sum": lambda x: x.sum(), "sum(0)": lambda x: x.sum(0), "sum((0, 1))": lambda x: x.sum((0, 1)),
            "sum, kept": lambda x: x.sum(1, True), "mean": lambda x: x.mean(), "mean(1)": lambda x: x.mean(1),
            "mean((0, 1))": lambda x: x.mean((0, 1)), "mean, kept": lambda x: x.mean(1, True),
            "nansum": lambda x: x.nansum(), "nanmean": lambda x: x.nanmean(),
            "var": lambda x: x.var(), "std": lambda x: x.std(), "var(1)": lambda x: x.var(1),
            "std(1)": lambda x: x.std(1), "var, kept": lambda x: x.var(1, keepdim=True),
            "std of all": lambda x: x.std((0, 1), unbiased=False),
            "var of var_mean": lambda x: torch.var_mean(x, 1)[0],
            "mean of std_mean": lambda x: torch.std_mean(x, 1)[1],
            "prod": lambda x: x.prod(), "prod(1)": lambda x: x.prod(1), "prod, kept": lambda x: x.prod(1, True),
            "cumsum": lambda x: x.cumsum(0), "cumprod": lambda x: x.cumprod(1), "cummax": lambda x: x.cummax(1)[0],
            **{
                f"{name}(-1)": lambda x, name=name: getattr(x, name)(-1)
                for name in ("cumsum", "cumprod", "sum", "mean", "var", "prod", "logsumexp")
            },
            "sort(-1)": lambda x: x.sort(-1)[0], "max(-1)": lambda x: x.max(-1)[0],
            "norm(2, -1)": lambda x: x.norm(2, -1),
            "logsumexp": lambda x: x.logsumexp(1), "logsumexp, kept": lambda x: x.logsumexp(1, True),
            "max": lambda x: x.max(), "min": lambda x: x.min(), "median": lambda x: x.median(),
            "max(1)": lambda x: x.max(1)[0], "median(1)": lambda x: x.median(1)[0], "amax": lambda x: x.amax(1),
            "aminmax": lambda x: x.aminmax(dim=1)[0], "kthvalue": lambda x: x.kthvalue(2, 1)[0],
            "sort": lambda x: x.sort(1)[0], "topk": lambda x: x.topk(2, 1)[0],
            **{f"norm({p})": lambda x, p=p: x.norm(p, 1) for p in (0.5, 1, 1.5, 2, 3, inf)},
            "norm": lambda x: x.norm(), "norm of matrix": lambda x: torch.linalg.matrix_norm(x),
            "norm, kept": lambda x: torch.linalg.vector_norm(x, dim=1, keepdim=True),
            "normalize": lambda x: torch.nn.functional.normalize(x, dim=1), "diff": lambda x: x.diff(),
            "trace": lambda x: x[:, :3].trace(),
        },
        _matrix(torch),
    )  # fmt: skip


@case
def products(torch: Any) -> Any:
    f = torch.nn.functional
    a, b, cubes = _matrix(torch), _positive(torch), _batch(torch)
    row = torch.linspace(0.5, 2, 4)
    return {
        "pairs": _all(
            torch,
            {
                "mm": lambda x, y: x @ y.t(), "einsum": lambda x, y: torch.einsum("ij,kj->ik", x, y),
                "tensordot": lambda x, y: torch.tensordot(x, y, dims=([1], [1])),
                "cosine": f.cosine_similarity, "pairwise": f.pairwise_distance,
                "addmm": lambda x, y: torch.addmm(x[:, :3], x, y.t(), beta=2, alpha=3),
                "matmul of batches": lambda x, y: (x + cubes) @ y.t(),
            },
            a, b,
        ),
        "vectors": _all(torch, {"dot": torch.dot, "outer": torch.outer}, row, row * 2),
        "mv": _all(torch, {"mv": torch.mv}, a, row),
        "batches": _all(torch, {"bmm": torch.bmm}, cubes, cubes.transpose(1, 2)),
        "sums of batches": _all(
            torch, {"baddbmm": torch.baddbmm}, cubes[:, :, :3], cubes, cubes.transpose(1, 2)
        ),
        "sum of a batch": _all(torch, {"addbmm": torch.addbmm}, a[:, :3], cubes, cubes.transpose(1, 2)),
        "linear": _all(torch, {"linear": f.linear}, a, torch.linspace(-1, 1, 8).reshape(2, 4), torch.ones(2)),
        "linear of cubes": _all(torch, {"linear": f.linear}, cubes, torch.linspace(-1, 1, 8).reshape(2, 4)),
        "attention": _all(torch, {"sdpa": f.scaled_dot_product_attention}, cubes, cubes * 2, cubes + 1),
        "inv": _all(torch, {"inv": lambda x: torch.linalg.inv(x[:, :3] + torch.eye(3) * 3)}, a),
    }  # fmt: skip


@case
def layers(torch: Any) -> Any:
    f = torch.nn.functional
    x, image, row = _matrix(torch), _image(torch), torch.linspace(0.5, 2, 4)
    kernel, two = torch.linspace(-1, 1, 16).reshape(2, 2, 2, 2), torch.ones(2)
    moments = torch.zeros(4), torch.ones(4)
    return {
        "convolutions": _all(
            torch,
            {
                "conv2d": f.conv2d, "strided": lambda x, w, b: f.conv2d(x, w, b, stride=2, padding=1),
                "transposed": lambda x, w, b: f.conv_transpose2d(x, w, b, stride=2),
            },
            image, kernel, two,
        ),
        "conv1d": _all(torch, {"conv1d": f.conv1d}, image[:, :, 0], kernel[:, :, 0], two),
        "groups": _all(torch, {"conv2d": lambda x, w: f.conv2d(x, w, groups=2)}, image, kernel[:, :1]),
        "of a constant": _all(torch, {"conv2d": lambda w: f.conv2d(image, w)}, kernel),
        "norms": _all(
            torch,
            {
                "layer_norm": lambda x, w, b: f.layer_norm(x, (4,), w, b),
                "batch_norm": lambda x, w, b: f.batch_norm(x, *moments, w, b, True),
                "batch_norm in evaluation": lambda x, w, b: f.batch_norm(x, *moments, w, b),
            },
            x, row, row * 2,
        ),
        "plain norms": _all(
            torch,
            {
                "layer_norm": lambda x: f.layer_norm(x, (4,)),
                "batch_norm": lambda x: f.batch_norm(x, None, None, training=True),
                "instance_norm": lambda x: f.instance_norm(x[None]), "rms_norm": lambda x: f.rms_norm(x, (4,)),
            },
            x,
        ),
        "images": _all(torch, {"batch_norm": lambda x, w: f.batch_norm(x, None, None, w, None, True)}, image, two),
        "embedding": _all(
            torch,
            {
                "embedding": lambda w: f.embedding(torch.tensor([[0, 1], [2, 0]]), w),
                "padded": lambda w: f.embedding(torch.tensor([[0, 1], [2, 0]]), w, padding_idx=0),
            },
            x,
        ),
    }  # fmt: skip


@case
def pooling(torch: Any) -> Any:
    f = torch.nn.functional
    return {
        "images": _all(
            torch,
            {
                "max_pool2d": lambda x: f.max_pool2d(x, 2, 1), "avg_pool2d": lambda x: f.avg_pool2d(x, 2, 1),
                "adaptive_avg_pool2d": lambda x: f.adaptive_avg_pool2d(x, 2),
                "adaptive_max_pool2d": lambda x: f.adaptive_max_pool2d(x, 2),
                "max_pool3d": lambda x: f.max_pool3d(x[None], 2), "avg_pool3d": lambda x: f.avg_pool3d(x[None], 2),
                "nearest": lambda x: f.interpolate(x, scale_factor=2),
                "bilinear": lambda x: f.interpolate(x, scale_factor=2, mode="bilinear"),
                "bicubic": lambda x: f.interpolate(x, scale_factor=2, mode="bicubic"),
                "replicate": lambda x: f.pad(x, (1, 1, 1, 1), mode="replicate"),
                "reflect": lambda x: f.pad(x, (1, 1, 1, 1), mode="reflect"), "unfold": lambda x: f.unfold(x, 2),
            },
            _image(torch),
        ),
        "rows": _all(
            torch,
            {
                "max_pool1d": lambda x: f.max_pool1d(x, 2), "avg_pool1d": lambda x: f.avg_pool1d(x, 2),
                "linear": lambda x: f.interpolate(x[None], scale_factor=2, mode="linear"),
                "nearest": lambda x: f.interpolate(x[None], scale_factor=2),
                "reflect": lambda x: f.pad(x[None], (1, 1), mode="reflect"), "zeros": lambda x: f.pad(x, (1, 1)),
            },
            _matrix(torch),
        ),
    }  # fmt: skip


@case
def losses(torch: Any) -> Any:
    f = torch.nn.functional
    a, b = _matrix(torch), _positive(torch)
    classes, half = torch.tensor([0, 1, 2]), torch.full((3, 4), 0.5)
    weighted = {"weight": torch.ones(4), "reduction": "sum"}
    return {
        "pairs": _all(
            torch,
            {
                "mse": f.mse_loss, "mse, summed": lambda x, y: f.mse_loss(x, y, reduction="sum"),
                "mse of each": lambda x, y: f.mse_loss(x, y, reduction="none"), "l1": f.l1_loss,
                "smooth_l1": f.smooth_l1_loss, "huber": f.huber_loss,
                "kl_div": lambda x, y: f.kl_div(x, y, reduction="batchmean"),
                "bce": lambda x, y: f.binary_cross_entropy(torch.sigmoid(x), torch.sigmoid(y)),
                "bce with logits": f.binary_cross_entropy_with_logits,
            },
            a, b,
        ),
        "scores": _all(
            torch,
            {
                "cross_entropy": lambda x: f.cross_entropy(x, classes), "nll_loss": lambda x: f.nll_loss(x, classes),
                "ignored": lambda x: f.cross_entropy(x, torch.tensor([0, 1, -100])),
                "weighted": lambda x: f.cross_entropy(x, classes, **weighted),
                "smoothed": lambda x: f.cross_entropy(x, classes, label_smoothing=0.1),
                "probabilities": lambda x: f.cross_entropy(x, half),
                "images": lambda x: f.cross_entropy(_image(torch) * x.sum(), torch.zeros(1, 4, 4, dtype=torch.int64)),
                "bce, summed": lambda x: f.binary_cross_entropy_with_logits(x, half, reduction="sum"),
                "bce, weighted": lambda x: f.binary_cross_entropy_with_logits(x, half, b, pos_weight=b[0]),
                "soft_margin": lambda x: f.soft_margin_loss(x, torch.ones(3, 4)),
                "hinge_embedding": lambda x: f.hinge_embedding_loss(x, torch.ones(3, 4)),
                "margin_ranking": lambda x: f.margin_ranking_loss(x[0], b[1], torch.ones(4)),
                "poisson_nll": lambda x: f.poisson_nll_loss(x, b),
                "gaussian_nll": lambda x: f.gaussian_nll_loss(x, b, torch.ones(3, 4)),
                "cosine_embedding": lambda x: f.cosine_embedding_loss(x, b, torch.ones(3)),
            },
            a,
        ),
        "triplets": _all(torch, {"triplet_margin": f.triplet_margin_loss}, a, b, a * 2),
    }  # fmt: skip


@case
def places(torch: Any) -> Any:
    a, b = _matrix(torch), _positive(torch)
    column, rows = torch.tensor([[0], [1], [2]]), torch.tensor([0, 1, 1])
    return {
        "read": _all(
            torch,
            {
                "gather": lambda x: x.gather(1, column), "index_select": lambda x: x.index_select(0, rows),
                "take": lambda x: x.take(rows), "masked_select": lambda x: x.masked_select(b > 1.5),
                "by indices": lambda x: x[rows], "by a mask": lambda x: x[b > 1.5], "by slices": lambda x: x[1:, ::2],
                "select": lambda x: x[:, 1], "masked_fill": lambda x: x.masked_fill(b > 1.5, 1.0),
                "index_fill": lambda x: x.index_fill(0, rows, 1.0), "scatter": lambda x: x.scatter(1, column, 1.0),
            },
            a,
        ),
        "written": _all(
            torch,
            {
                "scatter": lambda x, y: x.scatter(1, column, y[:, :1]), "cat": lambda x, y: torch.cat([x, y], 1),
                "scatter_add": lambda x, y: x.scatter_add(1, column, y[:, :1]),
                "stack": lambda x, y: torch.stack([x, y]),
                "index_add": lambda x, y: x.index_add(0, rows, y, alpha=2),
                "index_copy": lambda x, y: x.index_copy(0, torch.tensor([0, 1, 2]), y),
                "index_put": lambda x, y: x.index_put((torch.tensor([0]),), y[0]),
                "accumulated": lambda x, y: x.index_put((rows,), y, accumulate=True),
                "masked_scatter": lambda x, y: x.masked_scatter(b > 1.5, y),
                "filled by a tensor": lambda x, y: x.masked_fill(b > 1.5, y[0, 0]),
            },
            a, b,
        ),
        "moved": _all(
            torch,
            {
                "squeeze": lambda x: x[None].squeeze(0), "squeeze(-3)": lambda x: x[None].squeeze(-3),
                "glu": lambda x: torch.nn.functional.glu(x, -1), "squeeze of all": lambda x: x[None].squeeze(),
                "repeat": lambda x: x.repeat(2, 1), "repeat in front": lambda x: x.repeat(2, 1, 3),
                "tile": lambda x: x.tile(2), "expand": lambda x: x.expand(2, 3, 4), "view": lambda x: x.view(4, 3),
                "t": lambda x: x.t(), "permute": lambda x: x.permute(1, 0), "flip": lambda x: x.flip(0),
                "roll": lambda x: x.roll(1, 0), "diagonal": lambda x: x.diagonal(), "tril": lambda x: x.tril(),
                "unbind": lambda x: x.unbind(0)[0], "split": lambda x: x.split(2, 1)[0],
                "unfold": lambda x: x.unfold(1, 2, 1), "double": lambda x: x.double(), "clone": lambda x: x.clone(),
            },
            a,
        ),
    }  # fmt: skip
