"""Which nodes someone can run: questions that ``CapabilityBasedPartitioner`` asks."""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping
from typing import Any

from ...nn import Module
from ..node import Node
from .tools_common import CALLABLE_NODE_OPS, get_node_target

__all__ = ["OpSupports", "OperatorSupport", "OperatorSupportBase", "any_chain", "chain", "create_op_support"]

IsNodeSupported = Callable[[Mapping[str, Module], Node], bool]


class OperatorSupportBase(abc.ABC):
    """Tells of each node whether it can be run."""

    @abc.abstractmethod
    def is_node_supported(self, submodules: Mapping[str, Module], node: Node) -> bool:
        raise NotImplementedError


class OperatorSupport(OperatorSupportBase):
    """By a table: targets, and the dtypes that their arguments may have; None: any."""

    _support_dict: Mapping[str, Any] = {}

    def __init__(self, support_dict: Mapping[str, Any] | None = None) -> None:
        self._support_dict = support_dict or self._support_dict

    def is_node_supported(self, submodules: Mapping[str, Module], node: Node) -> bool:
        if node.op not in CALLABLE_NODE_OPS:
            return True
        target = get_node_target(submodules, node)
        if target not in self._support_dict:
            return False
        if self._support_dict[target] is None:
            return True
        positional, named = self._support_dict[target]
        for i, dtypes in enumerate(positional):
            if len(node.args) <= i or (isinstance(node.args[i], Node) and _dtype_of(node.args[i]) not in dtypes):
                return False
        return all(
            key in node.kwargs and (not isinstance(node.kwargs[key], Node) or _dtype_of(node.kwargs[key]) in dtypes)
            for key, dtypes in named.items()
        )


def create_op_support(is_node_supported: IsNodeSupported) -> OperatorSupportBase:
    """By a function."""

    class FunctionalOperatorSupport(OperatorSupportBase):
        def is_node_supported(self, submodules: Mapping[str, Module], node: Node) -> bool:
            return is_node_supported(submodules, node)

    return FunctionalOperatorSupport()


def chain(*op_support: OperatorSupportBase) -> OperatorSupportBase:
    """If all of them say so."""
    return create_op_support(lambda submods, node: all(each.is_node_supported(submods, node) for each in op_support))


def any_chain(*op_support: OperatorSupportBase) -> OperatorSupportBase:
    """If one of them says so."""
    return create_op_support(lambda submods, node: any(each.is_node_supported(submods, node) for each in op_support))


class OpSupports:
    """Common answers."""

    @classmethod
    def decline_if_input_dtype(cls, dtype: Any) -> OperatorSupportBase:
        """Not with an input of this dtype."""
        return create_op_support(lambda _, node: all(_dtype_of(each) != dtype for each in node.all_input_nodes))

    @classmethod
    def decline_if_node_in_names(cls, disallow_set: set[str]) -> OperatorSupportBase:
        """Not these nodes."""
        return create_op_support(lambda _, node: node.name not in disallow_set)


def _dtype_of(node: Any) -> Any:
    meta = node.meta.get("tensor_meta")
    return getattr(meta, "dtype", None) if meta is not None else node.meta.get("type")
