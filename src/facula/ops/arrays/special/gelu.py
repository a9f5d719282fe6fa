"""gelu of large float32 arrays and its derivative, tile by tile and with few temporaries."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..tiles import TILE, each_tile
from .approximations import normal_distribution

SMALL = 2048
_DENSITY = np.array(1 / math.sqrt(2 * math.pi), np.float32)

GELU_TILE = 2 * TILE
"""Twice the usual: with some 25 short passes over each tile the calls themselves count."""


def is_large(x: Any) -> bool:
    return x.size > SMALL and x.dtype == np.float32 and x.__class__ is np.ndarray and x.flags.c_contiguous


def gelu_in_tiles(input: Any) -> Any:
    """``x`` times the normal distribution function of ``x``."""
    out = np.empty(input.shape, input.dtype)
    flat, into = input.reshape(-1), out.reshape(-1)

    def job(tile: slice) -> None:
        x, found = flat[tile], into[tile]
        normal_distribution(x, found, np.empty_like(x))
        np.multiply(found, x, found)

    each_tile(flat.size, job, GELU_TILE)
    return out


def gelu_derivative(x: Any, distribution: Any, derivative: Any) -> None:
    """Fill a tile of each: the normal distribution function, and that plus ``x`` times the density."""
    normal_distribution(x, distribution, derivative)
    np.multiply(derivative, _DENSITY, derivative)
    np.multiply(derivative, x, derivative)
    np.add(derivative, distribution, derivative)


def gelu_gradient(g: Any, input: Any) -> Any:
    """``g`` times the derivative."""
    out = np.empty(input.shape, input.dtype)
    up, flat, into = g.reshape(-1), input.reshape(-1), out.reshape(-1)

    def job(tile: slice) -> None:
        x, found = flat[tile], into[tile]
        gelu_derivative(x, np.empty_like(x), found)
        np.multiply(found, up[tile], found)

    each_tile(flat.size, job, GELU_TILE)
    return out
