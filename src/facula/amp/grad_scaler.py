"""``torch.amp.GradScaler``: losses are scaled up, so that small gradients survive half precision."""

from __future__ import annotations

import enum
import inspect
import warnings
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from .._core import state as _state
from .._core.devices import cpu
from .._core.dtypes import float16, float32, int32
from .._tensor import Tensor

__all__ = ["GradScaler", "OptState"]

_SETTINGS = ("growth_factor", "backoff_factor", "growth_interval")


class OptState(enum.Enum):
    """How far an optimizer has come since the last ``update()``."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


def _refresh_per_optimizer_state() -> dict[str, Any]:
    return {"stage": OptState.READY, "found_inf_per_device": {}}


_fresh_state = _refresh_per_optimizer_state  # as older pickles call it


class GradScaler:
    """Scales losses by a factor that grows while gradients stay finite, and shrinks when they do not."""

    _init_scale: float
    _scale: Tensor | None
    _growth_factor: float
    _backoff_factor: float
    _growth_interval: int
    _init_growth_tracker: int
    _growth_tracker: Tensor | None
    _per_optimizer_states: dict[int, dict[str, Any]]

    def __init__(
        self, device: str = "cuda", init_scale: float = 2.0**16, growth_factor: float = 2.0,
        backoff_factor: float = 0.5, growth_interval: int = 2000, enabled: bool = True,
    ) -> None:  # fmt: skip
        self._device, self._enabled = device, enabled and device != "cuda"
        if enabled and not self._enabled:
            warnings.warn(
                "torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.",
                stacklevel=3 if type(self) is not GradScaler else 2,
            )
        if not self._enabled:
            return
        if growth_factor <= 1.0:
            raise AssertionError("The growth factor must be > 1.0.")
        if backoff_factor >= 1.0:
            raise AssertionError("The backoff factor must be < 1.0.")
        self._per_optimizer_states = defaultdict(_refresh_per_optimizer_state)
        self.__dict__.update(
            _init_scale=init_scale, _scale=None, _growth_factor=growth_factor, _backoff_factor=backoff_factor,
            _growth_interval=growth_interval, _init_growth_tracker=0, _growth_tracker=None,
        )  # fmt: skip

    def _check_scale_growth_tracker(self, funcname: str) -> tuple[Any, Any]:
        for name in ("_scale", "_growth_tracker"):
            if getattr(self, name) is None:
                raise AssertionError(
                    f"Attempted {funcname} but {name} is None.  This may indicate your script did not use "
                    "scaler.scale(loss or outputs) earlier in the iteration."
                )
        return self._scale, self._growth_tracker

    def _lazy_init_scale_growth_tracker(self) -> None:
        from ..ops.creation.create import full  # loaded when first used

        self._scale = full((), self._init_scale, dtype=float32)
        self._growth_tracker = full((), self._init_growth_tracker, dtype=int32)

    def scale(self, outputs: Any) -> Any:
        """A tensor, or a list or tuple of such, times the scale."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            if self._scale is None:
                self._lazy_init_scale_growth_tracker()
            _state.modes.scales = True
            return outputs * self._scale
        if isinstance(outputs, (list, tuple)):
            parts = [self.scale(v) for v in outputs]
            return type(outputs)(*parts) if hasattr(outputs, "_fields") else type(outputs)(parts)
        if isinstance(outputs, Iterable):
            return map(self.scale, outputs)
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def _unscale_grads_(
        self, optimizer: Any, inv_scale: Tensor, found_inf: Tensor, allow_fp16: bool
    ) -> dict[Any, Tensor]:
        """Divide gradients by the scale; what is found is told for the one device that there is, if it has any."""
        from ..ops.pointwise.loss_scaling import _amp_foreach_non_finite_check_and_unscale_  # loaded when first used

        grads = []
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                grad = parameter.grad
                if grad is None:
                    continue
                if not allow_fp16 and grad.dtype == float16:
                    raise ValueError("Attempting to unscale FP16 gradients.")
                if grad.is_sparse and grad.dtype == float16:  # whose sums may overflow
                    parameter.grad = grad = grad.coalesce()
                grads.append(grad._values() if grad.is_sparse else grad)
        before = _state.modes.grad_enabled
        _state.set_grad(False)
        try:
            _amp_foreach_non_finite_check_and_unscale_(grads, found_inf, inv_scale)
        finally:
            _state.set_grad(before)
        return {cpu: found_inf} if grads else {}

    def _found_inf(self, optimizer: Any, inverse: Tensor, allow_fp16: bool) -> dict[Any, Tensor]:
        from ..ops.creation.create import full  # loaded when first used

        return self._unscale_grads_(optimizer, inverse, full((), 0.0, dtype=float32), allow_fp16)

    def unscale_(self, optimizer: Any) -> None:
        """Divide an optimizer's gradients by the scale, for example to clip them before the step."""
        if not self._enabled:
            return
        self._check_scale_growth_tracker("unscale_")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        assert self._scale is not None
        inverse = self._scale.double().reciprocal().float()
        state["found_inf_per_device"] = self._found_inf(optimizer, inverse, False)
        state["stage"] = OptState.UNSCALED

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """``optimizer.step()``, unless a gradient is infinite or NaN."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._check_scale_growth_tracker("step")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if getattr(optimizer, "_step_supports_amp_scaling", False):
            result = self._step_that_scales(optimizer, state, args, kwargs)
        else:
            if state["stage"] is OptState.READY:
                self.unscale_(optimizer)
            if not len(state["found_inf_per_device"]) > 0:
                raise AssertionError("No inf checks were recorded for this optimizer.")
            result = self._maybe_opt_step(optimizer, state, *args, **kwargs)
        state["stage"] = OptState.STEPPED
        return result

    def _maybe_opt_step(self, optimizer: Any, optimizer_state: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        if any(v.item() for v in optimizer_state["found_inf_per_device"].values()):
            return None
        return optimizer.step(*args, **kwargs)

    def _step_that_scales(
        self, optimizer: Any, state: dict[str, Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """The step of an optimizer that divides by the scale itself: it finds both as attributes."""
        if "grad_scaler" in inspect.signature(optimizer.step).parameters:
            warnings.warn(
                "GradScaler is going to stop passing itself as a keyword argument to the passed optimizer. In the near "
                "future GradScaler registers `grad_scale: Tensor` and `found_inf: Tensor` to the passed optimizer and "
                "let the optimizer use them directly.",
                FutureWarning,
                stacklevel=3,
            )
            return optimizer.step(*args, **kwargs, grad_scaler=self)
        if state["stage"] is OptState.READY:
            self._check_inf_per_device(optimizer)
        scale: Any = self._scale
        unscaled = state["stage"] is OptState.UNSCALED
        given = getattr(optimizer, "grad_scale", None)
        optimizer.grad_scale = given if unscaled else scale * (1 if given is None else given)
        optimizer.found_inf = sum(state["found_inf_per_device"].values())
        result = optimizer.step(*args, **kwargs)
        state["stage"] = OptState.STEPPED
        del optimizer.grad_scale, optimizer.found_inf
        return result

    def _check_inf_per_device(self, optimizer: Any) -> dict[Any, Tensor]:
        """Whether gradients are finite, without scaling them."""
        from ..ops.creation.create import full  # loaded when first used

        self._check_scale_growth_tracker("_check_inf_per_device")
        found = self._found_inf(optimizer, full((), 1.0, dtype=float32), True)
        self._per_optimizer_states[id(optimizer)]["found_inf_per_device"] = found
        return found

    def _found_inf_per_device(self, optimizer: Any) -> dict[Any, Tensor]:
        found: dict[Any, Tensor] = self._per_optimizer_states[id(optimizer)]["found_inf_per_device"]
        return found

    def update(self, new_scale: float | Tensor | None = None) -> None:
        """After an iteration's steps: shrink the scale if a gradient was not finite; let it grow if all went well."""
        from ..ops.pointwise.loss_scaling import _amp_update_scale_  # loaded when first used

        if not self._enabled:
            return
        _state.modes.scales = False
        scale, tracker = self._check_scale_growth_tracker("update")
        if new_scale is not None:
            if isinstance(new_scale, float):
                scale.fill_(new_scale)
            else:
                if new_scale.device.type != self._device or new_scale.numel() != 1 or new_scale.requires_grad:
                    raise AssertionError(
                        "new_scale should be a float or a 1-element torch.cuda.FloatTensor or torch.FloatTensor with "
                        "requires_grad=False."
                    )
                scale.copy_(new_scale)
        else:
            found = [v for s in self._per_optimizer_states.values() for v in s["found_inf_per_device"].values()]
            if not found:
                raise AssertionError("No inf checks were recorded prior to update.")
            total = found[0] if len(found) == 1 else sum(found)
            _amp_update_scale_(
                scale, tracker, total, self._growth_factor, self._backoff_factor, self._growth_interval
            )
        self._per_optimizer_states = defaultdict(_refresh_per_optimizer_state)

    # ---- what it is set to

    def _get_scale_async(self) -> Tensor | None:
        return self._scale

    def get_scale(self) -> float:
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else float(self._scale.item())

    def get_growth_factor(self) -> float:
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        self._growth_interval = new_interval

    def _get_growth_tracker(self) -> int:
        if not self._enabled:
            return 0
        return self._init_growth_tracker if self._growth_tracker is None else int(self._growth_tracker.item())

    def is_enabled(self) -> bool:
        return self._enabled

    def state_dict(self) -> dict[str, Any]:
        if not self._enabled:
            return {}
        settings = {name: getattr(self, f"_{name}") for name in _SETTINGS}
        return {"scale": self.get_scale(), **settings, "_growth_tracker": self._get_growth_tracker()}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        if not self._enabled:
            return
        if len(state_dict) == 0:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
            )
        for name in _SETTINGS:
            setattr(self, f"_{name}", state_dict[name])
        self._init_scale, self._init_growth_tracker = state_dict["scale"], state_dict["_growth_tracker"]
        for live, value in ((self._scale, self._init_scale), (self._growth_tracker, self._init_growth_tracker)):
            if live is not None:
                live.fill_(value)

    def __getstate__(self) -> dict[str, Any]:
        if not self._enabled:
            return dict(vars(self))
        if self._per_optimizer_states:
            raise AssertionError(
                "A GradScaler instance may only be pickled at the beginning of an iteration, or at the end after "
                "scaler.update()."
            )
        numbers = {"_init_scale": self.get_scale(), "_init_growth_tracker": self._get_growth_tracker()}
        return {**vars(self), **numbers, "_scale": None, "_growth_tracker": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
