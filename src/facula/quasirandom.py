"""``torch.quasirandom``: Sobol' sequences, from SciPy's direction numbers, which are PyTorch's too."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._core import dtypes
from ._core.generator import Generator, stream_of
from ._tensor import Tensor
from .ops.arrays.draws import draw_integers

__all__ = ["SobolEngine"]


class SobolEngine:
    """Points that fill the unit cube more evenly than random ones. Needs SciPy."""

    MAXBIT = 30
    MAXDIM = 21201

    def __init__(self, dimension: int, scramble: bool = False, seed: int | None = None) -> None:
        if not 1 <= dimension <= self.MAXDIM:
            raise ValueError(f"Supported range of dimensionality for SobolEngine is [1, {self.MAXDIM}]")
        self.dimension, self.scramble, self.seed = dimension, scramble, seed
        self.num_generated = 0
        try:
            from scipy.stats import qmc  # type: ignore[import-untyped]  # optional
        except ImportError:
            raise ImportError("facula needs scipy for SobolEngine: pip install scipy") from None

        self._points = qmc.Sobol(dimension, scramble=False, bits=self.MAXBIT)
        if scramble:
            self._begin_scrambling()

    def _begin_scrambling(self) -> None:
        """In each dimension, the bits of all points are multiplied by one random triangular matrix, and some turned."""
        stream = Generator().manual_seed(self.seed) if self.seed is not None else stream_of(None)
        turned = np.empty((self.dimension, self.MAXBIT), np.int64)
        matrices = np.empty((*turned.shape, self.MAXBIT), np.int64)
        for bits in (turned, matrices):
            draw_integers(stream, bits, 0, 2)
        places = np.arange(self.MAXBIT)
        matrices[:, places, places] = 1
        self._first_dtype = dtypes.default.numpy
        self._turned = (turned << places).sum(1)
        self._columns = (np.tril(matrices) << places[::-1, None]).sum(1)

    def _scrambled(self, points: Any) -> Any:
        numbers = (points * 2.0**self.MAXBIT).astype(np.int64)
        found = np.broadcast_to(self._turned, numbers.shape).copy()
        for place in range(self.MAXBIT):
            found ^= (numbers >> (self.MAXBIT - 1 - place) & 1) * self._columns[:, place]
        return found * 2.0**-self.MAXBIT

    def draw(self, n: int = 1, out: Tensor | None = None, dtype: dtypes.dtype | None = None) -> Tensor:
        """The next ``n`` points, one in a row."""
        import warnings  # loaded when first used

        with warnings.catch_warnings():  # SciPy tells of numbers of points that are no powers of 2
            warnings.simplefilter("ignore", UserWarning)
            points = self._points.random(n)
        if self.scramble:
            points = self._scrambled(points)
            if self.num_generated == 0:  # PyTorch keeps the first point in the dtype that was then the default one
                points[:1] = points[:1].astype(self._first_dtype)
        self.num_generated += n
        found = Tensor._wrap(points.astype((dtype or dtypes.default).numpy))
        if out is None:
            return found
        out.resize_(found.size()).copy_(found)
        return out

    def draw_base2(self, m: int, out: Tensor | None = None, dtype: dtypes.dtype | None = None) -> Tensor:
        """The next ``2**m`` points, which must end at a power of 2."""
        n = 2**m
        total = self.num_generated + n
        if total & (total - 1):
            raise ValueError(
                "The balance properties of Sobol' points require n to be a power of 2. "
                f"{self.num_generated} points have been previously generated, then: n={self.num_generated}+2**{m}="
                f"{total}. If you still want to do this, please use 'SobolEngine.draw()' instead."
            )
        return self.draw(n, out, dtype)

    def reset(self) -> SobolEngine:
        """Begin again."""
        self._points.reset()
        self.num_generated = 0
        return self

    def fast_forward(self, n: int) -> SobolEngine:
        """Leave ``n`` points out."""
        self._points.fast_forward(n)
        self.num_generated += n
        return self

    def __repr__(self) -> str:
        parts = [f"dimension={self.dimension}"]
        if self.scramble:
            parts.append("scramble=True")
        if self.seed is not None:
            parts.append(f"seed={self.seed}")
        return f"SobolEngine({', '.join(parts)})"
