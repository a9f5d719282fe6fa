"""Times of a statement."""

from __future__ import annotations

import textwrap
import timeit
from collections.abc import Callable
from typing import Any

import facula

from .common import Measurement, TaskSpec

__all__ = ["Timer", "timer"]

timer = timeit.default_timer


class Timer:
    """Measures a statement, with one thread unless told otherwise."""

    def __init__(
        self, stmt: str = "pass", setup: str = "pass", global_setup: str = "", timer: Callable[[], float] = timer,
        globals: dict[str, Any] | None = None, label: str | None = None, sub_label: str | None = None,
        description: str | None = None, env: str | None = None, num_threads: int = 1, language: Any = "py",
    ) -> None:  # fmt: skip
        if str(language).lower().rpartition(".")[2] not in ("py", "python"):
            raise ValueError("facula's Timer measures statements in Python alone")
        if global_setup:
            raise ValueError(f"global_setup is C++ only, got `{global_setup}`. Most likely this code can simply be moved to `setup`.")  # noqa: E501
        if not isinstance(stmt, str):
            raise ValueError("Currently only a `str` stmt is supported.")
        stmt, setup = textwrap.dedent(stmt).strip(), textwrap.dedent(setup).strip()
        self._task_spec = TaskSpec(stmt, setup, global_setup, label, sub_label, description, env, num_threads)
        names = {"torch": facula, **(globals or {})}
        self._timer = timeit.Timer(stmt, setup, timer, names)

    def _timed(self, number: int) -> float:
        before = facula.get_num_threads()
        facula.set_num_threads(self._task_spec.num_threads)
        try:
            return max(self._timer.timeit(number), 1e-9)
        finally:
            facula.set_num_threads(before)

    def timeit(self, number: int = 1_000_000) -> Measurement:
        """One run of ``number`` executions, after a few that are not counted."""
        self._timed(max(number // 100, 2))
        return Measurement(number, [self._timed(number)], self._task_spec)

    def repeat(self, repeat: int = -1, number: int = -1) -> None:
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def autorange(self, callback: Callable[[int, float], Any] | None = None) -> None:
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def _block_size(self, min_run_time: float) -> int:
        """How many executions take so long that looking at the clock does not show."""
        self._timed(2)  # what is only done once
        overhead = sorted(self._timed(0) for _ in range(5))[2]
        number = 1
        while True:
            taken = self._timed(number)
            if overhead / taken <= 1e-4 and taken >= min_run_time / 1000:
                return number
            if taken > min_run_time:
                return number
            number *= 10

    def blocked_autorange(
        self, callback: Callable[[int, float], Any] | None = None, min_run_time: float = 0.2
    ) -> Measurement:
        """Runs of a suitable length until ``min_run_time`` seconds are over."""
        number = self._block_size(min_run_time)
        times: list[float] = []
        while sum(times) < min_run_time:
            times.append(self._timed(number))
            if callback is not None:
                callback(number, times[-1])
        return Measurement(number, times, self._task_spec)

    def adaptive_autorange(
        self, threshold: float = 0.1, *, min_run_time: float = 0.01, max_run_time: float = 10.0,
        callback: Callable[[int, float], Any] | None = None,
    ) -> Measurement:  # fmt: skip
        """Runs until the middle half of the times differs by less than ``threshold`` of their median."""
        number = self._block_size(0.05)
        times: list[float] = []
        found = Measurement(number, times, self._task_spec)
        while sum(times) < max_run_time:
            times.append(self._timed(number))
            if callback is not None:
                callback(number, times[-1])
            if len(times) >= 3 and sum(times) > min_run_time and found.iqr / found.median < threshold:
                break
        return found
