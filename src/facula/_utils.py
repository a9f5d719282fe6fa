"""``torch._utils``: what other packages take from PyTorch's cupboard."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import facula

from ._core.devices import device as Device
from ._core.dtypes import _scalar_class as _scalar_class
from ._tensor import Tensor
from .ops.creation.exchange import _rebuild_meta_tensor as _rebuild_meta_tensor
from .ops.creation.exchange import _rebuild_tensor as _rebuild_tensor

__all__: list[str] = []


def _flatten_dense_tensors(tensors: Iterable[Tensor]) -> Tensor:
    """All elements in one row."""
    joined: Tensor = facula.cat([t.contiguous().view(-1) for t in tensors])
    return joined


def _unflatten_dense_tensors(flat: Tensor, tensors: Iterable[Tensor]) -> tuple[Tensor, ...]:
    """Parts of a row in the shapes of other tensors."""
    parts, at = [], 0
    for t in tensors:
        parts.append(flat.narrow(0, at, t.numel()).view_as(t))
        at += t.numel()
    return tuple(parts)


def _element_size(dtype: Any) -> int:
    """How many bytes an element has."""
    size: int = dtype.itemsize
    return size


def _maybe_view_chunk_cat(res: Tensor, group_size: int, gather_dim: int) -> Tensor:
    """Parts along the first dimension side by side along another."""
    if gather_dim == 0:
        return res
    found: Tensor = facula.cat(facula.chunk(res, group_size, dim=0), dim=gather_dim)
    return found


def _rebuild_sparse_tensor(layout: Any, data: Any) -> Any:
    """A sparse tensor from what pickles have of it."""
    from .serialization._rebuild import sparse_tensor  # loaded when first used

    return sparse_tensor(layout, data)


def _rebuild_parameter(data: Tensor, requires_grad: bool, backward_hooks: Any) -> Any:
    """A Parameter from what pickles have of it."""
    from .serialization._rebuild import parameter  # loaded when first used

    made = parameter(data, requires_grad, backward_hooks)
    made._backward_hooks = backward_hooks
    return made


def _get_device_index(device: Any, optional: bool = False, allow_cpu: bool = False) -> int:
    """The number of a device; the CPU's is -1."""
    if isinstance(device, int):
        return device
    if isinstance(device, (str, Device)) and Device(device).type == "cpu" and allow_cpu:
        return -1
    raise ValueError(f"Expected a non cpu device, but got: {device}")


def _get_available_device_type() -> None:
    """The kind of accelerator that is here; there is none."""
    return None


def _get_device_module(device_type: str) -> Any:
    """The module of a kind of devices: ``torch.cpu``."""
    import facula  # which loads this module

    found = getattr(facula, device_type, None)
    if found is None:
        raise RuntimeError(
            f"Device '{device_type}' does not have a corresponding module registered as 'torch.{device_type}'."
        )
    return found


def __getattr__(name: str) -> Any:
    if name == "ExceptionWrapper":
        from .utils.data._utils.worker import ExceptionWrapper  # loaded when first used

        return ExceptionWrapper
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
