"""A pass over a graph module as an object."""

from __future__ import annotations

import abc
from typing import NamedTuple

from ...graph_module import GraphModule

__all__ = ["PassBase", "PassResult"]


class PassResult(NamedTuple):
    """The module after a pass, and whether the pass changed it."""

    graph_module: GraphModule
    modified: bool


class PassBase(abc.ABC):
    """What a pass does is ``call``; ``requires`` checks what it needs, ``ensures`` what it promises."""

    def __call__(self, graph_module: GraphModule) -> PassResult | None:
        self.requires(graph_module)
        result = self.call(graph_module)
        self.ensures(graph_module)
        return result

    @abc.abstractmethod
    def call(self, graph_module: GraphModule) -> PassResult | None:
        """Do it, and tell whether anything was changed."""

    def requires(self, graph_module: GraphModule) -> None:  # noqa: B027 (need not be overridden)
        """Raise if the pass cannot be run on this."""

    def ensures(self, graph_module: GraphModule) -> None:  # noqa: B027 (need not be overridden)
        """Raise if the pass has not done what it should."""
