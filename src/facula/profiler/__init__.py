"""PyTorch's ``torch.profiler``: what a program spends its time and memory on."""

from __future__ import annotations

from ..autograd.profiler import KinetoStepTracker, kineto_available, record_function
from ..autograd.profiler_util import DeviceType
from . import itt
from .profiler import (
    ExecutionTraceObserver,
    ProfilerAction,
    ProfilerActivity,
    _ExperimentalConfig,
    _KinetoProfile,
    profile,
    schedule,
    supported_activities,
    tensorboard_trace_handler,
)

__all__ = [
    "DeviceType", "ExecutionTraceObserver", "KinetoStepTracker", "ProfilerAction", "ProfilerActivity",
    "_ExperimentalConfig", "_KinetoProfile", "itt", "kineto_available", "profile", "record_function", "schedule",
    "supported_activities", "tensorboard_trace_handler",
]  # fmt: skip
