"""The buffer plan: one arena for a program, in which arrays share memory if they are not needed at the same time."""

from __future__ import annotations

from ..programs.steps import Buffer, Plan

ALIGNED = 64


def bytes_of(buffer: Buffer) -> int:
    return -(-buffer.size * buffer.dtype.itemsize // ALIGNED) * ALIGNED


def lifetimes(plan: Plan) -> dict[Buffer, tuple[int, int]]:
    """From which step to which a piece of the arena is needed."""
    found = {buffer: (0, len(plan.steps)) for buffer in plan.scratch}
    for i, step in enumerate(plan.steps):
        for value in (*step.reads(), *step.writes()):
            for buffer in (value.buffer, *value.buffer.within):
                if buffer.kind == "arena":
                    first, _ = found.get(buffer, (i, i))
                    found[buffer] = (first, i)
    return found


def place(plan: Plan) -> None:
    """Give every buffer of the arena its place: the lowest that is free for its lifetime, large ones first."""
    lives = lifetimes(plan)
    placed: list[Buffer] = []
    for buffer in sorted(lives, key=lambda b: (-bytes_of(b), lives[b])):
        first, last = lives[buffer]
        taken = sorted(
            [(b.index, b.index + bytes_of(b)) for b in placed if lives[b][0] <= last and first <= lives[b][1]]
        )
        at = 0
        for low, high in taken:
            if at + bytes_of(buffer) <= low:
                break
            at = max(at, high)
        buffer.index = at
        placed.append(buffer)
        plan.arena = max(plan.arena, at + bytes_of(buffer))
