"""``torch._dynamo.backends.common``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["aot_autograd"]


def aot_autograd(
    *, fw_compiler: Callable[..., Any], bw_compiler: Callable[..., Any] | None = None, **_: Any
) -> Callable[..., Any]:
    """A back end of two: one is given forward programs, the other one backward programs; by default it is the same."""

    def backend(gm: Any, example_inputs: list[Any]) -> Any:
        return fw_compiler(gm, example_inputs)

    backend.of_backward = bw_compiler or fw_compiler  # type: ignore[attr-defined]
    return backend
