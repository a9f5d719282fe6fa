"""A redirect for old pickles: see ``facula._old_paths``."""

from facula._core.storage import TypedStorage, UntypedStorage, _typed_from

__all__ = ["TypedStorage", "UntypedStorage", "_typed_from"]
