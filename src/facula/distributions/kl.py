"""Kullback-Leibler divergences: the registry, and how a pair of distributions finds its formula."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from .distribution import Distribution

__all__ = ["kl_divergence", "register_kl"]

_KL_REGISTRY: dict[tuple[type, type], Callable[..., Any]] = {}
_KL_MEMOIZE: dict[tuple[type, type], Callable[..., Any]] = {}


def register_kl(type_p: Any, type_q: Any) -> Callable[[Any], Any]:
    """A decorator: the function is KL(p || q) for these classes and those derived from them."""
    if not isinstance(type_p, type) and issubclass(type_p, Distribution):
        raise TypeError(f"Expected type_p to be a Distribution subclass but got {type_p}")
    if not isinstance(type_q, type) and issubclass(type_q, Distribution):
        raise TypeError(f"Expected type_q to be a Distribution subclass but got {type_q}")

    def decorator(fun: Any) -> Any:
        _KL_REGISTRY[type_p, type_q] = fun
        _KL_MEMOIZE.clear()
        return fun

    return decorator


def _dispatch_kl(type_p: type, type_q: type) -> Any:
    """The formula of the nearest classes; a warning, if by p it is another one than by q."""
    matches = [(p, q) for p, q in _KL_REGISTRY if issubclass(type_p, p) and issubclass(type_q, q)]
    if not matches:
        return NotImplemented
    ancestors_p, ancestors_q = type_p.__mro__, type_q.__mro__
    left_p, left_q = min(matches, key=lambda m: (ancestors_p.index(m[0]), ancestors_q.index(m[1])))
    right_p, right_q = min(matches, key=lambda m: (ancestors_q.index(m[1]), ancestors_p.index(m[0])))
    left, right = _KL_REGISTRY[left_p, left_q], _KL_REGISTRY[right_p, right_q]
    if left is not right:
        warnings.warn(
            f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). Please register_kl({left_p.__name__}, "
            f"{right_q.__name__})",
            RuntimeWarning,
            stacklevel=2,
        )
    return left


def kl_divergence(p: Distribution, q: Distribution) -> Any:
    """KL(p || q), the mean under p of log p - log q."""
    key = type(p), type(q)
    fun = _KL_MEMOIZE.get(key)
    if fun is None:
        fun = _KL_MEMOIZE[key] = _dispatch_kl(*key)
    if fun is NotImplemented:
        raise NotImplementedError(
            f"No KL(p || q) is implemented for p type {p.__class__.__name__} and q type {q.__class__.__name__}"
        )
    return fun(p, q)


from . import _kl_formulas, _kl_same_family  # noqa: E402, F401
