"""The chain rule at one node: what its gradient is multiplied by, as a formula and with its numbers.

``g`` is the gradient that arrives, ``{name}`` something that the node saved, ``[ ]`` holds a note. Nodes that are not
in the table show the text of their own rule.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from functools import cache
from typing import Any

import numpy as np

from .._tensor import Tensor
from .values import number

SAME = "g"

FORMULAS: dict[str, tuple[str, ...]] = {
    "Abs": ("g · sign({self})",),
    "Add": (SAME, "g · {alpha}"),
    "Addmm": ("g [summed over rows]", "g @ {mat2}ᵀ", "{mat1}ᵀ @ g"),
    "Bmm": ("g @ {mat2}ᵀ", "{self}ᵀ @ g"),
    "Cat": tuple(["g [its own part]"] * 64),
    "Clamp": ("g [where {min} ≤ {self} ≤ {max}, else 0]",),
    "Clone": (SAME,),
    "Cos": ("g · −sin({self})",),
    "Div": ("g / {other}", "−g · {self} / {other}²"),
    "Dot": ("g · {tensor}", "g · {self}"),
    "Exp": ("g · {result}",),
    "Expand": ("g [summed to the shape it had]",),
    "Log": ("g / {self}",),
    "LogSoftmax": ("g − exp({result}) · Σg",),
    "Mean": ("g / {self_sym_numel}",),
    "Mm": ("g @ {mat2}ᵀ", "{self}ᵀ @ g"),
    "MseLoss": ("g · 2({self} − {target}) [/ n for the mean]", "−g · 2({self} − {target}) [/ n for the mean]"),
    "Mul": ("g · {other}", "g · {self}"),
    "Mv": ("g ⊗ {vec}", "{self}ᵀ @ g"),
    "Neg": ("−g",),
    "NllLoss": ("−g [at the class of each row, / n for the mean]",),
    "Permute": ("g [permuted back]",),
    "Pow": ("g · {exponent} · {self}^({exponent} − 1)", "g · {result} · ln({self})"),
    "Reciprocal": ("−g · {result}²",),
    "Relu": ("g [where {result} > 0, else 0]",),
    "Rsqrt": ("g · −{result}³ / 2",),
    "Rsub": ("−g · {alpha}",),
    "Select": ("g [at index {index}, else 0]",),
    "Sigmoid": ("g · {result} · (1 − {result})",),
    "Silu": ("g · σ({self}) · (1 + {self}(1 − σ({self})))",),
    "Sin": ("g · cos({self})",),
    "Slice": ("g [in its slice, else 0]",),
    "Softmax": ("({result} · g) − {result} · Σ({result} · g)",),
    "Sqrt": ("g / (2 · {result})",),
    "Squeeze": ("g [reshaped]",),
    "Stack": tuple(["g [its own part]"] * 64),
    "Sub": (SAME, "−g · {alpha}"),
    "Sum": ("g [for every element]",),
    "T": ("gᵀ",),
    "Tanh": ("g · (1 − {result}²)",),
    "Transpose": ("gᵀ",),
    "UnsafeView": ("g [reshaped]",),
    "Unsqueeze": ("g [reshaped]",),
    "View": ("g [reshaped]",),
    "Where": ("g [where the condition holds, else 0]", "g [where the condition does not hold, else 0]"),
}
_ONLY_ONE = {"PowBackward2": ("g · {result} · ln({self})",)}


def formula(node: Any, edge: int) -> str:
    """What goes along an edge, in terms of ``g`` and of what was saved."""
    cls: Any = type(node)
    name = cls.__name__
    known = _ONLY_ONE.get(name) or FORMULAS.get(re.sub(r"Backward\d*$", "", name), ())
    return known[edge] if edge < len(known) else _text_of_rule(cls, edge)


def plain(text: str) -> str:
    """A formula as it is read."""
    return re.sub(r"[{}]", "", text.replace("{self_sym_numel}", "n"))


def with_numbers(text: str, saved: dict[str, Any], incoming: Any, outgoing: Any) -> str:
    """A formula with the values of the first elements, where there is one for each element; else ''."""
    if incoming is None or outgoing is None or not np.size(incoming):
        return ""
    if np.shape(incoming) != np.shape(outgoing) and np.size(incoming) > 1:
        return ""
    text = re.sub(r" ?\[[^]]*\]", "", text)
    if re.search(r"[@⊗Σᵀ]", text) or not ("{" in text or text == "−g"):
        return ""
    missing = False

    def value(match: re.Match[str]) -> str:
        nonlocal missing
        held = saved.get(match[1])
        array = held._array if isinstance(held, Tensor) else held
        if array is None or isinstance(array, (str, tuple)) or np.size(array) not in (1, np.size(incoming)):
            missing = True
            return "?"
        return _told(np.asarray(array).reshape(-1)[0])

    text = re.sub(r"\{(\w+)\}", value, text)
    text = re.sub(r"(?<![\w])g(?![\w])", _told(np.asarray(incoming).reshape(-1)[0]), text)
    return "" if missing else f"{text} = {_told(np.asarray(outgoing).reshape(-1)[0])}"


def _told(value: Any) -> str:
    if np.iscomplexobj(value):
        return f"({value:.4g})"
    shown = number(float(value))
    text = shown if isinstance(shown, str) else f"{shown:.4g}".replace("-", "−")
    return f"({text})" if text.startswith(("−", "-")) else text


@cache
def _text_of_rule(cls: Any, edge: int) -> str:
    """The rule itself, from the operator's declaration."""
    op: Any = getattr(cls, "primitive", None)
    rules = getattr(op, "rules", None)
    if not rules:
        return ""
    names = [op.tensor_names[i] for i in op.differentiable]
    rule = rules.get(names[edge] if edge < len(names) else names[-1])
    if rule is None:
        return ""
    gradient = getattr(rule, "op", None)
    if gradient is not None:
        return f"{gradient.name}({', '.join(rule.arguments)})"
    return _text_of_lambda(rule.fn) or f"{rule.fn.__name__}({', '.join(['g', *rule.sources])})"


def _text_of_lambda(fn: Any) -> str:
    if fn.__name__ != "<lambda>":
        return ""
    try:
        source = textwrap.dedent(inspect.getsource(fn)).strip().rstrip(",")
    except (OSError, TypeError):
        return ""
    for text in (source, f"_({source})", source.rstrip(")"), f"_({source.rstrip(')')})"):
        try:
            tree = ast.parse(text)
        except SyntaxError:
            continue
        for found in ast.walk(tree):
            if isinstance(found, ast.Lambda) and [a.arg for a in found.args.args] == list(
                fn.__code__.co_varnames[: fn.__code__.co_argcount]
            ):
                return re.sub(r"\bxp\.", "", ast.unparse(found.body))
    return ""
