"""Operations on single elements: how C and NumPy spell each of them, and expressions made of them.

An operator's record gives its ``lowering`` as an expression in the names of its parameters, in Python's own syntax
(``"where(input > 0, input, input * negative_slope)"``). It becomes a list of statements, each one operation on
elements; a fused loop is such a list, which C writes as a loop and NumPy as a sequence of ufuncs.
"""

from __future__ import annotations

import ast
import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

BOOL = np.dtype(bool)
C_TYPES = {
    np.dtype(name): c
    for name, c in {
        "float32": "float", "float64": "double", "int64": "int64_t", "int32": "int32_t", "int16": "int16_t",
        "int8": "int8_t", "uint8": "uint8_t", "bool": "_Bool",
    }.items()
}  # fmt: skip
"""The dtypes that loops in C know. Arrays of others are left to NumPy's kernels."""


def c_type(dtype: np.dtype[Any]) -> str:
    """Elements of other dtypes are only moved: anything of their size will do."""
    return C_TYPES.get(dtype) or {1: "int8_t", 2: "int16_t", 4: "int32_t", 8: "int64_t", 16: "__int128"}[dtype.itemsize]


class Spelling(NamedTuple):
    numpy: str
    """A ufunc, or a function of the same form that takes ``out=``."""
    real: str | None
    """In C, of float32 and float64; ``{f}`` is f32 or f64, ``{l}`` what names of libm end with."""
    whole: str | None = None
    """In C, of integers."""
    logical: str | None = None
    """In C, of bools."""
    answers: bool = False
    """Whether the result is a bool."""
    cost: float = 0.1
    """ns for an element of a large array, about."""


def _libm(name: str, numpy: str, cost: float = 5.0) -> Spelling:
    return Spelling(numpy, f"{name}{{l}}({{0}})", cost=cost)


_SELECT = "{0} ? {1} : {2}"

SPELLINGS: dict[str, Spelling] = {
    "add": Spelling("add", "{0} + {1}", "{0} + {1}", "{0} | {1}"),
    "sub": Spelling("subtract", "{0} - {1}", "{0} - {1}"),
    "mul": Spelling("multiply", "{0} * {1}", "{0} * {1}", "{0} & {1}"),
    "div": Spelling("divide", "{0} / {1}"),
    "neg": Spelling("negative", "-{0}", "-{0}"),
    "abs": Spelling("absolute", "absolute_{f}({0})", "{0} < 0 ? -{0} : {0}"),
    "maximum": Spelling("maximum", "larger_{f}({0}, {1})", "{0} > {1} ? {0} : {1}", "{0} | {1}"),
    "minimum": Spelling("minimum", "smaller_{f}({0}, {1})", "{0} < {1} ? {0} : {1}", "{0} & {1}"),
    "fmax": Spelling("fmax", "fmax{l}({0}, {1})", "{0} > {1} ? {0} : {1}", "{0} | {1}"),
    "fmin": Spelling("fmin", "fmin{l}({0}, {1})", "{0} < {1} ? {0} : {1}", "{0} & {1}"),
    "lt": Spelling("less", "{0} < {1}", "{0} < {1}", "{0} < {1}", answers=True),
    "le": Spelling("less_equal", "{0} <= {1}", "{0} <= {1}", "{0} <= {1}", answers=True),
    "gt": Spelling("greater", "{0} > {1}", "{0} > {1}", "{0} > {1}", answers=True),
    "ge": Spelling("greater_equal", "{0} >= {1}", "{0} >= {1}", "{0} >= {1}", answers=True),
    "eq": Spelling("equal", "{0} == {1}", "{0} == {1}", "{0} == {1}", answers=True),
    "ne": Spelling("not_equal", "{0} != {1}", "{0} != {1}", "{0} != {1}", answers=True),
    "and": Spelling("logical_and", "{0} != 0 && {1} != 0", "{0} != 0 && {1} != 0", "{0} & {1}", answers=True),
    "or": Spelling("logical_or", "{0} != 0 || {1} != 0", "{0} != 0 || {1} != 0", "{0} | {1}", answers=True),
    "xor": Spelling("logical_xor", "({0} != 0) ^ ({1} != 0)", "({0} != 0) ^ ({1} != 0)", "{0} ^ {1}", answers=True),
    "not": Spelling("logical_not", "{0} == 0", "{0} == 0", "!{0}", answers=True),
    "bit_and": Spelling("bitwise_and", None, "{0} & {1}", "{0} & {1}"),
    "bit_or": Spelling("bitwise_or", None, "{0} | {1}", "{0} | {1}"),
    "bit_xor": Spelling("bitwise_xor", None, "{0} ^ {1}", "{0} ^ {1}"),
    "bit_not": Spelling("invert", None, "~{0}", "!{0}"),
    "where": Spelling("where", _SELECT, _SELECT, _SELECT),
    "exp": Spelling("exp", "exponential_{f}({0})", cost=0.35),
    "log": Spelling("log", "logarithm_{f}({0})", cost=0.5),
    "tanh": Spelling("tanh", "hyperbolic_tangent_{f}({0})", cost=0.5),
    "sigmoid": Spelling("sigmoid", "sigmoid_{f}({0})", cost=0.5),
    "erf": Spelling("erf", "error_function_{f}({0})", cost=0.8),
    "erf_with": Spelling("erf", "error_function_with_{f}({0}, {1})", cost=0.5),
    "sqrt": Spelling("sqrt", "sqrt{l}({0})", cost=0.3),
    "reciprocal": Spelling("reciprocal", "1 / {0}"),
    "square": Spelling("square", "{0} * {0}", "{0} * {0}"),
    "sign": Spelling("sign", "sign_{f}({0})", "({0} > 0) - ({0} < 0)"),
    "floor": Spelling("floor", "floor{l}({0})", "{0}"),
    "ceil": Spelling("ceil", "ceil{l}({0})", "{0}"),
    "trunc": Spelling("trunc", "trunc{l}({0})", "{0}"),
    "rint": Spelling("rint", "rint{l}({0})", "{0}"),
    "copysign": Spelling("copysign", "with_sign_{f}({0}, {1})"),
    "isnan": Spelling("isnan", "{0} != {0}", answers=True),
    "isinf": Spelling("isinf", "absolute_{f}({0}) == INFINITY", answers=True),
    "isfinite": Spelling("isfinite", "absolute_{f}({0}) < INFINITY", answers=True),
    "signbit": Spelling("signbit", "__builtin_signbit({0}) != 0", answers=True),
    "pow": Spelling("power", "pow{l}({0}, {1})", cost=15.0),
    "atan2": Spelling("arctan2", "atan2{l}({0}, {1})", cost=10.0),
    "hypot": Spelling("hypot", "hypot{l}({0}, {1})", cost=3.0),
    "sin": _libm("sin", "sin"), "cos": _libm("cos", "cos"), "tan": _libm("tan", "tan"),
    "asin": _libm("asin", "arcsin"), "acos": _libm("acos", "arccos"), "atan": _libm("atan", "arctan"),
    "sinh": _libm("sinh", "sinh"), "cosh": _libm("cosh", "cosh"), "asinh": _libm("asinh", "arcsinh"),
    "acosh": _libm("acosh", "arccosh"), "atanh": _libm("atanh", "arctanh"), "exp2": _libm("exp2", "exp2"),
    "expm1": _libm("expm1", "expm1"), "log2": _libm("log2", "log2"), "log10": _libm("log10", "log10"),
    "log1p": _libm("log1p", "log1p"),
}  # fmt: skip


class Statement(NamedTuple):
    """One operation on elements. ``args`` are places of earlier statements; ``what`` is a constant's value, or which of
    the arrays that a loop reads."""

    op: str
    args: tuple[int, ...]
    dtype: np.dtype[Any]
    what: Any = None


def can_be_written(op: str, dtype: np.dtype[Any]) -> bool:
    """Whether C has it for operands of a dtype."""
    spelling = SPELLINGS[op]
    return _form(spelling, dtype) is not None and dtype in C_TYPES


def _form(spelling: Spelling, dtype: np.dtype[Any]) -> str | None:
    return spelling.real if dtype.kind == "f" else spelling.logical if dtype.kind == "b" else spelling.whole


def in_c(op: str, dtype: np.dtype[Any], operands: list[str]) -> str:
    """An operation on operands of a dtype."""
    form = _form(SPELLINGS[op], dtype)
    assert form is not None, (op, dtype)
    return form.format(*operands, f="f32" if dtype.itemsize == 4 else "f64", l="f" if dtype.itemsize == 4 else "")


def literal(value: Any, dtype: np.dtype[Any]) -> str:
    """A number in C, exactly as the dtype holds it."""
    if dtype.kind == "b":
        return "1" if value else "0"
    if dtype.kind != "f":
        return str(int(value)) + ("LL" if dtype.itemsize == 8 else "")
    number = dtype.type(value)
    suffix = "f" if dtype.itemsize == 4 else ""
    if np.isnan(number):
        return f"(({C_TYPES[dtype]})NAN)"
    if np.isinf(number):
        return "(-INFINITY)" if number < 0 else "INFINITY"
    text = repr(number.item()) if suffix == "" else str(number)
    if "." not in text and "e" not in text:
        text += ".0"
    return f"({text}{suffix})" if text.startswith("-") else text + suffix


# ---- expressions

_BINARY = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.Pow: "pow", ast.BitAnd: "and",
    ast.BitOr: "or", ast.BitXor: "xor", ast.MatMult: "matmul",
}  # fmt: skip
_COMPARED = {
    ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne",
}  # fmt: skip
_ON_NUMBERS: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "div": lambda a, b: a / b,
    "pow": lambda a, b: a**b, "neg": lambda a: -a, "sqrt": math.sqrt, "log": math.log, "exp": math.exp,
}  # fmt: skip

Tree = tuple[Any, ...]
"""("name", name), ("number", value), or an operation and its operands, which are trees."""


@functools.cache
def parsed(text: str) -> Tree:
    return _tree(ast.parse(text, mode="eval").body)


def _tree(node: ast.expr) -> Tree:
    match node:
        case ast.Name():
            return ("number", {"inf": math.inf, "nan": math.nan}[node.id]) if node.id in ("inf", "nan") else (
                "name", node.id)  # fmt: skip
        case ast.Constant():
            return "number", node.value
        case ast.UnaryOp(op=ast.USub()):
            inner = _tree(node.operand)
            return ("number", -inner[1]) if inner[0] == "number" else ("neg", inner)
        case ast.UnaryOp(op=ast.Invert()):
            return "not", _tree(node.operand)
        case ast.BinOp():
            return _BINARY[type(node.op)], _tree(node.left), _tree(node.right)
        case ast.Compare():
            return _COMPARED[type(node.ops[0])], _tree(node.left), _tree(node.comparators[0])
        case ast.Call(func=ast.Name()):
            return node.func.id, *[_tree(arg) for arg in node.args]  # type: ignore[attr-defined]
    raise SyntaxError(f"{ast.unparse(node)} is no expression on elements")


def with_numbers(tree: Tree, numbers: dict[str, Any]) -> Tree:
    """Numbers in the place of names; what is made of numbers alone is computed, in Python's precision."""
    if tree[0] == "name":
        return ("number", numbers[tree[1]]) if tree[1] in numbers else tree
    if tree[0] == "number":
        return tree
    operands = [with_numbers(operand, numbers) for operand in tree[1:]]
    if tree[0] in _ON_NUMBERS and all(operand[0] == "number" for operand in operands):
        return "number", _ON_NUMBERS[tree[0]](*[operand[1] for operand in operands])
    return tree[0], *operands


def names_in(tree: Tree) -> list[str]:
    """Each once, in the order of the expression: programs are known again by their texts."""
    if tree[0] in ("name", "number"):
        return [tree[1]] if tree[0] == "name" else []
    return [*dict.fromkeys([name for operand in tree[1:] for name in names_in(operand)])]


def numbers_in(tree: Tree) -> list[Any]:
    if tree[0] in ("name", "number"):
        return [tree[1]] if tree[0] == "number" else []
    return [number for operand in tree[1:] for number in numbers_in(operand)]


def operations(tree: Tree) -> set[str]:
    if tree[0] in ("name", "number"):
        return set()
    return {tree[0]}.union(*[operations(operand) for operand in tree[1:]])


def product_in(tree: Tree) -> Any:
    """The product that an expression holds, if it does."""
    if tree[0] == "matmul":
        return tree
    if tree[0] in ("name", "number"):
        return None
    return next((found for t in tree[1:] if (found := product_in(t)) is not None), None)


def replaced(tree: Tree, what: Tree, by: Tree) -> Any:
    if tree is what:
        return by
    return tree if tree[0] in ("name", "number") else (tree[0], *[replaced(t, what, by) for t in tree[1:]])
