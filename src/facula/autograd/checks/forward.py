"""What ``gradcheck`` asks of forward mode: tangents that agree with finite differences, alone and in batches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core import state
from ..._core.generator import RandomnessError
from ..gradcheck import GradcheckError
from .finite_differences import (
    Array,
    Settings,
    as_tensor,
    close,
    difference,
    direction,
    in_slow_mode,
    inexact,
    is_tensor,
    mismatch,
    numerical_jacobian,
    part_prefix,
    same_in_batches,
    sample,
    two_like,
)
from .perturbed import memory_of, values_of

_MODE = "computed with forward mode "


def check_forward(
    func: Callable[..., Any], inputs: tuple[Any, ...], recorded: list[int], settings: Settings
) -> None:
    """Compare Jacobians made of tangents with numerical ones, for the outputs whose numbers are ``recorded``."""
    wanted = [i for i, t in enumerate(inputs) if is_tensor(t) and t.requires_grad]
    for imaginary in (True, False):
        for which, i in enumerate(wanted):
            if inputs[i].is_complex() or not imaginary:
                check = _compare_direction if settings.fast_mode else _compare_all
                check(func, inputs, i, which, recorded, imaginary, settings)


def _pushed(func: Any, inputs: tuple[Any, ...], i: int, tangent: Any) -> list[Any]:
    """The tangents of the outputs for a tangent of input ``i``."""
    from .. import forward_ad  # loaded when first used

    with forward_ad.dual_level():
        duals = [t.detach() if is_tensor(t) else t for t in inputs]
        for j, t in enumerate(inputs):
            if j == i:
                duals[j] = forward_ad.make_dual(duals[j], tangent)
            elif is_tensor(t) and t.requires_grad:
                duals[j] = forward_ad.make_dual(duals[j], duals[j].new_zeros(t.shape))
        pairs = [forward_ad.unpack_dual(o) for o in inexact(func(*duals))]
        return [primal.new_zeros(primal.shape) if t is None else t.detach() for primal, t in pairs]


def _tangents(func: Any, inputs: tuple[Any, ...], i: int, tangent: Array) -> list[Array]:
    return [values_of(t).reshape(-1) for t in _pushed(func, inputs, i, as_tensor(tangent))]


def _jacobians(func: Any, inputs: tuple[Any, ...], i: int, imaginary: bool) -> list[Array]:
    """For each output a row per element of input ``i``: the tangent of that element alone."""
    array = memory_of(inputs[i])
    rows = []
    for at in np.ndindex(*array.shape):
        tangent = np.zeros(array.shape, array.dtype)
        tangent[at] = 1j if imaginary else 1
        rows.append(_tangents(func, inputs, i, tangent))
    if not rows:
        return [np.zeros((0, o.numel()), o._array.dtype) for o in inexact(func(*inputs))]
    return [np.array(column) for column in zip(*rows)]


def _compare_all(
    func: Any, inputs: tuple[Any, ...], i: int, which: int, recorded: list[int], imaginary: bool, settings: Settings
) -> None:
    t = inputs[i]
    numerical = numerical_jacobian(func, inputs, t, settings.eps)
    analytical = _jacobians(func, inputs, i, imaginary)
    shapes = [o.shape for o in inexact(func(*inputs))]
    for nr, at in enumerate(recorded):
        n, a = numerical[at][imaginary], analytical[at]
        assert n is not None
        if not close(a, n, settings.atol, settings.rtol):
            told = mismatch(a, n, nr, which, _MODE, settings, t.shape, shapes[at])
            raise GradcheckError(part_prefix(t, imaginary, "inputs") + told)


def _compare_direction(
    func: Any, inputs: tuple[Any, ...], i: int, which: int, recorded: list[int], imaginary: bool, settings: Settings
) -> None:
    """Fast mode: the tangent of one random direction."""
    t = inputs[i]
    u = direction(np.random.default_rng(0), t.numel())
    step = (u * (1j if imaginary else 1)).astype(t._array.dtype).reshape(t._array.shape)
    changes = difference(func, inputs, memory_of(t), ..., settings.eps * step, settings.eps)
    analytical = _tangents(func, inputs, i, step)
    for nr, at in enumerate(recorded):
        n, a = changes[at].reshape(-1), analytical[at]
        if not close(a, n, settings.atol * float(u.sum()), settings.rtol):
            full_n = numerical_jacobian(func, inputs, t, settings.eps)[at][imaginary]
            assert full_n is not None
            full_a = _jacobians(func, inputs, i, imaginary)[at]
            told = mismatch(a, n, nr, which, _MODE, settings)
            slowly = in_slow_mode(full_a, full_n, settings, t.shape, changes[at].shape)
            raise GradcheckError(part_prefix(t, imaginary, "inputs") + told + slowly)


def check_undefined_forward(func: Callable[..., Any], inputs: tuple[Any, ...]) -> None:
    """An input without a tangent must count as one whose tangent is zero."""
    from .. import forward_ad  # loaded when first used

    random = np.random.default_rng(0)
    wanted = [i for i, t in enumerate(inputs) if is_tensor(t) and t.requires_grad]

    def tangents(duals: list[Any]) -> list[Any]:
        return [forward_ad.unpack_dual(o).tangent for o in inexact(func(*duals))]

    with forward_ad.dual_level():
        duals = list(inputs)
        for i in wanted:
            t = inputs[i].detach()
            duals[i] = forward_ad.make_dual(t, as_tensor(sample(random, t._array.shape, t._array.dtype)))
        for i in wanted:
            t = inputs[i].detach()
            of_zero = tangents([*duals[:i], forward_ad.make_dual(t, t.new_zeros(t.shape)), *duals[i + 1 :]])
            of_none = tangents([*duals[:i], t, *duals[i + 1 :]])
            for nr, (one, other) in enumerate(zip(of_zero, of_none)):
                if one is not None and other is not None and not np.allclose(values_of(one), values_of(other)):
                    raise GradcheckError(
                        "Mismatch in tangent values for output with index: ", nr, " when input: ", inputs[i],
                        " has an undefined tangent value. ", " Got: ", one, " but expected: ", other,
                    )  # fmt: skip


_BATCHED = (
    "\n\ngradcheck failed while testing batched gradient computation with forward-mode AD.\nThe function was run "
    "inside vmap, on tangents that are batches of two; check_batched_forward_grad=False leaves this out.\n"
)


def check_batched_forward(func: Callable[..., Any], inputs: tuple[Any, ...]) -> None:
    """The tangents for two directions at once must be those for each of them alone."""
    from ...func import vmap  # loaded when first used

    which = -1
    for i, t in enumerate(inputs):
        if not (is_tensor(t) and t.requires_grad):
            continue
        which += 1
        tangents = two_like(t)
        single = [_pushed(func, inputs, i, tangent) for tangent in tangents]

        def together(tangent: Any, i: int = i) -> tuple[Any, ...]:
            state.modes.levels[-1].implicit = True
            return tuple(_pushed(func, inputs, i, tangent))

        try:
            batched = vmap(together)(tangents)
        except RandomnessError as e:
            raise GradcheckError(
                "While computing batched gradients, got: vmap: We do not yet support calling random operations inside "
                f"of vmap. Please perform random operations outside of vmap as a workaround{_BATCHED}"
            ) from e
        except RuntimeError as e:
            raise GradcheckError(f"While computing batched gradients, got: {e}{_BATCHED}") from e
        for nr, (both, *alone) in enumerate(zip(batched, *single)):
            same_in_batches(both, alone, nr, which, _BATCHED)
