"""``torch.distributed.nn``: communication that gradients flow through. There is no group to communicate in."""

from __future__ import annotations

from typing import Any, NoReturn

from . import _no_group

__all__ = ["all_gather", "all_reduce", "all_to_all", "broadcast", "gather", "reduce", "reduce_scatter", "scatter"]


def _communicate(*args: Any, **kwargs: Any) -> NoReturn:
    raise _no_group()


all_gather = all_reduce = all_to_all = broadcast = gather = reduce = reduce_scatter = scatter = _communicate
