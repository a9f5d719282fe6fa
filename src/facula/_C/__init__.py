"""Names that programs reach into PyTorch's core for."""

from __future__ import annotations

from typing import Any

from .. import _lazy
from .._core import state
from .._core.devices import device
from .._core.dtypes import dtype
from .._core.generator import Generator
from .._core.layouts import layout, memory_format
from .._core.size import Size
from .._core.storage import StorageBase
from .._core.strides import root_of
from .._core.unresolved import memory_of
from .._lazy import load
from .._tensor import Tensor
from ..autograd.grad_mode import is_grad_enabled as _is_grad_enabled
from ..overrides import (
    DisableTorchFunction,
    DisableTorchFunctionSubclass,
    _disabled_torch_dispatch_impl,
    _disabled_torch_function_impl,
)
from .cached_tensors import *  # noqa: F403
from .cached_tensors import __all__ as _of_cached_tensors
from .convolutions import *  # noqa: F403
from .convolutions import __all__ as _of_convolutions
from .dispatch_keys import *  # noqa: F403
from .dispatch_keys import __all__ as _of_dispatch_keys
from .switches import *  # noqa: F403
from .switches import __all__ as _of_switches

__all__ = [
    "DisableTorchFunction", "DisableTorchFunctionSubclass", "Generator", "Size", "StorageBase", "TensorBase",
    "_disabled_torch_dispatch_impl", "_disabled_torch_function_impl", "_is_grad_enabled", "device", "dtype", "layout",
    "memory_format", *_of_cached_tensors, *_of_convolutions, *_of_dispatch_keys, *_of_switches,
]  # fmt: skip

has_lapack = has_spectral = True
has_mkl = has_openmp = _has_mkldnn = _has_cuda = _has_cudnn = _has_magma = _has_mps = _has_xpu = False
TensorBase = _TensorBase = Tensor
_TensorMeta = type(Tensor)


_OF_THE_ENGINE = {
    "_WeakTensorRef": "WeakTensorRef", "_autograd": "Autograd", "_current_autograd_node": "current_autograd_node",
    "_current_graph_task_id": "current_graph_task_id", "_functions": "Functions",
    "_current_graph_task_execution_order": "current_graph_task_execution_order",
    "_will_engine_execute_node": "will_engine_execute_node",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _OF_THE_ENGINE:
        from ..autograd import _private  # loaded when first used

        found = getattr(_private, _OF_THE_ENGINE[name])
        value = globals()[name] = found() if name == "_functions" else found
        return value
    if name == "_functorch":
        return load("_C._functorch")
    if name in ("_get_autograd_fallback_mode", "_set_autograd_fallback_mode"):
        return getattr(load("_custom_op.fallback"), name)
    if name.startswith("_jit_"):
        return getattr(load("_jit_switches"), name)
    if name in ("Block", "Graph", "Node", "Value"):
        return getattr(load("_script_types"), name)
    if name == "_LinAlgError":
        return load("ops.linalg.matrices").LinAlgError
    if name.startswith("Script"):
        from .. import jit  # loaded when first used

        return getattr(jit, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _set_grad_enabled(enabled: bool) -> None:
    state.set_grad(enabled)


is_grad_enabled = _is_grad_enabled


def _is_fwd_grad_enabled() -> bool:
    return state.modes.forward_grad


def _set_fwd_grad_enabled(enabled: bool) -> None:
    state.update(forward_grad=enabled)


def _is_multithreading_enabled() -> bool:
    return state.modes.multithreading


def _get_tracing_state() -> None:
    """Programs are not traced."""
    return None


def _is_tracing() -> bool:
    return False


def _log_api_usage_once(event: str) -> None:
    """Nothing is logged."""


def _len_torch_function_stack() -> int:
    return len(state.modes.function_modes)


def _is_torch_function_mode_enabled() -> bool:
    return bool(state.modes.function_modes)


def _are_functorch_transforms_active() -> bool:
    return bool(state.modes.levels)


def _get_accelerator(check: bool | None = None) -> device:
    """Without an accelerator PyTorch names the CPU."""
    return device("cpu")


def _get_cudnn_enabled() -> bool:
    return True


def _is_alias_of(self: Tensor, other: Tensor) -> bool:
    """Whether two tensors have one storage."""
    return root_of(memory_of(self._array)) is root_of(memory_of(other._array))


def _infer_size(a: Any, b: Any) -> Any:
    """The size to which both broadcast."""
    from .._core.size import Size  # loaded when first used
    from ..ops.machine.operands import common_shape  # the same

    return Size(common_shape(tuple(a), tuple(b)))


def _get_privateuse1_backend_name() -> str:
    return "privateuseone"


class _DisableTorchDispatch:
    """While it lives, neither modes nor classes with ``__torch_dispatch__`` are asked."""

    def __init__(self) -> None:
        self._before = (state.modes.dispatch_disabled, state.modes.kernels)
        state.update(dispatch_disabled=True, kernels=None)

    def __del__(self) -> None:
        state.update(dispatch_disabled=self._before[0], kernels=self._before[1])


class _Functions:
    """The functions of a module as attributes, each when it is first asked for."""

    def __init__(self, module: str, prefix: str = "") -> None:
        self._module = module
        self._prefix = prefix

    def __getattr__(self, name: str) -> Any:
        from ..ops.machine.public import FUNCTIONS  # loaded when first used

        if not self._module:
            try:
                return FUNCTIONS[name]
            except KeyError:
                raise AttributeError(f"torch._C._VariableFunctions has no attribute {name!r}") from None
        public = "logsigmoid" if name == "log_sigmoid" else name.removeprefix(self._prefix)
        return getattr(load(self._module), public)

    def __dir__(self) -> list[str]:
        """What PyTorch has here: the functions."""
        names = load(self._module).__all__ if self._module else _lazy.FUNCTIONS
        return [f"{self._prefix}{name}" for name in sorted(names)]


class _Networks(_Functions):
    def __getattr__(self, name: str) -> Any:
        if "_pad" in name or name in ("slow_conv3d", "thnn_conv2d"):
            return getattr(load("ops.aten"), name)._function
        return super().__getattr__(name)

    def _parse_to(self, *args: Any, **kwargs: Any) -> tuple[Any, Any, bool, Any]:
        """What arguments of ``Module.to`` mean: device, dtype, whether not to wait, memory format."""
        from .._core.devices import parse  # loaded when first used
        from ..ops.creation.convert import parsed_to  # the same

        device, dtype, _, memory_format = parsed_to(args, kwargs)
        flags = [a for a in args if isinstance(a, bool)]
        quickly = flags[0] if flags else kwargs.get("non_blocking", False)
        return None if device is None else parse(device), dtype, quickly, memory_format


_VariableFunctions = _Functions("")
_VariableFunctionsClass = _Functions
_nn = _Networks("nn.functional")
_linalg = _Functions("linalg", "linalg_")
_fft = _Functions("fft", "fft_")
_special = _Functions("special", "special_")
