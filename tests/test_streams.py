"""PyTorch's random streams: states that move between the libraries, and numbers to the last digit."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import facula
from facula.ops.arrays import draws, rejections

from .native_library import needs_compiler, program, python, shared_folder

RECORDED = Path(__file__).parent / "data" / "generator_state.bin"
"""What PyTorch's get_state() gave after manual_seed(5), rand(1000), randn(3)."""

with_oracle = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None or sys.version_info[:2] != (3, 11), reason="the oracle is not installed"
)

WAITING = slice(5024, 5032)
"""Where a state keeps the normal number that waits, whose last digit is the libm's."""


def at_the_recorded_place(torch: Any) -> Any:
    generator = torch.Generator().manual_seed(5)
    torch.rand(1000, generator=generator)
    torch.randn(3, generator=generator)
    return generator


def test_a_state_has_pytorchs_bytes() -> None:
    expected = np.fromfile(RECORDED, np.uint8)
    found = at_the_recorded_place(facula).get_state().numpy()
    np.testing.assert_allclose(found[WAITING].view(np.float64), expected[WAITING].view(np.float64), rtol=1e-15)
    expected[WAITING] = found[WAITING]
    np.testing.assert_array_equal(found, expected)


def test_a_recorded_state_goes_on_as_pytorch_did() -> None:
    generator = facula.Generator().set_state(facula.from_numpy(np.fromfile(RECORDED, np.uint8)))
    assert generator.initial_seed() == 5
    drawn = [facula.randn(2, generator=generator), facula.rand(2, generator=generator)]
    expected = [[0.1790751963853836, -1.1015645265579224], [0.5490946173667908, 0.4179806709289551]]
    np.testing.assert_allclose(np.stack([d.numpy() for d in drawn]), expected, rtol=1e-6)


def moved(generator: Any, torch: Any) -> Any:
    """A generator of the other library at the same place."""
    return torch.Generator().set_state(torch.from_numpy(generator.get_state().numpy().copy()))


@with_oracle
def test_states_move_both_ways_in_the_middle_of_a_stream() -> None:
    import torch

    steps = [
        lambda t, g: t.rand(7, generator=g),
        lambda t, g: t.randn(3, generator=g),
        lambda t, g: t.empty(5).exponential_(generator=g),
        lambda t, g: t.randn(33, generator=g, dtype=t.float64),
        lambda t, g: t.randint(2**40, (300,), generator=g),
        lambda t, g: t._standard_gamma(t.full((5,), 0.7), g),
        lambda t, g: t.randperm(20, generator=g),
        lambda t, g: t.rand(5, generator=g, dtype=t.float64),
        lambda t, g: t.empty(3, 5).normal_(0.5, 2.0, generator=g),
        lambda t, g: t.empty(33).bernoulli_(0.3, generator=g),
        lambda t, g: t.bernoulli(t.full((7,), 0.4), generator=g),
        lambda t, g: t.empty(5, dtype=t.float64).log_normal_(generator=g),
        lambda t, g: t.empty(9).geometric_(0.2, generator=g),
        lambda t, g: t.empty(9, dtype=t.float64).cauchy_(generator=g),
        lambda t, g: t.poisson(t.arange(40.0), g),
        lambda t, g: t.binomial(t.arange(40.0), t.full((40,), 0.6), g),
        lambda t, g: t.multinomial(t.arange(1.0, 9.0), 5, generator=g),
        lambda t, g: t.multinomial(t.arange(1.0, 9.0), 5, True, generator=g),
        lambda t, g: t.normal(t.arange(20.0), 3.0, generator=g),
        lambda t, g: t._sample_dirichlet(t.full((4, 3), 1.5), g),
        lambda t, g: t.empty(40, dtype=t.int32).random_(generator=g),
        lambda t, g: t.randn(100, generator=g),
        lambda t, g: t.randn(20, generator=g, dtype=t.float16),
    ]
    for seed in (11, -3, 2**63 + 5):
        alone = torch.Generator().manual_seed(seed)
        libraries, here = [torch, facula], facula.Generator().manual_seed(seed)
        for i in range(2 * len(steps) + 1):  # each by both libraries: the number of steps is odd
            step, library = steps[i % len(steps)], libraries[i % 2]
            here = moved(here, library)
            found, expected = step(library, here).numpy(), step(torch, alone).numpy()
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def distance(x: Any, y: Any) -> Any:
    """How far numbers are apart, in units of the last place."""
    return np.abs(x - y) / np.spacing(np.maximum(np.abs(x), np.abs(y)))


@with_oracle
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_uniform_numbers_are_the_same_to_the_last_bit(dtype: str) -> None:
    import torch

    for low, high in ((0, 1), (-0.3, 0.8), (1000, 1000.001), (-1 / 3, 1 / 7)):
        drawn = []
        for t in (torch, facula):
            t.manual_seed(3)
            drawn.append(t.empty(20000, dtype=getattr(t, dtype)).uniform_(low, high).numpy())
        np.testing.assert_array_equal(*drawn)


@with_oracle
@pytest.mark.parametrize(("dtype", "apart"), [("float32", 4), ("float64", 4)])
def test_normal_numbers_differ_in_the_last_digit_at_most(dtype: str, apart: int) -> None:
    import torch

    for n in (1, 15, 16, 20001):
        drawn = []
        for t in (torch, facula):
            t.manual_seed(3)
            drawn.append(t.randn(n, dtype=getattr(t, dtype)).numpy())
        far = distance(*drawn)
        assert far.max() <= apart
        assert (far == 0).mean() > 0.8


def test_drawing_nothing_leaves_a_fresh_state_as_it_is() -> None:
    generator = facula.Generator().manual_seed(1)
    before = generator.get_state()
    facula.rand(0, generator=generator)
    facula.randn(3, 0, generator=generator)
    assert facula.equal(generator.get_state(), before)


def test_states_that_are_none_are_refused() -> None:
    generator = facula.Generator()
    with pytest.raises(RuntimeError, match="Invalid mt19937 state"):
        generator.set_state(facula.zeros(5056, dtype=facula.uint8))
    with pytest.raises(RuntimeError, match="of size 5056 but found the input RNG state size to be 5"):
        generator.set_state(facula.zeros(5, dtype=facula.uint8))
    with pytest.raises(RuntimeError, match="must be contiguous"):
        generator.set_state(generator.get_state().repeat(2)[::2])
    with pytest.raises(TypeError, match=r"RNG state must be a torch\.ByteTensor"):
        generator.set_state(facula.zeros(5056))


def exchanged(places: Any) -> list[int]:
    order = list(range(len(places)))
    for i, j in enumerate(places.tolist()):
        order[i], order[j] = order[j], order[i]
    return order


@pytest.mark.parametrize("n", [1, 2, 3, 10, 33, 1000])
def test_a_permutation_is_that_of_exchanges_one_by_one(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(20):
        stream = facula.Generator().manual_seed(seed)
        words = stream.clone_state().words(n - 1).astype(np.int64)
        places = np.append(np.arange(n - 1) + words % np.arange(n, 1, -1), n - 1)
        assert facula.randperm(n, generator=stream).tolist() == exchanged(places)

        monkeypatch.setattr(draws, "_LONG_PERMUTATION", 1)
        places = (draws.long_words(stream.clone_state(), n) % np.arange(1, n + 1, dtype=np.uint64)).astype(np.int64)
        assert facula.randperm(n, generator=stream).tolist() == exchanged(places)
        monkeypatch.undo()


# ---- with the native library


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shared_folder(tmp_path_factory)


@needs_compiler
def test_recorded_streams_are_those_of_the_native_library_too(folder: Path) -> None:
    chosen = "streams or normal_numbers or uniform_numbers or states or permutation"
    files = "tests/test_streams.py", "tests/conformance/test_conformance.py"
    options = "-q", "-n", "0", "-p", "no:cacheprovider", "-k", f"({chosen}) and not native and not golden"
    done = python(folder, "-m", "pytest", *options, *files)
    assert done.returncode == 0, done.stdout
    assert program(folder, "from facula._core.generator import _native_draws; print(bool(_native_draws()))") == "True\n"


@needs_compiler
def test_the_native_library_gives_the_same_with_any_number_of_threads(folder: Path) -> None:
    program(folder, """
import facula
from facula.native import library
draws = [
    lambda: facula.randn(300_001), lambda: facula.randn(300_000, dtype=facula.float64), lambda: facula.rand(300_000),
    lambda: facula.empty(300_000).normal_(1, 2), lambda: facula.empty(300_000).exponential_(),
    lambda: facula.randint(10, (300_000,)), lambda: facula.randperm(100_000),
    lambda: facula.nn.functional.dropout(facula.ones(300_000)), lambda: facula.poisson(facula.full((10_000,), 20.0)),
]
found = []
for n in (1, 2, 3):
    library.load().set_threads(n)
    facula.manual_seed(1)
    found.append([draw().numpy().tobytes() for draw in draws] + [facula.get_rng_state().numpy().tobytes()])
assert found[0] == found[1] == found[2]
""")


@needs_compiler
def test_threads_that_draw_from_one_native_stream_get_each_number_once(folder: Path) -> None:
    said = program(folder, """
import threading
import numpy as np
import facula
drawn = []
def draw():
    for _ in range(20):
        drawn.append(facula.rand(50_000, dtype=facula.float64).numpy())
facula.manual_seed(3)
threads = [threading.Thread(target=draw) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
facula.manual_seed(3)
print(np.array_equal(np.sort(np.concatenate(drawn)), np.sort(facula.rand(4_000_000, dtype=facula.float64).numpy())))
""")
    assert said == "True\n"


# ---- without it: many at once


def one_by_one(draw: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    with monkeypatch.context() as patch:
        patch.setattr(rejections, "_in_attempts", None)
        patch.setattr(rejections, "_many_gammas", None)
        patch.setattr(rejections, "_MANY", 10**9)
        return draw()


@pytest.mark.parametrize("start", [0, 1, 3])
@pytest.mark.parametrize(
    "draw",
    [
        lambda g: facula.poisson(10 + facula.arange(3000.0) % 71, g),
        lambda g: facula.poisson(facula.full((70_000,), 10.0), g),
        lambda g: facula.binomial(100 + facula.arange(3000.0) % 77, 0.2 + facula.arange(3000) % 13 / 20, g),
        lambda g: facula._standard_gamma(facula.ones(3000), g),
        lambda g: facula._standard_gamma(1 + facula.arange(3000) % 31 / 10, g),
        lambda g: facula._standard_gamma(facula.full((400,), 1e6), g),
    ],
)
def test_many_draws_at_once_are_those_made_one_by_one(draw: Any, start: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facula.Generator, "natively", lambda *given: False)
    streams = [facula.Generator().manual_seed(start) for _ in range(2)]
    for stream in streams:
        facula.randn(start, generator=stream)
    found = draw(streams[0])
    assert facula.equal(found, one_by_one(lambda: draw(streams[1]), monkeypatch))
    one, other = [np.delete(stream.get_state().numpy(), np.r_[WAITING]) for stream in streams]
    np.testing.assert_array_equal(one, other)
