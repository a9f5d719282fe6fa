"""How tensors inside transforms are printed: by the levels that they belong to, the innermost transform first.

Reverse mode wraps nothing here (NOTE [one graph] in ``func.reverse``), so its levels are those that a tensor's graph
leads to.
"""

from __future__ import annotations

from textwrap import indent
from typing import Any

from .. import _printing
from .._core import state
from ..autograd.accumulate import AccumulateGrad
from ..autograd.graph import nodes_behind
from .batched import Batched
from .dual import Dual
from .wrapped import Level


def text_of(t: Any, contents: str | None = None) -> str:
    """The text of a tensor while transforms are being run."""
    titles: dict[int, str] = {}
    while t.wraps and t._level.alive and (isinstance(t, Batched) or t._level.tracks):
        depth = t._level.depth
        if isinstance(t, Dual):
            titles[depth] = f"GradTrackingTensor(lvl={depth}, value="
            t = t._primal
        else:
            given, at = t._given_at
            titles[depth] = f"BatchedTensor(lvl={depth}, bdim={at}, value="
            t = t._value if given is None else given
    if t.wraps:
        text = repr(t)
    else:
        levels, outside = _in_graph(t)
        titles |= {level.depth: f"GradTrackingTensor(lvl={level.depth}, value=" for level in levels}
        text = _printing.plain_repr(t if outside or not levels else t.detach(), contents)
    for depth in sorted(titles):
        text = f"{titles[depth]}\n{indent(text, '    ')}\n)"
    return text


def _in_graph(t: Any) -> tuple[set[Level], bool]:
    """The levels of reverse mode that a plain tensor's graph leads to, and whether it leads to other leaves, too."""
    levels: set[Level] = set()
    outside = False
    if not t.requires_grad:
        return levels, outside
    opened = {node: level for level in state.modes.levels for node in level.opened}
    for node in nodes_behind([t._edge()]):
        owner = node.variable.__dict__.get("_transform") if type(node) is AccumulateGrad else opened.get(node)
        if owner is not None and owner.alive and owner.tracks:
            levels.add(owner)
        if type(node) is AccumulateGrad:
            outside = outside or owner is None
    return levels, outside
