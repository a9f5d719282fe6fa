"""Training in 1, 2 and 4 processes ends as in one, and as with PyTorch's DistributedDataParallel on gloo."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.distributed.ranks import needs_mpi, needs_pytorch, on_facula, on_pytorch

EVERYTHING, ALONE = "cases_training.everything", "cases_training.in_one_process"
OURS = tuple(
    f"cases_training.{name}"
    for name in ("sync_batch_norm", "zero_redundancy", "samplers_and_seeds", "sharded_norm", "stores")
)
BOTH = tuple(
    f"cases_training.{name}"
    for name in ("derivatives", "functional_collectives", "handles", "meshes", "states_by_names")
)


def ours(size: int) -> dict[str, list[Any]]:
    """One run for all tests of a size."""
    return on_facula(size, EVERYTHING, ALONE, *OURS, *(BOTH if size == 2 else ()))


def different(a: Any, b: Any, path: str = "", tolerance: float = 1e-12) -> list[str]:
    if isinstance(a, dict):
        assert a.keys() == b.keys(), path
        return [text for key in a for text in different(a[key], b[key], f"{path}/{key}", tolerance)]
    if isinstance(a, (list, tuple)) and not isinstance(b, np.ndarray):
        assert len(a) == len(b), path
        return [text for i, each in enumerate(a) for text in different(each, b[i], f"{path}/{i}", tolerance)]
    if a is None or b is None or isinstance(a, (str, bool)):
        return [] if a is b or a == b else [f"{path}: {a} {b}"]
    close = np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=tolerance, atol=tolerance)
    return [] if close else [f"{path}: {a} {b}"]


@needs_mpi
@pytest.mark.parametrize("size", [1, 2, 4])
def test_ends_as_in_one_process(size: int) -> None:
    for rank in range(size):
        together, alone = ours(size)[EVERYTHING][rank], ours(size)[ALONE][rank]
        for name, names in {
            "mlp": ["mlp", "mlp in small buckets", "mlp, gradients in buckets", "mlp, static"],
            "mlp, accumulated": ["mlp, accumulated", "mlp, accumulated in buckets"],
            "shared": ["shared"],
        }.items():
            for each in names:
                assert not different(together[each], alone[name], each)


@needs_mpi
@needs_pytorch
@pytest.mark.parametrize("size", [1, 2, 4])
def test_ends_as_with_pytorch(size: int) -> None:
    theirs = on_pytorch(size, EVERYTHING, *(BOTH if size == 2 else ()))[EVERYTHING]
    for rank in range(size):
        assert not different(ours(size)[EVERYTHING][rank], theirs[rank], f"rank {rank}", 1e-10)


@needs_mpi
@needs_pytorch
@pytest.mark.parametrize("case", BOTH)
def test_does_as_pytorch_does(case: str) -> None:
    theirs = on_pytorch(2, EVERYTHING, *BOTH)[case]
    assert not different(ours(2)[case], theirs, case)


@needs_mpi
@pytest.mark.parametrize("size", [2, 4])
def test_all_ranks_end_with_the_same_weights(size: int) -> None:
    found = ours(size)[EVERYTHING]
    for name in ("cnn", "partly used", "uneven"):
        weights = [{k: v for k, v in each[name].items() if "running" not in k} for each in found]
        assert all(not different(weights[0], each, name, 0) for each in weights)


@needs_mpi
@pytest.mark.parametrize("size", [1, 2, 4])
def test_batch_norm_over_all_processes_is_that_of_the_whole_batch(size: int) -> None:
    for together, alone in ours(size)["cases_training.sync_batch_norm"]:
        assert not different(together, alone)


@needs_mpi
@pytest.mark.parametrize("size", [1, 2, 4])
def test_an_optimizer_in_shares_is_the_whole_one(size: int) -> None:
    found = ours(size)["cases_training.zero_redundancy"]
    for each in found:
        assert not different(*each["weights"])
        assert not different(*each["moments"])
    assert sum(found[0]["counts"]) == 6 and all(found[0]["counts"])


@needs_mpi
def test_ranks_see_other_samples_and_drop_other_units() -> None:
    found = ours(2)["cases_training.samplers_and_seeds"]
    assert {*found[0]["indices"], *found[1]["indices"]} == set(range(11))
    assert found[0]["dropped"] != found[1]["dropped"]


@needs_mpi
def test_the_norm_of_gradients_in_parts_is_that_of_the_whole() -> None:
    norm = np.linalg.norm(np.arange(12.0))
    for rank, (found, *clipped) in enumerate(ours(4)["cases_training.sharded_norm"]):
        assert found == pytest.approx(norm, rel=1e-6)
        assert clipped == pytest.approx(((np.arange(3) + 3 * rank) / norm).tolist(), rel=1e-5)


@needs_mpi
@pytest.mark.parametrize("size", [2, 4])
def test_stores_share_keys(size: int) -> None:
    for values, total, *rest in ours(size)["cases_training.stores"]:
        assert values == [str(rank).encode() for rank in range(size)]
        assert total == size * (size + 1) // 2
        assert rest == [b"2", False, True, 0]
