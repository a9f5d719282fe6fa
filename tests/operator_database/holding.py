"""What the tests of this folder share: an entry held to what is expected of it."""

from __future__ import annotations

import pytest

from .answers import ask, expected, why_no_oracle
from .reasons import DEPENDS_ON_THE_CPU

EXPECTED = expected()

_ROOMS = ("fft.", "linalg.", "masked.", "signal.", "special.")


def names(part: str) -> list[str]:
    """The entries of a test file: of ``nn``, of other ``namespaces``, ``a to l`` and ``m to z``."""
    return [name for name in EXPECTED if _part(name) == part]


def _part(name: str) -> str:
    if name.startswith("nn."):
        return "nn"
    if name.startswith(_ROOMS):
        return "namespaces"
    return "a to l" if name.strip("_").lower() < "m" else "m to z"


def hold(name: str) -> None:
    """Fail if anything differs that is not on the list of expectations, or nothing does that is."""
    if why := why_no_oracle():
        pytest.skip(why)
    found = {aspect: why for aspect, why in ask(name).items() if why}
    listed = EXPECTED[name]
    worse = [f"{aspect}: {why}" for aspect, why in found.items() if aspect not in listed]
    better = [aspect for aspect in listed if aspect not in found and (name, aspect) not in DEPENDS_ON_THE_CPU]
    assert not worse, f"{name} differs from PyTorch:\n" + "\n".join(worse)
    assert not better, f"{name} now is as in PyTorch in {better}: mend the list (see the package's docstring)"
