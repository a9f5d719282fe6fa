"""Casting for ``torch.autocast``: what operators do while it is on.

NOTE [autocast]: while it is on, ``state.modes.autocast`` is a dtype and the state is not plain, so that operators
leave their hot path; only there do they ask. Products and convolutions call ``lowered`` before they compare dtypes.
Public functions of ``FULL`` are cast by ``public`` (in ``ops._forms``), losses by themselves.
"""

from __future__ import annotations

import weakref
from typing import Any

from ..._core import state
from ..._core.dtypes import F32, F64, float32
from ..._tensor import Tensor

LOW = frozenset(
    """
    addbmm addmm baddbmm bmm conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d
    convolution linalg_vecdot matmul mm prelu scaled_dot_product_attention vecdot
    """.split()
)
"""Public functions that compute in half precision."""

FULL = frozenset(
    """
    adaptive_avg_pool3d adaptive_max_pool3d avg_pool3d cdist cholesky cholesky_inverse cholesky_solve fft_fft fft_fft2
    fft_fftn fft_hfft fft_ifft fft_ifft2 fft_ifftn fft_ihfft fft_irfft fft_irfft2 fft_irfftn fft_rfft fft_rfft2
    fft_rfftn fractional_max_pool2d fractional_max_pool3d geqrf grid_sample grid_sampler grid_sampler_2d
    grid_sampler_3d linalg_cholesky linalg_cholesky_ex linalg_cond linalg_eig linalg_eigh linalg_eigvals
    linalg_eigvalsh linalg_householder_product linalg_inv linalg_inv_ex linalg_lstsq linalg_lu_factor
    linalg_lu_factor_ex linalg_qr linalg_solve linalg_solve_ex linalg_svd linalg_svdvals linalg_tensorinv
    linalg_tensorsolve lu_solve max_pool3d max_unpool2d max_unpool3d nanquantile orgqr ormqr pinverse polar prod qr
    quantile stft svd trace triangular_solve view_as_complex
    """.split()
)
"""Public functions that compute in float32."""

JOINING = frozenset(("cat", "index_copy", "stack"))
"""Public functions that compute in the widest dtype of their arguments, which may be float32 or autocast's."""


def is_on() -> bool:
    return bool(state.special) and state.modes.autocast is not None


def lowered(*tensors: Any) -> Any:
    """Tensors in autocast's dtype; what is not a float32 or half tensor stays."""
    to = state.modes.autocast
    return [_cast(t, to, cached=True) for t in tensors]


def in_full(*tensors: Any) -> Any:
    """Tensors in float32 while autocast is on; float64, integers and other things stay."""
    if not is_on():
        return tensors
    return [_cast(t, float32) for t in tensors]


def prepared(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a public function as autocast wants them."""
    if name in LOW:
        to, cached = state.modes.autocast, True
    elif name in FULL:
        to, cached = float32, False
    else:
        if name in JOINING:
            _check_joined(args)
        return args, kwargs
    return (
        tuple([_cast(v, to, cached) for v in args]),
        {key: _cast(v, to, cached) for key, v in kwargs.items()},
    )


def _check_joined(values: Any) -> None:
    for value in values:
        if isinstance(value, (list, tuple)):
            _check_joined(value)
        elif isinstance(value, Tensor) and value.dtype.is_floating_point:
            dt = value._array.dtype
            if dt not in (F32, F64) and dt != state.modes.autocast.numpy:
                raise RuntimeError("Unexpected floating ScalarType in at::autocast::prioritize")


def _cast(value: Any, to: Any, cached: bool = False) -> Any:
    if isinstance(value, (list, tuple)) and any(isinstance(v, Tensor) for v in value):
        return type(value)([_cast(v, to, cached) for v in value])
    if not isinstance(value, Tensor):
        return value
    dt = value._array.dtype
    if dt == to.numpy or dt == F64 or not value.dtype.is_floating_point:
        return value
    if cached and dt == F32 and state.modes.autocast_cache and value._is_leaf_requiring_grad():
        return _cached(value, to)
    return value.to(to)


def _cached(leaf: Tensor, to: Any) -> Tensor:
    """A leaf is cast once within the outermost autocast, so that its gradients are added before they are cast."""
    kept = state.modes.autocast_kept
    found = kept.get(id(leaf))
    if found is not None and found[0]() is leaf and found[1] is to and found[2].requires_grad == state.grad_enabled():
        result: Tensor = found[2]
        return result
    result = leaf.to(to)
    kept[id(leaf)] = (weakref.ref(leaf), to, result)
    return result
