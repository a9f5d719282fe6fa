"""Sampling at given places: ``grid_sample``, and grids of an affine map, ``affine_grid``."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from math import prod
from typing import Any

import numpy as np

from ..._core.devices import MetaArray, empty_meta
from ..._core.dtypes import cast, not_for, of_numpy, widened
from ..._tensor import Tensor
from ...autograd.graph import warn_user
from ..arrays.draws import fused
from ..arrays.images.interpolation import cubic_weights
from ..arrays.masks import keep
from ..arrays.meta import by_zeros
from ..arrays.scatter_add import add_at
from ..arrays.types import Array
from ..creation.create import spaced
from ..machine import batching
from ..machine.namespaces import ARRAYS
from ..machine.primitive import Primitive, primitive
from ..machine.public import FUNCTIONALS, FUNCTIONS, public
from ..machine.refusals import no_dimensions, scalar_type
from ..machine.rules import constant, in_both_namespaces, raw

BILINEAR, NEAREST, BICUBIC = range(3)
ZEROS, BORDER, REFLECTION = range(3)
Ints = tuple[int, ...]
_FAR = 2.0**31


# ---- points in planes: the same in every channel of a sample


@primitive("GatherBackward0", kind="linear", batch=batching.joined_first)
@by_zeros
def take_points_op(input: Array, index: Array) -> Any:
    """``input[n, c]``, flattened, at the places ``index[n]``, for every c."""
    n, c = input.shape[:2]
    flat = input.reshape(n, c, prod(input.shape[2:]))
    out = np.empty((n, c, *index.shape[1:]), input.dtype)
    for i in range(n):
        out[i] = flat[i].take(index[i], 1)
    return out


@primitive("ScatterAddBackward0", kind="linear")
@by_zeros
def add_points_op(input: Array, index: Array, shape: Ints) -> Any:
    """The adjoint: points added to their places in zeros of a shape."""
    n, c = shape[:2]
    size = prod(shape[2:])
    out = np.zeros((n, c * size), input.dtype)
    channels = (np.arange(c) * size).reshape(-1, *(1,) * (index.ndim - 1))
    for i in range(n):
        add_at(out[i], channels + index[i], np.ascontiguousarray(input[i]))
    return out.reshape(shape)


take_points_op.vjp(input=lambda g, index, input_shape, xp: xp.add_points(g, index, input_shape))
add_points_op.vjp(input=lambda g, index, xp: xp.take_points(g, index))


@add_points_op.batch
def add_points_batched(call: batching.Call) -> Any:
    (shape,) = call.attributes
    values = [batching.joined(v) for v in call.all_full()]
    return batching.parted(call.run(values, ((call.size * shape[0], *shape[1:]),)), call.size)


# ---- places and weights


class Axis:
    """What one dimension contributes: neighbours' places (and which exist), their weights, the weights' derivatives."""

    def __init__(self, places: list[Any], exist: list[Any], weights: list[Any], slopes: list[Any]) -> None:
        self.places = places
        self.exist = exist
        self.weights = weights
        self.slopes = slopes


def _reflected(x: Any, twice_low: int, twice_high: int) -> tuple[Any, Any]:
    """Positions mirrored at both ends until they are inside, and the sign of the mirroring."""
    if twice_low == twice_high:
        return np.zeros_like(x), np.zeros_like(x)
    low, span = twice_low / 2, (twice_high - twice_low) / 2
    away = np.abs(x - low)
    sign = np.where(x < low, -1, 1)
    extra = np.fmod(away, span)
    even = np.floor(away / span).astype(np.int64) % 2 == 0
    position = np.where(even, extra + low, span - extra + low)
    return position.astype(x.dtype), np.where(even, sign, -sign).astype(x.dtype)


def _padded(x: Any, size: int, padding: int, align_corners: bool) -> tuple[Any, Any]:
    """Positions brought inside, and the derivative of that (None: nothing was done)."""
    if padding == ZEROS:
        return x, None
    slope = np.ones_like(x)
    if padding == REFLECTION:
        x, slope = _reflected(x, 0, 2 * (size - 1)) if align_corners else _reflected(x, -1, 2 * size - 1)
    inside = (x > 0) & (x < size - 1)
    return np.clip(np.nan_to_num(x), 0, size - 1), slope * inside


def _axis(at: Any, size: int, mode: int, padding: int, align_corners: bool, xp: Any) -> Axis:
    """``at``: the grid's coordinate along this dimension, from -1 to 1; of whichever namespace the rule runs in."""
    array = raw(at)
    real = array.dtype.type
    scale = (size - 1) / 2 if align_corners else size / 2
    half = 0.0 if align_corners else 0.5
    # a sample at a pixel is at a kink: rounded as PyTorch's is, it falls on the same side
    unpadded = fused(array + real(1), scale, -half)
    if mode == BICUBIC:
        position, slope = unpadded, None
    else:
        position, slope = _padded(unpadded, size, padding, align_corners)
    begin = np.rint(position) if mode == NEAREST else np.floor(position)
    first = np.clip(np.nan_to_num(begin, nan=-9), -_FAR, _FAR).astype(np.int64)
    if mode == NEAREST:
        return _checked([first], size, padding, align_corners, [None], [None])
    if slope is None:
        beyond = (at + 1) * scale - constant(begin + real(half), xp)
        steep: Any = scale
    else:  # padding is linear by pieces
        beyond = at * constant(slope * real(scale), xp) + constant(position - array * slope * real(scale) - begin, xp)
        steep = constant(slope * real(scale), xp)
    if mode == BILINEAR:
        one = constant(np.ones((), array.dtype), xp)
        return _checked([first, first + 1], size, padding, align_corners, [one - beyond, beyond], [-steep, steep])
    slopes = [w * steep for w in _cubic_slopes(beyond, -0.75)]
    return _checked(
        [first + j for j in range(-1, 3)], size, padding, align_corners, cubic_weights(beyond, -0.75), slopes
    )


def _cubic_slopes(t: Any, a: float) -> list[Any]:
    def near(x: Any) -> Any:
        return (3 * (a + 2) * x - 2 * (a + 3)) * x

    def far(x: Any) -> Any:
        return (3 * a * x - 10 * a) * x + 8 * a

    return [far(t + 1), near(t), -near(1 - t), -far(2 - t)]


def _checked(
    places: list[Any], size: int, padding: int, align_corners: bool, weights: list[Any], slopes: list[Any]
) -> Axis:
    exist = []
    for i, place in enumerate(places):
        if padding != ZEROS:
            place = _padded(place.astype(np.float64), size, padding, align_corners)[0].astype(np.int64)
        exist.append((place >= 0) & (place < size))
        places[i] = np.clip(place, 0, size - 1)
    return Axis(places, exist, weights, slopes)


class Neighbours:
    """All neighbours of all points: products over the dimensions."""

    def __init__(self, grid: Any, sizes: Ints, mode: int, padding: int, align_corners: bool, xp: Any) -> None:
        self.xp = xp
        # The grid's last dimension names the input's last dimension first.
        self.axes = [
            _axis(_coordinate(grid, len(sizes) - 1 - i, xp), n, mode, padding, align_corners, xp)
            for i, n in enumerate(sizes)
        ]
        self.numbers = list(product(*(range(len(axis.places)) for axis in self.axes)))
        self.strides = [prod(sizes[i + 1 :]) for i in range(len(sizes))]

    def place(self, numbers: Ints) -> tuple[Any, Any]:
        """Where these neighbours are in the plane, and a mask of those that exist; None if all do."""
        index: Any = 0
        exist: Any = True
        for axis, stride, j in zip(self.axes, self.strides, numbers):
            index = index + axis.places[j] * stride
            exist = exist & axis.exist[j]
        mask = None if exist.__class__ is MetaArray or np.all(exist) else constant(exist[:, None], self.xp)
        return constant(index, self.xp), mask

    def weight(self, numbers: Ints, sloping: int | None = None) -> Any:
        """Their weight, or its derivative along one dimension, with a dimension for channels; None if it is 1."""
        found = None
        for i, (axis, j) in enumerate(zip(self.axes, numbers)):
            factor = axis.slopes[j] if i == sloping else axis.weights[j]
            if factor is not None:
                found = factor if found is None else found * factor
        return None if found is None else self.xp.unsqueeze(found, 1)


def _coordinate(grid: Any, i: int, xp: Any) -> Any:
    return xp.select(grid, grid.ndim - 1, i)


# ---- grid_sample


def _sample_op(spatial: int) -> Primitive:
    def kernel(
        input: Array, grid: Array, interpolation_mode: int, padding_mode: int, align_corners: bool
    ) -> Any:
        if input.__class__ is MetaArray:
            return empty_meta((*input.shape[:2], *grid.shape[1:-1]), input.dtype)
        x = widened(input)
        near = Neighbours(widened(grid), x.shape[2:], interpolation_mode, padding_mode, align_corners, ARRAYS)
        out: Any = None
        for numbers in near.numbers:
            index, mask = near.place(numbers)
            part = take_points_op.kernel(x, index)
            if mask is not None:
                part = keep(part, mask)
            weight = near.weight(numbers)
            if weight is not None:
                part *= weight
            out = part if out is None else np.add(out, part, out=out)
        return cast(out, input.dtype)

    op = Primitive(f"grid_sampler_{spatial}d", kernel, f"GridSampler{spatial}DBackward0", batch=batching.joined_first)

    @op.vjp("input")
    def op_gradient_of_input(
        g: Any, input: Any, grid: Any, interpolation_mode: int, padding_mode: int, align_corners: bool, xp: Any
    ) -> Any:
        shape = tuple(input.shape)
        g, grid, back = _wide(g, grid, xp)
        near = Neighbours(grid, shape[2:], interpolation_mode, padding_mode, align_corners, xp)
        found: Any = None
        for numbers in near.numbers:
            index, mask = near.place(numbers)
            weight = near.weight(numbers)
            part = g if weight is None else g * weight
            if mask is not None:
                part = xp.keep(part, mask)
            part = xp.add_points(part, index, shape)
            found = part if found is None else found + part
        return back(found)

    @op.vjp("grid")
    def op_gradient_of_grid(
        g: Any, input: Any, grid: Any, interpolation_mode: int, padding_mode: int, align_corners: bool, xp: Any
    ) -> Any:
        if interpolation_mode == NEAREST:
            return constant(np.zeros_like(raw(grid)), xp)
        sizes = tuple(input.shape[2:])
        g, grid, back = _wide(g, grid, xp)
        input = _wide(input, input, xp)[0]
        near = Neighbours(grid, sizes, interpolation_mode, padding_mode, align_corners, xp)
        found: list[Any] = [None] * spatial
        for numbers in near.numbers:
            index, mask = near.place(numbers)
            part = xp.take_points(input, index)
            if mask is not None:
                part = xp.keep(part, mask)
            part = xp.sum_dim(part * g, (1,), True)
            for i in range(spatial):
                term = part * near.weight(numbers, i)
                found[i] = term if found[i] is None else found[i] + term
        parts = [xp.squeeze_dims(part, (1,)) for part in reversed(found)]
        return back(xp.stacked(parts, -1))

    return op


in_both_namespaces("stacked", np.stack, lambda parts, dim: FUNCTIONS["stack"](parts, dim))


def _wide(g: Any, grid: Any, xp: Any) -> tuple[Any, Any, Any]:
    """Half precision is computed in float32; the third is the way back."""
    dtype = raw(g).dtype
    if dtype.itemsize != 2:
        return g, grid, lambda x: x
    wide = np.dtype(np.float32)
    return xp.cast(g, wide), xp.cast(grid, wide), lambda x: xp.cast(x, dtype)


_SAMPLE = {n: _sample_op(n) for n in (2, 3)}
_FALLBACK = _SAMPLE[2].under("_grid_sampler_2d_cpu_fallback", "GridSampler2DCpuFallbackBackward0")


def _check_sampling(input: Tensor, grid: Tensor, spatial: int | None, mode: int) -> None:
    shape, other = input._array.shape, grid._array.shape
    if not (shape and other):
        raise no_dimensions(0)
    if shape[0] != other[0]:
        raise RuntimeError(
            f"grid_sampler(): expected grid and input to have same batch size, but got input with sizes {list(shape)} "
            f"and grid with sizes {list(other)}"
        )
    if other[-1] != len(shape) - 2:
        raise RuntimeError(
            f"grid_sampler(): expected grid to have size {len(shape) - 2} in last dimension, but got grid with sizes "
            f"{list(other)}"
        )
    for i in range(2, len(shape)):
        if shape[i] == 0:
            raise RuntimeError(
                "grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes "
                f"{list(shape)} with dimension {i} being empty"
            )
    wanted = 5 if spatial is None or spatial == 3 else 4
    if len(shape) != len(other) or len(shape) not in (4, 5) or (spatial is not None and len(shape) != wanted):
        raise RuntimeError(
            f"grid_sampler(): expected {wanted}D input and grid with same number of dimensions, but got input with "
            f"sizes {list(shape)} and grid with sizes {list(other)}"
        )
    if len(shape) == 5 and mode == BICUBIC:
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
    if input.dtype is not grid.dtype:
        raise RuntimeError(f"expected scalar type {scalar_type(input)} but found {scalar_type(grid)}")
    if input._array.dtype.kind not in "fV":
        raise not_for(f"grid_sampler_{len(shape) - 2}d_cpu_kernel_impl", input.dtype)


@public("grid_sampler", autocast="full")
def grid_sampler(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """``grid_sample``, its modes given as numbers."""
    return _sample(input, grid, interpolation_mode, padding_mode, align_corners, None)


@public("grid_sampler_2d", autocast="full")
def grid_sampler_2d(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """``grid_sampler`` of planes."""
    return _sample(input, grid, interpolation_mode, padding_mode, align_corners, 2)


@public("_grid_sampler_2d_cpu_fallback")
def grid_sampler_2d_fallback(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """``grid_sampler_2d`` under the name of PyTorch's unvectorized kernel."""
    return _sample(input, grid, interpolation_mode, padding_mode, align_corners, 2, _FALLBACK)


@public("grid_sampler_3d", autocast="full")
def grid_sampler_3d(
    input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Tensor:
    """``grid_sampler`` of volumes."""
    return _sample(input, grid, interpolation_mode, padding_mode, align_corners, 3)


def _sample(
    input: Tensor, grid: Tensor, mode: int, padding: int, align_corners: bool, spatial: int | None,
    op: Primitive | None = None,
) -> Tensor:  # fmt: skip
    _check_sampling(input, grid, spatial, mode)
    known = mode if mode in (BILINEAR, NEAREST) else BICUBIC
    found: Tensor = (op or _SAMPLE[input.ndim - 2])(input, grid, known, padding, align_corners)
    return found


_DEFAULT_CHANGED = (
    "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please specify "
    "align_corners=True if the old behavior is desired. See the documentation of grid_sample for details."
)


GRID_SAMPLE_INTERPOLATION_MODES = {"bilinear": BILINEAR, "nearest": NEAREST, "bicubic": BICUBIC}
GRID_SAMPLE_PADDING_MODES = {"zeros": ZEROS, "border": BORDER, "reflection": REFLECTION}


@public("", name="grid_sample", autocast="full")
def grid_sample(
    input: Tensor, grid: Tensor, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool | None = None
) -> Tensor:
    """``input`` at the places of a grid, whose coordinates go from -1 to 1."""
    if not any(mode == known for known in GRID_SAMPLE_INTERPOLATION_MODES):
        raise ValueError(
            f"nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{mode}'"
        )
    if not any(padding_mode == known for known in GRID_SAMPLE_PADDING_MODES):
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: "
            f"'{padding_mode}'"
        )
    if align_corners is None:
        warn_user(_DEFAULT_CHANGED)
        align_corners = False
    by, outside = GRID_SAMPLE_INTERPOLATION_MODES[mode], GRID_SAMPLE_PADDING_MODES[padding_mode]
    return _sample(input, grid, by, outside, align_corners, None)


# ---- affine_grid


@lru_cache(64)
def _base_grid(sizes: Ints, align_corners: bool, dtype: Any) -> Any:
    """The coordinates of all places, the last dimension's first, and a 1, as rows."""
    lines = []
    for n in sizes:
        line = spaced(-1, 1, n, of_numpy(dtype)) if n > 1 else np.zeros(1, dtype)
        lines.append(line if align_corners else line * dtype.type(n - 1) / dtype.type(n))
    columns = [c.reshape(-1) for c in reversed(np.meshgrid(*lines, indexing="ij"))]
    return np.stack([*columns, np.ones_like(columns[0])], 1)


@primitive("AffineGridGeneratorBackward0", kind="linear")
@by_zeros
def affine_grid_generator_op(theta: Array, size: Ints, align_corners: bool) -> Any:
    wide = widened(theta)
    rows = np.matmul(_base_grid(size[2:], align_corners, wide.dtype), wide.swapaxes(1, 2))
    return cast(np.ascontiguousarray(rows.reshape(theta.shape[0], *size[2:], len(size) - 2)), theta.dtype)


@primitive("AffineGridGeneratorBackwardBackward0", kind="linear")
@by_zeros
def affine_grid_adjoint_op(input: Array, size: Ints, align_corners: bool) -> Any:
    wide = widened(input).reshape(input.shape[0], -1, len(size) - 2)
    return cast(np.matmul(wide.swapaxes(1, 2), _base_grid(size[2:], align_corners, wide.dtype)), input.dtype)


affine_grid_generator_op.vjp(
    theta=lambda g, size, align_corners, xp: xp.affine_grid_adjoint(g, size, align_corners)
)
affine_grid_adjoint_op.vjp(
    input=lambda g, size, align_corners, xp: xp.affine_grid_generator(g, size, align_corners)
)


@affine_grid_generator_op.batch
@affine_grid_adjoint_op.batch
def affine_grid_batched(call: batching.Call) -> Any:
    size, align_corners = call.attributes
    whole = (call.size * size[0], *size[1:])
    return batching.parted(call.run([batching.joined(call.full(0))], (whole, align_corners)), call.size)


@public("affine_grid_generator", name="affine_grid_generator")
def affine_grid_of(theta: Tensor, size: Any, align_corners: bool) -> Tensor:
    """``affine_grid`` without its checks."""
    n = len(size) - 2
    if theta._array.shape[0] != size[0]:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{size[0]}, {n + 1}] but got: "
            f"[{theta._array.shape[0]}, {n + 1}]."
        )
    found: Tensor = affine_grid_generator_op(theta, tuple(int(s) for s in size), align_corners)
    return found


@public("", name="affine_grid")
def affine_grid(theta: Tensor, size: Any, align_corners: bool | None = None) -> Tensor:
    """The grid that ``grid_sample`` needs to apply affine maps to images of a size."""
    if align_corners is None:
        warn_user(_DEFAULT_CHANGED)
        align_corners = False
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    if len(size) not in (4, 5):
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got size "
            f"{size}."
        )
    n = len(size) - 2
    if theta.ndim != 3 or theta.shape[-2:] != (n, n + 1):
        raise ValueError(
            f"Expected a batch of {n}D affine matrices of shape Nx{n}x{n + 1} for size {size}. Got {theta.shape}."
        )
    if align_corners and min(size[-n:]) == 1:
        warn_user(
            "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when align_corners=True. This "
            "is not an intended use case of affine_grid. See the documentation of affine_grid for details.",
        )
    elif min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    return affine_grid_of(theta, size, align_corners)


FUNCTIONALS["grid_sample"] = grid_sample.public  # type: ignore[attr-defined]
FUNCTIONALS["affine_grid"] = affine_grid.public  # type: ignore[attr-defined]
