"""The switches of TorchScript's executor, ``torch._C._jit_set_...``: they are kept, and switch nothing."""

from __future__ import annotations

_on = {"executor": True, "mode": True, "texpr": True, "cpu": False, "gpu": False}


def _set(switch: str, on: bool) -> bool:
    before, _on[switch] = _on[switch], bool(on)
    return before


def _jit_set_profiling_executor(on: bool) -> bool:
    return _set("executor", on)


def _jit_set_profiling_mode(on: bool) -> bool:
    return _set("mode", on)


def _jit_set_texpr_fuser_enabled(on: bool) -> None:
    _set("texpr", on)


def _jit_texpr_fuser_enabled() -> bool:
    return _on["texpr"]


def _jit_override_can_fuse_on_cpu(on: bool) -> None:
    _set("cpu", on)


def _jit_override_can_fuse_on_gpu(on: bool) -> None:
    _set("gpu", on)


def _jit_can_fuse_on_cpu() -> bool:
    return _on["cpu"]


def _jit_can_fuse_on_gpu() -> bool:
    return _on["gpu"]
