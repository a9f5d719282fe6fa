"""PyTorch's ``torch.autograd.profiler``: times of operators, of backward nodes, and of ranges with names."""

from __future__ import annotations

import functools
import json
import uuid
import warnings
from collections.abc import Callable
from typing import Any

from .._core import state
from .profiler_util import (
    MEMORY_EVENT_NAME,
    DeviceType,  # noqa: F401
    EventList,
    FunctionEvent,
    FunctionEventAvg,
    MemRecordsAcc,
)

__all__ = [
    "EventList", "FunctionEvent", "KinetoStepTracker", "MemRecordsAcc", "emit_itt", "emit_nvtx", "load_nvprof",
    "profile", "record_function",
]  # fmt: skip


def _profiler_enabled() -> bool:
    return state.profiler is not None


def kineto_available() -> bool:
    """Whether ``profile`` can measure: it can."""
    return True


class profile:
    """Measures what runs within a ``with`` block, in all threads. The result is a list of events."""

    def __init__(
        self, enabled: bool = True, *, use_cuda: bool = False, use_device: str | None = None,
        record_shapes: bool = False, with_flops: bool = False, profile_memory: bool = False, with_stack: bool = False,
        with_modules: bool = False, use_kineto: bool = False, use_cpu: bool = True, experimental_config: Any = None,
        acc_events: bool = False, custom_trace_id_callback: Callable[[], str] | None = None,
        post_processing_timeout_s: float | None = None, activity_filters: Any = None,
    ) -> None:  # fmt: skip
        self.enabled = enabled
        self.use_cuda = use_cuda
        if use_cuda:
            warnings.warn(
                "The attribute `use_cuda` will be deprecated soon, please use ``use_device = 'cuda'`` instead.",
                FutureWarning, stacklevel=2,
            )  # fmt: skip
            warnings.warn("CUDA is not available, disabling CUDA profiling", stacklevel=2)
        if enabled:
            assert use_cpu or use_kineto, "Device-only events supported only with Kineto (use_kineto=True)"
        self.use_device = None
        self.use_cpu = use_cpu
        self.record_shapes = record_shapes
        self.with_flops = with_flops
        self.profile_memory = profile_memory
        self.with_stack = with_stack
        self.with_modules = with_modules
        self.acc_events = acc_events
        self.custom_trace_id_callback = custom_trace_id_callback
        self.trace_id = ""
        self.entered = False
        self._recorder: Any = None
        self._events: EventList | None = None
        self._before: list[FunctionEvent] = []

    # ---- measuring

    def __enter__(self) -> Any:
        if not self.enabled:
            return None
        if self.entered:
            raise RuntimeError("Profiler context manager is not reentrant")
        self._prepare_trace()
        self._start_trace()
        return self

    def _prepare_trace(self) -> None:
        self.entered = True
        self.trace_id = self.create_trace_id()

    def _start_trace(self) -> None:
        from ..profiler._recorder import Recorder  # it imports this module

        self.entered = True
        if self._events is not None and self.acc_events:
            self._before = list(self._events)
        self._events = None
        self._recorder = Recorder(self.record_shapes, self.profile_memory, self.with_stack, self.with_flops)
        self._recorder.start()

    def __exit__(self, *exc: object) -> None:
        if self.enabled and self._recorder is not None:
            self._recorder.stop()

    def default_trace_id(self) -> str:
        return uuid.uuid4().hex.upper()

    def create_trace_id(self) -> str:
        return (self.custom_trace_id_callback or self.default_trace_id)()

    # ---- what was found

    @property
    def function_events(self) -> EventList:
        """Everything that ran, in the order in which it began."""
        if self._events is None:
            found = [] if self._recorder is None else events_of(self._recorder)
            self._events = EventList(
                found, use_device=None, profile_memory=self.profile_memory, with_flops=self.with_flops
            )
            self._events._build_tree()  # of this cycle alone: each counts time from its own beginning
            self._events[:0] = self._before
        return self._events

    def __repr__(self) -> str:
        return repr(self.function_events)

    def __str__(self) -> str:
        return str(self.function_events)

    def table(
        self, sort_by: str | None = None, row_limit: int = 100, max_src_column_width: int = 75,
        max_name_column_width: int | None = 55, max_shapes_column_width: int | None = 80, header: str | None = None,
        top_level_events_only: bool = False, time_unit: str | None = None,
    ) -> str:  # fmt: skip
        return self.function_events.table(
            sort_by, row_limit, max_src_column_width, max_name_column_width, max_shapes_column_width, header,
            top_level_events_only, time_unit,
        )  # fmt: skip

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> EventList:
        return self.function_events.key_averages(group_by_input_shape, group_by_stack_n, group_by_overload_name)

    def total_average(self) -> FunctionEventAvg:
        return self.function_events.total_average()

    @property
    def self_cpu_time_total(self) -> float:
        return self.function_events.self_cpu_time_total

    def export_chrome_trace(self, path: str, metadata: dict[str, str] | None = None) -> None:
        """A file for chrome://tracing and Perfetto, packed if it is named ``.gz``."""
        from ..profiler import _chrome  # loaded when first used

        trace = {
            "schemaVersion": 1, "deviceProperties": [], "trace_id": self.trace_id,
            "profile_memory": int(self.profile_memory), "record_shapes": int(self.record_shapes),
            "with_stack": int(self.with_stack), "displayTimeUnit": "ms",
            **{key: json.loads(value) for key, value in (metadata or {}).items()},
            "traceEvents": _chrome.trace_of(self._recorder, self.function_events), "traceName": path,
        }  # fmt: skip
        _chrome.write(path, trace)

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        assert self.with_stack, "export_stacks() requires with_stack=True"
        self.function_events.export_stacks(path, metric)

    def toggle_collection_dynamic(self, enabled: bool, activities: Any) -> None:
        """Go on measuring, or pause."""
        if self._recorder is not None:
            state.set_profiler(self._recorder if enabled else None)


def events_of(recorder: Any) -> list[FunctionEvent]:
    """A recorder's spans as events, times in microseconds since it was started."""
    from ..profiler._recorder import BACKWARD, EVALUATE, shown_place  # it imports this module

    shown: dict[Any, str] = {}

    def place(at: Any) -> str:
        found = shown.get(at)
        if found is None:
            found = shown[at] = shown_place(at)
        return found

    def since(at: int) -> float:
        return (at - recorder.started) / 1000

    def of_a_node(span: Any) -> bool:
        return span.sequence_nr >= 0 and (span.scope == BACKWARD or span.name.startswith(EVALUATE))

    events = [
        FunctionEvent(
            id, "ProfilerStep*" if span.name.startswith("ProfilerStep#") else span.name, span.thread, since(span.start),
            since(span.end), overload_name="", trace_name=span.name, input_shapes=span.shapes, concrete_inputs=[],
            kwinputs={}, stack=[place(at) for at in span.stack], scope=span.scope, cpu_memory_usage=span.memory,
            sequence_nr=span.sequence_nr, flops=span.flops, is_user_annotation=span.is_user,
            activity_type="user_annotation" if span.is_user else "cpu_op",
            fwd_thread=span.thread if of_a_node(span) and not span.stack else 0,
            metadata_json=span.args,
        )
        for id, span in enumerate(sorted(recorder.spans, key=lambda span: span.start), 1)
    ]  # fmt: skip
    for at, thread, size in recorder.loose:
        events.append(
            FunctionEvent(0, MEMORY_EVENT_NAME, thread, since(at), since(at), overload_name="", input_shapes=[],
                          stack=[], flops=0, cpu_memory_usage=size, trace_name=MEMORY_EVENT_NAME)
        )  # fmt: skip
    return events


class record_function:
    """A name for what happens within a ``with`` block, or in each call of a decorated function."""

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name, self.args = name, args
        self._opened: list[Any] = []

    def __enter__(self) -> record_function:
        if not isinstance(self.name, str):
            raise RuntimeError(
                "profiler::_record_function_enter_new() Expected a value of type 'str' for argument 'name' but instead "
                f"found type '{type(self.name).__name__}'."
            )
        opened = None
        if state.profiler is not None:
            from ..profiler import _recorder  # it imports this module

            opened = _recorder.begin(self.name, scope=_recorder.USER)
            if opened is not None:
                opened[1].args = self.args
        self._opened.append(opened)
        return self

    def __exit__(self, *exc: object) -> None:
        opened = self._opened.pop()
        if opened is not None:
            opened[0].end(opened[1])

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(func)
        def named(*args: Any, **kwargs: Any) -> Any:
            with record_function(self.name, self.args):
                return func(*args, **kwargs)

        return named

    def _call_end_callbacks_on_future(self, fut: Any) -> Any:
        """End the range when a future is done; it stays open after the block."""
        opened, self._opened = self._opened, [None] * len(self._opened)

        def done(_: Any) -> Any:
            for each in opened:
                if each is not None:
                    each[0].end(each[1])
            return fut.value()

        return fut.then(done)


class emit_nvtx:
    """Ranges for NVIDIA's profilers, which need CUDA."""

    def __init__(self, enabled: bool = True, record_shapes: bool = False) -> None:
        self.enabled, self.record_shapes = enabled, record_shapes

    def __enter__(self) -> emit_nvtx | None:
        if self.enabled:
            raise AssertionError("Torch not compiled with CUDA enabled")
        return None

    def __exit__(self, *exc: object) -> None:
        pass


class emit_itt:
    """Ranges for Intel's VTune, which has nothing to attach to here: the block runs as it is."""

    def __init__(self, enabled: bool = True, record_shapes: bool = False) -> None:
        self.enabled, self.record_shapes = enabled, record_shapes
        self.entered = False

    def __enter__(self) -> emit_itt | None:
        if not self.enabled:
            return None
        if self.entered:
            raise RuntimeError("ITT annotation context manager is not reentrant")
        self.entered = True
        return self

    def __exit__(self, *exc: object) -> None:
        pass


def load_nvprof(path: str) -> EventList:
    """Traces of nvprof come from CUDA programs only."""
    raise RuntimeError(f"{path} cannot be read: traces of nvprof come from CUDA programs only")


class KinetoStepTracker:
    """Counts steps that several parts of a program announce: the greatest number of any of them counts."""

    _current_step = 0
    _steps: dict[str, int] = {}

    @classmethod
    def init_step_count(cls, requester: str) -> None:
        cls._steps[requester] = cls._current_step

    @classmethod
    def erase_step_count(cls, requester: str) -> bool:
        return cls._steps.pop(requester, None) is not None

    @classmethod
    def increment_step(cls, requester: str) -> int:
        cls._steps[requester] = cls._steps.get(requester, cls._current_step) + 1
        cls._current_step = max(cls._current_step, *cls._steps.values())
        return cls._current_step

    @classmethod
    def current_step(cls) -> int:
        return cls._current_step


