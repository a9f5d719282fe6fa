"""How a node of a graph lowers, by the record of its operator.

``Primitive.lowering`` is an expression in the names of the operator's parameters, or a function of its attributes that
returns one (or None: not with these attributes). What the expression is made of decides its form:

- operations on elements: part of a loop. ``"input"`` alone is the array itself, cast if the dtype is another one;
- a reduction in it (``"sum(input)"``; its dimensions and ``keepdim`` are the attributes of that name): the end of a
  loop;
- one product (``"input + mat1 @ mat2"``): a call of the library's, then a loop for the rest;
- ``"library"``: a kernel of the native library, or C that its family writes, see ``library``.

Views need no word: what they do to strides is tried on an array. Everything else is a call of the NumPy kernel.
"""

from __future__ import annotations

import functools
import inspect
import math
from typing import Any, NamedTuple

import numpy as np

from ..._core import dtypes
from ...ops.machine.elementwise import Elementwise
from ...ops.machine.primitive import Primitive
from ...ops.machine.rule import unwrapped
from .scalars import (
    BOOL,
    C_TYPES,
    SPELLINGS,
    Tree,
    can_be_written,
    names_in,
    numbers_in,
    operations,
    parsed,
    with_numbers,
)

REDUCTIONS = {"sum": "sum", "mean": "sum", "prod": "prod", "amax": "amax", "amin": "amin", "any": "any", "all": "all"}
_CONDITIONS = ("condition", "mask")
"""Operands that stay bool."""


class Lowered(NamedTuple):
    tree: Tree
    """In names of tensors; numbers are in it."""
    operands: dict[str, Any]
    """The nodes that names stand for."""
    dtype: np.dtype[Any]
    """What elements are computed in."""
    dims: tuple[int, ...] | None = None
    """Of a reduction: the dimensions that it takes away; None: all."""


def arguments(node: Any) -> dict[str, Any]:
    """The arguments of a call by name, those included that were left to their defaults."""
    op = node.target
    names = [*op.tensor_names, *op.attribute_names]
    given = dict(zip(names, node.args))
    if len(node.args) < len(names):
        given = {**_defaults(op), **given}
    return given


@functools.cache
def _defaults(op: Primitive) -> dict[str, Any]:
    if isinstance(op.kernel, np.ufunc):
        return {}
    parameters = inspect.signature(unwrapped(op.kernel)).parameters
    return {name: p.default for name, p in parameters.items() if p.default is not p.empty}


def lowered(node: Any, result: Any = None) -> Lowered | None:
    """What a call comes to in operations on elements; None if it does not.

    ``result``: the node that takes one of several results, each of which has its expression.
    """
    op = node.target
    text, made = op.lowering, node
    if result is not None and isinstance(text, tuple):
        text, made = text[result.args[1]], result
    if text is None or op.variadic:
        return None
    given = arguments(node)
    if callable(text):
        text = text(**{name: _given(name, given) for name in inspect.signature(text).parameters})
    if not isinstance(text, str) or text in ("library", "view"):
        return None
    tree = parsed(text)
    tensors: dict[str, Any] = {}
    numbers: dict[str, Any] = {}
    for name in names_in(tree):
        value = given[name]
        if hasattr(value, "meta") or isinstance(value, np.ndarray):
            tensors[name] = value
        elif isinstance(value, (bool, int, float)):
            numbers[name] = value
        else:
            return None
    tree = with_numbers(tree, numbers)
    dtype = computed_in(op, made, tensors, given)
    inner = reduction_in(tree)
    dims = None
    if inner is not None:
        dtype = made.meta["dtype"]
        dims = _dims(given, {name: tensors[name] for name in names_in(inner)})
        if (inner[0] == "mean" and dtype.kind != "f") or (inner[0] in ("any", "all") and dtype != BOOL):
            return None
    if any(d not in C_TYPES for d in (dtype, made.meta["dtype"], *[dtype_of(t) for t in tensors.values()])):
        return None
    if dtype.kind != "f" and any(n != n or n in (math.inf, -math.inf) or n != int(n) for n in numbers_in(tree)):
        return None
    if not _can_be_written(tree, dtype) or not _casts_are_safe(tensors, dtype, made.meta["dtype"]):
        return None
    return Lowered(tree, tensors, dtype, dims)


def _given(name: str, given: dict[str, Any]) -> Any:
    """An argument, or an aspect of one: ``input_size``."""
    if name in given:
        return given[name]
    base, _, what = name.rpartition("_")
    return {"size": math.prod(shape_of(given[base])), "shape": shape_of(given[base])}[what]


def reduction_in(tree: Tree) -> Any:
    """The reduction that an expression holds, if it does."""
    if tree[0] in REDUCTIONS and len(tree) == 2:
        return tree
    if tree[0] in ("name", "number"):
        return None
    return next((found for t in tree[1:] if (found := reduction_in(t)) is not None), None)


def dtype_of(thing: Any) -> np.dtype[Any]:
    found: np.dtype[Any] = thing.dtype if isinstance(thing, np.ndarray) else thing.meta["dtype"]
    return found


def shape_of(thing: Any) -> tuple[int, ...]:
    return tuple(thing.shape if isinstance(thing, np.ndarray) else thing.meta["shape"])


def computed_in(op: Primitive, node: Any, tensors: dict[str, Any], given: dict[str, Any]) -> np.dtype[Any]:
    """The dtype that an operator's tensors are promoted to."""
    if isinstance(op, Elementwise) and op.promote != "compare":
        return node.meta["dtype"]
    counted = {n: t for n, t in tensors.items() if n not in _CONDITIONS}
    if not counted:
        return node.meta["dtype"]
    if not isinstance(op, Elementwise):
        return node.meta["dtype"] if node.meta["dtype"].kind == "f" else np.result_type(
            *[dtype_of(t) for t in counted.values()])  # fmt: skip
    found: list[Any] = [None, None, None]
    for name in [*op.tensor_names, *[op.attribute_names[i] for i in op.scalars]]:
        thing = given.get(name)
        if name in tensors:
            at, d = (0 if shape_of(thing) else 1), dtypes.of_array(np.empty(0, dtype_of(thing)))
        elif isinstance(thing, (bool, int, float)):
            at, d = 2, dtypes.of_scalar(thing)
        else:
            continue
        found[at] = d if found[at] is None else dtypes.promote_types(found[at], d)
    promoted: np.dtype[Any] = dtypes.result_dtype(*found).numpy
    return promoted


def _dims(given: dict[str, Any], tensors: dict[str, Any]) -> tuple[int, ...] | None:
    """The dimensions that a reduction takes away; None: all."""
    dim = given.get("dim")
    if dim is None:
        return None
    ndim = len(np.broadcast_shapes(*[shape_of(t) for t in tensors.values()]))
    dims = (dim,) if isinstance(dim, int) else tuple(dim)
    return tuple(sorted({d % ndim for d in dims})) if dims and ndim else None


def _can_be_written(tree: Tree, dtype: np.dtype[Any]) -> bool:
    for op in operations(tree) - {"matmul", *REDUCTIONS}:
        if op not in SPELLINGS:
            return False
        if op in ("and", "or", "xor", "not", "where"):
            continue
        if not can_be_written(op, dtype):
            return False
    return True


def _casts_are_safe(tensors: dict[str, Any], dtype: np.dtype[Any], result: np.dtype[Any]) -> bool:
    """Real numbers become whole ones only where C and NumPy agree: in int64, and as bools."""
    pairs = [(dtype_of(t), dtype) for name, t in tensors.items() if name not in _CONDITIONS] + [(dtype, result)]
    return all(not (a.kind == "f" and b.kind in "iu" and b.itemsize < 8) for a, b in pairs)


def is_bare(tree: Tree) -> bool:
    return tree[0] == "name"


def names_conditions(name: str) -> bool:
    return name in _CONDITIONS


__all__ = ["BOOL", "Lowered", "arguments", "is_bare", "lowered", "names_conditions"]
