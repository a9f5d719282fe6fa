"""``vmap``: a function of one item made a function of a batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from operator import index
from typing import Any

from .._core.pytree import broadcast_to_and_flatten, tree_flatten, tree_unflatten
from .._levels.batched import _has_level, _tell, batch, is_batched, unbatch
from .._levels.needs_values import NeedsValues
from .._levels.wrapped import Level, Wrapped, enter, leave
from .._tensor import Tensor
from ._arguments import transformed

others_steps: list[Any] = []
"""What has steps of ``vmap`` in which others have put their own; see ``_functorch.vmap``."""


@transformed
def vmap(
    func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0, randomness: str = "error", *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:  # fmt: skip
    """A function that calls ``func`` for all items of a batch at once."""
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(
            f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}"
        )
    if chunk_size is not None:
        chunk_size = index(chunk_size) if hasattr(chunk_size, "__index__") else chunk_size
    if chunk_size is not None and not (isinstance(chunk_size, int) and chunk_size > 0):
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    def mapped(*args: Any, **kwargs: Any) -> Any:
        if others_steps and chunk_size is None:
            return _by_others_steps(func, in_dims, out_dims, randomness, args, kwargs)
        size, dims, leaves, spec = inputs(in_dims, args, func)
        front = [t.movedim(d, 0) if d else t for t, d in zip(leaves, dims)]
        batched = [d is not None for d in dims]

        def part(start: int, end: int) -> tuple[list[Any], Any, list[Any]]:
            given = [t[start:end] if b and end - start < size else t for t, b in zip(front, batched)]
            whole = [(t, d) if d and end - start == size else None for t, d in zip(leaves, dims)]
            return _at_once(func, given, batched, whole, spec, kwargs, end - start, randomness, out_dims)

        step = size if chunk_size is None else chunk_size
        drawn = _drawn_again() if chunk_size is not None and randomness == "same" else nullcontext
        parts = []
        for start in range(0, size, step or 1) if size else (0,):
            with drawn():
                parts.append(part(start, min(start + step, size)))
        outs, out_spec, places = parts[0]
        if chunk_size is not None:
            from ..ops.moving.joining import cat  # loaded when first used

            outs = [
                column[0] if d is None else cat(list(column), d)
                for column, d in zip(zip(*[p[0] for p in parts]), places)
            ]
        return tree_unflatten(outs, out_spec)

    return mapped


def _by_others_steps(
    func: Any, in_dims: Any, out_dims: Any, randomness: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    steps = others_steps[0]
    size, dims, leaves, spec = steps._process_batched_inputs(in_dims, args, func)
    level = enter(size, randomness)
    try:
        given = steps._create_batched_inputs(dims, leaves, level.depth, spec)
        output = func(*given, **kwargs)
        return steps._unwrap_batched(output, out_dims, level.depth, size, func)
    finally:
        leave(level)


def _drawn_again() -> Any:
    """A context whose random numbers are the same whenever it is entered."""
    from ..random import get_rng_state, set_rng_state  # loaded when first used

    start = get_rng_state()

    @contextmanager
    def again() -> Iterator[None]:
        set_rng_state(start)
        yield

    return again


def name_of(func: Any) -> str:
    return getattr(func, "__name__", None) or repr(func)


def batch_size(in_dims: Any, args: tuple[Any, ...], func: Any) -> int:
    """How many items the arguments of a mapped function have."""
    return inputs(in_dims, args, func)[0]


def inputs(in_dims: Any, args: tuple[Any, ...], func: Any) -> tuple[int, list[Any], list[Any], Any]:
    """The batch's size, and for each leaf of the arguments the dimension that is the batch."""
    title = f"vmap({name_of(func)}, in_dims={in_dims}, ...)(<inputs>)"
    if not isinstance(in_dims, (int, tuple)):
        raise ValueError(
            f"{title}: expected `in_dims` to be int or a (potentially nested) tuple matching the structure of inputs, "
            f"got: {type(in_dims)}."
        )
    if not args:
        raise ValueError(
            f"vmap({name_of(func)})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to "
            "vmap over a function with no inputs. The latter is unsupported."
        )
    leaves, spec = tree_flatten(args)
    dims = broadcast_to_and_flatten(in_dims, spec)
    if dims is None:
        raise ValueError(
            f"{title}: in_dims is not compatible with the structure of `inputs`. in_dims has structure "
            f"{tree_flatten(in_dims)[1]} but inputs has structure {spec}."
        )
    found: list[Any] = []
    for d, t in zip(dims, leaves):
        if d is not None and not isinstance(d, int):
            raise ValueError(
                f"{title}: Got in_dim={d} for an input but in_dim must be either an integer dimension or None."
            )
        if d is not None and not isinstance(t, Tensor):
            raise ValueError(
                f"{title}: Got in_dim={d} for an input but the input is of type {type(t)}. We cannot vmap over "
                "non-Tensor arguments, please use None as the respective in_dim"
            )
        if d is True or d is False:
            raise TypeError("size(): argument 'dim' (position 1) must be int, not bool")
        if d is not None and not -t.dim() <= d < t.dim():
            raise ValueError(
                f"{title}: Got in_dim={d} for some input, but that input is a Tensor of dimensionality {t.dim()} so "
                f"expected in_dim to satisfy -{t.dim()} <= in_dim < {t.dim()}."
            )
        found.append(None if d is None else d % t.dim())
    sizes = [t.shape[d] for t, d in zip(leaves, found) if d is not None]
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if any(s != sizes[0] for s in sizes):
        raise ValueError(
            f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} for the "
            "mapped dimension"
        )
    return sizes[0], found, leaves, spec


def _at_once(
    func: Any, leaves: list[Any], batched: list[bool], given: list[Any], spec: Any, kwargs: dict[str, Any], size: int,
    randomness: str, out_dims: Any,
) -> tuple[list[Any], Any, list[Any]]:  # fmt: skip
    level = enter(size, randomness)
    try:
        wrapped = [batch(t, level) if b else t for t, b in zip(leaves, batched)]
        for t, as_given in zip(wrapped, given):
            if as_given is not None and is_batched(t, level):
                t._given_at = as_given
        try:
            output = func(*tree_unflatten(wrapped, spec), **kwargs)
        except NeedsValues as e:
            if e.depth != level.depth or not size:
                raise
        else:
            return _outputs(output, level, out_dims, func)
    finally:
        leave(level)
    return _one_by_one(func, leaves, batched, spec, kwargs, size, out_dims, randomness)


def _outputs(output: Any, level: Level, out_dims: Any, func: Any) -> tuple[list[Any], Any, list[Any]]:
    outs, out_spec = tree_flatten(output)
    dims = out_dims_of(out_dims, out_spec, func)
    results: list[Any] = []
    places: list[Any] = []
    for out, d in zip(outs, dims):
        if not isinstance(out, Tensor):
            if d is None:
                results.append(out)
                places.append(None)
                continue
            raise ValueError(
                f"vmap({name_of(func)}, ...): `{name_of(func)}` must only return Tensors, got type {type(out)}. Did "
                "you mean to set out_dims= to None for output?"
            )
        if d is None:
            if _has_level(out, level):
                if not level.same_values:
                    raise ValueError(
                        f"vmap({name_of(func)}, ...): `{name_of(func)}` can not return a BatchedTensor when out_dim is "
                        "None"
                    )
                out = unbatch(out, level).select(0, 0)
            results.append(out)
            places.append(None)
            continue
        full = unbatch(out, level)
        results.append(full if d == 0 else full.movedim(0, d))
        places.append(d)
    return results, out_spec, places


def out_dims_of(out_dims: Any, spec: Any, func: Any) -> list[Any]:
    dims = broadcast_to_and_flatten(out_dims, spec)
    if dims is None and isinstance(out_dims, tuple) and len(out_dims) == 1 and spec.is_leaf():
        dims = list(out_dims)
    given = tree_flatten(out_dims)
    if any(d is not None and not isinstance(d, int) for d in given[0]):
        raise ValueError(
            f"vmap({name_of(func)}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python collection "
            "of ints representing where in the outputs the vmapped dimension should appear."
        )
    if dims is None:
        raise ValueError(
            f"vmap({name_of(func)}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the structure "
            f"of `outputs`. out_dims has structure {given[1]} but outputs has structure {spec}."
        )
    return dims


def _one_by_one(
    func: Any, leaves: list[Any], batched: list[bool], spec: Any, kwargs: dict[str, Any], size: int, out_dims: Any,
    randomness: str,
) -> tuple[list[Any], Any, list[Any]]:  # fmt: skip
    """For a function that needs numbers, as an ``if`` does: a call for each item."""
    from ..ops.moving.joining import stack  # loaded when first used
    from ..random import get_rng_state, set_rng_state  # loaded when first used

    _tell(f"{name_of(func)}, which asks for the values of a tensor")
    results = []
    start = get_rng_state() if randomness == "same" else None
    level = enter(-1, "error" if randomness == "error" else "same")
    try:
        for i in range(size):
            if start is not None:
                set_rng_state(start)
            items = [t.select(0, i) if b else t for t, b in zip(leaves, batched)]
            results.append(tree_flatten(func(*tree_unflatten(items, spec), **kwargs)))
    finally:
        leave(level)
    out_spec = results[0][1]
    dims = out_dims_of(out_dims, out_spec, func)
    joined = []
    for column, d in zip(zip(*[r[0] for r in results]), dims):
        if d is None:
            joined.append(column[0])
        elif not all(isinstance(v, Tensor) for v in column):
            from ..ops.creation.from_data import tensor  # loaded when first used

            joined.append(stack([v if isinstance(v, Tensor) else tensor(v) for v in column], d))
        else:
            joined.append(stack(list(column), d))
    return joined, out_spec, dims


def debug_unwrap(tensor: Any, *, recurse: bool = True) -> Any:
    """What a tensor inside transforms stands for: the innermost, or one level down. For looking at, not for results."""
    while isinstance(tensor, Wrapped):
        tensor = tensor._inside
        if not recurse:
            break
    return tensor
