"""Kernels that take large arrays in tiles and over threads give what the plain formulas and the pure rules give."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import facula as torch
from facula._core import memory
from facula._core import threads as _threads
from facula.ops.arrays.running_sums import running_sums
from facula.ops.arrays.scatter_add import add_rows

F = torch.nn.functional


@pytest.fixture(params=[1, 3])
def threads(request: Any) -> Iterator[int]:
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield request.param
    torch.set_num_threads(before)


def drawn(*shape: int, seed: int = 0, far: float = 0.0) -> Any:
    return (np.random.default_rng(seed).standard_normal(shape) + far).astype(np.float32)


def places(*shape: int, below: int) -> Any:
    return np.random.default_rng(5).integers(0, below, shape)


def _causal(q: Any, k: Any, v: Any) -> Any:
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def _masked(q: Any, k: Any, v: Any) -> Any:
    mask = torch.from_numpy(np.random.default_rng(3).random((q.shape[2], k.shape[2])) < 0.7)
    mask[5] = False
    return F.scaled_dot_product_attention(q, k, v, mask)


WIDE = drawn(150, 1000)
CASES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "relu": (torch.relu, (WIDE,)),
    "sigmoid": (torch.sigmoid, (WIDE,)),
    "tanh": (torch.tanh, (WIDE,)),
    "exp": (torch.exp, (WIDE,)),
    "gelu": (F.gelu, (WIDE,)),
    "gelu_tanh": (lambda x: F.gelu(x, approximate="tanh"), (WIDE,)),
    "silu": (F.silu, (WIDE,)),
    "softmax": (lambda x: torch.softmax(x, -1), (WIDE,)),
    "softmax_far": (lambda x: torch.softmax(x, -1), (drawn(150, 1000, far=200),)),
    "softmax_first_dim": (lambda x: torch.softmax(x, 0), (WIDE,)),
    "log_softmax": (lambda x: torch.log_softmax(x, -1), (WIDE,)),
    "cross_entropy": (lambda x: F.cross_entropy(x, torch.from_numpy(places(150, below=1000))), (WIDE,)),
    "layer_norm": (lambda x, w, b: F.layer_norm(x, (1000,), w, b), (WIDE, drawn(1000), drawn(1000, seed=1))),
    "layer_norm_far": (lambda x, w: F.layer_norm(x, (1000,), w), (drawn(150, 1000, far=5), drawn(1000))),
    "layer_norm_plain": (lambda x: F.layer_norm(x, (100,)), (drawn(1500, 100),)),
    "layer_norm_medium": (lambda x, w, b: F.layer_norm(x, (128,), w, b), (drawn(500, 128), drawn(128), drawn(128))),
    "layer_norm_one_wide_row": (lambda x: F.layer_norm(x, (20_000,)), (drawn(2, 20_000),)),
    "layer_norm_very_wide": (lambda x: F.layer_norm(x, (50_000,)), (drawn(3, 50_000),)),
    "group_norm": (lambda x, w: F.group_norm(x, 4, w), (drawn(8, 16, 40, 40), drawn(16))),
    "batch_norm": (
        lambda x, w, b: F.batch_norm(x, None, None, w, b, True), (drawn(8, 16, 40, 40), drawn(16), drawn(16, seed=1)),
    ),
    "linear": (F.linear, (drawn(300, 200), drawn(400, 200), drawn(400))),
    "attention": (F.scaled_dot_product_attention, tuple(drawn(2, 4, 100, 16, seed=i) for i in range(3))),
    "attention_of_wide_heads": (F.scaled_dot_product_attention, tuple(drawn(2, 4, 60, 32, seed=i) for i in range(3))),
    "attention_causal": (_causal, tuple(drawn(2, 4, 100, 32, seed=i) for i in range(3))),
    "attention_causal_long": (_causal, tuple(drawn(3, 2, 300, 16, seed=i) for i in range(3))),
    "attention_causal_fewer_keys": (_causal, tuple(drawn(2, 4, n, 32, seed=i) for i, n in enumerate((100, 70, 70)))),
    "attention_masked": (_masked, tuple(drawn(2, 4, 100, 32, seed=i) for i in range(3))),
    "attention_of_far_scores": (_causal, (20 * drawn(2, 4, 100, 32), *(drawn(2, 4, 100, 32, seed=i) for i in (1, 2)))),
    "embedding_often": (lambda w: F.embedding(torch.from_numpy(places(3000, below=50)), w), (drawn(50, 24),)),
    "gather": (lambda x: torch.gather(x, 1, torch.from_numpy(places(150, 900, below=1000))), (WIDE,)),
    "gather_first_dim": (lambda x: torch.gather(x, 0, torch.from_numpy(places(200, 1000, below=150))), (WIDE,)),
    "scatter_add": (
        lambda x, src: x.scatter_add(1, torch.from_numpy(places(150, 900, below=1000)), src), (WIDE, drawn(150, 900)),
    ),
    "embedding": (lambda w: F.embedding(torch.from_numpy(places(3000, below=500)), w), (drawn(500, 24),)),
    "sort": (lambda x: torch.sort(x, -1)[0], (WIDE,)),
    "cumsum": (lambda x: torch.cumsum(x, -1), (WIDE,)),
    "cumsum_first_dim": (lambda x: torch.cumsum(x, 0), (WIDE,)),
    "max_pool2d": (lambda x: F.max_pool2d(x, 2), (drawn(8, 16, 40, 40),)),
    "conv2d": (lambda x, w: F.conv2d(x, w, padding=1), (drawn(4, 16, 24, 24), drawn(16, 16, 3, 3))),
    "conv2d_in_tiles": (lambda x, w: F.conv2d(x, w, padding=1), (drawn(5, 32, 27, 30), drawn(36, 32, 3, 3))),
    "conv2d_of_large_images": (lambda x, w: F.conv2d(x, w), (drawn(1, 32, 70, 93), drawn(32, 32, 3, 3))),
}  # fmt: skip


def results(name: str, dtype: Any) -> tuple[Any, list[Any], list[Any]]:
    """The value, the gradients by raw rules, and those by the pure rules."""
    fn, arrays = CASES[name]
    leaves = [torch.from_numpy(a.astype(dtype)).requires_grad_() for a in arrays]
    out = fn(*leaves)
    g = torch.from_numpy(drawn(*out.shape, seed=7).astype(dtype)) if out.ndim else torch.ones((), dtype=out.dtype)
    raw = torch.autograd.grad(out, leaves, g, retain_graph=True)
    pure = torch.autograd.grad(out, leaves, g, create_graph=True)
    return out.detach().numpy(), [r.numpy() for r in raw], [p.detach().numpy() for p in pure]


@pytest.mark.parametrize("name", CASES)
def test_raw_rules_equal_pure_rules_at_size(name: str, threads: int) -> None:
    value, raw, pure = results(name, np.float32)
    exact, _, reference = results(name, np.float64)
    for found, expected in zip([value, *raw, *pure], [exact, *reference, *reference]):
        assert found.dtype == np.float32 and found.shape == expected.shape
        scale = np.abs(expected).max()
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=4e-6 * scale)


@pytest.mark.parametrize("name", ["tanh", "softmax", "layer_norm", "gather", "sort", "cumsum", "gelu"])
def test_threads_change_nothing(name: str) -> None:
    before = torch.get_num_threads()
    found = []
    for count in (1, 2, 5):
        torch.set_num_threads(count)
        value, raw, _ = results(name, np.float32)
        found.append((value, raw[0]))
    torch.set_num_threads(before)
    for value, grad in found[1:]:
        np.testing.assert_allclose(value, found[0][0], rtol=1e-5, atol=1e-5)
        np.testing.assert_allclose(grad, found[0][1], rtol=1e-5, atol=1e-5)


def test_special_values_stay_in_their_rows() -> None:
    x = drawn(150, 1000)
    x[3, 5], x[4, 6], x[5] = np.inf, np.nan, -np.inf
    for fn in (lambda t: torch.softmax(t, 1), lambda t: F.layer_norm(t, (1000,)), lambda t: torch.cumsum(t, 1)):
        found = fn(torch.from_numpy(x)).numpy()
        clean = fn(torch.from_numpy(np.delete(x, [3, 4, 5], 0))).numpy()
        np.testing.assert_allclose(np.delete(found, [3, 4, 5], 0), clean, rtol=1e-5, atol=1e-5)
    sums = torch.cumsum(torch.from_numpy(x), 1).numpy()
    assert np.isfinite(sums[3, :5]).all() and np.isposinf(sums[3, 5:]).all()
    assert np.isfinite(sums[4, :6]).all() and np.isnan(sums[4, 6:]).all()


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32, np.int16, np.uint8, np.int64, np.float64])
def test_large_sorts_are_stable(dtype: Any, descending: bool) -> None:
    x = (drawn(5, 3000) * 20).astype(np.int8).astype(dtype)
    if np.dtype(dtype).kind == "f":
        x[:, ::7] = -0.0
        x[:, 1::11] = np.nan
    elif dtype == np.int32:
        x[:, :2] = np.iinfo(dtype).min, np.iinfo(dtype).max
    values, order = torch.sort(torch.from_numpy(x), dim=1, descending=descending, stable=True)
    wide = x.astype(np.float64)
    keys = -wide if descending else wide
    if descending and np.isnan(wide).any():
        keys = np.where(np.isnan(wide), -np.inf, keys)
    expected = np.argsort(keys, 1, kind="stable")
    assert np.array_equal(order.numpy(), expected)
    assert np.array_equal(values.numpy(), np.take_along_axis(x, expected, 1), equal_nan=np.dtype(dtype).kind == "f")


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(
    ("shape", "dim"), [((40, 1000), 1), ((9, 4999), 1), ((300, 400), 0), ((100_003,), 0), ((3, 7), 1)]
)
def test_running_sums_lose_nothing(shape: tuple[int, ...], dim: int, reverse: bool) -> None:
    x = drawn(*shape) + np.float32(0.1)
    ordered = np.flip(x, dim) if reverse else x
    exact = np.cumsum(ordered.astype(np.float64), dim)
    exact = np.flip(exact, dim) if reverse else exact
    found = running_sums(x, dim, reverse)
    assert found.dtype == np.float32 and found.flags.c_contiguous
    assert np.abs(found - exact).max() <= 1e-6 * max(np.abs(exact).max(), 4)


@pytest.mark.parametrize(("rows", "count"), [(10, 2000), (100_000, 3000), (70, 5000), (1000, 900)])
@pytest.mark.parametrize("fresh", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.float16])
def test_add_rows(rows: int, count: int, fresh: bool, dtype: Any) -> None:
    index = np.random.default_rng(0).integers(0, rows, count)
    values = (drawn(count, 3, 4) * 4).astype(dtype)
    target = np.full((rows, 3, 4), 0 if fresh else 1, dtype)
    expected = target.astype(np.float64)
    np.add.at(expected, index, values)
    add_rows(target, index, values, fresh)
    tolerance = 2e-2 if dtype == np.float16 else 1e-5
    np.testing.assert_allclose(target, expected, rtol=tolerance, atol=20 * tolerance)


# ---- threads


def test_the_number_of_threads_is_honoured(threads: int) -> None:
    assert torch.get_num_threads() == _threads.count == threads
    seen = set()
    barrier = threading.Barrier(threads)

    def job(_: int) -> None:
        barrier.wait(10)  # as many at once as there are threads
        seen.add(threading.get_ident())

    _threads.share(job, threads)
    assert len(seen) == threads


def test_an_error_in_a_tile_is_raised(threads: int) -> None:
    def job(number: int) -> None:
        if number == 7:
            raise ValueError("seven")

    with pytest.raises(ValueError, match="seven"):
        _threads.share(job, 20)
    done: list[int] = []
    _threads.share(done.append, 20)
    assert sorted(done) == list(range(20))


def test_blas_follows_and_is_alone_while_tiles_are_shared(threads: int, monkeypatch: Any) -> None:
    told: list[int] = []
    monkeypatch.setattr(_threads, "_listeners", [])
    monkeypatch.setattr(_threads.blas, "thread_setter", lambda: told.append)
    torch.set_num_threads(threads)
    assert told == [threads]
    _threads.share(lambda number: _threads.share(lambda inner: None, 2), 4)
    assert told == ([threads] if threads == 1 else [threads, 1, threads])


def test_blas_works_alone_beside_a_library_that_shares_products(threads: int, monkeypatch: Any) -> None:
    told: list[int] = []
    followed: list[int] = []
    monkeypatch.setattr(_threads, "_listeners", [])
    monkeypatch.setattr(_threads.blas, "thread_setter", lambda: told.append)
    _threads.follow(followed.append)
    torch.set_num_threads(threads)
    _threads.share(lambda number: None, 4)
    assert told == [1, 1]
    assert followed == [threads, threads]
    with _threads.sharing_blas():
        assert told[2:] == [threads] * (threads > 1)
    assert told[2:] == [threads, 1][: 2 * (threads > 1)]
    torch.linalg.inv(torch.eye(300))
    assert told[4:] == [threads, 1][: 2 * (threads > 1)]


@pytest.mark.parametrize("value", [0, -1, 1.5, "a", True])
def test_numbers_of_threads_are_checked(value: Any) -> None:
    wanted = "a positive integer" if type(value) is int else f"an int, but got {type(value).__name__}"
    for name in ("set_num_threads", "set_num_interop_threads"):
        with pytest.raises(RuntimeError, match=f"{name} expects {wanted}"):
            getattr(torch, name)(value)


# ---- memory


def test_keeping_memory_can_be_switched() -> None:
    before = memory.keeps_freed_memory()
    if memory.keep_freed_memory(False) is False and not memory.keep_freed_memory(True):
        pytest.skip("no glibc here")
    assert memory.keeps_freed_memory()
    assert not memory.keep_freed_memory(False)
    memory.keep_freed_memory(before)


@pytest.mark.parametrize("value", ["0", "1"])
def test_the_environment_says_whether_memory_is_kept(value: str) -> None:
    code = "from facula.backends import memory; print(memory.keeps_freed_memory(), memory.keep_freed_memory(True))"
    environment = {"FACULA_KEEP_MEMORY": value, "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    kept, can_be = done.stdout.split()
    assert kept == ("False" if value == "0" else can_be)
