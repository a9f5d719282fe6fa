"""A redirect for old pickles: see ``facula._old_paths``."""

from facula.ops.creation.exchange import _rebuild_meta_tensor as _rebuild_meta
from facula.ops.creation.exchange import _rebuild_tensor as _rebuild

__all__ = ["_rebuild", "_rebuild_meta"]
