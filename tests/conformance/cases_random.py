"""Random numbers: seeds, generators, states, shapes and dtypes, errors, and moments within loose bounds.

The numbers themselves are in ``cases_streams``.
"""

from __future__ import annotations

from typing import Any

from .cases_creation import brief, kind
from .observe import case, error, see

MANY = 20000


def close(value: float, target: float, tolerance: float) -> bool:
    return abs(float(value) - target) < tolerance


def mean_and_std(x: Any, mean: float, std: float, tolerance: float) -> list[bool]:
    x = x.double()
    return [close(x.mean(), mean, tolerance), close(x.std(), std, tolerance)]


def name(t: Any) -> Any:
    return None if t.grad_fn is None else type(t.grad_fn).__name__


# ---- seeds ------------------------------------------------------------------------------------------------------


@case
def same_seed_gives_same_numbers(torch):
    def draw():
        torch.manual_seed(7)
        return [
            torch.rand(5),
            torch.randn(5),
            torch.randint(0, 1000, (5,)),
            torch.randperm(10),
            torch.normal(0.0, 1.0, (5,)),
            torch.bernoulli(torch.full((20,), 0.5)),
            torch.multinomial(torch.ones(10), 5),
            torch.empty(5).exponential_(),
            torch.rand_like(torch.ones(5)),
            torch.randn(5, dtype=torch.float64),
        ]

    return [torch.equal(a, b) for a, b in zip(draw(), draw(), strict=True)]


@case
def other_seed_gives_other_numbers(torch):
    torch.manual_seed(1)
    a = torch.rand(10)
    torch.manual_seed(2)
    return torch.equal(a, torch.rand(10))


@case
def consecutive_draws_differ(torch):
    torch.manual_seed(0)
    return [torch.equal(torch.rand(5), torch.rand(5)), torch.equal(torch.randn(5), torch.randn(5))]


@case
def manual_seed_returns_the_default_generator(torch):
    g = torch.manual_seed(3)
    return [type(g).__name__, g is torch.default_generator, torch.initial_seed(), g.initial_seed()]


@case
def manual_seed_accepts(torch):
    return [
        torch.manual_seed(-1).initial_seed(),
        torch.manual_seed(2**63).initial_seed(),
        torch.manual_seed(1.5).initial_seed(),
        torch.manual_seed(True).initial_seed(),
        torch.manual_seed(torch.tensor(5)).initial_seed(),
        torch.random.manual_seed(9).initial_seed(),
    ]


@case
def manual_seed_errors(torch):
    return [brief(lambda: torch.manual_seed("a")), error(lambda: torch.manual_seed(2**64))["raises"]]


@case
def seed_sets_a_new_initial_seed(torch):
    s = torch.seed()
    return [type(s).__name__, s == torch.initial_seed()]


@case
def cuda_manual_seed_is_harmless(torch):
    torch.cuda.manual_seed(0)
    torch.cuda.manual_seed_all(0)
    return True


# ---- generators -------------------------------------------------------------------------------------------------


@case
def generator_is_independent_of_the_default(torch):
    torch.manual_seed(0)
    a = torch.rand(3)
    g = torch.Generator()
    g.manual_seed(123)
    torch.manual_seed(0)
    torch.rand(100, generator=g)
    return torch.equal(a, torch.rand(3))


@case
def generator_methods(torch):
    g = torch.Generator()
    return {
        "type": type(g).__name__,
        "device": str(g.device),
        "default_seed": g.initial_seed(),
        "manual_seed_returns_self": g.manual_seed(5) is g,
        "initial_seed": g.initial_seed(),
        "seed_changes": g.seed() == g.initial_seed(),
        "device_argument": str(torch.Generator(device="cpu").device),
        "isinstance": isinstance(g, torch.Generator),
        "state": [str(g.get_state().dtype), g.get_state().dim()],
    }


@case
def new_generators_start_alike(torch):
    return torch.equal(torch.rand(4, generator=torch.Generator()), torch.rand(4, generator=torch.Generator()))


@case
def generator_and_default_share_the_stream_of_a_seed(torch):
    torch.manual_seed(11)
    a = [torch.rand(4), torch.randn(4), torch.randperm(5)]
    g = torch.Generator().manual_seed(11)
    b = [torch.rand(4, generator=g), torch.randn(4, generator=g), torch.randperm(5, generator=g)]
    return [torch.equal(p, q) for p, q in zip(a, b, strict=True)]


@case
def generator_state_round_trip(torch):
    g = torch.Generator().manual_seed(1)
    torch.rand(3, generator=g)
    state = g.get_state()
    a = torch.rand(5, generator=g)
    h = torch.Generator()
    h.set_state(state)
    g.set_state(state)
    return [torch.equal(a, torch.rand(5, generator=g)), torch.equal(a, torch.rand(5, generator=h))]


@case
def generator_state_is_a_copy(torch):
    g = torch.Generator().manual_seed(1)
    state = g.get_state()
    before = state.clone()
    torch.rand(3, generator=g)
    return [torch.equal(state, before), torch.equal(state, g.get_state())]


@case
def generator_argument_everywhere(torch):
    def draw():
        g = torch.Generator().manual_seed(42)
        p = torch.full((6,), 0.5)
        return [
            torch.rand(3, generator=g),
            torch.randn((2, 2), generator=g),
            torch.randint(10, (3,), generator=g),
            torch.randint(0, 10, (3,), generator=g),
            torch.randperm(5, generator=g),
            torch.normal(0.0, 1.0, (3,), generator=g),
            torch.normal(torch.zeros(3), torch.ones(3), generator=g),
            torch.bernoulli(p, generator=g),
            torch.multinomial(p, 3, generator=g),
            torch.empty(3).uniform_(0, 1, generator=g),
            torch.empty(3).normal_(0, 1, generator=g),
            torch.empty(3).random_(0, 10, generator=g),
            torch.empty(3).bernoulli_(0.5, generator=g),
            torch.empty(3).exponential_(1.0, generator=g),
            torch.poisson(torch.ones(3), generator=g),
        ]

    torch.manual_seed(0)
    a = draw()
    torch.manual_seed(1)
    return [torch.equal(x, y) for x, y in zip(a, draw(), strict=True)]


@case
def generator_errors(torch):
    return {
        "not_a_generator": error(lambda: torch.rand(2, generator=3))["raises"],
        "state_type": brief(lambda: torch.set_rng_state(torch.zeros(3))),
        "state_size": error(lambda: torch.Generator().set_state(torch.zeros(3, dtype=torch.uint8)))["raises"],
        "seed_type": error(lambda: torch.Generator().manual_seed("a"))["raises"],
    }


# ---- global state -----------------------------------------------------------------------------------------------


@case
def rng_state_round_trip(torch):
    torch.manual_seed(0)
    torch.randn(3)
    state = torch.get_rng_state()
    a = [torch.rand(4), torch.randn(4)]
    torch.set_rng_state(state)
    b = [torch.rand(4), torch.randn(4)]
    return [[torch.equal(x, y) for x, y in zip(a, b, strict=True)], str(state.dtype), state.dim()]


@case
def fork_rng_restores_the_state(torch):
    torch.manual_seed(0)
    with torch.random.fork_rng():
        torch.manual_seed(99)
        torch.rand(10)
    a = torch.rand(4)
    torch.manual_seed(0)
    with torch.random.fork_rng(enabled=False):
        pass
    return torch.equal(a, torch.rand(4))


@case
def fork_rng_starts_from_the_current_state(torch):
    torch.manual_seed(0)
    with torch.random.fork_rng():
        a = torch.rand(4)
    return torch.equal(a, torch.rand(4))


@case
def fork_rng_restores_after_an_error(torch):
    torch.manual_seed(0)
    try:
        with torch.random.fork_rng():
            torch.rand(3)
            raise ValueError
    except ValueError:
        pass
    a = torch.rand(4)
    torch.manual_seed(0)
    return torch.equal(a, torch.rand(4))


@case
def numpy_and_python_seeds_do_not_matter(torch):
    import random

    import numpy as np

    torch.manual_seed(0)
    a = torch.rand(3)
    torch.manual_seed(0)
    np.random.seed(5)
    random.seed(5)
    return torch.equal(a, torch.rand(3))


# ---- shapes and dtypes ------------------------------------------------------------------------------------------


@case
def rand_and_randn_forms(torch):
    return {
        "varargs": kind(torch.rand(2, 3)),
        "tuple": kind(torch.randn((2, 3))),
        "list": kind(torch.rand([2])),
        "size": kind(torch.randn(torch.Size([1, 2]))),
        "keyword": kind(torch.rand(size=(2, 1))),
        "zero_dim": kind(torch.rand(())),
        "empty": kind(torch.randn(0, 3)),
        "double": kind(torch.rand(2, dtype=torch.float64)),
        "half": kind(torch.randn(2, dtype=torch.float16)),
        "bfloat16": kind(torch.rand(2, dtype=torch.bfloat16)),
        "complex": kind(torch.randn(2, dtype=torch.complex64)),
        "requires_grad": kind(torch.rand(2, requires_grad=True)),
        "meta": kind(torch.randn(2, device="meta")),
        "out": kind(torch.rand(2, 2, out=torch.empty(2, 2))),
    }


@case
def rand_errors(torch):
    return {
        "int": brief(lambda: torch.rand(2, dtype=torch.int64)),
        "randn_int": brief(lambda: torch.randn(2, dtype=torch.int64)),
        "negative": brief(lambda: torch.rand(-1)),
        "float_size": error(lambda: torch.rand(2.5))["raises"],
    }


@case
def randint_forms(torch):
    return {
        "high": kind(torch.randint(5, (2, 3))),
        "low_high": kind(torch.randint(2, 5, (2,))),
        "list": kind(torch.randint(0, 5, [3])),
        "zero_dim": kind(torch.randint(0, 5, ())),
        "keyword": kind(torch.randint(high=3, size=(2,))),
        "float": kind(torch.randint(0, 3, (2,), dtype=torch.float32)),
        "uint8": kind(torch.randint(0, 256, (2,), dtype=torch.uint8)),
        "bool": kind(torch.randint(0, 2, (2,), dtype=torch.bool)),
        "int8": kind(torch.randint(-128, 128, (2,), dtype=torch.int8)),
        "requires_grad": kind(torch.randint(0, 3, (2,), dtype=torch.float32, requires_grad=True)),
        "like": kind(torch.randint_like(torch.ones(2, dtype=torch.int32), 5)),
        "like_low": kind(torch.randint_like(torch.ones(2), 2, 5)),
        "one_value": see(torch, torch.randint(4, 5, (3,))),
        "negative": see(torch, torch.randint(-3, -2, (2,))),
    }


@case
def randint_errors(torch):
    return {
        "empty_range": brief(lambda: torch.randint(3, 3, (2,))),
        "reversed": brief(lambda: torch.randint(5, 3, (2,))),
        "zero": brief(lambda: torch.randint(0, (2,))),
        "int_size": brief(lambda: torch.randint(3, 2)),
        "float_high": error(lambda: torch.randint(1.5, (2,)))["raises"],
        "too_high_for_uint8": brief(lambda: torch.randint(0, 300, (2,), dtype=torch.uint8)),
        "no_size": error(lambda: torch.randint(3))["raises"],
    }


@case
def randint_covers_its_range(torch):
    x = torch.randint(-2, 3, (2000,))
    return [sorted(set(x.tolist())), x.min().item(), x.max().item()]


@case
def randperm_is_a_permutation(torch):
    return {
        "sorted": torch.equal(torch.randperm(50).sort()[0], torch.arange(50)),
        "shuffled": torch.equal(torch.randperm(50), torch.arange(50)),
        "empty": see(torch, torch.randperm(0)),
        "one": see(torch, torch.randperm(1)),
        "float": kind(torch.randperm(3, dtype=torch.float32)),
        "int32": kind(torch.randperm(3, dtype=torch.int32)),
        "negative": error(lambda: torch.randperm(-1))["raises"],
    }


@case
def normal_forms(torch):
    return {
        "numbers": kind(torch.normal(0, 1, (2, 3))),
        "numbers_dtype": kind(torch.normal(0.0, 1.0, (2,), dtype=torch.float64)),
        "size_keyword": kind(torch.normal(mean=0.0, std=1.0, size=(2,))),
        "tensor_mean": kind(torch.normal(torch.zeros(3), 2.0)),
        "tensor_std": kind(torch.normal(1.0, torch.ones(2, dtype=torch.float64))),
        "tensors": kind(torch.normal(torch.zeros(2, 1), torch.ones(3))),
        "default_std": kind(torch.normal(torch.zeros(3))),
        "zero_std": see(torch, torch.normal(torch.tensor([1.0, 2.0]), 0.0)),
        "zero_std_tensor": see(torch, torch.normal(3.0, torch.zeros(2))),
    }


@case
def normal_errors(torch):
    return {
        "negative_std": brief(lambda: torch.normal(0.0, -1.0, (2,))),
        "negative_std_of_tensor_mean": brief(lambda: torch.normal(torch.zeros(2), -1.0)),
        "negative_std_tensor": brief(lambda: torch.normal(0.0, torch.tensor([-1.0]))),
        "shapes": brief(lambda: torch.normal(torch.zeros(3), torch.ones(2))),
        "no_size": error(lambda: torch.normal(0, 1))["raises"],
        "int_mean": brief(lambda: torch.normal(torch.tensor([1, 2]), 1.0)),
    }


@case
def bernoulli_forms(torch):
    p = torch.tensor([0.0, 1.0])
    return {
        "certain": see(torch, torch.bernoulli(p)),
        "number": see(torch, torch.bernoulli(p, 1.0)),
        "method": see(torch, p.bernoulli()),
        "double": kind(torch.bernoulli(p.double())),
        "in_place": see(torch, torch.ones(2).bernoulli_(p)),
        "in_place_int": see(torch, torch.ones(2, dtype=torch.int64).bernoulli_(1.0)),
        "in_place_bool": see(torch, torch.zeros(2, dtype=torch.bool).bernoulli_(1.0)),
        "in_place_broadcast": see(torch, torch.ones(2, 2).bernoulli_(p)),
        "too_big": error(lambda: torch.bernoulli(torch.tensor([2.0])))["raises"],
        "in_place_too_big": brief(lambda: torch.ones(2).bernoulli_(2)),
        "int": brief(lambda: torch.bernoulli(torch.tensor([1]))),
    }


@case
def multinomial_forms(torch):
    return {
        "certain": see(torch, torch.multinomial(torch.tensor([0.0, 1.0, 0.0]), 1)),
        "batch": see(torch, torch.multinomial(torch.tensor([[0.0, 1.0], [5.0, 0.0]]), 1)),
        "replacement": see(torch, torch.multinomial(torch.tensor([0.0, 3.0]), 3, replacement=True)),
        "all_without": sorted(torch.multinomial(torch.ones(4), 4).tolist()),
        "shape": kind(torch.multinomial(torch.ones(2, 3), 5, True)),
        "method": kind(torch.ones(3).multinomial(2)),
    }


@case
def multinomial_errors(torch):
    t = torch.tensor
    return {
        "too_many": brief(lambda: torch.multinomial(torch.ones(2), 3)),
        "negative": brief(lambda: torch.multinomial(t([-1.0, 1.0]), 1)),
        "nan": brief(lambda: torch.multinomial(t([float("nan"), 1.0]), 1)),
        "zero_sum": brief(lambda: torch.multinomial(t([0.0, 0.0]), 1)),
        "int": brief(lambda: torch.multinomial(t([1, 1]), 1)),
        "three_dim": brief(lambda: torch.multinomial(torch.ones(2, 3, 4), 1)),
        "none": brief(lambda: torch.multinomial(torch.ones(3), 0)),
    }


@case
def in_place_methods_return_self(torch):
    names = {
        "uniform_": (0, 1), "normal_": (0, 1), "random_": (), "exponential_": (), "cauchy_": (),
        "log_normal_": (), "geometric_": (0.5,), "bernoulli_": (),
    }  # fmt: skip
    out = {}
    for n, args in names.items():
        x = torch.empty(2, 3)
        out[n] = [getattr(x, n)(*args) is x, kind(x), x._version]
    return out


@case
def in_place_keyword_arguments(torch):
    x = torch.empty(3)
    x.uniform_(2.0, 2.0)
    y = torch.empty(3).normal_(mean=5.0, std=0.0)
    z = torch.empty(3).uniform_(to=1.0)
    return [see(torch, x), see(torch, y), bool((z < 1).all())]


@case
def in_place_errors(torch):
    f, i = torch.ones(2), torch.ones(2, dtype=torch.int64)
    return {
        "uniform_reversed": brief(lambda: f.uniform_(1, 0)),
        "uniform_int": brief(lambda: i.uniform_()),
        "normal_negative": brief(lambda: f.normal_(0, -1)),
        "normal_int": brief(lambda: i.normal_()),
        "exponential_negative": brief(lambda: f.exponential_(-1)),
        "exponential_int": brief(lambda: i.exponential_()),
        "random_reversed": brief(lambda: f.random_(3, 2)),
        "geometric_zero": brief(lambda: f.geometric_(0)),
        "log_normal_negative": brief(lambda: f.log_normal_(0, -1)),
        "cauchy_negative": brief(lambda: f.cauchy_(0, -1)),
        "leaf": brief(lambda: torch.ones(2, requires_grad=True).uniform_()),
    }


@case
def in_place_on_views_writes_the_base(torch):
    x = torch.zeros(3, 4)
    x[1].uniform_(1, 2)
    x[:, 0].normal_(100, 1)
    return [(x[0, 1:] == 0).all().item(), (x[1, 1:] >= 1).all().item(), (x[:, 0] > 50).all().item()]


@case
def random_on_integer_dtypes_fills_the_range(torch):
    u = torch.empty(4000, dtype=torch.uint8).random_()
    b = torch.empty(200, dtype=torch.bool).random_()
    i = torch.empty(4000, dtype=torch.int8).random_()
    f = torch.empty(2000).random_(5)
    w = torch.empty(2000).random_(-2, 2)
    return [
        u.max().item() > 200,
        sorted(set(b.tolist())),
        i.min().item() >= 0,
        sorted(set(f.tolist())),
        sorted(set(w.tolist())),
    ]


@case
def random_nodes_of_the_graph(torch):
    x = torch.full((2,), 0.5, requires_grad=True)
    y, z, b = x * 1, x * 1, x * 1
    return {
        "normal_": name(y.normal_()),
        "uniform_": name(z.uniform_()),
        "bernoulli_": name(b.bernoulli_(0.5)),
        "bernoulli": name(torch.bernoulli(x)),
        "normal": name(torch.normal(x, 1.0)),
        "poisson": name(torch.poisson(x)),
        "multinomial": name(torch.multinomial(x, 1)),
        "rand_like": [name(torch.rand_like(x)), torch.rand_like(x).requires_grad],
    }


@case
def gradients_stop_at_random_nodes(torch):
    x = torch.ones(2, requires_grad=True)
    y = x * 1
    y.normal_()
    y.sum().backward()
    w = torch.full((2,), 0.5, requires_grad=True)
    torch.bernoulli(w).sum().backward()
    return [see(torch, x.grad), see(torch, w.grad)]


# ---- moments ----------------------------------------------------------------------------------------------------


@case
def moments_of_rand(torch):
    x = torch.rand(MANY)
    return [mean_and_std(x, 0.5, 0.2887, 0.02), bool((x >= 0).all()), bool((x < 1).all())]


@case
def moments_of_randn(torch):
    x = torch.randn(MANY)
    return [
        mean_and_std(x, 0.0, 1.0, 0.05),
        close((x**4).mean(), 3.0, 0.4),
        close((x.abs() < 1).float().mean(), 0.6827, 0.03),
    ]


@case
def moments_of_half_precision(torch):
    return [
        mean_and_std(torch.randn(MANY, dtype=torch.float16), 0.0, 1.0, 0.05),
        mean_and_std(torch.rand(MANY, dtype=torch.bfloat16), 0.5, 0.2887, 0.02),
        bool((torch.rand(MANY, dtype=torch.float16) < 1).all()),
    ]


@case
def moments_of_complex_randn(torch):
    z = torch.randn(MANY, dtype=torch.complex64)
    return [mean_and_std(z.real, 0.0, 0.7071, 0.05), mean_and_std(z.imag, 0.0, 0.7071, 0.05)]


@case
def moments_of_normal(torch):
    return [
        mean_and_std(torch.normal(2.0, 3.0, (MANY,)), 2.0, 3.0, 0.15),
        mean_and_std(torch.empty(MANY).normal_(-1, 0.5), -1.0, 0.5, 0.03),
        mean_and_std(torch.normal(torch.full((MANY,), 4.0), torch.full((MANY,), 2.0)), 4.0, 2.0, 0.1),
    ]


@case
def moments_of_uniform(torch):
    x = torch.empty(MANY).uniform_(-2, 4)
    return [mean_and_std(x, 1.0, 1.732, 0.08), bool((x >= -2).all()), bool((x <= 4).all())]


@case
def moments_of_exponential_and_others(torch):
    e = torch.empty(MANY).exponential_(2.0)
    g = torch.empty(MANY).geometric_(0.25)
    n = torch.empty(MANY).log_normal_(0.0, 0.5)
    c = torch.empty(MANY).cauchy_(3.0, 1.0)
    return {
        "exponential": [mean_and_std(e, 0.5, 0.5, 0.05), bool((e > 0).all())],
        "geometric": [mean_and_std(g, 4.0, 3.4641, 0.3), g.min().item()],
        "log_normal": [mean_and_std(n.log(), 0.0, 0.5, 0.05)],
        "cauchy": [close(c.median(), 3.0, 0.1)],
    }


@case
def moments_of_bernoulli(torch):
    return [
        mean_and_std(torch.bernoulli(torch.full((MANY,), 0.3)), 0.3, 0.4583, 0.03),
        close(torch.empty(MANY).bernoulli_(0.8).mean(), 0.8, 0.03),
        close(torch.empty(MANY).bernoulli_().mean(), 0.5, 0.03),
    ]


@case
def moments_of_poisson_and_binomial(torch):
    p = torch.poisson(torch.full((5000,), 4.0))
    b = torch.binomial(torch.full((2000,), 10.0), torch.full((2000,), 0.5))
    return [
        mean_and_std(p, 4.0, 2.0, 0.25),
        mean_and_std(b, 5.0, 1.5811, 0.2),
        torch.poisson(torch.zeros(2)).tolist(),
        brief(lambda: torch.poisson(torch.tensor([-1.0]))),
        torch.binomial(torch.tensor([10.0]), torch.tensor([1.0])).tolist(),
    ]


@case
def moments_of_multinomial(torch):
    x = torch.multinomial(torch.tensor([1.0, 2.0, 5.0]), MANY, replacement=True)
    share = torch.bincount(x, minlength=3).double() / MANY
    return [close(share[0], 0.125, 0.02), close(share[1], 0.25, 0.02), close(share[2], 0.625, 0.02)]


@case
def multinomial_without_replacement_has_no_repeats(torch):
    rows = torch.multinomial(torch.ones(50, 6), 4)
    return all(len(set(r)) == 4 for r in rows.tolist())


@case
def moments_of_randint(torch):
    x = torch.randint(0, 10, (MANY,))
    return [mean_and_std(x, 4.5, 2.8723, 0.15), x.min().item(), x.max().item()]


@case
def randperm_is_uniform(torch):
    first = torch.tensor([torch.randperm(3)[0].item() for _ in range(900)])
    return [bool(((first == k).float().mean() - 1 / 3).abs() < 0.1) for k in range(3)]


@case
def dropout_scales_and_drops(torch):
    x = torch.ones(MANY)
    y = torch.nn.functional.dropout(x, 0.25)
    return [
        close((y == 0).float().mean(), 0.25, 0.03),
        close(y.max(), 4 / 3, 1e-5),
        close(y.mean(), 1.0, 0.05),
        torch.equal(torch.nn.functional.dropout(x, 0.25, training=False), x),
        torch.nn.functional.dropout(x, 1.0).sum().item(),
        brief(lambda: torch.nn.functional.dropout(x, 1.5)),
    ]


@case
def dropout_gradient_uses_the_same_mask(torch):
    x = torch.ones(100, requires_grad=True)
    y = torch.nn.functional.dropout(x, 0.5)
    y.sum().backward()
    return torch.equal(x.grad, y.detach())


@case
def rand_like_keeps_strides_and_takes_dtype(torch):
    x = torch.ones(2, 3).t()
    return [torch.rand_like(x).stride(), kind(torch.randn_like(x, dtype=torch.float64, requires_grad=True))]
