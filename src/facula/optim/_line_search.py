"""A line search that ends where the strong Wolfe conditions hold (Nocedal & Wright, chapter 3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


def _cubic_interpolate(
    x1: Any, f1: Any, g1: Any, x2: Any, f2: Any, g2: Any, bounds: tuple[Any, Any] | None = None
) -> Any:
    """The least point, between bounds, of the cubic with given values and slopes at two points."""
    low, high = bounds if bounds is not None else (x1, x2) if x1 <= x2 else (x2, x1)
    d1 = g1 + g2 - 3 * (f1 - f2) / (x1 - x2)
    square = d1**2 - g1 * g2
    if square < 0:
        return (low + high) / 2.0
    root = square**0.5
    if x1 <= x2:
        least = x2 - (x2 - x1) * ((g2 + root - d1) / (g2 - g1 + 2 * root))
    else:
        least = x1 - (x1 - x2) * ((g1 + root - d1) / (g1 - g2 + 2 * root))
    return min(max(least, low), high)


class _Point(NamedTuple):
    """A point of the line: how far, the value there, the gradient, and the slope along the line."""

    t: Any
    f: Any
    g: Any
    slope: Any


def _strong_wolfe(
    obj_func: Callable[[Any, Any, Any], tuple[Any, Any]], x: Any, t: Any, d: Any, f: Any, g: Any, gtd: Any,
    c1: float = 1e-4, c2: float = 0.9, tolerance_change: float = 1e-9, max_ls: int = 25,
) -> tuple[Any, Any, Any, int]:  # fmt: skip
    """Value, gradient and length of a step along ``d`` that lessens both well, and how many evaluations it took."""
    longest = d.abs().max()
    start = _Point(0, f, g.clone(), gtd)
    evaluations = 0

    def at(t: Any) -> _Point:
        nonlocal evaluations
        value, gradient = obj_func(x, t, d)
        evaluations += 1
        return _Point(t, value, gradient.clone(), gradient.dot(d))

    def too_high(point: _Point) -> bool:
        return bool(point.f > start.f + c1 * point.t * start.slope)

    def flat_enough(point: _Point) -> bool:
        return bool(abs(point.slope) <= -c2 * start.slope)

    bracket, done = _bracket(at, start, t, too_high, flat_enough, max_ls)
    best = _narrowed(at, bracket, too_high, flat_enough, longest, tolerance_change, max_ls, done)
    return best.f, best.g, best.t, evaluations


def _bracket(
    at: Callable[[Any], _Point], start: _Point, t: Any, too_high: Callable[[_Point], bool],
    flat_enough: Callable[[_Point], bool], max_ls: int,
) -> tuple[list[_Point], int]:  # fmt: skip
    """Go outwards until a good point lies between two, or is found; also how many times it went on."""
    previous, now = start, at(t)
    rounds = 0
    while rounds < max_ls:
        if too_high(now) or (rounds > 1 and now.f >= previous.f):
            return [previous, now], rounds
        if flat_enough(now):
            return [now], rounds
        if now.slope >= 0:
            return [previous, now], rounds
        nearest, farthest = now.t + 0.01 * (now.t - previous.t), now.t * 10
        t = _cubic_interpolate(
            previous.t, previous.f, previous.slope, now.t, now.f, now.slope, bounds=(nearest, farthest)
        )
        previous, now = now, at(t)
        rounds += 1
    return [start, now], rounds


def _narrowed(
    at: Callable[[Any], _Point], bracket: list[_Point], too_high: Callable[[_Point], bool],
    flat_enough: Callable[[_Point], bool], longest: Any, tolerance_change: float, max_ls: int, rounds: int,
) -> _Point:  # fmt: skip
    """Halve the bracket, by interpolation, until the conditions hold or it is too narrow."""
    if len(bracket) == 1:
        return bracket[0]
    low, high = (0, 1) if bracket[0].f <= bracket[-1].f else (1, 0)
    little_progress = False
    while rounds < max_ls:
        if abs(bracket[1].t - bracket[0].t) * longest < tolerance_change:
            break
        t = _cubic_interpolate(
            bracket[0].t, bracket[0].f, bracket[0].slope, bracket[1].t, bracket[1].f, bracket[1].slope
        )
        nearest, farthest = sorted(point.t for point in bracket)
        margin = 0.1 * (farthest - nearest)
        if min(farthest - t, t - nearest) < margin:
            if little_progress or t >= farthest or t <= nearest:
                t = farthest - margin if abs(t - farthest) < abs(t - nearest) else nearest + margin
                little_progress = False
            else:
                little_progress = True
        else:
            little_progress = False
        new = at(t)
        rounds += 1
        if too_high(new) or new.f >= bracket[low].f:
            bracket[high] = new
            low, high = (0, 1) if bracket[0].f <= bracket[1].f else (1, 0)
        else:
            if flat_enough(new):
                bracket[low] = new
                break
            if new.slope * (bracket[high].t - bracket[low].t) >= 0:
                bracket[high] = bracket[low]
            bracket[low] = new
    return bracket[low]
