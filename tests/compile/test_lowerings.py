"""Every operator with an expression, on numbers of every kind: C and NumPy text against the kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from facula._compile.c.build import has_compiler
from facula._compile.programs import emit
from facula._compile.programs.lowering import REDUCTIONS, lowered
from facula._compile.programs.scalars import operations, parsed
from facula.ops.machine.primitive import REGISTRY, Primitive

from .graphs import Builder, all_operators

all_operators()
pytestmark = pytest.mark.usefixtures("with_library")

SPECIAL = [
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -3.0, np.inf, -np.inf, np.nan, 1e-30, -1e-30, 1e30, -1e30, 20.0, -20.0, 88.0,
    -88.0, 3.0, -2.5, 1.5, 1e-40, 100.0, -100.0,
]  # fmt: skip
ATTRIBUTES: dict[str, Any] = {
    "alpha": 1.5, "other": 2.0, "value": 0.75, "min": -0.5, "max": 0.5, "exponent": 3, "weight": 0.3,
    "threshold": 0.125, "negative_slope": 0.1, "slope": 0.1, "approximate": "none", "scale": 1.25, "input_scale": 0.9,
    "is_result": False, "min_val": -1.0, "max_val": 1.0, "low": -1.0, "high": 1.0, "lambd": 0.5, "beta": 1.3,
    "base": 1.7,
}  # fmt: skip
OTHERS: list[dict[str, Any]] = [
    {"pow_number": exponent} for exponent in (0, 1, 2, -1, -3, 0.5, -0.5, 2.5, 16, 17)
] + [{"lerp_number": 0.9}, {"gelu": "tanh"}, {"gelu_backward": "tanh"}]  # fmt: skip
CANCELLING = ("gelu", "gelu_backward")
"""One plus a number near -1: errors of float32 in what is left."""
BUILDS = [
    pytest.param(emit.build_numpy, id="numpy"),
    pytest.param(emit.build_c, id="c", marks=pytest.mark.skipif(not has_compiler(), reason="needs a C compiler")),
]


def of_elements() -> list[Primitive]:
    found = []
    for _, op in sorted(REGISTRY.items()):
        text = op.lowering
        if op.kind == "elementwise" and text and not isinstance(text, tuple):
            found.append(op)
    return [*found, REGISTRY["masked_fill_number"], REGISTRY["masked_fill_tensor"]]


def same(found: Any, wanted: Any, name: str) -> Any:
    if wanted.dtype.kind != "f":
        return found == wanted
    tolerance = (2e-4 if name in CANCELLING else 2e-6) if wanted.dtype == np.float32 else 1e-12
    tiny = np.finfo(wanted.dtype).tiny * 2
    with np.errstate(all="ignore"):
        near = np.isclose(found, wanted, rtol=tolerance, atol=tiny if name != "abs" else 0, equal_nan=True)
    return near & ((np.signbit(found) == np.signbit(wanted)) | np.isnan(wanted) | (wanted != 0) | (found != 0))


def numbers_of(dtype: str) -> list[Any]:
    """Three arrays of 64 numbers, and a mask."""
    rng = np.random.default_rng(1)
    if dtype.startswith("float"):
        numbers = np.array([*SPECIAL, *rng.standard_normal(39)], dtype)
        given = [numbers, rng.permutation(numbers), rng.permutation(numbers)]
    else:
        given = [rng.integers(-4, 5, 64).astype(dtype) for _ in range(3)]
    return [*given, rng.integers(0, 2, 64).astype(bool)]


def every_operation(b: Builder, dtype: str, given: list[Any]) -> list[Any]:
    """A node for each operator, in each of its forms."""
    x, y, z, mask = (b.input(name, value) for name, value in zip(("x", "y", "z", "mask"), given))
    nodes = []
    for op in of_elements():
        tensors = [mask if name in ("condition", "mask") else (x, y, z)[i] for i, name in enumerate(op.tensor_names)]
        for more in [{}, *[o for o in OTHERS if op.name in o]]:
            attributes = [more.get(op.name, ATTRIBUTES.get(name, np.dtype(dtype))) for name in op.attribute_names]
            whole = all(isinstance(a, (int, np.dtype)) and not (isinstance(a, int) and a < 0) for a in attributes)
            if not dtype.startswith("float") and not whole:
                continue
            try:
                node = b.call(op.name, *tensors, *attributes)
            except (TypeError, RuntimeError, ValueError):
                assert not dtype.startswith("float") or op.name.startswith("bitwise"), op.name
                continue
            if dtype.startswith("float"):
                assert lowered(node) is not None, op.name
            if (
                dtype.startswith("float")
                or b.values[node].dtype.kind != "f"
                or (dtype == "int64" and getattr(op, "promote", "") == "float")
            ):
                nodes.append(node)
    return nodes


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "bool"])
def test_elementwise(build: Any, dtype: str) -> None:
    b = Builder()
    given = numbers_of(dtype)
    nodes = every_operation(b, dtype, given)
    compiled = build(b.program(nodes))
    wrong = []
    for node, found in zip(nodes, compiled(b.arrays), strict=True):
        wanted = b.values[node]
        assert found.dtype == wanted.dtype, node
        good = same(found, wanted, node.target.name)
        if not good.all():
            at = np.argwhere(~good).ravel()[:3]
            wrong.append((node.target.name, [v[at] for v in given[:2]], found[at], wanted[at]))
    assert not wrong, "\n".join(map(str, wrong))


@pytest.mark.parametrize(("dtype", "shape"), [("float32", ()), ("float64", ()), ("int64", (1,)), ("bool", (1, 1))])
def test_single_numbers(dtype: str, shape: tuple[int, ...]) -> None:
    """NumPy's scalars do the work: the same numbers."""
    given = numbers_of(dtype)
    whole, single = Builder(), Builder()
    wanted = [whole.values[node] for node in every_operation(whole, dtype, given)]
    nodes = every_operation(single, dtype, [a[0].reshape(shape) for a in given])
    compiled = emit.build_numpy(single.program(nodes))
    wrong = []
    for i in range(64):
        for node, found, right in zip(nodes, compiled([np.reshape(a[i], shape) for a in given]), wanted, strict=True):
            assert found.dtype == right.dtype and found.shape == shape, node
            if not same(found, right[i], node.target.name):
                wrong.append((node.target.name, [v[i] for v in given[:2]], found, right[i]))
    assert not wrong, "\n".join(map(str, wrong))


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "bool"])
@pytest.mark.parametrize("shape", [(5, 7), (3000,), (2, 3, 4), (1, 1), (400, 3), (3, 2100), (40_000,)])
def test_reductions(build: Any, dtype: str, shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(2)
    b = Builder()
    x = b.input("x", (rng.standard_normal(shape) * 2).astype(dtype))
    nodes = []
    for name, op in sorted(REGISTRY.items()):
        text = op.lowering
        if not isinstance(text, str) or not operations(parsed(text)) & set(REDUCTIONS):
            continue
        for dim in {(0,), (len(shape) - 1,), tuple(range(len(shape)))}:
            for keepdim in (False, True):
                args = [
                    {"dim": dim[0] if name == "prod_dim" else dim, "keepdim": keepdim, "dtype": None}[a]
                    for a in op.attribute_names
                ]
                if name.startswith(("mean", "nansum")) and not dtype.startswith("float"):
                    continue
                nodes.append(b.call(name, x, *args))
    found = build(b.program(nodes))(b.arrays)
    for node, value in zip(nodes, found, strict=True):
        wanted = b.values[node]
        scale = 1e-5 if wanted.dtype == np.float32 else 1e-12
        np.testing.assert_allclose(value, wanted, rtol=scale, atol=scale * 10, err_msg=str((node, node.args)))
        assert value.dtype == wanted.dtype and value.shape == wanted.shape


@pytest.mark.parametrize("size", [1000, 5000, 70_000, 200_000])
def test_gelu_and_its_derivative_share_their_work(size: int) -> None:
    b = Builder()
    x, g = b.inputs(x=(np.random.default_rng(4).standard_normal(size) * 3).astype(np.float32),
                    g=np.linspace(-1, 1, size, dtype=np.float32))  # fmt: skip
    nodes = [b.call("gelu", x, "none"), b.call("gelu_backward", g, x, "none"), b.call("gelu", b.call("exp", g), "none")]
    compiled = emit.build_numpy(b.program(nodes))
    assert compiled.text.count("normal(") == 2 * (size > 2048)
    for node, found in zip(nodes, compiled(b.arrays), strict=True):
        np.testing.assert_allclose(found, b.values[node], atol=2e-6)


@pytest.mark.parametrize("build", BUILDS)
def test_nan_goes_through_maxima(build: Any) -> None:
    b = Builder()
    x = np.zeros((4, 50), np.float32)
    x[1, 3] = np.nan
    x[2, 4] = np.inf
    node = b.input("x", x)
    nodes = [b.call(name, node, dim, False) for name in ("amax", "amin") for dim in ((0,), (1,), (0, 1))]
    for wanted, found in zip(nodes, build(b.program(nodes))(b.arrays), strict=True):
        np.testing.assert_array_equal(found, b.values[wanted])


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("sizes", [(3, 4, 5), (1, 7, 1), (64, 3, 70), (50, 60, 40)])
def test_products(build: Any, dtype: str, sizes: tuple[int, int, int]) -> None:
    m, n, k = sizes
    rng = np.random.default_rng(3)

    def array(*shape: int) -> Any:
        return rng.standard_normal(shape).astype(dtype)

    b = Builder()
    x, y, xt, yt, bias, whole, v, column, bx, by = b.inputs(
        x=array(m, k), y=array(k, n), xt=array(k, m), yt=array(n, k), bias=array(n), whole=array(m, n), v=array(k),
        column=array(m), bx=array(3, m, k), by=array(3, k, n),
    )  # fmt: skip
    nodes = [
        b.call("mm", x, y), b.call("mm", b.call("t", xt), y), b.call("mm", x, b.call("t", yt)),
        b.call("mm", b.call("t", xt), b.call("t", yt)), b.call("addmm", bias, x, y, 1, 1),
        b.call("addmm", whole, x, y, 1, 1), b.call("addmm", whole, x, y, 0.5, 2), b.call("addmm", bias, x, y, 0, 1),
        b.call("mv", x, v), b.call("dot", v, v), b.call("bmm", bx, by), b.call("baddbmm", whole, bx, by, 1, 1),
        b.call("bmm", b.call("transpose", b.call("bmm", bx, by), 1, 2), bx),
        b.call("addmv", column, x, v, 1, 1), b.call("addmv", column, x, v, 0.5, 2),
    ]  # fmt: skip
    found = build(b.program(nodes))(b.arrays)
    for node, value in zip(nodes, found, strict=True):
        scale = 2e-5 if dtype == "float32" else 1e-12
        np.testing.assert_allclose(value, b.values[node], rtol=scale, atol=scale * 30, err_msg=str(node))
        assert value.shape == b.values[node].shape


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("dim", [0, -1])
def test_softmax(build: Any, dtype: str, dim: int) -> None:
    rng = np.random.default_rng(4)
    x = rng.standard_normal((6, 40)).astype(dtype)
    x[0, 3], x[1, 2] = np.inf, np.nan
    b = Builder()
    given, g, turned = b.inputs(x=x, g=rng.standard_normal((6, 40)).astype(dtype), turned=x.T.copy())
    nodes = []
    for name in ("softmax", "log_softmax"):
        for source in (given, b.call("t", turned)):
            nodes.append(b.call(name, source, dim))
            nodes.append(b.call(f"{name}_backward_data", g, nodes[-1], dim))
    for node, found in zip(nodes, build(b.program(nodes))(b.arrays), strict=True):
        np.testing.assert_allclose(found, b.values[node], rtol=2e-5, atol=1e-6, err_msg=str(node))
