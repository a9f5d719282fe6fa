"""Results that belong into an input's memory are computed there, where nothing reads the old value any more.

A copy at the end of a program (a new parameter into the old one's memory) is left out if the loop that computes the
value may write it to that memory at once: no check and no kernel that may decline comes after it, nobody else reads
the input later, and the loop itself reads it at most where it writes.
"""

from __future__ import annotations

from ..programs.steps import Buffer, Check, Copy, LibraryCall, Loop, Plan, PythonCall, Value, Written
from .space import space_of


def in_place(plan: Plan) -> None:
    copies = [s for s in plan.steps if isinstance(s, Copy)]
    body = [s for s in plan.steps if not isinstance(s, Copy)]
    ends = [i for i, s in enumerate(body) if isinstance(s, (Check, PythonCall))
            or (isinstance(s, (LibraryCall, Written)) and s.may_decline)]  # fmt: skip
    safe_from = ends[-1] + 1 if ends else 0
    for copy in copies:
        made = copy.value.buffer
        if made.kind != "arena" or copy.value.offset or any(c is not copy and c.value.buffer is made for c in copies):
            continue
        writers = [i for i, s in enumerate(body) if any(v.buffer is made for v in s.writes())]
        if len(writers) != 1 or writers[0] < safe_from or not isinstance(body[writers[0]], Loop):
            continue
        at, target = writers[0], copy.target
        loop = body[at]
        assert isinstance(loop, Loop)
        stores = [(k, v) for k, (_, v) in enumerate(loop.stores) if v.buffer is made]
        if len(stores) != 1 or not _same_places(stores[0][1], copy.value) or stores[0][1].shape != target.shape:
            continue
        memory = target.buffer
        if any(v.buffer.touches(memory) for s in body[at + 1 :] for v in (*s.reads(), *s.writes())):
            continue
        if any(c is not copy and c.value.buffer.touches(memory) for c in copies):
            continue
        own = [v for v in loop.loads if v.buffer is memory]
        if any(v.offset != target.offset or v.strides != target.strides or v.shape != target.shape for v in own):
            continue
        if any(v.buffer is memory for v in loop.writes()) or any(memory in v.buffer.within for v in loop.loads):
            continue
        later = [s for s in body[at + 1 :] if any(v.buffer is made for v in s.reads())]
        if later and target.strides != stores[0][1].strides:
            continue
        k = stores[0][0]
        before = loop.stores[k]
        loop.stores[k] = (before[0], target)
        if space_of(loop, False) is None:
            loop.stores[k] = before
            continue
        for step in later:
            _reads_from(step, made, memory)
        plan.steps.remove(copy)


def _same_places(a: Value, b: Value) -> bool:
    return a.offset == b.offset and a.shape == b.shape and a.strides == b.strides


def _reads_from(step: object, old: Buffer, new: Buffer) -> None:
    """Let a step read the same places of another buffer."""

    def moved(v: Value) -> Value:
        return Value(new, v.offset, v.shape, v.strides) if v.buffer is old else v

    if isinstance(step, Loop):
        step.loads = [moved(v) for v in step.loads]
        return
    for name, value in vars(step).items():
        if isinstance(value, Value):
            setattr(step, name, moved(value))
        elif isinstance(value, list) and any(isinstance(v, Value) for v in value):
            setattr(step, name, [moved(v) if isinstance(v, Value) else v for v in value])
