"""How tensors, shapes, dtypes and devices print."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .observe import case, error

INF = float("inf")
NAN = float("nan")

INTS = ["uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]


@contextmanager
def options(torch: Any, **kwargs: Any) -> Iterator[None]:
    """Print options for the length of a block, by the public function alone."""
    torch.set_printoptions(**kwargs)
    try:
        yield
    finally:
        torch.set_printoptions(profile="default")


@contextmanager
def default_dtype(torch: Any, dtype: Any) -> Iterator[None]:
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def reprs(torch: Any, *values: Any) -> list[str]:
    return [repr(torch.tensor(v)) for v in values]


# ------------------------------------------------------------------------------------------------------------ floats


@case
def whole_floats(torch):
    return reprs(torch, [1.0, 2.0, 3.0], [-1.0, 20.0], [[1.0, -2.0], [300.0, 4.0]])


@case
def fractions(torch):
    return reprs(torch, [0.5, 1.25], [-0.5, 1.25], [[0.1, -22.7], [3.14159, 4.0]])


@case
def fractions_round_to_four_digits(torch):
    return reprs(torch, [0.123456, 0.99999], [1.00005, 1.00015], [99.99999, 0.5])


@case
def float32_values_print_as_their_double(torch):
    return reprs(torch, [0.1, 0.2, 0.3], [16777217.0, 0.5], [2.675, 1.005])


@case
def one_half_and_whole(torch):
    return reprs(torch, [0.0, 1.0, 2.5])


@case
def zeros(torch):
    return reprs(torch, [0.0], [0.0, 0.0], [[0.0], [0.0]], 0.0)


@case
def negative_zero(torch):
    return reprs(torch, -0.0, [-0.0], [-0.0, 1.0], [-0.0, 0.5], [0.0, -0.0, -1.0])


@case
def nan_and_infinity(torch):
    return reprs(torch, NAN, INF, -INF, [NAN], [INF, -INF, NAN])


@case
def nan_beside_whole(torch):
    return reprs(torch, [1.0, NAN], [1.0, INF, -INF], [1000.0, NAN, -INF], [0.0, NAN])


@case
def nan_beside_fractions(torch):
    return reprs(torch, [0.5, NAN], [0.5, -INF, INF], [-123.456, NAN])


@case
def nan_beside_scientific(torch):
    return reprs(torch, [1e10, NAN, 0.0, -INF], [1e-7, INF])


# ------------------------------------------------------------------------------------------------ scientific notation


@case
def scientific_when_large(torch):
    return reprs(torch, [1e8], [1e9], [123456789.0], [-1e9, 1e9], [1e8 + 0.5])


@case
def scientific_when_small(torch):
    return reprs(torch, [1e-3], [1e-4], [1.1e-4], [9e-5], [-1e-12])


@case
def scientific_when_small_in_double(torch):
    return [repr(torch.tensor([v], dtype=torch.float64)) for v in (1e-3, 1e-4, 0.99e-4, 1e-300, 5e-324)]


@case
def scientific_when_far_apart(torch):
    return reprs(torch, [1.0, 1000.0], [1.0, 1001.0], [0.1, 100.0], [0.1, 101.0], [0.5, 0.0004])


@case
def scientific_with_signs(torch):
    return reprs(torch, [-1e10, 1.0], [1e10, -1.0], [[1e-9, -2.0], [3e9, 0.0]])


@case
def scientific_with_three_digit_exponents(torch):
    return repr(torch.tensor([1e-300, 1.0, -1e200], dtype=torch.float64))


@case
def scientific_scalars(torch):
    return reprs(torch, 1e-9, 1e9, -1.5e20, 12345.678, 100000000.0)


@case
def zeros_do_not_decide_the_notation(torch):
    return reprs(torch, [0.0, 5000.0], [0.0, 1e8], [0.0, 0.0001234])


# ------------------------------------------------------------------------------------------------------ other dtypes


@case
def every_integer_dtype(torch):
    return [repr(torch.tensor([1, 2, 100], dtype=getattr(torch, name))) for name in INTS]


@case
def every_integer_dtype_scalar(torch):
    return [repr(torch.tensor(7, dtype=getattr(torch, name))) for name in INTS]


@case
def integer_columns(torch):
    return reprs(torch, [1, -200, 30], [[1, 22], [333, 4]], [0], -5)


@case
def integer_extremes(torch):
    values = [torch.iinfo(torch.int64).min, 0, torch.iinfo(torch.int64).max]
    return [repr(torch.tensor(values)), repr(torch.tensor([-128, 127], dtype=torch.int8))]


@case
def booleans(torch):
    return reprs(torch, True, False, [True, True], [True, False], [[False], [True]])


@case
def every_float_dtype(torch):
    return [repr(torch.tensor([0.1, -2.5, 3.0], dtype=getattr(torch, name))) for name in FLOATS]


@case
def every_float_dtype_whole(torch):
    return [repr(torch.tensor([1.0, 20.0], dtype=getattr(torch, name))) for name in FLOATS]


@case
def every_float_dtype_scalar(torch):
    return [repr(torch.tensor(3.14159265, dtype=getattr(torch, name))) for name in FLOATS]


@case
def bfloat16_rounds_visibly(torch):
    return repr(torch.tensor([0.1, 3.14159, 257.0, 1e-6, 1e30], dtype=torch.bfloat16))


@case
def float16_small_and_infinite(torch):
    return repr(torch.tensor([6e-8, 65504.0, 1e6], dtype=torch.float16))


# ----------------------------------------------------------------------------------------------------------- complex


@case
def complex_whole(torch):
    return reprs(torch, [1 + 2j], [1 + 2j, -3 - 4j], 0j, [0j, 0j])


@case
def complex_fractions(torch):
    return reprs(torch, [0.5 + 1.25j, -3.5 - 1j], [1 + 0.5j, 2 - 0.25j])


@case
def complex_parts_have_their_own_notation(torch):
    return reprs(torch, [1e10 + 1j, 1 + 1j], [1 + 2e-7j, -100 - 3j], [0.5 + 3j])


@case
def complex_imaginary_parts_are_not_aligned(torch):
    return reprs(torch, [1 + 100j, -1 - 2j, 10], [0.5 + 100.5j, 0.25 - 1j])


@case
def complex_scalars(torch):
    return reprs(torch, 1 + 2j, complex(-0.5, -100), 1e-9 + 0j, 1j)


@case
def complex_nan_infinity_and_negative_zero(torch):
    return reprs(torch, [complex(NAN, INF), complex(1, -INF), complex(1, -0.0)], complex(-0.0, NAN))


@case
def complex_dtypes(torch):
    return [repr(torch.tensor([1 + 2j], dtype=getattr(torch, name))) for name in COMPLEX]


@case
def complex_wraps_lines(torch):
    return repr(torch.arange(30) * (1 + 1j) / 3)


@case
def complex_matrix(torch):
    return repr(torch.tensor([[1 + 1j, 2.5 - 3j], [0j, -10 + 0.125j]]))


@case
def complex_conjugate(torch):
    return repr(torch.tensor([1 + 2j, 3 - 4j]).conj())


@case
def complex_summarised(torch):
    return repr(torch.arange(2000) * (1 - 1j) / 2)


# ------------------------------------------------------------------------------------------------- shapes and layout


@case
def matrix(torch):
    return repr(torch.arange(12).reshape(3, 4))


@case
def three_dimensions(torch):
    return repr(torch.arange(24).reshape(2, 3, 4))


@case
def four_dimensions(torch):
    return repr(torch.arange(16).reshape(2, 2, 2, 2) / 4)


@case
def single_items_nested(torch):
    return [repr(torch.ones((1,) * n)) for n in range(6)]


@case
def columns_share_a_width_across_the_tensor(torch):
    return repr(torch.tensor([[[1.5, 2.0]], [[1000.0, -3.0]]]))


@case
def long_row_wraps(torch):
    return [repr(torch.arange(40)), repr(torch.arange(40) / 8)]


@case
def long_rows_of_a_matrix_wrap(torch):
    return repr(torch.arange(60).reshape(2, 30) * 100)


@case
def long_row_of_zeros_wraps_late(torch):
    return [repr(torch.zeros(30)), repr(torch.full((30,), NAN))]


@case
def long_row_of_booleans(torch):
    return repr(torch.arange(20) % 3 == 0)


@case
def row_that_just_fits(torch):
    return [repr(torch.arange(float(n)) / 2) for n in (8, 9, 10)]


@case
def strided_and_expanded_views(torch):
    x = torch.arange(6.0).reshape(2, 3)
    return [repr(x.t()), repr(x[:, ::2]), repr(x[0]), repr(torch.tensor([1.0, 2.0]).expand(3, 2))]


# ------------------------------------------------------------------------------------------------------------- empty


@case
def empty(torch):
    return [repr(torch.tensor([])), repr(torch.zeros(0)), repr(torch.zeros(0, 3)), repr(torch.zeros(2, 0, 4))]


@case
def empty_of_every_kind(torch):
    names = [*INTS, *FLOATS, *COMPLEX, "bool"]
    return [repr(torch.zeros(0, dtype=getattr(torch, name))) for name in names]


@case
def empty_with_size_and_dtype(torch):
    return [repr(torch.zeros(0, 3, dtype=torch.int64)), repr(torch.zeros(0, 1, dtype=torch.complex64))]


@case
def empty_requires_grad(torch):
    x = torch.zeros(0, 2, requires_grad=True)
    return [repr(x), repr(x * 2)]


# -------------------------------------------------------------------------------------------------------- summarised


@case
def thousand_items_are_shown_in_full(torch):
    return repr(torch.arange(1000))


@case
def more_than_a_thousand_are_summarised(torch):
    return [repr(torch.arange(1001)), repr(torch.arange(1001.0)), repr(torch.zeros(5000))]


@case
def summarised_matrix(torch):
    return repr(torch.arange(10000).reshape(100, 100))


@case
def summarised_three_dimensions(torch):
    return repr(torch.arange(1000.0).reshape(10, 10, 10).repeat(1, 1, 2))


@case
def only_long_dimensions_are_summarised(torch):
    return [repr(torch.arange(2002).reshape(2, 1, 1001)), repr(torch.arange(1200).reshape(200, 6))]


@case
def seven_items_are_enough_to_leave_one_out(torch):
    return repr(torch.arange(1400).reshape(7, 200))


@case
def hidden_values_do_not_widen_columns(torch):
    x = torch.ones(2000)
    x[1000] = 1e20
    x[1001] = 0.5
    return repr(x)


@case
def summarised_booleans(torch):
    return repr(torch.arange(2000) % 2 == 0)


@case
def summarised_with_suffixes(torch):
    return repr(torch.zeros(40, 40, dtype=torch.float64, requires_grad=True) + 1)


# --------------------------------------------------------------------------------------------------- default dtype


@case
def default_dtype_is_not_printed(torch):
    seen = []
    for name in ("float64", "float16", "bfloat16"):
        with default_dtype(torch, getattr(torch, name)):
            seen.append([repr(torch.tensor([1.5], dtype=getattr(torch, n))) for n in FLOATS])
    return seen


@case
def default_dtype_decides_complex(torch):
    with default_dtype(torch, torch.float64):
        return [repr(torch.tensor([1j], dtype=getattr(torch, name))) for name in COMPLEX]


@case
def default_dtype_of_empty(torch):
    with default_dtype(torch, torch.float64):
        return [repr(torch.zeros(0)), repr(torch.zeros(0, dtype=torch.float32))]


# ---------------------------------------------------------------------------------------------------------- autograd


@case
def requires_grad(torch):
    return [
        repr(torch.tensor([1.0, 2.0], requires_grad=True)),
        repr(torch.tensor(1.5, requires_grad=True)),
        repr(torch.ones(2, 2, requires_grad=True)),
    ]


@case
def grad_fn(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    return [repr(x * 2), repr(x + 1), repr(x.sum()), repr(x.exp()), repr(x.reshape(2, 1))]


@case
def grad_fn_of_an_in_place_operation(torch):
    x = torch.ones(2, requires_grad=True).clone()
    x.mul_(3)
    return repr(x)


@case
def grad_fn_of_a_custom_function(torch):
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    return repr(Double.apply(torch.ones(2, requires_grad=True)))


@case
def detached_prints_no_suffix(torch):
    x = torch.ones(2, requires_grad=True)
    return [repr(x.detach()), repr((x * 2).detach())]


@case
def dtype_and_grad_suffixes(torch):
    x = torch.tensor([0.5], dtype=torch.float64, requires_grad=True)
    return [repr(x), repr(x * x)]


@case
def suffix_wraps_when_the_line_is_full(torch):
    seen = []
    for n in range(4, 10):
        x = torch.full((n,), 0.5, requires_grad=True)
        seen += [repr(x), repr(x * 1)]
    return seen


@case
def suffixes_wrap_one_by_one(torch):
    seen = []
    for linewidth in (20, 35, 36, 55, 56, 60):
        with options(torch, linewidth=linewidth):
            seen.append(repr(torch.tensor([[1.5], [2.5]], dtype=torch.float64, requires_grad=True)))
    return seen


@case
def suffix_after_the_last_row(torch):
    x = torch.arange(24.0, requires_grad=True)
    return [repr(x * 1000), repr((x / 2).reshape(3, 8)), repr((x / 2).reshape(2, 12))]


@case
def parameter(torch):
    p = torch.nn.Parameter(torch.arange(6.0).reshape(2, 3))
    return [repr(p), str(p), repr(torch.nn.Parameter(torch.tensor(1.5)))]


@case
def parameter_without_grad(torch):
    return repr(torch.nn.Parameter(torch.arange(3), requires_grad=False))


@case
def parameter_in_an_expression(torch):
    return repr(torch.nn.Parameter(torch.ones(2)) * 2)


# -------------------------------------------------------------------------------------------------------------- meta


@case
def meta(torch):
    return [repr(torch.zeros(s, device="meta")) for s in ((2, 3), (), (0,), (2000,), (4, 0))]


@case
def meta_dtypes(torch):
    names = ["float64", "int64", "bool", "complex64", "bfloat16"]
    return [repr(torch.zeros(2, 3, device="meta", dtype=getattr(torch, name))) for name in names]


@case
def meta_requires_grad(torch):
    x = torch.zeros(2, 3, device="meta", requires_grad=True)
    return [repr(x), repr(x * 2)]


# -------------------------------------------------------------------------------------------------------- subclasses


@case
def subclass_prints_its_name(torch):
    class Velocity(torch.Tensor):
        pass

    x = torch.arange(4.0).reshape(2, 2)
    return [repr(v.as_subclass(Velocity)) for v in (x, x[0, 0], x[:0], x.to(torch.float64))]


@case
def subclass_indents_by_its_name(torch):
    class V(torch.Tensor):
        pass

    class ARatherLongName(torch.Tensor):
        pass

    x = torch.arange(40).reshape(2, 20)
    return [repr(x.as_subclass(V)), repr(x.as_subclass(ARatherLongName))]


@case
def contents_in_place_of_values(torch):
    return [
        torch.ones(2, requires_grad=True).__repr__(tensor_contents="HELLO"),
        torch.ones(2, dtype=torch.int32).__repr__(tensor_contents="HELLO"),
        torch.zeros(0, 2).__repr__(tensor_contents="HELLO"),
    ]


# ----------------------------------------------------------------------------------------------------------- options


@case
def precision(torch):
    seen = []
    for digits in (0, 1, 2, 8):
        with options(torch, precision=digits):
            seen.append(reprs(torch, [0.5, 1.5, NAN], [1.0, 2.0], [1e-9, 1.0], 3.14159265, [1 + 0.5j]))
    return seen


@case
def threshold_and_edgeitems(torch):
    seen = []
    for threshold, edgeitems in ((5, 1), (5, 2), (0, 1), (100, 3)):
        with options(torch, threshold=threshold, edgeitems=edgeitems):
            seen.append([repr(torch.arange(10)), repr(torch.arange(24).reshape(4, 6)), repr(torch.tensor(1))])
    return seen


@case
def no_edgeitems(torch):
    with options(torch, edgeitems=0, threshold=2):
        return [
            repr(torch.arange(3)),
            repr(torch.ones(2, 2, dtype=torch.float64)),
            repr(torch.ones(2)),
            repr(torch.tensor(1)),
            repr(torch.zeros(2, 0)),
        ]


@case
def linewidth(torch):
    seen = []
    for width in (1, 20, 40, 120):
        with options(torch, linewidth=width):
            seen.append([repr(torch.arange(25)), repr(torch.arange(20.0).reshape(2, 10) / 4)])
    return seen


@case
def sci_mode_on(torch):
    with options(torch, sci_mode=True):
        return reprs(torch, [1.0, 2.5, NAN], [1.0, 2.0], [0.0], 3, 3.0, 3 + 1j, [1, 2])


@case
def sci_mode_off(torch):
    with options(torch, sci_mode=False):
        return reprs(torch, [1e12, 2.5, NAN, 1e-12], [1e12, 1.0], 1e-9, [1e10 + 1e-7j])


@case
def sci_mode_is_forgotten_by_the_next_call(torch):
    with options(torch, sci_mode=True):
        torch.set_printoptions(precision=2)
        return reprs(torch, [1.0, 2.5])


@case
def profiles(torch):
    seen = []
    for profile in ("short", "full", "default"):
        with options(torch, profile=profile):
            seen.append([repr(torch.arange(1001) / 8), repr(torch.tensor([0.123456, 1e-7]))])
    return seen


@case
def profile_with_an_override(torch):
    with options(torch, profile="short", precision=6):
        return [repr(torch.arange(1001) / 8), repr(torch.tensor(0.5))]


@case
def unknown_profile_changes_nothing(torch):
    with options(torch, precision=2):
        torch.set_printoptions(profile="SHORT")
        return [repr(torch.tensor(0.5)), repr(torch.arange(1001))]


@case
def unknown_option(torch):
    return error(lambda: torch.set_printoptions(colour=True))


@case
def bad_precision_is_noticed_when_printing(torch):
    with options(torch, precision=-1):
        return [error(lambda: repr(torch.tensor([1.5]))), repr(torch.tensor([1.0]))]


@case
def options_as_a_context(torch):
    get, context = torch._tensor_str.get_printoptions, torch._tensor_str.printoptions
    seen = [get()]
    with context(precision=2, sci_mode=True):
        seen.append([get(), repr(torch.tensor(0.5))])
        with context(edgeitems=1):
            seen.append(get())
        seen.append(get())
    seen.append(get())
    return seen


# ------------------------------------------------------------------------------------------------- str and formatting


@case
def str_is_repr(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    return [str(x), f"{x}", f"{x!r}", f"{[x]}", f"{ {'a': x} }"]


@case
def formatting_a_scalar_formats_its_number(torch):
    x = torch.tensor(3.14159)
    return [f"{x:.3f}", f"{x:.1e}", f"{x:>10.2f}", f"{torch.tensor(3):5d}", f"{torch.tensor(1 + 2j):.1f}"]


@case
def formatting_a_scalar_without_a_specification(torch):
    values = [torch.tensor(v) for v in (3.14159, 3, True, 1 + 2j)]
    return [[f"{v}", str(v)] for v in values]


@case
def formatting_a_scalar_that_requires_grad(torch):
    x = torch.tensor(2.5, requires_grad=True)
    return [f"{x:.2f}", f"{x * 2:.2f}", f"{x}"]


@case
def formatting_many_values_fails(torch):
    return [
        error(lambda: f"{torch.tensor([1.0]):.3f}"),
        error(lambda: f"{torch.ones(2, 2):.3f}"),
        error(lambda: f"{torch.zeros((), device='meta'):.3f}"),
    ]


@case
def formatting_with_the_wrong_code(torch):
    return [error(lambda: format(torch.tensor(1.5), "d")), error(lambda: format(torch.tensor(3), "s"))]


@case
def formatting_without_a_specification_is_str(torch):
    return [f"{torch.ones(2)}", f"{torch.ones(1)}", f"{torch.zeros((), device='meta')}"]


# ---------------------------------------------------------------------------------------------- what surrounds tensors


@case
def sizes(torch):
    shapes = [torch.Size([2, 3]), torch.Size([]), torch.zeros(4).shape]
    return [[repr(s), str(s)] for s in shapes]


@case
def devices(torch):
    found = [torch.device("cpu"), torch.device("meta"), torch.device("cpu", 0), torch.zeros(1).device]
    return [[repr(d), str(d)] for d in found]


@case
def dtypes(torch):
    names = [*INTS, *FLOATS, *COMPLEX, "bool", "float", "double", "half", "int", "long", "short", "cfloat", "cdouble"]
    return [[repr(getattr(torch, name)), str(getattr(torch, name))] for name in names]


@case
def memory_formats_and_layouts(torch):
    return [repr(torch.strided), repr(torch.contiguous_format), repr(torch.preserve_format), repr(torch.channels_last)]


@case
def finfo(torch):
    return [repr(torch.finfo(getattr(torch, name))) for name in [*FLOATS, *COMPLEX]]


@case
def finfo_str(torch):
    return str(torch.finfo(torch.float32))


@case
def iinfo(torch):
    return [repr(torch.iinfo(getattr(torch, name))) for name in ("uint8", "int8", "int16", "int32", "int64")]


@case
def finfo_of_an_integer(torch):
    return [error(lambda: torch.finfo(torch.int32)), error(lambda: torch.iinfo(torch.float32))]


@case
def tensors_in_containers(torch):
    x = torch.tensor([1.0, 2.0])
    return [repr([x, x[0]]), repr((x,)), repr({"x": x})]


@case
def named_results(torch):
    x = torch.tensor([[1.0, 3.0], [4.0, 2.0]])
    return [repr(torch.max(x, 1)), repr(x.sort()), str(torch.topk(x, 1))]




@case
def options_print_themselves(torch):
    chosen = torch._tensor_str.PRINT_OPTS
    with options(torch, precision=2, sci_mode=True):
        changed = repr(chosen)
    return [changed, repr(chosen), chosen.edgeitems]
