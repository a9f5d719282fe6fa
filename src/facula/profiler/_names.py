"""What PyTorch calls an operator, and how many operations it counts for one."""

from __future__ import annotations

import re
from math import prod
from typing import Any

from .. import _lazy, _lazy_names

_names: dict[str, str] = {}
_METHODS = {name for names in _lazy_names.METHODS.values() for name in names.split()}

_ATEN = {
    "log_softmax": "_log_softmax", "softmax": "_softmax", "unsafe_view": "_unsafe_view", "cast": "_to_copy",
    "to_copy": "_to_copy", "onednn_recurrent_layer": "mkldnn_rnn_layer",
}  # fmt: skip
"""Operators that are called otherwise than their nodes."""


def operator_name(op: Any) -> str:
    """``aten::mul`` for the primitive of that name."""
    found = _names.get(op.name)
    if found is None:
        node = re.sub(r"Backward[0-9]*$", "", op.node_name or "")
        told = re.sub(r"(?<![0-9])(?<!^)([A-Z])", r"_\1", node).lower()
        own = op.name.removesuffix("_inplace")
        name = next((n for n in (told, own) if n in _lazy.FUNCTIONS or n in _lazy.FUNCTIONALS or n in _METHODS), own)
        found = _names[op.name] = f"aten::{_ATEN.get(op.name, _ATEN.get(name, name))}"
    return found


def flops_of(name: str, args: Any, out: Any) -> int:
    """How many multiplications and additions a product, a convolution, ``add`` or ``mul`` takes."""
    shapes = [tuple(a.shape) for a in args if hasattr(a, "shape")]
    if name in ("aten::mm", "aten::bmm") and len(shapes) >= 2:
        return 2 * prod(shapes[0]) * shapes[1][-1]
    if name in ("aten::addmm", "aten::baddbmm") and len(shapes) >= 3:
        return 2 * prod(shapes[1]) * shapes[2][-1]
    if name == "aten::conv2d" and len(shapes) >= 2:
        return 2 * prod(out.shape) * prod(shapes[1][1:])
    return prod(out.shape) if name in ("aten::add", "aten::mul") else 0
