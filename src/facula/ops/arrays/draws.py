"""What PyTorch makes of its generator's words: uniform and normal numbers and integers, written into arrays.

A stream is a ``Generator``. Arrays are filled in the order of their memory, as PyTorch does. Kernels of the native
library are asked first (``stream.natively``) and take dense arrays of some dtypes; what stands here is what they are
held against.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..._core import dtypes
from ..._core.dtypes import not_for
from .types import Array

_BLOCK = 1 << 14
"""How many numbers are made at a time, so that all stays in the cache. A multiple of 16, for ``_blocks``."""


# ---- from words to numbers


def _pieces(n: int) -> Iterator[slice]:
    for start in range(0, n, _BLOCK):
        yield slice(start, min(start + _BLOCK, n))


def floats(stream: Any, n: int, out: Array | None = None) -> Array:
    """Uniform from [0, 1): 24 bits of a word each, as float32."""
    if out is None:
        out = np.empty(n, np.float32)
    if stream.natively("uniform", out, n, 0.0, 1.0, 1.0):
        return out
    for piece in _pieces(n):
        part = out[piece]
        words = stream.words(part.size)
        words &= 0xFFFFFF
        np.copyto(part, words.view(np.int64), casting="unsafe")
        part *= np.float32(2.0**-24)
    return out


def long_words(stream: Any, n: int) -> Array:
    """Words of 64 bits; the first word of each two is the high one."""
    words = stream.words(2 * n)
    long = words[::2] << np.uint64(32)
    long |= words[1::2]
    return long


def doubles(stream: Any, n: int, out: Array | None = None) -> Array:
    """Uniform from [0, 1): 53 bits of two words each, as float64."""
    if out is None:
        out = np.empty(n, np.float64)
    if stream.natively("uniform", out, n, 0.0, 1.0, 1.0):
        return out
    for piece in _pieces(n):
        part = out[piece]
        long = long_words(stream, part.size)
        long &= (1 << 53) - 1
        np.copyto(part, long.view(np.int64), casting="unsafe")
        part *= 2.0**-53
    return out


def normals(stream: Any, n: int) -> Array:
    """Standard normal as float64, in pairs: cosine and sine of one angle. The last sine may wait in the stream."""
    out = np.empty(n, np.float64)
    if with_waiting(stream, "normal_pairs", out, n) or not n:
        return out
    start = 0
    if stream.next_normal is not None:
        out[0], stream.next_normal, start = stream.next_normal, None, 1
    rest = out[start:]
    count = (rest.size + 1) // 2
    u = doubles(stream, 2 * count)
    if count <= 8:
        pairs = np.array([_normal_pair(*two) for two in u.reshape(count, 2).tolist()]).reshape(-1)
    else:
        radius = np.sqrt(-2 * np.log1p(-u[1::2]))
        angle = 2 * math.pi * u[::2]
        pairs = np.empty(2 * count)
        np.multiply(radius, np.cos(angle), out=pairs[::2])
        np.multiply(radius, np.sin(angle), out=pairs[1::2])
    rest[...] = pairs[: rest.size]
    if rest.size % 2:
        stream.next_normal = float(pairs[-1])
    return out


def with_waiting(stream: Any, name: str, *given: Any) -> bool:
    """A native draw that takes the normal number that waits in the stream, and leaves one there."""
    waits = np.array([0, 0] if stream.next_normal is None else [stream.next_normal, 1], np.float64)
    done: bool = stream.natively(name, waits, *given)
    if done:
        stream.next_normal = float(waits[0]) if waits[1] else None
    return done


def _normal_pair(first: float, second: float) -> tuple[float, float]:
    radius = math.sqrt(-2 * math.log1p(-second))
    angle = 2 * math.pi * first
    return radius * math.cos(angle), radius * math.sin(angle)


def _blocks(u: Array) -> None:
    """Uniform numbers become standard normal ones, 16 by 16: radii from the first eight, angles from the others."""
    for piece in _pieces(u.size):
        halves = u[piece].view(f"V{8 * u.itemsize}").reshape(-1, 2)
        radius = halves[:, 0].copy().view(u.dtype)
        angle = halves[:, 1].copy().view(u.dtype)
        np.subtract(1, radius, radius)
        np.log(radius, radius)
        radius *= -2
        np.sqrt(radius, radius)
        angle *= 2 * math.pi
        cosine = np.cos(angle)
        np.sin(angle, angle)
        cosine *= radius
        angle *= radius
        halves[:, 0] = cosine.view(halves.dtype)
        halves[:, 1] = angle.view(halves.dtype)


def fused(x: Array, scale: float, shift: float) -> Array:
    """x * scale + shift, rounded once."""
    if shift == 0:
        return x * x.dtype.type(scale)
    if x.dtype == np.float32:
        return (x.astype(np.float64) * float(np.float32(scale)) + float(np.float32(shift))).astype(np.float32)
    product, error = _exact_product(x, scale)
    total = product + shift
    added = total - product
    return total + ((product - (total - added)) + (shift - added) + error)


def _exact_product(x: Array, y: float) -> tuple[Array, Array]:
    """The rounded product and what it lacks (Dekker)."""
    product = x * y
    high = x * 134217729.0
    high -= high - x
    low = x - high
    y_high = y * 134217729.0
    y_high -= y_high - y
    y_low = y - y_high
    return product, low * y_low - (((product - high * y_high) - low * y_high) - high * y_low)


# ---- into arrays


def memory_order(target: Array) -> list[int]:
    """The dimensions of an array from the longest steps in memory to the shortest."""
    return sorted(range(target.ndim), key=lambda i: -target.strides[i])


def fill(target: Array, values: Array) -> None:
    """Write a flat array in the order of memory."""
    view = target if target.flags.c_contiguous else target.transpose(memory_order(target))
    view[...] = values.reshape(view.shape)


def draw_uniform(stream: Any, target: Array, low: float = 0.0, high: float = 1.0) -> None:
    """From [low, high): what rounding takes up to ``high`` becomes ``low``."""
    d = dtypes.of_array(target)
    if d.is_complex:
        return draw_uniform(stream, _parts(target), low, high)
    if d.category != dtypes.FLOAT:
        raise not_for("check_uniform_bounds", d)
    uniform = doubles if d is dtypes.float64 else floats
    span = target.dtype.type(high) - target.dtype.type(low) if d.itemsize >= 4 else 0
    if stream.natively("uniform", target, target.size, low, span, high):
        return None
    if (low, high) == (0, 1) and d.itemsize >= 4:
        return _fill_directly(target, lambda n, out: uniform(stream, n, out))
    values = uniform(stream, target.size)
    if (low, high) != (0, 1):
        wide = values.dtype.type
        values = fused(values, float(wide(high) - wide(low)), low)
    values = values.astype(target.dtype, copy=False)
    values[values == np.asarray(high).astype(target.dtype)] = low
    return fill(target, values)


def _fill_directly(target: Array, draw: Callable[[int, Array | None], Array]) -> None:
    """Fill by ``draw(n, out)`` without a copy in between, if the target lies in one piece."""
    if target.flags.c_contiguous:
        draw(target.size, target.reshape(-1))
    else:
        fill(target, draw(target.size, None))


def draw_normal(stream: Any, target: Array, mean: float = 0.0, std: float = 1.0) -> None:
    """Of a mean and a standard deviation (which a complex number's two parts share)."""
    d = dtypes.of_array(target)
    if d.is_complex:
        return draw_normal(stream, _parts(target), mean, std / math.sqrt(2))
    if d.category != dtypes.FLOAT:
        if not target.size:
            return None
        raise not_for("normal_kernel_cpu", d)
    n = target.size
    if stream.natively("normal", target, n, mean, std):
        return None
    if n < 16 or not target.flags.c_contiguous:
        values = normals(stream, n)
    elif d in (dtypes.float32, dtypes.float64):
        values = _many_normals(stream, target.reshape(-1), doubles if d is dtypes.float64 else floats)
        if (mean, std) == (0, 1):
            return None
    else:
        values = _overlapping_normals(stream, n)
    return fill(target, values if (mean, std) == (0, 1) else fused(values, std, mean))


def _many_normals(stream: Any, values: Array, uniform: Any) -> Array:
    """Blocks of 16. If some are left over, the last 16 numbers are drawn anew."""
    over = values.size % 16
    uniform(stream, values.size, values)
    _blocks(values[: values.size - over])
    if over:
        uniform(stream, 16, values[-16:])
        _blocks(values[-16:])
    return values


def _overlapping_normals(stream: Any, n: int) -> Array:
    """The same for short dtypes, where nothing is drawn in vain but for what the last block writes over."""
    values = np.empty(-(-n // 16) * 16, np.float32)
    if not stream.natively("normal", values, values.size, 0.0, 1.0):
        _blocks(floats(stream, values.size, values))
    if n % 16:
        values[n - 16 : n] = values[-16:]
    return values[:n]


def _parts(target: Array) -> Array:
    """Complex numbers as pairs of real ones."""
    step = target.itemsize // 2
    return np.lib.stride_tricks.as_strided(target.real, (*target.shape, 2), (*target.strides, step))


def draw_integers(stream: Any, target: Array, low: int, high: int) -> None:
    """From low up to but without high, as values of any dtype. Ranges below 2**28 take one word each, others two."""
    span = high - low

    def draw(n: int, out: Array | None) -> Array:
        values = np.empty(n, np.int64) if out is None else out
        if stream.natively("integers", values, n, low, span if span < 1 << 63 else span - (1 << 64)):
            return values
        for piece in _pieces(n):
            put(values[piece])
        return values

    def put(part: Array) -> None:
        if span < 1 << 28:
            words = stream.words(part.size).astype(np.uint32)
            words -= words // np.uint32(span) * np.uint32(span)
            part[...] = words
        else:
            long = long_words(stream, part.size)
            part[...] = (long if span == 1 << 64 else long % np.uint64(span)).view(np.int64)
        if low and span < 1 << 64:
            part += np.int64(low)

    if target.dtype == np.int64:
        _fill_directly(target, draw)
    else:
        fill(target, draw(target.size, None))


def draw_all_integers(stream: Any, target: Array) -> None:
    """From 0 up to the largest integer that the dtype holds with all integers below it."""
    d = dtypes.of_array(target)
    digits = DIGITS.get(d.name)
    span = 2**digits + 1 if digits else int(limits(d)[1]) + 1
    if d.itemsize == 8:
        fill(target, (long_words(stream, target.size) % np.uint64(span)).view(np.int64))
    else:
        fill(target, (stream.words(target.size) % np.uint64(span)).view(np.int64))


def draw_bernoulli(stream: Any, target: Array, p: float) -> None:
    """1 where a double falls below ``p``, else 0."""
    n, limit = target.size, math.ceil(p * 2.0**53)
    if stream.natively("bernoulli", target, n, limit) or stream.natively("bernoulli_mask", target, n, limit):
        return
    values = np.empty(n, bool)
    if not stream.natively("bernoulli_mask", values, n, limit):
        for piece in _pieces(n):
            part = values[piece]
            long = long_words(stream, part.size)
            long &= (1 << 53) - 1
            np.less(long, np.uint64(limit), part)
    fill(target, values)


def bernoulli_of_tensor(stream: Any, target: Array, p: Array) -> None:
    """1 with the probability that each element of ``p`` says, else 0."""
    if p.dtype.kind in "biu":
        raise not_for("bernoulli_tensor_cpu_p_", dtypes.of_array(p))
    if target.dtype.kind == "c":
        raise not_for("bernoulli_tensor_cpu_self_", dtypes.of_array(target))
    if p.size and not (np.all(p >= 0) and np.all(p <= 1)):
        raise RuntimeError(
            "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be improved?  If "
            "so, please report an enhancement request to PyTorch.)"
        )
    uniform = (doubles if p.dtype == np.float64 else floats)(stream, target.size)
    order = memory_order(target)
    view = target.transpose(order)
    view[...] = uniform.reshape(view.shape) < np.broadcast_to(p, target.shape).transpose(order)


def draw_exponential(stream: Any, target: Array, rate: float) -> None:
    if stream.natively("exponential", target, target.size, -1 / rate):
        return
    values = np.log1p(-doubles(stream, target.size))
    values *= -1 / rate
    fill(target, values)


def draw_geometric(stream: Any, target: Array, p: float) -> None:
    """The number of trials until the first success of probability ``p``."""
    if stream.natively("geometric", target, target.size, math.log1p(-p)):
        return
    values = np.ceil(np.log(doubles(stream, target.size)) / math.log1p(-p))
    fill(target, values if target.dtype.kind in "fV" else values.astype(np.int64))


def draw_cauchy(stream: Any, target: Array, median: float, sigma: float) -> None:
    values = doubles(stream, target.size)
    values -= 0.5
    fill(target, median + sigma * np.tan(math.pi * values))


def draw_log_normal(stream: Any, target: Array, mean: float, std: float) -> None:
    values = np.empty(target.size)
    if not with_waiting(stream, "log_normal", values, values.size, mean, std):
        values = np.exp(fused(normals(stream, target.size), std, mean))
    fill(target, values)


def draw_permutation(stream: Any, target: Array) -> None:
    """The numbers 0 ... n - 1: each place from the first on changes with one that is not before it."""
    n = target.size
    if n < _LONG_PERMUTATION:
        order = target if target.dtype == np.int64 else np.empty(n, np.int64)
        if stream.natively("permutation", order, n):
            if order is not target:
                target[...] = order
            return
        places = np.arange(n)
        places[:-1] += (stream.words(max(n - 1, 0)) % np.arange(n, 1, -1, dtype=np.uint64)).view(np.int64)
        target[...] = _exchanged(places)
        return
    # Here each place changes with one that is not behind it: the same the other way round, which gives the inverse.
    places = (long_words(stream, n) % np.arange(1, n + 1, dtype=np.uint64)).view(np.int64)
    inverse = n - 1 - _exchanged(n - 1 - places[::-1])[::-1]
    target[inverse] = np.arange(n)


def _exchanged(places: Array) -> Array:
    """What becomes of 0 ... n - 1 when, from the first on, element i is exchanged with element places[i] >= i.

    Before its turn, place i holds what the last exchange with it has brought there: what that one's place held before
    its own turn, and so on back to a place that none had exchanged with, which holds its number still.
    """
    n = places.size
    steps = np.arange(n)
    keys = (places << 32 | steps)[places != steps]
    keys.sort()
    partner, step = keys >> 32, keys & 0xFFFFFFFF
    again = partner[1:] == partner[:-1]
    held = np.arange(n)
    last = np.append(~again, True)[: keys.size]
    held[partner[last]] = step[last]
    while not np.array_equal(further := held[held], held):
        held = further
    got = partner.copy()
    got[1:][again] = held[step[:-1][again]]
    held[step] = got
    return held


_LONG_PERMUTATION = (2**32 - 1) // 20


# ---- which ranges dtypes allow


def check_range(low: int, high: int, d: dtypes.dtype) -> None:
    """PyTorch's refusals of [low, high) for a dtype."""
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    if d.category == dtypes.COMPLEX:
        raise RuntimeError("check_random_bounds handles only integral, floating-point and boolean types")
    for what, value in (("from", low), ("to - 1", high - 1)):
        smallest, largest = limits(d)
        if not smallest <= value <= largest:
            raise RuntimeError(f"{what} is out of bounds for {dtypes.cpp_name(d)}")
        digits = DIGITS.get(d.name)
        if digits is not None and abs(value) > 2**digits:
            warnings.warn(
                f"{what} is out of bounds [-(2^{digits}), 2^{digits}]. Due to precision limitations "
                f"{dtypes.cpp_name(d)} can support discrete uniform distribution only within this range. This warning "
                "will become an error in version 1.7 release, please fix the code in advance",
                stacklevel=4,
            )


DIGITS = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}


def limits(d: dtypes.dtype) -> tuple[float, float]:
    if d is dtypes.bool_:
        return 0, 1
    info = dtypes.iinfo(d) if d.category == dtypes.INT else dtypes.finfo(d)
    return info.min, info.max
