"""``facula.signal.windows``: window functions, under the names of ``torch.signal.windows``.

A window is computed from a range of points, by operators; with ``requires_grad`` those points (or coefficients) are the
leaves of its graph, as in PyTorch.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, cast

from .._core import dtypes, layouts
from .._tensor import Tensor
from ..docstrings import document
from ..ops.machine.public import FUNCTIONS

__all__ = [
    "bartlett", "blackman", "cosine", "exponential", "gaussian", "general_cosine", "general_hamming", "hamming", "hann",
    "kaiser", "nuttall",
]  # fmt: skip


def _check(name: str, M: int, dtype: Any, layout: Any) -> None:
    if M < 0:
        raise ValueError(f"{name} requires non-negative window length, got M={M}")
    if layout is not layouts.strided:
        raise ValueError(f"{name} is implemented for strided tensors only, got: {layout}")
    if dtype not in (dtypes.float32, dtypes.float64):
        raise ValueError(f"{name} expects float32 or float64 dtypes, got: {dtype}")


class _Options:
    """The arguments that all windows share, checked."""

    def __init__(
        self, name: str, M: int, sym: bool, dtype: Any, layout: Any, device: Any, requires_grad: bool
    ) -> None:
        self.dtype = dtypes.default if dtype is None else dtype
        _check(name, M, self.dtype, layout)
        self.M = M
        self.points = M if M < 2 or sym else M + 1
        self.making = {"dtype": self.dtype, "device": device, "requires_grad": requires_grad}

    def trivial(self, of_one: bool = True) -> Tensor | None:
        """The window of no points, and of one where the window has a case of its own for it."""
        if self.M == 0:
            return cast(Tensor, FUNCTIONS["empty"]((0,), **self.making))
        return cast(Tensor, FUNCTIONS["ones"]((1,), **self.making)) if of_one and self.M == 1 else None

    def line(self, start: float, step: float) -> Tensor:
        """As many points as the window has, from ``start`` on."""
        end = start + (self.M - 1) * step
        made: Tensor = FUNCTIONS["linspace"](
            start=start, end=end, steps=self.M, dtype=self.dtype, layout=layouts.strided, device=self.making["device"],
            requires_grad=self.making["requires_grad"],
        )  # fmt: skip
        return made


def exponential(
    M: int, *, center: float | None = None, tau: float = 1.0, sym: bool = True, dtype: Any = None,
    layout: Any = layouts.strided, device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """It falls off on both sides of the center by a factor of e for every ``tau`` points."""
    options = _Options("exponential", M, sym, dtype, layout, device, requires_grad)
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    if (found := options.trivial(of_one=False)) is not None:
        return found
    middle = (options.points - 1) / 2.0 if center is None else center
    return (-options.line(-middle / tau, 1 / tau).abs()).exp()


def cosine(
    M: int, *, sym: bool = True, dtype: Any = None, layout: Any = layouts.strided, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Half a wave of the sine."""
    options = _Options("cosine", M, sym, dtype, layout, device, requires_grad)
    if (found := options.trivial(of_one=False)) is not None:
        return found
    step = math.pi / options.points
    return options.line(0.5 * step, step).sin()


def gaussian(
    M: int, *, std: float = 1.0, sym: bool = True, dtype: Any = None, layout: Any = layouts.strided,
    device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """The bell of the normal distribution."""
    options = _Options("gaussian", M, sym, dtype, layout, device, requires_grad)
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    if (found := options.trivial(of_one=False)) is not None:
        return found
    step = 1 / (std * math.sqrt(2))
    return (-(options.line(-(options.points - 1) / 2.0 * step, step) ** 2)).exp()


def kaiser(
    M: int, *, beta: float = 12.0, sym: bool = True, dtype: Any = None, layout: Any = layouts.strided,
    device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """By a Bessel function: the smaller ``beta``, the wider."""
    options = _Options("kaiser", M, sym, dtype, layout, device, requires_grad)
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    if (found := options.trivial()) is not None:
        return found
    bound = FUNCTIONS["tensor"](beta, dtype=options.dtype, device=device)
    squares = options.line(-beta, 2.0 * beta / (options.points - 1)) ** 2
    inside = (bound * bound - squares).clamp(min=0.0)
    window: Tensor = FUNCTIONS["i0"](inside.sqrt()) / FUNCTIONS["i0"](bound)
    return window


def bartlett(
    M: int, *, sym: bool = True, dtype: Any = None, layout: Any = layouts.strided, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """A triangle."""
    options = _Options("bartlett", M, sym, dtype, layout, device, requires_grad)
    if (found := options.trivial()) is not None:
        return found
    window: Tensor = 1 - options.line(-1, 2 / (options.points - 1)).abs()
    return window


def general_cosine(
    M: int, *, a: Iterable[float], sym: bool = True, dtype: Any = None, layout: Any = layouts.strided,
    device: Any = None, requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """A sum of cosines of 0, 1, 2, ... waves, with coefficients ``a`` of alternating signs."""
    options = _Options("general_cosine", M, sym, dtype, layout, device, requires_grad)
    if (found := options.trivial()) is not None:
        return found
    if not isinstance(a, (list, tuple)):
        raise TypeError("Coefficients must be a list/tuple")
    if not a:
        raise ValueError("Coefficients cannot be empty")
    waves = options.line(0, 2 * math.pi / (options.points - 1))
    signed = FUNCTIONS["tensor"]([(-1) ** i * w for i, w in enumerate(a)], **options.making)
    counts = FUNCTIONS["arange"](len(a), dtype=options.dtype, device=device, requires_grad=requires_grad)
    window: Tensor = (signed.unsqueeze(-1) * (counts.unsqueeze(-1) * waves).cos()).sum(0)
    return window


def general_hamming(M: int, *, alpha: float = 0.54, sym: bool = True, **options: Any) -> Tensor:
    """``alpha - (1 - alpha) * cos``."""
    return general_cosine(M, a=[alpha, 1.0 - alpha], sym=sym, **options)


def hamming(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """``0.54 - 0.46 * cos``."""
    return general_hamming(M, sym=sym, **options)


def hann(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """Half a cosine wave, raised to begin at 0."""
    return general_hamming(M, alpha=0.5, sym=sym, **options)


def blackman(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """Two cosines."""
    _check("blackman", M, options.get("dtype") or dtypes.default, options.get("layout", layouts.strided))
    return general_cosine(M, a=[0.42, 0.5, 0.08], sym=sym, **options)


def nuttall(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """Three cosines."""
    return general_cosine(M, a=[0.3635819, 0.4891775, 0.1365995, 0.0106411], sym=sym, **options)


for _name in __all__:
    document(globals()[_name], f"signal.windows.{_name}")
