"""Pointwise operators where naive formulas fail: zeros, infinities, nan, subnormal and huge numbers, poles and ends."""

from __future__ import annotations

from .edges import DOUBLE, HUGE, INF, NAN, PRECISIONS, SINGLE, TINY, edges, look, pairs
from .observe import case, error


def at_edges(torch, *names, precisions=PRECISIONS, more=()):
    """Operators of one argument, by name, at all delicate points."""
    return {
        f"{name} {precision}": look(torch, find(torch, name), edges(precision) + list(more), precision=precision)
        for name in names
        for precision in precisions
    }


def find(torch, name):
    found = torch
    for part in name.split("."):
        found = getattr(found, part)
    return found


def on_grid(torch, *names, precisions=(DOUBLE, SINGLE)):
    """Operators of two arguments, by name, for all pairs of delicate points."""
    return {
        f"{name} {precision}": look(torch, find(torch, name), *pairs(), precision=precision)
        for name in names
        for precision in precisions
    }


@case
def roots_and_powers_at_the_edges(torch):
    return at_edges(torch, "sqrt", "rsqrt", "square", "reciprocal")


@case
def exponentials_at_the_edges(torch):
    return at_edges(torch, "exp", "exp2", "expm1", more=[710.0, -745.0, 88.8, 11.1, -17.0])


@case
def logarithms_at_the_edges(torch):
    return at_edges(torch, "log", "log2", "log10", "log1p", "logit")


@case
def angles_at_the_edges(torch):
    return at_edges(torch, "sin", "cos", "tan", precisions=(DOUBLE, SINGLE)) | at_edges(torch, "asin", "acos", "atan")


@case
def hyperbolic_functions_at_the_edges(torch):
    return at_edges(torch, "sinh", "cosh", "tanh", "asinh", "acosh", "atanh")


@case
def absolute_value_and_sign_at_the_edges(torch):
    return at_edges(torch, "abs", "sign", "sgn", "neg", "positive", "signbit")


@case
def rounding_at_the_edges(torch):
    halves = [0.5, 1.5, 2.5, 3.5, -0.5, -1.5, -2.5, 0.49999999999999994]
    return at_edges(torch, "round", "floor", "ceil", "trunc", "frac", more=halves)


@case
def rounding_to_decimals(torch):
    x = [0.125, 0.375, 2.675, -0.125, 1234.5, 1250.0, 1350.0, INF, NAN]
    return {d: look(torch, lambda t, d=d: torch.round(t, decimals=d), x) for d in (-2, -1, 0, 1, 2)}


@case
def error_functions_at_the_edges(torch):
    ends = [1.0, -1.0, 1.0000001, 0.9999999, 6.0, -6.0]
    return at_edges(torch, "erf", "erfc", "erfinv", more=ends) | at_edges(
        torch, "special.erfcx", "special.ndtr", "special.log_ndtr", precisions=(DOUBLE, SINGLE), more=ends
    )


@case
def inverse_normal_at_its_ends(torch):
    x = [0.0, 1.0, 0.5, 1e-10, 1 - 1e-7, -0.1, 1.1, NAN]
    return {p: look(torch, torch.special.ndtri, x, precision=p) for p in (DOUBLE, SINGLE)}


@case
def gamma_functions_at_their_poles(torch):
    poles = [-2.0, -3.0, -2.5, 2.0, 3.0, 1e-30, 171.0, 1e10]
    return at_edges(torch, "lgamma", "digamma", precisions=(DOUBLE, SINGLE), more=poles)


@case
def polygamma_and_zeta_at_their_poles(torch):
    x = [0.0, -0.0, -1.0, -2.0, -1.5, 1.0, 0.5, 30.0, INF, NAN]
    seen = {n: look(torch, lambda t, n=n: torch.polygamma(n, t), x) for n in range(4)}
    q, s = pairs([0.0, 1.0, 1.5, 2.0, 0.5, -1.0, -1.5, INF, NAN])
    return seen | {"zeta": look(torch, lambda: torch.special.zeta(torch.tensor(q), torch.tensor(s)))}


@case
def multivariate_gamma_outside_its_domain(torch):
    return look(torch, lambda t: torch.mvlgamma(t, 3), [1.5, 2.0, 1.0, 0.5, INF, NAN])


@case
def bessel_functions_at_the_edges(torch):
    return at_edges(torch, "i0", "special.i0e", "special.i1", "special.i1e", precisions=(DOUBLE, SINGLE))


@case
def sinc_and_entropy_at_the_edges(torch):
    return at_edges(torch, "sinc", "special.entr")


@case
def sigmoid_and_its_logarithm_at_the_edges(torch):
    return at_edges(torch, "sigmoid", "nn.functional.logsigmoid", more=[88.0, -88.0, 104.0, -104.0, 17.0])


@case
def softplus_at_the_edges(torch):
    return at_edges(torch, "nn.functional.softplus", more=[20.0, 20.5, 19.5, -100.0])


@case
def softplus_at_its_threshold(torch):
    x = [-3.0, 0.0, 2.9, 3.0, 3.1, 50.0, -INF, INF, NAN]
    return look(torch, lambda t: torch.nn.functional.softplus(t, beta=2.0, threshold=6.0), x)


@case
def activations_with_kinks(torch):
    names = "relu relu6 leaky_relu elu selu celu hardtanh hardswish hardsigmoid hardshrink softshrink".split()
    more = [3.0, -3.0, 6.0]
    return at_edges(torch, *[f"nn.functional.{n}" for n in names], precisions=(DOUBLE, SINGLE), more=more)


@case
def activations_with_kinks_in_half_precision(torch):
    names = "relu leaky_relu elu hardswish hardtanh".split()
    return at_edges(torch, *[f"nn.functional.{n}" for n in names], precisions=("float16", "bfloat16"))


@case
def smooth_activations_at_the_edges(torch):
    names = "gelu silu mish softsign tanhshrink".split()
    return at_edges(torch, *[f"nn.functional.{n}" for n in names], precisions=(DOUBLE, SINGLE))


@case
def smooth_activations_in_half_precision(torch):
    return at_edges(torch, "nn.functional.gelu", "nn.functional.silu", "nn.functional.mish", precisions=("float16", "bfloat16"))


@case
def gelu_by_tanh_at_the_edges(torch):
    gelu = lambda t: torch.nn.functional.gelu(t, approximate="tanh")
    return {p: look(torch, gelu, edges(p), precision=p) for p in (DOUBLE, SINGLE)}


@case
def replacing_what_is_not_finite(torch):
    x = [NAN, INF, -INF, 1.0, -0.0]
    return {
        p: [
            look(torch, torch.nan_to_num, x, precision=p),
            look(torch, lambda t: torch.nan_to_num(t, nan=2.0, posinf=3.0, neginf=-4.0), x, precision=p),
            look(torch, lambda t: torch.nan_to_num(t, nan=INF), x, precision=p),
        ]
        for p in PRECISIONS
    } | {"int": look(torch, lambda: torch.nan_to_num(torch.tensor([1, 2])))}


@case
def tests_of_finiteness(torch):
    names = "isnan isinf isfinite isposinf isneginf isreal signbit".split()
    return {n: at_edges(torch, n) for n in names}


@case
def clamp_at_its_bounds(torch):
    x = [-1.0, 1.0, -2.0, 2.0, 0.0, -0.0, INF, -INF, NAN]
    t = torch.tensor
    low, high = [-1.0] * 9, [1.0, 1.0, 1.0, 1.0, 0.0, 0.0, INF, -INF, 1.0]
    return {
        "both": look(torch, lambda v: torch.clamp(v, -1.0, 1.0), x),
        "min": look(torch, lambda v: torch.clamp(v, min=0.0), x),
        "max": look(torch, lambda v: torch.clamp(v, max=0.0), x),
        "crossed": look(torch, lambda v: torch.clamp(v, 1.0, -1.0), x),
        "nan": look(torch, lambda v: torch.clamp(v, NAN, 1.0), x),
        "tensors": look(torch, torch.clamp, x, low, high),
        "nan tensors": look(torch, torch.clamp, x, [NAN] * 9, high),
        "crossed tensors": look(torch, lambda v, a, b: torch.clamp(v, b, a), x, low, high),
        "clamp_min": look(torch, torch.clamp_min, x, low),
        "clamp_max": look(torch, torch.clamp_max, x, high),
        "int": look(torch, lambda: torch.clamp(t([1, 5, -3]), -1, 2)),
        "int by float": look(torch, lambda: torch.clamp(t([1, 5, -3]), -1.5, 2.5)),
        "neither": error(lambda: torch.clamp(t([1.0]))),
    }


@case
def larger_and_smaller_of_two(torch):
    return on_grid(torch, "maximum", "minimum", "fmax", "fmin")


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
    return on_grid(torch, "fmod", "remainder")


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
        f"{name} {n}": look(torch, lambda t, f=f, n=n: f(t, n), x)
        for name, f in kinds.items()
        for n in (0, -0.0, 0.3, -3, INF, NAN)
    }


@case
def powers(torch):
    return on_grid(torch, "pow")


@case
def powers_in_half_precision(torch):
    return on_grid(torch, "pow", precisions=("float16", "bfloat16"))


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
    return on_grid(torch, "logaddexp", "logaddexp2")


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
    return {n: [look(torch, lambda t: torch.xlogy(t, n), x), look(torch, lambda t: torch.xlogy(n, t), x)] for n in (0, 0.5, NAN)}


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
def overflow_and_underflow_of_half(torch):
    x = [60000.0, -60000.0, 300.0, 6e-8, 2e-8, 65504.0, 1e-4]
    half = lambda *a: torch.tensor(*a, dtype=torch.float16)
    return {
        "add": look(torch, lambda t: t + t, x, precision="float16"),
        "mul": look(torch, lambda t: t * t, x, precision="float16"),
        "div": look(torch, lambda t: t / 3.0e-5, x, precision="float16"),
        "number": look(torch, lambda t: t * 2.0 + 0.1, x, precision="float16"),
        "cast": look(torch, lambda t: t.to(torch.float16), [65519.0, 65520.0, 2.98e-8, 2.99e-8, 2049.0, 2051.0]),
        "cast to bfloat16": look(torch, lambda t: t.to(torch.bfloat16), [3.4e38, 256.5, 257.0, 259.0, 1e-41, -NAN]),
        "ones": look(torch, lambda: half([1.0, 2048.0]) + half([0.0004, 1.0])),
    }


@case
def casts_of_what_is_no_integer(torch):
    x = torch.tensor([1.9, -1.9, 0.5, -0.0, 127.0])
    return {d: look(torch, lambda d=d: x.to(getattr(torch, d))) for d in ("int8", "uint8", "int32", "int64", "bool")}


@case
def complex_numbers_at_the_edges(torch):
    z = lambda v: torch.tensor(v, dtype=torch.complex128).requires_grad_()
    names = "abs angle sgn sqrt log exp reciprocal tanh sigmoid".split()
    return {n: look(torch, getattr(torch, n), z([0j, 1 + 0j, -1 + 0j, 1j, 3 - 4j])) for n in names}
