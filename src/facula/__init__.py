"""facula: PyTorch's autograd, API and semantics, on NumPy alone. ``import facula as torch``."""

# ruff: noqa: F401
from __future__ import annotations

import warnings as _warnings
from importlib import import_module as _import_module
from math import e, inf, nan, pi
from typing import Any as _Any

from . import _dtype as _dtypes
from . import autograd, overrides, return_types
from ._device import device
from ._dtype import (
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
from ._layout import (
    channels_last,
    channels_last_3d,
    contiguous_format,
    layout,
    memory_format,
    preserve_format,
    sparse_coo,
    sparse_csr,
    strided,
)  # fmt: skip
from ._repr import set_printoptions
from ._settings import (
    are_deterministic_algorithms_enabled,
    get_float32_matmul_precision,
    get_num_interop_threads,
    get_num_threads,
    is_deterministic_algorithms_warn_only_enabled,
    set_float32_matmul_precision,
    set_num_interop_threads,
    set_num_threads,
    typename,
    use_deterministic_algorithms,
)
from ._storage import TypedStorage, UntypedStorage, is_storage
from ._tensor import Size, Tensor
from .autograd.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)  # fmt: skip
from .ops import (  # one operator family a line; each fills FUNCTIONS with what becomes ``facula.<name>``
    _basic,
    activations,
    advanced,
    choice,
    compare,
    complex,
    convert,
    counting,
    create,
    decompositions,
    diagonals,
    distance,
    einsum,
    exchange,
    extrema,
    gather,
    index_along,
    indexing,
    inplace_views,
    joining,
    linalg,
    masked,
    matmul,
    norms,
    order,
    parts,
    pointwise,
    put_parts,
    random,
    random_inplace,
    rearrange,
    reduce,
    scan,
    scatter_reduce,
    shape,
    softmax,
    sorting,
    special,
    splitting,
    transcendental,
    variance,
    windows,
)
from .ops._forms import FUNCTIONS as _FUNCTIONS

__version__ = "0.1.0"

# NumPy warns of overflow, division by zero and invalid values where PyTorch is silent.
_warnings.filterwarnings("ignore", category=RuntimeWarning, module="facula")

globals().update(_FUNCTIONS)
globals().update(_dtypes.ALIASES)

newaxis = None

_LAZY = (
    "_C", "_tensor_str", "backends", "compile", "cuda", "distributed", "fft", "func", "hub", "jit", "linalg", "nn",
    "optim", "random", "special", "testing", "utils",
)  # fmt: skip
"""Submodules that are loaded when first asked for."""

_LAZY_NAMES = {"save": "_serialization", "load": "_serialization"}
"""Functions from modules that are loaded when first asked for."""


def __getattr__(name: str) -> _Any:
    if name in _LAZY_NAMES:
        value = globals()[name] = getattr(_import_module(f"{__name__}.{_LAZY_NAMES[name]}"), name)
        return value
    if name in _LAZY:
        try:
            return _import_module(f"{__name__}.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"{__name__}.{name}":
                raise
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY, *_LAZY_NAMES})


for _name, _value in list(globals().items()):
    if getattr(_value, "__name__", "").startswith("facula.ops."):
        del globals()[_name]  # the files that operators are defined in are no public names
__all__ = sorted(n for n in {*globals(), *_LAZY_NAMES} if not n.startswith("_") and n not in ("annotations", "ops"))
