"""Reductions of losses as numbers, and what PyTorch's old pair of flags means."""

from __future__ import annotations

import warnings


def get_enum(reduction: str) -> int:
    """The number by which operators know a reduction."""
    from .functional.loss import reduction_number  # loaded when first used

    return reduction_number(None, None, reduction)


def legacy_get_string(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> str:
    """The reduction that the flags mean."""
    meant = "none" if reduce is False else "sum" if size_average is False else "mean"
    if emit_warning:
        warnings.warn(
            f"size_average and reduce args will be deprecated, please use reduction='{meant}' instead.", stacklevel=2
        )
    return meant


def legacy_get_enum(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> int:
    """The number of the reduction that the flags mean."""
    return get_enum(legacy_get_string(size_average, reduce, emit_warning))
