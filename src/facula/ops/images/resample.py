"""Resampling to another size: ``interpolate`` and its older names."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core import dtypes
from ..._core.devices import MetaArray, empty_meta
from ..._core.dtypes import cast, not_for, widened
from ..._tensor import Tensor
from ...autograd import saved
from ...autograd.graph import warn_user
from ..arrays.images.interpolation import taps_of
from ..arrays.sparse_maps import SparseMap, along
from ..arrays.strides import lying_as
from ..arrays.types import Array
from ..machine import batching
from ..machine.primitive import Primitive
from ..machine.public import FUNCTIONALS, public
from .adaptive_pool import adaptive_avg_pool1d

Ints = tuple[int, ...]
Scales = tuple[float | None, ...]
_FEW = 128
"""Height and width, added, of what PyTorch takes for a small image."""


def resampled(x: Any, maps: list[SparseMap]) -> Any:
    """Maps applied along the last dimensions, first those that make it smaller."""
    dtype = x.dtype
    lead = x.ndim - len(maps)
    if dtype.kind == "u" and any(weights is not None for sparse in maps for _, _, weights in sparse.steps):
        for i in reversed(range(len(maps))):
            x = _along_bytes(x, lead + i, maps[i])
        return np.ascontiguousarray(x)
    x = widened(x)
    for i in sorted(range(len(maps)), key=lambda i: maps[i].outputs / max(maps[i].inputs, 1)):
        x = along(x, lead + i, maps[i])
    return cast(x, dtype)


def _along_bytes(x: Any, dim: int, sparse: SparseMap) -> Any:
    """A map of bytes: PyTorch rounds its weights to 16 bits, and the result of each dimension to a byte."""
    if x.__class__ is MetaArray:
        return along(x, dim, sparse)
    weights = along(np.eye(sparse.inputs), 0, sparse)
    bits = 0
    while bits < 22 and int(0.5 + weights.max() * 2 ** (bits + 1)) < 2**15:
        bits += 1
    whole = np.trunc(weights * 2.0**bits + np.copysign(0.5, weights))
    sums = np.moveaxis(np.tensordot(whole, x.astype(np.float64), (1, dim)), 0, dim)
    return np.clip(np.floor((sums + 2.0 ** (bits - 1)) * 2.0**-bits), 0, 255).astype(x.dtype)


def _op(name: str, node: str, spatial: int, mode: str, antialias: bool = False) -> Primitive:
    """The resampling of one mode; its adjoint is resampling by the adjoint maps."""

    def maps(shape: Ints, size: Ints, align_corners: bool, scales: Scales, dtype: Any) -> list[SparseMap]:
        wide = dtype in (np.float64, np.uint8)
        few = mode == "nearest" and spatial == 2 and sum(size) <= _FEW
        name = "nearest-of-few" if few else mode
        return [taps_of(name, antialias, n, o, align_corners, s, wide) for n, o, s in zip(shape, size, scales)]

    def kernel(input: Array, output_size: Ints, align_corners: bool, scales: Scales) -> Any:
        if input.__class__ is MetaArray:
            return empty_meta((*input.shape[:-spatial], *output_size), input.dtype)
        found = maps(input.shape[-spatial:], output_size, align_corners, scales, input.dtype)
        return lying_as(resampled(input, found), input)

    def adjoint(input: Array, shape: Ints, align_corners: bool, scales: Scales) -> Any:
        if input.__class__ is MetaArray:
            return empty_meta((*input.shape[:-spatial], *shape[-spatial:]), input.dtype)
        forward = maps(shape[-spatial:], input.shape[-spatial:], align_corners, scales, input.dtype)
        return resampled(input, [sparse.adjoint for sparse in forward])

    shown = {"scales": ""}
    if mode.startswith("nearest"):
        shown["align_corners"] = ""
    batch = batching.joined_samples(spatial)
    op = Primitive(name, kernel, f"{node}Backward0", kind="linear", batch=batch, saved_names=shown)

    @op.vjp("input")
    def op_gradient_of_input(
        g: Any, input_shape: Ints, output_size: Ints, align_corners: bool, scales: Scales, xp: Any
    ) -> Any:
        return getattr(xp, f"{name}_backward")(g, input_shape, align_corners, scales)

    shown = {**shown, "input_shape": ""}
    backward = Primitive(
        f"{name}_backward", adjoint, f"{node}BackwardBackward0", kind="linear", batch=batch, saved_names=shown
    )
    backward.vjp(
        input=lambda g, input_shape, align_corners, scales, xp: getattr(xp, name)(
            g, input_shape[-spatial:], align_corners, scales
        )
    )
    for each in (op, backward):
        at = each.slot_names.index("scales")
        for i, letter in enumerate(["_d", "_h", "_w"][-spatial:] if spatial > 1 else [""]):
            setattr(each.node_class, f"_saved_scales{letter}", property(_scale_getter(at, i)))
    at = backward.slot_names.index("input_shape")
    backward.node_class._saved_output_size = property(  # type: ignore[attr-defined]
        lambda node: saved.unpack_at(node, at)[-spatial:]
    )
    return op


def _scale_getter(slot: int, i: int) -> Callable[[Any], Any]:
    return lambda node: saved.unpack_at(node, slot)[i]


_MODES = {
    ("nearest", 1): _op("upsample_nearest1d", "UpsampleNearest1D", 1, "nearest"),
    ("nearest", 2): _op("upsample_nearest2d", "UpsampleNearest2D", 2, "nearest"),
    ("nearest", 3): _op("upsample_nearest3d", "UpsampleNearest3D", 3, "nearest"),
    ("nearest-exact", 1): _op("upsample_nearest_exact1d", "UpsampleNearestExact1D", 1, "nearest-exact"),
    ("nearest-exact", 2): _op("upsample_nearest_exact2d", "UpsampleNearestExact2D", 2, "nearest-exact"),
    ("nearest-exact", 3): _op("upsample_nearest_exact3d", "UpsampleNearestExact3D", 3, "nearest-exact"),
    ("linear", 1): _op("upsample_linear1d", "UpsampleLinear1D", 1, "linear"),
    ("bilinear", 2): _op("upsample_bilinear2d", "UpsampleBilinear2D", 2, "linear"),
    ("trilinear", 3): _op("upsample_trilinear3d", "UpsampleTrilinear3D", 3, "linear"),
    ("bicubic", 2): _op("upsample_bicubic2d", "UpsampleBicubic2D", 2, "bicubic"),
}
_ANTIALIASED = {
    mode: _op(f"upsample_{mode}2d_aa", f"Upsample{mode.title()}2DAa", 2, mode, True)
    for mode in ("bilinear", "bicubic", "lanczos")
}
_NEEDS = {"linear": 3, "bilinear": 4, "trilinear": 5}
_KERNELS = {
    ("nearest", 2): "upsample_nearest2d_channels_last", ("nearest-exact", 2): "upsample_nearest2d_channels_last",
    ("bilinear", 2): "upsample_bilinear2d_channels_last", ("bicubic", 2): "compute_indices_weights_cubic",
}  # fmt: skip


def _resample(op: Primitive, kernel: str, input: Tensor, size: Ints, align_corners: bool, scales: Scales) -> Tensor:
    shape = input._array.shape
    n = len(size)
    if min(size) <= 0 or min(shape[-n:]) <= 0:
        given, wanted = (
            ", ".join(f"{letter}: {v}" for letter, v in zip("DHW"[-n:], values)) for values in (shape[-n:], size)
        )
        raise RuntimeError(
            f"Input and output sizes should be greater than 0, but got input ({given}) "
            f"{'and ' if n == 1 else ''}output ({wanted})"
        )
    if 0 in shape[1:]:
        raise RuntimeError(
            f"Non-empty {n + 2}D data tensor expected but got a tensor with sizes {list(shape)}"
        )
    dtype = input.dtype
    narrow = op in _ANTIALIASED.values() and dtype in (dtypes.float16, dtypes.bfloat16)
    bytes_too = dtype is dtypes.uint8 and "linear1" not in op.name and "linear3" not in op.name
    if narrow or not (input._array.dtype.kind in "fV" or bytes_too):
        raise not_for(kernel, dtype)
    found: Tensor = op(input, size, align_corners, scales)
    return found


# ---- interpolate


def _is_int(value: Any) -> bool:
    if isinstance(value, Tensor):
        return not value.shape and not value.is_floating_point() and not value.is_complex()
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _no_overload(function: str, *given: str) -> TypeError:
    return TypeError(f"{function}() received an invalid combination of arguments - got ({', '.join(given)})")


def _sizes(input: Tensor, size: Any, scale_factor: Any, spatial: int) -> tuple[Any, Any]:
    """The output size or the scale of each dimension, as they were asked for."""
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    given = size if size is not None else scale_factor
    if not isinstance(given, (list, tuple)):
        if isinstance(given, Tensor) and _is_int(given) and size is not None:
            given = int(given.item())
        each: Any = [given] * max(spatial, 0)
    else:
        name, title, letter = ("output size", "output", "o") if size is not None else ("scale_factor",) * 2 + ("s",)
        of = "of" if size is not None else "of shape"
        if len(given) != spatial:
            raise ValueError(
                f"Input and {title} must have the same number of spatial dimensions, but got input with spatial "
                f"dimensions of {list(input._array.shape[2:])} and {name} {of} {given}. Please provide input tensor in "
                f"(N, C, d1, d2, ...,dK) format and {name} in ({letter}1, {letter}2, ...,{letter}K) format."
            )
        if size is not None and not all(_is_int(s) for s in given):
            raise TypeError(
                "expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, int], but got size "
                f"with types {[type(s) for s in given]}"
            )
        each = list(given)
    return (each, None) if size is not None else (None, each)


@public("", name="interpolate", looks_first=True)
def interpolate(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
    align_corners: bool | None = None, recompute_scale_factor: bool | None = None, antialias: bool = False,
) -> Tensor:  # fmt: skip
    """``input`` at another size, or made larger by a factor."""
    if mode in ("nearest", "area", "nearest-exact") and align_corners is not None:
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"
        )
    if not isinstance(input, Tensor):
        raise AttributeError(f"'{type(input).__name__}' object has no attribute 'dim'")
    shape = input._array.shape
    spatial = len(shape) - 2
    sizes, scales = _sizes(input, size, scale_factor, spatial)
    if recompute_scale_factor and size is not None:
        raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
    if scales is not None and (recompute_scale_factor or mode == "area"):
        sizes, scales = [math.floor(float(n) * s) for n, s in zip(shape[2:], scales)], None
    if antialias and not (mode in _ANTIALIASED and len(shape) == 4):
        raise ValueError(
            "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as input"
        )
    if mode == "lanczos" and len(shape) == 4:
        if align_corners:
            raise ValueError("Lanczos mode does not support align_corners=True")
        if not antialias:
            raise ValueError("Lanczos mode requires antialias=True")
    if mode == "area" and 1 <= spatial <= 3:
        area = adaptive_avg_pool1d if spatial == 1 else FUNCTIONALS[f"adaptive_avg_pool{spatial}d"]
        pooled: Tensor = area(input, tuple(sizes))
        return pooled
    known = any(mode == each for each, _ in _MODES)
    op = _ANTIALIASED[mode] if antialias else _MODES.get((mode, spatial)) if known else None
    if op is None:
        raise _wrong_mode(mode, len(shape))
    exact = mode == "nearest-exact"
    title = f"_{op.name}" if exact or antialias else op.name
    flags = [] if mode.startswith("nearest") else ["bool"]
    factors: Scales = (None,) * spatial
    if sizes is not None:
        if not all(_is_int(s) for s in sizes):
            raise _no_overload(title, "Tensor", "list", *flags, "NoneType")
        wanted = tuple(int(s) for s in sizes)
    else:
        if not all(isinstance(s, (int, float)) for s in scales):
            raise _no_overload(title, "Tensor", "NoneType", *flags, "list")
        wanted = tuple(int(float(n) * float(s)) for n, s in zip(shape[2:], scales))
        factors = tuple(float(s) for s in scales)
    usual = "compute_indices_weights_nearest" if mode.startswith("nearest") else "compute_indices_weights_linear"
    kernel = "compute_index_ranges_weights" if antialias else _KERNELS.get((mode, spatial), usual)
    return _resample(op, kernel, input, wanted, bool(align_corners), factors)


def antialiased(mode: str, input: Tensor, size: Any, align_corners: bool, scales: Scales) -> Tensor:
    """What ``interpolate`` does with ``antialias``, with scales to go by beside a size."""
    shape = input._array.shape
    if size is None:
        size = [int(float(n) * float(s or 0)) for n, s in zip(shape[2:], scales)]
    factors = tuple(None if s is None else float(s) for s in scales)
    wanted = tuple(int(s) for s in size)
    return _resample(_ANTIALIASED[mode], "compute_index_ranges_weights", input, wanted, bool(align_corners), factors)


def _wrong_mode(mode: str, ndim: int) -> NotImplementedError:
    if mode.__class__ is str and mode in _NEEDS and 3 <= ndim <= 5:
        return NotImplementedError(f"Got {ndim}D input, but {mode} mode needs {_NEEDS[mode]}D input")
    return NotImplementedError(
        f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {ndim}D) for the modes: nearest | linear | "
        f"bilinear | bicubic | trilinear | lanczos | area | nearest-exact (got {mode})"
    )


def _warn(name: str) -> None:
    warn_user(
        f"`nn.functional.{name}` is deprecated. Use `nn.functional.interpolate` instead."
    )


def upsample(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None
) -> Tensor:
    """The old name of ``interpolate``."""
    _warn("upsample")
    return _interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """``interpolate`` to the nearest neighbour."""
    _warn("upsample_nearest")
    return _interpolate(input, size, scale_factor, mode="nearest")


def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """``interpolate`` linearly in two dimensions, corners aligned."""
    _warn("upsample_bilinear")
    return _interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)


_interpolate = FUNCTIONALS["interpolate"] = interpolate.public  # type: ignore[attr-defined]
FUNCTIONALS.update(upsample=upsample, upsample_nearest=upsample_nearest, upsample_bilinear=upsample_bilinear)
