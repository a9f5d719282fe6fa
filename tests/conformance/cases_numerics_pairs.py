"""Operators of two arguments where naive formulas fail: every delicate number with every other."""

from __future__ import annotations

from .edges import BRAIN, DOUBLE, HALF, HUGE, INF, NAN, PRECISIONS, SINGLE, TINY, find, look, pairs
from .observe import case, error, see


def on_grid(torch, *names, precisions=(DOUBLE, SINGLE), **how):
    """Operators of two arguments, by name, for all pairs of delicate points."""
    return {
        f"{name} {precision}": look(torch, find(torch, name), *pairs(), precision=precision, **how)
        for name in names
        for precision in precisions
    }


@case
def larger_and_smaller_of_two(torch):
    return on_grid(torch, "maximum", "minimum") | on_grid(torch, "fmax", "fmin", signs=False)


@case
def quotients(torch):
    return on_grid(torch, "div", "floor_divide")


@case
def quotients_with_rounding(torch):
    a, b = pairs()
    rounded = lambda mode: lambda x, y: torch.div(x, y, rounding_mode=mode)
    return {m: [look(torch, rounded(m), a, b, precision=p) for p in (DOUBLE, SINGLE)] for m in ("floor", "trunc")}


@case
def remainders(torch):
    return on_grid(torch, "fmod") | on_grid(torch, "remainder", signs=False)


@case
def floor_division_is_not_off_by_one(torch):
    a, b = [1.0, 0.3, 5.0, -5.0, 6e-8, 1e17], [0.1, 0.1, 0.2, 0.2, 3e-8, 3.0]
    return {p: look(torch, torch.floor_divide, a, b, precision=p) for p in (DOUBLE, SINGLE)}


@case
def division_of_integers(torch):
    a, b = torch.tensor([7, -7, 7, -7, 0]), torch.tensor([2, 2, -2, -2, 5])
    names = "floor_divide fmod remainder true_divide".split()
    seen = {n: look(torch, lambda n=n: getattr(torch, n)(a, b)) for n in names}
    zero = torch.tensor([0] * 5)
    for n in names:
        seen[f"{n} by zero"] = error(lambda n=n: getattr(torch, n)(a, zero).tolist())
        seen[f"{n} by the number zero"] = error(lambda n=n: getattr(torch, n)(a, 0).tolist())
    for mode in ("floor", "trunc"):
        seen[mode] = look(torch, lambda m=mode: torch.div(a, b, rounding_mode=m))
        seen[f"{mode} by zero"] = error(lambda m=mode: torch.div(a, zero, rounding_mode=m))
    return seen | {"unsigned": look(torch, lambda: torch.tensor([250], dtype=torch.uint8) // 7)}


@case
def division_by_numbers(torch):
    x = [0.0, -0.0, 1.0, -1.0, INF, NAN]
    kinds = {
        "div": torch.div,
        "floor": lambda t, n: torch.div(t, n, rounding_mode="floor"),
        "trunc": lambda t, n: torch.div(t, n, rounding_mode="trunc"),
        "fmod": torch.fmod,
        "remainder": torch.remainder,
    }
    return {
        f"{name} {n}": look(torch, lambda t, f=f, n=n: f(t, n), x, signs=name != "remainder")
        for name, f in kinds.items()
        for n in (0, -0.0, 0.3, -3, INF, NAN)
    }


@case
def powers(torch):
    return on_grid(torch, "pow")


@case
def powers_in_half_precision(torch):
    return on_grid(torch, "pow", precisions=(HALF, BRAIN))


@case
def powers_by_a_number(torch):
    x = [0.0, -0.0, 1.0, -1.0, -2.0, 1e-200, INF, -INF, NAN]
    exponents = (0, 1, 2, 3, -1, -2, 0.5, -0.5, 1.5, 2.5, 0.0, INF, -INF, NAN)
    return {n: look(torch, lambda t, n=n: torch.pow(t, n), x) for n in exponents}


@case
def powers_of_a_number(torch):
    x = [0.0, -0.0, 1.0, -1.0, 0.5, INF, -INF, NAN]
    return {n: look(torch, lambda t, n=n: torch.pow(n, t), x) for n in (0.0, 1.0, 2.0, -2.0, INF, NAN)}


@case
def powers_of_integers(torch):
    t = torch.tensor([0, 1, -1, 2, -2, 3])
    return {
        "cube": look(torch, lambda: t**3),
        "zero": look(torch, lambda: t**0),
        "negative": error(lambda: t**-1),
        "tensor": look(torch, lambda: t ** torch.tensor([0, 1, 2, 3, 63, 40])),
        "negative tensor": look(torch, lambda: torch.tensor([1, -1, 2]) ** torch.tensor([-1, -3, -1])),
        "float": look(torch, lambda: t**0.5),
        "float_power": look(torch, lambda: torch.float_power(t, -1)),
        "int32 overflow": look(torch, lambda: torch.tensor([2], dtype=torch.int32) ** 40),
        "uint8 overflow": look(torch, lambda: torch.tensor([16], dtype=torch.uint8) ** 2),
    }


@case
def angle_of_two(torch):
    return on_grid(torch, "atan2", "hypot")


@case
def hypotenuse_of_huge_and_tiny(torch):
    return {
        p: look(torch, torch.hypot, [HUGE[p] / 2, TINY[p], 3.0, 0.0], [HUGE[p] / 2, TINY[p], 4.0, TINY[p]], precision=p)
        for p in (DOUBLE, SINGLE)
    }


@case
def logarithm_of_a_sum_of_two_exponentials(torch):
    return on_grid(torch, "logaddexp") | {
        p: look(torch, torch.logaddexp2, *pairs([0.0, -0.0, 1.0, 0.5, -2.0, 3.0, INF, -INF, NAN]), precision=p)
        for p in (DOUBLE, SINGLE)
    }


@case
def logaddexp_of_huge(torch):
    a, b = [1000.0, -1000.0, 1e30, 700.0, -1e30], [1000.0, -1001.0, 1e30, -700.0, -1e30]
    return {p: look(torch, torch.logaddexp, a, b, precision=p) for p in (DOUBLE, SINGLE)}


@case
def products_with_a_logarithm(torch):
    return on_grid(torch, "xlogy", "special.xlog1py")


@case
def xlogy_with_numbers(torch):
    x = [0.0, 1.0, -1.0, INF, NAN]
    return {
        n: [look(torch, lambda t, n=n: torch.xlogy(t, n), x), look(torch, lambda t, n=n: torch.xlogy(n, t), x)]
        for n in (0, 0.5, NAN)
    }


@case
def signs_and_steps(torch):
    return on_grid(torch, "copysign", precisions=PRECISIONS) | {
        "heaviside": look(torch, lambda: torch.heaviside(*[torch.tensor(v) for v in pairs()])),
        "nextafter": look(torch, lambda: torch.nextafter(*[torch.tensor(v, dtype=torch.float64) for v in pairs()])),
    }


@case
def scaling_by_powers_of_two(torch):
    x = torch.tensor([1.0, -0.0, INF, NAN, 3.0])
    e = torch.tensor([127, 5, -3, 2, -150])
    return {
        "ldexp": look(torch, lambda: torch.ldexp(x, e)),
        "frexp": look(torch, lambda: torch.frexp(torch.tensor([0.0, 1.0, -3.0, INF, NAN, 1e-45]))),
    }


@case
def interpolation_between_infinities(torch):
    a, b = pairs([0.0, 1.0, -2.0, INF, NAN])
    return {w: look(torch, lambda x, y, w=w: torch.lerp(x, y, w), a, b) for w in (0.0, 0.4, 0.5, 0.6, 1.0)}


@case
def fused_products(torch):
    a, b = pairs([0.0, 1.0, -2.0, INF, NAN])
    ones = [1.0] * len(a)
    return {
        "addcmul": look(torch, torch.addcmul, ones, a, b),
        "addcdiv": look(torch, torch.addcdiv, ones, a, b),
        "addcdiv of integers": error(lambda: torch.addcdiv(torch.ones(2), torch.tensor([1, 2]), torch.tensor([1, 2]))),
    }


@case
def closeness(torch):
    a, b = (torch.tensor(v, dtype=torch.float64) for v in pairs([0.0, 1e-9, 1.0, 1.00001, INF, -INF, NAN]))
    return {
        "isclose": look(torch, lambda: torch.isclose(a, b)),
        "equal_nan": look(torch, lambda: torch.isclose(a, b, equal_nan=True)),
        "wide": look(torch, lambda: torch.isclose(a, b, rtol=0.1, atol=1.0)),
        "int": look(torch, lambda: torch.isclose(torch.tensor([1, 2]), torch.tensor([1, 3]))),
        "allclose": [
            torch.allclose(torch.tensor([1.0, NAN]), torch.tensor([1.0, NAN])),
            torch.allclose(torch.tensor([1.0, NAN]), torch.tensor([1.0, NAN]), equal_nan=True),
            torch.allclose(torch.tensor([INF]), torch.tensor([INF])),
            torch.allclose(torch.tensor([INF]), torch.tensor([-INF])),
            torch.allclose(torch.ones(0), torch.ones(0)),
        ],
        "dtypes": error(lambda: torch.isclose(torch.ones(1), torch.ones(1, dtype=torch.float64))),
        "negative": error(lambda: torch.isclose(torch.ones(1), torch.ones(1), rtol=-1.0)),
    }


@case
def sums_of_exponentials_of_infinite_numbers(torch):
    inf = float("inf")
    values = [complex(a, b) for a in (inf, -inf, 1.0) for b in (0.0, 1.0)]
    a = torch.tensor([x for x in values for _ in values])
    b = torch.tensor([y for _ in values for y in values])
    return [see(torch, torch.logaddexp(a, b)), see(torch, torch.logcumsumexp(torch.stack([a, b]), 0))]
