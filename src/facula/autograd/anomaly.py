"""Anomaly mode: keep the stack of each forward call, and check each backward result for NaN."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np

from .._core import state
from ..ops.machine.errors import type_of
from .graph import Node, user_frame

enabled = False
checks_nan = True
"""Unlike the grad mode these hold for all threads."""


def _switch(mode: bool, check_nan: bool) -> None:
    global enabled, checks_nan
    for at, (name, value) in enumerate((("enabled", mode), ("check_nan", check_nan)), 1):
        if value.__class__ is not bool:
            raise TypeError(
                f"set_anomaly_enabled(): argument '{name}' (position {at}) must be bool, not {type_of(value)}"
            )
    enabled, checks_nan = mode, check_nan
    state.set_anomaly(mode)


class set_detect_anomaly:
    """Switch anomaly mode on or off; as a function, or as a context manager."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self.prev = (enabled, checks_nan)
        _switch(mode, check_nan)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        _switch(*self.prev)


_SLOW = (
    "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for debugging."
)


class detect_anomaly:
    """Context manager that finds the operation whose gradient is NaN, or whose backward fails."""

    def __init__(self, check_nan: bool = True) -> None:
        self.check_nan, self.prev = check_nan, (enabled, checks_nan)
        warnings.warn(_SLOW, stacklevel=2)

    def __enter__(self) -> None:
        self.prev = (enabled, checks_nan)
        _switch(True, self.check_nan)

    def __exit__(self, *exc: object) -> None:
        _switch(*self.prev)


def is_anomaly_enabled() -> bool:
    """Whether anomaly mode is on."""
    return enabled


def is_anomaly_check_nan_enabled() -> bool:
    """Whether anomaly mode looks for NaN in gradients."""
    return checks_nan


def remember(node: Node) -> None:
    """Keep the stack that made a node, and which node's backward was running then."""
    import traceback  # loaded when first used

    metadata = node.metadata
    metadata["traceback_"] = traceback.format_stack(user_frame(2))
    task = state.modes.running
    if task is not None and task.running is not None:
        metadata["parent_"] = task.running


def check(node: Node, grads: Any, xp: Any) -> None:
    for i, g in enumerate(grads):
        if g is None:
            continue
        array = g if xp.is_raw else g._array
        if array.dtype.kind in "fc" and np.isnan(array).any():
            tell(node)
            from .._explain import errors  # loaded when something went wrong

            message = f"Function '{node.name()}' returned nan values in its {i}th output."
            raise errors.not_a_number(RuntimeError(message), node)


def tell(node: Node) -> None:
    """Warn with the forward trace of a node, and of the nodes in whose backward it was made."""
    unknown = "No forward pass information available. Enable detect anomaly during forward pass for more information."
    trace = node.metadata.get("traceback_")
    known = None if trace is None else f"Traceback of forward call that caused the error:\n{''.join(trace)}"
    _warn(f"Error detected in {node.name()}. {known or unknown}")
    parent = node.metadata.get("parent_")
    while parent is not None:
        trace = parent.metadata.get("traceback_")
        told = "Traceback of forward call that induced the previous calculation:\n"
        known = None if trace is None else told + "".join(trace)
        _warn(f"\n\nPrevious calculation was induced by {parent.name()}. {known or unknown}")
        parent = parent.metadata.get("parent_")


def _warn(message: str) -> None:
    """Warn, but never in place of the error that is being told of, even where warnings are errors."""
    try:
        warnings.warn(message, stacklevel=3)
    except Warning as warning:
        print(f"{type(warning).__name__}: {warning}", file=sys.stderr)
