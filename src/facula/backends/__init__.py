"""Which accelerators and libraries there are: none beyond NumPy's."""

from __future__ import annotations

from . import cpu, cuda, cudnn, memory, mkl, mkldnn, mps, openmp, opt_einsum

__all__ = ["cpu", "cuda", "cudnn", "memory", "mkl", "mkldnn", "mps", "openmp", "opt_einsum"]
