"""A program: statements as text, and the script that shows one to a reader."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .functions import SOURCES

HEAD = """\
import torch
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint
"""


_WRITTEN = """
F.linear quantile one_hot isclose vector_norm layer( Linear corrcoef cov( trapezoid isfinite inference matrix_norm
""".split()


@dataclass
class Program:
    """``inputs`` is how many of the first statements make the tensors that the program starts with."""

    statements: list[str] = field(default_factory=list)
    inputs: int = 0

    def without(self, places: range) -> Program:
        kept = [s for i, s in enumerate(self.statements) if i not in places]
        return Program(kept, self.inputs - sum(i < self.inputs for i in places))

    def sources(self) -> list[str]:
        """Those of the Functions that it uses."""
        return [source for name, source in SOURCES.items() if any(mentions(s, name) for s in self.statements)]

    def script(self) -> str:
        uses_log = any("log" in s for s in self.statements)
        return "\n".join([HEAD, *self.sources(), *(["log = []"] if uses_log else []), *self.statements])

    def transforms(self) -> bool:
        """Whether it transforms functions, or computes with duals."""
        words = ("torch.func", "torch.autograd.f", "vmap", "is_grads_batched")
        return any(word in s for word in words for s in self.statements)

    def wider(self) -> Program:
        """The same in the next wider floating-point dtypes."""
        named = [re.sub(r"torch\.(float16|bfloat16|float32|complex64)\b", _wide, s) for s in self.statements]
        return Program([re.sub(r"\.(half|bfloat16)\(\)", ".float()", s) for s in named])

    def with_copies_in_log(self) -> Program:
        """The same, but that gradients are copied when they are logged."""
        return Program([_LOGS.sub(_copying, s) for s in self.statements])

    def made_by_writing(self) -> set[str]:
        """The names of what PyTorch writes into a new tensor, and of their views: so they begin with later versions."""
        names: set[str] = set()
        for statement in self.statements:
            if any(word in statement for word in _WRITTEN) or any(mentions(statement, n) for n in names):
                names |= set(re.findall(r"(?m)^ *(\w+) = ", statement))
        return names

    def may_swallow_nan(self) -> bool:
        """Whether PyTorch may have a number where a derivative is not defined: it differs in how it gets there."""
        words = "cumprod logcumsumexp hessian jacfwd jvp forward-mode linearize".split()
        return any(word in statement for word in words for statement in self.statements)

    def may_have_nan_alone(self) -> bool:
        """Whether PyTorch may have NaN where facula has a number.

        Derivatives at NaN are so by the length of the tensor; those of tangents of deviations, where these are 0.
        """
        kernels = any(word in statement for word in ("logit(", "hardswish(") for statement in self.statements)
        return kernels or any("std" in s and mentions_forward(s) for s in self.statements)

    def derives_tangents_of_norms(self, found: list[str]) -> bool:
        """Whether gradients alone differ that go through tangents of layer norm: its moments count as constants."""
        asked = {assigned(s) for s in self.statements if "torch.autograd.grad(" in s}
        alone = all(re.match(r"values of \w+\.grad\b", line) or (
            line.startswith("values of ") and re.split(r"\W", line)[2] in asked
        ) for line in found)  # fmt: skip
        return alone and any("layer_norm" in s and mentions_forward(s) for s in self.statements)

    def looks_at_signs(self) -> bool:
        return any(word in statement for word in ("signbit", "copysign") for statement in self.statements)

    def misses_a_change(self, seen: dict[str, Any]) -> bool:
        """Whether facula refuses what PyTorch does not see: a change of what ``kron`` of a batch has saved."""
        refused = any(k.startswith("error") and "by an inplace operation" in v[1] for k, v in seen.items())
        return refused and any("vmap" in s and "kron" in s for s in self.statements)

    def overflows(self, seen: dict[str, Any]) -> bool:
        """Whether numbers are normalized whose squares are out of range: PyTorch takes inf from inf for a variance."""
        if not any("norm(" in s for s in self.statements):
            return False
        found = [v for v in seen.values() if isinstance(v, np.ndarray) and v.dtype.kind == "f"]
        with np.errstate(all="ignore"):
            return any((np.isfinite(v) & ~np.isfinite(v * v * v.dtype.type(v.size))).any() for v in found)

    def with_stable_sorts(self) -> Program | None:
        """The same, but that sorts keep the order of what is equal; None if there is nothing to sort."""
        stable = [re.sub(r"\.(arg)?sort\(", r".\1sort(stable=True,", s) for s in self.statements]
        return Program(stable, self.inputs) if stable != self.statements else None

    def changes_a_gradient(self, seen: dict[str, Any]) -> bool:
        """Whether a gradient is refused to be changed for being a view, which nobody promises that it is or is not."""
        gradients = self.gradients()
        refusals = ("A view was created in no_grad mode and is being", "Can't detach views in-place", "If your Funct")
        return any(
            f"error of statement {i}" in seen
            and seen[f"error of statement {i}"][1].startswith(refusals)
            and (re.split(r"\W", statement)[0] in gradients or ".apply(" in statement)
            and any(mentions(statement, name) for name in gradients)
            for i, statement in enumerate(self.statements)
        )

    def gradients(self) -> set[str]:
        """The names of gradients, and of what was computed from them or changed by them."""
        names: set[str] = set()
        for statement in self.statements:
            if any(word in statement for word in (".grad(", ".grad,", "torch.func", "torch.autograd.f")) or any(
                mentions(statement, n) for n in names
            ):
                targets = {name for line in _ASSIGNMENTS.findall(statement) for name in line.split(", ")}
                names |= targets or {re.split(r"\W", statement)[0]} - {""}
        return names


_ASSIGNMENTS = re.compile(r"(?m)^ *(\w+(?:, \w+)*) = ")

_WIDER = {"float16": "float32", "bfloat16": "float32", "float32": "float64", "complex64": "complex128"}


_LOGS = re.compile(r"(lambda ([\w, ]+): ?log\.append\(\(\d+), ?\2\)\)")


def _copying(log: re.Match[str]) -> str:
    each = "[None if h is None else h.clone() for h in {}]"
    copies = [f"{n}.clone()" if len(n) == 1 else each.format(n) for n in re.findall(r"\w+", log[2])]
    return f"{log[1]}, {', '.join(copies)}))"


def _wide(dtype: re.Match[str]) -> str:
    return "torch." + _WIDER[dtype[1]]


def changed(statement: str) -> str | None:
    """The name of the tensor that a statement begins with: it may be changed in place."""
    found = re.match(r"(?: *with [^\n]*\n)* *(?:F\.\w+\()?(\w+)[.\[]", statement)
    return found[1] if found else None


def mentions_forward(text: str) -> bool:
    """Whether a statement computes tangents."""
    words = "dual_level jvp jacfwd forward-mode hessian linearize make_dual".split()
    return any(word in text for word in words)


def mentions(text: str, name: str) -> bool:
    return re.search(rf"\b{name}\b", text) is not None


def assigned(statement: str) -> str | None:
    """The name that a statement gives a value to."""
    found = re.match(r"(?: *with [^\n]*\n)* *(\w+) = ", statement)
    return found[1] if found else None
