"""What a watch notes of nodes and tensors, and where it puts it."""

from __future__ import annotations

import weakref
from typing import Any

from ..autograd.accumulate import AccumulateGrad
from ..autograd.graph import Source, resolve, walk

MOST = 4
"""How many cuts of a node, and ancestors of a tensor, are kept."""


class Record:
    """Of a node: what cut off its operands, what made its values infinite, a doubtful broadcast, a root's mark."""

    __slots__ = ("broadcast", "cuts", "event", "mark", "prints")

    def __init__(self) -> None:
        self.cuts: list[Any] = []
        self.event: Any = None
        self.broadcast: Any = None
        self.mark: Any = None
        self.prints: dict[int, Any] = {}
        """Fingerprints of saved arrays that others can write to, by ``id``."""


def record_of(node: Any) -> Record:
    metadata = node.attachments().metadata
    found = metadata.get("watch")
    if found is None:
        found = metadata["watch"] = Record()
    return found


def seen_record(node: Any) -> Record | None:
    return None if node is None or node.attached is None else node.attached.metadata.get("watch")


class Origin:
    """Of a tensor without history: where it was made, from what, and where its values ceased to be finite."""

    __slots__ = ("ancestors", "callers", "event", "place")

    def __init__(self, place: Any, ancestors: tuple[Any, ...] = (), callers: tuple[Any, ...] = ()) -> None:
        self.place = place
        self.ancestors = ancestors or (place,)
        """The places of the tensors that it was computed from, which were computed from nothing."""
        self.callers = callers
        """The calls through which the user's program came there, the innermost first."""
        self.event: Any = None

    @property
    def source(self) -> Source | None:
        return resolve(*self.place)


def event_of(t: Any) -> Any:
    """What made a tensor's values not finite, if a watch saw it."""
    record = seen_record(t._node)
    if record is not None and record.event is not None:
        return record.event
    origin = None if t._meta is None else t._meta.origin
    return None if origin is None else origin.event


class CutOff:
    """What a cut separated from the rest: the leaves that lay behind it. It keeps none of them alive."""

    __slots__ = ("everything", "leaves", "version")
    LIMIT = 3000

    def __init__(self, t: Any) -> None:
        self.leaves: set[int] = set()
        self.everything = False
        """Whether there were too many nodes to look at."""
        self.version = 0 if t._counter is None else t._counter[0]
        edge = t._edge() if t.requires_grad else None
        for n, node in enumerate(walk(edge)):
            if node.__class__ is AccumulateGrad:
                self.leaves.add(id(node.variable))
            record = seen_record(node)
            for cut in () if record is None else record.cuts:
                if cut.source is not None:
                    self.leaves |= cut.source.leaves
            if n > self.LIMIT:
                self.everything = True
                break

    def leads_to(self, t: Any) -> bool:
        return self.everything or id(t) in self.leaves


class Mark:
    """On the root of a backward pass: as long as it lives, so does the graph."""

    __slots__ = ("__weakref__", "place")

    def __init__(self, place: Any) -> None:
        self.place = place


def reference(t: Any) -> Any:
    return weakref.ref(t)
