"""Kullback-Leibler divergences: the registry, and how a pair of distributions finds its formula."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

from .distribution import Distribution

__all__ = ["kl_divergence", "register_kl"]

_KL_REGISTRY: dict[tuple[type, type], Callable[..., Any]] = {}
_KL_MEMOIZE: dict[tuple[type, type], Callable[..., Any]] = {}


def register_kl(type_p: Any, type_q: Any) -> Callable[[Any], Any]:
    """A decorator: the function is KL(p || q) for these classes and those derived from them."""
    if not isinstance(type_p, type) or not isinstance(type_q, type):
        raise TypeError("issubclass() arg 1 must be a class")

    return partial(_register, (type_p, type_q))


def _register(pair: tuple[type, type], formula: Any) -> Any:
    _KL_REGISTRY[pair] = formula
    _KL_MEMOIZE.clear()  # what was the nearest formula may no longer be
    return formula


def _dispatch_kl(type_p: type, type_q: type) -> Any:
    """The formula of the nearest classes; a warning, if by p it is another one than by q."""
    of_p, of_q = ({kind: i for i, kind in enumerate(kind.__mro__)} for kind in (type_p, type_q))
    near = {(of_p[p], of_q[q]): found for (p, q), found in _KL_REGISTRY.items() if p in of_p and q in of_q}
    if not near:
        return NotImplemented
    by_p, by_q = min(near), min(near, key=lambda steps: steps[::-1])
    if near[by_p] is not near[by_q]:
        warnings.warn(
            f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). Please register_kl("
            f"{type_p.__mro__[by_p[0]].__name__}, {type_q.__mro__[by_q[1]].__name__})",
            RuntimeWarning,
            stacklevel=3,
        )
    return near[by_p]


def kl_divergence(p: Distribution, q: Distribution) -> Any:
    """KL(p || q), the mean under p of log p - log q."""
    kinds = type(p), type(q)
    if kinds not in _KL_MEMOIZE:
        _KL_MEMOIZE[kinds] = _dispatch_kl(*kinds)
    formula = _KL_MEMOIZE[kinds]
    if formula is NotImplemented:
        raise NotImplementedError(
            f"No KL(p || q) is implemented for p type {p.__class__.__name__} and q type {q.__class__.__name__}"
        )
    return formula(p, q)
