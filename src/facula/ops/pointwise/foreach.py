"""``_foreach_*``: one operation on each tensor of a list. Results are tuples; in-place forms give the list back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..._tensor import Tensor
from ..machine.errors import type_of
from ..machine.public import FUNCTIONS

UNARY = """
    abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg reciprocal round
    rsqrt sigmoid sign sin sinh sqrt tan tanh trunc
"""
BINARY = {
    "add": "add", "sub": "sub", "mul": "mul", "div": "div", "pow": "pow", "maximum": "clamp_min",
    "minimum": "clamp_max", "clamp_min": "clamp_min", "clamp_max": "clamp_max",
}  # fmt: skip
TERNARY = ("addcmul", "addcdiv")


def _tensors(name: str, value: Any, *others: Any) -> Any:
    """A list of tensors, as it must be the first argument."""
    if isinstance(value, Tensor) or not isinstance(value, Sequence):
        got = ", ".join(type_of(v) for v in (value, *others))
        raise TypeError(f"{name}() received an invalid combination of arguments - got ({got})")
    if not value:
        raise RuntimeError("Tensor list must have at least one tensor.")
    return value


def _matching(tensors: Sequence[Tensor], other: Any) -> Any:
    """Another list, or one value, as an operand for each tensor."""
    if not isinstance(other, (list, tuple)):
        return [other] * len(tensors)
    if len(other) != len(tensors):
        if other and isinstance(other[0], Tensor):
            raise RuntimeError(
                f"Tensor lists must have the same number of tensors, got {len(tensors)} and {len(other)}"
            )
        raise RuntimeError("Tensor list must have same number of elements as scalar list.")
    return other


def _scalars(tensors: Sequence[Tensor], value: Any) -> Any:
    """A factor for each tensor: a number for all, a list, or a 1-d tensor."""
    if isinstance(value, Tensor):
        value = value.tolist()
    return _matching(tensors, value)


def _provide(name: str, function: Callable[..., Any], inplace: Callable[..., Any] | None) -> None:
    FUNCTIONS[name] = function
    function.__name__ = function.__qualname__ = name
    if inplace is not None:
        FUNCTIONS[f"{name}_"] = inplace
        inplace.__name__ = inplace.__qualname__ = f"{name}_"


def _called(name: str, others: tuple[str, ...], function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, one of whose arguments may be given by other names as well."""

    def foreach(*args: Any, **named: Any) -> Any:
        return function(*args, **{name if key in others else key: value for key, value in named.items()})

    return foreach


def _unary(name: str) -> None:
    def foreach(self: Any) -> tuple[Tensor, ...]:
        return tuple(getattr(t, name)() for t in _tensors(f"_foreach_{name}", self))

    def foreach_(self: Any) -> Any:
        for t in _tensors(f"_foreach_{name}_", self):
            getattr(t, f"{name}_")()
        return self

    _provide(f"_foreach_{name}", foreach, foreach_)


def _binary(name: str, method: str) -> None:
    def one(t: Tensor, other: Any, alpha: Any) -> Tensor:
        result: Tensor = getattr(t, method)(other) if alpha == 1 else getattr(t, method)(other, alpha=alpha)
        return result

    def foreach(self: Any, other: Any, *, alpha: Any = 1) -> tuple[Tensor, ...]:
        if name == "pow" and not isinstance(self, (list, tuple)):
            return tuple(self**t for t in _tensors("_foreach_pow", other))
        pairs = zip(_tensors(f"_foreach_{name}", self, other), _matching(self, other))
        return tuple(one(t, value, alpha) for t, value in pairs)

    def foreach_(self: Any, other: Any, *, alpha: Any = 1) -> Any:
        for t, value in zip(_tensors(f"_foreach_{name}_", self, other), _matching(self, other)):
            if alpha == 1:
                getattr(t, f"{method}_")(value)
            else:
                getattr(t, f"{method}_")(value, alpha=alpha)
        return self

    names = ("exponent",) if name == "pow" else ("scalar", "scalars")  # each of PyTorch's overloads has its own
    _provide(f"_foreach_{name}", _called("other", names, foreach), _called("other", names, foreach_))


def _ternary(name: str) -> None:
    def quadruples(self: Any, tensor1: Any, tensor2: Any, scalars: Any, value: Any) -> Any:
        _tensors(f"_foreach_{name}", self)
        factors = _scalars(self, value if scalars is None else scalars)
        return zip(self, _matching(self, tensor1), _matching(self, tensor2), factors)

    def foreach(
        self: Any, tensor1: Any, tensor2: Any, scalars: Any = None, *, value: Any = 1
    ) -> tuple[Tensor, ...]:
        found = quadruples(self, tensor1, tensor2, scalars, value)
        return tuple(getattr(t, name)(a, b, value=factor) for t, a, b, factor in found)

    def foreach_(self: Any, tensor1: Any, tensor2: Any, scalars: Any = None, *, value: Any = 1) -> Any:
        for t, a, b, factor in quadruples(self, tensor1, tensor2, scalars, value):
            getattr(t, f"{name}_")(a, b, value=factor)
        return self

    _provide(f"_foreach_{name}", foreach, foreach_)


for _name in UNARY.split():
    _unary(_name)
for _name, _method in BINARY.items():
    _binary(_name, _method)
for _name in TERNARY:
    _ternary(_name)


def _lerp(self: Any, tensors1: Any, weight: Any) -> tuple[Tensor, ...]:
    triples = zip(_tensors("_foreach_lerp", self), _matching(self, tensors1), _matching(self, weight))
    return tuple(t.lerp(end, w) for t, end, w in triples)


def _lerp_(self: Any, tensors1: Any, weight: Any) -> Any:
    for t, end, w in zip(_tensors("_foreach_lerp_", self), _matching(self, tensors1), _matching(self, weight)):
        t.lerp_(end, w)
    return self


def _zero_(self: Any) -> Any:
    for t in _tensors("_foreach_zero_", self):
        t.zero_()
    return self


def _copy_(self: Any, src: Any, non_blocking: bool = False) -> Any:
    for t, value in zip(_tensors("_foreach_copy_", self), _matching(self, src)):
        t.copy_(value)
    return self


def _norm(self: Any, ord: Any = 2, dtype: Any = None) -> tuple[Tensor, ...]:
    norm = FUNCTIONS["norm"]
    return tuple(norm(t, ord, dtype=dtype) for t in _tensors("_foreach_norm", self))


def _powsum(self: Any, ord: Any = 2, dtype: Any = None) -> tuple[Tensor, ...]:
    return tuple(t.abs().pow(ord).sum(dtype=dtype) for t in _tensors("_foreach_powsum", self))


def _max(self: Any) -> tuple[Tensor, ...]:
    return tuple(t.max() for t in _tensors("_foreach_max", self))


def _clone(self: Any, memory_format: Any = None) -> tuple[Tensor, ...]:
    return tuple(t.clone() for t in _tensors("_foreach_clone", self))


def _mm(self: Any, mat2: Any) -> tuple[Tensor, ...]:
    return tuple(t.mm(other) for t, other in zip(_tensors("_foreach_mm", self), _matching(self, mat2)))


_provide("_foreach_lerp", _called("weight", ("weights",), _lerp), _called("weight", ("weights",), _lerp_))
_provide("_foreach_norm", _norm, None)
_provide("_foreach_powsum", _powsum, None)
_provide("_foreach_max", _max, None)
_provide("_foreach_clone", _clone, None)
_provide("_foreach_mm", _mm, None)
_provide("_foreach_zero_", _zero_, None)
_provide("_foreach_copy_", _copy_, None)
