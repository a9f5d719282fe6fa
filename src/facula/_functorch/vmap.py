"""What programs take of ``torch._functorch.vmap``."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from .._C._functorch import _add_batch_dim, _remove_batch_dim
from .._core.pytree import broadcast_to_and_flatten as _broadcast_to_and_flatten
from .._core.pytree import tree_flatten, tree_unflatten
from .._levels.batched import batch, is_batched, unbatch
from .._levels.wrapped import enter, leave
from .._tensor import Tensor
from ..func import vectorize, vmap

__all__ = ["Tensor", "_add_batch_dim", "restore_vmap", "tree_flatten", "tree_unflatten", "vmap"]


def restore_vmap(
    func: Callable[..., Any], in_dims: Any, batch_size: int, randomness: str
) -> Callable[..., tuple[Any, Any]]:
    """``vmap`` whose outputs are left as they are: what is not of the batch stays so, and where it lies is told.

    Nothing need be of the batch.
    """

    def mapped(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
        leaves, spec = tree_flatten(args)
        dims = _broadcast_to_and_flatten(in_dims, spec)
        level = enter(batch_size, randomness)
        try:
            given = []
            for t, d in zip(leaves, dims or ()):
                if d is not None:
                    whole, t = t, batch(t.movedim(d, 0) if d else t, level)
                    if d:
                        t._given_at = (whole, d)
                given.append(t)
            outs, out_spec = tree_flatten(func(*tree_unflatten(given, spec), **kwargs))
            found: list[tuple[Any, int | None]] = []
            for out in outs:
                if not is_batched(out, level):
                    found.append((out, None))
                    continue
                whole, d = out._given_at
                found.append((whole, d) if d else (unbatch(out, level), 0))
        finally:
            leave(level)
        return tree_unflatten([t for t, _ in found], out_spec), tree_unflatten([d for _, d in found], out_spec)

    return mapped


def _get_name(func: Callable[..., Any]) -> str:
    """What errors call a function."""
    if isinstance(func, functools.partial):
        return f"functools.partial({_get_name(func.func)}, ...)"
    return getattr(func, "__name__", None) or repr(func)


def _maybe_remove_batch_dim(
    name: str, batched_output: Any, vmap_level: int, batch_size: int, out_dim: int | None
) -> Any:
    """A result of a function as it is outside of ``vmap``."""
    if out_dim is None:
        if isinstance(batched_output, Tensor) and batched_output.wraps and batched_output._level.depth == vmap_level:
            raise ValueError(f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None")
        return batched_output
    if not isinstance(batched_output, Tensor):
        raise ValueError(
            f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(batched_output)}. Did you mean to "
            "set out_dims= to None for output?"
        )
    return _remove_batch_dim(batched_output, vmap_level, batch_size, out_dim)


def _process_batched_inputs(in_dims: Any, args: tuple[Any, ...], func: Any) -> tuple[int, list[Any], list[Any], Any]:
    return vectorize.inputs(in_dims, args, func)


def _create_batched_inputs(flat_in_dims: list[Any], flat_args: list[Any], vmap_level: int, args_spec: Any) -> Any:
    given = [t if d is None else _add_batch_dim(t, d, vmap_level) for t, d in zip(flat_args, flat_in_dims)]
    return tree_unflatten(given, args_spec)


def _unwrap_batched(batched_outputs: Any, out_dims: Any, vmap_level: int, batch_size: int, func: Any) -> Any:
    outs, spec = tree_flatten(batched_outputs)
    dims, name = vectorize.out_dims_of(out_dims, spec, func), _get_name(func)
    return tree_unflatten(
        [_maybe_remove_batch_dim(name, out, vmap_level, batch_size, d) for out, d in zip(outs, dims)], spec
    )


_STEPS = {step.__name__: step for step in (_process_batched_inputs, _create_batched_inputs, _unwrap_batched)}


class WithSteps(ModuleType):
    """A module in which steps of ``vmap`` can be replaced, as packages do for collections of tensors of their own."""

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if name in _STEPS:
            is_own = all(vars(self)[step] is own for step, own in _STEPS.items())
            vectorize.others_steps[:] = [] if is_own else [self]


sys.modules[__name__].__class__ = WithSteps
