"""Silence about overflow, division by zero and invalid values: NumPy warns of them, PyTorch does not.

NumPy looks up how to treat such an event only when one has happened, in a context variable. ``np.errstate`` sets it as
well, but takes ten times as long, which would show in every small operation.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

try:
    from numpy._core.umath import _extobj_contextvar, _make_extobj

    _IGNORE = _make_extobj(all="ignore")
    _set = _extobj_contextvar.set
    end = _extobj_contextvar.reset
    """Give back what ``begin`` returned."""

    begin: Callable[[], Any] = partial(_set, _IGNORE)
    """Be silent from here on."""

except ImportError:  # another NumPy: the public way

    def begin() -> Any:
        state = np.errstate(all="ignore")
        state.__enter__()
        return state

    def end(token: Any) -> None:
        token.__exit__(None, None, None)


SAFE = frozenset(
    (np.add, np.subtract, np.multiply, np.negative, np.positive, np.absolute, np.maximum, np.minimum, np.fmax, np.fmin,
     np.tanh, np.sin, np.cos, np.arctan, np.sign, np.floor, np.ceil, np.trunc, np.rint, np.copysign, np.conjugate,
     np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal, np.logical_and, np.logical_or,
     np.logical_xor, np.logical_not, np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.invert, np.isnan, np.isinf,
     np.isfinite)
)  # fmt: skip
"""Kernels that warn only where infinities or NaNs went in, or at the edge of what a float holds.

For these the filter that ``facula`` sets for its own modules is enough; all others are run in silence.
"""


_safe_too: set[Any] = set()


def safe(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a kernel made of safe ones."""
    _safe_too.add(kernel)
    return kernel


def is_safe(kernel: Callable[..., Any]) -> bool:
    """Whether a kernel need not be run in silence."""
    return kernel in SAFE or kernel in _safe_too
