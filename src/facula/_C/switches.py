"""Switches of PyTorch's core that programs turn. Here is one way of computing only: they are remembered."""

from __future__ import annotations

from collections.abc import Callable

__all__ = [
    "_debug_only_are_vmap_fallback_warnings_enabled", "_debug_only_display_vmap_fallback_warnings",
    "_get_mkldnn_enabled", "_set_mkldnn_enabled",
]  # fmt: skip


def _switch(on: bool) -> tuple[Callable[[], bool], Callable[[bool], None]]:
    """What tells it, and what turns it."""
    now = [on]

    def is_on() -> bool:
        return now[0]

    def turn(enabled: bool) -> None:
        now[0] = enabled

    return is_on, turn


_get_mkldnn_enabled, _set_mkldnn_enabled = _switch(True)
_debug_only_are_vmap_fallback_warnings_enabled, _debug_only_display_vmap_fallback_warnings = _switch(True)
