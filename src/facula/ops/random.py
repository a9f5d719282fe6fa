"""Random tensors: PyTorch's distributions, drawn by NumPy."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from .. import _dtype
from .. import random as _seeds
from .._generator import Generator, default_generator, stream_of
from .._tensor import Tensor, _cpp_dtype
from ._basic import fit, zeros_like_in
from ._elementwise import broadcast_error
from ._forms import FUNCTIONS, public
from ._inplace import change
from ._making import (
    checked_dtype,
    creator,
    empty_array,
    finish,
    like_array,
    out_dtype,
    require_sizes,
    size_of,
)  # fmt: skip
from ._primitive import Primitive, primitive
from .shape import expand_error

FUNCTIONS.update({name: getattr(_seeds, name) for name in _seeds.__all__ if name != "fork_rng"})
FUNCTIONS["Generator"] = Generator
FUNCTIONS["default_generator"] = default_generator

_names = _dtype.SCALAR_TYPE_NAMES


# ---- draws, as arrays of a dtype


def draw_uniform(rng: Any, shape: Any, d: _dtype.dtype) -> Any:
    """From [0, 1), with as many random bits as the dtype can hold."""
    if d is _dtype.float32 or d is _dtype.float64:
        return rng.random(shape, d.numpy)
    if d is _dtype.float16:
        return (rng.integers(0, 2**11, shape, np.uint16) * np.float32(2**-11)).astype(np.float16)
    if d is _dtype.bfloat16:
        return (rng.integers(0, 2**8, shape, np.uint16) * np.float32(2**-8)).astype(d.numpy)
    if d.is_complex:
        return _pair(draw_uniform(rng, shape, d.to_real()), draw_uniform(rng, shape, d.to_real()), d)
    raise NotImplementedError(f"\"check_uniform_bounds\" not implemented for '{_names[d]}'")


def draw_normal(rng: Any, shape: Any, d: _dtype.dtype) -> Any:
    """Mean 0, standard deviation 1 (a complex number's two parts share it)."""
    if d is _dtype.float32 or d is _dtype.float64:
        return rng.standard_normal(shape, d.numpy)
    if d.category == _dtype.FLOAT:
        return np.asarray(rng.standard_normal(shape, np.float32)).astype(d.numpy)
    if d.is_complex:
        real = d.to_real()
        both = _pair(draw_normal(rng, shape, real), draw_normal(rng, shape, real), d)
        both *= math.sqrt(0.5)
        return both
    raise NotImplementedError(f"\"normal_kernel_cpu\" not implemented for '{_names[d]}'")


def _pair(real: Any, imag: Any, d: _dtype.dtype) -> Any:
    both = np.empty(np.shape(real), d.numpy)
    both.real = real
    both.imag = imag
    return both


def draw_integers(rng: Any, low: int, high: int, shape: Any, d: _dtype.dtype) -> Any:
    """From low up to but without high, as values of any dtype."""
    if d.category == _dtype.INT:
        return np.asarray(rng.integers(low, high, shape, d.numpy if high <= 2**63 or not d.is_signed else np.int64))
    return np.asarray(rng.integers(low, high, shape, np.int64)).astype(d.numpy)


# ---- new tensors


def _size(name: str, size: tuple[Any, ...], named: dict[str, Any]) -> tuple[int, ...]:
    if named.keys() - {"size"}:
        raise TypeError(f"{name}() got an unexpected keyword argument '{next(iter(named))}'")
    if not size and not named:
        raise TypeError(f"{name}() received an invalid combination of arguments - got ()")
    shape = size_of(name, (named["size"],) if named else size)
    require_sizes(name, shape)
    return shape


def _drawn(draw: Any, shape: tuple[int, ...], dtype: _dtype.dtype, device: Any, generator: Any) -> Any:
    """A new array of random values; on the meta device nothing is drawn."""
    rng = stream_of(generator)
    if device is not None or _device_mode():
        array = empty_array((), dtype, device)
        if array.__class__ is not np.ndarray:
            return empty_array(shape, dtype, device)
    return np.asarray(draw(rng, shape, dtype))


def _device_mode() -> bool:
    from .. import _state

    return _state.modes.device is not None


@creator()
def rand(
    *size: Any, generator: Any = None, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, pin_memory: bool = False, names: Any = None, **named: Any,
) -> Tensor:  # fmt: skip
    """Uniform from [0, 1)."""
    shape = _size("rand", size, named)
    d = out_dtype("rand", dtype, out) or _dtype.default
    return finish(_drawn(draw_uniform, shape, d, device, generator), requires_grad, out, layout)


@creator()
def randn(
    *size: Any, generator: Any = None, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, pin_memory: bool = False, names: Any = None, **named: Any,
) -> Tensor:  # fmt: skip
    """Normal with mean 0 and standard deviation 1."""
    shape = _size("randn", size, named)
    d = out_dtype("randn", dtype, out) or _dtype.default
    return finish(_drawn(draw_normal, shape, d, device, generator), requires_grad, out, layout)


_NONE: Any = object()


@creator()
def randint(
    low: Any = _NONE, high: Any = _NONE, size: Any = _NONE, *, generator: Any = None, out: Any = None, dtype: Any = None,
    layout: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """Integers from [low, high); ``randint(high, size)`` begins at 0."""
    position = 3
    if size is _NONE and high is not _NONE and low is not _NONE:
        low, high, size, position = 0, low, high, 2
    if low is _NONE:
        low = 0
    if size is _NONE or high is _NONE:
        raise TypeError("randint() received an invalid combination of arguments")
    low, high = _integer("randint", "low", 1, low), _integer("randint", "high", position - 1, high)
    shape = size_of("randint", (size,), position, one_argument=True)
    d = out_dtype("randint", dtype, out) or _dtype.int64
    check_range(low, high, d)
    array = _drawn(lambda rng, shape, d: draw_integers(rng, low, high, shape, d), shape, d, device, generator)
    return finish(array, requires_grad, out, layout)


def _integer(name: str, argument: str, position: int, value: Any) -> int:
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, Tensor) and value._array.dtype.kind in "iu":
        return int(value.item())
    raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be int, not {type(value).__name__}")


def check_range(low: int, high: int, d: _dtype.dtype) -> None:
    """PyTorch's refusals of [low, high) for a dtype."""
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    for what, value in (("from", low), ("to - 1", high - 1)):
        smallest, largest = _limits(d)
        if not smallest <= value <= largest:
            raise RuntimeError(f"{what} is out of bounds for {_cpp_dtype(d)}")
        digits = _DIGITS.get(d.name)
        if digits is not None and abs(value) > 2**digits:
            warnings.warn(
                f"{what} is out of bounds [-(2^{digits}), 2^{digits}]. Due to precision limitations {_cpp_dtype(d)} can "
                "support discrete uniform distribution only within this range. This warning will become an error in "
                "version 1.7 release, please fix the code in advance",
                stacklevel=4,
            )


_DIGITS = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}


def _limits(d: _dtype.dtype) -> tuple[float, float]:
    if d is _dtype.bool_:
        return 0, 1
    info = _dtype.iinfo(d) if d.category == _dtype.INT else _dtype.finfo(d)
    return info.min, info.max


@creator()
def randperm(
    n: Any, *, generator: Any = None, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """The numbers 0 ... n - 1 in random order."""
    n = _integer("randperm", "n", 1, n)
    require_sizes("randperm", (n,))
    d = out_dtype("randperm", dtype, out) or _dtype.int64
    if d is _dtype.bool_:
        raise NotImplementedError("\"randperm\" not implemented for 'Bool'")
    if d.category == _dtype.INT and n - 1 > _limits(d)[1]:
        raise RuntimeError(f"value cannot be converted to type {d.name}_t without overflow")
    if d.category == _dtype.FLOAT and n > 2 ** _DIGITS[d.name] + 1:
        raise RuntimeError(f"n cannot be greater than {2 ** _DIGITS[d.name] + 1} for {_names[d]} type.")
    array = _drawn(lambda rng, shape, d: rng.permutation(n).astype(d.numpy, copy=False), (n,), d, device, generator)
    return finish(array, requires_grad, out, layout)


def _like(name: str, draw: Any, doc: str) -> None:
    def like(
        input: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: bool = False,
        pin_memory: bool = False, memory_format: Any = None, generator: Any = None,
    ) -> Tensor:  # fmt: skip
        return finish(_filled_like(input, checked_dtype(name, dtype), device, memory_format, draw, generator), requires_grad)

    like.__name__ = like.__qualname__ = name
    like.__doc__ = doc
    public(name)(like)


def _filled_like(input: Any, dtype: Any, device: Any, memory_format: Any, draw: Any, generator: Any = None) -> Any:
    array = like_array(input._array, dtype, device, memory_format)
    if array.__class__ is np.ndarray:
        array[...] = draw(stream_of(generator), array.shape, _dtype.of_array(array))
    return array


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
    array = _filled_like(
        input, d, device, memory_format, lambda rng, shape, d: draw_integers(rng, low, high, shape, d), generator
    )
    return finish(array, requires_grad, None, layout)


# ---- draws that depend on tensors


@primitive("BernoulliBackward0")
def bernoulli_kernel(input, generator: object):  # type: ignore[no-untyped-def]
    return _bernoulli(input, input.shape, _dtype.of_array(input), generator)


def _bernoulli(p: Any, shape: Any, d: _dtype.dtype, generator: Any) -> Any:
    if p.dtype.kind in "biu":
        raise NotImplementedError(f"\"bernoulli_tensor_cpu_p_\" not implemented for '{_names[_dtype.of_array(p)]}'")
    if p.size and not (np.all(p >= 0) and np.all(p <= 1)):
        raise RuntimeError(
            "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be improved?  If so, "
            "please report an enhancement request to PyTorch.)"
        )
    return (stream_of(generator).random(shape) < p).astype(d.numpy)


bernoulli_kernel.vjp(input=lambda g, xp: zeros_like_in(g, xp))


@public("bernoulli", "bernoulli", out=True)
def bernoulli(input: Tensor, p: Any = None, *, generator: Any = None) -> Tensor:
    """1 with the probability that each element says (or ``p``), else 0."""
    if p is None:
        return bernoulli_kernel(input, generator)
    return input.detach().clone().bernoulli_(p, generator=generator)


@primitive("PoissonBackward0")
def poisson_kernel(input, generator: object):  # type: ignore[no-untyped-def]
    if input.dtype.kind in "biu":
        raise NotImplementedError(f"\"poisson_cpu\" not implemented for '{_names[_dtype.of_array(input)]}'")
    if input.size and not np.all(input >= 0):
        raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
    return np.asarray(stream_of(generator).poisson(input.astype(np.float64))).astype(input.dtype)


poisson_kernel.vjp(input=lambda g, xp: zeros_like_in(g, xp))


@public("poisson")
def poisson(input: Tensor, generator: Any = None) -> Tensor:
    """Poisson with the rates that the elements say."""
    return poisson_kernel(input, generator)


@primitive(None)
def binomial_kernel(count, prob, generator: object):  # type: ignore[no-untyped-def]
    p = np.clip(prob.astype(np.float64), 0, 1)
    n = np.maximum(count, 0).astype(np.int64)
    return np.asarray(stream_of(generator).binomial(n, p)).astype(count.dtype)


@public("binomial")
def binomial(count: Tensor, prob: Tensor, generator: Any = None) -> Tensor:
    """The number of successes in ``count`` trials of probability ``prob``."""
    if not count.dtype.is_floating_point:
        raise ValueError(f"binomial only supports floating-point dtypes for count, got: {_names[count.dtype]}")
    return binomial_kernel(count, prob, generator)


@public("multinomial", "multinomial", out=True)
def multinomial(input: Tensor, num_samples: int, replacement: bool = False, *, generator: Any = None) -> Tensor:
    """Indices drawn with the weights of each row."""
    p = input._array
    if not isinstance(num_samples, (int, np.integer)):
        raise TypeError(
            f"multinomial(): argument 'num_samples' (position 2) must be int, not {type(num_samples).__name__}"
        )
    if p.ndim not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if p.dtype.kind in "biu":
        raise RuntimeError(f"multinomial only supports floating-point dtypes for input, got: {_names[input.dtype]}")
    if num_samples <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and num_samples > p.shape[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    weights = np.asarray(p).astype(np.float64)
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if (weights.sum(-1) <= 0).any():
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    rng = stream_of(generator)
    if replacement:
        return finish(_with_replacement(rng, weights, num_samples))
    keys = weights / rng.standard_exponential(weights.shape)
    return finish(np.ascontiguousarray(np.argsort(-keys, -1, kind="stable")[..., :num_samples]))


def _with_replacement(rng: Any, weights: Any, n: int) -> Any:
    """Where uniform draws fall among the cumulated weights."""
    sums = np.cumsum(weights, -1)
    draws = rng.random((*weights.shape[:-1], n)) * sums[..., -1:]
    if weights.ndim == 1:
        return np.searchsorted(sums, draws, "right")
    found = np.empty(draws.shape, np.int64)
    for row, (s, u) in enumerate(zip(sums, draws)):
        found[row] = np.searchsorted(s, u, "right")
    return found


# ---- normal with means and deviations of one's own


@primitive("NormalBackward1", name="normal_of_mean")
def normal_of_mean(input, std: float, generator: object):  # type: ignore[no-untyped-def]
    return _scaled(draw_normal(stream_of(generator), input.shape, _dtype.of_array(input)), input, std)


@primitive("NormalBackward2", name="normal_of_std")
def normal_of_std(std, mean: float, generator: object):  # type: ignore[no-untyped-def]
    _check_deviations(std)
    return _scaled(draw_normal(stream_of(generator), std.shape, _dtype.of_array(std)), mean, std)


@primitive("NormalBackward3", name="normal_of_both")
def normal_of_both(mean, std, generator: object):  # type: ignore[no-untyped-def]
    _check_deviations(std)
    shape = _common_shape(mean.shape, std.shape)
    return _scaled(draw_normal(stream_of(generator), shape, _dtype.of_array(mean)), mean, std)


def _scaled(z: Any, mean: Any, std: Any) -> Any:
    return np.asarray(z * std + mean).astype(np.asarray(z).dtype, copy=False)


def _common_shape(a: Any, b: Any) -> Any:
    try:
        return np.broadcast_shapes(a, b)
    except ValueError:
        raise broadcast_error(a, b) from None


def _check_deviations(std: Any) -> None:
    if std.dtype.kind == "c":
        raise RuntimeError("normal expects standard deviation to be non-complex")
    if std.size and not (std >= 0).all():
        raise RuntimeError("normal expects all elements of std >= 0.0")


normal_of_mean.vjp(input=lambda g, xp: zeros_like_in(g, xp))
normal_of_std.vjp(std=lambda g, xp: zeros_like_in(g, xp))
normal_of_both.vjp(
    mean=lambda g, mean_shape, mean_dtype, xp: fit(zeros_like_in(g, xp), mean_shape, mean_dtype, xp),
    std=lambda g, std_shape, std_dtype, xp: fit(zeros_like_in(g, xp), std_shape, std_dtype, xp),
)


@public("normal", out=True)
def normal(
    mean: Any = 0.0, std: Any = 1.0, size: Any = None, *, generator: Any = None, dtype: Any = None, layout: Any = None,
    device: Any = None, requires_grad: bool = False, pin_memory: bool = False,
) -> Tensor:  # fmt: skip
    """Normal; ``mean`` and ``std`` are numbers (then ``size`` tells the shape) or tensors."""
    if not isinstance(std, Tensor):
        _check_std("normal", std)
    if isinstance(mean, Tensor):
        return normal_of_both(mean, std, generator) if isinstance(std, Tensor) else normal_of_mean(mean, std, generator)
    if isinstance(std, Tensor):
        return normal_of_std(std, mean, generator)
    if size is None:
        raise TypeError(
            "normal() received an invalid combination of arguments - got "
            f"({type(mean).__name__}, {type(std).__name__})"
        )
    shape = size_of("normal", (size,), 3, one_argument=True)
    require_sizes("normal", shape)
    d = checked_dtype("normal", dtype) or _dtype.default
    array = _drawn(lambda rng, shape, d: _scaled(draw_normal(rng, shape, d), mean, std), shape, d, device, generator)
    return finish(array, requires_grad, None, layout)


def _check_std(name: str, std: Any) -> None:
    if std < 0:
        raise RuntimeError(f"{name} expects std >= 0.0, but found std {std:g}")


# ---- in place


def _stop(node: str, name: str) -> Primitive:
    """A primitive that stands in graphs for random numbers written over a tensor: its gradient is zero."""

    @primitive(node, name=name)
    def overwrite(input):  # type: ignore[no-untyped-def]
        return input

    overwrite.vjp(input=lambda g, xp: zeros_like_in(g, xp))
    return overwrite


_uniform = _stop("UniformBackward0", "uniform_inplace")
_normal = _stop("NormalBackward0", "normal_inplace")
_exponential = _stop("ExponentialBackward0", "exponential_inplace")
_geometric = _stop("GeometricBackward0", "geometric_inplace")
_cauchy = _stop("CauchyBackward0", "cauchy_inplace")
_log_normal = _stop("LogNormalBackward0", "log_normal_inplace")
_random_from_to = _stop("RandomBackward0", "random_from_to_inplace")
_random_to = _stop("RandomBackward1", "random_to_inplace")
_random_all = _stop("RandomBackward2", "random_all_inplace")
_bernoulli_number = _stop("BernoulliBackward2", "bernoulli_number_inplace")


@primitive("BernoulliBackward1", name="bernoulli_tensor_inplace")
def _bernoulli_tensor(input, p):  # type: ignore[no-untyped-def]
    return input


_bernoulli_tensor.vjp(
    input=lambda g, xp: zeros_like_in(g, xp),
    p=lambda g, p_shape, p_dtype, xp: fit(zeros_like_in(g, xp), p_shape, p_dtype, xp),
)


def _overwrite(op: Primitive, self: Any, draw: Any, generator: Any, *others: Any) -> Any:
    """Write ``draw(rng, shape, dtype, ...)`` into a tensor."""
    rng = stream_of(generator)

    def write(target: Any, *arrays: Any) -> None:
        target[...] = draw(rng, target.shape, _dtype.of_array(target), *arrays)

    return change(op, self, others, write)


@public("", "uniform_")
def uniform_(self: Tensor, from_: Any = 0.0, to: Any = 1.0, *, generator: Any = None, **named: Any) -> Tensor:
    """Fill with uniform numbers from [from, to)."""
    low = named.pop("from", from_)
    if self.dtype.category < _dtype.FLOAT:
        raise NotImplementedError(f"\"check_uniform_bounds\" not implemented for '{_names[self.dtype]}'")
    if low > to:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={to:g}")

    def draw(rng: Any, shape: Any, d: Any) -> Any:
        values = draw_uniform(rng, shape, d)
        return values * (to - low) + low if (low, to) != (0, 1) else values

    return _overwrite(_uniform, self, draw, generator)


@public("", "normal_")
def normal_(self: Tensor, mean: Any = 0.0, std: Any = 1.0, *, generator: Any = None) -> Tensor:
    """Fill with normal numbers."""
    if self.dtype.category < _dtype.FLOAT:
        raise NotImplementedError(f"\"normal_kernel_cpu\" not implemented for '{_names[self.dtype]}'")
    _check_std("normal", std)
    return _overwrite(
        _normal, self, lambda rng, shape, d: _scaled(draw_normal(rng, shape, d), mean, std), generator
    )


@public("", "exponential_")
def exponential_(self: Tensor, lambd: Any = 1.0, *, generator: Any = None) -> Tensor:
    """Fill with exponential numbers of rate ``lambd``."""
    if self.dtype.category != _dtype.FLOAT:
        raise RuntimeError(
            "Exponential distribution is a continuous probability distribution. dtype must be a floating point but you "
            f"specified {_names[self.dtype]}"
        )
    if not lambd > 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={lambd:g}")

    def draw(rng: Any, shape: Any, d: _dtype.dtype) -> Any:
        values = np.asarray(rng.standard_exponential(shape)) / lambd
        rounded = values.astype(d.numpy)
        return np.maximum(rounded, _dtype.finfo(d).tiny) if math.isfinite(lambd) else rounded

    return _overwrite(_exponential, self, draw, generator)


@public("", "geometric_")
def geometric_(self: Tensor, p: Any, *, generator: Any = None) -> Tensor:
    """Fill with the number of trials until the first success of probability ``p``."""
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p:g}")
    if self.dtype is _dtype.bool_ or self.dtype.is_complex:
        raise NotImplementedError(f"\"geometric_cpu\" not implemented for '{_names[self.dtype]}'")
    return _overwrite(_geometric, self, lambda rng, shape, d: rng.geometric(p, shape), generator)


@public("", "cauchy_")
def cauchy_(self: Tensor, median: Any = 0.0, sigma: Any = 1.0, *, generator: Any = None) -> Tensor:
    """Fill with Cauchy numbers."""
    if self.dtype.category != _dtype.FLOAT:
        raise RuntimeError(
            "Cauchy distribution is a continuous probability distribution. dtype must be a floating point but you "
            f"specified {_cpp_dtype(self.dtype)}"
        )
    if not sigma > 0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma:g}")
    return _overwrite(
        _cauchy, self, lambda rng, shape, d: rng.standard_cauchy(shape) * sigma + median, generator
    )


@public("", "log_normal_")
def log_normal_(self: Tensor, mean: Any = 1.0, std: Any = 2.0, *, generator: Any = None) -> Tensor:
    """Fill with numbers whose logarithm is normal."""
    if not std > 0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std:g}")
    if self.dtype.category != _dtype.FLOAT:
        raise NotImplementedError(f"\"log_normal_cpu\" not implemented for '{_names[self.dtype]}'")
    return _overwrite(_log_normal, self, lambda rng, shape, d: rng.lognormal(mean, std, shape), generator)


@public("", "bernoulli_")
def bernoulli_(self: Tensor, p: Any = 0.5, *, generator: Any = None) -> Tensor:
    """Fill with 1 with probability ``p``, else 0."""
    if isinstance(p, Tensor):
        try:
            fits = np.broadcast_shapes(p._array.shape, self._array.shape) == self._array.shape
        except ValueError:
            fits = False
        if not fits:
            raise expand_error(self._array.shape, p._array.shape)
        return _overwrite(
            _bernoulli_tensor, self, lambda rng, shape, d, probs: _bernoulli(probs, shape, d, generator), generator, p
        )
    if not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
    if self.dtype.is_complex:
        raise NotImplementedError(f"\"bernoulli_scalar_cpu_\" not implemented for '{_names[self.dtype]}'")
    return _overwrite(_bernoulli_number, self, lambda rng, shape, d: rng.random(shape) < p, generator)


@public("", "random_")
def random_(self: Tensor, from_: Any = _NONE, to: Any = _NONE, *, generator: Any = None, **named: Any) -> Tensor:
    """Fill with integers: ``random_()`` over all that the dtype holds from 0, ``random_(to)``, ``random_(from, to)``."""
    d = self.dtype
    if d.is_complex:
        raise NotImplementedError(f"\"random_kernel_cpu\" not implemented for '{_names[d]}'")
    low = named.pop("from", from_)
    if low is _NONE and to is _NONE:
        op, low, high = _random_all, 0, _random_end(d)
    elif to is _NONE:
        op, low, high = _random_to, 0, low
    else:
        op, low, high = _random_from_to, 0 if low is _NONE else low, _random_end(d) if to is None else to
    check_range(low, high, d)
    return _overwrite(op, self, lambda rng, shape, d: draw_integers(rng, low, high, shape, d), generator)


def _random_end(d: _dtype.dtype) -> int:
    if d.category == _dtype.FLOAT:
        return int(2 ** _DIGITS[d.name]) + 1
    return int(_limits(d)[1]) + 1
