"""Functions that SciPy has and NumPy lacks."""

from __future__ import annotations

from functools import cache
from typing import Any

from .types import Array


@cache
def _scipy(name: str) -> Any:
    try:
        from scipy import special  # type: ignore[import-untyped]  # optional
    except ImportError:
        raise ImportError(f"facula needs scipy for {name}: pip install 'facula[full]'") from None
    return getattr(special, name)


def by_scipy(name: str) -> Any:
    """A kernel that looks its function up on first use."""

    def kernel(input: Array) -> Any:
        return _scipy(name)(input)

    return kernel


def by_scipy_of_two(name: str) -> Any:
    def kernel(input: Array, other: Array) -> Any:
        return _scipy(name)(input, other)

    return kernel
