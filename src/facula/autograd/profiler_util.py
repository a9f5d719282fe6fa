"""What a profiler found: events, their sums by name, and PyTorch's table of them."""

from __future__ import annotations

import enum
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from ._profiler_table import build_table, format_memory, format_time, format_time_share

__all__ = [
    "EventList", "FormattedTimesMixin", "FunctionEvent", "FunctionEventAvg", "Interval", "Kernel", "MemRecordsAcc",
    "StringTable",
]  # fmt: skip

_format_time, _format_memory, _format_time_share = format_time, format_memory, format_time_share

MEMORY_EVENT_NAME = "[memory]"


class DeviceType(enum.Enum):
    """Where an event took place: always the CPU here."""

    CPU = 0
    CUDA = 1

    def __str__(self) -> str:
        return f"DeviceType.{self.name}"


class Interval:
    """A stretch of time, in microseconds."""

    def __init__(self, start: float, end: float) -> None:
        self.start, self.end = start, end

    def elapsed_us(self) -> float:
        return self.end - self.start


class Kernel:
    """Work on another device; there is none here."""

    def __init__(self, name: str, device: int, duration: float) -> None:
        self.name, self.device, self.duration = name, device, duration


class StringTable(defaultdict[str, str]):
    """Names by themselves: Python's need no demangling."""

    def __missing__(self, key: str) -> str:
        self[key] = key
        return key


class MemRecordsAcc:
    """Records of allocations, for asking which fall into an interval."""

    def __init__(self, mem_records: Iterable[Any]) -> None:
        self._records = sorted(mem_records, key=lambda record: record[0].start_ns())

    def in_interval(self, start_us: float, end_us: float) -> Iterable[Any]:
        return (r for r in self._records if start_us * 1000 <= r[0].start_ns() <= end_us * 1000)


class FormattedTimesMixin:
    """Times as text, and the averages."""

    count: int
    cpu_time_total: Any
    self_cpu_time_total: Any
    device_time_total: Any
    self_device_time_total: Any

    @property
    def cpu_time(self) -> float:
        return 0.0 if self.count == 0 else 1.0 * self.cpu_time_total / self.count

    @property
    def device_time(self) -> float:
        return 0.0 if self.count == 0 else 1.0 * self.device_time_total / self.count

    cuda_time = device_time
    cpu_time_str = property(lambda self: format_time(self.cpu_time))
    cpu_time_total_str = property(lambda self: format_time(self.cpu_time_total))
    self_cpu_time_total_str = property(lambda self: format_time(self.self_cpu_time_total))
    device_time_str = property(lambda self: format_time(self.device_time))
    device_time_total_str = property(lambda self: format_time(self.device_time_total))
    self_device_time_total_str = property(lambda self: format_time(self.self_device_time_total))


class FunctionEvent(FormattedTimesMixin):
    """One run of an operator, a backward node, or a range that the user has named."""

    def __init__(
        self, id: int, name: str, thread: int, start_us: float, end_us: float, overload_name: str | None = None,
        fwd_thread: int | None = None, input_shapes: Any = None, stack: Any = None, scope: int = 0,
        use_device: str | None = None, cpu_memory_usage: int = 0, device_memory_usage: int = 0, is_async: bool = False,
        is_remote: bool = False, sequence_nr: int = -1, node_id: int = -1, device_type: Any = DeviceType.CPU,
        device_index: int = 0, device_resource_id: int | None = None, is_legacy: bool = False, flops: Any = None,
        trace_name: str | None = None, concrete_inputs: Any = None, kwinputs: Any = None,
        is_user_annotation: bool = False, is_python_function: bool = False, activity_type: str | None = None,
        metadata_json: Any = None, **unused: Any,
    ) -> None:  # fmt: skip
        self.id = id
        self.node_id = node_id
        self.name = name
        self.overload_name = overload_name
        self.trace_name = trace_name
        self.time_range = Interval(start_us, end_us)
        self.thread = thread
        self.fwd_thread = fwd_thread
        self.kernels: list[Kernel] = []
        self.count = 1
        self.cpu_children: list[FunctionEvent] = []
        self.cpu_parent: FunctionEvent | None = None
        self.input_shapes = input_shapes
        self.concrete_inputs = concrete_inputs
        self.kwinputs = kwinputs
        self.stack = stack
        self.scope = scope
        self.use_device = use_device
        self.cpu_memory_usage = cpu_memory_usage
        self.device_memory_usage = device_memory_usage
        self.is_async = is_async
        self.is_remote = is_remote
        self.sequence_nr = sequence_nr
        self.device_type = device_type
        self.device_index = device_index
        self.device_resource_id = thread if device_resource_id is None else device_resource_id
        self.is_legacy = is_legacy
        self.flops = flops
        self.is_user_annotation = is_user_annotation
        self.is_python_function = is_python_function
        self.activity_type = activity_type
        self.self_cpu_percent = -1
        self.total_cpu_percent = -1
        self.total_device_percent = -1
        self.metadata_json = metadata_json

    def append_cpu_child(self, child: FunctionEvent) -> None:
        assert isinstance(child, FunctionEvent), "Expected child to be a FunctionEvent"
        self.cpu_children.append(child)

    def set_cpu_parent(self, parent: FunctionEvent) -> None:
        assert isinstance(parent, FunctionEvent), "Expected parent to be a FunctionEvent"
        self.cpu_parent = parent

    def append_kernel(self, name: str, device: int, duration: float) -> None:
        self.kernels.append(Kernel(name, device, duration))

    @property
    def key(self) -> str:
        return self.name

    @property
    def cpu_time_total(self) -> float:
        return self.time_range.elapsed_us()

    @property
    def self_cpu_time_total(self) -> float:
        if self.is_async:
            return 0
        return self.cpu_time_total - sum(child.cpu_time_total for child in self.cpu_children if not child.is_async)

    @property
    def self_cpu_memory_usage(self) -> int:
        if self.is_async:
            return 0
        return self.cpu_memory_usage - sum(child.cpu_memory_usage for child in self.cpu_children)

    device_time_total = self_device_time_total = cuda_time_total = self_cuda_time_total = 0
    self_device_memory_usage = self_cuda_memory_usage = 0

    def __repr__(self) -> str:
        def own(names: str) -> list[tuple[str, Any]]:
            return [(name, getattr(self, name)) for name in names.split()]

        told = [
            *own("id name overload_name device_type node_id"), ("cpu_time", self.cpu_time_str),
            ("start_us", self.time_range.start), ("end_us", self.time_range.end),
            ("cpu_children", [child.id for child in self.cpu_children]),
            (f"{self.use_device}_time", self.device_time_str), *own("name thread input_shapes cpu_memory_usage"),
            (f"{self.use_device}_memory_usage", self.device_memory_usage),
            *own("is_async is_remote"), ("seq_nr", self.sequence_nr), *own("is_legacy"),
        ]  # fmt: skip
        return f"<FunctionEvent {' '.join(f'{name}={value}' for name, value in told)}>"


_SUMMED = (
    "cpu_time_total", "device_time_total", "self_cpu_time_total", "self_device_time_total", "cpu_memory_usage",
    "device_memory_usage", "self_cpu_memory_usage", "self_device_memory_usage", "count",
)  # fmt: skip
_TAKEN = (
    "node_id", "is_async", "is_remote", "cpu_parent", "cpu_children", "overload_name", "input_shapes", "stack", "scope",
    "device_type", "is_legacy", "use_device", "is_user_annotation",
)  # fmt: skip


class FunctionEventAvg(FormattedTimesMixin):
    """The sums over events that go by one key."""

    key: str | None = None
    count = node_id = flops = 0
    cpu_time_total = self_cpu_time_total = device_time_total = self_device_time_total = 0
    cpu_memory_usage = self_cpu_memory_usage = device_memory_usage = self_device_memory_usage = 0
    is_async = is_remote = is_legacy = False
    use_device: str | None = None
    overload_name: str | None = None
    scope: int | None = None
    cpu_children: list[FunctionEvent] | None = None
    cpu_parent: FunctionEvent | None = None
    device_type = DeviceType.CPU
    input_shapes: Any = None
    stack: Any = None

    def add(self, other: Any) -> FunctionEventAvg:
        """Count another event of the same key in."""
        assert isinstance(other, (FunctionEvent, FunctionEventAvg)), (
            "Expected other to be a FunctionEvent or FunctionEventAvg"
        )
        if self.key is None:  # the first
            self.key = other.key
            for name in _TAKEN:
                setattr(self, name, getattr(other, name))
        assert other.key == self.key, f"Expected keys to match, but got {other.key} vs {self.key}"
        for name in _SUMMED:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.flops += other.flops or 0
        return self

    __iadd__ = add

    def __repr__(self) -> str:
        device = "cuda" if not self.use_device else self.use_device
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} "
            f"cpu_time={self.cpu_time_str}  self_{device}_time={self.self_device_time_total_str} "
            f"{device}_time={self.device_time_str} input_shapes={self.input_shapes} "
            f"cpu_memory_usage={self.cpu_memory_usage} {device}_memory_usage={self.device_memory_usage}>"
        )


_ALWAYS_TOLD_APART = ("key", "node_id", "device_type", "is_legacy", "is_user_annotation")
_LIST_SETTINGS = {"use_device": None, "profile_memory": False, "with_flops": False}


class EventList(list[Any]):
    """Events, or sums of them, that can be summed, printed and exported."""

    _use_device: str | None
    _profile_memory: bool
    _with_flops: bool

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._tree_built = False
        for setting, usual in _LIST_SETTINGS.items():
            setattr(self, f"_{setting}", kwargs.pop(setting, usual))
        super().__init__(*args, **kwargs)

    # ---- which event happened within which

    def _build_tree(self) -> None:
        self._populate_cpu_children()
        self._remove_dup_nodes()
        self._set_backward_stacktraces()
        self._tree_built = True

    def _populate_cpu_children(self) -> None:
        """In each thread the events that lie within another's time are its children."""
        threads: dict[Any, list[FunctionEvent]] = defaultdict(list)
        for event in self:
            if not event.is_async and event.name != MEMORY_EVENT_NAME:
                threads[event.thread, event.node_id].append(event)
        for events in threads.values():
            events.sort(key=lambda event: (event.time_range.start, -event.time_range.end))
            open_events: list[FunctionEvent] = []
            for event in events:
                span = event.time_range
                while open_events and (
                    span.start >= open_events[-1].time_range.end or span.end > open_events[-1].time_range.end
                ):
                    open_events.pop()
                if open_events:
                    open_events[-1].append_cpu_child(event)
                    event.set_cpu_parent(open_events[-1])
                open_events.append(event)

    def _remove_dup_nodes(self) -> None:
        """An event whose only child goes by the same name takes that child's place."""
        while True:
            again = [
                event for event in self
                if event.cpu_parent is not None and event.cpu_parent.name == event.name
                and len(event.cpu_parent.cpu_children) == 1
            ]  # fmt: skip
            if not again:
                return
            gone = {id(event) for event in again}
            for event in again:
                event.cpu_parent.cpu_children = event.cpu_children
                for child in event.cpu_children:
                    child.cpu_parent = event.cpu_parent
            self[:] = [event for event in self if id(event) not in gone]

    def _set_backward_stacktraces(self) -> None:
        """A backward node happened where the operation was called that it belongs to."""
        stacks: dict[tuple[int, int], Any] = {}
        for event in self:
            if not event.fwd_thread and event.sequence_nr >= 0 and event.stack:
                stacks.setdefault((event.sequence_nr, event.thread), event.stack)
        for event in self:
            if event.fwd_thread and event.sequence_nr >= 0:
                event.stack = stacks.get((event.sequence_nr, event.fwd_thread), event.stack or [])

    # ---- looking at it

    @property
    def self_cpu_time_total(self) -> float:
        return sum(event.self_cpu_time_total for event in self)

    def __str__(self) -> str:
        return self.table()

    def table(
        self, sort_by: str | None = None, row_limit: int = 100, max_src_column_width: int = 75,
        max_name_column_width: int | None = 55, max_shapes_column_width: int | None = 80, header: str | None = None,
        top_level_events_only: bool = False, time_unit: str | None = None,
    ) -> str:  # fmt: skip
        """The events as PyTorch prints them, those with most of ``sort_by`` first."""
        return build_table(
            self, sort_by, row_limit, max_src_column_width, max_name_column_width, max_shapes_column_width, header,
            top_level_events_only, time_unit, self._profile_memory, self._with_flops,
        )  # fmt: skip

    def key_averages(
        self, group_by_input_shapes: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False
    ) -> EventList:
        """The sums over events with one name, or also with one kind of arguments or place in the program."""
        told_apart = {"overload_name": group_by_overload_name, "input_shapes": group_by_input_shapes}
        asked = [name for name, wanted in told_apart.items() if wanted]
        depth = max(0, group_by_stack_n)
        sums: dict[tuple[Any, ...], FunctionEventAvg] = {}
        for event in self:
            always = (getattr(event, name) for name in _ALWAYS_TOLD_APART)
            key = (*always, *(str(getattr(event, name)) for name in asked), *(event.stack or [])[:depth])
            sums.setdefault(key, FunctionEventAvg()).add(event)
        for each in sums.values():
            each.stack = (each.stack or [])[:group_by_stack_n]
            for name in told_apart.keys() - asked:
                setattr(each, name, "")
        return EventList(sums.values(), **{name: getattr(self, f"_{name}") for name in _LIST_SETTINGS})

    def total_average(self) -> FunctionEventAvg:
        """The sums over all events."""
        total = FunctionEventAvg()
        for event in self:
            total.key = None
            total.add(event)
        total.key = "Total"
        return total

    # ---- for other programs

    def export_chrome_trace(self, path: str) -> None:
        """A file for chrome://tracing and Perfetto."""
        from ..profiler._chrome import events_of, write  # it imports this module

        write(path, {"traceEvents": list(events_of(self))})

    def supported_export_stacks_metrics(self) -> list[str]:
        return ["self_cpu_time_total", "self_cuda_time_total", "self_xpu_time_total", "self_privateuse1_time_total"]

    def export_stacks(self, path: str, metric: str) -> None:
        """One line for each event: its stack, outermost first, and the metric: what flame graphs are drawn from."""
        if metric not in self.supported_export_stacks_metrics():
            raise ValueError("metric should be one of: " + str(self.supported_export_stacks_metrics()))
        tidy = str.maketrans(" ;\t\n", "____")
        with open(path, "w") as file:
            for event in self:
                if event.stack:
                    value = getattr(event, metric.replace("cuda", "device").replace("xpu", "device")
                                    .replace("privateuse1", "device"))  # fmt: skip
                    if int(value) > 0:
                        line = ";".join(entry.translate(tidy) for entry in reversed(event.stack))
                        file.write(f"{line} {int(value)}\n")


