"""Convolutions: ``conv1d`` … ``conv_transpose3d`` and ``convolution``, of which all of them are made."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.devices import MetaArray, empty_meta
from ..._core.dtypes import widened
from ..._tensor import Tensor
from ...autograd.graph import warn_user
from ..arrays.images.convolution import convolve, convolve_input, convolve_weight
from ..arrays.images.patches import Sizes, out_sizes
from ..arrays.strides import convolved_as
from ..arrays.sums import total
from ..arrays.types import Array
from ..machine import batching
from ..machine.errors import NoOverload, WrongArgument
from ..machine.namespaces import ARRAYS, TENSORS
from ..machine.primitive import primitive
from ..machine.public import FUNCTIONS, public
from ..machine.rules import in_both_namespaces
from ..moving.padding import pad
from .convolution_checks import (
    check_bias_dtype,
    check_dtypes,
    check_shapes,
    check_transposed_bias,
    expanded,
    transposed_sizes,
)  # fmt: skip

NO_BIAS = (0,)
"""What nodes of convolutions without bias tell of its shape."""


# ---- the primitives; see NOTE [three faces of convolution]


@primitive(
    "ConvolutionBackward0", saved_names={"input": "input", "bias_sym_sizes_opt": "bias_sym_sizes_opt"},
    native=("convolution:convolution", 1024), lowering="library",
)  # fmt: skip
def convolution_op(
    input: Array, weight: Array, bias: Array | None, stride: Sizes, padding: Sizes, dilation: Sizes, transposed: bool,
    output_padding: Sizes, groups: int, bias_sym_sizes_opt: Sizes,
) -> Any:  # fmt: skip
    sizes, kernel = input.shape[2:], weight.shape[2:]
    if transposed:
        sizes = transposed_sizes(sizes, kernel, stride, padding, dilation, output_padding)
    if _any_meta(input, weight):
        sizes = sizes if transposed else out_sizes(sizes, kernel, stride, padding, dilation)
        channels = weight.shape[1] * groups if transposed else weight.shape[0]
        return empty_meta((input.shape[0], channels, *sizes), input.dtype)
    x, w = widened(input), widened(weight)
    if transposed:
        y = convolve_input(x, w, sizes, stride, padding, dilation, groups)
    else:
        y = convolve(x, w, stride, padding, dilation, groups)
    if bias is not None:
        y += widened(bias).reshape(-1, *(1,) * len(kernel))
    return convolved_as(y.astype(input.dtype, copy=False), input, weight)


@primitive(
    "ConvolutionBackwardBackward0", name="convolution_input", kind="multilinear",
    native=("convolution:input_gradient", 1024),
)  # fmt: skip
def convolution_input_op(
    input: Array, weight: Array, sizes: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int
) -> Any:
    """From a convolution's result (``input``) and its weight what belongs to its input, of these spatial sizes."""
    if _any_meta(input, weight):
        return empty_meta((input.shape[0], weight.shape[1] * groups, *sizes), input.dtype)
    x = convolve_input(widened(input), widened(weight), sizes, stride, padding, dilation, groups)
    return x.astype(input.dtype, copy=False)


@primitive(
    "ConvolutionBackwardBackward0", name="convolution_weight", kind="multilinear",
    native=("convolution:weight_gradient", 1024),
)  # fmt: skip
def convolution_weight_op(
    input: Array, other: Array, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int
) -> Any:
    """From a convolution's result (``input``) and its input (``other``) what belongs to its weight."""
    if _any_meta(input, other):
        return empty_meta((input.shape[1], other.shape[1] // groups, *kernel), input.dtype)
    w = convolve_weight(widened(input), widened(other), kernel, stride, padding, dilation, groups)
    return w.astype(input.dtype, copy=False)


def _any_meta(*arrays: Any) -> bool:
    return any(a.__class__ is MetaArray for a in arrays)


def _forward(
    x: Any, w: Any, sizes: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int, xp: Any
) -> Any:
    """The convolution whose result has these spatial sizes: output padding may have left room for more."""
    zeros = (0,) * len(stride)
    y = xp.convolution(x, w, None, stride, padding, dilation, False, zeros, groups, NO_BIAS)
    if tuple(y.shape[2:]) != tuple(sizes):
        cut = [v for n, m in zip(reversed(sizes), reversed(y.shape)) for v in (0, n - m)]
        y = xp.constant_pad_nd(y, tuple(cut), 0.0)
    return y


@convolution_op.tangent
def convolution_tangent(op: Any, primals: Any, tangents: Any, attributes: Any, outs: Any) -> Any:
    (x, w, _), (dx, dw, db) = primals, tangents
    no_bias = (*attributes[:-1], None)
    parts = [op(*pair, None, *no_bias) for t, pair in ((dx, (dx, w)), (dw, (x, dw))) if t is not None]
    if db is not None:
        parts.append(db.reshape(-1, *[1] * (outs[0].dim() - 2)).expand(outs[0].shape))
    return sum(parts[1:], parts[0])


@convolution_op.batch
def convolution_batched(call: batching.Call) -> Any:
    """The batch joins the samples or, if items have weights of their own, the channels: as many groups."""
    x, w, b = call.values
    if not call.flags[1] and not call.flags[2]:
        return batching.parted(call.run([batching.joined(x), w, b]), call.size)
    if call.flags[1]:
        groups = call.attribute("groups") * call.size
        attributes = call.changed(groups=groups, bias_sym_sizes_opt=None)
        result = call.run([batching.grouped(call.full(0)), batching.joined(w), None], attributes)
        result = batching.ungrouped(result, call.size)
    else:
        attributes = call.changed(bias_sym_sizes_opt=None)
        result = batching.parted(call.run([batching.joined(call.full(0)), w, None], attributes), call.size)
    if b is None:
        return result
    return result + call.full(2).reshape(call.size, 1, -1, *[1] * (result.dim() - 3))


# ---- the gradients: one node with all three, as in PyTorch


@primitive(
    "ConvolutionBackwardBackward0", name="convolution_backward", outputs=3, saved_names={"input": "input"},
    lowering="library",
)  # fmt: skip
def convolution_backward_op(
    grad_output: Array, input: Array, weight: Array, stride: Sizes, padding: Sizes, dilation: Sizes, transposed: bool,
    output_padding: Sizes, groups: int, bias_sym_sizes_opt: Sizes, needs: tuple[bool, ...],
) -> list[Array]:  # fmt: skip
    given = (stride, padding, dilation, transposed, output_padding, groups, bias_sym_sizes_opt, needs)
    found = _gradients(grad_output, input, weight, *given, ARRAYS)
    if not (input.flags.c_contiguous and weight.flags.c_contiguous):
        found[:2] = [None if x is None else convolved_as(x, input, weight) for x in found[:2]]
    if all(needs):
        return found
    nothing = empty_meta((0,), input.dtype) if _any_meta(input, weight) else np.empty(0, input.dtype)
    return [nothing if x is None else x for x in found]


convolution_op.gradient(convolution_backward_op, "input", "weight", "bias")


def _gradients(
    g: Any, input: Any, weight: Any, stride: Sizes, padding: Sizes, dilation: Sizes, transposed: bool,
    output_padding: Sizes, groups: int, bias_sym_sizes_opt: Sizes, needs: tuple[bool, ...], xp: Any = TENSORS,
) -> list[Any]:  # fmt: skip
    given = (g, input, weight, stride, padding, dilation, transposed, groups, xp)
    return [
        _gradient_of_input(*given) if needs[0] else None,
        _gradient_of_weight(*given) if needs[1] else None,
        xp.sums_by_channel(g) if needs[2] else None,
    ]


convolution_backward_op.compose(_gradients)


def _gradient_of_input(
    g: Any, input: Any, weight: Any, stride: Sizes, padding: Sizes, dilation: Sizes, transposed: bool, groups: int,
    xp: Any,
) -> Any:  # fmt: skip
    w = xp.conj(weight)
    sizes = tuple(input.shape[2:])
    if transposed:
        return _forward(g, w, sizes, stride, padding, dilation, groups, xp)
    return xp.convolution_input(g, w, sizes, stride, padding, dilation, groups)


def _gradient_of_weight(
    g: Any, input: Any, weight: Any, stride: Sizes, padding: Sizes, dilation: Sizes, transposed: bool, groups: int,
    xp: Any,
) -> Any:  # fmt: skip
    y, x = (xp.conj(input), g) if transposed else (g, xp.conj(input))
    return xp.convolution_weight(y, x, tuple(weight.shape[2:]), stride, padding, dilation, groups)


def _other_dims(ndim: int) -> Sizes:
    return (0, *range(2, ndim))


in_both_namespaces(
    "sums_by_channel",
    lambda g: np.asanyarray(total(g, _other_dims(g.ndim), False)),
    lambda g: g.sum(_other_dims(g.ndim)),
)


@convolution_input_op.vjp("input")
def convolution_input_gradient_of_input(
    g: Any, input: Any, weight: Any, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int, xp: Any
) -> Any:
    return _forward(g, xp.conj(weight), tuple(input.shape[2:]), stride, padding, dilation, groups, xp)


@convolution_input_op.vjp("weight")
def convolution_input_gradient_of_weight(
    g: Any, input: Any, weight: Any, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int, xp: Any
) -> Any:
    return xp.convolution_weight(xp.conj(input), g, tuple(weight.shape[2:]), stride, padding, dilation, groups)


@convolution_input_op.batch
def convolution_input_batched(call: batching.Call) -> Any:
    g, w = call.values
    if call.flags[1]:
        attributes = call.changed(groups=call.attribute("groups") * call.size)
        return batching.ungrouped(
            call.run([batching.grouped(call.full(0)), batching.joined(w)], attributes), call.size
        )
    sizes = call.attribute("sizes")
    if len(sizes) != call.ndim(0) - 2:  # they begin with samples and channels
        sizes = (call.shape(0)[0] * call.size, *sizes[1:])
    return batching.parted(call.run([batching.joined(g), w], call.changed(sizes=sizes)), call.size)


@convolution_weight_op.vjp("input")
def convolution_weight_gradient_of_input(
    g: Any, input: Any, other: Any, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int, xp: Any
) -> Any:
    return _forward(xp.conj(other), g, tuple(input.shape[2:]), stride, padding, dilation, groups, xp)


@convolution_weight_op.vjp("other")
def convolution_weight_gradient_of_other(
    g: Any, input: Any, other: Any, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int, xp: Any
) -> Any:
    return xp.convolution_input(xp.conj(input), g, tuple(other.shape[2:]), stride, padding, dilation, groups)


@convolution_backward_op.vjp("grad_output")
def convolution_backward_gradient_of_grad_output(
    g: Any, grad_output: Any, input: Any, weight: Any, stride: Sizes, padding: Sizes, dilation: Sizes,
    transposed: bool, output_padding: Sizes, groups: int, needs: Any, xp: Any,
) -> Any:  # fmt: skip
    by_input, by_weight, by_bias = (x if need else None for x, need in zip(g, needs))
    how = (None, stride, padding, dilation, transposed, output_padding, groups, NO_BIAS)
    found = None if by_input is None else xp.convolution(by_input, weight, *how)
    if by_weight is not None:
        part = xp.convolution(input, by_weight, *how)
        found = part if found is None else found + part
    if by_bias is not None:
        part = xp.expand(xp.view(by_bias, (1, -1, *[1] * len(stride))), tuple(grad_output.shape))
        found = part if found is None else found + part
    return found


@convolution_backward_op.vjp("input")
def convolution_backward_gradient_of_input(
    g: Any, grad_output: Any, input: Any, stride: Sizes, padding: Sizes, dilation: Sizes, transposed: bool,
    groups: int, needs: Any, xp: Any,
) -> Any:  # fmt: skip
    if g[1] is None or not needs[1]:
        return None
    return _gradient_of_input(grad_output, input, g[1], stride, padding, dilation, transposed, groups, xp)


@convolution_backward_op.vjp("weight")
def convolution_backward_gradient_of_weight(
    g: Any, grad_output: Any, weight: Any, stride: Sizes, padding: Sizes, dilation: Sizes, transposed: bool,
    groups: int, needs: Any, xp: Any,
) -> Any:  # fmt: skip
    if g[0] is None or not needs[0]:
        return None
    return _gradient_of_weight(grad_output, g[0], weight, stride, padding, dilation, transposed, groups, xp)


@convolution_weight_op.batch
def convolution_weight_batched(call: batching.Call) -> Any:
    values = [batching.grouped(v) for v in call.all_full()]
    return batching.parted(call.run(values, call.changed(groups=call.attribute("groups") * call.size)), call.size)


# ---- convolution


def convolved(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Sizes, padding: Sizes, dilation: Sizes,
    transposed: bool, output_padding: Sizes, groups: int,
) -> Tensor:  # fmt: skip
    """The general convolution of a batch: checks, then the primitive."""
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    n = weight._array.ndim - 2
    if n < 1:
        raise RuntimeError("weight should have at least three dimensions")
    stride = expanded("stride", stride, n)
    padding = expanded("padding", padding, n)
    dilation = expanded("dilation", dilation, n)
    output_padding = expanded("output_padding", output_padding, n)
    if transposed and input._array.dtype.kind == "c":
        check_dtypes(input, weight, transposed)
    check_shapes(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)
    check_dtypes(input, weight, transposed)
    if transposed and bias is not None and bias._array.dtype != input._array.dtype:
        check_transposed_bias(input, bias)
        bias = bias.to(input.dtype)
    if input._array.dtype.kind == "c":
        return _complex(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)
    bias_sizes = NO_BIAS if bias is None else bias._array.shape
    found: Tensor = convolution_op(
        input, weight, bias, stride, padding, dilation, transposed, output_padding, groups, bias_sizes
    )
    return found if input._array.shape[1] else found.narrow(1, 0, 0)  # of no channels PyTorch makes none


def _complex(input: Tensor, weight: Tensor, bias: Tensor | None, *how: Any) -> Tensor:
    """Three real convolutions, as PyTorch does it: (a + bi)(c + di) = ac - bd + ((a + b)(c + d) - ac - bd)i."""
    x, y = _parts(input)
    v, w = _parts(weight)
    real, imaginary = (None, None) if bias is None else _parts(bias)
    both = None if real is None or imaginary is None else real + imaginary
    a = convolved(x, v, real, *how)
    b = convolved(y, w, None, *how)
    c = convolved(x + y, v + w, both, *how)
    return (a - b) + (c - a - b) * 1j


def _parts(t: Tensor) -> tuple[Tensor, Tensor]:
    both = FUNCTIONS["view_as_real"](t.resolve_conj())
    return both.select(-1, 0), both.select(-1, 1)


@public("convolution", name="convolution", autocast="low")
def general_convolution(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Any, padding: Any, dilation: Any, transposed: bool,
    output_padding: Any, groups: int,
) -> Tensor:  # fmt: skip
    """The convolution of a batch, forward or transposed, in as many dimensions as the weight has."""
    if not isinstance(weight, Tensor):
        raise WrongArgument("weight", weight, "Tensor")
    given = {"stride": stride, "padding": padding, "dilation": dilation, "output_padding": output_padding}
    for name, value in given.items():
        if not isinstance(value, (tuple, list)):
            raise WrongArgument(name, value, "tuple of ints")
    if not transposed:
        check_bias_dtype(input, bias)
    return convolved(
        input, weight, bias, tuple(stride), tuple(padding), tuple(dilation), transposed, tuple(output_padding), groups
    )


# ---- conv1d, conv2d, conv3d and their transposes


def _numbers(value: Any, n: int) -> Sizes | None:
    """An argument that is one integer or several; None if it is neither."""
    if value.__class__ is int:
        return (value,) * n
    if isinstance(value, (tuple, list)):
        found = tuple([_number(v) for v in value])
        return None if None in found else found  # type: ignore[return-value]
    one = _number(value)
    return None if one is None else (one,) * n


def _number(value: Any) -> int | None:
    if isinstance(value, Tensor):
        return int(value.item()) if value._array.size == 1 and value._array.dtype.kind in "iu" else None
    return int(value) if isinstance(value, (int, np.integer)) and not isinstance(value, bool) else None


def _batched(name: str, input: Tensor, n: int) -> bool:
    ndim = input._array.ndim
    if ndim not in (n + 1, n + 2):
        raise RuntimeError(
            f"Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to {name}, but got input of size: "
            f"{list(input._array.shape)}"
        )
    return ndim == n + 2


def _convolve(
    n: int, input: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, groups: Any
) -> Tensor:
    if not isinstance(input, Tensor) or not isinstance(weight, Tensor) or groups.__class__ is not int:
        raise NoOverload
    if bias is not None and not isinstance(bias, Tensor):
        raise NoOverload
    step, between = _numbers(stride, n), _numbers(dilation, n)
    around = padding if isinstance(padding, str) else _numbers(padding, n)
    if step is None or between is None or around is None:
        raise NoOverload
    if not isinstance(around, str):
        check_bias_dtype(input, bias)
    batched = _batched(f"conv{n}d", input, n)
    if not batched:
        input = input.unsqueeze(0)
    check_bias_dtype(input, bias)
    if isinstance(around, str):
        if around == "same":
            input, around = _same(input, weight, step, between)
        elif around == "valid":
            around = (0,)
        else:
            raise RuntimeError(f"Invalid padding string: '{around}'")
    result = convolved(input, weight, bias, step, around, between, False, (0,) * len(around), groups)
    return result if batched else result.squeeze(0)


_told_of_copies = False


def _same(input: Tensor, weight: Tensor, stride: Sizes, dilation: Sizes) -> tuple[Tensor, Sizes]:
    """The padding that makes the result as large as the input; if it is odd, the input gets the odd part first."""
    global _told_of_copies
    kernel = weight._array.shape[2:]
    n = len(kernel)
    if weight._array.ndim != input._array.ndim:
        raise RuntimeError(
            f"Expected {n + 2}-dimensional input for {n + 2}-dimensional weight{list(weight._array.shape)}, but got "
            f"{input._array.ndim}-dimensional input of size {list(input._array.shape)} instead"
        )
    for name, given in (("stride", stride), ("dilation", dilation)):
        if len(given) not in (1, n):
            raise RuntimeError(f"{name} cannot broadcast to {n} dimensions")
    if any(s != 1 for s in stride):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    needed = [d * (k - 1) for d, k in zip(expanded("dilation", dilation, n), kernel)]
    if any(more % 2 for more in needed):
        if not _told_of_copies:
            _told_of_copies = True
            warn_user(
                "Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy of the "
                "input be created",
            )
        widths = [v for more in reversed(needed) for v in (0, more % 2)]
        input = pad(input, widths)
    return input, tuple([more // 2 for more in needed])


def _convolve_transposed(
    n: int, input: Any, weight: Any, bias: Any, stride: Any, padding: Any, output_padding: Any, groups: Any,
    dilation: Any,
) -> Tensor:  # fmt: skip
    for name, value in (("weight", weight), ("bias", bias)):
        if not isinstance(value, Tensor) and (value is not None or name == "weight"):
            raise WrongArgument(name, value, "Tensor")
    read = []
    given = {"stride": stride, "padding": padding, "dilation": dilation, "output_padding": output_padding}
    for name, value in given.items():
        found = _numbers(value, n)
        if found is None:
            raise WrongArgument(name, value, "tuple of ints")
        read.append(found)
    if groups.__class__ is not int:
        raise WrongArgument("groups", groups, "int")
    batched = _batched(f"conv_transpose{n}d", input, n)
    if not batched:
        input = input.unsqueeze(0)
    step, around, between, more = read
    result = convolved(input, weight, bias, step, around, between, True, more, groups)
    return result if batched else result.squeeze(0)


@public("conv1d", overloads=True, autocast="low", functionals="conv1d", looks_first=True)
def conv1d(
    input: Any, weight: Tensor, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
) -> Tensor:
    """Sums of products of ``weight`` and the patches of (batch, channels, length) that it is moved over."""
    return _convolve(1, input, weight, bias, stride, padding, dilation, groups)


@public("conv2d", overloads=True, autocast="low", functionals="conv2d", looks_first=True)
def conv2d(
    input: Any, weight: Tensor, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
) -> Tensor:
    """``conv1d`` for images: (batch, channels, height, width)."""
    return _convolve(2, input, weight, bias, stride, padding, dilation, groups)


@public("conv3d", overloads=True, autocast="low", functionals="conv3d", looks_first=True)
def conv3d(
    input: Any, weight: Tensor, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
) -> Tensor:
    """``conv1d`` for volumes: (batch, channels, depth, height, width)."""
    return _convolve(3, input, weight, bias, stride, padding, dilation, groups)


@public("conv_transpose1d", autocast="low", functionals="conv_transpose1d", looks_first=True)
def conv_transpose1d(
    input: Tensor, weight: Tensor, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
    groups: int = 1, dilation: Any = 1,
) -> Tensor:  # fmt: skip
    """The adjoint of ``conv1d``: each element of ``input`` adds a multiple of ``weight`` to a patch of the result."""
    return _convolve_transposed(1, input, weight, bias, stride, padding, output_padding, groups, dilation)


@public("conv_transpose2d", autocast="low", functionals="conv_transpose2d", looks_first=True)
def conv_transpose2d(
    input: Tensor, weight: Tensor, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
    groups: int = 1, dilation: Any = 1,
) -> Tensor:  # fmt: skip
    """The adjoint of ``conv2d``."""
    return _convolve_transposed(2, input, weight, bias, stride, padding, output_padding, groups, dilation)


@public("conv_transpose3d", autocast="low", functionals="conv_transpose3d", looks_first=True)
def conv_transpose3d(
    input: Tensor, weight: Tensor, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
    groups: int = 1, dilation: Any = 1,
) -> Tensor:  # fmt: skip
    """The adjoint of ``conv3d``."""
    return _convolve_transposed(3, input, weight, bias, stride, padding, output_padding, groups, dilation)
