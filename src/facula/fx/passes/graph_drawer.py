"""A picture of a graph, by ``pydot``, if that is installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .. import _names
from ..graph_module import GraphModule, _get_attr
from ..node import Node
from .shape_prop import TensorMetadata

__all__ = ["FxGraphDrawer"]

_COLORS = {
    "placeholder": "lightblue", "get_attr": "lightgray", "call_module": "khaki", "call_method": "thistle",
    "call_function": "wheat", "output": "lightblue",
}  # fmt: skip


class FxGraphDrawer:
    """Draws the graph of a module: ``FxGraphDrawer(gm, "name").get_dot_graph().write_svg("graph.svg")``."""

    def __init__(
        self, graph_module: GraphModule, name: str, ignore_getattr: bool = False,
        ignore_parameters_and_buffers: bool = False, skip_node_names_in_args: bool = True,
        parse_stack_trace: bool = False, dot_graph_shape: str | None = None, normalize_args: bool = False,
    ) -> None:  # fmt: skip
        try:
            pydot = import_module("pydot")
        except ImportError:
            raise RuntimeError(
                "FXGraphDrawer requires the pydot package to be installed. Please install pydot through your favorite "
                "Python package manager."
            ) from None
        self._pydot = pydot
        self._name = name
        self.shape = dot_graph_shape or "record"
        self.skip_parameters = ignore_parameters_and_buffers
        self._graphs = {name: self._drawn(graph_module, name, ignore_getattr)}
        for path, inner in graph_module.named_children():
            if isinstance(inner, GraphModule):
                self._graphs[f"{name}_{path}"] = self._drawn(inner, f"{name}_{path}", ignore_getattr)

    def get_dot_graph(self, submod_name: str | None = None) -> Any:
        return self._graphs[self._name if submod_name is None else submod_name]

    def get_main_dot_graph(self) -> Any:
        return self._graphs[self._name]

    def get_submod_dot_graph(self, submod_name: str) -> Any:
        return self._graphs[f"{self._name}_{submod_name}"]

    def get_all_dot_graphs(self) -> dict[str, Any]:
        return self._graphs

    def _drawn(self, module: GraphModule, name: str, ignore_getattr: bool) -> Any:
        dot = self._pydot.Dot(name, rankdir="TB")
        shown = [n for n in module.graph.nodes if not (ignore_getattr and n.op == "get_attr")]
        for node in shown:
            dot.add_node(self._pydot.Node(node.name, label=self._label(module, node), **self._style(_COLORS[node.op])))
            if node.op == "call_module" and not self.skip_parameters:
                self._draw_parameters(dot, module, node)
        for node in shown:
            for user in node.users:
                dot.add_edge(self._pydot.Edge(node.name, user.name))
        return dot

    def _draw_parameters(self, dot: Any, module: GraphModule, node: Node) -> None:
        leaf = _get_attr(module, node.target)
        for kind, members in (("parameter", leaf.named_parameters()), ("buffer", leaf.named_buffers())):
            for path, value in members:
                name = f"{node.target}.{path}"
                label = f"{{{name}|op_code=get_{kind}{value.dtype}{list(value.shape)}\\n}}"
                dot.add_node(self._pydot.Node(name, label=label, **self._style("salmon")))
                dot.add_edge(self._pydot.Edge(name, node.name))

    def _style(self, color: str) -> dict[str, str]:
        return {"shape": self.shape, "fillcolor": color, "style": '"filled,rounded"', "fontcolor": '"#000000"'}

    def _label(self, module: GraphModule, node: Node) -> str:
        text = f"{{name=%{node.name}|op_code={node.op}\\n"
        if node.op == "call_module":
            leaf = _get_attr(module, node.target)
            constants = "".join(f"{c}: {getattr(leaf, c)}\\n" for c in getattr(leaf, "__constants__", ()))
            text += f"\\n{_names.type_name(type(leaf))}\\n|{constants}"
        else:
            text += f"|target={_names.target_name(node.target)}\\n|num_users={len(node.users)}\\n"
        meta = node.meta.get("tensor_meta")
        for each in [meta] if isinstance(meta, TensorMetadata) else meta if isinstance(meta, (list, tuple)) else []:
            if isinstance(each, TensorMetadata):
                text += f"|dtype={each.dtype}\\n|shape={tuple(each.shape)}\\n|requires_grad={each.requires_grad}\\n"
                text += f"|stride={each.stride}\\n"
        return f"{text}}}"
