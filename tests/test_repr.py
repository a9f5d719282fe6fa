"""Printing: directly, and where PyTorch is installed by fuzzing against it, character by character."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from facula import _printing
from facula._printing import format_tensor, format_wrapper, get_printoptions, printoptions, set_printoptions


@pytest.fixture(autouse=True)
def default_options() -> Iterator[None]:
    yield
    set_printoptions(profile="default")


def text(values: Any, dtype: str = "float32", **kwargs: Any) -> str:
    return format_tensor(np.array(values, dtype), dtype=f"torch.{dtype}", **kwargs)


# ---------------------------------------------------------------------------------------------------- without PyTorch


@pytest.mark.parametrize(
    ("values", "dtype", "expected"),
    [
        ([1, 2, 3], "float32", "tensor([1., 2., 3.])"),
        ([0.5, -22], "float32", "tensor([  0.5000, -22.0000])"),
        ([1, 1e9], "float32", "tensor([1.0000e+00, 1.0000e+09])"),
        ([0.5, math.nan, -math.inf], "float32", "tensor([0.5000,    nan,   -inf])"),
        ([-0.0, 1], "float32", "tensor([-0., 1.])"),
        ([1.5], "float64", "tensor([1.5000], dtype=torch.float64)"),
        ([1, -200], "int64", "tensor([   1, -200])"),
        ([1], "int32", "tensor([1], dtype=torch.int32)"),
        ([True, False], "bool", "tensor([ True, False])"),
        ([1 + 2j, -3.5 - 1j], "complex64", "tensor([ 1.0000+2.j, -3.5000-1.j])"),
        (3, "int64", "tensor(3)"),
        (-0.0, "float32", "tensor(-0.)"),
        ([], "float32", "tensor([])"),
        ([], "int64", "tensor([], dtype=torch.int64)"),
        ([[], []], "bool", "tensor([], size=(2, 0), dtype=torch.bool)"),
        ([[1, 2], [3, 4]], "int64", "tensor([[1, 2],\n        [3, 4]])"),
    ],
)
def test_values(values: Any, dtype: str, expected: str) -> None:
    assert text(values, dtype) == expected


def test_bfloat16() -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    array = np.array([0.1, 2], ml_dtypes.bfloat16)
    assert format_tensor(array, dtype="torch.bfloat16") == "tensor([0.1001, 2.0000], dtype=torch.bfloat16)"


def test_the_default_dtype_goes_without_saying() -> None:
    assert text([1.5], "float64", default_dtype="torch.float64") == "tensor([1.5000])"
    assert text([1.5], "float32", default_dtype="torch.float64") == "tensor([1.5000], dtype=torch.float32)"
    assert text([1j], "complex64", default_dtype="torch.float64") == "tensor([0.+1.j], dtype=torch.complex64)"
    assert text([1j], "complex128", default_dtype="torch.float64") == "tensor([0.+1.j])"


def test_meta_shows_its_shape() -> None:
    expected = "tensor(..., device='meta', size=(2, 3), dtype=torch.int64, grad_fn=<X>)"
    assert format_tensor(None, shape=(2, 3), device="meta", dtype="torch.int64", suffixes=["grad_fn=<X>"]) == expected
    with pytest.raises(ValueError, match="shape"):
        format_tensor(None, dtype="torch.int64")


def test_suffixes_and_name() -> None:
    assert text([1], suffixes=["requires_grad=True"]) == "tensor([1.], requires_grad=True)"
    assert text([[1], [2]], name="Mass") == "Mass([[1.],\n      [2.]])"
    assert text([1], "int32", contents="HELLO") == "tensor(HELLO, dtype=torch.int32)"


def test_suffix_that_does_not_fit_goes_below() -> None:
    row = "tensor([0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000"
    assert text([0.5] * 7, suffixes=["grad_fn=<Mul>"]) == row + "], grad_fn=<Mul>)"
    assert text([0.5] * 8, suffixes=["grad_fn=<Mul>"]) == row + ", 0.5000],\n       grad_fn=<Mul>)"


def test_wrapper_indents_what_it_wraps() -> None:
    inner = text([[[1]], [[2]]])
    expected = "Batched(lvl=1, bdim=0, value=\n    tensor([[[1.]],\n\n            [[2.]]])\n)"
    assert format_wrapper("Batched", inner, lvl=1, bdim=0) == expected


def test_a_large_array_is_summarised_without_reading_it_all() -> None:
    array = np.broadcast_to(np.arange(7.0, dtype=np.float32), (10**6, 10**4, 7))
    start = time.perf_counter()
    shown = format_tensor(array, dtype="torch.float32")
    assert time.perf_counter() - start < 1  # there is no reading 7e10 values in a second
    assert shown.startswith("tensor([[[0., 1., 2.,  ..., 4., 5., 6.],")
    assert len(shown.split("\n")) == 6 * 7 + 1 + 6  # rows, the gap between blocks, blank lines


def test_the_threshold_itself_is_shown_in_full() -> None:
    assert "..." not in text(range(1000), "int64")
    assert text(range(1001), "int64") == "tensor([   0,    1,    2,  ...,  998,  999, 1000])"


def test_a_summary_may_have_many_dimensions() -> None:
    array = np.arange(2000).reshape((1,) * 20 + (2000,) + (1,) * 20)
    assert "..." in format_tensor(array, dtype="torch.int64")


def test_options() -> None:
    default = {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80, "sci_mode": None}
    assert get_printoptions() == default
    set_printoptions(profile="short", linewidth=40)
    assert get_printoptions() == default | {"precision": 2, "edgeitems": 2, "linewidth": 40}
    set_printoptions(profile="full")
    assert get_printoptions() == default | {"threshold": math.inf}
    set_printoptions(sci_mode=True)
    assert text([1.5]) == "tensor([1.5000e+00])"
    set_printoptions(precision=2)
    assert text([1.5]) == "tensor([1.50])"


def test_options_for_a_block() -> None:
    before = get_printoptions()
    with pytest.raises(ZeroDivisionError), printoptions(precision=1, edgeitems=1, threshold=3):
        assert text([0.5, 1, 2, 3]) == "tensor([0.5,  ..., 3.0])"
        1 / 0
    assert get_printoptions() == before
    with pytest.raises(TypeError, match="colour"), printoptions(colour=True):
        pass
    assert get_printoptions() == before


# --------------------------------------------------------------------------------------------------- against PyTorch

INT_RANGES = {
    "uint8": (0, 255),
    "int8": (-128, 127),
    "int16": (-(2**15), 2**15 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint16": (0, 2**16 - 1),
    "uint32": (0, 2**32 - 1),
    "uint64": (0, 2**64 - 1),
}
FLOATS = ["float16", "bfloat16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
SPECIAL = [0.0, -0.0, math.nan, math.inf, -math.inf, 1.0, -1.0, 0.5, 1e-4, 1000.0, 1001.0, 1e8, 1.5e8]


@st.composite
def numbers(draw: st.DrawFn, dtype: str) -> st.SearchStrategy[Any]:
    """A strategy for the numbers of one tensor: it fixes the magnitudes, and whether they are whole."""
    if dtype == "bool":
        return st.booleans()
    if dtype in INT_RANGES:
        low, high = INT_RANGES[dtype]
        bound = 10 ** draw(st.integers(0, 20))
        return st.integers(max(low, -bound), min(high, bound))
    lowest = draw(st.integers(-12, 12))
    exponents = st.floats(lowest, min(12, lowest + draw(st.sampled_from([0, 1, 3, 4, 24]))))
    plain = st.builds(lambda exponent, sign: sign * 10**exponent, exponents, st.sampled_from([1.0, -1.0]))
    if draw(st.booleans()):
        plain = plain.map(lambda value: float(round(value)))
    parts = st.one_of(plain, plain, st.sampled_from(SPECIAL)) if draw(st.booleans()) else plain
    return st.builds(complex, parts, parts) if dtype in COMPLEX else parts


@st.composite
def tensors(draw: st.DrawFn) -> tuple[list[Any], list[int], str]:
    """Values, shape and dtype of a tensor, with few distinct values where it is large."""
    dtype = draw(st.sampled_from(["bool", *INT_RANGES, *FLOATS, *COMPLEX]))
    shape = draw(st.lists(st.sampled_from([0, 1, 2, 3, 7, 8, 20]), max_size=4).filter(lambda s: math.prod(s) <= 3000))
    values = draw(st.lists(draw(numbers(dtype)), min_size=1, max_size=40))
    count = math.prod(shape)
    return (values * (count // len(values) + 1))[:count], shape, dtype


OPTIONS: Any = st.one_of(
    st.just({}),
    st.fixed_dictionaries({"profile": st.sampled_from(["default", "short", "full"])}),
    st.fixed_dictionaries(
        {},
        optional={
            "precision": st.integers(0, 8),
            "threshold": st.integers(0, 60),
            "edgeitems": st.integers(0, 4),
            "linewidth": st.integers(1, 140),
            "sci_mode": st.sampled_from([True, False, None]),
        },
    ),
)


@pytest.fixture(scope="module")
def torch() -> Any:
    return pytest.importorskip("torch")


def as_array(torch: Any, tensor: Any) -> np.ndarray:
    if tensor.dtype == torch.bfloat16:
        ml_dtypes = pytest.importorskip("ml_dtypes")
        return tensor.to(torch.float32).numpy().astype(ml_dtypes.bfloat16)
    return tensor.numpy()


@settings(max_examples=1500, deadline=None, derandomize=True)
@given(spec=tensors(), options=OPTIONS, default=st.sampled_from(["float32", "float64"]), grad=st.booleans())
def test_prints_as_pytorch_does(torch: Any, spec: Any, options: dict[str, Any], default: str, grad: bool) -> None:
    values, shape, dtype = spec
    tensor = torch.tensor(values, dtype=getattr(torch, dtype)).reshape(shape)
    array = as_array(torch, tensor)
    suffixes = []
    if grad and dtype in [*FLOATS, *COMPLEX]:
        tensor.requires_grad_()
        suffixes.append("requires_grad=True")

    before = torch.get_default_dtype()
    torch.set_default_dtype(getattr(torch, default))
    try:
        with torch._tensor_str.printoptions(**options), printoptions(**options):
            assert get_printoptions() == torch._tensor_str.get_printoptions()
            expected = repr(tensor)
            actual = format_tensor(array, dtype=f"torch.{dtype}", default_dtype=f"torch.{default}", suffixes=suffixes)
    finally:
        torch.set_default_dtype(before)
    assert actual == expected


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    shape=st.lists(st.integers(0, 3), max_size=3),
    dtype=st.sampled_from(["bool", "int64", *FLOATS, *COMPLEX]),
    linewidth=st.integers(1, 80),
)
def test_meta_prints_as_pytorch_does(torch: Any, shape: list[int], dtype: str, linewidth: int) -> None:
    tensor = torch.zeros(shape, dtype=getattr(torch, dtype), device="meta")
    with torch._tensor_str.printoptions(linewidth=linewidth), printoptions(linewidth=linewidth):
        assert format_tensor(None, shape=shape, device="meta", dtype=f"torch.{dtype}") == repr(tensor)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    name=st.sampled_from(["T", "Tensorial", "ANameThatTakesUpMuchOfTheLine"]),
    values=st.lists(st.floats(-10, 10, width=32), min_size=1, max_size=30),
    columns=st.integers(1, 3),
    linewidth=st.integers(10, 100),
)
def test_subclasses_print_as_in_pytorch(
    torch: Any, name: str, values: list[float], columns: int, linewidth: int
) -> None:
    base = torch.tensor([values] * columns, dtype=torch.float64)
    tensor = base.as_subclass(type(name, (torch.Tensor,), {}))
    with torch._tensor_str.printoptions(linewidth=linewidth), printoptions(linewidth=linewidth):
        assert format_tensor(base.numpy(), dtype="torch.float64", name=name) == repr(tensor)


def test_suffixes_break_where_they_break_in_pytorch(torch: Any) -> None:
    meta = torch.zeros(2, 3, dtype=torch.float64, device="meta", requires_grad=True)
    rows = torch.zeros(2, 3, dtype=torch.float64, requires_grad=True)
    told: dict[str, Any] = {"dtype": "torch.float64", "suffixes": ["requires_grad=True"]}
    for linewidth in range(100):
        with torch._tensor_str.printoptions(linewidth=linewidth), printoptions(linewidth=linewidth):
            assert format_tensor(None, shape=(2, 3), device="meta", **told) == repr(meta)
            assert format_tensor(np.zeros((2, 3)), **told) == repr(rows)


def test_module_exports_what_it_says() -> None:
    assert all(hasattr(_printing, name) for name in _printing.__all__)
