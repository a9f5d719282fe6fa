"""Helpers around modules: gradients, parametrizations, pruning, sequences. Each part loads when first asked for."""

# ruff: noqa: F401
from __future__ import annotations

from importlib import import_module
from typing import Any

# These modules have the name of a function, which is what the attribute shall be: so they are loaded now.
from .spectral_norm import remove_spectral_norm, spectral_norm
from .weight_norm import remove_weight_norm, weight_norm

_HOMES = {
    name: home
    for home, names in {
        "clip_grad": "clip_grad_norm clip_grad_norm_ clip_grad_value_ clip_grads_with_norm_ get_total_norm",
        "convert_parameters": "parameters_to_vector vector_to_parameters",
        "fusion": "fuse_conv_bn_eval fuse_conv_bn_weights fuse_linear_bn_eval fuse_linear_bn_weights",
        "init": "skip_init",
        "memory_format": "convert_conv2d_weight_memory_format convert_conv3d_weight_memory_format",
    }.items()
    for name in names.split()
}
_PARTS = (
    "clip_grad", "convert_parameters", "fusion", "init", "memory_format", "parametrizations", "parametrize", "prune",
    "rnn", "stateless",
)  # fmt: skip

__all__ = sorted(
    {*_HOMES, "remove_spectral_norm", "remove_weight_norm", "spectral_norm", "weight_norm", "parametrizations",
     "parametrize", "rnn", "stateless"}
)


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        return value
    if name in _PARTS:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES, *_PARTS})
