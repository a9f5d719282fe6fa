"""A redirect: ``torch.storage``, where PyTorch has the classes of storages."""

from ._core.storage import TypedStorage, UntypedStorage
from ._core.storage import _dtype_to_storage_type_map as _dtype_to_storage_type_map
from ._core.storage import _typed_from as _typed_from

__all__ = ["TypedStorage", "UntypedStorage"]
