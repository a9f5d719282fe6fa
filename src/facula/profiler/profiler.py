"""``profile``: measuring step by step, by a schedule."""

from __future__ import annotations

import enum
import json
import os
import socket
import time
import warnings
from collections.abc import Callable, Iterable
from typing import Any

from ..autograd import profiler as prof
from ..autograd.profiler_util import EventList

__all__ = [
    "ExecutionTraceObserver", "ProfilerAction", "ProfilerActivity", "profile", "schedule", "supported_activities",
    "tensorboard_trace_handler",
]  # fmt: skip


class ProfilerActivity(enum.IntEnum):
    """What could be measured; here it is the CPU."""

    __str__ = enum.Enum.__str__

    CPU = 0
    XPU = 1
    MTIA = 2
    CUDA = 3
    HPU = 4
    PrivateUse1 = 5


class ProfilerAction(enum.Enum):
    """What a profiler does in a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3
    DEVICE_STOPPED = 4


class _ExperimentalConfig:
    """Settings that PyTorch does not promise to keep. All are accepted; none changes anything here."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        self.__dict__.update(settings)


def supported_activities() -> set[ProfilerActivity]:
    """What can be measured."""
    return {ProfilerActivity.CPU}


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0
) -> Callable[[int], ProfilerAction]:
    """What to do in each step: skip some, then in turns wait, warm up, and measure; ``repeat`` times, or for ever."""

    def action_of(step: int) -> ProfilerAction:
        assert step >= 0, f"Step must be non-negative. Got {step}."
        if step < skip_first:
            return ProfilerAction.NONE
        step -= skip_first
        if skip_first_wait:
            step += wait
        turn, at = divmod(step, wait + warmup + active)
        if (repeat and turn >= repeat) or at < wait:
            return ProfilerAction.NONE
        if at < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if at < wait + warmup + active - 1 else ProfilerAction.RECORD_AND_SAVE

    assert wait >= 0 and warmup >= 0 and active > 0 and repeat >= 0 and skip_first >= 0, (
        f"Invalid profiler schedule arguments. Got wait={wait} (need >= 0), warmup={warmup} (need >= 0), "
        f"active={active} (need > 0), repeat={repeat} (need >= 0), skip_first={skip_first} (need >= 0)."
    )
    if warmup == 0:
        warnings.warn("Profiler won't be using warmup, this can skew profiler results", stacklevel=2)
    return action_of


def _always(step: int) -> ProfilerAction:
    return ProfilerAction.RECORD


def tensorboard_trace_handler(
    dir_name: str, worker_name: str | None = None, use_gzip: bool = False, use_python_export: bool = False
) -> Callable[[Any], None]:
    """Something for ``on_trace_ready`` that writes each trace to a file of its own in a directory."""

    def handle(profiler: Any) -> None:
        if not os.path.isdir(dir_name):
            try:
                os.makedirs(dir_name, exist_ok=True)
            except Exception as e:
                raise RuntimeError("Can't create directory: " + dir_name) from e
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        packed = ".gz" if use_gzip else ""
        profiler.export_chrome_trace(os.path.join(dir_name, f"{worker}.{time.time_ns()}.pt.trace.json{packed}"))

    return handle


class _KinetoProfile:
    """Measures between ``start`` and ``stop``."""

    def __init__(
        self, *, activities: Iterable[Any] | None = None, record_shapes: bool = False, profile_memory: bool = False,
        with_stack: bool = False, with_flops: bool = False, with_modules: bool = False, experimental_config: Any = None,
        execution_trace_observer: Any = None, acc_events: bool = False,
        custom_trace_id_callback: Callable[[], str] | None = None, post_processing_timeout_s: float | None = None,
    ) -> None:  # fmt: skip
        given = supported_activities() if activities is None else activities
        self.activities = {
            one for each in given for one in (each if isinstance(each, dict) else [each])
            if isinstance(one, ProfilerActivity)
        }  # fmt: skip
        self.record_shapes = record_shapes
        self.with_flops = with_flops
        self.profile_memory = profile_memory
        self.with_stack = with_stack
        self.with_modules = with_modules
        self.experimental_config = experimental_config
        self.execution_trace_observer = execution_trace_observer
        self.acc_events = acc_events
        self.custom_trace_id_callback = custom_trace_id_callback
        self.profiler: prof.profile | None = None
        self.preset_metadata: dict[str, str] = {}
        self._metadata: dict[str, str] = {}
        self._saved = False

    def start(self) -> None:
        self.prepare_trace()
        self.start_trace()

    def stop(self) -> None:
        self.stop_trace()

    def prepare_trace(self) -> None:
        if self.profiler is None or not self.acc_events:
            self.profiler = prof.profile(
                record_shapes=self.record_shapes, with_flops=self.with_flops, profile_memory=self.profile_memory,
                with_stack=self.with_stack, with_modules=self.with_modules, acc_events=self.acc_events,
                custom_trace_id_callback=self.custom_trace_id_callback,
            )  # fmt: skip
        self.profiler._prepare_trace()
        self._saved = False

    def start_trace(self) -> None:
        assert self.profiler is not None, "Profiler must be initialized before starting trace"
        self._metadata = dict(self.preset_metadata)
        if ProfilerActivity.CPU in self.activities:
            self.profiler._start_trace()

    def stop_trace(self) -> None:
        assert self.profiler is not None, "Profiler must be initialized before stopping trace"
        self.profiler.__exit__(None, None, None)

    def toggle_collection_dynamic(self, enable: bool, activities: Iterable[ProfilerActivity]) -> None:
        """Go on measuring, or pause."""
        if self.profiler is not None:
            self.profiler.toggle_collection_dynamic(enable, activities)

    # ---- what was found

    def events(self) -> EventList:
        """Everything that ran, in the order in which it began."""
        assert self.profiler is not None, "Profiler must be initialized before accessing events"
        return self.profiler.function_events

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> EventList:
        """The sums over events with one name, or also with one kind of arguments or place in the program."""
        assert self.profiler is not None, "Profiler must be initialized before getting key averages"
        return self.profiler.key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def export_chrome_trace(self, path: str) -> None:
        """Write a file for chrome://tracing and Perfetto, once for each trace."""
        assert self.profiler is not None, "Profiler must be initialized before exporting chrome trace"
        if self._saved:
            raise RuntimeError("Trace is already saved.")
        self._saved = True
        self.profiler.export_chrome_trace(path, self._metadata)

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Write one line for each event: its stack and the metric, for flame graphs."""
        assert self.profiler is not None, "Profiler must be initialized before exporting stacks"
        self.profiler.export_stacks(path, metric)

    def export_memory_timeline(self, path: str, device: str | None = None) -> None:
        """Write the bytes that tensors held over time: pairs of (microseconds, bytes) as JSON."""
        assert self.profiler is not None, "Profiler must be initialized before exporting memory timeline"
        lacking = [name for name in ("record_shapes", "profile_memory", "with_stack") if not getattr(self, name)]
        if lacking:
            raise ValueError(f"{', '.join(f'{name}=True' for name in lacking)} required for memory profiling.")
        recorder = self.profiler._recorder
        times, held = [], []
        total = 0
        for at, _, size in recorder.changes:
            total += size
            times.append((at - recorder.started) / 1000)
            held.append(total)
        with open(path, "w") as file:
            json.dump([times, held], file)

    # ---- notes in the trace

    def add_metadata(self, key: str, value: str) -> None:
        """Put a text into the trace."""
        self._metadata[key] = json.dumps(value)

    def add_metadata_json(self, key: str, value: str) -> None:
        """Put a value into the trace that is JSON already."""
        self._metadata[key] = value

    def preset_metadata_json(self, key: str, value: str) -> None:
        """The same for the traces that are still to begin."""
        self.preset_metadata[key] = value

    def set_custom_trace_id_callback(self, callback: Callable[[], str]) -> None:
        self.custom_trace_id_callback = callback

    def get_trace_id(self) -> str | None:
        return None if self.profiler is None else self.profiler.trace_id


_MEASURES = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)


class profile(_KinetoProfile):
    """Measures operators and backward nodes: all of a ``with`` block, or the steps that a schedule picks.

    With a schedule call ``step()`` after each step; ``on_trace_ready`` is called with the profiler when a turn of the
    schedule is complete.
    """

    def __init__(
        self, *, activities: Iterable[Any] | None = None, schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[..., Any] | None = None, record_shapes: bool = False, profile_memory: bool = False,
        with_stack: bool = False, with_flops: bool = False, with_modules: bool = False, experimental_config: Any = None,
        execution_trace_observer: Any = None, acc_events: bool = False, use_cuda: bool | None = None,
        custom_trace_id_callback: Callable[[], str] | None = None, post_processing_timeout_s: float | None = None,
    ) -> None:  # fmt: skip
        if use_cuda is not None:
            warnings.warn(
                "`use_cuda` is deprecated, use `activities` argument instead", FutureWarning, stacklevel=2
            )
        super().__init__(
            activities=activities, record_shapes=record_shapes, profile_memory=profile_memory, with_stack=with_stack,
            with_flops=with_flops, with_modules=with_modules, experimental_config=experimental_config,
            execution_trace_observer=execution_trace_observer, acc_events=acc_events,
            custom_trace_id_callback=custom_trace_id_callback,
        )  # fmt: skip
        if activities is not None:
            assert self.activities, "No valid profiler activities found"
        self.schedule = _always if schedule is None else schedule
        self.record_steps = schedule is not None
        self.on_trace_ready = on_trace_ready
        self.step_num = 0
        self.current_action = self.schedule(0)
        self.step_rec_fn: prof.record_function | None = None

    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.stop()

    def start(self) -> None:
        self._go(ProfilerAction.NONE, self.current_action)
        self._begin_step()

    def stop(self) -> None:
        self._end_step()
        self._go(self.current_action, None)

    def step(self) -> None:
        """Say that a step of the schedule is over."""
        self._end_step()
        before = self.current_action
        self.step_num += 1
        self.current_action = self.schedule(self.step_num)
        self._go(before, self.current_action)
        prof.KinetoStepTracker.increment_step("ProfilerStep")
        self._begin_step()

    def _begin_step(self) -> None:
        if self.record_steps:
            self.step_rec_fn = prof.record_function(f"ProfilerStep#{self.step_num}")
            self.step_rec_fn.__enter__()

    def _end_step(self) -> None:
        if self.step_rec_fn is not None:
            self.step_rec_fn.__exit__(None, None, None)
            self.step_rec_fn = None

    def _go(self, before: ProfilerAction, now: ProfilerAction | None) -> None:
        """From one action to the next; None is the end of it all."""
        if before in _MEASURES:
            if now is ProfilerAction.RECORD or (now is ProfilerAction.RECORD_AND_SAVE and before is not now):
                if before is ProfilerAction.RECORD:
                    return
            elif before is ProfilerAction.RECORD and now is not None:
                warnings.warn(
                    "Incorrect schedule: RECORD followed by " + ("NONE" if now is ProfilerAction.NONE else "WARMUP"),
                    stacklevel=3,
                )
            self.stop_trace()
            if self.on_trace_ready is not None and (now is None or before is ProfilerAction.RECORD_AND_SAVE):
                self.on_trace_ready(self)
        elif now is None:
            if before is ProfilerAction.WARMUP or self.profiler is None:
                assert self.profiler is not None, "Profiler must be initialized before stopping trace"
            return
        if now is ProfilerAction.WARMUP or (now in _MEASURES and before is not ProfilerAction.WARMUP):
            self.prepare_trace()
        if now in _MEASURES:
            self.start_trace()


class ExecutionTraceObserver:
    """Writes the operators that a profiled program runs, and on what, to a JSON file."""

    def __init__(self) -> None:
        self._path: str | None = None
        self._profile: prof.profile | None = None

    def register_callback(self, output_file_path: str) -> ExecutionTraceObserver:
        self._path = output_file_path
        return self

    def unregister_callback(self) -> None:
        self.stop()
        self._path = None

    @property
    def is_registered(self) -> bool:
        return self._path is not None

    def get_output_file_path(self) -> str | None:
        return self._path

    def is_running(self) -> bool:
        return self._profile is not None

    def start(self) -> None:
        if self._path is not None and self._profile is None:
            self._profile = prof.profile(record_shapes=True)
            self._profile.__enter__()

    def stop(self) -> None:
        if self._profile is None or self._path is None:
            return
        self._profile.__exit__(None, None, None)
        nodes = [
            {"id": event.id, "name": event.name, "ctrl_deps": event.cpu_parent.id if event.cpu_parent else 1,
             "inputs": {"shapes": event.input_shapes}}
            for event in self._profile.function_events
        ]  # fmt: skip
        with open(self._path, "w") as file:
            json.dump({"schema": "1.1.1-chakra.0.0.4", "pid": os.getpid(), "nodes": nodes}, file)
        self._profile = None

    cleanup = unregister_callback
