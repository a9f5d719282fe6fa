"""Choosing by a mask in derivative rules: ``xp.keep``, ``xp.drop``, ``xp.either``, ``xp.cleared``."""

from __future__ import annotations

from typing import Any

from ..arrays import masks
from ..machine.rules import in_both_namespaces


def _keep(input: Any, mask: Any) -> Any:
    from .selection import where_op  # on Tensors only: seldom needed

    return where_op(mask, input, 0, input._array.dtype)


def _drop(input: Any, mask: Any) -> Any:
    from .selection import where_op  # on Tensors only: seldom needed

    return where_op(mask, 0, input, input._array.dtype)


def _either(mask: Any, a: Any, b: Any) -> Any:
    from .selection import where  # on Tensors only: seldom needed

    return where(mask, a, b)


def _cleared(input: Any, mask: Any) -> Any:
    """0 where the mask is True, by ``masked_fill`` as PyTorch's rules have it."""
    from ..indexing.masked import masked_fill  # on Tensors only: seldom needed

    return masked_fill(input, mask, 0)


in_both_namespaces("keep", masks.keep, _keep)
in_both_namespaces("drop", masks.drop, _drop)
in_both_namespaces("either", masks.either, _either)
in_both_namespaces("cleared", masks.cleared, _cleared)
