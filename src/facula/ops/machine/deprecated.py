"""Warnings that PyTorch gives once in the life of a program, unless ``set_warn_always(True)``."""

from __future__ import annotations

from typing import Any

from ..._core import state
from ...autograd.graph import warn_user
from .arguments import is_number

_given: set[str] = set()


def warn_once(text: str) -> None:
    """Warn at the user's line."""
    if text not in _given or state.warns_always:
        _given.add(text)
        warn_user(text)


def warn_of_lost_parts(source: Any, target: Any) -> None:
    """``source`` and ``target`` are NumPy's dtypes of a conversion that is asked for."""
    if source.kind == "c" and target.kind not in "cb":
        warn_once("Casting complex values to real discards the imaginary part")


def warn_of_old_overload(name: str, old: str, new: str) -> None:
    """A number may stand before the tensors that it multiplies. PyTorch warns of the first such call in a program."""
    if "overload" not in _given or state.warns_always:
        _given.add("overload")
        warn_user(
            f"This overload of {name} is deprecated:\n\t{name}({old})\nConsider using one of the following signatures "
            f"instead:\n\t{name}({new})",
        )


def warn_of_number_first(name: str, is_method: bool) -> None:
    """``add`` and ``sub`` with ``alpha`` before the tensor that it multiplies."""
    if is_method:
        warn_of_old_overload(name, "Number alpha, Tensor other", "Tensor other, *, Number alpha = 1")
    else:
        warn_of_old_overload(
            name, "Tensor input, Number alpha, Tensor other, *, Tensor out = None",
            "Tensor input, Tensor other, *, Number alpha = 1, Tensor out = None",
        )  # fmt: skip


def numbers_moved(
    name: str, tensors: tuple[str, ...], numbers: tuple[str, ...], args: tuple[Any, ...], is_method: bool
) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
    """Arguments of an older form, with numbers before the tensors that they multiply, as today's; None for others.

    ``value`` stands before the last two tensors; ``beta`` before the first and ``alpha`` before the last two, in
    methods both before the last two. ``alpha`` may be left out.
    """
    found = [is_number(a) for a in args]
    given = found.count(True)
    if not 1 <= given <= len(numbers) or len(args) != given + len(tensors):
        return None
    if is_method or numbers == ("value",):
        old = (tensors[0], *numbers[:given], *tensors[1:])
    else:
        old = (numbers[0], tensors[0], *numbers[1:given], *tensors[1:])
    if [n in numbers for n in old] != found:
        return None
    out = "" if is_method else ", *, Tensor out = None"
    shown, now = (old[1:], tensors[1:]) if is_method else (old, tensors)
    keywords = ", ".join(f"Number {n} = 1" for n in numbers) + out.replace(" *,", "")
    warn_of_old_overload(
        name, ", ".join(f"{'Number' if n in numbers else 'Tensor'} {n}" for n in shown) + out,
        ", ".join(f"Tensor {n}" for n in now) + ", *, " + keywords,
    )  # fmt: skip
    moved = dict(zip(old, args, strict=True))
    return tuple(moved[n] for n in tensors), {n: moved[n] for n in numbers[:given]}
