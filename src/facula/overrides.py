"""``__torch_function__``: other classes taking over facula's functions, as PyTorch's protocol says."""

from __future__ import annotations

import contextlib
import functools
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ._core import state
from ._lazy import Promised
from ._tensor import Tensor
from ._tensor.described import Described
from .autograd.graph import is_internal
from .autograd.saved import DIRECT


def _disabled_torch_function_impl(func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    with DisableTorchFunctionSubclass():
        return func(*args, **(kwargs or {}))


def _disabled_torch_dispatch_impl(func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    before = state.modes.dispatch_disabled
    state.modes.dispatch_disabled = True
    try:
        return func(*args, **(kwargs or {}))
    finally:
        state.modes.dispatch_disabled = before


class DisableTorchFunctionSubclass:
    """Within it, subclasses are treated as plain Tensors."""

    def __enter__(self) -> None:
        self.before = state.modes.overrides_disabled
        state.modes.overrides_disabled = True

    def __exit__(self, *exc: object) -> None:
        state.modes.overrides_disabled = self.before


DisableTorchFunction = DisableTorchFunctionSubclass


def has_override(value: Any) -> bool:
    """Whether a value is of a class with ``__torch_function__`` of its own."""
    cls = value.__class__
    if cls in DIRECT or isinstance(value, (int, float, str, bool, list, tuple, dict, type(None))):
        return False
    handler = getattr(cls, "__torch_function__", None)
    return handler is not None and handler is not _disabled_torch_function_impl


def _candidates(values: Iterable[Any]) -> list[Any]:
    found = []
    for v in values:
        if isinstance(v, (list, tuple)) and v.__class__ is not Tensor:
            found += [x for x in v if has_override(x)]
        elif has_override(v):
            found.append(v)
    return found


def overridden(args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> bool:
    """Whether a mode or an argument's class wants to handle the call."""
    if state.special and state.modes.function_modes:
        return True
    if state.modes.overrides_disabled:
        return False
    if not kwargs:
        for v in args:
            if type(v) not in DIRECT:
                break
        else:
            return False
    return bool(_candidates((*args, *(kwargs or {}).values())))


def call_override(implementation: Any, public: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Give each mode, then each argument's class (subclasses first) its chance."""
    public = _method(public)
    given = [] if state.modes.overrides_disabled else _candidates((*args, *kwargs.values()))
    handlers: list[Any] = []
    for v in given:
        if all(type(v) is not type(h) for h in handlers):
            at = next((i for i, h in enumerate(handlers) if issubclass(type(v), type(h))), len(handlers))
            handlers.insert(at, v)
    types = tuple(type(h) for h in handlers)
    modes = state.modes.function_modes
    if modes:
        state.update(function_modes=modes[:-1])
        try:
            result = modes[-1].__torch_function__(public, types, args, kwargs)
        finally:
            state.update(function_modes=modes)
        if result is not NotImplemented:
            return result
    for h in handlers:
        result = type(h).__torch_function__(public, types, args, kwargs)
        if result is not NotImplemented:
            return result
    if not handlers and not modes:
        return implementation(*args, **kwargs)
    asked = [f"mode object {mode!r}" for mode in modes[-1:]] + [f"tensor subclass {t!r}" for t in types]
    raise _not_implemented(public, asked)


def _not_implemented(public: Any, asked: list[str]) -> TypeError:
    """What is said where nobody would handle a call."""
    name = getattr(public, "__name__", str(public))
    owner = "torch.Tensor" if getattr(Tensor, name, None) is public else "torch"
    told = "".join([f"  - {each}\n" for each in asked])
    return TypeError(
        f"Multiple dispatch failed for '{owner}.{name}'; all __torch_function__ handlers returned NotImplemented:\n\n"
        f"{told}\nFor more information, try re-running with TORCH_LOGS=not_implemented"
    )


_FUNCTIONS_TOO = ("as_strided_", "conj_physical_", "detach_", "index_put_", "round_")
"""What PyTorch has as a function besides."""


def _method(public: Any) -> Any:
    """The method that users know, for one of the forms that it has for tensors and for numbers."""
    name = getattr(public, "__name__", "")
    bare = name.rstrip("_")
    for kind in ("_tensor", "_number"):
        bare = bare.removesuffix(kind)
    if name.startswith("_") or not (name.endswith("_") or bare != name) or name in _FUNCTIONS_TOO:
        return public
    if not callable(getattr(public, "__get__", None)):  # a record, whose arguments are its own
        return public
    return getattr(Tensor, bare + "_" * name.endswith("_"), public)


def default_torch_function(cls: type, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """What ``Tensor.__torch_function__`` does: run plainly, give the result the subclass."""
    kwargs = kwargs or {}
    if not all(issubclass(cls, t) for t in types):
        return NotImplemented
    with DisableTorchFunctionSubclass():
        result = func(*args, **kwargs)
    if func in get_default_nowrap_functions():
        return result
    return _convert(result, cls)


def _convert(result: Any, cls: type) -> Any:
    if isinstance(result, Tensor):
        return result if cls is Tensor or isinstance(result, cls) else result.as_subclass(cls)
    if cls is Tensor or not isinstance(result, (tuple, list)):
        return result
    parts = [_convert(part, cls) for part in result]
    return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)


def get_default_nowrap_functions() -> set[Callable[..., Any]]:
    """Functions whose results stay as they are when a subclass calls them."""
    return {Tensor.__dict__[name].__get__ for name in ("_base", "grad", "_grad")}


def handle_torch_function(public_api: Any, relevant_args: Any, *args: Any, **kwargs: Any) -> Any:
    """Let the arguments that override a function answer in its place."""
    return call_override(public_api, public_api, args, kwargs)


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """Whether one of some arguments overrides functions."""
    return overridden(tuple(relevant_args))


def has_torch_function_unary(obj: Any) -> bool:
    """Whether an argument overrides functions."""
    return overridden((obj,))


def has_torch_function_variadic(*objs: Any) -> bool:
    """Whether one of the arguments overrides functions."""
    return overridden(objs)


def is_tensor_like(inp: Any) -> bool:
    """Whether a value is a tensor, or has ``__torch_function__``."""
    return isinstance(inp, Tensor) or hasattr(inp, "__torch_function__")


class asking:
    """Whether functions made of operators ask for overrides, too. ``ops.machine.overridable`` has them begin to."""

    begun = False
    begin: Callable[[], None] | None = None


def let_functions_ask() -> None:
    """Something has appeared that may take functions over."""
    asking.begun = True
    if asking.begin is not None:
        asking.begin()


class TorchFunctionMode:
    """Sees every function called within it."""

    def __enter__(self) -> TorchFunctionMode:
        if not asking.begun:
            let_functions_ask()
        state.update(function_modes=(*state.modes.function_modes, self))
        return self

    def __exit__(self, *exc: object) -> None:
        state.update(function_modes=state.modes.function_modes[:-1])

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


Tensor.__torch_function__ = classmethod(default_torch_function)  # type: ignore[method-assign, assignment]
Tensor.__torch_dispatch__ = staticmethod(_disabled_torch_dispatch_impl)  # type: ignore[method-assign]


# ---- subclasses
#
# Operators ask for overrides themselves. What is written on Tensor as a property or a plain method does not: it is
# replaced on subclasses that have not switched overrides off, so that plain tensors pay nothing for it.

_DRESSED_METHODS = ("detach", "detach_", "requires_grad_", "numpy", "size", "stride", "dim", "numel", "backward")
_PROMISED_PROPERTIES = ("H", "T", "imag", "mH", "mT", "real")


def dress(cls: type) -> None:
    """Have a subclass's properties and methods go through ``__torch_function__``."""
    handler = cls.__torch_function__  # type: ignore[attr-defined]
    if handler is _disabled_torch_function_impl:
        return
    if not asking.begun and getattr(handler, "__func__", None) is not default_torch_function:
        let_functions_ask()
    own: dict[str, Any] = {**Described.__dict__, **Tensor.__dict__}
    for name, value in own.items():
        if isinstance(value, Promised):
            if name not in _DRESSED_METHODS and name not in _PROMISED_PROPERTIES:
                continue
            value = getattr(Tensor, name)
        if getattr(cls, name) is not value:
            continue
        if isinstance(value, property) and (not name.startswith("_") or name in ("_base", "_version")):
            setattr(cls, name, _dressed_property(value))
        elif name in _DRESSED_METHODS:
            setattr(cls, name, _dressed_method(value))


def _asked_from_inside() -> bool:
    return is_internal(sys._getframe(2).f_code.co_filename)


def _dressed_property(plain: property) -> property:
    def get(self: Any) -> Any:
        if _asked_from_inside() or not overridden((self,)):
            return plain.__get__(self)
        return call_override(plain.__get__, plain.__get__, (self,), {})

    return property(get, plain.fset, plain.fdel, plain.__doc__)


def _dressed_method(plain: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(plain)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if _asked_from_inside() or not overridden((self,)):
            return plain(self, *args, **kwargs)
        return call_override(plain, plain, (self, *args), kwargs)

    return method


def asked_of_classes(name: str, self: Any) -> Any:
    """What a method of a tensor gives to who is not inside facula: its class may take it over."""
    method = getattr(Tensor, name)
    return call_override(method, method, (self,), {}) if overridden((self,)) else getattr(self, name)()


# ---- asking which functions there are


# What no class can take over, as in PyTorch: functions that take no tensors, and some that do.
_IGNORED_FUNCTIONS = """
    arange are_deterministic_algorithms_enabled as_strided as_tensor asarray autocast_decrement_nesting
    autocast_increment_nesting bartlett_window blackman_window broadcast_shapes can_cast clear_autocast_cache
    compile cond empty empty_permuted empty_strided enable_grad eye fill finfo from_numpy frombuffer full
    get_autocast_cpu_dtype get_autocast_dtype get_autocast_gpu_dtype get_default_device get_default_dtype
    get_deterministic_debug_mode get_device_module get_float32_matmul_precision get_num_interop_threads
    get_num_threads get_rng_state hamming_window hann_window iinfo inference_mode initial_seed
    is_anomaly_check_nan_enabled is_anomaly_enabled is_autocast_cache_enabled is_autocast_cpu_enabled
    is_autocast_enabled is_deterministic_algorithms_warn_only_enabled is_grad_enabled
    is_inference_mode_enabled is_storage is_tensor is_vulkan_available is_warn_always_enabled kaiser_window
    linspace load logspace manual_seed no_grad normal ones promote_types rand rand_like randint randint_like
    randn randn_like randperm range result_type save scalar_tensor seed set_autocast_cache_enabled
    set_autocast_cpu_dtype set_autocast_cpu_enabled set_autocast_dtype set_autocast_enabled
    set_autocast_gpu_dtype set_default_device set_default_tensor_type set_deterministic_debug_mode
    set_float32_matmul_precision set_flush_denormal set_grad_enabled set_num_interop_threads set_num_threads
    set_printoptions set_rng_state set_warn_always sparse_coo_tensor tensor tril_indices triu_indices typename
    use_deterministic_algorithms vander vmap zeros
"""
_IGNORED_METHODS = """
    __delitem__ __iter__ _conj _conj_physical _is_all_true _is_any_true _make_subclass _make_wrapper_subclass
    _neg_view _typed_storage as_subclass new new_empty new_empty_strided new_full new_ones new_tensor
    new_zeros stride to_sparse_coo unflatten __torch_dispatch__ __torch_function__ __init__ __new__ __hash__
"""
_OWN_OF_TENSORS = """
    _array _bump_version _counter _cut_by _edge _had_history _is_leaf_requiring_grad _meta _new_counter _node
    _own_meta _require_differentiable_dtype _set_edge _set_node _shared_counter _show_history _standard_gamma
    _type_name _wrap source
"""
_IGNORED_INITIALIZERS = """
    calculate_gain constant dirac eye kaiming_normal kaiming_uniform normal orthogonal sparse uniform
    xavier_normal xavier_uniform
"""


def get_overridable_functions() -> dict[Any, list[Callable[..., Any]]]:
    """The functions that classes can take over, by where they are found."""
    import facula  # it imports this module

    from . import fft, linalg, nn, special  # they import this module
    from .ops.machine.public import FUNCTIONS  # it imports this module

    facula._lazy.load_all()
    places: dict[Any, list[Callable[..., Any]]] = {
        facula: _shown(FUNCTIONS),
        **{
            place: _shown({name: getattr(place, name) for name in getattr(place, "__all__", dir(place))})
            for place in (nn.functional, linalg, fft, special)
        },
        Tensor: [],
    }
    for name in dir(Tensor):
        value = getattr(Tensor, name)
        if name.startswith("_") and not name.startswith("__"):
            continue
        if isinstance(value, property):
            places[Tensor].append(value.__get__)
        elif callable(value) and not isinstance(value, type) and getattr(object, name, None) is not value:
            places[Tensor].append(value)
    ignored = get_ignored_functions()
    return {place: [fn for fn in fns if fn not in ignored] for place, fns in places.items()}


def _shown(functions: Mapping[str, Any]) -> list[Any]:
    """Functions that are neither private nor classes, nor write into their argument."""
    found = []
    for name, fn in functions.items():
        if name[0].islower() and not name.endswith("_") and callable(fn) and not isinstance(fn, type):
            found.append(fn)
    return found


def get_ignored_functions() -> set[Callable[..., Any]]:
    """Functions that classes can not take over."""
    import facula  # it imports this module

    from . import nn  # it imports this module

    places = ((facula, _IGNORED_FUNCTIONS), (Tensor, _IGNORED_METHODS), (nn.init, _IGNORED_INITIALIZERS))
    own = [getattr(Tensor, name) for name in _OWN_OF_TENSORS.split()]
    ignored = {value if callable(value) else value.__get__ for value in own}
    return ignored | {getattr(place, name) for place, names in places for name in names.split()}


def get_testing_overrides() -> dict[Callable[..., Any], Callable[..., Any]]:
    """A function of the same signature for each overridable one."""
    return {fn: _answering(fn) for fns in get_overridable_functions().values() for fn in fns}


def _answering(fn: Callable[..., Any]) -> Callable[..., Any]:
    def answer(*args: Any, **kwargs: Any) -> int:
        return -1

    with contextlib.suppress(TypeError, ValueError):  # it has none
        answer.__signature__ = inspect.signature(fn)  # type: ignore[attr-defined]
    return answer


def is_tensor_method_or_property(func: Callable[..., Any]) -> bool:
    """Whether a function is one of Tensor's own."""
    return func in get_overridable_functions()[Tensor]


def resolve_name(f: Callable[..., Any]) -> str | None:
    """The name that a function is found by: ``torch.add``, ``torch.Tensor.add``."""
    from . import fft, linalg, nn  # they import this module
    from .ops.machine.public import FUNCTIONS  # it imports this module

    called = getattr(f, "__name__", "")
    for name in [called, *dir(Tensor)] if hasattr(Tensor, called) else dir(Tensor):  # its own name before others
        value = getattr(Tensor, name)
        if value is f and (FUNCTIONS.get(name) is not f or (name.endswith("_") and not name.endswith("__"))):
            return f"torch.Tensor.{name}"
        if isinstance(value, property) and value.__get__ == f:
            return f"torch.Tensor.{name}.__get__"
    for name, value in FUNCTIONS.items():
        if value is f:
            return f"torch.{name}"
    for place, module in (("nn.functional", nn.functional), ("linalg", linalg), ("fft", fft)):
        for name in module.__all__:
            if getattr(module, name) is f:
                return f"torch.{place}.{name}"
    return None


def wrap_torch_function(dispatcher: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator: let classes take a function over. ``dispatcher`` tells which of its arguments are asked."""

    def decorate(func: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(func)
        def asking(*args: Any, **kwargs: Any) -> Any:
            asked = tuple(dispatcher(*args, **kwargs))
            answer = functools.partial(handle_torch_function, asking, asked) if overridden(asked) else func
            return answer(*args, **kwargs)

        return asking

    return decorate
