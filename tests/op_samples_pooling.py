"""Samples of pooling, resampling and sampling at places; ``op_samples`` imports them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import facula as torch

from .op_samples import adjoint, draw, sample

functional = torch.nn.functional


def distinct(*shape: int) -> Any:
    """Numbers that are far enough apart for the greatest of some to stay the greatest."""
    n = int(np.prod(shape))
    return torch.from_numpy(draw.rng.permutation(n).reshape(shape) * 0.1 + 0.05)


def with_adjoint(name: str, fn: Callable[[Any], Any], x: Any, *, twice: bool = False) -> None:
    """A function of one tensor, its derivative, and, if that is another primitive, the derivative of that."""
    sample(name, fn, x)
    g = draw(*fn(x).shape)
    back = adjoint(fn, x)
    sample(f"{name}_backward", back, g)
    if twice:
        sample(f"{name}_backward_backward", adjoint(back, g), draw(*x.shape))


# ---- pooling

for _n in (2, 3):
    _x = distinct(1, 2, *(5, 4, 4)[:_n])

    def _max_pool(x: Any, n: int = _n) -> Any:
        return getattr(functional, f"max_pool{n}d")(x, 3, 2, 1, ceil_mode=True)

    def _disjoint(x: Any, n: int = _n) -> Any:
        return getattr(functional, f"max_pool{n}d")(x, (1, 2, 2)[-n:])

    def _avg_pool(x: Any, n: int = _n) -> Any:
        return getattr(functional, f"avg_pool{n}d")(x, 3, 2, 1, True, False)

    def _adaptive_avg(x: Any, n: int = _n) -> Any:
        return getattr(functional, f"adaptive_avg_pool{n}d")(x, (3, 2, 6)[-n:])

    def _adaptive_max(x: Any, n: int = _n) -> Any:
        return getattr(functional, f"adaptive_max_pool{n}d")(x, (3, 2, 6)[-n:])

    _random = draw(1, 2, _n, low=0.0)

    def _fractional(x: Any, n: int = _n, random: Any = _random) -> Any:
        return getattr(functional, f"fractional_max_pool{n}d")(x, 2, 2, _random_samples=random)

    _places = getattr(functional, f"max_pool{_n}d")(_x, 2, return_indices=True)[1]

    def _unpool(x: Any, n: int = _n, places: Any = _places) -> Any:
        return getattr(functional, f"max_unpool{n}d")(x, places, 2)

    with_adjoint(f"max_pool{_n}d", _max_pool, _x, twice=True)
    sample(f"max_pool{_n}d", _disjoint, _x)
    with_adjoint(f"avg_pool{_n}d", _avg_pool, _x)
    with_adjoint(f"adaptive_avg_pool{_n}d", _adaptive_avg, _x)
    with_adjoint(f"adaptive_max_pool{_n}d", _adaptive_max, _x, twice=True)
    with_adjoint(f"fractional_max_pool{_n}d", _fractional, _x, twice=True)
    _back = adjoint(_unpool, draw(*_places.shape))
    with_adjoint(f"max_unpool{_n}d", _unpool, draw(*_places.shape), twice=True)
    sample(
        f"max_unpool{_n}d_backward_backward_backward",
        adjoint(adjoint(_back, draw(*_unpool(draw(*_places.shape)).shape)), draw(*_places.shape)),
        draw(*_unpool(draw(*_places.shape)).shape),
    )


# ---- resampling


def _interpolation(name: str, mode: str, n: int, **settings: Any) -> None:
    x = draw(1, 2, *(4, 3, 5)[:n])

    def larger(x: Any) -> Any:
        return functional.interpolate(x, scale_factor=(1.7, 2.3, 0.6)[:n], mode=mode, **settings)

    def smaller(x: Any) -> Any:
        return functional.interpolate(x, (3, 2, 7)[:n], mode=mode, **settings)

    with_adjoint(name, larger, x)
    with_adjoint(name, smaller, x)


for _n, _mode in ((1, "linear"), (2, "bilinear"), (3, "trilinear")):
    _interpolation(f"upsample_nearest{_n}d", "nearest", _n)
    _interpolation(f"upsample_nearest_exact{_n}d", "nearest-exact", _n)
    _interpolation(f"upsample_{_mode}{_n}d", _mode, _n, align_corners=True)
    _interpolation(f"upsample_{_mode}{_n}d", _mode, _n)
_interpolation("upsample_bicubic2d", "bicubic", 2)
for _mode in ("bilinear", "bicubic", "lanczos"):
    _interpolation(f"upsample_{_mode}2d_aa", _mode, 2, antialias=True)


# ---- places


def _grid(*shape: int, reach: float = 0.9) -> Any:
    return draw(*shape, low=-reach, high=reach)


for _n in (2, 3):
    for _mode in ("bilinear", "nearest", "bicubic")[: 5 - _n]:
        for _padding in ("zeros", "border", "reflection"):

            def _sampled(x: Any, grid: Any, mode: str = _mode, padding: str = _padding) -> Any:
                return functional.grid_sample(x, grid, mode, padding, padding == "border")

            _where = _grid(1, *(2, 1, 2)[:_n], _n, reach=1.4)
            sample(f"grid_sampler_{_n}d", _sampled, draw(1, 2, *(3, 4, 3)[:_n]), _where)

_x, _where = draw(1, 2, 3, 4), _grid(1, 2, 2, 2)
sample(
    "_grid_sampler_2d_cpu_fallback", lambda x, at: torch._grid_sampler_2d_cpu_fallback(x, at, 0, 1, False), _x, _where
)
sample("take_points", lambda x: torch.func.grad(
    lambda where: functional.grid_sample(x, where, align_corners=True).sum()
)(_where), _x)  # fmt: skip
sample("add_points", adjoint(lambda x: functional.grid_sample(x, _where, align_corners=True), _x), draw(1, 2, 2, 2))
sample("affine_grid_generator", lambda theta: functional.affine_grid(theta, (2, 1, 3, 2), False), draw(2, 2, 3))
sample("affine_grid_generator", lambda theta: functional.affine_grid(theta, (1, 1, 3, 2, 2), True), draw(1, 3, 4))
sample(
    "affine_grid_adjoint",
    adjoint(lambda theta: functional.affine_grid(theta, (2, 1, 3, 2), False), draw(2, 2, 3)),
    draw(2, 3, 2, 2),
)
