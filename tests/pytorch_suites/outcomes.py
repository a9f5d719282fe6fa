"""What became of tests, and the file that remembers it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

Outcome = tuple[str, str]
"""``pass``, ``fail``, ``skip``, ``hang`` or ``died``, and why."""


class Outcomes:
    """``{library: {file: {test: outcome}}}`` and the names of each file's tests, kept in a file of JSON."""

    def __init__(self, path: Path) -> None:
        self.path = path
        kept = json.loads(path.read_text()) if path.exists() else {}
        self.digests: dict[str, str] = kept.get("digests", {})
        self.tests: dict[str, list[str]] = kept.get("tests", {})
        self.outcomes: dict[str, dict[str, dict[str, Outcome]]] = kept.get("outcomes", {})

    def of(self, library: str, file: str) -> dict[str, Outcome]:
        return self.outcomes.setdefault(library, {}).setdefault(file, {})

    def forget_unless_same(self, file: str, text: bytes) -> None:
        """What is remembered of a file counts as long as the file is the same."""
        digest = hashlib.sha256(text).hexdigest()
        if self.digests.get(file) != digest:
            self.digests[file] = digest
            self.tests.pop(file, None)
            for files in self.outcomes.values():
                files.pop(file, None)

    def keep(self) -> None:
        kept = {"digests": self.digests, "tests": self.tests, "outcomes": self.outcomes}
        draft = self.path.with_suffix(".draft")
        draft.write_text(json.dumps(kept, indent=1))
        draft.replace(self.path)


def compared(file: str, pytorch: dict[str, Outcome], facula: dict[str, Outcome], chosen: Callable[[str], bool]) -> str:
    """How many tests pass on PyTorch, how many of these on facula, and what the others say."""
    passing = [test for test, (result, _) in pytorch.items() if result == "pass" and chosen(test)]
    failing = [(test, *facula.get(test, ("lost", ""))) for test in passing if facula.get(test, ("", ""))[0] != "pass"]
    counts = f"{file}: {len(passing)} pass on PyTorch, {len(passing) - len(failing)} of these on facula"
    return "\n".join([counts, *(f"  {result} {test}: {why}" for test, result, why in failing)])
