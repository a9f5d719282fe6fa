"""``torch.distributed.autograd``: a graph over several processes that call each other, which they cannot do here."""

from __future__ import annotations

from typing import Any

__all__ = ["context", "is_available"]


def is_available() -> bool:
    """Whether graphs reach into other processes: no."""
    return False


class context:
    """A graph over several processes; entering it raises."""

    def __enter__(self) -> Any:
        raise RuntimeError("facula.distributed has no calls of functions in other processes (rpc)")

    def __exit__(self, *exc: object) -> None:
        pass
