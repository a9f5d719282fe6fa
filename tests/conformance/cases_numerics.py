"""Pointwise operators where naive formulas fail: zeros, infinities, nan, subnormal and huge numbers, poles and ends."""

from __future__ import annotations

from .edges import BRAIN, DOUBLE, HALF, HUGE, INF, NAN, PRECISIONS, SINGLE, edges, find, look, pairs
from .observe import case, error, see


def at_edges(torch, *names, precisions=PRECISIONS, more=(), without="", **how):
    """Operators of one argument, by name, at all delicate points."""
    return {
        f"{name} {p}": look(torch, find(torch, name), edges(p, without) + list(more), precision=p, **how)
        for name in names
        for p in precisions
    }


@case
def roots_and_powers_at_the_edges(torch):
    return at_edges(torch, "sqrt", "rsqrt", "square", "reciprocal")


@case
def exponentials_at_the_edges(torch):
    return at_edges(torch, "exp", "exp2", "expm1", more=[710.0, -745.0, 88.8, 11.1, -17.0])


@case
def logarithms_at_the_edges(torch):
    return at_edges(torch, "log", "log2", "log10", "logit") | at_edges(torch, "log1p", without="tiny")


@case
def angles_at_the_edges(torch):
    return at_edges(torch, "sin", "cos", "tan", precisions=(DOUBLE, SINGLE)) | at_edges(torch, "asin", "acos", "atan")


@case
def hyperbolic_functions_at_the_edges(torch):
    return at_edges(torch, "sinh", "cosh", "tanh", "acosh") | at_edges(torch, "asinh", "atanh", without="huge")


@case
def inverse_hyperbolic_functions_of_huge(torch):
    return {p: look(torch, torch.asinh, [HUGE[p], -HUGE[p]], precision=p, twice=False) for p in PRECISIONS}


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
    names = "erf erfc erfinv special.erfcx special.ndtr".split()
    most = at_edges(torch, *names, precisions=(DOUBLE, SINGLE), more=ends, without="huge", signs=False)
    half = at_edges(
        torch, "erf", "erfc", "erfinv", precisions=(HALF, BRAIN), more=ends, without="huge tiny", signs=False
    )
    return most | half


@case
def logarithm_of_the_normal_distribution(torch):
    x = [0.0, -0.0, 1.0, -1.0, 6.0, -6.0, 12.0, 30.0, -5.0, 0.99999, 1.00001, NAN]
    return {p: look(torch, torch.special.log_ndtr, x, precision=p) for p in (DOUBLE, SINGLE)}


@case
def inverse_normal_at_its_ends(torch):
    x = [0.0, 1.0, 0.5, 1e-10, 1 - 1e-7, -0.1, 1.1, NAN]
    return {p: look(torch, torch.special.ndtri, x, precision=p) for p in (DOUBLE, SINGLE)}


@case
def gamma_functions_at_their_poles(torch):
    poles = [-2.0, -3.0, -2.5, 2.0, 3.0, 1e-30, 171.0, 1e10]
    seen = {}
    for name in ("lgamma", "digamma"):
        fn, leaf = getattr(torch, name), lambda v, p: torch.tensor(v, dtype=getattr(torch, p))
        for p in (DOUBLE, SINGLE):
            seen[f"{name} {p}"] = look(torch, lambda: fn(leaf(edges(p, "tiny") + poles, p)))  # noqa: B023
            seen[f"slope of {name} {p}"] = look(torch, fn, [0.5, 1.0, -0.5, -1.5, 3.0, 20.0, 171.0, NAN], precision=p)
    return seen | {"at poles": look(torch, torch.lgamma, [0.0, -0.0, -1.0, -2.0, INF], twice=False)}


@case
def polygamma_and_zeta_at_their_poles(torch):
    x = [0.0, -0.0, -1.5, 1.0, 0.5, 30.0, NAN]
    seen = {n: look(torch, lambda t, n=n: torch.polygamma(n, t), x) for n in range(4)}
    q, s = pairs([0.0, 1.0, 1.5, 2.0, 0.5, -1.0, -1.5, NAN])
    return seen | {"zeta": look(torch, lambda: torch.special.zeta(torch.tensor(q), torch.tensor(s)))}


@case
def multivariate_gamma_outside_its_domain(torch):
    return look(torch, lambda t: torch.mvlgamma(t, 3), [1.5, 2.0, 1.0, 0.5, INF, NAN])


@case
def bessel_functions_at_the_edges(torch):
    names = "i0 special.i0e special.i1 special.i1e".split()
    most = at_edges(torch, *names, precisions=(DOUBLE, SINGLE), without="small tiny nan")
    tiny = {
        n: look(torch, find(torch, n), [1e-35, -1e-35, 1e-300, 5e-324]) for n in ("i0", "special.i1", "special.i1e")
    }
    return most | tiny


@case
def sinc_and_entropy_at_the_edges(torch):
    return at_edges(torch, "sinc", without="small") | at_edges(torch, "special.entr")


@case
def sigmoid_and_its_logarithm_at_the_edges(torch):
    return at_edges(torch, "sigmoid", "nn.functional.logsigmoid", more=[88.0, -88.0, 104.0, -104.0, 17.0], signs=False)


@case
def softplus_at_the_edges(torch):
    return at_edges(torch, "nn.functional.softplus", more=[20.0, 20.5, 19.5, -100.0])


@case
def softplus_at_its_threshold(torch):
    x = [-3.0, 0.0, 2.9, 3.0, 3.1, 50.0, -INF, INF, NAN]
    return look(torch, lambda t: torch.nn.functional.softplus(t, beta=2.0, threshold=6.0), x)


@case
def activations_with_kinks(torch):
    seen = {}
    for names, without in (
        ("relu relu6 leaky_relu hardtanh hardsigmoid hardshrink softshrink", ""),
        ("elu selu celu hardswish", "nan"),
    ):
        full = [f"nn.functional.{n}" for n in names.split()]
        seen |= at_edges(torch, *full, precisions=(DOUBLE, SINGLE), more=[3.0, -3.0, 6.0], without=without, signs=False)
    return seen


@case
def activations_with_kinks_in_half_precision(torch):
    names = "relu leaky_relu elu hardswish hardtanh".split()
    full = [f"nn.functional.{n}" for n in names]
    return at_edges(torch, *full, precisions=(HALF, BRAIN), without="nan", signs=False)


@case
def smooth_activations_at_the_edges(torch):
    names = "gelu silu mish softsign tanhshrink".split()
    full = [f"nn.functional.{n}" for n in names]
    return at_edges(torch, *full, precisions=(DOUBLE, SINGLE), without="huge", signs=False)


@case
def smooth_activations_in_half_precision(torch):
    return at_edges(
        torch, "nn.functional.gelu", "nn.functional.silu", precisions=(HALF, BRAIN), without="huge", signs=False
    )


@case
def gelu_by_tanh_at_the_edges(torch):
    gelu = lambda t: torch.nn.functional.gelu(t, approximate="tanh")
    return {p: look(torch, gelu, edges(p, "huge"), precision=p, signs=False) for p in (DOUBLE, SINGLE)}


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
        "min": look(torch, lambda v: torch.clamp(v, min=0.0), x, signs=False),
        "max": look(torch, lambda v: torch.clamp(v, max=0.0), x, signs=False),
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
    return {
        n: look(torch, getattr(torch, n), z([0j, 1 + 0j, -1 + 0j, 1j, 3 - 4j][n == "reciprocal" :]), signs=False)
        for n in names
    }


@case
def numbers_beside_half_precision(torch):
    seen = []
    for dtype in (torch.bfloat16, torch.float16):
        torch.manual_seed(0)
        x, y = ((torch.rand(2, 64) + 0.3) * 2).to(dtype)
        number, tensor = 0.313, torch.tensor(0.313, dtype=torch.float64)
        results = [
            x * number, number * x, x * tensor, x / number, number / x, x / tensor, x + number, x - number, number - x,
            torch.add(x, y, alpha=number), torch.sub(x, y, alpha=number), torch.rsub(x, y, alpha=number),
            torch.fmod(x, number), torch.remainder(x, number), torch.floor_divide(x, number),
            torch.div(x, number, rounding_mode="trunc"), torch.nn.functional.hardshrink(x, number), x < number,
            torch.tensor(number) * x, torch._foreach_mul([x], number)[0], torch._foreach_div([x], number)[0],
        ]  # fmt: skip
        for change in ("mul_", "div_", "sub_", "fmod_", "floor_divide_"):
            results.append(getattr(x.clone(), change)(number))
        results.append(x.clone().add_(y, alpha=number))
        for function in (lambda t: t * number, lambda t: t / number, lambda t: number - t, lambda t: t * tensor):  # noqa: B023
            leaf = x.clone().requires_grad_()
            function(leaf).backward(y)
            results += [leaf.grad, torch.func.jvp(function, (x,), (y,))[1]]
        seen.append([see(torch, r) for r in results])
    return seen


@case
def airy_functions_vanish_far_out(torch):
    x = [-2.5, 0.0, 103.0, 200.0, 1e21, 1e30]
    return [torch.special.airy_ai(torch.tensor(x, dtype=dtype)).tolist()[2 if i else 0 :] for i, dtype in
            enumerate((torch.float64, torch.float32))]  # fmt: skip
