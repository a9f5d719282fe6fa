"""Optimizers that change each element of a parameter by itself: SGD, Adam and most others.

Such an optimizer gives ``_advance`` (numbers of this step: what all elements share) and ``_update`` (what happens to
the elements, in the words of ``_arithmetic``). How the elements lie in memory is no matter of theirs: see ``_passes``.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import is_
from typing import Any, ClassVar

import numpy as np

import facula

from .._core import state as _state
from .._core.dtypes import get_default_dtype
from .._core.own_methods import own
from .._tensor import Tensor
from ..autograd.grad_mode import enable_grad, set_grad_enabled
from ..autograd.graph import user_frame
from ._arithmetic import TENSORS, Scratch
from ._passes import SMALL, Pass, is_plain, overlap
from .optimizer import Optimizer, _device_dtype_check_for_fused, _get_capturable_supported_devices

_LATER = {
    "nesterov": False, "momentum": 0, "centered": False, "amsgrad": False, "maximize": False, "foreach": None,
    "capturable": False, "differentiable": False, "decoupled_weight_decay": False, "fused": None,
}  # fmt: skip
"""Settings that optimizers did not always have."""


class _Plan:
    """What is known of a group from the step before."""

    __slots__ = ("idle", "kinds", "members", "passes", "slow")

    def __init__(self, members: list[Tensor], kinds: Any) -> None:
        self.members = members
        self.kinds = kinds
        self.passes: list[Pass] = []
        self.slow: list[Tensor] = []
        self.idle: list[Tensor] = []


class ElementwiseOptimizer(Optimizer):
    """The base of optimizers that work element by element."""

    _numbers: ClassVar[tuple[str, ...]] = ("step",)
    """State that is one number for each parameter."""

    _native: ClassVar[str] = ""
    """Its native kernel, which takes what ``_update`` takes after the first; see ``ops.machine.native``."""

    _needs_capture: ClassVar[str] = "params and state_steps"
    _scratch: Scratch

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if ElementwiseOptimizer in cls.__bases__:
            own("step", cls)

    @classmethod
    def _arrays(cls, group: dict[str, Any]) -> tuple[str, ...]:
        """Names of the state that has the parameter's shape."""
        raise NotImplementedError

    @classmethod
    def _begin(cls, group: dict[str, Any], p: Tensor, state: dict[str, Any]) -> bool:
        """Make the state of a parameter if it has none yet; whether it had none."""
        if state:
            return False
        for name in cls._numbers:
            state[name] = new_number(0.0)
        for name in cls._arrays(group):
            state[name] = zeros_like(p)
        return True

    @staticmethod
    def _advance(
        group: dict[str, Any], numbers: list[float], fresh: bool, read: Callable[[Any], Any]
    ) -> tuple[list[float], Any]:
        """The new ``_numbers``, and what ``_update`` needs to know; ``read`` gives the value of a setting."""
        raise NotImplementedError

    @staticmethod
    def _update(k: Any, p: Any, g: Any, *rest: Any) -> None:
        """Change ``p`` and the state by a gradient: ``rest`` is the state and what ``_advance`` said."""
        raise NotImplementedError

    @staticmethod
    def _changes(group: dict[str, Any]) -> int:
        """How many times a step counts as an in-place change of a parameter."""
        return 1

    def __setstate__(self, state: dict[str, Any]) -> None:
        """State of older versions lacks some settings, and has plain numbers for what are tensors now."""
        super().__setstate__(state)
        self.__dict__.pop("_plans", None)
        for group in self.param_groups:
            for name, default in _LATER.items():
                if name in self.defaults:
                    group.setdefault(name, default)
            for p in group["params"]:
                kept = self.state.get(p, {})
                for name in self._numbers:
                    if name in kept and not isinstance(kept[name], Tensor):
                        kept[name] = new_number(float(kept[name]))

    # ---- stepping

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change the parameters by their gradients."""
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        own = self.__dict__
        if "found_inf" in own and self._unscale():
            return loss
        if _state.special and _state.modes.capture is not None and self._step_captured(_state.modes.capture):
            return loss
        place = user_frame(2)
        plans = own.get("_plans")
        values = self.state.values()
        if plans is None or len(values) != len(plans[0]) or not all(map(is_, values, plans[0])):
            plans = own["_plans"] = ([], {})
            own.setdefault("_scratch", Scratch())
        for group in self.param_groups:
            self._step_group(group, plans[1], place)
        if len(values) != len(plans[0]):
            plans[0][:] = values
        return loss

    def _step_captured(self, capture: Any) -> bool:
        """The step by operators, which are written down; whether that was possible."""
        chosen = [(group, p) for group in self.param_groups for p in group["params"] if p.grad is not None]
        for group, p in chosen:
            if (self._arrays(group) or self._numbers) and not self.state[p]:
                capture.postpone("an optimizer has no state yet")
                return False
        capture.reads.note_step(self)
        versions: dict[int, tuple[Any, int]] = {}
        for group, p in chosen:  # tensors of a state may share their counter, which a step moves once
            kept = [*self._arrays(group), *self._numbers]
            for t, times in ((p, self._changes(group)), *[(self.state[p][name], 1) for name in kept]):
                counter = t._shared_counter()
                versions.setdefault(id(counter), (counter, counter[0] + times))
        for group, p in chosen:
            state: dict[str, Any] = {}
            if self._arrays(group) or self._numbers:
                state = self.state[p]
                capture.reads.note_state(self.state, p)
            lr = capture.number(group, "lr") if type(group["lr"]) is float else group["lr"]
            step_captured(type(self), {**group, "lr": lr}, p, state)
        for counter, version in versions.values():
            counter[0] = version
        return True

    def _step_group(self, group: dict[str, Any], plans: dict[int, _Plan], place: Any) -> None:
        if group.get("differentiable") or group.get("capturable"):
            active = [p for p in group["params"] if p.grad is not None]
            if group.get("capturable"):  # a step that is refused leaves the state it began
                for p in active:
                    self._begin(group, p, self.state[p])
            self._refuse(group)
            for p in active:
                self._step_one(group, p, place)
            return
        plan = plans.get(id(group))
        if (
            plan is None
            or len(plan.members) != len(group["params"])
            or not all(map(is_, plan.members, group["params"]))
            or plan.kinds != self._arrays(group)
            or (plan.idle and any(p._meta is not None and p._meta.grad is not None for p in plan.idle))
        ):
            plan = plans[id(group)] = self._plan(group)
        for work in plan.passes:
            if not work.run(self, group, place):
                plans.pop(id(group), None)
                for p in work.params:
                    if p.grad is not None:
                        self._step_one(group, p, place)
        for p in plan.slow:
            if p.grad is not None:
                self._step_one(group, p, place)

    def _plan(self, group: dict[str, Any]) -> _Plan:
        kinds = self._arrays(group)
        plan = _Plan(list(group["params"]), kinds)
        together: dict[Any, list[Tensor]] = {}
        active: list[Tensor] = []
        for p in plan.members:
            (plan.idle if p.grad is None else active).append(p)
        if group.get("fused"):
            for p in active:
                _device_dtype_check_for_fused(p)
        shared = overlap([p._array for p in active])
        for p in active:
            state = self.state[p] if kinds or self._numbers else {}
            if shared or not is_plain(p, [state[name] for name in kinds if state.get(name) is not None]):
                plan.slow.append(p)
                continue
            fresh = self._begin(group, p, state)
            small = p._array.size <= SMALL
            numbers = tuple(float(state[name]._array) for name in self._numbers)
            key = (p._array.dtype, numbers) if small else id(p)
            together.setdefault((key, fresh), []).append(p)
        for (_, fresh), params in together.items():
            states = [self.state[p] if kinds or self._numbers else {} for p in params]
            plan.passes.append(Pass(params, states, kinds, self._numbers, fresh, self._scratch))
        return plan

    def _step_one(self, group: dict[str, Any], p: Tensor, place: Any) -> None:
        """The step of a single parameter, as tensors if arrays will not do."""
        if p.grad is not None and p.grad.is_sparse:
            with set_grad_enabled(False):
                self._step_sparse(group, p, p.grad)
            return
        kinds = self._arrays(group)
        state = self.state[p] if kinds or self._numbers else {}
        fresh = self._begin(group, p, state)
        if not group.get("differentiable") and is_plain(p, [state[name] for name in kinds]):
            work = Pass([p], [state], kinds, self._numbers, fresh, self._scratch)
            if work.run(self, group, place):
                return
        with set_grad_enabled(bool(group.get("differentiable"))):  # also within no_grad
            step_with_tensors(type(self), group, p, p.grad, state, fresh)

    def _step_sparse(self, group: dict[str, Any], p: Tensor, grad: Tensor) -> None:
        """The step of a parameter whose gradient is sparse."""
        raise RuntimeError(f"{type(self).__name__} does not support sparse gradients")

    def _refuse(self, group: dict[str, Any]) -> None:
        if group.get("capturable"):
            devices = _get_capturable_supported_devices(supports_xla=self._capturable_on_xla)
            raise AssertionError(
                f"If capturable=True, {self._needs_capture} must be on supported devices: {devices}."
            )
        if group.get("differentiable") and group.get("foreach") and self._refuses_foreach:
            raise AssertionError("_foreach ops don't support autograd")

    _refuses_foreach: ClassVar[bool] = True
    _capturable_on_xla: ClassVar[bool] = True

    def _unscale(self) -> bool:
        """What a gradient scaler leaves to the step: divide the gradients, or skip the step if some are infinite."""
        found: Any = self.found_inf  # type: ignore[attr-defined]
        if found is None:
            return False
        if found.item():
            return True
        scale = getattr(self, "grad_scale", None)
        if scale is not None:
            with set_grad_enabled(False):
                for group in self.param_groups:
                    for p in group["params"]:
                        if p.grad is not None:
                            p.grad.div_(scale)
        return False


def step_with_tensors(
    rule: type[ElementwiseOptimizer], group: dict[str, Any], p: Tensor, grad: Any, state: dict[str, Any], fresh: bool
) -> None:
    """One parameter's step by tensor operations, recorded if that is wanted."""
    differentiable = bool(group.get("differentiable")) and _state.grad_enabled()
    numbers: list[Any] = [
        state[name] if differentiable and state[name].requires_grad else float(state[name]) for name in rule._numbers
    ]
    numbers, coefficients = rule._advance(group, numbers, fresh, _as_it_is if differentiable else number)
    with set_grad_enabled(differentiable):
        operands = [p, grad.resolve_conj(), *(state[name] for name in rule._arrays(group))]
        if p.is_complex():
            operands = [facula.view_as_real(t) for t in operands]
        rule._update(TENSORS, *operands, coefficients)
    for name, value in zip(rule._numbers, numbers):
        if isinstance(value, Tensor):
            state[name].copy_(value)
        else:
            state[name]._array.fill(value)


def step_captured(rule: type[ElementwiseOptimizer], group: dict[str, Any], p: Tensor, state: dict[str, Any]) -> None:
    """One parameter's step while a program is captured: numbers are tensors, too."""
    kept = [state[name] for name in rule._arrays(group)]
    with set_grad_enabled(False):
        numbers: Any = [state[name].double() for name in rule._numbers]
        numbers, coefficients = rule._advance(group, numbers, False, _as_it_is)
        operands = [p, p.grad, *kept]
        if p.is_complex():
            operands = [facula.view_as_real(t) for t in operands]
        rule._update(TENSORS, *operands, coefficients)
        for name, value in zip(rule._numbers, numbers):
            state[name].copy_(value)

def run_each(
    rule: type[ElementwiseOptimizer], group: dict[str, Any], params: list[Tensor], grads: list[Tensor],
    arrays: dict[str, list[Any]], numbers: dict[str, list[Tensor]], fresh: list[bool] | None = None,
) -> None:  # fmt: skip
    """The step of lists of tensors, without an optimizer: what functions like ``optim.adam.adam`` do."""
    if not all(isinstance(t, Tensor) for values in numbers.values() for t in values):
        raise RuntimeError("API has changed, `state_steps` argument must contain a list of singleton tensors")
    if group.get("capturable"):
        rule._refuse(_Anybody(rule), group)  # type: ignore[arg-type]
    place = user_frame(2)
    scratch = Scratch()
    kinds = rule._arrays(group)
    for i, p in enumerate(params):
        state = {name: values[i] for name, values in (arrays | numbers).items() if i < len(values)}
        new = fresh is not None and fresh[i]
        kept = [state[name] for name in kinds]
        if not group.get("differentiable") and not grads[i].requires_grad and is_plain(p, kept, grads[i]):
            work = Pass([p], [state], kinds, rule._numbers, new, scratch)
            if work.run(rule, group, place, [grads[i]._array.ravel()]):
                continue
        step_with_tensors(rule, group, p, grads[i], state, new)


class _Anybody:
    """Stands for an optimizer where only its class matters."""

    def __init__(self, rule: Any) -> None:
        self._capturable_on_xla = rule._capturable_on_xla
        self._needs_capture = rule._needs_capture
        self._refuses_foreach = rule._refuses_foreach


def number(value: Any) -> Any:
    """A setting that may be a one-element Tensor, as a Python number."""
    return value.item() if isinstance(value, Tensor) else value


def _as_it_is(value: Any) -> Any:
    return value


def new_number(value: float) -> Tensor:
    """State that is one number: float32, unless float64 is the default."""
    return Tensor._wrap(np.array(value, np.float64 if get_default_dtype().name == "float64" else np.float32))


def with_values(grad: Tensor, values: Tensor) -> Tensor:
    """Other values at the places of a sparse gradient."""
    return facula.sparse_coo_tensor(grad._indices(), values, grad.shape, check_invariants=False, is_coalesced=True)


def zeros_like(p: Tensor) -> Tensor:
    return full_like(p, 0)


def full_like(p: Tensor, value: complex) -> Tensor:
    """A dense tensor of a parameter's shape and dtype."""
    if type(p._array) is np.ndarray:
        return Tensor._wrap(np.full(p._array.shape, value, p._array.dtype))
    return p.detach().new_full(p.shape, value)


def descent(k: Any, p: Any, g: Any, maximize: bool, decay: Any) -> Any:
    """The gradient to go down along: turned around for ``maximize``, pulled to zero by weight decay."""
    if maximize:
        g = k.neg(g)
    return g if _is_zero(decay) else k.add(g, p, decay)


def _is_zero(decay: Any) -> bool:
    return not isinstance(decay, Tensor) and decay == 0
