"""Parameters and buffers that are computed from others: their parametrizations."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from ..._tensor import Tensor
from ...autograd.grad_mode import no_grad
from ..modules.container import ModuleDict, ModuleList
from ..modules.module import Module
from ..parameter import Parameter

__all__ = [
    "ParametrizationList", "cached", "is_parametrized", "register_parametrization", "remove_parametrizations",
    "transfer_parametrizations_and_params", "type_before_parametrizations",
]  # fmt: skip

_cache_enabled = 0
_cache: dict[tuple[int, str], Tensor | None] = {}


@contextmanager
def cached() -> Iterator[None]:
    """Within it, a parametrized tensor is computed once."""
    global _cache, _cache_enabled
    _cache_enabled += 1
    try:
        yield
    finally:
        _cache_enabled -= 1
        if not _cache_enabled:
            _cache = {}


def _register_parameter_or_buffer(module: Module, name: str, X: Any) -> None:
    if isinstance(X, Parameter):
        module.register_parameter(name, X)
    else:
        module.register_buffer(name, X)


def _maybe_set(dest: Tensor, src: Tensor) -> None:
    """Let ``dest`` have the memory of ``src``, keeping its identity."""
    dest.data = src.detach()


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, one after another, and the tensor (or tensors) that they start from."""

    original: Tensor
    unsafe: bool

    def __init__(self, modules: Sequence[Module], original: Tensor | Parameter, unsafe: bool = False) -> None:
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        form = {"dtype": original.dtype, "shape": original.shape}
        start = self._start_for(original)
        self.is_tensor = isinstance(start, Tensor)
        self.ntensors = 1 if self.is_tensor else len(start)
        if self.is_tensor:
            for kind in ("dtype", "device"):
                if getattr(original, kind) != getattr(start, kind):
                    raise ValueError(
                        f"When `right_inverse` outputs one tensor, it may not change the {kind}.\n"
                        f"original.{kind}: {getattr(original, kind)}\n"
                        f"right_inverse(original).{kind}: {getattr(start, kind)}"
                    )
            _maybe_set(original, start)
            _register_parameter_or_buffer(self, "original", original)
        else:
            for i, part in enumerate(start):
                self._add_original(i, part, original)
        if not unsafe:
            self._check_keeps(form)

    def _start_for(self, value: Tensor) -> Any:
        """What the parametrizations would have to start from to give a value, as far as they can tell."""
        start: Any = value
        with no_grad():
            for module in reversed(list(self)):
                if hasattr(module, "right_inverse"):
                    with suppress(NotImplementedError):
                        start = module.right_inverse(start)
        if not isinstance(start, (Tensor, Sequence)):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got "
                f"{type(start).__name__}"
            )
        return start

    def _add_original(self, i: int, part: Any, whole: Tensor) -> None:
        """One of several tensors to start from: learned if the whole was."""
        if not isinstance(part, Tensor):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got element "
                f"{i} of the sequence with type {type(part).__name__}."
            )
        if isinstance(whole, Parameter):
            part = Parameter(part, whole.requires_grad)
        part.requires_grad_(whole.requires_grad)
        _register_parameter_or_buffer(self, f"original{i}", part)

    def _check_keeps(self, form: dict[str, Any]) -> None:
        made = self()
        if not isinstance(made, Tensor):
            raise ValueError(f"A parametrization must return a tensor. Got {type(made).__name__}.")
        for kind, before in form.items():
            after = getattr(made, kind)
            if after != before:
                raise ValueError(
                    f"Registering a parametrization may not change the {kind} of the tensor, unless `unsafe` flag is "
                    f"enabled.\nunparametrized {kind}: {before}\nparametrized {kind}: {after}"
                )

    def _originals(self) -> list[Tensor]:
        return [getattr(self, f"original{i}") for i in range(self.ntensors)]

    def right_inverse(self, value: Tensor) -> None:
        """Choose the tensors that the parametrizations start from so that they give ``value``."""
        with no_grad():
            new: Any = value
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
                new = module.right_inverse(new)
            if self.is_tensor:
                if not isinstance(new, Tensor):
                    raise ValueError(f"`right_inverse` should return a tensor. Got {type(new).__name__}")
                if new.dtype != self.original.dtype:
                    raise ValueError(
                        f"The tensor returned by `right_inverse` has dtype {new.dtype} while `original` has dtype "
                        f"{self.original.dtype}"
                    )
                _maybe_set(self.original, new)
                return
            if not isinstance(new, Sequence):
                raise ValueError(f"'right_inverse' must return a sequence of tensors. Got {type(new)}.")
            if len(new) != self.ntensors:
                raise ValueError(
                    "'right_inverse' must return a sequence of tensors of length "
                    f"{self.ntensors}. Got a sequence of length {len(new)}."
                )
            for i, (part, own) in enumerate(zip(new, self._originals())):
                if not isinstance(part, Tensor):
                    raise ValueError(
                        f"`right_inverse` must return a sequence of tensors. Got element {i} of type {type(part)}"
                    )
                if part.dtype != own.dtype:
                    raise ValueError(
                        f"Tensor {i} returned by `right_inverse` has dtype {part.dtype} while `original{i}` has dtype "
                        f"{own.dtype}"
                    )
                _maybe_set(own, part)

    def forward(self) -> Any:
        first, *others = self
        x = first(self.original) if self.is_tensor else first(*self._originals())
        for module in others:
            x = module(x)
        return x


def _inject_new_class(module: Module) -> None:
    """Give the module a class of its own, which can have properties."""
    cls = module.__class__

    def default_deepcopy(self: Any, memo: dict[int, Any]) -> Any:
        made = memo.get(id(self))
        if made is None:
            made = self.__new__(self.__class__)
            memo[id(self)] = made
            made.__dict__ = copy.deepcopy(self.__dict__, memo)
        return made

    def getstate(self: Any) -> Any:
        raise RuntimeError(
            "Serialization of parametrized modules is only supported through state_dict(). See:\n"
            "https://pytorch.org/tutorials/beginner/saving_loading_models.html#saving-loading-a-general-checkpoint-for-"
            "inference-and-or-resuming-training"
        )

    members: dict[str, Any] = {"__getstate__": getstate}
    if not hasattr(cls, "__deepcopy__"):
        members["__deepcopy__"] = default_deepcopy
    members["__module__"] = ParametrizationList.__module__
    module.__class__ = type(f"Parametrized{cls.__name__}", (cls,), members)


def _inject_property(module: Module, tensor_name: str) -> None:
    if hasattr(module, tensor_name):
        raise AssertionError(f"Module already has an attribute named '{tensor_name}'")

    def get(self: Any) -> Any:
        if not _cache_enabled:
            return self.parametrizations[tensor_name]()
        key = (id(self), tensor_name)
        tensor = _cache.get(key)
        if tensor is None:
            tensor = _cache[key] = self.parametrizations[tensor_name]()
        return tensor

    def set_(self: Any, value: Tensor) -> None:
        self.parametrizations[tensor_name].right_inverse(value)

    setattr(module.__class__, tensor_name, property(get, set_))


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """Let a parameter or buffer be ``parametrization`` of what is learned (and of parametrizations before it)."""
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            _check_keeps_kind(module, tensor_name, parametrization)
        known: Any = module.parametrizations[tensor_name]
        known.append(parametrization)
        known.unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        original = getattr(module, tensor_name)
        made = ParametrizationList([parametrization], original, unsafe=unsafe)
        delattr(module, tensor_name)
        if not is_parametrized(module):
            _inject_new_class(module)
            module.parametrizations = ModuleDict()
        _inject_property(module, tensor_name)
        module.parametrizations[tensor_name] = made
    else:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
            f"'{tensor_name}'"
        )
    return module


def _check_keeps_kind(module: Module, name: str, parametrization: Any) -> None:
    now = getattr(module, name)
    then = parametrization(now)
    if not isinstance(then, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(then).__name__}.")
    for kind in ("dtype", "shape"):
        if getattr(then, kind) != getattr(now, kind):
            raise ValueError(
                f"Registering a parametrization may not change the {kind} of the tensor, unless the `unsafe` flag is "
                f"enabled.\nmodule.{name}.{kind}: {getattr(now, kind)}\nparametrization(module.{name}).{kind}: "
                f"{getattr(then, kind)}"
            )
    if not hasattr(parametrization, "right_inverse"):
        return
    try:
        back = parametrization.right_inverse(then)
    except NotImplementedError:
        return
    if not isinstance(back, Tensor):
        raise ValueError(f"parametrization.right_inverse must return a tensor. Got: {type(back).__name__}")
    for kind in ("dtype", "shape"):
        if getattr(back, kind) != getattr(now, kind):
            raise ValueError(
                f"The tensor returned by parametrization.right_inverse must have the same {kind} as module.{name}, "
                f"unless the `unsafe` flag is enabled.\nmodule.{name}.{kind}: {getattr(now, kind)}\nreturned {kind}: "
                f"{getattr(back, kind)}"
            )


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Whether a module has parametrizations, or a tensor of it has."""
    held = getattr(module, "parametrizations", ())
    names = held.keys() if isinstance(held, ModuleDict) else ()
    return bool(names) if tensor_name is None else tensor_name in names


def remove_parametrizations(module: Module, tensor_name: str, leave_parametrized: bool = True) -> Module:
    """Let a tensor be what it is now, or what it started from."""
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    held: Any = module.parametrizations
    chain = held[tensor_name]
    if not leave_parametrized and not chain.is_tensor:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a "
            "sequence of tensors."
        )
    kept = _as_it_is(chain, getattr(module, tensor_name)) if leave_parametrized else chain.original
    delattr(type(module), tensor_name)
    del held[tensor_name]
    _register_parameter_or_buffer(module, tensor_name, kept)
    if not held:
        del module.parametrizations
        module.__class__ = type(module).__bases__[0]
    return module


def _as_it_is(chain: Any, value: Tensor) -> Tensor:
    """The value for good: in what it started from, if that was one tensor."""
    if chain.is_tensor:
        with no_grad():
            _maybe_set(chain.original, value)
        original: Tensor = chain.original
        return original
    return Parameter(value) if value.requires_grad else value


def type_before_parametrizations(module: Module) -> type:
    """The class that the module had before it was parametrized."""
    return module.__class__.__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(
    from_module: Module, to_module: Module, tensor_name: str | None = None
) -> Module:
    """Parametrize one module as another is, with the other's tensors."""
    if not is_parametrized(from_module):
        return to_module
    if not isinstance(from_module.parametrizations, ModuleDict):
        raise AssertionError("from_module.parametrizations must be a ModuleDict")
    names = from_module.parametrizations if tensor_name is None else [tensor_name]
    for name in list(names):
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name)))
        source: Any = from_module.parametrizations[name]
        for parametrization in source:
            register_parametrization(to_module, name, parametrization)
        if not isinstance(to_module.parametrizations, ModuleDict):
            raise AssertionError("to_module.parametrizations must be a ModuleDict")
        target: Any = to_module.parametrizations[name]
        if source.is_tensor:
            target.original = source.original
        else:
            for i in range(source.ntensors):
                setattr(target, f"original{i}", getattr(source, f"original{i}"))
    return to_module
