"""``torch.utils.hooks``: the handle that registering a hook returns."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from ..autograd.graph import RemovableHandle

__all__ = ["RemovableHandle", "unserializable_hook", "warn_if_has_hooks"]


def unserializable_hook(f: Any) -> Any:
    """Marks a hook that pickling a tensor leaves out without a warning."""
    f.__torch_unserializable__ = True
    return f


def warn_if_has_hooks(tensor: Any) -> None:
    """Warn that hooks are not pickled with a tensor."""
    import warnings

    hooks: OrderedDict[int, Any] = tensor._backward_hooks or OrderedDict()
    for hook in hooks.values():
        if not hasattr(hook, "__torch_unserializable__"):
            warnings.warn(
                f"backward hook {hook!r} on tensor will not be serialized.  If this is expected, you can decorate the "
                "function with @torch.utils.hooks.unserializable_hook to suppress this warning",
                stacklevel=2,
            )
