"""``torch.utils._foreach_utils``: lists of tensors, sorted by what they are."""

from __future__ import annotations

from typing import Any

__all__: list[str] = []


def _group_tensors_by_device_and_dtype(
    tensorlistlist: list[list[Any]], with_indices: bool = False
) -> dict[tuple[Any, Any], tuple[list[list[Any]], list[int]]]:
    """The lists cut into those of one device and dtype, by the tensors of the first list."""
    groups: dict[tuple[Any, Any], tuple[list[list[Any]], list[int]]] = {}
    for i, first in enumerate(tensorlistlist[0]):
        lists, indices = groups.setdefault((first.device, first.dtype), ([[] for _ in tensorlistlist], []))
        for part, whole in zip(lists, tensorlistlist):
            if whole:
                part.append(whole[i])
        if with_indices:
            indices.append(i)
    return groups


def _device_has_foreach_support(device: Any) -> bool:
    return str(getattr(device, "type", device)) == "cpu"


def _has_foreach_support(tensors: list[Any], device: Any) -> bool:
    return _device_has_foreach_support(device)


def _get_foreach_kernels_supported_devices() -> list[str]:
    return []


def _get_fused_kernels_supported_devices() -> list[str]:
    return []
