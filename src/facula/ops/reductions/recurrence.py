"""Linear recurrences as primitives (see ``arrays.recurrence``), and products without dividing."""

from __future__ import annotations

from typing import Any

from ..arrays import recurrence
from ..machine import batching
from ..machine.any_state import wrap
from ..machine.primitive import primitive
from ..machine.rules import in_both_namespaces

shift_op = primitive("ShiftBackward0", kind="linear", batch=batching.moved_dimensions)(recurrence.shift)
shift_op.vjp(input=lambda g, dim, by, xp: xp.shift(g, dim, -by))

recur_op = primitive("RecurBackward0", batch=batching.moved_dimensions)(recurrence.recur)


@recur_op.vjp("source")
def recur_gradient_of_source(g: Any, factor: Any, dim: int, reverse: bool, xp: Any) -> Any:
    return xp.recur(g, xp.conj(factor), dim, not reverse)


@recur_op.vjp("factor")
def recur_gradient_of_factor(g: Any, factor: Any, out: Any, dim: int, reverse: bool, xp: Any) -> Any:
    adjoint = xp.recur(g, xp.conj(factor), dim, not reverse)
    if reverse:
        return xp.shift(adjoint, dim, 1) * xp.conj(out)
    return adjoint * xp.conj(xp.shift(out, dim, 1))


in_both_namespaces(
    "unit_along", recurrence.unit_along, lambda t, dim, last: wrap(recurrence.unit_along(t._array, dim, last))
)


def products_before(x: Any, dim: int, xp: Any) -> Any:
    """For each element the product of those before it along a dimension."""
    return xp.recur(xp.unit_along(x, dim, False), xp.shift(x, dim, 1), dim, False)


def products_of_others(x: Any, dim: int, xp: Any) -> Any:
    """For each element the product of all others along a dimension."""
    after = xp.recur(xp.unit_along(x, dim, True), x, dim, True)
    return products_before(x, dim, xp) * after
