"""PyTorch's ``torch.autograd``: backward, grad, Function, graph, modes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from . import engine, grad_mode, graph
from .anomaly import detect_anomaly, set_detect_anomaly
from .anomaly import is_anomaly_check_nan_enabled as is_anomaly_check_nan_enabled
from .anomaly import is_anomaly_enabled as is_anomaly_enabled
from .differentiate import backward, grad
from .grad_mode import _force_original_view_tracking as _force_original_view_tracking
from .grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled, set_multithreading_enabled
from .grad_mode import is_multithreading_enabled as is_multithreading_enabled
from .grad_mode import is_view_replay_enabled as is_view_replay_enabled
from .gradcheck import gradcheck, gradgradcheck

if TYPE_CHECKING:
    from . import forward_ad, function, functional, variable
    from . import profiler as profiler
    from .function import Function
    from .function import NestedIOFunction as NestedIOFunction
    from .saved import SavedTensor as SavedTensor
    from .variable import Variable

__all__ = [
    "Function", "Variable", "backward", "detect_anomaly", "enable_grad", "forward_ad", "function", "functional",
    "grad", "grad_mode", "gradcheck", "gradgradcheck", "graph", "inference_mode", "no_grad", "set_detect_anomaly",
    "set_grad_enabled", "set_multithreading_enabled", "variable",
]  # fmt: skip

_LAZY = {
    "Function": ("function", "Function"),
    "_functions": ("_functions", None),
    "_profiler_enabled": ("profiler", "_profiler_enabled"),
    "kineto_available": ("profiler", "kineto_available"),
    "SavedTensor": ("saved", "SavedTensor"),
    "NestedIOFunction": ("function", "NestedIOFunction"),
    "forward_ad": ("forward_ad", None),
    "function": ("function", None),
    "functional": ("functional", None),
    "profiler": ("profiler", None),
    "profiler_util": ("profiler_util", None),
    "variable": ("variable", None),
    "Variable": ("variable", "Variable"),
}


def __getattr__(name: str) -> Any:
    if name == "torch":  # under this name programs of old find the whole library
        import facula  # it imports this module

        torch = sys.modules.get("torch")
        return torch if getattr(torch, "Tensor", None) is facula.Tensor else facula
    if name not in _LAZY:
        raise AttributeError(f"module 'facula.autograd' has no attribute {name!r}")
    import importlib  # loaded when first used

    module_name, attribute = _LAZY[name]
    module = importlib.import_module(f"facula.autograd.{module_name}")
    found = module if attribute is None else getattr(module, attribute)
    globals()[name] = found
    return found


def _calculate_shape(output: Any, grad: Any, is_grads_batched: bool) -> tuple[Any, Any]:
    """The shapes that must be the same for a gradient to start from: an output's, and that of one item of ``grad``."""
    return output.shape, grad.shape[1:] if is_grads_batched else grad.shape


class _unsafe_preserve_version_counter:
    """Within it, in-place changes of a tensor are hidden from the checks. You are on your own."""

    def __init__(self, tensors: Any) -> None:
        self.tensors = (tensors,) if isinstance(tensors, engine.Tensor_) else tuple(tensors)

    def __enter__(self) -> None:
        self.versions = [t._version for t in self.tensors]

    def __exit__(self, *exc: object) -> None:
        for t, version in zip(self.tensors, self.versions):
            t._shared_counter()[0] = version
