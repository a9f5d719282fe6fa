# Written by python -m tests.stubs.
# ruff: noqa
from typing import Any

__all__: list[str]
from facula._tensor.tensor import Tensor as Tensor
def fft(input: Tensor, n: Any = None, dim: Any = -1, norm: Any = None, *, out: Tensor | None = None) -> Tensor:
    """The discrete Fourier transform."""
def fft2(input: Tensor, s: Any = None, dim: Any = ..., norm: Any = None, *, out: Tensor | None = None) -> Tensor:
    """``fft`` along several dimensions."""
def fftfreq(n: int, d: float = 1.0, **options: Any) -> Tensor:
    """The frequencies that ``fft`` answers for, in its order."""
def fftn(input: Tensor, s: Any = None, dim: Any = None, norm: Any = None, *, out: Tensor | None = None) -> Tensor:
    """``fft`` along several dimensions."""
def fftshift(input: Tensor, dim: Any = None) -> Tensor:
    """Move frequency 0 to the middle."""
def hfft(input: Tensor, n: Any = None, dim: Any = -1, norm: Any = None, *, out: Tensor | None = None) -> Tensor:
    """The spectrum of a Hermitian signal's half."""
def hfft2(input: Tensor, s: Any = None, dim: Any = ..., norm: Any = None, *, out: Tensor | None = None) -> Tensor:
    """``hfft`` along the last of several dimensions, ``fft`` along the others."""
def hfftn(input: Tensor, s: Any = None, dim: Any = None, norm: Any = None, *, out: Tensor | None = None) -> Tensor:
    """``hfft`` along the last of several dimensions, ``fft`` along the others."""
def ifft(input: Tensor, n: Any = None, dim: Any = -1, norm: Any = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse of ``fft``."""
def ifft2(input: Tensor, s: Any = None, dim: Any = ..., norm: Any = None, *, out: Tensor | None = None) -> Tensor:
    """``ifft`` along several dimensions."""
def ifftn(input: Tensor, s: Any = None, dim: Any = None, norm: Any = None, *, out: Tensor | None = None) -> Tensor:
    """``ifft`` along several dimensions."""
def ifftshift(input: Tensor, dim: Any = None) -> Tensor:
    """Undo ``fftshift``."""
def ihfft(input: Tensor, n: Any = None, dim: Any = -1, norm: Any = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse of ``hfft``."""
def ihfft2(input: Tensor, s: Any = None, dim: Any = ..., norm: Any = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse of ``hfft`` along several dimensions."""
def ihfftn(input: Tensor, s: Any = None, dim: Any = None, norm: Any = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse of ``hfft`` along several dimensions."""
def irfft(input: Tensor, n: Any = None, dim: Any = -1, norm: Any = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse of ``rfft``."""
def irfft2(input: Tensor, s: Any = None, dim: Any = ..., norm: Any = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse of ``rfft`` along several dimensions."""
def irfftn(input: Tensor, s: Any = None, dim: Any = None, norm: Any = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse of ``rfft`` along several dimensions."""
def rfft(input: Tensor, n: Any = None, dim: Any = -1, norm: Any = None, *, out: Tensor | None = None) -> Tensor:
    """The half spectrum of real numbers."""
def rfft2(input: Tensor, s: Any = None, dim: Any = ..., norm: Any = None, *, out: Tensor | None = None) -> Tensor:
    """``rfft`` along the last of several dimensions, ``fft`` along the others."""
def rfftfreq(n: int, d: float = 1.0, **options: Any) -> Tensor:
    """The frequencies that ``rfft`` answers for."""
def rfftn(input: Tensor, s: Any = None, dim: Any = None, norm: Any = None, *, out: Tensor | None = None) -> Tensor:
    """``rfft`` along the last of several dimensions, ``fft`` along the others."""
