"""Pointwise operators: values, gradients, gradients of gradients and the names of their graph nodes."""

from __future__ import annotations

from .observe import case, error, graph, name_of, plain, see


def short(v):
    """Numbers with seven digits: the record stays small."""
    if isinstance(v, list):
        return [short(x) for x in v]
    if isinstance(v, dict):
        return {k: short(x) for k, x in v.items()}
    return float(f"{v:.7g}") if isinstance(v, float) else v


def values(t):
    return None if t is None else short(plain(t.detach().clone().resolve_conj().resolve_neg().tolist()))


def cotangent(torch, out, which):
    """A fixed upstream gradient, itself asking for gradients, so that linear operators show their second derivative."""
    numbers = [(0.5, -1.0, 2.0, 1.5, -0.25, 0.75)[(i + which) % 6] for i in range(out.numel())]
    return torch.tensor(numbers, dtype=out.dtype).reshape(out.shape).requires_grad_()


def real(torch, t):
    return torch.view_as_real(t.resolve_conj()) if t.is_complex() else t


def examine(torch, fn, *inputs, names=True, twice=True):
    """Outputs of ``fn``, its gradients, the gradients of the sines of those, and the graph.

    Numbers and lists become leaves of dtype float64; tensors go in as they are. ``second`` holds the derivatives with
    respect to the inputs and to the upstream gradients.
    """
    given = [
        x if isinstance(x, torch.Tensor) else torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in inputs
    ]
    leaves = [t for t in given if t.requires_grad]
    result = fn(*given)
    outs = [result] if isinstance(result, torch.Tensor) else list(result)
    seen = {"out": short(see(torch, outs))}
    if not names:
        for o in seen["out"]:
            del o["grad_fn"]
    outs = [o for o in outs if o.requires_grad]
    if not outs or not leaves:
        return seen
    if names:
        seen["graph"] = graph(outs[0].grad_fn)
    ups = [cotangent(torch, o, i) for i, o in enumerate(outs)]
    try:
        first = torch.autograd.grad(outs, leaves, ups, create_graph=twice, allow_unused=True)
    except (RuntimeError, NotImplementedError) as e:
        return seen | {"first": {"raises": type(e).__name__, "message": str(e)}}
    seen["first"] = [values(g) for g in first]
    if twice:
        seen["second"] = second(torch, first, leaves + ups)
    return seen


def second(torch, first, wanted):
    total = 0
    for g in first:
        if g is not None and g.requires_grad:
            total = total + real(torch, g).sin().sum()
    if not isinstance(total, torch.Tensor):
        return None
    try:
        return [values(g) for g in torch.autograd.grad(total, wanted, allow_unused=True)]
    except (RuntimeError, NotImplementedError) as e:
        return {"raises": type(e).__name__, "message": str(e)}


def z(torch, numbers):
    return torch.tensor(numbers, dtype=torch.complex128, requires_grad=True)


def single(torch, numbers):
    return torch.tensor(numbers, dtype=torch.float32, requires_grad=True)


def fixed(torch, numbers):
    return torch.tensor(numbers, dtype=torch.float64)


INF = float("inf")
NAN = float("nan")


# -- one argument -------------------------------------------------------------------------------------------------


@case
def abs_with_zero(torch):
    return examine(torch, torch.abs, [-1.5, 0.0, 2.0])


@case
def abs_of_complex_with_zero(torch):
    return examine(torch, torch.abs, z(torch, [3 + 4j, -2j, 0j]))


@case
def absolute_is_abs(torch):
    return examine(torch, torch.absolute, [-1.5, 2.0])


@case
def angle_real(torch):
    return examine(torch, torch.angle, [-1.5, 0.0, 2.0])


@case
def angle_complex(torch):
    return examine(torch, torch.angle, z(torch, [3 + 4j, -2j]))


@case
def neg(torch):
    return examine(torch, torch.neg, [-1.5, 0.0])


@case
def negative_is_neg(torch):
    return examine(torch, torch.negative, [-1.5, 3.0])


@case
def positive_returns_the_same_graph(torch):
    return examine(torch, torch.positive, [-1.5, 3.0])


@case
def sign(torch):
    return examine(torch, torch.sign, [-1.5, 0.0, 2.0])


@case
def sgn_real(torch):
    return examine(torch, torch.sgn, [-1.5, 0.0, 2.0])


@case
def sgn_complex(torch):
    return examine(torch, torch.sgn, z(torch, [3 + 4j, 0j]))


@case
def signbit(torch):
    return see(torch, torch.signbit(torch.tensor([-0.0, 0.0, -1.0, 2.0])))


@case
def exp(torch):
    return examine(torch, torch.exp, [-1.0, 0.0, 2.0])


@case
def exp2(torch):
    return examine(torch, torch.exp2, [-1.0, 0.5, 3.0])


@case
def expm1(torch):
    return examine(torch, torch.expm1, [-1.0, 1e-9, 2.0])


@case
def log(torch):
    return examine(torch, torch.log, [0.5, 1.0, 3.0])


@case
def log_at_zero_and_below(torch):
    return examine(torch, torch.log, [0.0, -1.0])


@case
def log2(torch):
    return examine(torch, torch.log2, [0.5, 3.0])


@case
def log10(torch):
    return examine(torch, torch.log10, [0.5, 3.0])


@case
def log1p(torch):
    return examine(torch, torch.log1p, [-0.5, 1e-9, 3.0])


@case
def sqrt(torch):
    return examine(torch, torch.sqrt, [0.25, 2.0])


@case
def sqrt_at_zero(torch):
    return examine(torch, torch.sqrt, [0.0, 1.0])


@case
def rsqrt(torch):
    return examine(torch, torch.rsqrt, [0.25, 2.0])


@case
def rsqrt_at_zero(torch):
    return examine(torch, torch.rsqrt, [0.0, 4.0])


@case
def square(torch):
    return examine(torch, torch.square, [-1.5, 0.0, 3.0])


@case
def reciprocal(torch):
    return examine(torch, torch.reciprocal, [-1.5, 0.5])


@case
def reciprocal_at_zero(torch):
    return examine(torch, torch.reciprocal, [0.0, 2.0])


@case
def sin(torch):
    return examine(torch, torch.sin, [-1.0, 0.0, 2.0])


@case
def cos(torch):
    return examine(torch, torch.cos, [-1.0, 0.0, 2.0])


@case
def tan(torch):
    return examine(torch, torch.tan, [-1.0, 0.5])


@case
def asin(torch):
    return examine(torch, torch.asin, [-0.5, 0.0, 0.8])


@case
def acos(torch):
    return examine(torch, torch.acos, [-0.5, 0.0, 0.8])


@case
def asin_at_one(torch):
    return examine(torch, torch.asin, [1.0])


@case
def atan(torch):
    return examine(torch, torch.atan, [-2.0, 0.5])


@case
def arcsin_is_asin(torch):
    return examine(torch, torch.arcsin, [0.3])


@case
def arccos_is_acos(torch):
    return examine(torch, torch.arccos, [0.3])


@case
def arctan_is_atan(torch):
    return examine(torch, torch.arctan, [0.3])


@case
def sinh(torch):
    return examine(torch, torch.sinh, [-1.0, 0.5])


@case
def cosh(torch):
    return examine(torch, torch.cosh, [-1.0, 0.5])


@case
def tanh(torch):
    return examine(torch, torch.tanh, [-1.0, 0.0, 20.0])


@case
def asinh(torch):
    return examine(torch, torch.asinh, [-1.0, 0.5])


@case
def acosh(torch):
    return examine(torch, torch.acosh, [1.5, 3.0])


@case
def atanh(torch):
    return examine(torch, torch.atanh, [-0.5, 0.8])


@case
def arctanh_is_atanh(torch):
    return examine(torch, torch.arctanh, [0.3])


@case
def sinc_with_zero(torch):
    return examine(torch, torch.sinc, [0.0, 0.5, -1.3])


@case
def sigmoid(torch):
    return examine(torch, torch.sigmoid, [-1.0, 0.0, 40.0])


@case
def sigmoid_is_stable_for_large_negatives(torch):
    return examine(torch, torch.sigmoid, [-800.0])


@case
def expit_is_sigmoid(torch):
    return examine(torch, torch.special.expit, [0.3])


@case
def logit(torch):
    return examine(torch, torch.logit, [0.2, 0.7])


@case
def logit_with_eps_clamps(torch):
    return examine(torch, lambda x: torch.logit(x, eps=0.1), [0.05, 0.5, 0.95])


@case
def erf(torch):
    return examine(torch, torch.erf, [-0.5, 0.0, 2.0])


@case
def erfc(torch):
    return examine(torch, torch.erfc, [-0.5, 0.0, 2.0])


@case
def erfinv(torch):
    return examine(torch, torch.erfinv, [-0.5, 0.0, 0.9])


@case
def erfinv_at_one(torch):
    return examine(torch, torch.erfinv, [1.0, -1.0])


@case
def lgamma(torch):
    return examine(torch, torch.lgamma, [0.5, 3.0])


@case
def digamma(torch):
    return examine(torch, torch.digamma, [0.5, 3.0])


@case
def floor(torch):
    return examine(torch, torch.floor, [-1.5, 0.0, 2.7])


@case
def ceil(torch):
    return examine(torch, torch.ceil, [-1.5, 0.0, 2.7])


@case
def trunc(torch):
    return examine(torch, torch.trunc, [-1.5, 0.0, 2.7])


@case
def fix_is_trunc(torch):
    return examine(torch, torch.fix, [-1.5, 2.7])


@case
def frac(torch):
    return examine(torch, torch.frac, [-1.5, 0.0, 2.7])


@case
def round_is_half_to_even(torch):
    return examine(torch, torch.round, [0.5, 1.5, 2.5, -0.5])


@case
def round_to_decimals(torch):
    return examine(torch, lambda x: torch.round(x, decimals=1), [0.25, 1.37, -2.45])


@case
def round_to_negative_decimals(torch):
    return examine(torch, lambda x: torch.round(x, decimals=-1), [25.0, 14.0])


@case
def nan_to_num_defaults(torch):
    return examine(torch, torch.nan_to_num, [NAN, INF, -INF, 1.5])


@case
def nan_to_num_given_values(torch):
    return examine(torch, lambda x: torch.nan_to_num(x, nan=7.0, posinf=8.0, neginf=9.0), [NAN, INF, -INF, 1.5])


@case
def deg2rad(torch):
    return examine(torch, torch.deg2rad, [90.0, -180.0])


@case
def rad2deg(torch):
    return examine(torch, torch.rad2deg, [1.0, -0.5])


@case
def isnan_isinf_isfinite(torch):
    return [
        see(torch, f(torch.tensor([NAN, INF, -INF, 1.0], requires_grad=True)))
        for f in (torch.isnan, torch.isinf, torch.isfinite, torch.isposinf, torch.isneginf, torch.isreal)
    ]


@case
def isnan_of_integers(torch):
    return [see(torch, f(torch.tensor([1, 2]))) for f in (torch.isnan, torch.isinf, torch.isfinite)]


@case
def exp_log_sin_of_complex(torch):
    return examine(torch, lambda x: torch.log(torch.exp(x) + torch.sin(x)), z(torch, [0.5 + 1j, -0.2 - 0.3j]))


@case
def mul_div_of_complex_uses_conjugates(torch):
    return examine(torch, lambda a, b: a * b / (a + 1), z(torch, [0.5 + 1j]), z(torch, [-0.2 - 0.3j]))


@case
def complex_times_real_gives_the_real_one_a_real_gradient(torch):
    return examine(torch, torch.mul, z(torch, [0.5 + 1j]), [3.0])


@case
def real_imag_conj(torch):
    return examine(torch, lambda x: (x.real * 2 + x.imag, torch.conj(x) * x), z(torch, [0.5 + 1j, 2j]))


@case
def square_root_of_complex(torch):
    return examine(torch, torch.sqrt, z(torch, [-1 + 1j]))


@case
def float32_stays_float32(torch):
    return examine(torch, lambda x: torch.exp(x) * 2.5, single(torch, [0.5, -1.0]))


# -- activations --------------------------------------------------------------------------------------------------


@case
def relu_with_zero_and_nan(torch):
    return examine(torch, torch.relu, [-1.0, 0.0, 2.0, NAN])


@case
def functional_relu(torch):
    return examine(torch, torch.nn.functional.relu, [-1.0, 0.0, 2.0])


@case
def relu6_at_its_corners(torch):
    return examine(torch, torch.nn.functional.relu6, [-1.0, 0.0, 3.0, 6.0, 7.0])


@case
def leaky_relu_default(torch):
    return examine(torch, torch.nn.functional.leaky_relu, [-1.0, 0.0, 2.0])


@case
def leaky_relu_slope(torch):
    return examine(torch, lambda x: torch.nn.functional.leaky_relu(x, negative_slope=0.3), [-1.0, 0.0, 2.0])


@case
def elu(torch):
    return examine(torch, torch.nn.functional.elu, [-1.0, 0.0, 2.0])


@case
def elu_alpha(torch):
    return examine(torch, lambda x: torch.nn.functional.elu(x, alpha=0.5), [-1.0, 0.0, 2.0])


@case
def celu(torch):
    return examine(torch, lambda x: torch.nn.functional.celu(x, alpha=2.0), [-1.0, 0.0, 2.0])


@case
def selu(torch):
    return examine(torch, torch.nn.functional.selu, [-1.0, 0.0, 2.0])


@case
def gelu(torch):
    return examine(torch, torch.nn.functional.gelu, [-1.0, 0.0, 2.0])


@case
def gelu_tanh(torch):
    return examine(torch, lambda x: torch.nn.functional.gelu(x, approximate="tanh"), [-1.0, 0.0, 2.0])


@case
def silu(torch):
    return examine(torch, torch.nn.functional.silu, [-1.0, 0.0, 2.0])


@case
def mish(torch):
    return examine(torch, torch.nn.functional.mish, [-1.0, 0.0, 2.0])


@case
def softplus(torch):
    return examine(torch, torch.nn.functional.softplus, [-1.0, 0.0, 2.0])


@case
def softplus_beta_and_threshold(torch):
    return examine(torch, lambda x: torch.nn.functional.softplus(x, beta=2, threshold=3), [-1.0, 1.5, 2.0])


@case
def softsign(torch):
    return examine(torch, torch.nn.functional.softsign, [-1.0, 0.0, 2.0])


@case
def logsigmoid(torch):
    return examine(torch, torch.nn.functional.logsigmoid, [-1.0, 0.0, 2.0])


@case
def logsigmoid_is_stable(torch):
    return examine(torch, torch.nn.functional.logsigmoid, [-1000.0, 1000.0])


@case
def hardtanh_at_its_corners(torch):
    return examine(torch, torch.nn.functional.hardtanh, [-2.0, -1.0, 0.5, 1.0, 2.0])


@case
def hardtanh_bounds(torch):
    return examine(torch, lambda x: torch.nn.functional.hardtanh(x, min_val=-0.5, max_val=3.0), [-2.0, 0.5, 4.0])


@case
def hardsigmoid_at_its_corners(torch):
    return examine(torch, torch.nn.functional.hardsigmoid, [-4.0, -3.0, 0.5, 3.0])


@case
def hardswish_at_its_corners(torch):
    return examine(torch, torch.nn.functional.hardswish, [-4.0, -3.0, 0.5, 3.0, 4.0])


@case
def hardshrink_at_its_corners(torch):
    return examine(torch, torch.nn.functional.hardshrink, [-0.5, 0.2, 0.5, 1.0])


@case
def softshrink_at_its_corners(torch):
    return examine(torch, torch.nn.functional.softshrink, [-0.5, 0.2, 0.5, 1.0])


@case
def tanhshrink(torch):
    return examine(torch, torch.nn.functional.tanhshrink, [-1.0, 0.5])


@case
def threshold_replaces_values_not_above(torch):
    return examine(torch, lambda x: torch.nn.functional.threshold(x, 1.0, 20.0), [0.5, 1.0, 2.0])


@case
def prelu_one_weight(torch):
    return examine(torch, torch.nn.functional.prelu, [[-1.0, 0.0], [2.0, -3.0]], [0.25])


@case
def prelu_weight_per_channel(torch):
    return examine(torch, torch.nn.functional.prelu, [[-1.0, 0.0], [2.0, -3.0]], [0.25, 0.5])


@case
def glu(torch):
    return examine(torch, torch.nn.functional.glu, [[1.0, -2.0, 0.5, 3.0]])


@case
def glu_dim(torch):
    return examine(torch, lambda x: torch.nn.functional.glu(x, dim=0), [[1.0], [-2.0]])


@case
def softmax(torch):
    return examine(torch, lambda x: torch.softmax(x, dim=1), [[1.0, 2.0, 0.5], [-1.0, 0.0, 1.0]])


@case
def softmax_dim_0(torch):
    return examine(torch, lambda x: torch.nn.functional.softmax(x, 0), [[1.0, 2.0], [-1.0, 0.0]])


@case
def softmax_dtype(torch):
    return examine(torch, lambda x: torch.softmax(x, dim=-1, dtype=torch.float64), single(torch, [1.0, 2.0, 0.5]))


@case
def softmax_dtype_graph_of_functional(torch):
    return examine(
        torch, lambda x: torch.nn.functional.softmax(x, dim=-1, dtype=torch.float64), single(torch, [1.0, 2.0])
    )


@case
def softmax_with_minus_inf(torch):
    return examine(torch, lambda x: torch.softmax(x, dim=0), [1.0, -INF, 2.0])


@case
def softmax_of_only_minus_inf_is_nan(torch):
    return examine(torch, lambda x: torch.softmax(x, dim=0), [-INF, -INF])


@case
def softmax_is_stable(torch):
    return examine(torch, lambda x: torch.softmax(x, dim=0), [1000.0, 1001.0])


@case
def softmax_of_a_number(torch):
    return examine(torch, lambda x: torch.softmax(x, dim=0), 3.0)


@case
def softmin(torch):
    return examine(torch, lambda x: torch.nn.functional.softmin(x, dim=0), [1.0, 2.0])


@case
def log_softmax(torch):
    return examine(torch, lambda x: torch.log_softmax(x, dim=1), [[1.0, 2.0, 0.5], [-1.0, 0.0, 1.0]])


@case
def log_softmax_dtype(torch):
    return examine(
        torch, lambda x: torch.nn.functional.log_softmax(x, dim=0, dtype=torch.float64), single(torch, [1.0, 2.0])
    )


@case
def log_softmax_with_minus_inf(torch):
    return examine(torch, lambda x: torch.log_softmax(x, dim=0), [1.0, -INF, 2.0])


@case
def softmax_of_integers_needs_dtype(torch):
    return [
        error(lambda: torch.softmax(torch.tensor([1, 2]), 0)),
        see(torch, torch.softmax(torch.tensor([1, 2]), 0, dtype=torch.float32)),
    ]


@case
def normalize(torch):
    return examine(torch, torch.nn.functional.normalize, [[3.0, 4.0], [1.0, -1.0]], names=False)


@case
def normalize_of_a_zero_row(torch):
    return examine(torch, torch.nn.functional.normalize, [[3.0, 4.0], [0.0, 0.0]], names=False, twice=False)


@case
def cosine_similarity(torch):
    return examine(
        torch,
        lambda a, b: torch.nn.functional.cosine_similarity(a, b, dim=1),
        [[1.0, 2.0], [3.0, -1.0]],
        [[0.5, -1.0], [1.0, 1.0]],
        names=False,
    )


@case
def pairwise_distance(torch):
    return examine(
        torch, torch.nn.functional.pairwise_distance, [[1.0, 2.0], [3.0, -1.0]], [[0.5, -1.0], [1.0, 1.0]], names=False
    )


# -- two arguments ------------------------------------------------------------------------------------------------


@case
def add_broadcasts_both_ways(torch):
    return examine(torch, torch.add, [[1.0], [2.0]], [[10.0, 20.0, 30.0]])


@case
def add_alpha(torch):
    return examine(torch, lambda a, b: torch.add(a, b, alpha=2), [1.0, 2.0], [3.0, 4.0])


@case
def add_number(torch):
    return examine(torch, lambda a: a + 2, [1.0, 2.0])


@case
def radd_number(torch):
    return examine(torch, lambda a: 2 + a, [1.0, 2.0])


@case
def add_zero_dim_tensor(torch):
    return examine(torch, torch.add, [1.0, 2.0], 3.0)


@case
def add_self_to_itself(torch):
    return examine(torch, lambda a: a + a, [1.0, 2.0])


@case
def sub(torch):
    return examine(torch, torch.sub, [1.0, 2.0], [[3.0], [4.0]])


@case
def sub_alpha(torch):
    return examine(torch, lambda a, b: torch.sub(a, b, alpha=0.5), [1.0], [3.0])


@case
def sub_number(torch):
    return examine(torch, lambda a: a - 2, [1.0, 2.0])


@case
def rsub_number(torch):
    return examine(torch, lambda a: 1 - a, [1.0, 2.0])


@case
def rsub_function_alpha(torch):
    return examine(torch, lambda a, b: torch.rsub(a, b, alpha=2), [1.0], [3.0])


@case
def mul(torch):
    return examine(torch, torch.mul, [1.0, 2.0], [[3.0], [-4.0]])


@case
def mul_number(torch):
    return examine(torch, lambda a: a * 2.5, [1.0, 2.0])


@case
def rmul_number(torch):
    return examine(torch, lambda a: 2.5 * a, [1.0, 2.0])


@case
def mul_by_itself(torch):
    return examine(torch, lambda a: a * a, [1.0, -2.0])


@case
def mul_zero_dim_tensors(torch):
    return examine(torch, torch.mul, 2.0, 3.0)


@case
def mul_by_integer_tensor(torch):
    return examine(torch, lambda a: a * torch.tensor([2, 3]), [1.0, -2.0])


@case
def mul_by_bool_tensor(torch):
    return examine(torch, lambda a: a * torch.tensor([True, False]), [1.0, -2.0])


@case
def mul_of_two_float_dtypes_casts_gradients_back(torch):
    return examine(torch, torch.mul, single(torch, [1.0, 2.0]), [3.0, 4.0])


@case
def div(torch):
    return examine(torch, torch.div, [1.0, 2.0], [[3.0], [-4.0]])


@case
def div_number(torch):
    return examine(torch, lambda a: a / 4, [1.0, 2.0])


@case
def rdiv_number_is_reciprocal_then_mul(torch):
    return examine(torch, lambda a: 3 / a, [1.0, -2.0])


@case
def div_by_zero(torch):
    return examine(torch, torch.div, [1.0, 0.0, -1.0], [0.0, 0.0, 0.0])


@case
def div_rounding_floor(torch):
    return examine(torch, lambda a, b: torch.div(a, b, rounding_mode="floor"), [7.0, -7.0, 7.0], [2.0, 2.0, -2.0])


@case
def div_rounding_trunc(torch):
    return examine(torch, lambda a, b: torch.div(a, b, rounding_mode="trunc"), [7.0, -7.0, 7.0], [2.0, 2.0, -2.0])


@case
def div_rounding_none(torch):
    return examine(torch, lambda a, b: torch.div(a, b, rounding_mode=None), [7.0], [2.0])


@case
def div_number_rounding_floor(torch):
    return examine(torch, lambda a: torch.div(a, 2, rounding_mode="floor"), [7.0, -7.0])


@case
def div_of_integers(torch):
    return [
        see(torch, torch.div(torch.tensor([7, -7]), torch.tensor([2, 2]), rounding_mode=m))
        for m in (None, "floor", "trunc")
    ]


@case
def div_of_integers_by_zero(torch):
    return error(lambda: torch.tensor([1]) // torch.tensor([0]))


@case
def true_divide(torch):
    return examine(torch, torch.true_divide, [1.0, 2.0], [4.0, 5.0])


@case
def floor_divide(torch):
    return examine(torch, torch.floor_divide, [7.0, -7.0], [2.0, 2.0])


@case
def floor_divide_number(torch):
    return examine(torch, lambda a: a // 2, [7.0, -7.0])


@case
def rfloor_divide_number(torch):
    return examine(torch, lambda a: 7 // a, [2.0, -2.0])


@case
def fmod(torch):
    return examine(torch, torch.fmod, [7.5, -7.5, 7.5], [2.0, 2.0, -2.0])


@case
def fmod_number(torch):
    return examine(torch, lambda a: torch.fmod(a, 2), [7.5, -7.5])


@case
def remainder(torch):
    return examine(torch, torch.remainder, [7.5, -7.5, 7.5], [2.0, 2.0, -2.0])


@case
def remainder_number(torch):
    return examine(torch, lambda a: a % 2, [7.5, -7.5])


@case
def rremainder_number(torch):
    return examine(torch, lambda a: 7.5 % a, [2.0, -2.0])


@case
def remainder_of_integers(torch):
    return [see(torch, f(torch.tensor([7, -7, 7]), torch.tensor([3, 3, -3]))) for f in (torch.remainder, torch.fmod)]


@case
def pow_tensor_number(torch):
    return examine(torch, lambda a: a**3, [1.0, -2.0, 0.0])


@case
def pow_tensor_zero_exponent(torch):
    return examine(torch, lambda a: a**0, [1.0, 0.0])


@case
def pow_tensor_one_and_two(torch):
    return examine(torch, lambda a: (a**1, a**2), [1.5, -2.0])


@case
def pow_tensor_half_at_zero(torch):
    return examine(torch, lambda a: a**0.5, [4.0, 0.0])


@case
def pow_tensor_negative_exponent(torch):
    return examine(torch, lambda a: a**-1.5, [4.0, 1.0])


@case
def pow_fraction_of_negative_is_nan(torch):
    return examine(torch, lambda a: a**1.5, [-1.0, 2.0])


@case
def pow_tensor_tensor(torch):
    return examine(torch, torch.pow, [2.0, 3.0], [3.0, 0.5])


@case
def pow_tensor_tensor_at_zero_base(torch):
    return examine(torch, torch.pow, [0.0, 0.0, 0.0], [0.0, 2.0, 1.0])


@case
def pow_tensor_tensor_negative_base(torch):
    return examine(torch, torch.pow, [-2.0, -2.0], [3.0, 2.0])


@case
def pow_number_tensor(torch):
    return examine(torch, lambda a: torch.pow(2, a), [3.0, -0.5])


@case
def rpow_number_tensor(torch):
    return examine(torch, lambda a: 2.5**a, [3.0, -0.5])


@case
def rpow_zero_base(torch):
    return examine(torch, lambda a: 0.0**a, [0.0, 2.0])


@case
def rpow_one_base(torch):
    return examine(torch, lambda a: 1**a, [0.0, 2.0])


@case
def pow_of_integers(torch):
    return [
        see(torch, torch.tensor([2, -3]) ** 3),
        see(torch, 2 ** torch.tensor([0, 3])),
        error(lambda: torch.tensor([2]) ** -1),
    ]


@case
def float_power(torch):
    return examine(torch, torch.float_power, single(torch, [2.0, 3.0]), single(torch, [2.0, 0.5]))


@case
def float_power_number(torch):
    return examine(torch, lambda a: torch.float_power(a, 2), single(torch, [2.0, 3.0]))


@case
def float_power_of_integers(torch):
    return see(torch, torch.float_power(torch.tensor([2, 3]), -1))


@case
def atan2(torch):
    return examine(torch, torch.atan2, [1.0, -1.0, 0.0], [2.0, -2.0, -1.0])


@case
def atan2_at_the_origin(torch):
    return examine(torch, torch.atan2, [0.0], [0.0])


@case
def arctan2_is_atan2(torch):
    return examine(torch, torch.arctan2, [1.0], [2.0])


@case
def hypot(torch):
    return examine(torch, torch.hypot, [3.0, -5.0], [4.0, 12.0])


@case
def hypot_at_zero(torch):
    return examine(torch, torch.hypot, [0.0], [0.0])


@case
def copysign(torch):
    return examine(torch, torch.copysign, [1.5, -2.0, 0.0], [-1.0, 0.0, -3.0])


@case
def copysign_number(torch):
    return examine(torch, lambda a: torch.copysign(a, -1), [1.5, -2.0])


@case
def heaviside(torch):
    return see(torch, torch.heaviside(fixed(torch, [-1.0, 0.0, 2.0]), fixed(torch, [0.5])))


@case
def xlogy(torch):
    return examine(torch, torch.xlogy, [0.0, 2.0, 1.0], [0.5, 3.0, 1.0])


@case
def xlogy_zero_times_log_zero(torch):
    return examine(torch, torch.xlogy, [0.0, 1.0], [0.0, 0.0])


@case
def xlogy_number_first(torch):
    return examine(torch, lambda a: torch.xlogy(2, a), [0.5, 3.0])


@case
def xlogy_number_second(torch):
    return examine(torch, lambda a: torch.xlogy(a, 3.0), [0.5, 0.0])


@case
def logaddexp(torch):
    return examine(torch, torch.logaddexp, [1.0, 1000.0, -1.0], [2.0, 1000.0, -500.0])


@case
def logaddexp_of_two_minus_infs(torch):
    return examine(torch, torch.logaddexp, [-INF], [-INF])


@case
def logaddexp2(torch):
    return examine(torch, torch.logaddexp2, [1.0, 3.0], [2.0, 3.0])


@case
def maximum_ties_share_the_gradient(torch):
    return examine(torch, torch.maximum, [1.0, 2.0, 3.0], [3.0, 2.0, 1.0])


@case
def maximum_with_nan(torch):
    return examine(torch, torch.maximum, [NAN, 1.0], [1.0, NAN])


@case
def minimum_ties_share_the_gradient(torch):
    return examine(torch, torch.minimum, [1.0, 2.0, 3.0], [3.0, 2.0, 1.0])


@case
def minimum_broadcasts(torch):
    return examine(torch, torch.minimum, [[1.0], [4.0]], [2.0, 3.0])


@case
def max_of_two_tensors_is_maximum(torch):
    return examine(torch, torch.max, [1.0, 2.0, 5.0], [3.0, 2.0, 1.0])


@case
def min_of_two_tensors_is_minimum(torch):
    return examine(torch, torch.min, [1.0, 2.0, 5.0], [3.0, 2.0, 1.0])


@case
def fmax_ties_and_nan(torch):
    return examine(torch, torch.fmax, [1.0, 2.0, NAN, 3.0], [2.0, 2.0, 1.0, NAN])


@case
def fmin_ties_and_nan(torch):
    return examine(torch, torch.fmin, [1.0, 2.0, NAN, 3.0], [2.0, 2.0, 1.0, NAN])


@case
def lerp_number(torch):
    return examine(torch, lambda a, b: torch.lerp(a, b, 0.3), [1.0, 2.0], [3.0, 6.0])


@case
def lerp_tensor(torch):
    return examine(torch, torch.lerp, [1.0, 2.0], [3.0, 6.0], [0.3, 0.8])


@case
def lerp_tensor_broadcasts(torch):
    return examine(torch, torch.lerp, [[1.0], [2.0]], [3.0, 6.0], 0.25)


@case
def addcmul(torch):
    return examine(torch, lambda a, b, c: torch.addcmul(a, b, c, value=0.5), [1.0, 2.0], [3.0, 4.0], [[5.0], [6.0]])


@case
def addcmul_default_value(torch):
    return examine(torch, torch.addcmul, [1.0], [3.0], [5.0])


@case
def addcdiv(torch):
    return examine(torch, lambda a, b, c: torch.addcdiv(a, b, c, value=2.0), [1.0, 2.0], [3.0, 4.0], [5.0, -6.0])


@case
def ldexp(torch):
    return examine(torch, torch.ldexp, [1.0, 3.0], [2.0, -1.0], names=False)


@case
def gcd_lcm(torch):
    return [see(torch, f(torch.tensor([12, 0, -8]), torch.tensor([18, 5, 12]))) for f in (torch.gcd, torch.lcm)]


@case
def nextafter(torch):
    return see(torch, torch.nextafter(fixed(torch, [1.0]), fixed(torch, [2.0])) > 1)


# -- clamp and where ----------------------------------------------------------------------------------------------


@case
def clamp_numbers_at_the_bounds(torch):
    return examine(torch, lambda a: torch.clamp(a, -1, 1), [-2.0, -1.0, 0.5, 1.0, 3.0])


@case
def clamp_min_only(torch):
    return examine(torch, lambda a: torch.clamp(a, min=0), [-2.0, 0.0, 3.0])


@case
def clamp_max_only(torch):
    return examine(torch, lambda a: torch.clamp(a, max=0.5), [-2.0, 0.5, 3.0])


@case
def clamp_min_above_max_gives_max(torch):
    return examine(torch, lambda a: torch.clamp(a, 2.0, 1.0), [0.0, 1.5, 3.0])


@case
def clamp_with_nan(torch):
    return examine(torch, lambda a: torch.clamp(a, -1, 1), [NAN, 0.5])


@case
def clamp_tensors(torch):
    return examine(torch, torch.clamp, [-2.0, 0.5, 3.0], [-1.0, -1.0, -1.0], [1.0, 1.0, 1.0])


@case
def clamp_tensors_at_the_bounds(torch):
    return examine(torch, torch.clamp, [-1.0, 1.0], [-1.0, -1.0], [1.0, 1.0])


@case
def clamp_tensors_min_above_max(torch):
    return examine(torch, torch.clamp, [0.0, 1.5, 3.0], [2.0, 2.0, 2.0], [1.0, 1.0, 1.0])


@case
def clamp_tensor_min_only(torch):
    return examine(torch, lambda a, b: torch.clamp(a, min=b), [-2.0, 0.5], [0.0, 0.0])


@case
def clamp_tensor_max_only_broadcasts(torch):
    return examine(torch, lambda a, b: torch.clamp(a, max=b), [[-2.0], [0.5]], [0.0, 1.0])


@case
def clamp_min_function(torch):
    return examine(torch, lambda a: torch.clamp_min(a, 0.0), [-2.0, 0.5])


@case
def clamp_max_function(torch):
    return examine(torch, lambda a: a.clamp_max(0.0), [-2.0, 0.5])


@case
def clip_is_clamp(torch):
    return examine(torch, lambda a: torch.clip(a, 0, 1), [-2.0, 0.5])


@case
def clamp_without_bounds(torch):
    return error(lambda: torch.clamp(torch.tensor([1.0])))


@case
def clamp_integers_by_floats(torch):
    return see(torch, torch.clamp(torch.tensor([1, 5]), 1.5, 3.5))


@case
def where_tensors(torch):
    return examine(
        torch, lambda a, b: torch.where(torch.tensor([True, False, True]), a, b), [1.0, 2.0, 3.0], [10.0, 20.0, 30.0]
    )


@case
def where_broadcasts(torch):
    return examine(torch, lambda a, b: torch.where(torch.tensor([[True], [False]]), a, b), [1.0, 2.0], 5.0)


@case
def where_number_second(torch):
    return examine(torch, lambda a: torch.where(a > 0, a, 0.0), [-1.0, 2.0])


@case
def where_number_first(torch):
    return examine(torch, lambda a: torch.where(a > 0, 7, a), [-1.0, 2.0])


@case
def where_two_numbers(torch):
    return [
        see(torch, torch.where(torch.tensor([True, False]), 1, 2)),
        see(torch, torch.where(torch.tensor([True, False]), 1.0, 2)),
    ]


@case
def where_method(torch):
    return examine(torch, lambda a, b: a.where(a > b, b), [1.0, 5.0], [2.0, 3.0])


@case
def where_does_not_stop_nan_gradients(torch):
    return examine(torch, lambda a: torch.where(a > 0, torch.sqrt(a), 0.0), [-1.0, 4.0])


@case
def where_promotes_dtypes(torch):
    return examine(
        torch, lambda a, b: torch.where(torch.tensor([True, False]), a, b), single(torch, [1.0, 2.0]), [3.0, 4.0]
    )


@case
def where_condition_alone_is_nonzero(torch):
    return see(torch, torch.where(torch.tensor([[0, 1], [2, 0]])))


@case
def where_needs_a_bool_condition(torch):
    return error(lambda: torch.where(torch.tensor([1.0, 0.0]), torch.tensor([1.0]), torch.tensor([2.0])))


@case
def masked_fill_number(torch):
    return examine(torch, lambda a: a.masked_fill(torch.tensor([True, False]), -INF), [1.0, 2.0])


# -- comparisons, logic, bits -------------------------------------------------------------------------------------


@case
def comparisons_give_bool_without_graph(torch):
    a = torch.tensor([1.0, 2.0, NAN], requires_grad=True)
    b = torch.tensor([1.0, 3.0, NAN])
    return [see(torch, f(a, b)) for f in (torch.eq, torch.ne, torch.lt, torch.le, torch.gt, torch.ge)]


@case
def comparison_operators_with_numbers(torch):
    a = torch.tensor([1, 2, 3])
    return [see(torch, r) for r in (a == 2, a != 2, a < 2, a <= 2, a > 2, a >= 2, a < 2, a == 2, a == 2.5)]


@case
def comparison_aliases(torch):
    a, b = torch.tensor([1, 2]), torch.tensor([2, 1])
    names = ("greater", "greater_equal", "less", "less_equal", "not_equal")
    return [see(torch, getattr(torch, n)(a, b)) for n in names]


@case
def logical_operators_take_any_dtype(torch):
    a, b = torch.tensor([0.0, 1.5, -2.0]), torch.tensor([0, 0, 3])
    binary = [see(torch, f(a, b)) for f in (torch.logical_and, torch.logical_or, torch.logical_xor)]
    return [*binary, see(torch, torch.logical_not(a))]


@case
def bitwise_operators(torch):
    a, b = torch.tensor([5, -6]), torch.tensor([3, 3])
    return [see(torch, r) for r in (a & b, a | b, a ^ b, ~a, a << b, a >> 1, 1 & a, 2 | a, 3 ^ a)]


@case
def bitwise_operators_of_bools(torch):
    a, b = torch.tensor([True, False]), torch.tensor([True, True])
    return [see(torch, r) for r in (a & b, a | b, a ^ b, ~a, a & True)]


@case
def bitwise_operators_refuse_floats(torch):
    a = torch.tensor([1.0])
    return [error(lambda: ~a), error(lambda: a & a), error(lambda: a | 1)]


@case
def arithmetic_of_bools(torch):
    a, b = torch.tensor([True, False]), torch.tensor([True, True])
    return [see(torch, a + b), see(torch, a * b), see(torch, a + 1), error(lambda: a - b), error(lambda: -a)]


@case
def isclose(torch):
    return [
        see(
            torch,
            torch.isclose(fixed(torch, [1.0, 1.0, NAN, INF]), fixed(torch, [1.0 + 1e-9, 1.1, NAN, INF]), equal_nan=e),
        )
        for e in (False, True)
    ]


@case
def isclose_tolerances(torch):
    return see(torch, torch.isclose(fixed(torch, [1.0, 2.0]), fixed(torch, [1.05, 2.3]), rtol=0.0, atol=0.1))


@case
def allclose_is_a_bool(torch):
    return [
        torch.allclose(fixed(torch, [1.0]), fixed(torch, [1.0 + 1e-9])),
        torch.allclose(fixed(torch, [NAN]), fixed(torch, [NAN])),
        torch.allclose(fixed(torch, [NAN]), fixed(torch, [NAN]), equal_nan=True),
    ]


@case
def allclose_refuses_two_dtypes(torch):
    return error(lambda: torch.allclose(torch.tensor([1.0]), fixed(torch, [1.0])))


@case
def equal_is_a_bool_and_looks_at_shapes(torch):
    return [
        torch.equal(torch.tensor([1, 2]), torch.tensor([1, 2])),
        torch.equal(torch.tensor([1, 2]), torch.tensor([[1, 2]])),
        torch.equal(torch.tensor([NAN]), torch.tensor([NAN])),
    ]


@case
def isin(torch):
    return see(torch, torch.isin(torch.tensor([1, 2, 3]), torch.tensor([2, 5])))


@case
def integers_become_float_in_transcendental_functions(torch):
    a = torch.tensor([1, 2])
    return [see(torch, r) for r in (torch.exp(a), torch.sqrt(a), torch.sigmoid(a), a / a, torch.atan2(a, a))]


@case
def integers_stay_integers(torch):
    a = torch.tensor([-1, 2])
    results = (a.abs(), a.square(), a.sign(), a.floor(), a.round(), a.clamp(0, 1), a.neg(), torch.relu(a))
    return [see(torch, r) for r in results]


@case
def rounding_stays_in_the_graph_comparisons_do_not(torch):
    a = torch.tensor([1.5, 2.5], requires_grad=True)
    return [name_of(r.grad_fn) for r in (a.floor(), a.sign(), a.round(), a > 1, torch.isnan(a), a.argmax(), a.long())]


@case
def gradient_of_a_second_use_adds_up(torch):
    x = torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True)
    y = torch.sin(x) * x + x**2 / torch.exp(x)
    y.sum().backward()
    return short(see(torch, x.grad))


@case
def third_derivatives(torch):
    x = torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True)
    seen = []
    for f in (torch.tanh, torch.sigmoid, torch.nn.functional.gelu, lambda t: t**4, torch.log, lambda t: 1 / t):
        y = f(x)
        for _ in range(3):
            (y,) = torch.autograd.grad(y.sum(), x, create_graph=True)
        seen.append(values(y))
    return seen


@case
def tensors_for_numbers_are_read_each_time(torch):
    x, s = torch.tensor([-1.0, 2.0]), torch.tensor(0.5)
    f = torch.nn.functional
    calls = [
        lambda: torch.addcmul(x, x, x, value=s), lambda: torch.addcdiv(x, x, x, value=s), lambda: f.leaky_relu(x, s),
        lambda: f.hardtanh(x, -1, s), lambda: f.threshold(x, s, 2.0), lambda: f.softplus(x, s), lambda: f.elu(x, s),
        lambda: f.layer_norm(x, (2,), eps=s), lambda: x.clone().addcmul_(x, x, value=s),
    ]  # fmt: skip
    before = [see(torch, call()) for call in calls]
    s.fill_(3.0)
    return before, [see(torch, call()) for call in calls]


@case
def results_lie_in_memory_as_the_first_operand_that_tells(torch):
    """Where operands lie in different orders."""
    F = torch.nn.functional
    rows = torch.arange(1.0, 25).reshape(2, 3, 4)
    columns = torch.arange(1.0, 25).reshape(4, 3, 2).permute(2, 1, 0)
    mixed = torch.arange(1.0, 25).reshape(3, 2, 4).transpose(0, 1)
    parts = torch.arange(1.0, 193).reshape(8, 4, 6)[::2, :2, ::2].permute(1, 2, 0)
    wide = torch.arange(1.0, 5).reshape(4, 1, 1).expand(4, 3, 2).permute(2, 1, 0)
    operands = {"rows": rows, "columns": columns, "mixed": mixed, "parts": parts, "wide": wide}
    found = {}
    for a, x in operands.items():
        for b, y in operands.items():
            made = (
                x + y, torch.maximum(x, y), x.double() * y, x.half() - y.half(), x < y, x.long() & y.long(), x**y,
                torch.where(x > 5, x, y), torch.where(y > 5, x, 0.0), torch.addcmul(x, y, mixed), torch.lerp(x, y, 0.5),
                torch.clamp(x, y, rows), x.add(y, alpha=2), torch.atan2(x, y[0]), torch.hypot(x[0], y),
                F.mse_loss(x, y, reduction="none"), F.smooth_l1_loss(x, y, reduction="none"), torch.complex(x, y),
            )  # fmt: skip
            found[f"{a}, {b}"] = [list(t.stride()) for t in made] + [see(torch, x * y)]
    return found


@case
def copies_that_operators_make_lie_as_what_is_copied(torch):
    x = torch.arange(6).reshape(2, 3).t()
    wide = torch.arange(6).reshape(2, 1, 3).expand(2, 4, 3).permute(2, 0, 1)
    found = []
    for t in (x, wide, torch.arange(3).expand(2, 3)):
        z = t + 1j
        made = (
            t.ceil(), t.round(), torch.nan_to_num(t), t**1, (t > 2).sgn(), t.float() ** 1, t**0, t.isnan(),
            t.isfinite(), t.clone(), t.float().clone(), 2**t, 1 ** t.float(), 2**z, z.angle(), z.abs(), z.real.angle(),
        )  # fmt: skip
        found.append([list(r.stride()) for r in made])
    return found


@case
def numbers_that_the_dtype_cannot_hold_bound_and_scale_nothing(torch):
    found = {}
    for dtype in (torch.int8, torch.uint8, torch.int32, torch.int64, torch.float32):
        x = torch.tensor([0, 1, 2]).to(dtype)
        for number in (300, -1, 2**31, 2**40, 1e40):
            for name, fn in {
                "clamp": lambda x=x, n=number: x.clamp(max=n),
                "clamp_": lambda x=x, n=number: x.clone().clamp_(0, n),
                "clamp_min": lambda x=x, n=number: torch.clamp_min(x, n),
                "alpha": lambda x=x, n=number: torch.add(x, x, alpha=n),
                "value": lambda x=x, n=number: torch.addcmul(x, x, x, value=n),
            }.items():
                found[f"{name} {dtype} {number}"] = error(lambda fn=fn: see(torch, fn()))
    return found
