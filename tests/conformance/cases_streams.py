"""The numbers themselves: what PyTorch's CPU generator gives for a seed, function by function and one after the other.

Each case draws several times and tells a checksum of the state at the end: a wrong count of words shows there.
"""

from __future__ import annotations

import warnings
import zlib
from typing import Any

from .observe import case, plain, see

SHAPES = [(1,), (2,), (15,), (16,), (17,), (33,), (3, 7), (5, 8), (0,), (), (1000,)]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
INTEGERS = ["bool", "uint8", "int8", "int16", "int32", "int64"]
SEEDS = [0, 1, -7, 2**40 + 3, 2**63]


def state(torch: Any, generator: Any = None) -> int:
    """A checksum of the state without the normal number that waits in it, whose last digit is the libm's."""
    held = bytearray((torch.get_rng_state() if generator is None else generator.get_state()).numpy().tobytes())
    held[5024:5032] = bytes(8)
    return zlib.crc32(bytes(held))


def brief(torch: Any, t: Any) -> Any:
    """Dtype, shape and values; of many values the ends and the sum."""
    flat = t.detach().flatten()
    flat = flat.float() if t.dtype == torch.bfloat16 else flat
    if t.numel() > 6:
        total = flat.sum() if t.dtype.is_complex else flat.double().sum()
        flat = torch.cat([flat[:3].to(total.dtype), flat[-2:].to(total.dtype), total[None]])
    return [str(t.dtype), list(t.shape), plain(flat.tolist())]


def strided(torch: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """Not contiguous: transposed, or every second element."""
    if len(shape) == 2:
        return torch.zeros(shape[::-1], dtype=dtype).t()
    return torch.zeros((*shape, 2), dtype=dtype)[..., 0]


def each(torch: Any, names: list[str], *draws: Any) -> Any:
    """What functions of a contiguous and of a strided tensor leave in it, for all shapes and dtypes."""
    found = {}
    for name in names:
        dtype = getattr(torch, name)
        for shape in SHAPES:
            torch.manual_seed(len(shape))
            drawn = []
            for draw in draws:
                dense, apart = torch.zeros(shape, dtype=dtype), strided(torch, shape, dtype)
                drawn += [brief(torch, draw(dense)), brief(torch, draw(apart))]
            found[f"{name} {shape}"] = [drawn, state(torch)]
    return found


# ---- in place


@case
def uniform_numbers(torch):
    return each(torch, [*FLOATS, "complex64", "complex128"], lambda x: x.uniform_(), lambda x: x.uniform_(-0.3, 0.8))


@case
def normal_numbers(torch):
    return each(torch, [*FLOATS, "complex64", "complex128"], lambda x: x.normal_(), lambda x: x.normal_(0.3, 1.7))


@case
def other_continuous_numbers(torch):
    return each(
        torch, FLOATS, lambda x: x.exponential_(1.3), lambda x: x.cauchy_(0.3, 2.0), lambda x: x.log_normal_(0.3, 0.4)
    )


@case
def integers_in_place(torch):
    return each(torch, [*FLOATS, *INTEGERS], lambda x: x.random_(), lambda x: x.random_(1), lambda x: x.random_(0, 2))


@case
def geometric_numbers(torch):
    return each(torch, [*FLOATS, "uint8", "int16", "int64"], lambda x: x.geometric_(0.3))


@case
def bernoulli_numbers(torch):
    return each(
        torch, [*FLOATS, *INTEGERS], lambda x: x.bernoulli_(0.3), lambda x: x.bernoulli_(torch.tensor(0.6)),
        lambda x: x.bernoulli_(torch.tensor(0.6, dtype=torch.float64)),
    )  # fmt: skip


# ---- new tensors


@case
def new_tensors(torch):
    found = {}
    for name in FLOATS:
        options = {"dtype": getattr(torch, name)}
        for shape in SHAPES:
            x = torch.zeros(shape, **options)
            drawn = [
                torch.rand(shape, **options), torch.randn(shape, **options), torch.rand_like(x), torch.randn_like(x),
                torch.randint(-5, 100, shape, **options), torch.randint_like(x, 9), torch.bernoulli(x + 0.4),
                torch.normal(x + 1, 0.5), torch.normal(2.0, x + 0.5), torch.normal(x, x + 2),
                torch.normal(1.0, 2.0, shape, **options), torch.rand(shape, out=strided(torch, shape, x.dtype)),
            ]  # fmt: skip
            found[f"{name} {shape}"] = [[brief(torch, t) for t in drawn], state(torch)]
    return found


@case
def integers_of_all_ranges(torch):
    found = []
    for low, high in ((0, 10), (-5, 2**28 - 6), (0, 2**28), (0, 2**32), (-(2**40), 2**61), (-(2**63), 2**63 - 1)):
        found.append([torch.randint(low, high, (n,)).tolist() for n in (1, 3, 0, 7)])
    found.append(torch.empty(5, dtype=torch.int64).random_(-(2**63), None).tolist())
    return [found, state(torch)]


@case
def permutations(torch):
    drawn = [torch.randperm(n) for n in (0, 1, 2, 3, 10, 33, 1000)]
    drawn += [torch.randperm(20, dtype=getattr(torch, name)) for name in ("int32", "float32", "float64")]
    return [[brief(torch, t) for t in drawn], state(torch)]


@case
def choices(torch):
    found = []
    for name in FLOATS:
        weights = (torch.arange(12, dtype=getattr(torch, name)).reshape(3, 4) + 1) / 8
        for count, replacement in ((1, True), (1, False), (3, True), (3, False)):
            for given in (weights, weights[1], weights.t()):
                found.append(torch.multinomial(given, count, replacement).tolist())
    return [found, state(torch)]


# ---- draws that try until they succeed


@case
def poisson_numbers(torch):
    found = []
    for name in FLOATS:
        for rate in (0.0, 0.5, 3.0, 12.0, 1000.0):
            found.append(torch.poisson(torch.full((3, 4), rate, dtype=getattr(torch, name))).tolist())
        found.append(torch.poisson(torch.arange(60, dtype=getattr(torch, name)).reshape(6, 10).t() / 2).tolist())
    return [found, state(torch)]


@case
def binomial_numbers(torch):
    found = []
    for name in ("float32", "float64"):
        for count, p in ((0, 0.5), (20, 0.3), (100, 0.3), (100, 0.75), (3, 0.9), (50, 0.0), (50, 1.0), (10000, 0.5)):
            options = {"dtype": getattr(torch, name)}
            found.append(torch.binomial(torch.full((40,), count, **options), torch.tensor(p, **options)).tolist())
    return [found, state(torch)]


@case
def gamma_numbers(torch):
    found = []
    for name in ("float32", "float64"):
        for shape in (0.01, 0.3, 1.0, 2.5, 100.0):
            given = torch.full((7, 3), shape, dtype=getattr(torch, name))
            found += [torch._standard_gamma(given).tolist(), torch._sample_dirichlet(given).tolist()]
            found += [torch.randn(1).item()]
    return [found, state(torch)]


# ---- one after the other


def mixture(torch: Any, generator: Any) -> Any:
    found = []
    for n in range(0, 40, 3):
        found += [
            torch.rand(n, generator=generator), torch.randn(n + 1, generator=generator),
            torch.empty(n).exponential_(generator=generator), torch.empty(n).log_normal_(generator=generator),
            torch._standard_gamma(torch.ones(n), generator), torch.randn(n, generator=generator, dtype=torch.float64),
            torch.poisson(torch.full((n,), float(n)), generator), torch.randperm(n, generator=generator),
            torch.empty(n, n).t().normal_(generator=generator), torch.randint(2**40, (n,), generator=generator),
        ]  # fmt: skip
    return [[brief(torch, t) for t in found], state(torch, generator)]


@case
def one_after_the_other(torch):
    found = {}
    for seed in SEEDS:
        generator = torch.Generator().manual_seed(seed)
        found[str(seed)] = [generator.initial_seed(), state(torch, generator), mixture(torch, generator)]
    return found


@case
def states_in_the_middle_of_a_stream(torch):
    found = []
    for taken in (0, 1, 623, 624, 625, 2000):
        generator = torch.Generator().manual_seed(5)
        torch.rand(taken, generator=generator)
        torch.randn(3, generator=generator)
        held = generator.get_state()
        first = torch.randn(5, generator=generator).tolist()
        other = torch.Generator().set_state(held)
        found.append([len(held), state(torch, other), first, torch.randn(5, generator=other).tolist()])
        clone = generator.clone_state()
        found.append([torch.rand(2, generator=generator).tolist(), torch.rand(2, generator=clone).tolist()])
    return found


# ---- what draws with these


LAYERS = {
    "Linear": (5, 7), "Bilinear": (3, 4, 5), "Conv1d": (3, 8, 3), "Conv2d": (4, 6, 3), "Conv3d": (2, 3, 2),
    "ConvTranspose1d": (3, 8, 3), "ConvTranspose2d": (4, 6, 3), "ConvTranspose3d": (2, 3, 2), "Embedding": (10, 7),
    "EmbeddingBag": (10, 7), "RNN": (5, 7, 2), "LSTM": (5, 7, 2), "GRU": (5, 7, 2), "RNNCell": (5, 7),
    "LSTMCell": (5, 7), "GRUCell": (5, 7), "MultiheadAttention": (8, 2), "TransformerEncoderLayer": (8, 2, 16),
    "TransformerDecoderLayer": (8, 2, 16), "Transformer": (8, 2, 2, 1, 16, 0.1, "relu", None, None, 1e-5, True),
    "PReLU": (3,), "LayerNorm": (7,), "RMSNorm": (4,),
    "BatchNorm1d": (5,), "BatchNorm2d": (5,), "BatchNorm3d": (5,), "GroupNorm": (2, 4),
    "InstanceNorm1d": (5, 1e-5, 0.1, True), "InstanceNorm2d": (5,), "InstanceNorm3d": (5, 1e-5, 0.1, True),
    "SyncBatchNorm": (5,), "AdaptiveLogSoftmaxWithLoss": (16, 20, [5, 10]), "LinearCrossEntropyLoss": (7, 5),
}  # fmt: skip


@case
def initial_weights(torch):
    found = {}
    for name, arguments in LAYERS.items():
        torch.manual_seed(3)
        layer = getattr(torch.nn, name)(*arguments)
        found[name] = [{k: brief(torch, p) for k, p in layer.named_parameters()}, state(torch)]
    torch.manual_seed(3)
    lstm = torch.nn.LSTM(5, 7, 2, bidirectional=True, proj_size=3)
    attention = torch.nn.MultiheadAttention(8, 2, kdim=4, vdim=6, add_bias_kv=True)
    padded = torch.nn.Embedding(10, 7, padding_idx=2)
    layers = torch.nn.TransformerEncoderLayer(8, 2, 16), torch.nn.TransformerDecoderLayer(8, 2, 16)
    stacks = torch.nn.TransformerEncoder(layers[0], 2, None, False), torch.nn.TransformerDecoder(layers[1], 2)
    found["stacks"] = [[brief(torch, p) for m in stacks for p in m.parameters()], state(torch)]
    found["options"] = [[brief(torch, p) for m in (lstm, attention, padded) for p in m.parameters()], state(torch)]
    return found


@case
def initial_weights_of_lazy_layers(torch):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # they are under development, PyTorch says
        return lazy_layers(torch)


def lazy_layers(torch):
    nn, found = torch.nn, []
    for n in (1, 2, 3):
        image = torch.randn(2, 3, *[5] * n)
        for kind in ("Conv", "ConvTranspose"):
            layer = getattr(nn, f"Lazy{kind}{n}d")(4, 2)
            found += [layer(image), *layer.parameters()]
        for kind in ("BatchNorm", "InstanceNorm"):
            layer = getattr(nn, f"Lazy{kind}{n}d")()
            layer(image)
            found += layer.parameters()
    layer = nn.LazyLinear(4)
    found += [layer(torch.randn(3, 6)), *layer.parameters()]
    return [[brief(torch, t) for t in found], state(torch)]


@case
def initialisers(torch):
    init, found = torch.nn.init, []
    for shape in ((5, 7), (7, 5), (32, 16)):
        for name in ("float32", "float64"):
            for draw in (
                init.uniform_, init.normal_, init.trunc_normal_, init.xavier_uniform_, init.xavier_normal_,
                init.kaiming_uniform_, init.kaiming_normal_, init.orthogonal_,
                lambda w: init.trunc_normal_(w, 1, 2, -3, 0.5), lambda w: init.trunc_normal_(w, 0, 1, 1.0, 3.0),
                lambda w: init.sparse_(w, 0.3),
            ):  # fmt: skip
                found.append(brief(torch, draw(torch.empty(shape, dtype=getattr(torch, name)))))
    return [found, state(torch)]


@case
def dropped_numbers(torch):
    F, found = torch.nn.functional, []
    for x in (torch.ones(3, 4, 5), torch.ones(4, 3, 5).transpose(0, 1), torch.ones(20)[::2].reshape(1, 2, 5)):
        found += [F.dropout(x), torch.dropout(x, 0.3, True), F.dropout1d(x), F.alpha_dropout(x, training=True)]
        found += [F.feature_alpha_dropout(x, training=True), *torch.native_dropout(x, 0.3, True)]
        found += [F.rrelu(x - 1, training=True), F.rrelu(x - 2 * torch.eye(5)[: x.shape[1]], training=True)]
        found += [F.gumbel_softmax(x), F.gumbel_softmax(x, hard=True), x.clone().bernoulli_()]
    found += [F.dropout2d(torch.ones(2, 3, 4, 4)), F.dropout3d(torch.ones(2, 3, 2, 2, 2))]
    found += [F.fractional_max_pool2d(torch.rand(2, 3, 9, 9), 3, output_size=(4, 5))]
    found += [F.fractional_max_pool3d(torch.rand(2, 9, 9, 9), 3, output_ratio=(0.5, 0.5, 0.5))]
    return [[brief(torch, t) for t in found], state(torch)]


@case
def layers_that_drop(torch):
    nn, found = torch.nn, []
    for kind in (nn.RNN, nn.LSTM, nn.GRU):
        for options in ({}, {"bidirectional": True, "batch_first": True}):
            found.append(kind(5, 7, 3, dropout=0.4, **options)(torch.randn(4, 2, 5))[0])
    x = torch.randn(2, 5, 8)
    found.append(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)(x))
    found.append(nn.TransformerDecoderLayer(8, 2, 16)(x, torch.randn(2, 5, 8)))
    found.append(nn.MultiheadAttention(8, 2, dropout=0.4)(x, x, x)[0])
    found.append(nn.functional.scaled_dot_product_attention(x, x, x, dropout_p=0.3))
    return [[brief(torch, t) for t in found], state(torch)]


@case
def orders_of_data(torch):
    data = torch.utils.data
    rows, generator = data.TensorDataset(torch.arange(20)), torch.Generator().manual_seed(4)
    found = [[batch[0].tolist() for batch in data.DataLoader(rows, batch_size=3, shuffle=True)]]
    found += [[list(part.indices) for part in data.random_split(rows, [15, 5])]]
    found += [[list(part.indices) for part in data.random_split(rows, [0.3, 0.3, 0.4], generator=generator)]]
    for sampler in (
        data.RandomSampler(rows), data.RandomSampler(rows, True, 50), data.RandomSampler(rows, False, 50),
        data.RandomSampler(rows, generator=generator), data.SubsetRandomSampler(range(7)),
        data.WeightedRandomSampler([0.1, 0.5, 0.9], 10), data.WeightedRandomSampler([0.1, 0.5, 0.9], 2, False),
        data.DistributedSampler(rows, 2, 0),
    ):  # fmt: skip
        found.append(list(map(int, sampler)))
    loader = data.DataLoader(rows, batch_size=3, shuffle=True, generator=generator)
    found += [[batch[0].tolist() for batch in loader] for _ in range(2)]
    return [found, state(torch), state(torch, generator)]


class Drawing:
    """A dataset that draws, and tells the seed it draws with."""

    def __init__(self, torch: Any) -> None:
        self.torch = torch

    def __len__(self) -> int:
        return 6

    def __getitem__(self, i: int) -> Any:
        import random

        import numpy as np

        numbers = [random.randrange(10**6), int(np.random.randint(10**6)), self.torch.randint(10**6, ()).item()]
        return self.torch.tensor([self.torch.utils.data.get_worker_info().seed, *numbers])


@case
def workers_draw(torch):
    return [batch.tolist() for batch in torch.utils.data.DataLoader(Drawing(torch), batch_size=2, num_workers=2)]


@case
def samples_of_distributions(torch):
    d, found = torch.distributions, {}
    a, b, p = torch.tensor([0.3, 2.0]), torch.tensor([1.0, 3.0]), torch.tensor([0.3, 0.8])
    for law in (
        d.Normal(a, b), d.Bernoulli(p), d.Beta(a, b), d.Binomial(30, p), d.Categorical(p), d.Cauchy(a, b), d.Chi2(a),
        d.ContinuousBernoulli(p), d.Dirichlet(b), d.Exponential(a), d.FisherSnedecor(a, b), d.Gamma(a, b),
        d.Geometric(p), d.Gumbel(a, b), d.HalfCauchy(a), d.HalfNormal(a), d.InverseGamma(a, b), d.Kumaraswamy(a, b),
        d.Laplace(a, b), d.LogNormal(a, b), d.LogisticNormal(a, b), d.LowRankMultivariateNormal(a, torch.ones(2, 1), b),
        d.MixtureSameFamily(d.Categorical(p), d.Normal(a, b)), d.Multinomial(10, p),
        d.MultivariateNormal(a, torch.eye(2)), d.NegativeBinomial(b, p), d.OneHotCategorical(p), d.Pareto(a, b),
        d.Poisson(10 * a), d.RelaxedBernoulli(p, p), d.RelaxedOneHotCategorical(p[:1], p), d.StudentT(b, a),
        d.Uniform(a, b + 3), d.VonMises(a, b), d.Weibull(a, b),
    ):  # fmt: skip
        torch.manual_seed(2)
        samples = [law.sample(), law.sample((5,)), law.sample((20,))]
        found[type(law).__name__] = [[brief(torch, s) for s in samples], state(torch)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # PyTorch takes all samples for singular
        for law in (
            d.LKJCholesky(2), d.LKJCholesky(4, b), d.Wishart(b + 3, torch.eye(3)),
            d.Wishart(4.0, torch.tensor([[2.0, 0.5], [0.5, 1.0]])),
        ):  # fmt: skip
            torch.manual_seed(2)
            samples = [law.sample(), law.sample((5,)), law.sample((2, 3))]
            found[f"{type(law).__name__} {tuple(law.event_shape)}"] = [[brief(torch, s) for s in samples], state(torch)]
    return found


@case
def scrambled_points(torch):
    found = []
    for options in ({}, {"seed": 5}, {"seed": 2**40}):
        engine = torch.quasirandom.SobolEngine(3, scramble=True, **options)
        found += [engine.draw(5), engine.fast_forward(3).draw(20), engine.reset().draw(2)]
        found += [torch.quasirandom.SobolEngine(20, scramble=True, **options).draw(100, dtype=torch.float64)]
    return [[brief(torch, t) for t in found], state(torch)]


@case
def normal_draws_inside_vmap(torch):
    """For all items at once: so many that they come in blocks, or lying in memory otherwise than the items do."""
    found = []
    for draw in (
        lambda x: torch.randn(3) + x[:3], lambda x: torch.randn(17, dtype=torch.float64), torch.randn_like,
        lambda x: torch.randn_like(torch.ones(5)), lambda x: torch.normal(1.0, 2.0, (5,)),
        lambda x: x.clone().normal_(), lambda x: x.clone().exponential_(),
        lambda x: torch.randn(4, dtype=torch.float16), lambda x: torch.distributions.Normal(x, 1.0).sample(),
    ):  # fmt: skip
        for in_dims in (0, 1):
            found.append(see(torch, torch.func.vmap(draw, in_dims, randomness="different")(torch.ones(5, 8))))
    for inner, outer in (("same", "different"), ("different", "same"), ("different", "different")):
        inside = torch.func.vmap(lambda x: torch.randn(3) + x, randomness=inner)
        found.append(see(torch, torch.func.vmap(inside, randomness=outer)(torch.ones(3, 4))))
    return [found, state(torch)]


@case
def draws_inside_vmap(torch):
    found = []
    for randomness in ("same", "different"):
        for draw in (
            lambda x: torch.rand(3) + x[:3], lambda x: torch.nn.functional.dropout(x, 0.4), torch.rand_like,
            lambda x: torch.randint(9, (5,)) + x, lambda x: torch.randperm(5) + x,
        ):  # fmt: skip
            found.append(see(torch, torch.func.vmap(draw, randomness=randomness)(torch.ones(4, 5))))
    return [found, state(torch)]
