"""Anomaly mode: keep the stack of each forward call, and check each backward result for NaN."""

from __future__ import annotations

import traceback
import warnings
from typing import Any

import numpy as np

from .. import _state
from .graph import Node, user_frame


class set_detect_anomaly:
    """Switch anomaly mode on or off; as a function, or as a context manager."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        modes = _state.modes
        self.prev = modes.anomaly
        self.prev_check_nan = modes.anomaly_checks_nan
        _state.update(anomaly=mode, anomaly_checks_nan=check_nan)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        _state.update(anomaly=self.prev, anomaly_checks_nan=self.prev_check_nan)


class detect_anomaly:
    """Context manager that finds the operation whose gradient is NaN, or whose backward fails."""

    def __init__(self, check_nan: bool = True) -> None:
        self.check_nan = check_nan
        self.prev = (_state.modes.anomaly, _state.modes.anomaly_checks_nan)
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for "
            "debugging.",
            stacklevel=2,
        )

    def __enter__(self) -> None:
        self.prev = (_state.modes.anomaly, _state.modes.anomaly_checks_nan)
        _state.update(anomaly=True, anomaly_checks_nan=self.check_nan)

    def __exit__(self, *exc: object) -> None:
        _state.update(anomaly=self.prev[0], anomaly_checks_nan=self.prev[1])


def is_anomaly_enabled() -> bool:
    return _state.modes.anomaly


def is_anomaly_check_nan_enabled() -> bool:
    return _state.modes.anomaly_checks_nan


def remember(node: Node) -> None:
    """Keep the stack that made a node, and which node's backward was running then."""
    attached = node.attachments()
    attached.trace = traceback.format_stack(user_frame(2))
    task = _state.modes.running
    attached.parent = None if task is None else task.running


def run(node: Node, g: Any, xp: Any, edges: tuple[Any, ...]) -> Any:
    try:
        return node.backward(g, xp, edges)
    except BaseException:
        tell(node)
        raise


def check(node: Node, grads: Any, xp: Any) -> None:
    for i, g in enumerate(grads):
        if g is None:
            continue
        array = g if xp.is_raw else g._array
        if array.dtype.kind in "fc" and np.isnan(array).any():
            tell(node)
            raise RuntimeError(f"Function '{node.name()}' returned nan values in its {i}th output.")


def tell(node: Node) -> None:
    """Warn with the forward trace of a node, and of the nodes in whose backward it was made."""
    trace = node.attached.trace if node.attached is not None else None
    if trace is None:
        warnings.warn(
            f"Error detected in {node.name()}. No forward pass information available. Enable detect anomaly during "
            "forward pass for more information.",
            stacklevel=2,
        )
        return
    warnings.warn(
        f"Error detected in {node.name()}. Traceback of forward call that caused the error:\n{''.join(trace)}",
        stacklevel=2,
    )
    parent = node.attached.parent if node.attached is not None else None
    child = node
    while parent is not None:
        shown = parent.attached.trace if parent.attached is not None else None
        warnings.warn(
            f"\n\nPrevious calculation was induced by {parent.name()}. "
            + (
                f"Traceback of forward call that induced the previous calculation:\n{''.join(shown)}"
                if shown is not None
                else "No forward pass information available. Enable detect anomaly during forward pass for more "
                "information."
            ),
            stacklevel=2,
        )
        child, parent = parent, parent.attached.parent if parent.attached is not None else None
        if parent is child:
            break
