"""``torch.utils.hooks``: the handle that registering a hook returns."""

from __future__ import annotations

from typing import Any

from ..autograd.graph import RemovableHandle

__all__ = ["RemovableHandle", "unserializable_hook", "warn_if_has_hooks"]

_NOT_SERIALIZED = (
    "backward hook {} on tensor will not be serialized.  If this is expected, you can decorate the function with "
    "@torch.utils.hooks.unserializable_hook to suppress this warning"
)


def unserializable_hook(f: Any) -> Any:
    """Marks a hook that pickling a tensor leaves out without a warning."""
    f.__torch_unserializable__ = True
    return f


def warn_if_has_hooks(tensor: Any) -> None:
    """Warn that hooks are not pickled with a tensor."""
    import warnings  # loaded when first used

    unpickled = [
        hook for hook in (tensor._backward_hooks or {}).values() if not hasattr(hook, "__torch_unserializable__")
    ]
    for hook in unpickled:
        warnings.warn(_NOT_SERIALIZED.format(repr(hook)), stacklevel=2)
