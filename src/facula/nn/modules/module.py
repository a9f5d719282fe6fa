"""Module: keeps parameters, buffers and other modules, by assigning them to attributes."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator
from inspect import signature
from typing import Any, TypeVar

from ..._core import state
from ..._core.own_methods import named_as_in
from ..._core.settings import typename
from ..._tensor import Tensor
from ...autograd.graph import RemovableHandle
from ..parameter import Buffer, Parameter
from . import _hooks
from ._hooks import (
    Hooks,
    _has_any_global_hook,
    register_module_backward_hook,
    register_module_buffer_registration_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)  # fmt: skip
from ._moving import Moving
from ._operators import unbind_operators
from ._state_dict import EXTRA_STATE as _EXTRA_STATE_KEY_SUFFIX
from ._state_dict import StateDict, _IncompatibleKeys
from ._tables import new_ordered_table, new_table, tables_of

__all__ = [
    "_EXTRA_STATE_KEY_SUFFIX",
    "Module",
    "_IncompatibleKeys",
    "_addindent",
    "_has_any_global_hook",
    "register_module_backward_hook",
    "register_module_buffer_registration_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]  # fmt: skip

Self = TypeVar("Self", bound="Module")


def _forward_unimplemented(self: Module, *input: Any) -> None:
    """What calling the module computes."""
    raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')


class Module(Hooks, Moving, StateDict):
    """The base of all layers and models: subclass it, call ``super().__init__()``, define ``forward``."""

    dump_patches: bool = False
    call_super_init: bool = False
    T_destination = TypeVar("T_destination", bound=dict[str, Any])
    training: bool
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Module | None]
    _non_persistent_buffers_set: set[str]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        unbind_operators(cls)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not self.call_super_init and (args or kwargs):
            name = type(self).__name__
            if kwargs:
                raise TypeError(f"{name}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'")
            raise TypeError(
                f"{name}.__init__() takes 1 positional argument but {len(args) + 1} were given"
            )
        own = self.__dict__
        own.update(training=True, _parameters=new_table(), _buffers=new_table(), _non_persistent_buffers_set=set())
        own.update(_backward_pre_hooks=new_ordered_table(), _backward_hooks=new_ordered_table())
        own["_is_full_backward_hook"] = None
        for hooks in _HOOKS:
            own[hooks] = new_ordered_table()
        own["_modules"] = new_table()
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    forward: Callable[..., Any] = _forward_unimplemented

    # ---- registration

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter under a name, or None as a place for one."""
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        self._check_name("parameter", name, self._parameters)
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{typename(param)}' object to parameter '{name}' (torch.nn.Parameter or None required)"
            )
        if param is not None and param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created explicitly. To "
                f"express '{name}' as a function of another Tensor, compute the value in the forward() method."
            )
        if param is not None and _hooks._global_parameter_registration_hooks:
            param = _replaced(_hooks._global_parameter_registration_hooks, self, name, param)
        self._parameters[name] = param
        state.changes += 1

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that belongs to the state but is not learned."""
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        self._check_name("buffer", name, self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{typename(tensor)}' object to buffer '{name}' (torch Tensor or None required)"
            )
        if _hooks._global_buffer_registration_hooks:
            tensor = _replaced(_hooks._global_buffer_registration_hooks, self, name, tensor)
        self._buffers[name] = tensor
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)
        state.changes += 1

    def add_module(self, name: str, module: Module | None) -> None:
        """Add a module as a child under a name."""
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{typename(module)} is not a Module subclass")
        self._check_name("module", name, self._modules, f", got: {name}")
        if _hooks._global_module_registration_hooks:
            module = _replaced(_hooks._global_module_registration_hooks, self, name, module)
        self._modules[name] = module
        state.changes += 1

    def register_module(self, name: str, module: Module | None) -> None:
        self.add_module(name, module)

    def _check_name(self, what: str, name: Any, known: dict[str, Any], got: str = "") -> None:
        if not isinstance(name, str):
            raise TypeError(f"{what} name should be a string. Got {typename(name)}")
        if "." in name:
            raise KeyError(f'{what} name can\'t contain "."{got}')
        if name == "":
            raise KeyError(f'{what} name can\'t be empty string ""')
        if hasattr(self, name) and name not in known:
            raise KeyError(f"attribute '{name}' already exists")

    def __setattr__(self, name: str, value: Any) -> None:
        state.changes += 1
        own = self.__dict__
        parameters, modules, buffers = own.get("_parameters"), own.get("_modules"), own.get("_buffers")
        if isinstance(value, Parameter):
            if parameters is None:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._forget(name, own, buffers, modules, self._non_persistent_buffers_set)
            self.register_parameter(name, value)
        elif parameters is not None and name in parameters:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{typename(value)}' as parameter '{name}' (torch.nn.Parameter or None expected)"
                )
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            if modules is None:
                raise AttributeError("cannot assign module before Module.__init__() call")
            self._forget(name, own, parameters, buffers, self._non_persistent_buffers_set)
            if _hooks._global_module_registration_hooks:
                value = _replaced(_hooks._global_module_registration_hooks, self, name, value)
            modules[name] = value
        elif modules is not None and name in modules:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{typename(value)}' as child module '{name}' (torch.nn.Module or None expected)"
                )
            if _hooks._global_module_registration_hooks:
                value = _replaced(_hooks._global_module_registration_hooks, self, name, value)
            modules[name] = value
        elif (buffers is not None and name in buffers) or isinstance(value, Buffer):
            self._set_buffer(name, value)
        else:
            super().__setattr__(name, value)

    def _set_buffer(self, name: str, value: Any) -> None:
        own = self.__dict__
        buffers = own.get("_buffers")
        if buffers is None:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        if value is not None and not isinstance(value, Tensor):
            raise TypeError(
                f"cannot assign '{typename(value)}' as buffer '{name}' "
                "(torch.nn.Buffer, torch.Tensor or None expected)"
            )
        if isinstance(value, Buffer):
            self._forget(name, own.get("_parameters"), own.get("_modules"))
            if _takes_persistent(self.register_buffer):
                self.register_buffer(name, value, value.persistent)
                return
            if not value.persistent:
                raise RuntimeError(
                    "Registering a non-persistent buffer on a Module subclass that implements register_buffer() "
                    "without the persistent argument is not allowed."
                )
            self.register_buffer(name, value)
            return
        if _hooks._global_buffer_registration_hooks:
            value = _replaced(_hooks._global_buffer_registration_hooks, self, name, value)
        buffers[name] = value

    @staticmethod
    def _forget(name: str, *places: Any) -> None:
        for place in places:
            if place is not None and name in place:
                place.discard(name) if isinstance(place, set) else place.pop(name)

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        if "_parameters" in own:
            found = own["_parameters"]
            if name in found:
                return found[name]
        if "_buffers" in own:
            found = own["_buffers"]
            if name in found:
                return found[name]
        if "_modules" in own:
            found = own["_modules"]
            if name in found:
                return found[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __delattr__(self, name: str) -> None:
        state.changes += 1
        for place in (self._parameters, self._buffers, self._modules):
            if name in place:
                del place[name]
                self._non_persistent_buffers_set.discard(name)
                return
        super().__delattr__(name)

    def __dir__(self) -> list[str]:
        names = {*dir(type(self)), *self.__dict__, *self._parameters, *self._modules, *self._buffers}
        return sorted(n for n in names if not n[0].isdigit())

    def _at(self, target: str) -> tuple[Module, str]:
        path, _, name = target.rpartition(".")
        return self.get_submodule(path), name

    def get_submodule(self, target: str) -> Module:
        """The module at a path such as ``"encoder.0"``."""
        module: Module = self
        for part in () if target == "" else target.split("."):
            if not hasattr(module, part):
                raise AttributeError(f"{module._get_name()} has no attribute `{part}`")
            module = getattr(module, part)
            if not isinstance(module, Module):
                raise AttributeError(f"`{part}` is not an nn.Module")
        return module

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Put a module at a path."""
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        parent, name = self._at(target)
        if strict and not hasattr(parent, name):
            raise AttributeError(f"{parent._get_name()} has no attribute `{name}`")
        if hasattr(parent, name) and not isinstance(getattr(parent, name), Module):
            raise AttributeError(f"`{name}` is not an nn.Module")
        if not isinstance(module, Module):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        setattr(parent, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """The parameter at a path."""
        module, name = self._at(target)
        if not hasattr(module, name):
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        found = getattr(module, name)
        if not isinstance(found, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return found

    def get_buffer(self, target: str) -> Tensor:
        """The buffer at a path."""
        module, name = self._at(target)
        if not hasattr(module, name):
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        found: Tensor = getattr(module, name)
        return found

    # ---- walking

    def named_modules(
        self, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """This module and all below it, each once, with their paths."""
        seen = set() if memo is None else memo
        if self in seen:
            return
        if remove_duplicate:
            seen.add(self)
        yield prefix, self
        path = f"{prefix}." if prefix else ""
        for name, child in self._modules.items():
            if child is not None:
                yield from child.named_modules(seen, path + name, remove_duplicate)

    def modules(self, remove_duplicate: bool = True) -> Iterator[Module]:
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The modules directly below."""
        seen: set[Module] = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Module]:
        for _, module in self.named_children():
            yield module

    def _named_members(
        self, get_members_fn: Callable[[Module], Any], prefix: str = "", recurse: bool = True,
        remove_duplicate: bool = True,
    ) -> Iterator[tuple[str, Any]]:  # fmt: skip
        seen: set[int] = set()
        owners = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        for path, owner in owners:
            start = f"{path}." if path else ""
            for name, member in get_members_fn(owner):
                if member is not None and id(member) not in seen:
                    if remove_duplicate:
                        seen.add(id(member))
                    yield start + name, member

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """The parameters with their paths, each once."""
        return self._named_members(lambda m: m._parameters.items(), prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        for _, parameter in self.named_parameters(recurse=recurse):
            yield parameter

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """The buffers with their paths, each once."""
        return self._named_members(lambda m: m._buffers.items(), prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    # ---- changing all of it

    def apply(self: Self, fn: Callable[[Module], Any]) -> Self:
        """Call ``fn`` with each module, children first."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self: Self, mode: bool = True) -> Self:
        """Set training mode here and below."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        if state.watch is not None:
            state.watch.mode_set(self, mode)
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self: Self) -> Self:
        return self.train(False)

    def requires_grad_(self: Self, requires_grad: bool = True) -> Self:
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients (``.grad`` None), or set them to zero in place."""
        if state.watch is not None:
            state.watch.zeroed(list(self.parameters()))
        for parameter in self.parameters():
            clear_grad(parameter, set_to_none)

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Call a compiled form of this module from now on."""
        from ... import compile as compiled  # loaded when first used

        self._compiled_call_impl = compiled(self._call_impl, *args, **kwargs)

    # ---- copying

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        state.pop("_compiled_call_impl", None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        own = self.__dict__
        tables = tables_of(state)
        own.update(tables)
        for handle in [value for value in state.values() if isinstance(value, RemovableHandle)]:
            for name, table in tables.items():
                handle.follow(state[name], table)
        for hooks in ("_backward_pre_hooks", "_backward_hooks", *_HOOKS):
            own.setdefault(hooks, new_ordered_table())
        own.setdefault("_non_persistent_buffers_set", set())
        own.setdefault("_is_full_backward_hook", None)

    def _replicate_for_data_parallel(self: Self) -> Self:
        """A copy that keeps its own parameters, buffers and children, which are the same at first."""
        copy: Self = type(self).__new__(type(self))
        copy.__dict__ = self.__dict__.copy()
        copy.__dict__.update(
            _parameters={}, _buffers=self._buffers.copy(), _modules=self._modules.copy(), _is_replica=True
        )
        return copy

    # ---- printing

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """What stands between the parentheses."""
        return ""

    def _repr_html_(self) -> str:
        from ...show.html import module_html  # loaded when first used

        return module_html(self)

    def __repr__(self) -> str:
        extra = self.extra_repr()
        extra_lines = extra.split("\n") if extra else []
        children = [f"({name}): {indented(repr(module))}" for name, module in self._modules.items()]
        if not children and len(extra_lines) <= 1:
            return f"{self._get_name()}({''.join(extra_lines)})"
        return f"{self._get_name()}(\n  " + "\n  ".join([*extra_lines, *children]) + "\n)"


for _part in (Hooks, Moving, StateDict):
    named_as_in(Module, dict(vars(_part)))


_HOOKS = (
    "_forward_hooks", "_forward_hooks_with_kwargs", "_forward_hooks_always_called", "_forward_pre_hooks",
    "_forward_pre_hooks_with_kwargs", "_state_dict_hooks", "_state_dict_pre_hooks", "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
)  # fmt: skip


def _replaced(hooks: OrderedDict[int, Any], module: Module, name: str, value: Any) -> Any:
    """What the hooks that watch registrations make of a value."""
    for hook in hooks.values():
        changed = hook(module, name, value)
        if changed is not None:
            value = changed
    return value


def indented(text: str) -> str:
    """Text whose lines after the first are two spaces further to the right."""
    return text.replace("\n", "\n  ")


def _addindent(s_: str, numSpaces: int) -> str:
    return s_.replace("\n", "\n" + " " * numSpaces)


def clear_grad(parameter: Tensor, set_to_none: bool) -> None:
    """What ``zero_grad`` does to one parameter."""
    grad = parameter.grad
    if grad is None:
        return
    if set_to_none:
        parameter.grad = None
        return
    if grad.grad_fn is not None:
        grad.detach_()
    else:
        grad.requires_grad_(False)
    grad.zero_()


def _takes_persistent(register: Callable[..., Any]) -> bool:
    """Whether a module registers buffers that are not saved; one may have its own, older, ``register_buffer``."""
    return register.__func__ is Module.register_buffer or "persistent" in signature(register).parameters  # type: ignore[attr-defined]


sys.modules[__name__].__class__ = _hooks.WithTables
