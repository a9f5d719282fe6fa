"""Traces in Chrome's format, for chrome://tracing and Perfetto."""

from __future__ import annotations

import gzip
import json
import os
import time
from collections.abc import Iterable, Iterator
from typing import Any

from ..autograd.profiler_util import MEMORY_EVENT_NAME


def events_of(events: Iterable[Any], base: float = 0.0) -> Iterator[dict[str, Any]]:
    """Events as Chrome's, each with an arrow from an operator to the node that it made."""
    pid = os.getpid()
    forward: dict[int, Any] = {}
    for number, event in enumerate(event for event in events if event.name != MEMORY_EVENT_NAME):
        start = base + event.time_range.start
        about: dict[str, Any] = {"External id": event.id, "Ev Idx": number}
        if event.sequence_nr >= 0:
            about["Sequence number"] = event.sequence_nr
        if event.input_shapes:
            about["Input Dims"] = event.input_shapes
        if event.stack:
            about["Call stack"] = ";".join(event.stack)
        if event.metadata_json:
            about["args"] = event.metadata_json
        yield {
            "ph": "X", "cat": "user_annotation" if event.is_user_annotation else "cpu_op",
            "name": event.trace_name or event.name, "pid": pid, "tid": event.thread, "ts": start,
            "dur": event.cpu_time_total, "args": about,
        }  # fmt: skip
        if event.sequence_nr < 0 or event.name.startswith("autograd::engine::"):
            continue
        place = {"pid": pid, "tid": event.thread, "ts": start}
        arrow = {"id": event.sequence_nr, **place, "cat": "fwdbwd", "name": "fwdbwd"}
        if event.scope != 1:
            forward.setdefault(event.sequence_nr, arrow)
        elif event.sequence_nr in forward:
            yield {"ph": "s", **forward[event.sequence_nr]}
            yield {"ph": "f", "bp": "e", **arrow}


def trace_of(recorder: Any, events: Iterable[Any]) -> list[dict[str, Any]]:
    """The whole list of a trace: names of processes and threads, events, allocations."""
    pid = os.getpid()
    # Times are told from the clock's beginning, as all programs on a machine do.
    base = (time.time_ns() - time.perf_counter_ns() + recorder.started) / 1000
    trace: list[dict[str, Any]] = [
        {"ph": "M", "name": "process_name", "ts": base, "pid": pid, "tid": 0, "args": {"name": "python"}},
        {"ph": "M", "name": "process_labels", "ts": base, "pid": pid, "tid": 0, "args": {"labels": "CPU"}},
    ]
    for track in recorder.tracks.values():
        name = f"thread {track.number} (python)"
        trace.append(
            {"ph": "M", "name": "thread_name", "ts": base, "pid": pid, "tid": track.number, "args": {"name": name}}
        )
    trace.extend(events_of(events, base))
    allocated = 0
    for at, thread, size in recorder.changes:
        allocated += size
        trace.append(
            {"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": MEMORY_EVENT_NAME, "pid": pid, "tid": thread,
             "ts": base + (at - recorder.started) / 1000,
             "args": {"Total Allocated": allocated, "Bytes": size, "Device Id": -1, "Device Type": 0}}
        )  # fmt: skip
    length = (recorder.stopped - recorder.started) / 1000
    trace.append(
        {"ph": "X", "cat": "Trace", "name": "PyTorch Profiler (0)", "pid": "Spans", "tid": "PyTorch Profiler",
         "ts": base, "dur": length, "args": {"Op count": 0}}
    )  # fmt: skip
    return trace


def write(path: str, trace: dict[str, Any]) -> None:
    """Write a trace; one that is named ``.gz`` is packed."""
    path = os.fspath(path)
    with gzip.open(path, "wt") if path.endswith(".gz") else open(path, "w") as file:
        json.dump(trace, file)
