"""Functions that NumPy lacks: SciPy's, which are quicker, or without it our own, of those that are common."""

from __future__ import annotations

from functools import cache
from typing import Any

from ..meta import by_zeros
from ..types import Array


@cache
def special_function(name: str) -> Any:
    try:
        from scipy import special  # type: ignore[import-untyped]  # optional
    except ImportError:
        from . import error_and_gamma  # loaded when first used

        if (own := getattr(error_and_gamma, name, None)) is not None:
            return own
        raise ImportError(f"facula needs scipy for {name}: pip install scipy") from None
    return getattr(special, name)


def special_of_one(name: str) -> Any:
    """A kernel that looks its function up on first use."""

    def kernel(input: Array) -> Any:
        return special_function(name)(input)

    return kernel


def special_of_two(name: str) -> Any:
    @by_zeros
    def kernel(input: Array, other: Array) -> Any:
        return special_function(name)(input, other)

    return kernel
