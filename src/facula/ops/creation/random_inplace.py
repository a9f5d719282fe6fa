"""Random numbers written over a tensor. In graphs they stand for a gradient of zero."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import dtypes
from ..._core.devices import MetaArray
from ..._core.dtypes import not_for
from ..._core.generator import stream_of
from ..._core.many_dims import in_a_row
from ..._core.missing import Missing
from ..._levels.needs_values import DrawsDiffer
from ..._tensor import Tensor
from ..arrays.draws import (
    DIGITS,
    bernoulli_of_tensor,
    check_range,
    draw_all_integers,
    draw_bernoulli,
    draw_cauchy,
    draw_exponential,
    draw_geometric,
    draw_integers,
    draw_log_normal,
    draw_normal,
    draw_uniform,
    limits,
)
from ..arrays.types import Array
from ..machine import batching
from ..machine.errors import NoOverload
from ..machine.primitive import Primitive, primitive
from ..machine.public import public
from ..machine.refusals import scalar_type
from ..machine.rules import fit, no_gradient
from ..machine.write import change
from ..views.shape import expand_error
from .random import check_std

_NONE: Any = Missing()
_LONG_UNSIGNED = (dtypes.uint16, dtypes.uint32, dtypes.uint64)


def _stop(node: str, name: str) -> Primitive:
    """A primitive that stands in graphs for random numbers written over a tensor: its gradient is zero."""

    @primitive(node, name=name, random=True, batch=batching.item_by_item)
    def overwrite(input: Array) -> Any:
        return input

    overwrite.vjp(input=no_gradient)
    return overwrite


_uniform_op = _stop("UniformBackward0", "uniform_inplace")
_normal_op = _stop("NormalBackward0", "normal_inplace")
_exponential_op = _stop("ExponentialBackward0", "exponential_inplace")
_geometric_op = _stop("GeometricBackward0", "geometric_inplace")
_cauchy_op = _stop("CauchyBackward0", "cauchy_inplace")
_log_normal_op = _stop("LogNormalBackward0", "log_normal_inplace")
_random_from_to_op = _stop("RandomBackward0", "random_from_to_inplace")
_random_to_op = _stop("RandomBackward1", "random_to_inplace")
_random_all_op = _stop("RandomBackward2", "random_all_inplace")
_bernoulli_number_op = _stop("BernoulliBackward2", "bernoulli_number_inplace")


@primitive("BernoulliBackward1", name="bernoulli_tensor_inplace", random=True, batch=batching.item_by_item)
def _bernoulli_tensor_op(input: Array, p: Array) -> Any:
    return input


_bernoulli_tensor_op.vjp(
    input=no_gradient,
    p=lambda g, p_shape, p_dtype, xp: fit(no_gradient(g, xp), p_shape, p_dtype, xp),
)


def _overwrite(op: Primitive, self: Any, generator: Any, draw: Any, *arguments: Any) -> Any:
    """Fill a tensor by ``draw(stream, array, *arguments)``; inside vmap, all items of a batch at once, as PyTorch."""
    try:
        stream = stream_of(generator)
    except DrawsDiffer as e:
        from ..._levels.batched import is_batched, unbatch  # loaded when first used
        from ..._levels.wrapped import below  # loaded when first used

        if not is_batched(self, e.level):
            raise
        below(e.level, _overwrite, op, unbatch(self, e.level), generator, draw, *arguments)
        return self
    return change(op, self, (), lambda target: _fill(draw, stream, target, *arguments))


def _fill(draw: Any, stream: Any, target: Any, *arguments: Any) -> None:
    """Write numbers, unless nobody could look at them."""
    if target.__class__ is not MetaArray:
        draw(stream, in_a_row(target), *arguments)


def _number(name: str, argument: str, position: int, value: Any) -> Any:
    """A parameter of a distribution: a number, or a tensor of no dimension that needs no gradient."""
    if not isinstance(value, Tensor):
        return value
    if value.ndim or value.requires_grad:
        raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be float, not Tensor")
    return value.item()


@public("", "uniform_")
def uniform_(self: Tensor, from_: Any = 0.0, to: Any = 1.0, *, generator: Any = None, **named: Any) -> Tensor:
    """Fill with uniform numbers from [from, to)."""
    low, to = _number("uniform_", "from", 1, named.pop("from", from_)), _number("uniform_", "to", 2, to)
    if self.dtype.category < dtypes.FLOAT:
        raise not_for("check_uniform_bounds", self.dtype)
    info = dtypes.finfo(self.dtype)
    for name, bound in (("from", low), ("to", to)):
        if not info.min <= bound <= info.max:
            raise RuntimeError(f"{name} is out of bounds for {dtypes.cpp_name(self.dtype)}")
    if low > to:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={to:g}")

    if to - low > info.max:
        raise RuntimeError(
            f"uniform_ expects to-from <= std::numeric_limits<{scalar_type(self)}>::max(), but found to={to:g} and "
            f"from={low:g} which result in to-from to exceed the limit"
        )

    return _overwrite(_uniform_op, self, generator, draw_uniform, low, to)


@public("", "normal_")
def normal_(self: Tensor, mean: Any = 0.0, std: Any = 1.0, *, generator: Any = None) -> Tensor:
    """Fill with normal numbers."""
    mean, std = _number("normal_", "mean", 1, mean), _number("normal_", "std", 2, std)
    if self.dtype.category < dtypes.FLOAT and self.numel():
        raise not_for("normal_kernel_cpu", self.dtype)
    check_std("normal", std)
    return _overwrite(_normal_op, self, generator, draw_normal, mean, std)


def _require_float(distribution: str, t: Tensor, shown: str) -> None:
    if t.dtype.category != dtypes.FLOAT:
        raise RuntimeError(
            f"{distribution} distribution is a continuous probability distribution. dtype must be a floating point but "
            f"you specified {shown}"
        )


@public("", "exponential_")
def exponential_(self: Tensor, lambd: Any = 1.0, *, generator: Any = None) -> Tensor:
    """Fill with exponential numbers of rate ``lambd``."""
    _require_float("Exponential", self, scalar_type(self))
    if not lambd > 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={lambd:g}")
    return _overwrite(_exponential_op, self, generator, draw_exponential, lambd)


@public("", "geometric_")
def geometric_(self: Tensor, p: Any, *, generator: Any = None) -> Tensor:
    """Fill with the number of trials until the first success of probability ``p``."""
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p:g}")
    if self.dtype is dtypes.bool_ or self.dtype.is_complex or self.dtype in _LONG_UNSIGNED:
        raise not_for("geometric_cpu", self.dtype)
    return _overwrite(_geometric_op, self, generator, draw_geometric, p)


@public("", "cauchy_")
def cauchy_(self: Tensor, median: Any = 0.0, sigma: Any = 1.0, *, generator: Any = None) -> Tensor:
    """Fill with Cauchy numbers."""
    _require_float("Cauchy", self, dtypes.cpp_name(self.dtype))
    if not sigma > 0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma:g}")
    return _overwrite(_cauchy_op, self, generator, draw_cauchy, median, sigma)


@public("", "log_normal_")
def log_normal_(self: Tensor, mean: Any = 1.0, std: Any = 2.0, *, generator: Any = None) -> Tensor:
    """Fill with numbers whose logarithm is normal."""
    if not std > 0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std:g}")
    if self.dtype.category != dtypes.FLOAT:
        raise not_for("log_normal_cpu", self.dtype)
    return _overwrite(_log_normal_op, self, generator, draw_log_normal, mean, std)


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
        batching.check_own_draws(p)
        try:
            stream = stream_of(generator)
        except DrawsDiffer as e:
            return _bernoulli_of_items(self, p, generator, e.level)
        return change(
            _bernoulli_tensor_op, self, (p,), lambda target, given: _fill(bernoulli_of_tensor, stream, target, given)
        )
    if not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
    if self.dtype.is_complex or self.dtype in _LONG_UNSIGNED:
        raise not_for("bernoulli_scalar_cpu_", self.dtype)
    return _overwrite(_bernoulli_number_op, self, generator, draw_bernoulli, p)


def _bernoulli_of_items(self: Any, p: Any, generator: Any, level: Any) -> Any:
    from ..._levels.batched import is_batched  # loaded when first used
    from ..._levels.wrapped import below  # loaded when first used

    if is_batched(self, level):
        given = batching.padded(p._value, self.dim()) if is_batched(p, level) else p
        below(level, bernoulli_, self._value, given, generator=generator)
        return self
    if not is_batched(p, level):
        raise DrawsDiffer(level)
    raise RuntimeError(batching.more_items_than("inplace bernoulli"))


@public("", "random_")
def random_(self: Tensor, from_: Any = _NONE, to: Any = _NONE, *, generator: Any = None, **named: Any) -> Tensor:
    """Fill with integers: all from 0 that the dtype holds, or ``random_(to)``, or ``random_(from, to)``."""
    d = self.dtype
    low, to = _number("uniform_", "from", 1, named.pop("from", from_)), _number("uniform_", "to", 2, to)
    if d.is_complex:
        if low is _NONE and to is _NONE:
            raise not_for("random_kernel_cpu", d)
        raise RuntimeError("check_random_bounds handles only integral, floating-point and boolean types")
    if isinstance(low, (float, str)) or isinstance(to, (float, str)):
        raise NoOverload
    if low is _NONE and to is _NONE:
        if d in _LONG_UNSIGNED:
            raise not_for("random_kernel_cpu", d)
        return _overwrite(_random_all_op, self, generator, draw_all_integers)
    if to is _NONE:
        op, low, high = _random_to_op, 0, low
    else:
        op, low, high = _random_from_to_op, 0 if low is _NONE else low, _random_end(d) if to is None else to
    check_range(low, high, d)
    return _overwrite(op, self, generator, draw_integers, low, high)


def _random_end(d: dtypes.dtype) -> int:
    if d.category == dtypes.FLOAT:
        return int(2 ** DIGITS[d.name]) + 1
    return int(limits(d)[1]) + 1
