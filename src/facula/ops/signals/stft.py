"""The short-time Fourier transform and its inverse: Fourier transforms of overlapping windows of a signal."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.dtypes import FLOAT
from ..._tensor import Tensor
from ..arrays.types import Array
from ..machine import batching
from ..machine.deprecated import warn_once
from ..machine.public import public
from ..machine.view import view_primitive
from ..moving.padding import constant_pad_op, pad
from ..pointwise.complex import view_as_complex_op, view_as_real, view_as_real_op
from ..views.slices import slice_op, unfold_backward_op, unfold_op
from .fft import c2c_op, c2r_op, r2c_op


@view_primitive("AsStridedBackward0", "frames", batch=batching.item_by_item)
def frames_op(input: Array, size: int, step: int) -> Any:
    """All windows of ``size`` along the last of two dimensions, ``step`` apart."""
    return unfold_op.kernel(input, 1, size, step)


frames_op.vjp(input=lambda g, size, step, input_shape, xp: xp.unfold_backward(g, input_shape, 1, size, step))


def _told(value: Any) -> str:
    return "None" if value is None else str(int(value))


def _window_told(window: Any) -> str:
    return "None" if window is None else f"{_class_of(window)}{{{list(window._array.shape)}}}"


def _class_of(t: Tensor) -> str:
    return str(t._type_name())


def _no_window(advice: str) -> None:
    warn_once(
        "A window was not provided. A rectangular window will be applied" + advice +
        "To suppress this warning and use a rectangular window, explicitly set "
        "`window=torch.ones(n_fft, device=<device>)`.",
    )  # fmt: skip


def _full_window(window: Any, like: Tensor, win_length: int, n_fft: int) -> Any:
    """A window in the middle of ``n_fft`` points; without one, as many ones as it is long."""
    if win_length == n_fft:
        return window
    left = (n_fft - win_length) // 2
    if window is None:
        array = np.zeros(n_fft, like._array.real.dtype)
        array[left : left + win_length] = 1
        return Tensor._wrap(array)
    return constant_pad_op(window, (left, n_fft - win_length - left), 0.0)


@public("stft", "stft", autocast="full")
def stft(
    input: Tensor, n_fft: int, hop_length: int | None = None, win_length: int | None = None,
    window: Tensor | None = None, center: bool = True, pad_mode: str = "reflect", normalized: bool = False,
    onesided: bool | None = None, return_complex: bool | None = None, align_to_window: bool | None = None,
) -> Tensor:  # fmt: skip
    """Fourier transforms of windows of a signal (or of several), ``hop_length`` apart: (frequencies, windows)."""
    if center and align_to_window is not None:
        raise RuntimeError("stft align_to_window should only be set when center = false")
    if center:
        ndim = input._array.ndim
        shape = (1,) * (3 - ndim) + input._array.shape
        input = pad(input.view(shape), (n_fft // 2, n_fft // 2), pad_mode)
        input = input.view(input._array.shape[-ndim:] if ndim else input._array.shape)
    if window is None:
        _no_window(
            ",which is known to cause spectral leakage. Other windows such as torch.hann_window or "
            "torch.hamming_window are recommended to reduce spectral leakage."
        )
    hop = n_fft // 4 if hop_length is None else hop_length
    length = n_fft if win_length is None else win_length

    def refuse(why: str) -> RuntimeError:
        return RuntimeError(
            f"stft({_class_of(input)}{list(input._array.shape)}, n_fft={n_fft}, hop_length={hop}, "
            f"win_length={length}, window={_window_told(window)}, normalized={int(normalized)}, "
            f"onesided={_told(onesided)}, return_complex={_told(return_complex)}, "
            f"align_to_window={_told(align_to_window)}) : {why}"
        )

    is_complex = input._array.dtype.kind == "c" or (window is not None and window._array.dtype.kind == "c")
    if return_complex is None and not is_complex:
        raise RuntimeError(
            "stft requires the return_complex parameter be given for real inputs, and will further require that "
            "return_complex=True in a future PyTorch release."
        )
    if return_complex is False:
        warn_once(
            "stft with return_complex=False is deprecated. In a future pytorch release, stft will return complex "
            "tensors for all inputs, and return_complex=False will raise an error.\nNote: you can still call "
            "torch.view_as_real on the complex output to recover the old return format.",
        )
    _check_signal(input, n_fft, hop, length, window, refuse)
    one = not is_complex if onesided is None else onesided
    if one and is_complex:
        raise RuntimeError("Cannot have onesided output if window or input is complex")
    is_single = input._array.ndim == 1
    x = input.unsqueeze(0) if is_single else input
    if align_to_window:
        reach = n_fft - length
        x = constant_pad_op(x, (reach // 2, reach - reach // 2), 0.0)
    x = frames_op(x if x._array.flags.c_contiguous else x.contiguous(), n_fft, hop)
    weights = _full_window(window, input, length, n_fft)
    if weights is not None:
        x = x * weights
    mode = 1 if normalized else 0
    result = r2c_op(x, (2,), mode, one) if x._array.dtype.kind != "c" else c2c_op(x, (2,), mode, True)
    result.transpose_(1, 2)
    if is_single:
        result.squeeze_(0)
    if return_complex is False:
        return view_as_real(result)
    return result


def _check_signal(input: Tensor, n_fft: int, hop: int, length: int, window: Any, refuse: Any) -> None:
    array = input._array
    if input.dtype.category < FLOAT:
        raise refuse("expected a tensor of floating point or complex values")
    if not 1 <= array.ndim <= 2:
        raise refuse("expected a 1D or 2D tensor")
    if not 0 < n_fft <= array.shape[-1]:
        raise refuse(f"expected 0 < n_fft < {array.shape[-1]}, but got n_fft={n_fft}")
    if hop <= 0:
        raise refuse(f"expected hop_length > 0, but got hop_length={hop}")
    if not 0 < length <= n_fft:
        raise refuse(f"expected 0 < win_length <= n_fft, but got win_length={length}")
    if window is not None and window._array.shape != (length,):
        raise refuse(
            f"expected a 1D window tensor of size equal to win_length={length}, but got window with size "
            f"{list(window._array.shape)}"
        )


@public("istft", "istft")
def istft(
    input: Tensor, n_fft: int, hop_length: int | None = None, win_length: int | None = None,
    window: Tensor | None = None, center: bool = True, normalized: bool = False, onesided: bool | None = None,
    length: int | None = None, return_complex: bool = False,
) -> Tensor:  # fmt: skip
    """The signal that ``stft`` was given: windows added up, divided by the sum of the squared windows."""
    if window is None:
        _no_window(".Please provide the same window used by stft to make the inversion lossless.")
    hop = n_fft // 4 if hop_length is None else hop_length
    width = n_fft if win_length is None else win_length
    array = input._array

    def refuse(why: str) -> RuntimeError:
        return RuntimeError(
            f"istft(CPU{_class_of(input)[6:-6]}Type{list(array.shape)}, n_fft={n_fft}, hop_length={hop}, "
            f"win_length={width}, window={_window_told(window)}, center={int(center)}, normalized={int(normalized)}, "
            f"onesided={_told(onesided)}, length={_told(length)}, return_complex={int(return_complex)}) {why}"
        )

    if array.dtype.kind != "c":
        raise RuntimeError(
            "istft requires a complex-valued input tensor matching the output from stft with return_complex=True."
        )
    if array.ndim < 2:
        n = array.ndim + 1
        raise IndexError(f"Dimension out of range (expected to be in range of [-{n}, {n - 1}], but got -3)")
    one = onesided if onesided is not None else array.shape[-2] != n_fft
    _check_spectrum(input, n_fft, hop, width, window, one, refuse)
    if return_complex:
        if one:
            raise RuntimeError("Cannot have onesided output if window or input is complex")
    elif window is not None and window._array.dtype.kind == "c":
        raise RuntimeError("Complex windows are incompatible with return_complex=False")
    is_single = array.ndim == 2
    parts = view_as_real_op(input.resolve_conj())
    if is_single:
        parts = parts.unsqueeze(0)
    x = view_as_complex_op(parts.transpose(1, 2))
    mode = 1 if normalized else 2
    if return_complex:
        x = c2c_op(x, (2,), mode, False)
    else:
        if not one:
            x = slice_op.call(x, 2, 0, n_fft // 2 + 1, 1)
        x = c2r_op(x, (2,), mode, n_fft)
    weights = _full_window(window, input, width, n_fft)
    if weights is None:
        weights = Tensor._wrap(np.ones(n_fft, array.real.dtype))
    return _overlapped(x, weights, n_fft, hop, center, length, is_single, refuse)


def _check_spectrum(input: Tensor, n_fft: int, hop: int, width: int, window: Any, one: bool, refuse: Any) -> None:
    array = input._array
    if not array.size:
        raise refuse(": input tensor cannot be empty.")
    if not 2 <= array.ndim <= 3:
        raise refuse(f": expected a tensor with 3 or 4 dimensions, but got {array.ndim + 1}")
    if one and n_fft // 2 + 1 != array.shape[-2]:
        raise refuse(
            ": expected the frequency dimension (3rd to the last) of the input tensor to match n_fft / 2 + 1 when "
            f"onesided=True, but got {array.shape[-2]}"
        )
    if not one and n_fft != array.shape[-2]:
        raise refuse(
            ": expected the frequency dimension (3rd to the last) of the input tensor to match n_fft when "
            f"onesided=False, but got {array.shape[-2]}"
        )
    if not 0 < hop <= width:
        raise refuse(": expected 0 < hop_length <= win_length")
    if not 0 < width <= n_fft:
        raise refuse(": expected 0 < win_length <= n_fft")
    if window is not None and window._array.shape != (width,):
        raise refuse(": Invalid window shape. window has to be 1D and length of `win_length`")


def _overlapped(
    x: Tensor, weights: Tensor, n_fft: int, hop: int, center: bool, length: int | None, is_single: bool, refuse: Any
) -> Tensor:
    batch, count = x._array.shape[:2]
    whole = n_fft + hop * (count - 1)
    signal = unfold_backward_op(x * weights.view((1, 1, n_fft)), (batch, whole), 1, n_fft, hop)
    squares = (weights * weights).view((1, 1, n_fft)).expand(1, count, n_fft)
    envelope = unfold_backward_op(squares, (1, whole), 1, n_fft, hop)
    start = n_fft // 2 if center else 0
    end = start + length if length is not None else whole - start if center else whole
    end = min(end, whole)
    signal = slice_op.call(signal, 1, start, end, 1)
    envelope = slice_op.call(envelope, 1, start, end, 1)
    lowest = np.abs(envelope._array).min(initial=np.inf)
    if not lowest > 1e-11:
        raise refuse("window overlap add min: 1\n[ CPUBoolType{} ]")
    signal = signal / envelope
    if is_single:
        signal = signal.squeeze(0)
    if length is not None and length > end - start:
        warn_once(
            "The length of signal is shorter than the length parameter. Result is being padded with zeros in the tail. "
            "Please check your center and hop_length settings.",
        )
        signal = constant_pad_op(signal, (0, length - (end - start)), 0.0)
    return signal
