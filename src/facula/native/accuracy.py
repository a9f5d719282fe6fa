"""How far the elementary functions are from the true values: ``python -m facula.native.accuracy`` prints a table.

float32 is held against NumPy's float64, on bit patterns evenly spread over all floats and on the usual range; float64
against NumPy's long double, where that is wider. erf needs mpmath for float64, and is left out without.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from . import kernels as K
from . import library
from . import references as R

WIDE = np.longdouble
Function = Callable[[Any], Any]


def _sigmoid(x: Any) -> Any:
    z = np.exp(-np.abs(x))
    return np.where(x < 0, z, x.dtype.type(1)) / (1 + z)


TRUE: dict[str, Function] = {"exp": np.exp, "log": np.log, "tanh": np.tanh, "sigmoid": _sigmoid, "erf": R.erf}


def samples(d: Any, count: int) -> Any:
    """Floats of all sizes and signs, and as many in the range where functions are not flat."""
    kind, top = (np.uint32, 2**32) if d == np.float32 else (np.uint64, 2**64)
    patterns = (np.arange(count, dtype=np.float64) * (top / count)).astype(kind)
    usual = np.random.default_rng(0).uniform(-12, 12, count)
    with np.errstate(all="ignore"):
        return np.concatenate([patterns.view(d), usual.astype(d)])


def true_values(name: str, x: Any) -> Any:
    if x.dtype == np.float32:
        return TRUE[name](x.astype(np.float64))
    if name != "erf":
        return TRUE[name](x.astype(WIDE))
    mpmath = importlib.import_module("mpmath")
    mpmath.mp.prec = 80
    near = [v if math.isinf(v) or math.isnan(v) else mpmath.erf(v) for v in x.tolist()]
    return np.array([WIDE(str(v)) for v in near])


def largest_error(name: str, x: Any, found: Any) -> tuple[float, int]:
    """(the largest error, in units of the last place; how many results are inf, NaN or finite wrongly)."""
    with np.errstate(all="ignore"):
        right = true_values(name, x)
        rounded = right.astype(x.dtype)
        strange = ~np.isfinite(rounded) | ~np.isfinite(found)
        agree = (found == rounded) | (np.isnan(found) & np.isnan(rounded))
        ulp = np.spacing(np.abs(rounded)).astype(right.dtype)
        errors = np.where(strange, 0, np.abs(found.astype(right.dtype) - right) / ulp)
    return float(errors.max()), int((strange & ~agree).sum())


def table(count: int = 500_000) -> list[tuple[str, str, float, int, float | None]]:
    """(function, dtype, error, wrong inf or NaN, NumPy's error) for each."""
    lines = []
    for d in (np.dtype(np.float32), np.dtype(np.float64)):
        for name in TRUE:
            x = samples(d, count if name != "erf" else count // 10)
            if d == np.float64 and (np.finfo(WIDE).nmant <= 52 or (name == "erf" and not _has_mpmath())):
                continue
            if d == np.float64 and name == "erf":
                x = x[::10].copy()
            error, wrong = largest_error(name, x, getattr(K, name)(x))
            numpy = getattr(np, name, None)
            with np.errstate(all="ignore"):
                its = None if numpy is None else largest_error(name, x, numpy(x))[0]
            lines.append((name, d.name, error, wrong, its))
    return lines


def _has_mpmath() -> bool:
    return importlib.util.find_spec("mpmath") is not None


if __name__ == "__main__":
    if not library.in_use():
        sys.exit(f"facula: the native library is not in use: {library.why_not()}")
    print("| function | dtype | largest error, ulp | wrong inf or NaN | NumPy's error, ulp |\n|---|---|---|---|---|")
    for name, dtype, error, wrong, its in table():
        print(f"| {name} | {dtype} | {error:.2f} | {wrong} | {'' if its is None else format(its, '.2f')} |")
