"""All answers of all entries, on all cores."""

from __future__ import annotations

import multiprocessing
import os
import signal
import traceback
from typing import Any

Answers = dict[str, str | None]


def ask(name: str) -> tuple[str, Answers]:
    """An entry's answers by aspect; {"missing": why} if facula does not have it."""
    from .aspects import ASPECTS, Missing, is_missing
    from .entries import ENTRIES, seeds

    entry = ENTRIES[name]
    why = is_missing(entry)
    if why:
        return name, {"missing": why}
    answers: Answers = {}
    for each, question in ASPECTS.items():
        with seeds(name):
            try:
                answers[each] = question(entry)
            except Missing as e:
                answers[each] = str(e)
    entry.made.clear()
    return name, answers


def _start() -> None:
    import torch

    torch.set_num_threads(1)


def ask_all(names: list[str], processes: int | None = None) -> dict[str, Answers]:
    with multiprocessing.get_context("fork").Pool(processes or os.cpu_count(), _start) as pool:
        return dict(pool.imap_unordered(ask, names, chunksize=4))
