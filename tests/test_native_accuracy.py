"""The elementary functions of the native library are as exact as docs/notes/native.md says."""

from __future__ import annotations

import json

import pytest

from .native_library import needs_compiler, program, shared_folder

pytestmark = needs_compiler

BOUNDS = {"exp": 1.2, "log": 1.0, "tanh": 1.6, "sigmoid": 2.5, "erf": 1.2}


@pytest.fixture(scope="session")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[list[object]]:
    folder = shared_folder(tmp_path_factory)
    said = program(folder, "import json; from facula.native import accuracy; print(json.dumps(accuracy.table(50_000)))")
    found: list[list[object]] = json.loads(said)
    return found


def test_errors_are_small_and_nothing_is_wrongly_infinite(lines: list[list[object]]) -> None:
    assert {name for name, *_ in lines} == set(BOUNDS)
    for name, dtype, error, wrong, _ in lines:
        assert wrong == 0, (name, dtype)
        assert isinstance(error, float) and 0 < error <= BOUNDS[str(name)], (name, dtype, error)


def test_sums_and_products_are_no_less_exact_than_those_of_numpy(tmp_path_factory: pytest.TempPathFactory) -> None:
    program(shared_folder(tmp_path_factory), """
import numpy as np
from facula.native import kernels as K
r = np.random.default_rng(0)
own, its = [], []
for size in (1000, 100_000, 3_000_000):
    for _ in range(10):
        x = r.uniform(0, 1, size).astype("f4")
        exact = x.astype("f8").sum()
        own.append(abs(float(K.sum_all(x)) - exact) / exact)
        its.append(abs(float(x.sum()) - exact) / exact)
assert np.mean(own) <= 1.05 * np.mean(its), (np.mean(own), np.mean(its))
own, its = [], []
for m, n, k in ((64, 64, 64), (100, 300, 1000), (40, 50, 5000)):
    a, b = r.standard_normal((m, k)).astype("f4"), r.standard_normal((k, n)).astype("f4")
    exact = a.astype("f8") @ b.astype("f8")
    own.append(np.abs(K.matmul(a, b) - exact).mean() / np.sqrt(k))
    its.append(np.abs(a @ b - exact).mean() / np.sqrt(k))
assert np.mean(own) <= 1.3 * np.mean(its), (own, its)
""")
