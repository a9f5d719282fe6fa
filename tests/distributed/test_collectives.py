"""Collectives beside PyTorch's gloo."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.distributed.ranks import needs_mpi, needs_pytorch, on_facula, on_pytorch

TOLERANCES = {"torch.float16": 2e-3, "torch.bfloat16": 2e-2, "torch.float32": 1e-6, "torch.complex64": 1e-6}


def same(ours: Any, theirs: Any) -> bool:
    if isinstance(theirs, (list, tuple)) and len(theirs) == 2 and isinstance(theirs[1], np.ndarray):
        name, values = theirs
        return ours[0] == name and np.allclose(ours[1], values, rtol=TOLERANCES.get(name, 1e-12), atol=0)
    if isinstance(theirs, (list, tuple)):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return type(ours) is type(theirs) and bool(ours == theirs)


def same_outcome(ours: Any, theirs: Any) -> bool:
    """The same, where gloo can do it at all, and says what it wants to say."""
    if theirs is not None and ours[:3] == theirs[:3] and isinstance(theirs[3], tuple):
        if str(theirs[3][1]) == "Invalid scalar type":
            return True
        if "does not support" in str(theirs[3][1]):  # where gloo prints a number as a character
            return bool(ours[3][0] == theirs[3][0] and "on complex tensors" in ours[3][1])
    return same(ours, theirs)


@needs_mpi
@needs_pytorch
def test_two_thousand_random_calls_do_as_gloo_does() -> None:
    case = "cases_calls.random_calls"
    ours, theirs = on_facula(3, case)[case], on_pytorch(3, case)[case]
    different = [
        (number, rank, ours[rank][number], theirs[rank][number])
        for rank in range(3)
        for number in range(len(theirs[rank]))
        if not same_outcome(ours[rank][number], theirs[rank][number])
    ]
    assert len(theirs[0]) == 2000
    assert not different, "\n".join(map(str, different[:20]))
