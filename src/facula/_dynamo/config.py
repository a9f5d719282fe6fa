"""``torch._dynamo.config``: what can be set about compiling."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from facula._compile import settings
from facula._compile.options import changes, patched

_REAL = {
    "recompile_limit": "recompile_limit",
    "cache_size_limit": "recompile_limit",
    "automatic_dynamic_shapes": "automatic_dynamic_shapes",
    "error_on_recompile": "error_on_recompile",
}
"""Names that do something, and what they are here."""

_WITHOUT_EFFECT: dict[str, Any] = {
    "accumulated_recompile_limit": 256, "accumulated_cache_size_limit": 256, "allow_rnn": False,
    "allow_unspec_int_on_nn_module": False, "assume_static_by_default": True, "capture_dynamic_output_shape_ops": False,
    "capture_func_transforms": True, "capture_scalar_outputs": False, "compiled_autograd": False, "cprofile": False,
    "disable": False, "dynamic_shapes": True, "fail_on_recompile_limit_hit": False,
    "force_parameter_static_shapes": True, "guard_nn_modules": True, "inline_inbuilt_nn_modules": True,
    "log_level": None, "optimize_ddp": True, "output_code": False, "report_guard_failures": True,
    "skip_nnmodule_hook_guards": True, "specialize_float": False, "specialize_int": False, "suppress_errors": False,
    "traceable_tensor_subclasses": set(), "verbose": False,
}  # fmt: skip
"""Names that may be set, to no effect."""

_deleted: set[str] = set()
"""Those that have been deleted and not set again, as ``unittest.mock.patch`` does on its way out."""


def patch(named: Any = None, value: Any = None, **more: Any) -> patched:
    """Other settings for a while: a context manager and a decorator."""
    return patched(_module, changes(named, value, more))


class _Config(ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name in _deleted:
            raise AttributeError(f"torch._dynamo.config.{name} does not exist")
        if name in _REAL:
            return getattr(settings, _REAL[name])
        if name in _WITHOUT_EFFECT:
            return _WITHOUT_EFFECT[name]
        raise AttributeError(f"torch._dynamo.config.{name} does not exist")

    def __setattr__(self, name: str, value: Any) -> None:
        _deleted.discard(name)
        if name in _REAL:
            setattr(settings, _REAL[name], value)
        elif name in _WITHOUT_EFFECT:
            _WITHOUT_EFFECT[name] = value
        elif name.startswith("__"):
            super().__setattr__(name, value)
        else:
            raise AttributeError(f"torch._dynamo.config.{name} does not exist")

    def __delattr__(self, name: str) -> None:
        getattr(self, name)
        _deleted.add(name)

    def __dir__(self) -> list[str]:
        return sorted([*_REAL, *_WITHOUT_EFFECT, "patch"])


_module: Any = sys.modules[__name__]
_module.__class__ = _Config
