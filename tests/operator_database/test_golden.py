"""The samples of the operator database in golden.json.xz, through facula alone."""

from __future__ import annotations

import pytest

import facula

from . import golden
from .answers import quiet
from .holding import EXPECTED

GOLDEN = golden.load()

@pytest.mark.parametrize("name", GOLDEN)
def test_as_recorded(name: str) -> None:
    known = EXPECTED.get(name, {})
    if "missing" in known:
        pytest.skip(known["missing"])
    different: dict[str, str] = {}
    for i, sample in enumerate(GOLDEN[name]):
        args, kwargs = golden.read(facula, [sample["args"], sample["kwargs"]])
        with quiet():
            fn = golden.function(facula, sample["call"])
            seen = golden.observe(facula, fn, args, kwargs, sample["second"])
        for aspect, why in golden.differences(sample["seen"], seen).items():
            different.setdefault(aspect, f"sample {i}: {why}")
    assert not {aspect: why for aspect, why in different.items() if aspect not in known}


def test_most_entries_have_samples() -> None:
    assert len(GOLDEN) >= 0.97 * len(EXPECTED)
