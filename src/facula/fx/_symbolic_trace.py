"""Tracing: a module or function is run once, with proxies for its arguments."""

from __future__ import annotations

import collections
import functools
import inspect
import math
import warnings
from collections.abc import Callable, Iterator
from types import FunctionType, ModuleType
from typing import Any

import facula

from ..autograd.graph import is_internal
from ..nn import Module, Parameter
from ..overrides import TorchFunctionMode
from ..utils._pytree import tree_flatten, tree_map, tree_unflatten
from ._arguments import PH, PHBase, PyTreeCodeGen
from ._names import torch_path
from ._wrap import Patches, find_proxy, patching, wrap
from .graph import Graph
from .graph_module import GraphModule
from .node import Argument
from .proxy import ParameterProxy, Proxy, Scope, ScopeContextManager, TracerBase

__all__ = ["PH", "ProxyableClassMeta", "Tracer", "is_fx_symbolic_tracing", "is_fx_tracing", "symbolic_trace", "wrap"]

_tracing = 0


def is_fx_tracing() -> bool:
    """Whether a program is being traced."""
    return _tracing > 0


is_fx_symbolic_tracing = is_fx_tracing


class ProxyableClassMeta(type):
    """A metaclass: making an object with proxies is recorded as a call of the class."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        proxy = find_proxy(args, kwargs) if is_fx_tracing() else None
        if proxy is None:
            return super().__call__(*args, **kwargs)
        return proxy.tracer.create_proxy("call_function", cls, args, kwargs)


class Tracer(TracerBase):
    """Traces a module or function into a graph. Subclasses choose, above all, which modules it looks into."""

    def __init__(
        self, autowrap_modules: tuple[ModuleType, ...] = (math,),
        autowrap_functions: tuple[Callable[..., Any], ...] = (), param_shapes_constant: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        found = [f for m in autowrap_modules for name, f in vars(m).items() if not name.startswith("_") and callable(f)]
        self._autowrap_function_ids = {id(f) for f in (*found, *autowrap_functions)}
        self._autowrap_search = list(autowrap_modules)
        self.param_shapes_constant = param_shapes_constant
        self.submodule_paths: dict[Module, str] | None = None
        self.root_module_name = ""
        self.scope = Scope("", None)
        self.module_stack: collections.OrderedDict[str, Any] = collections.OrderedDict()
        self.num_calls: dict[str, int] = {}
        self.node_name_to_scope: dict[str, tuple[str, Any]] = {}

    # ---- values

    def get_fresh_qualname(self, prefix: str) -> str:
        """A name at the root that is not taken."""
        number = next(i for i in range(len(dir(self.root)) + 1) if not hasattr(self.root, f"{prefix}{i}"))
        return f"{prefix}{number}"

    def create_arg(self, a: Any) -> Argument:
        """A value as an argument: tensors of the module are read from it, others are kept there as constants."""
        if isinstance(a, Parameter):
            read = self.getattr("", a, self._read)
            if not isinstance(read, Proxy):
                raise NameError("parameter is not a member of this module")
            return read.node
        if isinstance(a, facula.Tensor):
            for name, buffer in self.root.named_buffers():
                if a is buffer:
                    return self.create_node("get_attr", name, (), {})
            if _Same(a) not in self.tensor_attrs:
                self.tensor_attrs[_Same(a)] = self.get_fresh_qualname("_tensor_constant")
                setattr(self.root, self.tensor_attrs[_Same(a)], a)
            return self.create_node("get_attr", self.tensor_attrs[_Same(a)], (), {})
        if isinstance(a, Module):
            for name, module in self.root.named_modules():
                if a is module:
                    return self.create_node("get_attr", name, (), {})
        if isinstance(type(a), ProxyableClassMeta):
            if _Same(a) not in self.tensor_attrs:
                self.tensor_attrs[_Same(a)] = self.get_fresh_qualname(f"_{type(a).__name__}_constant_")
                setattr(self.root, self.tensor_attrs[_Same(a)], a)
            return self.create_node("get_attr", self.tensor_attrs[_Same(a)], (), {})
        return super().create_arg(a)

    # ---- modules

    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        """Whether a call of the module is one node: so are the modules of ``torch.nn`` but ``Sequential``."""
        is_torch = torch_path(m.__module__).startswith(("torch.nn", "torch.ao.nn"))
        return is_torch and not isinstance(m, facula.nn.Sequential)

    def path_of_module(self, mod: Module) -> str:
        """Where a module is in the one that is traced."""
        if self.submodule_paths is not None:
            path = self.submodule_paths.get(mod)
            if path is None:
                raise NameError("module is not installed as a submodule")
            return path
        for name, module in self.root.named_modules():
            if module is mod:
                return name
        raise NameError("module is not installed as a submodule")

    def call_module(
        self, m: Module, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """What a call of a module does while tracing: one node, or whatever its ``forward`` does."""
        path = self.path_of_module(m)
        with ScopeContextManager(self.scope, Scope(path, type(m))) as scope:
            count = self.num_calls.get(path, 0)
            self.num_calls[path] = count + 1
            key = f"{scope.module_path}@{count}" if count else scope.module_path
            self.module_stack[key] = (path, scope.module_type)
            try:
                if self.is_leaf_module(m, path):
                    return self.create_proxy("call_module", path, args, kwargs)
                return forward(*args, **kwargs)
            finally:
                self.module_stack.pop(key)

    def getattr(self, attr: str, attr_val: Any, parameter_proxy_cache: dict[str, Any]) -> Any:
        """What reading an attribute of a module gives while tracing: proxies for parameters, the rest as it is."""
        members: Any = ()
        if isinstance(attr_val, Parameter):
            members = self.root.named_parameters()
        elif self.proxy_buffer_attributes and isinstance(attr_val, facula.Tensor):
            members = self.root.named_buffers()
        name = next((name for name, value in members if value is attr_val), None)
        if name is None:
            return attr_val
        if name not in parameter_proxy_cache:
            constant = self.param_shapes_constant and isinstance(attr_val, Parameter)
            factory = (lambda node: ParameterProxy(self, node, name, attr_val)) if constant else None
            parameter_proxy_cache[name] = self.create_proxy("get_attr", name, (), {}, proxy_factory_fn=factory)
        return parameter_proxy_cache[name]

    # ---- functions

    def create_args_for_root(
        self, root_fn: Callable[..., Any], is_module: bool, concrete_args: Any = None
    ) -> tuple[Any, list[Any]]:
        """The function to be run, and what to run it with: a placeholder for each parameter."""
        parameters = list(inspect.signature(inspect.unwrap(root_fn)).parameters.values())
        args: list[Any] = []
        if is_module:
            if not parameters or parameters[0].kind is inspect.Parameter.VAR_POSITIONAL:
                raise RuntimeError("``self`` argument cannot be part of *args expansion!")
            args.append(self.root)
            parameters = parameters[1:]
        if isinstance(concrete_args, tuple):
            if len(parameters) != len(concrete_args):
                raise RuntimeError(
                    f"Tracing expected {len(parameters)} arguments but got {len(concrete_args)} concrete arguments"
                )
            concrete_args = {p.name: value for p, value in zip(parameters, concrete_args)}
        parameters.sort(key=lambda p: _STARS.get(p.kind, ""))  # in the order of the function's own variables
        args += [self._proxy_placeholder(parameter, concrete_args or {}) for parameter in parameters]
        if any(p.kind not in _POSITIONAL for p in parameters):
            root_fn = _all_positional(root_fn, len(args))
        if concrete_args is None:
            return root_fn, args
        given = args[1:] if is_module else args
        leaves, in_spec = tree_flatten(given)
        if all(a is b for a, b in zip(leaves, given)) and len(leaves) == len(given):
            return root_fn, args
        codegen = self.graph._codegen = PyTreeCodeGen([p.name for p in parameters], in_spec)

        def with_leaves(*leaves: Any) -> Any:
            whole = tree_unflatten(list(leaves[is_module:]), in_spec)
            found, codegen.out_spec = tree_flatten(root_fn(*leaves[:is_module], *whole))
            return found

        return with_leaves, [*args[:is_module], *leaves]

    def _proxy_placeholder(self, parameter: inspect.Parameter, concrete_args: dict[str, Any]) -> Any:
        """The value of a parameter: a proxy, or what it was said to be."""
        name = f"{_STARS.get(parameter.kind, '')}{parameter.name}"
        kind = annotation_of(self._traced, parameter.annotation)
        default = () if parameter.default is inspect.Parameter.empty else (parameter.default,)
        if parameter.name not in concrete_args:
            return self.create_proxy("placeholder", name, default, {}, type_expr=kind)
        count = 0

        def placeholder(x: Any) -> Any:
            nonlocal count
            count += 1
            out = self.create_proxy("placeholder", f"{name}_{count}", default, {})
            if isinstance(x, PHBase):
                return out
            self._assert_specialized(out, x, name)
            return x

        return tree_map(placeholder, concrete_args[parameter.name])

    def _assert_specialized(self, out: Any, value: Any, name: str) -> None:
        """Have the program check that it is called with the value that it was traced with."""
        if isinstance(value, (bool, int, float, str)):
            told = f"{name} has been specialized to have value {value} but got another value"
            self.create_proxy("call_function", facula._assert, (out == value, told), {})
        elif value is None:
            told = f"{name} has been specialized to have value None but got another value"
            self.create_proxy("call_function", _assert_is_none, (out, told), {})
        else:
            warnings.warn(
                f"Was not able to add assertion to guarantee correct input {name} to specialized function. It is up to "
                "the user to make sure that your inputs match the inputs you specialized the function with.",
                stacklevel=2,
            )

    def trace(self, root: Module | Callable[..., Any], concrete_args: Any = None) -> Graph:
        """Run it with proxies; the graph that comes of it. ``concrete_args``: parameters that are no proxies."""
        global _tracing
        fn = self._begin(root)
        _tracing += 1
        try:
            with patching() as patches, _Recording():
                self._patch(patches, fn)
                called, args = self.create_args_for_root(fn, isinstance(root, Module), concrete_args)
                result = self.create_arg(called(*args))
                returns = annotation_of(fn, fn.__annotations__.get("return"))
                self.create_node("output", "output", (result,), {}, type_expr=returns)
        finally:
            _tracing -= 1
            self.submodule_paths = None
        return self.graph

    def _begin(self, root: Module | Callable[..., Any]) -> FunctionType:
        """Make the graph; the function that is to be traced."""
        fn: Any = root
        self.root: Module = root if isinstance(root, Module) else Module()
        if isinstance(root, Module):
            fn = getattr(type(root), self.traced_func_name, None)
            if fn is None:
                raise AssertionError(
                    f"traced_func_name={self.traced_func_name} doesn't exist in {type(root).__name__}"
                )
            self.root_module_name = root._get_name()
            self.submodule_paths = {module: name for name, module in root.named_modules()}
        self.tensor_attrs: dict[_Same, str] = {_Same(t): name for name, t in _plain_tensors(self.root)}
        if not isinstance(fn, FunctionType):
            raise AssertionError(f"Expected FunctionType, got {type(fn)}")
        code = inspect.unwrap(fn).__code__
        self._traced = fn
        self._read: dict[str, Proxy] = {}
        self.graph = Graph(tracer_cls=type(self))
        self.graph._traced_from = f"{code.co_filename}:{code.co_firstlineno} in {code.co_name}"
        return fn

    def _patch(self, patches: Patches, fn: FunctionType) -> None:
        """Have modules, and functions that are wrapped, ask this tracer."""
        plain_getattr, plain_call = Module.__getattr__, Module.__call__

        @functools.wraps(plain_getattr)
        def module_getattr(module: Any, attr: str) -> Any:
            return self.getattr(attr, plain_getattr(module, attr), self._read)

        @functools.wraps(plain_call)
        def module_call(module: Any, *args: Any, **kwargs: Any) -> Any:
            names = getattr(getattr(type(module), "forward", None), "__globals__", {})
            patches.automatically(names, self._autowrap_function_ids)
            return self.call_module(module, functools.partial(plain_call, module), args, kwargs)

        patches.method(Module, "__getattr__", module_getattr)
        patches.method(Module, "__call__", module_call)
        patches.wrapped()
        for names in (fn.__globals__, *map(vars, self._autowrap_search)):
            patches.automatically(names, self._autowrap_function_ids)

    def __deepcopy__(self, memo: dict[int, Any]) -> Tracer:
        made = type(self).__new__(type(self))
        vars(made).update({k: v for k, v in vars(self).items() if k != "root"})
        return made


class _Recording(TorchFunctionMode):
    """While tracing: every function asks it, so that a proxy is seen wherever it stands among the arguments."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if find_proxy(args, kwargs) is None:
            return func(*args, **(kwargs or {}))
        return Proxy.__torch_function__(func, types, args, kwargs)


class _Same:
    """An object as a key, by identity."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.value is self.value


def _plain_tensors(root: Module) -> Iterator[tuple[str, facula.Tensor]]:
    """Tensors that are attributes of modules, but neither parameters nor buffers."""
    for path, module in root.named_modules():
        for name, value in vars(module).items():
            if isinstance(value, facula.Tensor):
                yield f"{path}.{name}" if path else name, value


_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_STARS: dict[Any, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}


def _all_positional(fn: Any, count: int) -> FunctionType:
    """A function whose parameters, ``*args`` and ``**kwargs`` too, are all given by position, as they are."""
    code = fn.__code__
    flags = code.co_flags & ~(inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
    code = code.replace(co_argcount=count, co_posonlyargcount=0, co_kwonlyargcount=0, co_flags=flags)
    return FunctionType(code, fn.__globals__, fn.__name__, None, fn.__closure__)


def annotation_of(fn: FunctionType, annotation: Any) -> Any:
    """An annotation that is written into graphs; of facula's own functions only those as tensors are."""
    if annotation is inspect.Parameter.empty:
        return None
    if is_internal(fn.__code__.co_filename):
        return facula.Tensor if annotation == "Tensor" else None
    return annotation


def _assert_is_none(value: Any, msg: str) -> None:
    if value is not None:
        raise AssertionError(msg)


def symbolic_trace(
    root: Module | Callable[..., Any], concrete_args: dict[str, Any] | None = None
) -> GraphModule:
    """A module or function as a graph: it is run once, with proxies.

    ``concrete_args`` are parameters that keep the values given here, so that conditions on them can be followed; ``PH``
    in nested ones stands for what is a proxy all the same.
    """
    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)
    name = root._get_name() if isinstance(root, Module) else root.__name__
    return GraphModule(tracer.root, graph, name)
