"""``ReduceOp``: how numbers of several processes are made one."""

from __future__ import annotations

import enum
from typing import Any

__all__ = ["ReduceOp", "reduce_op"]


class RedOpType(enum.Enum):
    SUM = 0
    AVG = 1
    PRODUCT = 2
    MIN = 3
    MAX = 4
    BAND = 5
    BOR = 6
    BXOR = 7
    PREMUL_SUM = 8

    def __str__(self) -> str:
        return f"RedOpType.{self.name}"

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, ReduceOp) and other.op is self)

    def __hash__(self) -> int:
        return self.value

    @property
    def factor(self) -> None:
        return None


class ReduceOp:
    """An operation, by the name ``ReduceOp.SUM`` and so on; as an object of its own where it carries a factor."""

    RedOpType = RedOpType
    SUM, AVG, PRODUCT, MIN, MAX = RedOpType.SUM, RedOpType.AVG, RedOpType.PRODUCT, RedOpType.MIN, RedOpType.MAX
    BAND, BOR, BXOR, PREMUL_SUM = RedOpType.BAND, RedOpType.BOR, RedOpType.BXOR, RedOpType.PREMUL_SUM

    def __init__(self, op: Any, factor: Any = None) -> None:
        self.op = op
        self.factor = factor

    def __eq__(self, other: object) -> bool:
        return self.op is (other.op if isinstance(other, ReduceOp) else other)

    def __hash__(self) -> int:
        return self.op.value

    def __str__(self) -> str:
        return str(self.op)


def _make_nccl_premul_sum(factor: Any) -> ReduceOp:
    """The sum of what each process has, times its factor."""
    return ReduceOp(RedOpType.PREMUL_SUM, factor)


class _OldNames:
    """``reduce_op.SUM``, as it was written long ago."""

    SUM, PRODUCT, MIN, MAX = RedOpType.SUM, RedOpType.PRODUCT, RedOpType.MIN, RedOpType.MAX


reduce_op = _OldNames()
