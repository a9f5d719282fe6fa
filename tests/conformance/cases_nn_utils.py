"""nn.utils and nn.init: clipping, vectors, parametrizations, norms of weights, pruning, fusion, stateless calls."""

from __future__ import annotations

import copy
import inspect
import pickle
import warnings

from .observe import case, error, name_of, see, warned


def load(torch, name):
    """A module below ``nn.utils`` that the library does not import by itself."""
    return __import__(f"{torch.__name__}.nn.utils.{name}", fromlist=["nothing"])


def linear(torch, n=3, m=2, **settings):
    layer = torch.nn.Linear(n, m, **settings)
    with torch.no_grad():
        for p in layer.parameters():
            p.copy_(torch.sin((torch.arange(p.numel(), dtype=p.dtype) + 1) ** 2).reshape(p.shape))
    return layer


def with_gradients(torch, *values):
    made = []
    for v in values:
        p = torch.nn.Parameter(torch.zeros(len(v)))
        p.grad = torch.tensor(v)
        made.append(p)
    return made


# ---- gradients


@case
def clipping_by_norm(torch):
    utils = torch.nn.utils
    seen = []
    for norm_type in (2.0, 1, 3, 0.5, "inf", float("inf"), -float("inf"), 0):
        for bound in (1.0, 100.0):
            ps = with_gradients(torch, [3.0, -4.0], [0.0, 12.0])
            seen.append([see(torch, utils.clip_grad_norm_(ps, bound, norm_type)), [see(torch, p.grad) for p in ps]])
    ps = with_gradients(torch, [3.0, 4.0])
    seen.append(see(torch, utils.clip_grad_norm_(ps[0], 1.0, foreach=False)))
    seen.append(see(torch, utils.clip_grad_norm_([], 1.0)))
    seen.append(see(torch, utils.clip_grad_norm_([torch.nn.Parameter(torch.ones(1))], 1.0)))
    seen.append(warned(lambda: utils.clip_grad_norm_((p for p in []), 1.0)))
    bad = with_gradients(torch, [float("nan"), 1.0])
    seen.append(error(lambda: utils.clip_grad_norm_(bad, 1.0, error_if_nonfinite=True)))
    seen.append(see(torch, utils.clip_grad_norm_(with_gradients(torch, [float("inf")]), 1.0)))
    seen.append(warned(lambda: utils.clip_grad_norm(ps, 1.0)))
    return seen


@case
def clipping_in_parts(torch):
    utils = torch.nn.utils
    ps = with_gradients(torch, [3.0, -4.0], [0.5, 12.0])
    seen = [see(torch, utils.get_total_norm([p.grad for p in ps], 2.0)),
            see(torch, utils.get_total_norm(torch.ones(4))),
            see(torch, utils.get_total_norm([])), utils.clip_grad_value_(ps, 2),
            [see(torch, p.grad) for p in ps]]  # fmt: skip
    utils.clip_grads_with_norm_(ps, 1.0, torch.tensor(2.0))
    mixed = [torch.ones(2, dtype=torch.float64), torch.ones(2)]
    return [*seen, [see(torch, p.grad) for p in ps], see(torch, utils.get_total_norm(mixed))]


@case
def parameters_as_a_vector(torch):
    utils = torch.nn.utils
    layer = linear(torch, 2, 2)
    vector = utils.parameters_to_vector(layer.parameters())
    utils.vector_to_parameters(torch.arange(6.0), layer.parameters())
    return [see(torch, vector), see(torch, layer.weight), see(torch, layer.bias),
            error(lambda: utils.vector_to_parameters([1], layer.parameters()))]  # fmt: skip


# ---- parametrizations


def symmetric(torch):
    class Symmetric(torch.nn.Module):
        def forward(self, x):
            return x.triu() + x.triu(1).T

        def right_inverse(self, a):
            return a.triu()

    return Symmetric()


def halves(torch):
    class Halves(torch.nn.Module):
        def forward(self, a, b):
            return a + b

        def right_inverse(self, x):
            return x / 2, x / 2

    return Halves()


def mapping(torch, function):
    class Mapping(torch.nn.Module):
        def forward(self, x):
            return function(x)

    return Mapping()


@case
def parametrizing(torch):
    parametrize = torch.nn.utils.parametrize
    layer = linear(torch, 3, 3)
    weight = layer.weight
    same = parametrize.register_parametrization(layer, "weight", symmetric(torch)) is layer
    known = layer.parametrizations.weight
    seen = [same, repr(layer), type(layer).__name__, sorted(layer.state_dict()), parametrize.is_parametrized(layer),
            parametrize.is_parametrized(layer, "weight"), parametrize.is_parametrized(layer, "bias"), len(known),
            known.original is weight, parametrize.type_before_parametrizations(layer).__name__,
            see(torch, layer.weight),
            isinstance(layer, torch.nn.Linear), [n for n, _ in layer.named_parameters()]]  # fmt: skip
    layer(torch.ones(1, 3)).sum().backward()
    seen.append(see(torch, known.original.grad))
    layer.weight = torch.arange(9.0).reshape(3, 3)
    seen += [see(torch, layer.weight), see(torch, known.original)]
    parametrize.register_parametrization(layer, "bias", halves(torch))
    parametrize.register_parametrization(layer, "weight", mapping(torch, lambda x: x * 2))
    seen += [repr(layer), sorted(layer.state_dict()), see(torch, layer.weight), layer.parametrizations.bias.ntensors]
    with parametrize.cached():
        seen.append(layer.weight is layer.weight)
    seen.append(layer.weight is layer.weight)
    other = copy.deepcopy(layer)
    seen += [type(other).__name__, see(torch, other.weight), error(lambda: pickle.dumps(layer))["message"][:60]]
    parametrize.remove_parametrizations(layer, "weight")
    seen += [repr(layer), see(torch, layer.weight), layer.weight is weight]
    seen.append(error(lambda: parametrize.remove_parametrizations(layer, "bias", leave_parametrized=False)))
    parametrize.remove_parametrizations(layer, "bias")
    return [*seen, repr(layer), type(layer).__name__, see(torch, layer.bias), hasattr(layer, "parametrizations")]


@case
def leaving_unparametrized(torch):
    parametrize = torch.nn.utils.parametrize
    layer = linear(torch, 2, 2)
    parametrize.register_parametrization(layer, "weight", mapping(torch, lambda x: x * 2))
    parametrize.register_parametrization(layer, "bias", mapping(torch, torch.tanh))
    parametrize.remove_parametrizations(layer, "weight", leave_parametrized=False)
    norm = torch.nn.BatchNorm1d(2)
    parametrize.register_parametrization(norm, "running_mean", mapping(torch, lambda x: x + 1))
    return [see(torch, layer.weight), repr(layer), see(torch, norm.running_mean), sorted(norm.state_dict())]


@case
def transferring_parametrizations(torch):
    parametrize = torch.nn.utils.parametrize
    first, second = linear(torch, 2, 2), torch.nn.Linear(2, 2)
    parametrize.register_parametrization(first, "weight", mapping(torch, lambda x: x * 2))
    made = parametrize.transfer_parametrizations_and_params(first, second)
    return [made is second, repr(second), see(torch, second.weight)]


@case
def wrong_parametrizations(torch):
    parametrize = torch.nn.utils.parametrize

    def fails(function, name="weight", twice=False, **settings):
        layer = torch.nn.Linear(2, 2)
        if twice:
            parametrize.register_parametrization(layer, "weight", mapping(torch, lambda x: x))
        return error(lambda: repr(parametrize.register_parametrization(layer, name, mapping(torch, function),
                                                                       **settings)))

    layer = torch.nn.Linear(2, 2)
    parametrize.register_parametrization(layer, "weight", mapping(torch, lambda x: x))
    return [
        fails(lambda x: x, "none"), fails(lambda x: x[:1]), fails(lambda x: x.double()), fails(lambda x: 3),
        fails(lambda x: x[:1], twice=True), fails(lambda x: x.double(), twice=True), fails(lambda x: 3, twice=True),
        fails(lambda x: x[:1], unsafe=True), error(lambda: setattr(layer, "weight", torch.ones(2, 2))),
        error(lambda: parametrize.remove_parametrizations(layer, "bias")),
        error(lambda: parametrize.ParametrizationList([], torch.ones(1))),
    ]  # fmt: skip


@case
def weight_norm_as_a_parametrization(torch):
    parametrizations = torch.nn.utils.parametrizations
    seen = []
    for make, dim in (
        (lambda: linear(torch), 0), (lambda: linear(torch), 1), (lambda: linear(torch), None),
        (lambda: torch.nn.Conv2d(2, 3, 2), 1),
    ):  # fmt: skip
        layer = make()
        if isinstance(layer, torch.nn.Conv2d):
            with torch.no_grad():
                layer.weight.copy_(torch.cos(torch.arange(24.0)).reshape(3, 2, 2, 2))
        parametrizations.weight_norm(layer, dim=dim)
        parts = layer.parametrizations.weight
        (layer.weight * torch.arange(float(layer.weight.numel())).reshape(layer.weight.shape)).sum().backward()
        seen.append([repr(layer), sorted(layer.state_dict()), see(torch, layer.weight), see(torch, parts.original0),
                     see(torch, parts.original0.grad), see(torch, parts.original1.grad)])  # fmt: skip
    layer = parametrizations.weight_norm(linear(torch))
    seen.append(str(layer.load_state_dict(
        {"weight_g": torch.ones(2, 1), "weight_v": torch.arange(6.0).reshape(2, 3), "bias": torch.zeros(2)}
    )))  # fmt: skip
    return [*seen, see(torch, layer.weight), error(lambda: parametrizations.weight_norm(torch.nn.ReLU()))]


@case
def weight_norm_by_hook(torch):
    utils = torch.nn.utils
    layer = linear(torch)
    told = warned(lambda: utils.weight_norm(layer))
    seen = [told, repr(layer), sorted(layer.state_dict()), see(torch, layer.weight), see(torch, layer.weight_g),
            type(layer.weight).__name__]  # fmt: skip
    layer(torch.ones(1, 3)).sum().backward()
    seen += [see(torch, layer.weight_g.grad), see(torch, layer.weight_v.grad)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seen.append(error(lambda: utils.weight_norm(layer)))
        seen.append(error(lambda: utils.weight_norm(torch.nn.LazyLinear(2))))
        whole = utils.weight_norm(linear(torch), dim=None)
    seen += [list(whole.weight_g.shape), see(torch, whole.weight)]
    utils.remove_weight_norm(layer)
    return [*seen, see(torch, layer.weight), type(layer.weight).__name__, sorted(layer.state_dict()),
            error(lambda: utils.remove_weight_norm(layer)), len(layer._forward_pre_hooks)]  # fmt: skip


@case
def spectral_norms(torch):
    """Power iteration from given vectors."""
    utils = torch.nn.utils
    seen = []
    old = utils.spectral_norm(linear(torch))
    with torch.no_grad():
        old.weight_u.copy_(torch.tensor([0.6, 0.8]))
        old.weight_v.copy_(torch.tensor([0.0, 0.6, 0.8]))
    out = old(torch.ones(1, 3))
    out.sum().backward()
    seen += [repr(old), sorted(old.state_dict()), see(torch, out), see(torch, old.weight_u), see(torch, old.weight_v),
             see(torch, old.weight_orig.grad), name_of(old.weight.grad_fn),
             dict(old.state_dict()._metadata[""])]  # fmt: skip
    old.eval()
    seen += [see(torch, old(torch.ones(1, 3))), error(lambda: utils.spectral_norm(old)),
             str(old.load_state_dict(old.state_dict()))]  # fmt: skip
    utils.remove_spectral_norm(old)
    seen += [sorted(old.state_dict()), see(torch, old.weight), error(lambda: utils.remove_spectral_norm(old))]
    new = utils.parametrizations.spectral_norm(linear(torch))
    part = new.parametrizations.weight[0]
    with torch.no_grad():
        part._u.copy_(torch.tensor([0.6, 0.8]))
        part._v.copy_(torch.tensor([0.0, 0.6, 0.8]))
    out = new(torch.ones(1, 3))
    out.sum().backward()
    seen += [repr(new), sorted(new.state_dict()), see(torch, out), see(torch, part._u), see(torch, part._v),
             see(torch, new.parametrizations.weight.original.grad)]  # fmt: skip
    seen += [error(lambda: utils.parametrizations.spectral_norm(linear(torch), n_power_iterations=0)),
             error(lambda: utils.parametrizations.spectral_norm(linear(torch), dim=5)),
             error(lambda: utils.parametrizations.spectral_norm(torch.nn.ReLU())),
             error(lambda: utils.spectral_norm(linear(torch), n_power_iterations=0))]  # fmt: skip
    one = utils.parametrizations.spectral_norm(linear(torch), "bias")
    transposed = utils.spectral_norm(torch.nn.ConvTranspose2d(2, 3, 2))
    return [*seen, see(torch, one.bias), list(transposed.weight_u.shape)]


@case
def spectral_norm_converges(torch):
    layer = torch.nn.utils.parametrizations.spectral_norm(linear(torch))
    for _ in range(20):
        layer.weight
    return round(torch.linalg.matrix_norm(layer.weight.detach(), 2).item(), 4)


@case
def orthogonal_parametrizations(torch):
    orthogonal = torch.nn.utils.parametrizations.orthogonal
    seen = []
    for n, m in ((3, 3), (2, 4), (4, 2)):
        for kind in ("matrix_exp", "cayley", "householder", None):
            for trivial in (True, False):
                layer = orthogonal(linear(torch, n, m), orthogonal_map=kind, use_trivialization=trivial)
                w = layer.weight
                small = w @ w.T if m <= n else w.T @ w
                seen.append([sorted(layer.state_dict()), bool((small - torch.eye(min(n, m))).abs().max() < 1e-4)])
                if n == m or not trivial:
                    (w * torch.arange(float(w.numel())).reshape(w.shape)).sum().backward()
                    seen += [see(torch, w), see(torch, layer.parametrizations.weight.original.grad)]
    layer = orthogonal(linear(torch, 2, 2))
    layer.weight = torch.tensor([[0.6, 0.8], [-0.8, 0.6]])
    seen += [repr(layer), see(torch, layer.weight)]
    free = orthogonal(linear(torch, 2, 2), use_trivialization=False)
    return [*seen, [error(fn) for fn in (
        lambda: orthogonal(linear(torch), orthogonal_map="x"), lambda: orthogonal(linear(torch), "bias"),
        lambda: orthogonal(torch.nn.ReLU()), lambda: setattr(layer, "weight", torch.ones(3, 3)),
        lambda: setattr(free, "weight", torch.eye(2)),
    )]]  # fmt: skip


# ---- pruning


@case
def prune_by_a_method_of_ones_own(torch):
    prune = load(torch, "prune")

    class Every(prune.BasePruningMethod):
        PRUNING_TYPE = "unstructured"

        def compute_mask(self, t, default_mask):
            mask = default_mask.clone()
            mask[::2] = 0
            return mask

    class Named(Every):
        def compute_mask(self, t, mask):
            return super().compute_mask(t, mask)

    layer = torch.nn.Linear(2, 3)
    Every.apply(layer, "bias")
    return [see(torch, layer.bias_mask), error(lambda: Named.apply(layer, "weight")), sorted(layer.state_dict())]


@case
def pruning_one_after_another(torch):
    prune = load(torch, "prune")
    layer = linear(torch)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor([[1.0, -2, 3], [-4, 5, -6]]))
    original = layer.weight
    prune.l1_unstructured(layer, "weight", 2)
    seen = [repr(layer), sorted(layer.state_dict()), see(torch, layer.weight), see(torch, layer.weight_mask),
            layer.weight_orig is original, prune.is_pruned(layer)]  # fmt: skip
    layer(torch.ones(1, 3)).sum().backward()
    seen.append(see(torch, layer.weight_orig.grad))
    prune.ln_structured(layer, "weight", 1, 2, 0)
    hook = next(iter(layer._forward_pre_hooks.values()))
    seen += [see(torch, layer.weight), type(hook).__name__, [type(h).__name__ for h in hook], len(hook)]
    prune.remove(layer, "weight")
    return [*seen, see(torch, layer.weight), layer.weight is original, sorted(layer.state_dict()),
            prune.is_pruned(layer),
            error(lambda: prune.remove(layer, "weight"))]  # fmt: skip


@case
def pruning_methods(torch):
    prune = load(torch, "prune")
    seen = []
    t = torch.tensor([[1.0, -3, 0.5], [2, 0.25, -4]])
    for method in (
        prune.L1Unstructured(2), prune.L1Unstructured(0.5), prune.L1Unstructured(0), prune.LnStructured(1, 1, -1),
        prune.LnStructured(0.5, 2, 0), prune.LnStructured(1, float("inf"), 1), prune.Identity(),
        prune.CustomFromMask(torch.tensor([[1, 0, 1], [0, 1, 1]])),
    ):  # fmt: skip
        mask = method.compute_mask(t, torch.ones_like(t))
        seen.append([method.PRUNING_TYPE, see(torch, mask), see(torch, method.prune(t))])
    for make in (lambda: prune.RandomUnstructured(2), lambda: prune.RandomStructured(1, 1)):
        seen.append([make().PRUNING_TYPE, make().prune(t).eq(0).sum().item()])
    layer = prune.identity(linear(torch), "bias")
    seen.append(see(torch, layer.bias_mask))
    prune.custom_from_mask(layer, "bias", torch.tensor([0, 1]))
    seen.append(see(torch, layer.bias))
    scored = prune.l1_unstructured(linear(torch), "bias", 1, importance_scores=torch.tensor([2.0, 1.0]))
    seen.append(see(torch, scored.bias_mask))
    random = prune.random_structured(prune.random_unstructured(linear(torch), "weight", 0.5), "weight", 1, 0)
    seen.append([random.weight_mask.sum().item() <= 3, len(next(iter(random._forward_pre_hooks.values())))])
    return seen


@case
def pruning_globally(torch):
    prune = load(torch, "prune")
    a, b = linear(torch, 2, 2), linear(torch, 2, 1)
    with torch.no_grad():
        a.weight.copy_(torch.tensor([[1.0, 2], [3, 4]]))
        b.weight.copy_(torch.tensor([[0.5, 5]]))
    prune.global_unstructured([(a, "weight"), (b, "weight")], prune.L1Unstructured, amount=3)
    seen = [see(torch, a.weight), see(torch, b.weight)]
    prune.global_unstructured([(a, "weight"), (b, "weight")], prune.L1Unstructured, amount=1)
    seen += [see(torch, a.weight), see(torch, b.weight)]
    return [*seen, error(lambda: prune.global_unstructured(3, prune.L1Unstructured, amount=1)),
            error(lambda: prune.global_unstructured([(a, "bias")], prune.LnStructured, amount=1,
                                                    n=2))["raises"]]  # fmt: skip


@case
def wrong_pruning(torch):
    prune = load(torch, "prune")
    seen = []
    for amount in (-1, 1.5, "x", 7):
        seen.append(error(lambda a=amount: prune.l1_unstructured(linear(torch), "weight", a) and None))
    return [*seen, *[error(fn) for fn in (
        lambda: prune.ln_structured(linear(torch), "bias", 1, 2, 0),
        lambda: prune.ln_structured(linear(torch), "weight", 1, 2, 5),
        lambda: prune.random_structured(linear(torch), "weight", 5, 0),
        lambda: prune.l1_unstructured(linear(torch), "weight", 1, importance_scores=torch.ones(2)),
        lambda: prune.PruningContainer().add_pruning_method(3),
    )]]  # fmt: skip


# ---- other helpers


@case
def fusing_batch_norm(torch):
    nn, utils = torch.nn, torch.nn.utils
    seen = []
    for layer, norm, x in (
        (nn.Conv2d(2, 3, 2), nn.BatchNorm2d(3), torch.ones(1, 2, 3, 3)),
        (nn.Conv1d(2, 3, 2, bias=False), nn.BatchNorm1d(3, affine=False), torch.ones(1, 2, 3)),
        (nn.Linear(2, 3), nn.BatchNorm1d(3), torch.ones(2, 2)),
    ):  # fmt: skip
        with torch.no_grad():
            for p in [*layer.parameters(), *norm.parameters()]:
                p.copy_(torch.cos(torch.arange(float(p.numel()))).reshape(p.shape))
            norm.running_mean.copy_(torch.tensor([0.1, -0.2, 0.3]))
            norm.running_var.copy_(torch.tensor([1.1, 0.2, 0.3]))
        fuse = utils.fuse_linear_bn_eval if isinstance(layer, nn.Linear) else utils.fuse_conv_bn_eval
        seen.append(error(lambda fuse=fuse, layer=layer, norm=norm: fuse(layer, norm)))
        fused = fuse(layer.eval(), norm.eval())
        same = bool((fused(x) - norm(layer(x))).abs().max() < 1e-5)
        seen.append([repr(fused), see(torch, fused.weight), see(torch, fused.bias), same])
    seen.append(error(lambda: utils.fuse_linear_bn_eval(nn.Linear(2, 3).eval(), nn.BatchNorm1d(4).eval())))
    return seen


@case
def fusing_batch_norm_of_another_dtype(torch):
    utils = torch.nn.utils
    seen = []
    for bias in (None, torch.ones(2)):
        for dtype in (torch.float16, torch.float64):
            mean, var, gain, shift = (torch.tensor([1.5, 0.25]) for _ in range(4))
            of_norm = mean, var, 0.5, gain, shift
            for fuse, shape in ((utils.fuse_conv_bn_weights, (2, 1, 1)), (utils.fuse_linear_bn_weights, (2, 1))):
                seen.append([see(torch, t) for t in fuse(torch.ones(shape, dtype=dtype), bias, *of_norm)])
    return seen


@case
def skipping_initial_values_and_memory_formats(torch):
    nn, utils = torch.nn, torch.nn.utils
    made = utils.skip_init(nn.Linear, 3, 2, dtype=torch.float64)
    conv = utils.convert_conv2d_weight_memory_format(nn.Sequential(nn.Conv2d(2, 3, 2)), torch.channels_last)
    return [
        repr(made), str(made.weight.dtype), str(made.weight.device), type(made.weight).__name__,
        error(lambda: utils.skip_init(nn.ReLU)), list(conv[0].weight.stride()),
    ]  # fmt: skip


@case
def stateless_calls(torch):
    nn = torch.nn
    call = load(torch, "stateless")._functional_call
    net = nn.Sequential(linear(torch, 1, 1), linear(torch, 1, 1), nn.BatchNorm1d(1))
    net.eval()
    tied = nn.Sequential(linear(torch, 1, 1, bias=False), linear(torch, 1, 1, bias=False))
    tied[1].weight = tied[0].weight
    one = torch.ones(1, 1)
    weight = torch.full((1, 1), 2.0, requires_grad=True)
    out = call(net, {"0.weight": weight, "0.bias": torch.zeros(1)}, one)
    out.sum().backward()
    seen = [see(torch, out), see(torch, weight.grad), net[0].weight.grad is None, net[0].weight is not weight]
    net.train()
    state = {"2.running_mean": torch.zeros(1)}
    call(net, state, torch.ones(3, 1))
    seen += [see(torch, state["2.running_mean"]), see(torch, net[2].running_mean)]
    seen += [see(torch, call(tied, {"0.weight": one * 3}, one)),
             see(torch, call(tied, {"0.weight": one * 3}, one, tie_weights=False))]
    return [*seen, [error(fn) for fn in (
        lambda: call(net, {"x": one}, one.expand(3, 1)) is None, lambda: call(net, {"0.weight": one}, one, strict=True),
        lambda: call(tied, {"0.weight": one, "1.weight": one * 2}, one),
        lambda: call(tied, {"0.weight": one, "x": one}, one, strict=True), lambda: call(tied, {"7.weight": one}, one),
    )], warned(lambda: load(torch, "stateless").functional_call(tied, {}, one))]  # fmt: skip


# ---- initial values


@case
def initial_values_of_convolutions_and_others(torch):
    init = torch.nn.init
    e = torch.empty
    seen = [see(torch, init.dirac_(e(4, 2, 3))), see(torch, init.dirac_(e(4, 2, 3), 2)),
            see(torch, init.dirac_(e(2, 2, 2, 2))),
            see(torch, init.dirac_(e(1, 2, 3, 3, 3))), see(torch, init.eye_(e(2, 3))),
            see(torch, init.constant_(e(2), 3)),
            see(torch, init.ones_(e(2))), see(torch, init.zeros_(e(2)))]  # fmt: skip
    wide, tall = init.orthogonal_(e(3, 5)), init.orthogonal_(e(5, 2, 1), gain=2).flatten(1)
    seen += [bool((wide @ wide.T - torch.eye(3)).abs().max() < 1e-5),
             bool((tall.T @ tall - 4 * torch.eye(2)).abs().max() < 1e-5)]
    seen += [init.sparse_(e(10, 4), 0.25).eq(0).sum(0).tolist(), list(init.orthogonal_(e(0, 3)).shape)]
    return [*seen, [error(fn) for fn in (
        lambda: init.dirac_(e(2, 2)), lambda: init.dirac_(e(3, 2, 3), 2), lambda: init.orthogonal_(e(3)),
        lambda: init.sparse_(e(3), 0.1), lambda: init.eye_(e(2)), lambda: init.xavier_uniform_(e(2)),
        lambda: init.kaiming_uniform_(e(2, 2), mode="x"), lambda: init.kaiming_normal_(e(2, 2), nonlinearity="x"),
        lambda: init.uniform_(e(2), 2, 1), lambda: init.normal_(e(2), 0, -1),
    )]]  # fmt: skip


@case
def old_names_of_initializers(torch):
    init = torch.nn.init
    e = torch.empty
    return [warned(lambda: init.uniform(e(2))), warned(lambda: init.xavier_normal(e(2, 2))),
            warned(lambda: init.sparse(e(2, 2), 0.5)), warned(lambda: init.trunc_normal_(e(2), mean=5)),
            warned(lambda: init.kaiming_normal_(e(0, 2))),
            sorted(n for n in dir(init) if n.endswith("_") and not n.startswith("_"))]  # fmt: skip


@case
def signatures_of_helpers(torch):
    utils = torch.nn.utils
    names = {
        utils: """
            clip_grad_norm clip_grad_norm_ clip_grad_value_ clip_grads_with_norm_ convert_conv2d_weight_memory_format
            convert_conv3d_weight_memory_format fuse_conv_bn_eval fuse_conv_bn_weights fuse_linear_bn_eval
            fuse_linear_bn_weights get_total_norm parameters_to_vector remove_spectral_norm remove_weight_norm skip_init
            spectral_norm vector_to_parameters weight_norm
        """,
        utils.parametrize: """
            cached is_parametrized register_parametrization remove_parametrizations transfer_parametrizations_and_params
            type_before_parametrizations
        """,
        utils.parametrizations: "orthogonal spectral_norm weight_norm",
        load(torch, "prune"): """
            custom_from_mask global_unstructured identity is_pruned l1_unstructured ln_structured random_structured
            random_unstructured remove
        """,
        torch.nn.init: """
            calculate_gain constant_ dirac_ eye_ kaiming_normal_ kaiming_uniform_ normal_ ones_ orthogonal_ sparse_
            trunc_normal_ uniform_ xavier_normal_ xavier_uniform_ zeros_
        """,
    }
    told = []
    for module, listed in names.items():
        for name in listed.split():
            parameters = inspect.signature(getattr(module, name)).parameters.values()
            told.append([name,
                         [[p.name, p.kind.name,
                           None if p.default is p.empty else repr(p.default)] for p in parameters]])
    return told


@case
def factory_arguments(torch):
    factory = torch.nn.factory_kwargs
    return [factory(None), factory({"device": "cpu"}), factory({"device": 1, "factory_kwargs": {"dtype": 2}}),
            error(lambda: factory({"x": 1})),
            error(lambda: factory({"device": 1, "factory_kwargs": {"device": 2}}))]  # fmt: skip
