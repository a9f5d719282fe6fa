"""Values that record what is done to them.

A ``Proxy`` stands for the value of a node. Python's operators, attributes and methods of it, and all functions of
facula that it is given to (by ``__torch_function__``), become nodes of the graph that its tracer writes.
"""

from __future__ import annotations

import dis
import enum
import operator
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from types import FrameType
from typing import Any, NoReturn

import facula

from .._core.pytree import is_namedtuple_class
from ..autograd.graph import is_internal
from ..overrides import asking, let_functions_ask
from . import _names
from . import traceback as fx_traceback
from .graph import Graph
from .node import Argument, Node, Target, map_aggregate
from .operator_schemas import by_parameter

__all__ = [
    "Attribute", "GraphAppendingTracer", "ParameterProxy", "Proxy", "Scope", "ScopeContextManager", "TraceError",
    "TracerBase",
]  # fmt: skip

_CONSTANTS = (
    str, int, float, bool, complex, facula.dtype, facula.device, facula.memory_format, facula.layout, type(None),
    type(...), bytes, facula.Tensor,
)  # fmt: skip


class TraceError(ValueError):
    """A program asked for something that is not known while it is traced."""


class Scope:
    """Which module is being called, by path and class."""

    def __init__(self, module_path: str, module_type: Any) -> None:
        self.module_path = module_path
        self.module_type = module_type


class ScopeContextManager:
    """A scope that is another one inside ``with``."""

    def __init__(self, scope: Scope, current_scope: Scope) -> None:
        self._before = (scope.module_path, scope.module_type)
        scope.module_path, scope.module_type = current_scope.module_path, current_scope.module_type
        self._scope = scope

    def __enter__(self) -> Scope:
        return self._scope

    def __exit__(self, *exc: object) -> None:
        self._scope.module_path, self._scope.module_type = self._before


class TracerBase:
    """What writes a graph while a program runs: how values become arguments, nodes and proxies."""

    graph: Graph
    record_stack_traces = False
    """Whether nodes know the lines of the program that they come from."""
    check_mutable_operations = False
    trace_asserts = False
    proxy_buffer_attributes = False
    """Whether buffers become proxies as soon as they are read, as parameters do."""
    traced_func_name = "forward"
    scope: Scope
    module_stack: dict[str, Any]
    node_name_to_scope: dict[str, tuple[str, Any]]

    def create_node(
        self, kind: str, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Argument],
        name: str | None = None, type_expr: Any = None,
    ) -> Node:  # fmt: skip
        """Add a node, and tell it where the program is."""
        node = self.graph.create_node(kind, target, args, kwargs, name, type_expr)
        if (scope := getattr(self, "scope", None)) is not None:
            self.node_name_to_scope[node.name] = (scope.module_path, scope.module_type)
        if fx_traceback.has_preserved_node_meta():
            node.meta.update(fx_traceback.get_current_meta())
        elif getattr(self, "module_stack", None):
            node.meta["nn_module_stack"] = self.module_stack.copy()
        if self.record_stack_traces and "stack_trace" not in node.meta:
            frames = self._filter_traceback_frames(traceback.extract_stack(sys._getframe(1)))
            if frames:
                node.stack_trace = "".join(frames.format()).strip()
        return node

    def _filter_traceback_frames(self, user_stack_summary: traceback.StackSummary) -> traceback.StackSummary:
        """The frames of the program below the call that traces it."""
        frames = list(user_stack_summary)
        for i, frame in enumerate(frames):
            if frame.name == "trace" and is_internal(frame.filename):
                frames = frames[i + 1 :]
                break
        return traceback.StackSummary.from_list([f for f in frames if not is_internal(f.filename)])

    def proxy(self, node: Node) -> Proxy:
        """What stands for the value of a node. Override it to have proxies of another class."""
        return Proxy(node, self)

    def create_proxy(
        self, kind: str, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any], name: str | None = None,
        type_expr: Any = None, proxy_factory_fn: Callable[[Node], Proxy] | None = None,
    ) -> Proxy:  # fmt: skip
        """Add a node for a call, and give what stands for its value."""
        args_ = self.create_arg(args)
        kwargs_ = self.create_arg(kwargs)
        if not isinstance(args_, tuple):
            raise AssertionError(f"Expected args_ to be tuple, got {type(args_)}")
        if not isinstance(kwargs_, dict):
            raise AssertionError(f"Expected kwargs_ to be dict, got {type(kwargs_)}")
        node = self.create_node(kind, target, args_, kwargs_, name, type_expr)
        return proxy_factory_fn(node) if proxy_factory_fn is not None else self.proxy(node)

    def create_arg(self, a: Any) -> Argument:
        """A value as an argument of nodes: proxies become their nodes, containers go on to what is in them."""
        if isinstance(a, Proxy):
            return a.node
        if hasattr(a, "__fx_create_arg__"):
            return a.__fx_create_arg__(self)
        if isinstance(a, tuple):
            items = tuple([self.create_arg(x) for x in a])
            return self.create_node("call_function", type(a), items, {}) if is_namedtuple_class(type(a)) else items
        if isinstance(a, list):
            return [self.create_arg(x) for x in a]
        if isinstance(a, dict):
            return {self._create_key(k): self.create_arg(v) for k, v in a.items()}
        if isinstance(a, slice):
            return slice(self.create_arg(a.start), self.create_arg(a.stop), self.create_arg(a.step))
        if isinstance(a, range):
            return range(a.start, a.stop, a.step)
        if is_dataclass(a) and not isinstance(a, type):
            kwargs = {f.name: self.create_arg(getattr(a, f.name)) for f in fields(a)}
            return self.create_node("call_function", a.__class__, (), kwargs)
        if isinstance(a, _CONSTANTS) or getattr(a, "_qualified_op_name", None) or isinstance(a, enum.Enum):
            return a
        raise NotImplementedError(f"argument of type: {type(a)}")

    def _create_key(self, key: Any) -> Any:
        found = self.create_arg(key)

        def refuse(x: Any) -> Any:
            if isinstance(x, Node):
                raise RuntimeError(
                    f"Keys for dictionaries used as an argument cannot contain a Node. Got key: {key.node}"
                )
            return x

        return map_aggregate(found, refuse)

    def to_bool(self, obj: Proxy) -> bool:
        """What ``if proxy:`` does."""
        raise TraceError("symbolically traced variables cannot be used as inputs to control flow")

    def iter(self, obj: Proxy) -> Iterator[Any]:
        """What ``for x in proxy:`` does."""
        raise TraceError(
            "Proxy object cannot be iterated. This can be attempted when the Proxy is used in a loop or as a *args or "
            "**kwargs function argument. See the torch.fx docs on pytorch.org for a more detailed explanation of what "
            "types of control flow can be traced, and check out the Proxy docstring for help troubleshooting Proxy "
            "iteration errors"
        )

    def keys(self, obj: Proxy) -> Any:
        """What ``proxy.keys()``, and so ``**proxy``, does."""
        return Attribute(obj, "keys")()


class GraphAppendingTracer(TracerBase):
    """Adds to a graph that is there."""

    def __init__(self, graph: Graph) -> None:
        super().__init__()
        self.graph = graph
        self.scope = Scope("", None)
        self.module_stack = {}
        self.node_name_to_scope = {}


class Proxy:
    """Stands for the value of a node; what is done to it is written into the graph.

    What needs the value itself cannot be traced: conditions and loops on it, and its length.
    """

    def __init__(self, node: Node, tracer: TracerBase | None = None) -> None:
        if not asking.begun:
            let_functions_ask()
        self.tracer = GraphAppendingTracer(node.graph) if tracer is None else tracer
        self.node = node

    def __repr__(self) -> str:
        return f"Proxy({self.node.name})"

    def __getattr__(self, k: str) -> Any:
        return Attribute(self, k)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__

    def __setstate__(self, d: dict[str, Any]) -> None:
        self.__dict__ = d

    def __deepcopy__(self, memo: dict[int, Any]) -> Proxy:
        return self.tracer.proxy(self.node)

    def __copy__(self) -> Proxy:
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.tracer.create_proxy("call_method", "__call__", (self, *args), kwargs)

    def __iter__(self) -> Iterator[Any]:
        count = _unpacked(sys._getframe(1))
        return iter([self[i] for i in range(count)]) if count is not None else self.tracer.iter(self)

    def __bool__(self) -> bool:
        return self.tracer.to_bool(self)

    def __len__(self) -> NoReturn:
        raise RuntimeError(
            "'len' is not supported in symbolic tracing by default. If you want this call to be recorded, please call "
            "torch.fx.wrap('len') at module scope"
        )

    def keys(self) -> Any:
        return self.tracer.keys(self)

    def __abs__(self) -> Proxy:
        return self.tracer.create_proxy("call_function", operator.abs, (self,), {})

    def __getitem__(self, key: Any) -> Any:
        return self.tracer.create_proxy("call_function", operator.getitem, (self, key), {})

    @classmethod
    def __torch_function__(
        cls, orig_method: Any, types: Any, args: tuple[Any, ...] | None = None, kwargs: dict[str, Any] | None = None
    ) -> Any:
        args, kwargs = args or (), kwargs or {}
        tracers: dict[Any, None] = {}

        def look(x: Any) -> Any:
            if isinstance(x, Proxy):
                tracers[x.tracer] = None
            return x

        map_aggregate((args, kwargs), look)
        if len(tracers) > 1:
            raise RuntimeError(
                f"Found multiple different tracers {list(tracers)} while trying to trace operations {orig_method}"
            )
        (tracer,) = tracers
        if (name := _names.method_name(orig_method)) is not None:
            return tracer.create_proxy("call_method", name, args, kwargs)
        name = _names.of_facula(orig_method)
        if name is not None and _names.is_python(name):
            args, kwargs = by_parameter(orig_method, args, kwargs)
        return tracer.create_proxy("call_function", orig_method, args, kwargs)


def _unpacked(frame: FrameType) -> int | None:
    """Into how many names a line takes a value apart: ``a, b = x`` is not a loop."""
    code, argument = frame.f_code.co_code[frame.f_lasti : frame.f_lasti + 2]
    return argument if dis.opname[code] == "UNPACK_SEQUENCE" else None


class Attribute(Proxy):
    """An attribute of a proxy. A method call needs no node for it: that is made when it is used otherwise."""

    def __init__(self, root: Proxy, attr: str) -> None:
        self.root = root
        self.attr = attr
        self.tracer = root.tracer
        self._node: Node | None = None

    @property
    def node(self) -> Node:  # type: ignore[override]
        if self._node is None:
            self._node = self.tracer.create_proxy("call_function", getattr, (self.root, self.attr), {}).node
        return self._node

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.tracer.create_proxy("call_method", self.attr, (self.root, *args), kwargs)


class ParameterProxy(Proxy):
    """A parameter whose shape is known."""

    def __init__(self, tracer: TracerBase, node: Node, name: str, param: Any) -> None:
        super().__init__(node, tracer)
        if not isinstance(param, facula.nn.Parameter):
            raise AssertionError(f"Expected Parameter, got {type(param)}")
        self.param = param
        self.name = name

    def __repr__(self) -> str:
        return f"ParameterProxy({self.name})"

    @property
    def shape(self) -> Any:
        return self.param.shape

    @property
    def ndim(self) -> int:
        return self.param.ndim

    def size(self) -> Any:
        return self.param.size()

    def dim(self) -> int:
        return self.param.dim()

    def numel(self) -> int:
        return self.param.numel()

    def nelement(self) -> int:
        return self.param.nelement()


def _operator(name: str) -> Any:
    function = getattr(operator, name)

    def method(*args: Any, **kwargs: Any) -> Any:
        return args[0].tracer.create_proxy("call_function", function, args, kwargs)

    method.__name__ = method.__qualname__ = f"__{name.strip('_')}__"
    return method


def _reflected(name: str) -> Any:
    function = getattr(operator, name)

    def method(self: Proxy, rhs: Any) -> Any:
        return self.tracer.create_proxy("call_function", function, (rhs, self), {})

    method.__name__ = method.__qualname__ = f"__r{name.strip('_')}__"
    return method


_REFLECTED = "add sub mul floordiv truediv mod pow lshift rshift and_ or_ xor matmul".split()
for _name in (*_REFLECTED, "eq", "ne", "lt", "gt", "le", "ge", "pos", "neg", "invert"):
    setattr(Proxy, f"__{_name.strip('_')}__", _operator(_name))
for _name in _REFLECTED:
    setattr(Proxy, f"__r{_name.strip('_')}__", _reflected(_name))
Proxy.__hash__ = object.__hash__  # type: ignore[method-assign]
