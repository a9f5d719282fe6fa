"""PyTorch as the tests use it: beside facula, on the CPU, in many short calls."""

from __future__ import annotations

from typing import Any


def only_the_cpu(torch: Any) -> Any:
    """Its ``manual_seed`` without a word to accelerators.

    For each that may be there it writes down the whole stack, which takes longer than what is to be compared.
    """
    for accelerator in (torch.cuda, torch.mtia, torch.xpu):
        accelerator.manual_seed_all = _nothing
    return torch


def as_at_first(torch: Any) -> Any:
    """Its settings as they were, whatever ran before: compiling switches the checks of distributions off."""
    only_the_cpu(torch).distributions.Distribution.set_default_validate_args(__debug__)
    return torch


def _nothing(seed: int) -> None:
    pass
