"""What facula computes by itself where SciPy and ml_dtypes are not installed."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from facula.ops.arrays.special import error_and_gamma as own

# Exact values, rounded, computed with 60 digits.
EXACT = {
    "erf": {
        1e-10: 1.1283791670955126e-10, 0.3: 0.3286267594591274, 0.84: 0.7651427114549945, 0.9: 0.7969082124228322,
        1.7: 0.9837904585907745, -2.5: -0.999593047982555, 5.5: 0.9999999999999927,
    },
    "erfc": {
        -3.0: 1.9999779095030015, 0.1: 0.887537083981715, 0.9: 0.20309178757716786, 2.0: 0.004677734981047266,
        7.3: 5.502573750691923e-25, 15.0: 7.212994172451207e-100, 26.0: 5.663192408856143e-296,
    },
    "erfinv": {
        1e-12: 8.86226925452758e-13, 0.1: 0.08885599049425769, -0.397: -0.3677600260909063, 0.5: 0.4769362762044699,
        0.75: 0.8134198475976185, 0.99: 1.8213863677184494, 0.9999999: 3.7665625816384707,
        -0.9999999999999999: -5.8635847487551676,
    },
    "ndtri": {
        1e-40: -13.31092137142517, 1e-05: -4.264890793922825, 0.2: -0.8416212335729142,
        0.5000001: 2.506628273311648e-07, 0.7: 0.5244005127080407, 0.999: 3.090232306167813,
    },
    "erfcx": {
        -5.0: 144009798674.66104, -0.5: 1.952360489182557, 0.5: 0.6156903441929259, 3.3: 0.16400729757293264,
        9.99: 0.05619664070685882, 10.1: 0.055590487009239874, 1000.0: 0.0005641893014533876,
    },
    "log_ndtr": {
        -100.0: -5005.524208694205, -12.0: -75.4106730015688, -1.5: -2.7059444008238898, -0.5: -1.1759117615936185,
        0.5: -0.3689464152886564, 3.0: -0.0013508099647481938, 6.0: -9.865876455243758e-10,
    },
    "gammaln": {
        1e-08: 18.42068073818021, 0.3: 1.0957979948180756, 2.7: 0.4348205536551047, 15.5: 26.536914491115613,
        171.3: 708.1149470389969, 10000000000.0: 220258509288.81058, -0.7: 1.4524729387568078,
        -12.3: -19.391917428120877,
    },
    "psi": {
        1e-08: -100000000.57721564, 0.3: -3.502524222200133, 1.0: -0.5772156649015329, 1.4616: -3.110625123034165e-05,
        1.47: 0.008066489011364869, 2.7: 0.7967831689911411, 9.9: 2.2411803166063815,
        10000000000.0: 23.025850929890456, -0.7: -2.073952793628704, -12.3: 4.832199881811456,
    },
    "trigamma": {
        0.0001: 100000001.64469367, 0.3: 12.245364546107732, 1.5: 0.9348022005446793, 9.9: 0.1062830416287406,
        100000000.0: 1.000000005e-08, -0.7: 14.28618087263834,
    },
    "tetragamma": {
        0.3: -75.27253658872604, 1.5: -0.82879664423432, 9.9: -0.011285526423707164, 1000.0: -1.0010004999998333e-06,
    },
    "polygamma10": {
        0.3: -2048468424178.0745, 1.5: -42108.85876897549, 10.0002: -5.7663943553969386e-05,
        62.4: -4.3887147047865356e-13,
    },
    "zeta1.5": {
        0.3: 8.237761671459724, 1.5: 1.9481108228086432, 9.9: 0.6520980277532775, 1000.0: 0.06326136854451493,
    },
    "i0": {0.1: 1.0025015629340956, 3.3: 6.242630465183028, 29.5: 478144163888.0398, 500.0: 2.504809476570078e215},
}  # fmt: skip
INCOMPLETE_GAMMA = [
    (0.3, 0.2, 0.6575067242697218, 0.34249327573027827), (0.3, 2.5, 0.9881546781546887, 0.011845321845311337),
    (4.5, 3.0, 0.2600817079053463, 0.7399182920946537), (4.5, 20.0, 0.9999924014747705, 7.598525229464276e-06),
    (80.0, 75.0, 0.29679860036785716, 0.7032013996321429), (80.0, 90.0, 0.8668195027664696, 0.13318049723353045),
    (5000.0, 5100.0, 0.9206711189223811, 0.07932888107761897), (2e8, 2e8, 0.5, 0.5),
]  # fmt: skip
FUNCTIONS: dict[str, Any] = {
    "trigamma": lambda x: own.polygamma(1, x), "tetragamma": lambda x: own.polygamma(2, x),
    "polygamma10": lambda x: own.polygamma(10, x), "zeta1.5": lambda x: own.zeta(1.5, x),
}  # fmt: skip
ULP = {"polygamma10": 16, "log_ndtr": 32, "psi": 6, "gammaln": 16, "i0": 16}
"""By how many units in the last place a float64 result may differ; 4 where nothing is said."""


def ulps(found: Any, right: Any) -> Any:
    with np.errstate(all="ignore"):
        apart = np.abs(found - right) / np.spacing(np.abs(right))
    return np.where((found == right) | (np.isnan(found) & np.isnan(right)), 0, apart)


@pytest.mark.parametrize("name", EXACT)
def test_accuracy(name: str) -> None:
    function = FUNCTIONS.get(name) or getattr(own, name)
    points, right = (np.array(list(part), np.float64) for part in (EXACT[name], EXACT[name].values()))
    assert ulps(function(points), right).max() <= ULP.get(name, 4)
    in_single = function(points.astype(np.float32))
    assert in_single.dtype == np.float32
    with np.errstate(over="ignore"):
        again = function(points.astype(np.float32).astype(np.float64)).astype(np.float32)
    np.testing.assert_array_equal(in_single, again)  # one rounding, at the end


def test_incomplete_gamma() -> None:
    a, x, lower, upper = np.array(INCOMPLETE_GAMMA).T
    assert ulps(own.gammainc(a, x), lower).max() <= 64 and ulps(own.gammaincc(a, x), upper).max() <= 256
    a, x = np.array([0.0, 0.0, 1.0, -1.0, np.inf, 2.0]), np.array([0.0, 1.0, 0.0, 1.0, 1.0, np.inf])
    np.testing.assert_array_equal(own.gammainc(a, x), [np.nan, 1, 0, np.nan, 0, 1])
    np.testing.assert_array_equal(own.gammaincc(a, x), [np.nan, 0, 1, np.nan, 1, 0])


EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -3.0, np.inf, -np.inf, np.nan, 1e-300, 1e300, 5e-324]
NAMES = {
    "erf": "erf", "erfc": "erfc", "erfinv": "erfinv", "gammaln": "lgamma", "ndtri": "special.ndtri",
    "erfcx": "special.erfcx", "log_ndtr": "special.log_ndtr", "entr": "special.entr",
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_edges_are_those_of_pytorch(name: str) -> None:
    torch = pytest.importorskip("torch")
    public = torch
    for part in NAMES[name].split("."):
        public = getattr(public, part)
    points = np.array(EDGES)
    right = public(torch.tensor(points)).numpy()
    np.testing.assert_allclose(getattr(own, name)(points), right, rtol=1e-3 if name == "ndtri" else 1e-12, atol=1e-320)


def test_xlog1py_and_zeta_at_edges() -> None:
    assert own.xlog1py(np.array([0.0, 0.0, 2.0]), np.array([-1.0, np.nan, np.e - 1])).tolist()[::2] == [0.0, 2.0]
    found = own.zeta(np.array([1.0, 0.5, 2.0, 1.5, 1.5]), np.array([3.0, 1.0, -2.0, -0.5, 0.0]))
    np.testing.assert_array_equal(found, [np.inf, np.nan, np.inf, np.nan, np.inf])


# ---- bfloat16


def every_bfloat16(dtype: Any) -> Any:
    return np.arange(1 << 16, dtype=np.uint32).astype(np.uint16).view(dtype)


def same_bits(found: Any, right: Any) -> bool:
    both_nan = np.isnan(found.astype(np.float32)) & np.isnan(right.astype(np.float32))
    return bool(((found.view(np.uint16) == right.view(np.uint16)) | both_nan).all())


@pytest.fixture(scope="module")
def dtypes() -> tuple[Any, Any]:
    """Our dtype and that of ml_dtypes."""
    ml_dtypes = pytest.importorskip("ml_dtypes")
    from facula._core.bfloat16 import NUMPY_DTYPE

    return NUMPY_DTYPE, np.dtype(ml_dtypes.bfloat16)


def test_promotion_and_casts_are_those_of_ml_dtypes(dtypes: Any) -> None:
    ours, theirs = dtypes
    for character in "?bBhHiIlLqQefdFD":
        for first, second in ((ours, theirs), (theirs, ours)):
            assert np.can_cast(first, character) == np.can_cast(second, character)
            assert np.can_cast(character, first) == np.can_cast(character, second)
        numbers = np.linspace(-300, 300, 999).astype(character)
        assert same_bits(numbers.astype(ours), numbers.astype(theirs)), character
        with np.errstate(all="ignore"):
            few = np.array([0.0, 1.5, 3.0, 100.0], np.float32)
            np.testing.assert_array_equal(few.astype(ours).astype(character), few.astype(theirs).astype(character))
    numbers = np.random.default_rng(0).integers(0, 1 << 32, 100_000, dtype=np.uint32).view(np.float32)
    with np.errstate(all="ignore"):
        assert same_bits(numbers.astype(ours), numbers.astype(theirs))


@pytest.mark.parametrize("name", "sqrt negative absolute floor rint reciprocal square spacing tanh log1p".split())
def test_functions_are_those_of_ml_dtypes(dtypes: Any, name: str) -> None:
    ours, theirs = (every_bfloat16(each) for each in dtypes)
    with np.errstate(all="ignore"):
        assert same_bits(getattr(np, name)(ours), getattr(np, name)(theirs))


@pytest.mark.parametrize("name", "add subtract multiply divide maximum fmin nextafter less equal copysign".split())
def test_functions_of_two_are_those_of_ml_dtypes(dtypes: Any, name: str) -> None:
    ours, theirs = (every_bfloat16(each) for each in dtypes)
    for other in (0.0, -1.25, 3.0, np.inf, np.nan):
        with np.errstate(all="ignore"):
            found, right = (getattr(np, name)(x, np.float32(other).astype(x.dtype)) for x in (ours, theirs))
        assert np.array_equal(found, right) if found.dtype == bool else same_bits(found, right)


def test_arrays_of_our_dtype_do_what_arrays_do() -> None:
    from facula._core.bfloat16 import NUMPY_DTYPE

    numbers = np.array([3.0, -1.0, np.nan, 2.0, 0.0], NUMPY_DTYPE)
    assert numbers.tolist()[:2] == [3.0, -1.0] and type(numbers[0]).__name__ == "bfloat16"
    assert np.sort(numbers).astype(np.float32).tolist()[:4] == [-1.0, 0.0, 2.0, 3.0]
    assert numbers.argsort().tolist() == [1, 4, 3, 0, 2] and np.flatnonzero(numbers).tolist() == [0, 1, 2, 3]
    small = numbers[[0, 1, 3]]
    assert (small.argmax(), small.argmin(), float(small.sum()), float(small.max())) == (0, 1, 4.0, 3.0)
    assert np.cumsum(small).tolist() == [3.0, 2.0, 4.0] and float(np.dot(small, small)) == 14.0
    assert (small[::-1] * small).tolist() == [6.0, 1.0, 6.0] and (small + 1).dtype == NUMPY_DTYPE
    assert float(small[0] + small[1]) == 2.0 and small[0] == 3.0 and f"{small[0]:.2f} {small[0]}" == "3.00 3.0"
    assert np.arange(0, 4, dtype=NUMPY_DTYPE).tolist() == [0.0, 1.0, 2.0, 3.0]


ALONE = """
import sys
sys.modules["scipy"] = sys.modules["ml_dtypes"] = None  # as if they were not installed
import facula as torch
from facula import nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.LayerNorm(8), nn.Linear(8, 3))
nn.init.trunc_normal_(model[0].weight, std=0.02)
assert model[0].weight.abs().max() < 0.1
with torch.autocast("cpu"):
    out = model(torch.randn(5, 4))
    assert out.dtype is torch.bfloat16
out.float().logsumexp(1).sum().backward()
assert model[0].weight.grad.isfinite().all()
half = torch.randn(3, 3).bfloat16().requires_grad_()
(half @ half + half.softmax(0)).sum().backward()
assert half.grad.dtype is torch.bfloat16
x = torch.tensor([0.3, 0.6], requires_grad=True)
for name in "erf erfc erfinv lgamma digamma".split():
    torch.autograd.gradgradcheck(getattr(torch, name), x.detach().double().requires_grad_())
torch.distributions.Gamma(x, x).rsample().sum().backward()
try:
    torch.special.i1(x)
except ImportError as error:
    print(error)
"""


def test_numpy_alone_is_enough() -> None:
    done = subprocess.run([sys.executable, "-W", "error", "-c", ALONE], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "facula needs scipy for i1: pip install scipy\n"
