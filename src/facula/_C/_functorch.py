"""``torch._C._functorch``: what programs ask about the transforms that are being run."""

from __future__ import annotations

import enum
from typing import Any

from .._core import state
from .._levels import batched
from .._levels.batched import Batched, batch, unbatch
from .._levels.wrapped import Level
from ..ops.machine.arguments import one_dim


class TransformType(enum.Enum):
    """The kinds of transforms."""

    Torch = 0
    Vmap = 1
    Grad = 2
    Jvp = 3
    Functionalize = 4


class CInterpreter:
    """A transform that is being run."""

    def __init__(self, level: Level) -> None:
        self._level = level

    def key(self) -> TransformType:
        if self._level.size >= 0:
            return TransformType.Vmap
        return TransformType.Grad if self._level.reverse else TransformType.Jvp

    def level(self) -> int:
        return self._level.depth


def get_interpreter_stack() -> list[CInterpreter] | None:
    """All that are being run, the outermost first."""
    return [CInterpreter(level) for level in state.modes.levels] or None


def peek_interpreter_stack() -> CInterpreter | None:
    """The innermost that is being run."""
    levels = state.modes.levels
    return CInterpreter(levels[-1]) if levels else None


def maybe_current_level() -> int | None:
    levels = state.modes.levels
    return levels[-1].depth if levels else None


def is_batchedtensor(tensor: Any) -> bool:
    return isinstance(tensor, Batched)


def is_functorch_wrapped_tensor(tensor: Any) -> bool:
    return bool(tensor.wraps)


def maybe_get_level(tensor: Any) -> int:
    """The transform that a tensor belongs to; -1 for none."""
    return tensor._level.depth if tensor.wraps else -1


def maybe_get_bdim(tensor: Any) -> int:
    """Where the batch lies in what is inside a tensor; -1 if it is none of a batch."""
    return 0 if isinstance(tensor, Batched) else -1


def get_unwrapped(tensor: Any) -> Any:
    """What is inside a tensor."""
    if not tensor.wraps:
        raise RuntimeError("No wrappers present!")
    return tensor._inside


def _is_vmap_fallback_enabled() -> bool:
    return batched.fallback_enabled


def _set_vmap_fallback_enabled(enabled: bool) -> None:
    batched.fallback_enabled = enabled


def dlevel(tensor: Any) -> int:
    """The transform that a tensor belongs to: 0 for none, -1 for one that has ended."""
    if tensor.wraps:
        return tensor._level.depth if tensor._level in state.modes.levels else -1
    return 0


def reshape_dim_into(source: int, into: int, tensor: Any) -> Any:
    """One dimension moved before another one of those that are left, and the two made one."""
    source = one_dim(source, tensor.dim())
    into = one_dim(into, tensor.dim() - 1)
    moved = tensor.movedim(source, into)
    shape = tensor.shape
    left = [*shape[:source], *shape[source + 1 :]]
    left[into] *= shape[source]
    return moved.reshape(left)


def reshape_dim_outof(source: int, size: int, tensor: Any) -> Any:
    """One dimension made two, the first of which has the given size."""
    source = one_dim(source, tensor.dim())
    shape = tensor.shape
    return tensor.reshape(*shape[:source], size, shape[source] // size, *shape[source + 1 :])


def _add_batch_dim(tensor: Any, in_dim: int, level: int) -> Any:
    """A tensor of which a dimension is the batch of a transform that is being run."""
    return batch(tensor.movedim(in_dim, 0), next(each for each in state.modes.levels if each.depth == level))


def _remove_batch_dim(tensor: Any, level: int, batch_size: int, out_dim: int) -> Any:
    """The tensor with the batch as one of its dimensions."""
    for each in state.modes.levels:
        if each.depth == level:
            whole = unbatch(tensor, each)
            return whole.movedim(0, out_dim) if out_dim else whole
    return tensor.expand(batch_size, *tensor.shape).movedim(0, out_dim)
