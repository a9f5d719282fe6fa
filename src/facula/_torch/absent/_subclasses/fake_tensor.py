"""Tensors that only pretend to be on a device. There are none here."""

from __future__ import annotations

from typing import Any

from facula._tensor import Tensor

__all__ = ["FakeTensor", "is_fake"]


class FakeTensor(Tensor):
    """A tensor without values; there is never one."""

    def __new__(cls, *args: Any, **kwargs: Any) -> FakeTensor:
        raise RuntimeError("facula lacks torch._subclasses.FakeTensor: use the meta device")


def is_fake(x: object) -> bool:
    return False
