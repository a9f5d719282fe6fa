"""Comparing two observations: numbers within a tolerance, messages by PyTorch's sentence, the rest exactly."""

from __future__ import annotations

import math
from typing import Any


def differences(expected: Any, actual: Any, path: str = "", rtol: float = 2e-5, atol: float = 2e-6) -> list[str]:
    """Each place where ``actual`` (facula) departs from ``expected`` (PyTorch), as readable lines.

    An observation may bring its own tolerance, ``{"tolerance": [rtol, atol], ...}``, which holds below it.
    """
    if isinstance(expected, dict) and "raises" in expected:
        return _error_differences(expected, actual, path)
    if isinstance(expected, dict) and isinstance(actual, dict):
        rtol, atol = expected.get("tolerance", (rtol, atol))
        keys = set(actual)
        if any(map(_gives_up, expected.values())):
            keys &= expected.keys()  # PyTorch ended there; facula has more to show
        found = [f"{path}: keys {sorted(expected)} != {sorted(actual)}"] if expected.keys() != keys else []
        for key in expected.keys() & actual.keys():
            found += differences(expected[key], actual[key], f"{path}.{key}", rtol, atol)
        return found
    if isinstance(expected, list) and isinstance(actual, list):
        if len(expected) != len(actual):
            return [f"{path}: {len(expected)} items expected, got {len(actual)}: {expected!r} != {actual!r}"]
        found = []
        for i, (e, a) in enumerate(zip(expected, actual, strict=True)):
            found += differences(e, a, f"{path}[{i}]", rtol, atol)
        return found
    if isinstance(expected, float) and isinstance(actual, float):
        same = (
            (math.isnan(expected) and math.isnan(actual))
            or expected == actual
            or abs(expected - actual) <= atol + rtol * abs(expected)
        )
        return [] if same else [f"{path}: {expected!r} expected, got {actual!r}"]
    if type(expected) is not type(actual) or expected != actual:
        return [f"{path}: {expected!r} expected, got {actual!r}"]
    return []


def _gives_up(expected: Any) -> bool:
    """Whether PyTorch says that it has no such derivative: facula may have one (see docs/past-pytorch.md)."""
    message = expected.get("message", "") if isinstance(expected, dict) and "raises" in expected else ""
    return message.endswith(("is not implemented", "is not implemented.")) and "derivative for" in message


def _error_differences(expected: dict[str, Any], actual: Any, path: str) -> list[str]:
    """facula may add to a message (it names lines of the user's file), never change PyTorch's part of it."""
    if not isinstance(actual, dict) or "raises" not in actual:
        if _gives_up(expected):
            return []
        return [f"{path}: {expected!r} expected, got {actual!r}"]
    if expected["raises"] != actual["raises"]:
        return [f"{path}: {expected!r} expected, got {actual!r}"]
    if not actual["message"].startswith(expected["message"].rstrip()):
        return [f"{path}: message {expected['message']!r} expected, got {actual['message']!r}"]
    return []
