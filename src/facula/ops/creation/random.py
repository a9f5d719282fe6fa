"""Random tensors: PyTorch's distributions, from the words of its generator."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import random as _seeds
from ..._core import dtypes, state
from ..._core.devices import MetaArray, empty_meta
from ..._core.dtypes import not_for
from ..._core.generator import Generator, check_randomness, default_generator, refuse_out, stream_of
from ..._core.many_dims import in_a_row
from ..._core.missing import Missing
from ..._core.unresolved import resolved
from ..._levels.needs_values import DrawsDiffer
from ..._tensor import Tensor
from ..arrays.draws import (
    DIGITS,
    bernoulli_of_tensor,
    check_range,
    doubles,
    draw_exponential,
    draw_integers,
    draw_normal,
    draw_permutation,
    draw_uniform,
    limits,
)
from ..arrays.meta import without_draws
from ..arrays.rejections import draw_binomial, draw_poisson
from ..arrays.types import Array
from ..machine import batching
from ..machine.any_state import constant_of
from ..machine.errors import NoOverload, type_of
from ..machine.operands import common_shape
from ..machine.primitive import primitive
from ..machine.public import FUNCTIONS, public, refuse_recorded_out, resize_output
from ..machine.refusals import no_aten_derivative, scalar_type
from ..machine.rules import fit, no_gradient
from ..machine.write import needs_gradient
from .factories import checked_dtype, creator, empty_array, finish, like_array, out_dtype, require_sizes, size_of

FUNCTIONS.update({name: getattr(_seeds, name) for name in _seeds.__all__ if name != "fork_rng"})
FUNCTIONS["Generator"] = Generator
FUNCTIONS["default_generator"] = default_generator


# ---- new tensors


def _size(name: str, size: tuple[Any, ...], named: dict[str, Any]) -> tuple[int, ...]:
    if named.keys() - {"size"}:
        raise TypeError(f"{name}() got an unexpected keyword argument '{next(iter(named))}'")
    if not size and not named:
        raise TypeError(f"{name}() received an invalid combination of arguments - got ()")
    shape = size_of(name, (named["size"],) if named else size)
    require_sizes(name, shape)
    return shape


def _float(name: str, dtype: Any, out: Any) -> dtypes.dtype:
    return out_dtype(name, dtype, out) or dtypes.default


def _drawn(
    draw: Any, shape: tuple[int, ...], dtype: dtypes.dtype, device: Any, generator: Any, out: Any = None
) -> Any:
    """What ``draw(stream, array)`` has filled: a new array, or that of ``out=``. Meta devices draw nothing."""
    if out is not None:
        refuse_out()
    stream = stream_of(generator)
    array = _own_array(out, shape)
    if array is None:
        array = empty_array(shape, dtype, device)
    row = in_a_row(array)
    if row.__class__ is np.ndarray:
        draw(stream, row)
    return array


def for_all_items(level: Any, fn: Any, *args: Any) -> Tensor:
    """What is drawn for all items of a batch at once, as PyTorch does: item by item, normal numbers would be others."""
    from ..._levels.batched import batch  # loaded when first used
    from ..._levels.wrapped import below  # loaded when first used

    return batch(below(level, fn, *args), level)


def _new(
    draw: Any, shape: tuple[int, ...], dtype: dtypes.dtype, device: Any, generator: Any, requires_grad: bool,
    out: Any = None, layout: Any = None,
) -> Tensor:  # fmt: skip
    try:
        array = _drawn(draw, shape, dtype, device, generator, out)
    except DrawsDiffer as e:
        level = e.level
        shape = level.size, *shape
        return for_all_items(level, _new, draw, shape, dtype, device, generator, requires_grad, None, layout)
    return finish(array, requires_grad, out, layout)


def _own_array(out: Any, shape: tuple[int, ...]) -> Any:
    """That of ``out=``, if it needs no resizing: how it lies in memory decides which number goes where."""
    if isinstance(out, Tensor) and not out.wraps and out._array.shape == shape:
        return out._array
    return None


@creator()
def rand(
    *size: Any, generator: Any = None, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, pin_memory: bool = False, **named: Any,
) -> Tensor:  # fmt: skip
    """Uniform from [0, 1)."""
    shape, d = _size("rand", size, named), _float("rand", dtype, out)
    return _new(draw_uniform, shape, d, device, generator, requires_grad, out, layout)


@creator()
def randn(
    *size: Any, generator: Any = None, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, pin_memory: bool = False, **named: Any,
) -> Tensor:  # fmt: skip
    """Normal with mean 0 and standard deviation 1."""
    shape, d = _size("randn", size, named), _float("randn", dtype, out)
    return _new(draw_normal, shape, d, device, generator, requires_grad, out, layout)


_NONE: Any = Missing()


@creator()
def randint(
    low: Any = _NONE, high: Any = _NONE, size: Any = _NONE, *, generator: Any = None, out: Any = None,
    dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """Integers from [low, high); ``randint(high, size)`` begins at 0."""
    position = 3
    if size is _NONE and high is not _NONE and low is not _NONE:
        low, high, size, position = 0, low, high, 2
    elif high is _NONE and size is not _NONE and low is not _NONE:
        low, high, position = 0, low, 2
    if low is _NONE:
        low = 0
    if size is _NONE or high is _NONE:
        raise TypeError("randint() received an invalid combination of arguments")
    low, high = _integer("randint", "low", 1, low), _integer("randint", "high", position - 1, high)
    shape = size_of("randint", (size,), position, one_argument=True)
    d = out_dtype("randint", dtype, out) or dtypes.int64
    check_range(low, high, d)
    require_sizes("randint", shape)
    return _new(
        lambda stream, target: draw_integers(stream, target, low, high), shape, d, device, generator, requires_grad,
        out, layout,
    )  # fmt: skip


def _integer(name: str, argument: str, position: int, value: Any) -> int:
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, Tensor) and value._array.dtype.kind in "iu":
        return int(value.item())
    raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be int, not {type_of(value)}")


@creator()
def randperm(
    n: Any, *, generator: Any = None, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """The numbers 0 ... n - 1 in random order."""
    n = _integer("randperm", "n", 1, n)
    require_sizes("randperm", (n,))
    d = out_dtype("randperm", dtype, out) or dtypes.int64
    if d is dtypes.bool_:
        raise not_for("randperm", d)
    if d.category == dtypes.INT and n - 1 > limits(d)[1]:
        raise RuntimeError(f"value cannot be converted to type {d.name}_t without overflow")
    if d.category == dtypes.FLOAT and n > 2 ** DIGITS[d.name] + 1:
        name = dtypes.SCALAR_TYPE_NAMES[d]
        raise RuntimeError(f"n cannot be greater than {2 ** DIGITS[d.name] + 1} for {name} type.")
    if out is not None:
        refuse_out()
    array = _drawn(draw_permutation, (n,), d, device, generator)
    return finish(array, requires_grad, out, layout)


def _like(name: str, draw: Any, doc: str) -> None:
    def like(
        input: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: bool = False,
        pin_memory: bool = False, memory_format: Any = None, generator: Any = None,
    ) -> Tensor:  # fmt: skip
        d = checked_dtype(name, dtype)
        return _new_like(input, d, device, memory_format, draw, generator, requires_grad, layout)

    like.__name__ = like.__qualname__ = name
    like.__doc__ = doc
    public(name)(like)


def _new_like(
    input: Any, dtype: Any, device: Any, memory_format: Any, draw: Any, generator: Any, requires_grad: bool, layout: Any
) -> Tensor:
    try:
        stream = stream_of(generator)
    except DrawsDiffer as e:
        from ..._levels.batched import unbatch  # loaded when first used

        options = dtype, device, memory_format, draw, generator, requires_grad, layout
        return for_all_items(e.level, _new_like, unbatch(input, e.level), *options)
    array = like_array(input._array, dtype, device, memory_format)
    if array.__class__ is np.ndarray:
        draw(stream, array)
    return finish(array, requires_grad, None, layout)


_like("rand_like", draw_uniform, "Uniform from [0, 1), in another tensor's shape, dtype and device.")
_like("randn_like", draw_normal, "Standard normal, in another tensor's shape, dtype and device.")


@public("randint_like")
def randint_like(
    input: Any, low: Any = _NONE, high: Any = _NONE, *, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, pin_memory: bool = False, memory_format: Any = None, generator: Any = None,
) -> Tensor:  # fmt: skip
    """Integers from [low, high), in another tensor's shape, dtype and device."""
    if high is _NONE:
        low, high = 0, low
    elif low is _NONE:
        low = 0
    low, high = _integer("randint_like", "low", 2, low), _integer("randint_like", "high", 3, high)
    d = checked_dtype("randint_like", dtype)
    check_range(low, high, d or input.dtype)
    return _new_like(
        input, d, device, memory_format, lambda stream, target: draw_integers(stream, target, low, high), generator,
        requires_grad, layout,
    )  # fmt: skip


# ---- draws that depend on tensors


@primitive("BernoulliBackward0", random=True, batch=batching.different_draws)
@without_draws
def bernoulli_op(input: Array, generator: object) -> Any:
    out = np.empty(input.shape, input.dtype)
    bernoulli_of_tensor(stream_of(generator), out, input)
    return out


bernoulli_op.vjp(input=no_gradient)


@public("bernoulli", "bernoulli")
def bernoulli(input: Tensor, p: Any = None, *, generator: Any = None, out: Tensor | None = None) -> Tensor:
    """1 with the probability that each element says (or ``p``), else 0."""
    if out is not None:
        if p is not None:
            raise NoOverload
        refuse_recorded_out("bernoulli", None, out, input)
        refuse_out()
        if out._array.shape != input._array.shape:
            resize_output(out, input._array.shape)
        return out.bernoulli_(input, generator=generator)
    if p is None:
        return bernoulli_op(input, generator)
    return bernoulli_of_number_op(input, p, generator)


@primitive("NotImplemented", random=True, batch=batching.different_draws)
@without_draws
def bernoulli_of_number_op(input: Array, p: float, generator: object) -> Any:
    check_randomness(state.modes.levels)
    return Tensor._wrap(like_array(input, None, None, None)).bernoulli_(p, generator=generator)._array


bernoulli_of_number_op.vjp(input=no_aten_derivative("bernoulli"))


@primitive("PoissonBackward0", random=True, batch=batching.different_draws)
@without_draws
def poisson_op(input: Array, generator: object) -> Any:
    if input.dtype.kind in "biuc":
        raise not_for("poisson_cpu", dtypes.of_array(input))
    if input.size and not np.all(input >= 0):
        raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
    return draw_poisson(stream_of(generator), input.ravel()).astype(input.dtype).reshape(input.shape)


poisson_op.vjp(input=no_gradient)


@public("poisson")
def poisson(input: Tensor, generator: Any = None) -> Tensor:
    """Poisson with the rates that the elements say."""
    return poisson_op(input, generator)


@primitive("NotImplemented", random=True, batch=batching.different_draws)
def binomial_op(count: Array, prob: Array, generator: object) -> Any:
    shape = common_shape(count.shape, prob.shape)
    counts, probabilities = (np.broadcast_to(a, shape).ravel() for a in (count, prob))
    return draw_binomial(stream_of(generator), counts, probabilities).reshape(shape)


binomial_op.vjp(count=no_aten_derivative("binomial"), prob=no_aten_derivative("binomial"))


@public("binomial")
def binomial(count: Tensor, prob: Tensor, generator: Any = None) -> Tensor:
    """The number of successes in ``count`` trials of probability ``prob``."""
    for name, given in (("count", count), ("prob", prob)):
        if not given.dtype.is_floating_point:
            raise ValueError(f"binomial only supports floating-point dtypes for {name}, got: {scalar_type(given)}")
    if count.dtype is not prob.dtype:
        raise RuntimeError(f"Found dtype {scalar_type(prob)} but expected {scalar_type(count)}")
    if count.dtype not in (dtypes.float32, dtypes.float64):
        raise not_for("binomial_cpu", count.dtype)
    return binomial_op(count, prob, generator)


@public(
    "multinomial", "multinomial", out="exact constant", out_dtype=dtypes.int64,
    out_error="multinomial expects Long tensor out, got: {1}", looks_first=True,
)  # fmt: skip
def multinomial(input: Tensor, num_samples: int, replacement: bool = False, *, generator: Any = None) -> Tensor:
    """Indices drawn with the weights of each row."""
    p = resolved(input._array)
    if not isinstance(num_samples, (int, np.integer)):
        raise TypeError(
            f"multinomial(): argument 'num_samples' (position 2) must be int, not {type_of(num_samples)}"
        )
    if p.ndim not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if p.dtype.kind in "biuc":
        raise RuntimeError(f"multinomial only supports floating-point dtypes for input, got: {scalar_type(input)}")
    if num_samples <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and num_samples > p.shape[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    if p.shape[-1] > 2**24:
        raise RuntimeError("number of categories cannot exceed 2^24")
    if input.wraps:
        batching.check_own_draws(input)
        if input._level.size >= 0:
            return _for_items(input, num_samples, replacement, generator)
    if p.__class__ is MetaArray:
        return constant_of(finish(empty_meta((*p.shape[:-1], num_samples), np.int64)), "multinomial", input)
    weights = np.asarray(p).astype(np.float64)
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        if replacement and num_samples > 1:
            what = "< 0" if (weights < 0).any() else "= infinity or NaN"
            raise RuntimeError(f"invalid multinomial distribution (encountering probability entry {what})")
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if (weights.sum(-1) <= 0).any():
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    stream = stream_of(generator)
    if replacement and num_samples > 1:
        return constant_of(finish(_with_replacement(stream, np.asarray(p), num_samples)), "multinomial", input)
    keys = like_array(p, None, None, None)
    draw_exponential(stream, keys, 1.0)
    np.divide(p, keys, keys)
    if num_samples == 1:
        return constant_of(finish(np.argmax(keys, -1, keepdims=True)), "multinomial", input)
    return constant_of(finish(_least(np.negative(keys, keys), num_samples)), "multinomial", input)


def _for_items(input: Any, num_samples: int, replacement: bool, generator: Any) -> Tensor:
    """``multinomial`` of a batch: the rows of all items at once."""
    from ..._levels.batched import batch  # loaded when first used
    from ..._levels.wrapped import below  # loaded when first used

    def of_all(weights: Any) -> Tensor:
        rows = weights.reshape(-1, weights.shape[-1])
        drawn = multinomial(rows, num_samples, replacement, generator=generator)
        return drawn.reshape(*weights.shape[:-1], num_samples)

    return batch(below(input._level, of_all, input._value), input._level)


def _least(numbers: Any, n: int) -> Any:
    """Where the n least numbers of each row are, in their order."""
    if n * 8 > numbers.shape[-1]:
        return np.ascontiguousarray(np.argsort(numbers, -1, kind="stable")[..., :n])
    found = np.sort(np.argpartition(numbers, n - 1, -1)[..., :n], -1)
    order = np.argsort(np.take_along_axis(numbers, found, -1), -1, kind="stable")
    return np.take_along_axis(found, order, -1)


def _with_replacement(stream: Any, weights: Any, n: int) -> Any:
    """Where uniform draws fall among the cumulated weights."""
    sums = np.cumsum(dtypes.widened(weights), -1)
    sums /= sums[..., -1:]
    sums[..., -1] = 1
    draws = doubles(stream, weights.size // weights.shape[-1] * n).reshape(*weights.shape[:-1], n)
    if weights.ndim == 1:
        return np.searchsorted(sums, draws)
    found = np.empty(draws.shape, np.int64)
    for row, (s, u) in enumerate(zip(sums, draws)):
        found[row] = np.searchsorted(s, u)
    return found


# ---- normal with means and deviations of one's own


@primitive("NormalBackward1", name="normal_of_mean", random=True, batch=batching.different_draws)
@without_draws
def normal_of_mean_op(input: Array, std: float, generator: object) -> Any:
    z = np.empty(input.shape, input.dtype)
    draw_normal(stream_of(generator), z, 0.0, std)
    z += input
    return z


@primitive("NormalBackward2", name="normal_of_std", random=True, batch=batching.different_draws)
@without_draws
def normal_of_std_op(std: Array, mean: float, generator: object) -> Any:
    _check_deviations(std)
    return _scaled(stream_of(generator), np.empty(std.shape, std.dtype), mean, std)


@primitive("NormalBackward3", name="normal_of_both", random=True, batch=batching.different_draws)
@without_draws
def normal_of_both_op(mean: Array, std: Array, generator: object) -> Any:
    _check_deviations(std)
    shape = common_shape(mean.shape, std.shape)
    return _scaled(stream_of(generator), np.empty(shape, mean.dtype), mean, std)


def _scaled(stream: Any, z: Any, mean: Any, std: Any) -> Any:
    draw_normal(stream, z)
    z *= std
    z += np.asarray(mean).astype(z.dtype)
    return z


def _check_deviations(std: Any) -> None:
    if std.dtype.kind == "c":
        raise RuntimeError("normal expects standard deviation to be non-complex")
    if std.size and not (std >= 0).all():
        raise RuntimeError("normal expects all elements of std >= 0.0")


normal_of_mean_op.vjp(input=no_gradient)
normal_of_std_op.vjp(std=no_gradient)
normal_of_both_op.vjp(
    mean=lambda g, mean_shape, mean_dtype, xp: fit(no_gradient(g, xp), mean_shape, mean_dtype, xp),
    std=lambda g, std_shape, std_dtype, xp: fit(no_gradient(g, xp), std_shape, std_dtype, xp),
)


@public("normal", out=True)
def normal(
    mean: Any = 0.0, std: Any = 1.0, size: Any = None, *, generator: Any = None, dtype: Any = None, layout: Any = None,
    device: Any = None, requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """Normal; ``mean`` and ``std`` are numbers (then ``size`` tells the shape) or tensors."""
    if not isinstance(std, Tensor):
        check_std("normal", std)
    has_complex_std = isinstance(std, Tensor) and std.dtype.is_complex
    if isinstance(mean, Tensor) and mean.dtype.is_complex and not has_complex_std and needs_gradient(mean, std):
        raise RuntimeError("normal does not support automatic differentiation for outputs with complex dtype.")
    if isinstance(mean, Tensor):
        by = normal_of_both_op if isinstance(std, Tensor) else normal_of_mean_op
        return by(mean, std, generator)
    if isinstance(std, Tensor):
        return normal_of_std_op(std, mean, generator)
    if size is None:
        raise TypeError(
            "normal() received an invalid combination of arguments - got "
            f"({type(mean).__name__}, {type(std).__name__})"
        )
    shape = size_of("normal", (size,), 3, one_argument=True)
    require_sizes("normal", shape)
    d = checked_dtype("normal", dtype) or dtypes.default
    return _new(
        lambda stream, target: draw_normal(stream, target, mean, std), shape, d, device, generator, requires_grad, None,
        layout,
    )  # fmt: skip


def check_std(name: str, std: Any) -> None:
    if not std >= 0:
        raise RuntimeError(f"{name} expects std >= 0.0, but found std {std:g}")
