"""facula: PyTorch's autograd, API and semantics, on NumPy alone. ``import facula as torch``."""

# ruff: noqa: F401
from __future__ import annotations

import os as _os
import warnings as _warnings
from math import e, inf, nan, pi
from typing import Any as _Any

from . import _lazy, autograd, overrides
from ._core import dtypes as _dtypes
from ._core import memory
from ._core.devices import device
from ._core.dtypes import (
    bfloat16,
    complex32,
    complex64,
    complex128,
    dtype,
    finfo,
    float16,
    float32,
    float64,
    get_default_dtype,
    iinfo,
    int8,
    int16,
    int32,
    int64,
    promote_types,
    set_default_dtype,
    uint8,
    uint16,
    uint32,
    uint64,
)  # fmt: skip
from ._core.layouts import (
    channels_last,
    channels_last_3d,
    contiguous_format,
    jagged,
    layout,
    memory_format,
    preserve_format,
    sparse_bsc,
    sparse_bsr,
    sparse_coo,
    sparse_csc,
    sparse_csr,
    strided,
)  # fmt: skip
from ._core.size import Size
from ._tensor import Tensor
from .autograd.anomaly import is_anomaly_check_nan_enabled, is_anomaly_enabled
from .autograd.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)  # fmt: skip

__version__ = "0.1.0"

# Also found here: PyTorch's modules that only answer "no", and the modules that old pickles name.
__path__ += [_os.path.join(__path__[0], *_folder) for _folder in (("_torch", "absent"), ("_old_paths",))]

# NumPy warns of overflow, division by zero and invalid values where PyTorch is silent.
_warnings.filterwarnings("ignore", category=RuntimeWarning, module="facula")

memory.begin()

globals().update(_dtypes.ALIASES | _dtypes.BY_NAME_ONLY)

newaxis = None

_SUBMODULES = (
    "_C", "_VF", "__config__", "__future__", "_custom_ops", "_dynamo", "_functorch", "_guards",
    "_higher_order_ops", "_jit_internal", "_lobpcg", "_logging", "_ops", "_subclasses", "_tensor_str", "_utils",
    "_vmap_internals", "accelerator", "amp", "ao", "backends", "compiler", "cpu", "cuda", "distributed",
    "distributions", "export", "fft", "func", "functional", "futures", "fx", "hub", "jit", "library", "linalg",
    "masked", "mps", "mtia", "multiprocessing", "nn", "onnx", "optim", "profiler", "quasirandom", "random",
    "return_types", "safetensors", "serialization", "signal", "sparse", "special", "storage", "testing",
    "torch_version", "types", "utils", "version", "viz", "xpu",
)  # fmt: skip
"""Submodules that are loaded when first asked for."""

_NAMES = {
    name: module
    for module, names in {
        "_explain.ask": "explain why",
        "_explain.watch": "watch",
        "_ops": "Tag",
        "_core.layouts": "_mkldnn jagged legacy_contiguous_format sparse_bsc sparse_bsr sparse_csc",
        "_torch.as_torch": "as_torch",
        "autograd.steps": "steps",
        "show.drawing": "draw",
        "show.page": "explore",
        "amp": "GradScaler autocast",
        "amp.autocast_mode": """
            autocast_decrement_nesting autocast_increment_nesting clear_autocast_cache get_autocast_cpu_dtype
            get_autocast_dtype get_autocast_gpu_dtype is_autocast_cache_enabled
            is_autocast_cpu_enabled is_autocast_enabled set_autocast_cache_enabled set_autocast_cpu_dtype
            set_autocast_cpu_enabled set_autocast_dtype set_autocast_enabled set_autocast_gpu_dtype
        """,
        "_assertions": """
            _assert _assert_async _assert_tensor_metadata _check _check_index _check_is_size
            _check_not_implemented _check_tensor_all _check_type _check_value _check_with
        """,
        "_script_types": """
            AnyType BoolType ComplexType DeviceObjType FloatType IntType NoneType NumberType PyObjectType
            StreamObjType StringType TensorType Type
        """,
        "_symbols": """
            SymBool SymFloat SymInt sym_float sym_int sym_ite sym_max sym_min sym_not sym_sqrt sym_sum
        """,
        "compiler": "_disable_dynamo compile",
        "cuda": "OutOfMemoryError",
        "futures": "Future",
        "jit": "ScriptFunction ScriptModule",
        "func": "vmap",
        "_higher_order_ops.cond": "cond",
        "_higher_order_ops.while_loop": "while_loop",
        "_printing": "set_printoptions",
        "serialization": "load save",
        "serialization._file_reader": "PyTorchFileReader",
        "_core.device_streams": "Event Stream",
        "_core.settings": """
            _nnpack_available are_deterministic_algorithms_enabled compiled_with_cxx11_abi get_deterministic_debug_mode
            get_device_module get_file_path get_float32_matmul_precision get_num_interop_threads get_num_threads
            is_deterministic_algorithms_warn_only_enabled is_vulkan_available is_warn_always_enabled
            set_deterministic_debug_mode set_float32_matmul_precision set_flush_denormal set_num_interop_threads
            set_num_threads set_warn_always typename use_deterministic_algorithms
        """,
        "_core.storage": """
            BFloat16Storage BoolStorage ByteStorage CharStorage ComplexDoubleStorage ComplexFloatStorage DoubleStorage
            FloatStorage HalfStorage IntStorage LongStorage ShortStorage Storage StorageBase TypedStorage
            UntypedStorage is_storage
        """,
    }.items()
    for name in names.split()
}
"""What comes from modules that are loaded when first asked for. Operators are another matter: see ``_lazy``."""


def __getattr__(name: str) -> _Any:
    if name in _lazy.FUNCTIONS:
        _lazy.load(_lazy.FUNCTIONS[name])
        from .docstrings import document  # loaded when first used
        from .ops.machine.public import FUNCTIONS  # it imports this module

        value = globals()[name] = _lazy.at_home(document(FUNCTIONS[name], name), __name__, name)
        return value
    if name in _NAMES:
        value = getattr(_lazy.load(_NAMES[name]), name)
        if name != "Storage":  # it is another one when the default dtype is
            globals()[name] = value
        return value
    if name in _SUBMODULES:
        try:
            return _lazy.load(name)
        except ModuleNotFoundError as error:
            if error.name != f"{__name__}.{name}":
                raise
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_lazy.FUNCTIONS, *_NAMES, *_SUBMODULES})


__all__ = sorted(
    name
    for name in {*globals(), *_lazy.FUNCTIONS, *_NAMES, "return_types"}
    if not name.startswith("_") and name not in ("annotations", "ops")
)
