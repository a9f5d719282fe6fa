"""Delicate points, and a look at an operator there: value, gradient and second gradient in several precisions.

Each observation carries the tolerance that its precision can keep (see ``compare``). A negative zero is told apart from
zero in values; in gradients, where libraries multiply in different orders, zeros are zeros.

Left out of a case are points where facula's answer is right and PyTorch's comes from an overflow on the way, or depends
on whether its loop took the number alone or together with others.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

DOUBLE, SINGLE, HALF, BRAIN = "float64", "float32", "float16", "bfloat16"
PRECISIONS = (DOUBLE, SINGLE, HALF, BRAIN)

VALUE_TOLERANCE = {DOUBLE: (1e-6, 0.0), SINGLE: (2e-5, 0.0), HALF: (1.1e-3, 7e-8), BRAIN: (8e-3, 1e-38)}
SLOPE_TOLERANCE = {DOUBLE: (2e-6, 1e-9), SINGLE: (1e-4, 1e-6), HALF: (2e-2, 2e-3), BRAIN: (6e-2, 2e-2)}

TINY = {DOUBLE: 5e-324, SINGLE: 1.4e-45, HALF: 6e-8, BRAIN: 1e-40}
HUGE = {DOUBLE: 1.6e308, SINGLE: 3e38, HALF: 60000.0, BRAIN: 3e38}
INF, NAN = math.inf, math.nan


def edges(precision: str, without: str = "") -> list[float]:
    """Where formulas fail: zeros, infinities, nan, small, subnormal and huge numbers, ``without`` some by name."""
    some = {
        "small": 1e-4 if precision in (HALF, BRAIN) else 1e-9,
        "tiny": TINY[precision],
        "huge": HUGE[precision],
        "infinite": INF,
    }
    both = [s * v for name, v in some.items() if name not in without for s in (1, -1)]
    return [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.5, -2.0, 30.0, -30.0, *both, *[NAN] * ("nan" not in without)]


GRID = [0.0, -0.0, 1.0, -1.0, 0.5, -2.0, -2.5, 3.0, INF, -INF, NAN]


def pairs(numbers: list[float] = GRID) -> tuple[list[float], list[float]]:
    """Every number with every number."""
    return [a for a in numbers for _ in numbers], [b for _ in numbers for b in numbers]


def find(torch: Any, name: str) -> Any:
    """A function by its name with dots."""
    found = torch
    for part in name.split("."):
        found = getattr(found, part)
    return found


def number(v: Any) -> Any:
    """Seven digits; complex numbers as two; the sign of zero as a word."""
    if isinstance(v, (list, tuple)):
        return [number(x) for x in v]
    if isinstance(v, complex):
        return [number(v.real), number(v.imag)]
    if isinstance(v, bool) or not isinstance(v, float):
        return v
    if v == 0.0 and math.copysign(1.0, v) < 0:
        return "-0"
    return float(f"{v:.7g}")


def unsigned(v: Any) -> Any:
    """As ``number``, but a zero is a zero."""
    if isinstance(v, list):
        return [unsigned(x) for x in v]
    return 0.0 if v == "-0" else v


def told(torch: Any, t: Any, slope: bool = False, signs: bool = True) -> Any:
    """A tensor's numbers and dtype, with the tolerance of its precision (a wider one for slopes)."""
    if t is None:
        return None
    precision = str(t.dtype).removeprefix("torch.").removeprefix("facula.")
    kind = {"complex128": DOUBLE, "complex64": SINGLE}.get(precision, precision)
    t = t.detach().clone().resolve_conj().resolve_neg()
    numbers = number((t.to(torch.float32) if kind == BRAIN else t).tolist())
    seen: dict[str, Any] = {"values": numbers if signs and not slope else unsigned(numbers), "dtype": precision}
    if kind in PRECISIONS:
        seen["tolerance"] = list((SLOPE_TOLERANCE if slope else VALUE_TOLERANCE)[kind])
    return seen


def as_leaf(torch: Any, x: Any, precision: str) -> Any:
    """Numbers as a leaf of that precision; tensors, and what is no number, as they are."""
    if isinstance(x, torch.Tensor) or not isinstance(x, (float, list)):
        return x
    return torch.tensor(x, dtype=getattr(torch, precision)).requires_grad_()


def look(torch: Any, fn: Any, *inputs: Any, precision: str = DOUBLE, twice: bool = True, signs: bool = True) -> Any:
    """What ``fn`` gives, the gradients of its sum, and the gradients of the sum of these; or what it raises.

    ``signs``: whether zeros in what it gives have signs to be kept.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _look(torch, fn, inputs, precision, twice, signs)


def _look(torch: Any, fn: Any, inputs: Any, precision: str, twice: bool, signs: bool) -> Any:
    given = [as_leaf(torch, x, precision) for x in inputs]
    leaves = [x for x in given if isinstance(x, torch.Tensor) and x.requires_grad]
    try:
        result = fn(*given)
    except Exception as e:
        return {"raises": type(e).__name__, "message": str(e)}
    outs = [result] if isinstance(result, torch.Tensor) else [t for t in result if isinstance(t, torch.Tensor)]
    seen: dict[str, Any] = {"out": [told(torch, t, signs=signs) for t in outs]}
    outs = [t for t in outs if t.requires_grad]
    if not outs:
        return seen
    try:
        ones = [torch.ones_like(t) for t in outs]
        first = torch.autograd.grad(outs, leaves, ones, create_graph=twice, allow_unused=True)
    except Exception as e:
        return seen | {"first": {"raises": type(e).__name__, "message": str(e)}}
    seen["first"] = [told(torch, g, slope=True) for g in first]
    firsts = [g for g in first if g is not None and g.requires_grad]
    if not twice:
        return seen
    second = [None] * len(leaves)
    if firsts:
        try:
            second = torch.autograd.grad(firsts, leaves, [torch.ones_like(g) for g in firsts], allow_unused=True)
        except Exception as e:
            return seen | {"second": {"raises": type(e).__name__, "message": str(e)}}
    # A constant has no gradient or a zero one; libraries differ in what they know to be constant.
    second = [torch.zeros_like(t) if g is None else g for t, g in zip(leaves, second)]
    return seen | {"second": [told(torch, g, slope=True) for g in second]}
