"""The operator database beside facula, in parts for several workers: see ``answers``."""

from __future__ import annotations

import pytest

from .holding import hold, names


@pytest.mark.parametrize("name", names("nn"))
def test_as_expected(name: str) -> None:
    hold(name)
