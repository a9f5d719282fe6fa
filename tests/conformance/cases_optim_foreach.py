"""``_foreach_*``: one operation on each tensor of a list."""

from __future__ import annotations

from .observe import case, error, see


def lists(torch):
    return [torch.tensor([1.0, 4.0]), torch.tensor([[0.5, 2.0, 0.25]])], [
        torch.tensor([2.0, 3.0]),
        torch.tensor([[1.0, 0.5, 4.0]]),
    ]


UNARY = (
    "abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg reciprocal round "
    "rsqrt sigmoid sign sin sinh sqrt tan tanh trunc"
)


@case
def unary(torch):
    found = {}
    for name in UNARY.split():
        given = [torch.tensor([0.25, 0.5]), torch.tensor([[0.75]])]
        result = getattr(torch, f"_foreach_{name}")(given)
        changed = getattr(torch, f"_foreach_{name}_")(given)
        found[name] = [
            type(result).__name__,
            see(torch, result),
            see(torch, given),
            changed is None or list(changed) == given,
        ]
    return found


@case
def binary(torch):
    found = {}
    for name in ("add", "sub", "mul", "div", "pow", "maximum", "minimum", "clamp_min", "clamp_max"):
        seen = []
        others = [lists(torch)[1], 1.5, [0.5, 2.0]]
        if name in ("add", "mul", "div"):
            others.append(torch.tensor(3.0))
        for other in others:
            a, _ = lists(torch)
            seen.append(see(torch, getattr(torch, f"_foreach_{name}")(a, other)))
            getattr(torch, f"_foreach_{name}_")(a, other)
            seen.append(see(torch, a))
        found[name] = seen
    a, b = lists(torch)
    found["alpha"] = [
        see(torch, torch._foreach_add(a, b, alpha=0.5)),
        see(torch, torch._foreach_sub(a, b, alpha=2)),
        see(torch, torch._foreach_add_(a, b, alpha=0.5) and a),
        see(torch, torch._foreach_pow(2.0, b)),
    ]
    return found


@case
def ternary(torch):
    found = []
    for name in ("addcmul", "addcdiv"):
        for scalars in ((), (0.5,), ([0.5, 2.0],), (torch.tensor([0.5, 2.0]),)):
            a, b = lists(torch)
            found.append(see(torch, getattr(torch, f"_foreach_{name}")(a, b, b, *scalars)))
            getattr(torch, f"_foreach_{name}_")(a, b, b, *scalars)
            found.append(see(torch, a))
        a, b = lists(torch)
        found.append(see(torch, getattr(torch, f"_foreach_{name}")(a, b, b, value=0.25)))
    for weight in (0.25, [0.25, 0.75], lists(torch)[1]):
        a, b = lists(torch)
        found.append(see(torch, torch._foreach_lerp(a, b, weight)))
        torch._foreach_lerp_(a, b, weight)
        found.append(see(torch, a))
    return found


@case
def others(torch):
    a, b = lists(torch)
    found = [
        see(torch, torch._foreach_norm(a)),
        see(torch, torch._foreach_norm(a, 1)),
        see(torch, torch._foreach_norm(a, ord=float("inf"))),
        see(torch, torch._foreach_norm(a, 2, dtype=torch.float64)),
        see(torch, torch._foreach_max(a)),
        see(torch, torch._foreach_clone(a)),
        see(torch, torch._foreach_mm([torch.eye(2)], [torch.ones(2, 2)])),
    ]
    torch._foreach_copy_(a, b)
    found.append(see(torch, a))
    torch._foreach_zero_(a)
    return [*found, see(torch, a)]


@case
def refusals(torch):
    a, b = lists(torch)
    leaf = [torch.ones(2, requires_grad=True)]
    return [
        error(lambda: torch._foreach_add(a, b[:1])),
        error(lambda: torch._foreach_add([], [])),
        error(lambda: torch._foreach_add(a, [1])),
        error(lambda: torch._foreach_sqrt([])),
        error(lambda: torch._foreach_norm([])),
        error(lambda: torch._foreach_addcmul(a, b, b[:1])),
        error(lambda: torch._foreach_addcmul(a, b, b, [1.0])),
        error(lambda: torch._foreach_lerp(a, b[:1], 0.5)),
        error(lambda: torch._foreach_copy_(a, b[:1])),
        error(lambda: torch._foreach_mul_(leaf, 2)),
    ]


@case
def gradients_flow(torch):
    a = [torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0], requires_grad=True)]
    results = torch._foreach_mul(torch._foreach_exp(a), 2.0)
    sum(r.sum() for r in results).backward()
    return [t.grad.tolist() for t in a]


@case
def operands_by_name(torch):
    found = {}
    for name in ("add", "sub", "mul", "div", "maximum", "minimum", "clamp_min", "clamp_max"):
        for named in ({"scalar": 1.5}, {"scalars": [0.5, 2.0]}, {"other": lists(torch)[1]}):
            a, _ = lists(torch)
            plain = getattr(torch, f"_foreach_{name}")(self=a, **named)
            getattr(torch, f"_foreach_{name}_")(a, **named)
            found[f"{name} {next(iter(named))}"] = see(torch, [plain, a])
    a, b = lists(torch)
    found["pow"] = see(torch, [torch._foreach_pow(a, exponent=2), torch._foreach_pow(self=2.0, exponent=b)])
    found["lerp"] = see(torch, [torch._foreach_lerp(a, tensors1=b, weight=0.5), torch._foreach_lerp(a, b, weights=a)])
    return found


@case
def bounds_decide_of_the_dtype(torch):
    found = {}
    for name in ("maximum", "minimum", "clamp_min", "clamp_max"):
        for bound in (2.5, 2, True, [2.5], [torch.tensor([2.5, 3.0])]):
            plain = error(lambda n=name, b=bound: see(torch, getattr(torch, f"_foreach_{n}")(whole(torch), b)))
            changed = error(lambda n=name, b=bound: see(torch, getattr(torch, f"_foreach_{n}_")(whole(torch), b)))
            found[f"{name} {bound}"] = [plain, changed]
    return found


def whole(torch):
    return [torch.tensor([1, 5], dtype=torch.int8)]
