"""Optimizer: groups of parameters with their settings, and the state kept for each parameter.

An optimizer here gives ``_direction``: what to subtract from a parameter. It is written with operators and ``xp``, so
that it runs on ndarrays (the usual case: nothing is recorded) and on Tensors (``differentiable=True``) alike. Complex
arrays are given to it as real ones with twice as many columns.
"""

from __future__ import annotations

import functools
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from copy import deepcopy
from itertools import chain
from typing import Any, ClassVar

import numpy as np

from .. import _state
from .._settings import typename
from .._tensor import Tensor
from ..autograd.grad_mode import enable_grad, set_grad_enabled
from ..autograd.graph import RemovableHandle
from ..nn.module import clear_grad
from ..ops._xp import RAW, TENSOR

required: Any = object()
"""Stands in ``defaults`` for a setting that every group must give."""

_HOOKS = (
    "_optimizer_step_pre_hooks", "_optimizer_step_post_hooks", "_optimizer_state_dict_pre_hooks",
    "_optimizer_state_dict_post_hooks", "_optimizer_load_state_dict_pre_hooks", "_optimizer_load_state_dict_post_hooks",
)  # fmt: skip


class Optimizer:
    """The base of all optimizers: subclass it and define ``step``."""

    defaults: dict[str, Any]
    state: defaultdict[Tensor, Any]
    param_groups: list[dict[str, Any]]
    _optimizer_step_pre_hooks: OrderedDict[int, Any]
    _optimizer_step_post_hooks: OrderedDict[int, Any]
    _optimizer_state_dict_pre_hooks: OrderedDict[int, Any]
    _optimizer_state_dict_post_hooks: OrderedDict[int, Any]
    _optimizer_load_state_dict_pre_hooks: OrderedDict[int, Any]
    _optimizer_load_state_dict_post_hooks: OrderedDict[int, Any]

    _state_names: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "step" in cls.__dict__:
            cls.step = _with_hooks(cls.step)  # type: ignore[method-assign]

    def __init__(self, params: Any, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self._make_hooks()
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                + params._type_name()
            )
        self.state = defaultdict(dict)
        self.param_groups = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def _make_hooks(self) -> None:
        for name in _HOOKS:
            setattr(self, name, OrderedDict())

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
                raise ValueError("can't optimize a non-leaf Tensor")
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
        for group in self.param_groups:
            for p in group["params"]:
                clear_grad(p, set_to_none)

    # ---- stepping

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Change the parameters by their gradients; ``closure`` computes the loss anew."""
        raise NotImplementedError

    def _step_all(self, closure: Callable[[], Any] | None) -> Any:
        """``step`` for optimizers that give ``_direction``."""
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        differentiable = self.defaults["differentiable"]
        enabled = _state.grad_enabled()
        with set_grad_enabled(differentiable):
            for group in self.param_groups:
                for p in group["params"]:
                    if p.grad is None:
                        continue
                    if differentiable and enabled:
                        p.sub_(self._direction(group, p, p, p.grad, TENSOR))
                    else:
                        self._change(group, p)
        return loss

    def _change(self, group: dict[str, Any], p: Tensor) -> None:
        array, grad = p._array, p.grad._array  # type: ignore[union-attr]
        if array.dtype.kind == "c":
            array -= _complex(self._direction(group, p, _real(array), _real(grad), RAW), array)
        else:
            direction = self._direction(group, p, array, grad, RAW)
            array -= direction if direction.dtype == array.dtype else direction.astype(array.dtype)
        p._bump_version()

    def _direction(self, group: dict[str, Any], key: Tensor, p: Any, grad: Any, xp: Any) -> Any:
        """What to subtract from ``p``, and the new state of ``key``."""
        raise NotImplementedError

    def _kept(self, key: Tensor, name: str, xp: Any) -> Any:
        """A tensor of the state, in the world that the step runs in."""
        value = self.state[key].get(name)
        return value if value is None or not xp.is_raw else _real(value._array)

    def _keep(self, key: Tensor, name: str, value: Any, xp: Any) -> Any:
        """Make ``value`` the new state: in place if there is one already."""
        state = self.state[key]
        before = state.get(name)
        if not xp.is_raw:
            state[name] = value
        elif before is None:
            state[name] = Tensor._wrap(_complex(value, key._array) if key.is_complex() else value)
        else:
            _real(before._array)[...] = value
            before._bump_version()
        return value

    # ---- state

    def state_dict(self) -> dict[str, Any]:
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

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
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

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if "_optimizer_step_pre_hooks" not in self.__dict__:
            self._make_hooks()
        for group in self.param_groups:
            for name, default in self.defaults.items():
                group.setdefault(name, default)

    # ---- hooks

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(optimizer, args, kwargs)`` before each step; it may return new (args, kwargs)."""
        return RemovableHandle(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(optimizer, args, kwargs)`` after each step."""
        return RemovableHandle(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        return _registered(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        return _registered(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        return _registered(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
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


def _with_hooks(step: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(step)
    def hooked(*args: Any, **kwargs: Any) -> Any:
        self = args[0]
        for pre in list(self._optimizer_step_pre_hooks.values()):
            changed = pre(self, args, kwargs)
            if changed is not None:
                if not isinstance(changed, tuple) or len(changed) != 2:
                    raise RuntimeError(
                        f"{type(self).step} must return None or a tuple of (new_args, new_kwargs), but got {changed}."
                    )
                args, kwargs = changed
        result = step(*args, **kwargs)
        for post in list(self._optimizer_step_post_hooks.values()):
            post(self, args, kwargs)
        return result

    return hooked


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


def _cast(p: Tensor, value: Any, name: str | None = None) -> Any:
    """Loaded state brought to its parameter's dtype; ``step`` stays as it is."""
    if isinstance(value, Tensor):
        if name == "step":
            return value
        dtype = p.dtype if p.is_floating_point() else value.dtype
        return Tensor._wrap(value._array.astype(dtype.numpy)) if dtype != value.dtype else value.detach().clone()
    if isinstance(value, dict):
        return {k: _cast(p, v, k) for k, v in value.items()}
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        return value
    return type(value)(_cast(p, v) for v in value)  # type: ignore[call-arg]


def _real(array: Any) -> Any:
    """Real and imaginary parts side by side; a real array as it is."""
    if array.dtype.kind != "c":
        return array
    array = np.ascontiguousarray(array)
    return array.view(array.real.dtype)


def _complex(array: Any, like: Any) -> Any:
    """The inverse of ``_real``."""
    return np.ascontiguousarray(array).view(like.dtype).reshape(like.shape)


def number(value: Any) -> float:
    """A setting that may be a one-element Tensor, as a Python number."""
    return value.item() if isinstance(value, Tensor) else value


def check_lr(lr: Any) -> None:
    """Refuse a learning rate that is negative, or a tensor of several."""
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    if number(lr) < 0.0:
        raise ValueError(f"Invalid learning rate: {lr}")


def check_implementation(foreach: bool | None, fused: bool | None, differentiable: bool) -> None:
    """Refuse combinations of PyTorch's implementations that it refuses, too. Here there is but one."""
    if fused and differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")
    if fused and foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")
