"""``torch.quasirandom``: Sobol' sequences, from SciPy's direction numbers, which are PyTorch's too."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._core import dtypes
from ._tensor import Tensor

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
        self._points = self._from_the_start()

    def _from_the_start(self) -> Any:
        from scipy.stats import qmc  # type: ignore[import-untyped]  # optional

        if self.scramble and self.seed is None:
            from ._core.generator import stream_of  # loaded when first used

            self._start = int(stream_of(None).words(1)[0])
        start = self.seed if self.seed is not None else getattr(self, "_start", None)
        return qmc.Sobol(self.dimension, scramble=self.scramble, bits=self.MAXBIT, rng=np.random.default_rng(start))

    def draw(self, n: int = 1, out: Tensor | None = None, dtype: dtypes.dtype | None = None) -> Tensor:
        """The next ``n`` points, one in a row."""
        import warnings  # loaded when first used

        with warnings.catch_warnings():  # SciPy tells of numbers of points that are no powers of 2
            warnings.simplefilter("ignore", UserWarning)
            points = self._points.random(n)
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
