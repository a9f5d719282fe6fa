"""Saved values that were changed behind autograd's back: through ``.data``, or through a NumPy array."""

from __future__ import annotations

import weakref
from collections import deque
from typing import Any

import numpy as np

from .._core import quiet
from ..autograd import graph
from ..autograd.graph import full_name, resolve
from .record import record_of, seen_record
from .report import Finding, line_at


def fingerprint(array: Any) -> Any:
    """Numbers that change if any element does, nearly always."""
    flat = array.ravel()
    if not flat.size or flat.dtype.kind not in "fc":
        return flat.tobytes()
    token = quiet.begin()
    try:
        return flat.dot(flat).item(), flat.sum().item(), flat[0].item(), flat[-1].item()
    finally:
        quiet.end(token)


def arrays_of(node: Any) -> list[Any]:
    held = node.saved if node.saved.__class__ is tuple else (node.saved,)
    arrays = [getattr(value, "_array", value) for value in held]
    return [a for a in arrays if isinstance(a, np.ndarray) and a.dtype.kind in "fc" and a.size]


def owner_of(array: Any) -> Any:
    """The array whose memory another shows."""
    while True:
        base = array.base
        base = base.obj if isinstance(base, memoryview) else base
        if not isinstance(base, np.ndarray):
            return array
        array = base


class Changes:
    """The writes that no version counter saw, and the arrays that others can write to."""

    def __init__(self) -> None:
        self.writes: deque[Any] = deque(maxlen=256)
        self.counts: dict[int, int] = {}
        """How often arrays were written to in this way, by ``id``."""
        self.exposed: dict[int, Any] = {}
        """The owners of memory that others can write to, by ``id``: weakly, how, and where."""

    def written(self, t: Any, place: Any) -> None:
        """A tensor that shares memory, but no version counter, with others was changed in place."""
        self.writes.append((weakref.ref(t._array), graph.next_sequence_number(), place))
        self.counts[id(t._array)] = self.counts.get(id(t._array), 0) + 1

    def expose(self, array: Any, how: str, place: Any) -> None:
        """An array went out to the user, or came from him."""
        owner = owner_of(array)
        self.exposed[id(owner)] = (weakref.ref(owner), how, place)
        if len(self.exposed) > 64:
            del self.exposed[next(iter(self.exposed))]

    def note(self, node: Any) -> None:
        """Take fingerprints of what a node saved, as far as others can write to it."""
        for array in arrays_of(node):
            if self._exposed(array) is not None:
                record_of(node).prints[id(array)] = fingerprint(array)

    def _exposed(self, array: Any) -> Any:
        owner = owner_of(array)
        entry = self.exposed.get(id(owner))
        return entry if entry is not None and entry[0]() is owner else None

    def check(self, order: list[Any]) -> Finding | None:
        """Whether something that these nodes saved was changed since."""
        if not self.writes and not self.exposed:
            return None
        for node in order:
            record = seen_record(node)
            if not self.writes and (record is None or not record.prints):
                continue
            for array in arrays_of(node):
                for reference, number, place in self.writes:
                    written = reference()
                    if written is not None and number > node.seq and np.shares_memory(written, array):
                        return _finding(node, "through .data, which autograd cannot see,", place)
                if record is not None and id(array) in record.prints and record.prints[id(array)] != fingerprint(array):
                    entry = self._exposed(array)
                    if entry is not None:
                        return _finding(node, f"through the NumPy array of {entry[1]},", entry[2])
        return None


def _finding(node: Any, how: str, place: Any) -> Finding:
    at = resolve(*place)
    cause = f"A value that {full_name(node)} saved at {node.source} was changed {how} at {at}: the gradient is wrong."
    lines = line_at(at, "changed behind autograd's back") + line_at(node.source, "saved here")
    mend = "change it after backward(), or change a copy; under torch.no_grad() without .data it would be noticed."
    return Finding("changed", cause, lines, mend, node)
