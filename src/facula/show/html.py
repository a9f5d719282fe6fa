"""Tensors and modules in notebooks: what ``_repr_html_`` gives."""

from __future__ import annotations

from html import escape
from typing import Any

_SMALL = 12
"""So many rows and columns are shown as a table; larger tensors print as they do elsewhere."""


def tensor_html(t: Any) -> str:
    """The values of a small tensor as a table, and below it dtype, shape, and the node with its line."""
    about = [str(t.dtype), f"shape {tuple(t.shape)}"]
    if t.grad_fn is not None:
        about.append(f"{type(t.grad_fn).__name__}{_place(t.grad_fn)}")
    elif t.requires_grad:
        about.append("a leaf that requires grad")
    return f"{_values(t)}<div style='opacity:.7'>{escape(' · '.join(about))}</div>"


def _values(t: Any) -> str:
    if t.wraps or t.is_meta or t.ndim not in (1, 2) or not t.numel() or max(t.shape) > _SMALL:
        return f"<pre>{escape(repr(t))}</pre>"
    rows = t.detach().tolist() if t.ndim == 2 else [t.detach().tolist()]
    cells = ["".join(f"<td style='text-align:right'>{escape(_number(v))}</td>" for v in row) for row in rows]
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"


def _number(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _place(node: Any) -> str:
    source = node.source
    return f", {source}" if source else ""


def module_html(module: Any, name: str = "") -> str:
    """A module as a tree to fold: each part with its settings and the number of its parameters."""
    count = sum(p.numel() for p in module.parameters())
    told = f"{type(module).__name__}({module.extra_repr()})"
    line = f"{f'({name}): ' if name else ''}<b>{escape(told)}</b> <span style='opacity:.7'>{count:,} parameters</span>"
    parts = [module_html(part, key) for key, part in module.named_children()]
    if not parts:
        return f"<div style='margin-left:1.2em'>{line}</div>"
    is_open = "" if name else " open"
    return f"<details{is_open} style='margin-left:1.2em'><summary>{line}</summary>{''.join(parts)}</details>"
