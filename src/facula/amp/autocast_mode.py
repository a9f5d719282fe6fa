"""``torch.autocast``: within it, products and convolutions are computed in half precision."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from .._core import state
from .._core.devices import device as _device
from .._core.dtypes import bfloat16, dtype, float16
from .._tensor import Tensor
from ..ops.machine.errors import type_of

__all__ = ["autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]

_FAST = {"cpu": bfloat16, "cuda": float16, "xpu": float16, "mps": float16, "hpu": bfloat16, "xla": bfloat16,
         "ipu": float16, "mtia": float16, "maia": float16}  # fmt: skip
_fast = dict(_FAST)
"""The dtype for each device, as ``set_autocast_dtype`` has left it."""


def is_autocast_available(device_type: str) -> bool:
    """Whether there is autocast for a kind of device."""
    return _device(device_type).type in _FAST


class autocast:
    """A context manager and a decorator: ``with autocast("cpu"): ...``"""

    def __init__(
        self, device_type: str, dtype: dtype | None = None, enabled: bool = True, cache_enabled: bool | None = None
    ) -> None:
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        self.device = _device(device_type).type
        if self.device not in _FAST:
            raise RuntimeError(f"User specified an unsupported autocast device_type '{self.device}'")
        self.fast_dtype = get_autocast_dtype(self.device) if dtype is None else dtype
        self._cache_enabled = is_autocast_cache_enabled() if cache_enabled is None else cache_enabled
        if enabled and self.device != "cpu":
            if self.device == "cuda":
                warnings.warn("CUDA is not available or torch_xla is imported. Disabling autocast.", stacklevel=2)
            enabled = False
        if enabled and self.fast_dtype not in (bfloat16, float16):
            warnings.warn(
                "In CPU autocast, but the target dtype is not supported. Disabling autocast.\nCPU Autocast only "
                "supports dtypes of torch.bfloat16, torch.float16 currently.",
                stacklevel=2,
            )
            enabled = False
        self._enabled = enabled
        self._outer: list[tuple[Any, ...]] = []

    def __enter__(self) -> autocast:
        modes = state.modes
        self._check()
        self._outer.append((modes.autocast, modes.autocast_cache, _fast["cpu"]))
        if self.device == "cpu":
            _fast["cpu"] = self.fast_dtype
            state.update(autocast=self.fast_dtype if self._enabled else None)
        modes.autocast_cache = self._cache_enabled
        if modes.autocast_depth == 0:
            modes.autocast_kept = {}
        modes.autocast_depth += 1
        return self

    def _check(self) -> None:
        """Refuse what PyTorch's settings would not take."""
        if not isinstance(self._enabled, bool):
            wrong = type_of(self._enabled)
            raise TypeError(f"set_autocast_enabled(): argument 'enabled' (position 2) must be bool, not {wrong}")
        if not isinstance(self.fast_dtype, dtype):
            wrong = type_of(self.fast_dtype)
            raise TypeError(f"set_autocast_dtype(): argument 'dtype' (position 2) must be torch.dtype, not {wrong}")
        if not isinstance(self._cache_enabled, bool):
            raise TypeError(f"enabled must be a bool (got {type_of(self._cache_enabled)})")

    def __exit__(self, *exc: object) -> None:
        modes = state.modes
        modes.autocast_depth -= 1
        if modes.autocast_depth == 0:
            clear_autocast_cache()
        before, modes.autocast_cache, _fast["cpu"] = self._outer.pop()
        state.update(autocast=before)

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(func)
        def within(*args: Any, **kwargs: Any) -> Any:
            with self:
                return func(*args, **kwargs)

        return within


# ---- for custom Functions


def _cast(value: Any, device_type: str, to: dtype) -> Any:
    if isinstance(value, Tensor):
        eligible = value.is_floating_point() and value.device.type == device_type and value.element_size() < 8
        return value.to(to) if eligible else value
    if isinstance(value, dict):
        return {_cast(k, device_type, to): _cast(v, device_type, to) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_cast(v, device_type, to) for v in value)
    return value


def _surrounding(device_type: str, surround: Callable[[Any, Any, Any, Any], Any], method: Any) -> Any:
    """A method of a Function, called by ``surround``; the decorator that makes it so if there is none yet."""
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")

    def decorate(method: Any) -> Any:
        @functools.wraps(method)
        def surrounded(ctx: Any, *args: Any, **kwargs: Any) -> Any:
            return surround(ctx, functools.partial(method, ctx), args, kwargs)

        return surrounded

    return decorate if method is None else decorate(method)


def custom_fwd(fwd: Any = None, *, device_type: str, cast_inputs: dtype | None = None) -> Any:
    """For a Function's ``forward``: run it without autocast on inputs of ``cast_inputs``, or as it is around."""

    def forward(ctx: Any, call: Any, args: Any, kwargs: Any) -> Any:
        on = is_autocast_enabled(device_type)
        ctx._dtype, ctx._fwd_used_autocast = get_autocast_dtype(device_type), on and cast_inputs is None
        if not on or cast_inputs is None:
            return call(*args, **kwargs)
        with autocast(device_type, enabled=False):
            return call(*_cast(args, device_type, cast_inputs), **_cast(kwargs, device_type, cast_inputs))

    return _surrounding(device_type, forward, fwd)


def custom_bwd(bwd: Any = None, *, device_type: str) -> Any:
    """For a Function's ``backward``: run it with autocast as its ``forward`` was."""

    def backward(ctx: Any, call: Any, args: Any, kwargs: Any) -> Any:
        with autocast(device_type, ctx._dtype, ctx._fwd_used_autocast):
            return call(*args, **kwargs)

    return _surrounding(device_type, backward, bwd)


# ---- the switches by themselves


def is_autocast_enabled(device_type: str | None = None) -> bool:
    """Whether autocast is on for a device; without one, for CUDA."""
    return _device("cuda" if device_type is None else device_type).type == "cpu" and state.modes.autocast is not None


def set_autocast_enabled(device_type: Any, enabled: bool | None = None) -> None:
    """Switch autocast on or off for a device; without one, for CUDA."""
    if enabled is not None and _device(device_type).type == "cpu":
        state.update(autocast=_fast["cpu"] if enabled else None)


def get_autocast_dtype(device_type: str) -> dtype:
    """The dtype that autocast computes in on a device."""
    kind = _device(device_type).type
    if kind not in _fast:
        raise RuntimeError("unsupported scalarType")
    return _fast[kind]


def set_autocast_dtype(device_type: str, dtype: dtype) -> None:
    """Set the dtype that autocast computes in on a device."""
    kind = _device(device_type).type
    _fast[kind] = dtype
    if kind == "cpu" and state.modes.autocast is not None:
        state.update(autocast=dtype)


def is_autocast_cpu_enabled() -> bool:
    """Whether autocast is on for the CPU."""
    _deprecated("is_autocast_cpu_enabled()", "is_autocast_enabled('cpu')")
    return is_autocast_enabled("cpu")


def set_autocast_cpu_enabled(enabled: bool) -> None:
    """Switch autocast on or off for the CPU."""
    _deprecated("set_autocast_cpu_enabled(enabled)", "set_autocast_enabled('cpu', enabled)")
    set_autocast_enabled("cpu", enabled)


def get_autocast_cpu_dtype() -> dtype:
    """The dtype that autocast computes in on the CPU."""
    _deprecated("get_autocast_cpu_dtype()", "get_autocast_dtype('cpu')")
    return get_autocast_dtype("cpu")


def set_autocast_cpu_dtype(dtype: dtype) -> None:
    """Set the dtype that autocast computes in on the CPU."""
    _deprecated("set_autocast_cpu_dtype(dtype)", "set_autocast_dtype('cpu', dtype)")
    set_autocast_dtype("cpu", dtype)


def get_autocast_gpu_dtype() -> dtype:
    """The dtype that autocast would compute in on a GPU."""
    _deprecated("get_autocast_gpu_dtype()", "get_autocast_dtype('cuda')")
    return get_autocast_dtype("cuda")


def set_autocast_gpu_dtype(dtype: dtype) -> None:
    """Set the dtype that autocast would compute in on a GPU."""
    _deprecated("set_autocast_gpu_dtype(dtype)", "set_autocast_dtype('cuda', dtype)")
    set_autocast_dtype("cuda", dtype)


def _deprecated(name: str, instead: str) -> None:
    warnings.warn(
        f"torch.{name} is deprecated. Please use torch.{instead} instead.", DeprecationWarning, stacklevel=3
    )


def is_autocast_cache_enabled() -> bool:
    """Whether leaves are cast once only within a block of autocast."""
    return state.modes.autocast_cache


def set_autocast_cache_enabled(enabled: bool) -> None:
    """Say whether leaves are cast once only within a block of autocast."""
    state.modes.autocast_cache = enabled


def clear_autocast_cache() -> None:
    """Forget the leaves that have been cast."""
    state.modes.autocast_kept = {}


def autocast_increment_nesting() -> int:
    """Enter a block of autocast; how many there are now."""
    state.modes.autocast_depth += 1
    return state.modes.autocast_depth


def autocast_decrement_nesting() -> int:
    """Leave a block of autocast; how many are left around."""
    state.modes.autocast_depth -= 1
    return state.modes.autocast_depth
