"""Weight normalization (Salimans & Kingma 2016) by a hook. Newer: ``parametrizations.weight_norm``."""

from __future__ import annotations

import warnings
from typing import Any, TypeVar

import facula

from ..modules.module import Module
from ..parameter import Parameter, is_lazy
from ._tensor_hooks import hooks_for, take_away

T_module = TypeVar("T_module", bound=Module)


class WeightNorm:
    """Computes the weight from its length (``name_g``) and direction (``name_v``) before each call."""

    def __init__(self, name: str, dim: int | None) -> None:
        self.name = name
        self.dim = -1 if dim is None else dim

    def compute_weight(self, module: Module) -> Any:
        return facula._weight_norm(getattr(module, self.name + "_v"), getattr(module, self.name + "_g"), self.dim)

    @staticmethod
    def apply(module: Module, name: str, dim: int | None) -> WeightNorm:
        if hooks_for(module, WeightNorm, name):
            raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
        weight = getattr(module, name)
        if is_lazy(weight):
            raise ValueError(
                "The module passed to `WeightNorm` can't have uninitialized parameters. Make sure to run the dummy "
                "forward before applying weight normalization"
            )
        hook = WeightNorm(name, dim)
        module._parameters.pop(name)
        for end, start in (("_g", facula.norm_except_dim(weight, 2, hook.dim)), ("_v", weight)):
            module.register_parameter(name + end, Parameter(start.data))
        hook(module, None)
        module.register_forward_pre_hook(hook)
        return hook

    def remove(self, module: Module) -> None:
        """Make the weight a parameter of its own again."""
        whole = Parameter(self.compute_weight(module).data)
        for end in ("", "_g", "_v"):
            delattr(module, self.name + end)
        module.register_parameter(self.name, whole)

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module: T_module, name: str = "weight", dim: int = 0) -> T_module:
    """Learn length and direction of a parameter instead of the parameter."""
    warnings.warn(
        "`torch.nn.utils.weight_norm` is deprecated in favor of `torch.nn.utils.parametrizations.weight_norm`.",
        FutureWarning,
        stacklevel=2,
    )
    WeightNorm.apply(module, name, dim)
    return module


def remove_weight_norm(module: T_module, name: str = "weight") -> T_module:
    """Undo ``weight_norm``."""
    take_away(module, WeightNorm, name, f"weight_norm of '{name}' not found in {module}")
    return module
