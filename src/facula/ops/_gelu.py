"""gelu of large float32 arrays and its derivative, tile by tile and with few temporaries."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ._approximations import normal_distribution
from ._tiles import each_tile

_SMALL = 2048
_MINUS_HALF, _DENSITY = np.float32(-0.5), np.float32(1 / math.sqrt(2 * math.pi))


def is_large(x: Any) -> bool:
    return x.size > _SMALL and x.dtype == np.float32 and x.__class__ is np.ndarray and x.flags.c_contiguous


def gelu_in_tiles(input: Any) -> Any:
    """``x`` times the normal distribution function of ``x``."""
    out = np.empty(input.shape, input.dtype)
    flat, into = input.reshape(-1), out.reshape(-1)

    def job(tile: slice) -> None:
        normal_distribution(flat[tile], into[tile])
        into[tile] *= flat[tile]

    each_tile(flat.size, job)
    return out


def gelu_gradient(g: Any, input: Any) -> Any:
    """``g`` times (the distribution function plus ``x`` times the density)."""
    out = np.empty(input.shape, input.dtype)
    up, flat, into = g.reshape(-1), input.reshape(-1), out.reshape(-1)

    def job(tile: slice) -> None:
        x, found = flat[tile], into[tile]
        normal_distribution(x, found)
        more = x * x
        more *= _MINUS_HALF
        np.exp(more, out=more)
        more *= _DENSITY
        more *= x
        found += more
        found *= up[tile]

    each_tile(flat.size, job)
    return out
