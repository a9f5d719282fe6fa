"""What a tensor inside a transform says when it is asked for numbers; see ``_levels.wrapped``."""

from __future__ import annotations

from typing import Any


class NeedsValues(Exception):
    """Something needs the elements of a wrapped tensor, one by one or before they are known."""

    def __init__(self, depth: int) -> None:
        super().__init__("a tensor inside a transform was asked for its elements")
        self.depth = depth


class DrawsDiffer(NeedsValues):
    """Random numbers are wanted that differ from item to item of a batch."""

    def __init__(self, level: Any) -> None:
        super().__init__(level.depth)
        self.level = level
