"""The functions of ``torch.distributed`` that are there take what PyTorch's take."""

from __future__ import annotations

import inspect

import pytest

import facula
import facula.distributed as ours
from facula.distributed import algorithms, checkpoint, optim
from facula.nn import SyncBatchNorm
from facula.nn.parallel import DistributedDataParallel

theirs = pytest.importorskip("torch.distributed")

COMMON = sorted(
    name
    for name in {*dir(ours), *ours._LATER} & {*dir(theirs)} - {"reduce_op"}
    if inspect.isfunction(getattr(theirs, name))
)


def parameters(function: object) -> list[str]:
    return list(inspect.signature(function).parameters)  # type: ignore[arg-type]


def test_most_functions_are_there() -> None:
    assert len(COMMON) > 55


@pytest.mark.parametrize("name", COMMON)
def test_parameters_are_those_of_pytorch(name: str) -> None:
    assert parameters(getattr(ours, name)) == parameters(getattr(theirs, name))


def test_parameters_of_classes_are_those_of_pytorch() -> None:
    import torch
    from torch.distributed.algorithms.join import Join
    from torch.distributed.checkpoint import load, save
    from torch.distributed.optim import ZeroRedundancyOptimizer

    for our, their in (
        (DistributedDataParallel.__init__, torch.nn.parallel.DistributedDataParallel.__init__),
        (DistributedDataParallel.join, torch.nn.parallel.DistributedDataParallel.join),
        (SyncBatchNorm.__init__, torch.nn.SyncBatchNorm.__init__),
        (optim.ZeroRedundancyOptimizer.__init__, ZeroRedundancyOptimizer.__init__),
        (algorithms.Join.__init__, Join.__init__),
        (checkpoint.save, save),
        (checkpoint.load, load),
    ):
        assert parameters(our) == parameters(their)


def test_there_are_no_distributed_tensors() -> None:
    from facula.distributed.tensor import DTensor, distribute_tensor

    t = facula.ones(2)
    assert not isinstance(t, DTensor)
    with pytest.raises(NotImplementedError, match="distribute_tensor: facula has no distributed tensors"):
        distribute_tensor(t)
    with pytest.raises(NotImplementedError, match="DTensor: facula has no distributed tensors"):
        DTensor(t)


def test_plain_tensors_compute_where_distributed_ones_would_take_them_for_replicated() -> None:
    from facula.distributed import _tensor, tensor
    from facula.distributed._tensor.experimental import implicit_replication

    assert _tensor.DTensor is tensor.DTensor and _tensor.Shard is tensor.Shard
    with implicit_replication():
        assert (facula.ones(2) + 1).tolist() == [2.0, 2.0]


def test_parameters_are_not_sharded() -> None:
    from facula.distributed import fsdp
    from facula.distributed.checkpoint.hf_storage import HuggingFaceStorageReader

    layer = facula.nn.Linear(1, 1)
    assert not isinstance(layer, (fsdp.FSDPModule, fsdp.FullyShardedDataParallel))
    assert repr(fsdp.MixedPrecisionPolicy(param_dtype=facula.bfloat16)).startswith("MixedPrecisionPolicy(param_dtype=")
    for make in (fsdp.fully_shard, fsdp.FullyShardedDataParallel):
        with pytest.raises(NotImplementedError, match=f"{make.__name__}: facula does not shard parameters"):
            make(layer)
    with pytest.raises(NotImplementedError, match="HuggingFaceStorageReader: facula's distributed checkpoints"):
        HuggingFaceStorageReader("somewhere")
