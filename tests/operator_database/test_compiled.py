"""Compiled entries of the operator database in both back ends: see ``compiled``."""

from __future__ import annotations

import pytest

from facula._compile.c.build import has_compiler

from .answers import quiet, why_no_oracle
from .holding import EXPECTED

NAMES = sorted(EXPECTED)
PARTS = 16
BACKENDS = ["numpy", pytest.param("c", marks=pytest.mark.skipif(not has_compiler(), reason="needs a C compiler"))]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("part", range(PARTS))
def test_operators(part: int, backend: str) -> None:
    if why := why_no_oracle():
        pytest.skip(why)
    with quiet():
        from .compiled import differences
        from .entries import ENTRIES, seeds

        wrong: list[str] = []
        for name in NAMES[part::PARTS]:
            entry = ENTRIES.get(name)
            if entry is not None:
                with seeds(name):
                    wrong += differences(entry, backend)
                entry.made.clear()
        assert not wrong, "\n".join(wrong)
