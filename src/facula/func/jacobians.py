"""``jacrev``, ``jacfwd``, ``hessian``: all directions at once, by ``vmap`` over those of one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._core import state
from .._core.pytree import tree_flatten, tree_map, tree_unflatten
from .._tensor import Tensor
from ._arguments import chosen, outputs_in, require_real, tensors_in, transformed
from .gradients import vjp
from .tangents import Pushing, checked_tangent, no_leaf, pushed
from .vectorize import vmap


@transformed
def jacrev(
    func: Callable[..., Any], argnums: Any = 0, *, has_aux: bool = False, chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Callable[..., Any]:  # fmt: skip
    """The Jacobian of a function, a row at a time, by reverse mode."""
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    def jacobian(*args: Any, **kwargs: Any) -> Any:
        from ..ops.moving.joining import stack  # loaded when first used

        picked, replaced = chosen(args, argnums)
        leaves, spec = tensors_in(picked)
        require_real("jacrev", "inputs", leaves)
        found = vjp(lambda values: func(*replaced(values), **kwargs), picked, has_aux=has_aux)
        output, pullback = found[:2]
        outs, out_spec = outputs_in(output, "vjp(f, *primals)")
        require_real("jacrev", "outputs", outs)

        def rows(*units: Any) -> Any:
            return tree_flatten(pullback(tree_unflatten(units, out_spec)))[0]

        if len(outs) == 1 and outs[0].numel() == 1:  # a single row needs no batch
            per_out = [(row,) for row in rows(outs[0].new_ones(outs[0].shape))]
        else:
            basis = standard_basis(outs)
            if chunk_size == 1 and len(basis[0]):
                columns = [stack(part) for part in zip(*[rows(*units) for units in zip(*[b.unbind(0) for b in basis])])]
            else:
                in_chunks = chunk_size is not None and chunk_size < len(basis[0])
                columns = vmap(rows, chunk_size=chunk_size if in_chunks else None)(*basis)
            per_out = [part.split([o.numel() for o in outs], 0) if len(outs) > 1 else (part,) for part in columns]
        jacobians = [
            tree_unflatten(
                [per_out[i][k].reshape((*out.shape, *x.shape)) for i, x in enumerate(leaves)], spec
            )
            for k, out in enumerate(outs)
        ]
        result = tree_unflatten(jacobians, out_spec)
        return (result, found[2]) if has_aux else result

    return jacobian


def standard_basis(tensors: list[Any]) -> list[Any]:
    """For all elements of some tensors together: for each a set of tensors that is 1 there and 0 elsewhere."""
    from ..ops.creation.create import eye  # loaded when first used

    total = sum(t.numel() for t in tensors)
    found = []
    start = 0
    for t in tensors:
        unit = eye(total, dtype=t.dtype)[:, start : start + t.numel()]
        found.append(unit.reshape(total, *t.shape))
        start += t.numel()
    return found


@transformed
def jacfwd(
    func: Callable[..., Any], argnums: Any = 0, has_aux: bool = False, *, randomness: str = "error"
) -> Callable[..., Any]:
    """The Jacobian of a function, a column at a time, by forward mode."""
    return by_columns(func, argnums, has_aux, randomness, require_real)


def by_columns(
    func: Callable[..., Any], argnums: Any, has_aux: bool, randomness: str, check: Callable[[str, str, Any], None]
) -> Callable[..., Any]:
    """``jacfwd``, which may be of complex tensors if ``check`` lets them pass: along their real parts."""

    def jacobian(*args: Any, **kwargs: Any) -> Any:
        picked, replaced = chosen(args, argnums)
        leaves, spec = tensors_in(picked)
        for leaf in leaves:
            checked_tangent(leaf, leaf)
        check("jacfwd", "inputs", leaves)
        out_spec: Any = None

        def column(*units: Any) -> Any:
            nonlocal out_spec
            state.modes.levels[-1].same_values = True
            found = pushed(lambda *values: func(*replaced(tree_unflatten(values, spec)), **kwargs), leaves,
                           tree_flatten(tuple(leaves))[1], list(units), False, has_aux)  # fmt: skip
            slopes, out_spec = tree_flatten(found[1])
            check("jacfwd", "outputs", slopes)
            return (slopes, found[2]) if has_aux else slopes

        with Pushing():
            basis = standard_basis(leaves)
            if has_aux:
                parts, aux = vmap(column, randomness=randomness, out_dims=(0, None))(*basis)
            else:
                parts = vmap(column, randomness=randomness)(*basis)
        results = []
        for part in parts:
            moved = part.movedim(0, -1)
            split = moved.split([x.numel() for x in leaves], -1) if len(leaves) > 1 else (moved,)
            shaped = [s.reshape((*part.shape[1:], *x.shape)) for s, x in zip(split, leaves)]
            results.append(tree_unflatten(shaped, spec))
        jacobians = tree_unflatten(results, out_spec)
        return (jacobians, tree_map(_no_leaf, aux)) if has_aux else jacobians

    return jacobian


def _no_leaf(value: Any) -> Any:
    return no_leaf(value) if isinstance(value, Tensor) else value


@transformed
def hessian(func: Callable[..., Any], argnums: Any = 0) -> Callable[..., Any]:
    """The matrix of second derivatives: forward mode over reverse mode."""
    result: Callable[..., Any] = jacfwd(jacrev(func, argnums), argnums)
    return result
