"""``torch.jit.annotations``: types for compiled programs, which are plain types here."""

from __future__ import annotations

import typing
from typing import Any

__all__ = ["BroadcastingList1", "BroadcastingList2", "BroadcastingList3"]


class _BroadcastingList:
    """``BroadcastingList2[int]``: a list of two, or one for both."""

    def __getitem__(self, types: Any) -> Any:
        return list[types]


BroadcastingList1 = BroadcastingList2 = BroadcastingList3 = _BroadcastingList()
Dict, List, Tuple = (getattr(typing, _name) for _name in ("Dict", "List", "Tuple"))
Optional, Union = typing.Optional, typing.Union
for _i in range(4, 7):
    globals()[f"BroadcastingList{_i}"] = BroadcastingList1
