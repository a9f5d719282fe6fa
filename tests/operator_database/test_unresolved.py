"""The same samples, as views that show conjugates and negatives of what lies in memory: nothing else changes."""

from __future__ import annotations

from typing import Any

import pytest

import facula

from . import golden
from .answers import quiet
from .holding import EXPECTED
from .test_golden import GOLDEN

OTHER = ("resolve_conj", "resolve_neg", "view_as_real")
"""What copies these, or refuses them."""


def unresolved(value: Any) -> Any:
    """A value with the same tensors, none of which lies in memory as it is read."""
    if isinstance(value, (list, tuple)):
        return type(value)([unresolved(v) for v in value])
    if isinstance(value, dict):
        return {key: unresolved(v) for key, v in value.items()}
    if not isinstance(value, facula.Tensor) or not value.dtype.is_signed:
        return value
    plain: Any = value.detach()
    view = plain.conj_physical().clone().conj() if value.is_complex() else (-plain)._neg_view()
    return view.detach().requires_grad_(value.requires_grad)


@pytest.mark.parametrize("name", [name for name in GOLDEN if name not in OTHER])
def test_as_recorded(name: str) -> None:
    known = EXPECTED.get(name, {})
    if "missing" in known:
        pytest.skip(known["missing"])
    different: dict[str, str] = {}
    for i, sample in enumerate(GOLDEN[name]):
        args, kwargs = unresolved(golden.read(facula, [sample["args"], sample["kwargs"]]))
        with quiet():
            fn = golden.function(facula, sample["call"])
            seen = golden.observe(facula, fn, args, kwargs, sample["second"])
        for aspect, why in golden.differences(sample["seen"], seen).items():
            different.setdefault(aspect, f"sample {i}: {why}")
    assert not {aspect: why for aspect, why in different.items() if aspect not in known}
