"""Operators under the names that PyTorch gives them in ``torch.ops.aten``.

Most are functions or methods by the same name. What PyTorch has there only is in this file.
"""

from __future__ import annotations

import importlib
import math
from functools import cache
from typing import Any

import numpy as np

from .. import _lazy
from .._ops import OpOverload, OpOverloadPacket
from .._tensor import Tensor
from ..overrides import call_override, overridden
from . import aten_functionals
from .activations.dropout import native_dropout_backward_op
from .creation.exchange import view_of
from .images import resample
from .images.convolution import general_convolution
from .machine.arguments import one_dim
from .machine.namespaces import TENSORS
from .machine.public import FUNCTIONALS, FUNCTIONS
from .moving import padding
from .networks.batch_norm import _batch_norm_with_update as _batch_norm
from .views.slices import slice_along


class Overloads(OpOverloadPacket):
    """An operator; its overloads are one here, which finds out by the arguments, but have names."""

    namespace = "aten"

    def __init__(self, name: str, function: Any) -> None:
        self.__name__ = name
        self._function = function

    def __call__(*args: Any, **kwargs: Any) -> Any:  # some operators have a parameter named self
        if overridden(args[1:], kwargs):
            return call_override(args[0]._function, args[0], args[1:], kwargs)
        try:
            return args[0]._function(*args[1:], **kwargs)
        except (TypeError, AttributeError, ValueError) as e:
            told = _no_tensor(args[0]._function, args[1:], kwargs)
            if told is None and not isinstance(e, TypeError):
                raise
            raise RuntimeError(f"{args[0]._qualified_op_name}() {told or e}") from None

    def __getattr__(self, overload: str) -> Any:
        if overload.startswith("_"):
            raise AttributeError(overload)
        found = Overload(self, overload)
        setattr(self, overload, found)
        return found

    @property
    def _qualified_op_name(self) -> str:
        return f"{self.namespace}::{self.__name__}"

    def __reduce__(self) -> Any:
        return _named, (self.namespace, self.__name__)

    def __str__(self) -> str:
        return f"{self.namespace}.{self.__name__}"

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='{self}')>"


class Overload(OpOverload):
    """One overload by its name. It is equal to all others of its operator, which do the same here."""

    def __init__(self, packet: Overloads, overload: str) -> None:
        self.overloadpacket = packet
        self.namespace = packet.namespace
        self._overloadname = overload
        self.__name__ = f"{packet.__name__}.{overload}"
        self.__module__ = f"torch._ops.{packet.namespace}"

    def __call__(*args: Any, **kwargs: Any) -> Any:
        if overridden(args[1:], kwargs):
            return call_override(args[0].overloadpacket._function, args[0], args[1:], kwargs)
        return args[0].overloadpacket(*args[1:], **kwargs)

    @property
    def _overloadpacket(self) -> Overloads:
        return self.overloadpacket

    @property
    def _qualified_op_name(self) -> str:
        return f"{self.namespace}::{self.__name__}"

    def name(self) -> str:
        return self._qualified_op_name.removesuffix(".default")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Overload) and other.overloadpacket is self.overloadpacket

    def __hash__(self) -> int:
        return hash(self.overloadpacket)

    def __reduce__(self) -> Any:
        return getattr, (self.overloadpacket, self._overloadname)

    def __str__(self) -> str:
        return f"{self.namespace}.{self.__name__}"

    def __repr__(self) -> str:
        return f"<OpOverload(op='{self.overloadpacket}', overload='{self._overloadname}')>"


def _no_tensor(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    """Which argument is no tensor, though the function's annotations say so."""
    kinds = getattr(function, "__annotations__", {})
    for name, value in [*zip(kinds, args), *kwargs.items()]:
        kind = kinds.get(name)
        is_missing = value is None and kind == "Tensor | None"
        if kind in ("Tensor", "Tensor | None") and not (isinstance(value, Tensor) or is_missing):
            wanted, found = "Tensor" if kind == "Tensor" else "Optional[Tensor]", type(value).__name__
            return f"Expected a value of type '{wanted}' for argument '{name}' but instead found type '{found}'."
    return None


def _named(namespace: str, name: str) -> Any:
    return getattr(_lazy.load(f"ops.{namespace}"), name)


@cache
def __getattr__(name: str) -> Any:
    function = _by_form(name) if name in _MORE_THAN_FUNCTIONALS else _HERE.get(name)
    if "reduction" in aten_functionals.FUNCTIONALS.get(name, ("", ()))[1]:  # these begin with 1, unlike the functions
        function = aten_functionals.as_function(name)
    for kind, table in (("FUNCTIONS", FUNCTIONS), ("FUNCTIONALS", FUNCTIONALS)):
        providers = getattr(_lazy, kind)
        if function is None and name in providers:
            _lazy.load(providers[name])
            function = table[name]
        if kind == "FUNCTIONS" and function is None and name in aten_functionals.FUNCTIONALS:
            function = aten_functionals.as_function(name)
    module, _, rest = name.partition("_")
    if function is None and module in ("fft", "linalg", "special"):
        function = getattr(importlib.import_module(f"facula.{module}"), rest, None)
    if function is None and not name.startswith("__"):
        function = getattr(Tensor, name, None) or _by_form(name)
    if function is None:
        raise AttributeError(f"'_OpNamespace' 'aten' object has no attribute '{name}'")
    return Overloads(name, function)


def _by_form(name: str) -> Any:
    from .aten_calls import unknown  # it imports this module

    return unknown(name)


_MORE_THAN_FUNCTIONALS = ("adaptive_max_pool2d", "elu")
"""Operators that take, or give, more than the functions of ``nn.functional`` with their names."""


# ---- what is found nowhere else


def _slice(self: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Tensor:
    """``self[start:end:step]`` along a dimension, a view."""
    if not self._array.ndim:
        raise RuntimeError("slice() cannot be applied to a 0-dim tensor.")
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    at = one_dim(dim, self._array.ndim)
    first, last, _ = slice(start, end).indices(self._array.shape[at])
    return slice_along(self, at, first, last, step)


def _native_dropout_backward(grad_output: Tensor, mask: Tensor, scale: float) -> Tensor:
    found: Tensor = native_dropout_backward_op(grad_output, mask, scale)
    return found


def _max_pool2d_with_indices_backward(
    grad_output: Tensor, self: Tensor, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool,
    indices: Tensor,
) -> Tensor:  # fmt: skip
    """Gradients of the greatest elements put where these were found. How the windows lay no longer matters."""
    found: Tensor = TENSORS.max_pool2d_backward(grad_output, self, indices)
    return found


def _antialiased(mode: str) -> Any:
    def upsample(
        input: Tensor, output_size: Any = None, align_corners: bool = False, *scales: Any,
        scale_factors: Any = None, scales_h: float | None = None, scales_w: float | None = None,
    ) -> Tensor:  # fmt: skip
        """``input`` at another size; scales, where given, tell how far apart the new elements are."""
        if len(scales) == 1 and isinstance(scales[0], (list, tuple)):
            (scale_factors,), scales = scales, ()
        given = (*scales, None, None)[:2] if scales else (scales_h, scales_w)
        return resample.antialiased(mode, input, output_size, align_corners, scale_factors or given)

    return upsample


def _index(self: Tensor, indices: list[Tensor | None]) -> Tensor:
    """``self`` at tensors as indices, by dimension; None is all of a dimension."""
    return self[tuple([slice(None) if index is None else index for index in indices])]


def _sym_size(self: Tensor, dim: int) -> int:
    return self.shape[dim]


def _sym_stride(self: Tensor, dim: int) -> int:
    return self.stride(dim)


def _batch_norm_functional(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor, running_var: Tensor,
    training: bool, momentum: float, eps: float,
) -> tuple[Tensor, ...]:  # fmt: skip
    """Batch normalization that gives the new running statistics, and changes none."""
    mean, var = running_mean.clone(), running_var.clone()
    found = FUNCTIONS["native_batch_norm"](input, weight, bias, mean, var, training, momentum, eps)
    return (*found, mean, var)


def _new_zeros_with_same_feature_meta(self: Tensor, other: Tensor, *, self_num_batch_dims: int = 0) -> Tensor:
    """Zeros that lie in memory as ``other`` does, for each item of the leading dimensions of ``self``."""
    if other.is_sparse or other.dispatches:
        return other.new_zeros(other.shape)
    batch = self._array.shape[:self_num_batch_dims]
    size = other.untyped_storage().nbytes() // other.element_size()
    steps = [size * math.prod(batch[i + 1 :]) for i in range(len(batch))]
    whole = np.zeros(size * math.prod(batch), other._array.dtype)
    strides = tuple([n * whole.itemsize for n in (*steps, *other.stride())])
    return Tensor._wrap(view_of(whole, (*batch, *other.shape), strides, other.storage_offset() * whole.itemsize))


def _copy(self: Tensor, src: Tensor, non_blocking: bool = False) -> Tensor:
    """``src`` with the shape and the dtype of ``self``."""
    return self.clone().copy_(src)


def _convolution_of_devices(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Any, padding: Any, dilation: Any, transposed: bool,
    output_padding: Any, groups: int, *how: bool,
) -> Tensor:  # fmt: skip
    """``convolution``, and ``how`` other devices are to compute it."""
    return general_convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)


def _plain_convolution(spatial: int) -> Any:
    def convolution(
        self: Tensor, weight: Tensor, kernel_size: Any, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0
    ) -> Tensor:
        """A convolution by a weight that may have all its inputs in one dimension."""
        if weight.dim() not in (2, spatial + 2) or not weight.numel():
            kinds = f"2D or {spatial + 2}D"
            raise RuntimeError(f"non-empty {kinds} weight tensor expected, but got: {list(weight.shape)}")
        sizes = {"kernel_size": kernel_size, "stride": stride, "padding": padding}
        for name, given in sizes.items():
            if isinstance(given, (list, tuple)) and len(given) != spatial:
                raise RuntimeError(f"{spatial}D {name} expected")
        kernel, steps, pads = (list(n) if isinstance(n, (list, tuple)) else [n] * spatial for n in sizes.values())
        full = weight.reshape(weight.shape[0], -1, *kernel) if weight.dim() == 2 else weight
        return general_convolution(self, full, bias, steps, pads, [1] * spatial, False, [0] * spatial, 1)

    return convolution


_HERE = {
    "slow_conv3d": _plain_convolution(3),
    "thnn_conv2d": _plain_convolution(2),
    "_convolution": _convolution_of_devices,
    "_local_scalar_dense": lambda self: self.item(),
    "_pin_memory": lambda self, device=None: self.pin_memory(device),
    "_new_zeros_with_same_feature_meta": _new_zeros_with_same_feature_meta,
    "_native_batch_norm_legit_functional": _batch_norm_functional,
    "_batch_norm_with_update": _batch_norm,
    "_upsample_bilinear2d_aa": _antialiased("bilinear"),
    "_upsample_bicubic2d_aa": _antialiased("bicubic"),
    **padding.OF_DIMENSIONS,
    "copy": _copy,
    "index": _index,
    "lift_fresh_copy": Tensor.clone,
    "max_pool2d_with_indices_backward": _max_pool2d_with_indices_backward,
    "native_dropout_backward": _native_dropout_backward,
    "slice": _slice,
    "unfold": Tensor.unfold,
    "sym_size": _sym_size,
    "sym_stride": _sym_stride,
}
