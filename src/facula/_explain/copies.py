"""Memory that was taken for a copy: ``state_dict()``, ``.data`` and ``detach()`` show a parameter as it is now."""

from __future__ import annotations

import linecache
from typing import Any

from .._core.strides import address
from ..autograd.graph import resolve
from . import cuts
from .report import Finding, line_at

_MEND = "make a copy: copy.deepcopy(model.state_dict()), or w.detach().clone()."


def _is_same(a: Any, b: Any) -> bool:
    """Whether two tensors are the same memory."""
    if not hasattr(a, "_array") or not hasattr(b, "_array") or a is b or a.wraps or b.wraps:
        return False
    x, y = a._array, b._array
    return x.shape == y.shape and x.strides == y.strides and x.size > 0 and bool(address(x) == address(y))


def _was_changed_by_a_step(p: Any) -> bool:
    """Who writes into a state, to load it then, knows whose memory it is. An optimizer's step does not tell that."""
    counter = p._counter
    if not p._version or counter is None or counter[1] is None:
        return False
    at = resolve(counter[1], counter[2])
    return at is not None and "step" in linecache.getline(at.filename, at.line)


def loaded(module: Any, state_dict: Any) -> Finding | None:
    """A state that is loaded into the module whose memory it is, after that was changed."""
    pairs = [(state_dict.get(name), p) for name, p in module.named_parameters()]
    if not pairs or not all(_is_same(kept, p) for kept, p in pairs):
        return None
    kept, p = pairs[0]
    cut = None if kept._meta is None else kept._meta.cut
    if cut is None or not _was_changed_by_a_step(p):
        return None
    at = cuts.place_of(cut)
    cause = f"load_state_dict() changes nothing: what state_dict() gave at {at} is the memory of the parameters,"
    cause += " as they are now, and no copy."
    return Finding("copy", cause, line_at(at, "no copy"), _MEND, tensor=p)


def compared(a: Any, b: Any) -> Finding | None:
    """Two tensors that are the same memory are compared, though it was changed since one was taken from the other."""
    for kept, now in ((a, b), (b, a)):
        cut = None if getattr(kept, "_meta", None) is None else kept._meta.cut
        if cut is None or cut.how not in (".data", "detach()") or not _is_same(kept, now):
            continue
        before = 0 if cut.source is None else cut.source.version
        is_behind = cut.source is None or cut.source.leads_to(now)
        if now.requires_grad and now.is_leaf and now._version != before and is_behind:
            at = cuts.place_of(cut)
            cause = f"What {cut.how} gave at {at} is the memory of the tensor that it is compared with, and no copy:"
            cause += " both have changed since, and are always equal."
            return Finding("copy", cause, line_at(at, "no copy"), _MEND, tensor=now)
    return None
