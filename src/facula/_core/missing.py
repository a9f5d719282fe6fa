"""What stands for an argument that was not given."""

from __future__ import annotations


class Missing:
    """The default of a parameter for which None means something; signatures show three dots."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "..."
