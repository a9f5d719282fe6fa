"""Saving a Module's state as a flat dict from paths to tensors, and loading it again."""

from __future__ import annotations

import warnings
import weakref
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ... import __future__
from ..._tensor import Tensor
from ...autograd.grad_mode import no_grad
from ...autograd.graph import RemovableHandle
from ...overrides import asked_of_classes
from ...utils.swapping import swap_tensors
from ..parameter import Parameter, is_lazy

EXTRA_STATE = "_extra_state"


class _IncompatibleKeys(NamedTuple):
    """What ``load_state_dict`` found missing and unexpected."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


class StateDict:
    """The part of Module that saves and loads."""

    _version: int = 1

    if TYPE_CHECKING:
        _parameters: dict[str, Any]
        _buffers: dict[str, Any]
        _modules: dict[str, Any]
        _non_persistent_buffers_set: set[str]

        def __getattr__(self, name: str) -> Any: ...

    def get_extra_state(self) -> Any:
        """Override to save more than tensors with the state."""
        raise RuntimeError(
            "Reached a code path in Module.get_extra_state() that should never be called. Please file an issue at "
            "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug."
        )

    def set_extra_state(self, state: Any) -> None:
        """Override to load what ``get_extra_state`` gave."""
        raise RuntimeError(
            "Reached a code path in Module.set_extra_state() that should never be called. Please file an issue at "
            "https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml to report this bug."
        )

    def _has_extra_state(self, method: str) -> bool:
        return getattr(type(self), method) is not getattr(StateDict, method)

    def _saved_tensors(self) -> dict[str, Any]:
        kept = {k: v for k, v in self._buffers.items() if k not in self._non_persistent_buffers_set}
        return {k: v for k, v in {**self._parameters, **kept}.items() if v is not None}

    def state_dict(self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> Any:
        """Parameters and persistent buffers by path, detached unless ``keep_vars``."""
        if args:
            warnings.warn(
                "Positional args are being deprecated, use kwargs instead. Refer to "
                "https://pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module.state_dict for details.",
                FutureWarning,
                stacklevel=2,
            )
            destination = args[0]
            prefix = args[1] if len(args) > 1 else prefix
            keep_vars = args[2] if len(args) > 2 else keep_vars
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            changed = hook(self, destination, prefix, metadata)
            if changed is not None:
                if getattr(hook, "_from_public_api", False):
                    raise RuntimeError("state_dict post-hook must return None")
                destination = changed
        return destination

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        for name, value in self._saved_tensors().items():
            destination[prefix + name] = value if keep_vars else asked_of_classes("detach", value)
        if self._has_extra_state("get_extra_state"):
            destination[prefix + EXTRA_STATE] = self.get_extra_state()

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False) -> Any:
        """Copy a state into this module (or, with ``assign``, take its tensors as they are)."""
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        metadata = getattr(state_dict, "_metadata", None)
        state = OrderedDict(state_dict)
        missing: list[str] = []
        unexpected: list[str] = []
        errors: list[str] = []
        if not assign and self._is_own(state):
            from ..._explain import unasked  # loaded when something is unusual

            unasked.loaded_itself(self, state)

        _load(self, state, "", metadata, assign, (missing, unexpected, errors))
        if strict:
            for title, keys in (("Missing", missing), ("Unexpected", unexpected)):
                if keys:
                    listed = ", ".join(f'"{k}"' for k in keys)
                    errors.append(f"{title} key(s) in state_dict: {listed}. ")
            errors.sort(key=_order_of_errors)
        if errors:
            listed = "\n\t".join(errors)
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{listed}")
        if state_dict and len(unexpected) == len(state_dict):
            from ..._explain import unasked  # loaded when something is unusual

            unasked.loaded_nothing(list(missing), unexpected)
        return _IncompatibleKeys(missing, unexpected)

    def _is_own(self, state: Mapping[str, Any]) -> bool:
        """Whether a state holds the memory of this module's first parameter."""
        named: Any = next(iter(self.named_parameters()), None)
        return named is not None and getattr(state.get(named[0]), "_array", None) is named[1]._array

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool, missing_keys: list[str],
        unexpected_keys: list[str], error_msgs: list[str],
    ) -> None:  # fmt: skip
        """Load this module's own tensors, not its children's; report problems in the three lists."""
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        assign = local_metadata.get("assign_to_params_buffers", False)
        for name, own in self._saved_tensors().items():
            key = prefix + name
            if key not in state_dict:
                if strict:
                    missing_keys.append(key)
                continue
            problem = self._load_one(name, own, key, state_dict[key], assign)
            if problem:
                error_msgs.append(problem)
        self._load_extra(state_dict, prefix, strict, missing_keys, unexpected_keys)
        if strict:
            known = self._saved_tensors()
            for key in state_dict:
                if key.startswith(prefix) and key != prefix + EXTRA_STATE:
                    first, dot, _ = key[len(prefix) :].partition(".")
                    if first not in (self._modules if dot else known):
                        unexpected_keys.append(key)

    def _load_one(self, name: str, own: Any, key: str, given: Any, assign: bool) -> str | None:
        if not isinstance(given, Tensor):
            return (
                f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from '
                f"checkpoint but received {type(given)}"
            )
        lazy = is_lazy(own)
        if not lazy and given.dim() == 1 and own.dim() == 0 and len(given) == 1:
            given = given[0]
        if not lazy and given.shape != own.shape:
            return (
                f"size mismatch for {key}: copying a param with shape {given.shape} from checkpoint, the shape in "
                f"current model is {own.shape}."
            )
        if own.is_meta and not given.is_meta and not assign:
            warnings.warn(
                f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter in the current "
                "model, which is a no-op. (Did you mean to pass `assign=True` to assign items in the state dictionary "
                "to their corresponding key in the module instead of copying them in place?)",
                stacklevel=5,
            )
        try:
            with no_grad():
                if __future__.get_swap_module_params_on_conversion():
                    taken = own.module_load(given, assign=assign)
                    if taken is given or taken is own:
                        raise RuntimeError(
                            "module_load returned one of self or other, please .detach() the result if returning one "
                            "of the inputs in module_load"
                        )
                    swap_tensors(own, _taking_the_place_of(own, taken))
                elif assign:
                    setattr(self, name, _taking_the_place_of(own, given))
                else:
                    own.copy_(given)
        except Exception as error:
            action = "swapping" if __future__.get_swap_module_params_on_conversion() else "copying"
            return (
                f'While {action} the parameter named "{key}", whose dimensions in the model are {own.size()} and whose '
                f"dimensions in the checkpoint are {given.size()}, an exception occurred : {error.args}."
            )
        return None

    def _load_extra(self, state: Any, prefix: str, strict: bool, missing: list[str], unexpected: list[str]) -> None:
        key = prefix + EXTRA_STATE
        if self._has_extra_state("set_extra_state"):
            if key in state:
                self.set_extra_state(state[key])
            elif strict:
                missing.append(key)
        elif strict and key in state:
            unexpected.append(key)

    # ---- hooks

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, prefix, keep_vars)`` before the state is saved."""
        return RemovableHandle(self._state_dict_pre_hooks, hook)

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, local_metadata)`` after the state is saved; it may change it."""
        hook._from_public_api = True  # type: ignore[attr-defined]
        return RemovableHandle(self._state_dict_hooks, hook)

    def _register_state_dict_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Like it, and what the hook returns takes the place of the state."""
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError(
                "Cannot register the same function as the state dict post hook that was previously registered via "
                "register_state_dict_post_hook"
            )
        return RemovableHandle(self._state_dict_hooks, hook)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, ...)`` before a state is loaded into this module."""
        return RemovableHandle(self._load_state_dict_pre_hooks, _WrappedHook(hook, self))

    def _register_load_state_dict_pre_hook(self, hook: Callable[..., Any], with_module: bool = False) -> Any:
        return RemovableHandle(
            self._load_state_dict_pre_hooks, _WrappedHook(hook, self) if with_module else hook
        )

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, incompatible_keys)`` after a state was loaded; it may change the keys in place."""
        return RemovableHandle(self._load_state_dict_post_hooks, hook)


def _load(
    module: Any, part: Any, prefix: str, metadata: Any, assign: bool, told: tuple[list[str], list[str], list[str]]
) -> None:
    """Load a module and all below it; problems are put into the three lists."""
    local = {} if metadata is None else dict(metadata.get(prefix[:-1], {}))
    if assign:
        local["assign_to_params_buffers"] = True
    module._load_from_state_dict(part, prefix, local, True, *told)
    for name, child in module._modules.items():
        if child is not None:
            below = f"{prefix}{name}."
            _load(child, {k: v for k, v in part.items() if k.startswith(below)}, below, metadata, assign, told)
    found = _IncompatibleKeys(*told[:2])
    for hook in module._load_state_dict_post_hooks.values():
        if hook(module, found) is not None:
            raise AssertionError(
                "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new values, "
                "if incompatible_keys need to be modified, it should be done inplace."
            )


class _WrappedHook:
    """A hook that is told of its module, which it does not keep alive."""

    def __init__(self, hook: Callable[..., Any], module: Any) -> None:
        self.hook = hook
        self.module = weakref.ref(module)

    def __call__(self, *args: Any) -> Any:
        return self.hook(self.module(), *args)

    def __getstate__(self) -> dict[str, Any]:
        return {"hook": self.hook, "module": self.module()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]


def _taking_the_place_of(own: Any, given: Tensor) -> Tensor:
    """``given`` as what ``own`` is."""
    if not isinstance(own, Parameter):
        return given
    if not isinstance(given, Parameter):
        return Parameter(given, own.requires_grad)
    return given.requires_grad_(own.requires_grad)


def _order_of_errors(message: str) -> int:
    return 0 if message.startswith("Missing key(s)") else 1 if message.startswith("Unexpected key(s)") else 2
