"""What was measured, and how it is told."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = ["Measurement", "TaskSpec", "select_unit", "unit_to_english"]

_UNITS = {"ns": ("nanosecond", 1e-9), "us": ("microsecond", 1e-6), "ms": ("millisecond", 1e-3), "s": ("second", 1.0)}


def unit_to_english(u: str) -> str:
    return _UNITS[u][0]


def select_unit(t: float) -> tuple[str, float]:
    """The unit in which a time is best read, and how many seconds it has."""
    exponent = int(math.log10(t) // 3) if t > 0 else 0
    unit = {-1: "ms", -2: "us", -3: "ns"}.get(exponent, "s" if exponent >= 0 else "ns")
    return unit, _UNITS[unit][1]


@dataclass(frozen=True)
class TaskSpec:
    """What is measured."""

    stmt: str
    setup: str
    global_setup: str = ""
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    env: str | None = None
    num_threads: int = 1

    @property
    def title(self) -> str:
        label = self.label or self.stmt
        return f"{label}: {self.sub_label}" if self.sub_label else label


@dataclass
class Measurement:
    """Times of several runs; each of ``raw_times`` is that of ``number_per_run`` executions."""

    number_per_run: int
    raw_times: list[float]
    task_spec: TaskSpec
    metadata: dict[Any, Any] | None = field(default=None)

    @property
    def times(self) -> list[float]:
        """Seconds that one execution took, of each run."""
        return [t / self.number_per_run for t in self.raw_times]

    @property
    def mean(self) -> float:
        return float(np.mean(self.times))

    @property
    def median(self) -> float:
        return float(np.median(self.times))

    @property
    def iqr(self) -> float:
        """How far the middle half of the times reaches."""
        low, high = np.quantile(self.times, [0.25, 0.75])
        return float(high - low)

    @property
    def has_warnings(self) -> bool:
        return self.iqr / self.median > 0.1 if self.median else False

    @property
    def title(self) -> str:
        return self.task_spec.title

    @property
    def as_row_name(self) -> str:
        return self.task_spec.sub_label or self.task_spec.stmt

    @staticmethod
    def merge(measurements: Iterable[Measurement]) -> list[Measurement]:
        """One measurement of each task, with the times of all of its measurements, each counted as one execution."""
        times: dict[TaskSpec, list[float]] = {}
        for m in measurements:
            times.setdefault(m.task_spec, []).extend(m.times)
        return [Measurement(1, raw_times, task_spec) for task_spec, raw_times in times.items()]

    def __getattr__(self, name: str) -> Any:
        if name in TaskSpec.__dataclass_fields__:
            return getattr(self.task_spec, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __repr__(self) -> str:
        spec = self.task_spec
        unit, scale = select_unit(self.median)
        lines = [object.__repr__(self).replace("facula.", "torch."), spec.title]
        lines += [spec.description] if spec.description else []
        lines += [f"setup: {spec.setup}"] if spec.setup != "pass" else []
        threads = f"{spec.num_threads} thread{'s' if spec.num_threads > 1 else ''}"
        if len(self.raw_times) == 1:
            lines += [f"  {self.median / scale:.2f} {unit}", f"  1 measurement, {self.number_per_run} runs , {threads}"]
            return "\n".join(lines)
        low, high = (float(q) / scale for q in np.quantile(self.times, [0.25, 0.75]))
        runs = f"{self.number_per_run} runs per measurement" if self.number_per_run > 1 else ""
        lines += [
            f"  {'Median' if len(self.raw_times) > 2 else 'Mean'}: {self.median / scale:.2f} {unit}",
            f"  IQR:    {self.iqr / scale:.2f} {unit} ({low:.2f} to {high:.2f})",
            f"  {len(self.raw_times)} measurements, {runs}, {threads}",
        ]
        return "\n".join(lines)
