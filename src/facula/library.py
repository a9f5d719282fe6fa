"""``torch.library``: operators of one's own: kernels, a gradient, rules for ``vmap`` and for meta tensors."""

from __future__ import annotations

import contextlib
import functools
import logging
import re
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from . import _ops
from ._core.devices import device as _device
from ._custom_op.check import opcheck
from ._custom_op.operator import Operator
from ._custom_op.schema import infer_schema, parse
from .overrides import call_override, overridden

__all__ = [
    "CustomOpDef", "Library", "custom_op", "define", "fallthrough_kernel", "get_ctx", "get_kernel", "impl",
    "impl_abstract", "infer_schema", "opcheck", "register_autocast", "register_autograd", "register_fake",
    "register_kernel", "register_torch_dispatch", "register_vmap", "triton_op", "wrap_triton",
]  # fmt: skip

_log = logging.getLogger("torch._library.custom_ops")

NAMESPACES: dict[str, Namespace] = {}
"""What ``torch.ops`` has by name, besides PyTorch's own operators."""


class Namespace:
    """The operators whose names begin the same: ``torch.ops.mine``."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"'_OpNamespace' '{self._name}' object has no attribute '{name}'")

    def __repr__(self) -> str:
        return f"<module 'torch.ops.{self._name}' from 'torch.ops'>"


def namespace(name: str) -> Namespace:
    return NAMESPACES.setdefault(name, Namespace(name))


def load_library(path: Any) -> None:
    """``torch.ops.load_library``: compiled extensions are made for PyTorch's own library, which is not here."""
    raise OSError(f"Could not load this library: {path} (facula lacks what PyTorch's compiled extensions need)")


class OpOverload(_ops.OpOverload):
    """What ``torch.ops.mine.f.default`` is."""

    def __init__(self, operator: Operator, packet: OpOverloadPacket) -> None:
        self._operator = operator
        self.overloadpacket = self._overloadpacket = packet
        self.namespace = operator.namespace
        self._name = operator.qualified
        self._qualified_op_name = f"{operator.qualified}.default"
        self._overloadname = "default"
        self.tags = operator.tags

    @property
    def __name__(self) -> str:
        return f"{self._operator.name}.default"

    @property
    def _schema(self) -> Any:
        return self._operator.schema

    def name(self) -> str:
        return self._name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if overridden(args, kwargs):
            return call_override(self._operator, self, args, kwargs)
        return self._operator(*args, **kwargs)

    def __str__(self) -> str:
        return self._operator.shown

    def __repr__(self) -> str:
        return f"<OpOverload(op='{self.namespace}.{self._operator.name}', overload='default')>"


class OpOverloadPacket(_ops.OpOverloadPacket):
    """What ``torch.ops.mine.f`` is: all overloads of a name, here the one."""

    def __init__(self, operator: Operator) -> None:
        self._operator = operator
        self._qualified_op_name = operator.qualified
        self.__name__ = operator.name
        self.default = operator.overload = OpOverload(operator, self)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if overridden(args, kwargs):
            return call_override(self._operator, self, args, kwargs)
        return self._operator(*args, **kwargs)

    def __str__(self) -> str:
        return f"{self._operator.namespace}.{self._operator.name}"

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='{self}')>"


def _operator(qualified: str) -> Operator:
    """The operator of a name, made if there is none yet."""
    space, _, name = qualified.partition("::")
    found = vars(namespace(space)).get(name)
    return found._operator if found is not None else Operator(qualified)


def _publish(operator: Operator) -> OpOverloadPacket:
    packet = OpOverloadPacket(operator)
    setattr(namespace(operator.namespace), operator.name, packet)
    return packet


def _devices(device_types: Any) -> list[str]:
    """Device types as a list; None means all, for which "" stands."""
    if device_types is None:
        return [""]
    names = [device_types] if isinstance(device_types, str) else list(device_types)
    return [_device(name).type for name in names]


class CustomOpDef:
    """A function that was made an operator, to which more may be added."""

    def __init__(self, namespace: str, name: str, schema: str, fn: Callable[..., Any], tags: Any = None) -> None:
        self._namespace, self._name, self._schema, self._init_fn = namespace, name, schema, fn
        self._tags = tags
        self._operator = Operator(self._qualname)
        parsed = self._operator.schema = parse(self._qualname, schema)
        if any(a.holds_tensors for a in parsed.keyword_only):
            raise NotImplementedError(
                "custom_op with kwarg-only Tensor args. Please make your tensors not kwarg-only. Got: "
                f"{name}{parsed.text}"
            )
        self._operator.definition = self
        self._operator.tags = list(dict.fromkeys([*_listed(tags), _ops.Tag.pt2_compliant_tag]))
        self._opoverload = _publish(self._operator).default
        functools.update_wrapper(self, fn)

    @property
    def _qualname(self) -> str:
        return f"{self._namespace}::{self._name}"

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return getattr(namespace(self._namespace), self._name).default(*args, **kwargs)

    def register_kernel(self, device_types: Any, fn: Callable[..., Any] | None = None, /) -> Any:
        """An implementation for some devices."""

        schema = self._operator.schema
        if device_types is not None and schema is not None and not schema.takes_tensors and schema.device_at is None:
            raise ValueError(
                "Functions without tensor inputs are required to have a `device: torch.device` argument"
            )

        def add(fn: Callable[..., Any]) -> Callable[..., Any]:
            for name in _devices(device_types):
                self._operator.kernels[name] = fn
            return fn

        return add if fn is None else add(fn)

    def register_fake(self, fn: Callable[..., Any], /) -> Callable[..., Any]:
        """What it returns for meta tensors."""
        self._operator.fake = fn
        return fn

    def register_autograd(self, backward: Callable[..., Any], /, *, setup_context: Any = None) -> None:
        """Its gradient, written as for a custom Function."""
        _add_formula(self._operator, backward, setup_context, str(self))

    def register_vmap(self, func: Callable[..., Any] | None = None) -> Any:
        """What it does with batches: ``func(info, in_dims, *args)`` returns (output, out_dims)."""

        def add(func: Callable[..., Any]) -> None:
            self._operator.vmap = func

        return add if func is None else add(func)

    def register_autocast(self, device_type: str, cast_inputs: Any) -> Any:
        """Inside ``autocast``, floating-point arguments are cast to a dtype."""
        if device_type == "cpu":
            self._operator.cast_inputs = cast_inputs
        return self

    def register_torch_dispatch(self, torch_dispatch_class: Any, fn: Callable[..., Any] | None = None, /) -> Any:
        """What modes of a class with ``__torch_dispatch__`` do with it: ``fn(mode, func, types, args, kwargs)``."""
        return register_torch_dispatch(self, torch_dispatch_class, fn)

    @contextlib.contextmanager
    def set_kernel_enabled(self, device_type: str, enabled: bool = True) -> Iterator[None]:
        """Use, or do not use, the kernel for one device, and the first one instead."""
        before = set(self._operator.disabled)
        word = "enable" if enabled else "disable"
        if device_type not in self._operator.kernels:
            _log.warning(
                "Attempted to %s kernel for %s but no kernel was registered for this device type.", word, device_type
            )
        if enabled == (device_type not in before):
            _log.warning("Attempted to %s kernel for %s but it was already %sd.", word, device_type, word)
        (self._operator.disabled.discard if enabled else self._operator.disabled.add)(device_type)
        try:
            yield
        finally:
            self._operator.disabled = before


def _add_formula(operator: Operator, backward: Any, setup_context: Any, shown: str) -> None:
    schema = operator.schema
    if schema is not None and schema.is_mutable:
        raise RuntimeError(
            f"Cannot register autograd formula for non-functional operator {shown} with schema {schema}. Please create "
            "a functional operator and register an autograd formula for that."
        )
    if schema is not None and any(a.holds_tensors for a in schema.keyword_only):
        raise NotImplementedError(
            "register_autograd with kwarg-only Tensor args. In the original definition of the op, please make your "
            f"tensors not kwarg-only. Got: {schema}"
        )
    operator.backward, operator.setup_context = backward, setup_context


def custom_op(
    name: str, fn: Callable[..., Any] | None = None, /, *, mutates_args: Any, device_types: Any = None,
    schema: str | None = None, tags: Any = None,
) -> Any:  # fmt: skip
    """Make a function an operator: ``@custom_op("mine::f", mutates_args=())``."""

    def make(fn: Callable[..., Any]) -> CustomOpDef:
        written = infer_schema(fn, mutates_args=mutates_args) if schema is None else schema
        space, short = name.split("::")
        if schema is not None:
            _check_mutated(schema, mutates_args)
        definition = CustomOpDef(space, short, written, fn, tags)
        definition.register_kernel(device_types)(fn)
        return definition

    return make if fn is None else make(fn)


def _check_mutated(schema: str, mutates_args: Any) -> None:
    mutated = {a.name for a in parse("", schema).arguments if a.mutated}
    if mutated != set(mutates_args):
        raise ValueError(
            f"Attempted to create a custom op with `mutates_args={mutates_args}` and `schema={schema}. The schema "
            f"suggests that the op mutates {mutated}which is different from what was provided to us in "
            "`mutates_args`. Please make these consistent."
        )


def _listed(tags: Any) -> list[Any]:
    if tags is None:
        return []
    return [tags] if isinstance(tags, _ops.Tag) else list(tags)


# ---- the same by name


def _qualified(qualname: str) -> tuple[str, str]:
    parts = qualname.split("::")
    if len(parts) != 2:
        raise ValueError(
            f'Expected `qualname` to be of the form "namespace::name", but got {qualname}. The qualname passed to the '
            "torch.library APIs must consist of a namespace and a name, e.g. aten::sin"
        )
    return parts[0], parts[1]


def define(qualname: Any, schema: Any, *, lib: Any = None, tags: Any = ()) -> Any:
    """Name an operator and say what its arguments are; its implementations come later.

    ``define(library, "f(Tensor x) -> Tensor")`` is a decorator for an implementation for all devices.
    """
    if isinstance(qualname, Library):
        name = qualname.define(schema, tags=tags)
        return _implements(qualname, name, "CompositeImplicitAutograd")
    if not isinstance(qualname, str):
        raise ValueError(f"define(qualname, schema): expected qualname to be instance of str, got {type(qualname)}")
    space, name = _qualified(qualname)
    if not re.fullmatch(r"\(.*\) -> .*", schema):
        raise ValueError(
            'define(qualname, schema, ...): expected schema to look like e.g. "(Tensor x) -> Tensor" but got '
            f'"{schema}"'
        )
    (lib or Library(space, "FRAGMENT")).define(name + schema, tags=tags)


def _implements(library: Library, name: str, dispatch_key: str) -> Callable[..., Any]:
    def add(fn: Callable[..., Any]) -> Callable[..., Any]:
        library.impl(name, fn, dispatch_key)
        return fn

    return add


def impl(qualname: Any, types: Any, func: Any = None, *, lib: Any = None) -> Any:
    """An implementation of an operator for some device types; ``impl(library, name, dispatch_key)`` is a decorator."""
    if isinstance(qualname, Library):
        return _implements(qualname, types, func or "")
    _qualified(qualname)
    operator = _operator(qualname)

    def add(fn: Callable[..., Any]) -> None:
        for name in [types] if isinstance(types, str) else types:
            key = "" if name in ("default", "CompositeExplicitAutograd", "CompositeImplicitAutograd") else name
            operator.kernels[_device(key.lower()).type if key else ""] = fn
            operator.is_composite |= name == "CompositeImplicitAutograd"
        _publish(operator)

    return add if func is None else add(func)


def _found(op: Any) -> Operator:
    if isinstance(op, (CustomOpDef, OpOverload, OpOverloadPacket)):
        return op._operator
    space, name = _qualified(str(op))
    found: Operator = getattr(namespace(space), name.partition(".")[0])._operator
    return found


def register_kernel(op: Any, device_types: Any, func: Any = None, /, *, lib: Any = None) -> Any:
    """An implementation for some devices."""
    operator = _found(op)

    def add(fn: Callable[..., Any]) -> None:
        for name in _devices(device_types):
            operator.kernels[name] = fn

    return add if func is None else add(func)


def register_fake(
    op: Any, func: Any = None, /, *, lib: Any = None, _stacklevel: int = 1, allow_override: bool = True
) -> Any:
    """What an operator returns for meta tensors. It need not exist: compiled extensions cannot be loaded here."""
    if isinstance(op, str):
        space, name = _qualified(op)
        if name.partition(".")[0] not in vars(namespace(space)):
            _publish(Operator(f"{space}::{name.partition('.')[0]}"))

    def add(fn: Callable[..., Any]) -> Callable[..., Any]:
        _found(op).fake = fn
        return fn

    return add if func is None else add(func)


def impl_abstract(qualname: Any, func: Any = None, *, lib: Any = None, _stacklevel: int = 1) -> Any:
    """An older name of ``register_fake``."""
    return register_fake(qualname, func, lib=lib)


def register_autograd(op: Any, backward: Callable[..., Any], /, *, setup_context: Any = None, lib: Any = None) -> None:
    """The gradient of an operator."""
    operator = _found(op)
    _add_formula(operator, backward, setup_context, str(op))


def register_vmap(op: Any, func: Any = None, /, *, lib: Any = None) -> Any:
    """What an operator does with batches."""

    def add(fn: Callable[..., Any]) -> None:
        _found(op).vmap = fn

    return add if func is None else add(func)


def register_autocast(op: Any, device_type: str, cast_inputs: Any, /, *, lib: Any = None) -> Any:
    """Inside ``autocast``, an operator's floating-point arguments are cast to a dtype."""
    if device_type == "cpu":
        _found(op).cast_inputs = cast_inputs
    return op


def register_torch_dispatch(op: Any, torch_dispatch_class: Any, func: Any = None, /, *, lib: Any = None) -> Any:
    """What modes of a class do with an operator, in place of their ``__torch_dispatch__``."""
    operator = _found(op)

    def add(fn: Callable[..., Any]) -> Callable[..., Any]:
        operator.torch_dispatch[torch_dispatch_class] = fn
        return fn

    return add if func is None else add(func)


def get_kernel(op: Any, dispatch_key: Any) -> Callable[..., Any]:
    """The implementation that an operator has for a device."""
    operator = _found(op)
    name = str(dispatch_key).rpartition(".")[2].lower()
    kernel = operator.kernels.get(name, operator.kernels.get(""))
    if kernel is None:
        raise RuntimeError(f"No kernel registered for {operator.qualified} on dispatch key {dispatch_key}")
    return kernel


def get_ctx() -> Any:
    """For sizes that depend on values: meta tensors cannot have them here."""
    raise RuntimeError("get_ctx() is only valid inside a function that torch.compile traces")


def fallthrough_kernel() -> None:
    """Stands for the next kernel in line; it is not to be called."""
    raise NotImplementedError("fallthrough_kernel() should never be called.")


def triton_op(
    name: str, fn: Callable[..., Any] | None = None, /, *, mutates_args: Any, schema: str | None = None
) -> Any:
    """An operator that calls Triton's kernels; what it does besides works here as for any other."""
    return custom_op(name, fn, mutates_args=mutates_args, schema=schema)


def wrap_triton(triton_kernel: Callable[..., Any], /) -> Any:
    """Raises: there are no Triton kernels here."""
    return triton_kernel


_COMPOSITE = ("", "CompositeImplicitAutograd", "CompositeExplicitAutograd")
_OF_AUTOGRAD = ("Autograd", "AutogradCPU")
_KEYS = {
    "CPU", "CUDA", "Meta", "Autograd", "AutogradCPU", "AutogradCUDA", "MPS", "XPU", "HPU", "XLA", "MTIA", "PrivateUse1",
    "BackendSelect", "Python", "Functionalize", "ADInplaceOrView", "AutocastCPU", "AutocastCUDA", "FuncTorchBatched",
    "QuantizedCPU", "SparseCPU", "SparseCUDA", "Vulkan", "Tracer", *_COMPOSITE,
}  # fmt: skip


class Library:
    """The operators of a namespace, to be named and implemented one by one."""

    _defining: ClassVar[set[str]] = set()

    def __init__(self, ns: str, kind: str, dispatch_key: str = "") -> None:
        if kind not in ("IMPL", "DEF", "FRAGMENT"):
            raise ValueError(f"Unsupported kind: {kind}")
        if ns == "prim" and kind in ("DEF", "FRAGMENT"):
            raise ValueError(f"{ns} is a reserved namespace. Please try creating a library with another name.")
        if kind == "DEF":
            if ns in self._defining:
                raise RuntimeError(
                    f"Only a single TORCH_LIBRARY can be used to register the namespace {ns}; please put all of your "
                    "definitions in a single TORCH_LIBRARY block.  If you were trying to specify implementations, "
                    "consider using TORCH_LIBRARY_IMPL (which can be duplicated).  If you really intended to define "
                    "operators for a single namespace in a distributed way, you can use TORCH_LIBRARY_FRAGMENT to "
                    "explicitly indicate this."
                )
            self._defining.add(ns)
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key
        self._mine: list[str] = []
        namespace(ns)

    def __repr__(self) -> str:
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})>"

    def define(self, schema: str, alias_analysis: str = "", *, tags: Any = ()) -> str:
        """Name an operator: ``define("f(Tensor x) -> Tensor")``."""
        name, paren, rest = schema.partition("(")
        name = name.strip().partition(".")[0]
        operator = _operator(f"{self.ns}::{name}")
        if operator.schema is not None:
            raise RuntimeError(
                f"Tried to register an operator ({self.ns}::{schema}) with the same name and overload name multiple "
                "times. Each overload's schema should only be registered with a single call to def()."
            )
        operator.schema = parse(operator.qualified, paren + rest)
        operator.tags = _listed(tags)
        _publish(operator)
        self._mine.append(name)
        return name

    def impl(
        self, op_name: Any, fn: Callable[..., Any], dispatch_key: str = "", *, with_keyset: bool = False,
        allow_override: bool = False,
    ) -> None:  # fmt: skip
        """An implementation of an operator, for a device or for autograd."""
        if not callable(fn):
            raise TypeError(f"Input function is required to be a callable but found type {type(fn)}")
        key = dispatch_key or self.dispatch_key
        if key not in _KEYS:
            raise RuntimeError(f"could not parse dispatch key: {key}")
        name = op_name._operator.name if isinstance(op_name, (OpOverload, OpOverloadPacket)) else str(op_name)
        operator = _operator(f"{self.ns}::{name.rpartition('::')[2].partition('.')[0]}")
        if fn is fallthrough_kernel:
            operator.is_composite |= key in _OF_AUTOGRAD
            return
        operator.is_composite |= key in ("", "CompositeImplicitAutograd")
        if key in _OF_AUTOGRAD:
            operator.autograd_kernel = fn
        elif key == "Meta":
            operator.fake = fn
        else:
            operator.kernels["" if key in _COMPOSITE else key.lower()] = fn
        _publish(operator)

    @property
    def m(self) -> Library:
        """What holds the names in PyTorch: without it they are forgotten."""
        return self

    @m.deleter
    def m(self) -> None:
        self._destroy()

    def _destroy(self) -> None:
        """Forget what was named."""
        for name in self._mine:
            vars(namespace(self.ns)).pop(name, None)
        self._defining.discard(self.ns)


@contextlib.contextmanager
def _scoped_library(*args: Any, **kwargs: Any) -> Iterator[Library]:
    """A library whose operators are forgotten at the end."""
    made = Library(*args, **kwargs)
    try:
        yield made
    finally:
        made._destroy()
