"""Small things that optimizers share, under the names that optimizers written for PyTorch import."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from .._core import dtypes
from .._tensor import Tensor
from ..autograd.grad_mode import enable_grad, set_grad_enabled
from ..utils._foreach_utils import _get_fused_kernels_supported_devices

ParamsT = Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]

_params_doc = "params: parameters to optimize, or dicts that say how each group of them is to be optimized\n"
_foreach_doc = "foreach: whether to go over many parameters at once\n"
_fused_doc = "fused: whether to go over memory once\n"
_capturable_doc = "capturable: whether steps can be captured in a graph of a device\n"
_differentiable_doc = "differentiable: whether gradients flow through the step\n"
_maximize_doc = "maximize: go up along the gradient instead of down\n"


class _RequiredParameter:
    """Stands in ``defaults`` for a setting that every group must give."""

    def __repr__(self) -> str:
        return "<required parameter>"


required: Any = _RequiredParameter()


def _use_grad_for_differentiable(func: Callable[..., Any]) -> Callable[..., Any]:
    """Record a step only if its optimizer is to be differentiated through."""

    @functools.wraps(func)
    def recorded_if_wanted(*args: Any, **kwargs: Any) -> Any:
        with set_grad_enabled(bool(args[0].defaults["differentiable"])):
            return func(*args, **kwargs)

    return recorded_if_wanted


def _disable_dynamo_if_unsupported(single_tensor_fn: Any = None) -> Callable[[Any], Any]:
    return lambda func: func


def _get_value(x: Any) -> Any:
    """A number, also out of a tensor."""
    return x.item() if isinstance(x, Tensor) else x


def loss_of(closure: Callable[[], Any] | None) -> Any:
    """What the function given to ``step`` returns, which computes gradients; None if none was given."""
    if closure is None:
        return None
    with enable_grad():
        return closure()


def shrink_and_decay(group: dict[str, Any], lr: Any) -> tuple[Any, Any]:
    """How weight decay is done: by what parameters are multiplied, or by what they are added to their gradients."""
    decay = group["weight_decay"]
    if decay != 0 and group["decoupled_weight_decay"]:
        return 1 - lr * decay, 0
    return None, decay


def _stack_if_compiling(x: Any) -> Any:
    return x


def _to_scalar(x: Any) -> Any:
    """A one-element tensor without dimensions; anything else as it is."""
    return x.squeeze() if isinstance(x, Tensor) and x.dim() != 0 else x


def _get_scalar_dtype(is_fused: bool | None = None) -> Any:
    """The dtype of step counts."""
    if is_fused:
        return dtypes.float32
    return dtypes.float64 if dtypes.get_default_dtype() is dtypes.float64 else dtypes.float32


def _get_capturable_supported_devices(supports_xla: bool = True) -> list[str]:
    return ["cuda", "xpu", "hpu", "privateuseone", *(["xla"] if supports_xla else [])]


def _default_to_fused_or_foreach(
    params: list[Tensor], differentiable: bool, use_fused: bool = False
) -> tuple[bool, bool]:
    """(fused, foreach) when neither was asked for: on the CPU PyTorch takes neither."""
    return False, False


def _device_dtype_check_for_fused(p: Tensor, cuda_unsupported: bool = False) -> None:
    """Refuse parameters that fused steps cannot change."""
    if not (p.is_floating_point() and p.device.type in _get_fused_kernels_supported_devices()):
        raise RuntimeError(
            "`fused=True` requires all the params to be floating point Tensors of supported devices: "
            f"{_get_fused_kernels_supported_devices()} but {p.dtype} and {p.device.type}"
        )


def _view_as_real(params: list[Any], *state_and_grads: list[Any]) -> None:
    """Replace complex tensors, in the lists themselves, by real ones with a dimension more."""
    from ..ops.pointwise.complex import view_as_real  # loaded when first used

    complexes = [i for i, p in enumerate(params) if p.is_complex()]
    for values in (params, *state_and_grads):
        for i in complexes:
            values[i] = view_as_real(values[i])
