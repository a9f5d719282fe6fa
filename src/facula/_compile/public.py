"""``compile()``: what it is given, and what it gives."""

from __future__ import annotations

import functools
from typing import Any

from .. import compiler
from ..nn.modules.module import Module
from . import backends, custom
from .calls.function import CompiledFunction

MODES = ("default", "lite", "reduce-overhead", "max-autotune-no-cudagraphs", "max-autotune")


def compiled(
    model: Any, *, fullgraph: bool, dynamic: bool | None, backend: Any, mode: str | None, options: Any, disable: bool
) -> Any:
    """The compiled form of a function or a module."""
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.")
    is_own = not callable(backend) and backend != "eager"
    if is_own and mode is not None and not (isinstance(mode, str) and mode in MODES):
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(MODES)}")
    if not callable(model):
        raise AssertionError(f"A callable function is expected, but {type(model)} is provided.")
    if disable:
        return model
    if not (dynamic is None or isinstance(dynamic, bool)):
        raise AssertionError(f"Expected enable to be a bool, got {type(dynamic)}")
    running = custom.backend(backend, options) if callable(backend) else backends.chosen(backend)
    if isinstance(model, Module):
        return OptimizedModule(model, CompiledFunction(model, running, fullgraph, dynamic))
    return as_function(CompiledFunction(model, running, fullgraph, dynamic))


def as_function(compiled: CompiledFunction) -> Any:
    """A plain function, as what was compiled is one."""

    call: Any = compiled.call
    functools.update_wrapper(call, compiled.fn)
    call.source = compiled.source
    call.compiled = compiled
    call._torchdynamo_orig_callable = compiled.fn
    return call


class OptimizedModule(Module):
    """A module whose calls are compiled. All else is the module's, ``_orig_mod``."""

    _own = ("training",)

    def __init__(self, module: Module, compiled: CompiledFunction) -> None:
        super().__init__()
        self._orig_mod = module
        object.__setattr__(self, "compiled", compiled)
        self.training = module.training

    @property
    def dynamo_ctx(self) -> CompiledFunction:
        """What compiles the calls."""
        compiled: CompiledFunction = self.__dict__["compiled"]
        return compiled

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.__dict__["compiled"].call(*args, **kwargs)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.__dict__["compiled"].call(*args, **kwargs)

    def source(self) -> str:
        """The programs, as text."""
        text: str = self.__dict__["compiled"].source()
        return text

    def __getattr__(self, name: str) -> Any:
        if name == "_orig_mod":
            return self._modules["_orig_mod"]
        return getattr(self._orig_mod, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "_orig_mod" or name in type(self)._own or "_orig_mod" not in self.__dict__.get("_modules", {}):
            super().__setattr__(name, value)
        else:
            setattr(self._orig_mod, name, value)

    def __reduce__(self) -> Any:
        return _compiled_again, (self._orig_mod,)

    def __len__(self) -> int:
        return len(self._orig_mod)

    def __getitem__(self, index: Any) -> Any:
        return self._orig_mod[index]  # type: ignore[index]


def _compiled_again(module: Module) -> Any:
    return compiler.compile(module)


OptimizedModule.__module__ = "torch._dynamo.eval_frame"
