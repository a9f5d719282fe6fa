"""``torch.storage``: the classes of storages."""

from ._core.storage import TypedStorage, UntypedStorage

__all__ = ["TypedStorage", "UntypedStorage"]
