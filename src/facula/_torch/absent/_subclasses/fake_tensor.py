"""Tensors that only pretend to be on a device. There are none here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from facula._tensor import Tensor

__all__ = ["FakeTensor", "is_fake", "unset_fake_temporarily"]


class FakeTensor(Tensor):
    """A tensor without values; there is never one."""

    def __new__(cls, *args: Any, **kwargs: Any) -> FakeTensor:
        raise RuntimeError("facula lacks torch._subclasses.FakeTensor: use the meta device")


def is_fake(x: object) -> bool:
    return False


@contextmanager
def unset_fake_temporarily() -> Iterator[None]:
    """Within it, tensors are what they say; here they always are."""
    yield None
