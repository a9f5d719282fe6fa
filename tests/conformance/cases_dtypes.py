"""dtypes and their promotion, finfo and iinfo, integer arithmetic, devices, Size, strides and storages."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .cases_creation import brief, kind
from .observe import case, error, see

ALL = [
    "bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64", "float16",
    "bfloat16", "float32", "float64", "complex64", "complex128",
]  # fmt: skip
USUAL = [n for n in ALL if n not in ("uint16", "uint32", "uint64")]
INTS = ["uint8", "int8", "int16", "int32", "int64"]
FLOATS = ["float16", "bfloat16", "float32", "float64"]


def dtype_or_error(fn: Any) -> str:
    """Name of the dtype that comes out, or of the error."""
    try:
        out = fn()
    except Exception as e:
        return type(e).__name__
    return str(getattr(out, "dtype", out)).removeprefix("torch.")


def over(torch: Any, names: list[str], fn: Any) -> dict[str, str]:
    """What dtype ``fn`` gives for a tensor of two ones of each dtype."""
    return {n: dtype_or_error(lambda n=n: fn(torch.ones(2, dtype=getattr(torch, n)))) for n in names}


# ---- the dtype objects ------------------------------------------------------------------------------------------


@case
def dtype_str_and_repr(torch):
    return [[str(getattr(torch, n)), repr(getattr(torch, n)), f"{getattr(torch, n)}"] for n in ALL]


@case
def dtype_properties(torch):
    out = {}
    for n in ALL:
        d = getattr(torch, n)
        out[n] = [d.itemsize, d.is_floating_point, d.is_complex, d.is_signed]
    return out


@case
def dtype_to_real_and_to_complex(torch):
    out = {}
    for n in ALL:
        d = getattr(torch, n)
        out[n] = [error(lambda d=d: str(d.to_real())), error(lambda d=d: str(d.to_complex()))]
    return out


@case
def dtype_aliases_are_the_same_object(torch):
    pairs = {
        "float": "float32", "double": "float64", "half": "float16", "long": "int64", "int": "int32",
        "short": "int16", "cfloat": "complex64", "cdouble": "complex128",
    }  # fmt: skip
    return {a: getattr(torch, a) is getattr(torch, b) for a, b in pairs.items()}


@case
def dtype_is_hashable_and_comparable(torch):
    d = {torch.float32: 1, torch.int64: 2}
    return [
        d[torch.float],
        torch.float32 == torch.float32,
        torch.float32 == torch.float64,
        torch.float32 == "float32",
        torch.float32 == np.float32,
        torch.float32 != torch.int8,
        isinstance(torch.float32, torch.dtype),
        type(torch.float32).__name__,
    ]


@case
def dtype_survives_pickle_and_copy(torch):
    import copy
    import pickle

    return [
        pickle.loads(pickle.dumps(torch.bfloat16)) is torch.bfloat16,
        copy.deepcopy(torch.int8) is torch.int8,
        copy.copy(torch.int8) is torch.int8,
    ]


@case
def tensor_type_predicates(torch):
    out = {}
    for n in USUAL:
        t = torch.ones(1, dtype=getattr(torch, n))
        out[n] = [t.is_floating_point(), torch.is_floating_point(t), t.is_complex(), torch.is_complex(t), t.is_signed()]
    return out


@case
def tensor_element_size_and_nbytes(torch):
    return {n: [(t := torch.ones(3, dtype=getattr(torch, n))).element_size(), t.itemsize, t.nbytes] for n in ALL}


@case
def is_tensor_and_is_nonzero(torch):
    return [
        torch.is_tensor(torch.ones(1)),
        torch.is_tensor([1]),
        torch.is_nonzero(torch.tensor([2.0])),
        brief(lambda: torch.is_nonzero(torch.ones(2))),
        brief(lambda: torch.is_nonzero(torch.ones(0))),
    ]


@case
def finfo_attributes(torch):
    out = {}
    for n in [*FLOATS, "complex64", "complex128"]:
        f = torch.finfo(getattr(torch, n))
        out[n] = [f.bits, f.eps, f.max, f.min, f.tiny, f.smallest_normal, f.resolution, f.dtype]
    return out


@case
def finfo_exact_values(torch):
    f = torch.finfo(torch.float32)
    return [f.eps == 2.0**-23, f.tiny == 2.0**-126, torch.finfo(torch.float16).max == 65504.0, type(f.eps).__name__]


@case
def finfo_repr(torch):
    return [repr(torch.finfo(getattr(torch, n))) for n in FLOATS] + [str(torch.finfo())]


@case
def iinfo_attributes_and_repr(torch):
    out = {}
    for n in [*INTS, "uint16", "uint32", "uint64"]:
        i = torch.iinfo(getattr(torch, n))
        out[n] = [i.bits, i.min, i.max, i.dtype, repr(i)]
    return out


@case
def finfo_iinfo_errors(torch):
    return {
        "finfo_int": brief(lambda: torch.finfo(torch.int32)),
        "iinfo_float": brief(lambda: torch.iinfo(torch.float32)),
        "iinfo_bool": brief(lambda: torch.iinfo(torch.bool)),
        "finfo_equal": torch.finfo(torch.float32) == torch.finfo(torch.float32),
        "iinfo_different": torch.iinfo(torch.int8) == torch.iinfo(torch.int16),
    }


# ---- promotion --------------------------------------------------------------------------------------------------


@case
def promote_types_table(torch):
    return {
        a: {b: dtype_or_error(lambda a=a, b=b: torch.promote_types(getattr(torch, a), getattr(torch, b))) for b in ALL}
        for a in ALL
    }


@case
def promote_types_refuses_wide_unsigned(torch):
    return brief(lambda: torch.promote_types(torch.uint16, torch.int32))


@case
def result_type_of_tensor_and_zero_dim_tensor(torch):
    return {
        a: over(torch, USUAL, lambda t, a=a: torch.result_type(torch.ones((), dtype=getattr(torch, a)), t))
        for a in USUAL
    }


@case
def result_type_of_zero_dim_tensors(torch):
    return {
        a: over(torch, USUAL, lambda t, a=a: torch.result_type(torch.ones((), dtype=getattr(torch, a)), t[0]))
        for a in USUAL
    }


@case
def result_type_of_tensor_and_python_scalar(torch):
    scalars = {"bool": True, "int": 1, "float": 1.0, "complex": 1j}
    return {k: over(torch, ALL, lambda t, v=v: torch.result_type(t, v)) for k, v in scalars.items()}


@case
def result_type_of_zero_dim_tensor_and_python_scalar(torch):
    scalars = {"bool": True, "int": 1, "float": 1.0, "complex": 1j}
    return {k: over(torch, USUAL, lambda t, v=v: torch.result_type(t[0], v)) for k, v in scalars.items()}


@case
def result_type_of_python_scalars(torch):
    scalars = [True, 1, 1.0, 1j]
    return [[str(torch.result_type(a, b)) for b in scalars] for a in scalars]


@case
def can_cast_table(torch):
    return {a: {b: torch.can_cast(getattr(torch, a), getattr(torch, b)) for b in USUAL} for a in USUAL}


@case
def addition_dtype_table(torch):
    return {a: over(torch, USUAL, lambda t, a=a: t + torch.ones(2, dtype=getattr(torch, a))) for a in USUAL}


@case
def dtype_of_tensor_op_python_scalar(torch):
    ops = {
        "add": operator.add, "sub": operator.sub, "mul": operator.mul, "truediv": operator.truediv,
        "floordiv": operator.floordiv, "mod": operator.mod, "pow": operator.pow,
    }  # fmt: skip
    scalars = {"bool": True, "int": 2, "float": 2.0}
    return {
        f"{o}_{s}": over(torch, USUAL, lambda t, f=f, v=v: f(t, v)) for o, f in ops.items() for s, v in scalars.items()
    }


@case
def dtype_of_python_scalar_op_tensor(torch):
    ops = {
        "sub": operator.sub, "truediv": operator.truediv, "floordiv": operator.floordiv,
        "mod": operator.mod, "pow": operator.pow,
    }  # fmt: skip
    scalars = {"int": 2, "float": 2.0, "complex": 2j}
    names = [n for n in USUAL if n != "float16"]  # its complex32 is another subject
    return {
        f"{o}_{s}": over(torch, names, lambda t, f=f, v=v: f(v, t)) for o, f in ops.items() for s, v in scalars.items()
    }


@case
def dtype_of_binary_ops_on_each_dtype(torch):
    names = [
        "add", "sub", "mul", "true_divide", "floor_divide", "remainder", "fmod", "pow", "atan2", "hypot",
        "maximum", "minimum", "fmax", "logaddexp",
    ]  # fmt: skip
    names += [
        "eq", "lt", "ge", "logical_and", "bitwise_and", "bitwise_xor", "bitwise_left_shift", "gcd",
        "copysign", "xlogy", "nextafter",
    ]  # fmt: skip
    return {n: over(torch, USUAL, lambda t, n=n: getattr(torch, n)(t, t)) for n in names}


@case
def dtype_of_unary_ops_on_each_dtype(torch):
    names = [
        "abs", "neg", "sign", "sgn", "exp", "log", "log1p", "sqrt", "rsqrt", "reciprocal", "sin", "tanh",
        "sigmoid", "erf", "floor", "ceil", "round", "trunc",
    ]  # fmt: skip
    names += [
        "square", "relu", "logical_not", "bitwise_not", "isnan", "isfinite", "angle", "real", "conj",
        "lgamma", "frac", "positive", "expm1",
    ]  # fmt: skip
    return {n: over(torch, USUAL, getattr(torch, n)) for n in names}


@case
def dtype_of_reductions_on_each_dtype(torch):
    names = [
        "sum", "prod", "mean", "std", "var", "amax", "amin", "max", "min", "argmax", "all", "any",
        "logsumexp", "nansum", "count_nonzero", "median", "norm",
    ]  # fmt: skip
    fns = {n: getattr(torch, n) for n in names}
    fns["logsumexp"] = lambda t: torch.logsumexp(t, 0)
    fns["cumsum"] = lambda t: torch.cumsum(t, 0)
    fns["cumprod"] = lambda t: torch.cumprod(t, 0)
    fns["softmax"] = lambda t: torch.softmax(t, 0)
    fns["sort"] = lambda t: torch.sort(t)[0]
    fns["unique"] = torch.unique
    return {n: over(torch, USUAL, f) for n, f in fns.items()}


@case
def dtype_of_matmul_family(torch):
    fns = {
        "dot": lambda t: torch.dot(t, t),
        "matmul": lambda t: t.reshape(1, 2) @ t,
        "mm": lambda t: torch.mm(t.reshape(1, 2), t.reshape(2, 1)),
        "einsum": lambda t: torch.einsum("i,j->ij", t, t),
        "outer": lambda t: torch.outer(t, t),
    }
    names = [n for n in USUAL if n != "bool"]
    return {n: over(torch, names, f) for n, f in fns.items()}


@case
def sum_with_dtype_argument(torch):
    t = torch.tensor([200, 100], dtype=torch.uint8)
    b = torch.tensor([True, True])
    return [
        see(torch, t.sum()),
        see(torch, t.sum(dtype=torch.float32)),
        see(torch, t.sum(dtype=torch.uint8)),
        see(torch, b.sum()),
        see(torch, b.prod()),
        see(torch, t.mean(dtype=torch.float64)),
        see(torch, t.cumsum(0)),
        see(torch, torch.tensor([1.5, 2.5]).sum(dtype=torch.int64)),
    ]


@case
def mean_of_integers_is_an_error(torch):
    return [brief(lambda: torch.arange(3).mean()), brief(lambda: torch.tensor([True]).mean())]


@case
def std_and_softmax_of_integers_are_errors(torch):
    return [
        brief(lambda: torch.arange(3).std()),
        brief(lambda: torch.arange(3).softmax(0)),
        brief(lambda: torch.arange(3).norm()),
        brief(lambda: torch.ones(2, 2, dtype=torch.int64).inverse()),
    ]


@case
def matmul_of_mixed_dtypes_is_an_error(torch):
    a, b = torch.ones(2, 2), torch.ones(2, 2, dtype=torch.float64)
    return {
        "mm": brief(lambda: torch.mm(a, b)),
        "matmul": brief(lambda: a @ b),
        "dot": brief(lambda: torch.dot(a[0], b[0])),
        "mv": brief(lambda: a @ b[0]),
        "int": brief(lambda: a @ b.long()),
        "linear": brief(lambda: torch.nn.functional.linear(a, b)),
    }


@case
def inplace_op_cannot_change_category(torch):
    i, b, f = torch.tensor([1]), torch.tensor([True]), torch.tensor([1.0])
    return {
        "int_add_float": brief(lambda: i.add_(1.5)),
        "int_iadd_float_tensor": brief(lambda: i.__iadd__(f)),
        "bool_add_int": brief(lambda: b.add_(1)),
        "int_div": brief(lambda: i.div_(2)),
        "float_mul_complex": brief(lambda: f.mul_(1j)),
        "float_add_double": see(torch, f.add_(torch.tensor([1.0], dtype=torch.float64))),
        "int8_add_int64": see(torch, torch.tensor([1], dtype=torch.int8).add_(torch.tensor([300]))),
        "out": brief(lambda: torch.add(i, 1.5, out=i)),
    }


@case
def zero_dim_tensor_does_not_widen_within_a_category(torch):
    f32, i32 = torch.ones(2), torch.ones(2, dtype=torch.int32)
    return [
        str((f32 * torch.tensor(2.0, dtype=torch.float64)).dtype),
        str((i32 * torch.tensor(2)).dtype),
        str((i32 * torch.tensor(2.0, dtype=torch.float64)).dtype),
        str((i32 * 2.0).dtype),
        str((torch.tensor(1, dtype=torch.int32) * torch.tensor(2)).dtype),
        str((torch.ones(1) * torch.tensor(2.0, dtype=torch.float64)).dtype),
        str((f32.half() * 2.0).dtype),
        str((f32.half() * torch.tensor(2.0)).dtype),
        str((f32.half() + f32.bfloat16()).dtype),
        str((torch.tensor([True]) + 1).dtype),
        str((torch.ones(2, dtype=torch.uint8) + 300).dtype),
    ]


@case
def python_scalar_out_of_range_wraps(torch):
    return {
        "uint8_add_300": brief(lambda: (torch.ones(1, dtype=torch.uint8) + 300).tolist()),
        "int8_mul_200": brief(lambda: (torch.ones(1, dtype=torch.int8) * 200).tolist()),
        "uint8_sub": (torch.zeros(1, dtype=torch.uint8) - 1).tolist(),
        "uint8_eq_300": brief(lambda: (torch.tensor([44], dtype=torch.uint8) == 300).tolist()),
        "uint8_lt_negative": brief(lambda: (torch.tensor([44], dtype=torch.uint8) < -1).tolist()),
        "fill_": brief(lambda: torch.zeros(1, dtype=torch.uint8).fill_(300)),
        "full": brief(lambda: torch.full((1,), 300, dtype=torch.uint8)),
    }


@case
def where_promotes(torch):
    c = torch.tensor([True, False])
    return [
        see(torch, torch.where(c, torch.tensor([1, 2]), torch.tensor([0.5, 1.5]))),
        see(torch, torch.where(c, 1, 2.0)),
        see(torch, torch.where(c, torch.tensor([1, 2], dtype=torch.int32), 5)),
        see(torch, torch.where(c, torch.tensor([1.0, 2.0], dtype=torch.float16), 0.0)),
    ]


@case
def cat_and_stack_promote(torch):
    a, b = torch.tensor([1], dtype=torch.int32), torch.tensor([2.5], dtype=torch.float64)
    return [see(torch, torch.cat([a, b])), see(torch, torch.stack([a, a.bool()])), see(torch, torch.cat([a, a.long()]))]


# ---- arithmetic of integers and bools ---------------------------------------------------------------------------


@case
def integer_floor_division_and_remainder_of_negatives(torch):
    a = torch.tensor([7, -7, 7, -7, 6, -6])
    b = torch.tensor([2, 2, -2, -2, 3, 3])
    return {
        "floordiv": (a // b).tolist(),
        "mod": (a % b).tolist(),
        "fmod": torch.fmod(a, b).tolist(),
        "trunc": torch.div(a, b, rounding_mode="trunc").tolist(),
        "floor": torch.div(a, b, rounding_mode="floor").tolist(),
        "truediv": see(torch, a / b),
        "divmod": error(lambda: divmod(a, b))["raises"],
        "rfloordiv": (7 // b).tolist(),
        "rmod": (-7 % b).tolist(),
    }


@case
def float_floor_division_and_remainder_of_negatives(torch):
    a = torch.tensor([7.5, -7.5, 7.5, -7.5, 0.0, -0.0])
    b = torch.tensor([2.0, 2.0, -2.0, -2.0, 3.0, 3.0])
    return {
        "floordiv": (a // b).tolist(),
        "mod": (a % b).tolist(),
        "fmod": torch.fmod(a, b).tolist(),
        "trunc": torch.div(a, b, rounding_mode="trunc").tolist(),
        "trunc_int_dtype": str(torch.div(torch.tensor([1]), 2, rounding_mode="trunc").dtype),
    }


@case
def float_division_by_zero(torch):
    a = torch.tensor([1.0, -1.0, 0.0])
    return [(a / 0).tolist(), (a // 0).tolist(), (a % 0).tolist(), (1 / torch.tensor([0.0, -0.0])).tolist()]


@case
def integer_division_by_zero(torch):
    a = torch.tensor([1, 2])
    return {
        "floordiv": brief(lambda: a // 0),
        "floordiv_tensor": brief(lambda: a // torch.tensor([0, 1])),
        "mod": brief(lambda: a % 0),
        "fmod": brief(lambda: torch.fmod(a, 0)),
        "trunc": brief(lambda: torch.div(a, 0, rounding_mode="trunc")),
        "truediv": see(torch, a / 0),
        "reciprocal": see(torch, torch.tensor([0, 2]).reciprocal()),
    }


@case
def div_rounding_mode_error(torch):
    return brief(lambda: torch.div(torch.tensor([1.0]), 2, rounding_mode="up"))


@case
def integer_overflow_wraps(torch):
    return {
        "int8": (torch.tensor([127], dtype=torch.int8) + 1).tolist(),
        "uint8": (torch.tensor([255], dtype=torch.uint8) + torch.tensor([2], dtype=torch.uint8)).tolist(),
        "int64": (torch.tensor([2**63 - 1]) + 1).tolist(),
        "neg_min": (-torch.tensor([-128], dtype=torch.int8)).tolist(),
        "neg_uint8": (-torch.tensor([1], dtype=torch.uint8)).tolist(),
        "abs_min": torch.tensor([-128], dtype=torch.int8).abs().tolist(),
        "mul": (torch.tensor([100], dtype=torch.int8) * torch.tensor([3], dtype=torch.int8)).tolist(),
        "pow": (torch.tensor([10], dtype=torch.int8) ** 3).tolist(),
        "cast": torch.tensor([300, -1]).to(torch.uint8).tolist(),
        "cast_int8": torch.tensor([200, 300]).to(torch.int8).tolist(),
        "sum_int8_is_int64": see(torch, torch.tensor([127, 127], dtype=torch.int8).sum()),
    }


@case
def integer_powers(torch):
    a = torch.tensor([2, -3, 0])
    return {
        "square": see(torch, a**2),
        "zero": see(torch, a**0),
        "float": see(torch, a**0.5),
        "negative": brief(lambda: a**-1),
        "tensor_negative": brief(lambda: (torch.tensor([1, 2, -1]) ** torch.tensor([-1, -1, -3])).tolist()),
        "rpow": see(torch, 2 ** torch.tensor([0, 1, 5])),
        "rpow_float": see(torch, 2.0 ** torch.tensor([0, 1, 5])),
        "float_exponent_tensor": see(torch, a ** torch.tensor([1.0, 2.0, 0.0])),
    }


@case
def bool_arithmetic(torch):
    t, f = torch.tensor([True, True, False]), torch.tensor([True, False, False])
    return {
        "add": see(torch, t + f),
        "mul": see(torch, t * f),
        "truediv": see(torch, t / t),
        "add_int": see(torch, t + 1),
        "add_float": see(torch, t + 0.5),
        "and": see(torch, t & f),
        "or": see(torch, t | f),
        "xor": see(torch, t ^ f),
        "invert": see(torch, ~t),
        "sum": see(torch, t.sum()),
        "max": see(torch, t.max()),
        "eq": see(torch, t == f),
        "lt": see(torch, f < t),
        "cumsum": see(torch, t.cumsum(0)),
        "abs_of_bool": brief(lambda: t.abs().tolist()),
    }


@case
def bool_subtraction_and_negation_errors(torch):
    b = torch.tensor([True])
    return {
        "tensors": brief(lambda: b - b),
        "int_tensor_minus_bool": brief(lambda: torch.tensor([3]) - b),
        "bool_minus_int": brief(lambda: (b - 1).tolist()),
        "one_minus_bool": brief(lambda: 1 - b),
        "minus_python_bool": brief(lambda: b - True),
        "float_minus_bool": brief(lambda: torch.tensor([1.0]) - b),
        "negation": brief(lambda: -b),
        "floordiv": brief(lambda: b // b),
        "mod": brief(lambda: b % b),
        "pow": brief(lambda: (b**b).tolist()),
        "shift": brief(lambda: b << 1),
        "pos": brief(lambda: +b),
    }


@case
def bitwise_and_shifts(torch):
    a, b = torch.tensor([12, -5, 255]), torch.tensor([10, 3, 1])
    return {
        "and": (a & b).tolist(),
        "or": (a | b).tolist(),
        "xor": (a ^ b).tolist(),
        "invert": (~a).tolist(),
        "lshift": (a << 2).tolist(),
        "rshift": (a >> 1).tolist(),
        "lshift_tensor": (b << torch.tensor([1, 2, 3])).tolist(),
        "rand": (7 & a).tolist(),
        "ror": (1 | a).tolist(),
        "rxor": (1 ^ a).tolist(),
        "rlshift": (1 << b).tolist(),
        "rrshift": see(torch, 1024 >> b),
        "uint8_invert": (~torch.tensor([1], dtype=torch.uint8)).tolist(),
        "mixed": see(torch, torch.tensor([1], dtype=torch.int8) & torch.tensor([3])),
        "iand": see(torch, a.clone().__iand__(4)),
        "ilshift": see(torch, b.clone().__ilshift__(1)),
    }


@case
def bitwise_of_floats_are_errors(torch):
    f = torch.tensor([1.0])
    return {
        "and": brief(lambda: f & f),
        "or": brief(lambda: f | 1),
        "xor": brief(lambda: f ^ f),
        "invert": brief(lambda: ~f),
        "lshift": brief(lambda: f << 1),
    }


@case
def comparisons_of_mixed_dtypes(torch):
    return [
        (torch.tensor([1, 2]) == torch.tensor([1.0, 2.5])).tolist(),
        (torch.tensor([True]) == 1).tolist(),
        (torch.tensor([1, 2]) < 1.5).tolist(),
        (torch.tensor([2**53 + 1]) == float(2**53)).tolist(),
        (torch.tensor([0.1]) == 0.1).tolist(),
        (torch.tensor([0.1], dtype=torch.float64) == 0.1).tolist(),
        (torch.tensor([1], dtype=torch.uint8) > torch.tensor([-1])).tolist(),
        brief(lambda: torch.tensor([1j]) < torch.tensor([1j])),
        (torch.tensor([1j]) == 1j).tolist(),
    ]


@case
def comparison_with_foreign_objects(torch):
    t = torch.tensor([1.0])
    return [t == None, t != None, t == "a", t != "a", t == [1.0], error(lambda: t < "a")["raises"]]  # noqa: E711


@case
def float_to_int_conversion_truncates(torch):
    return torch.tensor([1.9, -1.9, 0.5, -0.5, 2.5]).to(torch.int32).tolist()


@case
def float_to_bool_conversion(torch):
    return torch.tensor([0.0, -0.0, 0.1, float("nan"), -3.0]).to(torch.bool).tolist()


@case
def complex_to_real_conversion_warns(torch):
    import warnings

    z = torch.tensor([1 + 2j])
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        return see(torch, z.to(torch.float32))


@case
def half_precision_arithmetic_rounds(torch):
    h = torch.tensor([2048.0], dtype=torch.float16)
    b = torch.tensor([256.0], dtype=torch.bfloat16)
    return [
        (h + 1).tolist(),
        (h * 32).tolist(),
        see(torch, b + 1),
        see(torch, torch.tensor([0.1, 0.2, 0.3], dtype=torch.float16).sum()),
        see(torch, torch.tensor([1 / 3], dtype=torch.bfloat16)),
        see(torch, torch.ones(3000, dtype=torch.float16).sum()),
        see(torch, torch.full((3,), 60000.0, dtype=torch.float16).sum()),
    ]


@case
def round_half_to_even_and_decimals(torch):
    x = torch.tensor([0.5, 1.5, 2.5, -0.5, -1.5])
    return [x.round().tolist(), torch.tensor([1.2345]).round(decimals=2).tolist(), (torch.tensor([7]).round()).tolist()]


@case
def complex_attributes_and_views(torch):
    z = torch.tensor([1 + 2j, 3 - 4j])
    return {
        "real": see(torch, z.real),
        "imag": see(torch, z.imag),
        "abs": see(torch, z.abs()),
        "conj": see(torch, z.conj()),
        "view_as_real": see(torch, torch.view_as_real(z)),
        "view_as_complex": see(torch, torch.view_as_complex(torch.tensor([[1.0, 2.0]]))),
        "real_of_real": torch.tensor([1.0]).real.tolist(),
        "imag_of_real": brief(lambda: torch.tensor([1.0]).imag),
        "sqrt": see(torch, torch.tensor([-1 + 0j]).sqrt()),
        "conj_of_real_is_self": (r := torch.ones(1)).conj() is r,
    }


@case
def complex_real_is_a_writable_view(torch):
    z = torch.tensor([1 + 2j, 3 - 4j])
    z.real.zero_()
    z.imag[0] = 9
    return see(torch, z)


@case
def wide_unsigned_integers_have_few_ops(torch):
    t = torch.tensor([1, 65535], dtype=torch.uint16)
    return {
        "values": see(torch, t),
        "to_int": see(torch, t.to(torch.int32)),
        "uint64_max": torch.tensor([2**63 - 1], dtype=torch.uint64).tolist(),
        "add_int64_tensor": brief(lambda: t + torch.tensor([1])),
        "view_as_int16": see(torch, t.view(torch.int16)),
        "eq": (t == t).tolist(),
        "index": see(torch, t[1]),
    }


# ---- devices ----------------------------------------------------------------------------------------------------


@case
def device_objects(torch):
    out = {}
    for s in ("cpu", "cpu:0", "meta", "cuda", "cuda:1"):
        d = torch.device(s)
        out[s] = [str(d), repr(d), d.type, d.index]
    return out


@case
def device_construction_forms(torch):
    return [
        repr(torch.device("cpu", 0)),
        repr(torch.device(type="cpu", index=1)),
        repr(torch.device(torch.device("meta"))),
    ]


@case
def device_equality_and_hash(torch):
    d = torch.device
    return [
        d("cpu") == d("cpu"),
        d("cpu") == d("cpu:0"),
        d("cpu") == "cpu",
        d("cpu") != d("meta"),
        hash(d("cpu")) == hash(d("cpu")),
        len({d("cpu"), d("cpu"), d("meta")}),
        isinstance(torch.ones(1).device, d),
        torch.ones(1).device == d("cpu"),
        torch.ones(1, device="cpu:0").device.index,
    ]


@case
def device_string_errors(torch):
    return {
        "unknown": brief(lambda: torch.device("foo")),
        "negative": brief(lambda: torch.device("cpu:-1")),
        "letters": brief(lambda: torch.device("cpu:x")),
        "empty": brief(lambda: torch.device("")),
        "argument": brief(lambda: torch.zeros(1, device="foo")),
        "index_twice": brief(lambda: torch.device("cpu:0", 0)),
        "float": brief(lambda: torch.device(1.5)),
    }


@case
def cuda_is_absent(torch):
    return [
        torch.cuda.is_available(),
        torch.cuda.device_count(),
        torch.backends.mps.is_available(),
        error(lambda: torch.zeros(1, device="cuda"))["raises"],
        torch.ones(1).is_cuda,
        torch.ones(1).is_cpu,
        torch.ones(1).is_meta,
    ]


@case
def device_as_context_manager(torch):
    with torch.device("meta"):
        a = torch.zeros(2)
        b = torch.tensor([1.0])
        c = torch.zeros(2, device="cpu")
        d = torch.nn.Linear(2, 3).weight
        e = torch.arange(3)
    return [kind(a), kind(b), kind(c), kind(d), kind(e), kind(torch.zeros(1))]


@case
def device_context_does_not_move_results(torch):
    x = torch.ones(2)
    with torch.device("meta"):
        return [kind(x + 1), kind(torch.zeros_like(x)), kind(x.new_zeros(1)), kind(torch.from_numpy(np.zeros(1)))]


@case
def default_device_set_and_get(torch):
    try:
        torch.set_default_device("meta")
        inside = [str(torch.get_default_device()), kind(torch.zeros(1))]
    finally:
        torch.set_default_device(None)
    return [inside, str(torch.get_default_device()), kind(torch.zeros(1))]


@case
def meta_tensors_propagate_shape_and_dtype(torch):
    a = torch.ones(2, 3, device="meta")
    i = torch.ones(2, 3, dtype=torch.int64, device="meta")
    return {
        "add": kind(a + 1),
        "broadcast": kind(a + torch.ones(4, 1, 1, device="meta")),
        "matmul": kind(a @ torch.ones(3, 5, device="meta")),
        "promote": kind(a.double() * i),
        "div_int": kind(i / i),
        "sum": kind(a.sum(0)),
        "mean": kind(a.mean()),
        "transpose": [kind(a.t()), a.t().stride()],
        "reshape": kind(a.reshape(-1)),
        "cat": kind(torch.cat([a, a])),
        "index": kind(a[0, 1:]),
        "softmax": kind(a.softmax(-1)),
        "compare": kind(a > 0),
        "argmax": kind(a.argmax(1)),
        "linear": kind(torch.nn.functional.linear(a, torch.ones(4, 3, device="meta"))),
        "relu": kind(torch.relu(a)),
        "like": kind(torch.zeros_like(a)),
        "cpu_scalar": kind(a * torch.tensor(2.0)),
        "inplace": kind(a.add_(1)),
    }


@case
def meta_tensor_shape_errors(torch):
    a = torch.ones(2, 3, device="meta")
    return [
        error(lambda: a + torch.ones(4, device="meta"))["raises"],
        brief(lambda: a.reshape(4)),
        brief(lambda: a[5]),
    ]


@case
def meta_tensor_autograd(torch):
    a = torch.ones(2, 3, device="meta", requires_grad=True)
    y = (a * 2).sum()
    y.backward()
    return [kind(a.grad), str(type(y.grad_fn).__name__)]


@case
def meta_tensors_have_no_data(torch):
    a = torch.ones(2, 3, device="meta")
    return {
        "item": brief(lambda: a.sum().item()),
        "item_many": brief(lambda: a.item()),
        "bool": brief(lambda: bool(a.sum())),
        "to_cpu": brief(lambda: a.to("cpu")),
        "cpu": brief(lambda: a.cpu()),
        "tolist": brief(lambda: a.tolist()),
        "numpy": brief(lambda: a.numpy()),
        "mixed": error(lambda: a + torch.ones(3))["raises"],
        "data_ptr": a.data_ptr(),
        "to_meta": kind(torch.ones(2).to("meta")),
        "same": a.to("meta") is a,
    }


@case
def meta_tensor_repr(torch):
    return [
        repr(torch.ones(2, 3, device="meta")),
        repr(torch.ones(2, dtype=torch.int64, device="meta")),
        repr(torch.ones(2, dtype=torch.float64, device="meta", requires_grad=True)),
        str(torch.ones((), device="meta")),
    ]


# ---- Size, strides, storages ------------------------------------------------------------------------------------


@case
def size_is_a_tuple(torch):
    s = torch.ones(2, 3, 4).shape
    return {
        "repr": repr(s),
        "str": str(s),
        "empty": repr(torch.Size([])),
        "one": repr(torch.Size((1,))),
        "is_tuple": isinstance(s, tuple),
        "equal_tuple": s == (2, 3, 4),
        "equal_list": s == [2, 3, 4],
        "numel": s.numel(),
        "numel_empty": torch.Size([]).numel(),
        "slice": [type(s[1:]).__name__, repr(s[1:])],
        "item": [type(s[0]).__name__, s[-1]],
        "add": [type(s + s).__name__, repr(s + (5,))],  # noqa: RUF005
        "radd": [type((5,) + s).__name__, list((5,) + s)],  # noqa: RUF005
        "mul": [type(s * 2).__name__, list(s * 2)],
        "rmul": type(2 * s).__name__,
        "hash": hash(s) == hash((2, 3, 4)),
        "format": f"{s}",
        "in_list": str([s]),
        "in_dict": str({"a": s}),
        "unpack": [*s],
        "index": s.index(3),
        "count": s.count(2),
        "contains": 3 in s,
        "shape_is_size": s == torch.ones(2, 3, 4).size(),
    }


@case
def size_construction_and_errors(torch):
    return {
        "tensor_items": list(torch.Size([torch.tensor(2), 3])),
        "generator": brief(lambda: list(torch.Size(i for i in range(2)))),
        "float": brief(lambda: torch.Size([1.5])),
        "string": brief(lambda: torch.Size(["a"])),
        "int": brief(lambda: torch.Size(3)),
        "add_list": error(lambda: torch.Size([1]) + [2])["raises"],  # noqa: RUF005
    }


@case
def size_survives_pickle_and_copy(torch):
    import copy
    import pickle

    s = torch.Size([2, 3])
    p = pickle.loads(pickle.dumps(s))
    return [type(p).__name__, list(p), type(copy.deepcopy(s)).__name__]


@case
def size_method_forms(torch):
    x = torch.ones(2, 3)
    return [
        list(x.size()),
        x.size(0),
        x.size(-1),
        x.size(dim=1),
        type(x.size(0)).__name__,
        brief(lambda: x.size(2)),
        brief(lambda: x.size(-3)),
        brief(lambda: torch.tensor(1.0).size(0)),
    ]


@case
def tensor_metadata(torch):
    x = torch.ones(2, 3, 4)
    z = torch.tensor(1.0)
    e = torch.ones(0, 3)
    return {
        "full": [x.dim(), x.ndim, x.ndimension(), x.numel(), x.nelement(), torch.numel(x), len(x)],
        "zero_dim": [z.dim(), z.numel(), list(z.shape), z.stride(), z.is_contiguous()],
        "empty": [e.dim(), e.numel(), e.stride(), e.is_contiguous(), len(e)],
        "layout": str(x.layout),
        "is_sparse": x.is_sparse,
        "is_quantized": x.is_quantized,
        "itemsize": x.itemsize,
    }


@case
def strides_of_views(torch):
    x = torch.arange(24).reshape(2, 3, 4)
    views = {
        "x": x,
        "t": x.transpose(0, 2),
        "permute": x.permute(1, 2, 0),
        "select": x[1],
        "select_last": x[..., 2],
        "slice": x[:, 1:],
        "step": x[:, :, ::2],
        "expand": torch.ones(3, 1).expand(2, 3, 4),
        "unsqueeze_0": x.unsqueeze(0),
        "unsqueeze_2": x.unsqueeze(2),
        "unsqueeze_last": x.unsqueeze(-1),
        "squeeze": x[:, :1].squeeze(1),
        "diagonal": x.diagonal(0, 1, 2),
        "view": x.view(6, 4),
        "flatten": x.flatten(),
        "narrow": x.narrow(2, 1, 2),
        "unfold": torch.arange(8).unfold(0, 3, 2),
        "as_strided": x.as_strided((2, 2), (1, 2), 3),
        "one_row": x[:1].transpose(0, 1),
        "unbind": x.unbind(1)[2],
        "chunk": x.chunk(2, 2)[1],
        "movedim": x.movedim(0, -1),
        "real": torch.ones(3, dtype=torch.complex64).imag,
    }
    return {k: [list(v.shape), v.stride(), v.storage_offset(), v.is_contiguous()] for k, v in views.items()}


@case
def stride_method_forms(torch):
    x = torch.ones(2, 3)
    return [x.stride(), x.stride(0), x.stride(-1), type(x.stride()).__name__, brief(lambda: x.stride(2))]


@case
def strides_of_results_follow_inputs(torch):
    x = torch.ones(2, 3, 4).permute(2, 0, 1)
    return {
        "unary": torch.exp(x).stride(),
        "binary_same": (x + x).stride(),
        "scalar": (x * 2).stride(),
        "compare": (x > 0).stride(),
        "clone": x.clone().stride(),
        "to": x.to(torch.float64).stride(),
        "contiguous": x.contiguous().stride(),
        "clone_contiguous": x.clone(memory_format=torch.contiguous_format).stride(),
        "expanded": (torch.ones(3, 1).expand(3, 4) + 1).stride(),
        "sum": x.sum(0).stride(),
        "cat": torch.cat([x, x]).stride(),
        "matmul": (torch.ones(3, 2).t() @ torch.ones(3, 4)).stride(),
        "where": torch.where(x > 0, x, x).stride(),
        "softmax": x.softmax(0).stride(),
    }


@case
def contiguous_returns_self_when_it_is(torch):
    x = torch.ones(2, 3)
    y = x.t()
    return [x.contiguous() is x, y.contiguous() is y, y.is_contiguous(), y.contiguous().is_contiguous()]


@case
def channels_last_memory_format(torch):
    x = torch.ones(2, 3, 4, 5)
    y = x.to(memory_format=torch.channels_last)
    return [
        y.stride(),
        y.is_contiguous(),
        y.is_contiguous(memory_format=torch.channels_last),
        x.contiguous(memory_format=torch.channels_last).stride(),
        (y + 1).stride(),
        str(torch.channels_last),
        str(torch.preserve_format),
    ]


@case
def view_of_incompatible_strides_is_an_error(torch):
    x = torch.ones(2, 3)
    return {
        "view": brief(lambda: x.t().view(6)),
        "wrong_size": brief(lambda: x.view(4)),
        "two_inferred": brief(lambda: x.view(-1, -1)),
        "cannot_infer": brief(lambda: x.view(4, -1)),
        "invalid": brief(lambda: x.view(-2, 3)),
        "reshape": brief(lambda: x.reshape(5)),
        "infer_of_empty": brief(lambda: torch.ones(0).view(-1, 0)),
    }


@case
def view_that_strides_allow(torch):
    x = torch.arange(12).reshape(3, 4).t()
    return [
        see(torch, x.view(2, 2, 3)),
        x.view(2, 2, 3).stride(),
        x.reshape(2, 2, 3).data_ptr() == x.data_ptr(),
        x.reshape(12).data_ptr() == x.data_ptr(),
        torch.arange(6)[::2].view(3, 1).stride(),
    ]


@case
def view_as_other_dtype(torch):
    x = torch.tensor([1.0, 2.0])
    return {
        "int32": see(torch, x.view(torch.int32)),
        "int16": see(torch, x.view(torch.int16)),
        "float64": list(x.view(torch.float64).shape),
        "uint8": list(torch.ones(2, 3).view(torch.uint8).shape),
        "odd": brief(lambda: torch.ones(3).view(torch.float64)),
        "not_last_contiguous": brief(lambda: torch.ones(2, 4).t().view(torch.float64)),
        "same_dtype_is_new": x.view(torch.float32) is x,
        "zero_dim": brief(lambda: torch.tensor(1.0).view(torch.int16)),
    }


@case
def data_ptr_tells_views(torch):
    x = torch.arange(6.0)
    return [
        x[0:].data_ptr() == x.data_ptr(),
        x[2:].data_ptr() - x.data_ptr(),
        x.view(2, 3).data_ptr() == x.data_ptr(),
        x.clone().data_ptr() == x.data_ptr(),
        x.detach().data_ptr() == x.data_ptr(),
        x.data.data_ptr() == x.data_ptr(),
        x.to(torch.float32).data_ptr() == x.data_ptr(),
        torch.empty(0).data_ptr(),
        x.numpy().ctypes.data == x.data_ptr(),
    ]


@case
def untyped_storage_is_shared_by_views(torch):
    x = torch.arange(6.0)
    y = x[2:4]
    return [
        y.untyped_storage().data_ptr() == x.untyped_storage().data_ptr(),
        y.untyped_storage().size(),
        y.untyped_storage().nbytes(),
        len(y.untyped_storage()),
        y.storage_offset(),
        x.clone().untyped_storage().data_ptr() == x.untyped_storage().data_ptr(),
        torch.ones(1).expand(5).untyped_storage().nbytes(),
    ]


@case
def is_set_to_and_is_same_size(torch):
    x = torch.ones(3)
    return [x.is_set_to(x), x.is_set_to(x.view(3)), x.is_set_to(x.clone()), x.is_same_size(torch.zeros(3))]


@case
def as_strided_forms(torch):
    x = torch.arange(9)
    y = x.as_strided((3,), (4,))
    y[0] = 100
    return [
        see(torch, y),
        x[0].item(),
        see(torch, torch.as_strided(torch.arange(4), (2, 3), (1, 1))),
        brief(lambda: x.as_strided((4, 4), (4, 1))),
        brief(lambda: x.as_strided((2,), (-1,))),
    ]


@case
def set_and_resize(torch):
    x, y = torch.zeros(2), torch.tensor([1.0, 2.0, 3.0])
    r = x.set_(y)
    y[0] = 9
    z = torch.arange(4).resize_(2)
    return [r is x, see(torch, x), see(torch, z), list(torch.zeros(2).resize_(3, 2).shape)]


@case
def python_numbers_as_arguments_of_integer_ops(torch):
    i = torch.tensor([1, 2])
    return {
        "clamp_float": see(torch, i.clamp(min=1.5)),
        "add_alpha": see(torch, torch.add(i, i, alpha=2)),
        "add_alpha_float_error": brief(lambda: torch.add(i, i, alpha=1.5)),
        "add_bool_alpha": brief(lambda: torch.add(i, i, alpha=True).tolist()),
        "lerp_int_error": brief(lambda: torch.lerp(i, i, 0.5)),
        "addcmul": see(torch, torch.addcmul(i, i, i, value=2)),
        "mul_numpy_scalar": see(torch, i * np.float64(1.5)),
        "masked_fill_float": brief(lambda: i.masked_fill(i > 1, 1.5).tolist()),
    }


@case
def quotients_and_neighbours_are_rounded_to_half_precision(torch):
    seen = []
    for d in (torch.float16, torch.bfloat16):
        a = torch.tensor([0.95654296875, -33.0625, 41.25, -20016.0, 85.5, 78.0, 77.5, -68.5, -0.57, 0.0, 7.0], dtype=d)
        b = torch.tensor([0.0013, -6.6133, -0.1919, 232.75, 1.296875, -8.6875, 0.3574, -0.836, 3e-4, 2.0, 0.0], dtype=d)
        for mode in ("floor", "trunc"):
            seen += [torch.div(a, b, rounding_mode=mode), a.clone().div_(b, rounding_mode=mode)]
            seen += [torch.func.vmap(lambda x, y, mode=mode: torch.div(x, y, rounding_mode=mode))(a, b)]
        x = torch.tensor([1.0, 0.0, 0.0, -1.0, float("inf"), float("nan"), 2.0, 65504.0, 3.0], dtype=d)
        y = torch.tensor([2.0, 1.0, -1.0, -5.0, 0.0, 1.0, 2.0, float("inf"), -float("inf")], dtype=d)
        seen += [a // b, 7 // b, torch.nextafter(x, y), torch.nextafter(x, y[0]), torch.nextafter(x[0], y[0])]
        seen += [x.clone().nextafter_(y), torch.nextafter(x.view(3, 3).t(), y[:3])]
    return see(torch, seen)
