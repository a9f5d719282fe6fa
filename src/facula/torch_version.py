"""The version of PyTorch that facula stands in for, and how programs compare it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["TorchVersion"]

_PARTS = re.compile(
    r"\s*v?(?P<release>\d+(?:\.\d+)*)"
    r"(?:[._-]?(?P<pre>a|alpha|b|beta|c|rc|pre|preview)[._-]?(?P<pre_number>\d*))?"
    r"(?:[._-]?(?P<post>post|rev|r)[._-]?(?P<post_number>\d*))?"
    r"(?:[._-]?(?P<dev>dev)[._-]?(?P<dev_number>\d*))?"
    r"(?:\+(?P<local>[a-z0-9]+(?:[._-][a-z0-9]+)*))?\s*",
    re.IGNORECASE,
)
_BEFORE_RELEASE = {"a": 0, "alpha": 0, "b": 1, "beta": 1, "c": 2, "rc": 2, "pre": 2, "preview": 2}


def _order(version: str) -> tuple[Any, ...]:
    """What versions are sorted by: development versions, then alpha, beta, candidates, the release, later posts."""
    found = _PARTS.fullmatch(version)
    if found is None:
        raise ValueError(f"Invalid version: {version!r}")
    release = [int(n) for n in found["release"].split(".")]
    while len(release) > 1 and release[-1] == 0:
        release.pop()
    dev = int(found["dev_number"] or 0) if found["dev"] else None
    if found["pre"]:
        stage = (_BEFORE_RELEASE[found["pre"].lower()], int(found["pre_number"] or 0))
    else:
        stage = (-1, 0) if dev is not None and not found["post"] else (3, 0)
    post = int(found["post_number"] or 0) if found["post"] else -1
    parts = re.split("[._-]", (found["local"] or "").lower())
    local = [(1, int(part), "") if part.isdigit() else (0, 0, part) for part in parts if part]
    return release, stage, post, (1, 0) if dev is None else (0, dev), local


class TorchVersion(str):
    """A version that is a string, but is compared as a version: with strings and with tuples."""

    __slots__ = ()

    def _compared(self, other: Any, compare: Callable[[Any, Any], bool], as_text: Callable[[Any, Any], bool]) -> Any:
        text = other
        if not isinstance(other, str):
            if not isinstance(other, Iterable):
                return NotImplemented
            text = ".".join(str(part) for part in other)
        try:
            return compare(_order(str(self)), _order(text))
        except ValueError:
            return as_text(str(self), text)

    def __eq__(self, other: object) -> Any:
        return self._compared(other, lambda a, b: a == b, str.__eq__)

    def __ne__(self, other: object) -> Any:
        return self._compared(other, lambda a, b: a != b, str.__ne__)

    def __lt__(self, other: Any) -> Any:
        return self._compared(other, lambda a, b: a < b, str.__lt__)

    def __le__(self, other: Any) -> Any:
        return self._compared(other, lambda a, b: a <= b, str.__le__)

    def __gt__(self, other: Any) -> Any:
        return self._compared(other, lambda a, b: a > b, str.__gt__)

    def __ge__(self, other: Any) -> Any:
        return self._compared(other, lambda a, b: a >= b, str.__ge__)

    __hash__ = str.__hash__


__version__ = TorchVersion("2.13.0")
