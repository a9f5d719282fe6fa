"""Moving a Module's parameters and buffers to other devices, dtypes and memory."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import facula

from ... import __future__
from ..._core.dtypes import float16, float32, float64
from ..._tensor import Tensor
from ...autograd.grad_mode import no_grad
from ...ops.machine.errors import type_of
from ...utils.swapping import swap_tensors
from ..parameter import Parameter

Self = TypeVar("Self", bound="Moving")


class Moving:
    """The part of Module that changes where and what its tensors are."""

    if TYPE_CHECKING:
        _parameters: dict[str, Any]
        _buffers: dict[str, Any]

        def children(self) -> Any: ...

    def _apply(self: Self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Replace each parameter's, its gradient's and each buffer's data by ``fn`` of it."""
        if recurse:
            for module in self.children():
                module._apply(fn)
        for name, parameter in self._parameters.items():
            if parameter is None:
                continue
            grad: Any = parameter.grad
            with no_grad():
                data = fn(parameter)
                new_grad = None if grad is None else fn(grad)
            if __future__.get_swap_module_params_on_conversion():
                if grad is not None:
                    parameter.grad = None
                swap_tensors(parameter, Parameter(data, parameter.requires_grad))
                if new_grad is not None:
                    parameter.grad = new_grad.requires_grad_(grad.requires_grad)
            elif _is_alike(data, parameter) and not __future__.get_overwrite_module_params_on_conversion():
                parameter.data = data
                if grad is not None:
                    grad.data = new_grad
            else:
                parameter = self._parameters[name] = Parameter(data, parameter.requires_grad)
                if new_grad is not None:
                    parameter.grad = new_grad.requires_grad_(grad.requires_grad)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def to(self: Self, *args: Any, **kwargs: Any) -> Self:
        """Move to a device, or cast the floating point parameters and buffers; in place."""
        from ..._core.devices import parse  # loaded when first used
        from ...ops.creation.convert import parsed_to  # loaded when first used

        device, dtype, copy, memory_format = parsed_to(args, kwargs)
        if copy:
            raise RuntimeError(".to() does not accept copy argument")
        if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
            raise TypeError(
                f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}"
            )
        if dtype is not None and dtype.is_complex:
            warnings.warn(
                "Complex modules are a new feature under active development whose design may change, and some modules "
                "might not work as expected when using complex tensors as parameters or buffers. Please file an issue "
                "at https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml if a complex module does not "
                "work as expected.",
                stacklevel=2,
            )

        has_memory = device is not None and parse(device).type != "meta"

        def convert(t: Tensor) -> Tensor:
            wanted = dtype if t.is_floating_point() or t.is_complex() else None
            if has_memory and t.is_meta:
                raise NotImplementedError(
                    "Cannot copy out of meta tensor; no data! Please use torch.nn.Module.to_empty() instead of "
                    "torch.nn.Module.to() when moving module from meta to a different device."
                )
            if memory_format is not None and t.dim() in (4, 5):
                return t.to(device, wanted, memory_format=memory_format)
            return t if device is None and wanted is None else t.to(device, wanted)

        return self._apply(convert)

    def type(self: Self, dst_type: Any) -> Self:
        return self._apply(lambda t: t.type(dst_type))

    def _to_floating(self: Self, dtype: Any) -> Self:
        return self._apply(lambda t: t.to(dtype) if t.is_floating_point() else t)

    def float(self: Self) -> Self:
        return self._to_floating(float32)

    def double(self: Self) -> Self:
        return self._to_floating(float64)

    def half(self: Self) -> Self:
        return self._to_floating(float16)

    def bfloat16(self: Self) -> Self:
        from ..._core.dtypes import bfloat16  # loaded when first used

        return self._to_floating(bfloat16)

    def cpu(self: Self) -> Self:
        return self._apply(lambda t: t.cpu())

    def cuda(self: Self, device: Any = None) -> Self:
        return self._apply(lambda t: t.cuda(device))

    def xpu(self: Self, device: Any = None) -> Self:
        return self._apply(lambda t: t.to("xpu" if device is None else device))

    def ipu(self: Self, device: Any = None) -> Self:
        return self._apply(lambda t: t.to("ipu" if device is None else device))

    def mtia(self: Self, device: Any = None) -> Self:
        return self._apply(lambda t: t.to("mtia" if device is None else device))

    def share_memory(self: Self) -> Self:
        return self._apply(lambda t: t.share_memory_())

    def to_empty(self: Self, *, device: Any, recurse: bool = True) -> Self:
        """Move to a device without copying the values."""
        return self._apply(lambda t: facula.empty_like(t, device=device), recurse)


def _is_alike(data: Tensor, parameter: Tensor) -> bool:
    """Whether a tensor can take the place of a parameter's data."""
    if not isinstance(data, Tensor):
        kind = type_of(data)
        raise TypeError(f"_has_compatible_shallow_copy_type(): argument 'from' (position 2) must be Tensor, not {kind}")
    return data.device == parameter.device and data.layout == parameter.layout
