"""The answers to all questions, and what is expected of them.

``expected.json`` has every entry of the database, and for each the aspects that are known to differ, with the reason.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

Answers = dict[str, str | None]
"""By aspect: None (does not apply), "" (as in PyTorch) or what is different. Or ``{"missing": why}``."""

EXPECTED_FILE = Path(__file__).parent / "expected.json"
VERSION = "2.13.0"


def expected() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = json.loads(EXPECTED_FILE.read_text())
    return found


def why_no_oracle() -> str:
    """Why PyTorch's database cannot be had here; "" if it can."""
    if find_spec("torch") is None or find_spec("expecttest") is None:
        return f"needs the oracle: pip install torch=={VERSION} expecttest"
    with quiet():
        import torch
    return "" if torch.__version__.startswith(VERSION) else f"needs PyTorch {VERSION}, not {torch.__version__}"


@contextmanager
def quiet() -> Iterator[None]:
    """Neither library's warnings are of interest here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def ask(name: str, count: bool = False) -> Answers:
    """An entry's answers; with ``count``, for the page, its counts, too."""
    with quiet():
        import torch

        from .aspects import ASPECTS, is_missing
        from .entries import ENTRIES, seeds

        if torch.get_num_threads() > 1:
            torch.set_num_threads(1)  # for good: there are as many processes as cores
        entry = ENTRIES[name]
        try:
            why = is_missing(entry)
            if why:
                return {"missing": why}
            answers: Answers = {}
            for aspect, question in ASPECTS.items():
                with seeds(name):
                    answers[aspect] = question(entry)
            if count:
                answers.update(counts(entry))
            return answers
        finally:
            entry.made.clear()


DIFFERENTIABLE, ERRORS = COUNTS = ("is differentiable", "error inputs")
"""Counts among the answers: not questions."""


def counts(entry: Any) -> Answers:
    """Whether the entry is differentiable, and "as in PyTorch/all" of its wrong inputs."""
    from .aspects import answers_to_wrong_inputs

    wrong = answers_to_wrong_inputs(entry)
    return {
        DIFFERENTIABLE: str(bool(entry.info.supports_autograd)), ERRORS: f"{wrong.count('')}/{len(wrong)}"
    }  # fmt: skip


def _ask(name: str) -> tuple[str, Answers]:
    return name, ask(name, count=True)


def ask_all(names: Iterable[str], processes: int | None = None) -> dict[str, Answers]:
    """The answers of many entries, on all cores."""
    with multiprocessing.get_context("fork").Pool(processes or os.cpu_count()) as pool:
        return dict(pool.imap_unordered(_ask, list(names)))
