"""Forward mode and ``vmap`` of the operator database's differentiable entries."""

from __future__ import annotations

import pytest

from .answers import quiet, why_no_oracle
from .holding import EXPECTED

NAMES = sorted(EXPECTED)
PARTS = 16


@pytest.mark.parametrize("part", range(PARTS))
def test_forward_mode_and_vmap(part: int) -> None:
    if why := why_no_oracle():
        pytest.skip(why)
    with quiet():
        from .entries import ENTRIES, seeds
        from .transforms import applies, check_batches, check_tangents

        wrong: list[str] = []
        asked, alone = 0, []
        for name in NAMES[part::PARTS]:
            entry = ENTRIES.get(name)
            if entry is None or not applies(entry):
                continue
            with seeds(name):
                try:
                    check_tangents(entry)
                except Exception as e:
                    wrong.append(f"{name}: jvp: {type(e).__name__} {e}")
                try:
                    applied, slow = check_batches(entry)
                except Exception as e:
                    wrong.append(f"{name}: vmap: {type(e).__name__} {e}")
                else:
                    asked += applied
                    if slow:
                        alone.append(name)
            entry.made.clear()
        assert not wrong, "\n".join(wrong)
        assert len(alone) <= 0.2 * asked, f"run for each item alone: {alone}"
