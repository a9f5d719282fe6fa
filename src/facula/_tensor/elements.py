"""The elements behind tensors: for checks of values, and for decisions that depend on them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._core import devices, state


def elements(t: Any) -> Any:
    """The array behind a tensor, under whatever wrappings of transforms: for checks of values, never for results."""
    while t.wraps:
        t = t._inside
    return t._array


def known(t: Any) -> Any:
    """A tensor's array, of the values if it is a dual; of a batch's tensor nothing is known before its items are."""
    while t.wraps and t._known() is not t:
        t = t._known()
    return t._array


def check_elements(t: Any, check: Callable[..., None], *args: Any) -> None:
    """``check(array, *args)``, which raises if elements are not what they must be. A program does so in every call."""
    while t.wraps:
        t = t._inside
    if state.special and state.modes.capture is not None:
        state.modes.capture.test(t, check, args)
    elif t._array.__class__ is not devices.MetaArray:
        check(t._array, *args)


def learned(t: Any, fn: Callable[..., Any], *args: Any) -> Any:
    """``fn(array, *args)``, which decides what to do. A program is for calls in which it finds the same."""
    while t.wraps:
        t = t._inside
    if state.special and state.modes.capture is not None:
        return state.modes.capture.learned(t, fn, args)
    return fn(t._array, *args)


def computed(t: Any, fn: Callable[[Any], Any]) -> Any:
    """``fn`` of a tensor's array, for constants: indices and such. Leading dimensions must not matter to it."""
    if state.special and state.modes.capture is not None and not t.wraps:
        return state.modes.capture.computed(t, fn)
    return t._computed(fn) if t.wraps else fn(t._array)
