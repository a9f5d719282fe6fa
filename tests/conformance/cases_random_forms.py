"""Functions that draw random numbers: shapes, dtypes, what is recorded, and what is refused. No numbers."""

from __future__ import annotations

from .observe import case, error

DTYPES = ["float32", "float64", "float16", "bfloat16", "int32", "int64", "uint8", "bool", "complex64"]


def kind(torch, fn):
    try:
        t = fn()
    except Exception as e:
        return {"raises": type(e).__name__, "message": str(e)}
    node = None if t.grad_fn is None else type(t.grad_fn).__name__
    return [list(t.shape), str(t.dtype), t.requires_grad, node, t.is_contiguous()]


def halves(torch, dtype, requires_grad=False):
    return torch.full((2, 3), 0.5).to(getattr(torch, dtype)).requires_grad_(requires_grad)


def in_all_dtypes(torch, calls):
    seen = {}
    for dtype in DTYPES:
        for needs in (False, True) if dtype in ("float32", "complex64") else (False,):
            p = lambda dtype=dtype, needs=needs: halves(torch, dtype, needs)
            seen[f"{dtype} {needs}"] = [kind(torch, lambda call=call, p=p: call(p)) for call in calls]
    return seen


@case
def by_probabilities(torch):
    return in_all_dtypes(
        torch,
        [
            lambda p: torch.poisson(p()),
            lambda p: torch.bernoulli(p()),
            lambda p: torch.bernoulli(p(), 0.3),
            lambda p: p().bernoulli(),
            lambda p: torch.binomial(p() * 4, p().detach()),
            lambda p: torch.binomial(torch.ones(2, 3), p()),
            lambda p: torch.binomial(p() * 4, halves(torch, "float32", True)),
            lambda p: torch.multinomial(p(), 2),
            lambda p: torch.multinomial(p(), 5, True),
            lambda p: torch.multinomial(p()[0], 1),
        ],
    )


@case
def normal_forms(torch):
    return in_all_dtypes(
        torch,
        [
            lambda p: torch.normal(p(), p().detach()),
            lambda p: torch.normal(p(), 2.0),
            lambda p: torch.normal(1.0, p()),
            lambda p: torch.normal(1.0, 2.0, (2, 3), dtype=p().dtype),
        ],
    )


IN_PLACE = [
    ("exponential_", ()), ("exponential_", (2.0,)), ("geometric_", (0.3,)), ("cauchy_", ()), ("cauchy_", (1.0, 2.0)),
    ("log_normal_", ()), ("log_normal_", (0.0, 0.5)), ("random_", ()), ("random_", (3,)), ("random_", (1, 4)),
    ("normal_", ()), ("normal_", (1.0, 2.0)), ("uniform_", ()), ("uniform_", (1.0, 2.0)), ("bernoulli_", ()),
    ("bernoulli_", (0.3,)),
]  # fmt: skip


@case
def in_place_forms(torch):
    calls = [lambda p, name=name, args=args: getattr(p() * 1, name)(*args) for name, args in IN_PLACE]
    return in_all_dtypes(torch, [*calls, lambda p: (p() * 1).bernoulli_(torch.tensor([0.1, 0.2, 0.3]))])


@case
def without_derivative(torch):
    a = torch.ones(2, requires_grad=True)
    return [
        error(lambda: torch.binomial(a * 4, a * 0.5).sum().backward()),
        error(lambda: torch.binomial(torch.ones(2), a * 0.5).sum().backward()),
        error(lambda: torch.bernoulli(a, 0.3).sum().backward()),
        error(lambda: torch._sample_dirichlet(a).sum().backward()),
    ]


@case
def zero_gradients(torch):
    seen = []
    for draw in (torch.poisson, torch.bernoulli, lambda x: torch.normal(x, 1.0), lambda x: torch.normal(0.0, x)):
        x = torch.full((2,), 0.5, requires_grad=True)
        draw(x).sum().backward()
        seen.append(x.grad.tolist())
    for name, args in IN_PLACE:
        x = torch.full((2,), 0.5, requires_grad=True)
        getattr(x * 1, name)(*args).sum().backward()
        seen.append(x.grad.tolist())
    return seen


@case
def refused(torch):
    t, nan, inf = torch.tensor, float("nan"), float("inf")
    zeros, ones = torch.zeros, torch.ones
    return [
        error(lambda: torch.poisson(t([-1.0]))),
        error(lambda: torch.poisson(t([nan]))),
        error(lambda: torch.poisson(1.0)),
        error(lambda: torch.bernoulli(t([1.5]))),
        error(lambda: torch.bernoulli(t([nan]))),
        error(lambda: zeros(2).bernoulli_(2.0)),
        error(lambda: zeros(2).bernoulli_(t([2.0, 0.1]))),
        error(lambda: zeros(2).bernoulli_(ones(3) * 0.5)),
        error(lambda: zeros(2).bernoulli_(t([1, 0]))),
        error(lambda: zeros(2, requires_grad=True).bernoulli_()),
        error(lambda: torch.binomial(ones(2), ones(3) * 0.5)),
        error(lambda: torch.binomial(t([3]), t([0.5]))),
        error(lambda: torch.binomial(ones(2), ones(2, dtype=torch.float64) * 0.5)),
        error(lambda: torch.multinomial(ones(3), 0)),
        error(lambda: torch.multinomial(ones(3), -1)),
        error(lambda: torch.multinomial(ones(3), 4)),
        error(lambda: torch.multinomial(zeros(3), 1)),
        error(lambda: torch.multinomial(zeros(3), 2, True)),
        error(lambda: torch.multinomial(t([-1.0, 2]), 1)),
        error(lambda: torch.multinomial(t([-1.0, 2]), 2, True)),
        error(lambda: torch.multinomial(t([inf, 2]), 1)),
        error(lambda: torch.multinomial(t([inf, 2]), 2, True)),
        error(lambda: torch.multinomial(ones(2, 2, 2), 1)),
        error(lambda: torch.multinomial(t(1.0), 1)),
        error(lambda: torch.multinomial(ones(3), 2, out=torch.empty(2))),
        error(lambda: torch.normal(0.0, -1.0, (2,))),
        error(lambda: torch.normal(zeros(2), -1.0)),
        error(lambda: torch.normal(zeros(2), -ones(2))),
        error(lambda: torch.normal(zeros(2), ones(3))),
        error(lambda: torch.normal(zeros(2, requires_grad=True), ones(2), out=torch.empty(2))),
        error(lambda: zeros(2).normal_(0, -1)),
        error(lambda: zeros(2).exponential_(-1.0)),
        error(lambda: zeros(2).exponential_(0.0)),
        error(lambda: zeros(2, requires_grad=True).exponential_()),
        error(lambda: zeros(2).geometric_(0.0)),
        error(lambda: zeros(2).geometric_(1.0)),
        error(lambda: zeros(2).cauchy_(0, -1.0)),
        error(lambda: zeros(2).cauchy_(0, 0)),
        error(lambda: zeros(2).log_normal_(0, -1)),
        error(lambda: zeros(2).random_(-1)),
        error(lambda: zeros(2).random_(3, 2)),
        error(lambda: zeros(2).uniform_(2, 1)),
        error(lambda: zeros(2).uniform_(0, inf)),
        error(lambda: zeros(2).uniform_(nan, 1)),
        error(lambda: zeros(2).uniform_(-3e38, 3e38)),
        error(lambda: zeros(2, dtype=torch.float16).uniform_(0, 1e5)),
        error(lambda: zeros(1).expand(2).normal_()),
    ]


@case
def other_arguments(torch):
    zeros, ones = torch.zeros, torch.ones
    calls = [
        lambda: torch.binomial(torch.tensor([-3.0]), torch.tensor([0.5])),
        lambda: torch.binomial(torch.tensor([3.0]), torch.tensor([1.5])),
        lambda: torch.multinomial(torch.tensor([1.0, 0, 0]), 2),
        lambda: torch.multinomial(ones(0, 3), 2),
        lambda: torch.multinomial(ones(3), 2, out=torch.empty(2, dtype=torch.long)),
        lambda: torch.normal(zeros(2, 1), ones(3)),
        lambda: torch.normal(zeros(2), 1),
        lambda: torch.normal(zeros(2), ones(2, dtype=torch.float64)),
        lambda: torch.normal(zeros(2), ones(2), out=torch.empty(2)),
        lambda: torch.normal(mean=0.0, std=1.0, size=(2,)),
        lambda: torch.normal(zeros(2, requires_grad=True), ones(2, requires_grad=True)),
        lambda: torch.normal(0.0, 1.0, (2,), requires_grad=True),
        lambda: zeros(2).exponential_(lambd=2.0),
        lambda: zeros(2).cauchy_(median=1.0, sigma=2.0),
        lambda: zeros(2).log_normal_(mean=1.0, std=2.0),
        lambda: zeros(2).random_(2, None),
        lambda: torch.bernoulli(ones(2) * 0.5, out=torch.empty(2)),
    ]
    return [kind(torch, call) for call in calls]


@case
def no_normal_numbers_of_any_dtype(torch):
    found = []
    for d in (torch.int32, torch.bool, torch.uint8, torch.float32):
        x = torch.empty(0, 2, dtype=d)
        made = [x.normal_(), torch.randn(0, dtype=d), torch.randn_like(x), torch.normal(0.0, 1.0, (2, 0), dtype=d)]
        found.append([(list(t.shape), str(t.dtype)) for t in made])
    refused = error(lambda: torch.randn(1, dtype=torch.int32)), error(lambda: torch.ones(1, dtype=torch.bool).normal_())
    return found, refused
