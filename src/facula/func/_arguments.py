"""What the transforms' arguments have in common: which of them are meant, and pytrees of tensors."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from .._core.pytree import TreeSpec, tree_flatten
from .._tensor import Tensor


def checked_argnums(argnums: Any, count: int) -> tuple[int, ...]:
    """``argnums`` as a tuple of positions."""
    if not isinstance(argnums, (int, tuple)):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    positions = (argnums,) if isinstance(argnums, int) else argnums
    if not positions:
        raise RuntimeError("argnums must be non-empty")
    found = []
    for n in positions:
        if not isinstance(n, int):
            raise RuntimeError(f"argnum must be int, got: {type(n)}")
        if not -count <= n < count:
            raise RuntimeError(f"Got argnum={n}, but only {count} positional inputs")
        found.append(n % count)
    if len(set(found)) != len(found):
        raise RuntimeError(f"argnums elements must be unique, got {tuple(found)}")
    return tuple(found)


def chosen(args: tuple[Any, ...], argnums: Any) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """The arguments meant by ``argnums``, and a function that puts others in their places."""
    positions = checked_argnums(argnums, len(args))
    single = isinstance(argnums, int)
    picked = args[positions[0]] if single else tuple([args[i] for i in positions])

    def replaced(values: Any) -> tuple[Any, ...]:
        given = list(args)
        for i, v in zip(positions, (values,) if single else values):
            given[i] = v
        return tuple(given)

    return picked, replaced


def tensors_in(tree: Any) -> tuple[list[Any], TreeSpec]:
    """The leaves of a pytree, which all must be tensors."""
    leaves, spec = tree_flatten(tree)
    for leaf in leaves:
        if not isinstance(leaf, Tensor):
            raise ValueError(f"Thing passed to transform API must be Tensor, got {type(leaf)}")
    return leaves, spec


def outputs_in(tree: Any, api: str) -> tuple[list[Any], TreeSpec]:
    """The leaves of what a function returned, which all must be tensors."""
    leaves, spec = tree_flatten(tree)
    if not leaves or (len(leaves) == 1 and leaves[0] is None):
        raise RuntimeError(f"{api}: Expected f to be a function that has non-empty output (got output = {leaves})")
    for leaf in leaves:
        if not isinstance(leaf, Tensor):
            expected = f"expected f({_CALLED[api]}) to return only tensors, got unsupported type {type(leaf)}"
            raise RuntimeError(f"{api}: {expected}")
    return leaves, spec


_CALLED = {"vjp(f, *primals)": "*primals", "jvp(f, primals, tangents)": "*primals"}


def require_real(api: str, which: str, leaves: list[Any]) -> None:
    """Refuse complex tensors where a real basis does not tell the whole derivative."""
    for i, leaf in enumerate(leaves):
        if leaf._array.dtype.kind == "c":
            raise RuntimeError(
                f"{api}: Expected all {which} to be real but received complex tensor at flattened input idx: {i}"
            )


def transformed(make: Callable[..., Any]) -> Callable[..., Any]:
    """For a transform ``make(func, ...)`` that returns a function: have it look like ``func``."""

    @wraps(make)
    def transform(func: Callable[..., Any], *args: Any, **kwargs: Any) -> Callable[..., Any]:
        result: Callable[..., Any] = make(func, *args, **kwargs)
        try:
            return wraps(func)(result)
        except AttributeError:
            return result

    return transform


def without_aux(result: Any, api: str) -> tuple[Any, Any]:
    if not (isinstance(result, tuple) and len(result) == 2):
        raise RuntimeError(f"{api}: output of function f should be a tuple: (output, aux) if has_aux is True")
    for leaf in tree_flatten(result[1])[0]:
        if not isinstance(leaf, Tensor):
            raise RuntimeError(f"Expected tensors, got unsupported type {type(leaf)}")
    return result
