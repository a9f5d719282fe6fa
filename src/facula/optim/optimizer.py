"""Optimizer: groups of parameters with their settings, the state kept for each parameter, and hooks."""

from __future__ import annotations

import functools
import sys
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable, Iterable
from copy import deepcopy
from itertools import chain
from typing import Any

from .._core import state as _state
from .._core.settings import typename
from .._tensor import Tensor
from ..autograd.graph import RemovableHandle
from ..nn.modules.module import clear_grad
from ..utils._foreach_utils import (  # noqa: F401
    _foreach_supported_types,
    _get_foreach_kernels_supported_devices,
    _get_fused_kernels_supported_devices,
    _group_tensors_by_device_and_dtype,
)
from ._helpers import (  # noqa: F401
    ParamsT,
    _capturable_doc,
    _default_to_fused_or_foreach,
    _device_dtype_check_for_fused,
    _differentiable_doc,
    _disable_dynamo_if_unsupported,
    _foreach_doc,
    _fused_doc,
    _get_capturable_supported_devices,
    _get_scalar_dtype,
    _get_value,
    _maximize_doc,
    _params_doc,
    _RequiredParameter,
    _stack_if_compiling,
    _to_scalar,
    _use_grad_for_differentiable,
    _view_as_real,
    required,
)

__all__ = ["Optimizer", "register_optimizer_step_post_hook", "register_optimizer_step_pre_hook"]

Args = tuple[Any, ...]
Kwargs = dict[str, Any]
StateDict = dict[str, Any]
DeviceDict = dict[Any, Tensor]
DeviceDtypeDict = dict[Any, Tensor]
TensorListList = list[list[Tensor | None]]
Indices = list[int]
GlobalOptimizerPreHook = Callable[["Optimizer", Args, Kwargs], Any]
GlobalOptimizerPostHook = Callable[["Optimizer", Args, Kwargs], None]
_HOOKS = (
    "_optimizer_step_pre_hooks", "_optimizer_step_post_hooks", "_optimizer_state_dict_pre_hooks",
    "_optimizer_state_dict_post_hooks", "_optimizer_load_state_dict_pre_hooks", "_optimizer_load_state_dict_post_hooks",
)  # fmt: skip
_global_optimizer_pre_hooks: OrderedDict[int, Any] = OrderedDict()
_global_optimizer_post_hooks: OrderedDict[int, Any] = OrderedDict()


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(optimizer, args, kwargs)`` before each step of every optimizer."""
    return RemovableHandle(_global_optimizer_pre_hooks, hook)


def register_optimizer_step_post_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call ``hook(optimizer, args, kwargs)`` after each step of every optimizer."""
    return RemovableHandle(_global_optimizer_post_hooks, hook)


class Optimizer:
    """The base of all optimizers: subclass it and define ``step``."""

    defaults: dict[str, Any]
    state: defaultdict[Any, Any]
    param_groups: list[dict[str, Any]]
    _optimizer_step_pre_hooks: OrderedDict[int, Any]
    _optimizer_step_post_hooks: OrderedDict[int, Any]
    _optimizer_state_dict_pre_hooks: OrderedDict[int, Any]
    _optimizer_state_dict_post_hooks: OrderedDict[int, Any]
    _optimizer_load_state_dict_pre_hooks: OrderedDict[int, Any]
    _optimizer_load_state_dict_post_hooks: OrderedDict[int, Any]

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self._make_hooks()
        self._patch_step_function()
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                + params._type_name()
            )
        self.state = defaultdict(dict)
        self.param_groups = []
        generator = getattr(params, "gi_frame", None)
        model = None if generator is None else generator.f_locals.get("self")
        groups = list(params)
        if not groups:
            from .._explain import errors  # loaded when something went wrong

            raise errors.no_parameters(ValueError("optimizer got an empty parameter list"), model, params)
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)
        if _state.watch is not None:
            _state.watch.optimizer_made(self, model)
        elif model is not None:
            from .._explain import unasked  # loaded when first used

            unasked.hidden(model)

    def _make_hooks(self) -> None:
        for name in _HOOKS:
            setattr(self, name, OrderedDict())

    def _patch_step_function(self) -> None:
        """Have the class's ``step`` call hooks."""
        step = self.__class__.step
        if not getattr(step, "hooked", False):
            hooked: Any = self.profile_hook_step(step)
            hooked.hooked = True
            self.__class__.step = hooked  # type: ignore[method-assign]

    @staticmethod
    def profile_hook_step(func: Callable[..., Any]) -> Callable[..., Any]:
        """``func``, a ``step``, between the hooks of its optimizer and of all optimizers."""

        @functools.wraps(func)
        def step(*args: Any, **kwargs: Any) -> Any:
            self = args[0]
            before, after = self._optimizer_step_pre_hooks, self._optimizer_step_post_hooks
            if before or _global_optimizer_pre_hooks:
                for hook in [*_global_optimizer_pre_hooks.values(), *before.values()]:
                    changed = hook(self, args, kwargs)
                    if changed is not None:
                        if not isinstance(changed, tuple) or len(changed) != 2:
                            raise RuntimeError(
                                f"{func} must return None or a tuple of (new_args, new_kwargs), but got {changed}."
                            )
                        args, kwargs = changed
            if len(args) == 1 and not kwargs:
                self._look()
            result = func(*args, **kwargs)
            if after or _global_optimizer_post_hooks:
                for hook in [*after.values(), *_global_optimizer_post_hooks.values()]:
                    hook(self, args, kwargs)
            return result

        return step

    def _look(self) -> None:
        """See whether there is a gradient, and a new one, by the first parameter."""
        params = self.param_groups[0]["params"]
        if not params:
            return
        meta = params[0]._meta
        if meta is None or meta.grad is None:
            from .._explain import unasked  # loaded when something is unusual

            unasked.no_gradients(self)
        elif meta.summed is not None and meta.summed[3] is not None and meta.summed[0] == id(meta.grad):
            from .._explain import unasked  # loaded when something is unusual

            unasked.stale(meta.summed[3])

    # ---- groups

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add parameters with settings of their own; missing settings are the defaults."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, Tensor):
            param_group["params"] = [params]
        elif isinstance(params, set):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets "
                "will change between runs. Please use a list instead."
            )
        else:
            param_group["params"] = list(params)
        _split_names(param_group)
        for p in param_group["params"]:
            if not isinstance(p, Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {typename(p)}")
            if not self.defaults.get("differentiable") and not (p.is_leaf or p.retains_grad):
                from .._explain import errors  # loaded when something went wrong

                error = ValueError("can't optimize a non-leaf Tensor")
                mend = "make the leaf last: (...).detach().requires_grad_(), and give the optimizer that."
                raise errors.not_a_leaf(error, p, "The optimizer was given a tensor with a history", mend)
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
            param_group.setdefault(name, default)
        new = param_group["params"]
        if len(new) != len({id(p) for p in new}):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; "
                "see github.com/pytorch/pytorch/issues/40967 for more information",
                stacklevel=3,
            )
        if self.param_groups and ("param_names" in param_group) != ("param_names" in self.param_groups[0]):
            way = "with" if "param_names" in param_group else "without"
            raise ValueError(
                "all optimizer param groups should be with/without names. "
                f"cannot add param group {way} names to the optimizer"
            )
        known = {id(p) for group in self.param_groups for p in group["params"]}
        if any(id(p) in known for p in new):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients (``.grad`` None), or set them to zero in place."""
        span = None
        if _state.special and _state.modes.profiled is not None:
            from ..profiler import _recorder  # loaded when first used

            span = _recorder.begin(f"Optimizer.zero_grad#{type(self).__name__}.zero_grad", scope=_recorder.USER)
        if _state.watch is not None:
            _state.watch.zeroed([p for group in self.param_groups for p in group["params"]])
        if _state.clips:
            self._look_at_clipping()
        cleared = False
        for group in self.param_groups:
            for p in group["params"]:
                if set_to_none:
                    meta = p._meta
                    if meta is not None and meta.grad is not None:
                        meta.grad = None
                        cleared = True
                else:
                    clear_grad(p, False)
        if cleared:
            frame = sys._getframe(1)
            self.__dict__["_cleared"] = (frame.f_code, frame.f_lasti)
        if span is not None:
            _recorder.finish(span)

    def _look_at_clipping(self) -> None:
        """See whether a gradient that is about to be forgotten was clipped, and never used since."""
        for p in self.param_groups[0]["params"][:1] if self.param_groups else ():
            if p._meta is not None and p._meta.grad is not None and p._meta.clipped is not None:
                from .._explain import unasked  # loaded when something is unusual

                unasked.thrown_away(p)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change the parameters by their gradients; ``closure`` computes the loss anew."""
        raise NotImplementedError

    # ---- state

    def state_dict(self) -> StateDict:
        """The state by number of parameter, and the groups with numbers for parameters."""
        for pre in self._optimizer_state_dict_pre_hooks.values():
            pre(self)
        numbers: dict[int, int] = {}
        groups = []
        for group in self.param_groups:
            for p in group["params"]:
                numbers.setdefault(id(p), len(numbers))
            packed = {k: v for k, v in group.items() if k != "params"}
            packed["params"] = [numbers[id(p)] for p in group["params"]]
            groups.append(packed)
        state = {(numbers[id(k)] if isinstance(k, Tensor) else k): v for k, v in self.state.items()}
        saved = {"state": state, "param_groups": groups}
        for post in self._optimizer_state_dict_post_hooks.values():
            changed = post(self, saved)
            if changed is not None:
                saved = changed
        return saved

    def load_state_dict(self, state_dict: StateDict) -> None:
        """Take over groups' settings and state, by the order of the parameters."""
        state_dict = state_dict.copy()
        for pre in self._optimizer_load_state_dict_pre_hooks.values():
            changed = pre(self, state_dict)
            if changed is not None:
                state_dict = changed
        groups, saved_groups = self.param_groups, deepcopy(state_dict["param_groups"])
        if len(groups) != len(saved_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(g["params"]) != len(s["params"]) for g, s in zip(groups, saved_groups)):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        order = chain.from_iterable(g["params"] for g in saved_groups)
        own = dict(zip(order, chain.from_iterable(g["params"] for g in groups)))
        state: defaultdict[Any, Any] = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in own:
                state[own[key]] = _cast(own[key], value)
            else:
                state[key] = value
        for group, saved in zip(groups, saved_groups):
            saved["params"] = group["params"]
            if "param_names" in group and "param_names" not in saved:
                saved["param_names"] = group["param_names"]
        self.__setstate__({"state": state, "param_groups": saved_groups})
        for post in self._optimizer_load_state_dict_post_hooks.values():
            post(self)

    @staticmethod
    def _process_value_according_to_param_policy(
        param: Tensor, value: Tensor, param_id: int, param_groups: list[dict[Any, Any]], key: Hashable = None
    ) -> Tensor:
        """A loaded tensor brought to its parameter's dtype."""
        found: Tensor = _cast(param, value, key)
        return found

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for name in _HOOKS:
            self.__dict__.setdefault(name, OrderedDict())
        self._patch_step_function()
        self.defaults.setdefault("differentiable", False)

    # ---- hooks

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(optimizer, args, kwargs)`` before each step; it may return new (args, kwargs)."""
        return RemovableHandle(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(optimizer, args, kwargs)`` after each step."""
        return RemovableHandle(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer)`` before ``state_dict`` looks at anything."""
        return _registered(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer, state_dict)`` on what ``state_dict`` made; it may return another."""
        return _registered(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer, state_dict)`` before it is loaded; it may return another."""
        return _registered(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Call ``hook(optimizer)`` when a state dict has been loaded."""
        return _registered(self._optimizer_load_state_dict_post_hooks, hook, prepend)

    def __repr__(self) -> str:
        groups = (
            f"Parameter Group {i}\n" + "".join(f"    {k}: {group[k]}\n" for k in sorted(group) if k != "params")
            for i, group in enumerate(self.param_groups)
        )
        return f"{type(self).__name__} (\n" + "\n".join(groups) + ")"


def _registered(hooks: OrderedDict[int, Any], hook: Any, prepend: bool) -> RemovableHandle:
    handle = RemovableHandle(hooks, hook)
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def _split_names(group: dict[str, Any]) -> None:
    """(name, parameter) pairs become parameters and ``param_names``."""
    params, names = [], []
    for p in group["params"]:
        if isinstance(p, tuple):
            names.append(p[0])
            params.append(p[1])
        else:
            params.append(p)
    group["params"] = params
    if names:
        if len(names) != len(params):
            raise ValueError("all optimizer params should be with/without names. Some param names are missing")
        group["param_names"] = names


def _cast(p: Tensor, value: Any, name: Any = None) -> Any:
    """Loaded state brought to its parameter's dtype; ``step`` stays as it is."""
    if isinstance(value, Tensor):
        if name == "step":
            return value
        return value.to(p.dtype) if p.is_floating_point() else value
    if isinstance(value, dict):
        return {k: _cast(p, v, k) for k, v in value.items()}
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        return value
    return type(value)(_cast(p, v) for v in value)  # type: ignore[call-arg]
