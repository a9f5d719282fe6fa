"""``torch.Stream`` and ``torch.Event``: the order of work on a device. The CPU has one, and is always done."""

from __future__ import annotations

from typing import Any

from .devices import device as Device

_TYPES = ("cpu", "cuda")
_NO_EVENTS = "cpu backend doesn't support events."


def _linked(where: Any, owner: str) -> str:
    """The kind of device, if there are such here."""
    if not isinstance(where, (str, int, Device)):
        kind = f"torch.{type(where).__name__}" if type(where) in (Stream, Event) else type(where).__name__
        raise TypeError(f"{owner}(): argument 'device' (position 1) must be torch.device, not {kind}")
    if isinstance(where, int):
        raise RuntimeError("Cannot access accelerator device when none is available.")
    kind = Device(where).type
    if kind not in ("cpu", "meta"):
        raise RuntimeError(f"PyTorch is not linked with support for {kind} devices")
    return kind


class Stream:
    """Work that is done in order. On the CPU all of it is done when it is asked for."""

    device_type: int
    device_index: int
    stream_id: int

    def __init__(self, device: Any = "cpu", *, priority: int = 0, **which: Any) -> None:
        if set(which) == {"stream_id", "device_index", "device_type"}:
            self._kind = _TYPES[which["device_type"]]
            vars(self).update(which)
            return
        for name in which:
            raise TypeError(f"Stream() got an unexpected keyword argument '{name}'")
        self._kind = _linked(device, "Stream")
        self.device_type, self.device_index, self.stream_id = 0, -1, 0

    @property
    def device(self) -> Device:
        """Where the work is done."""
        return Device(self._kind)

    def query(self) -> bool:
        """Whether all work is done."""
        return True

    def synchronize(self) -> None:
        """Wait for all work."""

    def is_capturing(self) -> bool:
        """Whether work is recorded for later."""
        return False

    @property
    def native_handle(self) -> int:
        """There is none."""
        raise RuntimeError("Backend doesn't support getting stream native handle.")

    def record_event(self, event: Event | None = None) -> Event:
        """The CPU knows no events."""
        raise RuntimeError(_NO_EVENTS)

    def wait_event(self, event: Event) -> None:
        """Everything has been computed already."""

    def wait_stream(self, stream: Stream) -> None:
        """The CPU knows no events by which a stream could wait."""
        raise RuntimeError(_NO_EVENTS)

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *error: Any) -> None:
        pass

    def _as_tuple(self) -> tuple[str, int, int]:
        return self._kind, self.device_index, self.stream_id

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and self._as_tuple() == other._as_tuple()

    def __hash__(self) -> int:
        return hash(self._as_tuple())

    def __repr__(self) -> str:
        return f"torch.Stream device_type={self._kind}, device_index={self.device_index}, stream_id={self.stream_id}"


class Event:
    """A place in a stream. The CPU records none."""

    def __init__(
        self, device: Any = "cpu", *, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False
    ) -> None:
        self._kind = _linked(device, "Event")
        self._enable_timing = enable_timing

    @property
    def device(self) -> Device:
        """Where it is recorded."""
        return Device(self._kind)

    @property
    def event_id(self) -> int:
        """0: it has not been recorded."""
        return 0

    def query(self) -> bool:
        """Whether all work before it is done."""
        return True

    def record(self, stream: Stream | None = None) -> None:
        """The CPU knows no events."""
        raise RuntimeError(_NO_EVENTS)

    def synchronize(self) -> None:
        """Wait for all work before it."""

    def wait(self, stream: Stream | None = None) -> None:
        """Let a stream wait for it."""

    def elapsed_time(self, end_event: Event) -> float:
        """Milliseconds between two events, if they are timed."""
        if not (self._enable_timing and end_event._enable_timing):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        raise ValueError("Both events must be recorded before calculating elapsed time.")

    def __repr__(self) -> str:
        flag = int(self._enable_timing)
        return f"torch.Event device_type={self._kind}, device_index=-1, event_flag={flag}, event_id=0"
