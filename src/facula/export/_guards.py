"""What an exported program is for: comparisons of sizes and values of its arguments, checked in each call.

A guard is (comparison, operand, operand). Operands are plain values, ``["size", input, dimension]``,
``["value", input]``, or ``[operator, operand, operand]``.
"""

from __future__ import annotations

import operator
from typing import Any

from ..nn.modules.module import Module

Guard = tuple[str, Any, Any]
_SIGNS = {
    "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "add": "+", "sub": "-", "mul": "*",
    "floordiv": "//", "mod": "%", "truediv": "/", "pow": "**",
}  # fmt: skip


class GuardsFn(Module):
    """Compares arguments with what a program was exported for."""

    def __init__(self, guards: list[Guard], names: list[str]) -> None:
        super().__init__()
        self.guards = guards
        self.names = names

    def forward(self, *leaves: Any) -> None:
        for name, a, b in self.guards:
            if not getattr(operator, name)(_value(a, leaves), _value(b, leaves)):
                raise AssertionError(f"Guard failed: {self._text(a)} {_SIGNS[name]} {self._text(b)}")

    def _text(self, operand: Any) -> str:
        match operand:
            case ["size", leaf, dim]:
                return f"{self.names[leaf]}.size()[{dim}]"
            case ["value", leaf]:
                return self.names[leaf]
            case [op, a, b]:
                shown = [f"({self._text(x)})" if isinstance(x, (list, tuple)) and x[0] in _SIGNS else self._text(x)
                         for x in (a, b)]  # fmt: skip
                return f" {_SIGNS[op]} ".join(shown)
        return repr(operand)


def _value(operand: Any, leaves: tuple[Any, ...]) -> Any:
    match operand:
        case ["size", leaf, dim]:
            shape = leaves[leaf].shape
            return shape[dim] if dim < len(shape) else None
        case ["value", leaf]:
            return leaves[leaf]
        case [op, a, b]:
            return getattr(operator, op)(_value(a, leaves), _value(b, leaves))
    return operand
