"""A redirect for old pickles: see ``facula._old_paths``."""

from facula._core import layouts
from facula._core.layouts import layout, memory_format

__all__ = ["_by_name", "layout", "memory_format"]

_by_name = vars(layouts).__getitem__
