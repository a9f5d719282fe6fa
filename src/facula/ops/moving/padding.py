"""Making tensors larger at their ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..._core import dtypes, state
from ..._core.dtypes import not_for
from ..._tensor import Tensor
from ..arrays.meta import by_zeros
from ..arrays.strides import lying_as
from ..arrays.types import Array
from ..machine import batching
from ..machine.arguments import LARGEST
from ..machine.autocast import in_full
from ..machine.errors import memory_error
from ..machine.operands import checked_number
from ..machine.primitive import Primitive, primitive
from ..machine.public import FUNCTIONALS, public
from ..machine.rules import no_gradient
from ..machine.signatures import mistake


@primitive("ConstantPadNdBackward0", name="constant_pad_nd", batch=batching.as_it_is, lowering="library")
def constant_pad_op(input: Array, pad: tuple[int, ...], value: float) -> Any:
    """``pad``: (before, after) of the last dimension, then of the one before it...; negative numbers cut."""
    shape = list(input.shape)
    source: list[slice] = [slice(None)] * input.ndim
    target: list[slice] = [slice(None)] * input.ndim
    for i in range(len(pad) // 2):
        dim, before, after = input.ndim - 1 - i, pad[2 * i], pad[2 * i + 1]
        n = input.shape[dim]
        shape[dim] = n + before + after
        source[dim] = slice(max(-before, 0), n - max(-after, 0))
        target[dim] = slice(max(before, 0), shape[dim] - max(after, 0))
    out = np.full(shape, checked_number(value, dtypes.of_array(input)), input.dtype)
    out[tuple(target)] = input[tuple(source)]
    return lying_as(out, input)


constant_pad_op.vjp(input=lambda g, pad, xp: xp.constant_pad_nd(g, tuple(-p for p in pad), 0.0))


def _from_places(input: Array, places: tuple[Any, ...], padding: tuple[int, ...]) -> Any:
    return lying_as(np.ascontiguousarray(input[np.ix_(*places)]), input)


@by_zeros
def _sum_at_places(input: Array, like: Array, places: tuple[Any, ...], padding: tuple[int, ...]) -> Any:
    """The adjoint: each element added to the place it was taken from, in a tensor of the shape of ``like``."""
    out = np.zeros(like.shape, input.dtype)
    np.add.at(out, np.ix_(*places), input)
    return lying_as(out, like)


def _padding_batched(call: batching.Call) -> Any:
    places, padding = call.attributes
    return call.run(call.all_full(), ((np.arange(call.size), *places), padding))


def _place_op(kind: str) -> Primitive:
    name = f"pad_{kind}"
    options: dict[str, Any] = {"kind": "linear", "batch": _padding_batched, "saved_names": {"places": ""}}
    op = Primitive(name, _from_places, f"{kind}Backward0", **options)
    op.vjp(input=lambda g, input, places, padding, xp: getattr(xp, f"{name}_backward")(g, input, places, padding))
    Primitive(f"{name}_backward", _sum_at_places, f"{kind}BackwardBackward0", **options).vjp(
        input=lambda g, places, padding, xp: getattr(xp, name)(g, places, padding),
        like=no_gradient,
    )
    return op


_BY_PLACES = {
    (mode, n): _place_op(f"{name}Pad{n}D")
    for mode, name in (("reflect", "Reflection"), ("replicate", "Replication"))
    for n in (1, 2, 3)
}


@public("constant_pad_nd", out=True)
def constant_pad_nd(input: Tensor, pad: Any, value: float = 0) -> Tensor:
    """``input`` with a number at its ends; negative widths cut."""
    return _constant(input, tuple(int(p) for p in pad), value)


def _constant(input: Tensor, widths: tuple[int, ...], value: float) -> Tensor:
    ndim = input.ndim
    for i in range(0, len(widths), 2):
        cut_off = max(-widths[i], 0) + max(-widths[i + 1], 0)
        if input.shape[ndim - 1 - i // 2] < cut_off:
            raise RuntimeError("narrow(): length must be non-negative.")
    try:
        return constant_pad_op(input, widths, value)
    except (ValueError, MemoryError) as e:
        raise _too_large(e, input, widths) from None


def _too_large(e: Exception, input: Tensor, widths: tuple[int, ...]) -> Exception:
    """What PyTorch says of more padding than there is memory for."""
    sizes = list(input.shape)
    for i in range(len(widths) - 2, -1, -2):
        dim, before, after = len(sizes) - 1 - i // 2, widths[i], widths[i + 1]
        if sizes[dim] + before + after >= LARGEST:
            return RuntimeError(
                f"The input size {sizes[dim]}, plus negative padding {before} and {after} resulted in a negative "
                f"output size, which is invalid. Check dimension {dim} of your input."
            )
        sizes[dim] += before + after
    return memory_error(e, (sizes,)) or e


def pad(input: Tensor, pad: Any, mode: str = "constant", value: float | None = None) -> Tensor:
    """``input`` with more at its ends: a constant, its own mirror image, its last values, or its other end."""
    widths = tuple(pad)
    if any(p.__class__ is not int for p in widths):
        wrong = mistake("pad", (input, pad, mode, value), {}, False)
        if wrong is not None:
            raise wrong
        widths = tuple(int(p) for p in widths)
    ndim = input.ndim
    if len(widths) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(widths) > 2 * ndim:
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{len(widths)} and input of dimension {ndim}"
        )
    if mode == "constant":
        return _constant(input, widths, 0.0 if value is None else value)
    if value is not None and value != 0:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if mode not in ("reflect", "replicate", "circular"):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if (len(widths), ndim) not in ((2, 2), (2, 3), (4, 3), (4, 4), (6, 4), (6, 5)):
        raise NotImplementedError(
            f"Padding size {len(widths)} is not supported for {ndim}D input tensor.\n"
            "Supported combinations for non-constant padding:\n"
            "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
            "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
            "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"
        )
    if mode == "circular":
        return _circular(input, widths)
    if state.special and (mode, len(widths)) != ("reflect", 6):
        (input,) = in_full(input)
    try:
        found: Tensor = _BY_PLACES[mode, len(widths) // 2](input, _places(input, widths, mode), widths)
    except (ValueError, MemoryError) as e:
        raise _too_large(e, input, widths) from None
    return found


def _places(input: Tensor, widths: tuple[int, ...], mode: str) -> tuple[Any, ...]:
    """For each dimension the place that each element of the result comes from."""
    shape = input._array.shape
    padded = len(widths) // 2
    if 0 in shape[len(shape) > padded + 1 :]:
        raise RuntimeError(
            f"Expected {padded + 1}D or {padded + 2}D (batch mode) tensor with possibly 0 batch size and other "
            f"non-zero dimensions for input, but got: {list(shape)}"
        )
    if input._array.dtype.kind == "b":
        raise not_for(f"{'reflection' if mode == 'reflect' else 'replication'}_pad{padded}d", input.dtype)
    places = [np.arange(n) for n in shape]
    for i in range(0, len(widths), 2):
        dim = len(shape) - 1 - i // 2
        n, before, after = shape[dim], widths[i], widths[i + 1]
        if mode == "reflect" and (before >= n or after >= n):
            raise RuntimeError(
                f"Argument #{4 + i}: Padding size should be less than the corresponding input dimension, but got: "
                f"padding ({before}, {after}) at dimension {dim} of input {list(shape)}"
            )
        if padded == 1 and n + before + after < 1:
            raise RuntimeError(f"input (W: {n}) is too small. Calculated output W: {n + before + after}")
        at = np.arange(-before, n + after)
        if mode == "replicate":
            places[dim] = np.clip(at, 0, n - 1)
        else:
            at = np.abs(at)
            places[dim] = np.where(at >= n, 2 * (n - 1) - at, at)
    return tuple(places)


def _circular(input: Tensor, widths: tuple[int, ...]) -> Tensor:
    """What is cut off is gone before the rest is wrapped around."""
    shape = list(input.shape)
    inner = input
    for i in range(0, len(widths), 2):
        dim = input.ndim - 1 - i // 2
        n, before, after = input.shape[dim], widths[i], widths[i + 1]
        if before > n or after > n:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        if n + before + after < 0:
            raise RuntimeError("Negative padding value is resulting in an empty dimension")
        shape[dim] = n + before + after
        start = max(-before, 0)
        inner = inner.narrow(dim, start, n - start - max(-after, 0))
    out = input.new_empty(shape)
    part = out
    for i in range(0, len(widths), 2):
        dim = input.ndim - 1 - i // 2
        part = part.narrow(dim, max(widths[i], 0), inner.shape[dim])
    part.copy_(inner)
    for i in range(len(widths) - 2, -1, -2):
        dim, before, after = input.ndim - 1 - i // 2, max(widths[i], 0), max(widths[i + 1], 0)
        n = shape[dim]
        if before:
            out.narrow(dim, 0, before).copy_(out.narrow(dim, n - before - after, before))
        if after:
            out.narrow(dim, n - after, after).copy_(out.narrow(dim, before, after))
    return out


FUNCTIONALS["pad"] = pad


def of_dimensions(mode: str, dimensions: int) -> Callable[..., Tensor]:
    """The padding of the last dimensions by a mode, as PyTorch's internals have it for each number of them."""

    def padded(input: Tensor, padding: Sequence[int]) -> Tensor:
        if len(padding) != 2 * dimensions:
            found = f", but got: {len(padding)}" if mode == "reflect" else ""
            raise RuntimeError(f"padding size is expected to be {2 * dimensions}{found}")
        return pad(input, padding, mode)

    padded.__name__ = padded.__qualname__ = f"{'reflection' if mode == 'reflect' else 'replication'}_pad{dimensions}d"
    return padded


OF_DIMENSIONS = {
    fn.__name__: fn for fn in (of_dimensions(m, d) for m in ("reflect", "replicate") for d in (1, 2, 3))
}
