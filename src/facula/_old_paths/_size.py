"""A redirect for old pickles: see ``facula._old_paths``."""

from facula._core.size import Size

__all__ = ["Size"]
