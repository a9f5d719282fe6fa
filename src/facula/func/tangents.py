"""``jvp`` and ``linearize``: forward mode as functions of functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._core import state
from .._core.pytree import tree_flatten, tree_map, tree_unflatten
from .._levels.batched import Batched, batch
from .._levels.dual import Dual, begin_dual
from .._levels.wrapped import Wrapped, enter, leave
from .._tensor import Tensor
from ..autograd.forward_ad import check_fits
from ._arguments import outputs_in, tensors_in, without_aux

_JVP = "jvp(f, primals, tangents)"


def jvp(func: Callable[..., Any], primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False) -> Any:
    """What ``func`` returns, and its derivative in the direction of ``tangents``."""
    if not isinstance(primals, tuple):
        raise RuntimeError(f"{_JVP}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    spec, their_spec = tree_flatten(primals)[1], tree_flatten(tangents)[1]
    if spec != their_spec:
        raise RuntimeError(
            f"{_JVP}: Expected primals and tangents to have the same python structure. For example, if primals is a "
            f"tuple of 3 tensors, tangents also must be. Got primals with structure {spec} and tangents with structure "
            f"{their_spec}"
        )
    return pushed(func, _tensors_of(primals, "primals"), spec, _tensors_of(tangents, "tangents"), strict, has_aux)


def _tensors_of(tree: Any, what: str) -> list[Any]:
    leaves: list[Any] = tree_flatten(tree)[0]
    for leaf in leaves:
        if not isinstance(leaf, Tensor):
            raise RuntimeError(f"{_JVP}: Expected {what} to only contain Tensors, got {type(leaf)}")
    if not leaves:
        raise RuntimeError(f"{_JVP}: Expected {what} to contain at least one Tensor.")
    return leaves


def pushed(
    func: Callable[..., Any], leaves: list[Any], spec: Any, directions: list[Any], strict: bool, has_aux: bool
) -> Any:
    """Run a function on duals."""
    with Pushing():
        return _pushed(func, leaves, spec, directions, strict, has_aux)


class Pushing:
    """Within it tangents are computed, and nothing is made for inference alone."""

    def __enter__(self) -> None:
        self.before = state.modes.forward_grad, state.modes.inference
        state.modes.forward_grad = True
        if self.before[1]:
            state.update(inference=False)

    def __exit__(self, *exc: object) -> None:
        state.modes.forward_grad = self.before[0]
        if self.before[1]:
            state.update(inference=True)


def _pushed(
    func: Callable[..., Any], leaves: list[Any], spec: Any, directions: list[Any], strict: bool, has_aux: bool
) -> Any:
    level = enter()
    level.tracks = True
    try:
        duals = [begin_dual(p, checked_tangent(p, t), level) for p, t in zip(leaves, directions)]
        output = func(*tree_unflatten(duals, spec))
        aux = None
        if has_aux:
            output, aux = without_aux(output, _JVP)
            aux = tree_map(lambda v: _without_tangent(v, level) if isinstance(v, Tensor) else v, aux)
        outs, out_spec = outputs_in(output, _JVP)
        pairs = [split(out, level) for out in outs]
    finally:
        leave(level)
    if strict and any(t is None for _, t in pairs):
        raise RuntimeError(
            f"{_JVP}: The output of f is independent of the inputs. This is not allowed with strict=True."
        )
    values = tree_unflatten([no_leaf(p) for p, _ in pairs], out_spec)
    slopes = tree_unflatten([p.new_zeros(p.shape) if t is None else t for p, t in pairs], out_spec)
    return (values, slopes, aux) if has_aux else (values, slopes)


def checked_tangent(primal: Any, tangent: Any) -> Any:
    """A tangent that fits its value."""
    if primal._array.dtype.kind not in "fcV":
        raise ValueError(f"Expected primal to be floating point or complex, but got: {primal.dtype}")
    check_fits(primal, tangent)
    if tangent._array.dtype.kind not in "fcV":
        raise ValueError(f"Expected tangent to be floating point or complex, but got: {tangent.dtype}")
    return tangent if tangent._array.dtype == primal._array.dtype else tangent.to(primal.dtype)


def split(t: Any, level: Any) -> tuple[Any, Any]:
    """A result's value and tangent at a level (None if it is constant)."""
    if t.__class__ is Dual and t._level is level:
        return t._primal, t._tangent
    if isinstance(t, Wrapped) and t._level.depth > level.depth and isinstance(t, Batched):
        p, slope = split(t._value, level)
        return batch(p, t._level), None if slope is None else batch(slope, t._level)
    return t, None


def _without_tangent(t: Any, level: Any) -> Any:
    value = split(t, level)[0]
    return value if value is t else no_leaf(value)


def no_leaf(t: Any) -> Any:
    """A result, which is a view of a leaf that the function hands through."""
    return t.alias() if t.requires_grad and t.is_leaf else t


def linearize(func: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """What ``func`` returns, and its derivative there as a linear function of tangents, which calls ``func`` again."""
    leaves, spec = tensors_in(primals)
    output = func(*primals)
    for p in leaves:
        if not (p.is_floating_point() or p.is_complex()):
            raise ValueError(f"Expected primal to be floating point or complex, but got: {p.dtype}")

    def pushforward(*tangents: Any) -> Any:
        given, given_spec = tree_flatten(tangents)
        if given_spec != spec:
            raise RuntimeError(
                f"Expected the tangents {given_spec} to have the same argspec as the primals {spec}"
            )
        for i, (t, p) in enumerate(zip(given, leaves)):
            for what in ("shape", "dtype"):
                mine, theirs = getattr(t, what), getattr(p, what)
                if mine != theirs:
                    raise RuntimeError(
                        f"tangent:{i} with {what} {mine} in flattened pytree doesn't match the {what} {theirs} of the "
                        "corresponding primal."
                    )

        return jvp(func, primals, tangents)[1]

    return output, pushforward
