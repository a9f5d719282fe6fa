"""What goes wrong between processes."""

from __future__ import annotations

from typing import Any

__all__ = [
    "DistBackendError", "DistError", "DistNetworkError", "DistStoreError", "QueueEmptyError", "no_group",
]  # fmt: skip


class DistError(RuntimeError):
    """Any error of facula.distributed."""


class DistBackendError(DistError):
    """A communication has failed: another process is gone, late, or in another call."""


class DistNetworkError(DistError):
    """The network has failed."""


class DistStoreError(DistError):
    """A store has failed, or a key was not there in time."""


class QueueEmptyError(DistStoreError):
    """There is nothing in a queue of a store."""


def no_group() -> ValueError:
    return ValueError("Default process group has not been initialized, please make sure to call init_process_group.")


def not_a_tensor(name: str, value: Any, expected: str = "torch.Tensor") -> TypeError:
    return TypeError(
        f"Invalid function argument. Expected parameter `{name}` of type {expected}\n"
        f"             but got {type(value)} instead."
    )
