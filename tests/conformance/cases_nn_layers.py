"""Every layer: what it prints, what it computes, its gradients, and what it says of wrong input."""

from __future__ import annotations

import inspect

from .observe import case, error, name_of, see, warned


def fill(torch, module):
    """Parameters that repeat from run to run, in double precision."""
    module.double()
    with torch.no_grad():
        for k, p in enumerate(module.parameters()):
            n = torch.arange(p.numel(), dtype=torch.float64).reshape(p.shape)
            p.copy_(0.4 * torch.sin(1.3 * n + k) + 0.1)
    return module


def wave(torch, *shape, phase=0.0):
    n = 1
    for d in shape:
        n *= d
    return torch.sin(torch.arange(n, dtype=torch.float64) * 0.7 + phase).reshape(shape)


def digest(torch, t):
    """A tensor in a few numbers."""
    if not isinstance(t, torch.Tensor):
        return [digest(torch, x) for x in t] if isinstance(t, (tuple, list)) else t
    flat = t.detach().reshape(-1).to(torch.float64)
    weights = torch.cos(torch.arange(flat.numel(), dtype=torch.float64) * 0.3)
    return [list(t.shape), str(t.dtype), name_of(t.grad_fn), (flat * weights).sum().item(), flat[:3].tolist()]


def result(torch, module, *inputs, first=False):
    """The output, and the gradients of floating inputs (or the first) and of parameters for a weighted sum of it."""
    inputs = [
        x.clone().requires_grad_()
        if isinstance(x, torch.Tensor) and x.is_floating_point() and not (first and i)
        else x
        for i, x in enumerate(inputs)
    ]
    out = module(*inputs)
    seen = out[0] if isinstance(out, tuple) else out
    (seen * wave(torch, *seen.shape, phase=0.5)).sum().backward()
    grads = [digest(torch, x.grad) for x in inputs if isinstance(x, torch.Tensor) and x.requires_grad]
    named = {name: digest(torch, p.grad) for name, p in module.named_parameters()}
    return [digest(torch, out), grads, named]


def observed(torch, module, *inputs):
    return [repr(module), result(torch, fill(torch, module), *inputs), sorted(module.state_dict())]


# ---- printing


@case
def signatures(torch):
    """The parameters of every constructor and forward, with the defaults that are plain values."""
    nn = torch.nn
    told = {}
    for name in sorted(set(dir(nn.modules))):
        cls = getattr(nn.modules, name)
        if not (inspect.isclass(cls) and issubclass(cls, nn.Module)) or "Transformer" in name:
            continue
        for method in ("__init__", "forward"):
            parameters = inspect.signature(getattr(cls, method)).parameters.values()
            told[f"{name}.{method}"] = [
                [p.name, p.kind.name, None if p.default is p.empty else repr(p.default)] for p in parameters
            ]
    return told


@case
def constants_and_bases(torch):
    nn = torch.nn
    told = {}
    for name in sorted(nn.modules.__all__):
        cls = getattr(nn, name)
        if issubclass(cls,
                      nn.Module) and not any(part in name for part in ("RNN", "GRU", "LSTM", "Transf", "Multihead")):
            public = [b.__name__ for b in cls.__mro__[1:] if b.__name__ in nn.modules.__all__]
            told[name] = [getattr(cls, "__constants__", None), public, cls._version]
    return told


@case
def public_names(torch):
    nn = torch.nn
    names = sorted(n for n in dir(nn) if n[0].isupper() and n != "Any" and inspect.isclass(getattr(nn, n)))
    other = ("handle", "has_", "assert", "boolean", "scaled_m", "scaled_g", "grouped")
    functions = sorted(n for n in dir(nn.functional) if n[0].islower() and not n.startswith(other)
                       and callable(getattr(nn.functional, n)))  # fmt: skip
    return [names, [hasattr(nn, n) for n in ("init", "utils", "modules", "grad", "parallel", "common_types")],
            functions]  # fmt: skip


@case
def paths_that_others_import(torch):
    nn = torch.nn
    pairs = {
        "activation": "ReLU MultiheadAttention", "adaptive": "AdaptiveLogSoftmaxWithLoss",
        "batchnorm": "_BatchNorm _NormBase BatchNorm2d SyncBatchNorm", "channelshuffle": "ChannelShuffle",
        "container": "Sequential ModuleList ParameterList", "conv": "_ConvNd _ConvTransposeNd Conv2d _pair _size_2_t",
        "distance": "PairwiseDistance", "dropout": "_DropoutNd Dropout", "flatten": "Flatten Unflatten",
        "fold": "Fold", "instancenorm": "_InstanceNorm InstanceNorm1d", "lazy": "LazyModuleMixin",
        "linear": "Linear Identity NonDynamicallyQuantizableLinear", "loss": "_Loss _WeightedLoss MSELoss",
        "module": "Module _addindent _IncompatibleKeys register_module_forward_hook", "normalization": "LayerNorm",
        "padding": "_ConstantPadNd ZeroPad2d", "pixelshuffle": "PixelShuffle",
        "pooling": "_MaxPoolNd _AvgPoolNd _AdaptiveAvgPoolNd MaxPool2d", "rnn": "RNNBase LSTM", "sparse": "Embedding",
        "transformer": "Transformer", "upsampling": "Upsample", "utils": "_single _pair _triple _quadruple _ntuple",
    }  # fmt: skip
    return {f"{m}.{n}": hasattr(getattr(nn.modules, m), n) for m, names in pairs.items() for n in names.split()}


@case
def tuples_of_numbers(torch):
    utils = torch.nn.modules.utils
    return [
        utils._single(1), utils._pair(2), utils._pair([1, 2]), utils._triple((1, 2, 3)), utils._quadruple(0),
        utils._ntuple(5)(1), utils._reverse_repeat_tuple((1, 2), 2), utils._list_with_default((None, 3), [1, 2, 3]),
        error(lambda: utils._list_with_default((None, 3), [1])), utils._pair.__name__,
    ]  # fmt: skip


# ---- layers by family


@case
def linear_layers(torch):
    nn = torch.nn
    x = wave(torch, 4, 3)
    return [
        observed(torch, nn.Linear(3, 2), x), observed(torch, nn.Linear(3, 2, bias=False), wave(torch, 2, 2, 3)),
        observed(torch, nn.Bilinear(3, 2, 4), x, wave(torch, 4, 2, phase=1.0)),
        observed(torch, nn.Bilinear(3, 2, 4, bias=False), x, wave(torch, 4, 2, phase=1.0)),
        observed(torch, nn.Identity(7, some="thing"), x),
    ]  # fmt: skip


@case
def convolution_layers(torch):
    nn = torch.nn
    seen = []
    for n in (1, 2, 3):
        conv, transposed = getattr(nn, f"Conv{n}d"), getattr(nn, f"ConvTranspose{n}d")
        x = wave(torch, 2, 4, *(5, 6, 4)[:n])
        for settings in (
            {}, {"stride": 2, "padding": 1}, {"dilation": 2, "bias": False}, {"groups": 2, "padding": "same"},
            {"padding": 1, "padding_mode": "circular"}, {"padding": 1, "padding_mode": "reflect"},
            {"padding": "valid"}, {"padding": 1, "padding_mode": "replicate", "stride": 2},
        ):  # fmt: skip
            if "dilation" in settings or n < 3 or len(settings) < 2:
                kernel = 3 if n == 1 or settings.get("padding") == "same" else (2, 3, 2)[:n]
                seen.append(observed(torch, conv(4, 2, kernel, **settings), x))
        for settings in ({}, {"stride": 2, "padding": 1, "output_padding": 1}, {"groups": 2, "dilation": 2}):
            seen.append(observed(torch, transposed(4, 2, 3, **settings), x))
    layer = fill(torch, nn.ConvTranspose2d(2, 3, 3, stride=2))
    seen.append(digest(torch, layer(wave(torch, 1, 2, 4, 4), output_size=(10, 10))))
    seen.append(digest(torch, layer(wave(torch, 1, 2, 4, 4), output_size=[1, 3, 9, 10])))
    seen.append(digest(torch, fill(torch, nn.Conv2d(2, 3, 2))(wave(torch, 2, 4, 4))))
    return seen


@case
def wrong_convolutions(torch):
    nn = torch.nn
    unnamed = error(lambda: nn.Conv2d(4, 3, 3, padding="x"))  # names the other ones in any order
    return [unnamed["raises"], unnamed["message"][:40], *[error(fn) for fn in (
        lambda: nn.Conv2d(3, 4, 3, groups=2), lambda: nn.Conv2d(4, 3, 3, groups=2),
        lambda: nn.Conv2d(4, 4, 3, groups=0),
        lambda: nn.Conv2d(4, 3, 3, padding="same", stride=2),
        lambda: nn.ConvTranspose2d(4, 3, 3, padding_mode="reflect"),
        lambda: nn.ConvTranspose2d(4, 3, 3)(torch.ones(1, 4, 3, 3), output_size=(9, 9)),
        lambda: nn.ConvTranspose2d(4, 3, 3)(torch.ones(1, 4, 3, 3), output_size=(9,)),
        lambda: nn.Conv2d(3, 4, 3)(torch.ones(1, 2, 5, 5)), lambda: nn.Conv2d(3, 4, 3)(torch.ones(5, 5)),
        lambda: nn.Conv2d(3, 4, 3)(torch.ones(1, 3, 2, 2)),
    )]]  # fmt: skip


@case
def pooling_layers(torch):
    nn = torch.nn
    seen = []
    for n in (1, 2, 3):
        x = wave(torch, 2, 3, *(7, 6, 5)[:n]) + 0.01 * torch.arange(2 * 3 * 7 * (6 if n > 1 else 1) * (
            5 if n > 2 else 1)).reshape(2, 3, *(7, 6, 5)[:n])  # fmt: skip
        for name, settings in (
            ("MaxPool", {"kernel_size": 2}), ("MaxPool", {"kernel_size": 3, "stride": 2, "padding": 1}),
            ("MaxPool", {"kernel_size": 2, "dilation": 2, "stride": 1, "ceil_mode": True, "return_indices": True}),
            ("AvgPool", {"kernel_size": 3, "stride": 2, "padding": 1}),
            ("AvgPool", {"kernel_size": 3, "padding": 1, "count_include_pad": False, "ceil_mode": True}),
            ("AdaptiveAvgPool", {"output_size": 3}), ("AdaptiveMaxPool", {"output_size": 2}),
            ("AdaptiveMaxPool", {"output_size": 2, "return_indices": True}),
            ("LPPool", {"norm_type": 2, "kernel_size": 2}),
            ("LPPool", {"norm_type": 3.0, "kernel_size": 2, "stride": 1}),
        ):  # fmt: skip
            data = x.abs() + 0.1 if name == "LPPool" else x
            seen.append(observed(torch, getattr(nn, f"{name}{n}d")(**settings), data))
        x = wave(torch, 2, 3, *(6, 6, 4)[:n])
        pooled, where = getattr(nn, f"MaxPool{n}d")(2, return_indices=True)(x)
        unpool = getattr(nn, f"MaxUnpool{n}d")(2)
        seen += [repr(unpool), digest(torch, unpool(pooled, where)), digest(torch, unpool(pooled, where, x.size()))]
    seen += [repr(nn.AdaptiveAvgPool2d((None, 3))), repr(nn.AvgPool2d(2, divisor_override=3)),
             repr(nn.MaxPool2d((2, 1), stride=(1, 2))), repr(nn.FractionalMaxPool2d(2, output_size=3)),
             repr(nn.FractionalMaxPool3d(2, output_ratio=0.5))]  # fmt: skip
    return seen


@case
def wrong_pooling(torch):
    nn = torch.nn
    return [error(fn) for fn in (
        lambda: nn.MaxPool2d(2)(torch.ones(1, 1)), lambda: nn.AvgPool2d(2)(torch.ones(1, 1, 1, 1)),
        lambda: nn.FractionalMaxPool2d(2), lambda: nn.FractionalMaxPool2d(2, 3, 0.5),
        lambda: nn.FractionalMaxPool2d(2, output_ratio=1.5),
    )]  # fmt: skip


@case
def batch_and_instance_norms(torch):
    nn = torch.nn
    seen = []
    for n in (1, 2, 3):
        x = wave(torch, 4, 3, *(5, 4, 2)[:n])
        for settings in (
            {}, {"momentum": None}, {"affine": False}, {"track_running_stats": False, "eps": 0.1},
            {"affine": True, "bias": False}, {"affine": True, "track_running_stats": True},
        ):  # fmt: skip
            for kind in ("BatchNorm", "InstanceNorm"):
                layer = getattr(nn, f"{kind}{n}d")(3, **settings)
                seen.append(observed(torch, layer, x))
                seen.append({name: digest(torch, b) for name, b in layer.named_buffers()})
                layer.eval()
                layer.zero_grad()
                seen.append(result(torch, layer, x))
    seen.append(observed(torch, nn.SyncBatchNorm(3), wave(torch, 4, 3)))
    model = nn.Sequential(nn.BatchNorm2d(3, bias=False), nn.Sequential(nn.BatchNorm1d(2)))
    seen.append(repr(nn.SyncBatchNorm.convert_sync_batchnorm(model)))
    return seen


@case
def norms_within_a_sample(torch):
    nn = torch.nn
    x = wave(torch, 2, 4, 3, 5)
    return [observed(torch, layer, x) for layer in (
        nn.LayerNorm(5), nn.LayerNorm((3, 5), eps=0.1), nn.LayerNorm(5, elementwise_affine=False),
        nn.LayerNorm(5, bias=False), nn.GroupNorm(2, 4), nn.GroupNorm(4, 4, affine=False),
        nn.GroupNorm(1, 4, bias=False), nn.RMSNorm(5), nn.RMSNorm([3, 5], eps=0.2, elementwise_affine=False),
        nn.LocalResponseNorm(3), nn.LocalResponseNorm(2, alpha=0.5, beta=0.6, k=2.0),
        nn.CrossMapLRN2d(3), nn.CrossMapLRN2d(4, alpha=0.5, beta=0.6, k=2),
    )]  # fmt: skip


@case
def wrong_norms(torch):
    nn = torch.nn
    return [error(fn) for fn in (
        lambda: nn.BatchNorm1d(3)(torch.ones(1, 3)), lambda: nn.BatchNorm1d(3)(torch.ones(2, 4)),
        lambda: nn.BatchNorm2d(3)(torch.ones(2, 3)), lambda: nn.BatchNorm1d(3)(torch.ones(3)),
        lambda: nn.BatchNorm3d(3)(torch.ones(2, 3)), lambda: nn.InstanceNorm1d(3)(torch.ones(2)),
        lambda: nn.InstanceNorm1d(3, affine=True)(torch.ones(2, 4, 5)), lambda: nn.LayerNorm(3)(torch.ones(2, 4)),
        lambda: nn.GroupNorm(2, 4)(torch.ones(2, 3)), lambda: nn.GroupNorm(3, 4),
        lambda: nn.SyncBatchNorm(3)(torch.ones(3)), lambda: nn.LocalResponseNorm(2)(torch.ones(3)),
        lambda: nn.CrossMapLRN2d(2)(torch.ones(3)),
    )]  # fmt: skip


@case
def activation_layers(torch):
    nn = torch.nn
    x = wave(torch, 2, 4, 3) * 4
    layers = [
        nn.ReLU(), nn.ReLU6(), nn.LeakyReLU(), nn.LeakyReLU(0.3), nn.PReLU(), nn.PReLU(4, init=0.1), nn.ELU(),
        nn.ELU(0.5), nn.CELU(), nn.CELU(2.0), nn.SELU(), nn.GELU(), nn.GELU("tanh"), nn.SiLU(), nn.Mish(),
        nn.Hardsigmoid(), nn.Hardswish(), nn.Hardtanh(), nn.Hardtanh(-2, 3), nn.Softplus(), nn.Softplus(2, 1),
        nn.Softshrink(), nn.Softshrink(1.0), nn.Hardshrink(), nn.Hardshrink(2.0), nn.Softsign(), nn.Tanhshrink(),
        nn.LogSigmoid(), nn.Tanh(), nn.Sigmoid(), nn.Threshold(0.5, -1), nn.GLU(1), nn.Softmax(1), nn.LogSoftmax(-1),
        nn.Softmin(0), nn.Softmax2d(), nn.RReLU().eval(), nn.RReLU(0.1, 0.2).eval(),
    ]  # fmt: skip
    seen = [observed(torch, layer, x) for layer in layers]
    for layer in (nn.ReLU(True), nn.ELU(1.5, True), nn.LeakyReLU(0.2, True), nn.Hardtanh(inplace=True),
                  nn.RReLU(inplace=True), nn.Threshold(1, 2, True), nn.ReLU6(True), nn.CELU(inplace=True),
                  nn.SELU(True), nn.SiLU(True), nn.Mish(True), nn.Hardswish(True), nn.Hardsigmoid(True)):  # fmt: skip
        layer.eval()
        y = x.clone()
        seen.append([repr(layer), layer(y) is y, digest(torch, y)])
    lower, upper = 0.1, 0.3
    y = nn.RReLU(lower, upper)(torch.full((50,), -1.0))
    seen.append(bool((y <= -lower).all() and (y >= -upper).all()))
    return seen


@case
def wrong_activations(torch):
    nn = torch.nn
    return [
        error(lambda: nn.Hardtanh(2, 1)), error(lambda: nn.Softmax2d()(torch.ones(2, 2))),
        error(lambda: nn.GLU()(torch.ones(3))), error(lambda: nn.PReLU(3)(torch.ones(2, 4))),
        error(lambda: nn.GELU("x")(torch.ones(2))), warned(lambda: nn.Softmax()(torch.ones(2, 3))),
        error(lambda: nn.Threshold(1)), warned(lambda: nn.Hardtanh(min_value=-3.0, max_value=3.0)),
        repr(nn.Hardtanh(-1, 2)),
    ]  # fmt: skip


@case
def dropout_layers(torch):
    nn = torch.nn
    x = wave(torch, 2, 3, 4, 4, 2)
    seen = []
    for name in ("Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout"):
        cls = getattr(nn, name)
        data = x[..., 0, 0] if name == "Dropout1d" else x[..., 0] if name == "Dropout2d" else x
        seen.append([repr(cls()), repr(cls(0.2, True)), cls().eval()(data) is data, digest(torch, cls(0.0)(data)),
                     error(lambda cls=cls: cls(1.5)), error(lambda cls=cls: cls(-0.1))])  # fmt: skip
    kept = nn.Dropout(0.25)(torch.ones(4000))
    seen.append([sorted({round(v, 5) for v in kept.tolist()}), 0.65 < (kept != 0).double().mean().item() < 0.85])
    channels = nn.Dropout2d(0.5)(torch.ones(8, 16, 2, 2)).flatten(2)
    seen.append(bool((channels == channels[..., :1]).all()))
    return seen


@case
def embedding_layers(torch):
    nn = torch.nn
    index = torch.tensor([[1, 2, 0], [3, 3, 1]])
    seen = [observed(torch, layer, index) for layer in (
        nn.Embedding(4, 3), nn.Embedding(4, 3, padding_idx=1), nn.Embedding(4, 3, padding_idx=-1),
        nn.Embedding(4, 3, scale_grad_by_freq=True), nn.EmbeddingBag(4, 3), nn.EmbeddingBag(4, 3, mode="sum"),
        nn.EmbeddingBag(4, 3, mode="max"), nn.EmbeddingBag(4, 3, mode="sum", padding_idx=3),
    )]  # fmt: skip
    bag = nn.EmbeddingBag(4, 3, mode="sum", include_last_offset=True)
    seen.append(observed(torch, bag, index.flatten(), torch.tensor([0, 2, 6])))
    table = wave(torch, 4, 3)
    seen += [
        [repr(layer), layer.weight.requires_grad, digest(torch, layer(index))]
        for layer in (nn.Embedding.from_pretrained(table),
                      nn.Embedding.from_pretrained(table, freeze=False, padding_idx=0),
                      nn.EmbeddingBag.from_pretrained(table, mode="sum"))
    ]  # fmt: skip
    limited = fill(torch, nn.Embedding(4, 3, max_norm=0.3, norm_type=1.0))
    seen += [repr(limited), digest(torch, limited(index)), digest(torch, limited.weight)]
    return seen


@case
def wrong_embeddings(torch):
    nn = torch.nn
    return [error(fn) for fn in (
        lambda: nn.Embedding(3, 2)(torch.tensor([3])), lambda: nn.Embedding(3, 2)(torch.tensor([1.0])),
        lambda: nn.Embedding(3, 2, padding_idx=3), lambda: nn.Embedding(3, 2, _weight=torch.ones(2, 2)),
        lambda: nn.Embedding.from_pretrained(torch.ones(3)), lambda: nn.EmbeddingBag(3, 2)(torch.tensor([1])),
        lambda: nn.EmbeddingBag(3, 2, mode="x")(torch.tensor([[1]])),
    )]  # fmt: skip


@case
def padding_layers(torch):
    nn = torch.nn
    seen = []
    for n in (1, 2, 3):
        x = wave(torch, 2, 2, *(4, 5, 3)[:n])
        for kind in ("Zero", "Constant", "Reflection", "Replication", "Circular"):
            cls = getattr(nn, f"{kind}Pad{n}d")
            more = (3.5,) if kind == "Constant" else ()
            for padding in (1, (1, 2, 2, 1, 1, 0)[: 2 * n]):
                seen.append(observed(torch, cls(padding, *more), x))
            seen.append(digest(torch, cls(1, *more)(x[0])))
    seen += [error(lambda: nn.CircularPad2d(1)(torch.ones(3))),
             error(lambda: nn.ReflectionPad1d(9)(torch.ones(1, 1, 3))),
             digest(torch, nn.ConstantPad2d((-1, -1, 0, 0), 0.0)(wave(torch, 1, 2, 4)))]  # fmt: skip
    return seen


@case
def layers_that_move_elements(torch):
    nn = torch.nn
    x = wave(torch, 2, 8, 4, 4)
    seen = [observed(torch, layer, x) for layer in (
        nn.Flatten(), nn.Flatten(2), nn.Flatten(0, 1), nn.Unflatten(1, (2, 4)), nn.Unflatten(1, torch.Size([4, 2])),
        nn.Unfold(2), nn.Unfold((2, 3), dilation=1, padding=1, stride=2), nn.PixelShuffle(2), nn.PixelUnshuffle(2),
        nn.ChannelShuffle(4), nn.Upsample(scale_factor=2), nn.Upsample(size=(3, 6), mode="bilinear"),
        nn.Upsample(scale_factor=(2, 1.5), mode="bicubic", align_corners=True), nn.UpsamplingNearest2d(scale_factor=2),
        nn.UpsamplingBilinear2d(size=(5, 5)),
    )]  # fmt: skip
    seen.append(observed(torch, nn.Fold((4, 4), 2), wave(torch, 1, 8, 9)))
    seen.append(observed(torch, nn.Fold(output_size=5, kernel_size=(2, 2), stride=2, padding=1), wave(torch, 1, 4, 9)))
    seen += [error(fn) for fn in (
        lambda: nn.Unflatten(1, 3), lambda: nn.Unflatten(1, (2.0, 3)),
        lambda: nn.Unflatten(1, (2, 3))(torch.ones(2, 7)),
        lambda: nn.PixelShuffle(2)(torch.ones(1, 3, 2, 2)), lambda: nn.Fold((4, 4), 2)(torch.ones(1, 8, 8)),
        lambda: nn.Upsample()(torch.ones(1, 1, 2)),
    )]  # fmt: skip
    return seen


@case
def distances(torch):
    nn = torch.nn
    a, b = wave(torch, 3, 4), wave(torch, 3, 4, phase=1.0)
    return [observed(torch, layer, a, b) for layer in (
        nn.PairwiseDistance(), nn.PairwiseDistance(1, keepdim=True), nn.CosineSimilarity(),
        nn.CosineSimilarity(0, 1e-3),
    )]  # fmt: skip


@case
def losses(torch):
    nn = torch.nn
    x, y = wave(torch, 3, 4), wave(torch, 3, 4, phase=1.0)
    p, signs = torch.sigmoid(x), torch.sign(y)
    classes, weights = torch.tensor([1, 0, 3]), torch.tensor([0.5, 1.0, 2.0, 1.5], dtype=torch.float64)
    logp = torch.log_softmax(x, 1)
    pairs = [
        (nn.L1Loss, {}, (x, y)), (nn.MSELoss, {}, (x, y)), (nn.SmoothL1Loss, {}, (x, y)),
        (nn.SmoothL1Loss, {"beta": 0.3}, (x, y)), (nn.HuberLoss, {"delta": 0.4}, (x, y)),
        (nn.SoftMarginLoss, {}, (x, signs)), (nn.BCELoss, {}, (p, torch.sigmoid(y))),
        (nn.BCELoss, {"weight": weights}, (p, torch.sigmoid(y))), (nn.BCEWithLogitsLoss, {}, (x, torch.sigmoid(y))),
        (nn.BCEWithLogitsLoss, {"weight": weights, "pos_weight": weights}, (x, torch.sigmoid(y))),
        (nn.KLDivLoss, {}, (logp, torch.softmax(y, 1))), (nn.KLDivLoss, {"log_target": True}, (logp, logp.flip(0))),
        (nn.PoissonNLLLoss, {}, (x, y.abs())), (nn.PoissonNLLLoss, {"log_input": False, "full": True}, (p, y.abs())),
        (nn.GaussianNLLLoss, {}, (x, y, p)), (nn.GaussianNLLLoss, {"full": True}, (x, y, p)),
        (nn.NLLLoss, {}, (logp, classes)), (nn.NLLLoss, {"weight": weights, "ignore_index": 0}, (logp, classes)),
        (nn.CrossEntropyLoss, {}, (x, classes)), (nn.CrossEntropyLoss, {"weight": weights}, (x, torch.softmax(y, 1))),
        (nn.CrossEntropyLoss, {"label_smoothing": 0.2, "ignore_index": 3, "weight": weights}, (x, classes)),
        (nn.HingeEmbeddingLoss, {"margin": 0.5}, (x, signs)), (nn.MarginRankingLoss, {"margin": 0.1}, (x, y, signs)),
        (nn.CosineEmbeddingLoss, {"margin": 0.1}, (x, y, torch.tensor([1, -1, 1]))),
        (nn.MultiMarginLoss, {}, (x, classes)),
        (nn.MultiMarginLoss, {"p": 2, "margin": 0.5, "weight": weights}, (x, classes)),
        (nn.MultiLabelMarginLoss, {}, (x, torch.tensor([[3, 0, -1, 1], [1, -1, 0, 2], [2, 1, 0, -1]]))),
        (nn.MultiLabelSoftMarginLoss, {"weight": weights}, (x, (y > 0).double())),
        (nn.TripletMarginLoss, {}, (x, y, x.flip(0))),
        (nn.TripletMarginLoss, {"swap": True, "p": 1.0}, (x, y, x.flip(0))),
        (nn.TripletMarginWithDistanceLoss, {"margin": 2.0}, (x, y, x.flip(0))),
        (nn.CTCLoss, {}, (torch.log_softmax(wave(torch, 5, 2, 3), 2), torch.tensor([[1, 2], [2, 1]]),
                          torch.tensor([5, 4]), torch.tensor([2, 1]))),
    ]  # fmt: skip
    seen = []
    for cls, settings, inputs in pairs:
        for reduction in ("batchmean" if cls is nn.KLDivLoss else "mean", "sum", "none"):
            layer = cls(reduction=reduction, **settings)
            seen.append([repr(layer), layer.reduction, result(torch, layer, *inputs, first=True),
                         sorted(layer.state_dict())])
    return seen


@case
def linear_cross_entropy_layer(torch):
    nn = torch.nn
    x = wave(torch, 4, 3)
    return [
        observed(torch, nn.LinearCrossEntropyLoss(3, 5), x, torch.tensor([1, 0, 4, 2])),
        observed(torch, nn.LinearCrossEntropyLoss(3, 5, bias=True, reduction="sum", label_smoothing=0.1), x,
                 torch.tensor([1, 0, 4, 2])),
        observed(torch, nn.LinearCrossEntropyLoss(3, 5, out_features=(2,), bias=True, ignore_index=0), x,
                 torch.tensor([[1, 0], [4, 2], [0, 0], [3, 3]])),
    ]  # fmt: skip


@case
def old_arguments_of_losses(torch):
    nn = torch.nn
    seen = []
    for settings in ({"size_average": False}, {"reduce": False}, {"size_average": True, "reduce": True}):
        made = []
        seen.append([warned(lambda s=settings, m=made: m.append(nn.MSELoss(**s))), made[0].reduction])
    seen.append(warned(lambda: nn.NLLLoss2d()))
    reduction = nn._reduction
    seen += [reduction.get_enum("sum"), error(lambda: reduction.get_enum("x")),
             reduction.legacy_get_string(False, True, emit_warning=False)]  # fmt: skip
    return seen


@case
def wrong_losses(torch):
    nn = torch.nn
    one = torch.ones
    return [error(fn) for fn in (
        lambda: nn.CrossEntropyLoss()(one(2, 3), one(3, dtype=torch.long)),
        lambda: nn.CrossEntropyLoss()(one(2, 3), torch.tensor([1, 5])), lambda: nn.NLLLoss()(one(2, 3), one(2)),
        lambda: nn.BCELoss()(one(2), one(3)), lambda: nn.BCELoss()(torch.tensor([2.0]), one(1)),
        lambda: nn.BCEWithLogitsLoss()(one(2), one(3)), lambda: nn.MSELoss(reduction="x")(one(1), one(1)),
        lambda: nn.TripletMarginLoss(margin=-1), lambda: nn.HuberLoss(delta=-1)(one(1), one(1)),
        lambda: nn.MultiMarginLoss(p=3), lambda: nn.GaussianNLLLoss()(one(2), one(2), -one(2)),
        lambda: nn.CosineEmbeddingLoss()(one(2), one(3), one(1)),
    )]  # fmt: skip


@case
def adaptive_softmax(torch):
    nn = torch.nn
    layer = fill(torch, nn.AdaptiveLogSoftmaxWithLoss(4, 8, [2, 4], div_value=2.0, head_bias=True))
    x = wave(torch, 5, 4)
    out = layer(x, torch.tensor([0, 5, 3, 7, 1]))
    out.loss.backward()
    seen = [repr(layer), sorted(layer.state_dict()), type(out).__name__, digest(torch, out.output),
            digest(torch, out.loss),
            [digest(torch, p.grad) for p in layer.parameters()], digest(torch, layer.log_prob(x)),
            layer.predict(x * 5).tolist(), layer.predict(x[:1]).tolist(),
            digest(torch, layer(x[0], torch.tensor(2))),
            digest(torch, layer(x[:2], torch.tensor([0, 1])).output)]  # fmt: skip
    wrong = nn.AdaptiveLogSoftmaxWithLoss
    return [seen, [error(fn) for fn in (
        lambda: wrong(8, 10, [5, 2]), lambda: wrong(8, 10, [2, 10]), lambda: wrong(8, 10, []),
        lambda: wrong(8, 10, [3, 3]),
        lambda: layer(x, torch.tensor([0, 1])), lambda: layer(x, torch.tensor([[0]])),
        lambda: layer(x, torch.tensor(1)),
        lambda: layer(x, torch.tensor([0, 1, 2, 3, 12])), lambda: layer(x[None], torch.tensor([1])),
    )]]  # fmt: skip


@case
def devices_and_dtypes(torch):
    nn = torch.nn
    made = [
        nn.Linear(2, 3, dtype=torch.float64), nn.Conv2d(1, 2, 2, device="meta"), nn.BatchNorm1d(2, dtype=torch.float16),
        nn.LayerNorm(3, device="meta", dtype=torch.float64), nn.Embedding(2, 3, dtype=torch.bfloat16),
        nn.PReLU(dtype=torch.float64), nn.Bilinear(1, 2, 3, device="meta"), nn.LazyLinear(3, dtype=torch.float64),
        nn.GroupNorm(1, 2, dtype=torch.float64), nn.EmbeddingBag(2, 3, dtype=torch.float64),
        nn.AdaptiveLogSoftmaxWithLoss(4, 5, [2], dtype=torch.float64), nn.RMSNorm(2, dtype=torch.float64),
    ]  # fmt: skip
    return [[[n, str(p.dtype), str(p.device)] for n, p in [*m.named_parameters(), *m.named_buffers()]] for m in made]


@case
def gradients_of_convolutions_as_functions(torch):
    grad = torch.nn.grad
    seen = []
    for n in (1, 2, 3):
        x, w = wave(torch, 2, 4, *(5, 5, 4)[:n]), wave(torch, 4, 2, *(3, 3, 3)[:n])
        settings = {"stride": 2, "padding": 1, "groups": 2}
        out = getattr(torch.nn.functional, f"conv{n}d")(x, w, None, **settings)
        seen.append(digest(torch, getattr(grad, f"conv{n}d_input")(x.shape, w, torch.cos(out), **settings)))
        seen.append(digest(torch, getattr(grad, f"conv{n}d_weight")(x, w.shape, torch.cos(out), **settings)))
    return seen


@case
def initial_distributions(torch):
    """Bounds and spread of what layers start with."""
    nn = torch.nn
    seen = []
    for make in (
        lambda: nn.Linear(64, 80), lambda: nn.Bilinear(16, 8, 40), lambda: nn.Conv2d(8, 32, 5),
        lambda: nn.ConvTranspose2d(8, 32, 5), lambda: nn.Conv1d(16, 64, 3, groups=4), lambda: nn.Embedding(100, 40),
        lambda: nn.EmbeddingBag(100, 40), lambda: nn.BatchNorm2d(5), lambda: nn.LayerNorm(5), lambda: nn.PReLU(3),
    ):  # fmt: skip
        for name, p in make().named_parameters():
            p = p.detach().double()
            spread = p.std(unbiased=False).item() if p.numel() > 1000 else 0
            low, high = p.abs().max().item(), p.mean().item()
            bounded = None if spread == 0 else round(low / spread) if low / spread < 1.9 else "normal"
            seen.append([name, bounded, round(spread, 1), round(high, 1) + 0.0])
    return seen


@case
def attributes_of_layers(torch):
    """What code reads from layers."""
    nn = torch.nn
    plain = (bool, int, float, str, tuple, list, type(None))
    return {
        repr(layer): {k: v for k, v in vars(layer).items() if not k.startswith("_") and isinstance(v, plain)}
        for layer in (
            nn.Linear(2, 3), nn.Conv2d(1, 2, 3, padding=1), nn.Conv1d(2, 2, 3, padding="same", groups=2),
            nn.ConvTranspose3d(1, 2, 2, output_padding=0), nn.MaxPool2d(2), nn.AvgPool1d(2), nn.AdaptiveAvgPool2d(1),
            nn.BatchNorm2d(3), nn.LayerNorm(4), nn.GroupNorm(1, 2), nn.Embedding(3, 2, padding_idx=-1), nn.Dropout(0.1),
            nn.Upsample(scale_factor=2), nn.Flatten(), nn.PReLU(2), nn.Softmax(1), nn.ZeroPad2d(1), nn.Fold(3, 2),
            nn.CrossEntropyLoss(label_smoothing=0.1), nn.PairwiseDistance(3), nn.RMSNorm(2), nn.RReLU(),
        )
    }  # fmt: skip


@case
def layers_in_lower_precision(torch):
    nn = torch.nn
    x = wave(torch, 2, 4)
    seen = []
    for dtype in (torch.float32, torch.bfloat16):
        layer = fill(torch, nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.LayerNorm(3))).to(dtype)
        out = layer(x.to(dtype))
        seen.append([str(out.dtype), list(out.shape)])
    return [seen, see(torch, fill(torch, nn.Linear(4, 2)).float()(x.float()))]
