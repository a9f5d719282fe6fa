"""Samples into a batch."""

from __future__ import annotations

import collections.abc
import copy
import re
from collections.abc import Callable
from typing import Any

import numpy as np

import facula

from ...._tensor import Tensor

__all__ = ["collate", "default_collate", "default_collate_fn_map", "default_convert"]

np_str_obj_array_pattern = re.compile(r"[SaUO]")
_WRONG_KIND = "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"


def default_convert(data: Any) -> Any:
    """NumPy arrays as tensors, also within containers; all else as it is."""
    kind = type(data)
    if isinstance(data, Tensor):
        return data
    if kind.__module__ == "numpy" and kind.__name__ not in ("str_", "string_", "bytes_"):
        if kind.__name__ == "ndarray" and np_str_obj_array_pattern.search(data.dtype.str) is not None:
            return data
        from ....ops.creation.from_data import as_tensor  # loaded when first used

        return as_tensor(data)
    if isinstance(data, collections.abc.Mapping):
        return _rebuilt(data, {key: default_convert(value) for key, value in data.items()})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return kind(*(default_convert(d) for d in data))
    if isinstance(data, tuple):
        return [default_convert(d) for d in data]
    if isinstance(data, collections.abc.Sequence) and not isinstance(data, (str, bytes)):
        return _rebuilt(data, [default_convert(d) for d in data])
    return data


def _rebuilt(like: Any, items: Any) -> Any:
    """Items in a container of the same class, if that can be made."""
    try:
        if isinstance(like, collections.abc.MutableMapping) or (
            isinstance(like, collections.abc.MutableSequence) and not isinstance(like, list)
        ):
            made: Any = copy.copy(like)
            if isinstance(items, dict):
                made.update(items)
            else:
                for i, item in enumerate(items):
                    made[i] = item
            return made
        return type(like)(items)
    except TypeError:
        return items


def collate(batch: Any, *, collate_fn_map: dict[Any, Callable[..., Any]] | None = None) -> Any:
    """A batch of samples: by the functions that a map has for their class, container by container."""
    first = batch[0]
    kind = type(first)
    if collate_fn_map is not None:
        if kind in collate_fn_map:
            return collate_fn_map[kind](batch, collate_fn_map=collate_fn_map)
        for known, function in collate_fn_map.items():
            if isinstance(first, known):
                return function(batch, collate_fn_map=collate_fn_map)
    if isinstance(first, collections.abc.Mapping):
        return _rebuilt(first, {key: collate([d[key] for d in batch], collate_fn_map=collate_fn_map) for key in first})
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return kind(*(collate(samples, collate_fn_map=collate_fn_map) for samples in zip(*batch)))
    if isinstance(first, collections.abc.Sequence):
        if not all(len(sample) == len(first) for sample in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        columns = [collate(samples, collate_fn_map=collate_fn_map) for samples in zip(*batch)]
        return columns if isinstance(first, tuple) else _rebuilt(first, columns)
    raise TypeError(_WRONG_KIND.format(kind))


def collate_tensor_fn(batch: Any, *, collate_fn_map: Any = None) -> Any:
    from ....ops.moving.joining import stack  # loaded when first used

    return stack(list(batch), 0)


def collate_numpy_array_fn(batch: Any, *, collate_fn_map: Any = None) -> Any:
    if np_str_obj_array_pattern.search(batch[0].dtype.str) is not None:
        raise TypeError(_WRONG_KIND.format(batch[0].dtype))
    from ....ops.creation.from_data import as_tensor  # loaded when first used

    return collate([as_tensor(b) for b in batch], collate_fn_map=collate_fn_map)


def collate_numpy_scalar_fn(batch: Any, *, collate_fn_map: Any = None) -> Any:
    from ....ops.creation.from_data import as_tensor  # loaded when first used

    return as_tensor(np.asarray(batch) if isinstance(batch, (list, tuple)) else batch)


def collate_float_fn(batch: Any, *, collate_fn_map: Any = None) -> Any:
    return facula.tensor(batch, dtype=facula.float64)


def collate_int_fn(batch: Any, *, collate_fn_map: Any = None) -> Any:
    return facula.tensor(batch)


def collate_str_fn(batch: Any, *, collate_fn_map: Any = None) -> Any:
    return batch


default_collate_fn_map: dict[Any, Callable[..., Any]] = {
    Tensor: collate_tensor_fn,
    np.ndarray: collate_numpy_array_fn,
    (np.bool_, np.number, np.object_): collate_numpy_scalar_fn,
    float: collate_float_fn,
    int: collate_int_fn,
    str: collate_str_fn,
    bytes: collate_str_fn,
}
"""What ``default_collate`` does with samples of a class."""


def default_collate(batch: Any) -> Any:
    """A batch: tensors and numbers are stacked, containers keep their form, strings stay a list."""
    return collate(batch, collate_fn_map=default_collate_fn_map)
