"""Pooling to a wanted size: by windows that adapt to it, or by windows at random places."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ..._core import state
from ..._core.dtypes import cast, not_for, widened
from ..._tensor import Tensor
from ..arrays.images.windows import Windows, adaptive, greatest, places_of, take_from_planes
from ..arrays.meta import by_zeros
from ..arrays.strides import is_channels_last, lying_as, pooled_as
from ..arrays.types import Array
from ..machine import batching
from ..machine.errors import WrongArgument
from ..machine.primitive import Primitive
from ..machine.public import FUNCTIONS, public
from ..machine.rules import no_gradient
from .planes import plane_ops
from .pool import Ints, averages, averages_adjoint, divisor_of, one_dimensional, require_planes
from .sizes import as_ints, one_int, shape_list


def _windows(shape: Ints, output_size: Ints) -> tuple[Windows, ...]:
    return tuple(map(adaptive, shape[-len(output_size) :], output_size))


def wanted_size(input: Tensor, output_size: Any, spatial: int) -> Ints:
    """The wanted size, None meaning that of the input."""
    if isinstance(output_size, int):
        return (output_size,) * spatial
    shape = input._array.shape
    if len(shape) <= len(output_size):
        raise ValueError(f"Input dimension should be at least {len(output_size) + 1}")
    sizes = zip(output_size, shape[len(shape) - len(output_size) :])
    found = tuple(n if size is None else size for size, n in sizes)
    for i, size in enumerate(found):
        if isinstance(size, (bool, float, str)):
            kind = f"tuple of ints, but found element of type {type(size).__name__} at pos {i}"
            raise _WrongElement("output_size", size, kind)
    return as_ints("output_size", found, spatial)


class _WrongElement(WrongArgument):
    def __init__(self, name: str, value: Any, wanted: str) -> None:
        super().__init__(name, value, wanted)


def _require_elements(name: str, input: Tensor, first: int) -> None:
    shape = input._array.shape
    for i in range(first - len(shape), 0):
        if shape[i] == 0:
            raise RuntimeError(
                f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes "
                f"{list(shape)} with dimension {len(shape) + i} being empty"
            )


def _require_gradient(name: str, shape: Ints) -> None:
    for i, n in enumerate(shape):
        if i and n == 0:
            raise RuntimeError(
                f"{name}(): Expected grad_output to have non-zero size for non-batch dimensions, but grad_output has "
                f"sizes {list(shape)} with dimension {i} being empty"
            )


def _check_size(input: Tensor, size: Ints, spatial: int) -> None:
    whole = [*input._array.shape[:-spatial], *size]
    if min(size) < 0:
        raise RuntimeError(
            f"Trying to create tensor with negative dimension {next(s for s in size if s < 0)}: {whole}"
        )
    _check_memory(whole, input._array.itemsize)


def _check_memory(whole: list[int], itemsize: int) -> None:
    if prod(whole) * itemsize >= 2**63:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={whole}")


# ---- averages


def _average_op(spatial: int) -> Primitive:
    def kernel(input: Array, output_size: Ints) -> Any:
        windows = _windows(input.shape, output_size)
        found = averages(input, windows, divisor_of([w.counts for w in windows], None))
        return pooled_as(found, input, 2)

    def adjoint(input: Array, like: Array) -> Any:
        _require_gradient(f"{name}_backward", input.shape)
        windows = _windows(like.shape, input.shape[-spatial:])
        found = averages_adjoint(input, windows, divisor_of([w.counts for w in windows], None))
        return lying_as(found, like) if spatial == 2 else found

    name = f"adaptive_avg_pool{spatial}d"
    op = Primitive(
        name, kernel, f"AdaptiveAvgPool{spatial}DBackward0", kind="linear", batch=batching.joined_samples(spatial)
    )
    op.vjp(input=lambda g, input, xp: getattr(xp, f"{name}_backward")(g, input))
    back = Primitive(
        f"{name}_backward", adjoint, f"AdaptiveAvgPool{spatial}DBackwardBackward0", kind="linear",
        batch=batching.joined_samples(spatial),
        saved_names={"input_shape": {-i: f"grad_output_sym_argsize_minus_{i}" for i in range(1, spatial + 1)}},
    )  # fmt: skip
    back.vjp(input=lambda g, input_shape, xp: getattr(xp, name)(g, input_shape[-spatial:]), like=no_gradient)
    return op


_AVERAGE = {n: _average_op(n) for n in (2, 3)}


def _average(spatial: int, input: Tensor, size: Ints) -> Tensor:
    name = f"adaptive_avg_pool{spatial}d"
    if len(size) != spatial:
        raise RuntimeError(f"{name}: output_size must be {spatial}")
    if min(size) < 0:
        received = ", ".join(map(str, size[:2])) + "".join(f",{n}" for n in size[2:])
        raise RuntimeError(
            f"{name}: elements of output_size must be greater than or equal to 0 but received {{{received}}}"
        )
    if all(n == 1 for n in size):
        found: Tensor = input.mean(tuple(range(-1, -spatial - 1, -1)), keepdim=True)
        if not input.wraps and state.modes.capture is None and is_channels_last(input._array):
            array, step = found._array, found._array.itemsize
            channels = array.shape[1]
            strides = tuple(step * (1 if d == 1 else channels) for d in range(array.ndim))
            found._array = np.lib.stride_tricks.as_strided(array, array.shape, strides)
        return found
    n = input._array.ndim
    if n not in (spatial + 1, spatial + 2):
        raise RuntimeError(
            f"{name}(): Expected {spatial + 1}D or {spatial + 2}D tensor, but got {shape_list(input)}"
        )
    _require_elements(name, input, 1 if spatial == 3 else n - spatial)
    _check_memory([*input._array.shape[: n - spatial], *size], input._array.itemsize)
    if input._array.dtype.kind not in "fV":
        raise not_for(name if spatial == 2 else f"{name}_cpu", input.dtype)
    found = _AVERAGE[spatial](input, size)
    return found


@public("adaptive_avg_pool1d", functionals="adaptive_avg_pool1d")
def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """Averages of as many windows as are wanted."""
    size = one_int("adaptive_avg_pool1d", "output_size", output_size)
    one_dimensional("adaptive_avg_pool1d", input)
    return _average(2, input.unsqueeze(-2), (1, size)).squeeze(-2)


def _average_form(n: int) -> None:
    @public(functionals=f"adaptive_avg_pool{n}d", autocast="full" if n == 3 else None)
    def adaptive_avg_pool(input: Tensor, output_size: Any) -> Tensor:
        """Averages of as many windows as are wanted in each dimension; None: as many as there are elements."""
        return _average(n, input, wanted_size(input, output_size, n))


_average_form(2)
_average_form(3)


# ---- the greatest element


def _max_op(spatial: int) -> Primitive:
    def kernel(input: Array, output_size: Ints) -> tuple[Array, ...]:
        windows = _windows(input.shape, output_size)
        values, which = greatest(widened(input), windows, True)
        return pooled_as(cast(values, input.dtype), input, 2), pooled_as(places_of(which, windows), input, 2)

    name = f"adaptive_max_pool{spatial}d"
    op = Primitive(
        name, kernel, f"AdaptiveMaxPool{spatial}DBackward0", outputs=2, differentiable_outputs="first",
        batch=batching.joined_samples(spatial), saved_names={"out1": "result1"},
    )  # fmt: skip
    plane_ops(f"{name}_backward", f"AdaptiveMaxPool{spatial}DBackwardBackward0", spatial)

    @op.vjp("input")
    def gradient(g: Any, input: Any, out1: Any, xp: Any) -> Any:
        _require_gradient(f"{name}_backward", g.shape)
        return getattr(xp, f"{name}_backward")(g, input, out1)

    return op


_MAX = {n: _max_op(n) for n in (2, 3)}


def _greatest(spatial: int, input: Tensor, size: Ints) -> tuple[Tensor, Tensor]:
    name = f"adaptive_max_pool{spatial}d"
    n = input._array.ndim
    if n not in (spatial + 1, spatial + 2):
        raise RuntimeError(
            f"{name}(): Expected {spatial + 1}D or {spatial + 2}D tensor, but got: {shape_list(input)}"
        )
    _require_elements(name, input, n - spatial - 1)
    if len(size) != spatial:
        raise RuntimeError(f"{name}(): internal error: output_size.size() must be {spatial}")
    _check_size(input, size, spatial)
    if input._array.dtype.kind not in "fV":
        raise not_for(name if spatial == 2 else f"{name}_cpu", input.dtype)
    values, indices = _MAX[spatial](input, size)
    return values, indices


@public("adaptive_max_pool1d")
def adaptive_max_pool1d(input: Tensor, output_size: Any) -> Any:
    """The greatest elements of as many windows as are wanted, and where they are."""
    size = one_int("adaptive_max_pool1d", "output_size", output_size)
    one_dimensional("adaptive_max_pool1d", input)
    _require_elements("adaptive_max_pool1d", input, input._array.ndim - 2)
    values, indices = _greatest(2, input.unsqueeze(-2), (1, size))
    return values.squeeze(-2), indices.squeeze(-2)


def _max_forms(n: int) -> None:
    def both(input: Tensor, output_size: Any) -> Any:
        if n == 1:
            return adaptive_max_pool1d(input, output_size)
        return _greatest(n, input, wanted_size(input, output_size, n))

    @public(functionals=f"adaptive_max_pool{n}d", autocast="full" if n == 3 else None)
    def adaptive_max_pool(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
        """The greatest elements of as many windows as are wanted; with ``return_indices`` also where they are."""
        found = both(input, output_size)
        return found if return_indices else found[0]

    @public(functionals=f"adaptive_max_pool{n}d_with_indices")
    def with_indices(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
        """The greatest elements of as many windows as are wanted, and where they are."""
        return both(input, output_size)


for _n in (1, 2, 3):
    _max_forms(_n)


# ---- windows at random places


def random_starts(samples: Any, inputs: int, outputs: int, size: int) -> Any:
    """Where the windows of each plane begin, by a random number for each plane. The last one ends at the end."""
    starts = np.empty((*samples.shape, outputs), np.int64)
    if outputs > 1:
        one = samples.dtype.type
        gap = one(inputs - size) / one(outputs - 1)
        shift = samples[..., None]
        steps = (np.arange(outputs - 1).astype(samples.dtype) + shift) * gap
        starts[..., :-1] = steps.astype(np.int64) - (shift * gap).astype(np.int64)
    if outputs:
        starts[..., -1] = inputs - size
    return starts


def _fractional_op(spatial: int) -> Primitive:
    @by_zeros
    def kernel(input: Array, samples: Array, kernel_size: Ints, output_size: Ints) -> tuple[Array, ...]:
        x = widened(input)
        sizes = x.shape[-spatial:]
        planes = prod(x.shape[:-spatial])
        random = widened(samples).reshape(-1, spatial)[:planes]
        if spatial == 2:
            random = random[:, ::-1]
        base: Any = 0
        for i, (n, o, k) in enumerate(zip(sizes, output_size, kernel_size)):
            starts = random_starts(random[:, i], n, o, k) * prod(sizes[i + 1 :])
            base = base + starts.reshape(planes, *(o if j == i else 1 for j in range(spatial)))
        flat = x.reshape(planes, *sizes)
        places = np.zeros((planes, *output_size), np.int64) + base
        best = np.full(places.shape, -np.inf, x.dtype)
        for offsets in np.ndindex(*(max(k, 0) for k in kernel_size)):
            there = base + sum(j * prod(sizes[i + 1 :]) for i, j in enumerate(offsets))
            part = take_from_planes(flat, there, spatial)
            newer = (part > best) | np.isnan(part)
            places = np.where(newer, there, places)
            best = np.where(newer, part, best)
        shape = (*x.shape[:-spatial], *output_size)
        return cast(best.reshape(shape), input.dtype), places.reshape(shape)

    name = f"fractional_max_pool{spatial}d"
    op = Primitive(
        name, kernel, f"FractionalMaxPool{spatial}DBackward0", outputs=2, differentiable_outputs="first",
        batch=batching.item_by_item, saved_names={"out1": "result1"},
    )  # fmt: skip
    plane_ops(f"{name}_backward", f"FractionalMaxPool{spatial}DBackwardBackward0", spatial)

    @op.vjp("input")
    def op_gradient_of_input(g: Any, input: Any, out1: Any, kernel_size: Ints, output_size: Ints, xp: Any) -> Any:
        return getattr(xp, f"{name}_backward")(g, input, out1)

    return op


_FRACTIONAL = {n: _fractional_op(n) for n in (2, 3)}


def _ints(name: str, value: Any, spatial: int, function: str, sizes: str) -> Ints:
    values = as_ints(name, value, spatial)
    if len(values) != spatial and not isinstance(value, int):
        raise RuntimeError(f"{function}: {name} must either be a single Int or tuple of {sizes}")
    return values * spatial if len(values) == 1 else values


def _fractional(
    spatial: int, input: Tensor, kernel_size: Any, output_size: Any, output_ratio: Any, samples: Tensor | None
) -> Any:
    name = f"fractional_max_pool{spatial}d"
    if output_size is None and output_ratio is None:
        raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
    shape = input._array.shape
    if output_size is None:
        if spatial == 2 and len(output_ratio) > 2:
            raise ValueError(f"{name} requires output_ratio to either be a single Int or tuple of Ints.")
        ratios = (output_ratio,) * spatial if isinstance(output_ratio, (int, float)) else tuple(output_ratio)
        output_size = [int(n * ratio) for n, ratio in zip(shape[-spatial:], ratios, strict=True)]
    require_planes(input, spatial)
    if samples is None:
        batch = 1 if len(shape) == spatial + 1 else shape[0]
        samples = FUNCTIONS["rand"](batch, shape[-spatial - 1], spatial, dtype=input.dtype, device=input.device)
    sizes = "Ints" if spatial == 2 else "three Ints"
    kernel = _ints("kernel_size", kernel_size, spatial, name, sizes)
    size = _ints("output_size", output_size, spatial, name, sizes)
    _check_fractional(input, kernel, size, spatial, name)
    _check_size(input, size, spatial)
    _check_samples(input, samples, spatial)
    if input._array.dtype.kind not in "fV":
        raise not_for(f"{name}_out_frame", input.dtype)
    return tuple(_FRACTIONAL[spatial](input, samples, kernel, size))


def _check_fractional(input: Tensor, kernel: Ints, size: Ints, spatial: int, name: str) -> None:
    shape = input._array.shape
    title = name if spatial == 2 else f"{name}_out"
    if len(shape) not in (spatial + 1, spatial + 2):
        raise RuntimeError(
            f"{title}(): Expected {spatial + 1}D or {spatial + 2}D tensor, but got: {list(shape)}"
        )
    if 0 in shape[-spatial - 1 :]:
        where = next((i for i in range(len(shape) - spatial - 1, len(shape)) if shape[i] == 0), 0)
        raise RuntimeError(
            f"{title}(): Expected input to have non-zero size for non-batch dimensions, but got{list(shape)} with "
            f"dimension {where} being empty."
        )
    order = (0, 1) if spatial == 2 else (0, 2, 1)
    for i in order:
        n, k, o, what = shape[i - spatial], kernel[i], size[i], ("time", "height", "width")[i - spatial]
        if o + k - 1 > n - (spatial == 3):
            raise RuntimeError(f"{title}(): pool {what} {k} too large relative to input {what} {n}")


def _check_samples(input: Tensor, samples: Tensor, spatial: int) -> None:
    shape, given = input._array.shape, samples._array.shape
    if samples.dtype is not input.dtype:
        raise RuntimeError("Expect _random_samples to have the same dtype as input")
    if len(given) != 3:
        raise RuntimeError(f"Expect _random_samples to have 3 dimensions, got {len(given)}")
    if given[0] < (1 if len(shape) == spatial + 1 else shape[0]):
        raise RuntimeError("Expect _random_samples.size(0) no less then input batch size.")
    if given[1] != shape[-spatial - 1]:
        raise RuntimeError("Expect _random_samples.size(1) equals to input channel size.")
    if given[2] != spatial:
        raise RuntimeError(f"Expect _random_samples.size(2) equals to {spatial}; got {given[2]}.")


def _fractional_forms(n: int) -> None:
    @public(functionals=f"fractional_max_pool{n}d", autocast="full")
    def fractional_max_pool(
        input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None,
        return_indices: bool = False, _random_samples: Tensor | None = None,
    ) -> Any:  # fmt: skip
        """The greatest elements of windows at random places; with ``return_indices`` also where they are."""
        found = _fractional(n, input, kernel_size, output_size, output_ratio, _random_samples)
        return found if return_indices else found[0]

    @public(functionals=f"fractional_max_pool{n}d_with_indices")
    def with_indices(
        input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None,
        return_indices: bool = False, _random_samples: Tensor | None = None,
    ) -> Any:  # fmt: skip
        """The greatest elements of windows at random places, and where they are."""
        return _fractional(n, input, kernel_size, output_size, output_ratio, _random_samples)


_fractional_forms(2)
_fractional_forms(3)
