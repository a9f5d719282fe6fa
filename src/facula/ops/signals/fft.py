"""Discrete Fourier transforms: three primitives, and the functions of ``facula.fft`` over them.

``normalization`` counts as in PyTorch's graph: 0 leaves the sums as they are, 1 divides by the root of their length,
2 by their length. NumPy calls the same by the direction of the transform.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from ..._core import dtypes
from ..._core.dtypes import not_for
from ..._tensor import Tensor
from ..arrays.types import Array
from ..creation.factories import checked_dtype, finish, permuted_empty, place
from ..machine import batching
from ..machine.arguments import as_int, one_dim
from ..machine.errors import WrongArgument, memory_error
from ..machine.primitive import primitive
from ..machine.public import public
from ..machine.refusals import no_dimensions, scalar_type
from ..machine.rules import in_both_namespaces
from ..moving.padding import constant_pad_op
from ..moving.rearrange import roll_op
from ..pointwise.complex import conj_physically_op, conj_tensor
from ..views.slices import slice_op

FFT: dict[str, Any] = {}
"""What becomes ``facula.fft.<name>``."""

_FORWARD: Any = ("backward", "ortho", "forward")
_INVERSE: Any = ("forward", "ortho", "backward")


# ---- the primitives


def library(array: Any) -> Any:
    """NumPy's transforms, or scipy's, if it is there and the array is large: they take a third of the time."""
    return _best() if array.__class__ is np.ndarray and array.size >= _LARGE else np.fft


@cache
def _best() -> Any:
    try:
        from scipy import fft  # type: ignore[import-untyped]  # optional
    except ImportError:
        return np.fft
    return fft


_LARGE = 32768


@primitive("FftC2CBackward0", name="fft_c2c", kind="linear", batch=batching.moved_dimensions)
def c2c_op(input: Array, dim: tuple[int, ...], normalization: int, forward: bool) -> Any:
    if not dim:
        return input.copy()
    norm = (_FORWARD if forward else _INVERSE)[normalization]
    fft = library(input)
    if len(dim) == 1:
        return _laid_out((fft.fft if forward else fft.ifft)(input, None, dim[0], norm), input, dim)
    return _laid_out((fft.fftn if forward else fft.ifftn)(input, axes=dim, norm=norm), input, _outer_first(input, dim))


def _laid_out(result: Any, input: Any, dim: Sequence[int]) -> Any:
    """As in PyTorch: with the dimensions that are transformed innermost, the others in the order of the input's."""
    if result.__class__ is not np.ndarray or input.__class__ is not np.ndarray:
        return result
    transformed = [d % input.ndim for d in dim]
    others = [d for d in range(input.ndim) if d not in transformed]
    order = _outer_first(input, others) + transformed
    if result.transpose(order).flags.c_contiguous:
        return result
    found = permuted_empty(result.shape, tuple(order), result.dtype)
    found[...] = result
    return found


def _outer_first(input: Any, dim: Sequence[int]) -> list[int]:
    return sorted(dim, key=lambda d: -input.strides[d])


c2c_op.vjp(input=lambda g, dim, normalization, forward, xp: xp.fft_c2c(g, dim, normalization, not forward))


@primitive("FftR2CBackward0", name="fft_r2c", kind="linear", batch=batching.moved_dimensions)
def r2c_op(input: Array, dim: tuple[int, ...], normalization: int, onesided: bool) -> Any:
    norm = _FORWARD[normalization]
    fft = library(input)
    if len(dim) == 1:
        return _laid_out((fft.rfft if onesided else fft.fft)(input, None, dim[0], norm), input, dim)
    order = [*_outer_first(input, dim[:-1]), dim[-1]] if onesided else _outer_first(input, dim)
    return _laid_out((fft.rfftn if onesided else fft.fftn)(input, axes=dim, norm=norm), input, order)


@r2c_op.vjp("input")
def r2c_gradient(g: Any, input: Any, dim: tuple[int, ...], normalization: int, onesided: bool, xp: Any) -> Any:
    """Of the input only the size is needed, but it is saved, as in PyTorch, which refuses what was changed."""
    if not onesided:
        return xp.real(xp.fft_c2c(g, dim, normalization, False))
    n = input.shape[dim[-1]]
    return xp.fft_c2r(xp.weighted_spectrum(g, dim[-1], n, 0.5), dim, normalization, n)


@primitive(
    "FftC2RBackward0", name="fft_c2r", kind="linear", batch=batching.moved_dimensions, saved_names={"last_dim_size": ""}
)
def c2r_op(input: Array, dim: tuple[int, ...], normalization: int, last_dim_size: int) -> Any:
    norm = _INVERSE[normalization]
    fft = library(input)
    if len(dim) > 1:
        input = _laid_out(fft.ifftn(input, axes=dim[:-1], norm=norm), input, _outer_first(input, dim[:-1]))
    return _laid_out(fft.irfft(input, last_dim_size, dim[-1], norm), input, dim[-1:])


@c2r_op.vjp("input")
def c2r_gradient_of_input(g: Any, dim: tuple[int, ...], normalization: int, last_dim_size: int, xp: Any) -> Any:
    return xp.weighted_spectrum(xp.fft_r2c(g, dim, normalization, True), dim[-1], last_dim_size, 2.0)


def _weights(spectrum: Any, dim: int, n: int, factor: float) -> Any:
    """``factor`` for the frequencies whose mirror images the half of a spectrum leaves out, 1 for the others."""
    weights = np.ones(spectrum.shape[dim], spectrum.dtype).real
    weights[1 : 1 + n - weights.size] = factor
    return weights.reshape((-1,) + (1,) * (spectrum.ndim - 1 - dim))


in_both_namespaces(
    "weighted_spectrum",
    lambda x, dim, n, factor: x * _weights(x, dim, n, factor),
    lambda x, dim, n, factor: x * Tensor._wrap(_weights(x._array, dim, n, factor)),
)


# ---- arguments


def normalization_of(norm: Any, forward: bool) -> int:
    modes = {None: 0, "backward": 0, "ortho": 1, "forward": 2}
    if norm is not None and not isinstance(norm, str):
        raise WrongArgument("norm", norm, "str")
    if norm not in modes:
        raise RuntimeError(f'Invalid normalization mode: "{norm}"')
    return modes[norm] if forward else 2 - modes[norm]


def promoted(input: Tensor, to_complex: bool = False) -> Tensor:
    """The input in a dtype that transforms are made for."""
    d = input.dtype
    wanted = d
    if d.category < dtypes.FLOAT:
        wanted = dtypes.default
    if (wanted.category == dtypes.FLOAT and wanted.itemsize == 2) or wanted is dtypes.complex32:
        raise RuntimeError(f"Unsupported dtype {dtypes.SCALAR_TYPE_NAMES[wanted]}")
    if to_complex and wanted.category == dtypes.FLOAT:
        wanted = dtypes.complex128 if wanted is dtypes.float64 else dtypes.complex64
    return input if wanted is d else input.to(wanted)


def _axis(dim: Any, ndim: int) -> int:
    if dim.__class__ is not int:
        dim = _integer("dim", dim)
    if not ndim:
        raise no_dimensions(dim)
    return one_dim(dim, ndim)


def _integer(name: str, value: Any) -> int:
    try:
        if not isinstance(value, bool):
            return as_int(value)
    except TypeError:
        pass
    raise WrongArgument(name, value, "int")


def _integers(name: str, value: Any) -> tuple[int, ...] | None:
    if value is None:
        return None
    if isinstance(value, (int, np.integer)):
        return (int(value),)
    if not isinstance(value, (tuple, list)):
        raise WrongArgument(name, value, "tuple of ints")
    return tuple(as_int(v) for v in value)


def require_points(n: int) -> None:
    if n < 1:
        raise RuntimeError(f"Invalid number of data points ({n}) specified")


def resized(input: Tensor, dims: tuple[int, ...], sizes: tuple[int, ...]) -> Tensor:
    """Cut at the ends of dimensions, or filled up with zeros there. A size of -1 leaves a dimension as it is."""
    ndim = input._array.ndim
    pad = [0] * (2 * ndim)
    for dim, n in zip(dims, sizes):
        if n == -1:
            continue
        require_points(n)
        here = input._array.shape[dim]
        if here < n:
            pad[2 * (ndim - 1 - dim) + 1] = n - here
        elif here > n:
            input = slice_op.call(input, dim, 0, n, 1)
    return constant_pad_op(input, tuple(pad), 0.0) if any(pad) else input


def axes_and_sizes(input: Tensor, s: Any, dim: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Which dimensions to transform, and the sizes to bring them to."""
    shape = input._array.shape
    ndim = len(shape)
    sizes, dims = _integers("s", s), _integers("dim", dim)
    if dims is not None:
        dims = tuple(_axis(d, ndim) for d in dims)
        if len(set(dims)) < len(dims):
            raise RuntimeError("FFT dims must be unique")
        if sizes is not None and len(sizes) != len(dims):
            raise RuntimeError("When given, dim and shape arguments must have the same length")
    elif sizes is not None:
        if len(sizes) > ndim:
            raise RuntimeError(
                f"Got shape with {len(sizes)} values but input tensor only has {ndim} dimensions."
            )
        dims = tuple(range(ndim - len(sizes), ndim))
    else:
        dims = tuple(range(ndim))
    if sizes is None:
        sizes = tuple(shape[d] for d in dims)
    sizes = tuple(shape[d] if n == -1 else n for d, n in zip(dims, sizes))
    for n in sizes:
        require_points(n)
    return dims, sizes


# ---- one dimension


def _complex_transform(input: Tensor, n: Any, dim: Any, norm: Any, forward: bool) -> Tensor:
    """From whatever to complex numbers; of real numbers, the transform is computed as such."""
    x = promoted(input)
    axis = _axis(dim, x._array.ndim)
    size = x._array.shape[axis] if n is None else _integer("n", n)
    require_points(size)
    x = resized(x, (axis,), (size,))
    mode = normalization_of(norm, forward)
    if x._array.dtype.kind == "c":
        return c2c_op(x, (axis,), mode, forward)
    spectrum = r2c_op(x, (axis,), mode, False)
    return spectrum if forward else conj_tensor(spectrum)


def _from_real(name: str, input: Tensor, n: Any, dim: Any, norm: Any, forward: bool) -> Tensor:
    if input._array.dtype.kind == "c":
        raise RuntimeError(f"{name} expects a real input tensor, but got {scalar_type(input)}")
    x = promoted(input)
    axis = _axis(dim, x._array.ndim)
    size = x._array.shape[axis] if n is None else _integer("n", n)
    require_points(size)
    spectrum = r2c_op(resized(x, (axis,), (size,)), (axis,), normalization_of(norm, forward), True)
    return spectrum if forward else conj_tensor(spectrum)


def _to_real(input: Tensor, n: Any, dim: Any, norm: Any, forward: bool) -> Tensor:
    x = promoted(input, to_complex=True)
    axis = _axis(dim, x._array.ndim)
    size = 2 * (x._array.shape[axis] - 1) if n is None else _integer("n", n)
    require_points(size)
    x = resized(x, (axis,), (size // 2 + 1,))
    return c2r_op(conj_tensor(x) if forward else x, (axis,), normalization_of(norm, forward), size)


# ---- several dimensions


def _transform_all(input: Tensor, s: Any, dim: Any, norm: Any, forward: bool) -> Tensor:
    dims, sizes = axes_and_sizes(input, s, dim)
    x = resized(promoted(input, to_complex=True), dims, sizes)
    return c2c_op(x, dims, normalization_of(norm, forward), forward)


def _real_axes(name: str, input: Tensor, s: Any, dim: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    dims, sizes = axes_and_sizes(input, s, dim)
    if not dims:
        raise RuntimeError(f"{name} must transform at least one axis")
    return dims, sizes


def _from_real_all(input: Tensor, s: Any, dim: Any, norm: Any) -> Tensor:
    if input._array.dtype.kind == "c":
        raise RuntimeError(f"rfftn expects a real-valued input tensor, but got {scalar_type(input)}")
    dims, sizes = _real_axes("rfftn", input, s, dim)
    return r2c_op(resized(promoted(input), dims, sizes), dims, normalization_of(norm, True), True)


def _last_size(input: Tensor, s: Any, dims: tuple[int, ...], sizes: tuple[int, ...]) -> int:
    """Of a real result: what is asked for, or what a half spectrum of the input's size comes from."""
    given = _integers("s", s)
    size = sizes[-1] if given and given[-1] != -1 else 2 * (input._array.shape[dims[-1]] - 1)
    require_points(size)
    return size


def _to_real_all(input: Tensor, s: Any, dim: Any, norm: Any) -> Tensor:
    dims, sizes = _real_axes("irfftn", input, s, dim)
    size = _last_size(input, s, dims, sizes)
    x = resized(promoted(input, to_complex=True), dims, (*sizes[:-1], size // 2 + 1))
    return c2r_op(x, dims, normalization_of(norm, False), size)


def _hermitian_all(input: Tensor, s: Any, dim: Any, norm: Any) -> Tensor:
    dims, sizes = _real_axes("hfftn", input, s, dim)
    size = _last_size(input, s, dims, sizes)
    x = resized(promoted(input, to_complex=True), dims, (*sizes[:-1], size // 2 + 1))
    mode = normalization_of(norm, True)
    if len(dims) > 1:
        x = c2c_op(x, dims[:-1], mode, True)
    return c2r_op(conj_tensor(x), dims[-1:], mode, size)


def _to_hermitian_all(input: Tensor, s: Any, dim: Any, norm: Any) -> Tensor:
    if input._array.dtype.kind == "c":
        raise RuntimeError(f"Only supports floating-point dtypes, but found: {scalar_type(input)}")
    dims, sizes = _real_axes("ihfftn", input, s, dim)
    mode = normalization_of(norm, False)
    spectrum = r2c_op(resized(promoted(input), dims, sizes), dims[-1:], mode, True)
    if len(dims) == 1:
        return conj_tensor(spectrum)
    return c2c_op(conj_physically_op(spectrum), dims[:-1], mode, False)


# ---- the public functions


def _publish(name: str, body: Any, doc: str, autocast: str | None) -> None:
    if name[-1] == "2":

        def fn(input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: Any = None) -> Tensor:
            return body(input, s, dim, norm)
    elif name[-1] == "n":

        def fn(input: Tensor, s: Any = None, dim: Any = None, norm: Any = None) -> Tensor:
            return body(input, s, dim, norm)
    else:

        def fn(input: Tensor, n: Any = None, dim: Any = -1, norm: Any = None) -> Tensor:  # type: ignore[misc]
            return body(input, n, dim, norm)

    fn.__name__ = fn.__qualname__ = f"fft_{name}"
    fn.__doc__ = doc
    FFT[name] = public("", name=f"fft_{name}", out=True, autocast=autocast, looks_first=True)(fn).public  # type: ignore[attr-defined]


for _name, _body, _doc in (
    ("fft", lambda x, n, dim, norm: _complex_transform(x, n, dim, norm, True), "The discrete Fourier transform."),
    ("ifft", lambda x, n, dim, norm: _complex_transform(x, n, dim, norm, False), "The inverse of ``fft``."),
    ("rfft", lambda x, n, dim, norm: _from_real("rfft", x, n, dim, norm, True), "The half spectrum of real numbers."),
    ("ihfft", lambda x, n, dim, norm: _from_real("ihfft", x, n, dim, norm, False), "The inverse of ``hfft``."),
    ("irfft", lambda x, n, dim, norm: _to_real(x, n, dim, norm, False), "The inverse of ``rfft``."),
    ("hfft", lambda x, n, dim, norm: _to_real(x, n, dim, norm, True), "The spectrum of a Hermitian signal's half."),
):  # fmt: skip
    _publish(_name, _body, _doc, "full")
for _name, _autocast, _body, _doc in (
    ("fft", "full", lambda x, s, dim, norm: _transform_all(x, s, dim, norm, True), "``fft`` along several dimensions."),
    ("ifft", "full", lambda x, s, dim, norm: _transform_all(x, s, dim, norm, False),
     "``ifft`` along several dimensions."),
    ("rfft", "full", _from_real_all, "``rfft`` along the last of several dimensions, ``fft`` along the others."),
    ("irfft", "full", _to_real_all, "The inverse of ``rfft`` along several dimensions."),
    ("hfft", None, _hermitian_all, "``hfft`` along the last of several dimensions, ``fft`` along the others."),
    ("ihfft", None, _to_hermitian_all, "The inverse of ``hfft`` along several dimensions."),
):  # fmt: skip
    _publish(f"{_name}2", _body, _doc, _autocast)
    _publish(f"{_name}n", _body, _doc, _autocast)


# ---- the order of frequencies


def _shifted(input: Tensor, dim: Any, back: bool) -> Tensor:
    shape = input._array.shape
    dims = _integers("dim", dim)
    axes = tuple(range(len(shape))) if dims is None else tuple(_axis(d, len(shape)) for d in dims)
    if not axes:
        raise RuntimeError("`shifts` required")
    return roll_op(input, tuple((shape[d] + back) // 2 for d in axes), axes)


@public("", name="fft_fftshift")
def fftshift(input: Tensor, dim: Any = None) -> Tensor:
    """Move frequency 0 to the middle."""
    return _shifted(input, dim, False)


@public("", name="fft_ifftshift")
def ifftshift(input: Tensor, dim: Any = None) -> Tensor:
    """Undo ``fftshift``."""
    return _shifted(input, dim, True)


def _frequencies(name: str, n: int, d: float, options: dict[str, Any]) -> Tensor:
    dtype = checked_dtype(name, options.pop("dtype", None)) or dtypes.default
    if dtype.category < dtypes.FLOAT:
        raise RuntimeError(f"{name} requires a floating point or complex dtype")
    if dtype.category > dtypes.FLOAT:
        raise not_for("arange_cpu", dtype)
    if as_int(n) < 0 and name == "fftfreq":
        raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
    size = n // 2 + 1 if name == "rfftfreq" else n
    try:
        count = np.arange(size)
    except (ValueError, MemoryError) as e:
        raise memory_error(e, (size,)) or e from None
    if name == "fftfreq":
        count[(n + 1) // 2 :] -= n
    with np.errstate(all="ignore"):
        values = count.astype(dtype.numpy) * dtype.numpy.type(np.float64(1.0) / (np.float64(n) * d))
    array = place(values, options.pop("device", None))
    return finish(
        array, options.pop("requires_grad", False), options.pop("out", None), options.pop("layout", None)
    )


def fftfreq(n: int, d: float = 1.0, **options: Any) -> Tensor:
    """The frequencies that ``fft`` answers for, in its order."""
    return _frequencies("fftfreq", n, d, options)


def rfftfreq(n: int, d: float = 1.0, **options: Any) -> Tensor:
    """The frequencies that ``rfft`` answers for."""
    return _frequencies("rfftfreq", n, d, options)


FFT.update(
    fftfreq=fftfreq, rfftfreq=rfftfreq, fftshift=fftshift.public, ifftshift=ifftshift.public,  # type: ignore[attr-defined]
)  # fmt: skip
