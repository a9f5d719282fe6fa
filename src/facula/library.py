"""``torch.library``: operators of one's own, by name, with a formula for their gradient."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from ._tensor import Tensor
from .autograd import Function
from .autograd.grad_mode import is_grad_enabled

__all__ = [
    "CustomOpDef", "Library", "custom_op", "define", "impl", "impl_abstract", "register_autograd", "register_fake",
    "register_kernel",
]  # fmt: skip

NAMESPACES: dict[str, Namespace] = {}
"""What ``torch.ops`` has by name, besides PyTorch's own operators."""


class Namespace:
    """The operators whose names begin the same: ``torch.ops.mine``."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"'_OpNamespace' '{self._name}' object has no attribute '{name}'")


def namespace(name: str) -> Namespace:
    return NAMESPACES.setdefault(name, Namespace(name))


def load_library(path: Any) -> None:
    """``torch.ops.load_library``: compiled extensions are made for PyTorch's own library, which is not here."""
    raise OSError(f"Could not load this library: {path} (facula lacks what PyTorch's compiled extensions need)")


class CustomOpDef:
    """An operator: kernels by device, what it does on the meta device, and its gradient."""

    def __init__(self, qualified: str, kernel: Callable[..., Any] | None = None) -> None:
        space, _, name = qualified.partition("::")
        if not name:
            raise RuntimeError(f"{qualified}: an operator's name has the form 'namespace::name'")
        self._namespace, self._name, self._qualname = space, name, qualified
        self._kernels: dict[str, Callable[..., Any]] = {}
        self._default = kernel
        self._fake: Callable[..., Any] | None = None
        self._backward: Callable[..., Any] | None = None
        self._setup_context: Callable[..., Any] | None = None
        self._signature = None if kernel is None else inspect.signature(kernel)
        setattr(namespace(space), name, self)
        self._function = type(f"GeneratedBackwardFor_{space}_{name}_default", (Function,), self._passes())

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    @property
    def default(self) -> CustomOpDef:
        """Its one overload."""
        return self

    _opoverload = default

    def _compute(self, *args: Any, **kwargs: Any) -> Any:
        tensors = [v for v in (*args, *kwargs.values()) if isinstance(v, Tensor)]
        if any(t.is_meta for t in tensors) and self._fake is not None:
            return self._fake(*args, **kwargs)
        kernel = self._kernels.get("cpu", self._default)
        if kernel is None:
            raise NotImplementedError(f"{self._qualname}: there is no implementation for the CPU")
        return kernel(*args, **kwargs)

    def _passes(self) -> dict[str, Any]:
        op = self

        def forward(ctx: Any, *args: Any) -> Any:
            output = op._compute(*args)
            if op._setup_context is not None:
                op._setup_context(ctx, args, output)
            return output

        def backward(ctx: Any, *grads: Any) -> Any:
            if op._backward is None:
                raise RuntimeError(
                    f"Trying to backward through {op._namespace}.{op._name}.default but no autograd formula was "
                    "registered. Please use register_autograd to add one."
                )
            return op._backward(ctx, *grads)

        return {"forward": staticmethod(forward), "backward": staticmethod(backward)}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if kwargs and self._signature is not None:
            bound = self._signature.bind(*args, **kwargs)
            bound.apply_defaults()
            args, kwargs = bound.args, bound.kwargs
        wants_gradient = is_grad_enabled() and any(isinstance(v, Tensor) and v.requires_grad for v in args)
        if not wants_gradient or kwargs:
            return self._compute(*args, **kwargs)
        return self._function.apply(*args)  # type: ignore[attr-defined]

    # ---- what may be added to it

    def register_kernel(self, device_types: Any, func: Callable[..., Any] | None = None, /) -> Any:
        """Another implementation for some devices."""
        if func is None:
            return functools.partial(self.register_kernel, device_types)
        for device in [device_types] if isinstance(device_types, str) else device_types or ["cpu"]:
            self._kernels[device] = func
        return func

    def register_fake(self, fn: Callable[..., Any], /) -> Callable[..., Any]:
        """What it returns for meta tensors."""
        self._fake = fn
        return fn

    def register_autograd(self, backward: Callable[..., Any], /, *, setup_context: Any = None) -> None:
        """Its gradient, written as for a custom Function."""
        self._backward, self._setup_context = backward, setup_context

    def register_vmap(self, func: Any = None) -> Any:
        """How it is mapped over batches is not asked: ``vmap`` looks into the kernel."""
        return (lambda f: f) if func is None else func


def custom_op(
    name: str, fn: Callable[..., Any] | None = None, /, *, mutates_args: Any, device_types: Any = None,
    schema: str | None = None, tags: Any = None,
) -> Any:  # fmt: skip
    """Make a function an operator: ``@custom_op("mine::f", mutates_args=())``."""
    return (lambda f: CustomOpDef(name, f)) if fn is None else CustomOpDef(name, fn)


def _found(op: Any) -> CustomOpDef:
    if isinstance(op, CustomOpDef):
        return op
    space, _, name = str(op).partition("::")
    found: CustomOpDef = getattr(namespace(space), name.partition(".")[0])
    return found


def define(qualname: str, schema: str, *, lib: Any = None, tags: Any = ()) -> None:
    """Name an operator; its implementations come later."""
    CustomOpDef(qualname.partition("(")[0].partition(".")[0])


def impl(qualname: Any, types: Any, func: Any = None, *, lib: Any = None) -> Any:
    """An implementation of an operator that has been named."""
    return _found(qualname).register_kernel("cpu", func) if func is not None else (
        lambda f: _found(qualname).register_kernel("cpu", f)
    )  # fmt: skip


def register_kernel(op: Any, device_types: Any, func: Any = None, /, *, lib: Any = None) -> Any:
    return _found(op).register_kernel(device_types, func)


def register_fake(op: Any, func: Any = None, /, *, lib: Any = None, **_: Any) -> Any:
    space, _colons, name = str(op).partition("::")
    if isinstance(op, str) and name not in vars(namespace(space)):
        CustomOpDef(op)  # one of a compiled extension, which could not be loaded
    return _found(op).register_fake if func is None else _found(op).register_fake(func)


impl_abstract = register_fake


def register_autograd(
    op: Any, backward: Callable[..., Any], /, *, setup_context: Any = None, lib: Any = None
) -> None:
    _found(op).register_autograd(backward, setup_context=setup_context)


class Library:
    """The operators of a namespace, to be named and implemented one by one."""

    def __init__(self, ns: str, kind: str, dispatch_key: str = "") -> None:
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key
        namespace(ns)

    def define(self, schema: str, alias_analysis: str = "", *, tags: Any = ()) -> str:
        name = schema.partition("(")[0].partition(".")[0].strip()
        CustomOpDef(f"{self.ns}::{name}")
        return name

    def impl(self, op_name: Any, fn: Callable[..., Any], dispatch_key: str = "", **_: Any) -> None:
        op = op_name if isinstance(op_name, CustomOpDef) else _found(f"{self.ns}::{str(op_name).split('::')[-1]}")
        key = dispatch_key or self.dispatch_key
        if key == "Meta":
            op.register_fake(fn)
        elif key in ("", "CPU", "CompositeImplicitAutograd", "CompositeExplicitAutograd"):
            op._default = fn
