"""One step of a graph: what is called, with which values, and who uses what comes out.

NOTE [users]: ``args`` and ``kwargs`` are the truth; ``_input_nodes`` of a node and ``users`` of its inputs are kept
equal to what they name by ``_update_args_kwargs``, through which every change of arguments goes. They are dicts because
these are ordered sets.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import facula

from . import _names
from ._purity import has_side_effect, is_impure
from ._texts import tensor_text
from .immutable_collections import immutable_dict, immutable_list
from .operator_schemas import normalize_function, normalize_module

if TYPE_CHECKING:
    from .graph import Graph

__all__ = ["Node", "has_side_effect", "map_aggregate", "map_arg"]

Argument = Any
Target = Any

OPS = frozenset(["placeholder", "call_method", "call_module", "call_function", "get_attr", "output", "root"])


def map_aggregate(a: Any, fn: Callable[[Any], Any]) -> Any:
    """The same nest of tuples, lists, dicts and slices with ``fn`` of what is in it."""
    if isinstance(a, tuple):
        items = [map_aggregate(x, fn) for x in a]
        return type(a)(*items) if hasattr(a, "_fields") else tuple(items)
    if isinstance(a, list):
        return immutable_list([map_aggregate(x, fn) for x in a])
    if isinstance(a, dict):
        return immutable_dict([(k, map_aggregate(v, fn)) for k, v in a.items()])
    if isinstance(a, slice):
        return slice(map_aggregate(a.start, fn), map_aggregate(a.stop, fn), map_aggregate(a.step, fn))
    return fn(a)


def map_arg(a: Any, fn: Callable[[Node], Any]) -> Any:
    """The same nest of values with ``fn`` of each node in it."""
    if not callable(fn):
        raise AssertionError("torch.fx.map_arg(a, fn): fn must be a callable")
    return map_aggregate(a, lambda x: fn(x) if isinstance(x, Node) else x)


def _get_qualified_name(func: Callable[..., Any]) -> str:
    return _names.qualified_name(func)


def _type_repr(obj: object) -> str:
    return _names.type_name(obj)


def _format_arg(arg: Any, max_list_len: float = float("inf")) -> str:
    if hasattr(arg, "_custom_fx_repr_fn"):
        return str(arg._custom_fx_repr_fn())
    if isinstance(arg, (list, tuple)):
        items = [_format_arg(a) for i, a in enumerate(arg) if i < max_list_len]
        if len(arg) > len(items):
            items.append(f"...[total_len={len(arg)}]")
        text = ", ".join(items)
        return f"[{text}]" if isinstance(arg, list) else f"({text},)" if len(items) == 1 else f"({text})"
    if isinstance(arg, dict):
        return "{" + ", ".join(f"{k}: {_format_arg(v)}" for k, v in arg.items()) + "}"
    return f"%{arg}" if isinstance(arg, Node) else str(arg)


class Node:
    """A value of a graph, by the operation that makes it.

    ``op`` is one of ``placeholder``, ``get_attr``, ``call_function``, ``call_method``, ``call_module`` and ``output``;
    ``target`` is what it is done with: a function, or a name.
    """

    graph: Graph
    name: str
    op: str
    target: Target
    users: dict[Node, None]
    meta: dict[str, Any]
    type: Any

    def __init__(
        self, graph: Graph, name: str, op: str, target: Target, args: tuple[Argument, ...],
        kwargs: dict[str, Argument], return_type: Any = None,
    ) -> None:  # fmt: skip
        if op not in OPS:
            raise AssertionError(f"op '{op}' is not in _legal_ops")
        if op == "call_function" and not callable(target):
            raise ValueError(_wrong_target(graph, name, target, "a Callable"))
        if op not in ("call_function", "root") and not isinstance(target, str):
            raise ValueError(_wrong_target(graph, name, target, "a str"))
        self.graph = graph
        self.name = name
        self.op = op
        self.target = target
        self.type = return_type
        self.users = {}
        self.meta = {}
        self._input_nodes: dict[Node, None] = {}
        self._args: tuple[Argument, ...] = ()
        self._kwargs: dict[str, Argument] = immutable_dict()
        self._prev = self._next = self
        self._erased = False
        self._update_args_kwargs(args, kwargs)

    # ---- the list of nodes

    @property
    def next(self) -> Node:
        """The node after this one; after the last there is the graph's root, which is no step."""
        return self._next

    @property
    def prev(self) -> Node:
        return self._prev

    def prepend(self, x: Node) -> None:
        """Move ``x`` to just before this node."""
        if self.graph is not x.graph:
            raise AssertionError("Attempting to move a Node into a different Graph")
        if self is x:
            return
        x._remove_from_list()
        self._prev._next = x
        x._prev, x._next = self._prev, self
        self._prev = x
        self.graph._moved()

    _prepend = prepend

    def append(self, x: Node) -> None:
        """Move ``x`` to just after this node."""
        self._next.prepend(x) if self._next is not x else None

    def _remove_from_list(self) -> None:
        self._prev._next, self._next._prev = self._next, self._prev

    def __lt__(self, other: Node) -> bool:
        return self._position < other._position

    def __gt__(self, other: Node) -> bool:
        return self._position > other._position

    def __le__(self, other: Node) -> bool:
        return self._position <= other._position

    def __ge__(self, other: Node) -> bool:
        return self._position >= other._position

    @property
    def _position(self) -> int:
        return self.graph._positions()[self]

    # ---- arguments

    @property
    def args(self) -> tuple[Argument, ...]:
        """What it is called with; nodes stand for their values. Not to be changed, but to be set."""
        return self._args

    @args.setter
    def args(self, a: tuple[Argument, ...]) -> None:
        self._update_args_kwargs(a, self._kwargs)

    @property
    def kwargs(self) -> dict[str, Argument]:
        return self._kwargs

    @kwargs.setter
    def kwargs(self, k: dict[str, Argument]) -> None:
        self._update_args_kwargs(self._args, k)

    @property
    def all_input_nodes(self) -> list[Node]:
        """The nodes among the arguments, each once, in their order."""
        return list(self._input_nodes)

    def update_arg(self, idx: int, arg: Argument) -> None:
        args = list(self.args)
        args[idx] = arg
        self.args = tuple(args)

    def insert_arg(self, idx: int, arg: Argument) -> None:
        if not 0 <= idx <= len(self.args):
            raise AssertionError("insert_args index must be between 0 and len(self.args)")
        self.args = (*self.args[:idx], arg, *self.args[idx:])

    def update_kwarg(self, key: str, arg: Argument) -> None:
        self.kwargs = {**self.kwargs, key: arg}

    def _update_args_kwargs(self, args: Any, kwargs: Any) -> None:
        for old in self._input_nodes:
            old.users.pop(self, None)
        inputs: dict[Node, None] = {}

        def used(x: Any) -> Any:
            if isinstance(x, Node):
                inputs[x] = None
            return x

        self._args = map_aggregate(args, used)
        self._kwargs = map_aggregate(kwargs, used)
        self._input_nodes = inputs
        for new in inputs:
            new.users[self] = None

    def replace_all_uses_with(
        self, replace_with: Node, delete_user_cb: Callable[[Node], bool] | None = None, *, propagate_meta: bool = False
    ) -> list[Node]:
        """Have all that use this node use another; returns who did. ``delete_user_cb`` may spare some."""
        if propagate_meta:
            if replace_with.meta:
                raise AssertionError(
                    "Called node.replace_all_uses_with(replace_with, propagate_meta=True), but replace_with already "
                    "has .meta keys"
                )
            replace_with.meta.update(self.meta)
        users = [user for user in self.users if delete_user_cb is None or delete_user_cb(user)]
        for user in users:
            user.replace_input_with(self, replace_with)
        return users

    def replace_input_with(self, old_input: Node, new_input: Node) -> None:
        def replaced(n: Node) -> Any:
            return new_input if n is old_input else n

        self._update_args_kwargs(map_arg(self._args, replaced), map_arg(self._kwargs, replaced))

    def normalized_arguments(
        self, root: Any, arg_types: Any = None, kwarg_types: Any = None, normalize_to_only_use_kwargs: bool = False
    ) -> Any:
        """Its arguments by the parameters of what is called, with defaults; None if these are not known."""
        if self.op == "call_function":
            return normalize_function(
                self.target, self.args, dict(self.kwargs), arg_types, kwarg_types, normalize_to_only_use_kwargs
            )
        if self.op == "call_module":
            return normalize_module(
                root, self.target, self.args, dict(self.kwargs), normalize_to_only_use_kwargs
            )
        return None

    # ---- what is known of it

    @property
    def stack_trace(self) -> str | None:
        """Where in the program it came from, if that was recorded."""
        trace: str | None = self.meta.get("stack_trace")
        return trace

    @stack_trace.setter
    def stack_trace(self, trace: str | None) -> None:
        self.meta["stack_trace"] = trace

    def is_impure(self, impure_random: bool = True) -> bool:
        """Whether it must stay though nobody uses its value."""
        return is_impure(self, impure_random)

    def _rename(self, candidate: str) -> None:
        if candidate != self.name:
            self.name = self.graph._graph_namespace.create_name(candidate, None)
            self.graph._graph_namespace._rename_object(self, self.name)

    # ---- text

    def __repr__(self) -> str:
        return self.name

    @staticmethod
    def _pretty_print_target(target: object) -> str:
        return _names.target_name(target)

    def format_node(
        self, placeholder_names: list[str] | None = None, maybe_return_typename: list[str] | None = None, *,
        include_tensor_metadata: bool = False,
    ) -> str | None:  # fmt: skip
        """A line about it, as in the text of a graph."""
        annotation = f"{_names.type_name(self.type)} " if self.type is not None else ""
        if self.op == "output":
            if self.type is not None and maybe_return_typename is not None:
                maybe_return_typename[0] = f" -> {_names.type_name(self.type)}"
            return f"return {self.args[0]}"
        if include_tensor_metadata and isinstance(value := self.meta.get("val"), facula.Tensor):
            annotation = f'Tensor "{tensor_text(value, stride=True, device=True)}"'
        line = f"%{self.name} : {annotation}[num_users={len(self.users)}] = {self.op}"
        line += f"[target={self._pretty_print_target(self.target)}]"
        if self.op == "placeholder":
            return f"{line}(default={self.args[0]})" if self.args else line
        if self.op == "get_attr":
            return line
        return f"{line}(args = {_format_arg(self.args)}, kwargs = {_format_arg(self.kwargs)})"


def _wrong_target(graph: Graph, name: str, target: Any, expected: str) -> str:
    has = _names.type_name(type(target)) if not callable(target) else _names.target_name(target)
    return f"Node [graph = {graph}, name = '{name}'] target {target} has type {has} but {expected} is expected"


has_side_effect(operator.setitem)
